"""A slowed card, by what the program prints of it."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

SLOW = range(20, 60)


def _mode(line, steps: int = 60) -> str:
    told = [line(i, i in SLOW) for i in range(1, steps + 1)]
    times, now = [], 1.0
    for i in range(1, steps + 1):
        now += 0.4 if i in SLOW else 0.1
        times.append(now)
    run = Run(command=("python", "train.py")).rank(0, "n1", "".join(f"{x}\n" for x in told), code=0, end=now + 1, times=times)
    return run.accounting("COMPLETED", code=0, end=now + 2).verdict().mode


STATES = {
    "nvidia-smi's words": lambda i, slow: (
        f"step {i}/60 loss {3 / i:.4f} | SM {375 if slow else 1980} MHz of 1980 MHz, HW thermal slowdown: {'Active' if slow else 'Not Active'}"
    ),
    "a step that takes longer": lambda i, slow: f"step {i} loss {3 / i:.4f} step_time {0.41 if slow else 0.11:.2f} clock {600 if slow else 1755} MHz",
}
FINE = {
    "a clock that is kept": lambda i, slow: f"step {i} loss {3 / i:.4f} SM {1900 + i % 7} MHz, HW thermal slowdown: Not Active",
    "an idle card between": lambda i, slow: f"step {i} loss {3 / i:.4f} step_time 0.11 clock {210 if slow else 1755} MHz",
    "no slowdown by its word": lambda i, slow: f"step {i} loss {3 / i:.4f} clock {600 if slow else 1755} MHz throttle: none",
    "the memory's clock": lambda i, slow: f"step {i} loss {3 / i:.4f} step_time {0.41 if slow else 0.11:.2f} mem {405 if slow else 2619} MHz",
}


@pytest.mark.parametrize("line", STATES.values(), ids=STATES)
def test_a_clock_far_down_for_long_is_told_with_what_it_cost(line):
    """The driver's reasons were not read; nobody is blamed."""
    assert _mode(line) == "B3"


@pytest.mark.parametrize("line", FINE.values(), ids=FINE)
def test_a_clock_that_is_low_for_other_reasons_is_none(line):
    assert _mode(line) == "G1"
