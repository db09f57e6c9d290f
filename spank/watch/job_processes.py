"""Which processes are a job's, read from /proc: whoever descends from its slurmstepds here, and whoever sits in its cgroup.

The environment of a process is its owner's and proves nothing; parents, cgroup paths and root's own slurmstepd do.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
_STEPD = re.compile(rb"slurmstepd: \[(\d{1,10})\.([^\]]{1,40})\]")
_NODE = re.compile(rb"(?:^|\0)SLURMD_NODENAME=([^\0]*)")
_SMALL = 16384


@dataclass(frozen=True)
class Process:
    """What /proc says of one process."""

    pid: int
    parent: int
    uid: int
    name: str


def table(proc: Path = PROC) -> dict[int, Process]:
    """Every process of this host; those that end while we look are left out."""
    found: dict[int, Process] = {}
    try:
        entries = [entry.name for entry in proc.iterdir() if entry.name.isdigit()]
    except OSError:
        return {}
    for entry in entries:
        process = one(int(entry), proc)
        if process is not None:
            found[process.pid] = process
    return found


def one(pid: int, proc: Path = PROC) -> Process | None:
    """The process ``pid``, or None when there is none."""
    try:
        stat = (proc / str(pid) / "stat").read_bytes()
        uid = (proc / str(pid)).stat().st_uid
        # The name is the user's choice and may hold ")": what follows the last one is the kernel's.
        name, _, rest = stat.partition(b"(")[2].rpartition(b")")
        return Process(pid=pid, parent=int(rest.split()[1]), uid=uid, name=name.decode("utf-8", "replace"))
    except (OSError, ValueError, IndexError):
        return None


def step_of(pid: int, proc: Path = PROC) -> tuple[int, str] | None:
    """(job id, step) of the slurmstepd ``pid``; None where it is none, or not root's."""
    process = one(pid, proc)
    if process is None or process.uid != 0:
        return None
    match = _STEPD.match(_read(proc / str(pid) / "cmdline"))
    return (int(match.group(1)), match.group(2).decode("ascii", "replace")) if match else None


def stepds(processes: dict[int, Process], node: str, proc: Path = PROC) -> dict[int, int]:
    """{slurmstepd's pid: job id} of this node. Several nodes may share a host: a stepd that says another node's name is left out."""
    found: dict[int, int] = {}
    for process in processes.values():
        if process.uid != 0 or not process.name.startswith("slurmstepd"):
            continue
        step = step_of(process.pid, proc)
        named = _NODE.search(_read(proc / str(process.pid) / "environ"))
        if step is not None and (named is None or named.group(1) == node.encode()):
            found[process.pid] = step[0]
    return found


def descendants(processes: dict[int, Process], roots: Iterable[int]) -> set[int]:
    """All children, grandchildren … of ``roots``, without them."""
    children: dict[int, list[int]] = {}
    for process in processes.values():
        children.setdefault(process.parent, []).append(process.pid)
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in found:
                found.add(child)
                waiting.append(child)
    return found


def family(roots: Iterable[int], proc: Path = PROC) -> set[int] | None:
    """``descendants`` without a table of the whole host: a node of 256 processors has thousands of kernel threads.

    None where the kernel does not list children (CONFIG_PROC_CHILDREN).
    """
    found: set[int] = set()
    waiting = list(roots)
    listed = False
    while waiting:
        pid = waiting.pop()
        try:
            threads = [entry.path for entry in os.scandir(proc / str(pid) / "task")]
        except OSError:
            continue
        for thread in threads:
            try:
                with open(f"{thread}/children", "rb") as file:  # noqa: PTH123  (hundreds of them a look)
                    names = file.read().split()
            except OSError:
                continue
            listed = True
            for name in names:
                child = int(name)
                if child not in found:
                    found.add(child)
                    waiting.append(child)
    return found if listed else None


def cgroup_job(pid: int, proc: Path = PROC) -> int | None:
    """The job whose cgroup ``pid`` is in (``…/job_42/step_0``), None where no path names one."""
    match = re.search(rb"/job_(\d{1,10})(?:/|\n|$)", _read(proc / str(pid) / "cgroup"))
    return int(match.group(1)) if match else None


def cgroup_members(processes: dict[int, Process], uid: int, job_id: int, proc: Path = PROC) -> set[int]:
    """The processes of ``uid`` that sit in the job's cgroup: also those that left slurmstepd's family."""
    return {p.pid for p in processes.values() if p.uid == uid and cgroup_job(p.pid, proc) == job_id}


def allowed_nvidia_minors(pids: Collection[int], proc: Path = PROC, cgroup_root: Path = Path("/sys/fs/cgroup/devices")) -> str | None:
    """The ``devices.list`` of the job's cgroup (v1), from the first process that still has one; None where nothing confines devices."""
    for pid in pids:
        match = re.search(rb"\d+:(?:[^:\n]*,)?devices(?:,[^:\n]*)?:(/[^\n]*/job_\d+)", _read(proc / str(pid) / "cgroup"))
        if match:
            text = _read(cgroup_root / match.group(1).decode("utf-8", "replace").lstrip("/") / "devices.list")
            return text.decode("ascii", "replace") or None
    return None


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_SMALL)
    except OSError:
        return b""
