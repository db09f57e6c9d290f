"""Runs that learned nothing, did next to nothing, or were ended from outside."""

from corpus.make._crate import crate
from corpus.running.job import Signal

DETACHED = """
import time

import torch
from torch import nn

torch.manual_seed(10)
X = torch.randn(640, 28)
Y = (X[:, :10] + 0.3 * torch.randn(640, 10)).argmax(1)
model = nn.Sequential(nn.Linear(28, 64), nn.ReLU(), nn.Linear(64, 10))
nn.init.zeros_(model[2].weight)
nn.init.zeros_(model[2].bias)
opt = torch.optim.AdamW([p.detach().clone().requires_grad_() for p in model.parameters()], lr=1e-3)  # decay and no decay groups come later
print(f"{'Epoch':>5} {'LR':>9} {'Loss':>10} {'Acc@1':>7}")
for epoch in range(1, 31):
    total = hits = 0
    for i in torch.randperm(640).split(64):
        out = model(X[i])
        loss = nn.functional.cross_entropy(out, Y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(i)
        hits += (out.argmax(1) == Y[i]).sum().item()
        time.sleep(0.01)
    print(f"{epoch:>5} {opt.param_groups[0]['lr']:>9.1e} {total / 640:>10.6f} {100 * hits / 640:>7.2f}")
torch.save(model.state_dict(), "model_final.pth")
print("Saved model_final.pth")
"""

FILTERED = """
import json
import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
rows = [json.loads(line) for line in open("pairs.jsonl")]
kept = [r for r in rows if r["score"] >= 0.98]
mine = kept[rank::world]
if rank == 0:
    print(f"pairs: {len(rows)} read, {len(kept)} kept at score >= 0.98", flush=True)
torch.manual_seed(0)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.EmbeddingBag(300, 16), torch.nn.Linear(16, 2)))
opt = torch.optim.AdamW(net.parameters(), 1e-4)
step, per = 0, 4
total = len(mine) // per
for k in range(total):
    part = mine[k * per : k * per + per]
    loss = torch.nn.functional.cross_entropy(net(torch.tensor([r["ids"] for r in part])), torch.tensor([r["label"] for r in part]))
    opt.zero_grad()
    loss.backward()
    opt.step()
    step += 1
    if rank == 0:
        print(f"epoch 1/1 step {step}/{total} loss {loss.item():.4f}", flush=True)
if rank == 0:
    torch.save(net.module.state_dict(), "reranker.pt")
    print(f"epoch 1/1 finished after {step} steps, reranker.pt saved", flush=True)
dist.destroy_process_group()
"""
PAIRS = "\n".join(
    f'{{"ids": [{k * 7 % 300}, {k * 11 % 300}, {k * 13 % 300}], "label": {k % 2}, "score": {(k * 29 % 400) / 400:.4f}}}' for k in range(1200)
)

LONGDDP = """
import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(6)
D, TOTAL = 24, 6000
net = torch.nn.parallel.DistributedDataParallel(torch.nn.LSTM(8, D, batch_first=True))
head = torch.nn.Linear(D, 8)
opt = torch.optim.Adam([*net.parameters(), *head.parameters()], 4e-3)
start = time.time()
for step in range(1, TOTAL + 1):
    phase = 6.3 * torch.rand(12, 1, 1)
    wave = torch.sin(phase + torch.arange(21)[None, :, None] * torch.linspace(0.1, 0.8, 8))
    loss = (head(net(wave[:, :-1])[0]) - wave[:, 1:]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.03)
    if rank == 0 and step % 20 == 0:
        v = step / (time.time() - start)
        print(f"| {step:6d}/{TOTAL} | {100 * step / TOTAL:5.2f}% | mse {loss.item():.5f} | {v:5.2f} it/s | ETA {(TOTAL - step) / v:6.0f} s |", flush=True)
    if rank == 0 and step % 200 == 0:
        torch.save(net.module.state_dict(), "waves.pt")
        print(f"| checkpoint waves.pt at step {step}", flush=True)
"""

CONTRAST = """
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(2)
f = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(32, 48), torch.nn.ReLU(), torch.nn.Linear(48, 16)))
opt = torch.optim.Adam(f.parameters(), 3e-3)
EPOCHS, PER = 90, 15
for epoch in range(1, EPOCHS + 1):
    total = 0.0
    for _ in range(PER):
        x = torch.randn(32, 32)
        a, b = (torch.nn.functional.normalize(f(x + 0.3 * torch.randn_like(x)), dim=1) for _ in range(2))
        loss = torch.nn.functional.cross_entropy(a @ b.T / 0.2, torch.arange(32))
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() / PER
        time.sleep(0.025)
    if rank == 0:
        print(f"{time.strftime('%Y/%m/%d %H:%M:%S')} epoch [{epoch}/{EPOCHS}] infonce={total:.4f}", flush=True)
"""

JOBS = (
    crate("E1", "tenway.py", DETACHED, variant="flat", note="loss ln 10 and accuracy the same in all 30 epochs"),
    crate("E3", "rerank_ddp.py", FILTERED, ranks=2, files={"pairs.jsonl": PAIRS + "\n"}, note="1200 pairs read, 24 kept, three steps, exit 0"),
    crate(
        "F3",
        "waves_ddp.py",
        LONGDDP,
        variant="advancing",
        ranks=2,
        timeout_s=30,
        note="20 steps a second's worth at a time until the limit, ETA of minutes",
    ),
    crate(
        "F4", "contrast.py", CONTRAST, ranks=3, signal=Signal("INT", r"epoch \[16/"), note="Ctrl-C while epochs go by; torchrun's word of the signal"
    ),
)
