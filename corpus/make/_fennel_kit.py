"""What frameworks print around their steps: launchers' notes, Trainer's heads and bars, Lightning's tables, Megatron's rows."""

from __future__ import annotations

from collections.abc import Iterable
from math import isnan

from corpus.make._ballast import Fleet

DSA = "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
MEMORY = "If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"


def hms(seconds: float) -> str:
    """As tqdm writes it."""
    s = int(max(0.0, seconds))
    return f"{s // 3600}:{s // 60 % 60:02d}:{s % 60:02d}" if s >= 3600 else f"{s // 60:02d}:{s % 60:02d}"


def bar(i: int, n: int, spent: float, *, name: str = "", tail: str = "", width: int = 10) -> str:
    """One state of tqdm's bar."""
    pace = spent / max(1, i)
    rate = f"{pace:5.2f}s/it" if pace >= 1 else f"{1 / max(pace, 1e-6):5.2f}it/s"
    full = width * i // n
    return f"{name}{': ' if name else ''}{100 * i // n:>3}%|{'█' * full}{' ' * (width - full)}| {i}/{n} [{hms(spent)}<{hms((n - i) * pace)}, {rate}{', ' if tail else ''}{tail}]"


def threads_note(f: Fleet, at: float, nodes: Iterable[int] | None = None) -> None:
    """Torchrun's note of threads, on each node."""
    for n in range(len(f.nodes)) if nodes is None else nodes:
        head = f"W{f.clock(at + n / 5, '%m%d %H:%M:%S')}.{212_000 + 37 * n} {1_210_311 + n} torch/distributed/run.py:774]"
        stars = "*" * 41
        note = "Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed. "
        f.launcher[n].append((at + n / 5, f"{head} \n{head} {stars}\n{head} {note}\n{head} {stars}"))


def trainer_head(f: Fleet, at: float, rows: int, batch: int, accumulate: int, steps: int, *, epochs: int = 1, rank: int = 0, params: int = 8_030_261_248) -> None:  # noqa: PLR0917
    """What the Hugging Face Trainer says before its first step."""
    total = batch * accumulate * len(f.ranks)
    f.say(rank, at, f"***** Running training *****\n  Num examples = {rows:,}\n  Num Epochs = {epochs}\n  Instantaneous batch size per device = {batch}\n  Total train batch size (w. parallel, distributed & accumulation) = {total:,}\n  Gradient Accumulation steps = {accumulate}\n  Total optimization steps = {steps:,}\n  Number of trainable parameters = {params:,}")


def lightning_head(f: Fleet, at: float, table: str) -> None:
    """What Lightning says on several ranks."""
    n = len(f.ranks)
    f.say(0, at, "GPU available: True (cuda), used: True\nTPU available: False, using: 0 TPU cores\nHPU available: False, using: 0 HPUs")
    f.each(at + 3, f"Initializing distributed: GLOBAL_RANK: {{r}}, MEMBER: {{r}}/{n}", range(1, n), gap=0.03)
    f.say(0, at + 3, f"Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/{n}")
    f.say(0, at + 9, f"{'-' * 100}\ndistributed_backend=nccl\nAll distributed processes registered. Starting with {n} processes\n{'-' * 100}\n")
    for r in f.ranks:
        f.say(r, at + 10 + r * 0.02, f"LOCAL_RANK: {r % f.per} - CUDA_VISIBLE_DEVICES: [{','.join(str(k) for k in range(f.per))}]")
    f.say(0, at + 12, table)


def megatron(i: int, n: int, x: float, *, stamp: str, ms: float, lr: float, batch: int = 1024, flops: float = 402.0, norm: float = 0.4, skipped: int = 0, nans: int = 0, scale: str = "1.0") -> str:
    """A row of Megatron-LM."""
    loss = f" lm loss: {x:.6E} |" if not isnan(x) else ""
    return f" [{stamp}] iteration {i:8d}/{n:8d} | consumed samples: {i * batch:12d} | elapsed time per iteration (ms): {ms:.1f} | throughput per GPU (TFLOP/s/GPU): {flops:.1f} | learning rate: {lr:.6E} | global batch size: {batch:5d} |{loss} loss scale: {scale} | grad norm: {norm:.3f} | number of skipped iterations: {skipped:3d} | number of nan iterations: {nans:3d} |"


def fabric(f: Fleet, at: float, *, net: str = "IB", version: str = "2.26.2+cuda12.8", face: str = "ib0", subnet: str = "10.128.7") -> None:
    """NCCL_DEBUG=INFO of all ranks, the beginning only."""
    f.say(0, at, f"NCCL version {version}")
    for r in f.ranks:
        head = f"{f.home(r)}:{f.pid(r)}:{f.pid(r)} [{r % f.per}] NCCL INFO"
        later = f"{f.home(r)}:{f.pid(r)}:{f.pid(r) + 900} [{r % f.per}] NCCL INFO"
        using = f"{later} NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [2]mlx5_2:1/IB [3]mlx5_3:1/IB [RO]; OOB {face}:{subnet}.{r // f.per + 11}<0>\n{later} Using network IB" if net == "IB" else f"{later} NET/IB : No device found.\n{later} NET/Socket : Using [0]{face}:{subnet}.{r // f.per + 11}<0>\n{later} Using network Socket"
        f.say(r, at + 0.4 + r * 0.01, f"{head} Bootstrap: Using {face}:{subnet}.{r // f.per + 11}<0>\n{head} cudaDriverVersion 12080\n{later} NET/Plugin: Could not find: libnccl-net.so. Using internal net plugin.\n{using}")
        f.say(r, at + 4 + r * 0.01, f"{later} ncclCommInitRankConfig comm 0x{0x55D0C0 + r * 4096:x} rank {r} nranks {len(f.ranks)} cudaDev {r % f.per} nvmlDev {r % f.per} busId {0x1B + 0x20 * (r % f.per):x}000 commId 0x8f3c1d2a77be4410 - Init COMPLETE")
