"""Runs of plain PyTorch that came to their planned end."""

from corpus.make._crate import crate

SEG = '''
"""U-Net style segmentation on synthetic blobs."""
import argparse, logging, time
import torch, torch.nn as nn, torch.nn.functional as F

logging.basicConfig(level=logging.INFO, format="%(asctime)s | %(levelname)-7s | %(name)s | %(message)s")
log = logging.getLogger("segtrain")

class Tiny(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.d1, self.d2 = nn.Conv2d(1, c, 3, padding=1), nn.Conv2d(c, 2 * c, 3, padding=1, stride=2)
        self.up, self.out = nn.ConvTranspose2d(2 * c, c, 2, stride=2), nn.Conv2d(2 * c, 1, 1)
    def forward(self, x):
        a = F.relu(self.d1(x)); b = F.relu(self.d2(a))
        return self.out(torch.cat([a, F.relu(self.up(b))], 1))

def blobs(n, g):
    xs, ys = torch.meshgrid(torch.arange(32), torch.arange(32), indexing="ij")
    c = torch.randint(6, 26, (n, 2, 1, 1), generator=g)
    m = (((xs - c[:, 0]) ** 2 + (ys - c[:, 1]) ** 2) < 30).float()[:, None]
    return m + 0.4 * torch.randn(m.shape, generator=g), m

def dice(p, m):
    p = (p > 0).float()
    return (2 * (p * m).sum() / (p.sum() + m.sum() + 1e-6)).item()

if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=8); ap.add_argument("--bs", type=int, default=16)
    a = ap.parse_args()
    g = torch.Generator().manual_seed(3)
    tr, va = blobs(192, g), blobs(48, g)
    net = Tiny(); opt = torch.optim.AdamW(net.parameters(), 4e-3)
    log.info("parameters: %.1fk, train %d, val %d", sum(p.numel() for p in net.parameters()) / 1e3, 192, 48)
    for ep in range(1, a.epochs + 1):
        t0 = time.time(); tot = 0.0
        for i in range(0, 192, a.bs):
            loss = F.binary_cross_entropy_with_logits(net(tr[0][i:i + a.bs]), tr[1][i:i + a.bs])
            opt.zero_grad(); loss.backward(); opt.step(); tot += loss.item()
        with torch.no_grad():
            d = dice(net(va[0]), va[1])
        log.info("epoch %02d/%02d train_bce=%.4f val_dice=%.4f (%.2fs)", ep, a.epochs, tot / (192 / a.bs), d, time.time() - t0)
    torch.save(net.state_dict(), "unet_last.pth")
    log.info("training finished, weights in unet_last.pth")
'''

CHARS = '''
import math, time, torch
from torch import nn
text = open("corpus.txt").read()
vocab = sorted(set(text)); ix = {c: i for i, c in enumerate(vocab)}
data = torch.tensor([ix[c] for c in text])
print(f"{len(text):,} characters, vocabulary of {len(vocab)}")
torch.manual_seed(1337)
B, T, D = 12, 24, 48
class LM(nn.Module):
    def __init__(s):
        super().__init__(); s.e = nn.Embedding(len(vocab), D); s.r = nn.GRU(D, D, batch_first=True); s.h = nn.Linear(D, len(vocab))
    def forward(s, x): return s.h(s.r(s.e(x))[0])
m = LM(); o = torch.optim.Adam(m.parameters(), 3e-3)
best = 9
for it in range(401):
    i = torch.randint(len(data) - T - 1, (B,))
    x = torch.stack([data[j:j+T] for j in i]); y = torch.stack([data[j+1:j+T+1] for j in i])
    l = nn.functional.cross_entropy(m(x).flatten(0, 1), y.flatten())
    o.zero_grad(set_to_none=True); l.backward(); o.step()
    if it % 25 == 0:
        best = min(best, l.item())
        print(f"iter {it}: loss {l.item():.4f}, ppl {math.exp(l.item()):.2f}, best {best:.4f}")
torch.save({"model": m.state_dict(), "iter": it, "vocab": vocab}, "ckpt.pt")
print("done, max_iters reached; saved ckpt.pt")
'''
RHYME = "\n".join(f"the {a} {b} in the {c} and the {c} {b} near the {a}." for a in ("cat", "boat", "miller") for b in ("sat", "sang", "slept") for c in ("barn", "rain", "town"))

