"""What is lowered, under a name that nobody knows, and rose all the way or leapt up for good, beside a score that did not get better.

Of a number alone nobody can tell which way is better. But a score beside it can: where that fell, or stayed where it was, a number that became many
times as large is no reward, and its like of held-out data went the same way.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence

from gpualert_slurm.classifier.chance import changing
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.measures import Measure
from gpualert_slurm.classifier.scores import SCORE
from gpualert_slurm.classifier.stages import stages
from gpualert_slurm.classifier.unlearned import tuned_or_played

LEAST, TIMES, HIGH = 12, 3.0, 2.0
"""Lines; of its start, what it ends at; and that itself, at least."""
BETTER = 0.03
"""What a score rose by that got better."""
_RAISED = re.compile(
    r"reward|return|elo\b|length|level|snr|energy|belohnung|r[ée]compense|recompensa|ertrag|punkte|puntos|punti|points|kl\b|norm|sum|total|size|speed",
    re.IGNORECASE,
)


def ran_up(facts: Facts) -> tuple[str, str] | None:
    """Variant and words; None where the first two measures did not both run up, or a score got better."""
    found = facts.measured
    if found is None or len(found.counter.counts) < LEAST or not found.counter.from_the_first or facts.advance.loaded:
        return None
    scores, others = [m for m in found.measures if _a_score(m)], [m for m in found.measures if not _a_score(m)]
    if not scores or len(others) < 2 or any(_better(m.values) for m in scores) or not all(_up(m) for m in others[:2]):
        return None
    if tuned_or_played(facts.job) or changing(facts.job) or stages(facts.job) is not None:
        return None
    first = others[0]
    return "spike", f"{first.called} went up from {first.values[0]:.4g} to {first.values[-1]:.4g}, and {scores[0].called} did not get better"


def _a_score(m: Measure) -> bool:
    return SCORE.search(m.name) is not None and max(m.finite, default=0.0) <= 100 and min(m.finite, default=0.0) >= 0


def _better(values: Sequence[float]) -> bool:
    third = len(values) // 3
    whole = 100 if max(values) > 1 else 1
    return (statistics.fmean(values[-third:]) - statistics.fmean(values[:third])) / whole > BETTER


def _up(m: Measure) -> bool:
    if len(m.finite) < len(m.values) or min(m.values) <= 0 or m.straight or m.percent or _RAISED.search(m.name):
        return False
    third = len(m.values) // 3
    start, end = statistics.median(m.values[:3]), min(m.values[-3:])
    rises = statistics.fmean(m.values[:third]) < statistics.fmean(m.values[third : 2 * third]) <= 1.2 * statistics.fmean(m.values[-third:])
    return rises and end >= max(TIMES * start, HIGH)
