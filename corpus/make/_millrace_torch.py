"""Programs of several processes, in the manner of four labs: leaves from scans, a model of letters, power of wind turbines, a denoiser."""

from __future__ import annotations

LEAFNET = '''"""Species from scanned leaves."""
import argparse
import logging
import os
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=6)
p.add_argument("--per-epoch", type=int, default=40)
p.add_argument("--lr", type=float, default=0.004)
p.add_argument("--classes", type=int, default=8)
p.add_argument("--width", type=int, default=8)
p.add_argument("--out", default="runs/leaf")
p.add_argument("--resume", default="")
p.add_argument("--tell", type=int, default=10)
p.add_argument("--nap", type=float, default=0.05)
opt = p.parse_args()
rank, world, local = (int(os.environ[k]) for k in ("RANK", "WORLD_SIZE", "LOCAL_RANK"))
logging.basicConfig(stream=sys.stdout, level=logging.INFO if rank == 0 else logging.WARNING, format=f"[%(asctime)s|r{rank}] %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("leaf")
torch.set_num_threads(1)
#: early
dist.init_process_group("gloo", timeout=timedelta(seconds=int(os.environ.get("PG_SECONDS", 1800))))
torch.manual_seed(5)
protos = torch.randn(opt.classes, 1, 12, 12)
net = nn.Sequential(nn.Conv2d(1, opt.width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36 * opt.width, opt.classes))
first = 0
#: load
model = DDP(net)
sgd = torch.optim.SGD(model.parameters(), lr=opt.lr, momentum=0.9)
torch.manual_seed(100 + rank)


def scans(count):
    y = torch.randint(0, opt.classes, (count,))
    return protos[y] + 2.8 * torch.randn(count, 1, 12, 12), y


log.info("leafnet: %d processes, %d parameters, %d epochs of %d batches", world, sum(w.numel() for w in net.parameters()), opt.epochs, opt.per_epoch)
#: met
for epoch in range(first, opt.epochs):
    for it in range(1, opt.per_epoch + 1):
        step = epoch * opt.per_epoch + it
        x, y = scans(16)
        #: data
        out = model(x)
        ce = F.cross_entropy(out, y)
        sgd.zero_grad()
        ce.backward()
        #: grad
        sgd.step()
        time.sleep(opt.nap)
        if it % opt.tell == 0:
            log.info("ep %02d/%02d it %03d | ce=%.4f acc=%.1f | lr=%.1e", epoch + 1, opt.epochs, it, ce.item(), 100 * (out.argmax(1) == y).float().mean().item(), sgd.param_groups[0]["lr"])
        #: after
    with torch.no_grad():
        x, y = scans(128)
        out = net(x)
        log.info("== held-out scans after ep %02d: ce %.4f, top1 %.1f %%", epoch + 1, F.cross_entropy(out, y).item(), 100 * (out.argmax(1) == y).float().mean().item())
    #: epoch
#: late
dist.barrier()
log.info("leafnet: all %d epochs are done", opt.epochs)
dist.destroy_process_group()
'''

CHARLM = '''"""A model of letters. Settings as key=value."""
import math
import os
import random
import sys
import time
from dataclasses import dataclass, fields
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn


@dataclass
class Settings:
    updates: int = 240
    width: int = 32
    context: int = 24
    batch: int = 8
    lr: float = 3e-3
    tell: int = 20
    keep: int = 0
    snap: str = "snap.pt"
    nap: float = 0.03


conf = Settings()
kinds = {f.name: type(f.default) for f in fields(Settings)}
for word in sys.argv[1:]:
    key, _, value = word.partition("=")
    setattr(conf, key, kinds[key](value))
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.set_num_threads(1)


def say(text):
    print(text if rank == 0 else f"(proc {rank}) {text}", flush=True)


#: early
dist.init_process_group("gloo", timeout=timedelta(seconds=int(os.environ.get("PG_SECONDS", 1800))))
text = "the mill by the river turns and the race runs under the wheel; " * 60
letters = sorted(set(text))
ids = torch.tensor([letters.index(c) for c in text])
torch.manual_seed(3)


class Letters(nn.Module):
    def __init__(self):
        super().__init__()
        self.names = nn.Embedding(len(letters), conf.width)
        self.places = nn.Embedding(conf.context, conf.width)
        self.block = nn.TransformerEncoderLayer(conf.width, 4, 2 * conf.width, 0.0, batch_first=True, norm_first=True)
        self.out = nn.Linear(conf.width, len(letters))

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        return self.out(self.block(self.names(x) + self.places(torch.arange(x.shape[1])), mask))


net = Letters()
adam = torch.optim.AdamW(net.parameters(), lr=conf.lr)
begin = 1
#: load
if rank == 0:
    say(f"letters={len(letters)} procs={world} params={sum(p.numel() for p in net.parameters())} {conf}")
#: met
random.seed(rank)
for step in range(begin, conf.updates + 1):
    at = [random.randrange(len(ids) - conf.context - 1) for _ in range(conf.batch)]
    x = torch.stack([ids[a : a + conf.context] for a in at])
    y = torch.stack([ids[a + 1 : a + conf.context + 1] for a in at])
    #: data
    loss = nn.functional.cross_entropy(net(x).flatten(0, 1), y.flatten())
    adam.zero_grad()
    loss.backward()
    for p in net.parameters():
        dist.all_reduce(p.grad)
        p.grad /= world
    norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    #: grad
    adam.step()
    time.sleep(conf.nap)
    if rank == 0 and step % conf.tell == 0:
        say(f"upd {step:>5} / {conf.updates} | {step * conf.batch * conf.context * world / 1e6:.3f} M letters | bpc {loss.item() / math.log(2):.3f} | |g| {norm:.2f} | lr {adam.param_groups[0]['lr']:.1e}")
    if conf.keep and rank == 0 and step % conf.keep == 0:
        torch.save({"net": net.state_dict(), "adam": adam.state_dict(), "upd": step}, conf.snap)
        say(f"snapshot of upd {step} -> {conf.snap}")
    #: after
#: late
dist.barrier()
if rank == 0:
    say(f"that was upd {conf.updates}, bye")
dist.destroy_process_group()
'''

