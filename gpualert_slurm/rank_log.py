"""A rank log's frame: header, hole, footer. Format in ``doc/formats/rank-log.md``. All of it is the user's: USER trust."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import TypeVar

from gpualert_slurm.record import Record, TimeNs

HEADER_BYTES = 512
MARK_BYTES = 128
_HEADER = b"#gpualert-log/1 "
_END = b"\n#gpualert-end "
_FOOTER_MAX_BYTES = 2048
_R = TypeVar("_R", bound=Record)


class LogHeader(Record):
    """Whose log it says it is."""

    job: int
    attempt: str
    step: str
    task: int
    local: int
    stream: str
    node: str
    uid: int | None = None
    boot_id: str | None = None
    created_ns: TimeNs


class LogFooter(Record):
    """How capture closed it."""

    bytes: int
    head: int
    hole: int = 0
    tail: int = 0
    reason: str | None = None
    output_error: str | None = None
    log_error: str | None = None
    undelivered: int = 0
    merged: str | None = None
    not_captured: str | None = None
    forked: bool = True
    closed_ns: TimeNs | None = None


class LogFrame(Record):
    """Where in a log file the stream's bytes lie.

    ``head`` bytes from file offset 512 on; then, if ``hole`` is not 0, a mark of 128 bytes and ``tail`` bytes.
    A file without our header is a plain text file: ``start`` 0, all of it head.
    """

    start: int
    head: int
    hole: int = 0
    tail: int = 0
    header: LogHeader | None = None
    footer: LogFooter | None = None
    problem: str | None = None

    @property
    def tail_start(self) -> int:
        """File offset of the tail's first byte."""
        return self.start + self.head + (MARK_BYTES if self.hole else 0)

    def stream_offset(self, file_offset: int) -> int | None:
        """The stream offset of the byte at ``file_offset``, None in header, mark and footer."""
        if self.start <= file_offset < self.start + self.head:
            return file_offset - self.start
        if self.tail_start <= file_offset < self.tail_start + self.tail:
            return file_offset - self.tail_start + self.head + self.hole
        return None

    def file_offset(self, stream_offset: int) -> int | None:
        """The file offset of the stream's byte ``stream_offset``, None where it was not kept."""
        if 0 <= stream_offset < self.head:
            return self.start + stream_offset
        into_tail = stream_offset - self.head - self.hole
        return self.tail_start + into_tail if 0 <= into_tail < self.tail else None

    @classmethod
    def read(cls, path: Path) -> LogFrame:
        """The frame of the log at ``path``; reads at most 3 KiB of it.

        Raises:
            OSError: it cannot be opened or is no regular file (no symlink is followed).
        """
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(f"{path} is not a regular file")
            return cls._of(fd, status.st_size)
        finally:
            os.close(fd)

    @classmethod
    def _of(cls, fd: int, size: int) -> LogFrame:
        header = _parse(LogHeader, os.pread(fd, HEADER_BYTES, 0), _HEADER)
        if header is None:
            return cls(start=0, head=size)
        ending = os.pread(fd, _FOOTER_MAX_BYTES, max(HEADER_BYTES, size - _FOOTER_MAX_BYTES))
        at = ending.rfind(_END)
        footer = _parse(LogFooter, ending[at:], _END) if at >= 0 else None
        if footer is not None:
            body = size - HEADER_BYTES - (len(ending) - at) - (MARK_BYTES if footer.hole else 0)
            if min(footer.head, footer.hole, footer.tail) >= 0 and footer.head + footer.tail == body:
                return cls(start=HEADER_BYTES, head=footer.head, hole=footer.hole, tail=footer.tail, header=header, footer=footer)
            return cls(
                start=HEADER_BYTES,
                head=max(0, size - HEADER_BYTES - (len(ending) - at)),
                header=header,
                footer=footer,
                problem="the file's size does not fit its footer: it was changed after capture wrote it",
            )
        return cls(start=HEADER_BYTES, head=max(0, size - HEADER_BYTES), header=header, problem="no footer: capture did not end in order")


def _parse(kind: type[_R], line: bytes, start: bytes) -> _R | None:
    """The record after ``start`` in ``line``, None when it is not one."""
    if not line.startswith(start):
        return None
    try:
        return kind.model_validate(json.loads(line[len(start) :].decode("utf-8", "replace").strip()))
    except (ValueError, RecursionError):
        return None
