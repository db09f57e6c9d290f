"""By hand: companies of ranks on real cards, which break, fill up, wait for NCCL, lose a node, lag, or go well; an agent of torchrun on each node, or a task for each rank."""

from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from random import Random

from corpus.label import Label
from corpus.running.hand import GIB, Hand
from corpus.running.job import HandJob, Recipe

Rows = list[tuple[float, str]]
FIRST_NS = 1_795_802_000_000_000_000
H200: dict[str, object] = {"name": "NVIDIA H200", "memory_total_bytes": 141 * GIB, "driver_version": "570.133.20"}
L4: dict[str, object] = {"name": "NVIDIA L4", "memory_total_bytes": 23 * GIB, "driver_version": "550.127.08", "power_limit_mw": 72_000, "sm_clock_max_mhz": 2040}


def stamp(hand: Hand, at: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """The clock on the wall, in Greenwich."""
    return datetime.fromtimestamp(hand.at(at) / 1e9, timezone.utc).strftime(form)


def progress(hand: Hand, form: int, steps: int, *, first: float, pace: float, dice: Random, each: int = 10, planned: int = 20_000, curve: Callable[[int], float] | None = None) -> Rows:
    """What the reporting rank says: five forms."""
    rows: Rows = []
    for i in range(each, steps + 1, each):
        at = first + i * pace
        x = curve(i) if curve else 1.9 + 8.4 * (1 + i / 30) ** -0.5 + dice.uniform(-0.03, 0.03)
        rows.append((at, (
            f" [{stamp(hand, at)}] iteration {i:8d}/{planned:8d} | consumed samples: {i * 256:12d} | elapsed time per iteration (ms): {pace * 1000:.1f} | learning rate: 2.500000E-04 | global batch size:   256 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {0.4 + x / 9:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |",
            f"[titan] {stamp(hand, at)},204 - root - INFO - step: {i:>5}  loss: {x:.4f}  grad_norm: {0.3 + x / 8:.4f}  memory: 61.24GiB(77.38%)  tps: {8192 / pace:,.0f}  tflops: 391.20  mfu: 39.56%",
            f"{stamp(hand, at, '%m/%d %H:%M:%S')} - pretrain - INFO - it {i} | objective {x:.4f} | {pace:.2f} s/it | {256 / pace:.0f} samples/s",
            f"{{\"global_step\": {i}, \"train/loss\": {x:.4f}, \"train/lr\": 0.00025, \"perf/step_s\": {pace:.3f}}}",
            f"Epoch 0:  {100 * i // planned}%|      | {i}/{planned} [{int(at) // 60:02d}:{int(at) % 60:02d}<9:14:02,  {1 / pace:.2f}it/s, v_num=3, train_loss={x:.3f}]",
        )[form % 5]))  # fmt: skip
    return rows


def greet(hand: Hand, ranks: range, at: float) -> Rows:
    """What an agent's ranks say at their start, in one pipe."""
    return [(at + r / 20, f"[default{r - ranks[0]}]:rank {r} of the job on {hand.nodes[r // len(ranks) if len(ranks) else 0]}: NCCL version 2.27.3+cuda12.9") for r in ranks]


def new(number: int, nodes: int, gpus: int = 4, **more: object) -> tuple[Hand, Random]:
    """A job and its dice."""
    names = tuple(f"{('hx', 'gp', 'node', 'ag')[number % 4]}{100 + 3 * number + k}" for k in range(nodes))
    return Hand(names, job_id=9_410_000 + 17 * number, gpus=gpus, name=("moe-8b", "dit-xl", "asr-xl", "vlm", "protein", "rm-7b")[number % 6], start_ns=FIRST_NS + number * 4 * 10**12, **more), Random(60 + number)  # type: ignore[arg-type]


def readings(hand: Hand, node: str, gpu: int, dice: Random, after: dict[str, object] | None = None, before: dict[str, object] | None = None, sm: int = 52, tail: list[int] | None = None) -> None:  # noqa: PLR0917
    """A card at work, then what stands in ``tail``."""
    busy = [0, *(dice.randrange(sm - 4, sm + 5) for _ in range(20))]
    end = tail or []
    hand.gpu(node, gpu, before or {}, after if after is not None else {}, sm_activity_percent=[*busy, *end], utilization_percent=[0, *(dice.randrange(92, 100) for _ in range(20)), *(100 if v <= 3 else 97 for v in end)],
             power_mw=[90_000, *(dice.randrange(530_000, 640_000) for _ in range(20)), *(142_000 if v <= 3 else 560_000 for v in end)])  # fmt: skip


BREAKS: tuple[tuple[int, str, dict[str, object] | None, str], ...] = (
    (79, "GPU has fallen off the bus.", None, "torch.AcceleratorError: CUDA error: unspecified launch failure"),
    (48, "DBE (double bit error) ECC error: physical address 0x00000021, LBC 5", {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1}, "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered"),
    (95, "Uncontained: FBHUB (0x4). RST: Yes, D-RST: No", {"ecc_volatile_uncorrected": 2, "ecc_aggregate_uncorrected": 2}, "RuntimeError: CUDA error: an illegal memory access was encountered"),
    (149, "NETIR_LINK_EVT  Fatal   XC0 i0 Link 07 (0x004505c6 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)", {"nvlink_replay_errors": 211, "nvlink_recovery_errors": 14, "nvlink_crc_errors": 90}, "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:94, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.27.3\nncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure 'uncorrectable NVLink error detected during the execution'"),
    (119, "Timeout after 6s of waiting for RPC response from GPU3 GSP! Expected function 10 (FREE)", {}, "torch.AcceleratorError: CUDA error: the launch timed out and was terminated"),
)  # fmt: skip


def broken(number: int) -> HandJob:
    """B2: a card of a node whose agent speaks for four ranks."""
    xid, words, counters, error = BREAKS[number]
    hand, dice = new(number, 2)
    bad = (5, 2, 7, 0, 3)[number]
    end = 50 + 240 * 1.3
    for n, node in enumerate(hand.nodes):
        ranks = range(4 * n, 4 * n + 4)
        rows = greet(hand, ranks, 14) + (progress(hand, number, 240, first=50, pace=1.3, dice=dice) if n == (1 if number in (0, 2) else 0) else [])
        if bad in ranks:
            rows += [(end + 1.7, "\n".join(f"[rank{bad}]: {line}" for line in f"Traceback (most recent call last):\n  File \"/home/alice/moe/train.py\", line {411 + number}, in <module>\n    main(cfg)\n  File \"/home/alice/moe/train.py\", line 288, in main\n    norm = clip_(params, 1.0).item()\n{error}".split("\n"))),
                     (end + 4, f"E{stamp(hand, end + 4, '%m%d %H:%M:%S')}.611000 3011 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: 1) local_rank: {bad % 4} (pid: {5120 + bad}) of binary: /opt/env/bin/python")]  # fmt: skip
        else:
            rows += [(end + 5.5, f"[rank{ranks[1]}]:[W{stamp(hand, end + 5.5, '%m%d %H:%M:%S')}.120884017 TCPStore.cpp:125] [c10d] recvValue failed on SocketImpl(fd=61, addr=[{node}]:41822, remote=[{hand.nodes[0]}]:29500): Connection reset by peer")]
        hand.rank(n, node, sorted(rows), code=1, end=end + (4.6 if bad in ranks else 7.0), local=0, stream="both")
    zero: dict[str, object] = {"nvlink_replay_errors": 0, "nvlink_recovery_errors": 0, "nvlink_crc_errors": 0}
    for rank in range(8):
        readings(hand, hand.nodes[rank // 4], rank % 4, dice, {} if rank != bad else dict(counters or {}), {**zero, **(H200 if number % 2 else {})})
    pci = f"0000:{0x1B + 0x20 * (bad % 4):02x}:00"
    hand.kernel(hand.nodes[bad // 4], end + 0.2, "xid", f"NVRM: Xid (PCI:{pci}): {xid}, pid={5120 + bad}, name=python, {words}", gpu=bad % 4, xid=xid, pci=pci)
    hand.ended("FAILED", code=1, end=end + 10, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 1, 0)))
    cause = "cuda_runtime"
    return HandJob(Label(mode="B2", variant="fault", cause=cause, fault="node", first_ranks=(bad,)), hand)


FULL = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 11.31 GiB. GPU 1 has a total capacity of 139.81 GiB of which 9.02 GiB is free. Process 1830112 has 130.78 GiB memory in use. Of the allocated memory 121.77 GiB is allocated by PyTorch, and 6.10 GiB is reserved by PyTorch but unallocated.",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 344.00 MiB. GPU 2 has a total capacity of 22.05 GiB of which 115.12 MiB is free. Including non-PyTorch memory, this process has 21.93 GiB memory in use.",
    "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
    "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:94, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.27.3\nncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nFailed to CUDA calloc async 24117248 bytes",
)


def filled(number: int) -> HandJob:
    """B1: of a task's card, at its first step or later."""
    hand, dice = new(10 + number, 1 + number % 2)
    per = 4
    ranks = per * len(hand.nodes)
    bad = (1, 6, 0, 7)[number]
    late = number in (0, 1)
    rows = progress(hand, number + 1, 130, first=44, pace=1.1, dice=dice) if late else [(18.0, "building model parallel groups"), (36.0, "model: 7.24 B parameters, activation checkpointing off")]
    end = rows[-1][0] + 3.3
    total = (141, 23, 80, 80)[number] * GIB
    card = (H200, L4, {}, {})[number]
    for rank in range(ranks):
        mine = list(rows) if rank == 0 else [(16.0 + rank / 9, f"rank {rank} ready")]
        if rank == bad:
            mine.append((end, "\n".join(f"[rank{bad}]: {line}" for line in f"Traceback (most recent call last):\n  File \"/proj/alice/rl/learner.py\", line 190, in <module>\n    run()\n  File \"/proj/alice/rl/learner.py\", line 151, in run\n    (loss / accumulate).backward()\n{FULL[number]}".split("\n"))))
        hand.rank(rank, hand.nodes[rank // per], sorted(mine), code=1 if rank == bad else None, signal=None if rank == bad else 9, end=end + (1 if rank == bad else 4 + rank / 30), local=rank % per, stream="both")
    for rank in range(ranks):
        share = 0.99 if rank == bad else 0.79
        hand.gpu(hand.nodes[rank // per], rank % per, card, {}, memory_used_bytes=[0.0, total * 0.03, *(total * share * min(1.0, (0.5 if late else 0.9) + k / 20) for k in range(12))], utilization_percent=[0, 20, *(dice.randrange(70, 98) for _ in range(12))])
    hand.ended("FAILED", code=1, end=end + 6, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 1, 0)))
    return HandJob(Label(mode="B1", cause="cuda_oom", fault="user", first_ranks=(bad,)), hand)


UNMET = (
    "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:94, internal error - please report this issue to the NCCL developers, NCCL version 2.27.3\nncclInternalError: Internal check failed.\nLast error:\nBootstrap : no socket interface found",
    "torch.distributed.DistBackendError: [{r}] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value store by key '0:1', but store->get('0:1') got error: wait timeout after 1800000ms, keys: /default_pg/0//cuda//0:1:0",
    "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:3394, remote process exited or there was a network error, NCCL version 2.27.3\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\nLast error:\nsocketPollConnect: connect to 172.20.8.{p}<39011> returned Connection timed out, exceeded error retry count after 35 attempts",
)


def unmet(number: int) -> HandJob:
    """C1: nodes whose ranks cannot make a communicator."""
    hand, _ = new(20 + number, 2)
    wait = (22.0, 1815.0, 134.0)[number]
    ranks = (range(8), range(4, 8), range(8))[number]
    for rank in range(8):
        node = hand.nodes[rank // 4]
        rows: Rows = [(8 + rank / 8, f"[{stamp(hand, 8 + rank / 8)}] r{rank}: torch 2.8.0+cu128, device cuda:{rank % 4}"), (11 + rank / 8, f"[{stamp(hand, 11)}] r{rank}: broadcasting initial parameters")]
        if rank in ranks:
            trace = "Traceback (most recent call last):\n  File \"/proj/alice/vlm/pretrain.py\", line 77, in <module>\n    sync_params(model)\n  File \"/proj/alice/vlm/parallel.py\", line 31, in sync_params\n    dist.broadcast(p.data, src=0)\n" + UNMET[number].format(r=rank, p=60 + rank)
            rows.append((wait + rank / 40, "\n".join(f"[rank{rank}]: {line}" for line in trace.split("\n"))))
        hand.rank(rank, node, rows, code=1 if rank in ranks else None, signal=None if rank in ranks else 9, end=wait + (1 if rank in ranks else 9) + rank / 30, local=rank % 4, stream="both")
        hand.gpu(node, rank % 4, {}, {}, utilization_percent=[0] * 9, memory_used_bytes=[0, *[0.55 * GIB] * 8], sm_activity_percent=[0] * 9)
    hand.ended("FAILED", code=1, end=wait + 14, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 1, 0)))
    return HandJob(Label(mode="C1", cause="nccl", fault="unknown"), hand)


def kept_waiting(number: int) -> HandJob:
    """C2: ranks in a collective, until NCCL's watchdog ends them, the time is over, or somebody cancels."""
    hand, dice = new(30 + number, 2, limit_s=3600 if number == 3 else 86_400)
    odd = (3, 6, 4, 1, 7)[number]
    stop, patience = 60 + 300 * 1.2, (600, 1200, 480, 0, 900)[number]
    end = stop + patience if patience else 3600.0
    op, seq = ("ALLREDUCE", "_ALLGATHER_BASE", "COALESCED", "", "_REDUCE_SCATTER_BASE")[number], 7711 * (number + 2)
    died = number == 1
    for rank in range(8):
        node = hand.nodes[rank // 4]
        rows = progress(hand, number, 300, first=60, pace=1.2, dice=dice) if rank == 0 else [(19 + rank / 7, f"rank{rank}: ready")]
        if number == 4 and rank == odd:
            rows.append((stop + 1, f"[{stamp(hand, stop + 1)}] rank7: waiting for object store lease 0x51 (held by another job)"))
        if died and rank == odd:
            rows.append((stop + 0.5, f"[rank{odd}]: Traceback (most recent call last):\n[rank{odd}]:   File \"/proj/alice/dit/train.py\", line 301, in fit\n[rank{odd}]:     latents = self.cache[key]\n[rank{odd}]: KeyError: 'laion-00412/000381'"))
        if patience and rank != odd:
            tag = f"[rank{rank}]:[E{stamp(hand, end + rank / 25, '%m%d %H:%M:%S')}.418220{300 + rank} ProcessGroupNCCL.cpp:"
            rows.append((end + rank / 25, f"{tag}685] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn=16777216, NumelOut=16777216, Timeout(ms)={patience}000) ran for {patience}0{20 + rank} milliseconds before timing out.\n{tag}2252] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq + 1}, last completed work: {seq - 1}\n{tag}732] Stack trace of the failed collective not found, potentially because FlightRecorder is disabled. You can enable it by setting TORCH_NCCL_TRACE_BUFFER_SIZE to a non-zero value.\n{tag}755] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.\n{tag}761] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down."))
        dead = died and rank == odd
        hand.rank(rank, node, rows, code=1 if dead else None, signal=None if dead else 15 if not patience else 9 if rank == odd else 6, end=stop + 2.5 if dead else end + (1 + rank / 20 if rank != odd else 8), local=rank % 4, stream="both")
        share = max(6, int(20 * (end - stop) / stop))
        readings(hand, node, rank % 4, dice, tail=[0 if rank == odd else 1] * share)
    state = "FAILED" if patience else "TIMEOUT"
    hand.ended(state, signal=6 if patience else 0, end=end + 12, steps=(("batch", state, 0, 0), ("0", state, 0, 6 if patience else 15)))
    label = Label(mode="C2", cause=None if not patience else "nccl", fault="unknown")
    return HandJob(label.but(trigger="A3", fault="user", first_ranks=(odd,), cause="traceback") if died else label, hand)


def node_gone(number: int) -> HandJob:
    """F1: a node of several goes in mid-training; its report never comes."""
    hand, dice = new(40 + number, 3)
    gone = hand.nodes[(2, 1)[number]]
    end = 70 + 420 * 1.5
    hand.silent = {gone}
    for n, node in enumerate(hand.nodes):
        rows = progress(hand, (1, 3)[number], 420, first=70, pace=1.5, dice=dice) if n == 0 else [(15.0 + n, f"agent of {node}: 4 workers started")]
        if node != gone:
            rows.append((end + 31, f"srun: error: Node failure on {gone}") if n == 0 else (end + 30, f"[default2]:[rank{4 * n + 2}]:[W{stamp(hand, end + 30, '%m%d %H:%M:%S')}.551201933 TCPStore.cpp:106] [c10d] sendBytes failed on SocketImpl(fd=58): Broken pipe"))
            hand.rank(n, node, rows, signal=9, end=end + 33 + n / 9, local=0, stream="both")
            for gpu in range(4):
                readings(hand, node, gpu, dice)
    hand.event(gone, end + 2, "DOWN*" if number else "DOWN*+NOT_RESPONDING", "Not responding")
    hand.ended("NODE_FAIL", signal=1 if number else 0, end=end + 34, steps=(("batch", "CANCELLED", 0, 15), ("0", "NODE_FAIL", 0, 9)))
    return HandJob(Label(mode="F1", fault="node"), hand)


def slow_by(number: int) -> HandJob:
    """D3, D2: all go on; one lags behind, or all wait for the wire."""
    hand, dice = new(50 + number, 2, submit_line="sbatch --exclusive go.sh")
    lag = (5, None, 2)[number]
    end = 60 + 500 * 2.1
    for rank in range(8):
        rows = [*progress(hand, number + 2, 500, first=60, pace=2.1, dice=dice, planned=500), (end - 1, "done, 500 steps")] if rank == 0 else [(20.0, f"rank {rank} up")]
        hand.rank(rank, hand.nodes[rank // 4], rows, code=0, end=end + 1, local=rank % 4, stream="both")
        sm = 9 if lag is None else 58 if rank == lag else 16
        hand.gpu(hand.nodes[rank // 4], rank % 4, {}, {}, sm_activity_percent=[0, *(dice.randrange(sm - 2, sm + 3) for _ in range(40))], utilization_percent=[0, *(dice.randrange(97, 101) for _ in range(40))], power_mw=[90_000, *((410_000 if rank == lag else 210_000) + dice.randrange(9000) for _ in range(40))])
    hand.ended("COMPLETED", end=end + 3, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
    return HandJob(Label(mode="D2", variant="interconnect", fault="cluster") if lag is None else Label(mode="D3", fault="unknown"), hand)


CALM = (
    "NCCL WARN Call to connect returned Connection refused, retrying\nNCCL INFO Connected all rings",
    "[W1123 04:12:09.117 CUDAGuardImpl.h:119] Warning: CUDA warning: out of memory (function destroyEvent), evaluation falls back to half the batch",
    "Exception ignored in: <function _releaseLock at 0x7f6c1c1b2ca0>\nTraceback (most recent call last):\n  File \"/usr/lib/python3.11/logging/__init__.py\", line 243, in _releaseLock\nKeyboardInterrupt:",
    "WARNING: loss scale overflow in step 12, skipping update; attempted loss scale 65536, reducing to 32768",
    "[rank0]:[W1123 09:33:02.440129118 ProcessGroupNCCL.cpp:1476] Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources. For more info, please see https://pytorch.org/docs/stable/distributed.html#shutdown (function operator())",
)


def calm(number: int) -> HandJob:
    """G1: words that sound otherwise, and a run that ends as planned."""
    hand, dice = new(60 + number, 1 + number % 2)
    ranks = 4 * len(hand.nodes)
    end = 50 + 400 * 0.9 + 6
    for rank in range(ranks):
        rows = progress(hand, number, 400, first=50, pace=0.9, dice=dice, planned=400) if rank == 0 else [(17.0 + rank / 5, f"rank {rank} up")]
        if rank == (0 if number in (3, 4) else ranks - 1):
            rows.append((end - 2 if number == 4 else 70.0 if number == 3 else 210.0, CALM[number]))
        if rank == 0:
            rows.append((end - 3, "saving final weights to out/final\ntraining finished: 400 of 400 steps"))
        hand.rank(rank, hand.nodes[rank // 4], sorted(rows), code=0, end=end + rank / 40, local=rank % 4, stream="both")
        worn: dict[str, object] = {"ecc_aggregate_uncorrected": 3, "remapped_rows_uncorrectable": 1} if number == 2 and rank == 1 else {}
        readings(hand, hand.nodes[rank // 4], rank % 4, dice, before=worn)
    hand.ended("COMPLETED", end=end + 2, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
    return HandJob(Label(mode="G1", fault="none", hard=True), hand)


def hot(number: int) -> HandJob:
    """B3: a card of eight is held back from a third of the run on, and all wait for it."""
    hand, dice = new(70 + number, 2)
    sick = (6, 1)[number]
    slow = (1.9, 2.6)[number]
    rows: Rows = []
    at = 60.0
    for i in range(20, 901, 20):
        at += 20 * (1.0 if i <= 300 else slow)
        x = 1.4 + 6.1 * (1 + i / 40) ** -0.6
        rows.append((at, f"[{stamp(hand, at)}] (train) it={i:05d} ce={x:.4f} sec/it={1.0 if i <= 300 else slow:.2f}"))
    since, end = 360.0, at + 7
    for rank in range(8):
        mine = [*rows, (end - 2, "all 900 iterations done")] if rank == 0 else [(22.0 + rank, f"rank {rank}: ready")]
        hand.rank(rank, hand.nodes[rank // 4], mine, code=0, end=end + rank / 50, local=rank % 4, stream="both")
    for rank in range(8):
        bad, points = rank == sick, int(end / 20)
        held = [k * 20 >= since for k in range(points)]
        gone = int((end - since) * 0.93e9) if bad else 0
        first: dict[str, object] = {"violation_thermal_ns": 0, "violation_hw_thermal_ns": 0, "violation_hw_power_brake_ns": 0, "violation_power_ns": 0}
        last: dict[str, object] = {"violation_hw_thermal_ns": gone, "violation_thermal_ns": gone} if number == 0 else {"violation_hw_power_brake_ns": gone, "violation_power_ns": gone}
        hand.gpu(
            hand.nodes[rank // 4], rank % 4, first, last if bad else {}, utilization_percent=[float(dice.randrange(93, 100)) for _ in held], sm_clock_mhz=[1980 / slow if bad and h else 1965.0 + dice.randrange(15) for h in held],
            temperature_c=[(94.0 if number == 0 else 60.0) if bad and h else 64.0 + dice.randrange(3) for h in held], power_mw=[250_000.0 if bad and h else 590_000.0 + dice.randrange(9000) for h in held],
            throttle_reasons=[float(0x60 if number == 0 else 0x88) if bad and h else 0.0 for h in held],
        )  # fmt: skip
    hand.ended("COMPLETED", end=end + 3, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
    return HandJob(Label(mode="B3", fault="node"), hand)


def in_vain(number: int) -> HandJob:
    """E1: on real cards, over hours, nothing is learned any more."""
    hand, dice = new(80 + number, 2)

    def curve(i: int) -> float:
        if number == 0:
            return 10.4 * (1 + i / 90) ** -0.35 if i < 240 else float("nan")
        return 6.2 + 4.8 * (1 + i / 20) ** -0.9 if i < 180 else 9.7 + dice.uniform(-0.004, 0.004)

    rows = progress(hand, (0, 3)[number], 600, first=60, pace=1.4, dice=dice, planned=600, curve=curve)
    end = rows[-1][0] + 9
    for rank in range(8):
        mine = [*rows, (end - 3, "600 of 600 steps, last checkpoint written")] if rank == 7 else [(20.0, f"rank {rank} up")]
        hand.rank(rank, hand.nodes[rank // 4], mine, code=0, end=end, local=rank % 4, stream="both")
        readings(hand, hand.nodes[rank // 4], rank % 4, dice)
    hand.ended("COMPLETED", end=end + 3, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
    return HandJob(Label(mode="E1", variant="non_finite", cause="nan_loss", fault="user") if number == 0 else Label(mode="E1", fault="user"), hand)


def jobs() -> Iterator[HandJob]:
    """Five broken cards, four full ones, three that do not meet, five that wait, two nodes lost, three slow, five calm, two hot, two in vain."""
    for make, count in ((broken, 5), (filled, 4), (unmet, 3), (kept_waiting, 5), (node_gone, 2), (slow_by, 3), (calm, 5), (hot, 2), (in_vain, 2)):
        for number in range(count):
            yield make(number)


RECIPE = Recipe("pages_by_pen", "development", jobs)
