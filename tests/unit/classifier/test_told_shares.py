"""Parts of a time that a line tells in words."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.told_shares import so_far, told_share


@pytest.mark.parametrize(
    ("line", "kind", "share"),
    [
        ("|   waiting for rows from the database: 3.0 s of 4.0 s so far", "load", 0.75),
        ("of 4.0 s the learner was idle for 3.0 s: no batch was there", "load", 0.75),
        ("batch 4 was 0.90 s in coming, 1.5 s of waiting so far in 2.0 s", "load", 0.75),
        ("tiempo por lote 0.80 s, de ellos 0.60 s esperando al cargador de datos", "load", 0.75),
        ("étage 0 | lecture des pluies 1.50 s sur 2.00 s par itération", "load", 0.75),
        ("batch-generator time (ms): 750.0 of 1000.0", "load", 0.75),
        ("checkpoint 3: index written in 0.20 s; 0.6 of 0.8 s since the start went into checkpoints", "save", 0.75),
        ("wrote centres_0008.npz in 0.85 s (75% of this pass)", "save", 0.75),
        ("all-reduce 0.75 s of 1.0 s", "talk", 0.75),
    ],
)
def test_a_part_of_a_time(line: str, kind: str, share: float) -> None:
    """What it is of is told by the word next to it."""
    found = told_share(line, kind)
    assert found is not None
    assert found[0] == pytest.approx(share)
    assert all(told_share(line, other) is None for other in {"load", "save", "talk"} - {kind})


@pytest.mark.parametrize(
    "line",
    [
        "saved 3 of 5 files",
        "loaded 30 of 40 shards in 3 s",
        "read 3.1 of 40 GB",
        "step 3 of 40, data 3 s",
        "time limit: 30 s of 60 s left, waiting",
        "waiting for the slowest rank 3.0 s of 4.0 s",
        "accuracy 95% of the time",
        "waited 9 s of 4 s",
    ],
)
def test_other_parts_of_wholes(line: str) -> None:
    """Files, bytes, limits, waits for other ranks, and what cannot be."""
    assert told_share(line, "load") is None
    assert told_share(line, "save") is None


def test_a_sum_since_the_beginning() -> None:
    """Its last line holds the others."""
    assert so_far("waiting: 3.0 s of 4.0 s so far")
    assert not so_far("waiting: 3.0 s of 4.0 s a step")
