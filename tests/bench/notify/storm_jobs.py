"""The storm's jobs: a few that really run and fail on the bed, and copies of their reports and of their rows in slurmdbd's tables."""

from __future__ import annotations

import re
import sqlite3
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from gpualert_slurm.epilog.pieces import close_document
from gpualert_slurm.epilog.seal import SealKeys
from gpualert_slurm.epilog.seals.munge import SEAL
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.wishes import Wishes
from tests.testbed import Cluster
from tests.testbed.daemon import wait_until
from tests.testbed.mariadb import DATABASE

FIRST_JOB = 1_000_000
MOMENT = re.compile(rb"(?<![\d.])\d{19}(?![\d.])")
TRAIN = """#!/bin/bash
srun -n2 --gres=gpu:1 python3 -u -c '
import os, time
rank = int(os.environ["SLURM_PROCID"])
for step in range(1, 241):
    print({"loss": round(8 / step + rank / 10, 4), "grad_norm": 1.5, "learning_rate": 5e-05, "epoch": step / 240}, flush=True)
    time.sleep(0.05)
%s
'
"""
ENDS = {
    "a file that is not there": 'open("/data/shards/%05d.bin" % rank)',
    "an index out of range": "batch = [0] * 4\nprint(batch[rank + 4])",
    "a crash": "import signal\nif rank: os.kill(os.getpid(), signal.SIGSEGV)\ntime.sleep(60)",
}


@dataclass(frozen=True)
class Template:
    """A job that ran: what its node reported, and when Slurm says that it ended, seconds since the epoch."""

    job_id: int
    report: bytes
    end_s: int


def templates(cluster: Cluster) -> list[Template]:
    """Run one job of each end, side by side, and take what the daemon keeps of them until their mails are out, which are held up meanwhile."""
    cluster.smtp.stop()
    jobs = [cluster.submit(TRAIN % end, "-n2", "-N1", "--gres=gpu:1", f"--gpualert-mail=first{n}@example.org", "-J", f"train-{n}") for n, end in enumerate(ENDS.values())]
    wait_until(lambda: ">started version=" in cluster.daemon.log.read_text(), "gpualertd to say that it has started", 60)
    path = cluster.gpualert.daemon_dir / "history.db"
    history = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)

    def composed() -> bool:
        (count,) = history.execute("SELECT count(*) FROM run WHERE state = 'composed'").fetchone()
        return bool(count == len(jobs))

    wait_until(composed, "the first jobs' mails", 150, poll_s=0.5)
    found = []
    for job in jobs:
        ended_ns, content = history.execute("SELECT run.ended_ns, content FROM run JOIN document ON run_id = run.id WHERE job_id = ? AND kind = 'report'", (job,)).fetchone()
        found.append(Template(job, zlib.decompress(content), ended_ns // 1_000_000_000))
    history.close()
    cluster.smtp.start()
    return found


def copied(template: Template, number: int, end_s: float) -> NodeReport:
    """The template's report as that of job ``FIRST_JOB + number``, which ended at ``end_s``, in Slurm's whole seconds, and asked for a mail to an address of its own."""
    later = (int(end_s) - template.end_s) * 1_000_000_000
    # What is a moment in nanoseconds has nineteen digits, and nothing else there has.
    report = NodeReport.model_validate_json(MOMENT.sub(lambda found: b"%d" % (int(found[0]) + later), template.report))
    attempt = report.attempt.model_copy(update={"job_id": FIRST_JOB + number})
    return report.model_copy(update={"attempt": attempt, "wishes": Wishes(addresses=(f"user{number}@example.org",))})


def sealed(templates: Sequence[Template], numbers: range, ends_s: tuple[float, float], keys: SealKeys) -> list[tuple[int, list[bytes]]]:
    """Of each number its job's id and its report's sealed pieces; the first job ends at ``ends_s[0]``, each next one ``ends_s[1]`` later."""
    found = []
    for number in numbers:
        document = copied(templates[number % len(templates)], number, ends_s[0] + number * ends_s[1])
        job_id = document.attempt.job_id
        found.append((job_id, close_document(document, f"{job_id}.0123456789abcdef", SEAL, keys)))
    return found


def put_rows(cluster: Cluster, found: list[Template], jobs: int, start_s: float, minute_s: float) -> None:
    """The rows of all copies, job and steps, in the tables that slurmdbd made and reads: those of the templates, with other ids and times."""
    job_table, step_table = f"{DATABASE}.{cluster.name}_job_table", f"{DATABASE}.{cluster.name}_step_table"
    for place, template in enumerate(found):
        ids = f"(SELECT {FIRST_JOB} + seq AS id, FLOOR({start_s} + seq * {minute_s} / {jobs}) - {template.end_s} AS later FROM {DATABASE}.seq_{place}_to_{jobs - 1}_step_{len(found)})"
        changes = {"id_job": "n.id", **{name: f"IF(t.{name} = 0, 0, t.{name} + n.later)" for name in ("mod_time", "time_submit", "time_eligible", "time_start", "time_end")}}
        names, values = _columns(cluster, job_table, {"job_db_inx"}, changes)
        cluster.mariadb.sql(f"INSERT INTO {job_table} ({names}) SELECT {values} FROM {job_table} t JOIN {ids} n WHERE t.id_job = {template.job_id} AND t.time_end = {template.end_s}")
        changes = {"job_db_inx": "j.job_db_inx", **{name: f"IF(t.{name} = 0, 0, t.{name} + n.later)" for name in ("time_start", "time_end")}}
        names, values = _columns(cluster, step_table, set(), changes)
        cluster.mariadb.sql(f"INSERT INTO {step_table} ({names}) SELECT {values} FROM {step_table} t JOIN {job_table} o ON o.job_db_inx = t.job_db_inx JOIN {ids} n"
                            f" JOIN {job_table} j ON j.id_job = n.id WHERE o.id_job = {template.job_id} AND o.time_end = {template.end_s}")  # fmt: skip
    (count,) = cluster.mariadb.sql(f"SELECT COUNT(*) FROM {job_table} WHERE id_job >= {FIRST_JOB}").split()
    assert int(count) == jobs, f"{count} rows of {jobs} jobs are in slurmdbd's table"


def _columns(cluster: Cluster, table: str, without: set[str], changes: dict[str, str]) -> tuple[str, str]:
    names = [n for n in cluster.mariadb.sql(f"SHOW COLUMNS FROM {table}").splitlines() if n]
    kept = [n.split("\t")[0] for n in names if n.split("\t")[0] not in without]
    return ", ".join(f"`{n}`" for n in kept), ", ".join(changes.get(n, f"t.`{n}`") for n in kept)
