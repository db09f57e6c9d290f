"""F1: Slurm's own records of a node that was lost with the job on it."""

from __future__ import annotations

from gpualert_slurm.accounting import NodeState
from tests.unit.classifier.records import Run, at, steps, trace
from tests.unit.classifier.signals import done, down, ticks


def _lost(state: str = "NODE_FAIL", **job) -> Run:
    return Run(("n1", "n2"), **job).rank(0, "n1", steps(1, 280), signal=9, end=300, times=ticks(280)).silent("n2").accounting(state, code=0, end=300)


EXAMPLES = {
    "NODE_FAIL and an event": lambda: _lost(node_events=(down(290),)).verdict(),
    "sacct 23.02 and later: FailedNode": lambda: (
        Run(("n1", "n2"))
        .rank(0, "n1", steps(1, 280), signal=9, end=300, times=ticks(280))
        .accounting("NODE_FAIL", code=0, end=300, failed_node="n2")
        .verdict()
    ),
    "NODE_FAIL alone": lambda: _lost().verdict(),
    "booted in mid-run": lambda: _lost(
        "FAILED", node_states=(NodeState(source="scontrol", node="n2", state="IDLE", boot_time_ns=at(280)),)
    ).verdict(),
}
NEAR_MISSES = {
    "drained long before": lambda: (
        Run(("n1",), node_events=(down(-108_000, "DRAIN", "bad fan", "n1"),)).rank(0, "n1", trace("KeyError: 'x'"), code=1).accounting().verdict()
    ),
    "Kill task failed": lambda: (
        Run(("n1",), node_events=(down(12, "DOWN", "Kill task failed", "n1"),)).rank(0, "n1", trace("KeyError: 'x'"), code=1).accounting().verdict()
    ),
    "srun prints it, no record does": lambda: Run().batch("srun: error: Node failure on n1\n", code=1).accounting().verdict(),
    "a good end": lambda: done(
        Run(("n1",), node_events=(down(99, node="n1"),)).rank(0, "n1", steps(1, 90, 90), code=0, end=100, times=ticks(90)), end=100
    ),
}
