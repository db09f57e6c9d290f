"""Students' runs that came to their planned end, half of them with much that looks like trouble."""

from corpus.make._crate import crate

SIMCLR = """
import logging, sys, torch, torch.nn as nn, torch.nn.functional as F
log = logging.getLogger("ssl.pretrain")
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="[%(asctime)s][%(name)s][%(levelname)s] - %(message)s")
CFG = {"model": {"backbone": "mlp_s", "width": 96, "proj_dim": 32}, "optim": {"lr": 0.002, "weight_decay": 1e-4}, "loss": {"temperature": 0.2}, "train": {"epochs": 14, "batch_size": 128}, "seed": 1}

def apply_overrides(cfg, words):
    for word in words:
        key, _, value = word.partition("="); *path, leaf = key.split("."); node = cfg
        for part in path: node = node[part]
        node[leaf] = type(node[leaf])(value)

def show(cfg, indent=0):
    for key, value in cfg.items():
        if isinstance(value, dict): print(" " * indent + f"{key}:"); show(value, indent + 2)
        else: print(" " * indent + f"{key}: {value}")

def nt_xent(a, b, t):
    z = F.normalize(torch.cat([a, b]), dim=1); sim = z @ z.T / t; sim.fill_diagonal_(-1e9); n = len(a)
    return F.cross_entropy(sim, torch.cat([torch.arange(n, 2 * n), torch.arange(n)]))

apply_overrides(CFG, sys.argv[1:]); show(CFG); sys.stdout.flush(); torch.manual_seed(CFG["seed"])
means = torch.randn(8, 48) * 1.5; labels = torch.randint(8, (1280,)); data = means[labels] + 0.6 * torch.randn(1280, 48)
w = CFG["model"]["width"]; encoder = nn.Sequential(nn.Linear(48, w), nn.BatchNorm1d(w), nn.ReLU(), nn.Linear(w, w)); head = nn.Sequential(nn.ReLU(), nn.Linear(w, CFG["model"]["proj_dim"]))
log.info("encoder has %.1fk parameters", sum(p.numel() for p in encoder.parameters()) / 1e3)
opt = torch.optim.AdamW([*encoder.parameters(), *head.parameters()], CFG["optim"]["lr"], weight_decay=CFG["optim"]["weight_decay"])
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, CFG["train"]["epochs"]); augment = lambda x: x * (torch.rand_like(x) > 0.15) + 0.2 * torch.randn_like(x)
for epoch in range(CFG["train"]["epochs"]):
    losses = []
    for i in torch.randperm(1280).split(CFG["train"]["batch_size"]):
        loss = nt_xent(head(encoder(augment(data[i]))), head(encoder(augment(data[i]))), CFG["loss"]["temperature"]); opt.zero_grad(); loss.backward(); opt.step(); losses.append(loss.item())
    sched.step(); log.info("epoch %02d/%02d  nt_xent %.4f  lr %.5f", epoch + 1, CFG["train"]["epochs"], sum(losses) / len(losses), sched.get_last_lr()[0])
torch.save(encoder.state_dict(), "encoder.pt"); encoder.eval()
with torch.no_grad(): feats = F.normalize(encoder(data), dim=1)
near = (feats[1000:] @ feats[:1000].T).topk(5).indices; votes = torch.stack([labels[n].mode().values for n in near])
log.info("kNN(5) top-1 on 280 held-out samples: %.3f", (votes == labels[1000:]).float().mean()); log.info("done, encoder.pt written")
"""

