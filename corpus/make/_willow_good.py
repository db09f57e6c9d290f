"""Runs of home-made trainers that came to their planned end."""

from corpus.make._crate import crate

ASR = '''
#!/usr/bin/env python3
"""CTC acoustic model on synthetic filterbanks."""
import argparse, logging, time
import torch
import torch.nn as nn

logging.basicConfig(level=logging.INFO, format="%(asctime)s,%(msecs)03d (%(module)s:%(lineno)d) %(levelname)s: %(message)s", datefmt="%Y-%m-%d %H:%M:%S")

PHONES = 12

def utterances(n, gen):
    out = []
    proto = torch.randn(PHONES, 20, generator=torch.Generator().manual_seed(0))
    for _ in range(n):
        y = torch.randint(1, PHONES, (5,), generator=gen)
        x = proto[y].repeat_interleave(4, 0) + 0.3 * torch.randn(20, 20, generator=gen)
        out.append((x, y))
    return torch.stack([x for x, _ in out]), torch.stack([y for _, y in out])

class AM(nn.Module):
    def __init__(self, d=48):
        super().__init__()
        self.rnn = nn.GRU(20, d, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * d, PHONES)
    def forward(self, x):
        return self.out(self.rnn(x)[0]).log_softmax(-1)

def per(model, x, y):
    with torch.no_grad():
        best = model(x).argmax(-1)
    errors = 0
    for hyp, ref in zip(best.tolist(), y.tolist()):
        h = [a for a, b in zip(hyp, [0] + hyp[:-1]) if a != b and a]
        d = list(range(len(ref) + 1))
        for i, a in enumerate(h, 1):
            p, d[0] = d[0], i
            for j, b in enumerate(ref, 1):
                p, d[j] = d[j], min(d[j] + 1, d[j - 1] + 1, p + (a != b))
        errors += d[-1]
    return 100 * errors / y.numel()

if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--max-epoch", type=int, default=10)
    p.add_argument("--lr", type=float, default=4e-3)
    a = p.parse_args()
    logging.info("args: %s", vars(a))
    gen = torch.Generator().manual_seed(1)
    torch.manual_seed(1)
    xt, yt = utterances(256, gen)
    xd, yd = utterances(48, gen)
    m = AM()
    opt = torch.optim.Adam(m.parameters(), a.lr)
    ctc = nn.CTCLoss()
    logging.info("model has %d parameters; 256 train utts, 48 dev utts", sum(q.numel() for q in m.parameters()))
    for e in range(1, a.max_epoch + 1):
        tot = 0.0
        for i, idx in enumerate(torch.randperm(256).split(16)):
            l = ctc(m(xt[idx]).transpose(0, 1), yt[idx], torch.full((16,), 20), torch.full((16,), 5))
            opt.zero_grad(); l.backward(); g = nn.utils.clip_grad_norm_(m.parameters(), 5.0); opt.step()
            tot += l.item()
            if i % 8 == 0:
                logging.info("epoch %d batch %d/16 ctc %.4f gnorm %.2f", e, i, l.item(), g)
        logging.info("epoch %d finished: train ctc %.4f, dev PER %.2f%%", e, tot / 16, per(m, xd, yd))
        torch.save(m.state_dict(), "exp/final.mdl")
    logging.info("Done. Model in exp/final.mdl")
'''

