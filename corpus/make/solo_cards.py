"""By hand: one process on one card that is full, broken, hot, or misused by the program, in the words of PyTorch 2.9, JAX 0.8 and Keras 3."""

from collections.abc import Callable, Iterator, Sequence
from random import Random

from corpus.label import Label
from corpus.running.hand import GIB, Hand
from corpus.running.job import HandJob, Recipe

BEGAN_NS = 1_796_000_000_000_000_000
H200 = {"name": "NVIDIA H200", "memory_total_bytes": 141 * GIB, "driver_version": "575.57.08"}
L40S = {"name": "NVIDIA L40S", "memory_total_bytes": 45 * GIB, "driver_version": "570.124.06", "sm_clock_max_mhz": 2520, "power_limit_mw": 350_000}
Rows = list[tuple[float, str]]
SAY: tuple[Callable[[int, float], str], ...] = (
    lambda i, x: f" iteration {i:8d}/   20000 | consumed samples: {i * 64:12d} | elapsed time per iteration (ms): 412.6 | learning rate: 3.000000E-04 | lm loss: {x:.6E} | grad norm: {x / 4:.3f} |",
    lambda i, x: f"{{'loss': {x:.4f}, 'grad_norm': {x / 3:.5f}, 'learning_rate': {2e-5 * (1 - i / 9000):.6e}, 'epoch': {i / 900:.2f}}}",
    lambda i, x: f"I1122 09:{i // 60 % 60:02d}:{i % 60:02d}.204811 140210 train.py:88] [{i}] train/loss={x:.5f}, grad_norm={x / 5:.4f}, steps_per_sec=2.41",
    lambda i, x: f"Train: {i // 200} [{i % 200:>4d}/200 ({i % 200 / 2:>3.0f}%)]  Loss: {x:#.3g} ({x + 0.02:#.3g})  Time: 0.415s, {308.4:>7.2f}/s  LR: 1.000e-03",
)


def rows(kind: int, steps: int, dice: Random, first_s: float = 45.0, each_s: float = 0.42) -> Rows:
    """Progress, a line each ten steps."""
    return [(first_s + i * each_s + dice.uniform(0, 0.1), SAY[kind % 4](i, 0.8 + 2.9 * (1 + i / 70) ** -0.6 + dice.uniform(-0.02, 0.02))) for i in range(10, steps + 1, 10)]


def trace(file: str, *frames: tuple[int, str, str], error: str) -> str:
    """A traceback of Python 3.13."""
    return "Traceback (most recent call last):\n" + "".join(f'  File "/lustre/proj/{file}", line {n}, in {where}\n    {code}\n' for n, where, code in frames) + error


def one(number: int, label: Label, text: str, steps: int, *, model: dict[str, object], held: Callable[[float], float] | float, code: int = 1, signal: int | None = None, tail_s: float = 0.6, name: str = "train", kernel: Sequence[tuple[float, str, str]] = (), counters: dict[str, object] | None = None, vanishes: bool = False) -> HandJob:  # fmt: skip
    """A job of one task: its lines, what it said last, and its card. ``held`` is the memory in use by the second, in GiB."""
    dice = Random(900 + number)
    hand = Hand((f"gpu{14 + number:02d}",), job_id=9_310_000 + 17 * number, gpus=1, name=name, start_ns=BEGAN_NS + number * 7 * 10**12)
    node = hand.nodes[0]
    told = [(9.0, "loading data ..."), *rows(number, steps, dice)]
    at = told[-1][0] + tail_s if steps else 31.0
    hand.rank(0, node, [*told, (at, text)], code=None if signal else code, signal=signal, end=at + 0.8)
    for seconds, says, line in kernel:
        hand.kernel(node, at + seconds, says, line, gpu=0, pci="0000:1b:00", xid=int(line.partition("): ")[2].partition(",")[0]))
    end = at + 2
    times = [15.0 * k for k in range(int(end / 15) + 1)]
    busy = [t > 44 and steps > 0 and t < at for t in times]
    used = [(held(t) if callable(held) else held) * GIB for t in times]
    hand.gpu(node, 0, model, None if vanishes else (counters or {}), utilization_percent=[96 + dice.uniform(-2, 3) if b else 0 for b in busy], sm_activity_percent=[57 + dice.uniform(-4, 4) if b else 0.0 for b in busy], memory_used_bytes=used, power_mw=[330_000 + 9_000 * dice.random() if b else 78_000 for b in busy])  # fmt: skip
    hand.ended("FAILED", code=0 if signal else code, signal=signal or 0, end=end, steps=(("batch", "FAILED", code, 0), ("0", "FAILED", 0 if signal else code, signal or 0)))
    return HandJob(label, hand)


ALONE = {"failed_ranks": (0,), "first_ranks": (0,)}


