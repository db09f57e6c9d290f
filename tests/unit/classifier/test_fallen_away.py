"""Numbers that fell below all that they had been, by orders of magnitude."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.fallen_away import fell_far, flew_off
from tests.unit.classifier.records import Run


def _mode(lines: list[str]) -> str:
    text = "\n".join(lines) + "\n"
    run = Run(command=("python", "t.py")).rank(0, "n1", text, code=0, end=90, times=[1.0 + i for i in range(len(lines))], stream="out")
    return run.accounting("COMPLETED", code=0, end=91).verdict().mode


@pytest.mark.parametrize("line", ["gen {i} mean {v:.4f} sigma 0.300", '{{"iter": {i}, "return": {v:.4f}}}', "sweep {i} avg_loglik {v:.4f}"])
def test_what_runs_off_downwards_is_lost(line: str) -> None:
    """Also with more digits than a float has."""
    values = [-0.5 - 0.01 * (i % 7) if i < 18 else -(10.0 ** (1.7 * (i - 16))) for i in range(1, 31)]
    assert _mode([line.format(i=i, v=v) for i, v in enumerate(values, 1)]) == "E1"


@pytest.mark.parametrize("line", ["epoch {i} train nll {v:.4f}", "epoch {i} loss {v:.4f}"])
def test_a_loss_may_be_negative_and_fall(line: str) -> None:
    """A density's likelihood has no bound."""
    assert _mode([line.format(i=i, v=900 * 0.8**i - 3400 * (1 - 0.9**i)) for i in range(1, 41)]) == "G1"


def test_how_far() -> None:
    """Nought and small numbers count as one."""
    assert fell_far([0.0] * 9 + [-31.0] * 3, 30.0)
    assert not fell_far([0.0] * 9 + [-31.0, -29.0, -31.0], 30.0)
    assert flew_off([0.1] * 10 + [1e7] * 3)
    assert not flew_off([0.1] * 10 + [1e7, 1e7, 3.0])
