"""How far the run got: progress, planned end, checkpoints, metrics. From the job's own output, so USER trust."""

from __future__ import annotations

import itertools
import math
import operator
import re
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.classifier.numbers import finite
from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.series import Series

LEAST_LINES = 4
"""Of progress, that have a rhythm."""
AT_ONCE_NS = 100_000_000
"""Lines that came within this of each other were written by one call, or nearly."""
MIN_WEAK = 3
"""A bar without a name, or a loss without a step, counts as progress from this many on."""
_MOST_STEPS = re.compile(r"`max_steps=(\d{1,12})` reached")
_BAR = re.compile(r"\d{1,3}%\|[^|]{0,300}\|\s{0,8}\d{1,12}/\d{1,12} \[")
FEW_STEPS = 20
FEW_SLOW_STEPS, SLOW_STEP_S = 10, 1.0
"""Of steps that each take longer than a reading of a card, fewer say something of the run."""
MOST_BEGINNING = 40
"""Characters by which two lines are one and its copy."""
METRICS = ("accuracy", "eval_loss", "eval_accuracy", "grad_norm", "learning_rate")


@dataclass(frozen=True)
class Advance:
    """Progress of the run.

    ``marks`` in order of time (or of place in the log); ``loss`` is the longest loss series: validation's, where no other is printed.
    """

    marks: tuple[Evidence, ...]
    loss: Series | None
    series: tuple[Series, ...]
    end_marks: tuple[Evidence, ...]
    loaded: tuple[Evidence, ...]
    not_loaded: tuple[Evidence, ...]
    passed_over: tuple[Evidence, ...]
    """What was saved was not there or not usable: a word that does not say what became of the run."""
    saved: tuple[Evidence, ...]
    steps_done: int | None
    steps_planned: int | None
    step_s: float | None
    """Median time of one step."""
    interval_s: float | None
    """Median time between two lines of progress."""
    metrics: dict[str, float]
    longest_s: float | None = None
    """The longest time between two lines of progress of one writer."""

    @property
    def seen(self) -> bool:
        """Whether the run made any progress."""
        return bool(self.marks)

    @property
    def last_ns(self) -> int | None:
        """When the last progress was printed, where times are known."""
        times = [m.time_ns for m in self.first_hand if m.time_ns is not None]
        return max(times, default=None)

    @cached_property
    def first_hand(self) -> tuple[Evidence, ...]:
        """The marks less the script's copies of what stands in its tasks' logs: srun holds a line back until it ends, a bar until the run does."""
        own = {_beginning(m) for m in self.marks if m.where.step not in SCRIPT}
        return tuple(m for m in self.marks if m.where.step not in SCRIPT or _beginning(m) not in own)

    @property
    def enough_steps(self) -> int:
        """So many steps say something of the run."""
        return FEW_SLOW_STEPS if (self.step_s or 0.0) >= SLOW_STEP_S else FEW_STEPS

    @property
    def reached_end(self) -> bool:
        """The program said so, or the planned steps are done."""
        if self.end_marks:
            return True
        return self.steps_done is not None and self.steps_planned is not None and self.steps_done >= self.steps_planned

    def after(self, error: Evidence) -> Evidence | None:
        """Progress of the same writer after ``error``: then the error was survived."""
        if self.let_out_behind(error):
            return None
        in_file, latest = self._last
        file = error.source.file if isinstance(error.source, Quote) else ""
        mark = in_file.get((error.where.node, file, error.where.rank))
        if mark is not None and _offset(mark) > _offset(error) and self._further(mark, error):
            return mark
        mark = latest.get(error.where.rank)
        return mark if mark is not None and not _same_file(mark, error) and _later(mark, error) else None

    def let_out_behind(self, error: Evidence) -> bool:
        """Whether all progress of the error's log stands behind it and came with it at once: what a program had held back until its exit."""
        file = error.source.file if isinstance(error.source, Quote) else ""
        last = self._last[0].get((error.where.node, file, None))
        if last is None or last.time_ns is None or error.time_ns is None or last.time_ns - error.time_ns > AT_ONCE_NS:
            return False
        here = self._by_file.get((error.where.node, file), [])
        if len(here) < MIN_WEAK or any(_offset(m) < _offset(error) for m in here):
            return False
        return all(m.time_ns is not None and abs(m.time_ns - error.time_ns) <= AT_ONCE_NS for m in here)

    def _further(self, mark: Evidence, error: Evidence) -> bool:
        """Whether ``mark`` counts further than the same log did before ``error``.

        A bar is drawn once more when its program goes down, perhaps a step further than it was drawn before: one bar is no sign of life.
        """
        behind = [m for m in self.marks if _same_file(m, error) and _offset(m) > _offset(error)]
        if len(behind) == 1 and (mark.data.get("weak") or (isinstance(mark.source, Quote) and _BAR.search(mark.source.text))):
            return False
        reached = _count(mark)
        before = [c for m in self.marks if _same_file(m, error) and _offset(m) < _offset(error) and (c := _count(m)) is not None]
        return reached is None or not before or reached > max(before)

    @cached_property
    def _by_file(self) -> dict[tuple[str | None, str], list[Evidence]]:
        """Each log's marks: a run of a thousand ranks has as many logs, and as many errors are asked about."""
        found: dict[tuple[str | None, str], list[Evidence]] = {}
        for mark in self.marks:
            if isinstance(mark.source, Quote):
                found.setdefault((mark.where.node, mark.source.file), []).append(mark)
        return found

    @cached_property
    def _last(self) -> tuple[dict[tuple[str | None, str, int | None], Evidence], dict[int | None, Evidence]]:
        """The last mark of each writer in each file, and the latest of each writer anywhere; of all writers together under None."""
        in_file: dict[tuple[str | None, str, int | None], Evidence] = {}
        latest: dict[int | None, Evidence] = {}
        for mark in self.marks:
            file = mark.source.file if isinstance(mark.source, Quote) else ""
            for rank in {mark.where.rank, None}:
                key = (mark.where.node, file, rank)
                if key not in in_file or _offset(mark) > _offset(in_file[key]):
                    in_file[key] = mark
                if mark.time_ns is not None and (rank not in latest or mark.time_ns > (latest[rank].time_ns or 0)):
                    latest[rank] = mark
        return in_file, latest


