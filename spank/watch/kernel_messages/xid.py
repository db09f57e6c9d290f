"""NVIDIA's driver reports an error of a GPU. What a number means is the classifier's business."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpualert_slurm.evidence import Role
from gpualert_slurm.spank.watch.kernel_message import PCI, Data, KernelMessage, pci_address

_CASCADES = (45, 154)
"""45: channels torn down after another error; 154: the recovery action that follows from one (NVIDIA's XID catalogue)."""


def _read(match: re.Match[str], recent: Sequence[str]) -> Data:  # noqa: ARG001
    data: Data = {"xid": int(match["xid"]), "pci": pci_address(match["pci"])}
    rest = match["rest"] or ""
    if match["instance"]:
        data["gpu_instance"] = match["instance"]
    pid = re.search(r"\bpid='?(\d{1,10})\b", rest)
    if pid and int(pid.group(1)) > 0:
        data["pid"] = int(pid.group(1))
    name = re.search(r"\bname=([^,]{1,64})", rest)
    if name and "unknown" not in name.group(1):
        data["process"] = name.group(1).strip("'")
    link = re.search(r"\blink (\d{1,3})\b", rest)
    if link and "NVLink" in rest:
        data["nvlink"] = int(link.group(1))
    words = re.sub(r"^(?:pid='?[^,]*'?, )?(?:name=[^,]*, )?", "", rest)
    if words:
        data["words"] = words[:200]
    return data


MESSAGE = KernelMessage(
    says="xid",
    # A MIG card adds its instances to the address: "PCI:0000:01:00 GPU-I:05 GPU-CI:02".
    pattern=re.compile(rf"NVRM: Xid \(PCI:(?P<pci>{PCI})(?: GPU-I:(?P<instance>\w+))?(?: GPU-CI:\w+)?\): (?P<xid>\d{{1,4}})(?:, ?(?P<rest>.*))?$"),
    read=_read,
    role=lambda data: Role.CASCADE if data["xid"] in _CASCADES else Role.ROOT,
    samples=(
        "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
        "NVRM: Xid (PCI:0000:44:00): 48, pid=31400, name=python3, An uncorrectable double bit error (DBE) has been detected.",
        "NVRM: Xid (PCI:0000:44:00): 74, pid=1234, NVLink: fatal error detected on link 6(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)",
        "NVRM: Xid (PCI:0000:07:00): 45, pid=31400, Ch 00000008",
        "NVRM: Xid (PCI:0000:07:00): 31",
        # two as an H200's driver 580.159.04 wrote them
        "NVRM: Xid (PCI:0000:00:06): 31, pid=911, name=python3, channel 0x0000000a, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC1 faulted",
        "NVRM: Xid (PCI:0000:00:06): 43, pid=936, name=python3, channel 0x0000000a",
        "NVRM: Xid (PCI:0000:01:00 GPU-I:05): 94, pid=7194, Contained: CE User Channel (0x9). RST: No, D-RST: No",
        "NVRM: Xid (PCI:0000:3b:00 GPU-I:01 GPU-CI:02): 13, pid=9, name=a, Graphics Exception",
    ),
    near_misses=(
        "python3[77]: segfault at 0 ip 0 sp 0 error 4 in NVRM: Xid (PCI:0000:3b:00): 79, pid=1",
        "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.54.03",
        "nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 28006, Non-fatal, Link 46 MC TS crumbstore MCTO",
    ),
)
