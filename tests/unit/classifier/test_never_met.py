"""Runs whose ranks never met and that somebody or a limit ended early: short silences after a slow start, and what tells them from other work."""

from __future__ import annotations

import pytest

from gpualert_slurm.cause import Cause
from gpualert_slurm.rank import CgroupMemory
from tests.unit.classifier.records import Run, at, steps
from tests.unit.classifier.signals import cpu_of, kernel, process

RANKS = 3
ENVIRONMENT = {"MASTER_ADDR": "n1", "MASTER_PORT": "29500", "RANK": "0"}


def asleep(lines: list[str], *, state: str = "CANCELLED", begun: float = 40, end: float = 72, world: int = RANKS, cpu: float = 0.5, own=None, dead=None):
    """Ranks that worked until ``begun``, said their line and used so much CPU from then on; ``own``: times of the last one's lines; ``dead``: its end."""
    run, processes = Run(("n1",)), []
    for rank, said in enumerate(lines):
        mine = rank == len(lines) - 1
        times = own if mine and own else [begun] * 20
        gone = dead if mine else None
        run.rank(rank, "n1", said + "\n" if said else "", signal=None if gone else 15, code=1 if gone else None, end=gone or end, times=times)
        readings = [30.0] * int(begun / 2) + [cpu] * int((end - begun) / 2)
        env = {**ENVIRONMENT, "RANK": str(rank), "WORLD_SIZE": str(world)}
        processes.append(process("n1", pid=100 + rank, rank=rank, command=("./train",), environment=env, ended_ns=at(gone or end)))
        run.node("n1", series=[cpu_of("n1", rank, readings, pid=100 + rank)])
    run.node("n1", processes=tuple(processes))
    by = {"cancelled_by_uid": 1000} if state == "CANCELLED" else {}
    return run.accounting(state, code=0, end=end, time_limit_s=60, **by).verdict()


@pytest.mark.parametrize("state", ["CANCELLED", "TIMEOUT"])
@pytest.mark.parametrize(
    "line",
    ["rank {r} calls the others", "[{r}] opening store on node17:29512", '{{"rank": {r}, "event": "dist_init"}}', "gathering the crew", "worker {r} reporting in"],
)
def test_words_of_meeting_after_a_slow_start(line: str, state: str) -> None:
    """The libraries took half of the time: thirty seconds in which all ranks slept behind such words are no cancel and no time limit."""
    assert asleep([line.format(r=r) for r in range(RANKS)], state=state).mode == "C1"


def test_more_ranks_were_told_of_than_came() -> None:
    """WORLD_SIZE says four, three processes slept: they wait for the fourth, whatever their last words are."""
    assert asleep([f"cfg ok {r}" for r in range(RANKS)], world=4).mode == "C1"
    assert asleep([f"cfg ok {r}" for r in range(RANKS)], world=3).mode == "F4"


def test_one_says_again_and_again_what_it_lacks() -> None:
    """The others opened the store and wait for it: its words are no sign of progress."""
    lacks = "\n".join(f"stage/READY is missing, {15 * i} s" for i in range(6))
    others = ["Connecting to service on n1:8476", "Connecting to service on n1:8476"]
    assert asleep([*others, lacks], state="TIMEOUT", end=120, own=[40.0 + 15 * i for i in range(6)]).mode == "C1"
    works = "\n".join(f"wrote shard {i}" for i in range(6))
    assert asleep([*others, works], state="TIMEOUT", end=120, own=[40.0 + 15 * i for i in range(6)]).mode == "F3"


@pytest.mark.parametrize(
    "line", ["downloading shard 3/8", "rank {r}: connecting to wandb server", "retrying download from server mirror1 (attempt 3)", "pulling model from hub", "staging in the inputs"]
)
@pytest.mark.parametrize("end", [72, 160])
def test_words_of_other_business(line: str, end: float) -> None:
    """Who waits for a file, a hub or a tracker does not wait for a rank: the owner cancelled."""
    assert asleep([line.format(r=r) for r in range(RANKS)], end=end, cpu=3.0).mode == "F4"


