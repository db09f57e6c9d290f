"""An agent that learned nothing: its reward has no trend from the first line to the last, nor has anything that is told beside it.

The losses of an agent say nothing of learning. But a policy that changes shows in something: the reward, its entropy, the length of its episodes.
A reward that lies at its bound, or is high to begin with, may have been learned before the first line.
"""

from __future__ import annotations

import re
import statistics

from gpualert_slurm.classifier.brief import only_judges
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.hover import KNOWS, trend
from gpualert_slurm.classifier.stages import stages
from gpualert_slurm.classifier.unlearned import tuned_or_played
from gpualert_slurm.evidence import Quote

LEAST, LEAST_BESIDE = 20, 2
"""Lines; and numbers that are told beside the reward."""
STEADY = 2.5
"""Slope by its own error: above it a number has a trend."""
BOUND = 0.1
"""Of all values, those that are the highest, where a reward cannot be higher."""
MOVED, APART = 0.1, 1.5
"""Of its height, and of its noise, how far a number may have moved between its first third and its last."""
LEAST_NEVER = 10
"""Lines of a reward that never came."""
_PAID = re.compile(r"(?<![\w/])rewards?(?:[/_]?mean)?['\"]?\s?[=:]\s?")
_ALL_NOUGHT = re.compile(r"(?<![\w/])rewards?(?:[/_]?mean)?['\"]?\s?[=:]\s?-?0(?:\.0{1,8})?(?![\d.])")
_NO_CHANGE = re.compile(r"(?:grad_?norm|reward[/_]std|\bloss)['\"]?\s?[=:]\s?-?0(?:\.0{1,8})?(?:e[-+]?0{1,3})?(?![\d.])")
_REWARD = re.compile(r"(?:\b|_)(?:rewards?|rew|returns?|success(?:es)?|solved|wins?|belohnung|r[ée]compense|recompensa)(?:\b|_)", re.IGNORECASE)


def unrewarded(facts: Facts) -> str | None:
    """In words, where neither the reward nor anything beside it moved; None where something did, or may have before."""
    found = facts.measured
    if found is None or len(found.counter.counts) < LEAST or not found.counter.from_the_first or facts.advance.loaded:
        return None
    reward = next((m for m in found.measures if _REWARD.search(m.name)), None)
    if reward is None or len(found.measures) <= LEAST_BESIDE or any(len(m.finite) < len(m.values) or _moves(m.values) for m in found.measures):
        return None
    highest = max(reward.values)
    mean = statistics.fmean(reward.values)
    bound = (highest > 0 and reward.values.count(highest) > BOUND * len(reward.values)) or (mean >= KNOWS and highest <= 1)
    if bound or only_judges(facts) or tuned_or_played(facts.job) or stages(facts.job) is not None:
        return None
    return f"{reward.called} lay about {mean:.4g} from the first line to the last, and nothing beside it has a trend"


def never_paid(facts: Facts) -> str | None:
    """In words, where every line tells of a reward of nought, its spread and the gradient norm or the loss with it (GRPO and its like)."""
    texts = [m.source.text for m in facts.advance.marks if isinstance(m.source, Quote)]
    told = [text for text in texts if _PAID.search(text)]
    if len(told) < LEAST_NEVER or len(told) < len(texts) or not all(_ALL_NOUGHT.search(text) and _NO_CHANGE.search(text) for text in told):
        return None
    return f"the reward was nought in each of {len(told)} lines, and nothing changed by it"


def _moves(values: tuple[float, ...]) -> bool:
    third = len(values) // 3
    first, last = statistics.fmean(values[:third]), statistics.fmean(values[-third:])
    apart = abs(last - first)
    return abs(trend(values)) > STEADY or (apart > MOVED * max(abs(first), abs(last)) and apart > APART * statistics.pstdev(values))
