"""The time before lines that tell of a write, whatever they say; and writes that cost nothing, work that takes its time, and words for something else."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.held_up import told_s, writes
from tests.unit.classifier.records import Run


def _mode(kind: str, *, work_s: float, write_s: float, rounds: int = 24) -> str:
    lines, times, now = [], [], 1.0
    for i in range(1, rounds + 1):
        now += work_s
        lines.append(f"round {i} of {rounds}: {900 - i} of 4725 wrong ({19.05 * 0.97**i:.2f} %)")
        times.append(now)
        now += write_s
        lines.append(kind.format(n=i))
        times.append(now)
    run = Run(command=("python", "fit.py")).rank(0, "n1", "\n".join(lines) + "\n", code=0, end=now + 1, times=times)
    return run.accounting("COMPLETED", code=0, end=now + 2).verdict().mode


KINDS = ("stored as postag.pickle", "      > calib/Unterau.{n:04d}.ini", "tap and filter written 10 times to h.npy", "WRITTEN {{\"file\": \"t-{n}.json\"}}", "Zwischenstand gesichert: stand-{n}.bin")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("work_s", "write_s", "mode"), [(0.2, 1.0, "D2"), (1.0, 0.01, "G1")])
def test_the_time_that_passed_before_them(kind: str, work_s: float, write_s: float, mode: str):
    assert _mode(kind, work_s=work_s, write_s=write_s) == mode


@pytest.mark.parametrize("kind", ["evaluated on 80 sentences, see ev-{n}.json", "read part-{n}.npz", "predictions of round {n} in p.npy", "batch {n} prepared in cache.bin"])
def test_a_pause_for_something_else(kind: str):
    assert not writes(kind.format(n=3))
    assert _mode(kind, work_s=0.2, write_s=1.0) == "G1"


def test_a_line_that_tells_how_long_it_took_is_believed():
    assert told_s("seconds=0.20") == pytest.approx(0.2)
    assert told_s("took 264 ms") == pytest.approx(0.264)
    assert told_s("step 12") is None
    assert _mode("snapshot {n} took 0.02 s", work_s=0.2, write_s=1.0) == "G1"
