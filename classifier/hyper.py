"""Which lines are worth trying which patterns on: all patterns at once by Hyperscan (Vectorscan on ARM), where its wheel is installed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from types import ModuleType

from gpualert_slurm.classifier.compiled import Cache, Database
from gpualert_slurm.classifier.expression import NotDerivableError, expression
from gpualert_slurm.classifier.needles import best, words
from gpualert_slurm.classifier.nominate import TYPICAL, Nomination, Nominator

_NUMBER_BITS = 16
_NUMBER = (1 << _NUMBER_BITS) - 1
_LINE_END = 0x0A
"""As a number: ``find`` takes it faster than as bytes."""
MOST_WORDS = 44
LEAST_BYTES = 5
EVERY_LINE = rb"[^\n]+"
"""For a pattern from which no expression can be derived: its lines are all tried."""


def hyperscan() -> ModuleType | None:
    """The binding, None where no wheel is installed or it does not load."""
    try:
        import hyperscan as binding
    except Exception:  # an import of native code may fail with anything; the plain nominator gives the same lines
        return None
    return binding


def expressions(regexes: Sequence[str]) -> tuple[bytes, ...]:
    """What is compiled: for each regex an expression over bytes that matches wherever it does."""
    return tuple(_expression(regex) for regex in regexes)


def _expression(regex: str) -> bytes:
    """Words of which one must stand in any match, where they are few and unusual, since plain words are what a matcher of many is fastest at."""
    several = _shortest({word.encode() for word in best(words(regex))})
    if several and len(several) <= MOST_WORDS and all(len(word) >= LEAST_BYTES and word not in TYPICAL for word in several):
        return b"|".join(_escaped(word) for word in several)
    try:
        return expression(regex).encode("latin-1")
    except NotDerivableError:
        return EVERY_LINE


def _shortest(every: Collection[bytes]) -> list[bytes]:
    """Those that hold no other one of them: where a longer one stands, a shorter one does."""
    return [word for word in sorted(every) if not any(other != word and other in word for other in every)]


def _escaped(word: bytes) -> bytes:
    """The word as an expression that other matchers of bytes read alike."""
    return b"".join(b"%c" % byte if chr(byte).isascii() and (chr(byte).isalnum() or byte == 0x20) else b"\\x%02x" % byte for byte in word)


class Hyper:
    """The compiled database. One scratch a thread: a database may be shared, a scratch may not."""

    def __init__(self, binding: ModuleType, regexes: Sequence[str], instead: Nominator, cache: Cache | None = None) -> None:
        """Compile, or load what was compiled before.

        Raises:
            Exception: whatever the binding raises for an expression or a processor it cannot do.
        """
        self._binding, self._instead = binding, instead
        self._bits = [1 << number for number in range(len(regexes))]
        sources = expressions(regexes)
        loaded = cache.load(binding, sources) if cache is not None else None
        self._database = loaded if loaded is not None else _compile(binding, sources)
        if cache is not None and loaded is None:
            cache.save(binding, sources, self._database)
        self._mine = threading.local()
        self._scan(b"a line\n", lambda _number, _start, _end, _flags, _context: None)  # refuses here and now where it would refuse later

    def _scan(self, data: bytes, hit: Callable[[int, int, int, int, object], None]) -> None:
        scratch = getattr(self._mine, "scratch", None)
        if scratch is None:
            scratch = self._mine.scratch = self._binding.Scratch(self._database)
        self._database.scan(data, match_event_handler=hit, scratch=scratch)

    def lines(self, data: bytes) -> list[Nomination]:
        """The nominated lines of ``data`` in order."""
        if not data:
            return []
        hits: list[int] = []  # where a match ends, and of which pattern, in one number
        add = hits.append

        def hit(number: int, _start: int, end: int, _flags: int, _context: object) -> None:
            add(end << _NUMBER_BITS | number)

        try:
            self._scan(data, hit)
        except Exception:  # in the binding's own words: nothing it says of a block is taken for "nothing there"
            return self._instead.lines(data)
        hits.sort()
        return _lines(data, hits, self._bits)


def _lines(data: bytes, hits: list[int], bits: list[int]) -> list[Nomination]:
    """The lines in which hits end. Whole lists at a time: of a log of progress this is what costs most beside the matching itself."""
    find, rfind = data.find, data.rfind
    ends = [find(_LINE_END, (one >> _NUMBER_BITS) - 1) for one in hits]
    if ends and ends[-1] < 0:  # the last line has no end
        ends = [len(data) if end < 0 else end for end in ends]
    lines = list(zip([rfind(_LINE_END, 0, end) + 1 for end in ends], ends, [bits[one & _NUMBER] for one in hits], strict=True))
    if len(set(ends)) == len(ends):
        return lines
    found: list[Nomination] = []
    for start, end, mask in lines:
        before = found.pop()[2] if found and found[-1][1] == end else 0
        found.append((start, end, before | mask))
    return found


def _compile(binding: ModuleType, sources: Sequence[bytes]) -> Database:
    database = binding.Database(mode=binding.HS_MODE_BLOCK)
    database.compile(expressions=list(sources), ids=list(range(len(sources))), elements=len(sources), flags=binding.HS_FLAG_MULTILINE)
    return database
