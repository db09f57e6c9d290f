"""Students' runs that came to their planned end, some of them in a way that looks bad."""

from corpus.make._crate import crate

DDPM = '''
"""Denoising diffusion on two moons, with and without the cosine schedule (table 2 of the draft)."""
import math, time
import torch
from torch import nn

torch.manual_seed(2024)
T = 50

def moons(n):
    th = torch.rand(n) * math.pi
    up = torch.stack([th.cos(), th.sin()], 1)
    low = torch.stack([1 - th.cos(), 0.5 - th.sin()], 1)
    pick = (torch.rand(n, 1) < 0.5).float()
    return pick * up + (1 - pick) * low + 0.05 * torch.randn(n, 2)

class Eps(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 2))
    def forward(self, x, t):
        return self.net(torch.cat([x, t[:, None].float() / T], 1))

def alphas(kind):
    if kind == "linear":
        return torch.cumprod(1 - torch.linspace(1e-3, 0.12, T), 0)
    s = torch.arange(1, T + 1) / T
    return torch.cos((s + 0.008) / 1.008 * math.pi / 2) ** 2

table = []
for kind in ("linear", "cosine"):
    ab, net = alphas(kind), Eps()
    opt = torch.optim.Adam(net.parameters(), 2e-3)
    t0, run = time.time(), 0.0
    print(f"--- schedule {kind}: alpha_bar from {ab[0]:.4f} to {ab[-1]:.4f}")
    for it in range(1, 601):
        x0, t, e = moons(128), torch.randint(0, T, (128,)), torch.randn(128, 2)
        xt = ab[t].sqrt()[:, None] * x0 + (1 - ab[t]).sqrt()[:, None] * e
        loss = (net(xt, t) - e).pow(2).mean()
        opt.zero_grad(); loss.backward(); opt.step()
        run = loss.item() if it == 1 else 0.97 * run + 0.03 * loss.item()
        if it % 60 == 0:
            print(f"{kind:>7} | it {it:4d}/600 | eps-mse {run:.4f} | {it / (time.time() - t0):6.1f} it/s")
    table.append((kind, run))
    torch.save(net.state_dict(), f"eps_{kind}.pt")
    print(f"weights in eps_{kind}.pt")
print("\\nschedule   eps-mse")
for kind, v in table:
    print(f"{kind:<10} {v:.4f}")
print("both schedules trained.")
'''
HORIZONS = """
import argparse, csv, sys
import torch
p = argparse.ArgumentParser()
p.add_argument("--horizons", type=int, nargs="+", default=[1, 4, 12])
p.add_argument("--epochs", type=int, default=12)
a = p.parse_args()
torch.manual_seed(11)
tick = torch.arange(900).float()
load = 3 + torch.sin(tick / 12) + 0.4 * torch.sin(tick / 84) + 0.1 * torch.randn(900)
mu, sd = load[:700].mean(), load[:700].std()
z = (load - mu) / sd
W = 48
out = csv.writer(sys.stdout)
out.writerow(["horizon", "epoch", "train_mae", "val_mae", "lr"])
final = {}
for h in a.horizons:
    xs = torch.stack([z[i : i + W] for i in range(900 - W - h)]); ys = z[W + h - 1 : 899]
    ys = ys[: len(xs)]
    tr = torch.arange(600); va = torch.arange(640, len(xs))
    m = torch.nn.Sequential(torch.nn.Unflatten(1, (1, W)), torch.nn.Conv1d(1, 8, 7, stride=2), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.LazyLinear(1))
    m(xs[:2]); o = torch.optim.Adam(m.parameters(), 3e-3); sch = torch.optim.lr_scheduler.CosineAnnealingLR(o, a.epochs)
    for ep in range(1, a.epochs + 1):
        tot = 0.0
        for b in tr[torch.randperm(600)].split(40):
            l = (m(xs[b]).squeeze(1) - ys[b]).abs().mean(); o.zero_grad(); l.backward(); o.step(); tot += l.item() * len(b)
        with torch.no_grad(): v = (m(xs[va]).squeeze(1) - ys[va]).abs().mean().item()
        out.writerow([h, ep, f"{tot / 600:.5f}", f"{v:.5f}", f"{sch.get_last_lr()[0]:.2e}"]); sys.stdout.flush()
        sch.step()
    final[h] = v * sd.item()
print("\\\\begin{tabular}{lc}\\nhorizon & MAE (MW) \\\\\\\\")
for h, v in final.items(): print(f"{h} & {v:.3f} \\\\\\\\")
print("\\\\end{tabular}")
"""
LINKS = """
import logging, torch
logging.basicConfig(level=logging.INFO, format="%(asctime)s.%(msecs)03d %(message)s", datefmt="%H:%M:%S"); say = logging.info
torch.manual_seed(5)
n, k = 240, 4
comm = torch.randint(k, (n,)); prob = torch.where(comm[:, None] == comm[None], 0.14, 0.008)
up = torch.triu(torch.rand(n, n) < prob, 1); edges = up.nonzero()
perm = edges[torch.randperm(len(edges))]; held, kept = perm[: len(perm) // 5], perm[len(perm) // 5 :]
say("graph: %d nodes, %d edges (%d for training, %d held out)", n, len(edges), len(kept), len(held))
A = torch.zeros(n, n); A[kept[:, 0], kept[:, 1]] = 1; A = A + A.T; mean = A / A.sum(1, keepdim=True).clamp(min=1)
class Sage(torch.nn.Module):
    def __init__(s): super().__init__(); s.emb = torch.nn.Embedding(n, 24); s.a = torch.nn.Linear(48, 24); s.b = torch.nn.Linear(48, 16)
    def forward(s):
        h = s.emb.weight; h = torch.relu(s.a(torch.cat([h, mean @ h], 1))); return s.b(torch.cat([h, mean @ h], 1))
def negatives(m): return torch.randint(n, (m, 2))
def auc(z):
    good = (z[held[:, 0]] * z[held[:, 1]]).sum(1); bad = negatives(len(held)); bad = (z[bad[:, 0]] * z[bad[:, 1]]).sum(1)
    return (good[:, None] > bad[None]).float().mean().item()
net = Sage(); opt = torch.optim.Adam(net.parameters(), 0.01)
for ep in range(1, 81):
    z = net(); neg = negatives(len(kept)); s = torch.cat([(z[kept[:, 0]] * z[kept[:, 1]]).sum(1), (z[neg[:, 0]] * z[neg[:, 1]]).sum(1)])
    l = torch.nn.functional.binary_cross_entropy_with_logits(s, (torch.arange(len(s)) < len(kept)).float()); opt.zero_grad(); l.backward(); opt.step()
    if ep % 8 == 0:
        with torch.no_grad(): say("epoch %2d of 80   bce %.4f   held-out AUC %.3f", ep, l.item(), auc(net()))
say("embeddings written to z.pt"); torch.save(net().detach(), "z.pt"); say("that's all, 80 epochs")
"""
GRID = '''
"""Tabular Q-learning on the 6x6 ice lake, plain Python, five seeds."""
import random, statistics as st
HOLES = {(1, 1), (3, 2), (2, 4), (4, 4)}; GOAL = (5, 5)
def move(s, a, rng):
    if rng.random() < 0.1: a = rng.randrange(4)
    dx, dy = ((0, 1), (1, 0), (0, -1), (-1, 0))[a]; t = (min(5, max(0, s[0] + dx)), min(5, max(0, s[1] + dy)))
    return (t, 1.0, True) if t == GOAL else (t, -0.5, True) if t in HOLES else (t, -0.01, False)
curves = []
for seed in (0, 1, 2, 3, 4):
    rng = random.Random(seed); Q = {}; last = []
    for ep in range(1, 3001):
        eps = max(0.05, 1 - ep / 1500); s, done, ret, n = (0, 0), False, 0.0, 0
        while not done and n < 80:
            q = Q.setdefault(s, [0.0] * 4); a = rng.randrange(4) if rng.random() < eps else q.index(max(q))
            t, r, done = move(s, a, rng); q[a] += 0.2 * (r + (0 if done else 0.97 * max(Q.setdefault(t, [0.0] * 4))) - q[a]); s, ret, n = t, ret + r, n + 1
        last = (last + [ret])[-200:]
        if ep % 500 == 0: print(f"seed {seed}  episode {ep:>4}/3000  eps {eps:.2f}  mean return (200) {st.mean(last):+.3f}", flush=True)
    curves.append(st.mean(last))
print(f"5 seeds: return {st.mean(curves):.3f} +- {st.stdev(curves):.3f}")
'''

