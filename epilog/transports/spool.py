"""A folder that nodes and daemon share. It may squash root: the seal carries the identity, and hides the content.

``spool_dir`` and its 256 sub-folders ``00`` … ``ff`` belong to the daemon's user, mode 1733: everybody may put a file in, nobody else can
list, read over another's shoulder or remove. A piece is written under a private name (leading dot), fsynced, and renamed to 32 random
hex digits, mode 0644: a file made by root, or by whom root is squashed to, must be readable for the daemon, and is ciphertext to others.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pwd
import re
import secrets
import stat
import time
from collections.abc import Container, Iterator, Sequence
from pathlib import Path

from gpualert_slurm.config import Site
from gpualert_slurm.epilog.transport import Arrival, Transport

FOLDER_MODE = 0o1733
FILE_MODE = 0o644
MOST_PIECE_BYTES = 1 << 20
_NAME = re.compile(r"[0-9a-f]{32}")
_FOLDER = re.compile(r"[0-9a-f]{2}")
_ASIDE = ".refused"
_MOST_ASIDE = 1000
_MOST_MOVED = 300
"""Put aside at one look: anybody can put in a million names, or folders that only their owner can move, and pieces must not wait for them."""
_MOST_LISTED = 10_000
"""Names looked at for the oldest among them: as many pieces as 5,000 jobs that end within a minute leave, and their litter."""
_LITTER_S = 24 * 3600.0


class Spool(Transport):
    """Files in a shared folder."""

    def __init__(self) -> None:
        self._begin_after: dict[Path, str] = {}

    def send(self, sealed: Sequence[bytes], site: Site) -> None:
        """Write each piece and make it durable; the folder's own fsync is left to the file system where we may not open it."""
        touched: set[Path] = set()
        for content in sealed:
            name = secrets.token_hex(16)
            folder = site.spool_dir / name[:2]
            if not _is_the_daemons(folder, site):
                folder = site.spool_dir  # before the daemon's first start there are no sub-folders, and made by us they would not be its own
            _write(folder / f".{name}", folder / name, content)
            touched.add(folder)
        for folder in touched:
            with contextlib.suppress(OSError):
                fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                try:
                    os.fsync(fd)
                finally:
                    os.close(fd)

    def prepare(self, site: Site) -> None:
        """The sub-folders, as the daemon's user; a folder of that name that is not ours is an error."""
        for number in range(256):
            folder = site.spool_dir / f"{number:02x}"
            with contextlib.suppress(FileExistsError):
                folder.mkdir(FOLDER_MODE)
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
                raise OSError(f"{folder} is in the way: it must be a folder of uid {os.geteuid()}; look at it and remove it")
            if stat.S_IMODE(status.st_mode) != FOLDER_MODE:
                folder.chmod(FOLDER_MODE)
        aside = site.spool_dir / _ASIDE
        with contextlib.suppress(FileExistsError):
            aside.mkdir(0o700)
        if aside.is_symlink() or aside.stat().st_uid != os.geteuid():
            raise OSError(f"{aside} is in the way: it must be a folder of uid {os.geteuid()}; look at it and remove it")

    def arrivals(self, site: Site, max_files: int = 1000, without: Container[str] = ()) -> Iterator[Arrival]:
        """Regular files of our kind of name and size, the oldest first; everything else is moved aside, a bounded number at each call.

        Of more names than are listed at once, the next call lists those of the next sub-folders: no name waits behind others for ever.
        """
        given = moved = 0
        listed = list(itertools.islice(_entries(site.spool_dir, self._begin_after.pop(site.spool_dir, "")), _MOST_LISTED))
        if len(listed) == _MOST_LISTED:
            self._begin_after[site.spool_dir] = listed[-1].relative_to(site.spool_dir).parts[0]
        for path in sorted(listed, key=_came_ns):
            name = str(path.relative_to(site.spool_dir))
            if name in without:
                continue
            if given >= max_files:
                return
            content, why = _look_at(path)
            if why is not None and moved < _MOST_MOVED:
                moved += 1
                _put_aside(path, why, site.spool_dir)
            elif content is not None:
                given += 1
                yield Arrival(name=name, sealed=content)

    def remove(self, arrival: Arrival, site: Site) -> None:
        """Unlink it; gone already is fine."""
        (site.spool_dir / arrival.name).unlink(missing_ok=True)

    def refuse(self, arrival: Arrival, reason: str, site: Site) -> None:
        """Move it to ``.refused/`` beside a text file with the reason; when 1000 lie there it is removed instead."""
        _put_aside(site.spool_dir / arrival.name, reason, site.spool_dir)


