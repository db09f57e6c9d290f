"""Acceptance cases with their twins that must not match, on whole JobRecords."""

from __future__ import annotations

import pytest

from gpualert_slurm.accounting import NodeEvent
from gpualert_slurm.cause import Cause
from gpualert_slurm.evidence import Evidence, FieldValue, Role, Trust, Where
from gpualert_slurm.finding import Standing
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.rank import CgroupMemory
from gpualert_slurm.series import Series
from gpualert_slurm.verdict import Fault, Phase
from tests.unit.classifier.records import Run, at, steps, trace

GIB = 1 << 30


def gpu(node: str, uuid: str = "GPU-1", when: float = 0, **fields) -> GpuSnapshot:
    return GpuSnapshot(
        node=node, uuid=uuid, time_ns=at(when), index=0, serial="1652", pci_bus_id="0000:44:00.0", memory_total_bytes=80 * GIB, **fields
    )


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


def busy(node: str, values: tuple[float, ...], uuid: str = "GPU-1") -> Series:
    return Series(
        name="gpu_utilization_percent",
        where=Where(node=node, gpu_uuid=uuid),
        unit="%",
        times_ns=tuple(at(i * 60) for i in range(len(values))),
        values=values,
        points_seen=len(values),
    )


def standing(verdict, mode: str) -> Standing:
    return next(f.standing for f in verdict.ledger if f.mode == mode)


def ticks(count: int, every: float = 1.0) -> list[float]:
    return [i * every for i in range(1, count + 1)]


ADAPTER = trace("ValueError: Target modules {'query_key_value'} not found in the base model. Please check the target modules and try again.")
GATED = trace(
    "huggingface_hub.errors.GatedRepoError: 401 Client Error. (Request ID: x)\n\nCannot access gated repo for url https://huggingface.co/api"
)


def everywhere(text: str, code: int = 1) -> Run:
    run = Run(("n1", "n2"))
    for rank in range(16):
        run.rank(rank, f"n{1 + rank // 8}", text, code=code, end=20 + rank * 0.01, local=rank % 8)
    return run


def test_1_an_adapter_for_modules_the_model_has_not():
    verdict = everywhere(ADAPTER).accounting().verdict()
    assert (verdict.mode, verdict.variant, verdict.fault, verdict.detail) == ("A1", "config", Fault.USER, "target_modules")
    assert "q_proj,k_proj,v_proj" in verdict.advice[0]
    assert any("16 ranks said the same" in words for words in verdict.implies)


def test_1_twin_a_gated_repository():
    verdict = everywhere(GATED).accounting().verdict()
    assert (verdict.mode, verdict.variant, verdict.cause, verdict.detail) == ("A1", "asset", Cause.PERMISSION, "gated_repo")


def test_2_two_ranks_are_killed_and_nobody_knows_by_whom():
    run = (
        Run()
        .rank(0, "n1", "start\n", code=1, end=31)
        .rank(1, "n1", "start\n", signal=9, end=30, local=1)
        .rank(4, "n1", "start\n", signal=9, end=30, local=4)
    )
    verdict = run.accounting().verdict()
    assert (verdict.mode, verdict.cause, verdict.phase, verdict.fault) == ("A2", None, Phase.STARTUP, Fault.UNKNOWN)
    assert verdict.first_failure is not None
    assert verdict.first_failure.ranks == (1, 4)
    assert any("who sent SIGKILL" in words for words in verdict.cannot_decide)


def test_2_twin_the_cgroup_counted_the_kill():
    memory = CgroupMemory(limit_bytes=4 * GIB, peak_bytes=4 * GIB, oom_events=3, oom_kill_events=1)
    verdict = Run().rank(1, "n1", "start\n", signal=9, end=30, memory=memory).accounting("OUT_OF_MEMORY", code=0, signal=125).verdict()
    assert (verdict.mode, verdict.cause, verdict.fault) == ("A2", Cause.OOM_KILLER, Fault.USER)
    assert "4.0 GiB" in verdict.headline
    assert verdict.advice[0] == "#SBATCH --mem=6G"


OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 91.60 GiB. GPU 0 has a total capacity of 79.20 GiB of which 70.00 GiB is free."


def test_3_one_request_larger_than_the_card():
    verdict = everywhere(trace(OOM)).accounting().verdict()
    assert (verdict.mode, verdict.cause, verdict.fault) == ("B1", Cause.CUDA_OOM, Fault.USER)
    assert "91.60 GiB asked for on a 79.20 GiB card" in verdict.headline


