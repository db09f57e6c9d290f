"""Runs that do what they were started for; the second half has something in it that would worry a reader."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._ginger_weirs_kit import GOOD, HARD, PORT, done, slurm, stretch
from corpus.running.job import SlurmJob

RADAR = """import json
import os
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import startline

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(100 + rank)
net = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(27, 64), torch.nn.LeakyReLU(), torch.nn.Linear(64, 9)))
opt = torch.optim.AdamW(net.parameters(), lr=4e-3)


def emit(event, **fields):
    if rank == 0:
        print(json.dumps({"t": round(time.time(), 2), "event": event, **fields}), flush=True)


emit("start", model="nowcast-mlp", world_size=world, nodes=int(os.environ["SLURM_JOB_NUM_NODES"]), steps=96)
for step in range(1, 97):
    frames = torch.randn(80, 27)
    rain = frames.view(80, 3, 9).mean(1) + 0.05 * torch.randn(80, 9)
    loss = (net(frames) - rain).square().mean()
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    time.sleep(0.24)
    if step % 8 == 0:
        emit("train", step=step, mse=round(loss.item(), 5), frames_per_s=round(80 * world / 0.25))
emit("end", step=96, status="ok")
dist.destroy_process_group()
"""
BIGRAM = """import math
import os
import random
import time

from mesh import Mesh

mesh = Mesh()
say = print if mesh.rank == 0 else (lambda *a: None)
random.seed(mesh.rank)
V, total = 12, 60
table = [[0.0] * V for _ in range(V)]
say("> setting up process group: world size", mesh.world, "tensor-parallel 1 pipeline-parallel 1")
say("> building train dataset, 12-symbol corpus, sequence length 32")
samples = 0
for it in range(1, total + 1):
    began = time.time()
    grads = [[0.0] * V for _ in range(V)]
    nll = n = 0
    for _ in range(6):
        tok = random.randrange(V)
        for _ in range(32):
            nxt = (tok * 5 + 1) % V if random.random() < 0.9 else random.randrange(V)
            top = max(table[tok])
            weights = [math.exp(v - top) for v in table[tok]]
            z = sum(weights)
            nll -= math.log(weights[nxt] / z)
            n += 1
            for j in range(V):
                grads[tok][j] += weights[j] / z - (j == nxt)
            tok = nxt
    lr = 0.05 * min(1.0, it / 10)
    flat = mesh.mean([g for row in grads for g in row] + [nll / n])
    for i in range(V):
        for j in range(V):
            table[i][j] -= lr * flat[i * V + j]
    samples += 6 * mesh.world
    time.sleep(0.15)
    if it % 5 == 0:
        norm = math.sqrt(sum(g * g for g in flat[:-1]))
        say(f" iteration {it:8d}/{total:8d} | consumed samples: {samples:12d} | elapsed time per iteration (ms): {1e3 * (time.time() - began):.1f} | learning rate: {lr:.3E} | lm loss: {flat[-1]:.6E} | grad norm: {norm:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |")
say("[after training is done] saved nothing, --no-save was given")
"""
ARRAY = """import csv, os, sys
import torch

index = int(os.environ["SLURM_ARRAY_TASK_ID"])
hidden, lr = [(8, 1e-2), (16, 1e-2), (32, 3e-3), (64, 3e-3)][index % 4]
torch.manual_seed(index)
out = csv.writer(sys.stdout, delimiter=";")
net = torch.nn.Sequential(torch.nn.Linear(6, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, 3))
opt = torch.optim.Adam(net.parameters(), lr=lr)
x = torch.randn(1200, 6)
y = (x[:, ::2] + x[:, 1::2]).argmax(1)
out.writerow(["task", "hidden", "lr", "epoch", "train_ce", "heldout_acc"])
for epoch in range(1, 26):
    for part in torch.randperm(1000).split(50):
        loss = torch.nn.functional.cross_entropy(net(x[part]), y[part])
        opt.zero_grad(); loss.backward(); opt.step()
    if epoch % 2 == 1:
        acc = (net(x[1000:]).argmax(1) == y[1000:]).float().mean().item()
        out.writerow([index, hidden, lr, epoch, f"{loss.item():.4f}", f"{acc:.3f}"])
        sys.stdout.flush()
