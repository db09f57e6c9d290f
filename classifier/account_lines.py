"""Lines alike of a run's own account: which of them are of whole passes, of all the time so far, of a pass's first step."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

LEAST_LINES = 3
STEADY = 0.75
_BEGINS = re.compile(r"(?<![\d.,:/-])\s{0,6}\[?\s{0,6}0{1,6} ?/ {0,6}\d{1,9}\b")


@dataclass(frozen=True)
class TimedLine:
    """What a line tells of one kind of time, and of the whole that it is a part of."""

    part: float
    whole: float
    bare: bool
    each: bool
    text: str
    at: int
    share: bool = False
    """It tells shares alone."""
    named: bool = False
    """The whole has a name of its own, of a step's."""


def of_passes(lines: Sequence[TimedLine]) -> list[TimedLine]:
    """The last line of each pass, where lines tell of all the time of a pass so far; none where they do not."""
    ends = [at for at, (a, b) in enumerate(pairwise(lines)) if b.whole < a.whole]
    each = [lines[a:b] for a, b in pairwise([0, *(at + 1 for at in ends), len(lines)])]
    grow = [one for one in each if len(one) > 1 and grows(one)]
    return [one[-1] for one in each] if len(grow) >= max(2, len(each) - 1) else []


def grows(lines: Sequence[TimedLine]) -> bool:
    """Whether lines tell of all the time so far."""
    grow = all(a.whole <= b.whole and a.part <= b.part for a, b in pairwise(lines))
    return grow and lines[-1].whole > 2 * lines[0].whole


def later_ones(lines: Sequence[TimedLine]) -> list[TimedLine]:
    """All but those of each pass's first step, in which its loader begins; all of them, where few others are told."""
    later = [line for line in lines if not _BEGINS.search(line.text)]
    return later if len(later) >= max(LEAST_LINES, len(lines) // 2) else list(lines)


def steady(values: Sequence[float]) -> bool:
    """Whether numbers stay as they are, as times do, and losses and scores do not."""
    third = max(1, len(values) // 3)
    first, last = statistics.median(values[:third]), statistics.median(values[-third:])
    return STEADY * max(first, last) <= min(first, last)
