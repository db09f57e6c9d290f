"""SM activity of cards before Hopper by DCGM's command line, with a stand-in that speaks its documented output: no DCGM ran here."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from gpualert_slurm.spank.watch.dcgm_client import SOURCE, DcgmClient
from gpualert_slurm.spank.watch.nvml_client import GpuReading
from tests.integration.node.a_node import ANode, a_failing_job, sampled, until
from tests.testbed import nvml_library
from tests.testbed.gpu_scenarios import SCENARIOS

PROGRAM = Path(__file__).resolve().parents[2] / "testbed" / "dcgm"
UUIDS = [nvml_library.healthy("n1", i)["uuid"] for i in range(2)]


@pytest.fixture
def old(node: ANode) -> ANode:
    """A node of two cards before Hopper, whose admin asked for DCGM; its host engine numbers them the other way round."""
    cards = [nvml_library.healthy("n1", i) | SCENARIOS["before_hopper"].first for i in range(2)]
    nvml_library.write_readings(node.readings, cards)
    node.settings["dcgm"] = "true"
    node.dcgm = node.root / "dcgm.txt"  # type: ignore[attr-defined]
    node.env |= {"PATH": f"{PROGRAM}:{os.environ['PATH']}", "GPUALERT_DCGM_READINGS": str(node.dcgm)}  # type: ignore[attr-defined]
    return node


def watching() -> list[str]:
    """The command lines of every stand-in that runs on this machine for this test's program."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes()
        except OSError:
            continue
        if str(PROGRAM / "dcgmi").encode() in words and b"\0dmon\0" in words:
            found.append(path.parent.name)
    return found


def test_sm_activity_comes_from_dcgm_by_uuid_and_the_watch_ends_with_the_job(old: ANode) -> None:
    """0.55 and 0.16 of the SMs, each on its own card; what DCGM has not is absent; after the job nothing holds profiling counters."""
    old.dcgm.write_text(f"{UUIDS[1]} 1002=0.160 1004=0.02 1005=0.1\n{UUIDS[0]} 1002=0.550 1003=0.2 1004=0.1 1005=0.3\n")  # type: ignore[attr-defined]
    job = a_failing_job(old)
    service = old.start()
    until(lambda: sampled(job, "gpu_sm_activity_percent") >= 2, "two samples by DCGM", 60)
    assert watching()
    job.end(env={"SLURM_JOB_GPUS": "0,1"})
    until((job.record / "after").exists, "the epilog is told that the cards were let go", 10)
    until(lambda: not watching(), "and nothing watches them", 10)
    assert service.wait(20) == 0
    (report,) = old.reports()
    values = {s.where.gpu_uuid: set(s.values) for s in report.series if s.name == "gpu_sm_activity_percent"}
    assert values == {UUIDS[0]: {55.0}, UUIDS[1]: {16.0}}
    assert not [gap for gap in report.gaps if "SM activity" in gap.what]
    assert {s.where.gpu_uuid for s in report.series if s.name == "gpu_tensor_activity_percent"} == set(UUIDS)


def test_without_a_host_engine_its_own_words_and_what_stands_in_are_said(old: ANode) -> None:
    job = a_failing_job(old)
    service = old.start()
    until(lambda: sampled(job) >= 8, "samples", 60)
    job.end(env={"SLURM_JOB_GPUS": "0,1"})
    assert service.wait(20) == 0
    (report,) = old.reports()
    (gap,) = [gap for gap in report.gaps if "SM activity" in gap.what]
    assert "power and memory-bandwidth utilisation stand in" in gap.why
    assert "dcgmi discovery names no GPU" in gap.why
    assert "Unable to connect to host engine" in gap.why


def row(uuid: str) -> dict[str, object]:
    return {"uuid": uuid, "sm_activity_source": "no GPM on this GPU or driver: power and memory-bandwidth utilisation stand in for SM activity"}


def test_dcgm_that_is_not_installed_is_said_and_asked_for_rarely(tmp_path: Path) -> None:
    client = DcgmClient(env={"PATH": str(tmp_path)})
    for _ in range(2):
        reading = client.fill(GpuReading(time_ns=1, rows=(row(UUIDS[0]),)))
        assert str(reading.rows[0]["sm_activity_source"]).endswith("(DCGM: dcgmi is not installed)")
    hopper = GpuReading(time_ns=1, rows=({"uuid": UUIDS[0], "sm_activity_source": "GPM", "sm_activity_percent": 5.0},))
    assert client.fill(hopper) is hopper


def test_stream_that_ends_is_said_and_no_stale_number_is_shown(tmp_path: Path) -> None:
    """The host engine is stopped in mid-job: from then on the card has none."""
    readings = tmp_path / "dcgm.txt"
    readings.write_text(f"{UUIDS[0]} 1002=0.5 1003=0.5 1004=0.5 1005=0.5\n")
    client = DcgmClient(env={"PATH": f"{PROGRAM}:/usr/bin:/bin", "GPUALERT_DCGM_READINGS": str(readings)})
    try:
        until(lambda: client.fill(GpuReading(time_ns=1, rows=(row(UUIDS[0]),))).rows[0]["sm_activity_source"] == SOURCE, "a number", 60)
        readings.unlink()
        until(lambda: "dcgmi dmon ended" in str(client.fill(GpuReading(time_ns=1, rows=(row(UUIDS[0]),))).rows[0]["sm_activity_source"]), "the end", 60)
        assert "sm_activity_percent" not in client.fill(GpuReading(time_ns=1, rows=(row(UUIDS[0]),))).rows[0]
    finally:
        client.let_go()
        time.sleep(0.2)
        client.let_go()
