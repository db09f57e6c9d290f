"""An NVSwitch reports an error. It serves every GPU of the node, so no line of it belongs to one job of several."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpualert_slurm.evidence import Role
from gpualert_slurm.spank.watch.kernel_message import PCI, Data, KernelMessage, pci_address


def _read(match: re.Match[str], recent: Sequence[str]) -> Data:  # noqa: ARG001
    data: Data = {"sxid": int(match["sxid"]), "switch_pci": pci_address(match["pci"]), "words": match["words"][:200]}
    if match["severity"]:
        data["fatal"] = match["severity"] == "Fatal"
    return data


MESSAGE = KernelMessage(
    says="sxid",
    pattern=re.compile(rf"nvidia-nvswitch\d*: SXid \(PCI:(?P<pci>{PCI})\): (?P<sxid>\d{{1,6}}), (?:(?P<severity>Fatal|Non-fatal), )?(?P<words>.*)$"),
    read=_read,
    role=lambda data: Role.ROOT if data.get("fatal") else Role.CONFIRMATION,
    node_wide=True,
    samples=(
        "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 28006, Non-fatal, Link 46 MC TS crumbstore MCTO (First)",
        "nvidia-nvswitch0: SXid (PCI:0000:a9:00.0): 20034, Fatal, Link 30 LTSSM Fault Up",
    ),
    near_misses=("nvidia-nvswitch0: using MSI", "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus."),
)
