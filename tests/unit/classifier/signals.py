"""What the node would have seen, written by hand: GPUs' readings, the kernel's lines, processes, stalls, Slurm's node events."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gpualert_slurm.accounting import NodeEvent
from gpualert_slurm.evidence import Evidence, FieldValue, Role, Trust, Where
from gpualert_slurm.finding import Finding, Standing
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.process import Process
from gpualert_slurm.series import Series
from gpualert_slurm.stall import RankStand, Stall, Waits
from gpualert_slurm.verdict import Verdict
from tests.unit.classifier.records import Run, at, steps

GIB = 1 << 30
UNITS = {"gpu_power_mw": "mW", "gpu_sm_clock_mhz": "MHz", "gpu_memory_used_bytes": "bytes"}


def gpu(node: str, uuid: str = "GPU-1", when: float = 0, **fields) -> GpuSnapshot:
    values = {"index": 0, "serial": "1652", "pci_bus_id": "0000:44:00.0", "memory_total_bytes": 80 * GIB, **fields}
    return GpuSnapshot(node=node, uuid=uuid, time_ns=at(when), **values)


def xid(number: int, when: float, node: str = "n1", words: str = "", uuid: str = "GPU-1") -> Evidence:
    line = f"NVRM: Xid (PCI:0000:44:00): {number}, {words}"
    return Evidence(
        id=f"kernel-{node}-{number}-{when}",
        says="xid",
        role=Role.ROOT,
        trust=Trust.SYSTEM,
        source=FieldValue(record=f"kernel log of {node}", query="journalctl -k", name="line", value=line),
        where=Where(node=node, gpu_uuid=uuid),
        time_ns=at(when),
        data={"xid": number, "pci": "0000:44:00"},
    )


def kernel(says: str, when: float, node: str = "n1", value: str = "", role: Role = Role.ROOT, **data) -> Evidence:
    return Evidence(
        id=f"kernel-{says}-{node}-{when}",
        says=says,
        role=role,
        trust=Trust.SYSTEM,
        source=FieldValue(record=f"kernel log of {node}", query="journalctl -k", name="line", value=value or says),
        where=Where(node=node),
        time_ns=at(when),
        data=data,
    )


def series(name: str, node: str, values: Sequence[float], *, uuid: str | None = "GPU-1", every: float = 60, start: float = 0, rank: int | None = None) -> Series:
    return Series(
        name=name,
        where=Where(node=node, gpu_uuid=uuid, rank=rank),
        unit=UNITS.get(name, "%"),
        times_ns=tuple(at(start + i * every) for i in range(len(values))),
        values=tuple(float(v) for v in values),
        points_seen=len(values),
    )


def busy(node: str, values: Sequence[float], uuid: str = "GPU-1", **more) -> Series:
    return series("gpu_utilization_percent", node, values, uuid=uuid, **more)


def sm(node: str, values: Sequence[float], uuid: str = "GPU-1", **more) -> Series:
    return series("gpu_sm_activity_percent", node, values, uuid=uuid, **more)


def cpu_of(node: str, rank: int, values: Sequence[float], pid: int = 100, every: float = 2) -> Series:
    """What the node read of a process's CPU, percent of a core."""
    return Series(
        name="cpu_percent", where=Where(node=node, rank=rank, pid=pid, step="0"), unit="percent",
        times_ns=tuple(at(2 + i * every) for i in range(len(values))), values=tuple(map(float, values)), points_seen=len(values),
    )  # fmt: skip


def process(node: str = "n1", pid: int = 100, **fields) -> Process:
    return Process(node=node, pid=pid, **{"step": "0", **fields})


def stand(rank: int, waits: Waits, node: str = "n1", by: str = "stack", **fields) -> RankStand:
    return RankStand(node=node, pid=1000 + rank, rank=rank, waits=waits, waits_by=by, **fields)


def stall(*ranks: RankStand, node: str = "n1", since: float = 60, found: float = 400, **fields) -> Stall:
    return Stall(node=node, since_ns=at(since), found_ns=at(found), usual_interval_s=1.0, ranks=ranks, ranks_total=len(ranks), **fields)


def down(start: float, state: str = "DOWN*", reason: str = "Not responding", node: str = "n2") -> NodeEvent:
    return NodeEvent(source="sacctmgr show event", node=node, state=state, reason=reason, start_ns=at(start))


def row(verdict: Verdict, mode: str) -> Finding:
    return next(f for f in verdict.ledger if f.mode == mode)


def standing(verdict: Verdict, mode: str) -> Standing:
    return row(verdict, mode).standing


def ticks(count: int, every: float = 1.0, start: float = 0.0) -> list[float]:
    return [start + i * every for i in range(1, count + 1)]


def everywhere(text: str, code: int = 1, ranks: int = 16) -> Run:
    """Every rank of two nodes says the same and exits with ``code``."""
    run = Run(("n1", "n2"))
    for rank in range(ranks):
        run.rank(rank, f"n{1 + rank // (ranks // 2)}", text, code=code, end=20 + rank * 0.01, local=rank % (ranks // 2))
    return run


def trained(
    count: int = 200,
    planned: int | None = None,
    *,
    ranks: int = 1,
    nodes: tuple[str, ...] = ("n1",),
    every: float = 1.0,
    loss: Callable[[int], float] = lambda i: 3.0 / (1 + i / 10),
    **job,
) -> Run:
    """A run whose rank 0 prints ``count`` steps, ``every`` seconds apart, and whose ranks all end with 0. Call ``.accounting("COMPLETED", code=0, …)``."""
    run = Run(nodes, **job)
    per = max(1, ranks // len(nodes))
    end = count * every + 10
    for rank in range(ranks):
        text = steps(1, count, planned, loss) if rank == 0 else ""
        run.rank(rank, nodes[min(rank // per, len(nodes) - 1)], text, code=0, end=end, local=rank % per, times=ticks(count, every) if rank == 0 else [])
    return run


def done(run: Run, end: float = 211, **fields) -> Verdict:
    return run.accounting("COMPLETED", code=0, end=end, **fields).verdict()
