"""A block of lines most of which are routine: which of them have to be read is told by comparing shapes, many lines a microsecond."""

from __future__ import annotations

from collections import Counter

from gpualert_slurm.classifier.routine import Kind, Routine, next_stretch, shape_of


class Choice:
    """Splits the lines of one flat block into those that must be looked at and those that will be left out whatever happens to the others.

    A line need not be looked at when its shape belongs to a settled kind and it is not the first of its kind in a stretch of the log:
    ``Routine`` would leave it out as well.
    """

    def __init__(self, data: bytes, offset: int, routine: Routine) -> None:
        self._offset = offset
        self._shapes = shapes = shape_of(data).split(b"\n")
        settled = routine.nameless
        found = {shape: settled[shape] for shape in set(shapes) if shape in settled}
        self._kinds: dict[bytes, Kind] = found
        looked_at = {at for at, shape in enumerate(shapes) if shape and shape not in found}
        looked_at |= self._firsts(data)
        self._looked_at = looked_at
        self.lines = self._places(sorted(looked_at))
        """Number in the block, start and end of each line to look at, in order."""

    def _firsts(self, data: bytes) -> set[int]:
        """Of every kind the first line in each stretch in which none was read."""
        shapes, kinds = self._shapes, self._kinds
        chosen: set[int] = set()
        at = begin = 0
        while at < len(data):
            here = self._offset + at
            to = min(next_stretch(here) - self._offset, len(data))
            end = begin + data.count(b"\n", at, to)
            beyond = end if data[to - 1 : to] == b"\n" else end + 1  # the number of the first line that begins at or behind ``to``
            first: dict[Kind, int] = {}
            for shape in set(shapes[begin:beyond]):
                kind = kinds.get(shape)
                if kind is not None and kind.until <= here:
                    where = shapes.index(shape, begin, beyond)
                    first[kind] = min(where, first.get(kind, where))
            chosen.update(first.values())
            at, begin = to, beyond
            if beyond > end:  # its end lies in the next stretch: it is not counted there again
                line_end = data.find(b"\n", to)
                if line_end < 0:
                    break
                at = line_end + 1
        return chosen

    def _places(self, numbers: list[int]) -> list[tuple[int, int, int]]:
        shapes, places = self._shapes, []
        start = before = 0
        for number in numbers:
            start += sum(map(len, shapes[before:number])) + number - before
            places.append((number, start, start + len(shapes[number])))
            before = number
        return places

    def left_out(self, upto: int | None) -> tuple[dict[Kind, int], dict[Kind, tuple[int, int]]]:
        """Of the lines before number ``upto`` (None: of all) that were not to be looked at: how many of each kind, and where the last one stands."""
        shapes = self._shapes if upto is None else self._shapes[:upto]
        counts = Counter(shapes)
        counts.subtract(Counter(shapes[at] for at in self._looked_at if at < len(shapes)))
        ends = dict(zip(shapes, range(len(shapes)), strict=True))
        lines: dict[Kind, int] = {}
        last: dict[Kind, int] = {}
        for shape, kind in self._kinds.items():
            seen = counts.get(shape, 0)
            if seen > 0:
                lines[kind] = lines.get(kind, 0) + seen
                at = ends[shape]
                if at not in self._looked_at:
                    last[kind] = max(at, last.get(kind, at))
        return lines, {kind: self._places([at])[0][1:] for kind, at in last.items()}
