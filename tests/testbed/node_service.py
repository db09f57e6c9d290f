"""Starts gpualert-node when a job file appears, as its systemd path unit would, once per simulated node."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path

from .daemon import Daemon

LOOK_EVERY_S = 0.1


class NodeService:
    """One node's path unit: while ``jobs``, ``ended`` or ``out`` below ``state_dir/node/<node>`` is not empty, ``gpualert-node`` runs.

    Args:
        program: gpualert-node; where it does not exist nothing is started and ``missing`` says so.
        env: its environment, with the fake NVML of this node.
    """

    def __init__(self, program: Path, node: str, *, state_dir: Path, config: Path, log: Path, env: Mapping[str, str]) -> None:
        self.node = node
        self.program = program
        folder = state_dir / "node" / node
        self._watched = [folder / "jobs", folder / "ended", folder / "out"]
        argv = [str(program), "--config", str(config), "--node", node]
        self.daemon = Daemon(f"gpualert-node {node}", argv, log=log, env=env)
        self._ending = threading.Event()
        self._kill = False
        self._thread: threading.Thread | None = None

    @property
    def missing(self) -> str | None:
        """Why nothing is watched, or None."""
        return None if self.program.exists() else f"gpualert-node is not started on {self.node}: {self.program} does not exist"

    def start(self) -> None:
        """Begin to watch; without the program nothing happens."""
        if self.missing is None and self._thread is None:
            self._ending.clear()
            self._thread = threading.Thread(target=self._watch, name=f"path unit {self.node}", daemon=True)
            self._thread.start()

    def stop(self, *, kill: bool = False) -> None:
        """Watch no longer, and end the service: TERM, or KILL where the node dies."""
        self._kill = kill
        self._ending.set()
        if self._thread is not None:
            self._thread.join(10)
            self._thread = None

    def _watch(self) -> None:
        started_s = 0.0
        while not self._ending.wait(LOOK_EVERY_S):
            # systemd's default start limit would hold back a service that ends at once; a second between starts does the same here.
            if not self.daemon.running and self.has_work() and time.monotonic() - started_s > 1:
                started_s = time.monotonic()
                self.daemon.spawn()
        # The thread that started the service must outlive it: the kernel ends it with its parent thread.
        if self._kill:
            self.daemon.kill()
        self.daemon.stop()

    def has_work(self) -> bool:
        """Whether a job of this node runs with gpualert, has ended and is to be collected, or has a report to be sent."""
        try:
            return any(entry for folder in self._watched if folder.exists() for entry in folder.iterdir() if not entry.name.startswith("."))
        except OSError:
            return False
