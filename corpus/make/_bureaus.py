"""Programs of several ranks in PyTorch, as houses that have little to do with each other would write them; places for what happens in them are lines of their own."""

from __future__ import annotations

from corpus.running.slots import fill

NOWCAST = '''#!/usr/bin/env python
"""Radar nowcasting, DDP. One process per GPU, started by srun."""
import os, sys, time, datetime
#: top
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

RANK = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", 0)))
NRANKS = int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", 1)))
STEPS, EVERY, PER_EPOCH = <STEPS>, <EVERY>, 50


def out(*words):
    print(f"{datetime.datetime.now():%H:%M:%S} r{RANK:02d} |", *words, flush=True)


class Radar(torch.utils.data.Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, i):
        #: item
        g = torch.Generator().manual_seed(i)
        frame = torch.rand(2, 10, 10, generator=g)
        return frame, frame.mean(0, keepdim=True).roll(1, 2)


class UNetish(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.down = nn.Conv2d(2, width, 3, padding=1)
        self.mid = nn.Conv2d(width, width, 3, padding=1)
        self.up = nn.Conv2d(width, 1, 3, padding=1)

    def forward(self, x):
        h = torch.relu(self.down(x))
        return self.up(h + torch.relu(self.mid(h)))


def main():
    out(f"python {sys.version.split()[0]} torch {torch.__version__} ranks {NRANKS} host {os.environ.get('SLURMD_NODENAME', '-')}")
    torch.set_num_threads(1)
    #: before
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{os.environ['PORT']}", rank=RANK, world_size=NRANKS<MEET>)
    torch.manual_seed(20)
    net = UNetish()
    #: early
    ddp = DDP(net)
    optim = torch.optim.Adam(ddp.parameters(), lr=<RATE>)
    data = Radar()
    sampler = torch.utils.data.distributed.DistributedSampler(data, NRANKS, RANK)
    loader = torch.utils.data.DataLoader(data, 8, sampler=sampler, num_workers=<WORKERS>)
    step, epoch, t0 = <START>, 0, time.time()
    while step < STEPS:
        sampler.set_epoch(epoch)
        for n, (x, y) in enumerate(loader):
            if n == PER_EPOCH or step >= STEPS:
                break
            step += 1
            #: mid
            rmse = torch.sqrt(torch.mean((ddp(x) - y) ** 2))
            optim.zero_grad()
            rmse.backward()
            optim.step()
            time.sleep(<PAUSE>)
            #: after
            if step % EVERY == 0 and RANK == 0:
                out(f"epoch {epoch:02d} batch {n + 1:3d}/{PER_EPOCH} (step {step}) train_rmse {rmse.item():.5f} {step / (time.time() - t0):.1f} it/s")
        #: epoch
        epoch += 1
    #: late
    if RANK == 0:
        torch.save(net.state_dict(), "nowcast_final.pt")
        out(f"wrote nowcast_final.pt after {step} steps, bye")
    dist.destroy_process_group()


main()
'''

