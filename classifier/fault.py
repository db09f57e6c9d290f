"""The one place where fault is settled: node or cluster only by SYSTEM evidence that speaks of the infrastructure."""

from __future__ import annotations

from collections.abc import Iterable

from gpualert_slurm.classifier.vocabulary import INFRASTRUCTURE
from gpualert_slurm.evidence import Evidence, Trust
from gpualert_slurm.verdict import Fault

REFUSED = "whether the node or the cluster is at fault: no record of the system says so, and the job's own output proves nothing"


def settle(asked: Fault, cited: Iterable[Evidence]) -> Fault:
    """``asked``, or unknown where it blames a node or the cluster without a SYSTEM record of the infrastructure."""
    if asked not in {Fault.NODE, Fault.CLUSTER}:
        return asked
    if any(e.trust is Trust.SYSTEM and e.says in INFRASTRUCTURE for e in cited):
        return asked
    return Fault.UNKNOWN
