"""A log that holds what an earlier run had come to, says that its state was not there, and tells the same learning all over again.

A script may run two stages behind each other, or show the last lines of yesterday's log before it begins: what the first lowered had come down, a
line says that a state was not found or is of no use, and behind it counting and losses begin where nothing had been learned.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence

from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.measures import MOST_LINES, MOST_TEXT, Series, measure_of, series_of
from gpualert_slurm.classifier.parents import FIRST
from gpualert_slurm.classifier.sought import names_of_states, speaks_of_state
from gpualert_slurm.classifier.words import headline
from gpualert_slurm.evidence import Evidence

ABOVE = 1.5
"""So many times what the first had come to is where the second begins, at least; and where it ends, at most, below its beginning."""
LEAST, LEAST_BEHIND, MOST_BETWEEN, MOST_LINE = 5, 3, 40, 300
MOST_RESTARTS = 50
_NOT = re.compile(
    r"\b(?:no|not|none|nothing|missing|absent|cannot|can't|couldn't|found['\"]?\s?[=:]\s?false|empty|0 (?:found|check-?points?|states?))\b"
    r"|does(?: not|n't) exist|\bfailed to\b|\bkeine?n?\b|\baucune?\b|\bning[uú]n",
    re.IGNORECASE,
)
LEAST_AGAIN = 4
_BIDS = re.compile(
    r"\bresume\w*['\"]?\s?[:=]\s?(?!['\"]?(?:false|none|null|no|off|0)\b)['\"]?[\w./-]|--resume\w*\b|\bresum(?:ing|ed)\b"
    r"|\brestor(?:ing|ed)\b",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_OTHER = re.compile(r"\b(?:no|not) (?:improv\w*|better|chang\w*|early|more|longer)\b|\b(?:sav|writ|kept|keep)\w*", re.IGNORECASE)


def relearned(facts: Facts) -> tuple[str, tuple[Evidence, ...]] | None:
    """In words, that a run begins anew behind another one's end, though it looked for its state; None where the log tells no such thing."""
    for one in (x for report in facts.job.reports for x in report.excerpts):
        lines = one.text[:MOST_TEXT].splitlines()[:MOST_LINES]
        for group in series_of(lines, LEAST).values():
            for at in _restarts(group):
                between = lines[group[0].at[at - 1] + 1 : group[0].at[at]]
                if at >= 1 and (again := _the_same(group, at, between)) is not None:
                    words = f"it says: {headline(again)}; and the numbers behind it repeat its very first ones"
                    return words, facts.advance.marks[:1]
                said = _says_so(between, lines[: group[0].at[0]]) if at >= 1 else None
                if said is not None and (fell := _fell_again(group, at)) is not None:
                    words = f"it says: {headline(said)}; before it the log tells of {fell[0]:.4g}, behind it of {fell[1]:.4g}"
                    return f"{words}, and counts and learns from the beginning", facts.advance.marks[:1]
    return None


def _restarts(group: Sequence[Series]) -> list[int]:
    """Rows at which a whole number begins anew, where it had begun or below."""
    found: set[int] = set()
    for one in group:
        if all(text.isdigit() for text in one.texts):
            counts = [int(text) for text in one.texts]
            found.update(at for at in range(1, len(counts)) if counts[at] < counts[at - 1] and counts[at] == min(counts))
    return sorted(found)[:MOST_RESTARTS]


def _the_same(group: Sequence[Series], at: int, between: Sequence[str]) -> str | None:
    """The line of ``between`` that bids it go on, where the rows behind ``at`` repeat the first ones to the last digit, and nothing failed."""
    rows = min(at, len(group[0].texts) - at)
    bids = next((line.strip() for line in between[-MOST_BETWEEN:] if _BIDS.search(line[:MOST_LINE])), None)
    if bids is None or rows < LEAST_AGAIN or any("Traceback" in line for line in between):
        return None
    alike = [one for one in group if one.texts[:LEAST_AGAIN] == one.texts[at : at + LEAST_AGAIN]]
    told = [one for one in alike if len(set(one.texts[:LEAST_AGAIN])) == LEAST_AGAIN and all("." in text for text in one.texts[:LEAST_AGAIN])]
    return bids if any(sum(char.isdigit() for char in one.texts[0]) >= 4 for one in told) else None


def _fell_again(group: Sequence[Series], at: int) -> tuple[float, float] | None:
    """What the first run's rows had come to, and where those behind ``at`` begin, of the number that comes down again by most."""
    found: list[tuple[float, float]] = []
    for one in group:
        measure = measure_of(one)
        values = measure.values if measure is not None and len(measure.finite) == len(one.texts) else ()
        if len(values) - at < LEAST_BEHIND or not values:
            continue
        had, then = statistics.median(values[max(0, at - 3) : at]), statistics.median(values[-3:])
        if 0 < ABOVE * had <= values[at] and then <= values[at] / ABOVE:
            found.append((had, values[at]))
    return max(found, key=lambda pair: pair[1] / pair[0], default=None)


def _says_so(lines: Sequence[str], earlier: Sequence[str]) -> str | None:
    """The first of ``lines`` that says so; what the first run said as well is no fault, nor a run's word that it is the first."""
    known = {_DIGITS.sub("#", one) for one in earlier}
    for line in (one[:MOST_LINE] for one in lines[-MOST_BETWEEN:] if _DIGITS.sub("#", one) not in known):
        if FIRST.search(line) is None and _NOT.search(line) and not _OTHER.search(line) and (speaks_of_state(line) or names_of_states(line)):
            return line.strip()
    return None
