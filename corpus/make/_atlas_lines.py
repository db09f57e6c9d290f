"""Ways to tell of a step, as the people of these plates do; and tracebacks in their manner."""

from __future__ import annotations

import math
from collections.abc import Callable

FIRST_NS = 1_802_937_600_000_000_000
"""A morning in February 2027."""
Form = Callable[[int, int, float, float, int, float], str]


def clock(start_ns: int, t: float) -> str:
    """The time of day."""
    day = (start_ns // 10**9 + int(t)) % 86_400
    return f"{day // 3600:02d}:{day // 60 % 60:02d}:{day % 60:02d}"


def span(s: float) -> str:
    """As tqdm has it."""
    return f"{int(s) // 3600}:{int(s) // 60 % 60:02d}:{int(s) % 60:02d}" if s >= 3600 else f"{int(s) // 60:02d}:{int(s) % 60:02d}"


FORMS: dict[str, Form] = {
    "arrow": lambda i, n, x, p, b, t: f"{clock(b, t)} > {i}/{n} > loss {x:.4f} > {1 / p:.2f} it/s",
    "table": lambda i, n, x, p, _b, _t: f"| {i:>7} | {x:>9.5f} | {3e-4 * (1 - i / (n + 1)):.2e} | {1000 * p:>8.1f} |",
    "absl": lambda i, _n, x, p, b, t: f"I0218 {clock(b, t)}.{int(t * 1e6) % 10**6:06d} {22_611} loop.py:88] step={i} loss={x:.5f} steps_per_sec={1 / p:.3f}",
    "loguru": lambda i, n, x, _p, b, t: f"2027-02-18 {clock(b, t)}.{int(t * 1000) % 1000:03d} | INFO     | lab.fit:one_epoch:131 - step {i}/{n} loss={x:.4f} grad_norm={0.3 + x / 6:.3f}",
    "german": lambda i, n, x, p, _b, _t: f"Schritt {i}/{n}: Verlust {x:.4f} ({p:.2f} s)".replace(".", ","),
    "french": lambda i, n, x, p, _b, _t: f"itération {i} sur {n}, perte {x:.4f}, {p:.2f} s/it",
    "spanish": lambda i, n, x, _p, b, t: f"[{clock(b, t)}] paso {i} de {n} | pérdida {x:.4f} | lr {2e-4 * (1 - i / (n + 1)):.2e}",
    "row": lambda i, _n, x, p, _b, t: f"{i},{x:.5f},{p:.3f},{t:.1f}",
    "bar": lambda i, n, x, p, _b, t: f"{100 * i // n:3d}%|{'#' * (10 * i // n):<10}| {i}/{n} [{span(t)}<{span((n - i) * p)}, {1 / p:5.2f}it/s, loss={x:.3f}]",
    "json": lambda i, n, x, p, _b, t: f'{{"t": {t:.1f}, "step": {i}, "max_steps": {n}, "train": {{"loss": {x:.5f}, "sec": {p:.3f}}}}}',
    "tokens": lambda i, _n, x, p, _b, _t: f"step {i:>6d} | tok {i * 0.00105:.2f}B | ce {x:.3f} | ppl {math.exp(min(x, 20)):.1f} | gn {0.2 + x / 9:.2f} | {1050 / p:.0f}k tok/s",
    "epoch": lambda i, n, x, p, _b, _t: f"Epoch {1 + 20 * (i - 1) // n:02d}/20 batch {i} train_loss {x:.4f} s/batch {p:.3f}",
    "lab": lambda i, n, x, p, b, t: f"[{clock(b, t)} trainer.py:212] INFO - it {i:05d}/{n:05d} - L={x:.4e} dt={1000 * p:.0f}ms",
    "keyed": lambda i, n, x, p, _b, t: f"ts={t:.2f} level=info msg=train step={i} of={n} loss={x:.5f} sps={32 / p:.1f}",
    "fields": lambda i, n, x, p, _b, t: f"iter: {i}  loss: {x:.4f} ({x * 1.02:.4f})  time: {p:.4f}  data: 0.0011  eta: {span((n - i) * p)}  elapsed: {span(t)}",
}


def fell(error: str, *frames: str, mark: str = "") -> str:
    """A traceback: frames are ``file:line function source``."""
    rows = ["Traceback (most recent call last):"]
    for frame in frames:
        where, function, source = frame.split(" ", 2)
        file, _, line = where.rpartition(":")
        rows += [f'  File "{file}", line {line}, in {function}', f"    {source}"]
    return "\n".join(mark + row for row in [*rows, *error.split("\n")])


ASYNC = (
    "\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect."
    "\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
)


def full(ask: str, gpu: int, total: str, free: str, used: str, torch: str, spare: str = "612.44 MiB", old: bool = False) -> str:  # noqa: PLR0917
    """What PyTorch says of a card that is full."""
    name = "torch.cuda.OutOfMemoryError" if old else "torch.OutOfMemoryError"
    word = "total capacty of" if old else "total capacity of"
    knob = "max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF" if old else "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
    return (
        f"{name}: CUDA out of memory. Tried to allocate {ask}. GPU {gpu} has a {word} {total} of which {free} is free. Including non-PyTorch memory, this process has {used} memory in use. "
        f"Of the allocated memory {torch} is allocated by PyTorch, and {spare} is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting {knob}"
    )


def watchdog(rank: str, seq: int, op: str, numel: int, ms: int, took: int, stamp: str = "<c>") -> str:  # noqa: PLR0917
    """The two things that NCCL's watchdog says before it takes the process down."""
    work = f"WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn={numel}, NumelOut={numel}, Timeout(ms)={ms}) ran for {took} milliseconds before timing out."
    head = f"[rank{rank}]:[E218 {stamp}"
    return (
        f"{head}.<u> ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation timeout: {work}\n"
        f"{head}.<u> ProcessGroupNCCL.cpp:2271] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq + 2}, last completed work: {seq - 1}\n"
        f"{head}.<u> ProcessGroupNCCL.cpp:684] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.\n"
        f"{head}.<u> ProcessGroupNCCL.cpp:698] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.\n"
        f"terminate called after throwing an instance of 'c10::DistBackendError'\n  what():  [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog thread terminated with exception: [Rank {rank}] Watchdog caught collective operation timeout: {work}"
    )
