"""Chat services by apprise, through its JSON service on a real socket."""

from __future__ import annotations

import asyncio
import json

import pytest

from gpualert_slurm.config import Mail
from gpualert_slurm.notify.channel import ChannelError, open_channel
from gpualert_slurm.notify.channels.apprise import MOST_CHARS
from gpualert_slurm.notify.message import build
from tests.integration.notify.conftest import notification
from tests.integration.notify.web_server import WebServer

pytest.importorskip("apprise")


@pytest.fixture
def web():
    with WebServer() as running:
        yield running


def config(tmp_path, *urls: str, schemes=("json",)) -> Mail:
    path = tmp_path / "urls"
    path.write_text("# rooms\n" + "\n".join(urls) + "\n")
    path.chmod(0o600)
    return Mail(channel="apprise", apprise_urls_file=path, apprise_schemes=schemes, timeout_s=3.0, sender="gpualert@hpc.example.org")


def send(mail, text="t\n"):
    envelope, message = build(notification("k1").model_copy(update={"text": text}), mail, 1)
    return asyncio.run(open_channel(mail).send(message, envelope.sender, envelope.recipients))


def test_every_room_gets_subject_and_the_first_lines_and_no_address(web, tmp_path):
    rooms = [f"json://127.0.0.1:{web.port}/{room}" for room in ("a", "b")]
    text = "".join(f"line {i} of a long text\n" for i in range(500))
    assert [o.kind.value for o in send(config(tmp_path, *rooms), text)] == ["sent"]
    assert sorted(r.path for r in web.requests) == ["/a", "/b"]
    body = json.loads(web.requests[0].body)
    assert body["title"] == "subject of k1"
    assert len(body["message"]) <= MOST_CHARS + 40
    assert body["message"].endswith("the mail has the rest")
    assert b"a@example.org" not in web.requests[0].body


def test_one_room_that_fails_is_a_retry(web, tmp_path):
    web.status = 500
    assert [o.kind.value for o in send(config(tmp_path, f"json://127.0.0.1:{web.port}/a"))] == ["retry"]


@pytest.mark.parametrize(("urls", "schemes", "why"), [
    (["slack://T1/B1/secrettoken"], ("json",), "scheme 'slack' of URL 1 is not in mail.apprise_schemes"),
    (["json://127.0.0.1/"], (), r"mail.apprise_schemes \(none\)"),
    (["syslog://"], ("json",), "syslog"),
    ([], ("json",), "has no URL"),
])  # fmt: skip
def test_only_what_an_administrator_named_is_used_and_no_error_shows_a_secret(tmp_path, urls, schemes, why):
    with pytest.raises(ChannelError, match=why) as error:
        open_channel(config(tmp_path, *urls, schemes=schemes))
    assert "secrettoken" not in str(error.value)


def test_urls_hold_secrets_so_others_must_not_read_them(tmp_path):
    mail = config(tmp_path, "json://127.0.0.1/")
    mail.apprise_urls_file.chmod(0o644)
    with pytest.raises(ChannelError, match="0400"):
        open_channel(mail)
