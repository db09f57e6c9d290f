"""Tables of ranks, a column or a row for each."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.rank_tables import of_columns, of_rows
from tests.unit.classifier.test_standing_apart import _mode


def test_a_column_for_each_rank():
    told = of_columns(["per-rank busy time (ms)", "  steps |    r0     r1     r2 |  loss", "     20 |  389.4  398.6  689.7 | 4.163", "done"])
    assert told == ["per-rank busy time (ms) rank 0: 389.4 rank 1: 398.6 rank 2: 689.7"]
    assert of_columns(["step | a b c", "1 | 2 3 4"]) == []


def test_a_row_for_each_rank():
    rows = list(of_rows(["rank,step,compute_ms", "0,50,59.3", "1,50,120.0", "done"]))
    assert rows == ["rank,step,compute_ms", "rank 0 step=50 compute_ms=59.3", "rank 1 step=50 compute_ms=120.0", "done"]
    assert list(of_rows(["0,50,59.3"])) == ["0,50,59.3"]


@pytest.mark.parametrize(("slow", "mode"), [(2, "D3"), (None, "G1")])
def test_both_tell_a_slow_rank(slow: int | None, mode: str):
    columns = lambda i: [f"{20 * i:5d} | " + " ".join(f"{689.7 if r == slow else 390.1 + r:.1f}" for r in range(4)) + f" | {4 / i:.3f}"]  # noqa: E731
    assert _mode(None, before="per-rank busy time (ms)\nsteps | r0 r1 r2 r3 | loss", behind=columns) == mode
    rows = lambda i: [f"{r},{50 * i},{120.0 if r == slow else 59.3 + r},{2.0 if r == slow else 62.7},{0.7 / i:.4f}" for r in range(4)]  # noqa: E731
    assert _mode(None, before="rank,step,compute_ms,wait_ms,loss", behind=rows) == mode


def test_units_at_the_end_of_names_and_labels_of_srun():
    """``"fwdbwd_s": 3.004``; ``2: it 5 | gpu time/it 0.695 | idle/it 0.843``."""
    named = lambda i, r: f'{{"rank": {r}, "step": {i}, "fwdbwd_s": {3.0 if r == 1 else 1.09 + r / 50:.3f}, "loss": {1.8 / i:.4f}}}'  # noqa: E731
    assert _mode(named) == "D3"
    labels = lambda i, r: f"{r}: it {i} | gpu time/it {1.54 if r == 3 else 0.7} | idle/it {0.0 if r == 3 else 0.84} | rmse {0.24 / i:.5f}"  # noqa: E731
    assert _mode(labels, command=("srun", "-l", "python", "train_mesh.py")) == "D3"
