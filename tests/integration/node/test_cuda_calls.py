"""Calls of CUDA and NCCL by name, counted in real processes by the kernel; the libraries are the project's own, for no CUDA is at hand."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpualert_slurm.spank.watch import cuda_calls, elf_symbols
from gpualert_slurm.spank.watch.call_counter import CannotCountError
from tests.bench.node.__main__ import STEPD
from tests.integration.node.a_job import AJob
from tests.integration.node.a_node import ANode, sampled, until
from tests.testbed.tracefs import tracefs

SOURCE = Path(__file__).resolve().parents[2] / "testbed" / "cuda" / "calls.c"
RANK = """
import ctypes, sys, threading, time
cuda, nccl = ctypes.CDLL(sys.argv[1] + "/libcuda.so.1"), ctypes.CDLL(sys.argv[1] + "/libnccl.so.2")
def backward():
    while True:
        cuda.cuLaunchKernel()
        time.sleep(0.01)
threading.Thread(target=backward, daemon=True).start()
print("ready", flush=True)
while True:
    for _ in range(10):
        cuda.cuLaunchKernel()
    cuda.cuMemcpyHtoDAsync_v2()
    cuda.cuMemAlloc_v2()
    if sys.argv[2] == "collectives":
        nccl.ncclAllReduce()
    time.sleep(0.01)
"""


@pytest.fixture(scope="module", autouse=True)
def tracing() -> Iterator[None]:
    """Where systemd mounts it; here perhaps nobody did."""
    with tracefs():
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """libcuda.so.1 and libnccl.so.2 that export what is counted."""
    made = tmp_path_factory.mktemp("cuda")
    for name, flags in (("libcuda.so.1", []), ("libnccl.so.2", ["-DNCCL"])):
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", *flags, "-o", str(made / name), str(SOURCE)], check=True)
    return made


@pytest.fixture
def ranks(folder: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Two that do the same, but for the collectives; a third of somebody else."""
    made = [subprocess.Popen([sys.executable, "-c", RANK, str(folder), how], stdout=subprocess.PIPE) for how in ("collectives", "none", "collectives")]
    for process in made:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
    time.sleep(0.3)
    yield made
    for process in made:
        process.kill()
        process.wait()


def counted(pids: list[int]) -> dict[int, dict[str, int]]:
    """Or the reason why not, for the log of a machine without uprobes."""
    try:
        found, seconds = cuda_calls.count(pids, 1.0)
    except CannotCountError as error:
        pytest.skip(f"this kernel does not count: {error}")
    assert 0.9 < seconds < 30
    return found


def test_launches_copies_and_collectives_are_counted_by_process_over_its_threads(ranks: list[subprocess.Popen[bytes]]) -> None:
    """Ten launches a turn and those of a second thread, one copy a turn, one collective a turn or none; no other call, no other process."""
    pids = [process.pid for process in ranks[:2]]
    found = counted(pids)
    assert set(found) == set(pids)
    for pid in pids:
        numbers = found[pid]
        assert numbers["copies_to_gpu"] > 0
        assert numbers["copies_from_gpu"] == 0
        assert numbers["kernel_launches"] >= 10 * (numbers["copies_to_gpu"] - 1)
        assert numbers["kernel_launches"] > 10 * (numbers["copies_to_gpu"] + 1), "the other thread's are there too"
    first, second = (found[pid] for pid in pids)
    assert abs(first["collectives"] - first["copies_to_gpu"]) <= 1
    assert second["collectives"] == 0


def test_nothing_stays_behind_in_a_process_that_was_counted(ranks: list[subprocess.Popen[bytes]], folder: Path) -> None:
    """The function's first byte is as it was, and was never touched in a process that nobody asked about."""
    (offset,) = elf_symbols.offsets(folder / "libcuda.so.1", {"cuLaunchKernel"}).values()

    def first_bytes(pid: int) -> bytes:
        line = next(line for line in Path(f"/proc/{pid}/maps").read_text().splitlines() if "libcuda.so.1" in line and " r-xp " in line)
        begin, file_offset = int(line.split("-")[0], 16), int(line.split()[2], 16)
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:  # noqa: PTH123
            memory.seek(begin + offset - file_offset)
            return memory.read(8)

    before = first_bytes(ranks[0].pid)
    counting = threading.Thread(target=cuda_calls.count, args=([ranks[0].pid], 3.0))
    counted([ranks[0].pid])  # or skip
    counting.start()
    until(lambda: first_bytes(ranks[0].pid) != before, "the trap is set where it was asked for")
    assert first_bytes(ranks[2].pid) == before, "and nowhere else"
    counting.join()
    until(lambda: first_bytes(ranks[0].pid) == before, "the trap is gone")
    assert all(process.poll() is None for process in ranks)
    assert f"c{os.getpid()}_" not in Path("/sys/kernel/tracing/uprobe_events").read_text()


