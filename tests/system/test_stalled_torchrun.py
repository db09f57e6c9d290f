"""Ranks of a real torchrun on two nodes, below one Slurm task each, doing gloo's all_reduce: one is stopped, and the mail names it, not the task.

Needs ``make torch``.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket

import pytest

from tests.system.test_daemon import about, text
from tests.system.test_node_reports import ALICE, MAIL
from tests.system.test_stall_mail import bed
from tests.testbed import Cluster, pytorch
from tests.testbed.daemon import wait_until
from tests.testbed.processes import environ

__all__ = ["bed"]

PYTHON = pytorch.interpreter()
pytestmark = [pytest.mark.skipif(not PYTHON, reason=pytorch.WHY_NOT), pytest.mark.timeout(700)]
RANKS, STOPPED = 4, 3
TRAIN = """
import os, sys, time
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader

def main():
    home = sys.argv[1]
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    with open(f"{home}/torch-pid-{rank}.part", "w") as file:
        file.write(str(os.getpid()))
    os.rename(f"{home}/torch-pid-{rank}.part", f"{home}/torch-pid-{rank}")
    weights = torch.zeros(1000)
    for step, batch in enumerate(DataLoader(list(range(4000)), batch_size=4, num_workers=1)):
        weights[:4] = batch
        dist.all_reduce(weights)
        if rank == 0:
            print("step", step, flush=True)
        time.sleep(0.7)

main()
"""


def free_port() -> int:
    """One that nobody listens on just now, on loopback."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def of_node(pid: int) -> str:
    """The simulated node that a process was started on."""
    return environ(pid)["SLURMD_NODENAME"]


def test_mail_names_the_stopped_rank_below_torchrun_while_the_job_runs_and_the_all_clear_follows(bed: Cluster) -> None:
    """Slurm sees two tasks. Only rank 0 prints, and the stopped rank is on the other node; data loaders' workers have the ranks' environment, and are none."""
    bed.configure({"node": {"stall_min_s": 12}})  # four ranks with their loaders on a busy machine: a hiccup is no standstill
    home = bed.home(ALICE)
    (home / "train.py").write_text(TRAIN)
    rendezvous = f"--rdzv-backend=c10d --rdzv-endpoint=127.0.0.1:{free_port()} --local-addr=127.0.0.1 --rdzv-id=stall"
    run = f"{PYTHON} -m torch.distributed.run --nnodes=2 --nproc-per-node=2 {rendezvous} {home}/train.py {home}"
    script = f"#!/bin/bash\nexport OMP_NUM_THREADS=1 GLOO_SOCKET_IFNAME=lo\nsrun -N2 -n2 --ntasks-per-node=1 {run}\n"
    job = bed.submit(script, "-wn[1-2]", "-N2", "-n2", "--ntasks-per-node=1", "--cpus-per-task=4", "--time=10", MAIL, user=ALICE)
    stalled = lambda mail: about(job)(mail) and mail.message()["X-GPUAlert-Stall"] == "stalled"  # noqa: E731
    resumed = lambda mail: about(job)(mail) and mail.message()["X-GPUAlert-Stall"] == "resumed"  # noqa: E731
    pids: dict[int, int] = {}
    try:
        log = bed.gpualert.state_dir / "logs"
        wait_until(lambda: any(b"step 8\n" in path.read_bytes() for path in log.glob(f"{job}.*/0.*.out")), "it has a rhythm", 240)
        pids = {rank: int((home / f"torch-pid-{rank}").read_text()) for rank in range(RANKS)}
        node, stopped = ("n2", STOPPED) if of_node(pids[0]) == "n1" else ("n1", STOPPED)
        assert of_node(pids[stopped]) == node, "rank 0 and the last rank are on two nodes"
        os.kill(pids[stopped], signal.SIGSTOP)
        (mail,) = bed.smtp.wait_mail(stalled, timeout_s=180)
        assert bed.job(job)[0]["JobState"] == "RUNNING"
        subject, words = str(mail.message()["Subject"]), text(mail)
        assert re.search(rf"no progress since \d\d:\d\d \S+ on {RANKS} ranks; rank {stopped} is stopped by a signal", subject), subject
        for rank, pid in pids.items():
            stands = "is stopped by a signal" if rank == stopped else "waits in a collective"
            assert f"rank {rank} on {of_node(pid)} (local rank {rank % 2}, pid {pid}) {stands}" in words, words
        assert f"-w {node} kill -CONT {pids[stopped]}" in words
        os.kill(pids[stopped], signal.SIGCONT)
        (clear,) = bed.smtp.wait_mail(resumed, timeout_s=120)
        assert "all clear" in str(clear.message()["Subject"])
        assert clear.message()["References"] == mail.message()["References"]
    finally:
        for pid in pids.values():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        bed.command("scancel", str(job), check=False)
        bed.wait(job, timeout_s=90)
    assert len([m for m in bed.smtp.mails() if stalled(m)]) == 1
