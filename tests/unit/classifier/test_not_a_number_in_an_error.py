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


@pytest.mark.parametrize("warned", [0, 20])
def test_its_last_word_is_of_a_number_that_its_table_told_of(warned):
    """However the table counts, and however much a library warned in between."""
    rows = "".join(f"09:00:{i:02d} {1 + i // 3:4d}/40 {36 * (1 + i % 3):5d} {1.1 / (i + 1):13.5f}           -  0.{110 + i}\n" for i in range(15))
    noise = "/home/alice/gustos.py:67: RuntimeWarning: overflow encountered in square\n" * warned
    text = f"09:00:00 vuelta lote ecm-entren. ecm-prueba |grad|\n{rows}{noise}09:00:16 ecm = nan en la vuelta 6, lote 8: se detiene el entrenamiento\n"
    run = Run(command=("python", "gustos.py")).rank(0, "n1", text, code=1, end=9, times=[0.2 * i for i in range(text.count("\n"))], stream="out")
    found = judge(run.accounting("FAILED", code=1, end=10).record())
    assert (found.mode, found.variant) == ("E1", "non_finite")


def test_an_arithmetic_error_behind_a_loss_that_is_none():
    """Whatever it says of it; behind a loss that is a number it is another's."""
    text = STEPS + "[  200/400] mse=nan lr=2.0e-03\n"
    end = 'Traceback (most recent call last):\n  File "/home/alice/rings.py", line 71, in <module>\n    raise stop\nFloatingPointError: off the rails\n'
    modes = []
    for lines in (text, STEPS):
        run = Run(command=("python", "rings.py")).rank(0, "n1", lines + end, code=1, end=9, times=[0.5 * i for i in range(1, 15)])
        modes.append(judge(run.accounting("FAILED", code=1, end=10).record()).mode)
    assert modes == ["E1", "A3"]
