"""srun and slurmstepd as they speak on a job's own output, Slurm 22.05 to 26.05. USER trust: a job can print the same."""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.pattern import Match, Parser, Pattern, refined
from gpualert_slurm.evidence import Role

_SIGNALS = {
    "Segmentation fault": 11,
    "Killed": 9,
    "Terminated": 15,
    "Aborted": 6,
    "Bus error": 7,
    "Floating point exception": 8,
    "Illegal instruction": 4,
}


def _task(found: re.Match[str], match: Match) -> Match:
    words = found["how"]
    if words.startswith("Exited with exit code"):
        return refined(match, data={"code": int(found["code"])} if found["code"] else {})
    name = words.split(" (")[0].strip()
    changes = {"signal": _SIGNALS.get(name, 0)}
    if name == "Out Of Memory":
        return refined(match, cause=Cause.OOM_KILLER, data={"signal": 9})
    return refined(match, cause=Cause.SEGFAULT if name == "Segmentation fault" else None, data=changes)


def _cancelled(found: re.Match[str], match: Match) -> Match:
    why = (found["why"] or "").upper()
    if "TIME LIMIT" in why:
        return refined(match, says="time_limit_text", role=Role.ROOT)
    if "PREEMPTION" in why or "REQUEUE" in why:
        return refined(match, says="preempted_text", role=Role.ROOT)
    if "NODE" in why:
        return refined(match, says="node_failure_text", role=Role.ROOT)
    return match


