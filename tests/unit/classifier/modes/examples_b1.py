"""B1: a GPU's memory, in the words of torch from 1.12 to 2.14, of ROCm, JAX, TensorFlow and the libraries."""

from __future__ import annotations

from tests.unit.classifier.records import Run, steps, trace
from tests.unit.classifier.signals import ticks


def _dies(error: str):
    return lambda: Run().rank(0, "n1", trace(error), code=1).accounting().verdict()


XLA = trace("jaxlib._jax.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 57600000000 bytes.")
EXAMPLES = {
    "JAX, in the words of its client for the CPU, in a job with GPUs": lambda: Run().rank(0, "n1", XLA, code=1).accounting().verdict(),
    "torch <= 1.12": _dies(
        "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 15.90 GiB total capacity; 14.90 GiB already allocated; 13.75 MiB free; 15.00 GiB reserved in total by PyTorch)"
    ),
    "torch 2.1 to 2.3, as misspelt": _dies(
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacty of 79.15 GiB of which 1.19 GiB is free."
    ),
    "torch >= 2.5": _dies(
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.19 GiB is free."
    ),
    "ROCm": _dies(
        "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 63.98 GiB of which 1.19 GiB is free."
    ),
    "JAX": _dies("jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 17179869184 bytes."),
    "a program of one's own": lambda: (
        Run()
        .rank(0, "n1", steps(1, 40) + "nnfit: cudaMalloc of 6442450944 bytes failed: out of memory\n", code=2, end=60, times=[50.0])
        .accounting(code=2, end=61)
        .verdict()
    ),
    "cuBLAS": _dies("RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
}
NEAR_MISSES = {
    "JAX on a CPU": lambda: Run().rank(0, "n1", XLA, code=1).accounting(tres_alloc="billing=4,cpu=4,mem=8G,node=1").verdict(),
    "the batch-size finder recovers": lambda: (
        Run()
        .rank(
            0,
            "n1",
            trace("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.")
            + "Batch size 64 failed, trying batch size 32\n"
            + steps(1, 50, 50),
            code=0,
            end=70,
            times=ticks(60),
        )
        .accounting("COMPLETED", code=0, end=71)
        .verdict()
    ),
    "host memory": _dies(
        "RuntimeError: [enforce fail at alloc_cpu.cpp:83] DefaultCPUAllocator: can't allocate memory: you tried to allocate 17179869184 bytes."
    ),
    "advice that names it": lambda: (
        Run().rank(0, "n1", "if you see CUDA out of memory, lower the batch size\n" + trace("KeyError: 'x'"), code=1).accounting().verdict()
    ),
}
