"""The second line of an OOM kill: how much the process held."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpualert_slurm.evidence import Role
from gpualert_slurm.spank.watch.kernel_message import Data, KernelMessage

_KIB = 1024


def _read(match: re.Match[str], recent: Sequence[str]) -> Data:  # noqa: ARG001
    data: Data = {
        "scope": "cgroup" if match["cgroup"] else "node",
        "pid": int(match["pid"]),
        "process": match["task"][:64],
        "total_vm_bytes": int(match["vm"]) * _KIB,
        "anon_rss_bytes": int(match["anon"]) * _KIB,
    }
    if match["uid"]:
        data["uid"] = int(match["uid"])
    return data


MESSAGE = KernelMessage(
    says="kernel_oom",
    pattern=re.compile(
        r"(?:(?P<cgroup>Memory cgroup out of memory)|Out of memory): Killed process (?P<pid>\d{1,10}) \((?P<task>.*)\)"
        r" total-vm:(?P<vm>\d+)kB, anon-rss:(?P<anon>\d+)kB(?:.*\bUID:(?P<uid>\d{1,10}))?"
    ),
    read=_read,
    role=lambda _data: Role.CONFIRMATION,
    samples=(
        (
            "Memory cgroup out of memory: Killed process 31400 (python3) total-vm:105300kB, anon-rss:99840kB, file-rss:5504kB, "
            "shmem-rss:0kB, UID:1000 pgtables:240kB oom_score_adj:0"
        ),
        "Out of memory: Killed process 9 (a) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB",
    ),
    near_misses=("oom_reaper: reaped process 31400 (python3), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB",),
)
