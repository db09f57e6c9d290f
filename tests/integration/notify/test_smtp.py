"""The SMTP channel against a real server, honest and not."""

from __future__ import annotations

import asyncio
import email
import ssl
import subprocess
import time
from email import policy
from pathlib import Path

import pytest

from gpualert_slurm.config import Mail
from gpualert_slurm.notification import Outcome
from gpualert_slurm.notify.channel import ChannelError, open_channel
from gpualert_slurm.notify.channels.smtp import SmtpOptions, SmtpSender, read_password
from gpualert_slurm.notify.message import build
from tests.integration.notify.conftest import mail_through, notification
from tests.integration.notify.relay import Behaviour, Relay

TO = ("a@example.org", "b@example.org")


def send(mail: Mail, *recipients: str) -> list[Outcome]:
    async def once() -> list[Outcome]:
        channel = open_channel(mail)
        envelope, message = build(notification("k1", *(recipients or TO)), mail, 1)
        try:
            return await channel.send(message, envelope.sender, envelope.recipients)
        finally:
            await channel.close()

    return asyncio.run(once())


def kinds(outcomes: list[Outcome]) -> list[tuple[str, str, int | None]]:
    return [(o.recipient, o.kind.value, o.code) for o in outcomes]


def test_a_message_arrives_as_it_was_built(relay):
    """Byte for byte, dots at line starts, umlauts and all."""
    mail = mail_through(relay)
    envelope, message = build(notification("k1", *TO), mail, 1)
    outcomes = asyncio.run(open_channel(mail).send(message, envelope.sender, envelope.recipients))
    assert kinds(outcomes) == [("a@example.org", "sent", 250), ("b@example.org", "sent", 250)]
    assert relay.messages == [("<k1@hpc.example.org>", TO, message)]
    body = email.message_from_bytes(message, policy=policy.default).get_body(("plain",))  # type: ignore[attr-defined]
    assert body.get_content().splitlines() == ["größe", ".", "..dots"]


@pytest.mark.parametrize(
    ("behaviour", "expected"),
    [
        (Behaviour(rcpt={"*": "450 4.2.1 greylisted"}), [("a@example.org", "retry", 450), ("b@example.org", "retry", 450)]),
        (Behaviour(rcpt={"*": "550 5.1.1 no such user"}), [("a@example.org", "refused", 550), ("b@example.org", "refused", 550)]),
        (Behaviour(rcpt={"b@example.org": "550 5.1.1 no such user"}), [("a@example.org", "sent", 250), ("b@example.org", "refused", 550)]),
        (Behaviour(rcpt={"a@example.org": "451 4.3.0 later"}), [("a@example.org", "retry", 451), ("b@example.org", "sent", 250)]),
        (Behaviour(rcpt={"a@example.org": "550 no", "b@example.org": "452 full"}), [("a@example.org", "refused", 550), ("b@example.org", "retry", 452)]),
        (Behaviour(data="451 4.3.0 queue is full"), [("a@example.org", "retry", 451), ("b@example.org", "retry", 451)]),
        (Behaviour(data="554 5.7.1 looks like spam"), [("a@example.org", "refused", 554), ("b@example.org", "refused", 554)]),
        (Behaviour(rcpt={"a@example.org": "550 no"}, data="451 later"), [("a@example.org", "refused", 550), ("b@example.org", "retry", 451)]),
        (Behaviour(mail="552 5.3.4 too big"), [("a@example.org", "refused", 552), ("b@example.org", "refused", 552)]),
        (Behaviour(mail="451 4.7.1 not now"), [("a@example.org", "retry", 451), ("b@example.org", "retry", 451)]),
        (Behaviour(greeting="554 no service for you"), [("a@example.org", "retry", None), ("b@example.org", "retry", None)]),
        (Behaviour(greeting="421 too many connections"), [("a@example.org", "retry", None), ("b@example.org", "retry", None)]),
        (Behaviour(drop_at="RCPT"), [("a@example.org", "retry", None), ("b@example.org", "retry", None)]),
        (Behaviour(drop_at="DATA"), [("a@example.org", "retry", None), ("b@example.org", "retry", None)]),
        (Behaviour(drop_at="AFTER"), [("a@example.org", "retry", None), ("b@example.org", "retry", None)]),
        (Behaviour(rcpt={"b@example.org": "550 no"}, drop_at="DATA"), [("a@example.org", "retry", None), ("b@example.org", "refused", 550)]),
    ],
    ids=lambda value: repr(value)[:60] if isinstance(value, Behaviour) else "",
)
def test_every_recipient_is_judged_by_itself(relay, behaviour, expected):
    """4xx is for now, 5xx for good, and what was not said is for now; a 5xx before the message was seen blames the way."""
    relay.behaviour = behaviour
    outcomes = send(mail_through(relay))
    assert kinds(outcomes) == expected
    assert all(f"127.0.0.1:{relay.port}" in o.reason for o in outcomes)


