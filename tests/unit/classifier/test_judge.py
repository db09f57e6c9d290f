"""A verdict for any record: never an exception, always a whole ledger, every claim with its evidence."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpualert_slurm.classifier import judge
from gpualert_slurm.classifier.fault import settle
from gpualert_slurm.classifier.ladder import all_modes
from gpualert_slurm.classifier.vocabulary import INFRASTRUCTURE, WORDS
from gpualert_slurm.evidence import Evidence, FieldValue, Quote, Role, Trust
from gpualert_slurm.finding import Standing
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.verdict import Fault, Verdict
from tests.unit.classifier.records import ATTEMPT, Run, steps, trace

STATES = ["COMPLETED", "FAILED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "CANCELLED", "RUNNING", "BOOT_FAIL", "DEADLINE", "WHATEVER"]
TEXTS = [
    "",
    "hello\n",
    steps(1, 30),
    steps(1, 30) + "Training complete\n",
    trace("KeyError: 'x'"),
    trace("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB."),
    steps(1, 20) + trace("ValueError: bad") + steps(21, 40),
    "srun: error: n2: task 3: Exited with exit code 1\n",
    "slurmstepd: error: *** JOB 4711 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***\n",
    "Segmentation fault (core dumped)\n",
    "step 1 loss nan\n" * 30,
    "NVRM: Xid (PCI:0000:44:00): 79, pid=1\nsrun: error: Node failure on n1\n",
]
ranks = st.tuples(
    st.integers(0, 5),
    st.sampled_from(["n1", "n2"]),
    st.sampled_from(TEXTS),
    st.sampled_from([(None, None), (0, None), (1, None), (137, None), (None, 9), (None, 11), (None, 15)]),
    st.floats(0, 4000),
    st.sampled_from(["0", "1", "batch", "run"]),
)


@st.composite
def records(draw) -> JobRecord:
    run = Run(("n1", "n2"), under_slurm=draw(st.booleans()), exit_code=draw(st.sampled_from([None, 0, 1, 137])))
    for rank, node, text, (code, signal), end, step in draw(st.lists(ranks, max_size=6, unique_by=lambda one: (one[0], one[1], one[5]))):
        run.rank(rank, node, text, code=code, signal=signal, end=end, step=step, times=draw(st.sampled_from([[], [end]])))
    if draw(st.booleans()):
        run.accounting(draw(st.sampled_from(STATES)), code=draw(st.integers(0, 255)), signal=draw(st.integers(0, 15)), end=draw(st.floats(0, 4000)))
    if draw(st.booleans()):
        run.silent(draw(st.sampled_from(["n1", "n2"])))
    return run.record()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(records())
def test_every_record_gets_a_whole_verdict(job):
    verdict = judge(job)
    assert {f.mode for f in verdict.ledger} == {m.code for m in all_modes()} - {"unknown"}
    known = {e.id for e in verdict.evidence}
    for claim in (*verdict.shows, *verdict.warnings):
        assert set(claim.evidence) <= known
    for row in verdict.ledger:
        assert set(row.evidence) <= known
        assert row.datum
        assert row.flip
    assert verdict.mode == "unknown" or next(f for f in verdict.ledger if f.mode == verdict.mode).standing is Standing.IN
    assert 0 < verdict.confidence < 1
    if verdict.fault in {Fault.NODE, Fault.CLUSTER}:
        cited = {i for claim in verdict.shows for i in claim.evidence}
        assert any(e.trust is Trust.SYSTEM and e.says in INFRASTRUCTURE for e in verdict.evidence if e.id in cited)
    assert verdict.model_validate_json(verdict.json_bytes()).mode == verdict.mode
    assert judge(job) == verdict or any(math.isnan(v) for e in verdict.evidence for v in getattr(e.source, "values", ()))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(records(), st.randoms())
def test_the_order_in_which_reports_and_ranks_arrive_changes_nothing(job, random):
    def shuffled(things):
        mixed = list(things)
        random.shuffle(mixed)
        return tuple(mixed)

    reports = tuple(
        r.model_copy(update={"exits": shuffled(r.exits), "evidence": shuffled(r.evidence), "logs": shuffled(r.logs)}) for r in shuffled(job.reports)
    )
    one, other = judge(job), judge(job.model_copy(update={"reports": reports}))
    assert (one.mode, one.variant, one.cause, one.fault) == (other.mode, other.variant, other.cause, other.fault)
    assert (one.first_failure and one.first_failure.ranks) == (other.first_failure and other.first_failure.ranks)


def test_nothing_known_is_unknown_and_says_so():
    verdict = judge(JobRecord(attempt=ATTEMPT))
    assert (verdict.mode, verdict.fault, verdict.cause, verdict.first_failure) == ("unknown", Fault.UNKNOWN, None, None)
    assert verdict.confidence <= 0.2
    assert verdict.cannot_decide


def test_the_verdict_changes_when_its_telling_line_is_deleted():
    with_line = Run().rank(0, "n1", trace("KeyError: 'x'"), code=1).accounting().verdict()
    without = Run().rank(0, "n1", "Traceback (most recent call last):\n", code=1).accounting().verdict()
    assert (with_line.mode, without.mode) == ("A1", "unknown")


@pytest.mark.parametrize("fault", [Fault.NODE, Fault.CLUSTER])
@pytest.mark.parametrize("word", sorted(WORDS))
def test_user_evidence_never_puts_the_fault_on_a_node(fault, word):
    quote = Quote(file="x", line=1, offset=0, length=1, text="x", sha256="")
    printed = Evidence(id="1", says=word, role=Role.ROOT, trust=Trust.USER, source=quote)
    assert settle(fault, [printed]) is Fault.UNKNOWN


def test_system_evidence_that_does_not_speak_of_the_infrastructure_blames_no_node():
    exit_record = Evidence(
        id="1", says="rank_exit", role=Role.ROOT, trust=Trust.SYSTEM, source=FieldValue(record="r", query="q", name="n", value="1")
    )
    xid = exit_record.model_copy(update={"says": "xid"})
    assert settle(Fault.NODE, [exit_record]) is Fault.UNKNOWN
    assert settle(Fault.NODE, [exit_record, xid]) is Fault.NODE
    assert settle(Fault.USER, [xid]) is Fault.USER


def test_every_mode_says_what_it_is():
    codes = [mode.code for mode in all_modes()]
    places = [mode.place for mode in all_modes()]
    assert len(set(codes)) == len(codes)
    assert len(set(places)) == len(places)
    for mode in all_modes():
        assert all((mode.title, mode.needs, mode.positive, mode.excludes, mode.leaves_open))


def test_waste_is_gpus_times_hours_and_nothing_for_a_healthy_run():
    failed = Run().rank(0, "n1", trace("KeyError: 'x'"), code=1).accounting(end=1800).verdict()
    healthy = (
        Run()
        .rank(0, "n1", steps(1, 100, 100), code=0, end=1800, times=[float(i) for i in range(1, 101)])
        .accounting("COMPLETED", code=0, end=1800)
        .verdict()
    )
    assert failed.waste.gpu_hours == 2.0
    assert healthy.waste.gpu_hours == 0.0


def test_the_last_lines_are_those_of_the_first_failing_rank():
    run = Run(("n1", "n2")).rank(3, "n2", "three\n" + trace("KeyError: 'x'"), code=1, end=7).rank(0, "n1", "zero waits\n", signal=15, end=8)
    verdict = run.accounting().verdict()
    assert verdict.last_lines[-1] == "KeyError: 'x'"
    assert "zero waits" not in verdict.last_lines


def test_a_verdict_reads_back_from_its_json():
    verdict = Run().rank(0, "n1", "step 1 loss nan\n" * 40, code=0, end=50).accounting("COMPLETED", code=0).verdict()
    assert verdict.variant == "non_finite"
    again = Verdict.model_validate_json(verdict.json_bytes())
    assert again.ledger == verdict.ledger


def test_a_defect_of_one_mode_costs_its_row_and_no_verdict(monkeypatch):
    broken = all_modes()[0]
    monkeypatch.setattr(type(broken), "assess", lambda _self, _facts: 1 / 0)
    verdict = Run().rank(0, "n1", trace("KeyError: 'x'"), code=1).accounting().verdict()
    assert verdict.mode == "A1"
    row = next(f for f in verdict.ledger if f.mode == broken.code)
    assert row.standing is Standing.NOT_TESTABLE
    assert "ZeroDivisionError" in row.datum
