from __future__ import annotations

from enum import Enum

from gpualert_slurm.record import Record


class Attachment(Record):
    """A file that travels with a message; ``content_id`` is set for pictures shown in the HTML part."""

    filename: str
    media_type: str
    content: bytes
    content_id: str | None = None


class LeftOut(Record):
    """What did not travel: where the whole lies, how big it is, why it stayed behind."""

    path: str
    size_bytes: int | None = None
    reason: str


class Notification(Record):
    """One message, ready for a channel. The same verdict twice gives the same ``key``, so it is one message."""

    key: str
    recipients: tuple[str, ...]
    subject: str
    text: str
    html: str
    thread: str | None = None
    headers: dict[str, str] = {}
    attachments: tuple[Attachment, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


class OutcomeKind(str, Enum):
    """What became of one attempt to hand a message over."""

    SENT = "sent"
    RETRY = "retry"
    REFUSED = "refused"


class Outcome(Record):
    """The answer of a channel for one recipient; ``reason`` quotes the other side."""

    kind: OutcomeKind
    recipient: str
    reason: str = ""
    code: int | None = None
