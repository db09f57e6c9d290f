"""More programs of plain PyTorch: energies of small molecules told in French, sprites behind a code, a pupil taught by a master; with places for what a case does."""

MOLECULES = '''# -*- coding: utf-8 -*-
"""Énergies d'atomisation par passage de messages (petites molécules factices)."""
import configparser
import logging
import os
import sys
import time

import torch
from torch import nn

cfg = configparser.ConfigParser()
cfg.read_dict({"modele": {"couches": "2", "largeur": "32"}, "apprentissage": {"cycles": "12", "pas": "0.004", "lot": "20", "reprise": "", "repos": "0.0"}, "donnees": {"molecules": "240", "atomes": "7", "fichier": ""}})
cfg.read(sys.argv[1:2])
M, A, D = cfg["modele"], cfg["apprentissage"], cfg["donnees"]
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(asctime)s %(levelname).1s %(message)s", datefmt="%d/%m %H:%M:%S")
log = logging.getLogger("mol")
torch.manual_seed(5)
torch.set_num_threads(1)
#: debut
n, k = D.getint("molecules"), D.getint("atomes")
if D["fichier"]:
    bloc = torch.load(D["fichier"])
    Z, R, E = bloc["Z"], bloc["R"], bloc["E"]
else:
    Z, R = torch.randint(0, 4, (n, k)), torch.randn(n, k, 3)
    d = torch.cdist(R, R) + 3 * torch.eye(k)
    E = (-(0.5 + Z[:, :, None] * 0.3) * torch.exp(-d)).sum((1, 2))
#: donnees
ecart, centre = E.std(), E.mean()


class Messages(nn.Module):
    def __init__(self, couches, largeur):
        super().__init__()
        self.atome = nn.Embedding(4, largeur)
        self.couches = nn.ModuleList(nn.Linear(2 * largeur, largeur) for _ in range(couches))
        self.tete = nn.Linear(largeur, 1)

    def forward(self, z, r):
        poids = torch.exp(-torch.cdist(r, r)) - torch.eye(r.shape[1])
        h = self.atome(z)
        for c in self.couches:
            h = h + torch.tanh(c(torch.cat([h, poids @ h], -1)))
        return self.tete(h).sum((1, 2))


modele = Messages(M.getint("couches"), M.getint("largeur"))
opt = torch.optim.Adam(modele.parameters(), lr=A.getfloat("pas"))
fait = 0
if A["reprise"]:
    #: avant_reprise
    etat = torch.load(A["reprise"])
    #: reprise
    modele.load_state_dict(etat["modele"])
    opt.load_state_dict(etat["opt"])
    fait = etat["cycle"]
    log.info("Reprise de %s, cycle %d déjà fait", A["reprise"], fait)
log.info("%d molécules de %d atomes ; %d paramètres", n, k, sum(p.numel() for p in modele.parameters()))
#: pret
train = int(0.8 * n)
for cycle in range(fait + 1, A.getint("cycles") + 1):
    ordre, somme, lot = torch.randperm(train), 0.0, A.getint("lot")
    for j in range(0, train, lot):
        i = ordre[j:j + lot]
        z, r, e = Z[i], R[i], (E[i] - centre) / ecart
        #: milieu
        prevu = modele(z, r)
        cout = (prevu - e).abs().mean()
        #: cout
        opt.zero_grad()
        cout.backward()
        opt.step()
        somme += cout.item()
        #: apres
        time.sleep(A.getfloat("repos"))
    with torch.no_grad():
        mae = ((modele(Z[train:], R[train:]) * ecart + centre) - E[train:]).abs().mean().item()
    #: cycle
    log.info("Cycle %3d/%d : MAE apprentissage %.1f meV, validation %.1f meV", cycle, A.getint("cycles"), 1000 * somme / (train / lot) * ecart, 1000 * mae)
    #: garde
    torch.save({"modele": modele.state_dict(), "opt": opt.state_dict(), "cycle": cycle}, "mol.pt")
#: fin
log.info("Terminé. Poids dans mol.pt")
'''

