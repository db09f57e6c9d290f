"""By hand: several ranks on cards and links that break, fill up, are held back or only frighten, with what was read of them."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from corpus.label import Label
from corpus.running.hand import GIB, Hand
from corpus.running.job import HandJob, Recipe

Lines = list[tuple[float, str]]
BEGAN_NS = 1_799_300_000_000_000_000
A100 = {"name": "NVIDIA A100-SXM4-80GB", "sm_clock_max_mhz": 1410, "power_limit_mw": 400_000, "driver_version": "535.216.03"}
H200 = {"name": "NVIDIA H200", "memory_total_bytes": 141 * GIB, "driver_version": "570.86.15"}
L40 = {"name": "NVIDIA L40", "memory_total_bytes": 48 * GIB, "sm_clock_max_mhz": 2490, "power_limit_mw": 300_000, "driver_version": "560.35.05"}
NOTE = "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"


class Plot:
    """A job of ``nodes`` × ``per`` ranks, each with a card; the first of them prints a curve."""

    def __init__(self, number: int, name: str, nodes: int, per: int, form: str, steps: int, pace: float, *, each: int = 10, card: dict[str, Any] | None = None, begin: float = 55.0, opening: Lines = ()) -> None:  # type: ignore[assignment]  # fmt: skip  # noqa: PLR0917
        self.dice, self.card, self.begin = Random(6600 + number), card or {}, begin
        self.hand = Hand(tuple(f"ice{21 + number}-{k + 1:02d}" for k in range(nodes)), name=name, job_id=910_222 + 31 * number, gpus=per, start_ns=BEGAN_NS + number * 7 * 10**12, submit_line=f"sbatch -N{nodes} --gres=gpu:{per} {name}.sh")
        self.places = [(n * per + g, self.hand.nodes[n], g) for n in range(nodes) for g in range(per)]
        self.rows: Lines = [*opening]
        at = begin
        for i in range(1, steps + 1):
            at += pace * self.dice.uniform(0.97, 1.03)
            if i % each == 0:
                x = 1.4 + 7.7 * (1 + i / 25) ** -0.8 + self.dice.uniform(-0.015, 0.015)
                self.rows.append((at, form.format(i=i, x=x, n=steps * 20, ms=1000 * pace, g=self.dice.uniform(0.3, 1.2), tok=int(40_000 / pace))))
        self.last = at

    def others(self, skip: tuple[int, ...], at: float, text: Callable[[int], str], *, code: int | None = 1, signal: int | None = None) -> None:
        """What every rank but these says and how it ends."""
        for rank, node, local in self.places:
            if rank not in skip:
                self.rank(rank, node, local, [(at + rank / 20, text(rank))] if text(rank) else [], at + 0.5 + rank / 20, code, signal)

    def rank(self, rank: int, node: str, local: int, rows: Lines, end: float, code: int | None = None, signal: int | None = None) -> None:  # noqa: PLR0917
        """One of them."""
        mine = [*(self.rows if rank == 0 else []), *rows]
        self.hand.rank(rank, node, sorted(mine, key=lambda r: r[0]), code=code, signal=signal, end=end, local=local, stream="both")

    def ended(self, code: int, end: float) -> None:
        """Slurm's row."""
        state = "FAILED" if code else "COMPLETED"
        self.hand.ended(state, code=code, end=end, steps=(("batch", state, code, 0), ("0", state, code, 0)))

    def cards(self, end: float, sm: Callable[[int, float], float], *, gib: Callable[[int, float], float] | float = 60.0, watts: Callable[[int, float], float] | None = None, engine: Callable[[int, float], float] | None = None, before: dict[int, dict[str, Any]] | None = None, after: dict[int, dict[str, Any] | None] | None = None, gone: dict[int, float] | None = None, **curves: Callable[[int, float], float]) -> None:  # fmt: skip
        """What was read: SM activity by rank and second, memory, power; ``gone`` cards are read no more from then on."""
        for rank, node, local in self.places:
            seen = [t for t in (end * k / 63 for k in range(64)) if t < (gone or {}).get(rank, 1e9)]
            held = [(gib(rank, t) if callable(gib) else gib * min(1.0, t / self.begin)) * GIB for t in seen]
            acts = [sm(rank, t) for t in seen]
            power = [(watts(rank, t) * 1000 if watts else 90_000 + 5_600 * a) + self.dice.uniform(-3000, 3000) for a, t in zip(acts, seen, strict=True)]
            used = [engine(rank, t) if engine else (97.0 if a else 0.0) for a, t in zip(acts, seen, strict=True)]
            after_ = (after or {}).get(rank, {})
            self.hand.gpu(node, local, {**self.card, **(before or {}).get(rank, {})}, after_, utilization_percent=used, sm_activity_percent=[a and a + self.dice.uniform(-2, 2) for a in acts], power_mw=power, memory_used_bytes=held, **{k: [c(rank, t) for t in seen] for k, c in curves.items()})


