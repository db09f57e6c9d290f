"""By hand: jobs of eight to thirty-two ranks on two to eight nodes, with NCCL between their cards: waiting, broken, slow, left by a node, and well."""

from collections.abc import Callable, Iterator, Sequence
from random import Random

from corpus.label import Label
from corpus.running.hand import GIB, Hand
from corpus.running.handlogs import Lines
from corpus.running.job import HandJob, Recipe

START = 1_795_900_000_000_000_000
HANG = Label(mode="C2", cause="nccl", fault="unknown")


def job(number: int, nodes: int, per: int, name: str, *, limit_s: int = 172_800) -> tuple[Hand, list[tuple[int, str, int]]]:
    """A job, and its ranks as (rank, node, local rank)."""
    names = tuple(f"rk{20 + number}-{n:02d}" for n in range(nodes))
    hand = Hand(names, name=name, job_id=9_310_400 + 7 * number, gpus=per, start_ns=START + number * 4 * 10**12, limit_s=limit_s, submit_line=f"sbatch -N{nodes} --gpus-per-node={per} run_{name}.sbatch")
    return hand, [(n * per + g, names[n], g) for n in range(nodes) for g in range(per)]


def told(number: int, steps: int, each: int, first_s: float, step_s: float, dice: Random, planned: int = 0) -> Lines:  # noqa: PLR0917
    """Progress of the first rank."""
    at, rows, planned = first_s, Lines(), planned or steps
    for i in range(1, steps + 1):
        at += step_s
        if i % each == 0:
            loss = 2.1 + 8.4 * (1 + i / 25) ** -0.8 + dice.uniform(-0.03, 0.03)
            rows.append((at, (
                f"[step {i:>6}/{planned}] loss {loss:.4f} | gnorm {dice.uniform(0.4, 1.2):.3f} | lr 2.4e-04 | {step_s * 1000:.0f} ms/step | mfu {34.1 / step_s:.1f}%",
                f"{{\"iter\": {i}, \"iters\": {planned}, \"train_loss\": {loss:.5f}, \"step_time_s\": {step_s:.3f}, \"tokens\": {i * 1048576}}}",
                f"Train: {i}/{planned} [{100 * i / planned:5.1f}%]  Loss: {loss:.4g}  Time: {step_s:.3f}s  LR: 3.000e-04",
            )[number % 3]))  # fmt: skip
    return rows


def ready(rank: int, node: str, local: int, dice: Random) -> Lines:
    """What a rank says at its start."""
    return [(14 + rank / 20, f"{node}:{31_000 + rank}:{31_400 + rank} [{local}] NCCL INFO comm 0x{dice.randrange(1 << 36):x} rank {rank} nranks 0 cudaDev {local} nvmlDev {local} - Init COMPLETE".replace("nranks 0 ", ""))]


def duty(hand: Hand, node: str, local: int, end: float, spans: Sequence[tuple[float, float, float, float]], memory: int = 61) -> None:  # noqa: PLR0917
    """Readings of a card: from when on engine, SM activity and power, each held until the next."""
    count = 60
    at = [end * k / (count - 1) for k in range(count)]
    held = [next(s for s in reversed(spans) if s[0] <= t or s is spans[0]) for t in at]
    hand.gpu(node, local, {}, {}, utilization_percent=[s[1] for s in held], sm_activity_percent=[s[2] for s in held], power_mw=[s[3] * 1000 for s in held], memory_used_bytes=[min(1.0, t / 60) * memory * GIB for t in at])


