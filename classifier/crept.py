"""A loss that crept: from the first line to the last it came down by next to nothing, steadily perhaps, as it does under far too small a rate.

A trend alone is no sign of learning: what fell by a hundredth while the score beside it stayed where it was learned nothing that anybody wanted. What
is read is of a run from its first steps on, which began with no one's weights, and whose loss had not come down before the first line.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import pairwise

from gpualert_slurm.classifier.chance import changing
from gpualert_slurm.classifier.hover import stuck
from gpualert_slurm.classifier.unlearned import HIGH, rates_told, tuned_or_played
from gpualert_slurm.job_record import JobRecord

LEAST = 12
SMOOTH, SETTLED, DECAYS = 0.9, 0.2, 0.5
"""Of all steps, those that go down; of its fall in the first third, that in the last; of the highest rate, the last one where it decays."""
LITTLE, LITTLE_BESIDE = 0.006, 0.03
"""Of its height, all that a loss came down by; and where a score beside it shows, too, that nothing was learned."""


def crept(job: JobRecord, numbers: Sequence[float], scores: Sequence[float] = ()) -> str | None:
    """Why a loss that may have fallen a little is one of no learning; None where that does not show. ``scores``: an accuracy beside it."""
    if len(numbers) < LEAST or min(numbers) <= 0 or statistics.fmean(numbers) < HIGH:
        return None
    start, lowest = statistics.median(numbers[:3]), min(numbers)
    third = max(1, len(numbers) // 3)
    fell = (start - lowest) / start
    head = (max(numbers[:3]) - lowest) / start  # the first line alone may be of a step on which all was learned
    ended = statistics.median(numbers[-third:])
    if fell < 0 or ended > (1 + LITTLE_BESIDE) * start:
        return None
    seen = stuck(scores)
    if head <= LITTLE and seen is not False:
        said = f"it came down by {fell:.1%} in all"
    elif seen and head <= LITTLE_BESIDE and not (_settled(numbers) and not _decays(job)):
        said = f"it came down by {fell:.1%} in all, and the accuracy beside it did not get better"
    else:
        return None
    return None if tuned_or_played(job) or changing(job) else said


def _settled(numbers: Sequence[float]) -> bool:
    """Whether a loss without noise came down by ever smaller steps to where it lies: little was to be learned, and it was."""
    third = len(numbers) // 3
    first, last = numbers[0] - numbers[third], numbers[-third - 1] - numbers[-1]
    falls = sum(b <= a for a, b in pairwise(numbers)) >= SMOOTH * (len(numbers) - 1)
    return falls and 0 <= last <= SETTLED * first


def _decays(job: JobRecord) -> bool:
    """Whether the learning rate came down meanwhile, as it is told: then its loss settles whatever is left to learn."""
    rates = rates_told(job)
    return bool(rates) and rates[-1] < DECAYS * max(rates)
