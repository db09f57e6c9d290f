"""Runs of a group of students that broke down: at a file, a row, a batch, a metric, a checkpoint, or by a hand from outside."""

from corpus.make._crate import crate
from corpus.running.job import Signal

NOTEACHER = """
import argparse, yamlish, torch, torch.nn as nn
p = argparse.ArgumentParser(); p.add_argument("--config", default="configs/kd.yaml"); a = p.parse_args(); cfg = yamlish.load(a.config)
for k, v in cfg.items(): print(f"{k:<22}{v}")
torch.manual_seed(int(cfg["seed"])); student = nn.Sequential(nn.Linear(48, 24), nn.ReLU(), nn.Linear(24, 10)); teacher = nn.Sequential(nn.Linear(48, 256), nn.ReLU(), nn.Linear(256, 10))
print("student", sum(q.numel() for q in student.parameters()), "parameters, teacher", sum(q.numel() for q in teacher.parameters())); print("loading teacher weights ...", flush=True)
teacher.load_state_dict(torch.load(cfg["teacher_checkpoint"], map_location="cpu"))
print("start distillation")
"""
YAMLISH = '''
def load(path):
    """Flat key: value files are all that is needed here."""
    return {k.strip(): v.strip() for k, _, v in (line.partition(":") for line in open(path) if ":" in line)}
'''
KDYAML = "seed: 3\ntemperature: 4\nalpha: 0.7\nteacher_checkpoint: /shared/models/teacher_r50/best.pt\nepochs: 90\nbatch_size: 256\n"

BADLINE = """
import json, logging, sys, time
logging.basicConfig(stream=sys.stdout, level=logging.DEBUG, format="%(asctime)s %(levelname)s %(funcName)s: %(message)s"); log = logging.getLogger()
def read_split(path):
    log.info("reading %s", path); return [json.loads(line) for line in open(path)]
def vocabulary(rows): return sorted({w for r in rows for w in r["text"].split()})
def main():
    valid = read_split("data/valid.jsonl"); log.info("%d validation examples", len(valid)); train = read_split("data/train.jsonl"); log.info("%d training examples, vocabulary %d", len(train), len(vocabulary(train)))
    for epoch in range(10): log.info("epoch %d", epoch); time.sleep(1)
main()
"""
LINES = "".join(f'{{"id": {i}, "text": "review number {i} is {"good" if i % 3 else "bad"}", "label": {int(i % 3 > 0)}}}\n' for i in range(90))
CUTLINES = "".join(
    f'{{"id": {i}, "text": "review number {i} is {"good" if i % 3 else "bad"}", "label": {int(i % 3 > 0)}}}\n'
    if i != 56
    else '{"id": 56, "text": "review number 5\n'
    for i in range(90)
)

FEDKILL = """
#!/bin/bash
# federated, one process a site; the coordinator averages over a folder
exec "$1" -u coordinator.py --sites 4 --rounds 400
"""
COORD = """
import argparse, time, numpy as np
p = argparse.ArgumentParser(); p.add_argument("--sites", type=int); p.add_argument("--rounds", type=int); a = p.parse_args(); rng = np.random.default_rng(0); truth = rng.normal(size=15); w = np.zeros(15); v = np.zeros((a.sites, 15))
X = [rng.normal(size=(200, 15)) for _ in range(a.sites)]; Y = [x @ truth + 0.3 * rng.normal(size=200) for x in X]; print(f"SCAFFOLD with {a.sites} sites, {a.rounds} rounds")
for rnd in range(1, a.rounds + 1):
    new = []
    for k in range(a.sites): u = w - 0.02 * (2 * X[k].T @ (X[k] @ w - Y[k]) / 200 - v[k] + v.mean(0)); new.append(u); v[k] += 0.1 * (w - u); time.sleep(0.012)
    w = np.mean(new, 0)
    if rnd % 8 == 0: print(f"round {rnd:4d}/{a.rounds}  mse {np.mean([((x @ w - y) ** 2).mean() for x, y in zip(X, Y)]):.5f}  |w-w*| {np.linalg.norm(w - truth):.4f}")
np.save("w.npy", w)
"""

