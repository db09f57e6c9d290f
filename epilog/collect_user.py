"""Do one piece of work as the job's user, in a child that cannot become anybody else, and read its answer bounded.

The child is forked from root and gives everything up before it looks at the user's files: groups, gid, uid (all three of each), new
privileges for ever, all descriptors but its answer and those it was lent. What it then says is worth no more than what the user says.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import select
import signal
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gpualert_slurm.epilog.collect_account import Account

_LENGTH = struct.Struct("<I")
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38
_UNKILLABLE_S = 1.0
_MIB = 1 << 20

Send = Callable[[bytes], None]


@dataclass(frozen=True)
class Limits:
    """Bounds of one child. ``deadline_s`` is wall time; after it the child and its session are killed."""

    deadline_s: float
    memory_mib: int = 512
    answer_bytes: int = 16 << 20
    file_bytes: int = 0
    """The largest file it may write: 0 for none."""


@dataclass(frozen=True)
class Answer:
    """The frames that arrived whole, in order, and in words why there may be more: None after an orderly end."""

    frames: tuple[bytes, ...]
    cut_short: str | None


def run_as(account: Account, work: Callable[[Send], None], limits: Limits, lend: Sequence[int] = ()) -> Answer:
    """Run ``work(send)`` as ``account``; ``send`` hands one frame to us.

    Args:
        account: whose rights the child has.
        work: runs in the child, with the caller's memory as it is now; its return ends the child.
        limits: what it may use.
        lend: descriptors that stay open in the child.

    Returns:
        What it sent. A child that dies, is late or says too much gives what came before, and ``cut_short``.
    """
    reading, writing = os.pipe()
    parent = os.getpid()
    try:
        child = os.fork()
    except OSError as error:
        os.close(reading)
        os.close(writing)
        return Answer((), f"no process could be made: {error.strerror}")
    if child == 0:
        _child(account, work, limits, writing, {writing, *lend}, parent)
    os.close(writing)
    try:
        return _listen(child, reading, limits)
    finally:
        os.close(reading)


def _child(account: Account, work: Callable[[Send], None], limits: Limits, writing: int, keep: set[int], parent: int) -> None:  # noqa: PLR0917
    """Never returns."""
    status = 97
    try:
        os.setsid()
        _close_all_but(keep)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        os.umask(0o077)
        _give_up_root(account, limits)
        if os.getppid() == parent:  # else it died before PDEATHSIG was set
            work(lambda frame: _send(writing, frame))
            status = 0
    except MemoryError:
        status = 98
    except BaseException as error:
        with contextlib.suppress(BaseException):
            _send(writing, b"!" + f"{type(error).__name__}: {error}".encode("utf-8", "backslashreplace")[:500])
        status = 99
    finally:
        os._exit(status)


def _close_all_but(keep: set[int]) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    last = 2
    for fd in sorted(keep):
        os.closerange(last + 1, fd)
        last = fd
    os.closerange(last + 1, 1 << 16)


def _give_up_root(account: Account, limits: Limits) -> None:
    """Raises when any of it fails: work is never done with more rights than the user's."""
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() == 0:
        os.setgroups(account.groups)
    os.setresgid(account.gid, account.gid, account.gid)
    os.setresuid(account.uid, account.uid, account.uid)
    if os.getresuid() != (account.uid,) * 3 or os.getresgid() != (account.gid,) * 3:
        raise PermissionError("the uid did not change")
    for option, value in ((_PR_SET_NO_NEW_PRIVS, 1), (_PR_SET_DUMPABLE, 0), (_PR_SET_PDEATHSIG, signal.SIGKILL)):
        if libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
            raise PermissionError(f"prctl {option}: {os.strerror(ctypes.get_errno())}")
    if account.uid != 0:
        with contextlib.suppress(PermissionError):
            os.setuid(0)
            raise SystemError("root could be regained")
    os.chdir("/")
    memory = limits.memory_mib * _MIB
    seconds = max(1, round(limits.deadline_s))
    for what, bound in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
    ):
        resource.setrlimit(what, (bound, bound))


def _send(writing: int, frame: bytes) -> None:
    view = memoryview(_LENGTH.pack(len(frame)) + frame)
    while view:
        view = view[os.write(writing, view) :]


def _listen(child: int, reading: int, limits: Limits) -> Answer:
    until = time.monotonic() + limits.deadline_s
    buffer = bytearray()
    cut_short: str | None = None
    while True:
        left = until - time.monotonic()
        if left <= 0:
            cut_short = f"not done within {limits.deadline_s:g} s"
            break
        if not select.select([reading], [], [], left)[0]:
            continue
        part = os.read(reading, 1 << 18)
        if not part:
            break
        buffer += part
        if len(buffer) > limits.answer_bytes:
            cut_short = f"the answer is larger than {limits.answer_bytes} bytes"
            break
    how = _end(child, kill=cut_short is not None)
    frames, complaint = _frames(buffer)
    return Answer(frames, cut_short or complaint or how)


def _end(child: int, *, kill: bool) -> str | None:
    """Reap the child; None for an orderly end, else how it ended. One stuck in the kernel is left behind after a second."""
    if kill:
        _kill(child)
    until = time.monotonic() + _UNKILLABLE_S
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            break
        if time.monotonic() > until:
            _kill(child)
            return "its process cannot be ended: it is stuck in the kernel"
        time.sleep(0.002)
    code = os.waitstatus_to_exitcode(status)
    if code in {98, -signal.SIGKILL}:
        return "its process needed too much memory or was killed"
    if code == -signal.SIGXCPU:
        return "its process needed too much CPU time"
    return None if code == 0 else f"its process ended with {code}"


def _kill(child: int) -> None:
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(child, signal.SIGKILL)


def _frames(buffer: bytearray) -> tuple[tuple[bytes, ...], str | None]:
    found: list[bytes] = []
    at = 0
    while at + _LENGTH.size <= len(buffer):
        (length,) = _LENGTH.unpack_from(buffer, at)
        if at + _LENGTH.size + length > len(buffer):
            break
        frame = bytes(buffer[at + _LENGTH.size : at + _LENGTH.size + length])
        at += _LENGTH.size + length
        if frame.startswith(b"!"):
            return tuple(found), frame[1:].decode("utf-8", "replace")
        found.append(frame)
    return tuple(found), None if at == len(buffer) else "the answer is cut off"
