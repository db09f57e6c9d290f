"""Bounded keeping: the first and the last matches of every pattern, and series that keep their extremes."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from math import isfinite

from gpualert_slurm.classifier.pattern import Match

FIRST, LAST = 12, 12
MAX_POINTS = 512
"""Points of one series that leave the scan; twice as many are held while reading."""


@dataclass
class Kept:
    """The first FIRST and the last LAST matches of one pattern, and how many there were."""

    first: list[Match] = field(default_factory=list)
    last: deque[Match] = field(default_factory=lambda: deque(maxlen=LAST))
    seen: int = 0

    def add(self, match: Match) -> None:
        """Take one more."""
        self.seen += 1
        if len(self.first) < FIRST:
            self.first.append(match)
        else:
            self.last.append(match)

    @property
    def left_out(self) -> int:
        """How many were read and not kept."""
        return self.seen - len(self.first) - len(self.last)


Point = tuple[int, int | None, float]
"""Stream offset, step, value."""


@dataclass
class Thinned:
    """A series that never holds more than 2 x MAX_POINTS points: of each four, the lowest and highest stay."""

    points: list[Point] = field(default_factory=list)
    seen: int = 0

    def add(self, point: Point) -> None:
        """Take one more point."""
        self.seen += 1
        self.points.append(point)
        if len(self.points) >= 2 * MAX_POINTS:
            self.points = thin(self.points)

    def final(self) -> list[Point]:
        """At most MAX_POINTS points in order of place, first and last among them."""
        points = sorted(self.points, key=lambda point: point[0])
        return thin(points) if len(points) > MAX_POINTS else points


def thin(points: list[Point]) -> list[Point]:
    """About half of the points: extremes, non-finite values, the first and the last are kept."""
    kept: list[Point] = []
    last = len(points) - 1
    for start in range(0, len(points), 4):
        four = points[start : start + 4]
        low = high = odd = -1
        for at, (_, _, value) in enumerate(four):
            if not isfinite(value):
                odd = at if odd < 0 else odd
            elif low < 0:
                low = high = at
            elif value < four[low][2]:
                low = at
            elif value > four[high][2]:
                high = at
        chosen = {at for at in (low, high, odd) if at >= 0}
        if start == 0:
            chosen.add(0)
        if last < start + 4:
            chosen.add(last - start)
        kept += [four[at] for at in sorted(chosen)]
    return kept
