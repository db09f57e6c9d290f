"""Programs of several ranks in PyTorch: yields of fields, calls of whales, letters over a store; and a tide, a pair of nets in contest."""

FILES = {"WHEAT": "harvest.py", "SONAR": "calls.py", "GLYPH": "letters.py", "MAREE": "maree.py", "DUEL": "duel.py"}

WHEAT = '''"""Winter wheat: tonnes per hectare of a field from seven bands at four dates."""
import argparse
import logging
import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

cli = argparse.ArgumentParser()
cli.add_argument("--epochs", type=int, default=10)
cli.add_argument("--steps", type=int, default=20)
cli.add_argument("--lr", type=float, default=5e-3)
cli.add_argument("--hidden", type=int, default=32)
cli.add_argument("--pause", type=float, default=0.02)
cli.add_argument("--resume", default="")
cli.add_argument("--out", default="weights")
opts = cli.parse_args()
rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ.get("FIELDS_WORLD", os.environ["SLURM_NTASKS"]))
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format=f"%(asctime)s r{rank} %(levelname)s: %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("harvest")
log.info("pid %d on %s, torch %s, options %s", os.getpid(), os.environ["SLURMD_NODENAME"], torch.__version__, vars(opts))
#: early
log.info("connecting to %s:%s as %d of %d", os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"], rank, world)
dist.init_process_group("gloo", rank=rank, world_size=world)
log.info("process group is up")
torch.manual_seed(11)
body = nn.Sequential(nn.Linear(28, opts.hidden), nn.GELU(), nn.Linear(opts.hidden, opts.hidden), nn.GELU(), nn.Linear(opts.hidden, 1))
truth = torch.randn(28) / 4
first = 0
#: load
net = DistributedDataParallel(body)
optim = torch.optim.AdamW(net.parameters(), lr=opts.lr)
fields = torch.Generator().manual_seed(100 + rank)
if rank == 0:
    log.info("%d parameters, epochs %d to %d of %d steps", sum(w.numel() for w in body.parameters()), first + 1, opts.epochs, opts.steps)
#: begin
for epoch in range(first, opts.epochs):
    total, reading, began = 0.0, 0.0, time.time()
    for step in range(opts.steps):
        t = time.time()
        time.sleep(opts.pause)
        bands = torch.randn(64, 28, generator=fields)
        tonnes = 2.5 + bands @ truth + 0.1 * torch.randn(64, generator=fields)
        #: data
        reading += time.time() - t
        loss = nn.functional.mse_loss(net(bands).squeeze(1), tonnes)
        #: loss
        optim.zero_grad()
        loss.backward()
        #: grad
        optim.step()
        total += loss.item()
        if rank == 0 and step % 5 == 4:
            log.info("epoch %d step %d/%d loss %.4f", epoch + 1, step + 1, opts.steps, loss.item())
        #: after
    took = time.time() - began
    if rank == 0:
        log.info("epoch %d/%d: mean loss %.4f, %.1f s of which reading %.1f s", epoch + 1, opts.epochs, total / opts.steps, took, reading)
    #: save
#: end
if rank == 0:
    log.info("finished, last mean loss %.4f", total / opts.steps)
dist.destroy_process_group()
'''

