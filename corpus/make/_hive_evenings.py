"""Programs that try much: trials of a sweep in worker processes, folds told in Spanish as CSV, a course in stages, and a forger against an expert; with places for what a case does."""

TRIALS = '''import argparse
import itertools
import math
import multiprocessing as mp
import os
import random
import sys
import time
import traceback

ap = argparse.ArgumentParser()
ap.add_argument("--workers", type=int, default=2)
ap.add_argument("--steps", type=int, default=60)
ap.add_argument("--limit", type=int, default=99)
ap.add_argument("--strict", action="store_true")
opt = ap.parse_args()
#: early


def series(n, seed):
    r = random.Random(seed)
    x = [math.sin(0.3 * k) + 0.05 * r.gauss(0, 1) for k in range(n)]
    return [(x[k : k + 4], x[k + 4]) for k in range(n - 4)]


def trial(job):
    number, (lr, decay, lag) = job
    rows = series(300, 1)
    w, b = [0.0] * lag, 0.0
    for step in range(1, opt.steps + 1):
        se = 0.0
        for past, now in rows:
            #: mid
            e = sum(p * q for p, q in zip(w, past[-lag:])) + b - now
            se += e * e
            for k in range(lag):
                w[k] -= lr * (e * past[-lag:][k] + decay * w[k])
            b -= lr * e
        mse = se / len(rows)
        #: step
        if step % 15 == 0:
            print(f"  <trial {number:02d}> step {step:3d}  mse {mse:.5f}", flush=True)
    time.sleep(0.2)
    return number, mse


if __name__ == "__main__":
    grid = list(itertools.product((0.003, 0.02), (0.0, 0.001), (2, 4)))[: opt.limit]
    print(f"{len(grid)} trials, {opt.workers} workers, {opt.steps} steps each", flush=True)
    #: ready
    found, lost = {}, []
    with mp.Pool(opt.workers, maxtasksperchild=2) as pool:
        waiting = [(n, g, pool.apply_async(trial, ((n, g),))) for n, g in enumerate(grid, 1)]
        for n, g, job in waiting:
            try:
                _, found[n] = job.get()
                print(f"trial {n:02d} lr={g[0]} decay={g[1]} lag={g[2]} -> mse {found[n]:.5f}  ({len(found)}/{len(grid)} done)", flush=True)
            except Exception:
                if opt.strict:
                    raise
                lost.append(n)
                print(f"trial {n:02d} gave up:", flush=True)
                traceback.print_exc()
    best = min(found, key=found.get)
    #: late
    print(f"sweep finished: best is trial {best:02d} with mse {found[best]:.5f}; left out: {lost or 'none'}")
'''

PLIEGUES = '''# regresión logística con validación cruzada; lo que pasa se cuenta en CSV
import csv, os, sys, time
import numpy as np

pliegues = int(os.environ.get("PLIEGUES", "4"))
vueltas = int(os.environ.get("VUELTAS", "12"))
paso = float(os.environ.get("PASO", "0.3"))
azar = np.random.default_rng(17)
X = azar.normal(size=(600, 10))
y = (X @ azar.normal(size=10) + azar.normal(0, 0.8, 600) > 0).astype(float)
#: datos
salida = csv.writer(sys.stdout, delimiter=";", lineterminator="\\n")
print(f"# {len(X)} muestras, {pliegues} pliegues, {vueltas} vueltas por pliegue")
salida.writerow(["pliegue", "vuelta", "pérdida", "pérdida_val", "acierto"])
partes = np.array_split(azar.permutation(len(X)), pliegues)
aciertos = []
for p, fuera in enumerate(partes, 1):
    dentro = np.setdiff1d(np.arange(len(X)), fuera)
    w, b = np.zeros(10), 0.0
    #: pliegue
    for v in range(1, vueltas + 1):
        prob = 1 / (1 + np.exp(-(X[dentro] @ w + b)))
        perdida = -np.mean(y[dentro] * np.log(prob + 1e-12) + (1 - y[dentro]) * np.log(1 - prob + 1e-12))
        g = prob - y[dentro]
        #: paso
        w -= paso * X[dentro].T @ g / len(dentro)
        b -= paso * g.mean()
        pv = 1 / (1 + np.exp(-(X[fuera] @ w + b)))
        val = -np.mean(y[fuera] * np.log(pv + 1e-12) + (1 - y[fuera]) * np.log(1 - pv + 1e-12))
        acierto = float(((pv > 0.5) == y[fuera]).mean())
        salida.writerow([p, v, f"{perdida:.5f}", f"{val:.5f}", f"{acierto:.3f}"])
        sys.stdout.flush()
        #: vuelta
        time.sleep(0.03)
    aciertos.append(acierto)
    print(f"# pliegue {p} terminado, acierto {acierto:.1%}")
#: fin
print(f"# listo: acierto medio {np.mean(aciertos):.1%}")
'''

