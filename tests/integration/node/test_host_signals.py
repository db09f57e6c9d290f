"""Host signals of this machine: a real cgroup with a job's name, real pressure files, the node's memory and load."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.discovery import discover
from gpualert_slurm.host import HostSnapshot, StepUsage
from gpualert_slurm.spank.watch import host, host_signals
from gpualert_slurm.spank.watch.cgroups import Cgroups, job_cgroups
from gpualert_slurm.spank.watch.host_signal import HostSignal
from gpualert_slurm.spank.watch.host_signals import pressure
from gpualert_slurm.spank.watch.sample_file import place
from tests.integration.node.a_node import until

CONTROLLERS = ("memory", "cpuacct", "freezer")
ROOT = Path("/sys/fs/cgroup")


@pytest.fixture
def job() -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """A process of job 4_2_42 in a step's cgroup, laid out as Slurm does; version 1 or 2, whichever this machine has."""
    number = 900_000_000 + os.getpid()
    bases = [ROOT / c for c in CONTROLLERS if (ROOT / c).is_dir()] or [ROOT]
    process = subprocess.Popen([sys.executable, "-c", "import time; held = bytearray(64 << 20); print(1, flush=True); time.sleep(60)"], stdout=subprocess.PIPE)
    folders = []
    try:
        for base in bases:
            folder = base / f"gpualert-test/job_{number}/step_0/task_0"
            folder.mkdir(parents=True)
            folders.append(folder)
            (folder / "cgroup.procs").write_text(str(process.pid))
    except OSError as error:
        pytest.skip(f"no cgroup can be made here: {error}")
    assert process.stdout is not None
    process.stdout.readline()
    yield number, process
    with contextlib.suppress(OSError):
        (ROOT / f"freezer/gpualert-test/job_{number}/step_0/freezer.state").write_text("THAWED")
    process.kill()
    process.wait()
    for folder in folders:
        for path in (folder, *folder.parents[:2]):
            until(lambda: _gone(path), f"{path} goes")  # noqa: B023
        with contextlib.suppress(OSError):
            folder.parents[2].rmdir()


def _gone(path: Path) -> bool:
    with contextlib.suppress(FileNotFoundError):
        with contextlib.suppress(OSError):
            path.rmdir()
        return not path.exists()
    return True


def test_every_signal_fills_fields_of_a_snapshot_and_each_has_one():
    """A misspelt field would be dropped silently."""
    for name, signal in discover(host_signals, "SIGNAL", HostSignal).items():
        known = set(HostSnapshot.model_fields) | set(StepUsage.model_fields)
        assert set(signal.series) <= known, name
        assert set(signal.node(Path("/proc"))) <= set(HostSnapshot.model_fields), name


def test_job_and_its_step_are_found_and_counted(job):
    """Memory, CPU time and membership from the cgroup's own files; the step below the job."""
    number, process = job
    found = job_cgroups(process.pid, number)
    assert found is not None
    assert process.pid in found.pids()
    assert list(found.steps()) == ["0"]
    taken = host.snapshot("n1", time.time_ns(), host.read_node(), found)
    whole, step = taken.steps
    assert (whole.step, step.step) == (None, "0")
    assert step.cpu_usage_ns is None or step.cpu_usage_ns >= 0
    assert taken.memory_total_bytes > taken.memory_available_bytes > 0
    assert taken.load_1m is not None
    assert job_cgroups(process.pid, number + 1) is None
    assert job_cgroups(os.getpid(), number) is None


def test_suspended_job_is_seen_frozen(job):
    """``scontrol suspend`` freezes the cgroup: such a run stands still and is well."""
    number, process = job
    state = ROOT / f"freezer/gpualert-test/job_{number}/step_0/freezer.state"
    if not state.exists():
        pytest.skip("no freezer of version 1 here")
    found = job_cgroups(process.pid, number)
    assert [s.frozen for s in host.snapshot("n1", 1, {}, found).steps] == [False, False]
    state.write_text("FROZEN")
    until(lambda: host.snapshot("n1", 1, {}, found).steps[1].frozen, "it is frozen")


def test_cgroup_that_is_gone_counts_nothing(job):
    """The step ended between two looks: no numbers, no error, and not zero."""
    number, process = job
    found = job_cgroups(process.pid, number)
    missing = Cgroups({name: folder / "step_9" for name, folder in found.folders.items()})
    usage = {name: value for signal in host.signals().values() for name, value in signal.step(missing).items() if value not in ({}, None)}
    assert usage == {}
    assert missing.pids() == set()


def test_pressure_files_of_this_kernel_are_understood_and_others_are_none():
    """As Documentation/accounting/psi.rst prints them."""
    text = "some avg10=1.53 avg60=0.87 avg300=0.73 total=7561537\nfull avg10=0.21 avg60=0.13 avg300=0.12 total=152311\n"
    found = pressure.parse(text)
    assert (found.some_avg10_percent, found.full_avg10_percent, found.some_total_us, found.full_total_us) == (1.53, 0.21, 7561537, 152311)
    assert pressure.parse("") is None
    if Path("/proc/pressure/cpu").exists():
        assert host.read_node()["psi_cpu"].some_total_us > 0


@given(st.text())
def test_no_text_makes_the_pressure_parser_raise(text):
    pressure.parse(text)


def test_totals_become_rates_and_a_counter_that_fell_gives_none():
    """CPU time of a step as percent of a core between two snapshots; a step that began anew starts anew."""
    numbers, where = host.HostNumbers(), place(kind="step", step="0")

    def cpu(at_s: int, used_ns: int) -> float | None:
        taken = HostSnapshot(node="n1", time_ns=at_s * 10**9, steps=(StepUsage(step="0", cpu_usage_ns=used_ns),))
        return dict(numbers.rows(taken))[where].get("step_cpu_percent")

    assert [cpu(10, 0), cpu(20, 15 * 10**9), cpu(30, 2 * 10**9), cpu(40, 2 * 10**9)] == [None, 150.0, None, 0.0]
