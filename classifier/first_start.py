"""A run that is always told to go on from where it saves itself, and finds nothing there: it is the first one.

``--resume runs/a/last.pt`` in a script that is submitted again and again is no promise that there is something; a count in the file's name is one.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.parents import FIRST, saved_to, told_paths
from gpualert_slurm.evidence import Evidence, Quote

_COUNTED = re.compile(r"\d")
_ABSENT = re.compile(
    r"\b(?:is not there|not found|does not exist|doesn't exist|no such|missing|absent|no \w+ at|nothing (?:at|in|under))\b", re.IGNORECASE
)


def first_start(facts: Facts, said: tuple[Evidence, ...]) -> bool:
    """Whether all that it was to go on from is where it then saved, and one of the lines ``said`` tells that it was not there."""
    if any(_says_first(facts, e) for e in said):
        return True
    told = [path for path, _ in told_paths(facts.job, facts.row, resumed=True)]
    saved = {path.strip("'\"`.") for path in saved_to(facts.advance.saved)}
    absent = any(isinstance(e.source, Quote) and _ABSENT.search(e.source.text) and any(path in e.source.text for path in told) for e in said)
    return bool(told) and absent and all(path in saved and not _COUNTED.search(path.rpartition("/")[2]) for path in told)


def _says_first(facts: Facts, said: Evidence) -> bool:
    """Whether a line calls this the first run, and nothing was saved before it in the same log."""
    if not isinstance(said.source, Quote) or FIRST.search(said.source.text) is None:
        return False
    place = said.source
    saved = (e.source for e in (*facts.advance.saved, *facts.advance.marks) if isinstance(e.source, Quote))
    return not any(one.file == place.file and one.offset < place.offset for one in saved)
