"""At which count a run first put a state away, by what its lines have in common: one file, or one family of files, with a count that grows.

Saves are told in anybody's words (``gauges.json now holds sweep 30``, ``pas 40 : point de reprise ecrit (reprise.pt)``). What is the same in all is
that the file comes again and again behind progress, each time with a later count, and never a later one than the run had come to.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.lineage import COUNTS, READ
from gpualert_slurm.classifier.recount import counted_steps
from gpualert_slurm.classifier.saves import STATE_ENDING

LEAST = 2
MOST_TEXT, MOST_LINE = 64 * 1024, 300
_FILE = re.compile(rf"(?<![\w./~@+=-])[\w./~@+-]{{1,200}}(?:{STATE_ENDING}|\.(?:txt|snap|bak))(?![\w/-])", re.IGNORECASE)
_AT = re.compile(rf"(?<![\w-])(?:{COUNTS}|pas|tour|kierros|stap|adım|krok|varv)\W{{0,3}}(?P<at>\d{{1,9}})(?![\d.])", re.IGNORECASE)
_NO_STATE = re.compile(
    r"metric|loss|histor|eval|pred|sampl|plot|figure|report|stat(?:s|istics)\b|log\b|logs?/|result|score|data|shard|split|vocab|config|summary"
    r"|image|batch_|part-|chunk",
    re.IGNORECASE,
)
_NAMES_COUNT = re.compile(r"\d+")


def first_kept(facts: Facts) -> int | None:
    """The first count of the family of files that was named so at least twice; None where there is none."""
    steps = counted_steps(facts)
    last = max([*steps, facts.measured.counter.counts[-1] if facts.measured is not None else 0], default=0)
    found: dict[str, list[int]] = {}
    for text in (one.text[:MOST_TEXT] for report in facts.job.reports for one in report.excerpts):
        for line in (line[:MOST_LINE] for line in text.splitlines()):
            at, files = _AT.search(_FILE.sub(" ", line)), _FILE.findall(line)
            if at is None or len(files) != 1 or READ.search(line) or _NO_STATE.search(files[0]):
                continue
            found.setdefault(_NAMES_COUNT.sub("#", files[0]), []).append(int(at["at"]))
    told = (sorted(set(counts)) for counts in found.values())  # two logs may tell the same
    return min((counts[0] for counts in told if len(counts) >= LEAST and counts[0] > 0 and counts[-1] <= last), default=None)
