"""A count of those that have come, in one process's log, which stops short of all."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

SERVER = ["server: 30 rounds, min_available_clients=5", *[f"waiting for clients: {n} of 5 connected" for n in range(5)]]
COORDINATOR = ["starting domains 0..3 of 5", *[f"domain 0: domain {n} connected ({n}/4)" for n in range(1, 4)]]


def _mode(lines: list[str], *, end: float = 90) -> str:
    text = "\n".join(lines) + "\n"
    run = Run(command=("python", "serve.py")).rank(0, "n1", text, end=end, times=[1 + i / 10 for i in range(text.count("\n"))])
    return run.accounting("TIMEOUT", end=end + 1).verdict().mode


@pytest.mark.parametrize("lines", [SERVER, COORDINATOR])
def test_those_that_did_not_come_are_waited_for(lines: list[str]):
    assert _mode(lines) == "C1"


@pytest.mark.parametrize(
    "behind", [["waiting for clients: 5 of 5 connected"], ["round 1: sampled 4 clients"]], ids=["all came", "it went on with fewer"]
)
def test_a_count_that_came_to_its_end_or_was_left_lacks_nobody(behind: list[str]):
    assert _mode([*SERVER, *behind]) != "C1"
