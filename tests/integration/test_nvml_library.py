"""The real pynvml reads from the bed's NVML library what the readings file says, function by function."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.testbed.nvml_library import READINGS_VARIABLE, build, healthy, write_readings

READER = Path(__file__).with_name("nvml_reader.py")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library, built from its sources into a folder of the test's own."""
    return build(tmp_path_factory.mktemp("nvml"))


def read(library: Path, readings: Path, what: str = "all", timeout_s: float = 20) -> dict[str, Any]:
    """What a fresh process reads through pynvml: its own process, since a library stays loaded."""
    env = {**os.environ, "LD_LIBRARY_PATH": str(library.parent), READINGS_VARIABLE: str(readings)}
    done = subprocess.run([sys.executable, str(READER), what], env=env, capture_output=True, text=True, timeout=timeout_s, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


DISTINCT = {
    "memory.total": "85899345920", "memory.used": "1234567890", "memory.reserved": "629145600", "utilization.gpu": "93",
    "utilization.memory": "41", "temperature": "67", "temperature.threshold.1": "87", "power.usage": "412345", "power.limit": "700000",
    "energy": "9876543210123", "pstate": "2", "clock.graphics": "1755", "clock.sm": "1740", "clock.mem": "2619", "clock.video": "1545",
    "clock.max.sm": "1980", "clock.application.sm": "1700", "throttle_reasons": "0x8000000000000048", "compute_mode": "3", "mig.mode": "1",
    "mig.pending": "0", "processes": "4711:1073741824 4712:?@7", "ecc.mode": "1", "ecc.pending": "0", "ecc.volatile.corrected": "5",
    "ecc.volatile.uncorrected": "1", "ecc.aggregate.corrected": "99999999999", "ecc.aggregate.uncorrected": "7",
    "ecc.volatile.uncorrected.sram": "11", "ecc.aggregate.corrected.dram": "12", "remapped.corrected": "3", "remapped.uncorrected": "4",
    "remapped.pending": "1", "remapped.failure": "0", "remapped.histogram": "640 5 4 3 2", "retired.sbe": "0x10@100 0x20@200",
    "retired.dbe": "", "retired.pending": "1", "nvlink.0.state": "1", "nvlink.1.state": "0", "nvlink.0.version": "4", "nvlink.0.replay": "21",
    "nvlink.0.recovery": "22", "nvlink.0.crc_flit": "23", "nvlink.0.crc_data": "24", "nvlink.0.ecc_data": "25", "nvlink.1.replay": "100",
    "nvlink.1.recovery": "0", "nvlink.1.crc_flit": "0", "nvlink.1.crc_data": "!NOT_SUPPORTED", "pcie.replay": "31", "pcie.generation": "4",
    "pcie.width": "8", "violation.power": "1000 2000000", "violation.thermal": "1000 77", "samples.gpu": "100:10 200:20 300:30",
    "gpm.2": "55.25", "gpm.supported": "1", "events": "8:13", "events.supported": "0x9f", "mig.1.uuid": "MIG-1", "mig.1.instance": "7",
    "field.186": "u32 415000", "field.161.1": "u64 100", "field.230": "double 1.5",
}


def test_every_function_of_the_library_gives_what_the_file_says(library: Path, tmp_path: Path) -> None:
    path = tmp_path / "gpus.txt"
    gpus = [healthy("n1", 0), {**healthy("n1", 1), **DISTINCT}]
    write_readings(path, gpus)
    found = read(library, path)
    assert found["host"] == {"driver": "550.54.15", "nvml": "12.550.54.15", "cuda": 12040, "count": 2, "by_uuid": 1, "by_serial": 1,
                             "by_pci": 1, "by_short_pci": 1, "error_15": found["host"]["error_15"]}
    assert "fallen off the bus" in found["host"]["error_15"]
    two = found["gpus"][1]
    identity = gpus[1]
    assert {key: two[key] for key in ("uuid", "serial", "name", "minor", "index")} == {
        "uuid": identity["uuid"], "serial": identity["serial"], "name": identity["name"], "minor": 1, "index": 1}
    assert two["pci"] == {
        "busId": identity["pci.bus_id"], "busIdLegacy": identity["pci.bus_id"][4:], "domain": int(identity["pci.bus_id"][:8], 16), "bus": 0x5B, "device": 0, "pciDeviceId": 0x233010DE}
    total, used, reserved = 85899345920, 1234567890, 629145600
    expected = {
        "memory_v1": [total, total - used - reserved, used + reserved], "memory_v2": [total, reserved, total - used - reserved, used],
        "utilization": [93, 41], "temperature": 67, "temperature_v": 67, "threshold": 87, "power": 412345, "power_limit": 700000,
        "management_limit": 700000, "energy": 9876543210123, "pstate": 2, "power_state": 2, "clocks": [1755, 1740, 2619, 1545],
        "max_sm": 1980, "application_sm": 1700, "throttle": 0x8000000000000048, "events": 0x8000000000000048, "compute_mode": 3, "mig": [1, 0],
        "slices": [7, "MIG-1", 7], "instances": [0xFFFFFFFF, 7], "event": [0x9F, 10, [8, 79, 7]],
        "processes": [[4711, 1073741824], [4712, None]], "processes_v2": [[4711, 1073741824], [4712, None]],
        "ecc_mode": [1, 0], "ecc": [5, 1, 99999999999, 7],
        "ecc_sram": 11, "ecc_dram": 12, "remapped": [3, 4, 1, 0], "histogram": [640, 5, 4, 3, 2], "retired": [0x10, 0x20],
        "retired_v2": [[0x10, 100], [0x20, 200]], "retired_dbe": [], "retired_pending": 1, "nvlink_state": [1, 0], "nvlink_version": 4,
        "nvlink_errors": [21, 22, 23, 24, 25], "pcie": [31, 4, 8], "violation_power": [1000, 2000000], "violation_thermal": [1000, 77],
        "samples": [[200, 20], [300, 30]],
        # replay over both links; a link that cannot say makes the sum unknown; then what the file scripts, with and without a scope
        "fields": [[0, 121], [3, None], [0, 99999999999], [0, 4], [0, 415000], [0, 100], [0, 1.5], [3, None]],
    }
    assert {key: two[key] for key in expected} == expected
    assert found["unread_symbols"] == []


def test_a_reading_that_the_file_lacks_is_not_supported_and_never_zero(library: Path, tmp_path: Path) -> None:
    path = tmp_path / "gpus.txt"
    write_readings(path, [{"uuid": "GPU-1"}])
    assert read(library, path, "temperature") == {"error": "NVMLError_NotSupported"}


def test_errors_are_scripted_for_one_reading_or_for_a_whole_gpu(library: Path, tmp_path: Path) -> None:
    path = tmp_path / "gpus.txt"
    write_readings(path, [{**healthy("n1", 0), "temperature": "!GPU_IS_LOST"}])
    assert read(library, path, "temperature") == {"error": "NVMLError_GpuIsLost"}
    write_readings(path, [{**healthy("n1", 0), "*": "!RESET_REQUIRED"}])
    assert read(library, path, "temperature") == {"error": "NVMLError_ResetRequired"}
    write_readings(path, [{**healthy("n1", 0), "handle": "!15"}])
    assert read(library, path, "temperature") == {"error": "NVMLError_GpuIsLost"}


def test_a_driver_that_is_not_there_is_said_at_init(library: Path, tmp_path: Path) -> None:
    assert read(library, tmp_path / "absent", "temperature") == {"error": "NVMLError_DriverNotLoaded"}
    write_readings(tmp_path / "gpus.txt", [], {"init": "!LIB_RM_VERSION_MISMATCH"})
    assert read(library, tmp_path / "gpus.txt", "temperature") == {"error": "NVMLError_LibRmVersionMismatch"}


def test_a_call_hangs_for_as_long_as_the_file_says(library: Path, tmp_path: Path) -> None:
    path = tmp_path / "gpus.txt"
    write_readings(path, [{**healthy("n1", 0), "temperature": "@hang=1.5 66"}])
    began_s = time.monotonic()
    assert read(library, path, "temperature") == {"value": 66}
    assert time.monotonic() - began_s >= 1.5


def test_a_running_process_sees_readings_that_change(library: Path, tmp_path: Path) -> None:
    path = tmp_path / "gpus.txt"
    write_readings(path, [healthy("n1", 0)])
    env = {**os.environ, "LD_LIBRARY_PATH": str(library.parent), READINGS_VARIABLE: str(path)}
    with subprocess.Popen([sys.executable, str(READER), "follow"], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdin is not None
        assert reader.stdout is not None
        assert reader.stdout.readline() == "31\n"
        write_readings(path, [{**healthy("n1", 0), "temperature": "88"}])
        reader.stdin.write("\n")
        reader.stdin.flush()
        assert reader.stdout.readline() == "88\n"
        reader.stdin.close()
        assert reader.wait(10) == 0


def test_timeline_in_the_file_changes_readings_when_their_time_has_come(library, tmp_path):
    """"[at 0.6]" counts from "start"; before it the first value holds, after it the later one, whoever reads."""
    path = tmp_path / "gpus.txt"
    write_readings(path, [healthy("n1", 0) | {"temperature": "40"}], {"start": f"{time.time():.3f}"})
    path.write_text(path.read_text() + "\n[at 1.5]\n0.temperature = 91\n[at 3600]\n0.temperature = !GPU_IS_LOST\n")
    assert read(library, path, "temperature") == {"value": 40}
    time.sleep(1.6)
    assert read(library, path, "temperature") == {"value": 91}
    write_readings(path, [healthy("n1", 0) | {"temperature": "40"}], {"start": f"{time.time() - 4000:.3f}"})
    path.write_text(path.read_text() + "\n[at 1.5]\n0.temperature = 91\n[at 3600]\n0.temperature = !GPU_IS_LOST\n")
    assert read(library, path, "temperature") == {"error": "NVMLError_GpuIsLost"}
