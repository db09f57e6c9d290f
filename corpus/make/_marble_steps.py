"""A tagger in plain Python (Polish, coloured), and a shell script's three steps: molecules made ready, fitted, sent on."""

TAGGER = '''#!/usr/bin/env python3
"""Uśredniony perceptron: części mowy. Bez zależności."""
import collections
import json
import os
import pickle
import random
import sys
import time

OPC = {"epoki": 12, "zdania": 400, "katalog": "tagger", "wznow": None, "co_ile": 3, "kwant": 0.0, "nasiono": 5, "krok": 1.0}
for slowo in sys.argv[1:]:
    klucz, _, wartosc = slowo.partition(":")
    OPC[klucz] = type(OPC[klucz])(wartosc) if OPC[klucz] is not None else wartosc
random.seed(OPC["nasiono"])
os.makedirs(OPC["katalog"], exist_ok=True)


def powiedz(kolor, *co):
    print(f"\\x1b[{kolor}m[{time.strftime('%H:%M:%S')}]\\x1b[0m", *co, flush=True)


powiedz(36, "ustawienia", json.dumps(OPC, ensure_ascii=False))
#: early
SLOWNIK = {"N": "kot dom las rzeka okno góra pies miasto".split(), "V": "widzi niesie czyta pisze goni ma".split(), "A": "duży stary zielony cichy nowy".split(), "P": "w na pod za przez".split(), "C": "i ale oraz lub".split()}
WZORY = ["A N V A N", "N V P N", "N C N V N", "A N V P A N", "N V N C V N"]


def zdania(n):
    out = []
    for _ in range(n):
        z = []
        for t in random.choice(WZORY).split():
            s = random.choice(SLOWNIK[t])
            z.append((s if random.random() > 0.2 else random.choice(SLOWNIK[random.choice("NVA")]), t))
        out.append(z)
    return out


dane, proba = zdania(OPC["zdania"]), zdania(120)
#: dane
wagi = collections.defaultdict(lambda: dict.fromkeys(SLOWNIK, 0.0))
pierwsza = 1
if OPC["wznow"]:
    #: wznow
    with open(OPC["wznow"], encoding="utf-8") as f:
        stan = json.load(f)
    wagi.update(stan["wagi"])
    pierwsza = stan["epoka"] + 1
    powiedz(32, "wznowiono", OPC["wznow"], "po epoce", stan["epoka"])


def cechy(z, i, poprz):
    return ["s=" + z[i][0], "k=" + z[i][0][-2:], "p=" + poprz, "l=" + (z[i - 1][0] if i else "^"), "n=" + (z[i + 1][0] if i + 1 < len(z) else "$"), "b"]


def oceny(c):
    return {t: sum(wagi[k][t] for k in c if k in wagi) for t in SLOWNIK}


def sprawdz(zb):
    dobrze = razem = 0
    for z in zb:
        p = "^"
        for i, (_, t) in enumerate(z):
            o = oceny(cechy(z, i, p))
            p = max(sorted(o), key=o.get)
            dobrze, razem = dobrze + (p == t), razem + 1
    return dobrze / razem


for epoka in range(pierwsza, OPC["epoki"] + 1):
    t0, bledy, razem = time.time(), 0, 0
    random.shuffle(dane)
    for nr, z in enumerate(dane):
        p = "^"
        for i, (_, t) in enumerate(z):
            c = cechy(z, i, p)
            o = oceny(c)
            zgad = max(sorted(o), key=o.get)
            #: slowo
            if zgad != t:
                bledy += 1
                for k in c:
                    wagi[k][t] += OPC["krok"]
                    wagi[k][zgad] -= OPC["krok"]
            p, razem = t, razem + 1
        #: zdanie
        time.sleep(OPC["kwant"])
    powiedz(33, f"epoka {epoka}/{OPC['epoki']}: błąd uczenia {bledy / razem:.4f}, dokładność na próbie {sprawdz(proba):.4f}, cech {len(wagi)}, {time.time() - t0:.2f} s")
    #: epoka
    if epoka % OPC["co_ile"] == 0:
        with open(f"{OPC['katalog']}/stan-{epoka}.json", "w", encoding="utf-8") as f:
            json.dump({"wagi": wagi, "epoka": epoka}, f, ensure_ascii=False)
        powiedz(35, f"zapisano {OPC['katalog']}/stan-{epoka}.json")
#: koniec
powiedz(32, f"koniec po {OPC['epoki']} epokach")
'''

