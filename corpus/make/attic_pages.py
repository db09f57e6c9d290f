"""By hand: one process on one card that is full, broken or misused, or only frightens, in the words of those who train, sample and segment on it."""

from collections.abc import Callable, Iterator, Mapping
from random import Random

from corpus.label import Label
from corpus.running.hand import GIB, Hand
from corpus.running.job import HandJob, Recipe

BEGAN_NS = 1_797_100_000_000_000_000
Lines = list[tuple[float, str]]
A100 = {"name": "NVIDIA A100-SXM4-40GB", "memory_total_bytes": 40 * GIB, "driver_version": "535.183.06", "sm_clock_max_mhz": 1410, "power_limit_mw": 400_000}
A6000 = {"name": "NVIDIA RTX A6000", "memory_total_bytes": 48 * GIB, "driver_version": "560.35.05", "sm_clock_max_mhz": 2100, "power_limit_mw": 300_000}
B200 = {"name": "NVIDIA B200", "memory_total_bytes": 180 * GIB, "driver_version": "570.172.08", "sm_clock_max_mhz": 1965, "power_limit_mw": 1_000_000}
ALONE = {"failed_ranks": (0,), "first_ranks": (0,)}
ADVICE = "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"


def page(number: int, label: Label, lines: Lines, card: Mapping[str, object], held: Callable[[float], float], *, code: int = 1, counters: Mapping[str, object] | None = None, lost: bool = False, kernel: tuple[tuple[float, str, str], ...] = (), work_s: tuple[float, float] = (0.0, 0.0), name: str = "train") -> HandJob:  # fmt: skip
    """A job of one task: ``lines`` it printed, the card's ``held`` GiB by the second, the span in which it worked."""
    dice = Random(7000 + number)
    hand = Hand((f"h{21 + number:02d}",), job_id=8_804_000 + 31 * number, gpus=1, name=name, start_ns=BEGAN_NS + number * 5 * 10**12)
    node, last = hand.nodes[0], lines[-1][0]
    hand.rank(0, node, lines, code=code, end=last + 1.1)
    for seconds, says, text in kernel:
        hand.kernel(node, seconds, says, text, gpu=0, pci="0000:1b:00", xid=int(text.partition("): ")[2].partition(",")[0]))
    times = [10.0 * k for k in range(int((last + 2) / 10) + 1)]
    busy = [work_s[0] < t < work_s[1] for t in times]
    hand.gpu(node, 0, card, None if lost else (counters or {}), utilization_percent=[94 + dice.uniform(-4, 5) if b else 0 for b in busy], sm_activity_percent=[51 + dice.uniform(-6, 6) if b else 0.0 for b in busy], memory_used_bytes=[held(t) * GIB for t in times], power_mw=[265_000 + 12_000 * dice.random() if b else 66_000 for b in busy])  # fmt: skip
    state = "FAILED" if code else "COMPLETED"
    hand.ended(state, code=code, end=last + 2, steps=(("batch", state, code, 0), ("0", state, code, 0)))
    return HandJob(label, hand)


