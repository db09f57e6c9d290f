"""By hand: jobs of four to sixteen ranks with a card each: full, broken, hot, starved, slow by one or by the wire, and well among loud words."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, timezone
from random import Random
from typing import Any

from corpus.label import Label
from corpus.running.hand import GIB, Hand
from corpus.running.handlogs import Lines
from corpus.running.job import HandJob, Recipe

START = 1_796_300_000_000_000_000
COUNT = 64
Ranks = list[tuple[int, str, int]]


def job(number: int, nodes: int, per: int, name: str) -> tuple[Hand, Ranks]:
    """A job, and its ranks as (rank, node, local rank)."""
    names = tuple(f"{('hgx', 'a', 'gpu-c')[number % 3]}{11 + number}{chr(97 + n)}" for n in range(nodes))
    hand = Hand(names, name=name, job_id=5_510_020 + 31 * number, gpus=per, start_ns=START + number * 3 * 10**12, limit_s=129_600, submit_line=f"sbatch --nodes={nodes} --gres=gpu:{per} {name}.slurm")
    return hand, [(n * per + g, names[n], g) for n in range(nodes) for g in range(per)]


def told(hand: Hand, kind: int, spans: Sequence[tuple[int, float]], each: int, first_s: float, dice: Random, *, planned: int = 0, level: float = 7.0, more: str = "") -> Lines:  # noqa: PLR0917
    """Progress of one rank: spans of so many steps with so many seconds each; ``more`` stands behind each line."""
    at, rows, i = first_s, Lines(), 0
    planned = planned or sum(count for count, _ in spans)
    for count, step_s in spans:
        for _ in range(count):
            i += 1
            at += step_s * dice.uniform(0.98, 1.02)
            if i % each:
                continue
            x = 1.7 + level * (1 + i / 30) ** -0.75 + dice.uniform(-0.02, 0.02)
            now = datetime.fromtimestamp(hand.at(at) / 1e9, timezone(timedelta(hours=1)))
            rows.append((at, (
                f"[titan] {now:%Y-%m-%d %H:%M:%S},{dice.randrange(1000):03d} - root - INFO - step: {i:2d}  loss: {x:7.4f}  grad_norm: {dice.uniform(0.5, 1.4):6.4f}  memory: {dice.uniform(61, 62):5.2f}GiB(77.{dice.randrange(99):02d}%)  tps: {16384 / step_s:,.0f}  tflops: {610 / step_s:,.2f}  mfu: {61 / step_s:.2f}%",
                f"completed step: {i}, seconds: {step_s * dice.uniform(0.98, 1.02):.3f}, TFLOP/s/device: {402 / step_s:.3f}, Tokens/s/device: {8192 / step_s:.3f}, total_weights: 65536, loss: {x:.3f}",
                f"{{'loss': {x:.4f}, 'grad_norm': {dice.uniform(0.4, 1.1):.5f}, 'learning_rate': {2e-5 * (1 - i / (planned + 1)):.4e}, 'epoch': {i / planned * 2:.2f}}}",
                f"Epoch 0: {100 * i // planned:3d}%| | {i}/{planned} [{int(at - first_s) // 60:02d}:{int(at - first_s) % 60:02d}, {1 / step_s:.2f}it/s, v_num=0, reduced_train_loss={x:.3f}, global_step={i - 1}.0, train_step_timing in s={step_s:.3f}]",
                f"{now:%m/%d %H:%M:%S} | step {i:>6} of {planned} | loss {x:.4f} | {step_s * 1000:7.1f} ms",
            )[kind % 5] + more))  # fmt: skip
    return rows


def card(hand: Hand, node: str, local: int, end: float, spans: Sequence[tuple[float, dict[str, float]]], before: dict[str, Any] | None = None, after: dict[str, Any] | None = None) -> None:  # noqa: PLR0917
    """Readings of a card, each held until the next span; what a span does not name stays as it was."""
    held: dict[str, float] = {}
    steps: list[tuple[float, dict[str, float]]] = []
    for since, values in spans:
        held = {**held, **values}
        steps.append((since, held))
    series: dict[str, list[float]] = {name: [] for name in held}
    for k in range(COUNT):
        at = end * k / (COUNT - 1)
        now = next((values for since, values in reversed(steps) if since <= at), steps[0][1])
        for name, rows in series.items():
            rows.append(now.get(name, 0.0))
    hand.gpu(node, local, before or {}, after if after is not None else {}, **series)


def idle() -> dict[str, float]:
    """Before the first step."""
    return {"utilization_percent": 0, "sm_activity_percent": 0, "power_mw": 82_000, "memory_used_bytes": 1.0 * GIB, "sm_clock_mhz": 345, "temperature_c": 33, "throttle_reasons": 1}


def busy(sm: float, watts: float = 590, memory: float = 62, **more: float) -> dict[str, float]:
    """In training."""
    return {"utilization_percent": 97, "sm_activity_percent": sm, "power_mw": watts * 1000, "memory_used_bytes": memory * GIB, "sm_clock_mhz": 1755, "temperature_c": 63, "throttle_reasons": 0, **more}


def full(number: int) -> HandJob:
    """B1."""
    dice = Random(9100 + number)
    nodes, per, bad, name = ((1, 8, 6, "sft-14b"), (2, 4, -1, "dpo-32b"), (4, 4, 3, "maxvit"), (1, 4, 2, "esm-lora"))[number]
    hand, ranks = job(number, nodes, per, name)
    rows = [] if number == 1 else told(hand, (0, 0, 1, 4)[number], [((260, 0, 110, 75)[number], (2.4, 0, 1.3, 0.9)[number])], 10, 66, dice, planned=5000)
    end = rows[-1][0] + 3 if rows else 84.0
    texts = (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 5.80 GiB. GPU {l} has a total capacity of 79.11 GiB of which 3.02 GiB is free. Including non-PyTorch memory, this process has 76.08 GiB memory in use. Of the allocated memory 70.94 GiB is allocated by PyTorch, and 3.44 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.27 GiB. GPU {l} has a total capacity of 79.11 GiB of which 602.44 MiB is free. Process {p} has 78.51 GiB memory in use. Of the allocated memory 77.60 GiB is allocated by PyTorch, and 118.31 MiB is reserved by PyTorch but unallocated.",
        "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 21474836480 bytes.",
        "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
    )
    for rank, node, local in ranks:
        mine: Lines = [(21 + rank / 10, f"rank {rank}: loading weights on cuda:{local}"), *(rows if rank == 0 else [])]
        hit = rank == bad or bad < 0
        if hit:
            tag = f"[rank{rank}]: " if number != 2 else ""
            trace = f"Traceback (most recent call last):\n  File \"/gpfs/proj/{name}/main.py\", line {140 + number}, in <module>\n    run(cfg)\n  File \"/gpfs/proj/{name}/main.py\", line {88 + number}, in run\n    " + ("out = step_fn(state, batch)", "policy = build(cfg).to(device)", "state, aux = p_step(state, batch)", "loss.backward()")[number] + "\n" + texts[number].format(l=local, p=70_100 + rank)
            mine.append((end + (rank / 10 if bad < 0 else 0), "\n".join(tag + one for one in trace.splitlines())))
        hand.rank(rank, node, mine, code=1 if hit else None, signal=None if hit else 15, end=end + (0.8 + rank / 10 if hit else 6), local=local, stream="both")
    hand.ended("FAILED", code=1, end=end + 9, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 1, 0)))
    for rank, node, local in ranks:
        top = 78.6 if (rank == bad or bad < 0) else 66
        if bad < 0:
            spans = [(0.0, idle()), *((24.0 + 6 * k, {"memory_used_bytes": min(top, 9.0 * (k + 1)) * GIB}) for k in range(9))]
        else:
            spans = [(0.0, idle()), (60.0, busy(52, memory=48)), *((60 + (end - 60) * k / 8, {"memory_used_bytes": (48 + (top - 48) * k / 8) * GIB}) for k in range(1, 9))]
        card(hand, node, local, end + 9, spans)
    failed = tuple(r for r, _, _ in ranks) if bad < 0 else (bad,)
    return HandJob(Label(mode="B1", cause="cuda_oom", fault="user", failed_ranks=failed, first_ranks=() if bad < 0 else failed), hand)


def broken(number: int) -> HandJob:
    """B2."""
    dice = Random(9200 + number)
    nodes, per, bad, name = ((2, 8, 12, "cpt-8b"), (1, 8, 3, "videodit"), (4, 2, 5, "rerank"), (2, 4, 0, "proteinlm"), (1, 4, 1, "asr-ctc"))[number]
    hand, ranks = job(10 + number, nodes, per, name)
    rows = told(hand, number, [((420, 760, 300, 540, 950)[number], (2.1, 1.0, 3.0, 1.6, 0.8)[number])], 20, 70, dice, planned=30_000)
    end = rows[-1][0] + 5
    xid, words, counters, says = (
        (79, "GPU has fallen off the bus.", None, "torch.AcceleratorError: CUDA error: unknown error"),
        (48, "DBE (double bit error) ECC error: physical address 0x0000001b4d, LBC 3", {"ecc_volatile_uncorrected": 2, "ecc_aggregate_uncorrected": 2}, "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered"),
        (74, "NVLink: fatal error detected on link 6(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)", {"nvlink_replay_errors": 88, "nvlink_recovery_errors": 5, "nvlink_crc_errors": 402}, "torch.AcceleratorError: CUDA error: uncorrectable NVLink error detected during the execution"),
        (95, "Uncontained: LTC TAG (0x7,0x1). RST: Yes, D-RST: No", {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1}, "jax.errors.JaxRuntimeError: INTERNAL: CUDA error: Failed to end stream capture: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered"),
        (119, "Timeout after 6s of waiting for RPC response from GPU1 GSP! Expected function 10 (FREE).", None, "RuntimeError: CUDA error: unspecified launch failure"),
    )[number]
    home = ranks[bad][1]
    for rank, node, local in ranks:
        mine = [(33 + rank / 20, f"rank {rank} ready on {node} (cuda:{local})"), *(rows if rank == 0 else [])]
        if rank == bad:
            mine.append((end, f"[rank{rank}]: Traceback (most recent call last):\n[rank{rank}]:   File \"/gpfs/proj/{name}/main.py\", line 231, in train_epoch\n[rank{rank}]:     torch.cuda.synchronize()\n[rank{rank}]: {says}"))
        elif number in (0, 2) and rank % 3 == 1:
            mine.append((end + 2 + rank / 10, f"[rank{rank}]:[E1127 14:0{number}:{10 + rank}.118 ProcessGroupNCCL.cpp:2055] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog thread terminated with exception: NCCL error: remote process exited or there was a network error, NCCL version 2.27.7\n[rank{rank}]: ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely."))
        hand.rank(rank, node, sorted(mine), code=1 if rank == bad else None, signal=None if rank == bad else 15, end=end + (1 if rank == bad else 8 + rank / 30), local=local, stream="both")
    hand.ended("FAILED", code=1, end=end + 14, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 1, 0)))
    for rank, node, local in ranks:
        card(hand, node, local, end + 14, [(0.0, idle()), (60.0, busy(dice.uniform(48, 58)))], None, counters if rank == bad else None)
    pci = f"0000:{0x1B + 0x20 * ranks[bad][2]:02x}:00"
    hand.kernel(home, end - 1.1, "xid", f"NVRM: Xid (PCI:{pci}): {xid}, pid={61_200 + number}, name=python, {words}", gpu=ranks[bad][2], xid=xid, pci=pci)
    return HandJob(Label(mode="B2", variant="fault", cause="cuda_runtime", fault="node", failed_ranks=(bad,), first_ranks=(bad,)), hand)


def hot(number: int) -> HandJob:
    """B3: a card, or a node's cards, are held down from some time on, and all steps take longer."""
    dice = Random(9300 + number)
    nodes, per, brake, clock, name = ((1, 8, False, 540, "vlm-2b"), (2, 8, True, 615, "rwkv"), (2, 4, False, 780, "tts-flow"), (1, 4, True, 480, "recsys"), (4, 4, False, 660, "weather"), (2, 2, False, 585, "seg-3d"))[number]
    hand, ranks = job(20 + number, nodes, per, name)
    quick, slow = (1.1, 2.0, 0.8, 0.6, 2.6, 1.4)[number], (2.9, 4.6, 1.9, 1.7, 5.8, 3.5)[number]
    rows = told(hand, number, [(240, quick), (360, slow)], 20, 65, dice)
    since, end = 65 + 240 * quick, rows[-1][0] + 12
    place = ({2}, set(range(8, 16)), {4, 5}, set(range(4)), {7}, {1})[number]
    gone = int((end - since) * 0.93 * 10**9)
    for rank, node, local in ranks:
        hand.rank(rank, node, [(30 + rank / 20, f"rank {rank} on {node}"), *(rows if rank == 0 else []), *([(end - 4, "training done, weights written to out/last")] if rank == 0 else [])], code=0, end=end, local=local, stream="both")
    hand.ended("COMPLETED", end=end + 3, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
    zero = {"violation_thermal_ns": 0, "violation_hw_thermal_ns": 0, "violation_hw_power_brake_ns": 0, "violation_power_ns": 0}
    for rank, node, local in ranks:
        if rank in place:
            down = {"sm_clock_mhz": float(clock), "temperature_c": 59.0 if brake else 90.0 + rank % 3, "throttle_reasons": 136.0 if brake else 96.0, "power_mw": 214_000.0 if brake else 305_000.0, "sm_activity_percent": 66.0}
            last = {"violation_hw_power_brake_ns": gone, "violation_power_ns": gone} if brake else {"violation_hw_thermal_ns": gone, "violation_thermal_ns": gone}
            card(hand, node, local, end + 3, [(0.0, idle()), (60.0, busy(54)), (since, down)], zero, last)
        else:
            card(hand, node, local, end + 3, [(0.0, idle()), (60.0, busy(54)), (since, {"sm_activity_percent": 24.0, "power_mw": 330_000.0})], zero, {})
    return HandJob(Label(mode="B3", fault="node"), hand)


def slow(number: int) -> HandJob:
    """D1, D2, D3: to their end, and slowly."""
    dice = Random(9400 + number)
    mode, variant, nodes, per, bad, name = (
        ("D1", None, 1, 8, -1, "audio-mae"), ("D1", None, 2, 4, -1, "satellite"), ("D2", "interconnect", 4, 4, -1, "gpt-13b"), ("D2", "save_storm", 1, 4, -1, "gan-hd"),
        ("D3", None, 2, 8, 9, "cpt-70b"), ("D3", None, 4, 4, 14, "clip-l"), ("D3", None, 1, 8, 5, "rm-7b"), ("D3", None, 8, 2, 6, "ocean"),
    )[number]  # fmt: skip
    hand, ranks = job(30 + number, nodes, per, name)
    if mode == "D1":
        rows = told(hand, 4, [(180, 4.2)], 5, 70, dice, more=f" | data {3.4 - number * 0.2:.1f} s of it")
    elif variant == "save_storm":
        rows = Lines()
        for at, text in told(hand, 4, [(150, 4.0)], 1, 70, dice):
            i = int(text.split("step")[1].split()[0])
            rows += [(at, text), (at + 0.2, f"saving snapshot out/step-{i}.pt ..."), (at + 3.1, f"snapshot out/step-{i}.pt written in 2.9 s (6.1 GB)")]
    else:
        rows = told(hand, number, [(320, (0, 0, 3.8, 0, 5.0, 2.7, 1.9, 2.2)[number])], 20, 80, dice)
    end = rows[-1][0] + 10
    for rank, node, local in ranks:
        wire = [(14.0, f"{node}:{5100 + rank}:{5200 + rank} [{local}] NCCL INFO NET/Socket : Using [0]enp129s0f0:10.21.7.{30 + rank // per}<0>")] if variant == "interconnect" else []
        hand.rank(rank, node, sorted([*wire, (31 + rank / 20, f"rank {rank} on {node}"), *([*rows, (end - 3, "run is complete")] if rank == 0 else [])]), code=0, end=end, local=local, stream="both")
    hand.ended("COMPLETED", end=end + 2, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
    rest: dict[str, float] = {"utilization_percent": 0, "sm_activity_percent": 0, "power_mw": 95_000}
    for rank, node, local in ranks:
        if mode == "D1":
            spans = [(0.0, idle()), *((60 + k * (end - 60) / 63, busy(30, 240) if k % 4 == 0 else rest) for k in range(63))]
        elif variant == "save_storm":
            spans = [(0.0, idle()), (60.0, busy(5, 126, utilization_percent=12))]
        elif variant == "interconnect":
            spans = [(0.0, idle()), (60.0, busy(9, 225, utilization_percent=100))]
        else:
            mine = rank == bad
            spans = [(0.0, idle()), (60.0, busy(58 if mine else 15, 560 if mine else 260, **({"sm_clock_mhz": 1005.0} if mine and number in (5, 7) else {})))]
        card(hand, node, local, end + 2, spans)
    return HandJob(Label(mode=mode, variant=variant, fault="user" if mode == "D1" or variant == "save_storm" else "cluster" if mode == "D2" else "unknown"), hand)


def well(number: int) -> HandJob:
    """G1: what the wire and the watchdog said was over before the next step."""
    dice = Random(9500 + number)
    nodes, per, name = ((2, 8, "omni"), (4, 4, "grpo-7b"), (1, 8, "whisper-ft"))[number]
    hand, ranks = job(40 + number, nodes, per, name)
    rows = told(hand, number, [(500, (1.7, 2.8, 0.9)[number])], 20, 80, dice)
    if number == 1:
        rows = rows[:10] + [(at + 310, text) for at, text in rows[10:]]
    mid = rows[9][0]
    end = rows[-1][0] + 25
    words: dict[int, Lines] = (
        {5: [(mid + 1, f"{ranks[5][1]}:7001:7090 [5] transport/net_ib.cc:248 NCCL WARN NET/IB : mlx5_5:1 Got async event : port error"), (mid + 4, f"{ranks[5][1]}:7001:7090 [5] transport/net_ib.cc:251 NCCL WARN NET/IB : mlx5_5:1 Got async event : port active")]},
        {r: [(mid + 300 + r / 10, f"[rank{r}]:[E1129 21:07:{10 + r}.330 ProcessGroupNCCL.cpp:685] [Rank {r}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=811, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=300000) ran for 300041 milliseconds before timing out."), (mid + 303 + r / 10, f"[inprocess] rank {r}: aborted the communicator, restarting in place (attempt 2 of 5)"), (mid + 308 + r / 10, f"[inprocess] rank {r}: process group is up again, going on behind step 200")] for r in range(16)},
        {r: [(end - 1 + r / 50, f"[rank{r}]:[W1130 03:44:{10 + r}.004 TCPStore.cpp:125] [c10d] recvValue failed on SocketImpl(fd=84, addr=[localhost]:{41_000 + r}, remote=[localhost]:29500): failed to recv, got 0 bytes\nException raised from recvBytes at /pytorch/torch/csrc/distributed/c10d/Utils.hpp:682 (most recent call first):\n[rank{r}]:[W1130 03:44:{10 + r}.005 ProcessGroupNCCL.cpp:1783] [PG ID 0 PG GUID 0 Rank {r}] Failed to check the \"should dump\" flag on TCPStore, (maybe TCPStore server has shut down too early), with error: failed to recv, got 0 bytes")] for r in range(1, 8)},
    )[number]
    for rank, node, local in ranks:
        tail = [*rows, (end - 14, "evaluating the last weights"), (end - 4, "eval/score 0.7141; all done, exported to out/hf")] if rank == 0 else []
        hand.rank(rank, node, sorted([(30 + rank / 20, f"rank {rank} on {node}"), *words.get(rank, []), *tail]), code=0, end=end + 0.5, local=local, stream="both")
    hand.ended("COMPLETED", end=end + 3, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
    for _, node, local in ranks:
        spans = [(0.0, idle()), (60.0, busy(dice.uniform(50, 57)))]
        if number == 1:
            spans += [(mid, {"utilization_percent": 100, "sm_activity_percent": 1, "power_mw": 130_000}), (mid + 310, busy(53))]
        card(hand, node, local, end + 3, spans)
    return HandJob(Label(mode="G1", fault="none", hard=True), hand)


def jobs() -> Iterator[HandJob]:
    """All."""
    for make, count in ((full, 4), (broken, 5), (hot, 6), (slow, 8), (well, 3)):
        yield from map(make, range(count))


RECIPE = Recipe("scores_by_pen", "development", jobs)
