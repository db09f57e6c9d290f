"""More of them: weights handed over in a store, actors and a learner, glyphs in French, and processes spawned below one task."""

FLOW = '''#!/usr/bin/env python3
"""River discharge at gauges, trained where the gauges are: everybody goes on alone for a while, then the weights are averaged (through a TCPStore)."""
import datetime as dt
import io
import json
import os
import random
import sys
import time

import torch
from torch import nn
from torch.distributed import TCPStore

site, sites = int(os.environ["SLURM_PROCID"]), int(os.environ.get("SITES", os.environ["SLURM_NTASKS"]))
ROUNDS, LOCAL, NAP = (int(os.environ.get("ROUNDS", 40)), int(os.environ.get("LOCAL", 10)), float(os.environ.get("NAP", 0.02)))


def emit(**what):
    print(json.dumps({"ts": dt.datetime.now().isoformat(timespec="milliseconds"), "site": site, **what}), flush=True)


class Gauge(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRU(3, 10, batch_first=True)
        self.q = nn.Linear(10, 1)

    def forward(self, rain):
        return self.q(self.cell(rain)[0]).squeeze(-1)


class Mailbox:
    """Leaves a tensor for everybody, takes those of everybody."""

    def __init__(self, patience):
        self.store = TCPStore("127.0.0.1", int(os.environ["PORT"]), sites, site == 0, timeout=dt.timedelta(seconds=patience), wait_for_workers=True)

    def mean(self, name, tensor):
        out = io.BytesIO()
        torch.save(tensor, out)
        self.store.set(f"{name}/{site}", out.getvalue())
        parts = [torch.load(io.BytesIO(self.store.get(f"{name}/{other}"))) for other in range(sites)]
        return torch.stack(parts).mean(0)


def rain(dice, n=12, days=20):
    fall = torch.tensor([[[max(0.0, dice.gauss(-0.4, 1)), dice.random(), site / sites] for _ in range(days)] for _ in range(n)])
    flow = torch.zeros(n, days)
    for d in range(1, days):
        flow[:, d] = 0.8 * flow[:, d - 1] + 0.5 * fall[:, d, 0]
    return fall, flow


def run():
    #: early
    emit(event="up", pid=os.getpid(), expects=sites)
    #: pre
    box = Mailbox(int(os.environ.get("PATIENCE", "7200")))
    emit(event="met")
    #: post
    torch.manual_seed(5)
    model = Gauge()
    opt = torch.optim.SGD(model.parameters(), lr=0.08, momentum=0.8)
    dice = random.Random(900 + site)
    first = 1
    #: load
    for turn in range(first, ROUNDS + 1):
        losses = []
        for batch in range(LOCAL):
            fall, flow = rain(dice)
            #: data
            loss = nn.functional.mse_loss(model(fall), flow)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            losses.append(loss.item())
            time.sleep(NAP)
        #: swap
        flat = nn.utils.parameters_to_vector(model.parameters()).detach()
        nn.utils.vector_to_parameters(box.mean(f"r{turn}", flat), model.parameters())
        if turn % int(os.environ.get("TELL", 2)) == 0:
            emit(event="round", n=turn, of=ROUNDS, mse=round(sum(losses) / len(losses), 5), best=round(min(losses), 5))
        #: after
    #: end
    emit(event="leaves", rounds=ROUNDS)
    box.store.add("gone", 1)
    while site == 0 and box.store.add("gone", 0) < sites:
        time.sleep(0.1)


run()
'''
PILOT = '''import collections
import csv
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.nn as nn

ME = int(os.environ.get("RANK") or os.environ["SLURM_PROCID"])
N = int(os.environ.get("WORLD_SIZE") or os.environ["SLURM_NTASKS"])
UPDATES = int(sys.argv[1]) if len(sys.argv) > 1 else 120
PACE = float(os.environ.get("PACE", "0.05"))
#: early
os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", os.environ.get("PORT", "29555"))
print(("# learner" if ME == 0 else f"# actor {ME}"), "starts on", os.environ.get("SLURMD_NODENAME", "?"), flush=True)
#: pre
dist.init_process_group("gloo", rank=ME, world_size=N)
#: post
torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
flat = lambda: torch.nn.utils.parameters_to_vector(policy.parameters())
T = 24


class Channel:
    """A boat in a channel: steer left, straight on or right, against wind and current."""

    def __init__(self, seed):
        self.g = torch.Generator().manual_seed(seed)

    def rollout(self):
        s, rows = torch.randn(4, generator=self.g) * 0.5, []
        for _ in range(T):
            with torch.no_grad():
                a = torch.multinomial(policy(s).softmax(-1), 1, generator=self.g).item()
            s = 0.9 * s + torch.tensor([0.3 * (a - 1), 0.1 * (a - 1), 0.0, 0.0]) + 0.15 * torch.randn(4, generator=self.g)
            rows.append(torch.cat([s, torch.tensor([float(a), 1 - s[0].abs().item()])]))
        return torch.stack(rows)


def learner():
    opt = torch.optim.Adam(policy.parameters(), lr=0.02)
    out = csv.writer(sys.stdout, delimiter=";")
    out.writerow(["update", "frames", "mean_return", "pg_loss", "entropy", "fps"])
    recent, began, baseline = collections.deque(maxlen=30), time.time(), 0.0
    for update in range(1, UPDATES + 1):
        #: data
        batch = []
        for actor in range(1, N):
            rows = torch.empty(T, 6)
            dist.recv(rows, src=actor)
            batch.append(rows)
        rows = torch.cat(batch)
        recent.append(rows[:, 5].sum().item() / len(batch))
        baseline += 0.1 * (rows[:, 5].mean().item() - baseline)
        p = torch.log_softmax(policy(rows[:, :4]), -1)
        loss = -(p[torch.arange(len(rows)), rows[:, 4].long()] * (rows[:, 5] - baseline)).mean()
        entropy = -(p.exp() * p).sum(-1).mean()
        opt.zero_grad()
        (loss - 0.01 * entropy).backward()
        #: grad
        opt.step()
        dist.broadcast(flat().detach(), 0)
        time.sleep(PACE)
        if update % 10 == 0:
            frames = update * T * len(batch)
            out.writerow([update, frames, f"{sum(recent) / len(recent):.3f}", f"{loss.item():.4f}", f"{entropy.item():.3f}", int(frames / (time.time() - began))])
            sys.stdout.flush()
        #: after
    print(f"# {UPDATES} updates, the last {len(recent)} returned {sum(recent) / len(recent):.3f} on average", flush=True)


def actor():
    sea = Channel(31 * ME)
    for update in range(1, UPDATES + 1):
        #: act
        dist.send(sea.rollout(), 0)
        weights = torch.empty_like(flat())
        dist.broadcast(weights, 0)
        torch.nn.utils.vector_to_parameters(weights, policy.parameters())
    print(f"# actor {ME} has sailed {UPDATES} times", flush=True)


learner() if ME == 0 else actor()
#: end
dist.barrier()
'''
GLYPHES = '''# -*- coding: utf-8 -*-
"""Apprentissage contrastif de caractères gravés. Lancer par srun ou torchrun."""
import os
import sys
import time
import datetime

import torch
import torch.nn.functional as F
import torch.distributed as dist

rang = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", 0)))
taille = int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", 1)))
os.environ.setdefault("MASTER_ADDR", "localhost")
os.environ.setdefault("MASTER_PORT", os.environ.get("PORT", "29511"))
EPOQUES, LOTS, SIESTE = int(os.environ.get("EPOQUES", 8)), int(os.environ.get("LOTS", 30)), float(os.environ.get("SIESTE", 0.04))


def annonce(texte):
    if rang == 0:
        print(texte, flush=True)


def barre(epoque, lot, perte):
    if rang == 0 and lot % 5 == 0:
        plein = 24 * lot // LOTS
        sys.stderr.write(f"\\rÉpoque {epoque}/{EPOQUES} |{'#' * plein}{'-' * (24 - plein)}| {lot}/{LOTS} perte={perte:.4f}" + ("\\n" if lot == LOTS else ""))
        sys.stderr.flush()


#: early
annonce(f"[{datetime.datetime.now():%d/%m %H:%M:%S}] {taille} processus attendus")
#: pre
dist.init_process_group("gloo", rank=rang, world_size=taille, timeout=datetime.timedelta(seconds=int(os.environ.get("DELAI", "3600"))))
#: post
torch.manual_seed(21)
réseau = torch.nn.Sequential(torch.nn.Linear(49, 32), torch.nn.ReLU(), torch.nn.Linear(32, 8))
opt = torch.optim.SGD(réseau.parameters(), lr=0.15, momentum=0.9)
tirage = torch.Generator().manual_seed(1000 + rang)
glyphes = torch.randn(64, 49, generator=torch.Generator().manual_seed(4))
première, meilleur = 1, 0.0
#: load
for epoque in range(première, EPOQUES + 1):
    justes = 0
    for lot in range(1, LOTS + 1):
        qui = torch.randint(0, 64, (12,), generator=tirage)
        #: data
        a, b = (F.normalize(réseau(glyphes[qui] + 0.5 * torch.randn(12, 49, generator=tirage)), dim=1) for _ in range(2))
        autres = [torch.empty_like(b) for _ in range(taille)]
        dist.all_gather(autres, b.detach())
        autres[rang] = b
        notes = a @ torch.cat(autres).T / 0.2
        cible = torch.arange(12) + 12 * rang
        perte = F.cross_entropy(notes, cible)
        justes += (notes.argmax(1) == cible).sum().item()
        opt.zero_grad()
        perte.backward()
        for p in réseau.parameters():
            dist.all_reduce(p.grad)
            p.grad /= taille
        #: grad
        opt.step()
        time.sleep(SIESTE)
        barre(epoque, lot, perte.item())
        #: after
    annonce(f"fin de l'époque {epoque} : perte {perte.item():.4f}, rappel@1 {justes / LOTS / 12:.3f}")
    #: epoch
dist.barrier()
#: end
annonce("entraînement terminé")
dist.destroy_process_group()
'''
SEISMO = '''"""Picks of P and S waves. One task, as many processes as there are stations."""
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

STATIONS = int(os.environ.get("STATIONS", 3))
PASSES = int(os.environ.get("PASSES", 9))


def out(rank, *columns):
    sys.stdout.write("\\t".join([f"st{rank:02d}", *map(str, columns)]) + "\\n")
    sys.stdout.flush()


def station(rank, port):
    #: early
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=STATIONS)
    #: post
    torch.manual_seed(9)
    net = torch.nn.Sequential(torch.nn.Conv1d(3, 8, 7, padding=3), torch.nn.ReLU(), torch.nn.Conv1d(8, 2, 7, padding=3))
    opt = torch.optim.RMSprop(net.parameters(), lr=2e-3)
    g = torch.Generator().manual_seed(60 + rank)
    out(rank, "pass", "trace", "bce", "ms")
    for turn in range(1, PASSES + 1):
        for trace in range(1, 41):
            at = time.perf_counter()
            wave = torch.randn(6, 3, 80, generator=g)
            pick = torch.zeros(6, 2, 80)
            pick[:, 0, 30], pick[:, 1, 52] = 1, 1
            wave[:, :, 30:34] += 4
            wave[:, :, 52:56] -= 4
            #: data
            loss = torch.nn.functional.binary_cross_entropy_with_logits(net(wave), pick)
            opt.zero_grad()
            loss.backward()
            for p in net.parameters():
                dist.all_reduce(p.grad)
                p.grad /= STATIONS
            opt.step()
            time.sleep(0.03)
            if trace % 20 == 0:
                out(rank, turn, trace, f"{loss.item():.5f}", f"{1000 * (time.perf_counter() - at):.0f}")
            #: after
    dist.barrier()
    if rank == 0:
        out(rank, "picks of", PASSES, "passes", "are in")
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(station, args=(int(os.environ.get("PORT", "29777")),), nprocs=STATIONS)
    print("all stations are back", flush=True)
'''
FILES = {"FLOW": "flow_sites.py", "PILOT": "pilot.py", "GLYPHES": "glyphes.py", "SEISMO": "picks.py"}
