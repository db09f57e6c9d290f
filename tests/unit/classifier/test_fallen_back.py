"""Numbers of no known name that had come down and went up again, and those that may do so."""

from __future__ import annotations

import math

import pytest

from tests.unit.classifier.records import Run

FORMS = {
    "prose": "After {i}00 updates the quantity stands at {v:.4f}.",
    "a bar": "fit: {p:3d}%|{bar:<10}| {i}0/300 [00:{i:02d}<00:00, 13.1it/s, l={v:.3f}]",
    "a table": "| {i:5d} | {v:9.5f} | {w:9.5f} | {star}",
    "noise": "[it {i:04d}00] eps-mse={v:.5f} it/s=3.{d}",
    "YAML": "- step: {i}0\n  losses:\n    total: {v:.4f}\n    reg: 0.0{i:02d}1",
}
SHAPES = {
    "falls": (lambda i: 0.6 + 3.4 * 0.85**i, "G1"),
    "is back": (lambda i: 0.6 + 3.4 * 0.8**i if i < 12 else 3.9 + 0.05 * math.sin(5 * i), "E1"),
    "rises past its start": (lambda i: 0.6 + 3.4 * 0.8**i if i < 15 else 0.9 + 0.6 * (i - 14), "E1"),
    "leaps and comes back": (lambda i: (0.6 + 3.4 * 0.85**i) * (6 if i in (14, 15) else 1), "G1"),
    "stands after a wobble": (lambda i: 0.6 + 3.4 * 0.85 ** min(i, 14) + 0.2 * math.sin(9 * min(i, 14)), "E1"),
}


def _mode(lines: list[str], *before: str) -> str:
    text = "\n".join([*before, *lines, "done"]) + "\n"
    run = Run(command=("python", "fit.py")).rank(0, "n1", text, code=0, end=190, times=[1 + i for i in range(text.count("\n"))])
    return run.accounting("COMPLETED", code=0, end=191).verdict().mode


def _lines(form: str, value) -> list[str]:
    rows = [{"i": i, "v": value(i), "w": 1.07 * value(i), "d": i % 10, "p": 100 * i // 30, "bar": "█" * (i // 3), "star": "*" if i % 3 else ""} for i in range(1, 31)]
    return [form.format(**row) for row in rows]


@pytest.mark.parametrize("form", FORMS, ids=FORMS.keys())
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_a_shape_in_a_form(form: str, shape):
    if form == "YAML" and shape is SHAPES["stands after a wobble"]:
        pytest.skip("what stands beside it moves on")
    assert _mode(_lines(FORMS[form], shape[0])) == shape[1]


@pytest.mark.parametrize(
    "before", ["fine-tuning the pretrained net", "curriculum of 4 levels", "an adversarial game of two"]
)
def test_what_may_go_up_again_for_a_good_reason(before: str):
    assert _mode(_lines(FORMS["prose"], SHAPES["is back"][0]), before) == "G1"


def test_what_rises_beside_a_score_that_gets_better():
    rows = [f"round {i} spread {v:.4f} right {0.2 + 0.02 * i:.3f}" for i in range(1, 31) if (v := SHAPES["is back"][0](i))]
    assert _mode(rows) == "G1"


def test_an_agent_s_errors_may_grow():
    rows = [f"frame {i}000: td-loss {0.3 * 0.7**i + 0.05 * i:.4f}, epsilon {max(0.05, 1 - i / 15):.2f}" for i in range(1, 31)]
    assert _mode(rows) == "G1"
    assert _mode([row.replace("td-loss", "loss").replace("epsilon", "share") for row in rows]) == "E1"


@pytest.mark.parametrize(("before", "mode"), [("", "E1"), ("task 1, then task 2", "G1"), ("fine-tuning the pretrained net", "G1")])
def test_a_score_that_had_risen_and_is_lost(before: str, mode: str):
    """Unless it is of another task, or somebody's weights were tuned."""
    rows = [f"epoch {i} SI-SNR {12 * (1 - 0.8**i) if i < 15 else -35 - 0.1 * i:.2f} dB" for i in range(1, 31)]
    assert _mode(rows, before) == mode


def test_a_score_that_wobbles_as_it_rises():
    rows = [f"epoch {i} dice {0.9 - 0.8 * 0.85**i - 0.1 * (i % 7 == 0):.4f}" for i in range(1, 31)]
    assert _mode(rows) == "G1"


@pytest.mark.parametrize(("after", "mode"), [(lambda i: 1.095 + 0.002 * (i % 3), "E1"), (lambda i: 1.095 * 0.96 ** (i - 11), "G1"), (lambda i: 0.9 + 0.002 * (i % 3), "G1")])
def test_a_leap_back_to_where_it_began(after, mode: str):
    """All of its units died at once; what falls again, or stays below, learned something."""
    value = lambda i: 0.65 + 0.37 * 0.7 ** (i - 1) if i < 11 else after(i)  # noqa: E731
    assert _mode([f'{{"ev": "epoch", "n": {i}, "misfit": {value(i):.5f}, "check": {1.02 * value(i):.5f}}}' for i in range(1, 25)]) == mode


@pytest.mark.parametrize(("height", "mode"), [(9.0, "E1"), (1.4, "G1")])
def test_a_loss_that_flew_off_at_once_and_came_half_the_way_back(height: float, mode: str) -> None:
    """It never saw its first value again; one that is a little higher at first is not lost."""
    values = [3.71, *(height * 3.71 * 0.97**i for i in range(24))]
    assert _mode([f"iter {10 * i} loss {v:.4f}" for i, v in enumerate(values)]) == mode
