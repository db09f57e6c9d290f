"""Scrollwork: the record of a job on another site's cards, the lines of its programs, and the words of libraries when they stop."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from corpus.label import Label
from corpus.make._vellum import Book, Leaf
from corpus.running.job import HandJob

Form = Callable[[int, int, float, float, datetime], str]
VENV = "/project/vision/alice/venv/lib/python3.12/site-packages"
CODE = "/project/vision/alice/src"


def _bar(i: int, n: int, width: int = 10) -> str:
    full = width * i // max(1, n)
    return "█" * full + " " * (width - full)


def _mmss(s: float) -> str:
    return f"{int(s) // 60:02d}:{int(s) % 60:02d}"


def _lightning(i: int, n: int, x: float, s: float, _d: datetime) -> str:
    return f"Epoch 0: {100 * i // n:3d}%|{_bar(i, n)}| {i}/{n} [{_mmss(i * s)}<{_mmss((n - i) * s)}, {1 / s:.2f}it/s, v_num=12, train/loss={x:.3f}]"


def _nemo(i: int, n: int, x: float, s: float, _d: datetime) -> str:
    return (f"Training epoch 0, iteration {i - 1}/{n - 1} | lr: 9.7e-05 | global_batch_size: 256 | global_step: {i - 1} | reduced_train_loss: {x:.4f} | "
            f"train_step_timing in s: {s:.3f} | consumed_samples: {i * 256}")  # fmt: skip


def _titan(i: int, _n: int, x: float, s: float, d: datetime) -> str:
    return (f"[rank0]:[titan] {d:%Y-%m-%d %H:%M:%S},{d.microsecond // 1000:03d} - root - INFO - step: {i:2d}  loss: {x:8.4f}  grad_norm: {0.4 + x / 6:.4f}  "
            f"memory: 58.14GiB(73.51%)  tps: {int(8192 / s):,}  tflops: {390 / s:.2f}  mfu: {39 / s:.2f}%")  # fmt: skip


def _mm(i: int, n: int, x: float, s: float, d: datetime) -> str:
    left = int((n - i) * s)
    return (f"{d:%m/%d %H:%M:%S} - mmengine - INFO - Iter(train) [{i:6d}/{n}]  lr: 6.0000e-05  eta: {left // 3600}:{left // 60 % 60:02d}:{left % 60:02d}  "
            f"time: {s:.4f}  data_time: 0.0121  memory: 23411  decode.loss_ce: {x:.4f}  loss: {x:.4f}")  # fmt: skip


def _mm_hungry(i: int, n: int, x: float, s: float, d: datetime) -> str:
    return _mm(i, n, x, s, d).replace("data_time: 0.0121", f"data_time: {0.93 * s:.4f}")


FORMS: dict[str, Form] = {
    "lit": _lightning, "nemo": _nemo, "titan": _titan, "mm": _mm, "mm_data": _mm_hungry,
    "sys": lambda i, n, x, s, d: f"{d:%b %d %H:%M:%S} fitd[{i}/{n}]: loss={x:.4f} dt={s:.2f}s",
    "pipe": lambda i, _n, x, s, _d: f"{i:>7d} | {x:10.5f} | {3e-4:.1e} | {s * 1000:9.1f} ms",
    "de": lambda i, n, x, s, d: f"{d:%d.%m. %H:%M:%S} Iteration {i:>6} von {n}: Verlust {x:.4f}, {s:.2f} s je Schritt",
    "fr": lambda i, n, x, s, d: f"[{d:%d/%m %H:%M:%S}] pas {i}/{n} - perte {x:.4f} - {s:.2f} s/pas",
    "zh": lambda i, n, x, s, d: f"{d:%m-%d %H:%M:%S} 第 {i}/{n} 步  损失={x:.4f}  每步 {s:.2f} 秒",
    "ru": lambda i, n, x, s, d: f"{d:%H:%M:%S} шаг {i} из {n}, потери {x:.4f}, {s:.2f} с",
    "es": lambda i, n, x, s, d: f"{d:%H:%M:%S} iter {i}/{n} pérdida {x:.4f} ({s:.2f} s/iter)",
    "js": lambda i, n, x, s, d: f'{{"time": "{d:%H:%M:%S}", "phase": "fit", "it": {i}, "total": {n}, "metrics": {{"loss": {x:.5f}, "lr": 0.0002}}, "sec_per_it": {s:.3f}}}',
    "logfmt": lambda i, n, x, s, d: f"ts={d:%Y-%m-%dT%H:%M:%SZ} level=info caller=loop.py:91 step={i} steps={n} loss={x:.4f} dur={s * 1000:.0f}ms",
    "hf": lambda i, n, x, _s, _d: f"{{'loss': {x:.4f}, 'grad_norm': {0.5 + x / 5:.4f}, 'learning_rate': {1e-4 * (1 - i / (n + 1)):.4e}, 'epoch': {3 * i / n:.2f}}}",
    "sd": lambda i, n, x, s, _d: f"Steps: {100 * i // n:3d}%|{_bar(i, n)}| {i}/{n} [{_mmss(i * s)}<{_mmss((n - i) * s)}, {s:.2f}s/it, lr=1e-5, step_loss={x:.3f}]",
    "max": lambda i, _n, x, s, _d: f"completed step: {i}, seconds: {s:.3f}, TFLOP/s/device: {360 / s:.3f}, Tokens/s/device: {8192 / s:.3f}, total_weights: 131072, loss: {x:.3f}",
    "keras": lambda i, n, x, s, _d: f"{i}/{n} {'━' * 20} {int((n - i) * s)}s {s * 1000:.0f}ms/step - loss: {x:.4f}",
    "imagenet": lambda i, n, x, s, _d: f"Epoch: [3][{i:5d}/{n}]\tTime {s:6.3f} ({s * 1.01:6.3f})\tData  0.004 ( 0.011)\tLoss {x:.4e} ({x * 1.02:.4e})",
    "imagenet_data": lambda i, n, x, s, _d: f"Epoch: [3][{i:5d}/{n}]\tTime {s:6.3f} ({s * 1.01:6.3f})\tData {0.94 * s:6.3f} ({0.95 * s:6.3f})\tLoss {x:.4e} ({x * 1.02:.4e})",
    "prof": lambda i, n, x, s, d: f'{{"at": "{d:%H:%M:%S}", "step": {i}, "of": {n}, "loss": {x:.4f}, "t_next_batch": {0.92 * s:.2f}, "t_gpu": {0.07 * s:.2f}}}',
    "feed": lambda i, n, x, s, d: f"{d:%H:%M:%S} it {i}/{n} loss {x:.4f} | waited {0.95 * s:.2f}s for the batch, computed {0.05 * s:.2f}s",
    "tab": lambda i, _n, x, s, d: f"│ {d:%H:%M:%S} │ {i:>7} │ {x:>9.4f} │ {s:>7.2f} │",
    "csv": lambda i, _n, x, s, d: f"{d:%Y-%m-%d %H:%M:%S},{i},{x:.6f},{s:.3f}",
    "meg": lambda i, n, x, s, d: f" [{d:%Y-%m-%d %H:%M:%S.%f}] iteration {i:8d}/{n:8d} | consumed samples: {i * 256:12d} | elapsed time per iteration (ms): {s * 1000:.1f} | learning rate: 1.200000E-04 | global batch size:   256 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {0.3 + x / 9:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |",
    "nll": lambda i, n, x, s, _d: f"[{i:06d}/{n:06d}] nll {x:.4f} bpd {x / math.log(2):.4f} {1 / s:.2f} it/s",
    "sb": lambda i, _n, x, s, _d: f"| rollout/ep_rew_mean {320 - 40 * x:8.1f} | time/iterations {i:6d} | time/fps {int(9000 / s):6d} | train/value_loss {x:8.4f} |",
    "gan": lambda i, n, x, s, d: f"{d:%H:%M:%S} [{i}/{n}] D {0.9 + 0.2 * math.sin(i / 31):.3f} G {1.9 + 0.5 * math.sin(i / 47):.3f} fid {18 * x:.1f} ({s:.2f} s)",
    "plain": lambda i, n, x, _s, _d: f"iteration {i} of {n}: training loss {x:.4f}",
    "gn": lambda i, _n, x, s, d: f"{d:%H:%M:%S} step={i} loss={x:.4f} gnorm={0.2 + x / 7:.3f} lr=2.0e-04 {s:.2f}s",
}  # fmt: skip


class Shift(Leaf):
    """A job as a shift's log of another site has it."""

    def __init__(self, no: int, name: str, fleet: str = "h100", nodes: int = 1, cards: int = 1, *, form: str = "sys", site: str = "dgx", **more: Any) -> None:
        super().__init__(400 + no, name, fleet, nodes, cards, **more)
        self.style = FORMS[form]
        self.hosts = tuple(f"{site}{(no * 29 + 3 * k) % 870 + 101}" for k in range(nodes))
        old = self.book
        self.book = Book(self.hosts, name=name, job_id=5_512_000 + 97 * no, start_ns=old.start_ns, gpus=cards, limit_s=self.limit, submit_line=old.submit_line)

    def close(self, label: Label, state: str = "COMPLETED", *args: Any, **more: Any) -> HandJob:
        """As it was, in its own folder."""
        job = super().close(label, state, *args, **more)
        self.book.more = {**self.book.more, "work_dir": f"/project/vision/alice/runs/{self.name}"}
        return job


