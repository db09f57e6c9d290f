"""What every channel promises; a new file in channels/ is tested by being there."""

from __future__ import annotations

import asyncio
import time

import pytest

from gpualert_slurm.config import Mail
from gpualert_slurm.discovery import discover
from gpualert_slurm.notification import Outcome
from gpualert_slurm.notify import channels
from gpualert_slurm.notify.channel import Channel, open_channel
from gpualert_slurm.notify.message import build
from tests.integration.notify.conftest import mail_through, notification

CHANNELS = discover(channels, "CHANNEL", Channel)
TO = ("a@example.org", "b@example.org", "c@example.org")


def config(name: str, relay, folder) -> Mail:
    return mail_through(relay, channel=name, folder=folder, timeout_s=2.0)


def send(mail: Mail, times: int = 1) -> list[list[Outcome]]:
    async def run() -> list[list[Outcome]]:
        channel = open_channel(mail)
        envelope, message = build(notification("k1", *TO), mail, 1)
        found = [await channel.send(message, envelope.sender, envelope.recipients) for _ in range(times)]
        await channel.close()
        return found

    return asyncio.run(run())


@pytest.mark.parametrize("name", CHANNELS)
def test_every_recipient_gets_one_answer_in_order(name, relay, tmp_path):
    outcomes = send(config(name, relay, tmp_path / "out"))[0]
    assert [o.recipient for o in outcomes] == list(TO)
    assert {o.kind.value for o in outcomes} == {"sent"}
    assert all(o.reason for o in outcomes)


@pytest.mark.parametrize("name", CHANNELS)
def test_a_blocked_way_is_a_retry_without_code_and_no_exception(name, relay, tmp_path):
    """The relay is away, the folder cannot be made: the outbox must be able to tell this from a judgement."""
    relay.stop()
    (tmp_path / "file").write_text("in the way")
    started = time.monotonic()
    outcomes = send(config(name, relay, tmp_path / "file" / "out"))[0]
    assert time.monotonic() - started < 5
    assert [(o.recipient, o.kind.value, o.code) for o in outcomes] == [(r, "retry", None) for r in TO]


@pytest.mark.parametrize("name", CHANNELS)
def test_the_same_message_twice_is_the_same_message(name, relay, tmp_path):
    """A duplicate carries the same Message-ID."""
    send(config(name, relay, tmp_path / "out"), times=2)
    files = list((tmp_path / "out").iterdir()) if (tmp_path / "out").exists() else []
    assert len(files) + len(relay.ids) == 1


@pytest.mark.parametrize("name", CHANNELS)
def test_a_channel_says_what_it_is(name):
    assert CHANNELS[name].help


def test_the_file_channel_writes_what_goes_over_the_wire(relay, tmp_path):
    mail = config("file", relay, tmp_path / "out")
    send(mail)
    assert (tmp_path / "out" / "k1.eml").exists()
    assert b"\r\nMessage-ID: <k1@hpc.example.org>\r\n" in (tmp_path / "out" / "k1.eml").read_bytes()
