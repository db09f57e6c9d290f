"""By hand: companies of cards of which one is full, broken, or held back."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._spools import A30, A100, B200, H100, H200, L40S, MI300, T4, Spool, step
from corpus.running.job import HandJob, Recipe

FULL = Label(mode="B1", cause="cuda_oom", fault="user")
TAIL = "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"


def trace(file: str, line: int, call: str, error: str, rank: int | None = None) -> str:
    """A short traceback, with torch's prefix where a rank is given."""
    rows = ["Traceback (most recent call last):", f'  File "/proj/loden/{file}", line {line}, in <module>', f"    {call}", *error.split("\n")]
    return "\n".join(f"[rank{rank}]: {row}" if rank is not None else row for row in rows)


def felled(ranks: int, *but: int, signal: int = 15) -> dict[int, int]:
    """All but these were ended by the launcher."""
    return {r: signal for r in range(ranks) if r not in but}


def full() -> Iterator[HandJob]:
    """B1."""
    s = Spool(1, "qa-long", 2, 4, H100, form=1).say("collating by length, buckets 512 .. 32768", 9).train(340, 1.1, 10, 6000)
    s.say(trace("qa.py", 177, "loss.backward()", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.77 GiB. GPU 1 has a total capacity of 79.11 GiB of which 4.35 GiB is free. Including non-PyTorch memory, this process has 74.75 GiB memory in use. Of the allocated memory 66.03 GiB is allocated by PyTorch, and 7.12 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.", 5), 1.4, (5,))
    yield s.close(FULL.but(first_ranks=(5,)), codes={5: 1}, signals=felled(8, 5), later={r: 2.2 for r in range(8) if r != 5}, held=lambda r: (lambda t: 52.0 + 4 * (int(t) // 60 % 3) + (16.0 if r == 5 and t > s.at - 25 else 0)), busy=lambda _: 95)
    s = Spool(2, "upsampler", 1, 4, A100, form=0).say("latents 64x64x64, batch 6 on each of 4", 12)
    s.say(trace("up3d.py", 93, "noise = unet(z, t)", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 12.00 GiB. GPU @ has a total capacty of 39.39 GiB of which 7.56 GiB is free. Including non-PyTorch memory, this process has 31.82 GiB memory in use. Of the allocated memory 30.44 GiB is allocated by PyTorch, and 301.70 MiB is reserved by PyTorch but unallocated."), 7, (0, 1, 2, 3))
    yield s.close(FULL.but(failed_ranks=(0, 1, 2, 3)), codes=dict.fromkeys(range(4), 1), held=lambda _: lambda t: min(31.8, 3.0 * max(0.0, t - 12)), busy=lambda _: 4)
    s = Spool(3, "gemma-peft", 2, 4, H200, form=2).say("I 08:00:29 jax/_src/distributed.py:119] process @ of 8 is connected", 2, range(8)).train(70, 2.4, 5, 900)
    s.say(trace("peft_jax.py", 210, "state, metrics = p_step(state, batch)", "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 51539607552 bytes.\nBufferAssignment OOM Debugging.\nBufferAssignment stats:\n             parameter allocation:   61.20GiB\n              constant allocation:         0B\n           preallocated temp allocation:   48.00GiB"), 1.1, (2,))
    yield s.close(FULL.but(first_ranks=(2,)), codes={2: 1}, signals=felled(8, 2, signal=9), later={r: 4.0 for r in range(8) if r != 2}, held=lambda _: 105.8, busy=lambda _: 93)
    s = Spool(4, "mirrored", 1, 2, T4, form=3).say("INFO:tensorflow:Using MirroredStrategy with devices ('/job:localhost/replica:0/task:0/device:GPU:0', '/job:localhost/replica:0/task:0/device:GPU:1')", 4).train(44, 1.7, 4, 800)
    s.say("2026-12-19 10:41:06.330172: W tensorflow/core/common_runtime/bfc_allocator.cc:497] Allocator (GPU_1_bfc) ran out of memory trying to allocate 2.95GiB (rounded to 3171012608)requested by op model/block4/conv2d/Conv2D\nIf the cause is memory fragmentation maybe the environment variable 'TF_GPU_ALLOCATOR=cuda_malloc_async' will improve the situation.\n" + trace("mirrored.py", 71, "model.fit(tiles, epochs=20)", "tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:\n2 root error(s) found.\n  (0) RESOURCE_EXHAUSTED:  OOM when allocating tensor with shape[96,256,90,90] and type float on /job:localhost/replica:0/task:0/device:GPU:1 by allocator GPU_1_bfc"), 2, (1,))
    yield s.close(FULL.but(first_ranks=(1,)), codes={1: 1}, signals=felled(2, 1), later={0: 3.0}, held=lambda r: 14.1 if r else 13.2, busy=lambda _: 90)
    s = Spool(5, "spectra", 1, 1, L40S, form=5).say("cupy 13.3.0 on NVIDIA L40S\n      it/of        misfit    |g|     rate     s/it", 5).train(60, 0.9, 5, 400)
    s.say(trace("spectra.py", 55, "G = cp.einsum('sik,sjk->sij', A, A)", "cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 25,769,803,776 bytes (allocated so far: 22,548,578,304 bytes, limit set to: 47,244,640,256 bytes)."), 1)
    yield s.close(FULL.but(failed_ranks=(0,), first_ranks=(0,)), codes={0: 1}, held=lambda _: 22.6, busy=lambda _: 88)
    s = Spool(6, "fluxnet-jl", 1, 2, A30, form=4).say("Flux.jl 0.14, CUDA.jl 5.4, worker @", 14, (0, 1)).train(120, 0.6, 10, 2000)
    s.say('ERROR: LoadError: Out of GPU memory trying to allocate 3.906 GiB\nEffective GPU memory usage: 96.41% (22.841 GiB/23.691 GiB)\nMemory pool usage: 19.774 GiB (22.281 GiB reserved)\n\nStacktrace:\n  [1] throw_api_error(res::CUDA.cudaError_enum)\n    @ CUDA ~/.julia/packages/CUDA/Tl08O/lib/cudadrv/libcuda.jl:30\n  [2] gradient(f::Function, args::Chain)\n    @ Zygote ~/.julia/packages/Zygote/nsBv0/src/compiler/interface.jl:97\nin expression starting at /proj/loden/fluxnet.jl:64', 1.5, (1,))
    yield s.close(FULL.but(first_ranks=(1,)), codes={1: 1}, signals=felled(2, 1), later={0: 2.5}, held=lambda r: lambda t: 22.8 if r and t > s.at - 20 else 17.5, busy=lambda _: 91)
    s = Spool(7, "ernie-ft", 1, 4, A100, form=0).train(200, 0.8, 20, 3000)
    s.say(trace("ernie.py", 120, "loss.backward()", "SystemError: \n\n--------------------------------------\nC++ Traceback (most recent call last):\n--------------------------------------\n0   egr::Backward(...)\n\n----------------------\nError Message Summary:\n----------------------\nResourceExhaustedError: \n\nOut of memory error on GPU 3. Cannot allocate 2.250000GB memory on GPU 3, 38.640625GB memory has been allocated and available memory is only 771.062500MB.\n\nPlease check whether there is any other process using GPU 3.\n1. If yes, please stop them, or start PaddlePaddle on another GPU.\n2. If no, please decrease the batch size of your model.\n (at ../paddle/fluid/memory/allocation/cuda_allocator.cc:86)"), 1, (3,))
    yield s.close(FULL.but(first_ranks=(3,)), codes={3: 1}, signals=felled(4, 3), later=dict.fromkeys(range(3), 1.9), held=lambda r: step(s.at - 30, 33, 38.6) if r == 3 else 33.0, busy=lambda _: 94)
    s = Spool(8, "zero3-70b", 4, 2, H100, form=1).say("[@] partitioned parameters are loaded, 71.9 GiB", 95, range(8))
    s.say(trace("zero.py", 88, "engine.step()", "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:77, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.26.2\nncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nFailed to CUDA calloc async 4194304 bytes: CUDA failure 2 'out of memory'", 6), 22, (6,))
    yield s.close(FULL.but(first_ranks=(6,)), codes={6: 1}, signals=felled(8, 6), later={r: 3.1 for r in range(8) if r != 6}, held=lambda r: lambda t: min(78.9 if r == 6 else 76.0, 0.75 * max(0.0, t - 20)), busy=lambda _: 6)
    s = Spool(9, "hip-mae", 1, 8, MI300, form=2).train(160, 1.3, 10, 4000)
    s.say(trace("mae.py", 141, "optimizer.step()", "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 14.50 GiB. GPU 4 has a total capacity of 191.98 GiB of which 6.22 GiB is free. Of the allocated memory 181.37 GiB is allocated by PyTorch, and 2.96 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_HIP_ALLOC_CONF=expandable_segments:True to avoid fragmentation.", 4), 1, (4,))
    yield s.close(FULL.but(first_ranks=(4,)), codes={4: 1}, signals=felled(8, 4), later={r: 2.6 for r in range(8) if r != 4}, held=lambda r: lambda t: (184.0 if r == 4 else 168.0) if t > 60 else 90.0, busy=lambda _: 96)
    s = Spool(10, "lbm-train", 2, 1, L40S, form=5).say("lbm-train 0.9: closure network, 2 subdomains", 3, (0, 1)).train(90, 1.0, 10, 500)
    s.say("[@] halo.cu:212  cudaMalloc(&recv, 6442450944) -> out of memory (error 2), 5.1 GiB are free of 47.4\n[@] giving up", 1.2, (1,))
    yield s.close(FULL.but(first_ranks=(1,)), codes={1: 12}, signals=felled(2, 1), later={0: 2.0}, held=lambda r: 42.3 if r else 40.1, busy=lambda _: 89)


def broken() -> Iterator[HandJob]:
    """B2."""

    def node(rank: int, cause: str | None = "cuda_runtime") -> Label:
        return Label(mode="B2", cause=cause, fault="node", first_ranks=(rank,))

    ecc: dict[str, Any] = {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "remapped_rows_uncorrectable": 1, "remap_pending": True}

    def broke(s: Spool, rank: int, text: str, after_s: float, **more: Any) -> HandJob:
        n = len(s.ranks)
        s.say(text, after_s, (rank,))
        label = more.pop("label", node(rank))
        ends = more.pop("ends", {"codes": {rank: 1}})
        return s.close(label, **ends, signals={**felled(n, rank), **more.pop("also", {})}, later={r: 3.4 for r in range(n) if r != rank}, **more)

    s = Spool(11, "rosetta", 2, 4, H200, form=4).train(520, 0.9, 20, 9000)
    gone = s.at + 5
    yield broke(s, 3, trace("rosetta.py", 301, "torch.cuda.current_stream().synchronize()", "torch.AcceleratorError: CUDA error: unspecified launch failure\nSearch for `cudaErrorLaunchFailure' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\n" + TAIL, 3), 6, held=lambda _: 88, busy=lambda r: step(gone, 96, 0) if r == 3 else 96, lost=(3,), kernel=((3, 79, gone, "pid='<unknown>', name=<unknown>, GPU has fallen off the bus."), (3, 154, gone + 0.1, "GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)")))
    s = Spool(12, "vits-de", 1, 4, A100, form=1).train(700, 0.5, 20, 20_000)
    yield broke(s, 2, trace("vits.py", 166, "scaler.scale(loss).backward()", "RuntimeError: CUDA error: uncorrectable ECC error encountered\n" + TAIL, 2), 1, held=lambda _: 31, busy=lambda _: 92, after={2: ecc}, kernel=((2, 63, s.at - 0.3, "pid='<unknown>', name=<unknown>, Row Remapper: New row (0x00000000025c8a11) marked for remapping, reset gpu to activate."), (2, 94, s.at - 0.2, "pid=52002, name=python, Contained: CE User Channel (0x9). RST: No, D-RST: No")))
    s = Spool(13, "dit-maps", 2, 2, B200, form=2).train(310, 1.8, 10, 5000)
    yield broke(s, 1, trace("dit.py", 99, "loss = step(x, c)", "torch.AcceleratorError: CUDA error: uncorrectable NVLink error detected during the execution\n" + TAIL, 1), 2, held=lambda _: 150, busy=lambda _: 97, before={1: {"nvlink_replay_errors": 0, "nvlink_recovery_errors": 0, "nvlink_crc_errors": 0}}, after={1: {"nvlink_replay_errors": 44, "nvlink_recovery_errors": 6, "nvlink_crc_errors": 309}}, kernel=((1, 74, s.at - 0.6, "pid=52001, name=python, NVLink: fatal error detected on link 11(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)"),))
    s = Spool(14, "bird-audio", 1, 8, L40S, form=0).train(240, 1.2, 10, 7000)
    yield broke(s, 6, trace("audio.py", 52, "mel = mel.cuda(non_blocking=True)", "torch.AcceleratorError: CUDA error: unknown error\n" + TAIL, 6), 64, held=lambda _: 37, busy=lambda r: step(s.at - 58, 95, 0) if r == 6 else step(s.at - 58, 95, 100), watts=lambda r: step(s.at - 58, 320, 88 if r == 6 else 118), lost=(6,), kernel=((6, 119, s.at + 6, "pid=52006, name=python, Timeout after 45s of waiting for RPC response from GPU6 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20801702 0x4)."),))
    s = Spool(15, "gauss-splat", 2, 2, H100, form=3).train(450, 0.7, 15, 8000)
    yield broke(s, 2, trace("fit.py", 38, "return float(loss)", "RuntimeError: CUDA error: uncorrectable ECC error encountered\n" + TAIL, 2), 2, held=lambda _: 64, busy=lambda _: 94, after={2: {**ecc, "ecc_volatile_uncorrected": 3, "ecc_aggregate_uncorrected": 3, "recovery_action": "reset"}}, kernel=((2, 95, s.at + 0.4, "pid=52002, name=python, Uncontained: LTC TAG (0x2,0x0). RST: Yes, D-RST: No"),))
    s = Spool(16, "slide-mil", 1, 2, T4, form=5).train(330, 0.8, 10, 6000)
    yield broke(s, 0, trace("mil.py", 80, "bag = bag.to(device)", "RuntimeError: CUDA error: an illegal memory access was encountered\n" + TAIL, 0), 1, held=lambda _: 11, busy=lambda _: 90, before={0: {"ecc_volatile_uncorrected": 0, "retired_pages_dbe": 0}}, after={0: {"ecc_volatile_uncorrected": 2, "ecc_aggregate_uncorrected": 2, "retired_pages_dbe": 1, "retired_pages_pending": True}}, kernel=((0, 48, s.at + 0.3, "pid=52000, name=python3, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 3, subpartition 0."),))
    s = Spool(17, "speech-emb", 2, 4, A30, form=1).train(410, 0.6, 10, 9000)
    s.say("loader: epoch 3 is open", 1)
    yield broke(s, 7, "[gpu264:52007] *** Process received signal ***\n[gpu264:52007] Signal: Bus error (7)\n[gpu264:52007] Signal code: Non-existant physical address (2)", 4, label=node(7, None), ends={}, also={7: 7}, held=lambda _: 18, busy=lambda r: step(s.at - 2, 93, 0) if r == 7 else 93, lost=(7,), kernel=((7, 79, s.at + 2, "pid='<unknown>', name=<unknown>, GPU has fallen off the bus."),))
    s = Spool(18, "pairs-xla", 2, 4, H100, form=2).train(180, 2.1, 5, 3000)
    yield broke(s, 4, trace("pairs.py", 144, "metrics = jax.device_get(metrics)", "jaxlib.xla_extension.XlaRuntimeError: INTERNAL: CUDA error: Failed to synchronize the CUDA stream: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered"), 2, held=lambda _: 71, busy=lambda _: 95, after={4: ecc}, kernel=((4, 48, s.at + 1.6, "pid=52004, name=python, DBE (double bit error) ECC Error at 0x00000000a1"),))
    s = Spool(19, "pretrain-b", 1, 8, H200, form=4).train(600, 1.0, 20, 20_000)
    yield broke(s, 5, trace("pretrain.py", 270, "grad_norm = clip(model)", "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered\n" + TAIL, 5), 1, held=lambda _: 120, busy=lambda _: 97, after={5: {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "recovery_action": "drain_and_reset"}}, kernel=((5, 95, s.at + 0.5, "pid=52005, name=python, Uncontained: SM (0x0). RST: Yes, D-RST: No"),))
    s = Spool(20, "solver-ns", 4, 1, A100, form=0).train(270, 1.5, 10, 4000)
    yield broke(s, 1, "F1220 11:02:41.118 solver.cc:318] Check failed: status == cudaSuccess (46 vs. 0) all CUDA-capable devices are busy or unavailable (rank @)\n*** Check failure stack trace: ***", 3, ends={}, also={1: 6}, held=lambda _: 34, busy=lambda r: step(s.at - 2, 91, 0) if r == 1 else 91, lost=(1,), kernel=((1, 79, s.at + 0.7, "pid=52001, name=solver, GPU has fallen off the bus."),))


def held_back() -> Iterator[HandJob]:
    """B3."""
    label = Label(mode="B3", fault="node")
    zero = dict.fromkeys((f"violation_{k}_ns" for k in ("thermal", "hw_thermal", "hw_power_brake", "power")), 0)

    def hot(number: int, name: str, nodes: int, per: int, card: dict[str, Any], who: tuple[int, ...], clock: int, first: float, slow: float, *, brake: bool = False, form: int = 0, words: str = "", back: bool = False) -> HandJob:  # noqa: PLR0917
        s = Spool(number, name, nodes, per, card, form=form).train(320, first, 20, 1000 if back else 900)
        since = s.at
        if words:
            s.say(words, 2)
        s.train(480, slow, 20, 1000 if back else 900)
        until = s.at if back else 1e9
        s.train(200 if back else 100, first if back else slow, 20, 1000 if back else 900).say("done, weights are in runs/last", 3)
        gone = int((min(until, s.at) - since) * 0.96e9)
        top = card["sm_clock_max_mhz"] - 45
        after = {"violation_hw_power_brake_ns": gone, "violation_power_ns": gone} if brake else {"violation_hw_thermal_ns": gone, "violation_thermal_ns": gone}
        slowed = {"sm_clock_mhz": step(since, top, clock, until), "temperature_c": step(since, 66, 59 if brake else 90, until), "throttle_reasons": step(since, 0, 0x88 if brake else 0x60, until)}
        fine = {"sm_clock_mhz": top, "temperature_c": 64, "throttle_reasons": 0}
        limit = card["power_limit_mw"] / 1000
        return s.close(label, held=lambda _: 0.6 * card["memory_total_bytes"] / 2**30, busy=lambda _: 97, sm=lambda r: 60 if r in who else step(since, 60, 60 * first / slow, until), watts=lambda r: step(since, 0.88 * limit, 0.4 * limit if r in who else 0.5 * limit, until), before={-1: zero}, after=dict.fromkeys(who, after), more={-1: fine, **dict.fromkeys(who, slowed)})

    yield hot(21, "kinetics", 2, 4, H100, (6,), 540, 0.8, 2.2, form=1)
    yield hot(22, "fold-mini", 1, 4, A100, (0, 1, 2, 3), 645, 1.2, 2.7, form=0, words="W data.py:40] loader keeps 3 batches ready")
    yield hot(23, "turbine", 4, 2, H200, (2, 3), 720, 0.7, 1.8, brake=True, form=2)
    yield hot(24, "palette", 1, 2, L40S, (1,), 795, 0.9, 2.4, form=3)
    yield hot(25, "harvester", 1, 8, B200, (0, 1, 2, 3, 4, 5, 6, 7), 690, 1.0, 2.6, brake=True, form=4, words="throughput is lower than in the last hour")
    yield hot(26, "cadastre", 1, 1, T4, (0,), 465, 1.1, 3.0, form=5)
    yield hot(27, "lute", 2, 1, A30, (1,), 510, 0.6, 1.6, form=0, back=True)
    yield hot(28, "manuscript", 2, 8, H100, (9,), 600, 1.3, 2.9, brake=True, form=1)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (full, broken, held_back):
        yield from part()


RECIPE = Recipe("spool_ledgers_by_pen", "development", jobs)
