"""NVLink errors of all links together. Blackwell counts others, behind field values with the link as scope (NVML_FI_DEV_NVLINK_COUNT_*)."""

from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value, known

# nvmlNvLinkErrorCounter_t in nvml.h.
_COUNTERS = {"nvlink_replay_errors": (0,), "nvlink_recovery_errors": (1,), "nvlink_crc_errors": (2, 3)}
_NEWER = {
    "nvlink_receive_errors": "NVML_FI_DEV_NVLINK_COUNT_RCV_ERRORS",
    "nvlink_recovery_failed": "NVML_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS",
    "nvlink_effective_errors": "NVML_FI_DEV_NVLINK_COUNT_EFFECTIVE_ERRORS",
    "nvlink_symbol_errors": "NVML_FI_DEV_NVLINK_COUNT_SYMBOL_ERRORS",
}
_MOST_LINKS = 18  # NVML_NVLINK_MAX_LINKS


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    totals: dict[str, int] = {}
    links = 0
    for link in range(_MOST_LINKS):
        state = nvml.ask("nvmlDeviceGetNvLinkState", handle, link)
        if state is None:
            break  # no NVLink at all, or no more of them
        links += 1
        totals["nvlink_links_active"] = totals.get("nvlink_links_active", 0) + int(bool(state))
        for field, numbers in _COUNTERS.items():
            for number in numbers:
                _add(totals, field, nvml.ask("nvmlDeviceGetNvLinkErrorCounter", handle, link, number))
    numbered = {field: found for field, name in _NEWER.items() if (found := nvml.constant(name)) is not None}
    wanted = [(number, link) for number in numbered.values() for link in range(links)]
    fields = [field for field in numbered for _ in range(links)]
    for field, value in zip(fields, nvml.field_values(handle, wanted), strict=True):
        _add(totals, field, value)
    return known(**totals)


def _add(totals: dict[str, int], field: str, count: float | None) -> None:
    if count is not None:
        totals[field] = totals.get(field, 0) + int(count)


COUNTER = GpuCounter(("nvlink_links_active", *_COUNTERS, *_NEWER), _read, slow=True, moving=(*_COUNTERS, *_NEWER))