def busy(plot: Plot, till: float, share: float = 47.0) -> Callable[[int, float], float]:
    """All at work until then."""
    return lambda _, t: share if plot.begin < t < till else 0.0


def broken() -> Iterator[HandJob]:
    """B2."""
    def label(rank: int) -> Label:
        return Label(mode="B2", cause="cuda_runtime", fault="node", first_ranks=(rank,))

    lost = "[rank{0}]: Traceback (most recent call last):\n[rank{0}]:   File \"/proj/ito/canopy/train.py\", line 233, in <module>\n[rank{0}]:     fit(model, loader)\n[rank{0}]:   File \"/proj/ito/canopy/train.py\", line 170, in fit\n[rank{0}]:     torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n[rank{0}]: {1}"
    plot = Plot(0, "canopy-height", 2, 4, "step {i:>6} | mae {x:.4f} | {ms:.0f} ms", 640, 0.7, card=A100)
    at = plot.last + 4
    node = plot.places[5][1]
    plot.rank(5, node, 1, [(at, lost.format(5, "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered\n" + NOTE))], at + 1, 1)
    plot.others((5,), at + 6, lambda r: lost.format(r, "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:77, remote process exited or there was a network error, NCCL version 2.27.5\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely."))
    plot.hand.kernel(node, at - 0.9, "xid", "NVRM: Xid (PCI:0000:3b:00): 48, pid=45, name=python, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 6, subpartition 1.", gpu=1, pci="0000:3b:00", xid=48)
    plot.ended(1, at + 9)
    plot.cards(at + 8, busy(plot, at - 1), after={5: {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "remap_pending": True, "remapped_rows_uncorrectable": 1}})
    yield HandJob(label(5), plot.hand)

    plot = Plot(1, "rootscan", 1, 8, "Iter[{i}/{n}] dice_loss={x:.5f} gnorm={g:.2f}", 900, 0.4)
    at, node = plot.last + 7, plot.places[0][1]
    plot.rank(6, node, 6, [(at, "RuntimeError: CUDA error: unspecified launch failure\n" + NOTE)], at + 0.5, 1)
    plot.others((6,), at + 3, lambda r: f"W1204 11:02:{10 + r}.551 torch/distributed/elastic/multiprocessing/api.py:900] Sending process {40_000 + r} closing signal SIGTERM" if r == 0 else "", code=None, signal=15)
    plot.hand.kernel(node, at - 2.2, "xid", "NVRM: Xid (PCI:0000:db:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", gpu=6, pci="0000:db:00", xid=79)
    plot.ended(1, at + 6)
    plot.cards(at + 5, busy(plot, at - 2), after={6: None}, gone={6: at - 2.2})
    yield HandJob(label(6), plot.hand)

    plot = Plot(2, "lm-13b-tp8", 1, 8, " iteration {i:8d}/{n:8d} | elapsed time per iteration (ms): {ms:.1f} | lm loss: {x:.6E} | grad norm: {g:.3f} |", 400, 1.9)
    at, node = plot.last + 3, plot.places[0][1]
    plot.rank(3, node, 3, [(at, "[rank3]: RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution\n" + NOTE)], at + 0.6, 1)
    plot.others((3,), at + 5, lambda r: f"[rank{r}]: torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:3690, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.26.2\n[rank{r}]: ncclUnhandledCudaError: Call to CUDA function failed.\n[rank{r}]: Last error:\n[rank{r}]: Cuda failure 'uncorrectable NVLink error detected during the execution'")
    plot.hand.kernel(node, at - 0.7, "xid", "NVRM: Xid (PCI:0000:7b:00): 74, pid=4123, name=python3, NVLink: fatal error detected on link 9(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)", gpu=3, pci="0000:7b:00", xid=74)
    plot.ended(1, at + 8)
    plot.cards(at + 7, busy(plot, at - 1, 61.0), nvlink_replay_count=lambda r, t: 22.0 if r == 3 and t > at - 2 else 0.0, nvlink_crc_data_error_count=lambda r, t: 140.0 if r == 3 and t > at - 2 else 0.0)
    yield HandJob(label(3), plot.hand)

    plot = Plot(3, "jax-weather", 4, 2, "[{i:06d}] loss={x:.4f} rollout=12h sps={g:.2f}", 500, 1.2, card=H200)
    at, node = plot.last + 11, plot.places[7][1]
    plot.rank(7, node, 1, [(at, "jax.errors.JaxRuntimeError: INTERNAL: CUDA error: Failed call to cuEventSynchronize: CUDA_ERROR_UNKNOWN: unknown error")], at + 0.6, 1)
    plot.others((7,), at + 31, lambda r: f"F1205 18:40:0{r}.118 coordination_service_agent.cc:651] Terminating process because the coordination service detected fatal errors. UNAVAILABLE: The following tasks are unhealthy (stopped sending heartbeats): /job:jax_worker/replica:0/task:7", code=None, signal=6)
    plot.hand.kernel(node, at - 5.5, "xid", "NVRM: Xid (PCI:0000:3b:00): 119, pid=88120, name=python, Timeout after 45s of waiting for RPC response from GPU1 GSP! Expected function 10 (FREE) (0x5c000012 0x0).", gpu=1, pci="0000:3b:00", xid=119)
    plot.ended(1, at + 36)
    plot.cards(at + 35, busy(plot, at - 6), after={7: None}, gone={7: at - 5.0})
    yield HandJob(label(7), plot.hand)

    plot = Plot(4, "sdxl-lora", 1, 4, "Steps: {i}/{n} loss={x:.4f}, lr=0.0001", 500, 0.9, each=5, card=L40)
    at, node = plot.last + 2, plot.places[0][1]
    plot.rank(0, node, 0, [(at, "Traceback (most recent call last):\n  File \"/home/dufour/sdxl/train_lora.py\", line 812, in <module>\n    main(args)\n  File \"/home/dufour/sdxl/train_lora.py\", line 640, in main\n    accelerator.backward(loss)\nRuntimeError: CUDA error: uncorrectable ECC error encountered\n" + NOTE)], at + 0.4, 1)
    plot.others((0,), at + 4, lambda _: "", code=None, signal=15)
    plot.hand.kernel(node, at - 0.3, "xid", "NVRM: Xid (PCI:0000:1b:00): 94, pid=60113, name=python3, Contained: SM (0x1). RST: No, D-RST: No", gpu=0, pci="0000:1b:00", xid=94)
    plot.ended(1, at + 6)
    plot.cards(at + 5, busy(plot, at), after={0: {"ecc_volatile_uncorrected": 3, "ecc_aggregate_uncorrected": 3, "remap_pending": True}}, gib=41.0)
    yield HandJob(label(0), plot.hand)


