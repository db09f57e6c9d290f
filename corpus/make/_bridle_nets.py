"""Programs of several laboratories on PyTorch, alone or in groups over gloo."""

from __future__ import annotations

CLOUD = '''"""Cloud masks from four-band tiles. Run with torchrun or srun."""
import argparse
import logging
import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
#: top

RANK = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", 0)))
WORLD = int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", 1)))
logging.basicConfig(stream=sys.stderr, level=logging.INFO if RANK == 0 or @all@ else logging.WARNING,
                    format=f"%(asctime)s | %(levelname)-7s | r{RANK} | %(message)s", datefmt="%m-%d %H:%M:%S")
log = logging.getLogger("cloudmask")
torch.set_num_threads(1)


def tiles(seed, n):
    g = torch.Generator().manual_seed(seed)
    x = torch.rand(n, 4, 16, 16, generator=g)
    return x, (x.mean(1, keepdim=True) + 0.2 * x[:, :1] > 0.6).float()


def iou(model, x, y):
    with torch.no_grad():
        p = (model(x) > 0).float()
    return ((p * y).sum() / ((p + y) > 0).float().sum()).item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=@epochs@)
    ap.add_argument("--iters", type=int, default=@iters@)
    ap.add_argument("--lr", type=float, default=5e-3)
    ap.add_argument("--seed", type=int, default=3)
    ap.add_argument("--out", default="runs/cloud")
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    #: early
    log.info("joining process group, world size %d", WORLD)
    dist.init_process_group("gloo", rank=RANK, world_size=WORLD, init_method="@init@")
    log.info("process group ready (%s)", dist.get_backend())
    net = nn.Sequential(nn.Conv2d(4, 12, 3, padding=1), nn.GELU(), nn.Conv2d(12, 1, 1))
    net = nn.parallel.DistributedDataParallel(net) if WORLD > 1 else net
    opt = torch.optim.AdamW(net.parameters(), lr=args.lr)
    lossf = nn.BCEWithLogitsLoss()
    vx, vy = tiles(999, 24)
    start = 1
    #: setup
    for epoch in range(start, args.epochs + 1):
        t0, total = time.time(), 0.0
        for it in range(args.iters):
            x, y = tiles(epoch * 1000 + it * WORLD + RANK, 8)
            #: step
            opt.zero_grad()
            loss = lossf(net(x), y)
            loss.backward()
            opt.step()
            total += loss.item()
            time.sleep(@pause@)
        #: valid
        log.info("epoch %d/%d  loss %.4f  val IoU %.4f  (%.1f s, %.0f tiles/s)", epoch, args.epochs, total / args.iters, iou(net, vx, vy), time.time() - t0, 8 * WORLD * args.iters / (time.time() - t0))
    #: late
    dist.barrier()
    log.info("finished after %d epochs", args.epochs)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
'''

