"""How a user's file is opened: no link followed, no FIFO waited for, regular and the user's own. Runs in the user's child."""

from __future__ import annotations

import io
import os
import stat


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


def text_of(raw: bytes) -> str:
    r"""UTF-8 with broken bytes as ``\xNN``."""
    return raw.decode("utf-8", "backslashreplace")


def name_of(path: str) -> str:
    r"""A path as text that JSON can carry."""
    return text_of(os.fsencode(path))
