"""Programs over NumPy alone: bars behind hidden units in a drawn table, dishes recommended in JSON lines, couplings of magnets told in French, microphones unmixed with key=value; with places for what a case does."""

BARS = '''"""rbm_bars.py: restricted Boltzmann machine, contrastive divergence, bars and stripes"""
import configparser
import os
import sys
import time

import numpy as np

cp = configparser.ConfigParser()
cp.read_string("[rbm]\\nsize = 5\\nhidden = 16\\nepochs = 20\\nlr = 0.1\\nk = 1\\nimages = 640\\nbatch = 20\\nseed = 3\\nsave_each = 0\\nload = \\nfile = rbm.npz\\nnap = 0.0\\n")
cp.read(sys.argv[1:])
C = cp["rbm"]
rng = np.random.default_rng(C.getint("seed"))
S, H, B = C.getint("size"), C.getint("hidden"), C.getint("batch")
#: early
lines = (rng.random((C.getint("images"), S)) < 0.35).astype(float)
V = np.where(rng.random(len(lines))[:, None, None] < 0.5, lines[:, None, :], lines[:, :, None]) * np.ones((1, S, S))
V = V.reshape(len(lines), S * S)
#: data
W, b, c, e0 = rng.normal(0, 0.05, (S * S, H)), np.zeros(S * S), np.zeros(H), 0


def sig(x):
    return 1 / (1 + np.exp(-x))


if C["load"]:
    #: restore
    with np.load(C["load"]) as z:
        if z["W"].shape != W.shape:
            raise ValueError(f"{C['load']}: W is {z['W'].shape}, configured {W.shape}")
        W, b, c, e0 = z["W"], z["b"], z["c"], int(z["epoch"])
    print(f"│ {C['load']} restored, next epoch {e0 + 1}", flush=True)
print(f"│ {len(V)} images of {S}x{S}, {H} hidden, numpy {np.__version__}")
print("┌───────┬──────────┬──────────┬─────────┐\\n│ epoch │  recon   │ free en. │ seconds │\\n├───────┼──────────┼──────────┼─────────┤", flush=True)
lr = C.getfloat("lr")
#: ready
for epoch in range(e0 + 1, C.getint("epochs") + 1):
    tic, err = time.perf_counter(), []
    order = rng.permutation(len(V))
    for at in range(0, len(V), B):
        v0 = V[order[at : at + B]]
        #: mid
        h0 = sig(v0 @ W + c)
        v1, h1 = v0, h0
        for _ in range(C.getint("k")):
            v1 = sig((rng.random(h1.shape) < h1) @ W.T + b)
            h1 = sig(v1 @ W + c)
        #: grads
        W += lr * (v0.T @ h0 - v1.T @ h1) / B
        b += lr * (v0 - v1).mean(0)
        c += lr * (h0 - h1).mean(0)
        err.append(float(((v0 - v1) ** 2).mean()))
    recon = float(np.mean(err))
    free = float((-V[:200] @ b - np.logaddexp(0, V[:200] @ W + c).sum(1)).mean())
    #: loss
    print(f"│ {epoch:5d} │ {recon:8.5f} │ {free:8.3f} │ {time.perf_counter() - tic:7.3f} │", flush=True)
    #: after
    if C.getint("save_each") and epoch % C.getint("save_each") == 0:
        #: save
        np.savez(C["file"], W=W, b=b, c=c, epoch=epoch)
        print(f"│       ╰ {C['file']}", flush=True)
    time.sleep(C.getfloat("nap"))
print("└───────┴──────────┴──────────┴─────────┘", flush=True)
#: late
print("│ fertig / done", flush=True)
'''

