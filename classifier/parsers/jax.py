"""JAX, flax and orbax: memory, devices, tracing, coordination (jaxlib 0.4 to 0.10; 0.10 recorded by running it on a CPU)."""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.pattern import Parser, Pattern
from gpualert_slurm.evidence import Role

PARSER = Parser(
    program="JAX",
    patterns=(
        Pattern(
            name="oom",
            says="gpu_oom",
            role=Role.ROOT,
            regex=r"RESOURCE_EXHAUSTED: Out of memory (?:while trying to )?allocat(?:e|ing) (?P<requested>[\d.]{1,18}(?:[KMGT]iB| bytes)?)(?!.{0,300}\b(?:cpu_client|CpuDevice|TFRT_CPU|pjrt_stream_executor/cpu))",
            literals=("RESOURCE_EXHAUSTED: Out of memory",),
            samples=(
                "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8589934592 bytes.",
                "XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 4294967296 bytes.",
                "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 12.50GiB.",
            ),
            near_misses=("RESOURCE_EXHAUSTED: quota", "status RESOURCE_EXHAUSTED: Out of memory? no"),
            cause=Cause.CUDA_OOM,
            detail="jax",
        ),
        Pattern(
            name="coordination",
            says="rendezvous",
            role=Role.ROOT,
            regex=r"DEADLINE_EXCEEDED: (?:Deadline Exceeded|Barrier timed out)|Terminating process because the JAX distributed service detected fatal errors|coordination service.{0,200}(?:UNAVAILABLE|DEADLINE_EXCEEDED)",
            literals=("DEADLINE_EXCEEDED", "the JAX distributed service detected fatal", "coordination service"),
            samples=(
                "E0101 client.h:80] Terminating process because the JAX distributed service detected fatal errors. This most likely indicates that another task died",
                "jax.errors.JaxRuntimeError: DEADLINE_EXCEEDED: Barrier timed out. Id: PjRT_Client_Connect",
            ),
            near_misses=("the coordination service started", "status DEADLINE: today"),
            detail="rendezvous_timeout",
        ),
    ),
    exceptions=(
        ExceptionRule(
            detail="jax",
            # jaxlib 0.11 on an H200: XLA tries kernels out before a program's first step, and each of them needs its memory
            words=r"RESOURCE_EXHAUSTED: Failed to get configs for: \d{1,6} out of \d{1,6} instructions",
            samples=(
                ("jax.errors.JaxRuntimeError", "RESOURCE_EXHAUSTED: Failed to get configs for: 3 out of 12 instructions. See logs for all failures."),
                ("jaxlib.xla_extension.XlaRuntimeError", "RESOURCE_EXHAUSTED: Failed to get configs for: 1 out of 40 instructions."),
            ),
            near_misses=(("jax.errors.JaxRuntimeError", "INTERNAL: Failed to get configs for: 3 out of 12 instructions."),),
            cause=Cause.CUDA_OOM,
        ),
        ExceptionRule(
            detail="host_memory",
            words=r"RESOURCE_EXHAUSTED: Out of memory allocating \d{1,18} bytes.{0,300}(?:Cpu|CPU|cpu)|Failed to allocate (?:memory|\d{1,18} bytes).{0,200}(?:Cpu|CPU)",
            samples=(
                ("jax.errors.JaxRuntimeError", "INTERNAL: Failed to allocate 320000000000 bytes for buffer on CpuDevice"),
                ("jax.errors.JaxRuntimeError", "RESOURCE_EXHAUSTED: Failed to allocate memory on TFRT_CPU_0 (CPU)"),
            ),
            near_misses=(("jax.errors.JaxRuntimeError", "INTERNAL: an error on CpuDevice"),),
            cause=Cause.RAM_OOM,
        ),
        ExceptionRule(
            detail="rendezvous_timeout",
            words=r"DEADLINE_EXCEEDED|UNAVAILABLE: failed to connect to all addresses|coordination service.{0,100}(?:not|lost|unavailable)",
            samples=(
                ("jax.errors.JaxRuntimeError", "DEADLINE_EXCEEDED: Deadline Exceeded"),
                ("jaxlib.xla_extension.XlaRuntimeError", "DEADLINE_EXCEEDED: Barrier timed out. Id: PjRT_Client_Connect::0"),
                ("jaxlib.xla_extension.XlaRuntimeError", "UNAVAILABLE: failed to connect to all addresses; last error: UNKNOWN: ipv4:10.0.0.1:1234"),
            ),
            near_misses=(("RuntimeError", "the deadline is near"),),
            cause=Cause.TRACEBACK,
        ),
        ExceptionRule(
            detail="no_gpu",
            words=r"Unable to initialize backend '(?:cuda|rocm|gpu|tpu)'|Unknown backend:? '?(?:gpu|cuda|rocm)|No visible (?:GPU|TPU) devices|operation .{0,40}failed: CUDA_ERROR_NO_DEVICE",
            samples=(
                ("RuntimeError", "Unable to initialize backend 'cuda': Backend 'cuda' is not in the list of known backends: cpu, tpu."),
                ("RuntimeError", "Unknown backend: 'gpu' requested, but no platforms that are instances of gpu are present."),
            ),
            near_misses=(("RuntimeError", "Unable to initialize the model"),),
            cause=Cause.CUDA_RUNTIME,
            about="env",
        ),
        ExceptionRule(
            detail="traced_value",
            words=r"Attempted boolean conversion of traced array|Abstract tracer value encountered where concrete value is expected|The error occurred while tracing the function|Encountered an unexpected tracer",
            samples=(
                ("jax.errors.TracerBoolConversionError", "Attempted boolean conversion of traced array with shape bool[]."),
                ("jax.errors.ConcretizationTypeError", "Abstract tracer value encountered where concrete value is expected: traced array with shape int32[]"),
            ),
            near_misses=(("TypeError", "a traced value"),),
            about="config",
        ),
        ExceptionRule(
            detail="shapes",
            words=r"requires contracting dimensions to have the same shape|Incompatible shapes for broadcasting|got incompatible shapes for broadcasting|Initializer expected to generate shape .{1,80} but got shape",
            samples=(
                ("TypeError", "dot_general requires contracting dimensions to have the same shape, got (8,) and (9,)."),
                ("ValueError", "Incompatible shapes for broadcasting: shapes=[(8,), (9,)]"),
                ("flax.errors.ScopeParamShapeError", 'Initializer expected to generate shape (8, 16) but got shape (9, 16) instead for parameter "kernel"'),
            ),
            near_misses=(("TypeError", "the same shape"),),
            about="config",
        ),
        ExceptionRule(
            detail="two_devices",
            words=r"Received incompatible devices for jitted computation",
            samples=(
                (
                    "ValueError",
                    "Received incompatible devices for jitted computation. Got argument x of f with shape float32[8] and device ids [0] on platform CPU and argument y of f with device ids [1]",
                ),
                ("ValueError", "Received incompatible devices for jitted computation. Got ARG_SHARDING with device ids [0] on platform GPU and explicit output sharding"),
            ),
            near_misses=(("ValueError", "Received incompatible shapes for the computation"),),
            cause=Cause.DEVICE_MISMATCH,
        ),
        ExceptionRule(
            detail="non_finite",
            words=r"invalid value \((?:nan|inf)\) encountered in",
            samples=(
                ("FloatingPointError", "invalid value (nan) encountered in jit(log)"),
                ("FloatingPointError", "invalid value (inf) encountered in div"),
            ),
            near_misses=(("ValueError", "invalid value for x"),),
            cause=Cause.NAN_LOSS,
        ),
        ExceptionRule(
            detail="checkpoint_missing",
            words=r"Checkpoint at .{1,300} not found|Metadata file .{0,300}does not exist at|Checkpoint structure file does not exist|No structure could be identified for the checkpoint|Must provide .{0,60}existing checkpoint",
            samples=(
                ("FileNotFoundError", "Checkpoint at /home/user/run/ckpt not found."),
                ("FileNotFoundError", "Metadata file (named _METADATA) does not exist at /scratch/ckpt."),
                ("ValueError", "No structure could be identified for the checkpoint at /scratch/ckpt."),
            ),
            near_misses=(("FileNotFoundError", "[Errno 2] No such file or directory: 'x'"),),
            cause=Cause.FILE_NOT_FOUND,
            about="asset",
        ),
    ),
)
