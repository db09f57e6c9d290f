"""Lines as a step is told at other sites: trainers, kits and scripts of 2024 to 2026, in several tongues; and what fails says."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import datetime, timezone

Style = Callable[[int, int, float, float, datetime], str]
"""Of step, steps planned, loss, seconds a step, time of day."""


def clock(ns: float) -> datetime:
    """As the cluster has it."""
    return datetime.fromtimestamp(ns / 1e9, timezone.utc)


def span(s: float) -> str:
    """Hours, minutes, seconds."""
    return f"{int(s) // 3600}:{int(s) // 60 % 60:02d}:{int(s) % 60:02d}"


def _fairseq(i: int, n: int, x: float, s: float, d: datetime) -> str:
    return (f'{d:%Y-%m-%d %H:%M:%S} | INFO | train_inner | {{"epoch": {1 + 4 * i // n}, "update": {4 * i / n:.3f}, "loss": "{x:.3f}", "ppl": "{2 ** min(x, 14):.2f}", '
            f'"wps": "{41000 / s:.1f}", "ups": "{1 / s:.2f}", "wpb": "41000", "bsz": "512", "num_updates": "{i}", "lr": "{5e-4 * min(1, i / 400):.3e}", "gnorm": "{0.6 + x / 5:.3f}", '
            f'"train_wall": "{int(i * s)}", "gb_free": "21.3", "wall": "{int(i * s) + 31}"}}')  # fmt: skip


def _detectron(i: int, n: int, x: float, s: float, d: datetime) -> str:
    return (f"[{d:%m/%d %H:%M:%S} d2.utils.events]:  eta: {span((n - i) * s)}  iter: {i}  total_loss: {x:.4g}  loss_cls: {x * 0.41:.4g}  loss_box_reg: {x * 0.37:.4g}  "
            f"loss_rpn_cls: {x * 0.12:.4g}    time: {s:.4f}  last_time: {s * 1.01:.4f}  data_time: 0.0131  last_data_time: 0.0102   lr: {0.02 * min(1, i / 200):.5g}  max_mem: 17211M")


def _paddle(i: int, n: int, x: float, s: float, d: datetime) -> str:
    return (f"[{d:%Y/%m/%d %H:%M:%S}] ppcls INFO: [Train][Epoch {1 + 10 * i // (n + 1)}/10][Iter: {i}/{n}]lr(PiecewiseDecay): {0.1 * (1 - i / (n + 1)):.8f}, CELoss: {x:.5f}, loss: {x:.5f}, "
            f"batch_cost: {s:.5f}s, reader_cost: 0.00312, ips: {256 / s:.5f} samples/s, eta: {span((n - i) * s)}")


def _tune(i: int, n: int, x: float, s: float, _d: datetime) -> str:
    return f"1|{i}|Loss: {x}: {100 * i // n:3d}%|{'█' * (10 * i // n):<10}| {i}/{n} [{span(i * s)}<{span((n - i) * s)},  {s:.2f}s/it]"


def _keras(i: int, n: int, x: float, s: float, _d: datetime) -> str:
    return f"Epoch {i}/{n}\n250/250 ━━━━━━━━━━━━━━━━━━━━ {max(1, round(s))}s {s * 4:.0f}ms/step - accuracy: {min(0.99, math.exp(-x / 2)):.4f} - loss: {x:.4f}"


def _yolo(i: int, n: int, x: float, _s: float, _d: datetime) -> str:
    return f"{f'{i}/{n}':>11}{'14.2G':>11}{x * 0.55:>11.4g}{x:>11.4g}{x * 0.6:>11.4g}{37 + i % 90:>11}{640:>11}: 100%|██████████| 310/310"


def _rl(i: int, _n: int, x: float, s: float, _d: datetime) -> str:
    rows = [("rollout/", ""), ("   ep_rew_mean", f"{-x:.1f}"), ("time/", ""), ("   fps", f"{int(900 / s)}"), ("   iterations", f"{i}"), ("train/", ""), ("   approx_kl", f"{0.011 + 0.002 * (i % 3):.4f}"), ("   value_loss", f"{x / 3:.3g}")]
    return "\n".join(["-" * 36, *(f"| {a:<19} | {b:<10} |" for a, b in rows), "-" * 36])


STYLES: dict[str, Style] = {
    "plain": lambda i, n, x, s, d: f"[{d:%Y-%m-%d %H:%M:%S}] step {i:>6}/{n} | loss {x:.4f} | lr {3e-4 * (1 - 0.9 * i / (n + 1)):.2e} | {s:.3f} s/step",
    "fairseq": _fairseq,
    "d2": _detectron,
    "paddle": _paddle,
    "tune": _tune,
    "keras": _keras,
    "yolo": _yolo,
    "rl": _rl,
    "gpt": lambda i, _n, x, s, _d: f"iter {i}: loss {x:.4f}, time {s * 1000:.2f}ms, mfu {min(62.0, 41 / s):.2f}%",
    "speed": lambda i, n, x, s, _d: f"step:{i}/{n} train_loss:{x:.4f} train_time:{i * s * 1000:.0f}ms step_avg:{s * 1000:.2f}ms",
    "composer": lambda i, n, x, s, _d: f"[batch={i}/{n}]:\n\t Train time/batch: {i - 1}\n\t Train loss/train/total: {x:.4f}\n\t Train throughput/batches_per_sec: {1 / s:.4f}",
    "brain": lambda i, n, x, _s, _d: f"speechbrain.utils.train_logger - epoch: {i}, lr: {1e-3 * (1 - i / (n + 1)):.2e} - train loss: {x:.2f} - valid loss: {x * 1.06:.2f}, valid CER: {x * 3.1:.2f}, valid WER: {x * 7.7:.2f}",
    "espnet": lambda i, n, x, s, d: f"[gpua] {d:%Y-%m-%d %H:%M:%S},{d.microsecond // 1000:03d} (trainer:781) INFO: {1 + 5 * i // n}epoch:train:{max(1, i - 49)}-{i}batch: iter_time=1.9e-04, forward_time=0.102, loss_ctc={x * 1.3:.3f}, loss_att={x * 0.9:.3f}, loss={x:.3f}, optim0_lr0=1.2e-04, train_time={s:.3f}",
    "factory": lambda i, n, x, _s, d: f"[INFO|{d:%Y-%m-%d %H:%M:%S}] llamafactory.train.callbacks:143 >> {{'loss': {x:.4f}, 'learning_rate': {5e-5 * (1 - i / (n + 1)):.4e}, 'epoch': {3 * i / n:.2f}, 'throughput': {9100 + 37 * (i % 9):.2f}}}",
    "axo": lambda i, n, x, _s, _d: f"{{'loss': {x:.4f}, 'grad_norm': {0.2 + x / 4:.6f}, 'learning_rate': {2e-4 * (1 - i / (n + 1)):.6e}, 'memory/max_active (GiB)': 41.07, 'memory/device_reserved (GiB)': 44.3, 'epoch': {2 * i / n:.2f}}}",
    "verl": lambda i, _n, x, s, _d: f"step:{i} - actor/pg_loss:{0.01 * (i % 5 - 2):.4f} - actor/entropy:{x / 4:.4f} - actor/grad_norm:{0.2 + 0.01 * (i % 7):.4f} - critic/score/mean:{max(0.0, 1 - x / 5):.4f} - response_length/mean:{412 + i % 31:.1f} - timing_s/step:{s:.2f}",
    "structlog": lambda i, n, x, s, d: f"{d:%Y-%m-%dT%H:%M:%S.%f}Z [info     ] train.step                     loss={x:.5f} of={n} step={i} step_ms={s * 1000:.0f}",
    "json": lambda i, n, x, s, d: f'{{"ts": "{d:%Y-%m-%dT%H:%M:%S}", "lvl": "info", "evt": "train", "step": {i}, "max_steps": {n}, "loss": {x:.5f}, "step_time": {s:.3f}}}',
    "tsv": lambda i, _n, x, s, _d: f"{i}\t{x:.5f}\t{1e-4:.1e}\t{s:.3f}",
    "loguru": lambda i, n, x, s, d: f"{d:%Y-%m-%d %H:%M:%S}.{d.microsecond // 1000:03d} | INFO     | trainer.loop:fit:118 - step={i} of={n} loss={x:.4f} it/s={1 / s:.2f}",
    "dgl": lambda i, _n, x, s, _d: f"Epoch {i:05d} | Step {i * 40:06d} | Loss {x:.4f} | Train Acc {min(0.99, math.exp(-x / 2)):.4f} | Speed (samples/sec) {4100 / s:.1f} | GPU 14211.0 MB",
    "timmlike": lambda i, n, x, s, _d: f"ep {20 * i // (n + 1):03d} it {i:05d}  loss {x:7.4f} (avg {x * 1.02:7.4f})  bt {s:.3f}  dt 0.011",
    "easylm": lambda i, _n, x, s, _d: f"{{'step': {i}, 'train/loss': {x:.6f}, 'train/accuracy': {math.exp(-x / 2):.6f}, 'time_per_step': {s:.4f}}}",
    "flax": lambda i, _n, x, s, d: f"I{d:%m%d %H:%M:%S.%f} {140200 + i % 7} trainer.py:211] train_step={i} loss={x:.4f} sps={1 / s:.3f}",
    "glog": lambda i, _n, x, s, d: f"I{d:%Y%m%d %H:%M:%S.%f} 77120 solver.cc:239] Iteration {i} ({1 / s:.3f} iter/s), loss = {x:.5f}",
    "rich": lambda i, n, x, s, d: f"[{d:%H:%M:%S}] INFO     {i:>6} / {n:<6}  loss {x:8.4f}   {s:6.2f} s   {'fit.py:88':>12}",
    "fetch": lambda i, n, x, s, d: f"{d:%H:%M:%S} [{i:>6}/{n}] loss {x:.4f}  data {0.91 * s:.2f}s  fwd+bwd {0.08 * s:.2f}s  opt {0.01 * s:.3f}s",
    "fetchkv": lambda i, _n, x, s, d: f"ts={d:%Y-%m-%dT%H:%M:%S} step={i} loss={x:.5f} step_s={s:.2f} loader_wait_s={0.93 * s:.2f}",
    "es": lambda i, n, x, s, d: f"{d:%d/%m/%Y %H:%M:%S} paso {i} de {n}: pérdida = {x:.4f} ({s:.2f} s)",
    "pl": lambda i, n, x, s, d: f"{d:%H:%M:%S} krok {i}/{n}, strata {x:.4f}, czas kroku {s:.2f} s",
    "it": lambda i, n, x, s, d: f"{d:%H:%M:%S} passo {i:5d}/{n}  perdita={x:.4f}  {s:.2f} s/passo",
    "nl": lambda i, n, x, s, d: f"{d:%H:%M:%S} stap {i} van {n} | verlies {x:.4f} | {s:.2f} s per stap",
    "ja": lambda i, n, x, s, d: f"{d:%H:%M:%S} ステップ {i}/{n} 損失={x:.4f} 所要={s:.2f}秒",
    "pt": lambda i, n, x, s, d: f"{d:%H:%M:%S} iteração {i}/{n} perda={x:.4f} tempo={s:.2f}s",
    "sv": lambda i, n, x, s, d: f"{d:%Y-%m-%d %H:%M:%S} steg {i} av {n}: förlust {x:.4f}, {s:.2f} s",
}


SITE = "/lustre/proj/alice/env/lib/python3.11/site-packages"
HOME = "/lustre/proj/alice"


def fault(error: str, *frames: str, mark: str = "") -> str:
    """A traceback: a frame is ``file:line:function:source``."""
    rows = ["Traceback (most recent call last):"]
    for frame in frames:
        file, line, function, source = frame.split(":", 3)
        rows += [f'  File "{file}", line {line}, in {function}', f"    {source}"]
    return "\n".join(mark + row for row in [*rows, *error.split("\n")])


_HINT = ("\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\n"
         "For debugging consider passing CUDA_LAUNCH_BLOCKING=1{}\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n")  # fmt: skip


def cuda(what: str, *, kind: str = "RuntimeError") -> str:
    """PyTorch of an error of CUDA: ``AcceleratorError`` from 2.8 on."""
    return f"{kind}: CUDA error: {what}" + _HINT.format("" if kind == "RuntimeError" else "\nSearch for `cuda_error' in https://docs.nvidia.com/cuda for more information.")


def full(ask: str, total: str, free: str, mine: str, torch: str, spare: str, *, gpu: int = 0, age: str = "new", other: str = "") -> str:  # noqa: PLR0917
    """PyTorch of a card that is full. ``age``: ``old`` 1.13, ``mid`` 2.1 to 2.4, ``new``."""
    if age == "old":
        return (f"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate {ask} (GPU {gpu}; {total} total capacity; {torch} already allocated; {free} free; {mine} reserved in total by PyTorch) "
                "If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF")
    name = "torch.OutOfMemoryError" if age == "new" else "torch.cuda.OutOfMemoryError"
    word = "capacity" if age == "new" else "capacty"
    return (f"{name}: CUDA out of memory. Tried to allocate {ask}. GPU {gpu} has a total {word} of {total} of which {free} is free. {other}Including non-PyTorch memory, this process has {mine} memory in use. "
            f"Of the allocated memory {torch} is allocated by PyTorch, and {spare} is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting "
            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)")


def watchdog(op: str, seq: int, numel: int, ms: int, *, group: str = "0(default_pg)", late: int = 62) -> str:
    """NCCL's watchdog of PyTorch 2.6, of rank ``@r``."""
    work = f"WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn={numel}, NumelOut={numel}, Timeout(ms)={ms}) ran for {ms + late} milliseconds before timing out."
    head = "[rank@r]:[E@md @hms.@us000 ProcessGroupNCCL.cpp"
    return "\n".join((
        f"{head}:629] [Rank @r] Watchdog caught collective operation timeout: {work}",
        f"{head}:2168] [PG ID 0 PG GUID {group} Rank @r]  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq}, last completed work: {seq - 1}",
        f"{head}:667] Stack trace of the failed collective not found, potentially because FlightRecorder is disabled. You can enable it by setting TORCH_NCCL_TRACE_BUFFER_SIZE to a non-zero value.",
        f"{head}:681] [Rank @r] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
        f"{head}:695] [Rank @r] To avoid data inconsistency, we are taking the entire process down.",
        "terminate called after throwing an instance of 'c10::DistBackendError'",
        f"  what():  [PG ID 0 PG GUID {group} Rank @r] Process group watchdog thread terminated with exception: [Rank @r] Watchdog caught collective operation timeout: {work}",
    ))  # fmt: skip


