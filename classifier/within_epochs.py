"""Steps of all epochs, where each epoch counts its own from the first one on."""

from __future__ import annotations

import itertools

from gpualert_slurm.classifier.facts import Facts

LEAST_BY_ONE = 10
"""So many counts up by one show that each step is told."""


def within_epochs(facts: Facts) -> int:
    """As many as were told in all; 0: they are not told one by one, or the count never begins anew."""
    told = max((s for s in facts.series if s.name == "step"), key=lambda s: len(s.values), default=None)
    pairs = list(itertools.pairwise(told.values)) if told is not None else []
    anew, by_one = sum(b < a for a, b in pairs), sum(b == a + 1 for a, b in pairs)
    return told.points_seen if told is not None and anew and by_one >= LEAST_BY_ONE and anew + by_one == len(pairs) else 0
