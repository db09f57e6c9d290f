"""Where a run says that its time went: ``wall 41 s: compute 9.8 s, saving 29.7 s``, ``load 2.6s train 0.4s``, ``ckpt_time 61%``.

Names with times, or shares, on one line are set against each other: what went into saving, into waiting for data, into what the ranks exchange,
into the work itself. A line that sums up is believed by itself; of lines of progress the middle one is, and there must be several. A column of
such times alone is set against the time between two lines. An average says nothing of how often it came, unless it says that it is of every step.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from gpualert_slurm.classifier.accounts import worth_telling
from gpualert_slurm.classifier.columns import columns
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.line_times import parts_of
from gpualert_slurm.classifier.starvation import of_time
from gpualert_slurm.classifier.time_kinds import OF_MACHINE, REST, WHOLE, WORK
from gpualert_slurm.classifier.told_shares import seconds, so_far, told_share
from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.job_record import JobRecord

LEAST_LINES = 5
MOST_LINE, MOST_TEXT, MOST_ROWS = 400, 16 * 1024, 12
LEAST_TOLD, MOST_LINES_TEXT = 4, 64 * 1024
"""Lines that tell of their own piece of time each, at least; letters of a log in which they are looked for."""
LEAST_WHOLE_S = 1.0
"""Sums of less are of a moment."""
_SAVES = (
    r"sav(?:e|es|ed|ing)|ckpts?|check-?point(?:s|ing)?|snap-?shots?|persist(?:ing)?|serializ(?:e|ing)|dump(?:s|ing)?|sichern|speichern"
    r"|sauvegardes?|guardar|guardado|salvataggi?o?"
)
_LOADS = (
    r"load(?:ing|er)?|data(?:[ _-]?(?:load(?:ing|er)?|wait))?|fetch(?:ing)?|input(?:[ _-]wait)?|batch[ _-]?(?:load|wait)(?:ing)?"
    r"|read(?:ing)?|laden"
    r"|chargement|wait(?:ing|ed)?"
)
_TALKS = (
    r"all[-_ ]?(?:reduce|gather|to[-_ ]?all)|reduce[-_ ]?scatter|(?:gradient|grad|weight|param(?:eter)?)s?[-_ ]?(?:exchange|sync|reduction)"
    r"|exchange"
    r"|comm(?:unication|s)?|collectives?|nccl"
)
_WORKS = (
    r"train(?:ing)?|comput(?:e|ing)|forward|backward|fwd(?:[ _+/]?bwd)?|bwd|model|gpu|opt(?:im(?:izer)?)?|grad(?:ient)?s?|rechnen|calcul"
    r"|fit(?:ting)?|updat(?:e|ing)"
)
_REST = r"other|rest|eval(?:uation)?|val(?:idation)?|idle|misc|setup|init|logging"
_WHOLE = r"wall(?:[ _-]?(?:time|clock))?|totale?|Gesamtzeit|elapsed|overall|gesamt|iter|step|batch|time|sec"
_SUFFIX = r"(?P<suffix>(?:[_ ](?:time|secs?|seconds|took|share|phase|wait|s|ms|pct)){0,2})"
_NAMED = re.compile(
    rf"(?<![A-Za-z])(?P<name>{_SAVES}|{_LOADS}|{_TALKS}|{_WORKS}|{_REST}|{_WHOLE}){_SUFFIX}['\"]?(?:\s?[:=]\s?['\"]?|\s{{1,8}})"
    r"(?P<value>\d{1,7}(?:\.\d{1,6})?)\s?(?P<unit>ms|milliseconds|secs?|seconds?|s|min(?:utes)?|hours?|h|%)?(?![\w/.=])",
    re.IGNORECASE,
)
_REVERSED = re.compile(
    rf"(?<![\w.])(?P<value>\d{{1,7}}(?:\.\d{{1,6}})?)\s?(?P<unit>ms|milliseconds|secs?|seconds?|s|min(?:utes)?|hours?|h|%)"
    rf" (?:of |in |for |on |by |to |was |were |is |are |went |goes |into |spent |lost |gone )*"
    rf"(?P<name>{_SAVES}|{_LOADS}|{_TALKS}|{_WORKS}|{_REST}|in all|{_WHOLE})(?P<suffix>)(?![A-Za-z])",
    re.IGNORECASE,
)
"""``31.2 s training, 140.9 s checkpointing``."""
_COMMA = re.compile(r"(?<![\d.,])(\d{1,7}),(\d{1,2})(?=\s?(?:s|secs?|min|h|Sekunden|secondes|segundos)\b)")
"""A decimal comma, of a time."""
_ROW = re.compile(
    rf"\W{{0,8}}(?P<name>{_SAVES}|{_LOADS}|{_TALKS}|{_WORKS}|{_REST}"
    rf"|{_WHOLE}){_SUFFIX}\W{{1,40}}(?P<value>\d{{1,7}}(?:\.\d{{1,6}})?)\s?(?P<unit>s|secs?|seconds?|ms|min)?"
    r"(?:\W{1,20}\d{1,3}(?:\.\d{1,4})?\s?%)?\W{0,8}\Z",
    re.IGNORECASE,
)
"""One of a table's rows: a name and a time."""
_BEHIND = re.compile(r"\d\s?(?:%|ms|s|secs?|seconds?|min)\s{1,4}\Z", re.IGNORECASE)
"""Where the name of the number before ends: ``93% train 5% rest``; but ``gpu 97% loader queue`` tells nothing of a loader."""
_UNITS = re.compile(r"\s?\((s|ms|secs?)\)\s*\Z", re.IGNORECASE)
_COLUMN = re.compile(rf"(?P<before>(?:t|dt|time|secs?|seconds)[_ ])?(?P<name>{_SAVES}|{_LOADS}){_SUFFIX}\Z", re.IGNORECASE)
_WORDS = {"save": _SAVES, "load": _LOADS, "talk": _TALKS, "work": _WORKS, "rest": _REST}
_KINDS = tuple((kind, re.compile(words, re.IGNORECASE)) for kind, words in _WORDS.items())
_FOR_OTHERS = re.compile(
    r"\b(?:barrier|peers?|others?|ranks?|sync\w{0,10})[ _-]wait\w{0,3}"
    r"|\bwait\w{0,3}[ _](?:for|on)[ _](?:the[ _])?(?:other|peer|rank|slow|all\b|barrier|neighbou?r)",
    re.IGNORECASE,
)
"""A wait that is no loader's."""
_AVERAGE = re.compile(r"\b(?:avg|average|mean|median|per|each|max|min|last|p\d\d)\b", re.IGNORECASE)
_EACH_STEP = re.compile(r"\b(?:every|each|per|last) (?:step|iteration|batch|update)\b", re.IGNORECASE)
_SECONDS = re.compile(r"time|sec|took|phase|wait|[_ ]s\b", re.IGNORECASE)


