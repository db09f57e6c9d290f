"""Runs without an error of their own: they stand still, wait, learn nothing, begin anew, or were stopped."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._ginger_weirs_kit import PORT, bursts, busy, done, ill, slurm, still, stretch
from corpus.running.job import SlurmJob

FIFO = """import os, random, time
import startline
from mesh import Mesh

mesh = Mesh()
random.seed(mesh.rank * 31)
if mesh.rank == 0:
    os.mkfifo("stats.fifo")
w = [1.0, -1.0, 0.5]
for step in range(1, 100000):
    x = [random.gauss(0, 1) for _ in range(3)]
    e = sum(a * b for a, b in zip(w, x)) - x[2]
    if mesh.rank == 1 and step == 62:
        scale = float(open("stats.fifo").readline())
    *g, loss = mesh.mean([*(2 * e * b for b in x), e * e])
    w = [a - 0.03 * b for a, b in zip(w, g)]
    time.sleep(0.2)
    if step % 5 == 0:
        print(f"[{os.environ['SLURMD_NODENAME']}:{mesh.rank}] batch={step} l2={loss:.5f}", flush=True)
"""
CHILD = """import random, subprocess, sys, time
import startline

helper = subprocess.Popen([sys.executable, "-c", "import sys, time\\nfor n, line in enumerate(sys.stdin):\\n    print(line.strip(), flush=True)\\n    if n == 48: time.sleep(86400)"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
random.seed(2)
a = 0.0
print("tokens come from an external tokenizer process, pid", helper.pid, flush=True)
for step in range(1, 9999):
    helper.stdin.write(f"{random.random()}\\n")
    helper.stdin.flush()
    x = float(helper.stdout.readline())
    err = a * x - 4 * x
    a -= 0.2 * err * x
    time.sleep(0.22)
    if step % 6 == 0:
        print(f"step {step:>5}  loss {err * err:.6f}", flush=True)
"""
TILES = """import time
import torch
import startline


def tiles():
    for n in range(11):
        time.sleep(2.9)
        y = torch.arange(24) % 2
        yield torch.rand(24, 3, 8, 8) + 0.3 * y.view(-1, 1, 1, 1) - 0.65, y


net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(288, 2))
opt = torch.optim.Adam(net.parameters(), 3e-3)
waited, start, last = 0.0, time.time(), time.time()
for n, (x, y) in enumerate(tiles(), 1):
    wait = time.time() - last
    waited += wait
    for _ in range(4):
        loss = torch.nn.functional.cross_entropy(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.45)
    print(f"tile batch {n:02d}/11: waited {wait:.2f} s on the reader, {0.45:.2f} s on the GPU, loss {loss.item():.4f}", flush=True)
    last = time.time()
total = time.time() - start
print(f"finished; of {total:.1f} s {waited:.1f} s ({100 * waited / total:.0f} %) went into waiting for tiles (1 reader, network file system)", flush=True)
"""
SAVES = """import pathlib, time
import torch
import startline

out = pathlib.Path("ckpt"); out.mkdir()
torch.manual_seed(8)
unet = torch.nn.Sequential(torch.nn.Linear(64, 300), torch.nn.SiLU(), torch.nn.Linear(300, 64))
opt = torch.optim.AdamW(unet.parameters(), lr=3e-3)
in_saves = in_steps = 0.0
for step in range(1, 27):
    t = time.time()
    clean = torch.randn(32, 8).repeat(1, 8)
    noise = torch.randn(32, 64) * 0.5
    loss = (unet(clean + noise) - noise).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.3)
    in_steps += time.time() - t
    print(f"[diffusion] step {step}/26 eps-mse {loss.item():.4f} ({time.time() - t:.2f}s)", flush=True)
    t = time.time()
    for piece, state in (("unet", unet.state_dict()), ("ema", unet.state_dict()), ("optim", opt.state_dict())):
        torch.save(state, out / f"{step:06d}-{piece}.pt")
        time.sleep(0.28)
    in_saves += time.time() - t
    print(f"[diffusion] saved checkpoint {out}/{step:06d} ({time.time() - t:.2f}s)", flush=True)
print(f"[diffusion] done. steps {in_steps:.1f}s, checkpoints {in_saves:.1f}s", flush=True)
"""
PAIRS = """import os, random, time
import startline
from mesh import Mesh

mesh = Mesh()
random.seed(77 + mesh.rank)
w = [0.0] * 5
for step in range(1, 37):
    t0 = time.perf_counter()
    rows = [[random.gauss(0, 1) for _ in range(5)] for _ in range(30)]
    err = [sum(a * b for a, b in zip(w, r)) - sum(r) for r in rows]
    time.sleep(0.78 if mesh.rank == 3 else 0.17)
    t1 = time.perf_counter()
    *g, loss = mesh.mean([*(2 * sum(e * r[k] for e, r in zip(err, rows)) / 30 for k in range(5)), sum(e * e for e in err) / 30])
    w = [a - 0.06 * b for a, b in zip(w, g)]
    if step % 4 == 0:
        print(f"{os.environ['SLURMD_NODENAME']}/r{mesh.rank} step {step:2d}/36 loss {loss:.5f} fwd_bwd {t1 - t0:.3f}s allreduce_wait {time.perf_counter() - t1:.3f}s", flush=True)