BPR = '''
"""Bayesian personalised ranking, no dependencies. usage: bpr.py --factors 8 --epochs 10"""
import argparse, math, random, time
ap = argparse.ArgumentParser(); ap.add_argument("--factors", type=int, default=8); ap.add_argument("--epochs", type=int, default=10); ap.add_argument("--lr", type=float, default=0.06); ap.add_argument("--reg", type=float, default=0.002); a = ap.parse_args()
random.seed(20); U, I, K = 150, 180, a.factors
taste = [random.randrange(6) for _ in range(U)]; seen = [{random.choice(range(t * 30, t * 30 + 30)) if random.random() < 0.9 else random.randrange(I) for _ in range(16)} for t in taste]
held = [s.pop() for s in seen]; pairs = [(u, i) for u in range(U) for i in seen[u]]
print(f"{U} users, {I} items, {len(pairs)} interactions, {K} factors, leave-one-out split"); print("| epoch |  bpr   | hit@10 | ndcg@10 |  sec |"); print("|------:|-------:|-------:|--------:|-----:|", flush=True)
P = [[random.gauss(0, 0.1) for _ in range(K)] for _ in range(U)]; Q = [[random.gauss(0, 0.1) for _ in range(K)] for _ in range(I)]
dot = lambda x, y: sum(p * q for p, q in zip(x, y))
for epoch in range(1, a.epochs + 1):
    t = time.time(); total = 0.0; random.shuffle(pairs)
    for u, i in pairs:
        j = random.randrange(I)
        while j in seen[u]: j = random.randrange(I)
        x = dot(P[u], Q[i]) - dot(P[u], Q[j]); s = 1 / (1 + math.exp(x)); total += math.log1p(math.exp(-x))
        for k in range(K):
            p, qi, qj = P[u][k], Q[i][k], Q[j][k]
            P[u][k] += a.lr * (s * (qi - qj) - a.reg * p); Q[i][k] += a.lr * (s * p - a.reg * qi); Q[j][k] += a.lr * (-s * p - a.reg * qj)
    hit = ndcg = 0.0
    for u in range(U):
        mine = dot(P[u], Q[held[u]]); rank = sum(dot(P[u], Q[i]) > mine for i in range(I) if i not in seen[u])
        if rank < 10: hit += 1; ndcg += 1 / math.log2(rank + 2)
    print(f"| {epoch:5d} | {total / len(pairs):.4f} | {hit / U:.4f} |  {ndcg / U:.4f} | {time.time() - t:4.1f} |", flush=True)
with open("factors.txt", "w") as f: f.writelines(" ".join(f"{v:.5f}" for v in row) + "\\n" for row in P + Q)
print("factors.txt written")
'''

KERASLIKE = """
import time, numpy as np
rng = np.random.default_rng(7)
class Dense:
    def __init__(self, units, relu): self.units, self.relu = units, relu
    def build(self, n): self.w = rng.normal(0, np.sqrt(2 / n), (n, self.units)); self.b = np.zeros(self.units); self.m = [0, 0]; return self.units
    def __call__(self, x): self.x = x; self.z = x @ self.w + self.b; return np.maximum(self.z, 0) if self.relu else self.z
    def back(self, g, lr):
        g = g * (self.z > 0) if self.relu else g; out = g @ self.w.T
        for n, (p, d) in enumerate(((self.w, self.x.T @ g), (self.b, g.sum(0)))): self.m[n] = 0.9 * self.m[n] + d; p -= lr * self.m[n]
        return out
class Sequential:
    def __init__(self, layers): self.layers = layers
    def summary(self, n):
        print('Model: "sequential"'); print("_" * 56); print(f"{' Layer (type)':<26}{'Output Shape':<18}Param #"); print("=" * 56); total = 0
        for k, l in enumerate(self.layers): had = n; n = l.build(n); total += had * n + n; print(f" dense_{k} (Dense)".ljust(26) + f"(None, {n})".ljust(18) + f"{had * n + n}")
        print("=" * 56); print(f"Total params: {total:,}\\n")
    def predict(self, x):
        for l in self.layers: x = l(x)
        e = np.exp(x - x.max(1, keepdims=True)); return e / e.sum(1, keepdims=True)
    def evaluate(self, x, y): p = self.predict(x); return -np.log(p[np.arange(len(y)), y] + 1e-9).mean(), (p.argmax(1) == y).mean()
    def fit(self, x, y, epochs, batch, val):
        for e in range(epochs):
            t = time.time(); order = rng.permutation(len(x)); n = len(x) // batch
            for k in range(n):
                i = order[k * batch:(k + 1) * batch]; g = self.predict(x[i]); g[np.arange(batch), y[i]] -= 1; g /= batch
                for l in reversed(self.layers): g = l.back(g, 0.01)
            (a, b), (c, d) = self.evaluate(x, y), self.evaluate(*val); s = time.time() - t
            print(f"Epoch {e + 1}/{epochs}\\n{n}/{n} - {s:.0f}s - {1000 * s / n:.0f}ms/step - accuracy: {b:.4f} - loss: {a:.4f} - val_accuracy: {d:.4f} - val_loss: {c:.4f}", flush=True)
X = rng.normal(size=(9000, 24)); Y = (X[:, :7] + 0.1 * rng.normal(size=(9000, 7))).argmax(1)
m = Sequential([Dense(96, True), Dense(48, True), Dense(7, False)]); m.summary(24); m.fit(X[:8000], Y[:8000], 10, 80, (X[8000:8500], Y[8000:8500]))
print("test loss: {:.4f} - test accuracy: {:.4f}".format(*m.evaluate(X[8500:], Y[8500:]))); np.savez("model.weights.npz", *[l.w for l in m.layers]); print("Saved model to model.weights.npz")
"""

