"""Runs that print no step, and say behind them how many they did; numbers that became nan in words that nobody knows."""

from __future__ import annotations

import pytest

from gpualert_slurm.cause import Cause
from tests.unit.classifier.records import Run, steps


def mode(text: str) -> str:
    lines = text.count("\n") + 1
    run = Run().rank(0, "n1", text, code=0, end=lines + 2.0, times=[float(i) for i in range(1, lines + 1)])
    return run.accounting("COMPLETED", code=0, end=lines + 3.0).verdict().mode


@pytest.mark.parametrize(
    "text",
    [
        "trained for 5 steps, final loss 4.331\n",
        "Training finished after 2 updates.\n",
        "epochs: 1, batches per epoch: 3, optimizer steps: 3\nepoch 0 mean loss 2.31\n",
        "3 steps done in 0.2 s, loss 2.41 -> 2.39\n",
        "stopped after 7 batches; loss 2.28\n",
        "`Trainer.fit` stopped: `max_steps=3` reached.\n",
        "chunk 1/1 (4 updates): mean loss 0.376714 [8.34 s]\nfinal rmse 0.5818\n",
        '{"event": "done", "updates": 2, "examples": 64, "loss": 2.301}\n',
        "collected 16 transitions, 1 gradient step\npolicy saved\n",
    ],
)
def test_a_handful_of_steps_told_in_a_sentence(text):
    assert mode(text) == "E3"


@pytest.mark.parametrize(
    "text",
    [
        "converged after 12 iterations\n",
        "trained for 4000 iterations\n",
        "ran 4 iterations (cost 31.2)\n",
        "pipeline ran 4 steps: fetch, clean, fit, report\n",
        "EM: stopped after 9 iterations, change 1e-7 < tol\n",
        "solver ended after 6 updates: gradient is zero\n",
        "CV done: 5 iterations, mean auc 0.91\n",
        "evaluated 12 batches, loss 2.1\n",
        "5 steps per epoch done\n",
        "logged every 5 steps, all done\n",
        "warmup 3 steps done\n",
        "".join(f"eval batch {i}/12 loss 2.0{i}\n" for i in range(1, 13)),
        "".join(f"it {i}k loss {3 / i:.4f}\n" for i in range(1, 8)),
        "[1/3] Preprocessing ...\n[2/3] Fitting ... loss 0.31\n[3/3] Exporting ...\n",
        "".join(f"Training loss (for 1 batch) at step {i * 10}: {3 / (i + 1):.4f}\n" for i in range(30)),
        "".join(f"Training loss (for 1 batch) at step {i * 10}: {3 / (i + 1):.4f}\n" for i in range(5)) + "Start of epoch 1\n",
        "".join(f"epoch {e} (8 updates): loss {3 / e:.4f}\n" for e in range(1, 12)),
        '{"event": "done", "updates": 2000, "loss": 0.301}\n',
        steps(1, 60) + "the last 5 steps took 3 s\n",
    ],
)
def test_what_is_no_handful_of_steps_of_training(text):
    assert mode(text) == "G1"


GONE = {
    "a table": "epoch,train,val\n" + "".join(f"{i},{'nan' if i > 9 else 2 / i},{'nan' if i > 9 else 3 / i}\n" for i in range(1, 40)),
    "German": "".join(f"Epoche {i}/40: Fehler {'nan' if i > 9 else 2 / i}\n" for i in range(1, 40)),
    "C's printf": "".join(f"it {i} err {'-nan' if i > 9 else 2 / i}\n" for i in range(1, 40)),
}


@pytest.mark.parametrize("name", sorted(GONE))
def test_a_number_that_became_nan_and_stayed_so_is_divergence(name):
    text = GONE[name]
    times = [float(i) for i in range(1, text.count("\n") + 1)]
    verdict = Run().rank(0, "n1", text, code=0, end=60, times=times).accounting("COMPLETED", code=0, end=61).verdict()
    assert (verdict.mode, verdict.variant, verdict.cause) == ("E1", "non_finite", Cause.NAN_LOSS)


def test_a_metric_of_validation_may_be_nan():
    """A mean over no rows."""
    assert mode("".join(f"iter {i} err {2 / i:.3f} val auc {'nan' if i > 9 else 0.5}\n" for i in range(1, 40))) == "G1"
