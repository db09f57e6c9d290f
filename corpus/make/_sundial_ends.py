"""Single programs that stopped early: at the door, half-way, on loading what an earlier run left, the first sheet."""

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
)
