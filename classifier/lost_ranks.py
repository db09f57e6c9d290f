"""Which ranks ran on a node that was lost: by its own report where it came, else by those that the other nodes do not have.

What died with the node is what failed first; the ranks that are left die of it, and are the only ones that still tell an exit.
"""

from __future__ import annotations

from collections.abc import Collection

from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.classifier.facts import Facts

MOST_RANKS = 65_536


def lost_ranks(facts: Facts, lost: Collection[str]) -> tuple[int, ...]:
    """The ranks of the ``lost`` nodes in order; none where nothing tells them."""
    ranks = _by_node(facts)
    own = {rank for node in lost for rank in ranks.get(node, ())}
    if own:
        return tuple(sorted(own))
    others = [node for node in facts.job.nodes if node not in lost]
    if not lost or any(node in {r.node for r in facts.job.reports} for node in lost) or any(not ranks.get(node) for node in others):
        return ()  # a report without ranks, or a node of which nothing is known
    seen = {rank for node in others for rank in ranks[node]}
    last = max(seen, default=-1)
    told = max((s.ntasks or 0 for s in facts.row.steps if s.step not in SCRIPT), default=0) if facts.row is not None else 0
    missing = tuple(rank for rank in range(min(max(told, last + 1), MOST_RANKS)) if rank not in seen)
    each = {len(ranks[node]) for node in others}
    all_of_them = len(each) == 1 and len(missing) == len(lost) * min(each)
    if missing and (told > last or all_of_them):
        return missing
    return _by_blocks(facts.job.nodes, ranks, lost)


def _by_node(facts: Facts) -> dict[str, set[int]]:
    """The ranks that each node's report names."""
    found: dict[str, set[int]] = {}
    for report in facts.job.reports:
        logs = {log.rank for log in report.logs if log.rank is not None and log.step not in SCRIPT}
        found.setdefault(report.node, set()).update(logs)
    for end in facts.exits:
        if end.rank is not None and end.step not in SCRIPT:
            found.setdefault(end.node, set()).add(end.rank)
    return found


def _by_blocks(nodes: tuple[str, ...], ranks: dict[str, set[int]], lost: Collection[str]) -> tuple[int, ...]:
    """By their places, where every other node has as many, one block after the other (srun's own distribution)."""
    each = {len(ranks[node]) for node in nodes if node not in lost}
    if len(each) != 1:
        return ()
    count = each.pop()
    blocks = {node: range(at * count, (at + 1) * count) for at, node in enumerate(nodes)}
    if any(ranks[node] != set(blocks[node]) for node in nodes if node not in lost):
        return ()
    return tuple(rank for node in nodes if node in lost for rank in blocks[node])
