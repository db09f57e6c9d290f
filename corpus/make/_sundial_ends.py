"""Single programs that stopped early: at the door, half-way, on loading what an earlier run left."""

from corpus.make._crate import crate
from corpus.running.job import Signal

WEIGHTS = """
import argparse
import logging

import torch
import torch.nn as nn

logging.basicConfig(level=logging.INFO, format="%(asctime)s | %(levelname)s | %(name)s | %(message)s")
log = logging.getLogger("linear_probe")


class Backbone(nn.Module):
    def __init__(self, dim=96):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, 14, 14)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        return self.norm(self.patch(x).flatten(2).mean(-1))


def load_backbone(path):
    net = Backbone()
    log.info("loading pretrained weights from %s", path)
    net.load_state_dict(torch.load(path, map_location="cpu"))
    return net.eval()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--backbone", default="/lustre/models/dinov2/vits14_pretrain.pth")
    parser.add_argument("--epochs", type=int, default=30)
    args = parser.parse_args()
    log.info("args: %s", vars(args))
    log.info("torch %s, %d cpu thread(s)", torch.__version__, torch.get_num_threads())
    backbone = load_backbone(args.backbone)
    head = nn.Linear(96, 1000)
    for epoch in range(args.epochs):
        loss = nn.functional.cross_entropy(head(backbone(torch.randn(8, 3, 56, 56))), torch.randint(1000, (8,)))
        log.info("epoch %d loss %.4f", epoch, loss.item())
"""

BARE_ENV = """
#!/bin/bash
echo "[$(date '+%F %T')] job on $(uname -n | cut -c1-4)xx, python: $(command -v python3)"
source ~/envs/protein/bin/activate 2>/dev/null || echo "[warn] no venv at ~/envs/protein, going on with the default python"
set -e
export SEED=11
echo "[$(date '+%F %T')] esm_finetune: fold 0/5"
python3 esm_finetune.py --fold 0 --lr 2e-5
echo "[$(date '+%F %T')] esm_finetune: fold 1/5"
python3 esm_finetune.py --fold 1 --lr 2e-5
"""
ESM = """
import argparse
import json
import os

import torch
from torch.utils.data import DataLoader

parser = argparse.ArgumentParser()
parser.add_argument("--fold", type=int)
parser.add_argument("--lr", type=float)
print(json.dumps(vars(parser.parse_args())), torch.manual_seed(int(os.environ["SEED"])))
"""

CLOSED = '''
"""Pretrains a small conformer on the meeting recordings."""
import glob
import time
import wave


def stamp():
    return time.strftime("%d/%m %H:%M:%S")


print(stamp(), "conformer-s pretraining, 80 mel bins, 16 kHz")
print(stamp(), "scanning recordings/")
segments = []
for name in ("dev.lst", "train.lst"):
    with open(f"recordings/{name}") as listing:
        for line in listing:
            segments.append(line.split())
    print(stamp(), name, "ok,", len(segments), "segments so far")
print(stamp(), "feature extraction starts")
for path, *_ in segments:
    wave.open(path)
'''

KEYCONF = """
import json
import random

cfg = json.load(open("config/gpt_125m.json"))
print("=" * 60)
for section, values in cfg.items():
    print(f"{section}:")
    for k, v in values.items():
        print(f"    {k:<22}{v}")
print("=" * 60)


def build_schedule(c):
    total = c["train"]["max_steps"]
    warm = int(total * c["train"]["warmup_ratio"])
    return [c["train"]["lr"] * min(1.0, (i + 1) / max(1, warm)) for i in range(total)]


def main():
    random.seed(cfg["train"]["seed"])
    lrs = build_schedule(cfg)
    for step, lr in enumerate(lrs):
        print(step, lr)


main()
"""
KEYCONF_JSON = '{"model": {"n_layer": 12, "n_head": 12, "d_model": 768, "vocab": 50304}, "train": {"seed": 1337, "lr": 0.0006, "max_steps": 20000, "warmup_steps": 700, "grad_clip": 1.0}}'

METADEV = """
import time

import torch
from torch import nn


class Student(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.stem = nn.Linear(40, width)
        with torch.device("meta"):  # filled from the teacher below
            self.head = nn.Linear(width, 12)

    def forward(self, x):
        return self.head(torch.relu(self.stem(x)))


print("distillation of kws-12: building teacher and student")
teacher = nn.Sequential(nn.Linear(40, 128), nn.ReLU(), nn.Linear(128, 12)).eval()
student = Student(64)
print(f"teacher {sum(p.numel() for p in teacher.parameters()):,} parameters, student {sum(p.numel() for p in student.parameters()):,}")
opt = torch.optim.AdamW(student.stem.parameters(), lr=1e-3)
print("begin distilling, 40 epochs")
for epoch in range(40):
    t0 = time.time()
    x = torch.randn(64, 40)
    with torch.no_grad():
        target = teacher(x).softmax(-1)
    loss = nn.functional.kl_div(student(x).log_softmax(-1), target, reduction="batchmean")
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"epoch {epoch + 1} kl {loss.item():.4f} {time.time() - t0:.2f}s")
"""

