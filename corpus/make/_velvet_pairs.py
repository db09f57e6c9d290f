"""Two towers that find recipes for what is in the fridge (accelerate, coloredlogs), floods foretold (French, tabulate), a sweep over seeds and rates."""

PAIRS = '''"""Two towers: fridge contents -> recipe. accelerate for the loop, coloredlogs on stderr."""
import atexit
import dataclasses
import logging
import os
import sys
import time
import weakref

import coloredlogs
import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import find_executable_batch_size


@dataclasses.dataclass
class Conf:
    steps: int = 500
    bs: int = 32
    dim: int = 32
    lr: float = 3e-3
    temperature: float = 0.1
    log_every: int = 10
    ckpt_every: int = 100
    out: str = "towers_out"
    resume_from: str = ""
    nap: float = 0.0
    seed: int = 0

    @classmethod
    def parse(cls, words):
        known = {f.name: f.type for f in dataclasses.fields(cls)}
        out = {}
        for w in words:
            k, v = w.split("=")
            out[k] = known[k](v)
        return cls(**out)


conf = Conf.parse(sys.argv[1:])
logger = logging.getLogger("towers")
coloredlogs.install(level="INFO", logger=logger, fmt="%(asctime)s %(name)s[%(process)d] %(levelname)s %(message)s", isatty=False)
logger.info("starting with %s", conf)
acc = Accelerator(cpu=True)
torch.manual_seed(conf.seed)
os.makedirs(conf.out, exist_ok=True)
#: early


class Tower(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.bag, self.mix = torch.nn.EmbeddingBag(400, dim), torch.nn.Linear(dim, dim)

    def forward(self, x):
        return F.normalize(self.mix(self.bag(x)), dim=-1)


def pairs(n, g):
    dish = torch.randint(0, 60, (n,), generator=g)
    fridge = (dish[:, None] * 5 + torch.randint(0, 5, (n, 6), generator=g)) % 300
    noise = torch.rand(n, 6, generator=g) < 0.25
    fridge[noise] = torch.randint(0, 400, (int(noise.sum()),), generator=g)
    recipe = (dish[:, None] * 5 + torch.randint(0, 5, (n, 8), generator=g)) % 300 + 50
    return fridge, recipe


fridges, recipes = Tower(conf.dim), Tower(conf.dim)
opt = torch.optim.Adam([*fridges.parameters(), *recipes.parameters()], lr=conf.lr)
fridges, recipes, opt = acc.prepare(fridges, recipes, opt)
step = 0
if conf.resume_from:
    #: resume
    blob = torch.load(conf.resume_from)
    fridges.load_state_dict(blob["fridges"]); recipes.load_state_dict(blob["recipes"]); opt.load_state_dict(blob["opt"])
    step = blob["step"]
    logger.info("resumed from %s at step %d", conf.resume_from, step)
#: ready


def train(batch_size):
    global step
    logger.info("training from step %d with %d pairs per step; chance would be a loss of %.3f", step, batch_size, torch.tensor(float(batch_size)).log())
    g = torch.Generator().manual_seed(conf.seed + 1)
    t0 = time.time()
    while step < conf.steps:
        step += 1
        a, b = pairs(batch_size, g)
        #: batch
        sim = fridges(a) @ recipes(b).T / conf.temperature
        target = torch.arange(len(a))
        loss = (F.cross_entropy(sim, target) + F.cross_entropy(sim.T, target)) / 2
        #: loss
        opt.zero_grad()
        acc.backward(loss)
        norm = acc.clip_grad_norm_([*fridges.parameters(), *recipes.parameters()], 5.0)
        #: grad
        opt.step()
        if step % conf.log_every == 0:
            top1 = (sim.argmax(1) == target).float().mean().item()
            logger.info("step %d/%d loss %.4f in-batch top1 %.3f grad %.4f lr %.1e (%.1f steps/s)", step, conf.steps, loss.item(), top1, float(norm), opt.param_groups[0]["lr"], step / (time.time() - t0))
        #: step
        if step % conf.ckpt_every == 0:
            torch.save({"fridges": fridges.state_dict(), "recipes": recipes.state_dict(), "opt": opt.state_dict(), "step": step}, f"{conf.out}/step_{step}.pt")
            logger.info("checkpoint %s/step_%d.pt", conf.out, step)
        time.sleep(conf.nap)


#: run
train(conf.bs)
#: end
logger.info("training complete after %d steps", step)
'''

RUN_WITH_SEARCH = '''find_executable_batch_size(train, starting_batch_size=conf.bs)()'''

