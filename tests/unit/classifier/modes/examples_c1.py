"""C1: ranks that never met, in the words of torch's store from 1.13 to 2.14, of NCCL, or by silence."""

from __future__ import annotations

from gpualert_slurm.stall import Waits
from tests.unit.classifier.records import Run, at, steps, trace
from tests.unit.classifier.signals import busy, cpu_of, process, series, stall, stand, ticks


def _meets_not(line: str, code: int | None = 1):
    def make():
        run = Run(("n1", "n2"))
        for rank in range(2):
            run.rank(rank, f"n{rank + 1}", trace(line), code=code, end=905 + rank)
        return run.accounting(end=910).verdict()

    return make


def _silent(memory: float = 4e8, engine: float = 0.0, **more):
    run = Run(("n1", "n2"))
    for rank in range(2):
        node = f"n{rank + 1}"
        run.rank(rank, node, "Rendezvous'ing worker group\n", signal=9, end=3600.5, times=[3.0])
        run.node(
            node, series=[busy(node, [engine] * 60, f"GPU-{rank}"), series("gpu_memory_used_bytes", node, [memory] * 60, uuid=f"GPU-{rank}")], **more
        )
    return run


def _asleep(cpu_s: float = 1.2, limit_s: int = 60, **environment: str):
    """Two ranks without GPU samples, silent from their third second on."""
    run = Run(("n1", "n2"))
    for rank in range(2):
        node = f"n{rank + 1}"
        run.rank(rank, node, "joining\n", signal=15, end=limit_s + 0.5, times=[3.0])
        run.node(node, processes=(process(node, rank=rank, cpu_s=cpu_s, environment=environment),))
    return run.accounting("TIMEOUT", code=0, end=limit_s, time_limit_s=limit_s).verdict()


def _minute(text: str = "loading\n", engine: list[float] | None = None, cpu: float = 1.0, **environment: str) -> Run:
    """Two ranks, silent from their third second on, before an end after a minute; the node read their CPU every two seconds."""
    run = Run(("n1", "n2"))
    for rank in range(2):
        node = f"n{rank + 1}"
        run.rank(rank, node, text, signal=15, end=60.5, times=[3.0])
        run.node(node, processes=(process(node, 100, rank=rank, command=("python3", "train.py"), environment=environment),), series=[cpu_of(node, rank, [cpu] * 29)])
        if engine is not None:
            run.node(node, series=[busy(node, engine, f"GPU-{rank}", every=3)])
    return run


def _mute(**environment: str):
    """Two ranks that wrote nothing at all."""
    run = Run(("n1", "n2"))
    for rank in range(2):
        node = f"n{rank + 1}"
        run.rank(rank, node, "", signal=15, end=60.5)
        run.node(node, processes=(process(node, rank=rank, cpu_s=1.3, environment=environment),))
    return run.accounting("TIMEOUT", code=0, end=60, time_limit_s=60).verdict()


def _one_died(cpu: float = 0.2, signal: int | None = None):
    """Three ranks that say nothing; rank 1 ends by itself after three seconds, the others are stopped by the limit."""
    run = Run(("n1", "n2", "n3"))
    for rank in range(3):
        node, died = f"n{1 + rank}", rank == 1
        text = trace("ModuleNotFoundError: No module named 'lmdb'") if died and signal is None else ""
        run.rank(rank, node, text, code=1 if died and signal is None else None, signal=signal if died else 15, end=3 if died else 60.5, times=[2.8] * 5)
        mine = process(node, rank=rank, command=("python3", "t.py"), ended_ns=at(3) if died else None)
        run.node(node, processes=(mine,), series=[cpu_of(node, rank, [cpu] * (1 if died else 29))])
    return run.accounting("TIMEOUT", code=0, end=60, time_limit_s=60).verdict()


def _one_node(said: str):
    """The launcher of one node, which says that it is one of several, up to a limit of a minute."""
    run = Run().rank(0, "n1", said + "\n", signal=15, end=60.5, times=[1.0])
    return run.accounting("TIMEOUT", code=0, end=60, time_limit_s=60).verdict()


def _twice(said: str):
    """Two ranks: one says the same a second time after half an hour, and somebody cancels them five minutes later."""
    run = Run(("n1", "n2")).rank(0, "n1", f"{said}\n{said}\n", signal=15, end=2100.5, times=[3.0, 1800.0])
    run.rank(1, "n2", "main_process_ip: n1\n", signal=15, end=2100.5, times=[3.0])
    return run.accounting("CANCELLED", code=0, end=2100, cancelled_by_uid=1000).verdict()


