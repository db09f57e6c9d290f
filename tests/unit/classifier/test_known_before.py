"""Numbers that lie still because of what was known before: of a run that only judges, or goes on with what was there."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run


def _mode(text: str, *command: str) -> str:
    times = [1.0 + i for i in range(text.count("\n"))]
    run = Run(command=command or ("python", "t.py")).rank(0, "n1", text, code=0, end=times[-1] + 1, times=times, stream="out")
    return run.accounting("COMPLETED", code=0, end=times[-1] + 2).verdict().mode


def _still(line: str, first: int = 1) -> str:
    return "".join(line.format(i=i, v=2.31 + 0.01 * ((i * 7) % 5 - 2)) + "\n" for i in range(first, first + 60))


@pytest.mark.parametrize(
    ("before", "mode"),
    [
        ("Evaluation mode, no gradient", "G1"),
        ("Evaluando modelo guardado (sin entrenamiento)", "G1"),
        ("scoring the test split", "G1"),
        ("prompts: 1200, seeds per prompt: 4", "G1"),
        ("training from random weights", "E1"),
        ("evaluation every 10 batches of training", "E1"),
        ("entrenamiento, con evaluación al final", "E1"),
    ],
)
def test_a_run_that_only_judges_has_nothing_to_learn(before: str, mode: str) -> None:
    """By its own words; those of a run that also trains are none."""
    assert _mode(f"{before}\n" + _still("batch {i}/60 loss {v:.4f}")) == mode


@pytest.mark.parametrize(
    ("command", "mode"),
    [(("python", "evaluate.py"), "G1"), (("python", "-m", "lm_eval", "--model", "hf"), "G1"), (("python", "retrieval.py"), "E1")],
)
def test_a_program_by_the_name_of_what_it_does(command: tuple[str, ...], mode: str) -> None:
    assert _mode(_still("[{i}/60] loss={v:.4f}"), *command) == mode


@pytest.mark.parametrize(
    ("before", "first", "mode"),
    [
        ("continuing from step 480000 (runs/lm/ckpt-480000)", 480_001, "G1"),
        ("weiter mit netz_080.pt (Epoche 80)", 1, "G1"),
        ("event='continuing' model='booster/round00080.ubj' trees=80", 1, "G1"),
        ("could not resume from runs/a.pt: starting anew", 1, "E1"),
        ("=> epochs=16 lr=0.0005 resume= patience=0 output=runs/joints", 1, "E1"),
    ],
)
def test_what_an_earlier_run_had_learned_may_lie_where_it_lay(before: str, first: int, mode: str) -> None:
    """A setting that is empty, and a state that could not be read, go on with nothing."""
    assert _mode(f"{before}\n" + _still("step {i} loss {v:.4f}", first)) == mode


def test_a_few_rounds_more_of_a_state_that_had_many_are_no_handful() -> None:
    """What it had is said on a line that looks like progress."""
    text = 'wine: net 900 bottles {"max_iter": 15}\nmemory: wine.joblib had 30 iterations, loss 0.4224\n'
    assert _mode(text + "".join(f"Iteration {i}, loss = {0.42 - 0.005 * i:.8f}\n" for i in range(1, 16))) == "G1"
