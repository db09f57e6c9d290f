"""A run whose whole log has no more than five lines that count and measure: ``After pass 2 of 2 ... 0.2104``, ``| 1 | 1.5555 |``.

They count from the first one on, whatever is counted, and nothing else in the log counts further; and the whole job was a matter of seconds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpualert_slurm.classifier.advance import FEW_STEPS
from gpualert_slurm.classifier.excerpts import heads
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.handful import FRACTION, OTHER, passed_quickly
from gpualert_slurm.classifier.held_up import told_s
from gpualert_slurm.classifier.lineage import COUNTS
from gpualert_slurm.classifier.measures import Series, measure_of, series_of
from gpualert_slurm.classifier.storm import STORM_TIME
from gpualert_slurm.classifier.timed_saves import timed_saves
from gpualert_slurm.classifier.tongues import EPOCHS, PASSES
from gpualert_slurm.classifier.unlearned import tuned_or_played
from gpualert_slurm.evidence import Evidence

MOST, LEAST_TO_LEARN, MOST_LINES = 5, 3, 400
MOST_S, LEARNED = 60.0, 0.5
MOST_FROM_NOUGHT = 3
"""Most of it is the start of a library, on a slow disk."""

_COUNTS = re.compile(rf"(?<![A-Za-z])(?:{COUNTS}|ep?|it|upd|durchgang|passage|laps?|tours?|cycles?)\Z", re.IGNORECASE)
_OF = re.compile(r"/|of|von|sur|de", re.IGNORECASE)
_MORE = re.compile(r"\b(?:rows|kept|folds?|pliegues?|batch \d+/|benchmark|predict\w*|infer\w*)\b", re.IGNORECASE)
_EPOCH = re.compile(rf"(?:\be|\bep|epochs?|{EPOCHS}|{PASSES}|\bpass(?:es)?)\Z", re.IGNORECASE)
_UPDATE = re.compile(r"\W{0,6}(?:step|iter(?:ation)?|it|upd(?:ate)?|batch)\W{0,3}\d", re.IGNORECASE)
_SIZED = re.compile(r"\b(?:tokens|words)\W{1,3}\d", re.IGNORECASE)
"""How much went into an update."""
_INNER = re.compile(r"(?<![\d./-])\d{1,9}\s?/\s?(\d{1,9})(?![\d./-])")
"""Two of these in a line: steps within what is counted."""
_MANY = re.compile(
    r"(?:train\w*|samples?|examples?|images?|sentences?|documents?|records?)\W{1,4}\d{4,9}\b"
    r"|\b(?:grading|judging|scoring) \d|\bpass@\d|\bdrafts? pass"
    r"|\b\d{4,9} (?:\w+ )?(?:samples?|examples?|images?|sentences?)\b",
    re.IGNORECASE,
)
"""What there is to see in one pass, where it is much; or that what is counted are answers of a model."""


def few_lines(facts: Facts) -> tuple[int, Evidence] | None:
    """How many there were, and what is cited for it; None where there were more, or none that count and measure."""
    cited = (*facts.cite_end()[:1], *facts.said("progress"))[-1:]
    if not cited or not passed_quickly(facts, MOST_S) or tuned_or_played(facts.job):
        return None
    if (saves := timed_saves(facts)) is not None and saves.share >= STORM_TIME:
        return None  # they are what took the time, whatever was done between them
    most = further = 0
    for head in heads(facts.job):
        lines = head.splitlines()[:MOST_LINES]
        if any(_MANY.search(line) for line in lines):
            return None
        for group in series_of(lines, 1).values():
            count = len(group[0].texts)
            said = [lines[at] for at in group[0].at]
            if not all(FRACTION.search(line) for line in said):
                continue
            further = max(further, count)
            if _from_first(group, lines) and not _learned(group) and not any(_of_else(line) for line in said):
                most = max(most, count)
    return (most, cited[0]) if 0 < most <= MOST >= further else None


def _of_else(line: str) -> bool:
    """Whether a line is of something else than learning, or tells of a long time."""
    before = re.split(r"\d\.\d", line, maxsplit=1)[0]
    if _UPDATE.match(line):
        before = _SIZED.sub(" ", before)
    counts = [int(of) for of in _INNER.findall(line)]
    if len(counts) > 1 and max(counts) >= FEW_STEPS:
        return True
    return OTHER.search(before) is not None or _MORE.search(line) is not None or (told_s(line) or 0.0) > MOST_S


def _learned(group: Sequence[Series]) -> bool:
    """Whether the first thing that so many lines measure came down by LEARNED: they may have been passes over enough."""
    first = next((m for one in group if (m := measure_of(one)) is not None and len(m.finite) >= LEAST_TO_LEARN), None)
    return first is not None and min(first.values) >= 0 and first.values[-1] <= LEARNED * first.values[0]


def _planned(name: str, lines: Sequence[str]) -> bool:
    """Whether a line says that there is one of what ``name`` ends with: ``1 days of 10 complaints``."""
    word = re.search(r"[^\W\d_]{3,24}\Z", name)
    return word is not None and any(re.search(rf"(?<![\w.])1 {re.escape(word[0])}s?\b", line) is not None for line in lines)


def _from_nought(one: Series) -> bool:
    """Whether a named place that is no epoch's counts 0, 1, 2."""
    return bool(one.name) and _EPOCH.search(one.name) is None and one.texts == [str(no) for no in range(len(one.texts))]


def _from_first(group: Sequence[Series], lines: Sequence[str]) -> bool:
    """Whether one of the places counts 1, 2, 3; a single 1 has a counter's word, its number of all, or the first place (``F1 0.93`` has none)."""
    places = [at for at, one in enumerate(group) if [text.lstrip("0") for text in one.texts] == [str(no + 1) for no in range(len(one.texts))]]
    if len(group[0].texts) > 1:
        return bool(places) or (len(group[0].texts) <= MOST_FROM_NOUGHT and any(_from_nought(one) for one in group))
    of_all = (at for at in places if at + 1 < len(group) and _OF.fullmatch(group[at].behind.strip()) and group[at + 1].texts == ["1"])
    named = (at for at in places if _COUNTS.search(group[at].name) or _planned(group[at].name, lines) or (at == 0 and not group[at].name))
    return next(named, None) is not None or next(of_all, None) is not None
