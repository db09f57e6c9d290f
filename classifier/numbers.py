"""Numbers as training loops print them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

NUMBER = r"[-+]?(?:\d{1,18}(?:\.\d{0,18})?(?:[eE][-+]?[0-9]{1,3})?|\.\d{1,18}(?:[eE][-+]?[0-9]{1,3})?|nan|NaN|NAN|inf(?:inity)?|Inf(?:inity)?|INF)"
"""A number, also ``nan`` and ``inf``: they are what the reader looks for. No nested repeats."""

_COUNT = re.compile(r"[,_ ]")
_GROUPED = re.compile(r"\d{1,3}(?:[,_ ]\d{3}){1,4}|\d{1,15}")
_EPOCH_AND_STEP = re.compile(
    r"[\[(]\s{0,4}(?P<epoch>\d{1,6})\s?/\s?(?P<epochs>\d{1,6})(?:\s{0,4}\]\s?\[|\s{0,4}[|,;:]|(?=\s))\s{0,4}(?P<step>\d{1,9})\s?/\s?(?P<planned>\d{1,9})\s{0,4}[\])]"
)
"""``[1/12][010/200]``: of PyTorch's DCGAN, and of many who began with it; ``[01/03 |   5/20]``: the same in one pair of brackets."""


_SURE_COMMA = re.compile(
    r"(?:=|(?<!\d):|:(?=\s))\s{0,3}[-+]?(?:0,\d{1,12}|\d{1,9},(?:\d{1,2}|\d{4,12}))(?![\w.]|,(?:\d|nan|inf))|;[-+]?(?:0,\d{1,12}|\d{1,9},\d{4,12})(?:;|\Z)"
    r"|(?<=[^\W\d_]{3}) {1,3}[-+]?(?:0,\d{2,12}|\d{1,6},(?:\d\d|\d{4,12}))(?![\w.]|,(?:\d|nan|inf))"
)
_COMMA = re.compile(r"(?<![\w.,])([-+]?\d{1,9}),(\d{1,12})(?![\w.]|,(?:\d|nan|inf))")

NOT_A_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:nan|inf(?:inity)?)(?![\w.])", re.IGNORECASE)


_OF_MSVC = re.compile(r"(?<![\w.])[-+]?1\.#(?:IND|QNAN|SNAN|INF)0{0,6}(?!\w)|(?<![\w.])[-+]?nan\((?:ind|snan)\)", re.IGNORECASE)
"""What Microsoft's runtime prints of a number that is none."""


def pointed(text: str) -> str:
    """The line with points for decimal commas (``perte = 1,0656``, ``Kreuzentropie 1,6801``), where a number behind ``=``, ``:`` or a word, or
    between semicolons, has one that separates no thousands.
    """
    text = _OF_MSVC.sub("nan", text) if "#" in text else text
    return _COMMA.sub(r"\1.\2", text) if "," in text and _SURE_COMMA.search(text) else text


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
    if not text.isascii() or not _GROUPED.fullmatch(text.strip(", _")):
        return None
    return int(_COUNT.sub("", text))


def epoch_and_step(text: str) -> dict[str, int | float] | None:
    """Epoch and step within it, each of how many, where two pairs of numbers in brackets say so."""
    found = _EPOCH_AND_STEP.search(text)
    if found is None:
        return None
    return {"epoch": float(found["epoch"]), **{name: int(found[name]) for name in ("epochs", "step", "planned")}, "per_epoch": True}


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
