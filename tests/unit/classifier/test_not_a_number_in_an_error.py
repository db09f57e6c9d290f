"""A program that raises over a value that is no number names it as it likes: that is why it stopped."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.judge import judge
from tests.unit.classifier.records import Run

STEPS = "".join(f"[{i * 25:5d}/400] mse={0.9 - i / 20:.4f} lr=2.0e-03\n" for i in range(1, 8))


def verdict(error: str):
    text = f'{STEPS}Traceback (most recent call last):\n  File "/home/alice/rings.py", line 71, in <module>\n    raise stop\n{error}\n'
    run = Run(command=("python", "rings.py")).rank(0, "n1", text, code=1, end=9, times=[0.5 * i for i in range(1, 14)])
    return judge(run.accounting("FAILED", code=1, end=10).record())


@pytest.mark.parametrize(
    "error",
    ["ValueError: mse=nan at it 181, not going on", "RuntimeError: train_loss is nan", "ArithmeticError: perplexity = inf in round 3", "ValueError: perte = nan",
     "AssertionError: cross entropy was nan", "FloatingPointError: bits per byte: nan"],
)  # fmt: skip
def test_it_stopped_over_its_loss(error):
    assert verdict(error).mode == "E1"


@pytest.mark.parametrize("error", ["ValueError: mse=0.31 is not below 0.3", "ValueError: column cost: 3 of 4 values, name nan_count", "KeyError: 'rmse'"])
def test_it_stopped_over_something_else(error):
    assert verdict(error).mode == "A3"
