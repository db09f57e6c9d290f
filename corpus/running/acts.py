"""What happens to a job while it runs: by whom it is cancelled, which of its nodes dies."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

from tests.testbed import Cluster
from tests.testbed.daemon import wait_until
from tests.testbed.host import ALICE, BOB

Act = Callable[[Cluster, int, Path, str], None]
_DOWN = threading.Lock()
_LOST: set[str] = set()


def _printed(cluster: Cluster, job_id: int, folder: Path, after: str, timeout_s: float = 240) -> None:
    """Wait for a line of the job's output."""
    cluster.wait_running(job_id, timeout_s)
    if after:
        pattern = re.compile(after)
        wait_until(
            lambda: any(pattern.search(p.read_text(errors="replace")) for p in folder.glob("*.out")),
            f"{after!r} in the output of job {job_id}",
            timeout_s,
            poll_s=0.3,
        )


def scancel(cluster: Cluster, job_id: int, folder: Path, after: str) -> None:
    """Its owner cancels it."""
    _printed(cluster, job_id, folder, after)
    cluster.command("scancel", str(job_id), user=ALICE)


def scancel_by_admin(cluster: Cluster, job_id: int, folder: Path, after: str) -> None:
    """Root cancels it."""
    _printed(cluster, job_id, folder, after)
    cluster.command("scancel", str(job_id))


def lose_node(cluster: Cluster, job_id: int, folder: Path, after: str) -> None:
    """The last of its nodes dies, once for all jobs on it; it comes back when Slurm has seen it."""
    _printed(cluster, job_id, folder, after)
    names = cluster.command("scontrol", "show", "hostnames", cluster.job(job_id)[0]["NodeList"]).stdout.split()
    node = names[-1]
    time.sleep(12)  # the others on the node are to have begun
    with _DOWN:
        if node not in _LOST:
            _LOST.add(node)
            cluster.lose_node(node)


def node_down(cluster: Cluster, job_id: int, folder: Path, after: str) -> None:
    """An admin's script sets the last of its nodes DOWN."""
    _printed(cluster, job_id, folder, after)
    names = cluster.command("scontrol", "show", "hostnames", cluster.job(job_id)[0]["NodeList"]).stdout.split()
    time.sleep(12)
    with _DOWN:
        if names[-1] not in _LOST:
            _LOST.add(names[-1])
            cluster.node_down(names[-1], "health check: no answer")


def requeue(cluster: Cluster, job_id: int, folder: Path, after: str) -> None:
    """An operator requeues it; it runs again and to its end."""
    _printed(cluster, job_id, folder, after)
    cluster.scontrol("requeue", str(job_id))
    cluster.run_again(job_id, 60)


def requeue_hold(cluster: Cluster, job_id: int, folder: Path, after: str) -> None:
    """An operator requeues it and then its owner cancels it while it waits."""
    _printed(cluster, job_id, folder, after)
    cluster.scontrol("requeuehold", str(job_id))
    wait_until(lambda: cluster.job(job_id)[0]["JobState"] == "PENDING", f"job {job_id} pending", 60, poll_s=0.3)
    time.sleep(1)
    cluster.command("scancel", str(job_id), user=ALICE)


def preempt(cluster: Cluster, job_id: int, folder: Path, after: str) -> None:
    """As ``preempt_for_good``, of a job that may be requeued; afterwards it runs again."""
    preempt_for_good(cluster, job_id, folder, after)
    wait_until(lambda: cluster.job(job_id)[0]["JobState"] == "PENDING", f"job {job_id} preempted", 60, poll_s=0.3)
    time.sleep(10)
    cluster.run_again(job_id, 60)


def kill_rank(cluster: Cluster, job_id: int, folder: Path, after: str) -> None:
    """Root sends SIGKILL to the process whose id the program has written to ``pid-1``."""
    _printed(cluster, job_id, folder, after)
    os.kill(int((folder / "pid-1").read_text()), signal.SIGKILL)


def suspend(cluster: Cluster, job_id: int, folder: Path, after: str) -> None:
    """An operator suspends it for eight seconds."""
    _printed(cluster, job_id, folder, after)
    cluster.scontrol("suspend", str(job_id))
    time.sleep(8)
    cluster.scontrol("resume", str(job_id))


