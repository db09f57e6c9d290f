"""A range test of the learning rate: it grows by the same factor from line to line until the loss flies off, as it is to do."""

from __future__ import annotations

import math
import statistics
from itertools import pairwise

from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.numbers import finite

LEAST, FACTOR = 10, 1000.0
"""Rates that are told, and of the first, the last at least."""
EVEN = 0.25
"""Of the middle step of their logarithms, how far others lie from it."""


def range_test(facts: Facts) -> str | None:
    """In words, where the run was one."""
    rates = max((finite(s.values) for s in facts.series if s.name == "learning_rate"), key=len, default=[])
    if len(rates) < LEAST or min(rates) <= 0 or rates[-1] < FACTOR * rates[0]:
        return None
    steps = [math.log(b / a) for a, b in pairwise(rates)]
    middle = statistics.median(steps)
    if middle <= 0 or any(abs(s - middle) > EVEN * middle for s in steps):
        return None
    return f"the learning rate grew by the same factor from line to line, from {rates[0]:.2g} to {rates[-1]:.2g}: a range test"
