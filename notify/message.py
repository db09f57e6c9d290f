"""A Notification as the bytes that go over the wire, frozen when it is queued."""

from __future__ import annotations

import hashlib
from datetime import datetime, timezone
from email.headerregistry import Address, BaseHeader, HeaderRegistry
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, getaddresses

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
WIRE = POLICY.clone(max_line_length=250)
"""Headers in ASCII stay on one line (RFC 5322 allows 998): folded at 78, a long first word leaves ``Subject:`` alone on its line."""
SUBJECT_CHARS = 160


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
    message = EmailMessage(policy=POLICY)
    message["From"] = sender
    message["To"] = tuple(Address(addr_spec=r) for r in notification.recipients)
    if mail.reply_to:
        message["Reply-To"] = header_text(mail.reply_to, HEADER_CHARS)
    message["Subject"] = subject
    message["Date"] = format_datetime(datetime.fromtimestamp(now_ns / 1e9, timezone.utc).astimezone())
    message["Message-ID"] = message_id
    if notification.thread:
        # A root that was never sent: clients fold by it all the same, and it is constant over requeues.
        message["References"] = f"<{notification.thread}.thread@{domain}>"
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834: no answer wanted
    message["X-Auto-Response-Suppress"] = "All"  # the same for Exchange
    message["List-Id"] = f"gpualert <gpualert.{domain}>"
    for name, value in notification.headers.items():
        if name.startswith("X-GPUAlert-") and name.replace("-", "").isalnum() and name.isascii():
            message[name] = header_text(value, HEADER_CHARS)
    message["MIME-Version"] = "1.0"
    policy = WIRE if subject.isascii() else POLICY
    content = message.as_bytes(policy=policy).removesuffix(mime.CRLF) + _body(notification)
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


def sender_address(mail: Mail) -> tuple[Address, str]:
    """``mail.sender`` with its display name (``gpualert`` where it has none), and its domain.

    Raises:
        ValueError: it is no single address.
    """
    parsed = getaddresses([mail.sender])
    if len(parsed) != 1 or "@" not in parsed[0][1]:
        raise ValueError(f"mail.sender: {mail.sender!r} is no address; write gpualert@your.site")
    name, address = parsed[0]
    return Address(display_name=header_text(name, 60) or "gpualert", addr_spec=address), address.rpartition("@")[2]


def _body(notification: Notification) -> bytes:
    """The MIME part that is the message, its headers first: mixed(alternative(text, related(html, pictures)), files), as far as there are such."""
    key = hashlib.sha256(notification.key.encode()).hexdigest()[:24]
    files = [(a, mime.file(a.content, a.media_type, file_name(a.filename), a.content_id)) for a in notification.attachments]
    html = mime.multipart("related", [mime.words(notification.html, "html"), *(part for a, part in files if a.content_id)], f"{key}r")
    both = mime.multipart("alternative", [mime.words(notification.text, "plain"), html], f"{key}a")
    return mime.multipart("mixed", [both, *(part for a, part in files if not a.content_id)], f"{key}m")