def watchdog(number: int) -> HandJob:
    """C2: NCCL's watchdog ends those who wait for one that does not come."""
    dice = Random(4100 + number)
    nodes, per, bad, cause_of_it = ((2, 8, 11, "stands"), (2, 4, 2, "dies"), (4, 4, 6, "stands"), (8, 2, 9, "limit"))[number]
    hand, ranks = job(number, nodes, per, ("llm7b", "dit-xl", "vlm", "moe")[number], limit_s=7200 if number == 3 else 172_800)
    rows = told(number, (310, 470, 220, 260)[number], 10, 70, (2.2, 1.1, 3.4, 2.7)[number], dice, 5000)
    stop = rows[-1][0] + 4
    wait = 600.0
    seq = 2200 + 97 * number
    over = 7200.0 if cause_of_it == "limit" else stop + wait
    for rank, node, local in ranks:
        mine = [*ready(rank, node, local, dice), *(rows if rank == 0 else [])]
        if rank == bad and cause_of_it == "dies":
            mine.append((stop - 2, f'Traceback (most recent call last):\n  File "/p/home/dit/train.py", line 388, in <module>\n    main(cfg)\n  File "/p/home/dit/data/wds.py", line 61, in decode\n    raw = open(shard, "rb").read()\nFileNotFoundError: [Errno 2] No such file or directory: \'/p/scratch/wds/train-{rank:04d}77.tar\''))
            hand.rank(rank, node, sorted(mine), code=1, end=stop - 1, local=local, stream="both")
        elif rank == bad or cause_of_it == "limit":
            hand.rank(rank, node, sorted(mine), signal=15 if cause_of_it == "limit" else 9, end=over + (0.2 if cause_of_it == "limit" else 21), local=local, stream="both")
        else:
            tag = f"[rank{rank}]:[E1204 {10 + number}:22:{10 + rank:02d}.{dice.randrange(10**8, 10**9)} ProcessGroupNCCL.cpp:"
            work = f"WorkNCCL(SeqNum={seq}, OpType={('ALLREDUCE', 'REDUCE_SCATTER', '_ALLGATHER_BASE', 'ALLREDUCE')[number]}, NumelIn=33554432, NumelOut=33554432, Timeout(ms)=600000) ran for {600_011 + 13 * rank} milliseconds before timing out."
            mine += [
                (over + rank / 20, f"{tag}629] [Rank {rank}] Watchdog caught collective operation timeout: {work}"),
                (over + rank / 20 + 0.1, f"{tag}2168] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq + 2}, last completed work: {seq - 1}"),
                (over + rank / 20 + 3, f"terminate called after throwing an instance of 'c10::DistBackendError'\n  what():  [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog thread terminated with exception: [Rank {rank}] Watchdog caught collective operation timeout: {work}"),
            ]  # fmt: skip
            hand.rank(rank, node, sorted(mine), signal=6, end=over + 4 + rank / 20, local=local, stream="both")
    end = over + 25 if cause_of_it != "limit" else over + 1
    for rank, node, local in ranks:
        cold = rank == bad
        duty(hand, node, local, end, [(0, 0, 0, 80), (60, 98, 52, 610), (stop, 0 if cold else 100, 0 if cold else 0.6, 84 if cold else 141)])
    if cause_of_it == "limit":
        hand.ended("TIMEOUT", signal=15, end=end, steps=(("batch", "CANCELLED", 0, 15), ("0", "CANCELLED", 0, 15)))
        return HandJob(HANG.but(cause=None), hand)
    hand.ended("FAILED", code=1, end=end, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 0, 6)))
    died = HANG.but(trigger="A3", cause="file_not_found", fault="user", first_ranks=(bad,))
    return HandJob(died if cause_of_it == "dies" else HANG, hand)


def unmet(number: int) -> HandJob:
    """C1: a node's ranks look for the first one elsewhere, until the limit; A1: NCCL does not start."""
    hand, ranks = job(10 + number, 4, (4, 2, 8)[number], ("pretrain", "clip", "asr-xl")[number], limit_s=3600)
    for rank, node, local in ranks:
        lost = node == hand.nodes[-1]
        head = [(9 + rank / 30, f"[{node}] rank {rank}/{len(ranks)}: master {'10.7.1.4' if lost and number == 0 else hand.nodes[0]}:29500, waiting for the store")]
        if number == 2:
            head.append((31 + rank / 30, f"{node}:{9000 + rank}:{9100 + rank} [{local}] NCCL INFO Bootstrap: Using ib0:172.18.4.{20 + rank // 8}<0>"))
            error = ("torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:94, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.27.5\n"
                     "ncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure 'CUDA driver version is insufficient for CUDA runtime version'")  # fmt: skip
            head.append((36 + rank / 30, f'[rank{rank}]: Traceback (most recent call last):\n[rank{rank}]:   File "/p/home/asr/run.py", line 97, in <module>\n[rank{rank}]:     dist.barrier()\n' + "\n".join(f"[rank{rank}]: {one}" for one in error.splitlines())))
            hand.rank(rank, node, head, code=1, end=37 + rank / 30, local=local, stream="both")
        else:
            hand.rank(rank, node, head if not (number == 1 and lost) else [], signal=15, end=3600.5, local=local, stream="both")
    end = 3601.0 if number < 2 else 42.0
    for _, node, local in ranks:
        duty(hand, node, local, end, [(0, 0, 0, 78)], memory=0)
    if number == 2:
        hand.ended("FAILED", code=1, end=end, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 1, 0)))
        return HandJob(Label(mode="A1", variant="env", cause="nccl", fault="user", failed_ranks=tuple(r for r, _, _ in ranks)), hand)
    hand.ended("TIMEOUT", signal=15, end=end, steps=(("batch", "CANCELLED", 0, 15), ("0", "CANCELLED", 0, 15)))
    return HandJob(Label(mode="C1", fault="unknown"), hand)