EXAMPLES = {
    "one node of two, and no other": lambda: _one_node("12:00:01 node 0 of 2, head n1:29500, starting torchrun"),
    "one node of three, with its name behind": lambda: _one_node("this is node 0 of 3: n1"),
    "said twice in half an hour": lambda: _twice("waiting for 3 nodes, 2 are here"),
    "ranks that never wrote a word": _mute,
    "asleep from the first words on": _asleep,
    "a rank without a module, and others that slept to the limit": _one_died,
    "a minute's limit: ranks that knew where to meet slept": lambda: _asleep(MASTER_ADDR="n1"),
    "torch 1.13 to 2.14: the client": _meets_not("RuntimeError: The client socket has timed out after 900s while trying to connect to (n1, 29500)."),
    "torch >= 2.4: not all came": _meets_not(
        "torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 1/2 clients joined."
    ),
    "torch >= 2.6: validation": _meets_not("torch.distributed.DistNetworkError: TCP client failed to connect/validate to host n1:29500 - timed out"),
    "NCCL: no interface": _meets_not("torch.distributed.DistBackendError: Bootstrap : no socket interface found"),
    "NCCL: no route": _meets_not(
        "torch.distributed.DistBackendError: NCCL error in: NCCLUtils.cpp:77, remote process exited or there was a network error, NCCL version 2.22.3\n"
        "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\nLast error:\n"
        "socketPollConnect: connect to 10.31.4.80<48211> returned No route to host, exceeded error retry count after 35 attempts"
    ),
    "NCCL: an address that is not the node's": _meets_not(
        "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1691, unhandled system error, NCCL version 2.22.3\n"
        "ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.\nLast error:\n"
        "Call to bind failed : Cannot assign requested address"
    ),
    "XLA: no interface": _meets_not(
        "jaxlib.xla_extension.XlaRuntimeError: INTERNAL: NCCL operation ncclCommInitRankConfig(&comm, nranks, nccl_id, rank, &config) failed: unhandled "
        "system error. Last NCCL warning(error) log entry (may be unrelated) 'Bootstrap : no socket interface found'."
    ),
    "a rank dead at its start, the others' GPUs idle to the limit": lambda: (
        _silent().rank(2, "n2", trace("KeyError: 'x'"), code=1, end=4, local=1).accounting("TIMEOUT", code=0, end=3600).verdict()
    ),
    "a minute's limit, idle GPUs": lambda: _minute(engine=[0.0] * 20).accounting("TIMEOUT", code=0, end=60, time_limit_s=60).verdict(),
    "ranks that never wrote a word, and slept where they were to meet": lambda: _mute(MASTER_ADDR="n1"),
    "silence and idle GPUs": lambda: _silent().accounting("TIMEOUT", code=0, end=3600).verdict(),
    "stacks in the rendezvous": lambda: (
        _silent()
        .node("n1", stalls=(stall(stand(0, Waits.RENDEZVOUS)),))
        .node("n2", stalls=(stall(stand(1, Waits.RENDEZVOUS, "n2"), node="n2"),))
        .accounting("TIMEOUT", code=0, end=3600)
        .verdict()
    ),
}
NEAR_MISSES = {
    "the only node of one": lambda: _one_node("node 0 of 1, starting"),
    "the same work said twice in half an hour": lambda: _twice("preprocessing the corpus"),
    "a rank without a module, and others that computed": lambda: _one_died(cpu=80.0),
    "a minute's limit, and GPUs at work": lambda: _minute(engine=[70.0] * 20).accounting("TIMEOUT", code=0, end=60, time_limit_s=60).verdict(),
    "idle GPUs, and an owner who cancels within the minute": lambda: (
        _minute(engine=[0.0] * 20, cpu=60.0).accounting("CANCELLED", code=0, end=60, cancelled_by_uid=1000).verdict()
    ),
    "told where to meet, and at work on the CPU": lambda: _asleep(cpu_s=40.0, MASTER_ADDR="n1"),
    "a task already dead, and the others at work": lambda: (
        _silent(engine=60.0, memory=4e10).rank(2, "n2", trace("KeyError: 'x'"), code=1, end=4, local=1).accounting("TIMEOUT", code=0, end=3600).verdict()
    ),
    "a task that died, and others that were taken down at once": lambda: (
        Run(("n1", "n2"))
        .rank(0, "n1", "waiting for 1 peer\n", signal=15, end=6, times=[2.0])
        .rank(1, "n2", trace("KeyError: 'x'"), code=1, end=4)
        .accounting("FAILED", code=1, end=8)
        .verdict()
    ),
    "progress": lambda: (
        Run(("n1", "n2"))
        .rank(0, "n1", steps(1, 50), signal=9, end=3601, times=ticks(50))
        .rank(1, "n2", signal=9, end=3601)
        .accounting("TIMEOUT", code=0, end=3600)
        .verdict()
    ),
    "data are prepared on the CPU": lambda: (
        _silent(processes=(process(pid=5, rank=0, cpu_s=3500.0),)).accounting("TIMEOUT", code=0, end=3600).verdict()
    ),
    "suspended by Slurm": lambda: _silent().accounting("TIMEOUT", code=0, end=3600, suspended_s=3500).verdict(),
    "GPUs at work": lambda: _silent(engine=60.0, memory=4e10).accounting("TIMEOUT", code=0, end=3600).verdict(),
}
