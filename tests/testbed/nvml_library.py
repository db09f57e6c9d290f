"""The project's own libnvidia-ml.so.1 for the bed: built once, with a readings file for each node."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

SOURCE = Path(__file__).with_name("nvml")
READINGS_VARIABLE = "GPUALERT_NVML_READINGS"
HOST = {"driver": "550.54.15", "nvml": "12.550.54.15", "cuda": "12040"}

Readings = dict[str, str]


def build(folder: Path) -> Path:
    """Build the library into ``folder``; gives the file. Raises ``RuntimeError`` with the compiler's words."""
    done = subprocess.run(["make", "-C", str(SOURCE), f"BUILD={folder}"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"libnvidia-ml.so.1 did not build in {SOURCE}:\n{done.stdout}\n{done.stderr}")
    return folder / "libnvidia-ml.so.1"


def healthy(name: str, index: int) -> Readings:
    """An idle, healthy H100 whose identity is fixed by ``name`` (of the node) and ``index``."""
    digest = hashlib.sha256(f"{name}/{index}".encode()).hexdigest()
    uuid = "-".join((digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32]))
    readings = {
        "name": "NVIDIA H100 80GB HBM3", "uuid": f"GPU-{uuid}", "serial": str(1650000000000 + int(digest[:8], 16)), "minor": str(index),
        # A PCI domain for each node: all nodes of a bed share one kernel log, and a line there names a GPU by its address.
        "pci.bus_id": f"{int(hashlib.sha256(name.encode()).hexdigest()[:4], 16):08X}:{0x3B + 0x20 * index:02X}:00.0", "pci.device_id": "0x233010DE", "pcie.generation": "5", "pcie.width": "16",
        "memory.total": str(80 << 30), "memory.used": "0", "memory.reserved": str(600 << 20), "memory.temperature": "38",
        "utilization.gpu": "0", "utilization.memory": "0", "temperature": "31", "power.usage": "70250", "power.limit": "700000",
        "energy": "123456789", "pstate": "0", "clock.graphics": "345", "clock.sm": "345", "clock.mem": "2619", "clock.video": "765",
        "clock.max.graphics": "1980", "clock.max.sm": "1980", "clock.max.mem": "2619", "clock.max.video": "1545",
        "throttle_reasons": "0x1", "compute_mode": "0", "mig.mode": "0", "mig.pending": "0", "processes": "", "ecc.mode": "1",
        "ecc.pending": "1", "remapped.corrected": "0", "remapped.uncorrected": "0", "remapped.pending": "0", "remapped.failure": "0",
        "remapped.histogram": "640 0 0 0 0", "pcie.replay": "0",
        "gpm.supported": "1", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "events.supported": "0x9f", "recovery_action": "0",
        "temperature.threshold.1": "92",
        # Hopper answers so: it remaps rows, and retires no pages.
        "retired.pending": "!NOT_SUPPORTED", "retired.sbe": "!NOT_SUPPORTED", "retired.dbe": "!NOT_SUPPORTED",
    }
    for counter in ("volatile", "aggregate"):
        for error in ("corrected", "uncorrected"):
            readings |= {f"ecc.{counter}.{error}{place}": "0" for place in ("", ".dram", ".sram")}
    for link in range(2):
        readings |= {f"nvlink.{link}.state": "1", f"nvlink.{link}.version": "4"}
        readings |= {f"nvlink.{link}.{counter}": "0" for counter in ("replay", "recovery", "crc_flit", "crc_data")}
    for policy in ("power", "thermal", "board_limit", "reliability"):
        readings[f"violation.{policy}"] = "1000000 0"
    return readings


Timeline = Sequence[tuple[float, int, Mapping[str, str]]]
"""(seconds from the start, GPU, what it reads from then on)."""


