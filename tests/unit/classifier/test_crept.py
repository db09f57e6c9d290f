"""Losses that came down by next to nothing, and those that had come down before, or that a score beside them speaks for."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run


def _mode(lines: list[str], *command: str) -> str:
    text = "\n".join(lines) + "\n"
    run = Run(command=("python", "train.py", *command)).rank(0, "n1", text, code=0, end=90, times=[1 + i for i in range(len(lines))])
    return run.accounting("COMPLETED", code=0, end=91).verdict().mode


def _creep(height: float, share: float, count: int = 30) -> list[float]:
    return [height * (1 - share * i / count) for i in range(count)]


WORDS = (
    lambda i, v: f"* portion {i + 1:3d} | loss {v:8.5f}",
    lambda i, v: f'ts=12:13:{i:02d} msg="round" n={i + 1} bits_per_letter={v:.5f}',
    lambda i, v: f"sweep {i + 1}/30 rmse {v:.5f} (0.01 s)",
    lambda i, v: f"Durchgang {i + 1}/30: Verlust {v:.5f}",
)


@pytest.mark.parametrize("line", WORDS)
def test_it_fell_steadily_and_by_nothing(line):
    """As under a learning rate a thousand times too small."""
    assert _mode([line(i, v) for i, v in enumerate(_creep(2.69, 0.004))]) == "E1"


@pytest.mark.parametrize("line", WORDS)
def test_a_tenth_is_learning(line):
    assert _mode([line(i, v) for i, v in enumerate(_creep(2.69, 0.12))]) == "G1"


@pytest.mark.parametrize("line", WORDS)
def test_all_was_learned_on_the_first_line(line):
    assert _mode([line(i, v) for i, v in enumerate([4.1, 2.9, *_creep(2.69, 0.004)])]) == "G1"


@pytest.mark.parametrize(("last", "mode"), [(0.112, "E1"), (0.41, "G1")])
def test_the_accuracy_beside_it_decides(last: float, mode: str):
    lines = [f"pass {i + 1} loss {v:.4f} acc {0.11 + (last - 0.11) * i / 29:.3f}" for i, v in enumerate(_creep(2.69, 0.02))]
    assert _mode(lines) == mode


@pytest.mark.parametrize("first", ["pretrained weights from hub/base", "resuming from ck/best.pt at step 9000", "fine-tuning the head"])
def test_what_had_been_learned_before_may_creep(first: str):
    assert _mode([first, *(f"step {10 * i} loss {v:.4f}" for i, v in enumerate(_creep(2.1, 0.004)))]) == "G1"


def test_a_number_that_stands_in_every_line_alike_is_no_loss():
    lines = [f"Training loss (for 1 batch) at step {10 * i}: {2.8 * 0.8**i:.4f}" for i in range(20)]
    assert _mode(lines) == "G1"


def test_a_score_that_rises_beside_a_loss_at_a_guess_s_height_is_of_learning():
    """A logistic loss of 0.693 is a coin's; an AUC that goes from 0.50 to 0.62 is not."""
    lines = [f"step {100 * i} loss {0.6931 + 0.003 * (-1) ** i:.4f} auc {0.5 + 0.002 * i:.4f}" for i in range(1, 60)]
    assert _mode(lines) == "G1"


@pytest.mark.parametrize(("last", "mode"), [(5.29, "E1"), (88.0, "E1"), (0.4, "G1")], ids=["flat", "flew", "fell"])
def test_a_misfit_is_lowered_and_lies_at_no_guess_s_height(last: float, mode: str):
    lines = [f"wave {i:2d} | misfit {(5.31 - (5.31 - min(last, 5.3)) * i / 40) if i < 30 else last:.4f}" for i in range(1, 41)]
    assert _mode(lines) == mode


@pytest.mark.parametrize(("height", "mode"), [(0.1, "E1"), (0.5, "E1"), (0.58, "G1"), (0.97, "G1")])
def test_scores_alone_about_a_guess_s_share(height: float, mode: str):
    """A tenth and a half are guesses'; what lies elsewhere was learned before the first line, it may be."""
    lines = [f"epoch {i:02d}  train_acc {height + 0.006 * (-1) ** i:.3f}  test_acc {height + 0.005 * (i % 3 - 1):.3f}" for i in range(1, 26)]
    assert _mode(lines) == mode


@pytest.mark.parametrize(("rate", "mode"), [("", "G1"), (" lr 0.300", "G1"), (" lr {r:.3f}", "E1")])
def test_little_was_to_be_learned_and_it_was(rate: str, mode: str):
    """A loss without noise that came to lie by ever smaller steps; under a rate that decays each does so."""
    rows = [f"epoch {i} logloss={0.6805 + 0.0126 * 0.87**i:.5f} accuracy={0.577 + 0.0001 * (i % 3):.4f}" for i in range(1, 31)]
    assert _mode([row + rate.format(r=0.3 * 0.87**i) for i, row in enumerate(rows)]) == mode