LASTBATCH = """
import argparse, torch, torch.nn as nn, torch.nn.functional as F
p = argparse.ArgumentParser(); p.add_argument("-b", "--batch-size", type=int, default=64); p.add_argument("--tau", type=float, default=0.1); a = p.parse_args(); torch.manual_seed(0)
class SupCon(nn.Module):
    def __init__(self, batch, tau): super().__init__(); self.tau = tau; self.register_buffer("self_mask", torch.eye(2 * batch).bool())
    def forward(self, z, y): s = (z @ z.T / self.tau).masked_fill(self.self_mask, -1e9); pos = (y[:, None] == y[None]) & ~self.self_mask; return -((s - s.logsumexp(1, keepdim=True)) * pos).sum(1).div(pos.sum(1)).mean()
net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 16)); crit = SupCon(a.batch_size, a.tau); opt = torch.optim.Adam(net.parameters(), 2e-3); Y = torch.randint(6, (1640,)); X = torch.randn(6, 32)[Y] + 0.7 * torch.randn(1640, 32)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X, Y), a.batch_size, shuffle=True); print(len(X), "samples,", len(data), "batches per epoch")
for epoch in range(20):
    for n, (x, y) in enumerate(data):
        z = F.normalize(net(torch.cat([x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)])), dim=1); loss = crit(z, y.repeat(2)); opt.zero_grad(); loss.backward(); opt.step()
        if n % 3 == 0: print(f"Train: [{epoch}][{n}/{len(data)}] supcon {loss.item():.3f}", flush=True)
"""

NOPOSITIVES = """
import math, random, time
random.seed(6); D = 8; w = [0.0] * D; b = 0.0; truth = [random.gauss(0, 1) for _ in range(D)]
def make(n, shift): return [(x := [random.gauss(0, 1) for _ in range(D)], int(sum(p * q for p, q in zip(x, truth)) > shift)) for _ in range(n)]
train, folds = make(600, 0.0), [make(80, s) for s in (0.0, 0.5, 1.0, 2.0, 30.0)]
score = lambda x: 1 / (1 + math.exp(-b - sum(p * q for p, q in zip(w, x))))
def recall(rows): return sum(score(x) > 0.5 for x, y in rows if y) / sum(y for _, y in rows)
print(f"churn model: {len(train)} customers, {len(folds)} validation months, one month every 5 epochs", flush=True)
for ep in range(1, 51):
    ll = 0.0
    for x, y in train: p = score(x); ll -= math.log(p if y else 1 - p) / 600; w = [a - 0.02 * (p - y) * v for a, v in zip(w, x)]; b -= 0.02 * (p - y)
    print(f"ep {ep:02d} nll {ll:.4f}", flush=True); time.sleep(0.05)
    if ep % 5 == 0: m = ep // 5 - 1; print(f"  validation month {m + 1}: recall {recall(folds[m % len(folds)]):.3f}", flush=True)
"""

