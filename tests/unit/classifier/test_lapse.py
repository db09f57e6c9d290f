"""Runs that count on from a state and learn all over, and those that went on: slowly, noisily, after a drop of the rate, or on other data."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

SAID = ("loaded ckpts/ep020.pth (epoch 20, val 0.2310)", "Resumed from ckpt/epoch_20.pt (epoch 20, best dev 0.2310)", "read net-20.npz (best 0,231)")


def _mode(said: list[str], losses: list[float], begin: int = 21) -> str:
    lines = [*said, *(f"epoch {begin + i} loss {v:.4f}" for i, v in enumerate(losses)), "training finished"]
    run = Run(command=("python", "train.py")).rank(0, "n1", "\n".join(lines) + "\n", code=0, end=90, times=[1 + i for i in range(len(lines))])
    return run.accounting("COMPLETED", code=0, end=91).verdict().mode


def _fall(first: float, last: float, share: float = 0.8, count: int = 24) -> list[float]:
    return [last + (first - last) * share**i for i in range(count)]


@pytest.mark.parametrize("said", SAID)
def test_the_count_was_kept_and_the_weights_were_not(said: str):
    """The state's own line says what it had come to: the run begins far above that, and comes back to it."""
    assert _mode([said], _fall(0.62, 0.21)) == "E2"


@pytest.mark.parametrize("said", SAID)
def test_it_goes_on_where_the_state_had_come_to(said: str):
    assert _mode([said], _fall(0.24, 0.19)) == "G1"


def test_nothing_is_said_of_what_it_had_come_to():
    """Nearly all of the fall, to a third and less, is in the first few lines of many."""
    assert _mode(["loaded ckpts/ep020.pth"], _fall(2.3, 0.2, 0.4)) == "E2"
    assert _mode(["loaded ckpts/ep003.pth"], _fall(2.3, 0.2, 0.4), begin=4) == "G1", "that early there is all to learn yet"


@pytest.mark.parametrize(
    "losses",
    [
        [2.1, 0.24, *_fall(0.24, 0.2)],
        [0.35] * 8 + [0.08] * 8 + [0.03] * 8,
        _fall(0.4, 0.05, 0.93),
        [0.0731, 0.0359, 0.0494, 0.0358, 0.0736, 0.0249, 0.0279, 0.0175, 0.0424, 0.0212, 0.0170, 0.0395, 0.0207, 0.0107, 0.0409, 0.0238],
        [0.30, 0.26, *_fall(0.24, 0.2)],
    ],
    ids=["one odd batch", "the rate drops", "slowly", "noise", "a bump"],
)
def test_what_went_on_falls_otherwise(losses: list[float]):
    assert _mode(["loaded ckpts/ep020.pth (epoch 20)"], losses) == "G1"


def test_new_data_are_learned_anew():
    assert _mode(["loaded ckpts/ep020.pth (epoch 20, val 0.2310)", "fine-tuning on the new task"], _fall(2.3, 0.2, 0.4)) == "G1"


ROWS = {"val_acc": (0.10, 0.912, 0.915), "valid": (2.07, 0.026, 0.025)}


@pytest.mark.parametrize("said", ["resumed at epoch 40 (val acc 0.9120)", "resume ok | run.pt | epoch 40 | val_loss 0.0260"])
def test_numbers_that_no_pattern_knows(said: str):
    """The line of the resume has a count, too, and is no progress; a share of what is right rises again."""
    name = "val_acc" if "acc" in said else "valid"
    begin, back, on = ROWS[name]
    for first, last, mode in ((begin, back, "E2"), (back, on, "G1")):
        lines = [said, *(f"epoch {41 + i} {name} {v:.4f}" for i, v in enumerate(_fall(first, last, 0.6)))]
        run = Run(command=("python", "t.py", "--resume", "run.pt")).rank(0, "n1", "\n".join(lines) + "\n", code=0, end=90)
        assert run.accounting("COMPLETED", code=0, end=91).verdict().mode == mode


def test_a_small_problem_comes_down_by_the_same_share_each_time():
    """Where its state had come to a third of its way, six lines before, it may well go on so."""
    lines = ["state of round 120 loaded", *(f"round {140 + 20 * i} of 300 | loss {v:.5f}" for i, v in enumerate(_fall(0.075, 0.0105, 0.25, 9)))]
    run = Run(command=("python", "fit.py")).rank(0, "n1", "\n".join(lines) + "\n", code=0, end=90)
    assert run.accounting("COMPLETED", code=0, end=91).verdict().mode == "G1"
