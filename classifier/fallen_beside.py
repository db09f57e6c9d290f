"""Whether another number on the lines of a run came down as what is lowered does: then what stood still beside it is a part of it, and no sign."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from itertools import pairwise

from gpualert_slurm.classifier.lineage import RIGHT
from gpualert_slurm.classifier.measures import MOST_LINES, MOST_TEXT, series_of
from gpualert_slurm.classifier.numbers import finite
from gpualert_slurm.classifier.table import DISTANCES, LOSS_WORDS
from gpualert_slurm.job_record import JobRecord

LEAST = 8
FELL, STEADILY = 0.7, 0.75
"""What its last values are of its first ones; of its steps, those that go down or stand."""
LITTLE, SURELY, ROSE = 0.87, 0.9, 1.2
"""It may be less where nearly all of its steps go down; and what a share of what is right rose by."""
_LOWERED = re.compile(
    rf"(?<![A-Za-z])(?:(?:train|val(?:id)?|test|eval|dev)[ _/.-]?)?(?:{LOSS_WORDS}|{DISTANCES}|total"
    r"|energy|resid\w{0,5}|obj\w{0,7}|recon\w{0,10}|[wc]er|fid|l[12]|chi2)"
    r"(?![A-Za-z])",
    re.IGNORECASE,
)
_NOT_IT = re.compile(
    r"grad|norm|weight|rate|\blr\b|best|time|scale|entropy|\bkl\b|var|std|value|critic|\bvf?\b|disc|adv|load|wait|\bs\b|\bms\b", re.IGNORECASE
)
"""Parts of what is learned for its own sake, settings and times."""


def fell_beside(job: JobRecord, *, but: Sequence[float]) -> str | None:
    """The name of such a number, which is none of ``but``'s; None where there is none."""
    for one in (x for report in job.reports for x in report.excerpts):
        for group in series_of(one.text[:MOST_TEXT].splitlines()[:MOST_LINES], LEAST).values():
            for series in group:
                named = _LOWERED.search(series.name) is not None and _NOT_IT.search(series.name) is None
                values = finite(series.values())
                right = RIGHT.search(series.name) is not None and _rose(values)
                if (right or (named and _fell(values))) and values[:3] != list(but[:3]):
                    return series.name
    return None


def _fell(values: Sequence[float]) -> bool:
    if len(values) < LEAST or min(values) < 0:
        return False
    share, downwards = statistics.median(values[-3:]), sum(b <= a for a, b in pairwise(values)) / (len(values) - 1)
    first = statistics.median(values[:3])
    return (share <= FELL * first and downwards >= STEADILY) or (share <= LITTLE * first and downwards >= SURELY)


def _rose(values: Sequence[float]) -> bool:
    if len(values) < LEAST or min(values) < 0:
        return False
    upwards = sum(b >= a for a, b in pairwise(values)) / (len(values) - 1)
    return statistics.median(values[-3:]) >= ROSE * statistics.median(values[:3]) > 0 and upwards >= STEADILY
