"""Case 8: a dependent child whose loss starts where its parent's started."""

from __future__ import annotations

import pytest

from gpualert_slurm.finding import Standing
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.verdict import Fault
from tests.unit.classifier.records import steps
from tests.unit.classifier.signals import Run, done, process, row, standing, ticks

PARENT = PastVerdict(
    relation="parent", job="4700", mode="F3", fault="user", head_loss=11.0, tail_loss=2.0, gpu_hours=64.0, steps_done=5000, checkpoints=("out/checkpoint-5000",)
)
SUBMIT = "sbatch --dependency=afterany:4700 train.sh --resume_from_checkpoint out/checkpoint-5000"


def child(first_loss: float, first_step: int = 1, past: tuple[PastVerdict, ...] = (PARENT,), **job) -> Run:
    text = steps(first_step, first_step + 59, None, lambda i: first_loss * 0.97 ** (i - first_step))
    return Run(past=past, **job).rank(0, "n1", text, code=0, end=100, times=ticks(60))


def test_it_started_from_scratch_and_the_parents_hours_are_lost_with_it():
    verdict = done(child(11.2), end=101, submit_line=SUBMIT, dependency="afterany:4700(unfulfilled)")
    assert (verdict.mode, verdict.variant, verdict.fault) == ("E2", "from_scratch", Fault.USER)
    assert verdict.waste.of_parent_gpu_hours == 64.0
    assert verdict.waste.gpu_hours is not None
    assert verdict.waste.gpu_hours > 0
    assert "4700" in verdict.headline
    assert any("out/checkpoint-5000" in line for line in verdict.advice)
    assert verdict.is_problem


def test_twin_it_starts_at_the_parents_tail():
    verdict = done(child(2.0, first_step=5001), end=101, submit_line=SUBMIT)
    assert verdict.mode == "G1"
    assert verdict.waste.of_parent_gpu_hours is None


def test_second_twin_the_counter_starts_anew_and_the_loss_does_not():
    assert done(child(2.0), end=101, submit_line=SUBMIT).mode == "G1"


def test_third_twin_a_new_stage_by_its_command_line():
    run = child(11.2).node("n1", processes=(process(rank=0, command=("python", "pretrain_gpt.py", "--load", "out", "--finetune")),))
    verdict = done(run, end=101)
    assert verdict.mode == "G1"
    assert "stage" in row(verdict, "E2").datum


def test_fourth_twin_a_parent_without_losses_is_not_testable():
    bare = PastVerdict(relation="parent", job="4700", mode="F3", fault="user")
    verdict = done(child(11.2, past=(bare,)), end=101, submit_line=SUBMIT)
    assert verdict.mode == "G1"
    assert standing(verdict, "E2") is Standing.NOT_TESTABLE


def test_fifth_twin_a_line_says_that_it_was_loaded():
    text = "Resumed from out/checkpoint-5000\n" + steps(1, 60, None, lambda i: 11.2 * 0.97**i)
    run = Run(past=(PARENT,)).rank(0, "n1", text, code=0, end=100, times=[0.5, *ticks(60)])
    assert done(run, end=101).mode == "G1"


def test_a_parent_that_only_the_resume_argument_names():
    """Another job of the user saved to the folder that this one was given."""
    other = PARENT.model_copy(update={"relation": "same_name", "job": "4690"})
    run = child(11.2, past=(other,)).node("n1", processes=(process(rank=0, command=("python", "train.py", "--resume_from_checkpoint=out/checkpoint-5000")),))
    verdict = done(run, end=101)
    assert (verdict.mode, verdict.variant) == ("E2", "from_scratch")
    assert "4690" in verdict.headline


def test_a_job_of_the_same_name_without_a_shared_checkpoint_is_no_parent():
    other = PARENT.model_copy(update={"relation": "same_name", "job": "4690"})
    assert done(child(11.2, past=(other,)), end=101).mode == "G1"


@pytest.mark.parametrize("parent", [True, False])
def test_megatrons_own_word_is_proof_only_beside_a_parent(parent):
    """A fresh run prints the same line."""
    line = "WARNING: could not find the metadata file out/latest_checkpointed_iteration.txt \n    will not load any checkpoints and will start from random\n"
    run = Run().rank(0, "n1", line + steps(1, 60), code=0, end=100, times=[0.5, 0.5, *ticks(60)])
    if parent:
        run.node("n1", processes=(process(rank=0, command=("python", "pretrain_gpt.py", "--load", "out/megatron")),))
    assert done(run, end=101).mode == ("E2" if parent else "G1")
