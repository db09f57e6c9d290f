"""Which part of their time lines alike tell, by how their numbers stand to each other and to the clock, whatever their grammar.

The time between such lines is a whole that needs no word: a number of seconds which takes most of it, line after line, or numbers that add
up to it, are its parts. So is a time told in one of them that bounds the others. What grows from line to line, or within each pass, tells
all so far: its steps count. Lines that come together, one behind the other, are read as one. Only then the words nearest to the largest
part say of what kind it is; where they speak of what a batch is made of, and the work's own part is told beside it and small, that is enough.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from gpualert_slurm.classifier.growing import CLOCK
from gpualert_slurm.classifier.log_head import log_head
from gpualert_slurm.classifier.time_kinds import LOAD, NONE, REST, WAIT, WHOLE, WORK, behind_its_back, kind_of, made_of, plays

LEAST_LINES, MOST_LINE, MOST_COLUMNS, MOST_NAME = 6, 300, 14, 48
MOST_SPAN = 1.15
"""Of the clock, what a part or all of them take at most."""
LEAST_SUM = 0.75
"""Of the clock, what parts that have no unit add up to at least."""
STEADY = 0.5
MOST_WORK = 0.5
"""Of the whole, the work's own part beside what only its words make a batch's."""
_VALUE = re.compile(
    r"(?<![A-Za-z0-9_.,:/+<>≤≥-])(?P<value>\d{1,7}(?:[.,]\d{1,9})?)\s?(?P<unit>ms|msec|milliseconds|secs?|seconds?|sekunden|sek|segundos?|secondes?"
    r"|secondi|sn"
    r"|s|min|minutes?|мс|сек|с|毫秒|秒)?(?P<each>/(?:step|it|iter|batch|update)\b)?(?![\w°%]|\s?:\s?\d|[.,]\d|\s?%|\s?[kKMGT]?i?B\b|/\s?\w|:\d)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,16}m")
_IN_NAME = re.compile(r"(?:_|[ (\[.-])\(?(ms|s|secs?|seconds)[)\]]?\s{0,2}\Z|(?:\A|[\s'\"{,])(ms|secs?|seconds)_\w{1,30}\Z", re.IGNORECASE)
_NO_TIME = re.compile(
    r"loss|(?<![a-z])(?:acc|err|lr|mse|mae|auc|nll|ppl|eta|psnr|step|epoch)(?![a-z])|error|accuracy|iou|\brate|norm|rmse|reward|return"
    r"|score|perte|verlust"
    r"|p[eé]rdida|perdita|perda|strata|损失|損失|left|remain|restant|limit|timeout|max|worst|p\d\d",
    re.IGNORECASE,
)
_CUT = re.compile(r"[,;|()\[\]{}•·│┃、，；/+→]|\s-\s|\s[–—]\s|\.\s|\s{3,}|:\s(?=\S*[^\W\d])")
_ASIDE = re.compile(r"hidden|beside|meanwhile|background|prefetch(?:ed|ing)|overlap|while (?:the )?(?:gpu|model)|in parallel", re.IGNORECASE)

_LONG = re.compile(r"\d\s?(?:s|sec|seconds|min|minutes|h|hours) of (?:audio|speech|video|sound|footage|recordings?|music|film)\b", re.IGNORECASE)
"""How long what was heard or seen lasts."""


@dataclass(frozen=True)
class Share:
    """The ``share`` of ``whole_s`` seconds that ``said``, the last line, and those before it tell."""

    share: float
    whole_s: float
    said: str


@dataclass(frozen=True)
class _Column:
    """One number's seconds by line; ``ahead`` and ``behind`` are the words next to it."""

    seconds: tuple[float, ...]
    unit: bool
    ahead: str
    behind: str
    place: int
    of: bool = False
    """The next number is said to be the whole of it: its words stand behind that."""


def partition(texts: Iterator[str] | Sequence[str], span_s: float | None, steps: float, kinds: frozenset[str]) -> Iterator[Share]:
    """The shares of ``kinds`` in runs that advanced for ``span_s`` seconds, by lines ``steps`` steps apart."""
    if not span_s:
        return
    for text in texts:
        for rows in _groups(text.splitlines()):
            if len(rows) >= LEAST_LINES and (one := _of_rows(rows, span_s, steps, kinds)) is not None:
                yield one


def _groups(lines: Sequence[str]) -> Iterator[list[str]]:
    """Lines alike but for their numbers; and those that come together each time, joined."""
    told = [_bare(line) for line in lines if line.strip() and len(line) <= MOST_LINE]
    keys = [_NUMBER.sub("#", line) for line in told]
    groups: dict[str, list[str]] = {}
    for key, line in zip(keys, told, strict=True):
        groups.setdefault(key, []).append(line)
    yield from groups.values()
    pairs = Counter(pairwise(keys))
    for (first, second), count in pairs.most_common(4):
        if first != second and count >= LEAST_LINES and count >= 0.8 * max(len(groups[first]), len(groups[second])) and "#" in second:
            yield [f"{a} | {b}" for (a, b), both in zip(pairwise(told), pairwise(keys), strict=True) if both == (first, second)]