JOB = '''#!/bin/bash
#: flags
cd "$(dirname "$0")"
say() { echo "=== $(date +%T) $*"; }
say "job on $(nproc) cores, TAG=${TAG:-none}, steps: ${STEPS:-prepare fit send}"
mkdir -p scratch results
#: before
for step in ${STEPS:-prepare fit send}; do
    say "begin $step"
    case $step in
        prepare) $PY prepare.py --out scratch/molecules.csv ${PREPARE_ARGS:-} ;;
        fit) $PY fit.py --table scratch/molecules.csv ${FIT_ARGS:-} ;;
        send) bash send.sh ;;
    esac
    say "end $step (status $?)"
done
#: after
say "all done"
'''

PREPARE = '''import argparse, csv, random
p = argparse.ArgumentParser(); p.add_argument("--out"); p.add_argument("--n", type=int, default=500)
a = p.parse_args()
random.seed(1)
with open(a.out, "w", newline="") as f:
    w = csv.writer(f)
    w.writerow(["name", "heavy_atoms", "rings", "donors", "acceptors", "charge", "logS"])
    for k in range(a.n):
        h, r, d, c, q = random.randint(6, 40), random.randint(0, 5), random.randint(0, 6), random.randint(0, 9), random.choice([-1, 0, 0, 0, 1])
        w.writerow([f"MOL{k:05d}", h, r, d, c, q, round(0.6 - 0.09 * h - 0.4 * r + 0.35 * d + 0.2 * c + abs(q) + random.gauss(0, 0.3), 3)])
#: table
print(f"{a.n} molecules -> {a.out}")
'''

FIT = '''import argparse, csv, math, os, sys, time
import torch

p = argparse.ArgumentParser()
p.add_argument("--table", required=True)
p.add_argument("--iters", type=int, default=600)
p.add_argument("--print-freq", type=int, default=30)
p.add_argument("--width", type=int, default=32)
p.add_argument("--lr", type=float, default=0.01)
p.add_argument("--resume", default="")
p.add_argument("--save-freq", type=int, default=200)
p.add_argument("--nap", type=float, default=0.0)
a = p.parse_args()
torch.manual_seed(17)
rows = list(csv.DictReader(open(a.table)))
T = torch.tensor([[float(r[k]) for k in ("heavy_atoms", "rings", "donors", "acceptors", "charge", "logS")] for r in rows])
#: table
X, y = (T[:, :5] - T[:, :5].mean(0)) / (T[:, :5].std(0) + 1e-6), T[:, 5]
cut = int(0.85 * len(X))
net = torch.nn.Sequential(torch.nn.Linear(5, a.width), torch.nn.Tanh(), torch.nn.Linear(a.width, 1))
opt = torch.optim.SGD(net.parameters(), lr=a.lr, momentum=0.9)
it = 0
if a.resume:
    #: resume
    c = torch.load(a.resume)
    net.load_state_dict(c["state_dict"]); opt.load_state_dict(c["optimizer"]); it = c["iter"]
    print(f"=> loaded checkpoint '{a.resume}' (iter {it})")
#: ready
t0, ema = time.time(), None
while it < a.iters:
    it += 1
    i = torch.randint(0, cut, (32,))
    #: batch
    loss = torch.nn.functional.mse_loss(net(X[i])[:, 0], y[i])
    #: loss
    opt.zero_grad(); loss.backward(); opt.step()
    ema = loss.item() if ema is None else 0.95 * ema + 0.05 * loss.item()
    if it % a.print_freq == 0:
        with torch.no_grad(): v = torch.nn.functional.mse_loss(net(X[cut:])[:, 0], y[cut:]).sqrt().item()
        print(f"Iter: [{it}/{a.iters}]\\tTime {time.time() - t0:.3f}\\tLoss {loss.item():.4f} ({ema:.4f})\\tRMSE {v:.4f}", flush=True)
    #: step
    if it % a.save_freq == 0:
        torch.save({"state_dict": net.state_dict(), "optimizer": opt.state_dict(), "iter": it}, f"results/fit_{it}.pth.tar")
    time.sleep(a.nap)
#: end
torch.save(net.state_dict(), "results/final.pth")
print("fit finished, results/final.pth")
'''

SEND = '''set -e
n=0
until [ $n -ge 3 ]; do
    n=$((n + 1))
    cp results/final.pth outbox/ && break
    echo "copy failed (try $n of 3)" >&2
    sleep 1
    mkdir -p outbox
done
ls -l outbox | tail -n +2 | wc -l
test -e outbox/final.pth
'''