def full() -> Iterator[HandJob]:
    """B1."""
    label = Label(mode="B1", cause="cuda_oom", fault="user", **ALONE)  # type: ignore[arg-type]
    dice = Random(1)
    steps: Lines = [(4.0, "seed=11 amp=bf16 tile=1024 | encoder: convnext-l"), *((40.0 + i * 1.5, f"e{i // 60} b{i % 60:>3}/60  dice={0.31 + 0.6 * (1 - 2.7 ** (-i / 70)):.3f}  bce={0.69 * 2.7 ** (-i / 90) + dice.uniform(0, 0.02):.4f}  {11.2 + dice.uniform(-0.4, 0.4):.1f} img/s") for i in range(0, 180, 5))]  # fmt: skip
    end = steps[-1][0]
    text = 'Traceback (most recent call last):\n  File "/proj/orchard/train_masks.py", line 301, in <module>\n    fit(model, loaders)\n  File "/proj/orchard/train_masks.py", line 214, in fit\n    logits = tta(model, volume.cuda())\n  File "/proj/orchard/tta.py", line 37, in tta\n    outs = torch.stack([model(rot(v)) for v in variants])\ntorch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 14.06 GiB. GPU 0 has a total capacity of 39.39 GiB of which 6.87 GiB is free. Including non-PyTorch memory, this process has 32.51 GiB memory in use. Of the allocated memory 29.77 GiB is allocated by PyTorch, and 2.12 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)'
    yield page(1, label, [*steps, (end + 3, "full-volume check, 8 rotations"), (end + 5.5, text)], A100, lambda t: 0.0 if t < 12 else 21.5, work_s=(36, end), name="masks")
    text = "2026-12-02 11:20:51.774120: W external/xla/xla/tsl/framework/bfc_allocator.cc:501] Allocator (GPU_0_bfc) ran out of memory trying to allocate 9.54GiB (rounded to 10243538944)requested by op \n" + 'Traceback (most recent call last):\n  File "/proj/maps/fit_sde.py", line 188, in <module>\n    params, opt_state, loss = update(params, opt_state, key, batch)\njaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 10243538944 bytes.'
    yield page(2, label, [(3.0, "devices: [CudaDevice(id=0)]"), (9.0, "params: 412.7M"), (31.0, "compiling update() ..."), (58.0, text)], A6000, lambda t: 0.4 if t < 8 else 36.1, name="sde")
    rows: Lines = [(2.0, "[rank0] building 7.1B policy + frozen reference"), (55.0, "policy ready"), (97.0, "reference ready"), *((120.0 + 9 * i, f"{{'loss': {0.693 - 0.02 * i:.4f}, 'rewards/margins': {0.05 * i:.3f}, 'rewards/accuracies': {0.5 + 0.03 * i:.2f}, 'logps/chosen': {-211.0 - i:.1f}, 'epoch': {0.01 * i:.2f}}}") for i in range(1, 9))]  # fmt: skip
    text = 'Traceback (most recent call last):\n  File "/proj/align/prefs.py", line 96, in <module>\n    trainer.train()\n  File "/opt/env/lib/python3.11/site-packages/torch/optim/adamw.py", line 98, in _init_group\n    state["exp_avg_sq"] = torch.zeros_like(\n' + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 224.00 MiB. GPU 0 has a total capacity of 79.10 GiB of which 118.94 MiB is free. Process 3120941 has 78.97 GiB memory in use. Of the allocated memory 77.02 GiB is allocated by PyTorch, and 1.24 GiB is reserved by PyTorch but unallocated."
    yield page(3, label, [*rows[:3], (131.0, text)], {}, lambda t: min(79.0, 0.3 + 0.62 * t), name="prefs")


