"""Programs over NumPy alone: a recurrent net over bird songs, digits with a bar of its own, word vectors told in French, a walker bred by generations; with places for what a case does."""

SONGS = '''"""
Minimal character-level Vanilla RNN over transcribed bird songs.
"""
import sys, os, time
import numpy as np
#: top
seed = 1
argv = dict(x.lstrip("-").split("=", 1) for x in sys.argv[1:])
hidden_size = int(argv.get("hidden", 24))
seq_length = 12
learning_rate = float(argv.get("lr", 8e-2))
n_iter = int(argv.get("iters", 2000))
show = int(argv.get("show", 100))
np.random.seed(seed)
#: early
data = ("tsip tsip churr. " * 3 + "fee-bee fee-bee. " * 2 + "tsip kee-kee churr. ") * 30
#: data
chars = sorted(set(data))
data_size, vocab_size = len(data), len(chars)
print("data has %d characters, %d unique." % (data_size, vocab_size))
ix = {c: i for i, c in enumerate(chars)}
Wxh = np.random.randn(hidden_size, vocab_size) * 0.05
Whh = np.random.randn(hidden_size, hidden_size) * 0.05
Why = np.random.randn(vocab_size, hidden_size) * 0.05
bh, by = np.zeros((hidden_size, 1)), np.zeros((vocab_size, 1))
start = 0
if "init_from" in argv:
    #: restore
    z = np.load(argv["init_from"])
    Wxh, Whh, Why, bh, by = (z[k] for k in ("Wxh", "Whh", "Why", "bh", "by"))
    start = int(z["it"])
    print("parameters from %s, they have seen %d iterations" % (argv["init_from"], start))
#: ready


def loss_fun(inputs, targets, hprev):
    xs, hs, ps = {}, {-1: hprev}, {}
    loss = 0
    for t in range(len(inputs)):
        xs[t] = np.zeros((vocab_size, 1))
        xs[t][inputs[t]] = 1
        hs[t] = np.tanh(Wxh @ xs[t] + Whh @ hs[t - 1] + bh)
        y = Why @ hs[t] + by
        ps[t] = np.exp(y) / np.sum(np.exp(y))
        loss += -np.log(ps[t][targets[t], 0])
    dWxh, dWhh, dWhy = np.zeros_like(Wxh), np.zeros_like(Whh), np.zeros_like(Why)
    dbh, dby, dhnext = np.zeros_like(bh), np.zeros_like(by), np.zeros_like(hs[0])
    for t in reversed(range(len(inputs))):
        dy = ps[t].copy()
        dy[targets[t]] -= 1
        dWhy += dy @ hs[t].T
        dby += dy
        draw = (1 - hs[t] ** 2) * (Why.T @ dy + dhnext)
        dbh += draw
        dWxh += draw @ xs[t].T
        dWhh += draw @ hs[t - 1].T
        dhnext = Whh.T @ draw
    #: grads
    for d in (dWxh, dWhh, dWhy, dbh, dby):
        np.clip(d, -5, 5, out=d)
    return loss, (dWxh, dWhh, dWhy, dbh, dby), hs[len(inputs) - 1]


n, p = start, 0
mem = [np.zeros_like(w) for w in (Wxh, Whh, Why, bh, by)]
smooth_loss = None
hprev = np.zeros((hidden_size, 1))
while n <= n_iter:
    if p + seq_length + 1 >= len(data):
        hprev, p = np.zeros((hidden_size, 1)), 0
    inputs, targets = [ix[c] for c in data[p : p + seq_length]], [ix[c] for c in data[p + 1 : p + seq_length + 1]]
    #: mid
    loss, grads, hprev = loss_fun(inputs, targets, hprev)
    #: loss
    smooth_loss = loss if smooth_loss is None else smooth_loss * 0.98 + loss * 0.02
    if n % show == 0:
        print("iter %d, loss: %f" % (n, smooth_loss), flush=True)
    #: shown
    for w, g, m in zip((Wxh, Whh, Why, bh, by), grads, mem):
        m += g * g
        w += -learning_rate * g / np.sqrt(m + 1e-8)
    p += seq_length
    n += 1
    if "save" in argv and n % 500 == 0:
        #: save
        np.savez(argv["save"], Wxh=Wxh, Whh=Whh, Why=Why, bh=bh, by=by, it=n)
        print("  -> %s at iteration %d" % (argv["save"], n))
#: late
print("that's all, folks (%d iterations)" % (n - start))
'''