def broken(number: int) -> HandJob:
    """B2 on one of many cards; F1 where the whole node goes."""
    dice = Random(4300 + number)
    nodes, per = ((4, 8), (2, 8), (8, 4))[number]
    hand, ranks = job(20 + number, nodes, per, ("llama-cpt", "sd3", "esm")[number])
    bad = (21, 6, 30)[number]
    rows = told(number, (640, 880, 300)[number], 20, 90, (3.1, 1.4, 2.6)[number], dice, 20_000)
    end = rows[-1][0] + 2
    home = ranks[bad][1]
    gone = number == 2
    for rank, node, local in ranks:
        mine = [*ready(rank, node, local, dice), *(rows if rank == 0 else [])]
        if gone and node == home:
            hand.rank(rank, node, mine, local=local, stream="both")
            continue
        if rank == bad:
            word = ("uncorrectable ECC error encountered", "unspecified launch failure")[number]
            mine.append((end, f"[rank{rank}]: Traceback (most recent call last):\n[rank{rank}]:   File \"/p/home/lm/loop.py\", line 214, in train\n[rank{rank}]:     loss_value = loss.item()\n[rank{rank}]: torch.AcceleratorError: CUDA error: {word}"))
        hand.rank(rank, node, sorted(mine), code=1 if rank == bad else None, signal=None if rank == bad else 9 if gone else 15, end=end + (0.6 if rank == bad else 92 if gone else 5 + rank / 40), local=local, stream="both")
    last = end + (95 if gone else 12)
    hand.ended("NODE_FAIL" if gone else "FAILED", code=0 if gone else 1, end=last, steps=(("batch", "CANCELLED" if gone else "FAILED", 0 if gone else 1, 15 if gone else 0), ("0", "NODE_FAIL" if gone else "FAILED", 0 if gone else 1, 0)))
    if gone:
        hand.event(home, end + 88, "DOWN*", "Not responding")
        hand.silent.add(home)
        for _, node, local in ranks:
            duty(hand, node, local, last, [(0, 0, 0, 80), (80, 97, 50, 560), (end, 100, 1, 140)])
        down = tuple(r for r, n, _ in ranks if n == home)
        return HandJob(Label(mode="F1", fault="node", first_ranks=down), hand)
    counters = {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 3} if number == 0 else None
    for rank, node, local in ranks:
        hand.gpu(node, local, {"ecc_aggregate_uncorrected": 2} if rank == bad and number == 0 else {}, counters if rank == bad else {}, utilization_percent=[0, *(dice.randrange(90, 100) for _ in range(24))], power_mw=[80_000, *(dice.randrange(540_000, 660_000) for _ in range(24))])
    xid, words = ((48, "DBE (double bit error) ECC error: physical address 0x00000c1d, LBC 5"), (79, "GPU has fallen off the bus."))[number]
    pci = f"0000:{0x1B + 0x20 * ranks[bad][2]:02x}:00"
    hand.kernel(home, end - 0.9, "xid", f"NVRM: Xid (PCI:{pci}): {xid}, pid={8800 + number}, name=python3, {words}", gpu=ranks[bad][2], xid=xid, pci=pci)
    return HandJob(Label(mode="B2", variant="fault", cause="cuda_runtime", fault="node", failed_ranks=(bad,), first_ranks=(bad,)), hand)


