"""Crashes of runs that printed no line of progress, or one in no known words, and yet had trained; and of those that had not."""

from __future__ import annotations

from tests.unit.classifier.records import Run


def verdict(text: str):
    return Run().rank(0, "n1", text, code=1, end=60, times=[5.0 + i / 10 for i in range(text.count("\n"))]).accounting("FAILED", code=1, end=61).verdict()


def trace(*frames: str, error: str = "OSError: [Errno 28] No space left on device") -> str:
    told = "".join(f'  File "{frame.partition(":")[0]}", line {20 + i}, in {frame.partition(":")[2]}\n    work()\n' for i, frame in enumerate(frames))
    return f"Traceback (most recent call last):\n{told}{error}\n"


HF = "/env/lib/python3.11/site-packages/transformers/trainer.py"
LIT = "/env/lib/python3.12/site-packages/lightning/pytorch"


def test_a_save_or_an_evaluation_that_follows_steps():
    assert verdict("loading model\n" + trace("tune.py:<module>", f"{HF}:train", f"{HF}:_inner_training_loop", f"{HF}:_maybe_log_save_evaluate", f"{HF}:_save_checkpoint")).mode == "A3"
    assert verdict(trace("fit.py:main", f"{LIT}/loops/fit_loop.py:advance", f"{LIT}/loops/training_epoch_loop.py:on_advance_end", f"{LIT}/loops/evaluation_loop.py:run", "fit.py:validation_step", error="ZeroDivisionError: division by zero")).mode == "A3"
    assert verdict(trace("train.py:<module>", "train.py:main", "train.py:save_checkpoint")).mode == "A3"


def test_a_callback_that_comes_after_a_step_or_an_epoch():
    assert verdict(trace("a.py:<module>", "/env/lib/python3.11/site-packages/mmengine/runner/loops.py:run_iter", "hooks.py:after_train_iter", error="KeyError: 'bbox'")).mode == "A3"
    assert verdict("Epoch 1/5\n" + trace("k.py:<module>", "/env/lib/python3.11/site-packages/keras/src/utils/traceback_utils.py:error_handler", "k.py:on_epoch_end", error="KeyError: 'val_auc'")).mode == "A3"
    assert verdict(trace("l.py:main", f"{LIT}/trainer/call.py:_call_callback_hooks", "l.py:on_train_batch_end", error="ValueError: bad tag")).mode == "A3"
    assert verdict(trace("x.py:main", "/env/lib/python3.11/site-packages/xgboost/training.py:train", "x.py:after_iteration", error="IndexError: list index out of range")).mode == "A3"


def test_counters_behind_an_at_sign_and_a_number_that_falls_line_by_line():
    assert verdict("@50 e=0.9310\n@100 e=0.7721\n@150 e=0.5110\n" + trace("m.py:<module>", error="IndexError: list index out of range")).mode == "A3"
    falling = "".join(f"residual norm {3.0 / (i + 1):.5f}\n" for i in range(14))
    assert verdict(falling + trace("m.py:<module>", error="IndexError: list index out of range")).mode == "A3"


def test_a_bar_that_is_drawn_once_when_the_run_goes_down():
    bar = "Epoch 1/9 ━━━━━━━━━━╸━━━━━━━━━ 12/30 0:00:03 • 0:00:05 4.1it/s v_num: 0.000\n                                train/loss: 0.812\n"
    assert verdict(bar + trace("l.py:main", error="IndexError: list index out of range")).mode == "A3"


def test_what_comes_before_any_step():
    """A check of the evaluation before training, the beginning of training, and what is saved before it."""
    assert verdict(trace("fit.py:main", f"{LIT}/trainer/trainer.py:_run_sanity_check", f"{LIT}/loops/evaluation_loop.py:run", "fit.py:validation_step", error="ZeroDivisionError: division by zero")).mode == "A1"
    assert verdict(trace("tune.py:main", f"{HF}:train", f"{HF}:_inner_training_loop", f"{HF}:training_step", "tune.py:forward", error="IndexError: index out of range in self")).mode == "A1"
    assert verdict(trace("k.py:main", "k.py:on_train_begin", error="KeyError: 'lr'")).mode == "A1"
    assert verdict(trace("t.py:main", "t.py:save_config")).mode == "A1"
    assert verdict("Epoch 0/9 ━━━━━━━━━━━━━━━━━━━━ 0/30 0:00:00\n" + trace("l.py:main", error="IndexError: list index out of range")).mode == "A1"
    assert verdict("gpu temperature 41.0\n" * 12 + trace("l.py:main", error="IndexError: list index out of range")).mode == "A1"
