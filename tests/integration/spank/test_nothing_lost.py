"""Nothing lost: random writers, many at once, some of them killed at random times; what each had written is in its log and its output.

A writer knows its bytes beforehand and notes, in shared memory, after each write(2) how far it got. So the log is compared with the output,
both with what was to be written, and their length with what the writer knew to be written when it was killed.
``GPUALERT_SOAK_S`` makes it go on for that many seconds: ``make soak``.
"""

from __future__ import annotations

import os
import random
import selectors
import signal
import struct
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from gpualert_slurm.rank_log import LogFrame
from tests.integration.spank.test_capture_core import PLUGIN

SOAK_S = float(os.environ.get("GPUALERT_SOAK_S", "0"))
RANKS = 64
NOTE = struct.Struct("=qqq")  # pid, bytes of out, bytes of err
WRITER = """
import mmap, os, random, struct, sys, time
seed, most, notes = sys.argv[1], int(sys.argv[2]), sys.argv[3]
task = int(os.environ["TASK"])
with open(notes, "r+b") as file:
    shared = mmap.mmap(file.fileno(), 0)
r = random.Random(f"{seed}/{task}")
data = [memoryview(r.randbytes(r.randrange(most))) for _ in range(2)]
at = [0, 0]
struct.pack_into("=q", shared, 24 * task, os.getpid())
while at[0] < len(data[0]) or at[1] < len(data[1]):
    s = r.randrange(2)
    size = int(2 ** r.uniform(0, 20))
    if at[s] < len(data[s]):
        at[s] += os.write(s + 1, data[s][at[s]:at[s] + size])
        struct.pack_into("=q", shared, 24 * task + 8 + 8 * s, at[s])
    if r.random() < 0.02:
        time.sleep(r.random() / 100)
"""


@dataclass(frozen=True)
class Plan:
    """One round: where the outputs go, and the bounds of the logs."""

    seed: int
    most_bytes: int
    fifos: bool
    head_max_bytes: int


class Fifos:
    """Reads every rank's outputs, a little at a time and with pauses: a slow reader is what back-pressure is for."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.content: dict[str, bytearray] = {}
        self._select = selectors.DefaultSelector()
        self._random = random.Random(seed)
        for task in range(RANKS):
            for stream in ("out", "err"):
                path = folder / f"{task}.{stream}"
                os.mkfifo(path)
                fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
                self.content[path.name] = bytearray()
                self._select.register(fd, selectors.EVENT_READ, path.name)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        while not self._stop.is_set() or self._any():
            self._any()
            if self._random.random() < 0.05:
                time.sleep(0.005)

    def _any(self) -> bool:
        found = False
        for key, _ in self._select.select(0.05):
            piece = os.read(key.fd, 262144)
            self.content[key.data] += piece
            found |= bool(piece)
            if not piece:
                time.sleep(0.001)  # no writer yet, or none any more
        return found

    def close(self) -> None:
        """Everything that is still in the pipes, then the descriptors."""
        self._stop.set()
        self._thread.join(60)
        assert not self._thread.is_alive()
        for key in list(self._select.get_map().values()):
            os.close(key.fd)
        self._select.close()


def _kill_some(running: subprocess.Popen[bytes], notes: Path, seed: int) -> set[int]:
    """SIGKILL for about half of the ranks, each at its own time, while the driver runs. Gives the ranks that were hit."""
    r = random.Random(seed)
    victims = r.sample(range(RANKS), RANKS // 2)
    hit: set[int] = set()
    while running.poll() is None:
        time.sleep(r.random() / 50)
        for task in victims[: r.randrange(1, 5)]:
            pid, _, _ = NOTE.unpack_from(notes.read_bytes(), NOTE.size * task)
            if pid and _is_writer(pid, running.pid):
                os.kill(pid, signal.SIGKILL)
                hit.add(task)
                victims.remove(task)
    return hit


def _is_writer(pid: int, parent: int) -> bool:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1]) == parent
    except OSError:
        return False


def _run(folder: Path, driver: Path, plan: Plan) -> tuple[set[int], dict[str, bytes], bytes]:
    """One round. Gives the ranks that were killed, each output's bytes, and the notes."""
    logs, outputs, notes = folder / "logs", folder / "outputs", folder / "notes"
    logs.mkdir(), outputs.mkdir()
    notes.write_bytes(bytes(NOTE.size * RANKS))
    fifos = Fifos(outputs, plan.seed) if plan.fifos else None
    options = [f"tasks={RANKS}", f"out={outputs}/%t.out", f"err={outputs}/%t.err", f"head={plan.head_max_bytes}"]
    command = [sys.executable, "-S", "-c", WRITER, str(plan.seed), str(plan.most_bytes), str(notes)]
    try:
        with subprocess.Popen([str(driver), str(logs), *options, "--", *command], stderr=subprocess.PIPE) as running:
            hit = _kill_some(running, notes, plan.seed)
            said = running.communicate(timeout=120)[1]
    finally:
        if fifos is not None:
            fifos.close()
    assert said == b"", (plan, said)
    found = {k: bytes(v) for k, v in fifos.content.items()} if fifos is not None else {p.name: p.read_bytes() for p in outputs.iterdir()}
    return hit, found, notes.read_bytes()


def _check(folder: Path, plan: Plan, hit: set[int], found: dict[str, bytes], notes: bytes) -> None:
    for task in range(RANKS):
        r = random.Random(f"{plan.seed}/{task}")
        _, *noted = NOTE.unpack_from(notes, NOTE.size * task)
        for stream, at_least in zip(("out", "err"), noted, strict=True):
            whole = r.randbytes(r.randrange(plan.most_bytes))
            output = found.get(f"{task}.{stream}", b"")
            where = (plan, task, stream, task in hit)
            assert at_least <= len(output), where
            assert task in hit or len(output) == len(whole), where
            assert output == whole[: len(output)], where
            path = folder / "logs" / f"0.{task}.{stream}"
            frame, log = LogFrame.read(path), path.read_bytes()
            assert frame.problem is None, (where, frame.problem)
            assert frame.head + frame.hole + frame.tail == len(output), where
            assert frame.hole == 0 or frame.head >= plan.head_max_bytes, where
            assert log[frame.start : frame.start + frame.head] == output[: frame.head], where
            assert log[frame.tail_start : frame.tail_start + frame.tail] == output[len(output) - frame.tail :], where


@pytest.fixture(scope="module")
def shipped_driver() -> Path:
    """The driver as it is shipped."""
    made = subprocess.run(["make", "-s", "-C", str(PLUGIN), "driver"], check=False, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return PLUGIN / "build" / "capture-driver"


@pytest.mark.parametrize("fifos", [False, True], ids=["files", "pipes"])
@pytest.mark.parametrize("head_max_bytes", [1 << 30, 1 << 18], ids=["whole", "capped"])
def test_nothing_is_lost(shipped_driver, tmp_path, fifos, head_max_bytes):
    """64 ranks write pieces of 1 B to 1 MiB on both streams and half of them are killed: log, output and what was written agree to the byte."""
    until, number = time.monotonic() + SOAK_S / 4, 0
    while number == 0 or time.monotonic() < until:
        folder = tmp_path / str(number)
        folder.mkdir()
        plan = Plan(random.SystemRandom().randrange(1 << 30), (8 if SOAK_S else 1) << 20, fifos, head_max_bytes)
        hit, found, notes = _run(folder, shipped_driver, plan)
        _check(folder, plan, hit, found, notes)
        assert hit, plan
        subprocess.run(["rm", "-rf", str(folder)], check=True)
        number += 1
