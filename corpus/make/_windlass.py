"""Five small programs of several ranks in PyTorch (two of them next door), each with places where a case's code stands, and how they are started."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.label import Label
from corpus.make._windlass_waves import DENOISE, MOLEC
from corpus.running.batch import ELSEWHERE
from corpus.running.job import SlurmJob
from corpus.running.slots import fill

UNET = '''import argparse
import datetime
import logging
import os
import sys
import time

#: top
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

RANK = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", "0")))
WORLD = int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", "1")))
logger = logging.getLogger("kidney3d")


def parse():
    ap = argparse.ArgumentParser(description="Kidney segmentation on CT patches")
    ap.add_argument("--epochs", type=int, default=4)
    ap.add_argument("--iters", type=int, default=60, help="iterations of an epoch")
    ap.add_argument("--lr", type=float, default=0.02)
    ap.add_argument("--pace", type=float, default=0.1)
    ap.add_argument("--print-every", type=int, default=10)
    ap.add_argument("--resume", default="")
    ap.add_argument("--width", type=int, default=12)
    ap.add_argument("--out", default="runs/kidney3d")
    return ap.parse_args()


class PatchNet(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.down = nn.Conv3d(1, width, 3, padding=1)
        self.mid = nn.Conv3d(width, width, 3, padding=1)
        self.head = nn.Conv3d(width, 1, 1)

    def forward(self, x):
        return self.head(F.relu(self.mid(F.relu(self.down(x)))))


def patches(gen):
    x = torch.randn(4, 1, 6, 6, 6, generator=gen)
    y = (F.avg_pool3d(x, 3, 1, 1) > 0.05).float()
    return x, y


def dice(logits, y):
    p = logits.sigmoid()
    return 1 - (2 * (p * y).sum() + 1) / (p.sum() + y.sum() + 1)


def main():
    cfg = parse()
    logging.basicConfig(stream=sys.stdout, level=logging.INFO, format=f"%(asctime)s %(levelname)-7s r{RANK} %(message)s")
    #: early
    if WORLD > 1:
        dist.init_process_group("gloo", rank=RANK, world_size=WORLD, timeout=datetime.timedelta(seconds=int(os.environ.get("PG_TIMEOUT", "1800"))))
    torch.manual_seed(11)
    net = PatchNet(cfg.width)
    #: model
    opt = torch.optim.SGD(net.parameters(), lr=cfg.lr, momentum=0.9)
    gen = torch.Generator().manual_seed(100 + RANK)
    begin = 0
    #: load
    ddp = DDP(net) if WORLD > 1 else net
    logger.info("%d ranks, %d parameters, %d epochs of %d iterations", WORLD, sum(p.numel() for p in net.parameters()), cfg.epochs, cfg.iters)
    #: ready
    for epoch in range(begin, cfg.epochs):
        tic = time.perf_counter()
        total = 0.0
        for it in range(1, cfg.iters + 1):
            step = epoch * cfg.iters + it
            t0 = time.perf_counter()
            x, y = patches(gen)
            #: data
            t1 = time.perf_counter()
            logits = ddp(x)
            loss = F.binary_cross_entropy_with_logits(logits, y) + dice(logits, y)
            #: loss
            opt.zero_grad()
            time.sleep(cfg.pace)
            #: compute
            t2 = time.perf_counter()
            loss.backward()
            #: grad
            opt.step()
            t3 = time.perf_counter()
            total += loss.item()
            #: after
            if it % cfg.print_every == 0:
                logger.info("epoch %d/%d it %d/%d bce+dice %.4f | data %.2fs fwd %.2fs bwd+sync %.2fs", epoch + 1, cfg.epochs, it, cfg.iters, loss.item(), t1 - t0, t2 - t1, t3 - t2)
        if RANK == 0:
            logger.info("epoch %d done in %.1fs, mean train loss %.4f", epoch + 1, time.perf_counter() - tic, total / cfg.iters)
        #: epoch
    #: end
    if RANK == 0:
        os.makedirs(cfg.out, exist_ok=True)
        torch.save(net.state_dict(), os.path.join(cfg.out, "final.pth"))
        logger.info("final weights in %s/final.pth", cfg.out)
    if WORLD > 1:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
'''
LM = '''"""Character model of Icelandic place names."""
import datetime
import math
import os
import sys
import time

#: top
import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F

conf = {"steps": 300, "lr": 3e-3, "every": 10, "dim": 24, "ctx": 12, "batch": 8, "pace": 0.08, "save_every": 0, "resume": "", "warmup": 20, "dir": "ckpt"}
for word in sys.argv[1:]:
    key, eq, value = word.lstrip("-").partition("=")
    if key not in conf:
        sys.exit(f"unknown setting {key!r} (known: {', '.join(conf)})")
    conf[key] = type(conf[key])(value)
rank = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", 0)))
world = int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", 1)))
TEXT = "reykjavik akureyri husavik isafjordur egilsstadir selfoss keflavik hofn borgarnes vik grindavik dalvik siglufjordur neskaupstadur " * 6
chars = sorted(set(TEXT))
codes = torch.tensor([chars.index(c) for c in TEXT])


def log(**kv):
    print(" ".join(f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in kv.items()), flush=True)


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)

    def forward(self, x):
        q, k, v = self.qkv(self.n1(x)).chunk(3, -1)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True))
        return x + self.mlp(self.n2(x))


class CharLM(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.tok, self.pos = nn.Embedding(len(chars), dim), nn.Embedding(64, dim)
        self.block, self.head = Block(dim), nn.Linear(dim, len(chars))

    def forward(self, x):
        return self.head(self.block(self.tok(x) + self.pos(torch.arange(x.shape[1]))))


def mean_over_ranks(model):
    if world == 1:
        return
    flat = torch.cat([p.grad.flatten() for p in model.parameters()])
    dist.all_reduce(flat)
    at = 0
    for p in model.parameters():
        p.grad.copy_(flat[at : at + p.numel()].view_as(p) / world)
        at += p.numel()


#: early
if world > 1:
    dist.init_process_group("gloo", rank=rank, world_size=world, timeout=datetime.timedelta(seconds=int(os.environ.get("PG_TIMEOUT", "1800"))))
torch.manual_seed(5)
model = CharLM(conf["dim"])
#: model
opt = torch.optim.AdamW(model.parameters(), lr=conf["lr"])
torch.manual_seed(rank)
first = 1
#: load
if rank == 0:
    log(event="start", world=world, params=sum(p.numel() for p in model.parameters()), **{k: v for k, v in conf.items() if k in ("steps", "lr", "dim", "batch")})
#: ready
for step in range(first, conf["steps"] + 1):
    tick = time.time()
    at = torch.randint(len(codes) - conf["ctx"] - 1, (conf["batch"],))
    x = torch.stack([codes[a : a + conf["ctx"]] for a in at])
    y = torch.stack([codes[a + 1 : a + conf["ctx"] + 1] for a in at])
    #: data
    got = time.time()
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
    #: loss
    opt.zero_grad()
    loss.backward()
    time.sleep(conf["pace"])
    #: compute
    ready = time.time()
    mean_over_ranks(model)
    #: grad
    norm = float(torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0))
    for g in opt.param_groups:
        g["lr"] = conf["lr"] * min(1.0, step / conf["warmup"])
        #: lr
    opt.step()
    done = time.time()
    #: after
    if step % conf["every"] == 0 and (rank == 0 or os.environ.get("LOG_ALL")):
        log(step=step, loss=loss.item(), gnorm=norm, lr=opt.param_groups[0]["lr"], data_s=got - tick, compute_s=ready - got, allreduce_s=done - ready, rank=rank, chars_per_s=int(conf["batch"] * conf["ctx"] * world / (time.time() - tick)))
#: end
if rank == 0:
    log(event="finished", steps=conf["steps"], loss=loss.item(), bits=loss.item() / math.log(2))
if world > 1:
    dist.destroy_process_group()
'''
RANKER = '''import datetime
import json
import os
import sys
import time

#: top
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler

ME, ALL = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", 0))), int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", 1)))
CFG = {"epochs": 5, "rows": 1600, "batch": 16, "lr": 0.05, "workers": 0, "log_every": 5, "pace": 0.1}
CFG.update(json.loads(os.environ.get("RANKER_CONFIG", "{}")))


def emit(**fields):
    """One line for the collector."""
    print(json.dumps({"ts": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds"), "rank": ME, **fields}), flush=True)


class Sessions(Dataset):
    """Clicked or not: eight features of a query and an offer."""

    def __init__(self, rows):
        gen = torch.Generator().manual_seed(3)
        self.x = torch.randn(rows, 8, generator=gen)
        w = torch.tensor([1.2, -0.7, 0.0, 2.0, -1.5, 0.3, 0.9, -0.2])
        self.y = (torch.rand(rows, generator=gen) < (self.x @ w).sigmoid()).float()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        #: item
        return self.x[i], self.y[i]


def auc(score, y):
    order = score.argsort()
    rank = torch.empty(len(y)).scatter_(0, order, torch.arange(1.0, len(y) + 1))
    pos = y.sum()
    return float((rank[y == 1].sum() - pos * (pos + 1) / 2) / (pos * (len(y) - pos)))


def run():
    #: early
    if ALL > 1:
        dist.init_process_group("gloo", rank=ME, world_size=ALL, timeout=datetime.timedelta(seconds=int(os.environ.get("PG_TIMEOUT", "1800"))))
    data = Sessions(CFG["rows"])
    #: dataset
    sampler = DistributedSampler(data, ALL, ME, seed=1)
    loader = DataLoader(data, CFG["batch"], sampler=sampler, num_workers=CFG["workers"], drop_last=True)
    torch.manual_seed(0)
    tower = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
    #: model
    sgd = torch.optim.Adagrad(tower.parameters(), lr=CFG["lr"])
    step, start_epoch = 0, 1
    #: load
    emit(event="config", world=ALL, batches_per_epoch=len(loader), **CFG)
    #: ready
    for epoch in range(start_epoch, CFG["epochs"] + 1):
        sampler.set_epoch(epoch)
        asked = time.perf_counter()
        for x, y in loader:
            step += 1
            #: data
            t_data = time.perf_counter() - asked
            loss = torch.nn.functional.binary_cross_entropy_with_logits(tower(x).squeeze(1), y)
            #: loss
            sgd.zero_grad()
            loss.backward()
            time.sleep(CFG["pace"])
            #: compute
            t_comp = time.perf_counter() - asked - t_data
            if ALL > 1:
                for p in tower.parameters():
                    dist.all_reduce(p.grad, op=dist.ReduceOp.AVG if dist.get_backend() == "nccl" else dist.ReduceOp.SUM)
                    p.grad /= ALL
            #: grad
            sgd.step()
            t_sync = time.perf_counter() - asked - t_data - t_comp
            #: after
            if step % CFG["log_every"] == 0:
                emit(event="train", epoch=epoch, step=step, logloss=round(loss.item(), 5), t_data=round(t_data, 3), t_compute=round(t_comp, 3), t_sync=round(t_sync, 3))
            asked = time.perf_counter()
        with torch.no_grad():
            score = tower(data.x).squeeze(1)
        if ME == 0:
            emit(event="epoch_end", epoch=epoch, auc=round(auc(score, data.y), 4))
        #: epoch
    #: end
    if ME == 0:
        emit(event="done", epochs=CFG["epochs"], steps=step)


if __name__ == "__main__":
    run()
'''
PROGRAMS = {"UNET": UNET, "LM": LM, "RANKER": RANKER, "DENOISE": DENOISE, "MOLEC": MOLEC}
FILES = {"UNET": "kidney3d/train.py", "LM": "train_lm.py", "RANKER": "ranker.py", "DENOISE": "difusion.py", "MOLEC": "fit_potential.py"}
WHO = {"UNET": "RANK", "LM": "rank", "RANKER": "ME", "DENOISE": "rango", "MOLEC": "r"}
STEP = {"UNET": "step", "LM": "step", "RANKER": "step", "DENOISE": "paso", "MOLEC": "update"}
PORT = "$((20100 + SLURM_JOB_ID * 17 % 9000))"
CLOCK = "time.time() - float(os.environ['T0'])"
IDLE = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "84500", "throttle_reasons": "0x1", "clock.sm": "345"}
Readings = tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]


def when(name: str, code: str, *, rank: int | None = None, step: int | None = None, since_s: float | None = None, beyond: int | None = None) -> str:
    """Code of one rank or all, at a step or behind one, or from a time on."""
    tests = [] if rank is None else [f"{WHO[name]} == {rank}"]
    tests += [] if step is None else [f"{STEP[name]} == {step}"]
    tests += [] if beyond is None else [f"{STEP[name]} > {beyond}"]
    tests += [] if since_s is None else [f"{CLOCK} > {since_s}"]
    return f"if {' and '.join(tests)}:\n" + "\n".join(f"    {line}" for line in code.splitlines())


def gang(
    label: Label, name: str, ranks: int = 2, nodes: int = 1, how: str = "torchrun", *, given: str = "", head: str = "", tail: str = "", srun: str = "", launch: str = "", code: Mapping[str, str] | None = None,
    options: tuple[str, ...] = (), where: str = ELSEWHERE, files: Mapping[str, str] | None = None, line: str = "", agents: int = 0, text: str = "", file: str = "", **more: Any,
) -> SlurmJob:  # fmt: skip
    """``how``: torchrun (a task for each node), tasks (a task for each rank) or one."""
    file = file or FILES[name]
    where = "-xn5,n6" if nodes > 2 and where == ELSEWHERE else where
    if line:
        run = line.replace("FILE", file)
    elif how == "torchrun" and nodes == 1 and not agents:
        run = f"srun {srun} -n1 PYTHON -m torch.distributed.run --nproc-per-node={ranks} --master-addr=127.0.0.1 --master-port={PORT} {launch} {file} {given}".rstrip()
    elif how == "torchrun":
        run = (f"srun {srun} -N{nodes} -n{nodes} --ntasks-per-node=1 PYTHON -m torch.distributed.run --nnodes={agents or nodes} --nproc-per-node={ranks // nodes} --rdzv-backend=c10d "
               f"--rdzv-id=$SLURM_JOB_ID --rdzv-endpoint=127.0.0.1:{PORT} {launch} {file} {given}").rstrip()  # fmt: skip
    elif how == "tasks":
        run = f"export MASTER_ADDR=127.0.0.1 MASTER_PORT={PORT}\nsrun {srun} PYTHON -u {file} {given}".rstrip()
    else:
        run = f"export WORLD_SIZE=1 RANK=0\nsrun {srun} -n1 PYTHON -u {file} {given}".rstrip()
    content = text or fill(PROGRAMS[name], **(code or {}))
    script = f"#!/bin/bash\nexport T0=$(date +%s.%N)\n{head}{run}\n{tail}"
    limit = () if any(o.startswith("--time") for o in options) else ("--time=2",) if more.get("state") == "TIMEOUT" else ("--time=5",)
    return SlurmJob(label, {file: content, **(files or {})}, script, (f"-N{nodes}", f"-n{ranks}", *((where,) if where else ()), *limit, *options), **{"python": "torch", **more})


def carded(label: Label, name: str, cards: Mapping[int, Readings], others: Readings, ranks: int = 1, nodes: int = 1, how: str = "", *, start_s: int = 22, held: int = 3, **more: Any) -> SlurmJob:  # noqa: PLR0917
    """With a card for each rank; all begin ``start_s`` behind the script, and the readings' seconds count from there."""
    per = ranks // nodes
    idle = {**IDLE, "memory.used": str(held << 30)}

    def shifted(readings: Readings) -> Readings:
        first, later = readings
        return idle, ((start_s - 0.5, first), *((start_s + at, changes) for at, changes in later))

    code = dict(more.pop("code", {}))
    code["ready"] = f"time.sleep(max(0.0, -({CLOCK})))" + ("\n" + code["ready"] if "ready" in code else "")
    head = f"export T0=$(($(date +%s) + {start_s}))\n{more.pop('head', '')}"
    options = (f"--ntasks-per-node={per}", f"--gres=gpu:{per}", *more.pop("options", ()))
    gpus = {(k // per, k % per): shifted(cards.get(k, others)) for k in range(ranks)}
    return gang(label.but(gpu="scripted"), name, ranks, nodes, how or ("torchrun" if ranks > 1 else "one"), head=head, options=options, where=more.pop("where", ""), code=code, gpus=gpus, **more)
