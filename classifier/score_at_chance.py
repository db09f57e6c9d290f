"""A score that has a height of its own for who knows nothing, and never left it: an AUC of one half, an R2, a kappa or a correlation of nought.

Unlike a loss, such a score needs no number of classes. What lies there from the first line to the last, beside a loss that did not come down either,
was not learned; a run that goes on with what was there, or tunes somebody's weights, may lie anywhere.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence

from gpualert_slurm.classifier.chance import changing
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.hover import trend
from gpualert_slurm.classifier.measures import Measure
from gpualert_slurm.classifier.scores import SCORE
from gpualert_slurm.classifier.unlearned import tuned_or_played

LEAST = 12
NEAR_HALF, NEAR_NOUGHT = 0.03, 0.02
"""How far from its height all of its values lie."""
CAME_DOWN = 0.95
"""Of its first third, what the last third of a loss that was learned from is at most."""
STEADY = 2.5
"""Slope by its own error: above it a score rises …"""
LITTLE = 0.01
"""… if it rose by more."""
_HALF = re.compile(r"(?:\b|_)(?:roc[ _-]?)?auc(?:[ _-]?roc)?(?:\b|_)|(?:\b|_)(?:auroc|roc|c[ _-]?index|concordance)(?:\b|_)", re.IGNORECASE)
_NOUGHT = re.compile(
    r"(?:\b|_)(?:r[2²]|r\^2|kappa|mcc|gini|nse|kge|spearman\w{0,3}|pearson\w{0,3}|matthews|corr(?:elation)?)(?:\b|_|\Z)", re.IGNORECASE
)


def score_at_chance(facts: Facts) -> tuple[str, str] | None:
    """Variant and words, where it lies there from the first line to the last, and nothing beside it was learned."""
    found = facts.measured
    if found is None or len(found.counter.counts) < LEAST or not found.counter.from_the_first:
        return None
    if facts.advance.loaded or tuned_or_played(facts.job) or changing(facts.job):
        return None
    known = [(m, height) for m in found.measures if (height := _height(m.name)) is not None]
    if not known or any(len(m.finite) < len(m.values) for m in found.measures):
        return None
    beside = [m for m in found.measures if _height(m.name) is None]
    if not all(_lies(m.values, height) for m, height in known) or any(_came_down(m) for m in beside):
        return None
    first, height = known[0]
    told = f"{first.called} lay about {statistics.fmean(first.values):.3g} from the first line to the last"
    return "flat", f"{told}: who knows nothing has {height:g}"


def _height(name: str) -> float | None:
    return 0.5 if _HALF.search(name) else 0.0 if _NOUGHT.search(name) else None


def _lies(values: Sequence[float], height: float) -> bool:
    near, third = NEAR_HALF if height else NEAR_NOUGHT, len(values) // 3
    rose = statistics.fmean(values[-third:]) - statistics.fmean(values[:third])
    return all(abs(v - height) <= near for v in values) and not (rose > LITTLE and trend(values) > STEADY)


def _came_down(m: Measure) -> bool:
    """Whether what is measured beside it got better: a loss that fell, another score that rose; whatever it is called."""
    third = len(m.values) // 3
    first, last = statistics.fmean(m.values[:third]), statistics.fmean(m.values[-third:])
    first, last = (last, first) if SCORE.search(m.name) else (first, last)
    return last <= first - (1 - CAME_DOWN) * abs(first) if first else False
