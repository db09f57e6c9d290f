"""What a cell says: the row under the column, compared with the row without gpualert."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from .columns import Column
from .observed import Observed
from .rows import Row


class Verdict(str, Enum):
    """How a cell came out, as the table prints it."""

    SAME = "="
    SAME_LATER = "=²"
    EXCEPTION = "≠ documented"
    DIFFERENT = "**≠**"
    NOT_RUN = "–"


@dataclass
class Cell:
    """One row under one column; ``words``: how it differed."""

    row: Row
    column: Column
    verdict: Verdict
    seen: Observed
    words: str = ""


@dataclass
class Table:
    """All cells, what was seen of nodes, and what the rows look like without gpualert."""

    cells: dict[tuple[Row, Column], Cell] = field(default_factory=dict)
    native: dict[Row, list[Observed]] = field(default_factory=dict)
    drained: dict[Column, str] = field(default_factory=dict)
    captured: dict[Column, int] = field(default_factory=dict)
    jobs: int = 0

    def judge(self, row: Row, column: Column, seen: Observed, *, again: bool = False) -> Cell:
        """Compare with every run without gpualert, and keep the cell."""
        words = seen.unlike(self.native[row])
        if not words:
            verdict = Verdict.SAME_LATER if again else Verdict.SAME
        elif row.excepted and is_the_exception(seen, self.native[row]):
            verdict = Verdict.EXCEPTION
        else:
            verdict = Verdict.DIFFERENT
        earlier = self.cells.get((row, column))
        if earlier and words:
            words = f"{earlier.words}; again: {words}"
        elif earlier and verdict is Verdict.SAME_LATER:
            words = earlier.words
        self.cells[row, column] = cell = Cell(row, column, verdict, seen, words)
        return cell

    def judge_again(self) -> None:
        """After more runs without gpualert: what differs may be one of the ways in which the row ends there, too."""
        for cell in self.different():
            ways = self.native[cell.row]
            if cell.seen in ways:
                cell.verdict = Verdict.SAME_LATER
                cell.words = f"{cell.words}; so did {ways.count(cell.seen)} of {len(ways)} runs without gpualert"

    def different(self) -> list[Cell]:
        """Cells that are neither the same nor the documented exception."""
        return [cell for cell in self.cells.values() if cell.verdict is Verdict.DIFFERENT]


def is_the_exception(seen: Observed, native: Sequence[Observed]) -> bool:
    """The program whose --output was full ended as on an empty disk, its file being as short as without gpualert; all else is the same."""
    theirs = native[0]
    codes = {row[0]: row[1:3] for row in seen.accounting}
    if any(codes[step] != ("COMPLETED", "0:0") for step in codes) or codes.keys() != {row[0] for row in theirs.accounting}:
        return False
    mine, files = dict(seen.files), dict(theirs.files)
    full = {name for name in files if name.startswith("<job>.")}
    return mine.keys() == files.keys() and all(mine[name] == files[name] for name in full)
