"""Scores that a run tells beside its loss: what training raises, in any tongue that is known."""

from __future__ import annotations

import re

from gpualert_slurm.classifier.columns import columns
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.numbers import finite
from gpualert_slurm.classifier.tongues import SCORES

SCORE = re.compile(
    rf"(?:\b|_)(?:acc\w{{0,6}}|top-?[15]|auc|f1|dice|m?iou|map|bleu|r2|recall|precision|agree\w*|right|correct|{SCORES})"
    r"(?:\b|_)(?![ _/.-]?(?:loss|err(?:or)?)\b)", re.IGNORECASE
)


def scores(facts: Facts) -> list[float]:
    """An accuracy told beside the loss; where none has a name that a pattern knows, a number that training raises."""
    told = max((finite(s.values) for s in facts.series if s.name == "accuracy"), key=len, default=[])
    told = told or next((finite(c.values) for c in columns(facts.advance.marks, facts.job) if c.gains and not c.counts), [])
    measures = facts.measured.measures if facts.measured is not None else ()
    return told or next((m.finite for m in measures if SCORE.search(m.name)), [])
