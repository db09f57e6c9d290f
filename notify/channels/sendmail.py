"""Hand messages to the host's own ``sendmail``: for hosts whose mail system takes mail by that program only."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence
from pathlib import Path

from gpualert_slurm.config import Mail
from gpualert_slurm.notification import Outcome, OutcomeKind
from gpualert_slurm.notify.channel import Channel, ChannelError, Sender

PERMANENT = {64: "EX_USAGE", 65: "EX_DATAERR", 67: "EX_NOUSER", 68: "EX_NOHOST"}
"""<sysexits.h>: what no later attempt changes; everything else may be the host's state of the moment."""
MOST_ERROR_BYTES = 2000
ENVIRONMENT = ("PATH", "HOME", "LANG", "TZ")


class SendmailSender(Sender):
    """One process a recipient, so that each has an answer of its own; addresses go as arguments behind ``--``, never through a shell."""

    def __init__(self, program: Path, timeout_s: float) -> None:
        self.program = program
        self.timeout_s = timeout_s

    async def send(self, message: bytes, sender: str, recipients: Sequence[str]) -> list[Outcome]:
        """The whole of it within the timeout."""
        until = asyncio.get_running_loop().time() + self.timeout_s
        found = []
        for recipient in recipients:
            left = until - asyncio.get_running_loop().time()
            found.append(await self._one(message, sender, recipient, max(left, 0.05)))
        return found

    async def _one(self, message: bytes, sender: str, recipient: str, timeout_s: float) -> Outcome:
        # -i: a line with a single dot ends nothing; -f: the envelope sender; not -t: recipients come from us, not from headers.
        argv = [str(self.program), "-i", "-f", sender, "--", recipient]
        try:
            process = await asyncio.create_subprocess_exec(
                *argv, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE, start_new_session=True,
                env={k: v for k, v in os.environ.items() if k in ENVIRONMENT}, cwd="/",
            )  # fmt: skip
        except OSError as error:
            return _retry(recipient, f"{self.program}: {error.strerror}")
        try:
            _, said = await asyncio.wait_for(process.communicate(message.replace(b"\r\n", b"\n")), timeout_s)
        except (asyncio.TimeoutError, asyncio.CancelledError) as error:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
            if isinstance(error, asyncio.CancelledError):
                raise
            return _retry(recipient, f"{self.program}: no end within {self.timeout_s:g} s; it was killed")
        status = process.returncode or 0
        words = " ".join(said[:MOST_ERROR_BYTES].decode("utf-8", "replace").split())
        if status == 0:
            return Outcome(kind=OutcomeKind.SENT, recipient=recipient, reason=f"{self.program} took it")
        if status in PERMANENT:
            return Outcome(kind=OutcomeKind.REFUSED, recipient=recipient, code=550, reason=f"{self.program}: {PERMANENT[status]}: {words}"[:500])
        return _retry(recipient, f"{self.program}: status {status}: {words}")


def _retry(recipient: str, reason: str) -> Outcome:
    return Outcome(kind=OutcomeKind.RETRY, recipient=recipient, reason=reason[:500])


def _open(mail: Mail) -> SendmailSender:
    if not mail.sendmail.is_absolute():
        raise ChannelError(f"mail.sendmail: {mail.sendmail} must be an absolute path, such as /usr/sbin/sendmail")
    return SendmailSender(mail.sendmail, mail.timeout_s)


CHANNEL = Channel(help="the program mail.sendmail of this host", open=_open)
