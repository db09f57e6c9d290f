"""Case 7: a run that completes and never learned; and one that is slow and learns."""

from __future__ import annotations

import math

from gpualert_slurm.verdict import Fault
from tests.unit.classifier.records import Run
from tests.unit.classifier.signals import busy, done, ticks, trained


def plateau() -> Run:
    """Near 11.9 all the time, with the noise of real batches; the gradient dies in the first hundred steps."""
    text = "".join(f"step {i} loss {11.9 + 0.02 * math.sin(i):.4f} grad_norm {0.5 * 0.9**i:.6f}\n" for i in range(1, 201))
    return Run().rank(0, "n1", text, code=0, end=205, times=ticks(200))


def test_a_loss_that_stands_still_with_a_dying_gradient():
    verdict = done(plateau())
    assert (verdict.mode, verdict.variant, verdict.fault) == ("E1", "plateau", Fault.USER)
    assert verdict.state == "COMPLETED"
    assert verdict.is_problem
    assert verdict.training_correctness == "failed"
    assert verdict.cause is None
    assert "stood at 11." in verdict.headline


def test_twin_slow_but_falling():
    verdict = done(trained(100, 100).node("n1", series=[busy("n1", (8.0,) * 20, every=6)]), end=111)
    assert (verdict.mode, verdict.variant, verdict.is_problem) == ("G1", "slow", False)
    assert any("busy 8 %" in claim.text for claim in verdict.warnings)
    assert verdict.training_correctness == "learned"


def test_second_twin_a_target_was_missed_while_the_loss_still_fell():
    loss = trained(200, loss=lambda i: 3.0 - i / 1000)
    assert done(loss).mode == "G1"
