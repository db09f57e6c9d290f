"""The bed's mail server: a real one on a socket, which can be down, refuse, keep silent or be slow."""

from __future__ import annotations

import email
import email.policy
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from .daemon import Daemon, wait_until
from .ports import listening


@dataclass(frozen=True)
class Mail:
    """One message as it crossed the wire: envelope sender and recipients, arrival (seconds since the epoch), and the file."""

    sender: str
    recipients: tuple[str, ...]
    time_s: float
    path: Path

    def message(self) -> EmailMessage:
        """The message, parsed."""
        return email.message_from_bytes(self.path.read_bytes(), policy=email.policy.default)


class Smtp:
    """aiosmtpd in a process of its own on ``127.0.0.1:port``; messages are kept in ``folder``.

    ``python`` must have aiosmtpd. Every switch holds until ``behave()`` is called without arguments.
    """

    def __init__(self, folder: Path, port: int, log: Path, *, env: Mapping[str, str] | None = None, python: str = sys.executable) -> None:
        self.folder = folder
        self.port = port
        folder.mkdir(parents=True, exist_ok=True)
        server = Path(__file__).with_name("smtp_server.py")
        self.daemon = Daemon("SMTP server", [python, str(server), str(port), str(folder)], log=log, env=env,
                             ready=lambda: listening(port))

    def start(self) -> None:
        """Up; after ``stop`` it continues with the same mailbox."""
        self.daemon.start()

    def stop(self) -> None:
        """Down: connections are refused by the kernel."""
        self.daemon.stop()

    def behave(
        self,
        *,
        refuse: dict[str, str] | None = None,
        refuse_data: str | None = None,
        greet: bool = True,
        answer_data: bool = True,
        delay_s: float = 0,
        greet_delay_s: float = 0,
    ) -> None:
        """Set all switches at once.

        Args:
            refuse: answer to RCPT by recipient (``*``: every other), such as ``{"bob@example.org": "550 5.1.1 no such user"}``.
            refuse_data: answer to the message itself, such as ``"451 4.3.0 try again later"``.
            greet: False: the connection is accepted and nothing is ever said.
            answer_data: False: the message is taken and never answered.
            delay_s: before the answer to the message.
            greet_delay_s: before the greeting.
        """
        switches: dict[str, Any] = {"refuse": refuse or {}, "greet": greet, "answer_data": answer_data, "delay_s": delay_s,
                                    "greet_delay_s": greet_delay_s}
        if refuse_data is not None:
            switches["refuse_data"] = refuse_data
        part = self.folder / "behaviour.part"
        part.write_text(json.dumps(switches))
        part.replace(self.folder / "behaviour.json")

    def mails(self) -> list[Mail]:
        """All that arrived so far, in order of arrival."""
        found = []
        for path in sorted(self.folder.glob("*.eml")):
            facts = json.loads(path.with_suffix(".json").read_text())
            found.append(Mail(facts["from"], tuple(facts["to"]), facts["time"], path))
        return found

    def wait_mail(self, fits: Callable[[Mail], bool] | None = None, *, count: int = 1, timeout_s: float = 30) -> list[Mail]:
        """Wait for ``count`` mails that fit; raises ``DaemonError`` after ``timeout_s``, naming what did arrive."""
        def fitting() -> list[Mail]:
            return [mail for mail in self.mails() if fits is None or fits(mail)]

        wait_until(lambda: len(fitting()) >= count, f"{count} fitting mail(s) in {self.folder}", timeout_s, poll_s=0.1)
        return fitting()
