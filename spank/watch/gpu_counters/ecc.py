from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value, known

# nvmlMemoryErrorType_t and nvmlEccCounterType_t in nvml.h.
_KINDS = {"corrected": 0, "uncorrected": 1}
_COUNTERS = {"volatile": 0, "aggregate": 1}
_FIELDS = tuple(f"ecc_{counter}_{kind}" for counter in _COUNTERS for kind in _KINDS)


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    mode = nvml.ask("nvmlDeviceGetEccMode", handle)
    return known(
        ecc_enabled=None if mode is None else bool(mode[0]),
        **{
            f"ecc_{counter}_{kind}": nvml.ask("nvmlDeviceGetTotalEccErrors", handle, kind_number, counter_number)
            for counter, counter_number in _COUNTERS.items()
            for kind, kind_number in _KINDS.items()
        },
    )


COUNTER = GpuCounter(("ecc_enabled", *_FIELDS), _read, moving=_FIELDS)
