"""NVML in a process of its own, the real pynvml over the test bed's library: answers, absence, loss, hanging, missing."""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpualert_slurm.spank.watch import nvml_client
from gpualert_slurm.spank.watch.nvml_client import GpuReading, NvmlClient
from gpualert_slurm.spank.watch.snapshots import snapshots
from tests.testbed import nvml_library


@pytest.fixture
def readings(tmp_path: Path) -> Path:
    """A node with two healthy GPUs."""
    path = tmp_path / "gpus.txt"
    write(path)
    return path


@pytest.fixture
def client(library: Path, readings: Path) -> Iterator[NvmlClient]:
    """A client of it; its child is ended with the test."""
    env = {**os.environ, "LD_LIBRARY_PATH": str(library), nvml_library.READINGS_VARIABLE: str(readings)}
    made = NvmlClient(timeout_s=5, env=env)
    yield made
    made.let_go()


def write(path: Path, *changes: dict[str, str], host: dict[str, str] | None = None) -> None:
    gpus = [nvml_library.healthy("n1", i) | (changes[i] if i < len(changes) else {}) for i in range(2)]
    nvml_library.write_readings(path, gpus, host)


def read(client: NvmlClient) -> GpuReading:
    """One reading, waiting as the service does."""
    answer = client.request()
    while answer is None:
        fd = client.fileno()
        assert fd is not None
        assert client.due is not None
        select.select([fd], [], [], max(0.0, client.due - time.monotonic()))
        answer = client.poll()
    return answer


def test_every_counter_of_a_healthy_card(client, readings):
    """What the library says, in the units of a snapshot; the kept-back memory of the driver is not the job's."""
    write(readings, {"memory.used": "1073741824", "ecc.volatile.uncorrected": "1", "remapped.uncorrected": "2", "remapped.pending": "1",
                     "nvlink.0.crc_flit": "3", "nvlink.1.crc_data": "4", "pcie.replay": "5", "processes": f"{os.getpid()}:100", "pstate": "2"})
    reading = read(client)
    assert reading.missing is None
    assert reading.problems == ()
    (first, second), gaps = snapshots(reading.rows, "n1", {os.getpid()})
    assert gaps == []
    assert (first.memory_used_bytes, first.memory_total_bytes) == (1 << 30, 80 << 30)
    assert (first.ecc_volatile_uncorrected, first.remapped_rows_uncorrectable, first.remap_pending, first.remap_failure) == (1, 2, True, False)
    assert (first.nvlink_crc_errors, first.nvlink_replay_errors, first.pcie_replay_count, first.performance_state) == (7, 0, 5, 2)
    assert (first.power_mw, first.temperature_c, first.sm_clock_mhz, first.throttle_reasons) == (70250, 31, 345, 1)
    assert (first.process_pids, first.job_attached, second.job_attached) == ((os.getpid(),), True, False)
    assert first.uuid == nvml_library.healthy("n1", 0)["uuid"]
    assert abs(first.time_ns - time.time_ns()) < 5e9


def test_what_nvml_lacks_is_absent_not_zero_and_no_problem(client, readings):
    """A card without ECC, an old driver without remapped rows: no field, no gap."""
    lacks = {k: "!NOT_SUPPORTED" for k in nvml_library.healthy("n1", 0) if k.startswith(("ecc.", "remapped.", "nvlink.", "pcie.replay"))}
    write(readings, lacks | {"temperature": "!NO_PERMISSION", "power.usage": "!13"})
    reading = read(client)
    assert reading.problems == ()
    (first, second), _ = snapshots(reading.rows, "n1", ())
    for field in ("ecc_volatile_corrected", "ecc_aggregate_uncorrected", "remapped_rows_correctable", "remap_pending", "nvlink_crc_errors",
                  "pcie_replay_count", "temperature_c", "power_mw", "retired_pages_pending"):
        assert getattr(first, field) is None, field
    assert second.temperature_c == 31


