"""Programs over plain PyTorch in houses' own ways: a small trainer class with callbacks (French), a teacher and a pupil, a flow that fits a density."""

CADRE = '''"""Petit cadre d'entraînement du groupe « acoustique » : boucle, rappels, points de reprise."""
import os
import sys
import time

import torch


class Rappel:
    def debut(self, b): ...
    def pas(self, b): ...
    def epoque(self, b): ...
    def fin(self, b): ...


class Journal(Rappel):
    def __init__(self, tous=20):
        self.tous = tous

    def debut(self, b):
        print(f"~ {b.nom} : {sum(p.numel() for p in b.modele.parameters())} paramètres, {len(b.lots)} lots par époque", flush=True)

    def pas(self, b):
        if b.n % self.tous == 0:
            print(f"~   pas {b.n:6d}  perte {b.perte:.5f}", flush=True)

    def epoque(self, b):
        print(f"~ époque {b.e:3d}/{b.epoques}  perte moyenne {b.moyenne:.5f}  erreur de validation {b.valid:.5f}  {b.duree:.2f} s", flush=True)

    def fin(self, b):
        print(f"~ fin : {b.e} époques, meilleure erreur {b.meilleure:.5f}", flush=True)


class Reprise(Rappel):
    def __init__(self, dossier, toutes=5, reprendre=False):
        self.dossier, self.toutes, self.reprendre = dossier, toutes, reprendre
        os.makedirs(dossier, exist_ok=True)

    def debut(self, b):
        if not self.reprendre:
            return
        chemin = os.path.join(self.dossier, "dernier.pt")
        #: resume
        etat = torch.load(chemin)
        b.modele.load_state_dict(etat["modele"])
        b.opt.load_state_dict(etat["opt"])
        b.e, b.n, b.meilleure = etat["e"], etat["n"], etat["meilleure"]
        print(f"~ reprise de {chemin} après l'époque {b.e}", flush=True)

    def epoque(self, b):
        if b.e % self.toutes == 0:
            torch.save({"modele": b.modele.state_dict(), "opt": b.opt.state_dict(), "e": b.e, "n": b.n, "meilleure": b.meilleure}, os.path.join(self.dossier, "dernier.pt"))
            print(f"~ point de reprise écrit ({self.dossier}/dernier.pt)", flush=True)


class Boucle:
    def __init__(self, nom, modele, opt, lots, valide, critere, epoques, rappels, norme_max=None):
        self.nom, self.modele, self.opt, self.lots, self.valide, self.critere = nom, modele, opt, lots, valide, critere
        self.epoques, self.rappels, self.norme_max = epoques, rappels, norme_max
        self.e = self.n = 0
        self.meilleure = float("inf")

    def tous(self, quoi):
        for r in self.rappels:
            getattr(r, quoi)(self)

    def lance(self):
        self.tous("debut")
        while self.e < self.epoques:
            self.e += 1
            t0, somme = time.time(), 0.0
            self.modele.train()
            for x, y in self.lots:
                #: batch
                perte = self.critere(self.modele(x), y)
                #: loss
                self.opt.zero_grad()
                perte.backward()
                if self.norme_max:
                    torch.nn.utils.clip_grad_norm_(self.modele.parameters(), self.norme_max)
                self.opt.step()
                self.n, self.perte = self.n + 1, perte.item()
                somme += self.perte
                self.tous("pas")
            self.modele.eval()
            with torch.no_grad():
                self.valid = sum(self.critere(self.modele(x), y).item() for x, y in self.valide) / len(self.valide)
            self.moyenne, self.duree, self.meilleure = somme / len(self.lots), time.time() - t0, min(self.meilleure, self.valid)
            #: epoch
            self.tous("epoque")
        self.tous("fin")
'''

