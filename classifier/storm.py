"""How often a run saved, and how much of its time went there: by what the saves' lines say and by when they came."""

from __future__ import annotations

import itertools
import re
import statistics
from collections.abc import Sequence

from gpualert_slurm.classifier.advance import Advance, by_log, paced, saved_step
from gpualert_slurm.classifier.tongues import PASSES
from gpualert_slurm.evidence import Evidence, Quote

MIN_SPANS = 10
"""Spans of time between two lines of progress from which a usual one is told."""
STORM_TIME = 0.2
"""A fifth of the time in saves is a storm."""
LEAST_SAID = 3
"""Saves that say how long they took, from which the others' are told."""
MOST_UNLIKE = 5.0
"""A save may have held the run up so many times longer than the middle one of them."""
LEAST_PAIRS, MOST_PAIRED = 5, 0.4
"""Of the saves that are told to begin, so many are told to be done before there is more progress: of lines that come twice a save, half are kept."""
LONG_S = 2.0
"""What is counted under no word for steps and takes longer may be a pass over the data."""
LONGEST_SAVE_S = 36_000.0
_TOOK = re.compile(
    r"(?:\b(?:in|took|after|for|needed|within|blocked|dauerte|en)\b|[(\[,;|:-])\s{0,3}(?:about |~|≈)?(?P<value>\d{1,6}(?:[.,]\d{1,6})?)\s?"
    r"(?P<unit>ms|milliseconds|s|secs?|seconds?|Sekunden|secondes|segundos)\b"
    r"|['\"]?\b(?:(?:save|ckpt|checkpoint|write|snapshot|io|wall|dt|took|dur(?:ation)?|elapsed|time|cost|blocked)[ _]?(?:in|time|took)?[_ ]?"
    r"(?P<key>s|secs?|seconds?|ms|sec)?|(?P<bare>s|secs?|seconds?|ms))['\"]?\s?[:=]\s?['\"]?(?P<said>\d{1,6}(?:\.\d{1,6})?)(?P<after>ms|s)?\b",
    re.IGNORECASE,
)
_BEHIND = re.compile(r"async|background|\bthread", re.IGNORECASE)
"""What is written behind the run's back is not waited for."""
_OF_PASS = re.compile(
    r"(?<![\w.])(?P<at>\d{1,9}) ?(?:of|/) ?\d{1,9}\b|\b(?:batch|step|it(?:er(?:ation)?)?|update)[ _#=]{0,2}(?P<no>\d{1,9})\b", re.IGNORECASE
)
_PASS = re.compile(rf"\b(?:pass|generation|gen|round|sweep|cycle|turn|chunk|{PASSES})\b", re.IGNORECASE)
_JUDGED = re.compile(r"(?<![A-Za-z])(?:val(?:id(?:ation)?)?|va|dev|test|eval(?:uation)?|held[- ]?out)(?![A-Za-z])", re.IGNORECASE)
_PART = re.compile(r"\b(\d{1,6}-of-\d{1,6})\b")
_BEGINS = re.compile(r"\b(?:saving|writing|storing|dumping|persisting|checkpointing|start\w*|begin\w*)\b", re.IGNORECASE)
_ENDS = re.compile(r"\b(?:saved|wrote|written|stored|dumped|persisted|done|finish\w*|complete\w*)\b", re.IGNORECASE)


def saves_counted(go: Advance) -> int:
    """How many saves the run made: of one log (several ranks save together, a script's log repeats), each save once that is told twice."""
    return max((_in_one(those) for those in by_log(go.saved) if not _parts_of_one(those)), default=0)


def _parts_of_one(those: Sequence[Evidence]) -> bool:
    """Whether they are the parts of one state: ``model-00003-of-00006.safetensors``."""
    texts = [e.source.text for e in those if isinstance(e.source, Quote)]
    parts = [found[1] for text in texts if (found := _PART.search(text)) is not None]
    return len(parts) == len(texts) > 1 and len(set(parts)) == len(parts)


