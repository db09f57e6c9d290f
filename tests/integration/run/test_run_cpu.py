"""The CPU of a command and of all below it: whether a silent one worked or slept."""

from __future__ import annotations

import signal
import sys
import time

import pytest

from gpualert_slurm.classifier import judge
from gpualert_slurm.programs.bundle import job_of

STEPS = """
import time
for step in range(12):
    sum(range(400_000)); time.sleep(0.2)
    print(f"step {step + 1}/2000 loss {2 / (step + 1):.3f}", flush=True)
"""
SLEEPS, WORKS = "time.sleep(600)", "while True: sum(range(100_000))"
SECONDS = 18


def used_ms(looks: list[list[int]], since_s: float) -> tuple[float, int]:
    """(seconds, CPU in ms) between the first look so many seconds before the last one and that."""
    last_ns, last_ms = looks[-1]
    first_ns, first_ms = next((at, ms) for at, ms in looks if at >= last_ns - since_s * 1e9)
    return (last_ns - first_ns) / 1e9, last_ms - first_ms


@pytest.mark.parametrize(("then", "shell", "mode"), [(SLEEPS, True, "C3"), (WORKS, False, "F3")])
def test_a_silent_command_that_slept_hung_and_one_that_worked_did_not(gpualert_run, then: str, shell: bool, mode: str) -> None:
    """Twelve steps, then silence up to the limit; below a shell its CPU counts as well."""
    program = [sys.executable, "-c", STEPS + then]
    words = ["bash", "-c", '"$@"; true', "bash", *program] if shell else program
    assert gpualert_run(f"--timeout={SECONDS}", "--no-notify", "--", *words, timeout=60).returncode == 124
    cpu = gpualert_run.read("end.json")["cpu"]
    took_s, busy_ms = used_ms(cpu["looks"], 10)
    assert took_s > 3
    assert (busy_ms < 100) if mode == "C3" else (busy_ms > 500)
    assert cpu["processes"] == 1 + shell
    verdict = judge(job_of(gpualert_run.bundle))
    assert verdict.mode == mode, verdict.headline


def test_the_last_look_is_of_the_moment_before_a_signal(gpualert_run) -> None:
    """Ctrl-C 5 s after the start: a look at 2 s, and one at the signal; between them one more, unless a look is dear here (15 ms)."""
    process = gpualert_run.start("--no-notify", "--", "sleep", "600")
    time.sleep(5)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == -signal.SIGTERM
    end = gpualert_run.read("end.json")
    looks, told_ns = end["cpu"]["looks"], end["signals"][0]["at_ns"]
    assert (told_ns - looks[-1][0]) / 1e9 < 0.8  # none at the signal itself where one was taken 0.5 s before it
    assert len(looks) in (2, 3)


def test_a_command_of_a_moment_is_not_looked_at(gpualert_run) -> None:
    assert gpualert_run("--no-notify", "--", "true").returncode == 0
    assert "cpu" not in gpualert_run.read("end.json")