def _bare(line: str) -> str:
    text = _COLOUR.sub("", line)
    return CLOCK.sub(" ", text[len(log_head(text)) :]).strip()


_SAME_UNIT = re.compile(
    r"\b(?P<unit>ms|s|sec|seconds)\s?/\s?(?:step|it|iter|iteration|batch)\b|\btimes?\s?[/(\[]\s?(?P<all>ms|s|sec|seconds)\b", re.IGNORECASE
)
"""The unit of all numbers behind it."""
_OF = re.compile(r"\s{0,2}(?:out of|of|de|von|sur|di|da|из|van)(?: (?:the|its|a|last|these))?\s{1,2}\Z", re.IGNORECASE)
_PART_OF = re.compile(
    r"\b(?:of (?:them|which|it|that|these|those)|out of|lost|because|davon|dont|de ell[oa]s|di cui)\b|\d\s?(?:s|sec"
    r"|seconds)? of \d",
    re.IGNORECASE,
)


def _of_rows(rows: Sequence[str], span_s: float, steps: float, kinds: frozenset[str]) -> Share | None:
    last = rows[-1]
    if behind_its_back(last) or _ASIDE.search(last) or _LONG.search(last) or plays(last):
        return None
    clock = span_s / len(rows)
    found = list(_columns(rows, steps))
    together = sum(statistics.fmean(one.seconds) for one in found if one.unit)
    alone = len(found) == 1 and "%" in last  # one row of a table, which tells its share itself
    if steps > 1 and not alone and together < 0.3 * clock and LEAST_SUM * clock <= together * steps <= MOST_SPAN * clock:
        found = [replace(one, seconds=tuple(value * steps for value in one.seconds)) for one in found]  # they are of one step each
    if not found or (parts := _named(found)) is None:
        return None
    best: Share | None = None
    wholes = [
        one
        for one, kind, _ in parts
        if kind in {NONE, WHOLE, REST}
        and _is_whole(one, [other for other, what, _ in parts if other is not one and what not in {NONE, WHOLE}], clock)
    ]
    for column, kind, name in parts:
        if column in wholes:
            continue
        took = statistics.fmean(column.seconds)
        others = [(other, what) for other, what, _ in parts if other is not column]
        beside = [(statistics.fmean(other.seconds), what, other) for other, what in others if other not in wholes]
        work = sum(seconds for seconds, what, _ in beside if what == WORK)
        if not work and column.unit and len(beside) == 1 and beside[0][1] in {NONE, WHOLE} and beside[0][2].unit:
            work = beside[0][0] if 0.85 * clock <= took + beside[0][0] <= 1.08 * clock else 0.0  # what it is not is the rest
        exact = kind in kinds
        soft = LOAD in kinds and kind in {NONE, WHOLE, REST} and made_of(name)
        small = 0 < work <= MOST_WORK * clock and took + work <= 1.06 * clock
        if not exact and not (soft and (small or (bool(wholes) and _PART_OF.search(last) is not None))):
            continue
        if not column.unit and not (work > 0 and LEAST_SUM * clock <= took + sum(seconds for seconds, _, _ in beside) <= MOST_SPAN * clock):
            continue
        if took > MOST_SPAN * clock or (exact and not work and not _bounded(column, others, clock) and not _waits(kind, name)):
            continue
        share = min(1.0, took / clock)
        if best is None or share > best.share:
            best = Share(share, span_s, last)
    return best


def _is_whole(column: _Column, others: Sequence[_Column], clock: float) -> bool:
    """Whether a number is the time between two lines, and none of those beside it is longer, or it is their sum."""
    mean = statistics.fmean(column.seconds)
    if not others or not 0.6 * clock <= mean <= MOST_SPAN * clock or any(statistics.fmean(other.seconds) > 1.02 * mean for other in others):
        return False
    together = sum(statistics.fmean(other.seconds) for other in others)
    return 0.9 * clock <= mean or 0.93 * mean <= together <= 1.03 * mean


def lasts(line: str) -> bool:
    """Whether a line tells how long what was heard or seen lasts: that is no time that went."""
    return _LONG.search(line) is not None


def _waits(kind: str, name: str) -> bool:
    return kind == WAIT or re.search(r"wait|starv|idl|block|stall|empty|nothing", name, re.IGNORECASE) is not None


def _bounded(column: _Column, others: Sequence[tuple[_Column, str]], clock: float) -> bool:
    """Whether another number beside it is the whole: it bounds it on every line, and is as long as the time between two lines."""
    return any(
        0.7 * clock <= statistics.fmean(other.seconds) <= MOST_SPAN * clock
        and all(a <= 1.02 * b for a, b in zip(column.seconds, other.seconds, strict=True))
        for other, what in others
        if other.unit and what not in {WORK}
    )


