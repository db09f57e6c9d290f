"""One pass over one log: text to evidence. All of it is USER trust, whatever the text claims to be."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator
from typing import BinaryIO

from gpualert_slurm.classifier.engine import Engine, engine
from gpualert_slurm.classifier.keep import Kept, Thinned
from gpualert_slurm.classifier.lines import Block, blocks, bounds, clean
from gpualert_slurm.classifier.pattern import Match
from gpualert_slurm.classifier.routine import Routine
from gpualert_slurm.evidence import Evidence, Quote, Role, Trust, Where
from gpualert_slurm.gap import Gap
from gpualert_slurm.parsed_log import ParsedLog
from gpualert_slurm.series import Series

MAX_QUOTE_BYTES = 2000
LAST_LINES = 40
MAX_KEPT = 5000
MAX_SERIES = 500
"""Kinds of message and series told apart by the rank a prefix names; beyond it they are counted together."""
TAIL_BYTES = 64 * 1024
SERIES = frozenset({"loss", "grad_norm", "learning_rate", "step", "loss_scale", "accuracy", "eval_loss", "eval_accuracy"})
"""Numbers of a progress line that become series; the others stay in the evidence's ``data``."""

Arrival = Callable[[int], "tuple[int, int] | None"]


def scan(log: BinaryIO, path: str, where: Where, arrival: Arrival | None = None, max_evidence: int = 2000) -> ParsedLog:
    """Read one log once, in bounded memory, and say what stands in it.

    Args:
        log: an open binary file, read from its start. A rank log comes from ``framed_log.open_log``, which blanks
            gpualert's own header and hole mark, so that offsets and line numbers are the file's.
        path: what the quotes call the file.
        where: whose log it is; a prefix on a line (``[rank3]:``) overrides its rank.
        arrival: the time index: when the byte at a file offset arrived, as (ns since the epoch, ± ns).
        max_evidence: at most this many pieces of evidence; what is left out is said in ``gaps``.

    Returns:
        Evidence with file offsets, line numbers and SHA-256 of the quoted bytes; never raises for what a log holds.
        A read that fails ends the pass, and a gap says so.
    """
    reader = _Pass(engine(), path, where, arrival)
    try:
        for block in blocks(log):
            reader.take(block)
    except OSError as error:
        reader.gaps.append(Gap(what=f"the rest of {path} from byte {reader.read}", why=str(error), node=where.node, rank=where.rank))
    return reader.finish(max_evidence)


