"""Which processes belong to a bed or to one of its nodes, read from /proc; processes are only ever ended by pid."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

MARK = "GPUALERT_TESTBED"
NODE_MARK = "GPUALERT_TESTBED_NODE"


def environ(pid: int) -> dict[str, str]:
    """The environment a process was started with; empty where it is gone, a kernel thread, or has overwritten it."""
    try:
        raw = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return {}
    pairs = (entry.partition("=") for entry in raw.decode(errors="replace").split("\0") if "=" in entry)
    return {key: value for key, _, value in pairs}


def parents() -> dict[int, int]:
    """Parent of every process, zombies left out."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError, ValueError, IndexError):
            after_name = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
            if after_name[0] != "Z":
                found[int(entry.name)] = int(after_name[1])
    return found


def program_of(pid: int) -> str:
    """The name of the file that a process executes; empty where it is gone or a kernel thread."""
    try:
        return Path(f"/proc/{pid}/exe").readlink().name
    except OSError:
        return ""


def descendants(pids: set[int]) -> set[int]:
    """Every child, grandchild and so on of ``pids``."""
    parent_of = parents()
    found = set(pids)
    grew = True
    while grew:
        more = {pid for pid, parent in parent_of.items() if parent in found and pid not in found}
        found |= more
        grew = bool(more)
    return found - pids


def of_bed(root: Path) -> set[int]:
    """Processes that carry the bed's mark or its SLURM_CONF, but for this process and its own parents."""
    conf = str(root / "etc" / "slurm.conf")
    return {
        pid for pid in _others()
        if (env := environ(pid)).get(MARK) == str(root) or env.get("SLURM_CONF") == conf or _is_stepd(pid, root / "nodes")
    }


def of_node(conf: str, node: str) -> set[int]:
    """Processes started on one node of the cluster whose slurm.conf is ``conf``: its slurmstepds, the tasks and their leftovers."""
    folder = Path(conf).parents[1] / "nodes" / node
    return {
        pid for pid in _others()
        if ((env := environ(pid)).get("SLURM_CONF") == conf and node in (env.get(NODE_MARK), env.get("SLURMD_NODENAME"))) or _is_stepd(pid, folder)
    }


def _is_stepd(pid: int, folder: Path) -> bool:
    """Whether this is a slurmstepd at work below ``folder``: since 24.11 its title overwrites all of its environment."""
    if not program_of(pid).startswith("slurmstepd"):
        return False
    try:
        return Path(f"/proc/{pid}/cwd").readlink().is_relative_to(folder)
    except OSError:
        return False


def kill_all(pids: list[int]) -> None:
    """SIGKILL each of them; one that is gone already is fine."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def alive(pid: int) -> bool:
    """Whether a process of that pid lives (a zombie does not)."""
    return pid in parents()


def _others() -> list[int]:
    parent_of = parents()
    own = set()
    pid = os.getpid()
    while pid in parent_of and pid not in own:
        own.add(pid)
        pid = parent_of[pid]
    return [pid for pid in parent_of if pid not in own]
