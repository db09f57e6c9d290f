"""SM activity by GPM, which Hopper and later cards have: two samples, and the metrics between them. On others it is absent and the reason is said.

Without it the classifier has power and memory-bandwidth utilisation (``gpu_power_mw``, ``gpu_memory_utilization_percent``).
"""

from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value, known

_METRICS = {"sm_activity_percent": 2, "sm_occupancy_percent": 3, "tensor_activity_percent": 5, "memory_bandwidth_percent": 10}
"""NVML_GPM_METRIC_SM_UTIL, _SM_OCCUPANCY, _ANY_TENSOR_UTIL, _DRAM_BW_UTIL in nvml.h: percent, 0 to 100."""
_NO_GPM = "no GPM on this GPU or driver: power and memory-bandwidth utilisation stand in for SM activity"


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    memory = nvml.memory
    if "gpm" not in memory:
        support = nvml.ask("nvmlGpmQueryDeviceSupport", handle)
        memory["gpm"] = support is not None and bool(support.isSupportedDevice)
    if not memory["gpm"]:
        return {"sm_activity_source": _NO_GPM}
    sample = memory.pop("gpm_free", None) or nvml.ask("nvmlGpmSampleAlloc")
    if sample is None or nvml.ask("nvmlGpmSampleGet", handle, sample) is None:
        memory["gpm"] = sample is not None and "nvmlGpmSampleGet" in nvml.problems  # an odd error may pass; absence does not
        memory["gpm_free"] = sample
        return {"sm_activity_source": _NO_GPM}
    before = memory.get("gpm_last")
    memory["gpm_last"] = sample
    if before is None:
        return {"sm_activity_source": "GPM"}
    memory["gpm_free"] = before
    return {"sm_activity_source": "GPM", **_between(nvml, before, sample)}


def _between(nvml: Nvml, before: Any, after: Any) -> dict[str, Value]:  # noqa: ANN401
    request = nvml.module.c_nvmlGpmMetricsGet_t()
    request.version, request.numMetrics = nvml.module.NVML_GPM_METRICS_GET_VERSION, len(_METRICS)
    request.sample1, request.sample2 = before, after
    for place, number in enumerate(_METRICS.values()):
        request.metrics[place].metricId = number
    if nvml.ask("nvmlGpmMetricsGet", request) is None:
        return {}
    answers = {name: request.metrics[place] for place, name in enumerate(_METRICS)}
    return known(
        **{
            name: round(min(max(float(answer.value), 0.0), 100.0), 2)
            for name, answer in answers.items()
            if answer.nvmlReturn == nvml.module.NVML_SUCCESS and answer.value == answer.value
        }
    )


COUNTER = GpuCounter(
    (*_METRICS, "sm_activity_source"),
    _read,
    series={
        "sm_activity_percent": ("gpu_sm_activity_percent", "percent"),
        "tensor_activity_percent": ("gpu_tensor_activity_percent", "percent"),
        "memory_bandwidth_percent": ("gpu_memory_bandwidth_percent", "percent"),
    },
)
