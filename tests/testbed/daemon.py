"""A daemon in the foreground, in a session of its own: started, waited for, logged, and ended by its pid."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

POLL_S = 0.05
_STARTED: set[Daemon] = set()


class DaemonError(RuntimeError):
    """A daemon did not start or did not become ready; the text quotes its command and the tail of its log."""


class Daemon:
    """One program in the foreground.

    Args:
        name: what errors call it.
        argv: the program; it must stay in the foreground.
        log: where its stdout and stderr go (appended).
        ready: true once it serves; asked until ``ready_timeout_s``. None: started is ready.
        user: who it runs as; root needs no switch.
        more_logs: files that the program writes itself, quoted in errors beside ``log``.
    """

    def __init__(
        self,
        name: str,
        argv: Sequence[str],
        *,
        log: Path,
        ready: Callable[[], bool] | None = None,
        ready_timeout_s: float = 30,
        user: str = "root",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        more_logs: Sequence[Path] = (),
    ) -> None:
        self.name = name
        self.argv = list(argv)
        self.log = log
        self.user = user
        self.env = dict(env) if env is not None else None
        self.cwd = cwd
        self.more_logs = list(more_logs)
        self._ready = ready
        self._ready_timeout_s = ready_timeout_s
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The daemon's own pid (setpriv execs it); raises ``DaemonError`` where it was never started."""
        if self._process is None:
            raise DaemonError(f"{self.name} was not started")
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._process is not None and self._process.poll() is None

    @property
    def returncode(self) -> int | None:
        """How it ended, as ``subprocess`` counts; None while it runs or before its start."""
        return None if self._process is None else self._process.poll()

    def start(self) -> None:
        """Start it and wait until it is ready; raises ``DaemonError`` (and leaves nothing running) where it is not in time."""
        self.spawn()
        self.wait_ready()

    def spawn(self) -> None:
        """Start it without waiting."""
        if self.running:
            raise DaemonError(f"{self.name} already runs as pid {self.pid}")
        # The kernel ends the daemon if the thread that started it dies without a word; setpriv sets that after it changed the user.
        argv = ["setpriv", "--pdeathsig=KILL"]
        if self.user != "root":
            argv += [f"--reuid={self.user}", f"--regid={self.user}", "--init-groups"]
        with self.log.open("ab") as out:
            self._process = subprocess.Popen(
                [*argv, "--", *self.argv], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                env=self.env, cwd=self.cwd, start_new_session=True,
            )
        _STARTED.add(self)

    def wait_ready(self) -> None:
        """Wait until ``ready`` says so; raises ``DaemonError`` where the daemon ended or the bound passed."""
        if self._ready is None:
            return
        until = time.monotonic() + self._ready_timeout_s
        while True:
            if not self.running:
                raise DaemonError(f"{self.name} ended with {self.returncode} before it was ready: {' '.join(self.argv)}\n{self.tail()}")
            if self._ready():
                return
            if time.monotonic() > until:
                words = f"{self.name} was not ready after {self._ready_timeout_s} s: {' '.join(self.argv)}\n{self.tail()}"
                self.stop()
                raise DaemonError(words)
            time.sleep(POLL_S)

    def stop(self, term_timeout_s: float = 10) -> None:
        """End it by its pid: TERM, after ``term_timeout_s`` KILL. Ended already, or never started: nothing happens."""
        process = self._process
        if process is None or process.poll() is not None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(term_timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """End it by KILL, as a power cut would."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(10)

    def pause(self) -> None:
        """SIGSTOP: it lives and answers nothing."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """SIGCONT after ``pause``."""
        os.kill(self.pid, signal.SIGCONT)

    def tail(self, max_bytes: int = 3000) -> str:
        """The end of its logs, each under its path."""
        return "\n".join(f"--- {path}\n{tail_of(path, max_bytes)}" for path in [self.log, *self.more_logs])


def tail_of(path: Path, max_bytes: int) -> str:
    """The last ``max_bytes`` of a file as text; a missing file says so."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - max_bytes))
            return file.read().decode(errors="replace")
    except OSError as error:
        return f"(no log: {error.strerror})"


def wait_until(fact: Callable[[], bool], what: str, timeout_s: float, poll_s: float = POLL_S) -> None:
    """Wait until ``fact`` holds; raises ``DaemonError`` naming ``what`` after ``timeout_s``."""
    until = time.monotonic() + timeout_s
    while not fact():
        if time.monotonic() > until:
            raise DaemonError(f"not within {timeout_s} s: {what}")
        time.sleep(poll_s)


@atexit.register
def _stop_all() -> None:
    for daemon in list(_STARTED):
        with contextlib.suppress(OSError):
            daemon.stop(term_timeout_s=3)
