"""Signals, the time limit, and what is left when gpualert-run itself is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpualert_slurm.run_file import RunEnd
from tests.integration.run.waiting import until

COUNTER = """
import os, signal, sys, time
got = []
for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH"):
    signal.signal(getattr(signal, name), lambda number, frame: got.append(signal.Signals(number).name))
print("ready", flush=True)
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    time.sleep(0.02)
print(" ".join(got), flush=True)
"""


def ready(process: subprocess.Popen[bytes]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"


def is_alive(pid: int) -> bool:
    """Runs, and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH"])
def test_a_signal_to_gpualert_run_reaches_the_command_once(gpualert_run, name: str) -> None:
    process = gpualert_run.start("--", sys.executable, "-c", COUNTER, "1")
    ready(process)
    process.send_signal(signal.Signals[name])
    assert process.stdout.read().split() == [name.encode()]
    assert process.wait() == 0
    if name != "SIGWINCH":
        sent = RunEnd.read(gpualert_run.bundle).signals if gpualert_run.read("end.json") else ()
        assert [(s.signal, s.sender_pid, s.sender_uid, s.forwarded) for s in sent] == [(signal.Signals[name], os.getpid(), os.getuid(), True)]


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGUSR1"])
def test_a_signal_to_the_whole_group_reaches_the_command_once(gpualert_run, name: str) -> None:
    """As timeout(1), a shell's `kill %1` or a batch system sends it: the command has it already."""
    process = gpualert_run.start("--", sys.executable, "-c", COUNTER, "1", start_new_session=True)
    ready(process)
    time.sleep(0.1)
    os.killpg(process.pid, signal.Signals[name])
    assert process.stdout.read().split() == [name.encode()]
    assert process.wait() == 0
    (sent,) = gpualert_run.read("end.json")["signals"]
    assert (sent["signal"], sent["forwarded"]) == (signal.Signals[name], False)


def test_a_signal_by_name_to_gpualerts_own_processes_still_reaches_the_command(gpualert_run) -> None:
    """`pkill gpualert`: every process with that name gets it, the command does not; then it must be passed on."""
    process = gpualert_run.start("--", sys.executable, "-c", COUNTER, "1", start_new_session=True)
    ready(process)
    time.sleep(0.1)
    session = [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit() and _session(p) == process.pid]
    named = [pid for pid in session if b"gpualert" in Path(f"/proc/{pid}/cmdline").read_bytes() + Path(f"/proc/{pid}/comm").read_bytes()]
    assert process.pid in named
    assert len(session) == 3  # gpualert-run, the command, the witness
    for pid in named:
        os.kill(pid, signal.SIGUSR1)
    assert process.stdout.read().split() == [b"SIGUSR1"]


def _session(process: Path) -> int:
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[3])
    except OSError:
        return 0


def test_a_signal_that_kills_the_command_kills_gpualert_run(gpualert_run) -> None:
    process = gpualert_run.start("--", "sh", "-c", "echo ready; exec sleep 60")
    ready(process)
    process.terminate()
    assert process.wait(timeout=20) == -signal.SIGTERM


def test_a_signal_that_the_caller_ignores_is_ignored_by_the_command_too(gpualert_run) -> None:
    """As nohup(1) has it."""
    script = f"trap '' HUP; exec {gpualert_run.program} -- sh -c 'echo ready; kill -HUP $$; kill -HUP $PPID; sleep 0.3; echo alive'"
    process = subprocess.Popen(["bash", "-c", script], env=gpualert_run.environment, stdout=subprocess.PIPE)
    out, _ = process.communicate(timeout=20)
    assert (out, process.returncode) == (b"ready\nalive\n", 0)


def test_a_caller_that_ignores_its_children_does_not_take_the_status_away(gpualert_run) -> None:
    script = "import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])"
    probe = "import signal, sys; sys.exit(40 + (signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN))"
    words = [sys.executable, "-c", script, str(gpualert_run.program), "--", sys.executable, "-c", probe]
    assert subprocess.run(words, env=gpualert_run.environment, check=False, timeout=20).returncode == 41


def test_the_command_sees_no_blocked_signal(gpualert_run) -> None:
    done = gpualert_run("grep", "-E", "^Sig(Blk|Ign):", "/proc/self/status")
    native = subprocess.run(["grep", "-E", "^Sig(Blk|Ign):", "/proc/self/status"], capture_output=True, check=True)
    assert done.stdout == native.stdout


def test_the_command_inherits_no_descriptor(gpualert_run) -> None:
    done = gpualert_run("sh", "-c", "ls /proc/$$/fd")
    native = subprocess.run(["sh", "-c", "ls /proc/$$/fd"], capture_output=True, check=True)
    assert done.stdout == native.stdout


