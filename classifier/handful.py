"""A run whose one count came to its end after a handful: ``game 5/5``, ``blk 3/3``, ``Cycle 1/1``, whatever is counted, and each took a moment.

A few epochs may be a whole fine-tuning, so that only a single one counts here; and only where the whole job was a matter of seconds. A run that
counts anything further, or went on from a state, is none.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.evidence import Evidence, Quote

MOST, MOST_S = 6, 10.0
"""Of what is counted; and seconds that the whole job took."""
MOST_LINES, MOST_LINE = 200, 300
_OF = re.compile(r"(?<![\d./:-])(?P<at>\d{1,9})\s?(?:/|\bof\b|\bvon\b|\bde\b|\bsur\b)\s?(?P<of>\d{1,9})(?![\d/.:]|\.\d)", re.IGNORECASE)
_FRACTION = re.compile(r"(?<![\d.])[-+]?\d{1,9}\.\d+(?![\d.]*\d)|\bnan\b", re.IGNORECASE)
_OTHER = re.compile(
    r"\b(?:trial|fold|stage|phase|task|part|chain|shard|file|eval\w*|valid\w*|test\w*|right|wrong|correct|words|tokens|rank|proc\w*|node|worker|gpu"
    r"|chunk of|attempt|retry|try|keys"
    r"|tensors|layers|load\w*|read\w*|checks?|CV|candidates?)\b",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"\b(?:epochs?|ep|pass(?:es)?|Epoche|[ée]poque|[ée]poca)\b", re.IGNORECASE)


def handful(facts: Facts) -> tuple[int, Evidence] | None:
    """How many there were, and the last of what tells them; None where they were more, took their time, or it does not show."""
    took_s = facts.ending.elapsed_s
    said = [e for e in facts.said("progress") if isinstance(e.source, Quote)]
    if took_s is None or took_s > MOST_S or not said or facts.advance.loaded or (facts.advance.steps_done or 0) > MOST:
        return None
    found = [(count, line) for line in _lines(facts) for count in _OF.finditer(line) if _FRACTION.search(line) and not _OTHER.search(line)]
    if not found or max(int(count["of"]) for count, _ in found) > MOST or len({count["of"] for count, _ in found}) > 1:
        return None
    last, line = found[-1]
    if [int(count["at"]) for count, _ in found] != list(range(1, int(last["of"]) + 1)) or (_WHOLE.search(line) and int(last["of"]) > 1):
        return None
    return int(last["of"]), said[-1]


def _lines(facts: Facts) -> list[str]:
    """Lines of the log that tells of progress."""
    first = next(e.source.file for e in facts.said("progress") if isinstance(e.source, Quote))
    text = next((one.head or one.tail for r in facts.job.reports for one in r.excerpts if one.path == first), "")
    return [line for line in text.splitlines() if len(line) <= MOST_LINE][:MOST_LINES]
