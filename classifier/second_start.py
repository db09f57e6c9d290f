"""A second start in one script: what had trained to its end goes on from what it kept."""

from __future__ import annotations

from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.evidence import Evidence, Quote


def behind_progress(facts: Facts, error: Evidence) -> bool:
    """Whether the error's log says, behind all that it tells of progress, that it goes on from what was saved: a second start in one script."""
    if not isinstance(error.source, Quote):
        return False
    timed, whose = [m.time_ns for m in facts.advance.first_hand if m.time_ns is not None], (error.where.rank, error.where.node)
    loads = [e.time_ns for e in facts.advance.loaded if e.time_ns is not None and (e.where.rank, e.where.node) == whose]
    if error.time_ns is not None and any(max(timed, default=0) < at <= error.time_ns for at in loads):
        return True
    own = [m.source.offset for m in facts.advance.marks if isinstance(m.source, Quote) and m.source.file == error.source.file]
    began = [e.source.offset for e in facts.advance.loaded if isinstance(e.source, Quote) and e.source.file == error.source.file]
    return any(max(own, default=0) < at < error.source.offset for at in began)
