"""Few steps, each of them slow: not a run that hardly trained."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run


def _verdict(line: str, each_s: float, command: tuple[str, ...]):
    text = "\n".join(line.format(i=i, loss=f"{3 * 0.8**i:.4f}") for i in range(1, 13)) + "\n"
    run = Run(command=command).rank(0, "n1", text, code=0, end=3 + 12 * each_s, times=[1 + each_s * i for i in range(1, 13)])
    return run.accounting("COMPLETED", code=0, end=4 + 12 * each_s).verdict()


@pytest.mark.parametrize(("talk", "each_s", "mode"), [("1.46", 1.6, "D2"), ("0.01", 0.15, "E3")])
def test_twelve_steps_of_exchange_are_bound_by_it(talk: str, each_s: float, mode: str):
    """A launcher bade three ranks; short steps of work are a handful."""
    told = _verdict(f"step {{i}}/12 loss {{loss}} compute 0.14s all_reduce {talk}s", each_s, ("torchrun", "--nproc_per_node=3", "train.py"))
    assert told.mode == mode


@pytest.mark.parametrize(("each_s", "mode"), [(1.6, "D2"), (0.1, "G1")])
def test_ranks_that_share_a_log_tell_their_times_each(each_s: float, mode: str):
    """Three lines a step, of as much each: no more than the step itself. Two seconds in all are nothing."""
    told = f"compute {0.04 * each_s:.3f}s exchange {0.91 * each_s:.3f}s"
    lines = [f"rank {r}: step {i}/24 loss {3 * 0.8**i + r / 100:.4f} {told}" for i in range(1, 25) for r in range(3)]
    times = [1 + each_s * i for i in range(1, 25) for _ in range(3)]
    run = Run(command=("python", "spawn.py")).rank(0, "n1", "\n".join(lines) + "\n", code=0, end=45, times=times)
    assert run.accounting("COMPLETED", code=0, end=46).verdict().mode == mode
