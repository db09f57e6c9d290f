"""Numbers that came to rest: an optimum that was found by ever smaller steps, as EM, k-means and whole batches find it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

REST = 1e-3
"""Of the whole way down, the last step before a loss stands: a model that dies stops in the midst of its way."""
NEAR = 0.02
"""Of the whole way, how far above the lowest value: one term of what is lowered may rise a little …"""
ABOVE, LAST = 1.2, 4
"""… and so far, where so many steps show that it came to rest."""
LEAST, WAY = 4, 0.05
"""Values of a run that may have ended because it had come to rest, and of the first of them, the way that they went."""
SHRINKS = 0.8
"""Of their steps, so many are smaller than the one before."""


def came_to_rest(numbers: Sequence[float]) -> bool:
    """Whether the loss stands where it came by ever smaller steps: an optimum that was found, not a dead model."""
    before = next((v for v in reversed(numbers) if v != numbers[-1]), None)
    least = max(REST * (max(numbers) - numbers[-1]), 1.5 * grain(numbers))
    lowest = numbers[-1] - min(numbers) <= NEAR * (max(numbers) - min(numbers)) or (numbers[-1] <= ABOVE * min(numbers) and _shrinks(numbers))
    return before is not None and lowest and abs(before - numbers[-1]) <= least and max(numbers) > numbers[-1]


def _shrinks(numbers: Sequence[float]) -> bool:
    """Whether each of the last steps before the rest is no more than half of the one before."""
    steps = [abs(b - a) for a, b in pairwise(numbers) if a != b][-LAST:]
    return len(steps) == LAST and all(b <= a / 2 for a, b in pairwise(steps))


def converged(numbers: Sequence[float]) -> bool:
    """Whether a few values came to rest by steps of which nearly each is smaller than the one before: an optimiser that was done."""
    if len(numbers) < LEAST or not came_to_rest(numbers) or numbers[0] - numbers[-1] < WAY * abs(numbers[0]):
        return False
    steps = [abs(b - a) for a, b in pairwise(numbers)]
    return sum(b <= a for a, b in pairwise(steps)) >= SHRINKS * (len(steps) - 1)


def grain(numbers: Sequence[float]) -> float:
    """The last decimal place that they are printed with."""
    return 10.0 ** -max(len(f"{n:.12f}".rstrip("0").partition(".")[2]) for n in numbers)
