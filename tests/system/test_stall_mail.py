"""A rank of a real job is stopped: its owner hears of it while the job runs, by name, and hears again when it goes on."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator

import pytest

from tests.system.test_daemon import about, text
from tests.testbed import Cluster
from tests.testbed.daemon import wait_until
from tests.testbed.host import ALICE

MAIL = "--gpualert-mail=alice@example.org"
RANK = """
import os, signal, sys, threading, time
rank, home = int(os.environ["RANK"]), sys.argv[1]
open(f"{home}/stall-pid-{rank}", "w").write(str(os.getpid()))
def all_reduce():
    while not os.path.exists(f"{home}/stall-go"):
        threading.Event().wait(0.2)
for step in range(10):
    print("step", step, flush=True)
    time.sleep(0.8)
if rank == 1:
    os.kill(os.getpid(), signal.SIGSTOP)
else:
    all_reduce()
for step in range(10, 40):
    print("step", step, flush=True)
    time.sleep(0.8)
"""


@pytest.fixture
def bed(cluster: Cluster) -> Iterator[Cluster]:
    """The cluster with its daemon, and nodes that are quick to suspect."""
    cluster.wait_idle()
    cluster.configure({"node": {"stall_min_s": 6}})
    if not cluster.daemon.running:
        cluster.start_daemon()
    yield cluster
    cluster.configure({"node": {"stall_min_s": 300}})
    cluster.daemon.stop()


def test_owner_hears_of_the_stopped_rank_while_the_job_runs_and_of_its_going_on(bed: Cluster) -> None:
    home = bed.home(ALICE)
    (home / "rank.py").write_text(RANK)
    script = f"#!/bin/bash\nsrun -n2 bash -c 'RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID exec /usr/bin/python3 {home}/rank.py {home}'\n"
    job = bed.submit(script, "-wn1", "-n2", MAIL, user=ALICE)
    stalled = lambda mail: about(job)(mail) and mail.message()["X-GPUAlert-Stall"] == "stalled"  # noqa: E731
    resumed = lambda mail: about(job)(mail) and mail.message()["X-GPUAlert-Stall"] == "resumed"  # noqa: E731
    (mail,) = bed.smtp.wait_mail(stalled, timeout_s=90)
    assert bed.job(job)[0]["JobState"] == "RUNNING"
    subject = str(mail.message()["Subject"])
    assert re.search(r"no progress since \d\d:\d\d \S+ on 2 ranks; rank 1 is stopped by a signal", subject), subject
    assert f"scancel {job}" in text(mail)
    stopped = int((home / "stall-pid-1").read_text())
    assert f"rank 1 on n1 (local rank 1, pid {stopped}) is stopped by a signal" in text(mail)
    os.kill(stopped, signal.SIGCONT)
    (home / "stall-go").touch()
    (clear,) = bed.smtp.wait_mail(resumed, timeout_s=60)
    assert "all clear" in str(clear.message()["Subject"])
    assert clear.message()["References"] == mail.message()["References"]
    bed.command("scancel", str(job))
    wait_until(lambda: bed.job(job)[0]["JobState"] not in ("PENDING", "RUNNING"), "it is over", 90)
    assert len([m for m in bed.smtp.mails() if stalled(m)]) == 1