def write_readings(path: Path, gpus: Sequence[Readings], host: Mapping[str, str] | None = None, timeline: Timeline = ()) -> None:
    """Replace a readings file at once: a reader sees the old file or the new one. ``timeline`` counts from now, or from the host's ``start``."""
    lines = [f"{key} = {value}" for key, value in {**HOST, **(host or {})}.items()]
    for gpu in gpus:
        lines += ["", "[gpu]", *(f"{key} = {value}" for key, value in gpu.items())]
    for at_s, number, changes in timeline:
        lines += ["", f"[at {at_s:g}]", *(f"{number}.{key} = {value}" for key, value in changes.items())]
    part = path.with_suffix(".part")
    part.write_text("\n".join(lines) + "\n")
    part.chmod(0o644)
    part.replace(path)


class NvmlLibrary:
    """One library for the bed, one readings file a node, which may change at any time."""

    def __init__(self, root: Path, nodes: Sequence[str], gpus_per_node: int) -> None:
        self.folder = root / "nvml"
        self._root = root
        self._gpus = {node: [healthy(node, i) for i in range(gpus_per_node)] for node in nodes}
        self._hosts: dict[str, dict[str, str]] = {node: {} for node in nodes}
        self._timelines: dict[str, list[tuple[float, int, Mapping[str, str]]]] = {node: [] for node in nodes}

    def prepare(self) -> None:
        """Take the checkout's build of the library where it is newer than its sources, else build one; write every node's readings."""
        self.folder.mkdir(exist_ok=True)
        built = SOURCE / "build" / "libnvidia-ml.so.1"
        if built.exists() and subprocess.run(["make", "-q", "-C", str(SOURCE)], check=False, capture_output=True).returncode == 0:
            shutil.copy(built, self.folder)
        else:
            build(self.folder)
        for node in self._gpus:
            self._write(node)

    def environment(self, node: str) -> dict[str, str]:
        """What a process on ``node`` needs to see that node's GPUs through pynvml."""
        return {"LD_LIBRARY_PATH": str(self.folder), READINGS_VARIABLE: str(self.readings(node))}

    def readings(self, node: str) -> Path:
        """The node's readings file."""
        return self._root / "nodes" / node / "gpus.txt"

    def set(self, node: str, gpu: int, changes: Mapping[str, str | int | None]) -> None:
        """Change some readings of one GPU; None takes a reading away, so that NVML says NOT_SUPPORTED."""
        _change(self._gpus[node][gpu], changes)
        self._write(node)

    def set_host(self, node: str, changes: Mapping[str, str | int | None]) -> None:
        """Change what stands above the first GPU, such as ``{"init": "!DRIVER_NOT_LOADED"}`` or ``{"init": "@hang=60"}``."""
        _change(self._hosts[node], changes)
        self._write(node)

    def start(self, node: str, start_s: float) -> None:
        """From which UNIX time on the node's timelines count."""
        self._hosts[node]["start"] = f"{start_s:.3f}"
        self._write(node)

    def script(self, node: str, gpu: int, first: Mapping[str, str], later: Timeline, start_s: float) -> None:
        """What a GPU reads now, and from when on it reads what else: ``later`` counts from ``start_s`` (UNIX time) and has the GPU's own number."""
        self._timelines[node] = sorted([*self._timelines[node], *((at_s, gpu, changes) for at_s, _, changes in later)], key=lambda change: change[0])
        self._hosts[node]["start"] = f"{start_s:.3f}"
        self.set(node, gpu, dict(first))

    def reset(self, node: str) -> None:
        """All of the node's GPUs healthy again."""
        self._timelines[node] = []
        self._gpus[node] = [healthy(node, i) for i in range(len(self._gpus[node]))]
        self._hosts[node] = {}
        self._write(node)

    def uuid(self, node: str, gpu: int) -> str:
        """The UUID that NVML gives for a GPU of ``node``."""
        return self._gpus[node][gpu]["uuid"]

    def _write(self, node: str) -> None:
        write_readings(self.readings(node), self._gpus[node], self._hosts[node], self._timelines[node])


def _change(readings: dict[str, str], changes: Mapping[str, str | int | None]) -> None:
    for key, value in changes.items():
        if value is None:
            readings.pop(key, None)
        else:
            readings[key] = str(value)