TCN = """
import argparse, sys, time, torch, torch.nn as nn
p = argparse.ArgumentParser(); p.add_argument("--horizon", type=int, default=6); p.add_argument("--window", type=int, default=48); p.add_argument("--epochs", type=int, default=15); o = p.parse_args()
torch.manual_seed(44); t = torch.arange(1400.0); y = (t * 6.2832 / 24).sin() + 0.4 * (t * 6.2832 / 168).cos() + 0.12 * torch.randn(1400)
W = y.unfold(0, o.window + o.horizon, 1); X, Z = W[:, None, : o.window], W[:, o.window:]; cut = int(0.8 * len(X))
net = nn.Sequential(nn.Conv1d(1, 16, 3, dilation=1), nn.ReLU(), nn.Conv1d(16, 16, 3, dilation=4), nn.ReLU(), nn.Conv1d(16, 16, 3, dilation=12), nn.ReLU(), nn.AdaptiveAvgPool1d(4), nn.Flatten(), nn.Linear(64, o.horizon))
opt = torch.optim.Adam(net.parameters(), 4e-3); sch = torch.optim.lr_scheduler.StepLR(opt, 5, 0.5); print(f"# tcn window={o.window} horizon={o.horizon} train={cut} val={len(X) - cut}"); print("epoch,train_mae,val_mae,lr,seconds", flush=True)
for ep in range(1, o.epochs + 1):
    began = time.time(); tot = 0.0
    for i in torch.randperm(cut).split(64): loss = (net(X[i]) - Z[i]).abs().mean(); opt.zero_grad(); loss.backward(); opt.step(); tot += loss.item() * len(i) / cut
    with torch.no_grad(): val = (net(X[cut:]) - Z[cut:]).abs()
    print(f"{ep},{tot:.5f},{val.mean():.5f},{sch.get_last_lr()[0]:.4g},{time.time() - began:.2f}", flush=True); sch.step()
print("# mae by horizon: " + " ".join(f"h{k + 1}={v:.3f}" for k, v in enumerate(val.mean(0).tolist()))); torch.save(net.state_dict(), "tcn.pt"); print("# finished")
"""

# Good runs that look bad.

ABLATE = """
import itertools, json, math, torch, torch.nn as nn
grid = list(itertools.product([0.003, 0.03, 3e3], ["relu", "none"])); print(f"ablation over lr x activation: {len(grid)} runs, 30 epochs each"); results = []
g = torch.Generator().manual_seed(0); X = torch.randn(600, 10, generator=g); y = (X[:, :1] * X[:, 1:2]).tanh() + 0.5 * X[:, 2:3]
for n, (lr, act) in enumerate(grid, 1):
    torch.manual_seed(n); net = nn.Sequential(nn.Linear(10, 40), nn.ReLU() if act == "relu" else nn.Identity(), nn.Linear(40, 1)); opt = torch.optim.SGD(net.parameters(), lr, momentum=0.9); status = "ok"
    print(f"--- run {n}/{len(grid)}: lr={lr} activation={act}")
    for ep in range(30):
        for i in torch.randperm(500).split(50): loss = (net(X[i]) - y[i]).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
        if not math.isfinite(loss.item()): print(f"    epoch {ep}: loss={loss.item()} -> run pruned (expected for the high end of the grid)"); status = "pruned"; break
        if ep % 10 == 9: print(f"    epoch {ep + 1}: mse={loss.item():.5f}", flush=True)
    with torch.no_grad(): results.append({"lr": lr, "act": act, "status": status, "val_mse": round((net(X[500:]) - y[500:]).pow(2).mean().item(), 5) if status == "ok" else None})
good = [r for r in results if r["val_mse"] is not None]; best = min(good, key=lambda r: r["val_mse"])
print(f"{len(good)} of {len(grid)} runs completed, {len(grid) - len(good)} pruned"); [print("  ", json.dumps(r)) for r in results]; json.dump(results, open("ablation.json", "w")); print("best:", best, "-> ablation.json"); print("sweep complete")
"""

