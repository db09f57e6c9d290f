"""Tables of times: those whose head names columns of them, and a profiler's at a log's end, whose rows have names and a column of percents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gpualert_slurm.classifier.line_times import Part, part_of_column, seconds_of
from gpualert_slurm.classifier.time_kinds import REST, WHOLE, WORK, kind_of

LEAST_ROWS, MOST_LINE = 3, 400
_CELLS = re.compile(r"[|│\t]|\s{2,}")
_PERCENT = re.compile(r"%|percent|share|anteil", re.IGNORECASE)
_OF_TIME = re.compile(r"time|second|dur|\(m?s\)|zeit|temps|tiempo|tempo|total", re.IGNORECASE)
_BETWEEN = re.compile(r"[|│\t,;]|\s{2,}")
_BARS = re.compile(r"[|│]")
_VALUE = re.compile(r"\d{1,7}(?:\.\d{1,6})?\Z")
_PLAIN = re.compile(r"[-+\d.,eE/:%*nainf ]{1,24}\Z")
_TIMED = re.compile(r"[_ (\[.](ms|s|sec|seconds)[)\]]?\Z", re.IGNORECASE)
_NO_PART = re.compile(r"per_|per |/|total|elapsed|eta|wall|time|step|iter|epoch|latency|p\d\d|max|min|since|remain|loss", re.IGNORECASE)
_NUMBER = re.compile(r"(?P<value>\d{1,3}(?:\.\d{1,4})?)\s?%?\Z")


def in_columns(lines: Sequence[str], kinds: frozenset[str]) -> Iterator[tuple[float, str]]:
    """The largest share in such a table's rows of ``kinds``, with the row; a table of times has rows of the work, or of the whole, too."""
    for at, line in enumerate(lines):
        head = _cells(line)
        places = [place for place, name in enumerate(head) if place and _PERCENT.search(name)]
        if len(head) < LEAST_ROWS or not places or any(char.isdigit() for char in line) or _OF_TIME.search(line) is None:
            continue
        rows = [(cells[0], found, row) for row in lines[at + 1 :] if (found := _value(cells := _cells(row), len(head), places[-1])) is not None]
        ours = [(share, row.strip()) for name, share, row in rows if kind_of(name) in kinds]
        if len(rows) >= LEAST_ROWS and ours and any(kind_of(name) in {WORK, WHOLE} for name, _, _ in rows):
            yield max(ours)


def _cells(line: str) -> list[str]:
    return [cell for part in _CELLS.split(line.strip(" |│\t")) if (cell := part.strip())] if len(line) <= MOST_LINE else []


def _value(cells: Sequence[str], width: int, place: int) -> float | None:
    """The share in a row of as many cells as the head."""
    found = _NUMBER.match(cells[place]) if len(cells) == width else None
    share = float(found["value"]) / 100 if found is not None else 2.0
    return share if share <= 1.0 else None


def _rest_of(name: str) -> Part | None:
    """A column with a unit, whatever is timed in it, beside others of times."""
    unit = _TIMED.search(name.strip())
    return None if unit is None or _NO_PART.search(name) else Part(REST, seconds_of(unit[1]))


def rows_of_table(lines: Sequence[str]) -> Iterator[tuple[int, str, tuple[Part, ...]]]:
    """The rows of a table whose head names times (``| epoch | loss | warten [s] | rechnen [s] |``), each with its parts."""
    head: list[Part | None] = []
    for at, line in enumerate(lines):
        if len(line) > MOST_LINE:
            continue
        between = _BARS if line.count("|") > 1 else _BETWEEN
        cells = [" ".join(cell.split()) for part in between.split(line.strip(" |│\t")) if (cell := part.strip())]
        if len(cells) >= LEAST_ROWS and not any(_PLAIN.match(cell) for cell in cells):
            told = [part_of_column(cell) for cell in cells]
            told = [part or (_rest_of(cell) if any(one is not None for one in told) else None) for part, cell in zip(told, cells, strict=True)]
            head = told if sum(part is not None for part in told) > 1 else head
        elif head and len(cells) == len(head) and all(_PLAIN.match(cell) for cell in cells):
            parts = [replace(part, seconds=float(cell) * part.seconds) for part, cell in zip(head, cells, strict=True) if part and _VALUE.match(cell)]
            if len(parts) > 1:
                yield at, line, tuple(parts)
