"""Steps as frameworks of 2026 print them, from memory; tracebacks; and what PyTorch, NCCL, JAX and CUDA say when they stop."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime, timezone

Form = Callable[[int, int, float, float, datetime], str]
"""Of step, planned steps, loss, seconds for it, and the time of day."""


def moment(ns: float) -> datetime:
    """As the cluster's clocks show it."""
    return datetime.fromtimestamp(ns / 1e9, timezone.utc)


def short(s: float) -> str:
    """A span as bars have it."""
    return f"{int(s) // 3600}:{int(s) // 60 % 60:02d}:{int(s) % 60:02d}" if s >= 3600 else f"{int(s) // 60:02d}:{int(s) % 60:02d}"


def _mega(i: int, n: int, x: float, s: float, d: datetime) -> str:
    return (f" [{d:%Y-%m-%d %H:%M:%S.%f}] iteration {i:8d}/{n:8d} | consumed samples: {i * 256:12d} | elapsed time per iteration (ms): {s * 1000:.1f} | throughput per GPU (TFLOP/s/GPU): {610 / s:.1f} | "
            f"learning rate: {3e-4 * min(1, i / 400):.6E} | global batch size:   256 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {0.4 + x / 6:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |")


def _bar(epoch: int, at: int, of: int, x: float, s: float) -> str:
    return f"Epoch {epoch}: {100 * at // of:3d}%|{'█' * (10 * at // of):<10}| {at}/{of} [{short(at * s)}<{short((of - at) * s)}, {1 / s:5.2f}it/s, v_num=0, train/loss={x:.3f}]"


