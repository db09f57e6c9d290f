"""A Notification as the bytes that go over the wire, frozen when it is queued."""

from __future__ import annotations

import hashlib
from datetime import datetime, timezone
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, getaddresses

from gpualert_slurm.config import Mail
from gpualert_slurm.notification import Attachment, Notification
from gpualert_slurm.notify.headers import HEADER_CHARS, file_name, header_text
from gpualert_slurm.notify.stored_message import Envelope

POLICY = SMTP.clone(max_line_length=78, cte_type="7bit")
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
    message.set_content(notification.text, cte="quoted-printable")
    message.add_alternative(notification.html, subtype="html", cte="quoted-printable")
    html = list(message.iter_parts())[1]
    assert isinstance(html, EmailMessage)  # noqa: S101 - add_alternative made it just now
    for picture in (a for a in notification.attachments if a.content_id):
        kind, _, sub = picture.media_type.partition("/")
        html.add_related(picture.content, kind, sub, cid=f"<{picture.content_id}>", disposition="inline", filename=file_name(picture.filename))
    for attachment in (a for a in notification.attachments if not a.content_id):
        _attach(message, attachment)
    content = message.as_bytes(policy=WIRE if subject.isascii() else POLICY)
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


def _attach(message: EmailMessage, attachment: Attachment) -> None:
    kind, _, sub = attachment.media_type.partition("/")
    name = file_name(attachment.filename)
    if kind == "text":
        text = attachment.content.decode("utf-8", "replace")
        message.add_attachment(text, subtype=sub or "plain", filename=name, cte="base64")
    else:
        message.add_attachment(attachment.content, kind or "application", sub or "octet-stream", filename=name)