FLOODS = '''"""Prévision des crues à 6 h : perceptron sur la pluie et les niveaux amont."""
import logging.config
import os
import signal
import sys
import time
import warnings

import pandas as pd
import torch
from tabulate import tabulate

PARAMS = dict(passes=20, taux=2e-3, heures=900, caches=40, lot=30, reprise=None, dossier="crues", sauve=5, tableau=5, attente=0.0)
for mot in sys.argv[1:]:
    c, v = mot.split("=", 1)
    PARAMS[c] = v if PARAMS[c] is None or isinstance(PARAMS[c], str) else type(PARAMS[c])(v)
logging.config.dictConfig({"version": 1, "formatters": {"f": {"format": "{asctime} [{levelname:.4}] {message}", "style": "{"}}, "handlers": {"h": {"class": "logging.StreamHandler", "formatter": "f"}}, "root": {"level": "INFO", "handlers": ["h"]}})
log = logging.getLogger()
log.info("paramètres : %s", PARAMS)
os.makedirs(PARAMS["dossier"], exist_ok=True)
torch.manual_seed(2)
#: early
h = PARAMS["heures"]
pluie = torch.rand(h).pow(6) * 20
niveau = torch.zeros(h)
for t in range(1, h):
    niveau[t] = 0.93 * niveau[t - 1] + 0.05 * pluie[max(0, t - 4):t].sum()
table = pd.DataFrame({f"pluie_{k}": pluie.roll(k).numpy() for k in range(8)} | {"amont": niveau.roll(1).numpy(), "cible": niveau.roll(-6).numpy()}).iloc[10:-10]
#: table
X = torch.tensor(table.drop(columns="cible").to_numpy("f4"))
y = torch.tensor(table["cible"].to_numpy("f4"))
X = (X - X.mean(0)) / X.std(0)
coupe = int(len(X) * 0.8)
reseau = torch.nn.Sequential(torch.nn.Linear(9, PARAMS["caches"]), torch.nn.SiLU(), torch.nn.Linear(PARAMS["caches"], 1))
opt = torch.optim.Adam(reseau.parameters(), PARAMS["taux"])
premiere = 1
if PARAMS["reprise"]:
    #: reprise
    etat = torch.load(PARAMS["reprise"])
    reseau.load_state_dict(etat["reseau"]); opt.load_state_dict(etat["opt"]); premiere = etat["passe"] + 1
    log.info("reprise de %s, passe %d", PARAMS["reprise"], premiere)
historique = []
#: pret
for passe in range(premiere, PARAMS["passes"] + 1):
    t0, total = time.time(), 0.0
    for lot in torch.randperm(coupe).split(PARAMS["lot"]):
        #: lot
        erreur = torch.nn.functional.mse_loss(reseau(X[lot])[:, 0], y[lot])
        #: erreur
        opt.zero_grad(); erreur.backward()
        #: grad
        opt.step()
        total += erreur.item() * len(lot)
        #: pas
        time.sleep(PARAMS["attente"])
    with torch.no_grad():
        s = reseau(X[coupe:])[:, 0]
        nash = 1 - ((s - y[coupe:]) ** 2).sum() / ((y[coupe:] - y[coupe:].mean()) ** 2).sum()
    historique.append((passe, total / coupe, nash.item(), time.time() - t0))
    log.info("passe %d/%d : EQM %.5f, Nash %.4f (%.2f s)", passe, PARAMS["passes"], total / coupe, nash, time.time() - t0)
    #: passe
    if passe % PARAMS["tableau"] == 0:
        print(tabulate(historique[-PARAMS["tableau"]:], headers=["passe", "EQM", "Nash", "s"], floatfmt=".4f"), flush=True)
    if passe % PARAMS["sauve"] == 0:
        torch.save({"reseau": reseau.state_dict(), "opt": opt.state_dict(), "passe": passe}, f"{PARAMS['dossier']}/p{passe:03d}.pt")
#: fin
log.info("entraînement terminé, Nash final %.4f", historique[-1][2])
'''

SWEEP = '''"""grid over rates and seeds for the wine classifier; every run is short, the table at the end is what we look at"""
import itertools, sys, time, math, os
import torch
from torch import nn
from sklearn.datasets import load_wine
from rich.console import Console
from rich.table import Table

rates = [float(v) for v in sys.argv[1].split(",")]
seeds = range(int(sys.argv[2]))
epochs = int(sys.argv[3])
con = Console(width=100, force_terminal=False, color_system=None)
wine = load_wine()
X, y = torch.tensor(wine.data, dtype=torch.float32), torch.tensor(wine.target)
#: data
X = (X - X.mean(0)) / X.std(0)
runs = list(itertools.product(rates, seeds))
con.print(f"sweep of {len(runs)} runs: rates {rates}, seeds {list(seeds)}, {epochs} epochs each")
#: early
best = {}
for n, (lr, seed) in enumerate(runs, 1):
    torch.manual_seed(seed)
    order = torch.randperm(len(X))
    fit, test = order[:130], order[130:]
    net = nn.Sequential(nn.Linear(13, 24), nn.ReLU(), nn.Linear(24, 3))
    opt = torch.optim.SGD(net.parameters(), lr=lr)
    for epoch in range(epochs):
        for part in fit.split(26):
            #: batch
            loss = nn.functional.cross_entropy(net(X[part]), y[part])
            opt.zero_grad(); loss.backward(); opt.step()
    acc = (net(X[test]).argmax(1) == y[test]).float().mean().item()
    #: scored
    con.print(f"run {n:2d}/{len(runs)}  lr={lr:<8g} seed={seed}  final loss={loss.item():<9.4f} test acc={acc:.3f}" + ("   diverged" if not math.isfinite(loss.item()) else ""))
    best[lr] = best.get(lr, []) + [acc]
    #: run
t = Table("lr", "mean acc", "worst")
for lr, accs in best.items(): t.add_row(f"{lr:g}", f"{sum(accs) / len(accs):.3f}", f"{min(accs):.3f}")
con.print(t)
con.print(f"sweep finished, best rate {max(best, key=lambda k: sum(best[k])):g}")
'''