def full() -> Iterator[HandJob]:
    """B1."""
    def says(rank: int, local: int, ask: str, free: str, used: str) -> str:
        return f"[rank{rank}]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {ask}. GPU {local} has a total capacity of 79.11 GiB of which {free} is free. Including non-PyTorch memory, this process has {used} memory in use. Of the allocated memory 74.66 GiB is allocated by PyTorch, and 2.09 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation."

    label = Label(mode="B1", cause="cuda_oom", fault="user")
    plot = Plot(5, "moss-8b-fsdp", 2, 4, "", 0, 1.0, opening=[(38.0, "FSDP: wrapped 32 blocks, 8 ranks, bf16"), (49.0, "optimizer: AdamW, states in fp32"), (60.0, "epoch 0: warming up")])
    at = 71.0
    for rank, node, local in plot.places:
        plot.rank(rank, node, local, [(at + rank / 30, f"[rank{rank}]: Traceback (most recent call last):\n[rank{rank}]:   File \"/u/anders/moss/run.py\", line 91, in <module>\n[rank{rank}]:     trainer.fit()\n[rank{rank}]:   File \"/u/anders/moss/run.py\", line 64, in fit\n[rank{rank}]:     opt.step()\n" + says(rank, local, "3.06 GiB", "1.71 GiB", "77.39 GiB"))], at + 1 + rank / 30, 1)
    plot.ended(1, at + 4)
    plot.cards(at + 3, busy(plot, at, 40.0), gib=lambda _, t: min(77.4, 1.2 * t) if t > 20 else 0.4)
    yield HandJob(label.but(failed_ranks=tuple(range(8))), plot.hand)

    plot = Plot(6, "varlen-asr", 1, 4, "{{\"upd\": {i}, \"rnnt\": {x:.4f}, \"ms\": {ms:.0f}}}", 300, 0.8)
    at, node = plot.last + 1, plot.places[0][1]
    plot.rank(2, node, 2, [(at, "Traceback (most recent call last):\n  File \"/data/nadia/asr/loop.py\", line 148, in <module>\n    joint = model.joint(enc.unsqueeze(2), pred.unsqueeze(1))\n" + says(2, 2, "11.72 GiB", "4.80 GiB", "74.30 GiB").replace("[rank2]: ", ""))], at + 0.7, 1)
    plot.others((2,), at + 5, lambda _: "", code=None, signal=15)
    plot.ended(1, at + 7)
    plot.cards(at + 6, busy(plot, at), gib=lambda r, t: (74.3 if r == 2 and t > at - 9 else 52.0) if t > 40 else 0.4)
    yield HandJob(label.but(first_ranks=(2,)), plot.hand)

    plot = Plot(7, "flax-vit-g", 2, 2, "I1209 02:11:40 train.py:201] step {i}: loss {x:.4f}", 60, 2.2)
    at = plot.last + 3
    plot.others((), at, lambda r: f"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 9663676416 bytes. [process {r}] while running evaluation (batch 512)")
    plot.ended(1, at + 4)
    plot.cards(at + 3, busy(plot, at), gib=lambda _, t: 71.5 if t > 30 else 0.3)
    yield HandJob(label, plot.hand)

    plot = Plot(8, "ds-zero2", 1, 8, "[Rank 0] step={i}, skipped=0, lr=[1e-05], loss={x:.4f}", 90, 3.0, card=A100)
    at, node = plot.last + 2, plot.places[0][1]
    plot.others((), at, lambda r: f"[rank{r}]:   File \"/opt/conda/lib/python3.11/site-packages/torch/nn/modules/linear.py\", line 125, in forward\n[rank{r}]:     return F.linear(input, self.weight, self.bias)\n[rank{r}]: RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`" if r == 4 else "", code=1)
    plot.ended(1, at + 4)
    plot.cards(at + 3, busy(plot, at), gib=lambda r, t: min(79.9 if r == 4 else 70.0, 40 + 0.13 * t) if t > 30 else 0.3)
    yield HandJob(label.but(), plot.hand)


