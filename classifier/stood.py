"""Numbers that stand to the last digit where learning does not end: where they had begun, or in the midst of their way.

What is learned shows as small steps before a rest. Numbers that all lie exactly where they lay, behind a step as large as those before it, were held
there: weights that were thrown away, a rate that became nought, a model that no longer hears its data. Which way is better need not be known.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import pairwise

from gpualert_slurm.classifier.measures import Measure, Measured
from gpualert_slurm.classifier.rest import grain
from gpualert_slurm.classifier.scores import SCORE

LEAST_BACK, BACK = 4, 0.15
"""Lines that stand where the numbers had begun, and how near: of the whole way that they had gone and came back."""
SHARE_BACK, WAY = 0.2, 0.1
"""Of all lines, those that stand; of the first value, the way that they had gone."""
LEAST_HELD, SHARE_HELD = 8, 0.4
"""Lines that stand in the midst of the way, and their share of all."""
SHARE_ABOVE, ABOVE, LEAST_ABOVE = 0.3, 1.2, 2
"""The same of numbers that had been better: their share of the lines, how far above their lowest, and how many of them."""
STEP, WHOLE = 0.3, 1e-3
"""Of the largest step, the last before they stand; of the number, that step."""
LAST, TYPICAL, GRAINS = 3, 0.3, 3.0
"""Steps before a rest that are as large as others: how many, of their middle one, and of the last digit that is printed."""
BROKE, BROKE_GRAINS, BROKE_WAY = 0.4, 20.0, 0.01
"""Of the middle one of the steps before, of the last digit and of the whole way, the last step before numbers that stand, where none followed."""
LEAST_MOVES = 2
"""Steps of who comes down line for line: an exact solver is there with the first."""
LOW = 0.02
"""Of the highest, what a number stands at that has come down."""
SHARE_SHORT, SHORT = 0.5, 1.03
"""The same of numbers that all stand for so large a share of the lines: how far the first is above its lowest."""
LEAST_DIGITS = 4
PERFECT_ENOUGH = 0.99
PERFECT = frozenset({1.0, 100.0})
"""Nothing is left to learn."""


def stood(found: Measured) -> tuple[str, str] | None:
    """Variant and words, where what is measured stands exactly from some line on, and learning does not end so; None where it does not."""
    if (above := _held_above(found) or _all_held(found)) is not None:
        return "plateau", above
    measures = [m for m in found.measures if m.digits and not m.straight and len(m.finite) == len(m.values) > LEAST_BACK]
    if not measures or len(measures) < len([m for m in found.measures if m.digits]) or max(m.digits for m in measures) < LEAST_DIGITS:
        return None
    if any(m.values[-1] in PERFECT or _next_to_perfect(m) for m in measures):
        return None
    rests = [_rest(m.values) for m in measures]
    rest, first = min(rests), measures[0]
    if (back := _came_back(first, rest)) is not None:
        return "plateau", back
    several = len(measures) > 1 and _broke_off(first)
    if rest >= max(LEAST_HELD, SHARE_HELD * len(first.values)) and (_held(first.values, _rest(first.values)) or several):
        there = f"{first.called} went in large steps to {first.values[-1]:.4g}"
        return "plateau", f"{there}, and stands there to the last digit with all that is told beside it"
    return None


def _next_to_perfect(m: Measure) -> bool:
    """Whether a share of what is right is so high that next to nothing is left."""
    return SCORE.search(m.name) is not None and (PERFECT_ENOUGH <= m.values[-1] <= 1 or 100 * PERFECT_ENOUGH <= m.values[-1] <= 100)


def _held_above(found: Measured) -> str | None:
    """Several numbers that had come down and stand above their lowest, to the last digit: weights that change no more, and are not the best."""
    stands = [m for m in found.measures if not m.straight and m.digits >= LEAST_DIGITS and len(m.finite) == len(m.values) and min(m.values) > 0]
    stands = [m for m in stands if _rest(m.values) >= max(LEAST_HELD, SHARE_ABOVE * len(m.values))]
    above = [m for m in stands if m.values[-1] >= ABOVE * min(m.values) and m.values[0] >= ABOVE * min(m.values)]
    if len(above) < LEAST_ABOVE or len(above) < len(stands):
        return None
    first = above[0]
    stands_at = f"stands at {first.values[-1]:.4g} to the last digit with another number beside it"
    return f"{first.called} had come down to {min(first.values):.4g}, and {stands_at}"


def _all_held(found: Measured) -> str | None:
    """Numbers that all stand to the last digit for half of the lines or more, and the first of them not at its lowest."""
    told, first = [m for m in found.measures if m.digits], found.measures[0]
    if not told or any(m.straight or len(m.finite) < len(m.values) or m.digits < LEAST_DIGITS for m in told) or min(first.values) <= 0:
        return None
    if min(_rest(m.values) for m in told) < max(LEAST_HELD, SHARE_SHORT * len(first.values)):
        return None
    lowest, last = min(first.values), first.values[-1]
    if not first.values[0] > last >= SHORT * lowest or last in PERFECT:
        return None
    return f"{first.called} had come down to {lowest:.4g}, and stands at {last:.4g} to the last digit with all that is told beside it"


def _rest(values: Sequence[float]) -> int:
    """How many of the last values are the same."""
    return next((i for i, v in enumerate(reversed(values)) if v != values[-1]), len(values))


def _came_back(m: Measure, rest: int) -> str | None:
    values, start, last = m.values, m.values[0], m.values[-1]
    if rest < max(LEAST_BACK, SHARE_BACK * len(values)) or len(values) - rest < 2:
        return None
    there = max(values[: len(values) - rest], key=lambda v: abs(v - start))
    way = abs(there - start)
    if way < WAY * abs(start) or abs(last - start) > BACK * way:
        return None
    return f"{m.called} had gone from {start:.4g} to {there:.4g}, came back to {last:.4g} and stands there"


def _held(values: Sequence[float], rest: int) -> bool:
    steps = [abs(b - a) for a, b in pairwise(values[: len(values) - rest + 1])]
    if not steps or abs(values[-1]) <= LOW * max(abs(v) for v in values):
        return False
    if len(steps) < LEAST_MOVES and values[-1] == min(values):
        return False
    return steps[-1] >= max(STEP * max(steps), WHOLE * abs(values[-1])) or _wobbled(values[: len(values) - rest + 1])


def held_in_the_midst(values: Sequence[float]) -> bool:
    """Whether numbers that went up and down stand to the last digit for a good part of the run, and not where nothing is left to learn."""
    rest = _rest(values)
    enough = max(LEAST_HELD, SHARE_HELD * len(values)) <= rest < len(values)
    return enough and abs(values[-1]) > LOW * max(abs(v) for v in values) and _wobbled(values[: len(values) - rest + 1])


def _broke_off(m: Measure) -> bool:
    """Whether a number stands from one line to the next on, behind steps that were not getting smaller by much: no optimum is found so."""
    values = m.values[: len(m.values) - _rest(m.values) + 1]
    steps = [abs(b - a) for a, b in pairwise(values)]
    if len(steps) < LAST + 1 or m.digits < LEAST_DIGITS or abs(m.values[-1]) <= LOW * max(abs(v) for v in m.values):
        return False
    least = max(BROKE * statistics.median(steps[-1 - LAST : -1]), BROKE_GRAINS * grain(values), BROKE_WAY * abs(values[0] - values[-1]))
    return steps[-1] >= least


def _wobbled(values: Sequence[float]) -> bool:
    """Whether numbers went up and down to the last one, by steps as large as before: such do not end by getting smaller."""
    steps = [b - a for a, b in pairwise(values)]
    if len(steps) < LEAST_BACK:
        return False
    last, typical = statistics.median(abs(s) for s in steps[-LAST:]), TYPICAL * statistics.median(abs(s) for s in steps)
    up = any(s >= typical for s in steps[-2 * LAST :])
    return up and last >= max(typical, WHOLE * abs(values[-1]), GRAINS * grain(values))
