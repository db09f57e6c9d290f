"""A number that stands still beside one that comes down, or a score that rises, is a part of it and no sign."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run


def _mode(line: str) -> str:
    rows = [line.format(i=i, d=3.0 * 0.93**i + 0.4, a=0.31 + 0.004 * i, s=2.48 + ((i * 37) % 11) / 900) for i in range(1, 61)]
    run = Run(command=("python", "train.py")).rank(0, "n1", "\n".join(rows) + "\n", code=0, end=130, times=[2.0 * i for i in range(60)])
    return run.accounting("COMPLETED", code=0, end=131).verdict().mode


@pytest.mark.parametrize(
    "line",
    [
        "step={i}500 total={d:.5f} l2=2.48000 phys=0.00000 t/step=58ms",
        "it {i}500 pre_loss 1.7{i:02d} pre_acc 0.20{i:02d} | post_loss {d:.3f} post_acc {a:.3f}",
    ],
)
def test_a_part_that_stands_is_no_plateau(line: str):
    assert _mode(line) == "G1"


def test_a_loss_that_stands_alone_is_one():
    assert _mode("step {i} loss {s:.4f} lr 0.1") == "E1"
