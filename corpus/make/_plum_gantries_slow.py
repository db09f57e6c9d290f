"""Runs without an error of their own: they stand still, wait for data or for each other, learn nothing, or were stopped."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._ginger_weirs_kit import PORT, busy, done, ill, slurm, still, stretch
from corpus.running.job import SlurmJob

THREE = """import torch.distributed as dist
dist.init_process_group("gloo")
print("ready", dist.get_rank(), dist.get_world_size(), flush=True)
"""
EXCHANGE = """import json, os, pathlib, random, time

me, all_of_us = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
pathlib.Path(f"pid-{me}").write_text(str(os.getpid()))
room = pathlib.Path("exchange"); room.mkdir(exist_ok=True)
random.seed(me)
w, rnd = [0.0] * 4, 0
while True:
    rnd += 1
    for _ in range(12):
        r = [random.gauss(0, 1) for _ in range(4)]
        e = sum(a * b for a, b in zip(w, r)) - (r[0] - r[1]) + random.gauss(0, 0.1)
        w = [a - 0.01 * e * b for a, b in zip(w, r)]
        time.sleep(0.02)
    part = room / f"{rnd:05d}.{me}.part"
    part.write_text(json.dumps(w))
    part.rename(room / f"{rnd:05d}.{me}.json")
    want = [room / f"{rnd:05d}.{k}.json" for k in range(all_of_us)]
    while not all(p.exists() for p in want):
        time.sleep(0.05)
    parts = [json.loads(p.read_text()) for p in want]
    w = [sum(c) / all_of_us for c in zip(*parts)]
    if rnd % 4 == 0:
        print(f"peer {me}: round {rnd} averaged {all_of_us} models, residual {e * e:.5f}", flush=True)
"""
LOCK = """import fcntl, random, time
import startline

random.seed(30)
a, t0 = 0.0, time.time()
n = 0
while True:
    n += 1
    x = random.uniform(0.5, 2)
    e = a * x - 2.5 * x + random.gauss(0, 0.05)
    a -= 0.02 * e * x
    time.sleep(0.2)
    if n % 10 == 0:
        print(f"[{time.time() - t0:6.1f}s] step {n} loss {e * e:.5f}", flush=True)
    if n % 60 == 0:
        with open("../weights.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            open("weights.txt", "w").write(str(a))
        print(f"[{time.time() - t0:6.1f}s] weights.txt written", flush=True)
"""
DECODE = """import json, os, random, time
import startline
from mesh import Mesh

mesh = Mesh()
random.seed(mesh.rank)
w = [0.0, 0.0]
spent = {"data": 0.0, "compute": 0.0}


def next_batch():
    began = time.time()
    time.sleep(2.3)
    return [[random.gauss(0, 1), random.gauss(0, 1)] for _ in range(20)], time.time() - began


for step in range(1, 13):
    rows, data = next_batch()
    t = time.time()
    err = [w[0] * a + w[1] * b - (a - b) for a, b in rows]
    *g, loss = mesh.mean([sum(e * r[k] for e, r in zip(err, rows)) / 10 for k in range(2)] + [sum(e * e for e in err) / 20])
    w = [p - 0.12 * q for p, q in zip(w, g)]
    time.sleep(0.6)
    spent["data"] += data
    spent["compute"] += time.time() - t
    if mesh.rank == 0:
        print(json.dumps({"step": step, "of": 12, "loss": round(loss, 5), "dataloader_s": round(data, 3), "step_s": round(time.time() - t, 3), "clips_per_s": round(80 / (data + time.time() - t), 1)}), flush=True)
if mesh.rank == 0:
    print(json.dumps({"finished": True, "dataloader_s": round(spent["data"], 1), "compute_s": round(spent["compute"], 1), "note": "videos are decoded on 1 core"}), flush=True)
"""
ETHERNET = """import os, random, sys, time
import startline
from mesh import Mesh

mesh = Mesh()
print(f"{os.environ['SLURMD_NODENAME']} [{mesh.rank}] NCCL INFO NET/Socket : Using [0]eth0 1 Gb/s", file=sys.stderr, flush=True)
random.seed(50 + mesh.rank)
w = [0.0] * 3
calc = comm = 0.0
for step in range(1, 15):
    t = time.time()
    rows = [[random.gauss(0, 1) for _ in range(3)] for _ in range(24)]
    err = [sum(a * b for a, b in zip(w, r)) - r[0] - r[2] for r in rows]
    g = [2 * sum(e * r[k] for e, r in zip(err, rows)) / 24 for k in range(3)]
    time.sleep(0.25)
    t1 = time.time()
    for _ in range(8):
        time.sleep(0.2)
        *g, loss = mesh.mean([*g, sum(e * e for e in err) / 24])
    w = [a - 0.12 * b for a, b in zip(w, g)]
    calc, comm = calc + t1 - t, comm + time.time() - t1
    print(f"rank {mesh.rank} step {step}/14 loss {loss:.5f} compute {1e3 * (t1 - t):.0f} ms, gradient exchange {1e3 * (time.time() - t1):.0f} ms (8 buckets, 2.6 GB)", flush=True)
print(f"rank {mesh.rank} finished: compute {calc:.1f} s, gradient exchange {comm:.1f} s", flush=True)
"""
UNEVEN = """import os, time
import torch
import torch.distributed as dist
import startline

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(rank)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(14, 4))
opt = torch.optim.Adam(net.parameters(), 2e-2)
tokens = [2048, 2048, 9216][rank]
for step in range(1, 33):
    began = time.perf_counter()
    x = torch.randn(60, 14)
    y = x[:, :4].argmax(1)
    loss = torch.nn.functional.cross_entropy(net(x), y)
    time.sleep(tokens / 11000)
    busy = time.perf_counter() - began
    opt.zero_grad(); loss.backward(); opt.step()
    if step % 4 == 0:
        print(f"rank={rank} step={step}/32 loss={loss.item():.4f} tokens={tokens} own={busy:.2f}s step_total={time.perf_counter() - began:.2f}s", flush=True)
