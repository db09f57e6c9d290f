"""Case 5: fifteen ranks spin in a collective, one is cold because its loader was killed, and the time limit ends it."""

from __future__ import annotations

import pytest

from gpualert_slurm.cause import Cause
from gpualert_slurm.finding import Standing
from gpualert_slurm.rank import CgroupMemory
from gpualert_slurm.stall import Waits
from gpualert_slurm.verdict import Fault, Phase
from tests.unit.classifier.records import Run, steps, trace
from tests.unit.classifier.signals import GIB, busy, process, series, sm, stall, stand, standing, ticks

COLD = 9
LOADER = "RuntimeError: DataLoader worker (pid 4099) is killed by signal: Killed. "


def hung(*, says_so: bool = True, signals: bool = True, **accounting) -> Run:
    run = Run(("n1", "n2"))
    for rank in range(16):
        text = steps(1, 30) if rank == 0 else "training\n"
        text += trace(LOADER) if rank == COLD and says_so else ""
        run.rank(rank, f"n{1 + rank // 8}", text, signal=9, end=7200.4, local=rank % 8, times=ticks(30) if rank == 0 else [30.5])
        if signals:
            node, uuid = f"n{1 + rank // 8}", f"GPU-{rank}"
            late = (0.0,) if rank == COLD else (100.0,)
            work = 40.0 if rank != COLD else 38.0
            run.node(
                node,
                series=[
                    busy(node, [97.0, *late * 60], uuid, every=30, rank=rank),
                    sm(node, [work, *(0.0,) * 60], uuid, every=30, rank=rank),
                ],
            )
    return run.accounting("TIMEOUT", code=0, end=7200, **{"time_limit_s": 7200, **accounting})


def test_the_hang_is_the_mode_and_the_loader_the_trigger():
    verdict = hung().verdict()
    assert (verdict.mode, verdict.phase) == ("C2", Phase.TRAINING)
    assert verdict.trigger is not None
    assert verdict.trigger.cause is Cause.OOM_KILLER
    assert "loader" in verdict.trigger.text
    assert f"rank {COLD}" in verdict.headline
    assert any("computing nothing" in claim.text for claim in verdict.shows)
    assert any(f"rank {COLD}" in words and "idle" in words for words in verdict.implies)
    assert standing(verdict, "F3") is Standing.IN
    assert any("watchdog" in line.lower() or "NCCL" in line for line in verdict.advice)


def test_without_a_word_of_the_loader_the_cold_rank_is_still_named():
    verdict = hung(says_so=False).verdict()
    assert verdict.mode == "C2"
    assert verdict.trigger is None
    assert f"rank {COLD}" in verdict.headline
    assert any("no stack" in words for words in verdict.cannot_decide)


def test_a_killed_worker_process_is_the_trigger_by_the_kernels_word():
    """The process map knows the worker's end, the cgroup counted the kill: no line of the log is needed."""
    run = hung(says_so=False)
    worker = process("n2", 4099, rank=COLD, name="pt_data_worker", exit_signal=9, ended_ns=None, parent_pid=4000)
    run.node("n2", processes=(worker,))
    end = run.parts["n2"]["exits"][0]
    memory = CgroupMemory(limit_bytes=4 * GIB, peak_bytes=4 * GIB, oom_events=1, oom_kill_events=1)
    run.parts["n2"]["exits"][0] = end.model_copy(update={"memory": memory})
    verdict = run.verdict()
    assert verdict.mode == "C2"
    assert verdict.trigger is not None
    assert (verdict.trigger.mode, verdict.trigger.cause) == ("A2", Cause.OOM_KILLER)
    assert "pt_data_worker" in verdict.trigger.text


@pytest.mark.parametrize(
    ("waits", "on", "words"),
    [
        (Waits.DATA_LOADER, "_next_data (torch/utils/data/dataloader.py)", "data loader"),
        (Waits.STORAGE, "nfs_wait_bit_killable", "storage"),
        (Waits.STOPPED, None, "stopped"),
    ],
)
def test_a_probe_names_what_the_culprit_waited_in(waits, on, words):
    run = hung(says_so=False, signals=False)
    for node, ranks in (("n1", range(8)), ("n2", range(8, 16))):
        by = "stack" if waits is Waits.DATA_LOADER else "kernel"
        stood = [stand(r, waits, node, by, waits_on=on) if r == COLD else stand(r, Waits.COLLECTIVE, node) for r in ranks]
        run.node(node, stalls=(stall(*stood, node=node),))
    verdict = run.verdict()
    assert verdict.mode == "C2"
    assert f"rank {COLD}" in verdict.headline
    assert any(words in claim.text for claim in verdict.shows)


def test_twin_the_job_was_suspended_by_slurm():
    verdict = hung(suspended_s=7000).verdict()
    assert verdict.mode not in {"C1", "C2", "C3"}
    assert standing(verdict, "C2") is Standing.OUT


def test_second_twin_the_gpus_computed_to_the_end():
    """No line for hours, but the SMs were at work: an evaluation that prints nothing, not a hang."""
    run = hung(says_so=False, signals=False)
    for rank in range(16):
        node = f"n{1 + rank // 8}"
        run.node(node, series=[busy(node, [99.0] * 240, f"GPU-{rank}", every=30), sm(node, [55.0] * 240, f"GPU-{rank}", every=30)])
    verdict = run.verdict()
    assert verdict.mode == "F3"
    assert standing(verdict, "C2") is Standing.OUT


def test_third_twin_kernels_and_collectives_went_on():
    run = hung(says_so=False, signals=False)
    run.node("n1", series=[series("collectives", "n1", [50.0] * 240, uuid=None, every=30, rank=0)])
    assert standing(run.verdict(), "C2") is Standing.OUT


def test_fourth_twin_a_launcher_that_takes_the_others_down_at_once():
    """The survivors did not hang: the death is the mode."""
    run = Run(("n1", "n2"))
    for rank in range(16):
        dead = rank == COLD
        text = (steps(1, 30) if rank == 0 else "training\n") + (trace(LOADER) if dead else "")
        times = ticks(30) if rank == 0 else [31.0]
        node = f"n{1 + rank // 8}"
        run.rank(rank, node, text, code=1 if dead else None, signal=None if dead else 15, end=32 + (not dead), local=rank % 8, times=times)
    verdict = run.accounting(end=34).verdict()
    assert verdict.mode in {"A2", "A3"}
    assert verdict.fault is Fault.USER
