"""A requeued run that begins again, behind an attempt that had come to where this one first put its state away, in whatever words."""

from __future__ import annotations

import pytest

from gpualert_slurm.past_verdict import PastVerdict
from tests.unit.classifier.records import Run

SAVES = (
    "gauges.json now holds sweep {}",
    "state of iteration {} is in mould.json",
    "pas {} : point de reprise ecrit (reprise.pt)",
    "round {}, put into state-4711.1.txt",
)


def _mode(said: str, done: int, *head: str) -> str:
    past = PastVerdict(relation="earlier_attempt", job="4711", mode="F2", fault="none", steps_done=done, head_loss=3.0, tail_loss=0.8)
    lines = list(head)
    for step in range(20, 420, 20):
        lines.append(f"sweep {step}/400 mse {0.5 + 2.8 * 0.85 ** (step / 20):.5f}")
        if step % 80 == 0:
            lines.append(said.format(step))
    run = Run(past=(past,)).accounting("REQUEUED", code=0, end=0.9)
    run.rank(0, "n1", "\n".join(lines) + "\n", code=0, end=60, times=[1 + i for i in range(len(lines))])
    return run.accounting("COMPLETED", code=0, end=61).verdict().mode


@pytest.mark.parametrize("said", SAVES)
def test_the_earlier_attempt_had_saved_as_well(said: str):
    assert _mode(said, 200) == "E2"


@pytest.mark.parametrize("said", SAVES)
def test_it_had_not_come_to_its_first_save(said: str):
    assert _mode(said, 60) == "F2"


@pytest.mark.parametrize(
    "said", ["metrics.json has sweep {}", "sample_{}.png drawn at sweep {}", "nothing at sweep {}", "read shard-3.npz in sweep {}"]
)
def test_what_is_no_state(said: str):
    assert _mode(said.replace("_{}", ""), 200) == "F2"
