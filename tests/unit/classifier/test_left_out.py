"""Steps that were counted and not taken."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

LINES = (
    "epoch {e}: optimizer steps {done}, skipped {gone} (non-finite grads), loss 2.3{e}0",
    "epoch {e} loss 2.3{e}0 - skipped {gone} of {of} batches",
    "Epoche {e} Verlust 2.3{e}0, {gone} von {of} steps verworfen",
)


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize(("gone", "mode"), [(248, "E3"), (3, "G1"), (120, "G1")])
def test_nearly_all_of_them(line: str, gone: int, mode: str):
    text = "".join(line.format(e=e, gone=gone, of=250, done=250 - gone) + "\n" for e in range(1, 6))
    run = Run().rank(0, "n1", text + "done\n", code=0, end=60, times=[9.0 * i for i in range(1, 7)], stream="out")
    assert run.accounting("COMPLETED", code=0, end=61.0).verdict().mode == mode
