"""A run of a handful of rounds, generations or iterations that are no passes over much data: each took next to no time, and the last still gained.

``round 3/3``, ``generation 3 of 3``, ``[6/6]``: few epochs may be a whole fine-tuning, few rounds of a moment each, of as many as were asked for, are
hardly more than a try.
"""

from __future__ import annotations

import re
import statistics
from itertools import pairwise

from gpualert_slurm.classifier.brief import BRIEF_JOB_S, BRIEF_S
from gpualert_slurm.classifier.excerpts import heads
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.handful import passed_quickly
from gpualert_slurm.evidence import Evidence, Quote

MOST = 6
_COUNT = re.compile(
    r"\b(?:rounds?|generations?|gen|sweeps?|cycle|turn|iteration|iter|it|Runde|Schritt|[ée]tape|it[ée]ration|tour|vuelta|giro"
    r"|passage|Durchgang)\W{0,4}(?P<at>\d{1,6})"
    r"\s?(?:/|of|von|de|sur)\s?(?P<of>\d{1,6})\b"
    r"|^\W{0,3}\[\s{0,6}(?P<at2>\d{1,6})\s?/\s?(?P<of2>\d{1,6})\s{0,3}\](?!\s?[A-Z][a-z])",
    re.IGNORECASE,
)
_OTHER = re.compile(r"\b(?:epoch|trial|fold|stage|phase|task|boost\w*|eval\w*|test|valid\w*|predict\w*|chain|file|shard)\b", re.IGNORECASE)


_BOOSTED = re.compile(r"\s{0,4}(?:\[\d\d:\d\d:\d\d\]\s{1,2})?\[(?P<at>\d{1,6})\]\s{1,4}\S{1,60}[:=]\s?\d")
"""A booster's round, as XGBoost and LightGBM print it; the first one is 0, or 1."""


_CATBOOST = re.compile(r"^\s{0,4}(?P<at>\d{1,6}):\s{1,4}learn: \d.{0,120}\btotal: ", re.MULTILINE)
MOST_TEXT = 16_384


def few_rounds(facts: Facts) -> tuple[int, Evidence] | None:
    """How many there were, and the last line that counts them; None where they were more, took longer, or had come to rest."""
    marks = [m for m in facts.advance.marks if isinstance(m.source, Quote)]
    first = marks[0].source.file if marks and isinstance(marks[0].source, Quote) else ""
    found = [(m, count) for m in marks if isinstance(m.source, Quote) and m.source.file == first and (count := _COUNT.search(m.source.text))]
    if not found:
        return _of_a_table(marks) or _of_a_booster(marks) or (_of_catboost(facts) if not marks else None)
    if len(found) < 2 or facts.advance.loaded or any(_OTHER.search(m.source.text) for m, _ in found if isinstance(m.source, Quote)):
        return None
    at = [int(count["at"] or count["at2"]) for _, count in found]
    of = {int(count["of"] or count["of2"]) for _, count in found}
    whole = len(of) == 1 and at[-1] == max(of) and all(b > a for a, b in pairwise(at))
    return (at[-1], found[-1][0]) if whole and 0 < at[-1] <= MOST and _moments([m for m, _ in found]) else None


def _of_a_table(marks: list[Evidence]) -> tuple[int, Evidence] | None:
    """The same of a table's rows with a loss: it has no words, and nobody says how many there were to be."""
    texts = [m.source.text for m in marks if isinstance(m.source, Quote)]
    rows = [m for m in marks if m.data.get("coarse") and "loss" in m.data and isinstance(m.data.get("step"), int)]
    at = [int(m.data["step"]) for m in rows]
    if len(rows) < 2 or len(rows) < len(marks) or any(re.search(r"[A-Za-z]{2}", text) for text in texts) or at[-1] > MOST or at[0] > 1:
        return None
    return (at[-1], rows[-1]) if all(b == a + 1 for a, b in pairwise(at)) and _moments(rows) else None


def _of_a_booster(marks: list[Evidence]) -> tuple[int, Evidence] | None:
    """The same of trees, one a line."""
    found = [_BOOSTED.match(m.source.text) for m in marks if isinstance(m.source, Quote)]
    at = [int(one["at"]) for one in found if one is not None]
    if len(at) < 2 or len(at) < len(marks) or len(at) > MOST or at[0] > 1 or any(b != a + 1 for a, b in pairwise(at)):
        return None
    return (len(at), marks[-1]) if _moments(marks) else None


def _of_catboost(facts: Facts) -> tuple[int, Evidence] | None:
    """The same of CatBoost's, of which a line or two are known for no progress; it always tells of the first and the last one."""
    cited = (*facts.cite_end()[:1], *facts.said("progress"))[-1:]
    logs = ([int(one["at"]) for one in _CATBOOST.finditer(head)] for head in heads(facts.job, MOST_TEXT))
    at = max(logs, key=len, default=[])
    few = 0 < len(at) <= MOST and at == list(range(len(at)))
    return (len(at), cited[0]) if few and cited and passed_quickly(facts, BRIEF_JOB_S) else None


def _moments(marks: list[Evidence]) -> bool:
    """Whether each of them took next to no time, as far as times tell."""
    times = [m.time_ns for m in marks if m.time_ns is not None]
    if len(times) != len(marks):
        return False
    return statistics.median((b - a) / 1e9 for a, b in pairwise(times)) <= BRIEF_S
