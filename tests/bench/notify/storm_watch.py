"""What the daemon of the storm costs: its processes looked at once a second, and its questions to Slurm counted as they are asked."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path
from types import TracebackType

from tests.testbed import Cluster
from tests.testbed.processes import parents

TICKS = os.sysconf("SC_CLK_TCK")
COMMANDS = ("sacct", "squeue", "scontrol", "sacctmgr")


class Commands:
    """Slurm's commands as the bed's daemon finds them: each notes when it was called, and becomes the real one."""

    def __init__(self, cluster: Cluster) -> None:
        """For a daemon that was not started yet."""
        folder, self._calls = cluster.root / "counted", cluster.root / "slurm-calls"
        folder.mkdir()
        self._calls.touch()
        self._calls.chmod(0o666)
        for name in COMMANDS:
            (folder / name).write_text(f'#!/bin/bash\nprintf "%s\\n" "$EPOCHREALTIME" >> {self._calls}\nexec /usr/bin/{name} "$@"\n')
            (folder / name).chmod(0o755)
        env = dict(cluster.daemon.env or {})
        cluster.daemon.env = {**env, "PATH": f"{folder}{os.pathsep}{env['PATH']}"}

    def between(self, start_s: float, end_s: float) -> int:
        """How many were called then."""
        return sum(start_s <= float(line) <= end_s for line in self._calls.read_text().split())


class Watch:
    """Looks at a process and all below it until left: CPU time used since, and the most memory."""

    def __init__(self, pid: int) -> None:
        self._pid, self._over = pid, threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)
        self._used: list[tuple[float, float]] = []
        self.rss_mib = self.tree_mib = 0.0

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._over.set()
        self._thread.join()

    @property
    def cpu_s(self) -> float:
        """Of the process, what runs below it, and what had ended and been waited for, between entering and leaving."""
        return self._used[-1][1] - self._used[0][1]

    def busiest(self, span_s: float) -> float:
        """The most cores in use, on average over ``span_s``."""
        found = 0.0
        for at, used in self._used:
            later = next(((t, u) for t, u in self._used if t >= at + span_s), None)
            if later is not None:
                found = max(found, (later[1] - used) / (later[0] - at))
        return found

    def _look_on(self) -> None:
        while True:
            self._look()
            if self._over.wait(1.0):
                self._look()
                return

    def _look(self) -> None:
        everybody = parents()
        tree = {self._pid}
        while more := {pid for pid, parent in everybody.items() if parent in tree} - tree:
            tree |= more
        used = pss = 0.0
        for pid in tree:
            with contextlib.suppress(OSError, IndexError, ValueError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                used += sum(map(int, fields[11:15])) / TICKS
                pss += _kib(Path(f"/proc/{pid}/smaps_rollup"), "Pss:")
        self.rss_mib = max(self.rss_mib, _kib(Path(f"/proc/{self._pid}/status"), "VmHWM:") / 1024)
        self.tree_mib = max(self.tree_mib, pss / 1024)
        # A child that ended between two readings is counted once its parent has waited for it: never less than before.
        self._used.append((time.monotonic(), max(used, self._used[-1][1] if self._used else 0.0)))


def _kib(path: Path, word: str) -> int:
    return next((int(line.split()[1]) for line in path.read_text().splitlines() if line.startswith(word)), 0)
