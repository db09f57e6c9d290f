"""What is done with one log in the user's child: parse it, cut its excerpt, say what is wrong with it."""

from __future__ import annotations

import io
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from gpualert_slurm.epilog.collect_files import Bounded, Hurried, open_own, text_of
from gpualert_slurm.epilog.collect_user import Send
from gpualert_slurm.evidence import Where
from gpualert_slurm.excerpt import Excerpt
from gpualert_slurm.framed_log import Arrival, arrivals, open_log
from gpualert_slurm.gap import Gap
from gpualert_slurm.parsed_log import ParsedLog
from gpualert_slurm.rank import RankLog
from gpualert_slurm.rank_log import LogFrame
from gpualert_slurm.time_index import TimeIndex

_TAIL_BYTES = 256 * 1024


class Scan(Protocol):
    """``classifier.scan``: handed in by the program, since no room imports another."""

    def __call__(self, log: BinaryIO, path: str, where: Where, arrival: Arrival | None = None, max_evidence: int = 2000) -> ParsedLog:
        """One pass over one log."""


@dataclass(frozen=True)
class LogWork:
    """Runs in the user's child: frames ``P`` parsed log, ``X`` excerpt, ``G`` gap, each with JSON behind its letter."""

    log: RankLog
    uid: int
    scan: Scan
    index: TimeIndex | None
    most_bytes: int
    excerpt: tuple[int, int] | None
    most_evidence: int
    lent: int | None = None
    hurry_at: float = math.inf
    """Monotonic time from which on only the end of the log is read."""

    def __call__(self, send: Send) -> None:
        """Read the log once; what is wrong with it becomes a gap."""
        log = self.log

        def gap(what: str, why: str) -> None:
            send(b"G" + Gap(what=what, why=why, node=log.node, rank=log.rank).json_bytes())

        if self.lent is not None:
            text: BinaryIO = io.BufferedReader(Bounded(self.lent, self.most_bytes), 1 << 18)
            send(b"P" + self.scan(text, log.path, _where(log), None, self.most_evidence).json_bytes())
            return
        try:
            fd, status = open_own(log.path, self.uid)
        except OSError as error:
            gap(f"the log {log.path}", error.strerror or str(error))
            return
        if status.st_size > self.most_bytes:
            gap(f"bytes {self.most_bytes} to {status.st_size} of {log.path}", "capture did not write them: the file was changed by the job")
        frame = within(LogFrame.read(Path(log.path)), self.most_bytes)
        if frame.problem is not None:
            gap(f"the frame of {log.path}", frame.problem)
        if self.excerpt is not None and (frame.head or frame.tail):
            send(b"X" + cut_excerpt(fd, frame, log, self.excerpt).json_bytes())
        arrival = arrivals(frame, self.index, "err" if log.stream == "err" else "out") if self.index is not None else None
        with open_log(Path(log.path), frame) as text:
            hurried = Hurried(text, self.hurry_at, frame.tail_start + frame.tail - _TAIL_BYTES)
            buffered = io.BufferedReader(hurried, 1 << 18)
            parsed = self.scan(buffered, log.path, _where(log), arrival, self.most_evidence)
            send(b"P" + (parsed if hurried.blanked is None else parsed.unhashed()).json_bytes())
        if hurried.blanked is not None:
            gap(f"what bytes {hurried.blanked[0]} to {hurried.blanked[1]} of {log.path} say", "no time was left to read more than the end")


def within(frame: LogFrame, most_bytes: int) -> LogFrame:
    """The frame of a file of which no more than ``most_bytes`` are read: what was written behind capture's back is not chased."""
    if frame.tail_start + frame.tail <= most_bytes:
        return frame
    return frame.model_copy(update={"head": max(0, min(frame.head, most_bytes - frame.start)), "hole": 0, "tail": 0})


def cut_excerpt(fd: int, frame: LogFrame, log: RankLog, sizes: tuple[int, int]) -> Excerpt:
    """Head and tail of the log's own bytes, the tail first in rank: a log that fits into it has no head. Cut at line ends where there is one."""
    head_bytes, tail_bytes = sizes
    kept = frame.head + frame.tail
    tail_from = max(0, kept - tail_bytes)
    head_to = min(head_bytes, tail_from)
    head, tail = _kept(fd, frame, 0, head_to), _kept(fd, frame, tail_from, kept)
    if head_to < tail_from:
        head = head[: head.rfind(b"\n") + 1] or head
    if head_to < tail_from or frame.hole:
        cut = tail.find(b"\n") + 1
        tail = tail[cut:] if 0 < cut < len(tail) and tail_from > 0 else tail
    total = kept + frame.hole
    return Excerpt(
        path=log.path, where=_where(log), stream=log.stream, head=text_of(head), tail=text_of(tail),
        bytes_total=total, bytes_left_out=total - len(head) - len(tail),
    )


def _where(log: RankLog) -> Where:
    return Where(node=log.node, rank=log.rank, local_rank=log.local_rank, step=log.step)



def _kept(fd: int, frame: LogFrame, begin: int, end: int) -> bytes:
    """Bytes ``begin`` to ``end`` of what the log kept, the hole's mark skipped."""
    parts = []
    if begin < frame.head:
        parts.append(os.pread(fd, min(end, frame.head) - begin, frame.start + begin))
    if end > frame.head:
        skip = max(0, begin - frame.head)
        parts.append(os.pread(fd, end - frame.head - skip, frame.tail_start + skip))
    return b"".join(parts)