DISHES = '''#!/usr/bin/env python3
# Bayesian personalised ranking of dishes for guests; one JSON object per line, for jq
import json, os, sys, time
import numpy as np

P = dict(passes=16, guests=60, dishes=90, dim=8, lr=0.15, reg=0.002, picks=800, seed=11, resume=None, out="bpr", snap=0, wait=0.0, warm=None)
P.update(json.loads(sys.argv[1]) if len(sys.argv) > 1 else {})
T = time.time()


def say(what, **kw):
    sys.stdout.write(json.dumps({"what": what, "t": round(time.time() - T, 3), **kw}) + "\\n")
    sys.stdout.flush()


say("params", **P)
rng = np.random.default_rng(P["seed"])
#: early
taste = rng.normal(size=(P["guests"], 4)) @ rng.normal(size=(4, P["dishes"]))
liked = [np.argsort(-taste[g])[:12] for g in range(P["guests"])]
#: data
G, D = rng.normal(0, 0.1, (P["guests"], P["dim"])), rng.normal(0, 0.1, (P["dishes"], P["dim"]))
begin = 0
if P["warm"]:
    with np.load(P["warm"]) as z:
        D = z["D"].copy()
    say("warm_start", of=P["warm"], tensors=["D"], note="guests are new ones")
if P["resume"]:
    #: restore
    with np.load(P["resume"]) as z:
        G[:], D[:], begin = z["G"], z["D"], int(z["n"])
    say("resumed", of=P["resume"], after=begin)
#: ready
for n in range(begin + 1, P["passes"] + 1):
    total = gsq = 0.0
    for i in range(P["picks"]):
        #: mid
        g = rng.integers(P["guests"])
        a, z = rng.choice(liked[g]), rng.integers(P["dishes"])
        u, diff = G[g].copy(), D[a] - D[z]
        x = float(u @ diff)
        s = 1 / (1 + np.exp(x))
        total += np.log1p(np.exp(-x))
        #: pick
        G[g] += P["lr"] * (s * diff - P["reg"] * u)
        D[a] += P["lr"] * (s * u - P["reg"] * D[a])
        D[z] -= P["lr"] * (s * u + P["reg"] * D[z])
        gsq += s * s
    top = np.argsort(-(G @ D.T), axis=1)[:, :10]
    hit = float(np.mean([np.isin(top[g], liked[g]).mean() for g in range(P["guests"])]))
    bpr = total / P["picks"]
    #: loss
    say("pass", n=n, of=P["passes"], bpr=round(float(bpr), 5), hit_at_10=round(hit, 3), push=round(float(np.sqrt(gsq / P["picks"])), 4), lr=P["lr"])
    #: after
    if P["snap"] and n % P["snap"] == 0:
        os.makedirs(P["out"], exist_ok=True)
        path, tic = f"{P['out']}/pass{n}.npz", time.time()
        #: save
        np.savez(path, G=G, D=D, n=n)
        say("snapshot", path=path, ms=round(1000 * (time.time() - tic)))
    time.sleep(P["wait"])
#: late
say("over", passes=P["passes"])
'''

AIMANTS = '''# -*- coding: utf-8 -*-
# aimants.py : couplages d'un verre de spins par pseudo-vraisemblance
import os, sys, time
import numpy as np

LIEUX = int(os.getenv("LIEUX", "14"))
TOURS = int(os.getenv("TOURS", "60"))
PAS = float(os.getenv("PAS", "0.12"))
MESURES = int(os.getenv("MESURES", "900"))
REPRISE = os.getenv("REPRISE", "")
GARDE = int(os.getenv("GARDE", "0"))
SIESTE = float(os.getenv("SIESTE", "0.01"))
FICHIER = os.getenv("FICHIER", "couplages.npy")
dire = lambda *mots: print(*mots, file=sys.stderr, flush=True)
alea = np.random.default_rng(1925)
#: debut
vrai = np.triu(alea.normal(0, 0.35, (LIEUX, LIEUX)), 1)
vrai += vrai.T
s = alea.choice([-1.0, 1.0], (MESURES, LIEUX))
for _ in range(25):
    for i in range(LIEUX):
        s[:, i] = np.where(alea.random(MESURES) < 1 / (1 + np.exp(-2 * s @ vrai[i])), 1.0, -1.0)
#: mesures
J, fait = np.zeros((LIEUX, LIEUX)), 0
if REPRISE:
    #: reprise
    garde = np.load(REPRISE, allow_pickle=True).item()
    if garde["J"].shape != J.shape:
        raise ValueError(f"couplages de forme {garde['J'].shape} dans {REPRISE}, il en faut {J.shape}")
    J, fait = garde["J"], garde["tour"]
    dire(f"Repris de {REPRISE} : {fait} tours sont derrière nous.")
dire(f"{MESURES} mesures de {LIEUX} spins, {TOURS} tours, pas de {PAS:g}.")
#: pret
for tour in range(fait + 1, TOURS + 1):
    #: milieu
    champ = s @ J
    perte = float(np.log1p(np.exp(-2 * s * champ)).mean())
    grad = -2 * (s / (1 + np.exp(2 * s * champ))).T @ s / MESURES
    #: perte
    grad = grad + grad.T
    np.fill_diagonal(grad, 0)
    J -= PAS * grad / 2
    if tour % 4 == 0 or tour == fait + 1:
        dire(f"Au tour {tour} sur {TOURS}, la pseudo-vraisemblance négative vaut {perte:.5f} ; le gradient, {np.linalg.norm(grad):.4f} ; le plus fort couplage, {np.abs(J).max():.2f}.")
    #: apres
    if GARDE and tour % GARDE == 0:
        #: garde
        np.save(FICHIER, {"J": J, "tour": tour})
        dire(f"Couplages du tour {tour} gardés dans {FICHIER}.")
    time.sleep(SIESTE)
#: fin
dire(f"Terminé ; écart aux vrais couplages : {np.abs(J - vrai).mean():.3f}.")
'''

