r"""A Python pattern as an expression over bytes for Hyperscan, which matches wherever the pattern does, and elsewhere too.

It says *may match here*: ``re`` decides on the line, so it must only never miss one. The Python pattern is searched in a cleaned
line (text, prefix off); the expression in the line's bytes (UTF-8, prefix on, no colours and NULs, ends are ``\n``). So

- ``^`` also stands behind what a prefix can end with, ``$`` and look-arounds are dropped, no class holds ``\n``;
- whatever can match a character beyond ASCII also matches up to four bytes beyond ASCII, also broken ones;
- a long repeat loses its upper bound, and what may be left out at the end of a pattern is: one end of a match is enough;
- what comes before the first piece that holds letters is left out, where it is more than an anchor.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from gpualert_slurm.classifier.regex_tree import REPEATS, Node, Value, nodes, tree

_BEGINS = r"(?:^|[ \]:>)])"
"""Where a cleaned line can begin: at a line's begin, or behind a prefix (``lines.py``), which ends with one of these."""
_BEYOND = r"\x80-\xff"
_MANY = 24
"""A repeat with a higher upper bound loses it: the automaton would grow with the bound."""
_FEW = 4
_SPACE = "\t\x0b\x0c\x1c\x1d\x1e\x1f "
"""ASCII characters for which str.isspace holds, without line ends."""
_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_NUMERALS = frozenset("0123456789")
_AT_BEGIN = frozenset({"AT_BEGINNING", "AT_BEGINNING_STRING"})
_SINGLE = frozenset({"LITERAL", "NOT_LITERAL", "ANY", "IN"})
_INSTEAD = {"ASSERT": "", "ASSERT_NOT": "", "GROUPREF": r"[^\n]*"}
_FOLDS = {"k": "\u212a", "s": "\u017f", "i": "\u0130\u0131"}
"""Characters beyond ASCII that ``re.IGNORECASE`` takes for an ASCII letter."""


class NotDerivableError(ValueError):
    """The pattern holds something this file does not know."""


def expression(pattern: str) -> str:
    """A Hyperscan expression (flag MULTILINE) that matches wherever ``pattern`` does.

    Raises:
        NotDerivableError: it holds something unknown here, or would match an empty piece of line.
    """
    whole, flags = tree(pattern)
    if flags & (re.MULTILINE | re.DOTALL | re.VERBOSE | re.ASCII):
        raise NotDerivableError(f"flags {flags}")
    text = _sequence(_from_first_word(whole), _Way(caseless=bool(flags & re.IGNORECASE), last=True))
    if not text or re.compile(text.encode("latin-1")).match(b""):
        raise NotDerivableError("it can match nothing at all")
    return text


@dataclass(frozen=True)
class _Way:
    """How a piece is written: ``last`` when nothing of the pattern follows it."""

    caseless: bool
    last: bool

    def inner(self, *, last: bool) -> _Way:
        return _Way(self.caseless, self.last and last)


def _from_first_word(pieces: list[Node]) -> list[Node]:
    """Without what comes before the first piece that holds letters: a matcher of many patterns is fast where each begins with a word.

    Any part of a pattern may be left out at its begin, for what is left still stands wherever the whole does.
    """
    while len(pieces) == 1 and pieces[0][0] == "SUBPATTERN" and not (pieces[0][1][1] or pieces[0][1][2]):
        pieces = nodes(pieces[0][1][3])
    for at, piece in enumerate(pieces):
        if _has_word([piece]):
            anchored = at == 1 and pieces[0][0] == "AT"
            return pieces if anchored else pieces[at:]
    return pieces


def _has_word(pieces: list[Node]) -> bool:
    """Whether each match holds at least one character that is told in advance."""
    for kind, value in pieces:
        inner = value[2] if kind in REPEATS else value[3] if kind == "SUBPATTERN" else value if kind == "ATOMIC_GROUP" else None
        if kind == "LITERAL" or (kind == "IN" and _few_letters(value)) or (kind == "BRANCH" and all(_has_word(nodes(branch)) for branch in value[1])):
            return True
        if inner is not None and (kind not in REPEATS or value[0] >= 1) and _has_word(nodes(inner)):
            return True
    return False


