"""``gpualert test-mail``: one message through the configured way out, and what the other side said."""

from __future__ import annotations

import argparse
import asyncio
import socket
import sys
import time
from pathlib import Path

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.config import ConfigError, Mail, load
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.notification import Outcome, OutcomeKind
from gpualert_slurm.programs.command import Command
from gpualert_slurm.verdict import Fault, Phase, Verdict
from gpualert_slurm.wishes import Wishes


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("address", nargs="+", help="whom to write to; must be allowed by mail.allowed_domains")
    parser.add_argument("--config", type=Path, help="gpualert.toml")


def _run(arguments: argparse.Namespace) -> int:
    from gpualert_slurm.notify.channel import ChannelError

    try:
        mail = load(arguments.config).mail
        answers, refused = asyncio.run(_send(mail, tuple(arguments.address)))
    except (ConfigError, ChannelError, ValueError) as error:
        print(f"gpualert test-mail: {error}", file=sys.stderr)
        return 1
    for shown, why in refused:
        print(f"{shown}: not sent: {why}")
    for answer in answers:
        print(f"{answer.recipient}: {answer.kind.value}: {answer.reason}")
    good = answers and not refused and all(a.kind is OutcomeKind.SENT for a in answers)
    if good:
        print("The relay took it. Should it not arrive, ask the relay's administrators with the Message-ID above and this time.")
    return 0 if good else 1


async def _send(mail: Mail, addresses: tuple[str, ...]) -> tuple[list[Outcome], tuple[tuple[str, str], ...]]:
    from gpualert_slurm.notify.channel import open_channel
    from gpualert_slurm.notify.compose import compose
    from gpualert_slurm.notify.message import build

    now = time.time_ns()
    verdict = sample(now)
    job = JobRecord(attempt=verdict.attempt, name=verdict.job_name, under_slurm=False, wishes=Wishes(addresses=addresses))
    composition = compose(verdict, job, mail)
    if composition.notification is None:
        return [], composition.refused
    envelope, message = build(composition.notification, mail, now)
    channel = open_channel(mail)
    print(f"Message-ID {envelope.message_id}, {len(message)} bytes, from {envelope.sender}, through {mail.channel}")
    try:
        return await channel.send(message, envelope.sender, envelope.recipients), composition.refused
    finally:
        await channel.close()


def sample(now_ns: int) -> Verdict:
    """A verdict about nothing, which says so."""
    return Verdict(
        attempt=Attempt(cluster="test-mail", job_id=0, start_time_ns=now_ns),
        job_name="test-mail",
        exit_code=0,
        started_ns=now_ns,
        ended_ns=now_ns,
        mode="G1",
        variant="healthy",
        title="test of the way out",
        headline=f"a test from {socket.gethostname()}: mail works, no job ran",
        fault=Fault.NONE,
        confidence=1.0,
        phase=Phase.AFTER_END,
        implies=("Mails from gpualert reach this address.",),
    )


COMMAND = Command(help="send one message through the relay and print what it answered", arguments=_arguments, run=_run)
