"""``samples.jsonl``: numbers over time, some fifty bytes a GPU and sample. Format in ``doc/formats/node-files.md``."""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

MOST_FILE_BYTES = 64 << 20
_MOST_LINE_BYTES = 1 << 20
_MOST_GROUPS = 4096
_NS_PER_MS = 1_000_000

Place = tuple[tuple[str, str | int], ...]
"""Whose numbers these are: keys and values of a ``Where``, sorted."""
Numbers = Mapping[str, float]


def place(**parts: str | int | None) -> Place:
    """``place(gpu_uuid="GPU-…")``; what is None is left out."""
    return tuple(sorted((key, value) for key, value in parts.items() if value is not None))


@dataclass
class SampleWriter:
    """Appends rows. A place's columns are declared when they first appear, and again when others come."""

    path: Path
    _columns: dict[Place, tuple[int, tuple[str, ...]]] = field(default_factory=dict)
    _next: int = 0

    def add(self, time_ns: int, rows: Iterable[tuple[Place, Numbers]]) -> None:
        """One line for all that was read at one time. Raises OSError."""
        lines: list[str] = []
        cells: list[list[int | float | None]] = []
        for where, numbers in rows:
            if not numbers:
                continue
            number, columns = self._columns.get(where, (-1, ()))
            if number < 0 or not set(numbers) <= set(columns):
                if self._next >= _MOST_GROUPS:
                    continue
                columns = tuple(sorted({*columns, *numbers}))
                number, self._next = self._next, self._next + 1
                self._columns[where] = number, columns
                lines.append(_json({"group": number, "where": dict(where), "columns": columns}))
            cells.append([number, *(_short(numbers.get(column)) for column in columns)])
        if cells:
            lines.append(_json([time_ns // _NS_PER_MS, *cells]))
            _append(self.path, "\n".join(lines) + "\n")


@dataclass
class Moves:
    """Keeps of readings what moved: the reading before a move and the one after it, so that it is known when it was, and how closely."""

    _last: dict[Place, tuple[int, dict[str, float], bool]] = field(default_factory=dict)
    """(time, values, whether written) of the last reading."""

    def rows(self, time_ns: int, where: Place, numbers: Numbers, *, always: bool = False) -> list[tuple[int, Place, Numbers]]:
        """The rows to write for this reading: none where nothing moved and it is not the first; ``always`` for the last one of a job."""
        if not numbers:
            return []
        found: list[tuple[int, Place, Numbers]] = []
        last = self._last.get(where)
        moved = last is None or any(last[1].get(name) != value for name, value in numbers.items())
        if last is not None and moved and not last[2]:
            found.append((last[0], where, last[1]))
        if moved or always:
            found.append((time_ns, where, dict(numbers)))
        self._last[where] = time_ns, dict(numbers), moved or always
        return found


@dataclass
class Column:
    """One column of one place."""

    times_ns: array[int] = field(default_factory=lambda: array("q"))
    values: array[float] = field(default_factory=lambda: array("d"))


def read(path: Path) -> dict[tuple[Place, str], Column]:
    """All columns, in the order of time written. A missing file is empty; torn and strange lines are left out."""
    groups: dict[int, tuple[Place, tuple[str, ...]]] = {}
    found: dict[tuple[Place, str], Column] = {}
    try:
        with path.open("rb") as file:
            left = MOST_FILE_BYTES
            while left > 0 and (line := file.readline(_MOST_LINE_BYTES)):
                left -= len(line)
                _take(line, groups, found)
    except OSError:
        pass
    return found


def _take(line: bytes, groups: dict[int, tuple[Place, tuple[str, ...]]], found: dict[tuple[Place, str], Column]) -> None:
    try:
        content = json.loads(line)
        if isinstance(content, dict):
            where = place(**{str(key): value for key, value in content["where"].items() if isinstance(value, (str, int))})
            groups[int(content["group"])] = where, tuple(map(str, content["columns"]))
            return
        time_ns = int(content[0]) * _NS_PER_MS
        for number, *values in content[1:]:
            where, columns = groups[number]
            if len(values) != len(columns):
                continue
            for name, value in zip(columns, values, strict=True):
                if isinstance(value, (int, float)):
                    column = found.setdefault((where, name), Column())
                    column.times_ns.append(time_ns)
                    column.values.append(float(value))
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError):
        return


def _short(value: float | None) -> int | float | None:
    return int(value) if isinstance(value, (bool, float)) and value == int(value) else value


def _json(content: object) -> str:
    return json.dumps(content, separators=(",", ":"), allow_nan=False)


def _append(path: Path, text: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)
