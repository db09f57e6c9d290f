"""F4: cancelled, by whom."""

from __future__ import annotations

from tests.unit.classifier.records import Run, steps, trace
from tests.unit.classifier.signals import busy, ticks


def _cancelled(uid: int | None, text: str = "", **more):
    run = Run().rank(0, "n1", text or steps(1, 90), signal=15, end=100, times=ticks(90))
    return lambda: run.accounting("CANCELLED", code=0, end=100, cancelled_by_uid=uid, **more).verdict()


EXAMPLES = {
    "by its owner": _cancelled(1000),
    "by root": _cancelled(0),
    "by nobody who is named": _cancelled(None),
    "before it started": lambda: (
        Run().silent("n1").accounting("CANCELLED", code=0, end=0, start_ns=None, elapsed_s=0, cancelled_by_uid=1000, steps=()).verdict()
    ),
}
NEAR_MISSES = {
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