def held_back() -> Iterator[HandJob]:
    """B3: from some second on a clock is held down, and all wait for that card."""
    label = Label(mode="B3", fault="node")
    houses = (("leaf-seg", 1, 4, "[{i:4d}] focal={x:.4f} it_ms={ms:.0f}", (2,), 630.0, "0x60", None), ("bark-bert", 2, 4, "step {i} mlm {x:.4f} ({ms:.0f} ms/step)", (4, 5, 6, 7), 495.0, "0x88", A100), ("stem-gnn", 1, 2, "epoch {i:>4d} rmse {x:.4f} time {ms:.0f}ms", (0,), 705.0, "0x60", H200))
    for k, (name, nodes, per, form, hot, clock, mask, card) in enumerate(houses):
        brake = mask == "0x88"
        plot = Plot(10 + k, name, nodes, per, form, 260, 0.8, card=card)
        since = plot.last
        slow = Plot(20 + k, name, nodes, per, form, 520, 2.6, card=card)
        tail = [(since + t - slow.begin, text) for (t, text) in slow.rows[26:]]
        shift = since - tail[0][0] + 2.6 * 10
        plot.rows += [(t + shift, text) for t, text in tail]
        end = plot.rows[-1][0] + 4
        plot.rows.append((end - 1, "finished, weights are written"))
        plot.others((), end, lambda _: "", code=0)
        plot.ended(0, end + 3)
        kind = ("hw_power_brake", "power") if brake else ("hw_thermal", "thermal")
        zero = {f"violation_{v}_ns": 0 for v in ("thermal", "hw_thermal", "hw_power_brake", "power")}
        gone = {f"violation_{v}_ns": int((end - since) * 0.95e9) for v in kind}
        top = float((card or {}).get("sm_clock_max_mhz", 1980)) - 45  # type: ignore[arg-type]
        plot.cards(
            end + 2, lambda r, t, p=plot, s=since, h=hot, e=end: (0.0 if not p.begin < t < e else 52.0 if t < s or r in h else 21.0), before={r: zero for r, _, _ in plot.places}, after=dict.fromkeys(hot, gone),  # type: ignore[misc]
            sm_clock_mhz=lambda r, t, s=since, h=hot, c=clock, top=top: c if r in h and t > s else top, temperature_c=lambda r, t, s=since, h=hot, b=brake: 92.0 if r in h and t > s and not b else 63.0,  # type: ignore[misc]
            throttle_reasons=lambda r, t, s=since, h=hot, m=mask: float(int(m, 16)) if r in h and t > s else 0.0,  # type: ignore[misc]
        )  # fmt: skip
        yield HandJob(label, plot.hand)


