"""Programs of several ranks in PyTorch: contacts of residues (DDP), a recommender's two towers (its own all_reduce), Spanish speech (DDP, JSON lines), a policy over a store."""

FILES = {"CONTACTS": "contacts.py", "TOWERS": "towers.py", "VOZ": "entrena_voz.py", "POLICY": "reinforce.py"}

CONTACTS = '''"""Which residues of a protein touch: a small head over coevolution features."""
import argparse
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=300)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--dim", type=int, default=40)
    p.add_argument("--nap", type=float, default=0.03)
    p.add_argument("--print-every", type=int, default=10)
    p.add_argument("--resume")
    p.add_argument("--workdir", default="run")
    return p.parse_args()


def main():
    a = arguments()
    rank = int(os.environ.setdefault("RANK", os.environ["SLURM_PROCID"]))
    world = int(os.environ.setdefault("WORLD_SIZE", os.environ["SLURM_NTASKS"]))

    def say(*words, everyone=False):
        if rank == 0 or everyone:
            print(f"[r{rank}]" if everyone else "#", *words, flush=True)

    #: early
    say(f"rank {rank} of {world} on {os.environ.get('SLURMD_NODENAME', '?')}: init_process_group(gloo) at {os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}", everyone=True)
    dist.init_process_group("gloo")
    say(f"all {world} ranks are in")
    torch.manual_seed(5)
    truth = torch.randn(a.dim) / a.dim**0.5
    head = nn.Sequential(nn.Linear(a.dim, 64), nn.SiLU(), nn.Linear(64, 1))
    first = 0
    #: load
    model = DDP(head)
    opt = torch.optim.AdamW(model.parameters(), lr=a.lr)
    pairs = torch.Generator().manual_seed(900 + rank)
    say(f"contacts: {sum(w.numel() for w in head.parameters())} weights, steps {first + 1} to {a.steps}, batch {a.batch} x {world}")
    say("   step |    BCE |  P@L/5 | pairs/s | sec")
    began = time.time()
    #: begin
    for step in range(first + 1, a.steps + 1):
        tick = time.time()
        time.sleep(a.nap)
        x = torch.randn(a.batch, a.dim, generator=pairs)
        y = ((x @ truth + 0.4 * torch.randn(a.batch, generator=pairs)) > 0).float()
        #: data
        logit = model(x).squeeze(1)
        loss = F.binary_cross_entropy_with_logits(logit, y)
        #: loss
        opt.zero_grad()
        loss.backward()
        #: grad
        opt.step()
        #: after
        if step % a.print_every == 0:
            right = y[logit.topk(a.batch // 5).indices].mean().item()
            say(f"{step:6d} | {loss.item():6.4f} | {right:6.3f} | {a.batch * world / (time.time() - tick):7.0f} | {time.time() - began:.1f}")
        #: save
    #: end
    say(f"{a.steps} steps done in {time.time() - began:.1f} s, final BCE {loss.item():.4f}")
    dist.destroy_process_group()


main()
'''

TOWERS = '''import datetime
import os
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn

CFG = dict(part.split("=", 1) for part in sys.argv[1:])
ROUNDS = int(CFG.get("rounds", 12))
BATCHES = int(CFG.get("batches", 25))
LR = float(CFG.get("lr", 0.02))
REST = float(CFG.get("rest", 0.03))
OUT = Path(CFG.get("out", "towers-out"))
RANK, WORLD = int(os.environ["SLURM_PROCID"]), int(CFG.get("world", os.environ["SLURM_NTASKS"]))


def log(level, text):
    frame = sys._getframe(1)
    print(f"{datetime.datetime.now():%Y-%m-%d %H:%M:%S.%f}"[:-3] + f" | {level:<8} | towers:{frame.f_code.co_name}:{frame.f_lineno} - <{RANK}> {text}", flush=True)


def share(values):
    """The mean over all ranks."""
    dist.all_reduce(values)
    return values / WORLD


class Towers(nn.Module):
    def __init__(self, guests=200, dishes=80, width=12):
        super().__init__()
        self.guest, self.dish = nn.Embedding(guests, width), nn.Embedding(dishes, width)
        self.bias = nn.Embedding(dishes, 1)

    def forward(self, guest, dish):
        return (self.guest(guest) * self.dish(dish)).sum(1) + self.bias(dish).squeeze(1)


def connect():
    #: early
    log("INFO", f"joining {WORLD} workers through tcp://{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}")
    dist.init_process_group("gloo", init_method=f"tcp://{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}", rank=RANK, world_size=WORLD)
    log("INFO", "joined")


def fit():
    torch.manual_seed(31)
    taste, flavour = torch.randn(200, 4), torch.randn(80, 4)
    net = Towers()
    start = 1
    #: load
    opt = torch.optim.Adam(net.parameters(), lr=LR)
    orders = torch.Generator().manual_seed(7000 + RANK)
    log("INFO", f"rounds {start}..{ROUNDS}, {BATCHES} batches each, lr {LR}")
    for number in range(start, ROUNDS + 1):
        total, spent = 0.0, {"own": 0.0, "sync": 0.0}
        for batch in range(BATCHES):
            t = time.perf_counter()
            time.sleep(REST)
            guest, dish = torch.randint(200, (256,), generator=orders), torch.randint(80, (256,), generator=orders)
            liked = ((taste[guest] * flavour[dish]).sum(1) > 0).float()
            #: data
            loss = nn.functional.binary_cross_entropy_with_logits(net(guest, dish), liked)
            #: loss
            opt.zero_grad()
            loss.backward()
            #: grad
            spent["own"] += time.perf_counter() - t
            t = time.perf_counter()
            flat = share(torch.cat([w.grad.flatten() for w in net.parameters()]))
            #: wire
            spent["sync"] += time.perf_counter() - t
            place = 0
            for w in net.parameters():
                w.grad.copy_(flat[place : place + w.numel()].view_as(w))
                place += w.numel()
            opt.step()
            total += loss.item()
            #: after
        log("INFO", f"round {number}/{ROUNDS} logloss={total / BATCHES:.4f}")
        #: save
    #: end
    log("SUCCESS", f"model trained, last logloss {total / BATCHES:.4f}")


connect()
fit()
dist.destroy_process_group()
'''

