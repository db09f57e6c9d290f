"""The ten acceptance cases and every twin: where each is tested, on whole records and as a real job.

Of a real job, ``but`` says what is other there than in the case's words: nothing stretches time to hours, no GPU is at hand (readings are scripted through
the project's own NVML), and the bed has four nodes, so that ranks are fewer. What a case is about is real: processes, signals, exit codes, kills for
memory, suspensions, limits, lost nodes, losses of really trained models.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[3]
JOBS, TWINS = "system/test_acceptance_jobs.py", "system/test_acceptance_twins.py"


@dataclass(frozen=True)
class Place:
    """One case or twin: its words, its test on a whole record (in the file of its case), its test as a real job, and what is not as in the words."""

    case: int
    words: str
    record: str
    job: str
    but: str = ""


PLACES = (
    Place(1, "adapter target, 16 ranks under torchrun", "test_an_adapter_for_modules_the_model_has_not", f"{JOBS}::test_01_an_adapter_that_names_absent_modules", "four ranks; PEFT's message raised by hand"),
    Place(1, "twin: gated repository", "test_twin_a_gated_repository", f"{JOBS}::test_01_twin_a_gated_repository", "the hub's message raised by hand"),
    Place(2, "ranks 1 and 4 SIGKILLed, exit 1:0", "test_both_are_named_and_the_killer_is_left_open", f"{JOBS}::test_02_two_ranks_that_were_killed"),
    Place(2, "twin: cgroup oom_kill +1", "test_twin_the_cgroup_counted_the_kill", f"{TWINS}::test_02_twin_killed_by_its_control_group", "one rank"),
    Place(3, "91.6 GiB on a 79.2 GiB card", "test_it_is_b1_although_the_sampled_peak_is_low", f"{TWINS}::test_03_an_allocation_larger_than_the_card", "PyTorch's class and message, raised by hand"),
    Place(3, "twin: the same text, then progress to the end", "test_twin_the_same_text_and_then_progress_to_the_end", f"{TWINS}::test_03_twin_the_same_text_and_then_progress_to_the_end", "raised by hand; the training is real"),
    Place(4, "uncorrectable ECC +1 in the episode", "test_it_is_the_hardware_and_the_node_is_to_be_drained", f"{JOBS}::test_04_an_uncorrectable_error_of_memory_at_the_end"),
    Place(4, "twin: three flat remaps and a FileNotFoundError", "test_twin_flat_remaps_and_a_missing_file", f"{JOBS}::test_04_twin_old_remaps_and_a_missing_file"),
    Place(4, "second twin: ECC +1 at hour 1, missing file at hour 40", "test_second_twin_an_error_at_hour_1_and_a_missing_file_at_hour_40", f"{TWINS}::test_04_second_twin_an_error_that_the_run_outlived_and_a_missing_file", "75 s of progress between them, not 39 h"),
    Place(5, "fifteen ranks spin, one is cold, its loader killed, TIMEOUT", "test_the_hang_is_the_mode_and_the_loader_the_trigger", f"{JOBS}::test_05_a_hang_whose_loader_was_killed", "three ranks of gloo, whose own time-out ends it"),
    Place(5, "twin: suspended by Slurm", "test_twin_the_job_was_suspended_by_slurm", f"{TWINS}::test_05_twin_suspended_by_slurm", "for 20 s, and it reaches its limit advancing"),
    Place(6, "engine 1.0 and SM 0.1 on all ranks", "test_it_is_bound_by_the_interconnect_and_the_cluster_must_act", f"{JOBS}::test_06_bound_by_the_interconnect"),
    Place(6, "twin: SM 0.55 on one rank, median 0.16", "test_twin_one_rank_at_055_and_the_median_at_016", f"{JOBS}::test_06_twin_a_straggler"),
    Place(7, "loss flat near 11.9, grad norm to 0", "test_a_loss_that_stands_still_with_a_dying_gradient", f"{JOBS}::test_07_a_plateau"),
    Place(7, "twin: slow but falling", "test_twin_slow_but_falling", f"{JOBS}::test_07_twin_slow_but_falling"),
    Place(8, "dependent child from the parent's initial loss", "test_it_started_from_scratch_and_the_parents_hours_are_lost_with_it", f"{JOBS}::test_08_a_child_that_started_from_scratch"),
    Place(8, "twin: starts at the parent's tail", "test_twin_it_starts_at_the_parents_tail", f"{JOBS}::test_08_twin_a_child_that_went_on"),
    Place(9, "one logged step, one save", "test_the_headline_is_the_step_and_rates_are_not_testable", f"{JOBS}::test_09_a_single_step"),
    Place(9, "twin: 200 steps", "test_twin_two_hundred_steps", f"{JOBS}::test_09_twin_two_hundred_steps"),
    Place(10, "node DOWN at the end", "test_the_node_that_went_down_is_named_and_the_others_are_fine", f"{JOBS}::test_10_a_node_lost_under_its_job"),
    Place(10, "twin: drained 30 h before the end", "test_twins_that_are_no_loss", f"{TWINS}::test_10_twin_drained_under_it", "drained some seconds before"),
    Place(10, "twin: requeued and then completed", "test_twin_requeued_and_then_completed", f"{JOBS}::test_10_twin_requeued_and_well"),
    Place(10, "twin: TIMEOUT while advancing", "test_twin_a_time_limit_while_advancing", f"{JOBS}::test_10_twin_the_time_limit_while_it_advanced"),
    Place(10, "twin: TIMEOUT after silence, C1", "test_twin_a_time_limit_after_silence_of_many_ranks_before_any_step", f"{TWINS}::test_10_twin_a_time_limit_after_silence_before_any_step", "a limit of a minute, no GPU"),
    Place(10, "twin: TIMEOUT after silence, C2", "test_twin_a_time_limit_after_silence_of_many_ranks_in_training", f"{TWINS}::test_10_twin_a_time_limit_after_silence_in_training", "a limit of a minute"),
    Place(10, "twin: TIMEOUT after silence, C3", "test_twin_a_time_limit_after_silence_of_one_rank", f"{TWINS}::test_10_twin_a_time_limit_after_silence_of_one_rank", "a limit of a minute"),
)  # fmt: skip
"""In the order of the cases; every twin's exact conditions, hours included, are in its record."""


def named_in(path: Path) -> set[str]:
    return {node.name for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("place", [pytest.param(place, id=f"{place.case}: {place.words}") for place in PLACES])
def test_it_is_tested_on_a_whole_record_and_as_a_real_job(place):
    (file,) = Path(__file__).parent.glob(f"test_{place.case:02d}_*.py")
    assert place.record in named_in(file)
    job, _, name = place.job.partition("::")
    assert name in named_in(TESTS / job)
    assert name.startswith(f"test_{place.case:02d}_")


def test_all_ten_have_a_twin():
    assert {place.case for place in PLACES} == set(range(1, 11))
    assert {place.case for place in PLACES if "twin" in place.words} == set(range(1, 11))
