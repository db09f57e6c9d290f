"""A program of pairs that are told from each other, over Slurm tasks."""

PAIRS = '''#!/usr/bin/env python
# contrastive pretraining on pairs of crops, multi-process
import os, sys, time
import torch
import torch.nn.functional as F
import torch.distributed as dist

R = int(os.environ["SLURM_PROCID"]); W = int(os.environ.get("WORLD_SIZE", os.environ["SLURM_NTASKS"]))
STEPS = int(os.environ.get("STEPS", 160)); EVERY = int(os.environ.get("EVERY", 8)); TEMP = 0.2
LR = float(os.environ.get("LR", 4e-3))

def table(*cells):
    if R == 0:
        print("| " + " | ".join(f"{c:>10}" for c in cells) + " |", flush=True)

#: early
dist.init_process_group("gloo", rank=R, world_size=W)
torch.manual_seed(0)
enc = torch.nn.Sequential(torch.nn.Linear(40, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
begin = 1
#: load
opt = torch.optim.AdamW(enc.parameters(), lr=LR)
g = torch.Generator().manual_seed(900 + R)
table("step", "nt_xent", "align", "gnorm", "sec/step")
table(*["-" * 10] * 5)
#: ready
mark = time.time()
for step in range(begin, STEPS + 1):
    #: data
    base = torch.randn(24, 40, generator=g)
    a, b = (F.normalize(enc(base + 0.5 * torch.randn(24, 40, generator=g)), dim=1) for _ in range(2))
    gathered = [torch.zeros_like(b) for _ in range(W)]
    dist.all_gather(gathered, b.detach())
    gathered[R] = b
    loss = F.cross_entropy(a @ torch.cat(gathered).T / TEMP, torch.arange(24) + 24 * R)
    #: loss
    opt.zero_grad()
    loss.backward()
    flat = torch.cat([p.grad.flatten() for p in enc.parameters()])
    dist.all_reduce(flat)
    flat /= W
    k = 0
    for p in enc.parameters():
        p.grad.copy_(flat[k:k + p.numel()].view_as(p))
        k += p.numel()
    opt.step()
    if step % EVERY == 0:
        table(step, f"{loss.item():.4f}", f"{(a * b).sum(1).mean().item():.3f}", f"{flat.norm().item():.3f}", f"{(time.time() - mark) / EVERY:.3f}")
        mark = time.time()
    #: after
#: late
if R == 0:
    print(f"pretraining over after {STEPS} steps, encoder kept in memory of rank 0 only", flush=True)
dist.destroy_process_group()
'''
