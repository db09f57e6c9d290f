"""Engine time: the share of the last interval in which any kernel ran. A waiting collective spins, and shows as busy."""

from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value, known


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    rates = nvml.ask("nvmlDeviceGetUtilizationRates", handle)
    return known(utilization_gpu_percent=int(rates.gpu), utilization_memory_percent=int(rates.memory)) if rates is not None else {}


COUNTER = GpuCounter(
    ("utilization_gpu_percent", "utilization_memory_percent"),
    _read,
    series={
        "utilization_gpu_percent": ("gpu_utilization_percent", "percent"),
        "utilization_memory_percent": ("gpu_memory_utilization_percent", "percent"),
    },
)