ECHO = '''"""Supprime l'écho d'une voix (un petit U de convolutions)."""
import argparse
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from cadre import Boucle, Journal, Rappel, Reprise

p = argparse.ArgumentParser(description=__doc__)
p.add_argument("--epoques", type=int, default=14)
p.add_argument("--pas", dest="taux", type=float, default=4e-4, help="pas de l'optimiseur")
p.add_argument("--lot", type=int, default=24)
p.add_argument("--canaux", type=int, default=10)
p.add_argument("--dossier", default="echo")
p.add_argument("--toutes", type=int, default=5)
p.add_argument("--reprendre", action="store_true")
p.add_argument("--voix", type=int, default=500)
p.add_argument("--processus", type=int, default=0)
a = p.parse_args()
torch.manual_seed(9)


def voix(n, graine):
    g = torch.Generator().manual_seed(graine)
    t = torch.linspace(0, 1, 128)
    f = 4 + 20 * torch.rand(n, 3, 1, generator=g)
    pur = (torch.sin(6.283 * f * t + 6.283 * torch.rand(n, 3, 1, generator=g))).sum(1) / 3
    retard = torch.roll(pur, 13, 1) * 0.6 + torch.roll(pur, 29, 1) * 0.3
    #: voix
    return TensorDataset((pur + retard).unsqueeze(1), pur.unsqueeze(1))


class U(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.bas = nn.Sequential(nn.Conv1d(1, c, 9, 2, 4), nn.ELU(), nn.Conv1d(c, 2 * c, 9, 2, 4), nn.ELU())
        self.haut = nn.Sequential(nn.ConvTranspose1d(2 * c, c, 8, 2, 3), nn.ELU(), nn.ConvTranspose1d(c, 1, 8, 2, 3))

    def forward(self, x):
        return self.haut(self.bas(x)) + x * 0.5


class Divers(Rappel):
    def debut(self, b):
        pass
        #: begin

    def pas(self, b):
        pass
        #: step

    def epoque(self, b):
        pass
        #: over


#: early
lots = DataLoader(voix(a.voix, 1), a.lot, shuffle=True, num_workers=a.processus)
valide = DataLoader(voix(80, 2), 40)
modele = U(a.canaux)
#: model
opt = torch.optim.RMSprop(modele.parameters(), lr=a.taux)
Boucle("echo", modele, opt, lots, valide, nn.MSELoss(), a.epoques, [Divers(), Reprise(a.dossier, a.toutes, a.reprendre), Journal()], 1.0).lance()
'''