def test_3_twin_the_same_text_then_progress_to_the_end():
    text = trace(OOM) + "Batch size 64 failed, trying batch size 32\n" + steps(1, 100, 100) + "Training complete\n"
    run = Run().rank(0, "n1", text, code=0, end=200, times=[5.0] * 5 + ticks(105))
    verdict = run.accounting("COMPLETED", code=0, end=201).verdict()
    assert (verdict.mode, verdict.fault) == ("G1", Fault.NONE)
    assert any("allocation" in claim.text for claim in verdict.warnings)


def test_4_an_uncorrectable_error_in_the_episode():
    text = steps(1, 40) + trace("torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered")
    run = Run().rank(0, "n1", text, code=1, end=50, times=[*ticks(40), 49.5])
    run.node(
        "n1",
        gpus_before=(gpu("n1", ecc_volatile_uncorrected=0),),
        gpus_after=(gpu("n1", when=52, ecc_volatile_uncorrected=1),),
        evidence=[xid(48, 49.4)],
    )
    verdict = run.accounting().verdict()
    assert (verdict.mode, verdict.fault) == ("B2", Fault.NODE)
    assert any("DRAIN" in line for line in verdict.advice)
    assert "GPU-1" in verdict.headline


def test_4_twin_flat_remaps_and_a_missing_file():
    run = Run().rank(0, "n1", trace("FileNotFoundError: [Errno 2] No such file or directory: 'data/x'"), code=1)
    run.node("n1", gpus_before=(gpu("n1", remapped_rows_correctable=3),), gpus_after=(gpu("n1", when=12, remapped_rows_correctable=3),))
    verdict = run.accounting().verdict()
    assert (verdict.mode, verdict.variant, verdict.fault) == ("A1", "data", Fault.USER)
    assert any("GPU-1" in claim.text and "1652" in claim.text for claim in verdict.warnings)


def test_4_second_twin_an_error_hours_before_a_missing_file():
    text = steps(1, 40) + trace("FileNotFoundError: [Errno 2] No such file or directory: 'data/shard-40'")
    run = Run().rank(0, "n1", text, code=1, end=144_000, times=[*ticks(40, 3600), 143_999])
    run.node(
        "n1",
        gpus_before=(gpu("n1", ecc_volatile_uncorrected=0),),
        gpus_after=(gpu("n1", when=144_010, ecc_volatile_uncorrected=1),),
        evidence=[xid(48, 3600)],
    )
    verdict = run.accounting(end=144_005).verdict()
    assert (verdict.mode, verdict.cause, verdict.fault) == ("A3", Cause.FILE_NOT_FOUND, Fault.USER)
    assert next(f for f in verdict.ledger if f.mode == "B2").incidental


def hung(**accounting):
    run = Run(("n1", "n2"))
    for rank in range(4):
        dead = rank == 2
        text = steps(1, 30) if rank == 0 else "training\n"
        text += trace("RuntimeError: DataLoader worker (pid 99) is killed by signal: Killed. ") if dead else ""
        times = ticks(30) if rank == 0 else [31.0]
        run.rank(
            rank,
            f"n{1 + rank // 2}",
            text,
            code=1 if dead else None,
            signal=None if dead else 9,
            end=32 if dead else 7200.4,
            local=rank % 2,
            times=times,
        )
    for node in ("n1", "n2"):
        run.node(node, series=[busy(node, (100.0,) * 20, f"GPU-{node}")])
    return run.accounting("TIMEOUT", code=0, end=7200, **{"time_limit_s": 7200, **accounting})


def test_5_survivors_of_a_dead_rank_hang_until_the_limit():
    verdict = hung().verdict()
    assert verdict.mode == "C2"
    assert verdict.trigger is not None
    assert (verdict.trigger.mode, verdict.trigger.cause) == ("A3", Cause.OOM_KILLER)
    assert "rank 2" in verdict.headline
    assert verdict.first_failure is not None
    assert verdict.first_failure.ranks == (2,)


def test_ranks_whose_watchdog_gave_up_are_victims_and_the_one_that_did_not_is_named():
    """Three of four ranks abort with the watchdog's words; nobody died first."""
    gave_up = (
        "[rank{0}]:[E ProcessGroupNCCL.cpp:607] [Rank {0}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=98, OpType=ALLREDUCE)\n"
    )
    run = Run()
    for rank in (0, 1, 3):
        run.rank(rank, "n1", steps(1, 30) + gave_up.format(rank), signal=6, end=640, local=rank, times=[*ticks(30), 639])
    run.rank(2, "n1", steps(1, 30), signal=9, end=641, local=2, times=ticks(30))
    verdict = run.accounting(end=642).verdict()
    assert (verdict.mode, verdict.cause, verdict.trigger, verdict.fault) == ("C2", Cause.NCCL, None, Fault.UNKNOWN)
    assert any("rank 2 did not report" in words for words in verdict.implies)


