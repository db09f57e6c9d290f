from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value, known

_NVML_CLOCK_SM, _NVML_CLOCK_MEM = 1, 2
_UNKNOWN_PSTATE = 32  # NVML_PSTATE_UNKNOWN


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    state = nvml.ask("nvmlDeviceGetPerformanceState", handle)
    return known(
        performance_state=None if state == _UNKNOWN_PSTATE else state,
        sm_clock_mhz=nvml.ask("nvmlDeviceGetClockInfo", handle, _NVML_CLOCK_SM),
        memory_clock_mhz=nvml.ask("nvmlDeviceGetClockInfo", handle, _NVML_CLOCK_MEM),
    )


COUNTER = GpuCounter(
    ("performance_state", "sm_clock_mhz", "memory_clock_mhz"),
    _read,
    series={"sm_clock_mhz": ("gpu_sm_clock_mhz", "MHz"), "performance_state": ("gpu_performance_state", "P-state")},
)
