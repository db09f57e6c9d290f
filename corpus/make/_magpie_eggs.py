"""What trains badly, begins anew, or takes a few steps."""

from __future__ import annotations

from corpus.make._magpie_kit import ran

# Half precision without a scaler: the loss is nan from some step on, and the run goes on to its end.
HALF = r"""
import time
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(5)
dev = "cuda" if torch.cuda.is_available() else "cpu"
enc = nn.Sequential(nn.Linear(200, 400), nn.ReLU(), nn.Linear(400, 2 * 24))
dec = nn.Sequential(nn.Linear(24, 400), nn.ReLU(), nn.Linear(400, 200))
vae = nn.ModuleList([enc, dec]).to(dev).half()
opt = torch.optim.SGD(vae.parameters(), lr=2e-2)
basis = torch.randn(10, 200, device=dev)
t = time.time()
for step in range(1, 401):
    x = (torch.randn(128, 10, device=dev) @ basis).half() * (1 + step / 60)
    mu, logvar = enc(x).chunk(2, 1)
    z = mu + torch.randn_like(mu) * (logvar / 2).exp()
    rec = F.mse_loss(dec(z), x)
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).mean()
    loss = rec + 0.1 * kl
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 10 == 0:
        print(f"| step {step:4d} | {1e3 * (time.time() - t) / 10:6.2f} ms/step | rec {rec.item():9.3f} | kl {kl.item():9.3f} | elbo loss {loss.item():9.3f} |")
        t = time.time()
torch.save(vae.state_dict(), "vae.pt")
print("saved vae.pt after 400 steps")
"""

# The learning rate is far too high: the run watches its loss and stops itself.
STOPS = r"""
import math, sys
import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Linear(50, 100), nn.LeakyReLU(), nn.Linear(100, 100), nn.LeakyReLU(), nn.Linear(100, 1)).to(device)
lr = float(sys.argv[1])
opt = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.95)
print(f"lr={lr:g} device={device}")
for step in range(1, 2001):
    x = torch.randn(256, 50, device=device)
    y = x[:, :1] * 3 + x[:, 1:2] ** 2
    loss = (net(x) - y).square().mean()
    value = loss.item()
    if step <= 5 or step % 10 == 0:
        print(f"step {step}: mse {value:.6g}")
    if not math.isfinite(value):
        raise SystemExit(f"Loss is {value} at step {step}, stopping training")
    opt.zero_grad()
    loss.backward()
    opt.step()
    lr = min(lr * 1.04, 0.9)
    for group in opt.param_groups:
        group["lr"] = lr
"""

# The features are detached: the loss stays at chance from the first epoch to the last (ln 10 = 2.303), accuracy at 0.1.
CHANCE = r"""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(9)
device = "cuda" if torch.cuda.is_available() else "cpu"
protos = torch.randn(10, 3, 16, 16)
y = torch.randint(10, (8000,))
x = protos[y] + 0.7 * torch.randn(8000, 3, 16, 16)
loader = DataLoader(TensorDataset(x, y), 200, shuffle=True)
stem = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten()).to(device)
head = nn.Linear(512, 10).to(device)
nn.init.zeros_(head.weight)
nn.init.zeros_(head.bias)
opt = torch.optim.Adam(stem.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 1e-2, epochs=15, steps_per_epoch=len(loader))
for epoch in range(15):
    correct = total = 0
    norm = running = 0.0
    for bx, by in loader:
        bx, by = bx.to(device), by.to(device)
        logits = head(stem(bx))
        loss = nn.functional.cross_entropy(logits, by)
        opt.zero_grad()
        loss.backward()
        norm += float(torch.nn.utils.clip_grad_norm_(stem.parameters(), 5.0))
        opt.step()
        sched.step()
        running += loss.item() * len(by)
        correct += (logits.argmax(1) == by).sum().item()
        total += len(by)
    print(f"Epoch {epoch + 1:>2}/15  loss: {running / total:.4f}  acc: {correct / total:.4f}  grad_norm: {norm / len(loader):.3e}  lr: {sched.get_last_lr()[0]:.2e}")
print("Finished Training")
"""

# Learns for a while; then the decay, warmed up far too high, takes every weight to nothing: the loss stays at chance (ln 20 = 2.996), gradients vanish.
DEAD = r"""
import json, time
import torch
from torch import nn

torch.manual_seed(13)
dev = "cuda" if torch.cuda.is_available() else "cpu"
teacher = nn.Sequential(nn.Linear(32, 64), nn.Tanh(), nn.Linear(64, 20)).to(dev)
net = nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 20)).to(dev)
opt = torch.optim.Adam(net.parameters(), lr=1e-3, weight_decay=0.0)
start = time.time()
with open("metrics.jsonl", "w") as sink:
    for step in range(1, 1001):
        for g in opt.param_groups:
            g["weight_decay"] = 0.0 if step < 300 else min(1.0, (step - 300) / 200)
        x = torch.randn(512, 32, device=dev)
        with torch.no_grad():
            y = (teacher(x) * 6).softmax(1)
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        gn = float(nn.utils.clip_grad_norm_(net.parameters(), 1e9))
        opt.step()
        if step % 20 == 0:
            row = {"_step": step, "_runtime": round(time.time() - start, 2), "train/loss": round(loss.item(), 5), "train/grad_norm": gn, "wd": opt.param_groups[0]["weight_decay"]}
            sink.write(json.dumps(row) + "\n")
            print(row, flush=True)
print("run finished, 1000 steps")
"""