def test_a_service_that_nobody_asks() -> None:
    """Servers sleep for want of a request."""
    assert asleep(["Uvicorn running on http://0.0.0.0:8000"] * RANKS, end=160).mode == "F4"


def test_cancelled_a_moment_after_its_start() -> None:
    """Ten seconds behind words of meeting are none."""
    assert asleep([f"rank {r} calls the others" for r in range(RANKS)], end=50).mode == "F4"


TRACE = 'Traceback (most recent call last):\n  File "/home/u/train.py", line 20, in <module>\n    import flash\nModuleNotFoundError: No module named \'flash\''


def test_one_died_at_its_start_and_the_others_waited() -> None:
    """Half a minute of sleep of all others: C1 with the death as its trigger and cause."""
    told = asleep(["vocab 0", "store open", TRACE], dead=41, end=76)
    assert (told.mode, told.cause, told.trigger and told.trigger.mode) == ("C1", Cause.MISSING_MODULE, "A1")


def test_one_died_at_its_start_while_the_others_worked() -> None:
    """The owner saw it and cancelled: A1."""
    assert asleep(["reading vocabulary", "reading vocabulary", TRACE], dead=41, end=76, cpu=70.0).mode == "A1"


NO_INTERFACE = (
    'Traceback (most recent call last):\n  File "/home/u/train.py", line 12, in <module>\n    dist.init_process_group("gloo")\n'
    "RuntimeError: [enforce fail at /b/third_party/gloo/gloo/transport/tcp/device.cc:84] ifa != nullptr. Unable to find address for: ib0\n"
)


def test_no_interface_to_meet_over() -> None:
    """No card has that name: the ranks cannot meet."""
    run = Run(("n1", "n2"))
    for rank, node in enumerate(run.nodes):
        run.rank(rank, node, NO_INTERFACE, code=1, end=30)
    told = run.accounting("FAILED", end=32).verdict()
    assert (told.mode, told.cause) == ("C1", None)


ARRIVED = 'Traceback (most recent call last):\n  File "/home/u/train.py", line 9, in <module>\n    client.wait_for_workers(4, timeout=16)\nTimeoutError: {}\n'


def test_a_client_counts_who_arrived() -> None:
    """One process is all that Slurm knows; its exception counts the workers that did not come."""
    told = Run().rank(0, "n1", ARRIVED.format("Only 0/4 workers arrived after 16"), code=1, end=40).accounting("FAILED", end=42).verdict()
    assert (told.mode, told.cause) == ("C1", Cause.TRACEBACK)
    assert Run().rank(0, "n1", ARRIVED.format("no answer after 16 s"), code=1, end=40).accounting("FAILED", end=42).verdict().mode == "A1"


def test_the_store_tells_what_the_ranks_were_at() -> None:
    """Who sets up NCCL's communicator and waits for its id fails by NCCL."""
    words = "torch.distributed.DistBackendError: [{}] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value store by key '0', but store->get('0') got error: Timed out after 600000ms\n"
    run = Run(("n1",))
    run.rank(0, "n1", "rank 0\n", signal=15, end=640, times=[10.0])
    run.rank(1, "n1", 'Traceback (most recent call last):\n  File "/home/u/train.py", line 9, in <module>\n    dist.barrier()\n' + words.format(1), code=1, end=630, times=[629.0])
    told = run.accounting("FAILED", end=642).verdict()
    assert (told.mode, told.cause) == ("C1", Cause.NCCL)


WATCHDOG = (
    "[rank{r}]:[E ProcessGroupNCCL.cpp:683] [Rank {r}] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=4711, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=480000) ran for 480020 milliseconds before timing out.\n"
)


def _watchdogs(last: str, **end):
    run = Run(("n1",))
    for rank in range(2):
        run.rank(rank, "n1", steps(0, 20) + WATCHDOG.format(r=rank), signal=6, end=560 + rank, times=[2.0 * i for i in range(20)] + [559.0])
    return run.rank(2, "n1", steps(0, 20) + last, times=[2.0 * i for i in range(20)] + [50.0], end=51, **end)


