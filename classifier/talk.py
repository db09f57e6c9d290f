"""What a run of several ranks tells of the time that they exchange, and whether it does so over a fast fabric."""

from __future__ import annotations

import re

from gpualert_slurm.classifier.accounts import account, trained_s
from gpualert_slurm.classifier.excerpts import heads
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.own_times import held_up_by
from gpualert_slurm.classifier.rank_times import slow_rank
from gpualert_slurm.classifier.spent import Spent, spent
from gpualert_slurm.classifier.time_kinds import TALK

MOSTLY, LEAST_TALK_S = 0.6, 5.0
"""Of a run of few steps: the share, and seconds of it, at least."""
MOST_HEAD = 2000
_RANKS = re.compile(
    r"\b[2-9]\d{0,4} (?:MPI )?(?:ranks|processes|procs|nodes|gpus)\b|\b(?:ranks|world[_ ]?size|nprocs?)['\"]?\s?[=:]?\s?(?:[2-9]|\d\d{1,4})\b",
    re.IGNORECASE,
)
_BENCHMARK = re.compile(
    r"\balgbw\b[^\n]{0,40}\bbusbw\b|\bminBytes \d+ maxBytes \d+"
    r"|\bOSU MPI\S{0,8} \w+ (?:Latency|Bandwidth) Test\b|\bIntel\(R\) MPI Benchmarks\b"
)
"""The heads of nccl-tests, OSU's micro-benchmarks and Intel's."""
_FAST = re.compile(r"\bUsing network (?:IB|IBext\w{0,4}|AWS Libfabric|OFI)\b|\bNET/IB : Using\b")


def talks(facts: Facts) -> Spent | None:
    """What the run tells of what its ranks exchange."""
    if measures_the_fabric(facts):
        return None
    own, parts = spent(facts, "talk"), account(facts, frozenset({TALK}))
    if parts is None or (own is not None and own.share >= parts.share):
        return own
    return Spent(parts.share, parts.said, facts.advance.marks[-1:] or facts.cite_end()[:1], parts.whole_s)


def measures_the_fabric(facts: Facts) -> bool:
    """Whether the run is nccl-tests or the like: what is exchanged is all that it is for."""
    return any(_BENCHMARK.search(head) for head in heads(facts.job, MOST_HEAD))


def mostly_talk(facts: Facts) -> Spent | None:
    """The same of a run that was long, and talked for MOSTLY of it: however few its steps."""
    own = talks(facts) if facts.advanced or facts.measured is not None else None
    if own is None or not of_several(facts, own.said):
        return None
    if own.share < MOSTLY or own.share * (own.whole_s or trained_s(facts) or 0.0) < LEAST_TALK_S:
        return None
    return None if on_fabric(facts) or uneven(facts) else own


def of_several(facts: Facts, said: str) -> bool:
    """Whether there were several ranks: as known, or by what the run calls what it tells of."""
    if max(facts.ranks_total, facts.crew) > 1 or among_ranks(said):
        return True
    return any(_RANKS.search(head) or among_ranks(head) for head in heads(facts.job, MOST_HEAD))


def worth_it(facts: Facts, own: Spent) -> bool:
    """Whether it comes to more than a moment, as far as times tell."""
    whole_s = own.whole_s or trained_s(facts)
    return not whole_s or own.share * whole_s >= LEAST_TALK_S / 2


def uneven(facts: Facts) -> bool:
    """Whether one rank holds up the others: then they wait for it, whatever the waiting is called."""
    slow = slow_rank(facts.job, facts.advance.step_s, max(facts.ranks_total, facts.crew))
    return slow is not None or held_up_by(facts.job) is not None


def on_fabric(facts: Facts) -> bool:
    """Whether NCCL said that it exchanges over a fast fabric: what it takes is then the exchange's own time."""
    return any(_FAST.search(one.text) for report in facts.job.reports for one in report.excerpts)


_AMONG = re.compile(
    r"all[-_ ]?(?:reduce|gather|to[-_ ]?all)|reduce[-_ ]?(?:scatter|grad\w*)|(?:grad(?:ient)?s?|param(?:eter)?s?)[-_ ]?(?:sync|exchange|reduc|all)"
    r"|\bnccl\b|\bmpi(?:\b|_)|\bhalo\b|\bghost (?:cell|zone|exchange)|\bcomm(?:unication)?\b|\baggregat\w{1,4}\b.{0,20}\bbroadcast|\ball[-_ ]ranks\b",
    re.IGNORECASE,
)


def among_ranks(said: str) -> bool:
    """Whether a line tells of what only several ranks do."""
    return _AMONG.search(said) is not None
