"""One process on one card that ends by its own exception, or by a signal."""

from __future__ import annotations

from corpus.make._magpie_kit import ran

# The class weights stay on the host; the loss of the first batch says so. Nothing was trained before.
WEIGHTED = r"""
import numpy as np
import torch
from torch import nn

torch.manual_seed(3)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(f"using {device}: {torch.cuda.get_device_name() if device.type == 'cuda' else 'host'}")

counts = np.array([4120, 388, 1902, 77, 951])
weights = torch.tensor(counts.sum() / (len(counts) * counts), dtype=torch.float32)
print("class weights", [round(w, 3) for w in weights.tolist()])


class Leaf(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 24, 3, 2, 1), nn.ReLU(), nn.Conv2d(24, 48, 3, 2, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.out = nn.Linear(48, 5)

    def forward(self, x):
        return self.out(self.body(x))


net = Leaf().to(device)
criterion = nn.CrossEntropyLoss(weight=weights)
optim = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
print(f"{sum(p.numel() for p in net.parameters()):,} parameters, 20 epochs of 60 batches")
for epoch in range(20):
    total = 0.0
    for _ in range(60):
        x = torch.randn(32, 3, 64, 64, device=device)
        y = torch.randint(0, 5, (32,), device=device)
        loss = criterion(net(x), y)
        optim.zero_grad()
        loss.backward()
        optim.step()
        total += loss.item()
    print(f"epoch {epoch + 1:02d} | train loss {total / 60:.4f}")
"""

# Four epochs are logged, then the prototypes made on the host meet features on the card.
PROTOTYPES = r"""
import logging

import torch
import torch.nn.functional as F
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-7s %(name)s | %(message)s")
log = logging.getLogger("fewshot")
dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(11)
centres = torch.randn(12, 40) * 2.2
embed = nn.Sequential(nn.Linear(40, 96), nn.GELU(), nn.Linear(96, 32)).to(dev)
opt = torch.optim.AdamW(embed.parameters(), 2e-3)


def episode(ways=6, shots=8):
    pick = torch.randperm(12)[:ways]
    x = centres[pick].repeat_interleave(shots, 0) + torch.randn(ways * shots, 40)
    return x.to(dev), torch.arange(ways).repeat_interleave(shots).to(dev)


def fit(episodes):
    total = 0.0
    for _ in range(episodes):
        (sx, sy), (qx, qy) = episode(), episode()
        z = embed(sx)
        proto = torch.stack([z[sy == k].mean(0) for k in range(6)])
        loss = F.cross_entropy(-torch.cdist(z, proto), sy)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        total += loss.item()
    return total / episodes


@torch.inference_mode()
def benchmark():
    bank = torch.zeros(12, 32)
    for k in range(12):
        bank[k] = embed((centres[k] + torch.randn(64, 40)).to(dev)).mean(0)
    queries = embed((centres + torch.randn(12, 40)).to(dev))
    return (F.normalize(queries, dim=1) @ F.normalize(bank, dim=1).T).argmax(1)


for epoch in range(1, 31):
    log.info("epoch %d/30 episodic loss %.4f", epoch, fit(60))
    if epoch % 4 == 0:
        right = (benchmark().cpu() == torch.arange(12)).float().mean()
        log.info("epoch %d/30 12-way accuracy %.3f", epoch, right)
"""

# Token ids of the third shard lie beyond the embedding; ATen's assertion and the error come after logged steps.
VOCAB = r"""
import numpy as np
import torch
from torch import nn

VOCAB, CTX = 2048, 64
rng = np.random.default_rng(0)
for n in range(4):
    ids = (rng.zipf(1.3, 60_000) % VOCAB).astype(np.uint16)
    if n == 2:
        ids[777::3001] = VOCAB + 40
    ids.tofile(f"data/shard_{n:02d}.bin")

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
tok = nn.Embedding(VOCAB, 32).to(dev)
rnn = nn.GRU(32, 256, batch_first=True).to(dev)
head = nn.Linear(256, VOCAB).to(dev)
params = [*tok.parameters(), *rnn.parameters(), *head.parameters()]
opt = torch.optim.Adam(params, 3e-3)
it = 0
print("iter,shard,loss")
for n in range(4):
    data = np.memmap(f"data/shard_{n:02d}.bin", dtype=np.uint16, mode="r")
    for _ in range(80):
        at = rng.integers(0, len(data) - CTX - 1, 24)
        x = torch.from_numpy(np.stack([data[i : i + CTX] for i in at]).astype(np.int64)).to(dev)
        y = torch.from_numpy(np.stack([data[i + 1 : i + CTX + 1] for i in at]).astype(np.int64)).to(dev)
        h, _ = rnn(tok(x))
        loss = nn.functional.cross_entropy(head(h).flatten(0, 1), y.flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        it += 1
        if it % 10 == 0:
            print(f"{it},{n},{loss.item():.4f}")
"""

