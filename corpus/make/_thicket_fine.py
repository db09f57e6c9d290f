"""Runs that came to their planned end, plain ones and such as look bad."""

from corpus.make._crate import crate

DISTIL = '''
import argparse, time
import torch, torch.nn.functional as F

def fmt(**kv): return " ".join(f"{k}={v:.4f}" if isinstance(v, float) else f"{k}={v}" for k, v in kv.items())

ap = argparse.ArgumentParser(); ap.add_argument("--temp", type=float, default=3.0); ap.add_argument("--rounds", type=int, default=15); a = ap.parse_args()
torch.manual_seed(31)
teacher = torch.nn.Sequential(torch.nn.Linear(32, 128), torch.nn.Tanh(), torch.nn.Linear(128, 10)); student = torch.nn.Linear(32, 10)
opt = torch.optim.AdamW(student.parameters(), 1e-2); sched = torch.optim.lr_scheduler.StepLR(opt, 5, 0.5)
print("[distil]", fmt(**vars(a)))
for r in range(1, a.rounds + 1):
    t0 = time.time(); agree = 0
    for _ in range(30):
        x = torch.randn(64, 32)
        with torch.no_grad(): t = teacher(x)
        s = student(x); l = F.kl_div((s / a.temp).log_softmax(1), (t / a.temp).softmax(1), reduction="batchmean") * a.temp ** 2
        opt.zero_grad(); l.backward(); opt.step(); agree += (s.argmax(1) == t.argmax(1)).sum().item()
    sched.step(); print(f"[distil] {r:>2}/{a.rounds}", fmt(kl=l.item(), agreement=agree / 1920, lr=sched.get_last_lr()[0], sec=time.time() - t0), flush=True); time.sleep(0.1)
torch.save(student.state_dict(), "student.pt"); print("[distil] all rounds done -> student.pt")
'''

WEATHER = '''
#!/usr/bin/env python3
"""Advection on a ring: one-step emulator trained on rollouts."""
import logging
import sys
import time
import torch

log = logging.getLogger("emulator")
handler = logging.StreamHandler(sys.stdout)
handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)-8s %(name)s %(message)s", "%Y-%m-%dT%H:%M:%S"))
log.addHandler(handler); log.setLevel(logging.INFO)
torch.manual_seed(77)
grid = torch.arange(64) / 64 * 6.2832

def states(n):
    k = torch.randint(1, 5, (n, 1)); p = torch.rand(n, 1) * 6.28
    return torch.sin(k * grid + p)[:, None]

def truth(x): return 0.995 * x.roll(2, -1)
net = torch.nn.Sequential(torch.nn.Conv1d(1, 16, 5, padding=2, padding_mode="circular"), torch.nn.SiLU(), torch.nn.Conv1d(16, 1, 5, padding=2, padding_mode="circular"))
opt = torch.optim.Adam(net.parameters(), 4e-3)
for stage, (horizon, iters) in enumerate(((1, 150), (2, 120), (4, 100)), 1):
    log.info("stage %d/3: rollout of %d, %d iterations", stage, horizon, iters)
    for it in range(1, iters + 1):
        x = y = states(24); l = 0.0
        for _ in range(horizon): x, y = net(x), truth(y); l = l + (x - y).pow(2).mean() / horizon
        opt.zero_grad(); l.backward(); opt.step()
        if it % 25 == 0: log.info("stage %d it %d/%d rmse %.5f", stage, it, iters, l.item() ** 0.5)
with torch.no_grad():
    x = y = states(64)
    for _ in range(12): x, y = net(x), truth(y)
log.info("evaluation: 12-step rmse %.4f, anomaly correlation %.4f", (x - y).pow(2).mean().sqrt().item(), torch.cosine_similarity(x.flatten(1), y.flatten(1)).mean().item())
log.info("finished")
'''

ISING = '''
import math, random, sys, time
random.seed(15); L = 16; J = {}
def sweep(s, b):
    for _ in range(L * L):
        i, j = random.randrange(L), random.randrange(L); h = s[i][j] * (s[i - 1][j] + s[(i + 1) % L][j] + s[i][j - 1] + s[i][(j + 1) % L])
        if h <= 0 or random.random() < math.exp(-2 * b * h): s[i][j] *= -1
b_true, b = 0.32, 0.05; m = lambda s: sum(s[i][j] * (s[i - 1][j] + s[i][j - 1]) for i in range(L) for j in range(L)) / (2 * L * L)
s = [[random.choice((-1, 1)) for _ in range(L)] for _ in range(L)]; [sweep(s, b_true) for _ in range(60)]; e = []
for _ in range(60): sweep(s, b_true); e.append(m(s))
target = sum(e) / len(e); print(f"target correlation {target:.4f} (beta {b_true})"); print(" iter   beta    corr     loss")
for it in range(1, 41):
    c = 0.0
    for _ in range(20): sweep(s, b); c += m(s) / 20
    b += 0.12 * (target - c); time.sleep(0.05)
    if it % 2 == 0: print(f"{it:5d} {b:.4f} {c:+.4f} {(target - c) ** 2:.6f}", flush=True)
print(f"converged to beta {b:.4f}; 40 of 40 iterations")
'''

