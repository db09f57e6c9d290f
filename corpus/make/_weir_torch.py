"""Programs of several ranks in PyTorch: DDP with a bar of its own, gradients averaged by hand, two stages of a pipeline."""

MURMUR = '''"""Flock sounds: a small convolutional net over spectra, DistributedDataParallel over gloo."""
import argparse
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

rank = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", "0")))
world = int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", "1")))
p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=6)
p.add_argument("--batches", type=int, default=24)
p.add_argument("--lr", type=float, default=0.02)
p.add_argument("--nap", type=float, default=0.02)
p.add_argument("--warm-start", default="")
args = p.parse_args()
torch.set_num_threads(1)


def bar(epoch, i, loss, began):
    if rank == 0 and (i % 6 == 0 or i == args.batches):
        fill = "#" * (20 * i // args.batches)
        sys.stderr.write(f"\\rE{epoch:02d} |{fill:<20}| {i}/{args.batches} [{time.time() - began:.1f}s] ce={loss:.4f}" + ("\\n" if i == args.batches else ""))
        sys.stderr.flush()


#: early
os.environ.setdefault("MASTER_PORT", os.environ.get("PORT", "29500"))
os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
#: before
dist.init_process_group("gloo", rank=rank, world_size=world, timeout=__import__("datetime").timedelta(seconds=int(os.environ.get("PATIENCE", "1800"))))
torch.manual_seed(11)
net = nn.Sequential(nn.Conv1d(1, 6, 5), nn.ReLU(), nn.AdaptiveAvgPool1d(8), nn.Flatten(), nn.Linear(48, 4))
#: net
ddp = nn.parallel.DistributedDataParallel(net)
opt = torch.optim.SGD(ddp.parameters(), args.lr, momentum=0.9)
tone = torch.arange(4.0)[:, None] + 1
gen = torch.Generator().manual_seed(100 + rank)
first = 1
#: load
if rank == 0:
    print(f"{sum(t.numel() for t in net.parameters())} parameters, {world} processes, torch {torch.__version__}", flush=True)
for epoch in range(first, args.epochs + 1):
    began, seen = time.time(), 0.0
    for i in range(1, args.batches + 1):
        #: data
        y = torch.randint(0, 4, (16,), generator=gen)
        x = torch.sin(tone[y] * torch.linspace(0, 12, 64)) + 0.3 * torch.randn(16, 64, generator=gen)
        loss = F.cross_entropy(ddp(x[:, None]), y)
        #: loss
        opt.zero_grad()
        loss.backward()
        opt.step()
        seen += loss.item() / args.batches
        bar(epoch, i, loss.item(), began)
        #: after
        time.sleep(args.nap)
    if rank == 0:
        print(f"epoch {epoch:>2}  train ce {seen:.4f}  lr {args.lr:g}  {time.time() - began:.2f} s", flush=True)
    #: epoch
#: late
dist.barrier()
if rank == 0:
    print("training is over", flush=True)
dist.destroy_process_group()
'''

TEJEDOR = '''# Tejidos defectuosos: red pequena, gradientes promediados a mano entre procesos
import os
import time

import torch
import torch.distributed as dist

YO, TODOS = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
VUELTAS = int(os.environ.get("VUELTAS", "8"))
PASOS, SIESTA = int(os.environ.get("PASOS", "20")), float(os.environ.get("SIESTA", "0.03"))
torch.set_num_threads(1)


def decir(texto, todos=False):
    if YO == 0 or todos:
        print(f"<{time.strftime('%H:%M:%S')}> proceso {YO}: {texto}", flush=True)


#: early
decir("arrancando", todos=True)
#: before
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{os.environ['PORT']}", rank=YO, world_size=TODOS)
decir(f"{TODOS} procesos conectados")
torch.manual_seed(4)
red = torch.nn.Sequential(torch.nn.Linear(12, 24), torch.nn.Tanh(), torch.nn.Linear(24, 1))
opt = torch.optim.Adam(red.parameters(), 0.01)
gen = torch.Generator().manual_seed(50 + YO)
inicio = 1
#: load
for vuelta in range(inicio, VUELTAS + 1):
    suma = torch.zeros(1)
    for paso in range(1, PASOS + 1):
        #: data
        x = torch.randn(32, 12, generator=gen)
        y = (x[:, :1] * x[:, 3:4] > 0).float()
        perdida = torch.nn.functional.binary_cross_entropy_with_logits(red(x), y)
        #: loss
        opt.zero_grad()
        perdida.backward()
        for g in red.parameters():
            dist.all_reduce(g.grad)
            g.grad /= TODOS
        opt.step()
        suma += perdida.detach() / PASOS
        #: after
        time.sleep(SIESTA)
    dist.all_reduce(suma)
    decir(f"vuelta {vuelta}/{VUELTAS} - perdida media {suma.item() / TODOS:.4f}")
    #: epoch
#: late
decir(f"listo, {VUELTAS} vueltas completas")
'''

SLUICE = '''import os, time, torch, torch.distributed as dist
from torch import nn

STAGE, OF = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
MICRO, STEPS = 4, int(os.environ.get("STEPS", "120"))
REST = float(os.environ.get("REST", "0.01"))
torch.set_num_threads(1)
print(f"[stage {STAGE}/{OF}] building", flush=True)
#: early
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{os.environ['PORT']}", rank=STAGE, world_size=OF)
torch.manual_seed(STAGE)
block = nn.Sequential(nn.Linear(16, 16), nn.GELU()) if STAGE < OF - 1 else nn.Sequential(nn.Linear(16, 16), nn.GELU(), nn.Linear(16, 3))
opt = torch.optim.AdamW(block.parameters(), 6e-3)
g = torch.Generator().manual_seed(8)
for step in range(STEPS):
    #: data
    acts, total = [], 0.0
    opt.zero_grad()
    for m in range(MICRO):
        x, t = torch.randn(8, 16, generator=g), None
        t = (x[:, 0] > 0.5).long() + (x[:, 1] > 0.5).long()
        if STAGE:
            x = torch.empty(8, 16)
            dist.recv(x, STAGE - 1)
            x.requires_grad_(True)
        out = block(x)
        if STAGE < OF - 1:
            dist.send(out.detach(), STAGE + 1)
        acts.append((x, out, t))
    #: loss
    for x, out, t in acts:
        if STAGE == OF - 1:
            loss = nn.functional.cross_entropy(out, t) / MICRO
            loss.backward()
            total += loss.item()
        else:
            back = torch.empty(8, 16)
            dist.recv(back, STAGE + 1)
            out.backward(back)
        if STAGE:
            dist.send(x.grad, STAGE - 1)
    opt.step()
    if STAGE == OF - 1 and (step + 1) % 10 == 0:
        print(f"[stage {STAGE}/{OF}] {step + 1:>4} | {MICRO} micro | loss={total:.4f}", flush=True)
    #: after
    time.sleep(REST)
#: late
print(f"[stage {STAGE}/{OF}] done with {STEPS} steps", flush=True)
'''
FILES = {"MURMUR": "murmur.py", "TEJEDOR": "tejedor.py", "SLUICE": "sluice.py"}
