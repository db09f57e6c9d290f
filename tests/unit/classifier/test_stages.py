"""Several stages, or runs, in one log: the last one is judged by itself."""

from __future__ import annotations

import math

import pytest

from tests.unit.classifier.records import Run

HEADED = "=== stage {s}: objective {s} ==="
RUN = "--- run {s}/4 lr={lr} ---"


def _mode(lines: list[str]) -> str:
    text = "\n".join([*lines, "done"]) + "\n"
    run = Run(command=("python", "fit.py")).rank(0, "n1", text, code=0, end=190, times=[1 + i for i in range(text.count("\n"))])
    return run.accounting("COMPLETED", code=0, end=191).verdict().mode


def _two(second) -> list[str]:
    lines = [HEADED.format(s=1), *(f"[{i:3d}] loss={0.9 * 0.8**i + 0.02:.4f} gn=0.4" for i in range(1, 21))]
    return [*lines, HEADED.format(s=2), *(f"[{i:3d}] loss={second(i):.4f} gn=0.4" for i in range(21, 41))]


def test_a_second_stage_whose_loss_is_higher_and_falls():
    assert _mode(_two(lambda i: 2.0 + 2.5 * 0.85 ** (i - 20))) == "G1"


@pytest.mark.parametrize("second", [lambda i: 4.6 + 0.02 * math.sin(7 * i), lambda i: 2.0 * 1.15 ** (i - 20)], ids=["lies", "rises"])
def test_a_second_stage_whose_loss_does_not_come_down(second):
    assert _mode(_two(second)) == "E1"


def test_a_setting_that_changes_with_each_leap_of_the_loss():
    line = "step {i:5d} seqlen {n:2d} loss {v:.4f}"
    rows = [line.format(i=100 * i, n=4 * (1 + i // 10), v=0.2 * (1 + i // 10) + (0.5 + 0.3 * (i // 10)) * 0.6 ** (i % 10)) for i in range(40)]
    assert _mode(rows) == "G1"
    unset = [line.format(i=100 * i, n=4, v=0.3 + 0.8 * 0.7**i if i < 20 else 4.0 + 0.3 * (i % 5)) for i in range(40)]
    assert _mode(unset) == "E1"


def _runs(last: str, behind: str) -> list[str]:
    lines = []
    for s, lr in enumerate((0.001, 0.01, 0.1, 1.0), 1):
        lines.append(RUN.format(s=s, lr=lr))
        lines += [f"epoch {e}: train {last if s == 4 and e > 2 else f'{2.0 * (1 - lr) * 0.7**e + 0.1:.4f}'}" for e in range(1, 6)]
    return [*lines, behind]


def test_the_last_run_of_a_sweep_that_another_one_won():
    assert _mode(_runs("nan", "best: run 3 (lr=0.1)")) == "G1"
    assert _mode(_runs("nan", "all weights written")) == "E1"
