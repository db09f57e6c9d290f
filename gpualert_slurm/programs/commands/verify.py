"""``gpualert verify``: does every quote of a verdict still stand where it says, byte for byte, in the log that was read?"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gpualert_slurm.evidence import FieldValue, Quote, Reading
from gpualert_slurm.programs.command import Command


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("verdict", metavar="VERDICT.json", help="a verdict, or a folder that holds verdict.json")
    parser.add_argument("--logs", metavar="FOLDER", action="append", default=[], help="where the logs lie now, if not where they were quoted")
    parser.add_argument("--quiet", action="store_true", help="name what does not stand, and the sum")
    parser.epilog = (
        "Compared are each quote's bytes, text and line, and the SHA-256 of all that was read of its log."
        " Exit status: 0 all stands, 1 something does not or its log is gone, 2 the verdict cannot be read."
    )


def _run(arguments: argparse.Namespace) -> int:
    from gpualert_slurm.notify.plain import visible
    from gpualert_slurm.programs.cited_log import cited
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

    def tell(place: str, wrong: str | None) -> None:
        if wrong is not None or not arguments.quiet:
            write(visible(f"ok       {place}" if wrong is None else f"MISMATCH {place}: {wrong}"))

    quotes = [e.source for e in verdict.evidence if isinstance(e.source, Quote)]
    bad = changed = 0
    for log in cited(quotes):
        log.check(folders)
        for number, quote in enumerate(log.quotes):
            bad += number in log.wrong
            tell(f"{quote.file}:{quote.line} byte {quote.offset}", log.wrong.get(number))
        if log.hashed is not None and (log.found_at is not None or log.whole is not None):
            changed += log.whole is not None
            tell(f"{log.name}, the {log.hashed[0]} bytes that were read of it", log.whole)
    others = [e.source for e in verdict.evidence if not isinstance(e.source, Quote)]
    if not arguments.quiet:
        for source in others:
            write(visible(f"look up  {_looked_up(source)}"))
    write(f"{len(quotes) - bad} of {len(quotes)} quotes stand; {len(others)} readings and fields are looked up by the query they name")
    return 1 if bad or changed else 0


def _looked_up(source: FieldValue | Reading) -> str:
    """What cannot be opened again here, and who told it."""
    if isinstance(source, FieldValue):
        return f"{source.record}: {source.name} = {source.value} ({source.query})"
    unit = f" {source.unit}" if source.unit else ""
    return f"{source.source}: {len(source.values)} values, {source.values[0]:g} to {source.values[-1]:g}{unit}" if source.values else source.source


COMMAND = Command(help="reopen every quote of a verdict and compare bytes, line and the file's hash", arguments=_arguments, run=_run)
