"""Ranks that ended alike are one row: a thousand peers that were told to stop are one fact."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import tzinfo

from gpualert_slurm.notify import words
from gpualert_slurm.notify.plain import visible
from gpualert_slurm.notify.view import RankRow, Table
from gpualert_slurm.verdict import FirstFailure, RankState


def rank_table(states: Sequence[RankState], first: FirstFailure | None, max_rows: int, zone: tzinfo | None) -> Table:
    """The rows, first failure on top, then failed ones, then the others; ``first`` marks the rank(s) that failed first."""
    first_ranks = frozenset(first.ranks) if first else frozenset()
    groups: dict[tuple[bool, bool, str, str], list[RankState]] = defaultdict(list)
    for state in states:
        failed = bool(state.exit_code) or bool(state.signal)
        is_first = state.rank is not None and state.rank in first_ranks and failed
        groups[not is_first, not failed, visible(state.words), visible(state.step)].append(state)
    steps = {key[3] for key in groups}
    rows = [_row(key, members, show_step=len(steps) > 1, zone=zone) for key, members in sorted(groups.items(), key=lambda g: (*g[0][:2], -len(g[1])))]
    more = "" if len(rows) <= max_rows else f"{words.plural(len(rows) - max_rows, 'more group')} of ranks: see verdict.json"
    return Table(tuple(rows[:max_rows]), more=more)


def _row(key: tuple[bool, bool, str, str], members: list[RankState], *, show_step: bool, zone: tzinfo | None) -> RankRow:
    not_first, not_failed, ended, step = key
    known = [m.rank for m in members if m.rank is not None]
    names = words.ranks(known)
    unknown = len(members) - len(known)
    if unknown:
        names = f"{names} and {unknown} without a number" if names else f"{unknown} without a number"
    times = sorted(m.end_time_ns for m in members if m.end_time_ns is not None)
    when = words.instant(times[0], zone, millis=True) if times else "not known"
    if times and times[-1] - times[0] >= 1_000_000:
        when += f", the last {words.short_span((times[-1] - times[0]) / 1e9)} later"
    return RankRow(
        ranks=f"{names} (step {step})" if show_step else names,
        count=len(members),
        nodes=words.nodes(m.node for m in members),
        ended=ended,
        when=when,
        failed=not not_failed,
        first=not not_first,
    )
