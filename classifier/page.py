"""A block while it is read: its lines flat, their numbers, what was left out of them."""

from __future__ import annotations

from collections import Counter

from gpualert_slurm.classifier.bulk import Choice
from gpualert_slurm.classifier.lines import Block, flat, newlines
from gpualert_slurm.classifier.nominate import Nomination
from gpualert_slurm.classifier.routine import Kind, Skipped


class Page:
    """A block being read: its lines flat, their numbers, and what was left out of it."""

    def __init__(self, block: Block, line: int) -> None:
        self._raw = block.data
        self.data = flat(block.data)
        self.plain = self.data is block.data
        """Whether every line ends with a newline, as numbers of lines count them."""
        self.offset = block.offset
        self.left_out = 0
        self.last: dict[Kind, tuple[int, int]] = {}
        """Where the last line of each kind that was left out stands."""
        self._counted, self._number = 0, line

    def number(self, start: int) -> int:
        """The number in the file of the line at ``start``, which is not before the one asked for last."""
        self._number += newlines(self._raw[self._counted : start])
        self._counted = start
        return self._number

    def count(self, choice: Choice, upto: int | None) -> None:
        """Count what was left out without being looked at, up to line number ``upto`` of the block."""
        lines, last = choice.left_out(upto)
        for kind, number in lines.items():
            kind.left_out += number
            self.left_out += number
        for kind, place in last.items():
            self.last[kind] = max(place, self.last.get(kind, place))

    def leave_out(self, nominated: list[Nomination], shapes: list[bytes], settled: dict[bytes, Kind]) -> bool:
        """Leave these lines out if that is what becomes of every one of them, as in most blocks of a long log; else do nothing, and say so."""
        end, kinds = self.offset + len(self.data), dict[bytes, Kind]()
        for shape in set(shapes):
            kind = settled.get(shape)
            if kind is None or kind.until < end:
                return False
            kinds[shape] = kind
        for shape, lines in Counter(shapes).items():
            kinds[shape].left_out += lines
        self.left_out += len(shapes)
        unplaced = set(kinds.values())
        for (start, stop, _), shape in zip(reversed(nominated), reversed(shapes), strict=True):
            if kinds[shape] in unplaced:
                self.last[kinds[shape]] = (start, stop)
                unplaced.discard(kinds[shape])
                if not unplaced:
                    break
        return True

    def remember(self) -> None:
        """Note of each kind the last line that was left out so far."""
        end, number = self._counted, self._number
        for kind, (start, stop) in sorted(self.last.items(), key=lambda item: item[1], reverse=True):  # they stand near: counted from there
            number -= newlines(self._raw[start:end])
            end = start
            kind.last = Skipped(self.data[start:stop], self.offset + start, number)
        self.last.clear()

    def close(self) -> int:
        """Remember the last lines that were left out; gives the number of the line that follows the block."""
        after = self.number(len(self.data))
        self.remember()
        return after


def placed(nominated: list[Nomination], text: bytes, data: bytes, begin: int) -> list[Nomination]:
    """Nominations in ``text``, which is ``data`` from ``begin`` on without colours and NULs, as places in ``data``: line by line."""
    placed: list[Nomination] = []
    if len(text) == len(data) - begin:
        return [(start + begin, end + begin, mask) for start, end, mask in nominated]
    lengths = [len(line) for line in data[begin:].split(b"\n")]
    at, before, counted = begin, 0, 0
    for start, _, mask in nominated:
        number = before + text.count(b"\n", counted, start)
        at += sum(lengths[before:number]) + number - before
        before, counted = number, start
        placed.append((at, at + lengths[number], mask))
    return placed
