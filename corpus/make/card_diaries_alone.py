"""By hand: what one process on one card wrote and what its card was read to do: full, broken, held back, starved, misused, and well."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from corpus.label import Label
from corpus.running.hand import GIB, Hand
from corpus.running.job import HandJob, Recipe

A100 = {"name": "NVIDIA A100-SXM4-40GB", "memory_total_bytes": 40 * GIB, "driver_version": "535.183.06", "sm_clock_max_mhz": 1410, "power_limit_mw": 400_000}
RTX = {"name": "NVIDIA RTX 6000 Ada Generation", "memory_total_bytes": 48 * GIB, "driver_version": "565.57.01", "sm_clock_max_mhz": 3105, "power_limit_mw": 300_000}
GH = {"name": "NVIDIA GH200 480GB", "memory_total_bytes": 96 * GIB, "driver_version": "570.86.15"}
ALONE: dict[str, Any] = {"failed_ranks": (0,), "first_ranks": (0,)}
FULL = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {want}. GPU 0 has a total capacity of {total} of which {free} is free. Including non-PyTorch memory, this process has {mine} memory in use. Of the allocated memory {held} is allocated by PyTorch, and {spare} is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
HIP = "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 1.25 GiB. GPU 0 has a total capacity of 63.98 GiB of which 308.00 MiB is free. Of the allocated memory 61.07 GiB is allocated by PyTorch, and 1.52 GiB is reserved by PyTorch but unallocated."
TF = "tensorflow.python.framework.errors_impl.ResourceExhaustedError: {{function_node __wrapped__Conv3D_device_/job:localhost/replica:0/task:0/device:GPU:0}} OOM when allocating tensor with shape[8,64,96,192,192] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:Conv3D]"
LATER = "\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
SAYS = (
    "  ep {ep} batch {b} of 200: loss = {x:.3f}",
    '{{"ts": {t:.1f}, "lvl": "INFO", "msg": "train_step", "step": {i}, "of": {n}, "metrics": {{"logloss": {x:.5f}}}}}',
    "Step {i}/{n:6d}; acc: {acc:4.1f}; ppl: {ppl:6.2f}; xent: {x:4.2f}; lr: 0.00040; {rate:.0f} tok/s",
    "epoch {e:.2f} | mse {x:.4f} | {its:.2f} it/s | eta {eta:.0f} min",
)


def crash(error: str, *frames: tuple[str, int, str, str]) -> str:
    """A traceback."""
    return "Traceback (most recent call last):\n" + "".join(f'  File "{f}", line {n}, in {w}\n    {c}\n' for f, n, w, c in frames) + error


class Diary:
    """A job of one task on one card."""

    def __init__(self, number: int, name: str, card: dict[str, object] | None = None, limit_s: int = 86_400) -> None:
        self.number, self.dice, self.card = number, Random(61 * number), card
        self.hand = Hand((f"node{104 + number}",), name=name, job_id=771_300 + 29 * number, start_ns=1_795_370_000_000_000_000 + number * 9 * 10**12, gpus=1, limit_s=limit_s, submit_line=f"sbatch {name}.slurm")
        self.node = self.hand.nodes[0]
        self.lines: list[tuple[float, str]] = [(5.0, f"SLURM_JOB_ID={self.hand.job_id} on {self.node}"), (22.0, "dataset ready, building model")]
        self.at, self.done = 36.0, 0

    def steps(self, count: int, pace: float, planned: int, each: int = 10) -> "Diary":
        """Steps at this pace."""
        for i in range(self.done + 1, self.done + count + 1):
            self.at += pace * self.dice.uniform(0.97, 1.04)
            if i % each == 0:
                x = 0.5 + 2.6 * (1 + i / 60) ** -0.55 + self.dice.uniform(-0.02, 0.02)
                told = {"i": i, "n": planned, "x": x, "t": self.hand.at(self.at) / 1e9, "ep": 1 + i // 200, "b": i % 200, "acc": 100 - 18 * x, "ppl": 2.718**x}
                self.lines.append((self.at, SAYS[self.number % 4].format(**told, rate=4096 / pace, e=i / 400, its=1 / pace, eta=(planned - i) * pace / 60)))
        self.done += count
        return self

    def note(self, after_s: float, text: str) -> "Diary":
        """A line of its own."""
        self.at += after_s
        self.lines.append((self.at, text))
        return self

    def ends(self, state: str = "COMPLETED", code: int = 0, signal: int = 0, at: float = 0.0) -> "Diary":
        """How it ended."""
        self.at = at or self.at + 1.4
        self.hand.rank(0, self.node, self.lines, code=None if signal else code, signal=signal or None, end=self.at, stream="both")
        self.hand.ended(state, code=0 if signal else code, signal=signal, end=self.at + 1, steps=(("batch", "FAILED" if state == "FAILED" else state if state != "TIMEOUT" else "CANCELLED", code, signal), ("0", "CANCELLED" if state == "TIMEOUT" else state, 0 if signal else code, signal)))
        return self

    def kernel(self, at: float, xid: int, text: str) -> "Diary":
        """A line of the driver in the kernel's log."""
        self.hand.kernel(self.node, at, "xid", f"NVRM: Xid (PCI:0000:1b:00): {xid}, {text}", gpu=0, pci="0000:1b:00", xid=xid)
        return self

    def read(self, label: Label, held: Callable[[float], float] | float, before: dict[str, object] | None = None, after: dict[str, object] | None = None, *, lost: bool = False, each_s: float = 10.0, **levels: Callable[[float], float] | float) -> HandJob:
        """The card's counters before and after, and what was sampled."""
        times = [each_s * k for k in range(int(self.at / each_s) + 1)]

        def level(of: Callable[[float], float] | float, t: float) -> float:
            return of(t) if callable(of) else of

        series: dict[str, Any] = {"memory_used_bytes": [level(held, t) * GIB for t in times]}
        for name, of in levels.items():
            series[name] = [0 if t < 36 else round(max(0.0, level(of, t) * self.dice.uniform(0.97, 1.03)), 1) for t in times]
        self.hand.gpu(self.node, 0, {**(self.card or {}), **(before or {})}, None if lost else (after or {}), **series)
        return HandJob(label, self.hand)


