"""Several trainings in one job, each of which counts anew: which of them the run kept."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from gpualert_slurm.evidence import Evidence, Quote


def trial_left_out(marks: Sequence[Evidence], errors: Sequence[Evidence]) -> Evidence | None:
    """The error by which the last of several trials ended; ``marks`` and ``errors`` are of a run that ended well, in order.

    Its losses are not what the run made.
    """
    counts = [c for m in marks if isinstance(c := m.data.get("step", m.data.get("epoch")), (int, float))]
    if not any(after < before for before, after in pairwise(counts)):
        return None
    return next((e for e in errors if behind(e, marks[-1])), None)


def behind(said: Evidence, mark: Evidence) -> bool:
    """Surely later than a line of progress."""
    here, there = said.source, mark.source
    if isinstance(here, Quote) and isinstance(there, Quote) and (here.file, said.where.node) == (there.file, mark.where.node):
        return here.offset > there.offset
    return said.time_ns is not None and mark.time_ns is not None and said.time_ns > mark.time_ns
