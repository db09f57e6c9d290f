"""Ranks whose patience with the others ended, in programs' own words: a hang's end; and time-outs of other business, which are crashes."""

from __future__ import annotations

import pytest

from gpualert_slurm.cause import Cause
from gpualert_slurm.verdict import Verdict
from tests.unit.classifier.records import Run, steps, trace
from tests.unit.classifier.signals import ticks

PATIENCE = [
    "TimeoutError: timed out",
    "socket.timeout: timed out",
    "TimeoutError: rank 3 did not join within 45 s",
    "RuntimeError: all_reduce timed out after 30 s waiting for rank 1",
    "threading.BrokenBarrierError",
    "RuntimeError: no answer from peer 1 for 25 s, giving up",
]
OTHER_BUSINESS = [
    "_queue.Empty",
    "requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='example.org', port=443): Read timed out. (read timeout=10)",
    "urllib.error.URLError: <urlopen error timed out>",
    "filelock._error.Timeout: The file lock '/x/y.lock' could not be acquired.",
    "RuntimeError: DataLoader timed out after 30 seconds",
    "subprocess.TimeoutExpired: Command '['rsync']' timed out after 30 seconds",
    "KeyError: 'timeout'",
]


def _failed(error: str, *, advanced: int, after: float) -> Verdict:
    """Rank 0 of two raises ``after`` so many seconds, its launcher takes the other down."""
    run = Run(("n1", "n2"))
    text = steps(1, advanced * 5) if advanced else "starting\n"
    times = ticks(advanced * 5, 0.2) if advanced else [1.0]
    run.rank(0, "n1", text + trace(error), code=1, end=after, times=[*times, *[after - 0.1] * 5])
    run.rank(1, "n2", text, signal=15, end=after + 0.5, times=times)
    return run.accounting(end=after + 1).verdict()


@pytest.mark.parametrize("error", PATIENCE)
def test_after_progress_and_long_stillness(error: str) -> None:
    """Nobody had got on for half a minute: C2, and the cause is the exception's."""
    verdict = _failed(error, advanced=10, after=40)
    assert (verdict.mode, verdict.variant) == ("C2", None)
    assert verdict.cause in {Cause.TRACEBACK, Cause.RUNTIME_ERROR}


@pytest.mark.parametrize("error", PATIENCE)
def test_before_any_progress(error: str) -> None:
    """C1: the ranks never met."""
    assert _failed(error, advanced=0, after=60).mode == "C1"


@pytest.mark.parametrize("error", PATIENCE)
def test_a_second_after_progress(error: str) -> None:
    """Nobody waited: a crash in mid-training, A3."""
    assert _failed(error, advanced=10, after=11).mode == "A3"


@pytest.mark.parametrize("error", OTHER_BUSINESS)
def test_time_outs_of_other_business(error: str) -> None:
    """A download, a lock, a loader, a child: A3 after progress, A1 before, however long it took."""
    assert _failed(error, advanced=10, after=40).mode == "A3"
    assert _failed(error, advanced=0, after=60).mode == "A1"


def _left(line: str, *, advanced: int) -> Verdict:
    """Rank 0 says so after forty seconds and leaves with 3; nobody raises anything."""
    text, times = (steps(1, advanced * 5), ticks(advanced * 5, 0.2)) if advanced else ("starting\n", [1.0])
    run = Run(("n1", "n2")).rank(0, "n1", f"{text}{line}\n", code=3, end=40, times=[*times, 39.9])
    return run.rank(1, "n2", text, signal=15, end=40.5, times=times).accounting(code=3, end=41).verdict()


@pytest.mark.parametrize(
    "line", ["rank 0: peers silent for 40 s, leaving", "gave up waiting for 1 worker", "FATAL: no answer from rank 1 in 35 s", "all_reduce: timed out"]
)
def test_words_without_an_exception(line: str) -> None:
    """A program that says in a line of its own why it leaves: C2 after progress, C1 before."""
    assert _left(line, advanced=5).mode == "C2"
    assert _left(line, advanced=0).mode == "C1"


@pytest.mark.parametrize("line", ["no rows left in dev.tsv", "request to model hub timed out"])
def test_other_words_without_an_exception(line: str) -> None:
    """No hang is read into them."""
    assert _left(line, advanced=5).mode not in {"C1", "C2"}


def test_a_rank_alone() -> None:
    """It waits for nobody: its time-out is a crash."""
    run = Run().rank(0, "n1", steps(1, 50) + trace("TimeoutError: timed out"), code=1, end=40, times=[*ticks(50, 0.2), *[39.9] * 5])
    assert run.accounting(end=41).verdict().mode == "A3"