def test_the_time_limit_ends_the_command_with_124(gpualert_run) -> None:
    began = time.monotonic()
    done = gpualert_run("--timeout", "0.5", "--", "sh", "-c", "trap 'echo bye; exit 0' TERM; echo on; while :; do sleep 0.05; done")
    assert (done.returncode, done.stdout) == (124, b"on\nbye\n")
    assert 0.4 < time.monotonic() - began < 4
    end = gpualert_run.read("end.json")
    assert (end["timed_out"], end["exit_code"]) == (True, 0)


def test_the_time_limit_kills_what_does_not_hear_and_all_below_it(gpualert_run, tmp_path: Path) -> None:
    """TERM is ignored by the command, its child and its grandchild in a session of its own: KILL after five seconds."""
    deaf = "import os, signal, sys, time\nsignal.signal(15, 1)\nopen(sys.argv[1], 'a').write(f'{os.getpid()} ')\n"
    grand = tmp_path / "grand.py"
    grand.write_text(deaf + "time.sleep(60)")
    top = tmp_path / "top.py"
    top.write_text(deaf + "import subprocess\nsubprocess.Popen([sys.executable, sys.argv[2], sys.argv[1]], start_new_session=True).wait()")
    began = time.monotonic()
    done = gpualert_run("--timeout=1", "--", sys.executable, str(top), str(tmp_path / "pids"), str(grand))
    assert done.returncode == 124
    assert 5 < time.monotonic() - began < 15
    pids = [int(p) for p in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 2
    until(lambda: not any(is_alive(p) for p in pids), "both are gone", 5)
    assert gpualert_run.read("end.json")["signal"] == signal.SIGKILL


def test_a_command_within_its_time_limit_ends_as_it_does(gpualert_run) -> None:
    assert gpualert_run("--timeout", "20", "--", "sh", "-c", "exit 3").returncode == 3


def test_killed_by_kill_it_leaves_no_command_behind_and_the_guardian_reports(gpualert_run, tmp_path: Path) -> None:
    process = gpualert_run.start("--", "sh", "-c", "sleep 60 & echo $! $$; wait")
    below, command = (int(p) for p in process.stdout.readline().split())
    process.kill()
    assert process.wait() == -signal.SIGKILL
    until(lambda: not is_alive(command) and not is_alive(below), "the command and what it started are gone", 5)
    end = gpualert_run.read("end.json")
    assert (end["by"], "wait_status" in end) == ("guardian", False)
    assert gpualert_run.read("run.0.exit.json")["state"] == "prepared"
    until((gpualert_run.bundle / "report.log").exists, "the diagnosis was started")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_its_whole_group_still_gets_a_report(gpualert_run, number: int) -> None:
    process = gpualert_run.start("--", "sh", "-c", "echo ready; exec sleep 60", start_new_session=True)
    ready(process)
    os.killpg(process.pid, number)
    assert process.wait(timeout=20) == -number
    assert gpualert_run.read("end.json")["by"] == ("guardian" if number == signal.SIGKILL else "gpualert-run")
    until((gpualert_run.bundle / "report.log").exists, "the diagnosis was started")


def test_killed_while_a_deaf_command_runs_the_guardian_kills_it(gpualert_run, tmp_path: Path) -> None:
    process = gpualert_run.start("--", "sh", "-c", "trap '' TERM PIPE; echo $$; while :; do sleep 0.1; done")
    command = int(process.stdout.readline())
    process.kill()
    process.wait()
    until(lambda: not is_alive(command), "KILL followed TERM", 12)
    assert gpualert_run.read("end.json")["by"] == "guardian"


def test_the_guardian_is_not_found_under_the_commands_name(gpualert_run) -> None:
    """A user's own `pkill -f train_it_all` must not take the report with it."""
    process = gpualert_run.start("--", "sh", "-c", "echo ready; exec sleep 30", "train_it_all")
    ready(process)
    time.sleep(0.2)
    below = [process.pid]
    for pid in below:  # it grows while it is walked
        below += [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    names = sorted(Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0] for pid in below[1:])
    assert names == [b"gpualert-guard", b"run-witness", b"sleep"]
    assert not any(b"train_it_all" in Path(f"/proc/{pid}/cmdline").read_bytes() for pid in below[1:])
    process.kill()
    process.wait()


def test_the_guardian_holds_nothing_of_the_callers(gpualert_run) -> None:
    """Its diagnosis runs on, and the pipes have their end all the same."""
    environment = gpualert_run.environment | {"GPUALERT_PYTHON": "/bin/sleep"}
    began = time.monotonic()
    done = gpualert_run("--", "echo", "x", env=environment)
    assert (done.stdout, time.monotonic() - began < 5) == (b"x\n", True)