SCALER = """
import logging, torch, torch.nn as nn
logging.basicConfig(format="%(asctime)s,%(msecs)03d %(levelname)-7s %(name)s | %(message)s", datefmt="%H:%M:%S", level=logging.INFO); log = logging.getLogger("ddpm")
torch.manual_seed(6); T = 60; bar = torch.cos(torch.linspace(0.02, 1.5, T)) ** 2; x0 = torch.stack([torch.linspace(-1.5, 1.5, 800), torch.linspace(-1.5, 1.5, 800).mul(2).sin()], 1)
net = nn.Sequential(nn.Linear(3, 96), nn.SiLU(), nn.Linear(96, 96), nn.SiLU(), nn.Linear(96, 2)); opt = torch.optim.AdamW(net.parameters(), 2e-3)
scale, clean, skipped = 2.0 ** 24, 0, 0; log.info("fp16 gradients, initial loss scale 2^24, growth every 150 clean steps"); run = None
for step in range(1, 601):
    i = torch.randint(800, (200,)); k = torch.randint(T, (200, 1)); eps = torch.randn(200, 2); xt = bar[k].sqrt() * x0[i] + (1 - bar[k]).sqrt() * eps
    loss = (net(torch.cat([xt, k / T], 1)) - eps).pow(2).mean(); opt.zero_grad(); (loss * scale).backward()
    halves = [p.grad.half() for p in net.parameters()]
    if any(not torch.isfinite(h).all() for h in halves):
        scale /= 2; clean = 0; skipped += 1; log.warning("gradient overflow, inf found in %d tensors: step %d skipped, loss scale down to %g", sum(not torch.isfinite(h).all().item() for h in halves), step, scale); continue
    for p, h in zip(net.parameters(), halves): p.grad = h.float() / scale
    opt.step(); clean += 1; run = loss.item() if run is None else 0.97 * run + 0.03 * loss.item()
    if clean % 150 == 0: scale *= 2; log.info("loss scale up to %g", scale)
    if step % 40 == 0: log.info("step %d/600 eps_mse %.4f (smoothed %.4f)", step, loss.item(), run)
log.info("skipped %d of 600 steps for overflow in all; sampling 256 points", skipped)
with torch.no_grad():
    x = torch.randn(256, 2)
    for k in range(T - 1, 0, -1):
        e = net(torch.cat([x, torch.full((256, 1), k / T)], 1)); clean0 = ((x - (1 - bar[k]).sqrt() * e) / bar[k].sqrt()).clamp(-2, 2); x = bar[k - 1].sqrt() * clean0 + (1 - bar[k - 1]).sqrt() * e
log.info("mean distance of samples to the curve %.3f", torch.cdist(x, x0).min(1).values.mean()); torch.save(net.state_dict(), "ddpm.pt"); log.info("saved ddpm.pt, bye")
"""

