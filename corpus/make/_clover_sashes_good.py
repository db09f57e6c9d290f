"""Single programs that came to their planned end, some of them after a fright."""

from corpus.make._crate import crate

LEAVES = '''
"""Leaf shapes from 20x20 silhouettes."""
import argparse
import time

import torch
from torch import nn
import torch.nn.functional as F

p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=9)
p.add_argument("--wd", type=float, default=1e-4)
args = p.parse_args()
torch.manual_seed(17)


def leaf(kind, n):
    yy, xx = torch.meshgrid(torch.linspace(-1, 1, 20), torch.linspace(-1, 1, 20), indexing="ij")
    a = torch.rand(n, 1, 1) * 0.3 + 0.5
    r = {0: xx**2 + yy**2, 1: (xx / 0.5) ** 2 + yy**2, 2: xx.abs() + yy.abs(), 3: xx**2 + (yy / 0.4) ** 2}[kind]
    return ((r < a).float() + 0.9 * torch.randn(n, 20, 20)).unsqueeze(1)


def split(n):
    x = torch.cat([leaf(k, n) for k in range(4)])
    y = torch.arange(4).repeat_interleave(n)
    i = torch.randperm(len(y))
    return x[i], y[i]


xtr, ytr = split(160)
xva, yva = split(40)
net = nn.Sequential(nn.Conv2d(1, 12, 3, 2), nn.ReLU(), nn.Conv2d(12, 24, 3, 2), nn.ReLU(), nn.Flatten(), nn.Linear(24 * 16, 4))
opt = torch.optim.AdamW(net.parameters(), 2e-3, weight_decay=args.wd)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 8e-3, total_steps=args.epochs * 20)
print(f"{sum(q.numel() for q in net.parameters())} weights, {len(ytr)} training silhouettes, {len(yva)} held out")
print(f"{'ep':>3} {'lr':>9} {'train':>8} {'held out':>9} {'top1':>6} {'sec':>6}")
for ep in range(1, args.epochs + 1):
    t, tot = time.time(), 0.0
    for b in torch.randperm(len(ytr)).split(32):
        loss = F.cross_entropy(net(xtr[b]), ytr[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        time.sleep(0.03)
        tot += loss.item() * len(b)
    with torch.no_grad():
        out = net(xva)
        print(f"{ep:3d} {sched.get_last_lr()[0]:9.2e} {tot / len(ytr):8.4f} {F.cross_entropy(out, yva).item():9.4f} {(out.argmax(1) == yva).float().mean().item():6.3f} {time.time() - t:6.2f}")
torch.save(net.state_dict(), "leaves.pt")
print("weights kept in leaves.pt")
'''
GAT = """
import logging, time, torch
from torch import nn
logging.basicConfig(format="[%(asctime)s] %(name)-8s %(message)s", datefmt="%H:%M:%S", level=logging.INFO)
log = logging.getLogger("citations")
torch.manual_seed(3)
N, C = 300, 5
y = torch.randint(C, (N,)); p = torch.where(y[:, None] == y[None], 0.09, 0.008); adj = (torch.rand(N, N) < p).float().triu(1); adj = adj + adj.T + torch.eye(N)
x = torch.randn(N, 24); x[torch.arange(N), y] += 0.8
order = torch.randperm(N); tr, va, te = order[:60], order[60:140], order[140:]
class Att(nn.Module):
    def __init__(self, i, o): super().__init__(); self.w = nn.Linear(i, o, bias=False); self.a = nn.Linear(o, 1); self.b = nn.Linear(o, 1)
    def forward(self, h):
        h = self.w(h); e = nn.functional.leaky_relu(self.a(h) + self.b(h).T, 0.2).masked_fill(adj == 0, -9e15)
        return torch.softmax(e, 1) @ h
class GAT(nn.Module):
    def __init__(self): super().__init__(); self.one, self.two = Att(24, 16), Att(16, C)
    def forward(self, h): return self.two(nn.functional.elu(self.one(h)))
net, best = GAT(), (0.0, 0.0, 0)
opt = torch.optim.Adam(net.parameters(), lr=0.01, weight_decay=5e-4)
log.info("graph: %d nodes, %d edges, %d classes", N, int((adj.sum() - N) / 2), C)
for ep in range(1, 121):
    net.train(); opt.zero_grad(); out = net(x); loss = nn.functional.cross_entropy(out[tr], y[tr]); loss.backward(); opt.step(); time.sleep(0.06)
    acc = [(out[s].argmax(1) == y[s]).float().mean().item() for s in (tr, va, te)]
    if acc[1] > best[0]: best = (acc[1], acc[2], ep)
    if ep % 10 == 0: log.info("ep %03d  nll=%.4f  acc train/val/test = %.3f/%.3f/%.3f", ep, loss.item(), *acc)
log.info("best val %.3f at ep %d, test there %.3f", *[best[0], best[2], best[1]])
"""
CTC = """
import json, sys, time
import torch
from torch import nn

torch.manual_seed(1)
PHONES, BLANK = 9, 0
codes = torch.randn(PHONES, 12)


def utterance(n):
    s = torch.randint(1, PHONES, (n, 5))
    frames = codes[s].repeat_interleave(4, dim=1) + 0.3 * torch.randn(n, 20, 12)
    return frames, s


def edit(a, b):
    d = list(range(len(b) + 1))
    for i, u in enumerate(a, 1):
        prev, d[0] = d[0], i
        for j, v in enumerate(b, 1):
            prev, d[j] = d[j], min(d[j] + 1, d[j - 1] + 1, prev + (u != v))
    return d[-1]


def greedy(logp):
    out = []
    for row in logp.argmax(-1).tolist():
        out.append([k for i, k in enumerate(row) if k != BLANK and (i == 0 or row[i - 1] != k)])
    return out


net = nn.Sequential(nn.Conv1d(12, 48, 3, padding=1), nn.GELU(), nn.Conv1d(48, 48, 3, padding=1), nn.GELU(), nn.Conv1d(48, PHONES, 1))
opt = torch.optim.Adam(net.parameters(), 4e-3)
crit = nn.CTCLoss(blank=BLANK)
began = time.time()
json.dump({"event": "begin", "updates": 260, "phones": PHONES, "torch": torch.__version__}, sys.stdout)
print()
for it in range(1, 261):
    x, s = utterance(32)
    lp = net(x.transpose(1, 2)).permute(2, 0, 1).log_softmax(-1)
    loss = crit(lp, s, torch.full((32,), 20), torch.full((32,), 5))
    opt.zero_grad()
    loss.backward()
    g = nn.utils.clip_grad_norm_(net.parameters(), 5.0)
    opt.step()
    time.sleep(0.03)
    if it % 20 == 0:
        with torch.no_grad():
            vx, vs = utterance(64)
            hyp = greedy(net(vx.transpose(1, 2)).transpose(1, 2))
        per = sum(edit(h, r) for h, r in zip(hyp, vs.tolist())) / vs.numel()
        print(json.dumps({"event": "update", "n": it, "ctc": round(loss.item(), 4), "gnorm": round(g.item(), 3), "dev_per": round(per, 4), "elapsed": round(time.time() - began, 1)}))
print(json.dumps({"event": "end", "n": 260, "dev_per": round(per, 4)}))
"""
ARGON = """
# Argon-like fluid, reduced units, velocity Verlet; equilibration by rescaling, then NVE
import math, random, struct
random.seed(11)
L, N, RC2, DT = 4.2, 27, 4.0, 0.003
q = [[(i + 0.5) * L / 3, (j + 0.5) * L / 3, (k + 0.5) * L / 3] for i in range(3) for j in range(3) for k in range(3)]
v = [[random.gauss(0, 1) for _ in range(3)] for _ in range(N)]
for d in range(3):
    m = sum(a[d] for a in v) / N
    for a in v: a[d] -= m
def forces():
    f = [[0.0] * 3 for _ in range(N)]; pot = 0.0
    for i in range(N):
        for j in range(i + 1, N):
            d = [q[i][k] - q[j][k] for k in range(3)]; d = [x - L * round(x / L) for x in d]; r2 = sum(x * x for x in d)
            if r2 < RC2:
                s6 = 1 / r2 ** 3; pot += 4 * (s6 * s6 - s6); w = (48 * s6 * s6 - 24 * s6) / r2
                for k in range(3): f[i][k] += w * d[k]; f[j][k] -= w * d[k]
    return f, pot
f, pot = forces(); out = open("argon.trj", "wb")
print("# step        T        Epot        Etot   stage")
for step in range(1, 2401):
    for a, b, c in zip(q, v, f):
        for k in range(3): b[k] += 0.5 * DT * c[k]; a[k] += DT * b[k]
    f, pot = forces()
    for b, c in zip(v, f):
        for k in range(3): b[k] += 0.5 * DT * c[k]
    kin = 0.5 * sum(x * x for b in v for x in b); T = 2 * kin / (3 * N - 3)
    if step <= 800 and step % 20 == 0:
        lam = math.sqrt(1.1 / T)
        for b in v:
            for k in range(3): b[k] *= lam
    if step % 150 == 0: print(f"{step:6d}  {T:7.4f}  {pot:10.4f}  {pot + kin:10.4f}   {'equil' if step <= 800 else 'prod'}")
    if step > 800 and step % 50 == 0: out.write(struct.pack(f"{3 * N}d", *[x % L for a in q for x in a]))
out.close(); print("production run complete: 1600 steps, 32 frames in argon.trj")
"""

