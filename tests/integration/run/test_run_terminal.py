"""A user at a terminal: progress bars draw, keys work, a shell's job control works."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Sequence

import pytest

PROBE = """
import os, signal, sys, time
print(*(os.isatty(fd) for fd in (0, 1, 2)), *os.get_terminal_size(1), flush=True)
sys.stderr.write("\\r 50%|#####     |")
sys.stderr.flush()
"""


class Terminal:
    """The program as the leader of a terminal's foreground group, and what the screen gets."""

    def __init__(self, runner, program: str, words: Sequence[str]) -> None:
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 77, 0, 0))
            os.execve(program, words, runner.environment)
        self.screen = b""

    def until(self, text: bytes, within_s: float = 15) -> None:
        end = time.monotonic() + within_s
        while text not in self.screen:
            assert time.monotonic() < end, f"{text!r} is not in {self.screen!r}"
            self.look(0.1)

    def look(self, seconds: float) -> None:
        if select.select([self.master], [], [], seconds)[0]:
            try:
                self.screen += os.read(self.master, 65536)
            except OSError:
                time.sleep(0.01)

    def wait(self, options: int = 0, within_s: float = 15) -> int:
        """The status that waitpid gives, while the screen is read."""
        end = time.monotonic() + within_s
        while time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG | options)
            if pid:
                self.look(0.05)
                return status
            self.look(0.02)
        raise AssertionError(f"it does not end; the screen has {self.screen!r}")


@pytest.fixture
def terminal(gpualert_run):
    made = []

    def start(*run: str, program: str = str(gpualert_run.program), words: Sequence[str] = ()) -> Terminal:
        made.append(Terminal(gpualert_run, program, words or (program, *run)))
        return made[-1]

    yield start
    for one in made:
        try:
            os.kill(one.pid, signal.SIGKILL)
            os.waitpid(one.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(one.master)


def test_the_command_has_a_terminal_of_the_same_size(gpualert_run, terminal) -> None:
    """Progress bars ask isatty and the number of columns; their bytes pass unchanged, in order, and lie in one log."""
    one = terminal("--", sys.executable, "-c", PROBE)
    one.until(b"50%|#####     |")
    assert os.waitstatus_to_exitcode(one.wait()) == 0
    assert one.screen == b"True True True 77 33\r\n\r 50%|#####     |"
    assert gpualert_run.log("out") == b"True True True 77 33\n\r 50%|#####     |"
    assert gpualert_run.read("run.0.exit.json")["streams"]["err"]["merged"] == "out"


def test_a_changed_size_reaches_the_command(terminal) -> None:
    script = "import os, signal, time; signal.signal(28, lambda *a: print('now', *os.get_terminal_size(1), flush=True)); print('ready', flush=True); time.sleep(20)"
    one = terminal("--", sys.executable, "-c", script)
    one.until(b"ready")
    fcntl.ioctl(one.master, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 60, 0, 0))
    one.until(b"now 60 20")


def test_ctrl_c_reaches_the_command_once(gpualert_run, terminal) -> None:
    script = "import signal, time\ngot = []\nsignal.signal(2, lambda *a: got.append(1))\nprint('ready', flush=True)\nend = time.time() + 1\n"
    script += "while time.time() < end: time.sleep(0.02)\nprint('times', len(got), flush=True)"
    one = terminal("--", sys.executable, "-c", script)
    one.until(b"ready")
    os.write(one.master, b"\x03")
    one.until(b"times 1\r\n")
    assert os.waitstatus_to_exitcode(one.wait()) == 0
    (sent,) = gpualert_run.read("end.json")["signals"]
    assert (sent["signal"], sent["forwarded"], "sender_pid" in sent) == (signal.SIGINT, False, False)


def test_ctrl_c_ends_both_by_sigint(terminal) -> None:
    one = terminal("--", "sh", "-c", "echo ready; exec sleep 30")
    one.until(b"ready")
    os.write(one.master, b"\x03")
    assert os.waitstatus_to_exitcode(one.wait()) == -signal.SIGINT


def test_a_shells_job_control_works(gpualert_run, terminal) -> None:
    """Ctrl-Z stops command and gpualert-run, the shell has its prompt, fg goes on."""
    one = terminal(program="/bin/bash", words=("bash", "--norc", "--noediting", "-i"))
    os.write(one.master, f"PS1=pro''mpt:; {gpualert_run.program} -- sh -c 'echo be''gun; sleep 0.7; echo fin''ished'\n".encode())
    one.until(b"begun")
    os.write(one.master, b"\x1a")
    one.until(b"Stopped")
    one.until(b"prompt:")
    time.sleep(1.5)
    one.look(0.1)
    assert b"finished" not in one.screen
    os.write(one.master, b"fg\n")
    one.until(b"finished")
    os.write(one.master, b"exit 7\n")
    assert os.waitstatus_to_exitcode(one.wait()) == 7


def test_input_from_the_keyboard_is_the_commands(terminal) -> None:
    one = terminal("--", "sh", "-c", "read line; echo got $line")
    os.write(one.master, b"hello\n")
    one.until(b"got hello")
    assert os.waitstatus_to_exitcode(one.wait()) == 0


def test_a_terminal_that_is_gone_still_gets_a_report(gpualert_run, terminal) -> None:
    """The window is closed: HUP for the command, and the diagnosis runs."""
    one = terminal("--", "sh", "-c", "echo ready; exec sleep 30")
    one.until(b"ready")
    os.close(one.master)
    end = time.monotonic() + 15
    while time.monotonic() < end and os.waitpid(one.pid, os.WNOHANG)[0] == 0:
        time.sleep(0.02)
    one.master = os.open(os.devnull, os.O_RDONLY)
    assert gpualert_run.read("end.json")["signal"] == signal.SIGHUP
