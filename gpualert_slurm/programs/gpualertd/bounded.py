"""Call a function in a child that cannot hang or fill the machine: judging reads what strangers wrote.

The child is forked from a clean server process that has the classifier loaded and tried (``forkserver``, ``preload``), so it costs
milliseconds, inherits no thread and no lock of the daemon's, and dies alone. It answers in JSON, which is read bounded
and checked against the type that was asked for: what a stranger's log makes of the child, it can say nothing else. It has
no network where the kernel lets an unprivileged process give it up.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import resource
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.forkserver import ensure_running
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from gpualert_slurm.programs.gpualertd.log import set_up
from gpualert_slurm.programs.gpualertd.systemd import tell

R = TypeVar("R")

MAX_MEMORY_BYTES = 8 << 30
MAX_ANSWER_BYTES = 256 << 20
GOOD, BAD = b"+", b"-"
PRELOADED = ("gpualert_slurm.programs.gpualertd.preload",)


class BoundedError(Exception):
    """The function raised, was late, or its process died; the text says which."""


class StoppingError(Exception):
    """The daemon stops: nothing was decided, the next start begins again."""


class Bounded:
    """Calls with a deadline, each in a process of its own, given up when ``stopping`` becomes true."""

    def __init__(self, stopping: Callable[[], bool] = lambda: False) -> None:
        self._stopping = stopping
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(list(PRELOADED))
        ensure_running()  # loads while the daemon does other things: the first job's mail does not wait for it

    def call(self, returns: type[R], function: Callable[..., R], *arguments: object, timeout_s: float) -> R:
        """``function(*arguments)``, which gives a ``returns``, in a child; function and arguments must be picklable.

        Raises:
            BoundedError: no answer.
            StoppingError: the daemon stops.
        """
        tell("WATCHDOG=1")  # each call is bounded, and one job may need many
        ours, theirs = self._context.Pipe(duplex=False)
        process = self._context.Process(target=_answer, args=(theirs, returns, function, arguments, timeout_s), daemon=True)
        try:
            process.start()
            theirs.close()
            self._wait(ours, timeout_s)
            try:
                answer = ours.recv_bytes(MAX_ANSWER_BYTES)
            except (EOFError, OSError) as error:
                process.join(2)
                raise BoundedError(f"its process died with {process.exitcode}" if isinstance(error, EOFError) else f"its answer: {error}") from error
            return _read(returns, answer)
        finally:
            ours.close()
            if process.pid is not None:
                if process.is_alive():
                    process.kill()
                process.join(2)

    def _wait(self, ours: Connection, timeout_s: float) -> None:
        until = time.monotonic() + timeout_s
        while not ours.poll(0.2):
            if self._stopping():
                raise StoppingError
            if time.monotonic() > until:
                raise BoundedError(f"no answer within {timeout_s:g} s")


_ADAPTERS: dict[object, TypeAdapter[Any]] = {}


def adapter(returns: type[R]) -> TypeAdapter[R]:
    """What reads and writes that type's JSON, made once."""
    if returns not in _ADAPTERS:
        _ADAPTERS[returns] = TypeAdapter(returns)
    return _ADAPTERS[returns]


def _read(returns: type[R], answer: bytes) -> R:
    if answer[:1] != GOOD:
        raise BoundedError(answer[1:].decode("utf-8", "replace")[:2000])
    try:
        return adapter(returns).validate_json(answer[1:])
    except ValidationError as error:
        raise BoundedError(f"its answer is no {getattr(returns, '__name__', returns)}: {error.errors()[0]['msg']}") from error


def _answer(pipe: Connection, returns: type[Any], function: Callable[..., object], arguments: tuple[object, ...], timeout_s: float) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (int(timeout_s) + 1, int(timeout_s) + 2))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    set_up(for_people=False)
    logging.getLogger().setLevel(logging.ERROR)  # what is worth saying, the daemon says when it has the answer
    try:
        answer = GOOD + adapter(returns).dump_json(function(*arguments))
    except Exception as error:
        answer = BAD + f"{type(error).__name__}: {error}".encode("utf-8", "replace")
    with contextlib.suppress(OSError):  # nobody waits any more: the daemon stopped, or was killed
        pipe.send_bytes(answer)
    with contextlib.suppress(OSError):
        pipe.close()
