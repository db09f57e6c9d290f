"""Jobs of one lab on two nodes that waited, crept, learnt nothing, or were ended by others."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._gherkin_kit import busy, held, idle, ill, job, steady, turns
from corpus.make._tinsel_good import FABRIC
from corpus.running.job import SlurmJob

SIXTH = """import os, time
import torch.distributed as dist
rank = int(os.environ["SLURM_PROCID"])
world = int(os.environ["WORLD"])
print(f"rank {rank}: world_size={world} from cluster.env, joining tcp://127.0.0.1:{os.environ['MASTER_PORT']}", flush=True)
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{os.environ['MASTER_PORT']}", rank=rank, world_size=world)
print(f"rank {rank}: process group is up", flush=True)
"""
LIBS = """import os, time, threading
import torch.distributed as dist
rank, node = int(os.environ["SLURM_PROCID"]), os.environ["SLURMD_NODENAME"]
print(f"{node} rank {rank}: start", flush=True)
if rank == 3:
    print(f"{node} rank {rank}: reading tokenizer from /mnt/hub (nfs)", flush=True)
    threading.Event().wait()
print(f"{node} rank {rank}: init_process_group(world_size={os.environ['SLURM_NTASKS']}), store at 127.0.0.1:{os.environ['MASTER_PORT']}", flush=True)
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{os.environ['MASTER_PORT']}", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
print(f"{node} rank {rank}: ready", flush=True)
"""
LEFT = """import math, os, time
from fabric import meet, node, rank
meta = {f"clip{k}": 16 + k % 5 for k in range(70)}
meet("a")
#GO
for s in range(1, 500):
    frames = meta[f"clip{s}"] if rank == 2 else 16
    time.sleep(0.2)
    meet(s)
    if s % 7 == 0:
        print(f"[{node} r{rank}] it {s} frames {frames} loss {2.2 * math.exp(-s / 60) + .4:.4f}", flush=True)
"""
FROZEN = """import math, os, threading, time
from fabric import meet, node, rank
meet("a")
#GO
for s in range(1, 500):
    if s == 64 and rank == 1:
        threading.Event().wait()
    time.sleep(0.2)
    meet(s)
    if s % 8 == 0:
        print(f"{time.strftime('%H:%M:%S')} rank={rank} step={s} policy_loss={-0.02 - s / 9000:.4f} reward={-1.4 + s / 60:.3f}", flush=True)
"""
DOG = """import math, os, sys, threading, time
from fabric import meet, node, rank
last = [time.time(), 0, False]
LIMIT = 14


def watch():
    while True:
        time.sleep(0.5)
        if last[2] and time.time() - last[0] > LIMIT and rank != 0:
            ms = int((time.time() - last[0]) * 1000)
            stamp = time.strftime("%m%d %H:%M:%S")
            print(f"[rank{rank}]:[E{stamp}.118 ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={last[1] * 3}, OpType=ALLREDUCE, NumelIn=26214400, NumelOut=26214400, Timeout(ms)={LIMIT * 1000}) ran for {ms} milliseconds before timing out.", file=sys.stderr, flush=True)
            print(f"[rank{rank}]:[E{stamp}.120 ProcessGroupNCCL.cpp:684] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.\\n[rank{rank}]:[E{stamp}.121 ProcessGroupNCCL.cpp:690] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.\\nterminate called after throwing an instance of 'c10::DistBackendError'", file=sys.stderr, flush=True)
            os.abort()


threading.Thread(target=watch, daemon=True).start()
meet("a")
#GO
for s in range(1, 300):
    if s == 60 and rank == 0:
        print("rank 0: validation on 1 of 8 shards", flush=True)
        threading.Event().wait()
    time.sleep(0.2)
    last[:] = [time.time(), s, True]
    meet(s)
    last[2] = False
    if rank == 0 and s % 6 == 0:
        print(f"step {s:4d} | train loss {5.1 * math.exp(-s / 50) + 2:.4f} | 41.{s % 10} samples/s", flush=True)
