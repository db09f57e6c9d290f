"""Numbers as training loops print them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

NUMBER = r"[-+]?(?:\d{1,18}(?:\.\d{0,18})?(?:[eE][-+]?[0-9]{1,3})?|\.\d{1,18}(?:[eE][-+]?[0-9]{1,3})?|nan|NaN|NAN|inf(?:inity)?|Inf(?:inity)?|INF)"
"""A number, also ``nan`` and ``inf``: they are what the reader looks for. No nested repeats."""

_COUNT = re.compile(r"[,_ ]")


def number(text: str | None) -> float | None:
    """The float that ``text`` prints, or None."""
    if text is None:
        return None
    try:
        return float(text.strip().strip("'\""))
    except ValueError:
        return None


def fields(text: str, named: Iterable[tuple[str, re.Pattern[str]]]) -> dict[str, float]:
    """The numbers that each pattern's first group finds in ``text``, by name; those that are not there are left out."""
    found = ((name, number(match[1])) for name, regex in named if (match := regex.search(text)))
    return {name: value for name, value in found if value is not None}


def count(text: str | None) -> int | None:
    """A whole number, also with separators (``500,000``), or None."""
    if text is None:
        return None
    bare = _COUNT.sub("", text)
    return int(bare) if bare.isascii() and bare.isdigit() and len(bare) < 16 else None


def finite(values: tuple[float, ...] | list[float]) -> list[float]:
    """Those that are numbers."""
    return [value for value in values if math.isfinite(value)]


def numbers(text: str) -> list[int]:
    """Slurm's list of tasks (``0-3,7``) as numbers."""
    found: list[int] = []
    for part in text.split(","):
        span = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", part.strip())
        if span:
            first = int(span[1])
            found.extend(range(first, min(int(span[2] or first), first + 4096) + 1))
    return found
