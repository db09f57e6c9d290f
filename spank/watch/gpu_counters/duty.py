"""Step-scale duty without more wake-ups: the driver samples utilisation six times a second into its own buffer; a reading takes what is new."""

from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value, known

_GPU_UTILIZATION_SAMPLES = 1  # nvmlSamplingType_t


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    last = nvml.memory.get("duty_last_us", 0)
    answer = nvml.ask("nvmlDeviceGetSamples", handle, _GPU_UTILIZATION_SAMPLES, last)
    if answer is None:
        return {}
    _kind, samples = answer
    fresh = [(int(s.timeStamp), int(s.sampleValue.uiVal)) for s in samples if int(s.timeStamp) > last]
    if not fresh:
        return {}
    nvml.memory["duty_last_us"] = max(time for time, _ in fresh)
    if not last:
        return {}  # what was there before us is not this job's
    values = [min(value, 100) for _, value in fresh]
    return known(duty_percent=round(sum(values) / len(values), 1), duty_spread_percent=max(values) - min(values))


COUNTER = GpuCounter(
    ("duty_percent", "duty_spread_percent"),
    _read,
    series={"duty_percent": ("gpu_duty_percent", "percent"), "duty_spread_percent": ("gpu_duty_spread_percent", "percent")},
)
