"""One gpualertd a state folder; of ``--once`` runs, one that works and one that waits for its turn."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from gpualert_slurm import file_lock

NAME_CHARS = 400
"""The name is written over the last one's in one go: a reader never finds the file empty."""
WORK, NEXT = "gpualertd.lock", "gpualertd.next"


class BusyError(Exception):
    """Another gpualertd has the folder; the text says which."""

    def __init__(self, folder: Path, holder: str) -> None:
        super().__init__(f"{folder} is in use: {holder or 'a gpualertd that left no name'}; only one may run for a cluster")
        self.is_once = " --once" in holder


@contextlib.contextmanager
def held(folder: Path, *, once: bool) -> Iterator[None]:
    """Hold the folder's lock; the kernel gives it back when this process dies, however it dies.

    Raises:
        BusyError: somebody else holds it.
    """
    fd = file_lock.open_lock(folder / WORK)
    try:
        if not file_lock.take(fd):
            raise BusyError(folder, _holder(fd))
        since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        name = f"gpualertd{' --once' if once else ''}, pid {os.getpid()} on {socket.gethostname()}, since {since}"
        os.pwrite(fd, f"{name}\n".ljust(NAME_CHARS).encode(), 0)
        yield
    finally:
        os.close(fd)


@contextlib.contextmanager
def held_in_turn(folder: Path, wait_s: float) -> Iterator[bool]:
    """For ``--once``: hold the lock, waiting for another ``--once``; False where one waits already (it will see what we came for).

    Raises:
        BusyError: a daemon has the folder, or the other ``--once`` did not end within ``wait_s``.
    """
    queue = file_lock.open_lock(folder / NEXT)
    try:
        if not file_lock.take(queue):
            yield False
            return
        until = time.monotonic() + wait_s
        daemons = 0
        while True:
            with contextlib.ExitStack() as work:
                try:
                    work.enter_context(held(folder, once=True))
                except BusyError as error:
                    daemons = 0 if error.is_once else daemons + 1
                    if daemons > 1 or time.monotonic() > until:  # once may be the name of the last holder
                        raise
                    time.sleep(0.2)
                    continue
                # The next one may queue now: what came before this moment is seen by us, what comes later by it.
                fcntl.flock(queue, fcntl.LOCK_UN)
                yield True
                return
    finally:
        os.close(queue)


def _holder(fd: int) -> str:
    return os.pread(fd, 500, 0).decode("utf-8", "replace").partition("\n")[0].strip()
