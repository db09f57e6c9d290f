"""A run that says how far its earlier part had come, in any sentence, and then counts and learns from the beginning.

``continuing part 3 (parts 1-2 reached update 200000)``, ``previous segment ended at step 55000; restored step = 0``, ``expected global_step 15000,
got 0``: no file need be named. The count is of what the run itself counts by, further than its first lines, and what is lowered begins at its height.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.lineage import COUNTS, OTHERS, before_progress, came_from_nothing, counted
from gpualert_slurm.classifier.words import headline
from gpualert_slurm.evidence import Evidence

LEAST = 5
_EARLIER = re.compile(
    r"\b(?:previous(?:ly)?|earlier|prior|last) (?:run|part|segment|job|attempt|best|session|leg|chunk|piece|link|time)\b|\bparts? \d[\d, and&-]{0,12}"
    r"|\b(?:continu|resum)(?:ing|es|e)\b|\bso far\b|\bleft off\b|\bexpected\b",
    re.IGNORECASE,
)
_REACHED = re.compile(
    rf"(?:\b(?:reached|ended|stopped|finished|died|was|got|came|expected|at|to|until|up to|after|left off)\b[^.;\d]{{0,24}}?)"
    rf"(?:(?P<word>(?:global[_ ]?)?(?:{COUNTS}))\W{{0,3}}(?P<at>\d[\d,]{{0,12}})|(?P<n>\d[\d,]{{0,12}}) (?P<unit>{COUNTS}))(?![\w.]*\d)",
    re.IGNORECASE,
)
_NOT_SO = re.compile(
    r"\b(?:warm-?up|every|per|each|max\w*|target|total|planned|limit|budget|baseline|paper|reference|eta|will|if|unless|freez|stage|phase"
    r"|epochs? of)\b",
    re.IGNORECASE,
)


def far_behind(facts: Facts) -> tuple[str, tuple[Evidence, ...]] | None:
    """In words, what it said of its earlier part; None where it said nothing, or goes on from there."""
    told = counted(facts)
    if told is None or facts.advance.loaded or not came_from_nothing(facts):
        return None
    lines = before_progress(facts)
    if any(OTHERS.search(line) for line in lines):
        return None
    for line in lines:
        if _EARLIER.search(line) is None or _NOT_SO.search(line) is not None or (found := _REACHED.search(line)) is None:
            continue
        reached = int((found["at"] or found["n"]).replace(",", ""))
        if reached >= max(LEAST, 2 * told[0][0]):
            return f"it says: {headline(line.strip())}, and counts and learns from the beginning", facts.advance.marks[:1]
    return None
