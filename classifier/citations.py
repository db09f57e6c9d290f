"""Evidence made from records: Slurm's rows, exit records, counters. Every claim of a verdict cites one of these or a quote."""

from __future__ import annotations

import hashlib

from gpualert_slurm.accounting import AccountingRecord, NodeEvent, StepRecord
from gpualert_slurm.evidence import Evidence, FieldValue, Reading, Role, Trust, Where
from gpualert_slurm.gap import Gap
from gpualert_slurm.rank import RankExit
from gpualert_slurm.series import Series


def field(
    says: str,
    record: str,
    query: str,
    name: str,
    value: str,
    *,
    role: Role = Role.CONFIRMATION,
    trust: Trust = Trust.SYSTEM,
    where: Where | None = None,
    time_ns: int | None = None,
    data: dict[str, str | int | float | bool] | None = None,
) -> Evidence:
    """A field of a record as evidence; equal fields get equal ids."""
    return Evidence(
        id="f" + _digest(says, record, query, name, value),
        says=says,
        role=role,
        trust=trust,
        source=FieldValue(record=record, query=query, name=name, value=value),
        where=where or Where(),
        time_ns=time_ns,
        data=data or {},
    )


def state(row: AccountingRecord) -> Evidence:
    """How Slurm says that the job ended."""
    by = f" by {row.cancelled_by_uid}" if row.cancelled_by_uid is not None else ""
    code = "" if row.exit_code is None and row.exit_signal is None else f", ExitCode {row.exit_code or 0}:{row.exit_signal or 0}"
    return field("slurm_state", f"accounting of job {row.job_id}", row.source, "State", f"{row.state}{by}{code}", time_ns=row.end_ns)


def step_state(row: AccountingRecord, step: StepRecord) -> Evidence:
    """How Slurm says that one step ended."""
    value = f"{step.state}, ExitCode {step.exit_code or 0}:{step.exit_signal or 0}"
    return field(
        "slurm_state",
        f"accounting of job {row.job_id} step {step.step}",
        row.source,
        "State",
        value,
        where=Where(step=step.step),
        time_ns=step.end_ns,
    )


def accounting(row: AccountingRecord, name: str, value: object) -> Evidence:
    """Another field of the accounting row."""
    return field("slurm_field", f"accounting of job {row.job_id}", row.source, name, str(value))


def rank_exit(end: RankExit) -> Evidence:
    """How a task ended, as its parent waited for it."""
    rank = end.rank if end.rank is not None else f"local {end.local_rank}"
    return field(
        "rank_exit",
        f"exit record of {end.node} step {end.step} rank {rank}",
        f"exit record {end.step}.{end.local_rank} on {end.node}",
        "wait_status",
        end.words,
        where=whose(end),
        time_ns=end.end_time_ns,
    )


def cgroup(end: RankExit) -> Evidence | None:
    """The step's memory cgroup when the task ended."""
    memory = end.memory
    if memory is None or (memory.oom_kill_events is None and memory.peak_bytes is None and memory.limit_bytes is None):
        return None
    data = {k: v for k, v in memory.model_dump().items() if isinstance(v, int)}
    words = ", ".join(f"{k} {v}" for k, v in data.items())
    return field(
        "cgroup_memory",
        f"memory cgroup of {end.node} step {end.step}",
        f"exit record {end.step}.{end.local_rank} on {end.node}",
        "memory",
        words,
        where=whose(end),
        time_ns=end.end_time_ns,
        data=dict(data),
    )


def node_event(event: NodeEvent, *, lost: bool) -> Evidence:
    """A stretch of a node's life; ``lost``: the job ran on it and ended with it."""
    return field(
        "node_lost" if lost else "node_state",
        f"events of node {event.node}",
        event.source,
        "State",
        f"{event.state} ({event.reason or 'no reason given'})",
        role=Role.ROOT if lost else Role.MARKER,
        where=Where(node=event.node),
        time_ns=event.start_ns,
    )


def gap(missing: Gap) -> Evidence:
    """Something missing, so that a sentence can stand on its absence."""
    return field("gap", "gaps of this run", "gaps", missing.what, missing.why, role=Role.MARKER, where=Where(node=missing.node, rank=missing.rank))


def series(numbers: Series, start: int = 0, *, trust: Trust = Trust.USER) -> Evidence | None:
    """A window of a series, from point ``start`` on, thinned to at most 24 values."""
    values = numbers.values[start:]
    if not values:
        return None
    stride = max(1, len(values) // 24)
    times = [t for t in numbers.times_ns[start:] if t is not None]
    shown = tuple(values[::stride])[:30] + ((values[-1],) if (len(values) - 1) % stride else ())
    return Evidence(
        id="s" + _digest(numbers.name, repr(numbers.where), str(start)),
        says="series",
        role=Role.MARKER,
        trust=trust,
        source=Reading(source=numbers.name, unit=numbers.unit, time_from_ns=min(times, default=0), time_to_ns=max(times, default=0), values=shown),
        where=numbers.where,
        time_ns=max(times, default=None),
    )


def counter(where: Where, name: str, before: int, after: int, *, from_ns: int, to_ns: int, says: str = "gpu_counter") -> Evidence:
    """One GPU counter before and after the job."""
    return Evidence(
        id="r" + _digest(says, where.gpu_uuid or "", name),
        says=says,
        role=Role.ROOT if says == "gpu_counter" else Role.MARKER,
        trust=Trust.SYSTEM,
        source=Reading(source=f"NVML {name}", unit="count", time_from_ns=from_ns, time_to_ns=to_ns, values=(float(before), float(after))),
        where=where,
        time_ns=to_ns,
        data={"counter": name, "before": before, "after": after},
    )


def whose(end: RankExit) -> Where:
    """The task of an exit record."""
    return Where(node=end.node, rank=end.rank, local_rank=end.local_rank, pid=end.pid, step=end.step)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:15]
