"""From the command's end to the mail on the wire: real program, real diagnosis, real SMTP server."""

from __future__ import annotations

import email
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage
from pathlib import Path

import pytest
from aiosmtpd.controller import Controller

from tests.integration.run.waiting import until

TOP = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def program(built) -> Path:
    """One build: what happens after the command is the same for both."""
    return built("build")


class Relay:
    """Keeps what it is given; ``delay_s`` before it answers to DATA."""

    def __init__(self) -> None:
        self.mails: list[tuple[list[str], EmailMessage]] = []
        self.delay_s = 0.0

    async def handle_DATA(self, server, session, envelope) -> str:  # noqa: N802 - aiosmtpd calls it so
        import asyncio

        await asyncio.sleep(self.delay_s)
        self.mails.append((list(envelope.rcpt_tos), email.message_from_bytes(envelope.content, policy=policy.default)))
        return "250 taken"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def relay(port: int) -> Iterator[Relay]:
    kept = Relay()
    controller = Controller(kept, hostname="127.0.0.1", port=port, data_size_limit=50_000_000)
    controller.start()
    yield kept
    controller.stop()


@pytest.fixture
def run(gpualert_run, tmp_path: Path, port: int):
    """The runner with the real diagnosis and a relay of the user's own."""
    (tmp_path / "config" / "gpualert").mkdir(parents=True)
    (tmp_path / "config" / "gpualert" / "gpualert.toml").write_text(f'[mail]\nhost = "127.0.0.1"\nport = {port}\nsender = "me@lab.example"\ntimeout_s = 5\n')
    gpualert_run.environment |= {"GPUALERT_PYTHON": sys.executable, "XDG_CONFIG_HOME": str(tmp_path / "config")}
    return gpualert_run


def attached(message: EmailMessage, name: str) -> bytes:
    (part,) = [p for p in message.iter_attachments() if p.get_filename() == name]
    content = part.get_content()
    return content if isinstance(content, bytes) else content.encode()


def report(run) -> str:
    path = run.bundle / "report.log"
    return path.read_text() if path.exists() else ""


def test_a_failed_import_is_mailed_with_its_verdict(run, relay: Relay) -> None:
    done = run("--mail=a@lab.example", "--email-to", "b@lab.example", "--", sys.executable, "-c", "import nosuchmodule")
    assert done.returncode == 1
    until(lambda: relay.mails, "the mail arrives", 40)
    to, message = relay.mails[0]
    assert to == ["a@lab.example", "b@lab.example"]
    assert "nosuchmodule" in message["Subject"]
    assert json.loads(attached(message, "verdict.json"))["cause"] == "missing_module"
    verdict = run.read("verdict.json")
    assert (verdict["mode"], verdict["cause"], verdict["exit_code"]) == ("A1", "missing_module", 1)
    told = subprocess.run(
        [sys.executable, "-m", "gpualert_slurm.programs.cli", "diagnose", "--json", run.bundle], capture_output=True, check=True, env=run.environment
    )
    assert json.loads(told.stdout)["cause"] == "missing_module"
    until(lambda: "was taken by the relay" in report(run), "the report says so")
    assert len(relay.mails) == 1


def test_the_caller_waits_for_nothing_of_it(run, relay: Relay) -> None:
    relay.delay_s = 3
    began = time.monotonic()
    run("--mail=a@lab.example", "--", "false")
    assert time.monotonic() - began < 1.5
    until(lambda: relay.mails, "the mail arrives", 40)


def test_a_healthy_run_is_mailed_always_but_not_on_problems_only(run, relay: Relay) -> None:
    loop = "for s in range(1, 201): print(f'step {s}/200 loss {3 - s / 100:.3f}')\nprint('Training completed')"
    run("--mail=a@lab.example", "--when=problem", "--", sys.executable, "-c", loop)
    until(lambda: "no mail" in report(run), "the report says why")
    assert run.read("verdict.json")["mode"] == "G1"
    run("--mail=a@lab.example", "--", sys.executable, "-c", loop)
    until(lambda: relay.mails, "the mail arrives", 40)
    assert len(relay.mails) == 1


@pytest.mark.parametrize("option", ["--no-notify", "--when=never"])
def test_who_wants_no_mail_gets_the_verdict_only(run, relay: Relay, option: str) -> None:
    run("--mail=a@lab.example", option, "--", "false")
    until(lambda: "no mail" in report(run), "the report says why")
    assert run.read("verdict.json")["exit_code"] == 1
    assert not relay.mails


