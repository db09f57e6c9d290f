"""From a job's end, as accounting has it, to the mail at the SMTP server, on the idle cluster."""

from __future__ import annotations

import time

from tests.bench.compare import Progress, Row, spread
from tests.testbed import Cluster

RUNS = 8
BOUND_S = 10.0
SETTLE_S = 300.0
QUIET_S = 15.0


def run(cluster: Cluster, progress: Progress) -> list[Row]:
    """Failing two-node jobs, one after the other; the end is taken by the job's own clock as its last act."""
    took: list[float] = []
    _settle(cluster, progress)
    for number in range(RUNS):
        ended = cluster.home() / f"ended-{number}"
        script = f"srun -N2 -n4 sh -c 'echo step $SLURM_PROCID; exit 3'\ndate +%s.%N > {ended}\nexit 3"
        job = cluster.submit(script, "-N2", "-n4", "--gpualert-mail=alice@example.org")
        mail = cluster.smtp.wait_mail(lambda m, job=job: f"job {job} " in str(m.message()["Subject"]), timeout_s=90)[0]
        took.append(mail.time_s - float(ended.read_text()))
        cluster.wait_idle()
        progress(f"{number + 1}/{RUNS}")
        time.sleep(0.5)
    worst = max(took)
    what = "from the job's end to the mail on the wire, worst run"
    return [Row(what, f"{worst:.1f} s", f"≤ {BOUND_S:g} s", worst <= BOUND_S, spread(took, digits=1))]


def _settle(cluster: Cluster, progress: Progress) -> None:
    """Wait until the nodes have collected what other comparisons left behind while their services were stopped: the cluster is to be idle."""
    until = time.monotonic() + SETTLE_S
    while busy := [service.node for service in cluster.node_services.values() if service.has_work()]:
        if time.monotonic() > until:
            raise RuntimeError(f"{', '.join(busy)} still had jobs to collect after {SETTLE_S:.0f} s")
        progress(f"waits for {', '.join(busy)}")
        time.sleep(0.5)
    sent, since = -1, time.monotonic()
    while time.monotonic() - since < QUIET_S and time.monotonic() < until:  # and until gpualertd has written to all of their owners
        if (now := len(cluster.smtp.mails())) != sent:
            sent, since = now, time.monotonic()
        progress(f"waits for gpualertd, {sent} mails so far")
        time.sleep(0.5)