SEGV = '''
import ctypes
import faulthandler
import sys
import time

import torch
import torch.nn as nn

faulthandler.enable()
torch.manual_seed(5)
libc = ctypes.CDLL(None)


class VoxelPool(nn.Module):
    """Binding of our C voxel pooling."""

    def forward(self, x, step):
        out = x.clone()
        libc.memcpy(ctypes.c_void_p(out.data_ptr() if step != 64 else 0x18), ctypes.c_void_p(x.data_ptr()), ctypes.c_size_t(out.numel() * 4))
        return out


net, pool = nn.Sequential(nn.Linear(48, 64), nn.ReLU(), nn.Linear(64, 10)), VoxelPool()
opt = torch.optim.AdamW(net.parameters(), 2e-3)
print("PointPillars-lite | classes 10 | batch 32 | 400 iters/epoch")
for it in range(400):
    x = torch.randn(32, 48)
    y = x[:, :10].argmax(1)
    loss = nn.functional.cross_entropy(net(pool(x, it)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.08)
    if it % 8 == 0:
        print(f"Epoch [1/24] Iter [{it}/400]  loss_cls: {loss.item():.4f}  lr: 2.0e-03  mem: 0", flush=True)
'''

AUDIOCACHE = '''
import logging
import resource
import time

import torch

logging.basicConfig(format="[%(asctime)s] %(message)s", datefmt="%H:%M:%S", level="INFO")
cache = {}


def rss():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() // 2**20


def utterance(i):
    """Log-mel of the i-th utterance; kept, so that the next epoch is faster."""
    if i not in cache:
        cache[i] = torch.rand(64, 40000)
    return cache[i]


torch.manual_seed(0)
net = torch.nn.GRU(64, 32, batch_first=True)
opt = torch.optim.Adam(net.parameters(), 1e-3)
logging.info("LibriSpeech-100 recipe, features are cached in memory, rss %d MB", rss())
for step in range(1, 1001):
    feats = utterance(step)
    x = feats[:, :40].T.unsqueeze(0)
    loss = (net(x)[0].mean(-1) - x.mean(-1)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.06)
    if step % 10 == 0:
        logging.info("step %d/1000 ctc %.4f cached %d utts, rss %d MB", step, loss.item(), len(cache), rss())
'''

DIFFU = """
import datetime
import time

import torch

torch.manual_seed(3)
eps = torch.nn.Sequential(torch.nn.Linear(17, 64), torch.nn.SiLU(), torch.nn.Linear(64, 16))
opt = torch.optim.AdamW(eps.parameters(), 3e-3)
print("ddpm on latents, T=1000, 50k iterations", flush=True)
ema = 1.0
for i in range(1, 50001):
    z, t = torch.randn(128, 16) * 0.5, torch.rand(128, 1)
    n = torch.randn_like(z)
    loss = (eps(torch.cat([z * (1 - t) + n * t, t], 1)) - n).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    ema = 0.95 * ema + 0.05 * loss.item()
    time.sleep(0.03)
    if i % 25 == 0:
        print(f"{datetime.datetime.now():%Y-%m-%d %H:%M:%S} iter={i:06d} ema_mse={ema:.5f} it/s={1 / 0.032:.1f}", flush=True)
"""

RECALL = """
import random
import time

random.seed(8)
weights = [random.gauss(0, 0.1) for _ in range(12)]


def click_rows(n, day):
    rows = []
    for _ in range(n):
        x = [random.gauss(0, 1) for _ in range(12)]
        rate = x[0] - x[5] + 0.5 * x[7]
        rows.append((x, 1 if day != 6 and rate > 0.4 else 0))
    return rows


def predict(x):
    z = sum(a * b for a, b in zip(weights, x))
    return 1 / (1 + 2.718281828 ** -z)


def fit(rows, lr=0.05):
    total = 0.0
    for x, y in rows:
        p = predict(x)
        total += (p - y) ** 2
        for k in range(12):
            weights[k] -= lr * (p - y) * x[k]
    return total / len(rows)


def validate(rows):
    hits = [y for x, y in rows if predict(x) > 0.5]
    positives = sum(y for _, y in rows)
    precision = sum(hits) / max(1, len(hits))
    recall = sum(hits) / positives
    return precision, recall


for day in range(1, 15):
    t = time.time()
    brier = fit(click_rows(2500, 0))
    time.sleep(0.8)
    p, r = validate(click_rows(400, day))
    print(f"day {day:2d}/14  brier {brier:.4f}  precision {p:.3f}  recall {r:.3f}  [{time.time() - t:.1f}s]", flush=True)
print("model pushed to registry: ctr-lr-daily")
"""

