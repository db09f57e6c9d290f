"""What DCGM's command line prints, as numbers by GPU. Pure.

``dcgmi dmon`` gives a head of two lines and then a row for each entity: its kind, its number, one column for each field asked for, ``N/A`` where
there is none. ``dcgmi discovery --list`` gives a table that says which UUID has which number (NVIDIA's DCGM documentation, releases 2 to 4).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

FIELDS = {1002: "sm_activity_percent", 1003: "sm_occupancy_percent", 1004: "tensor_activity_percent", 1005: "memory_bandwidth_percent"}
"""DCGM_FI_PROF_SM_ACTIVE, _SM_OCCUPANCY, _PIPE_TENSOR_ACTIVE, _DRAM_ACTIVE: ratios from 0 to 1, averaged over the delay."""
_NUMBER = re.compile(r"\|\s*(\d{1,4})\s*\|")
_UUID = re.compile(r"Device UUID:\s*(GPU-[0-9a-fA-F-]{1,64})\b")
_ROW = re.compile(r"\s*GPU\s+(\d{1,4})((?:\s+\S+)+)\s*$")


def uuids(listing: str) -> dict[int, str]:
    """{DCGM's number: UUID} of a discovery listing; empty for anything else. NVSwitches and processors have no such UUID."""
    found: dict[int, str] = {}
    number: int | None = None
    for line in listing.splitlines():
        begins = _NUMBER.match(line)
        number = int(begins.group(1)) if begins else number
        named = _UUID.search(line)
        if named and number is not None:
            found[number] = named.group(1)
    return found


def row(line: str) -> tuple[int, dict[str, float]] | None:
    """(DCGM's number, percent by name) of a row about a whole GPU; None for a head, a slice, or what makes no sense."""
    match = _ROW.match(line)
    if match is None:
        return None
    cells = match.group(2).split()
    if len(cells) != len(FIELDS):
        return None
    found: dict[str, float] = {}
    for name, cell in zip(FIELDS.values(), cells, strict=True):
        if re.fullmatch(r"\d{1,3}(?:\.\d{1,12})?", cell) and float(cell) <= 1.0:
            found[name] = round(100.0 * float(cell), 2)
    return int(match.group(1)), found


def means(rows: Iterable[tuple[int, dict[str, float]]]) -> dict[int, dict[str, float]]:
    """The mean of each number over several rows, by GPU."""
    sums: dict[int, dict[str, tuple[float, int]]] = {}
    for number, values in rows:
        held = sums.setdefault(number, {})
        for name, value in values.items():
            total, count = held.get(name, (0.0, 0))
            held[name] = total + value, count + 1
    return {number: {name: round(total / count, 2) for name, (total, count) in held.items()} for number, held in sums.items() if held}
