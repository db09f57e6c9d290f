"""What had come down and is back where it began, or above it, whatever it is called.

Of a number without a name that is known, nobody tells which way is better. But most of what training measures gets better at first: what came down by
far in the first part of a run was to come down, and what then went up again and stayed there was lost.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from gpualert_slurm.classifier.measures import Measure

LEAST, LEAST_LEAPT, LEAST_TAIL, LEAST_DIGITS = 12, 10, 4, 3
CAME_DOWN, EARLY = 0.6, 0.8
"""Of its start, what it came down to at least; of the run, when at the latest."""
BACK, ABOVE = 0.7, 1.2
"""Of the way down, what it went up again; of its start, where it ends far above it."""
CAME_A_LITTLE, LEAP = 0.15, 0.6
"""Of its start, what it came down by at least; of that way, the one step by which it went back."""
RISEN = 0.2
"""Of its height, what a score had risen by at least."""
AGAIN, ANEW, STILL = 0.05, 0.2, 0.5
"""What it falls anew within the last lines: of the way down, of the way up; and of the way down, how far they may lie apart where they stand."""


def fallen_back(m: Measure) -> tuple[str, str] | None:
    """Variant and words, where the measure came down by far early in the run and was back at its start, or above, in all of its last lines."""
    values = _bounded(m.values)
    if len(values) < LEAST_LEAPT or m.digits < LEAST_DIGITS or min(values) < 0 or m.straight or m.percent:
        return None
    smooth = [statistics.median(values[max(0, i - 1) : i + 2]) for i in range(len(values))]
    start, best = max(values[0], statistics.median(values[:3])), min(smooth)
    way, tail = start - best, values[-max(LEAST_TAIL, len(values) // 5) :]
    if _leapt_back(values, start):
        return "plateau", f"{m.called} had come down from {values[0]:.4g} to {best:.4g}, leapt back to {values[-1]:.4g} and stands there"
    if len(values) < LEAST or best > CAME_DOWN * start or smooth.index(best) >= EARLY * len(values) or min(tail) < best + BACK * way:
        return None
    if min(tail) >= ABOVE * start and not _falls(tail, ANEW * (min(tail) - best)):
        return "spike", f"{m.called} had come down from {values[0]:.4g} to {best:.4g}, and ended at {values[-1]:.4g}"
    if max(tail) - min(tail) > STILL * way or _falls(tail, AGAIN * way):
        return None
    return "plateau", f"{m.called} had come down from {values[0]:.4g} to {best:.4g}, and is back at {values[-1]:.4g}"


def _leapt_back(values: Sequence[float], start: float) -> bool:
    """Whether what had come down a little leapt in one step to where it began, or above, and lies there in all lines since, without a fall."""
    leap = max(range(1, len(values)), key=lambda at: values[at] - values[at - 1])
    before, since = values[:leap], values[leap + 1 :]
    if len(before) < LEAST_TAIL or len(since) < max(LEAST_TAIL, len(values) // 4):
        return False
    way = start - min(before)
    if way < CAME_A_LITTLE * start or min(since) < start or values[leap] - values[leap - 1] < LEAP * way:
        return False
    return max(since) - min(since) <= AGAIN * start and not _falls(since, AGAIN * way)


def lost_again(m: Measure) -> tuple[str, str] | None:
    """The same of a score: it had risen by far, and lies in all of its last lines where it had begun, or below."""
    values = m.values
    if len(values) < LEAST or len(m.finite) < len(values) or m.digits < LEAST_DIGITS or m.straight:
        return None
    smooth = [statistics.median(values[max(0, i - 1) : i + 2]) for i in range(len(values))]
    start, best = min(values[0], statistics.median(values[:3])), max(smooth)
    way, tail = best - start, values[-max(LEAST_TAIL, len(values) // 5) :]
    rose = way >= RISEN * max(abs(best), abs(start)) and smooth.index(best) < EARLY * len(values)
    if not rose or max(tail) > best - BACK * way or max(tail) - min(tail) > STILL * way:
        return None
    return "plateau", f"{m.called} had risen from {values[0]:.4g} to {best:.4g}, and ended at {values[-1]:.4g}"


def _bounded(values: Sequence[float]) -> tuple[float, ...]:
    """With infinite ones as the highest that is a number; none where one is not a number."""
    highest = max((v for v in values if math.isfinite(v)), default=0.0)
    return () if any(math.isnan(v) for v in values) else tuple(min(v, highest) for v in values)


def _falls(tail: Sequence[float], far: float) -> bool:
    half = len(tail) // 2
    return statistics.median(tail[:half]) - statistics.median(tail[half:]) > far