def _few_letters(items: Value) -> bool:
    """``[Ll]`` begins a word as good as a letter does."""
    return _few(items, _WORD)


def _few(items: Value, of: Collection[str]) -> bool:
    return len(items) <= _FEW and all(str(kind) == "LITERAL" and chr(value) in of for kind, value in items)


def _sequence(pieces: list[Node], way: _Way) -> str:
    while way.last and pieces and _optional(pieces[-1]) and not _ends_number(pieces):
        pieces = pieces[:-1]
    return "".join(_piece(kind, value, way.inner(last=at == len(pieces) - 1), pieces, at) for at, (kind, value) in enumerate(pieces))


def _optional(node: Node) -> bool:
    """What at a pattern's end says nothing: it can be empty, or is an anchor."""
    kind, value = node
    if kind in {"AT", "ASSERT", "ASSERT_NOT"}:
        return not (kind == "AT" and str(value) in _AT_BEGIN)
    if kind in REPEATS:
        return bool(value[0] == 0)
    if kind == "SUBPATTERN":
        return all(_optional(inner) for inner in nodes(value[3]))
    return kind == "BRANCH" and any(all(_optional(inner) for inner in nodes(branch)) for branch in value[1])


def _ends_number(pieces: list[Node]) -> bool:
    r"""Whether they end as ``[01]\\b`` does, which without its end would match in each number that begins so."""
    number, end = (pieces[-2], pieces[-1]) if len(pieces) > 1 else (("", None), ("", None))
    return end[0] == "AT" and str(end[1]) == "AT_BOUNDARY" and number[0] == "IN" and _few(number[1], _NUMERALS)


def _piece(kind: str, value: Value, way: _Way, pieces: list[Node], at: int) -> str:
    if kind in _SINGLE:
        return _one(kind, value, way)
    if kind in REPEATS:
        return _repeat(int(value[0]), value[1], nodes(value[2]), way)
    if kind in {"SUBPATTERN", "ATOMIC_GROUP"}:
        if kind == "SUBPATTERN" and (value[1] or value[2]):
            raise NotDerivableError("flags inside")
        return _group(_sequence(nodes(value[3] if kind == "SUBPATTERN" else value), way))
    if kind == "BRANCH":
        return "(?:" + "|".join(_sequence(nodes(branch), way) for branch in value[1]) + ")"
    if kind == "AT":
        return _anchor(str(value), pieces, at)
    if kind not in _INSTEAD:
        raise NotDerivableError(kind)
    return _INSTEAD[kind]


def _group(text: str) -> str:
    return f"(?:{text})" if text else ""


def _anchor(name: str, pieces: list[Node], at: int) -> str:
    if name in _AT_BEGIN:
        return _BEGINS
    if name == "AT_BOUNDARY":  # kept beside an ASCII word character only: there, what Python calls a boundary is one between bytes
        beside = pieces[at + 1 : at + 2] + (pieces[at - 1 : at] if at else [])
        if any((kind == "LITERAL" and chr(value) in _WORD) or (kind == "IN" and _few(value, _NUMERALS)) for kind, value in beside):
            return r"\b"
    return ""


def _repeat(low: int, high: Value, inner: list[Node], way: _Way) -> str:
    single = len(inner) == 1 and (inner[0][0] in _SINGLE - {"LITERAL"} or (inner[0][0] == "LITERAL" and inner[0][1] < 0x80))
    endless = not isinstance(high, int) or high >= _MANY  # MAXREPEAT is no int
    beyond = single and _takes_beyond(inner[0][0], inner[0][1], way)
    if single and beyond:
        body = _class(inner[0][0], inner[0][1], way, beyond=True)
        endless = True  # a character is up to four bytes
    else:
        text = _sequence(inner, _Way(way.caseless, last=False))
        if not text:
            return ""
        body = text if single and not (len(text) > 1 and text[0] not in "[\\") else f"(?:{text})"
    if way.last:
        return body if low == 1 else f"{body}{{{low}}}"
    if endless:
        return body + ("*" if low == 0 else "+" if low == 1 else f"{{{low},}}")
    return body + ("?" if (low, high) == (0, 1) else f"{{{low},{high}}}")


