"""Runs whose logs have three lines that count and measure, at the most: those were all; and those in which such lines are of something else."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run


def _mode(lines: list[str], took_s: float = 4.0) -> str:
    text = "\n".join(lines) + "\n"
    times = [took_s * (i + 1) / (len(lines) + 1) for i in range(len(lines))]
    run = Run(command=("python", "fit.py", "run.ini")).rank(0, "n1", text, code=0, end=took_s, times=times)
    return run.accounting("COMPLETED", code=0, end=took_s).verdict().mode


@pytest.mark.parametrize(
    "lines",
    [
        ["We go over them 2 times.", *(f"After pass {i} of 2 a result surprises us by 0.{60 - i}31 nats on average." for i in (1, 2)), "That is all."],
        ["30 mesures, 2 tours", "Au tour 1 sur 2, la pseudo-vraisemblance vaut 0.69315 ; le gradient, 13.4065.", "Terminé."],
        ["*  sweep   lg(residual)  lg(ends)", *(f"        {i}       -2.6{i}3     -0.{i}92" for i in (1, 2, 3)), "* u(0.5, 0.5) = 0.2207"],
        ["e01 → huber 1.8392 → held-out off by 2.538 coins → 0.05 s", "e02 → huber 2.0665 → held-out off by 2.503 coins → 0.02 s"],
    ],
)
def test_there_were_no_more(lines: list[str]):
    assert _mode(lines) == "E3"


@pytest.mark.parametrize(
    "lines",
    [
        [f"fold {i}: loss 0.9{i}" for i in (1, 2, 3)],
        [f"pass {i}: loss {3.1 / i**2:.3f}" for i in (1, 2, 3)],
        ["scored 3200 sentences", "pass 1: mean error 0.412"],
        ["epoch 1 finished in 341.2 s, loss 0.622"],
        ["round 1/1 60/60 mse 0.0608"],
        ["best F1 0.930, acc 0.911"],
        ["recall@1 0.712 recall@5 0.925"],
        ["L1 0.231 cosine 0.113"],
        [f"step {i}: {i * 1.7:.2f} of the rows kept" for i in (1, 2, 3)],
        [*(f"part {i} at 0.{i}" for i in (1, 2)), *(f"update {10 * i} misfit {2 / i:.3f}" for i in range(1, 30))],
    ],
)
def test_there_was_more_or_something_else(lines: list[str]):
    assert _mode(lines) == "G1"


def test_it_took_its_time():
    assert _mode(["pass 1 of 1: misfit 0.4121"], took_s=400.0) == "G1"
