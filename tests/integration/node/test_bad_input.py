"""What the node gives the service that is not as it should be: an old or mismatched NVML, a kernel log that is none, a clock that is set."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpualert_slurm.config import Node
from gpualert_slurm.epilog.collect import Ended
from gpualert_slurm.job_file import EpilogFacts, JobFile
from gpualert_slurm.programs.gpualert_node import watched_job
from gpualert_slurm.programs.gpualert_node.watched import watched
from gpualert_slurm.programs.gpualert_node.watched_job import WatchedJob
from gpualert_slurm.spank.watch import sample_file
from gpualert_slurm.spank.watch.kernel_log import KernelLog
from gpualert_slurm.spank.watch.nvml_client import GpuReading
from gpualert_slurm.spank.watch.stall_probe import find_py_spy
from tests.integration.node.a_job import BOOT, AJob
from tests.integration.node.a_node import ANode, a_failing_job, until
from tests.testbed import nvml_library

NEWER = ("nvmlGpm*", "nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetTemperatureV")
"""What NVML got after release 450 (CUDA 11.0) of what is asked."""


def said(report: object) -> list[str]:
    return [str(gap) for gap in report.gaps]  # type: ignore[attr-defined]


def test_nvml_of_an_old_driver_lacks_functions_and_gives_the_rest(node: ANode, tmp_path: Path) -> None:
    """The same library without what came later: memory and processes by their first versions, no SM activity, and what stands in for it is said."""
    (tmp_path / "old.map").write_text("{ local: " + "; ".join(NEWER) + "; };\n")
    command = ["make", "-s", "-C", str(nvml_library.SOURCE), f"BUILD={tmp_path}/old", f"LDFLAGS=-Wl,--version-script={tmp_path}/old.map"]
    subprocess.run(command, check=True, capture_output=True)
    symbols = subprocess.run(["nm", "-D", "--defined-only", f"{tmp_path}/old/libnvidia-ml.so.1"], check=True, capture_output=True, text=True).stdout
    assert "nvmlGpm" not in symbols
    assert "nvmlDeviceGetComputeRunningProcesses_v2" in symbols
    node.env["LD_LIBRARY_PATH"] = f"{tmp_path}/old"
    stranger = subprocess.Popen(["sleep", "60"])
    node.gpus(processes=f"{stranger.pid}:1048576", memory_used=str(1 << 30))
    job = a_failing_job(node)
    service = node.start()
    until((job.record / "gpus.jsonl").exists, "before")
    job.end(env={"SLURM_JOB_GPUS": "0"})
    assert service.wait(20) == 0
    stranger.kill()
    stranger.wait()
    (report,) = node.reports()
    assert len(report.gpus_after) == 1, said(report)
    (after,) = report.gpus_after
    # The first version of the call counts what the driver keeps for itself as used.
    assert (after.memory_used_bytes, after.foreign_processes, after.throttle_reasons) == ((1 << 30) + (600 << 20), 1, 1)
    assert after.sm_activity_percent is None
    assert [line for line in said(report) if "SM activity" in line and "power and memory-bandwidth utilisation" in line]


def test_library_that_does_not_fit_the_driver_is_said(node: ANode) -> None:
    """After an update without a reboot: NVML's own words, and the report without counters."""
    cards = [nvml_library.healthy("n1", i) for i in range(2)]
    nvml_library.write_readings(node.readings, cards, {"init": "!LIB_RM_VERSION_MISMATCH"})
    job = a_failing_job(node)
    service = node.start()
    until((job.record / "gpus.jsonl").exists, "before is given up")
    job.end(env={"SLURM_JOB_GPUS": "0"})
    assert service.wait(20) == 0
    (report,) = node.reports()
    assert any(line.startswith("n1: GPU counters before the job (") and "mismatch" in line for line in said(report)), said(report)
    assert report.gpus_before == ()


@pytest.mark.parametrize("path", ["/dev/null", "an empty file"])
def test_kernel_log_that_is_none_is_said_and_holds_nobody_up(path: str, node: ANode, tmp_path: Path) -> None:
    """Containers put /dev/null there: it ends where the kernel's log waits."""
    device = Path(path) if path.startswith("/") else tmp_path / "kmsg"
    if not path.startswith("/"):
        device.touch()
    begun = time.monotonic()
    log = KernelLog(device)
    assert log.read() == []
    assert time.monotonic() - begun < 5
    assert (log.problem, log.fileno()) == (f"{device} ends: it is not the kernel's log", None)
    job = a_failing_job(node)
    service = node.start(kernel_log=device)
    until((job.record / "gpus.jsonl").exists, "the GPUs are watched")
    job.end(env={"SLURM_JOB_GPUS": "0"})
    assert service.wait(20) == 0
    (report,) = node.reports()
    assert "n1: the kernel log of the job's time (/dev/kmsg ends: it is not the kernel's log)" in said(report)
    assert len(report.gpus_after) == 1


