"""Numbers and names in the words people use; every time with its zone, every unit named."""

from __future__ import annotations

import contextlib
import math
import re
import time
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone, tzinfo
from functools import lru_cache

import humanize
from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet, NodeSetException
from ClusterShell.RangeSet import RangeSet

from gpualert_slurm.notify.plain import visible

NODE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,250}")
COLUMNS_OF_A_LIST = 200


def instant(time_ns: int | None, zone: tzinfo | None, *, millis: bool = False) -> str:
    """``2026-09-21 14:13:22 UTC``, in ``zone`` (the machine's own where absent); empty for an unknown time."""
    if time_ns is None:
        return ""
    try:
        then, zone_name = _second(time_ns // 1_000_000_000, zone, time.tzname)
    except (OverflowError, ValueError, OSError):
        return f"{time_ns} ns since 1970"
    fraction = f".{time_ns // 1_000_000 % 1000:03d}" if millis else ""
    return f"{then}{fraction} {zone_name}"


@lru_cache(1024)  # the times of one job lie close together
def _second(seconds: int, zone: tzinfo | None, _own: tuple[str, str]) -> tuple[str, str | None]:
    """Date and time, and the zone's name then; ``_own``: the machine's zone, for it may be set anew. Raises OverflowError, ValueError, OSError."""
    then = (datetime.fromtimestamp(0, timezone.utc) + timedelta(seconds=seconds)).astimezone(zone)
    return f"{then:%Y-%m-%d %H:%M:%S}", then.tzname()


def span(seconds: float | None) -> str:
    """``2 hours and 3 minutes``; below ten seconds with one decimal; empty when unknown."""
    if seconds is None:
        return ""
    if abs(seconds) < 10:
        return f"{seconds:.1f} s" if seconds % 1 else f"{seconds:.0f} s"
    if abs(seconds) < 120:
        return f"{seconds:.0f} s"
    unit = "seconds" if seconds < 3600 else "minutes"
    return humanize.precisedelta(timedelta(seconds=round(seconds)), minimum_unit=unit, format="%d")


def short_span(seconds: float) -> str:
    """``50 ms``, ``1.2 s``, ``3 minutes``: for small differences."""
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else span(round(seconds, 1))


def give_or_take(seconds: float | None) -> str:
    """`` ± 50 ms``; empty where it is not known."""
    return "" if not seconds else f" ± {short_span(seconds)}"


def size(count: int | None) -> str:
    """``1.5 MiB``; ``size unknown`` where it is not known."""
    return "size unknown" if count is None else humanize.naturalsize(count, binary=True)


def number(value: float) -> str:
    """A value as people write it: four significant digits, no trailing zeros, ``nan`` and ``inf`` by name."""
    return f"{value:.0f}" if math.isfinite(value) and abs(value) < 1e15 and value == int(value) else f"{value:.4g}"


def nodes(names: Iterable[str]) -> str:
    """``n[1-2,7]``; names that are no host names are listed as they are, made harmless."""
    unique = sorted(set(names))
    if not unique:
        return ""
    if all(NODE_NAME.fullmatch(n) for n in unique):
        with contextlib.suppress(NodeSetException):
            return _folded(tuple(unique))
    return shortened(", ".join(visible(n) for n in unique))


@lru_cache(maxsize=1024)  # one mail names the same few nodes twenty times
def _folded(names: tuple[str, ...]) -> str:
    return str(NodeSet.fromlist(names, resolver=RESOLVER_NOGROUP))


def ranks(numbers: Iterable[int]) -> str:
    """``0-2,5``; empty for none."""
    unique = sorted(set(numbers))
    return shortened(str(RangeSet(",".join(map(str, unique)))) if unique and unique[0] >= 0 else ", ".join(map(str, unique)))


def hours(value: float) -> str:
    """GPU-hours: two digits after the point, more only for what would read as nothing."""
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def plural(count: int, singular: str, several: str | None = None) -> str:
    """``1 rank``, ``3 ranks``."""
    return f"{count} {singular if count == 1 else several or singular + 's'}"


def shortened(text: str, max_chars: int = COLUMNS_OF_A_LIST) -> str:
    """``text``, or its beginning and how much is missing."""
    return text if len(text) <= max_chars else f"{text[:max_chars]}… ({len(text) - max_chars} more characters)"