def _came_ns(path: Path) -> int:
    """When the kernel last changed the file's inode, which no sender can set back; what is gone comes first, and costs nothing."""
    try:
        return path.lstat().st_ctime_ns
    except OSError:
        return 0


def _look_at(path: Path) -> tuple[bytes | None, str | None]:
    """As ``_take``; a file that cannot be read is put aside, one that is gone or stumbles is looked at again in the next round."""
    try:
        return _take(path)
    except PermissionError:
        return None, "the daemon may not read it"
    except OSError:
        return None, None


def _take(path: Path) -> tuple[bytes | None, str | None]:
    """(content, None), (None, why it is put aside), or (None, None) for what is not finished yet."""
    status = path.lstat()
    if path.name.startswith("."):
        return None, "it was never finished" if time.time() - status.st_mtime > _LITTER_S else None
    why = _why_not(path, status)
    if why is not None:
        return None, why
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return None, "it is no regular file"
        content = file.read(MOST_PIECE_BYTES + 1)
    return (None, f"it grew beyond {MOST_PIECE_BYTES} bytes") if len(content) > MOST_PIECE_BYTES else (content, None)


def _is_the_daemons(folder: Path, site: Site) -> bool:
    """Whether it is a folder of the daemon's, or of whom the spool belongs to: until it is made, anybody can give a folder or a link that name."""
    owners = set()
    with contextlib.suppress(KeyError):
        owners.add(pwd.getpwnam(site.daemon_user).pw_uid)
    try:
        owners.add(site.spool_dir.stat().st_uid)
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid in owners


def _write(private: Path, public: Path, content: bytes) -> None:
    fd = os.open(private, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE)
    try:
        try:
            os.fchmod(fd, FILE_MODE)  # whatever the umask says
            view = memoryview(content)
            while view:
                view = view[os.write(fd, view) :]
            os.fsync(fd)
        finally:
            os.close(fd)
        private.rename(public)
    except BaseException:
        with contextlib.suppress(OSError):
            private.unlink()
        raise


def _entries(root: Path, begin_after: str) -> Iterator[Path]:
    """The files of the spool, those of strange folders as well, without following a link: by name, from the one after ``begin_after`` round to it."""
    with contextlib.suppress(OSError), os.scandir(root) as listed:
        entries = sorted((entry for entry in listed if entry.name != _ASIDE), key=lambda entry: entry.name)
        first = next((place for place, entry in enumerate(entries) if entry.name > begin_after), 0)
        for entry in (*entries[first:], *entries[:first]):
            if entry.is_dir(follow_symlinks=False) and _FOLDER.fullmatch(entry.name):
                with contextlib.suppress(OSError), os.scandir(entry.path) as inner:
                    for file in inner:
                        yield Path(file.path)
            else:
                yield Path(entry.path)


def _why_not(path: Path, status: os.stat_result) -> str | None:
    if not stat.S_ISREG(status.st_mode):
        return "it is no regular file"
    if not _NAME.fullmatch(path.name):
        return "its name is not one that a node gives"
    if status.st_nlink != 1:
        return "it has another name elsewhere"
    if status.st_size > MOST_PIECE_BYTES:
        return f"it is larger than {MOST_PIECE_BYTES} bytes"
    return None


def _put_aside(path: Path, reason: str, root: Path) -> None:
    """Never raises: what cannot even be moved stays, and is met again."""
    aside = root / _ASIDE
    with contextlib.suppress(OSError):
        full = sum(1 for _ in os.scandir(aside)) >= 2 * _MOST_ASIDE
        if full and not stat.S_ISDIR(path.lstat().st_mode):
            path.unlink()
            return
        name = secrets.token_hex(8)
        try:
            path.rename(aside / name)
        except PermissionError:
            path.rmdir()  # another's folder can only be moved by its owner; an empty one can at least be removed
        (aside / f"{name}.reason").write_text(f"{path.relative_to(root)}: {reason}\n", encoding="utf-8", errors="backslashreplace")


TRANSPORT = Spool()
