"""Case 10: a node goes down at the end; and ends that only look like it."""

from __future__ import annotations

import pytest

from gpualert_slurm.accounting import NodeState
from gpualert_slurm.finding import Standing
from gpualert_slurm.verdict import Fault
from tests.unit.classifier.records import Run, at, steps, trace
from tests.unit.classifier.signals import busy, done, down, series, standing, ticks


def test_the_node_that_went_down_is_named_and_the_others_are_fine():
    run = Run(("n1", "n2"), node_events=(down(290),)).rank(0, "n1", steps(1, 280), signal=9, end=300, times=ticks(280)).silent("n2")
    verdict = run.accounting("NODE_FAIL", code=0, end=300).verdict()
    assert (verdict.mode, verdict.fault) == ("F1", Fault.NODE)
    assert "n2" in verdict.headline
    assert any("no report" in words for words in verdict.implies)
    assert any("--exclude=n2" in line for line in verdict.advice)


def test_a_node_that_booted_while_the_job_ran_was_lost_whatever_its_state_is_now():
    state = NodeState(source="scontrol show node", node="n2", state="IDLE", boot_time_ns=at(250))
    run = Run(("n1", "n2"), node_states=(state,)).rank(0, "n1", steps(1, 200), signal=9, end=300, times=ticks(200)).silent("n2")
    verdict = run.accounting("FAILED", code=1, end=300).verdict()
    assert (verdict.mode, verdict.fault) == ("F1", Fault.NODE)


@pytest.mark.parametrize(
    "event",
    [down(-108_000, "DRAIN", "bad fan"), down(290, "DRAIN", "Kill task failed"), down(290, "DOWN", "Kill task failed"), down(290, node="n9")],
    ids=["drained 30 h before", "drained by its own leftovers", "down by its own leftovers", "another node"],
)
def test_twins_that_are_no_loss(event):
    run = Run(("n1", "n2"), node_events=(event,)).rank(0, "n1", trace("ValueError: x"), code=1).rank(1, "n2", code=1)
    verdict = run.accounting(end=300).verdict()
    assert verdict.mode == "A1"
    assert standing(verdict, "F1") is Standing.OUT


def test_twin_requeued_and_then_completed():
    run = Run().accounting("NODE_FAIL", code=0, end=100).rank(0, "n1", steps(1, 100, 100), code=0, end=300, times=ticks(100))
    verdict = done(run, end=301, restarts=1)
    assert (verdict.mode, verdict.variant, verdict.fault, verdict.is_problem) == ("F2", "requeued_recovered", Fault.NONE, False)


def test_twin_a_time_limit_while_advancing():
    run = Run().rank(0, "n1", steps(1, 718, 1000), signal=9, end=3601, times=ticks(718, 5))
    verdict = run.accounting("TIMEOUT", code=0, end=3600, time_limit_s=3600).verdict()
    assert (verdict.mode, verdict.variant, verdict.fault) == ("F3", "advancing", Fault.USER)
    assert any("23 min more" in words for words in verdict.implies)
    assert verdict.advice[0] == "#SBATCH --time=01:37:00"


def test_twin_a_time_limit_after_silence_of_one_rank():
    run = Run().rank(0, "n1", steps(1, 100, 1000), signal=9, end=3601, times=ticks(100, 5)).node("n1", series=[busy("n1", [80.0] * 8 + [0.0] * 52)])
    verdict = run.accounting("TIMEOUT", code=0, end=3600).verdict()
    assert verdict.mode == "C3"
    assert standing(verdict, "F3") is Standing.IN


def test_twin_a_time_limit_after_silence_of_many_ranks_before_any_step():
    run = Run(("n1", "n2"))
    for rank in range(4):
        node = f"n{1 + rank // 2}"
        run.rank(rank, node, "Initializing process group\n", signal=9, end=3600.5, local=rank % 2, times=[5.0])
        run.node(node, series=[busy(node, [0.0] * 60, f"GPU-{rank}"), series("gpu_memory_used_bytes", node, [4e8] * 60, uuid=f"GPU-{rank}")])
    verdict = run.accounting("TIMEOUT", code=0, end=3600).verdict()
    assert verdict.mode == "C1"


def test_twin_a_time_limit_after_silence_of_many_ranks_in_training():
    run = Run(("n1", "n2"))
    for rank in range(4):
        node = f"n{1 + rank // 2}"
        run.rank(rank, node, steps(1, 50) if rank == 0 else "", signal=9, end=3600.5, local=rank % 2, times=ticks(50))
        run.node(node, series=[busy(node, [100.0] * 60, f"GPU-{rank}")])
    verdict = run.accounting("TIMEOUT", code=0, end=3600).verdict()
    assert verdict.mode == "C2"
