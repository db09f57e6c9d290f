"""What one file of ``kernel_messages/`` defines: a line of the kernel's that says something about a job."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gpualert_slurm.evidence import Role

Data = dict[str, str | int | float | bool]


@dataclass(frozen=True)
class KernelMessage:
    """One kind of kernel line.

    ``pattern`` must match from the line's first byte: a file name or a process name that a user chose can stand further
    along in a kernel line, and must not be taken for the driver's own words. ``read`` gives what was parsed out of it; the
    keys ``pid``, ``pci`` and ``job_id`` tie the line to a job. ``recent`` are up to three lines before it, oldest first.
    ``node_wide`` lines have no such key and count for a job only if it was alone on the node.
    ``samples`` must match, ``near_misses`` must not; the tests see to it.
    """

    says: str
    pattern: re.Pattern[str]
    read: Callable[[re.Match[str], Sequence[str]], Data]
    samples: tuple[str, ...]
    near_misses: tuple[str, ...]
    role: Callable[[Data], Role] = lambda _data: Role.ROOT
    node_wide: bool = False


def pci_address(text: str) -> str:
    """A PCI address as ``dddd:bb:dd``, lower case, function left out: NVML writes eight digits of domain and a function, the driver neither."""
    parts = text.strip().lower().split(":")
    if len(parts) == 2:
        parts = ["0", *parts]
    domain, bus, device = parts[-3:]
    return f"{int(domain, 16):04x}:{bus.zfill(2)}:{device.split('.')[0].zfill(2)}"


PCI = r"[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-9a-fA-F])?"
"""As NVRM and NVML print an address."""
