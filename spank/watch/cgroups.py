"""Where a job's cgroups lie, version 1 or 2, from the kernel's own words: /proc/PID/cgroup and the mount table."""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from gpualert_slurm.spank.watch.process_identity import PROC, as_text, read_bytes

UNIFIED = ""
"""The controller's name of version 2, as in /proc/PID/cgroup."""
_MOST_STEPS = 64
_MOST_FOLDERS = 2048


@dataclass(frozen=True)
class Cgroups:
    """A job's (or step's) folders by controller: ``memory``, ``cpu``, ``cpuacct``, ``freezer``, … or ``UNIFIED``."""

    folders: dict[str, Path]

    def text(self, controller: str, name: str) -> str | None:
        """A file of a controller's folder, None where there is none: the step is over, the kernel older, the version another."""
        folder = self.folders.get(controller)
        raw = read_bytes(folder / name, 1 << 16) if folder is not None else b""
        return raw.decode("ascii", "replace") if raw else None

    def number(self, controller: str, name: str) -> int | None:
        """The same as a number; None also for ``max``."""
        text = (self.text(controller, name) or "").strip()
        return int(text) if text.isdigit() else None

    def pairs(self, controller: str, name: str) -> dict[str, int]:
        """The same as ``key value`` lines."""
        parts = (line.split() for line in (self.text(controller, name) or "").splitlines())
        return {part[0]: int(part[1]) for part in parts if len(part) == 2 and part[1].isdigit()}

    def steps(self) -> dict[str, Cgroups]:
        """The steps below a job, by Slurm's name."""
        found: dict[str, dict[str, Path]] = {}
        for controller, folder in self.folders.items():
            try:
                names = [entry.name for entry in folder.iterdir() if entry.name.startswith("step_")]
            except OSError:
                continue
            for name in sorted(names)[:_MOST_STEPS]:
                found.setdefault(name.removeprefix("step_"), {})[controller] = folder / name
        return {step: Cgroups(folders) for step, folders in found.items()}

    def pids(self) -> set[int]:
        """Every process in it and below: also those that left slurmstepd's family."""
        found: set[int] = set()
        folder = next((f for name, f in sorted(self.folders.items()) if name in (UNIFIED, "memory", "freezer", "cpuset", "pids")), None)
        waiting = [folder] if folder is not None else []
        for _ in range(_MOST_FOLDERS):
            if not waiting:
                break
            here = waiting.pop()
            found |= {int(word) for word in read_bytes(here / "cgroup.procs", 1 << 20).split() if word.isdigit()}
            with contextlib.suppress(OSError):
                waiting += [Path(entry.path) for entry in os.scandir(here) if entry.is_dir(follow_symlinks=False)]
        return found


def job_cgroups(pid: int, job_id: int, proc: Path = PROC) -> Cgroups | None:
    """The cgroups of the job that ``pid`` is in; None where no path of its names the job (Slurm does not track by cgroup here)."""
    roots = _roots(proc)
    found: dict[str, Path] = {}
    for line in as_lines(read_bytes(proc / str(pid) / "cgroup", 1 << 14)):
        _number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        match = re.match(rf"(/.*)?/job_{job_id}(?=/|$)", path)
        if match is None:
            continue
        for controller in controllers.split(","):
            root = roots.get(controller.removeprefix("name="))
            if root is not None:
                mount, inside = root
                job_path = match.group(0)
                if inside in ("/", job_path) or job_path.startswith(inside + "/"):
                    found[controller] = mount / job_path.removeprefix("" if inside == "/" else inside).lstrip("/")
    return Cgroups(found) if found else None


def as_lines(raw: bytes) -> list[str]:
    """Lines of a file of /proc, made text."""
    return [as_text(line) for line in raw.split(b"\n") if line]


def _roots(proc: Path) -> dict[str, tuple[Path, str]]:
    """{controller: (mount point, which cgroup is mounted there)}."""
    found: dict[str, tuple[Path, str]] = {}
    for line in as_lines(read_bytes(proc / "self" / "mountinfo", 1 << 18)):
        left, dash, right = line.partition(" - ")
        parts, kinds = left.split(), right.split()
        if not dash or len(parts) < 5 or len(kinds) < 3 or kinds[0] not in ("cgroup", "cgroup2"):
            continue
        names = [UNIFIED] if kinds[0] == "cgroup2" else [word.removeprefix("name=") for word in kinds[2].split(",")]
        for name in names:
            found.setdefault(name, (Path(parts[4]), parts[3]))
    return found
