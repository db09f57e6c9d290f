"""A run's own account of its time, by how its lines are built: parts of a step, a pass or the whole run, told beside each other.

Lines (``line_times.py``) alike but for their numbers tell their share together, less the first one and the longest: a first batch is waited for by
every run. Of those that tell all so far, the last one counts. Their times must make up a fair part of the time that the run advanced: what is rare
took no time, and what comes to more is of something else. Numbers without a unit are seconds only where they make up the time between their lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from gpualert_slurm.classifier.account_lines import LEAST_LINES, TimedLine, grows, later_ones, of_passes, steady
from gpualert_slurm.classifier.alike import is_clock, left_out
from gpualert_slurm.classifier.breakdown import broken_down
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.line_times import Part, kind_before, parts_of
from gpualert_slurm.classifier.partition import lasts, partition
from gpualert_slurm.classifier.saves import judged
from gpualert_slurm.classifier.starvation import of_time, starvation
from gpualert_slurm.classifier.time_columns import in_columns, rows_of_table
from gpualert_slurm.classifier.time_kinds import LOAD, NONE, OF_MACHINE, PEERS, REST, SAVE, TALK, WAIT, WHOLE, WORK
from gpualert_slurm.evidence import Quote

LEAST_TRIMMED = 5
MOST_TEXT, MOST_LINE, MOST_LINES = 96 * 1024, 400, 3000
COVERS, MOST_COVERS = 0.3, 1.4
"""Of the time that the run advanced, what the lines tell together: at least, and at most."""
BARE_COVERS, LONGER = 0.6, 1.2
INSIDE = 1.02
LAST_PART = 0.25
"""Of a log's lines: a line that sums up stands behind the others."""
LAST_LINES, LEAST_WHOLE_S = 12, 1.0
MOST_ROWS, MOST_COLUMNS = 12, 80
MOSTLY = 0.6
"""Of the run's time, in what is loaded and not said to be waited for."""
_SEVERAL = re.compile(
    r"(?<![A-Za-z])(?:workers?|threads?|process(?:es)?|ranks?|prefetch\w*|ahead|queue\w*|cach\w*|eval\w*|valid\w*"
    r"|test)(?![A-Za-z])", re.IGNORECASE
)
"""Who loads are others than who trains, or it is loaded for something else."""
LEAST_ALONE, MOST_ALONE, MOST_OF_PASSES = 6, 1.1, 0.6
"""Lines of one time alone; and of the run's time what they come to at most, those that name a pass less: it may be the pass's own."""
_OF_PASS = re.compile(r"\b(?:epochs?|pass(?:es)?|rounds?|Epoche|Runde|[ée]poque|[ée]poca|epoka)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_WHOLE_NUMBER = re.compile(r"(?<![\w.,:/-])\d{1,9}(?![\w.,:])|(?<![\w.,:/-])\d{1,9}(?=\s?/\s?\d|[,:;]\s|\s|\Z)")
_SAVES_BESIDE = re.compile(r"async\w{0,12}[ _-]?(?:save|checkpoint|ckpt)|background (?:save|writ)|save_finalize", re.IGNORECASE)
"""The run's saves are written while it goes on."""
_RANGE = re.compile(r":(\d{1,7})-(\d{1,7}) ?batch\b")
_SHARE_OF = re.compile(r"(?:share|fraction|part|percent(?:age)?|pct)[ _]of[ _]|[ _](?:share|fraction|frac)\b", re.IGNORECASE)
_PROFILED = re.compile(
    r"train_dataloader_next\s{0,300}\|\s{0,40}[\d.e-]{1,14}\s{0,40}\|\s{0,40}\d{1,12}\s{0,40}\|\s{0,40}(?P<total>\d{1,9}(?:\.\d{1,9})?)\s{0,40}"
    r"\|\s{0,40}(?P<share>\d{1,3}(?:\.\d{1,6})?)\s{0,40}\|"
)
_BAR = re.compile(r"\A[^|\n]{0,60}\d{1,3}%\|[^|\n]{0,200}\|\s{0,8}\d{1,12}/\d{1,12} \[[^\]\n=]{0,80}\](?:\x1b\[A)?")
"""A bar that was drawn before a line was written behind it."""
_NOT_SO = re.compile(
    r"(?<![A-Za-z])(?:not(?! (?:keep|fast|ready|feed))|raise|\w{0,40}Error|attempts?|retr(?:y|ied|ies|ying)"
    r"|fail\w{0,4}|time-?out|limit|skip\w{0,4}|traceback)(?![A-Za-z])"
)


_BESIDE_TIME = re.compile(r"(?<!\w)(?:iter[_ ]?)?time: ?\d{1,6}\.\d{2,6}(?: \(\d{1,6}\.\d{1,6}\))?\s{1,4}data: ?\d{1,6}\.\d{2,6}(?![\w.])")
"""torchvision's MetricLogger, and the many scripts that came of it: a step's time, and what of it was waited for the loader."""


@dataclass(frozen=True)
class Told:
    """The ``share`` of the time, of how many seconds (None: not told), by a line that says so."""

    share: float
    whole_s: float | None
    said: str
    count: int = 0
    """Lines that each tell one such time alone."""


def account(facts: Facts, kinds: frozenset[str]) -> Told | None:
    """The largest share that one of the run's logs tells of ``kinds``; None where none tells any."""
    span, found = _Span(_span_s(facts), _steps_a_line(facts), facts.crew if facts.ranks_total < 2 else 1), list[Told]()
    for text, times_as_long in _logs(facts):
        span = replace(span, left_out=times_as_long)
        lines = [_BAR.sub("", line, count=1) for line in text[-MOST_TEXT:].splitlines()[-MOST_LINES:]]
        short = ((at, line) for at, line in enumerate(lines) if len(line) <= MOST_LINE)
        told = [(at, line, parts) for at, line in short if (parts := parts_of(line)) and not _NOT_SO.search(line) and not lasts(line)]
        if SAVE in kinds and _SAVES_BESIDE.search(text):
            continue
        found += [*_again_and_again(told, kinds, span), *_by_themselves(told, kinds, trained_s(facts))]
        found += [*_summed_up(told, kinds, span.seconds, len(lines)), *_in_rows(told, kinds, span.seconds, len(lines))]
        rows = [line for at, row, parts in rows_of_table(lines) if (line := _of_line(at, row, parts, kinds)) is not None]
        if len(rows) >= LEAST_LINES and (one := _together(rows, span)) is not None:
            found.append(one)
        found += [Told(share, None, row) for share, row in (*in_columns(lines[-MOST_COLUMNS:], kinds), *broken_down(lines, kinds))]
        found += [Told(one.share, one.whole_s, one.said) for one in partition([text[-MOST_TEXT:]], span.seconds, span.steps, kinds)]
        if LOAD in kinds:
            found += [Told(one.share, one.whole_s or None, one.said) for one in starvation(text[-MOST_TEXT:], span.seconds)]
        found += [_profiled(row, line) for line in lines if LOAD in kinds and (row := _PROFILED.search(line)) is not None]
    return max(found, key=lambda one: (round(one.share, 3), one.whole_s is not None), default=None)


def _profiled(row: re.Match[str], line: str) -> Told:
    """A row of Lightning's simple profiler (2.x): the mean, the calls, the total in seconds and its percent of the whole."""
    share = min(1.0, float(row["share"]) / 100)
    return Told(share, float(row["total"]) / share if share else None, " ".join(line.split()))


@dataclass(frozen=True)
class _Span:
    """The time in which the run advanced, and how many steps there are from one line of progress to the next."""

    seconds: float | None
    steps: float
    tellers: int = 1
    """Ranks that tell their times in one log, each its own."""
    left_out: float = 1.0
    """How many times as long the log is as what is known of it."""


def _steps_a_line(facts: Facts) -> float:
    between, each = facts.advance.interval_s, facts.advance.step_s
    return float(max(1, round(between / each))) if between and each else 1.0


def _logs(facts: Facts) -> Iterator[tuple[str, float]]:
    """The ranks' logs, or the script's where no rank has any, and how many times as long each is as what is known of it."""
    excerpts = [one for report in facts.job.reports for one in report.excerpts]
    ranks = [one for one in excerpts if one.where.local_rank is not None and one.where.step not in {"batch", "extern"}]
    yield from ((one.text, left_out(one)) for one in ranks or excerpts)


def worth_telling(facts: Facts, total_s: float, *, of_one: bool) -> bool:
    """Whether times that come to ``total_s`` are a fair part of the time that the run advanced, or (``of_one``) of one of its steps, or lines."""
    span_s = _span_s(facts)
    if not span_s or max(1.0, _steps_a_line(facts)) * total_s >= COVERS * span_s:
        return True
    return of_one and any(one and total_s >= 0.5 * one for one in (facts.advance.step_s, facts.advance.interval_s))


def _span_s(facts: Facts) -> float | None:
    """Seconds in which the run advanced."""
    times = sorted({m.time_ns for m in facts.advance.marks if m.time_ns is not None and isinstance(m.source, Quote)})
    if len(times) >= LEAST_LINES:
        return (times[-1] - times[0]) / 1e9 * len(times) / (len(times) - 1)
    return facts.ending.elapsed_s


def trained_s(facts: Facts) -> float | None:
    """Seconds from the first line of progress or of a save to the last; where their times are not known, of the whole run."""
    times = sorted({m.time_ns for m in (*facts.advance.marks, *facts.advance.saved) if m.time_ns is not None and isinstance(m.source, Quote)})
    return (times[-1] - times[0]) / 1e9 * len(times) / (len(times) - 1) if len(times) >= LEAST_ALONE else facts.ending.elapsed_s


def _by_themselves(told: Sequence[tuple[int, str, Sequence[Part]]], kinds: frozenset[str], span_s: float | None) -> Iterator[Told]:
    """Lines alike that each tell one time alone, against the time in which the run advanced: of a wait only those that say that they waited."""
    alone: dict[str, list[tuple[float, str]]] = {}
    for _, text, parts in told:
        timed = [one for one in parts if not one.share and not one.bare]
        if len(timed) != 1 or timed[0].each:
            continue
        part = timed[0]
        kind, waited = (part.kind, part.waits) if part.kind not in {NONE, WHOLE} else kind_before(text)
        if part.kind in {NONE, WHOLE} and kind == LOAD and not waited:
            continue
        if kind == SAVE and judged(text):
            continue
        if kind in kinds and (kind == SAVE or waited or (kind == LOAD and not _SEVERAL.search(text))):
            alone.setdefault(_NUMBER.sub("#", text), []).append((part.seconds, text))
    for lines in alone.values():
        took = [seconds for seconds, _ in lines]
        if span_s is None or span_s <= 0 or len(lines) < LEAST_ALONE or len({line for _, line in lines}) < 2 or is_clock(took):
            continue
        share = (sum(took) - max(took)) / span_s
        mostly = share >= MOSTLY or any(kind_before(line)[1] for _, line in lines) or SAVE in kinds
        if mostly and share <= MOST_ALONE and not (_OF_PASS.search(lines[-1][1]) and share > MOST_OF_PASSES):
            yield Told(min(1.0, share), span_s, lines[-1][1].strip(), len(lines))


def _of_line(at: int, text: str, parts: Sequence[Part], kinds: frozenset[str]) -> TimedLine | None:
    """What one line tells of ``kinds`` beside the work, or the whole; None where it tells no such thing."""
    shares = [one for one in parts if one.share]
    part = sum(one.seconds for one in shares if one.kind in kinds)
    if part and len(shares) == 1 and part <= INSIDE and _SHARE_OF.search(text) is not None:
        return TimedLine(part, 1.0, bare=False, each=True, text=text, at=at, share=True)
    alone = any(one.waits for one in shares if one.kind in kinds)
    if part and (0.85 <= sum(one.seconds for one in shares) <= INSIDE or alone):
        whole = max((one.seconds for one in parts if not one.share and one.kind in {WHOLE, NONE}), default=0.0)
        if part > INSIDE or OF_MACHINE.search(text) or (len(shares) == 1 and not of_time(text)):
            return None
        return TimedLine(part * (whole or 1.0), whole or 1.0, bare=False, each=not whole, text=text, at=at, share=not whole)
    timed = [one for one in parts if not one.share]
    ours = [one for one in timed if one.kind in kinds]
    if not ours or (_of_another(timed, ours) and not _BESIDE_TIME.search(text)):
        return None
    part = sum(one.seconds for one in ours)
    work = sum(one.seconds for one in timed if one.kind in {WORK, REST, LOAD, SAVE, TALK, PEERS, WAIT} and one.kind not in kinds)
    named = _nearest_whole([one for one in timed if one.kind == WHOLE], part)
    unnamed = max((one.seconds for one in timed if one.kind == NONE), default=0.0)
    if "batch-generator" in text and "forward-compute" in text and part < work:
        work -= part  # Megatron-LM's lies within it
    if named >= part / INSIDE and named > 0:
        whole = max(named, part)
    elif work > 0:
        whole = part + work
    elif unnamed >= part / INSIDE and unnamed > 0:
        whole = max(unnamed, part)
    elif named > 0:
        whole = part + named  # ``data 0.41s | step 0.09s``
    elif unnamed > 0 and any(one.waits for one in ours):
        whole = part + sum(one.seconds for one in timed if one.kind == NONE)  # a wait beside something in words of the run's own
    else:
        return None
    bare = all(one.bare for one in timed)
    return TimedLine(part, whole, bare, each=any(one.each for one in ours), text=text, at=at, named=named == whole > part)


def _nearest_whole(wholes: Sequence[Part], part: float) -> float:
    """The whole that a part is of: where a pass's time and a clock are told beside each other, the shortest that holds it."""
    holding = [one for one in wholes if one.seconds >= part / INSIDE]
    told = [one for one in holding if not one.bare] or holding
    return min((one.seconds for one in told), default=max((one.seconds for one in wholes), default=0.0))


def _of_another(timed: Sequence[Part], ours: Sequence[Part]) -> bool:
    """Whether what was loaded or saved was for something else than the training; or may be a loss: ``data 0.83 | 1.1 s``."""
    part = sum(one.seconds for one in ours)
    for_rest = any(one.kind == REST and one.seconds >= part for one in timed) and not any(one.kind in {WORK, WHOLE} for one in timed)
    all_bare = all(one.bare for one in timed)
    return for_rest or (not all_bare and any(one.bare and one.kind == LOAD and not one.mean and not one.waits for one in ours))


def _again_and_again(told: Sequence[tuple[int, str, Sequence[Part]]], kinds: frozenset[str], span: _Span) -> Iterator[Told]:
    """Lines alike that each tell the parts of their own time, or of all the time so far; and pairs of lines, one of the part and one of the rest."""
    groups: dict[str, list[TimedLine]] = {}
    alone: dict[str, list[tuple[Part, int, str]]] = {}
    for at, text, parts in told:
        key = _NUMBER.sub("#", text).replace(" ", "")
        if (line := _of_line(at, text, parts, kinds)) is not None:
            groups.setdefault(key, []).append(line)
        elif len(timed := [one for one in parts if not one.share and one.seconds > 0 and not (one.bare and one.kind == NONE)]) == 1:
            alone.setdefault(key, []).append((timed[0], at, text))
    for lines in groups.values():
        if len(lines) >= LEAST_LINES and (one := _together(lines, span)) is not None:
            yield one
    for lines in _paired(alone, kinds):
        if (one := _together(lines, span)) is not None:
            yield one


def _paired(alone: dict[str, list[tuple[Part, int, str]]], kinds: frozenset[str]) -> Iterator[list[TimedLine]]:
    """Lines of one time each, of which one kind tells the part and another, close by and as often, the work or the whole."""
    ours = [lines for lines in alone.values() if len(lines) >= LEAST_LINES and lines[0][0].kind in kinds]
    others = [lines for lines in alone.values() if len(lines) >= LEAST_LINES and lines[0][0].kind in {WORK, WHOLE, NONE}]
    for mine in ours:
        for other in others:
            if abs(len(mine) - len(other)) > 1 or mine[0][0].bare != other[0][0].bare:
                continue
            pairs = list(zip(mine, other, strict=False))
            if any(abs(a[1] - b[1]) > MOST_ROWS for a, b in pairs):
                continue
            work = other[0][0].kind == WORK
            if not work and any(a[0].seconds > INSIDE * b[0].seconds for a, b in pairs):
                continue
            yield [
                TimedLine(a.seconds, b.seconds + (a.seconds if work else 0.0), bare=a.bare, each=a.each, text=text, at=at)
                for (a, at, text), (b, _, _) in pairs
            ]


def _together(lines: Sequence[TimedLine], span: _Span) -> Told | None:
    """The share that lines alike tell together."""
    last = lines[-1]
    if min(line.whole for line in lines) <= 0:
        return None
    if all(line.share for line in lines):
        return Told(min(1.0, sum(line.part for line in lines[1:]) / (len(lines) - 1)), None, last.text.strip())
    if grows(lines):
        return _so_far(lines, span.seconds)
    return _each_its_own(passes if len(passes := of_passes(lines)) > 1 else lines, span)


def _so_far(lines: Sequence[TimedLine], span_s: float | None) -> Told | None:
    first, last = lines[0], lines[-1]
    if last.bare or not (span_s is None or COVERS * span_s <= last.whole <= MOST_COVERS * span_s):
        return None
    begin = first if first.whole < 0.5 * last.whole else None
    part, whole = (last.part - begin.part, last.whole - begin.whole) if begin is not None else (last.part, last.whole)
    return Told(min(1.0, part / whole), whole, last.text.strip())


def _each_its_own(lines: Sequence[TimedLine], span: _Span) -> Told | None:
    total, times, last = sum(line.whole for line in lines), 1.0, lines[-1]
    if last.bare and not (span.seconds and steady([line.part for line in lines]) and steady([line.whole for line in lines])):
        return None
    if span.seconds:
        least = BARE_COVERS if last.bare else COVERS
        later = total - lines[0].whole  # the first may lie before the first progress: what compiles, and reads its files for the first time
        sums = (total, later) if len(lines) > LEAST_LINES else (total,)
        sums = (*sums, *(one * span.left_out for one in sums)) if span.left_out > LONGER else sums
        steps = sorted({*_steps_apart(lines), span.steps})
        fits = [many for many in steps if any(least <= many * one / span.seconds <= MOST_COVERS for one in sums)]
        fits = fits or [many for many in (one / span.tellers for one in steps) if least <= many * total / span.seconds <= MOST_COVERS]
        ideal = span.seconds / total if total > 0 else 0.0
        if not fits and last.named and not last.bare and 1 <= ideal <= max(steps):
            fits = [ideal]  # each line tells of one step of the many that lie between two
        if not fits:
            return None
        times = fits[-1] if last.each or last.bare else fits[0]
    counted = later_ones(lines)
    if len(counted) > LEAST_LINES and counted[0] is lines[0]:
        counted = counted[1:]
    if len(counted) >= LEAST_TRIMMED - 1:
        counted.remove(max(counted, key=lambda line: line.part))
    part, whole = sum(line.part for line in counted), sum(line.whole for line in counted)
    more = span.left_out if span.left_out > LONGER else 1.0
    return Told(min(1.0, part / whole), min(span.seconds, total * times * more) if span.seconds else None, last.text.strip())


def _steps_apart(lines: Sequence[TimedLine]) -> list[float]:
    """How many steps a line may be of: one, or what a count in it grows by from line to line."""
    rows = [[int(found[0]) for found in _WHOLE_NUMBER.finditer(line.text)] for line in lines]
    width = min(len(row) for row in rows)
    found = {1.0, *(float(one[2]) - float(one[1]) + 1 for line in lines[:1] if "train_time=" in line.text and (one := _RANGE.search(line.text)))}
    for place in range(width):
        apart = [b[place] - a[place] for a, b in pairwise(rows)]
        usual = max(set(apart), key=apart.count)
        if usual > 1 and apart.count(usual) >= 0.6 * len(apart):
            found.add(float(usual))
    return sorted(found)


def _summed_up(told: Sequence[tuple[int, str, Sequence[Part]]], kinds: frozenset[str], span_s: float | None, lines: int) -> Iterator[Told]:
    """One line near a log's end that tells where all the time went, or that of each step."""
    first = lines - max(LAST_LINES, round(LAST_PART * lines))
    seen = Counter(_NUMBER.sub("#", text) for _, text, _ in told)
    for at, text, parts in told:
        if at < max(first, LEAST_LINES) or seen[_NUMBER.sub("#", text)] >= LEAST_LINES:
            continue
        line = _of_line(at, text, parts, kinds)
        if line is None or line.bare:
            continue
        if line.each:
            yield Told(min(1.0, line.part / line.whole), None, text.strip())
        elif line.whole >= LEAST_WHOLE_S and (span_s is None or COVERS * span_s <= line.whole <= MOST_COVERS * span_s + LEAST_WHOLE_S):
            yield Told(min(1.0, line.part / line.whole), line.whole, text.strip())


def _in_rows(told: Sequence[tuple[int, str, Sequence[Part]]], kinds: frozenset[str], span_s: float | None, lines: int) -> Iterator[Told]:
    """A table near a log's end: rows of a name and a time."""
    block: list[tuple[int, str, Part]] = []
    seen = Counter(_NUMBER.sub("#", text) for _, text, _ in told)
    for at, text, parts in [*told, (lines + MOST_ROWS, "", ())]:
        timed = [one for one in parts if not one.share] if seen[_NUMBER.sub("#", text)] < LEAST_LINES else []
        if block and (at - block[-1][0] > 1 or len(timed) != 1):
            yield from _of_rows(block, kinds, span_s, lines)
            block = []
        if len(timed) == 1:
            block.append((at, text, timed[0]))


def _of_rows(block: Sequence[tuple[int, str, Part]], kinds: frozenset[str], span_s: float | None, lines: int) -> Iterator[Told]:
    rows = block[-MOST_ROWS:]
    alike = len({_NUMBER.sub("#", text) for _, text, _ in rows}) < len(rows)
    if alike or len(rows) < 2 or rows[-1][0] < lines - max(LAST_LINES, round(LAST_PART * lines)):
        return
    whole_line = _of_line(rows[-1][0], rows[-1][1], [part for _, _, part in rows], kinds)
    if whole_line is None or whole_line.bare or whole_line.whole < LEAST_WHOLE_S or not any(part.kind == WORK for _, _, part in rows):
        return
    if span_s is None or COVERS * span_s <= whole_line.whole <= MOST_COVERS * span_s + LEAST_WHOLE_S:
        said = next((text for _, text, part in rows if part.kind in kinds), rows[-1][1])
        yield Told(min(1.0, whole_line.part / whole_line.whole), whole_line.whole, said.strip())
