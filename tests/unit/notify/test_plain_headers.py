"""Headers written without ``email`` are those that ``email`` writes."""

from __future__ import annotations

from email.headerregistry import Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.notify import message
from gpualert_slurm.notify.headers import HEADER_CHARS, header_text


@given(st.sampled_from(["Subject", "X-GPUAlert-Job", "Reply-To"]), st.text(st.sampled_from("abc XYZ019.,;:()<>[]\\\"'-_=?é—\u202e%&\r\n"), max_size=260))
def test_a_plain_header_is_the_one_that_email_writes(name, text):
    value = header_text(text, HEADER_CHARS)
    if name == "Reply-To":
        value = "help@site.example"
    assert message._header(name, value) == message._by_email(name, value)


@pytest.mark.parametrize("everybody", [("a@b.c",), ("a.b+c@x-y.z", "d_e@f"), tuple(f"user{n}@host.example.org" for n in range(40)), ("o'neil@x.org",)])
def test_recipients_are_written_as_email_writes_them(everybody):
    """One line where there is room, folded where there is none; what may need quotes is left to ``email``."""
    assert message._to(everybody) == message._by_email("To", tuple(Address(addr_spec=one) for one in everybody))


def test_what_looks_encoded_is_left_to_email():
    """A reader would decode what stands there by chance."""
    assert message._header("Subject", "loss =?utf-8?q?x?= 1") == message._by_email("Subject", "loss =?utf-8?q?x?= 1")
