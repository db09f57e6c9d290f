"""Good runs in many ways of printing: none of them is an alarm, whatever their counters count."""

from __future__ import annotations

import math
import random

import pytest

from tests.unit.classifier.records import Run


def loss(i: int, of: int = 100) -> float:
    """A loss that falls to a tenth, with a little noise that is the same at every run."""
    return 2.5 * math.exp(-3 * i / of) + 0.1 + random.Random(i).random() * 0.05


def lines(form, numbers) -> str:
    return "".join(form(i) + "\n" for i in numbers)


FINALISER = "Exception ignored in: <function A.__del__ at 0x7f>\nTraceback (most recent call last):\n  File \"a.py\", line 3, in __del__\nAttributeError: 'NoneType' object has no attribute 'close'\n"
GOOD = {
    "batches of each epoch": "".join(f"Epoch {e} Batch {b} Loss {loss(e * 12 + b, 60):.4f}\n" for e in range(1, 6) for b in range(1, 13)),
    "batches of each epoch, without a loss": "".join(
        f"epoch={e} batch={b} err={loss(e * 12 + b, 60):.4f}\n" for e in range(1, 6) for b in range(1, 13)
    ),
    "ten rounds of clients": lines(lambda i: f"Round {i}/10 clients=8 avg_accuracy={1 - loss(i, 10) / 4:.4f}", range(1, 11)),
    "ten epochs": lines(lambda i: f"epoch {i}: mse {loss(i, 10):.4f}", range(10)),
    "ten boosted trees": lines(lambda i: f"[{i}]\ttrain-rmse:{loss(i, 10):.4f}", range(10)),
    "a table of ten epochs": "epoch loss acc\n" + lines(lambda i: f"{i} {loss(i, 10):.4f} 0.{i}1", range(10)),
    "three steps of a script": lines(lambda i: f"Step {i}/3 done in {i * 1.7:.2f} s", range(1, 4)),
    "three steps of a script, with numbers": lines(lambda i: f"step {i}: {i * 1.7:.2f} of the rows kept", range(1, 4)),
    "fourteen episodes": lines(lambda i: f"Episode {i}\tAverage Score: {i * 1.3:.2f}", range(1, 15)),
    "an objective below zero": lines(lambda i: f"iter {i} objective {-100 - i * 1.3:.2f}", range(1, 60)),
    "two networks against each other": lines(lambda i: f"[{i}/60] D_loss 0.69{i % 10} G_loss {1 + loss(i):.3f}", range(1, 61)),
    "a save after each epoch": lines(lambda i: f"epoch {i}: loss {loss(i, 30):.4f}\nsaved model to out/epoch_{i}.pt", range(30)),
    "a save at each logged step": lines(lambda i: f"step {i} loss {loss(i, 1000):.4f}\ncheckpoint: out/step_{i}.pt", range(50, 1050, 50)),
    "the best one saved": lines(lambda i: f"step {i} loss {loss(i, 1000):.4f}\nnew best, model saved to out/best.pt", range(50, 1050, 50)),
    "an early step's save named last": lines(lambda i: f"step {i} loss {loss(i, 1000):.4f}", range(50, 1050, 50))
    + "saved checkpoint to out/step_10.pt\n",
    "samples of each epoch": "".join(
        f"Train Epoch: {e} [{b * 64}/1280 ({b * 5}%)]\tLoss: {loss(e * 20 + b, 60):.6f}\n" for e in (1, 2, 3) for b in range(0, 20, 2)
    ),
    "a score that stands": "iter rmse\n" + lines(lambda i: f"{i} 0.5000", range(60)),
    "an accuracy that stands": lines(lambda i: f"epoch {i} acc 0.5000", range(60)),
    "one batch told of each epoch": lines(lambda i: f"epoch {i} last batch 9 l2 {loss(i, 30) / 100:.5f}", range(3)),
    "a booster with nothing left to learn": lines(lambda i: f"[{i}]\ttrain-rmse:{max(0.4, loss(i)):.5f}", range(100)),
    "French, with an error's words quoted behind": lines(lambda i: f"itération {i} : coût = {loss(i):.5f}", range(1, 60))
    + "--- generated 3: loss is nan, what now?\n",
    "Stable-Baselines3, and a frozen loss at its best": lines(
        lambda i: f"|    iterations      | {i * 10:<12} |\n|    loss            | {max(0.5, loss(i)):<12.5f} |", range(1, 40)
    ),
    "Stable-Baselines3, whose loss grows with what it is rewarded": lines(
        lambda i: f"|    total_timesteps | {i * 64:<12} |\n|    loss            | {0.8 + 0.3 * i:<12.5f} |", range(1, 26)
    ),
    "passes over all data": lines(lambda i: f"iteration: {i} of max_iter: 18, perplexity: {11.0 + loss(i, 18):.4f}", range(1, 19)),
    "LightGBM": lines(lambda i: f"[{i}]\ttraining's binary_logloss: {loss(i):.5f}\tvalid_1's binary_logloss: {loss(i) + 0.1:.5f}", range(1, 101)),
    "CatBoost": lines(lambda i: f"{i}:\tlearn: {loss(i):.7f}\ttotal: {i}ms\tremaining: {100 - i}ms", range(100)),
    "scikit-learn": lines(lambda i: f"Iteration {i}, loss = {loss(i):.8f}", range(1, 60)),
    "a loss as low as it gets from the start": lines(lambda i: f"Epoch {i}\nTrain Loss: 0.0010 Acc: 0.99\nVal Loss: 0.0011 Acc: 0.98\n", range(1, 60)),
    "a low loss of two places": lines(lambda i: f"epoch: {i}, lr: 1.00e-03 - train loss: 0.12 - valid loss: 0.13, valid CER: 31.2", range(1, 60)),
    "a loss that rises and falls with each restart": lines(lambda i: f"step {i} loss {0.3 + 1.9 * math.exp(-(i % 20) / 3 - i / 60):.4f}", range(1, 61)),
    "a finaliser's traceback": lines(lambda i: f"epoch {i}: mse {loss(i, 30):.4f}", range(30)) + FINALISER,
    "an error line of a tool at the end": lines(lambda i: f"step {i} loss {loss(i):.4f}", range(1, 60))
    + "rm: cannot remove 'lock': No such file or directory\n",
    "errors printed on the way": lines(
        lambda i: f"step {i} loss {loss(i):.4f}" + ("\nERROR: shard 3 could not be read, skipped" if i % 20 == 0 else ""), range(1, 60)
    ),
}


@pytest.mark.parametrize("script", [False, True], ids=["srun", "batch"])
@pytest.mark.parametrize("name", sorted(GOOD))
def test_a_run_that_ended_well_is_healthy(name: str, script: bool):
    text = GOOD[name]
    number = text.count("\n")
    times = [1 + i * 0.5 for i in range(number)]
    end = number * 0.5 + 5
    run = Run().batch(text, code=0, end=end, times=times) if script else Run().rank(0, "n1", text, code=0, end=end, times=times)
    verdict = run.accounting("COMPLETED", code=0, end=end + 1).verdict()
    assert verdict.mode == "G1", verdict.headline
