"""How many steps a run did, where its lines tell it as a product: epochs and batches, time and rate."""

from __future__ import annotations

import pytest

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.numbers import epoch_and_step
from tests.unit.classifier.records import Run

FEW = {
    "transformers' Trainer": "{'loss': '0.6912', 'grad_norm': '0.17', 'learning_rate': '0.001', 'epoch': '0.03333'}\n"
    "{'train_runtime': '0.2227', 'train_samples_per_second': '215.5', 'train_steps_per_second': '13.47', 'train_loss': '0.6919', 'epoch': '0.1'}\n",
    "transformers' Trainer, without a rate": "  Num examples = 48\n  Total optimization steps = 3\n"
    "{'loss': 7.4969, 'grad_norm': 2.7990, 'learning_rate': 1.3333e-05, 'epoch': 1.0}\n"
    "{'loss': 7.4344, 'grad_norm': 2.7781, 'learning_rate': 6.6667e-06, 'epoch': 2.0}\n"
    "{'loss': 7.3975, 'grad_norm': 2.7658, 'learning_rate': 0.0, 'epoch': 3.0}\n"
    "{'train_runtime': 12.9, 'train_samples_per_second': 11.2, 'train_loss': 7.44, 'epoch': 3.0}\n",
    "Lightning's bar": "`Trainer.fit` stopped: `max_epochs=1` reached.\n"
    "Epoch 0/0  ━━━━━━━━━━━━━━━━━━ 2/2 0:00:00 • 0:00:00 39.35it/s v_num: 0.000\n",
    "Keras, one epoch": "1/1 - 9s - 9s/step - accuracy: 0.3684 - loss: 1.3304 - val_accuracy: 0.4000 - val_loss: 1.2436\n",
    "a bar": "Epoch 1/1:   0%|          | 0/2 [00:00<?, ?it/s, mse=13.376]\rEpoch 1/1: 100%|██████████| 2/2 [00:00<00:00, 28.04it/s, mse=14.972]\n",
    "two pairs of brackets": "Starting Training Loop...\n[0/1][0/2]\tLoss_D: 1.3776\tLoss_G: 0.6477\tD(x): 0.5327\tD(G(z)): 0.5265 / 0.5232\n",
    "total updates": "epoch 1 dev error rate 80.0%\nepoch 2 dev error rate 77.5%\nepoch 3 dev error rate 76.7%\nBye, total updates: 3\n",
}
ENOUGH = {
    "transformers' Trainer": "{'loss': '0.6912', 'grad_norm': '0.17', 'learning_rate': '0.001', 'epoch': '1.0'}\n"
    "{'train_runtime': '20.1', 'train_samples_per_second': '215.5', 'train_steps_per_second': '13.47', 'train_loss': '0.6919', 'epoch': '1.0'}\n",
    "transformers' Trainer, without a rate": "  Num examples = 48\n  Total optimization steps = 300\n"
    "{'loss': 7.4969, 'grad_norm': 2.7990, 'learning_rate': 1.3333e-05, 'epoch': 1.0}\n"
    "{'loss': 3.4344, 'grad_norm': 2.7781, 'learning_rate': 6.6667e-06, 'epoch': 2.0}\n"
    "{'loss': 2.3975, 'grad_norm': 2.7658, 'learning_rate': 0.0, 'epoch': 3.0}\n"
    "{'train_runtime': 129.9, 'train_samples_per_second': 11.2, 'train_loss': 4.44, 'epoch': 3.0}\n",
    "Lightning's bar": "`Trainer.fit` stopped: `max_epochs=6` reached.\n"
    "Epoch 5/5  ━━━━━━━━━━━━━━━━━━ 2/2 0:00:00 • 0:00:00 39.35it/s v_num: 0.000\n",
    "Keras, an evaluation": "1/1 - 0s - 9ms/step - accuracy: 0.9684 - loss: 0.1304\n",
    "two pairs of brackets": "".join(f"[{e}/3][{b:03d}/200] loss {2.5 / (e + b / 200):.4f}  acc 0.3  4.1 s/it\n" for e in (1, 2, 3) for b in range(10, 201, 10)),
    "an epoch's number before its steps (timm)": "".join(
        f"Train: {e} [{s:4d}/17 ({100 * s // 17:3d}%)]  Loss: {2 / (1 + e + s / 17):#.3g}  Time: 0.060s  LR: 8.00e-02\n" for e in range(4) for s in (10, 17)
    ),
    "sixteen slow steps, all that were planned": "".join(f"step {i}/16 loss {2.5 / i:.4f}\n" for i in range(1, 17)),
}


def ended_well(text: str, step_s: float) -> str:
    number = text.count("\n")
    times = [1 + i * step_s for i in range(number)]
    end = 5 + number * step_s
    return Run().rank(0, "n1", text, code=0, end=end, times=times, stream="out").accounting("COMPLETED", code=0, end=end + 1).verdict().mode


