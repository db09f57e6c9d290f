"""The project's own libnvidia-ml.so.1 for the bed: where it lies, and each node's readings file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

SOURCE = Path(__file__).with_name("nvml")


class NvmlLibrary:
    """One library for the bed, one readings file a node: ``readings(node)`` may be rewritten at any time."""

    def __init__(self, root: Path, nodes: Sequence[str], gpus_per_node: int) -> None:
        self.root = root
        self.nodes = list(nodes)
        self.gpus_per_node = gpus_per_node

    def prepare(self) -> None:
        """Build the library and write every node's healthy readings."""

    def environment(self, node: str) -> dict[str, str]:
        """What a process on ``node`` needs to see that node's GPUs through pynvml."""
        return {"LD_LIBRARY_PATH": str(self.root / "nvml"), "GPUALERT_NVML_READINGS": str(self.readings(node))}

    def readings(self, node: str) -> Path:
        """The node's readings file."""
        return self.root / "nodes" / node / "gpus.txt"
