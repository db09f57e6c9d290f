"""Interleaved measurement: variants take turns, so that a machine that gets slower makes all of them slower."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Row:
    """One line of the page: what was measured, the figure, the bound it should keep, and how the runs spread."""

    what: str
    figure: str
    bound: str
    met: bool | None
    runs: str


def rounds(usual: int) -> int:
    """How often a comparison is repeated: GPUALERT_BENCH_ROUNDS where it is set (for a quick look), else its usual number."""
    return int(os.environ.get("GPUALERT_BENCH_ROUNDS") or usual)


def timed(action: Callable[[], object]) -> float:
    """Seconds of wall clock that ``action`` takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def interleave(variants: Mapping[str, Callable[[], float]], times: int, progress: Progress) -> dict[str, list[float]]:
    """``times`` values of each variant, taken in turns, the order reversed every other round; one unmeasured round first."""
    values: dict[str, list[float]] = {name: [] for name in variants}
    for number in range(times + 1):
        order = list(variants) if number % 2 else list(reversed(variants))
        for name in order:
            value = variants[name]()
            if number:
                values[name].append(value)
        progress(f"{number}/{times}")
    return values


def median(values: list[float]) -> float:
    """The middle value."""
    return statistics.median(values)


def added(values: list[float], base: list[float]) -> float:
    """The middle one of the differences, each between two runs of the same round: what a machine's slow minutes leave alone."""
    return statistics.median(a - b for a, b in zip(values, base, strict=True))


def spread(values: list[float], scale: float = 1.0, unit: str = "s", digits: int = 2) -> str:
    """``median unit (quartiles a–b, n=…)``."""
    if len(values) < 2:
        return f"{values[0] * scale:.{digits}f} {unit} (n=1)"
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle * scale:.{digits}f} {unit} ({low * scale:.{digits}f}–{high * scale:.{digits}f}, n={len(values)})"
