"""A process that tells of no progress, prints as it goes on, and then nothing any more."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.untold import waits_where_stopped
from tests.unit.classifier.records import Run

WAITS = 'Traceback (most recent call last):\n  File "pack.py", line 14, in <module>\n    done.get()\n  File "/usr/lib/python3.11/threading.py", line 320, in wait\n    waiter.acquire()\nKeyboardInterrupt'
WORKS = 'Traceback (most recent call last):\n  File "pack.py", line 14, in <module>\n    x = embed(batch)\nKeyboardInterrupt'


def _run(lines: int, end: float, state: str, last: str = "") -> Run:
    rows = [f"embedded {500 * i} of 214,880 sequences (30.1/s)" for i in range(1, lines + 1)]
    text = "\n".join([*rows, *([last] if last else [])]) + "\n"
    run = Run(command=("python", "embed.py")).rank(
        0, "n1", text, signal=2 if last else 15, end=end, times=[*(2.0 * i for i in range(1, lines + 1)), *([end - 0.1] if last else [])]
    )
    return run.accounting(state, code=0, end=end + 1, time_limit_s=round(end))


@pytest.mark.parametrize(
    ("end", "state", "mode"), [(200.0, "TIMEOUT", "C3"), (44.0, "TIMEOUT", "F3"), (200.0, "CANCELLED", "C3"), (44.0, "CANCELLED", "F4")]
)
def test_lines_of_work_and_then_none_for_many_of_its_pauses_is_a_standstill(end: float, state: str, mode: str):
    """Batch generation and preparation count nothing that is training; that they fell silent says as much."""
    assert _run(20, end, state).verdict().mode == mode


@pytest.mark.parametrize(("last", "mode"), [(WAITS, "C3"), (WORKS, "F4")])
def test_an_interrupt_in_a_wait_tells_a_standstill_from_work(last: str, mode: str):
    """Where Ctrl-C found it: in a lock of Python's own, or at its work."""
    assert _run(5, 50.0, "CANCELLED", last).verdict().mode == mode


def test_the_innermost_frame_decides():
    assert waits_where_stopped(_run(5, 50.0, "CANCELLED", WAITS).record())
    assert not waits_where_stopped(_run(5, 50.0, "CANCELLED", WORKS).record())
    assert not waits_where_stopped(_run(5, 50.0, "CANCELLED").record())


@pytest.mark.parametrize(
    ("end", "state", "mode"), [(400.0, "TIMEOUT", "C2"), (400.0, "CANCELLED", "C2"), (44.0, "TIMEOUT", "F3"), (44.0, "CANCELLED", "F4")]
)
def test_ranks_that_worked_without_progress_had_met(end: float, state: str, mode: str):
    """They stood still in the midst of it, whatever it was; nobody says that they never met."""
    run = Run(command=("srun", "./solve"))
    for rank in range(3):
        rows = [f"sweep {i} of 900, residue 0.0{90 - i}" for i in range(1, 21)] if rank == 0 else ["mesh read"]
        run.rank(rank, "n1", "\n".join(rows) + "\n", signal=15, end=end, local=rank, times=[2.0 * i for i in range(1, len(rows) + 1)])
    assert run.accounting(state, code=0, end=end + 1, time_limit_s=round(end)).verdict().mode == mode


def test_a_line_of_waiting_that_repeats_itself_until_it_is_called_off():
    rows = ["reading index", *("lock 1398 not acquired on /scratch/cache.lock, waiting 5 s" for _ in range(40))]
    run = Run(command=("python", "x.py")).rank(0, "n1", "\n".join(rows) + "\n", signal=15, end=210, times=[5.0 * i for i in range(41)])
    assert run.accounting("CANCELLED", code=0, end=211).verdict().mode == "C3"
