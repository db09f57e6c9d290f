"""The SMTP server's process: aiosmtpd on loopback, every message kept, misbehaving as its switch file says.

Called as ``python smtp_server.py PORT FOLDER``. The switch file ``FOLDER/behaviour.json`` is read again at every command.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP, Envelope, Session


class Mailbox:
    """Keeps each message as ``NNNN.eml`` with its envelope beside it as ``NNNN.json``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = len(list(folder.glob("*.eml")))

    def behaviour(self) -> dict[str, Any]:
        """The switches of the moment; none set means an honest server."""
        try:
            found: dict[str, Any] = json.loads((self.folder / "behaviour.json").read_text())
        except FileNotFoundError:
            return {}
        return found

    async def handle_RCPT(  # noqa: N802 -- aiosmtpd calls it so
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str],
    ) -> str:
        """250, or the answer that the switch ``refuse`` has for this recipient or for ``*``."""
        refuse = self.behaviour().get("refuse", {})
        answer = refuse.get(address, refuse.get("*"))
        if answer is not None:
            return str(answer)
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 -- aiosmtpd calls it so
        """Keep the message. ``answer_data: false``: kept not, answered never. ``refuse_data``: that answer instead."""
        now = self.behaviour()
        if not now.get("answer_data", True):
            await asyncio.Event().wait()
        await asyncio.sleep(float(now.get("delay_s", 0)))
        if "refuse_data" in now:
            return str(now["refuse_data"])
        self.count += 1
        content = envelope.content or b""
        raw = content if isinstance(content, bytes) else content.encode()
        stem = self.folder / f"{self.count:04d}"
        facts = {"from": envelope.mail_from, "to": list(envelope.rcpt_tos), "time": time.time(), "peer": list(session.peer or ())}
        stem.with_suffix(".json").write_text(json.dumps(facts))
        part = stem.with_suffix(".part")
        part.write_bytes(raw)
        part.rename(stem.with_suffix(".eml"))
        return f"250 kept as {stem.name}"


class Server(SMTP):
    """aiosmtpd, but with the switch ``greet: false`` it accepts the connection and says nothing at all."""

    mailbox: Mailbox

    async def _handle_client(self) -> None:
        now = self.mailbox.behaviour()
        if not now.get("greet", True):
            await asyncio.Event().wait()
        await asyncio.sleep(float(now.get("greet_delay_s", 0)))
        await super()._handle_client()


async def serve(port: int, folder: Path) -> None:
    """Serve until the process is ended."""
    mailbox = Mailbox(folder)
    Server.mailbox = mailbox
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Server(mailbox, hostname="mail.testbed.invalid", data_size_limit=64 << 20), "127.0.0.1", port)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), Path(sys.argv[2])))
