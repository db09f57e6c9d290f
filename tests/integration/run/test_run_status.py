"""The command's own end is gpualert-run's end."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest


@pytest.mark.parametrize("code", [0, 1, 3, 42, 124, 255])
def test_the_exit_code_is_the_commands_own(gpualert_run, code: int) -> None:
    assert gpualert_run("--", "sh", "-c", f"exit {code}").returncode == code
    end = gpualert_run.read("end.json")
    assert (end["by"], end["exit_code"], end["wait_status"], end["timed_out"]) == ("gpualert-run", code, code << 8, False)
    record = gpualert_run.read("run.0.exit.json")
    assert (record["state"], record["exit_code"], record["step"], record["capture"]) == ("closed", code, "run", "on")


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGKILL", "SIGTERM", "SIGABRT", "SIGINT", "SIGUSR1", "SIGPIPE", "SIGALRM"])
def test_it_ends_by_the_commands_own_signal(gpualert_run, name: str) -> None:
    """A parent sees the signal, as it would of the command itself."""
    number = signal.Signals[name]
    assert gpualert_run("--", "sh", "-c", f"kill -{name[3:]} $$").returncode == -number
    assert gpualert_run.read("end.json")["signal"] == number
    assert gpualert_run.read("run.0.exit.json")["signal"] == number


def test_a_shell_says_128_and_the_signal(gpualert_run) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{gpualert_run.program} -- sh -c 'kill -SEGV $$'; echo $?"], env=gpualert_run.environment, capture_output=True, check=False
    )
    assert done.stdout == b"139\n"


def test_a_command_that_is_not_there_is_127_with_a_log(gpualert_run) -> None:
    done = gpualert_run("--", "no-such-command-at-all")
    assert done.returncode == 127
    assert b"no-such-command-at-all: command not found" in done.stderr
    assert b"command not found" in gpualert_run.log("err")
    assert gpualert_run.read("end.json")["exec_error"] == "ENOENT"


def test_a_command_that_cannot_be_executed_is_126_with_a_log(gpualert_run, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no program")
    done = gpualert_run("--", str(tmp_path / "data"))
    assert done.returncode == 126
    assert b"Permission denied" in gpualert_run.log("err")
    assert gpualert_run.read("end.json")["exec_error"] == "EACCES"


def test_a_script_without_interpreter_line_runs_as_from_a_shell(gpualert_run, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("exit 7\n")
    script.chmod(0o755)
    assert gpualert_run("--", str(script)).returncode == 7


def test_nested_in_itself_the_status_passes_through(gpualert_run) -> None:
    assert gpualert_run("--", str(gpualert_run.program), "--", "sh", "-c", "echo in; exit 9").returncode == 9
    assert len(list((gpualert_run.state / "gpualert").iterdir())) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--mail=nonsense", "--", "true"], "is no mail address"),
        (["--mail=a@b.example,", "--mail=", "--", "true"], "is empty"),
        (["--email-to", "a b@c.example", "--", "true"], "is no mail address"),
        (["--when=sometimes", "--", "true"], "always, problem, never"),
        (["--timeout", "soon", "--", "true"], "no number of seconds"),
        (["--timeout", "-1", "--", "true"], "no number of seconds"),
        (["--timeout=nan", "--", "true"], "no number of seconds"),
        (["--no-such-option", "--", "true"], "no-such-option"),
        ([], "no command given"),
        (["--verbose"], "no command given"),
    ],
)
def test_a_wrong_call_is_125_and_runs_nothing(gpualert_run, words: list[str], said: str) -> None:
    done = gpualert_run(*words)
    assert done.returncode == 125
    assert said in done.stderr.decode()
    assert not (gpualert_run.state / "gpualert").exists()


def test_options_after_the_command_are_the_commands(gpualert_run) -> None:
    done = gpualert_run("echo", "--timeout", "--", "--help")
    assert done.stdout == b"--timeout -- --help\n"


def test_what_was_asked_for_is_written_down_before_the_command_starts(gpualert_run, tmp_path: Path) -> None:
    done = gpualert_run(
        "--mail=a@x.example,b@x.example", "--email-to", "c@x.example", "--when=problem", "--artifacts=runs/*,*.csv", "--attach", "a,b", "--attach", "c",
        "--timeout", "1.5", "--no-notify", "--dry-run", "--", "sh", "-c", f"cat {gpualert_run.state}/gpualert/*/run.json; ls {gpualert_run.state}/gpualert/*",
        cwd=tmp_path,
    )  # fmt: skip
    run = gpualert_run.read("run.json")
    assert b'"format":"gpualert-run/1"' in done.stdout
    assert b"run.0.out" in done.stdout
    assert run["wishes"] == {"addresses": ["a@x.example", "b@x.example", "c@x.example"], "when": "problem", "artifacts": ["runs/*", "*.csv"]}
    assert (run["attach"], run["timeout_ms"], run["notify"], run["dry_run"], run["work_dir"]) == (["a,b", "c"], 1500, False, True, str(tmp_path))
    assert run["bundle"] == gpualert_run.bundle.name
    assert run["command"][:2] == ["sh", "-c"]


def test_with_verbose_it_says_where_the_bundle_lies_and_without_it_says_nothing(gpualert_run) -> None:
    assert gpualert_run("--", "true").stderr == b""
    done = gpualert_run("--verbose", "--", "true")
    assert str(gpualert_run.bundle).encode() in done.stderr
