"""What a parser is made of: patterns for single lines and collectors for stories of several lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.lines import Line
from gpualert_slurm.evidence import Role

Data = dict[str, str | int | float | bool]
MAX_TEXT = 400
"""Characters of a message kept in ``data``; the quote holds the whole line."""


@dataclass(frozen=True)
class Match:
    """What one line (or the telling line of several) says. Becomes an Evidence when it is kept."""

    says: str
    role: Role
    line: Line
    pattern: str
    cause: Cause | None = None
    detail: str | None = None
    data: Data = field(default_factory=dict)


Reader = Callable[["re.Match[str]", Match], "Match | None"]
"""Refines a match from its groups; None says that it was none after all."""


@dataclass(frozen=True)
class Pattern:
    """One kind of line.

    ``regex`` is searched in the cleaned line (``re``, no nested repeats: a test feeds every pattern hostile lines).
    At least one of ``literals`` stands verbatim in every line the regex can match: they are the prefilter. ``samples``
    must match and ``near_misses`` must not; both are required, and one test runs over all parsers.
    """

    name: str
    says: str
    role: Role
    regex: str
    literals: tuple[str, ...]
    samples: tuple[str, ...]
    near_misses: tuple[str, ...]
    cause: Cause | None = None
    detail: str | None = None
    read: Reader | None = None
    part: str = ""
    """A regex that matches in every line that ``regex`` does: lines are nominated by it, where what is derived from ``regex`` is slow to look for."""
    alone: bool = False
    """Not tried on lines that belong to a story (a bare exception line, when it is not the end of a traceback)."""
    general: bool = False
    """Yields to any other pattern of the same word on the same line (a plain ``loss 2.3`` to a framework's own format)."""

    @property
    def nominated_by(self) -> str:
        """What the nominator is given."""
        return self.part or self.regex

    def match(self, line: Line, compiled: re.Pattern[str], full_name: str) -> Match | None:
        """The match of this pattern on ``line``, or None."""
        found = compiled.search(line.text)
        if found is None:
            return None
        plain = Match(self.says, self.role, line, full_name, self.cause, self.detail, groups(found))
        return plain if self.read is None else self.read(found, plain)


class Collector(Protocol):
    """Reads a story of several lines of one writer, begun by its opening line."""

    def take(self, line: Line) -> bool:
        """Feed the next line of the same writer; False when the story is over (the line is not consumed)."""
        ...

    def close(self) -> list[Match]:
        """What the story said."""
        ...


@dataclass(frozen=True)
class Story:
    """Opens a collector where ``opens`` matches; ``literals`` as in Pattern. ``samples`` are whole stories."""

    name: str
    opens: str
    literals: tuple[str, ...]
    collect: Callable[[Line, str], Collector]
    samples: tuple[str, ...]
    near_misses: tuple[str, ...]


@dataclass(frozen=True)
class Parser:
    """All that is known of one program's output. ``parsers/<program>.py`` defines one as ``PARSER``.

    ``exceptions`` are asked in order for what an exception's message means, after the words of hardware and GPU memory.
    """

    program: str
    patterns: tuple[Pattern, ...] = ()
    stories: tuple[Story, ...] = ()
    exceptions: tuple[ExceptionRule, ...] = ()


def groups(found: re.Match[str]) -> Data:
    """The named groups that took part, cut to a bound; a whole number becomes one."""
    data: Data = {}
    for name, value in found.groupdict().items():
        if value is not None:
            cut = value[:MAX_TEXT].strip()
            data[name] = int(cut) if cut.isascii() and cut.isdigit() and len(cut) < 16 else cut
    return data


def refined(match: Match, **changes: object) -> Match:
    """A copy with other fields; ``data`` given here is added to what is there."""
    more = changes.pop("data", None)
    if isinstance(more, dict):
        changes["data"] = {**match.data, **more}
    return replace(match, **changes)  # type: ignore[arg-type]
