"""The webhook: signed, never to internal addresses unless the site says so, no redirect followed."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import socket
import time

import pytest

from gpualert_slurm.config import Mail
from gpualert_slurm.notification import Attachment, Outcome
from gpualert_slurm.notify.channel import ChannelError, open_channel
from gpualert_slurm.notify.message import build
from gpualert_slurm.notify.outward import RefusedError, host_of, public_addresses
from tests.integration.notify.conftest import notification
from tests.integration.notify.web_server import WebServer

SECRET = "0123456789abcdef0123456789abcdef"
TO = ("a@example.org", "b@example.org")


@pytest.fixture
def web():
    with WebServer() as running:
        yield running


@pytest.fixture
def mail(web, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text(SECRET + "\n")
    secret.chmod(0o400)
    return Mail(channel="webhook", webhook_url=f"http://127.0.0.1:{web.port}/hook?x=1", webhook_secret_file=secret, webhook_schemes=("http",),
                webhook_internal=("127.0.0.0/8",), timeout_s=2.0, sender="gpualert@hpc.example.org")


def send(mail: Mail) -> list[Outcome]:
    attached = (Attachment(filename="verdict.json", media_type="application/json", content=b'{"mode": "A1"}'),)
    note = notification("k1", *TO).model_copy(update={"attachments": attached, "headers": {"X-GPUAlert-Mode": "A1"}, "thread": "c.7"})
    envelope, message = build(note, mail, 1)
    return asyncio.run(open_channel(mail).send(message, envelope.sender, envelope.recipients))


def test_what_arrives_can_be_checked_and_read(web, mail):
    outcomes = send(mail)
    assert [(o.recipient, o.kind.value, o.code) for o in outcomes] == [(t, "sent", 200) for t in TO]
    (request,) = web.requests
    assert request.path == "/hook?x=1"
    stamp = request.headers["x-gpualert-timestamp"]
    assert abs(time.time() - int(stamp)) < 60
    expected = hmac.new(SECRET.encode(), stamp.encode() + b"." + request.body, hashlib.sha256).hexdigest()
    assert request.headers["x-gpualert-signature"] == f"sha256={expected}"
    body = json.loads(request.body)
    assert (body["format"], body["message_id"], body["recipients"]) == ("gpualert-webhook/1", "<k1@hpc.example.org>", list(TO))
    assert body["headers"] == {"x-gpualert-mode": "A1"}
    assert body["verdict"] == {"mode": "A1"}
    assert SECRET.encode() not in request.body


@pytest.mark.parametrize(("status", "kind"), [(204, "sent"), (400, "refused"), (401, "refused"), (413, "refused"), (429, "retry"), (408, "retry"), (500, "retry"), (503, "retry")])
def test_answers_are_judged(web, mail, status, kind):
    web.status = status
    assert {(o.kind.value, o.code) for o in send(mail)} == {(kind, status)}


def test_a_redirect_is_not_followed(web, mail):
    """It would lead where no administrator pointed."""
    web.status, web.location = 302, f"http://127.0.0.1:{web.port}/elsewhere"
    assert {o.kind.value for o in send(mail)} == {"retry"}
    assert [r.path for r in web.requests] == ["/hook?x=1"]


def test_a_receiver_that_hangs_is_given_up(web, mail):
    web.delay_s = 5
    began = time.monotonic()
    assert {o.kind.value for o in send(mail)} == {"retry"}
    assert time.monotonic() - began < 4


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254", "10.0.0.1", "0.0.0.0", "192.168.1.1", "100.64.0.1",
                                  "2130706433", "0x7f.1", "[fe80::1]", "[fd00::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "224.0.0.1"])  # fmt: skip
def test_internal_addresses_are_refused_by_default_however_they_are_written(web, mail, host):
    where = mail.model_copy(update={"webhook_url": f"http://{host}:{web.port}/", "webhook_internal": ()})
    outcomes = send(where)
    assert {o.kind.value for o in outcomes} == {"retry"}
    assert "internal" in outcomes[0].reason or "resolve" in outcomes[0].reason
    assert web.requests == []


def test_a_name_that_resolves_to_an_internal_address_is_refused_and_one_that_changes_gains_nothing(web, mail, monkeypatch):
    """DNS rebinding: what was checked is what is connected to; the name is not asked again."""
    asked: list[str] = []
    real = socket.getaddrinfo

    def answers(host, port, *args, **kwargs):
        asked.append(host)
        if host == "rebinds.example.com":
            return real("93.184.215.14" if len(asked) == 1 else "127.0.0.1", port, *args, **kwargs)
        if host == "inside.example.com":
            return real("127.0.0.1", port, *args, **kwargs)
        return real(host, port, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", answers)
    with pytest.raises(RefusedError, match="internal address"):
        public_addresses("inside.example.com", 80, ())
    assert public_addresses("93.184.215.14", 80, ()) == ["93.184.215.14"]
    asked.clear()
    where = mail.model_copy(update={"webhook_url": f"http://rebinds.example.com:{web.port}/", "webhook_internal": (), "timeout_s": 0.5})
    assert {o.kind.value for o in send(where)} == {"retry"}
    assert asked.count("rebinds.example.com") == 1
    assert web.requests == []


@pytest.mark.parametrize(("changes", "why"), [
    ({"webhook_schemes": ("https",)}, "scheme 'http' is not allowed"),
    ({"webhook_url": "file:///etc/shadow"}, "scheme 'file' is not allowed"),
    ({"webhook_url": "http://user:pw@x.org/"}, "leave it out"),
    ({"webhook_url": "http:///x"}, "no host"),
    ({"webhook_url": None}, "webhook_url"),
    ({"webhook_secret_file": None}, "signs what it sends"),
])  # fmt: skip
def test_a_configuration_that_cannot_work_says_what_to_do(mail, changes, why):
    with pytest.raises(ChannelError, match=why):
        open_channel(mail.model_copy(update=changes))


def test_a_secret_that_others_can_read_is_no_secret(mail):
    mail.webhook_secret_file.chmod(0o444)
    with pytest.raises(ChannelError, match=r"webhook_secret_file.*others could read"):
        open_channel(mail)


def test_the_secret_shows_in_no_repr(mail):
    assert SECRET not in repr(open_channel(mail).options)


def test_a_host_is_read_as_urls_are():
    assert host_of("https://x.org/a", ("https",)) == ("https", "x.org", 443)
    assert host_of("https://x.org:8443/a", ("https",)) == ("https", "x.org", 8443)
