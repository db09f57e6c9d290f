"""Whole verdicts over the logs of real frameworks (tests/goldens): what each recipe caused is what its verdict names."""

from __future__ import annotations

import pytest

from gpualert_slurm.finding import Standing
from gpualert_slurm.verdict import Fault, Verdict
from tests.goldens.recipe import Run as Recipe
from tests.goldens.recipe import all_runs
from tests.unit.classifier.records import Run
from tests.unit.classifier.signals import row

RECIPES = {run.log: run for run in all_runs()}
WELL = {log for log, run in RECIPES.items() if run.notes["ends"] == 0}


def verdict_of(recipe: Recipe) -> Verdict:
    """The recorded log as the output of a one-task job that ended as the recipe did; times are not known."""
    ends = recipe.notes["ends"]
    text = recipe.path.read_bytes().decode("utf-8", "backslashreplace")
    how = {"signal": -ends} if ends < 0 else {"code": ends}
    state = "COMPLETED" if ends == 0 else "FAILED"
    return Run().rank(0, "n1", text, end=100, times=[], **how).accounting(state, code=max(ends, 0), signal=max(-ends, 0), end=101).verdict()


def words(verdict: Verdict) -> str:
    ranks = ",".join(map(str, verdict.first_failure.ranks)) if verdict.first_failure else "-"
    mode = f"{verdict.mode} {verdict.variant}" if verdict.variant else verdict.mode
    return f"{mode}, {verdict.cause.value if verdict.cause else '-'}, {verdict.detail or '-'}, {ranks}"


EXPECTED = {
    "accelerate-1.15/02": "A3, traceback, -, 0",
    "accelerate-1.15/03": "E2 no_valid_checkpoint, traceback, no_valid_checkpoint, 0",
    "datasets-5.2/04": "A1 data, traceback, dataset_columns, 0",
    "datasets-5.2/11": "A1 data, traceback, split_missing, 0",
    "deepspeed-0.19/02": "A3, traceback, -, 1",
    "deepspeed-0.19/03": "A2, -, -, 1",
    "deepspeed-0.19/04": "A1 config, assertion, batch_config, 0,1",
    "hub-2.4/01": "A1 asset, permission, gated_repo, 0",
    "hub-2.4/05": "A1 asset, traceback, offline_cache_miss, 0",
    "jax-0.10/04": "E1 non_finite, nan_loss, non_finite, 0",
    "jax-0.10/08": "C1, -, rendezvous_timeout, 0",
    "keras-2.13/03": "E1 non_finite, nan_loss, -, -",
    "keras-3.15/03": "E1 non_finite, nan_loss, -, -",
    "keras-3.15/04": "A1 config, traceback, shapes, 0",
    "lightning-1.9/04": "E1 non_finite, nan_loss, -, -",
    "lightning-2.6/04": "E1 non_finite, nan_loss, -, -",
    "lightning-2.6/10": "E2 size_mismatch, runtime_error, size_mismatch, 0",
    "peft-0.4/01": "A1 config, traceback, target_modules, 0",
    "peft-0.21/02": "A1 config, traceback, target_modules, 0",
    "torch-2.13/05": "E2 corrupt, runtime_error, corrupt_checkpoint, 0",
    "torch-2.13/13": "A3, div_zero, -, 0",
    "torch-2.13/14": "E1 non_finite, nan_loss, -, -",
    "torch-2.13/16": "A2, -, -, 1",
    "torch-2.13/18": "A3, traceback, disk_full, 0",
    "torchrun-2.0/01": "A3, traceback, -, 0,1",  # no prefixes: which of the two said it, nobody knows
    "torchrun-2.0/02": "A2, -, -, 1",  # torchrun's "first observed failure" is rank 0, which lost its peer
    "torchrun-2.0/04": "C2, runtime_error, collective_timeout, -",
    "torchrun-2.13/02": "A3, traceback, -, 1",
    "torchrun-2.13/03": "A2, -, -, 1",
    "torchrun-2.13/04": "A2, segfault, -, 1",
    "torchrun-2.13/05": "C1, -, rendezvous_timeout, 0",
    "torchrun-2.13/06": "A1 config, traceback, port_in_use, 0",
    "torchrun-2.13/07": "C2, runtime_error, collective_timeout, 1",
    "torchrun-2.13/08": "A1 config, assertion, -, 0,1",
    "torchrun-2.13/09": "unknown, -, -, 1",
    "trainer-4.30/04": "E1 non_finite, nan_loss, -, -",
    "trainer-4.30/05": "E2 no_valid_checkpoint, traceback, no_valid_checkpoint, 0",
    "trainer-5.23/04": "E1 non_finite, nan_loss, -, -",
    "trainer-5.23/06": "A1 data, file_not_found, -, 0",
    "trainer-5.23/14": "A2, oom_killer, loader_worker_killed, 0",
    "trainer-5.23/16": "A3, traceback, index_range, 0",
    "trl-1.16/03": "G1 healthy, -, -, -",
}


@pytest.mark.parametrize("log", EXPECTED)
def test_the_verdict_names_what_the_recipe_caused(log):
    assert words(verdict_of(RECIPES[log])) == EXPECTED[log], RECIPES[log].what


@pytest.mark.parametrize("log", sorted(RECIPES))
def test_no_bad_end_is_called_healthy_and_no_good_one_a_crash(log):
    """A program's exit status is known: a mode of bad ends never stands over a good one, nor the other way round."""
    verdict = verdict_of(RECIPES[log])
    if log in WELL:
        assert verdict.mode in {"G1", "E1", "E3", "D2"}, words(verdict)
    else:
        assert verdict.mode not in {"G1", "E3", "D1", "D2", "D3"}, words(verdict)
        assert verdict.advice
    assert verdict.fault not in {Fault.NODE, Fault.CLUSTER}  # what a job prints blames no node
    assert len(verdict.ledger) == 20


def test_who_waited_is_the_victim_and_who_stayed_away_is_named():
    """Recorded: rank 1 sleeps, rank 0 times out in gloo, torchrun takes rank 1 down and calls rank 0 the root cause."""
    verdict = verdict_of(RECIPES["torchrun-2.13/07"])
    assert "rank 1 held up the others" in verdict.headline
    assert any("rank 1" in told and "stayed away" in told for told in verdict.implies)
    assert row(verdict, "A3").standing is Standing.OUT


def test_without_names_the_process_that_was_taken_down_is_pointed_at():
    verdict = verdict_of(RECIPES["torchrun-2.0/04"])
    assert any("process 17466 was taken down" in told for told in verdict.implies)


def test_a_silent_end_is_not_given_the_words_of_the_rank_that_lost_it():
    """Recorded: rank 1 leaves with status 3 and no word, rank 0 says that its connection was closed."""
    verdict = verdict_of(RECIPES["torchrun-2.13/09"])
    assert verdict.headline == "rank 1 on n1 ended with exit code 3 and said nothing; the others lost it"
    assert not any("rank 1" in claim.text and "Connection closed" in claim.text for claim in verdict.shows)