DIGITS = '''#!/usr/bin/env python
import os
import sys
import time
import json
import numpy as np

EPOCHS = 8
BATCH = 25
LR = 0.08
DECAY = 0.95
STORE = "runs/digits"
RESUME = ""
N = 1000
WIDTH = 48
NAP = 0.004
for word in sys.argv[1:]:
    key, _, value = word.partition("=")
    assert key in globals(), f"unknown setting {key!r}"
    globals()[key] = type(globals()[key])(value)
#: early


def bar(done, total, text):
    full = 24 * done // total
    sys.stderr.write("\\r[" + "=" * full + ">" * (full < 24) + "." * (23 - full) + f"] {done}/{total} {text}")
    sys.stderr.flush()


class Dense:
    def __init__(self, n_in, n_out, rng):
        self.W = rng.normal(0, np.sqrt(2 / n_in), (n_in, n_out))
        self.b = np.zeros(n_out)

    def __call__(self, x):
        self.x = x
        return x @ self.W + self.b

    def back(self, g, lr):
        up = g @ self.W.T
        self.W -= lr * self.x.T @ g
        self.b -= lr * g.sum(0)
        return up


rng = np.random.default_rng(12)
proto = rng.normal(0, 1, (10, 64))
Y = rng.integers(0, 10, N + 300)
X = proto[Y] + rng.normal(0, 1.9, (N + 300, 64))
#: data
Xt, Yt, Xv, Yv = X[:N], Y[:N], X[N:], Y[N:]
net = [Dense(64, WIDTH, rng), Dense(WIDTH, 10, rng)]
first, lr = 0, LR
if RESUME:
    #: restore
    with np.load(RESUME) as z:
        net[0].W[...], net[0].b[...], net[1].W[...], net[1].b[...] = z["W0"], z["b0"], z["W1"], z["b1"]
        first, lr = int(z["epoch"]), float(z["lr"])
    print(f"resumed from {RESUME}: {first} epochs done, lr {lr:.4f}", flush=True)
print(f"train {Xt.shape}, valid {Xv.shape}, {sum(l.W.size + l.b.size for l in net)} parameters", flush=True)
#: ready


def softmax(z):
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


for epoch in range(first, EPOCHS):
    order, tot = rng.permutation(len(Xt)), 0.0
    steps = len(Xt) // BATCH
    for s in range(steps):
        i = order[s * BATCH : (s + 1) * BATCH]
        x, y = Xt[i], Yt[i]
        #: mid
        h = np.maximum(net[0](x), 0)
        p = softmax(net[1](h))
        loss = -np.log(p[np.arange(len(y)), y] + 1e-12).mean()
        #: loss
        g = p.copy()
        g[np.arange(len(y)), y] -= 1
        g = net[1].back(g / len(y), lr)
        net[0].back(g * (h > 0), lr)
        tot += loss
        bar(s + 1, steps, f"loss {tot / (s + 1):.4f}")
        #: after
        time.sleep(NAP)
    sys.stderr.write("\\n")
    pv = softmax(net[1](np.maximum(net[0](Xv), 0)))
    vl, acc = -np.log(pv[np.arange(len(Yv)), Yv] + 1e-12).mean(), (pv.argmax(1) == Yv).mean()
    #: valid
    print(f"epoch {epoch + 1}/{EPOCHS}  loss={tot / max(1, steps):.4f}  val_loss={vl:.4f}  val_acc={acc:.2%}  lr={lr:.4g}", flush=True)
    lr *= DECAY
    #: epoch
    os.makedirs(STORE, exist_ok=True)
    np.savez(f"{STORE}/e{epoch + 1:03d}.npz", W0=net[0].W, b0=net[0].b, W1=net[1].W, b1=net[1].b, epoch=epoch + 1, lr=lr)
#: late
print("finished", flush=True)
'''

