"""Where the card is held: the highest SM clock, the power limit, the temperature at which the hardware slows down."""

from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value, known

_NVML_CLOCK_SM = 1
_NVML_TEMPERATURE_THRESHOLD_SLOWDOWN = 1


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    return known(
        sm_clock_max_mhz=nvml.ask("nvmlDeviceGetMaxClockInfo", handle, _NVML_CLOCK_SM),
        power_limit_mw=nvml.ask("nvmlDeviceGetEnforcedPowerLimit", handle),
        temperature_slowdown_c=nvml.ask("nvmlDeviceGetTemperatureThreshold", handle, _NVML_TEMPERATURE_THRESHOLD_SLOWDOWN),
    )


COUNTER = GpuCounter(("sm_clock_max_mhz", "power_limit_mw", "temperature_slowdown_c"), _read, slow=True)
