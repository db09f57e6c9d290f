"""Wakes the service when a file appears in one of its folders: inotify, where the kernel gives it."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from pathlib import Path

_IN_NONBLOCK, _IN_CLOEXEC = os.O_NONBLOCK, os.O_CLOEXEC
_IN_MOVED_FROM, _IN_MOVED_TO, _IN_CREATE, _IN_DELETE = 0x40, 0x80, 0x100, 0x200


class FolderWatch:
    """``fileno`` becomes readable when a name comes or goes; None where inotify is not to be had, and the caller looks often instead."""

    def __init__(self, folders: Sequence[Path]) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        fd = libc.inotify_init1(_IN_NONBLOCK | _IN_CLOEXEC)
        self._fd: int | None = fd if fd >= 0 else None
        if self._fd is None:
            return
        for folder in folders:
            mask = _IN_MOVED_FROM | _IN_MOVED_TO | _IN_CREATE | _IN_DELETE
            if libc.inotify_add_watch(self._fd, os.fsencode(folder), ctypes.c_uint32(mask)) < 0:
                os.close(self._fd)
                self._fd = None
                return

    def fileno(self) -> int | None:
        """The descriptor to select on."""
        return self._fd

    def drain(self) -> None:
        """Forget what woke us: the folders are listed anyway."""
        try:
            while self._fd is not None and os.read(self._fd, 65536):
                pass
        except BlockingIOError:
            pass
