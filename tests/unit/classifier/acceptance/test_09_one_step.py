"""Case 9: one logged step, one save, exit 0."""

from __future__ import annotations

import pytest

from gpualert_slurm.finding import Standing
from tests.unit.classifier.records import Run, steps
from tests.unit.classifier.signals import busy, done, sm, standing, trained


def one_step(**job) -> Run:
    return Run(**job).rank(0, "n1", steps(1, 1) + "saved checkpoint to out/step-1\n", code=0, end=60, times=[50.0])


@pytest.mark.parametrize("mode", ["D1", "D2"])
def test_the_headline_is_the_step_and_rates_are_not_testable(mode):
    run = one_step().node("n1", series=[busy("n1", [3.0] * 12, every=5), sm("n1", [1.0] * 12, every=5)])
    verdict = done(run, end=61)
    assert verdict.mode == "E3"
    assert "1 step" in verdict.headline
    assert standing(verdict, mode) is Standing.NOT_TESTABLE
    assert verdict.waste.gpu_hours is not None
    assert verdict.waste.gpu_hours > 0
    assert verdict.checkpoints == ("out/step-1",)


def test_a_named_smoke_test_keeps_the_verdict_and_softens_the_words():
    verdict = done(one_step(name="smoke-test"), end=61)
    assert verdict.mode == "E3"
    assert "hardly trained" not in verdict.headline


def test_twin_two_hundred_steps():
    assert done(trained(200)).mode == "G1"
