"""Jobs of 1,024 ranks on eight nodes, as their nodes would report them: logs read by the real parsers, GPUs sampled, every rank's exit."""

from __future__ import annotations

from gpualert_slurm.accounting import AccountingRecord
from gpualert_slurm.evidence import Where
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.process import Process
from gpualert_slurm.series import Series
from tests.unit.classifier.records import Run, at, steps, trace

RANKS, NODES, GPUS_A_NODE = 1024, 8, 8
STEPS = 200
POINTS = 600
"""A series of the node is thinned to so many."""
KINDS = ("all_ranks_crash", "one_rank_crashes", "hang", "healthy")


def build(kind: str) -> tuple[tuple[AccountingRecord, ...], tuple[bytes, ...]]:
    """Slurm's rows and the reports' JSON of one job."""
    names = tuple(f"n{i + 1}" for i in range(NODES))
    run = Run(names)
    per = RANKS // NODES
    for rank in range(RANKS):
        dies = kind == "all_ranks_crash" or (kind == "one_rank_crashes" and rank == 700)
        text = steps(1, STEPS) + (trace(f"IndexError: index {rank} is out of range") if dies else "")
        code, signal = (1, None) if dies else (0, None) if kind == "healthy" else (None, 15 if kind == "one_rank_crashes" else 9)
        end = STEPS + 20 + rank * 0.001 if dies else 3600.5 if kind == "hang" else STEPS + 30
        run.rank(rank, names[rank // per], text, code=code, signal=signal, end=end, local=rank % per, times=[float(i) for i in range(1, STEPS + 6)])
    for number, node in enumerate(names):
        run.node(node, **_watched(node, number * per, per, hung=kind == "hang"))
    state = {"hang": ("TIMEOUT", 0, 3600.0), "healthy": ("COMPLETED", 0, STEPS + 31.0)}.get(kind, ("FAILED", 1, STEPS + 31.0))
    job = run.accounting(state[0], code=state[1], end=state[2]).record()
    return job.accounting, tuple(report.json_bytes() for report in job.reports)


def _watched(node: str, first: int, ranks: int, *, hung: bool) -> dict[str, object]:
    span = 3600 if hung else STEPS + 30
    times = tuple(at(i * span / POINTS) for i in range(POINTS))
    series, before, after = [], [], []
    for index in range(GPUS_A_NODE):
        where = Where(node=node, gpu_uuid=f"GPU-{node}-{index}")
        for name, high in (("gpu_utilization_percent", 99.0), ("gpu_sm_activity_percent", 60.0), ("gpu_power_mw", 650_000.0), ("gpu_memory_used_bytes", 6e10)):
            late = [0.0 if hung and name == "gpu_sm_activity_percent" and i > POINTS // 12 else high + i % 7 for i in range(POINTS)]
            series.append(Series(name=name, where=where, times_ns=times, values=tuple(late), points_seen=POINTS))
        for made, when in ((before, 0.0), (after, float(span))):
            made.append(GpuSnapshot(node=node, uuid=f"GPU-{node}-{index}", time_ns=at(when), index=index, ecc_volatile_uncorrected=0, memory_total_bytes=80 << 30))
    map_ = tuple(
        Process(node=node, pid=1000 + i, step="0", rank=first + i, local_rank=i, command=("python", "train.py", "--lr", "1e-4"), environment={"RANK": str(first + i)},
                gpu_uuids=(f"GPU-{node}-{i % GPUS_A_NODE}",))
        for i in range(ranks)
    )  # fmt: skip
    return {"series": series, "gpus_before": tuple(before), "gpus_after": tuple(after), "processes": map_}
