"""Words of ranks that wait for each other, in ways of saying it that nobody taught: and words of other business."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.meeting import of_meeting
from tests.unit.classifier.records import Run, steps
from tests.unit.classifier.signals import cpu_of, process, ticks

MEETS = [
    "Rendezvous'ing worker group",
    "[n03:1] contacting coordinator 10.1.4.7:8476 ...",
    "process 0: joining 4 processes",
    "part 2: 3 of 4 are here",
    "2/8 workers connected",
    "Connecting to scheduler at tcp://n1:8786",
    "waiting for chief",
    "I0101 12:00:00.000 31337 runtime.cc:11] Waiting for all tasks to register with the coordination service",
    "hvd: waiting on rank 3, not yet there",
    "init_process_group(backend=nccl) ...",
    "retrying head node in 5 s (attempt 7)",
    "taking setup.lock",
    "dialling n1:29500",
    "MPI_Init: expecting 16 processes",
    "not all replicas have joined yet",
    "entering start-up barrier",
]
OTHERS = [
    "step 40 loss 0.31",
    "loading shard 3 of 14",
    "reading vocabulary",
    "process group initialized",
    "all 8 workers connected",
    "8/8 workers connected",
    "building model with 12 layers",
    "tokenizing 40000 rows with 8 workers",
    "rank 3 is up",
]


@pytest.mark.parametrize("line", MEETS)
def test_it_speaks_of_meeting(line: str) -> None:
    """A word of waiting or joining beside those who are waited for, or beside a count of them that is not full."""
    assert of_meeting(line)


@pytest.mark.parametrize("line", OTHERS)
def test_it_speaks_of_something_else(line: str) -> None:
    """Progress, loading, and meetings that took place."""
    assert not of_meeting(line)


def _last_words(line: str, *, state: str = "TIMEOUT", cpu: float = 0.5, end: float = 60, more: int = 1):
    run = Run(("n1", "n2"))
    for rank in range(2):
        node = f"n{rank + 1}"
        run.rank(rank, node, "starting\n" + f"{line}\n" * more, signal=15, end=end + 0.5, times=[2.0, *ticks(more, (end - 6) / more, 2.0)] if more > 1 else [2.0, 3.0])
        run.node(node, processes=(process(node, rank=rank, command=("./train",)),), series=[cpu_of(node, rank, [cpu] * int(end / 2))])
    return run.accounting(state, code=0, end=end, time_limit_s=60, **({"cancelled_by_uid": 1000} if state == "CANCELLED" else {})).verdict()


@pytest.mark.parametrize("line", MEETS)
def test_last_words_of_meeting_before_a_limit(line: str) -> None:
    """Two ranks that slept behind them until the time limit never met: C1, not F3."""
    assert _last_words(line).mode == "C1"


def test_last_words_of_meeting_before_the_owner_cancels() -> None:
    """The owner's patience ended: C1 stands before F4."""
    assert _last_words("waiting for 1 peer", state="CANCELLED").mode == "C1"


def test_last_words_of_loading_before_a_limit() -> None:
    """Ranks that slept behind other words, with no place to meet: F3, for they may have waited for anything."""
    assert _last_words("reading vocabulary").mode == "F3"


def test_the_same_words_again_and_again() -> None:
    """A loop that says every few seconds that it waits is no sign of life: C1 although the last line came just before the limit."""
    assert _last_words("still waiting for rank 1 at n2:29500", more=12).mode == "C1"


def test_counting_again_and_again() -> None:
    """A loop that says other things to the end is none of it."""
    assert _last_words("staging shard at scratch", more=12).mode == "F3"


def _talks_on(line: str):
    """Ten seconds of steps, then a line every five seconds to the limit; ranks that use next to no CPU throughout."""
    run = Run(("n1", "n2"))
    for rank in range(2):
        node = f"n{rank + 1}"
        text = steps(1, 50) + "".join(f"{line.format(i=i)}\n" for i in range(1, 10))
        run.rank(rank, node, text, signal=15, end=60.5, times=[*ticks(50, 0.2), *ticks(9, 5.4, 11)])
        run.node(node, processes=(process(node, rank=rank, command=("python3", "train.py")),), series=[cpu_of(node, rank, [0.3] * 29)])
    return run.accounting("TIMEOUT", code=0, end=60, time_limit_s=60).verdict()


@pytest.mark.parametrize("line", ["still waiting for rank 1 ({i}0 s)", "[heartbeat] alive {i}", "barrier: 1/2 arrived", "retry {i}/20 all_reduce"])
def test_words_of_waiting_after_progress(line: str) -> None:
    """They are no sign of life: C2, measured from the last step."""
    assert _talks_on(line).mode == "C2"


@pytest.mark.parametrize("line", ["eval batch {i}/200 acc 0.{i}", "writing sample {i} of 40"])
def test_words_of_work_after_progress(line: str) -> None:
    """An evaluation that tells of itself to the limit is no hang: F3."""
    assert _talks_on(line).mode == "F3"
