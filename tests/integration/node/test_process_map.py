"""The process map over real processes of this machine: ranks below a launcher, how they end, where they wait, what is kept of them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpualert_slurm.spank.watch import job_processes, process_identity
from gpualert_slurm.spank.watch.proc_events import ProcEvents
from gpualert_slurm.spank.watch.process_identity import IdentityReader, kept_environment
from gpualert_slurm.spank.watch.process_map import Known, ProcessMap
from tests.integration.node.a_node import until

LAUNCHER = textwrap.dedent("""
    import os, subprocess, sys
    ranks = [subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read(); sys.exit(3)", "--epochs", "2"], stdin=subprocess.PIPE,
                              env={**os.environ, "RANK": str(8 + i), "LOCAL_RANK": str(i), "NCCL_DEBUG": "INFO"}) for i in range(2)]
    print(*(r.pid for r in ranks), flush=True)
    sys.stdin.readline()
    ranks[0].stdin.close()
    for r in ranks: r.wait()
    sys.stdin.readline()
""")


class Job:
    """A launcher with two ranks, and a map that looks at it as the service does."""

    def __init__(self) -> None:
        environment = {"PATH": os.environ["PATH"], "API_TOKEN": "s3cret-token", "SLURM_PROCID": "0", "SLURM_JOB_DEPENDENCY": "afterok:41"}
        self.launcher = subprocess.Popen([sys.executable, "-c", LAUNCHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        assert self.launcher.stdout is not None
        self.ranks = [int(word) for word in self.launcher.stdout.readline().split()]
        self.events = ProcEvents()
        self.map = ProcessMap("n1", 42)

    def look(self) -> dict[int, Known]:
        """One look at the launcher and what descends from it."""
        pids = {self.launcher.pid, *(job_processes.family([self.launcher.pid]) or ())}
        self.map.look(pids, time.time_ns(), time.monotonic_ns())
        return dict(self.map.living)

    def say(self) -> None:
        """Let the launcher go one step on."""
        assert self.launcher.stdin is not None
        self.launcher.stdin.write(b"\n")
        self.launcher.stdin.flush()


@pytest.fixture
def job() -> Iterator[Job]:
    made = Job()
    yield made
    for pid in made.ranks:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
            os.kill(pid, signal.SIGKILL)
    made.launcher.kill()
    made.launcher.wait()
    made.events.close()


def test_ranks_below_a_launcher_are_known_by_rank_and_their_ends_by_the_kernels_word(job):
    """Slurm sees one task; each rank's code or signal comes from the proc connector, to the millisecond."""
    assert job.events.problem is None
    job.look()
    living = job.look()
    assert {pid: (living[pid].rank, living[pid].local_rank, living[pid].parent) for pid in job.ranks} == {
        pid: (8 + i, i, job.launcher.pid) for i, pid in enumerate(job.ranks)
    }
    before = time.time_ns()
    os.kill(job.ranks[1], signal.SIGKILL)
    job.say()
    ends = []

    def both_ended() -> bool:
        ends.extend(known.pid for end in job.events.read() if (known := job.map.ended(end)) is not None)
        return set(job.ranks) <= set(ends)

    until(both_ended, "the kernel says that they ended")
    assert sorted(ends) == sorted(job.ranks), "each once"
    found = {p.pid: p for p in job.map.records()}
    assert [(found[pid].exit_code, found[pid].exit_signal) for pid in job.ranks] == [(3, None), (None, 9)]
    assert all(before - 5e6 < found[pid].ended_ns < time.time_ns() + 5e6 for pid in job.ranks)
    assert found[job.launcher.pid].ended_ns is None
    assert job.look().keys() == {job.launcher.pid}


