"""A range test of the learning rate: it grows by the same factor from line to line until the loss flies off, as it is to do."""

from __future__ import annotations

import math
import re
import statistics
from itertools import pairwise

from gpualert_slurm.classifier.excerpts import heads
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.numbers import finite
from gpualert_slurm.classifier.parents import command_lines
from gpualert_slurm.classifier.unlearned import rates_told

LEAST, FACTOR = 10, 1000.0
"""Rates that are told, and of the first, the last at least."""
EVEN = 0.25
"""Of the middle step of their logarithms, how far others lie from it."""
MOST_TEXT = 8192
_NAMED = re.compile(
    r"\b(?:lr|learning[ _-]?rate)[ _-](?:range|find\w{0,3}|search|sweep)\b|\b(?:lr|rate)_?finder\b|\brange[ _-]test\b"
    r"|\bfind[ _-](?:the )?(?:lr|learning[ _-]?rate)\b",
    re.IGNORECASE,
)


def range_test(facts: Facts) -> str | None:
    """In words, where the run was one."""
    rates = max((finite(s.values) for s in facts.series if s.name == "learning_rate"), key=len, default=[])
    rates = max(rates, rates_told(facts.job), key=len)
    if len(rates) >= LEAST and all(b > a for a, b in pairwise(rates)) and _says_so(facts):
        return f"the learning rate grew from line to line, from {rates[0]:.2g} to {rates[-1]:.2g}, and the run says that it is a range test"
    if len(rates) < LEAST or min(rates) <= 0 or rates[-1] < FACTOR * rates[0]:
        return None
    steps = [math.log(b / a) for a, b in pairwise(rates)]
    middle = statistics.median(steps)
    if middle <= 0 or any(abs(s - middle) > EVEN * middle for s in steps):
        return None
    return f"the learning rate grew by the same factor from line to line, from {rates[0]:.2g} to {rates[-1]:.2g}: a range test"


def _says_so(facts: Facts) -> bool:
    texts = heads(facts.job, MOST_TEXT)
    return any(_NAMED.search(text) for text in (*texts, *(line for line, _ in command_lines(facts.job, facts.row))))
