"""A real SMTP server on loopback that misbehaves on request: aiosmtpd, in a thread of its own."""

from __future__ import annotations

import asyncio
import email
import random
import ssl
import threading
from collections import Counter
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session


@dataclass
class Behaviour:
    """What the server does instead of its duty. ``rcpt`` maps an address (or ``*``) to an answer."""

    rcpt: dict[str, str] = field(default_factory=dict)
    mail: str | None = None
    data: str | None = None
    greet: bool = True
    greeting: str | None = None
    answer_data: bool = True
    drop_at: str | None = None
    """``RCPT`` or ``DATA``: hang up instead of answering; ``AFTER``: take the message, then hang up without a word."""
    delay_s: float = 0.0
    share_451: float = 0.0
    """Of all messages so many get ``451`` at DATA, by chance."""
    share_dropped: float = 0.0
    """And at so many the connection is dropped, before or after the message was taken."""


class Relay:
    """``with Relay() as relay: relay.port``; ``relay.messages`` are (Message-ID, recipients, bytes) in order of arrival."""

    def __init__(self, *, tls: ssl.SSLContext | None = None, starttls: ssl.SSLContext | None = None, password: bytes | None = None, keep_content: bool = True) -> None:
        self.behaviour = Behaviour()
        self.messages: list[tuple[str, tuple[str, ...], bytes]] = []
        self.connections = 0
        self.port = 0
        self.keep_content = keep_content
        self.hung_up_after = 0
        """How often it took a message and hung up instead of saying so."""
        self.chance = random.Random(4242)
        self._tls, self._starttls, self._password = tls, starttls, password
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._server: asyncio.AbstractServer | None = None
        self._open: set[asyncio.BaseTransport] = set()

    def __enter__(self) -> Relay:
        self._thread.start()
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def start(self) -> None:
        """Listen, on the same port as before when there was one."""
        self._server = asyncio.run_coroutine_threadsafe(self._serve(), self._loop).result(10)
        self.port = self._server.sockets[0].getsockname()[1]

    def stop(self) -> None:
        """Be away: close the port and every connection."""
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(10)

    def hang_up(self) -> None:
        """Close every connection, as a relay does that was idle for long; go on listening."""

        async def close() -> None:
            for transport in list(self._open):
                transport.close()
            await asyncio.sleep(0.05)

        asyncio.run_coroutine_threadsafe(close(), self._loop).result(10)

    @property
    def ids(self) -> Counter[str]:
        """How often each Message-ID was taken."""
        return Counter(message_id for message_id, _, _ in self.messages)

    async def _serve(self) -> asyncio.AbstractServer:
        loop = asyncio.get_running_loop()
        return await loop.create_server(self._session, "127.0.0.1", self.port, ssl=self._tls)

    async def _close(self) -> None:
        assert self._server is not None
        self._server.close()
        for transport in list(self._open):
            transport.abort()  # type: ignore[attr-defined]
        await asyncio.sleep(0.05)

    def _session(self) -> SMTP:
        self.connections += 1
        options: dict[str, Any] = {"hostname": "relay.example.org", "enable_SMTPUTF8": False, "data_size_limit": 64 << 20}
        if self._starttls is not None:
            options |= {"tls_context": self._starttls, "require_starttls": True}
        if self._password is not None:
            options |= {"authenticator": self._authenticate, "auth_required": True, "auth_require_tls": self._tls is None}
        return _Server(self, **options)

    def _authenticate(self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
        ok = isinstance(data, LoginPassword) and data.login == b"gpualert" and data.password == self._password
        return AuthResult(success=ok, handled=ok)


class _Handler:
    def __init__(self, relay: Relay) -> None:
        self.relay = relay

    async def handle_MAIL(self, server: _Server, session: Session, envelope: Envelope, address: str, options: list[str]) -> str:  # noqa: N802 - aiosmtpd's names
        if self.relay.behaviour.mail is not None:
            return self.relay.behaviour.mail
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server: _Server, session: Session, envelope: Envelope, address: str, options: list[str]) -> str:  # noqa: N802 - aiosmtpd's names
        now = self.relay.behaviour
        if now.drop_at == "RCPT":
            server.transport.abort()
            return "421 gone"
        answer = now.rcpt.get(address, now.rcpt.get("*"))
        if answer is not None:
            return answer
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: _Server, session: Session, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's names
        now = self.relay.behaviour
        await asyncio.sleep(now.delay_s)
        if not now.answer_data:
            await asyncio.Event().wait()
        if now.drop_at == "DATA":
            server.transport.abort()
            return "421 gone"
        if now.data is not None:
            return now.data
        chance = self.relay.chance.random()
        if chance < now.share_451:
            return "451 4.3.0 by chance"
        dropped = chance < now.share_451 + now.share_dropped
        if dropped and self.relay.chance.random() < 0.5:
            server.transport.abort()
            return "421 gone"
        raw = envelope.content
        assert isinstance(raw, bytes)
        message_id = str(email.message_from_bytes(raw.partition(b"\r\n\r\n")[0])["Message-ID"])
        self.relay.messages.append((message_id, tuple(envelope.rcpt_tos), raw if self.relay.keep_content else b""))
        if dropped or now.drop_at == "AFTER":
            self.relay.hung_up_after += 1
            server.transport.abort()
        return "250 taken"


class _Server(SMTP):
    def __init__(self, relay: Relay, **options: Any) -> None:
        super().__init__(_Handler(relay), **options)
        self.relay = relay

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.relay._open.add(transport)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        self.relay._open.discard(self.transport)
        super().connection_lost(error)

    async def _handle_client(self) -> None:
        if not self.relay.behaviour.greet:
            await asyncio.Event().wait()
        if self.relay.behaviour.greeting is not None:
            await self.push(self.relay.behaviour.greeting)
            self.transport.close()
            return
        await super()._handle_client()
