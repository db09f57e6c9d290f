"""JAX and TensorFlow: GPU memory."""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.pattern import Parser, Pattern
from gpualert_slurm.evidence import Role

PARSER = Parser(
    program="JAX and TensorFlow",
    patterns=(
        Pattern(
            name="jax_oom",
            says="gpu_oom",
            role=Role.ROOT,
            regex=r"RESOURCE_EXHAUSTED: Out of memory (?:while trying to )?allocat(?:e|ing) (?P<requested>[\d.]{1,18}(?:[KMGT]iB| bytes)?)",
            literals=("RESOURCE_EXHAUSTED: Out of memory",),
            samples=(
                "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8589934592 bytes.",
                "XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 4294967296 bytes.",
            ),
            near_misses=("RESOURCE_EXHAUSTED: quota", "status RESOURCE_EXHAUSTED: Out of memory? no"),
            cause=Cause.CUDA_OOM,
            detail="jax",
        ),
        Pattern(
            name="tf_oom",
            says="gpu_oom",
            role=Role.ROOT,
            regex=r"OOM when allocating tensor with shape\[(?P<shape>[\d,]{1,120})\].{0,200}(?:GPU|gpu)",
            literals=("OOM when allocating tensor",),
            samples=(
                "ResourceExhaustedError: OOM when allocating tensor with shape[256,1024,1024] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc",
                "tensorflow.python.framework.errors_impl.ResourceExhaustedError: {{function_node x}} OOM when allocating tensor with shape[8,8] and type half on /device:GPU:3",
            ),
            near_misses=("OOM when allocating tensor with shape[8,8] and type float on /device:CPU:0",),
            cause=Cause.CUDA_OOM,
            detail="tensorflow",
        ),
    ),
)
