from __future__ import annotations

from gpualert_slurm.record import Record, TimeNs


class Pressure(Record):
    """One file of PSI (Linux's psi.rst): share of the last 10 s in which some or all waited; totals in µs."""

    some_avg10_percent: float | None = None
    full_avg10_percent: float | None = None
    some_total_us: int | None = None
    full_total_us: int | None = None


class StepUsage(Record):
    """What one step's (or, with ``step`` absent, the job's) cgroup counted on this node. Bytes, ns, event counts; absent: no such counter."""

    step: str | None = None
    memory_current_bytes: int | None = None
    memory_peak_bytes: int | None = None
    memory_limit_bytes: int | None = None
    memory_anon_bytes: int | None = None
    memory_events: dict[str, int] = {}
    """v2: low, high, max, oom, oom_kill; v1: max (failcnt), oom_kill."""
    cpu_usage_ns: int | None = None
    cpu_throttled_ns: int | None = None
    frozen: bool | None = None
    """Suspended by the cgroup freezer (``scontrol suspend``)."""
    psi_cpu: Pressure | None = None
    psi_io: Pressure | None = None
    psi_memory: Pressure | None = None


class HostSnapshot(Record):
    """The node and the job's cgroups on it at one instant. Of the whole node, so only counts and loads: nothing of other jobs."""

    node: str
    time_ns: TimeNs
    cpu_count: int | None = None
    load_1m: float | None = None
    memory_total_bytes: int | None = None
    memory_available_bytes: int | None = None
    swap_used_bytes: int | None = None
    tasks_blocked: int | None = None
    """Processes of the node that wait uninterruptibly (procs_blocked of /proc/stat)."""
    psi_cpu: Pressure | None = None
    psi_io: Pressure | None = None
    psi_memory: Pressure | None = None
    steps: tuple[StepUsage, ...] = ()
