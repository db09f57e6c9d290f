"""The node and a job's cgroups at one instant, and the numbers of it that are kept over time."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from gpualert_slurm.discovery import discover
from gpualert_slurm.host import HostSnapshot, Pressure, StepUsage
from gpualert_slurm.spank.watch import host_signals
from gpualert_slurm.spank.watch.cgroups import Cgroups
from gpualert_slurm.spank.watch.host_signal import HostSignal, Value
from gpualert_slurm.spank.watch.process_identity import PROC
from gpualert_slurm.spank.watch.sample_file import Numbers, Place, place


@cache
def signals() -> dict[str, HostSignal]:
    """Every host signal there is."""
    return discover(host_signals, "SIGNAL", HostSignal)


def read_node(proc: Path = PROC) -> dict[str, Value]:
    """The node's part of a snapshot: read once for all jobs."""
    return {name: value for signal in signals().values() for name, value in signal.node(proc).items()}


def snapshot(node: str, time_ns: int, of_node: dict[str, Value], job: Cgroups | None) -> HostSnapshot:
    """With the job's own cgroup first, then its steps; one that is no more counts nothing and is left out."""
    wholes: list[tuple[str | None, Cgroups]] = []
    if job is not None:
        wholes = [(None, job), *job.steps().items()]
    steps = []
    for step, cgroups in wholes:
        found = {name: value for signal in signals().values() for name, value in signal.step(cgroups).items()}
        if found:
            steps.append(StepUsage.model_validate({"step": step, **found}))
    return HostSnapshot.model_validate({"node": node, "time_ns": time_ns, **of_node, "steps": steps})


@dataclass
class HostNumbers:
    """Numbers of snapshots by place; totals become rates, so it remembers the snapshot before."""

    _totals: dict[tuple[Place, str], tuple[int, float]] = field(default_factory=dict)

    def rows(self, taken: HostSnapshot) -> list[tuple[Place, Numbers]]:
        """What to keep of a snapshot."""
        rows: list[tuple[Place, Numbers]] = [(place(kind="host"), self._numbers(taken, place(kind="host"), taken.time_ns, "host_"))]
        for step in taken.steps:
            where = place(kind="step", step=step.step)
            rows.append((where, self._numbers(step, where, taken.time_ns, "step_")))
        return rows

    def _numbers(self, record: HostSnapshot | StepUsage, where: Place, time_ns: int, prefix: str) -> dict[str, float]:
        found: dict[str, float] = {}
        for signal in signals().values():
            for name, named in signal.series.items():
                value = getattr(record, name, None)
                series = f"{prefix}{named}" if isinstance(value, Pressure) else named
                if isinstance(value, Pressure):
                    value = value.some_avg10_percent
                if isinstance(value, (int, float)):
                    rate = self._rate(where, name, time_ns, float(value)) if name.endswith("_ns") else float(value)
                    if rate is not None:
                        found[series] = rate
        return found

    def _rate(self, where: Place, name: str, time_ns: int, value: float) -> float | None:
        before = self._totals.get((where, name))
        self._totals[where, name] = time_ns, value
        if before is None or time_ns <= before[0] or value < before[1]:
            return None
        return round(100.0 * (value - before[1]) / (time_ns - before[0]), 1)
