"""Programs over NumPy alone: heartbeats squeezed and restored, an echo taken off a line, and counts of bees on flowers; with places for what a case does."""

BEATS = '''#!/usr/bin/env python
"""Denoising autoencoder for single heartbeats (two layers, written out by hand)."""
import argparse
import datetime
import os
import pathlib
import sys
import time

import numpy as np

p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=15)
p.add_argument("--code", type=int, default=10)
p.add_argument("--lr", type=float, default=0.3)
p.add_argument("--beats", type=int, default=900)
p.add_argument("--batch", type=int, default=30)
p.add_argument("--records", type=pathlib.Path)
p.add_argument("--weights", type=pathlib.Path, help="continue with these")
p.add_argument("--outdir", type=pathlib.Path, default=pathlib.Path("beats_out"))
p.add_argument("--keep", type=int, default=5)
p.add_argument("--delay", type=float, default=0.002)
args = p.parse_args()


def log(level, text):
    now = datetime.datetime.now().strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    print(f"{now} | {level:<8} | __main__:main:{sys._getframe(1).f_lineno} - {text}", file=sys.stderr, flush=True)


rng = np.random.default_rng(31)
#: early
t = np.linspace(-1, 1, 64)


def beat(n):
    h, w, d = rng.uniform(0.7, 1.3, n), rng.uniform(0.02, 0.05, n), rng.uniform(-0.1, 0.1, n)
    x = t[None] - d[:, None]
    return h[:, None] * (np.exp(-(x / w[:, None]) ** 2) + 0.25 * np.exp(-(((x - 0.45) / 0.14) ** 2)) + 0.12 * np.exp(-(((x + 0.4) / 0.09) ** 2)))


if args.records:
    files = sorted(args.records.glob("*.npy"))
    log("INFO", f"{len(files)} record(s) under {args.records}")
    clean = np.concatenate([np.load(f) for f in files])
else:
    clean = beat(args.beats)
noisy = clean + rng.normal(0, 0.1, clean.shape)
#: data
W1, b1 = rng.normal(0, 0.15, (clean.shape[1], args.code)), np.zeros(args.code)
W2, b2 = rng.normal(0, 0.15, (args.code, clean.shape[1])), np.zeros(clean.shape[1])
epoch0 = 0
if args.weights:
    #: before_weights
    with np.load(args.weights) as z:
        #: weights
        W1, b1, W2, b2 = z["W1"], z["b1"], z["W2"], z["b2"]
        epoch0 = int(z["epoch"])
    log("SUCCESS", f"weights of epoch {epoch0} taken from {args.weights}")
log("INFO", f"{len(clean)} beats of {clean.shape[1]} samples, code of {args.code}, lr {args.lr}")
#: ready
per = len(clean) // args.batch
for epoch in range(epoch0 + 1, args.epochs + 1):
    order, total, norm = rng.permutation(len(clean)), 0.0, 0.0
    for b in range(per):
        i = order[b * args.batch:(b + 1) * args.batch]
        x, y = noisy[i], clean[i]
        #: mid
        h = np.tanh(x @ W1 + b1)
        out = h @ W2 + b2
        diff = out - y
        mse = float((diff ** 2).mean())
        #: loss
        total += mse
        g2 = h.T @ diff / len(i)
        back = (diff @ W2.T) * (1 - h ** 2)
        g1 = x.T @ back / len(i)
        norm += float(np.sqrt((g1 ** 2).sum() + (g2 ** 2).sum()))
        W2 -= args.lr * g2
        b2 -= args.lr * diff.mean(0)
        W1 -= args.lr * g1
        b1 -= args.lr * back.mean(0)
        #: after
        time.sleep(args.delay)
    #: epoch
    log("INFO", f"epoch {epoch:02d}: reconstruction {total / per:.5f}, gradient {norm / per:.4f}")
    if args.keep and epoch % args.keep == 0:
        args.outdir.mkdir(parents=True, exist_ok=True)
        target = args.outdir / f"ae-{epoch:03d}.npz"
        #: save
        np.savez(target, W1=W1, b1=b1, W2=W2, b2=b2, epoch=epoch)
        log("INFO", f"weights -> {target}")
#: late
log("SUCCESS", f"finished {args.epochs} epochs, weights are in {args.outdir}/")
'''

