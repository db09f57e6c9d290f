"""One of several hosts, tasks or workers that works while the others wait; and the shortest and longest time of ranks without names."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.by_members import slow_member
from gpualert_slurm.classifier.spread import spread
from tests.unit.classifier.test_standing_apart import _mode


def _nodes(i: int, slow: str | None) -> list[str]:
    each = [(node, (2914 + i, 98) if node == slow else (1100 + i, 1890)) for node in ("a100-04", "a100-05", "a100-06", "a100-07")]
    return [f'{{"node": "{node}", "step": {i}, "compute_ms_avg": {work}, "barrier_ms_avg": {wait}}}' for node, (work, wait) in each]


def test_a_host_that_computes_while_the_others_wait():
    lines = [line for i in range(1, 6) for line in _nodes(i, "a100-06")]
    found = slow_member(lines)
    assert found is not None
    assert (found.who, found.place, found.own) == ("a100-06", 2, 2917)
    assert slow_member([line for i in range(1, 6) for line in _nodes(i, None)]) is None
    assert _mode(None, behind=lambda i: [f"step {i} loss {3 / i:.3f}", *_nodes(i, "a100-06")]) == "D3"


def test_a_table_of_tasks_with_their_hosts():
    rows = [
        f"task   {t}  c10{t // 2}   solve {1131.5 if t == 3 else 370.0 + t:7.1f}   wait_halo {9.9 if t == 3 else 770.0 - t:7.1f}" for t in range(6)
    ]
    found = slow_member(rows)
    assert found is not None
    assert found.who == "3"


@pytest.mark.parametrize("line", ["node n0{n} temp {t} C util 90", "worker {n} loaded {t} files in 3.1 s", "gpu {n} clock_mhz={t} mem_gb=40.1"])
def test_other_numbers_of_members_are_no_times(line: str):
    assert slow_member([line.format(n=n, t=900 if n == 2 else 300) for n in range(4) for _ in range(5)]) is None


@pytest.mark.parametrize(("most", "mode"), [(2724.9, "D3"), (1290.3, "G1")])
def test_megatrons_shortest_and_longest_times(most: float, mode: str):
    """``forward-compute ....: (1203.90, 2724.93)``: somebody is slow, whoever it is."""
    timers = [
        f"    forward-compute ................................: (1203.90, {most:.2f})",
        "    forward-backward ...............................: (4104.10, 8013.10)",
    ]
    assert _mode(None, behind=lambda i: [f"iteration {i} lm loss {3 / i:.3f}", *timers]) == mode


def test_the_same_in_names():
    line = "step:{i} - timing_s/gen_min_worker:{least} - timing_s/gen_max_worker:211.1"
    assert spread([line.format(i=i, least=46.4) for i in range(6)]) is not None
    assert spread([line.format(i=i, least=180.4) for i in range(6)]) is None