PINN = '''
# damped oscillator u'' + 2 d u' + w^2 u = 0, u(0)=1, u'(0)=0
import torch, math
torch.manual_seed(123)
d, w0 = 1.5, 8.0
net = torch.nn.Sequential(torch.nn.Linear(1, 32), torch.nn.Tanh(), torch.nn.Linear(32, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
tc = torch.linspace(0, 1, 40).view(-1, 1).requires_grad_(True)
t0 = torch.zeros(1, 1, requires_grad=True)
obs_t = torch.linspace(0, 0.5, 20).view(-1, 1)
w = math.sqrt(w0 ** 2 - d ** 2)
phi = math.atan(-d / w)
obs_u = torch.exp(-d * obs_t) * torch.cos(phi + w * obs_t) / math.cos(phi)
print(f"{'iter':>6} {'data':>12} {'residual':>12} {'ic':>12} {'total':>12}")
ITERS = 600
for it in range(1, ITERS + 1):
    u = net(tc)
    du = torch.autograd.grad(u.sum(), tc, create_graph=True)[0]
    ddu = torch.autograd.grad(du.sum(), tc, create_graph=True)[0]
    res = ((ddu + 2 * d * du + w0 ** 2 * u) ** 2).mean() * 1e-4
    u0 = net(t0)
    ic = (u0 - 1).pow(2).squeeze() + 1e-2 * torch.autograd.grad(u0, t0, create_graph=True)[0].pow(2).squeeze()
    data = (net(obs_t) - obs_u).pow(2).mean()
    loss = res + ic + data
    opt.zero_grad(); loss.backward(); opt.step()
    if it % 50 == 0:
        print(f"{it:6d} {data.item():12.4e} {res.item():12.4e} {ic.item():12.4e} {loss.item():12.4e}")
print(f"all {ITERS} iterations done, L2 error on the observed half: {(net(obs_t) - obs_u).norm().item() / obs_u.norm().item():.3f}")
'''

DDPM = '''
import sys, time
import torch

def bar(done, total, text, t0, width=24):
    full = int(width * done / total)
    el = time.time() - t0
    sys.stderr.write("\\r" + "=" * full + ">" + "." * (width - full) + f" {done}/{total} [{el:.1f}s<{el / done * (total - done):.1f}s] {text}")
    if done == total:
        sys.stderr.write("\\n")

torch.manual_seed(2)
T = 50
beta = torch.linspace(1e-4, 0.08, T)
abar = torch.cumprod(1 - beta, 0)
def data(n):
    a = torch.rand(n) * 6.2832
    return torch.stack([a.cos(), a.sin()], 1) + 0.03 * torch.randn(n, 2)
net = torch.nn.Sequential(torch.nn.Linear(3, 96), torch.nn.SiLU(), torch.nn.Linear(96, 96), torch.nn.SiLU(), torch.nn.Linear(96, 2))
ema = [p.detach().clone() for p in net.parameters()]
opt = torch.optim.AdamW(net.parameters(), 2e-3)
print("circle2d / eps-prediction / T=50 / ema 0.99", flush=True)
for epoch in range(5):
    t0, run = time.time(), None
    for k in range(1, 81):
        x = data(128); t = torch.randint(T, (128,)); e = torch.randn_like(x)
        xt = abar[t].sqrt()[:, None] * x + (1 - abar[t]).sqrt()[:, None] * e
        loss = (net(torch.cat([xt, t[:, None] / T], 1)) - e).pow(2).mean()
        opt.zero_grad(); loss.backward(); opt.step()
        for p, q in zip(ema, net.parameters()): p.mul_(0.99).add_(q.detach(), alpha=0.01)
        run = loss.item() if run is None else 0.95 * run + 0.05 * loss.item()
        if k % 16 == 0: bar(k, 80, f"loss={run:.4f}", t0)
    print(f"epoch {epoch}: smoothed loss {run:.4f}", flush=True)
with torch.no_grad():
    x = torch.randn(256, 2)
    for t in reversed(range(T)):
        e = net(torch.cat([x, torch.full((256, 1), t / T)], 1))
        x = (x - beta[t] / (1 - abar[t]).sqrt() * e) / (1 - beta[t]).sqrt() + (beta[t].sqrt() * torch.randn_like(x) if t else 0)
print(f"256 samples, radius {x.norm(dim=1).mean().item():.3f} +- {x.norm(dim=1).std().item():.3f}; nan: {int(x.isnan().sum())}", flush=True)
torch.save({"net": net.state_dict(), "ema": ema}, "circle.pt")
print("saved circle.pt; training complete")
'''

