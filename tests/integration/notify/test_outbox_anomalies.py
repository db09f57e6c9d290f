"""The n-th write, fsync, rename … fails, or the process dies there, for every n: no message is lost, none is sent astray.

After SQLite's anomaly tests: the same scenario is run with the fault at its first system call, its second, and so on,
until a run ends without having met the fault.
"""

from __future__ import annotations

import asyncio
import errno
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from gpualert_slurm.config import Mail
from gpualert_slurm.notification import Notification, Outcome, OutcomeKind
from gpualert_slurm.notify import delivery
from gpualert_slurm.notify.channel import Sender
from gpualert_slurm.notify.outbox import Outbox, State

MAIL = Mail(sender="gpualert@hpc.example.org")
S = 1_000_000_000
NOW = time.time_ns()  # files take their mtime from the real clock where utime fails
A, B, C = "a@example.org", "b@example.org", "c@example.org"
KEYS = ("k1", "k2")


class Killed(BaseException):
    """The process is gone: nothing runs after this, not even a finally that touches the disk."""


class Faults:
    """Counts the system calls that change the disk; the ``at``-th fails, or ends the process."""

    CALLS = ("write", "pwrite", "fsync", "fdatasync", "ftruncate", "utime", "open")

    def __init__(self, at: int, *, kill: bool, error: int = errno.ENOSPC) -> None:
        self.at, self.kill, self.error = at, kill, error
        self.count = 0
        self.armed = True

    def wrap(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            self.meet()
            return call(*args, **kwargs)

        return wrapped

    def meet(self) -> None:
        if not self.armed:
            return
        self.count += 1
        if self.kill and self.count >= self.at:
            raise Killed
        if self.count == self.at:
            raise OSError(self.error, os.strerror(self.error))

    @property
    def met(self) -> bool:
        return self.count >= self.at


@pytest.fixture
def inject(monkeypatch) -> Iterator[Callable[[Faults], None]]:
    """Put the faults under every call; the real ones come back with the next ``inject`` and at the end."""
    monkeypatch.setattr(delivery, "CONCURRENCY", 1)  # so that the n-th call is the same in every run

    def into(faults: Faults) -> None:
        monkeypatch.undo()
        monkeypatch.setattr(delivery, "CONCURRENCY", 1)
        for name in Faults.CALLS:
            # What is tested is what happens when a sync fails, not the disk's speed.
            real = (lambda fd: None) if name in ("fsync", "fdatasync") else getattr(os, name)
            monkeypatch.setattr(os, name, faults.wrap(real))
        monkeypatch.setattr(Path, "rename", faults.wrap(Path.rename))
        monkeypatch.setattr(Path, "unlink", faults.wrap(Path.unlink))

    return into


class World(Sender):
    """The receiving side: B is greylisted once, C refuses for good; it keeps count of who got what."""

    def __init__(self) -> None:
        self.got: Counter[tuple[str, str]] = Counter()
        self.greylisted: set[str] = set()

    async def send(self, message: bytes, sender: str, recipients: Sequence[str]) -> list[Outcome]:
        key = message.split(b"Message-ID: <")[1].split(b"@")[0].decode()
        return [self._one(key, r) for r in recipients]

    def _one(self, key: str, recipient: str) -> Outcome:
        if recipient == C:
            return Outcome(kind=OutcomeKind.REFUSED, recipient=recipient, code=550, reason="550 no")
        if recipient == B and key not in self.greylisted:
            self.greylisted.add(key)
            return Outcome(kind=OutcomeKind.RETRY, recipient=recipient, code=450, reason="450 later")
        self.got[key, recipient] += 1
        return Outcome(kind=OutcomeKind.SENT, recipient=recipient, code=250, reason="250 ok")


def live(folder: Path, world: World, faults: Faults) -> None:
    """What the daemon does: queue, and queue again until it was told that it worked; rounds, and rounds again."""
    box: Outbox | None = None
    now = NOW
    for _ in range(12):
        try:
            box = box or Outbox(folder)
            for key in KEYS:
                box.enqueue(Notification(key=key, recipients=(A, B, C), subject="s", text="t", html="h"), MAIL, NOW)
            asyncio.run(box.deliver_due(world, now))
        except OSError:
            pass
        except Killed:
            faults.armed = False  # the next process meets a sound disk
            box = None
        now += 3600 * S
        if box is not None and all(box.state_of(key) is State.REFUSED for key in KEYS):
            return


def check(folder: Path, world: World, faults: Faults) -> None:
    box = Outbox(folder)
    with box.sending():
        pass
    found = {path.stem: state for state, path in box.messages()}
    assert found == dict.fromkeys(KEYS, State.REFUSED), "C refused, so a human sees it there; nothing else may be left or missing"
    assert [p.name for p in (folder / "tmp").iterdir()] == []
    for key in KEYS:
        for recipient in (A, B):
            assert world.got[key, recipient] >= 1, f"{recipient} never got {key}"
    duplicates = sum(world.got.values()) - len(world.got)
    assert duplicates <= (1 if faults.met else 0) * 2, "one fault repeats one message at most (its two recipients)"


@pytest.mark.parametrize(("kill", "error"), [(True, 0), (False, errno.ENOSPC), (False, errno.EIO)], ids=["killed", "disk full", "I/O error"])
def test_no_fault_loses_a_message(inject, tmp_path, kill, error):
    n = 0
    while True:
        n += 1
        folder, world, faults = tmp_path / f"{n}", World(), Faults(n, kill=kill, error=error)
        inject(faults)
        live(folder, world, faults)
        faults.armed = False
        check(folder, world, faults)
        if not faults.met:
            break
        assert n < 400
    assert n > 60, "the scenario must go through the whole life of two messages"


def test_a_full_disk_stops_no_mail_that_is_queued(inject, tmp_path):
    """From some moment on every write fails; renames work. All is delivered once, and lands in its place."""
    box, world = Outbox(tmp_path / "box"), World()
    for key in KEYS:
        box.enqueue(Notification(key=key, recipients=(A,), subject="s", text="t", html="h"), MAIL, NOW)

    class Full(Faults):
        def meet(self) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    full = Full(1, kill=False)
    real = os.open
    inject(full)
    os.open = real  # opening existing files works on a full disk
    asyncio.run(_deliver_with_renames(box, world))
    assert {key: box.state_of(key) for key in KEYS} == dict.fromkeys(KEYS, State.SENT)
    assert set(world.got.values()) == {1}


async def _deliver_with_renames(box: Outbox, world: World) -> None:
    Path.rename = _REAL_RENAME  # type: ignore[method-assign]
    Path.unlink = _REAL_UNLINK  # type: ignore[method-assign]
    await box.deliver_due(world, NOW)


_REAL_RENAME, _REAL_UNLINK = Path.rename, Path.unlink
