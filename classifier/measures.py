"""What a run counts and what it measures, by how the numbers behave and by no name: tables, YAML, prose, decibels, any tongue.

Lines alike but for their numbers are rows; the place of a number in them is a series. One that goes up by the same whole step is what the run
counts by. Fractions that are told as often, and are no clock, no rate and no setting, are what it measures. A record may be told over
several lines: each is a row of its own kind, told as often as the counter's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gpualert_slurm.classifier.growing import CLOCK
from gpualert_slurm.classifier.numbers import pointed
from gpualert_slurm.classifier.table import DISTANCES, LOSS_WORDS
from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.job_record import JobRecord

LEAST, LEAST_BEFORE = 5, 3
MOST_LINES, MOST_LINE, MOST_TEXT, MOST_NUMBERS = 4000, 300, 128 * 1024, 16
STRAIGHT = 0.02
"""Steps of a clock differ by no more than this of their mean."""
_NUMBER = re.compile(
    r"((?<![\w.])[-+]?(?:\d{1,60}(?:\.\d{0,20})?(?:e[-+]?\d{1,3})?|(?:nan|inf(?:inity)?)(?![A-Za-z_]))"
    r"|(?:(?<=(?<![\w.])[a-z])|(?<=(?<![\w.])[a-z]{2}))\d{1,6}(?![\w.]))(?![\d.]*\d)",
    re.IGNORECASE,
)
"""Also behind a letter or two: ``e01``, ``it40``."""
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,16}[A-Za-z]")
_BAR = re.compile(r"\|[ █▉▊▋▌▍▎▏▕▇▆░▒▓━·#]{1,200}\||[█▉▊▋▌▍▎▏▕▇▆░▒▓━·]+")
_NAME = re.compile(r"([^\W\d_][\w ./@+|'-]{0,40}?)[^\w]{0,12}\Z")
MOST_NAMED = 53
"""The characters of the longest that ``_NAME`` finds."""
_NO_MEASURE = re.compile(
    r"(?:\b|_)(?:lr|learning[ _]?rate|rate|alpha|eta|eps(?:ilon)?|sigma|temp(?:erature)?|beta|gamma|decay|scale|time|sec(?:s|onds?)?|elapsed|took"
    r"|wall|dt|t|ms|s|mem(?:ory)?|mib|gib|mb|gb|size|bytes|cpu|gpu|util|load|seed|pid|norm|gnorm|grad(?:ient)?s?|gn|ups|throughput|speed|ips|share|weights?|best|min|max|prev|peak"
    r"|seen|count|steps?|epochs?|it|utt|hours?|pas|taux|tasa|ts|progress|done)(?:\b|_|\Z)|\|g\||/s\b|%\|",
    re.IGNORECASE,
)
"""Names of what is set, timed or merely counted."""
_A_LOSS = re.compile(
    rf"(?<![A-Za-z])(?:eps(?:ilon)?|noise|weights?|scale|norm|t|[vx])[ _.-](?:{LOSS_WORDS}|{DISTANCES})\Z",
    re.IGNORECASE,
)
"""A loss of what such a name is of: ``eps-mse``."""
_PREPARES = re.compile(
    r"load|read|file|shard|part|chunk|row|fold|trial|stage|phase|prepar|index|token|build|cach|copy|download|fetch|unpack|scan|check|worker|rank|proc|node|wait|try"
    r"|attempt|retr|class|layer|image|sample",
    re.IGNORECASE,
)
"""What is counted before anything is learned."""
_FLAG = re.compile(
    r"(?:[\s|,;│┃]{0,8}(?:[*+!^<>~✓✔★☆↓↑←-]{1,5}|[(\[]?(?:new )?(?:best|improved|saved|neu|bester?)(?: (?:so far|yet|model|score))?[)\]]?)){1,2}"
    r"[\s|.│┃]{0,8}\Z|[\s|│┃]{1,8}\Z",
    re.IGNORECASE,
)
"""What marks one row among others, behind its last number: ``*``, ``<- best``."""
_UNIT = re.compile(r"\s?(?:s|ms|sec(?:onds?)?|sn|se[gk]|мс|сек|с|秒|毫秒|min|dk|h|MiB|GiB|MB|GB|KB|kB|it/s|\S{1,12}/s|W|C|°C)\b(?!\s?=)")
"""Not the next number's name: ``0.41 it/s=3.1``."""


_GLUED = re.compile(r"\A(?![KMGTkmgt]?i?B\b)[^\W\d_]{1,2}(?=[\s|,;)\]])")
"""A unit that stands right behind the number before: ``4k | 3.64``, ``0.4s loss 2.1``."""
_TIME = re.compile(r"time|date|clock|stamp|zeit|uhr|heure|hora|\bts\b|\bt\b", re.IGNORECASE)
"""The name of a table's first column, which is a clock's and no number's."""


