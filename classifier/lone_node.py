"""A node that says which of several it is, where it is all that the run had: it waits for nodes that nobody started, or that do not reach it.

One node's launcher (torchrun with a static rendezvous, a script of its own) prints ``node 0 of 2, head gpu01:29500`` and is silent from then on.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.facts import Facts

MOST_LINE, MOST_LINES = 200, 12
"""Of a log that says more than a start, something has begun."""
_WHICH = re.compile(
    r"\b(?:node|machine|host)(?:[_ ]?(?:rank|id|no\.?|number|index))?[ :=#]{0,3}(?P<who>\d{1,4})\s?(?:of|/|out of)\s?(?P<all>\d{1,4})(?![\d./]|:\d)",
    re.IGNORECASE,
)
_OF_HOW_MANY = re.compile(
    r"\bn_?nodes['\"]?\s?[:=]\s?(?P<all>\d{1,4})\b.{0,80}\b(?:node|machine)_?rank['\"]?\s?[:=]\s?(?P<who>\d{1,4})\b", re.IGNORECASE
)
"""``NNODES=3 MASTER=n1:29500 node_rank=0``."""
_FROM_SLURM = ("srun: ", "slurmstepd")


def lone_node(facts: Facts) -> str | None:
    """Which node of how many the run's only one says that it is, in a log that holds hardly more than that; None where none does."""
    nodes = {r.node for r in facts.job.reports} | {e.node for e in facts.exits}
    if len(nodes) != 1 or facts.ranks_total > 1 or facts.advance.seen:
        return None
    for one in (x for r in facts.job.reports for x in r.excerpts):
        if one.bytes_left_out:
            return None
        lines = [line[:MOST_LINE] for line in one.text.splitlines() if line.strip() and not line.startswith(_FROM_SLURM)]
        if len(lines) > MOST_LINES:
            return None
        for line in lines:
            found = _WHICH.search(line) or _OF_HOW_MANY.search(line)
            if found is not None and int(found["who"]) <= int(found["all"]) and int(found["all"]) > 1:
                return f"it is node {found['who']} of {found['all']}"
    return None