def _one(kind: str, value: Value, way: _Way) -> str:
    if kind == "LITERAL" and value >= 0x80:
        return _group("".join(f"\\x{byte:02x}" for byte in chr(value).encode("utf-8", "surrogatepass")))
    if kind == "LITERAL" and not (way.caseless and chr(value).isalpha()):
        return _byte(value)
    text = _class(kind, value, way, beyond=True)
    if _takes_beyond(kind, value, way):
        text += "" if way.last else f"[{_BEYOND}]{{0,3}}"
    return text


def _takes_beyond(kind: str, value: Value, way: _Way) -> bool:
    if kind == "LITERAL":
        return bool(value >= 0x80) or (way.caseless and chr(value).lower() in _FOLDS)
    if kind in {"NOT_LITERAL", "ANY"}:
        return True
    return any(
        item in {"NEGATE", "CATEGORY"} or (item == "RANGE" and what[1] >= 0x80) or (item == "LITERAL" and (what >= 0x80 or way.caseless))
        for item, what in nodes(value)
    )


def _class(kind: str, value: Value, way: _Way, *, beyond: bool) -> str:
    """The ASCII characters that match, as a class, with all bytes beyond ASCII where such a character can match."""
    if kind == "ANY":
        return r"[^\n]"
    if kind == "NOT_LITERAL":
        chosen = set(range(0x80)) - _folded({value}, way)
    elif kind == "LITERAL":
        chosen = _folded({value}, way)
    else:
        chosen = _members(value, way)
    chosen -= {0x0A}
    more = _BEYOND if beyond and _takes_beyond(kind, value, way) else ""
    return "[" + _ranges(sorted(code for code in chosen if code < 0x80)) + more + "]"


def _folded(codes: set[int], way: _Way) -> set[int]:
    return codes | ({ord(c) for code in codes for c in (chr(code).lower(), chr(code).upper()) if len(c) == 1} if way.caseless else set())


def _members(items: Value, way: _Way) -> set[int]:
    chosen: set[int] = set()
    negated = False
    for kind, value in nodes(items):
        if kind == "NEGATE":
            negated = True
        elif kind == "LITERAL":
            chosen |= _folded({value}, way)
        elif kind == "RANGE":
            chosen |= _folded(set(range(value[0], min(value[1], 0x7F) + 1)), way)
        elif kind == "CATEGORY":
            chosen |= _category(str(value))
        else:
            raise NotDerivableError(kind)
    return set(range(0x80)) - chosen if negated else chosen


def _category(name: str) -> set[int]:
    every = set(range(0x80))
    known = {
        "CATEGORY_DIGIT": {ord(c) for c in "0123456789"},
        "CATEGORY_SPACE": {ord(c) for c in _SPACE + "\r\n"},
        "CATEGORY_WORD": {ord(c) for c in _WORD},
    }
    if name in known:
        return known[name]
    plain = name.replace("_NOT_", "_")
    if plain in known:
        return every - known[plain]
    raise NotDerivableError(name)


def _byte(code: int) -> str:
    char = chr(code)
    return char if char in _WORD or char in " '\"%,:;<=>@`~!#&_/" else f"\\x{code:02x}"


def _ranges(codes: list[int]) -> str:
    parts: list[str] = []
    start = 0
    while start < len(codes):
        end = start
        while end + 1 < len(codes) and codes[end + 1] == codes[end] + 1:
            end += 1
        parts.append(f"\\x{codes[start]:02x}" if end == start else f"\\x{codes[start]:02x}-\\x{codes[end]:02x}")
        start = end + 1
    return "".join(parts)
