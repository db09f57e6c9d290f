"""Laboratory programs that stood still, dragged on or did not come to their end in time."""

from corpus.make._crate import crate

SOLVERPIPE = '''
"""RL control of an airfoil: the flow solver runs beside us and talks over pipes."""
import subprocess, sys, time, random
SOLVER = "import sys\\nfor n, line in enumerate(sys.stdin):\\n    a = float(line)\\n    if n >= 640: sys.stdin.readline(); continue\\n    print(1.0 - (a - 0.3) ** 2, flush=True)\\n"
p = subprocess.Popen([sys.executable, "-c", SOLVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
print(time.strftime("%H:%M:%S"), "solver attached")
mu, rng = -0.5, random.Random(1)
for ep in range(1, 301):
    grad = total = 0.0
    for _ in range(16):
        a = rng.gauss(mu, 0.2)
        p.stdin.write(f"{a}\\n"); p.stdin.flush()
        lift = float(p.stdout.readline())
        grad += (lift - 0.5) * (a - mu) / 16; total += lift / 16
        time.sleep(0.006)
    mu += 0.5 * grad
    print(time.strftime("%H:%M:%S"), f"episode {ep:3d}/300  mean lift {total:+.4f}  alpha {mu:+.3f}", flush=True)
'''

LOCKED = '''
import fcntl, logging, multiprocessing as mp, os, time, torch
logging.basicConfig(level=logging.INFO, format="%(asctime)s|%(processName)s|%(message)s", datefmt="%H:%M:%S")

def compactor(ready):
    """Keeps the feature cache small; holds its lock while it works."""
    f = open("fbank.cache", "a+")
    ready.wait()
    fcntl.flock(f, fcntl.LOCK_EX)
    ready.clear()
    r, w = os.pipe()
    os.read(r, 1)

if __name__ == "__main__":
    ready = mp.Event()
    mp.Process(target=compactor, args=(ready,), name="compactor", daemon=True).start()
    torch.manual_seed(6)
    net = torch.nn.Sequential(torch.nn.Linear(40, 32), torch.nn.ReLU(), torch.nn.Linear(32, 12))
    opt = torch.optim.Adam(net.parameters(), 2e-3)
    cache = open("fbank.cache", "a+")
    logging.info("keyword spotting, 12 classes, 2000 batches")
    for b in range(1, 2001):
        if b == 151:
            ready.set()
            while ready.is_set(): time.sleep(0.05)
        fcntl.flock(cache, fcntl.LOCK_SH)
        x = torch.randn(64, 40)
        fcntl.flock(cache, fcntl.LOCK_UN)
        loss = torch.nn.functional.cross_entropy(net(x), x[:, :12].argmax(1))
        opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.03)
        if b % 15 == 0: logging.info("batch %d/2000  xent %.4f", b, loss.item())
'''

BUCKETASR = '''
"""CTC training from a bucket mount."""
import time, torch

class Meter:
    def __init__(self): self.v, self.s, self.n = 0.0, 0.0, 0
    def add(self, v): self.v = v; self.s += v; self.n += 1
    @property
    def avg(self): return self.s / max(1, self.n)

def utterances(n):
    for _ in range(n):
        time.sleep(0.85)  # mounted bucket: one range request after the other
        yield torch.randn(8, 50, 20), torch.randint(1, 12, (8, 6))

torch.manual_seed(2)
enc = torch.nn.GRU(20, 24, batch_first=True); out = torch.nn.Linear(24, 12); ctc = torch.nn.CTCLoss()
opt = torch.optim.Adam([*enc.parameters(), *out.parameters()], 3e-3)
data_time, iter_time, losses = Meter(), Meter(), Meter()
ITERS = 40; end = time.time()
for i, (x, y) in enumerate(utterances(ITERS), 1):
    data_time.add(time.time() - end)
    lp = out(enc(x)[0]).log_softmax(-1).transpose(0, 1)
    loss = ctc(lp, y, torch.full((8,), 50), torch.full((8,), 6))
    opt.zero_grad(); loss.backward(); opt.step(); losses.add(loss.item())
    iter_time.add(time.time() - end); end = time.time()
    if i % 4 == 0: print(f"iter {i:>3}/{ITERS}  loss {losses.v:.3f} ({losses.avg:.3f})  data_time {data_time.v:.3f} ({data_time.avg:.3f})  iter_time {iter_time.v:.3f} ({iter_time.avg:.3f})", flush=True)
torch.save(enc.state_dict(), "ctc.pt"); print("wrote ctc.pt")
'''