SONAR = '''import os
import sys
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F

STEPS = int(os.environ.get("STEPS", 240))
LR = float(os.environ.get("LR", 0.05))
NAP = float(os.environ.get("NAP", 0.02))
EVERY = int(os.environ.get("EVERY", 10))
KINDS = ["blue", "fin", "minke", "sei", "humpback", "orca"]


def report(**said):
    if dist.get_rank() == 0:
        print(" ".join(f"{key}={value}" for key, value in said.items()), flush=True)


def main():
    #: early
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(3)
    shapes = torch.randn(len(KINDS), 64)
    net = torch.nn.Sequential(torch.nn.Linear(64, 48), torch.nn.ReLU(), torch.nn.Linear(48, len(KINDS)))
    start = 0
    #: load
    net = torch.nn.parallel.DistributedDataParallel(net)
    opt = torch.optim.SGD(net.parameters(), lr=LR, momentum=0.9)
    report(event="start", world=world, steps=STEPS, kinds=",".join(KINDS))
    noise = torch.Generator().manual_seed(40 + rank)
    for step in range(start, STEPS):
        tick = time.time()
        time.sleep(NAP)
        kind = torch.randint(len(KINDS), (32,), generator=noise)
        sound = shapes[kind] + 2.2 * torch.randn(32, 64, generator=noise)
        #: data
        waited = time.time() - tick
        scores = net(sound)
        loss = F.cross_entropy(scores, kind)
        #: loss
        opt.zero_grad()
        loss.backward()
        opt.step()
        #: after
        if (step + 1) % EVERY == 0:
            hit = (scores.argmax(1) == kind).float().mean().item()
            report(step=f"{step + 1}/{STEPS}", loss=f"{loss.item():.4f}", acc=f"{hit:.3f}", data_ms=f"{1000 * waited:.0f}", step_ms=f"{1000 * (time.time() - tick):.0f}")
        #: save
    #: finish
    report(event="done", steps=STEPS, loss=f"{loss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
'''

GLYPH = '''"""Next letter from the last four; gradients travel through the key-value store of torch."""
import datetime
import json
import os
import time

import torch
from torch.distributed import TCPStore

me, all_of_us = int(os.environ["SLURM_PROCID"]), int(os.environ.get("PEERS", os.environ["SLURM_NTASKS"]))
turns, nap, rate = int(os.environ.get("TURNS", 200)), float(os.environ.get("NAP", 0.03)), float(os.environ.get("RATE", 0.5))
each = int(os.environ.get("EACH", 10))


def tell(kind, **more):
    print(json.dumps({"ts": round(time.time(), 2), "rank": me, "kind": kind, **more}), flush=True)


#: early
port = int(os.environ["MASTER_PORT"])
tell("join", host=os.environ["MASTER_ADDR"], port=port, expected=all_of_us)
store = TCPStore(os.environ["MASTER_ADDR"], port, all_of_us, me == 0, timeout=datetime.timedelta(hours=8))
tell("store_reached")


def mean_of(tag, value):
    store.set(f"{tag}:{me}", value.detach().numpy().tobytes())
    parts = [torch.frombuffer(bytearray(store.get(f"{tag}:{other}")), dtype=torch.float32) for other in range(all_of_us)]
    return (sum(parts) / all_of_us).view(value.shape)


TEXT = "the miller ground the rye and the baker baked the bread while the river ran below the mill and the wheel went round " * 6
LETTERS = sorted(set(TEXT))
codes = torch.tensor([LETTERS.index(c) for c in TEXT])
torch.manual_seed(5)
table = torch.randn(len(LETTERS), 8, requires_grad=True)
head = (torch.randn(32, len(LETTERS)) * 0.1).requires_grad_()
weights = [table, head]
begin = 1
#: load
dice = torch.Generator().manual_seed(60 + me)
for turn in range(begin, turns + 1):
    t = time.time()
    time.sleep(nap)
    at = torch.randint(len(codes) - 5, (48,), generator=dice)
    #: data
    context = torch.stack([codes[at + k] for k in range(4)], 1)
    loss = torch.nn.functional.cross_entropy(table[context].flatten(1) @ head, codes[at + 4])
    #: loss
    loss.backward()
    computed = time.time() - t
    shared = [mean_of(f"{turn}.{n}", w.grad) for n, w in enumerate(weights)]
    waited = time.time() - t - computed
    #: after
    with torch.no_grad():
        for w, g in zip(weights, shared):
            w -= rate * g
            w.grad = None
    if turn % each == 0 or turn == 1:
        tell("train", turn=turn, of=turns, loss=round(loss.item(), 4), compute_s=round(computed, 3), wait_s=round(waited, 3))
    #: save
#: end
store.add("leaving", 1)
while me == 0 and store.add("leaving", 0) < all_of_us:
    time.sleep(0.1)
tell("finished", turn=turns, loss=round(loss.item(), 4))
'''