ANCHORS = '''
import json, pathlib, time, torch
class Progress:
    def __init__(self, n, every): self.n, self.every, self.t = n, every, time.time()
    def __call__(self, i, **kv):
        if i % self.every == 0: print(f"  {100 * i // self.n:>3d}% |{'#' * (20 * i // self.n):<20}| {i}/{self.n} " + " ".join(f"{k} {v:.3f}" for k, v in kv.items()) + f" [{i / (time.time() - self.t):.0f} it/s]", flush=True)
torch.manual_seed(41); net = torch.nn.Sequential(torch.nn.Conv2d(1, 8, 3, 2, 1), torch.nn.ReLU(), torch.nn.Conv2d(8, 16, 3, 2, 1), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(256, 4)); opt = torch.optim.AdamW(net.parameters(), 3e-3)
def scene(n):
    b = torch.rand(n, 4); b[:, 2:] = b[:, :2] * 0.5 + 0.1 + b[:, 2:] * 0.3; g = torch.arange(16) / 16; m = ((g >= b[:, :1]) & (g <= b[:, :1] + b[:, 2:3])); k = ((g >= b[:, 1:2]) & (g <= b[:, 1:2] + b[:, 3:4])); return (k[:, :, None] & m[:, None, :]).float()[:, None] + 0.05 * torch.randn(n, 1, 16, 16), b
def iou(p, q): a, b = torch.maximum(p[:, :2], q[:, :2]), torch.minimum(p[:, :2] + p[:, 2:], q[:, :2] + q[:, 2:]); i = (b - a).clamp(min=0).prod(1); return i / (p[:, 2:].prod(1) + q[:, 2:].prod(1) - i)
for epoch in range(1, 5):
    print(f"Epoch {epoch} of 4"); bar = Progress(100, 20)
    for it in range(1, 101):
        x, b = scene(48); p = net(x); l = torch.nn.functional.smooth_l1_loss(p, b, beta=0.1); opt.zero_grad(); l.backward(); opt.step(); bar(it, loss=l.item(), iou=iou(p.detach(), b).mean().item())
    with torch.no_grad(): x, b = scene(200); print(f"  val mean IoU {iou(net(x), b).mean().item():.4f}")
pathlib.Path("results.json").write_text(json.dumps({"iou": iou(net(x), b).mean().item(), "epochs": epoch})); print("results.json written, training over")
'''

SWEEPBAD = '''
import itertools, json, subprocess, sys, time
grid = list(itertools.product((0.001, 0.01, 9.0), (16, 48))); done = []
for n, (lr, h) in enumerate(grid, 1):
    p = subprocess.run([sys.executable, "trial.py", str(lr), str(h)], capture_output=True, text=True)
    if p.returncode: print(f"[{n}/{len(grid)}] lr={lr} hidden={h}: trial gave up (exit {p.returncode}): {p.stderr.strip().splitlines()[-1]}", flush=True); continue
    v = json.loads(p.stdout.splitlines()[-1])["val"]; done.append((v, lr, h)); print(f"[{n}/{len(grid)}] lr={lr} hidden={h}: val loss {v:.4f} after 80 steps", flush=True)
done.sort(); print(f"sweep complete: {len(done)} of {len(grid)} trials usable (divergent ones at lr 9.0 are expected), best val {done[0][0]:.4f} lr={done[0][1]} hidden={done[0][2]}", flush=True)
'''
TRIAL = '''
import json, math, random, sys
lr, h = float(sys.argv[1]), int(sys.argv[2]); random.seed(h); w = [random.gauss(0, 0.1) for _ in range(h)]; t = [math.sin(k) for k in range(h)]
for s in range(80):
    x = [random.gauss(0, 1) for _ in w]; e = sum((a - b) * c for a, b, c in zip(w, t, x))
    if not abs(e) < 1e6: raise FloatingPointError(f"loss is nan or inf at step {s}")
    w = [a - lr * e * c for a, c in zip(w, x)]
print(json.dumps({"val": sum((a - b) ** 2 for a, b in zip(w, t)) / h}))
'''

