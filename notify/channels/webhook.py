"""Post each message as signed JSON to a web address: for ticket systems and chat bridges of the site's own.

The body is what ``doc/formats/webhook.md`` says. It is signed by HMAC-SHA256 over time stamp and body, so that a receiver knows
who sent it and when; the secret never travels.
"""

from __future__ import annotations

import asyncio
import base64
import email
import email.policy
import hashlib
import hmac
import http.client
import json
import socket
import ssl
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage
from urllib.parse import urlsplit

from gpualert_slurm.config import Mail
from gpualert_slurm.notification import Outcome, OutcomeKind
from gpualert_slurm.notify.channel import Channel, ChannelError, Sender
from gpualert_slurm.notify.channels.smtp import read_password
from gpualert_slurm.notify.outward import RefusedError, host_of, public_addresses

FORMAT = "gpualert-webhook/1"
MOST_ANSWER_BYTES = 2000
MACHINE_HEADERS = ("X-GPUAlert-Job", "X-GPUAlert-Mode", "X-GPUAlert-Cause", "X-GPUAlert-Fault", "X-GPUAlert-State", "X-GPUAlert-Fingerprint",
                   "X-GPUAlert-Digest")  # fmt: skip
LATER = frozenset({408, 409, 423, 425, 429})
"""4yz answers that are about the moment, not about the message (RFC 9110 §15.5, RFC 6585)."""


@dataclass(frozen=True)
class WebhookOptions:
    """Where to, and with which secret; the secret never appears in a repr."""

    url: str
    internal: tuple[str, ...]
    timeout_s: float
    schemes: tuple[str, ...]
    secret: bytes = field(repr=False)


class WebhookSender(Sender):
    """One request a message, on a connection of its own, to an address that was checked after it was resolved. No redirect is followed."""

    def __init__(self, options: WebhookOptions) -> None:
        self.options = options

    async def send(self, message: bytes, sender: str, recipients: Sequence[str]) -> list[Outcome]:
        """One answer for all recipients: the receiver hears of them in the body."""
        body = payload(message, sender, recipients)
        try:
            status, said = await asyncio.wait_for(asyncio.to_thread(self._post, body), self.options.timeout_s + 1.0)
        except RefusedError as error:
            return [Outcome(kind=OutcomeKind.RETRY, recipient=r, reason=f"mail.webhook_url: {error}"[:500]) for r in recipients]
        except (OSError, http.client.HTTPException, asyncio.TimeoutError, ValueError) as error:
            why = f"{self._host()}: {str(error) or type(error).__name__}"
            return [Outcome(kind=OutcomeKind.RETRY, recipient=r, reason=why[:500]) for r in recipients]
        kind = judged(status)
        return [Outcome(kind=kind, recipient=r, code=status, reason=f"{self._host()}: HTTP {status} {said}"[:500]) for r in recipients]

    def _post(self, body: bytes) -> tuple[int, str]:
        o = self.options
        scheme, host, port = host_of(o.url, o.schemes)
        addresses = public_addresses(host, port, o.internal)
        now = str(int(time.time()))
        parts = urlsplit(o.url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection = _Pinned(host, port, addresses, o.timeout_s, tls=scheme == "https")
        try:
            connection.request("POST", path, body, {
                "Content-Type": "application/json", "User-Agent": "gpualert", "X-GPUAlert-Timestamp": now,
                "X-GPUAlert-Signature": f"sha256={signature(o.secret, now, body)}", "Connection": "close",
            })  # fmt: skip
            answer = connection.getresponse()
            said = answer.read(MOST_ANSWER_BYTES).decode("utf-8", "replace")
        finally:
            connection.close()
        return answer.status, " ".join(said.split())[:200]

    def _host(self) -> str:
        return urlsplit(self.options.url).netloc.rpartition("@")[2]


class _Pinned(http.client.HTTPConnection):
    """Connects to one of the addresses that were checked; the name is for TLS and the Host header only."""

    def __init__(self, host: str, port: int, addresses: Sequence[str], timeout_s: float, *, tls: bool) -> None:
        super().__init__(host, port, timeout=timeout_s)
        self._addresses, self._tls, self._until = addresses, tls, time.monotonic() + timeout_s

    def connect(self) -> None:
        """The first address that answers."""
        last: OSError = OSError("no address")
        for address in self._addresses:
            try:
                self.sock = socket.create_connection((address, self.port), timeout=max(0.05, self._until - time.monotonic()))
                break
            except OSError as error:
                last = error
        else:
            raise last
        if self._tls:
            self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)


def payload(message: bytes, sender: str, recipients: Sequence[str]) -> bytes:
    """The body: what is in the message, without what only a mail reader needs."""
    parsed = email.message_from_bytes(message, policy=email.policy.default)
    assert isinstance(parsed, EmailMessage)  # noqa: S101 - that policy's class
    text = parsed.get_body(("plain",))
    attached = {p.get_filename(): p.get_payload(decode=True) for p in parsed.iter_attachments()}
    verdict = attached.get("verdict.json")
    content = {
        "format": FORMAT,
        "message_id": str(parsed["Message-ID"]),
        "sender": sender,
        "recipients": list(recipients),
        "subject": str(parsed["Subject"]),
        "thread": str(parsed["References"] or ""),
        "headers": {name.lower(): str(parsed[name]) for name in MACHINE_HEADERS if parsed[name]},
        "text": str(text.get_content()) if text is not None else "",
        "verdict": json.loads(verdict) if isinstance(verdict, bytes) else None,
        "attachments": [
            {"filename": name, "content_base64": base64.b64encode(body).decode()}
            for name, body in attached.items() if name != "verdict.json" and isinstance(body, bytes)
        ],
    }  # fmt: skip
    return json.dumps(content, ensure_ascii=True).encode()


def signature(secret: bytes, timestamp: str, body: bytes) -> str:
    """HMAC-SHA256 over ``timestamp``, a dot and the body, in hex: a receiver refuses what is old, and a replay is old."""
    return hmac.new(secret, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def judged(status: int) -> OutcomeKind:
    """2yz done; 4yz for good unless it is about the moment; all else (5yz, a redirect, which is not followed) for now."""
    if 200 <= status < 300:
        return OutcomeKind.SENT
    return OutcomeKind.REFUSED if 400 <= status < 500 and status not in LATER else OutcomeKind.RETRY


def _open(mail: Mail) -> WebhookSender:
    if not mail.webhook_url:
        raise ChannelError("mail.webhook_url: the channel 'webhook' needs the address to post to")
    if mail.webhook_secret_file is None:
        raise ChannelError("mail.webhook_secret_file: the channel 'webhook' signs what it sends: name the file with the secret, mode 0400")
    try:
        host_of(mail.webhook_url, mail.webhook_schemes)
    except RefusedError as error:
        raise ChannelError(f"mail.webhook_url: {error}") from error
    secret = read_password(mail.webhook_secret_file, "mail.webhook_secret_file").encode()
    if len(secret) < 16:
        raise ChannelError("mail.webhook_secret_file: the secret has fewer than 16 characters: make one with 'openssl rand -hex 32'")
    return WebhookSender(WebhookOptions(mail.webhook_url, mail.webhook_internal, mail.timeout_s, mail.webhook_schemes, secret))


CHANNEL = Channel(help="signed JSON to mail.webhook_url", open=_open)
