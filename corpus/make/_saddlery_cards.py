"""Kinds of cards, and what a card reads like while a program does one thing or another."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from corpus.running.hand import GIB

Deed = dict[str, float]
"""``util`` and ``sm`` in percent, ``pw`` as a share of the power limit, ``clk`` of the highest clock, ``bw`` of the memory's bandwidth, ``hot`` in C,
``why`` NVML's throttle bits, ``gap`` the spread of the engine's own samples, ``cpu`` in percent of a core."""


def _deed(util: float, sm: float, pw: float, hot: float, *, clk: float = 0.99, bw: float = 0.0, why: int = 0, gap: float = 6, cpu: float = 102) -> Deed:
    return {"util": util, "sm": sm, "pw": pw, "hot": hot, "clk": clk, "bw": bw, "why": why, "gap": gap, "cpu": cpu}


DEEDS: dict[str, Deed] = {
    "idle": _deed(0, 0, 0.1, 32, clk=0.18, why=1, gap=0, cpu=60),
    "load": _deed(1.5, 0.4, 0.15, 36, gap=12, cpu=96),
    "full": _deed(99, 86, 0.95, 66, clk=0.9, bw=44, why=4, gap=3),
    "busy": _deed(97, 64, 0.74, 60, bw=38, gap=9),
    "mid": _deed(88, 44, 0.55, 54, bw=25, gap=28),
    "small": _deed(46, 15, 0.33, 46, bw=11, gap=22),
    "tiny": _deed(21, 6, 0.24, 42, bw=4, gap=14),
    "spin": _deed(100, 3.2, 0.2, 43, bw=0.6, gap=0, cpu=100),
    "still": _deed(0, 0, 0.16, 38, gap=0, cpu=0.4),
    "wire": _deed(99, 10, 0.29, 46, bw=6, gap=4, cpu=101),
    "gaps": _deed(9, 5, 0.2, 41, bw=3, gap=97, cpu=88),
    "saves": _deed(8, 4, 0.18, 40, bw=3, gap=95, cpu=97),
    "peer": _deed(100, 17, 0.34, 47, bw=8, gap=3),
    "late": _deed(99, 58, 0.7, 60, bw=34, gap=5),
    "hot": _deed(100, 71, 0.42, 91, clk=0.35, bw=20, why=0x48, gap=2),
    "brake": _deed(100, 70, 0.3, 52, clk=0.34, bw=19, why=0x88, gap=2),
    "host": _deed(0, 0, 0.16, 37, gap=0, cpu=1480),
    "step": _deed(93, 31, 0.4, 50, bw=19, gap=40),
}


@dataclass(frozen=True)
class Card:
    """``gpm`` says whether it counts its SMs' activity."""

    name: str
    gib: int
    watts: int
    mhz: int
    driver: str = "550.90.07"
    gpm: bool = False
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def facts(self) -> dict[str, Any]:
        """What a snapshot says of it."""
        said = {"name": self.name, "memory_total_bytes": self.gib * GIB, "power_limit_mw": 1000 * self.watts, "sm_clock_max_mhz": self.mhz, "driver_version": self.driver}
        return {**said, **({"sm_activity_source": "gpm"} if self.gpm else {}), **self.more}

    def reading(self, deed: Deed, held: float, warm: float, dice: Random) -> dict[str, float]:
        """One look at it."""

        def near(value: float, by: float, most: float = 100.0) -> float:
            return round(min(most, max(0.0, dice.gauss(value, by))), 1) if value > 0.2 else 0.0

        wide = deed["gap"] > 60
        seen = {
            "gpu_utilization_percent": float(dice.choice((0, 0, 0, 0, 0, 0, 0, 2, 41, 96)) if wide else round(near(deed["util"], 1.2))),
            "gpu_duty_percent": near(deed["util"], 2.4 if wide else 1.0),
            "gpu_duty_spread_percent": near(deed["gap"], 2.5),
            "gpu_power_mw": float(round(1000 * self.watts * deed["pw"] * dice.uniform(0.975, 1.025))),
            "gpu_memory_used_bytes": float(int(held * GIB) + 3 * (1 << 20)),
            "gpu_temperature_c": float(round(warm + dice.gauss(0, 0.6))),
            "gpu_sm_clock_mhz": float(15 * round(self.mhz * deed["clk"] * dice.uniform(0.985, 1.0) / 15)),
            "gpu_throttle_reasons": float(int(deed["why"])),
        }
        if self.gpm:
            seen["gpu_sm_activity_percent"] = near(deed["sm"], max(0.3, deed["sm"] * 0.03))
            seen["gpu_memory_bandwidth_percent"] = near(deed["bw"], max(0.2, deed["bw"] * 0.05))
        return seen


_GEFORCE: dict[str, Any] = {"ecc_enabled": None, **{f"ecc_{a}_{b}": None for a in ("volatile", "aggregate") for b in ("corrected", "uncorrected")}, **dict.fromkeys(("remapped_rows_correctable", "remapped_rows_uncorrectable", "remap_pending", "remap_failure"))}
CARDS = {
    "h100": Card("NVIDIA H100 80GB HBM3", 80, 700, 1980, "550.127.08", gpm=True),
    "h100n": Card("NVIDIA H100 NVL", 94, 400, 1785, "560.35.05", gpm=True),
    "h200": Card("NVIDIA H200", 141, 700, 1980, "570.86.15", gpm=True),
    "gh200": Card("NVIDIA GH200 120GB", 96, 900, 1980, "565.57.01", gpm=True),
    "b200": Card("NVIDIA B200", 180, 1000, 1965, "570.133.20", gpm=True),
    "a100": Card("NVIDIA A100-SXM4-80GB", 80, 400, 1410, "535.183.06"),
    "a100s": Card("NVIDIA A100-SXM4-40GB", 40, 400, 1410, "535.129.03"),
    "a100p": Card("NVIDIA A100 80GB PCIe", 80, 300, 1410, "550.54.15"),
    "l40s": Card("NVIDIA L40S", 45, 350, 2520, "560.35.03"),
    "a6000": Card("NVIDIA RTX A6000", 48, 300, 2100, "535.104.12"),
    "a30": Card("NVIDIA A30", 24, 165, 1440, "525.147.05"),
    "v100": Card("Tesla V100-SXM2-32GB", 32, 300, 1530, "525.125.06", more=dict.fromkeys(("remapped_rows_correctable", "remapped_rows_uncorrectable", "remap_pending", "remap_failure"))),
    "t4": Card("Tesla T4", 16, 70, 1590, "535.161.08", more=dict.fromkeys(("remapped_rows_correctable", "remapped_rows_uncorrectable", "remap_pending", "remap_failure"))),
    "r3090": Card("NVIDIA GeForce RTX 3090", 24, 350, 2100, "550.67", more=_GEFORCE),
    "mi250": Card("AMD Instinct MI250X", 64, 560, 1700, "6.3.6", more=_GEFORCE),
    "mi300": Card("AMD Instinct MI300X", 192, 750, 2100, "6.10.5", more=_GEFORCE),
}
