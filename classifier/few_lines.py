"""A run whose whole log has no more than three lines that count and measure: ``After pass 2 of 2 ... 0.2104``, ``| 1 | 1.5555 |``.

They count from the first one on, whatever is counted, and nothing else in the log counts further; and the whole job was a matter of seconds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpualert_slurm.classifier.advance import FEW_STEPS
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.handful import FRACTION, OTHER, passed_quickly
from gpualert_slurm.classifier.held_up import told_s
from gpualert_slurm.classifier.lineage import COUNTS
from gpualert_slurm.classifier.measures import Series, measure_of, series_of
from gpualert_slurm.classifier.unlearned import tuned_or_played
from gpualert_slurm.evidence import Evidence

MOST, MOST_LINES = 3, 400
MOST_S, LEARNED = 60.0, 0.5
"""Most of it is the start of a library, on a slow disk."""

_COUNTS = re.compile(rf"(?<![A-Za-z])(?:{COUNTS}|ep?|it|upd|durchgang|passage|laps?|tours?|cycles?)\Z", re.IGNORECASE)
_OF = re.compile(r"/|of|von|sur|de", re.IGNORECASE)
_MORE = re.compile(r"\b(?:rows|kept|folds?|pliegues?|batch \d+/|benchmark|predict\w*|infer\w*)\b", re.IGNORECASE)
_INNER = re.compile(r"(?<![\d./-])\d{1,9}\s?/\s?(\d{1,9})(?![\d./-])")
"""Two of these in a line: steps within what is counted."""
_MANY = re.compile(
    r"(?:train\w*|samples?|examples?|images?|sentences?|documents?|records?)\W{1,4}\d{4,9}\b"
    r"|\b\d{4,9} (?:\w+ )?(?:samples?|examples?|images?|sentences?)\b",
    re.IGNORECASE,
)
"""What there is to see in one pass, where it is much."""


def few_lines(facts: Facts) -> tuple[int, Evidence] | None:
    """How many there were, and what is cited for it; None where there were more, or none that count and measure."""
    cited = (*facts.cite_end()[:1], *facts.said("progress"))[-1:]
    if not cited or not passed_quickly(facts, MOST_S) or tuned_or_played(facts.job):
        return None
    most = further = 0
    for one in (x for report in facts.job.reports for x in report.excerpts):
        lines = (one.head or one.tail).splitlines()[:MOST_LINES]
        if any(_MANY.search(line) for line in lines):
            return None
        for group in series_of(lines, 1).values():
            count = len(group[0].texts)
            said = [lines[at] for at in group[0].at]
            if not all(FRACTION.search(line) for line in said):
                continue
            further = max(further, count)
            if _from_first(group) and not _learned(group) and not any(_of_else(line) for line in said):
                most = max(most, count)
    return (most, cited[0]) if 0 < most <= MOST >= further else None


def _of_else(line: str) -> bool:
    """Whether a line is of something else than learning, or tells of a long time."""
    before = re.split(r"\d\.\d", line, maxsplit=1)[0]
    counts = [int(of) for of in _INNER.findall(line)]
    if len(counts) > 1 and max(counts) >= FEW_STEPS:
        return True
    return OTHER.search(before) is not None or _MORE.search(line) is not None or (told_s(line) or 0.0) > MOST_S


def _learned(group: Sequence[Series]) -> bool:
    """Whether the first thing that MOST lines measure came down by LEARNED: they may have been passes over enough."""
    first = next((m for one in group if (m := measure_of(one)) is not None and len(m.finite) == MOST), None)
    return first is not None and min(first.values) >= 0 and first.values[-1] <= LEARNED * first.values[0]


def _from_first(group: Sequence[Series]) -> bool:
    """Whether one of the places counts 1, 2, 3; a single 1 has a counter's word, its number of all, or the first place (``F1 0.93`` has none)."""
    places = [at for at, one in enumerate(group) if [text.lstrip("0") for text in one.texts] == [str(no + 1) for no in range(len(one.texts))]]
    if len(group[0].texts) > 1:
        return bool(places)
    of_all = (at for at in places if at + 1 < len(group) and _OF.fullmatch(group[at].behind.strip()) and group[at + 1].texts == ["1"])
    return any(_COUNTS.search(group[at].name) or (at == 0 and not group[at].name) for at in places) or next(of_all, None) is not None
