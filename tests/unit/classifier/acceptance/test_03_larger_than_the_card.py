"""Case 3: one request larger than the card, on all ranks; the sampled peak stays low."""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.finding import Standing
from gpualert_slurm.verdict import Fault
from tests.unit.classifier.records import Run, steps, trace
from tests.unit.classifier.signals import GIB, everywhere, gpu, series, standing, ticks

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 91.60 GiB. GPU 0 has a total capacity of 79.20 GiB of which 70.00 GiB is free."
CLEAN = {"ecc_volatile_uncorrected": 0, "remapped_rows_uncorrectable": 0}


def low_memory(run: Run, nodes: tuple[str, ...]) -> Run:
    for node in nodes:
        card = f"GPU-{node}"
        run.node(
            node,
            gpus_before=(gpu(node, card, **CLEAN),),
            gpus_after=(gpu(node, card, 300, **CLEAN),),
            series=[series("gpu_memory_used_bytes", node, [2 * GIB, 9 * GIB, 9 * GIB], uuid=card, every=5)],
        )
    return run


def test_it_is_b1_although_the_sampled_peak_is_low():
    verdict = low_memory(everywhere(trace(OOM)), ("n1", "n2")).accounting().verdict()
    assert (verdict.mode, verdict.cause, verdict.fault) == ("B1", Cause.CUDA_OOM, Fault.USER)
    assert "91.60 GiB asked for on a 79.20 GiB card" in verdict.headline
    assert any("larger than the whole card" in words for words in verdict.implies)
    assert not any("contradiction" in words for words in verdict.cannot_decide)
    assert standing(verdict, "B2") is Standing.OUT


def test_twin_the_same_text_and_then_progress_to_the_end():
    text = trace(OOM) + "Batch size 64 failed, trying batch size 32\n" + steps(1, 100, 100) + "Training complete\n"
    run = low_memory(Run().rank(0, "n1", text, code=0, end=200, times=[5.0] * 5 + ticks(105)), ("n1",))
    verdict = run.accounting("COMPLETED", code=0, end=201).verdict()
    assert (verdict.mode, verdict.fault, verdict.is_problem) == ("G1", Fault.NONE, False)
    assert any("allocation" in claim.text for claim in verdict.warnings)


def test_a_small_request_over_a_flat_low_curve_is_a_contradiction_and_said():
    text = OOM.replace("91.60 GiB", "20.00 MiB").replace("70.00 GiB", "10.00 MiB")
    verdict = low_memory(everywhere(trace(text)), ("n1", "n2")).accounting().verdict()
    assert verdict.mode == "B1"
    assert any("contradiction" in words for words in verdict.cannot_decide)
    assert verdict.confidence < low_memory(everywhere(trace(OOM)), ("n1", "n2")).accounting().verdict().confidence