def full() -> Iterator[HandJob]:
    """B1: at the load, in the first step, in the evaluation, in a jitted step, and while another program holds the card."""
    label = Label(mode="B1", cause="cuda_oom", fault="user", **ALONE)  # type: ignore[arg-type]
    said = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {} GiB. GPU 0 has a total capacity of {} GiB of which {} GiB is free. Including non-PyTorch memory, this process has {} GiB memory in use. Of the allocated memory {} GiB is allocated by PyTorch, and {} is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
    text = trace("sft/train.py", (121, "<module>", "main()"), (88, "main", 'model = AutoModelForCausalLM.from_pretrained(cfg.base, dtype=torch.float32, device_map="cuda")'), error=said.format("1.96", "44.40", "1.12", "43.27", "42.80", "14.51 MiB"))
    yield one(1, label, text, 0, model=L40S, held=lambda t: min(43.3, 1.6 * t), name="sft-32b")
    text = trace("vit/train.py", (240, "<module>", "main(args)"), (187, "main", "loss = criterion(model(images), target)"), (66, "forward", "attn = (q @ k.transpose(-2, -1)) * self.scale"), error=said.format("18.00", "79.19", "9.31", "69.87", "68.02", "1.19 GiB"))
    yield one(2, label, text, 0, model={}, held=lambda t: 0.6 if t < 20 else 12.0, name="vit-huge")
    text = trace("det/eval.py", (58, "evaluate", "boxes = head(feats.float().flatten(0, 1))"), error=said.format("31.50", "79.19", "20.44", "58.74", "41.07", "17.02 GiB") + "\n")
    yield one(4, label, text, 400, model={}, held=55, name="det-r50", tail_s=9.0)
    text = trace("train.py", (204, "<module>", "app.run(main)"), (171, "main", "state, metrics = p_train_step(state, batch)"), error="jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 21.63GiB.")
    yield one(6, label, text, 0, model={}, held=lambda t: 60.0 if t > 12 else 0.5, name="nnx-lm")
    text = trace("peft/tune.py", (77, "<module>", "trainer.train()"), error=said.replace("{} GiB. GPU", "{} MiB. GPU").replace("Including", "Process 80122 has 52.10 GiB memory in use. Including").format("512.00", "79.19", "0.41", "26.60", "25.31", "711.20 MiB"))
    yield one(5, label, text, 120, model={}, held=78.6, name="tune-lora")


def broken() -> Iterator[HandJob]:
    """B2: the card leaves the bus, has an error no code corrects, or its firmware stops answering."""
    label = Label(mode="B2", cause="cuda_runtime", fault="node", **ALONE)  # type: ignore[arg-type]
    said = "torch.AcceleratorError: CUDA error: {}\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions."
    ecc = {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "remap_pending": True, "remapped_rows_uncorrectable": 1}
    line = "NVRM: Xid (PCI:0000:1b:00): {}"
    yield one(7, label, trace("moe/pretrain.py", (310, "train_step", "grad_norm = optimizer.step()"), error=said.format("uncorrectable ECC error encountered")), 900, model={}, held=66, kernel=((-0.4, "xid", line.format("94, pid=88121, name=python, Contained: SM (0x1). RST: No, D-RST: No")),), counters=ecc)  # type: ignore[arg-type]
    yield one(8, label, trace("train.py", (133, "main", "torch.cuda.synchronize()"), error=said.format("unspecified launch failure")), 700, model={}, held=41, kernel=((-0.7, "xid", line.format("79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.")),), vanishes=True)
    yield one(9, label, trace("ast/finetune.py", (205, "<module>", "scaler.step(opt)"), error=said.format("unknown error")), 520, model=H200, held=88, kernel=((-46.0, "xid", line.format("119, pid=70214, name=python, Timeout after 45s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20802a02 0x5c).")),), vanishes=True, tail_s=47.0)


def misused() -> Iterator[HandJob]:
    """A3: what the program did to the card ended it, and the card is well."""
    label = Label(mode="A3", cause="cuda_runtime", fault="user", **ALONE)  # type: ignore[arg-type]
    said = "torch.AcceleratorError: CUDA error: {}\nSearch for `{}' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
    blocks = "\n".join(f"/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1515: indexSelectSmallIndex: block: [{b},0,0], thread: [{t},0,0] Assertion `srcIndex < srcSelectDimSize` failed." for b, t in ((3, 0), (3, 1), (3, 2), (7, 31)))
    yield one(10, label, blocks + "\n" + trace("lm/train.py", (92, "step", "hidden = self.embed(tokens)"), error=said.format("device-side assert triggered", "cudaErrorAssert")), 300, model={}, held=38, kernel=((-0.2, "xid", "NVRM: Xid (PCI:0000:1b:00): 43, pid=51102, name=python, Ch 00000010"),))
    yield one(11, label, trace("kern/train.py", (64, "step", "out = fused_rope(q, cos, sin)"), error=said.format("an illegal memory access was encountered", "cudaErrorIllegalAddress")), 260, model=L40S, held=21, kernel=((-0.3, "xid", "NVRM: Xid (PCI:0000:1b:00): 31, pid=29017, name=python, Ch 00000018, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC3 GPCCLIENT_T1_4 faulted @ 0x7f21_0ac00000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ"),))
    yield one(13, Label(mode="A1", variant="env", cause="cuda_runtime", fault="user", **ALONE), trace("train.py", (12, "<module>", 'model = Net().to("cuda")'), error=said.format("no kernel image is available for execution on the device", "cudaErrorNoKernelImageForDevice")), 0, model={"name": "NVIDIA B200", "memory_total_bytes": 180 * GIB, "driver_version": "580.65.06"}, held=0.5)  # type: ignore[arg-type]


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (full, broken, misused):
        yield from part()


RECIPE = Recipe("solo_cards", "development", jobs)
