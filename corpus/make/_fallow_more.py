"""A few more jobs that end well."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._copse_kit import DOOR, GOOD, HARD, steady, still, submit, told, works
from corpus.running.job import SlurmJob

BOXED = """import os
import time
import torch

torch.manual_seed(26)
base = torch.nn.Linear(32, 32)
base.requires_grad_(False)
a, b = torch.nn.Linear(32, 4, bias=False), torch.nn.Linear(4, 32, bias=False)
torch.nn.init.zeros_(b.weight)
shift = torch.randn(32, 32) / 8
opt = torch.optim.AdamW([*a.parameters(), *b.parameters()], 8e-3)
time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
print("+--------+----------+-----------+---------+")
print("|  step  |   loss   |  val loss |  tok/s  |")
print("+--------+----------+-----------+---------+", flush=True)
for step in range(1, 121):
    x = torch.randn(64, 32)
    loss = (base(x) + b(a(x)) - base(x) - x @ shift).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.2)
    if step % 12 == 0:
        with torch.no_grad():
            v = torch.randn(200, 32)
            val = (b(a(v)) - v @ shift).square().mean()
        print(f"| {step:>6} | {loss.item():>8.4f} | {val.item():>9.4f} | {64 * 512 / 0.2 / 1000:>6.0f}k |", flush=True)
print("+--------+----------+-----------+---------+")
print("adapter saved: 120 steps, r=4")
torch.save({"a": a.state_dict(), "b": b.state_dict()}, "adapter.pt")
"""
LABELLED = """import os
import time
import torch
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(rank + 1)
gnn = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(10, 3))
opt = torch.optim.Adam(gnn.parameters(), 1e-2)
adj = torch.eye(30) * 0.5 + torch.rand(30, 30, generator=torch.Generator().manual_seed(0)).gt(0.9) * 0.1
for epoch in range(1, 101):
    feats = torch.randn(30, 10)
    y = (adj @ feats)[:, :3].argmax(1)
    loss = torch.nn.functional.cross_entropy(gnn(adj @ feats), y)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.13)
    if epoch % 10 == 0:
        acc = (gnn(adj @ feats).argmax(1) == y).float().mean().item()
        print(f"Epoch: {epoch:03d}, Loss: {loss.item():.4f}, Train: {acc:.4f}", flush=True)
print("Final epoch reached", flush=True)
dist.destroy_process_group()
"""
FOLD = """import logging
import os
import time
import numpy as np

fold = int(os.environ["SLURM_ARRAY_TASK_ID"])
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s fold{fold} %(message)s", datefmt="%H:%M")
rng = np.random.default_rng(100 + fold)
x = rng.normal(size=(400, 8))
y = x @ rng.normal(size=8) + 0.1 * rng.normal(size=400)
test = np.arange(400) % 5 == fold % 5
w, m = np.zeros(8), np.zeros(8)
for sweep in range(1, 61):
    g = x[~test].T @ (x[~test] @ w - y[~test]) / (~test).sum()
    m = 0.8 * m + g
    w -= 0.03 * m
    time.sleep(0.15)
    if sweep % 6 == 0:
        logging.info("sweep %d/60 rmse train %.4f test %.4f", sweep, np.sqrt(np.mean((x[~test] @ w - y[~test]) ** 2)), np.sqrt(np.mean((x[test] @ w - y[test]) ** 2)))
logging.info("fold finished, R2 %.4f", 1 - np.mean((x[test] @ w - y[test]) ** 2) / y[test].var())
"""
OPTIONAL = """import time
import torch

torch.manual_seed(36)
net = torch.nn.Sequential(torch.nn.Conv1d(2, 8, 9, padding=4), torch.nn.ReLU(), torch.nn.Conv1d(8, 1, 9, padding=4))
opt = torch.optim.NAdam(net.parameters(), 4e-3)
for n in range(1, 141):
    s = torch.randn(12, 1, 80).cumsum(-1) / 4
    noise = torch.randn(12, 1, 80) * 0.4
    est = net(torch.cat([s + noise, noise.roll(1, -1)], 1))
    sdr = 10 * torch.log10(s.square().sum() / (s - est).square().sum())
    opt.zero_grad(); (s - est).square().mean().backward(); opt.step()
    time.sleep(0.1)
    if n % 14 == 0:
        print(f"batch {n:>3}: mse={(s - est).square().mean().item():.4f} SDR={sdr.item():6.2f} dB", flush=True)