def test_nothing_but_named_variables_of_an_environment_is_kept(job):
    """A token in the environment is in no record; what a diagnosis asks for is."""
    job.look()
    job.look()
    records = job.map.records()
    assert "s3cret-token" not in "".join(p.model_dump_json() for p in records)
    (rank,) = [p for p in records if p.pid == job.ranks[0]]
    assert rank.environment == {"RANK": "8", "LOCAL_RANK": "0", "NCCL_DEBUG": "INFO", "SLURM_PROCID": "0", "SLURM_JOB_DEPENDENCY": "afterok:41"}
    assert rank.command[-2:] == ("--epochs", "2")
    assert rank.started_ns is not None
    assert abs(rank.started_ns - time.time_ns()) < 60e9
    assert rank.container is None


def test_process_that_lived_between_two_looks_is_known_by_its_parent(job):
    """A child that crashed at once: its end, with its signal, and nothing made up about it."""
    job.look()
    child = subprocess.Popen(["sh", "-c", "kill -SEGV $$"])  # of this process, which is no member: not the job's
    child.wait()
    grand = subprocess.run([sys.executable, "-c", "import os"], check=True)
    assert grand.returncode == 0
    assert all(job.map.ended(end) is None for end in job.events.read() if end.pid == child.pid)
    ours = ProcessMap("n1", 42)
    ours.look({os.getpid()}, time.time_ns(), time.monotonic_ns())
    second = subprocess.Popen(["sh", "-c", "kill -SEGV $$"])
    second.wait()
    time.sleep(0.1)
    assert any(ours.ended(end) for end in job.events.read() if end.pid == second.pid)
    (found,) = [p for p in ours.records() if p.pid == second.pid]
    assert (found.exit_signal, found.parent_pid, found.name, found.command, found.looks) == (signal.SIGSEGV, os.getpid(), None, (), 0)


def test_stopped_rank_is_seen_stopped_and_a_working_one_at_work(job):
    """SIGSTOP shows as T in its waits; CPU time as percent of a core."""
    job.look()
    os.kill(job.ranks[0], signal.SIGSTOP)
    until(lambda: job.look()[job.ranks[0]].state == "T", "it is stopped")
    found = {p.pid: p for p in job.map.records()}
    assert found[job.ranks[0]].waits["T"] >= 1
    assert "T" not in found[job.ranks[1]].waits
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        until(lambda: Path(f"/proc/{busy.pid}/cmdline").read_bytes().startswith(sys.executable.encode()), "it runs")
        one = ProcessMap("n1", 1)
        for _ in range(2):
            one.look({busy.pid}, time.time_ns(), time.monotonic_ns())
            time.sleep(0.5)
        one.look({busy.pid}, time.time_ns(), time.monotonic_ns())
        assert one.living[busy.pid].cpu_percent > 20, "a starved machine gives it less than a core"
        assert one.records()[0].cpu_s > 0.2
    finally:
        busy.kill()
        busy.wait()


def test_foreign_process_on_a_gpu_is_foreign_and_a_child_that_was_not_looked_at_yet_is_not(job):
    """A rank that starts between two looks must not count as a neighbour; a process of no job must; one that is gone cannot be told."""
    job.map.look({job.launcher.pid}, time.time_ns(), time.monotonic_ns())
    assert job.map.foreign(job.ranks[0]) is False
    assert job.map.foreign(os.getpid()) is True
    assert job.map.foreign(job.launcher.pid) is False
    ended = subprocess.Popen(["true"])
    ended.wait()
    assert job.map.foreign(ended.pid) is None