def test_odd_error_of_one_counter_costs_that_counter_and_is_said(client, readings):
    """UNKNOWN is not absence: the others are read, and a gap will name it."""
    write(readings, {"temperature": "!UNKNOWN"})
    reading = read(client)
    (problem,) = reading.problems
    assert (problem.index, problem.words) == (0, "nvmlDeviceGetTemperature: Unknown Error")
    (first, _), _ = snapshots(reading.rows, "n1", ())
    assert first.temperature_c is None
    assert first.power_mw == 70250


@pytest.mark.parametrize("lost", [{"handle": "!GPU_IS_LOST"}, {"*": "!GPU_IS_LOST"}, {"power.usage": "!GPU_IS_LOST"}])
def test_lost_card_has_a_problem_and_no_row(client, readings, lost):
    """Half a card's counters would look like a card that is well; the other card is read."""
    write(readings, lost)
    reading = read(client)
    assert [row["index"] for row in reading.rows] == [1]
    assert len(reading.problems) == 1
    assert "GPU is lost" in reading.problems[0].words


@pytest.mark.parametrize("where", ["init", "temperature"])
def test_hanging_nvml_is_killed_at_its_deadline(library, readings, where):
    """In nvmlInit or in a counter: the client says so in time, leaves no process, and the next request starts a fresh one."""
    write(readings, {"temperature": "@hang=60 30"} if where == "temperature" else {}, host={"init": "@hang=60"} if where == "init" else None)
    env = {**os.environ, "LD_LIBRARY_PATH": str(library), nvml_library.READINGS_VARIABLE: str(readings)}
    client = NvmlClient(timeout_s=1, env=env)
    begun = time.monotonic()
    assert read(client).missing == "NVML did not answer within 1 s"
    assert time.monotonic() - begun < 3
    deadline = time.monotonic() + 3
    while client.holds_nvml and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not client.holds_nvml
    write(readings)
    assert len(read(client).rows) == 2
    client.let_go()


def test_nvml_that_hangs_again_and_again_is_not_asked_any_more(library, readings):
    """Three times, then an hour of peace: no process a second is left in the driver."""
    write(readings, {"temperature": "@hang=60 30"})
    env = {**os.environ, "LD_LIBRARY_PATH": str(library), nvml_library.READINGS_VARIABLE: str(readings)}
    client = NvmlClient(timeout_s=0.4, env=env)
    for _ in range(3):
        assert read(client).missing == "NVML did not answer within 0.4 s"
    begun = time.monotonic()
    assert read(client).missing == "NVML hung 3 times and is not asked again for an hour"
    assert time.monotonic() - begun < 0.1


def test_missing_library_is_a_reason_and_is_not_tried_every_second(tmp_path):
    """A node without a driver: pynvml's words, at once the next time."""
    client = NvmlClient(timeout_s=5, env={k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"})
    assert read(client).missing == "NVML Shared Library Not Found"
    begun = time.monotonic()
    assert read(client).missing == "NVML Shared Library Not Found"
    assert time.monotonic() - begun < 0.1


def test_child_that_dies_or_talks_nonsense_is_a_reason():
    """Killed for memory, or a library that prints on stdout."""
    assert read(NvmlClient(timeout_s=5, command=("/bin/true",))).missing is not None
    assert read(NvmlClient(timeout_s=5, command=("/bin/sh", "-c", "echo hello; sleep 5"))).missing == "NVML's process gave an answer that cannot be read"
    assert read(NvmlClient(timeout_s=5, command=("/no/such/program",))).missing is not None


def test_letting_go_closes_nvml_and_a_new_request_opens_it_again(client):
    """So that the site's epilog can reset a GPU."""
    read(client)
    assert client.holds_nvml
    client.let_go()
    assert not client.holds_nvml
    assert len(read(client).rows) == 2


def test_child_is_small(client):
    """No pydantic, no part of the service in NVML's process: below 32 MiB resident where bytecode is compiled already."""
    subprocess.run([*nvml_client._COMMAND[:2], "-c", "import pynvml"], check=True)
    read(client)
    assert client._child is not None
    status = Path(f"/proc/{client._child.pid}/status").read_text()
    assert int(status.split("VmRSS:")[1].split()[0]) < 32 * 1024
    maps = Path(f"/proc/{client._child.pid}/maps").read_text()
    assert "pydantic" not in maps
