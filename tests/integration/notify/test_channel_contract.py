"""What every channel promises; a new file in channels/ is tested by being there."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from gpualert_slurm.config import Mail
from gpualert_slurm.discovery import discover
from gpualert_slurm.notification import Outcome
from gpualert_slurm.notify import channels
from gpualert_slurm.notify.channel import Channel, open_channel
from gpualert_slurm.notify.message import build
from tests.integration.notify.conftest import mail_through, notification
from tests.integration.notify.web_server import WebServer

CHANNELS = discover(channels, "CHANNEL", Channel)
TO = ("a@example.org", "b@example.org", "c@example.org")


@pytest.fixture
def ways(relay, tmp_path):
    """For each channel: where to, what the other side got (Message-IDs), and how it is made to go away."""
    with WebServer() as web:
        yield Ways(relay, web, tmp_path)


class Ways:
    def __init__(self, relay, web, folder: Path) -> None:
        self.relay, self.web, self.folder = relay, web, folder
        self.program = folder / "sendmail"
        self.program.write_text(f"#!/bin/sh\nexec cat > {folder}/got-$$.eml\n")
        self.program.chmod(0o755)
        self.secret, self.urls = folder / "secret", folder / "urls"
        self.secret.write_text("0123456789abcdef0123456789abcdef\n")
        self.urls.write_text(f"json://127.0.0.1:{web.port}/chat\n")
        for path in (self.secret, self.urls):
            path.chmod(0o400)
        self.out = folder / "out"

    def config(self, name: str) -> Mail:
        return mail_through(
            self.relay, channel=name, folder=self.out, timeout_s=2.0, sendmail=self.program, webhook_url=f"http://127.0.0.1:{self.web.port}/hook",
            webhook_secret_file=self.secret, webhook_schemes=("http",), webhook_internal=("127.0.0.0/8",), apprise_urls_file=self.urls,
            apprise_schemes=("json",),
        )  # fmt: skip

    def go_away(self) -> None:
        self.relay.stop()
        self.web.stop()
        self.program.unlink()
        self.out.write_text("in the way")

    def got(self) -> list[bytes]:
        files = [p.read_bytes() for p in (*self.folder.glob("got-*.eml"), *(self.out.iterdir() if self.out.is_dir() else ()))]
        return [*files, *(raw for _, _, raw in self.relay.messages), *(r.body for r in self.web.requests)]


def send(mail: Mail, times: int = 1) -> list[list[Outcome]]:
    async def run() -> list[list[Outcome]]:
        channel = open_channel(mail)
        envelope, message = build(notification("k1", *TO), mail, 1)
        found = [await channel.send(message, envelope.sender, envelope.recipients) for _ in range(times)]
        await channel.close()
        return found

    return asyncio.run(run())


@pytest.mark.parametrize("name", CHANNELS)
def test_every_recipient_gets_one_answer_in_order(name, ways):
    outcomes = send(ways.config(name))[0]
    assert [o.recipient for o in outcomes] == list(TO)
    assert {o.kind.value for o in outcomes} == {"sent"}
    assert all(o.reason for o in outcomes)


@pytest.mark.parametrize("name", CHANNELS)
def test_a_blocked_way_is_a_retry_without_code_and_no_exception(name, ways):
    """The relay is away, the folder cannot be made, the program is gone: the outbox must be able to tell this from a judgement."""
    mail = ways.config(name)
    ways.go_away()
    started = time.monotonic()
    outcomes = send(mail)[0]
    assert time.monotonic() - started < 5
    assert [(o.recipient, o.kind.value, o.code) for o in outcomes] == [(r, "retry", None) for r in TO]


@pytest.mark.parametrize("name", CHANNELS)
def test_the_same_message_twice_can_be_told_to_be_one(name, ways):
    """It carries the same Message-ID where the way has one, and the same words everywhere."""
    send(ways.config(name), times=2)
    got = ways.got()
    assert got
    ids = {b"k1@hpc.example.org" in body for body in got}
    assert ids == ({False} if name == "apprise" else {True})
    assert all(b"subject of k1" in body for body in got)


@pytest.mark.parametrize("name", CHANNELS)
def test_a_channel_says_what_it_is(name):
    assert CHANNELS[name].help


def test_the_file_channel_writes_what_goes_over_the_wire(ways):
    send(ways.config("file"), times=2)
    (path,) = ways.out.iterdir()
    assert path.name == "k1.eml"
    assert b"\r\nMessage-ID: <k1@hpc.example.org>\r\n" in path.read_bytes()