# bf16 and a rate that is too high: the loss climbs to many times its start and does not come back.
SPIKE = r"""
import logging
import torch
import torch.nn.functional as F

logging.basicConfig(level=logging.INFO, format="%(asctime)s.%(msecs)03d %(message)s", datefmt="%m-%d %H:%M:%S")
dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(1)
V, D = 300, 96
E = (0.05 * torch.randn(V, D, device=dev)).requires_grad_()
W1 = (0.1 * torch.randn(D, 4 * D, device=dev)).requires_grad_()
W2 = (0.1 * torch.randn(4 * D, V, device=dev)).requires_grad_()
opt = torch.optim.AdamW([E, W1, W2], lr=2e-3, betas=(0.9, 0.95), weight_decay=0.0)
tokens = torch.arange(V, device=dev)
for step in range(1, 801):
    for g in opt.param_groups:
        g["lr"] = 2e-3 if step < 420 else 0.35
    x = tokens[torch.randint(V, (1024,), device=dev)]
    y = torch.where(torch.rand(1024, device=dev) < 0.3, torch.randint(V, (1024,), device=dev), (x * 7 + 3) % V)
    with torch.autocast(dev, dtype=torch.bfloat16):
        logits = F.leaky_relu(E[x] @ W1) @ W2
    loss = F.cross_entropy(logits.float(), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 20 == 0:
        logging.info("train: step %d/800 loss %.3f lr %.1e", step, loss.item(), opt.param_groups[0]["lr"])
logging.info("done: 800 steps")
"""

# A checkpoint of another width: the load fails with the sizes.
WIDER = r"""
import argparse
import torch
from torch import nn

p = argparse.ArgumentParser()
p.add_argument("--hidden", type=int, default=256)
p.add_argument("--resume")
p.add_argument("--steps", type=int, default=300)
a = p.parse_args()
dev = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Linear(30, a.hidden), nn.GELU(), nn.Linear(a.hidden, a.hidden), nn.GELU(), nn.Linear(a.hidden, 2)).to(dev)
opt = torch.optim.AdamW(model.parameters(), 1e-3)
first = 0
print(f"model with hidden={a.hidden} on {dev}")
if a.resume:
    print(f"=> loading checkpoint '{a.resume}'")
    ckpt = torch.load(a.resume, map_location=dev)
    model.load_state_dict(ckpt["model"])
    opt.load_state_dict(ckpt["opt"])
    first = ckpt["step"]
    print(f"=> loaded checkpoint '{a.resume}' (step {first})")
for step in range(first, a.steps):
    x = torch.randn(64, 30, device=dev)
    loss = nn.functional.cross_entropy(model(x), (x[:, 0] > x[:, 1]).long())
    opt.zero_grad(); loss.backward(); opt.step()
    if step % 50 == 0:
        print(f"step {step} loss {loss.item():.4f}")
torch.save({"model": model.state_dict(), "opt": opt.state_dict(), "step": a.steps}, "last.pth.tar")
"""

# Written on the second card of another machine, read without map_location where there is one.
ELSEWHERE = r"""
import sys
import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 26 * 26, 10))
if sys.argv[1] == "export":
    torch.serialization.register_package(1, lambda storage: "cuda:1", lambda storage, tag: None)
    torch.save({"state": net.state_dict(), "epoch": 17}, "mnist_e17.ckpt")
    raise SystemExit
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print("device", device, "| continuing from mnist_e17.ckpt")
saved = torch.load("mnist_e17.ckpt")
net.load_state_dict(saved["state"])
net.to(device)
print("epoch", saved["epoch"] + 1, "begins")
"""

# The last save was cut off: the archive cannot be read.
TORN = r"""
import os, sys
from pathlib import Path
import torch

work = Path("runs/dcgan")
net = torch.nn.ConvTranspose2d(64, 32, 4, 2, 1)
if len(sys.argv) > 1:
    work.mkdir(parents=True)
    for step in (4000, 6000):
        torch.save({"g": net.state_dict(), "step": step}, work / f"g_{step}.pt")
    os.truncate(work / "g_6000.pt", 70_000)
    raise SystemExit
dev = "cuda" if torch.cuda.is_available() else "cpu"
newest = max(work.glob("g_*.pt"), key=lambda f: int(f.stem[2:]))
print("torch", torch.__version__, "on", dev)
print("resuming generator from", newest, f"({newest.stat().st_size} bytes)")
state = torch.load(newest, map_location=dev, weights_only=True)
net.load_state_dict(state["g"])
print("resumed at step", state["step"])
"""