def _beginning(mark: Evidence) -> str:
    return mark.source.text.strip()[:MOST_BEGINNING] if isinstance(mark.source, Quote) else ""


def advance_of(evidence: tuple[Evidence, ...], series: tuple[Series, ...]) -> Advance:
    """All that the logs say about progress."""
    marks = [e for e in evidence if e.says == "progress"]
    weak = [m for m in marks if m.data.get("weak")]
    seen = sum(int(m.data.get("seen", 1)) for m in weak[:1])
    if len(weak) == len(marks) and max(len(weak), seen) < MIN_WEAK:
        marks = []
    if not marks:
        marks = _growing_saves(evidence)
    marks.sort(key=lambda m: (m.time_ns or 0, _offset(m)))
    done, planned = _steps(marks, [e for e in evidence if e.says == "training_started"], series)
    ends = _ends([e for e in evidence if e.says == "planned_end"], marks)
    if done is None and (named := _named(ends)) is not None:
        done = planned = named
    losses = [s for s in series if s.name == "loss" and s.values] or [s for s in series if s.name == "eval_loss" and s.values]
    loss = max(losses, key=lambda s: (s.points_seen, -(s.where.rank or 0)), default=None)
    between = _between(marks)
    return Advance(
        marks=tuple(marks),
        loss=loss,
        series=series,
        end_marks=ends,
        loaded=tuple(e for e in evidence if e.says == "checkpoint_loaded"),
        not_loaded=tuple(e for e in evidence if e.says == "checkpoint_not_loaded" and not e.data.get("bare")),
        passed_over=tuple(e for e in evidence if e.says == "checkpoint_not_loaded" and e.data.get("bare")),
        saved=_saved([e for e in evidence if e.says == "checkpoint_saved"]),
        steps_done=done,
        steps_planned=planned,
        step_s=_step_seconds(series) or _rated_seconds(ends),
        interval_s=_interval_seconds(series) or (statistics.median(between) if between else None),
        metrics=_metrics(evidence, series, loss),
        longest_s=_longest_seconds(series) or max(between, default=None),
    )


def _growing_saves(evidence: tuple[Evidence, ...]) -> list[Evidence]:
    """Saves named by steps that grow, where they are all that tells of progress."""
    saves = sorted((e for e in evidence if e.says == "checkpoint_saved"), key=lambda e: (e.time_ns or 0, _offset(e)))
    named = [(int(found[1]), e) for e in saves if isinstance(e.source, Quote) and (found := _SAVED_AS.search(e.source.text))]
    return [e for _, e in named] if len({step for step, _ in named}) > 1 and named[-1][0] > named[0][0] else []


def _ends(said: list[Evidence], marks: list[Evidence]) -> tuple[Evidence, ...]:
    """Planned ends of the run: one after which the same log counts steps that are not yet the last was a trial's (a batch size finder's)."""
    going = [m for m in marks if isinstance(step := m.data.get("step"), int) and isinstance(plan := m.data.get("planned"), int) and step < plan]
    last: dict[tuple[str | None, str], int] = {}
    for mark in going:
        if isinstance(mark.source, Quote):
            key = (mark.where.node, mark.source.file)
            last[key] = max(last.get(key, -1), mark.source.offset)
    return tuple(e for e in said if not isinstance(e.source, Quote) or e.source.offset >= last.get((e.where.node, e.source.file), -1))


