"""Whether a confidence of 0.8 is right four times in five."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

Pair = tuple[float, bool]
"""(confidence, whether the mode and the cause were right)."""


@dataclass(frozen=True)
class Bin:
    """Of all answers with a confidence in [low, high)."""

    low: float
    high: float
    count: int
    said: float
    right: float


def bins(pairs: Sequence[Pair], number: int = 10) -> list[Bin]:
    """Equal widths; empty ones are left out."""
    found = []
    for i in range(number):
        low, high = i / number, (i + 1) / number
        mine = [(c, r) for c, r in pairs if low <= c < high or (i == number - 1 and c == 1.0)]
        if mine:
            found.append(Bin(low, high, len(mine), sum(c for c, _ in mine) / len(mine), sum(r for _, r in mine) / len(mine)))
    return found


def ece(pairs: Sequence[Pair], number: int = 10) -> float:
    """Expected calibration error: the mean gap of the bins, by their size."""
    return sum(b.count * abs(b.said - b.right) for b in bins(pairs, number)) / len(pairs) if pairs else 0.0


def brier(pairs: Sequence[Pair]) -> float:
    """Mean squared error of the confidence as a forecast."""
    return sum((c - r) ** 2 for c, r in pairs) / len(pairs) if pairs else 0.0


class Monotone:
    """The best rising map from said to true confidence (pool adjacent violators), fitted on some pairs, linear between their means."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        blocks: list[list[float]] = []  # sum of confidences, sum of right ones, count
        for confidence, right in sorted(pairs):
            blocks.append([confidence, float(right), 1.0])
            while len(blocks) > 1 and blocks[-2][1] / blocks[-2][2] >= blocks[-1][1] / blocks[-1][2]:
                last = blocks.pop()
                blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
        self._at = [b[0] / b[2] for b in blocks]
        # One more right and one more wrong in each: no block of few claims certainty.
        self._to = [(b[1] + 1) / (b[2] + 2) for b in blocks]

    def __call__(self, confidence: float) -> float:
        """What it should have said."""
        if not self._at:
            return confidence
        i = bisect_right(self._at, confidence)
        if i == 0:
            return self._to[0]
        if i == len(self._at):
            return self._to[-1]
        low, high = self._at[i - 1], self._at[i]
        part = (confidence - low) / (high - low) if high > low else 0.0
        return self._to[i - 1] + part * (self._to[i] - self._to[i - 1])
