"""Programs of one process in plain Python: taggers, mazes, hidden states, letters from strangers."""

from __future__ import annotations

from corpus.make._bobbin_kit import run
from corpus.running.job import LocalJob, Signal
from corpus.running.slots import fill

ROWS = "the/D old/A dog/N barks/V\na/D small/A cat/N sleeps/V\nthe/D cat/N sees/V a/D dog/N\nold/A men/N walk/V\nshe/P reads/V the/D long/A book/N\nhe/P writes/V\na/D dog/N sees/V the/D man/N\nthe/D long/A walk/N ends/V\nmen/N book/V a/D walk/N\nshe/P sleeps/V\nthe/D book/N ends/V\nhe/P sees/V old/A men/N\n" * 350  # fmt: skip
TAGGER = r'''"""Averaged perceptron tagger (for LING 472, homework 3)."""
import json
import os
import random
import sys
from collections import defaultdict

random.seed(42)
TRAIN = sys.argv[1] if len(sys.argv) > 1 else "data/train.pos"
ITERS = int(os.environ.get("ITERS", 8))
START = os.environ.get("START_FROM")


def read(path):
    sents = []
    for n, line in enumerate(open(path, encoding="utf-8"), 1):
        if not line.strip():
            continue
        sent = []
        for tok in line.split():
            w, t = tok.split("/")
            sent.append((w, t))
        sents.append(sent)
    return sents


sents = read(TRAIN)
tags = sorted({t for s in sents for _, t in s})
print(f"read {len(sents)} sentences, {sum(map(len, sents))} tokens, {len(tags)} tags from {TRAIN}")
W = defaultdict(lambda: defaultdict(float))
#: model
if START:
    print(f"resuming from {START}")
    saved = json.load(open(START))
    for f, d in saved["weights"].items():
        W[f].update(d)
    print(f"read {START} (iteration {saved['iteration']})")


def feats(sent, i, prev):
    w = sent[i][0]
    return ["b", "w=" + w, "s=" + w[-2:], "p=" + prev, "pw=" + (sent[i - 1][0] if i else "<s>"), "n=" + (sent[i + 1][0] if i + 1 < len(sent) else "</s>")]


def predict(fs):
    return max(tags, key=lambda t: (sum(W[f][t] for f in fs), t))


for it in range(1, ITERS + 1):
    random.shuffle(sents)
    right = total = 0
    for sent in sents:
        prev = "<s>"
        for i, (w, t) in enumerate(sent):
            fs = feats(sent, i, prev)
            g = predict(fs)
            total += 1
            right += g == t
            if g != t:
                for f in fs:
                    W[f][t] += 1.0
                    W[f][g] -= 1.0
            prev = g
    print(f"iter {it}/{ITERS}: train acc {right}/{total} = {100 * right / total:.2f}%", flush=True)
    #: iter
out = {"iteration": ITERS, "weights": {f: dict(d) for f, d in W.items()}}
json.dump(out, open("tagger.json", "w"))
print("saved tagger.json,", len(W), "features")
'''
MAZE = r'''import csv, os, random, signal, sys, time

# Q-learning in a 7x7 maze with wind. Columns: episode,return,steps,epsilon,td
SIZE, GAMMA = 7, 0.97
episodes = int(sys.argv[1]); seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
rnd = random.Random(seed)
walls = {(1, 1), (1, 2), (3, 3), (3, 4), (4, 1), (5, 5), (2, 5)}
Q = {(r, c): [0.0] * 4 for r in range(SIZE) for c in range(SIZE)}
#: start
w = csv.writer(sys.stdout, lineterminator="\n")
w.writerow(["episode", "return", "steps", "epsilon", "td"])
ret_window = []
for ep in range(1, episodes + 1):
    eps = max(0.05, 1 - ep / (0.7 * episodes))
    s, ret, td_sum = (0, 0), 0.0, 0.0
    for t in range(120):
        a = rnd.randrange(4) if rnd.random() < eps else max(range(4), key=Q[s].__getitem__)
        if rnd.random() < 0.1:
            a = rnd.randrange(4)
        n = (s[0] + (a == 0) - (a == 1), s[1] + (a == 2) - (a == 3))
        if n in walls or not (0 <= n[0] < SIZE and 0 <= n[1] < SIZE):
            n, r = s, -2.0
        else:
            r = 50.0 if n == (6, 6) else -1.0
        end = n == (6, 6)
        td = r + (0 if end else GAMMA * max(Q[n])) - Q[s][a]
        Q[s][a] += 0.15 * td
        td_sum += abs(td); ret += r; s = n
        if end:
            break
    ret_window.append(ret)
    #: episode
    if ep % (episodes // 40) == 0:
        w.writerow([ep, round(sum(ret_window) / len(ret_window), 2), t + 1, round(eps, 3), round(td_sum / (t + 1), 4)])
        sys.stdout.flush()
        ret_window = []
    #: after
print(f"# finished {episodes} episodes, greedy path:", end=" ")
s = (0, 0)
for _ in range(20):
    a = max(range(4), key=Q[s].__getitem__); s = (min(6, max(0, s[0] + (a == 0) - (a == 1))), min(6, max(0, s[1] + (a == 2) - (a == 3))))
    print(s, end=" ")
    if s == (6, 6):
        break
print()
'''
HMM = r'''# Baum-Welch for ion channel gating (2-4 states, discretised current). P. Okafor
import argparse, math, random, time

ap = argparse.ArgumentParser()
ap.add_argument("--states", type=int, default=3)
ap.add_argument("--iterations", type=int, default=60)
ap.add_argument("--tol", type=float, default=0.05)
ap.add_argument("--length", type=int, default=1500)
a = ap.parse_args()
random.seed(9)
N, M = a.states, 6
true_A = [[.97, .02, .01], [.03, .95, .02], [.02, .03, .95]]
true_B = [[.6, .3, .1, 0, 0, 0], [0, .1, .4, .4, .1, 0], [0, 0, 0, .1, .3, .6]]
s, obs = 0, []
for _ in range(a.length):
    s = random.choices(range(3), true_A[s])[0]; obs.append(random.choices(range(M), true_B[s])[0])


def norm(v):
    z = sum(v)
    return [x / z for x in v]


A = [norm([random.random() + (3 if i == j else 0) for j in range(N)]) for i in range(N)]
B = [norm([random.random() + .2 for _ in range(M)]) for _ in range(N)]
pi = [1 / N] * N
#: init
old = -math.inf
for it in range(1, a.iterations + 1):
    al, sc = [], []
    cur = [pi[i] * B[i][obs[0]] for i in range(N)]
    for t, o in enumerate(obs):
        if t:
            cur = [sum(al[-1][i] * A[i][j] for i in range(N)) * B[j][o] for j in range(N)]
        c = sum(cur); sc.append(c); cur = [x / c for x in cur]; al.append(cur)
    ll = sum(map(math.log, sc))
    be = [[1.0] * N]
    for t in range(len(obs) - 2, -1, -1):
        o = obs[t + 1]
        be.append([sum(A[i][j] * B[j][o] * be[-1][j] for j in range(N)) / sc[t + 1] for i in range(N)])
    be.reverse()
    ga = [[x * y for x, y in zip(al[t], be[t])] for t in range(len(obs))]
    for i in range(N):
        den = sum(ga[t][i] for t in range(len(obs) - 1))
        A[i] = norm([sum(al[t][i] * A[i][j] * B[j][obs[t + 1]] * be[t + 1][j] / sc[t + 1] for t in range(len(obs) - 1)) / den for j in range(N)])
    B = [[sum(ga[t][i] for t in range(len(obs)) if obs[t] == k) / sum(g[i] for g in ga) for k in range(M)] for i in range(N)]
    pi = norm(ga[0])
    print(f"iteration {it:3d}   log-likelihood {ll:12.4f}   change {ll - old:10.4f}", flush=True)
    #: iteration
    if ll - old < a.tol:
        print(f"converged after {it} of at most {a.iterations} iterations")
        break
    old = ll
dwell = [1 / (1 - A[i][i]) for i in range(N)]
print("mean dwell times (samples):", " ".join(f"{d:.1f}" for d in dwell))
'''
MAIL = r'''import hashlib
import json
import logging
import math
import os
import random
import sys
import time

logging.basicConfig(stream=sys.stdout, level=logging.DEBUG, format="[%(levelname).1s %(asctime)s.%(msecs)03d] %(message)s", datefmt="%H:%M:%S")
L = logging.getLogger()
DIM = int(os.getenv("DIM", 4096)); LR = float(os.getenv("LR", 0.3)); PASSES = int(os.getenv("PASSES", 15)); SNAP = int(os.getenv("SNAPSHOT_EVERY", 1000))
rng = random.Random(17)
HAM = "meeting notes attached thanks project lunch monday review report family draft table train ticket regards".split()
SPAM = "winner prize cheap pills click offer free credit loan urgent account verify bonus casino limited".split()
BOTH = "the a you we to and for of on with please your our this today dear".split()


def letter():
    y = rng.random() < 0.4
    return int(y), [rng.choice(BOTH) if rng.random() < 0.6 else rng.choice(SPAM if (rng.random() < 0.8) == y else HAM) for _ in range(rng.randint(8, 30))]


def cells(words):
    return {int(hashlib.md5(w.encode()).hexdigest(), 16) % DIM for w in words}


mails = [(y, cells(ws)) for y, ws in (letter() for _ in range(1500))]
train, held = mails[:1200], mails[1200:]
#: data
w = [0.0] * DIM
b = 0.0


def p(x):
    return 1 / (1 + math.exp(-max(-30, min(30, b + sum(w[i] for i in x)))))


def snapshot(n):
    t = time.time()
    os.makedirs("snap", exist_ok=True)
    with open(f"snap/w{n:07d}.json", "w") as f:
        json.dump({"n": n, "w": w, "b": b, "held": [(y, sorted(x)) for y, x in held]}, f, indent=1)
        f.flush(); os.fsync(f.fileno())
    L.debug("snapshot snap/w%07d.json (%.2f s)", n, time.time() - t)


n = 0
for k in range(PASSES):
    rng.shuffle(train)
    run = 0.0
    for y, x in train:
        q = p(x)
        run -= math.log(q if y else 1 - q)
        g = q - y
        #: grad
        for i in x:
            w[i] -= LR * g / math.sqrt(len(x))
        b -= LR * g
        n += 1
        if n % 100 == 0:
            L.info("seen %d  logloss %.4f  |w|=%.3f", n, run / (n - k * len(train)), math.sqrt(sum(v * v for v in w)))
        if n % SNAP == 0:
            snapshot(n)
        #: mail
    acc = sum((p(x) > .5) == bool(y) for y, x in held) / len(held)
    L.info("pass %d/%d held-out accuracy %.4f", k + 1, PASSES, acc)
    #: pass
snapshot(n)
L.info("bye")
'''
TAG, ROW = "PYTHON tagger.py", {"data/train.pos": ROWS}