def test_5_twin_a_suspended_job_is_no_hang():
    assert hung(suspended_s=7000).verdict().mode != "C2"


def test_7_a_loss_that_stands_still_with_a_dead_gradient():
    text = "".join(f"step {i} loss 11.9312 grad_norm {0.5 if i < 5 else 0.0:.4f}\n" for i in range(1, 101))
    verdict = Run().rank(0, "n1", text, code=0, end=200, times=ticks(100)).accounting("COMPLETED", code=0, end=201).verdict()
    assert (verdict.mode, verdict.variant, verdict.fault) == ("E1", "plateau", Fault.USER)
    assert verdict.is_problem


def test_7_twin_slow_but_falling():
    run = Run().rank(0, "n1", steps(1, 100, 100), code=0, end=200, times=ticks(100)).node("n1", series=[busy("n1", (8.0,) * 20)])
    verdict = run.accounting("COMPLETED", code=0, end=201).verdict()
    assert verdict.mode == "G1"
    assert any("busy 8 %" in claim.text for claim in verdict.warnings)


@pytest.mark.parametrize(
    "loss",
    [
        lambda i: -3.0 - i / 10,
        lambda i: 2.0 + 0.3 * (-1) ** i,
        lambda i: 5.0 if i < 3 else 1.0 / i,
        lambda i: 0.0001,
    ],
    ids=["negative, as in reinforcement learning", "noisy", "falling fast", "converged"],
)
def test_losses_that_are_no_divergence(loss):
    text = steps(1, 100, 100, loss=loss)
    assert Run().rank(0, "n1", text, code=0, end=200, times=ticks(100)).accounting("COMPLETED", code=0, end=201).verdict().mode == "G1"


@pytest.mark.parametrize(
    ("loss", "variant"),
    [
        (lambda i: 2.0 / i if i < 60 else float("nan"), "non_finite"),
        (lambda i: 3.0 - i / 100 if i < 60 else 3.0 + (i - 60) / 2, "spike"),
        (lambda _: 0.6931, "plateau"),
    ],
    ids=["nan from step 60 on", "spike far above the start", "at chance"],
)
def test_losses_that_diverge_or_stand_still(loss, variant):
    text = steps(1, 100, 100, loss=loss)
    verdict = Run().rank(0, "n1", text, code=0, end=200, times=ticks(100)).accounting("COMPLETED", code=0, end=201).verdict()
    assert (verdict.mode, verdict.variant, verdict.training_correctness) == ("E1", variant, "failed")


def test_a_program_that_stops_at_a_loss_of_nan_diverged():
    text = steps(1, 20) + "step 21 loss nan\nLoss is nan, stopping training\n"
    verdict = Run().rank(0, "n1", text, code=1, end=40, times=ticks(30)).accounting().verdict()
    assert (verdict.mode, verdict.variant, verdict.cause) == ("E1", "non_finite", Cause.NAN_LOSS)


@pytest.mark.parametrize(
    ("error", "variant"),
    [
        ("RuntimeError: Error(s) in loading state_dict for Net:\n\tsize mismatch for fc.weight: copying a param with shape [10, 5]", "size_mismatch"),
        ("ValueError: Can't find a valid checkpoint at out/checkpoint-500", "no_valid_checkpoint"),
        ("RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory", "corrupt"),
        ("safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooLarge", "corrupt"),
    ],
)
def test_a_checkpoint_that_does_not_load(error, variant):
    verdict = Run().rank(0, "n1", trace(error), code=1).accounting().verdict()
    assert (verdict.mode, verdict.variant, verdict.fault) == ("E2", variant, Fault.USER)


def child(first_loss: float):
    parent = PastVerdict(relation="parent", job="4700", mode="F3", fault="user", head_loss=11.0, tail_loss=2.0)
    text = steps(1, 60, 60, loss=lambda i: first_loss * 0.97**i)
    run = Run(past=(parent,)).rank(0, "n1", text, code=0, end=100, times=ticks(60))
    return run.accounting("COMPLETED", code=0, end=101).verdict()


def test_8_a_child_that_starts_where_its_parent_started():
    verdict = child(11.2)
    assert (verdict.mode, verdict.variant) == ("E2", "from_scratch")


def test_8_twin_a_child_that_starts_where_its_parent_ended():
    assert child(2.0).mode == "G1"


