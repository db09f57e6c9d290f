"""The best that a loss held."""

from __future__ import annotations

from gpualert_slurm.classifier.numbers import epoch_and_step
from gpualert_slurm.classifier.shapes import settled_best


def test_one_lucky_batch_is_no_best() -> None:
    """A single value far below its neighbours is noise."""
    assert settled_best([2.0] * 10 + [0.1] + [2.0] * 10) == 2.0


def test_a_best_that_held_counts() -> None:
    """Five in a row are no luck."""
    assert settled_best([2.0] * 10 + [0.1] * 5 + [2.0] * 10) == 0.1


def test_of_few_values_the_lowest_counts() -> None:
    """There is too little to tell noise by."""
    assert settled_best([2.0, 0.1, 2.0]) == 0.1


def test_an_epoch_and_its_step_in_one_pair_of_brackets() -> None:
    """As in two pairs."""
    told = {"epoch": 1.0, "epochs": 3, "step": 5, "planned": 20, "per_epoch": True}
    assert epoch_and_step("[01/03 |   5/20] loss 0.67") == told
    assert epoch_and_step("[1/3][5/20]") == told
    assert epoch_and_step("(1/3, 5/20) loss 0.67") == told
    assert epoch_and_step("[1/3] 5/20") is None
