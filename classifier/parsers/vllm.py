"""vLLM 0.4 to 0.11, as it runs beside RL training: its engine's refusals.

Neither run nor read: from what is known of its messages (it needs a GPU).
"""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.pattern import Parser, Pattern
from gpualert_slurm.evidence import Role

PARSER = Parser(
    program="vLLM",
    patterns=(
        Pattern(
            name="engine_failed",
            says="failure_summary",
            role=Role.WRAPPER,
            regex=r"Engine core initialization failed\. See root cause above|EngineCore (?:failed to start|encountered a fatal error)|EngineCore encountered an issue\. See stack trace",
            literals=("Engine core initialization failed", "EngineCore failed to start", "EngineCore encountered "),
            samples=(
                "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}",
                "ERROR 01-01 00:00:00 [core.py:588] EngineCore failed to start.",
                "EngineCore encountered a fatal error.",
            ),
            near_misses=("EngineCore started",),
        ),
    ),
    exceptions=(
        ExceptionRule(
            detail="kv_cache_memory",
            words=r"No available memory for the cache blocks|larger than the maximum number of tokens that can be stored in KV cache|KV cache is needed, which is larger than the available KV cache memory|Free memory on device .{0,160}is less than desired GPU memory utilization",
            samples=(
                ("ValueError", "No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine."),
                ("ValueError", "The model's max seq len (131072) is larger than the maximum number of tokens that can be stored in KV cache (45056)."),
                ("ValueError", "Free memory on device cuda:0 (3.21/79.2 GiB) on startup is less than desired GPU memory utilization (0.9, 71.28 GiB)."),
            ),
            near_misses=(("ValueError", "the cache has 4 blocks"),),
            cause=Cause.CUDA_OOM,
            about="config",
        ),
        ExceptionRule(
            detail="engine_dead",
            words=r"EngineCore encountered an issue|Background loop has errored already|Engine loop is not running",
            samples=(
                ("vllm.v1.engine.exceptions.EngineDeadError", "EngineCore encountered an issue. See stack trace (above) for the root cause."),
                ("vllm.engine.async_llm_engine.AsyncEngineDeadError", "Background loop has errored already."),
            ),
            near_misses=(("RuntimeError", "the engine is idle"),),
        ),
        ExceptionRule(
            detail="parallel_size",
            words=r"Total number of attention heads \(\d{1,6}\) must be divisible by tensor parallel size|must be divisible by tensor.parallel",
            samples=(
                ("ValueError", "Total number of attention heads (28) must be divisible by tensor parallel size (8)."),
                ("ValueError", "num_heads must be divisible by tensor-parallel size"),
            ),
            near_misses=(("ValueError", "28 is divisible by 4"),),
            about="config",
        ),
    ),
)