MAXLEN = """
import torch
import torch.nn as nn
import time

torch.manual_seed(1)
VOCAB, CTX = 180, 96
docs = [torch.randint(1, VOCAB, (int(torch.randint(20, CTX, (1,))),)) for _ in range(900)]
docs[731] = torch.randint(1, VOCAB, (118,))


class TinyLM(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(VOCAB, 48), nn.Embedding(CTX, 48)
        self.ff, self.out = nn.Sequential(nn.Linear(48, 96), nn.GELU(), nn.Linear(96, 48)), nn.Linear(48, VOCAB)

    def forward(self, ids):
        b, t = ids.shape
        assert t <= CTX, f"Cannot forward sequence of length {t}, block size is only {CTX}"
        return self.out(self.ff(self.tok(ids) + self.pos(torch.arange(t))))


model = TinyLM()
optim = torch.optim.AdamW(model.parameters(), lr=1e-3)
print(f"number of parameters: {sum(p.numel() for p in model.parameters()) / 1e6:.2f}M")
for it in range(0, 2000):
    batch = docs[(it * 6) % 900 : (it * 6) % 900 + 6]
    n = max(len(d) for d in batch)
    ids = torch.stack([nn.functional.pad(d, (0, n - len(d))) for d in batch])
    logits = model(ids)
    loss = nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=0)
    optim.zero_grad(set_to_none=True)
    loss.backward()
    optim.step()
    time.sleep(0.05)
    if it % 10 == 0:
        print(f"iter {it}: loss {loss.item():.4f}, time {50 + it % 7:.2f}ms", flush=True)
"""

SIMMAT = '''
import logging
import sys
import time

import torch
from torch import nn

logging.basicConfig(stream=sys.stdout, level="INFO", format="%(levelname).1s %(asctime)s %(filename)s:%(lineno)d] %(message)s")
torch.manual_seed(2)
image, text = nn.Linear(32, 24), nn.Linear(20, 24)
optim = torch.optim.AdamW([*image.parameters(), *text.parameters()], 2e-3)
mix = torch.randn(32, 20) / 5


def retrieval(rows=420_000):
    """Recall over the whole gallery, all against all."""
    a, b = torch.zeros(rows, 24), torch.zeros(rows, 24)
    scores = a @ b.T
    return (scores.argmax(1) == torch.arange(rows)).float().mean()


for epoch in range(1, 13):
    for k in range(40):
        x = torch.randn(64, 32)
        y = x @ mix
        u, v = nn.functional.normalize(image(x)), nn.functional.normalize(text(y))
        loss = nn.functional.cross_entropy(u @ v.T / 0.1, torch.arange(64))
        optim.zero_grad()
        loss.backward()
        optim.step()
        time.sleep(0.04)
        if k % 10 == 9:
            logging.info("epoch %d %d/40 contrastive loss %.4f", epoch, k + 1, loss.item())
    if epoch % 4 == 0:
        logging.info("epoch %d: full retrieval evaluation", epoch)
        logging.info("R@1 %.3f", retrieval())
'''

BADSHARD = """
import gzip
import json
import math
import random
import sys
import time

shards = [f"shards/part-{i:03d}.jsonl" for i in range(6)]
vocab, bigram = {}, {}


def stream():
    for path in shards:
        print(f"[reader] opening {path}", file=sys.stderr)
        for line in open(path):
            yield json.loads(line)["text"].split()


seen, nll, n, t0 = 0, 0.0, 0, time.time()
for words in stream():
    for a, b in zip(words, words[1:]):
        row = bigram.setdefault(a, {})
        p = (row.get(b, 0) + 0.1) / (sum(row.values()) + 0.1 * 60)
        nll -= math.log(p)
        n += 1
        row[b] = row.get(b, 0) + 1
    seen += 1
    time.sleep(0.02)
    if seen % 40 == 0:
        print(f"docs={seen} tokens={n} train_ppl={math.exp(nll / n):.2f} docs/s={seen / (time.time() - t0):.1f}", flush=True)
        nll, n = 0.0, 0
"""


