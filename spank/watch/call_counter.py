"""How often threads of other processes call functions, over a short window: uprobes that exist for these processes only (perf_event_open(2)).

The kernel counts; nothing of a call is seen, no other process that has the library mapped is touched, and everything is gone when the descriptors are
closed, also by a crash. While it counts, each call costs its thread a trap. Needs CAP_SYS_ADMIN (tried on Linux 6.18: CAP_PERFMON is not enough).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import platform
import struct
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_TYPE = Path("/sys/bus/event_source/devices/uprobe/type")
_SYSCALL = {"x86_64": 298, "aarch64": 241}
_ATTR_BYTES = 112
_DISABLED = 1
_CLOEXEC = 8
_ENABLE, _DISABLE = 0x2400, 0x2401


@dataclass(frozen=True)
class Call:
    """One function: the library as this process can open it, and where in the file it begins."""

    library: Path
    offset: int


class CannotCountError(Exception):
    """This kernel, machine or user may not count; the text says why."""


@dataclass(frozen=True)
class Wanted:
    """Count ``call`` on a thread, for ``key``."""

    key: tuple[int, str]
    thread: int
    call: Call


def count(wanted: Iterable[Wanted], window_s: float) -> tuple[dict[tuple[int, str], int], float]:
    """({key: calls}, how long was counted, seconds). A thread that ends meanwhile is counted as far as it came.

    Raises:
        CannotCountError: nothing could be counted.
    """
    opened: list[tuple[tuple[int, str], int]] = []
    problem = "no thread is left"
    try:
        for one in wanted:
            fd, why = _open(one.thread, one.call)
            if fd is not None:
                opened.append((one.key, fd))
            problem = why or problem
        if not opened:
            raise CannotCountError(problem)
        for _, fd in opened:
            fcntl.ioctl(fd, _ENABLE, 0)
        begun = time.monotonic()
        time.sleep(window_s)
        for _, fd in opened:
            fcntl.ioctl(fd, _DISABLE, 0)
        counted_s = time.monotonic() - begun
        found: dict[tuple[int, str], int] = {}
        for key, fd in opened:
            found[key] = found.get(key, 0) + struct.unpack("=Q", os.read(fd, 8))[0]
        return found, counted_s
    finally:
        for _, fd in opened:
            with contextlib.suppress(OSError):
                os.close(fd)


def busiest_threads(pid: int, most: int, proc: Path = Path("/proc")) -> Iterator[int]:
    """The threads of a process that have used most CPU time so far."""
    used: list[tuple[int, int]] = []
    with contextlib.suppress(OSError):
        for entry in os.scandir(proc / str(pid) / "task"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                fields = Path(entry.path, "stat").read_bytes().rpartition(b")")[2].split()
                used.append((-int(fields[11]) - int(fields[12]), int(entry.name)))
    yield from (thread for _, thread in sorted(used)[:most])


def _open(thread: int, call: Call) -> tuple[int | None, str | None]:
    """A counter that does not count yet, or why there is none; neither where the thread ended."""
    number = _SYSCALL.get(platform.machine())
    if number is None:
        raise CannotCountError(f"not written for {platform.machine()}")
    try:
        kind = int(_TYPE.read_text(encoding="ascii"))
    except (OSError, ValueError) as error:
        raise CannotCountError("this kernel has no uprobes (CONFIG_UPROBE_EVENTS)") from error
    path = ctypes.create_string_buffer(os.fsencode(call.library))
    attr = struct.pack("=IIQQQQQIIQQ", kind, _ATTR_BYTES, 0, 0, 0, 0, _DISABLED, 0, 0, ctypes.addressof(path), call.offset)
    buffer = ctypes.create_string_buffer(attr, _ATTR_BYTES)
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(ctypes.c_long(number), buffer, ctypes.c_int(thread), ctypes.c_int(-1), ctypes.c_int(-1), ctypes.c_ulong(_CLOEXEC))
    code = ctypes.get_errno()
    if fd >= 0:
        return int(fd), None
    return None, None if code == errno.ESRCH else f"perf_event_open: {os.strerror(code)}"
