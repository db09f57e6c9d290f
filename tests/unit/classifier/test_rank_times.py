"""The times of all ranks as one of them tells them."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

STEPS = 30


def _mode(line: str, behind: tuple[str, ...] = ()) -> str:
    told = [line.format(i=i, loss=f"{3.0 / (1 + i / 9):.4f}") for i in range(1, STEPS + 1)]
    times = [1 + 0.65 * i for i in range(1, STEPS + 1)] + [1 + 0.65 * STEPS] * len(behind)
    end = 3 + 0.65 * STEPS
    run = Run(command=("python", "train.py")).rank(0, "n1", "".join(f"{x}\n" for x in (*told, *behind)), code=0, end=end, times=times, local=0)
    for rank in (1, 2, 3):
        run = run.rank(rank, "n1", f"rank {rank} ready\n", code=0, end=end, times=[1.0], local=rank)
    return run.accounting("COMPLETED", code=0, end=end + 1).verdict().mode


@pytest.mark.parametrize(
    ("line", "mode"),
    [
        ("step {i} loss {loss} compute by rank [0.200, 0.210, 0.620, 0.205] s", "D3"),
        ("step {i} loss {loss} compute by rank [0.200, 0.210, 0.240, 0.205] s", "G1"),
        ("step {i} loss {loss} | work ms: r0=38 r1=275 r2=38 r3=39 | in all_reduce ms: r0=242 r1=7 r2=243 r3=241", "D3"),
        ("step {i} loss {loss} | work ms: r0=271 r1=275 r2=268 r3=270 | in all_reduce ms: r0=9 r1=7 r2=11 r3=8", "G1"),
        ("step {i} loss {loss} barrier wait per rank (s): [0.400, 0.410, 0.010, 0.420]", "D3"),
        ("step {i} loss {loss} barrier wait per rank (s): [0.040, 0.041, 0.010, 0.042]", "G1"),
    ],
)
def test_one_of_a_list_that_stands_apart_holds_up_the_others(line: str, mode: str) -> None:
    """By its work, or as the one that alone does not wait."""
    assert _mode(line) == mode


@pytest.mark.parametrize(("slow", "mode"), [("19.80     0.31", "D3"), ("6.60      1.20", "G1")])
def test_a_table_of_the_ranks_is_read(slow: str, mode: str) -> None:
    """At a log's end, by the names of its columns; a wait that is short beside the work is none."""
    table = ("rank   compute(s)   wait(s)", "   0    6.30     13.80", "   1    6.00     14.10", f"   2   {slow}", "   3    6.60     13.50")
    if mode == "G1":
        table = ("rank   compute(s)   wait(s)", "   0    6.30      1.50", "   1    6.00      1.80", f"   2   {slow}", "   3    7.50      0.30")
    assert _mode("step {i} loss {loss}", table) == mode


def test_ranks_may_be_the_keys_of_an_object() -> None:
    """And each told beside its time; who takes turns at being the slowest is none."""
    assert _mode('{{"step": {i}, "loss": {loss}, "compute_s": {{"0": 0.30, "1": 0.31, "2": 0.62, "3": 0.30}}}}') == "D3"
    assert _mode("step {i} loss {loss} | busy r0=0.30s r1=0.62s r2=0.29s r3=0.31s") == "D3"


@pytest.mark.parametrize(
    ("line", "slow", "alike"),
    [
        ("step {{i}} loss {{loss}} per-rank seconds: 0.20 0.21 {0} 0.20", "0.62", "0.22"),
        ("step {{i}} loss {{loss}} fastest rank 0.20s slowest rank {0}s (rank 2)", "0.62", "0.22"),
        ("step {{i}} loss {{loss}} | median 0.20 max {0} (r2)", "0.62", "0.22"),
        ("step {{i}} loss {{loss}} waiting for rank 2: {0} s", "0.41", "0.01"),
        ("step {{i}} loss {{loss}} t0=0.20s t1=0.21s t2={0}s t3=0.20s", "0.62", "0.22"),
        ("step {{i}} loss {{loss}}\n  slowest: rank 2 ({0}s), others avg 0.20s", "0.62", "0.22"),
        ("step {{i}} loss {{loss}}\n  per worker: w0 0.20s w1 0.21s w2 {0}s w3 0.20s", "0.62", "0.22"),
        ("step {{i}} loss {{loss}}\n  load time per rank: [0.0, 0.0, {0}, 0.0]", "0.443", "0.0"),
        ("step {{i}} loss {{loss}}\n  worker            0       1       2       3\n  compute s/step    0.200   0.210   {0}   0.200", "0.620", "0.220"),
        ("step {{i}} loss {{loss}}\n  worker 0: 0.20 s\n  worker 1: 0.21 s\n  worker 2: {0} s\n  worker 3: 0.20 s", "0.62", "0.22"),
    ],
)
def test_the_slow_one_is_named_in_many_ways(line: str, slow: str, alike: str) -> None:
    """The same one each time, far from the others."""
    assert _mode(line.format(slow)) == "D3"
    assert _mode(line.format(alike)) == "G1"
