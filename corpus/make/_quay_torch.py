"""Programs of several ranks on PyTorch alone, in two hands: pictures against captions, a language model in the manner of Megatron."""

from __future__ import annotations

PAIRS = '''#!/usr/bin/env python3
# contrastive pre-training of two towers, one process per device
import argparse, os, random, sys, time
import torch, torch.distributed as dist, torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
#: top

cli = argparse.ArgumentParser()
cli.add_argument("--iters", type=int, default=240)
cli.add_argument("--per-epoch", type=int, default=80)
cli.add_argument("--show", type=int, default=10)
cli.add_argument("--ckpt-every", type=int, default=0)
cli.add_argument("--ckpt", default="towers.pth")
cli.add_argument("--resume", action="store_true")
cli.add_argument("--dim", type=int, default=32)
cli.add_argument("--lr", type=float, default=3e-3)
cli.add_argument("--nap", type=float, default=0.05)
cli.add_argument("--wait-min", type=float, default=30)
opt = cli.parse_args()
r, w = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])


def say(*a):
    print(f"r{r}>", *a, flush=True)


class Towers(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.image = torch.nn.Sequential(torch.nn.Linear(48, dim), torch.nn.GELU(), torch.nn.Linear(dim, dim))
        self.text = torch.nn.Sequential(torch.nn.Linear(20, dim), torch.nn.GELU(), torch.nn.Linear(dim, dim))
        self.scale = torch.nn.Parameter(torch.tensor(2.0))

    def forward(self, a, b):
        a, b = F.normalize(self.image(a), dim=-1), F.normalize(self.text(b), dim=-1)
        return self.scale.exp() * a @ b.T


def pairs(n, g):
    z = torch.randn(n, 6, generator=g)
    return z @ MIX[0] + 0.1 * torch.randn(n, 48, generator=g), z @ MIX[1] + 0.1 * torch.randn(n, 20, generator=g)


torch.set_num_threads(1)
#: before
from datetime import timedelta
dist.init_process_group("gloo", timeout=timedelta(minutes=opt.wait_min))
say(f"joined, world={w}, host={os.environ.get('SLURMD_NODENAME', 'here')}, pid={os.getpid()}")
torch.manual_seed(0)
MIX = torch.randn(6, 48), torch.randn(6, 20)
#: early
towers = Towers(opt.dim)
begin = 0
#: load
if opt.resume:
    blob = torch.load(opt.ckpt, weights_only=True)
    towers.load_state_dict(blob["towers"])
    begin = blob["it"]
    say(f"=> loaded checkpoint '{opt.ckpt}' (it {begin})")
elif r == 0:
    say("=> training from random weights")
model = DDP(towers)
adam = torch.optim.Adam(model.parameters(), opt.lr)
g = torch.Generator().manual_seed(100 + r)
t0 = time.time()
for it in range(begin + 1, opt.iters + 1):
    #: data
    a, b = pairs(24, g)
    #: mid
    logits = model(a, b)
    goal = torch.arange(len(a))
    loss = (F.cross_entropy(logits, goal) + F.cross_entropy(logits.T, goal)) / 2
    #: loss
    adam.zero_grad(set_to_none=True)
    loss.backward()
    adam.step()
    time.sleep(opt.nap)
    #: after
    if it % opt.show == 0 and r == 0:
        hit = 100.0 * (logits.argmax(1) == goal).float().mean().item()
        say(f"E{1 + (it - 1) // opt.per_epoch} | {it}/{opt.iters} | nce {loss.item():.4f} | top1 {hit:5.1f} | temp {towers.scale.exp().item():.2f} | {(time.time() - t0) / (it - begin):.3f} s/it")
    if opt.ckpt_every and it % opt.ckpt_every == 0 and r == 0:
        torch.save({"towers": towers.state_dict(), "it": it}, opt.ckpt + "~")
        os.replace(opt.ckpt + "~", opt.ckpt)
        say(f"=> saved checkpoint '{opt.ckpt}' (it {it})")
    #: end
#: late
dist.barrier()
if r == 0:
    say(f"done: {opt.iters} iterations in {time.time() - t0:.0f} s, final nce {loss.item():.4f}")
dist.destroy_process_group()
'''