@pytest.mark.parametrize("behaviour", [Behaviour(greet=False), Behaviour(answer_data=False), Behaviour(delay_s=30)], ids=["no greeting", "no answer", "slow"])
def test_a_silent_server_is_given_up_at_the_timeout(relay, behaviour):
    """The whole dialogue has one bound."""
    relay.behaviour = behaviour
    started = time.monotonic()
    outcomes = send(mail_through(relay, timeout_s=0.7))
    assert time.monotonic() - started < 4
    assert {o.kind.value for o in outcomes} == {"retry"}
    assert all("0.7 s" in o.reason for o in outcomes)


def test_no_server_at_all_is_a_retry(relay):
    relay.stop()
    outcomes = send(mail_through(relay))
    assert kinds(outcomes) == [("a@example.org", "retry", None), ("b@example.org", "retry", None)]


def test_one_connection_serves_many_messages(relay):
    async def many() -> None:
        mail = mail_through(relay)
        channel = open_channel(mail)
        for i in range(10):
            envelope, message = build(notification(f"k{i}"), mail, 1)
            assert [o.kind.value for o in await channel.send(message, envelope.sender, envelope.recipients)] == ["sent"]
        await channel.close()

    asyncio.run(many())
    assert len(relay.messages) == 10
    assert relay.connections == 1


def test_a_connection_that_died_while_idle_is_replaced(relay):
    async def twice() -> list[str]:
        mail = mail_through(relay)
        channel = open_channel(mail)
        found = []
        for i in range(2):
            envelope, message = build(notification(f"k{i}"), mail, 1)
            found += [o.kind.value for o in await channel.send(message, envelope.sender, envelope.recipients)]
            if i == 0:
                await asyncio.to_thread(relay.stop)
                await asyncio.to_thread(relay.start)
        await channel.close()
        return found

    assert asyncio.run(twice()) == ["sent", "sent"]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> Path:
    """A certificate for localhost, signed by itself."""
    folder = tmp_path_factory.mktemp("tls")
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    files = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run([*command, *files], check=True, capture_output=True)
    return folder


def server_side(folder: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return context


def options(relay: Relay, certificate: Path | None, tls: str, password: str | None = None) -> SmtpOptions:
    return SmtpOptions("127.0.0.1", relay.port, tls, 5.0, "gpualert" if password else None, password, str(certificate / "cert.pem") if certificate else None)  # type: ignore[arg-type]


def send_with(options: SmtpOptions) -> list[Outcome]:
    async def once() -> list[Outcome]:
        channel = SmtpSender(options)
        try:
            return await channel.send(b"Subject: x\r\nMessage-ID: <x@example.org>\r\n\r\nbody\r\n", "g@example.org", ["a@example.org"])
        finally:
            await channel.close()

    return asyncio.run(once())


@pytest.mark.parametrize("tls", ["tls", "starttls"])
def test_tls_with_a_known_certificate_and_auth(certificate, tls):
    context = server_side(certificate)
    with Relay(tls=context if tls == "tls" else None, starttls=context if tls == "starttls" else None, password=b"hunter22") as relay:
        assert kinds(send_with(options(relay, certificate, tls, "hunter22"))) == [("a@example.org", "sent", 250)]


@pytest.mark.parametrize("tls", ["tls", "starttls"])
def test_an_unknown_certificate_is_not_spoken_to(certificate, tls):
    """And the mail waits: it is an administrator's matter, not the recipient's."""
    context = server_side(certificate)
    with Relay(tls=context if tls == "tls" else None, starttls=context if tls == "starttls" else None) as relay:
        outcomes = send_with(options(relay, None, tls))
        assert kinds(outcomes) == [("a@example.org", "retry", None)]
        assert "certificate" in outcomes[0].reason.lower()
        assert relay.messages == []


def test_a_relay_without_starttls_gets_no_mail_in_the_clear(relay):
    assert kinds(send_with(options(relay, None, "starttls"))) == [("a@example.org", "retry", None)]
    assert relay.messages == []


def test_a_wrong_password_keeps_the_mail(certificate):
    with Relay(tls=server_side(certificate), password=b"hunter22") as relay:
        outcomes = send_with(options(relay, certificate, "tls", "wrong"))
        assert kinds(outcomes) == [("a@example.org", "retry", None)]
        assert "535" in outcomes[0].reason


def test_the_password_never_shows_in_a_repr():
    assert "hunter22" not in repr(SmtpOptions("h", 25, "tls", 1.0, "u", "hunter22"))


@pytest.mark.parametrize(("mode", "good"), [(0o400, True), (0o600, True), (0o440, False), (0o604, False)])
def test_a_password_file_that_others_can_read_is_refused(tmp_path, mode, good):
    path = tmp_path / "password"
    path.write_text("hunter22\n")
    path.chmod(mode)
    if good:
        assert read_password(path) == "hunter22"
    else:
        with pytest.raises(ChannelError, match="chmod 0400"):
            read_password(path)


def test_a_password_never_crosses_a_network_in_the_clear(tmp_path):
    path = tmp_path / "password"
    path.write_text("hunter22")
    path.chmod(0o400)
    with pytest.raises(ChannelError, match="in the clear"):
        open_channel(Mail(host="relay.example.org", username="u", password_file=path))


def test_an_unknown_channel_names_those_there_are():
    with pytest.raises(ChannelError, match=r"'pigeon'.*file, .*smtp"):
        open_channel(Mail(channel="pigeon"))
