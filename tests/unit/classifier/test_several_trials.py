"""Several trainings in one job, of which one came to nothing: what the run made is another's."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run


def trial(lr: str, losses: list[float]) -> str:
    return f"--- lr={lr}\n" + "".join(f"[lr {lr}] ep {e:2d}/{len(losses)}  logloss {loss:.4f}\n" for e, loss in enumerate(losses, 1))


FALLS = [0.9 / (1 + e) for e in range(8)]
FLIES = [20.0 + 6 * e for e in range(4)]
ERROR = (
    'Traceback (most recent call last):\n  File "fold.py", line 43, in <module>\n    raise FloatingPointError("weights are nan in epoch 5")\n'
    "FloatingPointError: weights are nan in epoch 5\n"
)


def mode(text: str) -> str:
    times = [2 + i * 0.5 for i in range(text.count("\n"))]
    return Run().rank(0, "n1", text, code=0, end=times[-1] + 1, times=times).accounting("COMPLETED", code=0, end=times[-1] + 2).verdict().mode


def test_a_trial_that_failed_last_and_was_left_out_is_no_divergence_of_the_run():
    assert mode(trial("1e-3", FALLS) + trial("0.05", FALLS) + trial("30", FLIES) + ERROR + "lr=30 left out (status 1)\nbest: lr 0.05\n") == "G1"


@pytest.mark.parametrize("behind", ["", "best: lr 0.05\n", "saved lr30.json\n"], ids=["nothing", "a choice", "a save"])
def test_a_last_trial_that_diverged_without_an_error_is_one(behind: str):
    assert mode(trial("1e-3", FALLS) + trial("0.05", FALLS) + trial("30", FLIES) + behind) == "E1"


def sweep(last: str, count: int = 6) -> str:
    lines = [f"[{i}/{count}] lr={lr} hidden=16: val loss {0.43 / i:.4f} after 80 steps\n" for i, lr in enumerate(["1e-3", "3e-3", "1e-2", "3e-2"], 1)]
    return "".join(lines) + "".join(f"[{i}/{count}] lr=9.0 hidden=16: {last}\n" for i in range(5, count + 1))


def test_numbered_trials_that_were_given_up_are_what_was_tried():
    """Near misses: a sweep that says nothing of it, and one of which most came to nothing."""
    gave_up = "trial gave up (exit 1): FloatingPointError: loss is nan at step 5"
    assert mode(sweep(gave_up) + "sweep complete: 4 of 6 usable\n") == "G1"
    assert mode(sweep("val loss nan after 80 steps")) == "E1"
    assert mode(sweep(gave_up, count=12)) == "E1"


LOSSES = [0.62, 0.15, 0.71, 0.44, 0.36, 0.12, 0.28, 0.87, 0.53, 0.19, 0.41, 0.66, 0.72, 0.79]


def test_losses_each_of_a_trial_are_no_curve():
    """The last of them may be the worst: what the run made is the best one's."""
    assert mode("".join(f"trial {i} lr 1e-{i % 5} loss {v:.4f}\n" for i, v in enumerate(LOSSES)) + "best trial 5: 0.12\n") == "G1"
    assert mode("".join(f"trial 2 step {100 * i} loss {v:.4f}\n" for i, v in enumerate([0.9 / (1 + e) for e in range(9)] + [3.0, 3.5, 4.0, 4.1, 4.2], 1))) == "E1"