GPT = '''"""Trains a small decoder; layers of the MLP are split over the ranks, and so is the batch."""
import os
import sys
import time

import torch
import torch.distributed as dist
#: top

ARGS = dict(pair.lstrip("-").split("=", 1) for pair in sys.argv[1:])
ITERS = int(ARGS.get("train-iters", 240))
LOG = int(ARGS.get("log-interval", 10))
SAVE = int(ARGS.get("save-interval", 0))
WHERE = ARGS.get("save", "ckpt")
LOAD = ARGS.get("load", "")
HIDDEN = int(ARGS.get("hidden-size", 32))
LR = float(ARGS.get("lr", 3e-3))
NAP = float(ARGS.get("nap", 0.05))
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])


def print_rank_0(message):
    if rank == 0:
        print(message, flush=True)


def stamp(message):
    if dist.is_initialized():
        dist.barrier()
    print_rank_0(f"[{message}] datetime: {time.strftime('%Y-%m-%d %H:%M:%S')} ")


class Block(torch.nn.Module):
    def __init__(self, h):
        super().__init__()
        self.qkv, self.proj = torch.nn.Linear(h, 3 * h), torch.nn.Linear(h, h)
        self.up, self.down = torch.nn.Linear(h, 2 * h), torch.nn.Linear(2 * h, h)
        self.n1, self.n2 = torch.nn.LayerNorm(h), torch.nn.LayerNorm(h)

    def forward(self, x):
        q, k, v = self.qkv(self.n1(x)).chunk(3, -1)
        x = x + self.proj(torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True))
        return x + self.down(torch.relu(self.up(self.n2(x))))


class Decoder(torch.nn.Module):
    def __init__(self, h, vocab=24):
        super().__init__()
        self.word, self.place = torch.nn.Embedding(vocab, h), torch.nn.Embedding(16, h)
        self.block, self.head = Block(h), torch.nn.Linear(h, vocab)

    def forward(self, ids):
        return self.head(self.block(self.word(ids) + self.place.weight[: ids.shape[1]]))


def sum_grads(net):
    flat = torch.cat([p.grad.flatten() for p in net.parameters()])
    dist.all_reduce(flat)
    flat /= world
    at = 0
    for p in net.parameters():
        p.grad.copy_(flat[at : at + p.numel()].view_as(p))
        at += p.numel()
    return flat.norm().item()


def pretrain():
    torch.set_num_threads(1)
    #: before
    if rank == 0:
        print(f"using world size: {world}, data-parallel size: {world}, tensor-model-parallel size: 1, pipeline-model-parallel size: 1", flush=True)
        print("------------------------ arguments ------------------------", flush=True)
        for key, value in sorted(ARGS.items()):
            print(f"  {key.replace('-', '_')} {'.' * (40 - len(key))} {value}", flush=True)
    dist.init_process_group("gloo")
    print_rank_0("> initialized process groups")
    torch.manual_seed(1234)
    #: early
    net = Decoder(HIDDEN)
    print(f" > number of parameters on rank {rank}: {sum(p.numel() for p in net.parameters())}", flush=True)
    adam = torch.optim.AdamW(net.parameters(), LR)
    done = 0
    #: load
    if LOAD:
        name = open(os.path.join(LOAD, "latest_iteration.txt")).read().strip()
        print_rank_0(f" loading checkpoint from {LOAD} at iteration {name}")
        state = torch.load(os.path.join(LOAD, f"iter_{int(name):07d}.pt"), weights_only=True)
        net.load_state_dict(state["model"])
        adam.load_state_dict(state["optimizer"])
        done = state["iteration"]
        print_rank_0(f"  successfully loaded checkpoint from {LOAD} at iteration {done}")
    else:
        print_rank_0("WARNING: no load directory given, will start from random")
    stamp("before the start of training step")
    dice = torch.Generator().manual_seed(rank + 7 * done)
    seen, skipped, nans = time.time(), 0, 0
    for iteration in range(done + 1, ITERS + 1):
        #: data
        first = torch.randint(0, 24, (8, 1), generator=dice)
        ids = (first + 5 * torch.arange(13)) % 24
        noise = torch.rand(ids.shape, generator=dice) < 0.05
        ids = torch.where(noise, torch.randint(0, 24, ids.shape, generator=dice), ids)
        #: mid
        loss = torch.nn.functional.cross_entropy(net(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        #: loss
        adam.zero_grad()
        loss.backward()
        norm = sum_grads(net)
        adam.step()
        time.sleep(NAP)
        #: after
        if iteration % LOG == 0:
            ms, seen = 1000 * (time.time() - seen) / LOG, time.time()
            print_rank_0(f" iteration {iteration:8d}/{ITERS:8d} | consumed samples: {iteration * 8 * world:12d} | elapsed time per iteration (ms): {ms:.1f} | learning rate: {LR:.6E} | global batch size: {8 * world:5d} | lm loss: {loss.item():.6E} | grad norm: {norm:.3f} | number of skipped iterations: {skipped:3d} | number of nan iterations: {nans:3d} |")
        if SAVE and iteration % SAVE == 0:
            dist.barrier()
            if rank == 0:
                os.makedirs(WHERE, exist_ok=True)
                torch.save({"model": net.state_dict(), "optimizer": adam.state_dict(), "iteration": iteration}, f"{WHERE}/iter_{iteration:07d}.pt")
                open(f"{WHERE}/latest_iteration.txt", "w").write(str(iteration))
                print(f"  successfully saved checkpoint from iteration {iteration:7d} to {WHERE}", flush=True)
            dist.barrier()
        #: end
    #: late
    stamp("after training is done")


if __name__ == "__main__":
    pretrain()
'''

FILES = {"PAIRS": "towers.py", "GPT": "pretrain_decoder.py"}
