"""A handful of rounds of a moment each, and those that took their time or were more."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run


def _mode(lines: list[str], each_s: float) -> str:
    text = "\n".join(lines) + "\n"
    run = Run(command=("python", "fit.py")).rank(0, "n1", text, code=0, end=90, times=[1 + each_s * i for i in range(len(lines))])
    return run.accounting("COMPLETED", code=0, end=91).verdict().mode


KINDS = (
    lambda i, n: f"[{i - 1}]\tfit-rmse:{148.7 - 9 * i:.5f}\taside-rmse:{154.5 - 9 * i:.5f}",
    lambda i, n: f"[ruche 1/3] tour {i} sur {n} : perte={5.6 - i / 2:.5f}",
    lambda i, n: f"Durchgang {i}/{n}: Verlust {5.6 - i / 2:.4f}",
    lambda i, n: f"round {i} of {n} nll {5.6 - i / 2:.4f}",
)


@pytest.mark.parametrize("line", KINDS)
@pytest.mark.parametrize(("count", "each_s", "mode"), [(3, 0.1, "E3"), (3, 9.0, "G1"), (40, 0.1, "G1")])
def test_a_handful_of_moments(line, count: int, each_s: float, mode: str):
    assert _mode([line(i, count) for i in range(1, count + 1)], each_s) == mode
