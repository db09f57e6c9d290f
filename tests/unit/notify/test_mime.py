"""Facts about the parts of a message: what a reader's mail program takes out is what was put in."""

from __future__ import annotations

import email
import email.policy
import re

from hypothesis import example, given
from hypothesis import strategies as st

from gpualert_slurm.config import Mail
from gpualert_slurm.notification import Attachment, Notification
from gpualert_slurm.notify.message import build

MAIL = Mail(sender="gpualert@example.org")
LINES = st.lists(st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp"))), max_size=20)


def opened(note: Notification) -> tuple[bytes, email.message.EmailMessage]:
    content = build(note, MAIL, 1)[1]
    return content, email.message_from_bytes(content, policy=email.policy.default)


def note(text: str = "t\n", html: str = "<p>h</p>\n", *attachments: Attachment) -> Notification:
    return Notification(key="k.1", recipients=("a@example.org",), subject="s", text=text, html=html, attachments=attachments)


def lines_of(message: email.message.EmailMessage, kind: str) -> list[str]:
    return message.get_body((kind,)).get_content().split("\r\n")


@example(text=[], html=["000" + 6 * "\xa0" + 3 * "\U00010000" + "."])  # a soft break before the last dot
@given(LINES, LINES)
def test_both_bodies_arrive_line_by_line(text, html):
    """Long lines, blanks at their ends, dots and equals signs alone, letters of any script."""
    content, message = opened(note("".join(f"{line}\n" for line in text), "".join(f"{line}\n" for line in html)))
    assert lines_of(message, "plain") == [*text, ""]
    assert lines_of(message, "html") == [*html, ""]
    assert not message.defects
    assert content.isascii()
    assert max(map(len, content.split(b"\r\n"))) <= 250
    assert re.search(rb"(?<!\r)\n|\r(?!\n)|^\.\r", content, re.MULTILINE) is None


@given(st.lists(st.binary(max_size=3000), min_size=1, max_size=4))
def test_files_arrive_byte_by_byte(contents):
    _, message = opened(note("t\n", "h\n", *(Attachment(filename=f"f{i}.bin", media_type="application/octet-stream", content=c) for i, c in enumerate(contents))))
    assert [p.get_content() for p in message.iter_attachments()] == contents
    assert [p.get_filename() for p in message.iter_attachments()] == [f"f{i}.bin" for i in range(len(contents))]


def test_a_picture_belongs_to_the_html_and_a_log_does_not():
    _, message = opened(note("t\n", "<img src=cid:loss>\n", Attachment(filename="a.txt", media_type="text/plain", content="é\n".encode()),
                             Attachment(filename="loss.png", media_type="image/png", content=b"\x89PNG", content_id="loss")))
    kinds = [part.get_content_type() for part in message.walk()]
    assert kinds == ["multipart/mixed", "multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png", "text/plain"]
    (picture,) = (p for p in message.walk() if p.get_content_type() == "image/png")
    assert (picture["Content-ID"], picture.get_content_disposition(), picture.get_content()) == ("<loss>", "inline", b"\x89PNG")
    (log,) = message.iter_attachments()
    assert (log.get_filename(), log.get_content()) == ("a.txt", "é\n")


def test_what_a_child_says_of_a_file_makes_no_header_of_its_own():
    """The name, type and id of a file come out of the process that read strangers' logs."""
    evil = "x\r\nBcc: evil@example.org\r\n\r\n--=_"
    content, message = opened(note("t\n", "h\n", Attachment(filename=evil, media_type=f"text/plain{evil}", content=b"1", content_id=f"loss>{evil}")))
    assert b"\nBcc:" not in content
    assert all("Bcc" not in part for part in message.walk())
    assert [p.get_content_type() for p in message.walk()].count("application/octet-stream") == 1


def test_a_body_cannot_end_its_part():
    """The boundary is known to whoever reads the mail before; a log that prints it is still text."""
    content, _ = opened(note())
    boundaries = sorted(set(re.findall(rb"--=_[0-9a-z]+", content)))
    assert len(boundaries) == 1
    text = "".join(f"{b.decode()}\n{b.decode()}--\n" for b in boundaries)
    _, message = opened(note(text, text))
    assert lines_of(message, "plain") == lines_of(message, "html") == text.split("\n")