VECTEURS = '''# Vecteurs de mots (façon GloVe) pour de petites annonces.
import argparse
import logging
import os
import time

import numpy as np

p = argparse.ArgumentParser(description="vecteurs de mots")
p.add_argument("--passages", type=int, default=15)
p.add_argument("--pas", type=float, default=0.03)
p.add_argument("--dim", type=int, default=12)
p.add_argument("--mots", type=int, default=80)
p.add_argument("--reprise", help="archive d'un passage antérieur")
p.add_argument("--sortie", default="vecteurs.npz")
p.add_argument("--attente", type=float, default=0.08)
o = p.parse_args()
logging.basicConfig(level=logging.INFO, format="%(asctime)s | %(levelname)-8s | %(message)s")
dire = logging.info
alea = np.random.default_rng(31)
#: debut
vrai = alea.normal(0, 0.7, (o.mots, 6))
log_co = vrai @ vrai.T + alea.normal(0, 0.05, (o.mots, o.mots))
poids = np.minimum(1, np.exp(log_co / 2))
#: donnees
W, C = alea.normal(0, 0.1, (o.mots, o.dim)), alea.normal(0, 0.1, (o.mots, o.dim))
fait = 0
if o.reprise:
    #: reprise
    archive = np.load(o.reprise)
    W, C, fait = archive["W"], archive["C"], int(archive["passage"])
    dire("Reprise de %s après le passage %d", o.reprise, fait)
#: pret
dire("%d mots, dimension %d, %d passages", o.mots, o.dim, o.passages)
for passage in range(fait + 1, o.passages + 1):
    cout = 0.0
    for i in alea.permutation(o.mots):
        #: milieu
        e = C @ W[i] - log_co[i]
        cout += float((poids[i] * e * e).sum())
        g = poids[i] * e
        W[i], C = W[i] - o.pas * (g @ C), C - o.pas * np.outer(g, W[i])
    #: cout
    perte = cout / o.mots**2
    dire("Passage %d sur %d : perte = %s, norme = %.2f", passage, o.passages, f"{perte:.4f}".replace(".", ","), np.linalg.norm(W))
    #: tour
    if passage % 5 == 0:
        np.savez(o.sortie, W=W, C=C, passage=passage)
        dire("Vecteurs écrits dans %s", o.sortie)
    time.sleep(o.attente)
#: fin
dire("Terminé.")
'''

WALKER = '''import json, os, sys, time
import numpy as np

"""evolution strategy that lets a point walk to a lamp; one JSON object a generation"""
conf = {"generations": 60, "kids": 24, "sigma": 0.1, "alpha": 0.05, "seed": 2, "elite": None, "log_each": 2, "archive": "walker", "archive_each": 0, "nap": 0.02}
conf.update(json.loads(sys.argv[1]) if len(sys.argv) > 1 else {})
rng = np.random.default_rng(conf["seed"])


def tell(**what):
    print(json.dumps(what), flush=True)


#: early


def walk(theta):
    pos, lamp, total = np.zeros(2), np.array([3.0, -2.0]), 0.0
    A, b = theta[:4].reshape(2, 2), theta[4:6]
    for _ in range(20):
        step = np.tanh(A @ (lamp - pos) + b) * 0.5
        pos = pos + step
        total -= float(np.linalg.norm(lamp - pos))
    return total / 20


theta, born = rng.normal(0, 0.05, 6), 0
tell(event="setup", **conf)
if conf["elite"]:
    #: restore
    with open(conf["elite"]) as f:
        elite = json.load(f)
    theta, born = np.array(elite["theta"]), elite["generation"]
    tell(event="elite", path=conf["elite"], generation=born)
#: ready
for g in range(born + 1, conf["generations"] + 1):
    noise = rng.normal(0, 1, (conf["kids"], 6))
    #: mid
    score = np.array([walk(theta + conf["sigma"] * e) for e in noise])
    #: scored
    adv = (score - score.mean()) / (score.std() + 1e-8)
    theta = theta + conf["alpha"] / conf["sigma"] / conf["kids"] * noise.T @ adv
    loss = -walk(theta)
    #: loss
    if g % conf["log_each"] == 0:
        tell(event="generation", generation=g, of=conf["generations"], loss=round(loss, 5), best=round(float(score.max()), 4))
    if conf["archive_each"] and g % conf["archive_each"] == 0:
        os.makedirs(conf["archive"], exist_ok=True)
        path = f"{conf['archive']}/elite-{g}.json"
        with open(path, "w") as f:
            json.dump({"theta": theta.tolist(), "generation": g}, f)
        tell(event="archived", path=path)
    #: after
    time.sleep(conf["nap"])
#: late
tell(event="over", generations=conf["generations"])
'''
