"""Programs that end well though their logs worry."""

from __future__ import annotations

MICRO = """import os
import time
import torch
from engine import forward_backward

time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
torch.manual_seed(13)
net = torch.nn.Sequential(torch.nn.Linear(24, 48), torch.nn.GELU(), torch.nn.Linear(48, 24))
opt = torch.optim.AdamW(net.parameters(), lr=4e-3)
micro, accum, step = 16, 2, 0
while step < 90:
    try:
        opt.zero_grad()
        loss = sum(forward_backward(net, torch.randn(micro * 4, 24), micro) for _ in range(accum)) / accum
    except torch.OutOfMemoryError as e:
        print(f"[auto-batch] {type(e).__name__}: {e}")
        micro, accum = micro // 2, accum * 2
        print(f"[auto-batch] retrying step {step + 1} with micro_batch={micro} grad_accum={accum}")
        continue
    opt.step()
    step += 1
    time.sleep(0.24)
    if step % 10 == 0:
        print(f"[{step:>3}/90] loss={loss:.4f} micro_batch={micro} grad_accum={accum} mem={31.2 if micro == 8 else 78.1} GiB")
print("[done] 90/90 optimizer steps")
"""
ENGINE = """import torch


def forward_backward(net, x, micro):
    if micro > 8:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 3.12 GiB. GPU 0 has a total capacity of 79.19 GiB of which 1.04 GiB is free. Including non-PyTorch memory, this process has 78.14 GiB memory in use. Of the allocated memory 75.90 GiB is allocated by PyTorch, and 1.21 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.")
    loss = (net(x) - x.roll(3, 1)).square().mean()
    loss.backward()
    return loss.item()
"""
FETCH = """import time
import traceback
import urllib.error
import urllib.request

import torch

PARTS = ["train-000.tar", "train-001.tar"]


def fetch(name, tries=3):
    for n in range(1, tries + 1):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:9/{name}", timeout=2)
        except urllib.error.URLError:
            print(f"download of {name} failed (attempt {n} of {tries})")
            traceback.print_exc()
            time.sleep(0.7)
    print(f"{name}: taking the copy on scratch instead")
    return torch.randn(800, 10)


data = torch.cat([fetch(p) for p in PARTS])
print("dataset ready:", tuple(data.shape))
target = (data[:, :3].sum(1) > data[:, 3:6].sum(1)).float()
clf = torch.nn.Sequential(torch.nn.Linear(10, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
opt = torch.optim.Adam(clf.parameters(), lr=5e-3)
for ep in range(10):
    order, run, good = torch.randperm(len(data)), 0.0, 0
    for k in order.split(80):
        logit = clf(data[k]).squeeze(1)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(logit, target[k])
        opt.zero_grad(); loss.backward(); opt.step()
        run += loss.item() * len(k); good += ((logit > 0) == target[k].bool()).sum().item()
        time.sleep(0.05)
    print(f"Epoch {ep + 1}/10  train_loss: {run / len(data):.4f}  train_acc: {good / len(data):.3f}")
print("Fit complete.")
"""
IGNORED = """import os, threading, time
import torch


class Prefetcher:
    def __init__(self, n):
        self.n, self.alive = n, True
        self.stop = threading.Event()

    def __iter__(self):
        for i in range(self.n):
            x = torch.randn(40, 16)
            yield x, x.flip(1).cumsum(1)

    def __del__(self):
        if self.alive:
            raise RuntimeError("DataLoader worker (pid %d) exited unexpectedly" % os.getpid())


torch.manual_seed(8)
loader = Prefetcher(200)
net = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.Tanh(), torch.nn.Linear(64, 16))
opt = torch.optim.Adam(net.parameters(), 1e-2)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 1e-2, total_steps=200)
for i, (x, y) in enumerate(loader, 1):
    loss = torch.nn.functional.smooth_l1_loss(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step(); sched.step()
    time.sleep(0.07)
    if i % 25 == 0:
        print("it %d/200 huber %.5f lr %.2e" % (i, loss.item(), sched.get_last_lr()[0]), flush=True)
print("all 200 iterations done; writing weights.pt", flush=True)
torch.save(net.state_dict(), "weights.pt")
"""
AMP = """import logging
import math
import time
import torch

logging.basicConfig(level=logging.INFO, format="[%(levelname)s] %(message)s")
torch.manual_seed(21)
net = torch.nn.Sequential(torch.nn.Linear(20, 40), torch.nn.ReLU(), torch.nn.Linear(40, 4))
opt = torch.optim.AdamW(net.parameters(), lr=6e-3)
scale, skipped, best, wait = 65536.0, 0, math.inf, 0
proj = torch.randn(20, 4)
for epoch in range(1, 41):
    for k in range(12):
        x = torch.randn(64, 20)
        y = (x @ proj).argmax(1)
        y[y == 3] = 0
        loss = torch.nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        (loss * scale).backward()
        if epoch == 1 and k < 2:
            next(net.parameters()).grad.mul_(float("inf"))
        if not all(torch.isfinite(p.grad).all() for p in net.parameters()):
            scale, skipped = scale / 2, skipped + 1
            logging.warning("Gradient overflow (inf/nan). Skipping step, loss scaler reducing loss scale to %.1f", scale)
            continue
        for p in net.parameters():
            p.grad /= scale
        opt.step()
        time.sleep(0.03)
    x = torch.randn(300, 20)
    y = (x @ proj).argmax(1); y[y == 3] = 0
    with torch.no_grad():
        out = net(x)
        val = torch.nn.functional.cross_entropy(out, y).item()
    recall = [((out.argmax(1) == c) & (y == c)).sum().item() / n if (n := (y == c).sum().item()) else float("nan") for c in range(4)]
    logging.info("epoch %02d val_loss %.4f recall per class %s", epoch, val, " ".join(f"{r:.3f}" for r in recall))
    if val < best - 0.004:
        best, wait = val, 0
    else:
        wait += 1
        if wait >= 4:
            logging.info("EarlyStopping: val_loss has not improved for 4 epochs, best %.4f. Stopping training.", best)
            break
logging.info("skipped steps: %d; best model restored", skipped)
"""
