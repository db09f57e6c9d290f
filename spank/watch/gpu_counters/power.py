from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value, known


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    return known(power_mw=nvml.ask("nvmlDeviceGetPowerUsage", handle))


COUNTER = GpuCounter(
    ("power_mw", "energy_mj"),
    _read,
    field_ids={"energy_mj": 83},  # NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION
    series={"power_mw": ("gpu_power_mw", "mW")},
)