WALKS = '''
"""Skip-gram node embeddings by random walks, no dependencies."""
import json, math, random, sys, time

random.seed(6)
N, D = 60, 8
edges = {i: set() for i in range(N)}
for i in range(N):
    for j in range(i):
        if random.random() < (0.3 if i % 3 == j % 3 else 0.02):
            edges[i].add(j); edges[j].add(i)
vec = [[random.gauss(0, 0.3) for _ in range(D)] for _ in range(N)]
ctx = [[random.gauss(0, 0.3) for _ in range(D)] for _ in range(N)]
sig = lambda v: 1 / (1 + math.exp(-max(-30, min(30, v))))

def pair(u, v, y, lr):
    s = sig(sum(a * b for a, b in zip(vec[u], ctx[v])))
    g = lr * (y - s)
    for k in range(D):
        a = vec[u][k]
        vec[u][k] += g * ctx[v][k]; ctx[v][k] += g * a
    return -math.log(max(1e-9, s if y else 1 - s))

print(json.dumps({"nodes": N, "edges": sum(map(len, edges.values())) // 2, "dim": D, "epochs": 12}), flush=True)
for ep in range(1, 13):
    t0, loss, n = time.time(), 0.0, 0
    for start in range(N):
        walk = [start]
        while len(walk) < 12 and edges[walk[-1]]:
            walk.append(random.choice(sorted(edges[walk[-1]])))
        for i, u in enumerate(walk):
            for v in walk[max(0, i - 2):i]:
                loss += pair(u, v, 1, 0.05); n += 1
                for _ in range(2):
                    loss += pair(u, random.randrange(N), 0, 0.05); n += 1
    time.sleep(0.3)
    print(json.dumps({"epoch": ep, "loss": round(loss / n, 5), "pairs": n, "sec": round(time.time() - t0, 2)}), flush=True)
with open("emb.tsv", "w") as f:
    f.writelines("\\t".join(f"{x:.4f}" for x in v) + "\\n" for v in vec)
print(json.dumps({"finished": True, "written": "emb.tsv"}))
'''

FALLBACK = '''
import glob, logging, os, sys, traceback
import torch
logging.basicConfig(stream=sys.stdout, level="INFO", format="[%(levelname).1s %(asctime)s] %(message)s", datefmt="%m-%d %H:%M:%S")
log = logging.getLogger()
torch.manual_seed(9)
net = torch.nn.Sequential(torch.nn.Linear(16, 40), torch.nn.ReLU(), torch.nn.Linear(40, 6))
opt = torch.optim.Adam(net.parameters(), 3e-3)
proj = torch.randn(16, 6)
TOTAL = 300

def load_latest():
    for path in sorted(glob.glob("ckpt/it_*.pt"), reverse=True):
        try:
            s = torch.load(path)
            net.load_state_dict(s["net"]); opt.load_state_dict(s["opt"])
            log.info("resumed from %s (iteration %d)", path, s["it"])
            return s["it"]
        except Exception:
            log.warning("could not read %s, trying the one before\\n%s", path, traceback.format_exc().rstrip())
    return 0

it = load_latest()
while it < TOTAL:
    it += 1
    x = torch.randn(64, 16)
    l = torch.nn.functional.cross_entropy(net(x), (x @ proj).argmax(1))
    opt.zero_grad(); l.backward(); opt.step()
    if it % 20 == 0:
        log.info("iter %d/%d  xent %.4f", it, TOTAL, l.item())
    if it % 100 == 0:
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "it": it}, f"ckpt/it_{it:06d}.pt")
        log.info("checkpoint ckpt/it_%06d.pt", it)
    if it == 200 and "--first-leg" in sys.argv:
        sys.exit(0)
log.info("reached %d iterations, exiting", TOTAL)
'''

PATIENCE = '''
import atexit, json, time, torch
CFG = {"model": "mlp", "patience": 4, "max_epochs": 60, "on_nan": "abort", "on_error": "raise", "kill_on_oom": True, "fatal_warnings": False}
print("config", json.dumps(CFG, indent=2))
class Mirror:
    """Sends the metrics to the dashboard when it is there."""
    def close(self):
        import socket
        socket.create_connection(("127.0.0.1", 9), timeout=1)
m = Mirror(); atexit.register(m.close)
torch.manual_seed(3)
X = torch.randn(500, 24); Y = (X[:, 0] * X[:, 1] > 0).long(); V, W = torch.randn(200, 24), None
W = (V[:, 0] * V[:, 1] > 0).long()
net = torch.nn.Sequential(torch.nn.Linear(24, 64), torch.nn.ReLU(), torch.nn.Linear(64, 2)); opt = torch.optim.Adam(net.parameters(), 4e-3)
best, since = 9.9, 0
for ep in range(CFG["max_epochs"]):
    for i in torch.randperm(500).split(25):
        l = torch.nn.functional.cross_entropy(net(X[i]), Y[i]); opt.zero_grad(); l.backward(); opt.step()
    with torch.no_grad(): v = torch.nn.functional.cross_entropy(net(V), W).item()
    star = "*" if v < best else " "
    best, since = (v, 0) if v < best else (best, since + 1)
    print(f"| {ep:3d} | train {l.item():.4f} | val {v:.4f} {star} |")
    if since >= CFG["patience"]:
        print(f"no improvement for {since} epochs: stopping early, best val {best:.4f}"); break
print("done")
'''

