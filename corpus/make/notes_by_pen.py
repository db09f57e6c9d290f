"""By hand: one process on one card: tensors in two places, calls the card refuses, memory that ran out or nearly, a card that waits, a good run with a past."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from corpus.label import Label
from corpus.running.hand import GIB, Hand
from corpus.running.job import HandJob, Recipe

Rows = list[tuple[float, str]]
A100: dict[str, Any] = {"name": "NVIDIA A100-SXM4-40GB", "memory_total_bytes": 40 * GIB, "driver_version": "570.172.08", "sm_clock_max_mhz": 1410, "power_limit_mw": 400_000}
RTX: dict[str, Any] = {"name": "NVIDIA RTX 6000 Ada Generation", "memory_total_bytes": 48 * GIB, "driver_version": "580.82.07", "sm_clock_max_mhz": 3105, "power_limit_mw": 300_000}
TELL: tuple[Callable[[int, float], str], ...] = (
    lambda i, x: f"[{i // 200 + 1}/12][{i % 200:03d}/200] loss {x:.4f} ({x + 0.03:.4f})  acc {1 - x / 4:.3f}  {0.11 + i % 7 / 100:.2f} s/it",
    lambda i, x: f'{{"t": {30 + i * 0.4:.1f}, "step": {i}, "train/loss": {x:.5f}, "train/lr": {3e-4 * (1 - i / 9000):.3e}}}',
    lambda i, x: f"2026-11-20 {10 + i // 3000:02d}:{i // 50 % 60:02d}:{i % 50:02d} INFO  trainer  step={i:<6d} loss={x:<9.5f} tok/s={20_400 + i % 311}",
    lambda i, x: f"Epoch {i // 300}: step {i % 300}, reconstruction {x:.3f}, kl {0.2 + x / 20:.3f}",
)
ASYNC = "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
SEE = "Search for `{}' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\n"
SITE = "/home/alice/venvs/lab/lib/python3.12/site-packages"
ALONE: dict[str, Any] = {"failed_ranks": (0,), "first_ranks": (0,)}


def trace(error: str, *frames: tuple[str, int, str, str]) -> str:
    """A traceback of Python 3.12."""
    return "Traceback (most recent call last):\n" + "".join(f'  File "{f.replace("SITE", SITE)}", line {n}, in {w}\n    {c}\n' for f, n, w, c in frames) + error


def run(number: int, steps: int, end: str = "", *, name: str, model: dict[str, Any], held: float, busy: float = 93, code: int = 1, first: Rows | None = None, last: Rows | None = None, limit: float = 0, middle: tuple[int, str] = (0, ""), idle_from: float = 1e9, **more: Any) -> Hand:
    """It prints ``first``, learns, prints ``end`` and leaves with ``code``, or stands until its ``limit``."""
    dice = Random(4100 + number)
    hand = Hand((f"d{number:02d}",), name=name, job_id=5_551_000 + 7 * number, gpus=1, start_ns=1_796_500_000_000_000_000 + number * 4 * 10**12, limit_s=int(limit) or 172_800)
    rows: Rows = [(4.0, f"running on d{number:02d} with torch 2.11.0+cu130" if number % 2 else "lab env 2026.10 loaded"), *(first or [])]
    at = 38.0
    for i in range(10, steps + 1, 10):
        at += 4 + dice.uniform(-0.2, 0.4)
        if middle[0] == i:
            rows.append((at - 2, middle[1]))
        rows.append((at, TELL[number % 4](i, 0.7 + 2.2 * (1 + i / 90) ** -0.55 + dice.uniform(-0.02, 0.02))))
    rows += [(at + s, text) for s, text in last or []]
    over = max([at, *(t for t, _ in rows)]) + 1.5
    if end:
        rows.append((over, end))
    stop = limit + 4 if limit else over + 1.2
    hand.rank(0, hand.nodes[0], rows, code=None if limit else code, signal=15 if limit else None, end=stop, stream="both")
    state, way = ("TIMEOUT", ("CANCELLED", 0, 15)) if limit else (("FAILED", ("FAILED", code, 0)) if code else ("COMPLETED", ("COMPLETED", 0, 0)))
    hand.ended(state, code=0 if limit else code, signal=15 if limit else 0, end=stop + 1, steps=(("batch", *way), ("0", *way)))
    points = [10.0 * k for k in range(int(stop / 10) + 1)]
    for line in more.get("kernel", ()):
        hand.kernel(hand.nodes[0], stop + line[0], line[1], line[2], gpu=0)

    def level(value: float, spread: float) -> list[float]:
        return [0 if t < 40 and steps else (0 if t > idle_from else max(0, round(value + dice.uniform(-spread, spread), 1))) for t in points]

    hand.gpu(hand.nodes[0], 0, {**model, **more.get("before", {})}, more.get("after", {}), utilization_percent=level(busy if steps else 0, 4 if steps else 0), sm_activity_percent=level(busy * 0.55 if steps else 0, 3 if steps else 0),
             memory_used_bytes=[0 if t < 20 else held * GIB for t in points], power_mw=[70_000 if not steps or t < 40 or t > idle_from else model["power_limit_mw"] * 0.8 for t in points])  # fmt: skip
    return hand


def two_places() -> Iterator[HandJob]:
    """A tensor lies where the others do not."""
    early, late = (Label(mode=m, variant=v, cause="device_mismatch", fault="user", **ALONE) for m, v in (("A1", "config"), ("A3", None)))
    linear = ("SITE/torch/nn/modules/linear.py", 134, "forward", "return F.linear(input, self.weight, self.bias)")
    text = trace("RuntimeError: Expected all tensors to be on the same device, but got mat1 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_addmm)", ("/home/alice/vae/fit.py", 131, "<module>", "main()"), ("/home/alice/vae/fit.py", 96, "main", "recon, mu, logvar = net(batch)"), linear)
    yield HandJob(early, run(1, 0, text, name="vae-faces", model=A100, held=1.1))
    text = trace("RuntimeError: indices should be either on cpu or on the same device as the indexed tensor (cuda:0)", ("/home/alice/rank/train.py", 220, "<module>", "run(cfg)"), ("/home/alice/rank/train.py", 174, "run", "hard = scores[negatives.argsort()[:k]]"))
    yield HandJob(late, run(2, 410, text, name="rank-hn", model=RTX, held=17))
    text = trace("RuntimeError: Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same or input should be a MKLDNN tensor and weight is a dense tensor", ("evaluate.py", 61, "validate", "logits = model(crop)"), ("SITE/torch/nn/modules/conv.py", 548, "forward", "return self._conv_forward(input, self.weight, self.bias)"))
    yield HandJob(late, run(3, 600, "running validation on 1200 crops\n" + text, name="crops", model=A100, held=22))


def refused() -> Iterator[HandJob]:
    """The card's runtime refuses."""
    early, late = (Label(mode=m, variant=v, cause="cuda_runtime", fault="user", **ALONE) for m, v in (("A1", "env"), ("A3", None)))
    asserts = "\n".join(f"/pytorch/aten/src/ATen/native/cuda/Loss.cu:245: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: [{t},0,0] Assertion `t >= 0 && t < n_classes` failed." for t in (4, 11, 12, 29))
    said = "torch.AcceleratorError: CUDA error: {}\n" + SEE + ASYNC
    text = trace(said.format("device-side assert triggered", "cudaErrorAssert"), ("seg/main.py", 144, "<module>", "fit(model, loaders, args)"), ("seg/main.py", 88, "fit", "running += loss.item()"))
    yield HandJob(late, run(4, 270, asserts + "\n" + text, name="landcover", model=RTX, held=31, kernel=((-0.6, "xid", "NVRM: Xid (PCI:0000:1b:00): 43, pid=90114, name=python, Ch 00000018"),)))
    text = trace(said.format("invalid configuration argument", "cudaErrorInvalidConfiguration"), ("pc/train.py", 70, "step", "dist, idx = knn_points(cloud, queries, K=0)"))
    yield HandJob(late, run(5, 190, text, name="pointcloud", model=A100, held=9))
    text = trace("RuntimeError: The NVIDIA driver on your system is too old (found version 12020). Please update your GPU driver by downloading and installing a new version from the URL: http://www.nvidia.com/Download/index.aspx Alternatively, go to: https://pytorch.org to install a PyTorch version that has been compiled with your version of the CUDA driver.", ("train.py", 19, "<module>", 'model.to("cuda")'), ("SITE/torch/cuda/__init__.py", 410, "_lazy_init", "torch._C._cuda_init()"))
    yield HandJob(early, run(6, 0, text, name="whisper-s", model={**A100, "driver_version": "535.104.05"}, held=0.0))