MICS = '''import getopt, os, sys, time
import numpy as np

opts = dict(getopt.gnu_getopt(sys.argv[1:], "", ["iters=", "mu=", "speakers=", "seconds=", "from=", "dump=", "every=", "idle=", "rate="])[0])
ITERS = int(opts.get("--iters", 240))
MU = float(opts.get("--mu", 0.05))
K = int(opts.get("--speakers", 3))
EVERY = int(opts.get("--every", 12))
DUMP = int(opts.get("--dump", 0))
IDLE = float(opts.get("--idle", 0.005))
FS = int(opts.get("--rate", 400))
rng = np.random.default_rng(44)
#: early
t = np.arange(int(FS * float(opts.get("--seconds", 5)))) / FS
voices = rng.laplace(size=(K, len(t))) * (1 + np.sin(2 * np.pi * rng.uniform(0.2, 2, (K, 1)) * t))
mixed = rng.normal(size=(K, K)) @ voices
#: data
mixed = mixed - mixed.mean(1, keepdims=True)
d, E = np.linalg.eigh(np.cov(mixed))
X = E @ np.diag(d**-0.5) @ E.T @ mixed
U, it0 = np.linalg.qr(rng.normal(size=(K, K)))[0], 0
if "--from" in opts:
    #: restore
    rows = np.loadtxt(opts["--from"])
    it0, U = int(rows[0, 0]), rows[1:].copy()
    print(f"event=take_over file={opts['--from']} iter={it0}", flush=True)
print(f"event=start speakers={K} samples={len(t)} iters={ITERS} mu={MU}", flush=True)
#: ready
for it in range(it0 + 1, ITERS + 1):
    #: mid
    i = rng.integers(0, len(t), 256)
    Y = U @ X[:, i]
    nll = float(np.log(np.cosh(Y)).sum(0).mean() - np.linalg.slogdet(U)[1])
    G = U - (np.tanh(Y) @ Y.T / len(i)) @ U
    #: loss
    U = U + MU * G
    if it % EVERY == 0 or it == it0 + 1:
        full = U @ X
        nll = float(np.log(np.cosh(full)).sum(0).mean() - np.linalg.slogdet(U)[1])
        print(f"iter={it} of={ITERS} nll={nll:.5f} step_norm={np.linalg.norm(MU * G):.5f} mu={MU:g}", flush=True)
    #: after
    if DUMP and it % DUMP == 0:
        #: save
        np.savetxt("unmix.txt", np.vstack([np.full((1, K), it), U]))
        print(f"event=dumped file=unmix.txt iter={it}", flush=True)
    time.sleep(IDLE)
#: late
print(f"event=stop iters={ITERS}", flush=True)
'''
