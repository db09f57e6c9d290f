"""Who the card is. The UUID and the serial stay with it; index and minor number change when a card is missing."""

from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value, known


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    # Of a handle it stays the same, and NVML is asked once.
    if "identity" not in nvml.memory:
        pci = nvml.ask("nvmlDeviceGetPciInfo", handle)
        bus = getattr(pci, "busId", None)
        found = known(
            uuid=nvml.ask("nvmlDeviceGetUUID", handle),
            serial=nvml.ask("nvmlDeviceGetSerial", handle),
            name=nvml.ask("nvmlDeviceGetName", handle),
            pci_bus_id=bus.decode("ascii", "replace") if isinstance(bus, bytes) else bus,
            minor_number=nvml.ask("nvmlDeviceGetMinorNumber", handle),
            driver_version=nvml.ask("nvmlSystemGetDriverVersion"),
        )
        if "uuid" not in found:
            return found
        nvml.memory["identity"] = found
    return dict(nvml.memory["identity"])


COUNTER = GpuCounter(("uuid", "serial", "name", "pci_bus_id", "minor_number", "driver_version"), _read)
