"""Send a short text to the chat services that apprise covers: ``pip install 'gpualert-slurm[apprise]'``.

For rooms, not for owners: the URLs are the site's, so that every message goes to all of them. Only services whose scheme an
administrator named are used.
"""

from __future__ import annotations

import asyncio
import email
import email.policy
import os
import stat
from collections.abc import Sequence
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from gpualert_slurm.config import Mail
from gpualert_slurm.notification import Outcome, OutcomeKind
from gpualert_slurm.notify.channel import Channel, ChannelError, Sender
from gpualert_slurm.spool import read_bounded

MOST_CHARS = 1500
"""The smallest of the larger services' limits; what is beyond stays in the text's first lines: what happened, who acts, what to do."""


class AppriseSender(Sender):
    """All URLs at once; sent when all of them took it, else tried again: a room that had it gets it twice, under the same words."""

    def __init__(self, services: Any, count: int, timeout_s: float) -> None:  # noqa: ANN401 - apprise has no types
        self._services, self._count, self._timeout_s = services, count, timeout_s

    async def send(self, message: bytes, sender: str, recipients: Sequence[str]) -> list[Outcome]:  # noqa: ARG002 - rooms, not addresses
        """One answer for all recipients: they are named in nothing that leaves."""
        title, body = words(message)
        try:
            good = await asyncio.wait_for(self._services.async_notify(body=body, title=title, body_format="text"), self._timeout_s)
            why = f"{self._count} chat services took it" if good else "a chat service did not take it; apprise's log says which"
        except asyncio.TimeoutError:
            good, why = False, f"a chat service gave no answer within {self._timeout_s:g} s"
        except Exception as error:  # a plugin of apprise may raise what it likes
            good, why = False, f"apprise: {type(error).__name__}"
        kind = OutcomeKind.SENT if good else OutcomeKind.RETRY
        return [Outcome(kind=kind, recipient=r, reason=why) for r in recipients]


def words(message: bytes) -> tuple[str, str]:
    """Subject and the beginning of the text, cut at a line."""
    parsed = email.message_from_bytes(message, policy=email.policy.default)
    assert isinstance(parsed, EmailMessage)  # noqa: S101 - that policy's class
    part = parsed.get_body(("plain",))
    text = str(part.get_content()) if part is not None else ""
    if len(text) > MOST_CHARS:
        text = f"{text[:MOST_CHARS].rpartition(chr(10))[0]}\n… the mail has the rest"
    return str(parsed["Subject"]), text


def read_urls(path: Path, schemes: Sequence[str]) -> list[str]:
    """The URLs in the file.

    Raises:
        ChannelError: unreadable, readable by others, empty, or with a scheme that is not allowed; the text has no URL, they hold secrets.
    """
    try:
        status, content = path.stat(), read_bounded(path.resolve(), 65_536)
    except OSError as error:
        raise ChannelError(f"mail.apprise_urls_file: {path} cannot be read: {error}") from error
    if status.st_uid not in (0, os.geteuid()) or stat.S_IMODE(status.st_mode) & 0o077:
        raise ChannelError(f"mail.apprise_urls_file: {path} holds secrets: it must belong to root or to the daemon's user, mode 0400")
    urls = [line.strip() for line in content.decode("utf-8", "replace").splitlines() if line.strip() and not line.startswith("#")]
    for number, url in enumerate(urls, 1):
        scheme = url.partition("://")[0].lower()
        if scheme not in schemes:
            allowed = ", ".join(schemes) or "none"
            raise ChannelError(f"mail.apprise_urls_file: the scheme {scheme[:20]!r} of URL {number} is not in mail.apprise_schemes ({allowed})")
    if not urls:
        raise ChannelError(f"mail.apprise_urls_file: {path} has no URL")
    return urls


def _open(mail: Mail) -> AppriseSender:
    if mail.apprise_urls_file is None:
        raise ChannelError("mail.apprise_urls_file: the channel 'apprise' needs the file with its URLs")
    urls = read_urls(mail.apprise_urls_file, mail.apprise_schemes)
    try:
        import apprise
    except ImportError as error:
        raise ChannelError("mail.channel is apprise, which is not installed here: pip install 'gpualert-slurm[apprise]'") from error
    services = apprise.Apprise()
    for number, url in enumerate(urls, 1):
        if not services.add(url):
            raise ChannelError(f"mail.apprise_urls_file: apprise cannot use URL {number}: see https://github.com/caronc/apprise/wiki for its form")
    return AppriseSender(services, len(urls), mail.timeout_s)


CHANNEL = Channel(help="a short text to the chat services in mail.apprise_urls_file", open=_open)
