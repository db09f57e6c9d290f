"""gpualert outbox, render and test-mail, as an administrator calls them."""

from __future__ import annotations

import email
import subprocess
import sys
from email import policy
from pathlib import Path

import pytest

from gpualert_slurm.notify.channel import open_channel
from gpualert_slurm.notify.outbox import Outbox, State
from gpualert_slurm.programs.cli import main
from tests.integration.notify.conftest import mail_through, notification
from tests.integration.notify.relay import Behaviour
from tests.unit.notify import cases


@pytest.fixture
def verdict_file(tmp_path) -> Path:
    path = tmp_path / "verdict.json"
    path.write_bytes(cases.verdict().json_bytes())
    return path


def config_file(tmp_path: Path, relay, allowed: str = "example.org") -> str:
    path = tmp_path / "gpualert.toml"
    path.write_text(
        f'[mail]\nhost = "127.0.0.1"\nport = {relay.port}\nsender = "gpualert@hpc.example.org"\nallowed_domains = ["{allowed}"]\ntimeout_s = 5\n'
        f'[daemon]\nstate_dir = "{tmp_path}"\n'
    )
    return str(path)


def test_render_shows_the_mail_in_three_forms(verdict_file, tmp_path, capsysbinary):
    job = tmp_path / "job.json"
    job.write_bytes(cases.job().json_bytes())
    assert main(["render", str(verdict_file), "--job", str(job)]) == 0
    assert "What to do next" in capsysbinary.readouterr().out.decode()
    assert main(["render", str(verdict_file), "--html"]) == 0
    assert capsysbinary.readouterr().out.startswith(b"<!DOCTYPE html>")
    assert main(["render", str(verdict_file), "--eml", "--to", "boss@example.org"]) == 0
    message = email.message_from_bytes(capsysbinary.readouterr().out, policy=policy.default)
    assert message["To"] == "boss@example.org"
    assert message.get_body(("html",)) is not None  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("content", "said"), [(b"{}", "attempt: Field required"), (b"not json", "Invalid JSON"), (b'{"attempt": 3}', "attempt")], ids=["empty", "no JSON", "wrong"]
)
def test_render_says_what_is_wrong_with_a_verdict(tmp_path, capsys, content, said):
    path = tmp_path / "v.json"
    path.write_bytes(content)
    assert main(["render", str(path)]) == 1
    assert said in capsys.readouterr().err


def test_render_of_a_missing_file_is_no_traceback(tmp_path, capsys):
    assert main(["render", str(tmp_path / "nothere.json")]) == 1
    assert "nothere.json" in capsys.readouterr().err


def test_test_mail_prints_the_relays_answer(relay, tmp_path, capsys):
    assert main(["test-mail", "alice@example.org", "--config", config_file(tmp_path, relay)]) == 0
    out = capsys.readouterr().out
    assert "alice@example.org: sent" in out
    assert "250 taken" in out
    assert relay.messages[0][0] in out


def test_test_mail_says_why_it_did_not_go(relay, tmp_path, capsys):
    assert main(["test-mail", "alice@elsewhere.net", "--config", config_file(tmp_path, relay)]) == 1
    assert "not in mail.allowed_domains" in capsys.readouterr().out
    relay.behaviour = Behaviour(rcpt={"*": "550 5.1.1 no such user"})
    assert main(["test-mail", "alice@example.org", "--config", config_file(tmp_path, relay)]) == 1
    assert "550 5.1.1 no such user" in capsys.readouterr().out
    assert relay.messages == []


def test_outbox_lists_shows_retries_and_drops(relay, tmp_path, capsysbinary):
    """A refused message goes out when a human asks again; one that is dropped is gone."""
    config = config_file(tmp_path, relay)
    mail = mail_through(relay)
    box = Outbox(tmp_path / "outbox")
    relay.behaviour = Behaviour(rcpt={"*": "550 5.1.1 no \x1b[31msuch user"})
    for key in ("k1", "k2"):
        box.enqueue(notification(key), mail)
    run_round(box, mail)
    assert main(["outbox", "--config", config, "list"]) == 0
    listing = capsysbinary.readouterr().out.decode()
    assert listing.count("refused") == 2
    assert "5.1.1 no such user" in listing, "an answer's escape sequences do not reach the terminal"
    assert main(["outbox", "--config", config, "show", "k1"]) == 0
    shown = capsysbinary.readouterr().out.decode()
    assert "<k1@hpc.example.org>" in shown
    assert "größe" in shown
    assert main(["outbox", "--config", config, "show", "k1", "--eml"]) == 0
    assert capsysbinary.readouterr().out.startswith(b"From: gpualert")
    relay.behaviour = Behaviour()
    assert main(["outbox", "--config", config, "retry", "k1"]) == 0
    assert main(["outbox", "--config", config, "drop", "k2"]) == 0
    run_round(box, mail)
    assert (box.state_of("k1"), box.state_of("k2")) == (State.SENT, None)
    assert set(relay.ids) == {"<k1@hpc.example.org>"}


def run_round(box: Outbox, mail) -> None:
    import asyncio

    asyncio.run(box.deliver_due(open_channel(mail)))


@pytest.mark.parametrize("arguments", [["show", "nothere"], ["retry", "nothere"], ["drop", "nothere"]])
def test_outbox_names_a_key_that_is_not_there(relay, tmp_path, capsys, arguments):
    Outbox(tmp_path / "outbox")
    assert main(["outbox", "--config", config_file(tmp_path, relay), *arguments]) == 1
    assert "'nothere'" in capsys.readouterr().err


def test_outbox_without_a_daemon_says_so(relay, tmp_path, capsys):
    assert main(["outbox", "--config", config_file(tmp_path, relay), "list"]) == 1
    assert "no outbox there" in capsys.readouterr().err
    assert not (tmp_path / "outbox").exists()


def test_render_needs_nothing_but_the_file(verdict_file):
    """On a laptop, without a configuration: the mail's own verdict.json is enough."""
    done = subprocess.run([sys.executable, "-m", "gpualert_slurm.programs.cli", "render", str(verdict_file)], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("✖ Job 4242 train-7b failed")