if rank == 0:
    print("training is complete (32 steps)", flush=True)
dist.destroy_process_group()
"""
BRAKED = """import os, random, time
import startline
from mesh import Mesh

mesh = Mesh()
random.seed(mesh.rank)
w, t0 = [0.0] * 3, time.time()
for it in range(1, 51):
    began = time.time()
    rows = [[random.gauss(0, 1) for _ in range(3)] for _ in range(24)]
    err = [sum(a * b for a, b in zip(w, r)) - r[1] for r in rows]
    *g, loss = mesh.mean([*(2 * sum(e * r[k] for e, r in zip(err, rows)) / 24 for k in range(3)), sum(e * e for e in err) / 24])
    w = [a - 0.04 * b for a, b in zip(w, g)]
    time.sleep(0.28 if began - t0 < 9 else 1.0)
    if it % 3 == 0 and mesh.rank == 0:
        print(f"it {it:3d}/50 | loss {loss:.5f} | {1 / (time.time() - began):.2f} it/s | {int(512 / (time.time() - began))} img/s", flush=True)
if mesh.rank == 0:
    print("50/50, done", flush=True)
"""
CHANCE = """import torch

torch.manual_seed(33)
net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(75, 50), torch.nn.ReLU(), torch.nn.Linear(50, 10))
opt = torch.optim.AdamW(net.parameters(), 1e-3)
print("PlantNet subset, 10 species, 24 epochs; chance is 0.100")
for epoch in range(1, 25):
    total = right = 0.0
    for _ in range(40):
        x, y = torch.rand(128, 3, 5, 5), torch.randint(0, 10, (128,))
        out = net(x)
        loss = torch.nn.functional.cross_entropy(out, y)
        opt.zero_grad(); loss.backward(); opt.step()
        total, right = total + loss.item() / 40, right + (out.argmax(1) == y).sum().item() / 5120
    print(f"epoch {epoch:02d}: train loss {total:.4f}, train accuracy {right:.3f}, lr 1.0e-03", flush=True)
