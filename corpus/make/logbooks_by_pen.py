"""By hand: jobs of eight to twenty-four ranks with NCCL between their cards: kept waiting, refused, broken, and well."""

from collections.abc import Iterator
from random import Random

from corpus.make._quay import HARD, label
from corpus.running.hand import GIB, Hand
from corpus.running.handlogs import Lines
from corpus.running.job import HandJob, Recipe
from gpualert_slurm.rank import CgroupMemory

START = 1_796_100_000_000_000_000
Place = tuple[int, str, int]


def crew(number: int, nodes: int, per: int, name: str, limit_s: int = 86_400) -> tuple[Hand, list[Place]]:
    """A job and its ranks."""
    names = tuple(f"hx{3 + number}{n:02d}" for n in range(nodes))
    hand = Hand(names, name=name, job_id=7_204_100 + 31 * number, gpus=per, start_ns=START + number * 7 * 10**12, limit_s=limit_s, submit_line=f"sbatch --nodes={nodes} --gres=gpu:{per} {name}.sh")
    return hand, [(n * per + g, names[n], g) for n in range(nodes) for g in range(per)]


def curve(steps: int, each: int, first_s: float, step_s: float, dice: Random, kind: int) -> Lines:  # noqa: PLR0917
    """What the first rank tells."""
    rows: Lines = []
    for i in range(each, steps + 1, each):
        loss = 1.7 + 9.1 * (1 + i / 30) ** -0.9 + dice.uniform(-0.02, 0.02)
        text = (
            f"|{i:>7d}| loss {loss:.3f} | {8192 * 16 / step_s:>9.0f} tok/s | gn {dice.uniform(0.3, 0.9):.2f} |",
            f"Ep:[{i // 200}][{i % 200}/200] total_loss={loss:.4f} lr=1.6e-04 it_time={step_s:.2f}",
            f"[I {i:05d}] train: objective={loss:.5f}, wall={first_s + i * step_s:.0f}s",
        )[kind]
        rows.append((first_s + i * step_s, text))
    return rows


def dials(hand: Hand, place: Place, end: float, spans: list[tuple[float, float, float, float]]) -> None:
    """From when on engine, SM activity and watts."""
    _, node, local = place
    at = [end * k / 49 for k in range(50)]
    held = [next((s for s in reversed(spans) if s[0] <= t), spans[0]) for t in at]
    hand.gpu(node, local, {}, {}, utilization_percent=[s[1] for s in held], sm_activity_percent=[s[2] for s in held], power_mw=[s[3] * 1000 for s in held], memory_used_bytes=[min(1.0, t / 50) * 63 * GIB for t in at])