SPRITES = '''"""A small VAE over 12x12 sprites. Rounds of 20 updates; one line of key:value per round."""
import argparse, json, math, os, random, sys, time
import torch
from torch import nn, distributions as D

cli = argparse.ArgumentParser(fromfile_prefix_chars="@")
for flag, kind, default in (("rounds", int, 20), ("latent", int, 6), ("rate", float, 2e-3), ("sheet", str, ""), ("take-up", str, ""), ("album", str, "album"), ("beta", float, 1.0), ("keep-every", int, 10), ("nap", float, 0.02), ("updates", int, 20)):
    cli.add_argument(f"--{flag}", type=kind, default=default)
a = cli.parse_args()
torch.manual_seed(9); torch.set_num_threads(1)
#: early
if a.sheet:
    with open(a.sheet, "rb") as f:
        raw = f.read()
    imgs = torch.frombuffer(bytearray(raw), dtype=torch.uint8).view(-1, 144).float() / 255
else:
    g = torch.arange(12.0)
    cx, cy, s = (torch.rand(500, 1) * 6 + 3 for _ in range(3))
    imgs = torch.exp(-((g - cx) ** 2)[:, :, None] / s[:, :, None] - ((g - cy) ** 2)[:, None, :] / s[:, :, None]).reshape(500, 144)
#: data
enc = nn.Sequential(nn.Linear(144, 64), nn.ReLU(), nn.Linear(64, 2 * a.latent))
dec = nn.Sequential(nn.Linear(a.latent, 64), nn.ReLU(), nn.Linear(64, 144))
both = nn.ModuleList([enc, dec])
opt = torch.optim.Adam(both.parameters(), lr=a.rate)
first = 1
if a.take_up:
    #: before_take_up
    old = torch.load(a.take_up, weights_only=True)
    #: take_up
    both.load_state_dict(old["both"]); opt.load_state_dict(old["opt"])
    first = old["round"] + 1
    print(f"taken up {a.take_up} round:{first - 1}", flush=True)
print(f"sprites:{len(imgs)} latent:{a.latent} beta:{a.beta} rate:{a.rate}", flush=True)
#: ready
for rnd in range(first, a.rounds + 1):
    rec = kls = 0.0
    for u in range(a.updates):
        x = imgs[torch.randint(0, len(imgs), (50,))]
        #: mid
        m, s = enc(x).chunk(2, 1)
        q = D.Normal(m, torch.exp(0.5 * s.clamp(-9, 9)), validate_args=False)
        out = dec(q.rsample())
        bce = nn.functional.binary_cross_entropy_with_logits(out, x.clamp(0, 1), reduction="none").sum(1).mean()
        kl = D.kl_divergence(q, D.Normal(0.0, 1.0)).sum(1).mean()
        nelbo = bce + a.beta * kl
        #: loss
        opt.zero_grad(); nelbo.backward(); opt.step()
        rec += bce.item() / a.updates; kls += kl.item() / a.updates
        #: after
    #: round
    print(f"round:{rnd} -elbo:{rec + a.beta * kls:.2f} rec:{rec:.2f} kl:{kls:.2f}", flush=True)
    if a.keep_every and rnd % a.keep_every == 0:
        os.makedirs(a.album, exist_ok=True)
        #: save
        torch.save({"both": both.state_dict(), "opt": opt.state_dict(), "round": rnd}, f"{a.album}/r{rnd:03d}.pth")
        print(f"kept {a.album}/r{rnd:03d}.pth", flush=True)
    time.sleep(a.nap)
#: late
print(f"bye round:{a.rounds}", flush=True)
'''

PUPIL = '''import copy, math, os, sys, time
from pathlib import Path
from types import SimpleNamespace as NS

import torch
import torch.nn.functional as F
from torch import nn

"""Distil a wide classifier of spirals into a narrow one."""
conf = NS(steps=360, warm=40, T=3.0, mix=0.7, lr=5e-3, narrow=12, log=20, ckpt=120, tag="pupil", restore="", init="", data="", budget=1e9, sleep=0.0)
for flag in sys.argv[1:]:
    name, value = flag.split("=")
    if not hasattr(conf, name):
        raise AttributeError(f"unknown option {name!r} (known: {sorted(vars(conf))})")
    setattr(conf, name, type(getattr(conf, name))(value))
torch.manual_seed(13)
torch.set_num_threads(1)
began = time.monotonic()


def p(text):
    print(f"[{time.monotonic() - began:7.2f}s] {text}", flush=True)


#: early
arm = torch.randint(0, 3, (600,))
rad = torch.rand(600)
ang = rad * 4 + arm * 2.094 + 0.15 * torch.randn(600)
X = torch.stack([rad * ang.cos(), rad * ang.sin()], 1)
#: data


def mlp(width):
    return nn.Sequential(nn.Linear(2, width), nn.GELU(), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 3))


master, pupil = mlp(64), mlp(conf.narrow)
mo = torch.optim.Adam(master.parameters(), 1e-2)
for _ in range(120):
    mo.zero_grad(); F.cross_entropy(master(X), arm).backward(); mo.step()
p(f"master ready, {(master(X).argmax(1) == arm).float().mean():.1%} right")
opt = torch.optim.SGD(pupil.parameters(), lr=conf.lr, momentum=0.9)
at = 0
if conf.init:
    p(f"pupil starts from the weights in {conf.init} (new task, step counter at 0)")
    pupil.load_state_dict(torch.load(conf.init)["pupil"])
if conf.restore:
    #: before_restore
    blob = torch.load(conf.restore)
    #: restore
    pupil.load_state_dict(blob["pupil"])
    opt.load_state_dict(blob["opt"])
    at = blob["step"]
    p(f"restored step {at} out of {conf.restore}")
#: ready
for step in range(at + 1, conf.steps + 1):
    lr = conf.lr * min(1, step / conf.warm) * 10
    for group in opt.param_groups:
        group["lr"] = lr
    i = torch.randint(0, len(X), (64,))
    x, y = X[i], arm[i]
    #: mid
    with torch.no_grad():
        soft = master(x)
    hard = pupil(x)
    loss = conf.mix * conf.T**2 * F.kl_div(F.log_softmax(hard / conf.T, 1), F.softmax(soft / conf.T, 1), reduction="batchmean") + (1 - conf.mix) * F.cross_entropy(hard, y)
    #: loss
    opt.zero_grad()
    loss.backward()
    norm = torch.sqrt(sum((q.grad**2).sum() for q in pupil.parameters() if q.grad is not None))
    opt.step()
    #: after
    if step % conf.log == 0:
        acc = (pupil(X).argmax(1) == arm).float().mean()
        p(f"step={step} of {conf.steps} distill={loss.item():.4f} |g|={norm:.3f} lr={lr:.4f} agree={acc:.3f}")
    if conf.ckpt and step % conf.ckpt == 0:
        #: save
        torch.save({"pupil": pupil.state_dict(), "opt": opt.state_dict(), "step": step}, f"{conf.tag}-{step}.pt")
        p(f"wrote {conf.tag}-{step}.pt")
    #: end_of_step
    if time.monotonic() - began > conf.budget:
        p(f"time budget of {conf.budget:g} s used up")
        break
    time.sleep(conf.sleep)
#: late
p(f"{conf.tag}: {(pupil(X).argmax(1) == arm).float().mean():.1%} of the points right")
'''
