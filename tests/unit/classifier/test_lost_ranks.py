"""Who failed first where a node was lost: its ranks, by its own report or by those that the others do not have; never the ranks that were left."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run, steps
from tests.unit.classifier.signals import down, ticks

NODES = ("n1", "n2", "n3")


def _first(layout: dict[str, tuple[int, ...]], lost: str, *, told: bool = False):
    """Each node's ranks; the ``lost`` one is silent, or has ``told`` of its ranks before."""
    run = Run(NODES, node_events=(down(290, node=lost),))
    for node, ranks in layout.items():
        for rank in ranks:
            if node != lost or told:
                run.rank(rank, node, steps(1, 280), signal=9, end=300, times=ticks(280))
    if not told:
        run.silent(lost)
    first = run.accounting("NODE_FAIL", code=0, end=300).verdict().first_failure
    return (first.ranks, first.nodes) if first is not None else None


@pytest.mark.parametrize("lost", NODES)
def test_by_its_own_report(lost: str):
    layout = {"n1": (0, 3), "n2": (1, 4), "n3": (2, 5)}
    assert _first(layout, lost, told=True) == (layout[lost], (lost,))


def test_by_those_that_the_others_do_not_have():
    assert _first({"n1": (0, 1), "n2": (2, 3), "n3": (4, 5)}, "n2") == ((2, 3), ("n2",))
    assert _first({"n1": (0, 3), "n2": (1, 4), "n3": (2, 5)}, "n1") == ((0, 3), ("n1",))


def test_the_last_ones_by_their_places():
    """Nothing counts them: every other node has as many, one block after the other."""
    assert _first({"n1": (0, 1), "n2": (2, 3), "n3": (4, 5)}, "n3") == ((4, 5), ("n3",))


def test_no_part_of_them_is_told_for_all():
    """Dealt out one by one, the last rank of the lost node is not seen to be missing: what is known of them is not all."""
    first = _first({"n1": (0, 3), "n2": (1, 4), "n3": (2, 5)}, "n3")
    assert first is None or first[1] != ("n3",)
