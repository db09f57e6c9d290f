"""What a step's memory cgroup counted. Its counters vanish with it: the last reading while the job runs is what stays."""

from __future__ import annotations

from gpualert_slurm.spank.watch.cgroups import UNIFIED, Cgroups
from gpualert_slurm.spank.watch.host_signal import HostSignal, Value, known

_NO_LIMIT = 1 << 60
"""Version 1 prints the largest multiple of a page for "no limit"."""


def _step(cgroups: Cgroups) -> dict[str, Value]:
    if "memory" in cgroups.folders:
        limit = cgroups.number("memory", "memory.limit_in_bytes")
        stat = cgroups.pairs("memory", "memory.stat")
        oom = cgroups.pairs("memory", "memory.oom_control")
        events = {"max": cgroups.number("memory", "memory.failcnt"), "oom_kill": oom.get("oom_kill"), "under_oom": oom.get("under_oom")}
        return known(
            memory_current_bytes=cgroups.number("memory", "memory.usage_in_bytes"),
            memory_peak_bytes=cgroups.number("memory", "memory.max_usage_in_bytes"),
            memory_limit_bytes=limit if limit is not None and limit < _NO_LIMIT else None,
            memory_anon_bytes=stat.get("total_rss"),
            memory_events={name: count for name, count in events.items() if count is not None},
        )
    if UNIFIED in cgroups.folders:
        return known(
            memory_current_bytes=cgroups.number(UNIFIED, "memory.current"),
            memory_peak_bytes=cgroups.number(UNIFIED, "memory.peak"),
            memory_limit_bytes=cgroups.number(UNIFIED, "memory.max"),
            memory_anon_bytes=cgroups.pairs(UNIFIED, "memory.stat").get("anon"),
            memory_events=cgroups.pairs(UNIFIED, "memory.events"),
        )
    return {}


SIGNAL = HostSignal(step=_step, series={"memory_current_bytes": "step_memory_bytes"})
