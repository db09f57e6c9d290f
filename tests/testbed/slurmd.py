"""One simulated node: its slurmd, its steps, and how it dies."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from .daemon import Daemon
from .ports import listening
from .processes import NODE_MARK, descendants, kill_all, of_node


class Node:
    """A node of the bed: ``slurmd -N name -D`` below ``root/nodes/name``. Several share this host, its memory and its kernel log."""

    def __init__(self, root: Path, name: str, port: int, env: Mapping[str, str]) -> None:
        self.name = name
        self.folder = root / "nodes" / name
        self._conf = env["SLURM_CONF"]
        (self.folder / "spool").mkdir(parents=True, exist_ok=True)
        # slurmstepd writes its title over the first variables it was given; the last ones stay readable in /proc.
        env = {**env, NODE_MARK: name}
        log = root / "log" / f"slurmd.{name}.log"
        self.slurmd = Daemon(f"slurmd {name}", ["slurmd", "-N", name, "-D"], log=root / "log" / f"slurmd.{name}.out", env=env,
                             cwd=self.folder, ready=lambda: listening(port), more_logs=[log])

    def pids(self) -> list[int]:
        """Every process of the node: slurmd, slurmstepds, the tasks and what they left behind."""
        found = of_node(self._conf, self.name)
        if self.slurmd.running:
            found.add(self.slurmd.pid)
        return sorted(found | descendants(found))

    def lose(self) -> None:
        """The node dies: slurmd and steps first, so that nobody reports the tasks' deaths, then the tasks."""
        self.slurmd.kill()
        until = time.monotonic() + 10
        while (left := self.pids()) and time.monotonic() < until:
            kill_all(left)
            time.sleep(0.05)