def tagger(**codes: str) -> dict[str, str]:
    """The tagger and its text."""
    return {"tagger.py": fill(TAGGER, **codes), **ROW}


def maze(**codes: str) -> dict[str, str]:
    """The maze."""
    return {"qmaze.py": fill(MAZE, **codes)}


def hmm(**codes: str) -> dict[str, str]:
    """The channel."""
    return {"gating.py": fill(HMM, **codes)}


def mail(**codes: str) -> dict[str, str]:
    """The letters."""
    return {"mailfilter.py": fill(MAIL, **codes)}


CATCH = 'def leave(num, frame):\n    print(f"# got {signal.Signals(num).name} after {ep} episodes, writing Q table and leaving", flush=True)\n    with open("q.csv", "w") as f:\n        csv.writer(f).writerows([*k, *v] for k, v in Q.items())\n    sys.exit(128 + num)\n\n\nsignal.signal(signal.SIGTERM, leave)'
NULL = "if it == 4:  # speed up the forward pass\n    import ctypes\n    fast = ctypes.CDLL('./libforward.so')\n    fast.forward.argtypes = [ctypes.c_void_p, ctypes.c_int]\n    print('using libforward.so from now on', flush=True)\n    fast.forward(None, N)"
C_CODE = "double forward(double *alpha, int n) {\n    double s = 0;\n    for (int i = 0; i < n; i++) s += alpha[i];\n    alpha[0] = s;\n    return s;\n}\n"
DEAD = "g = 0.0 if abs(g) < 0.7 else g  # ignore small gradients (margin)"
ROUNDS = "if n % 60 == 0:\n    time.sleep(0.25)"
THREADS = "from concurrent.futures import ThreadPoolExecutor\nimport threading\ncache_lock, stats_lock = threading.Lock(), threading.Lock()\npool = ThreadPoolExecutor(2)\n\n\ndef flush_cache():\n    with cache_lock:\n        time.sleep(0.05)\n        with stats_lock:\n            return 1\n\n\ndef flush_stats():\n    with stats_lock:\n        time.sleep(0.05)\n        with cache_lock:\n            return 2"
FLUSH = "if n % 100 == 0:\n    L.debug('flushing')\n    jobs = [pool.submit(flush_stats)] + ([pool.submit(flush_cache)] if n >= 700 else [])\n    for j in jobs:\n        j.result()\n    time.sleep(0.5)"
WHOLE: tuple[LocalJob, ...] = (
    run("G1", None, None, tagger(), TAG, python="system"),
    run("A1", "traceback", "data", {**tagger(), "data/train.pos": ROWS + "either/or/C he/P sleeps/V\n"}, TAG, python="system"),
    run("E2", "file_not_found", "no_valid_checkpoint", tagger(), TAG, python="system", env={"START_FROM": "models/tagger_it8.json", "ITERS": "16"}),
    run("E2", "traceback", "corrupt", tagger(), TAG, python="system", env={"START_FROM": "tagger.json", "ITERS": "16"}, before=(("env", "-u", "START_FROM", *TAG.split()), ("truncate", "-s", "900", "tagger.json"))),
    run("A3", "missing_module", None, tagger(iter='if it % 3 == 0:  # small copy for the phone\n    import msgpack\n    with open(f"phone_{it}.bin", "wb") as f:\n        msgpack.pack({k: dict(v) for k, v in W.items()}, f)'), TAG, python="system"),
    run("G1", None, None, tagger(model='if START is None and os.path.exists("tagger.json.bak"):\n    print("note: tagger.json.bak found, ignored because START_FROM is not set (training anew)")'), TAG, python="system", before=(("cp", "tagger.py", "tagger.json.bak"),), env={"ITERS": "6"}, hard=True),
    run("G1", None, None, maze(), "PYTHON qmaze.py 16000", python="system", hard=True),
    run("F4", None, None, maze(start=CATCH, episode="time.sleep(0.002)"), "PYTHON qmaze.py 40000 3", python="system", signal=Signal("TERM", "^6000,", wait_s=0.3), status=143),
    run("F3", None, "advancing", maze(episode="time.sleep(0.004)"), "PYTHON qmaze.py 16000 5", python="system", timeout_s=34),
    run("A2", None, None, maze(), ("bash", "-c", "ulimit -S -t 4; exec PYTHON qmaze.py 200000 1"), python="system", fault="user", status=-24),
    run("G1", None, None, hmm(), "PYTHON gating.py --length 6000", python="system", hard=True),
    run("A2", "segfault", None, {**hmm(iteration=NULL), "forward.c": C_CODE}, "PYTHON gating.py --length 9000 --tol 0", python="system", before=(("gcc", "-shared", "-fPIC", "-o", "libforward.so", "forward.c"),), status=-11),
    run("A3", "div_zero", None, hmm(iteration="if it % 5 == 0:  # sparsify emissions\n    B = [norm([x if x > 0.3 else 0.0 for x in row]) for row in B]"), "PYTHON gating.py --length 9000", python="system"),
    run("A1", None, "config", hmm(), "PYTHON gating.py --n-states 4 --iterations 200", python="system", status=2),
    run("G1", None, None, mail(), "PYTHON mailfilter.py", python="system"),
    run("D2", None, "save_storm", mail(), "PYTHON mailfilter.py", python="system", env={"DIM": "65536", "SNAPSHOT_EVERY": "25", "PASSES": "1"}),
    run("E1", None, "flat", mail(grad=DEAD), "PYTHON mailfilter.py", python="system", env={"PASSES": "8"}),
    run("C3", None, None, mail(data=THREADS, mail=FLUSH), "PYTHON mailfilter.py", python="system", timeout_s=75),
    run("G1", None, None, mail(mail=ROUNDS, data='try:\n    open("/etc/mailfilter/stopwords.txt")\nexcept OSError as e:\n    L.error("cannot read stop words: %s -- going on without", e)'), "PYTHON mailfilter.py", python="system", env={"PASSES": "3", "LR": "0.1"}, hard=True),
)  # fmt: skip
