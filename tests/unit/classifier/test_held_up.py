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


KINDS = (
    "stored as postag.pickle", "      > calib/Unterau.{n:04d}.ini", "tap and filter written 10 times to h.npy", "WRITTEN {{\"file\": \"t-{n}.json\"}}", "Zwischenstand gesichert: stand-{n}.bin",
    "[ckpt] end step={n} rc=0", "factors.npz put to /archive (round {n})", "[rank0] wrote shard 0/8 to gpfs://runs/a/step_{n} 12.4 GiB",
)


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


@pytest.mark.parametrize("kind", ["16 samples drawn to runs/a/samples/{n}/", "wrote images of round {n} to out/a/b"])
def test_what_is_made_beside_a_state_takes_its_time(kind: str):
    assert _mode(kind, work_s=0.2, write_s=1.0) == "G1"


def test_each_count_is_mirrored():
    """By a verb that nobody knows: the file is a state's."""
    lines = [line for i in range(1, 61) for line in (f"mirrored pairs.ckpt at iteration {i}", f"pretrain it {i} nce {3.0 * 0.97**i:.3f}")]
    slow = [0.5 * i + (0.05 if k else 0.0) for i in range(1, 61) for k in (0, 1)]
    quick = [0.5 * i + (0.49 if k else 0.0) for i in range(1, 61) for k in (0, 1)]
    for times, mode in ((slow, "D2"), ([t - 0.48 for t in quick], "G1")):
        run = Run(command=("python", "fit.py")).rank(0, "n1", "\n".join(lines) + "\n", code=0, end=32, times=times)
        assert run.accounting("COMPLETED", code=0, end=33).verdict().mode == mode


@pytest.mark.parametrize(("said", "mode"), [("eval acc 0.91 ({s:.1f} s), saved best.pt", "G1"), ("saved best.pt ({s:.1f} s), eval acc 0.91", "D2")])
def test_what_was_timed_before_the_save_is_another_thing(said: str, mode: str):
    lines, times, now = [], [], 1.0
    for i in range(1, 201):
        now += 0.3
        lines.append(f"step {i} loss {3 / i:.4f}")
        times.append(now)
        if i % 20 == 0:
            now += 20 + i % 7 / 10
            lines.append(said.format(s=20 + i % 7 / 10))
            times.append(now)
    run = Run(command=("python", "fit.py")).rank(0, "n1", "\n".join(lines) + "\n", code=0, end=now + 1, times=times)
    assert run.accounting("COMPLETED", code=0, end=now + 2).verdict().mode == mode


def test_a_run_that_was_stopped_and_came_again_was_not_held_up_by_its_save():
    """The time from its last save to its first line behind the load is none of a save."""
    first = [f"epoch {i:3d} loss {3 / i:.4f}" for i in range(1, 16)]
    lines = [*first[:9], "saved model.pt", *first[9:], "saved model.pt", "leaving", "saved model.pt", "attempt 2", "loaded model.pt, epoch 15"]
    lines += [f"epoch {i:3d} loss {3 / i:.4f}" for i in range(16, 31)]
    run = Run(command=("python", "fit.py")).rank(0, "n1", "\n".join(lines) + "\n", code=0, end=60, times=[1.0 + i for i in range(len(lines))])
    assert run.accounting("COMPLETED", code=0, end=61).verdict().mode == "G1"
