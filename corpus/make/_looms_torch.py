"""Programs of PyTorch ranks: a tagger under DDP, a heat equation with a bar, averaging of local models, a rank for each part of a pipeline of stages."""

from __future__ import annotations

TAGGER = r'''import argparse
import logging
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

parser = argparse.ArgumentParser()
parser.add_argument("--updates", type=int, default=300)
parser.add_argument("--report", type=int, default=20)
parser.add_argument("--lr", type=float, default=0.02)
parser.add_argument("--hidden", type=int, default=24)
parser.add_argument("--pause", type=float, default=0.03)
parser.add_argument("--init", default="")
parser.add_argument("--continue-from", default="")
args = parser.parse_args()
rank, world = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", 0))), int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", 1)))
os.environ.update(RANK=str(rank), WORLD_SIZE=str(world))
os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", os.environ["PORT"])
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s | r{rank} | %(levelname)-7s | %(message)s")
log = logging.getLogger("tagger")
torch.manual_seed(rank)
torch.set_num_threads(1)
TAGS, WORDS, begin = 7, 90, 1


class Tagger(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.words = nn.Embedding(WORDS, 16)
        self.reader = nn.GRU(16, hidden, batch_first=True, bidirectional=True)
        self.tags = nn.Linear(2 * hidden, TAGS)

    def forward(self, sentences):
        return self.tags(self.reader(self.words(sentences))[0])


def main():
    global begin
    #: early
    log.info("joining %d ranks at %s:%s", world, os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"])
    dist.init_process_group("gloo", rank=rank, world_size=world)
    model = Tagger(args.hidden)
    #: built
    net = DDP(model)
    optimizer = torch.optim.Adam(net.parameters(), lr=args.lr)
    #: met
    log.info("%d parameters, %d updates", sum(p.numel() for p in net.parameters()), args.updates)
    seen, right = 0, 0
    for update in range(begin, args.updates + 1):
        tick = time.perf_counter()
        #: data
        sentences = torch.randint(0, WORDS, (8, 10))
        truth = (sentences * 3 // 11) % TAGS
        scores = net(sentences)
        loss = nn.functional.cross_entropy(scores.flatten(0, 1), truth.flatten())
        #: mid
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        #: stepped
        right, seen = 0.9 * right + (scores.argmax(-1) == truth).sum().item(), 0.9 * seen + truth.numel()
        time.sleep(args.pause)
        if update % args.report == 0:
            log.info("upd %05d/%05d  nll %.4f  acc %5.1f%%  %.3f s/upd", update, args.updates, loss.item(), 100 * right / seen, time.perf_counter() - tick)
        #: after
    #: late
    log.info("all %d updates are through", args.updates)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
'''
HEAT = r'''import os
import sys
import time

import torch
import torch.distributed as dist

R, N = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", 0))), int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", 1)))
os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", os.environ["PORT"])
SWEEPS, NAP, LR = int(os.environ.get("SWEEPS", 300)), float(os.environ.get("NAP", 0.03)), float(os.environ.get("LR", 0.01))
first, started = 1, time.time()
torch.set_num_threads(1)
torch.manual_seed(5 + R)


def bar(k, residual):
    """One line that is drawn again and again."""
    if R or k % 10 and k != SWEEPS:
        return
    part, took = k / SWEEPS, time.time() - started
    sys.stderr.write(f"\rheat1d: {part:4.0%}|{'#' * int(24 * part):<24}| {k}/{SWEEPS} [{int(took) // 60:02d}:{int(took) % 60:02d}, {(k - first + 1) / max(took, 1e-3):5.2f}it/s, residual={residual:.3e}]")
    if k == SWEEPS:
        sys.stderr.write("\n")
    sys.stderr.flush()


def share(values):
    dist.all_reduce(values)
    return values / N


#: early
dist.init_process_group("gloo", rank=R, world_size=N)
net = torch.nn.Sequential(torch.nn.Linear(2, 20), torch.nn.Tanh(), torch.nn.Linear(20, 1))
#: built
for p in net.parameters():
    dist.broadcast(p.data, 0)
opt = torch.optim.Adam(net.parameters(), LR)
#: met
if R == 0:
    print(f"u_t = a u_xx on {N} slabs, {SWEEPS} sweeps", flush=True)
for k in range(first, SWEEPS + 1):
    #: data
    xt = torch.rand(48, 2, requires_grad=True)
    u = net(xt)
    du = torch.autograd.grad(u.sum(), xt, create_graph=True)[0]
    uxx = torch.autograd.grad(du[:, 0].sum(), xt, create_graph=True)[0][:, :1]
    start = torch.cat([torch.rand(24, 1), torch.zeros(24, 1)], 1)
    residual = ((du[:, 1:] - 0.1 * uxx) ** 2).mean() + ((net(start) - torch.sin(3.1416 * start[:, :1])) ** 2).mean()
    #: mid
    opt.zero_grad()
    residual.backward()
    for p in net.parameters():
        p.grad = share(p.grad)
    opt.step()
    #: stepped
    time.sleep(NAP)
    bar(k, residual.item())
    #: after
#: late
print(f"slab {R}: finished, residual {residual.item():.3e}", flush=True)
dist.destroy_process_group()
'''
DRIFT = r'''import json
import os
import pathlib
import time

import torch
import torch.distributed as dist

rank, world = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", 0))), int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", 1)))
os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", os.environ["PORT"])
conf = {"rounds": 80, "local": 4, "rate": 0.05, "pause": 0.02, "each": 4, **json.loads(os.environ.get("CONF", "{}"))}
torch.set_num_threads(1)
torch.manual_seed(rank)
at = 1


def out(**fields):
    print(json.dumps({"t": round(time.time(), 3), "site": rank, **fields}), flush=True)


def average(model):
    for p in model.parameters():
        dist.all_reduce(p.data)
        p.data /= world


#: early
dist.init_process_group("gloo", rank=rank, world_size=world)
model = torch.nn.Sequential(torch.nn.Linear(12, 30), torch.nn.ReLU(), torch.nn.Linear(30, 4))
#: built
average(model)
optimizer = torch.optim.SGD(model.parameters(), conf["rate"], momentum=0.8)
secret = torch.randn(12, 4, generator=torch.Generator().manual_seed(7))
#: met
out(kind="start", sites=world, conf=conf)
for turn in range(at, conf["rounds"] + 1):
    for k in range(conf["local"]):
        #: data
        x = torch.randn(32, 12)
        y = (x @ secret).argmax(1)
        hinge = torch.nn.functional.multi_margin_loss(model(x), y)
        #: mid
        optimizer.zero_grad()
        hinge.backward()
        optimizer.step()
        time.sleep(conf["pause"])
    #: meet
    average(model)
    if turn % conf["each"] == 0:
        out(kind="round", round=turn, rounds=conf["rounds"], hinge=round(hinge.item(), 4), agree=round((model(x).argmax(1) == y).float().mean().item(), 3))
    #: after
#: late
out(kind="end", rounds=conf["rounds"], hinge=round(hinge.item(), 4))
dist.destroy_process_group()
'''
