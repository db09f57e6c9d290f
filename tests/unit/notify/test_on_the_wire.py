"""What follows DATA: lines as RFC 5321 wants them, and nothing that ends the message before its end."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.notify.channels.smtp import on_the_wire


@given(st.lists(st.sampled_from([b"a", b".", b"..", b"\r", b"\n", b"\r\n", b" ", b"\x0b", b"\x85", b"b.c"]), max_size=14).map(b"".join))
def test_lines_end_in_crlf_and_no_dot_stands_alone_at_the_begin_of_one(message):
    """What a relay takes off again is the message, each of its line ends as mail's."""
    sent = on_the_wire(message)
    assert sent.endswith(b"\r\n")
    assert not re.search(rb"(?<!\r)\n|\r(?!\n)", sent)
    assert b"\r\n.\r\n" not in b"\r\n" + sent
    received = re.sub(rb"(?m)^\.", b"", sent)
    lines = re.sub(rb"\r\n|\n|\r", b"\r\n", message)
    assert received == (lines if lines.endswith(b"\r\n") else lines + b"\r\n")
