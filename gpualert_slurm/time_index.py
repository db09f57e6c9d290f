"""When each byte of a task's streams arrived: the plugin's time index, format in ``doc/formats/time-index.md``."""

from __future__ import annotations

import struct
import uuid
import zlib
from array import array
from bisect import bisect_right
from pathlib import Path
from typing import Literal

from gpualert_slurm.spool import read_bounded

_MAGIC = b"GPALIDX1"
_HEADER = struct.Struct("<8sIHH16sqqqII")
_RECORD = struct.Struct("<qqQBBHI")
_MAX_BYTES = 32 << 20
_READ, _LATE, _END = 1, 2, 3
_STREAMS: dict[str, int] = {"out": 1, "err": 2}

StreamName = Literal["out", "err"]


class _StreamTimes:
    """One stream's records, as columns: a long job has hundreds of thousands."""

    def __init__(self) -> None:
        self.offset = array("Q")
        self.realtime_ns = array("q")
        self.span_ns = array("q")
        self.late = array("B")
        self.end: tuple[int, int] | None = None

    def add(self, realtime_ns: int, offset: int, kind: int, span_ms: int) -> None:
        if kind == _END:
            self.end = (realtime_ns, offset)
            return
        if self.offset and offset < self.offset[-1]:
            return  # a stream only grows: this record is not ours
        self.offset.append(offset)
        self.realtime_ns.append(realtime_ns)
        self.span_ns.append(span_ms * 1_000_000)
        self.late.append(kind == _LATE)


class TimeIndex:
    """The arrival times of one task's streams.

    ``problem`` says why the file could not be read or where it stops making sense; what came before that is sound.
    ``clock_error_ns`` is how far the node's wall clock may be off true time, absent where the kernel did not know.
    """

    def __init__(self, content: bytes) -> None:
        """Read an index from ``content``. Never raises: garbage gives an empty index with a ``problem``."""
        self.boot_id: str | None = None
        self.created_ns: int | None = None
        self.clock_offset_ns: int | None = None
        self.clock_error_ns: int | None = None
        self.problem: str | None = None
        self._streams = {number: _StreamTimes() for number in _STREAMS.values()}
        if self._read_header(content):
            self._read_records(content)

    @classmethod
    def read(cls, path: Path) -> TimeIndex:
        """The index at ``path``; a missing or unreadable file gives an empty one with a ``problem``."""
        try:
            return cls(read_bounded(path, _MAX_BYTES))
        except OSError as error:
            index = cls(b"")
            index.problem = f"cannot read {path.name}: {error.strerror or error}"
            return index

    def _read_header(self, content: bytes) -> bool:
        if len(content) < _HEADER.size:
            self.problem = f"the header is cut off after {len(content)} of {_HEADER.size} bytes"
            return False
        magic, version, header_bytes, record_bytes, boot, offset, created, error, _zero, check = _HEADER.unpack_from(content)
        if magic != _MAGIC or version != 1 or (header_bytes, record_bytes) != (_HEADER.size, _RECORD.size):
            self.problem = "not a time index of version 1"
            return False
        if zlib.crc32(content[: _HEADER.size - 4]) != check:
            self.problem = "the header's checksum is wrong"
            return False
        self.boot_id = str(uuid.UUID(bytes=boot))
        self.clock_offset_ns, self.created_ns = offset, created
        self.clock_error_ns = error if error >= 0 else None
        return True

    def _read_records(self, content: bytes) -> None:
        whole = (len(content) - _HEADER.size) // _RECORD.size
        view = memoryview(content)
        for at in range(_HEADER.size, _HEADER.size + whole * _RECORD.size, _RECORD.size):
            realtime, _monotonic, offset, stream, kind, span, check = _RECORD.unpack_from(content, at)
            if zlib.crc32(view[at : at + _RECORD.size - 4]) != check or stream not in self._streams or kind not in (_READ, _LATE, _END):
                self.problem = f"garbage from byte {at} on"
                return
            self._streams[stream].add(realtime, offset, kind, span)
        torn = len(content) - _HEADER.size - whole * _RECORD.size
        if torn:
            self.problem = f"the last record is cut off ({torn} of {_RECORD.size} bytes)"

    def arrival(self, offset: int, stream: StreamName = "out") -> tuple[int, int] | None:
        """When the byte at ``offset`` of ``stream`` arrived: (CLOCK_REALTIME ns, ± ns), or None where the index does not say.

        The uncertainty is the index's own (how coarsely it was written), not that of the node's clock.
        """
        times = self._streams[_STREAMS[stream]]
        at = bisect_right(times.offset, offset) - 1
        if at < 0 or (times.end and offset >= times.end[1]):
            return None
        earliest = latest = times.realtime_ns[at]
        if times.offset[at] != offset:
            latest += times.span_ns[at]
            following = times.realtime_ns[at + 1] if at + 1 < len(times.offset) else times.end[0] if times.end else latest
            if earliest <= following:  # a wall clock that was set back says nothing about the bound
                latest = min(latest, following)
        if times.late[at]:
            earliest = times.realtime_ns[at - 1] if at else self.created_ns or earliest
        half = max(0, latest - earliest) // 2
        return earliest + half, half

    def last_arrival(self, stream: StreamName = "out") -> int | None:
        """When the stream last grew, CLOCK_REALTIME ns, late by at most the record's span; None where it wrote nothing."""
        times = self._streams[_STREAMS[stream]]
        return times.realtime_ns[-1] if times.offset else None

    def length(self, stream: StreamName = "out") -> int | None:
        """The stream's length in bytes, None where it was never closed (the node or slurmstepd died)."""
        end = self._streams[_STREAMS[stream]].end
        return end[1] if end else None

    def points(self, stream: StreamName = "out") -> list[tuple[int, int]]:
        """(CLOCK_REALTIME ns, stream offset) of every record, in the order written: for rates and silences."""
        times = self._streams[_STREAMS[stream]]
        return list(zip(times.realtime_ns, times.offset, strict=True))
