"""Files that appear whole or not at all: written privately, fsynced, renamed, folder fsynced."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path


def write_whole(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Put ``content`` at ``path`` so that a reader (or a crash) sees all of it or none, and it survives power loss.

    Raises:
        OSError: the folder is missing, full or read-only; nothing is left at ``path`` then.
    """
    private = path.with_name(f".{path.name[:80]}.{secrets.token_hex(6)}")
    fd = os.open(private, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        try:
            view = memoryview(content)
            while view:
                view = view[os.write(fd, view) :]
            os.fsync(fd)
        finally:
            os.close(fd)
        private.rename(path)
    except BaseException:
        with contextlib.suppress(OSError):
            private.unlink()
        raise
    sync_folder(path.parent)


def move(path: Path, folder: Path) -> Path:
    """Rename ``path`` into ``folder`` (the same file system): a change of state. Both folders are fsynced."""
    target = folder / path.name
    path.rename(target)
    sync_folder(folder)
    sync_folder(path.parent)
    return target


def sync_folder(folder: Path) -> None:
    """Make the folder's names durable; a file system that cannot fsync a folder is left as it is."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):
            os.fsync(fd)
    finally:
        os.close(fd)


def read_bounded(path: Path, max_bytes: int) -> bytes:
    """The file's content, no symlink or special file followed, never more than ``max_bytes``.

    Raises:
        OSError: it cannot be read, is no regular file, or is larger than ``max_bytes``.
    """
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(f"{path} is not a regular file")
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise OSError(f"{path} is larger than {max_bytes} bytes")
    return content


def finished(folder: Path) -> Iterator[Path]:
    """The whole files of a spool folder, oldest name first; private names (leading dot) are skipped."""
    with contextlib.suppress(FileNotFoundError):
        for path in sorted(folder.iterdir()):
            if not path.name.startswith("."):
                yield path