VAE = '''
import json, sys, time
import torch
from torch import nn, optim

def emit(**kv):
    kv["t"] = round(time.perf_counter() - T0, 3)
    sys.stdout.write(json.dumps(kv) + "\\n")

T0 = time.perf_counter()
torch.manual_seed(0)
base = torch.rand(6, 64).round()
X = (base[torch.randint(6, (960,))] + 0.05 * torch.randn(960, 64)).clamp(0, 1)
enc, dec = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 8)), nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 64))
opt = optim.Adam([*enc.parameters(), *dec.parameters()], lr=2e-3)
emit(event="start", config={"latent": 4, "batch": 64, "epochs": 20, "beta": 0.2})
step = 0
for epoch in range(20):
    sums = [0.0, 0.0]
    for xb in X[torch.randperm(len(X))].split(64):
        mu, lv = enc(xb).chunk(2, 1)
        rec = nn.functional.binary_cross_entropy_with_logits(dec(mu + torch.randn_like(mu) * (lv / 2).exp()), xb, reduction="sum") / len(xb)
        kl = -0.5 * (1 + lv - mu ** 2 - lv.exp()).sum(1).mean()
        opt.zero_grad(); (rec + 0.2 * kl).backward(); opt.step(); step += 1
        sums[0] += rec.item(); sums[1] += kl.item()
    emit(event="epoch", epoch=epoch + 1, step=step, recon=round(sums[0] / 15, 3), kl=round(sums[1] / 15, 3))
emit(event="end", steps=step, status="ok")
'''

REINFORCE = '''
# policy gradient on a corridor: walk right to the goal
import random, torch
from torch.distributions import Categorical
random.seed(4); torch.manual_seed(4)
N = 9
class Corridor:
    def reset(self): self.x, self.t = N // 2, 0; return self.obs()
    def obs(self): return torch.nn.functional.one_hot(torch.tensor(self.x), N).float()
    def step(self, a):
        self.x = min(N - 1, max(0, self.x + (1 if a else -1))); self.t += 1
        done = self.x in (0, N - 1) or self.t >= 40
        return self.obs(), (1.0 if self.x == N - 1 else -0.02), done
env = Corridor(); pi = torch.nn.Sequential(torch.nn.Linear(N, 24), torch.nn.Tanh(), torch.nn.Linear(24, 2))
opt = torch.optim.Adam(pi.parameters(), lr=8e-3)
window = []
for ep in range(1, 301):
    o, logp, rew, done = env.reset(), [], [], False
    while not done:
        d = Categorical(logits=pi(o)); a = d.sample(); logp.append(d.log_prob(a)); o, r, done = env.step(a.item()); rew.append(r)
    G, rets = 0.0, []
    for r in reversed(rew): G = r + 0.97 * G; rets.insert(0, G)
    rets = torch.tensor(rets); loss = -(torch.stack(logp) * (rets - 0.4)).sum()
    opt.zero_grad(); loss.backward(); opt.step(); window.append(sum(rew))
    if ep % 20 == 0:
        print(f"[episode {ep:4d}] mean_return(20)={sum(window[-20:]) / 20:+.3f} policy_loss={loss.item():+.4f} len={len(rew)}")
print("solved" if sum(window[-20:]) / 20 > 0.8 else "not solved", "| final return", round(sum(window[-20:]) / 20, 3), "| episodes 300/300")
'''

SERIES = '''
import csv, datetime, math, torch
def say(msg): print(datetime.datetime.now().strftime("%H:%M:%S"), "-", msg)
torch.manual_seed(12)
series = torch.tensor([math.sin(i / 9) + 0.4 * math.sin(i / 31) for i in range(1500)]) + 0.05 * torch.randn(1500)
win = series.unfold(0, 25, 1); X, y = win[:, :24, None], win[:, 24]
cut = 1200
net, head = torch.nn.LSTM(1, 20, batch_first=True), torch.nn.Linear(20, 1)
opt = torch.optim.RMSprop([*net.parameters(), *head.parameters()], lr=2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 12)
rows = []
for e in range(12):
    for idx in torch.randperm(cut).split(48):
        err = torch.nn.functional.mse_loss(head(net(X[idx])[0][:, -1]).squeeze(-1), y[idx])
        opt.zero_grad(); err.backward(); opt.step()
    sched.step()
    with torch.no_grad():
        v = torch.nn.functional.mse_loss(head(net(X[cut:])[0][:, -1]).squeeze(-1), y[cut:]).item()
    rows.append((e, err.item(), v)); say(f"Epoch {e + 1} of 12 | train mse {err.item():.5f} | valid mse {v:.5f} | lr {sched.get_last_lr()[0]:.2e}")
with open("history.csv", "w", newline="") as f: csv.writer(f).writerows(rows)
say(f"best valid mse {min(r[2] for r in rows):.5f}; history written")
'''