def test_kernel_lines_that_were_overwritten_are_counted_in_the_report(node: ANode, tmp_path: Path) -> None:
    """A pipe plays the device, one record a read: from 100 to 140 the sequence numbers jump while the job runs."""
    device = tmp_path / "kmsg"
    os.mkfifo(device)
    writer = os.open(device, os.O_RDWR)
    try:
        os.write(writer, b"6,100,1000,-;first\n")
        job = a_failing_job(node)
        service = node.start(kernel_log=device)
        until((job.record / "gpus.jsonl").exists, "watched")
        os.write(writer, b"6,140,2000,-;second\n")
        until(lambda: '"kernel_lost":39' in (job.record / "watch.json").read_text(), "the jump was seen", 30)
        job.end(env={"SLURM_JOB_GPUS": "0"})
        assert service.wait(20) == 0
    finally:
        os.close(writer)
    (report,) = node.reports()
    assert "n1: 39 kernel lines (the kernel overwrote them before they were read, or they were too many to keep)" in said(report)


def a_watched_job(root: Path) -> tuple[AJob, WatchedJob]:
    job = AJob(root / "state")
    job.start()
    return job, WatchedJob(JobFile.read(job.base / "jobs" / job.attempt), Node(), BOOT)


@pytest.mark.parametrize("by_s", [3600.0, -3600.0])
def test_clock_that_was_set_while_the_job_ran_is_said(by_s: float, open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From then on times are of another clock: the report says which are which, and keeps kernel lines from before whatever their times are."""
    job, one = a_watched_job(open_folder)
    one.keep(0.0, at_once=True)
    assert one.state.clock_steps == ()
    real = time.time_ns
    monkeypatch.setattr(watched_job.time, "time_ns", lambda: real() + int(by_s * 1e9))
    one.keep(0.0, at_once=True)
    one.keep(0.0, at_once=True)
    (step,) = one.state.clock_steps
    assert abs(step.by_ns - by_s * 1e9) < 1e9
    job.end()
    again = WatchedJob(one.job, Node(), BOOT)
    assert again.state.clock_steps == (step,), "a restart knows it"
    (gap,) = [gap for gap in watched(Ended(one.job, "hpc", EpilogFacts.read(job.record))).gaps if "clock was set" in gap.why]
    assert f"{by_s:+.1f} s" in gap.why
    assert "compare with later ones" in gap.what


def test_numbers_of_gpus_processes_and_host_stay_apart_in_one_file(open_folder: Path) -> None:
    """Both sides of a job write to one file, whose rows name their columns by number: none may take the other's."""
    job, one = a_watched_job(open_folder)
    row = {"uuid": "GPU-a", "time_ns": 5, "index": 0, "power_mw": 500, "utilization_gpu_percent": 7, "ecc_volatile_uncorrected": 3}
    for round_ in range(4):
        one.take_reading(GpuReading(time_ns=10**9 * round_, rows=(row | {"power_mw": 500 + round_},)), 0.0, after=False)
        one._take_pids({os.getpid()}, {"load_1m": 0.25 + round_, "memory_available_bytes": 10**9})
    found = sample_file.read(job.record / "samples.jsonl")
    by_name = {name: column for (_, name), column in found.items()}
    assert list(by_name["gpu_power_mw"].values) == [501, 502, 503]
    assert list(by_name["host_load"].values) == [0.25, 1.25, 2.25, 3.25]
    assert list(by_name["ecc_volatile_uncorrected"].values) == [3]
    for where, name in found:
        on_gpu = "gpu_uuid" in dict(where)
        assert on_gpu == (name.startswith(("gpu_", "ecc_"))), (where, name)


PROBE = """
import sys
from gpualert_slurm.spank.watch.stall_probe import ProbedRank, probe
(stand,) = probe("n1", [ProbedRank(int(sys.argv[1]), 0, 3)])
print(stand.model_dump_json())
"""


@pytest.mark.skipif(find_py_spy() is None, reason="py-spy is not installed: pip install 'gpualert-slurm[stacks]'")
def test_py_spy_that_is_refused_is_a_gap_and_the_kernels_word_is_there(open_folder: Path) -> None:
    """Another user's rank, and a service that may not look into it (no CAP_SYS_PTRACE, as under a hardened unit)."""
    rank = subprocess.Popen(["/usr/bin/python3", "-c", "import time; time.sleep(60)"], user=65534, group=65534, cwd="/")
    try:
        until(lambda: b"sleep" in Path(f"/proc/{rank.pid}/cmdline").read_bytes(), "it runs")
        without = ["setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace", sys.executable, "-c", PROBE, str(rank.pid)]
        done = subprocess.run(without, capture_output=True, text=True, check=True, timeout=60)
    finally:
        rank.kill()
        rank.wait()
    from gpualert_slurm.stall import RankStand

    stand = RankStand.model_validate_json(done.stdout)
    assert (stand.rank, stand.state, stand.python_stack) == (3, "S", ())
    (gap,) = stand.gaps
    assert (gap.what, gap.rank) == ("the Python stack", 3)
    assert gap.why.startswith("py-spy: ")