def broken() -> Iterator[HandJob]:
    """B2."""
    label = Label(mode="B2", cause="cuda_runtime", fault="node", **ALONE)  # type: ignore[arg-type]
    dice = Random(2)
    rows: Lines = [(20.0 + 2 * i, f"it {i * 10:6d} | vlb {1.1 * (1 + i / 30) ** -0.5 + dice.uniform(0, 0.01):.5f} | mse {0.4 * (1 + i / 25) ** -0.7:.5f} | {4.9 + dice.uniform(-0.1, 0.1):.2f} it/s | ema 0.9999") for i in range(1, 160)]  # fmt: skip
    end = rows[-1][0]
    text = 'Traceback (most recent call last):\n  File "/proj/snow/train.py", line 142, in <module>\n    Loop(cfg).run()\n  File "/proj/snow/loop.py", line 88, in run\n    print(self.line(it, terms["vlb"].mean().item(), terms["mse"].mean().item()))\ntorch.AcceleratorError: CUDA error: uncorrectable ECC error encountered\n' + ADVICE
    ecc = {"ecc_volatile_uncorrected": 3, "ecc_aggregate_uncorrected": 3, "remap_pending": True, "remapped_rows_uncorrectable": 1}
    yield page(4, label, [*rows, (end + 2.4, text)], B200, lambda t: 71.0 if t > 10 else 0.0, counters=ecc, kernel=((end + 1.6, "xid", "NVRM: Xid (PCI:0000:1b:00): 48, pid=220417, name=python, DBE (double bit error) at 0x00000003a1 subpartition 1"),), work_s=(18, end), name="snow-ddpm")
    rows = [(33.0 + 0.8 * i, f"{i:05d}  nll={5.6 * (1 + i / 60) ** -0.35 + dice.uniform(0, 0.03):.4f}  gnorm={1.9 + dice.uniform(-0.5, 0.5):.3f}  tok/s={41200 + dice.randrange(900)}") for i in range(0, 330, 3)]
    end = rows[-1][0]
    text = 'Traceback (most recent call last):\n  File "/proj/folk/pretrain.py", line 77, in <module>\n    torch.cuda.synchronize()\nRuntimeError: CUDA error: unspecified launch failure\n' + ADVICE
    yield page(5, label, [*rows, (end + 7.0, text)], {}, lambda t: 58.0 if t > 25 else 0.0, lost=True, kernel=((end + 1.0, "xid", "NVRM: Xid (PCI:0000:1b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."),), work_s=(30, end), name="folk-1b")


def other() -> Iterator[HandJob]:
    """What the program did by itself; and a card that was full for one step alone."""
    dice = Random(3)
    rows: Lines = [(25.0 + i, f"batch {i:>4d} of 900 - ppl {310 * (1 + i / 8) ** -0.8 + dice.uniform(0, 3):.1f} - lr {3e-4 * min(1, i / 40):.2e}") for i in range(4, 200, 4)]
    end = rows[-1][0]
    blocks = "\n".join(f"/pytorch/aten/src/ATen/native/cuda/Loss.cu:245: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: [{t},0,0] Assertion `t >= 0 && t < n_classes` failed." for t in (4, 5, 19))
    text = blocks + '\nTraceback (most recent call last):\n  File "/proj/lex/lm.py", line 119, in <module>\n    loss.backward()\nRuntimeError: CUDA error: device-side assert triggered\n' + ADVICE
    yield page(6, Label(mode="A3", cause="cuda_runtime", fault="user", **ALONE), [*rows, (end + 1.2, text)], A6000, lambda t: 17.0 if t > 18 else 0.0, work_s=(22, end), kernel=((end + 0.9, "xid", "NVRM: Xid (PCI:0000:1b:00): 43, pid=91822, name=python3, Ch 00000008"),), name="lex-lm")  # type: ignore[arg-type]
    rows = [(18.0, "auto batch size: trying 512")]
    rows += [(24.0, "  512: CUDA out of memory. Tried to allocate 22.10 GiB. GPU 0 has a total capacity of 47.41 GiB of which 9.02 GiB is free. -> halved"), (30.0, "  256: CUDA out of memory. Tried to allocate 11.05 GiB. GPU 0 has a total capacity of 47.41 GiB of which 8.77 GiB is free. -> halved"), (36.0, "  128: fits (31.2 GiB)")]
    rows += [(40.0 + 4 * i, f"ep {i:02d}/40  loss {2.3 * (1 + i / 3) ** -0.9 + dice.uniform(0, 0.02):.4f}  top1 {91 - 80 * 2.7 ** (-i / 6):.2f}") for i in range(1, 41)]
    end = rows[-1][0]
    yield page(7, Label(mode="G1", fault="none", hard=True), [*rows, (end + 3, "best top1 90.87 at ep 40; weights in out/best.pt")], A6000, lambda t: 38.0 if 18 < t < 34 else 31.2 if t >= 34 else 0.0, code=0, work_s=(38, end), name="cls-auto")


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (full, broken, other):
        yield from part()


RECIPE = Recipe("attic_pages", "development", jobs)