class _Pass:
    """The state of one pass."""

    def __init__(self, rules: Engine, path: str, where: Where, arrival: Arrival | None) -> None:
        self.rules, self.path, self.where, self.arrival = rules, path, where, arrival
        self.kept: dict[tuple[str, int | None], Kept] = {}
        self.series: dict[tuple[str, int | None], Thinned] = {}
        self.open = rules.collectors()
        self.routine = Routine()
        self.tail: deque[bytes] = deque()
        self.tail_bytes = 0
        self.read = 0
        self.cut_lines = self.cut_bytes = self.long_lines = 0
        self.gaps: list[Gap] = []

    def take(self, block: Block) -> None:
        data = block.data
        self.read = block.offset + len(data) + block.cut
        if block.cut:
            self.cut_lines += bool(data)
            self.cut_bytes += block.cut
        if not data:
            return
        self._keep_tail(data)
        nominated = self.rules.nominator.lines(data)
        number, counted, done = block.line, 0, 0
        for start, end, patterns in self._walk(data, nominated):
            if start < done:
                continue
            done = end
            number += data.count(b"\n", counted, start)
            counted = start
            self._line(data[start:end], block.offset + start, number, patterns)

    def _walk(self, data: bytes, nominated: list[tuple[int, int, set[int]]]) -> Iterator[tuple[int, int, set[int]]]:
        """The nominated lines, and every line while a story of several lines is being read."""
        position = 0
        for start, end, patterns in nominated:
            while self.open.any and position < start:
                line_start, line_end = bounds(data, position)
                if line_start < start:
                    yield line_start, line_end, set()
                position = line_end + 1
            yield start, end, patterns
            position = end + 1
        while self.open.any and position < len(data):
            line_start, line_end = bounds(data, position)
            yield line_start, line_end, set()
            position = line_end + 1

    def _line(self, raw: bytes, offset: int, number: int, patterns: set[int]) -> None:
        kind = frozenset(patterns)
        if patterns and not self.open.any and self.routine.leave_out(kind, raw, offset, number):
            return
        line = clean(raw, offset, number)
        self.long_lines += len(raw) > len(line.raw)
        ended = self.open.take(line)
        said = self.rules.matches(line, patterns, self.open)
        for match in (*ended, *said):
            self._add(match)
        if patterns:
            progress = bool(said) and all(match.says == "progress" for match in said)
            touched = {(name, line.speaker.rank) for match in said for name in SERIES & match.data.keys()} if progress else set()
            self.routine.was(kind, progress=progress, series=touched)

    def _add(self, match: Match) -> None:
        rank = match.line.speaker.rank
        kept = self.kept.get((match.pattern, rank))
        if kept is None:
            key = (match.pattern, rank if len(self.kept) < MAX_KEPT else None)
            kept = self.kept.setdefault(key, Kept())
        kept.add(match)
        if match.says == "progress":
            self._measure(match, rank)

    def _measure(self, match: Match, rank: int | None) -> None:
        data = match.data
        step = data.get("step")
        known_step = step if isinstance(step, int) else None
        for name in SERIES & data.keys():
            value = data[name]
            if isinstance(value, (int, float)):
                series = self.series.get((name, rank))
                if series is None:
                    key = (name, rank if len(self.series) < MAX_SERIES else None)
                    series = self.series.setdefault(key, Thinned())
                series.add((match.line.offset, known_step, float(value)))

    def _keep_tail(self, data: bytes) -> None:
        self.tail.append(data[-TAIL_BYTES:])
        self.tail_bytes += len(self.tail[-1])
        while self.tail_bytes - len(self.tail[0]) >= TAIL_BYTES:
            self.tail_bytes -= len(self.tail.popleft())

    def finish(self, max_evidence: int) -> ParsedLog:
        for match in self.open.close():
            self._add(match)
        left_out = self._end_routine()
        matches = sorted((m for kept in self.kept.values() for m in (*kept.first, *kept.last)), key=lambda m: (m.line.offset, m.pattern))
        unread = sum(kept.left_out for kept in self.kept.values() if kept.first[0].role is not Role.MARKER)  # progress is in the series
        if len(matches) > max_evidence:
            unread += len(matches) - max_evidence
            head = max_evidence // 2
            matches = matches[:head] + matches[len(matches) - (max_evidence - head) :]
        repeats = {kept.first[0].line.offset: kept.seen for kept in self.kept.values() if kept.seen > 1}
        evidence = tuple(self._evidence(match, repeats.get(match.line.offset)) for match in matches)
        self._say_what_was_cut(unread, left_out)
        return ParsedLog(
            path=self.path, bytes_read=self.read, evidence=evidence, series=self._series(), last_lines=self._last_lines(), gaps=tuple(self.gaps)
        )

    def _end_routine(self) -> int:
        """Reads the last line of each kind that was left out, and counts the others as seen."""
        total = 0
        for patterns, kind in self.routine.kinds.items():
            unread = kind.left_out - (kind.last is not None)
            total += unread
            for key in kind.series:
                if key in self.series:
                    self.series[key].seen += unread
            if kind.last is not None:
                line = clean(kind.last.raw, kind.last.offset, kind.last.number)
                for match in self.rules.matches(line, set(patterns), self.open):
                    self._add(match)
        return total

    def _evidence(self, match: Match, seen: int | None) -> Evidence:
        line = match.line
        raw = line.raw[:MAX_QUOTE_BYTES]
        when = self._when(line.offset)
        name = f"{self.where.node}|{self.path}|{line.offset}|{match.pattern}"
        data = {**match.data, "seen": seen} if seen is not None else match.data
        return Evidence(
            id="q" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:15],
            says=match.says,
            role=match.role,
            trust=Trust.USER,
            source=Quote(
                file=self.path,
                line=line.number,
                offset=line.offset,
                length=len(raw),
                text=raw.decode("utf-8", "backslashreplace"),
                sha256=hashlib.sha256(raw).hexdigest(),
            ),
            where=self._whose(match),
            pattern=match.pattern,
            cause=match.cause,
            detail=match.detail,
            time_ns=when[0] if when else None,
            uncertainty_ns=when[1] if when else None,
            data=data,
        )

    def _whose(self, match: Match) -> Where:
        """The log's owner, unless a prefix names another; a batch script's log carries ranks of nodes it cannot name."""
        speaker = match.line.speaker
        changes: dict[str, int | str | None] = {}
        of_script = self.where.rank is None or self.where.step in {"batch", "interactive"}
        rank = speaker.rank if speaker.rank is not None else (speaker.task if of_script else None)
        if rank is not None and (rank != self.where.rank or of_script):
            changes.update(rank=rank, local_rank=speaker.local_rank)
            if of_script:
                changes.update(node=None, step=None)
        elif speaker.local_rank is not None and speaker.local_rank != self.where.local_rank:
            changes.update(rank=None, local_rank=speaker.local_rank)  # a local rank below a task: which job-wide rank is unknown
        if speaker.pid is not None:
            changes.update(pid=speaker.pid)
        return self.where.model_copy(update=changes) if changes else self.where

    def _when(self, offset: int) -> tuple[int, int] | None:
        return None if self.arrival is None else self.arrival(offset)

    def _series(self) -> tuple[Series, ...]:
        made = []
        for (name, rank), thinned in sorted(self.series.items(), key=lambda item: (item[0][0], item[0][1] or 0)):
            points = thinned.final()
            times = [self._when(offset) for offset, _, _ in points]
            made.append(
                Series(
                    name=name,
                    where=self.where if rank is None else self.where.model_copy(update={"rank": rank}),
                    times_ns=tuple(when[0] if when else None for when in times),
                    steps=tuple(step for _, step, _ in points),
                    values=tuple(value for _, _, value in points),
                    points_seen=thinned.seen,
                )
            )
        return tuple(made)

    def _last_lines(self) -> tuple[str, ...]:
        tail = b"".join(self.tail)[-TAIL_BYTES:]
        for mark in (b"\r", b"\b"):
            tail = tail.replace(mark, b"\n")
        lines = [raw for raw in tail.split(b"\n") if raw.strip(b" \t\0")]
        return tuple(clean(raw, 0, 0).text[:1000] for raw in lines[-LAST_LINES:])

    def _say_what_was_cut(self, unread: int, left_out: int) -> None:
        whose = {"node": self.where.node, "rank": self.where.rank}
        self.gaps += [Gap(what=f"what a pattern says of a line of {self.path}", why=defect, **whose) for defect in sorted(self.rules.defects)[:3]]
        self.rules.defects.clear()
        if left_out:
            self.gaps.append(
                Gap(what=f"{left_out} lines of progress of {self.path}", why="of very many, the first and the last of each kind are kept", **whose)
            )
        if unread:
            self.gaps.append(Gap(what=f"{unread} repeated messages of {self.path}", why="the first and the last of each kind are kept", **whose))
        if self.cut_bytes or self.long_lines:
            lines = self.cut_lines + self.long_lines
            self.gaps.append(Gap(what=f"the ends of {lines} long lines of {self.path}", why="a line is read up to 16 KiB", **whose))
