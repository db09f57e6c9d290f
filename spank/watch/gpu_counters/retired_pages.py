"""Pages that cards before Ampere retire, by cause: too many single-bit errors, or a double-bit one."""

from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value, known

_SINGLE_BIT, _DOUBLE_BIT = 0, 1  # nvmlPageRetirementCause_t


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    pending = nvml.ask("nvmlDeviceGetRetiredPagesPendingStatus", handle)
    if pending is None:
        return {}
    single, double = (nvml.ask("nvmlDeviceGetRetiredPages", handle, cause) for cause in (_SINGLE_BIT, _DOUBLE_BIT))
    return known(
        retired_pages_pending=bool(pending),
        retired_pages_sbe=None if single is None else len(single),
        retired_pages_dbe=None if double is None else len(double),
    )


_FIELDS = ("retired_pages_sbe", "retired_pages_dbe", "retired_pages_pending")
COUNTER = GpuCounter(_FIELDS, _read, slow=True, moving=_FIELDS)