FOLD = '''"""Folding head, fully sharded."""
from __future__ import annotations

import argparse
import dataclasses
import logging
import os
import sys
import time
#: top
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


@dataclasses.dataclass
class TrainConfig:
    max_steps: int = <STEPS>
    log_every_n: int = <EVERY>
    lr: float = <RATE>
    width: int = 16
    crop: int = 12


def get_logger(rank: int) -> logging.Logger:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter(f"%(asctime)s.%(msecs)03d [rank {rank}] %(levelname)-8s %(name)s: %(message)s", "%Y-%m-%d %H:%M:%S"))
    logger = logging.getLogger("foldlab.train")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    return logger


class Evoformer(torch.nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.embed = torch.nn.Embedding(21, width)
        self.pair = torch.nn.Linear(2 * width, width)
        self.distogram = torch.nn.Linear(width, 8)

    def forward(self, seq):
        h = self.embed(seq)
        n = h.shape[1]
        z = torch.cat([h[:, :, None].expand(-1, -1, n, -1), h[:, None].expand(-1, n, -1, -1)], -1)
        return self.distogram(F.gelu(self.pair(z)))


class Trainer:
    def __init__(self, config: TrainConfig) -> None:
        self.config = config
        self.rank, self.world = rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        self.log = log = get_logger(rank)
        log.info("configuration: %s", dataclasses.asdict(config))
        torch.set_num_threads(1)
        #: before
        dist.init_process_group("gloo"<MEET>)
        log.info("process group is up: %d of %d", rank + 1, world)
        torch.manual_seed(7)
        model = Evoformer(config.width)
        #: early
        self.model = FSDP(model, device_id=torch.device("cpu"), use_orig_params=True)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=config.lr)

    def batch(self):
        seq = torch.randint(0, 21, (2, self.config.crop))
        target = (seq[:, :, None] + seq[:, None]) % 8
        target = torch.where(torch.rand(target.shape) < 0.25, torch.randint_like(target, 8), target)  # contacts are noisy
        return seq, target

    def fit(self) -> None:
        rank, world, log = self.rank, self.world, self.log
        torch.manual_seed(50 + rank)
        clock = time.monotonic()
        for step in range(<START> + 1, self.config.max_steps + 1):
            seq, target = self.batch()
            #: mid
            logits = self.model(seq)
            loss = F.cross_entropy(logits.reshape(-1, 8), target.reshape(-1))
            loss.backward()
            norm = self.model.clip_grad_norm_(1.0)
            self.optimizer.step()
            self.optimizer.zero_grad()
            time.sleep(<PAUSE>)
            #: after
            if rank == 0 and step % self.config.log_every_n == 0:
                took, clock = time.monotonic() - clock, time.monotonic()
                log.info("Step %6d/%d: distogram_loss=%.4f grad_norm=%.3f lr=%.2e step_time=%.3fs", step, self.config.max_steps, loss.item(), norm.item(), self.config.lr, took / self.config.log_every_n)
        #: late
        if rank == 0:
            log.info("Reached max_steps=%d. Done.", self.config.max_steps)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for f in dataclasses.fields(TrainConfig):
        parser.add_argument(f"--{f.name}", type=type(f.default), default=f.default)
    trainer = Trainer(TrainConfig(**vars(parser.parse_args())))
    trainer.fit()
    dist.barrier()
    dist.destroy_process_group()
'''

SPEED = '''# one file, no config, as fast as it goes
import os
import sys
import time
import uuid
#: top
import torch
import torch.distributed as dist
import torch.nn.functional as F

rank = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", "0")))
world = int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", "1")))
os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", os.environ.get("PORT", "29500"))
num_iterations = <STEPS>


def print0(s):
    if rank == 0:
        print(s, flush=True)


print0("=" * 60)
print0(f"Running Python {sys.version.split()[0]} / PyTorch {torch.__version__}, {world} processes, run id {uuid.UUID(int=77 + world)}")
print0("=" * 60)
torch.set_num_threads(1)
#: before
dist.init_process_group("gloo", rank=rank, world_size=world<MEET>)
torch.manual_seed(1337)
wte = torch.nn.Parameter(torch.randn(32, 12) * 0.3)
fc = torch.nn.Parameter(torch.randn(12, 24) * 0.3)
lm_head = torch.nn.Parameter(torch.randn(24, 32) * 0.2)
params = [wte, fc, lm_head]
momentum = [torch.zeros_like(p) for p in params]
#: early
torch.manual_seed(1000 + rank)
train_time_ms, t0 = 0.0, time.perf_counter()
for step in range(<START> + 1, num_iterations + 1):
    x = torch.randint(0, 32, (4, 16))
    y = (x * 3 + 7) % 32
    y = torch.where(torch.rand(y.shape) < 0.15, torch.randint_like(y, 32), y)
    #: mid
    loss = F.cross_entropy((F.relu(wte[x] @ fc).square() @ lm_head).view(-1, 32), y.view(-1))
    loss.backward()
    with torch.no_grad():
        for p, m in zip(params, momentum):
            dist.all_reduce(p.grad)
            m.mul_(0.9).add_(p.grad / world)
            p.sub_(m, alpha=<RATE>)
            p.grad = None
    time.sleep(<PAUSE>)
    #: after
    train_time_ms = 1000 * (time.perf_counter() - t0)
    if step % <EVERY> == 0 or step == 1:
        print0(f"step:{step}/{num_iterations} train_loss:{loss.item():.4f} train_time:{train_time_ms:.0f}ms step_avg:{train_time_ms / step:.2f}ms")
#: late
print0(f"all {num_iterations} iterations done, training time {train_time_ms / 1000:.1f}s")
dist.destroy_process_group()
'''

