"""C2: hangs in mid-training, by the watchdogs of torch 2.1, 2.4 and 2.6 and later, by silence, by probes."""

from __future__ import annotations

from gpualert_slurm.stall import Waits
from tests.unit.classifier.records import Run, steps, trace
from tests.unit.classifier.signals import busy, sm, stall, stand, ticks


def _watchdog(line: str):
    def make():
        run = Run()
        for rank in range(3):
            run.rank(
                rank,
                "n1",
                (steps(1, 30) if rank == 0 else "") + line.replace("@", str(rank)) + "\n",
                signal=6,
                end=640,
                local=rank,
                times=[*(ticks(30) if rank == 0 else []), 639],
            )
        run.rank(3, "n1", "", signal=9, end=641, local=3)
        return run.accounting(end=642).verdict()

    return make


def _silent(text: str = "", **more) -> Run:
    run = Run(("n1", "n2"))
    for rank in range(4):
        node = f"n{1 + rank // 2}"
        run.rank(rank, node, steps(1, 50) + text if rank == 0 else "", signal=9, end=3600.5, local=rank % 2, times=ticks(50))
        run.node(node, series=[busy(node, [100.0] * 60, f"GPU-{rank}", rank=rank), sm(node, [60.0, *[0.0] * 59], f"GPU-{rank}", rank=rank)], **more)
    return run


def _short(advanced: int, *, signal: int | None = None, code: int | None = None, text: str = "") -> Run:
    """Two ranks before a limit of a minute; rank 1 may end by itself after ``advanced`` seconds."""
    run = Run(
        ("n1", "n2"),
    ).rank(0, "n1", steps(1, advanced * 5), signal=15, end=60.5, times=ticks(advanced * 5, 0.2))
    own = signal is not None or code is not None
    return run.rank(1, "n2", text, signal=signal if own else 15, code=code, end=advanced + 0.5 if own else 60.5, times=[advanced + 0.1] * 9)


TORCHRUN_STOPPED = "".join(
    f"W1121 20:53:02.000000 4700 site-packages/torch/distributed/elastic/multiprocessing/api.py:1004] Sending process {pid} closing signal SIGTERM\n"
    for pid in (4711, 4712)
)
def _outlived(head: str, until: float = 60.5, state: str = "TIMEOUT"):
    """One task; the last that is said is an exception after twelve seconds, and the task lives on."""
    text = steps(1, 12) + head + trace("ValueError: part 3 is empty")
    run = Run().rank(0, "n1", text, signal=15, end=until, times=[*ticks(12), *[12.4] * 8])
    return run.accounting(state, code=0, end=until - 0.5, time_limit_s=60).verdict()


EXAMPLES = {
    "a child of the task raised, and its task was still there a minute later": lambda: _outlived("Process part3:\n"),
    "a minute's limit: silent for longer than it had advanced": lambda: _short(12).accounting("TIMEOUT", code=0, end=60, time_limit_s=60).verdict(),
    "a minute's limit, and a rank that had been killed": lambda: (
        _short(12, signal=9).accounting("TIMEOUT", code=0, end=60, time_limit_s=60).verdict()
    ),
    "a minute's limit, and a rank that had raised": lambda: (
        _short(12, code=1, text=trace("KeyError: 'x'")).accounting("TIMEOUT", code=0, end=60, time_limit_s=60).verdict()
    ),
    "two processes under one torchrun": lambda: (
        Run()
        .rank(0, "n1", steps(1, 60) + TORCHRUN_STOPPED, code=1, end=60.5, times=[*ticks(60, 0.2), 60.1, 60.1])
        .accounting("TIMEOUT", code=0, end=60, time_limit_s=60)
        .verdict()
    ),
    "torch 2.1": _watchdog(
        "[rank@]:[E ProcessGroupNCCL.cpp:475] [Rank @] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=98, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600123 milliseconds before timing out."
    ),
    "torch 2.4": _watchdog(
        "[rank@]:[E ProcessGroupNCCL.cpp:1414] [Rank @] Timeout at NCCL work: 98, last enqueued NCCL work: 98, last completed NCCL work: 97."
    ),
    "torch >= 2.6": _watchdog(
        "[rank@]:[E ProcessGroupNCCL.cpp:629] [PG ID 0 PG GUID 0(default_pg) Rank @] failure detected by watchdog at work sequence id: 98 PG status: last enqueued work: 98, last completed work: 97"
    ),
    "silence until the limit": lambda: _silent().accounting("TIMEOUT", code=0, end=3600).verdict(),
    "silence until the owner cancels": lambda: _silent().accounting("CANCELLED", code=0, end=3600, cancelled_by_uid=1000).verdict(),
    "a probe found a rank in its loader": lambda: (
        _silent()
        .node("n1", stalls=(stall(stand(0, Waits.COLLECTIVE), stand(1, Waits.DATA_LOADER, waits_on="_try_get_data")),))
        .accounting("TIMEOUT", code=0, end=3600)
        .verdict()
    ),
}
NEAR_MISSES = {
    "an exception that nobody says a child raised, and a task that is there a minute later": lambda: _outlived(""),
    "a child of the task raised, and the task was stopped at once": lambda: _outlived("Process part3:\n", 16.0, "CANCELLED"),
    "a minute's limit: silent for less than it had advanced": lambda: _short(40).accounting("TIMEOUT", code=0, end=60, time_limit_s=60).verdict(),
    "cancelled within the minute by its owner": lambda: _short(12).accounting("CANCELLED", code=0, end=60, cancelled_by_uid=1000).verdict(),
    "the launcher took the others down at once": lambda: (
        Run()
        .rank(0, "n1", steps(1, 30) + trace("KeyError: 'x'"), code=1, end=32, times=ticks(31))
        .rank(1, "n1", signal=15, end=33, local=1)
        .accounting(end=34)
        .verdict()
    ),
    "advancing": lambda: (
        Run(("n1", "n2"))
        .rank(0, "n1", steps(1, 700), signal=9, end=3601, times=ticks(700, 5))
        .rank(1, "n2", signal=9, end=3601)
        .accounting("TIMEOUT", code=0, end=3600)
        .verdict()
    ),
    "a stall that passed, and progress to the limit": lambda: (
        Run(("n1", "n2"))
        .rank(0, "n1", steps(1, 700), signal=9, end=3601, times=ticks(700, 5.1))
        .rank(1, "n2", signal=9, end=3601)
        .node("n1", stalls=(stall(stand(0, Waits.COLLECTIVE), stand(1, Waits.DATA_LOADER)),))
        .accounting("TIMEOUT", code=0, end=3600)
        .verdict()
    ),
    "suspended by Slurm": lambda: _silent().accounting("TIMEOUT", code=0, end=3600, suspended_s=3500).verdict(),
    "a silent evaluation": lambda: (
        Run(("n1", "n2"))
        .rank(0, "n1", steps(1, 50), signal=9, end=3601, times=ticks(50))
        .rank(1, "n2", signal=9, end=3601)
        .node("n1", series=[busy("n1", [98.0] * 60, "GPU-0"), sm("n1", [70.0] * 60, "GPU-0")])
        .accounting("TIMEOUT", code=0, end=3600)
        .verdict()
    ),
}
