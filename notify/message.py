"""A Notification as the bytes that go over the wire, frozen when it is queued."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from datetime import datetime, timezone
from email.headerregistry import Address, BaseHeader, HeaderRegistry
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, getaddresses
from functools import lru_cache

from gpualert_slurm.config import Mail
from gpualert_slurm.notification import Notification
from gpualert_slurm.notify import mime
from gpualert_slurm.notify.headers import HEADER_CHARS, file_name, header_text
from gpualert_slurm.notify.stored_message import Envelope


class Headers(HeaderRegistry):
    """The classes of headers, each made once: the registry makes one anew for every header of every message."""

    def __init__(self) -> None:
        super().__init__()
        self._made: dict[str, type[BaseHeader]] = {}

    def __getitem__(self, name: str) -> type[BaseHeader]:
        """The class for headers of that name."""
        kind = self._made.get(name)
        if kind is None:
            kind = self._made[name] = super().__getitem__(name)
        return kind


POLICY = SMTP.clone(max_line_length=78, cte_type="7bit", header_factory=Headers())
ONE_LINE = 250
WIRE = POLICY.clone(max_line_length=ONE_LINE)
"""Headers in ASCII stay on one line (RFC 5322 allows 998): folded at 78, a long first word leaves ``Subject:`` alone on its line."""
SUBJECT_CHARS = 160
_PLAIN = re.compile(r"[!-~](?:[ -~]*[!-~])?")
_ADDRESS = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_+-]|\.(?!\.|@))*@[A-Za-z0-9](?:[A-Za-z0-9-]|\.(?!\.|$))*")
"""Addresses that need no quotes and no encoding."""


def build(notification: Notification, mail: Mail, now_ns: int) -> tuple[Envelope, bytes]:
    """The envelope and the message of ``notification``, dated ``now_ns``.

    Raises:
        ValueError: it has no recipient, or ``mail.sender`` is no address.
    """
    if not notification.recipients:
        raise ValueError(f"notification {notification.key} has no recipient")
    sender, domain = sender_address(mail)
    message_id = f"<{notification.key}@{domain}>"
    subject = header_text(notification.subject, SUBJECT_CHARS)
    head = [_from(sender.display_name, sender.addr_spec), _to(notification.recipients)]
    if mail.reply_to:
        head.append(_header("Reply-To", header_text(mail.reply_to, HEADER_CHARS)))
    head.append(_header("Subject", subject))
    head.append(_header("Date", format_datetime(datetime.fromtimestamp(now_ns / 1e9, timezone.utc).astimezone())))
    head.append(_header("Message-ID", message_id))
    if notification.thread:
        # A root that was never sent: clients fold by it all the same, and it is constant over requeues.
        head.append(_header("References", f"<{notification.thread}.thread@{domain}>"))
    head.append(_header("Auto-Submitted", "auto-generated"))  # RFC 3834: no answer wanted
    head.append(_header("X-Auto-Response-Suppress", "All"))  # the same for Exchange
    head.append(_header("List-Id", f"gpualert <gpualert.{domain}>"))
    for name, value in notification.headers.items():
        if name.startswith("X-GPUAlert-") and name.replace("-", "").isalnum() and name.isascii():
            head.append(_header(name, header_text(value, HEADER_CHARS)))
    head.append(_header("MIME-Version", "1.0"))
    content = b"".join(head) + _body(notification)
    envelope = Envelope(
        key=notification.key,
        sender=sender.addr_spec,
        recipients=notification.recipients,
        message_id=message_id,
        subject=subject,
        queued_ns=now_ns,
        expires_ns=now_ns + int(mail.retry_hours * 3600e9),
        sha256=hashlib.sha256(content).hexdigest(),
    )
    return envelope, content


def _header(name: str, value: str) -> bytes:
    """One header: a short one in plain ASCII as it is, which is what ``email`` would make of it at a hundred times the price."""
    if _PLAIN.fullmatch(value) and "=?" not in value and "  " not in value and len(name) + len(value) + 2 <= ONE_LINE:
        return f"{name}: {value}\r\n".encode("ascii")
    return _by_email(name, value)


@lru_cache(maxsize=16)
def _from(name: str, address: str) -> bytes:
    return _by_email("From", Address(display_name=name, addr_spec=address))


def _to(recipients: Sequence[str]) -> bytes:
    whole = ", ".join(recipients)
    if all(_ADDRESS.fullmatch(one) for one in recipients) and len(whole) + 4 <= ONE_LINE:
        return f"To: {whole}\r\n".encode("ascii")
    return _by_email("To", tuple(Address(addr_spec=one) for one in recipients))


def _by_email(name: str, value: str | Address | tuple[Address, ...]) -> bytes:
    """The header as ``email`` writes it: encoded, and folded, where it must be."""
    message = EmailMessage(policy=POLICY)
    message[name] = value
    return message.as_bytes(policy=WIRE if not isinstance(value, str) or value.isascii() else POLICY).removesuffix(mime.CRLF)


def sender_address(mail: Mail) -> tuple[Address, str]:
    """``mail.sender`` with its display name (``gpualert`` where it has none), and its domain.

    Raises:
        ValueError: it is no single address.
    """
    return _sender(mail.sender)


@lru_cache(maxsize=16)
def _sender(text: str) -> tuple[Address, str]:
    parsed = getaddresses([text])
    if len(parsed) != 1 or "@" not in parsed[0][1]:
        raise ValueError(f"mail.sender: {text!r} is no address; write gpualert@your.site")
    name, address = parsed[0]
    return Address(display_name=header_text(name, 60) or "gpualert", addr_spec=address), address.rpartition("@")[2]


def _body(notification: Notification) -> bytes:
    """The MIME part that is the message, its headers first: mixed(alternative(text, related(html, pictures)), files), as far as there are such."""
    key = hashlib.sha256(notification.key.encode()).hexdigest()[:24]
    files = [(a, mime.file(a.content, a.media_type, file_name(a.filename), a.content_id)) for a in notification.attachments]
    html = mime.multipart("related", [mime.words(notification.html, "html"), *(part for a, part in files if a.content_id)], f"{key}r")
    both = mime.multipart("alternative", [mime.words(notification.text, "plain"), html], f"{key}a")
    return mime.multipart("mixed", [both, *(part for a, part in files if not a.content_id)], f"{key}m")