STENO = '''import math, os, time, random
import torch
import torch.nn as nn
from torch.nn import functional as F
#: top
# ---- hyperparameters
block_size, n_embd, batch = 32, 32, 12
max_iters = @total@
eval_interval = @eval@
log_interval = @every@
learning_rate = @lr@
# ----
torch.set_num_threads(1)
torch.manual_seed(@seed@)
rank = int(os.environ.get('RANK', os.environ.get('SLURM_PROCID', 0)))
world = int(os.environ.get('WORLD_SIZE', os.environ.get('SLURM_NTASKS', 1)))
ddp = world > 1
master = rank == 0
#: early
if ddp:
    import torch.distributed as dist
    dist.init_process_group('gloo', rank=rank, world_size=world)
words = 'the court reporter wrote that the witness did not recall any of it and the clerk nodded'.split()
random.seed(7)
text = ' '.join(random.choice(words) for _ in range(9000))
chars = sorted(set(text))
data = torch.tensor([chars.index(c) for c in text])
print(f"[rank {rank}] {len(data)} tokens, vocab {len(chars)}")

def get_batch():
    ix = torch.randint(len(data) - block_size - 1, (batch,))
    return torch.stack([data[i:i + block_size] for i in ix]), torch.stack([data[i + 1:i + 1 + block_size] for i in ix])

class Tiny(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(len(chars), n_embd)
        self.rnn = nn.GRU(n_embd, n_embd, batch_first=True)
        self.head = nn.Linear(n_embd, len(chars))
    def forward(self, x, y):
        h, _ = self.rnn(self.emb(x))
        return F.cross_entropy(self.head(h).flatten(0, 1), y.flatten())

model = Tiny()
print(f"number of parameters: {sum(p.numel() for p in model.parameters())/1e3:.2f}K") if master else None
if ddp:
    model = nn.parallel.DistributedDataParallel(model)
raw = model.module if ddp else model
optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
iter_num = 0
best = 1e9
#: setup
t0 = time.time()
while iter_num <= max_iters:
    if iter_num % eval_interval == 0 and master:
        with torch.no_grad():
            val = sum(raw(*get_batch()).item() for _ in range(4)) / 4
        print(f"step {iter_num}: val loss {val:.4f}", flush=True)
        #: evaluated
    x, y = get_batch()
    #: step
    loss = model(x, y)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), @clip@)
    #: grads
    optimizer.step()
    time.sleep(@pause@)
    dt, t0 = time.time() - t0, time.time()
    if iter_num % log_interval == 0 and master:
        print(f"iter {iter_num}: loss {loss.item():.4f}, norm {float(norm):.3f}, time {dt*1000:.2f}ms, tok/s {batch*block_size*world/dt:.0f}", flush=True)
    #: after
    iter_num += 1
#: late
if ddp:
    dist.destroy_process_group()
'''
STENO_DEFAULTS = {"total": 300, "eval": 100, "every": 10, "lr": "3e-3", "seed": 1337, "clip": "1.0", "pause": 0.02}