FORMS: dict[str, Form] = {
    "mega": _mega,
    "own": lambda i, _n, x, s, d: f"{d:%H:%M:%S} it {i:06d} | lm {x:.4f} | gn {0.3 + x / 7:.2f} | {s * 1000:.0f} ms | {2.1e6 / s / 1e6:.2f} Mtok/s",
    "titan": lambda i, _n, x, s, d: f"[titan] {d:%Y-%m-%d %H:%M:%S},{d.microsecond // 1000:03d} - root - INFO - step: {i:2d}  loss: {x:8.5f}  grad_norm: {0.5 + x / 5:7.4f}  memory: 58.37GiB(73.78%)  tps: {int(9100 / s):,}  tflops: {402 / s:.2f}  mfu: {40.6 / s:.2f}%",
    "light": lambda i, n, x, s, _d: _bar((i - 1) // max(1, n // 8), (i - 1) % max(1, n // 8) + 1, max(1, n // 8), x, s),
    "hf": lambda i, n, x, _s, _d: f"{{'loss': {x:.4f}, 'grad_norm': {0.3 + x / 3:.4f}, 'learning_rate': {2e-5 * (1 - i / n):.4e}, 'epoch': {3 * i / n:.2f}}}",
    "hf5": lambda i, n, x, _s, _d: f"{{'loss': '{x:.4g}', 'grad_norm': '{0.3 + x / 3:.4g}', 'learning_rate': '{1e-5 * (1 - i / n):.4g}', 'epoch': '{2 * i / n:.4g}'}}",
    "deep": lambda i, n, x, s, d: f"[{d:%Y-%m-%d %H:%M:%S},{d.microsecond // 1000:03d}] [INFO] [logging.py:128:log_dist] [Rank 0] step={i}, skipped=0, lr=[{1e-4 * (1 - i / (n + 1)):.6e}], mom=[(0.9, 0.95)]\nsteps: {i} loss: {x:.4f} iter time (s): {s:.3f} samples/sec: {64 / s:.3f}",
    "acc": lambda i, n, x, _s, d: f"{d:%m/%d/%Y %H:%M:%S} - INFO - __main__ - step {i}/{n}: train_loss={x:.4f}, lr={5e-5 * (1 - i / (n + 1)):.2e}",
    "max": lambda i, _n, x, s, _d: f"completed step: {i}, seconds: {s:.3f}, TFLOP/s/device: {331 / s:.3f}, Tokens/s/device: {8192 / s:.3f}, total_weights: 262144, loss: {x:.3f}",
    "clu": lambda i, n, x, s, d: f"I{d:%m%d %H:%M:%S.%f} 140{i % 7}71 logging_writer.py:48] [{i}] learning_rate={1e-3 * (1 - i / (n + 1)):.6f}, loss={x:.5f}, steps_per_sec={1 / s:.4f}",
    "nemo": lambda i, n, x, s, _d: f"Training epoch 0, iteration {i - 1}/{n - 1} | lr: {1e-4:.1e} | global_batch_size: 512 | global_step: {i - 1} | reduced_train_loss: {x:.4f} | train_step_timing in s: {s:.3f}",
    "timm": lambda i, n, x, s, _d: f"Train: {30 * i // n} [{i * 30 % n:>4d}/{n} ({100 * (i * 30 % n) / n:>3.0f}%)]  Loss: {x:#.3g} ({x * 1.01:#.3g})  Time: {s:.3f}s, {1024 / s:>7.2f}/s  LR: {8e-4 * (1 - i / (n + 1)):.3e}  Data: 0.012 (0.014)",
    "csv": lambda i, _n, x, s, d: f"{d:%H:%M:%S},{i},{x:.5f},{math.exp(min(x, 9)):.2f},{s:.3f}",
    "kv": lambda i, n, x, s, d: f'time="{d:%Y-%m-%dT%H:%M:%SZ}" msg="optimizer step" n={i} total={n} loss={x:.5f} secs={s:.2f}',
    "jsn": lambda i, _n, x, s, d: f'{{"_step": {i}, "_timestamp": {d.timestamp():.1f}, "train/loss": {x:.5f}, "perf/step_s": {s:.3f}}}',
    "lig": lambda i, n, x, s, d: f"[{d:%H:%M:%S}] Schritt {i:5d} von {n}  Verlust {x:.4f}  {s:.2f} s je Schritt",
    "fra": lambda i, n, x, s, d: f"{d:%Hh%M:%S} pas {i}/{n} perte={x:.4f} duree={s:.2f}s",
    "tab": lambda i, _n, x, s, _d: f"│ {i:>6} │ {x:>8.4f} │ {1e-4:>8.1e} │ {1 / s:>6.2f} │",
    "rnd": lambda i, _n, x, s, _d: f"iteration={i} reward_mean={-x:.3f} kl={0.01 + x / 300:.4f} policy_loss={0.01 * ((i * 7) % 5 - 2):+.4f} time={s:.1f}s",
}


SITE = "/sw/venv/llm/lib/python3.12/site-packages"
LATE = "\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nDevice-side assertion tracking was not enabled by user."


def oom(ask: str, gpu: int, total: str, free: str, used: str, torch: str, spare: str = "731.20 MiB") -> str:  # noqa: PLR0917
    """PyTorch of a card that is full."""
    return (
        f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {ask}. GPU {gpu} has a total capacity of {total} of which {free} is free. Including non-PyTorch memory, this process has {used} memory in use. Of the allocated memory {torch} is allocated by "
        f"PyTorch, and {spare} is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  "
        "(https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-cuda-alloc-conf)"
    )


def dog(op: str, seq: int, numel: int, ms: int, *, took: int = 0, group: str = "0(default_pg)") -> str:
    """NCCL's watchdog, of rank ``<r>``."""
    work = f"WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn={numel}, NumelOut={numel}, Timeout(ms)={ms}) ran for {took or ms + 41} milliseconds before timing out."
    head = "[rank<r>]:[E<D> <C>.<U> ProcessGroupNCCL.cpp"
    return (
        f"{head}:683] [Rank <r>] Watchdog caught collective operation timeout: {work}\n"
        f"{head}:2241] [PG ID 0 PG GUID {group} Rank <r>]  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq + 1}, last completed work: {seq - 1}\n"
        f"{head}:730] Stack trace of the failed collective not found, potentially because FlightRecorder is disabled. You can enable it by setting TORCH_NCCL_TRACE_BUFFER_SIZE to a non-zero value.\n"
        f"{head}:744] [Rank <r>] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.\n"
        f"{head}:758] [Rank <r>] To avoid data inconsistency, we are taking the entire process down.\n"
        f"terminate called after throwing an instance of 'c10::DistBackendError'\n  what():  [PG ID 0 PG GUID {group} Rank <r>] Process group watchdog thread terminated with exception: [Rank <r>] Watchdog caught collective operation timeout: {work}"
    )


def agent(script: str, fallen: list[tuple[int, int, str]], when: str = "<T>", first: int = 0) -> str:
    """Torchrun's summary: ``fallen`` are (rank, local rank, exit) with the exit as it prints it."""
    fallen = [(q, lo, how.replace("<p>", str(41_500 + q))) for q, lo, how in fallen]
    r, local, how = fallen[first]
    rows = ["raise ChildFailedError(", "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ", "=" * 60, f"{script} FAILED", "-" * 60, "Failures:"]
    others = [f for f in fallen if f[0] != r]
    rows += [f"[{k}]:\n  time      : {when}\n  host      : <n>\n  rank      : {q} (local_rank: {lo})\n  exitcode  : {h}\n  error_file: <N/A>\n  traceback : To enable traceback see: https://docs.pytorch.org/docs/stable/elastic/errors.html" for k, (q, lo, h) in enumerate(others, 1)] or ["  <NO_OTHER_FAILURES>"]
    rows += ["-" * 60, "Root Cause (first observed failure):", f"[0]:\n  time      : {when}\n  host      : <n>\n  rank      : {r} (local_rank: {local})\n  exitcode  : {how}\n  error_file: <N/A>\n  traceback : To enable traceback see: https://docs.pytorch.org/docs/stable/elastic/errors.html", "=" * 60]
    return "\n".join(rows)
