"""A log that a verdict quotes, opened again: do the bytes, their line and the whole file still stand?"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gpualert_slurm.evidence import Quote
from gpualert_slurm.framed_log import open_log
from gpualert_slurm.rank_log import LogFrame

MAX_QUOTE_BYTES = 1 << 20
_CHUNK = 1 << 20


@dataclass
class CitedLog:
    """One file as the quotes name it, and what is wrong with each quote; ``whole`` is what is wrong with the file."""

    name: str
    quotes: list[Quote] = field(default_factory=list)
    wrong: dict[int, str] = field(default_factory=dict)
    """By the quote's place in ``quotes``."""
    whole: str | None = None
    found_at: Path | None = None

    @property
    def hashed(self) -> tuple[int, str] | None:
        """How many of the file's bytes were read and their SHA-256, where the verdict says."""
        for quote in self.quotes:
            if quote.file_bytes is not None and quote.file_sha256 is not None:
                return quote.file_bytes, quote.file_sha256
        return None

    def check(self, folders: Sequence[Path]) -> None:
        """Open it where it was or in one of ``folders``, and compare."""
        candidates = [Path(self.name), *(folder / Path(self.name).name for folder in folders)]
        for number, quote in enumerate(self.quotes):
            wrong, place = _quote(quote, candidates)
            self.found_at = self.found_at or place
            if wrong is not None:
                self.wrong[number] = wrong
        if len({(q.file_bytes, q.file_sha256) for q in self.quotes}) > 1:
            self.whole = "its quotes disagree on what the file was"
        elif self.found_at is not None and self.hashed is not None:
            self._whole(self.found_at, *self.hashed)

    def _whole(self, path: Path, size: int, sha256: str) -> None:
        """The file's hash and each quote's line number, in one reading."""
        try:
            digest, numbers = _read_through(path, size, [quote.offset for quote in self.quotes])
        except OSError as error:
            self.whole = f"{path}: {error.strerror or error}"
            return
        if digest is None:
            self.whole = f"{path} is shorter than the {size} bytes that were read of it"
        elif digest != sha256:
            self.whole = f"{path} was changed since it was read: its first {size} bytes have another SHA-256"
        for number, quote in enumerate(self.quotes):
            if number not in self.wrong and numbers.get(quote.offset) not in {None, quote.line}:
                self.wrong[number] = f"it stands on line {numbers[quote.offset]}"


def cited(quotes: Sequence[Quote]) -> list[CitedLog]:
    """The logs of ``quotes``, each once, in order of their first quote."""
    logs: dict[str, CitedLog] = {}
    for quote in quotes:
        logs.setdefault(quote.file, CitedLog(quote.file)).quotes.append(quote)
    return list(logs.values())


def _quote(quote: Quote, candidates: Sequence[Path]) -> tuple[str | None, Path | None]:
    """Why the quote does not stand (None when it does), and in which file."""
    if not 0 <= quote.length <= MAX_QUOTE_BYTES or quote.offset < 0:
        return "its place is no place in a file", None
    reason = "no such log, nor in the folders given with --logs"
    for candidate in candidates:
        try:
            raw = _bytes(candidate, quote.offset, quote.length)
        except FileNotFoundError:
            continue
        except OSError as error:
            reason = f"{candidate}: {error.strerror or error}"
            continue
        if hashlib.sha256(raw).hexdigest() == quote.sha256:
            return (None if raw.decode("utf-8", "backslashreplace") == quote.text else "the hash fits, the text shown does not"), candidate
        reason = f"{candidate} has other bytes there"
    return reason, None


def _bytes(path: Path, offset: int, length: int) -> bytes:
    """Bytes of a regular file; a FIFO or device in its place does not hold us."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(f"{path} is not a regular file")
        return os.pread(fd, length, offset)
    finally:
        os.close(fd)


def _read_through(path: Path, size: int, offsets: Sequence[int]) -> tuple[str | None, dict[int, int]]:
    """SHA-256 of the first ``size`` bytes as a parser is given them (None when there are fewer), and the line number at each offset."""
    digest, numbers = hashlib.sha256(), dict[int, int]()
    waiting = sorted(set(offsets), reverse=True)
    line, at = 1, 0
    for part in _parts(path.resolve(), size):
        digest.update(part)
        counted = 0
        while waiting and waiting[-1] < at + len(part):
            offset = waiting.pop()
            line += part.count(b"\n", counted, offset - at)
            counted = offset - at
            numbers[offset] = line
        line += part.count(b"\n", counted)
        at += len(part)
    return (digest.hexdigest() if at == size else None), numbers


def _parts(path: Path, size: int) -> Iterator[bytes]:
    with open_log(path, LogFrame.read(path)) as log:
        while size > 0 and (part := log.read(min(size, _CHUNK))):
            size -= len(part)
            yield part