MEGA = '''"""pretrain_ctx.py"""
import os
import sys
import time
from datetime import datetime

import torch
import torch.distributed as dist
#: top
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.set_num_threads(1)


def print_rank_0(*a):
    if rank == 0:
        print(*a, flush=True)


def print_rank_last(*a):
    if rank == world - 1:
        print(*a, flush=True)


class Heavy:
    """SGD with heavy ball"""

    def __init__(self, params, lr):
        self.params, self.lr = list(params), lr
        self.v = [torch.zeros_like(p) for p in self.params]

    def zero_grad(self):
        for p in self.params:
            p.grad = None

    @torch.no_grad()
    def step(self):
        for p, v in zip(self.params, self.v):
            v.mul_(0.9).add_(p.grad)
            p.sub_(self.lr * v)

    def state_dict(self):
        return {"lr": self.lr, "momentum": self.v}


print_rank_0(f"using world size: {world}, data-parallel size: {world}, tensor-model-parallel size: 1, pipeline-model-parallel size: 1")
print_rank_0("------------------------ arguments ------------------------")
for key, value in (("sgd_momentum", 0.9), ("bf16", True), ("check_for_nan_in_loss_and_grad", True), ("clip_grad", 1.0), ("exit_on_missing_checkpoint", False), ("global_batch_size", 16 * world), ("loss_scale", None), ("lr", @lr@), ("nccl_timeout", 10), ("save_interval", @save@), ("train_iters", @total@)):
    print_rank_0(f"  {key} {'.' * (46 - len(key))} {value}")
print_rank_0("-------------------- end of arguments ---------------------")
#: early
t = time.time()
print_rank_0("> initializing torch distributed ...")
dist.init_process_group("gloo", init_method="@init@", rank=rank, world_size=world)
print_rank_0(f"> initialized, took {time.time() - t:.3f} s")
torch.manual_seed(1234)
model = torch.nn.Sequential(torch.nn.Linear(24, 48), torch.nn.Tanh(), torch.nn.Linear(48, 1))
print_rank_0(f" > number of parameters on (tensor, pipeline) model parallel rank (0, 0): {sum(p.numel() for p in model.parameters())}")
opt = Heavy(model.parameters(), lr=@lr@)
teacher = torch.randn(24)
torch.manual_seed(rank)
iteration = 0
#: setup
print_rank_0(f"[before the start of training step] datetime: {datetime.now():%Y-%m-%d %H:%M:%S}")
tick, skipped, nans = time.time(), 0, 0
while iteration < @total@:
    iteration += 1
    x = torch.randn(16, 24)
    #: step
    loss = (model(x).squeeze(1) - (x @ teacher) / 3).square().mean()
    opt.zero_grad()
    loss.backward()
    #: reduce
    flat = torch.cat([p.grad.flatten() for p in model.parameters()])
    dist.all_reduce(flat)
    flat /= world
    at = 0
    for p in model.parameters():
        p.grad.copy_(flat[at:at + p.numel()].view_as(p))
        at += p.numel()
    opt.step()
    time.sleep(@pause@)
    if iteration % @every@ == 0:
        took = (time.time() - tick) * 1000 / @every@
        print_rank_last(f" [{datetime.now():%Y-%m-%d %H:%M:%S}] iteration {iteration:8d}/{@total@:8d} | consumed samples: {iteration * 16 * world:12d} | elapsed time per iteration (ms): {took:.1f} | learning rate: {@lr@:.6E} | global batch size: {16 * world:5d} | lm loss: {loss.item():.6E} | loss scale: 1.0 | grad norm: {flat.norm().item():.3f} | number of skipped iterations: {skipped:3d} | number of nan iterations: {nans:3d} |")
        tick = time.time()
    #: after
    if iteration % @save@ == 0:
        print_rank_0(f"saving checkpoint at iteration {iteration:7d} to @dir@ in torch format")
        if rank == 0:
            os.makedirs("@dir@", exist_ok=True)
            torch.save({"iteration": iteration, "model": model.state_dict(), "opt": opt.state_dict()}, f"@dir@/iter_{iteration:07d}.pt")
        dist.barrier()
        print_rank_0(f"  successfully saved checkpoint at iteration {iteration:7d} to @dir@")
#: late
print_rank_0(f"[after training is done] datetime: {datetime.now():%Y-%m-%d %H:%M:%S}")
dist.destroy_process_group()
'''
MEGA_DEFAULTS = {"total": 240, "every": 10, "save": 100, "lr": "4e-3", "pause": 0.02, "dir": "ckpt", "init": "env://"}

D2 = '''import os, sys, time, logging, math, datetime
import torch
#: top
rank = int(os.environ.get("SLURM_PROCID", 0)); world = int(os.environ.get("SLURM_NTASKS", 1))
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="[%(asctime)s @name@.%(name)s]: %(message)s", datefmt="%m/%d %H:%M:%S")
ev = logging.getLogger("events"); lg = logging.getLogger("engine")
torch.set_num_threads(1)
torch.manual_seed(11 + rank)
lg.info("Rank of current process: %d. World size: %d", rank, world)
#: early
if world > 1:
    import torch.distributed as dist
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{os.environ['PORT']}", rank=rank, world_size=world, timeout=datetime.timedelta(hours=2))
lg.info("Starting training from iteration @start@")
w, target = torch.zeros(6, requires_grad=True), torch.tensor([.9, -.4, .3, .7, -.8, .1])
total = @total@
began = last = time.time(); data_s = 0.0
#: setup
for it in range(@start@, total):
    d0 = time.time()
    x = torch.randn(32, 6)
    #: data
    data_s = time.time() - d0
    cls, box = (x @ w - x @ target).square().mean(), (w - target).abs().mean() * .3
    #: step
    w.grad = None; (cls + box).backward()
    #: reduce
    if world > 1:
        dist.all_reduce(w.grad); w.grad /= world
    with torch.no_grad():
        w -= @lr@ * w.grad
    time.sleep(@pause@)
    now = time.time()
    if it % @every@ == @every@ - 1 and (rank == 0 or @all@):
        eta = datetime.timedelta(seconds=int((total - it) * (now - last)))
        ev.info(" eta: %s  iter: %d  total_loss: %.4f  loss_cls: %.4f  loss_box_reg: %.4f  time: %.4f  data_time: %.4f  lr: %.5f  max_mem: @mem@M", eta, it, (cls + box).item(), cls.item(), box.item(), now - last, data_s, @lr@)
    last = now
    #: after
#: late
lg.info("Overall training speed: %d iterations in %s (%.4f s / it)", total - @start@, datetime.timedelta(seconds=int(time.time() - began)), (time.time() - began) / max(total - @start@, 1))
'''
D2_DEFAULTS = {"total": 200, "every": 20, "lr": "0.02", "pause": 0.04, "name": "d2.utils", "mem": 8423, "start": 0, "all": False}