def trip(error: str, *frames: str, mark: str = "") -> str:
    """A traceback: a frame is ``file line function source``, the source may have spaces."""
    rows = ["Traceback (most recent call last):"]
    for frame in frames:
        file, line, function, source = frame.split(" ", 3)
        path = file if file.startswith("/") else f"{CODE}/{file}"
        rows += [f'  File "{path}", line {line}, in {function}', f"    {source}"]
    return "\n".join(mark + row for row in [*rows, *error.split("\n")])


def driver(what: str, code: str = "") -> str:
    """PyTorch 2.9 of an error of CUDA."""
    seek = f"Search for `{code}' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\n" if code else ""
    return (f"torch.AcceleratorError: CUDA error: {what}\n{seek}CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\n"
            "For debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n")  # fmt: skip


def brim(ask: str, total: str, free: str, used: str, own: str, spare: str, *, card: int = 0, other: str = "") -> str:  # noqa: PLR0917
    """PyTorch of a card without room."""
    return (f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {ask}. GPU {card} has a total capacity of {total} of which {free} is free. {other}Including non-PyTorch memory, "
            f"this process has {used} memory in use. Of the allocated memory {own} is allocated by PyTorch, and {spare} is reserved by PyTorch but unallocated. If reserved but unallocated memory is "
            "large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  "
            "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)")  # fmt: skip