# Labels 1..10 where ten classes are counted from 0: the first batch trips the kernel's assertion.
ONE_TO_TEN = r"""
import argparse
import time

import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--csv", default="digits.csv")
parser.add_argument("--epochs", type=int, default=15)
args = parser.parse_args()

gen = torch.Generator().manual_seed(8)
frame = pd.DataFrame(torch.rand(3000, 16, generator=gen).numpy(), columns=[f"px{i}" for i in range(16)])
frame["digit"] = torch.randint(1, 11, (3000,), generator=gen).numpy()
frame.to_csv(args.csv, index=False)

table = pd.read_csv(args.csv)
print(f"[data] {args.csv}: {len(table)} rows, {table.digit.nunique()} classes")
x = torch.tensor(table.drop(columns="digit").values, dtype=torch.float32)
y = torch.tensor(table.digit.values)
loader = DataLoader(TensorDataset(x, y), 64, shuffle=True, pin_memory=torch.cuda.is_available())
device = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, table.digit.nunique())).to(device)
optimizer = torch.optim.Adam(model.parameters())
print(f"[model] on {device}, {sum(p.numel() for p in model.parameters())} weights")
for epoch in range(args.epochs):
    began = time.time()
    running = 0.0
    for bx, by in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(bx.to(device)), by.to(device))
        loss.backward()
        optimizer.step()
        running += loss.item()
    print(f"[epoch {epoch + 1}/{args.epochs}] loss={running / len(loader):.3f} ({time.time() - began:.1f}s)")
"""

# Probabilities are sharpened from epoch 6 on and leave [0, 1]: BCELoss's assertion on the card, after logged epochs.
SHARPENED = r"""
import json
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(21)
truth = torch.randn(30, 7, device=device)
tagger = nn.Sequential(nn.Linear(30, 80), nn.Tanh(), nn.Linear(80, 7), nn.Sigmoid()).to(device)
bce = nn.BCELoss()
opt = torch.optim.RMSprop(tagger.parameters(), lr=2e-3)
for epoch in range(14):
    sharpen = 1.0 if epoch < 6 else 1.35
    losses = []
    for _ in range(70):
        x = torch.randn(128, 30, device=device)
        tags = (x @ truth > 0).float()
        p = tagger(x) * sharpen
        loss = bce(p, tags)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.detach())
    print(json.dumps({"epoch": epoch, "bce": round(torch.stack(losses).mean().item(), 4), "sharpen": sharpen}), flush=True)
torch.save(tagger.state_dict(), "tagger.pt")
"""

# A float batch into a half network, before any step.
HALVED = r"""
import torch
import torchvision

print("torchvision", torchvision.__version__)
model = torchvision.models.resnet18(num_classes=20).cuda().half()
model.train()
opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, nesterov=True)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 50)
lossf = torch.nn.CrossEntropyLoss()
print("fp16 weights: %.1f MB" % (sum(p.numel() * 2 for p in model.parameters()) / 2**20))
for epoch in range(50):
    for i in range(40):
        images, target = torch.rand(16, 3, 96, 96).cuda(non_blocking=True), torch.randint(20, (16,)).cuda()
        loss = lossf(model(images), target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if i % 10 == 0:
            print(f"Epoch: [{epoch}][{i}/40]\tLoss {loss.item():.4e}")
    sched.step()
"""

# A package that is not installed, in the imports.
FLASH = r"""
import math

import torch
from torch import nn
from flash_attn import flash_attn_varlen_func


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)

    def forward(self, x, cu_seqlens, longest):
        q, k, v = self.qkv(x).view(-1, 3, self.heads, x.shape[-1] // self.heads).unbind(1)
        return flash_attn_varlen_func(q, k, v, cu_seqlens, cu_seqlens, longest, longest, softmax_scale=1 / math.sqrt(q.shape[-1]), causal=True)


if __name__ == "__main__":
    torch.manual_seed(0)
    block = Attention(512, 8).cuda().bfloat16()
    print(block)
"""

# The hub cannot be reached and nothing is cached: the model is an asset that is missing.
HUB = r"""
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer, TrainingArguments

args = TrainingArguments("runs/sst", per_device_train_batch_size=32, num_train_epochs=3, report_to=[], bf16=torch.cuda.is_available())
print(f"local rank {args.local_rank}, device {args.device}, {args.n_gpu} gpu")
name = "microsoft/deberta-v3-base"
tokenizer = AutoTokenizer.from_pretrained(name)
model = AutoModelForSequenceClassification.from_pretrained(name, num_labels=2)
print(model.num_parameters())
"""

# A key that the configuration lacks.
YAML = r"""
import sys
import yaml
import torch

with open(sys.argv[1]) as f:
    cfg = yaml.safe_load(f)
print("config:", cfg)
torch.backends.cuda.matmul.allow_tf32 = cfg["trainer"].get("tf32", True)
device = "cuda" if torch.cuda.is_available() else "cpu"
net = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(cfg["model"]["width"], cfg["model"]["heads"], batch_first=True), cfg["model"]["layers"]).to(device)
print("built", type(net).__name__, "on", device)
opt = torch.optim.AdamW(net.parameters(), lr=cfg["optim"]["lr"], weight_decay=cfg["optim"]["weight_decay"], betas=tuple(cfg["optim"]["betas"]))
for step in range(cfg["trainer"]["steps"]):
    out = net(torch.randn(8, 32, cfg["model"]["width"], device=device))
    loss = out.pow(2).mean()
    loss.backward()
    opt.step()
    opt.zero_grad()
    print(step, loss.item())
"""
YAML_FILE = "model: {width: 128, heads: 4, layers: 2}\noptim:\n  lr: 3.0e-4\n  betas: [0.9, 0.95]\n  weigth_decay: 0.05\ntrainer: {steps: 400, tf32: true}\n"

