"""Finds jobs in ``jobs/`` that are over although no epilog said so: from another boot, or with no step left."""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from gpualert_slurm.job_file import JobFile

_BATCH_GONE_S = 60.0
_STEP_GONE_S = 600.0
_ASK_AGAIN_MOST_S = 3600.0
_UNANSWERED_S = 60.0
_SPREAD = 3.0
"""A step ends on all nodes of a job in the same second: questions are spread over three times their delay, for slurmctld's sake."""
_OVER = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE", "PENDING", "REQUEUED")


@dataclass
class _Absence:
    since: float
    ask_at: float
    delay_s: float = _STEP_GONE_S


@dataclass
class Sweep:
    """Remembers since when a job has no slurmstepd here.

    The batch or interactive step lives as long as the job does: when it is gone for a minute, the job is over. A job whose first step
    here was an ordinary one may be between two steps: after ten minutes or more slurmctld is asked, and again with growing delays.
    """

    ask: Callable[[int], bool | None]
    """Whether Slurm says the job is over; None when it does not answer."""
    luck: Callable[[], float] = random.random
    """From 0 to 1."""
    _absent: dict[str, _Absence] = field(default_factory=dict)
    _quiet_until: float = 0.0

    def over(self, job: JobFile, stepds: Mapping[int, int], boot_id: str) -> str | None:
        """Why the job must be over, None while it may run."""
        if job.boot_id != boot_id:
            return "its job file is from before the node's last boot"
        if job.job_id in stepds.values():
            self._absent.pop(job.attempt, None)
            return None
        now = time.monotonic()
        absence = self._absent.get(job.attempt)
        if absence is None:
            absence = self._absent[job.attempt] = _Absence(now, now + self._spread(_STEP_GONE_S))
        if job.first_step in {"batch", "interactive"}:
            return "its first step is gone and no epilog ran" if now - absence.since >= _BATCH_GONE_S else None
        if now < max(absence.ask_at, self._quiet_until):
            return None
        absence.delay_s = min(_ASK_AGAIN_MOST_S, 2 * absence.delay_s)
        absence.ask_at = now + self._spread(absence.delay_s)
        over = self.ask(job.job_id)
        if over is None:
            self._quiet_until = now + _UNANSWERED_S
        return "Slurm says that it is over, and no epilog ran" if over else None

    def _spread(self, delay_s: float) -> float:
        return delay_s * (1 + _SPREAD * self.luck())


def slurm_says_over(job_id: int) -> bool | None:
    """Ask slurmctld once, at most five seconds: True also for a job it has forgotten."""
    try:
        done = subprocess.run(
            ["squeue", "--noheader", "--states=all", f"--jobs={job_id}", "--format=%T"],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=5, check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    states = done.stdout.decode("ascii", "replace").split()
    if done.returncode != 0:
        return True if b"Invalid job id" in done.stderr else None
    return all(state in _OVER for state in states)
