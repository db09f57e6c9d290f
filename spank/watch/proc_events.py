"""How processes of the node end: the kernel's proc connector (linux/cn_proc.h) tells root each exit, with the status its parent would see.

The messages are taken apart here: pyroute2's ``ProcEventSocket`` does the same for 22 MiB of resident memory (0.9.7), a third of what the
service may have, and takes every fork and exec of the node into Python. A socket filter leaves exits of whole processes only.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
import struct
import time
from dataclasses import dataclass

_NETLINK_CONNECTOR = 11
_CN_IDX_PROC, _CN_VAL_PROC = 1, 1
_PROC_CN_MCAST_LISTEN = 1
_PROC_EVENT_EXIT = 0x80000000
_NLMSG_DONE = 3
_SO_ATTACH_FILTER = 26
_HEADER = struct.Struct("=IHHII IIII HH")
"""nlmsghdr, cn_msg."""
_EXIT = struct.Struct("=IIQ IIIIII")
"""what, cpu, timestamp_ns; pid, tgid, exit_code, exit_signal, parent_pid, parent_tgid. Kernels before 4.18 say no parent."""
_EXIT_WITHOUT_PARENT = struct.Struct("=IIQ IIII")
_SO_RCVBUFFORCE = 33
_BUFFER_BYTES = 8 << 20
"""Some ten thousand exits between two rounds of the service; used only while they lie there."""
_MOST_AT_ONCE = 16384
_WHAT, _PID, _TGID = 36, 52, 56
"""Offsets in the datagram."""


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """One process ended: ``status`` is wait(2)'s word, ``monotonic_ns`` the kernel's time of it."""

    pid: int
    parent: int | None
    status: int
    monotonic_ns: int


class ProcEvents:
    """A listening socket; ``problem`` says why there is none, ``lost`` how often the kernel had more than was read."""

    def __init__(self) -> None:
        self.problem: str | None = None
        self.lost = 0
        self._socket: socket.socket | None = None
        try:
            made = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC, _NETLINK_CONNECTOR)
        except OSError as error:
            self.problem = f"the kernel has no proc connector: {error.strerror}"
            return
        try:
            _only_process_exits(made)
            made.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _BUFFER_BYTES)
            made.bind((0, _CN_IDX_PROC))
            body = struct.pack("=I", _PROC_CN_MCAST_LISTEN)
            head = _HEADER.pack(_HEADER.size + len(body), _NLMSG_DONE, 0, 0, 0, _CN_IDX_PROC, _CN_VAL_PROC, 0, 0, len(body), 0)
            made.send(head + body)
        except OSError as error:
            made.close()
            self.problem = f"the kernel's proc connector refuses: {error.strerror}; it answers root with CAP_NET_ADMIN in the first namespaces"
            return
        self._socket = made

    def fileno(self) -> int | None:
        """The descriptor that becomes readable when a process ended."""
        return self._socket.fileno() if self._socket is not None else None

    def read(self) -> list[ProcessEnd]:
        """Who ended since the last call, at most 16384; never blocks."""
        found: list[ProcessEnd] = []
        while self._socket is not None and len(found) < _MOST_AT_ONCE:
            try:
                raw, (sender, _groups) = self._socket.recvfrom(4096)
            except BlockingIOError:
                break
            except OSError as error:
                if error.errno == 105:  # ENOBUFS: the kernel dropped some
                    self.lost += 1
                    continue
                self.problem = f"the kernel's proc connector broke off: {error.strerror}"
                self.close()
                break
            end = parse(raw) if sender == 0 else None  # any process may send to our port; only the kernel is number 0
            if end is not None:
                found.append(end)
        return found

    def close(self) -> None:
        """Listen no more."""
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.close()
            self._socket = None


def parse(raw: bytes) -> ProcessEnd | None:
    """The end of a process in a datagram; None for any other."""
    if len(raw) < _HEADER.size + _EXIT_WITHOUT_PARENT.size:
        return None
    what, _cpu, time_ns, pid, tgid, status, _signal = _EXIT_WITHOUT_PARENT.unpack_from(raw, _HEADER.size)
    if what != _PROC_EVENT_EXIT or pid != tgid:
        return None
    parent = _EXIT.unpack_from(raw, _HEADER.size)[-1] if len(raw) >= _HEADER.size + _EXIT.size else None
    return ProcessEnd(pid=pid, parent=parent or None, status=status, monotonic_ns=time_ns)


def split_status(status: int) -> tuple[int | None, int | None, bool]:
    """wait(2)'s word as (exit code, signal, core dumped), one of the first two None."""
    number = status & 0x7F
    return (None, number, bool(status & 0x80)) if number else ((status >> 8) & 0xFF, None, False)


def wall_ns(monotonic_ns: int) -> int:
    """A time of the kernel's as CLOCK_REALTIME now has it."""
    return time.time_ns() - (time.monotonic_ns() - monotonic_ns)


def _only_process_exits(made: socket.socket) -> None:
    """A filter in the kernel: a build job's thousand forks a second wake nobody. Words are loaded as big-endian."""
    exit_word = struct.unpack(">I", struct.pack("=I", _PROC_EVENT_EXIT))[0]
    program = [
        (0x20, 0, 0, _WHAT), (0x15, 0, 4, exit_word),  # ld [what]; jeq exit, or drop
        (0x20, 0, 0, _PID), (0x07, 0, 0, 0), (0x20, 0, 0, _TGID), (0x1D, 1, 0, 0),  # ld [pid]; tax; ld [tgid]; jeq x
        (0x06, 0, 0, 0), (0x06, 0, 0, 0xFFFF),  # drop; take
    ]  # fmt: skip
    code = b"".join(struct.pack("=HBBI", *step) for step in program)
    buffer = ctypes.create_string_buffer(code)
    made.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("=HxxxxxxQ", len(program), ctypes.addressof(buffer)))


def boot_ns() -> int:
    """When the node booted, CLOCK_REALTIME: what clock ticks of /proc/PID/stat count from."""
    return time.time_ns() - time.clock_gettime_ns(time.CLOCK_BOOTTIME)


TICKS_PER_S = os.sysconf("SC_CLK_TCK")
