"""By hand: one process on one card that is full, broken, held back, starved or at rest, or only frightens."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import HARD, SAVES, STANDS, STARVED, fell
from corpus.running.hand import GIB, Hand
from corpus.running.job import HandJob, Recipe

BEGAN_NS = 1_797_900_000_000_000_000
H100 = {"name": "NVIDIA H100 80GB HBM3", "memory_total_bytes": 80 * GIB}
L4 = {"name": "NVIDIA L4", "memory_total_bytes": 24 * GIB, "driver_version": "560.35.03", "sm_clock_max_mhz": 2040, "power_limit_mw": 72_000}
A40 = {"name": "NVIDIA A40", "memory_total_bytes": 48 * GIB, "driver_version": "535.216.01", "sm_clock_max_mhz": 1740, "power_limit_mw": 300_000}
GH200 = {"name": "NVIDIA GH200 480GB", "memory_total_bytes": 96 * GIB, "driver_version": "570.133.20", "sm_clock_max_mhz": 1980, "power_limit_mw": 900_000}
V100 = {"name": "Tesla V100-SXM2-32GB", "memory_total_bytes": 32 * GIB, "driver_version": "525.147.05", "sm_clock_max_mhz": 1530, "power_limit_mw": 300_000}
HEADS = (
    "[{m:02d}:{s:02d}] it {i:>6}/{n} | loss {x:7.4f} | gnorm {g:.2f} | {p:.2f} s",
    "{{\"step\": {i}, \"of\": {n}, \"loss\": {x:.5f}, \"lr\": {lr:.3e}, \"sec\": {p:.3f}}}",
    "INFO:train:step={i} loss={x:.4f} grad_norm={g:.3f} lr={lr:.2e} samples_per_s={r:.1f}",
    "Train: {e} [{i:>4d}/{n}]  Loss: {x:#.3g} ({x:#.3g})  Time: {p:.3f}s, {r:>7.2f}/s  LR: {lr:.3e}  Data: {d:.3f}",
    "{{'loss': {x:.4f}, 'grad_norm': {g:.5f}, 'learning_rate': {lr:.6e}, 'epoch': {f:.2f}}}",
)
WHERE = 'Traceback (most recent call last):\n  File "/proj/alp/{file}", line {line}, in <module>\n    {call}\n'
NOTE = "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
Level = float | Callable[[float], float]


def value(level: Level, at: float) -> float:
    """A level, at a second."""
    return level(at) if callable(level) else level


class Diary:
    """One process, one card: told line by line, then closed with what the card was read to do."""

    def __init__(self, number: int, name: str, card: dict[str, Any], *, limit_s: int = 43_200, each_s: float = 10.0) -> None:
        self.number, self.card, self.each_s, self.dice = number, card, each_s, Random(40_900 + number)
        self.hand = Hand((f"v{11 + number:02d}",), job_id=7_310_000 + 17 * number, gpus=1, name=name, start_ns=BEGAN_NS + number * 4 * 10**12, limit_s=limit_s, submit_line=f"sbatch --gres=gpu:1 {name}.sh")
        self.node, self.at, self.done, self.rows = self.hand.nodes[0], 22.0, 0, list[tuple[float, str]]()

    def say(self, text: str, after_s: float = 1.0) -> "Diary":
        """Some lines, a while after those before."""
        self.at += after_s
        self.rows.append((self.at, text))
        return self

    def train(self, steps: int, pace: Level, each: int, of: int = 0, wait: float = 0.01) -> "Diary":
        """So many steps, told of every ``each``."""
        n = of or self.done + steps
        for i in range(self.done + 1, self.done + steps + 1):
            p = (pace(i) if callable(pace) else pace) * self.dice.uniform(0.985, 1.015)
            self.at += p
            if i % each == 0:
                x = 0.9 + 2.2 * (1 + i / 55) ** -0.55 + self.dice.uniform(-0.012, 0.012)
                self.rows.append((self.at, HEADS[self.number % len(HEADS)].format(i=i, n=n, x=x, g=0.4 + x / 3, p=p, r=16 / p, lr=3e-4 * (1 - i / (n + 1)), e=i * 4 // (n + 1), f=i * 4 / n, d=min(p * 0.98, max(wait, p - 0.5)), m=int(self.at) // 60 % 60, s=int(self.at) % 60)))
        self.done += steps
        return self

    def close(self, label: Label, code: int = 0, *, held: Level, busy: Level, before: dict[str, Any] | None = None, after: dict[str, Any] | None = None, lost: bool = False, over_s: float = 0.0, kernel: tuple[int, float, str] | None = None, **more: Level) -> HandJob:
        """Its end. ``held`` GiB and ``busy`` percent by the second."""
        end = over_s or self.at + 1.5
        self.hand.rank(0, self.node, self.rows, code=None if over_s else code, signal=15 if over_s else None, end=end, stream="both")
        state = "TIMEOUT" if over_s else "FAILED" if code else "COMPLETED"
        part = ("CANCELLED", 0, 15) if over_s else (state, code, 0)
        self.hand.ended(state, code=code, signal=15 if over_s else 0, end=end + 1, steps=(("batch", *part), ("0", *part)))
        times = [self.each_s * k for k in range(int(end / self.each_s) + 1)]
        work = [value(busy, t) if t > 24 else 0.0 for t in times]
        series: dict[str, Any] = {
            "utilization_percent": [min(100.0, round(w + self.dice.uniform(-2, 2), 1)) if w > 3 else round(w, 1) for w in work],
            "sm_activity_percent": [round(w * 0.56 + self.dice.uniform(-1.5, 1.5), 1) if w > 3 else round(w / 2, 1) for w in work],
            "power_mw": [90_000 + 0.0055 * w * self.card.get("power_limit_mw", 700_000) for w in work],
            "memory_used_bytes": [value(held, t) * GIB if t > 8 else 0 for t in times],
            **{name: [value(level, t) for t in times] for name, level in more.items()},
        }
        if kernel:
            xid, seconds, text = kernel
            self.hand.kernel(self.node, seconds, "xid", f"NVRM: Xid (PCI:0000:1b:00): {xid}, {text}", gpu=0, pci="0000:1b:00", xid=xid)
        self.hand.gpu(self.node, 0, {**self.card, **(before or {})}, None if lost else (after or {}), **series)
        return HandJob(label, self.hand)


def step(at: float, one: float, two: float, back: float = float("inf")) -> Callable[[float], float]:
    """A level that changes, and perhaps back."""
    return lambda t: two if at <= t < back else one


def full() -> Iterator[HandJob]:
    """B1."""
    label = fell("B1", "cuda_oom")
    d = Diary(1, "longdocs", H100).say("loading 3.1 B parameters", 2).say("buckets by length: 1k 4k 16k 64k", 20).train(430, 0.9, 10, 4000)
    d.say(WHERE.format(file="longdocs.py", line=203, call="loss.backward()") + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 18.62 GiB. GPU 0 has a total capacity of 79.19 GiB of which 11.07 GiB is free. Including non-PyTorch memory, this process has 68.11 GiB memory in use. Of the allocated memory 61.90 GiB is allocated by PyTorch, and 4.88 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.", 1.2)
    yield d.close(label, 1, held=lambda t: 43.0 + 8 * (int(t) // 70 % 3), busy=94)
    d = Diary(2, "chat34b", A40).say("Loading checkpoint shards:   0%|          | 0/14 [00:00<?, ?it/s]", 6).say("Loading checkpoint shards:  50%|█████     | 7/14 [00:31<00:31,  4.46s/it]", 31)
    d.say(WHERE.format(file="tune.py", line=41, call="model = AutoModelForCausalLM.from_pretrained(path, torch_dtype=torch.bfloat16).to(0)") + "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 280.00 MiB. GPU 0 has a total capacty of 44.34 GiB of which 87.25 MiB is free. Including non-PyTorch memory, this process has 44.25 GiB memory in use. Of the allocated memory 43.89 GiB is allocated by PyTorch, and 12.40 MiB is reserved by PyTorch but unallocated.", 12)
    yield d.close(label, 1, held=lambda t: min(44.2, 0.75 * max(0.0, t - 14)), busy=2)
    d = Diary(3, "glacier-unet", L4).say("jax.devices(): [CudaDevice(id=0)]", 4).say("tracing train_step for (32, 512, 512, 4)", 3)
    d.say("2026-12-06 02:11:41.208813: W external/xla/xla/tsl/framework/bfc_allocator.cc:512] Allocator (GPU_0_bfc) ran out of memory trying to allocate 16.51GiB with freed_by_count=0.\n" + WHERE.format(file="unet_flax.py", line=131, call="state, metrics = train_step(state, next(it))") + "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 17727251456 bytes.", 41)
    yield d.close(label, 1, held=17.3, busy=1)
    d = Diary(4, "moraine", V100).train(96, 2.1, 4, 2000)
    d.say("Traceback (most recent call last):\n  File \"/proj/alp/moraine.py\", line 88, in <module>\n    model.fit(ds, epochs=4)\ntensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:\n\nDetected at node gradient_tape/model/conv3d_14/Conv3DBackpropFilterV2\nOOM when allocating tensor with shape[64,128,48,48,48] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n\t [[{{node gradient_tape/model/conv3d_14/Conv3DBackpropFilterV2}}]]\nHint: If you want to see a list of allocated tensors when OOM happens, add report_tensor_allocations_upon_oom to RunOptions for current allocation info. [Op:__inference_train_function_9471]", 3)
    yield d.close(label, 1, held=30.4, busy=91)
    d = Diary(5, "esm-head", H100).say("frozen trunk in fp8, head of 21 classes", 3)
    d.say(WHERE.format(file="head.py", line=66, call="out = trunk(tokens)") + "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", 19)
    yield d.close(label, 1, held=lambda t: min(79.0, 4.4 * max(0.0, t - 10)), busy=1)
    d = Diary(6, "rocm-swin", {"name": "AMD Instinct MI210", "memory_total_bytes": 64 * GIB, "driver_version": "6.8.5"}).train(260, 0.8, 20, 3000)
    d.say(WHERE.format(file="swin.py", line=174, call="teacher_out = ema(crops)") + "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 5.25 GiB. GPU 0 has a total capacity of 63.98 GiB of which 3.71 GiB is free. Of the allocated memory 58.60 GiB is allocated by PyTorch, and 848.13 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_HIP_ALLOC_CONF=expandable_segments:True to avoid fragmentation.", 0.9)
    yield d.close(label, 1, held=step(120, 49, 57.5), busy=95)


def broken() -> Iterator[HandJob]:
    """B2."""
    label = fell("B2", "cuda_runtime", fault="node")
    d = Diary(7, "tracker", A40).train(610, 0.7, 10, 5000)
    d.say(WHERE.format(file="tracker.py", line=120, call="scaler.step(optimizer)") + "RuntimeError: CUDA error: uncorrectable ECC error encountered\n" + NOTE, 2)
    yield d.close(label, 1, held=33, busy=96, after={"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "remap_pending": True, "remapped_rows_uncorrectable": 1}, kernel=(48, d.at - 0.6, "pid=31877, name=python, DBE (double bit error) at 0x00000001f0 subpartition 0"))
    d = Diary(8, "weathernet", GH200).train(380, 1.0, 10, 9000)
    d.say(WHERE.format(file="fit.py", line=92, call="x = x.to('cuda', non_blocking=True)") + "torch.AcceleratorError: CUDA error: unknown error\n" + NOTE, 5)
    yield d.close(label, 1, held=71, busy=93, lost=True, kernel=(79, d.at - 4.2, "pid='<unknown>', name=<unknown>, GPU has fallen off the bus."))
    d = Diary(9, "snowgrain", H100).train(700, 0.5, 20, 4000)
    d.say(WHERE.format(file="grain.py", line=77, call="print(loss.item())") + "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered\n" + NOTE, 1)
    yield d.close(label, 1, held=28, busy=90, after={"ecc_volatile_uncorrected": 2, "ecc_aggregate_uncorrected": 2, "remapped_rows_uncorrectable": 1, "remap_pending": True}, kernel=(94, d.at - 0.4, "pid=90441, name=python3, Contained: SM (0x1). RST: No, D-RST: No"))


def held() -> Iterator[HandJob]:
    """B3."""
    label = Label(mode="B3", fault="node")
    zero = {f"violation_{k}_ns": 0 for k in ("thermal", "hw_thermal", "hw_power_brake", "power")}
    for number, (name, card, brake, first, slow, clock) in enumerate((("rockfall", H100, False, 0.8, 2.3, 735), ("stereo", A40, False, 1.4, 3.1, 600), ("bahn-tts", GH200, True, 0.6, 1.9, 645), ("lidar", V100, True, 1.1, 2.6, 495)), 10):
        d = Diary(number, name, card).train(360, first, 20, 900)
        hot = d.at
        d.train(540, slow, 20, 900).say("finished 900 steps")
        gone = int((d.at - hot) * 0.95e9)
        top = int(card.get("sm_clock_max_mhz", 1980)) - 60  # type: ignore[call-overload]
        after = {"violation_hw_power_brake_ns": gone, "violation_power_ns": gone} if brake else {"violation_hw_thermal_ns": gone, "violation_thermal_ns": gone}
        yield d.close(label, held=20, busy=97, before=zero, after=after, sm_clock_mhz=step(hot, top, clock), temperature_c=step(hot, 67, 61 if brake else 92), throttle_reasons=step(hot, 0, 0x88 if brake else 0x60))


def waiting() -> Iterator[HandJob]:
    """D1, C3."""
    d = Diary(14, "herd-video", H100).say("decord: 1 thread, reading /nfs/alp/clips", 2).train(150, lambda i: 6.0 + i % 4, 5, wait=5.0).say("done")
    yield d.close(STARVED, held=26, busy=5, duty_percent=5.0, duty_spread_percent=93.0)
    d = Diary(15, "ocr-forms", L4).train(240, lambda i: 14.0 if i % 4 == 0 else 0.6, 4, wait=13.0).say("best cer 0.081")
    yield d.close(STARVED, held=12, busy=7, duty_percent=7.0, duty_spread_percent=94.0)
    for number, name, card, limit, last, wchan in ((16, "pointcloud", H100, 7200, "syncing the index to /scratch", "futex_wait_queue"), (17, "tts-vocoder", A40, 5400, "", "pipe_read")):
        d = Diary(number, name, card, limit_s=limit, each_s=30.0).train(800, 0.7, 20, 20_000)
        if last:
            d.say(last, 0.6)
        d.hand.process(d.node, 71_200 + number, rank=0, local_rank=0, command=("python", "train.py"), gpu_uuids=(d.hand.uuid(d.node, 0),), state="S", wchan=wchan, started_ns=d.hand.at(2), gpu_attached_ns=d.hand.at(9), seen_last_ns=d.hand.at(limit))
        yield d.close(STANDS, held=31, busy=step(d.at + 1, 92, 0), over_s=limit + 2.0)


def other() -> Iterator[HandJob]:
    """What the program did wrong by itself on a card."""
    d = Diary(18, "mixer", L4).train(120, 0.4, 10, 900)
    d.say(WHERE.format(file="mixer.py", line=58, call="h = h + self.bias_table[idx]") + "RuntimeError: indices should be either on cpu or on the same device as the indexed tensor (cpu)", 0.3)
    yield d.close(fell("A3", "device_mismatch"), 1, held=9, busy=88)
    d = Diary(19, "nerf-hut", A40).train(90, 0.5, 10, 6000)
    d.say(WHERE.format(file="nerf.py", line=140, call="rgb = composite(sigma, color)") + "RuntimeError: CUDA error: an illegal memory access was encountered\n" + NOTE, 0.4)
    yield d.close(fell("A3", "cuda_runtime"), 1, held=14, busy=94, kernel=(31, d.at - 0.3, "pid=55120, name=python, Ch 00000010, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_3 faulted @ 0x7f41_a2000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ"))


def well() -> Iterator[HandJob]:
    """G1."""
    d = Diary(20, "sft-8b", H100).say("per_device_batch_size 32: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.20 GiB. GPU 0 has a total capacity of 79.19 GiB of which 3.02 GiB is free.\nper_device_batch_size 16: ok, 61.3 GiB at the peak", 14).train(620, 0.9, 20).say("saved to out/sft-8b")
    yield d.close(HARD, held=61, busy=97)
    d = Diary(21, "mono-depth", V100).train(300, 1.0, 20, 700)
    warm = d.at
    d.train(400, 1.04, 20, 700).say("abs_rel 0.083, delta1 0.931")
    yield d.close(HARD, held=18, busy=96, before={"ecc_aggregate_uncorrected": 9, "retired_pages_dbe": 2, "retired_pages_sbe": 5, "ecc_volatile_corrected": 31}, after={"ecc_volatile_corrected": 44}, sm_clock_mhz=step(warm, 1500, 1455), temperature_c=step(warm, 74, 79), throttle_reasons=step(warm, 0, 0x4))
    d = Diary(22, "contrastive", GH200, each_s=15.0).train(260, 1.2, 20, 520).say("kNN evaluation on the host, 1.2 M keys", 2)
    rest = d.at
    d.say("recall@1 0.447", 380).train(260, 1.2, 20, 520).say("finished")
    yield d.close(HARD, held=55, busy=step(rest, 95, 0, rest + 378))


def later() -> Iterator[HandJob]:
    """More of B2; D2."""
    label = fell("B2", "cuda_runtime", fault="node")
    d = Diary(23, "bird-calls", L4).train(150, 0.9, 10, 2000)
    d.say(WHERE.format(file="calls.py", line=64, call="optimizer.step()") + "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered\n" + NOTE, 1.1)
    yield d.close(label, 1, held=15, busy=91, after={"ecc_volatile_uncorrected": 4, "ecc_aggregate_uncorrected": 4, "remap_pending": True, "remapped_rows_uncorrectable": 1}, kernel=(95, d.at - 0.7, "pid=8801, name=python, Uncontained: FBHUB. RST: Yes, D-RST: No"))
    d = Diary(24, "sdf-huts", H100).train(520, 0.6, 20, 12_000)
    d.say(WHERE.format(file="sdf.py", line=151, call="torch.cuda.synchronize()") + "RuntimeError: CUDA error: unspecified launch failure\n" + NOTE, 9)
    yield d.close(label, 1, held=46, busy=95, lost=True, kernel=(79, d.at - 8.5, "pid='<unknown>', name=<unknown>, GPU has fallen off the bus."))
    for number, name, card, pace, took, file in ((25, "switch-lm", A40, 0.5, 6.2, "/ceph/alp/switch/step"), (26, "halo-seg", H100, 0.7, 9.0, "/nfs/alp/halo/it")):
        d = Diary(number, name, card)
        for k in range(1, 61):
            d.train(1, pace, 1, 60).say(f"Saved {file}{k:05d}.pt ({took + d.dice.uniform(-0.4, 0.4):.1f} s)", took)
        yield d.say("training finished").close(SAVES, held=22, busy=lambda t: 7.0 if int(t) % 3 else 4.0)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (full, broken, held, waiting, other, well, later):
        yield from part()


RECIPE = Recipe("viaduct_diaries_by_pen", "development", jobs)
