"""Heronry's cards: their kinds, and what one does while a job reads, trains, waits or saves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Chip:
    """A kind of card; ``tells``: where its SM activity is from."""

    name: str
    gib: float
    driver: str
    mhz: int
    watts: int
    tells: str = ""
    amd: bool = False


CHIPS = {
    "h100": Chip("NVIDIA H100 80GB HBM3", 80, "535.216.03", 1980, 700, "GPM"), "h100p": Chip("NVIDIA H100 PCIe", 80, "550.90.07", 1755, 350, "GPM"),
    "h200": Chip("NVIDIA H200", 141, "565.57.01", 1980, 700, "GPM"), "gh200": Chip("NVIDIA GH200 120GB", 96, "565.57.01", 1980, 900, "GPM"),
    "b200": Chip("NVIDIA B200", 180, "570.172.08", 1965, 1000, "GPM"), "a100": Chip("NVIDIA A100-SXM4-80GB", 80, "535.183.06", 1410, 400, "DCGM"),
    "a100s": Chip("NVIDIA A100-SXM4-40GB", 40, "525.147.05", 1410, 400, "DCGM"), "a100p": Chip("NVIDIA A100-PCIE-40GB", 40, "535.161.07", 1410, 250, "DCGM"),
    "l40s": Chip("NVIDIA L40S", 48, "550.127.05", 2520, 350, "DCGM"), "a40": Chip("NVIDIA A40", 48, "535.154.05", 1740, 300, "DCGM"),
    "v100": Chip("Tesla V100-SXM2-32GB", 32, "470.256.02", 1530, 300, "DCGM"), "v100p": Chip("Tesla V100-PCIE-16GB", 16, "460.106.00", 1380, 250),
    "mi300": Chip("AMD Instinct MI300X", 192, "6.10.5", 2100, 750, amd=True), "r6000": Chip("NVIDIA RTX 6000 Ada Generation", 48, "555.42.06", 2505, 300),
    "r5000": Chip("NVIDIA RTX A5000", 24, "535.230.02", 1695, 230), "r4090": Chip("NVIDIA GeForce RTX 4090", 24, "560.35.03", 2520, 450),
    "l4": Chip("NVIDIA L4", 24, "550.90.07", 2040, 72, "DCGM"), "t4": Chip("Tesla T4", 16, "525.125.06", 1590, 70),
}  # fmt: skip


@dataclass(frozen=True)
class Load:
    """What a card does: utilisation, SM activity, memory's bandwidth (percent), share of its watts, wobble, share of the readings in which it does so."""

    use: float
    sm: float
    bw: float
    pw: float
    wob: float = 2.0
    on: float = 1.0
    mhz: float = 0
    why: float = -1
    hot: float = 0


LOADS = {
    "off": Load(0, 0, 0, 0, 0), "ctx": Load(0, 0, 0, 0.05, 0), "reads": Load(3, 1.1, 1.4, 0.06), "full": Load(99.3, 71, 45, 0.91, 0.5), "run": Load(96, 53, 34, 0.7),
    "mid": Load(77, 33, 20, 0.46, 4), "small": Load(26, 9.5, 5, 0.18, 2.5), "spin": Load(100, 0.9, 0.3, 0.13, 0), "wire": Load(100, 9.2, 5.2, 0.2, 0), "queue": Load(100, 15, 7, 0.25, 0),
    "pulls": Load(100, 57, 33, 0.77, 1), "starved": Load(84, 44, 26, 0.55, 6, 0.14), "saves": Load(5, 1.9, 2.2, 0.07, 2), "eval": Load(88, 41, 30, 0.55, 4), "hot": Load(99, 52, 30, 0.38, 1),
}  # fmt: skip