def test_definitions_of_a_process_that_was_killed_go_with_the_next_window(ranks: list[subprocess.Popen[bytes]], folder: Path) -> None:
    """Killed in the middle of a window: its counters are gone with it, its definition lies there, and counts nothing."""
    counted([ranks[0].pid])  # or skip
    events = Path("/sys/kernel/tracing/uprobe_events")
    code = f"from gpualert_slurm.spank.watch import cuda_calls; cuda_calls.count([{ranks[0].pid}], 60)"
    killed = subprocess.Popen([sys.executable, "-c", code])
    until(lambda: f"/c{killed.pid}_" in events.read_text(), "it has defined its probes", 60)
    killed.kill()
    killed.wait()
    assert f"/c{killed.pid}_" in events.read_text()
    counted([ranks[0].pid])
    assert f"/c{killed.pid}_" not in events.read_text()


def test_process_without_cuda_or_that_is_gone_is_said() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    with pytest.raises(CannotCountError, match="no rank has libcuda or libnccl loaded"):
        cuda_calls.count([os.getpid(), gone.pid], 0.1)


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"\x7fELF\x02\x01" + b"\xff" * 200, b"#!/bin/sh\n" * 20])
def test_library_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    """A rank may map whatever file under that name."""
    path = tmp_path / "libcuda.so.1"
    path.write_bytes(content)
    with pytest.raises((ValueError, OSError)):
        elf_symbols.offsets(path, {"cuLaunchKernel"})


def test_offsets_are_those_of_the_systems_own_tool(folder: Path) -> None:
    """For a library whose code lies where its file has it, nm's addresses are the offsets."""
    names = {"cuLaunchKernel", "cuMemcpyHtoDAsync_v2", "cuNoSuchThing"}
    found = elf_symbols.offsets(folder / "libcuda.so.1", names)
    listed = subprocess.run(["nm", "-D", "--defined-only", str(folder / "libcuda.so.1")], capture_output=True, text=True, check=True).stdout
    assert found == {line.split()[2]: int(line.split()[0], 16) for line in listed.splitlines() if line.split()[2] in names}


def test_service_counts_in_windows_and_the_report_has_them_by_rank(node: ANode, folder: Path) -> None:
    """Two ranks below a slurmstepd; every five seconds a window, on whole multiples of the clock: counts within each, of unit count."""
    node.settings |= {"cuda_counts": "true", "cuda_counts_every_s": 5.0}
    code = RANK.replace("sys.argv[1]", repr(str(folder))).replace("sys.argv[2]", "'collectives'")
    argv = ["slurmstepd: [42.0]", "-c", STEPD.replace("env={", "stdout=subprocess.DEVNULL, env={"), code, "2", sys.executable]
    host = subprocess.Popen(argv, executable=sys.executable, stdout=subprocess.PIPE, text=True)
    assert host.stdout is not None
    pids = [int(word) for word in host.stdout.readline().split()]
    try:
        until(lambda: all(len(cuda_calls.libraries(pid)) == 2 for pid in pids), "the ranks have loaded both")
        counted(pids)
        job = AJob(node.state)
        job.start(stepd_pid=host.pid)
        service = node.start()
        until(lambda: sampled(job, "collectives") >= 2, "two windows", 60)
        host.kill()
        host.wait()
        job.end(env={"SLURM_JOB_GPUS": "0,1"})
        assert service.wait(30) == 0
    finally:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        host.kill()
        host.wait()
    (report,) = node.reports()
    for name in ("kernel_launches", "collectives", "copies_to_gpu"):
        found = {s.where.rank: s for s in report.series if s.name == name}
        assert set(found) == {0, 1}
        assert all(s.unit == "count" and len(s.values) >= 2 and min(s.values) > 0 for s in found.values())
    assert not [gap for gap in report.gaps if "kernel launches" in gap.what]


def test_counts_that_were_asked_for_and_cannot_be_had_are_a_gap(node: ANode) -> None:
    """Ranks without CUDA on a node with GPUs: why is said."""
    node.settings |= {"cuda_counts": "true", "cuda_counts_every_s": 5.0}
    argv = ["slurmstepd: [42.0]", "-c", STEPD, "import time; time.sleep(120)", "1", sys.executable]
    host = subprocess.Popen(argv, executable=sys.executable, stdout=subprocess.PIPE, text=True)
    assert host.stdout is not None
    (pid,) = [int(word) for word in host.stdout.readline().split()]
    try:
        job = AJob(node.state)
        job.start(stepd_pid=host.pid)
        service = node.start()
        until((job.record / "calls.json").exists, "a window was tried", 60)
        time.sleep(0.5)
        job.end(env={"SLURM_JOB_GPUS": "0,1"})
        assert service.wait(30) == 0
    finally:
        os.kill(pid, signal.SIGKILL)
        host.kill()
        host.wait()
    (report,) = node.reports()
    (gap,) = [gap for gap in report.gaps if gap.what == "counts of kernel launches and collectives"]
    assert gap.why == "no rank has libcuda or libnccl loaded"
