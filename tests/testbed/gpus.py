"""Fake GPUs: character devices that Slurm counts as gres/gpu and that no driver serves."""

from __future__ import annotations

import os
import stat
from pathlib import Path

# Major 60 is "local/experimental use" in Linux's devices.txt: opening such a node gives ENXIO, and nobody's hardware is touched.
MAJOR = 60


def device_paths(root: Path, node: str, count: int) -> list[Path]:
    """Where the devices of ``node`` lie. Slurm reads the number at the name's end as the GPU's index."""
    return [root / "nodes" / node / "dev" / f"nvidia{i}" for i in range(count)]


def make_devices(root: Path, nodes: list[str], per_node: int) -> None:
    """Make them, each with a device number of its own."""
    minor = 0
    for node in nodes:
        for path in device_paths(root, node, per_node):
            path.parent.mkdir(parents=True, exist_ok=True)
            os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(MAJOR, minor))
            minor += 1