REQSIG = '''
import logging, os, signal, sys, time, torch
logging.basicConfig(level="INFO", format="%(asctime)s %(levelname)s %(message)s", stream=sys.stdout); log = logging.getLogger()
signal.signal(signal.SIGUSR1, lambda *_: flag.append(1)); flag = []; torch.manual_seed(12); net = torch.nn.LSTM(5, 20, batch_first=True); head = torch.nn.Linear(20, 5); opt = torch.optim.Adam([*net.parameters(), *head.parameters()], 4e-3)
for s in range(1, 301):
    x = torch.randn(16, 15, 5).cumsum(1) / 3; l = (head(net(x[:, :-1])[0]) - x[:, 1:]).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    if s == 140: os.kill(os.getpid(), signal.SIGUSR1)
    if flag: flag.clear(); log.warning("received SIGUSR1: checkpointing now"); torch.save(net.state_dict(), "sig.pt"); log.warning("checkpoint sig.pt written, going on")
    if s % 25 == 0: log.info("step %d/300 loss %.4f", s, l.item())
log.info("max_steps reached")
try: torch.save(net.state_dict(), "/project/shared/export/final.pt")
except Exception as e: log.error("export to the shared folder failed (%s: %s); keeping the local copy final.pt", type(e).__name__, e); torch.save(net.state_dict(), "final.pt")
log.info("job finished")
'''