def test_9_one_step_and_exit_0():
    verdict = (
        Run().rank(0, "n1", steps(1, 1) + "saved checkpoint to out\n", code=0, end=60, times=[50.0]).accounting("COMPLETED", code=0, end=61).verdict()
    )
    assert verdict.mode == "E3"
    assert "1 step" in verdict.headline
    assert standing(verdict, "D1") is Standing.NOT_TESTABLE
    assert standing(verdict, "D2") is Standing.NOT_TESTABLE


def test_9_twin_two_hundred_steps():
    assert Run().rank(0, "n1", steps(1, 200), code=0, end=260, times=ticks(200)).accounting("COMPLETED", code=0, end=261).verdict().mode == "G1"


def down(start: float, state: str = "DOWN*", reason: str = "Not responding", node: str = "n2") -> NodeEvent:
    return NodeEvent(source="sacctmgr show event", node=node, state=state, reason=reason, start_ns=at(start))


def test_10_a_node_down_at_the_end_with_the_others_fine():
    run = Run(("n1", "n2"), node_events=(down(290),)).rank(0, "n1", steps(1, 280), signal=9, end=300, times=ticks(280)).silent("n2")
    verdict = run.accounting("NODE_FAIL", code=0, end=300).verdict()
    assert (verdict.mode, verdict.fault) == ("F1", Fault.NODE)
    assert "n2" in verdict.headline


@pytest.mark.parametrize(
    "event",
    [down(-108_000, "DRAIN", "bad fan"), down(290, "DRAIN", "Kill task failed"), down(290, "DOWN", "Kill task failed"), down(290, node="n9")],
)
def test_10_twins_a_drain_or_its_own_leftovers_or_another_node_are_no_loss(event):
    run = Run(("n1", "n2"), node_events=(event,)).rank(0, "n1", trace("ValueError: x"), code=1).rank(1, "n2", code=1)
    verdict = run.accounting(end=300).verdict()
    assert verdict.mode == "A1"
    assert standing(verdict, "F1") is Standing.OUT


def test_10_twin_requeued_and_then_completed():
    run = Run().accounting("NODE_FAIL", code=0, end=100).rank(0, "n1", steps(1, 100, 100), code=0, end=300, times=ticks(100))
    verdict = run.accounting("COMPLETED", code=0, end=301, restarts=1).verdict()
    assert (verdict.mode, verdict.variant, verdict.fault) == ("F2", "requeued_recovered", Fault.NONE)
    assert not verdict.is_problem


def test_10_twin_a_time_limit_while_advancing():
    run = Run().rank(0, "n1", steps(1, 718, 1000), signal=9, end=3601, times=ticks(718, 5))
    verdict = run.accounting("TIMEOUT", code=0, end=3600, time_limit_s=3600).verdict()
    assert (verdict.mode, verdict.variant, verdict.fault) == ("F3", "advancing", Fault.USER)
    assert any("23 min more" in words for words in verdict.implies)
    assert verdict.advice[0] == "#SBATCH --time=01:37:00"


def test_10_twin_a_time_limit_after_silence_of_one_rank():
    run = Run().rank(0, "n1", steps(1, 100, 1000), signal=9, end=3601, times=ticks(100, 5))
    verdict = run.accounting("TIMEOUT", code=0, end=3600).verdict()
    assert verdict.mode == "C3"
    assert next(f for f in verdict.ledger if f.mode == "F3").standing is Standing.IN


def test_a_cancel_by_the_owner_is_no_problem():
    run = Run().rank(0, "n1", steps(1, 90), signal=15, end=100, times=ticks(90))
    verdict = run.accounting("CANCELLED", code=0, end=100, cancelled_by_uid=1000).verdict()
    assert (verdict.mode, verdict.variant, verdict.fault, verdict.is_problem) == ("F4", "by_owner", Fault.NONE, False)


def test_a_cancel_by_root_is_a_problem():
    verdict = (
        Run().rank(0, "n1", steps(1, 90), signal=15, end=100, times=ticks(90)).accounting("CANCELLED", code=0, end=100, cancelled_by_uid=0).verdict()
    )
    assert (verdict.mode, verdict.variant, verdict.is_problem) == ("F4", "by_other", True)


def test_what_a_program_prints_while_it_is_taken_down_is_no_cause():
    """A traceback after scancel's SIGTERM is what cancelling does."""
    text = steps(1, 90) + trace("RuntimeError: DataLoader worker (pid 9) exited: Terminated")
    run = Run().rank(0, "n1", text, code=1, end=99.8, times=[*ticks(90), 99.7])
    assert run.accounting("CANCELLED", code=0, end=100, cancelled_by_uid=1000).verdict().mode == "F4"
