"""Cards and how they stand, losses, tracebacks, times of day, labels."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any, NamedTuple

from corpus.label import Label
from corpus.running.hand import Hand

Written = tuple[Label, Hand]
Writer = Callable[[], Written]


class Board(NamedTuple):
    """A kind of card: name, GiB, watts, MHz, driver, whether the driver counts its SMs."""

    name: str
    gib: int
    watts: int
    mhz: int
    driver: str
    counts: bool = True


HOPPER = Board("NVIDIA H100 80GB HBM3", 80, 700, 1980, "550.163.01")
HOPPER_NVL = Board("NVIDIA H100 NVL", 94, 400, 1785, "560.35.03")
HOPPER_200 = Board("NVIDIA H200", 141, 700, 1980, "570.172.08")
GRACE = Board("NVIDIA GH200 120GB", 96, 900, 1980, "565.57.01")
BLACKWELL = Board("NVIDIA B200", 180, 1000, 1965, "580.82.07")
AMPERE = Board("NVIDIA A100-SXM4-80GB", 80, 400, 1410, "535.216.03", counts=False)
AMPERE_40 = Board("NVIDIA A100-SXM4-40GB", 40, 400, 1410, "535.154.05", counts=False)
ADA = Board("NVIDIA L40S", 48, 350, 2520, "555.42.06", counts=False)
A40 = Board("NVIDIA A40", 48, 300, 1740, "535.183.06", counts=False)
RTX = Board("NVIDIA RTX A6000", 48, 300, 2100, "535.129.03", counts=False)


class Dial(NamedTuple):
    """How a card stands in a phase: engine and SMs in percent, watts, GiB held, how far the engine swings, share of its clock, degrees, throttle bits."""

    duty: float
    sm: float
    watts: float
    held: float
    swing: float = 5
    clock: float = 0.95
    heat: float = 0.0
    throttle: int = 0


EMPTY = Dial(0, 0, 72, 0, 0, 0.17, 29)
OPENED = Dial(0, 0, 84, 0.5, 0, 0.17, 31)
Phases = list[tuple[float, Dial]]


def curve(first: float, floor: float, half: float, power: float = 0.8, noise: float = 0.012) -> Callable[[int], float]:
    """A loss that comes down: at ``first`` before the first step, towards ``floor``."""
    return lambda i: (
        floor + (first - floor) / (1 + i / half) ** power * (1 + noise * math.sin(i * 12.9898) * 1.3) + noise * floor * math.sin(i * 78.233) / 3
    )


def frames(*rows: tuple[str, int, str, str], error: str) -> str:
    """A traceback, outermost frame first."""
    text = ["Traceback (most recent call last):"]
    for file, line, name, code in rows:
        text += [f'  File "{file}", line {line}, in {name}', f"    {code}"]
    return "\n".join([*text, error])


def when(text: str) -> int:
    """Nanoseconds of a date and time of day, UTC."""
    return int(datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=timezone.utc).timestamp()) * 10**9


def ill(hand: Hand, mode: str, cause: str | None = None, *, fault: str = "user", **more: Any) -> Written:
    """A job and what is true of it."""
    return Label(mode=mode, cause=cause, fault=fault, **more), hand


def well(hand: Hand, *, hard: bool = False) -> Written:
    """A job with which nothing is wrong."""
    return Label(mode="G1", fault="none", hard=hard), hand


def hms(seconds: float) -> str:
    """Such as 1:02:03."""
    s = int(seconds)
    return f"{s // 3600}:{s // 60 % 60:02d}:{s % 60:02d}"
