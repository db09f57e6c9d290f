"""Programs of several ranks in plain PyTorch: pictures with DistributedDataParallel, a language model of letters, a spawned pool, a tensor-parallel one; with places for what a case does."""

PETALS = '''#!/usr/bin/env python3
"""Flower pictures, data parallel."""
import argparse
import datetime
import logging
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

ap = argparse.ArgumentParser(description=__doc__)
ap.add_argument("--epochs", type=int, default=4)
ap.add_argument("--images", type=int, default=1600)
ap.add_argument("-b", "--batch-size", type=int, default=32)
ap.add_argument("--lr", type=float, default=0.08)
ap.add_argument("--workers", type=int, default=0)
ap.add_argument("--log-interval", type=int, default=10)
ap.add_argument("--pause", type=float, default=0.03)
ap.add_argument("--resume", default="")
ap.add_argument("--output", default="runs/petals")
args = ap.parse_args()
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s {rank}/{world} %(levelname)-7s %(message)s", stream=sys.stderr)
log = logging.getLogger("petals")
torch.set_num_threads(1)
torch.manual_seed(17)
step = 0
#: early


class Flowers(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, 6, (n,), generator=g)
        self.x = torch.randn(n, 3, 10, 10, generator=g)
        for k in range(6):
            self.x[self.y == k, k % 3, (k * 2) % 9 : (k * 2) % 9 + 2] += 1.1
        #: data

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        #: item
        return self.x[i], self.y[i]


class Net(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, padding=1)
        self.head = nn.Linear(width * 25, 6)
        #: layers

    def forward(self, x):
        x = torch.max_pool2d(torch.relu(self.stem(x)), 2)
        return self.head(x.flatten(1))


def main():
    global step
    meet = {}
    #: meet
    dist.init_process_group("gloo", **meet)
    log.info("joined, %d processes", dist.get_world_size())
    train, val = Flowers(args.images, 1), Flowers(300, 2)
    sampler = DistributedSampler(train, world, rank)
    loader = DataLoader(train, args.batch_size, sampler=sampler, num_workers=args.workers)
    bare = Net()
    #: ready
    net = DDP(bare)
    opt = torch.optim.SGD(net.parameters(), lr=args.lr, momentum=0.9)
    first = 0
    if args.resume:
        state = torch.load(args.resume, map_location="cpu", weights_only=True)
        bare.load_state_dict(state["net"])
        opt.load_state_dict(state["opt"])
        first = state["epoch"]
        step = state["step"]
        log.info("=> resumed %s, %d epochs were done", args.resume, first)
    crit = nn.CrossEntropyLoss()
    if rank == 0:
        log.info("%s parameters, %d batches per epoch", f"{sum(p.numel() for p in net.parameters()):,}", len(loader))
    for epoch in range(first, args.epochs):
        sampler.set_epoch(epoch)
        tic = time.time()
        for i, (x, y) in enumerate(loader, 1):
            step += 1
            #: mid
            loss = crit(net(x), y)
            #: loss
            opt.zero_grad()
            loss.backward()
            opt.step()
            time.sleep(args.pause)
            #: after
            if rank == 0 and (i % args.log_interval == 0 or i == len(loader)):
                log.info("Train: %d [%4d/%d (%3.0f%%)]  Loss: %.4g  Time: %.3fs  LR: %.2e", epoch, i, len(loader), 100 * i / len(loader), loss.item(), (time.time() - tic) / i, opt.param_groups[0]["lr"])
        #: epoch
        with torch.no_grad():
            right = torch.tensor([(bare(val.x[rank::world]).argmax(1) == val.y[rank::world]).sum().item()], dtype=torch.float)
        dist.all_reduce(right)
        if rank == 0:
            log.info("Test: %d  Acc@1: %.2f", epoch, 100 * right.item() / len(val))
            os.makedirs(args.output, exist_ok=True)
            torch.save({"epoch": epoch + 1, "step": step, "net": bare.state_dict(), "opt": opt.state_dict()}, args.output + "/last.pth.tar.tmp")
            os.replace(args.output + "/last.pth.tar.tmp", args.output + "/last.pth.tar")
            log.info("saved %s/last.pth.tar", args.output)
    #: late
    if rank == 0:
        log.info("*** done, %d epochs, %d updates", args.epochs, step)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
'''

