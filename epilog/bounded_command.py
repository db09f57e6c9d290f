"""Run one command that may hang: its own process group, a deadline, a bound on what it says."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

MAX_OUTPUT_BYTES = 256 * 1024 * 1024
UNKILLABLE_S = 2.0
"""A killed process that is stuck in the kernel is left to init after this long."""


class CommandError(Exception):
    """The command could not be run, was late, said too much, or failed; the text is for people."""


@dataclass(frozen=True)
class Output:
    """What a command that ended in time said."""

    returncode: int
    stdout: str
    stderr: str


def run(
    argv: Sequence[str],
    *,
    timeout_s: float,
    env: Mapping[str, str] | None = None,
    stopping: Callable[[], bool] = lambda: False,
    max_bytes: int = MAX_OUTPUT_BYTES,
) -> Output:
    """Run ``argv`` to its end and give its output as text (broken UTF-8 as U+FFFD).

    The command and all its children are killed after ``timeout_s``, when they have said more than ``max_bytes``, and when
    ``stopping()`` becomes true.

    Raises:
        CommandError: it was not there, was killed for one of these reasons, or ended with another status than 0.
    """
    until = time.monotonic() + timeout_s
    name = argv[0]
    with contextlib.ExitStack() as closing:
        out = os.memfd_create("stdout")
        closing.callback(os.close, out)
        err = os.memfd_create("stderr")
        closing.callback(os.close, err)
        try:
            process = subprocess.Popen(list(argv), stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env, start_new_session=True)
        except OSError as error:
            raise CommandError(f"{name} cannot be run: {error.strerror or error}") from error
        try:
            pause_s = 0.002
            while process.poll() is None:
                if stopping():
                    raise CommandError(f"{name} was ended: gpualertd stops")
                if time.monotonic() > until:
                    raise CommandError(f"{name} did not answer within {timeout_s:g} s and was killed")
                if os.fstat(out).st_size + os.fstat(err).st_size > max_bytes:
                    raise CommandError(f"{name} said more than {max_bytes} bytes and was killed")
                time.sleep(pause_s)
                pause_s = min(pause_s * 1.5, 0.05)
        finally:
            _end(process)
        said, complained = (_text(fd) for fd in (out, err))
    if process.returncode != 0:
        words = complained.strip() or said.strip()[-500:] or "it said nothing"
        raise CommandError(f"{name} ended with {process.returncode}: {' '.join(words.split())[:500]}")
    return Output(process.returncode, said, complained)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the whole group: also when the command has ended, since a child of it may not have."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(UNKILLABLE_S)


def _text(fd: int) -> str:
    os.lseek(fd, 0, os.SEEK_SET)
    with os.fdopen(os.dup(fd), "rb") as file:
        return file.read().decode("utf-8", "replace")