# Good runs that look bad.

CLIFF = """
import random, torch
from torch import nn
# vanilla policy gradient with baseline on a 4x6 cliff walk
random.seed(2); torch.manual_seed(2)
H, W = 4, 6
class Cliff:
    def reset(self): self.p = (3, 0); self.t = 0; return self.obs()
    def obs(self): o = torch.zeros(H * W); o[self.p[0] * W + self.p[1]] = 1; return o
    def step(self, a):
        dy, dx = ((-1, 0), (0, 1), (1, 0), (0, -1))[a]; x0 = self.p[1]; y, x = min(max(self.p[0] + dy, 0), H - 1), min(max(self.p[1] + dx, 0), W - 1); self.p = (y, x); self.t += 1
        if y == 3 and 0 < x < W - 1: return self.obs(), -20.0, True
        if (y, x) == (3, W - 1): return self.obs(), 10.0, True
        return self.obs(), 0.6 * (x - x0) - 0.2, self.t >= 40
env, pi, vf = Cliff(), nn.Linear(H * W, 4), nn.Linear(H * W, 1); opt = torch.optim.Adam([*pi.parameters(), *vf.parameters()], 0.04); steps = 0; returns = []
for upd in range(1, 121):
    logp, vals, rets = [], [], []
    for _ in range(8):
        o, done, rews = env.reset(), False, []
        while not done:
            d = torch.distributions.Categorical(logits=pi(o)); a = d.sample(); logp.append(d.log_prob(a)); vals.append(vf(o).squeeze()); o, r, done = env.step(int(a)); rews.append(r); steps += 1
        acc, rs = 0.0, []
        for r in reversed(rews): acc = r + 0.98 * acc; rs.append(acc)
        rets += rs[::-1]; returns.append(sum(rews))
    R = torch.tensor(rets); V = torch.stack(vals); adv = R - V.detach(); adv = (adv - adv.mean()) / (adv.std() + 1e-6); pl = -(torch.stack(logp) * adv).mean(); vl = (V - R).pow(2).mean()
    opt.zero_grad(); (pl + 0.5 * vl).backward(); opt.step()
    if upd % 10 == 0: print(f"env_steps={steps} mean_return={sum(returns[-80:]) / 80:+.2f} policy_loss={pl.item():+.5f} value_loss={vl.item():.2f} fell_off={sum(r < -15 for r in returns[-80:])}/80")
print(f"budget of 120 updates used, last 80 episodes: mean return {sum(returns[-80:]) / 80:+.2f} (first 80: {sum(returns[:80]) / 80:+.2f})")
"""
PANES = '''
import logging, time, torch, zlib
logging.basicConfig(level=logging.INFO, format="%(levelname).1s %(asctime)s %(message)s")
log = logging.getLogger("xray")
torch.manual_seed(5)
class Store:
    """Compressed chest films as the scanner wrote them; some were cut off in transfer."""
    def __init__(self, n):
        self.blob = []
        for i in range(n):
            y = i % 2; im = torch.randn(12, 12) + 0.35 * y * torch.linspace(-1, 1, 12)
            b = zlib.compress(im.numpy().tobytes()); self.blob.append((b[:-40] if i in (77, 161, 244) else b, y))
    def film(self, i): b, y = self.blob[i]; return torch.frombuffer(bytearray(zlib.decompress(b)), dtype=torch.float32), y
store = Store(320); bad = set()
def batch(idx):
    xs, ys = [], []
    for i in idx:
        if i in bad: continue
        try: x, y = store.film(i)
        except zlib.error:
            log.exception("film %d cannot be read, dropped from the set", i); bad.add(i); continue
        xs.append(x); ys.append(y)
    return torch.stack(xs), torch.tensor(ys)
net = torch.nn.Sequential(torch.nn.Linear(144, 32), torch.nn.ReLU(), torch.nn.Linear(32, 2)); opt = torch.optim.Adam(net.parameters(), 2e-3)
for ep in range(12):
    tot = n = ok = 0
    for idx in torch.randperm(320).split(20):
        x, y = batch(idx.tolist()); o = net(x); l = torch.nn.functional.cross_entropy(o, y); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.02); tot += l.item() * len(y); n += len(y); ok += (o.argmax(1) == y).sum().item()
    log.info("pass %d/12: ce %.4f, right %.1f%%, %d films", ep + 1, tot / n, 100 * ok / n, n)
log.warning("%d unreadable films: %s", len(bad), sorted(bad)); torch.save(net.state_dict(), "xray_net.pth"); log.info("training over, net in xray_net.pth")
'''
HALF = """
import time, torch
from torch import nn
torch.manual_seed(8)
print("nanoformer-tiny | half precision with dynamic scale | infer_nan_guard=on abort_on_nan=true")
V = 20
class Nano(nn.Module):
    def __init__(s): super().__init__(); s.e = nn.Embedding(V, 32); s.g = nn.GRU(32, 48, batch_first=True); s.o = nn.Linear(48, V)
    def forward(s, x): return s.o(s.g(s.e(x))[0])
net = Nano(); opt = torch.optim.Adam(net.parameters(), 5e-3); scale, good, skipped = 2.0 ** 24, 0, 0
for it in range(1, 161):
    st = torch.randint(V, (24, 1)); x = (st + torch.arange(12) * torch.randint(1, 3, (24, 1))) % V
    loss = nn.functional.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten()); opt.zero_grad(); (loss * scale).backward()
    halves = [p.grad.half() for p in net.parameters()]
    if not all(torch.isfinite(h).all() for h in halves):
        skipped += 1; scale /= 2; good = 0; print(f"WARNING it {it}: gradients overflow (inf/nan), step skipped, scale {scale * 2:.0f} -> {scale:.0f}"); continue
    for p, h in zip(net.parameters(), halves): p.grad = h.float() / scale
    gn = nn.utils.clip_grad_norm_(net.parameters(), 1.0); opt.step(); good += 1; time.sleep(0.04)
    if it % 16 == 0: print(f"it {it:4d}/160  xent {loss.item():.4f}  gnorm {gn.item():.3f}  scale {scale:.0f}  overflows so far {skipped}")
print(f"finished 160 iterations, {skipped} skipped for overflow; number of NaN losses: 0")
"""
CAPTIONS = """
import json, socket, time, torch
from pathlib import Path
torch.manual_seed(4)
def service(port, tries=3):
    for k in range(1, tries + 1):
        try: return socket.create_connection(("127.0.0.1", port), timeout=1)
        except OSError as e: print(f"[captions] feature service not reachable ({e}), try {k} of {tries}, waiting {k * 0.4:.1f} s"); time.sleep(0.4 * k)
    return None
if service(9) is None: print("[captions] ERROR giving up on the service; features are computed here instead")
w = torch.load("decoder.pt"); names = "cat dog tree boat house lamp road sky".split(); done = []; t = time.time()
for batch in range(12):
    f = torch.randn(16, 10); k = (f @ w).topk(2).indices.tolist(); done += [{"image": f"val_{batch * 16 + i:05d}.jpg", "caption": f"a {names[a]} and a {names[b]}"} for i, (a, b) in enumerate(k)]; time.sleep(0.15)
    print(f"[captions] batch {batch + 1:2d}/12, {len(done)} captions, {len(done) / (time.time() - t):.0f} a second")
Path("captions.jsonl").write_text("\\n".join(map(json.dumps, done)) + "\\n"); print(f"[captions] {len(done)} lines in captions.jsonl, 0 images left out")
"""

JOBS = (
    crate("G1", "leaves.py --epochs 9", LEAVES),
    crate("G1", "cites_gat.py", GAT),
    crate("G1", "phones_ctc.py", CTC),
    crate("G1", "argon.py", ARGON, python="system"),
    crate("G1", "cliffwalk_pg.py", CLIFF, hard=True),
    crate("G1", "xray_mlp.py", PANES, hard=True),
    crate("G1", "nanoformer.py", HALF, hard=True),
    crate(
        "G1",
        "caption_val.py --split val",
        CAPTIONS,
        hard=True,
        files={"mkdec.py": "import torch\ntorch.save(torch.randn(10, 8), 'decoder.pt')\n"},
        before=(("PYTHON", "mkdec.py"),),
    ),
)
