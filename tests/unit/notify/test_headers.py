"""Header text is one harmless line, whatever a job is called."""

from __future__ import annotations

import email
import unicodedata
from email import policy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.config import Mail
from gpualert_slurm.notification import Attachment, Notification
from gpualert_slurm.notify.headers import UNSAFE_CATEGORIES, file_name, header_text
from gpualert_slurm.notify.message import build

HOSTILE = st.text(st.one_of(st.characters(), st.sampled_from("=?\r\n\t\x00\x1b\u202e\u200b\u2028QBqb_@:;<>,\"")), max_size=400)
MAIL = Mail(sender="gpualert@hpc.example.org", allowed_domains=("*",))
INJECTIONS = [
    "a\r\nBcc: victim@example.org",
    "a\nReply-To: evil@example.org",
    "a =?UTF-8?Q?=0AReply-To:_evil@example.org?= b",
    "=?utf-8?B?DQpCY2M6IHZAZXhhbXBsZS5vcmc=?=",
    "a\u2028Bcc: v@example.org",
    "a\x0bBcc: v@example.org\x0c\x85",
    "==??UTF-8?Q?=0ABcc:v@example.org?=",
    "=\u200b?utf-8?q?=0ABcc:_v@example.org?\u200b=",
]


@given(HOSTILE, st.integers(min_value=1, max_value=300))
def test_header_text_is_one_short_line_without_control_characters_or_encoded_words(text, max_chars):
    """Whatever goes in: no control or format character, no ``=?``, never longer than asked for."""
    safe = header_text(text, max_chars)
    assert len(safe) <= max_chars
    assert "=?" not in safe
    assert not [c for c in safe if unicodedata.category(c) in UNSAFE_CATEGORIES]


@given(HOSTILE)
def test_header_text_twice_is_header_text_once(text):
    once = header_text(text, 200)
    assert header_text(once, 200) == once


@given(HOSTILE)
def test_a_file_name_is_plain_ascii_and_never_hidden_or_a_path(text):
    name = file_name(text)
    assert name
    assert name.isascii()
    assert name[0] not in ".-"
    assert "/" not in name
    assert len(name) <= 80


def message_about(subject: str, headers: dict[str, str] | None = None) -> email.message.EmailMessage:
    notification = Notification(
        key="k1",
        recipients=("alice@example.org",),
        subject=subject,
        text="t\n",
        html="<p>h</p>",
        headers=headers or {},
        attachments=(Attachment(filename=subject, media_type="text/plain", content=b"x"),),
    )
    _, raw = build(notification, MAIL, 1_790_000_000_000_000_000)
    assert b"\n" not in raw.replace(b"\r\n", b""), "a bare line feed on the wire"
    return email.message_from_bytes(raw, policy=policy.default)  # type: ignore[return-value]


KNOWN = {
    "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "X-Auto-Response-Suppress", "List-Id", "MIME-Version", "Content-Type",
}  # fmt: skip


@pytest.mark.parametrize("name", INJECTIONS)
def test_a_job_name_cannot_add_a_header(name):
    """Neither with line breaks nor with an encoded word, in Subject, in a machine header or in a file name."""
    message = message_about(f"[gpualert] job 1 {name} FAILED", {"X-GPUAlert-Job": name})
    assert set(message.keys()) == KNOWN | {"X-GPUAlert-Job"}
    assert [part.keys() for part in message.walk() if {"Bcc", "Reply-To"} & set(part.keys())] == []
    assert message["To"] == "alice@example.org"


@given(HOSTILE)
def test_no_subject_at_all_adds_a_header(name):
    assert set(message_about(name).keys()) <= KNOWN


def test_a_long_non_ascii_subject_survives_the_wire():
    """Folding and encoding lose nothing."""
    subject = "[gpualert] job 4242 trainingslauf-für-größe FAILED: " + "ä€😀 " * 20
    assert message_about(subject)["Subject"] == header_text(subject, 160)


def test_only_our_own_machine_headers_are_taken():
    message = message_about("s", {"Bcc": "v@example.org", "X-GPUAlert-Mode": "A1", "X-GPUAlert-A\nB": "x"})
    assert "Bcc" not in message
    assert message["X-GPUAlert-Mode"] == "A1"
    assert len([k for k in message if k.startswith("X-GPUAlert")]) == 1
