"""Runs that say how far their earlier part had come, and begin at the beginning."""

from __future__ import annotations

import pytest

from tests.unit.classifier.test_unmet import _mode


@pytest.mark.parametrize(
    ("head", "mode"),
    [
        ("continuing part 3 (parts 1-2 reached epoch 200)", "E2"),
        ("previous segment ended at epoch 55; restored epoch = 0", "E2"),
        ("Latest checkpoint: None\nContinuing run 'segm_v5' (previous best val_iou 0.7312 at epoch 48)", "E2"),
        ("the baseline of the previous run ended at epoch 55", "G1"),
        ("previous runs took 300 s per epoch, expected 20 epochs", "G1"),
        ("starting", "G1"),
    ],
)
def test_a_sentence_about_an_earlier_part(head: str, mode: str):
    assert _mode(head, "python", "fit.py") == mode


@pytest.mark.parametrize(
    "head",
    [
        "[ckpt] loading /data/ck/bert_large_s240000.pt ... ok (strict=False)\n[ckpt] keys in file: 391, matched: 0",
        "Loading adapter from /home/k/adapters/legal/checkpoint-3200\nsize mismatch ignored: 256 of 256 adapter tensors left at initialization",
    ],
)
def test_what_another_line_names_and_nothing_of_it_was_taken(head: str):
    assert _mode(head, "python", "fit.py") == "E2"
    assert _mode(head.replace("matched: 0", "matched: 391").replace("256 of 256", "0 of 256"), "python", "fit.py") == "G1"
