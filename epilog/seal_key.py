"""The key file of the seal ``key_file``: who may read it, what stands in it, and how keys are changed without losing a report.

One key a line, ``<id> <64 hex digits>``; what follows ``#`` is a remark. The first key seals, each of them opens. To change keys: add the
new one as the second line everywhere, then put it first everywhere, then take the old one out.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from gpualert_slurm.epilog.seal import SealUnavailableError

MOST_KEYS = 8
_MOST_BYTES = 4096
_LINE = re.compile(r"(?P<id>[A-Za-z0-9_.-]{1,32})\s+(?P<key>[0-9A-Fa-f]{64})")


@dataclass(frozen=True)
class SealKey:
    """One shared key: its name in sealed pieces, and 32 random bytes."""

    id: str
    secret: bytes

    def __repr__(self) -> str:
        """Its name only: what is logged by accident is no secret."""
        return f"SealKey(id={self.id!r})"


def read_keys(path: Path, owners: Collection[int] = ()) -> tuple[SealKey, ...]:
    """The keys of the file, the one that seals first. It must be root's, the caller's, or one of ``owners``'.

    Raises:
        SealUnavailableError: it cannot be read, others could read or change it, or a line is none; the text names the line, never its content.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise SealUnavailableError(f"the seal's key file {path} (site.seal_key_file) cannot be opened: {error.strerror}") from error
    with os.fdopen(fd, "rb") as file:
        why = _why_not(path, os.fstat(fd), owners)
        if why is not None:
            raise SealUnavailableError(f"the seal's key file {path} {why}")
        content = file.read(_MOST_BYTES + 1)
    return _parse(content, path)


def _why_not(path: Path, status: os.stat_result, owners: Collection[int]) -> str | None:
    if not stat.S_ISREG(status.st_mode):
        return "is no regular file"
    if status.st_uid not in (0, os.geteuid(), *owners):
        return f"belongs to uid {status.st_uid}: chown root {path}, and change the key"
    # systemd's LoadCredential= shows a mask of group rights where it gives the service its own by an access list (systemd.exec(5)).
    folder = os.environ.get("CREDENTIALS_DIRECTORY")
    by_systemd = folder is not None and path.is_relative_to(folder)
    if status.st_mode & (0o007 if by_systemd else 0o077):
        return f"has mode {stat.S_IMODE(status.st_mode):04o}, others can read it: chmod 0400 {path}, and change the key"
    return None


def _parse(content: bytes, path: Path) -> tuple[SealKey, ...]:
    if len(content) > _MOST_BYTES:
        raise SealUnavailableError(f"the seal's key file {path} is larger than {_MOST_BYTES} bytes")
    keys: dict[str, SealKey] = {}
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        words = line.partition("#")[0].strip()
        if not words:
            continue
        match = _LINE.fullmatch(words)
        if match is None or match["id"] in keys:
            what = "is no '<id> <64 hex digits>'" if match is None else "has the id of an earlier one"
            raise SealUnavailableError(f"line {number} of the seal's key file {path} {what}")
        keys[match["id"]] = SealKey(match["id"], bytes.fromhex(match["key"]))
    if not 1 <= len(keys) <= MOST_KEYS:
        raise SealUnavailableError(f"the seal's key file {path} has {len(keys)} keys, from 1 to {MOST_KEYS} are of use")
    return tuple(keys.values())
