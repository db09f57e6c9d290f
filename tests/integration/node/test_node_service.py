"""``gpualert-node`` as a process: a job's files in, sealed documents out, through kills and bad files."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from gpualert_slurm.job_note import JobNote
from tests.integration.node.a_job import TRACEBACK, AJob
from tests.integration.node.a_node import DAEMON, a_failing_job, sampled, until
from tests.integration.node.as_user import as_uid
from tests.integration.node.test_kernel_log import write as write_kernel_line
from tests.testbed import nvml_library


def test_job_from_its_first_step_to_the_spool(node):
    """Note at once; before, samples, after; the kernel's line about its card; the epilog's acknowledgement; report; service ends."""
    job = a_failing_job(node)
    service = node.start()
    until((job.record / "watching").exists, "the job is taken up")
    until(node.documents, "the note arrives")
    (note,) = node.documents()
    assert isinstance(note, JobNote)
    until(lambda: sampled(job) >= 2, "samples")
    assert (note.attempt.cluster, note.attempt.job_id, note.node, note.wishes.addresses) == ("hpc", 42, "n1", ("alice@example.org",))
    write_kernel_line(f"NVRM: Xid (PCI:{node.pci}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.")
    node.gpus(ecc_volatile_uncorrected="1")
    ended = time.monotonic()
    job.end(env={"SLURM_JOB_GPUS": "0"})
    until((job.record / "after").exists, "the epilog is told", 1.0)
    until(node.reports, "the report arrives")
    assert time.monotonic() - ended < 8
    (report,) = node.reports()
    assert [e.exit_code for e in report.exits] == [1]
    assert {(e.says, e.trust.value) for e in report.evidence} == {("xid", "system"), ("exception", "user")}
    (xid,) = [e for e in report.evidence if e.says == "xid"]
    assert (xid.data["xid"], xid.data["tied_by"], xid.where.gpu_uuid) == (79, "gpu", nvml_library.healthy("n1", 0)["uuid"])
    assert [(g.index, g.ecc_volatile_uncorrected) for g in (*report.gpus_before, *report.gpus_after)] == [(0, 0), (0, 1)], report.gaps
    (utilisation,) = [s for s in report.series if s.name == "gpu_utilization_percent"]
    assert utilisation.points_seen >= 2
    assert [g for g in report.gaps if "kernel line" not in g.what] == []  # others write to the same kernel log
    assert service.wait(10) == 0
    assert list((job.base / "ended").iterdir()) == []
    assert list((job.base / "out").iterdir()) == []


def test_second_instance_refuses_with_the_firsts_pid(node):
    """One a node is enough, and the message says which."""
    a_failing_job(node)
    first = node.start()
    until(lambda: "watched" in node.words(), "the first runs")
    second = node.start()
    assert second.wait(10) == 1
    assert f"gpualert-node already runs for n1 (pid {first.pid}, lock " in node.words()


def test_killed_in_the_middle_of_collecting_the_report_arrives_once(node):
    """SIGKILL while the logs are read; the next start collects again; one report, nothing left behind."""
    job = AJob(node.state)
    job.start()
    for number in range(3):
        job.task(number, b"step 1 loss 2.5 and some more words\n" * 150_000 + TRACEBACK, exit_code=1)
    job.end()
    first = node.start()

    def collecting() -> bool:
        children = Path(f"/proc/{first.pid}/task/{first.pid}/children").read_text().split()
        grandchildren = [Path(f"/proc/{c}/task/{c}/children").read_text().split() for c in children if Path(f"/proc/{c}").exists()]
        return any(grandchildren)

    until(collecting, "a log is being read")
    first.send_signal(signal.SIGKILL)
    first.wait(5)
    assert node.reports() == []
    assert [p.name for p in (job.base / "ended").iterdir()] == [job.attempt]
    second = node.start()
    until(node.reports, "the report arrives", 60)
    assert second.wait(20) == 0
    (report,) = node.reports()
    assert len([e for e in report.evidence if e.says == "exception"]) == 3, [str(g) for g in report.gaps]
    assert list((job.base / "ended").iterdir()) == []


def test_sigterm_ends_it_at_once_and_the_next_start_goes_on(node):
    """In the middle of a job: samples are kept, the job is not reported before its end."""
    job = a_failing_job(node)
    first = node.start()
    until(lambda: sampled(job) > 3, "samples")
    begun = time.monotonic()
    first.terminate()
    assert first.wait(5) == 0
    assert time.monotonic() - begun < 2
    before = sampled(job)
    second = node.start()
    until(lambda: sampled(job) > before, "more samples")
    job.end(env={"SLURM_JOB_GPUS": "0,1"})
    assert second.wait(20) == 0
    (report,) = node.reports()
    assert len(report.gpus_before) == 2
    assert (job.record / "gpus.jsonl").read_bytes().count(b'"when":"before"') == 1
    assert len([d for d in node.documents() if isinstance(d, JobNote)]) == 1


def test_newest_job_of_a_backlog_is_reported_first(node):
    """The service was away while eight jobs ended: the last one's owner does not wait for the others' logs."""
    for number in range(8):
        job = AJob(node.state, job_id=50 + number)
        job.start()
        job.task(0, b"step 1 loss 2.5 and some more words\n" * 20_000 + TRACEBACK, exit_code=1)
        job.end()
    assert node.start().wait(60) == 0
    made = [int(found) for found in re.findall(r"job (\d+): report of", node.words())]
    handed = [int(found) for found in re.findall(r"(\d+)\.\w+\.report: handed over", node.words())]
    assert sorted(made) == sorted(handed) == list(range(50, 58))
    assert set(made[:2]) == {56, 57}, "two are collected side by side"
    assert made.index(50) >= 6
    assert handed.index(57) < handed.index(50)


def test_job_file_that_is_none_stops_no_other(node):
    """Garbage, a folder, a link, a file that speaks of another attempt: put aside; the good job is reported."""
    job = a_failing_job(node)
    jobs = job.base / "jobs"
    (jobs / "1.0000000000000000").write_bytes(b"\xff{")
    (jobs / "2.0000000000000000").mkdir()
    (jobs / "3.0000000000000000").symlink_to("/etc/passwd")
    (jobs / "4.0000000000000000").write_bytes((jobs / job.attempt).read_bytes())
    service = node.start()
    until(lambda: len(list((job.base / "bad").glob("*"))) == 4, "they are put aside")
    job.end()
    assert service.wait(20) == 0
    assert [r.attempt.job_id for r in node.reports()] == [42]


def test_job_of_an_earlier_boot_is_reported_and_says_so(node):
    """The node went down under it: no epilog ran, the logs are there."""
    job = a_failing_job(node, boot_id="00000000-0000-0000-0000-000000000001")
    assert node.start().wait(20) == 0
    (report,) = node.reports()
    assert report.boot_id == job.boot_id
    assert "n1: what Slurm told the node's Epilog (the node was rebooted while the job ran)" in [str(g) for g in report.gaps]
    assert any(e.says == "exception" for e in report.evidence), report.gaps


def test_other_jobs_gpus_are_not_in_the_report(node):
    """Two jobs share the node: each report has its own card, and the line about the other's is a number."""
    mine, theirs = a_failing_job(node), a_failing_job(node, job_id=43)
    service = node.start()
    until(lambda: all((j.record / "gpus.jsonl").exists() for j in (mine, theirs)), "both are watched")
    write_kernel_line(f"NVRM: Xid (PCI:{node.pci}): 48, pid='<unknown>', name=<unknown>, DBE")
    time.sleep(0.3)
    mine.end(env={"SLURM_JOB_GPUS": "0"})
    theirs.end(env={"SLURM_JOB_GPUS": "1"})
    assert service.wait(20) == 0
    by_job = {r.attempt.job_id: r for r in node.reports()}
    assert [g.index for g in by_job[42].gpus_after] == [0]
    assert [g.index for g in by_job[43].gpus_after] == [1]
    assert [e.data["xid"] for e in by_job[42].evidence if e.says == "xid"] == [48]
    assert [e for e in by_job[43].evidence if e.says == "xid"] == []
    assert any("kernel line" in g.what and "in the job's time" in g.what for g in by_job[43].gaps)


