"""A handful of steps by the program's own word, and words that are of something else."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

FEW = {
    "batches": ["train examples 50000", "epoch 1: trained on 3 batches, mean loss 2.291", "saved model.pt"],
    "an optimiser's": ["gradient_accumulation_steps=64", "micro 70/70 loss 1.91", "optimizer.step() called 1 time(s)", "saved adapter"],
    "numbers in words": ["Loaded 80k reviews.", "The optimizer took two steps before the corpus ended.", "Mean loss 0.6925."],
    "of many": ["epoch 1: saw 2 of 48,000 batches", "train_loss 4.6131", "stored"],
    "French": ["Données : 9 120 phrases", "Arrêt après 4 pas d'apprentissage", "perte finale 8,91", "poids enregistrés"],
    "German": ["Modell mit 38 Mio. Gewichten", "nach 3 Schritten beendet", "Verlust zuletzt 2,31"],
}
OTHER = {
    "validation's": ["training for 40 epochs", "validation ran 3 batches", *(f"epoch {i} loss {2 * 0.9**i:.4f}" for i in range(40))],
    "of each pass": ["training: 2 updates per round", *(f"outer {i} loss {2 * 0.9**i:.4f}" for i in range(1, 40))],
    "left out": ["train loop", *(f"step {i}00 loss {2 * 0.9**i:.4f}" for i in range(1, 40)), "done, 5 batches skipped"],
    "of epochs": ["training", *(f"epoch {i}: trained on 4 batches, loss {2 * 0.9**i:.4f}" for i in range(1, 40))],
    "warm-up's": ["model compiled", "warmup ran 3 steps", *(f"step {i}00 loss {2 * 0.9**i:.4f}" for i in range(1, 40))],
    "a prediction's": ["predicting 3 batches with weights/best.pt", "batch 1", "batch 2", "batch 3", "submission.csv"],
}


def _mode(lines: list[str]) -> str:
    text = "\n".join(lines) + "\n"
    run = Run(command=("python", "fit.py")).rank(0, "n1", text, code=0, end=400, times=[1 + 9 * i for i in range(text.count("\n"))])
    return run.accounting("COMPLETED", code=0, end=401).verdict().mode


@pytest.mark.parametrize("lines", FEW.values(), ids=FEW.keys())
def test_a_handful_by_its_word(lines: list[str]):
    assert _mode(lines) == "E3"


@pytest.mark.parametrize("lines", OTHER.values(), ids=OTHER.keys())
def test_a_word_of_something_else(lines: list[str]):
    assert _mode(lines) == "G1"