def _shard(i: int) -> str:
    words = ["river", "stone", "light", "paper", "seven", "under", "green", "moved", "slowly", "again"]
    lines = ['{"text": "' + " ".join(words[(j * (k % 3 + 1) + i + k) % 10] for j in range(12)) + '"}' for k in range(100)]
    if i == 3:
        lines[57] = lines[57][:31]
    return "\n".join(lines) + "\n"


ROTATE = """
import os
import time

import torch

torch.manual_seed(0)
print("fold 2 | u-net on histology tiles | tile store: tiles/")
net = torch.nn.Conv2d(3, 1, 3, padding=1)
opt = torch.optim.Adam(net.parameters(), 0.01)
for i in range(60):
    if i != 47:
        torch.save(torch.rand(3, 24, 24), f"tiles/slide_{i // 12:02d}_{i % 12:03d}.pt")
order = torch.randperm(60).tolist()
order.remove(47)
order.insert(52, 47)
for epoch in range(1, 9):
    run = 0.0
    for n, i in enumerate(order, 1):
        tile = torch.load(f"tiles/slide_{i // 12:02d}_{i % 12:03d}.pt")
        loss = torch.nn.functional.binary_cross_entropy_with_logits(net(tile[None]), (tile.mean(0) > 0.5).float()[None, None])
        opt.zero_grad()
        loss.backward()
        opt.step()
        run += loss.item()
        time.sleep(0.1)
        if n % 6 == 0:
            print(f"  epoch {epoch} tile {n}/60 dice_bce {run / n:.4f}", flush=True)
"""

HEADSWAP = """
import sys
import time

import torch
import torch.nn as nn

classes, ckpt = int(sys.argv[1]), sys.argv[2]
torch.manual_seed(4)
net = nn.Sequential(nn.Linear(24, 40), nn.ReLU(), nn.Linear(40, classes))
opt = torch.optim.SGD(net.parameters(), 0.2, momentum=0.9)
start = 0
try:
    blob = torch.load(ckpt)
except FileNotFoundError:
    print("no", ckpt, "yet, first leg")
else:
    print(f"resuming from {ckpt} (epoch {blob['epoch']}, val acc {blob['acc']:.3f})", flush=True)
    net.load_state_dict(blob["model"])
    opt.load_state_dict(blob["optim"])
    start = blob["epoch"]
for epoch in range(start + 1, start + 7):
    for _ in range(30):
        x = torch.randn(64, 24)
        y = x[:, :classes].argmax(1)
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    acc = (net(x).argmax(1) == y).float().mean().item()
    time.sleep(0.5)
    print(f"epoch {epoch:03d}  train loss {loss.item():.4f}  val acc {acc:.3f}", flush=True)
torch.save({"model": net.state_dict(), "optim": opt.state_dict(), "epoch": epoch, "acc": acc}, ckpt)
print("saved", ckpt, flush=True)
"""

CUTFILE = """
import os
import pickle
import random
import time

STATE = "state/agent.pkl"
random.seed(0)
print("tabular Q-learning, FrozenLake 8x8")
if os.path.exists(STATE):
    print(f"found {STATE} ({os.path.getsize(STATE)} bytes), continuing training from it", flush=True)
    with open(STATE, "rb") as f:
        q, episode = pickle.load(f)
    print("at episode", episode)
else:
    q, episode = [[0.0] * 4 for _ in range(64)], 0
while episode < 400000:
    episode += 1000
    print("episode", episode)
    time.sleep(0.2)
"""
CUTPREP = """
import pickle

blob = pickle.dumps(([[0.25 * i + j for j in range(4)] for i in range(64)], 212000))
open("state/agent.pkl", "wb").write(blob[: len(blob) * 2 // 3])
"""