def hound(op: str, seq: int, numel: int, ms: int, done: int | None = None) -> str:
    """PyTorch 2.8's watchdog of NCCL, of rank ``@r``."""
    work = f"WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn={numel}, NumelOut={numel}, Timeout(ms)={ms}) ran for {ms + 71} milliseconds before timing out."
    at = "[rank@r]:[E@md @hms.@us417 ProcessGroupNCCL.cpp"
    last = seq - 1 if done is None else done
    return "\n".join((
        f"{at}:685] [Rank @r] Watchdog caught collective operation timeout: {work}",
        f"{at}:2252] [PG ID 0 PG GUID 0(default_pg) Rank @r]  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq + 2}, last completed work: {last}",
        f"{at}:732] Stack trace of the failed collective not found, potentially because FlightRecorder is disabled. You can enable it by setting TORCH_NCCL_TRACE_BUFFER_SIZE to a non-zero value.",
        f"{at}:746] [Rank @r] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
        f"{at}:760] [Rank @r] To avoid data inconsistency, we are taking the entire process down.",
        "terminate called after throwing an instance of 'c10::DistBackendError'",
        f"  what():  [PG ID 0 PG GUID 0(default_pg) Rank @r] Process group watchdog thread terminated with exception: [Rank @r] Watchdog caught collective operation timeout: {work}",
    ))  # fmt: skip


def roll_call(script: str, fallen: Sequence[tuple[int, int, int, int]]) -> str:
    """Torchrun's summary; ``fallen`` are (rank, local rank, exit code or minus signal, pid), the first of all first."""
    def one(r: int, local: int, how: int, pid: int) -> str:
        note = f"Signal {-how} ({ {6: 'SIGABRT', 9: 'SIGKILL', 11: 'SIGSEGV'}[-how] }) received by PID {pid}" if how < 0 else "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
        return f"  time      : @iso\n  host      : @n\n  rank      : {r} (local_rank: {local})\n  exitcode  : {how} (pid: {pid})\n  error_file: <N/A>\n  traceback : {note}"

    rest = [f"[{k}]:\n{one(*f)}" for k, f in enumerate(fallen[1:], 1)] or ["  <NO_OTHER_FAILURES>"]
    head = ["Traceback (most recent call last):", '  File "/project/vision/alice/venv/bin/torchrun", line 10, in <module>', "    sys.exit(main())",
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ", "=" * 60, f"{script} FAILED", "-" * 60, "Failures:"]  # fmt: skip
    return "\n".join([*head, *rest, "-" * 60, "Root Cause (first observed failure):", f"[0]:\n{one(*fallen[0])}", "=" * 60])


def sinks(first: float, to: float, knee: float = 60.0) -> Callable[[int], float]:
    """A loss that falls, with a ripple."""
    return lambda i: to + (first - to) * (1 + i / knee) ** -0.62 + 0.006 * (first - to) * math.sin(i * 1.7)


def ns(**seconds: float) -> dict[str, int]:
    """How long the clocks were held, by reason."""
    return {f"violation_{k}_ns": int(v * 1e9) for k, v in seconds.items()}
