"""``gpualert-node`` without what it needs: NVML, a card, munged, the shared folder, disk; and what it costs while it waits."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from tests.integration.node.a_node import a_failing_job, cpu_ticks, sampled, until
from tests.integration.node.test_kernel_log import write as write_kernel_line
from tests.testbed import nvml_library


def test_killed_with_a_report_in_out_it_goes_out_at_the_next_start(node, munge_socket):
    """Munged away: the report waits, also through a kill; munged back: it arrives."""
    job = a_failing_job(node)
    job.end()
    node.socket = node.root / "no-munged"
    first = node.start()
    until(lambda: f"{job.attempt}.report: not handed over" in node.words(), "it cannot be sealed")
    assert "Did you start munged?" in node.words()
    assert list((job.base / "ended").iterdir()) == []
    first.kill()
    first.wait(5)
    node.socket = munge_socket
    assert node.start().wait(20) == 0
    assert len(node.reports()) == 1


def test_hanging_nvml_costs_a_gap_and_nothing_else(node):
    """The report comes, says which counters are missing and why, and no process stays behind."""
    node.gpus(temperature="@hang=600 30")
    job = a_failing_job(node)
    service = node.start()
    until((job.record / "gpus.jsonl").exists, "before is given up")
    job.end(env={"SLURM_JOB_GPUS": "0"})
    assert service.wait(30) == 0
    (report,) = node.reports()
    said = [str(g) for g in report.gaps]
    assert "n1: GPU counters before the job (NVML did not answer within 1 s)" in said
    assert any(g.startswith("n1: GPU counters after the job (NVML ") for g in said)
    assert report.gpus_before == report.gpus_after == ()
    assert any(e.says == "exception" for e in report.evidence)


def test_node_without_nvml_reports_all_the_same(node):
    """A CPU node: one gap before, one after, at once."""
    node.env.pop("LD_LIBRARY_PATH")
    job = a_failing_job(node)
    service = node.start()
    until((job.record / "watching").exists, "taken up")
    job.end()
    until((job.record / "after").exists, "the epilog does not wait for a driver that is not there", 3)
    assert service.wait(20) == 0
    (report,) = node.reports()
    assert {str(g) for g in report.gaps} >= {"n1: GPU counters after the job (NVML Shared Library Not Found)"}


def test_lost_card_is_named_by_its_uuid(node):
    """It was there before; after, its problem is a gap and its counters are not there."""
    job = a_failing_job(node)
    service = node.start()
    until((job.record / "gpus.jsonl").exists, "before")
    node.gpus(power_usage="!GPU_IS_LOST")
    job.end(env={"SLURM_JOB_GPUS": "0,1"})
    assert service.wait(20) == 0
    (report,) = node.reports()
    assert (len(report.gpus_before), len(report.gpus_after)) == (2, 1)
    assert f"n1: GPU {nvml_library.healthy('n1', 0)['uuid']} (lost: GPU is lost)" in [str(g) for g in report.gaps]


def test_off_switch_stops_it_without_a_restart(node):
    """While the file is there nothing is touched; when it goes, the job is reported."""
    (node.root / "off").touch()
    job = a_failing_job(node)
    job.end()
    service = node.start()
    time.sleep(1.5)
    assert not (job.record / "watching").exists()
    assert node.documents() == []
    (node.root / "off").unlink()
    until(node.reports, "the report arrives")
    service.terminate()
    assert service.wait(5) == 0


def test_full_spool_folder_is_tried_again(node):
    """A folder that takes nothing: the report waits in out/ and arrives when it does."""
    node.spool.rename(node.root / "away")
    job = a_failing_job(node)
    job.end()
    service = node.start()
    until(lambda: "report: not handed over" in node.words(), "it does not go")
    (node.root / "away").rename(node.spool)
    until(node.reports, "it goes")
    assert service.wait(20) == 0


def test_state_folder_that_takes_no_more_is_tried_again(node):
    """A read-only or full disk when the job starts: the service neither ends nor spins, and goes on when it can write."""
    job = a_failing_job(node)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k,nr_inodes=1", "none", str(job.record)], check=True)
    try:
        service = node.start()
        until(lambda: "No space left on device" in node.words(), "it says so")
        spent = cpu_ticks(service)
        time.sleep(2)
        assert service.poll() is None
        more = cpu_ticks(service)
        assert more - spent < 0.5 * os.sysconf("SC_CLK_TCK"), "it does not spin"
    finally:
        subprocess.run(["umount", str(job.record)], check=True)
    until((job.record / "watching").exists, "it is taken up", 15)
    job.end()
    assert service.wait(20) == 0
    assert len(node.reports()) == 1


def test_off_switch_in_the_middle_of_a_job_costs_no_time(node):
    """NVML is let go, nothing is read, nothing spins; on again, the job is watched on and reported."""
    job = a_failing_job(node)
    service = node.start()
    until(lambda: (job.record / "gpus.jsonl").exists(), "watched")  # noqa: PLW0108
    (node.root / "off").touch()
    time.sleep(1)
    before = sampled(job)
    spent = cpu_ticks(service)
    write_kernel_line("gpualert: a line that nobody reads now")
    time.sleep(2)
    assert sampled(job) == before
    assert Path(f"/proc/{service.pid}/task/{service.pid}/children").read_text().strip() == ""
    more = cpu_ticks(service)
    assert more - spent < 0.5 * os.sysconf("SC_CLK_TCK"), "it does not spin"
    job.end()
    (node.root / "off").unlink()
    assert service.wait(30) == 0
    assert len(node.reports()) == 1


def test_idle_service_with_a_running_job_uses_next_to_no_cpu(node):
    """A sample a second: below five percent of a core."""
    node.settings["sample_first_s"] = 1.0
    job = a_failing_job(node)
    service = node.start()
    until(lambda: (job.record / "gpus.jsonl").exists(), "watched")  # noqa: PLW0108
    time.sleep(1)
    before = cpu_ticks(service)
    time.sleep(5)
    assert cpu_ticks(service) - before <= 0.25 * os.sysconf("SC_CLK_TCK")