def waiting(number: int) -> HandJob:
    """C2: the kernel took one of them, or one's storage hangs, and NCCL's watchdog ends the others."""
    dice = Random(9100 + number)
    nodes, per, bad = ((3, 8, 19), (2, 4, 5))[number]
    hand, places = crew(number, nodes, per, ("mixtral-sft", "wan-video")[number])
    rows = curve((180, 420)[number], 10, 66, (2.6, 1.3)[number], dice, number)
    stop, seq = rows[-1][0] + 3, 4711 + number
    over = stop + 480
    killed = number == 0
    end = over + 20
    for rank, node, local in places:
        mine = list(rows) if rank == 0 else []
        if rank == bad and killed:
            hand.rank(rank, node, mine, signal=9, end=stop - 1, local=local, stream="both", memory=CgroupMemory(limit_bytes=480 * GIB, peak_bytes=480 * GIB - 8192, oom_kill_events=1))
        elif rank == bad:
            mine.append((stop - 2, f"[rank{rank}] opening /gpfs/wan/clips/shard-{8100 + rank}.tar"))
            hand.rank(rank, node, mine, signal=9, end=over + 16, local=local, stream="both")
        else:
            head = f"[rank{rank}]:[E1206 0{7 + number}:41:{12 + rank:02d}.{dice.randrange(10**8, 10**9)} ProcessGroupNCCL.cpp:"
            work = f"WorkNCCL(SeqNum={seq}, OpType={('_REDUCE_SCATTER_BASE', 'ALLREDUCE')[number]}, NumelIn=25690112, NumelOut={(1070421, 25690112)[number]}, Timeout(ms)=480000) ran for {480_020 + 11 * rank} milliseconds before timing out."
            mine += [
                (over + rank / 25, f"{head}683] [Rank {rank}] Watchdog caught collective operation timeout: {work}"),
                (over + rank / 25 + 0.2, f"{head}744] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data."),
                (over + rank / 25 + 0.3, f"{head}758] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down."),
            ]  # fmt: skip
            hand.rank(rank, node, sorted(mine), signal=6, end=over + 2 + rank / 25, local=local, stream="both")
    for place in places:
        cold = place[0] == bad
        dials(hand, place, end, [(0, 0, 0, 76), (50, 97, 49, 590), (stop, 0 if cold else 100, 0 if cold else 0.4, 78 if cold else 137)])
    home = places[bad][1]
    if killed:
        task = f"/slurm/uid_1042/job_{hand.job_id}/step_0/task_{bad % per}"
        hand.kernel(home, stop - 1.1, "kernel_oom", f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0-1,oom_memcg=/slurm/uid_1042/job_{hand.job_id},task_memcg={task},task=python3,pid={40_000 + bad},uid=1042", scope="cgroup", constraint="CONSTRAINT_MEMCG", task_memcg=task, process="python3", pid=40_000 + bad, uid=1042, job_id=hand.job_id)
    hand.ended("FAILED", code=1, end=end, steps=(("batch", "FAILED", 1, 0), ("0", "OUT_OF_MEMORY" if killed else "FAILED", 0, 9 if killed else 6)))
    if killed:
        return HandJob(label("C2", "oom_killer", (bad,), trigger="A2"), hand)
    return HandJob(label("C2", "nccl", fault="unknown"), hand)


def refused() -> HandJob:
    """A1: two ranks took one card."""
    dice = Random(9200)
    hand, places = crew(4, 2, 4, "blip-ft")
    for rank, node, local in places:
        error = (
            f"[rank{rank}]: Traceback (most recent call last):\n[rank{rank}]:   File \"/proj/blip/train_dist.py\", line 58, in <module>\n[rank{rank}]:     main()\n[rank{rank}]:   File \"/proj/blip/train_dist.py\", line 31, in main\n"
            f"[rank{rank}]:     model = DDP(net, device_ids=[device])\n[rank{rank}]: torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.hpp:268, invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.21.5\n"
            f"[rank{rank}]: ncclInvalidUsage: This usually reflects invalid usage of NCCL library.\n[rank{rank}]: Last error:\n[rank{rank}]: Duplicate GPU detected : rank {rank} and rank {rank ^ 1} both on CUDA device {(0x1B, 0x3B)[local // 2]:x}000"
        )
        hand.rank(rank, node, [(8 + rank / 40, f"rank {rank}: device cuda:{local // 2 * 2}"), (21 + dice.random(), error)], code=1, end=23 + rank / 40, local=local, stream="both")
    for place in places:
        dials(hand, place, 26, [(0, 0, 0, 74), (9, 1, 0, 92)])
    hand.ended("FAILED", code=1, end=26, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 1, 0)))
    return HandJob(label("A1", "nccl", (), "config", tuple(r for r, _, _ in places)), hand)


