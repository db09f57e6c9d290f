"""Ranks that waited for a collective until it timed out, and ranks that stayed away from it: the first are victims, whoever ended first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.classifier.failure import Failure
from gpualert_slurm.classifier.telling import by_prefix
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.rank import RankExit


@dataclass(frozen=True)
class Waiting:
    """``gave_up``: the words of those that waited (watchdogs' lines, exceptions of the wait); ``who``: their ranks, as far as they are named."""

    gave_up: tuple[Evidence, ...]
    who: frozenset[int]
    absent: tuple[tuple[int, tuple[Evidence, ...]], ...]
    """Ranks that did not give up while at least as many others did, with what shows it."""


def waiting_of(waits: Iterable[Evidence], failures: tuple[Failure, ...], exits: tuple[RankExit, ...], named: tuple[int, ...]) -> Waiting:
    """Who waited in vain.

    Args:
        waits: words of ranks that lost a peer or waited for one.
        failures: the failed ranks.
        exits: all exit records, of ranks that are tasks.
        named: ranks below launchers that are known by name; where there are any, tasks are no ranks.
    """
    gave_up = tuple(e for e in waits if e.says == "collective_timeout" or e.detail == "collective_timeout")
    launched = any(f.end is None or f.end.wait_status is None for f in failures)
    who = {e.where.rank for e in gave_up if e.where.rank is not None and (not launched or by_prefix(e))}
    if launched:  # a line that names nobody is of the one failed rank that can have written it
        who |= {f.rank for f in failures if f.victim and not f.lost_connection and f.rank is not None}
    tasks = {e.rank for e in exits if e.rank is not None and e.step not in SCRIPT} if not named else set()
    others = sorted((tasks | set(named)) - who)
    if not who or not others or len(others) > len(who):
        return Waiting(gave_up, frozenset(who), ())
    ends = {f.rank: f.evidence for f in failures if f.rank is not None}
    absent = tuple((rank, (*gave_up[:1], *((ends[rank],) if rank in ends else ()))) for rank in others)
    return Waiting(gave_up, frozenset(who), absent)
