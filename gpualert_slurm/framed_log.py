"""A log opened for a parser: the file's own offsets and line ends, nothing of gpualert's frame in the text."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from gpualert_slurm.rank_log import HEADER_BYTES, MARK_BYTES, LogFrame
from gpualert_slurm.time_index import StreamName, TimeIndex

Arrival = Callable[[int], "tuple[int, int] | None"]
"""Takes a file offset, gives (ns since the epoch, ± ns) or None."""


def open_log(path: Path, frame: LogFrame) -> BinaryIO:
    """The log at ``path`` as a seekable stream that ends where the kept bytes end.

    Header and hole mark read as NULs, their newlines stay: an offset or line number in what is read is the file's own.

    Raises:
        OSError: it cannot be opened or is no regular file; no symlink is followed, a FIFO does not block.
    """
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(f"{path} is not a regular file")
    return io.BufferedReader(_Framed(fd, frame), buffer_size=1 << 20)


def arrivals(frame: LogFrame, index: TimeIndex, stream: StreamName) -> Arrival:
    """When the byte at a file offset arrived, from the task's time index."""

    def arrival(file_offset: int) -> tuple[int, int] | None:
        offset = frame.stream_offset(file_offset)
        return None if offset is None else index.arrival(offset, stream)

    return arrival


class _Framed(io.RawIOBase):
    def __init__(self, fd: int, frame: LogFrame) -> None:
        self._fd = fd
        self._at = 0
        self._end = frame.tail_start + frame.tail
        blank = bytes(HEADER_BYTES - 1) + b"\n"
        self._blanks = [(0, blank)] if frame.start else []
        if frame.hole:
            self._blanks.append((frame.start + frame.head, b"\n" + bytes(MARK_BYTES - 2) + b"\n"))

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._end}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: memoryview | bytearray, /) -> int:  # type: ignore[override]  # the buffer protocol has no name before 3.12
        want = min(len(buffer), self._end - self._at)
        if want <= 0:
            return 0
        content = bytearray(os.pread(self._fd, want, self._at))
        for start, blank in self._blanks:
            first, last = max(start, self._at), min(start + len(blank), self._at + len(content))
            if first < last:
                content[first - self._at : last - self._at] = blank[first - start : last - start]
        buffer[: len(content)] = content
        self._at += len(content)
        return len(content)

    def close(self) -> None:
        if not self.closed:
            os.close(self._fd)
        super().close()