@dataclass(frozen=True)
class Counter:
    """The counts from the first line to the last, the word before them, and how many there were to be (None: not told)."""

    counts: tuple[int, ...]
    word: str
    planned: int | None

    @property
    def from_the_first(self) -> bool:
        """Whether it begins with the first one, or with the first of those that are told."""
        return begins_first(self.counts)


@dataclass(frozen=True)
class Measure:
    """A fraction that was told with each count, and the word before it."""

    name: str
    values: tuple[float, ...]
    straight: bool
    """Whether it goes up by the same each time, as a clock does."""
    percent: bool
    digits: int
    """Of the longest of its numbers, those that say something."""

    @property
    def called(self) -> str:
        """Its name, for people."""
        return self.name or "what its lines measure"

    @property
    def finite(self) -> list[float]:
        """Those that are numbers."""
        return [v for v in self.values if math.isfinite(v)]


@dataclass(frozen=True)
class Measured:
    """What one log counts by, and what it measures."""

    counter: Counter
    measures: tuple[Measure, ...]
    line: str = ""
    """The first of the lines that count."""


@dataclass
class Series:
    """One place for a number in lines alike but for their numbers: the word before it, what stood there, what follows, and the lines' places."""

    name: str
    texts: list[str]
    behind: str
    at: list[int]

    def values(self) -> list[float]:
        """Them as numbers."""
        return [float(text) for text in self.texts]


def begins_first(counts: Sequence[int]) -> bool:
    """Whether counts begin with the first one, or with the first of those that are told (20 of every 20th)."""
    return counts[0] <= max(1, next((b - a for a, b in pairwise(counts) if b > a), 1))


def measured(job: JobRecord) -> Measured | None:
    """The log of the longest count that is told beside a measure; None where there is none."""
    best: Measured | None = None
    for one in (x for report in job.reports for x in report.excerpts):
        found = of_lines(one.text[:MOST_TEXT].splitlines()[:MOST_LINES])
        if found is not None and (best is None or len(found.counter.counts) > len(best.counter.counts)):
            best = found
    return best


def counted_before(job: JobRecord, error: Evidence) -> int | None:
    """How far the log of ``error``, else another of the same step, had counted before it, in at least LEAST_BEFORE lines that measure something.

    None where it had not. Where ``error`` ended the run, what another rank or the other stream of its own had counted was counted before it.
    """
    if not isinstance(error.source, Quote) or error.attempt is not None:
        return None
    own = error.source.file
    excerpts = [x for report in job.reports for x in report.excerpts if _step_of(x.path) == _step_of(own)]
    for one in sorted(excerpts, key=lambda excerpt: excerpt.path != own):
        lines = one.text[:MOST_TEXT].partition("Traceback (most recent call last)")[0].splitlines()[:MOST_LINES]
        found = of_lines(lines, LEAST_BEFORE)
        if found is not None and found.counter.from_the_first and _PREPARES.search(found.counter.word) is None:
            return found.counter.counts[-1]
    return None


def _step_of(path: str) -> str:
    """Of a rank's log (doc/formats/rank-log.md); all of them of one step carry it, on every node."""
    return path.rpartition("/")[2].partition(".")[0]


def of_lines(lines: Sequence[str], least: int = LEAST) -> Measured | None:
    """The same of lines, of which ``least`` are alike."""
    series = series_of(lines, least)
    return _measured(lines, series) or _measured(lines, _last_round(series, least))


def _last_round(series: Mapping[tuple[str, ...], list[Series]], least: int) -> dict[tuple[str, ...], list[Series]]:
    """The rows since a count last began anew (with a fold, a trial, a pass), of lines in which one does."""
    found = {}
    for key, group in series.items():
        begins = [max((at for at, text in enumerate(one.texts) if text == one.texts[0]), default=0) for one in group if one.texts[0] in {"0", "1"}]
        begin = max((at for at in begins if 0 < at <= len(group[0].texts) - least), default=0)
        if begin:
            found[key] = [Series(one.name, one.texts[begin:], one.behind, one.at[begin:]) for one in group]
    return found


def _measured(lines: Sequence[str], series: Mapping[tuple[str, ...], list[Series]]) -> Measured | None:
    places = [(key, at) for key, group in series.items() for at in range(len(group))]
    counters = [(key, c, series[key][at].at[0]) for key, at in places if (c := _counter(series[key], at)) is not None]
    for key, counter, first in sorted(counters, key=lambda found: (-len(found[1].counts), not found[1].word)):
        rows = len(counter.counts)
        own = [m for one in series[key] if (m := measure_of(one)) is not None]
        others = [group for other, group in series.items() if other != key and abs(len(group[0].texts) - rows) <= 1]
        beside = [m for group in others for one in group if (m := measure_of(one)) is not None]
        if own or beside:
            return Measured(counter, tuple(own or beside), lines[first])
    return None


