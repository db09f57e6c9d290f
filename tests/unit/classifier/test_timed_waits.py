"""Waits for data that a run tells one by one."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.timed_waits import waited_s
from tests.unit.classifier.records import Run


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("step    16 | input pipeline blocked the step for 1.68 s of the last 8 steps", 1.68),
        ("         dont 1,61 s d\u2019attente des fichiers de mesures, 0,03 s de calcul", 1.61),
        ("epoch 3: waited 2400 ms on the shard reader", 2.4),
        ("2.5 s auf Daten gewartet", 2.5),
        ("GPU idle for 0.9 s: no batch in the queue", 0.9),
    ],
)
def test_a_wait_for_data(line: str, seconds: float) -> None:
    assert waited_s(line) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "line",
    [
        "epoch 3 | loss 0.41 | 2.24 s",
        "loaded 1200 samples in 2.2 s",
        "waited 1.6 s for the other ranks' data",
        "waiting 5 s before the next attempt to read the shard",
        "wait for data: up to 30 s",
        "first batch: waited 8.1 s for the loader",
        "average wait for data 0.2 s",
        "checkpoint written, waited 2 s for the disk",
        "waited for the lock of the cache file 3 s",
    ],
)
def test_other_waits_and_other_times(line: str) -> None:
    assert waited_s(line) is None


@pytest.mark.parametrize(("wait_s", "mode"), [(1.6, "D1"), (0.3, "G1")])
def test_what_the_waits_add_up_to_decides(wait_s: float, mode: str) -> None:
    """Of two seconds a line most went into waiting, or a small part."""
    lines = [f"epoch {i}/20 loss {3.0 / (1 + i / 4):.4f}\n  the tile reader kept it waiting {wait_s + i % 3 / 100:.2f} s\n" for i in range(1, 21)]
    times = [1 + 2.0 * (i // 2) for i in range(40)]
    run = Run(command=("python", "train.py")).rank(0, "n1", "".join(lines), code=0, end=42, times=times, local=0)
    assert run.accounting("COMPLETED", code=0, end=43).verdict().mode == mode
