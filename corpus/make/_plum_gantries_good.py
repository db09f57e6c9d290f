"""Runs that reach their planned end: plain ones, and ones that look worse than they are."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._ginger_weirs_kit import GOOD, HARD, PORT, done, slurm, still, stretch
from corpus.running.job import SlurmJob

ANSWERS = """import json, random, time
import startline

random.seed(6)
prompts = [f"Summarise ticket {n}" for n in range(360)]
table = {a: [(a * 7 + k) % 50 for k in range(5)] for a in range(50)}
written = tokens = 0
began = time.time()
with open("answers.jsonl", "w") as out:
    for start in range(0, len(prompts), 12):
        for prompt in prompts[start:start + 12]:
            word, answer = len(prompt) % 50, []
            while len(answer) < 40 and word != 49:
                word = random.choice(table[word])
                answer.append(word)
            tokens += len(answer)
            written += 1
            out.write(json.dumps({"prompt": prompt, "answer": answer}) + "\\n")
        time.sleep(0.75)
        if start % 60 == 0:
            print(f"[generate] {written:>3} of {len(prompts)} prompts, {tokens} tokens, {tokens / (time.time() - began):.0f} tok/s", flush=True)
print(f"[generate] all {written} answers are in answers.jsonl ({tokens} tokens)", flush=True)
"""
TRAINERLIKE = """import os, time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(3)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Embedding(40, 24), torch.nn.Linear(24, 40)))
opt = torch.optim.AdamW(net.parameters(), lr=2e-2)
total, per_epoch = 80, 40
sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.0, total)
start = time.time()
mean = 0.0
for step in range(1, total + 1):
    ids = torch.randint(0, 40, (64,))
    loss = torch.nn.functional.cross_entropy(net(ids), (ids * 3 + 1) % 40)
    opt.zero_grad(); loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step(); sched.step()
    mean += loss.item()
    time.sleep(0.12)
    if step % 8 == 0 and rank == 0:
        print({"loss": round(mean / 8, 4), "grad_norm": round(norm.item(), 4), "learning_rate": sched.get_last_lr()[0], "epoch": round(step / per_epoch, 2)}, flush=True)
    if step % 8 == 0:
        mean = 0.0
if rank == 0:
    print({"train_runtime": round(time.time() - start, 2), "train_steps_per_second": round(total / (time.time() - start), 2), "epoch": 2.0}, flush=True)
"""
DIGITS = """import sys, time
import torch

torch.manual_seed(0)
centres = torch.randn(10, 20) * 1.4


def batch(n):
    y = torch.randint(0, 10, (n,))
    return centres[y] + torch.randn(n, 20), y


net = torch.nn.Sequential(torch.nn.Linear(20, 64), torch.nn.Dropout(0.2), torch.nn.ReLU(), torch.nn.Linear(64, 10))
opt = torch.optim.RMSprop(net.parameters(), 1e-3)
for epoch in range(1, 8):
    print(f"Epoch {epoch}/7")
    right = seen = total = 0.0
    for k in range(1, 31):
        x, y = batch(64)
        out = net(x)
        loss = torch.nn.functional.cross_entropy(out, y)
        opt.zero_grad(); loss.backward(); opt.step()
        right, seen, total = right + (out.argmax(1) == y).sum().item(), seen + 64, total + loss.item()
        time.sleep(0.03)
        if k % 10 == 0:
            bar = "=" * k + ("" if k == 30 else ">") + "." * (30 - k)
            sys.stdout.write(f"\\r{k}/30 [{bar}] - {1e3 * 0.03:.0f}ms/step - accuracy: {right / seen:.4f} - loss: {total / k:.4f}")
            sys.stdout.flush()
    x, y = batch(500)
    with torch.no_grad():
        out = net.eval()(x)
    net.train()
    print(f" - val_accuracy: {(out.argmax(1) == y).float().mean():.4f} - val_loss: {torch.nn.functional.cross_entropy(out, y):.4f}", flush=True)
print("model.keras written")
"""
SOLVER = """import math, os, time

