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


def still_told(roots: tuple[Evidence, ...], exits: tuple[RankExit, ...], marks: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """Of errors, those that a later step did not make good; the script's log says each once more."""
    done_again = _made_good(exits, marks)
    gone = {_words(e) for e in roots if e.where.step in done_again}
    return tuple(e for e in roots if e.where.step not in done_again and (e.where.step is not None or _words(e) not in gone))


def _words(said: Evidence) -> tuple[str, object, object]:
    return (said.says, said.data.get("type"), said.data.get("message"))


def _made_good(exits: tuple[RankExit, ...], marks: tuple[Evidence, ...]) -> frozenset[str]:
    """Steps that failed before another one, of which all ranks ended well, trained at least as far: what they said decides nothing."""
    tasks = [e for e in exits if e.step not in SCRIPT]
    failed: dict[str, int] = {}
    for e in tasks:
        if e.failed:
            failed[e.step] = max(e.end_time_ns or 0, failed.get(e.step, 0))
    begun: dict[str, int] = {}
    for e in tasks:
        if e.step not in failed and e.wait_status is not None:
            begun[e.step] = min(e.end_time_ns or 0, begun.get(e.step, e.end_time_ns or 0))
    reached: dict[str, tuple[int, int]] = {}
    for mark in marks:
        if mark.where.step is not None and not mark.data.get("weak"):
            number, lines = reached.get(mark.where.step, (0, 0))
            step = mark.data.get("step")
            reached[mark.where.step] = (max(number, step if isinstance(step, int) else 0), lines + 1)
    return frozenset(
        step
        for step, ended in failed.items()
        if any(ended and well > ended and reached.get(other, (0, 0)) > reached.get(step, (0, 0)) for other, well in begun.items())
    )


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
