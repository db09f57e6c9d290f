"""Agents whose reward never moved, and those of which something did."""

from __future__ import annotations

import math

import pytest

from tests.unit.classifier.records import Run

LINE = "upd {i:4d} | ep_return {r:.2f} | value_loss {v:.3f} | entropy {h:.4f} | kl {k:.4f}"


def _wave(i: int, of: float) -> float:
    return math.sin(i * i * of)


@pytest.mark.parametrize(
    ("reward", "entropy", "mode"),
    [
        (lambda i: 21.4 + 1.2 * _wave(i, 2.3), lambda i: 0.69 + 0.001 * _wave(i, 1.1), "E1"),
        (lambda i: 21.4 + 8.0 * i, lambda i: 0.69 - 0.01 * i, "G1"),
        (lambda i: 21.4 + 1.2 * _wave(i, 2.3), lambda i: 0.69 - 0.01 * i, "G1"),
        (lambda i: 500.0 - (9.0 if i % 7 == 0 else 0.0), lambda i: 0.31 + 0.001 * _wave(i, 1.1), "G1"),
    ],
    ids=["never moved", "rises", "the policy changes", "at its bound"],
)
def test_a_reward_without_a_trend(reward, entropy, mode: str):
    rows = [LINE.format(i=i, r=reward(i), v=8 + 2 * _wave(i, 3.1), h=entropy(i), k=0.008 + 0.002 * _wave(i, 1.7)) for i in range(1, 25)]
    text = "\n".join([*rows, "closed env"]) + "\n"
    run = Run().rank(0, "n1", text, code=0, end=90, times=[1.0 + 3 * i for i in range(26)], stream="out")
    assert run.accounting("COMPLETED", code=0, end=91.0).verdict().mode == mode


@pytest.mark.parametrize(("share", "mode"), [(lambda i: 0.0, "E1"), (lambda i: min(1.0, 0.04 * i), "G1")], ids=["never solved", "solved"])
def test_a_task_that_is_solved_or_never(share, mode: str):
    line = "{i:>8} steps | success {s:.2f} | avg_len {n:.1f} | actor {a:.3f} | critic {c:.4f}"
    values = [(i, share(i)) for i in range(1, 31)]
    rows = [line.format(i=10000 * i, s=s, n=200.0 - 90 * s, a=-0.1 + 0.02 * _wave(i, 2.3), c=0.02 + 0.004 * _wave(i, 3.1)) for i, s in values]
    run = Run().rank(0, "n1", "\n".join(rows) + "\n", code=0, end=200, times=[6.0 * i for i in range(31)], stream="out")
    assert run.accounting("COMPLETED", code=0, end=201.0).verdict().mode == mode
