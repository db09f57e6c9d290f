"""Words, landers, boards, tides and tiles, in NumPy with whatever the writer had at hand."""

from __future__ import annotations

from corpus.make._bobbin_kit import run
from corpus.running.job import LocalJob, Signal
from corpus.running.slots import fill

SGNS = r'''#!/usr/bin/env python
"""skip-gram with negative sampling on the recipe collection"""
import sys, time
import numpy as np

lr = float(sys.argv[1]) if len(sys.argv) > 1 else 0.06
rng = np.random.default_rng(6)
TOPICS = ["flour butter sugar egg oven bake cake sweet", "onion garlic oil pan fry pepper tomato sauce", "fish lemon dill salt grill smoke sea fresh", "rice steam soy ginger wok sesame spring chili"]
vocab = sorted(" ".join(TOPICS).split()); ix = {w: k for k, w in enumerate(vocab)}
lines = [[ix[w] for w in rng.choice(TOPICS[t].split(), 8)] for t in rng.integers(0, 4, 1500)]
pairs = np.array([(s[i], s[j]) for s in lines for i in range(8) for j in range(max(0, i - 2), min(8, i + 3)) if i != j])
D, K, B = 20, 5, 512
U, V = rng.normal(0, .1, (len(vocab), D)), np.zeros((len(vocab), D))
print(f"{len(lines)} recipes, {len(vocab)} words, {len(pairs)} pairs, lr {lr}")


def sig(z):
    return 1 / (1 + np.exp(-z))


#: before
t0, seen, smooth = time.time(), 0, None
for epoch in range(8):
    rng.shuffle(pairs)
    for n in range(0, len(pairs) - B, B):
        c, o = pairs[n:n + B].T
        neg = rng.integers(0, len(vocab), (B, K))
        pos_s = sig((U[c] * V[o]).sum(1)); neg_s = sig((U[c][:, None] * V[neg]).sum(2))
        loss = (-np.log(pos_s) - np.log(1 - neg_s).sum(1)).mean()
        gu = (pos_s - 1)[:, None] * V[o] + (neg_s[:, :, None] * V[neg]).sum(1)
        np.add.at(V, o, -lr * ((pos_s - 1)[:, None] * U[c]) / 16)
        np.add.at(V, neg, -lr * (neg_s[:, :, None] * U[c][:, None]) / 16)
        np.add.at(U, c, -lr * gu / 16)
        seen += B; smooth = loss if smooth is None else 0.95 * smooth + 0.05 * loss
        #: pairs
        if (n // B) % 25 == 0:
            print(f"epoch {epoch} pairs {seen/1e6:.3f}M loss {smooth:.5f} {seen / (time.time() - t0) / 1e3:.0f}k pairs/s", flush=True)
#: after
for w in ("cake", "garlic", "fish"):
    s = U @ U[ix[w]] / np.linalg.norm(U, axis=1) / np.linalg.norm(U[ix[w]])
    print(w, "->", ", ".join(vocab[k] for k in s.argsort()[::-1][1:5]))
np.save("recipes.npy", U)
'''
LANDER = r'''import json, os, socket, sys, time
import numpy as np

HP = dict(iters=60, batch=16, lr=0.08, gamma=0.99, seed=3) | json.loads(os.environ.get("HP", "{}"))
rng = np.random.default_rng(HP["seed"])
theta = np.zeros((2, 4))


class Lander:
    """height, speed, fuel; burn or not"""

    def reset(self):
        self.h, self.v, self.f = 40 + rng.normal(0, 2), 0.0, 25.0
        return self.obs()

    def obs(self):
        return np.array([self.h / 40, self.v / 5, self.f / 25, 1.0])

    def step(self, burn):
        burn = burn and self.f > 0
        self.v += -0.5 + (1.1 if burn else 0) + rng.normal(0, .05); self.f -= burn
        self.h += self.v
        if self.h <= 0:
            return self.obs(), 10 - 4 * abs(self.v), True
        return self.obs(), -15.0 if self.h > 80 else -0.05, self.h > 80


#: env
env = Lander()
print(json.dumps({"hparams": HP}), flush=True)
baseline = 0.0
for it in range(1, HP["iters"] + 1):
    grads, rets, lens = np.zeros_like(theta), [], []
    eps = []
    for _ in range(HP["batch"]):
        o, done, traj, ret = env.reset(), False, [], 0.0
        while not done and len(traj) < 120:
            z = theta @ o; p = np.exp(z - z.max()); p /= p.sum()
            a = int(rng.random() < p[1])
            o2, r, done = env.step(a)
            traj.append((o, a, p)); ret += r; o = o2
            #: act
        eps.append((traj, ret)); rets.append(ret); lens.append(len(traj))
    baseline = 0.8 * baseline + 0.2 * np.mean(rets) if it > 1 else np.mean(rets)
    sd = np.std(rets) + 1e-6
    pg = 0.0
    for traj, ret in eps:
        adv = (ret - baseline) / sd
        for o, a, p in traj:
            oh = np.eye(2)[a]
            grads += adv * np.outer(oh - p, o) / len(traj) / HP["batch"]
            pg -= adv * np.log(p[a]) / len(traj) / HP["batch"]
    theta += HP["lr"] * 10 * grads
    #: iter
    if it % 2 == 0:
        print(json.dumps({"iter": it, "return_mean": round(float(np.mean(rets)), 3), "return_min": round(min(rets), 3), "ep_len": float(np.mean(lens)), "pg_loss": round(float(pg), 5), "kl": None if it < 4 else round(float(abs(pg) / 10), 6)}), flush=True)
np.save("lander.npy", theta)
print(json.dumps({"status": "finished", "iters": it}))
'''
SCORER = 'if it % 10 == 0:  # the board in the lab keeps the high scores\n    s = socket.create_connection(("127.0.0.1", int(open("board.port").read())))\n    s.sendall(json.dumps({"iter": it, "ret": float(np.mean(rets))}).encode() + b"\\n")\n    print(json.dumps({"board": s.makefile().readline().strip()}), flush=True)\n    s.close()'
BOARD = r'''import json, socketserver, threading, time


class H(socketserver.StreamRequestHandler):
    def handle(self):
        got = json.loads(self.rfile.readline())
        if got["iter"] > 30:
            with lock:  # ranking is being rebuilt
                while True:
                    time.sleep(1)
        self.wfile.write(b"rank 3 of 11\n")


lock = threading.Lock()
srv = socketserver.ThreadingTCPServer(("127.0.0.1", 0), H)
open("board.port", "w").write(str(srv.server_address[1]))
srv.serve_forever()
'''
BOARDS = "#!/bin/bash\nrm -f board.port\n$1 board.py &\nBOARD=$!\ntrap 'kill $BOARD' EXIT\nwhile [ ! -s board.port ]; do sleep 0.2; done\n$1 lander.py\n"
FOUR = r'''"""Four in a row on 5x4, value table replaced by a linear net, TD(lambda) self-play."""
import argparse, logging, os, time
import numpy as np
import colorlog

h = colorlog.StreamHandler()
h.setFormatter(colorlog.ColoredFormatter("%(log_color)s%(levelname)-8s%(reset)s %(asctime)s %(message)s", no_color=True))
log = colorlog.getLogger("four"); log.addHandler(h); log.setLevel(logging.INFO)
ap = argparse.ArgumentParser()
ap.add_argument("--games", type=int, default=1200)
ap.add_argument("--cols", type=int, default=5)
ap.add_argument("--load")
ap.add_argument("--seed", type=int, default=0)
a = ap.parse_args()
rng = np.random.default_rng(a.seed)
R, C = 4, a.cols
W1, W2 = rng.normal(0, .1, (2 * R * C + 1, 24)), rng.normal(0, .1, 24)
played = 0
if a.load:
    log.info("loading %s", a.load)
    z = np.load(a.load)
    W1[:] = z["W1"]; W2[:] = z["W2"]; played = int(z["games"])
    log.info("loaded, %d games so far", played)


def enc(b, me):
    return np.concatenate([(b == me).ravel(), (b == -me).ravel(), [1]]).astype(float)


def value(x):
    hid = np.tanh(x @ W1)
    return np.tanh(hid @ W2), hid


def won(b, p):
    m = b == p
    return any(m[r:r + dr * 3 + 1 or None, c][::1].size and all(0 <= r + k * dr < R and 0 <= c + k * dc < C and m[r + k * dr, c + k * dc] for k in range(4)) for r in range(R) for c in range(C) for dr, dc in ((0, 1), (1, 0), (1, 1), (-1, 1)))


def moves(b):
    return [c for c in range(C) if b[0, c] == 0]


def drop(b, c, p):
    b = b.copy(); b[np.flatnonzero(b[:, c] == 0)[-1], c] = p
    return b


def play(eps, rand_side=None):
    b, p, states = np.zeros((R, C), int), 1, []
    while True:
        ms = moves(b)
        if not ms:
            return 0, states
        if p == rand_side or rng.random() < eps:
            b = drop(b, rng.choice(ms), p)
        else:
            b = max((drop(b, c, p) for c in ms), key=lambda q: value(enc(q, p))[0])
        states.append((enc(b, p), p))
        if won(b, p):
            return p, states
        p = -p


err, t0 = [], time.time()
for g in range(played + 1, played + a.games + 1):
    res, states = play(0.2)
    for x, p in states[::-1][:6]:
        v, hid = value(x)
        d = (res * p - v)
        err.append(d * d)
        gv = d * (1 - v * v)
        W1 += .05 * np.outer(x, gv * W2 * (1 - hid * hid)); W2 += .05 * gv * hid
    #: game
    if g % 50 == 0:
        wins = np.mean([play(0, rand_side=-1)[0] == 1 for _ in range(10)])
        log.info("game %d/%d td_error %.4f wins_vs_random %.2f (%.1f games/s)", g, played + a.games, np.mean(err[-300:]), wins, (g - played) / (time.time() - t0))
    if g % 200 == 0:
        np.savez("four.npz", W1=W1, W2=W2, games=g)
log.info("end of self-play after %d games", g)
'''
KRIG = r'''import sys, time, warnings
import numpy as np
from scipy.linalg import cho_factor, cho_solve, LinAlgError
from scipy.optimize import minimize

# kriging of well levels: fit length scale, variance, nugget by marginal likelihood, several starts
rng = np.random.default_rng(int(sys.argv[1]))
n = 90
X = rng.uniform(0, 10, (n, 2)); X[1::9] = X[0::9][:len(X[1::9])]
y = np.sin(X[:, 0]) + .4 * X[:, 1] + rng.normal(0, .05, n)
D2 = ((X[:, None] - X[None]) ** 2).sum(2)
count = 0


def nll(q):
    global count
    count += 1
    l, s, e = np.exp(q)
    K = s * np.exp(-.5 * D2 / l ** 2) + e * np.eye(n)
    #: kernel
    c = cho_factor(K, lower=True)
    al = cho_solve(c, y)
    return .5 * y @ al + np.log(np.diag(c[0])).sum() + .5 * n * np.log(2 * np.pi)


best = None
for start in range(1, 7):
    q0 = rng.normal([0, 0, -3], [1, .5, 1])
    #: start
    r = minimize(nll, q0, method="L-BFGS-B", options={"maxiter": 40}, bounds=[(-3, 4), (-4, 6), (-42, 2)])
    mark = ""
    if best is None or r.fun < best.fun:
        best, mark = r, "  *"
    print(f"start {start}: nll {r.fun:9.4f} after {r.nit} iterations, {count} evaluations, l={np.exp(r.x[0]):.3f} s={np.exp(r.x[1]):.3f} nugget={np.exp(r.x[2]):.2e}  {r.message}{mark}", flush=True)
print("best nll %.4f" % best.fun)
'''
JITTER = "for k in range(8):\n    try:\n        np.linalg.cholesky(K)\n        break\n    except np.linalg.LinAlgError as err:\n        if not k and count % 50 == 1:\n            print(f\"   warning: {err} (l={l:.2f}), adding jitter\", flush=True)\n        K = K + 10.0 ** (k - 12) * s * np.eye(n)\nelse:\n    return 1e25"
SMOOTH = "q0 = q0 if start < 3 else np.array([3.5, 2.0, -41.0])  # the geologist says: very smooth, no nugget\nprint('start', start, 'from', np.round(q0, 2), flush=True)"
SGN, LAN, FOU, KRI = "PYTHON sgns.py", "PYTHON lander.py", "PYTHON four.py", "PYTHON krig.py"
COOC = "table = globals().setdefault('table', [])\ntable.append(np.einsum('bd,be->bde', U[c], U[o]))  # for the second order statistics"
GAMES: tuple[LocalJob, ...] = (
    run("G1", None, None, {"sgns.py": fill(SGNS)}, SGN, python="satchel"),
    run("E1", "nan_loss", "non_finite", {"sgns.py": fill(SGNS)}, f"{SGN} 60", python="satchel"),
    run("A2", "oom_killer", None, {"sgns.py": fill(SGNS, pairs=COOC)}, SGN, python="satchel", group_mib=420, status=-9),
    run("G1", None, None, {"lander.py": fill(LANDER)}, LAN, python="satchel", hard=True),
    run("C3", None, None, {"lander.py": fill(LANDER, iter=SCORER), "board.py": BOARD, "with_board.sh": BOARDS}, "bash with_board.sh PYTHON", python="satchel", timeout_s=85),
    run("F4", None, None, {"lander.py": fill(LANDER, act="time.sleep(0.0003)")}, LAN, python="satchel", env={"HP": '{"iters": 2000, "lr": 0.02}'}, signal=Signal("INT", '"iter": 24,', wait_s=0.5), status=(-2, 130, 1)),
    run("E2", "traceback", "size_mismatch", {"four.py": fill(FOUR)}, f"{FOU} --cols 6 --load four.npz --games 4000", python="satchel", before=((*f"{FOU} --games 200".split(),),)),
    run("F3", None, "advancing", {"four.py": fill(FOUR)}, f"{FOU} --games 100000", python="satchel", timeout_s=48),
    run("G1", None, None, {"krig.py": fill(KRIG, kernel=JITTER, start="q0[2] = -40.0 if start % 2 else q0[2]  # odd starts: exact interpolation")}, f"{KRI} 4", python="satchel", hard=True),
    run("A3", "traceback", None, {"krig.py": fill(KRIG, start=SMOOTH)}, f"{KRI} 4", python="satchel"),
)  # fmt: skip
