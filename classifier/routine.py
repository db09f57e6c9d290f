"""Lines that say the same thing a million times: what has said nothing but progress is from some point on read at its ends and in samples.

A line's *shape* is the line with every digit as 0. A line is left out only when a line of the very same shape and the same writer was
read before and said nothing but progress: another word, a ``nan``, a number of another size is another shape, and is read. Of what is left
out, the first line in each stretch of the log is read all the same (stretches grow with the log: 512 a doubling), and at the end the last one.
Which lines are left out depends on the log alone, not on who nominated them or where a block ended.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gpualert_slurm.classifier.lines import Line, Speaker
from gpualert_slurm.classifier.pattern import Match

ROUTINE_READS = 1000
"""So many lines of progress of a log are read whatever they are, shared among its kinds."""
LEAST_READS = 64
"""… but at least so many of each kind."""
MAX_SHAPES = 65_536
MAX_SHAPE_BYTES = 2048
FINEST_BYTES = 4096
STRETCHES = 512
SAYS = frozenset({"progress", "metrics", "loss_scale"})
DIGITS = bytes.maketrans(b"123456789", b"000000000")
_NUMBERS = b"0.+-"

Who = tuple[int | None, ...] | None
"""Whose line it is, None without a prefix that says so."""


@dataclass(frozen=True)
class Skipped:
    """The line of a kind that was left out last: at the end it says how far the run got."""

    raw: bytes
    offset: int
    number: int


@dataclass(eq=False)
class Kind:
    """Lines of one writer that differ in numbers alone."""

    read: int = 0
    left_out: int = 0
    plain: bool = True
    read_to: int = -1
    """Where its last read line stands, and where the stretch of that line ends."""
    until: int = -1
    last: Skipped | None = None
    shapes: set[tuple[Who, bytes]] = field(default_factory=set)
    """Seen before the kind was settled."""
    series: set[tuple[str, int | None]] = field(default_factory=set)
    patterns: set[tuple[str, int | None]] = field(default_factory=set)


class Routine:
    """Knows the shapes of lines that can be left out."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[Who, bytes], Kind] = {}
        self._settled: dict[tuple[Who, bytes], Kind] = {}
        self.nameless: dict[bytes, Kind] = {}
        """Of ``_settled``, those whose lines have no prefix that names a writer."""
        self.some_named = False
        self.spoiled = 0
        """How often what a block was chosen by has changed since: a kind that says more than progress, a new start."""
        self._shapes = 0
        self.live: dict[Kind, None] = {}
        """Kinds of which a line was read since they were counted last; only such can have lines that were left out since."""
        self._recent: dict[Kind, None] = {}

    def named(self, speaker: Speaker, shape: bytes) -> Kind | None:
        """The settled kind of lines of this shape of a writer whom a prefix names."""
        return self._settled.get((speaker.key, shape))

    def anew(self) -> None:
        """Something ended: the next line of each kind is read."""
        for kind in self._recent:
            kind.until = -1
        self._recent = {}
        self.spoiled += 1

    def was(self, line: Line, said: list[Match], touched: set[tuple[str, int | None]]) -> None:
        """What a nominated line that was read turned out to say."""
        if not said and not self._kinds:
            return
        raw, offset, speaker = line.raw, line.offset, line.speaker
        who = None if speaker.key == _NOBODY else speaker.key
        shape = shape_of(raw)
        key = (who, shape.translate(None, _NUMBERS))
        kind = self._kinds.get(key)
        progress = bool(said) and all(match.says in SAYS for match in said)
        if kind is None:
            if not progress or len(self._kinds) >= MAX_SHAPES:
                return
            kind = self._kinds[key] = Kind()
        if not progress:
            if said:
                self._spoil(kind)
            return
        kind.read += 1
        self.live[kind] = self._recent[kind] = None
        kind.read_to = offset
        kind.until = next_stretch(offset)
        kind.series |= touched
        kind.patterns |= {(match.pattern, match.line.speaker.rank) for match in said}
        if kind.plain:
            self._learn(kind, who, shape)

    def _learn(self, kind: Kind, who: Who, shape: bytes) -> None:
        place = (who, shape)
        if place not in self._settled and place not in kind.shapes and self._shapes < MAX_SHAPES and len(shape) <= MAX_SHAPE_BYTES:
            kind.shapes.add(place)
            self._shapes += 1
        if kind.shapes and kind.read >= max(LEAST_READS, ROUTINE_READS // len(self._kinds)):
            for known in kind.shapes:
                self._settle(known, kind)
            kind.shapes = set()

    def _settle(self, place: tuple[Who, bytes], kind: Kind) -> None:
        who, shape = place
        self._settled[place] = kind
        if who is None:
            self.nameless[shape] = kind
        else:
            self.some_named = True

    def _spoil(self, kind: Kind) -> None:
        kind.plain = False
        kind.shapes = set()
        self.spoiled += 1
        for place in [place for place, other in self._settled.items() if other is kind]:
            del self._settled[place]
            self.nameless.pop(place[1], None) if place[0] is None else None


def shape_of(data: bytes) -> bytes:
    """The line, or lines, with every digit as 0: as long as before."""
    return data.translate(DIGITS)


def next_stretch(offset: int) -> int:
    """Where the stretch ends in which ``offset`` lies: 4 KiB each at the log's start, from 2 MiB on a 512th of what lies before."""
    doublings = max(0, (offset // (FINEST_BYTES * STRETCHES)).bit_length())
    size = FINEST_BYTES << doublings
    return (offset // size + 1) * size


_NOBODY = Speaker().key