def _named(columns: Sequence[_Column]) -> list[tuple[_Column, str, str]] | None:
    """Each column with its kind: its words stand before it or behind it, wherever more of the columns have telling ones."""
    ahead, behind = [kind_of(one.ahead) for one in columns], [kind_of(one.behind) for one in columns]
    telling = [sum(kind not in {NONE, WHOLE} for kind in kinds) for kinds in (ahead, behind)]
    swapped = telling[1] > telling[0]
    named = [(one, b if swapped else a, one.behind if swapped else one.ahead) for one, a, b in zip(columns, ahead, behind, strict=True)]
    for at, (one, kind, name) in enumerate(named):
        if kind in {NONE, WHOLE} and not made_of(name) and one.behind not in {other.ahead for other in columns} and (one.of or not one.ahead):
            named[at] = (one, behind[at], one.behind)  # ``1.5 s of 2.1 s lost to storage``
    kept = [(one, kind, name) for one, kind, name in named if _NO_TIME.search(name) is None or kind not in {NONE, WHOLE}]
    return kept or None


def _columns(rows: Sequence[str], steps: float) -> Iterator[_Column]:
    """The columns of times: those with a unit, and bare ones of fractions that no loss's or score's word names and that stay as they are."""
    found = [list(_VALUE.finditer(row)) for row in rows]
    width = len(found[-1])
    found = [one for one in found if len(one) == width]
    if len(found) < LEAST_LINES or width == 0:
        return
    last = rows[-1]
    shape = list(_VALUE.finditer(last))
    header = _SAME_UNIT.search(last)
    usual = (header["unit"] or header["all"]) if header is not None else None
    whole_of = {place for place in range(1, width) if _OF.fullmatch(last[shape[place - 1].end() : shape[place].start()])}
    for place in range(min(width, MOST_COLUMNS)):
        texts = [one[place]["value"] for one in found]
        at = shape[place]
        ahead = _ahead(last, shape, place)
        named = _IN_NAME.search(ahead.rstrip(" :='\""))
        unit = at["unit"] or (next((part for part in named.groups() if part), None) if named else None)
        unit = unit or (shape[place + 1]["unit"] if place + 1 in whole_of else None)
        if unit is None and usual and header is not None and at.start() > header.start():
            unit = usual
        if unit is None and not all("." in text or "," in text for text in texts):
            continue
        values = [float(text.replace(",", ".")) * _seconds(unit or "s") for text in texts]
        values = _steps_of(values)
        if at["each"] or (header is not None and header["unit"] and at.start() > header.start()):
            values = [value * steps for value in values]
        if len(values) < LEAST_LINES - 1 or statistics.fmean(values) <= 0:
            continue
        if unit is None and (_NO_TIME.search(ahead) or not _steady(values)):
            continue
        yield _Column(
            tuple(values[-(len(found) - 1) :]),
            unit is not None,
            "" if place in whole_of else ahead,
            "" if place in whole_of else _behind(last, shape, place + 1 if place + 1 in whole_of else place),
            place,
            place + 1 in whole_of,
        )


def _seconds(unit: str) -> float:
    low = unit.lower()
    return 0.001 if low.startswith(("ms", "mill", "мс", "毫")) else 60.0 if low.startswith("min") else 1.0


def _steps_of(values: Sequence[float]) -> list[float]:
    """What is added from line to line, where a column tells all so far, of the run or of a pass; else its numbers."""
    grows = [b >= a for a, b in pairwise(values)]
    falls = len(grows) - sum(grows)
    if falls > len(values) // 4 or (falls and min(values) * 2 > max(values)) or max(values) < 1.8 * min(values):
        return list(values[1:])
    return [b - a if b >= a else b for a, b in pairwise(values)]


def _steady(values: Sequence[float]) -> bool:
    third = max(1, len(values) // 3)
    first, last = statistics.median(values[:third]), statistics.median(values[-third:])
    return STEADY * max(first, last) <= min(first, last)


def _ahead(text: str, found: Sequence[re.Match[str]], at: int) -> str:
    begin = found[at - 1].end() if at else 0
    before = text[max(begin, found[at].start() - MOST_NAME) : found[at].start()]
    name = before.rstrip(" (:=~≈'\"|")
    cut = [sep.end() for sep in _CUT.finditer(name)]
    return (name[cut[-1] :] if cut else name).strip()


def _behind(text: str, found: Sequence[re.Match[str]], at: int) -> str:
    end = found[at + 1].start() if at + 1 < len(found) else len(text)
    behind = text[found[at].end() : min(end, found[at].end() + MOST_NAME)].lstrip(" ")
    cut = _CUT.search(behind, 1) if behind else None
    return (behind[: cut.start()] if cut is not None else behind).strip(" ()")