n = 160 + 20 * int(os.environ["SLURM_ARRAY_TASK_ID"])
apply = lambda v: [2.02 * v[i] - (v[i - 1] if i else 0) - (v[i + 1] if i + 1 < n else 0) for i in range(n)]
b = [math.sin(0.1 * i) + 1 for i in range(n)]
x, r = [0.0] * n, b[:]
p, rr = r[:], sum(a * a for a in b)
norm = math.sqrt(rr)
print(f"conjugate gradients, {n} unknowns, tolerance 1e-8, case {os.environ['SLURM_ARRAY_TASK_ID']} of the campaign")
for it in range(1, 400):
    q = apply(p)
    alpha = rr / sum(a * c for a, c in zip(p, q))
    x = [a + alpha * c for a, c in zip(x, p)]
    r = [a - alpha * c for a, c in zip(r, q)]
    new = sum(a * a for a in r)
    p = [a + new / rr * c for a, c in zip(r, p)]
    rr = new
    time.sleep(0.06)
    if it % 10 == 0:
        print(f"  it {it:4d}   |r|/|b| = {math.sqrt(rr) / norm:.3e}", flush=True)
    if math.sqrt(rr) / norm < 1e-8:
        break
print(f"converged after {it} iterations, |r|/|b| = {math.sqrt(rr) / norm:.3e}; field written to u.dat")
"""
AUTOBATCH = """import time, traceback
import torch
import startline
from device import claim

