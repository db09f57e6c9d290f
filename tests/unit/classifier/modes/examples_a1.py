"""A1: exceptions and refusals before progress, as they print in different versions."""

from __future__ import annotations

from gpualert_slurm.rank import CgroupMemory
from tests.unit.classifier.records import Run, steps, trace
from tests.unit.classifier.signals import GIB, ticks


def _dies(text: str, code: int = 1):
    return lambda: Run().rank(0, "n1", text, code=code).accounting(code=code).verdict()


EXAMPLES = {
    "peft 0.4 to 0.21: target modules": _dies(
        trace("ValueError: Target modules ['query_key_value'] not found in the base model. Please check the target modules and try again.")
    ),
    "huggingface_hub 2.4: gated": _dies(
        trace("huggingface_hub.errors.GatedRepoError: 403 Client Error. (Request ID: x)\n\nCannot access gated repo")
    ),
    "transformers 4.30: no such model": _dies(
        trace("OSError: my/model is not a local folder and is not a valid model identifier listed on 'https://huggingface.co/models'")
    ),
    "transformers 5: architecture": _dies(
        trace("ValueError: The checkpoint you are trying to load has model type `newer` but Transformers does not recognize this architecture.")
    ),
    "datasets 2.14: script": _dies(
        trace("FileNotFoundError: Couldn't find a dataset script at /data/set/set.py or any data file in the same directory.")
    ),
    "torch 1.13 to 2.14: driver": _dies(trace("RuntimeError: The NVIDIA driver on your system is too old (found version 11040).")),
    "python 3.11: module": _dies(trace("ModuleNotFoundError: No module named 'flash_attn'")),
    "slurm 26.05: step": _dies("srun: error: Unable to create step for job 42: Requested node configuration is not available\n"),
    "pyxis: mounts": _dies("slurmstepd: error: pyxis: Invalid --container-mounts argument: /nowhere:/data\n"),
    "argparse: an option": _dies("usage: train.py [-h] [--lr LR]\ntrain.py: error: unrecognized arguments: --lrr 1\n", 2),
}
NEAR_MISSES = {
    "after progress it is A3": _dies(steps(1, 50) + trace("KeyError: 'x'")),
    "survived": lambda: (
        Run()
        .rank(0, "n1", trace("KeyError: 'x'") + steps(1, 50, 50), code=0, end=60, times=ticks(60))
        .accounting("COMPLETED", code=0, end=61)
        .verdict()
    ),
    "ended by a signal": lambda: (
        Run().rank(0, "n1", "start\n", signal=9, memory=CgroupMemory(limit_bytes=GIB, oom_kill_events=1)).accounting(code=0, signal=9).verdict()
    ),
    "the GPU's memory": _dies(trace("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.")),
    "a checkpoint that does not load": _dies(trace("ValueError: Can't find a valid checkpoint at out/checkpoint-9")),
}
