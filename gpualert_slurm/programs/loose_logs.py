"""Logs without a bundle as the ``JobRecord`` that the classifier judges: plain files, or a Slurm job's folders."""

from __future__ import annotations

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.gap import Gap
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.programs.bundle import exit_status
from gpualert_slurm.programs.log_paths import Found
from gpualert_slurm.programs.log_report import Whose, reports


def job_of_logs(found: Found, exit_code: int | None) -> JobRecord:
    """The run that ``found`` belongs to. ``exit_code`` is what the user says of its end; it counts where no exit record is there."""
    job_id = next((e.job_id for e in found.exits if e.job_id), found.job_id or 0)
    starts = [e.prepared.ns for e in found.exits] + [s.frame.header.created_ns for s in found.logs if s.frame.header]
    array = found.array_task_id is not None
    attempt = Attempt(
        cluster="",
        job_id=job_id,
        array_job_id=job_id if array else None,
        array_task_id=found.array_task_id,
        start_time_ns=min(starts, default=None),
    )
    said = reports(found, Whose(attempt=attempt, started_ns=attempt.start_time_ns))
    code, signal_number = exit_status(exit_code)
    gaps = []
    if not found.exits and exit_code is None:
        gaps.append(Gap(what="how the run ended", why="logs alone do not say it; give --exit-code where it is known"))
    if job_id:
        gaps.append(Gap(what="Slurm's records of the job", why="only the files named were read"))
    return JobRecord(
        attempt=attempt,
        under_slurm=bool(job_id),
        nodes=tuple(sorted({r.node for r in said if r.node})),
        exit_code=code,
        exit_signal=signal_number,
        started_ns=attempt.start_time_ns,
        reports=said,
        gaps=tuple(gaps),
    )
