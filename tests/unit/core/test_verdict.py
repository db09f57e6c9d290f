from __future__ import annotations

import pytest
from pydantic import ValidationError

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.verdict import Claim, Fault, Phase, Verdict


def verdict(**changes: object) -> Verdict:
    fields = {
        "attempt": Attempt(cluster="c", job_id=1), "mode": "A1", "title": "startup crash", "headline": "h", "fault": Fault.USER,
        "confidence": 0.9, "phase": Phase.STARTUP,
    }  # fmt: skip
    return Verdict.model_validate({**fields, **changes})


def test_a_claim_without_evidence_cannot_be_made() -> None:
    with pytest.raises(ValidationError, match="without evidence"):
        Claim(text="the GPU is broken", evidence=())


def test_a_verdict_carries_the_evidence_it_cites() -> None:
    with pytest.raises(ValidationError, match="does not carry"):
        verdict(shows=(Claim(text="x", evidence=("e1",)),))


@pytest.mark.parametrize(
    ("mode", "variant", "problem"),
    [("A1", "data", True), ("G1", "healthy", False), ("F4", "by_owner", False), ("F4", None, True), ("F2", "requeued+recovered", False),
     ("F2", "preempted", True), ("E1", "plateau", True), ("unknown", None, True)],
)  # fmt: skip
def test_problem_is_every_verdict_but_health_own_cancel_and_recovered_requeue(mode: str, variant: str | None, problem: bool) -> None:
    assert verdict(mode=mode, variant=variant).is_problem is problem
