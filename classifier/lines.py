"""A log as blocks of whole lines, whatever its writer did to it: bounded memory at any size."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import BinaryIO

MAX_LINE_BYTES = 16 * 1024
"""A longer line is matched up to here; what follows on the line is counted, not read."""
BLOCK_BYTES = 256 * 1024
"""Read at once: as much as a core's own cache holds beside what the matcher needs."""

_ANSI = re.compile(rb"\x1b(?:\[[0-9;?]{0,32}[ -/]{0,4}[@-~]|\][^\x07\x1b\n\r\x08]{0,256}(?:\x07|\x1b\\)?|[@-Z\\-_])")
_CLOCK = r"\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?"
_DAY = r"\d{4}[-/]\d{2}[-/]\d{2}[ T]"
_PREFIX = re.compile(
    r" {0,3}(?:\[rank(?P<rank>\d{1,6})\]:? ?"  # torch >= 2.1 on distributed ranks
    r"|\[[a-z_]{1,24}(?P<local>\d{1,4})\]: ?"  # torchelastic --redirects/--tee: [default3]:
    r"|\[(?:[\w.-]{1,80}@)?\d{1,6},(?P<mpi>\d{1,6})\]<std(?:err|out|diag)>: ?"  # mpirun --tag-output; Open MPI 5 names its daemon too
    r"|\[(?P<hydra>\d{1,5})\] (?=Traceback \(most recent| {2}File \"|[A-Za-z_][\w.]{0,100}(?:Error|Exception|Interrupt)\b)"  # mpiexec -l of MPICH
    r"|[\[(]?[Rr]ank[ _#]?(?P<said>\d{1,5})[\])]?[:|]? ?"
    r"(?=Traceback \(most recent| {2}File \"| {4}\S|[A-Za-z_][\w.]{0,100}(?:Error|Exception|Interrupt)\b)"  # a program's own
    r"|\((?:(?P<actor>[\w.:-]{1,64})(?:\([^()]{0,64}\))? )?(?:rank=(?P<actor_rank>\d{1,6}) )?"  # Ray, vLLM
    r"pid=(?P<pid>\d{1,10})(?:, ip=[0-9a-f.:]{1,45})?\) ?"
    rf"|(?P<loguru>{_DAY}{_CLOCK}) \| [A-Z]{{4,10}} {{0,6}}\| [^\s|]{{1,200}}:\d{{1,6}} - "
    rf"|(?P<stamp>{_DAY}{_CLOCK}|[A-Z][a-z]{{2}} [ \d]\d {_CLOCK}) "  # docker, ts, logging's asctime
    rf"|\[(?P<boxed>{_DAY}{_CLOCK}|{_CLOCK})\]:? "  # DeepSpeed, NCCL >= 2.27, rich
    r"|(?P<task>\d{1,5}): ?(?=\D|$))"  # srun --label
)
MAX_PREFIXES = 4
MOST_KNOWN_BYTES = 1000
_FLAT = bytes.maketrans(b"\r\x08", b"\n\n")
_LINE_ENDS = (b"\n", b"\r", b"\b")


@dataclass(frozen=True)
class Block:
    """Whole lines: ``data`` begins at byte ``offset`` of the file. ``cut`` counts bytes skipped after it."""

    data: bytes
    offset: int
    cut: int = 0


@dataclass(frozen=True)
class Speaker:
    """Who a prefix says is speaking; ``key`` keeps interleaved writers apart."""

    rank: int | None = None
    local_rank: int | None = None
    pid: int | None = None
    task: int | None = None
    stamp: str | None = None
    """The time that a prefix printed, verbatim: in whose zone it is, and by whose clock, is not known."""

    @property
    def key(self) -> tuple[int | None, ...]:
        """What tells one writer of a shared log from another."""
        return (self.rank, self.local_rank, self.pid, self.task)


NOBODY = Speaker()


@dataclass(frozen=True)
class Line:
    """One line as matched: ``text`` without prefix, colours and NULs; ``raw`` the bytes that stand at ``offset``."""

    text: str
    raw: bytes
    offset: int
    number: int
    speaker: Speaker = NOBODY


