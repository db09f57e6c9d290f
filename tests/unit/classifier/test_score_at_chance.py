"""Scores that lie where those of who knows nothing lie."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

TABLE = "| round | logloss | {name} |\n"


def _mode(name: str, score, loss=lambda i: 0.6931 - 0.00002 * i, before: str = "") -> str:
    rows = "".join(f"| {i} | {loss(i):.5f} | {score(i):.4f} |\n" for i in range(1, 27))
    text = before + TABLE.format(name=name) + rows
    run = Run(command=("python", "t.py")).rank(0, "n1", text, code=0, end=90, times=[1.0 + i for i in range(text.count("\n"))], stream="out")
    return run.accounting("COMPLETED", code=0, end=91).verdict().mode


@pytest.mark.parametrize(("name", "height"), [("AUC", 0.51), ("val_auc", 0.495), ("R2", -0.001), ("kappa", 0.004), ("mcc", 0.0)])
def test_one_half_or_nought_from_the_first_to_the_last(name: str, height: float) -> None:
    assert _mode(name, lambda i: height + 0.003 * ((i * 7) % 5 - 2)) == "E1"


def test_a_score_that_rises_a_loss_that_falls_and_what_was_there_before() -> None:
    """Each of them shows, or may show, that something was learned."""
    assert _mode("AUC", lambda i: 0.48 + 0.002 * i) == "G1"
    assert _mode("AUC", lambda i: 0.51 + 0.003 * (i % 3), lambda i: 0.7 * 0.97**i) == "G1"
    assert _mode("AUC", lambda i: 0.51 + 0.003 * (i % 3), before="fine-tuning pretrained weights\n") == "G1"
