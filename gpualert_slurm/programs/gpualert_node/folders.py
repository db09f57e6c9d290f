from __future__ import annotations

import os
import re
from pathlib import Path

from gpualert_slurm import file_lock


class StartError(Exception):
    """The service cannot run; the text says on what, why, and what to do."""


class Folders:
    """Where the node's files lie, below ``state_dir/node/<node>/``: the node's name is part of every path, for several may share a host."""

    def __init__(self, state_dir: Path, node: str) -> None:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}", node):
            raise StartError(f"--node {node!r} is no node's name; it is what slurmd -N or `scontrol show hostnames` says")
        self.state_dir, self.node = state_dir, node
        self.base = state_dir / "node" / node
        self.jobs, self.ended, self.out, self.bad = (self.base / name for name in ("jobs", "ended", "out", "bad"))

    def make(self) -> None:
        """Make what the plugin has not made yet. Raises StartError."""
        try:
            if not self.state_dir.is_dir():
                raise StartError(f"state_dir {self.state_dir} does not exist; make it: install -d -m 0711 -o root {self.state_dir}")
            (self.state_dir / "node").mkdir(mode=0o700, exist_ok=True)
            for folder in (self.base, self.jobs, self.ended, self.out, self.bad):
                folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise StartError(f"{self.base} cannot be made: {error.strerror}; gpualert-node runs as root") from error

    def lock(self) -> int:
        """Hold the node for this process; the lock goes with it. Raises StartError when another holds it."""
        path = self.base / "service.lock"
        fd = file_lock.open_lock(path)
        if not file_lock.take(fd):
            holder = os.read(fd, 32).decode("ascii", "replace").strip()
            os.close(fd)
            raise StartError(f"gpualert-node already runs for {self.node} (pid {holder or 'unknown'}, lock {path}); one a node is enough")
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
        return fd