print(f"# task {index}: 25 epochs, accuracy {acc:.3f}")
"""
TOWER = """import pathlib, sys, time
import torch

target = int(sys.argv[1])
store = pathlib.Path(sys.argv[2])
store.mkdir(parents=True, exist_ok=True)
torch.manual_seed(17)
users, items = torch.nn.Embedding(60, 8), torch.nn.Embedding(90, 8)
net = torch.nn.ModuleList([users, items])
opt = torch.optim.Adam(net.parameters(), 2e-2)
truth = torch.sign(torch.randn(60, 3) @ torch.randn(3, 90))
step = 0
last = store / "two_tower.pt"
if last.exists():
    state = torch.load(last)
    net.load_state_dict(state["net"]); opt.load_state_dict(state["opt"]); step = state["step"]
    print(f"Restored {last} (global step {step}); continuing to {target}", flush=True)
else:
    print(f"No earlier state in {store}, first run; {target} steps", flush=True)
while step < target:
    step += 1
    u, i = torch.randint(0, 60, (256,)), torch.randint(0, 90, (256,))
    score = (users(u) * items(i)).sum(1)
    loss = torch.nn.functional.soft_margin_loss(score, truth[u, i])
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.03)
    if step % 25 == 0:
        print(f"global step {step}: margin loss {loss.item():.4f}", flush=True)
torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "step": step}, last)
print(f"Wrote {last} at global step {step}. Finished.", flush=True)
"""
ELASTIC = """import os, pathlib, time
import torch
import torch.distributed as dist

rank, attempt = int(os.environ["RANK"]), int(os.environ.get("TORCHELASTIC_RESTART_COUNT", 0))
store = dist.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), is_master=False)
dist.init_process_group("gloo", store=dist.PrefixStore(f"try{attempt}", store), rank=rank, world_size=int(os.environ["WORLD_SIZE"]))
torch.manual_seed(rank)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(13, 26), torch.nn.Tanh(), torch.nn.Linear(26, 1)))
opt = torch.optim.Adam(net.parameters(), 8e-3)
snap = pathlib.Path("snapshots/tts.pt")
step = 0
if snap.exists():
    kept = torch.load(snap)
    net.load_state_dict(kept["net"]); opt.load_state_dict(kept["opt"])
    step = kept["step"]
    print(f"[{rank}] attempt {attempt}: picked up snapshot of step {step}", flush=True)
while step < 80:
    step += 1
    x = torch.randn(70, 13)
    loss = (net(x) - x[:, :4].mean(1, keepdim=True)).abs().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.08)
    if step == 37 and attempt == 0:
        raise OSError(116, "Stale file handle", "/corpora/tts/clean/part-017.tar")
    if step % 10 == 0 and rank == 0:
        snap.parent.mkdir(exist_ok=True)
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "step": step}, snap)
        print(f"[{rank}] step {step:>3}/80  mel L1 {loss.item():.4f}  (snapshot)", flush=True)
if rank == 0:
    print("[0] all 80 steps are done, vocoder exported", flush=True)
dist.destroy_process_group()
"""
FABRIC = """import os, random, sys, time
from mesh import Mesh

host = os.environ["SLURMD_NODENAME"]
mesh = Mesh()
for line in (
    "NET/IB : No device found.",
    "Call to ibv_open_device failed",
    "NET/OFI Failed to initialize provider efa, error -61 No data available",
    "NET/Plugin: Could not find: libnccl-net.so. Using internal net plugin.",
):
    print(f"{host}:{os.getpid()} [{mesh.rank}] NCCL WARN {line}", file=sys.stderr, flush=True)
