"""Losses that were to rise: unlearning, attacks on a model, and an error that grows with how far ahead is forecast."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from itertools import pairwise

from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.numbers import finite

LEAST, STEADY = 10, 3.0
"""Values; and how far the steps of an error that grows with the hours ahead may differ from their middle one, in times of it."""
_MEANT = re.compile(
    r"\bun-?learn(?:ing|ed|s)?\b|\bgradient ascent\b|\bforget[- ]set\b|\badversarial (?:patch|attack|perturbation)s?\b|\b(?:pgd|fgsm)\b"
    r"|\bmaximi[sz](?:e|es|ing) (?:the )?(?:loss|nll|error|cross-?entropy)\b",
    re.IGNORECASE,
)
_AHEAD = re.compile(r"\+\s?\d{1,4} ?(?:h|hours?|min|days?|d)\b|\b(?:lead[ _]?time|horizon|forecast hour|rollout step)\b", re.IGNORECASE)


def was_to_rise(facts: Facts) -> str | None:
    """In words, why a loss that rose is no divergence; None where nothing says so."""
    texts = [one.text for report in facts.job.reports for one in report.excerpts]
    if any(_MEANT.search(text) for text in texts):
        return "the program says that what it raises was to rise"
    loss, found = facts.advance.loss, facts.measured
    rows = [finite(loss.values)] if loss is not None else [m.finite for m in found.measures[:1]] if found is not None else []
    if any(_AHEAD.search(text) for text in texts) and any(_grows_steadily(values) for values in rows):
        return "the error grows with how far ahead is forecast"
    return None


def _grows_steadily(values: Sequence[float]) -> bool:
    steps = [b - a for a, b in pairwise(values)]
    return len(values) >= LEAST and min(steps) > 0 and max(steps) <= STEADY * statistics.median(steps)
