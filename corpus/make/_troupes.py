"""More of the small distributed programs: each as another group of people would write it; and how all of them are filled in and launched."""

from __future__ import annotations

import re

VIT = '''#!/usr/bin/env python
"""Image classification on squares and crosses."""
import os
import time
from contextlib import suppress
TOP
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as NativeDDP


def _primary():
    return int(os.environ.get("RANK", 0)) == 0


def say(*parts):
    if _primary():
        print(*parts, flush=True)


def batch(n=8):
    kinds = torch.randint(0, 3, (n,))
    images = torch.randn(n, 1, 8, 8) * 0.4
    images[kinds == 1, :, 3:5, :] += 1
    images[kinds == 2, :, :, 3:5] += 1
    return images, kinds


def train_one_epoch(epoch, model, optimizer, rank, world, state):
    per_epoch = 40
    top = 0.0
    for index in range(per_epoch):
        step = state["updates"] = state["updates"] + 1
        x, y = batch()
        MID
        output = model(x)
        loss = nn.functional.cross_entropy(output, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        top += (output.argmax(1) == y).float().mean().item() * 100
        time.sleep(PAUSE)
        AFTER
        if index % EVERY == 0 or index == per_epoch - 1:
            say(f"Train: {epoch} [{index:>4d}/{per_epoch} ({100. * index / (per_epoch - 1):>3.0f}%)]  Loss: {loss.item():#.3g} ({loss.item():#.3g})  Time: 0.034s, {8 * world / 0.034:>7.2f}/s  (0.034s, {8 * world / 0.034:>7.2f}/s)  LR: {RATE:.3e}  Data: 0.001 (0.001)")
    return top / per_epoch


def main():
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    BEFORE
    dist.init_process_group("gloo"MEET)
    torch.set_num_threads(1)
    print(f"Training in distributed mode with multiple processes, 1 device per process. Process {rank}, total {world}, device cpu.", flush=True)
    torch.manual_seed(42)
    net = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(72, 3))
    EARLY
    model = NativeDDP(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE, momentum=0.9, nesterov=True)
    torch.manual_seed(42 + rank)
    state, best = {"updates": START - 1}, 0.0
    epochs = max(1, TOTAL // 40)
    say(f"Scheduled epochs: {epochs}. LR stepped per epoch.")
    for epoch in range(epochs):
        top = train_one_epoch(epoch, model, optimizer, rank, world, state)
        best = max(best, top)
        say(f"Test: [   0/0]  Time: 0.011 (0.011)  Acc@1: {top:>7.3f} ({top:>7.3f})")
    LATE
    say(f"*** Best metric: {best} (epoch {epochs - 1})")
    with suppress(RuntimeError):
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
'''

EACH = '''import os, sys, time, socket
TOP
import torch
import torch.distributed as dist

def env(*names):
    for name in names:
        if name in os.environ:
            return int(os.environ[name])
    sys.exit("neither of " + ", ".join(names) + " is set")

rank, world = env("RANK", "SLURM_PROCID"), env("WORLD_SIZE", "SLURM_NTASKS")
os.environ.update(RANK=str(rank), WORLD_SIZE=str(world))
me = f"[rank{rank}@{os.environ.get('SLURMD_NODENAME', socket.gethostname())}]"
BEFORE
print(me, "init_process_group(gloo)", flush=True)
dist.init_process_group("gloo"MEET)
print(me, "ready,", world, "ranks", flush=True)
torch.set_num_threads(1)
torch.manual_seed(5)
emb, tower = torch.nn.Embedding(50, 8), torch.nn.Linear(8, 1)
EARLY
weights = [*emb.parameters(), *tower.parameters()]
taste = torch.randn(50)
torch.manual_seed(rank)
last = time.time()
for step in range(START, TOTAL + 1):
    x = torch.randint(0, 50, (32,))
    y = taste[x] + 0.1 * torch.randn(32)
    MID
    loss = (tower(emb(x)).squeeze(1) - y).pow(2).mean()
    loss.backward()
    for p in weights:
        dist.all_reduce(p.grad)
        with torch.no_grad():
            p -= RATE * p.grad / world
        p.grad = None
    time.sleep(PAUSE)
    AFTER
    if step % EVERY == 0:
        print(f"{me} step {step} | loss {loss.item():.4f} | {(time.time() - last) / EVERY * 1000:.0f} ms/step", flush=True)
        last = time.time()
LATE
print(me, "finished", TOTAL, "steps", flush=True)
dist.destroy_process_group()
'''

