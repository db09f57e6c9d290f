"""In what order exits and evidence are told, whatever the order in which reports came."""

from __future__ import annotations

from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.rank import RankExit


def by_end(end: RankExit) -> tuple[int, str, str, int, int, int, int]:
    """By time, then by place; of records that contradict each other in all of it the failed one last."""
    rank = -1 if end.rank is None else end.rank
    return (end.end_time_ns or 0, end.node, end.step, end.local_rank, rank, end.wait_status or 0, end.pid or 0)


def by_place(said: Evidence) -> tuple[int, str, int, str, str, str]:
    """By time, then by place in its file, then by what it says: independent of the order in which reports came, and of where a file lies."""
    place = (said.source.file, said.source.offset) if isinstance(said.source, Quote) else ("", 0)
    return (said.time_ns or 0, *place, said.says, said.pattern or "", said.id)
