"""Reads /dev/kmsg: every record once, what was overwritten said, times as wall clock with their uncertainty."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gpualert_slurm.spank.watch.kernel_record import KernelRecord, parse

DEVICE = Path("/dev/kmsg")
_RECORD_BYTES = 8192  # PRINTK_MESSAGE_MAX is 2048; escapes take four bytes each
_MOST_AT_ONCE = 4096
_DRIFT_PER_S = 100e-6
"""The kernel stamps lines with a clock that nobody disciplines; 100 ppm is a cautious bound for crystals and TSCs."""
_BASE_UNCERTAINTY_NS = 100_000_000
_LIVE_LATENCY_NS = 100_000_000
"""A line that woke us was written at most this long before: the wake-up itself takes far less on a node that is not starved."""
_KERNEL = 0


@dataclass(frozen=True)
class KernelLine:
    """A record with its time: CLOCK_REALTIME ns, give or take ``uncertainty_ns``."""

    sequence: int
    time_ns: int
    uncertainty_ns: int
    text: str
    from_kernel: bool


class KernelLog:
    """An open kernel log. ``problem`` says why there is none; ``lost`` counts records that were overwritten unread.

    Args:
        path: the device.
        accept_root: take lines that root wrote into the device for the kernel's. Off by default: with ``ForwardToKMsg=yes``
            journald writes what any user logs there, and facility 0 cannot be forged.
        now: the wall clock, the monotonic one, and the raw monotonic one that NTP does not touch, ns.
    """

    def __init__(self, path: Path = DEVICE, *, accept_root: bool = False, now: Callable[[], tuple[int, int, int]] | None = None) -> None:
        self.problem: str | None = None
        self.lost = 0
        self.oldest_ns: int | None = None
        """Time of the first record that could still be read: what is older is gone."""
        self._path, self._accept_root = path, accept_root
        self._now = now or (lambda: (time.time_ns(), time.monotonic_ns(), time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)))
        self._next: int | None = None
        self._fd: int | None = None
        self._caught_up = False
        try:
            self._fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        except OSError as error:
            self.problem = f"{path} cannot be opened: {error.strerror}"

    def fileno(self) -> int | None:
        """The descriptor that becomes readable with a new line."""
        return self._fd

    @property
    def position(self) -> int:
        """Sequence number of the last record that was read, -1 before the first."""
        return -1 if self._next is None else self._next - 1

    def close(self) -> None:
        """Let go of the device."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def read(self, *, woken: bool = False) -> list[KernelLine]:
        """The lines since the last call, at most 4096; never blocks.

        Args:
            woken: the caller waited for this log alone and was woken by it, so what is there is fresh.
        """
        found: list[KernelLine] = []
        fresh = woken and self._caught_up
        for _ in range(_MOST_AT_ONCE):
            record = self._record()
            if record is None:
                break
            line = self._dated(record, fresh=fresh)
            if self.oldest_ns is None:
                self.oldest_ns = line.time_ns
            found.append(line)
        return found

    def _record(self) -> KernelRecord | None:
        while self._fd is not None:
            try:
                raw = os.read(self._fd, _RECORD_BYTES)
            except BlockingIOError:
                self._caught_up = True
                return None
            except BrokenPipeError:  # overwritten while we were away; the next read gives the oldest that is left
                continue
            except OSError as error:
                self.problem = f"{self._path} cannot be read: {error.strerror}"
                self.close()
                return None
            if not raw:  # the kernel's log has no end: this is /dev/null or a file, as containers put it there
                self.problem = f"{self._path} ends: it is not the kernel's log"
                self.close()
                return None
            record = parse(raw)
            if record is None:
                continue
            if self._next is not None and record.sequence > self._next:
                self.lost += record.sequence - self._next
            self._next = record.sequence + 1
            return record
        return None

    def _dated(self, record: KernelRecord, *, fresh: bool) -> KernelLine:
        wall, monotonic, raw = self._now()
        # The kernel's clock starts with CLOCK_MONOTONIC and stands still in suspend as it does. On bare metal it runs like the raw one, in a
        # virtual machine rather like the other: how far they are apart is what we do not know, and the drift since the line.
        age = max(0, monotonic - record.time_us * 1000)
        said = wall - age
        uncertainty = _BASE_UNCERTAINTY_NS + abs(monotonic - raw) + int(age * _DRIFT_PER_S)
        if fresh:
            said, uncertainty = wall - _LIVE_LATENCY_NS // 2, _LIVE_LATENCY_NS // 2
        return KernelLine(
            sequence=record.sequence, time_ns=said, uncertainty_ns=uncertainty, text=record.text,
            from_kernel=record.facility == _KERNEL or self._accept_root,
        )
