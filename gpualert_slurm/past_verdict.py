from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.record import Record, TimeNs


class PastVerdict(Record):
    """What was found for an earlier job: on one of these nodes, of this user, or a parent of this job."""

    relation: str
    """``node``, ``parent``, ``earlier_attempt`` or ``same_name``."""
    job: str
    mode: str
    cause: Cause | None = None
    fault: str
    ended_ns: TimeNs | None = None
    nodes: str | None = None
    head_loss: float | None = None
    tail_loss: float | None = None
    gpu_hours: float | None = None
    fingerprint: str | None = None
