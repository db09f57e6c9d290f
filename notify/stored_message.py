"""One file of the outbox: envelope, frozen message, journal. The format is doc/formats/outbox.md."""

from __future__ import annotations

import hashlib
import json
import os
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from gpualert_slurm.notification import Outcome, OutcomeKind
from gpualert_slurm.record import Record, TimeNs

MAGIC = b"gpualert-message/1"
HEADER = re.compile(rb"gpualert-message/1 (\d{1,9}) (\d{1,12})\n")
MAX_FILE_BYTES = 256 << 20
KEY = re.compile(r"[a-z0-9][a-z0-9._-]{0,150}")


class DamagedError(Exception):
    """The file is no message of ours, or no longer; the text says what does not fit."""


class Envelope(Record):
    """What never changes about a queued message."""

    key: str
    sender: str
    recipients: tuple[str, ...]
    message_id: str
    subject: str
    queued_ns: TimeNs
    expires_ns: TimeNs
    sha256: str


class Event(Record):
    """One line of the journal."""

    event: Literal["attempt", "outcome", "recovered", "again", "expired"]
    time_ns: TimeNs
    outcomes: tuple[Outcome, ...] = ()


@dataclass(frozen=True)
class Stored:
    """A message as its file has it; ``journal_end`` is where the next line goes."""

    envelope: Envelope
    message: bytes
    journal: tuple[Event, ...]
    journal_end: int

    @property
    def last_outcomes(self) -> dict[str, Outcome]:
        """The last answer for each recipient since a human last asked ``again``; refused ones before that are forgotten."""
        found: dict[str, Outcome] = {}
        for line in self.journal:
            if line.event == "again":
                found = {r: o for r, o in found.items() if o.kind is OutcomeKind.SENT}
            elif line.event == "expired":
                for recipient in self.envelope.recipients:
                    had = found.get(recipient)
                    if had is None or had.kind is OutcomeKind.RETRY:
                        why = f"given up; the last answer: {had.reason}" if had else "given up without an attempt"
                        found[recipient] = Outcome(kind=OutcomeKind.REFUSED, recipient=recipient, reason=why, code=had.code if had else None)
            found.update({o.recipient: o for o in line.outcomes})
        return found

    @property
    def open_recipients(self) -> tuple[str, ...]:
        """Who is still to be tried."""
        last = self.last_outcomes
        return tuple(r for r in self.envelope.recipients if r not in last or last[r].kind is OutcomeKind.RETRY)

    @property
    def attempts(self) -> int:
        """Attempts that were answered since a human last asked."""
        count = 0
        for line in self.journal:
            count = 0 if line.event == "again" else count + (line.event == "outcome")
        return count

    @property
    def deaths(self) -> int:
        """How many attempts in a row, up to now, ended the sender without an answer."""
        count = 0
        for line in self.journal:
            if line.event in ("outcome", "again"):
                count = 0
            elif line.event == "attempt":
                count += 1
        return count

    @property
    def expires_ns(self) -> int:
        """No further attempt after it; a human's ``again`` starts the time anew."""
        again = [line.time_ns for line in self.journal if line.event == "again"]
        return self.envelope.expires_ns if not again else again[-1] + self.envelope.expires_ns - self.envelope.queued_ns


def encode(envelope: Envelope, message: bytes) -> bytes:
    """The file of a message that was never tried."""
    head = envelope.json_bytes()
    return b"%s %d %d\n%s\n%s" % (MAGIC, len(head), len(message), head, message)


def journal_line(event: Event) -> bytes:
    """One line of the journal, newline included."""
    body = event.json_bytes()
    return b"%08x %s\n" % (zlib.crc32(body), body)


def decode(content: bytes) -> Stored:
    """The message in ``content``; a damaged journal line ends the journal.

    Raises:
        DamagedError: header, envelope or message do not fit.
    """
    header = HEADER.match(content)
    if header is None:
        raise DamagedError(f"it does not begin with {MAGIC.decode()} and two sizes")
    envelope_end = header.end() + int(header[1])
    message_end = envelope_end + 1 + int(header[2])
    if len(content) < message_end or content[envelope_end : envelope_end + 1] != b"\n":
        raise DamagedError(f"it has {len(content)} bytes, its header wants {message_end}")
    try:
        envelope = Envelope.model_validate_json(content[header.end() : envelope_end])
    except ValidationError as error:
        raise DamagedError(f"its envelope is not readable: {error.errors()[0]['msg']}") from error
    message = content[envelope_end + 1 : message_end]
    if hashlib.sha256(message).hexdigest() != envelope.sha256:
        raise DamagedError("the message's sha256 is not the envelope's")
    journal, end = _journal(content, message_end)
    return Stored(envelope, message, journal, end)


def read(path: Path) -> Stored:
    """The message at ``path``.

    Raises:
        DamagedError: as for ``decode``, or it is too large to be one of ours.
        OSError: it cannot be read.
    """
    if path.stat().st_size > MAX_FILE_BYTES:
        raise DamagedError(f"it is larger than {MAX_FILE_BYTES} bytes")
    return decode(path.read_bytes())


def append(path: Path, stored: Stored, events: Sequence[Event], *, durable: bool) -> Stored:
    """Add lines to the journal of the file at ``path``, all or none; gives the message as it is then.

    Raises:
        OSError: nothing was added (a half-written line is cut off again, and would be ignored if that failed too).
    """
    lines = b"".join(journal_line(e) for e in events)
    fd = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if os.fstat(fd).st_size != stored.journal_end:
            os.ftruncate(fd, stored.journal_end)
        try:
            written = os.pwrite(fd, lines, stored.journal_end)
            if written != len(lines):
                raise OSError(f"only {written} of {len(lines)} bytes of the journal could be written to {path}")
            if durable:
                os.fdatasync(fd)
        except OSError:
            os.ftruncate(fd, stored.journal_end)
            raise
    finally:
        os.close(fd)
    return Stored(stored.envelope, stored.message, (*stored.journal, *events), stored.journal_end + len(lines))


def _journal(content: bytes, start: int) -> tuple[tuple[Event, ...], int]:
    events: list[Event] = []
    at = start
    while True:
        end = content.find(b"\n", at)
        if end < 0:
            return tuple(events), at
        mark, _, body = content[at:end].partition(b" ")
        try:
            if int(mark, 16) != zlib.crc32(body):
                return tuple(events), at
            events.append(Event.model_validate(json.loads(body)))
        except (ValueError, ValidationError):
            return tuple(events), at
        at = end + 1
