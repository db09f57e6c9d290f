"""Case 6: engines at 1.0 and SMs at 0.1 on all ranks of a run that completes; and one rank that computes while the others wait."""

from __future__ import annotations

from gpualert_slurm.finding import Standing
from gpualert_slurm.verdict import Fault, Verdict
from tests.unit.classifier.records import Run
from tests.unit.classifier.signals import busy, done, gpu, process, row, series, sm, standing, trained

RANKS, EVERY = 8, 10


def run_with(active: list[float], engine: float = 99.0, **more) -> Run:
    run = trained(200, ranks=RANKS, nodes=("n1", "n2"), **more)
    for rank in range(RANKS):
        node, uuid = f"n{1 + rank // (RANKS // 2)}", f"GPU-{rank}"
        points = 21
        run.node(
            node,
            gpus_after=(*run.more[node].get("gpus_after", ()), gpu(node, uuid, 205, serial=f"S{rank}")),
            series=[busy(node, [engine] * points, uuid, every=EVERY, rank=rank), sm(node, [active[rank]] * points, uuid, every=EVERY, rank=rank)],
        )
    return run


def test_it_is_bound_by_the_interconnect_and_the_cluster_must_act():
    verdict = done(run_with([10.0] * RANKS))
    assert (verdict.mode, verdict.variant, verdict.fault) == ("D2", "interconnect", Fault.CLUSTER)
    assert verdict.is_problem
    assert "99 %" in verdict.headline
    assert "10 %" in verdict.headline


def test_the_transports_own_line_confirms_it():
    run = run_with([10.0] * RANKS)
    run.rank(1, "n1", "n1:1:2 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0>\n", step="0", local=1, times=[1.0])
    verdict = done(run)
    assert (verdict.mode, verdict.detail) == ("D2", "sockets")


def straggler() -> Verdict:
    return done(run_with([16.0] * 5 + [55.0] + [16.0] * 2))


def test_twin_one_rank_at_055_and_the_median_at_016():
    verdict = straggler()
    assert verdict.mode == "D3"
    assert "rank 5" in verdict.headline
    assert "GPU-5" in verdict.headline
    assert "n2" in verdict.headline
    assert any("S5" in claim.text for claim in verdict.shows)
    assert standing(verdict, "D2") is Standing.OUT


def test_second_twin_a_hang_of_all_ranks_is_no_interconnect():
    """The same numbers in a run that did not end well."""
    verdict = run_with([0.0] * RANKS).accounting("TIMEOUT", code=0, end=7200).verdict()
    assert verdict.mode != "D2"


def test_third_twin_busy_sms():
    verdict = done(run_with([70.0] * RANKS))
    assert verdict.mode == "G1"
    assert standing(verdict, "D2") is Standing.OUT
    assert standing(verdict, "D3") is Standing.OUT


def test_fourth_twin_without_sm_readings_it_cannot_be_decided():
    run = trained(200, ranks=2, nodes=("n1", "n2"))
    for node in ("n1", "n2"):
        run.node(node, series=[busy(node, [99.0] * 21, f"GPU-{node}", every=EVERY)])
    verdict = done(run)
    assert verdict.mode == "G1"
    assert standing(verdict, "D2") is Standing.NOT_TESTABLE
    assert standing(verdict, "D3") is Standing.NOT_TESTABLE


def test_fifth_twin_pipeline_stages_are_uneven_by_design():
    run = run_with([16.0] * 5 + [55.0] + [16.0] * 2)
    run.node("n1", processes=(process("n1", 11, rank=0, command=("python", "pretrain.py", "--pipeline-model-parallel-size", "4")),))
    verdict = done(run)
    assert verdict.mode != "D3"
    assert "pipeline" in row(verdict, "D3").datum


def test_a_straggler_by_its_clock_is_the_nodes():
    run = run_with([60.0] * RANKS)
    for rank in range(RANKS):
        node = f"n{1 + rank // (RANKS // 2)}"
        clock = 700.0 if rank == 3 else 1900.0
        run.node(node, series=[series("gpu_sm_clock_mhz", node, [clock] * 21, uuid=f"GPU-{rank}", every=EVERY, rank=rank)])
    verdict = done(run)
    assert (verdict.mode, verdict.fault, verdict.detail) == ("D3", Fault.NODE, "slow_clock")
    assert "rank 3" in verdict.headline
