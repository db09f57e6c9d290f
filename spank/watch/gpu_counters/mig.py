"""Whether the card is cut into slices: then Slurm counts slices, and its numbers do not name cards. NVML says by GPU instance who is on which."""

from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value

_MOST_SLICES = 16


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    modes = nvml.ask("nvmlDeviceGetMigMode", handle)
    slices: dict[int, str] = nvml.memory.setdefault("slices", {})
    slices.clear()
    if modes is None:
        return {}
    if not modes[0]:
        return {"mig_enabled": False}
    uuids = []
    for number in range(min(nvml.ask("nvmlDeviceGetMaxMigDeviceCount", handle) or 0, _MOST_SLICES)):
        part = nvml.ask("nvmlDeviceGetMigDeviceHandleByIndex", handle, number)
        uuid = nvml.ask("nvmlDeviceGetUUID", part) if part is not None else None
        if isinstance(uuid, str):
            uuids.append(uuid)
            instance = nvml.ask("nvmlDeviceGetGpuInstanceId", part)
            if isinstance(instance, int):
                slices[instance] = uuid  # several compute instances of one GPU instance share it: the last one stands for them
    return {"mig_enabled": True, "mig_instances": uuids}


COUNTER = GpuCounter(("mig_enabled", "mig_instances"), _read, slow=True)