def broken() -> HandJob:
    """B2: a link between two cards of a node breaks."""
    dice = Random(9300)
    hand, places = crew(6, 2, 8, "nemo-asr")
    rows = curve(540, 20, 80, 1.8, dice, 2)
    end, bad = rows[-1][0] + 3, 10
    home = places[bad][1]
    for rank, node, local in places:
        mine = list(rows) if rank == 0 else []
        if rank == bad:
            mine.append((end, f"[rank{rank}]: Traceback (most recent call last):\n[rank{rank}]:   File \"/opt/asr/fit.py\", line 402, in step\n[rank{rank}]:     scaled.backward()\n[rank{rank}]: RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution\n[rank{rank}]: Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions."))
        hand.rank(rank, node, mine, code=1 if rank == bad else None, signal=None if rank == bad else 15, end=end + (0.4 if rank == bad else 6 + rank / 30), local=local, stream="both")
    hand.ended("FAILED", code=1, end=end + 12, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 1, 0)))
    for _, node, local in places:
        hand.gpu(node, local, {}, {}, utilization_percent=[0, *(dice.randrange(91, 100) for _ in range(24))], power_mw=[79_000, *(dice.randrange(530_000, 650_000) for _ in range(24))])
    pci = f"0000:{0x1B + 0x20 * places[bad][2]:02x}:00"
    hand.kernel(home, end - 0.7, "xid", f"NVRM: Xid (PCI:{pci}): 74, pid=40010, name=python, NVLink: fatal error detected on link 3(0x0, 0x10000, 0x0, 0x0, 0x0, 0x0, 0x0)", gpu=places[bad][2], xid=74, pci=pci)
    return HandJob(label("B2", "cuda_runtime", (bad,), "fault", (bad,), "node"), hand)


WORDS = (
    (4, "[rank4]:[W1207 04:12:08.771 ProcessGroupNCCL.cpp:1538] [PG ID 0 PG GUID 0(default_pg) Rank 4] ProcessGroupNCCL's watchdog was slow to respond for 240 s while the checkpoint was written"),
    (9, "hx1001:5120:5733 [1] net_ib.cc:1811 NCCL WARN NET/IB: got completion from peer 10.4.0.19<40112> with status=12 opcode=0 len=0 vendor err 129 (Recv), attempt 1/7\nhx1001:5120:5733 [1] NCCL INFO NET/IB: link mlx5_1 is back, resuming"),
    (0, "[rank0]:[W1207 09:33:51.104 ProcessGroupNCCL.cpp:1250] Warning: WARNING: process group has NOT been destroyed before we destruct ProcessGroupNCCL. On normal program exit, the application should call destroy_process_group to ensure that any pending NCCL operations have finished in this process."),
    (6, "terminate called without an active exception in thread prefetch-2 (ignored: the loader is shut down)"),
)


def well(number: int) -> HandJob:
    """G1."""
    dice = Random(9400 + number)
    nodes, per = ((1, 8), (2, 8), (3, 4), (2, 4))[number]
    hand, places = crew(7 + number, nodes, per, ("deit3", "qwen-cpt", "unimol", "sam2-ft")[number])
    rows = curve(600, 20, 75, (0.7, 2.3, 1.1, 0.9)[number], dice, number % 3)
    who, words = WORDS[number]
    late = 420 if number == 3 else 0
    end = rows[-1][0] + 25 + late
    for rank, node, local in places:
        mine = [*rows, (rows[-1][0] + 4, "saving the final weights"), (end - 2, "run complete: 600 steps")] if rank == 0 else []
        if rank == who:
            mine = sorted([*mine, (end - 1 if number in (2, 3) else rows[12][0] + 0.5, words)])
        leaves = end if rank in (0, who) or not late else rows[-1][0] + 6
        hand.rank(rank, node, mine, code=0, end=leaves, local=local, stream="both")
    for place in places:
        rest = [(rows[-1][0] + 5, 3.0, 1.0, 118.0)] if late else []
        dials(hand, place, end + 1, [(0, 0, 0, 75), (70, 98, 57, 610), *rest])
    hand.ended("COMPLETED", end=end + 2, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
    return HandJob(HARD, hand)


def jobs() -> Iterator[HandJob]:
    """All."""
    yield from map(waiting, range(2))
    yield refused()
    yield broken()
    yield from map(well, range(4))


RECIPE = Recipe("logbooks_by_pen", "development", jobs)
