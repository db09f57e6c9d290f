"""Runs whose one count came to its end after a handful; and those that counted on, took their time or count something else."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run


def _mode(lines: list[str], took_s: float = 3.0) -> str:
    text = "\n".join(lines) + "\n"
    run = Run(command=("python", "fit.py")).rank(0, "n1", text, code=0, end=took_s, times=[took_s * (i + 1) / (len(lines) + 1) for i in range(len(lines))])
    return run.accounting("COMPLETED", code=0, end=took_s).verdict().mode


FORMS = (
    lambda i, n: f"~~ game     {i}/{n}  return   +{i}.70  moves  44.0  eps 0.29",
    lambda i, n: f"blk    {i}/{n}   err  -1{i}.58 dB   erle   6.09 dB",
    lambda i, n: f"23/11 14:53:52 I Cycle   {i}/{n} : MAE apprentissage {1818.5 / i:.1f} meV",
    lambda i, n: f"vuelta {i} de {n}: desajuste {3.1 / i:.4f}",
)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("count", "took_s", "mode"), [(5, 3.0, "E3"), (3, 5.0, "E3"), (5, 300.0, "G1"), (40, 3.0, "G1")])
def test_a_handful_of_moments(form, count: int, took_s: float, mode: str):
    assert _mode([form(i, count) for i in range(1, count + 1)], took_s) == mode


@pytest.mark.parametrize(
    "lines",
    [
        [f"[CV {i}/3] END C=0.1, score=0.95 total time=0.0s" for i in range(1, 4)],
        [f"epoch {i}/3 loss {2.1 / i:.3f}" for i in range(1, 4)],
        [f"fold {i}/5 acc 0.9{i}" for i in range(1, 6)],
        [f"loaded shard {i}/4 in 0.1{i} s" for i in range(1, 5)],
        [*(f"stage {i}/2 at 0.{i}" for i in range(1, 3)), *(f"step {10 * i} loss {2 / i:.3f}" for i in range(1, 30))],
    ],
)
def test_what_else_is_counted_so(lines: list[str]):
    assert _mode(lines) == "G1"


@pytest.mark.parametrize(
    ("command", "mode"),
    [
        (("--epochs", "1"), "E3"),
        (("rounds=1", "sentences=4"), "E3"),
        (("--trees", "2"), "E3"),
        (("epocas:1",), "E3"),
        (("--epochs", "3"), "G1"),
        (("--epochs", "1", "--max_steps", "900"), "G1"),
        (("--rounds", "40"), "G1"),
        (("--workers", "2"), "G1"),
    ],
)
def test_what_the_command_line_asks_for(command: tuple[str, ...], mode: str):
    run = Run(command=("python", "fit.py", *command)).rank(0, "n1", "900 beats\nreconstruction 0.034\nweights are in out/\n", code=0, end=3.0, times=[1.0, 1.1, 1.2])
    assert run.accounting("COMPLETED", code=0, end=3.0).verdict().mode == mode