print("separator written after 140 batches")
torch.save(net.state_dict(), "separator.pt")
"""
VALIDATES = """import os
import time
import torch

torch.manual_seed(46)
net = torch.nn.Sequential(torch.nn.Linear(20, 50), torch.nn.ReLU(), torch.nn.Linear(50, 5))
w = torch.randn(20, 5)
opt = torch.optim.AdamW(net.parameters(), 4e-3)
time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
for epoch in range(1, 4):
    for i in range(1, 51):
        x = torch.randn(64, 20)
        loss = torch.nn.functional.cross_entropy(net(x), (x @ w).argmax(1))
        opt.zero_grad(); loss.backward(); opt.step()
        time.sleep(0.2)
        if i % 10 == 0:
            print(f"epoch {epoch} [{i}/50] loss {loss.item():.4f}", flush=True)
    print(f"epoch {epoch}: decoding 2,000 validation utterances on the CPU (beam 8)", flush=True)
    time.sleep(5)
    x = torch.randn(500, 20)
    print(f"epoch {epoch}: WER {100 * (net(x).argmax(1) != (x @ w).argmax(1)).float().mean().item():.2f} %  (5.0 s)", flush=True)
print("finished 3 epochs")
"""
INITIAL = """import argparse
import time
import torch

p = argparse.ArgumentParser()
p.add_argument("--init-from")
p.add_argument("--max-steps", type=int, default=120)
a = p.parse_args()
torch.manual_seed(56)
mix = torch.randn(14, 14) / 4
body = torch.nn.Linear(14, 14)
body.weight.data = mix.T + 0.05 * torch.randn(14, 14)
torch.save(body.state_dict(), a.init_from)
body.load_state_dict(torch.load(a.init_from))
print(f"initialised from {a.init_from}; optimizer state not restored (--init-from), global step starts at 0")
opt = torch.optim.AdamW(body.parameters(), 5e-4)
for step in range(a.max_steps):
    x = torch.randn(64, 14)
    loss = (body(x) - x @ mix).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.1)
    if step % 10 == 0 or step == a.max_steps - 1:
        print(f"step={step} loss={loss.item():.5f} lr=5.0e-04")
print(f"stage 2 finished after {a.max_steps} steps")
"""


def jobs() -> Iterator[SlurmJob]:
    """Three plain, three that would worry."""
    yield submit(GOOD, "adapter.py", BOXED, "srun PYTHON adapter.py\n", cards={0: steady(48, 26, gib=29, watts=470)})
    yield submit(GOOD, "gcn.py", LABELLED, DOOR + "srun -l PYTHON gcn.py\n", ranks=4, nodes=2)
    yield submit(GOOD, "folds.py", FOLD, "PYTHON folds.py\n", options=("--array=4",))
    yield submit(HARD, "separate.py", OPTIONAL, "srun -n1 dcgmi-stat --all || echo 'no statistics of the cards, going on'\nsrun -n1 bash -c 'grep -q fast /scratch/node.conf'\nsrun -n1 PYTHON separate.py\n")
    pauses = [x for e in range(3) for x in (*[(at + e * 15.1, v) for at, v in works(59, 0, 10, gib=35)], (e * 15.1 + 10.1, still(35, watts=122, mhz=1980, temp=48)))]
    yield submit(HARD, "asr.py", VALIDATES, "srun PYTHON asr.py\n", cards={0: told(*pauses, (45.5, still()))})  # three epochs, each with a validation of five seconds on the CPU
    yield submit(HARD, "stage2.py", INITIAL, "srun PYTHON stage2.py --init-from pretrained_body.pt\n")
