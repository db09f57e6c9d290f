"""Kinds of cards, and what a card is at while a job trains, waits, loads or saves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Card:
    """A kind of card: its name, memory, driver, highest clock, watts, and who tells its SM activity (none: nobody)."""

    name: str
    gib: float
    driver: str
    mhz: int
    watts: int
    teller: str = ""
    amd: bool = False


CARDS = {
    "h100": Card("NVIDIA H100 80GB HBM3", 80, "570.86.15", 1980, 700, "GPM"),
    "h100n": Card("NVIDIA H100 NVL", 94, "565.57.01", 1785, 400, "GPM"),
    "h200": Card("NVIDIA H200", 141, "570.133.20", 1980, 700, "GPM"),
    "b200": Card("NVIDIA B200", 180, "575.51.03", 1965, 1000, "GPM"),
    "gh200": Card("NVIDIA GH200 480GB", 96, "565.57.01", 1980, 900, "GPM"),
    "a100": Card("NVIDIA A100-SXM4-80GB", 80, "550.90.07", 1410, 400, "DCGM"),
    "a100s": Card("NVIDIA A100-SXM4-40GB", 40, "535.216.01", 1410, 400, "DCGM"),
    "a100p": Card("NVIDIA A100 80GB PCIe", 80, "550.54.15", 1410, 300),
    "a6000": Card("NVIDIA RTX A6000", 48, "550.120", 2100, 300),
    "r6000": Card("NVIDIA RTX 6000 Ada Generation", 48, "560.35.03", 2505, 300),
    "l40s": Card("NVIDIA L40S", 48, "555.42.06", 2520, 350, "DCGM"),
    "l4": Card("NVIDIA L4", 24, "550.127.05", 2040, 72),
    "a40": Card("NVIDIA A40", 48, "535.183.01", 1740, 300),
    "v100": Card("Tesla V100-SXM2-32GB", 32, "535.129.03", 1530, 300, "DCGM"),
    "v100s": Card("Tesla V100-SXM2-16GB", 16, "525.147.05", 1530, 300),
    "r4090": Card("NVIDIA GeForce RTX 4090", 24, "550.107.02", 3105, 450),
    "r3090": Card("NVIDIA GeForce RTX 3090", 24, "535.171.04", 2100, 350),
    "t4": Card("Tesla T4", 16, "535.104.12", 1590, 70),
    "mi300": Card("AMD Instinct MI300X", 192, "6.8.5", 2100, 750, amd=True),
    "mi250": Card("AMD Instinct MI250X", 64, "6.3.6", 1700, 500, amd=True),
}


@dataclass(frozen=True)
class Pulse:
    """What a card does: utilisation, SM activity, memory's bandwidth (%), share of the watts above idle, wobble (%), share of readings in which it is at it."""

    use: float
    sm: float
    wide: float
    share: float
    wobble: float = 3.0
    at_it: float = 1.0


PULSES = {
    "off": Pulse(0, 0, 0, 0, 0),
    "held": Pulse(0, 0, 0, 0.04, 0),
    "loads": Pulse(3, 1.0, 1.5, 0.07),
    "hard": Pulse(99, 67, 41, 0.87, 1),
    "well": Pulse(95, 49, 30, 0.66, 3),
    "fair": Pulse(78, 34, 22, 0.48, 6),
    "soft": Pulse(41, 18, 9, 0.27, 7),
    "faint": Pulse(24, 9, 5, 0.17, 5),
    "gaps": Pulse(88, 41, 24, 0.55, 5, 0.13),
    "crumbs": Pulse(92, 38, 22, 0.5, 4, 0.22),
    "spin": Pulse(100, 1.3, 0.4, 0.12, 0),
    "wire": Pulse(100, 8.5, 5, 0.19, 1),
    "queue": Pulse(100, 14, 7, 0.24, 1),
    "pulls": Pulse(100, 58, 33, 0.78, 2),
    "saves": Pulse(4, 2, 3, 0.09, 2),
    "drips": Pulse(90, 36, 20, 0.5, 5, 0.3),
    "evals": Pulse(83, 39, 26, 0.5, 5),
    "single": Pulse(57, 13, 6, 0.23, 6),
}
