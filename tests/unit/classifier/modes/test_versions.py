"""Every mode is found in the words of at least three versions of different software; a mode that is added must bring them."""

from __future__ import annotations

import re

import pytest

from gpualert_slurm.classifier.ladder import all_modes
from gpualert_slurm.finding import Standing
from tests.goldens.masking import said
from tests.goldens.recipe import LOGS
from tests.unit.classifier.modes.styles import STYLES
from tests.unit.classifier.modes.versions import examples, f3
from tests.unit.classifier.signals import row

EXAMPLES = examples()


@pytest.mark.parametrize("mode", [mode.code for mode in all_modes() if mode.code != "unknown"])
def test_there_are_three_versions_of_each_mode(mode):
    versions = EXAMPLES.get(mode, {})
    assert len(versions) >= 3, f"{mode}: add it to tests/unit/classifier/modes/versions.py"
    assert all(re.fullmatch(r"[a-z-]+ \d+(?:\.\d+)+", software) for software in versions), versions
    assert len({software.split()[0] for software in versions}) >= 2


@pytest.mark.parametrize(("mode", "make"), [pytest.param(mode, make, id=f"{mode}: {name}") for mode, of in EXAMPLES.items() for name, make in of.items()])
def test_it_is_the_mode_whatever_prints_beside_it(mode, make):
    verdict = make()
    assert verdict.mode == mode, verdict.headline
    assert row(verdict, mode).standing is Standing.IN
    assert verdict.shows


@pytest.mark.parametrize("style", [pytest.param(style, id=style.software) for style in STYLES if style.like])
def test_a_style_prints_what_the_recorded_version_prints(style):
    """The parser that reads the recorded log's progress reads the style's."""
    recorded = (LOGS / f"{style.like}.log").read_bytes()
    ours = {one for one in said(style.steps(1, 30, 30).encode()) if "says progress" in one}
    assert ours
    assert ours <= set(said(recorded))


@pytest.mark.parametrize("style", [pytest.param(style, id=style.software) for style in STYLES])
def test_a_style_is_read_to_its_last_step_and_loss(style):
    """Where the steps count within an epoch and no line tells how many epochs there were, no count of steps is made up."""
    verdict = f3(style)
    assert (verdict.steps_done, verdict.steps_planned) == ((700, 1000) if style.whole else (None, None))
    assert verdict.final_metrics["loss"] == pytest.approx(3.0 / 71, rel=0.02)
