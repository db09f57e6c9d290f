"""A run whose one count came to its end after a handful: ``game 5/5``, ``blk 3/3``, ``Cycle 1/1``, whatever is counted, and each took a moment.

A few epochs may be a whole fine-tuning, so that only a single one counts here; and only where the whole job was a matter of seconds. A run that
counts anything further, or went on from a state, is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpualert_slurm.classifier.excerpts import heads
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.parents import command_lines
from gpualert_slurm.evidence import Evidence

MOST, MOST_ASKED, MOST_S = 6, 3, 10.0
"""Of what is counted; of what was asked for; and seconds that the whole job took."""
MOST_LINES, MOST_LINE = 200, 300
_OF = re.compile(r"(?<![\d./:-])(?P<at>\d{1,9})\s?(?:/|\bof\b[=:]?|\bvon\b|\bde\b|\bsur\b)\s?(?P<of>\d{1,9})(?![\d/]|[.:]\d)", re.IGNORECASE)
FRACTION = re.compile(r"(?<![\d.])[-+]?\d{1,9}\.\d+(?![\d.]*\d)(?!\s?(?:m?s|sec\w{0,4}|min|h)\b)|\bnan\b", re.IGNORECASE)
_MANY = re.compile(
    r"\b\d{3,9} (?:\w+ )?(?:batches|steps|iter\w*|updates|minibatches)\b|\b(?:iters?|steps|iterations|batches|updates)['\"]?"
    r"\s?[:=]\s?\d{3,9}\b",
    re.IGNORECASE,
)
"""What an epoch consists of, where it is much."""
OTHER = re.compile(
    r"\b(?:trial|fold|stage|phase|task|part|chain|shard|file|eval\w*|valid\w*|test\w*|right|wrong|correct|words|tokens|rank|proc\w*|node|worker|gpu"
    r"|chunks?|docs|documents|attempt|retry|try|keys"
    r"|tensors|layers|load\w*|read\w*|checks?|CV|candidates?|boost\w*|\d{1,6}m?s/step)\b",
    re.IGNORECASE,
)
_WHOSE = re.compile(r"\brank\s?[=:#]?\s?\d{1,6}\b(?!\s?(?:/|of\b|\.))", re.IGNORECASE)
"""Whose line it is."""
_ASKED = re.compile(
    r"(?:^|[\s,;{('\"])(?:--?|\+{1,2})?(?:(?:max|num|n|total)[_-]?)?(?P<word>epochs?|ep|e?pocas|epochen|[ée]poques|pass(?:es)?|rounds?|sweeps?|trees"
    r"|games|cycles?|iter(?:ation)?s?|steps|updates|generations?|vueltas|tours|runden|schritte|blocks|portions?)['\"]?(?:\s?[=:]\s?|\s)['\"]?"
    r"(?P<n>\d{1,9})(?![\d.])",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"\b(?:epochs?|ep|e?pocas|epochen|[ée]poques|pass(?:es)?|Epoche|[ée]poque|[ée]poca)\b", re.IGNORECASE)


def handful(facts: Facts) -> tuple[int, Evidence] | None:
    """How many there were, and the last of what tells them; None where they were more, took their time, or it does not show."""
    cited = (*facts.cite_end()[:1], *facts.said("progress"))[-1:]
    if not cited or not passed_quickly(facts):
        return None
    logs = ([*_counts(head)] for head in heads(facts.job))
    told = [found for found in logs if found]
    if any(int(count["of"]) > MOST for found in told for count, _ in found) or len({count["of"] for found in told for count, _ in found}) > 1:
        return None
    for found in told:  # the script's log may have those of all ranks
        last, line = found[-1]
        if [int(count["at"]) for count, _ in found] == list(range(1, int(last["of"]) + 1)) and not (_WHOLE.search(line) and int(last["of"]) > 1):
            return int(last["of"]), cited[0]
    return None


def asked_for_few(facts: Facts) -> tuple[int, Evidence] | None:
    """The same by the command line alone: ``--passes 3``, ``rounds=1``, ``"games": 5``; a single epoch, and nothing that was to count further."""
    if not passed_quickly(facts) or len(facts.advance.marks) > MOST:
        return None
    if facts.measured is not None and facts.measured.counter.counts[-1] > MOST:
        return None
    found = [(one, cite) for line, cite in command_lines(facts.job, facts.row) for one in _ASKED.finditer(line)]
    few = [(int(one["n"]), cite) for one, cite in found if int(one["n"]) <= (1 if _WHOLE.search(one["word"]) else MOST_ASKED)]
    if not found or len(few) < len(found) or min(n for n, _ in few) < 1:
        return None
    return few[0][0], few[0][1]()


def passed_quickly(facts: Facts, most_s: float = MOST_S) -> bool:
    """Whether the job took seconds, began with nothing, and tells of no more steps than a handful, nor of many in each pass."""
    took_s = facts.ending.elapsed_s
    if took_s is None or took_s > most_s or facts.advance.loaded or (facts.advance.steps_done or 0) > MOST:
        return False
    return not any(_MANY.search(text) for text in heads(facts.job))


def _counts(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """``3/5`` and its like in lines that measure something."""
    for line in text.splitlines()[:MOST_LINES]:
        if len(line) <= MOST_LINE and FRACTION.search(line) and not OTHER.search(_WHOSE.sub(" ", line)):
            yield from ((found, line) for found in _OF.finditer(line) if int(found["at"]) <= int(found["of"]))
