"""What the driver itself recommends to do with the card. Kept apart from the counters: over clean ones it is incidental."""

from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value

_FIELD = 230  # NVML_FI_DEV_GET_GPU_RECOVERY_ACTION
_ACTIONS = ("none", "reset", "reboot", "drain_p2p", "drain_and_reset", "recover_imex_domain", "bus_reset", "system_reboot")
"""nvmlDeviceGpuRecoveryAction_t in nvml.h, by number."""


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    (action,) = nvml.field_values(handle, [_FIELD])
    if action is None:
        return {}
    return {"recovery_action": _ACTIONS[int(action)] if 0 <= int(action) < len(_ACTIONS) else f"action {int(action)}"}


COUNTER = GpuCounter(("recovery_action",), _read, slow=True)
