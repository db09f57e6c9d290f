"""What Python's own parser of patterns makes of one: kinds by name (``LITERAL``, ``IN``, ``BRANCH``, …) with their values."""

from __future__ import annotations

import importlib
import re
from typing import Any, TypeAlias

_parser: Any = importlib.import_module("re._parser" if hasattr(re, "_parser") else "sre_parse")  # the former from Python 3.11 on
Value: TypeAlias = Any
"""A number, a tuple or a list, by the kind: the standard library gives it no type."""
Node = tuple[str, Value]
REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})


def tree(pattern: str) -> tuple[list[Node], int]:
    """The nodes of a pattern and its flags."""
    parsed = _parser.parse(pattern)
    return nodes(parsed), int(parsed.state.flags)


def nodes(several: Value) -> list[Node]:
    """A sequence inside a value."""
    return [(str(kind), value) for kind, value in several]
