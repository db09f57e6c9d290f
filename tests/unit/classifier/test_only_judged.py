"""Runs that were told to evaluate, and not to train."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

ERRORS = (0.9, 0.67, 0.52, 0.7, 0.55, 0.45)
EVALUATED = "".join(f"suceso=evaluacion teselas={15 * i}-{15 * i + 14} error_medio={error:.3f}\n" for i, error in enumerate(ERRORS))


def _mode(settings: str, *command: str) -> str:
    text = f"suceso=inicio vueltas=30 tasa=0.003 reanudar=modelos/olivos-010.pt salida=modelos guardar_cada=10 {settings}\n{EVALUATED}suceso=fin error_medio=0.6\n"
    times = [1 + 0.5 * i for i in range(text.count("\n"))]
    run = Run(command=("python", "tiles.py", *command)).rank(0, "n1", text, code=0, end=times[-1] + 1, times=times, stream="out")
    return run.accounting("COMPLETED", code=0, end=times[-1] + 2).verdict().mode


@pytest.mark.parametrize("settings", ["eval_only=True", "solo_evaluar=True", "score_only: true", "'test-only': 1"])
def test_a_run_whose_settings_say_so_only_evaluates(settings: str) -> None:
    """It has nothing to go on with, and lost no checkpoint."""
    assert _mode(settings, "--resume", "modelos/olivos-010.pt") == "G1"


@pytest.mark.parametrize("option", ["--eval-only", "--validate_only", "solo_evaluar=True"])
def test_a_word_of_the_command_line_says_it_as_well(option: str) -> None:
    """A flag, or a setting."""
    assert _mode("", "--resume", "modelos/olivos-010.pt", option) == "G1"


@pytest.mark.parametrize("settings", ["", "eval_only=False", "score_only: 0", "eval_only_every=20"])
def test_a_run_that_is_to_train_is_judged_by_what_it_learned(settings: str) -> None:
    """The same without the word, or with its no."""
    assert _mode(settings, "--resume", "modelos/olivos-010.pt") == "E2"
