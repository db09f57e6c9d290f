"""What a pass over a log has found so far: kept in bounds while reading, and made into evidence and series at the end."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from gpualert_slurm.classifier.keep import Kept, Thinned
from gpualert_slurm.classifier.pattern import Match
from gpualert_slurm.classifier.routine import Kind
from gpualert_slurm.evidence import Evidence, Quote, Role, Trust, Where
from gpualert_slurm.series import Series

MAX_QUOTE_BYTES = 2000
MAX_KEPT = 5000
MAX_SERIES = 500
"""Kinds of message and series told apart by the rank a prefix names; beyond it they are counted together."""
SERIES = frozenset({"loss", "grad_norm", "learning_rate", "step", "loss_scale", "accuracy", "eval_loss", "eval_accuracy"})
"""Numbers of a progress line that become series; the others stay in the evidence's ``data``."""

Arrival = Callable[[int], "tuple[int, int] | None"]


class Harvest:
    """The matches and numbers of one log."""

    def __init__(self, path: str, where: Where, arrival: Arrival | None) -> None:
        self.path, self.where, self.arrival = path, where, arrival
        self.kept: dict[tuple[str, int | None], Kept] = {}
        self.series: dict[tuple[str, int | None], Thinned] = {}

    def add(self, match: Match) -> None:
        """Take one more match."""
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

    def unread(self, kind: Kind, lines: int) -> None:
        """Count ``lines`` of a kind that were seen and not read."""
        for key in kind.series:
            if key in self.series:
                self.series[key].seen += lines
        for key in kind.patterns:
            if key in self.kept:
                self.kept[key].seen += lines

    def evidence(self, most: int, sha256: str, size: int) -> tuple[tuple[Evidence, ...], int]:
        """At most ``most`` pieces of evidence in order of place, and how many messages are left out of them."""
        matches = sorted((m for kept in self.kept.values() for m in (*kept.first, *kept.last)), key=lambda m: (m.line.offset, m.pattern))
        left_out = sum(kept.left_out for kept in self.kept.values() if kept.first[0].role is not Role.MARKER)  # progress is in the series
        if len(matches) > most:
            left_out += len(matches) - most
            head = most // 2
            matches = matches[:head] + matches[len(matches) - (most - head) :]
        repeats = {kept.first[0].line.offset: kept.seen for kept in self.kept.values() if kept.seen > 1}
        return tuple(self._evidence(match, repeats.get(match.line.offset), sha256, size) for match in matches), left_out

    def _evidence(self, match: Match, seen: int | None, sha256: str, size: int) -> Evidence:
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
                file_bytes=size,
                file_sha256=sha256,
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

    def all_series(self) -> tuple[Series, ...]:
        """The series, each in order of place."""
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
