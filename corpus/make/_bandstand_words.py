"""Steps in the words of many loops; tracebacks; and what PyTorch, NCCL and launchers say at an end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timezone

Form = Callable[[int, int, float, float, datetime, float], str]
"""Of step, planned steps, loss, its seconds, the time of day, and seconds of it for data."""
SITE = "/gpfs/sw/envs/torch28/lib/python3.12/site-packages"


def clock(ns: float) -> datetime:
    """On the cluster's clocks."""
    return datetime.fromtimestamp(ns / 1e9, timezone.utc)


def eta(s: float) -> str:
    """A span."""
    return f"{int(s) // 3600}:{int(s) // 60 % 60:02d}:{int(s) % 60:02d}"


FORMS: dict[str, Form] = {
    "nano": lambda i, _n, x, s, _d, _w: f"iter {i}: loss {x:.4f}, time {s * 1000:.2f}ms, mfu {min(61.0, 44.1 / max(s, 0.7)):.2f}%",
    "guru": lambda i, n, x, s, d, w: f"{d:%Y-%m-%d %H:%M:%S}.{d.microsecond // 1000:03d} | INFO     | engine.loop:fit:88 - step {i}/{n} | loss {x:.4f} | {s:.2f} s/step (data {w:.2f} s)",
    "json": lambda i, n, x, s, d, w: f'{{"ts": "{d:%Y-%m-%dT%H:%M:%S}Z", "level": "info", "step": {i}, "of": {n}, "loss": {x:.5f}, "step_time": {s:.3f}, "data_time": {w:.3f}}}',
    "kv": lambda i, n, x, s, d, w: f"t={d:%H:%M:%S} step={i} total={n} loss={x:.5f} grad_norm={0.4 + x / 5:.3f} dt={s:.3f} wait_data={w:.3f}",
    "csv": lambda i, _n, x, s, d, _w: f"{d:%H:%M:%S};{i};{x:.5f};{s:.3f}",
    "esp": lambda i, n, x, s, d, _w: f"[{d:%H:%M:%S}] paso {i} de {n}: perdida {x:.4f}, {s:.2f} s por paso",
    "ita": lambda i, n, x, s, d, _w: f"{d:%H:%M:%S} passo {i}/{n} perdita={x:.4f} durata={s:.2f}s",
    "pol": lambda i, n, x, s, d, _w: f"{d:%H:%M:%S}  krok {i} z {n}  strata {x:.4f}  czas {s:.2f} s",
    "hf": lambda i, n, x, _s, _d, _w: f"{{'loss': {x:.4f}, 'grad_norm': {0.35 + x / 3:.4f}, 'learning_rate': {3e-5 * (1 - i / (n + 1)):.4e}, 'epoch': {2 * i / n:.2f}}}",
    "trl": lambda i, n, x, _s, _d, _w: f"{{'loss': '{x:.4g}', 'grad_norm': '{0.2 + x / 4:.4g}', 'learning_rate': '{1e-5 * (1 - i / (n + 1)):.4g}', 'num_tokens': '{i * 16384}', 'mean_token_accuracy': '{max(0.02, 0.9 - x / 7):.4g}', 'epoch': '{i / n:.4g}'}}",
    "keras": lambda i, n, x, s, _d, _w: f"{i}/{n} \u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501 {eta((n - i) * s)} {s * 1000:.0f}ms/step - accuracy: {max(0.02, 0.97 - x / 6):.4f} - loss: {x:.4f}",
    "bar": lambda i, n, x, s, _d, _w: f"train: {100 * i // n:3d}%|{'#' * (10 * i // n):<10}| {i}/{n} [{eta(i * s)}<{eta((n - i) * s)}, {s:.2f}s/it, loss={x:.3f}]",
    "fairseq": lambda i, n, x, s, d, _w: f'{d:%Y-%m-%d %H:%M:%S} | INFO | train_inner | {{"epoch": {1 + 4 * i // n}, "update": {4 * i / n:.3f}, "loss": "{x:.3f}", "ppl": "{2 ** min(x, 15):.2f}", "wps": "{41000 / s:.1f}", "num_updates": "{i}", "lr": "{5e-4 * (1 - i / (n + 1)):.3e}", "gnorm": "{0.5 + x / 5:.3f}"}}',
    "tune": lambda i, _n, x, _s, _d, _w: f"1|{i}|Loss: {x:.6f}",
    "mm": lambda i, n, x, s, d, w: f"{d:%m/%d %H:%M:%S} - mmengine - INFO - Iter(train) [{i:>6}/{n}]  lr: {2e-4 * (1 - i / (n + 1)):.4e}  eta: {eta((n - i) * s)}  time: {s:.4f}  data_time: {w:.4f}  memory: 30211  loss: {x:.4f}",
    "d2": lambda i, n, x, s, d, w: f"[{d:%m/%d %H:%M:%S} d2.utils.events]:  eta: {eta((n - i) * s)}  iter: {i - 1}  total_loss: {x:.4g}  loss_cls: {0.4 * x:.4g}  loss_box_reg: {0.6 * x:.4g}    time: {s:.4f}  last_time: {s:.4f}  data_time: {w:.4f}   lr: {0.01 * (1 - i / (n + 1)):.5g}  max_mem: 17204M",
    "absl": lambda i, n, x, s, d, _w: f"I{d:%m%d %H:%M:%S.%f} 140211 trainer.py:211] step {i}/{n} loss={x:.5f} steps_per_sec={1 / s:.3f}",
    "mega": lambda i, n, x, s, d, _w: f" [{d:%Y-%m-%d %H:%M:%S}] iteration {i:8d}/{n:8d} | consumed samples: {i * 512:12d} | elapsed time per iteration (ms): {s * 1000:.1f} | learning rate: {2e-4:.6E} | global batch size:   512 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {0.4 + x / 6:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |",
    "ds": lambda i, n, x, s, d, _w: f"[{d:%Y-%m-%d %H:%M:%S},{d.microsecond // 1000:03d}] [INFO] [timer.py:264:stop] epoch=0/micro_step={i}/global_step={i}, RunningAvgSamplesPerSec={64 / s:.3f}, CurrSamplesPerSec={64 / s:.3f}\nstep {i}/{n} loss {x:.4f}",
    "lit": lambda i, n, x, s, _d, _w: f"Epoch 0: {100 * i // n:3d}%|{'#' * (10 * i // n):<10}| {i}/{n} [{eta(i * s)}<{eta((n - i) * s)}, {1 / s:.2f}it/s, v_num=3, train_loss={x:.3f}]",
    "rl": lambda i, n, x, s, _d, _w: f"| iter {i:>5}/{n} | ep_rew_mean {-x:9.3f} | approx_kl {0.008 + 0.0001 * (i % 7):.4f} | fps {int(4096 / s)} |",
    "plain": lambda i, n, x, s, d, _w: f"({d:%H:%M:%S}) {i} / {n}   train loss {x:.4f}   {s:.2f} s",
}


