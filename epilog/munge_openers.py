"""The processes that open credentials for this one: as many as it opens side by side, begun when it has opened enough to be worth it."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from gpualert_slurm.epilog.munge_opener import Answer, Opener, OpenerError

WORTH_IT = 16
"""Credentials that a process opens by ``unmunge`` first: starting an interpreter costs as much as several of those."""
MOST_DEATHS = 3
"""Then ``unmunge`` it is, for good: no libmunge is there, or something kills it."""

Whose = tuple[int, int, Path | None]
"""Process, effective uid and munged's socket: a forked child, or one that became somebody else, does not use its parent's."""


class Openers:
    """Idle ones are used again. For several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[Opener] = []
        self._whose: Whose | None = None
        self._asked = self._deaths = 0

    def open(self, sealed: bytes, munge_socket: Path | None, timeout_s: float) -> Answer | None:
        """What libmunge says of the credential; None where ``unmunge`` is to be asked. Raises LateError."""
        whose = (os.getpid(), os.geteuid(), munge_socket)
        with self._lock:
            if whose != self._whose:
                self._whose, self._idle, self._asked, self._deaths = whose, [], 0, 0
            self._asked += 1
            if self._asked <= WORTH_IT or self._deaths >= MOST_DEATHS:
                return None
            opener = self._idle.pop() if self._idle else None
        try:
            opener = opener or Opener(str(munge_socket) if munge_socket else None)
            answer = opener.open(sealed, timeout_s)
        except (OSError, OpenerError):
            with self._lock:
                self._deaths += 1
            return None
        with self._lock:
            if whose == self._whose:
                self._idle.append(opener)
            else:
                opener.close()
        return answer
