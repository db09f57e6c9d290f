from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value, known

# nvmlNvLinkErrorCounter_t in nvml.h. Blackwell has other counters behind nvmlDeviceGetFieldValues; there these are absent.
_COUNTERS = {"nvlink_replay_errors": (0,), "nvlink_recovery_errors": (1,), "nvlink_crc_errors": (2, 3)}
_MOST_LINKS = 18  # NVML_NVLINK_MAX_LINKS


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    totals: dict[str, int] = {}
    for link in range(_MOST_LINKS):
        state = nvml.ask("nvmlDeviceGetNvLinkState", handle, link)
        if state is None:
            break  # no NVLink at all, or no more of them
        for field, numbers in _COUNTERS.items():
            for number in numbers:
                count = nvml.ask("nvmlDeviceGetNvLinkErrorCounter", handle, link, number)
                if count is not None:
                    totals[field] = totals.get(field, 0) + int(count)
    return known(**totals)


COUNTER = GpuCounter(tuple(_COUNTERS), _read)
