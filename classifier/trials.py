"""Several trainings in one job, each of which counts anew: which of them the run kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from gpualert_slurm.classifier.numbers import NOT_A_NUMBER
from gpualert_slurm.evidence import Evidence, Quote

_TRIAL = re.compile(
    r"\b(?:trial|candidate|combo(?:nation)?|config(?:uration)?|setting|versuch|essai|ensayo|prueba)\W{0,3}\d{1,6}\b(?![.,]\d)"
    r"|\brun\W{0,3}\d{1,4}(?:/| of )\d{1,4}\b", re.IGNORECASE,
)  # fmt: skip
_WITHIN = re.compile(r"\b(?:ep(?:och)?|steps?|it(?:er(?:ation)?)?s?|rounds?|updates?|batch)\W{0,3}\d", re.IGNORECASE)
"""What is counted within a trial."""
LEAST_TRIALS = 3


def trial_left_out(marks: Sequence[Evidence], errors: Sequence[Evidence]) -> Evidence | None:
    """The error by which the last of several trials ended; ``marks`` and ``errors`` are of a run that ended well, in order.

    Its losses are not what the run made.
    """
    counts = [c for m in marks if isinstance(c := m.data.get("step", m.data.get("epoch")), (int, float))]
    if not any(after < before for before, after in pairwise(counts)):
        return None
    return next((e for e in errors if behind(e, marks[-1])), None)


def behind(said: Evidence, mark: Evidence) -> bool:
    """Surely later than a line of progress."""
    here, there = said.source, mark.source
    if isinstance(here, Quote) and isinstance(there, Quote) and (here.file, said.where.node) == (there.file, mark.where.node):
        return here.offset > there.offset
    return said.time_ns is not None and mark.time_ns is not None and said.time_ns > mark.time_ns


def each_a_trial(marks: Sequence[Evidence]) -> bool:
    """Whether each line that tells a loss is of a trial's own: what one came to says nothing of the next."""
    texts = [m.source.text for m in marks if isinstance(m.source, Quote)]
    trials = [found[0] for text in texts if (found := _TRIAL.search(text)) is not None]
    if not texts or len(trials) < len(texts):
        return False
    once = len(set(trials)) == len(trials) >= LEAST_TRIALS  # one line a trial, though it tells when it was given up
    return once or not any(_WITHIN.search(text) for text in texts)


def trials_began_well(marks: Sequence[Evidence]) -> bool:
    """Whether each line is of a trial's own, and the first ones, more than half, came to numbers: that the last flew off is what was tried."""
    first = marks[: len(marks) // 2 + 1]
    return each_a_trial(marks) and all(isinstance(m.source, Quote) and not NOT_A_NUMBER.search(m.source.text) for m in first)
