"""A loss that is as high at the end as at the beginning, however noisy it is; and those that only look so."""

from __future__ import annotations

import random

import pytest

from gpualert_slurm.classifier.hover import hovers, stuck, trend
from tests.unit.classifier.records import Run


def _noisy(height: float, noise: float, count: int, seed: int, fall: float = 0.0) -> list[float]:
    dice = random.Random(seed)
    return [(height - fall * i / count) * (1 + noise * (dice.random() - 0.5) * 3) for i in range(count)]


def _mode(lines: list[str], *command: str) -> str:
    text = "\n".join(lines) + "\n"
    run = Run(command=("python", "train.py", *command)).rank(0, "n1", text, code=0, end=90, times=[1 + i for i in range(len(lines))])
    return run.accounting("COMPLETED", code=0, end=91).verdict().mode


WORDS = (
    lambda i, v, a: f"step: {25 * (i + 1):5d}/600 train_loss: {v:.5f} train_acc: {a:.3f}",
    lambda i, v, a: f'{{"epoch": {i + 1}, "loss": {v:.4f}, "accuracy": {a:.3f}}}',
    lambda i, v, a: f"Epoche {i + 1}/24 - Verlust {v:.4f} - acc {a:.3f}",
    lambda i, v, a: f"update={20 * i} obj={v:.4f} acc={a:.3f}",
)


@pytest.mark.parametrize("line", WORDS)
def test_loss_and_accuracy_that_only_wobble_are_of_no_learning(line):
    """However large the noise is: both lie at the end where they lay at the beginning."""
    losses, scores = _noisy(1.55, 0.1, 24, 3), _noisy(0.37, 0.2, 24, 12)
    assert _mode([line(i, v, a) for i, (v, a) in enumerate(zip(losses, scores, strict=True))]) == "E1"


@pytest.mark.parametrize("line", WORDS)
def test_the_same_noise_on_a_loss_that_falls_is_learning(line):
    losses, scores = _noisy(1.75, 0.1, 24, 3, fall=1.2), [0.3 + 0.02 * i for i in range(24)]
    assert _mode([line(i, v, a) for i, (v, a) in enumerate(zip(losses, scores, strict=True))]) == "G1"


def test_a_score_that_rises_or_knows_something_speaks_for_learning():
    assert stuck(_noisy(0.37, 0.2, 20, 1)) is True
    assert stuck([0.3 + 0.01 * i for i in range(20)]) is False
    assert stuck([0.93] * 20) is False
    assert stuck([0.3] * 4) is None


@pytest.mark.parametrize(
    ("first", "mode"),
    [("loading pretrained weights of somebody", "G1"), ("curriculum: the hard ones come in slowly", "G1"), ("hello", "E1")],
)
def test_what_is_tuned_or_gets_harder_may_hover(first: str, mode: str):
    lines = [f"step {10 * i} loss {v:.4f}" for i, v in enumerate(_noisy(3.1, 0.02, 30, 5))]
    assert _mode([first, *lines]) == mode


def test_of_few_values_only_those_that_lie_close_together_count():
    job = Run().rank(0, "n1", "hello\n", code=0).record()
    assert hovers(job, _noisy(3.1, 0.04, 12, 6)) is None
    assert hovers(job, _noisy(3.1, 0.005, 14, 6)) is not None
    assert hovers(job, _noisy(3.1, 0.04, 30, 6)) is not None
    assert hovers(job, _noisy(0.2, 0.04, 30, 6)) is None, "it may have learned all there is"


def test_what_was_learned_right_behind_the_first_value_was_learned():
    """EM and k-means come to rest within a few rounds."""
    job = Run().rank(0, "n1", "hello\n", code=0).record()
    assert hovers(job, [1.36, *[1.2038] * 25]) is None


def test_losses_that_are_told_from_a_later_step_on_were_lowered_before():
    lines = [f"step {4000 + 10 * i} loss {v:.4f}" for i, v in enumerate(_noisy(3.1, 0.02, 30, 5))]
    assert _mode(lines) == "G1"


def test_a_slope_is_told_by_its_own_error():
    assert trend([1.0] * 12) == 0
    assert trend(_noisy(1.0, 0.02, 30, 7, fall=0.5)) < -10


def test_a_distance_is_not_moved_where_its_evaluation_never_moves():
    """``rmse`` of a network with frozen weights: the last digit of the evaluation is the same every time; a booster's falls."""
    stuck_ = [f"Epoch {i + 1:3d}  train_rmse {v:.4f}  val_rmse 1.8841" for i, v in enumerate(_noisy(1.87, 0.01, 15, 8))]
    fine = [f"Epoch {i + 1:3d}  train_rmse {1.9 - 0.08 * i:.4f}  val_rmse {1.95 - 0.07 * i:.4f}" for i in range(15)]
    assert (_mode(stuck_), _mode(fine)) == ("E1", "G1")


@pytest.mark.parametrize(("low", "mode"), [(0.0, "E1"), (2.4, "G1")])
def test_a_contrastive_loss_at_the_chance_that_the_program_tells(low: float, mode: str):
    lines = [f"epoch {i + 1:02d} | contrastive {v:.4f}" for i, v in enumerate(_noisy(4.158, 0.003, 20, 9, fall=low))]
    assert _mode(["batch 64, so chance level is 4.1589", *lines]) == mode


@pytest.mark.parametrize("line", ["eval batch {0}/30 loss {1:.4f}", "batch {0} loss {1:.4f}"])
def test_batches_of_an_evaluation_have_no_trend(line: str):
    lines = [line.format(i + 1, v) for i, v in enumerate(_noisy(3.1, 0.02, 30, 5))]
    assert _mode(["evaluating the model on 30 batches", *lines]) == "G1"


@pytest.mark.parametrize("command", [("--model_name_or_path", "acme/base-1b"), ("--pretrained", "vit.pth"), ("--task", "sft")])
def test_a_loss_of_weights_that_the_command_names_may_hover(command: tuple[str, ...]):
    lines = [f"step {10 * i} loss {v:.4f}" for i, v in enumerate(_noisy(1.32, 0.04, 40, 5), 1)]
    assert _mode(lines, *command) == "G1"
    assert _mode(lines, "--pretrained", "none") == "E1"


def test_a_loss_that_fell_by_heart_while_the_score_beside_it_did_not_rise():
    losses, scores = _noisy(1.66, 0.06, 36, 3, fall=0.09), _noisy(0.2, 0.3, 36, 12)
    lines = [f"update={20 * i} obj={v:.4f} acc={a:.3f}" for i, (v, a) in enumerate(zip(losses, scores, strict=True))]
    assert _mode(lines) == "E1"