FEDAVG = '''
import logging, random, sys, torch, torch.nn.functional as F
logging.basicConfig(stream=sys.stderr, level="INFO", format="%(levelname)s | %(name)s | %(message)s"); server = logging.getLogger("server")
random.seed(2); torch.manual_seed(2); K, R = 8, 12; truth = torch.randn(20, 4)
def shard(k): x = torch.randn(150, 20) + 0.3 * k / K; return x, (x @ truth).argmax(1)
clients = [shard(k) for k in range(K)]; test = shard(3); W = torch.zeros(20, 4)
class Link:
    """A client's connection; phones come and go."""
    def __init__(self, k): self.k = k
    def train(self, w, rnd):
        if (rnd * 5 + self.k * 3) % 11 == 0: raise ConnectionResetError(104, "Connection reset by peer")
        x, y = clients[self.k]; w = w.clone().requires_grad_()
        for _ in range(5): loss = F.cross_entropy(x @ w, y); (g,) = torch.autograd.grad(loss, w); w = (w - 0.4 * g).detach().requires_grad_()
        return w.detach(), loss.item()
server.info("federated averaging: %d clients, %d rounds, at least %d answers a round", K, R, K // 2)
for rnd in range(1, R + 1):
    back = []
    for k in range(K):
        try: back.append(Link(k).train(W, rnd))
        except ConnectionResetError: server.exception("client %d failed in round %d, its update is left out", k, rnd)
    W = torch.stack([w for w, _ in back]).mean(0)
    server.info("round %d/%d: %d/%d clients answered, train loss %.4f, test accuracy %.3f", rnd, R, len(back), K, sum(l for _, l in back) / len(back), ((test[0] @ W).argmax(1) == test[1]).float().mean())
torch.save(W, "global.pt"); server.info("all %d rounds done, global model in global.pt", R)
'''

RESUMED = """
import argparse, os, sys, warnings, torch, torch.nn as nn
p = argparse.ArgumentParser(); p.add_argument("--epochs", type=int, default=30); p.add_argument("--stop-after", type=int, default=10 ** 6); a = p.parse_args()
torch.manual_seed(3); X = torch.randn(900, 28); Y = (X[:, :9] + X[:, 9:18] / 2).argmax(1); V, VY = X[700:], Y[700:]
net = nn.Sequential(nn.Linear(28, 64), nn.GELU(), nn.Linear(64, 9)); opt = torch.optim.AdamW(net.parameters(), 4e-3); first = 0; best = 0.0
if os.path.exists("outputs/last.ckpt"):
    ck = torch.load("outputs/last.ckpt"); missing = net.load_state_dict(ck["model"], strict=False); opt.load_state_dict(ck["opt"]); first, best = ck["epoch"], ck["best"]
    print(f"resuming from outputs/last.ckpt: {first} epochs are done, best val_acc so far {best:.3f}")
    if missing.unexpected_keys: warnings.warn(f"unexpected keys in checkpoint were ignored: {missing.unexpected_keys}")
    try: torch.set_rng_state(ck["rng"])
    except (KeyError, TypeError) as e: print(f"WARNING could not restore the RNG state ({type(e).__name__}: {e}); order of batches will differ", file=sys.stderr)
for ep in range(first, a.epochs):
    for i in torch.randperm(700).split(50): loss = nn.functional.cross_entropy(net(X[i]), Y[i]); opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad(): acc = (net(V).argmax(1) == VY).float().mean().item()
    star = " *" if acc > best else ""; best = max(best, acc); print(f"[{ep + 1:02d}/{a.epochs}] loss={loss.item():.4f} val_acc={acc:.3f}{star}", flush=True)
    os.makedirs("outputs", exist_ok=True); torch.save({"model": {**net.state_dict(), "ema.decay": torch.tensor(0.99)}, "opt": opt.state_dict(), "epoch": ep + 1, "best": best, "rng": None}, "outputs/last.ckpt")
    if ep + 1 == a.stop_after: sys.exit(99)
print(f"training finished: best val_acc {best:.3f}")
"""

JOBS = (
    crate("G1", "pretrain.py train.epochs=14 optim.lr=0.003", SIMCLR),
    crate("G1", "bpr.py --factors 8 --epochs 14 --lr 0.1", BPR, python="system"),
    crate("G1", "fit_dense.py", KERASLIKE),
    crate("G1", "tcn.py --horizon 6", TCN),
    crate("G1", "ablate.py", ABLATE, hard=True),
    crate("G1", "ddpm2d.py", SCALER, hard=True),
    crate("G1", "fedavg.py", FEDAVG, hard=True),
    crate("G1", "main.py --epochs 30", RESUMED, hard=True, before=(("PYTHON", "main.py", "--epochs", "30", "--stop-after", "13"),)),
)