ECHO = '''# Acoustic echo canceller: normalised LMS over blocks of a call, speaks in decibels.
import os, struct, sys, time, wave
import numpy as np

kw = dict(word.split("=", 1) for word in sys.argv[1:])
BLOCKS, TAPS, MU = int(kw.pop("blocks", 120)), int(kw.pop("taps", 64)), float(kw.pop("mu", 0.25))
CALL, FILTER, PUT = kw.pop("call", ""), kw.pop("filter", ""), kw.pop("put", "")
EVERY, SIZE, WAIT = int(kw.pop("every", 10)), int(kw.pop("size", 320)), float(kw.pop("wait", 0.01))
assert not kw, f"what is {' '.join(kw)}?"
r = np.random.RandomState(77)
#: early
room = np.exp(-np.arange(TAPS) / 9.0) * r.randn(TAPS) * 0.6
if CALL:
    with wave.open(CALL) as call:
        pcm = call.readframes(call.getnframes())
    far = np.array(struct.unpack(f"<{len(pcm) // 2}h", pcm)) / 32768.0
    BLOCKS = min(BLOCKS, len(far) // SIZE)
else:
    far = r.randn(BLOCKS * SIZE) * np.repeat(r.uniform(0.3, 1.0, BLOCKS), SIZE)
near = np.convolve(far, room)[:len(far)] + 0.003 * r.randn(len(far))
#: data
h, block0 = np.zeros(TAPS), 0
if FILTER:
    #: before_filter
    saved = np.load(FILTER, allow_pickle=True).item()
    #: filter
    h[:] = saved["h"]
    block0 = saved["block"]
    print("filter", FILTER, "of block", block0, "goes on", flush=True)
db = lambda v: 10 * np.log10(v + 1e-20)
print(f"echo: {BLOCKS} blocks x {SIZE}, {TAPS} taps, mu {MU}", flush=True)
#: ready
pad, acc = np.concatenate([np.zeros(TAPS - 1), far]), []
for k in range(block0, BLOCKS):
    e2 = d2 = 0.0
    for n in range(k * SIZE, (k + 1) * SIZE):
        x = pad[n:n + TAPS][::-1]
        #: mid
        e = near[n] - h @ x
        h += MU * e * x / (x @ x + 1e-3)
        e2, d2 = e2 + e * e, d2 + near[n] ** 2
    #: after
    acc.append((e2 / SIZE, d2 / SIZE))
    if (k + 1) % EVERY == 0:
        e2, d2 = np.mean(acc, 0)
        acc = []
        #: shown
        print(f"blk {k + 1:4d}/{BLOCKS}   err {db(e2):7.2f} dB   erle {db(d2) - db(e2):6.2f} dB", flush=True)
    if PUT:
        #: save
        np.save(PUT, {"h": h, "block": k + 1})
    time.sleep(WAIT)
#: late
print(f"echo: end of call, {BLOCKS - block0} blocks, |h - room| = {np.linalg.norm(h - room):.4f}")
'''

BEES = '''"""Poisson regression of bee counts, by mini-batches; reports are YAML documents on stdout."""
import os
import sys
import time

import numpy as np

DEFAULTS = """
rounds: 20
rate: 0.05
plots: 800
batch: 40
seed: 6
resume_file: none
checkpoint: none
counts: none
pause: 0.05
"""


def parse(text):
    out = {}
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if line:
            k, v = line.split(":", 1)
            v = v.strip()
            out[k] = None if v in ("none", "~") else float(v) if v.replace(".", "").replace("-", "").replace("e", "").isdigit() else v
    return out


conf = parse(DEFAULTS)
if len(sys.argv) > 1:
    with open(sys.argv[1]) as f:
        conf.update(parse(f.read()))
rng = np.random.default_rng(int(conf["seed"]))
#: early
n = int(conf["plots"])
X = np.c_[np.ones(n), rng.uniform(-1, 1, (n, 6))]
true = np.array([1.0, 0.8, -0.6, 0.4, 0.0, 0.3, -0.9])
y = rng.poisson(np.exp(X @ true))
if conf["counts"]:
    y = np.loadtxt(conf["counts"], delimiter=",", dtype=float)[:n]
#: data
w, done = np.zeros(7), 0
w[0] = -2.0


def emit(**doc):
    print("---")
    for k, v in doc.items():
        print(f"{k}: {v}")
    sys.stdout.flush()


emit(program="bees", plots=n, columns=X.shape[1], rounds=int(conf["rounds"]), rate=conf["rate"])
if conf["resume_file"]:
    #: before_resume
    with open(conf["resume_file"]) as f:
        lines = f.read().split()
    #: resume
    done, w = int(lines[0]), np.array([float(v) for v in lines[1:]])
    emit(event="resumed", file=conf["resume_file"], at_round=done)
#: ready
B = int(conf["batch"])
for rnd in range(done + 1, int(conf["rounds"]) + 1):
    order, dev = rng.permutation(n), []
    for s in range(0, n - B + 1, B):
        i = order[s:s + B]
        xb, yb = X[i], y[i]
        #: mid
        mu = np.exp(xb @ w)
        dev.append(float((mu - yb * np.log(np.maximum(mu, 1e-300))).mean()))
        w = w - conf["rate"] * xb.T @ (mu - yb) / B
        #: after
    deviance = float(np.mean(dev))
    #: loss
    emit(round=rnd, neg_log_lik=round(deviance, 5), weights="[" + ", ".join(f"{v:.3f}" for v in w) + "]")
    if conf["checkpoint"]:
        #: save
        with open(conf["checkpoint"], "w") as f:
            f.write(f"{rnd}\\n" + "\\n".join(map(str, w)) + "\\n")
        emit(event="checkpoint", file=conf["checkpoint"], round=rnd)
    #: round_end
    time.sleep(conf["pause"])
#: late
emit(event="end", rounds=int(conf["rounds"]), pearson=round(float((((y - np.exp(X @ w)) ** 2) / np.exp(X @ w)).mean()), 4))
'''