TAGGER = '''
import configparser, time
import torch
cfg = configparser.ConfigParser(); cfg.read("tagger.ini")
H, E, LR = cfg.getint("model", "hidden"), cfg.getint("train", "epochs"), cfg.getfloat("train", "lr")
sents = [l.split() for l in open("sents.txt")]
W = {w: i for i, w in enumerate(sorted({t.split("/")[0] for s in sents for t in s}))}
Y = {w: i for i, w in enumerate(sorted({t.split("/")[1] for s in sents for t in s}))}
pairs = [(torch.tensor([W[t.split("/")[0]] for t in s]), torch.tensor([Y[t.split("/")[1]] for t in s])) for s in sents]
torch.manual_seed(2)
emb, rnn, out = torch.nn.Embedding(len(W), H), torch.nn.GRU(H, H, bidirectional=True), torch.nn.Linear(2 * H, len(Y))
opt = torch.optim.SGD([*emb.parameters(), *rnn.parameters(), *out.parameters()], lr=LR, momentum=0.9)
print(f"{len(sents)} sentences, {len(W)} words, {len(Y)} tags")
for e in range(E):
    ok = n = 0; L = 0.0; t = time.time()
    for x, y in pairs:
        p = out(rnn(emb(x))[0]); l = torch.nn.functional.cross_entropy(p, y); opt.zero_grad(); l.backward(); opt.step()
        ok += (p.argmax(1) == y).sum().item(); n += len(y); L += l.item()
    print("%3d  loss=%8.4f  acc=%6.2f%%  %5.0f tok/s" % (e + 1, L / len(pairs), 100 * ok / n, n / (time.time() - t)))
torch.save(dict(emb=emb.state_dict(), rnn=rnn.state_dict(), out=out.state_dict()), "tagger.bin")
print("Model written to tagger.bin")
'''
TAGGED = "\n".join(f"the/DT {n}/NN {v}/VB a/DT {a}/JJ {m}/NN" for n in ("dog", "girl", "old", "judge") for v in ("saw", "took", "held") for a, m in (("red", "leash"), ("small", "saw"), ("held", "note")))

# Good runs that look bad.

AMP = '''
"""ResNet-ish classifier with a loss scaler of its own (bf16-less CPU fallback)."""
import argparse, torch
p = argparse.ArgumentParser(); p.add_argument("--steps", type=int, default=160); p.add_argument("--init-scale", type=float, default=2.0 ** 24)
a = p.parse_args(); torch.manual_seed(7)
W = torch.randn(20, 5); X = torch.randn(800, 20); Y = (X @ W).argmax(1)
net = torch.nn.Sequential(torch.nn.Linear(20, 64), torch.nn.GELU(), torch.nn.Linear(64, 5)); opt = torch.optim.Adam(net.parameters(), 5e-3)
scale, good, skipped = a.init_scale, 0, 0
for s in range(1, a.steps + 1):
    i = torch.randint(800, (64,)); loss = torch.nn.functional.cross_entropy(net(X[i]), Y[i])
    opt.zero_grad(); (loss * scale).backward()
    grads = [q.grad.half() for q in net.parameters()]
    if any(not torch.isfinite(h).all() for h in grads):
        scale /= 2; skipped += 1; good = 0
        print(f"Gradient overflow. Skipping step {s}, loss scaler reducing loss scale to {scale}"); continue
    for q in net.parameters(): q.grad.div_(scale)
    opt.step(); good += 1
    if good % 60 == 0: scale *= 2
    if s % 20 == 0: print(f"step {s}/{a.steps}  loss: {loss.item():.4f}  grad_norm: {torch.nn.utils.clip_grad_norm_(net.parameters(), 1e9):.3f}  scale: {scale:g}  skipped: {skipped}")
acc = (net(X).argmax(1) == Y).float().mean().item()
print(f"finished {a.steps} steps, {skipped} skipped by the scaler, train accuracy {acc:.3f}")
'''

