"""F2: preempted and requeued, by accounting's rows."""

from __future__ import annotations

from tests.unit.classifier.records import Run, steps, trace
from tests.unit.classifier.signals import done, ticks, trained

EXAMPLES = {
    "preempted": lambda: Run().rank(0, "n1", steps(1, 90), signal=15, end=100, times=ticks(90)).accounting("PREEMPTED", code=0, end=100).verdict(),
    "requeued": lambda: Run().rank(0, "n1", steps(1, 90), signal=15, end=100, times=ticks(90)).accounting("REQUEUED", code=0, end=100).verdict(),
    "preempted, then recovered": lambda: done(
        Run().accounting("PREEMPTED", code=0, end=50).rank(0, "n1", steps(1, 100, 100), code=0, end=200, times=ticks(100)), end=201
    ),
    "restarts without an earlier row": lambda: done(trained(100, 100), end=111, restarts=2),
}
NEAR_MISSES = {
    "one attempt": lambda: done(trained(100, 100), end=111),
    "the rerun failed for its own reason": lambda: (
        Run().accounting("PREEMPTED", code=0, end=50).rank(0, "n1", trace("KeyError: 'x'"), code=1).accounting().verdict()
    ),
    "a recovery that hides a divergence": lambda: done(
        Run().accounting("NODE_FAIL", code=0, end=50).rank(0, "n1", steps(1, 100, loss=lambda _: 0.6931), code=0, end=200, times=ticks(100)), end=201
    ),
}
