"""Jobs that ended as planned; most of the second half has something in its output that one would stop at."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._amber_sluices_frame import GOOD, HARD, busy, humming, sbatch, still, told
from corpus.running.job import SlurmJob

DECODER = """import math
import os
import time

import torch
import torch.distributed as dist
import torch.nn as nn

import clock

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
V, D, T, STEPS, WARM, PEAK = 40, 32, 16, 60, 10, 8e-3


def note(text):
    if rank == 0:
        print(time.strftime("[%Y-%m-%d %H:%M:%S] ") + text, flush=True)


class Tiny(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(V, D), nn.Embedding(T, D)
        self.block = nn.TransformerEncoderLayer(D, 4, 64, dropout=0.0, batch_first=True)
        self.out = nn.Linear(D, V)

    def forward(self, ids):
        mask = nn.Transformer.generate_square_subsequent_mask(T)
        return self.out(self.block(self.tok(ids) + self.pos.weight, src_mask=mask, is_causal=True))


torch.manual_seed(0)
net = Tiny()
params = list(net.parameters())
opt = torch.optim.AdamW(params, lr=PEAK, betas=(0.9, 0.95))
note(f"tensor parallel 1, data parallel {world}, {sum(p.numel() for p in params)} parameters")
torch.manual_seed(50 + rank)
clock.wait()
for it in range(1, STEPS + 1):
    t = time.time()
    lr = PEAK * it / WARM if it <= WARM else PEAK * 0.5 * (1 + math.cos(math.pi * (it - WARM) / (STEPS - WARM)))
    opt.param_groups[0]["lr"] = lr
    start = torch.randint(0, V, (16, 1))
    ids = (start + 3 * torch.arange(T + 1)) % V
    loss = nn.functional.cross_entropy(net(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    for p in params:
        dist.all_reduce(p.grad)
        p.grad /= world
    norm = nn.utils.clip_grad_norm_(params, 1.0)
    opt.step()
    time.sleep(0.32)
    if it % 5 == 0:
        note(f"iter {it}/{STEPS} | consumed {it * 16 * world} seqs | {1000 * (time.time() - t):.0f} ms | lr {lr:.3e} | lm loss {loss.item():.5f} | gnorm {norm:.3f} | skipped 0")
note(f"training done at iteration {STEPS}")
dist.barrier()
dist.destroy_process_group()
"""
SWEEP = """import csv
import os
import sys

import numpy as np

index = int(os.environ["SLURM_ARRAY_TASK_ID"])
l2, width = [(0.0, 8), (1e-4, 16), (1e-3, 32), (1e-2, 64)][index]
rng = np.random.default_rng(index)
x = rng.normal(size=(800, 6))
y = np.sin(x[:, :1]) + 0.5 * x[:, 1:2] + 0.05 * rng.normal(size=(800, 1))
w1, w2 = rng.normal(size=(6, width)) * 0.4, np.zeros((width, 1))
out = csv.DictWriter(sys.stdout, ["trial", "l2", "width", "epoch", "train_mse", "dev_mse"], lineterminator="\\n")
out.writeheader()
best = 9.0
for epoch in range(1, 601):
    h = np.tanh(x[:600] @ w1)
    e = h @ w2 - y[:600]
    g2 = h.T @ e / 600 + l2 * w2
    g1 = x[:600].T @ ((e @ w2.T) * (1 - h * h)) / 600 + l2 * w1
    w1, w2 = w1 - 0.3 * g1, w2 - 0.3 * g2
    if epoch % 50 == 0:
        dev = float(((np.tanh(x[600:] @ w1) @ w2 - y[600:]) ** 2).mean())
        best = min(best, dev)
        out.writerow({"trial": index, "l2": l2, "width": width, "epoch": epoch, "train_mse": round(float((e * e).mean()), 5), "dev_mse": round(dev, 5)})
print(f"# trial {index} complete, best dev_mse {best:.5f}")
"""
FOLDS = """import math
import os
import random
import time

fold, folds = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
random.seed(31)
people = []
for _ in range(600):
    age, pressure, smokes = random.uniform(20, 85), random.gauss(130, 18), random.random() < 0.3
    logit = 0.06 * (age - 55) + 0.03 * (pressure - 130) + 1.2 * smokes
    people.append(((1.0, (age - 52) / 19, (pressure - 130) / 18, float(smokes)), random.random() < 1 / (1 + math.exp(-logit))))
held = people[fold::folds]
rest = [p for n, p in enumerate(people) if n % folds != fold]
print(f"fold {fold + 1} of {folds}: {len(rest)} to fit on, {len(held)} held out", flush=True)
w = [0.0] * 4
for sweep in range(1, 61):
    loss = 0.0
    for x, y in rest:
        p = 1 / (1 + math.exp(-sum(a * b for a, b in zip(w, x))))
        loss -= math.log(p if y else 1 - p)
        w = [a - 0.01 * (p - y) * b for a, b in zip(w, x)]
    time.sleep(0.1)
    if sweep % 12 == 0:
        print(f"sweep {sweep:2d}: deviance {2 * loss / len(rest):.4f}", flush=True)
score = sorted(((sum(a * b for a, b in zip(w, x)), y) for x, y in held), reverse=True)
up = sum(y for _, y in score)
auc = sum(sum(not z for _, z in score[n:]) for n, (_, y) in enumerate(score) if y) / max(1, up * (len(score) - up))
print(f"fold {fold + 1} finished: AUC {auc:.4f}, coefficients {[round(a, 3) for a in w]}", flush=True)
"""
ARGON = """import random
import time

import clock

random.seed(5)
side, n = 6.5, 32
pos = [[(i % 4) * 1.6, (i // 4 % 4) * 1.6, (i // 16) * 1.6] for i in range(n)]
vel = [[random.gauss(0, 0.7) for _ in range(3)] for _ in range(n)]
dt, steps = 0.002, 300


def forces():
    f, potential = [[0.0] * 3 for _ in range(n)], 0.0
    for i in range(n):
        for j in range(i):
            d = [a - b - side * round((a - b) / side) for a, b in zip(pos[i], pos[j])]
            r2 = sum(c * c for c in d)
            if r2 < 6.25:
                s6 = 1 / r2**3
                potential += 4 * (s6 * s6 - s6)
                k = 24 * (2 * s6 * s6 - s6) / r2
                for c in range(3):
                    f[i][c] += k * d[c]
                    f[j][c] -= k * d[c]
    return f, potential


print(f"Lennard-Jones argon, {n} atoms, NVE, dt {dt}, {steps} steps, 1 device")
print(f"{'Step':>8}{'Time/ps':>10}{'E_pot':>12}{'E_kin':>12}{'E_tot':>12}{'Temp/K':>9}")
clock.wait()
began = time.time()
f, _ = forces()
for step in range(1, steps + 1):
    vel = [[v + 0.5 * dt * a for v, a in zip(vs, fs)] for vs, fs in zip(vel, f)]
    pos = [[(x + dt * v) % side for x, v in zip(xs, vs)] for xs, vs in zip(pos, vel)]
    f, e_pot = forces()
    vel = [[v + 0.5 * dt * a for v, a in zip(vs, fs)] for vs, fs in zip(vel, f)]
    time.sleep(0.07)
    if step % 20 == 0:
        e_kin = 0.5 * sum(v * v for vs in vel for v in vs)
        print(f"{step:8d}{step * dt * 2.16:10.3f}{e_pot:12.4f}{e_kin:12.4f}{e_pot + e_kin:12.4f}{2 * e_kin / 3 / n * 120:9.2f}", flush=True)
wall = time.time() - began
print(f"Performance: {steps * dt * 2.16e-3 / wall * 86400:.3f} ns/day, wall {wall:.2f} s\\nFinished on schedule")
"""
HALVES = """import time

import torch

import clock
from engine import forward_bytes

print("dreamlet finetune: resolution 768, train_batch_size auto (starting at 32)")
torch.manual_seed(2)
lora = torch.nn.Sequential(torch.nn.Linear(24, 4, bias=False), torch.nn.Linear(4, 24, bias=False))
opt = torch.optim.AdamW(lora.parameters(), lr=6e-3)
batch, step, total = 32, 0, 60
clock.wait()
while step < total:
    try:
        forward_bytes(batch)
    except torch.OutOfMemoryError as error:
        batch //= 2
        print(f"WARNING {type(error).__name__}: {error}\\nWARNING emptying the cache and trying again with train_batch_size={batch}", flush=True)
        time.sleep(0.8)
        continue
    x = torch.randn(batch, 3) @ torch.ones(3, 24).tril()
    loss = (lora(x) - x).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    step += 1
    time.sleep(0.36)
    if step % 6 == 0:
        print(f"Steps: {100 * step // total:3d}% {step}/{total} step_loss={loss.item():.4f} batch={batch}", flush=True)
torch.save(lora.state_dict(), "lora_out.pt")
print(f"saved LoRA weights to lora_out.pt after {total} steps (train_batch_size={batch})")
"""
ENGINE = """import torch


def forward_bytes(batch):
    if batch > 8:
        need = batch * 1.375
        raise torch.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {need:.2f} GiB. GPU 0 has a total capacity of 79.11 GiB of which {need - 2.75:.2f} GiB is free.")
"""
TRACKER = '''import json
import random
import time
import traceback
import urllib.request

import links
from links import RANK, SIZE

links.join()
random.seed(RANK)
failed = 0


def track(**row):
    """Send a row to the lab's dashboard; without it life goes on."""
    global failed
    request = urllib.request.Request("http://127.0.0.1:9/api/rows", json.dumps(row).encode())
    try:
        urllib.request.urlopen(request, timeout=2)
    except OSError:
        failed += 1
        traceback.print_exc()
        with open("offline_rows.jsonl", "a") as f:
            f.write(json.dumps(row) + "\\n")


rate, prize = [0.5, 0.5, 0.5, 0.5], [0.2, 0.35, 0.5, 0.8]
for episode in range(1, 241):
    arm = random.randrange(4) if random.random() < 0.15 else rate.index(max(rate))
    got = float(random.random() < prize[arm])
    rate[arm] += 0.05 * (got - rate[arm])
    rate = links.mean(rate)
    time.sleep(0.07)
    if RANK == 0 and episode % 40 == 0:
        regret = 0.8 - prize[rate.index(max(rate))]
        track(episode=episode, regret=regret)
        print(f"episode {episode} of 240, values {[round(v, 3) for v in rate]}, regret {regret:.2f}", flush=True)
if RANK == 0:
    print(f"bandit finished: best arm {rate.index(max(rate))}, {failed} dashboard rows kept in offline_rows.jsonl for a later sync", flush=True)
'''
PATIENCE = """import torch

torch.manual_seed(15)
x, xv = torch.randn(48, 20), torch.randn(400, 20)
truth = torch.randn(20, 1)
y, yv = x @ truth + torch.randn(48, 1) * 2, xv @ truth + torch.randn(400, 1) * 2
net = torch.nn.Sequential(torch.nn.Linear(20, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1))
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
best, best_epoch, bad = float("inf"), 0, 0
print("max_epochs 200, early stopping on val_mse (patience 8, min_delta 0.0)")
for epoch in range(1, 201):
    for _ in range(6):
        loss = (net(x) - y).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        val = (net(xv) - yv).square().mean().item()
    if val < best:
        best, best_epoch, bad = val, epoch, 0
        torch.save(net.state_dict(), "best.pt")
    else:
        bad += 1
    print(f"epoch {epoch:03d}  train_mse {loss.item():8.3f}  val_mse {val:8.3f}  {'*' if not bad else f'no improvement {bad}/8'}", flush=True)
    if bad == 8:
        print(f"early stopping: val_mse has not improved for 8 epochs; restoring epoch {best_epoch} (val_mse {best:.3f})")
        break
net.load_state_dict(torch.load("best.pt"))
print(f"test on the restored weights: mse {(net(xv) - yv).square().mean().item():.3f}\\nrun complete")
"""
TROUBLED = """import random
import time

import clock

random.seed(6)
clock.wait()
m, log_var = 3.0, 1.0
for step in range(1, 101):
    batch = [random.gauss(1.2, 0.5) for _ in range(32)]
    mu = sum(batch) / 32
    m += 0.08 * (mu - m)
    log_var += 0.05 * (-1.386 - log_var)
    elbo = -(m - 1.2) ** 2 - abs(log_var + 1.386)
    time.sleep(0.2)
    if step % 10 == 0:
        print(f"svi step {step:>3}/100  elbo {elbo:9.4f}  nan_params=0  inf_grads=0  err_budget=ok", flush=True)
print("posterior saved (error bars: analytical); errors: 0; exit normal")
"""
PREAMBLE = """module load cuda/12.9 nccl/2.27
cp -v $HOME/lists/blocked_nodes.txt . || echo 'no list of blocked nodes, taking the defaults'
kill -0 999999 2>/dev/null || echo 'previous helper is gone (killed?), good'
srun PYTHON svi.py
"""
GRADER = """import random
import subprocess
import sys
import time

random.seed(44)
TASKS = {"add": ("f(2, 3)", "5"), "last": ("f([4, 9])", "9"), "ratio": ("f(6, 3)", "2.0"), "upper": ("f('ab')", "'AB'"), "total": ("f([1, 2, 3])", "6")}
DRAFTS = {
    "add": ["def f(a, b): return a + b", "def f(a, b): return a + c"],
    "last": ["def f(x): return x[-1]", "def f(x): return x[len(x)]"],
    "ratio": ["def f(a, b): return a / b", "def f(a, b): return a / (b - 3)"],
    "upper": ["def f(s): return s.upper()", "import strings\\ndef f(s): return s.upper()"],
    "total": ["def f(x): return sum(x)", "def f(x): return f(x[1:]) + x[0]"],
}
passed = tried = 0
print("grading 40 completions of codelet-7b, 5 problems x 8 drafts, temperature 0.8", flush=True)
for name, (call, want) in TASKS.items():
    good = 0
    for draft in range(8):
        code = f"{random.choice(DRAFTS[name])}\\nprint(repr({call}))"
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20)
        tried += 1
        if ran.stdout.strip() == want:
            good += 1
        elif draft < 4:
            print(f"--- {name} draft {draft}: exit {ran.returncode}\\n" + "\\n".join(ran.stderr.splitlines()[-6:]), flush=True)
    passed += good
    time.sleep(1.0)
    print(f"problem {name}: {good}/8 drafts pass", flush=True)
with open("grades.json", "w") as report:
    report.write(f'{{"passed": {passed}, "tried": {tried}}}')
print(f"pass@1 = {passed / tried:.3f} ({passed} of {tried}); report in grades.json", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """Nine; each says its planned end, and the status is 0."""
    lm = [humming(49 + 2 * n, 24, seed=20 + n, gib=44, tensor=28) for n in range(4)]
    yield sbatch(
        GOOD, {"decoder.py": DECODER}, "srun PYTHON decoder.py\n", "--job-name=tiny-lm", shape=(2, 4), cards=lm, begin_s=75, state="COMPLETED"
    )
    yield sbatch(GOOD, {"trial.py": SWEEP}, "srun PYTHON trial.py\n", "--array=2%1", "--job-name=l2-sweep", state="COMPLETED")
    yield sbatch(GOOD, {"cv.py": FOLDS}, "srun -l PYTHON cv.py\n", "--job-name=risk-cv", shape=(2, 5), python="system", state="COMPLETED")
    gas = humming(70, 24, seed=11, gib=3, watts=405, tensor=0, dram=12)
    yield sbatch(GOOD, {"argon.py": ARGON}, "srun PYTHON argon.py\n", "--job-name=ar32", cards=[gas], python="system", state="COMPLETED")
    fits = [(1.6, busy(55, gib=52)), (5.0, busy(58, gib=53)), (12.0, busy(54, gib=53)), (23.8, still())]
    squeezed = told((0.0, busy(20, gib=76, watts=210)), (0.8, busy(18, gib=74, watts=190)), *fits)
    yield sbatch(HARD, {"lora.py": HALVES, "engine.py": ENGINE}, "srun PYTHON lora.py\n", "--job-name=lora", cards=[squeezed], state="COMPLETED")
    yield sbatch(HARD, {"bandit.py": TRACKER}, "srun PYTHON -u bandit.py\n", shape=(2, 3), python="system", state="COMPLETED")
    yield sbatch(HARD, {"reg.py": PATIENCE}, "PYTHON reg.py\n", "--job-name=ridge-net", state="COMPLETED")
    scars = {
        "remapped.corrected": "2",
        "remapped.uncorrected": "1",
        "ecc.aggregate.uncorrected": "1",
        "ecc.aggregate.uncorrected.dram": "1",
        "pcie.replay": "4",
    }
    old = humming(47, 21, seed=2, gib=11)
    aged = ({**old[0], **scars}, old[1])
    yield sbatch(HARD, {"svi.py": TROUBLED}, PREAMBLE, "--job-name=svi", cards=[aged], python="system", state="COMPLETED")
    yield sbatch(HARD, {"grade.py": GRADER}, "srun PYTHON grade.py\n", "--array=5", "--job-name=grade", python="system", state="COMPLETED")
