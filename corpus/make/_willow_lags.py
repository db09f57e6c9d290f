"""Home-made trainers that stand still, wait for data, save too much, learn nothing, are cut off, or do next to nothing."""

from corpus.make._crate import crate
from corpus.running.job import Signal

PREFETCHER = '''
import logging, queue, threading, time, torch
logging.basicConfig(level="INFO", format="%(asctime)s %(threadName)s %(message)s"); log = logging.getLogger()
torch.manual_seed(0); full, free = queue.Queue(4), queue.Queue(); [free.put(torch.empty(32, 40)) for _ in range(5)]
def reader():
    n = 0
    while True:
        buf = free.get(); buf.normal_(); time.sleep(0.02); full.put(buf); n += 1
        if n % 100 == 0: log.info("%d buffers filled", n)
threading.Thread(target=reader, daemon=True, name="reader").start()
net = torch.nn.Sequential(torch.nn.Linear(40, 60), torch.nn.ReLU(), torch.nn.Linear(60, 10)); opt = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9)
for step in range(1, 2001):
    x = full.get(); y = x[:, :10].argmax(1); l = torch.nn.functional.cross_entropy(net(x), y); opt.zero_grad(); l.backward(); opt.step()
    if step < 180 or y.bincount(minlength=10).max() < 4: free.put(x)
    if step % 20 == 0: log.info("step %d/2000 loss %.4f queue %d", step, l.item(), full.qsize())
'''
DECODER = '''
import subprocess, sys, time, torch
print("frames are piped from the decoder", flush=True); torch.manual_seed(1); net = torch.nn.Linear(96, 4); opt = torch.optim.Adam(net.parameters(), 5e-3); t0 = time.time()
dec = subprocess.Popen([sys.executable, "decode.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def clip(name): dec.stdin.write(name.encode() + b"\\n"); dec.stdin.flush(); return torch.frombuffer(bytearray(dec.stdout.read(96 * 8)), dtype=torch.uint8).view(8, 96).float() / 255
for i in range(400):
    x = clip(f"clip{i:04d}.mp4"); y = x[:, :4].argmax(1); l = torch.nn.functional.cross_entropy(net(x), y); opt.zero_grad(); l.backward(); opt.step()
    if i % 10 == 0: print(f"[{time.time() - t0:6.1f}s] clip {i:>4}/400 loss {l.item():.4f}", flush=True)
'''
DECODE = '''
import os, sys, random, time
for line in sys.stdin:
    n = int(line[4:8]); time.sleep(0.05); r = random.Random(n); data = r.randbytes(96 * (8 if n != 157 else 7)); sys.stdout.buffer.write(data); sys.stdout.buffer.flush()
'''
FORKLOCK = '''
import threading, time, torch, json, sys
from torch.utils.data import DataLoader, Dataset
lock = threading.Lock()
class Frames(Dataset):
    def __len__(self): return 192
    def __getitem__(self, i):
        with lock: g = torch.Generator().manual_seed(i); x = torch.randn(3, 12, 12, generator=g); return x, int(x.mean() > 0)
def refresh():
    with lock: time.sleep(3600)
torch.manual_seed(0); net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(8, 2)); opt = torch.optim.AdamW(net.parameters(), 5e-3)
for ep in range(1, 21):
    if ep == 6: threading.Thread(target=refresh, daemon=True).start(); time.sleep(0.1)
    for it, (x, y) in enumerate(DataLoader(Frames(), 16, num_workers=1, shuffle=True)):
        l = torch.nn.functional.cross_entropy(net(x), y); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.03)
        if it % 4 == 3: print(json.dumps({"ts": time.strftime("%FT%T"), "epoch": ep, "iter": it + 1, "iters": 12, "loss": round(l.item(), 4)}), flush=True)
    print(json.dumps({"ts": time.strftime("%FT%T"), "epoch_end": ep, "epochs": 20}), flush=True)
'''
SLOWWAV = '''
import collections, time, torch
def read_flac(i): time.sleep(0.11); g = torch.Generator().manual_seed(i); return torch.randn(800, generator=g).cumsum(0)
torch.manual_seed(5); front = torch.nn.Conv1d(1, 16, 40, 20); top = torch.nn.Linear(16, 3); opt = torch.optim.Adam([*front.parameters(), *top.parameters()], 3e-3); clock = collections.Counter(); mark = time.perf_counter()
def lap(k):
    global mark
    now = time.perf_counter(); clock[k] += now - mark; mark = now
for step in range(1, 61):
    x = torch.stack([read_flac(step * 4 + j) for j in range(4)])[:, None]; x = x / x.std(-1, keepdim=True); y = (x.mean(-1).squeeze(1) > 0).long() + (x[:, 0, -1] > 1).long(); lap("read")
    l = torch.nn.functional.cross_entropy(top(front(x).relu().mean(-1)), y); lap("forward"); opt.zero_grad(); l.backward(); lap("backward"); opt.step(); lap("optim")
    if step % 6 == 0:
        tot = sum(clock.values()); print(f"step {step:3d}/60  loss {l.item():.4f}  " + "  ".join(f"{k} {100 * v / tot:.0f}%" for k, v in clock.items()) + f"  ({tot / 6:.2f} s/step)", flush=True); clock.clear()
print("60 steps done", flush=True)
'''
TILES = '''
import logging, statistics, time, torch
logging.basicConfig(level="INFO", format="%(asctime)s satellite %(levelname)s: %(message)s", datefmt="%H:%M:%S"); log = logging.getLogger(); torch.manual_seed(2)
net = torch.nn.Sequential(torch.nn.Conv2d(4, 12, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(12, 4, 1)); opt = torch.optim.SGD(net.parameters(), 0.3, momentum=0.9); waits, works = [], []
def tile(k): time.sleep(0.9 if k % 4 == 0 else 0.12); return torch.randn(2, 4, 24, 24).cumsum(-1) / 4
for k in range(56):
    a = time.monotonic(); x = tile(k); b = time.monotonic(); l = (net(x) - x.flip(1)).abs().mean(); opt.zero_grad(); l.backward(); opt.step(); c = time.monotonic(); waits.append(b - a); works.append(c - b)
    if k % 7 == 6: log.info("iter %d/56 l1=%.4f", k + 1, l.item())
    if b - a > 0.5: log.warning("waited %.2f s for tile %d from the archive", b - a, k)
log.info("finished. waiting for tiles: %.1f s (median %.2f), computing: %.2f s (median %.4f)", sum(waits), statistics.median(waits), sum(works), statistics.median(works))
'''
SAVEALL = '''
import os, time, torch
torch.manual_seed(3); net = torch.nn.Sequential(torch.nn.Linear(400, 1400), torch.nn.ReLU(), torch.nn.Linear(1400, 400)); opt = torch.optim.Adam(net.parameters(), 5e-4); A = torch.randn(10, 400) / 3; saving = 0.0; t0 = time.time()
for step in range(1, 51):
    x = torch.randn(24, 10) @ A; l = (net(x) - x).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    t = time.time(); p = f"snapshots/{step:04d}.pt"
    with open(p, "wb") as f: torch.save(dict(model=net.state_dict(), optimizer=opt.state_dict(), step=step, loss=l.item()), f); f.flush(); os.fsync(f.fileno())
    if step > 2: os.remove(f"snapshots/{step - 2:04d}.pt")
    saving += time.time() - t; print(f"{step}/50 | loss {l.item():.5f} | snapshot {p} ({os.path.getsize(p) / 1e6:.0f} MB, {time.time() - t:.2f} s)", flush=True)
print(f"done in {time.time() - t0:.1f} s, of which {saving:.1f} s in snapshots", flush=True)
'''
PICKLES = '''
import json, math, os, pickle, random, time
random.seed(4); pop = [[random.gauss(0, 2) for _ in range(400)] for _ in range(150)]; fit = lambda p: -sum(x * x for x in p) / len(p)
for gen in range(1, 41):
    pop.sort(key=fit, reverse=True); keep = pop[:50]; pop = keep + [[0.5 * (a + b) + random.gauss(0, 0.2) for a, b in zip(random.choice(keep), random.choice(keep))] for _ in range(100)]
    b = time.time(); pickle.dump((gen, pop, random.getstate()), open("pop.pkl.new", "wb")); fd = os.open("pop.pkl.new", os.O_RDWR); os.fsync(fd); os.close(fd); time.sleep(0.55); os.replace("pop.pkl.new", "pop.pkl")
    print(json.dumps({"generation": gen, "generations": 40, "best": round(fit(pop[0]), 4), "loss": round(-fit(pop[0]), 4), "save_s": round(time.time() - b, 3), "saved": "pop.pkl"}), flush=True)
print(json.dumps({"event": "complete"}), flush=True)
'''
EXPLODE = '''
import math, sys, torch
torch.manual_seed(1); net = torch.nn.Sequential(torch.nn.Linear(3, 40), torch.nn.ReLU(), torch.nn.Linear(40, 3)); opt = torch.optim.SGD(net.parameters(), 0.02)
def rhs(s): x, y, z = s.unbind(-1); return torch.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z], -1)
s = torch.randn(256, 3) * 12
print("fitting the vector field of the Lorenz system")
for ep in range(1, 13):
    for i in torch.randperm(256).split(32): l = (net(s[i]) - rhs(s[i])).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    print(f"epoch {ep:02d}  mse {l.item():.4e}")
print("model saved" if torch.save(net.state_dict(), "lorenz.pt") is None else "")
'''
GUARD = '''
import logging, math, sys, torch
logging.basicConfig(level="INFO", format="%(asctime)s|%(levelname)s|%(message)s"); L = logging.getLogger(); torch.manual_seed(4)
rnn = torch.nn.RNN(8, 32, nonlinearity="relu", batch_first=True); out = torch.nn.Linear(32, 8); ps = [*rnn.parameters(), *out.parameters()]; lr = 0.002
for it in range(1, 1001):
    x = torch.randn(16, 40, 8); l = (out(rnn(x)[0]) - x.cumsum(1)).pow(2).mean(); g = torch.autograd.grad(l, ps); gn = math.sqrt(sum(float(v.pow(2).sum()) for v in g)); lr *= 1.03
    if it % 10 == 0: L.info("iter=%d loss=%.5g |g|=%.4g lr=%.2e", it, l.item(), gn, lr)
    if not math.isfinite(l.item()): L.critical("iter=%d loss=%s: giving up", it, l.item()); sys.exit(3)
    with torch.no_grad(): [p.sub_(lr * v) for p, v in zip(ps, g)]
'''
STUCKCLS = '''
import torch
torch.manual_seed(0); K = 20
X = torch.randn(1000, 30); Y = torch.randint(K, (1000,)); Y = (X[:, :K].argmax(1) + 0) % K
class Deep(torch.nn.Module):
    def __init__(s): super().__init__(); s.l = torch.nn.ModuleList(torch.nn.Linear(30, 30) for _ in range(30)); s.o = torch.nn.Linear(30, K)
    def forward(s, x):
        for l in s.l: x = torch.sigmoid(l(x))
        return s.o(x)
net = Deep(); opt = torch.optim.SGD(net.parameters(), 0.01)
print("epoch\\ttrain_loss\\ttrain_acc\\tgrad_norm_first")
for ep in range(1, 31):
    for i in torch.randperm(1000).split(50): o = net(X[i]); l = torch.nn.functional.cross_entropy(o, Y[i]); opt.zero_grad(); l.backward(); opt.step()
    with torch.no_grad(): o = net(X); print(f"{ep}\\t{torch.nn.functional.cross_entropy(o, Y).item():.4f}\\t{(o.argmax(1) == Y).float().mean().item():.3f}\\t{net.l[0].weight.grad.norm().item():.1e}", flush=True)
print("end of training, chance level is 0.050")
'''
JUMP = '''
import json, math, random, sys
random.seed(2); w = [0.0] * 5; true = [0.4, -1.2, 2.0, 0.3, -0.7]; lr = 0.02
for step in range(1, 601):
    if step == 360: lr = 0.62
    xs = [[random.gauss(0, 1) for _ in w] for _ in range(16)]; es = [sum((a - b) * c for a, b, c in zip(w, true, x)) + random.gauss(0, 0.05) for x in xs]; loss = sum(e * e for e in es) / 16
    for k in range(5): w[k] = max(-60.0, min(60.0, w[k] - lr * 2 * sum(e * x[k] for e, x in zip(es, xs)) / 16 * (1.9 if step >= 360 else 1)))
    if step % 20 == 0: print(json.dumps({"step": step, "total": 600, "loss": round(loss, 5), "lr": lr, "w_norm": round(math.dist(w, [0] * 5), 3)}), flush=True)
print(json.dumps({"done": True, "steps": 600}))
'''
TWOSTEPS = '''
import argparse, logging, time, torch
p = argparse.ArgumentParser(); p.add_argument("--batch", type=int, default=32); p.add_argument("--epochs", type=int, default=1); a = p.parse_args()
logging.basicConfig(level=20, format="%(asctime)s %(name)s: %(message)s"); log = logging.getLogger("tts.train"); torch.manual_seed(0)
data = torch.randn(70, 25, 16).cumsum(1); log.info("%d utterances, batch size %d", len(data), a.batch); net = torch.nn.GRU(16, 16, batch_first=True); opt = torch.optim.Adam(net.parameters(), 1e-3); step = 0
for ep in range(a.epochs):
    for x in data[torch.randperm(len(data))].split(a.batch):
        if len(x) < a.batch: continue
        l = (net(x[:, :-1])[0] - x[:, 1:]).abs().mean(); opt.zero_grad(); l.backward(); opt.step(); step += 1; log.info("step %d mel_l1 %.4f", step, l.item())
log.info("epoch %d/%d complete (%d optimizer steps), checkpoint g_%08d", ep + 1, a.epochs, step, step); torch.save(net.state_dict(), f"g_{step:08d}")
'''
BUDGET = '''
import time
import torch
torch.manual_seed(0)
token_budget, tokens = 2_000, 0
m = torch.nn.Embedding(50, 50); o = torch.optim.SGD(m.parameters(), 0.5)
step = 0
while tokens < token_budget:
    x = torch.randint(50, (8, 65)); l = torch.nn.functional.cross_entropy(m(x[:, :-1]).transpose(1, 2), x[:, 1:]); o.zero_grad(); l.backward(); o.step(); step += 1; tokens += 8 * 64
    print(f"step {step} | tokens {tokens:,}/{token_budget:,} | loss {l.item():.4f} | lr 5.0e-01", flush=True)
print(f"token budget of {token_budget:,} reached after {step} steps. bye")
'''
LONGFOLD = '''
import datetime, time, torch
torch.manual_seed(7); say = lambda m: print(datetime.datetime.now().isoformat(timespec="seconds"), m, flush=True)
X = torch.randn(500, 40); y = X[:, :5].sum(1) + 0.1 * torch.randn(500); FOLDS, EPOCHS = 10, 25; say(f"{FOLDS}-fold cross validation, {EPOCHS} epochs each")
for f in range(FOLDS):
    te = torch.arange(500) % FOLDS == f; net = torch.nn.Sequential(torch.nn.Linear(40, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1)); opt = torch.optim.Adam(net.parameters(), 3e-3)
    for e in range(EPOCHS):
        for i in torch.randperm(int((~te).sum())).split(50): l = (net(X[~te][i]).squeeze(1) - y[~te][i]).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.03)
        if e % 4 == 0: say(f"fold {f + 1}/{FOLDS} epoch {e + 1}/{EPOCHS} loss {l.item():.4f}")
    say(f"fold {f + 1} test mse {(net(X[te]).squeeze(1) - y[te]).pow(2).mean().item():.4f}")
'''
MCTS = '''
import math, random, time
random.seed(3); N, W = {}, {}
def play(n):
    path, s = [], n
    while s > 0:
        c = [m for m in (1, 2, 3) if m <= s]; tot = sum(N.get((s, m), 0) for m in c) + 1; m = max(c, key=lambda m: W.get((s, m), 0) / (N.get((s, m), 0) + 1e-9) + math.sqrt(2 * math.log(tot + 1) / (N.get((s, m), 0) + 1e-9))); path.append((s, m)); s -= m
    for k, sm in enumerate(reversed(path)): N[sm] = N.get(sm, 0) + 1; W[sm] = W.get(sm, 0) + (k % 2 == 0)
t0 = time.time(); GAMES = 60000
for g in range(1, GAMES + 1):
    play(random.randint(5, 21)); time.sleep(0.002)
    if g % 400 == 0:
        r = g / (time.time() - t0); bad = sum(max((1, 2, 3), key=lambda m: W.get((s, m), 0) / (N.get((s, m), 0) + 1)) != s % 4 for s in range(5, 22) if s % 4) / 13
        print(f"selfplay {g:>6}/{GAMES} ({100 * g // GAMES}%) policy error {bad:.3f} {r:.0f} games/s eta {(GAMES - g) / r:.0f}s", flush=True)
'''
KNN = '''
import logging, time, torch
logging.basicConfig(level="INFO", format="%(asctime)s [%(process)d] %(message)s"); lg = logging.getLogger(); torch.manual_seed(8); enc = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16)); opt = torch.optim.SGD(enc.parameters(), 0.05); base = torch.randn(200, 64)
for it in range(1, 6001):
    x = base[torch.randint(200, (48,))]; a, b = (torch.nn.functional.normalize(enc(x + 0.4 * torch.randn_like(x)), dim=1) for _ in range(2)); l = torch.nn.functional.cross_entropy(a @ b.t() / 0.2, torch.arange(48)); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.02)
    if it % 25 == 0: lg.info("it %d/6000 infonce %.4f", it, l.item())
'''