@dataclass(frozen=True)
class Spent:
    """The ``share`` of the time that went into one of these, by the run's own ``said``."""

    share: float
    said: str
    cites: tuple[Evidence, ...]
    whole_s: float | None = None
    """Of how many seconds, where it tells of all of them."""


def spent(facts: Facts, kind: str) -> Spent | None:
    """What the run tells of ``kind`` (``save``, ``load``, ``talk``): by its lines of progress, else by one that sums up; None: nothing."""
    marks = {m.source.text[:MOST_LINE]: m for m in facts.advance.marks if isinstance(m.source, Quote)}
    told = [(found[0], m) for text, m in marks.items() if (found := share_of(text, kind)) is not None]
    if len(told) >= LEAST_LINES and len(told) >= 0.8 * len(marks):
        return Spent(statistics.median(share for share, _ in told), _text(told[-1][1]), (told[-1][1],))
    if (of_lines := _by_column(facts, kind)) is not None or not marks:
        return of_lines
    if (table := _by_rows(facts, kind)) is not None:
        return table
    if (lines := _by_lines(facts, kind)) is not None:
        return lines
    lines_left = (line for line in _last_lines(facts.job) if line not in marks and not _of_another(line))
    summed = ((line, found) for line in lines_left if (found := share_of(line, kind)) is not None)
    line, last = next(summed, ("", None))
    of_one = _AVERAGE.search(line) is not None or any(part.each for part in parts_of(line))
    if last is None or (last[1] is not None and (last[1] < LEAST_WHOLE_S or not worth_telling(facts, last[1], of_one=of_one))):
        return None
    return Spent(last[0], line.strip(), facts.advance.marks[-1:])


def share_of(text: str, kind: str) -> tuple[float, float | None] | None:
    """The share of ``kind`` in what a line tells, and how many seconds it tells in all (None: it tells shares); None where it tells none."""
    text = _COMMA.sub(r"\1.\2", text[:MOST_LINE])
    return told_share(text, kind) or _by_names(text, kind)


def _of_another(line: str) -> bool:
    """Whether a line tells of an evaluation, a start or the like, and of no training."""
    kinds = {part.kind for part in parts_of(line)}
    return REST in kinds and not kinds & {WORK, WHOLE}


