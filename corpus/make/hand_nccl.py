"""NCCL's own failures: it cannot start, its watchdog gives up a hang, a network error in mid-training. By hand, from its strings and PyTorch's."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.hand import Hand
from corpus.running.handlogs import through, trace, training
from corpus.running.job import HandJob, Recipe

STARTS = (
    "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1333, internal error - please report this issue to the NCCL developers, NCCL version 2.20.5\nncclInternalError: Internal check failed.\nLast error:\nBootstrap : no socket interface found",
    "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:268, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.18.1\nncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.\nLast error:\nError while creating shared memory segment /dev/shm/nccl-7Wc2Fy (size 9637888)",
    "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:317, invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.21.5\nncclInvalidUsage: This usually reflects invalid usage of NCCL library.\nLast error:\nDuplicate GPU detected : rank 1 and rank 0 both on CUDA device 1b000",
)
NETWORK = "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:268, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.20.5\nncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.\nLast error:\nNET/IB : Got completion from peer 10.1.4.12<39211> with status=12 opcode=0 len=0 vendor err 129 (Recv)"


def watchdog(rank: int, sequence: int, version: str) -> str:
    """What a waiting rank's watchdog says, by version."""
    head = f"[rank{rank}]:[E1118 09:41:20.117 ProcessGroupNCCL.cpp:616] [Rank {rank}] "
    said = f"{head}Watchdog caught collective operation timeout: WorkNCCL(SeqNum={sequence}, OpType=ALLREDUCE, NumelIn=26214400, NumelOut=26214400, Timeout(ms)=600000) ran for 600021 milliseconds before timing out."
    if version == "2.4":
        said += f"\n{head}Exception (either an error or timeout) detected by watchdog at work: {sequence}, last enqueued NCCL work: {sequence + 1}, last completed NCCL work: {sequence - 1}."
    else:
        said += f"\n{head}failure detected by watchdog at work sequence id: {sequence} PG status: last enqueued work: {sequence + 1}, last completed work: {sequence - 1}"
    return said + f"\n{head}Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.\n{head}To avoid data inconsistency, we are taking the entire process down."


def jobs() -> Iterator[HandJob]:
    """Refusals at the start, time-outs in training, the network lost in training."""
    for number in range(9):
        ranks = 4
        hand = Hand(("g05",), job_id=184500 + number)
        text = trace(through("", call="dist.barrier()"), STARTS[number % 3])
        first = tuple(range(ranks)) if number % 3 != 2 else (0, 1)
        for rank in range(ranks):
            bad = rank in first
            hand.rank(rank, "g05", [(5.0, "initialized process group"), *([(20 + rank * 0.01, text)] if bad else [])], code=1 if bad else None, signal=None if bad else 15, end=20.5 + rank * 0.02 + (0 if bad else 6), local=rank)
        hand.ended("FAILED", code=1, end=30, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 1, 0)))
        met = number % 3  # "no socket interface": the ranks cannot even look for each other
        label = Label(mode="C1", cause="nccl", fault="unknown", failed_ranks=first)
        if met:
            label = Label(mode="A1", variant="config" if met == 2 else "env", cause="nccl", fault="user", failed_ranks=first)
        yield HandJob(label, hand)
    for number in range(9):
        ranks, version = 8, ("2.4", "2.6")[number % 2]
        culprit = (number * 3) % ranks
        hand = Hand(("g05", "g06"), job_id=184600 + number)
        stopped = 30 + 200 * 2.0
        end = stopped + 600
        for rank in range(ranks):
            node = hand.nodes[rank // 4]
            lines = training(200, planned=4000, form=number) if rank == 0 else []
            if rank != culprit:
                lines = [*lines, (end + rank * 0.01, watchdog(rank, 1400 + number, version)), (end + 0.5 + rank * 0.01, f"terminate called after throwing an instance of 'c10::DistBackendError'\n  what():  [Rank {rank}] Watchdog caught collective operation timeout")]
            hand.rank(rank, node, lines, signal=9 if rank == culprit else 6, end=end + (8 if rank == culprit else 1 + rank * 0.01), local=rank % 4)
            waiting = rank != culprit
            hand.gpu(node, rank % 4, {}, {}, utilization_percent=[0, 95, 96, *([100] * 6 if waiting else [0] * 6)], sm_activity_percent=[0, 48, 50, *([2] * 6 if waiting else [0] * 6)], power_mw=[90_000, 510_000, 520_000, *([130_000] * 6 if waiting else [75_000] * 6)])
        hand.ended("FAILED", code=1, end=end + 12, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 0, 6)))
        yield HandJob(Label(mode="C2", cause="nccl", fault="unknown", software={"torch": version}), hand)
    for number in range(5):
        hand = Hand(("g05", "g06"), job_id=184700 + number)
        end = 30 + 180 * 2.0 + 4
        text = trace(through("", call="loss.backward()"), NETWORK)
        for rank in range(4):
            lines = training(180, planned=900, form=number) if rank == 0 else []
            bad = rank == 2
            hand.rank(rank, hand.nodes[rank // 2], [*lines, *([(end, text)] if bad else [])], code=1 if bad else None, signal=None if bad else 9, end=end + (0.5 if bad else 6), local=rank % 2)
        hand.ended("FAILED", code=1, end=end + 9, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 1, 0)))
        yield HandJob(Label(mode="A3", cause="nccl", fault="unknown", failed_ranks=(2,), first_ranks=(2,)), hand)


RECIPE = Recipe("hand_nccl", "development", jobs)
