from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value, known


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    # Version 1 counts what the driver keeps for itself as used, some 600 MiB on an idle H100; drivers before 510 know no other.
    newer = nvml.constant("nvmlMemory_v2")
    info = nvml.ask("nvmlDeviceGetMemoryInfo", handle, newer) if newer is not None else None
    if info is None:
        info = nvml.ask("nvmlDeviceGetMemoryInfo", handle)
    return known(memory_used_bytes=int(info.used), memory_total_bytes=int(info.total)) if info is not None else {}


COUNTER = GpuCounter(("memory_used_bytes", "memory_total_bytes"), _read, series={"memory_used_bytes": ("gpu_memory_used_bytes", "bytes")})
