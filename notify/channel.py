from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gpualert_slurm.config import Mail
from gpualert_slurm.discovery import discover
from gpualert_slurm.notification import Outcome


class ChannelError(Exception):
    """A channel cannot be opened with this configuration; the text says which key, why and what would be right."""


class Sender(ABC):
    """An open way out. Contract, tested for every channel.

    ``send`` answers for every recipient it was given, once, in their order, and within the configured timeout. It
    raises nothing but ``asyncio.CancelledError``. A RETRY without ``code`` means that the way itself is blocked, not
    that this message was judged.
    """

    @abstractmethod
    async def send(self, message: bytes, sender: str, recipients: Sequence[str]) -> list[Outcome]:
        """Hand ``message`` (RFC 5322, CRLF) over for ``recipients`` (bare addresses)."""

    async def close(self) -> None:  # noqa: B027 - nothing to do where nothing is kept open
        """Let go of what is kept open between messages."""


@dataclass(frozen=True)
class Channel:
    """A way out: ``channels/<name>.py`` defines one as ``CHANNEL``; ``mail.channel`` chooses it by file name."""

    help: str
    open: Callable[[Mail], Sender]


def open_channel(mail: Mail) -> Sender:
    """The channel that ``mail.channel`` names, opened.

    Raises:
        ChannelError: there is none of that name, or it cannot work with this configuration.
    """
    from gpualert_slurm.notify import channels

    found = discover(channels, "CHANNEL", Channel)
    if mail.channel not in found:
        raise ChannelError(f"mail.channel: no channel {mail.channel!r}; there are {', '.join(found)}")
    return found[mail.channel].open(mail)
