from __future__ import annotations

from gpualert_slurm.spank.watch.cgroups import UNIFIED, Cgroups
from gpualert_slurm.spank.watch.host_signal import HostSignal, Value, known

_NS_PER_US = 1000


def _step(cgroups: Cgroups) -> dict[str, Value]:
    if "cpuacct" in cgroups.folders:
        throttled = cgroups.pairs("cpu", "cpu.stat").get("throttled_time")
        return known(cpu_usage_ns=cgroups.number("cpuacct", "cpuacct.usage"), cpu_throttled_ns=throttled)
    stat = cgroups.pairs(UNIFIED, "cpu.stat")
    used, throttled = stat.get("usage_usec"), stat.get("throttled_usec")
    return known(
        cpu_usage_ns=None if used is None else used * _NS_PER_US, cpu_throttled_ns=None if throttled is None else throttled * _NS_PER_US
    )


SIGNAL = HostSignal(step=_step, series={"cpu_usage_ns": "step_cpu_percent"})