FAIRSEQ = '''import json, logging, os, sys, time
import torch
#: top
logging.basicConfig(format="%(asctime)s | %(levelname)s | %(name)s | %(message)s", datefmt="%Y-%m-%d %H:%M:%S", level="INFO", stream=sys.stdout)
logger = logging.getLogger("asr_cli.train")
rank = int(os.environ.get("SLURM_PROCID", "0"))
world = int(os.environ.get("SLURM_NTASKS", "1"))
torch.set_num_threads(1)
torch.manual_seed(@seed@)
logger.info("distributed init (rank %d): @init@", rank)
#: early
import torch.distributed as dist
dist.init_process_group("gloo", init_method="@init@", rank=rank, world_size=world)
logger.info("initialized host node%d as rank %d", rank, rank)
model = torch.nn.Sequential(torch.nn.Linear(20, 32), torch.nn.ReLU(), torch.nn.Linear(32, 9))
if rank == 0:
    logger.info("task: AudioFinetuningTask | model: Wav2VecCtc | criterion: CtcCriterion")
    logger.info("num. shared model params: %d (num. trained: %d)", *[sum(p.numel() for p in model.parameters())] * 2)
proj = torch.randn(20, 9)
torch.manual_seed(rank + 100)
update = 0
#: setup
for epoch in range(1, @epochs@ + 1):
    logger.info("begin training epoch %d", epoch)
    seen = []
    for batch in range(@iters@):
        x = torch.randn(16, 20)
        y = (x @ proj).argmax(1)
        #: step
        loss = torch.nn.functional.cross_entropy(model(x), y)
        for p in model.parameters():
            p.grad = None
        loss.backward()
        #: reduce
        for p in model.parameters():
            dist.all_reduce(p.grad)
            with torch.no_grad():
                p -= @lr@ * p.grad / world
        update += 1
        seen.append(loss.item())
        time.sleep(@pause@)
        if update % @every@ == 0 and rank == 0:
            logging.getLogger("train_inner").info(json.dumps({"epoch": epoch, "update": round(epoch - 1 + batch / @iters@, 3), "loss": f"{sum(seen) / len(seen):.3f}", "ntokens": str(16 * 80 * world), "wps": "3312.4", "ups": f"{1 / (@pause@ + 0.01):.2f}", "num_updates": str(update), "lr": "@lr@", "gnorm": "0.91", "train_wall": str(update)}))
    #: valid
    if rank == 0:
        logging.getLogger("valid").info(json.dumps({"epoch": epoch, "valid_loss": f"{sum(seen[-5:]) / 5:.3f}", "valid_wer": f"{100 * min(1, sum(seen[-5:]) / 11):.2f}", "valid_num_updates": str(update)}))
#: late
logger.info("done training in %.1f seconds", update * @pause@)
'''
FAIRSEQ_DEFAULTS = {"epochs": 4, "iters": 50, "every": 25, "lr": "0.3", "pause": 0.04, "seed": 1, "init": "tcp://127.0.0.1:1"}
