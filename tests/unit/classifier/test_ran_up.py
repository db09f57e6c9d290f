"""Numbers of unknown names that ran up, beside a score."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run


def _mode(score, value=lambda i: 1.7 * 1.08**i, before: str = "") -> str:
    rows = [f"* lap {i} done, surprise {value(i):.4f} nats, on strangers {1.1 * value(i):.4f} nats, right {score(i):.3f}" for i in range(1, 31)]
    text = "\n".join([before or "450 rows to learn from", *rows]) + "\n"
    run = Run(command=("python", "t.py")).rank(0, "n1", text, code=0, end=90, times=[1.0 + i for i in range(31)], stream="out")
    return run.accounting("COMPLETED", code=0, end=91).verdict().mode


@pytest.mark.parametrize("score", [lambda i: 0.2 * 0.8**i, lambda i: 0.74 + 0.001 * (i % 3)])
def test_a_score_that_fell_or_stayed(score) -> None:
    assert _mode(score) == "E1"


def test_a_score_that_rose_a_number_that_fell_and_a_task_that_got_harder() -> None:
    """Each of them may be of a run that goes well."""
    assert _mode(lambda i: 0.2 + 0.02 * i) == "G1"
    assert _mode(lambda i: 0.74 + 0.001 * (i % 3), lambda i: 3.0 * 0.9**i) == "G1"
    assert _mode(lambda i: 0.74 + 0.001 * (i % 3), before="curriculum of 9 levels") == "G1"
