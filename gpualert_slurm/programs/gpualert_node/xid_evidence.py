"""What NVML itself reported, as evidence: where the kernel log says the same, the kernel's line is the better one (it names the process)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from gpualert_slurm.evidence import Evidence, FieldValue, Role, Trust, Where
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.spank.watch.kernel_message import pci_address
from gpualert_slurm.spank.watch.watch_files import NvmlEvent

_SAME_NS = 10_000_000_000
_CASCADES = (45, 154)
"""Torn down after another error; the recovery action that follows from one (NVIDIA's XID catalogue)."""
_UNCERTAINTY_NS = 500_000_000
_MOST = 200


def xid_evidence(
    events: Iterable[NvmlEvent], gpus: Sequence[GpuSnapshot], kernel: Sequence[Evidence], node: str, slices: Collection[str] = ()
) -> list[Evidence]:
    """Of the job's cards: XIDs that the kernel log does not have (it was closed, overrun, or another's).

    ``slices`` are the MIG slices that the job was on: what an event says of another slice of a card is another's.
    """
    cards = {gpu.uuid: gpu for gpu in gpus}
    found: list[Evidence] = []
    for place, event in enumerate(events):
        card = cards.get(event.uuid)
        if card is None or event.kind != "xid" or len(found) >= _MOST:
            continue
        if card.mig_enabled and event.gpu_instance is not None and event.slice not in slices:
            continue
        pci = pci_address(card.pci_bus_id) if card.pci_bus_id else None
        if any(_same(line, event, pci) for line in kernel):
            continue
        found.append(
            Evidence(
                id=f"nvml-{node}-{event.time_ns}-{place}",
                says="xid",
                role=Role.CASCADE if event.number in _CASCADES else Role.ROOT,
                trust=Trust.SYSTEM,
                source=FieldValue(
                    record=f"NVML events of {node}", query="nvmlEventSetWait", name="nvmlEventTypeXidCriticalError", value=f"Xid {event.number}"
                ),
                where=Where(node=node, gpu_uuid=event.uuid),
                pattern="nvml.xid",
                time_ns=event.time_ns,
                uncertainty_ns=_UNCERTAINTY_NS,
                data={"xid": event.number, "tied_by": "gpu", **({"pci": pci} if pci else {})},
            )
        )
    return found


def _same(line: Evidence, event: NvmlEvent, pci: str | None) -> bool:
    near = line.time_ns is None or abs(line.time_ns - event.time_ns) <= _SAME_NS + (line.uncertainty_ns or 0)
    return line.says == "xid" and line.data.get("xid") == event.number and line.data.get("pci") == pci and near
