"""Lines that tell how long something was written, and those in which the time is of something else."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.timed_saves import took_s
from tests.unit.classifier.records import Run


@pytest.mark.parametrize(
    ("line", "took"),
    [
        ("D mf.store: autosave after rating 100 took 264 ms", 0.264),
        ('msg="snapshot" names=32 mb=9 took=0.39s', 0.39),
        ('{"event": "population_written", "generation": 3, "seconds": 0.253}', 0.253),
        ("Zwischenstand gesichert in 0,7 Sekunden", 0.7),
        ("état enregistré (1.2 s)", 1.2),
        ("flushed 12 MiB to /scratch in 3.1s", 3.1),
        ("[store] wrote step-00012.pt, 90 MB, 2.25 seconds", 2.25),
        ("kept best.npz dt=0.31", 0.31),
        ("    looms.bin <- step 1 in 0.65 s", 0.65),
        ("# shadow.bin after round 1: 0.39 s", 0.39),
        ("     packed coins.full, batch 0, 0.45 s", 0.45),
        ("  >> runs/proverbs/bundle.zip of step 51 took 0.14 s", 0.14),
        ("   teacher.all.bz2 rewritten, 0.10 s", 0.1),
        ("tracker: artifact spiral.gz:v2 added (0.16s)", 0.16),
        ("  episode 110: brain and 2229 memories to disk in 1.54 s", 1.54),
        ("* whole field of sweep 14 stored too, 1.09 s of 11.48 s so far", 1.09),
        ("~ part.bin rewritten at letter 240 (0.20s)", 0.2),
        ("│       ╰ full_a.npy, full_b.npy (1.366 s)", 1.366),
        ('{"what": "state_out", "t": 0.813, "n": 1, "files": 5, "ms": 545}', 0.545),
    ],
)
def test_how_long_it_was_written(line: str, took: float):
    assert took_s(line) == pytest.approx(took)


@pytest.mark.parametrize(
    "line",
    [
        "loaded the checkpoint in 3.1 s",
        "epoch 3 took 12 s",
        "saved step-12.pt",
        "batch-0012.npy 0.31 s",
        "reading looms.bin: 0.65 s",
        "saves every 30 s",
        "async save queued in 0.1 s",
        "blob store did not answer within 2 s",
        "evaluated and saved in 3.4 s, loss 0.3",
        "tokenized shard 3 written in 2.0 s",
        "save skipped, 12 s left",
        "failed to write after 3 s, retrying",
        "predictions written in 3 s",
        "wrote features-3.csv in 2.2 s",
    ],
)
def test_times_of_something_else(line: str):
    assert took_s(line) is None


def _mode(each: float, line: str, *, rounds: int = 12, wait: float = 1.0) -> str:
    lines = []
    for i in range(1, rounds + 1):
        lines += [line.format(n=i, s=each + 0.01 * (i % 3)), f"round {i} loss {4 * 0.9**i:.4f}"]
    text = "\n".join(lines) + "\n"
    run = Run(command=("python", "lm.py")).rank(0, "n1", text, code=0, end=90, times=[1 + i * wait / 2 for i in range(len(lines))])
    return run.accounting("COMPLETED", code=0, end=91).verdict().mode


LINES = ("snapshot {n} took {s:.2f} s", 'event=population_written n={n} seconds={s:.2f}', "sichere Stand {n}: gesichert in {s:.2f} Sekunden")


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize(("each", "mode"), [(3.0, "D2"), (0.2, "G1")])
def test_a_fifth_of_the_time_is_a_storm(line: str, each: float, mode: str):
    """Of 91 s: twelve times three are, twelve times a fifth of a second are not."""
    assert _mode(each, line, wait=7.0) == mode


def test_of_a_job_that_writes_its_writing_is_no_delay():
    lines = [f"tile {i} of 12 written in {3 + 0.01 * (i % 3):.2f} s" for i in range(1, 13)]
    run = Run(command=("python", "render.py")).rank(0, "n1", "\n".join(lines) + "\n", code=0, end=90, times=[7.0 * i for i in range(1, 13)])
    assert run.accounting("COMPLETED", code=0, end=91).verdict().mode == "G1"


def test_what_a_pass_took_is_no_save():
    """``round 3 done and saved in 7 s``: nearly all of the run's time, which is training's."""
    assert _mode(7.0, "round {n} done and saved in {s:.2f} s", wait=7.0) == "G1"


def test_saves_that_all_take_about_as_long_are_a_storm_too():
    """All told alike, it may be a setting."""
    assert _mode(3.0, "saved in {s:.2f} s (94.1 GB)", wait=7.0) == "D2"
    assert _mode(3.0, "saved in {s:.1f} s (94.1 GB)", wait=7.0) == "G1"
