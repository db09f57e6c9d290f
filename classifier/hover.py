"""A loss that hovers: high, without a trend, noisy as it may be, from the first value to the last, while nothing beside it got better either.

Where no guess's height is known, that nothing was learned shows by the numbers over time: their slope is no more than their noise, the first value
lies among the others, and an accuracy beside them, where one is told, is as low at the end as at the beginning. What is low may have been learned
before the first line; a loss told with other weights to begin with, of a game of two, or whose measure changes, may hover for a good reason.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from gpualert_slurm.classifier.chance import changing
from gpualert_slurm.classifier.unlearned import HIGH, level, tuned_or_played
from gpualert_slurm.job_record import JobRecord

LEAST, LEAST_ALONE, LEAST_LEVEL = 12, 20, 14
"""Values with a score beside them that shows it, too, or that lie close together; of noise alone; and of noise alone without any slope."""
CLOSE, NOISY, NOISIEST = 0.02, 0.1, 0.2
"""Spread for the height: with LEAST values; with LEAST_ALONE; with a score that shows it."""
FALLS, FALLS_SEEN, LEVEL = -2.5, -4.0, -1.0
"""Slope by its own error: below it the loss may fall (with a score that stayed where it was, it learned its data by heart); above LEVEL it shows no
sign of it."""
OUTLIER = 3.0
"""Of the spread of the others: so far above them the first value shows that something was learned right behind it."""
GAIN, GAINS = 0.03, 2.0
"""A score that rose by more, and more steadily, is of something learned; so is one above KNOWS."""
KNOWS = 0.67


def hovers(job: JobRecord, numbers: Sequence[float], scores: Sequence[float] = ()) -> str | None:
    """Why a loss was the same all the way, but for its noise; None where that does not show. ``scores``: an accuracy that was told beside it."""
    if len(numbers) < LEAST or min(numbers) <= 0 or statistics.fmean(numbers) < HIGH or not level(numbers, steadily=False):
        return None
    spread = statistics.pstdev(numbers) / statistics.fmean(numbers)
    rest = numbers[1:]
    seen = stuck(scores)
    noisy = statistics.pstdev(rest) > CLOSE * statistics.fmean(rest)
    first = statistics.median(numbers[:3]) if seen and noisy else numbers[0]  # one batch alone may lie apart
    if trend(numbers) < (FALLS_SEEN if seen else FALLS) or first > statistics.fmean(rest) + OUTLIER * statistics.pstdev(rest):
        return None
    alone = len(numbers) >= (LEAST_LEVEL if trend(numbers) > LEVEL else LEAST_ALONE)
    if seen is False or spread > (NOISIEST if seen else NOISY if alone else CLOSE):
        return None
    if tuned_or_played(job) or changing(job):
        return None
    return "nor did the accuracy beside it get better" if seen else f"its {len(numbers)} values have no trend"


def stuck(scores: Sequence[float]) -> bool | None:
    """Whether a score that should rise stayed low and did not rise; None where there are too few of its values to tell."""
    if len(scores) < LEAST - 1:
        return None
    share = [s / 100 if max(scores) > 1 else s for s in scores]
    third = len(share) // 3
    first, last = statistics.fmean(share[:third]), statistics.fmean(share[-third:])
    return last <= KNOWS and not (last - first > GAIN and trend(share) > GAINS)


def trend(numbers: Sequence[float]) -> float:
    """The slope of numbers told one after the other, by its own error (Student's t); 0 where all are one."""
    middle, mean = (len(numbers) - 1) / 2, statistics.fmean(numbers)
    width = sum((i - middle) ** 2 for i in range(len(numbers)))
    slope = sum((i - middle) * (v - mean) for i, v in enumerate(numbers)) / width
    rest = math.sqrt(sum((v - mean - slope * (i - middle)) ** 2 for i, v in enumerate(numbers)) / max(1, len(numbers) - 2))
    return slope * math.sqrt(width) / rest if rest else 0.0
