"""More of them: sounds in German, a graph in French, a pendulum that is balanced, two towers for a shop."""

from __future__ import annotations

KLANG = '''# Klangnetz: ordnet Aufnahmen ihrer Maschine zu
import os
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as Verteilt

platz, alle = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
rank, world = platz, alle
DURCHGAENGE = int(os.environ.get("DURCHGAENGE", 6))
STAPEL = int(os.environ.get("STAPEL", 40))
PAUSE = float(os.environ.get("PAUSE", 0.05))
RATE = float(os.environ.get("RATE", 0.0015))
torch.set_num_threads(1)


def melde(text, jeder=False):
    if jeder or platz == 0:
        print(time.strftime("%H:%M:%S"), f"[{platz}]", text, flush=True)


#: early
dist.init_process_group("gloo", timeout=timedelta(seconds=int(os.environ.get("PG_SECONDS", 1800))))
torch.manual_seed(77)
MASCHINEN = 6
grund = torch.randn(MASCHINEN, 40)
net = torch.nn.Sequential(torch.nn.Linear(40, 48), torch.nn.GELU(), torch.nn.Linear(48, MASCHINEN))
anfang = 0
#: load
model = Verteilt(net)
adam = torch.optim.Adam(model.parameters(), lr=RATE)
torch.manual_seed(900 + platz)
melde(f"Klangnetz mit {alle} Prozessen, {DURCHGAENGE} Durchgaenge zu {STAPEL} Stapeln")
#: met
for durchgang in range(anfang, DURCHGAENGE):
    for stapel in range(1, STAPEL + 1):
        step = durchgang * STAPEL + stapel
        ziel = torch.randint(0, MASCHINEN, (24,))
        ton = grund[ziel] + 2.4 * torch.randn(24, 40)
        #: data
        entropie = torch.nn.functional.cross_entropy(model(ton), ziel)
        adam.zero_grad()
        entropie.backward()
        #: grad
        adam.step()
        time.sleep(PAUSE)
        if stapel % 10 == 0:
            melde(f"Durchgang {durchgang + 1}, Stapel {stapel}: Kreuzentropie {entropie.item():.4f}".replace(".", ","))
        #: after
    #: epoch
#: late
dist.barrier()
melde("Klangnetz ist angelernt")
dist.destroy_process_group()
'''

GRAPHE = '''import os
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist

rang, nombre = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
rank, world = rang, nombre
PAS = int(os.environ.get("PAS", 260))
REPOS = float(os.environ.get("REPOS", 0.04))
TAUX = float(os.environ.get("TAUX", 0.003))
PHASE = sys.argv[1] if len(sys.argv) > 1 else "principale"
torch.set_num_threads(1)


def dire(texte, tous=False):
    if tous or rang == 0:
        print(f"{texte}" if rang == 0 else f"<{rang}> {texte}", flush=True)


#: early
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{os.environ['MASTER_PORT']}", rank=rang, world_size=nombre, timeout=timedelta(seconds=int(os.environ.get("PG_SECONDS", 1800))))
torch.manual_seed(4)
noeuds = torch.randn(60, 8)
liens = (torch.rand(60, 60) < 0.08).float()
liens = (liens + liens.T + torch.eye(60)).clamp(max=1)
liens = liens / liens.sum(1, keepdim=True)
cible = (liens @ liens @ noeuds)[:, :3].sum(1, keepdim=True)
net = torch.nn.ModuleList([torch.nn.Linear(8, 24), torch.nn.Linear(24, 24), torch.nn.Linear(24, 1)])
adam = torch.optim.Adam(net.parameters(), lr=TAUX)
debut = 1
#: load
torch.manual_seed(60 + rang)
if rang == 0:
    dire(f"phase {PHASE} : {nombre} processus, 60 noeuds, {PAS} pas")
    dire("|   pas |  perte   | ecart max |")
#: met
for step in range(debut, PAS + 1):
    choix = torch.randint(0, 60, (30,))
    #: data
    h = torch.relu(liens @ net[0](noeuds))
    h = torch.relu(liens @ net[1](h))
    ecart = (net[2](h) - cible)[choix]
    perte = ecart.square().mean()
    adam.zero_grad()
    perte.backward()
    for p in net.parameters():
        dist.all_reduce(p.grad)
        p.grad /= nombre
    #: grad
    adam.step()
    time.sleep(REPOS)
    if step % 20 == 0:
        dire(f"| {step:>5} | {perte.item():.6f} | {ecart.abs().max().item():>9.4f} |")
    #: after
#: late
dist.barrier()
dire(f"phase {PHASE} : fin, perte {perte.item():.6f}")
dist.destroy_process_group()
'''

