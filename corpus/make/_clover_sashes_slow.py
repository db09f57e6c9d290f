"""Single programs that stood still, dragged on, learned nothing, or were too short or too long."""

from corpus.make._crate import crate

VOICE = '''
import logging, queue, threading, time, torch
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(threadName)-10s %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger()
torch.manual_seed(0)
plots, ready = queue.Queue(maxsize=4), threading.Event()
def draw():
    """Mel plots are drawn once the viewer is attached."""
    ready.wait()
    while True: plots.get()
threading.Thread(target=draw, name="plots", daemon=True).start()
net = torch.nn.Conv1d(20, 20, 5, padding=2); opt = torch.optim.Adam(net.parameters(), 2e-3)
log.info("vocoder training, 2000 steps, a plot every 40")
for step in range(1, 2001):
    m = torch.randn(8, 20, 64).cumsum(2) / 8; l = (net(m) - m.roll(1, 2)).abs().mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.03)
    if step % 10 == 0: log.info("step %d/2000 l1=%.4f", step, l.item())
    if step % 40 == 0: plots.put(net(m[:1]).detach())
'''
FLEET = """
import threading, time, torch
# asynchronous actors, one learner; actors and learner meet at a barrier before every update
torch.manual_seed(3); A = 3; meet = threading.Barrier(A + 1); lock = threading.Lock(); roll = []
q = torch.nn.Linear(5, 4); opt = torch.optim.Adam(q.parameters(), 5e-3); truth = torch.randn(5, 4)
def actor(k, rounds):
    g = torch.Generator().manual_seed(k)
    for _ in range(rounds):
        s = torch.randn(16, 5, generator=g)
        with lock: roll.append((s, s @ truth + 0.1 * torch.randn(16, 4, generator=g)))
        meet.wait()
for k in range(A): threading.Thread(target=actor, args=(k, 60 if k == 2 else 1000), daemon=True).start()
print("learner up, 3 actors, 1000 updates", flush=True); began = time.time()
for upd in range(1, 1001):
    meet.wait()
    with lock: s, y = (torch.cat(t) for t in zip(*roll)); roll.clear()
    td = (q(s) - y).pow(2).mean(); opt.zero_grad(); td.backward(); opt.step(); time.sleep(0.1)
    if upd % 5 == 0: print(f"t={time.time() - began:6.1f}s  updates={upd}  frames={upd * 48}  td_error={td.item():.4f}", flush=True)
"""
LATTICE = '''
import fcntl, math, os, random, time
random.seed(4); n = 24; s = [[random.choice((-1, 1)) for _ in range(n)] for _ in range(n)]; beta = 0.44
class Restart:
    """The restart file, with an exclusive lock, so that no two chains write it."""
    def __init__(self): self.keep = open("ising.restart", "a+"); fcntl.flock(self.keep, fcntl.LOCK_SH)
    def save(self, sweep):
        f = open("ising.restart", "r+"); fcntl.flock(f, fcntl.LOCK_EX); f.write(f"{sweep}\\n"); f.close()
r = Restart(); print("Ising 24x24, beta 0.44, 5000 sweeps, restart file at sweep 300 and every 300 after", flush=True)
for sweep in range(1, 5001):
    for _ in range(n * n):
        i, j = random.randrange(n), random.randrange(n); dE = 2 * s[i][j] * (s[i - 1][j] + s[(i + 1) % n][j] + s[i][j - 1] + s[i][(j + 1) % n])
        if dE <= 0 or random.random() < math.exp(-beta * dE): s[i][j] = -s[i][j]
    time.sleep(0.02)
    if sweep % 20 == 0: print(f"{sweep:6d}  |m| = {abs(sum(map(sum, s))) / n / n:.4f}  {time.strftime('%X')}", flush=True)
    if sweep % 300 == 0: print("writing ising.restart", flush=True); r.save(sweep)
'''
FBANK = '''
import math, time, torch
from torch.utils.data import DataLoader, Dataset
class Speech(Dataset):
    """Waves are resampled and turned into filter banks when asked for."""
    def __len__(self): return 640
    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i); y = i % 4; t = time.perf_counter(); w = torch.sin(torch.arange(16000) * (0.02 + 0.01 * y)) + torch.randn(16000, generator=g)
        while time.perf_counter() - t < 0.035: f = torch.stft(w, 400, 160, window=torch.hann_window(400), return_complex=True).abs()
        return f.mean(1)[:64].log1p(), y
torch.manual_seed(1); net = torch.nn.Sequential(torch.nn.LayerNorm(64), torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 4)); opt = torch.optim.Adam(net.parameters(), 3e-3)
wait = busy = 0.0; mark = time.perf_counter()
for i, (x, y) in enumerate(DataLoader(Speech(), 16, shuffle=True), 1):
    got = time.perf_counter(); l = torch.nn.functional.cross_entropy(net(x), y); opt.zero_grad(); l.backward(); opt.step(); end = time.perf_counter(); wait += got - mark; busy += end - got
    if i % 4 == 0: print(f"batch {i:3d}/40  loss {l.item():.4f}  waited for data {1000 * (got - mark):6.1f} ms  forward+backward+step {1000 * (end - got):5.1f} ms", flush=True)
    mark = end
print(f"epoch over: {wait:.1f} s waiting for the loader, {busy:.1f} s training ({100 * busy / (wait + busy):.1f}% of the time)")
'''
TILESLOW = '''
import csv, sys, time, torch
class Bucket:
    """Tiles of a slide, one request each."""
    def get(self, key): time.sleep(0.3 + 0.02 * (key % 5)); g = torch.Generator().manual_seed(key); y = key % 3; return torch.randn(64, 3, 8, 8, generator=g) + y * 0.3, torch.full((64,), y)
b = Bucket(); torch.manual_seed(0); net = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(2), torch.nn.Flatten(), torch.nn.Linear(64, 3)); opt = torch.optim.Adam(net.parameters(), 5e-3); w = csv.DictWriter(sys.stdout, ["slide", "loss", "data_s", "compute_s", "data_share"]); w.writeheader()
for k in range(1, 17):
    t0 = time.time(); parts = [b.get(3 * k + j) for j in range(3)]; x = torch.cat([p[0] for p in parts]); y = torch.cat([p[1] for p in parts]); t1 = time.time()
    for c in torch.randperm(len(y)).split(48): l = torch.nn.functional.cross_entropy(net(x[c]), y[c]); opt.zero_grad(); l.backward(); opt.step()
    t2 = time.time(); w.writerow({"slide": k, "loss": f"{l.item():.4f}", "data_s": f"{t1 - t0:.3f}", "compute_s": f"{t2 - t1:.3f}", "data_share": f"{(t1 - t0) / (t2 - t0):.0%}"}); sys.stdout.flush()
print("# all 16 slides seen, model in slides.pt"); torch.save(net.state_dict(), "slides.pt")
'''
KEEPALL = """
import hashlib, logging, os, time, torch
logging.basicConfig(level=20, format="%(asctime)s.%(msecs)03d %(message)s", datefmt="%H:%M:%S"); log = logging.getLogger()
torch.manual_seed(2); os.makedirs("states", exist_ok=True); net = torch.nn.Sequential(torch.nn.Linear(512, 1600), torch.nn.GELU(), torch.nn.Linear(1600, 512)); opt = torch.optim.AdamW(net.parameters(), 1e-3); tr = sv = 0.0
log.info("denoiser with %.1fM weights, 50 steps, save_interval=1", sum(p.numel() for p in net.parameters()) / 1e6)
for step in range(1, 51):
    a = time.time(); x = torch.randn(16, 512); l = (net(x + 0.5 * torch.randn_like(x)) - x).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.02); b = time.time(); log.info("step %d/50 loss %.5f (%.0f ms)", step, l.item(), 1000 * (b - a))
    f = f"states/step_{step % 3}.pt"; torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "step": step}, f); digest = hashlib.sha256(open(f, "rb").read()).hexdigest()[:10]; fd = os.open(f, os.O_RDONLY); os.fsync(fd); os.close(fd); time.sleep(0.12); c = time.time()
    log.info("saved checkpoint %s, %.1f MB, sha256 %s (%.0f ms)", f, os.path.getsize(f) / 1e6, digest, 1000 * (c - b)); tr += b - a; sv += c - b
log.info("done. %.1f s in steps, %.1f s in saving", tr, sv)
"""
NANGCN = """
import torch, time
torch.manual_seed(6); n = 200; A = (torch.rand(n, n) < 0.04).float(); A = ((A + A.T) > 0).float(); A[17] = 0; A[:, 17] = 0
deg = A.sum(1); norm = deg.pow(-0.5); P = norm[:, None] * A * norm[None]
x = torch.randn(n, 16); y = (x[:, 0] > 0).long() + 2 * (x[:, 1] > 0).long(); W1 = torch.nn.Linear(16, 32); W2 = torch.nn.Linear(32, 4); opt = torch.optim.Adam([*W1.parameters(), *W2.parameters()], 0.01); tr = torch.arange(n) % 2 == 0
print("Nodes 200 | Features 16 | Classes 4 | Layers 2")
for e in range(1, 101):
    h = torch.relu(P @ W1(x)); o = P @ W2(h); l = torch.nn.functional.cross_entropy(o[tr], y[tr]); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.05)
    if e % 5 == 0: print(f"Epoch {e:3d} | Loss {l.item():.4f} | Train acc {(o[tr].argmax(1) == y[tr]).float().mean().item():.3f} | Test acc {(o[~tr].argmax(1) == y[~tr]).float().mean().item():.3f}")
print("Optimization finished"); torch.save(W1.state_dict(), "gcn.pt")
"""
ZEROLR = """
import math, time, torch
torch.manual_seed(10); WARM, TOTAL, BASE = 1000, 120, 3e-4
print(f"speaker id, 8 voices, total_steps={TOTAL} warmup_steps={WARM} base_lr={BASE}")
net = torch.nn.Sequential(torch.nn.Linear(40, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8)); opt = torch.optim.SGD(net.parameters(), lr=BASE)
sch = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: s // WARM if s < WARM else max(0.0, (TOTAL - s) / TOTAL))
v = torch.randn(8, 40); X = v.repeat(64, 1) + torch.randn(512, 40); Y = torch.arange(8).repeat(64)
for s in range(1, TOTAL + 1):
    i = torch.arange(512) if s % 6 == 0 else torch.randint(512, (64,)); o = net(X[i]); l = torch.nn.functional.cross_entropy(o, Y[i]); opt.zero_grad(); l.backward(); g = sum(p.grad.norm() ** 2 for p in net.parameters()) ** 0.5; opt.step(); sch.step(); time.sleep(0.05)
    if s % 6 == 0: print(f"step {s:>4} lr {opt.param_groups[0]['lr']:.3e} loss {l.item():.6f} acc {(o.argmax(1) == Y[i]).float().mean().item():.4f} grad_norm {g.item():.4f}")
print("finished, saving spk.pt"); torch.save(net.state_dict(), "spk.pt")
"""
FEWUPD = '''
"""Fine-tunes a segmentation head. Usage: seg.py KEY=VALUE ..."""
import sys, time, torch
conf = {"max_iter": 3, "batch": 4, "lr": 1e-3, "base_size": 32} | dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
for k, v in conf.items(): print(f"  {k:<10} {v}")
torch.manual_seed(0); t = time.time(); img = torch.randn(2975, 3, 32, 32); msk = (img.mean(1) > 0).long()
print(f"train set: {len(img)} images with masks, loaded in {time.time() - t:.1f} s")
back = torch.nn.Conv2d(3, 64, 5, padding=2); head = torch.nn.Conv2d(64, 2, 1); opt = torch.optim.Adam(head.parameters(), conf["lr"])
for p in back.parameters(): p.requires_grad_(False)
for it in range(1, int(conf["max_iter"]) + 1):
    i = torch.randint(len(img), (int(conf["batch"]),)); l = torch.nn.functional.cross_entropy(head(back(img[i]).relu()), msk[i]); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.2); print(f"iter {it}/{conf['max_iter']}: pixel loss {l.item():.4f}")
torch.save(head.state_dict(), "seg_head.pth"); print("max_iter reached, wrote seg_head.pth")
'''
FILTERED = """
import json, time, torch
rows = [json.loads(r) for r in open("dialogs.jsonl")]; print(f"INFO {len(rows)} dialogs read")
keep = [r for r in rows if r["lang"] == "en" and r["turns"] >= 2 and r["score"] > 0.97]; print(f"INFO {len(keep)} dialogs left after filters lang=en, turns>=2, score>0.97")
torch.manual_seed(0); net = torch.nn.Sequential(torch.nn.EmbeddingBag(260, 24), torch.nn.Linear(24, 260)); opt = torch.optim.Adam(net.parameters(), 1e-3); n = 0
for ep in (1, 2):
    for k in range(0, len(keep), 4):
        b = keep[k : k + 4]; x = torch.tensor([[ord(c) % 260 for c in r["text"][:12].ljust(12)] for r in b]); l = torch.nn.functional.cross_entropy(net(x), x[:, -1]); opt.zero_grad(); l.backward(); opt.step(); n += 1; time.sleep(0.1); print(f"INFO epoch {ep}/2 step {n} loss {l.item():.4f}")
torch.save(net.state_dict(), "dialog.pt"); print(f"INFO training done: {n} optimizer steps, {2 * len(keep)} dialogs seen, model in dialog.pt")
"""
DIALOGS = "\n".join(
    f'{{"id": {i}, "lang": "{("en", "de", "en", "fr")[i % 4]}", "turns": {1 + i % 5}, "score": {(i * 37 % 100) / 100}, "text": "well, number {i} it is"}}'
    for i in range(500)
)
MCMC = """
import math, random, time
random.seed(13); data = [random.expovariate(1 / 2.5) for _ in range(120)]; GEN = 400000
def loglik(mu): return sum(-math.log(mu) - d / mu for d in data)
mu = 1.0; cur = loglik(mu); acc = 0; t0 = time.time()
print(f"Metropolis chain, {GEN} generations, sampled every 1000\\n\\n   Gen        lnL        mu     accept   hh:mm:ss left")
for g in range(1, GEN + 1):
    new = abs(mu + random.gauss(0, 0.2)) + 1e-9; ll = loglik(new)
    if math.log(random.random()) < ll - cur: mu, cur, acc = new, ll, acc + 1
    if g % 20 == 0: time.sleep(0.008)
    if g % 1000 == 0: left = (time.time() - t0) / g * (GEN - g); print(f"{g:7d}  {cur:10.3f}  {mu:8.4f}  {acc / g:8.3f}   {int(left // 3600):02d}:{int(left // 60 % 60):02d}:{int(left % 60):02d}", flush=True)
"""
SCORES = """
import time, torch
from datetime import datetime
torch.manual_seed(20); EPOCHS = 200; T = 50; beta = torch.linspace(1e-4, 0.05, T); abar = (1 - beta).cumprod(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 64), torch.nn.SiLU(), torch.nn.Linear(64, 64), torch.nn.SiLU(), torch.nn.Linear(64, 2)); opt = torch.optim.Adam(net.parameters(), 2e-3); ema = None
def say(s): print(f"{datetime.now():%d.%m.%Y %H:%M:%S} - {s}", flush=True)
say(f"score model on two rings, {EPOCHS} epochs of 20 batches")
for ep in range(EPOCHS):
    tot = 0.0
    for _ in range(20):
        a = torch.rand(128) * 6.283; r = torch.randint(1, 3, (128,)).float(); x = torch.stack([r * a.cos(), r * a.sin()], 1); t = torch.randint(T, (128,)); e = torch.randn_like(x); z = abar[t].sqrt()[:, None] * x + (1 - abar[t]).sqrt()[:, None] * e
        l = (net(torch.cat([z, t[:, None] / T], 1)) - e).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); tot += l.item() / 20; time.sleep(0.03)
    ema = tot if ema is None else 0.8 * ema + 0.2 * tot; say(f"epoch {ep} of {EPOCHS}: eps loss {tot:.4f}, smoothed {ema:.4f}")
"""

