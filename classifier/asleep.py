"""Whether the ranks' processes slept from a time on: by what the node read of their CPU, else by all that they ever used."""

from __future__ import annotations

import statistics
from itertools import pairwise
from pathlib import PurePosixPath

from gpualert_slurm.classifier import citations
from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.classifier.stand import process
from gpualert_slurm.evidence import Evidence, Trust
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.process import Process
from gpualert_slurm.series import Series

IDLE_CPU_PERCENT = 5.0
"""At most, on average: a process that used less of a core slept (DLRover calls one below 5 % hung)."""
UNSURE_NS = 2_000_000_000
"""Processes that ended earlier than this before the stopping are not asked."""
LEAST = 3
"""Readings that make a mean."""
WHOLE = "run"
"""gpualert-run's only step: what it read is of its command and of all below that, whatever ranks these are."""
SHELLS = frozenset(
    ["sh", "bash", "dash", "zsh", "ksh", "tcsh", "csh", "env", "time", "timeout", "apptainer", "singularity", "srun", "mpirun", "mpiexec", "numactl"]
)
"""They sleep while a child of theirs works, which the process map need not show."""


def asleep(job: JobRecord, ranks: frozenset[int], since_ns: int | None, until_ns: int | None, elapsed_s: float | None) -> tuple[Evidence, ...]:
    """What shows that every one of ``ranks`` slept in the window; empty where one of them did not, or where nobody looked."""
    if not ranks:
        return ()
    whole = [s for r in job.reports for s in r.series if s.name == "cpu_percent" and s.where.pid is None and s.where.step == WHOLE]
    if whole:
        return tuple(e for s in whole[:1] if since_ns is not None and (e := _read(s, since_ns, until_ns)) is not None)
    read = {(r.node, s.where.pid): s for r in job.reports for s in r.series if s.name == "cpu_percent" and s.where.pid is not None}
    those = [p for r in job.reports for p in r.processes if p.rank is not None and p.step is not None]
    ours = [p for p in those if p.step not in SCRIPT and _lived(p, until_ns or since_ns)]
    shells = {(p.node, p.rank) for p in ours if _name(p) in SHELLS}
    programs = [p for p in ours if _name(p) not in SHELLS]
    if shells - {(p.node, p.rank) for p in programs}:
        return ()
    found: dict[int, Evidence] = {}
    for one in programs:
        cite = _slept(one, read.get((one.node, one.pid)), since_ns, until_ns, elapsed_s)
        if cite is None:
            if _name(one) == "" and not one.command:
                continue  # a child that was gone before anybody looked
            return ()
        if one.rank is not None:
            found.setdefault(one.rank, cite)
    return tuple(found[rank] for rank in sorted(found))[:4] if ranks <= found.keys() else ()


def _lived(one: Process, to_ns: int | None) -> bool:
    return one.ended_ns is None or to_ns is None or one.ended_ns >= to_ns - UNSURE_NS


def _name(one: Process) -> str:
    return PurePosixPath(one.command[0]).name if one.command else (one.name or "")


def _slept(one: Process, cpu: Series | None, since_ns: int | None, until_ns: int | None, elapsed_s: float | None) -> Evidence | None:
    """One process: its readings in the window, where there are enough of them."""
    if cpu is not None and since_ns is not None and len(inside := _inside(cpu, since_ns, until_ns)) >= LEAST:
        return citations.series(cpu, trust=Trust.SYSTEM) if statistics.fmean(inside) <= IDLE_CPU_PERCENT else None
    if one.cpu_s is None or not elapsed_s or 100.0 * one.cpu_s > IDLE_CPU_PERCENT * elapsed_s:
        return None
    return process(one, "cpu_s", f"{one.cpu_s:.1f} s of CPU")


def _inside(cpu: Series, since_ns: int, until_ns: int | None) -> list[float]:
    return [v for t, v in zip(cpu.times_ns, cpu.values, strict=False) if t is not None and t > since_ns and (until_ns is None or t <= until_ns)]


def _read(cpu: Series, since_ns: int, until_ns: int | None) -> Evidence | None:
    """The readings of a whole tree of processes, weighted by the time that each is of; the one that began before the window is left out."""
    spans = [
        (t - before, v)
        for (before, t), v in zip(pairwise(cpu.times_ns), cpu.values[1:], strict=False)
        if before is not None and t is not None and before >= since_ns and (until_ns is None or t <= until_ns + UNSURE_NS)
    ]
    took_ns = sum(span for span, _ in spans)
    if len(spans) < LEAST or took_ns <= 0:
        return None
    return citations.series(cpu) if sum(span * v for span, v in spans) / took_ns <= IDLE_CPU_PERCENT else None