def blocks(log: BinaryIO, taste: Callable[[bytes], object] | None = None) -> Iterator[Block]:
    """The file in blocks that end at a line end; a line without end is cut at MAX_LINE_BYTES and the rest skipped.

    ``taste`` is given all bytes in order as they are read: for the file's hash.
    """
    carry, offset = b"", 0
    skipping = False
    while True:
        fresh = log.read(BLOCK_BYTES)
        if not fresh:
            break
        if taste is not None:
            taste(fresh)
        if skipping:
            end = _first_end(fresh)
            if end < 0:
                offset += len(fresh)
                yield Block(b"", offset, cut=len(fresh))
                continue
            yield Block(b"", offset, cut=end)
            offset += end
            fresh = fresh[end:]
            skipping = False
        size = len(carry) + len(fresh)
        end = fresh.rfind(b"\n") + 1 or max(fresh.rfind(mark) for mark in _LINE_ENDS) + 1
        if end:
            whole = b"".join((carry, memoryview(fresh)[:end]))
            carry = fresh[end:]
            yield Block(whole, offset)
            offset += len(whole)
        elif size >= BLOCK_BYTES:
            kept = (carry + fresh)[:MAX_LINE_BYTES]
            yield Block(kept, offset, cut=size - len(kept))
            offset += size
            carry, skipping = b"", True
        else:
            carry += fresh
    if carry:
        yield Block(carry, offset)


def newlines(data: bytes) -> int:
    """How many there are. Taking them out finds each by ``memchr``, counting looks at every byte: 2 to 8 times as fast in usual lines."""
    if len(data) < 4096 or data.count(b"\n", 0, 4096) > 256:
        return data.count(b"\n")
    return len(data) - len(data.replace(b"\n", b""))


def flat(data: bytes) -> bytes:
    """The same bytes at the same places, with every line end a newline: a redrawn bar is a line of its own."""
    return data.translate(_FLAT) if b"\r" in data or b"\b" in data else data


def bare(data: bytes) -> bytes:
    """Flat lines without colours and NULs, as many as there were; the very same object when there are none."""
    if b"\x1b" in data:
        data = _ANSI.sub(b"", data)
    return data.replace(b"\0", b"") if b"\0" in data else data


def bounds(data: bytes, at: int) -> tuple[int, int]:
    """Where the line of flat ``data`` that holds byte ``at`` begins and ends (its line end left out)."""
    end = data.find(b"\n", at)
    return data.rfind(b"\n", 0, at) + 1, len(data) if end < 0 else end


def clean(raw: bytes, offset: int, number: int) -> Line:
    """One line ready for matching: colours and NULs out, each broken byte sequence as U+FFFD, prefixes taken off and remembered.

    U+FFFD is no letter, digit or space: what is broken makes up no word that the bytes do not hold.
    """
    kept = raw[:MAX_LINE_BYTES]
    text, speaker = _known(kept) if len(kept) <= MOST_KNOWN_BYTES else _cleaned(kept)
    return Line(text, kept, offset, number, speaker)


def _cleaned(kept: bytes) -> tuple[str, Speaker]:
    return heard(bare(kept).decode("utf-8", "replace"))


_known = lru_cache(maxsize=1024)(_cleaned)
"""A log that says the same a million times is cleaned once."""


def heard(text: str) -> tuple[str, Speaker]:
    """The text behind its prefixes, and who they say is speaking."""
    speaker = NOBODY
    for _ in range(MAX_PREFIXES):
        found = _PREFIX.match(text)
        if not found:
            break
        speaker = _heard(speaker, found)
        text = text[found.end() :]
    return text, speaker


def _heard(before: Speaker, found: re.Match[str]) -> Speaker:
    def number(name: str) -> int | None:
        return int(found[name]) if found[name] else None

    rank = number("rank")
    if rank is None:
        rank = number("mpi")
    if rank is None:
        rank = number("hydra")
    if rank is None:
        rank = number("actor_rank")
    if rank is None:
        rank = number("said")
    local, pid, task = number("local"), number("pid"), number("task")
    return Speaker(
        before.rank if rank is None else rank,
        before.local_rank if local is None else local,
        before.pid if pid is None else pid,
        before.task if task is None else task,
        found["loguru"] or found["stamp"] or found["boxed"] or before.stamp,
    )


def _first_end(data: bytes) -> int:
    ends = [found for found in (data.find(mark) for mark in _LINE_ENDS) if found >= 0]
    return min(ends, default=-1)