def _named(ends: tuple[Evidence, ...]) -> int | None:
    """The step that the program's own end names (Lightning's ``max_steps=2``)."""
    found = [m for e in ends if isinstance(e.source, Quote) and (m := _MOST_STEPS.search(e.source.text))]
    return int(found[-1][1]) if found else None


def _saved(said: list[Evidence]) -> tuple[Evidence, ...]:
    """One piece of evidence a save: the bar of its files counts only where nothing else tells of the save."""
    whole = [e for e in said if e.detail != "shards"]
    return tuple(whole or said)


def _steps(marks: list[Evidence], started: list[Evidence], series: tuple[Series, ...]) -> tuple[int | None, int | None]:
    whole = [m for m in marks if not m.data.get("per_epoch")] or _one_epoch(marks, series)
    steps = [step for m in whole if isinstance(step := m.data.get("step"), int)]
    planned = [plan for m in (*whole, *started) if isinstance(plan := m.data.get("planned"), int) and plan > 0]
    if not whole:
        return None, max(planned, default=None)
    epochs = [e for m in whole if isinstance(e := m.data.get("epochs"), int)]
    restarts = any(s.name == "step" and _falls(s.values) for s in series) and bool(epochs)
    if restarts:  # "Epoch 2/3, step 10/100": the step counts within an epoch
        per = max(planned, default=0)
        epoch = max((float(e) for m in whole if isinstance(e := m.data.get("epoch"), (int, float))), default=1.0)
        last = next((step for m in reversed(whole) if isinstance(step := m.data.get("step"), int)), None)
        return (int((epoch - 1) * per + (last or 0)), per * max(epochs)) if per else (None, None)
    return max(steps, default=None), max(planned, default=None)


def _one_epoch(marks: list[Evidence], series: tuple[Series, ...]) -> list[Evidence]:
    """All marks, where they count one epoch to its end and nobody names any: Keras tells which epoch it is only where there are several."""
    counts = [s.values for s in series if s.name == "step"]
    whole = bool(marks) and marks[-1].data.get("step") == marks[-1].data.get("planned")
    if any("epoch" in m.data or "epochs" in m.data for m in marks) or len(counts) != 1 or not whole:
        return []
    return marks if all(before < after for before, after in itertools.pairwise(counts[0])) else []


def _falls(values: tuple[float, ...]) -> bool:
    return any(after < before for before, after in itertools.pairwise(values))


def _step_seconds(series: tuple[Series, ...]) -> float | None:
    """Median seconds of a step, from the longest timed step series."""
    best: list[float] = []
    for one in series:
        if one.name not in {"step", "loss"} or len(one.steps) <= len(best) + 1:  # then it cannot be longer
            continue
        points = [(t, s) for t, s in zip(one.times_ns, one.steps, strict=False) if t is not None and s is not None]
        each = [(t2 - t1) / 1e9 / (s2 - s1) for (t1, s1), (t2, s2) in itertools.pairwise(points) if s2 > s1 and t2 > t1]
        if len(each) > len(best):
            best = each
    return statistics.median(best) if best else None


def _rated_seconds(ends: tuple[Evidence, ...]) -> float | None:
    """Mean seconds of a step by the rate that transformers' Trainer tells at its end: its lines may count epochs alone."""
    rates = [rate for e in ends if isinstance(rate := e.data.get("train_steps_per_second"), (int, float)) and rate > 0]
    return 1 / rates[-1] if rates else None


_STEP_NAME = re.compile(r"(?:step|iter(?:ation)?|update|batch|checkpoint)[_=-]?0{0,9}(\d{1,12})(?![\d])", re.IGNORECASE)


_SAVED_AS = re.compile(
    r"(?:step|iter(?:ation)?|update|batch|checkpoint|ckpt|epoch|ep|model|state|weights|snap(?:shot)?)[_=. -]?0{0,9}(\d{1,12})(?![\d])",
    re.IGNORECASE,
)
"""The same, and where what is counted may be epochs."""


def saved_step(saved: Evidence) -> int | None:
    """The step that a save's own name has (``step_00120.pt``, ``checkpoint-500``); None where it counts epochs or nothing."""
    found = _STEP_NAME.findall(saved.source.text) if isinstance(saved.source, Quote) else []
    return int(found[-1]) if found else None


def paced(one: Series) -> list[tuple[int, int]]:
    """(ns, count) of a series' points with a time: the step that each names; where none is named (lines of epochs alone), the lines themselves."""
    timed = [(t, s) for t, s in zip(one.times_ns, one.steps, strict=False) if t is not None]
    named = [(t, s) for t, s in timed if s is not None]
    return named or [(t, number) for number, (t, _) in enumerate(timed)]


