"""What a failed test left running on the bed: said, ended, and waited for, so that the next test finds the nodes free."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from . import processes
from .command import CommandError
from .daemon import DaemonError

if TYPE_CHECKING:
    from .cluster import Cluster

MAX_WORDS = 12_000


def clear(bed: Cluster, timeout_s: float = 60) -> str:
    """Cancels every job of the bed and waits until all nodes are idle.

    Gives what was found: the jobs that were left; where they do not go, which processes are there and what each of them waits for. Raises
    nothing: it is called behind a failure, which it must not hide.
    """
    try:
        jobs = bed.command("squeue", "-h", "-o", "%A %T %u %N %M %j", check=False).stdout.splitlines()
        if not jobs:
            return ""
        words = ["jobs left behind:", *jobs, *_on_the_nodes(bed)]
        bed.command("scancel", *sorted({job.split()[0] for job in jobs}), check=False)
        try:
            bed.wait_idle(timeout_s)
            words.append("cancelled, and all nodes are idle")
        except DaemonError as error:
            words += ["still there after being cancelled:", *_on_the_nodes(bed), str(error)]
        return "\n".join(words)[:MAX_WORDS]
    except (OSError, CommandError, subprocess.SubprocessError) as error:
        return f"what the test left could not be cleared away: {error}"


def _on_the_nodes(bed: Cluster) -> list[str]:
    conf = str(bed.root / "etc" / "slurm.conf")
    return [f"{node}: {pid} {_doing(pid)}" for node in bed.nodes for pid in sorted(processes.of_node(conf, node))]


def _doing(pid: int) -> str:
    """A process's state and command, and what each of its threads waits for in the kernel, as far as it can be read."""
    folder = Path(f"/proc/{pid}")
    try:
        state = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[0]
        command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:120]
    except OSError:
        return "(gone)"
    return f"{state} {command.strip()} [{' '.join(map(_waits_for, sorted((folder / 'task').glob('*'))))}]"


def _waits_for(thread: Path) -> str:
    try:
        return (thread / "wchan").read_text().strip()
    except OSError:
        return "?"
