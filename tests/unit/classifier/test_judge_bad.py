"""Bad records: missing ranks, contradictions, other jobs' reports, clocks minutes apart. Never an exception, never a guess."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpualert_slurm.accounting import NodeState
from gpualert_slurm.attempt import Attempt
from gpualert_slurm.classifier import judge
from gpualert_slurm.finding import Standing
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.stall import Waits
from gpualert_slurm.verdict import Fault
from tests.unit.classifier.records import Run, at, steps, trace
from tests.unit.classifier.signals import busy, down, gpu, process, series, sm, stall, stand, ticks, xid

TEXTS = ["", "hello\n", steps(1, 30), steps(1, 60, 60) + "Training complete\n", trace("KeyError: 'x'"), steps(1, 20) + trace("ValueError: bad")]
STATES = ["COMPLETED", "FAILED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "CANCELLED", "RUNNING", "NONSENSE"]
numbers = st.floats(allow_nan=True, allow_infinity=True)
WRONG = {"job_id": st.sampled_from([4711, 4712]), "cluster": st.sampled_from(["hpc", "other"]), "restart_count": st.sampled_from([None, 0, 3])}


def shifted(report: NodeReport, seconds: float) -> NodeReport:
    """The same report by a clock that is ``seconds`` off."""
    off = round(seconds * 1e9)

    def moved(one, *names):
        return one.model_copy(update={n: getattr(one, n) + off for n in names if getattr(one, n) is not None})

    return moved(report, "job_started_ns", "job_ended_ns", "written_ns").model_copy(
        update={
            "exits": tuple(moved(e, "start_time_ns", "end_time_ns") for e in report.exits),
            "evidence": tuple(moved(e, "time_ns") for e in report.evidence),
            "logs": tuple(moved(log, "last_write_ns") for log in report.logs),
            "series": tuple(s.model_copy(update={"times_ns": tuple(None if t is None else t + off for t in s.times_ns)}) for s in report.series),
        }
    )


@st.composite
def reports(draw, node: str) -> NodeReport:
    run = Run((node,))
    for rank in range(draw(st.integers(0, 3))):
        code, signal = draw(st.sampled_from([(None, None), (0, None), (1, None), (None, 9), (None, 11)]))
        times = draw(st.sampled_from([[], [5.0], ticks(60)]))
        run.rank(rank, node, draw(st.sampled_from(TEXTS)), code=code, signal=signal, end=draw(st.floats(0, 4000)), local=rank, times=times)
    values = draw(st.lists(numbers, max_size=8))
    name = draw(
        st.sampled_from(
            [
                "gpu_utilization_percent",
                "gpu_sm_activity_percent",
                "gpu_throttle_reasons",
                "gpu_sm_clock_mhz",
                "collectives",
                "ecc_volatile_uncorrected",
            ]
        )
    )
    odd = series(name, node, values, uuid=draw(st.sampled_from(["GPU-1", None])))
    odd = odd.model_copy(update={"times_ns": odd.times_ns[: draw(st.integers(0, 8))], "steps": (None, 1)})
    counters = {
        k: draw(st.integers(-1, 2) | st.none())
        for k in ("ecc_volatile_uncorrected", "violation_hw_thermal_ns", "throttle_reasons", "memory_total_bytes", "serial")
    }
    counters["serial"] = None
    run.node(
        node,
        series=[odd],
        gpus_before=(gpu(node, when=draw(st.integers(-10, 10)), **counters),) * draw(st.integers(0, 2)),
        gpus_after=(gpu(node, when=draw(st.integers(-10, 10)), job_attached=draw(st.sampled_from([None, False])), recovery_action=draw(st.sampled_from([None, "", "reset"]))),),
        processes=(process(node, rank=draw(st.integers(0, 9) | st.none()), environment={"WORLD_SIZE": draw(st.sampled_from(["", "x", "2", "99999999"])), "CUDA_LAUNCH_BLOCKING": draw(st.sampled_from(["", "0", "1"]))},
                           command=tuple(draw(st.lists(st.text(max_size=12), max_size=4))), exit_signal=draw(st.sampled_from([None, 9, 99]))),),
        stalls=(stall(*(stand(r, draw(st.sampled_from(list(Waits))), node) for r in range(draw(st.integers(0, 3)))), node=node),) * draw(st.integers(0, 2)),
        evidence=[xid(draw(st.sampled_from([13, 45, 48, 79, 10**9])), draw(st.floats(-1e5, 1e5)), node)] * draw(st.integers(0, 1)),
    )  # fmt: skip
    report = shifted(run.record().reports[0], draw(st.sampled_from([0.0, -600.0, 600.0, 86_400.0])))
    attempt = Attempt(**{name: draw(values) for name, values in WRONG.items()})
    return report.model_copy(update={"attempt": attempt})


@st.composite
def records(draw) -> JobRecord:
    run = Run(("n1", "n2"), under_slurm=draw(st.booleans()), node_events=(down(draw(st.floats(-1e4, 1e4))),) * draw(st.integers(0, 1)))
    run.job["node_states"] = (NodeState(source="s", node="n1", state="", boot_time_ns=draw(st.sampled_from([None, at(5), -1]))),) * draw(
        st.integers(0, 1)
    )
    for _ in range(draw(st.integers(0, 2))):
        run.accounting(draw(st.sampled_from(STATES)), code=draw(st.integers(0, 255)), signal=draw(st.integers(0, 127)), end=draw(st.floats(-100, 4000)),
                       dependency=draw(st.sampled_from([None, "", "afterok:1", "after:x"])), submit_line=draw(st.sampled_from([None, "sbatch --resume x", "--load"])))  # fmt: skip
    run.job["past"] = tuple(
        PastVerdict(relation=draw(st.sampled_from(["node", "parent", "same_name", "?"])), job="1", mode="B2", fault="node", nodes=draw(st.sampled_from([None, "", "n1"])),
                    head_loss=draw(numbers | st.none()), tail_loss=draw(numbers | st.none()), checkpoints=tuple(draw(st.lists(st.text(max_size=5), max_size=2))))
        for _ in range(draw(st.integers(0, 2)))
    )  # fmt: skip
    found = draw(st.lists(st.sampled_from(["n1", "n2", "n9"]).flatmap(reports), max_size=3))
    return run.record().model_copy(update={"reports": tuple(found)})


@settings(max_examples=80)
@given(records())
def test_no_mode_fails_on_a_record_and_every_verdict_is_whole(job):
    verdict = judge(job)
    assert [row for row in verdict.ledger if row.datum.startswith("this mode failed")] == []
    known = {e.id for e in verdict.evidence}
    for claim in (*verdict.shows, *verdict.warnings):
        assert claim.evidence
        assert set(claim.evidence) <= known
    assert 0 < verdict.confidence < 1
    assert judge(JobRecord.model_validate_json(job.json_bytes())).mode == verdict.mode


def crash() -> Run:
    """Rank 3 on n2 dies by itself, srun takes the others down at once."""
    run = Run(("n1", "n2")).rank(3, "n2", steps(1, 40) + trace("IndexError: x"), code=1, end=50, times=[*ticks(40), 49.9])
    for rank, node in ((0, "n1"), (1, "n1"), (2, "n2")):
        run.rank(rank, node, steps(1, 40) if rank == 0 else "", signal=15, end=51, times=ticks(40))
    return run.accounting(end=52)


@pytest.mark.parametrize("what", [{"job_id": 4712}, {"cluster": "other"}])
def test_a_report_of_another_job_changes_nothing_and_is_said(what):
    job = crash().record()
    stranger = Run(("n1",)).node("n1", evidence=[xid(79, 49)]).rank(0, "n1", trace("KeyError: 'y'"), code=1, end=1).record().reports[0]
    stranger = stranger.model_copy(update={"attempt": job.attempt.model_copy(update=what), "written_ns": at(999)})
    mixed = judge(job.model_copy(update={"reports": (*job.reports, stranger)}))
    clean = judge(job)
    assert (mixed.mode, mixed.fault, mixed.headline, mixed.first_failure) == (clean.mode, clean.fault, clean.headline, clean.first_failure)
    assert any("not of this one" in gap.why for gap in mixed.gaps)


def test_a_report_of_a_node_outside_the_allocation_blames_nobody():
    job = crash().record()
    stranger = Run(("n9",)).node("n9", evidence=[xid(79, 49, node="n9")]).record().reports[0]
    verdict = judge(job.model_copy(update={"reports": (*job.reports, stranger)}))
    assert verdict.fault is not Fault.NODE
    assert any("allocation" in gap.why for gap in verdict.gaps)


def test_a_report_that_came_twice_counts_once():
    job = crash().record()
    twice = judge(job.model_copy(update={"reports": (*job.reports, job.reports[1])}))
    assert twice.blast_radius == judge(job).blast_radius


@pytest.mark.parametrize("off_s", [-600, -90, 90, 600, 7200])
def test_a_clock_that_is_minutes_off_makes_no_hang_and_no_false_order(off_s):
    """The crash stays a crash; the order of failures across nodes is not claimed; the clock is said to be off."""
    job = crash().record()
    verdict = judge(job.model_copy(update={"reports": tuple(shifted(r, off_s) if r.node == "n2" else r for r in job.reports)}))
    assert verdict.mode == "A3"
    assert verdict.first_failure is not None
    assert 3 in verdict.first_failure.ranks
    assert any("clock" in gap.what for gap in verdict.gaps)
    assert verdict.first_failure.uncertainty_s is not None
    assert verdict.first_failure.uncertainty_s >= abs(off_s) / 2


@pytest.mark.parametrize("off_s", [-3000, -600, 600])
def test_a_slow_clock_does_not_look_like_silence(off_s):
    """Progress to the last second before the limit, by a clock that is behind."""
    run = Run().rank(0, "n1", steps(1, 700, 1000), signal=9, end=3601, times=ticks(700, 5.1))
    job = run.accounting("TIMEOUT", code=0, end=3600).record()
    verdict = judge(job.model_copy(update={"reports": tuple(shifted(r, off_s) for r in job.reports)}))
    assert (verdict.mode, verdict.variant) == ("F3", "advancing")


def test_accounting_that_says_completed_beside_ranks_that_failed_is_no_health():
    run = Run().rank(0, "n1", steps(1, 40) + trace("ValueError: x"), code=1, end=50, times=[*ticks(40), 49.0])
    verdict = run.accounting("COMPLETED", code=0, end=60).verdict()
    assert verdict.mode != "G1"


def test_accounting_that_says_failed_beside_ranks_that_all_ended_well_guesses_nothing():
    verdict = Run().rank(0, "n1", steps(1, 60, 60), code=0, end=70, times=ticks(60)).accounting(end=72).verdict()
    assert verdict.mode == "unknown"
    assert verdict.confidence <= 0.2


def test_ranks_of_which_nothing_is_known_are_missed_and_not_blamed():
    """Eight ranks were started, three reported; one of these failed."""
    run = Run(("n1", "n2")).rank(0, "n1", trace("KeyError: 'x'"), code=1, end=5).rank(1, "n1", signal=15, end=6, local=1).silent("n2")
    run.job["gaps"] = ()
    verdict = run.accounting(end=8, ntasks=8).verdict()
    assert verdict.mode == "A1"
    assert verdict.first_failure is not None
    assert verdict.first_failure.ranks == (0,)


def test_samples_that_contradict_the_log_decide_nothing():
    """Idle GPUs all along beside steps that are printed: not a hang, and not a verdict of under-use without stalls shown."""
    run = (
        Run()
        .rank(0, "n1", steps(1, 100, 100), code=0, end=120, times=ticks(100))
        .node("n1", series=[busy("n1", [0.0] * 20, every=5), sm("n1", [0.0] * 20, every=5)])
    )
    verdict = run.accounting("COMPLETED", code=0, end=121).verdict()
    assert verdict.mode == "G1"
    assert next(f for f in verdict.ledger if f.mode == "D1").standing is Standing.IN
    assert next(f for f in verdict.ledger if f.mode == "D1").incidental
