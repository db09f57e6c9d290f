"""The runs every user knows, as whole records: who failed first, why, who must act."""

from __future__ import annotations

from gpualert_slurm.accounting import NodeEvent
from gpualert_slurm.cause import Cause
from gpualert_slurm.gap import Gap
from gpualert_slurm.verdict import Fault, Phase
from tests.unit.classifier.records import Run, at, steps, trace

MISSING = trace("FileNotFoundError: [Errno 2] No such file or directory: 'data/train-00003.bin'")


def test_a_missing_file_on_one_rank_while_its_peers_are_taken_down():
    """Rank 3 of 4 on two nodes raises at start, srun kills the peers: A1 data, rank 3 first, user."""
    run = Run(("n1", "n2"))
    run.rank(3, "n2", MISSING, code=1, end=7.0, local=1)
    run.rank(0, "n1", "waiting\n", signal=15, end=7.4).rank(1, "n1", signal=15, end=7.4, local=1).rank(2, "n2", signal=9, end=7.5)
    run.batch(
        "srun: error: n2: task 3: Exited with exit code 1\nslurmstepd: error: *** STEP 4711.0 ON n1 CANCELLED AT 2026-11-20T16:30:07 ***\n",
        code=1,
        end=8,
    )
    verdict = run.accounting().verdict()
    assert (verdict.mode, verdict.variant, verdict.cause, verdict.fault) == ("A1", "data", Cause.FILE_NOT_FOUND, Fault.USER)
    assert verdict.first_failure is not None
    assert (verdict.first_failure.ranks, verdict.first_failure.nodes) == ((3,), ("n2",))
    assert verdict.first_failure.time_ns == at(6.95)
    assert verdict.phase is Phase.STARTUP
    assert "rank 3 on n2" in verdict.headline
    assert "data/train-00003.bin" in verdict.headline
    assert verdict.confidence >= 0.75
    assert verdict.waste.gpu_hours is not None
    assert "srun -w n2 ls -ld data/train-00003.bin" in verdict.advice[0]


def test_a_missing_file_on_one_rank_while_its_peers_wait_until_the_time_limit():
    """Without a kill on bad exit the peers wait to the limit: C1 and not F3, and the crash is what set it off, with its rank, its cause and its advice."""
    run = Run(("n1", "n2")).rank(3, "n2", MISSING, code=1, end=7.0, local=1)
    for rank, node in ((0, "n1"), (1, "n1"), (2, "n2")):
        run.rank(rank, node, "rank waits\n", signal=9, end=3600.5, times=[3.0])
    verdict = run.accounting("TIMEOUT", code=0, end=3600.0).verdict()
    assert (verdict.mode, verdict.cause, verdict.fault) == ("C1", Cause.FILE_NOT_FOUND, Fault.USER)
    assert verdict.trigger is not None
    assert (verdict.trigger.mode, verdict.trigger.cause) == ("A1", Cause.FILE_NOT_FOUND)
    assert verdict.first_failure is not None
    assert verdict.first_failure.ranks == (3,)
    assert any("data/train-00003.bin" in line for line in verdict.advice)
    assert {f.mode: f.standing.value for f in verdict.ledger}["F3"] == "in"


def test_peers_that_wait_until_the_owner_cancels():
    run = Run(("n1", "n2")).rank(3, "n2", MISSING, code=1, end=7.0)
    run.rank(0, "n1", signal=15, end=300).rank(1, "n1", signal=15, end=300).rank(2, "n2", signal=15, end=300)
    verdict = run.accounting("CANCELLED", code=0, end=300, cancelled_by_uid=1000).verdict()
    assert (verdict.mode, verdict.variant) == ("A1", "data")


def test_a_segmentation_fault_in_mid_training():
    run = Run().rank(0, "n1", steps(1, 50, 1000), code=None, signal=11, end=60, times=[float(i) for i in range(1, 51)])
    verdict = run.accounting(code=0, signal=11, end=61).verdict()
    assert (verdict.mode, verdict.cause, verdict.phase) == ("A2", Cause.SEGFAULT, Phase.TRAINING)
    assert verdict.steps_done == 50
    assert verdict.steps_planned == 1000


