"""Why the numbers of a run may be of what was known before its first line: it only judges a model, or goes on with one.

Such numbers lie still, and nothing is wrong: a loss that is as high at the end as at the beginning shows a model that learns nothing only where
the run began with nothing, and was to learn.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.brief import keras_epochs, only_judges
from gpualert_slurm.classifier.excerpts import heads
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.lineage import before_progress, goes_on_from
from gpualert_slurm.classifier.only_judged import only_judged
from gpualert_slurm.classifier.parents import command_lines
from gpualert_slurm.classifier.recount import begins_within
from gpualert_slurm.classifier.saves import STATE_ENDING
from gpualert_slurm.evidence import Quote

MANY = 100
"""Of a count that begins further on than its first lines are apart, how far at least: lines before it may be left out."""
_GOES_ON = re.compile(
    r"\b(?:continu(?:es?|ing|ed)|going on|goes on|carr(?:y|ies|ying) on|pick(?:s|ed|ing)? up|taken up|warm[- ]?start\w{0,3}|resum(?:es?|ed|ing)"
    r"|restored|fortgesetzt|setzt fort|weiter(?:gef[üu]hrt|trainiert)?|reprise|reprend|reanud\w{1,5}|contin[úu]a\w{0,4}|retom\w{1,5}"
    rf"|ripre[sn]\w{{1,4}})\b(?!['\"]?\s?[=:]).{{0,80}}?(?:\b\d|{STATE_ENDING}|/)",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:not|no|never|nothing|cannot|can't|couldn't|false|none|null|without|if|unable|failed|kein\w{0,2}|aucune?|sin|sem)\b|['\"=:]['\"]?\s?$",
    re.IGNORECASE,
)
"""What makes the opposite of it, before it or within."""
_JUDGING = re.compile(
    r"(?:^|[\s/])(?:run_)?(?:eval(?:uate|uation)?|valid(?:ate|ation)?|infer(?:ence)?|predict|score|benchmark|auswerten|evaluar|[ée]valuer)\w{0,16}\.(?:py|sh|R|jl)\b"
    r"|(?:^|[\s/])(?:lm[_-]eval\w{0,8}|lighteval|opencompass|mteb|evalplus)\b",
    re.IGNORECASE,
)
"""A program by the name of what it does."""
_BATCH = re.compile(r"\s{0,4}\d{1,9}/\d{1,9} (?:[━=\[>.╸╺ ]{2}|\d{1,4}s )")
_TRAINS = re.compile(r"\btrain(?!ed\b)|\bepoch|optimi[sz]er|learning[ _]rate|\blr\b", re.IGNORECASE)
MOST_TEXT = 16_384
_RATE = re.compile(r"\b(?:lr|learning[_ ]rate)\b ?[:=]", re.IGNORECASE)
"""Who tells a learning rate, trains."""


def judges(facts: Facts) -> str | None:
    """In words, where the run was to judge a model and not to make one."""
    if only_judges(facts) or only_judged(facts) is not None or _named_so(facts):
        return "the run only judges a model: its numbers are not of learning"
    return None


def known_before(facts: Facts) -> str | None:
    """In words, where the run goes on with what an earlier one had come to."""
    loss = facts.advance.loss
    steps = [step for step in loss.steps if step is not None] if loss is not None else []
    if steps and steps[0] < steps[-1] and steps[0] > max(MANY, begins_within(loss.steps if loss is not None else ())):
        return f"the count begins at {steps[0]}: what it goes on with may have been learned before"
    if facts.advance.loaded or goes_on_from(facts) is not None:
        return "the run goes on with what an earlier one had come to"
    return "its first lines say that it goes on with what was there" if says_it_goes_on(facts) else None


def says_it_goes_on(facts: Facts) -> bool:
    """Whether one of its first lines tells so, in words with a file or a count behind them."""
    return any((found := _GOES_ON.search(line)) is not None and not _NOT.search(line[: found.end()]) for line in before_progress(facts))


def one_pass(facts: Facts) -> str | None:
    """In words, where all that is told is one bar of Keras' over batches, and no epoch of it: ``evaluate`` and ``predict`` print so."""
    marks = facts.advance.marks
    texts = [m.source.text for m in marks if isinstance(m.source, Quote) and not m.data.get("epoch")]
    bars = bool(marks) and len(texts) == len(marks) and all(_BATCH.match(text) and not _RATE.search(text) for text in texts)
    return "what is counted may be the batches of an evaluation" if bars and not keras_epochs(facts.job) else None


def _named_so(facts: Facts) -> bool:
    """Whether the program has the name of an evaluation, and tells of no training."""
    if not any(_JUDGING.search(line) for line, _ in command_lines(facts.job, facts.row)):
        return False
    return not any(_TRAINS.search(text) for text in heads(facts.job, MOST_TEXT))