SHARDS = '''
import io, logging, pathlib, random, time, torch
logging.basicConfig(format="[%(asctime)s][%(levelname)s] %(message)s", level=logging.INFO, datefmt="%H:%M:%S")
L = logging.getLogger(); random.seed(5); torch.manual_seed(5)
root = pathlib.Path("data"); w = torch.randn(12)
for k in range(8):
    x = torch.randn(128, 12); torch.save((x, x @ w), root / f"part-{k:02d}.pt")
(root / "part-05.pt").write_bytes((root / "part-05.pt").read_bytes()[:700])
busy = {2: 2, 6: 1}
def fetch(k):
    for attempt in range(1, 5):
        if busy.get(k, 0):
            busy[k] -= 1
            try: open(f"/mnt/nfs-train/part-{k:02d}.pt", "rb")
            except OSError as e: L.warning("part %d: %s (attempt %d of 4), using local copy after %.1fs", k, e, attempt, 0.3 * attempt); time.sleep(0.3 * attempt); continue
        return torch.load(root / f"part-{k:02d}.pt")
net = torch.nn.Linear(12, 1); opt = torch.optim.SGD(net.parameters(), 0.03)
for ep in range(6):
    tot, n = 0.0, 0
    for k in random.sample(range(8), 8):
        try:
            x, y = fetch(k)
        except Exception:
            L.exception("unreadable part-%02d.pt, skipping it", k); continue
        for xb, yb in zip(x.split(16), y.split(16)):
            loss = (net(xb).squeeze(1) - yb).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step(); tot += loss.item(); n += 1
    L.info("epoch %d/6: mse %.5f over %d batches", ep + 1, tot / n, n)
L.info("all epochs complete; 7 of 8 parts used")
'''

RESUMED = '''
import os, signal, sys, torch
CK = "run/state.pt"; TOTAL = 240
torch.manual_seed(9); X = torch.randn(500, 8); y = torch.sin(X.sum(1, keepdim=True))
net = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1)); opt = torch.optim.Adam(net.parameters(), 4e-3); start = 0
if os.path.exists(CK):
    c = torch.load(CK); net.load_state_dict(c["net"]); opt.load_state_dict(c["opt"]); start = c["step"]
    print(f"=> resumed from {CK} at step {start} (loss was {c['loss']:.5f})")
stop = []
signal.signal(signal.SIGUSR1, lambda *_: stop.append(1))
for s in range(start + 1, TOTAL + 1):
    loss = torch.nn.functional.mse_loss(net(X), y); opt.zero_grad(); loss.backward(); opt.step()
    if s % 15 == 0: print(f"step={s} of {TOTAL} loss={loss.item():.5f}")
    if s == 105 and not start: os.kill(os.getpid(), signal.SIGUSR1)
    if stop:
        print("Got SIGUSR1: preemption notice, checkpointing before the slot is taken"); torch.save(dict(net=net.state_dict(), opt=opt.state_dict(), step=s, loss=loss.item()), CK); sys.exit(85)
print(f"reached {TOTAL} steps, final loss {loss.item():.5f}")
'''
RESUBMIT = '''
set -u
mkdir -p run
for try in 1 2 3; do
  "$1" fit.py; rc=$?
  echo "[launcher] attempt $try exited with code $rc"
  [ $rc -eq 85 ] || exit $rc
  echo "[launcher] preempted, relaunching"
  sleep 0.5
done
'''

SWEEP = '''
import itertools, math, torch
torch.manual_seed(31); X = torch.randn(400, 10); y = (X[:, :3].prod(1) > 0).long()
def trial(k, lr, width, epochs=30):
    torch.manual_seed(k); m = torch.nn.Sequential(torch.nn.Linear(10, width), torch.nn.Tanh(), torch.nn.Linear(width, 2)); o = torch.optim.SGD(m.parameters(), lr)
    for e in range(epochs):
        for i in torch.randperm(400).split(40):
            l = torch.nn.functional.cross_entropy(m(X[i]) * (50 if width < 8 else 1), y[i]); o.zero_grad(); l.backward(); o.step()
        if not math.isfinite(l.item()) or l.item() > 40: raise FloatingPointError(f"loss {l.item()} at epoch {e}")
        if e == 9 and l.item() > 0.675: return None, l.item()
    return (m(X).argmax(1) == y).float().mean().item(), l.item()
best = (0, None)
for k, (lr, w) in enumerate(itertools.product((1e-3, 0.3, 1.0, 3e5), (4, 32, 64))):
    try: acc, l = trial(k, lr, w)
    except FloatingPointError as e: print(f"[trial {k:02d}] lr={lr:g} width={w}: FAILED FloatingPointError: {e}"); continue
    if acc is None: print(f"[trial {k:02d}] lr={lr:g} width={w}: PRUNED at epoch 10 (loss {l:.4f})"); continue
    best = max(best, (acc, (lr, w))); print(f"[trial {k:02d}] lr={lr:g} width={w}: finished, loss {l:.4f}, accuracy {acc:.4f}")
print(f"search over: 12 trials, best accuracy {best[0]:.4f} with lr, width = {best[1]}")
'''

