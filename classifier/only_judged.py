"""Whether a run was told to evaluate and not to train: ``--eval-only``, ``solo_evaluar=True``, ``'score_only': True``."""

from __future__ import annotations

import re

from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.parents import command_lines
from gpualert_slurm.evidence import Evidence

MOST_TEXT = 8192
"""Of a log's head, in which a program prints its settings."""
_JUDGE = r"(?:eval(?:uate|uation|uar)?|valid(?:ate|ation)?|test|infer(?:ence)?|predict(?:ion)?|scor(?:e|ing)|auswert(?:en|ung))"
_SET = re.compile(
    rf"(?<![A-Za-z])(?:{_JUDGE}[-_]only|(?:only|just|solo|nur|seulement)[-_]{_JUDGE})['\"]?\s?[=:]\s?['\"]?(?P<value>[A-Za-z0-9]{{1,8}})(?![\w.])",
    re.IGNORECASE,
)
_FLAG = re.compile(rf"(?:^|\s)--?(?:{_JUDGE}[-_]only|(?:only|just)[-_]{_JUDGE})(?=\s|$)(?!\s+(?:false|no|0)\b)", re.IGNORECASE)
_YES = frozenset({"true", "1", "yes", "y", "on"})


def only_judged(facts: Facts) -> Evidence | None:
    """The command line, or what ended the run, where it was told so by its command line or by the settings it prints; None where it was not."""
    for line, cite in command_lines(facts.job, facts.row):
        if _FLAG.search(line) or _says(line):
            return cite()
    if any(_says(one.text[:MOST_TEXT]) for report in facts.job.reports for one in report.excerpts):
        return next(iter(facts.cite_end()), None)
    return None


def _says(text: str) -> bool:
    return any(found["value"].lower() in _YES for found in _SET.finditer(text))
