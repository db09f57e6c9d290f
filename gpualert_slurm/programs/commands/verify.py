"""``gpualert verify``: does every quote of a verdict still stand where it says, byte for byte?"""

from __future__ import annotations

import argparse
import hashlib
import os
import stat
import sys
from pathlib import Path

from gpualert_slurm.evidence import Quote
from gpualert_slurm.programs.command import Command

MAX_QUOTE_BYTES = 1 << 20


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("verdict", metavar="VERDICT.json", help="a verdict, or a folder that holds verdict.json")
    parser.add_argument("--logs", metavar="FOLDER", action="append", default=[], help="where the logs lie now, if not where they were quoted")
    parser.epilog = "Exit status: 0 every quote stands, 1 one does not or its log is gone, 2 the verdict cannot be read."


def _run(arguments: argparse.Namespace) -> int:
    from gpualert_slurm.notify.plain import visible
    from gpualert_slurm.programs.verdict_file import VerdictFileError, read_verdict
    from gpualert_slurm.programs.verdict_text import write

    path = Path(arguments.verdict)
    try:
        verdict = read_verdict(path)
    except VerdictFileError as error:
        print(f"gpualert verify: {error}", file=sys.stderr)
        return 2
    beside = path if path.is_dir() else path.parent
    folders = [*(Path(f) for f in arguments.logs), beside, beside / "logs"]
    quotes = [e.source for e in verdict.evidence if isinstance(e.source, Quote)]
    bad = 0
    for quote in quotes:
        wrong = _wrong(quote, folders)
        bad += wrong is not None
        place = f"{quote.file}:{quote.line} byte {quote.offset}"
        write(visible(f"ok       {place}" if wrong is None else f"MISMATCH {place}: {wrong}"))
    others = len(verdict.evidence) - len(quotes)
    write(f"{len(quotes) - bad} of {len(quotes)} quotes stand; {others} readings and fields are looked up by the query they name")
    return 1 if bad else 0


def _wrong(quote: Quote, folders: list[Path]) -> str | None:
    """Why the quote does not stand; None when it does."""
    tried = [Path(quote.file), *(folder / Path(quote.file).name for folder in folders)]
    reason = "no such log, nor in the folders given with --logs"
    if not 0 <= quote.length <= MAX_QUOTE_BYTES or quote.offset < 0:
        return "its place is no place in a file"
    for candidate in tried:
        try:
            raw = _read(candidate, quote.offset, quote.length)
        except FileNotFoundError:
            continue
        except OSError as error:
            reason = f"{candidate}: {error.strerror or error}"
            continue
        if hashlib.sha256(raw).hexdigest() == quote.sha256:
            return None if raw.decode("utf-8", "backslashreplace") == quote.text else "the hash fits, the text shown does not"
        reason = f"{candidate} has other bytes there"
    return reason


def _read(path: Path, offset: int, length: int) -> bytes:
    """Bytes of a regular file; a FIFO or device in its place does not hold us."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(f"{path} is not a regular file")
        return os.pread(fd, length, offset)
    finally:
        os.close(fd)


COMMAND = Command(help="reopen every quote of a verdict and compare its hash", arguments=_arguments, run=_run)