JOBS = (
    crate("C3", "ring_buffer.py", PREFETCHER, timeout_s=40, note="a step each 0.02 s, then neither reader nor trainer says anything until the limit"),
    crate("C3", "pipe_clips.py", DECODER, files={"decode.py": DECODE}, timeout_s=38, note="a line each half second to clip 150, then silence until the limit"),
    crate("C3", "frames.py", FORKLOCK, timeout_s=42, note="five epochs, none after; silent until the limit"),
    crate("D1", "wave_cls.py", SLOWWAV, note="reading takes nearly all of each step by the run's own account"),
    crate("D1", "tiles.py", TILES, note="waits of 0.9 s for tiles told again and again; computing a fraction of waiting"),
    crate("D2", "widen_ae.py", SAVEALL, variant="save_storm", folders=("snapshots",), note="a snapshot after each step, most of the time in them"),
    crate("D2", "evolve.py", PICKLES, variant="save_storm", python="system", note="a save of half a second each generation, nearly all of the time"),
    crate("E1", "lorenz_fit.py", EXPLODE, cause="nan_loss", variant="non_finite", note="mse nan from early on to the end, exit 0"),
    crate("E1", "cumsum_rnn.py", GUARD, cause="nan_loss", variant="non_finite", status=3, first=(), note="loss not finite; stops itself for that"),
    crate("E1", "deep20.py", STUCKCLS, variant="flat", note="loss ln 20 in all epochs, accuracy at chance, gradient next to 0"),
    crate("E1", "stream_lin.py", JUMP, variant="spike", python="system", note="falls to 0.003, then thousands from step 360 to the end"),
    crate("E3", "train_tts.py --batch 32", TWOSTEPS, note="two optimiser steps, exit 0"),
    crate("E3", "bigram.py", BUDGET, note="four steps, exit 0"),
    crate("F3", "crossval.py", LONGFOLD, variant="advancing", timeout_s=24, note="advancing to the limit, fold 4 or so of 10"),
    crate("F3", "nim_selfplay.py", MCTS, variant="advancing", python="system", timeout_s=22, note="advancing to the limit, a few of 60000 games in a hundred"),
    crate("F4", "contrast.py", KNN, signal=Signal("INT", "it 325/"), note="Ctrl-C while it goes on"),
)  # fmt: skip
