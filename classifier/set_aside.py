"""Failed tasks of a run that Slurm calls a success which did not spoil it: helpers that the script stopped, and ranks whose work was done."""

from __future__ import annotations

from gpualert_slurm.accounting import AccountingRecord
from gpualert_slurm.classifier.ending import SCRIPT, SIGNALLED
from gpualert_slurm.classifier.failure import SIGKILL, SIGTERM
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.rank import RankExit

_SENT = {SIGTERM, SIGKILL}


def set_aside(exits: tuple[RankExit, ...], row: AccountingRecord | None, marks: tuple[Evidence, ...]) -> tuple[RankExit, ...]:
    """Of ``exits``, failed tasks that decide nothing.

    Args:
        exits: all tasks of a run whose batch script ended with 0.
        row: Slurm's word of the job and its steps.
        marks: lines of progress of all ranks.
    """
    tasks = [e for e in exits if e.step not in SCRIPT]
    states = {s.step: (s.state or "").split()[0] if s.state else "" for s in row.steps} if row is not None else {}
    some_well = "COMPLETED" in {state for step, state in states.items() if step not in SCRIPT}
    reached: dict[tuple[str | None, int | None], int] = {}
    for mark in marks:
        if isinstance(step := mark.data.get("step"), int):
            key = (mark.where.step, mark.where.rank)
            reached[key] = max(reached.get(key, step), step)
    return tuple(e for e in tasks if e.failed and ((some_well and states.get(e.step) == "CANCELLED" and _sent(e)) or _as_far(e, tasks, reached)))


def _sent(end: RankExit) -> bool:
    """By a signal that cancelling a step sends."""
    return end.signal in _SENT or (end.exit_code or 0) - SIGNALLED in _SENT


def _as_far(end: RankExit, tasks: list[RankExit], reached: dict[tuple[str | None, int | None], int]) -> bool:
    """Whether it left by itself behind as many steps as every rank of its step that ended well: in tidying up, not in training."""
    if not end.exit_code or end.exit_code >= SIGNALLED:
        return False
    well = [reached.get((e.step, e.rank)) for e in tasks if e.step == end.step and e.wait_status is not None and not e.failed]
    mine = reached.get((end.step, end.rank))
    return mine is not None and bool(well) and all(other is not None and mine >= other for other in well)