SAMPLER = '''
import csv, random, sys, time
"""Full-neighbourhood sampling on the host; the device only sees finished minibatches."""
rng = random.Random(12); graph = [[rng.randrange(3000) for _ in range(rng.randint(2, 9))] for _ in range(3000)]
w = csv.writer(sys.stdout, delimiter=";", lineterminator="\\n"); w.writerow(["epoch", "batch", "loss", "sampling_s", "transfer_s", "compute_s", "device_busy_pct"])
theta, busy, whole = 0.0, 0.0, 0.0
for ep in range(3):
    for b in range(12):
        t = time.time(); seeds = [rng.randrange(3000) for _ in range(64)]; hop = set(seeds)
        for _ in range(3): hop |= {v for u in list(hop) for v in graph[u]}
        time.sleep(0.7); t1 = time.time(); time.sleep(0.02); t2 = time.time()
        theta += 0.08 * (1 - theta); time.sleep(0.03); t3 = time.time(); busy += t3 - t2; whole += t3 - t
        w.writerow([ep, b, round((1 - theta) ** 2 + 0.3, 4), round(t1 - t, 3), round(t2 - t1, 3), round(t3 - t2, 3), round(100 * (t3 - t2) / (t3 - t), 1)]); sys.stdout.flush()
print(f"# total {whole:.1f} s, device busy {busy:.1f} s ({100 * busy / whole:.1f} %), the rest waited for minibatches", file=sys.stderr)
'''

TILES = '''
import time, json, zlib, torch, argparse
p = argparse.ArgumentParser(); p.add_argument("--workers", type=int, default=0); p.add_argument("--epochs", type=int, default=2); a = p.parse_args()
blobs = [zlib.compress(torch.randn(3, 32, 32).numpy().tobytes(), 9) for _ in range(48)]

class Scenes(torch.utils.data.Dataset):
    """Sentinel tiles, inflated and warped for every sample."""
    def __len__(self): return len(blobs)
    def __getitem__(self, i):
        raw = bytearray(zlib.decompress(blobs[i])); time.sleep(0.16)
        x = torch.frombuffer(raw, dtype=torch.float32).reshape(3, 32, 32)
        return x, (x.mean() > 0).long()

torch.manual_seed(4); net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3072, 2)); opt = torch.optim.SGD(net.parameters(), 0.001)
spans = {"next_batch": 0.0, "forward": 0.0, "backward": 0.0, "optimizer": 0.0}
for ep in range(a.epochs):
    it = iter(torch.utils.data.DataLoader(Scenes(), 6, num_workers=a.workers)); n = 0; seen = 0.0
    while True:
        t = time.time(); batch = next(it, None); spans["next_batch"] += time.time() - t
        if batch is None: break
        t = time.time(); loss = torch.nn.functional.cross_entropy(net(batch[0]), batch[1]); spans["forward"] += time.time() - t
        t = time.time(); opt.zero_grad(); loss.backward(); spans["backward"] += time.time() - t
        t = time.time(); opt.step(); spans["optimizer"] += time.time() - t
        n += 1; seen += loss.item()
        if n % 2 == 0: print(f"epoch {ep + 1} batch {n}/8 loss {loss.item():.4f}", flush=True)
    print(f"epoch {ep + 1} mean loss {seen / n:.4f}; seconds so far: " + ", ".join(f"{k} {v:.2f}" for k, v in spans.items()), flush=True)
total = sum(spans.values())
print(json.dumps({"profile": {k: f"{100 * v / total:.1f}%" for k, v in spans.items()}, "num_workers": a.workers}))
'''

CLIMATE = '''
"""Emulator of a coupled ocean column. Keeps every state, as the reviewers asked."""
import os, time, torch
torch.manual_seed(31); N = 60
net = torch.nn.Sequential(torch.nn.Linear(128, 900), torch.nn.GELU(), torch.nn.Linear(900, 128)); opt = torch.optim.AdamW(net.parameters(), 1e-3)
profile = torch.randn(256, 4) @ torch.randn(4, 128)
os.makedirs("states", exist_ok=True)
for n in range(1, N + 1):
    a = time.perf_counter()
    loss = (net(profile) - profile.roll(1, 1)).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
    b = time.perf_counter()
    for name in ("full", "mirror"):
        with open(f"states/{name}_{n % 4}.pt", "wb") as f:
            torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "n": n}, f); f.flush(); os.fsync(f.fileno())
    time.sleep(0.25)  # archive handshake
    c = time.perf_counter()
    print(f"n={n:02d}/{N} loss={loss.item():.5f} step={b - a:.3f}s checkpoint(full+mirror)={c - b:.3f}s share_of_checkpoint={100 * (c - b) / (c - a):.0f}%", flush=True)
print("emulator trained")
'''

