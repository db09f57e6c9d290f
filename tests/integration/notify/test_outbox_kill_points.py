"""SIGKILL at the n-th system call that changes the disk, for every n: a real process dies there, and the next one finishes the work."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from pathlib import Path

from gpualert_slurm.notification import Outcome
from gpualert_slurm.notify import delivery
from gpualert_slurm.notify.outbox import Outbox, State
from tests.integration.notify.test_outbox_anomalies import KEYS, NOW, A, B, Faults, World, live


class Deadly(Faults):
    """The ``at``-th call is this process's last."""

    def meet(self) -> None:
        self.count += 1
        if self.count == self.at:
            os.kill(os.getpid(), signal.SIGKILL)


class Recorded(World):
    """The receiving side outlives its sender: what it took is in a file, written by one append each, before it answers."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._write = os.write  # before any fault is put under it
        self.greylisted = {line.split()[1] for line in path.read_text().splitlines() if line.startswith("grey ")}

    def _one(self, key: str, recipient: str) -> Outcome:
        known = len(self.greylisted)
        outcome = super()._one(key, recipient)
        if len(self.greylisted) > known:
            self._write(self._fd, f"grey {key}\n".encode())
        elif outcome.kind.value == "sent":
            self._write(self._fd, f"got {key} {recipient}\n".encode())
        return outcome


def dies_at(n: int, folder: Path, record: Path) -> bool:
    """Run the scenario in a child that dies at its ``n``-th call; whether it did."""
    child = os.fork()
    if child == 0:
        faults = Deadly(n, kill=False)
        for name in Faults.CALLS:
            real = (lambda fd: None) if name in ("fsync", "fdatasync") else getattr(os, name)
            setattr(os, name, faults.wrap(real))
        world = Recorded(record)
        for name in ("rename", "unlink"):
            setattr(Path, name, faults.wrap(getattr(Path, name)))
        try:
            live(folder, world, faults)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def test_a_sender_that_is_killed_at_any_call_loses_nothing(tmp_path, monkeypatch):
    """The next process delivers the rest; a death repeats at most the message in hand, under the same Message-ID."""
    monkeypatch.setattr(delivery, "CONCURRENCY", 1)
    n = 0
    died = True
    while died:
        n += 1
        folder, record = tmp_path / f"{n}", tmp_path / f"{n}.world"
        record.touch()
        died = dies_at(n, folder, record)
        world = Recorded(record)
        live(folder, world, Faults(10**9, kill=False))
        box = Outbox(folder)
        assert {p.stem: s for s, p in box.messages()} == dict.fromkeys(KEYS, State.REFUSED), n
        assert list((folder / "tmp").iterdir()) == [], n
        got = Counter(line for line in record.read_text().splitlines() if line.startswith("got "))
        for key in KEYS:
            for recipient in (A, B):
                assert got[f"got {key} {recipient}"] >= 1, n
        assert sum(got.values()) - len(got) <= 2, n
        assert n < 400
    assert n > 50, "the scenario must go through the whole life of two messages"


def test_a_retry_that_is_killed_leaves_a_message_that_the_next_sender_takes(tmp_path):
    """``gpualert outbox retry``, cut off between its two renames: the message lies in active/ of nobody."""
    box, record = Outbox(tmp_path / "box"), tmp_path / "world"
    record.touch()
    live(box.folder, Recorded(record), Faults(10**9, kill=False))
    path = box.folder / "refused" / f"{KEYS[0]}.msg"
    path.rename(box.folder / "active" / path.name)
    asyncio.run(box.deliver_due(Recorded(record), NOW))
    assert box.state_of(KEYS[0]) is State.REFUSED