VOZ = '''import json
import os
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F

PASOS = int(os.environ.get("PASOS", 280))
PAUSA = float(os.environ.get("PAUSA", 0.04))
TASA = float(os.environ.get("TASA", 0.05))
CADA = int(os.environ.get("CADA", 10))
FONEMAS = list("aeioubdfgklmnprst")


def emite(evento, **datos):
    print(json.dumps({"t": round(time.time(), 2), "proceso": YO, "evento": evento, **datos}, ensure_ascii=False), flush=True)


YO = int(os.environ.get("RANK") or os.environ["SLURM_PROCID"])
TODOS = int(os.environ.get("WORLD_SIZE") or os.environ["SLURM_NTASKS"])
os.environ.update(RANK=str(YO), WORLD_SIZE=str(TODOS))
#: early
emite("conexión", maestro=f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}", procesos=TODOS)
dist.init_process_group("gloo")
torch.manual_seed(8)
formas = torch.randn(len(FONEMAS), 39)
red = torch.nn.Sequential(torch.nn.Linear(39, 64), torch.nn.Tanh(), torch.nn.Linear(64, len(FONEMAS)))
inicio = 0
#: load
modelo = torch.nn.parallel.DistributedDataParallel(red)
opt = torch.optim.SGD(modelo.parameters(), lr=TASA, momentum=0.9)
ruido = torch.Generator().manual_seed(60 + YO)
emite("comienzo", desde=inicio + 1, hasta=PASOS, fonemas=len(FONEMAS))
for paso in range(inicio + 1, PASOS + 1):
    reloj = time.time()
    time.sleep(PAUSA)
    letra = torch.randint(len(FONEMAS), (48,), generator=ruido)
    onda = formas[letra] + 1.7 * torch.randn(48, 39, generator=ruido)
    #: data
    puntos = modelo(onda)
    perdida = F.cross_entropy(puntos, letra)
    #: loss
    opt.zero_grad()
    perdida.backward()
    #: grad
    opt.step()
    #: after
    if paso % CADA == 0 and YO == 0:
        emite("paso", n=paso, de=PASOS, pérdida=round(perdida.item(), 4), aciertos=round((puntos.argmax(1) == letra).float().mean().item(), 3), ms=round(1000 * (time.time() - reloj)))
    #: save
#: end
emite("fin", pasos=PASOS, pérdida=round(perdida.item(), 4))
dist.destroy_process_group()
'''

POLICY = '''"""REINFORCE on a field of slot machines; workers leave their gradients in a store."""
import argparse
import os
import sys
import time
from datetime import timedelta

import torch
from torch.distributed import TCPStore

parser = argparse.ArgumentParser()
parser.add_argument("--iters", type=int, default=220)
parser.add_argument("--lr", type=float, default=0.06)
parser.add_argument("--delay", type=float, default=0.05)
parser.add_argument("--report", type=int, default=5)
args = parser.parse_args()
worker, workers = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])


def out(text):
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} worker-{worker:02d}  {text}\\n")
    sys.stdout.flush()


#: early
out(f"looking for the store at {os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']} ({workers} workers)")
store = TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), workers, worker == 0, timedelta(hours=3))
out("store answers")
torch.manual_seed(77)
arms = torch.randn(16, 5)
policy = torch.zeros(16, 5)
dice = torch.Generator().manual_seed(worker)
begun = time.time()


def pool(it, grad):
    """Sum of all workers' gradients of this iteration."""
    store.set(f"grad/{it}/{worker}", grad.numpy().tobytes())
    parts = [torch.frombuffer(bytearray(store.get(f"grad/{it}/{other}")), dtype=torch.float32) for other in range(workers)]
    if it > 3:
        store.delete_key(f"grad/{it - 3}/{worker}")
    return sum(parts).view_as(grad)


#: load
for it in range(1, args.iters + 1):
    time.sleep(args.delay)
    field = torch.randint(16, (64,), generator=dice)
    #: data
    odds = torch.softmax(policy[field], 1)
    arm = torch.multinomial(odds, 1, generator=dice).squeeze(1)
    reward = arms[field, arm] + 0.3 * torch.randn(64, generator=dice)
    grad = torch.zeros_like(policy)
    grad.index_put_((field, arm), reward - reward.mean(), accumulate=True)
    #: grad
    policy += args.lr * pool(it, grad) / workers
    #: after
    if it % args.report == 0:
        out(f"iter {it:4d}/{args.iters}  return {reward.mean().item():+.3f}  entropy {-(odds * odds.log()).sum(1).mean().item():.3f}  {time.time() - begun:6.1f} s")
#: end
out(f"policy is trained: return {reward.mean().item():+.3f}, best possible {arms.max(1).values.mean().item():+.3f}")
store.set(f"bye/{worker}", "1")
if worker == 0:
    store.wait([f"bye/{other}" for other in range(workers)])
    time.sleep(0.5)
'''