def test_a_segfault_whose_peers_then_lose_their_connection():
    """Ranks on another node end within the clocks' uncertainty, with tracebacks of lost peers: the first failure is the segfault alone."""
    run = Run(("n1", "n2"))
    lost = trace("ConnectionError: all_reduce: rank 2 closed the connection")
    also = trace("ConnectionError: all_reduce: rank 0 closed the connection")
    run.rank(0, "n1", steps(1, 50, 500) + lost, code=1, end=60.02, times=[*[float(i) for i in range(1, 51)], 60.01])
    run.rank(1, "n1", also, code=1, end=60.03, local=1).rank(3, "n2", also, code=1, end=60.03, local=1).rank(2, "n2", "loaded\n", signal=11, end=60.0)
    run.batch("srun: error: n2: task 2: Segmentation fault\n", code=139, end=62)
    verdict = run.accounting(code=139, end=63).verdict()
    assert (verdict.mode, verdict.cause, verdict.fault, verdict.phase) == ("A2", Cause.SEGFAULT, Fault.USER, Phase.TRAINING)
    assert verdict.first_failure is not None
    assert verdict.first_failure.ranks == (2,)
    assert "rank 2 on n2" in verdict.headline


def test_a_lost_connection_that_nobody_explains_is_told_as_it_is():
    """One process alone whose server is not there: no peer to look for."""
    verdict = Run().rank(0, "n1", trace("ConnectionRefusedError: [Errno 111] Connection refused"), code=1).accounting().verdict()
    assert (verdict.mode, verdict.cause) == ("A1", Cause.TRACEBACK)
    assert "Connection refused" in verdict.headline


def test_a_healthy_run_is_called_healthy_on_positive_evidence():
    log = steps(1, 100, 100) + "Training complete.\nfinal accuracy: 0.93\n"
    run = Run().rank(0, "n1", log, code=0, end=110, times=[float(i) for i in range(1, 103)], stream="out").batch(code=0, end=111)
    verdict = run.accounting("COMPLETED", code=0, end=112).verdict()
    assert (verdict.mode, verdict.variant, verdict.fault) == ("G1", "healthy", Fault.NONE)
    assert verdict.training_correctness == "learned"
    assert verdict.final_metrics["accuracy"] == 0.93
    assert verdict.steps_done == 100
    assert not verdict.is_problem


def test_a_lost_node_is_found_in_slurms_records_alone():
    """No report at all: accounting says NODE_FAIL."""
    run = Run(("n3",), gaps=(Gap(what="the report of n3", why="did not arrive within 120 s", node="n3"),)).silent("n3")
    run.job["node_events"] = (NodeEvent(source="sacctmgr show event", node="n3", state="DOWN*", reason="Not responding", start_ns=at(280)),)
    verdict = run.accounting("NODE_FAIL", code=0, end=300).verdict()
    assert (verdict.mode, verdict.fault) == ("F1", Fault.NODE)
    assert "n3" in verdict.headline
    assert any("--exclude=n3" in line for line in verdict.advice)


def test_a_node_that_was_back_before_the_run_began_is_not_lost():
    """n3 was DOWN until two seconds before the job: the job's own fault stays its own."""
    was_down = NodeEvent(source="sacctmgr show event", node="n3", state="DOWN*", reason="Not responding", start_ns=at(-30), end_ns=at(-2))
    run = Run(("n3",), node_events=(was_down,)).rank(0, "n3", steps(1, 50, 1000), signal=11, end=60, times=[float(i) for i in range(1, 51)])
    verdict = run.accounting(code=0, signal=11, end=61).verdict()
    assert (verdict.mode, verdict.cause) == ("A2", Cause.SEGFAULT)
    assert {f.mode: f.standing.value for f in verdict.ledger}["F1"] == "out"


def test_outside_slurm_a_missing_module_is_a_startup_crash_of_the_environment():
    run = Run(("box",), under_slurm=False, exit_code=1)
    run.rank(
        0,
        "box",
        "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nModuleNotFoundError: No module named 'nosuchmodule'\n",
        code=1,
        step="run",
    )
    verdict = run.verdict()
    assert (verdict.mode, verdict.variant, verdict.cause, verdict.state) == ("A1", "env", Cause.MISSING_MODULE, None)
    assert "pip install nosuchmodule" in verdict.advice[0]
