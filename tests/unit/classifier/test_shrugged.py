"""An extra behind a finished training that failed, and which the script took in its stride, makes no failure of the run."""

from __future__ import annotations

import pytest

from gpualert_slurm.accounting import StepRecord
from tests.unit.classifier.records import Run, at, steps, trace

NO_CARD = trace("AssertionError: Torch not compiled with CUDA enabled", file="<string>", line=1)
NO_TOOL = trace("ModuleNotFoundError: No module named 'bench'", file="/home/alice/bench.py")
SRUN = "srun: error: n1: task 0: Exited with exit code 1\n"


def _behind(extra: str, script: str, *, code: int = 1, trained: str = steps(1, 60), training: int = 0) -> str:
    """The mode of a run of two steps, training and an extra, and what the script said when the extra had failed."""
    run = Run().rank(0, "n1", trained, code=training, end=20, times=[19.0])
    run.rank(0, "n1", extra, code=code, end=30, step="1", times=[29.0])
    run.batch(trained + extra + SRUN + script, code=0, end=33)
    parts = (("batch", "COMPLETED", 33), ("0", "FAILED" if training else "COMPLETED", 20), ("1", "FAILED", 30))
    records = tuple(StepRecord(step=step, state=state, exit_code=int(state == "FAILED"), exit_signal=0, end_ns=at(end)) for step, state, end in parts)
    return run.accounting("COMPLETED", code=0, end=33, steps=records).verdict().mode


@pytest.mark.parametrize(
    "script",
    [
        "no card to benchmark on, skipped\n",
        "plots skipped\n",
        "upload of the curves failed: not fatal\n",
        "ignoring that\n",
        "the report is optional, going on\n",
        "carrying on without it\n",
        "non-critical: thumbnails\n",
        "never mind the badge\n",
        "harmless\n",
        "best-effort copy left out\n",
        "opset 19 refused, falling back to 17\n",
    ],
)
def test_an_extra_that_the_script_does_without(script):
    assert _behind(NO_TOOL, script) == "G1"


def test_a_line_of_code_is_no_training():
    assert _behind(NO_CARD, "bye\n") == "G1"


@pytest.mark.parametrize("script", ["", "all done\n", "finished\n", "second stage skipped\n", "training of the student ignored\n", "Tue Nov 23 03:00:00 UTC 2026\n"])
def test_a_failed_step_that_nobody_excused_is_told(script):
    """It may be a second training."""
    assert _behind(NO_TOOL, script) != "G1"


def test_what_failed_in_training_is_told_whatever_the_script_says():
    assert _behind(steps(1, 30) + NO_TOOL, "skipped\n") == "A3"
    assert _behind(NO_TOOL, "skipped\n", trained="reading\n") != "G1"
    assert _behind(NO_TOOL, "skipped\n", training=1) != "G1"
    assert _behind("", "skipped\n", code=139) != "G1"
