"""A bar that is drawn once more as its program goes down."""

from __future__ import annotations

from tests.unit.classifier.records import Run

STEPS = "".join(f"step {i}/40000: train_loss {1.0 / i:.6f}, lr 2.00e-03\n" for i in range(10, 170, 10))
ERROR = """Traceback (most recent call last):
  File "/home/alice/train.py", line 135, in <module>
    main()
  File "/home/alice/train.py", line 114, in main
    progress_bar.write(captions[global_step // 60])
IndexError: list index out of range
"""
BAR = "Steps:   0%|       | {n}/40000 [00:00<03:49, 173.85it/s, lr=0.002, step_loss=0.0107]\n"


def _mode(text: str, code: int = 1) -> str:
    times = [1 + 0.2 * i for i in range(text.count("\n"))]
    end = times[-1] + 0.5
    return Run().rank(0, "n1", text, code=code, end=end, times=times).accounting("FAILED", code=code, end=end + 1).verdict().mode


def test_one_bar_behind_an_error_is_no_sign_of_life() -> None:
    """Though it shows a loss, and a step more than before."""
    assert _mode(STEPS + ERROR + BAR.format(n=170)) == "A3"


def test_a_run_that_goes_on_behind_an_error_survived_it() -> None:
    """Several bars, that count on."""
    assert _mode(STEPS + ERROR + "".join(BAR.format(n=170 + 10 * i) for i in range(8))) != "A3"
