"""What a verdict rests on: accounting alone, trust, the first failing rank, steps and scripts, the shape of every verdict."""

from __future__ import annotations

import pytest

from gpualert_slurm.accounting import StepRecord
from gpualert_slurm.cause import Cause
from gpualert_slurm.evidence import Evidence, FieldValue, Role, Trust, Where
from gpualert_slurm.finding import Standing
from gpualert_slurm.verdict import Fault, Phase
from tests.unit.classifier.records import Run, at, steps, trace


def xid(number: int, when: float, node: str = "n1", words: str = "") -> Evidence:
    return Evidence(
        id=f"kernel-{node}-{number}-{when}",
        says="xid",
        role=Role.ROOT,
        trust=Trust.SYSTEM,
        source=FieldValue(record=f"kernel log of {node}", query="journalctl -k", name="line", value=f"NVRM: Xid (PCI:0000:44:00): {number}, {words}"),
        where=Where(node=node, gpu_uuid="GPU-1"),
        time_ns=at(when),
        data={"xid": number, "pci": "0000:44:00"},
    )


def standing(verdict, mode: str) -> Standing:
    return next(f.standing for f in verdict.ledger if f.mode == mode)


def ticks(count: int, every: float = 1.0) -> list[float]:
    return [i * every for i in range(1, count + 1)]


# without any log: capture was absent, Slurm's records alone


@pytest.mark.parametrize(
    ("state", "fields", "mode", "variant"),
    [
        ("TIMEOUT", {}, "F3", None),
        ("CANCELLED", {"cancelled_by_uid": 1000}, "F4", "by_owner"),
        ("NODE_FAIL", {"failed_node": "n1"}, "F1", None),
        ("OUT_OF_MEMORY", {"signal": 125}, "A2", None),
        ("PREEMPTED", {}, "F2", "preempted"),
        ("FAILED", {"code": 1}, "unknown", None),
        ("FAILED", {"code": 0, "signal": 11}, "A2", None),
        ("COMPLETED", {"code": 0}, "G1", "healthy"),
    ],
)
def test_accounting_alone_gives_a_verdict_and_says_that_there_was_no_log(state, fields, mode, variant):
    verdict = Run().silent("n1").accounting(state, **{"code": 0, **fields}).verdict()
    assert (verdict.mode, verdict.variant) == (mode, variant)
    assert any("captured" in gap.why for gap in verdict.gaps)
    assert verdict.confidence < 0.9
    assert standing(verdict, "A1") in {Standing.NOT_TESTABLE, Standing.OUT}


def test_while_accounting_is_away_exit_records_and_logs_give_the_verdict():
    run = Run(("n1", "n2")).rank(3, "n2", trace("KeyError: 'x'"), code=1, end=7).rank(0, "n1", signal=9, end=8)
    run.batch("slurmstepd: error: *** STEP 4711.0 ON n1 CANCELLED AT 2026-11-20T16:30:07 ***\n", code=1, end=9)
    verdict = run.verdict()
    assert (verdict.mode, verdict.state, verdict.exit_code) == ("A1", None, 1)
    assert standing(verdict, "F4") is Standing.OUT


def test_an_output_file_that_slurm_could_not_open():
    """Slurm never forks the task and says nothing but FAILED 0:53."""
    verdict = Run().silent("n1").accounting("FAILED", code=0, signal=53, end=1, std_out="/nowhere/slurm-4711.out").verdict()
    assert (verdict.mode, verdict.variant, verdict.detail, verdict.phase) == ("A1", "config", "output_path", Phase.BEFORE_LAUNCH)
    assert "/nowhere/slurm-4711.out" in verdict.headline


def test_slurms_code_125_is_the_oom_killer():
    verdict = Run().silent("n1").accounting("FAILED", code=0, signal=125, end=100).verdict()
    assert (verdict.mode, verdict.cause) == ("A2", Cause.OOM_KILLER)


def test_a_failed_step_of_a_completed_job_is_said_when_only_accounting_knows_it():
    row = (StepRecord(step="batch", state="COMPLETED"), StepRecord(step="0", state="FAILED", exit_code=3))
    verdict = Run().silent("n1").accounting("COMPLETED", code=0, end=100, steps=row).verdict()
    assert verdict.mode == "G1"
    assert any("step 0 ended as FAILED" in claim.text for claim in verdict.warnings)