def trace(error: str, *frames: str, mark: str = "") -> str:
    """A traceback: frames are ``file:line function source``."""
    rows = ["Traceback (most recent call last):"]
    for frame in frames:
        where, function, source = frame.split(" ", 2)
        file, _, line = where.rpartition(":")
        rows += [f'  File "{file}", line {line}, in {function}', f"    {source}"]
    return "\n".join(mark + row for row in [*rows, *error.split("\n")])


def oom(ask: str, total: str, free: str, used: str, torch: str, *, gpu: int = 0, spare: str = "402.11 MiB", style: str = "2.8", foreign: str = "") -> str:
    """PyTorch's words, by version."""
    name = {"1.12": "RuntimeError", "2.1": "torch.cuda.OutOfMemoryError", "2.6": "torch.OutOfMemoryError", "2.8": "torch.OutOfMemoryError"}[style]
    if style == "1.12":
        return f"{name}: CUDA out of memory. Tried to allocate {ask} (GPU {gpu}; {total} total capacity; {torch} already allocated; {free} free; {spare} reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF"
    word = "capacty" if style == "2.1" else "capacity"
    knob = "max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF" if style == "2.1" else "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
    return (f"{name}: CUDA out of memory. Tried to allocate {ask}. GPU {gpu} has a total {word} of {total} of which {free} is free. {foreign}Including non-PyTorch memory, this process has {used} memory in use. "
            f"Of the allocated memory {torch} is allocated by PyTorch, and {spare} is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting {knob}")  # fmt: skip


def cuda(text: str, new: bool = True) -> str:
    """A CUDA error as PyTorch raises it."""
    return (f"{'torch.AcceleratorError' if new else 'RuntimeError'}: CUDA error: {text}\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect."
            "\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n")  # fmt: skip


def watchdog(op: str, seq: int, numel: int, ms: int, *, pg: str = "0", guid: str = "0(default_pg)", ran: int = 0) -> str:
    """NCCL's watchdog of a rank."""
    work = f"WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn={numel}, NumelOut={numel}, Timeout(ms)={ms})"
    head = "[rank«r»]:[E«m» «t».«u» ProcessGroupNCCL.cpp"
    return "\n".join((
        f"{head}:632] [Rank «r»] Watchdog caught collective operation timeout: {work} ran for {ran or ms + 72} milliseconds before timing out.",
        f"{head}:2271] [PG ID {pg} PG GUID {guid} Rank «r»]  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq + 2}, last completed work: {seq - 1}",
        f"{head}:684] [Rank «r»] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
        f"{head}:698] [Rank «r»] To avoid data inconsistency, we are taking the entire process down.",
        f"{head}:1896] [PG ID {pg} PG GUID {guid} Rank «r»] Process group watchdog thread terminated with exception: [Rank «r»] Watchdog caught collective operation timeout: {work} ran for {ran or ms + 72} milliseconds before timing out.",
        "terminate called after throwing an instance of 'c10::DistBackendError'",
    ))  # fmt: skip


def elastic(script: str, fallen: Sequence[tuple[int, int, int, int]], when: str = "«D»") -> str:
    """Torchrun's summary: rank, local rank, exit code, pid; the first of them is its root cause."""
    def block(k: int, rank: int, local: int, code: int, pid: int) -> str:
        how = {-6: f"Signal 6 (SIGABRT) received by PID {pid}", -9: f"Signal 9 (SIGKILL) received by PID {pid}", -11: f"Signal 11 (SIGSEGV) received by PID {pid}"}.get(code, "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html")
        return f"[{k}]:\n  time      : {when}\n  host      : «h».cluster\n  rank      : {rank} (local_rank: {local})\n  exitcode  : {code} (pid: {pid})\n  error_file: <N/A>\n  traceback : {how}"

    rows = ["torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ", "=" * 60, f"{script} FAILED", "-" * 60, "Failures:"]
    rows += [block(k, *f) for k, f in enumerate(fallen[1:], 1)] or ["  <NO_OTHER_FAILURES>"]
    return "\n".join([*rows, "-" * 60, "Root Cause (first observed failure):", block(0, *fallen[0]), "=" * 60])