SPORES = '''"""Letters of botanical Latin: a small causal model, one process a task."""
import datetime
import json
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F

CONF = dict(updates=240, every=20, save_every=60, width=48, context=24, batch=16, lr=3e-3, pause=0.03, restore="", seed=5)
for word in sys.argv[1:]:
    key, _, value = word.partition("=")
    CONF[key] = type(CONF[key])(value)
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.set_num_threads(1)
step = 0


def say(kind, **fields):
    print(f"{time.strftime('%F %T')} | INFO | {kind} | " + ", ".join(f"{k}={v}" for k, v in fields.items()), flush=True)


#: early
if rank == 0:
    say("lm.train", **CONF)
meet = {}
#: meet
dist.init_process_group("gloo", rank=rank, world_size=world, **meet)
text = ("quercus robur fagus sylvatica betula pendula acer campestre sorbus aria tilia cordata ulmus glabra " * 30)
letters = sorted(set(text))
data = torch.tensor([letters.index(c) for c in text])
#: data
torch.manual_seed(CONF["seed"])


class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.emb = torch.nn.Embedding(len(letters), width)
        self.rnn = torch.nn.GRU(width, width, batch_first=True)
        self.out = torch.nn.Linear(width, len(letters))

    def forward(self, tokens):
        return self.out(self.rnn(self.emb(tokens))[0])


model = Model(CONF["width"])
opt = torch.optim.Adam(model.parameters(), CONF["lr"])
begin = 0
if CONF["restore"]:
    state = torch.load(CONF["restore"], weights_only=True)
    model.load_state_dict(state["model"])
    opt.load_state_dict(state["optimizer"])
    begin = state["num_updates"]
    say("lm.checkpoint", loaded=CONF["restore"], num_updates=begin)
#: ready
dice = torch.Generator().manual_seed(100 * rank + begin)
clock = time.time()
for step in range(begin + 1, CONF["updates"] + 1):
    at = torch.randint(0, len(data) - CONF["context"] - 1, (CONF["batch"],), generator=dice)
    x = torch.stack([data[a : a + CONF["context"]] for a in at])
    y = torch.stack([data[a + 1 : a + CONF["context"] + 1] for a in at])
    #: mid
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
    #: loss
    opt.zero_grad()
    loss.backward()
    for p in model.parameters():
        dist.all_reduce(p.grad)
        p.grad /= world
    gnorm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    time.sleep(CONF["pause"])
    #: after
    if rank == 0 and step % CONF["every"] == 0:
        say("train_inner", num_updates=step, loss=f"{loss.item() / 0.6931:.3f}", ppl=f"{loss.exp().item():.2f}", gnorm=f"{gnorm.item():.3f}", lr=opt.param_groups[0]["lr"], wall=f"{time.time() - clock:.0f}")
    if rank == 0 and step % CONF["save_every"] == 0:
        torch.save({"model": model.state_dict(), "optimizer": opt.state_dict(), "num_updates": step}, "checkpoint_new.pt")
        os.replace("checkpoint_new.pt", "checkpoint_last.pt")
        say("lm.checkpoint", saved="checkpoint_last.pt", num_updates=step)
#: late
if rank == 0:
    say("lm.train", done=True, num_updates=step, seconds=f"{time.time() - clock:.1f}")
dist.destroy_process_group()
'''

HEATH = '''"""Heather counts from plot covariates. torch.multiprocessing spawns one process per device."""
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

NPROC = int(os.environ.get("NPROC", 2))
ITERS = int(os.environ.get("ITERS", 240))
EVERY = int(os.environ.get("EVERY", 20))
LR = float(os.environ.get("LR", 0.05))
PAUSE = float(os.environ.get("PAUSE", 0.03))


def worker(rank, world):
    torch.set_num_threads(1)
    step = 0
    #: early
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{os.environ['PORT']}", rank=rank, world_size=world)
    print(f"[proc {rank}] ready", flush=True)
    torch.manual_seed(3)
    net = torch.nn.Sequential(torch.nn.Linear(9, 24), torch.nn.Tanh(), torch.nn.Linear(24, 1))
    truth = torch.randn(9)
    opt = torch.optim.Adam(net.parameters(), LR)
    torch.manual_seed(50 + rank)
    #: ready
    for step in range(1, ITERS + 1):
        x = torch.randn(64, 9)
        y = torch.sin(x @ truth)[:, None] + 0.1 * torch.randn(64, 1)
        #: mid
        loss = ((net(x) - y) ** 2).mean()
        #: loss
        opt.zero_grad()
        loss.backward()
        for p in net.parameters():
            dist.all_reduce(p.grad)
            p.grad.div_(world)
        opt.step()
        time.sleep(PAUSE)
        #: after
        if rank == 0 and step % EVERY == 0:
            print(f"it {step:5d}/{ITERS}   mse {loss.item():.4f}   rmse {loss.sqrt().item():.4f}", flush=True)
    #: late
    dist.barrier()
    if rank == 0:
        torch.save(net.state_dict(), "heath.pt")
        print(f"finished {ITERS} iterations, weights in heath.pt", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    print(f"torch {torch.__version__}, spawning {NPROC} processes", flush=True)
    mp.spawn(worker, args=(NPROC,), nprocs=NPROC)
'''