def links() -> Iterator[HandJob]:
    """Over the fabric: NCCL's watchdog, and a peer that cannot be reached."""
    plot = Plot(13, "pollen-lm", 2, 4, "step {i:>5d} loss {x:.3f} tok/s {tok}", 700, 0.6)
    stop = plot.last + 1
    over = stop + 600
    plot.rank(6, plot.places[6][1], 2, [], over + 22, None, 9)
    plot.others((6,), over, lambda r: f"[rank{r}]:[E1211 05:31:{10 + r}.440 ProcessGroupNCCL.cpp:629] [Rank {r}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=20911, OpType=ALLREDUCE, NumelIn=16777216, NumelOut=16777216, Timeout(ms)=600000) ran for 600{r:03d} milliseconds before timing out.\n[rank{r}]:[E1211 05:31:{11 + r}.020 ProcessGroupNCCL.cpp:681] [Rank {r}] To avoid data inconsistency, we are taking the entire process down.", code=None, signal=6)
    plot.ended(1, over + 25)
    plot.cards(over + 24, lambda r, t: 50.0 if plot.begin < t < stop else 0.0 if r == 6 or t <= plot.begin else 0.5, engine=lambda r, t: 0.0 if t <= plot.begin or (r == 6 and t > stop) else 100.0, watts=lambda r, t: 80.0 if t <= plot.begin or (r == 6 and t > stop) else 520.0 if t < stop else 141.0)
    yield HandJob(Label(mode="C2", cause="nccl", fault="unknown"), plot.hand)

    plot = Plot(14, "fungi-clip", 4, 1, "Train Epoch: 0 [{i}/{n}] Loss: {x:.5f} Logit Scale: 14.3", 380, 0.9)
    at = plot.last + 16
    ib = "ice35-{0}:{1}:{2} [0] transport/net_ib.cc:2198 NCCL WARN NET/IB: Got completion from peer 10.41.8.{3}<38112> with status=12 opcode=0 len=0 vendor err 129 (Recv) localGid fe80::1 remoteGidsfe80::2 hca mlx5_4"
    plot.others((), at, lambda r: ib.format(f"{r + 1:02d}", 5100 + r, 5180 + r, 20 + (r + 1) % 4) + f"\n[rank{r}]: torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2110, remote process exited or there was a network error, NCCL version 2.21.5\n[rank{r}]: ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\n[rank{r}]: Last error:\n[rank{r}]: NET/IB: Got completion from peer with error 12, opcode 0, len 0, vendor err 129")
    plot.ended(1, at + 5)
    plot.cards(at + 4, busy(plot, plot.last + 1))
    yield HandJob(Label(mode="A3", cause="nccl", fault="unknown"), plot.hand)


