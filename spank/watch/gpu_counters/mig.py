"""Whether the card is cut into slices: then Slurm counts slices, and its numbers do not name cards."""

from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value, known


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    modes = nvml.ask("nvmlDeviceGetMigMode", handle)
    return known(mig_enabled=None if modes is None else bool(modes[0]))


COUNTER = GpuCounter(("mig_enabled",), _read)