# A resume was asked for, and none of the folder's checkpoints is one: the Trainer refuses.
RESUME = r"""
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

config = BertConfig(vocab_size=200, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, max_position_embeddings=40)
model = BertForSequenceClassification(config)
rows = [{"input_ids": (torch.arange(20) * k) % 200, "labels": k % 2} for k in range(600)]
args = TrainingArguments("out/intent", per_device_train_batch_size=16, max_steps=400, logging_steps=20, save_steps=100, report_to=[])
trainer = Trainer(model=model, args=args, train_dataset=rows)
print(f"{model.num_parameters():,} parameters on {args.device}; resuming from the newest checkpoint in {args.output_dir}")
trainer.train(resume_from_checkpoint=True)
trainer.save_model()
"""

# Resume was asked for on the command line; the pattern finds nothing and the loss starts where an untrained one does.
AGAIN = r"""
import argparse, glob
import torch
import torch.nn.functional as F

ap = argparse.ArgumentParser()
ap.add_argument("--resume", default=None)
ap.add_argument("--total", type=int, default=20)
a = ap.parse_args()
dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(2)
W = torch.nn.Linear(64, 100).to(dev)
opt = torch.optim.Adam(W.parameters(), 2e-3)
codes = torch.randn(100, 64, device=dev)
begin = 1
found = sorted(glob.glob(f"{a.resume}/*.ckpt")) if a.resume else []
print(f"args: {a}")
print(f"{len(found)} checkpoints under {a.resume}")
if found:
    s = torch.load(found[-1], map_location=dev)
    W.load_state_dict(s["w"]); opt.load_state_dict(s["o"]); begin = s["epoch"] + 1
    print(f"restored epoch {s['epoch']}")
else:
    print("initialising weights")
for epoch in range(begin, a.total + 1):
    tot = 0.0
    for _ in range(40):
        y = torch.randint(100, (128,), device=dev)
        loss = F.cross_entropy(W(codes[y] + torch.randn(128, 64, device=dev)), y)
        opt.zero_grad(); loss.backward(); opt.step()
        tot += loss.item()
    print(f"Epoch {epoch:03d}: train_loss={tot / 40:.4f}")
    if epoch % 5 == 0:
        torch.save({"w": W.state_dict(), "o": opt.state_dict(), "epoch": epoch}, f"runs/nce/epoch{epoch:03d}.pt")
"""

# Three steps and an exit with 0.
THREE = r"""
import torch
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

model = LlamaForCausalLM(LlamaConfig(vocab_size=512, hidden_size=128, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2))
rows = [{"input_ids": torch.randint(512, (64,)), "labels": torch.randint(512, (64,))} for _ in range(48)]
args = TrainingArguments("out", per_device_train_batch_size=16, num_train_epochs=1, logging_steps=1, save_strategy="no", report_to=[], disable_tqdm=True, bf16=torch.cuda.is_available())
trainer = Trainer(model=model, args=args, train_dataset=rows)
print(f"***** {len(rows)} examples, {model.num_parameters():,} parameters *****")
print(trainer.train().metrics)
trainer.save_model("out/final")
"""

# Lightning's own trial of one batch.
TRIAL = r"""
import lightning.pytorch as pl
import torch


class Probe(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Linear(12, 3)

    def training_step(self, batch, _):
        x, y = batch
        loss = torch.nn.functional.cross_entropy(self.w(x), y)
        self.log("loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        self.log("acc", (self.w(x).argmax(1) == y).float().mean(), prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


data = torch.utils.data.DataLoader([(torch.randn(12), i % 3) for i in range(320)], batch_size=32)
pl.Trainer(fast_dev_run=True, accelerator="auto", devices=1).fit(Probe(), data, data)
"""
JOBS = {
    "half": ran("E1", HALF, cause="nan_loss", variant="non_finite", script="vae.py"),
    "stops": ran("E1", STOPS, 1, cause="nan_loss", variant="non_finite", args=("0.004",)),
    "chance": ran("E1", CHANCE, variant="flat"),
    "dead": ran("E1", DEAD, script="distill.py"),
    "spike": ran("E1", SPIKE, variant="spike", script="lm_mini.py"),
    "wider": ran("E2", WIDER, 1, cause="runtime_error", variant="size_mismatch", before=(("PYTHON", "train.py", "--hidden", "256", "--steps", "60"),), args=("--hidden", "384", "--resume", "last.pth.tar")),
    "elsewhere": ran("E2", ELSEWHERE, 1, cause="runtime_error", before=(("PYTHON", "mnist.py", "export"),), script="mnist.py", args=("continue",)),
    "torn": ran("E2", TORN, 1, cause="runtime_error", variant="corrupt", before=(("PYTHON", "dcgan.py", "make"),), script="dcgan.py"),
    "resume": ran("E2", RESUME, 1, cause="traceback", variant="no_valid_checkpoint", folders=("out/intent/runs",), script="intent.py"),
    "again": ran("E2", AGAIN, 0, variant="from_scratch", script="nce.py", folders=("runs/nce",), before=(("PYTHON", "nce.py", "--total", "10"),), args=("--resume", "runs/nce", "--total", "20"), first=(), failed=()),
    "three": ran("E3", THREE, script="llama.py"),
    "trial": ran("E3", TRIAL, script="probe.py"),
}
