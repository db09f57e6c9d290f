"""Call a function in a child that cannot hang or fill the machine: judging reads what strangers wrote.

The child is forked from a clean server process that has the classifier loaded and tried (``forkserver``, ``preload``), inherits no
thread and no lock of the daemon's, and dies alone. One child serves many calls, one after the other, each with its own bounds; the
first that fails in it ends it, and is made once more in a child of its own: what one job does to a child costs no other job its
answer (doc/adr/0010). It answers in JSON, which is read bounded and checked against the type that was asked for: what a
stranger's log makes of the child, it can say nothing else. It has no network where the kernel lets an unprivileged process give it up.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing.connection import Connection
from multiprocessing.forkserver import ensure_running
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.packed import Packed, PackedJob, read_report
from gpualert_slurm.programs.gpualertd.log import set_up
from gpualert_slurm.programs.gpualertd.systemd import tell

R = TypeVar("R")

MAX_MEMORY_BYTES = 8 << 30
MAX_ANSWER_BYTES = 256 << 20
MAX_GROWTH_BYTES = 128 << 20
"""A child that one call made larger than that serves no other: memory goes back to the machine when it ends."""
SHARED_TIMEOUT_S = 10.0
CALLS_PER_CHILD = 1600
"""Fifty times judging 16 jobs and composing their mails: a new child touches most of its pages, which costs as much as judging several jobs."""
REPORTS_KEPT, MOST_KEPT_BYTES = 32, 64 << 10
"""Reports that a child has read last, and how large a packed one may be: a job is judged, and soon after its mail composed of the same."""
GOOD, BAD = b"+", b"-"
AGAIN, LAST = b".", b"!"
PRELOADED = ("gpualert_slurm.programs.gpualertd.preload",)


class BoundedError(Exception):
    """The function raised, was late, or its process died; the text says which."""


class SuspectError(Exception):
    """A call in a shared child went wrong and was not made again yet: the caller has others to see to first."""


class StoppingError(Exception):
    """The daemon stops: nothing was decided, the next start begins again."""


@dataclass
class _Child:
    """A process that waits for calls at its end of the pipe."""

    process: BaseProcess
    ours: Connection
    calls: int = 0


class Bounded:
    """Calls with a deadline, given up when ``stopping`` becomes true. One call at a time; not for several threads."""

    def __init__(
        self, stopping: Callable[[], bool] = lambda: False, shared_s: float = SHARED_TIMEOUT_S, calls_per_child: int = CALLS_PER_CHILD
    ) -> None:
        """``shared_s``: the longest that a call may take in a child that others use as well; the whole of its time it has only alone."""
        self._stopping, self._shared_s, self._calls_per_child = stopping, shared_s, calls_per_child
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(list(PRELOADED))
        ensure_running()  # loads while the daemon does other things: the first job's mail does not wait for it
        self._child: _Child | None = None
        self.children = 0
        """Processes made so far."""

    def call(self, returns: type[R], function: Callable[..., R], *arguments: object, timeout_s: float) -> R:
        """``function(*arguments)``, which gives a ``returns``, in a child; function and arguments must be picklable, ``Packed`` ones are read there.

        Raises:
            BoundedError: no answer, also not alone.
            StoppingError: the daemon stops.
        """
        try:
            return self.call_shared(returns, function, *arguments, timeout_s=timeout_s)
        except SuspectError:
            return self.call_alone(returns, function, *arguments, timeout_s=timeout_s)

    def call_shared(self, returns: type[R], function: Callable[..., R], *arguments: object, timeout_s: float) -> R:
        """As ``call``, in a child that served others before.

        Raises:
            SuspectError: no answer: ``call_alone`` is to decide whose fault that was.
            StoppingError: the daemon stops.
        """
        tell("WATCHDOG=1")  # each call is bounded, and one job may need many
        child = self._child or self._start()
        self._child = None  # until it has answered well
        try:
            answer = self._ask(child, returns, function, arguments, min(timeout_s, self._shared_s))
            found = _read(returns, answer)
        except BoundedError as error:
            _end(child)
            raise SuspectError(str(error)) from error
        except BaseException:
            _end(child)
            raise
        if child.calls < self._calls_per_child and answer[1:2] == AGAIN:
            self._child = child
        else:
            _end(child)
        return found

    def call_alone(self, returns: type[R], function: Callable[..., R], *arguments: object, timeout_s: float) -> R:
        """As ``call``, in a child that serves nobody else."""
        tell("WATCHDOG=1")
        child = self._start()
        try:
            return _read(returns, self._ask(child, returns, function, arguments, timeout_s))
        finally:
            _end(child)

    def close(self) -> None:
        """End the child that waits for calls."""
        if self._child is not None:
            _end(self._child)
            self._child = None

    def _start(self) -> _Child:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(theirs,), daemon=True)
        try:
            process.start()
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        self.children += 1
        return _Child(process, ours)

    def _ask(self, child: _Child, returns: type[R], function: Callable[..., R], arguments: tuple[object, ...], timeout_s: float) -> bytes:
        child.calls += 1
        until = time.monotonic() + timeout_s
        try:
            child.ours.send((returns, function, arguments, timeout_s))
            while not child.ours.poll(0.2):
                if self._stopping():
                    raise StoppingError
                if time.monotonic() > until:
                    raise BoundedError(f"no answer within {timeout_s:g} s")
            return child.ours.recv_bytes(MAX_ANSWER_BYTES)
        except (EOFError, BrokenPipeError, ConnectionResetError) as error:
            child.process.join(2)
            raise BoundedError(f"its process died with {child.process.exitcode}") from error
        except OSError as error:
            raise BoundedError(f"its answer: {error}") from error


def _end(child: _Child) -> None:
    child.ours.close()
    if child.process.is_alive():
        child.process.kill()
    child.process.join(2)


_ADAPTERS: dict[object, TypeAdapter[Any]] = {}


def adapter(returns: type[R]) -> TypeAdapter[R]:
    """What reads and writes that type's JSON, made once."""
    if returns not in _ADAPTERS:
        _ADAPTERS[returns] = TypeAdapter(returns)
    return _ADAPTERS[returns]


