"""Ranks that ended alike are one row: a thousand peers that were told to stop are one fact."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import tzinfo

from gpualert_slurm.notify import words
from gpualert_slurm.notify.claims import SCRIPT_STEPS
from gpualert_slurm.notify.plain import visible
from gpualert_slurm.notify.view import RankRow, Table
from gpualert_slurm.verdict import FirstFailure, RankState

SCRIPT_NAMES = {"batch": "the batch script", "interactive": "the interactive shell"}


def rank_table(states: Sequence[RankState], first: FirstFailure | None, max_rows: int, zone: tzinfo | None) -> Table:
    """The rows, first failure on top, then failed ones, then the others; ``first`` marks the rank(s) that failed first."""
    first_ranks = frozenset(first.ranks) if first else frozenset()
    groups: dict[tuple[bool, bool, str, str], list[RankState]] = defaultdict(list)
    for state in states:
        failed = bool(state.exit_code) or bool(state.signal)
        is_first = state.rank is not None and state.rank in first_ranks and failed and state.step not in SCRIPT_STEPS
        groups[not is_first, not failed, visible(state.words), visible(state.step)].append(state)
    steps = {key[3] for key in groups} - set(SCRIPT_STEPS)
    ordered = sorted(groups.items(), key=lambda g: (*g[0][:2], -len(g[1])))
    rows = tuple(_row(key, members, show_step=len(steps) > 1, zone=zone) for key, members in ordered[:max_rows])
    more = "" if len(ordered) <= max_rows else f"{words.plural(len(ordered) - max_rows, 'more group')} of ranks: see verdict.json"
    return Table(rows, more=more)


def _row(key: tuple[bool, bool, str, str], members: list[RankState], *, show_step: bool, zone: tzinfo | None) -> RankRow:
    not_first, not_failed, ended, step = key
    if step in SCRIPT_STEPS:
        on = words.nodes(m.node for m in members)
        return RankRow(SCRIPT_NAMES[step], len(members), on, ended, _when(members, zone), failed=not not_failed, first=False)
    known = [m.rank for m in members if m.rank is not None]
    names = words.ranks(known)
    unknown = len(members) - len(known)
    if unknown:
        names = f"{names} and {unknown} without a number" if names else f"{unknown} without a number"
    return RankRow(
        ranks=f"{'rank' if len(members) == 1 else 'ranks'} {names}{f' (step {step})' if show_step else ''}",
        count=len(members),
        nodes=words.nodes(m.node for m in members),
        ended=ended,
        when=_when(members, zone),
        failed=not not_failed,
        first=not not_first,
    )


def _when(members: list[RankState], zone: tzinfo | None) -> str:
    times = sorted(m.end_time_ns for m in members if m.end_time_ns is not None)
    if not times:
        return "not known"
    spread_s = (times[-1] - times[0]) / 1e9
    return words.instant(times[0], zone, millis=True) + (f", the last {words.short_span(spread_s)} later" if spread_s >= 0.001 else "")
