"""A program that leaves with a code of its own behind a last word that its number is none any more, in whatever language."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

WORDS = (
    "ecm = nan en la vuelta 5, lote 8: se detiene el entrenamiento",
    "el coste ya no es un número (nan): fin",
    "la perte n'est plus un nombre, arrêt",
    "der Verlust ist keine Zahl mehr",
    "the objective is not a number, giving up",
    "strata nie jest liczbą",
)
OTHERS = ("kept 3 files, gave up on 2 of them", "the number of rows (12) is not what was asked for", "nannies.csv: 4 columns, 5 were expected")


def _mode(last: str) -> str:
    lines = [f"vuelta {i} coste {2 / i:.3f}" for i in range(1, 20)] + [last]
    run = Run().rank(0, "n1", "\n".join(lines) + "\n", code=3, end=22, times=[1.0 + i for i in range(20)], stream="out")
    return run.accounting(code=3, end=23).verdict().mode


@pytest.mark.parametrize("last", WORDS)
def test_who_leaves_at_it_diverged(last: str):
    assert _mode(last) == "E1"


@pytest.mark.parametrize("last", OTHERS)
def test_who_leaves_for_another_reason_did_not(last: str):
    assert _mode(last) == "A3"