def _by_names(text: str, kind: str) -> tuple[float, float | None] | None:
    """The same where names with times stand beside each other."""
    if (_AVERAGE.search(text) and not _EACH_STEP.search(text)) or (kind == "load" and _FOR_OTHERS.search(text)):
        return None
    sums: dict[str, float] = {}
    named = list(_NAMED.finditer(text))
    bare = any(one["name"].lower() == "time" and "." in one["value"] and not one["unit"] for one in named)  # ``Time 2.05 (2.06) Data 1.80 (1.81)``
    taken = {one.start("value") for one in named if one["unit"] == "%" and _BEHIND.search(text[: one.start()]) is None}
    ways = (named, [one for one in _REVERSED.finditer(text) if one.start("value") not in taken])
    for found in next((way for way in ways if any(_kind(one["name"]) == kind for one in way)), []):
        suffix, unit, value = found["suffix"].lower(), (found["unit"] or "").lower(), float(found["value"])
        name = _kind(found["name"])
        if unit == "%" or suffix.endswith(("pct", "share")):
            timely = OF_MACHINE.search(text) is None and (suffix or text.count("%") > 1 or of_time(text))
            if name == kind and timely and (share := value if suffix.endswith("share") and not unit else value / 100) <= 1.0:
                return share, None
        elif unit or _SECONDS.search(suffix) or suffix.endswith("ms") or found["name"].lower() in {"time", "sec"} or (bare and name == kind):
            sums[name] = sums.get(name, 0.0) + value * seconds(unit or suffix.lstrip("_ "))
    whole = sums.pop("whole", 0.0)
    if kind not in sums or not (whole or len(sums) > 1):
        return None
    whole = max(whole, sum(sums.values()))
    return (sums[kind] / whole, whole) if whole > 0 else None


def _by_rows(facts: Facts, kind: str) -> Spent | None:
    """A table at a log's end: a name and a time on each of its lines."""
    for report in facts.job.reports:
        for one in report.excerpts:
            lines = (one.tail or one.head)[-MOST_TEXT:].splitlines()[-MOST_ROWS:]
            rows = [found for line in lines if len(line) <= MOST_LINE and (found := _ROW.match(line)) is not None]
            timed = any(row["unit"] or row["suffix"] for row in rows) or any(_SECONDS.search(line) for line in lines)
            sums: dict[str, float] = {}
            for row in rows:
                name = _kind(row["name"])
                sums[name] = sums.get(name, 0.0) + float(row["value"]) * seconds((row["unit"] or row["suffix"]).lower().lstrip("_ "))
            whole = max(sums.pop("whole", 0.0), sum(sums.values()))
            names = [row["name"].lower() for row in rows]
            if timed and kind in sums and "work" in sums and len(set(names)) == len(names) and whole >= LEAST_WHOLE_S:
                return Spent(sums[kind] / whole, next(row[0].strip() for row in rows if _kind(row["name"]) == kind), facts.advance.marks[-1:])
    return None


def _by_lines(facts: Facts, kind: str) -> Spent | None:
    """What lines of one log tell again and again, each of its own piece of time; of those that tell all so far, the last one counts."""
    for report in facts.job.reports:
        for one in report.excerpts:
            lines = [line for line in one.text[-MOST_LINES_TEXT:].splitlines() if len(line) <= MOST_LINE]
            told = [(found, line) for line in lines if (found := share_of(line, kind)) is not None]
            if len(told) < LEAST_TOLD:
                continue
            whole = [(found, line) for found, line in told if so_far(line)]
            if len(whole) == len(told) and all((a[1] or 0.0) <= (b[1] or 0.0) for (a, _), (b, _) in pairwise(whole)):
                (share, whole_s), line = whole[-1]
                if whole_s is None or whole_s < LEAST_WHOLE_S:
                    continue
                return Spent(share, line.strip(), facts.advance.marks[-1:], whole_s)
            share, line = statistics.median(found[0] for found, _ in told), told[-1][1]
            if all(found[1] is not None for found, _ in told) and not worth_telling(
                facts, sum(found[1] or 0.0 for found, _ in told), of_one=False
            ):
                continue
            return Spent(share, line.strip(), facts.advance.marks[-1:])
    return None


def _by_column(facts: Facts, kind: str) -> Spent | None:
    """A column of seconds of ``kind``, against the time between two lines."""
    between = facts.advance.interval_s
    for column in columns(facts.advance.marks, facts.job):
        named = _COLUMN.match(_UNITS.sub(r"_\1", column.name.strip()))
        if named is None or not (named["suffix"] or named["before"]) or _kind(named["name"]) != kind:
            continue
        if not between or len(column.values) < LEAST_LINES:
            continue
        values = [v * seconds(named["suffix"].lstrip("_ ")) for v in column.values]
        if all(a < b for a, b in pairwise(values)) or statistics.median(values) > 1.5 * between:  # a clock, or of something else
            continue
        return Spent(min(1.0, statistics.fmean(values) / between), _text(column.marks[-1]), column.marks[-1:])
    return None


def _kind(name: str) -> str:
    return next((kind for kind, regex in _KINDS if regex.fullmatch(name)), "whole")


def _text(mark: Evidence) -> str:
    return mark.source.text[:MOST_LINE].strip() if isinstance(mark.source, Quote) else ""


def _last_lines(job: JobRecord) -> Iterator[str]:
    """The last lines of each log that have a number, the last one first."""
    for report in job.reports:
        for one in report.excerpts:
            for line in reversed((one.tail or one.head)[-MOST_TEXT:].splitlines()):
                if len(line) <= MOST_LINE and any(char.isdigit() for char in line):
                    yield line
