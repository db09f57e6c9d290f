from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value, known


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    rows = nvml.ask("nvmlDeviceGetRemappedRows", handle)
    if rows is None:
        return {}
    correctable, uncorrectable, pending, failure = rows
    return known(
        remapped_rows_correctable=int(correctable),
        remapped_rows_uncorrectable=int(uncorrectable),
        remap_pending=bool(pending),
        remap_failure=bool(failure),
    )


_FIELDS = ("remapped_rows_correctable", "remapped_rows_uncorrectable", "remap_pending", "remap_failure")
COUNTER = GpuCounter(_FIELDS, _read, moving=_FIELDS)
