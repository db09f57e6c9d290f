"""Whether what an error's line was loading are weights of others' making: a base model, a zoo's, a teacher's; none of the run's own earlier work.

Told by the folder or the name of the file (``zoo/encoder.pt``), by what the program calls it where it loads it (``torch.load(args.base)``), or by the
option under which the command line has it. An option that says to go on, with that very file, says otherwise.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.parents import command_lines, told_paths
from gpualert_slurm.classifier.saves import STATE_ENDING
from gpualert_slurm.evidence import Evidence

NEAREST = 240
_WHOSE = r"(?:zoo|pre_?-?trained|backbone|teacher|imagenet|foundation|hub|donor|base(?:_?model|_?weights|_?ckpt)?)"
_PLACE = re.compile(rf"(?:\A|/)(?:[\w-]{{1,30}}[_-])?{_WHOSE}(?:[_-][\w-]{{1,30}})?/", re.IGNORECASE)
_FILE = re.compile(rf"(?<![A-Za-z]){_WHOSE}(?![A-Za-z])[^/]{{0,60}}\Z", re.IGNORECASE)
_CALLED = re.compile(
    rf"\b(?:load\w{{0,20}}|open|read\w{{0,12}}|from_file)\(\s{{0,4}}(?:\w{{1,20}}[.\[(]\s{{0,2}}['\"]?){{0,2}}(?:\w{{1,20}}_)?{_WHOSE}(?:_\w{{1,20}})?['\"]?[\])),]",
    re.IGNORECASE,
)
_OPTION = re.compile(
    rf"(?:^|\s)(?:--?)?(?:\w{{1,20}}[._-])?{_WHOSE}(?:[_-]\w{{1,20}})?[= ]['\"]?(?P<path>[\w./~@+-]{{1,300}}{STATE_ENDING})(?![\w./-])", re.IGNORECASE
)
_LITERAL = re.compile(rf"['\"](?P<path>[\w./~@+-]{{1,300}}{STATE_ENDING})['\"]")


def others_weights(facts: Facts, error: Evidence) -> bool:
    """Whether the file that ``error`` is about, or the line that raised it, is of somebody else's weights."""
    doing, message = str(error.data.get("doing", ""))[-NEAREST:], str(error.data.get("message", ""))[:2000]
    paths = [found["path"] for text in (message, doing) for found in _LITERAL.finditer(text)]
    if any(path in told or told in path for path in paths for told, _ in told_paths(facts.job, facts.row, resumed=True)):
        return False
    if _CALLED.search(doing) or any(_PLACE.search(path) or _FILE.search(path.rpartition("/")[2]) for path in paths):
        return True
    given = {found["path"] for line, _ in command_lines(facts.job, facts.row) for found in _OPTION.finditer(line)}
    return any(path in given for path in paths)
