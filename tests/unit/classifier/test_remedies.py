"""Advice that can be pasted: the attention's modules of the model that is named, what launchers refuse with."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.attention import modules_of
from gpualert_slurm.classifier.refusals import advice_on
from tests.unit.classifier.records import Run, trace
from tests.unit.classifier.signals import process


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("train.py --model_name_or_path meta-llama/Llama-2-7b-hf", "q_proj,k_proj,v_proj,o_proj"),
        ("train.py --model=/models/Qwen2.5-7B-Instruct/", "q_proj,k_proj,v_proj,o_proj"),
        ("train.py --model_name_or_path microsoft/Phi-3-mini-4k-instruct", "qkv_proj,o_proj"),
        ("train.py --model_name_or_path microsoft/phi-2", "q_proj,k_proj,v_proj,dense"),
        ("train.py --base_model tiiuae/falcon-7b", "query_key_value,dense"),
        ("train.py --pretrained_model EleutherAI/gpt-neox-20b", "query_key_value,dense"),
        ("train.py --model gpt2-xl", "c_attn,c_proj"),
        ("train.py --model facebook/opt-1.3b", "q_proj,k_proj,v_proj,out_proj"),
        ("train.py --model google/t5-v1_1-large", "q,k,v,o"),
        ("train.py --model deepseek-ai/DeepSeek-V3", "q_proj,kv_a_proj_with_mqa,kv_b_proj,o_proj"),
        ("model_name_or_path: internlm/internlm2-7b", "wqkv,wo"),
    ],
)
def test_the_modules_of_a_named_model(text, modules):
    found = modules_of(text)
    assert found is not None
    assert ",".join(found[1]) == modules


@pytest.mark.parametrize(
    "text", ["/opt/conda/bin/python train.py --lr 1", "train.py --optim adamw --bert-score", "--model /data/my-model", "", "--model optimus", "model: llamas"]
)
def test_what_names_no_known_model(text):
    assert modules_of(text) is None


def test_the_advice_names_the_modules_of_the_jobs_own_model():
    error = "ValueError: Target modules {'query_key_value'} not found in the base model. Please check the target modules and try again."
    run = Run().rank(0, "n1", trace(error), code=1)
    run.node("n1", processes=(process(rank=0, command=("python", "sft.py", "--model_name_or_path", "microsoft/Phi-3-mini-4k-instruct")),))
    assert 'target_modules=["qkv_proj", "o_proj"]' in run.accounting().verdict().advice[0]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("slurmstepd: error: pyxis: Invalid --container-mounts argument: /data", "SOURCE:TARGET"),
        ("The application appears to have been direct launched using \"srun\", but OMPI was not built with SLURM's PMI support", "--mpi=pmix"),
        ("srun: error: CPU binding outside of job step allocation, allocated CPUs are: 0x1", "SLURM_CPU_BIND"),
        ("srun: error: Unable to create step for job 42: Memory required by task is not available", "--mem=0"),
        ("srun: error: Unable to create step for job 42: More processors requested than permitted", "SRUN_CPUS_PER_TASK"),
    ],
)
def test_a_refusal_before_any_python_says_what_to_do(line, word):
    verdict = Run().batch(f"{line}\n", code=1).accounting().verdict()
    assert verdict.mode == "A1"
    assert word in " ".join(verdict.advice)


def test_words_that_no_launcher_refuses_with():
    assert advice_on("KeyError: 'lr'", launcher=True) == ()
    assert advice_on("ValueError: gres is no option; no such mount: No such file", launcher=False) == ()


def test_limits_that_a_program_meets():
    assert "memlock" in advice_on("RuntimeError: ibv_reg_mr failed: Cannot allocate memory", launcher=False)[0].lower()
    assert "ulimit -u" in advice_on("RuntimeError: can't start new thread", launcher=False)[0]
