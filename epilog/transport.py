"""What a file of ``transports/`` defines: a way to carry sealed pieces from the nodes to the daemon."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from gpualert_slurm.config import ConfigError, Site
from gpualert_slurm.discovery import discover


@dataclass(frozen=True)
class Arrival:
    """A sealed piece at the daemon's side: ``name`` is the transport's own handle of it."""

    name: str
    sealed: bytes


class Transport(ABC):
    """One way of carrying. The sending side may block (a hung file system): it is called in a child that is given up at its deadline."""

    @abstractmethod
    def send(self, sealed: Sequence[bytes], site: Site) -> None:
        """Hand over all pieces of one document, durably. Raises OSError; sending all of them again is harmless."""

    @abstractmethod
    def prepare(self, site: Site) -> None:
        """The daemon's side, at its start: make what senders need. Raises OSError."""

    @abstractmethod
    def arrivals(self, site: Site, max_files: int = 1000, without: Container[str] = ()) -> Iterator[Arrival]:
        """What is there now but those named in ``without``, at most ``max_files``, the oldest first as far as that can be told.

        What cannot be a piece is put aside on the way.
        """

    @abstractmethod
    def remove(self, arrival: Arrival, site: Site) -> None:
        """Its content is safe in the daemon's own storage."""

    @abstractmethod
    def refuse(self, arrival: Arrival, reason: str, site: Site) -> None:
        """It will never be taken: put it aside with the reason."""

    def close(self) -> None:  # noqa: B027 - most have nothing to let go of
        """The daemon's side, at its end: let go of what ``prepare`` took."""


def transport_of(site: Site) -> Transport:
    """The transport that ``site.transport`` names. Raises ConfigError: there is none of that name."""
    from gpualert_slurm.epilog import transports

    found = discover(transports, "TRANSPORT", Transport)  # type: ignore[type-abstract]
    if site.transport not in found:
        raise ConfigError(f"site.transport = {site.transport!r}: there are {', '.join(found)}")
    return found[site.transport]
