"""Reads GPUs through the real pynvml and prints JSON; the other half of test_nvml_library.py."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pynvml as nv

USED: set[str] = set()
_find = nv._nvmlGetFunctionPointer


def _recorded(name: str) -> Any:
    USED.add(name)
    return _find(name)


nv._nvmlGetFunctionPointer = _recorded


def field(entry: Any) -> list[Any]:
    """[return code, value or None] of a field value, by its type."""
    if entry.nvmlReturn != 0:
        return [entry.nvmlReturn, None]
    return [0, {0: entry.value.dVal, 1: entry.value.uiVal, 3: entry.value.ullVal}[entry.valueType]]


def activity(d: Any) -> list[Any]:
    """[whether there is GPM, error of comparing a sample with itself, SM activity, error of a metric that is not there]."""
    supported = nv.nvmlGpmQueryDeviceSupport(d).isSupportedDevice
    samples = [nv.nvmlGpmSampleGet(d, nv.nvmlGpmSampleAlloc()) for _ in range(2)]
    asked = nv.c_nvmlGpmMetricsGet_t()
    asked.version, asked.numMetrics, asked.sample1, asked.sample2 = nv.NVML_GPM_METRICS_GET_VERSION, 2, samples[0], samples[0]
    asked.metrics[0].metricId, asked.metrics[1].metricId = nv.NVML_GPM_METRIC_SM_UTIL, nv.NVML_GPM_METRIC_FP64_UTIL
    try:
        same = nv.nvmlGpmMetricsGet(asked) and 0
    except nv.NVMLError as error:
        same = error.value
    asked.sample2 = samples[1]
    nv.nvmlGpmMetricsGet(asked)
    for sample in samples:
        nv.nvmlGpmSampleFree(sample)
    return [supported, same, asked.metrics[0].value, asked.metrics[1].nvmlReturn]


def event(d: Any) -> list[Any]:
    """[types there are, what had happened before the set was made is not given: TIMEOUT, what happens then, as [type, data, GPU instance]]."""
    events = nv.nvmlEventSetCreate()
    nv.nvmlDeviceRegisterEvents(d, nv.nvmlEventTypeXidCriticalError, events)
    try:
        early = nv.nvmlEventSetWait_v2(events, 30).eventData
    except nv.NVMLError as error:
        early = error.value
    readings = Path(os.environ["GPUALERT_NVML_READINGS"])
    part = readings.with_suffix(".part")
    part.write_text(readings.read_text().replace("events = 8:13", "events = 8:13 2:0 8:79@7"))
    part.replace(readings)
    found = nv.nvmlEventSetWait_v2(events, 2000)
    assert found.device.contents is not None
    nv.nvmlEventSetFree(events)
    return [nv.nvmlDeviceGetSupportedEventTypes(d), early, [found.eventType, found.eventData, found.gpuInstanceId]]


def gpu(index: int) -> dict[str, Any]:
    """Every reading of one GPU."""
    d = nv.nvmlDeviceGetHandleByIndex(index)
    part = nv.nvmlDeviceGetMigDeviceHandleByIndex(d, 1)
    pci = nv.nvmlDeviceGetPciInfo(d)
    one, two = nv.nvmlDeviceGetMemoryInfo(d), nv.nvmlDeviceGetMemoryInfo(d, version=nv.nvmlMemory_v2)
    use = nv.nvmlDeviceGetUtilizationRates(d)
    histogram = nv.nvmlDeviceGetRowRemapperHistogram(d)
    violations = [nv.nvmlDeviceGetViolationStatus(d, p) for p in (nv.NVML_PERF_POLICY_POWER, nv.NVML_PERF_POLICY_THERMAL)]
    fields = nv.nvmlDeviceGetFieldValues(d, [
        nv.NVML_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL, nv.NVML_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL, nv.NVML_FI_DEV_ECC_SBE_AGG_TOTAL,
        nv.NVML_FI_DEV_REMAPPED_UNC, nv.NVML_FI_DEV_POWER_INSTANT, (nv.NVML_FI_DEV_NVLINK_ERROR_DL_REPLAY, 1), 230, 299,
    ])
    assert all(entry.timestamp > 1_600_000_000_000_000 for entry in fields)
    corrected, uncorrected = nv.NVML_MEMORY_ERROR_TYPE_CORRECTED, nv.NVML_MEMORY_ERROR_TYPE_UNCORRECTED
    volatile, aggregate = nv.NVML_VOLATILE_ECC, nv.NVML_AGGREGATE_ECC
    return {
        "uuid": nv.nvmlDeviceGetUUID(d), "serial": nv.nvmlDeviceGetSerial(d), "name": nv.nvmlDeviceGetName(d),
        "minor": nv.nvmlDeviceGetMinorNumber(d), "index": nv.nvmlDeviceGetIndex(d),
        "pci": {"busId": pci.busId, "busIdLegacy": pci.busIdLegacy, "domain": pci.domain, "bus": pci.bus, "device": pci.device,
                "pciDeviceId": pci.pciDeviceId},
        "memory_v1": [one.total, one.free, one.used], "memory_v2": [two.total, two.reserved, two.free, two.used],
        "utilization": [use.gpu, use.memory], "temperature": nv.nvmlDeviceGetTemperature(d, nv.NVML_TEMPERATURE_GPU),
        "temperature_v": nv.nvmlDeviceGetTemperatureV(d, nv.NVML_TEMPERATURE_GPU),
        "threshold": nv.nvmlDeviceGetTemperatureThreshold(d, nv.NVML_TEMPERATURE_THRESHOLD_SLOWDOWN),
        "power": nv.nvmlDeviceGetPowerUsage(d), "power_limit": nv.nvmlDeviceGetEnforcedPowerLimit(d),
        "management_limit": nv.nvmlDeviceGetPowerManagementLimit(d), "energy": nv.nvmlDeviceGetTotalEnergyConsumption(d),
        "pstate": nv.nvmlDeviceGetPerformanceState(d), "power_state": nv.nvmlDeviceGetPowerState(d),
        "clocks": [nv.nvmlDeviceGetClockInfo(d, c) for c in (nv.NVML_CLOCK_GRAPHICS, nv.NVML_CLOCK_SM, nv.NVML_CLOCK_MEM, nv.NVML_CLOCK_VIDEO)],
        "max_sm": nv.nvmlDeviceGetMaxClockInfo(d, nv.NVML_CLOCK_SM), "application_sm": nv.nvmlDeviceGetApplicationsClock(d, nv.NVML_CLOCK_SM),
        "throttle": nv.nvmlDeviceGetCurrentClocksThrottleReasons(d), "events": nv.nvmlDeviceGetCurrentClocksEventReasons(d),
        "compute_mode": nv.nvmlDeviceGetComputeMode(d), "mig": nv.nvmlDeviceGetMigMode(d),
        "processes": [[p.pid, p.usedGpuMemory] for p in nv.nvmlDeviceGetComputeRunningProcesses(d)],
        "processes_v2": [[p.pid, p.usedGpuMemory] for p in nv.nvmlDeviceGetComputeRunningProcesses_v2(d)],
        "ecc_mode": nv.nvmlDeviceGetEccMode(d),
        "ecc": [nv.nvmlDeviceGetTotalEccErrors(d, e, c) for c in (volatile, aggregate) for e in (corrected, uncorrected)],
        "ecc_sram": nv.nvmlDeviceGetMemoryErrorCounter(d, uncorrected, volatile, nv.NVML_MEMORY_LOCATION_SRAM),
        "ecc_dram": nv.nvmlDeviceGetMemoryErrorCounter(d, corrected, aggregate, nv.NVML_MEMORY_LOCATION_DRAM),
        "remapped": nv.nvmlDeviceGetRemappedRows(d),
        "histogram": [histogram.max, histogram.high, histogram.partial, histogram.low, histogram.none],
        "retired": nv.nvmlDeviceGetRetiredPages(d, nv.NVML_PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS),
        "retired_v2": [[p["address"], p["timestamp"]] for p in nv.nvmlDeviceGetRetiredPages_v2(d, 0)],
        "retired_dbe": nv.nvmlDeviceGetRetiredPages(d, nv.NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR),
        "retired_pending": nv.nvmlDeviceGetRetiredPagesPendingStatus(d),
        "nvlink_state": [nv.nvmlDeviceGetNvLinkState(d, link) for link in (0, 1)], "nvlink_version": nv.nvmlDeviceGetNvLinkVersion(d, 0),
        "nvlink_errors": [nv.nvmlDeviceGetNvLinkErrorCounter(d, 0, c) for c in range(5)],
        "pcie": [nv.nvmlDeviceGetPcieReplayCounter(d), nv.nvmlDeviceGetCurrPcieLinkGeneration(d), nv.nvmlDeviceGetCurrPcieLinkWidth(d)],
        "violation_power": [violations[0].referenceTime, violations[0].violationTime],
        "violation_thermal": [violations[1].referenceTime, violations[1].violationTime],
        "samples": [[s.timeStamp, s.sampleValue.uiVal] for s in nv.nvmlDeviceGetSamples(d, nv.NVML_GPU_UTILIZATION_SAMPLES, 100)[1]],
        "fields": [field(entry) for entry in fields], "activity": activity(d), "event": event(d),
        "slices": [nv.nvmlDeviceGetMaxMigDeviceCount(d), nv.nvmlDeviceGetUUID(part), nv.nvmlDeviceGetGpuInstanceId(part)],
        "instances": [p.gpuInstanceId for p in nv.nvmlDeviceGetComputeRunningProcesses(d)],
    }


def everything() -> dict[str, Any]:
    """The host and its last GPU, and which of the library's symbols were never called."""
    nv.nvmlInit()
    count = nv.nvmlDeviceGetCount()
    handle = nv.nvmlDeviceGetHandleByIndex(count - 1)
    bus_id = nv.nvmlDeviceGetPciInfo(handle).busId
    host = {
        "driver": nv.nvmlSystemGetDriverVersion(), "nvml": nv.nvmlSystemGetNVMLVersion(), "cuda": nv.nvmlSystemGetCudaDriverVersion_v2(),
        "count": count, "by_uuid": nv.nvmlDeviceGetIndex(nv.nvmlDeviceGetHandleByUUID(nv.nvmlDeviceGetUUID(handle))),
        "by_serial": nv.nvmlDeviceGetIndex(nv.nvmlDeviceGetHandleBySerial(nv.nvmlDeviceGetSerial(handle))),
        "by_pci": nv.nvmlDeviceGetIndex(nv.nvmlDeviceGetHandleByPciBusId(bus_id)),
        "by_short_pci": nv.nvmlDeviceGetIndex(nv.nvmlDeviceGetHandleByPciBusId(bus_id[4:].lower())), "error_15": nv.nvmlErrorString(15),
    }
    assert nv.nvmlSystemGetCudaDriverVersion() == host["cuda"]
    gpus = [{}] * (count - 1) + [gpu(count - 1)]
    nv.nvmlShutdown()
    library = Path(os.environ["LD_LIBRARY_PATH"]) / "libnvidia-ml.so.1"
    exported = set(re.findall(r" T (nvml\w+)", subprocess.run(["nm", "-D", str(library)], capture_output=True, text=True, check=True).stdout))
    # pynvml calls nvmlInitWithFlags alone; the two other names of it are for programs in C.
    return {"host": host, "gpus": gpus, "unread_symbols": sorted(exported - USED - {"nvmlInit", "nvmlInit_v2"})}


def temperature() -> dict[str, Any]:
    """GPU 0's temperature, or the name of pynvml's error."""
    try:
        nv.nvmlInit()
        return {"value": nv.nvmlDeviceGetTemperature(nv.nvmlDeviceGetHandleByIndex(0), nv.NVML_TEMPERATURE_GPU)}
    except nv.NVMLError as error:
        return {"error": type(error).__name__}


def follow() -> None:
    """Prints GPU 0's temperature, once at first and once for every line of stdin."""
    nv.nvmlInit()
    handle = nv.nvmlDeviceGetHandleByIndex(0)
    print(nv.nvmlDeviceGetTemperature(handle, nv.NVML_TEMPERATURE_GPU), flush=True)
    for _ in sys.stdin:
        print(nv.nvmlDeviceGetTemperature(handle, nv.NVML_TEMPERATURE_GPU), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "follow":
        follow()
    else:
        print(json.dumps(everything() if sys.argv[1] == "all" else temperature()))
