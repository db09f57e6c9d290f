"""Programs of several ranks on PyTorch alone, each rank like the others: a language model, a classifier of pictures, a recogniser of tones."""

from __future__ import annotations

LM = '''"""Character language model, data parallel over gloo."""
import argparse
import datetime
import logging
import math
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel
#: top

p = argparse.ArgumentParser()
p.add_argument("--steps", type=int, default=300)
p.add_argument("--log-every", type=int, default=10)
p.add_argument("--save-every", type=int, default=0)
p.add_argument("--lr", type=float, default=4e-3)
p.add_argument("--pause", type=float, default=0.05)
p.add_argument("--pg-timeout", type=int, default=1800)
p.add_argument("--resume", default="")
p.add_argument("--width", type=int, default=48)
args = p.parse_args()
RANK, WORLD, LOCAL = (int(os.environ[k]) for k in ("RANK", "WORLD_SIZE", "LOCAL_RANK"))
HOST = os.environ.get("SLURMD_NODENAME", "localhost")
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format=f"[rank{RANK}]:%(asctime)s - %(name)s - %(levelname)s - %(message)s")
log = logging.getLogger("charlm")
TEXT = "the rank waits for the wind and the wind waits for the rain; " * 40
VOCAB = sorted(set(TEXT))


class CharLM(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.embed = nn.Embedding(len(VOCAB), width)
        self.mixer = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, len(VOCAB))

    def forward(self, x):
        return self.out(self.mixer(self.embed(x))[0])


def get_batch(gen, size=8, ctx=24):
    ids = torch.tensor([VOCAB.index(c) for c in TEXT])
    at = torch.randint(0, len(ids) - ctx - 1, (size,), generator=gen)
    x = torch.stack([ids[i : i + ctx] for i in at])
    y = torch.stack([ids[i + 1 : i + ctx + 1] for i in at])
    return x, y


def main():
    torch.set_num_threads(1)
    #: before
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=args.pg_timeout))
    log.info("process group up: rank %d/%d on %s (local %d)", RANK, WORLD, HOST, LOCAL)
    torch.manual_seed(1234)
    #: early
    net = CharLM(args.width)
    start, best = 1, math.inf
    #: load
    if args.resume:
        log.info("loading checkpoint from %s", args.resume)
        state = torch.load(args.resume, weights_only=True)
        net.load_state_dict(state["net"])
        start = state["step"] + 1
        log.info("resumed from %s: next step is %d", args.resume, start)
    model = DistributedDataParallel(net)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    gen = torch.Generator().manual_seed(RANK)
    if RANK == 0:
        log.info("model has %s parameters, %d steps planned", f"{sum(q.numel() for q in net.parameters()):,}", args.steps)
    for step in range(start, args.steps + 1):
        tick = time.perf_counter()
        #: data
        x, y = get_batch(gen)
        #: mid
        for group in opt.param_groups:
            group["lr"] = args.lr * min(1, step / 20)
        loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
        #: loss
        opt.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        time.sleep(args.pause)
        #: after
        if step % args.log_every == 0:
            log.info("step: %4d  loss: %7.4f  grad_norm: %6.4f  lr: %.2e  tps: %s", step, loss.item(), norm.item(), opt.param_groups[0]["lr"], f"{x.numel() / (time.perf_counter() - tick):,.0f}")
        if args.save_every and step % args.save_every == 0 and RANK == 0:
            os.makedirs("outputs", exist_ok=True)
            torch.save({"net": net.state_dict(), "step": step}, "outputs/latest.tmp")
            os.replace("outputs/latest.tmp", "outputs/latest.pt")
            log.info("saved checkpoint outputs/latest.pt at step %d", step)
    #: late
    if RANK == 0:
        log.info("training completed after %d steps, final loss %.4f", step, loss.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
'''