EARLY = '''
import torch, warnings
torch.manual_seed(77); x = torch.rand(600, 15); t = x @ torch.rand(15) + 0.15 * torch.randn(600)
tr, va = (x[:450], t[:450]), (x[450:], t[450:])
net = torch.nn.Sequential(torch.nn.Linear(15, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)); opt = torch.optim.Adam(net.parameters(), 3e-3)
sch = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=4, factor=0.3)
best, wait, PAT, MAXE = 1e9, 0, 10, 200
warnings.warn("max_epochs=200 is only an upper bound, early stopping is on", UserWarning)
for ep in range(1, MAXE + 1):
    for i in torch.randperm(450).split(50):
        l = (net(tr[0][i]).squeeze() - tr[1][i]).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    with torch.no_grad(): v = (net(va[0]).squeeze() - va[1]).pow(2).mean().item()
    sch.step(v)
    if v < best - 1e-4: best, wait, mark = v, 0, "*"; torch.save(net.state_dict(), "best.pt")
    else: wait += 1; mark = ""
    print(f"Epoch {ep:03d}: train_loss={l.item():.5f} val_loss={v:.5f} lr={opt.param_groups[0]['lr']:.1e} {mark}")
    if wait >= PAT: print(f"EarlyStopping: val_loss did not improve for {PAT} epochs (best {best:.5f}). Stopping."); break
net.load_state_dict(torch.load("best.pt")); print("restored best.pt; exporting"); torch.save(net, "export.pt"); print("export done")
'''

SLOWGOOD = '''
import time, torch
print("WARNING: no accelerator found, falling back to CPU. This will be slow.")
torch.manual_seed(6); net = torch.nn.Sequential(torch.nn.Conv1d(1, 6, 5), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool1d(4), torch.nn.Flatten(), torch.nn.Linear(24, 3))
f = torch.tensor([2.0, 5.0, 9.0]); opt = torch.optim.Adam(net.parameters(), 6e-3); tick = torch.linspace(0, 6.28, 120)
ema = None
for it in range(1, 61):
    t0 = time.time(); acc = 0.0
    opt.zero_grad()
    for micro in range(4):
        y = torch.randint(3, (16,)); x = torch.sin(tick * f[y][:, None])[:, None] + 0.3 * torch.randn(16, 1, 120)
        l = torch.nn.functional.cross_entropy(net(x), y) / 4; l.backward(); acc += l.item()
        e = 0
        while time.time() - t0 < 0.05 * (micro + 1): e += (torch.randn(80, 80) @ torch.randn(80, 80)).trace().item()
    opt.step(); ema = acc if ema is None else 0.9 * ema + 0.1 * acc
    if it % 5 == 0: print(f"| it {it:3d}/60 | loss {acc:.3f} (ema {ema:.3f}) | {time.time() - t0:.2f} s/it | eta {(60 - it) * (time.time() - t0):.0f}s |")
print("error rate on held-out: %.3f" % (1 - (net((torch.sin(tick * f[torch.arange(3).repeat(50)][:, None]))[:, None]).argmax(1) == torch.arange(3).repeat(50)).float().mean().item()))
print("Training complete.")
'''

