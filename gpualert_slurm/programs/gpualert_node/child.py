"""Work that may hang, in a forked child with a deadline: the service itself never waits for a file system, munged or a parser."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable

from gpualert_slurm.epilog.seal import SealUnavailableError
from gpualert_slurm.programs.gpualert_node.log import WARNING, say

_PR_SET_PDEATHSIG = 1
FOR_GOOD = 3


class ForGoodError(Exception):
    """Trying again will not help: the child ends with ``FOR_GOOD``."""
KILLED = -int(signal.SIGKILL)


class Child:
    """One forked child, leader of its own session. ``poll`` gives its exit code once; killed at the deadline it is ``KILLED``."""

    def __init__(self, name: str, work: Callable[[], None], deadline_s: float) -> None:
        """Fork and run ``work`` in the child: exit code 0 when it returns, 1 when it raises, ``FOR_GOOD`` for a ForGoodError.

        Raises:
            OSError: no process can be made.
        """
        self.name = name
        self.deadline = time.monotonic() + deadline_s
        self.late = False
        self.gone = False
        """Reaped: there is no such process any more."""
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            _be_child(name, work, parent)

    def poll(self) -> int | None:
        """The exit code, None while it runs. One that is stuck in the kernel is ``KILLED`` two seconds after it was killed, though not gone."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid:
            self.gone = True
            return os.waitstatus_to_exitcode(status)
        now = time.monotonic()
        if now >= self.deadline:
            self.kill()
            if self.late and now >= self.deadline + 2:
                return KILLED
            self.late = True
        return None

    def kill(self) -> None:
        """SIGKILL for the whole session."""
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(self.pid, signal.SIGKILL)


def _be_child(name: str, work: Callable[[], None], parent: int) -> None:
    """Never returns."""
    status = 1
    try:
        os.setsid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        # The lock, the kernel log and NVML's pipes are the service's: a child that held them would keep them alive after it.
        os.closerange(3, 1 << 16)
        if os.getppid() == parent:
            work()
            status = 0
    except BaseException as error:
        status = FOR_GOOD if isinstance(error, ForGoodError) else 1
        with contextlib.suppress(BaseException):
            say(f"{name}: {error}", WARNING)
            if not isinstance(error, (OSError, ForGoodError, SealUnavailableError)):
                traceback.print_exc(limit=8, file=sys.stderr)
                sys.stderr.flush()
    finally:
        os._exit(status)