CARTPOLE = '''
import logging, random, time
logging.basicConfig(level=logging.DEBUG, format="%(relativeCreated)6.0fms %(levelname)-8s %(message)s")
L = logging.getLogger("qlearn"); random.seed(8)
class EnvDied(ConnectionError): pass
class Grid:
    size = 6
    def __init__(self): self.calls = 0
    def reset(self): self.s = (0, 0); self.t = 0; return self.s
    def step(self, a):
        self.calls += 1
        if self.calls in (700, 2600): raise EnvDied("env process lost: [Errno 104] Connection reset by peer")
        x, y = self.s; dx, dy = ((1, 0), (0, 1), (-1, 0), (0, -1))[a]; self.s = (min(5, max(0, x + dx)), min(5, max(0, y + dy))); self.t += 1
        return self.s, (1.0 if self.s == (5, 5) else -0.01), self.s == (5, 5) or self.t > 80
env, Q, returns, ep = Grid(), {}, [], 0
q = lambda s, a: Q.get((s, a), 0.0)
while ep < 300:
    s, R, done = env.reset(), 0.0, False
    eps = max(0.05, 0.6 - ep / 250)
    try:
        while not done:
            a = random.randrange(4) if random.random() < eps else max(range(4), key=lambda b: q(s, b) + 1e-6 * random.random())
            n, r, done = env.step(a); Q[s, a] = q(s, a) + 0.3 * (r + 0.97 * (0 if done and r > 0 else max(q(n, b) for b in range(4))) - q(s, a)); s = n; R += r
    except EnvDied:
        L.exception("episode %d aborted, environment is started again", ep); calls = env.calls; env = Grid(); env.calls = calls; continue
    returns.append(R); ep += 1; time.sleep(0.015)
    if ep % 25 == 0: L.info("episode %d/300 return(25) %.3f epsilon %.2f states %d", ep, sum(returns[-25:]) / 25, eps, len({k[0] for k in Q}))
L.info("finished 300 episodes; greedy return %.3f", max(returns[-25:]))
'''

AUTOBATCH = '''
import time, torch
print(f"[{time.strftime('%H:%M:%S')}] looking for the largest batch that fits")
net = torch.nn.Sequential(torch.nn.Linear(512, 256), torch.nn.ReLU(), torch.nn.Linear(256, 512)); opt = torch.optim.Adam(net.parameters(), 1e-3)
bs = 1 << 22
while True:
    try:
        x = torch.randn(bs, 512); (net(x) - x).pow(2).mean().backward(); opt.zero_grad(); break
    except RuntimeError as e:
        print(f"[{time.strftime('%H:%M:%S')}] batch {bs}: {str(e).splitlines()[0]}"); bs //= 8
bs = min(bs, 64); torch.manual_seed(0); basis = torch.randn(12, 512) / 4
print(f"[{time.strftime('%H:%M:%S')}] training with batch {bs}")
for s in range(1, 151):
    x = torch.randn(bs, 12) @ basis; l = (net(x) - x).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    if s % 15 == 0: print(f"[{time.strftime('%H:%M:%S')}] step {s} of 150: reconstruction {l.item():.5f}")
torch.save(net.state_dict(), "ae.pt"); print(f"[{time.strftime('%H:%M:%S')}] finished, ae.pt written")
'''

