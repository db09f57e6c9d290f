from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.record import Record, TimeNs

UNNAMED_PLACE = "a place that its output does not name"
"""Stands in ``checkpoints`` of a job that said that it saved, and not where."""


class PastVerdict(Record):
    """What was found for an earlier job: on one of these nodes, of this user, or a parent of this job.

    ``head_loss`` and ``tail_loss`` are the first and last value of its loss; ``steps_done`` the last step it counted;
    ``checkpoints`` the places its output said that it saved to, the last one last, at most a few.
    """

    relation: str
    """``node``, ``parent`` (this job depends on it, or names a checkpoint of it), ``earlier_attempt`` or ``same_name``."""
    job: str
    mode: str
    cause: Cause | None = None
    fault: str
    ended_ns: TimeNs | None = None
    nodes: str | None = None
    head_loss: float | None = None
    tail_loss: float | None = None
    steps_done: int | None = None
    checkpoints: tuple[str, ...] = ()
    gpu_hours: float | None = None
    fingerprint: str | None = None
