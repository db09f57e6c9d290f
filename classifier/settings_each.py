"""Lines each of which is of a setting of its own: ``lr=0.01: final loss 0.88``, and no count that goes up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from gpualert_slurm.classifier.numbers import NOT_A_NUMBER, NUMBER, number
from gpualert_slurm.evidence import Evidence, Quote

LEAST, LEAST_STEPS = 3, 2
"""Lines; and different steps from one setting to the next: a counter has one."""
MOST_LINE = 300
_FIRST = re.compile(
    rf"^[^\d=:]{{0,40}}?(?<![A-Za-z])(?P<name>(?:max_?|base_?|peak_?|init_?)?"
    rf"(?:lr|learning[_ ]rate|eta0?|wd|weight[_ ]decay|alpha|beta|gamma|lambda|lam|c|tau|temp(?:erature)?"
    rf"|sigma|dropout|p_?drop|momentum|batch(?:_?size)?|bs|hidden|width|dim|depth|layers|rank|k|clip|seed|margin|eps))\s?[=:]\s?(?P<value>{NUMBER})(?![\w.])",
    re.IGNORECASE,
)
_WITHIN = re.compile(r"\b(?:ep(?:och)?|steps?|it(?:er(?:ation)?)?s?|updates?|batch)\W{0,3}\d", re.IGNORECASE)


_COUNTED = re.compile(r"^\W{0,3}\[?(?P<at>\d{1,5})\s?/\s?(?P<of>\d{1,5})\]?\W{1,4}(?=[A-Za-z])")
_GAVE_UP = re.compile(
    r"\b(?:trial|run|combo|candidate|config(?:uration)?)\b.{0,20}\b(?:gave up|failed|aborted|diverged|skipped|pruned)\b", re.IGNORECASE
)
"""A trial's own word that it came to nothing."""


def gave_up(marks: Sequence[Evidence]) -> bool:
    """Whether lines each of one numbered trial with settings came to numbers, and those that did not say that the trial was given up."""
    texts = [m.source.text[:MOST_LINE] for m in marks if isinstance(m.source, Quote)]
    counted = [_COUNTED.match(text) for text in texts]
    if len(texts) < LEAST or not all(one is not None and _FIRST.search(text[one.end() :]) for one, text in zip(counted, texts, strict=True)):
        return False
    numbers = [int(one["at"]) for one in counted if one is not None]
    bad = [text for text in texts if NOT_A_NUMBER.search(text)]
    return numbers == sorted(set(numbers)) and 0 < 2 * len(bad) < len(texts) and all(_GAVE_UP.search(text) for text in bad)


def each_its_setting(marks: Sequence[Evidence]) -> bool:
    """Whether each line begins with another value of one setting, and the first ones, more than half, came to numbers."""
    texts = [m.source.text[:MOST_LINE] for m in marks if isinstance(m.source, Quote)]
    found = [_FIRST.search(text) for text in texts]
    names = {one["name"].lower() for one in found if one is not None}
    values = [number(one["value"]) for one in found if one is not None]
    if len(values) < max(LEAST, len(texts)) or len(names) > 1 or len(set(values)) < len(values) or any(v is None for v in values):
        return False
    steps = {round((b or 0.0) - (a or 0.0), 12) for a, b in pairwise(values)}
    began = all(not NOT_A_NUMBER.search(text) for text in texts[: len(texts) // 2 + 1])
    return began and len(steps) >= LEAST_STEPS and not any(_WITHIN.search(text) for text in texts)