def full() -> Iterator[HandJob]:
    """Its memory is full."""
    label = Label(mode="B1", cause="cuda_oom", fault="user", **ALONE)
    text = trace("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.95 GiB. GPU 0 has a total capacity of 39.49 GiB of which 1.21 GiB is free. Including non-PyTorch memory, this process has 38.27 GiB memory in use. Of the allocated memory 36.80 GiB is allocated by PyTorch, and 995.71 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)", ("lora/run.py", 212, "<module>", "main()"), ("lora/run.py", 180, "main", "loss.backward()"), ("SITE/torch/_tensor.py", 630, "backward", "torch.autograd.backward("))
    yield HandJob(label, run(7, 350, text, name="lora-docs", model=A100, held=39.1))
    retry = "CUDA out of memory. Tried to allocate 3.12 GiB. GPU 0 has a total capacity of 47.40 GiB of which 0.88 GiB is free.\nreducing batch size 64 -> 32 and starting over"
    yield HandJob(Label(mode="G1", fault="none", hard=True), run(8, 820, "best checkpoint: step 800, loss 1.21\ntraining finished", name="tabular-x", model=RTX, held=40, code=0, first=[(29.0, retry)]))


def standing() -> Iterator[HandJob]:
    """C3; and good runs that rest, or have a past."""
    label, good = Label(mode="C3", fault="user"), Label(mode="G1", fault="none", hard=True)
    for number, steps, last, limit, where in ((9, 500, "", 4200, "futex_do_wait"), (10, 260, "gathering predictions for wandb table", 3600, "pipe_read")):
        hand = run(number, steps, "", name="t5-sum" if number == 9 else "probe-l14", model=RTX if number == 9 else A100, held=26, limit=limit, last=[(3.0, last)] if last else [], idle_from=43 + steps * 0.42)
        hand.process(hand.nodes[0], 71_200 + number, rank=0, local_rank=0, command=("python", "train.py"), gpu_uuids=(hand.uuid(hand.nodes[0], 0),), state="S", wchan=where, started_ns=hand.at(2), gpu_attached_ns=hand.at(19), seen_last_ns=hand.at(limit))
        yield HandJob(label, hand)
    past = {"ecc_aggregate_uncorrected": 6, "remapped_rows_uncorrectable": 3, "remapped_rows_correctable": 1}
    yield HandJob(good, run(11, 900, "done. final loss 1.094", name="mamba-s", model=A100, held=34, code=0, before=past, middle=(450, "W1120 11:04:10.201 _inductor/utils.py:1436] Not enough SMs to use max_autotune_gemm mode")))
    nan = "step skipped: inf in gradients, loss scale 65536.0 -> 32768.0\nstep skipped: inf in gradients, loss scale 32768.0 -> 16384.0"
    yield HandJob(good, run(12, 700, "saved weights to out/last.safetensors", name="fp16-asr", model=RTX, held=12, code=0, middle=(20, nan)))


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (two_places, refused, full, standing):
        yield from part()


RECIPE = Recipe("notes_by_pen", "development", jobs)
