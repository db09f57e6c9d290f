"""Progress by counting alone.

Lines alike but for their numbers, of which one grows from line to line while another, a fraction, changes (or a share rises and falls);
and bars that fill. Asked last, where neither patterns nor words that name a counter (``counting.py``) found a loop. Clocks, sizes and
shares of a machine are no progress.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import pairwise

from gpualert_slurm.classifier.lines import Line
from gpualert_slurm.classifier.pattern import Data
from gpualert_slurm.classifier.table import CARD_TIMED, DISTANCES, LOSS_WORDS
from gpualert_slurm.classifier.tongues import HELD_OUT

LEAST = 4
LEAST_OF_SHARES = 8
"""Where the only fraction is a share of something (of errors, say)."""
LEAST_OF_ONE, MOST_NAMES = 3, 3
"""Lines of each where several take turns; and among how many of a line's first numbers the one is that tells them apart."""
LEAST_FALLING = 10
"""Lines of one number alone that falls (an optimiser's residual), each told anew."""
MOST_COUNT = 1e9
"""A larger number is a time of day or an address."""
CLOCK = re.compile(
    r"\d{4}[-/]\d\d[-/]\d\d|\d\d[-/](?:\d\d|[A-Z][a-z]{2})[-/]\d{2,4}|\d\d[-/]\d\d(?=[ T]\d{1,2}:\d\d)"
    r"|\d{1,3}:\d\d(?::\d\d)?(?:\.\d{1,6}|,\d{1,6}(?![\d,]))?"
)
_BAR = re.compile(r"[█▉▊▋▌▍▎▏▇▆░▒▓━─╸╺#=*>.\- ]{2,}")
_FILLS = re.compile(r"[█▉▇━#=*>]{2}|\[[ .-]{4}")
_SHARE = re.compile(r"(?<![\d.])(\d{1,3}(?:\.\d{1,4})?)\s?%")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|(?<!\w)(?:nan|inf(?:inity)?)(?!\w))", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<![\w,.])\d{1,3}(?:,\d{3})+(?![\w,.])")
"""``12,800``; in a row of a table another comma follows."""
_UNIT = re.compile(
    r"\s?(?:s|ms|us|sec(?:onds?)?|m|min(?:utes?)?|h|hours?|[KMGT]i?B(?:/s)?|bytes|[°º]?C|W|Hz|it/s|\S{1,12}/s(?:ec)?)\b(?![\w/]{0,12}\s?[=:])"
    r"|\s?%"
)
"""What stands behind a number and is not the name of the next one (``nll=4.17 tok/s/gpu=19300``)."""
_MACHINE = re.compile(
    rf"\b(?:cpu|mem(?:ory)?|{CARD_TIMED}|util\w*|temp(?:erature)?|disk|uptime|power|rss|free|used|usage|elapsed|heartbeat|alive|sleep\w*|idle|ping"
    r"|tokeni[sz]\w*|features?|columns?|blocks?|weights?|nvidia|driver|bins?|buckets?|quantiles?|degree|freq\w*)\b",
    re.IGNORECASE,
)
LOWERED = re.compile(
    rf"(?<![\w/.-])(?:{LOSS_WORDS}|{DISTANCES}|error)(?![A-Za-z])['\"]?\s?[:=]?\s{{0,3}}\d{{1,6}}\.\d{{2,}}(?![\w%.])", re.IGNORECASE
)
"""A fraction that training lowers, by its name: what tells it is a loop that learns, whatever else its lines speak of."""

_LOSS = re.compile(
    rf"(?<![\w/.-])(?:{LOSS_WORDS})(?![A-Za-z])['\"]?\s?[:=]?\s{{0,3}}(?P<value>-?\d{{1,9}}\.\d{{1,9}}(?:e[-+]?\d{{1,3}})?|nan|inf)(?![\w%.])",
    re.IGNORECASE,
)
_OF_HELD_OUT = re.compile(rf"\b(?:{HELD_OUT}|test)\W{{0,3}}\Z", re.IGNORECASE)
_PROCESS = re.compile(r"\b(?:p?pid|tid|port|seed)['\"]?\s?[=:]?\s?\Z", re.IGNORECASE)
"""What stands before a number that tells one process from another."""
MOST_NAME = 12
_RESIDUAL = re.compile(r"residu|violation|\berr(?:or)?\b|norm\b|\bgap\b|objective|\bcost|delta|change|diff|converg|criterion", re.IGNORECASE)
"""What an optimiser brings down, by the names it has."""

Row = tuple[Line, Data]
Arrival = Callable[[int], "tuple[int, int] | None"]


