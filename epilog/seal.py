"""What a file of ``seals/`` defines: a way to close a piece so that only the daemon reads it and nobody forges it."""

from __future__ import annotations

import contextlib
import pwd
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

from gpualert_slurm.config import ConfigError, Site
from gpualert_slurm.discovery import discover
from gpualert_slurm.record import TimeNs


class SealUnavailableError(Exception):
    """Sealing or opening does not work just now (munged is away): the same piece may work later."""


class SealRefusedError(Exception):
    """The sealed bytes cannot be believed, now or later; the text says why."""


@dataclass(frozen=True)
class SealKeys:
    """What the two sides must agree on: who may open, where munged answers and where the shared key lies (None: the usual places).

    ``key_owners``: who may own the key's file beside root and the caller: the daemon's user, where node and daemon are one host.
    """

    daemon_uid: int
    munge_socket: Path | None = None
    key_file: Path | None = None
    key_owners: frozenset[int] = frozenset()

    @classmethod
    def of(cls, site: Site, uid: int) -> SealKeys:
        """Those of the site, for what ``uid`` is to open."""
        owners: set[int] = set()
        with contextlib.suppress(KeyError):
            owners.add(pwd.getpwnam(site.daemon_user).pw_uid)
        return cls(daemon_uid=uid, munge_socket=site.munge_socket, key_file=site.seal_key_file, key_owners=frozenset(owners))


@dataclass(frozen=True)
class Opened:
    """What an opened seal held, and who had closed it.

    ``stale`` is ``expired`` or ``replayed`` (also ``rewound``) where the seal is intact but late or seen before: an old report, or
    one delivered twice. ``host`` is where it was closed as the seal says it (often 127.0.x): for logs, never for decisions.
    """

    content: bytes
    uid: int
    gid: int
    closed_ns: TimeNs | None = None
    host: str | None = None
    stale: str | None = None


class Seal(ABC):
    """One way of sealing. Both calls are bounded in time."""

    @abstractmethod
    def close(self, content: bytes, keys: SealKeys) -> bytes:
        """Seal ``content`` for the daemon. Raises SealUnavailableError."""

    @abstractmethod
    def open(self, sealed: bytes, keys: SealKeys) -> Opened:
        """Open what a node sealed; called as the daemon's user. Raises SealUnavailableError, SealRefusedError."""


def seal_of(site: Site) -> Seal:
    """The seal that ``site.seal`` names. Raises ConfigError: there is none of that name."""
    from gpualert_slurm.epilog import seals

    found = discover(seals, "SEAL", Seal)  # type: ignore[type-abstract]
    if site.seal not in found:
        raise ConfigError(f"site.seal = {site.seal!r}: there are {', '.join(found)}")
    return found[site.seal]
