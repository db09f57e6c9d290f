from __future__ import annotations

import os
import re
from pathlib import Path

from gpualert_slurm.spank.watch.host_signal import HostSignal, Value, known
from gpualert_slurm.spank.watch.process_identity import read_bytes


def _node(proc: Path) -> dict[str, Value]:
    load = re.match(rb"(\d+\.\d+) ", read_bytes(proc / "loadavg", 128))
    blocked = re.search(rb"^procs_blocked (\d+)$", read_bytes(proc / "stat", 1 << 18), re.MULTILINE)
    return known(load_1m=float(load.group(1)) if load else None, tasks_blocked=int(blocked.group(1)) if blocked else None, cpu_count=os.cpu_count())


SIGNAL = HostSignal(node=_node, series={"load_1m": "host_load", "tasks_blocked": "host_tasks_blocked"})