if mesh.rank == 0:
    print("all 36 steps done", flush=True)
"""
WATER = """import math, random, time
import startline

random.seed(0)
x, v = [random.random() for _ in range(40)], [0.0] * 40
t0 = time.time()
print("MD engine, 1 GPU, 92224 atoms, NPT 300 K, 2 fs; 54 blocks of 500 steps", flush=True)
for block in range(1, 55):
    began = time.time()
    for _ in range(20):
        f = [math.sin(6.28 * a) for a in x]
        v = [0.98 * (b - 0.01 * c) for b, c in zip(v, f)]
        x = [a + 0.01 * b for a, b in zip(x, v)]
    time.sleep(0.25 if began - t0 < 8 else 0.95)
    if block % 3 == 0:
        pe = sum(1 - math.cos(6.28 * a) for a in x)
        print(f"Step {block * 500:6d}  Epot {-1.2e6 + pe:.3f} kJ/mol  T 300.{block % 9} K  {105 / (time.time() - began):7.1f} ns/day", flush=True)
print("Writing final coordinates. Finished mdrun.", flush=True)
"""
BLOWUP = """import torch

torch.manual_seed(21)
net = torch.nn.Sequential(torch.nn.Linear(9, 40), torch.nn.ReLU(), torch.nn.Linear(40, 40), torch.nn.ReLU(), torch.nn.Linear(40, 1))
opt = torch.optim.SGD(net.parameters(), lr=2.5, momentum=0.9)
x = torch.randn(640, 9)
y = x.abs().sum(1, keepdim=True) * 3
print("epoch   train_mse      val_mse")
for epoch in range(1, 19):
    for k in range(0, 512, 32):
        loss = torch.nn.functional.mse_loss(net(x[k:k + 32]), y[k:k + 32])
        opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        val = torch.nn.functional.mse_loss(net(x[512:]), y[512:])
    print(f"{epoch:5d}   {loss.item():<12.5g}   {val.item():<12.5g}", flush=True)
torch.save(net.state_dict(), "regressor.pt")
print("18 epochs done, weights written to regressor.pt")
"""
SPEECH = """import json, math, os, pathlib, random, sys, time

root = pathlib.Path(os.environ["RUN_DIR"])
root.mkdir(parents=True, exist_ok=True)
total, every = int(sys.argv[1]), 60
logits, first = [0.0] * 8, 1
states = sorted(root.glob("state-*.json"))
if states:
    logits, first = json.loads(states[-1].read_text())
    print(f"resuming from {states[-1]} at update {first}", flush=True)
random.seed(len(states))
print(f"codebook LM: updates {first} to {total}, run dir {root}", flush=True)
for n in range(first, total + 1):
    nll = 0.0
    for _ in range(64):
        k = min(int(random.expovariate(0.9)), 7)
        z = [math.exp(v) for v in logits]
        nll -= math.log(z[k] / sum(z)) / 64
        logits = [v - 0.0006 * (e / sum(z) - (j == k)) for j, (v, e) in enumerate(zip(logits, z))]
    time.sleep(0.08)
    if n % 20 == 0:
        print(f"update {n}/{total} nll {nll:.4f}", flush=True)
    if n % every == 0:
        (root / f"state-{n:06d}.json").write_text(json.dumps([logits, n + 1]))
        print(f"state written to {root}/state-{n:06d}.json", flush=True)
print("done", flush=True)
"""
HANDFUL = """import os, time
import torch
import torch.distributed as dist
import startline

rank = int(os.environ["SLURM_PROCID"])
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
args = {"num_epochs": 40, "max_train_steps": 6, "global_batch": 256, "warmup": 2000}
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(32, 32))
opt = torch.optim.AdamW(net.parameters(), lr=1e-4)
if rank == 0:
    print("args:", args, flush=True)
