"""How a user's file is opened: no link followed, no FIFO waited for, regular and the user's own. Runs in the user's child."""

from __future__ import annotations

import io
import os
import stat
import time
from typing import BinaryIO


class NotTakenError(OSError):
    """The file is not one we read; the text says why."""


def open_own(path: str, uid: int, dir_fd: int | None = None) -> tuple[int, os.stat_result]:
    """An open descriptor of the regular file ``path`` and its status. Raises OSError, NotTakenError."""
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY, dir_fd=dir_fd)
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        os.close(fd)
        raise NotTakenError("it is no regular file")
    if status.st_uid != uid:
        os.close(fd)
        raise NotTakenError(f"it belongs to uid {status.st_uid}, not to the job's user")
    return fd, status


class Bounded(io.RawIOBase):
    """The first ``most`` bytes of a descriptor, which stays the caller's. A file that grows meanwhile is not chased."""

    def __init__(self, fd: int, most: int) -> None:
        super().__init__()
        self._fd, self._left = fd, most

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: memoryview | bytearray) -> int:  # type: ignore[override]
        """Read from where the descriptor stands."""
        view = memoryview(buffer).cast("B")[: self._left]
        got = os.readv(self._fd, [view]) if view else 0
        self._left -= got
        return got


_BLANK = bytes(b if b == 0x0A else 0 for b in range(256))


class Hurried(io.RawIOBase):
    """A log whose middle is blanked once the time runs short: its end says how the job ended, and must be read in any case.

    From the monotonic time ``hurry_at`` on, bytes before ``tail_from`` read as NULs, which no parser stops at; line breaks stay, so that
    offsets and line numbers are the file's. ``blanked`` says what was not read for what it says.
    """

    def __init__(self, log: BinaryIO, hurry_at: float, tail_from: int) -> None:
        super().__init__()
        self._log, self._hurry_at, self._tail_from, self._at = log, hurry_at, tail_from, 0
        self.blanked: tuple[int, int] | None = None

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: memoryview | bytearray) -> int:  # type: ignore[override]
        """Read on, hurrying when it is time to."""
        view = memoryview(buffer).cast("B")
        content = self._log.read(len(view))
        if self._at < self._tail_from and (self.blanked is not None or time.monotonic() >= self._hurry_at):
            self.blanked = (self.blanked[0] if self.blanked else self._at, min(self._at + len(content), self._tail_from))
            cut = self._tail_from - self._at
            content = content[:cut].translate(_BLANK) + content[cut:]
        view[: len(content)] = content
        self._at += len(content)
        return len(content)


def text_of(raw: bytes) -> str:
    r"""UTF-8 with broken bytes as ``\xNN``."""
    return raw.decode("utf-8", "backslashreplace")


def name_of(path: str) -> str:
    r"""A path as text that JSON can carry."""
    return text_of(os.fsencode(path))
