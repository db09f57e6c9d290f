from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value

_MOST_PROCESSES = 256


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    processes = nvml.ask("nvmlDeviceGetComputeRunningProcesses", handle)
    return {} if processes is None else {"process_pids": sorted({int(p.pid) for p in processes})[:_MOST_PROCESSES]}


COUNTER = GpuCounter(("process_pids",), _read)