PUPIL = '''"""A small net learns from a large one (digits drawn with seven strokes)."""
import json
import os
import pathlib
import time
import types

import torch
import torch.nn.functional as F

cfg = types.SimpleNamespace(teacher_epochs=6, pupil_epochs=12, width=96, small=10, bs=40, lr=0.004, temperature=3.0, mix=0.7, folder="pupils", ckpt_each=3, restart="", samples=1000, seconds=0.0)
for k, v in json.loads(os.environ.get("PUPIL", "{}")).items():
    if not hasattr(cfg, k):
        raise AttributeError(f"PUPIL: no setting called {k!r}, did you mean one of {sorted(vars(cfg))}?")
    setattr(cfg, k, v)

SEGMENTS = torch.tensor([[1, 1, 1, 0, 1, 1, 1], [0, 0, 1, 0, 0, 1, 0], [1, 0, 1, 1, 1, 0, 1], [1, 0, 1, 1, 0, 1, 1], [0, 1, 1, 1, 0, 1, 0], [1, 1, 0, 1, 0, 1, 1], [1, 1, 0, 1, 1, 1, 1], [1, 0, 1, 0, 0, 1, 0], [1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 1, 1]]).float()


def stamp(what, **numbers):
    print(json.dumps({"t": round(time.time(), 2), "what": what, **{k: round(v, 5) if isinstance(v, float) else v for k, v in numbers.items()}}), flush=True)


def digits(n, seed):
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(0, 10, (n,), generator=g)
    return SEGMENTS[y] @ torch.randn(7, 40, generator=torch.Generator().manual_seed(1)) / 2 + 0.9 * torch.randn(n, 40, generator=g), y


def net(w):
    return torch.nn.Sequential(torch.nn.Linear(40, w), torch.nn.ReLU(), torch.nn.Linear(w, 10))


def accuracy(m, x, y):
    with torch.no_grad():
        return (m(x).argmax(1) == y).float().mean().item()


def main():
    torch.manual_seed(12)
    folder = pathlib.Path(cfg.folder)
    folder.mkdir(parents=True, exist_ok=True)
    stamp("config", **vars(cfg))
    #: early
    x, y = digits(cfg.samples, 2)
    vx, vy = digits(400, 3)
    #: data
    teacher, pupil = net(cfg.width), net(cfg.small)
    opt = torch.optim.Adam(teacher.parameters(), lr=cfg.lr)
    for epoch in range(1, cfg.teacher_epochs + 1):
        total = 0.0
        for rows in torch.randperm(len(x)).split(cfg.bs):
            loss = F.cross_entropy(teacher(x[rows]), y[rows])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(rows)
        stamp("teacher", epoch=epoch, loss=total / len(x), accuracy=accuracy(teacher, vx, vy))
        #: teacher
    teacher.requires_grad_(False)
    #: between
    opt = torch.optim.Adam(pupil.parameters(), lr=cfg.lr)
    first = 1
    if cfg.restart:
        #: resume
        had = torch.load(cfg.restart)
        pupil.load_state_dict(had["pupil"])
        opt.load_state_dict(had["opt"])
        first = had["epoch"] + 1
        stamp("restarted", file=cfg.restart, after_epoch=had["epoch"])
    #: ready
    for epoch in range(first, cfg.pupil_epochs + 1):
        began, total, soft = time.time(), 0.0, 0.0
        for rows in torch.randperm(len(x)).split(cfg.bs):
            bx, by = x[rows], y[rows]
            #: batch
            said, told = pupil(bx), teacher(bx)
            kd = F.kl_div((said / cfg.temperature).log_softmax(1), (told / cfg.temperature).softmax(1), reduction="batchmean") * cfg.temperature**2
            loss = cfg.mix * kd + (1 - cfg.mix) * F.cross_entropy(said, by)
            #: loss
            opt.zero_grad()
            loss.backward()
            #: grads
            opt.step()
            total, soft = total + loss.item() * len(rows), soft + kd.item() * len(rows)
            #: step
        time.sleep(cfg.seconds)
        stamp("pupil", epoch=epoch, of=cfg.pupil_epochs, loss=total / len(x), kd=soft / len(x), accuracy=accuracy(pupil, vx, vy), seconds=time.time() - began)
        if epoch % cfg.ckpt_each == 0:
            torch.save({"pupil": pupil.state_dict(), "opt": opt.state_dict(), "epoch": epoch}, folder / f"p{epoch}.pt")
            stamp("kept", file=str(folder / f"p{epoch}.pt"))
            #: kept
        #: epoch
    stamp("end", teacher=accuracy(teacher, vx, vy), pupil=accuracy(pupil, vx, vy))


if __name__ == "__main__":
    main()
'''

