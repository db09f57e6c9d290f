"""A history of many days: what a look into a job's past costs, and how much disk a job leaves behind.

Simulated: the verdicts, copies of one that the classifier gave, spread over users, names and nodes as on a cluster of 10,000 nodes; put
in by SQL, then asked by the history's own methods.
"""

from __future__ import annotations

import time
from pathlib import Path

from gpualert_slurm.classifier import judge
from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.notification import Notification
from tests.bench.compare import Progress, Row, median
from tests.unit.classifier.records import Run, at, steps, trace

USERS, NAMES, NODES = 2000, 20, 10_000
DAY_S = 86_400
NS = 1_000_000_000
ASKED = 200


def run(folder: Path, jobs: int, progress: Progress) -> list[Row]:
    """``jobs`` done runs; then look-ups as a new job's judging makes them."""
    history = History(folder / "history.db")
    job = Run(("n1",))
    job.rank(0, "n1", steps(1, 50) + trace("ValueError: bad input"), code=1, end=60, times=[float(i) for i in range(1, 56)])
    record = job.node("n1").accounting("FAILED", code=1, end=61.0).record()
    history.add(record.reports[0], at(62))
    history.save_verdicts(1, [(record, judge(record))], at(63))
    history.mark_composed(1, Notification(key="first", recipients=("a@example.org",), subject="s", text="t", html="h", thread="t1"), at(64))
    history.mark_done(1, "sent", at(65))
    progress(f"{jobs} verdicts")
    _fill(history, jobs)
    history._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = sum(path.stat().st_size for path in folder.glob("history.db*"))
    now = at(0) + (jobs + 1) * NS // 2
    took: list[float] = []
    for number in range(ASKED):
        asking = record.model_copy(update={"uid": 5000 + number % USERS, "name": f"train-{number % NAMES}", "nodes": (f"n{number % NODES}", f"n{number * 7 % NODES}"),
                                           "started_ns": now, "attempt": record.attempt.model_copy(update={"job_id": 10**9 + number})})  # fmt: skip
        start = time.perf_counter()
        history.past(asking)
        history.knows("hpc", number + 2, 5000 + number % USERS, (at(0), now))
        history.first_subject(f"t{number}", ("a@example.org",), at(0))
        took.append(time.perf_counter() - start)
    start = time.perf_counter()
    history.judged(), history.open_messages(), history.open_runs()
    pass_s = time.perf_counter() - start
    history.close()
    return [
        Row(f"a history of {jobs} jobs: a look into a new job's past", f"{1000 * median(took):.2f} ms", "", None, f"worst {1000 * max(took):.1f} ms, n={ASKED}; each pass over it {1000 * pass_s:.1f} ms"),
        Row("the same: disk a job leaves behind when its mail is out", f"{size / jobs / 1024:.1f} KiB", "", None, f"{size / 2**20:.0f} MiB in all; the verdict and its rows"),
    ]  # fmt: skip


def _fill(history: History, jobs: int) -> None:
    """Two jobs a second."""
    db = history._db
    db.execute("CREATE TEMP TABLE n (i INTEGER PRIMARY KEY)")
    db.execute("WITH RECURSIVE c(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM c WHERE i <= ?) INSERT INTO n SELECT i FROM c", (jobs,))
    db.execute("BEGIN")
    for table, changes in (
        ("run", {"id": "n.i", "job_id": "n.i", "uid": f"5000 + n.i % {USERS}", "label": "CAST(n.i AS TEXT)", "ended_ns": f"t.ended_ns + n.i * {NS // 2}"}),
        ("verdict", {"id": "n.i", "run_id": "n.i", "job_id": "n.i", "uid": f"5000 + n.i % {USERS}", "label": "CAST(n.i AS TEXT)",
                     "job_name": f"'train-' || (n.i % {NAMES})", "ended_ns": f"t.ended_ns + n.i * {NS // 2}"}),
        ("verdict_node", {"verdict_id": "n.i", "node": f"'n' || (n.i % {NODES})", "uid": f"5000 + n.i % {USERS}", "ended_ns": f"t.ended_ns + n.i * {NS // 2}",
                          "fault": "CASE WHEN n.i % 50 = 0 THEN 'node' ELSE t.fault END"}),
        ("message", {"key": "'k' || n.i", "run_id": "n.i", "thread": "'t' || n.i", "queued_ns": f"t.queued_ns + n.i * {NS // 2}"}),
        ("message_run", {"key": "'k' || n.i", "run_id": "n.i"}),
    ):  # fmt: skip
        names = [row["name"] for row in db.execute(f"PRAGMA table_info({table})")]
        first = "t.rowid = 1" if table in {"run", "verdict"} else "t.verdict_id = 1" if table == "verdict_node" else "t.key = 'first'"
        db.execute(f"INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join(changes.get(name, f't.{name}') for name in names)} FROM {table} t JOIN n WHERE {first}")
    db.execute("COMMIT")
