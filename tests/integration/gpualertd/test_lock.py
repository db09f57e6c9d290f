"""Who may work on a state folder: one daemon; of --once runs one that works and one that waits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpualert_slurm.programs.gpualertd.lock import BusyError, held, held_in_turn

HOLDER = """
import sys, time
from pathlib import Path
from gpualert_slurm.programs.gpualertd.lock import held
with held(Path(sys.argv[1]), once=sys.argv[2] == "once"):
    print("held", flush=True)
    time.sleep(float(sys.argv[3]))
"""
WAITER = """
import sys
from pathlib import Path
from gpualert_slurm.programs.gpualertd.lock import held_in_turn
print("begun", flush=True)
with held_in_turn(Path(sys.argv[1]), 20) as ours:
    print(ours, flush=True)
"""


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", script, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().strip() in ("held", "begun")
    return process


def rest(process: subprocess.Popen[str], timeout_s: float = 10) -> str:
    """What it said after its first line, once it has ended."""
    process.wait(timeout_s)
    assert process.stdout is not None
    return process.stdout.read().strip()


def test_the_second_says_who_has_it(tmp_path: Path) -> None:
    with held(tmp_path, once=False), pytest.raises(BusyError, match=rf"gpualertd, pid {os.getpid()} on .*; only one may run"), held(tmp_path, once=False):
        pass


def test_a_killed_holder_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    holder = start(HOLDER, tmp_path, "daemon", 60)
    with pytest.raises(BusyError, match=f"pid {holder.pid}"), held(tmp_path, once=False):
        pass
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    with held(tmp_path, once=False):
        pass


def test_once_beside_a_daemon_ends_at_once(tmp_path: Path) -> None:
    holder = start(HOLDER, tmp_path, "daemon", 60)
    begun = time.monotonic()
    with pytest.raises(BusyError), held_in_turn(tmp_path, 20):
        pass
    assert time.monotonic() - begun < 1
    holder.kill()
    holder.wait()


def test_of_many_once_runs_one_works_one_waits_and_the_others_end(tmp_path: Path) -> None:
    """What arrived while the first worked is seen by the one that waits: nobody needs to come a third time."""
    holder = start(HOLDER, tmp_path, "once", 2)
    waiter = start(WAITER, tmp_path)
    time.sleep(0.5)
    others = [start(WAITER, tmp_path) for _ in range(3)]
    assert [rest(p, 5) for p in others] == ["False"] * 3
    assert holder.poll() is None
    assert rest(waiter) == "True"
    assert holder.wait(5) == 0


def test_a_new_once_may_queue_as_soon_as_the_waiting_one_works(tmp_path: Path) -> None:
    with held_in_turn(tmp_path, 1) as ours:
        assert ours
        queued = start(WAITER, tmp_path)
        time.sleep(0.5)
        assert queued.poll() is None
    assert rest(queued) == "True"