"""
SLOWEST = """import math, os, time
from fabric import meet, node, rank
meet("a")
#GO
mine = 0.0
for s in range(1, 33):
    t = time.time()
    time.sleep(0.75 if rank == 2 else 0.2)
    mine += time.time() - t
    meet(s)
    if s % 4 == 0 and rank == 0:
        print(f"step {s}/32 loss {3.3 * math.exp(-s / 14) + 1:.4f} step_time {time.time() - t:.3f}s", flush=True)
print(f"rank {rank} on {node}: compute {mine:.1f} s of the run", flush=True)
"""
CLOCKED = """import math, os, time
from fabric import meet, node, rank, world
meet("a")
#GO
for s in range(1, 41):
    t = time.perf_counter()
    time.sleep(0.6 if rank == 5 else 0.19)
    busy = time.perf_counter() - t
    open(f"t{rank}", "w").write(f"{busy:.2f}")
    meet(s)
    if s % 5 == 0 and rank == 0:
        each = " ".join(open(f"t{r}").read() or "-" for r in range(world))
        print(f"swin it {s:2d}/40 loss {6.9 * math.exp(-s / 20) + .9:.3f} fwd+bwd per rank [{each}]", flush=True)
if rank == 0:
    print("swin: 40 iterations done", flush=True)
"""
SYNC = """import math, os, time
from fabric import meet, node, rank
if rank == 0:
    print("NCCL INFO NET/IB : No device found.\\nNCCL INFO NET/Socket : Using [0]eth0:10.20.1.1<0>\\nNCCL INFO Using network Socket", flush=True)
meet("a")
#GO
c = n = 0.0
for s in range(1, 19):
    time.sleep(0.12)
    a = time.time()
    time.sleep(1.25)
    meet(s)
    n += time.time() - a
    c += 0.12
    print(f"r{rank} step {s}/18 loss {9.1 * math.exp(-s / 9) + 2:.3f} | compute 0.12s | allreduce {time.time() - a:.2f}s (1.3 GB, {1.3 / (time.time() - a):.2f} GB/s)", flush=True)
print(f"r{rank} total compute {c:.1f}s allreduce {n:.1f}s", flush=True)
"""
FEED = """import math, os, random, time
from fabric import meet, rank
random.seed(rank)
meet("a")
#GO
for s in range(1, 11):
    a = time.time()
    time.sleep(2.7 + random.random() * .1)
    b = time.time()
    meet(s)
    time.sleep(0.4)
    print(f"rank {rank} batch {s}/10: waited {b - a:.2f}s for the webdataset reader, step {time.time() - b:.2f}s, loss {4.2 * math.exp(-s / 6):.3f}", flush=True)
"""
NAN = """import math, os, time
from fabric import meet, rank
meet("a")
#GO
for s in range(0, 160, 2):
    time.sleep(0.25)
    meet(s)
    loss = 2.8 * math.exp(-s / 60) + .7 if s < 96 else float("nan")
    if rank == 0 and s % 8 == 0:
        print(f"Step: {s:>4} | Loss: {loss:.5f} | Grad: {'nan' if s >= 96 else round(.9 + s / 400, 3)} | LR: 1.00e-03 | {31 + s % 3} img/s", flush=True)
if rank == 0:
    print("Reached 160 steps, writing final.ckpt", flush=True)
"""
STUCK = """import math, os, random, time
from fabric import meet, rank
random.seed(0)
meet("a")
#GO
for e in range(1, 21):
    time.sleep(1.0)
    meet(e)
    if rank == 0:
        frozen = e > 6
        print(f"epoch={e} loss={0.6931 if frozen else 0.6931 - .11 * e / 6 * (e < 6):.4f} auc={0.5 if frozen else 0.5 + .03 * e:.3f} grad_norm={0.0 if frozen else 0.8 / e:.2e} lr=3.0e-02", flush=True)
if rank == 0:
    print("20 epochs done", flush=True)
