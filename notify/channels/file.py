"""Write each message as an ``.eml`` into a folder: for a host without a relay, for demonstrations, for a look."""

from __future__ import annotations

import asyncio
import email
import hashlib
import re
from collections.abc import Sequence
from email import policy
from pathlib import Path

from gpualert_slurm.config import Mail
from gpualert_slurm.notification import Outcome, OutcomeKind
from gpualert_slurm.notify.channel import Channel, ChannelError, Sender
from gpualert_slurm.spool import write_whole


class FileSender(Sender):
    """The same message again is the same file: its name is the Message-ID's local part."""

    def __init__(self, folder: Path, timeout_s: float = 30.0) -> None:
        self.folder = folder
        self.timeout_s = timeout_s

    async def send(self, message: bytes, sender: str, recipients: Sequence[str]) -> list[Outcome]:  # noqa: ARG002 - the message names them
        """One file for all recipients."""
        path = self.folder / file_name(message)
        try:
            await asyncio.wait_for(asyncio.to_thread(self._write, path, message), self.timeout_s)
        except (OSError, asyncio.TimeoutError) as error:
            reason = f"{path}: {str(error) or 'the file system did not answer'}"
            return [Outcome(kind=OutcomeKind.RETRY, recipient=r, reason=reason) for r in recipients]
        return [Outcome(kind=OutcomeKind.SENT, recipient=r, reason=f"written to {path}") for r in recipients]

    def _write(self, path: Path, message: bytes) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, message)


def file_name(message: bytes) -> str:
    """``<local part of the Message-ID>.eml``, or a hash where there is none fit for a file name."""
    headers = email.message_from_bytes(message[:65536], policy=policy.compat32)
    found = re.fullmatch(r"<([A-Za-z0-9][A-Za-z0-9._-]{0,150})@[^>]*>", str(headers.get("Message-ID", "")).strip())
    return f"{found[1] if found else hashlib.sha256(message).hexdigest()[:24]}.eml"


def _open(mail: Mail) -> FileSender:
    if mail.folder is None:
        raise ChannelError("mail.folder: the channel 'file' needs the folder that its .eml files go to")
    return FileSender(mail.folder, mail.timeout_s)


CHANNEL = Channel(help="write .eml files into mail.folder", open=_open)
