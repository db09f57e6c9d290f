"""A control group of the matrix's own in every version 1 hierarchy, so that Slurm's proctrack/cgroup and task/cgroup can be tested."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")
PREFIX = "gpualert-matrix."
NEEDED = frozenset({"freezer", "cpuset", "memory", "devices"})  # what proctrack/cgroup and task/cgroup open


class CgroupError(RuntimeError):
    """This host cannot give Slurm version 1 hierarchies; the text says why."""


@dataclass(frozen=True)
class Hierarchy:
    """A mounted version 1 hierarchy: its folder's name below /sys/fs/cgroup, its mount options, and our group in it."""

    name: str
    options: str
    group: Path


class Group:
    """One group a hierarchy for one run, below the one that this process is in; ``remove`` takes them away again."""

    def __init__(self, suite: str) -> None:
        found = _mounted()
        name = f"{PREFIX}{os.getpid()}.{suite}"
        if missing := sorted(NEEDED - mounted_controllers()):
            raise CgroupError(f"no version 1 hierarchy is mounted for {', '.join(missing)}")
        own = _own_groups()
        self._hierarchies = [Hierarchy(point.name, options, point / own.get(_key(options), "").lstrip("/") / name) for point, options in found]
        try:
            for hierarchy in self._hierarchies:
                hierarchy.group.mkdir(exist_ok=True)
                if "cpuset" in hierarchy.options.split(","):  # an empty set takes no process; clone_children hands ours on to Slurm's groups
                    for file in ("cpuset.cpus", "cpuset.mems"):
                        (hierarchy.group / file).write_text((hierarchy.group.parent / file).read_text())
                    (hierarchy.group / "cgroup.clone_children").write_text("1")
        except OSError as error:
            self.remove()
            raise CgroupError(f"no control group can be made: {error}") from error

    def hierarchies(self) -> str:
        """``name:options`` of each, for enter.sh."""
        return " ".join(f"{hierarchy.name}:{hierarchy.options}" for hierarchy in self._hierarchies)

    def entering(self) -> list[str]:
        """What to put before a command so that it starts in the groups."""
        return ["sh", "-c", 'until [ "$1" = -- ]; do echo 0 > "$1/cgroup.procs" || exit 125; shift; done; shift; exec "$@"', "entering",
                *(str(hierarchy.group) for hierarchy in self._hierarchies), "--"]

    def remove(self, within_s: float = 10) -> list[Path]:
        """Remove the groups and what Slurm made in them, once their processes are gone; gives those that stay."""
        until = time.monotonic() + within_s
        while True:
            for hierarchy in self._hierarchies:
                _remove(hierarchy.group)
            left = [hierarchy.group for hierarchy in self._hierarchies if hierarchy.group.exists()]
            if not left or time.monotonic() > until:
                return left
            time.sleep(0.1)


def mounted_controllers() -> frozenset[str]:
    """What version 1 hierarchies are mounted for."""
    return frozenset(word for _, options in _mounted() for word in options.split(","))


def sweep() -> None:
    """Remove the groups of a matrix that was killed; whose process lives keeps them."""
    own = _own_groups()
    for point, options in _mounted():
        for group in (point / own.get(_key(options), "").lstrip("/")).glob(f"{PREFIX}*"):
            if not Path("/proc", group.name.split(".")[1]).exists():
                _remove(group)


def _remove(group: Path) -> None:
    for folder, _, _ in os.walk(group, topdown=False):
        with contextlib.suppress(OSError):
            Path(folder).rmdir()


def _mounted() -> list[tuple[Path, str]]:
    """Mount point and options of every version 1 hierarchy."""
    found = []
    for line in MOUNTS.read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind == "cgroup":
            words = [word for word in options.split(",") if word not in {"rw", "ro"}]
            named = [word for word in words if word.startswith("name=")]
            found.append((Path(before.split()[4]), ",".join(["none", *named] if named else words)))
    return found


def _own_groups() -> dict[str, str]:
    """Controllers (or ``name=…``) of each hierarchy, and this process's group in it."""
    lines = (line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines())
    return {_key(controllers): group for _, controllers, group in lines}


def _key(options: str) -> str:
    return ",".join(sorted(word for word in options.split(",") if word != "none"))