def since(start: float, before: float, then: float, until: float = float("inf")) -> Callable[[float], float]:
    """A level that changes at a time, and perhaps back."""
    return lambda t: then if start <= t < until else before


def full() -> Iterator[HandJob]:
    """B1: at a long batch, in the first step, beside somebody else's process, on a card of another maker."""
    label = Label(mode="B1", cause="cuda_oom", fault="user", **ALONE)
    run = Diary(1, "long-doc", A100).steps(430, 0.7, 4000).note(0.5, crash(FULL.format(want="5.64 GiB", total="39.39 GiB", free="3.02 GiB", mine="36.36 GiB", held="33.90 GiB", spare="1.71 GiB"), ("/scratch/u12/longdoc/train.py", 214, "<module>", "fit(model, loader)"), ("/scratch/u12/longdoc/train.py", 171, "fit", "loss.backward()"), ("/scratch/u12/env/lib/python3.11/site-packages/torch/_tensor.py", 647, "backward", "torch.autograd.backward("))).ends("FAILED", 1)
    yield run.read(label, since(36, 0.8, 31.5), utilization_percent=95, sm_activity_percent=55)
    run = Diary(2, "mri-unet3d", RTX).note(14, crash(TF, ("unet3d.py", 130, "<module>", "model.fit(train_ds, epochs=200)"), ("/opt/tf/lib/python3.11/site-packages/keras/src/utils/traceback_utils.py", 122, "error_handler", "raise e.with_traceback(filtered_tb) from None"))).ends("FAILED", 1)
    yield run.read(label, since(30, 0.5, 45.9), utilization_percent=2, sm_activity_percent=1)
    run = Diary(4, "probe-eval", GH).note(3, "loading weights to cuda:0").note(9, crash("RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", ("probe.py", 61, "<module>", "scores = run(probe, feats)"), ("probe.py", 40, "run", "return probe(feats) @ heads.T"))).ends("FAILED", 1)
    yield run.read(label, since(34, 0.6, 94.9), utilization_percent=0, sm_activity_percent=0)
    run = Diary(5, "climate-ae").steps(260, 0.9, 3000).note(0.7, crash(HIP, ("train_ae.py", 98, "<module>", "main()"), ("train_ae.py", 77, "main", "recon = decoder(z, skips)"))).ends("FAILED", 1)
    yield HandJob(label, run.hand)


