from __future__ import annotations

import re
from pathlib import Path

from gpualert_slurm.spank.watch.host_signal import HostSignal, Value, known
from gpualert_slurm.spank.watch.process_identity import read_bytes

_LINE = re.compile(rb"^(MemTotal|MemAvailable|SwapTotal|SwapFree):\s+(\d+) kB$", re.MULTILINE)
_KIB = 1024


def _node(proc: Path) -> dict[str, Value]:
    found = {name: int(number) * _KIB for name, number in _LINE.findall(read_bytes(proc / "meminfo", 1 << 14))}
    swap = found[b"SwapTotal"] - found[b"SwapFree"] if {b"SwapTotal", b"SwapFree"} <= found.keys() else None
    return known(memory_total_bytes=found.get(b"MemTotal"), memory_available_bytes=found.get(b"MemAvailable"), swap_used_bytes=swap)


SIGNAL = HostSignal(node=_node, series={"memory_available_bytes": "host_memory_available_bytes"})