print(f"{host}:{os.getpid()} [{mesh.rank}] NCCL INFO Using network Socket", file=sys.stderr, flush=True)
random.seed(5 + mesh.rank)
w, b = [0.0] * 4, 0.0
for step in range(1, 121):
    rows = [[random.gauss(0, 1) for _ in range(4)] for _ in range(24)]
    err = [sum(p * q for p, q in zip(w, r)) + b - (2 * r[0] - r[2] + 0.5) for r in rows]
    g = mesh.mean([*(2 * sum(e * r[k] for e, r in zip(err, rows)) / 24 for k in range(4)), 2 * sum(err) / 24, sum(e * e for e in err) / 24])
    w = [p - 0.03 * q for p, q in zip(w, g)]
    b -= 0.03 * g[4]
    time.sleep(0.1)
    if step % 12 == 0 and mesh.rank == 0:
        print(f"TRAIN step:{step} of 120 loss:{g[5]:.6f} (error rate of the link: 0, retries: 0, timeouts: 0)", flush=True)
if mesh.rank == 0:
    print("TRAIN complete", flush=True)
"""
RESPAWN = """import logging, math, os, random, subprocess, sys, time

logging.basicConfig(format="%(asctime)s %(levelname)-8s %(name)s: %(message)s", level=logging.DEBUG, stream=sys.stdout)
log, feed = logging.getLogger("fit"), logging.getLogger("feeder")
DECODE = "import os, sys\\nfor line in sys.stdin:\\n    if line.strip() == '140': os.kill(os.getpid(), 11)\\n    print(int(line) % 17 / 17, flush=True)\\n"


def spawn():
    return subprocess.Popen([sys.executable, "-c", DECODE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


child, a, c = spawn(), 0.0, 0.0
log.info("fitting 300 samples, 6 passes")
for epoch in range(1, 7):
    total = seen = 0
    for k in range(300):
        if k == 140 and epoch > 2:
            continue
        child.stdin.write(f"{k}\\n"); child.stdin.flush()
        text = child.stdout.readline()
        if not text:
            feed.error("decoder pid %d died on sample %d (signal %d, Segmentation fault); starting another, the sample is left out", child.pid, k, -child.wait())
            child = spawn()
            continue
        x = float(text)
        e = a * x + c - (3 * x - 1)
        a, c, total, seen = a - 0.1 * e * x, c - 0.1 * e, total + e * e, seen + 1
    time.sleep(0.8)
    log.info("epoch %d/6: mse %.6f over %d samples", epoch, total / seen, seen)
    if epoch == 2:
        feed.warning("sample 140 has failed twice and is now on the skip list")
child.stdin.close()
log.info("done: slope %.3f offset %.3f", a, c)
"""


def jobs() -> Iterator[SlurmJob]:
    """Each one says that it is through, and ends with 0."""
    yield slurm(
        GOOD,
        RADAR,
        PORT + "srun PYTHON nowcast.py\n",
        script="nowcast.py",
        ranks=2,
        nodes=2,
        go=28,
        cards={r: (0.6, [*stretch(0, 24, 57 + 2 * r, seed=r), done(25)]) for r in range(2)},
    )
    yield slurm(GOOD, BIGRAM, PORT + "srun PYTHON pretrain_lm.py\n", script="pretrain_lm.py", ranks=4, python="system")
    yield slurm(
        GOOD,
        ARRAY,
        'echo "array task $SLURM_ARRAY_TASK_ID on $SLURMD_NODENAME"\nsrun PYTHON grid.py\n',
        script="grid.py",
        options=("--array=6", "--job-name=grid"),
    )
    yield slurm(GOOD, TOWER, "srun PYTHON towers.py 300 ../towers\n", script="towers.py", key="towers", options=("--job-name=two-tower",))
    yield slurm(
        HARD, TOWER, "srun PYTHON towers.py 375 ../towers\n", script="towers.py", parent="towers", options=("--job-name=two-tower",)
    )  # starts at 300 and has only 75 to go
    launch = "srun PYTHON -m torch.distributed.run --standalone --nproc-per-node=2 --max-restarts=2 tts.py\n"
    yield slurm(HARD, ELASTIC, launch, script="tts.py")  # both ranks fail once, the agent starts them again
    yield slurm(HARD, FABRIC, PORT + "srun PYTHON linreg.py\n", script="linreg.py", ranks=3, nodes=1, python="system")
    yield slurm(HARD, RESPAWN, "PYTHON slope.py\n", script="slope.py", python="system")
