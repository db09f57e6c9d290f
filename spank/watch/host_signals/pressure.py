"""Pressure stall information: how much of the time somebody waited for CPU, disk or memory. Linux 4.20 and later, cgroups of version 2."""

from __future__ import annotations

import re
from pathlib import Path

from gpualert_slurm.host import Pressure
from gpualert_slurm.spank.watch.cgroups import UNIFIED, Cgroups
from gpualert_slurm.spank.watch.host_signal import HostSignal, Value, known
from gpualert_slurm.spank.watch.process_identity import read_bytes

_LINE = re.compile(r"^(some|full) avg10=(\d+\.\d+) avg60=\S+ avg300=\S+ total=(\d+)$", re.MULTILINE)
_KINDS = ("cpu", "io", "memory")


def parse(text: str) -> Pressure | None:
    """A file of PSI; None for anything else."""
    found: dict[str, float | int] = {}
    for kind, share, total in _LINE.findall(text):
        found |= {f"{kind}_avg10_percent": float(share), f"{kind}_total_us": int(total)}
    return Pressure.model_validate(found) if found else None


def _node(proc: Path) -> dict[str, Value]:
    return known(**{f"psi_{kind}": parse(read_bytes(proc / "pressure" / kind, 512).decode("ascii", "replace")) for kind in _KINDS})


def _step(cgroups: Cgroups) -> dict[str, Value]:
    return known(**{f"psi_{kind}": parse(cgroups.text(UNIFIED, f"{kind}.pressure") or "") for kind in _KINDS})


SIGNAL = HostSignal(
    node=_node, step=_step, series={"psi_cpu": "psi_cpu_percent", "psi_io": "psi_io_percent", "psi_memory": "psi_memory_percent"}
)
