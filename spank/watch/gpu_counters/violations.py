"""How long clocks were held down, and why: totals that grow, so that nothing between two samples is missed. Nanoseconds."""

from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value, known

_POLICIES = {
    "violation_power_ns": 0, "violation_thermal_ns": 1, "violation_sync_boost_ns": 2, "violation_board_limit_ns": 3,
    "violation_low_utilization_ns": 4, "violation_reliability_ns": 5,
}  # fmt: skip
"""nvmlPerfPolicyType_t in nvml.h; violationTime is in nanoseconds there."""
_FIELD_IDS = {"violation_sw_thermal_ns": 269, "violation_hw_thermal_ns": 270, "violation_hw_power_brake_ns": 271}
"""NVML_FI_DEV_CLOCKS_EVENT_REASON_*, drivers from 570 on, "in ns"."""


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    # A policy the card has not is asked for once.
    absent: set[str] = nvml.memory.setdefault("no_violation", set())
    found: dict[str, Value] = {}
    for field, policy in _POLICIES.items():
        status = None if field in absent else nvml.ask("nvmlDeviceGetViolationStatus", handle, policy)
        if status is None:
            absent.add(field)
        else:
            found[field] = int(status.violationTime)
    return known(**found)


_FIELDS = (*_POLICIES, *_FIELD_IDS)
COUNTER = GpuCounter(_FIELDS, _read, field_ids=_FIELD_IDS, moving=_FIELDS)
