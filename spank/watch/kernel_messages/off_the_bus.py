"""A GPU does not answer on the PCI bus any more; the driver says so with or without an Xid."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpualert_slurm.spank.watch.kernel_message import PCI, Data, KernelMessage, pci_address

_NAMED = re.compile(rf"NVRM: The NVIDIA GPU (?P<pci>{PCI})")


def _read(match: re.Match[str], recent: Sequence[str]) -> Data:
    if match["pci"]:
        return {"pci": pci_address(match["pci"])}
    for line in reversed(recent):
        named = _NAMED.match(line)
        if named:
            return {"pci": pci_address(named["pci"])}
    return {}


MESSAGE = KernelMessage(
    says="gpu_off_bus",
    pattern=re.compile(
        rf"NVRM: (?:GPU (?:at PCI:)?(?P<pci>{PCI}):? (?:GPU )?has fallen off the bus|fallen off the bus and is not responding to commands)"
    ),
    read=_read,
    samples=(
        "NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus.",
        "NVRM: GPU at PCI:0000:3b:00: has fallen off the bus.",
        "NVRM: fallen off the bus and is not responding to commands.",
    ),
    near_misses=(
        "NVRM: The NVIDIA GPU 0000:b3:00.0",
        "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.",
        "a.out[12]: segfault at 0 ip 0 sp 0 error 4 in NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus.",
    ),
)
