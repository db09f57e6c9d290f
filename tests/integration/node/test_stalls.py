"""A job that stands still, with real ranks, a real py-spy and the real service: it is seen, looked at, told, and told again when it goes on."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import uuid
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpualert_slurm.spank.watch.stall_frames import culprit
from gpualert_slurm.spank.watch.stall_probe import ProbedRank, ask_ras, find_py_spy, probe
from gpualert_slurm.stall import StallNote, Waits
from tests.bench.node.__main__ import STEPD
from tests.integration.node.a_job import AJob
from tests.integration.node.a_node import ANode, until

pytestmark = pytest.mark.skipif(find_py_spy() is None, reason="py-spy is not installed: pip install 'gpualert-slurm[stacks]'")
RANK = """import threading, time
def all_reduce():
    threading.Event().wait(120)
def train():
    all_reduce()
train()
"""


@pytest.fixture
def ranks() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Three real Python ranks that wait in a function called all_reduce."""
    made = [subprocess.Popen([sys.executable, "-c", RANK], env={"RANK": str(i), "LOCAL_RANK": str(i)}) for i in range(3)]
    time.sleep(0.7)
    yield made
    for process in made:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()


def start_ticks(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[19])


def test_stopped_rank_of_three_is_named_and_its_peers_wait_in_their_collective(ranks):
    """The kernel says T; py-spy reads the others' stacks from outside; nobody is stopped for it, and it takes less than three seconds."""
    ranks[1].send_signal(signal.SIGSTOP)
    until(lambda: ") T " in Path(f"/proc/{ranks[1].pid}/stat").read_text(), "it is stopped")
    begun = time.monotonic()
    stands = probe("n1", [ProbedRank(r.pid, start_ticks(r.pid), i, i) for i, r in enumerate(ranks)])
    assert time.monotonic() - begun < 3.5
    assert [(s.waits, s.waits_by) for s in stands] == [(Waits.COLLECTIVE, "stack"), (Waits.STOPPED, "kernel"), (Waits.COLLECTIVE, "stack")]
    assert any(frame.startswith("all_reduce (") for frame in stands[0].python_stack)
    who, why = culprit(stands)
    assert (who.rank, why.startswith("is stopped by a signal")) == (1, True)
    assert [Path(f"/proc/{r.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] for r in (ranks[0], ranks[2])] == ["S", "S"]


def test_process_that_is_no_python_or_gone_or_another_by_now_is_a_gap_not_an_error(ranks):
    """py-spy's own words become the gap; a pid that came again is not looked at as if it were the rank."""
    shell = subprocess.Popen(["sleep", "60"])
    ranks[0].kill()
    ranks[0].wait()
    stands = probe("n1", [ProbedRank(shell.pid, 0, 0), ProbedRank(ranks[0].pid, 0, 1), ProbedRank(ranks[1].pid, 12345, 2)])
    shell.kill()
    shell.wait()
    assert stands[0].python_stack == ()
    assert stands[0].gaps[0].what == "the Python stack"
    assert [s.waits for s in stands[1:]] == [Waits.DEAD, Waits.DEAD]


def test_ras_is_asked_only_of_the_jobs_own_user_and_its_answer_is_bounded():
    """Another user's NCCL listens on the same port of a shared node: what it says is another job's."""
    server = socket.create_server(("127.0.0.1", 0))
    address = server.getsockname()

    def answer() -> None:
        with contextlib.suppress(OSError):
            made, _ = server.accept()
            made.recv(64)
            made.sendall(b"Job summary\n\x1b[31m" + b"x" * 100_000)
            made.close()

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    said = ask_ras(os.getuid(), address)
    assert said.startswith("Job summary\n\\x1b[31mxxx")
    assert len(said) <= 33_000
    assert ask_ras(os.getuid() + 4242, address) is None
    server.close()
    assert ask_ras(os.getuid(), address) is None


class Index:
    """A task's time index, growing as the plugin writes it."""

    def __init__(self, job: AJob) -> None:
        self.path = job.record / "0.0.idx"
        head = struct.pack("<8sIHH16sqqqI", b"GPALIDX1", 1, 64, 32, uuid.UUID(job.boot_id).bytes, 0, job.started_ns, -1, 0)
        self.path.write_bytes(head + struct.pack("<I", zlib.crc32(head)))
        self.offset = 0

    def write(self, ago_s: float = 0.0) -> None:
        """A burst of output."""
        self.offset += 100
        body = struct.pack("<qqQBBH", time.time_ns() - int(ago_s * 1e9), time.monotonic_ns() - int(ago_s * 1e9), self.offset, 1, 1, 100)
        with self.path.open("ab") as file:
            file.write(body + struct.pack("<I", zlib.crc32(body)))


def test_service_sees_the_standstill_tells_once_names_the_rank_and_gives_the_all_clear(node: ANode):
    """Output every second, then none: a note with the stopped rank goes out while the job runs; when output comes again, another; both are in the report."""
    node.settings |= {"stall_min_s": 4, "sample_first_s": 0.3}
    argv = ["slurmstepd: [42.0]", "-c", STEPD, RANK, "3", sys.executable]
    host = subprocess.Popen(argv, executable=sys.executable, stdout=subprocess.PIPE, text=True)
    pids = [int(word) for word in host.stdout.readline().split()]
    try:
        job = AJob(node.state)
        job.start(stepd_pid=host.pid)
        index = Index(job)
        for ago in range(12, 0, -1):
            index.write(ago)
        os.kill(pids[2], signal.SIGSTOP)
        node.start()
        until(lambda: [d for d in node.documents() if isinstance(d, StallNote)], "the note arrives while the job runs", 30)
        (note,) = [d for d in node.documents() if isinstance(d, StallNote)]
        assert (note.kind, note.number, note.wishes.addresses) == ("stalled", 1, ("alice@example.org",))
        stall = note.stall
        assert (stall.culprit_pid, stall.culprit_rank, stall.ranks_total) == (pids[2], 2, 3)
        assert "stopped by a signal" in stall.culprit_why
        assert abs(stall.usual_interval_s - 1) < 0.2
        assert abs(stall.since_ns - (time.time_ns() - 10e9)) < 60e9
        os.kill(pids[2], signal.SIGCONT)
        for _ in range(4):
            index.write()
            time.sleep(0.8)
        until(lambda: len([d for d in node.documents() if isinstance(d, StallNote)]) == 2, "the all-clear", 20)
        assert {d.kind for d in node.documents() if isinstance(d, StallNote)} == {"stalled", "resumed"}
        host.kill()
        host.wait()
        job.end(env={"SLURM_JOB_GPUS": "0,1"})
        until(node.reports, "the report", 30)
        (report,) = node.reports()
        (kept,) = report.stalls
        assert kept.resumed_ns is not None
        assert [r.rank for r in kept.ranks] == [0, 1, 2]
    finally:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        host.kill()
        host.wait()


def test_stopped_rank_is_found_on_a_node_whose_ranks_never_write(node: ANode):
    """Rank 0 prints, elsewhere: here only the kernel's word tells, and that the rank goes on again is told by it too."""
    node.settings |= {"stall_min_s": 4, "sample_first_s": 0.3}
    argv = ["slurmstepd: [42.0]", "-c", STEPD, RANK, "3", sys.executable]
    host = subprocess.Popen(argv, executable=sys.executable, stdout=subprocess.PIPE, text=True)
    pids = [int(word) for word in host.stdout.readline().split()]
    notes = lambda: [d for d in node.documents() if isinstance(d, StallNote)]  # noqa: E731
    try:
        job = AJob(node.state)
        job.start(stepd_pid=host.pid)
        Index(job)
        node.start()
        until((job.record / "watching").exists, "taken up")
        begun_ns = time.time_ns()
        os.kill(pids[2], signal.SIGSTOP)
        until(notes, "the note arrives", 40)
        (note,) = notes()
        stall = note.stall
        assert (note.kind, stall.culprit_pid, stall.culprit_rank, stall.usual_interval_s) == ("stalled", pids[2], 2, None)
        assert begun_ns < stall.since_ns < stall.found_ns - 3.9e9
        os.kill(pids[2], signal.SIGCONT)
        until(lambda: len(notes()) == 2, "the all-clear", 40)
        assert {d.kind for d in notes()} == {"stalled", "resumed"}
    finally:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        host.kill()
        host.wait()


def test_run_near_its_time_limit_is_looked_at_although_it_writes(node: ANode):
    """Slurm's own end time in its environment: no note, for it does not stand still, but its stacks are in the report."""
    ends = str(int(time.time()) + 90)
    argv = ["slurmstepd: [42.0]", "-c", STEPD.replace("env={", "env={'SLURM_JOB_END_TIME': '" + ends + "', "), RANK, "2", sys.executable]
    host = subprocess.Popen(argv, executable=sys.executable, stdout=subprocess.PIPE, text=True)
    pids = [int(word) for word in host.stdout.readline().split()]
    try:
        job = AJob(node.state)
        job.start(stepd_pid=host.pid)
        index = Index(job)
        node.start()
        for _ in range(40):
            index.write()
            time.sleep(0.25)
            if (job.record / "stalls.json").exists():
                break
        host.kill()
        host.wait()
        job.end()
        until(node.reports, "the report", 30)
        (report,) = node.reports()
        (stall,) = report.stalls
        assert (stall.why_probed, stall.silent, stall.ranks_total) == ("time_limit", False, 2)
        assert all(r.waits is Waits.COLLECTIVE for r in stall.ranks)
        assert not [d for d in node.documents() if isinstance(d, StallNote)]
    finally:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        host.kill()
        host.wait()