VOICE = """
import json, os, time, random, sys
# text-to-speech acoustic model, JSON weights (no framework on this machine)
rng = random.Random(3); w = [rng.gauss(0, 1) for _ in range(60000)]; goal = [0.0] * len(w)
class Trainer:
    def __init__(self, every): self.every, self.step, self.t_save, self.t0 = every, 0, 0.0, time.time()
    def train_step(self):
        for i in range(0, len(w), 3): w[i] *= 0.97
        self.step += 1
        return sum(x * x for x in w[:3000]) / 3000
    def save(self):
        t = time.time(); tmp = f"ckpt_{self.step:05d}.json.tmp"
        with open(tmp, "w") as f: json.dump(w, f); f.flush(); os.fsync(f.fileno())
        os.replace(tmp, tmp[:-4]); self.t_save += time.time() - t
        old = f"ckpt_{self.step - 3 * self.every:05d}.json"
        if os.path.exists(old): os.remove(old)
        print(f"I step {self.step}: saved ckpt_{self.step:05d}.json ({os.path.getsize(tmp[:-4]) >> 10} KiB, {time.time() - t:.2f} s)", flush=True)
tr = Trainer(every=1)
while tr.step < 70:
    l = tr.train_step(); print(f"I step {tr.step}/70: mel_loss {l:.5f}", flush=True)
    if tr.step % tr.every == 0: tr.save()
print(f"I training complete: {time.time() - tr.t0:.1f} s, of these {tr.t_save:.1f} s in save()")
"""

NVT = """
import math, random, time
# Langevin dynamics of a bead chain with learned forces; prints like our group's engine does
N, DT, TOTAL = 40, 0.004, 500000; rng = random.Random(15)
x = [i * 1.0 for i in range(N)]; v = [0.0] * N; t0 = time.time()
print("   STEP       TIME(ps)    E_POT      TEMP(K)   ns/day   ETA"); s = 0
while s < TOTAL:
    for _ in range(20):
        s += 1
        for i in range(N):
            f = (1.0 - x[i] + x[i - 1]) if i else -x[0]
            f += (x[i + 1] - x[i] - 1.0) if i < N - 1 else 0.0
            v[i] = 0.98 * v[i] + DT * f + 0.02 * rng.gauss(0, 1); x[i] += DT * v[i]
    time.sleep(0.02)
    if s % 400 == 0:
        e = sum((x[i + 1] - x[i] - 1) ** 2 for i in range(N - 1)) / 2; k = sum(a * a for a in v) / N; el = time.time() - t0; left = el / s * (TOTAL - s)
        print(f"{s:7d} {s * DT:14.3f} {e:10.4f} {300 * k / 0.01:10.1f} {s * DT / 1000 / el * 86400:8.2f}   {int(left // 3600):02d}:{int(left % 3600 // 60):02d}:{int(left % 60):02d}", flush=True)
"""

WEBTEXT = r"""
#!/bin/bash
# filter crawl shards, one after the other
PY=$1; N=600; i=0; kept=0
echo "$(date +%T) filtering $N shards"
while [ $i -lt $N ]; do
    k=$("$PY" -c "import random,time; time.sleep(0.35); print(random.randint(200, 900))")
    kept=$((kept + k)); i=$((i + 1))
    echo "$(date +%T) shard $(printf %04d $i)/$N kept $k of 1000 documents (total $kept)"
done
echo "$(date +%T) done, $kept documents"
"""

JOBS = (
    crate("C3", "airfoil.py", SOLVERPIPE, python="system", timeout_s=40, note="an episode every 0.1 s up to the 40th, then nothing to the limit"),
    crate("C3", "kws.py", LOCKED, timeout_s=52, note="fifteen batches every half second up to 150, then nothing to the limit"),
    crate("D1", "ctc_bucket.py", BUCKETASR, note="data_time is nearly all of iter_time"),
    crate("D1", "gnn_host_sampling.py", SAMPLER, python="system", note="sampling_s against compute_s, device_busy_pct of a few; its own sum says so"),
    crate("D1", "sentinel.py --workers 0", TILES, note="next_batch has nearly all seconds, by its own profile; num_workers 0"),
    crate("D2", "ocean.py", CLIMATE, variant="save_storm", note="two checkpoints after each step, nine tenths of its time"),
    crate("D2", "tts_json.py", VOICE, variant="save_storm", python="system", note="a save after each of 70 steps, most of the time in save()"),
    crate("F3", "langevin.py", NVT, variant="advancing", python="system", timeout_s=30, note="advancing to the limit with an ETA far beyond it"),
    crate(
        "F3",
        "sh filter.sh PYTHON",
        WEBTEXT,
        variant="advancing",
        python="system",
        timeout_s=32,
        note="a shard every half second to the limit, of 600",
    ),
)