def test_a_dry_run_leaves_the_mail_in_the_bundle(run, relay: Relay) -> None:
    run("--mail=a@lab.example", "--dry-run", "--", sys.executable, "-c", "1/0")
    until((run.bundle / "mail.eml").exists, "the message is written")
    message = email.message_from_bytes((run.bundle / "mail.eml").read_bytes(), policy=policy.default)
    assert message["To"] == "a@lab.example"
    assert "ZeroDivisionError" in message["Subject"]
    assert not relay.mails


def test_attached_files_travel(run, relay: Relay, tmp_path: Path) -> None:
    (tmp_path / "conf[1].txt").write_text("learning rate 1\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.csv").write_text("1,2\n")
    run("--mail=a@lab.example", "--attach", "conf[1].txt", "--artifacts", "runs/*.csv", "--", "false", cwd=tmp_path)
    until(lambda: relay.mails, "the mail arrives", 40)
    names = [p.get_filename() for p in relay.mails[0][1].iter_attachments()]
    assert any("conf" in n for n in names)
    assert any("a.csv" in n for n in names)


def test_a_relay_that_is_away_gets_the_mail_later(run, port: int) -> None:
    run("--mail=a@lab.example", "--", "false")
    waiting = run.state / "gpualert" / "outbox" / "deferred"
    until(lambda: waiting.exists() and list(waiting.iterdir()), "the mail waits in the outbox")
    kept = Relay()
    controller = Controller(kept, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        until(lambda: kept.mails, "it goes out when the relay is back", 60)
    finally:
        controller.stop()


def test_the_mail_goes_out_when_gpualert_run_was_killed(run, relay: Relay) -> None:
    process = run.start("--mail=a@lab.example", "--", "sh", "-c", "echo before; echo ready; exec sleep 60", start_new_session=True)
    assert process.stdout.readline() == b"before\n"
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    until(lambda: relay.mails, "the mail arrives", 40)
    assert any("gpualert-run was killed" in g["why"] for g in run.read("verdict.json")["gaps"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may make a process namespace here")
def test_as_the_first_process_of_a_container_it_stays_until_the_mail_is_out(run, relay: Relay) -> None:
    """The kernel ends a namespace with its first process: the guardian would go with it."""
    words = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", str(run.program), "--mail=a@lab.example", "--", "sh", "-c", "exit 3"]
    assert subprocess.run(words, env=run.environment, check=False, timeout=60).returncode == 3
    assert len(relay.mails) == 1
    assert run.read("verdict.json", 1)["exit_code"] == 3


def test_without_its_python_side_the_bundle_stays_and_says_so(run, tmp_path: Path) -> None:
    alone = tmp_path / "alone" / "gpualert-run"
    alone.parent.mkdir()
    shutil.copy(run.program, alone)
    run.program, kept = alone, run.program
    environment = {k: v for k, v in run.environment.items() if k != "GPUALERT_PYTHON"}
    if Path("/usr/bin/gpualert").exists():
        pytest.skip("there is an installed gpualert, which it would find")
    assert run("--", "sh", "-c", "exit 4", env=environment).returncode == 4
    until(lambda: "cannot start the diagnosis" in report(run), "report.log says so")
    assert report(run).count("\n") == 1
    run.program = kept
    told = subprocess.run(
        [sys.executable, "-m", "gpualert_slurm.programs.cli", "diagnose", "--json", run.bundle], capture_output=True, check=True, env=run.environment
    )
    assert json.loads(told.stdout)["exit_code"] == 4


def test_it_finds_gpualert_beside_itself(run, tmp_path: Path) -> None:
    """As installed: bin/gpualert-run and bin/gpualert."""
    beside = tmp_path / "bin"
    beside.mkdir()
    shutil.copy(run.program, beside / "gpualert-run")
    (beside / "gpualert").write_text(f"#!{sys.executable}\nfrom gpualert_slurm.programs.cli import main\nraise SystemExit(main())\n")
    (beside / "gpualert").chmod(0o755)
    run.program = beside / "gpualert-run"
    run("--", "sh", "-c", "exit 4", env={k: v for k, v in run.environment.items() if k != "GPUALERT_PYTHON"})
    assert run.read("verdict.json", 30)["exit_code"] == 4


def test_the_commands_python_settings_do_not_bend_the_diagnosis(run, tmp_path: Path) -> None:
    """A module of the user's that has the name of a standard one, and a PYTHONHOME of another installation."""
    (tmp_path / "typing.py").write_text("raise SystemExit('the wrong typing')\n")
    environment = run.environment | {"PYTHONPATH": str(tmp_path), "PYTHONHOME": "/nonexistent", "PYTHONWARNINGS": "error"}
    run("--", "sh", "-c", "exit 4", env=environment)
    assert run.read("verdict.json", 30)["exit_code"] == 4


@pytest.mark.parametrize("home", ["unset", "not_a_folder", "read_only"])
def test_a_home_that_cannot_be_written_moves_the_bundle_and_says_so_once(run, tmp_path: Path, home: str) -> None:
    environment = {k: v for k, v in run.environment.items() if k not in ("XDG_STATE_HOME", "HOME")} | {"TMPDIR": str(tmp_path)}
    if home == "not_a_folder":
        environment["HOME"] = "/dev/null"
    if home == "read_only":
        environment["HOME"] = "/proc/1"
    done = run("--", "sh", "-c", "echo out; echo err >&2; exit 3", env=environment)
    (bundle,) = (tmp_path / f"gpualert-{os.getuid()}").iterdir()
    assert (done.returncode, done.stdout) == (3, b"out\n")
    assert done.stderr.splitlines()[0].endswith(f"this run's bundle is {bundle}".encode())
    assert done.stderr.splitlines()[1:] == [b"err"]
    assert bundle.parent.stat().st_mode & 0o777 == 0o700
    until((bundle / "verdict.json").exists, "it is diagnosed there")


def test_a_temporary_folder_that_others_prepared_is_not_used(run, tmp_path: Path) -> None:
    trap = tmp_path / f"gpualert-{os.getuid()}"
    trap.symlink_to("/etc")
    environment = {k: v for k, v in run.environment.items() if k not in ("XDG_STATE_HOME", "HOME")} | {"TMPDIR": str(tmp_path)}
    assert run("--", "true", env=environment).returncode == 0
    (other,) = tmp_path.glob(f"gpualert-{os.getuid()}.*")
    assert other.stat().st_mode & 0o777 == 0o700


def test_where_no_bundle_is_possible_the_command_runs_all_the_same(run) -> None:
    environment = run.environment | {"XDG_STATE_HOME": "/dev/null/x", "HOME": "/dev/null", "TMPDIR": "/dev/null"}
    done = run("--timeout", "20", "--", "sh", "-c", "echo out; exit 3", env=environment)
    assert (done.returncode, done.stdout) == (3, b"out\n")
    assert done.stderr.count(b"\n") == 1
    assert b"runs without capture" in done.stderr
    assert run("--timeout", "0.3", "--", "sleep", "9", env=environment).returncode == 124


def test_diagnoses_of_many_short_commands_take_turns(gpualert_run, tmp_path):
    """Twelve commands in a row leave twelve diagnoses that run one after the other, not twelve at once."""
    notes = tmp_path / "notes"
    diagnosis = tmp_path / "diagnosis"
    diagnosis.write_text(f"#!/bin/sh\necho begins >> {notes}\nsleep 0.1\necho ends >> {notes}\n")
    diagnosis.chmod(0o755)
    gpualert_run.environment |= {"GPUALERT_PYTHON": str(diagnosis)}
    for _ in range(12):
        assert gpualert_run("--", "true").returncode == 0
    until(lambda: notes.exists() and len(notes.read_text().split()) == 24, "twelve diagnoses", 40)
    assert notes.read_text().split() == ["begins", "ends"] * 12



@pytest.mark.parametrize(
    ("broken", "said"),
    [("import gpualert_slurm.classifier as room; name = 'judge'", "the diagnosis (the classifier failed: RuntimeError: nobody thought of it)"),
     ("import gpualert_slurm.notify.pictures as room; name = 'draw'", "the full message (it could not be composed: RuntimeError: nobody thought of it)")],
)  # fmt: skip
def test_a_mistake_of_ours_costs_the_diagnosis_or_the_pictures_and_not_the_mail(run, relay: Relay, tmp_path: Path, broken: str, said: str) -> None:
    program = tmp_path / "broken.py"
    program.write_text(f"import sys\n{broken}\ndef fails(*_, **__): raise RuntimeError('nobody thought of it')\nsetattr(room, name, fails)\n"
                       "from gpualert_slurm.programs.cli import main\nsys.exit(main(['finish', sys.argv[-1]]))\n")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} {program} "$@"\n')
    python.chmod(0o755)
    run.environment |= {"GPUALERT_PYTHON": str(python)}
    run("--mail=a@lab.example", "--", "sh", "-c", "echo step 1 loss 2.0; exit 3")
    until(lambda: relay.mails, "the mail arrives", 40)
    _, message = relay.mails[0]
    body = message.get_body(("plain",))
    assert body is not None
    assert said in " ".join(body.get_content().split())