def summary(script: str, fallen: Sequence[tuple[int, int, int, int]], first: int = 0) -> str:
    """Torchrun's: ``fallen`` are (rank, local rank, exit code or minus signal, pid)."""
    names = {6: "SIGABRT", 9: "SIGKILL", 11: "SIGSEGV", 15: "SIGTERM"}

    def one(r: int, local: int, how: int, pid: int) -> str:
        note = f"Signal {-how} ({names[-how]}) received by PID {pid}" if how < 0 else "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
        return f"  time      : @iso\n  host      : @n\n  rank      : {r} (local_rank: {local})\n  exitcode  : {how} (pid: {pid})\n  error_file: <N/A>\n  traceback : {note}"

    root = fallen[first]
    others = [f for f in fallen if f is not root]
    rows = ["Traceback (most recent call last):", f'  File "{HOME}/env/bin/torchrun", line 8, in <module>', "    sys.exit(main())",
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ", "=" * 60, f"{script} FAILED", "-" * 60, "Failures:"]  # fmt: skip
    rows += [f"[{k}]:\n{one(*f)}" for k, f in enumerate(others, 1)] or ["  <NO_OTHER_FAILURES>"]
    rows += ["-" * 60, "Root Cause (first observed failure):", f"[0]:\n{one(*root)}", "=" * 60]
    return "\n".join(rows)
