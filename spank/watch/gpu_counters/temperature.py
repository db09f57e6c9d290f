from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value, known

_NVML_TEMPERATURE_GPU = 0


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    return known(temperature_c=nvml.ask("nvmlDeviceGetTemperature", handle, _NVML_TEMPERATURE_GPU))


COUNTER = GpuCounter(
    ("temperature_c", "memory_temperature_c"),
    _read,
    field_ids={"memory_temperature_c": 82},  # NVML_FI_DEV_MEMORY_TEMP
    series={"temperature_c": ("gpu_temperature_c", "C")},
)
