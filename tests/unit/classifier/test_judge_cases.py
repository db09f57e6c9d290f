"""Runs beside the acceptance cases: hangs with a dead rank, losses that diverge or only look so, checkpoints, cancels."""

from __future__ import annotations

import pytest

from gpualert_slurm.cause import Cause
from gpualert_slurm.verdict import Fault
from tests.unit.classifier.records import Run, steps, trace
from tests.unit.classifier.signals import busy, ticks


def hung(**accounting):
    run = Run(("n1", "n2"))
    for rank in range(4):
        dead = rank == 2
        text = steps(1, 30) if rank == 0 else "training\n"
        text += trace("RuntimeError: DataLoader worker (pid 99) is killed by signal: Killed. ") if dead else ""
        times = ticks(30) if rank == 0 else [31.0]
        run.rank(
            rank,
            f"n{1 + rank // 2}",
            text,
            code=1 if dead else None,
            signal=None if dead else 9,
            end=32 if dead else 7200.4,
            local=rank % 2,
            times=times,
        )
    for node in ("n1", "n2"):
        run.node(node, series=[busy(node, (100.0,) * 20, f"GPU-{node}")])
    return run.accounting("TIMEOUT", code=0, end=7200, **{"time_limit_s": 7200, **accounting})


def test_survivors_of_a_dead_rank_hang_until_the_limit():
    verdict = hung().verdict()
    assert verdict.mode == "C2"
    assert verdict.trigger is not None
    assert (verdict.trigger.mode, verdict.trigger.cause) == ("A2", Cause.OOM_KILLER)
    assert "rank 2" in verdict.headline
    assert verdict.first_failure is not None
    assert verdict.first_failure.ranks == (2,)


def test_ranks_whose_watchdog_gave_up_are_victims_and_the_one_that_did_not_is_named():
    """Three of four ranks abort with the watchdog's words; nobody died first."""
    gave_up = (
        "[rank{0}]:[E ProcessGroupNCCL.cpp:607] [Rank {0}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=98, OpType=ALLREDUCE)\n"
    )
    run = Run()
    for rank in (0, 1, 3):
        run.rank(rank, "n1", steps(1, 30) + gave_up.format(rank), signal=6, end=640, local=rank, times=[*ticks(30), 639])
    run.rank(2, "n1", steps(1, 30), signal=9, end=641, local=2, times=ticks(30))
    verdict = run.accounting(end=642).verdict()
    assert (verdict.mode, verdict.cause, verdict.trigger, verdict.fault) == ("C2", Cause.NCCL, None, Fault.UNKNOWN)
    assert any("rank 2 " in words and "did not report" in words for words in verdict.implies)


@pytest.mark.parametrize(
    "loss",
    [
        lambda i: -3.0 - i / 10,
        lambda i: 2.0 + 0.3 * (-1) ** i,
        lambda i: 5.0 if i < 3 else 1.0 / i,
        lambda i: 0.0001,
    ],
    ids=["negative, as in reinforcement learning", "noisy", "falling fast", "converged"],
)
def test_losses_that_are_no_divergence(loss):
    text = steps(1, 100, 100, loss=loss)
    assert Run().rank(0, "n1", text, code=0, end=200, times=ticks(100)).accounting("COMPLETED", code=0, end=201).verdict().mode == "G1"


@pytest.mark.parametrize(
    ("loss", "variant"),
    [
        (lambda i: 2.0 / i if i < 60 else float("nan"), "non_finite"),
        (lambda i: 3.0 - i / 100 if i < 60 else 3.0 + (i - 60) / 2, "spike"),
        (lambda _: 0.6931, "flat"),
        (lambda i: 3.0 - i / 40 if i < 40 else 2.0, "plateau"),
    ],
    ids=["nan from step 60 on", "spike far above the start", "one value from the start", "one value from step 40 on"],
)
def test_losses_that_diverge_or_stand_still(loss, variant):
    text = steps(1, 100, 100, loss=loss)
    verdict = Run().rank(0, "n1", text, code=0, end=200, times=ticks(100)).accounting("COMPLETED", code=0, end=201).verdict()
    assert (verdict.mode, verdict.variant, verdict.training_correctness) == ("E1", variant, "failed")


def test_a_program_that_stops_at_a_loss_of_nan_diverged():
    text = steps(1, 20) + "step 21 loss nan\nLoss is nan, stopping training\n"
    verdict = Run().rank(0, "n1", text, code=1, end=40, times=ticks(30)).accounting().verdict()
    assert (verdict.mode, verdict.variant, verdict.cause) == ("E1", "non_finite", Cause.NAN_LOSS)


@pytest.mark.parametrize(
    ("error", "variant"),
    [
        ("RuntimeError: Error(s) in loading state_dict for Net:\n\tsize mismatch for fc.weight: copying a param with shape [10, 5]", "size_mismatch"),
        ("ValueError: Can't find a valid checkpoint at out/checkpoint-500", "no_valid_checkpoint"),
        ("RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory", "corrupt"),
        ("safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooLarge", "corrupt"),
    ],
)
def test_a_checkpoint_that_does_not_load(error, variant):
    verdict = Run().rank(0, "n1", trace(error), code=1).accounting().verdict()
    assert (verdict.mode, verdict.variant, verdict.fault) == ("E2", variant, Fault.USER)


def test_a_cancel_by_the_owner_is_no_problem():
    run = Run().rank(0, "n1", steps(1, 90), signal=15, end=100, times=ticks(90))
    verdict = run.accounting("CANCELLED", code=0, end=100, cancelled_by_uid=1000).verdict()
    assert (verdict.mode, verdict.variant, verdict.fault, verdict.is_problem) == ("F4", "by_owner", Fault.NONE, False)


def test_a_cancel_by_root_is_a_problem():
    verdict = (
        Run().rank(0, "n1", steps(1, 90), signal=15, end=100, times=ticks(90)).accounting("CANCELLED", code=0, end=100, cancelled_by_uid=0).verdict()
    )
    assert (verdict.mode, verdict.variant, verdict.is_problem) == ("F4", "by_other", True)


def test_what_a_program_prints_while_it_is_taken_down_is_no_cause():
    """A traceback after scancel's SIGTERM is what cancelling does."""
    text = steps(1, 90) + trace("RuntimeError: DataLoader worker (pid 9) exited: Terminated")
    run = Run().rank(0, "n1", text, code=1, end=99.8, times=[*ticks(90), 99.7])
    assert run.accounting("CANCELLED", code=0, end=100, cancelled_by_uid=1000).verdict().mode == "F4"
