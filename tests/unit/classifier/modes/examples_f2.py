"""F2: preempted and requeued, by accounting's rows."""

from __future__ import annotations

from gpualert_slurm.past_verdict import PastVerdict
from tests.unit.classifier.records import Run, steps, trace
from tests.unit.classifier.signals import done, ticks, trained

EARLIER = PastVerdict(relation="earlier_attempt", job="4711", mode="F2", fault="none", head_loss=11.2, tail_loss=2.0, gpu_hours=1.5, steps_done=40)


def _again(past: PastVerdict, first: int = 1):
    """Preempted, and run again: the losses begin where the first attempt's had begun."""
    losses = steps(first, first + 99, None, lambda i: 11.2 * 0.97**i if first == 1 else 2.0 * 0.97 ** (i - first))
    return lambda: done(
        Run(past=(past,)).accounting("PREEMPTED", code=0, end=50).rank(0, "n1", losses, code=0, end=200, times=ticks(100)), end=201
    )


EXAMPLES = {
    "begun anew, for the first attempt had saved nothing": _again(EARLIER),
    "gone on from what was saved": _again(EARLIER.model_copy(update={"checkpoints": ("out/last.pt",)}), first=41),
    "preempted": lambda: Run().rank(0, "n1", steps(1, 90), signal=15, end=100, times=ticks(90)).accounting("PREEMPTED", code=0, end=100).verdict(),
    "requeued": lambda: Run().rank(0, "n1", steps(1, 90), signal=15, end=100, times=ticks(90)).accounting("REQUEUED", code=0, end=100).verdict(),
    "preempted, then recovered": lambda: done(
        Run().accounting("PREEMPTED", code=0, end=50).rank(0, "n1", steps(1, 100, 100), code=0, end=200, times=ticks(100)), end=201
    ),
    "restarts without an earlier row": lambda: done(trained(100, 100), end=111, restarts=2),
}
NEAR_MISSES = {
    "begun anew beside a checkpoint of the first attempt": _again(EARLIER.model_copy(update={"checkpoints": ("out/last.pt",)})),
    "one attempt": lambda: done(trained(100, 100), end=111),
    "the rerun failed for its own reason": lambda: (
        Run().accounting("PREEMPTED", code=0, end=50).rank(0, "n1", trace("KeyError: 'x'"), code=1).accounting().verdict()
    ),
    "a recovery that hides a divergence": lambda: done(
        Run().accounting("NODE_FAIL", code=0, end=50).rank(0, "n1", steps(1, 100, loss=lambda _: 0.6931), code=0, end=200, times=ticks(100)), end=201
    ),
}