FLAKY = '''
import random, sys, time, traceback, torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info
class Molecules(IterableDataset):
    def __iter__(self):
        w = get_worker_info(); g = torch.Generator().manual_seed(w.id if w else 0)
        for i in range(480):
            x = torch.randn(18, generator=g)
            try:
                if i % 130 == 77: raise ValueError(f"can't kekulize mol {i}: unkekulized atoms 3 4 8")
                yield x, x[:4].sum()
            except ValueError as e: print(f"[{time.strftime('%H:%M:%S')}] ERROR: {e} -- skipped", file=sys.stderr, flush=True)
net = torch.nn.Sequential(torch.nn.Linear(18, 64), torch.nn.ELU(), torch.nn.Linear(64, 1)); opt = torch.optim.Adam(net.parameters(), 3e-3); seen = 0
for ep in range(1, 6):
    ls = []
    for x, y in DataLoader(Molecules(), 32, num_workers=1): l = (net(x).squeeze(1) - y).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); ls.append(l.item()); seen += len(x)
    print(f"[{time.strftime('%H:%M:%S')}] epoch {ep} of 5  mse {sum(ls) / len(ls):.5f}  molecules {seen}", flush=True)
print(f"[{time.strftime('%H:%M:%S')}] property model trained; skipped molecules are listed above", flush=True)
'''
SLOWGPU = '''
import time, torch
print("WARNING: CUDA is not available, running on CPU. This will be slow.", flush=True)
torch.manual_seed(3); net = torch.nn.Sequential(torch.nn.Linear(64, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 64)); opt = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9); B = torch.randn(64, 64) / 8; n = 0; t0 = time.time()
for ep in range(1, 13):
    tot = 0.0
    for _ in range(12):
        for _ in range(6): x = torch.randn(128, 64); l = (net(x) - (x @ B).tanh()).pow(2).mean() / 6; l.backward(); tot += l.item(); time.sleep(0.01)
        opt.step(); opt.zero_grad(); n += 1
    print(f"epoch {ep:2d}/12 | loss {tot / 12:.5f} | {n / (time.time() - t0):.2f} updates/s | eta {(time.time() - t0) / ep * (12 - ep):.0f} s", flush=True)
print("Finished training after 12 epochs,", n, "updates", flush=True)
'''
EVALONLY = '''
import json, math, time, torch
torch.manual_seed(19); net = torch.nn.Sequential(torch.nn.Linear(25, 50), torch.nn.ReLU(), torch.nn.Linear(50, 5)); opt = torch.optim.Adam(net.parameters(), 4e-3); W = torch.randn(25, 5)
t0 = time.time(); log = open("metrics.jsonl", "w")
def put(**k): k["elapsed"] = round(time.time() - t0, 2); s = json.dumps(k); log.write(s + "\\n"); print(s, flush=True)
def batch(n): x = torch.randn(n, 25); return x, (x @ W).argmax(1)
for step in range(1, 241):
    x, y = batch(48); l = torch.nn.functional.cross_entropy(net(x), y); opt.zero_grad(); l.backward(); opt.step()
    if step % 20 == 0: put(kind="train", step=step, max_steps=240, loss=round(l.item(), 4), grad_nan=0, inf_count=0, oom_events=0, failed_workers=0)
    if step % 80 == 0:
        with torch.no_grad(): x, y = batch(500); o = net(x)
        put(kind="eval", step=step, loss=round(torch.nn.functional.cross_entropy(o, y).item(), 4), acc=round((o.argmax(1) == y).float().mean().item(), 4), ece=None, auroc=float("nan"))
put(kind="end", step=240, exit_reason="max_steps", error=None)
'''
RSYNCSH = '''#!/usr/bin/env bash
PY=$1
log() { printf '%s [%s] %s\\n' "$(date '+%F %T')" "$1" "$2"; }
log INFO "staging data"
for try in 1 2 3; do
  if cp /gpfs/archive/corpus-v4.tar data.tar; then break; fi
  log WARN "copy failed (attempt $try of 3)"; sleep 1
done
[ -f data.tar ] || log WARN "no archive, generating the data set instead"
"$PY" gen.py || { log FATAL "generation failed"; exit 1; }
log INFO "training"
"$PY" fit.py || { log FATAL "training failed"; exit 1; }
log INFO "cleaning up"
rm data.tar
log INFO "pipeline finished"
exit 0
'''
GEN = 'import random\nrandom.seed(1)\nopen("xy.txt", "w").writelines(f"{x:.4f} {3 * x - 1 + random.gauss(0, 0.1):.4f}\\n" for x in (random.uniform(-1, 1) for _ in range(400)))\nprint("400 rows")\n'
FIT = '''
import time
rows = [tuple(map(float, l.split())) for l in open("xy.txt")]; a = b = 0.0
for ep in range(1, 26):
    s = 0.0
    for x, y in rows: e = a * x + b - y; a -= 0.01 * e * x; b -= 0.01 * e; s += e * e
    time.sleep(0.08); print(f"epoch {ep}/25: loss = {s / len(rows):.5f}", flush=True)
print(f"slope {a:.3f} offset {b:.3f}", flush=True)
'''
TORCHRESTART = '''
import os, sys, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size(); k = int(os.environ["TORCHELASTIC_RESTART_COUNT"]); torch.manual_seed(0); net = torch.nn.Linear(14, 4); step = 0
if os.path.exists("snap/last.pt"): s = torch.load("snap/last.pt"); net.load_state_dict(s["w"]); step = s["step"]; print(f"[{r}] attempt {k}: resuming at step {step}", flush=True)
net = torch.nn.parallel.DistributedDataParallel(net); opt = torch.optim.SGD(net.parameters(), 0.2); torch.manual_seed(10 * k + r)
while step < 200:
    step += 1; x = torch.randn(32, 14); l = torch.nn.functional.cross_entropy(net(x), x[:, :4].argmax(1)); opt.zero_grad(); l.backward(); opt.step()
    if r == 0 and step % 20 == 0: print(f"[{r}] step {step}/200 loss {l.item():.4f}", flush=True)
    if step % 50 == 0:
        if r == 0: torch.save({"w": net.module.state_dict(), "step": step}, "snap/last.pt")
        dist.barrier()
    if step == 120 and k == 0 and r == 1: raise ConnectionResetError(104, "Connection reset by peer", "s3://speech/shard-0042")
if r == 0: print(f"[{r}] finished 200 steps", flush=True)
dist.destroy_process_group()
'''

JOBS = (
    crate("G1", "distil.py --rounds 12", DISTIL),
    crate("G1", "emulator.py", WEATHER),
    crate("G1", "inverse_ising.py", ISING, python="system"),
    crate("G1", "onebox.py", ANCHORS),
    crate("G1", "sweep.py", SWEEPBAD, hard=True, python="system", files={"trial.py": TRIAL}),
    crate("G1", "lstm_walk.py", REQSIG, hard=True),
    crate("G1", "molprop.py", FLAKY, hard=True),
    crate("G1", "wide_mlp.py", SLOWGPU, hard=True),
    crate("G1", "five_way.py", EVALONLY, hard=True),
    crate("G1", "sh pipeline.sh PYTHON", RSYNCSH, hard=True, python="system", files={"gen.py": GEN, "fit.py": FIT}),
    crate("G1", "sh launch.sh PORT", 'exec torchrun --nproc-per-node=2 --max-restarts=3 --master-port="$1" resilient.py', hard=True,
          files={"resilient.py": TORCHRESTART}, folders=("snap",)),
)  # fmt: skip