def broken() -> Iterator[HandJob]:
    """B2: an error that no code corrects, a card that leaves the bus, and one whose process cannot even leave."""
    label = Label(mode="B2", cause="cuda_runtime", fault="node", **ALONE)
    run = Diary(6, "bert-law", A100).steps(700, 0.6, 9000)
    hit = run.at
    run.note(0.8, crash("torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered" + LATER, ("mlm.py", 301, "<module>", "main()"), ("mlm.py", 256, "main", "losses.append(loss.item())"))).ends("FAILED", 1).kernel(hit + 0.1, 48, "pid=70113, name=python, DBE (double bit error) detected")
    yield run.read(label, 34, {}, {"ecc_volatile_uncorrected": 2, "ecc_aggregate_uncorrected": 2, "remapped_rows_uncorrectable": 1, "remap_pending": True}, utilization_percent=96, sm_activity_percent=51)
    run = Diary(7, "nerf-hall", RTX).steps(900, 0.35, 20_000, 20)
    hit = run.at
    run.note(1.2, crash("RuntimeError: CUDA error: unspecified launch failure" + LATER, ("render.py", 190, "train_step", "rgb = march(rays, grid)"))).ends("FAILED", 1).kernel(hit + 0.4, 79, "GPU has fallen off the bus.")
    yield run.read(label, 21, lost=True, utilization_percent=98, sm_activity_percent=70)
    run = Diary(8, "wav-codec", GH, limit_s=3600).steps(640, 0.8, 9000)
    hit = run.at
    run.note(46, crash("torch.AcceleratorError: CUDA error: unknown error" + LATER, ("codec/train.py", 142, "<module>", "disc_opt.step()"))).ends("TIMEOUT", 0, 9, at=3604.0).kernel(hit + 45, 119, "pid=51777, name=python, Timeout after 45s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20802a02 0x8).")
    yield run.read(label, 60, lost=True, utilization_percent=since(hit, 95, 0), sm_activity_percent=since(hit, 48, 0))


def held_back() -> Iterator[HandJob]:
    """B3: from some time on its clock is held down, and steps take longer."""
    label = Label(mode="B3", fault="node")
    for number, (name, card, kind, clocks) in enumerate((("galaxy-zoo", A100, "hw_thermal", (1410, 555)), ("tts-fit", RTX, "hw_power_brake", (2900, 870))), 9):
        run = Diary(number, name, card).steps(500, 0.8, 1300, 20)
        hot = run.at
        run.steps(800, 2.1, 1300, 20).note(2, "finished, model written to out/").ends()
        gone = int((run.at - hot) * 0.95 * 1e9)
        heat = kind == "hw_thermal"
        keys = (f"violation_{kind}_ns", "violation_thermal_ns" if heat else "violation_power_ns")
        yield run.read(label, 29, dict.fromkeys(keys, 0), dict.fromkeys(keys, gone), utilization_percent=98, sm_activity_percent=57, sm_clock_mhz=since(hot, *clocks), temperature_c=since(hot, 67, 94 if heat else 58), throttle_reasons=lambda t, h=hot, m=0x60 if heat else 0x80: m if t > h else 0, power_mw=since(hot, 290_000, 150_000))  # type: ignore[misc]


def starved() -> Iterator[HandJob]:
    """D1: seconds without work at every step or every few."""
    label = Label(mode="D1", fault="user")
    run = Diary(11, "satellite-seg", GH).steps(190, 5.6, 190, 5).note(1, "done").ends()
    yield run.read(label, 18, utilization_percent=4, duty_percent=4, duty_spread_percent=96, sm_activity_percent=2, power_mw=105_000, sm_clock_mhz=1980)
    run = Diary(12, "protein-lm", A100).steps(240, 4.4, 240, 5).note(1, "done").ends()
    yield run.read(label, 30, utilization_percent=6, duty_percent=6, duty_spread_percent=93, sm_activity_percent=3, power_mw=88_000, sm_clock_mhz=1410)


def misused() -> Iterator[HandJob]:
    """A3: a label out of range on the card, which is well."""
    run = Diary(13, "plant-ids", A100).steps(330, 0.5, 5000)
    hit = run.at
    words = "\n".join(f"/pytorch/aten/src/ATen/native/cuda/Loss.cu:245: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: [{k},0,0] Assertion `t >= 0 && t < n_classes` failed." for k in (4, 17, 21))
    run.note(0.6, words + "\n" + crash("RuntimeError: CUDA error: device-side assert triggered" + LATER, ("plants.py", 88, "<module>", "running += loss.item()"))).ends("FAILED", 1).kernel(hit + 0.2, 43, "pid=40811, name=python, Ch 00000008")
    yield run.read(Label(mode="A3", cause="cuda_runtime", fault="user", **ALONE), 12, utilization_percent=93, sm_activity_percent=49)


