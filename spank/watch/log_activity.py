"""When the ranks of a job wrote, from the plugin's time index while it grows: root's file, whatever the job does to its log."""

from __future__ import annotations

import os
import struct
import zlib
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

_HEADER_BYTES = 64
_RECORD = struct.Struct("<qqQBBHI")
_MOST_AT_ONCE = 4096
_END = 3
_SAME_BURST_S = 0.5
"""Lines closer than this belong together: the interval of a step is between bursts, not between its lines."""
_REMEMBER = 512


@dataclass
class TaskLog:
    """One task's two streams: how much was written so far, and when last (both clocks). ``position`` is how far its index was read."""

    step: str
    task: int
    position: int = _HEADER_BYTES
    bytes_by_stream: dict[int, int] = field(default_factory=dict)
    last_ns: int | None = None
    last_monotonic_ns: int | None = None
    problem: str | None = None
    ended: bool = False

    @property
    def bytes(self) -> int:
        """Of both streams."""
        return sum(self.bytes_by_stream.values())


@dataclass
class LogActivity:
    """All tasks of a job on a node. ``gaps_s`` are the run's own intervals between bursts of output, whoever wrote."""

    folder: Path
    tasks: dict[tuple[str, int], TaskLog] = field(default_factory=dict)
    gaps_s: deque[float] = field(default_factory=lambda: deque(maxlen=_REMEMBER))
    longest_gap_s: float = 0.0
    bursts: int = 0
    """How often anybody began to write after a pause."""
    last_monotonic_ns: int | None = None
    last_ns: int | None = None
    """When anybody wrote last."""

    def look(self) -> None:
        """Read what was added to the indexes. What cannot be read is left for the next look."""
        moments: list[tuple[int, int]] = []
        try:
            names = [entry.name for entry in os.scandir(self.folder) if entry.name.endswith(".idx")]
        except OSError:
            return
        for name in names:
            step, _, number = name.removesuffix(".idx").rpartition(".")
            if not number.isdigit():
                continue
            task = self.tasks.setdefault((step, int(number)), TaskLog(step, int(number)))
            if not task.ended:
                moments += self._read(task, self.folder / name)
        for monotonic_ns, realtime_ns in sorted(moments):
            if self.last_monotonic_ns is not None:
                gap = (monotonic_ns - self.last_monotonic_ns) / 1e9
                if gap >= _SAME_BURST_S:
                    self.bursts += 1
                    self.gaps_s.append(gap)
                    self.longest_gap_s = max(self.longest_gap_s, gap)
            self.last_monotonic_ns, self.last_ns = max(monotonic_ns, self.last_monotonic_ns or 0), realtime_ns

    def _read(self, task: TaskLog, path: Path) -> list[tuple[int, int]]:
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError as error:
            task.problem = str(error.strerror)
            return []
        try:
            raw = os.pread(fd, _RECORD.size * _MOST_AT_ONCE, task.position)
        except OSError as error:
            task.problem = str(error.strerror)
            return []
        finally:
            os.close(fd)
        found = []
        for at in range(0, len(raw) - _RECORD.size + 1, _RECORD.size):
            realtime, monotonic, offset, stream, kind, span_ms, check = _RECORD.unpack_from(raw, at)
            if zlib.crc32(raw[at : at + _RECORD.size - 4]) != check:
                task.ended, task.problem = True, f"garbage from byte {task.position} on"
                break
            task.position += _RECORD.size
            task.bytes_by_stream[stream] = max(offset, task.bytes_by_stream.get(stream, 0))
            if kind == _END:
                continue
            # Bytes up to the next record came within the span: a run that writes all the time has few records.
            task.last_monotonic_ns, task.last_ns = monotonic + span_ms * 1_000_000, realtime + span_ms * 1_000_000
            found.append((monotonic, realtime))
        return found