GRAPH = '''
import torch, time
torch.manual_seed(10); N = 120; half = torch.arange(N) < 60
A = (torch.rand(N, N) < torch.where(half[:, None] == half[None], 0.2, 0.03)).float(); A = ((A + A.T) > 0).float() + torch.eye(N); D = A.sum(1).rsqrt(); P = D[:, None] * A * D[None]
X, y = torch.randn(N, 16), half.long(); train = torch.zeros(N, dtype=torch.bool); train[torch.randperm(N)[:20]] = True
W1, W2 = torch.nn.Parameter(torch.randn(16, 16) / 4), torch.nn.Parameter(torch.randn(16, 2) / 4); opt = torch.optim.Adam([W1, W2], 0.02, weight_decay=5e-4)
def forward(): return P @ torch.relu(P @ X @ W1) @ W2
for epoch in range(1, 101):
    t = time.time(); o = forward(); loss = torch.nn.functional.cross_entropy(o[train], y[train]); opt.zero_grad(); loss.backward(); opt.step(); ok = (o.argmax(1) == y).float()
    if epoch % 10 == 0: print("Epoch: {:04d} loss_train: {:.4f} acc_train: {:.4f} acc_test: {:.4f} time: {:.4f}s".format(epoch, loss.item(), ok[train].mean(), ok[~train].mean(), time.time() - t))
print("Optimization Finished!")
'''
DISTILL = '''
import logging, sys, torch
class Only(logging.Filter):
    def filter(self, rec): rec.ms = int(rec.relativeCreated); return True
h = logging.StreamHandler(sys.stdout); h.addFilter(Only()); h.setFormatter(logging.Formatter("+%(ms)06dms %(levelname)s %(message)s")); lg = logging.getLogger("kd"); lg.addHandler(h); lg.setLevel("DEBUG"); torch.manual_seed(4)
X = torch.randn(800, 18); Y = (X[:, :3].sum(1) > 0).long() + (X[:, 3] > 1).long(); big, small = torch.nn.Sequential(torch.nn.Linear(18, 96), torch.nn.ReLU(), torch.nn.Linear(96, 3)), torch.nn.Linear(18, 3)
def fit(net, target, epochs, name, lr):
    o = torch.optim.Adam(net.parameters(), lr)
    for e in range(1, epochs + 1):
        for i in torch.randperm(800).split(80): l = target(net(X[i]), i); o.zero_grad(); l.backward(); o.step()
        if e % 4 == 0: lg.debug("%s epoch %d/%d loss %.4f", name, e, epochs, l.item())
try: big.load_state_dict(torch.load("teacher.pt"))
except FileNotFoundError as e: lg.warning("no cached teacher (%s), training one", e); fit(big, lambda o, i: torch.nn.functional.cross_entropy(o, Y[i]), 20, "teacher", 5e-3)
try: torch.compile(small, backend="tvm")(X[:2])
except Exception as e: lg.error("compile failed, going on eagerly: %s: %s", type(e).__name__, str(e).splitlines()[0][:120])
with torch.no_grad(): soft = (big(X) / 2).log_softmax(1)
fit(small, lambda o, i: torch.nn.functional.kl_div((o / 2).log_softmax(1), soft[i], log_target=True, reduction="batchmean"), 24, "student", 1e-2)
lg.info("teacher accuracy %.3f, student accuracy %.3f", *((m(X).argmax(1) == Y).float().mean().item() for m in (big, small))); torch.save(small.state_dict(), "student.pt"); lg.info("all stages complete")
'''

JOBS = (
    crate("G1", "gcn.py", GRAPH),
    crate("G1", "kd.py", DISTILL, hard=True),
    crate("G1", "train_seg.py --epochs 12", SEG),
    crate("G1", "chargru.py", CHARS, files={"corpus.txt": RHYME}),
    crate("G1", "vae/run.py", VAE),
    crate("G1", "reinforce.py", REINFORCE),
    crate("G1", "forecast.py", SERIES),
    crate("G1", "tag.py", TAGGER, files={"tagger.ini": "[model]\nhidden = 24\n\n[train]\nepochs = 12\nlr = 0.04\n", "sents.txt": TAGGED}),
    crate("G1", "train_cls.py --steps 200", AMP, hard=True),
    crate("G1", "stream.py", SHARDS, hard=True, folders=("data",)),
    crate("G1", "sh resubmit.sh PYTHON", RESUBMIT, hard=True, files={"fit.py": RESUMED}),
    crate("G1", "grid.py", SWEEP, hard=True),
    crate("G1", "tabular_mlp.py", EARLY, hard=True),
    crate("G1", "waves.py", SLOWGOOD, hard=True, variant=None),
)
