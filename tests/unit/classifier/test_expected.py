"""How many ranks the ranks themselves expect."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run


def _mode(says, ranks: int, *more: str, state: str = "CANCELLED") -> str:
    run = Run(command=("python", "fit.py"))
    for rank in range(ranks):
        text = "".join(f"{line}\n" for line in (says(rank), *more))
        run.rank(rank, "n1", text, signal=15, end=60, times=[1.0 + i for i in range(1 + len(more))])
    return run.accounting(state, code=0, signal=15, end=60).verdict().mode


@pytest.mark.parametrize(
    "says",
    [
        lambda r: f'ts=16:38:08Z lvl=info rank={r} msg="hello to the board" ranks=4',
        lambda r: f"# r{r}: torch 2.13.0+cpu, 4 ranks expected",
        lambda r: f"[{r}] world_size: 4",
    ],
)
def test_one_of_them_was_never_started(says):
    assert _mode(says, 3) == "C1"


@pytest.mark.parametrize("says", [lambda r: f"[{r}] of a world: 3 ranks in all, torch 2.13.0+cpu", lambda r: f"[{r}] ranks={r + 3}"])
def test_all_of_them_were_there_or_they_do_not_agree(says):
    assert _mode(says, 3) != "C1"


def test_each_waits_for_their_number():
    assert _mode(lambda r: f"[16:46:51] Abschnitt {r} auf n1: warte auf 4 Abschnitte, da sind: ", 4) == "C1"
    assert _mode(lambda r: f"[16:46:51] Abschnitt {r} auf n1: warte auf 4 Abschnitte, da sind: ", 4, "Schritt 1 Verlust 0.4121", "Schritt 2 Verlust 0.4001") != "C1"


@pytest.mark.parametrize(
    "says", [lambda r: f"proceso {r}: esperando a 6 procesos", lambda r: f"Rang {r} wartet auf 6 Prozesse", lambda r: f"worker {r}: waiting for 8 workers"]
)
def test_each_waits_for_more_than_were_started(says):
    assert _mode(says, 3) == "C1"
    assert _mode(lambda r: f"part {r}: reading 6 nodes of the graph", 3) != "C1"
