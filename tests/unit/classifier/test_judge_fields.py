"""The fields of a verdict that stand beside its mode: the first failure's GPU, who waited for whom, one node's ranks, what no count decides."""

from __future__ import annotations

import pytest

from gpualert_slurm.accounting import StepRecord
from gpualert_slurm.finding import Standing
from tests.unit.classifier.modes.examples_f2 import EXAMPLES as REQUEUED
from tests.unit.classifier.records import Run, at, steps, trace
from tests.unit.classifier.signals import busy, everywhere, gpu, process, row, ticks


def test_the_first_failures_gpu_is_the_one_that_its_process_had_opened():
    run = Run()
    for rank in range(2):
        run.rank(rank, "n1", trace("KeyError: 'x'") if rank else "", code=rank, end=10, local=rank)
    ranks = [process(pid=50 + r, rank=r, local_rank=r, gpu_uuids=(f"GPU-{r}",)) for r in range(2)]
    run.node("n1", processes=tuple(ranks), gpus_before=tuple(gpu("n1", f"GPU-{r}") for r in range(2)))
    first = run.accounting().verdict().first_failure
    assert first is not None
    assert (first.ranks, first.gpu_uuids) == ((1,), ("GPU-1",))


def test_of_a_rank_that_opened_several_gpus_none_is_named():
    run = Run().rank(0, "n1", trace("KeyError: 'x'"), code=1).node("n1", processes=(process(pid=50, rank=0, local_rank=0, gpu_uuids=("GPU-0", "GPU-1")),))
    first = run.accounting().verdict().first_failure
    assert first is not None
    assert first.gpu_uuids == ()


def test_a_startup_death_that_left_the_others_waiting_is_said_with_both():
    """Rank 3 dies at 5 s; srun leaves the other three in their rendezvous until the time limit an hour later."""
    run = Run(("n1", "n2")).rank(3, "n2", trace("KeyError: 'x'"), code=1, end=5, local=1)
    for rank in range(3):
        run.rank(rank, f"n{1 + rank // 2}", "", signal=9, end=3600.5, local=rank % 2)
    verdict = run.accounting("TIMEOUT", code=0, end=3600).verdict()
    assert verdict.mode == "A1"
    assert "rank 3 on n2" in verdict.headline
    assert any("went on waiting" in words and "trigger" in words for words in verdict.implies)
    assert any("--kill-on-bad-exit" in line for line in verdict.advice)


def test_a_death_whose_peers_were_taken_down_at_once_left_nobody_waiting():
    run = Run(("n1", "n2")).rank(3, "n2", trace("KeyError: 'x'"), code=1, end=5).rank(0, "n1", "", signal=9, end=6)
    verdict = run.accounting(end=7).verdict()
    assert not any("went on waiting" in words for words in verdict.implies)


def test_ranks_that_fail_on_one_node_alone_point_at_it():
    run = Run(("n1", "n2"))
    for rank in range(4):
        bad = rank >= 2
        run.rank(rank, f"n{1 + rank // 2}", trace(f"OSError: [Errno 5] Input/output error: '/scratch/{rank}'") if bad else "", code=int(bad), end=10, local=rank % 2)
    assert any("ran on n2" in words for words in run.accounting().verdict().implies)


def test_the_same_failure_on_every_node_is_the_jobs_own():
    verdict = everywhere(trace("KeyError: 'x'"), ranks=4).accounting(end=30).verdict()
    assert not any("ran on n" in words for words in verdict.implies)
    assert any("ranks said the same" in words for words in verdict.implies)


def test_the_work_that_a_requeued_run_did_twice_is_told():
    verdict = REQUEUED["begun anew, for the first attempt had saved nothing"]()
    assert (verdict.mode, verdict.variant) == ("F2", "preempted_recovered")
    assert any("40 steps" in words and "1.5 GPU-hours" in words for words in verdict.implies)
    assert verdict.waste.of_parent_gpu_hours == 1.5


def test_a_requeued_run_that_went_on_from_its_checkpoint_lost_nothing():
    verdict = REQUEUED["gone on from what was saved"]()
    assert verdict.waste.of_parent_gpu_hours is None
    assert not any("twice" in words for words in verdict.implies)


@pytest.mark.parametrize(("code", "mode"), [(1, "A3"), (143, "unknown")])
def test_a_rank_whose_exit_made_srun_take_the_step_down_is_not_its_follower(code, mode):
    """Slurm calls such a step cancelled, in whole seconds: the rank's own exit lies in the same second. A code for SIGTERM is no exit of its own."""
    run = Run().rank(0, "n1", steps(1, 40) + (trace("KeyError: 'x'") if code == 1 else ""), code=code, end=50.2, times=ticks(45))
    run.rank(1, "n1", signal=15, end=50.6, local=1)
    cancelled = (
        StepRecord(step="batch", state="FAILED", exit_code=15, exit_signal=0),
        StepRecord(step="0", state="CANCELLED", exit_code=0, exit_signal=15, end_ns=at(51)),
    )
    verdict = run.accounting(code=15, end=51, steps=cancelled).verdict()
    assert verdict.mode == mode
    if code == 1:
        assert verdict.first_failure is not None
        assert verdict.first_failure.ranks == (0,)


@pytest.mark.parametrize(("ranks", "mode"), [(1, "C3"), (2, "C2")])
def test_a_hang_without_cuda_counts_says_that_they_are_missing(ranks, mode):
    run = Run()
    for rank in range(ranks):
        run.rank(rank, "n1", steps(1, 50) if rank == 0 else "", signal=9, end=3600.5, local=rank, times=ticks(50))
    run.node("n1", series=[busy("n1", [90.0, 90.0, *[0.0] * 58], "GPU-0")])
    verdict = run.accounting("TIMEOUT", code=0, end=3600).verdict()
    assert verdict.mode == mode
    assert any("no CUDA counts" in words for words in verdict.cannot_decide)


def test_every_mode_has_a_row_also_where_nothing_is_known():
    """An empty record: no mode is called out for lack of data, and each says what would have flipped it."""
    verdict = Run().silent("n1").record()
    from gpualert_slurm.classifier import judge

    said = judge(verdict.model_copy(update={"nodes": ()}))
    assert len(said.ledger) == 20
    assert all(found.datum and found.flip for found in said.ledger)
    untested = {found.mode for found in said.ledger if found.standing is Standing.NOT_TESTABLE}
    assert {"A1", "A2", "B1", "B2", "B3", "C2", "D1", "E1", "G1"} <= untested
    assert row(said, "B2").datum