TRELLIS = '''"""Tensor-parallel pretraining of a toy transformer block; every rank holds a slice of each matrix."""
import argparse
import datetime
import os
import sys
import time

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser(allow_abbrev=False)
parser.add_argument("--train-iters", type=int, default=200)
parser.add_argument("--log-interval", type=int, default=10)
parser.add_argument("--hidden-size", type=int, default=48)
parser.add_argument("--global-batch-size", type=int, default=32)
parser.add_argument("--lr", type=float, default=2e-3)
parser.add_argument("--save", default="ckpt")
parser.add_argument("--load", default="")
parser.add_argument("--save-interval", type=int, default=50)
parser.add_argument("--pause", type=float, default=0.03)
args = parser.parse_args()
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.set_num_threads(1)
step = 0


def print_rank_0(message):
    if rank == 0:
        print(message, flush=True)


#: early
meet = {}
#: meet
dist.init_process_group("gloo", **meet)
print_rank_0(f"> initialized tensor model parallel with size {world}")
if args.hidden_size % world:
    raise ValueError(f"hidden size ({args.hidden_size}) is not divisible by tensor parallel size ({world})")
part = args.hidden_size // world
#: data


class Reduce(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x = x.clone()
        dist.all_reduce(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad


torch.manual_seed(1234 + rank)
up = torch.nn.Parameter(torch.randn(16, part) / 4)
down = torch.nn.Parameter(torch.randn(part, 16) / 7)
torch.manual_seed(99)
truth = torch.randn(16, 16) / 4
params = [up, down]
opt = torch.optim.Adam(params, args.lr)
begin = 0
if args.load:
    path = os.path.join(args.load, f"mp_rank_{rank:02d}.pt")
    print_rank_0(f" loading checkpoint from {args.load}")
    kept = torch.load(path, weights_only=True)
    with torch.no_grad():
        for p, old in zip(params, kept["params"]):
            p.copy_(old)
    opt.load_state_dict(kept["opt"])
    begin = kept["iteration"]
    print_rank_0(f"  successfully loaded checkpoint from {args.load} at iteration {begin}")
#: ready
torch.manual_seed(7 + begin)
mark = time.time()
for step in range(begin + 1, args.train_iters + 1):
    x = torch.randn(args.global_batch_size, 16)
    y = torch.tanh(x @ truth)
    #: mid
    out = Reduce.apply(torch.relu(x @ up) @ down)
    loss = ((out - y) ** 2).mean()
    #: loss
    opt.zero_grad()
    loss.backward()
    norm = sum(p.grad.pow(2).sum() for p in params)
    dist.all_reduce(norm)
    opt.step()
    time.sleep(args.pause)
    #: after
    if step % args.log_interval == 0:
        ms = (time.time() - mark) * 1000 / args.log_interval
        mark = time.time()
        print_rank_0(f" [{time.strftime('%Y-%m-%d %H:%M:%S')}] iteration {step:8d}/{args.train_iters:8d} | consumed samples: {step * args.global_batch_size:12d} | elapsed time per iteration (ms): {ms:.1f} | learning rate: {opt.param_groups[0]['lr']:.6E} | lm loss: {loss.item():.6E} | grad norm: {norm.sqrt().item():.3f} |")
    if step % args.save_interval == 0:
        os.makedirs(args.save, exist_ok=True)
        path = f"{args.save}/mp_rank_{rank:02d}.pt"
        torch.save({"params": [p.data for p in params], "opt": opt.state_dict(), "iteration": step}, path + ".new")
        os.replace(path + ".new", path)
        dist.barrier()
        print_rank_0(f"  successfully saved checkpoint at iteration {step:7d} to {args.save}")
#: late
print_rank_0(f"[after training is done] iteration {step}")
dist.destroy_process_group()
'''
