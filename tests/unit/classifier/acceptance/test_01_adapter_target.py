"""Case 1: every rank dies of an adapter for modules that the model has not."""

from __future__ import annotations

import pytest

from gpualert_slurm.cause import Cause
from gpualert_slurm.finding import Standing
from gpualert_slurm.verdict import Fault, Phase
from tests.unit.classifier.records import Run, trace
from tests.unit.classifier.signals import GIB, everywhere, gpu, series, standing

ADAPTER = "ValueError: Target modules {'query_key_value'} not found in the base model. Please check the target modules and try again."
GATED = "huggingface_hub.errors.GatedRepoError: 401 Client Error. (Request ID: x)\n\nCannot access gated repo for url https://huggingface.co/api"


def with_gpus(run: Run) -> Run:
    """Two nodes, one GPU seen on each: about a context's memory."""
    for node in ("n1", "n2"):
        cards = {"gpus_before": (gpu(node, f"GPU-{node}"),), "gpus_after": (gpu(node, f"GPU-{node}", 25),)}
        run.node(node, series=[series("gpu_memory_used_bytes", node, [0.4 * GIB, 0.5 * GIB, 0.5 * GIB], uuid=f"GPU-{node}", every=5)], **cards)
    return run


def test_an_adapter_for_modules_the_model_has_not():
    verdict = with_gpus(everywhere(trace(ADAPTER))).accounting().verdict()
    assert (verdict.mode, verdict.variant, verdict.fault, verdict.detail) == ("A1", "config", Fault.USER, "target_modules")
    assert verdict.phase is Phase.STARTUP
    assert "q_proj" in verdict.advice[0]
    assert "k_proj" in verdict.advice[0]
    assert "v_proj" in verdict.advice[0]
    assert any("16 ranks said the same" in words for words in verdict.implies)
    assert any("memory stayed at or below" in claim.text for claim in verdict.shows)
    assert verdict.blast_radius == "16 of 16 ranks on 2 nodes"


def test_under_torchrun_where_one_task_a_node_carries_eight_ranks():
    """The launcher's pipe carries the tracebacks with rank prefixes; the task itself only exits with 1."""
    run = Run(("n1", "n2"))
    for number, node in enumerate(("n1", "n2")):
        lines = "".join(f"[rank{rank}]: {line}\n" for rank in range(8 * number, 8 * number + 8) for line in trace(ADAPTER).splitlines())
        run.rank(number, node, lines, code=1, end=20 + number * 0.01)
    verdict = run.accounting().verdict()
    assert (verdict.mode, verdict.variant, verdict.fault, verdict.detail) == ("A1", "config", Fault.USER, "target_modules")
    assert any("q_proj" in line for line in verdict.advice)


def test_twin_a_gated_repository():
    verdict = with_gpus(everywhere(trace(GATED))).accounting().verdict()
    assert (verdict.mode, verdict.variant, verdict.cause, verdict.detail, verdict.fault) == ("A1", "asset", Cause.PERMISSION, "gated_repo", Fault.USER)
    assert not any("q_proj" in line for line in verdict.advice)
    assert any("token" in line.lower() or "login" in line.lower() for line in verdict.advice)


@pytest.mark.parametrize("mode", ["B1", "B2", "C1", "C2", "E2", "G1"])
def test_the_ledger_says_why_it_is_none_of_the_others(mode):
    verdict = with_gpus(everywhere(trace(ADAPTER))).accounting().verdict()
    assert standing(verdict, mode) in {Standing.OUT, Standing.NOT_TESTABLE}
