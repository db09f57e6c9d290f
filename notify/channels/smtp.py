"""Hand messages to the site's relay (RFC 5321), judged per recipient, the whole dialogue under one timeout."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import aiosmtplib

from gpualert_slurm.config import Mail
from gpualert_slurm.notification import Outcome, OutcomeKind
from gpualert_slurm.notify.channel import Channel, ChannelError, Sender
from gpualert_slurm.spool import read_bounded

LOOPBACK = ("localhost", "127.0.0.1", "::1")
START_INPUT, COMPLETED = 354, 250
IDLE_S = 5.0
"""A connection that was idle longer is closed, not used again: relays hang up on their own after a while."""
FRESH_S = 0.5
"""One that was idle no longer is used without asking by RSET whether it still lives: the question costs a round trip."""
MESSAGES_PER_CONNECTION = 100
"""Then a new connection: relays count messages per session, and a fresh one also meets a relay that was replaced."""


@dataclass(frozen=True)
class SmtpOptions:
    """What the channel needs to know; ``password`` never appears in a repr."""

    host: str
    port: int
    tls: Literal["none", "starttls", "tls"]
    timeout_s: float
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    cert_bundle: str | None = None


@dataclass
class _Idle:
    client: aiosmtplib.SMTP
    since: float
    used: int
    dirty: bool
    """A transaction was begun and not ended: RSET comes first."""


class SmtpSender(Sender):
    """One relay. Several ``send`` calls may run at once, each on a connection of its own; idle ones are used again."""

    def __init__(self, options: SmtpOptions) -> None:
        self.options = options
        self._idle: list[_Idle] = []

    async def send(self, message: bytes, sender: str, recipients: Sequence[str]) -> list[Outcome]:
        """One transaction for all recipients."""
        dialogue = _Dialogue(recipients)
        try:
            await asyncio.wait_for(self._transact(dialogue, message, sender), self.options.timeout_s)
        except (asyncio.TimeoutError, aiosmtplib.SMTPTimeoutError):
            dialogue.fail(f"no answer within {self.options.timeout_s:g} s {dialogue.stage}")
        except aiosmtplib.SMTPResponseException as error:
            dialogue.blocked(error.code, error.message)
        except (aiosmtplib.SMTPException, OSError, ValueError, EOFError) as error:
            dialogue.fail(f"{str(error) or type(error).__name__} {dialogue.stage}")
        return dialogue.outcomes(f"{self.options.host}:{self.options.port}")

    async def greet(self) -> str:
        """Connect, STARTTLS and log in as for a message, and say QUIT; gives what is wrong, empty where nothing is."""
        dialogue = _Dialogue(())
        try:
            client, _ = await asyncio.wait_for(self._open(dialogue), self.options.timeout_s)
        except (asyncio.TimeoutError, aiosmtplib.SMTPTimeoutError):
            return f"no answer within {self.options.timeout_s:g} s"
        except aiosmtplib.SMTPResponseException as error:
            return f"{error.code} {error.message}"
        except (aiosmtplib.SMTPException, OSError, ValueError, EOFError) as error:
            return str(error) or type(error).__name__
        await _quit(client)
        return ""

    async def close(self) -> None:
        """Say QUIT on what is idle, without insisting."""
        idle, self._idle = self._idle, []
        for one in idle:
            await _quit(one.client)

    async def _transact(self, dialogue: _Dialogue, message: bytes, sender: str) -> None:
        client, used = await self._connect(dialogue)
        clean = False
        try:
            try:
                clean = await dialogue.run(client, message, sender)
            except (aiosmtplib.SMTPServerDisconnected, ConnectionError):
                if used == 0 or dialogue.begun:
                    raise
                client.close()  # it hung up while idle, and has seen nothing of this message
                client, used = await self._open(dialogue)
                clean = await dialogue.run(client, message, sender)
        finally:
            if clean and used + 1 < MESSAGES_PER_CONNECTION:
                self._idle.append(_Idle(client, time.monotonic(), used + 1, dialogue.dirty))
            else:
                client.close()

    async def _connect(self, dialogue: _Dialogue) -> tuple[aiosmtplib.SMTP, int]:
        while self._idle:
            one = self._idle.pop()
            idle_s = time.monotonic() - one.since
            if idle_s < IDLE_S and one.client.is_connected:
                if idle_s < FRESH_S and not one.dirty:
                    return one.client, one.used
                with contextlib.suppress(aiosmtplib.SMTPException, OSError):
                    await one.client.rset()
                    return one.client, one.used
            one.client.close()
        return await self._open(dialogue)

    async def _open(self, dialogue: _Dialogue) -> tuple[aiosmtplib.SMTP, int]:
        dialogue.stage = "while connecting"
        o = self.options
        client = aiosmtplib.SMTP(
            hostname=o.host,
            port=o.port,
            use_tls=o.tls == "tls",
            start_tls=o.tls == "starttls",
            username=o.username,
            password=o.password,
            cert_bundle=o.cert_bundle,
            timeout=o.timeout_s,
            local_hostname=socket.gethostname(),  # getfqdn would ask a name server, unbounded
        )
        await client.connect()
        return client, 0


class _Dialogue:
    """One transaction: where it stands, and what was said about each recipient."""

    def __init__(self, recipients: Sequence[str]) -> None:
        self.recipients = list(recipients)
        self.stage = "while connecting"
        self.said: dict[str, Outcome] = {}
        self.begun = False
        """Whether the relay has answered MAIL: it knows of this transaction."""
        self.dirty = False

    async def run(self, client: aiosmtplib.SMTP, message: bytes, sender: str) -> bool:
        """MAIL, RCPT for each, DATA; true when the connection can be used again."""
        self.stage = "to MAIL"
        if client.is_ehlo_or_helo_needed:  # SIZE is known only after it
            try:
                await client.ehlo()
            except aiosmtplib.SMTPHeloError:
                await client.helo()
        options = [f"size={len(message)}"] if client.supports_extension("size") else []
        try:
            await client.mail(sender, options=options)
        except aiosmtplib.SMTPSenderRefused as error:
            self._judge_open(error.code, f"sender {sender}: {error.message}")
            return False
        self.begun = True
        for recipient in self.recipients:
            self.stage = f"to RCPT {recipient}"
            try:
                await client.rcpt(recipient)
            except aiosmtplib.SMTPRecipientRefused as error:
                self.said[recipient] = judged(recipient, error.code, error.message)
        if len(self.said) == len(self.recipients):
            self.dirty = True
            return True
        self.stage = "to DATA"
        answer = await client.execute_command(b"DATA")
        if answer.code == START_INPUT:
            # Not client.data(): its two passes over the message by regular expressions are half of what sending costs.
            # Nothing is awaited between the message and the line that ends it, so that its answer is the message's.
            transport = client.transport
            if not isinstance(transport, asyncio.WriteTransport):
                raise aiosmtplib.SMTPServerDisconnected("Connection lost")
            transport.write(on_the_wire(message))
            answer = await client.execute_command(b".")
        self._judge_open(answer.code, answer.message)
        return answer.code == COMPLETED

    def _judge_open(self, code: int, message: str) -> None:
        for recipient in self.recipients:
            if recipient not in self.said:
                self.said[recipient] = judged(recipient, code, message)

    def fail(self, reason: str) -> None:
        """Nothing more was said: what is open is tried again, and blames the way, not the message."""
        for recipient in self.recipients:
            self.said.setdefault(recipient, Outcome(kind=OutcomeKind.RETRY, recipient=recipient, reason=reason))

    def blocked(self, code: int, message: str) -> None:
        """The relay refused us before it saw the message (greeting, STARTTLS, AUTH): an admin's matter, so try again."""
        self.fail(f"{code} {message} {self.stage}")

    def outcomes(self, relay: str) -> list[Outcome]:
        """One answer a recipient, in order, naming the relay."""
        return [o.model_copy(update={"reason": f"{relay}: {o.reason}"}) for o in (self.said[r] for r in self.recipients)]