@pytest.mark.parametrize("name", sorted(FEW))
def test_a_handful_of_steps_is_counted_however_it_is_told(name: str):
    assert ended_well(FEW[name], 0.1) == "E3"


@pytest.mark.parametrize("name", sorted(ENOUGH))
def test_a_run_of_many_steps_or_of_slow_ones_is_no_handful(name: str):
    assert ended_well(ENOUGH[name], 2.3) == "G1"


def test_epoch_and_step_in_brackets_are_both_read():
    assert epoch_and_step("[ 1/12][010/200] loss 2.8") == {"epoch": 1.0, "epochs": 12, "step": 10, "planned": 200, "per_epoch": True}
    assert epoch_and_step("[1/12] loss 2.8") is None


def test_a_distribution_of_no_numbers_is_a_loss_that_was_none():
    text = (
        'Episode 10 loss: 14.092\nTraceback (most recent call last):\n  File "reinforce.py", line 31, in <module>\n    policy(state)\n'
        "ValueError: Expected parameter logits (Tensor of shape (3,)) of distribution Categorical(logits: torch.Size([3])) to satisfy the constraint"
        " IndependentConstraint(Real(), 1), but found invalid values:\ntensor([nan, nan, nan], grad_fn=<SubBackward0>)\n"
    )
    said = Run().rank(0, "n1", text, code=1).accounting("FAILED", code=1, end=11.0).verdict()
    assert (said.mode, said.cause) == ("E1", Cause.NAN_LOSS)


def test_a_few_further_steps_of_a_state_that_had_many_are_no_handful():
    text = "memory: wine.joblib had 30 iterations, loss 0.4224\n" + "".join(f"Iteration {i}, loss = {0.42 - i / 300:.6f}\n" for i in range(1, 16))
    run = Run().rank(0, "n1", text, code=0, end=30.0, times=[1.0 + i for i in range(16)])
    assert run.accounting("COMPLETED", code=0, end=31.0).verdict().mode == "G1"


def _ended(lines: list[str], step_s: float) -> str:
    return ended_well("\n".join(lines) + "\n", step_s)


def test_few_steps_that_came_to_rest_are_all_that_were_needed():
    assert _ended([f"iter {i}: deviance {v:.5f}" for i, v in enumerate((0.6931, 0.4122, 0.3518, 0.3399, 0.3392, 0.33916, 0.33916), 1)], 0.3) == "G1"
    assert _ended([f"iter {i}: deviance {0.6931 - 0.01 * i:.5f}" for i in range(1, 8)], 0.3) == "E3"


def test_batches_of_an_epoch_are_no_epochs_that_were_asked_for():
    lines = ["train batches per epoch: 1503", *(f"epoch {e}/3 done, mean nll {3.9 - 0.7 * e:.4f} (611.0s)" for e in (1, 2, 3))]
    assert _ended(lines, 611.0) == "G1"
    lines = ["epochs: 1503", *(f"epoch {e} done, mean nll {3.9 - 0.1 * e:.4f} (6.0s)" for e in (1, 2, 3))]
    assert _ended(lines, 6.0) == "E3"


def test_a_first_epoch_that_was_left_after_a_few_of_its_steps():
    bar = "Epoch 0:  {p:2d}%|▏         | {s}/780 [00:29<1:03:12,  0.20it/s, v_num=0, train_loss=6.910]"
    assert _ended([bar.format(p=1, s=6), "Time limit reached. Elapsed time is 0:00:30. Signaling Trainer to stop."], 15.0) == "E3"
    assert _ended([bar.format(p=80, s=630), "Time limit reached. Elapsed time is 0:00:30. Signaling Trainer to stop."], 15.0) == "G1"


def test_a_booster_s_rounds_behind_a_clock_and_lines_that_count_from_nought():
    assert _ended([f"[10:00:0{i}] [{i}]\tvalidation_0-logloss:{0.68 * 0.97**i:.5f}" for i in (0, 1)], 0.1) == "E3"
    assert _ended([f"[10:00:{i:02d}] [{i}]\tvalidation_0-logloss:{0.68 * 0.97**i:.5f}" for i in range(60)], 0.1) == "G1"
    assert _ended([f"s={i} obj={4.2 - 0.1 * i:.4f}" for i in (0, 1)], 0.4) == "E3"
    assert _ended([f"upd {i} tokens {4096 * i} bits/char {7.9 - 0.05 * i:.3f}" for i in (1, 2, 3, 4)], 0.4) == "E3"
    assert _ended([f"chunk {i}/5: 120000 docs, 3.{i} avg len" for i in range(1, 6)], 1.0) == "G1"


def test_two_trees_of_catboost():
    assert _ended([f"{i}:\tlearn: {0.693 - 0.001 * i:.7f}\ttotal: {2 * i + 1}ms\tremaining: 0us" for i in (0, 1)], 0.01) == "E3"
    assert _ended([f"{i}:\tlearn: {0.693 * 0.99**i:.7f}\ttotal: {2 * i + 1}s\tremaining: 0us" for i in range(0, 601, 50)], 2.0) == "G1"
