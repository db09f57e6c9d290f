"""A task farm: a job of thousands of short steps costs the node no more than one of few."""

from __future__ import annotations

import json

import pytest

from gpualert_slurm.config import Config, Node
from gpualert_slurm.epilog import collect
from gpualert_slurm.job_file import JobFile
from gpualert_slurm.programs.gpualert_node.watched_job import WatchedJob
from gpualert_slurm.spank.watch.job_processes import Process
from tests.integration.node.a_job import NOBODY, AJob

STEPD, ANOTHER, LATER, CHILD = 90_000_001, 90_000_002, 90_000_003, 90_000_010


@pytest.fixture
def job(open_folder) -> AJob:
    made = AJob(open_folder / "state")
    made.start()
    return made


def of_stepd(job: AJob, step: str, stepd: int) -> None:
    """A step's exit record that names its slurmstepd, as the plugin writes it before launch."""
    job.task(0, b"", step=step)
    path = job.record / f"{step}.0.exit.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"stepd_pid": stepd}))


def test_an_exit_record_is_read_once(job):
    """Who is whose is asked every few seconds: records that were read are not read again, those of later steps are."""
    of_stepd(job, "0", STEPD)
    watched = WatchedJob(JobFile.read(job.base / "jobs" / job.attempt), Node(), job.boot_id)
    table = {CHILD + n: Process(CHILD + n, stepd, NOBODY, "sleep") for n, stepd in enumerate((STEPD, ANOTHER, LATER))}
    all_stepds = dict.fromkeys((STEPD, ANOTHER, LATER), job.job_id)
    watched.take_processes(table, all_stepds, {})
    watched.keep(0, at_once=True)
    assert watched.state.pids == (CHILD,)
    (job.record / "0.0.exit.json").write_text("rewritten: nobody looks")
    watched._pids.clear()
    of_stepd(job, "1", LATER)
    watched.take_processes(table, all_stepds, {})
    watched.keep(0, at_once=True)
    assert watched.state.pids == (CHILD, CHILD + 2)


def test_a_report_stays_small_enough_to_be_taken(job, monkeypatch):
    """The daemon refuses a report of tens of megabytes: of very many tasks the failed ones are named, and how many are not."""
    monkeypatch.setattr(collect, "MOST_TASKS", 3)
    for step in range(6):
        job.task(0, b"", exit_code=int(step in (3, 5)), step=str(step))
    ended = collect.Ended(JobFile.read(job.base / "jobs" / job.attempt), "c", why="a test")
    report = collect.collect(ended, collect.Watched(), Config(), None)
    assert [(e.step, e.exit_code) for e in report.exits] == [("0", 0), ("3", 1), ("5", 1)]
    assert {log.step for log in report.logs} == {"0", "3", "5"}
    assert any(gap.what == "how 3 more tasks ended, and their logs" for gap in report.gaps)
