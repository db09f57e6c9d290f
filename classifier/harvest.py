"""What a pass over a log has found so far: kept in bounds while reading, and made into evidence and series at the end."""

from __future__ import annotations

import hashlib
import math
from bisect import bisect_right
from collections.abc import Callable, Sequence

from gpualert_slurm.classifier.keep import MAX_POINTS, Kept, Point, Thinned, thin
from gpualert_slurm.classifier.pattern import Match
from gpualert_slurm.classifier.printed import stamp_of
from gpualert_slurm.classifier.restarts import Beginning
from gpualert_slurm.classifier.routine import Kind
from gpualert_slurm.evidence import Evidence, Quote, Role, TimeSource, Trust, Where
from gpualert_slurm.series import Series

MAX_QUOTE_BYTES = 2000
MAX_KEPT = 5000
MAX_SERIES = 500
"""Kinds of message and series told apart by the rank a prefix names; beyond it they are counted together."""
SERIES = frozenset({"loss", "grad_norm", "learning_rate", "step", "loss_scale", "accuracy", "eval_loss", "eval_accuracy"})
"""Numbers of a progress line that become series; the others stay in the evidence's ``data``."""

BARE_LOSS = "plain_loop.loss_line"
FIRST_ATTEMPTS, LAST_ATTEMPTS = 3, 8
"""Of a log of more attempts, what those between said is not kept."""
Key = tuple[int, str, "int | None"]
"""Attempt as it was known while reading, pattern or name, and the rank that a prefix named."""
Arrival = Callable[[int], "tuple[int, int] | None"]