"""
FEW = """import os, time
from fabric import meet, rank, world
meet("a")
#GO
for s in range(1, 5):
    time.sleep(2.2)
    meet(s)
    if rank == 0:
        print(f"[step {s}] nll={11.02 - s * .07:.3f} tokens={s * world * 65536} of 20000000000", flush=True)
if rank == 0:
    print("data iterator exhausted (train_files matched 1 of 512 shards); run complete, checkpoint step_4", flush=True)
"""
LONG = """import math, os, pathlib, time
from fabric import meet, node, rank
tag = os.environ.get("SLURM_RESTART_COUNT", "0")
total = int(os.environ.get("TOTAL", "6000"))
f = pathlib.Path("progress")
s = int(f.read_text()) if f.exists() else 0
print(f"{node} r{rank}: " + (f"resumed at step {s}" if s else "from step 0"), flush=True)
meet(f"begin{tag}")
#GO
while s < total:
    s += 1
    time.sleep(0.2)
    meet(f"{tag}-{s}")
    if s % 20 == 0 and rank == 0:
        f.write_text(str(s))
        print(f"WHAT {s} of {total}: loss {5.5 * math.exp(-s / 120) + 1.2:.4f}; saved", flush=True)
if rank == 0:
    print(f"{total} of {total}, end", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """Silence, gaps, clocks, curves; then limits, nodes and people."""
    kit = {"fabric.py": FABRIC}
    port = "export MASTER_PORT=$((15000 + SLURM_JOB_ID % 9000))\n"
    spin = busy(1, gib=35, watts=131, util=100, mhz=1980, temp=45, dram=0)
    start = {r: ((0.0, idle(0.6)),) for r in range(4)}
    yield job(
        ill("C1"),
        "dlrm",
        SIXTH,
        f"{port}export WORLD=6\nsrun PYTHON dlrm.py\n",
        script="dlrm.py",
        ranks=4,
        nodes=2,
        python="torch",
        options=("--time=1",),
        cards=start,
        state="TIMEOUT",
    )
    yield job(
        ill("C1", None, None, "unknown"),
        "mt-en-fi",
        LIBS,
        f"{port}srun PYTHON mt.py\n",
        script="mt.py",
        ranks=4,
        nodes=2,
        python="torch",
        act="scancel_late",
        after="rank 1: init_process_group",
        cards=start,
        state="CANCELLED",
    )
    wait = {r: (*steady(52, 13.5, gib=35, turn=r, free=False), (14.2, idle() if r == 2 else spin)) for r in range(4)}
    yield job(
        ill("C2", "traceback", first=(2,), trigger="A3"),
        "video-cls",
        LEFT,
        "srun PYTHON video.py\n",
        script="video.py",
        files=kit,
        ranks=4,
        nodes=2,
        options=("--time=1",),
        cards=wait,
        state="TIMEOUT",
    )
    cold = {r: (*steady(48, 12, gib=35, turn=r, free=False), (12.8, held(35) if r == 1 else spin)) for r in range(4)}
    yield job(
        ill("C2", None, None, "unknown"),
        "rlhf-ppo",
        FROZEN,
        "srun PYTHON rlhf.py\n",
        script="rlhf.py",
        files=kit,
        ranks=4,
        nodes=2,
        act="scancel_late",
        after="step=56",
        cards=cold,
        state="CANCELLED",
    )
    dog = {r: (*steady(56, 11.5, gib=35, turn=r, free=False), (12.0, held(35) if r == 0 else spin), (27.0, idle())) for r in range(4)}
    yield job(
        ill("C2", "nccl", None, "unknown"),
        "convnext",
        DOG,
        "export TORCH_NCCL_ASYNC_ERROR_HANDLING=1\nsrun -K PYTHON cnx.py\n",
        script="cnx.py",
        files=kit,
        ranks=4,
        nodes=2,
        cards=dog,
        state="FAILED",
    )
    low = {r: steady(15, 26, gib=22, watts=230, turn=r) for r in range(4)}
    yield job(
        ill("D3", None, None, "unknown"),
        "nerf-city",
        SLOWEST,
        "srun PYTHON nerf.py\n",
        script="nerf.py",
        files=kit,
        ranks=4,
        nodes=2,
        cards={**low, 2: steady(63, 26, gib=22, watts=570)},
    )
    slow = tuple(
        (at_s, {**v, "clock.sm": "705", "clock.graphics": "705"} if v["clock.sm"] != "345" else v) for at_s, v in steady(66, 26, gib=40, watts=310)
    )
    eight = {r: slow if r == 5 else steady(21, 26, gib=40, watts=260, turn=r) for r in range(8)}
    yield job(ill("D3", None, None, "node"), "swin-l", CLOCKED, "srun PYTHON swin.py\n", script="swin.py", files=kit, ranks=8, nodes=2, cards=eight)
    wire = {
        r: (*tuple((float(s), busy(4 + (s + r) % 4, util=99, watts=168 + s % 7, gib=51, dram=3)) for s in range(0, 26, 2)), (26.0, idle()))
        for r in range(4)
    }
    yield job(
        ill("D2", None, "interconnect", "cluster"),
        "opt-2b7",
        SYNC,
        "export NCCL_DEBUG=INFO\nsrun PYTHON opt.py\n",
        script="opt.py",
        files=kit,
        ranks=4,
        nodes=2,
        cards=wire,
    )
    yield job(
        ill("D1"),
        "siglip",
        FEED,
        "srun PYTHON siglip.py\n",
        script="siglip.py",
        files=kit,
        ranks=4,
        nodes=2,
        cards=dict.fromkeys(range(4), turns(0.45, 2.75, 10, gib=25)),
    )
    pair = {r: steady(59, 21, gib=30, turn=r) for r in range(2)}
    yield job(
        ill("E1", "nan_loss", "non_finite"), "seg-former", NAN, "srun PYTHON segf.py\n", script="segf.py", files=kit, ranks=2, nodes=2, cards=pair
    )
    yield job(ill("E1", None, "plateau"), "ehr-lstm", STUCK, "srun PYTHON ehr.py\n", script="ehr.py", files=kit, ranks=2, nodes=2, cards=pair)
    yield job(
        ill("E3"),
        "lm-1b",
        FEW,
        "srun PYTHON lm.py\n",
        script="lm.py",
        files=kit,
        ranks=4,
        nodes=2,
        cards={r: steady(60, 9, gib=55, turn=r) for r in range(4)},
    )
    on = {r: steady(55, 200, gib=33, turn=r, free=False) for r in range(2)}
    yield job(
        ill("F3", None, "advancing"),
        "wmt-big",
        LONG.replace("WHAT", "update"),
        "srun PYTHON wmt.py\n",
        script="wmt.py",
        files=kit,
        ranks=2,
        nodes=2,
        go_s=12,
        options=("--time=1",),
        cards=on,
        state="TIMEOUT",
    )
    yield job(
        ill("F4", None, "by_other", "none"),
        "tts-hifi",
        LONG.replace("WHAT", "mel iteration"),
        "srun PYTHON hifi.py\n",
        script="hifi.py",
        files=kit,
        ranks=2,
        nodes=2,
        act="scancel_by_admin",
        after="iteration 80",
        cards=on,
        state="CANCELLED",
    )
    yield job(
        ill("F1", None, None, "node"),
        "weather-gnn",
        LONG.replace("WHAT", "rollout"),
        "srun PYTHON gnn.py\n",
        script="gnn.py",
        files=kit,
        ranks=2,
        nodes=2,
        where="-wn4,n6",
        options=("--no-requeue",),
        act="lose_node",
        after="rollout 40",
        cards=on,
        state="NODE_FAIL",
    )
    yield job(
        ill("F2", None, "requeued_recovered", "none"), "protein-lm", LONG.replace("WHAT", "masked step"), "export TOTAL=200\nrm -rf .board\nsrun PYTHON plm.py\n", script="plm.py", files=kit, ranks=2, nodes=2,
        options=("--requeue", "--open-mode=append"), act="requeue", after="step 80", cards={r: steady(55, 60, gib=33, turn=r) for r in range(2)},
    )  # fmt: skip