def shorten(cluster: Cluster, job_id: int, folder: Path, after: str) -> None:
    """An operator takes time from it: the limit is reached at once."""
    _printed(cluster, job_id, folder, after)
    cluster.scontrol("update", f"jobid={job_id}", "timelimit=1")


def scancel_step(cluster: Cluster, job_id: int, folder: Path, after: str) -> None:
    """Its owner cancels the first step, not the script around it."""
    _printed(cluster, job_id, folder, after)
    cluster.command("scancel", f"{job_id}.0", user=ALICE)


def scancel_all_of_name(cluster: Cluster, job_id: int, folder: Path, after: str) -> None:
    """Its owner cancels whatever runs under the job's name."""
    _printed(cluster, job_id, folder, after)
    cluster.command("scancel", f"--name={cluster.job(job_id)[0]['JobName']}", "--state=RUNNING", user=ALICE)


def scancel_late(cluster: Cluster, job_id: int, folder: Path, after: str) -> None:
    """Its owner looks at it half a minute later, and cancels it."""
    _printed(cluster, job_id, folder, after)
    time.sleep(32)
    cluster.command("scancel", str(job_id), user=ALICE)


def stop_rank(cluster: Cluster, job_id: int, folder: Path, after: str) -> None:
    """Root stops the process whose id the program has written to ``pid-1``."""
    _printed(cluster, job_id, folder, after)
    os.kill(int((folder / "pid-1").read_text()), signal.SIGSTOP)


def slurmd_dies(cluster: Cluster, job_id: int, folder: Path, after: str) -> None:
    """The slurmd of the last of its nodes dies, once for all jobs on it; its tasks live on until Slurm has given the node up."""
    _printed(cluster, job_id, folder, after)
    names = cluster.command("scontrol", "show", "hostnames", cluster.job(job_id)[0]["NodeList"]).stdout.split()
    time.sleep(12)
    with _DOWN:
        if names[-1] not in _LOST:
            _LOST.add(names[-1])
            cluster.nodes[names[-1]].slurmd.kill()


def requeue_by_owner(cluster: Cluster, job_id: int, folder: Path, after: str) -> None:
    """Its owner requeues it; it runs again and to its end."""
    _printed(cluster, job_id, folder, after)
    cluster.command("scontrol", "requeue", str(job_id), user=ALICE)
    cluster.run_again(job_id, 60)


def requeues_itself(cluster: Cluster, job_id: int, folder: Path, after: str) -> None:
    """The batch script asks for its own requeue; it runs again and to its end."""
    _printed(cluster, job_id, folder, after)
    cluster.run_again(job_id, 90)


def lose_node_and_go_on(cluster: Cluster, job_id: int, folder: Path, after: str) -> None:
    """Its node dies, once for all jobs on it; Slurm requeues it, and it runs again elsewhere."""
    lose_node(cluster, job_id, folder, after)
    wait_until(lambda: cluster.job(job_id)[0]["JobState"] == "PENDING", f"job {job_id} requeued", 90, poll_s=0.3)
    cluster.scontrol("update", f"jobid={job_id}", "excnodelist=n3,n4,n5,n6")
    cluster.run_again(job_id, 60)


def preempt_for_good(cluster: Cluster, job_id: int, folder: Path, after: str) -> None:
    """A job of the urgent partition needs its whole node, once for all jobs on it; it may not be requeued, and ends."""
    _printed(cluster, job_id, folder, after)
    node = cluster.job(job_id)[0]["NodeList"]
    time.sleep(10)
    with _DOWN:
        if f"urgent {node}" not in _LOST:
            _LOST.add(f"urgent {node}")
            cluster.submit("sleep 6", "--partition=urgent", f"-w{node}", "-N1", "-n48", "--no-requeue", user=BOB)


ACTS: dict[str, Act] = {
    f.__name__: f
    for f in (
        *(scancel, scancel_by_admin, scancel_step, scancel_all_of_name, scancel_late, lose_node, node_down, slurmd_dies, lose_node_and_go_on),
        *(requeue, requeue_hold, requeue_by_owner, requeues_itself, kill_rank, stop_rank, suspend, shorten, preempt, preempt_for_good),
    )
}
"""By name."""