def on_the_wire(message: bytes) -> bytes:
    """The message in lines that end in CRLF, also the last, with a dot before each that begins with one (RFC 5321 §4.5.2)."""
    text = message.replace(b"\r\n", b"")
    if b"\n" in text or b"\r" in text:  # line ends that are none of mail's
        message = message.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\n", b"\r\n")
    if not message.endswith(b"\r\n"):
        message += b"\r\n"
    if b"\r\n." in message:
        message = message.replace(b"\r\n.", b"\r\n..")
    return b"." + message if message.startswith(b".") else message


def judged(recipient: str, code: int, message: str) -> Outcome:
    """RFC 5321 §4.2.1: 2yz done, 5yz for good; 4yz, and whatever is no answer at all, for now."""
    kind = OutcomeKind.SENT if 200 <= code < 300 else OutcomeKind.REFUSED if 500 <= code < 600 else OutcomeKind.RETRY
    return Outcome(kind=kind, recipient=recipient, code=code, reason=f"{code} {message}"[:500])


async def _quit(client: aiosmtplib.SMTP) -> None:
    with contextlib.suppress(aiosmtplib.SMTPException, OSError, asyncio.TimeoutError):
        await asyncio.wait_for(client.quit(), 1.0)
    client.close()


def read_password(path: Path, key: str = "mail.password_file") -> str:
    """The one line of a file with a secret; ``key`` names the setting in errors.

    Raises:
        ChannelError: unreadable, of another owner than root or us, readable by others, or empty.
    """
    try:
        status = path.stat()
        content = read_bounded(path.resolve(), 4096)
    except OSError as error:
        raise ChannelError(f"{key}: {path} cannot be read: {error}") from error
    if status.st_uid not in (0, os.geteuid()):
        raise ChannelError(f"{key}: {path} belongs to uid {status.st_uid}; it must belong to root or to uid {os.geteuid()}: chown it")
    credentials = os.environ.get("CREDENTIALS_DIRECTORY")
    ours_by_systemd = credentials is not None and path.is_relative_to(credentials)
    if status.st_mode & (0o007 if ours_by_systemd else 0o077):
        raise ChannelError(f"{key}: {path} has mode {status.st_mode & 0o777:04o}, others could read it: chmod 0400 {path}")
    password = content.decode("utf-8", "replace").strip("\r\n")
    if not password or "\n" in password:
        raise ChannelError(f"{key}: {path} must hold the password on one line")
    return password


def _open(mail: Mail) -> SmtpSender:
    password = None
    if mail.username is not None:
        if mail.password_file is None:
            raise ChannelError("mail.username is set, so mail.password_file must name the file with its password")
        if mail.tls == "none" and mail.host not in LOOPBACK:
            raise ChannelError(f"mail.tls is none, so the password would go to {mail.host} in the clear: set starttls or tls, or no mail.username")
        password = read_password(mail.password_file)
    return SmtpSender(SmtpOptions(mail.host, mail.port, mail.tls, mail.timeout_s, mail.username, password))


CHANNEL = Channel(help="the relay at mail.host:mail.port", open=_open)