def test_hostile_name_and_arguments_become_text(job):
    """A process name with a parenthesis, a line break and a colour; arguments that are no UTF-8."""
    code = "import ctypes, sys; ctypes.CDLL(None).prctl(15, b') R 1 (\\n\\x1b[31m', 0, 0, 0); print(1, flush=True); sys.stdin.read()"
    odd = subprocess.Popen([sys.executable.encode(), b"-c", code.encode(), b"\xff\x1b[2J"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert odd.stdout.readline() == b"1\n"
        one = ProcessMap("n1", 1)
        one.look({odd.pid}, time.time_ns(), time.monotonic_ns())
        (found,) = one.records()
        assert (found.name, found.command[-1]) == (") R 1 (\\x0a\\x1b[31m", "\\xff\\x1b[2J")
        assert found.state in "SR"
        assert found.parent_pid == os.getpid()
    finally:
        odd.kill()
        odd.wait()


def test_process_in_namespaces_of_its_own_is_a_container_with_a_pid_of_its_own():
    """What its own log calls pid 1; pyxis is recognised by enroot's variables."""
    argv = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sleep", "30"]
    for extra, named in (({}, "namespace"), ({"ENROOT_ROOTFS": "/x"}, "pyxis"), ({"APPTAINER_NAME": "t.sif"}, "apptainer")):
        outer = subprocess.Popen(argv, env={**os.environ, **extra})
        try:
            until(lambda: job_processes.family([outer.pid]), "it is there")  # noqa: B023
            (inner,) = job_processes.family([outer.pid])
            until(lambda: Path(f"/proc/{inner}/comm").read_text() == "sleep\n", "it runs")  # noqa: B023
            one = ProcessMap("n1", 1)
            one.look({inner}, time.time_ns(), time.monotonic_ns())
            (found,) = one.records()
            assert (found.container, found.namespace_pid) == (named, 1)
        finally:
            outer.kill()
            outer.wait()


def test_reading_a_process_that_hangs_with_its_memory_locked_holds_nobody_up(tmp_path):
    """Its environment does not come (here: a pipe nobody writes); the map goes on without it, and reads again when it came back."""
    folder = tmp_path / "77"
    folder.mkdir()
    os.mkfifo(folder / "cmdline")
    reader = IdentityReader(tmp_path)
    begun = time.monotonic()
    assert reader.read(77) is None
    assert reader.read(77) is None
    assert time.monotonic() - begun < 2 * process_identity._WAIT_S + 1
    assert reader.stuck
    with (folder / "cmdline").open("wb"):
        pass
    (folder / "cmdline").unlink()
    (folder / "cmdline").write_bytes(b"python\0train.py\0")
    until(lambda: (found := reader.read(77)) is not None and found.command == ("python", "train.py"), "it is read again")
    assert not reader.stuck


def test_pid_that_comes_again_is_another_process(tmp_path):
    """The same number with another start time: the first one's rank, GPU and end are not the second's."""

    def process(name: str, start: int, environ: bytes) -> None:
        folder = tmp_path / "77"
        folder.mkdir(exist_ok=True)
        (folder / "stat").write_text(f"77 ({name}) S 1 " + " ".join(["0"] * 9) + f" 10 5 0 0 20 0 1 0 {start} 0 0")
        (folder / "environ").write_bytes(environ)
        (folder / "cmdline").write_bytes(name.encode() + b"\0")

    found = ProcessMap("n1", 42, tmp_path)
    process("first", 1000, b"RANK=3\0LOCAL_RANK=3")
    found.look({77}, 1, 1)
    found.on_gpu("GPU-a", [77], [100], 5)
    process("second", 2000, b"HOME=/root")
    assert found.foreign(77) is False, "still taken for the first until it is looked at"
    found.look(set(), 2, 2)
    assert found.foreign(77) is True
    found.look({77}, 3, 3)
    assert {(p.start_ticks, p.name, p.rank, p.gpu_uuids) for p in found.records()} == {(1000, "first", 3, ("GPU-a",)), (2000, "second", None, ())}


def test_environment_of_a_hostile_process_is_bounded():
    """A thousand variables that look wanted, one of a megabyte, broken bytes: 64 values of 256 bytes."""
    raw = b"\0".join([b"RANK=" + b"9" * 1_000_000, b"RANK=4", b"NCCL_\xff=1", b"=", b"LOCAL_RANK"] + [b"NCCL_A%d=\x1b]0;x\x07" % i for i in range(1000)])
    kept = kept_environment(raw)
    assert len(kept) == 64
    assert max(len(value) for value in kept.values()) <= 256
    assert kept["NCCL_A1"] == "\\x1b]0;x\\x07"
    assert Known(1, 1, 1, environment=kept).rank is None
    assert Known(1, 1, 1, environment={"RANK": "²"}).rank is None
