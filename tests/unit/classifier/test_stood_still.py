"""Losses that stand still or fly away, as programs of other houses print them; and good runs that look alike."""

from __future__ import annotations

import math
import random

import pytest

from tests.unit.classifier.records import Run


def verdict(text: str, code: int = 0):
    """One process that ended well after so many lines, one a second."""
    number = text.count("\n")
    return Run().rank(0, "n1", text, code=code, end=number + 3, times=[1.0 + i for i in range(number)]).accounting("COMPLETED", code=0, end=number + 4).verdict()


def noise(seed: int, number: int, mean: float, spread: float) -> list[float]:
    luck = random.Random(seed)
    return [luck.gauss(mean, spread) for _ in range(number)]


def falling(number: int, start: float = 2.4, end: float = 0.4) -> list[float]:
    return [end + (start - end) * math.exp(-4 * i / number) for i in range(number)]


def lines(form: str, values: list[float], **more) -> str:
    return "".join(form.format(i=i, n=len(values), v=v, **more) + "\n" for i, v in enumerate(values, 1))


def test_noise_at_the_loss_of_a_guess():
    """The logarithms of 10 and of 100 are what a model says that knows nothing of ten or a hundred classes."""
    assert verdict(lines("[{i:>4}/{n}] xent={v:.4f} ({i}.3 ex/s)", noise(1, 24, math.log(10), 0.06))).mode == "E1"
    assert verdict(lines("Epoch {i:03d} | train loss {v:.3f} | top1 1.02", noise(2, 30, math.log(100), 0.05))).mode == "E1"
    assert verdict(lines('{{"update": {i}, "nll": {v:.5f}}}', noise(5, 20, math.log(2), 0.012))).mode == "E1"


def test_a_learning_rate_of_zero_in_settings_or_lines():
    """Where no step is taken, the loss is that of the batch alone."""
    settings = "optimizer:\n  name: adamw\n  learning_rate: 0.0\n  weight_decay: 0.01\n"
    assert verdict(settings + lines("it {i} of {n}: mse {v:.4f}", noise(4, 20, 0.81, 0.07))).mode == "E1"
    assert verdict("Namespace(batch_size=64, lr=0, epochs=20, momentum=0.9)\n" + lines("epoch {i}: loss={v:.4f}", noise(5, 20, 1.9, 0.1))).mode == "E1"
    assert verdict(lines("iter {i} loss {v:.3f} lr 0.00e+00 dt 12ms", noise(6, 25, 3.1, 0.2))).mode == "E1"


def test_a_score_of_evaluation_that_never_moves_while_the_loss_wobbles():
    """The weights are the same at each evaluation."""
    rows = "".join(f"epoch {i + 1}/8 - loss: {v:.4f} - val_loss: 0.9127 - val_acc: 0.4375\n" for i, v in enumerate(noise(7, 8, 0.93, 0.05)))
    assert verdict(rows).mode == "E1"
    apart = "".join(f"Epoch {i + 1}: train_loss {v:.4f}\n  eval: valid_loss=1.40123\n" for i, v in enumerate(noise(9, 12, 1.42, 0.06)))
    assert verdict(apart).mode == "E1"


def test_what_was_learned_is_lost_again_and_does_not_come_back():
    up = [*falling(30, 10.8, 6.0), *[10.6 + 0.01 * (i % 3) for i in range(30)]]
    assert verdict(lines("step {i} | loss {v:.4f} | ppl n/a", up)).mode == "E1"
    stuck = [*falling(12, 2.3, 0.5), *[0.6931] * 14]
    assert verdict(lines("[train] epoch={i} bce={v:.4f}", stuck)).mode == "E1"


def test_an_error_of_factorisation_or_boosting_that_flies_away_or_never_moves():
    fly = [0.9 * 1.0 / i for i in range(1, 8)] + [10.0**i for i in range(13)]
    assert verdict(lines("sweep {i}/{n}  RMSE(train) = {v:.5f}", fly)).mode == "E1"
    assert verdict(lines("[{i}]\ttrain-rmse:{v:.5f}\ttest-rmse:{v:.5f}", [1.20211 - 1e-5 * i for i in range(40)])).mode == "E1"


