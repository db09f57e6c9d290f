"""GPU memory that does not suffice, in PyTorch's words of six versions, cuBLAS's and cuDNN's: by hand, from the libraries' own strings."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.hand import GIB, Hand
from corpus.running.handlogs import through, trace, training
from corpus.running.job import HandJob, Recipe

TEXTS = (
    "RuntimeError: CUDA out of memory. Tried to allocate {ask} (GPU {g}; 79.15 GiB total capacity; 77.02 GiB already allocated; {free} free; 77.60 GiB reserved in total by PyTorch)",
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate {ask} (GPU {g}; 39.39 GiB total capacity; 37.11 GiB already allocated; {free} free; 38.02 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF",
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate {ask}. GPU {g} has a total capacty of 79.15 GiB of which {free} is free. Including non-PyTorch memory, this process has 78.80 GiB memory in use. Of the allocated memory 76.93 GiB is allocated by PyTorch, and 1.12 GiB is reserved by PyTorch but unallocated.",
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate {ask}. GPU {g} has a total capacity of 44.39 GiB of which {free} is free. Process 3120817 has 44.10 GiB memory in use. Of the allocated memory 42.77 GiB is allocated by PyTorch, and 851.30 MiB is reserved by PyTorch but unallocated.",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {ask}. GPU {g} has a total capacity of 79.19 GiB of which {free} is free. Including non-PyTorch memory, this process has 78.77 GiB memory in use. Of the allocated memory 77.51 GiB is allocated by PyTorch, and 402.12 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.",
    "torch.OutOfMemoryError: HIP out of memory. Tried to allocate {ask}. GPU {g} has a total capacity of 63.98 GiB of which {free} is free. Of the allocated memory 61.40 GiB is allocated by PyTorch, and 1.02 GiB is reserved by PyTorch but unallocated.",
    "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
)
SIZES = (("2.00 GiB", "1.31 GiB"), ("20.00 MiB", "14.50 MiB"), ("91.60 GiB", "70.10 GiB"), ("512.00 MiB", "303.06 MiB"), ("1.25 GiB", "700.88 MiB"))


def jobs() -> Iterator[HandJob]:
    """While loading, in the first step, later; one rank or all; with a memory curve or without."""
    for number in range(21):
        ask, free = SIZES[number % 5]
        where = ("transformers/models/llama/modeling_llama.py", "timm/models/vision_transformer.py", "torch/optim/adamw.py")[number % 3]
        late = number % 3 == 2
        ranks = (1, 4, 8)[number % 3]
        everyone = number % 2 == 0
        hand = Hand(("g01", "g02") if ranks == 8 else ("g01",), job_id=184300 + number, gpus=4, name=("llama-sft", "vit-large", "sd-finetune")[number % 3])
        first = training(160, planned=900, form=number) if late else []
        end = 30 + 160 * 2.0 + 6 if late else 48.0
        for rank in range(ranks):
            node = hand.nodes[rank * len(hand.nodes) // ranks]
            bad = everyone or rank == ranks - 1
            text = trace(through(where), TEXTS[number % 7].format(ask=ask, free=free, g=rank % 4))
            lines = [*(first if rank == 0 else []), *([(end + rank * 0.2, text)] if bad else [])]
            hand.rank(rank, node, lines, code=1 if bad else None, signal=None if bad else 9, end=end + rank * 0.2 + (0.6 if bad else 9), local=rank % 4)
            if number % 3 != 1:
                hand.gpu(node, rank % 4, {}, {}, memory_used_bytes=[4 * GIB, 40 * GIB, 61 * GIB, 74 * GIB, 78 * GIB], utilization_percent=[0, 70, 88, 91, 60])
        hand.ended("FAILED", code=1, end=end + 12, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 1, 0)))
        bad_ranks = tuple(range(ranks)) if everyone else (ranks - 1,)
        label = Label(mode="B1", cause="cuda_oom", fault="user", failed_ranks=bad_ranks, first_ranks=(0,) if everyone else bad_ranks, software={"torch": ("1.12", "1.13", "2.1", "2.4", "2.6", "2.8 (ROCm)", "2.6")[number % 7]})
        yield HandJob(label, hand)


RECIPE = Recipe("hand_gpu_memory", "development", jobs)