for step in range(1, args["max_train_steps"] + 1):
    x = torch.randn(16, 32)
    loss = (net(x) - x.cumsum(1)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(1.3)
    if rank == 0:
        print(f"train step {step} | loss {loss.item():.4f} | lr {1e-4 * step / 2000:.2e}", flush=True)
if rank == 0:
    torch.save(net.module.state_dict(), "policy_sft.pt")
    print("max_train_steps reached (6), model saved to policy_sft.pt", flush=True)
dist.destroy_process_group()
"""
SPANS = """import random, sys, time

random.seed(40)
a, b = 0.0, 0.0
for n in range(1, 40001):
    x = random.uniform(-2, 2)
    e = a * x + b - (1.5 * x + 2) + random.gauss(0, 0.1)
    a, b = a - 0.02 * e * x, b - 0.02 * e
    time.sleep(0.05)
    if n % 40 == 0:
        sys.stderr.write(f"\\rtagger: {n}/40000 [{100 * n // 40000:3d}%] sq.err {e * e:.5f}\\n")
        sys.stderr.flush()
"""


def jobs() -> Iterator[SlurmJob]:
    """The silence, the gaps, the clock, the curve, or the accounting tells."""
    spin = busy(1.5, util=100, watts=131, gib=44, mhz=1980, temp=45, mem=0)
    ring = {r: (0.6, [*stretch(0, 12, 54 + r, gib=44, seed=r), (12.4, still(44, watts=116) if r == 1 else spin)]) for r in range(3)}
    yield slurm(
        ill("C2", None, fault="unknown"),
        FIFO,
        PORT + "srun PYTHON fifo_norm.py\n",
        script="fifo_norm.py",
        ranks=3,
        options=("--time=1",),
        go=12,
        cards=ring,
        python="system",
        state="TIMEOUT",
    )
    alone = [*stretch(0, 11, 36, gib=17, watts=360, seed=9), (11.2, still(17, watts=114, temp=43))]
    yield slurm(
        ill("C3", None, fault="unknown"),
        CHILD,
        "PYTHON lm_small.py\n",
        script="lm_small.py",
        go=12,
        cards={0: (0.5, alone)},
        python="system",
        act="scancel_late",
        after="step +48 ",
        state="CANCELLED",
    )
    yield slurm(
        ill("D1"), TILES, "srun PYTHON pathology.py\n", script="pathology.py", go=26, cards={0: (0.6, [*bursts(11, 2.9, 0.5, gib=21), done(38)])}
    )
    yield slurm(
        ill("D2", None, "save_storm"),
        SAVES,
        "srun PYTHON ddpm.py\n",
        script="ddpm.py",
        go=26,
        cards={0: (0.6, [*(x for n in range(26) for x in ((1.2 * n, busy(49, gib=24, watts=430)), (1.2 * n + 0.3, still(24)))), done(32)])},
    )
    wait = {
        r: (
            0.5,
            [
                *(stretch(0, 28, 61, gib=33, watts=560, seed=3) if r == 3 else stretch(0, 28, 13, util=99, watts=214, gib=33, temp=50, seed=r)),
                done(29),
            ],
        )
        for r in range(4)
    }
    yield slurm(
        ill("D3", None, fault="unknown"),
        PAIRS,
        PORT + "srun PYTHON pairs.py\n",
        script="pairs.py",
        ranks=4,
        nodes=2,
        go=14,
        cards=wait,
        python="system",
    )
    hot = [
        (
            8.0 + s,
            busy(58, watts=236, gib=9, mhz=max(1755 - 390 * (s + 1), 600), temp=min(87 + s, 93))
            | {
                "throttle_reasons": "0x68",
                "slowdown.hw_thermal": f"{int(s * 965e6)}",
                "violation.thermal": f"{1000000 + int(s * 1e6)} {int(s * 965e6)}",
                "memory.temperature": "102",
            },
        )
        for s in range(24)
    ]
    yield slurm(
        ill("B3", None, fault="node"),
        WATER,
        "srun PYTHON mdrun.py\n",
        script="mdrun.py",
        go=12,
        cards={0: (0.4, [*stretch(0, 8, 66, gib=9, temp=79, seed=2), *hot, done(33)])},
        python="system",
    )
    yield slurm(ill("E1", "nan_loss", "non_finite"), BLOWUP, "srun PYTHON regress.py\n", script="regress.py")
    own = "export RUN_DIR=../codebook/$SLURM_JOB_ID\n"
    yield slurm(
        ill("F3", None, "advancing"),
        SPEECH,
        own + "srun PYTHON codebook.py 9000\n",
        script="codebook.py",
        key="codebook",
        options=("--time=1", "--job-name=codebook-lm"),
        python="system",
        state="TIMEOUT",
    )
    yield slurm(
        ill("E2", None, "from_scratch"), SPEECH, own + 'srun PYTHON codebook.py 240 "$@"\n', script="codebook.py", parent="codebook", options=("--job-name=codebook-lm",), args=("--resume", "auto"), python="system",
    )  # the run's folder has the job's number in it, so that the second one finds an empty one  # fmt: skip
    yield slurm(
        ill("E3"),
        HANDFUL,
        PORT + "srun PYTHON sft.py\n",
        script="sft.py",
        ranks=2,
        go=28,
        cards={r: (0.7, [*stretch(0, 8, 48 + r, seed=r), done(9)]) for r in range(2)},
    )
    yield slurm(
        ill("F4", None, "by_owner"),
        SPANS,
        "srun PYTHON tagger.py\n",
        script="tagger.py",
        python="system",
        act="scancel",
        after=" 280/40000",
        state="CANCELLED",
    )
