"""Who uses the GPU for computing, by the pids of the node. How much memory each holds is said by some drivers only."""

from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value

_MOST_PROCESSES = 256


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    processes = nvml.ask("nvmlDeviceGetComputeRunningProcesses", handle)
    if processes is None:
        return {}
    held: dict[int, int] = {}
    for process in processes:
        held[int(process.pid)] = held.get(int(process.pid), 0) + int(process.usedGpuMemory or 0)
    pids = sorted(held)[:_MOST_PROCESSES]
    return {"process_pids": pids, "process_memory_bytes": [held[pid] for pid in pids]}


COUNTER = GpuCounter(("process_pids", "process_memory_bytes"), _read)
