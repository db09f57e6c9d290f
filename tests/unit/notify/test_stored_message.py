"""A file of the outbox survives what a crash does to its end, and nothing else."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.notification import Outcome, OutcomeKind
from gpualert_slurm.notify.stored_message import DamagedError, Envelope, Event, append, decode, encode, journal_line, read

MESSAGE = b"Subject: x\r\n\r\nbody\r\n"
ENVELOPE = Envelope(
    key="k1", sender="g@example.org", recipients=("a@example.org", "b@example.org"), message_id="<k1@example.org>", subject="x", queued_ns=0, expires_ns=100,
    sha256=hashlib.sha256(MESSAGE).hexdigest(),
)  # fmt: skip
FRESH = encode(ENVELOPE, MESSAGE)


def outcome(recipient: str, kind: OutcomeKind, time_ns: int = 1) -> Event:
    return Event(event="outcome", time_ns=time_ns, outcomes=(Outcome(kind=kind, recipient=recipient, reason="said"),))


EVENTS = [Event(event="attempt", time_ns=1), outcome("a@example.org", OutcomeKind.SENT), outcome("b@example.org", OutcomeKind.RETRY), Event(event="recovered", time_ns=3)]
FULL = FRESH + b"".join(map(journal_line, EVENTS))


def test_what_was_written_is_read():
    stored = decode(FULL)
    assert (stored.envelope, stored.message, list(stored.journal)) == (ENVELOPE, MESSAGE, EVENTS)
    assert stored.open_recipients == ("b@example.org",)


@given(st.integers(min_value=len(FRESH), max_value=len(FULL)))
def test_a_journal_cut_anywhere_keeps_its_whole_lines(end):
    stored = decode(FULL[:end])
    assert list(stored.journal) == EVENTS[: len(stored.journal)]
    assert stored.journal_end <= end


@given(st.integers(min_value=0, max_value=len(FRESH) - 1))
def test_a_message_cut_anywhere_is_damaged(end):
    with pytest.raises(DamagedError):
        decode(FRESH[:end])


@given(st.integers(min_value=0, max_value=len(FULL) - 1), st.integers(min_value=1, max_value=255))
def test_a_flipped_byte_is_noticed(at, mask):
    """Damage to envelope or message is an error; damage to the journal ends it; nothing is believed that was not written."""
    damaged = bytearray(FULL)
    damaged[at] ^= mask
    try:
        stored = decode(bytes(damaged))
    except DamagedError:
        return
    if at >= len(FRESH):
        assert list(stored.journal) == EVENTS[: len(stored.journal)]
        assert stored.envelope == ENVELOPE
    assert stored.message == MESSAGE


@given(st.binary(max_size=300))
def test_any_bytes_are_a_message_or_damaged(content):
    with pytest.raises(DamagedError):
        decode(content)


def test_appending_cuts_a_torn_line_off_first(tmp_path):
    path = tmp_path / "k1.msg"
    path.write_bytes(FULL[:-7])
    append(path, read(path), [Event(event="again", time_ns=9)], durable=True)
    assert [e.event for e in read(path).journal] == ["attempt", "outcome", "outcome", "again"]


def test_again_forgets_refusals_but_not_who_has_the_mail():
    journal = [outcome("a@example.org", OutcomeKind.SENT), outcome("b@example.org", OutcomeKind.REFUSED)]
    stored = decode(FRESH + b"".join(map(journal_line, journal)))
    assert stored.open_recipients == ()
    stored = decode(FRESH + b"".join(map(journal_line, [*journal, Event(event="again", time_ns=500)])))
    assert stored.open_recipients == ("b@example.org",)
    assert stored.expires_ns == 600


def test_expired_turns_what_was_to_be_tried_into_refused():
    stored = decode(FRESH + b"".join(map(journal_line, [outcome("a@example.org", OutcomeKind.RETRY), Event(event="expired", time_ns=5)])))
    assert {r: o.kind.value for r, o in stored.last_outcomes.items()} == {"a@example.org": "refused", "b@example.org": "refused"}
    assert "said" in stored.last_outcomes["a@example.org"].reason
