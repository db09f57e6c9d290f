"""FlashAttention 1 to 3 and what asks for it: not installed, built for another torch, on a card or type it does not serve.

Neither run nor read: from what is known of its messages (it needs a GPU).
"""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.pattern import Parser

PARSER = Parser(
    program="FlashAttention",
    exceptions=(
        ExceptionRule(
            detail="attention_package",
            words=r"Flash ?Attention ?\d? has been toggled on, but it cannot be used|the package flash_attn seems to be not installed|flash_attn .{0,40}is not installed|No module named '?flash_attn",
            samples=(
                (
                    "ImportError",
                    "FlashAttention2 has been toggled on, but it cannot be used due to the following error: the package flash_attn seems to be not installed. Please refer to the documentation",
                ),
                ("ModuleNotFoundError", "No module named 'flash_attn'"),
            ),
            near_misses=(("ImportError", "No module named 'flash'"),),
            cause=Cause.MISSING_MODULE,
            about="env",
        ),
        ExceptionRule(
            detail="attention_build",
            words=r"flash_attn_\w{1,20}\.[\w.-]{1,80}: undefined symbol",
            samples=(
                ("ImportError", "/opt/env/lib/flash_attn_2_cuda.cpython-311-x86_64-linux-gnu.so: undefined symbol: _ZN3c104cuda9SetDeviceEi"),
                ("ImportError", "/opt/env/lib/flash_attn_3_cuda.abi3.so: undefined symbol: _ZNK3c1010TensorImpl"),
            ),
            near_misses=(("ImportError", "libcudart.so.12: undefined symbol: x"),),
            cause=Cause.MISSING_MODULE,
            about="env",
        ),
        ExceptionRule(
            detail="attention_unsupported",
            words=r"FlashAttention only supports? (?:Ampere|Hopper|Turing|fp16|bf16|CUDA)|Flash ?Attention (?:only supports|forward only supports) head dim",
            samples=(
                ("RuntimeError", "FlashAttention only supports Ampere GPUs or newer."),
                ("RuntimeError", "FlashAttention only support fp16 and bf16 data type"),
                ("RuntimeError", "FlashAttention forward only supports head dimension at most 256"),
            ),
            near_misses=(("RuntimeError", "FlashAttention is in use"),),
            about="config",
        ),
    ),
)
