"""By hand: cards that are full, broken, hot, idle or kept waiting, in jobs of one node and of several, in words of libraries that run nowhere here."""

from collections.abc import Callable, Iterator, Sequence
from random import Random

from corpus.label import Label
from corpus.running.hand import GIB, Hand
from corpus.running.job import HandJob, Recipe

Rows = list[tuple[float, str]]
MI250 = {"name": "AMD Instinct MI250X", "memory_total_bytes": 64 * GIB, "driver_version": "6.10.5"}
B200 = {"name": "NVIDIA B200", "memory_total_bytes": 180 * GIB, "driver_version": "570.124.06", "sm_clock_max_mhz": 1965}
L40S = {"name": "NVIDIA L40S", "memory_total_bytes": 46 * GIB, "driver_version": "555.42.02", "sm_clock_max_mhz": 2520, "power_limit_mw": 350_000}
SAY: tuple[str, ...] = (
    "[{i:>6}] tok/s/gpu {r:7.1f}  ce {x:.4f}  z {z:.2e}  skew 0.02",
    "epoch={e} it={i} obj={x:.5f} t={p:.2f}s",
    "┃ {i:>5} ┃ {x:.4f} ┃ {r:.0f} im/s ┃",
    "train: {{iteration: {i}, nll_per_frame: {x:.4f}, wall: {t:.0f}}}",
    "Iter {i:d} (epoch {e}) | L1 {x:.4f} | {p:.3f} s/iter | eta 02:1{z9}",
    "<{t:8.1f}s> batch {i} done, running mean of the loss {x:.5f}",
)


