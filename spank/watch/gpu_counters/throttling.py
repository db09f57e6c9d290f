from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value, known


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    # Renamed in NVML 12; old drivers know the old name only, and pynvml keeps both.
    reasons = nvml.ask("nvmlDeviceGetCurrentClocksEventReasons", handle)
    if reasons is None:
        reasons = nvml.ask("nvmlDeviceGetCurrentClocksThrottleReasons", handle)
    return known(throttle_reasons=reasons)


COUNTER = GpuCounter(("throttle_reasons",), _read, series={"throttle_reasons": ("gpu_throttle_reasons", "bit mask")})
