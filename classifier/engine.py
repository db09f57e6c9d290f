"""All parsers' patterns matched together: the nominator proposes lines, ``re`` decides."""

from __future__ import annotations

import re
from functools import lru_cache

from gpualert_slurm.classifier import parsers
from gpualert_slurm.classifier.lines import Line, Speaker
from gpualert_slurm.classifier.nominate import Nominator
from gpualert_slurm.classifier.pattern import Collector, Match, Parser, Pattern, Story
from gpualert_slurm.discovery import discover

MAX_OPEN = 4096
MAX_STORY_LINES = 1000
"""Lines of its writer a story may take."""
MAX_IDLE_LINES = 5000
"""Lines of other writers after which an open story is given up."""


class Collectors:
    """The stories being read, one a writer at a time."""

    def __init__(self) -> None:
        self._by: dict[tuple[int | None, ...], Collector] = {}
        self._taken: dict[tuple[int | None, ...], int] = {}
        self._heard: dict[tuple[int | None, ...], int] = {}
        self._lines = 0
        self.took_line = False
        """Whether the line fed last belongs to a story."""

    @property
    def any(self) -> bool:
        """Whether a story is being read."""
        return bool(self._by)

    def begin(self, speaker: Speaker, collector: Collector) -> None:
        """A story begins; past MAX_OPEN writers it is not read."""
        if len(self._by) < MAX_OPEN:
            self._by[speaker.key] = collector
            self._taken[speaker.key], self._heard[speaker.key] = 0, self._lines

    def reads(self, speaker: Speaker) -> bool:
        """Whether this writer is in the middle of a story."""
        return speaker.key in self._by

    def take(self, line: Line) -> list[Match]:
        """Feed a line; the matches of every story that it ended."""
        self.took_line = False
        if not self._by:
            return []
        self._lines += 1
        key = line.speaker.key
        ended: list[Match] = []
        collector = self._by.get(key)
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
        return [match for key in list(self._by) for match in self._end(key)]

    def _end(self, key: tuple[int | None, ...]) -> list[Match]:
        collector = self._by.pop(key)
        del self._taken[key], self._heard[key]
        return collector.close()


class Engine:
    """The compiled rules of a set of parsers."""

    def __init__(self, found: dict[str, Parser]) -> None:
        self.patterns: list[tuple[str, Pattern, re.Pattern[str]]] = []
        self.stories: list[tuple[str, Story, re.Pattern[str]]] = []
        self.defects: set[str] = set()
        """Readers that failed on a line: for the gaps of the scan."""
        for module, parser in found.items():
            self.patterns += [(f"{module}.{p.name}", p, re.compile(p.regex)) for p in parser.patterns]
            self.stories += [(f"{module}.{s.name}", s, re.compile(s.opens)) for s in parser.stories]
        literals = [p.literals for _, p, _ in self.patterns] + [s.literals for _, s, _ in self.stories]
        self.nominator = Nominator(literals)

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

    def matches(self, line: Line, numbers: set[int], reading: Collectors) -> list[Match]:
        """What the nominated patterns say of the line; a line that opens a story begins one."""
        said: list[Match] = []
        general: list[Match] = []
        for number in sorted(numbers):
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


@lru_cache(maxsize=1)
def engine() -> Engine:
    """The rules of every parser in ``parsers/``."""
    return Engine(discover(parsers, "PARSER", Parser))
