"""Runs that count passes and no steps: a handful of batches where the program tells how many there are, or where a pass took next to no time."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

FEW = {
    "rounds of moments": (0.08, "[0]\ttrain-rmse:2.04499\tvalid-rmse:2.13563\n[1]\ttrain-rmse:1.86476\tvalid-rmse:1.95440\nsaved model.json\n"),
    "epochs of moments": (0.1, "epoch 1/3 loss 2.31\nepoch 2/3 loss 2.30\nepoch 3/3 loss 2.29\n"),
    "one pass of a short job": (1.0, "Epoch 1, Loss: 6.0659\nweights written\n"),
    "batches of an epoch": (9.0, "train set: 24 examples, 3 batches per epoch\nepoch 1/1 mean loss 2.3012\n"),
    "samples, and how many in a batch": (9.0, "{'n_train': 32, 'batch_size': 16, 'epochs': 2}\nep 1 loss 2.3111\nep 2 loss 2.2911\n"),
    "Keras, behind its own header": (0.1, "Epoch 1/2\n1/1 - 1s - 510ms/step - loss: 2.3101\nEpoch 2/2\n1/1 - 0s - 50ms/step - loss: 2.2901\n"),
    "batches that begin anew": (0.1, "== epoch 1 ==\n  [1/2] loss 2.31\n  [2/2] loss 2.30\n== epoch 2 ==\n  [1/2] loss 2.29\n  [2/2] loss 2.28\n"),
    "six steps at a guess's height": (2.0, "".join(f"step {s}/6 loss {2.3026 + 0.02 * (-1) ** s:.4f}\n" for s in range(1, 7))),
    "timesteps of an environment": (0.1, "| time/              |          |\n|    iterations      | 1        |\n|    total_timesteps | 128      |\n"),
    "a pass with its accuracy in per cent": (9.0, "epoch:  1, train_loss: 1.4647, train_accuracy: 22.92, test_loss: 1.3997\ndone after 1 epochs\n"),
    "passes told with their test": (0.05, "Epoch 1 - train MSE 0.9153 - test MSE 0.8640\nEpoch 2 - train MSE 0.9015 - test MSE 0.8047\n"),
    "a pass that says how short it was": (90.0, "Epoch 1 finished in 0.1s. Train loss 1.622. Test loss 1.568\nbest model kept\n"),
    "a setting of few iterations": (30.0, "train:\n  epochs: 1\n  iters: 3\nepoch   1/1 | flow loss 1.5555 | last 1.5729\n"),
    "a pass that a table tells once more": (0.1, "epoch   1/1 | flow loss 1.5555\n┃ epoch ┃ mean loss ┃\n│ 1     │ 1.5555    │\n"),
    "steps that were set to a few": (3.0, "num_boost_round = 1\n[0]\tvalid-logloss:0.69112\nbest iteration 0\n"),
    "absl's head before the step": (0.1, "I1122 12:00:01.123456 140 train.py:67] [1] loss=2.41\nI1122 12:00:02.123456 140 train.py:67] [2] loss=2.39\n"),
}
GOOD = {
    "epochs of a while": (31.0, "epoch 1/3 loss 1.21 val 1.10\nepoch 2/3 loss 0.99 val 0.98\nepoch 3/3 loss 0.91 val 0.95\n"),
    "quick epochs that learned": (0.1, "epoch 1/3 loss 2.31\nepoch 2/3 loss 1.20\nepoch 3/3 loss 0.62\n"),
    "many batches of an epoch": (0.1, "train set: 51200 examples, 800 batches per epoch\nepoch 1/1 mean loss 1.3012\n"),
    "samples in many batches": (0.1, "train: 3200 | val: 400 | batch: 32 | epochs: 1\nepoch 1: train_loss=1.3111 val_loss=1.2001\n"),
    "the rest of an earlier run": (0.1, "Resuming training from checkpoint out/last.pt\nepoch 1 loss 0.61\nepoch 2 loss 0.60\nsaved\n"),
    "folds": (0.1, "fold 1: loss 0.91\nfold 2: loss 0.89\nfold 3: loss 0.90\nmean loss 0.90\n"),
    "a pass that says how long it was": (0.1, "Epoch 1 finished in 341.2s. Train loss 0.622. Test loss 0.568\nbest model kept\n"),
    "a setting of many iterations": (0.1, "train:\n  epochs: 1\n  iters: 3000\nepoch   1/1 | flow loss 1.5555 | last 1.5729\n"),
    "a few batches of an evaluation": (0.5, "restored best.pt\nevaluating 1200 images\n" + "".join(f"batch {i}/12 loss 0.3{i}\n" for i in range(1, 13))),
    "a benchmark of a few": (0.5, "benchmark of one train step\nnum_iters = 5\nmean 0.31 s\n"),
    "timesteps enough": (0.1, "| time/              |          |\n|    iterations      | 12       |\n|    total_timesteps | 24576    |\n"),
}


def ended_well(between_s: float, text: str) -> str:
    number = text.count("\n")
    times, end = [1 + i * between_s for i in range(number)], 2 + number * between_s
    return Run().rank(0, "n1", text, code=0, end=end, times=times, stream="out").accounting("COMPLETED", code=0, end=end + 1).verdict().mode


@pytest.mark.parametrize("name", sorted(FEW))
def test_few_passes_of_few_batches_are_hardly_a_training(name: str):
    assert ended_well(*FEW[name]) == "E3"


@pytest.mark.parametrize("name", sorted(GOOD))
def test_few_passes_are_a_training_where_they_took_their_time_or_learned(name: str):
    assert ended_well(*GOOD[name]) == "G1"


@pytest.mark.parametrize(
    ("flags", "end"),
    [
        ("flags: {'steps': 8, 'bs': 24, 'lr': 0.003}", "bye nce 2.5217 after 8 steps"),
        ("Namespace(iters=3, lr=0.1)", "finished 3 iterations, loss 2.1"),
        ("config: updates=5 width=64 lr=3e-4", "trained for 5 updates"),
        ('{"steps": 4, "lr": 0.1}', '{"msg": "done", "text": "stopped after 4 steps"}'),
        ("n_iter=2 lr=0.5", "done 2 training steps in 0.3 s"),
        ("steps: 6, lr: 0.1", "6 steps in 0.41 s, loss 2.2"),
    ],
)
def test_steps_that_were_set_and_were_all_that_was_done(flags: str, end: str):
    assert ended_well(0.1, f"{flags}\nhello, optimizer ready\n{end}\n") == "E3"


@pytest.mark.parametrize(
    ("flags", "end"),
    [
        ("flags: {'steps': 800, 'lr': 0.003}", "bye after 800 steps"),
        ("flags: {'steps': 8, 'lr': 0.003}", "bye"),
        ("flags: {'steps': 8, 'epochs': 30, 'lr': 0.003}", "bye after 240 steps"),
        ("flags: {'steps': 8, 'lr': 0.003}", "test: done 8 steps"),
        ("sampling steps=8 guidance=3", "evaluation: sampled 4 pictures after 8 steps"),
        ("lr=0.1", "stopped after 8 steps"),
        ("flags: {'steps': 8, 'inner': {'steps': 5}, 'lr': 1}", "after 8 steps"),
    ],
)
def test_steps_that_may_be_those_of_a_pass_are_no_handful(flags: str, end: str):
    assert ended_well(0.1, f"{flags}\nhello, optimizer ready\n{end}\n") == "G1"
