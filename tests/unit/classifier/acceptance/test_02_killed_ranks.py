"""Case 2: two ranks are ended by SIGKILL, and nothing says by whom."""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.rank import CgroupMemory
from gpualert_slurm.verdict import Fault, Phase
from tests.unit.classifier.records import Run
from tests.unit.classifier.signals import GIB, gpu, kernel, series

MEMORY = CgroupMemory(limit_bytes=4 * GIB, peak_bytes=4 * GIB, oom_events=3, oom_kill_events=1)


def killed(memory: CgroupMemory | None = None) -> Run:
    run = Run().rank(0, "n1", "start\n", code=1, end=31)
    run.rank(1, "n1", "start\n", signal=9, end=30, local=1, memory=memory)
    run.rank(4, "n1", "start\n", signal=9, end=30, local=4, memory=memory)
    run.node("n1", gpus_before=(gpu("n1"),), gpus_after=(gpu("n1", when=32),), series=[series("gpu_memory_used_bytes", "n1", [0, 0, 0, 0], every=10)])
    return run


def test_both_are_named_and_the_killer_is_left_open():
    verdict = killed().accounting().verdict()
    assert (verdict.mode, verdict.cause, verdict.phase, verdict.fault) == ("A2", None, Phase.STARTUP, Fault.UNKNOWN)
    assert (verdict.exit_code, verdict.exit_signal) == (1, 0)
    assert verdict.first_failure is not None
    assert verdict.first_failure.ranks == (1, 4)
    assert "1, 4" in verdict.headline
    assert any("who sent SIGKILL" in words for words in verdict.cannot_decide)
    assert any("GPU" in claim.text and "memory" in claim.text for claim in verdict.shows)


def test_twin_the_cgroup_counted_the_kill():
    verdict = killed(MEMORY).accounting("OUT_OF_MEMORY", code=0, signal=125).verdict()
    assert (verdict.mode, verdict.cause, verdict.fault, verdict.detail) == ("A2", Cause.OOM_KILLER, Fault.USER, "cgroup_limit")
    assert "4.0 GiB of 4.0 GiB" in verdict.headline
    assert verdict.advice[0] == "#SBATCH --mem=6G"
    assert not any("who sent" in words for words in verdict.cannot_decide)


def test_second_twin_the_node_itself_ran_out():
    """The kernel's line says that no cgroup's limit was the reason."""
    line = kernel("kernel_oom", 29.9, value="Out of memory: Killed process 77 (python)", scope="node", pid=77)
    verdict = killed().node("n1", evidence=[line]).accounting().verdict()
    assert (verdict.mode, verdict.cause, verdict.detail) == ("A2", Cause.OOM_KILLER, "node_memory")


def test_third_twin_the_cgroup_counted_no_kill():
    """A limit and a peak well below it: it was not the memory limit, and the sender stays open."""
    verdict = killed(CgroupMemory(limit_bytes=64 * GIB, peak_bytes=2 * GIB, oom_events=0, oom_kill_events=0)).accounting().verdict()
    assert (verdict.mode, verdict.cause) == ("A2", None)
    assert any("not the memory limit" in words for words in verdict.cannot_decide)


def apart_in_time(*others: dict) -> Run:
    """Rank 1 is killed at 30 s, rank 4 at 33 s."""
    run = Run().rank(1, "n1", "start\n", signal=9, end=30, local=1).rank(4, "n1", "start\n", signal=9, end=33, local=4)
    for rank, how in enumerate(others, 5):
        run.rank(rank, "n1", "start\n", end=40, local=rank, **how)
    return run


def test_ranks_killed_seconds_apart_are_both_named_where_others_went_on_to_a_good_end():
    """Nobody had taken the step down when rank 4 was killed: ranks 5 and 6 end well later."""
    verdict = apart_in_time({"code": 0}, {"code": 0}).accounting().verdict()
    assert "ranks 1, 4" in verdict.headline
    assert [rank.rank for rank in verdict.failed_ranks if "taken down" not in rank.words] == [1, 4]
    assert verdict.first_failure is not None
    assert verdict.first_failure.ranks == (1,)


def test_near_miss_a_rank_killed_later_with_all_others_was_taken_down():
    verdict = apart_in_time({"signal": 9}, {"signal": 9}).accounting().verdict()
    assert "rank 1 on n1" in verdict.headline
    assert [rank.rank for rank in verdict.failed_ranks if "taken down" not in rank.words] == [1]