class Harvest:
    """The matches and numbers of one log."""

    def __init__(self, path: str, where: Where, arrival: Arrival | None) -> None:
        self.path, self.where, self.arrival = path, where, arrival
        self.kept: dict[Key, Kept] = {}
        self.series: dict[Key, Thinned] = {}
        self.beginnings: list[Beginning] = []
        """Of the second attempt and those that follow, as they were found."""
        self.dropped = 0

    def begin(self, begun: Beginning) -> None:
        """A further attempt begins: it is kept apart. Of very many, the first ones and the last ones stay."""
        self.beginnings.append(begun)
        middle = len(self.beginnings) - LAST_ATTEMPTS
        if middle >= FIRST_ATTEMPTS:
            self.kept = {key: kept for key, kept in self.kept.items() if key[0] != middle}
            self.series = {key: series for key, series in self.series.items() if key[0] != middle}
            self.dropped += 1

    def add(self, match: Match) -> None:
        """Take one more match."""
        rank, epoch = match.line.speaker.rank, len(self.beginnings)
        kept = self.kept.get((epoch, match.pattern, rank))
        if kept is None:
            key = (epoch, match.pattern, rank if len(self.kept) < MAX_KEPT else None)
            kept = self.kept.setdefault(key, Kept())
        kept.add(match)
        if match.says == "progress":
            self._measure(match, rank)

    def _measure(self, match: Match, rank: int | None) -> None:
        data, epoch = match.data, len(self.beginnings)
        step = data.get("step")
        known_step = step if isinstance(step, int) else None
        for name in SERIES & data.keys():
            value = data[name]
            if isinstance(value, (int, float)):
                series = self.series.get((epoch, name, rank))
                if series is None:
                    key = (epoch, name, rank if len(self.series) < MAX_SERIES else None)
                    series = self.series.setdefault(key, Thinned())
                series.add((match.line.offset, known_step, float(value)))

    def told(self, word: str, *, surely: bool = True) -> int:
        """How many lines said ``word``; ``surely``: less bars and losses without a count."""
        return sum(k.seen for k in self.kept.values() if k.first[0].says == word and not (surely and k.first[0].data.get("weak")))

    def bare_losses(self) -> tuple[Key, frozenset[int]] | None:
        """Key and places of lines that tell a loss under no counter that a pattern knows, where they are all that tells of progress."""
        progress = [(key, kept) for key, kept in self.kept.items() if kept.first[0].says == "progress"]
        if len(progress) != 1 or self.beginnings or progress[0][1].first[0].pattern != BARE_LOSS or not progress[0][1].first[0].data.get("weak"):
            return None
        key, kept = progress[0]
        return key, frozenset(m.line.offset for m in (*kept.first, *kept.last))

    def forget(self, key: Key) -> None:
        """Leave out what one pattern said of progress, and the series: the same lines were read anew, with their counters."""
        del self.kept[key]
        self.series.clear()

    def nothing(self) -> bool:
        """Whether all losses that were told are of no batch, as it seems: none of several is a number, or all are nought."""
        losses = [series.points for (_, name, _), series in self.series.items() if name == "loss"]
        return bool(losses) and not any(math.isfinite(value) and value for points in losses for _, _, value in points)

    def places(self, *but: str) -> frozenset[int]:
        """Where lines stand that say something else than a metric, or than ``but``."""
        return frozenset(m.line.offset for k in self.kept.values() for m in (*k.first, *k.last) if m.says not in {"metrics", "rhythm", *but})

    def going(self, *, saves: bool = True) -> frozenset[int]:
        """Where lines stand that tell of progress, of its planned end or (unless not ``saves``) of a save."""
        signs = {"progress", "planned_end", *(("checkpoint_saved",) if saves else ())}
        return frozenset(m.line.offset for kept in self.kept.values() if kept.first[0].says in signs for m in (*kept.first, *kept.last))

    def spoken(self) -> frozenset[int]:
        """Where lines stand that a pattern of their own knows."""
        open_ = {"error_line", "metrics", "no_training", "checkpoint_not_loaded", "rhythm"}
        known = [kept for kept in self.kept.values() if kept.first[0].says not in open_]
        return frozenset(m.line.offset for kept in known for m in (*kept.first, *kept.last))

    def unread(self, kind: Kind, lines: int) -> None:
        """Count ``lines`` of a kind that were seen and not read."""
        epoch = len(self.beginnings)
        for name, rank in kind.series:
            if (epoch, name, rank) in self.series:
                self.series[epoch, name, rank].seen += lines
        for name, rank in kind.patterns:
            if (epoch, name, rank) in self.kept:
                self.kept[epoch, name, rank].seen += lines

    def evidence(self, most: int, sha256: str, size: int) -> tuple[tuple[Evidence, ...], int]:
        """At most ``most`` pieces of evidence in order of place, and how many messages are left out of them."""
        matches = sorted((m for kept in self.kept.values() for m in (*kept.first, *kept.last)), key=lambda m: (m.line.offset, m.pattern))
        most = max(1, most - min(len(self.beginnings), LAST_ATTEMPTS))
        left_out = sum(kept.left_out for kept in self.kept.values() if kept.first[0].role is not Role.MARKER)  # progress is in the series
        if len(matches) > most:
            left_out += len(matches) - most
            head = most // 2
            matches = matches[:head] + matches[len(matches) - (most - head) :]
        repeats = {kept.first[0].line.offset: kept.seen for kept in self.kept.values() if kept.seen > 1}
        begins = self._begins()
        told = [self._evidence(match, repeats.get(match.line.offset), sha256, size, self._attempt(match.line.offset, begins)) for match in matches]
        marks = [
            Match("attempt_began", Role.MARKER, one.line, "restarts.attempt", data={"attempt": number, "by": one.why})
            for number, one in enumerate(self.beginnings, 2)
        ]
        told += [self._evidence(mark, None, sha256, size, number) for number, mark in enumerate(marks, 2)][-LAST_ATTEMPTS:]
        return tuple(told), left_out

    def _begins(self) -> list[int]:
        return sorted(one.offset for one in self.beginnings)

    def _attempt(self, offset: int, begins: Sequence[int]) -> int | None:
        """Which attempt the byte at ``offset`` belongs to; None in a log that holds one."""
        return bisect_right(begins, offset) + 1 if begins else None

    def _evidence(self, match: Match, seen: int | None, sha256: str, size: int, attempt: int | None) -> Evidence:
        line = match.line
        raw = line.raw[:MAX_QUOTE_BYTES]
        when = self.when(line.offset)
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
            printed=stamp_of(line, match.data),
            time_source=TimeSource.ARRIVAL if when else None,
            attempt=attempt,
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

    def when(self, offset: int) -> tuple[int, int] | None:
        """When the byte at ``offset`` arrived, (ns, ± ns), where there is a time index."""
        return None if self.arrival is None else self.arrival(offset)

    def all_series(self) -> tuple[Series, ...]:
        """The series, each in order of place, one for each attempt: those of the last one first, since a report carries so many."""
        begins = self._begins()
        points: dict[tuple[str, int | None, int | None], list[Point]] = {}
        seen: dict[tuple[str, int | None, int | None], int] = {}
        for (epoch, name, rank), thinned in self.series.items():
            own = min(epoch, len(begins)) + 1 if begins else None
            seen[name, rank, own] = seen.get((name, rank, own), 0) + thinned.seen
            for point in thinned.final():
                attempt = self._attempt(point[0], begins)
                points.setdefault((name, rank, attempt), []).append(point)
                if attempt != own:  # read before it was known that an attempt had begun
                    seen[name, rank, own] -= 1
                    seen[name, rank, attempt] = seen.get((name, rank, attempt), 0) + 1
        made = []
        for (name, rank, attempt), several in sorted(points.items(), key=lambda item: (-(item[0][2] or 0), item[0][0], item[0][1] or 0)):
            several.sort(key=lambda point: point[0])
            few = thin(several) if len(several) > MAX_POINTS else several
            times = [self.when(offset) for offset, _, _ in few]
            made.append(
                Series(
                    name=name,
                    where=self.where if rank is None else self.where.model_copy(update={"rank": rank}),
                    times_ns=tuple(when[0] if when else None for when in times),
                    steps=tuple(step for _, step, _ in few),
                    values=tuple(value for _, _, value in few),
                    points_seen=max(len(few), seen.get((name, rank, attempt), 0)),
                    attempt=attempt,
                )
            )
        return tuple(made)