def test_what_the_others_waited_for_is_the_cause() -> None:
    """The watchdog's NCCL is how it ended; the exception, or the oom killer's count, of the rank that died is why."""
    told = _watchdogs("Traceback (most recent call last):\n  File \"/home/u/t.py\", line 3, in <module>\nFileNotFoundError: [Errno 2] No such file or directory: '/d/7'\n", code=1)
    told = told.accounting("FAILED", end=565).verdict()
    assert (told.mode, told.cause) == ("C2", Cause.FILE_NOT_FOUND)
    memory = CgroupMemory(limit_bytes=1 << 30, peak_bytes=1 << 30, oom_kill_events=1)
    told = _watchdogs("", signal=9, memory=memory).accounting("FAILED", end=565).verdict()
    assert (told.mode, told.cause, told.trigger.mode) == ("C2", Cause.OOM_KILLER, "A2")


def test_an_oom_kill_of_somebody_else() -> None:
    """A kernel line of another process says nothing of the rank that SIGKILL ended: NCCL's word stays."""
    other = kernel("kernel_oom", 20, value="oom-kill: task=other,pid=99", pid=99, scope="cgroup")
    told = _watchdogs("", signal=9).node("n1", evidence=[other]).accounting("FAILED", end=565).verdict()
    assert (told.mode, told.cause) == ("C2", Cause.NCCL)


def test_nothing_of_what_one_stages_in_ever_comes() -> None:
    """The others wait for it; where some of it comes, it is at work."""
    others = ["waiting for the others", "waiting for the others"]
    for line, mode in (("copying obs.zarr, 0 of 61 GB ({i})", "C1"), ("copying obs.zarr, {i} of 61 GB", "F3")):
        said = "\n".join(line.format(i=i) for i in range(1, 7))
        assert asleep([*others, said], state="TIMEOUT", end=120, own=[40.0 + 15 * i for i in range(6)]).mode == mode


def test_a_watchdog_that_ends_a_first_collective_tells_of_ranks_that_never_met():
    """An abort of the watchdog's own is no death that the others waited for."""
    run = Run()
    for rank in range(3):
        late = f"[rank{rank}]:[E1117 03:23:59.5 ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600083 milliseconds before timing out.\n"
        died = f"terminate called after throwing an instance of 'c10::DistBackendError'\n  what():  [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog thread terminated with exception: [Rank {rank}] Watchdog caught collective operation timeout\n"
        run.rank(rank, "n1", f"rank {rank}: device set\n{late}{died}", signal=6, end=621, local=rank, times=[18, 620, 620.4, 620.4])
    run.rank(3, "n1", "rank 3: device set\n", signal=15, end=622, local=3, times=[18])
    assert run.accounting(end=623).verdict().mode == "C1"


@pytest.mark.parametrize("beside", [True, False])
def test_slurms_own_word_of_the_end_is_no_sign_of_life(beside: bool) -> None:
    """Slurmstepd writes into a rank's log as the limit is reached: the rank had said its last two hours before."""
    word = "slurmstepd: error: *** STEP 4711.0 ON n1 CANCELLED AT 2026-09-04T18:58:07 DUE TO TIME LIMIT ***\n"
    run = Run(("n1",))
    for rank in range(4):
        said = f"[{rank}] joining tcp://n1:23456 world 4\n"
        if rank == 0 and beside:
            run.rank(0, "n1", said + word, signal=15, end=7200.5, times=[2.0, 7200.0])
        else:
            run.rank(rank, "n1", said, signal=15, end=7200.5, times=[2.0])
    if not beside:
        run.rank(0, "n1", word, step="0", times=[7200.0], end=7200.5, stream="out")
    assert run.accounting("TIMEOUT", code=0, end=7201, time_limit_s=7200).verdict().mode == "C1"
