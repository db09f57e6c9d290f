"""The way out: the relay answers, its certificate holds, it knows the password, and somebody may be written to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from gpualert_slurm.notify.channel import ChannelError, open_channel
from gpualert_slurm.notify.channels.smtp import SmtpSender
from gpualert_slurm.notify.message import sender_address
from gpualert_slurm.programs.doctor.check import Check, Found, Host, Patient, bad, good


def _run(who: Patient) -> Iterator[Found]:
    mail = who.config.mail
    edit = f"$EDITOR {who.config_path}   # [mail]"
    if not mail.allowed_domains:
        yield bad("mail.allowed_domains is empty: nobody is written to", f'{edit} allowed_domains = ["example.org"]')
    try:
        domain = sender_address(mail)[1]
    except ValueError as error:
        yield bad(str(error), f'{edit} sender = "gpualert@your.site"')
        return
    if domain in ("localhost", "localdomain"):
        yield bad(f"mail.sender is {mail.sender}: relays and receivers refuse that domain", f'{edit} sender = "gpualert@your.site"')
    try:
        channel = open_channel(mail)
    except ChannelError as error:
        yield bad(str(error), edit)
        return
    if not isinstance(channel, SmtpSender):
        yield good(f"the channel {mail.channel} can be opened; 'gpualert test-mail ADDRESS' sends one")
        return
    trouble = asyncio.run(channel.greet())
    where = f"{mail.host}:{mail.port}"
    if trouble:
        yield bad(f"{where}: {trouble}", f"openssl s_client -starttls smtp -connect {where}   # or mend [mail] in {who.config_path}")
    else:
        yield good(
            f"{where} answers" + (f", and takes {mail.username}'s password" if mail.username else "") + "; 'gpualert test-mail ADDRESS' sends one"
        )


CHECK = Check("mail", frozenset({Host.DAEMON}), _run, order=45)
