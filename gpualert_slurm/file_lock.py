"""Locks on a file: ``flock``, which the kernel releases when its holder dies, and never waited for without end."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

PATIENCE_S = 20.0
"""Longer than the slowest batch of fsyncs should take; a holder that was stopped (SIGSTOP, a dead disk) must stop nobody else."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.001, 0.05


def open_lock(path: Path) -> int:
    """A descriptor of the lock's file, made where it is not there."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    if os.geteuid() == 0:  # an administrator came first: the folder's owner must be able to open it as well
        owner = path.parent.stat()
        os.fchown(fd, owner.st_uid, owner.st_gid)
    return fd


@contextlib.contextmanager
def locked(path: Path, patience_s: float | None = None) -> Iterator[int]:
    """Hold the lock at ``path``; gives the file's descriptor.

    Raises:
        TimeoutError: (an OSError) another process kept it for ``patience_s``.
    """
    limit_s = PATIENCE_S if patience_s is None else patience_s
    until, pause_s = time.monotonic() + limit_s, FIRST_PAUSE_S
    fd = open_lock(path)
    try:
        while not take(fd):
            if time.monotonic() >= until:
                raise TimeoutError(f"another process has held {path} for {limit_s:g} s: see 'fuser {path}'")
            time.sleep(pause_s)
            pause_s = min(LONGEST_PAUSE_S, 2 * pause_s)
        yield fd
    finally:
        os.close(fd)


def take(fd: int) -> bool:
    """Take the lock if nobody has it."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
