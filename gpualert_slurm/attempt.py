from __future__ import annotations

from gpualert_slurm.record import Record, TimeNs


class Attempt(Record):
    """One run of one job: job ids wrap and requeues reuse them, so an id alone names nothing for long.

    ``restart_count`` is the Epilog's ``SLURM_JOB_RESTART_COUNT`` (SPANK's own item is always 0), absent while the
    job runs. ``start_time_ns`` is when the first step began on the node that says so. ``sluid`` is Slurm's own
    unique id, where it has one (24.11 and later).
    """

    cluster: str
    job_id: int
    array_job_id: int | None = None
    array_task_id: int | None = None
    het_job_id: int | None = None
    het_offset: int | None = None
    restart_count: int | None = None
    start_time_ns: TimeNs | None = None
    sluid: str | None = None

    @property
    def label(self) -> str:
        """The job as sacct prints it: ``4242``, ``4242_7`` for an array's task, ``4242+1`` for a het component."""
        if self.array_job_id is not None and self.array_task_id is not None:
            return f"{self.array_job_id}_{self.array_task_id}"
        if self.het_job_id is not None and self.het_offset is not None:
            return f"{self.het_job_id}+{self.het_offset}"
        return str(self.job_id)
