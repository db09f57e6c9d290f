"""Slurm holds on to a job's processes as the bed was told to, and gpualert reports what that way can know."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import pytest

from gpualert_slurm.exit_record import ExitRecord
from gpualert_slurm.job_file import JobFile
from tests.testbed import Cluster

pytestmark = pytest.mark.timeout(180)
ASKED = "--gpualert-mail=alice@example.org"
# Bytes that the kernel must really give: a string that is written to, in a process of its own below the rank.
EAT = "/usr/bin/python3 -c 'x = bytearray(); [x.extend(bytes([1]) * 1000000) for _ in range(400)]; print(len(x))'"


def test_slurm_says_what_the_bed_was_told(cluster: Cluster) -> None:
    """The running daemons have the plugins of the chosen tracking, and only cgroup shows in a task's own groups."""
    said = {line.partition("=")[0].strip(): line.partition("=")[2].strip() for line in cluster.scontrol("show", "config").splitlines()}
    assert said["ProctrackType"] == f"proctrack/{cluster.conf.tracking}"
    assert said["JobAcctGatherType"] == {"cgroup": "jobacct_gather/cgroup", "linuxproc": "jobacct_gather/linux"}[cluster.conf.tracking]
    groups = cluster.srun("-n1", "cat", "/proc/self/cgroup", check=True).stdout
    assert ("slurm" in groups) == (cluster.conf.tracking == "cgroup")


def test_a_daemon_that_leaves_its_session_is_caught_by_cgroup_alone(cluster: Cluster) -> None:
    """What a job leaves behind ends with it under cgroup; linuxproc, which follows parents, loses a grandchild whose parent is gone."""
    note = cluster.home() / f"daemon-{time.time_ns()}"
    job = cluster.submit(f"setsid sh -c 'sleep 30 & echo $! > {note}'; sleep 1")
    assert cluster.wait(job).state == "COMPLETED"
    pid = int(note.read_text())
    try:
        time.sleep(1)
        left = Path(f"/proc/{pid}/cmdline")
        lives = left.exists() and b"sleep" in left.read_bytes()
        assert lives == (cluster.conf.tracking == "linuxproc")
    finally:
        if cluster.conf.tracking == "linuxproc" and lives:
            cluster.command("kill", str(pid), check=False)


@pytest.fixture
def memory_is_held(cluster: Cluster) -> Cluster:
    """Only task/cgroup holds a task to its memory."""
    if cluster.conf.tracking != "cgroup":
        pytest.skip("only tracking by cgroup holds a job to its memory: GPUALERT_TESTBED_TRACKING=cgroup")
    return cluster


@pytest.mark.parametrize(("script", "step", "job_state"), [(f"srun -n1 {EAT}", "0", "FAILED"), (EAT, "batch", "OUT_OF_MEMORY")])
def test_a_kill_for_memory_is_in_slurms_records_and_in_ours(memory_is_held: Cluster, script: str, step: str, job_state: str) -> None:
    """A real kill by the kernel's OOM killer: Slurm's OUT_OF_MEMORY for the step, and the counters of the step's group in the exit record.

    A job whose step alone ran out of memory is FAILED: the batch script says with what.
    """
    cluster = memory_is_held
    job = cluster.submit(script, ASKED, "--mem=100M", "-w", "n1")
    record = _exit_record(cluster, job, step)
    assert cluster.wait(job).state == job_state
    rows = {row["JobID"]: row for row in cluster.sacct(job)}
    assert (rows[f"{job}.{step}"]["State"], rows[f"{job}.{step}"]["ExitCode"]) == ("OUT_OF_MEMORY", "0:125")
    assert record.memory is not None, "the step's memory group was not read"
    assert (record.memory.limit_bytes, record.memory.oom_kill_events) == (100 << 20, 1)


def _exit_record(cluster: Cluster, job: int, step: str) -> ExitRecord:
    """The record of the step's first task once it has ended, caught before gpualert-node takes it away."""
    node = cluster.gpualert.state_dir / "node" / "n1"
    until = time.monotonic() + 60
    while time.monotonic() < until:
        for path in [*node.glob(f"jobs/{job}.*"), *node.glob(f"ended/{job}.*")]:
            with contextlib.suppress(OSError):  # moved from jobs/ to ended/, or taken, meanwhile
                records, _ = ExitRecord.read_folder(JobFile.read(path).record_folder)
                for record in records:
                    if record.step == step and record.task == 0 and record.wait_status is not None:
                        return record
        time.sleep(0.02)
    raise AssertionError(f"no exit record of job {job} step {step} within 60 s")
