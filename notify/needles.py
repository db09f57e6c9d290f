"""What a pattern cannot do without: literal strings, one of which stands in every text that it matches. Pure.

Looking for a string is a hundred times quicker than trying a pattern everywhere, and most texts hold none of a pattern's.
"""

from __future__ import annotations

import re
import sys
from typing import Any

if sys.version_info >= (3, 11):
    from re import _parser as sre  # type: ignore[attr-defined]
else:
    import sre_parse as sre

MOST = 32
"""Alternatives: with more of them the pattern itself is as quick."""
INNER = {"IN": 0, "SUBPATTERN": 3, "MAX_REPEAT": 2, "MIN_REPEAT": 2}
"""Where the parser keeps what is inside."""
SHORTEST = 2
"""One letter stands in nearly every text."""


def needles(pattern: re.Pattern[str]) -> tuple[str, ...]:
    """Lower-case strings, one of which is in ``text.lower()`` of every ASCII ``text`` that the pattern matches; none where nothing is sure."""
    found = _best(sre.parse(pattern.pattern, pattern.flags))
    return tuple(sorted(found)) if found else ()


def _best(sequence: Any) -> frozenset[str] | None:  # noqa: ANN401 - the parser's own
    """Of the strings that parts of the sequence cannot do without, those of the part whose shortest is longest."""
    candidates: list[frozenset[str]] = []
    run = ""

    def end_run() -> None:
        nonlocal run
        if len(run) >= SHORTEST:
            candidates.append(frozenset({run.lower()}))
        run = ""

    for kind, value in sequence:
        name = str(kind)
        if name == "LITERAL" and value < 128:
            run += chr(value)
            continue
        if name == "AT":  # a boundary takes no room
            continue
        end_run()
        part = _of_part(name, value)
        if part:
            candidates.append(part)
    end_run()
    return max(candidates, key=lambda strings: min(map(len, strings)), default=None)


def _of_part(name: str, value: Any) -> frozenset[str] | None:  # noqa: ANN401 - the parser's own
    if name == "SUBPATTERN":
        return _best(value[3])
    if name == "ATOMIC_GROUP":
        return _best(value)
    if name in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
        return _best(value[2]) if value[0] > 0 else None
    if name == "BRANCH":
        branches = [_best(branch) for branch in value[1]]
        if all(branches):
            together = frozenset().union(*(b for b in branches if b))
            return together if len(together) <= MOST else None
    return None


def digit_blind(pattern: re.Pattern[str]) -> bool:
    """Whether it is sure that one digit is as good as another for this pattern, and that no match holds the end of a line."""
    return _all_blind(sre.parse(pattern.pattern, pattern.flags))


def _all_blind(sequence: Any) -> bool:  # noqa: ANN401 - the parser's own
    return all(_blind(str(kind), value) for kind, value in sequence)


def _blind(name: str, value: Any) -> bool:  # noqa: ANN401 - the parser's own
    if name == "LITERAL":
        return not chr(value).isdigit() and chr(value) not in "\r\n"
    if name == "RANGE":
        low, high = (int(end) for end in value)
        return (high < 0x30 and low > 0x0D) or (low > 0x39 and high < 0x80) or (low == 0x30 and high == 0x39)
    if name == "CATEGORY":
        return str(value) in {"CATEGORY_DIGIT", "CATEGORY_WORD"}
    if name in INNER:
        return _all_blind(value if name == "IN" else value[INNER[name]])
    return name == "BRANCH" and all(_all_blind(branch) for branch in value[1])
