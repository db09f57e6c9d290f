"""Numbers of progress which became nan and stayed so, in words that nobody knows, or at which a program left by itself."""

from __future__ import annotations

import math
import re

from gpualert_slurm.classifier.ending import SIGNALLED
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.measures import measure_of, of_lines, series_of
from gpualert_slurm.classifier.numbers import NOT_A_NUMBER
from gpualert_slurm.classifier.trials import each_a_trial
from gpualert_slurm.classifier.words import headline
from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.series import Series

LEAST_GONE = 4
FEW_ROWS = 12
"""So few values are of epochs, it may be: the last one alone is the model's. Of more, and of lines in unknown words, the last three must be nan."""
_NUMBERS = re.compile(rf"{NOT_A_NUMBER.pattern}|[-+]?\d[\d.]*(?:e[-+]?\d+)?", re.IGNORECASE)
OTHERS = re.compile(
    r"(?<![A-Za-z])(?:val\w{0,8}|eval\w{0,8}|test|dev|h[eo]ld[- ]?out|eta|best|ppl|perplexity|prev\w{0,6}|delta|improv\w{0,8}"
    r"|corr\w{0,10}|auc|f1|prec\w{0,6}|recall|std"
    r"|var(?:iance)?|rhat|r2|pearson|return|reward|score)(?<!train[ ._/-]dev)(?<!training[ ._/-]dev)",
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
    other = OTHERS.search(_NUMBERS.split(before)[-1])  # the name before the number before is another's
    return other is not None and not (other[0].lower().startswith(("ppl", "perplex")) and "nan" in value.lower())


_LEFT_AT = re.compile(
    r"(?:\b(?:is|was|became|becomes|turned|are|now|ist|est|es)|[=:])\s?['\"]?(?:nan|inf(?:inity)?|not finite|not a number)(?![\w.])"
    r"|\([-+]?(?:nan|inf(?:inity)?)\)"
    r"|\bkeine? (?:endliche )?zahl|\bnicht (?:mehr )?endlich|\bn'est (?:plus|pas) (?:un nombre|fini)|\bno es (?:un n[úu]mero|finit[oa])"
    r"|\bn[ãa]o [ée] (?:um n[úu]mero|finit[oa])|\bnon [èe] (?:un numero|finit[oa])|\bnie jest liczb|\bgeen (?:eindig )?getal",
    re.IGNORECASE,
)
LAST_BYTES = 8192


def left_at(facts: Facts) -> str | None:
    """The last line of a log, where it says that what the lines before it measure is no number any more."""
    for one in (x for report in facts.job.reports for x in report.excerpts):
        lines = [line for line in one.text[-LAST_BYTES:].splitlines() if line.strip()]
        if lines and _LEFT_AT.search(lines[-1]) and (of_lines(lines[:-1], 2) is not None or (facts.advance.marks and _measures(lines[:-1]))):
            return headline(lines[-1])
    return None


def _measures(lines: list[str]) -> bool:
    """Whether two of the lines are alike and measure something, however they count."""
    return any(measure_of(place) is not None for group in series_of(lines, 2).values() for place in group)


_ARITHMETIC = re.compile(r"(?:builtins\.)?(?:FloatingPointError|ArithmeticError|OverflowError)\Z")
"""What a program raises of its own where a number is none any more, whatever it says of it."""


def left_at_it(facts: Facts, loss: Series | None) -> str | None:
    """In words, where the run ended by an exit code of its own, without an error but for a line of words, at a loss that is not finite."""
    first, error = facts.first, facts.error
    if facts.ended_well or first is None or first.signal or not first.code or first.code >= SIGNALLED or facts.ending.state != "FAILED":
        return None
    if error is not None and error.says != "error_line" and not _ARITHMETIC.match(str(error.data.get("type", ""))):
        return None
    if loss is not None and loss.values and not math.isfinite(loss.values[-1]):
        return "the program left by itself, and the last loss it printed was not finite"
    last = left_at(facts)
    return f"the program left by itself, and its last word is of no number: {last}" if last is not None else None