def _read(returns: type[R], answer: bytes) -> R:
    if answer[:1] != GOOD:
        raise BoundedError(answer[2:].decode("utf-8", "replace")[:2000])
    try:
        return adapter(returns).validate_json(answer[2:])
    except ValidationError as error:
        raise BoundedError(f"its answer is no {getattr(returns, '__name__', returns)}: {error.errors()[0]['msg']}") from error


def _serve(pipe: Connection) -> None:
    """What the child does: one call after the other, until nobody is at the other end."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    set_up(for_people=False)
    kept = lru_cache(REPORTS_KEPT)(read_report)

    def reader(content: bytes) -> NodeReport:
        return kept(content) if len(content) <= MOST_KEPT_BYTES else read_report(content)

    logging.getLogger().setLevel(logging.ERROR)  # what is worth saying, the daemon says when it has the answer
    with contextlib.suppress(OSError, EOFError):  # nobody waits any more: the daemon stopped, or was killed
        while True:
            returns, function, arguments, timeout_s = pipe.recv()
            pipe.send_bytes(_answer(returns, function, arguments, timeout_s, reader))
            del returns, function, arguments


def _answer(
    returns: type[Any], function: Callable[..., object], arguments: tuple[object, ...], timeout_s: float, reader: Callable[[bytes], NodeReport]
) -> bytes:
    spent = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(resource.RLIMIT_CPU, (int(spent.ru_utime + spent.ru_stime + timeout_s) + 2, resource.RLIM_INFINITY))
    try:
        opened = (a.read(reader) if isinstance(a, PackedJob) else a.read() if isinstance(a, Packed) else a for a in arguments)
        good, said = GOOD, adapter(returns).dump_json(function(*opened))
    except Exception as error:
        good, said = BAD, f"{type(error).__name__}: {error}".encode("utf-8", "replace")
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - spent.ru_maxrss
    return good + (LAST if grown * 1024 > MAX_GROWTH_BYTES else AGAIN) + said