def told(say: int, first_s: float, steps: int, pace: Callable[[int], float] | float, dice: Random, each: int = 10) -> Rows:  # noqa: PLR0917
    """Progress lines of a falling loss."""
    rows, at = [], first_s
    for i in range(1, steps + 1):
        took = pace(i) if callable(pace) else pace
        at += took
        if i % each == 0:
            x = 1.1 + 3.4 * (1 + i / 25) ** -0.6 + dice.uniform(-0.02, 0.02)
            rows.append((at, SAY[say % len(SAY)].format(i=i, x=x, e=1 + i // 300, r=512 / took, p=took, t=at, z=0.001 * x, z9=i % 10)))
    return rows


def ready(rank: int, node: str, at: float) -> Rows:
    """What the other ranks say."""
    return [(at + rank / 6, f"rank {rank} on {node}: model built, waiting for rank 0's weights")]


def level(end: float, *changes: tuple[float, float], dice: Random | None = None, wobble: float = 0.0) -> list[float]:
    """A series each 15 s: each change is (from when on, what)."""
    out = []
    for k in range(int(end / 15) + 1):
        value = next((v for since, v in reversed(changes) if k * 15 >= since), 0.0)
        out.append(max(0.0, value + (dice.uniform(-wobble, wobble) if dice and value else 0.0)))
    return out


FULL: tuple[tuple[str, dict[str, object], str, int | None, int | None, bool], ...] = (
    ("torch-rocm", MI250, "Traceback (most recent call last):\n  File \"/p/proj/seis/train.py\", line 318, in <module>\n    scaler.scale(loss).backward()\ntorch.OutOfMemoryError: HIP out of memory. Tried to allocate 3.12 GiB. GPU 1 has a total capacity of 63.98 GiB of which 1.40 GiB is free. Of the allocated memory 58.77 GiB is allocated by PyTorch, and 3.11 GiB is reserved by PyTorch but unallocated.", 1, None, True),
    ("jax", B200, "Traceback (most recent call last):\n  File \"/p/proj/md/run_sim.py\", line 144, in main\n    state = jitted(state, batch)\njax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 171798691840 bytes.", 1, None, False),
    ("CUDA.jl", {}, "ERROR: LoadError: Out of GPU memory trying to allocate 9.313 GiB\nEffective GPU memory usage: 97.42% (77.160 GiB/79.205 GiB)\nMemory pool usage: 71.008 GiB (74.531 GiB reserved)\n\nStacktrace:\n [1] throw_api_error(res::CUDA.cudaError_enum)\n   @ CUDA /p/proj/.julia/packages/CUDA/lib/cudadrv/libcuda.jl:30\n [2] (::Main.Step)(x::CuArray{Float32, 4})\n   @ Main /p/proj/flow/train.jl:71\nin expression starting at /p/proj/flow/train.jl:112", 1, None, True),
    ("libtorch", {}, "terminate called after throwing an instance of 'c10::OutOfMemoryError'\n  what():  CUDA out of memory. Tried to allocate 960.00 MiB. GPU 0 has a total capacity of 79.10 GiB of which 402.56 MiB is free. Including non-PyTorch memory, this process has 78.70 GiB memory in use.", None, 6, True),
    ("cublas", L40S, "Traceback (most recent call last):\n  File \"/p/proj/rank/fit.py\", line 90, in <module>\n    trainer.run()\nRuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", 1, None, False),
)  # fmt: skip


def full(number: int) -> HandJob:
    """B1."""
    dice = Random(800 + number)
    name, card, words, code, signal, late = FULL[number]
    ranks = (2, 1, 1, 4, 1)[number]
    bad = (1, 0, 0, 0, 0)[number]
    hand = Hand((f"c{50 + number}",), job_id=8_100_020 + number, gpus=ranks, name=f"{name[:4]}-fit", start_ns=1_795_600_000_000_000_000 + number * 10**12)
    (node,) = hand.nodes
    rows = told(number, 40, 170 + 20 * number, 1.3, dice) if late else [(11.0, "building the model: 24 blocks, width 4096"), (26.5, "first batch")]
    end = rows[-1][0] + 6.2
    for rank in range(ranks):
        mine = [*(rows if rank == 0 else ready(rank, node, 20)), *([(end, words)] if rank == bad else [])]
        hand.rank(rank, node, sorted(mine), code=code if rank == bad else None, signal=signal if rank == bad else 15, end=end + (0.4 if rank == bad else 3.1), local=rank, stream="both")
    total = int(str(card.get("memory_total_bytes", 80 * GIB)))
    for rank in range(ranks):
        share = 0.985 if rank == bad else 0.8
        curve = [total * share * min(1.0, 0.3 + k / 9) for k in range(14)] if late else [0.0, total * 0.02, total * share]
        hand.gpu(node, rank, card, {}, memory_used_bytes=curve, utilization_percent=[0, 30, *(dice.randrange(80, 97) for _ in range(12))] if late else [0, 3, 11])
    hand.ended("FAILED", code=code or 134, end=end + 5, steps=(("batch", "FAILED", code or 134, 0), ("0", "FAILED", code or 0, signal or 0)))
    return HandJob(Label(mode="B1", cause="cuda_oom", fault="user", failed_ranks=(bad,), first_ranks=(bad,)), hand)


NCCL_LOST = "[rank{r}]:[E1123 02:17:4{r}.330918122 ProcessGroupNCCL.cpp:552] [Rank {r}] Collective WorkNCCL(SeqNum=911, OpType=ALLREDUCE, NumelIn=6553600, NumelOut=6553600, Timeout(ms)=600000) raised the following async exception: NCCL error: remote process exited or there was a network error"
BROKEN: tuple[tuple[int, str, dict[str, object], str], ...] = (
    (79, "GPU has fallen off the bus.", {}, "torch.AcceleratorError: CUDA error: unspecified launch failure"),
    (48, "DBE (double bit error) ECC error: physical address 0x0000001f, LBC 2", {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1}, "jax.errors.JaxRuntimeError: INTERNAL: CUDA error: : CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered"),
    (95, "Uncontained: SRAM (0x1). RST: Yes, D-RST: No", {"ecc_volatile_uncorrected": 6, "ecc_aggregate_uncorrected": 6}, "cupy_backends.cuda.api.driver.CUDADriverError: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered"),
    (120, "GSP Error: Task 1 raised error code 0x5 for reason 0x0 at 0x1d6e4fa (0 more errors skipped)", {}, "RuntimeError: CUDA error: unknown error"),
    (74, "NVLink: fatal error detected on link 3(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)", {"nvlink_replay_errors": 1022, "nvlink_recovery_errors": 9, "nvlink_crc_errors": 340}, "RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution"),
    (63, "Row Remapper: New row (0x0000000003ac7e10) marked for remapping, reset gpu to activate.", {"ecc_volatile_uncorrected": 3, "ecc_aggregate_uncorrected": 3, "remapped_rows_uncorrectable": 1, "remap_pending": True}, "RuntimeError: CUDA error: an illegal memory access was encountered"),
    (79, "GPU has fallen off the bus.", {}, "jax.errors.JaxRuntimeError: INTERNAL: Failed to execute XLA Runtime executable: CUDA error: Failed to query event: CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure"),
    (94, "Contained: CE User Channel (0x9). RST: No, D-RST: No", {"ecc_volatile_uncorrected": 2, "ecc_aggregate_uncorrected": 7}, "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered"),
    (119, "Timeout after 6s of waiting for RPC response from GPU1 GSP! Expected function 103 (GSP_RM_ALLOC)", {}, "RuntimeError: CUDA error: the launch timed out and was terminated"),
)  # fmt: skip


def broken(number: int) -> HandJob:
    """B2."""
    dice = Random(820 + number)
    xid, words, counters, error = BROKEN[number]
    nodes = tuple(f"p{60 + number}{x}" for x in ("a", "b")[: 1 + (number in (0, 3, 4))])
    hand = Hand(nodes, job_id=8_120_000 + 3 * number, gpus=4, name=("dit", "afold", "cosmo", "vlm", "moe16", "tts", "lidar", "bert-l", "cfd")[number], start_ns=1_795_610_000_000_000_000 + number * 10**12)
    ranks = 4 * len(nodes)
    bad = dice.randrange(ranks)
    rows = told(number + 2, 50, 360, 1.2, dice)
    end = rows[-1][0] + 3
    for rank in range(ranks):
        node = nodes[rank // 4]
        mine = list(rows) if rank == 0 else ready(rank, node, 30)
        if rank == bad:
            mine.append((end, f"Traceback (most recent call last):\n  File \"/p/proj/gen/engine.py\", line {300 + number}, in step\n    grad_norm = float(norm)\n{error}"))
        elif number == 0:
            mine.append((end + 4.5 + rank / 20, NCCL_LOST.format(r=rank)))
        hand.rank(rank, node, sorted(mine), code=1 if rank == bad else None, signal=None if rank == bad else (6 if number == 0 else 15), end=end + (0.8 if rank == bad else 6.5 + rank / 20), local=rank % 4, stream="both")
    zero = {"nvlink_replay_errors": 0, "nvlink_recovery_errors": 0, "nvlink_crc_errors": 0}
    for rank in range(ranks):
        lost = rank == bad and xid == 79
        hand.gpu(nodes[rank // 4], rank % 4, {**zero, **(B200 if number == 3 else {})}, None if lost else counters if rank == bad else {},
                 utilization_percent=[0, 0, *(dice.randrange(88, 99) for _ in range(24))], power_mw=[85_000, 90_000, *(dice.randrange(500_000, 650_000) for _ in range(24))])  # fmt: skip
    pci = f"0000:{0x1B + 0x20 * (bad % 4):02x}:00"
    hand.kernel(nodes[bad // 4], end - 0.7, "xid", f"NVRM: Xid (PCI:{pci}): {xid}, pid={7100 + number}, name=python, {words}", gpu=bad % 4, xid=xid, pci=pci)
    hand.ended("FAILED", code=1, end=end + 11, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 1, 0)))
    return HandJob(Label(mode="B2", variant="fault", cause="cuda_runtime", fault="node", failed_ranks=(bad,), first_ranks=(bad,)), hand)


def hot(number: int) -> HandJob:
    """B3."""
    dice = Random(840 + number)
    ranks, sick, brake = (4, 1, 2, 2, 1, 8)[number], (2, 0, 1, 0, 0, 6)[number], number in (1, 3, 5)
    hand = Hand((f"h{7 + number}",), job_id=8_140_000 + number, gpus=ranks, name=("nerf", "gpt-s", "wav2v", "seg3d", "ocr", "ddpm")[number], start_ns=1_795_620_000_000_000_000 + number * 10**12)
    (node,) = hand.nodes
    slow = (2.3, 2.0, 2.8, 1.8, 3.1, 2.2)[number]
    rows = told(number + 1, 45, 900, lambda i: 1.0 if i <= 300 else slow, dice, each=20)
    since, end = 345.0, rows[-1][0] + 8
    for rank in range(ranks):
        hand.rank(rank, node, [*rows, (end - 2, "run complete")] if rank == 0 else ready(rank, node, 20), code=0, end=end, local=rank, stream="both")
    for card in range(ranks):
        bad, top = card == sick, 1410.0
        gone = int((end - since) * 0.9 * 1e9) if bad else 0
        first = {"name": "NVIDIA A100-SXM4-80GB", "sm_clock_max_mhz": 1410, "power_limit_mw": 400_000, "violation_thermal_ns": 0, "violation_hw_thermal_ns": 0, "violation_hw_power_brake_ns": 0, "violation_power_ns": 0}
        last = {"violation_hw_power_brake_ns": gone, "violation_power_ns": gone} if brake else {"violation_hw_thermal_ns": gone, "violation_thermal_ns": gone}
        hand.gpu(
            node, card, first, last if bad else {}, utilization_percent=level(end, (45, 96), dice=dice, wobble=2), sm_clock_mhz=level(end, (0, 210), (45, top), *([(since, top / slow)] if bad else []), dice=dice, wobble=10),
            temperature_c=level(end, (0, 31), (45, 66), *([(since, 67 if brake else 93)] if bad else []), dice=dice, wobble=1), power_mw=level(end, (0, 60_000), (45, 370_000), *([(since, 190_000)] if bad else []), dice=dice, wobble=8_000),
            throttle_reasons=level(end, *([(since, float(0x88 if brake else 0x60))] if bad else [])),
        )  # fmt: skip
    hand.ended("COMPLETED", end=end + 2, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
    return HandJob(Label(mode="B3", fault="node"), hand)


LAST = (
    "", "", "dataloader: waiting for worker 3", "sampling 64 rollouts with the vllm server at 127.0.0.1:8000", "", "[tuner] trial 14 handed to the scheduler",
    "acquiring /scratch/.lock/imagenet", "saving through fsspec, multipart upload started",
)  # fmt: skip


def idle(number: int) -> HandJob:
    """C3: memory held, nothing done, until a limit or the owner."""
    dice = Random(860 + number)
    limit = (7200, 7200, 3600, 5400, 14_400, 3600, 7200, 10_800)[number]
    hand = Hand((f"i{number + 1}",), job_id=8_160_000 + number, gpus=1, name=("embed", "rlhf", "resnet", "grpo", "nmt", "hpo", "vit", "mae")[number], start_ns=1_795_630_000_000_000_000 + number * 10**12, limit_s=limit)
    end = 3911.0 + 40 * number if number % 2 else float(limit)
    rows = told(number + 4, 60, (300, 300, 500, 180, 900, 120, 60, 340)[number], (1.1, 1.1, 0.7, 2.3, 0.6, 3.0, 1.9, 1.2)[number], dice)
    stop = rows[-1][0] + 4
    hand.rank(0, hand.nodes[0], [*rows, *([(stop - 1, LAST[number])] if LAST[number] else [])], signal=15, end=end, stream="both")
    held = (29, 40, 11, 36, 22, 8, 17, 41)[number] * GIB
    hand.gpu(hand.nodes[0], 0, L40S if number in (1, 5) else {}, {}, utilization_percent=level(end, (60, 93), (stop, 0)), sm_activity_percent=level(end, (60, 54), (stop, 0)), memory_used_bytes=level(end, (30, held)), power_mw=level(end, (0, 60_000), (60, 290_000), (stop, 82_000)))
    steps = (("batch", "CANCELLED", 0, 15), ("0", "CANCELLED", 0, 15))
    if number % 2:
        hand.ended("CANCELLED", signal=15, end=end + 2, steps=steps, cancelled_by_uid=1042)
    else:
        hand.ended("TIMEOUT", signal=15, end=end + 2, steps=steps)
    return HandJob(Label(mode="C3", fault="user"), hand)


def waiting(number: int) -> HandJob:
    """D1, D2, D3: they end well, and were slow."""
    dice = Random(880 + number)
    mode, variant, fault = (("D1", None, "user"), ("D1", None, "user"), ("D2", "interconnect", "cluster"), ("D3", None, "unknown"), ("D1", None, "user"), *(("D1", None, "user"),) * 4)[number]
    nodes = ("q1", "q2") if number in (2, 3) else ("q7",)
    ranks = (1, 2, 8, 8, 1, 1, 4, 2, 1)[number]
    hand = Hand(nodes, job_id=8_180_000 + number, gpus=ranks // len(nodes), name=("slides", "genome", "dlm", "unet", "clips", "echo", "mixup", "ctc", "lob")[number], start_ns=1_795_640_000_000_000_000 + number * 10**12)
    pace = (6.4, 5.2, 3.6, 2.4, 8.1, 4.9, 7.3, 6.0, 10.4)[number]
    rows = told(number, 50, (240, 280, 400, 600, 150, 310, 220, 260, 130)[number], lambda i: pace + 0.2 * (i % 4), dice)
    end = rows[-1][0] + 7
    per = ranks // len(nodes)
    for rank in range(ranks):
        node = nodes[rank // per]
        hand.rank(rank, node, [(8.0, ("OpenSlide reader, 1 thread, no tile cache", "2 workers, gzip -d in the loop", "transport: tcp over eno2", "gradient buckets: 25 MB", "decord, seek by frame", "librosa.load in __getitem__, 1 process", "augmentation on the CPU: 11 transforms", "tar files over NFS, no prefetch", "pandas.read_csv for each window")[number]), *rows, (end - 2, "finished")] if rank == 0 else ready(rank, node, 15), code=0, end=end, local=rank % per, stream="both")
    for rank in range(ranks):
        node = nodes[rank // per]
        if mode == "D1":
            duty = level(end, (50, 5.0 + number % 4), dice=dice, wobble=2.5)
            hand.gpu(node, rank, {}, {}, utilization_percent=[float(round(d)) for d in duty], duty_percent=duty, duty_spread_percent=level(end, (50, 95), dice=dice, wobble=4), sm_activity_percent=[round(d / 2, 1) for d in duty], memory_used_bytes=level(end, (40, 22 * GIB)), power_mw=level(end, (0, 70_000), (50, 112_000), dice=dice, wobble=5_000))
        else:
            slow = rank == 5
            sm = (61 if slow else 17) if mode == "D3" else 9
            hand.gpu(node, rank % per, {}, {}, utilization_percent=level(end, (50, 99)), sm_activity_percent=level(end, (50, sm), dice=dice, wobble=1.5), power_mw=level(end, (0, 80_000), (50, 480_000 if slow and mode == "D3" else 210_000), dice=dice, wobble=6_000), sm_clock_mhz=level(end, (0, 345), (50, 1755)))
    hand.ended("COMPLETED", end=end + 2, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
    return HandJob(Label(mode=mode, variant=variant, fault=fault), hand)


def jobs() -> Iterator[HandJob]:
    """All."""
    parts: Sequence[tuple[Callable[[int], HandJob], int]] = ((full, 5), (broken, 9), (hot, 6), (idle, 8), (waiting, 9))
    for make, count in parts:
        yield from map(make, range(count))


RECIPE = Recipe("cards_in_writing", "development", jobs)
