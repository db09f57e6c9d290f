"""All parsers' patterns matched together: the nominator proposes lines, ``re`` decides (doc/engine.md)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache

from gpualert_slurm.classifier import parsers
from gpualert_slurm.classifier.compiled import Cache, default_folder
from gpualert_slurm.classifier.hyper import Hyper, hyperscan
from gpualert_slurm.classifier.lines import MOST_KNOWN_BYTES, Line, Speaker
from gpualert_slurm.classifier.nominate import Nominator, Plain
from gpualert_slurm.classifier.pattern import Collector, Match, Parser, Pattern, Story
from gpualert_slurm.discovery import discover

MakeNominator = Callable[[Sequence[str], Sequence[Sequence[str]]], Nominator]
"""Takes the patterns' regexes and their literals, in the order of their numbers."""
ENGINE = "GPUALERT_ENGINE"
"""Environment: ``plain`` does without Hyperscan. The evidence is the same."""
MAX_OPEN = 4096
MAX_STORY_LINES = 5000
"""Lines of its writer a story may take: CPython stops at 1,000 frames of up to four lines each."""
MOST_KNOWN = 1024
"""So many lines, none of them long, are remembered with what they said: a log may say the same a million times."""
MAX_IDLE_LINES = 5000
"""Lines of other writers after which an open story is given up."""


class Collectors:
    """The stories being read, one a writer at a time."""

    def __init__(self) -> None:
        self.stories: dict[tuple[int | None, ...], Collector] = {}
        """By writer."""
        self._taken: dict[tuple[int | None, ...], int] = {}
        self._heard: dict[tuple[int | None, ...], int] = {}
        self._lines = 0
        self.took_line = False
        """Whether the line fed last belongs to a story."""

    @property
    def any(self) -> bool:
        """Whether a story is being read."""
        return bool(self.stories)

    def begin(self, speaker: Speaker, collector: Collector) -> None:
        """A story begins; past MAX_OPEN writers it is not read."""
        if len(self.stories) < MAX_OPEN:
            self.stories[speaker.key] = collector
            self._taken[speaker.key], self._heard[speaker.key] = 0, self._lines

    def reads(self, speaker: Speaker) -> bool:
        """Whether this writer is in the middle of a story."""
        return speaker.key in self.stories

    def take(self, line: Line) -> list[Match]:
        """Feed a line; the matches of every story that it ended."""
        self.took_line = False
        if not self.stories:
            return []
        self._lines += 1
        key = line.speaker.key
        ended: list[Match] = []
        collector = self.stories.get(key)
        if collector is not None:
            self._taken[key] += 1
            self._heard[key] = self._lines
            if self._taken[key] > MAX_STORY_LINES or not collector.take(line):
                ended += self._end(key)
            else:
                self.took_line = True
        if self._lines % 256 == 0:
            for idle in [k for k, heard in self._heard.items() if self._lines - heard > MAX_IDLE_LINES]:
                ended += self._end(idle)
        return ended

    def close(self) -> list[Match]:
        """The log is over: what the open stories said so far."""
        return [match for key in list(self.stories) for match in self._end(key)]

    def _end(self, key: tuple[int | None, ...]) -> list[Match]:
        collector = self.stories.pop(key)
        del self._taken[key], self._heard[key]
        return collector.close()


class Engine:
    """The compiled rules of a set of parsers."""

    def __init__(self, found: dict[str, Parser], nominator: MakeNominator) -> None:
        self.patterns: list[tuple[str, Pattern, re.Pattern[str]]] = []
        self.stories: list[tuple[str, Story, re.Pattern[str]]] = []
        self.defects: set[str] = set()
        """Readers that failed on a line: for the gaps of the scan."""
        for module, parser in found.items():
            self.patterns += [(f"{module}.{p.name}", p, re.compile(p.regex)) for p in parser.patterns]
            self.stories += [(f"{module}.{s.name}", s, re.compile(s.opens)) for s in parser.stories]
        self.nominated_by = [p.nominated_by for _, p, _ in self.patterns] + [s.opens for _, s, _ in self.stories]
        literals = [p.literals for _, p, _ in self.patterns] + [s.literals for _, s, _ in self.stories]
        self.nominator = nominator(self.nominated_by, literals)
        self._known: dict[tuple[bytes, int, bool], list[Match]] = {}

    def collectors(self) -> Collectors:
        """No story open."""
        return Collectors()

    def _match(self, name: str, pattern: Pattern, compiled: re.Pattern[str], line: Line) -> Match | None:
        """One pattern's word; a defect in its reader costs that word and nothing else."""
        try:
            return pattern.match(line, compiled, name)
        except Exception as error:
            self.defects.add(f"{name}: {type(error).__name__}: {error}"[:200])
            return None

    def matches(self, line: Line, mask: int, reading: Collectors) -> list[Match]:
        """What the nominated patterns (bits by their numbers) say of the line; a line that opens a story begins one."""
        if mask >> len(self.patterns) or len(line.raw) > MOST_KNOWN_BYTES:
            return self._decide(line, mask, reading)
        key = (line.raw, mask, reading.took_line)
        known = self._known.get(key)
        if known is not None:
            return [Match(m.says, m.role, line, m.pattern, m.cause, m.detail, dict(m.data)) for m in known]
        defects = len(self.defects)
        said = self._decide(line, mask, reading)
        if len(self.defects) == defects:  # a defect is told of every log in which it shows
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[key] = said
        return said

    def _decide(self, line: Line, mask: int, reading: Collectors) -> list[Match]:
        said: list[Match] = []
        general: list[Match] = []
        for number in numbers(mask):
            if number < len(self.patterns):
                name, pattern, compiled = self.patterns[number]
                match = None if pattern.alone and reading.took_line else self._match(name, pattern, compiled, line)
                if match is not None:
                    (general if pattern.general else said).append(match)
            elif number < len(self.patterns) + len(self.stories):
                name, story, compiled = self.stories[number - len(self.patterns)]
                if not reading.reads(line.speaker) and compiled.search(line.text):
                    reading.begin(line.speaker, story.collect(line, name))
        words = {match.says for match in said}
        return said + [match for match in general if match.says not in words]


@lru_cache(maxsize=4096)
def numbers(mask: int) -> Collection[int]:
    """The numbers of the bits that are set, rising."""
    return tuple(number for number in range(mask.bit_length()) if mask >> number & 1)


def fastest(regexes: Sequence[str], literals: Sequence[Sequence[str]]) -> Nominator:
    """Hyperscan where its wheel is installed and the processor can do it, else the plain nominator."""
    plain = Plain(regexes, literals)
    binding = hyperscan() if os.environ.get(ENGINE) != "plain" else None
    if binding is None:
        return plain
    folder = default_folder()
    try:
        return Hyper(binding, regexes, plain, Cache(folder) if folder is not None else None)
    except Exception:  # in the binding's own words: what it cannot do here, the plain one can
        return plain


@lru_cache(maxsize=1)
def engine() -> Engine:
    """The rules of every parser in ``parsers/``."""
    return Engine(discover(parsers, "PARSER", Parser), fastest)
