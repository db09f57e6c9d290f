"""Which jobs ended in a stretch of time, by Slurm's accounting: for those that nobody announced."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from gpualert_slurm.epilog import bounded_command
from gpualert_slurm.epilog.bounded_command import CommandError
from gpualert_slurm.epilog.provider import Asking, RecordsError
from gpualert_slurm.epilog.slurm_text import words
from gpualert_slurm.record import TimeNs

STATES = "BF,CA,CD,DL,F,NF,OOM,PR,TO"
"""sacct(1): boot fail, cancelled, completed, deadline, failed, node fail, out of memory, preempted, timeout."""
FIELDS = ("JobIDRaw", "UID", "Start", "End")
"""Nothing that an owner chose: a line is a row."""
SECOND_NS = 1_000_000_000


@dataclass(frozen=True)
class EndedJob:
    """One attempt that is over; ``start_ns`` is None where it never started."""

    job_id: int
    uid: int
    start_ns: TimeNs | None
    end_ns: TimeNs


def ended_jobs(asking: Asking, since_ns: int, until_ns: int) -> list[EndedJob]:
    """Attempts whose end lies in ``since_ns <= end < until_ns`` (whole seconds), by their end. One sacct.

    Raises:
        RecordsError: it did not answer, or not in time.
    """
    cluster = [f"--clusters={asking.cluster}"] if asking.cluster else []
    argv = ["sacct", "-D", "-a", "-X", "-n", "-P", "--delimiter=|", *cluster, f"--state={STATES}", f"--starttime={_utc(since_ns)}",
            f"--endtime={_utc(until_ns)}", f"--format={','.join(FIELDS)}"]  # fmt: skip
    env = {name: value for name, value in os.environ.items() if not name.startswith("SACCT_")}
    env |= {"TZ": "UTC", "SLURM_TIME_FORMAT": "%s", "LC_ALL": "C"}
    try:
        said = bounded_command.run(argv, timeout_s=asking.timeout_s, env=env, stopping=asking.stopping)
    except CommandError as error:
        raise RecordsError(str(error)) from error
    found = [job for line in said.stdout.splitlines() if (job := _job(line)) is not None and since_ns <= job.end_ns < until_ns]
    return sorted(found, key=lambda job: (job.end_ns, job.job_id))


def _job(line: str) -> EndedJob | None:
    """None for what is no job with an owner and an end."""
    job_id, uid, start_s, end_s = (words.number(field) for field in (*line.split("|"), "", "", "", "")[:4])
    if job_id is None or uid is None or end_s is None:
        return None
    return EndedJob(job_id, uid, None if start_s is None else start_s * SECOND_NS, end_s * SECOND_NS)


def _utc(time_ns: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time_ns // SECOND_NS))
