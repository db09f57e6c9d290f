"""A log as blocks of whole lines, whatever its writer did to it: bounded memory at any size."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

MAX_LINE_BYTES = 16 * 1024
"""A longer line is matched up to here; what follows on the line is counted, not read."""
BLOCK_BYTES = 1024 * 1024

_ANSI = re.compile(rb"\x1b(?:\[[0-9;?]{0,32}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\)?|[@-Z\\-_])")
_PREFIX = re.compile(
    r" {0,3}(?:\[rank(?P<rank>\d{1,6})\]:? ?"  # torch >= 2.1 on distributed ranks
    r"|\[[a-z_]{1,24}(?P<local>\d{1,4})\]: ?"  # torchelastic --redirects/--tee: [default3]:
    r"|\[\d{1,4},(?P<mpi>\d{1,6})\]<std(?:err|out|diag)>: ?"  # mpirun --tag-output
    r"|\((?P<actor>\w{1,64})(?:\([^()]{0,64}\))? pid=(?P<pid>\d{1,10})(?:, ip=[0-9a-f.:]{1,45})?\) ?"  # Ray, vLLM
    r"|(?P<task>\d{1,5}): ?(?=\D|$))"  # srun --label
)
_LINE_ENDS = (b"\n", b"\r", b"\b")


@dataclass(frozen=True)
class Block:
    """Whole lines: ``data`` begins at byte ``offset`` of the file, on line ``line``. ``cut`` counts bytes skipped after it."""

    data: bytes
    offset: int
    line: int
    cut: int = 0


@dataclass(frozen=True)
class Speaker:
    """Who a prefix says is speaking; ``key`` keeps interleaved writers apart."""

    rank: int | None = None
    local_rank: int | None = None
    pid: int | None = None
    task: int | None = None

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


def blocks(log: BinaryIO) -> Iterator[Block]:
    """The file in blocks that end at a line end; a line without end is cut at MAX_LINE_BYTES and the rest skipped."""
    carry, offset, number = b"", 0, 1
    skipping = False
    while True:
        fresh = log.read(BLOCK_BYTES)
        if not fresh:
            break
        if skipping:
            end = _first_end(fresh)
            if end < 0:
                offset += len(fresh)
                yield Block(b"", offset, number, cut=len(fresh))
                continue
            yield Block(b"", offset, number, cut=end)
            offset += end
            fresh = fresh[end:]
            skipping = False
        data = carry + fresh
        end = max(data.rfind(mark) for mark in _LINE_ENDS) + 1
        if end == 0 and len(data) >= BLOCK_BYTES:
            yield Block(data[:MAX_LINE_BYTES], offset, number, cut=len(data) - MAX_LINE_BYTES)
            offset += len(data)
            carry, skipping = b"", True
            continue
        if end:
            yield Block(data[:end], offset, number)
            number += data.count(b"\n", 0, end)
            offset += end
        carry = data[end:]
    if carry:
        yield Block(carry, offset, number)


def bounds(data: bytes, at: int) -> tuple[int, int]:
    """Where the line that holds byte ``at`` begins and ends (its line end left out)."""
    start = data.rfind(b"\n", 0, at) + 1
    for mark in (b"\r", b"\b"):
        start = max(start, data.rfind(mark, start, at) + 1)
    end = data.find(b"\n", at)
    end = len(data) if end < 0 else end
    for mark in (b"\r", b"\b"):
        found = data.find(mark, at, end)
        end = found if found >= 0 else end
    return start, end


def clean(raw: bytes, offset: int, number: int) -> Line:
    r"""One line ready for matching: colours and NULs out, broken bytes as ``\xNN``, prefixes taken off and remembered."""
    kept = raw[:MAX_LINE_BYTES]
    bare = _ANSI.sub(b"", kept) if b"\x1b" in kept else kept
    if b"\0" in bare:
        bare = bare.replace(b"\0", b"")
    text = bare.decode("utf-8", "backslashreplace")
    speaker = NOBODY
    for _ in range(3):
        found = _PREFIX.match(text)
        if not found:
            break
        speaker = _heard(speaker, found)
        text = text[found.end() :]
    return Line(text, kept, offset, number, speaker)


def _heard(before: Speaker, found: re.Match[str]) -> Speaker:
    def number(name: str) -> int | None:
        return int(found[name]) if found[name] else None

    rank = number("rank")
    if rank is None:
        rank = number("mpi")
    local, pid, task = number("local"), number("pid"), number("task")
    return Speaker(
        before.rank if rank is None else rank,
        before.local_rank if local is None else local,
        before.pid if pid is None else pid,
        before.task if task is None else task,
    )


def _first_end(data: bytes) -> int:
    ends = [found for found in (data.find(mark) for mark in _LINE_ENDS) if found >= 0]
    return min(ends, default=-1)