def _in_one(those: Sequence[Evidence]) -> int:
    kinds: dict[tuple[str | None, int | None], list[Evidence]] = {}
    for e in those:
        kinds.setdefault((e.pattern, e.where.rank), []).append(e)
    counts, begins = [], list[int]()
    for kind in kinds.values():
        seen = max(len(kind), *(int(e.data.get("seen", 1)) for e in kind))
        begun = sum(_only(e, _BEGINS, _ENDS) for e in kind)
        ended = sum(_only(e, _ENDS, _BEGINS) for e in kind)
        twice = begun > 1 and abs(begun - ended) <= 1 and begun + ended >= len(kind) - 1
        counts.append((seen + 1) // 2 if twice else seen)
        if begun == len(kind) >= LEAST_SAID:
            begins.append(seen)
    most = max(counts)
    return next((n for n in begins if most % n == 0), most)  # of each save more than one line says that it is done


def _only(e: Evidence, words: re.Pattern[str], others: re.Pattern[str]) -> bool:
    text = e.source.text if isinstance(e.source, Quote) else ""
    return words.search(text) is not None and others.search(text) is None


def one_by_one(go: Advance) -> bool:
    """Whether one log's saves name one step after the other, by words for steps: they may begin anew with each epoch."""
    logs = ([step for e in those if isinstance(step := e.data.get("step"), int)] for those in by_log(go.saved))
    steps = max(logs, key=len, default=[])
    steps = [step for step, _ in itertools.groupby(steps)]  # a save may be told by two lines
    by_one = sum(b == a + 1 for a, b in itertools.pairwise(steps))
    return by_one >= MIN_SPANS and by_one >= 0.75 * (len(steps) - 1)


def each_batch(go: Advance) -> bool:
    """Whether one log's saves tell the batch within each pass, one after the other and from the first again with the next: ``step.pt (7 of 15)``."""
    logs = ((_OF_PASS.search(e.source.text) for e in those if isinstance(e.source, Quote)) for those in by_log(go.saved))
    counts = max(([int(found["at"] or found["no"]) for found in log if found] for log in logs), key=len, default=[])
    pairs = list(itertools.pairwise(counts))
    return sum(b == a + 1 for a, b in pairs) >= max(MIN_SPANS, 0.75 * len(pairs)) and any(b < a for a, b in pairs)


def whole_passes(go: Advance) -> bool:
    """Whether what is counted, under no word for steps, is judged on other data each time: passes over the data, after which a save is no storm."""
    texts = [e.source.text for e in go.marks if isinstance(e.source, Quote) and e.data.get("coarse")]
    if not texts or len(texts) < len(go.marks):
        return False
    points = _points(go)
    apart = points[-1][1] - points[0][1] if points else 0
    long = apart > 0 and (points[-1][0] - points[0][0]) / 1e9 > LONG_S * apart and all(_PASS.search(text) for text in texts)
    return long or sum(_JUDGED.search(text) is not None for text in texts) >= 0.9 * len(texts)


def step_of(save: Evidence) -> int | None:
    """The step that a save names, in its words or in its file's name."""
    step = save.data.get("step")
    return step if isinstance(step, int) else saved_step(save)


def seconds(save: Evidence) -> float | None:
    """How long a save took by its own line; the last number with a unit of time."""
    text = save.source.text if isinstance(save.source, Quote) else ""
    if _BEHIND.search(text):
        return None
    found = list(_TOOK.finditer(text, _judged_first(text)))
    if not found:
        return None
    last = found[-1]
    value = float((last["value"] or last["said"]).replace(",", "."))
    unit = (last["unit"] or last["key"] or last["bare"] or last["after"] or "s").lower()
    return value / 1000 if unit.startswith(("ms", "milli")) else value


def _judged_first(text: str) -> int:
    """Where a line tells of its save, if it tells before of another thing that took time: ``eval 0.91 (20 s), saved best.pt``; else 0."""
    judged, ends = _JUDGED.search(text), _ENDS.search(text)
    return ends.start() if judged is not None and ends is not None and judged.start() < ends.start() and _TOOK.search(text[: ends.start()]) else 0


def share_said(go: Advance, saves: int, whole_s: float | None) -> float | None:
    """The share of the run's time that its saves say they took; None where they say nothing, or tell the time since its start."""
    took = [s for e in go.saved if (s := seconds(e)) is not None]
    if len(took) < LEAST_SAID or not whole_s or max(took) > LONGEST_SAVE_S:
        return None
    clock = all(a < b for a, b in itertools.pairwise(took)) and took[-1] > 2 * took[0]
    total = statistics.fmean(took) * saves
    return None if clock or total > 1.05 * whole_s else total / whole_s


def share_between(go: Advance) -> float | None:
    """The share of the time from one save to the next between a line that it begins and the last one that it is done; None: no pairs are told.

    Progress told in between means that it was saved while the run went on, and so do words for it.
    """
    those = max(by_log(go.saved), key=len, default=())
    timed = sorted((e for e in those if e.time_ns is not None), key=lambda e: e.time_ns or 0)
    marks = sorted(m.time_ns for m in go.marks if m.time_ns is not None)
    ends: dict[int, int] = {}
    begun: list[int] = []
    for e in timed:
        at = e.time_ns or 0
        if _only(e, _BEGINS, _ENDS):
            begun.append(at)
        elif begun and _only(e, _ENDS, _BEGINS) and not any(begun[-1] < m <= at for m in marks):
            ends[begun[-1]] = at
    apart = [b - a for a, b in itertools.pairwise(begun)]
    if any(_BEHIND.search(e.source.text) for e in timed if isinstance(e.source, Quote)):
        return None
    if len(ends) < max(LEAST_PAIRS, MOST_PAIRED * len(begun)) or len(marks) < MIN_SPANS or not apart:
        return None
    return min(1.0, statistics.median(end - begin for begin, end in ends.items()) / max(1.0, statistics.median(apart)))


def share_seen(go: Advance, saves: int) -> float | None:
    """The share of the training that steps with a save took longer than the usual step; None without times."""
    alone = (e for e in go.saved if not (isinstance(e.source, Quote) and _judged_first(e.source.text)))
    at = sorted(e.time_ns for e in alone if e.time_ns is not None)
    points = _points(go)
    if not points or not at:
        return None
    spans = [(a, b, (b - a) / (n - m)) for (a, m), (b, n) in itertools.pairwise(points) if n > m and b > a]
    if len(spans) < MIN_SPANS:
        return None
    usual = statistics.median(each for _, _, each in spans)
    loads = [e.time_ns for e in go.loaded if e.time_ns is not None]  # it was stopped there, and came again
    spans = [(a, b, each) for a, b, each in spans if not any(a < t <= b for t in loads)]
    extra = [max(0.0, each - usual) * ((b - a) / each) for a, b, each in spans if any(a < t <= b for t in at)]
    whole = points[-1][0] - points[0][0]
    if len(extra) < LEAST_SAID:
        return None
    most = MOST_UNLIKE * statistics.median(extra)  # one long pause beside a save is another's doing
    extra = [min(most, one) for one in extra]
    return min(1.0, statistics.fmean(extra) * saves / whole) if whole > 0 and saves <= 10 * len(at) else None


def _points(go: Advance) -> list[tuple[int, int]]:
    """(ns, step) of the longest series of steps, each step when it was first told: a save may tell it once more."""
    timed = [s for s in go.series if s.name in {"step", "loss"} and len(s.values) >= 2 * MIN_SPANS]
    best = max(timed, key=lambda s: len(s.values), default=None)
    return [next(same) for _, same in itertools.groupby(paced(best), key=lambda point: point[1])] if best is not None else []