def test_a_traceback_on_a_node_whose_clock_is_ahead_is_not_taken_for_a_consequence():
    """Srun's kill is stamped by n1's clock, the traceback by n2's, 3 s ahead and said to be so uncertain."""
    run = Run(("n1", "n2")).rank(3, "n2", trace("KeyError: 'x'"), code=1, end=10.0)
    run.rank(0, "n1", "slurmstepd: error: *** STEP 4711.0 ON n1 CANCELLED AT 2026-11-20T16:30:07 ***\n", signal=9, end=8.0, times=[7.5])
    run.node("n2", clock_uncertainty_ns=4_000_000_000)
    verdict = run.accounting().verdict()
    assert verdict.mode == "A1"
    assert "KeyError" in verdict.headline


def test_a_silent_program_that_fails_is_known_to_have_written_nothing():
    verdict = Run().rank(0, "n1", "", code=3).accounting(code=3).verdict()
    assert verdict.mode == "unknown"
    assert any("wrote nothing" in words for words in verdict.cannot_decide)
    assert not any("captured" in gap.why for gap in verdict.gaps)


def test_outside_slurm_no_advice_speaks_slurm():
    run = Run(("box",), under_slurm=False, exit_code=1).rank(
        0, "box", trace("FileNotFoundError: [Errno 2] No such file or directory: 'a b'"), code=1, step="run"
    )
    verdict = run.verdict()
    assert verdict.headline.startswith("FileNotFoundError")
    assert verdict.advice
    assert not any(word in line for line in verdict.advice for word in ("srun", "sbatch", "sacct"))


# trust


def test_a_job_that_prints_an_xid_blames_nobody():
    text = "NVRM: Xid (PCI:0000:44:00): 79, pid=1, GPU has fallen off the bus.\n" + trace(
        "RuntimeError: CUDA error: uncorrectable ECC error encountered"
    )
    verdict = Run().rank(0, "n1", text, code=1).accounting().verdict()
    assert verdict.mode == "A1"
    assert verdict.fault is Fault.UNKNOWN
    assert standing(verdict, "B2") is Standing.NOT_TESTABLE


def test_a_job_that_prints_a_node_failure_blames_nobody():
    verdict = Run().rank(0, "n1", "srun: error: Node failure on n1\n", code=1).verdict()
    assert verdict.fault not in {Fault.NODE, Fault.CLUSTER}


def test_application_xids_blame_no_node():
    run = Run().rank(0, "n1", trace("RuntimeError: CUDA error: an illegal memory access was encountered"), code=1).node("n1", evidence=[xid(31, 9.9)])
    verdict = run.accounting().verdict()
    assert (verdict.mode, verdict.cause, verdict.fault) == ("A1", Cause.CUDA_RUNTIME, Fault.USER)
    assert standing(verdict, "B2") is Standing.OUT


def test_a_clean_end_with_a_counter_that_moved_is_a_warning():
    run = Run().rank(0, "n1", steps(1, 100, 100), code=0, end=200, times=ticks(100)).node("n1", evidence=[xid(94, 100)])
    verdict = run.accounting("COMPLETED", code=0, end=201).verdict()
    assert verdict.mode == "G1"
    assert any("XID 94" in claim.text for claim in verdict.warnings)


# first failure


def test_ranks_that_failed_within_the_clocks_uncertainty_are_a_tie():
    run = Run(("n1", "n2")).rank(0, "n1", trace("ValueError: x"), code=1, end=10.0).rank(1, "n2", trace("ValueError: x"), code=1, end=10.03)
    first = run.accounting().verdict().first_failure
    assert first is not None
    assert first.ranks == (0, 1)
    assert first.uncertainty_s is not None
    assert first.uncertainty_s >= 0.05


def test_ranks_of_one_node_are_in_order_to_the_millisecond():
    run = Run().rank(0, "n1", trace("ValueError: x"), code=1, end=10.03).rank(1, "n1", trace("ValueError: x"), code=1, end=10.0, local=1)
    first = run.accounting().verdict().first_failure
    assert first is not None
    assert first.ranks == (1,)


def test_a_peer_that_lost_its_connection_first_is_not_the_first_failure():
    """Rank 0 exits before rank 1 does, but says only that its peer is gone."""
    gone = trace("torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error")
    run = Run().rank(0, "n1", gone, code=1, end=10.0).rank(1, "n1", trace("ValueError: bad shard"), code=1, end=10.6, local=1, times=[9.9])
    verdict = run.accounting().verdict()
    assert verdict.first_failure is not None
    assert verdict.first_failure.ranks == (1,)
    assert "bad shard" in verdict.headline


