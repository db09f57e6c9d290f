"""Several stages in one log, each of which measures something of its own: a curriculum, a second loss, rounds of pruning, the runs of a sweep.

A stage begins under a heading of its own (``=== stage 2 ===``, ``trial 3: lr=0.1``), or where a setting that stands in each line changes for good
(``seqlen 16``). What a loss comes to in one of them says nothing of the next: the last one is judged by how it came down itself.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from gpualert_slurm.classifier.hover import trend
from gpualert_slurm.classifier.measures import LEAST, MOST_LINES, MOST_TEXT, Measure, Series, measure_of, series_of
from gpualert_slurm.classifier.tongues import EPOCHS, PASSES
from gpualert_slurm.job_record import JobRecord

MOST_STAGES, LEAST_ROWS, LEAST_LAST = 16, 3, 4
"""Stages; rows of each; rows of the last that show how it went."""
DOWN, FALLS = 0.9, -3.0
"""Of its first rows, where the last stage's last ones lie at most; or its slope by its own error."""
JUMPS = 1.2
"""Of what the stage before had come to, what the next one begins with."""
LEAST_COUNTS = 6
"""Of what goes on through all stages, so many different counts."""
LEAST_RUNS, LEAST_WELL = 3, 2
"""Runs of a sweep, and those of them that went well."""
_HEADING = re.compile(
    r"(?<![A-Za-z])(?:stage|phase|task|curriculum|level|part|difficulty|prun(?:e|ing)|round|cycle|fold|trial|run|candidate|config(?:uration)?|setting|lr"
    r"|stufe|abschnitt|aufgabe|lauf|versuch|[ée]tape|essai|etapa|fase|tarea|ensayo|prova|этап|запуск)\W{0,3}(?P<which>\d{1,4}|[A-H]\b|I{1,3}\b|IV\b)",
    re.IGNORECASE,
)
_ONE_OF_MANY = re.compile(
    r"(?<![A-Za-z])(?:trial|run|candidate|config(?:uration)?|setting|lr|lauf|versuch|essai|ensayo|prova|запуск)\b", re.IGNORECASE
)
_COUNTED = re.compile(
    rf"(?:\b|_)(?:ep(?:och)?s?|e|step|it|iter\w{{0,8}}|batch|pass(?:es)?|lr|learning[ _]?rate|time|elapsed|eta"
    rf"|{EPOCHS}|{PASSES})(?:\b|_|\Z)",
    re.IGNORECASE,
)
"""Names of what is no setting."""
_CHOSEN = re.compile(
    r"\b(?:best|chosen|chose|selected|winner|winning|top|beste[rs]?|gew[äa]hlt|meilleure?s?|retenue?|mejor|elegid[oa]|migliore|melhor)\b|лучш|最佳|最良",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Stages:
    """The values of the first measure, stage by stage; their headings; and what the log says behind the last of them."""

    values: tuple[tuple[float, ...], ...]
    headings: tuple[str, ...]
    behind: tuple[str, ...]
    counts_on: bool = False
    """Whether one count goes on through all of them: then they are no runs of a sweep, each of which begins anew."""


def last_came_down(job: JobRecord) -> str | None:
    """In words, where the last of several stages began above the one before, and came down itself."""
    found = stages(job)
    if found is None or len(found.values[-1]) < LEAST_LAST or not all(math.isfinite(v) for v in found.values[-1]):
        return None
    before, last = [v for v in found.values[-2] if math.isfinite(v)], found.values[-1]
    third = max(1, len(last) // 3)
    first, end = statistics.median(last[:third]), statistics.median(last[-third:])
    if not before or last[0] < JUMPS * statistics.median(before[-LEAST_ROWS:]) or not (end <= DOWN * first or trend(last) <= FALLS):
        return None
    return f"the last of {len(found.values)} stages came down from {last[0]:.4g} to {last[-1]:.4g}"


def another_kept(job: JobRecord) -> str | None:
    """In words, where the last of several runs in one log went ill, others went well, and the log then names the one that it keeps."""
    found = stages(job)
    if found is None or found.counts_on or len(found.values) < LEAST_RUNS or not all(_ONE_OF_MANY.search(heading) for heading in found.headings):
        return None
    well = sum(math.isfinite(one[-1]) and one[-1] <= DOWN * one[0] for one in found.values[:-1])
    last = found.values[-1]
    flew = math.isfinite(last[-1]) and last[-1] > JUMPS * last[0]  # such a run is a divergence, whatever the others came to
    if flew or well < LEAST_WELL or not any(_CHOSEN.search(line) for line in found.behind):
        return None
    return f"{well} of {len(found.values)} runs came down, and the log names the one that it keeps"


def of_another_name(job: JobRecord) -> str | None:
    """In words, where the last rows of a log measure something else than those before them, and it came down; None where it does not."""
    for one in (x for report in job.reports for x in report.excerpts):
        rows = [(group[0].at, m) for group in series_of(one.text[:MOST_TEXT].splitlines()[:MOST_LINES], LEAST).values() if (m := _first(group))]
        rows.sort(key=lambda found: found[0][0])
        if not 1 < len(rows) <= MOST_STAGES or any(a[-1] > b[0] for (a, _), (b, _) in pairwise(rows)) or len({m.name for _, m in rows}) < len(rows):
            continue
        last = rows[-1][1].values
        third = max(1, len(last) // 3)
        if len(last) >= LEAST_LAST and all(map(math.isfinite, last)) and statistics.median(last[-third:]) <= DOWN * statistics.median(last[:third]):
            return f"the last of {len(rows)} stages measures something of its own, which came down from {last[0]:.4g} to {last[-1]:.4g}"
    return None


def _first(group: Sequence[Series]) -> Measure | None:
    return next((m for place in group if (m := measure_of(place)) is not None), None)


def stages(job: JobRecord) -> Stages | None:
    """Those of the log with the most lines that measure something; None where it has but one."""
    best: tuple[int, Stages | None] = (0, None)
    for one in (x for report in job.reports for x in report.excerpts):
        lines = one.text[:MOST_TEXT].splitlines()[:MOST_LINES]
        for group in series_of(lines, LEAST).values():
            measure = next((m for place in group if (m := measure_of(place)) is not None), None)
            if measure is not None and len(measure.values) > best[0]:
                best = (len(measure.values), _of(lines, group, measure.values))
    return best[1]


def _of(lines: Sequence[str], group: Sequence[Series], values: tuple[float, ...]) -> Stages | None:
    at = group[0].at
    headings = _headings(lines, at)
    begins = [row for row, _ in headings] if len(headings) > 1 else next((b for place in group if (b := _changes(place))), [])
    if not 1 < len(begins) <= MOST_STAGES or any(b - a < LEAST_ROWS for a, b in pairwise(begins)):
        return None
    parts = tuple(values[a:b] for a, b in pairwise([*begins, len(values)]))
    return Stages(parts, tuple(text for _, text in headings), tuple(lines[at[-1] + 1 :]), _counts_on(group, len(begins))) if all(parts) else None


def _counts_on(group: Sequence[Series], stages_: int) -> bool:
    """Whether a place counts epochs, say, from the first to the last row, as many as there are stages or more."""
    for place in group:
        if _COUNTED.search(place.name) and all(text.isdigit() for text in place.texts):
            counts = [int(text) for text in place.texts]
            if all(b >= a for a, b in pairwise(counts)) and counts[0] <= 1 and len(set(counts)) >= max(stages_, LEAST_COUNTS):
                return True
    return False


def _headings(lines: Sequence[str], rows: Sequence[int]) -> list[tuple[int, str]]:
    """The row before which each heading stands, and the heading; the first of several lines between two rows counts."""
    own, found, seen = set(rows), list[tuple[int, str]](), set[str]()
    row = 0
    for at, line in enumerate(lines[: rows[-1]]):
        if at in own:
            row += 1
        elif (one := _HEADING.search(line[:200])) is not None and one[0].lower() not in seen and (not found or found[-1][0] < row):
            seen.add(one[0].lower())
            found.append((row, line[:200]))
    return found if found and found[0][0] == 0 else []


def _changes(place: Series) -> list[int]:
    """The rows from which on a setting has another value, each of its values but once; empty where it is none."""
    if _COUNTED.search(place.name) or not place.name:
        return []
    blocks = [(value, len(list(rows))) for value, rows in groupby(place.texts)]
    if not 1 < len(blocks) <= MOST_STAGES or len({value for value, _ in blocks}) < len(blocks):
        return []
    begins = [0]
    for _, rows in blocks[:-1]:
        begins.append(begins[-1] + rows)
    return begins