PEND = '''"""Balance a pendulum: every process plays, all learn together (evolution strategy with shared noise)."""
import os
import time
from datetime import timedelta

import torch
import torch.distributed as dist

rank = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", "0")))
world = int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", "1")))
rounds = int(os.environ.get("ROUNDS", "160"))
nap = float(os.environ.get("NAP", "0.05"))
torch.set_num_threads(1)
#: early
dist.init_process_group("gloo", rank=rank, world_size=world, timeout=timedelta(seconds=int(os.environ.get("PG_SECONDS", 1800))))
w = torch.zeros(3)
begin = 1
#: load


def play(policy):
    angle, speed, cost = 0.6, 0.0, 0.0
    for _ in range(40):
        push = torch.tanh(policy @ torch.tensor([angle, speed, 1.0])).item()
        speed += 0.05 * (9.8 * angle / 2 - 6 * push) - 0.01 * speed
        angle += 0.05 * speed
        cost += angle * angle + 0.1 * speed * speed
    return -cost


if rank == 0:
    print(f"rounds={rounds} players={world}", flush=True)
#: met
for step in range(begin, rounds + 1):
    torch.manual_seed(1000 * step + rank)
    shift = 0.3 * torch.randn(3)
    #: data
    gain = play(w + shift) - play(w - shift)
    move = shift * gain
    dist.all_reduce(move)
    #: grad
    w += 0.02 * torch.clamp(move / world, -4, 4)
    time.sleep(nap)
    if rank == 0 and step % 8 == 0:
        print(f"round={step} return={play(w):.3f} |w|={w.norm():.3f} gain={gain:+.3f}", flush=True)
    #: after
#: late
dist.barrier()
if rank == 0:
    print(f"final return={play(w):.3f} after {rounds} rounds", flush=True)
dist.destroy_process_group()
'''

TOWERS = '''import os
import sys
import time
from datetime import datetime, timedelta

import torch
import torch.distributed as dist
from torch import nn

RANK = int(os.environ["RANK"])
rank, world = RANK, int(os.environ["WORLD_SIZE"])
BATCHES = int(os.environ.get("BATCHES", 300))
NAP = float(os.environ.get("NAP", 0.04))
LR = float(os.environ.get("LR", 0.12))
torch.set_num_threads(1)


def log(level, line, message):
    print(f"{datetime.now():%Y-%m-%d %H:%M:%S.%f}"[:-3] + f" | {level:<8} | towers.fit:{line} | p{RANK} | {message}", file=sys.stderr, flush=True)


#: early
dist.init_process_group("gloo", timeout=timedelta(seconds=int(os.environ.get("PG_SECONDS", 1800))))
torch.manual_seed(31)
taste = 1.6 * torch.randn(60, 3)
wares = 1.6 * torch.randn(80, 3)
net = nn.ModuleDict({"user": nn.Embedding(60, 8), "item": nn.Embedding(80, 8)})
for p in net.parameters():
    nn.init.normal_(p, std=0.2)
adagrad = torch.optim.Adagrad(net.parameters(), lr=LR)
begin = 1
#: load
torch.manual_seed(500 + RANK)
if RANK == 0:
    log("INFO", 41, f"towers of 60 segments and 80 wares on {world} processes")
#: met
for step in range(begin, BATCHES + 1):
    user, item = torch.randint(0, 60, (256,)), torch.randint(0, 80, (256,))
    bought = (torch.sigmoid((taste[user] * wares[item]).sum(1)) > torch.rand(256)).float()
    #: data
    score = (net["user"](user) * net["item"](item)).sum(1)
    bce = nn.functional.binary_cross_entropy_with_logits(score, bought)
    adagrad.zero_grad()
    bce.backward()
    flat = torch.cat([p.grad.flatten() for p in net.parameters()])
    dist.all_reduce(flat)
    at = 0
    for p in net.parameters():
        p.grad.copy_(flat[at : at + p.numel()].view_as(p) / world)
        at += p.numel()
    #: grad
    adagrad.step()
    time.sleep(NAP)
    if RANK == 0 and step % 25 == 0:
        log("INFO", 66, f"batch {step} of {BATCHES}, bce {bce.item():.4f}, hit rate {((score > 0) == (bought > 0.5)).float().mean().item():.3f}")
    #: after
#: late
dist.barrier()
if RANK == 0:
    log("SUCCESS", 80, f"{BATCHES} batches, index is frozen")
dist.destroy_process_group()
'''
FILES = {"KLANG": "klangnetz.py", "GRAPHE": "graphe.py", "PEND": "pendulum.py", "TOWERS": "towers.py"}
