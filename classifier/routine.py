"""Lines that say the same thing a hundred thousand times: beyond a bound only every n-th of them is read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

ROUTINE_LINES = 50_000
"""So many lines of one kind are all read; of the next as many every second, then every third …"""
ODD = re.compile(rb"\b(?:nan|inf|infinity)\b", re.IGNORECASE)
"""A line with one of these is always read: a single value that is not finite must not be missed."""


@dataclass
class Skipped:
    """The last line that was left out, to be read at the end: it says how far the run got."""

    raw: bytes
    offset: int
    number: int


@dataclass
class Kind:
    """Lines nominated for the same patterns that have said nothing but progress."""

    read: int = 0
    seen: int = 0
    left_out: int = 0
    plain: bool = True
    last: Skipped | None = None
    series: set[tuple[str, int | None]] = field(default_factory=set)


class Routine:
    """Decides which lines can be left out. A line that could say anything else has another set of patterns, and is read."""

    def __init__(self) -> None:
        self.kinds: dict[frozenset[int], Kind] = {}

    def leave_out(self, patterns: frozenset[int], raw: bytes, offset: int, number: int) -> bool:
        """Whether this line need not be read."""
        kind = self.kinds.get(patterns)
        if kind is None or not kind.plain or kind.read < ROUTINE_LINES:
            return False
        kind.seen += 1
        if kind.seen % (1 + (kind.seen + kind.read) // ROUTINE_LINES) == 0 or ODD.search(raw):
            return False
        kind.left_out += 1
        kind.last = Skipped(raw, offset, number)
        return True

    def was(self, patterns: frozenset[int], *, progress: bool, series: set[tuple[str, int | None]]) -> None:
        """What a line that was read turned out to be."""
        kind = self.kinds.setdefault(patterns, Kind())
        kind.read += 1
        kind.plain = kind.plain and progress
        kind.series |= series
        kind.last = None