def slow(number: int) -> HandJob:
    """D3 and D2: to their end, and slowly."""
    dice = Random(4400 + number)
    nodes, per, mode, bad = ((2, 8, "D3", 13), (4, 8, "D2", -1), (8, 2, "D3", 3))[number]
    hand, ranks = job(30 + number, nodes, per, ("t5-xl", "llm13b", "whisper")[number])
    rows = told(number, 400, 20, 80, (2.9, 5.5, 2.2)[number], dice)
    end = rows[-1][0] + 9
    for rank, node, local in ranks:
        wire = [(12.0, f"{node}:{700 + rank}:{800 + rank} [{local}] NCCL INFO NET/Socket : Using [0]eno8303:10.9.3.{rank // per}<0>")] if mode == "D2" else []
        hand.rank(rank, node, sorted([*wire, *ready(rank, node, local, dice), *([*rows, (end - 3, "training finished, 400 steps")] if rank == 0 else [])]), code=0, end=end, local=local, stream="both")
        sm = 9 if mode == "D2" else 59 if rank == bad else 16
        duty(hand, node, local, end + 1, [(0, 0, 0, 80), (75, 99 if mode == "D3" else 100, sm, 590 if sm > 50 else 230)])
    hand.ended("COMPLETED", end=end + 2, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
    return HandJob(Label(mode=mode, variant="interconnect" if mode == "D2" else None, fault="cluster" if mode == "D2" else "unknown"), hand)


NOISE = (
    "rk50-01:412:977 [1] transport/net_ib.cc:1411 NCCL WARN NET/IB : Got completion from peer 10.9.4.2<51322> with status=12 opcode=0 len=0 vendor err 129 (Recv) hca mlx5_2, retried on mlx5_3",
    "[rank5]:[W1204 11:02:44.117902331 ProcessGroupNCCL.cpp:4718] [PG ID 0 PG GUID 0 Rank 5]  using GPU 5 as device used by this process is currently unknown. This can potentially cause a hang if this rank to GPU mapping is incorrect.",
    "[rank0]:[W1204 13:40:02.551293114 ProcessGroupNCCL.cpp:1524] Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources.",
    "[rank3]:[W1204 12:17:31.004 ProcessGroupNCCL.cpp:1345] [PG 0 Rank 3] First PG on this rank that detected no heartbeat of its watchdog for 480 s; heartbeat is back",
)


def well(number: int) -> HandJob:
    """G1."""
    dice = Random(4500 + number)
    nodes, per = ((2, 8), (1, 8), (4, 4), (2, 4))[number]
    hand, ranks = job(40 + number, nodes, per, ("gemma-ft", "dino", "olmo", "tts")[number])
    rows = told(number, 500, 25, 85, (1.9, 0.8, 2.8, 1.2)[number], dice)
    end = rows[-1][0] + (30 if number != 3 else 560)
    for rank, node, local in ranks:
        noise = [(end - 1 if number == 2 else 20.0 if number == 1 else rows[9][0] + 1, NOISE[number])] if rank == (1, 5, 0, 3)[number] else []
        tail = [*rows, (rows[-1][0] + 2, "evaluating on 18 tasks"), (end - 2, "final eval: 0.6132; training done, weights in out/final")] if rank == 0 else []
        hand.rank(rank, node, sorted([*ready(rank, node, local, dice), *noise, *tail]), code=0, end=end, local=local, stream="both")
        rest = [(rows[-1][0] + 3, 4.0, 1.0, 130.0)] if number == 3 and rank else []
        duty(hand, node, local, end + 1, [(0, 0, 0, 80), (80, 97, 55, 600), *rest])
    hand.ended("COMPLETED", end=end + 2, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
    return HandJob(Label(mode="G1", fault="none", hard=True), hand)


def jobs() -> Iterator[HandJob]:
    """All."""
    parts: Sequence[tuple[Callable[[int], HandJob], int]] = ((watchdog, 4), (unmet, 3), (broken, 3), (slow, 3), (well, 4))
    for make, count in parts:
        yield from map(make, range(count))


RECIPE = Recipe("pages_of_racks", "development", jobs)
