"""Numbers of progress in words that nobody knows, which became nan and stayed so."""

from __future__ import annotations

import re

from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.measures import of_lines
from gpualert_slurm.classifier.numbers import NOT_A_NUMBER
from gpualert_slurm.classifier.trials import each_a_trial
from gpualert_slurm.classifier.words import headline
from gpualert_slurm.evidence import Evidence, Quote

LEAST_GONE = 4
FEW_ROWS = 12
"""So few values are of epochs, it may be: the last one alone is the model's. Of more, and of lines in unknown words, the last three must be nan."""
_NUMBERS = re.compile(rf"{NOT_A_NUMBER.pattern}|[-+]?\d[\d.]*(?:e[-+]?\d+)?", re.IGNORECASE)
OTHERS = re.compile(
    r"(?<![A-Za-z])(?:val\w{0,8}|eval\w{0,8}|test|dev|h[eo]ld[- ]?out|eta|best|ppl|perplexity|prev\w{0,6}|delta|improv\w{0,8}"
    r"|corr\w{0,10}|auc|f1|prec\w{0,6}|recall|std"
    r"|var(?:iance)?|rhat|r2|pearson|return|reward)(?<!train[ ._/-]dev)(?<!training[ ._/-]dev)",
    re.IGNORECASE,
)
"""Of something else than what is learned by; ``train.dev`` is the training's deviance."""


def gone(facts: Facts) -> tuple[Evidence, ...]:
    """Lines of progress at the end that say nan where earlier ones had numbers: of a loss in words that nobody knows."""
    if not facts.ended_well or each_a_trial(facts.advance.marks):
        return ()
    kinds: dict[str, list[Evidence]] = {}
    for mark in facts.advance.marks:
        if isinstance(mark.source, Quote):  # what is said once, at the end, is of another kind
            kinds.setdefault(" ".join(_NUMBERS.sub("#", mark.source.text).split()), []).append(mark)
    marks = max(kinds.values(), key=len, default=[])
    if len(marks) < LEAST_GONE:
        return ()
    texts = [e.source.text for e in marks if isinstance(e.source, Quote)]
    first, last = texts[0], texts[-3:] if len(texts) > FEW_ROWS else texts[-1:]
    if NOT_A_NUMBER.search(first) or not all(NOT_A_NUMBER.search(text) for text in last):
        return ()
    named = [_other(text[max(0, found.start() - 24) : found.start()], found[0]) for text in last for found in NOT_A_NUMBER.finditer(text)]
    return tuple(marks[-3:]) if not all(named) else ()


def _other(before: str, value: str) -> bool:
    """Whether what is not a number is of something else than the loss: a perplexity overflows to inf, and is nan where the loss is."""
    other = OTHERS.search(before)
    return other is not None and not (other[0].lower().startswith(("ppl", "perplex")) and "nan" in value.lower())


_LEFT_AT = re.compile(
    r"(?:\b(?:is|was|became|becomes|turned|are|now|ist|est|es)|[=:])\s?['\"]?(?:nan|inf(?:inity)?|not finite|not a number)(?![\w.])", re.IGNORECASE
)
LAST_BYTES = 1200


def left_at(facts: Facts) -> str | None:
    """The last line of a log, where it says that what the lines before it measure is no number any more."""
    for one in (x for report in facts.job.reports for x in report.excerpts):
        lines = [line for line in (one.tail or one.head)[-LAST_BYTES:].splitlines() if line.strip()]
        if lines and _LEFT_AT.search(lines[-1]) and of_lines(lines[:-1], 2) is not None:
            return headline(lines[-1])
    return None