VISION = '''import argparse
import datetime
import os
import time
from collections import deque

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, Dataset, DistributedSampler
#: top


class Meter:
    def __init__(self):
        self.last, self.total, self.count = deque(maxlen=20), 0.0, 0

    def update(self, value):
        self.last.append(value)
        self.total += value
        self.count += 1

    def __str__(self):
        window = sorted(self.last)
        return f"{window[len(window) // 2]:.4f} ({self.total / self.count:.4f})"


class Stripes(Dataset):
    """Pictures of 12 x 12 with stripes in one of four directions."""

    def __init__(self, size, seed):
        g = torch.Generator().manual_seed(seed)
        self.kind = torch.randint(0, 4, (size,), generator=g)
        self.noise = torch.randn(size, 1, 12, 12, generator=g) * 0.6

    def __len__(self):
        return len(self.kind)

    def __getitem__(self, index):
        #: item
        k = int(self.kind[index])
        i, j = torch.meshgrid(torch.arange(12), torch.arange(12), indexing="ij")
        phase = (i, j, i + j, i - j)[k]
        return self.noise[index] + (phase % 4 < 2).float(), k


def on_main(*words):
    if dist.get_rank() == 0:
        print(*words, flush=True)


def evaluate(model, loader):
    model.eval()
    hit = torch.zeros(2)
    with torch.no_grad():
        for x, y in loader:
            #: check
            hit += torch.tensor([float((model(x).argmax(1) == y).sum()), float(len(y))])
    dist.all_reduce(hit)
    return 100 * float(hit[0] / hit[1])


def parse():
    p = argparse.ArgumentParser("stripes")
    p.add_argument("--epochs", default=3, type=int)
    p.add_argument("--train-size", default=1920, type=int)
    p.add_argument("--batch", default=16, type=int)
    p.add_argument("--print-freq", default=10, type=int)
    p.add_argument("--lr", default=0.05, type=float)
    p.add_argument("--pause", default=0.05, type=float)
    p.add_argument("--workers", default=0, type=int)
    p.add_argument("--resume", default="")
    p.add_argument("--output-dir", default=".")
    p.add_argument("--drop-path", default=0.0, type=float)
    return p.parse_args()


def main(args):
    torch.set_num_threads(1)
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    #: before
    print(f"| distributed init (rank {rank}): env://, local {os.environ.get('LOCAL_RANK')}", flush=True)
    dist.init_process_group("gloo", timeout=datetime.timedelta(minutes=30))
    dist.barrier()
    on_main(args)
    #: early
    torch.manual_seed(7)
    net = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2), nn.ReLU(), nn.Conv2d(8, 12, 3), nn.ReLU(), nn.Flatten(), nn.Linear(108, 4))
    data = Stripes(args.train_size, 0)
    sampler = DistributedSampler(data, world, rank, shuffle=True)
    loader = DataLoader(data, args.batch, sampler=sampler, num_workers=args.workers, drop_last=True)
    val = DataLoader(Stripes(256, 1), 64)
    model = nn.parallel.DistributedDataParallel(net)
    opt = torch.optim.SGD(model.parameters(), args.lr, momentum=0.9)
    first = 0
    if args.resume:
        on_main("Resume checkpoint", args.resume)
        saved = torch.load(args.resume, map_location="cpu", weights_only=True)
        net.load_state_dict(saved["model"])
        opt.load_state_dict(saved["optimizer"])
        first = saved["epoch"] + 1
        on_main(f"With optim & sched! starting at epoch {first}")
    on_main(f"Start training for {args.epochs} epochs")
    began = time.time()
    for epoch in range(first, args.epochs):
        sampler.set_epoch(epoch)
        model.train()
        losses, spent = Meter(), Meter()
        tick = time.time()
        for it, (x, y) in enumerate(loader):
            step = epoch * len(loader) + it
            #: mid
            loss = nn.functional.cross_entropy(model(x), y)
            #: loss
            opt.zero_grad()
            loss.backward()
            opt.step()
            time.sleep(args.pause)
            #: after
            losses.update(loss.item())
            spent.update(time.time() - tick)
            tick = time.time()
            if it % args.print_freq == 0:
                left = int(spent.total / spent.count * (len(loader) - it))
                on_main(f"Epoch: [{epoch}]  [{it:>3}/{len(loader)}]  eta: {datetime.timedelta(seconds=left)}  lr: {args.lr:.6f}  loss: {losses}  time: {spent}  max mem: 61")
        on_main("Averaged stats:", f"lr: {args.lr:.6f}  loss: {losses}")
        acc = evaluate(model, val)
        on_main(f"* Acc@1 {acc:.3f} of the network on the 256 test images")
        #: epoch
        if rank == 0:
            torch.save({"model": net.state_dict(), "optimizer": opt.state_dict(), "epoch": epoch}, os.path.join(args.output_dir, "checkpoint.pth.new"))
            os.replace(os.path.join(args.output_dir, "checkpoint.pth.new"), os.path.join(args.output_dir, "checkpoint.pth"))
    #: late
    on_main(f"Training time {datetime.timedelta(seconds=int(time.time() - began))}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(parse())
'''

