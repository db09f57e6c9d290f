"""What fell below all that it had been by orders of magnitude and did not come back: a reward, a likelihood, a fitness, an R2 that ran off downwards.

A loss may be negative and fall as it pleases. But what training raises, by its name, is lost where it ends a hundred times as far below nought as
anything lay in the run's first half; and so is a number of any name that became ten thousand times as large.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence

from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.unlearned import tuned_or_played

LEAST = 10
FAR, BEYOND = 30.0, 1e4
"""Of the furthest from nought in the first part of the run, how far below nought it ends: a number that training raises; one of any name."""
OFF = 1e6
"""Of all of its first part, what no loss comes to that is worth anything: not an agent's, either."""
PART = 3
"""The first of so many parts is what it was at first."""
HEIGHT = 1.0
"""What a small number is taken for at the least."""
_RAISED = re.compile(
    r"(?:\b|_)(?:rewards?|returns?|ret|rew|fitness|score|elbo|log[ _-]?(?:like(?:lihood)?|lik|l|prob\w{0,8}|evidence)|loglik\w{0,8}|ll|lls|r[2²]|r\^2"
    r"|nse|profit|gewinn|belohnung|r[ée]compense|recompensa|ertrag|fitne[sß]\w{0,2}|aptitud)(?:\b|_|\Z)",
    re.IGNORECASE,
)

_MOUNTS = re.compile(r"sum|total|population|visited|seen|regret|steps|frames|size|count|score|points|elo", re.IGNORECASE)
"""What may grow by any factor."""


def fell_away(facts: Facts) -> tuple[str, str] | None:
    """Variant and words; None where nothing did, or the run began with somebody's weights."""
    for at, m in enumerate(facts.measured.measures if facts.measured is not None else ()):
        raised = _RAISED.search(m.name) is not None
        if len(m.values) < LEAST or len(m.finite) < len(m.values) or m.straight or not (raised or at == 0):
            continue
        if at == 0 and not (raised or _MOUNTS.search(m.name)) and min(m.values) >= 0 and flew_off(m.values) and not tuned_or_played(facts.job):
            return "spike", f"{m.called} went up from {m.values[0]:.4g} to {m.values[-1]:.4g}"
        if fell_far(m.values, FAR if raised else BEYOND) and not tuned_or_played(facts.job):
            return "spike", f"{m.called} had been {statistics.median(m.values[:3]):.4g}, and fell to {m.values[-1]:.4g}"
    return None


def fell_far(values: Sequence[float], far: float) -> bool:
    """Whether the last of the numbers all lie so many times as far below nought as any of the first ones lay from it."""
    first = max(HEIGHT, *(abs(v) for v in values[: max(3, len(values) // PART)]))
    tail = values[-max(3, len(values) // 8) :]
    return max(tail) < -far * first


def flew_off(values: Sequence[float]) -> bool:
    """Whether the last of the numbers are all so many times as large as any of the first ones."""
    first = max(HEIGHT, *(abs(v) for v in values[: max(3, len(values) // PART)])) if len(values) >= LEAST else 0.0
    return first > 0 and min(values[-3:]) > OFF * first
