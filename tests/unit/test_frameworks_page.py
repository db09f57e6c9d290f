"""Every framework and family of exceptions that the design names is read: a fact without a pattern has its reason, and the page says what the code says."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

DOC = Path(__file__).parents[2] / "doc"
SPEC = importlib.util.spec_from_file_location("frameworks_page", DOC / "frameworks.py")
assert SPEC is not None
assert SPEC.loader is not None
frameworks = importlib.util.module_from_spec(SPEC)
sys.modules["frameworks_page"] = frameworks
SPEC.loader.exec_module(frameworks)

NAMED = (
    "Hugging Face Trainer < 5", "Hugging Face Trainer ≥ 5", "TRL", "LLaMA-Factory", "Axolotl", "Unsloth", "Megatron-LM", "PyTorch Lightning", "Keras",
    "TensorFlow", "DeepSpeed", "accelerate", "JAX and Flax loops", "MLPerf :::MLLOG", "plain `step … loss …`",
)  # fmt: skip
RAISING = (
    "datasets", "PyArrow", "PEFT", "hub client", "bitsandbytes", "safetensors", "CUDA", "NCCL", "JAX", "TensorFlow", "torchrun, torchelastic", "srun",
    "slurmstepd", "pyxis, enroot", "PMI, PMIx",
)  # fmt: skip


def test_all_that_are_named_are_listed():
    assert tuple(one.name for one in frameworks.FRAMEWORKS) == NAMED
    assert tuple(one.name for one in frameworks.FAMILIES) == RAISING


@pytest.mark.parametrize("one", [pytest.param(one, id=one.name) for one in frameworks.FRAMEWORKS])
def test_every_fact_of_progress_is_read_or_has_its_reason(one):
    found, reasons = frameworks.read_by(one.parsers), dict(one.none)
    left = {fact for fact in frameworks.FACTS if not [name for name in found[fact] if name not in one.later]}
    assert left <= reasons.keys(), f"write a pattern, or say in doc/frameworks.py why there is none: {left - reasons.keys()}"
    assert {"step", "loss", "planned end"} & left <= ({"planned end"} if "MLLOG" in one.name else set())
    assert all(len(reason) > 10 for reason in reasons.values())


@pytest.mark.parametrize("one", [pytest.param(one, id=one.name) for one in frameworks.FAMILIES])
def test_every_family_has_at_least_three_kinds_of_lines(one):
    names = {name for name, _ in frameworks.lines_of(one)}
    assert len(names) >= 3, names


def test_the_page_is_what_make_docs_writes():
    assert (DOC / "frameworks.md").read_text(encoding="utf-8") == frameworks.page(), "run: make docs"
