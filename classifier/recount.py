"""Where a run's count of steps begins: at the first ones, as far apart as it tells of them, or further on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from gpualert_slurm.classifier.advance import by_log
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.evidence import Quote

_JUDGES = re.compile(r"\b(?:eval\w*|valid\w*|test\w*|infer\w*|predict\w*|scor(?:ed|ing))\b", re.IGNORECASE)
_TRAINS = re.compile(r"train|epoch", re.IGNORECASE)
FIRST_STEPS = 10
"""A run that resumed counts on from its parent's step; one that did not begins near 0."""


def begins_within(steps: Sequence[int | None]) -> int:
    """A run that tells of every 20th step begins with 20: up to which first step it may have begun with the first one."""
    told = [s for s in steps if s is not None]
    apart = next((b - a for a, b in pairwise(told) if b > a), 0)
    return max(FIRST_STEPS, apart)


def from_the_first(facts: Facts) -> bool:
    """Whether the losses of training are told from the first steps on: later ones may be of what had been learned before."""
    loss = facts.advance.loss
    texts = [m.source.text for m in facts.advance.marks if isinstance(m.source, Quote)]
    if loss is None or loss.name != "loss" or all(_JUDGES.search(text) and not _TRAINS.search(text) for text in texts):
        return False
    return next((step for step in loss.steps if step is not None), 0) <= begins_within(loss.steps)


def counted_steps(facts: Facts) -> list[int]:
    """The steps (where none are counted, the epochs) that the log with the most of them tells of, in its order."""
    marks = max(by_log(facts.advance.marks), key=len, default=[])
    marks.sort(key=lambda m: m.source.offset if isinstance(m.source, Quote) else 0)
    steps = [step for m in marks if isinstance(step := m.data.get("step"), int)]
    return steps or [int(epoch) for m in marks if isinstance(epoch := m.data.get("epoch"), (int, float))]
