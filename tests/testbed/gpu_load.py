"""Makes the simulated GPUs follow the jobs: a node whose tasks run shows busy GPUs with their processes, as NVML would."""

from __future__ import annotations

import threading

from .cluster import Cluster
from .processes import environ

LOOK_EVERY_S = 0.5
BUSY: dict[str, str | int] = {
    "utilization.gpu": 94, "utilization.memory": 38, "memory.used": 31 << 30, "temperature": 61, "power.usage": 488_000, "clock.sm": 1755,
    "clock.graphics": 1755, "throttle_reasons": "0x4",
    # What the profiler says of it (GPM: SM activity, occupancy, tensor cores, memory bandwidth): kernels that compute, and do not only run.
    "gpm.2": 88, "gpm.3": 41, "gpm.5": 47, "gpm.10": 36,
}
IDLE: dict[str, str | int] = {
    "utilization.gpu": 0, "utilization.memory": 0, "memory.used": 0, "temperature": 33, "power.usage": 70_250, "clock.sm": 345,
    "clock.graphics": 345, "throttle_reasons": "0x1", "processes": "", "gpm.2": 0, "gpm.3": 0, "gpm.5": 0, "gpm.10": 0,
}


class GpuLoad:
    """While it is open, each node's readings say what its tasks would do to its GPUs. For demonstrations: tests script their own readings."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="gpu load", daemon=True)
        self._shown: dict[str, tuple[int, ...]] = dict.fromkeys(cluster.node_names, ())

    def __enter__(self) -> GpuLoad:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End; the readings stay as they are."""
        self._ending.set()
        self._thread.join(10)

    def _follow(self) -> None:
        while not self._ending.wait(LOOK_EVERY_S):
            for name, node in self._cluster.nodes.items():
                tasks = tuple(pid for pid in node.pids() if "SLURM_LOCALID" in (env := environ(pid)) and env.get("CUDA_VISIBLE_DEVICES"))
                if tasks != self._shown[name]:
                    self._shown[name] = tasks
                    self._show(name, tasks)

    def _show(self, name: str, tasks: tuple[int, ...]) -> None:
        for gpu in range(self._cluster.conf.gpus_per_node):
            own = [pid for pid in tasks if int(environ(pid).get("SLURM_LOCALID", "-1")) == gpu]
            processes = " ".join(f"{pid}:{31 << 30}" for pid in own)
            self._cluster.nvml.set(name, gpu, {**BUSY, "processes": processes} if own else IDLE)