WINDCAST = '''#!/usr/bin/env python3
# power of the next hour from the wind of the last ones; the table goes to stdout, words to stderr
import csv
import os
import sys
import time
from datetime import timedelta

import numpy as np
import torch
import torch.distributed as dist

UPDATES = int(os.getenv("UPDATES", "260"))
TELL = int(os.getenv("TELL", "20"))
NAP = float(os.getenv("NAP", "0.04"))
LR = float(os.getenv("LR", "0.01"))
FARM = os.getenv("FARM", "north")
rank = int(os.environ["SLURM_PROCID"] if "RANK" not in os.environ else os.environ["RANK"])
world = int(os.environ["SLURM_NTASKS"] if "WORLD_SIZE" not in os.environ else os.environ["WORLD_SIZE"])
torch.set_num_threads(1)


def note(text):
    sys.stderr.write(f"# {FARM}[{rank}]: {text}\\n")
    sys.stderr.flush()


#: early
note("waiting for the others")
dist.init_process_group("gloo", rank=rank, world_size=world, timeout=timedelta(seconds=int(os.getenv("PG_SECONDS", "1800"))))
note("all there")
torch.manual_seed(8)
dice = np.random.default_rng(rank)
net = torch.nn.ModuleDict({"gru": torch.nn.GRU(2, 24, batch_first=True), "head": torch.nn.Linear(24, 1)})
adam = torch.optim.Adam(net.parameters(), lr=LR)
begin = 1
#: load
table = csv.writer(sys.stdout)
if rank == 0:
    table.writerow(["upd", "mse", "mae", "lr", "sec"])
    sys.stdout.flush()
since = time.time()
#: met
for step in range(begin, UPDATES + 1):
    wind = np.cumsum(dice.normal(0, 0.4, (12, 16, 2)), axis=1).astype("float32") / 2
    power = np.tanh(wind[:, -1, :1] + 0.5 * wind[:, -4, 1:]) + dice.normal(0, 0.05, (12, 1)).astype("float32")
    #: data
    states, _ = net["gru"](torch.from_numpy(wind))
    miss = net["head"](states[:, -1]) - torch.from_numpy(power)
    mse = miss.square().mean()
    adam.zero_grad()
    mse.backward()
    for p in net.parameters():
        dist.all_reduce(p.grad, op=dist.ReduceOp.SUM)
        p.grad.div_(world)
    #: grad
    adam.step()
    time.sleep(NAP)
    if rank == 0 and step % TELL == 0:
        table.writerow([step, f"{mse.item():.5f}", f"{miss.abs().mean().item():.4f}", f"{adam.param_groups[0]['lr']:.2e}", f"{time.time() - since:.1f}"])
        sys.stdout.flush()
    #: after
#: late
note(f"{UPDATES} updates made")
dist.barrier()
dist.destroy_process_group()
'''

DENOISE = '''import json
import os
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

cfg = {"iters": 240, "lr": 2e-3, "tell": 20, "nap": 0.04, "hidden": 48, "levels": 10, **json.loads(os.environ.get("CFG", "{}"))}
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.set_num_threads(1)
zero = time.time()


def emit(kind, everyone=False, **what):
    if everyone or rank == 0:
        print(json.dumps({"kind": kind, "at": round(time.time() - zero, 2), "proc": rank, **what}), flush=True)


#: early
dist.init_process_group("gloo", timeout=timedelta(seconds=int(os.environ.get("PG_SECONDS", 1800))))
torch.manual_seed(21)
net = torch.nn.Sequential(torch.nn.Linear(17, cfg["hidden"]), torch.nn.SiLU(), torch.nn.Linear(cfg["hidden"], cfg["hidden"]), torch.nn.SiLU(), torch.nn.Linear(cfg["hidden"], 16))
begin = 1
#: load
model = DistributedDataParallel(net)
adam = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
torch.manual_seed(50 + rank)
emit("begin", cfg=cfg, procs=world)
#: met
for step in range(begin, cfg["iters"] + 1):
    phase = 6.28 * torch.rand(32, 1)
    clean = torch.sin(phase + torch.arange(16) * 0.4)
    level = torch.rand(32, 1)
    noise = torch.randn(32, 16)
    #: data
    guess = model(torch.cat([(1 - level) * clean + level * noise, level], 1))
    err = (guess - noise).square().mean()
    adam.zero_grad()
    err.backward()
    #: grad
    adam.step()
    time.sleep(cfg["nap"])
    if step % cfg["tell"] == 0:
        emit("iter", it=step, of=cfg["iters"], eps_mse=round(err.item(), 5), lr=adam.param_groups[0]["lr"])
    #: after
#: late
dist.barrier()
emit("end", it=cfg["iters"])
dist.destroy_process_group()
'''
FILES = {"LEAFNET": "leafnet.py", "CHARLM": "charlm.py", "WINDCAST": "windcast.py", "DENOISE": "denoise.py"}
