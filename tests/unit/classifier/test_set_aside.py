"""A run that Slurm calls a success is not told as failed for a helper that its script stopped, or for a rank that had done its work."""

from __future__ import annotations

import pytest

from gpualert_slurm.accounting import StepRecord
from tests.unit.classifier.records import Run, at, steps, trace

TRACE = trace("PermissionError: [Errno 13] Permission denied: '/tmp/x'")


def _watched(watcher: str, signal: int | None = 9, code: int | None = None, trained: str = "COMPLETED") -> str:
    """Training in one step, a watcher in another that was stopped after it; ``watcher`` is Slurm's state of that step."""
    run = Run().rank(0, "n1", "gpu 0: 61 C\n", signal=signal, code=code, end=21, times=[20.0])
    run.rank(0, "n1", steps(1, 60), code=0, end=20.5, step="1", times=[20.0]).batch("done\n", code=0, end=23)
    parts = (("batch", "COMPLETED", 23), ("0", watcher, 22), ("1", trained, 20))
    records = tuple(StepRecord(step=step, state=state, exit_code=0, exit_signal=0, end_ns=at(end)) for step, state, end in parts)
    return run.accounting("COMPLETED", code=0, end=23, steps=records).verdict().mode


@pytest.mark.parametrize(("signal", "code"), [(9, None), (15, None), (None, 143)])
def test_a_helper_whose_step_was_cancelled_spoils_nothing(signal, code):
    assert _watched("CANCELLED", signal, code) == "G1"
    assert _watched("CANCELLED by 1000", signal, code) == "G1"


@pytest.mark.parametrize(
    ("watcher", "signal", "code", "trained"),
    [("FAILED", 9, None, "COMPLETED"), ("CANCELLED", 11, None, "COMPLETED"), ("CANCELLED", 9, None, "FAILED")],
)
def test_a_step_that_failed_by_itself_or_alone_is_looked_at(watcher, signal, code, trained):
    """Slurm's word of the step, the signal, and another step that was completed: all three."""
    assert _watched(watcher, signal, code, trained) != "G1"


def _pair(mine: int, its: int, *, code: int | None = 1, signal: int | None = None, state: str = "COMPLETED") -> str:
    run = Run().rank(0, "n1", steps(1, its), code=0, end=20, times=[19.0])
    run.rank(1, "n1", steps(1, mine) + TRACE, code=code, signal=signal, end=20.2, local=1, times=[19.0])
    run.batch("stored\n", code=0 if state == "COMPLETED" else 1, end=23)
    return run.accounting(state, code=0 if state == "COMPLETED" else 1, end=23).verdict().mode


def test_a_rank_that_failed_behind_its_last_step_spoils_nothing():
    """It had come as far as the rank that ended well, and the script went on to a good end."""
    assert _pair(60, 60) == "G1"


def test_a_rank_that_failed_before_is_a_failure():
    assert _pair(40, 60) == "A3"
    assert _pair(60, 60, state="FAILED") == "A3"
    assert _pair(0, 60) in {"A1", "A3"}
    assert _pair(60, 60, code=None, signal=11) != "G1"


MISSING = trace("FileNotFoundError: [Errno 2] No such file or directory: 'index/rows'")


def _again(first: tuple[str, str], then: tuple[str, str]) -> str:
    """Two steps of two ranks each, the first of which failed; only rank 0 tells of progress."""
    run = Run()
    for rank in (0, 1):
        run.rank(rank, "n1", first[rank], code=1, end=10, local=rank, times=[9.0])
        run.rank(rank, "n1", then[rank], code=0, end=40, local=rank, step="1", times=[39.0])
    run.batch("".join(f"[rank{r}]: {line}\n" for r in (0, 1) for line in first[r].splitlines()) + "done\n", code=0, end=43)
    parts = (("batch", "COMPLETED", 43), ("0", "FAILED", 10), ("1", "COMPLETED", 40))
    records = tuple(StepRecord(step=step, state=state, exit_code=int(state == "FAILED"), exit_signal=0, end_ns=at(end)) for step, state, end in parts)
    return run.accounting("COMPLETED", code=0, end=43, steps=records).verdict().mode


def test_a_step_that_failed_and_was_run_again_to_its_end():
    """The script made what was missing, and the next step trained."""
    assert _again((MISSING, MISSING), (steps(1, 60), "")) == "G1"
    assert _again((steps(1, 30) + MISSING, MISSING), (steps(25, 60), "")) == "G1"


def test_a_training_that_failed_before_a_step_of_other_work():
    """The script swallowed the failure of its only training."""
    assert _again((MISSING, MISSING), ("copied 3 files\n", "")) != "G1"
    assert _again((steps(1, 30) + MISSING, MISSING), ("accuracy on the test set: 0.41\n", "")) != "G1"
    assert _again((steps(1, 60) + MISSING, MISSING), (steps(1, 20), "")) != "G1"
