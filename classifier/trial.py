"""One pattern tried on one log as the engine would: for whoever writes a parser."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from gpualert_slurm.classifier.engine import Engine, engine
from gpualert_slurm.classifier.expression import NotDerivableError, expression
from gpualert_slurm.classifier.hyper import Hyper, hyperscan
from gpualert_slurm.classifier.lines import Line, bare, blocks, clean, flat, newlines
from gpualert_slurm.classifier.nominate import Nominator, Plain, needed
from gpualert_slurm.classifier.page import placed
from gpualert_slurm.classifier.pattern import groups

MOST_PATTERN = 4000


class TrialError(Exception):
    """The pattern is none; the text says why."""


@dataclass(frozen=True)
class Hit:
    """A line that matches, its named and numbered groups, and the known patterns that match it too."""

    line: Line
    groups: dict[str, str | int | float | bool]
    known: tuple[tuple[str, str], ...]


class Trial:
    """A pattern, and what running it over a log showed. ``words`` are those of which one must stand in any match."""

    def __init__(self, pattern: str) -> None:
        """Take a regular expression, or a known pattern's name.

        Raises:
            TrialError: it is no regular expression of Python's, or too long.
        """
        self._engine: Engine = engine()
        by_name = {name: p.regex for name, p, _ in self._engine.patterns} | {name: s.opens for name, s, _ in self._engine.stories}
        self.regex = by_name.get(pattern, pattern)
        parts = dict(zip(by_name, self._engine.nominated_by, strict=True))
        self.part = parts.get(pattern, pattern)
        """What the nominator is given."""
        if len(self.regex) > MOST_PATTERN:
            raise TrialError(f"a pattern of more than {MOST_PATTERN} characters")
        try:
            self._compiled = re.compile(self.regex)
        except (re.error, RecursionError, OverflowError) as error:
            raise TrialError(f"no regular expression: {error}") from None
        self.words = needed(self.part, ())
        try:
            self.expression = expression(self.part)
        except NotDerivableError as error:
            self.expression = f"nothing, all lines are tried ({error})"
        self._nominator = self._made()
        self.tried = self.bytes_read = self.slowest_line = 0
        self.slowest_s = 0.0

    def _made(self) -> Nominator:
        plain = Plain([self.part], [()])
        binding = hyperscan()
        if binding is None:
            return plain
        try:
            return Hyper(binding, [self.part], plain)
        except Exception:  # in the binding's own words: what it cannot do here, the plain one can
            return plain

    def run(self, log: BinaryIO) -> Iterator[Hit]:
        """Every line that matches, in order."""
        number = 1
        for block in blocks(log):
            self.bytes_read += len(block.data) + block.cut
            data = flat(block.data)
            text = bare(data)
            nominated = self._nominator.lines(text)
            counted = 0
            for start, end, _ in nominated if len(text) == len(data) else placed(nominated, text, data, 0):
                number += newlines(block.data[counted:start])
                counted = start
                hit = self._try(clean(data[start:end], block.offset + start, number))
                if hit is not None:
                    yield hit
            number += newlines(block.data[counted:])

    def _try(self, line: Line) -> Hit | None:
        began = time.process_time()
        found = self._compiled.search(line.text)
        took = time.process_time() - began
        self.tried += 1
        if took > self.slowest_s:
            self.slowest_s, self.slowest_line = took, line.number
        if found is None:
            return None
        named = set(self._compiled.groupindex.values())
        numbered = {str(at): value for at, value in enumerate(found.groups(), 1) if value is not None and at not in named}
        known = [(name, pattern.says) for name, pattern, compiled in self._engine.patterns if compiled.search(line.text)]
        known += [(name, "several lines begin") for name, _, compiled in self._engine.stories if compiled.search(line.text)]
        return Hit(line, {**groups(found), **numbered}, tuple(known[:8]))
