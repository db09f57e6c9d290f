"""Other tongues' words for a run that trained nothing."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.untrained_abroad import untrained_abroad
from tests.unit.classifier.records import Run


@pytest.mark.parametrize(
    "text",
    ["0 Beispiele nach Filter", "keine Schritte ausgeführt, Modell gespeichert", "nichts mehr zu lernen", "aucun exemple après filtrage", "0 lots.",
     "rien à faire", "0 muestras después del filtro", "nada que entrenar", "nenhum passo para treinar", "nessun campione trovato"],
)  # fmt: skip
def test_it_says_so(text: str) -> None:
    assert untrained_abroad(text)


@pytest.mark.parametrize(
    "text",
    ["0 Beispiele verworfen", "keine Fehler", "0 images corrupt", "aucune erreur, 40 étapes", "0 pasos omitidos", "0.0 pasos", "120 Schritte", "0 lots skipped",
     "keine Daten zum Prüfen", "20 muestras", "no steps were lost", "epochs: 0 / 30 steps"],
)  # fmt: skip
def test_it_says_something_else(text: str) -> None:
    assert not untrained_abroad(text)


def test_a_run_of_nothing_in_german() -> None:
    text = "Trainingsdaten: 0 Beispiele nach Filter\nkeine Schritte ausgeführt, Modell gespeichert\n"
    run = Run(command=("python", "t.py")).rank(0, "n1", text, code=0, end=9, times=[1.0, 2.0], stream="out")
    assert run.accounting("COMPLETED", code=0, end=10).verdict().mode == "E3"
