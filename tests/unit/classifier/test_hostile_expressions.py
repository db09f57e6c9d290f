"""Every regular expression that the classifier has, wherever it stands: no line of full length makes it slow.

Patterns and exceptions' rules have tests of their own with their samples (test_parsers, test_exceptions); here are all others as well, found in the
modules themselves: what opens a story, what reads numbers, times, prefixes and paths out of a line. One that is added is covered as it is added.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpualert_slurm import classifier
from gpualert_slurm.classifier.engine import engine
from gpualert_slurm.classifier.lines import MAX_LINE_BYTES
from gpualert_slurm.classifier.measures import MOST_NAMED
from gpualert_slurm.classifier.own_times import MOST_NAME
from gpualert_slurm.classifier.parents import LONGEST_LINE
from gpualert_slurm.classifier.saves import MOST_TEXT
from gpualert_slurm.classifier.unmet import MOST_LINE

MOST_S = 4.0
"""Of CPU for 1 MiB of such lines: four times what is asked of a quiet machine."""
LINES_OF_A_MIB = (1 << 20) // MAX_LINE_BYTES
PLAIN = ("a", "A", "0", " ", "\t", "/", ".", "-", "_", ",", ":", "=", "|", "[", "(", "'", '"', "#", "\u2501", "0,", "1.", "a ", " 0", "a=", "a/", "0:", "a.b", "e9", "[0]", "x 1 ")


def _compiled(value: object, depth: int = 0) -> Iterator[re.Pattern]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 5 and isinstance(value, (tuple, list, set, frozenset)):
        for one in value:
            yield from _compiled(one, depth + 1)
    elif depth < 5 and isinstance(value, dict):
        for one in (*value.keys(), *value.values()):
            yield from _compiled(one, depth + 1)
    elif depth < 5 and type(value).__module__.startswith("gpualert_slurm.classifier") and hasattr(value, "__dict__"):
        yield from _compiled(vars(value), depth + 1)


def everywhere() -> dict[re.Pattern, str]:
    """Every compiled expression by the name it has in its module (of the classifier), and what opens a story."""
    found: dict[re.Pattern, str] = {}
    for module in pkgutil.walk_packages(classifier.__path__, "gpualert_slurm.classifier."):
        held = vars(importlib.import_module(module.name))
        for name, value in held.items():
            if not name.startswith("__"):
                for one in _compiled(value):
                    found.setdefault(one, f"{module.name.removeprefix('gpualert_slurm.classifier.')}.{name}")
    for name, _, opens in engine().stories:
        found.setdefault(opens, name)
    return found


FOUND = everywhere()
SHORTER = {"parents._PLACE": LONGEST_LINE, "saves._SAVES": MOST_TEXT, "saves._PLACE": MOST_TEXT, "unrestored._NONE": MOST_TEXT,
           "unmet._UNUSABLE": MOST_LINE, "unmet._ANEW": MOST_LINE, "unmet._FOUND": MOST_LINE, "own_times._NAME": MOST_NAME,
           "measures._NAME": MOST_NAMED}  # fmt: skip
"""Given no more than so many characters."""


def _calls(name: str) -> tuple[str, ...]:
    """How an expression is used: one that its module only asks for a match at a place is not searched for."""
    module, _, own = name.rpartition(".")
    file = Path(classifier.__file__).parent / f"{module.replace('.', '/')}.py"
    called = set(re.findall(rf"\b{own}\.(\w+)", file.read_text(encoding="utf-8"))) if file.is_file() else set()
    return ("match",) if called and called <= {"match", "fullmatch"} else ("findall",)


def test_they_are_found():
    """Those of stories, of whole modules and within tables are among them."""
    names = set(FOUND.values())
    assert len(FOUND) > 150
    assert {"lines._ANSI", "fingerprint._NAMED", "parsers.transformers_trainer._PAIR"} <= names
    assert {opens for _, _, opens in engine().stories} <= FOUND.keys()


def _hostile(regex: re.Pattern) -> Iterator[str]:
    source = regex.pattern if isinstance(regex.pattern, str) else regex.pattern.decode("latin-1")
    own = [word.replace("\\", "") for word in re.findall(r"(?:[\w ':\"=/,-]|\\[.|(){}\[\]*+?$^/-]){2,}", source)]
    for seed in (*PLAIN, *own[:24]):
        for stuff in (seed, seed + " ", seed + "0"):
            yield (stuff * MAX_LINE_BYTES)[:MAX_LINE_BYTES]
        yield (seed + " " * 40 + "a" * 40) * (MAX_LINE_BYTES // (len(seed) + 80))


@pytest.mark.parametrize(("regex", "name"), [pytest.param(regex, name, id=name) for regex, name in FOUND.items()])
def test_a_line_of_full_length_costs_little(regex, name):
    """Made of common characters and of the expression's own words, cut and repeated."""
    for text in _hostile(regex):
        cut = text[: SHORTER.get(name, MAX_LINE_BYTES)]
        line = cut if isinstance(regex.pattern, str) else cut.encode()
        for call in _calls(name):
            take = getattr(regex, call)
            assert any(_cost_s(take, line) * LINES_OF_A_MIB < MOST_S for _ in range(3)), (regex.pattern, text[:60])


def _cost_s(take, line: str | bytes) -> float:
    began = time.process_time()
    take(line)
    return time.process_time() - began
