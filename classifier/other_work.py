"""Whether a job had other work than training: it went on long after it had said that nothing was to be trained."""

from __future__ import annotations

from gpualert_slurm.classifier.excerpts import text_of
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.evidence import Evidence, Quote

LEAST_S, SHARE, LEAST_LINES = 30.0, 0.5, 3
"""Seconds behind that word, of its life, and lines: what it did then was what it was run for."""


def went_on(facts: Facts, said: Evidence) -> bool:
    """Whether most of the run's time, and several of its lines, came behind ``said``."""
    end, life = facts.ending.ended_ns, facts.ending.elapsed_s
    if said.time_ns is None or end is None or not life or not isinstance(said.source, Quote):
        return False
    text = text_of(facts.job, said.source.file)
    behind = [line for line in text.partition(said.source.text.strip())[2].splitlines() if line.strip()]
    return len(behind) >= LEAST_LINES and (end - said.time_ns) / 1e9 >= max(LEAST_S, SHARE * life)
