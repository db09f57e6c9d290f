from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value, known


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    pending = nvml.ask("nvmlDeviceGetRetiredPagesPendingStatus", handle)
    return known(retired_pages_pending=None if pending is None else bool(pending))


COUNTER = GpuCounter(("retired_pages_pending",), _read)
