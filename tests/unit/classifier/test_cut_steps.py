"""Steps that Slurm calls cancelled without saying when they ended, and bars that a script's log tells again."""

from __future__ import annotations

from gpualert_slurm.accounting import StepRecord
from tests.unit.classifier.records import Run, steps
from tests.unit.classifier.signals import busy, ticks


def cancelled(signal: int = 15, end: float = 3600.0, state: str = "CANCELLED"):
    run = Run().rank(0, "n1", steps(1, 50), signal=signal, end=end, times=ticks(50)).node("n1", series=[busy("n1", [90.0] + [0.0] * 59)])
    cut = (StepRecord(step="batch", state="CANCELLED", exit_signal=15), StepRecord(step="0", state=state, exit_signal=signal))
    return run.accounting("CANCELLED", code=0, end=3603, cancelled_by_uid=1000, steps=cut).verdict()


def test_a_task_that_went_down_with_its_cancelled_step_had_stood_still_until_then():
    assert cancelled().mode == "C3"
    assert cancelled(end=3590.0).mode == "C3"


def test_a_task_that_died_long_before_or_by_another_signal():
    assert cancelled(end=2000.0).mode == "A2"
    assert cancelled(signal=11, state="FAILED").mode == "A2"


def test_a_bar_over_the_run_that_two_logs_show():
    """The step's log, and the script's, which gets the same lines a little later."""
    bar = "".join(f"{33 * i:3d}%|{'#' * i}| {i}/3 [00:0{i}<00:01,  5.1it/s]\n{{'loss': {1.2 - i / 10}, 'grad_norm': 0.2, 'learning_rate': 1e-05, 'epoch': {i / 20}}}\n" for i in range(1, 4))
    run = Run().rank(0, "n1", bar, code=0, end=20, times=ticks(6, 0.5, 10)).batch(bar, code=0, end=21, times=ticks(6, 0.5, 10.3))
    assert run.accounting("COMPLETED", code=0, end=22).verdict().mode == "E3"