def well() -> Iterator[HandJob]:
    """G1: after a batch that did not fit; on a card with a past; with an old line of the driver before its first step."""
    hard = Label(mode="G1", fault="none", hard=True)
    run = Diary(14, "qa-ft", A100).steps(240, 0.7, 1100).note(1, "WARNING step 241: CUDA out of memory. Tried to allocate 2.10 GiB. Batch is split in two and done again").steps(860, 0.7, 1100).note(2, "best EM 71.3, saved to best.pt").ends()
    yield run.read(hard, 36, utilization_percent=96, sm_activity_percent=54, power_mw=350_000, sm_clock_mhz=1395)
    run = Diary(15, "gnn-traffic", GH).steps(1500, 0.4, 1500, 25).note(1, "test MAE 2.871 - done").ends().kernel(3.0, 63, "Row Remapper: New row marked for remapping, reset gpu to activate.")
    yield run.read(hard, 24, {"remapped_rows_correctable": 4, "ecc_aggregate_corrected": 31, "remap_pending": True}, {}, utilization_percent=91, sm_activity_percent=44, power_mw=420_000, sm_clock_mhz=1965)
    run = Diary(16, "dreamer", RTX).steps(900, 0.6, 900, 25).note(1, "saved agent.pt, bye").note(4, "Exception ignored in: <function Env.__del__ at 0x7f2a1c0>\nTypeError: 'NoneType' object is not callable").ends()
    yield run.read(hard, 9, utilization_percent=58, sm_activity_percent=29, power_mw=190_000, sm_clock_mhz=2715)


def more() -> Iterator[HandJob]:
    """B2, B3 and D1 once more: a contained error in a table of a few epochs; held back from the first step on, and for a while in the middle; every sixth step waits."""
    label = Label(mode="B2", cause="cuda_runtime", fault="node", **ALONE)
    run = Diary(17, "mesh-gnn", GH).steps(380, 1.3, 6000, 20)
    hit = run.at
    run.note(0.4, crash("torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered" + LATER, ("mesh/fit.py", 118, "<module>", "fit(cfg)"), ("mesh/fit.py", 93, "fit", "total += float(loss)"))).ends("FAILED", 1).kernel(hit + 0.1, 94, "pid=90417, name=python3, Contained: SM (0x1). RST: No, D-RST: No")
    yield run.read(label, 71, {}, {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "remapped_rows_uncorrectable": 1, "remap_pending": True}, utilization_percent=94, sm_activity_percent=46)
    held = Label(mode="B3", fault="node")
    keys = ("violation_hw_thermal_ns", "violation_thermal_ns")
    run = Diary(18, "ocr-lines", RTX).steps(300, 0.6, 2400, 25)
    hot = run.at
    run.steps(1500, 1.9, 2400, 25)
    cool = run.at
    run.steps(600, 0.6, 2400, 25).note(2, "CER 0.041, model exported").ends()
    gone = int((cool - hot) * 0.9 * 1e9)
    yield run.read(held, 17, dict.fromkeys(keys, 0), dict.fromkeys(keys, gone), utilization_percent=97, sm_activity_percent=61, sm_clock_mhz=since(hot, 2850, 795, cool), temperature_c=since(hot, 71, 96, cool), throttle_reasons=since(hot, 0, 0x60, cool), power_mw=since(hot, 262_000, 118_000, cool))
    keys = ("violation_hw_power_brake_ns", "violation_power_ns")
    run = Diary(19, "weather-unet", A100).steps(420, 0.7, 1500, 20)
    hot = run.at
    run.steps(1080, 2.4, 1500, 20).note(2, "RMSE z500 212.4, done").ends()
    gone = int((run.at - hot) * 0.97 * 1e9)
    yield run.read(held, 33, dict.fromkeys(keys, 7_000_000), dict.fromkeys(keys, gone), utilization_percent=98, sm_activity_percent=52, sm_clock_mhz=since(hot, 1395, 420), temperature_c=since(hot, 66, 57), throttle_reasons=since(hot, 0, 0x80), power_mw=since(hot, 371_000, 142_000))
    run = Diary(20, "cough-audio", RTX)
    for _ in range(45):
        run.note(11.0, f"reading archive part {1 + run.done // 6} of 45 over sshfs").steps(6, 0.8, 270, 6)
    yield run.note(1, "done").ends().read(Label(mode="D1", fault="user"), 8, utilization_percent=7, duty_percent=7, duty_spread_percent=94, sm_activity_percent=4, power_mw=61_000, sm_clock_mhz=2600)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (full, broken, held_back, starved, misused, well, more):
        yield from part()


RECIPE = Recipe("card_diaries_alone", "development", jobs)