ZERO = '''"""Optimizer state is sharded: each process updates its part of one flat vector and gathers the others'."""
import datetime
import os
import sys
import time
TOP
import torch
import torch.distributed as dist

RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])


def log_dist(text, ranks=(0,)):
    if RANK in ranks:
        now = datetime.datetime.now()
        print(f"[{now:%Y-%m-%d %H:%M:%S},{now.microsecond // 1000:03d}] [INFO] [logging.py:107:log_dist] [Rank {RANK}] {text}", flush=True)


class Engine:
    def __init__(self, net, lr):
        self.net = net
        sizes = sum(p.numel() for p in net.parameters())
        self.padded = (sizes + WORLD - 1) // WORLD * WORLD
        self.lr, self.part = lr, self.padded // WORLD
        self.moment = torch.zeros(self.part)
        self.square = torch.zeros(self.part)

    def _flat(self, grads):
        out = torch.zeros(self.padded)
        values = [p.grad if grads else p.data for p in self.net.parameters()]
        torch.cat([v.reshape(-1) for v in values], out=out[:sum(v.numel() for v in values)])
        return out

    def step(self, t):
        grads, mine = self._flat(True), slice(RANK * self.part, (RANK + 1) * self.part)
        dist.all_reduce(grads)
        g = grads[mine] / WORLD
        self.moment.mul_(0.9).add_(g, alpha=0.1)
        self.square.mul_(0.95).addcmul_(g, g, value=0.05)
        shard = self._flat(False)[mine] - self.lr * self.moment / (1 - 0.9 ** t) / ((self.square / (1 - 0.95 ** t)).sqrt() + 1e-8)
        parts = [torch.empty(self.part) for _ in range(WORLD)]
        dist.all_gather(parts, shard)
        flat, at = torch.cat(parts), 0
        for p in self.net.parameters():
            p.data.copy_(flat[at:at + p.numel()].view_as(p))
            at += p.numel()
            p.grad = None


def main():
    rank, world = RANK, WORLD
    BEFORE
    dist.init_process_group("gloo"MEET)
    torch.set_num_threads(1)
    torch.manual_seed(7)
    net = torch.nn.Sequential(torch.nn.Linear(8, 24), torch.nn.SiLU(), torch.nn.Linear(24, 8))
    teacher = torch.randn(8, 8) / 3
    log_dist("Creating torch.float32 sharded optimizer, stage 1")
    EARLY
    engine = Engine(net, RATE)
    torch.manual_seed(rank + 1)
    for step in range(START, TOTAL + 1):
        x = torch.randn(16, 8)
        y = torch.tanh(x @ teacher)
        MID
        loss = torch.nn.functional.mse_loss(net(x), y)
        loss.backward()
        engine.step(step)
        time.sleep(PAUSE)
        AFTER
        if step % EVERY == 0:
            log_dist(f"step={step}, skipped=0, lr=[RATE], mom=[(0.9, 0.95)]")
            if RANK == 0:
                print(f"steps: {step} loss: {loss.item():.4f} iter time (s): 0.034 samples/sec: {16 * world / 0.034:.3f}", flush=True)
    LATE
    log_dist(f"trained {TOTAL} steps on {world} processes", ranks=range(WORLD))


if __name__ == "__main__":
    main()
    dist.destroy_process_group()
'''

GAN = '''import json
import os
import time
TOP
import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def sync(module, world):
    for p in module.parameters():
        dist.all_reduce(p.grad)
        p.grad /= world


def worker(local, world):
    rank = local
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=os.environ["PORT"])
    BEFORE
    dist.init_process_group("gloo", rank=rank, world_size=worldMEET)
    torch.set_num_threads(1)
    torch.manual_seed(9)
    gen = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2))
    shift = torch.tensor([2.0, -1.0])
    EARLY
    opt = torch.optim.Adam(gen.parameters(), lr=RATE)
    torch.manual_seed(rank)
    for step in range(START, TOTAL + 1):
        x = torch.randn(64, 2)
        y = torch.randn(64, 2) * 0.5 + shift
        MID
        fake = gen(x)
        loss = (fake.mean(0) - y.mean(0)).pow(2).sum() + (fake.std(0) - y.std(0)).pow(2).sum()
        opt.zero_grad()
        loss.backward()
        sync(gen, world)
        opt.step()
        time.sleep(PAUSE)
        AFTER
        if rank == 0 and step % EVERY == 0:
            print(json.dumps({"step": step, "moment_loss": round(loss.item(), 5), "lr": RATE, "ts": round(time.time(), 2)}), flush=True)
    LATE
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    world = int(os.environ["NPROC"])
    print(json.dumps({"event": "spawn", "nprocs": world, "pid": os.getpid()}), flush=True)
    mp.start_processes(worker, args=(world,), nprocs=world, join=True, start_method="fork")
    print(json.dumps({"event": "finished"}), flush=True)
'''
RATES = {"SEG": 0.05, "ASR": 0.01, "GPT": 0.01, "DET": 0.05, "CLIP": 0.005, "VIT": 0.05, "EACH": 0.4, "ZERO": 0.01, "GAN": 0.01}


def fill(text: str, name: str, *, total: int = 160, every: int = 10, pause: float = 0.03, rate: float | None = None, meet: str = "", workers: int = 0, shuffle: bool = True, start: str = "1", **places: str) -> str:
    """The program with code at its places (``top``, ``before``, ``early``, ``item``, ``mid``, ``after``, ``late``), as far in as they are."""
    known = ("TOP", "BEFORE", "EARLY", "ITEM", "MID", "AFTER", "LATE")
    values = {"TOTAL": total, "EVERY": every, "PAUSE": pause, "RATE": RATES[name] if rate is None else rate, "WORKERS": workers, "SHUFFLE": shuffle, "START": start}
    lines = []
    for line in text.splitlines():
        word = line.strip()
        if word in known:
            code = places.get(word.lower(), "")
            lines += [line[: len(line) - len(line.lstrip())] + more for more in code.splitlines()]
        else:
            written = re.sub(r"\b(" + "|".join(values) + r")\b", lambda m: str(values[m[0]]), line)
            lines.append(re.sub(r"MEET\)", meet + ")", written))
    return "\n".join(lines) + "\n"


def only(rank: int | None, step: int | None, code: str, *, since: bool = False) -> str:
    """Code for one rank alone, at a step or from it on."""
    tests = [*([f"rank == {rank}"] if rank is not None else []), *([f"step {'>=' if since else '=='} {step}"] if step else [])]
    return f"if {' and '.join(tests)}:\n" + "\n".join(f"    {line}" for line in code.splitlines()) if tests else code