def test_the_copy_of_a_ranks_words_in_the_batch_log_is_not_rank_0s():
    text = trace("ValueError: bad shard")
    run = Run(("n1", "n2")).rank(3, "n2", text, code=1, end=7.0).rank(0, "n1", "waiting\n", signal=9, end=7.5).batch(text, code=1, end=8)
    first = run.accounting().verdict().first_failure
    assert first is not None
    assert first.ranks == (3,)


def test_a_log_of_all_ranks_without_exit_records_names_the_first_by_sruns_lines():
    """Task lines of srun stand in the order in which tasks ended."""
    text = (
        "2: waiting\n"
        + "".join(f"3: {line}\n" for line in trace("KeyError: 'x'").splitlines())
        + "srun: error: n2: task 3: Exited with exit code 1\nsrun: error: n1: tasks 0-1: Killed\n"
    )
    run = Run(("n1", "n2")).rank(0, "n1", text, step="batch", stream="out", times=[])
    first = run.accounting().verdict().first_failure
    assert first is not None
    assert first.ranks == (3,)


# steps and scripts


def test_a_probe_that_failed_before_a_good_step_is_a_warning():
    run = (
        Run()
        .rank(0, "n1", "probe\n", code=3, end=5)
        .rank(0, "n1", steps(1, 100, 100), code=0, end=200, step="1", times=ticks(100))
        .batch(code=0, end=201)
    )
    verdict = run.accounting("COMPLETED", code=0, end=202).verdict()
    assert verdict.mode == "G1"
    assert any("a step failed" in claim.text for claim in verdict.warnings)


def test_a_script_that_swallows_its_steps_failure_is_no_healthy_run():
    run = Run().rank(0, "n1", trace("KeyError: 'x'"), code=1, end=5).batch(code=0, end=6)
    assert run.accounting("COMPLETED", code=0, end=7).verdict().mode == "A1"


def test_a_program_that_is_not_there_is_refused_before_any_python():
    run = Run().batch("/var/spool/slurmd/job04711/slurm_script: line 4: pyhton: command not found\n", code=127, end=2)
    verdict = run.accounting(code=127).verdict()
    assert (verdict.mode, verdict.variant, verdict.detail) == ("A1", "env", "command_not_found")


def test_a_step_limit_of_srun_counts_although_the_job_did_not_time_out():
    row = (StepRecord(step="0", state="TIMEOUT", exit_code=0, exit_signal=0),)
    run = Run().rank(0, "n1", steps(1, 100, 400), signal=9, end=101, times=ticks(100))
    run.batch("slurmstepd: error: *** STEP 4711.0 ON n1 CANCELLED AT 2026-11-20T16:30:07 DUE TO TIME LIMIT ***\n", code=1, end=102, times=[100.5])
    verdict = run.accounting("FAILED", code=1, end=103, steps=row).verdict()
    assert (verdict.mode, verdict.variant) == ("F3", "advancing")


# the shape of every verdict


def test_the_ledger_has_a_row_for_every_mode():
    verdict = Run().accounting().verdict()
    assert [f.mode for f in verdict.ledger] == [
        "A1", "A2", "A3", "B1", "B2", "B3", "C1", "C2", "C3", "D1", "D2", "D3", "E1", "E2", "E3", "F1", "F2", "F3", "F4", "G1",
    ]  # fmt: skip
    assert all(f.datum and f.flip for f in verdict.ledger)


def test_equal_failures_of_different_jobs_have_equal_fingerprints():
    one = Run().rank(0, "n1", trace("ValueError: shard 12 of /data/a/x.bin is bad", line=10), code=1).accounting().verdict()
    two = Run(("n9",)).rank(7, "n9", trace("ValueError: shard 981 of /scratch/b/x.bin is bad", line=12), code=1, end=99).accounting(end=100).verdict()
    other = Run().rank(0, "n1", trace("KeyError: 'x'"), code=1).accounting().verdict()
    assert one.fingerprint == two.fingerprint
    assert one.fingerprint != other.fingerprint


def test_a_hostile_message_makes_a_safe_headline():
    text = trace("ValueError: a\x1b[31m =?UTF-8?Q?=0A?= \u202e" + "x" * 500)
    headline = Run().rank(0, "n1", text, code=1).accounting().verdict().headline
    assert len(headline) <= 140
    assert "\x1b" not in headline
    assert "=?" not in headline
    assert "\u202e" not in headline


def test_one_store_alone_is_less_sure_than_two_that_agree():
    both = Run().rank(0, "n1", trace("ValueError: x"), code=1).accounting().verdict()
    text_alone = Run().rank(0, "n1", trace("ValueError: x")).verdict()
    assert text_alone.confidence < both.confidence
