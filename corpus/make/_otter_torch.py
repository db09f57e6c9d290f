"""Programs of several ranks over gloo: sonar tiles, a small language model, a shop's recommender, heart beats, tide gauges, pictures in pairs. Code of a case stands at its places."""

from __future__ import annotations

from corpus.make import _otter_pairs

PAIRS = _otter_pairs.PAIRS

SEABED = '''"""Seabed classes from side-scan sonar tiles, data parallel over Slurm tasks."""
import argparse
import logging
import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=6)
parser.add_argument("--tiles", type=int, default=960)
parser.add_argument("--batch", type=int, default=16)
parser.add_argument("--lr", type=float, default=2e-3)
parser.add_argument("--width", type=int, default=24)
parser.add_argument("--log-every", type=int, default=5)
parser.add_argument("--init", default="")
parser.add_argument("--resume", default="")
parser.add_argument("--save-every", type=int, default=0)
args = parser.parse_args()
rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ.get("WORLD_SIZE", os.environ["SLURM_NTASKS"]))
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format=f"%(asctime)s r{rank} %(levelname)-7s %(message)s", datefmt="%Y-%m-%d %H:%M:%S")
log = logging.getLogger("seabed")
CLASSES = ("mud", "sand", "gravel", "rock")


class Tiles(Dataset):
    def __init__(self, count, seed=7):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(len(CLASSES), (count,), generator=g)
        texture = torch.randn(len(CLASSES), 1, 12, 12, generator=g)
        self.x = texture[self.y] + 1.1 * torch.randn(count, 1, 12, 12, generator=g)
        #: tiles

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        #: item
        return self.x[i], self.y[i]


def build():
    return nn.Sequential(nn.Conv2d(1, args.width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(args.width * 36, len(CLASSES)))


def main():
    #: early
    url = f"tcp://{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}"
    log.info("task %d of %d, joining %s", rank, world, url)
    dist.init_process_group("gloo", init_method=url, rank=rank, world_size=world)
    if rank == 0:
        log.info("all %d tasks are here; args: %s", world, vars(args))
    torch.manual_seed(11)
    net = build()
    start = 1
    #: load
    ddp = DistributedDataParallel(net)
    opt = torch.optim.Adam(ddp.parameters(), lr=args.lr)
    data = Tiles(args.tiles)
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, args.batch, sampler=sampler, drop_last=True)
    #: ready
    step = 0
    for epoch in range(start, args.epochs + 1):
        sampler.set_epoch(epoch)
        hits = seen = 0
        for it, (x, y) in enumerate(loader, 1):
            step += 1
            #: data
            out = ddp(x)
            loss = nn.functional.cross_entropy(out, y)
            #: loss
            opt.zero_grad()
            loss.backward()
            opt.step()
            hits, seen = hits + (out.argmax(1) == y).sum().item(), seen + len(y)
            if it % args.log_every == 0 and rank == 0:
                log.info("epoch %d [%3d/%d] loss %.4f acc %.3f lr %.1e", epoch, it, len(loader), loss.item(), hits / seen, args.lr)
            #: after
        #: epoch
    #: late
    if rank == 0:
        log.info("training complete: %d epochs, last accuracy %.3f", args.epochs, hits / seen)
    dist.destroy_process_group()


main()
'''
QUILL = '''import math
import os
import time

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

max_iters = int(os.environ.get("MAX_ITERS", "200"))
log_interval = int(os.environ.get("LOG_INTERVAL", "10"))
learning_rate = float(os.environ.get("LR", "3e-3"))
block, n_embd = 32, int(os.environ.get("N_EMBD", "32"))
out_dir = os.environ.get("OUT_DIR", "out-quill")
local_rank, rank, world = (int(os.environ[k]) for k in ("LOCAL_RANK", "RANK", "WORLD_SIZE"))
master = rank == 0
text = "the quick brown fox jumps over the lazy dog and the cat sat on the mat while it rained all day long. " * 40
vocab = sorted(set(text))
ids = torch.tensor([vocab.index(c) for c in text])
#: early
dist.init_process_group("gloo")
torch.manual_seed(1337 + rank)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln, self.att = nn.LayerNorm(n_embd), nn.MultiheadAttention(n_embd, 4, batch_first=True)
        self.mlp = nn.Sequential(nn.LayerNorm(n_embd), nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd))

    def forward(self, x):
        mask = torch.triu(torch.full((x.size(1), x.size(1)), float("-inf")), 1)
        y = self.ln(x)
        x = x + self.att(y, y, y, attn_mask=mask, need_weights=False)[0]
        return x + self.mlp(x)


class Quill(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(len(vocab), n_embd), nn.Embedding(block, n_embd)
        self.body, self.head = Block(), nn.Linear(n_embd, len(vocab))

    def forward(self, i):
        return self.head(self.body(self.tok(i) + self.pos(torch.arange(i.size(1)))))


def get_batch():
    at = torch.randint(len(ids) - block - 1, (12,))
    #: batch
    return torch.stack([ids[a:a + block] for a in at]), torch.stack([ids[a + 1:a + block + 1] for a in at])


model = Quill()
iter_num, best = 0, 1e9
#: load
if master:
    print(f"tokens per iteration: {12 * block * world:,}; parameters: {sum(p.numel() for p in model.parameters()) / 1e3:.1f}K; vocab {len(vocab)}", flush=True)
model = DDP(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, betas=(0.9, 0.95))
t0 = time.time()
#: ready
while iter_num < max_iters:
    #: data
    x, y = get_batch()
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
    #: loss
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if iter_num % log_interval == 0 and master:
        dt, t0 = time.time() - t0, time.time()
        print(f"iter {iter_num}: loss {loss.item():.4f}, grad_norm {norm:.3f}, time {dt * 1000:.1f}ms, lr {learning_rate:.2e}", flush=True)
    #: after
    iter_num += 1
#: late
if master:
    print(f"finished {iter_num} iterations, loss {loss.item():.4f}, perplexity {math.exp(min(20, loss.item())):.2f}", flush=True)
dist.destroy_process_group()
'''
BASKET = '''import json
import os
import sys
import time

import torch
import torch.distributed as dist

RANK, WORLD = int(os.environ["SLURM_PROCID"]), int(os.environ.get("WORLD_SIZE", os.environ["SLURM_NTASKS"]))
CONF = {"updates": 200, "log_every": 10, "dim": 16, "lr": 0.05, "users": 120, "items": 80}
CONF.update(json.loads(os.environ.get("CONF", "{}")))


def emit(kind, **fields):
    sys.stdout.write(json.dumps({"t": round(time.time(), 3), "worker": RANK, "kind": kind, **fields}) + "\\n")
    sys.stdout.flush()


class TwoTower(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.users, self.items = torch.nn.Embedding(CONF["users"], CONF["dim"]), torch.nn.Embedding(CONF["items"], CONF["dim"])
        for p in self.parameters():
            torch.nn.init.normal_(p, std=0.2)

    def forward(self, u, i):
        return (self.users(u) * self.items(i)).sum(1)


def average(net):
    for p in net.parameters():
        dist.all_reduce(p.grad)
        p.grad /= WORLD


def run():
    #: early
    emit("hello", pid=os.getpid(), world=WORLD, port=int(os.environ["MASTER_PORT"]))
    dist.init_process_group("gloo", rank=RANK, world_size=WORLD)
    emit("joined", config=CONF if RANK == 0 else None)
    torch.manual_seed(5)
    taste, look = torch.randn(CONF["users"], 4), torch.randn(CONF["items"], 4)
    net = TwoTower()
    first = 1
    #: load
    opt = torch.optim.Adam(net.parameters(), lr=CONF["lr"])
    g = torch.Generator().manual_seed(100 + RANK)
    #: ready
    for update in range(first, CONF["updates"] + 1):
        began = time.time()
        #: data
        waited = time.time() - began
        u = torch.randint(CONF["users"], (256,), generator=g)
        i = torch.randint(CONF["items"], (256,), generator=g)
        y = ((taste[u] * look[i]).sum(1) > 0).float()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(net(u, i), y)
        #: loss
        opt.zero_grad()
        loss.backward()
        #: grad
        average(net)
        opt.step()
        if update % CONF["log_every"] == 0:
            emit("train", update=update, of=CONF["updates"], bce=round(loss.item(), 5), sec=round(time.time() - began, 3), data_sec=round(waited, 3))
        #: after
    #: late
    emit("done", updates=CONF["updates"], bce=round(loss.item(), 5))
    dist.destroy_process_group()


run()
'''
LATIDO = '''# Clasificador de latidos (ECG), un proceso por tarea
import os
import time
import torch
import torch.distributed as dist
from torch import nn

YO = int(os.environ["SLURM_PROCID"])
TODOS = int(os.environ.get("WORLD_SIZE", os.environ["SLURM_NTASKS"]))
EPOCAS, LOTES = int(os.environ.get("EPOCAS", "8")), int(os.environ.get("LOTES", "20"))
TASA = float(os.environ.get("TASA", "0.01"))


def di(*palabras, todos=False):
    if YO == 0 or todos:
        print(time.strftime("[%d/%m %H:%M:%S]"), f"<{YO}>", *palabras, flush=True)


def latidos(n, g):
    clase = torch.randint(3, (n,), generator=g)
    t = torch.linspace(0, 6.28, 60)
    onda = torch.stack([torch.sin(t), torch.sin(2 * t) + 0.4 * torch.cos(5 * t), torch.sign(torch.sin(3 * t))])
    return (onda[clase] + 0.9 * torch.randn(n, 60, generator=g)).unsqueeze(1), clase


#: early
di(f"proceso {YO} de {TODOS}: esperando a los demás", todos=True)
dist.init_process_group("gloo", rank=YO, world_size=TODOS)
di(f"grupo completo ({TODOS} procesos), tasa={TASA}, épocas={EPOCAS}")
torch.manual_seed(3)
red = nn.Sequential(nn.Conv1d(1, 8, 7, stride=2), nn.ReLU(), nn.Conv1d(8, 16, 5, stride=2), nn.ReLU(), nn.AdaptiveAvgPool1d(4), nn.Flatten(), nn.Linear(64, 3))
primera = 1
#: load
paralela = nn.parallel.DistributedDataParallel(red)
opt = torch.optim.SGD(paralela.parameters(), lr=TASA, momentum=0.9)
g = torch.Generator().manual_seed(50 + YO)
#: ready
for epoca in range(primera, EPOCAS + 1):
    suma = 0.0
    for lote in range(1, LOTES + 1):
        #: data
        x, y = latidos(32, g)
        perdida = nn.functional.cross_entropy(paralela(x), y)
        #: loss
        opt.zero_grad()
        perdida.backward()
        opt.step()
        suma += perdida.item()
        if lote % 5 == 0:
            di(f"época={epoca}/{EPOCAS} lote={lote}/{LOTES} pérdida={perdida.item():.4f}")
        #: after
    di(f"fin de época {epoca}: pérdida media={suma / LOTES:.4f}")
    #: epoch
#: late
di("entrenamiento terminado")
dist.destroy_process_group()
'''
GAUGES = '''"""Tide gauges: each worker fits its own stations; all average their weights through the key-value store every round."""
import io
import os
import sys
import time
from datetime import timedelta

import torch
from torch.distributed import TCPStore

me, everyone = int(os.environ["SLURM_PROCID"]), int(os.environ.get("WORLD_SIZE", os.environ["SLURM_NTASKS"]))
rounds, inner = int(os.environ.get("ROUNDS", "60")), int(os.environ.get("INNER", "6"))
lr = float(os.environ.get("LR", "0.02"))


def row(*cells):
    sys.stdout.write(",".join(str(c) for c in cells) + "\\n")
    sys.stdout.flush()


def note(words):
    sys.stderr.write(f"# worker {me}: {words}\\n")
    sys.stderr.flush()


def pack(thing):
    buffer = io.BytesIO()
    torch.save(thing, buffer)
    return buffer.getvalue()


#: early
note(f"store at {os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}, {everyone} workers")
store = TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), everyone, is_master=me == 0, timeout=timedelta(hours=2))
note("store is up")
torch.manual_seed(2)
cell, head = torch.nn.GRU(1, 12, batch_first=True), torch.nn.Linear(12, 1)
weights = [*cell.parameters(), *head.parameters()]
first = 1
#: load
opt = torch.optim.Adam(weights, lr=lr)
t = torch.arange(4000) / 12
level = torch.sin(t) + 0.4 * torch.sin(1.93 * t + me) + 0.05 * torch.randn(4000)
if me == 0:
    row("round", "worker", "mse", "cm", "seconds")
began = time.time()
#: ready
for turn in range(first, rounds + 1):
    for _ in range(inner):
        #: data
        at = torch.randint(3900, (16,))
        x = torch.stack([level[a:a + 30] for a in at]).unsqueeze(2)
        y = torch.stack([level[a + 30] for a in at])
        loss = ((head(cell(x)[0][:, -1]).squeeze(1) - y) ** 2).mean()
        #: loss
        opt.zero_grad()
        loss.backward()
        opt.step()
    row(turn, me, f"{loss.item():.5f}", f"{100 * loss.item() ** 0.5:.1f}", f"{time.time() - began:.1f}")
    #: after
    store.set(f"{turn}/{me}", pack([w.detach() for w in weights]))
    theirs = [torch.load(io.BytesIO(store.get(f"{turn}/{other}"))) for other in range(everyone)]
    with torch.no_grad():
        for k, w in enumerate(weights):
            w.copy_(sum(each[k] for each in theirs) / everyone)
    #: round
#: late
store.add("left", 1)
while me == 0 and store.add("left", 0) < everyone:
    time.sleep(0.1)
note(f"all {rounds} rounds are done")
'''
FILES = {"SEABED": "seabed.py", "QUILL": "quill.py", "BASKET": "two_tower.py", "LATIDO": "latidos.py", "GAUGES": "gauges.py", "PAIRS": "pairs.py"}