FLOW = '''"""Coupling layers that fit where taxis stop (two clusters and a ring road). Negative log likelihood in nats."""
import sys, os, time, math, getopt
import torch
from torch import nn

opts, rest = getopt.getopt(sys.argv[1:], "n:b:l:k:o:r:s:w:q:", ["iterations=", "batch=", "lr=", "layers=", "out=", "restore=", "save=", "hidden=", "pause="])
given = {"-n": "400", "-b": "128", "-l": "0.004", "-k": "6", "-o": "taxi", "-r": "", "-s": "200", "-w": "32", "-q": "0"}
long = {"--iterations": "-n", "--batch": "-b", "--lr": "-l", "--layers": "-k", "--out": "-o", "--restore": "-r", "--save": "-s", "--hidden": "-w", "--pause": "-q"}
for name, value in opts:
    given[long.get(name, name)] = value
N, B, LR, K, OUT, RESTORE, SAVE, W, PAUSE = int(given["-n"]), int(given["-b"]), float(given["-l"]), int(given["-k"]), given["-o"], given["-r"], int(given["-s"]), int(given["-w"]), float(given["-q"])
torch.manual_seed(31)
os.makedirs(OUT, exist_ok=True)


def stops(n):
    which = torch.rand(n, 1)
    a = 6.283 * torch.rand(n, 1)
    ring = torch.cat([2 * a.cos(), 2 * a.sin()], 1) + 0.08 * torch.randn(n, 2)
    town = torch.where(torch.rand(n, 1) < 0.5, torch.tensor([[0.6, 0.4]]), torch.tensor([[-0.7, -0.2]])) + 0.2 * torch.randn(n, 2)
    return torch.where(which < 0.5, ring, town)


class Coupling(nn.Module):
    def __init__(self, swap):
        super().__init__()
        self.swap = swap
        self.net = nn.Sequential(nn.Linear(1, W), nn.Tanh(), nn.Linear(W, W), nn.Tanh(), nn.Linear(W, 2))

    def forward(self, x):
        a, b = (x[:, 1:], x[:, :1]) if self.swap else (x[:, :1], x[:, 1:])
        s, t = self.net(a).chunk(2, 1)
        s = 2 * torch.tanh(s)
        b = b * s.exp() + t
        return (torch.cat([b, a], 1) if self.swap else torch.cat([a, b], 1)), s.squeeze(1)


flow = nn.ModuleList(Coupling(i % 2) for i in range(K))
opt = torch.optim.Adamax(flow.parameters(), lr=LR)


def nll(x):
    det = torch.zeros(len(x))
    for layer in flow:
        x, s = layer(x)
        det = det + s
    return (0.5 * x.square().sum(1) + math.log(2 * math.pi) - det).mean()


start = 0
print(f"{K} couplings of {W}, {sum(p.numel() for p in flow.parameters())} numbers to learn, {N} iterations of {B} stops")
#: early
if RESTORE:
    #: resume
    had = torch.load(RESTORE)
    flow.load_state_dict(had["flow"])
    opt.load_state_dict(had["opt"])
    start = had["i"]
    print(f"restored from {RESTORE}: {start} iterations are done")
test = stops(600)
with torch.no_grad():
    print(f"nll on test stops before: {nll(test).item():.4f}")
#: ready
mean, since = 0.0, time.time()
for i in range(start + 1, N + 1):
    x = stops(B)
    #: batch
    loss = nll(x)
    #: loss
    opt.zero_grad()
    loss.backward()
    gn = nn.utils.clip_grad_norm_(flow.parameters(), 1e9).item()
    #: grads
    opt.step()
    mean += loss.item()
    if PAUSE:
        time.sleep(PAUSE)
    #: step
    if i % 20 == 0:
        print(f"{i} {mean / 20:.5f} {gn:.4f} {opt.param_groups[0]['lr']:.6f} {20 / (time.time() - since):.1f}", flush=True) if i > 20 else print("# iteration nll gradnorm lr it/s", f"{i} {mean / 20:.5f} {gn:.4f} {opt.param_groups[0]['lr']:.6f} {20 / (time.time() - since):.1f}", sep="\\n", flush=True)
        mean, since = 0.0, time.time()
    if SAVE and i % SAVE == 0:
        torch.save({"flow": flow.state_dict(), "opt": opt.state_dict(), "i": i}, f"{OUT}/flow{i}.pt")
        with torch.no_grad():
            print(f"# test nll {nll(test).item():.4f}, kept {OUT}/flow{i}.pt", flush=True)
        #: saved
with torch.no_grad():
    print(f"nll on test stops after: {nll(test).item():.4f}")
'''
