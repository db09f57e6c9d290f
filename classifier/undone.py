"""What training raises, far below where it had begun; and what stands at the worst there is in all lines, beside a loss that rests.

A score that ends far below its own beginning was not learned but lost, whatever the losses beside it do; unless another score got better
(precision falls where recall rises). One that is nought in every line, or an error of 100 %, was never had: beside a loss at rest it will not come.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence

from gpualert_slurm.classifier.chance import changing
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.measures import Measure, Measured
from gpualert_slurm.classifier.returns import RETURN
from gpualert_slurm.classifier.scores import SCORE
from gpualert_slurm.classifier.stages import stages
from gpualert_slurm.classifier.unlearned import tuned_or_played

LEAST, LEAST_TAIL, LEAST_DIGITS = 12, 4, 2
FAR = 0.72
"""Of the lowest of its first third, what it ends at, at most."""
HALF, REST, LOW = 2, 0.06, 0.02
"""The last half of a loss that moves by no more is at rest; and what is as good as nought."""
RAISED = re.compile(
    rf"{SCORE.pattern}|(?:\b|_)(?:p?snr|si-?s[dn]ri?|sdr|ssim|mrr|hits?[@_ ]?\d{{0,3}}|ndcg\S{{0,3}}|em|exact[ _]match|knn|pck|rouge\S{{0,2}}"
    r"|meteor|cider|spice|pesq|stoi)(?:\b|_|\Z)(?![ _/.-]?(?:loss|err(?:or)?)\b)",
    re.IGNORECASE,
)
_WRONG = re.compile(r"(?:\b|_)(?:[wcpt]er|(?:word|character|phone|token)[ _]error(?:[ _]rate)?)(?:\b|_|\Z)", re.IGNORECASE)


def undone(facts: Facts, found: Measured) -> tuple[str, str] | None:
    """Variant and words; None where neither shows, or something may have changed what is measured."""
    if not found.counter.from_the_first or len(found.counter.counts) < LEAST:
        return None
    told = _far_below(found.measures) or _never_had(found.measures)
    if told is None or facts.advance.loaded or tuned_or_played(facts.job) or changing(facts.job) or stages(facts.job) is not None:
        return None
    return told


def _far_below(measures: Sequence[Measure]) -> tuple[str, str] | None:
    raised = [m for m in measures if RAISED.search(m.name) and not m.straight and len(m.finite) == len(m.values)]
    fallen = [m for m in raised if _fell(m)]
    if not fallen or any(_ends_higher(m.values) for m in raised) or any(RETURN.search(m.name) for m in measures):
        return None
    first = fallen[0]
    return "plateau", f"{first.called} began at {first.values[0]:.4g}, came to {max(first.values):.4g}, and ended at {first.values[-1]:.4g}"


def _fell(m: Measure) -> bool:
    third, tail = m.values[: len(m.values) // 4], m.values[-max(LEAST_TAIL, len(m.values) // 4) :]
    return m.digits >= LEAST_DIGITS and min(third) > 0 and max(tail) <= FAR * min(third)


def _ends_higher(values: Sequence[float]) -> bool:
    third = max(1, len(values) // 4)
    return statistics.fmean(values[-third:]) > statistics.fmean(values[:third])


def _never_had(measures: Sequence[Measure]) -> tuple[str, str] | None:
    """A score of nought, or an error of all, in every line, where the first that is lowered has come to rest above nought."""
    worst = [m for m in measures if RAISED.search(m.name) or _WRONG.search(m.name)]
    losses = [m for m in measures if m not in worst and not RETURN.search(m.name) and m.digits >= LEAST_DIGITS and len(set(m.values)) > 1]
    if not worst or not losses or not all(_worst(m) for m in worst) or any(len(m.finite) < len(m.values) for m in losses):
        return None
    last = losses[0].values[-(len(losses[0].values) // HALF) :]
    mean = statistics.fmean(last)
    if mean <= LOW or max(last) - min(last) > REST * mean:
        return None
    return "flat", f"{worst[0].called} was {worst[0].values[0]:g} from the first line to the last, and {losses[0].called} rests at {mean:.4g}"


def _worst(m: Measure) -> bool:
    if _WRONG.search(m.name):
        whole = 100.0 if max(m.values) > 1.5 else 1.0
        return all(v >= whole for v in m.values)
    return not any(m.values)
