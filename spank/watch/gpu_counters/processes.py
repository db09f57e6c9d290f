"""Who uses the GPU for computing, by the pids of the node. How much memory each holds is said by some drivers only."""

from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value

_MOST_PROCESSES = 256


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    processes = nvml.ask("nvmlDeviceGetComputeRunningProcesses", handle)
    if processes is None:  # drivers before 510
        processes = nvml.ask("nvmlDeviceGetComputeRunningProcesses_v2", handle)
    if processes is None:
        return {}
    slices: dict[int, str] = nvml.memory.get("slices", {})  # of the last slow reading: a card is not cut anew while somebody is on it
    held: dict[int, int] = {}
    on: dict[int, str] = {}
    for process in processes:
        pid = int(process.pid)
        held[pid] = held.get(pid, 0) + int(process.usedGpuMemory or 0)
        on[pid] = slices.get(int(getattr(process, "gpuInstanceId", -1)), "")
    pids = sorted(held)[:_MOST_PROCESSES]
    found: dict[str, Value] = {"process_pids": pids, "process_memory_bytes": [held[pid] for pid in pids]}
    return {**found, "process_slices": [on[pid] for pid in pids]} if slices else found


COUNTER = GpuCounter(("process_pids", "process_memory_bytes", "process_slices"), _read)
