"""How often threads of other processes call functions, over a short window: uprobes, counted by the kernel (tracefs and perf_event_open(2)).

Nothing of a call is seen, and the trap is set in the processes that are asked about only: no other that maps the library pays. Each function is
defined once and counted by many events, for the kernel takes a tenth of a second to take one away; with perf's own uprobes, one a thread, that
was twenty seconds for eight ranks. Definitions that a killed process left behind do nothing, and go with the next window. Needs CAP_SYS_ADMIN and a
tracefs that may be written (Linux 6.18; CAP_PERFMON is not enough).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import platform
import re
import struct
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_TRACEFS = (Path("/sys/kernel/tracing"), Path("/sys/kernel/debug/tracing"))
_GROUP = "gpualert"
_OURS = re.compile(rf"^p:{_GROUP}/(c(\d+)_\d+) ", re.MULTILINE)
_PLAIN = re.compile(r"[\w./+,@=-]+")
"""What may stand in a path there: the kernel splits the line at blanks."""
_SYSCALL = {"x86_64": 298, "aarch64": 241}
_TRACEPOINT, _ATTR_BYTES, _DISABLED, _CLOEXEC = 2, 112, 1, 8
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


def count(wanted: Sequence[Wanted], window_s: float) -> tuple[dict[tuple[int, str], int], float]:
    """({key: calls}, how long was counted, seconds). A thread that ends meanwhile is counted as far as it came.

    Raises:
        CannotCountError: nothing could be counted.
    """
    folder = next((path for path in _TRACEFS if (path / "uprobe_events").exists()), None)
    if folder is None:
        raise CannotCountError(f"no tracefs with uprobes at {_TRACEFS[0]} (mount -t tracefs none {_TRACEFS[0]})")
    _forget_left_behind(folder)
    defined: dict[Call, str] = {}
    opened: list[tuple[tuple[int, str], int]] = []
    problem = "no thread is left"
    try:
        for call in dict.fromkeys(one.call for one in wanted):
            why = _define(folder, call, f"c{os.getpid()}_{len(defined)}", defined)
            problem = why or problem
        numbers = {call: int((folder / "events" / _GROUP / name / "id").read_text(encoding="ascii")) for call, name in defined.items()}
        for one in wanted:
            if one.call in numbers:
                fd, why = _open(one.thread, numbers[one.call])
                problem = why or problem
                if fd is not None:
                    opened.append((one.key, fd))
        if not opened:
            raise CannotCountError(problem)
        return _counted(opened, window_s)
    except (OSError, ValueError) as error:
        raise CannotCountError(f"tracefs: {error}") from error
    finally:
        for _, fd in opened:
            with contextlib.suppress(OSError):
                os.close(fd)
        for name in defined.values():
            _forget(folder, name)


def _counted(opened: Sequence[tuple[tuple[int, str], int]], window_s: float) -> tuple[dict[tuple[int, str], int], float]:
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


def busiest_threads(pid: int, most: int, proc: Path = Path("/proc")) -> Iterator[int]:
    """The threads of a process that have used most CPU time so far."""
    used: list[tuple[int, int]] = []
    with contextlib.suppress(OSError):
        for entry in os.scandir(proc / str(pid) / "task"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                fields = Path(entry.path, "stat").read_bytes().rpartition(b")")[2].split()
                used.append((-int(fields[11]) - int(fields[12]), int(entry.name)))
    yield from (thread for _, thread in sorted(used)[:most])


def _define(folder: Path, call: Call, name: str, defined: dict[Call, str]) -> str | None:
    """Add the function to ``defined``; why not, where the kernel refuses."""
    if not _PLAIN.fullmatch(str(call.library)):
        return "a library's path that tracefs cannot name"
    try:
        _tell(folder, f"p:{_GROUP}/{name} {call.library}:{call.offset:#x}")
    except OSError as error:
        return f"tracefs: {error.strerror}"
    defined[call] = name
    return None


def _forget_left_behind(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for name, pid in _OURS.findall((folder / "uprobe_events").read_text(encoding="utf-8", errors="replace")):
            if not Path(f"/proc/{pid}").exists():
                _forget(folder, name)


def _forget(folder: Path, name: str) -> None:
    with contextlib.suppress(OSError):
        _tell(folder, f"-:{_GROUP}/{name}")


def _tell(folder: Path, line: str) -> None:
    """Appended: written anew, the file forgets everybody's."""
    fd = os.open(folder / "uprobe_events", os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
    try:
        os.write(fd, line.encode() + b"\n")
    finally:
        os.close(fd)


def _open(thread: int, number: int) -> tuple[int | None, str | None]:
    """A counter that does not count yet, or why there is none; neither where the thread ended."""
    syscall = _SYSCALL.get(platform.machine())
    if syscall is None:
        return None, f"not written for {platform.machine()}"
    attr = struct.pack("=IIQQQQQ", _TRACEPOINT, _ATTR_BYTES, number, 0, 0, 0, _DISABLED)
    buffer = ctypes.create_string_buffer(attr, _ATTR_BYTES)
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(ctypes.c_long(syscall), buffer, ctypes.c_int(thread), ctypes.c_int(-1), ctypes.c_int(-1), ctypes.c_ulong(_CLOEXEC))
    code = ctypes.get_errno()
    if fd >= 0:
        return int(fd), None
    return None, None if code == errno.ESRCH else f"perf_event_open: {os.strerror(code)}"