def test_a_guard_against_nan_that_ends_the_run_quietly():
    """Callbacks stop the training, and the script ends as if all were well."""
    ignite = "2026-11-20 10:00:01,2 ignite.handlers.terminate_on_nan.TerminateOnNan WARNING: TerminateOnNan: Output 'nan' contains NaN or Inf. Stop training\nEngine run complete\n"
    assert verdict("epoch 1 starts, model of 3 layers\n" + ignite).mode == "E1"
    light = lines("step {i} train_loss {v:.3f}", [2.0, 1.8]) + "Monitored metric train_loss = nan is not finite. Previous best value was 1.800. Signaling Trainer to stop.\n"
    assert verdict(light).mode == "E1"
    keras = "Epoch 1/5\n40/40 - 1s - 20ms/step - loss: 3.1021\nEpoch 2/5\nBatch 3: Invalid loss, terminating training\n40/40 - 1s - 20ms/step - loss: nan\nsaved history.json\n"
    assert verdict(keras).mode == "E1"
    assert verdict(lines("epoch {i}: loss {v:.3f}", [2.0, 1.8]) + "loss is nan at step 311, stopping early\nbye\n").mode == "E1"


GOOD = {
    "falls, with noise": lines("step {i} loss {v:.4f}", [v + n for v, n in zip(falling(30), noise(11, 30, 0, 0.05), strict=True)]),
    "tuned from what was learned: it hardly falls": "loading pretrained weights from base/model.safetensors\n" + lines("step {i} loss {v:.4f}", noise(12, 24, math.log(4), 0.05)),
    "a learned model at a low loss": lines("step {i} loss {v:.4f}", noise(13, 24, 0.031, 0.004)),
    "a learning rate that four decimals cannot show": lines("step {i} loss {v:.4f} lr 0.0000", [2.9 - 0.02 * i for i in range(30)]),
    "a GAN: both hover": lines("[{i}/{n}] Loss_D: 1.3863 Loss_G: {v:.4f}", noise(14, 30, 0.6931, 0.03)),
    "a booster that has learned what there is": lines("[{i}]\ttrain-rmse:{v:.5f}", [max(0.31, 1.0 / i) for i in range(1, 40)]),
    "settings with a decay of zero": "lr: 0.001\nmin_lr: 0.0\nwarmup_lr: 0\nweight_decay: 0\n" + lines("epoch {i} loss {v:.4f}", falling(20)),
    "one bad stretch that heals": lines("step {i} loss {v:.4f}", [*falling(20), *[2.2] * 3, *falling(20, 1.0, 0.3)]),
    "a generator whose loss rises as the discriminator learns": lines("it {i} G_loss {v:.4f} D_loss 0.4", [0.9 - 0.06 * i for i in range(6)] + [0.6 + 0.2 * i for i in range(10)] + [2.6 + 0.01 * (i % 3) for i in range(14)]),
    "a guard that is told of and never acts": "callback on: if the loss is nan the run is stopped\n" + lines("step {i} loss {v:.4f}", falling(24)),
    "weights that are loaded, and hover where they were": "loading model weights from /models/base\n" + lines("step {i} loss {v:.4f}", noise(15, 24, math.log(10), 0.05)),
    "folds, each from the beginning": "".join(lines(f"fold {k} epoch {{i}} loss {{v:.4f}}", falling(10)) for k in range(5)),
    "a second stage at another height": lines("step {i} loss {v:.4f}", [*falling(30, 3.0, 0.6), *falling(30, 2.6, 1.2)]),
    "slow": lines("step {i} loss {v:.4f}", [3.0 - 0.004 * i + 0.002 * (-1) ** i for i in range(40)]),
    "an evaluation that is perfect from the third epoch on": lines("epoch {i} - loss: {v:.4f} - val_acc: 1.0000", falling(12)),
    "a nan that was skipped": lines("step {i} loss {v:.4f}", falling(10)) + "loss is nan, skipping this batch\n" + lines("step 1{i} loss {v:.4f}", falling(15, 0.5, 0.3)),
}


@pytest.mark.parametrize("name", GOOD)
def test_good_runs_that_look_alike(name: str):
    assert verdict(GOOD[name]).mode == "G1"