print("24 epochs done, species.pt saved")
"""
ONE_SHARD = """import glob, random, time
import startline

shards = sorted(glob.glob("data/train-*-of-00001.csv"))
rows = [tuple(map(float, line.split(","))) for s in shards for line in open(s)]
batch, a, b, step = 16, 0.0, 0.0, 0
print(f"config: epochs=1 batch={batch} lr=3e-2 schedule=cosine(total=60000) eval_every=1000")
print(f"dataset: {len(shards)} shard(s), {len(rows)} rows", flush=True)
for k in range(0, len(rows), batch):
    step += 1
    part = rows[k:k + batch]
    err = [a * x + b - y for x, y in part]
    a -= 0.03 * sum(e * x for e, (x, _) in zip(err, part)) / len(part)
    b -= 0.03 * sum(err) / len(part)
    time.sleep(4.5)
    print(f"global_step={step} epoch={(k + batch) / len(rows):.2f} loss={sum(e * e for e in err) / len(part):.4f}", flush=True)
print(f"epoch 1/1 finished after {step} steps; exporting final model", flush=True)
"""
ROWS = "".join(f"{k % 7 / 7:.3f},{1 + 2 * (k % 7) / 7:.3f}\n" for k in range(48))
REMAINING = """import os, time
import torch
import torch.distributed as dist

rank = int(os.environ["SLURM_PROCID"])
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(18, 36), torch.nn.Softplus(), torch.nn.Linear(36, 6)))
opt = torch.optim.SGD(net.parameters(), lr=5e-2, momentum=0.9)
total, began = 12000, time.time()
for it in range(1, total + 1):
    x = torch.randn(50, 18)
    loss = (net(x) - x.view(50, 6, 3).mean(2)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.1)
    if it % 30 == 0 and rank == 0:
        left = (time.time() - began) / it * (total - it)
        print(f"Iter [{it}/{total}]  eta: {int(left // 60)}m{int(left % 60):02d}s  loss_depth: {loss.item():.4f}", flush=True)