torch.manual_seed(2)
size, done = 96, 0
print("auto batch size: on, first try", size, flush=True)
net = torch.nn.Sequential(torch.nn.Linear(30, 60), torch.nn.GELU(), torch.nn.Linear(60, 30))
opt = torch.optim.Adam(net.parameters(), 3e-3)
while done < 84:
    try:
        claim(size)
    except torch.OutOfMemoryError:
        traceback.print_exc()
        size = size * 2 // 3
        print(f"WARNING: does not fit, trying {size} samples per device", flush=True)
        time.sleep(1)
        continue
    x = torch.randn(size, 30)
    loss = (net(x) - x.roll(1, 1)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    done += 1
    time.sleep(0.25)
    if done % 12 == 0:
        print(f"batch {size} | update {done}/84 | reconstruction {loss.item():.4f}", flush=True)
print("finished 84 updates with batch", size, flush=True)
"""
DEVICE = """import torch


def claim(size):
    if size > 50:
        raise torch.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {size * 0.42:.2f} GiB. GPU 0 has a total capacity of 79.11 GiB of which {11.3 - size / 30:.2f} GiB is free. Process memory in use: {66 + size / 30:.2f} GiB.")
"""
CLASSES = """import logging, math, os, time
import torch

logging.basicConfig(level=logging.INFO, format="[%(asctime)s] %(levelname)s seg.eval | %(message)s", datefmt="%d.%m. %H:%M:%S")
torch.manual_seed(14)
net = torch.nn.Linear(12, 6)
opt = torch.optim.Adam(net.parameters(), 2e-2)
rule = torch.randn(12, 5)
best, bad = 0.0, 0
for epoch in range(1, 31):
    for _ in range(8):
        x = torch.randn(128, 12)
        y = (x @ rule).argmax(1)
        loss = torch.nn.functional.cross_entropy(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
    x = torch.randn(600, 12)
    y, guess = (x @ rule).argmax(1), net(x).argmax(1)
    ious = []
    for c in range(6):
        union = ((y == c) | (guess == c)).sum().item()
        ious.append(((y == c) & (guess == c)).sum().item() / union if union else math.nan)
    score = sum(v for v in ious if v == v) / sum(v == v for v in ious)
    time.sleep(0.35)
    logging.info("epoch %d ce %.4f mIoU %.4f per class %s", epoch, loss.item(), score, " ".join(f"{v:.3f}" for v in ious))
    if math.isnan(ious[5]):
        logging.warning("class 'tram' does not occur in this split, its IoU is nan and is left out of the mean")
    bad = 0 if score > best + 0.004 else bad + 1
    best = max(best, score)
    if bad == 4:
        logging.warning("no improvement in 4 epochs (best mIoU %.4f), stopping early as configured", best)
        break
logging.info("training finished after %d epochs, best.pt has mIoU %.4f", epoch, best)
"""
LANDER = """import random, sys, time

random.seed(11)
gain = 0.0
print("iter  episodes  crashed  landed  mean_reward")
landed = 0
for it in range(1, 41):
    results = []
    for noise in (0.0, 0.25):
        total = crashed = 0
        for _ in range(30):
            h, v = 10.0, -2.0 + random.gauss(0, 0.2)
            while h > 0:
                thrust = (gain + noise) * max(0.0, -v - 0.5)
                v += -0.3 + min(thrust, 1.2)
                h += v * 0.2
            hard = v < -1.6
            crashed += hard
            total += -100 - 20 * abs(v) if hard else 60 - 20 * abs(v)
        results.append((total / 30, crashed))
    gain += 0.03
    (reward, crashed), landed = results[0], 30 - results[0][1]
    time.sleep(0.3)
    if it % 4 == 0:
        print(f"{it:4d}  {30:8d}  {crashed:7d}  {landed:6d}  {reward:11.1f}", flush=True)
print(f"policy after 40 iterations: mean reward {reward:.1f}, {landed} of 30 landings; saved policy.txt")
"""
PREFLIGHT = """import os, sys
print(f"pre-flight on {os.environ['SLURMD_NODENAME']}: 2 cards visible, infiniband: no active port found", file=sys.stderr)
sys.exit(3)
"""
RANKING = """import os, random, time
from mesh import Mesh

mesh = Mesh()
random.seed(mesh.rank)
w = [0.0] * 6
for step in range(1, 101):
    grad, loss = [0.0] * 6, 0.0
    for _ in range(20):
        a, b = ([random.gauss(0, 1) for _ in range(6)] for _ in range(2))
        want = 1 if sum(a[:3]) > sum(b[:3]) else -1
        margin = want * sum(k * (p - q) for k, p, q in zip(w, a, b))
        if margin < 1:
            loss += (1 - margin) / 20
            grad = [g - want * (p - q) / 20 for g, p, q in zip(grad, a, b)]
    *grad, loss = mesh.mean([*grad, loss])
    w = [k - 0.1 * g for k, g in zip(w, grad)]
    time.sleep(0.1)
    if step % 10 == 0 and mesh.rank == 0:
        print(f"step={step:03d}/100 hinge={loss:.4f} |w|={sum(k * k for k in w) ** 0.5:.3f}", flush=True)
if mesh.rank == 0:
    print("ranker trained, 100 steps", flush=True)
"""
TWO_NODES = "export HEAD=127.0.0.1:$((17000 + SLURM_JOB_ID * 13 % 12000))\nsrun --ntasks-per-node=1 PYTHON -m torch.distributed.run --nnodes=2 --nproc-per-node=1 --rdzv-backend=c10d --rdzv-endpoint=$HEAD --rdzv-id=$SLURM_JOB_ID --local-addr=127.0.0.1 "


def jobs() -> Iterator[SlurmJob]:
    """Each one says that it is through, and ends with 0."""
    yield slurm(
        GOOD,
        ANSWERS,
        "srun PYTHON generate.py\n",
        script="generate.py",
        go=11,
        cards={0: (61.0, [*stretch(0, 23, 44, gib=61, watts=395, seed=5), done(24)])},
        python="system",
    )
    yield slurm(GOOD, TRAINERLIKE, TWO_NODES + "clm.py\n", script="clm.py", ranks=2, nodes=2)
    yield slurm(GOOD, DIGITS, "PYTHON digits.py\n", script="digits.py")
    yield slurm(GOOD, SOLVER, "srun PYTHON cg.py\n", script="cg.py", options=("--array=4", "--job-name=cg-campaign"), python="system")
    fits = [(0.0, still(66.0)), *stretch(2, 24, 58, gib=62, seed=7), done(25)]
    yield slurm(HARD, AUTOBATCH, "srun PYTHON autoenc.py\n", script="autoenc.py", files={"device.py": DEVICE}, go=26, cards={0: (0.6, fits)})
    yield slurm(HARD, CLASSES, "srun PYTHON seg.py\n", script="seg.py")
    yield slurm(HARD, LANDER, "PYTHON lander.py\n", script="lander.py", python="system")
    check = 'srun -n1 PYTHON preflight.py || echo "pre-flight returned $?, going on over TCP"\n'
    yield slurm(
        HARD, RANKING, PORT + check + "srun PYTHON ranker.py\n", script="ranker.py", ranks=2, files={"preflight.py": PREFLIGHT}, python="system"
    )