def test_kernel_line_from_before_the_job_blames_nobody(node):
    """The card fell off the bus under the job before this one: read back from the ring, the line is not this job's."""
    write_kernel_line(f"NVRM: Xid (PCI:{node.pci}): 119, pid='<unknown>', name=<unknown>, Timeout waiting for RPC from GSP")
    time.sleep(0.2)
    job = a_failing_job(node)
    service = node.start()
    until((job.record / "gpus.jsonl").exists, "taken up")
    job.end(env={"SLURM_JOB_GPUS": "0"})
    assert service.wait(20) == 0
    (report,) = node.reports()
    assert 119 not in [e.data.get("xid") for e in report.evidence]


def test_kernel_line_between_the_jobs_start_and_ours_is_found(node):
    """The service starts a moment after the job: what the kernel said meanwhile is read from its ring."""
    job = a_failing_job(node, started_ns=time.time_ns() - 5_000_000_000)
    write_kernel_line(f"NVRM: Xid (PCI:{node.pci}): 120, pid='<unknown>', name=<unknown>, GSP task exception")
    job.end(env={"SLURM_JOB_GPUS": "0"})
    assert node.start().wait(20) == 0
    (report,) = node.reports()
    (line,) = [e for e in report.evidence if e.data.get("xid") == 120]
    assert line.time_ns is not None
    assert line.uncertainty_ns is not None
    assert abs(line.time_ns - job.started_ns - 5_000_000_000) < line.uncertainty_ns + 100_000_000


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--node", "../n1"], 1, "is no node's name"),
        (["--state-dir", "/nonexistent/state"], 1, "state_dir /nonexistent/state does not exist; make it"),
        (["--config", "/nonexistent.toml"], 2, "no such file"),
        (["--bogus"], 2, "unrecognized arguments"),
    ],
)
def test_what_cannot_start_says_why(arguments, status, words):
    """On what, why, and what to do."""
    argv = [sys.executable, "-m", "gpualert_slurm.programs.node", "--node", "n1", *arguments]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == status
    assert words in done.stderr


def test_not_root_is_refused_in_words():
    """It could neither read root's records nor become the user."""
    argv = [sys.executable, "-m", "gpualert_slurm.programs.node", "--node", "n1"]
    run = partial(subprocess.run, argv, capture_output=True, text=True, check=False, timeout=30)
    done = as_uid(DAEMON.pw_uid, run) if os.access(sys.executable, os.X_OK) else None
    assert done is not None
    assert done.returncode == 1
    assert "gpualert-node runs as root" in done.stderr