COURSE = '''#!/usr/bin/env python3
"""adding numbers bit by bit with a small network; the course has stages, each with longer numbers"""
import os
import sys
import time

import numpy as np

STAGES = [int(s) for s in (sys.argv[1] if len(sys.argv) > 1 else "2,3,4").split(",")]
UPDATES = int(os.environ.get("UPDATES", "400"))
RATE = float(os.environ.get("RATE", "0.02"))
rng = np.random.default_rng(3)
#: early
H, BITS = 40, max(STAGES)
W1, b1 = rng.normal(0, 0.4, (2 * BITS, H)), np.zeros(H)
W2, b2 = rng.normal(0, 0.2, (H, BITS + 1)), np.zeros(BITS + 1)
P = [W1, b1, W2, b2]
M, S = [np.zeros_like(p) for p in P], [np.zeros_like(p) for p in P]


def problems(n, bits):
    a, b = rng.integers(0, 2**bits, n), rng.integers(0, 2**bits, n)
    x = np.stack([(v >> k) & 1 for v in (a, b) for k in range(BITS)], 1) * 2.0 - 1
    return x, np.stack([((a + b) >> k) & 1 for k in range(BITS + 1)], 1).astype(float)


n = 0
for stage, bits in enumerate(STAGES, 1):
    print(f"--- stage {stage} of {len(STAGES)}: numbers of {bits} bits ---", flush=True)
    #: stage
    for u in range(1, UPDATES + 1):
        n += 1
        x, t = problems(64, bits)
        h = np.tanh(x @ W1 + b1)
        p = 1 / (1 + np.exp(-(h @ W2 + b2)))
        loss = -np.mean(t * np.log(p + 1e-9) + (1 - t) * np.log(1 - p + 1e-9))
        #: loss
        d = (p - t) / len(x)
        dh = d @ W2.T * (1 - h * h)
        rate = RATE
        #: rate
        for k, g in enumerate((x.T @ dh, dh.sum(0), h.T @ d, d.sum(0))):
            M[k] = 0.9 * M[k] + 0.1 * g
            S[k] = 0.99 * S[k] + 0.01 * g * g
            P[k] -= rate * M[k] / (np.sqrt(S[k]) + 1e-7)
        if u % (UPDATES // 8) == 0:
            print(f"update {n:5d} | stage {stage} | bce {loss:.4f} | exact {np.mean(((p > 0.5) == t).all(1)):.2f} | rate {rate:.4f}", flush=True)
        #: after
        time.sleep(0.001)
#: late
np.savez("adder.npz", *P)
print(f"course completed after {n} updates, adder.npz written")
'''

FORGER = '''import logging, sys, time, os
import torch
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(relativeCreated)6d %(message)s", stream=sys.stdout)
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 300
torch.manual_seed(20)
#: early
G = nn.Sequential(nn.Linear(4, 24), nn.LeakyReLU(0.1), nn.Linear(24, 1))
D = nn.Sequential(nn.Linear(1, 24), nn.LeakyReLU(0.1), nn.Linear(24, 1))
g_opt, d_opt = torch.optim.Adam(G.parameters(), 2e-3, (0.5, 0.9)), torch.optim.Adam(D.parameters(), 2e-3, (0.5, 0.9))
bce = nn.functional.binary_cross_entropy_with_logits
logging.info("forger %d weights, expert %d weights", sum(p.numel() for p in G.parameters()), sum(p.numel() for p in D.parameters()))
#: ready
for r in range(1, ROUNDS + 1):
    real = 3 + 0.5 * torch.randn(64, 1)
    fake = G(torch.randn(64, 4))
    d_loss = bce(D(real), torch.ones(64, 1)) + bce(D(fake.detach()), torch.zeros(64, 1))
    d_opt.zero_grad(); d_loss.backward(); d_opt.step()
    g_loss = bce(D(fake), torch.ones(64, 1))
    #: mid
    g_opt.zero_grad(); g_loss.backward(); g_opt.step()
    if r % 20 == 0:
        logging.info("round %d/%d d_loss %.3f g_loss %.3f mean of fakes %.2f (wanted 3.00)", r, ROUNDS, d_loss.item(), g_loss.item(), fake.mean().item())
    #: after
#: late
logging.info("exhibition opens, mean %.2f", G(torch.randn(500, 4)).mean().item())
'''