def series_of(lines: Sequence[str], least: int) -> dict[tuple[str, ...], list[Series]]:
    """The numbers of lines of which ``least`` are alike but for their numbers, by what is between these."""
    kinds: dict[tuple[str, ...], list[tuple[int, list[str]]]] = {}
    header: dict[int, list[str]] = {}
    for at, line in enumerate(lines):
        if not line or len(line) > MOST_LINE or line.startswith(("Traceback", "  File ", "#gpualert")):
            continue
        text = _BAR.sub("|", pointed(CLOCK.sub("", line) if ":" in line else line))
        text = _COLOUR.sub("", text) if "\x1b" in text else text
        parts = _NUMBER.split(text)
        if not 3 <= len(parts) <= 2 * MOST_NUMBERS + 1:
            if len(parts) == 1:
                for names in _header(line):
                    header.setdefault(len(names), names)
            continue
        parts[-1] = _FLAG.sub("", parts[-1])
        kinds.setdefault(tuple(" ".join(part.split()) for part in parts[::2]), []).append((at, parts))
    found: dict[tuple[str, ...], list[Series]] = {}
    single = {key[:-1]: rows[0] for key, rows in kinds.items() if len(rows) == 1}
    for key, rows in kinds.items():
        if len(rows) < least:
            continue
        before = [_GLUED.sub("", part) if place else part for place, part in enumerate(rows[0][1][:-1:2])]
        ends = [_NAME.search(part, max(0, len(part) - MOST_NAMED)) for part in before]
        names = [end[1].rpartition("|")[2].strip().replace("'s", "") if end else "" for end in ends]
        if not any(names):
            timed = header.get(len(names) + 1, [""])
            of_all = header.get(len(names) - 1) if key[1] == "/" else None  # the first cell has the count, and how many there are to be
            names = header.get(len(names)) or (timed[1:] if _TIME.search(timed[0]) else [of_all[0], *of_all] if of_all else names)
        found[key] = []
        for place, name in enumerate(names):
            told = [*_shorter(key, place, rows[0][0], single), *rows]
            found[key].append(Series(name, [row[2 * place + 1] for _, row in told], key[place + 1], [at for at, _ in told]))
    return found


def _header(line: str) -> list[list[str]]:
    """The names of a table's columns, as its signs part them, and as its blanks do."""
    bare = line.strip(" |│┃\t,;#")
    ways = (re.split(r"[|│┃;,\t]", bare), re.split(r"[\s,;|│┃\t]+", bare))
    told = ([name for one in way if (name := one.strip())] for way in ways)
    return [names for names in told if len(names) > 1]


def _shorter(key: tuple[str, ...], place: int, before: int, single: Mapping[tuple[str, ...], tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    """The one line that begins like the others and has not yet all that they tell (a gain, a rate)."""
    found = (single.get(key[:count]) for count in range(place + 1, len(key) - 1))
    return [row for row in found if row is not None and row[0] < before][:1]


def _counter(group: Sequence[Series], at: int) -> Counter | None:
    one = group[at]
    if one.behind.startswith("%") or any("." in text or "n" in text.lower() for text in one.texts):
        return None
    counts = [int(text.partition("e")[0]) for text in one.texts]
    steps = {b - a for a, b in pairwise(counts[:-1])}
    if len(steps) == 2 and counts[0] == 1 and counts[1] - counts[0] + 1 in steps:
        steps = {b - a for a, b in pairwise(counts[1:-1])}  # 1, 40, 80
    if len(steps) == 2 and min(steps) > 0 and max(steps) % min(steps) == 0 and sum(b - a == max(steps) for a, b in pairwise(counts)) == 1:
        steps = {min(steps)}  # what lies between head and tail is not here
    if len(steps) != 1 or min(steps) < 1 or counts[-1] <= counts[-2] or counts[0] < 0:
        return None
    behind = group[at + 1] if at + 1 < len(group) else None
    planned = None
    if behind is not None and len(set(behind.texts)) == 1 and behind.texts[0].isdigit() and int(behind.texts[0]) >= counts[-1]:
        planned = int(behind.texts[0])
    return Counter(tuple(counts), one.name, planned)


def measure_of(one: Series) -> Measure | None:
    """Fractions that are no clock, no rate and no setting."""
    set_or_timed = _NO_MEASURE.search(one.name) is not None and _A_LOSS.search(one.name) is None
    if set_or_timed or _UNIT.match(one.behind) or not any("." in text or "n" in text.lower() for text in one.texts):
        return None
    values = one.values()
    finite = [v for v in values if math.isfinite(v)]
    ups = [b - a for a, b in pairwise(finite)]
    straight = len(finite) >= LEAST and min(ups) > 0 and max(ups) - min(ups) <= STRAIGHT * (sum(ups) / len(ups))
    if straight and not one.name:
        return None  # a clock
    return Measure(one.name, tuple(values), straight, one.behind.startswith("%"), max(len(text.strip("-+0.").replace(".", "")) for text in one.texts))
