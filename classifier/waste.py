"""GPU-hours that a run held and did not turn into a result."""

from __future__ import annotations

from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.verdict import Waste


def waste_of(facts: Facts, *, lost: bool, of_parent: float | None = None) -> Waste:
    """GPUs (from TRES, else as many as were seen) times the time held; absent where either is not known. ``of_parent``: an earlier run's."""
    count = facts.gpu_count
    row = facts.row
    seconds: float | None = float(row.elapsed_s) if row is not None and row.elapsed_s is not None else facts.ending.elapsed_s
    parents = round(of_parent, 3) if of_parent is not None else None
    if not lost:
        return Waste(gpu_hours=0.0 if count is not None else None, of_parent_gpu_hours=parents)
    return Waste(gpu_hours=round(count * seconds / 3600, 3) if count is not None and seconds is not None else None, of_parent_gpu_hours=parents)