MAREE = '''"""Hauteur d'eau au port, six heures avant, d'apres les douze dernieres mesures."""
import math
import os
import sys
import time

import torch

EPOQUES = int(os.environ.get("EPOQUES", 40))
PAS = float(os.environ.get("PAS", 3e-3))
SOMME = float(os.environ.get("SOMME", 0.25))
LARGEUR = int(os.environ.get("LARGEUR", 24))
torch.manual_seed(1)


def mesures(n):
    depart = torch.rand(n, 1) * 400
    heures = depart + torch.arange(13.0)
    niveau = 4 + 2.1 * torch.sin(heures * 2 * math.pi / 12.42) + 0.7 * torch.sin(heures * 2 * math.pi / 12.0) + 0.05 * torch.randn(n, 13)
    return niveau[:, :12] - 4, niveau[:, 12:] - 4


print(f"Marégraphe : {EPOQUES} époques, pas {PAS}, largeur {LARGEUR}, tâche {os.environ.get('SLURM_JOB_ID')}", flush=True)
#: early
reseau = torch.nn.Sequential(torch.nn.Linear(12, LARGEUR), torch.nn.Tanh(), torch.nn.Linear(LARGEUR, 1))
opt = torch.optim.Adam(reseau.parameters(), lr=PAS)
debut = 1
#: load
print("Époque | perte   | essai   | durée", flush=True)
for epoque in range(debut, EPOQUES + 1):
    t = time.time()
    time.sleep(SOMME)
    somme = 0.0
    for lot in range(12):
        x, y = mesures(64)
        #: data
        perte = torch.nn.functional.mse_loss(reseau(x), y)
        #: loss
        opt.zero_grad()
        perte.backward()
        opt.step()
        somme += perte.item() / 12
    with torch.no_grad():
        x, y = mesures(256)
        essai = torch.nn.functional.mse_loss(reseau(x), y).item()
    print(f"{epoque:3d}/{EPOQUES:<3d}| {somme:.5f} | {essai:.5f} | {time.time() - t:.2f} s", flush=True)
    #: after
#: end
print(f"Fin de l'entraînement : perte {somme:.5f}, essai {essai:.5f}", flush=True)
'''

DUEL = '''import os
import time

import torch
from torch import nn

rounds, nap = int(os.environ.get("ROUNDS", 60)), float(os.environ.get("NAP", 0.2))
torch.manual_seed(9)
painter = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
critic = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
paint_opt = torch.optim.Adam(painter.parameters(), lr=1e-3, betas=(0.5, 0.9))
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.9))
judge = nn.BCEWithLogitsLoss()
print("=== ring-of-points contest ===", flush=True)
print(f"rounds {rounds}, painter {sum(p.numel() for p in painter.parameters())} weights, critic {sum(p.numel() for p in critic.parameters())} weights", flush=True)
#: early
for r in range(1, rounds + 1):
    time.sleep(nap)
    for _ in range(10):
        angle = torch.rand(128) * 6.2832
        true = torch.stack([angle.cos(), angle.sin()], 1) + 0.02 * torch.randn(128, 2)
        made = painter(torch.randn(128, 4))
        critic_loss = judge(critic(true), torch.ones(128, 1)) + judge(critic(made.detach()), torch.zeros(128, 1))
        critic_opt.zero_grad()
        critic_loss.backward()
        critic_opt.step()
        paint_loss = judge(critic(made), torch.ones(128, 1))
        paint_opt.zero_grad()
        paint_loss.backward()
        paint_opt.step()
    #: after
    print(f"[{r:>3}/{rounds}]  D {critic_loss.item():.3f}   G {paint_loss.item():.3f}   radius {made.norm(dim=1).mean().item():.3f}", flush=True)
#: end
print("saved painter to ring.pt", flush=True)
torch.save(painter.state_dict(), "ring.pt")
'''
