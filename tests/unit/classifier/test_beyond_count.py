"""Few of what a run counts may be all that is needed: passes over thousands of things, long ones, or a method that converged; steps that are few stay few."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

EM = [f"iteration {i:3d}   log-likelihood  {-10641.5 + 3760 * (1 - 0.4**i):.4f}   change  {1648 * 0.4**i:.4f}" for i in range(1, 9)]
TAGS = [f"iter {i}/6: train acc {15600 + 20 * i}/15750 = {(15600 + 20 * i) / 157.5:.2f}%" for i in range(1, 7)]
EPOCHS = [f"15.11. {18 + i}:06 epoch {i}/4 done: 7211 batches, mean ce {2.9 - 0.1 * i:.4f}" for i in range(1, 5)]
UPDATES = [f"upd {i:05d}/00003  nll {1.95 - 0.05 * i:.4f}  acc  {17 + i}.5%" for i in range(1, 4)]


def _mode(lines: list[str], every_s: float = 1.0) -> str:
    run = Run().rank(0, "n1", "\n".join(lines) + "\n", code=0, end=len(lines) * every_s + 2, times=[1 + i * every_s for i in range(len(lines))])
    return run.accounting("COMPLETED", code=0, end=len(lines) * every_s + 3).verdict().mode


@pytest.mark.parametrize("end", ["converged after 8 of at most 60 iterations", "EM converged in 8 iterations"])
def test_what_converged_needed_no_more(end: str) -> None:
    assert _mode([*EM, end]) == "G1"


def test_a_line_that_tells_of_all_things_is_of_a_pass_over_them() -> None:
    assert _mode(["read 4200 sentences, 15750 tokens", *TAGS, "saved tagger.json"]) == "G1"


def test_what_takes_an_hour_each_is_no_step() -> None:
    assert _mode([*EPOCHS, "all epochs done; averaged weights in slm_avg.pt"], 5900.0) == "G1"


def test_few_updates_stay_few() -> None:
    """Noughts before a number make no thousands of it; a warning that nothing converged says nothing."""
    assert _mode(["7831 parameters, 3 updates", *UPDATES, "all 3 updates are through"]) == "E3"
    assert _mode(["7831 parameters, 3 updates", *UPDATES, "the optimisation has not converged after 3 steps"]) == "E3"
