"""What a user or an admin does on the bed: sbatch, srun, sacct, scontrol."""

from __future__ import annotations

import itertools
import os
import pwd
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .command import CommandError, Done, run
from .host import ALICE
from .processes import MARK

PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
ENDED = {"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT", "REVOKED"}
FIELDS = ("JobID", "JobName", "User", "State", "ExitCode", "DerivedExitCode", "NodeList", "Start", "End")


@dataclass(frozen=True)
class JobEnd:
    """How slurmctld says a job ended; an array's or a het job's states are joined by commas. ``end_s``: since the epoch, whole seconds."""

    job_id: int
    state: str
    exit_code: str
    reason: str
    node_list: str
    end_s: float


class SlurmClient:
    """Slurm's commands with the bed's SLURM_CONF, as any user. ``logs`` gives the daemons' last words for errors."""

    def __init__(self, root: Path, logs: Callable[[], str]) -> None:
        self.root = root
        self._logs = logs
        self._scripts = itertools.count(1)

    def environment(self, user: str = "root", extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """A login's environment on the bed, with ``SLURM_CONF``. HOME is the bed's own folder of that user."""
        return {
            "PATH": PATH, "LANG": "C.UTF-8", "HOME": str(self.home(user)), "USER": user, "LOGNAME": user, "SHELL": "/bin/bash",
            "SLURM_CONF": str(self.root / "etc" / "slurm.conf"), MARK: str(self.root), **(extra or {}),
        }

    def home(self, user: str = ALICE) -> Path:
        """The user's folder on the bed, readable by that user and by all: jobs start there and leave their output there."""
        folder = self.root / "home" / user
        if not folder.exists():
            folder.mkdir(mode=0o755, parents=True)
            entry = pwd.getpwnam(user)
            os.chown(folder, entry.pw_uid, entry.pw_gid)
        return folder

    def command(
        self, *argv: str, user: str = "root", env: Mapping[str, str] | None = None, timeout_s: float = 60, check: bool = True,
        stdin: str | None = None, cwd: Path | None = None,
    ) -> Done:
        """Any command on the bed as ``user``; raises ``CommandError`` where it fails (unless ``check`` is off) or is late."""
        return run(argv, env=self.environment(user, env), user=user, cwd=cwd or self.home(user), timeout_s=timeout_s, check=check,
                   stdin=stdin, logs=self._logs)

    def submit(
        self, script: str | Path, *options: str, user: str = ALICE, env: Mapping[str, str] | None = None, args: Sequence[str] = (),
    ) -> int:
        """``sbatch options script args`` as ``user``; gives the job id. A script given as text is kept in the user's folder.

        Output goes to ``slurm-<jobid>.out`` in the user's folder unless an option says otherwise: see ``output``.
        """
        if isinstance(script, str):
            path = self.home(user) / f"job-{next(self._scripts)}.sh"
            path.write_text(script if script.startswith("#!") else f"#!/bin/bash\n{script}\n")
            path.chmod(0o755)
            script = path
        done = self.command("sbatch", "--parsable", *options, str(script), *args, user=user, env=env)
        return int(done.stdout.strip().splitlines()[-1].partition(";")[0])

    def output(self, job_id: int, user: str = ALICE) -> str:
        """The text of ``slurm-<jobid>.out`` in the user's folder; empty while the file does not exist."""
        path = self.home(user) / f"slurm-{job_id}.out"
        return path.read_text(errors="replace") if path.exists() else ""

    def srun(
        self, *argv: str, user: str = ALICE, env: Mapping[str, str] | None = None, timeout_s: float = 60, check: bool = False,
    ) -> Done:
        """``srun argv`` as ``user``; does not raise on an exit status unless told to."""
        return self.command("srun", *argv, user=user, env=env, timeout_s=timeout_s, check=check)

    def scontrol(self, *argv: str, check: bool = True) -> str:
        """``scontrol argv`` as root; gives its stdout."""
        return self.command("scontrol", *argv, check=check).stdout

    def job(self, job_id: int) -> list[dict[str, str]]:
        """What slurmctld knows: one dict per array element or het component; empty once it has forgotten the job (``MinJobAge``)."""
        done = self.command("scontrol", "-o", "show", "job", str(job_id), check=False)
        if done.returncode != 0:
            if "Invalid job id" in done.stderr:
                return []
            raise CommandError(f"scontrol show job {job_id}: {done.stderr.strip()}\n{self._logs()}")
        # A job's name may hold a newline; a record begins where a line begins with JobId=.
        lines = re.split(r"\n(?=JobId=\d)", done.stdout)
        return [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in lines if line.strip()]

    def wait(self, job_id: int, timeout_s: float = 60) -> JobEnd:
        """Wait until slurmctld says that the job has ended and its nodes are free again; raises ``CommandError`` when it is late."""
        until = time.monotonic() + timeout_s
        while True:
            parts = self.job(job_id)
            if not parts:
                row = self.sacct(job_id)[0]
                return JobEnd(job_id, row["State"], row["ExitCode"], "", row["NodeList"], _epoch_s(row["End"]))
            if all(part["JobState"] in ENDED for part in parts):
                return JobEnd(job_id, ",".join(dict.fromkeys(part["JobState"] for part in parts)), parts[-1]["ExitCode"],
                              parts[-1]["Reason"], parts[-1].get("NodeList", ""), _epoch_s(parts[-1]["EndTime"]))
            if time.monotonic() > until:
                raise CommandError(f"job {job_id} has not ended after {timeout_s} s: {parts}\n{self._logs()}")
            time.sleep(0.2)

    def wait_running(self, job_id: int, timeout_s: float = 30) -> str:
        """Wait until the job runs; gives its node list. Raises ``CommandError`` where it ended before, or is late."""
        until = time.monotonic() + timeout_s
        while True:
            parts = self.job(job_id)
            if parts and all(part["JobState"] == "RUNNING" for part in parts):
                return parts[0]["NodeList"]
            if time.monotonic() > until or not parts or any(part["JobState"] in ENDED for part in parts):
                raise CommandError(f"job {job_id} does not run: {parts}\n{self._logs()}")
            time.sleep(0.1)

    def sacct(self, job_id: int, fields: Sequence[str] = FIELDS, *, final_within_s: float = 15) -> list[dict[str, str]]:
        """The job's accounting rows (job first, then steps), every attempt; waits until each has an end.

        Raises:
            CommandError: no final record after ``final_within_s``; the text has the rows seen. With 0 the rows of the moment are given.
        """
        asked = list(dict.fromkeys([*fields, "State", "End"]))
        until = time.monotonic() + final_within_s
        while True:
            done = self.command("sacct", "-D", "-n", "-P", "--delimiter=\x1f", "-j", str(job_id), f"--format={','.join(asked)}")
            rows = [dict(zip(asked, line.split("\x1f"), strict=True)) for line in done.stdout.splitlines()]
            if final_within_s <= 0 or (rows and all(row["End"] != "Unknown" for row in rows)):
                return rows
            if time.monotonic() > until:
                raise CommandError(f"no final accounting record of job {job_id} after {final_within_s} s: {rows}\n{self._logs()}")
            time.sleep(0.2)


def _epoch_s(text: str) -> float:
    """Slurm's local time, such as 2026-11-20T17:04:35, as seconds since the epoch."""
    return time.mktime(time.strptime(text, "%Y-%m-%dT%H:%M:%S"))
