"""Ranks below a Slurm task (torchrun, accelerate, deepspeed: one task a node), by the process map and the kernel's word of each end."""

from __future__ import annotations

from collections.abc import Iterable

from gpualert_slurm.classifier.failure import Failure
from gpualert_slurm.classifier.stand import process
from gpualert_slurm.classifier.telling import Task, Telling
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.process import Process
from gpualert_slurm.rank import RankExit

UNSURE_NS = 50_000_000
"""How well the end of a process is known where the map does not say."""
MOST_RANKS = 65_536
RANK_NAMES = ({"RANK", "LOCAL_RANK"}, {"OMPI_COMM_WORLD_RANK"})
"""What a launcher below a task gives its ranks (torchrun's and accelerate's, mpirun's), and a loader's worker inherits."""


def ranks_below(job: JobRecord) -> dict[Task, tuple[Process, ...]]:
    """The processes that are ranks below each task: those whose parent is no rank of the same number."""
    tasks = {(e.node, e.pid) for r in job.reports for e in r.exits}
    found: dict[Task, list[Process]] = {}
    for report in job.reports:
        ranks = {p.pid: p for p in report.processes if p.rank is not None and any(names <= p.environment.keys() for names in RANK_NAMES)}
        for one in ranks.values():
            parent = ranks.get(one.parent_pid) if one.parent_pid is not None else None
            if (one.node, one.pid) in tasks or (parent is not None and parent.rank == one.rank) or one.step is None:
                continue
            found.setdefault((one.node, one.step, one.task_local or 0), []).append(one)
    return {task: tuple(sorted(those, key=lambda p: (p.rank or 0, p.pid))) for task, those in found.items()}


def from_processes(ranks: Iterable[Process], end: RankExit, told: Telling, clocks: dict[str, int]) -> list[Failure]:
    """Those of them that failed, each with its own code or signal, time and words; empty where the map knows of none."""
    bad = [p for p in ranks if p.exit_signal or p.exit_code]
    found = []
    for one in bad:
        whole = RankExit(
            node=one.node, step=end.step, local_rank=one.local_rank or 0, rank=one.rank, pid=one.pid, exit_code=one.exit_code or None,
            signal=one.exit_signal or None, core_dumped=one.core_dumped, start_time_ns=one.started_ns, end_time_ns=one.ended_ns,
            uncertainty_ns=one.end_uncertainty_ns if one.end_uncertainty_ns is not None else UNSURE_NS, memory=end.memory,
        )  # fmt: skip
        root = told.root_below(end, one)
        times = [t for t in (one.ended_ns, root.time_ns if root else None) if t is not None]
        found.append(
            Failure(
                whole, one.node, end.step, one.rank, one.local_rank, one.exit_code or None, one.exit_signal or None,
                 min(times, default=None), whole.uncertainty_ns + clocks.get(one.node, 0),
                process(one, "end", whole.words), root, taken_down=told.was_closed(end, one.pid, one.namespace_pid),
            )
        )  # fmt: skip
    return told.with_plain(found, end)


def names_below(job: JobRecord, summaries: Iterable[Evidence]) -> tuple[int, ...]:
    """Ranks below launchers that are known by name: of the process map, of launchers' summaries, of a world size that all of them agree on."""
    below = [p for those in ranks_below(job).values() for p in those]
    named = {p.rank for p in below if p.rank is not None}
    named |= {rank for e in summaries if isinstance(rank := e.data.get("rank"), int)}
    sizes = {int(size) for p in below if (size := p.environment.get("WORLD_SIZE", "")).isascii() and size.isdigit() and len(size) < 6}
    world = sizes.pop() if len(sizes) == 1 else 0
    if world > max(named, default=0):
        named |= set(range(world))
    return tuple(sorted(rank for rank in named if 0 <= rank < MOST_RANKS))