NOMATCH = """
import argparse, glob, os, re, torch, torch.nn as nn
p = argparse.ArgumentParser(); p.add_argument("--out", default="runs/simsiam"); p.add_argument("--resume", choices=("auto", "never"), default="never"); p.add_argument("--epochs", type=int, default=20); p.add_argument("--tag", default="epoch_%04d.pth"); a = p.parse_args()
os.makedirs(a.out, exist_ok=True); print("arguments:", vars(a)); print("contents of", a.out, ":", sorted(os.listdir(a.out))); torch.manual_seed(2); X = torch.randn(640, 4) @ torch.randn(4, 36)
net = nn.Sequential(nn.Linear(36, 24), nn.ReLU(), nn.Linear(24, 36)); opt = torch.optim.Adam(net.parameters(), 3e-3); first = 1
if a.resume == "auto":
    found = sorted(f for f in glob.glob(a.out + "/*") if re.fullmatch(r"epoch-\\d+\\.pt", os.path.basename(f)))
    print(f"--resume auto: {len(found)} files match epoch-*.pt")
    if found: ck = torch.load(found[-1]); net.load_state_dict(ck["net"]); opt.load_state_dict(ck["opt"]); first = ck["epoch"] + 1; print("resumed from", found[-1])
for ep in range(first, a.epochs + 1):
    for i in torch.randperm(640).split(64): loss = (net(X[i] * (torch.rand_like(X[i]) > 0.3)) - X[i]).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
    print(f"epoch {ep}/{a.epochs} loss {loss.item():.4f}", flush=True)
    if ep % 10 == 0: torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": ep}, f"{a.out}/{a.tag % ep}"); print("saved", a.tag % ep, flush=True)
"""
NOMATCH_SH = """
set -e
echo "### part 1 of 2"
"$1" denoise_ae.py --epochs 20
echo "### part 2 of 2: continue to epoch 40"
"$1" denoise_ae.py --epochs 40 --resume auto
"""

TORN = """
import os, sys, numpy as np
names = sorted(os.listdir("state")); print("checkpoints:", ", ".join(f"{n} ({os.path.getsize('state/' + n)} bytes)" for n in names)); newest = os.path.join("state", names[-1])
print("resuming from", newest, flush=True); st = np.load(newest); w, step = st["w"], int(st["step"])
for k in range(step + 1, 2001): w = w - 0.01 * w; print("step", k, "norm", np.linalg.norm(w))
"""
TORNPREP = """
import os, numpy as np
for s in (200, 400, 600): np.savez(f"state/step{s:05d}.npz", w=np.random.default_rng(s).normal(size=(60, 60)), step=s)
raw = open("state/step00600.npz", "rb").read(); open("state/step00600.npz", "wb").write(raw[:9000])
"""

JOBS = (
    crate(
        "A1",
        "distill.py --config configs/kd.yaml",
        NOTEACHER,
        cause="file_not_found",
        variant="asset",
        files={"yamlish.py": YAMLISH, "configs/kd.yaml": KDYAML},
        note="FileNotFoundError on the teacher's checkpoint before any step",
    ),
    crate(
        "A1",
        "sentiment.py",
        BADLINE,
        cause="traceback",
        variant="data",
        python="system",
        files={"data/valid.jsonl": LINES, "data/train.jsonl": CUTLINES},
        note="JSONDecodeError on a torn line of the training split",
    ),
    crate(
        "A2",
        "sh fed.sh PYTHON",
        FEDKILL,
        fault="unknown",
        status=-9,
        files={"coordinator.py": COORD},
        signal=Signal("KILL", r"round +96/", to="coordinator.py"),
        note="signal 9 while rounds go by, no memory event",
    ),
    crate(
        "A3",
        "supcon.py -b 64",
        LASTBATCH,
        cause="runtime_error",
        note="the last batch of the first epoch is smaller than the mask: size of tensor a against b, after 25 batches",
    ),
    crate(
        "A3",
        "churn.py",
        NOPOSITIVES,
        cause="div_zero",
        python="system",
        note="ZeroDivisionError in the recall of a month without positives, after 25 epochs",
    ),
    crate(
        "E2",
        "sh chain.sh PYTHON",
        NOMATCH_SH,
        variant="from_scratch",
        status=0,
        files={"denoise_ae.py": NOMATCH},
        note="part 2 asked to resume, two files lie there, none matches; begins at epoch 1 with part 1's first loss",
    ),
    crate(
        "E2",
        "meta.py",
        TORN,
        cause="traceback",
        variant="corrupt",
        folders=("state",),
        files={"prep.py": TORNPREP},
        before=(("PYTHON", "prep.py"),),
        note="BadZipFile on the newest checkpoint, a third as long as the others",
    ),
)
