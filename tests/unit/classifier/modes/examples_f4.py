"""F4: cancelled, by whom."""

from __future__ import annotations

from gpualert_slurm.accounting import StepRecord
from tests.unit.classifier.records import Run, at, steps, trace
from tests.unit.classifier.signals import busy, ticks


def _cancelled(uid: int | None, text: str = "", **more):
    run = Run().rank(0, "n1", text or steps(1, 90), signal=15, end=100, times=ticks(90))
    return lambda: run.accounting("CANCELLED", code=0, end=100, cancelled_by_uid=uid, **more).verdict()


def _step_cancelled(last: float = 100.0, signal: int = 9):
    """Two tasks; the step is cancelled, its script says so and leaves with a code of its own."""
    run = Run(("n1", "n2")).rank(0, "n1", steps(1, 90), signal=9, end=100, times=ticks(90)).rank(1, "n2", steps(1, 90), signal=signal, end=last, times=ticks(90))
    run.batch("slurmstepd: error: *** STEP 4711.0 ON n1 CANCELLED AT 2026-11-20T16:00:00 ***\n", code=137, end=101, times=[100.1])
    return lambda: run.accounting(code=9, end=102, steps=(StepRecord(step="0", state="CANCELLED", exit_code=0, exit_signal=9, end_ns=at(101)),)).verdict()


def _lone_step(state: str):
    """One task; what its step is called tells a cancelled one (scancel JOBID.STEP) from a task that somebody killed."""
    run = Run().rank(0, "n1", steps(1, 90), signal=9, end=100, times=ticks(90))
    run.batch("slurmstepd: error: *** STEP 4711.0 ON n1 CANCELLED AT 2026-11-20T16:00:00 ***\n", code=137, end=101, times=[100.1])
    return lambda: run.accounting(code=9, end=102, steps=(StepRecord(step="0", state=state, exit_code=0, exit_signal=9, end_ns=at(101)),)).verdict()


EXAMPLES = {
    "a step of it, while the script ran on": _step_cancelled(),
    "a step of one task": _lone_step("CANCELLED"),
    "by its owner": _cancelled(1000),
    "by root": _cancelled(0),
    "by nobody who is named": _cancelled(None),
    "before it started": lambda: (
        Run().silent("n1").accounting("CANCELLED", code=0, end=0, start_ns=None, elapsed_s=0, cancelled_by_uid=1000, steps=()).verdict()
    ),
}
NEAR_MISSES = {
    "a step of one task that was killed": _lone_step("FAILED"),
    "a task that died a second before its peers were taken down": _step_cancelled(99.0),
    "a task that died of its own signal": _step_cancelled(signal=11),
    "an earlier fault": lambda: (
        Run()
        .rank(0, "n1", trace("KeyError: 'x'"), code=1, end=7)
        .rank(1, "n1", signal=15, end=300, local=1)
        .accounting("CANCELLED", code=0, end=300, cancelled_by_uid=1000)
        .verdict()
    ),
    "a hang before it": lambda: (
        Run()
        .rank(0, "n1", steps(1, 50), signal=15, end=3600, times=ticks(50))
        .node("n1", series=[busy("n1", [0.0] * 60)])
        .accounting("CANCELLED", code=0, end=3600, cancelled_by_uid=1000)
        .verdict()
    ),
    "preempted": lambda: Run().rank(0, "n1", steps(1, 90), signal=15, end=100, times=ticks(90)).accounting("PREEMPTED", code=0, end=100).verdict(),
}
