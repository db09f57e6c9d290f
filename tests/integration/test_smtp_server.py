"""The bed's mail server takes mail as a real one does, and misbehaves when told to."""

from __future__ import annotations

import smtplib
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.testbed.ports import Ports
from tests.testbed.smtp import Smtp


@pytest.fixture
def smtp(tmp_path: Path) -> Iterator[Smtp]:
    ports = Ports()
    server = Smtp(tmp_path / "mail", ports.take(), tmp_path / "smtp.log")
    server.start()
    try:
        yield server
    finally:
        server.stop()
        ports.release()


def send(server: Smtp, *recipients: str, subject: str = "hello") -> dict[str, tuple[int, bytes]]:
    """Send one message; gives the recipients refused, as smtplib does."""
    message = EmailMessage()
    message["Subject"] = subject
    message.set_content("body: ä\n")
    with smtplib.SMTP("127.0.0.1", server.port, timeout=2) as client:
        return client.send_message(message, "from@example.org", list(recipients))


def test_a_message_is_kept_with_its_envelope(smtp: Smtp) -> None:
    assert send(smtp, "alice@example.org", "bob@example.org") == {}
    mail = smtp.wait_mail(timeout_s=5)[0]
    assert (mail.sender, mail.recipients) == ("from@example.org", ("alice@example.org", "bob@example.org"))
    assert mail.message()["Subject"] == "hello"
    assert mail.message().get_content().splitlines() == ["body: ä"]


def test_one_recipient_is_refused_and_the_other_served(smtp: Smtp) -> None:
    smtp.behave(refuse={"bob@example.org": "550 5.1.1 no such user"})
    refused = send(smtp, "alice@example.org", "bob@example.org")
    assert refused["bob@example.org"][0] == 550
    assert smtp.wait_mail(timeout_s=5)[0].recipients == ("alice@example.org",)


def test_every_recipient_is_put_off(smtp: Smtp) -> None:
    smtp.behave(refuse={"*": "451 4.2.0 greylisted"})
    with pytest.raises(smtplib.SMTPRecipientsRefused) as caught:
        send(smtp, "alice@example.org")
    assert caught.value.recipients["alice@example.org"][0] == 451
    assert smtp.mails() == []


def test_the_message_itself_is_refused(smtp: Smtp) -> None:
    smtp.behave(refuse_data="554 5.7.1 spam")
    with pytest.raises(smtplib.SMTPDataError) as caught:
        send(smtp, "alice@example.org")
    assert caught.value.smtp_code == 554


def test_the_server_takes_the_connection_and_never_speaks(smtp: Smtp) -> None:
    smtp.behave(greet=False)
    with pytest.raises((TimeoutError, smtplib.SMTPServerDisconnected), match="timed out"):
        send(smtp, "alice@example.org")


def test_the_server_takes_the_message_and_never_answers(smtp: Smtp) -> None:
    smtp.behave(answer_data=False)
    with pytest.raises((TimeoutError, smtplib.SMTPServerDisconnected), match="timed out"):
        send(smtp, "alice@example.org")
    assert smtp.mails() == []


def test_the_server_is_slow(smtp: Smtp) -> None:
    smtp.behave(delay_s=1)
    assert send(smtp, "alice@example.org") == {}


def test_down_is_refused_by_the_kernel_and_up_again_keeps_counting(smtp: Smtp) -> None:
    send(smtp, "alice@example.org", subject="one")
    smtp.stop()
    with pytest.raises(ConnectionRefusedError):
        send(smtp, "alice@example.org")
    smtp.start()
    send(smtp, "alice@example.org", subject="two")
    assert [mail.message()["Subject"] for mail in smtp.wait_mail(count=2, timeout_s=5)] == ["one", "two"]
