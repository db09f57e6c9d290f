"""Decimal commas, told from thousands, lists and pairs."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.numbers import pointed


@pytest.mark.parametrize(
    ("text", "made"),
    [("perte = 1,0656, norme = 3.21", "perte = 1.0656, norme = 3.21"), ("loss=0,123", "loss=0.123"), ("Verlust: 12,5 (best 11,25)", "Verlust: 12.5 (best 11.25)"),
     ("Durchgang 1, Stapel 10: Kreuzentropie 1,6801", "Durchgang 1, Stapel 10: Kreuzentropie 1.6801"), ("perte 12,45 à 3", "perte 12.45 à 3")],
)
def test_a_decimal_comma_behind_a_name_is_a_point(text, made):
    assert pointed(text) == made


@pytest.mark.parametrize("text", ["samples: 1,234", "shape: (24,15)", "x=[1,2,3]", "loss=0.31, acc=0.5", "n=10,000,000", "no number, none", "step 3, loss 0.5", "read 12,480 rows", "ranks 0,1", "GPUs 0,1,2,3"])
def test_other_commas_stay(text):
    assert pointed(text) == text