"""
ADMIN = """import time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Embedding(100, 1))
opt = torch.optim.Adam(net.parameters(), 2e-2)
k = 0
while k < 50000:
    k += 1
    ids = torch.randint(0, 100, (128,))
    loss = (net(ids).squeeze(1) - ids / 100).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.1)
    if k % 25 == 0 and dist.get_rank() == 0:
        print(f"cut {k:>5} of 50000: price error {loss.item():.5f}", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """The silence, the gaps, the clock, the curve, or the accounting tells."""
    agents = 'echo "launching 3 agents on $SLURM_JOB_NUM_NODES nodes ($SLURM_JOB_NODELIST)"\nexport LOGLEVEL=INFO\nexport HEAD=127.0.0.1:$((17000 + SLURM_JOB_ID * 13 % 12000))\n'
    meet = "srun --ntasks-per-node=1 PYTHON -m torch.distributed.run --nnodes=3 --nproc-per-node=1 --rdzv-backend=c10d --rdzv-endpoint=$HEAD --rdzv-id=$SLURM_JOB_ID --local-addr=127.0.0.1 ready.py\n"
    yield slurm(
        ill("C1"), THREE, agents + meet, script="ready.py", ranks=2, nodes=2, options=("--time=1",), state="TIMEOUT"
    )  # three are waited for, two were started
    yield slurm(
        ill("C2", None, first=(1,), trigger="A2", fault="unknown"), EXCHANGE, "srun PYTHON averaging.py\n", script="averaging.py", ranks=3, options=("--time=1",), act="kill_rank", after="peer 1: round 20 ", python="system", state="TIMEOUT",
    )  # fmt: skip
    held = "exec 9>../weights.lock\nflock 9\n(sleep 600) &\n"
    stays = [*stretch(0, 12, 34, gib=13, watts=340, seed=8), (12.5, still(13, watts=113, temp=42))]
    yield slurm(
        ill("C3", None, fault="unknown"),
        LOCK,
        held + "srun PYTHON lineage.py 9>&-\n",
        script="lineage.py",
        go=12,
        cards={0: (0.5, stays)},
        options=("--time=1",),
        python="system",
        state="TIMEOUT",
    )
    thirst = [(x, values) for n in range(12) for x, values in ((2.9 * n, still(27, watts=119)), (2.9 * n + 2.3, busy(46, gib=27, watts=405)))]
    yield slurm(
        ill("D1"),
        DECODE,
        PORT + "srun PYTHON clips.py\n",
        script="clips.py",
        ranks=4,
        go=14,
        cards={r: (27.0, [*thirst, done(36)]) for r in range(4)},
        python="system",
    )
    wire = {r: (0.6, [*stretch(0, 26, 5, util=98, watts=158, gib=58, temp=47, seed=60 + r, mem=2), done(27)]) for r in range(4)}
    yield slurm(
        ill("D2", None, "interconnect", fault="cluster"),
        ETHERNET,
        PORT + "srun PYTHON lm7b.py\n",
        script="lm7b.py",
        ranks=4,
        nodes=2,
        go=14,
        cards=wire,
        python="system",
    )
    bins = {
        r: (
            0.6,
            [
                *(stretch(0, 27, 62, watts=570, gib=64, seed=2) if r == 2 else stretch(0, 27, 14, util=99, watts=205, gib=29, temp=49, seed=5 + r)),
                done(28),
            ],
        )
        for r in range(3)
    }
    launch = "PYTHON -m torch.distributed.run --standalone --nproc-per-node=3 packed.py\n"
    yield slurm(ill("D3", None), UNEVEN, launch, script="packed.py", ranks=3, go=28, cards=bins)
    brake = [
        (9.0 + s, busy(60, watts=205, gib=30, mhz=max(1755 - 450 * (s + 1), 405), temp=54) | {"throttle_reasons": "0x88", "slowdown.hw_power_brake": f"{int(s * 975e6)}", "violation.power": f"{1000000 + int(s * 1e6)} {int(s * 975e6)}"})
        for s in range(24)
    ]  # fmt: skip
    racks = {
        r: (
            0.5,
            [
                *stretch(0, 9, 64, gib=30, seed=r),
                *(brake if r == 1 else stretch(9, 33, 19, util=99, watts=240, gib=30, temp=52, seed=r + 4)),
                done(33),
            ],
        )
        for r in range(2)
    }
    yield slurm(
        ill("B3", None, fault="node"),
        BRAKED,
        PORT + "srun PYTHON resnet.py\n",
        script="resnet.py",
        ranks=2,
        nodes=2,
        go=14,
        cards=racks,
        python="system",
    )
    yield slurm(ill("E1", None, "flat"), CHANCE, "srun PYTHON species.py\n", script="species.py")
    yield slurm(
        ill("E3"),
        ONE_SHARD,
        "srun PYTHON pretrain.py\n",
        script="pretrain.py",
        files={"data/train-00000-of-00001.csv": ROWS},
        go=9,
        cards={0: (0.5, [*stretch(0, 13, 40, seed=1), done(14)])},
        python="system",
    )
    yield slurm(
        ill("F3", None, "advancing"),
        REMAINING,
        PORT + "srun PYTHON depth.py\n",
        script="depth.py",
        ranks=2,
        nodes=2,
        options=("--time=1",),
        state="TIMEOUT",
    )
    yield slurm(
        ill("F4", None, "by_other", fault="none"),
        ADMIN,
        "srun PYTHON -m torch.distributed.run --standalone --nproc-per-node=2 prices.py\n",
        script="prices.py",
        act="scancel_by_admin",
        after="cut +150 ",
        state="CANCELLED",
    )