SHOP = '''import json
import math
import os
import signal
import sys
import threading
import time
#: top
import torch
import torch.distributed as dist

ROLE_RANK = int(os.environ["SLURM_PROCID"])
NODES = int(os.environ.get("N_PEERS", os.environ["SLURM_NTASKS"]))
ROUNDS = <STEPS>
KEYS = 40


def event(kind, **fields):
    print(json.dumps({"ts": round(time.time(), 3), "role": "server" if ROLE_RANK == 0 else f"worker-{ROLE_RANK}", "event": kind, **fields}), flush=True)


def clicks(generator):
    item = torch.randint(0, KEYS, (32,), generator=generator)
    label = (torch.rand(32, generator=generator) < torch.sigmoid((item.float() - KEYS / 2) / 4)).float()
    return item, label


def server():
    table = torch.zeros(KEYS)
    board = {}
    for round_ in range(<START> + 1, ROUNDS + 1):
        #: serve
        total, ctr = torch.zeros(KEYS), torch.zeros(1)
        for peer in range(1, NODES):
            grad = torch.zeros(KEYS + 1)
            dist.recv(grad, src=peer)
            total += grad[:KEYS]
            ctr += grad[KEYS]
        table -= <RATE> * total / (NODES - 1)
        for peer in range(1, NODES):
            dist.send(table, dst=peer)
        #: served
        if round_ % <EVERY> == 0:
            event("round", round=round_, of=ROUNDS, logloss=round(ctr.item() / (NODES - 1), 5), keys=KEYS)
    #: late
    event("finished", rounds=ROUNDS, norm=round(table.norm().item(), 4))


def worker():
    generator = torch.Generator().manual_seed(ROLE_RANK)
    table = torch.zeros(KEYS)
    for round_ in range(<START> + 1, ROUNDS + 1):
        item, label = clicks(generator)
        #: work
        p = torch.sigmoid(table[item])
        grad = torch.zeros(KEYS + 1)
        grad[:KEYS].index_add_(0, item, (p - label) / 4)
        grad[KEYS] = torch.nn.functional.binary_cross_entropy(p.clamp(1e-6, 1 - 1e-6), label)
        time.sleep(<PAUSE>)
        dist.send(grad, dst=0)
        dist.recv(table, src=0)
        #: worked
        if round_ % (5 * <EVERY>) == 0:
            event("heartbeat", round=round_)


def main():
    event("starting", pid=os.getpid(), peers=NODES)
    torch.set_num_threads(1)
    #: before
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{os.environ['PORT']}", rank=ROLE_RANK, world_size=NODES<MEET>)
    event("connected")
    #: early
    server() if ROLE_RANK == 0 else worker()


if __name__ == "__main__":
    main()
'''

PROGRAMS = {"NOWCAST": (NOWCAST, "nowcast.py"), "FOLD": (FOLD, "fold/train.py"), "SPEED": (SPEED, "run_gpt.py"), "SHOP": (SHOP, "ctr_ps.py")}
RATES: dict[str, object] = {"NOWCAST": 0.004, "FOLD": 0.02, "SPEED": 0.03, "SHOP": 0.12}


def put(text: str, values: dict[str, object]) -> str:
    """The program with its numbers."""
    for key, value in values.items():
        text = text.replace(f"<{key}>", str(value))
    return text


def program(name: str, *, steps: int = 240, every: int = 10, pause: float = 0.03, meet: str = "", start: object = 0, rate: float | None = None, workers: int = 0, **slots: str) -> str:
    """One of them, filled in."""
    values: dict[str, object] = {"STEPS": steps, "EVERY": every, "PAUSE": pause, "RATE": RATES[name] if rate is None else rate, "MEET": meet, "START": start, "WORKERS": workers}
    return put(fill(PROGRAMS[name][0], **slots), values)


def on(rank: int | None, step: int | None, code: str, *, word: str = "rank", since: bool = True) -> str:
    """Code for one rank, from one step on."""
    tests = [f"{word} == {rank}"] if rank is not None else []
    tests += [f"step {'>=' if since else '=='} {step}"] if step is not None else []
    return f"if {' and '.join(tests)}:\n" + "\n".join(f"    {line}" for line in code.splitlines())