def only_frightening() -> Iterator[HandJob]:
    """G1."""
    hard = Label(mode="G1", fault="none", hard=True)
    plot = Plot(15, "seedling-det", 1, 8, "eta: 0:04:11  iter: {i}  total_loss: {x:.4f}  time: {ms:.0f}ms", 600, 0.6)
    end = plot.last + 9
    plot.rows += [(plot.begin - 20, "NCCL WARN Cuda failure 'peer access is not supported between these two devices', P2P is disabled between 0 and 5"), (end - 3, "copypaste: AP: 31.22, AP50: 52.80, training took 0:06:20")]
    plot.rows.sort()
    plot.others((), end, lambda _: "", code=0)
    plot.ended(0, end + 2)
    worn = {"ecc_volatile_corrected": 12, "ecc_aggregate_corrected": 340, "remapped_rows_correctable": 4}
    plot.cards(end + 1, busy(plot, end - 4), before={3: worn}, after={3: {"ecc_volatile_corrected": 15, "ecc_aggregate_corrected": 343}})
    yield HandJob(hard, plot.hand)

    plot = Plot(16, "bloom-rlhf", 2, 4, "ppo step {i}: loss {x:.4f} kl {g:.3f}", 300, 1.5, card=A100)
    end = plot.last + 12
    plot.rows += [(plot.begin + 100, "[rank0]:[W1214 ProcessGroupNCCL.cpp:1250] Warning: WARNING: destroy_process_group() was not called for an old group; NCCL communicator aborted on purpose to rebuild it"), (plot.begin + 101, "rollout engine: CUDA out of memory, KV cache shrunk to 0.72 and batch done again"), (end - 2, "ppo finished: 300 steps, final reward 0.713")]
    plot.rows.sort()
    plot.others((), end, lambda _: "", code=0)
    node = plot.places[4][1]
    plot.hand.kernel(node, plot.begin + 60, "xid", "NVRM: Xid (PCI:0000:1b:00): 31, pid=7011, name=nvtop, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS", gpu=0, pci="0000:1b:00", xid=31)
    plot.ended(0, end + 2)
    plot.cards(end + 1, busy(plot, end - 3))
    yield HandJob(hard, plot.hand)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (broken, full, held_back, links, only_frightening):
        yield from part()


RECIPE = Recipe("pressed_leaves_by_pen", "development", jobs)
