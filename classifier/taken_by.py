"""What took most of a run's time, by its own account: a run of few steps that is slow is not one that hardly trained."""

from __future__ import annotations

from gpualert_slurm.classifier.accounts import account, trained_s
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.time_kinds import LOAD, SAVE, TALK, WAIT
from gpualert_slurm.classifier.words import headline

MOSTLY, LONG_S = 0.6, 5.0
"""Of the time that the account covers, and seconds of it, at least."""


def taken_by(facts: Facts) -> str | None:
    """In words, what most of the time went into; None where the run tells no such thing, or it is a moment."""
    waits = frozenset({LOAD, WAIT}) if max(facts.ranks_total, facts.crew) < 2 else frozenset({LOAD})
    for kinds, what in ((frozenset({SAVE}), "saving"), (frozenset({TALK}), "what the ranks exchange"), (waits, "waiting for its data")):
        told = account(facts, kinds)
        if told is not None and told.share >= MOSTLY and told.share * (told.whole_s or trained_s(facts) or 0.0) >= LONG_S:
            return f"by its own account {told.share:.0%} of the time went into {what}: {headline(told.said)}"
    return None
