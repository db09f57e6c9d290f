"""Runs of a few batches that were meant so, and runs that stopped by themselves."""

from __future__ import annotations

from gpualert_slurm.verdict import Verdict
from tests.unit.classifier.records import Run


def _verdict(text: str) -> Verdict:
    times = [1 + 0.3 * i for i in range(text.count("\n"))]
    end = times[-1] + 0.5
    return Run().rank(0, "n1", text, code=0, end=end, times=times).accounting("COMPLETED", code=0, end=end + 1).verdict()


def test_lightnings_trial_of_five_batches_is_hardly_a_training() -> None:
    """Whatever its own lines count by."""
    said = "Running in `fast_dev_run` mode: will run the requested loop using 5 batch(es). Logging and checkpointing is suppressed.\n"
    lines = "".join(f"Epoch {i:05d} | Step {40 * i:06d} | Loss {5.0 - i / 9:.4f} | Train Acc 0.08\n" for i in range(1, 6))
    verdict = _verdict(said + lines + "`Trainer.fit` stopped: `max_steps=5` reached.\n")
    assert verdict.mode == "E3"
    assert "a test, as it says" in verdict.headline


def test_composers_duration_in_batches() -> None:
    """``4ba`` are four batches."""
    lines = "".join(f"[batch={i}/4]:\n\t Train time/batch: {i - 1}\n\t Train loss/train/total: {4.4 - i / 9:.4f}\n" for i in range(1, 5))
    assert _verdict("max_duration: 4ba\n" + lines).mode == "E3"


def test_scikit_learns_own_early_stop_is_no_short_training() -> None:
    """It says that nothing got better."""
    scores = (0.608, 0.98, 0.996, 0.996, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    losses = (1.348, 1.134, 0.887, 0.641, 0.434, 0.289, 0.196, 0.137, 0.101, 0.077, 0.061, 0.050)
    lines = "".join(f"Iteration {i}, loss = {loss:.8f}\nValidation score: {score:.6f}\n" for i, (loss, score) in enumerate(zip(losses, scores, strict=True), 1))
    stopped = "Validation score did not improve more than tol=0.000010 for 6 consecutive epochs. Stopping.\n"
    assert _verdict(lines + stopped).mode == "G1"
    assert _verdict(lines).mode == "E3"
