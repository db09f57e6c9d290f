"""History beside a verdict: nodes that were found at fault before, and failures that were seen before."""

from __future__ import annotations

from gpualert_slurm.past_verdict import PastVerdict
from tests.unit.classifier.records import Run, at, trace
from tests.unit.classifier.signals import done, trained


def _node(mode: str = "B2", fault: str = "node", when: float = -9000) -> PastVerdict:
    return PastVerdict(relation="node", job="another user's job", mode=mode, fault=fault, nodes="n1", ended_ns=at(when))


def test_a_node_with_a_history_is_warned_of_and_left_out_of_the_next_try():
    past = (_node(), _node("F1", when=-8000), _node("B2", fault="user", when=-7000))
    verdict = Run(past=past).rank(0, "n1", "go\n", signal=11).accounting(code=0, signal=11).verdict()
    assert any("n1 was found at fault before: 2 earlier jobs (B2, F1)" in claim.text for claim in verdict.warnings)
    assert any("--exclude=n1" in line for line in verdict.advice)
    assert verdict.fault.value != "node"


def test_one_earlier_verdict_is_a_warning_and_no_advice():
    verdict = Run(past=(_node(),)).rank(0, "n1", "go\n", signal=11).accounting(code=0, signal=11).verdict()
    assert any("n1 was found at fault before" in claim.text for claim in verdict.warnings)
    assert not any("--exclude" in line for line in verdict.advice)


def test_a_good_run_hears_nothing_of_it():
    assert not any("before" in claim.text for claim in done(trained(200, past=(_node(), _node()))).warnings)


def _dies(past: tuple[PastVerdict, ...] = (), node: str = "n1"):
    return Run((node,), past=past).rank(0, node, trace("KeyError: 'x'"), code=1).accounting().verdict()


def test_the_same_failure_on_another_node_is_the_jobs_own():
    print_ = _dies().fingerprint
    past = tuple(PastVerdict(relation="same_name", job=str(4600 + i), mode="A1", fault="user", nodes="n7", fingerprint=print_) for i in range(2))
    words = next(w for w in _dies(past).implies if "seen" in w)
    assert "seen 2 times before (jobs 4600, 4601, on 1 node)" in words
    assert "look at the job, not the nodes" in words


def test_another_failure_of_the_same_job_is_not_counted():
    past = (PastVerdict(relation="same_name", job="4600", mode="A1", fault="user", fingerprint="0" * 12),)
    assert not any("seen" in w for w in _dies(past).implies)