BPE = '''
import collections, sys, time
text = open("book.txt").read(); words = collections.Counter(text.split())
parts = {w: list(w) + ["_"] for w in words}
print(f"{len(words)} word types, {sum(words.values())} tokens", file=sys.stderr)
table = []
for k in range(60):
    c = collections.Counter()
    for w, n in words.items():
        for a, b in zip(parts[w], parts[w][1:]): c[a, b] += n
    if not c: break
    (a, b), n = c.most_common(1)[0]; table.append(a + b)
    for w, p in parts.items():
        out, i = [], 0
        while i < len(p):
            if p[i:i + 2] == [a, b]: out.append(a + b); i += 2
            else: out.append(p[i]); i += 1
        parts[w] = out
    if k % 10 == 9: print(f"merge {k + 1}: {a + b!r} x{n}", file=sys.stderr)
open("merges.txt", "w").write("\\n".join(table)); print(f"wrote merges.txt ({len(table)} merges)", file=sys.stderr)
'''
NGRAM = '''
import math, random, time, torch
torch.manual_seed(5); toks = open("book.txt").read().split(); merges = open("merges.txt").read().split()
V = {w: i for i, w in enumerate(sorted(set(toks)))}; ids = torch.tensor([V[t] for t in toks]); print(f"lm: vocab {len(V)}, {len(ids)} tokens, {len(merges)} merges read")
emb, out = torch.nn.Embedding(len(V), 16), torch.nn.Linear(48, len(V)); opt = torch.optim.Adagrad([*emb.parameters(), *out.parameters()], 0.1); X = ids.unfold(0, 4, 1)
for e in range(8):
    s = 0.0
    for b in torch.randperm(len(X)).split(32): l = torch.nn.functional.cross_entropy(out(emb(X[b][:, :3]).flatten(1)), X[b][:, 3]); opt.zero_grad(); l.backward(); opt.step(); s += l.item() * len(b)
    print(f"lm: epoch {e + 1}/8 perplexity {math.exp(s / len(X)):.3f}")
torch.save((emb.state_dict(), out.state_dict(), V), "lm.pt")
'''
PPL = '''
import math, torch
e, o, V = torch.load("lm.pt"); emb, out = torch.nn.Embedding(len(V), 16), torch.nn.Linear(48, len(V)); emb.load_state_dict(e); out.load_state_dict(o)
ids = torch.tensor([V[w] for w in open("held.txt").read().split() if w in V]); X = ids.unfold(0, 4, 1)
with torch.no_grad(): print(f"eval: held-out perplexity {math.exp(torch.nn.functional.cross_entropy(out(emb(X[:, :3]).flatten(1)), X[:, 3]).item()):.3f} on {len(X)} positions")
'''
BOOK = "\n".join(f"when the {a} came to the {b} it was {c} and the {b} was {c} too" for a in ("ferry", "baker", "goose", "train") for b in ("harbour", "village", "bridge") for c in ("dark", "quiet", "raining", "late"))
STAGES = '''#!/bin/bash
# stage 1 merges, stage 2 model, stage 3 evaluation
set -euo pipefail
py=$1
stage() { echo "$(date +%T) === stage $1: $2 ==="; }
stage 1 "subword merges"
$py bpe.py
stage 2 "language model"
$py lm.py
stage 3 "evaluation"
$py ppl.py
rm -f /nonexistent/scratch/* || true
kill -0 999999 2>/dev/null || echo "no leftover server to stop"
stage 4 "all stages done"
'''

JOBS = (
    crate("G1", "train_ctc.py --max-epoch 8", ASR, folders=("exp",)),
    crate("G1", "oscillator.py", PINN),
    crate("G1", "circle_ddpm.py", DDPM),
    crate("G1", "walks.py", WALKS, python="system"),
    crate("G1", "sh pipeline.sh PYTHON", STAGES, files={"bpe.py": BPE, "lm.py": NGRAM, "ppl.py": PPL, "book.txt": BOOK, "held.txt": BOOK[-900:]}),
    crate(
        "G1", "train_resumable.py", FALLBACK, hard=True, folders=("ckpt",),
        before=(("PYTHON", "train_resumable.py", "--first-leg"), ("sh", "-c", "head -c 900 ckpt/it_000100.pt > ckpt/it_000250.pt")),
    ),
    crate("G1", "xor_mlp.py", PATIENCE, hard=True),
    crate("G1", "qgrid.py", CARTPOLE, hard=True, python="system"),
    crate("G1", "autobatch_ae.py", AUTOBATCH, hard=True, memory_mib=3500),
)  # fmt: skip