JOBS = (
    crate(
        "C3",
        "vocoder.py",
        VOICE,
        timeout_s=38,
        note="a line every 0.3 s to step 200 or so (the queue of plots is full), then silence until the limit",
    ),
    crate(
        "C3",
        "fleet_q.py",
        FLEET,
        timeout_s=36,
        note="an update every 0.1 s to the 60th, then silence until the limit: an actor is gone, the barrier waits for it",
    ),
    crate(
        "C3",
        "ising.py",
        LATTICE,
        python="system",
        timeout_s=38,
        note="sweeps go by to the 300th, 'writing ising.restart', then nothing until the limit: it waits for its own lock",
    ),
    crate("D1", "train_fbank.py", FBANK, note="waiting for data some 560 ms a batch, training some ms; the sum says so"),
    crate("D1", "slides.py", TILESLOW, note="data_share near 95 % for each slide"),
    crate("D2", "denoiser.py", KEEPALL, variant="save_storm", note="a save after each step that takes longer than the step; the sum says so"),
    crate("E1", "gcn_norm.py", NANGCN, cause="nan_loss", variant="non_finite", note="loss nan from the first epoch to the last, exit 0"),
    crate("E1", "voices8.py", ZEROLR, variant="flat", note="lr 0 and the same loss and accuracy in every line"),
    crate("E3", "seg.py batch=8", FEWUPD, note="three iterations of a set of 2975 images, exit 0"),
    crate(
        "E3", "dialog_ft.py", FILTERED, files={"dialogs.jsonl": DIALOGS}, note="a handful of optimiser steps, for the filters left some six dialogs"
    ),
    crate(
        "F3",
        "chain.py",
        MCMC,
        python="system",
        variant="advancing",
        timeout_s=18,
        note="generations go by to the limit, minutes left by its own word",
    ),
    crate("F3", "rings.py", SCORES, variant="advancing", timeout_s=22, note="an epoch every 0.7 s to the limit, of 200"),
)