class Growing:
    """Lines by template, with their numbers."""

    def __init__(self) -> None:
        self._kinds: dict[str, list[tuple[Line, list[str]]]] = {}
        self._bars: dict[str, list[tuple[Line, float]]] = {}
        self._single: dict[str, list[tuple[Line, float]]] = {}

    def take(self, line: Line) -> None:
        """The next line that says nothing to those who know words."""
        text = _THOUSANDS.sub(lambda found: found[0].replace(",", ""), CLOCK.sub("", line.text))
        share = _SHARE.search(text)
        if share is not None and _FILLS.search(text):
            self._bars.setdefault(re.sub(r"[\d.,:]+", "#", _BAR.sub(" ", text[: share.start()])).strip(), []).append((line, float(share[1])))
            return
        if _MACHINE.search(text) and not LOWERED.search(text):
            return
        found = list(_NUMBER.finditer(text))
        if len(found) == 1 and "." in found[0][0] and (value := _value(text, found[0])) and value[-1] != "%" and _RESIDUAL.search(text):
            self._single.setdefault(_NUMBER.sub("#", text).strip(), []).append((line, float(value)))
        if 2 <= len(found) <= 24:
            kind = re.sub(r"\s+", " ", _NUMBER.sub("#", text)).strip()
            self._kinds.setdefault(kind, []).append((line, [_value(text, n) for n in found]))

    def rows(self, when: Arrival) -> Iterable[Row]:
        """Those of kinds that grow."""
        for lines in self._kinds.values():
            if len(lines) >= LEAST and _apart([line for line, _ in lines], when) and (at := _counter([numbers for _, numbers in lines])) is not None:
                for line, numbers in lines:
                    step = {"step": int(float(numbers[at]))} if numbers[at][-1] != "%" and float(numbers[at]) >= 0 else {}
                    yield line, {"coarse": True, **step, **_loss(line.text)}
            elif len(lines) >= LEAST_OF_SHARES and _apart([line for line, _ in lines], when) and _by_turns([numbers for _, numbers in lines]):
                for line, _ in lines:
                    yield line, {"coarse": True}
        for bar in self._bars.values():
            shares = [share for _, share in bar]
            if len(bar) >= LEAST and shares == sorted(shares) and shares[-1] > shares[0] and _apart([line for line, _ in bar], when):
                for line, _ in bar:
                    yield line, {"coarse": True}
        for single in self._single.values():
            if len(single) >= LEAST_FALLING and _falls([value for _, value in single]):
                for line, _ in single:
                    yield line, {"coarse": True}


def _loss(text: str) -> dict[str, float]:
    """What training lowers, by its name, unless it is of held-out data."""
    found = _LOSS.search(text)
    if found is None or _OF_HELD_OUT.search(text, max(0, found.start() - MOST_NAME), found.start()):
        return {}
    return {"loss": float(found["value"])}


def _by_turns(rows: list[list[str]]) -> bool:
    """Whether they are lines of a few (ranks, parts of the data), by a whole number that comes again and again, and grow among each one's own."""
    for at in range(min(len(rows[0]), MOST_NAMES)):
        groups: dict[str, list[list[str]]] = {}
        for row in rows:
            groups.setdefault(row[at], []).append(row)
        known = all(re.fullmatch(r"\d{1,5}", name) for name in groups) and 1 < len(groups) <= len(rows) // LEAST
        if known and all(len(own) >= LEAST_OF_ONE and _counter(own) not in {None, at} for own in groups.values()):
            return True
    return False


def _falls(values: list[float]) -> bool:
    downs = sum(b < a for a, b in pairwise(values))
    return 0 < values[-1] < values[0] / 2 and downs >= 0.9 * (len(values) - 1)


def _value(text: str, found: re.Match[str]) -> str:
    """The number; with ``%`` where it is a share, empty where it is a size, a time or a process."""
    if _PROCESS.search(text, max(0, found.start() - MOST_NAME), found.start()):
        return ""
    unit = _UNIT.match(text, found.end())
    return found[0] if unit is None else f"{found[0]}%" if unit[0].strip() == "%" else ""


def _apart(lines: list[Line], when: Arrival) -> bool:
    """Whether they came one by one, where that is known."""
    known = [time[0] for line in lines if (time := when(line.offset)) is not None]
    return len(known) < len(lines) or len(set(known)) >= max(3, len(known) // 4)


def _counter(rows: list[list[str]]) -> int | None:
    """Which number grows in every line, where another is a fraction that changes."""
    width = len(rows[0])
    for at in range(width):
        column = [row[at] for row in rows]
        if not all(column):
            continue
        values = [float(v.rstrip("%")) for v in column]
        grows = all(a < b for a, b in pairwise(values)) and values[-1] < MOST_COUNT
        if grows and any(_changes(rows, other) or (len(rows) >= LEAST_OF_SHARES and _wanders(rows, other)) for other in range(width) if other != at):
            return at
    return None


def _wanders(rows: list[list[str]], at: int) -> bool:
    """Whether a share changes from line to line and falls at times: one that only rises says how much of something is done."""
    column = [row[at] for row in rows]
    if not all(re.search(r"\.\d+%\Z", v) for v in column) or len(set(column)) <= len(column) // 2:
        return False
    shares = [float(v[:-1]) for v in column]
    return any(b < a for a, b in pairwise(shares))


def _changes(rows: list[list[str]], at: int) -> bool:
    column = [row[at] for row in rows]
    return all(re.search(r"[.einEIN]", v) and v[-1] != "%" for v in column) and len(set(column)) > len(column) // 2