PARSER = Parser(
    program="Slurm",
    patterns=(
        Pattern(
            name="task_exited",
            says="task_exited",
            role=Role.WRAPPER,
            regex=r"^(?:srun|mpirun|prterun): error: (?P<host>[\w.-]{1,120}): tasks? (?P<tasks>[\d,-]{1,400}): (?P<how>Exited with exit code (?P<code>\d{1,3})|Segmentation fault|Killed|Terminated|Aborted|Bus error"
            r"|Floating point exception|Illegal instruction|Out Of Memory|[A-Z][a-z]+(?: [a-z]+){0,3})",
            literals=(": task ", ": tasks "),
            samples=(
                "srun: error: n2: task 3: Exited with exit code 1",
                "srun: error: n1: tasks 0-3: Killed",
                "srun: error: n1: task 2: Segmentation fault (core dumped)",
                "srun: error: n4: task 0: Out Of Memory",
            ),
            near_misses=("current task 3: Exited", "srun: launching task 3"),
            read=_task,
        ),
        Pattern(
            name="cancelled",
            says="step_cancelled",
            role=Role.CASCADE,
            regex=r"(?:slurmstepd(?:-[\w.-]{1,120})?: |srun: )?error: \*\*\* (?P<what>JOB|STEP) (?P<id>[\w.+]{1,40}) ON (?P<host>[\w.-]{1,120}) (?:CANCELLED|FAILED) AT (?P<at>[\dT:.+-]{10,40})(?P<why>[^*]{0,120}) \*\*\*",
            literals=(" CANCELLED AT ", " FAILED AT "),
            samples=(
                "slurmstepd: error: *** STEP 42.0 ON n1 CANCELLED AT 2026-11-20T16:00:00 ***",
                "slurmstepd: error: *** JOB 42 ON n1 CANCELLED AT 2026-11-20T16:00:00 DUE TO TIME LIMIT ***",
                "slurmstepd-n1: error: *** STEP 42.0 ON n1 CANCELLED AT 2026-11-20T16:00:00 DUE TO TASK FAILURE ***",
                "slurmstepd: error: *** JOB 42 ON n1 CANCELLED AT 2026-11-20T16:00:00 DUE TO PREEMPTION ***",
                "[2026-11-20T16:00:00.031] error: *** STEP 42.0 ON n1 CANCELLED AT 2026-11-20T16:00:00 DUE TO TIME LIMIT ***",
            ),
            near_misses=("the meeting was CANCELLED AT noon", "echo *** JOB 42 done ***"),
            read=_cancelled,
        ),
        Pattern(
            name="aborted",
            says="teardown",
            role=Role.CASCADE,
            regex=r"^srun: (?:Job step aborted: Waiting up to \d{1,6} seconds|Force Terminated|Terminating Job ?Step|First task exited \d{1,6}s? ago)",
            literals=("srun: Job step aborted", "srun: Force Terminated", "srun: Terminating", "srun: First task exited"),
            samples=(
                "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
                "srun: Force Terminated StepId=42.0",
                "srun: Terminating Job Step 42.0",
            ),
            near_misses=("srun: job 42 queued and waiting for resources",),
        ),
        Pattern(
            name="oom_kill",
            says="oom_kill_text",
            role=Role.CONFIRMATION,
            regex=r"(?:Detected|detected) (?P<count>\d{1,9}) oom[-_]kill event(?:\(s\)|s)? in|Some of (?:your processes may have been killed by the cgroup out-of-memory handler|the step tasks have been OOM Killed)|Exceeded job memory limit|exceeded memory limit \(",
            literals=(
                "oom_kill event",
                "oom-kill event",
                "cgroup out-of-memory handler",
                "have been OOM Killed",
                "xceeded job memory limit",
                "exceeded memory limit",
            ),
            samples=(
                "slurmstepd: error: Detected 1 oom_kill event in StepId=42.0. Some of the step tasks have been OOM Killed.",
                "slurmstepd: error: Detected 1 oom-kill event(s) in step 42.batch cgroup. Some of your processes may have been killed by the cgroup out-of-memory handler.",
            ),
            near_misses=("0 oom_kill events so far", "memory limit not exceeded"),
            cause=Cause.OOM_KILLER,
        ),
        Pattern(
            name="execve",
            says="launch_refused",
            role=Role.ROOT,
            regex=r"error: execve\(\): (?P<path>.{1,300}): (?P<message>No such file or directory|Permission denied|Exec format error|Not a directory|Argument list too long)",
            literals=("error: execve(): ",),
            samples=(
                "slurmstepd: error: execve(): pyhton: No such file or directory",
                "slurmstepd: error: execve(): ./train.sh: Permission denied",
                "[2026-11-20T16:00:00.253] error: execve(): ./x: No such file or directory",
            ),
            near_misses=("execve() is a system call",),
            read=lambda found, match: refined(
                match,
                cause=Cause.PERMISSION if found["message"] == "Permission denied" else Cause.FILE_NOT_FOUND,
                detail="program_not_found" if "No such" in found["message"] else "program_not_run",
            ),
        ),
        Pattern(
            name="step_refused",
            says="launch_refused",
            role=Role.ROOT,
            regex=r"^srun: (?:error: |fatal: )(?P<message>Unable to create step for job \d{1,12}: .{0,200}|CPU binding outside of job step allocation.{0,200}|Unable to allocate resources: .{0,200}|Invalid --\S{1,60}.{0,200})"
            r"|(?:pyxis|slurmstepd): .{0,40}(?P<pyxis>Invalid --container-mounts argument|couldn't start container|failed to import docker image|invalid image reference).{0,200}"
            r"|(?P<pmi>was not built with SLURM's PMI support|PMI server not found|The PMIx server's listener thread failed)",
            literals=(
                "Unable to create step for job",
                "CPU binding outside of job step",
                "Unable to allocate resources",
                "Invalid --",
                "couldn't start container",
                "failed to import docker image",
                "invalid image reference",
                "was not built with SLURM's PMI",
                "PMI server not found",
                "The PMIx server's listener",
            ),
            samples=(
                "srun: error: Unable to create step for job 42: Requested node configuration is not available",
                "slurmstepd: error: pyxis: Invalid --container-mounts argument: /data",
                'The application appears to have been direct launched using "srun", but OMPI was not built with SLURM\'s PMI support',
            ),
            near_misses=("srun: job 42 has been allocated resources", "Invalid --help"),
            detail="launcher_refused",
        ),
        Pattern(
            name="node_failed",
            says="node_failure_text",
            role=Role.ROOT,
            regex=r"(?:srun|salloc): error: Node failure on (?P<host>[\w.,\[\]-]{1,200})",
            literals=("Node failure on ",),
            samples=("srun: error: Node failure on n3", "salloc: error: Node failure on n[1-2]"),
            near_misses=("Node failure on demand",),
        ),
        Pattern(
            name="output_refused",
            says="launch_refused",
            role=Role.ROOT,
            regex=r"error: (?:Could not open stdout file|IO setup failed|Unable to open file) ?(?P<path>.{0,300})",
            literals=("Could not open stdout file", "IO setup failed", "Unable to open file "),
            samples=(
                "slurmstepd: error: Could not open stdout file /nowhere/out.txt: No such file or directory",
                "slurmstepd: error: IO setup failed: No such file or directory",
            ),
            near_misses=("Unable to open file dialog",),
            detail="output_path",
        ),
    ),
)