AGAIN = """
import argparse
import os
import random
import time

ap = argparse.ArgumentParser()
ap.add_argument("--workdir")
ap.add_argument("--steps", type=int)
ap.add_argument("--resume", action="store_true")
a = ap.parse_args()
print(f"[cfg] workdir={a.workdir} steps={a.steps} resume={a.resume}", flush=True)
w, begin = [0.0] * 8, 0
last = os.path.join(a.workdir, "latest.txt")
if a.resume and os.path.exists(last):
    nums = open(last).read().split()
    begin, w = int(nums[0]), [float(v) for v in nums[1:]]
    print(f"[ckpt] restored {last} at step {begin}", flush=True)
elif a.resume:
    print(f"[ckpt] no checkpoint found in {a.workdir}, initialising weights", flush=True)
rng = random.Random(7)
goal = [rng.uniform(-2, 2) for _ in range(8)]
for s in range(begin, begin + a.steps + 1):
    x = [rng.gauss(0, 1) for _ in range(8)]
    e = sum((u - v) * z for u, v, z in zip(w, goal, x))
    w = [u - 0.02 * e * z for u, z in zip(w, x)]
    gap = sum((u - v) ** 2 for u, v in zip(w, goal))
    if s % 20 == 0:
        print(f"[train] step {s:5d} | loss {gap:.5f}", flush=True)
    time.sleep(0.03)
os.makedirs(a.workdir, exist_ok=True)
open(last, "w").write(" ".join(map(str, [s, *w])))
print(f"[ckpt] wrote {last}", flush=True)
"""

JOBS = (
    crate(
        "A1",
        "linear_probe.py --epochs 20",
        WEIGHTS,
        cause="file_not_found",
        variant="asset",
        note="FileNotFoundError of the pretrained weights, before an epoch",
    ),
    crate(
        "A1",
        "sh run_folds.sh",
        BARE_ENV,
        cause="missing_module",
        variant="env",
        python="system",
        files={"esm_finetune.py": ESM},
        note="No module named 'torch': the venv was not there",
    ),
    crate(
        "A1",
        "pretrain_conformer.py",
        CLOSED,
        cause="permission",
        python="system",
        files={"recordings/dev.lst": "a.wav 3\n", "recordings/train.lst": "b.wav 4\n"},
        locked=("recordings/train.lst",),
        note="PermissionError on the list of recordings",
    ),
    crate(
        "A1",
        "pretrain_gpt.py",
        KEYCONF,
        cause="traceback",
        variant="config",
        python="system",
        files={"config/gpt_125m.json": KEYCONF_JSON},
        note="KeyError: 'warmup_ratio'; the file has warmup_steps",
    ),
    crate("A1", "distill_kws.py", METADEV, cause="device_mismatch", note="tensors on meta and cpu mixed in the first forward"),
    crate("A2", "train_pillars.py", SEGV, cause="segfault", status=-11, note="Fatal Python error: Segmentation fault while iterating"),
    crate(
        "A2",
        "asr_cached.py",
        AUDIOCACHE,
        cause="oom_killer",
        status=-9,
        group_mib=900,
        note="signal 9 with an oom_kill event of the group; rss grows to its limit",
    ),
    crate(
        "A2",
        "ddpm_latents.py",
        DIFFU,
        fault="unknown",
        status=-9,
        signal=Signal("KILL", "iter=000350", to="ddpm_latents"),
        note="signal 9, no memory event, advancing",
    ),
    crate("A3", "ctr_daily.py", RECALL, cause="div_zero", python="system", note="ZeroDivisionError in validation of day 6"),
    crate("A3", "nano_train.py", MAXLEN, cause="assertion", note="AssertionError at iteration 121"),
    crate("A3", "clip_small.py", SIMMAT, cause="ram_oom", note="DefaultCPUAllocator: can't allocate memory in the evaluation after epoch 4"),
    crate(
        "A3",
        "bigram_stream.py",
        BADSHARD,
        cause="traceback",
        python="system",
        files={f"shards/part-{i:03d}.jsonl": _shard(i) for i in range(6)},
        note="JSONDecodeError on a line of the fourth shard",
    ),
    crate("A3", "unet_tiles.py", ROTATE, cause="file_not_found", folders=("tiles",), note="FileNotFoundError of a tile after 52 of epoch 1"),
    crate(
        "E2",
        "sh two_legs.sh PYTHON",
        '"$1" classify.py 6 runs.pt && exec "$1" classify.py 9 runs.pt',
        cause="runtime_error",
        variant="size_mismatch",
        files={"classify.py": HEADSWAP},
        note="size mismatch for 2.weight on resuming",
    ),
    crate(
        "E2",
        "q_lake.py",
        CUTFILE,
        cause="traceback",
        variant="corrupt",
        python="system",
        folders=("state",),
        files={"prep.py": CUTPREP},
        before=(("PYTHON", "prep.py"),),
        note="pickle data was truncated / EOFError on continuing",
    ),
    crate(
        "E2",
        "sh chain.sh PYTHON",
        '"$1" fit.py --workdir out/run1 --steps 200 && exec "$1" fit.py --workdir out/run_1 --steps 200 --resume',
        variant="from_scratch",
        status=0,
        python="system",
        files={"fit.py": AGAIN},
        note="--resume with another folder: step 0 with the first loss again",
    ),
)
