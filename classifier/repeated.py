"""A log in which a run that was to go on tells to the last digit what it had told before: it went on with nothing.

Two runs in one log are behind each other; the second one names a state that the first one had come to, and then measures the very same numbers again.
Only weights that were drawn anew, from the same seed, do that: what goes on from a state measures something else.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier import words
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.held_up import writes
from gpualert_slurm.classifier.measures import LEAST, MOST_LINES, MOST_TEXT, Series, measure_of, series_of
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.job_record import JobRecord

LEAST_VALUES, LEAST_DIGITS = 4, 3
"""Different values among those that come again, and their digits."""
MOST_BETWEEN = 12
"""Lines between the two runs, from the last."""
_FILE = re.compile(r"(?<![\w./~@+-])[\w./~@+-]{1,200}\.(?!(?:py|sh|pl|R|jl|so|log|c|cpp|cu|out|err)\b)[A-Za-z]\w{0,11}\b")
_ENDS = re.compile(r"Traceback|fail|exitcode|exit code|signal|error", re.IGNORECASE)
"""The first of the two did not come to its end: what it had done since its last save is done again."""
_SAVED = re.compile(
    r"\b(?:saved?|saving|wrote|written|stored|dumped)\b[^\n]{0,40}?(?<![\w./~@+-])"
    r"(?P<path>[\w.~@+-]{1,80}(?:/[\w.~@+-]{1,80}){1,8}|[\w~@+-]{1,80}\.\w{2,11})(?![\w/])",
    re.IGNORECASE,
)
"""What a run says that it put away: a file, or a folder below another."""
_GOES_ON = re.compile(
    r"resum|continu|restor|reload|load|go(?:es|ing)? on|carr(?:y|ies) on|picks? up|pick(?:ed|ing) up|is of|\bof\b|\bfrom\b|\bat\b"
    r"|fortge|fortsetz|weiter|geladen|repris|reprend|reanud|retom|carg",
    re.IGNORECASE,
)


_NOTHING = re.compile(
    r"\b(?:no|aucune?|keine?n?|sin|ning[uú]n|nothing|without)\b.{0,20}"
    r"\b(?:checkpoints?|state|snapshots?|saved|point de reprise|sauvegarde|stand|estado)\b"
    r"|\b(?:checkpoint|state|snapshot|point de reprise)\b.{0,40}\b(?:not found|missing|introuvable|absent|fehlt|does not exist)\b",
    re.IGNORECASE,
)
"""What the second one says that it found, where the first one had written one."""
_AGAIN = re.compile(
    r"\b(?:attempt|re-?start(?:s|ed|ing)?|re-?queued?|(?:leg|slice|session|segment) [2-9]|re-?launch(?:ed|ing)?|resubmi\w{1,8}|Neustart"
    r"|relanc\w{1,6}|reinici\w{1,6})\b",
    re.IGNORECASE,
)
"""Words by which the second one is the first one's job, started once more."""


def told_twice(facts: Facts) -> tuple[str, tuple[Evidence, ...]] | None:
    """In words, that a log tells a run twice of which the second was to go on, and what is cited for it; None where none does."""
    said = _repeated(facts.job)
    if said is None:
        return None
    return f"it told again, to the last digit, what it had told before it said: {words.headline(said)}", facts.advance.marks[-1:]


def _repeated(job: JobRecord) -> str | None:
    """The line by which the second run names the state that it was to go on from; None where no log tells a run twice."""
    for one in (x for report in job.reports for x in report.excerpts):
        lines = one.text[:MOST_TEXT].splitlines()[:MOST_LINES]
        for group in series_of(lines, 2 * LEAST).values():
            measures = [s for s in group if (m := measure_of(s)) is not None and m.digits >= LEAST_DIGITS]
            if measures and (again := _again(measures)) is not None and (said := _between(lines, again, group)) is not None:
                return said
    return None


def _again(measures: list[Series]) -> tuple[int, int] | None:
    """The places of the last line of the first telling and of the first line of the second."""
    first = measures[0]
    count = len(first.texts)
    for start in range(LEAST, count - LEAST + 1):
        many = min(start, count - start)
        same = all(s.texts[start : start + many] == s.texts[:many] for s in measures if len(s.texts) == count)
        if same and len(set(first.texts[:many])) >= LEAST_VALUES:
            return first.at[start - 1], first.at[start]
    return None


def _between(lines: list[str], places: tuple[int, int], group: list[Series]) -> str | None:
    """What is said between the two of a file and of how far it had come."""
    last, again = places
    at = group[0].at.index(last)
    counts = {s.texts[at] for s in group if s.texts[at].isdigit() and s.texts[at] != "0"}
    if any(_ENDS.search(line) for line in lines[last + 1 : again]):
        return None
    first, begin = group[0].at[0], max(last + 1, again - MOST_BETWEEN)
    for at, line in enumerate(lines[begin:again], begin):
        if _NOTHING.search(line) and line not in lines[:first] and any(_FILE.search(one) for one in lines[first:at]):
            return line.strip()
        bare = _FILE.sub(" ", line)
        if _FILE.search(line) and (_GOES_ON.search(bare)) and counts & set(re.findall(r"(?<![\d.])\d{1,9}(?![\d.])", bare)):
            return line.strip()
    saved = {found["path"] for line in lines[first:again] for found in _SAVED.finditer(line)}
    new = [line for line in lines[begin:again] if line not in lines[:first] and not _SAVED.search(line)]
    named = next((line.strip() for line in new if any(_names(line, path) for path in saved)), None)
    if named is not None:  # what the first one had saved was given to the second
        return named
    told = next((line.strip() for line in lines[begin:again] if _AGAIN.search(line)), None)
    return told if told and any((writes(line) and _FILE.search(line)) or _SAVED.search(line) for line in lines[first:again]) else None


def _names(line: str, path: str) -> bool:
    return re.search(rf"(?<![\w./-]){re.escape(path)}(?![\w/-])", line) is not None
