"""Why the few that a run's lines count are not all its steps: it wrote many times more, or each took long by what the run tells of its time."""

from __future__ import annotations

import re

from gpualert_slurm.classifier.accounts import account
from gpualert_slurm.classifier.advance import FEW_STEPS
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.storm import saves_counted
from gpualert_slurm.classifier.time_kinds import LOAD, SAVE, WAIT
from gpualert_slurm.evidence import Quote

LONG_S, LOADS, SAVES = 10.0, 0.4, 0.2
"""Seconds in all, and the shares of them in loading or in saving that are worth a word."""
_STEPS = re.compile(
    r"(?<![A-Za-z])(?:global_?)?(?:steps?|batch(?:es)?|it(?:er(?:ation)?s?)?|updates?|pas|pasos?|Schritte?|krok\w?)(?![A-Za-z])", re.IGNORECASE
)
"""What is counted are steps, by its word."""


def beyond_count(facts: Facts) -> str | None:
    """In words, why a count of a few says nothing of how much was trained; None where nothing speaks against it."""
    if (facts.advance.steps_done or 0) >= FEW_STEPS:
        return None
    saved = account(facts, frozenset({SAVE}))
    held = max((int(e.data["count"]) for e in facts.said("held_up")), default=0)
    many = max(saves_counted(facts.advance), held, saved.count if saved is not None else 0)
    if many >= FEW_STEPS:
        return f"it wrote {many} times: it did more steps than it counts"
    if any(_STEPS.search(m.source.text) for m in facts.advance.marks if isinstance(m.source, Quote)):
        return None
    loads = account(facts, frozenset({LOAD, WAIT}) if facts.ranks_total < 2 else frozenset({LOAD}))
    for own, least in ((saved, SAVES), (loads, LOADS)):
        if own is not None and own.share >= least and (own.whole_s or 0.0) >= LONG_S:
            return f"what it counts took long: {own.share:.0%} of {own.whole_s:.0f} s went into its input or its saves"
    return None