TONES = '''import datetime
import json
import os
import socket
import sys
import time

import torch
import torch.distributed as dist
#: top

cfg = {"updates": 300, "every": 10, "pause": 0.05, "lr": 0.03, "backend_timeout_s": 1800}
for word in sys.argv[1:]:
    key, _, value = word.partition("=")
    cfg[key] = type(cfg.get(key, ""))(value)
me, world = int(os.environ["SLURM_PROCID"]), int(os.environ.get("WORLD") or os.environ["SLURM_NTASKS"])
t0 = time.time()


def tell(kind, **fields):
    print(json.dumps({"t": round(time.time() - t0, 2), "node": os.environ["SLURMD_NODENAME"], "rank": me, "kind": kind, **fields}), flush=True)


def tones(gen, n=24):
    """Waves of one of five pitches, with hiss."""
    y = torch.randint(0, 5, (n,), generator=gen)
    t = torch.linspace(0, 1, 40)
    return torch.sin(6.28 * (2 + y[:, None]) * t + torch.rand(n, 1, generator=gen)) + 0.3 * torch.randn(n, 40, generator=gen), y


torch.set_num_threads(1)
tell("config", **cfg, world=world)
address, port = os.environ.get("MASTER_ADDR", "127.0.0.1"), int(os.environ["PORT"])
#: before
dist.init_process_group("gloo", init_method=f"tcp://{address}:{port}", rank=me, world_size=world, timeout=datetime.timedelta(seconds=cfg["backend_timeout_s"]))
tell("joined")
#: early
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(40, 32), torch.nn.Tanh(), torch.nn.Linear(32, 5))
weights = list(net.parameters())
gen, update = torch.Generator().manual_seed(100 + me), 0
#: ready
while update < cfg["updates"]:
    update += 1
    #: data
    x, y = tones(gen)
    #: mid
    loss = torch.nn.functional.cross_entropy(net(x), y)
    #: loss
    for w in weights:
        w.grad = None
    loss.backward()
    flat = torch.cat([w.grad.flatten() for w in weights])
    dist.all_reduce(flat)
    flat /= world
    at = 0
    for w in weights:
        w.data -= cfg["lr"] * flat[at : at + w.numel()].view_as(w)
        at += w.numel()
    time.sleep(cfg["pause"])
    #: after
    if update % cfg["every"] == 0:
        tell("train", update=update, of=cfg["updates"], loss=round(loss.item(), 4), gnorm=round(flat.norm().item(), 4), er=round(1 - (net(x).argmax(1) == y).float().mean().item(), 3))
#: late
tell("done", updates=update)
dist.destroy_process_group()
'''

FILES = {"LM": "train_lm.py", "VISION": "main_stripes.py", "TONES": "asr_tones.py"}
