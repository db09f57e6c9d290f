"""A straggler by the ranks' own account."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

STEPS = 24


def _mode(lines: list[str], every: float = 0.5) -> str:
    """The verdict of one run of as many ranks as there are lines, which each tell the same at each step."""
    run, end = Run(command=("python", "train.py")), 2 + every * STEPS
    for rank, line in enumerate(lines):
        told = [f"step {i}/{STEPS} loss {3.0 / (1 + i / 9):.4f}\n{line.format(i=i)}\n" for i in range(1, STEPS + 1)]
        times = [1 + every * (i // 2) for i in range(2 * STEPS)]
        run = run.rank(rank, "n1", "".join(told), code=0, end=end, times=times, local=rank)
    return run.accounting("COMPLETED", code=0, end=end + 1).verdict().mode


@pytest.mark.parametrize(
    ("slow", "other"),
    [
        ("own 0.380 s, waiting for others 0.003 s", "own 0.025 s, waiting for others 0.358 s"),
        ('{{"kind": "timing", "own_sec": 0.381, "wait_for_others_sec": 0.003}}', '{{"kind": "timing", "own_sec": 0.025, "wait_for_others_sec": 0.358}}'),
        ("compute 0.420 s, barrier wait 0.005 s", "compute 0.031 s, barrier wait 0.392 s"),
        ("forward 0.400 s, idle until the slowest is there 0.001 s", "forward 0.030 s, idle until the slowest is there 0.378 s"),
        ("own search 0.430 s, whole round 0.443 s", "own search 0.010 s, whole round 0.443 s"),
        ("Rechnen 0.400s gesamt 0.415s", "Rechnen 0.036s gesamt 0.415s"),
        ('{{"kind": "timing", "compute_s": 0.421, "wait_s": 0.002}}', '{{"kind": "timing", "compute_s": 0.042, "wait_s": 0.381}}'),
        ("own forward pass 0.36 s per step, gradient exchange 0.00 s", "own forward pass 0.02 s per step, gradient exchange 0.34 s"),
        ("{i}: 0.42 s in the tide model, 0.05 s for the rest and waiting", "{i}: 0.02 s in the tide model, 0.45 s for the rest and waiting"),
        ("compute 0.36 s, barrier wait 0.01 s", "compute 0.20 s, barrier wait 0.17 s"),
    ],
)
def test_one_rank_works_while_the_others_wait(slow: str, other: str) -> None:
    """All of them tell so, at each step."""
    assert _mode([other, slow, other]) == "D3"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("compute 0.40 s, barrier wait 0.02 s", "compute 0.38 s, barrier wait 0.04 s"),
        ("compute 0.28 s, barrier wait 0.02 s", "compute 0.20 s, barrier wait 0.10 s"),
        ("0.02 s in the tide model, 0.45 s for the rest and waiting", "0.02 s in the tide model, 0.45 s for the rest and waiting"),
        ("compute 0.04 s, barrier wait 0.36 s", "compute 0.04 s, barrier wait 0.36 s"),
        ("compute 0.40 s, data 0.02 s", "compute 0.03 s, data 0.39 s"),
        ("compute 0.004 s, barrier wait 0.001 s", "compute 0.001 s, barrier wait 0.004 s"),
        ("own 0.20 s, waiting for others 0.20 s", "own 0.03 s, waiting for others 0.37 s"),
    ],
)
def test_ranks_alike_waits_of_all_and_moments_make_no_straggler(one: str, other: str) -> None:
    """Nor does one that waits as long as it works."""
    assert _mode([other, one, other]) != "D3"


def test_a_rank_that_loads_slowly_holds_up_the_others() -> None:
    """What it loads is its own work; the exchange is where the others wait."""
    assert _mode(["data 0.01s fwd+bwd 0.10s allreduce 0.37s", "data 0.37s fwd+bwd 0.10s allreduce 0.01s", "data 0.01s fwd+bwd 0.10s allreduce 0.37s"]) == "D3"


def _shared(lines: list[str]) -> str:
    """The verdict of a run whose ranks write into one log."""
    told = [f"joined, {len(lines)} processes"] * 2 + [line.format(i=i, t=f"00:30:{10 + i}") for i in range(1, STEPS + 1) for line in lines]
    times = [1 + i // len(lines) for i in range(len(told))]
    run = Run(command=("torchrun", "--nproc-per-node=2", "train.py")).rank(0, "n1", "\n".join(told) + "\n", code=0, end=STEPS + 2, times=times)
    return run.accounting("COMPLETED", code=0, end=STEPS + 3).verdict().mode


@pytest.mark.parametrize("who", ["{{t}} gauge-{r} step {{i}}/24 mse 0.{{i}}", "[{r}] step {{i}} loss 0.{{i}}", "[{{t}} r{r}/3] step {{i}} loss 0.{{i}}"])
def test_ranks_that_share_a_log_are_told_apart_by_their_numbers(who: str) -> None:
    slow, other = " compute 0.93s exchange 0.01s", " compute 0.02s exchange 0.92s"
    assert _shared([who.format(r=r) + (slow if r == 1 else other) for r in range(3)]) == "D3"
    assert _shared([who.format(r=r) + other for r in range(3)]) != "D3"


def test_epochs_that_follow_each_other_are_no_ranks() -> None:
    lines = [f"epoch {e} 2 workers loss 0.{9 - e} compute {0.9 if e == 1 else 0.1}s exchange {0.01 if e == 1 else 0.8}s" for e in (0, 1) for _ in range(12)]
    run = Run(command=("python", "train.py")).rank(0, "n1", "\n".join(lines) + "\n", code=0, end=26, times=[1.0 + i for i in range(24)])
    assert run.accounting("COMPLETED", code=0, end=27).verdict().mode != "D3"


SHARED = {
    "the rank in the middle of a line": (
        lambda i, r, slow: f"Epoch {i}/24 [rank {r}] loss={3 / i:.4f} compute={'3.11' if slow else '0.50'}s sync={'0.03' if slow else '2.63'}s"
    ),
    "records whose times have other names": (
        lambda i, r, slow: f'{{"host": "gn2{r}", "rank": {r}, "step": {i}, "loss": {3 / i:.4f}, "t_prepare": {0.4 if slow else 0.06}, '
        f'"t_step_incl_sync": {0.02 if slow else 0.36}}}'
    ),
}


def _one_log(line, slow: int | None, *, glued: bool = False) -> str:
    """The verdict of a program whose three ranks write into one log; ``glued``: two of their lines came without an end between."""
    told = []
    for i in range(1, STEPS + 1):
        each = [line(i, rank, rank == slow) for rank in range(3)]
        told += ["".join(each)] if glued and i % 3 == 0 else each
    end = 2 + 0.5 * STEPS
    times = [1 + 0.5 * STEPS * i / len(told) for i in range(len(told))]
    run = Run(command=("torchrun", "--nproc_per_node=3", "train.py")).rank(0, "n1", "".join(f"{x}\n" for x in told), code=0, end=end, times=times, local=0)
    return run.accounting("COMPLETED", code=0, end=end + 1).verdict().mode


@pytest.mark.parametrize("line", SHARED.values(), ids=SHARED)
@pytest.mark.parametrize("glued", [False, True])
def test_ranks_in_one_log_are_told_apart_wherever_their_number_stands(line, glued: bool) -> None:
    """Also where two wrote at once, and whatever their times are called: what one works longer, the others wait longer."""
    assert _one_log(line, 1, glued=glued) == "D3"
    assert _one_log(line, None, glued=glued) != "D3"