CEM = '''
import collections, logging, time, torch
logging.basicConfig(format="%(levelname).1s %(asctime)s %(name)s] %(message)s", level=logging.INFO); lg = logging.getLogger("cem.pendulum")
class EnvError(Exception): pass
class Pendulum:
    """An environment that goes down now and then, as the real bridge to the renderer does."""
    made = 0
    def __init__(s): Pendulum.made += 1; s.id, s.age = Pendulum.made, 0
    def rollout(s, w):
        s.age += 1
        if s.age > 170: raise EnvError(f"worker {s.id}: broken pipe while reading frame {s.age}")
        th, om, cost = 3.0, 0.0, 0.0
        for _ in range(30):
            u = float((w[0] * torch.sin(torch.tensor(th)) + w[1] * om).clamp(-2, 2)); om += 0.1 * (5 * float(torch.sin(torch.tensor(th))) + u); om = max(-6.0, min(6.0, om)); th += 0.1 * om
            cost += (1 - float(torch.cos(torch.tensor(th)))) + 0.01 * om * om
        return -cost
torch.manual_seed(1); mu, sd, env, stats = torch.zeros(2), torch.ones(2) * 3, Pendulum(), collections.Counter()
for gen in range(1, 19):
    pop = mu + sd * torch.randn(24, 2); rets = []
    for w in pop:
        while True:
            try: rets.append(env.rollout(w)); break
            except EnvError: stats["env_restarts"] += 1; lg.exception("environment failed, starting a new one"); env = Pendulum()
    r = torch.tensor(rets); best = pop[r.topk(6).indices]; mu, sd = best.mean(0), best.std(0) + 0.05
    lg.info("gen %2d/18 return mean %8.3f max %8.3f | nan_frac=0.000 killed=0 err_rate=%.4f | sigma %.3f", gen, r.mean(), r.max(), stats["env_restarts"] / Pendulum.made / 24, sd.mean())
lg.warning("%d environment restarts in this run", stats["env_restarts"]); lg.info("policy saved; 18 generations complete"); torch.save(mu, "policy.pt")
'''
AUTOBATCH = """
import torch
torch.manual_seed(17); X = torch.randn(2048, 20); Y = (X[:, 0] * X[:, 1] > 0).long()
def scratch(b): return torch.empty(b, 1 << 36)  # attention map of the full context
def find(b):
    while b >= 16:
        try: scratch(b) if b > 128 else None; return b
        except RuntimeError as e: print(f"batch size {b} does not fit: {str(e).splitlines()[0][-95:]}"); print(f"  -> trying {b // 2}"); b //= 2
    raise SystemExit("no batch size fits")
b = find(1024); print(f"using batch size {b} with {1024 // b} accumulation steps")
net = torch.nn.Sequential(torch.nn.Linear(20, 128), torch.nn.ReLU(), torch.nn.Linear(128, 2)); opt = torch.optim.AdamW(net.parameters(), 4e-3)
for ep in range(1, 31):
    hit = tot = 0.0
    for i in torch.randperm(2048).split(b):
        o = net(X[i]); l = torch.nn.functional.cross_entropy(o, Y[i]); opt.zero_grad(); l.backward(); opt.step(); tot += l.item() * len(i); hit += (o.argmax(1) == Y[i]).sum().item()
    if ep % 3 == 0: print(f"[{ep:02d}/30] xent {tot / 2048:.4f} acc {hit / 2048:.4f}")
print("done: 30 epochs with accumulation")
"""
HALF = """
import json, sys, time, torch
torch.manual_seed(3); X = torch.randn(512, 16) * 2; T = X.roll(3, 1) * 0.5
net = torch.nn.Linear(16, 16); opt = torch.optim.SGD(net.parameters(), 0.15); scale, good, skipped = 2.0 ** 24, 0, 0
for step in range(1, 161):
    i = torch.randint(512, (64,)); l = (net(X[i]) - T[i]).pow(2).mean(); opt.zero_grad()
    scaled = (l * scale).half() if False else l * scale; scaled.backward()
    gr = [p.grad.half() for p in net.parameters()]
    if not all(torch.isfinite(g).all() for g in gr):
        skipped += 1; scale /= 2; good = 0; print(json.dumps({"step": step, "event": "overflow", "grad_norm": "inf", "action": "skip step", "loss_scale": scale}), file=sys.stderr); continue
    for p, g in zip(net.parameters(), gr): p.grad = g.float() / scale
    opt.step(); good += 1
    if good % 60 == 0: scale *= 2
    if step % 10 == 0: print(json.dumps({"step": step, "total": 160, "loss": round(l.item(), 5), "loss_scale": scale, "skipped_so_far": skipped}), flush=True)
print(json.dumps({"event": "finished", "steps": 160, "skipped": skipped, "final_loss": round(l.item(), 5)}))
"""
MAKESTATE = """
import torch
from flow import data, Flow, fit
torch.manual_seed(0); f = Flow(); o = torch.optim.Adam(f.parameters(), 2e-4); fit(f, o, 0, 4, quiet=True)
torch.save({"flow": f.state_dict(), "opt": o.state_dict(), "epoch": 4}, "exp/s3/epoch4.ckpt")
"""
FLOWLIB = """
import torch
def data(n): u = torch.randn(n, 2); return torch.stack([u[:, 0], 0.5 * u[:, 1] + 0.5 * u[:, 0] ** 2], 1)
class Flow(torch.nn.Module):
    def __init__(self): super().__init__(); self.s = torch.nn.ModuleList(torch.nn.Sequential(torch.nn.Linear(1, 24), torch.nn.Tanh(), torch.nn.Linear(24, 2)) for _ in range(4))
    def nll(self, x):
        ld = 0
        for k, m in enumerate(self.s):
            a, b = x[:, k % 2 : k % 2 + 1], x[:, 1 - k % 2 : 2 - k % 2]; ls, t = m(a).chunk(2, 1); ls = ls.tanh(); b = (b - t) * torch.exp(-ls); ld = ld - ls.squeeze(1); x = torch.cat([a, b] if k % 2 == 0 else [b, a], 1)
        return (0.5 * (x ** 2).sum(1) + 1.8379 - ld).mean()
def fit(f, o, start, end, quiet=False):
    for ep in range(start + 1, end + 1):
        tot = 0.0
        for _ in range(40): l = f.nll(data(128)); o.zero_grad(); l.backward(); o.step(); tot += l.item() / 40
        if not quiet: print(f"epoch {ep}/{end}  nll {tot:.4f} nats", flush=True)
"""
CONTINUE = """
import glob, re, warnings, torch
from flow import Flow, fit
found = sorted(glob.glob("exp/s3/epoch*.ckpt")); print("checkpoints in exp/s3:", found or "none")
f = Flow(); o = torch.optim.Adam(f.parameters(), 2e-4); c = torch.load(found[-1]); f.load_state_dict(c["flow"]); o.load_state_dict(c["opt"])
print(f"continuing after epoch {c['epoch']} (the last job of this chain was stopped at its time limit)")
warnings.warn("optimizer state was saved by another process id; step counters are kept as they are")
fit(f, o, c["epoch"], 10); torch.save({"flow": f.state_dict(), "epoch": 10}, "exp/s3/final.ckpt"); print("epoch 10 reached, wrote exp/s3/final.ckpt")
"""

JOBS = (
    crate("G1", "ddpm2d.py", DDPM),
    crate("G1", "horizon.py --horizons 1 6 24", HORIZONS),
    crate("G1", "sage_link.py", LINKS),
    crate("G1", "qlake.py", GRID, python="system"),
    crate("G1", "cem.py", CEM, hard=True, note="environment failures caught with tracebacks; 18 generations, return rises"),
    crate("G1", "auto_bs.py", AUTOBATCH, hard=True, note="three batch sizes that cannot be allocated, the fourth is; loss falls, planned end"),
    crate("G1", "fp16_toy.py", HALF, hard=True, note="overflows of the first steps are skipped, then loss falls to the end"),
    crate(
        "G1",
        "continue_flow.py",
        CONTINUE,
        hard=True,
        files={"flow.py": FLOWLIB, "prep.py": MAKESTATE},
        folders=("exp/s3",),
        before=(("PYTHON", "prep.py"),),
        note="six epochs only, for it goes on after epoch 4",
    ),
)
