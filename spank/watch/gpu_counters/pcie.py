from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value, known


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    return known(
        pcie_replay_count=nvml.ask("nvmlDeviceGetPcieReplayCounter", handle),
        pcie_link_generation=nvml.ask("nvmlDeviceGetCurrPcieLinkGeneration", handle),
        pcie_link_width=nvml.ask("nvmlDeviceGetCurrPcieLinkWidth", handle),
    )


COUNTER = GpuCounter(("pcie_replay_count", "pcie_link_generation", "pcie_link_width"), _read, slow=True, moving=("pcie_replay_count",))