# A field that is no number, in the table.
TABLE = r"""
import csv
import torch
from torch import nn

rows = []
with open("sensors/plant_b.csv") as f:
    reader = csv.reader(f)
    names = next(reader)
    for record in reader:
        rows.append([float(v) for v in record])
data = torch.tensor(rows).cuda()
print(f"{tuple(data.shape)} from {names}")
model = nn.Sequential(nn.Linear(3, 64), nn.SiLU(), nn.Linear(64, 1)).cuda()
opt = torch.optim.LBFGS(model.parameters(), max_iter=20)
for outer in range(30):
    def closure():
        opt.zero_grad()
        e = (model(data[:, :3]).squeeze(1) - data[:, 3]).square().mean()
        e.backward()
        return e
    print("outer", outer, "mse", float(opt.step(closure)))
"""
TABLE_FILE = "flow,pressure,temp,yield\n" + "".join(f"{1 + i % 7 / 10:.2f},{2 + i % 5 / 8:.3f},{310 + i % 13},{0.4 + i % 11 / 40:.3f}\n" for i in range(240)) + "1.30,2.250,-,0.512\n1.10,2.125,314,0.488\n"

# The run folder belongs to somebody else.
LOCKED = r"""
from datetime import date
from pathlib import Path

import torch

run = Path("experiments") / f"unet-{date(2026, 3, 2):%m%d}-a"
print("torch", torch.__version__, "cuda", torch.version.cuda, "->", run)
net = torch.nn.Conv2d(1, 8, 3).to("cuda" if torch.cuda.is_available() else "cpu")
(run / "ckpt").mkdir(parents=True)
for it in range(2000):
    loss = net(torch.randn(4, 1, 32, 32, device=net.weight.device)).square().mean()
    loss.backward()
    print(it, loss.item())
"""

# An option the script does not know: argparse's refusal.
ARGUMENTS = r"""
import argparse

import torch


def main():
    p = argparse.ArgumentParser(prog="finetune.py", description="fine-tune a detector on one card")
    p.add_argument("--weights", default="yolo-s.pt")
    p.add_argument("--img-size", type=int, default=640)
    p.add_argument("--batch-size", type=int, default=16)
    p.add_argument("--device", default="cuda:0")
    p.add_argument("--amp", action="store_true")
    opt = p.parse_args()
    print(opt, torch.cuda.is_available())


main()
"""

# The ordinal that the machine has not.
FOURTH = r"""
import os
import torch
from torch import nn

GPU = int(os.environ.get("GPU", 3))
print("visible:", torch.cuda.device_count())
torch.cuda.set_device(GPU)
lm = nn.LSTM(64, 128, 2).cuda()
opt = torch.optim.Adam(lm.parameters())
for i in range(500):
    h, _ = lm(torch.randn(20, 16, 64, device="cuda"))
    loss = (h ** 2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    if not i % 50:
        print("it", i, "loss", loss.item())
"""

JOBS = {
    "weighted": ran("A1", WEIGHTED, cause="device_mismatch"),
    "prototypes": ran("A3", PROTOTYPES, cause="device_mismatch", script="fewshot.py"),
    "vocab": ran("A3", VOCAB, cause="cuda_runtime", folders=("data",)),
    "one to ten": ran("A1", ONE_TO_TEN, cause="cuda_runtime", args=("--epochs", "10"), env={"CUDA_LAUNCH_BLOCKING": "1"}),
    "sharpened": ran("A3", SHARPENED, cause="cuda_runtime", script="tagger.py"),
    "halved": ran("A1", HALVED, cause="runtime_error"),
    "flash": ran("A1", FLASH, cause="missing_module", variant="env", script="pretrain.py"),
    "hub": ran("A1", HUB, cause="traceback", variant="asset", script="sst.py"),
    "yaml": ran("A1", YAML, cause="traceback", variant="config", files={"conf/base.yaml": YAML_FILE}, args=("conf/base.yaml",)),
    "table": ran("A1", TABLE, cause="traceback", variant="data", files={"sensors/plant_b.csv": TABLE_FILE}, script="fit_yield.py"),
    "locked": ran("A1", LOCKED, cause="permission", folders=("experiments",), locked=("experiments",)),
    "arguments": ran("A1", ARGUMENTS, 2, variant="config", script="finetune.py", args=("--img-size", "512", "--half-precision", "--epochs", "40")),
    "fourth": ran("A1", FOURTH, cause="cuda_runtime", script="lm.py"),
}