def _interval_seconds(series: tuple[Series, ...]) -> float | None:
    """Median seconds between two points of the longest timed series."""
    best: list[int] = []
    for one in series:
        if one.name in {"step", "loss"} and len(one.times_ns) > len(best) + 1:  # else it cannot be longer
            points = [(t, s) for t, s in itertools.zip_longest(one.times_ns, one.steps[: len(one.times_ns)]) if t is not None]
            # the same step is another rank's
            each = [then - t for (t, s), (then, step) in itertools.pairwise(points) if then >= t and (s is None or s != step)]
            best = each if len(each) > len(best) else best
    return statistics.median(best) / 1e9 if best else None


def by_log(said: Iterable[Evidence]) -> list[list[Evidence]]:
    """What was quoted, log by log, each in the order given: several ranks, and the script, may tell of the same."""
    files: dict[tuple[str | None, str], list[Evidence]] = {}
    for one in said:
        if isinstance(one.source, Quote):
            files.setdefault((one.where.node, one.source.file), []).append(one)
    return list(files.values())


def _between(marks: list[Evidence]) -> list[float]:
    """Seconds between the lines of progress of that writer who has most of them: where no series of steps or losses tells the rhythm."""
    timed = by_log(mark for mark in marks if mark.time_ns is not None)
    best = [mark.time_ns for mark in max(timed, key=len, default=[]) if mark.time_ns is not None]
    return [(after - before) / 1e9 for before, after in itertools.pairwise(sorted(best))] if len(best) >= LEAST_LINES else []


def _longest_seconds(series: tuple[Series, ...]) -> float | None:
    """The longest time between two points of one timed series."""
    longest: list[int] = []
    for one in series:
        if one.name in {"step", "loss"}:
            times = [t for t in one.times_ns if t is not None]
            longest.append(max(map(operator.sub, times[1:], times), default=0))
    return max(longest) / 1e9 if longest else None


def _metrics(evidence: tuple[Evidence, ...], series: tuple[Series, ...], loss: Series | None) -> dict[str, float]:
    found: dict[str, float] = {}
    for name in METRICS:
        longest = max((s for s in series if s.name == name and s.values), key=lambda s: s.points_seen, default=None)
        if longest is not None:
            found[name] = longest.values[-1]
    if loss is not None:
        found["loss"] = loss.values[-1]
    for said in evidence:
        if said.says == "metrics":
            metric, value = said.data.get("name"), said.data.get("value")
            if isinstance(metric, str) and isinstance(value, float):
                found[metric] = value
            elif "name" not in said.data:
                found.update({k: float(v) for k, v in said.data.items() if isinstance(v, float) and k.startswith("eval_") and len(k) < 40})
        elif said.says == "planned_end":
            found.update(
                {
                    k: float(v)
                    for k, v in said.data.items()
                    if isinstance(v, float) and k in {"train_loss", "train_runtime", "train_samples_per_second"}
                }
            )
    return {k: v for k, v in found.items() if math.isfinite(v)}


def learned(loss: Series | None) -> str:
    """``learned`` when the last third of the loss lies below the first third, ``failed`` when it ends non-finite, else ``unverifiable``."""
    if loss is None:
        return "unverifiable"
    if len(loss.values) >= 2 and not math.isfinite(loss.values[-1]) and not math.isfinite(loss.values[-2]):
        return "failed"
    numbers = finite(loss.values)
    third = len(numbers) // 3
    if third < 2:
        return "unverifiable"
    return "learned" if statistics.median(numbers[-third:]) < statistics.median(numbers[:third]) * 0.98 else "unverifiable"


def _count(mark: Evidence) -> tuple[float, int] | None:
    """Epoch (of counts that begin anew with each) and step of a line of progress; None where it has no step."""
    step, epoch = mark.data.get("step"), mark.data.get("epoch")
    if not isinstance(step, int):
        return None
    within = mark.data.get("per_epoch") or "epochs" in mark.data
    return (float(epoch) if within and isinstance(epoch, (int, float)) else 0.0, step)


def _later(mark: Evidence, error: Evidence) -> bool:
    """Surely later, by arrival and its uncertainty."""
    if mark.time_ns is None or error.time_ns is None:
        return False
    return mark.time_ns > error.time_ns + (mark.uncertainty_ns or 0) + (error.uncertainty_ns or 0)


def _offset(evidence: Evidence) -> int:
    return evidence.source.offset if isinstance(evidence.source, Quote) else -1


def _same_file(one: Evidence, other: Evidence) -> bool:
    return (
        isinstance(one.source, Quote)
        and isinstance(other.source, Quote)
        and one.source.file == other.source.file
        and one.where.node == other.where.node
    )
