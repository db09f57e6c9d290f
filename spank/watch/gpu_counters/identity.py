"""Who the card is. The UUID and the serial stay with it; index and minor number change when a card is missing."""

from __future__ import annotations

from typing import Any

from gpualert_slurm.spank.watch.gpu_counter import GpuCounter, Nvml, Value, known


def _read(nvml: Nvml, handle: Any) -> dict[str, Value]:  # noqa: ANN401
    pci = nvml.ask("nvmlDeviceGetPciInfo", handle)
    bus = getattr(pci, "busId", None)
    return known(
        uuid=nvml.ask("nvmlDeviceGetUUID", handle),
        serial=nvml.ask("nvmlDeviceGetSerial", handle),
        name=nvml.ask("nvmlDeviceGetName", handle),
        pci_bus_id=bus.decode("ascii", "replace") if isinstance(bus, bytes) else bus,
        minor_number=nvml.ask("nvmlDeviceGetMinorNumber", handle),
    )


COUNTER = GpuCounter(("uuid", "serial", "name", "pci_bus_id", "minor_number"), _read)
