"""Compiled databases on disk: compiling takes a good part of a second, loading a millisecond.

What is loaded is run as it stands, so it is loaded only from a file that nobody else could have written: a regular file of this very
user in a folder of this very user, both closed to all others, reached without following a link. Anything else is left alone and
the patterns are compiled again. A file is never changed: it is written under another name and renamed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import secrets
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

Database: TypeAlias = Any
"""A ``hyperscan.Database``: no name of the binding is needed to import this file."""
MAX_BYTES = 64 << 20
_MAGIC = b"gpualert-patterns/1\n"
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC


def default_folder() -> Path | None:
    """``$XDG_CACHE_HOME/gpualert``, else ``~/.cache/gpualert``; None where there is no home that is an absolute path."""
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        folder = Path(base) if base else Path.home() / ".cache"
    except RuntimeError:
        return None
    return folder / "gpualert" if folder.is_absolute() else None


class Cache:
    """A folder of compiled databases. Nothing that goes wrong with it is more than a compilation."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, binding: ModuleType, sources: Sequence[bytes]) -> Database:
        """The database of these expressions, None when it is not there, not ours alone, or not whole."""
        try:
            with self._opened() as folder:
                fd = os.open(name(binding, sources), _OPEN | os.O_NONBLOCK, dir_fd=folder)
                try:
                    status = os.fstat(fd)
                    if not stat.S_ISREG(status.st_mode) or not _ours_alone(status) or status.st_size > MAX_BYTES:
                        return None
                    content = _read(fd, status.st_size)
                finally:
                    os.close(fd)
            body = content[len(_MAGIC) + 32 :]
            if content[: len(_MAGIC)] != _MAGIC or hashlib.sha256(body).digest() != content[len(_MAGIC) : len(_MAGIC) + 32]:
                return None
            return binding.loadb(body, mode=binding.HS_MODE_BLOCK)
        except Exception:  # a database of another processor or version: the binding refuses it in its own words
            return None

    def save(self, binding: ModuleType, sources: Sequence[bytes], database: Database) -> None:
        """Keep it for the next time, if the folder is, or can be made, this user's alone."""
        with contextlib.suppress(Exception):
            body = bytes(binding.dumpb(database))
            _make(self.folder)
            with self._opened() as folder:
                draft = f".{secrets.token_hex(8)}"
                fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
                try:
                    with os.fdopen(fd, "wb") as file:
                        file.write(_MAGIC + hashlib.sha256(body).digest() + body)
                    os.rename(draft, name(binding, sources), src_dir_fd=folder, dst_dir_fd=folder)
                except BaseException:
                    with contextlib.suppress(OSError):
                        os.unlink(draft, dir_fd=folder)
                    raise
                _drop_others(folder, name(binding, sources))

    @contextlib.contextmanager
    def _opened(self) -> Iterator[int]:
        fd = os.open(self.folder, _OPEN | os.O_DIRECTORY)
        try:
            if not _ours_alone(os.fstat(fd)):
                raise PermissionError(f"{self.folder} is open to others")
            yield fd
        finally:
            os.close(fd)


def name(binding: ModuleType, sources: Sequence[bytes]) -> str:
    """A file's name: all that the compiled bytes depend on."""
    told = [getattr(binding, "__version__", "?").encode(), _library(binding), _processor(), *sources]
    digest = hashlib.sha256(b"".join(len(part).to_bytes(4, "big") + part for part in told)).hexdigest()
    return f"{digest[:32]}.hs"


def _library(binding: ModuleType) -> bytes:
    """The native library's own version ("Hyperscan version 5.4.11 …"), where the binding tells it."""
    return repr([getattr(binding, key, None) for key in ("HS_VERSION", "HS_MAJOR", "HS_MINOR", "HS_PATCH")]).encode()


def _processor() -> bytes:
    """What the code was made for: hosts that share a home may differ."""
    flags = b""
    with contextlib.suppress(OSError), Path("/proc/cpuinfo").open("rb") as file:
        head = file.read(8192)
        flags = next((line for line in head.splitlines() if line.startswith((b"flags", b"Features"))), b"")
    return platform.machine().encode() + flags


def _ours_alone(status: os.stat_result) -> bool:
    return status.st_uid == os.geteuid() and not status.st_mode & 0o077


def _make(folder: Path) -> None:
    """Makes the folder, in one that is this user's too: as root, nothing is put into somebody else's home."""
    parent = folder.parent
    with contextlib.suppress(FileExistsError):
        parent.mkdir(mode=0o700)
    if parent.stat().st_uid == os.geteuid():
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)


def _drop_others(folder: int, keep: str) -> None:
    """At most eight databases stay: of other versions, or of hosts with other processors."""
    others = [entry for entry in os.listdir(folder) if entry.endswith(".hs") and entry != keep]
    if len(others) >= 8:
        for entry in sorted(others, key=lambda e: os.stat(e, dir_fd=folder, follow_symlinks=False).st_mtime)[: len(others) - 7]:
            os.unlink(entry, dir_fd=folder)


def _read(fd: int, size: int) -> bytes:
    parts = []
    while size > 0 and (part := os.read(fd, min(size, 1 << 20))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
