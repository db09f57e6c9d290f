"""Many jobs end at once: from the reports in the daemon's history to the last message in its outbox, by the daemon's own parts.

Simulated: the reports (one node each, of the test suite's failing job, put straight into the history) and Slurm's rows. Opening the
seals is measured apart, where munged runs. What is counted is the wall time of a daemon that has this machine; its judging children are
one after the other, so that it is its CPU time as well.
"""

from __future__ import annotations

import json
import logging
import resource
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.config import Config, Mail
from gpualert_slurm.epilog.history.run import RunState
from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.notify.outbox import Outbox, State
from gpualert_slurm.programs.gpualertd.bounded import Bounded
from gpualert_slurm.programs.gpualertd.diagnosis import Around, Diagnosis
from gpualert_slurm.programs.gpualertd.dispatch import Dispatch
from gpualert_slurm.wishes import Wishes
from tests.bench.compare import Progress, Row
from tests.unit.epilog.runs import T0, S, report, row
from tests.unit.notify.test_pictures import with_series

JOBS, USERS = 5000, 100
BOUND_S = 120.0


def run(folder: Path, jobs: int, progress: Progress) -> list[Row]:
    """In a process of its own without a main module: multiprocessing would import this bench into every judging child."""
    progress(f"{jobs} jobs")
    code = f"from tests.bench.notify.storm import measure; measure({str(folder)!r}, {jobs})"
    said = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [Row(**row) for row in json.loads(said.splitlines()[-1])]


def measure(place: str, jobs: int) -> None:
    """``jobs`` runs of ``USERS`` users, each with logs, GPU series and a loss. Prints the rows as JSON."""
    logging.disable(logging.WARNING)
    folder = Path(place)
    history = History(folder / "history.db")
    outbox = Outbox(folder / "outbox")
    config = Config(mail=Mail(allowed_domains=("example.org",), sender="gpualert@example.org"))
    bounded = Bounded()
    rich = with_series(loss=tuple(8 / (i + 1) for i in range(200)), gpus=4, ranks=8)[1].reports[0]
    start = time.monotonic()
    for number in range(jobs):
        wishes = Wishes(addresses=(f"user{number % USERS}@example.org",))
        attempt = Attempt(cluster="c", job_id=number + 1, restart_count=0, start_time_ns=T0)
        history.add(report("n1", nodes="n1", job_id=number + 1, uid=2000 + number % USERS, wishes=wishes).model_copy(update={
            "attempt": attempt, "logs": rich.logs, "series": rich.series, "excerpts": rich.excerpts, "evidence": rich.evidence,
            "gpus_before": rich.gpus_before, "gpus_after": rich.gpus_after}), T0)
    kept_s = time.monotonic() - start
    diagnosis, dispatch = Diagnosis(history, bounded, 120.0), Dispatch(history, outbox, config, bounded)
    start = time.monotonic()
    for one in history.runs(RunState.COLLECTING):
        rows = [row(job_id=one.job_id, uid=one.uid, node_list="n1", name=f"train-{one.job_id % 7}", end_ns=T0 + 10 * S)]
        history.save_verdicts(one.id, diagnosis.of_run(one, rows, Around()), time.time_ns())
    judged_s = time.monotonic() - start
    start = time.monotonic()
    dispatch.judged()
    composed_s = time.monotonic() - start
    queued = sum(1 for state, _ in outbox.messages() if state is State.QUEUED)
    waiting = len(history.judged())
    rss_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    history.close()
    total_s = kept_s + judged_s + composed_s
    each = f"{1000 * kept_s / jobs:.1f} ms to keep, {1000 * judged_s / jobs:.1f} ms to judge; {1000 * composed_s / max(1, queued):.0f} ms to compose and queue a mail"
    rows_found = [
        Row(f"{jobs} jobs of {USERS} users end at once: reports in the history to the last mail queued", f"{total_s:.0f} s",
            f"≤ {BOUND_S:.0f} s for {JOBS}", None if jobs < JOBS else total_s <= BOUND_S,
            f"{each}; {queued} mails, {waiting} runs told together later; one CPU core; opening seals not counted"),
        Row("the same: memory of the daemon", f"{rss_mib:.0f} MiB", "≤ 300 MB", rss_mib <= 286, "its judging child, one at a time, apart"),
    ]  # fmt: skip
    print(json.dumps([asdict(r) for r in rows_found]), flush=True)
