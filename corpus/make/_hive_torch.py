"""Programs over plain PyTorch: a reverser of number strings told as JSON, papers in a graph told by epochs, a denoiser of rings, and clouds cut out of pictures; with places for what a case does."""

REVERSE = '''import argparse, json, math, os, sys, time
import torch
import torch.nn as nn
import torch.nn.functional as F

ap = argparse.ArgumentParser()
ap.add_argument("--max-updates", type=int, default=300)
ap.add_argument("--lr", type=float, default=2e-3)
ap.add_argument("--dim", type=int, default=32)
ap.add_argument("--layers", type=int, default=1)
ap.add_argument("--batch", type=int, default=32)
ap.add_argument("--log-interval", type=int, default=20)
ap.add_argument("--save-interval", type=int, default=100)
ap.add_argument("--save-dir", default="ckpt_rev")
ap.add_argument("--restore-file")
ap.add_argument("--warmup", type=int, default=30)
args = ap.parse_args()
torch.manual_seed(7)
t00 = time.time()


def emit(kind, **kw):
    print(json.dumps({"kind": kind, "wall": round(time.time() - t00, 2), **kw}), flush=True)


#: early
V, L = 12, 8


def make_batch(n):
    src = torch.randint(2, V, (n, L))
    return src, src.flip(1)


class Reverser(nn.Module):
    def __init__(self, d, layers):
        super().__init__()
        self.embed = nn.Embedding(V, d)
        self.position = nn.Parameter(torch.randn(L, d) * 0.1)
        layer = nn.TransformerEncoderLayer(d, 4, 2 * d, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(d, V)

    def forward(self, x):
        return self.head(self.encoder(self.embed(x) + self.position))


net = Reverser(args.dim, args.layers)
opt = torch.optim.AdamW(net.parameters(), lr=args.lr)
updates = 0
#: built
if args.restore_file:
    #: restore
    ck = torch.load(args.restore_file, weights_only=True)
    net.load_state_dict(ck["model"])
    opt.load_state_dict(ck["optimizer"])
    updates = ck["updates"]
    emit("restored", file=args.restore_file, updates=updates)
emit("begin", parameters=sum(p.numel() for p in net.parameters()), max_updates=args.max_updates, torch=torch.__version__)
#: ready
run_loss, run_n, tick = 0.0, 0, time.time()
while updates < args.max_updates:
    src, tgt = make_batch(args.batch)
    #: mid
    for group in opt.param_groups:
        group["lr"] = args.lr * min(1.0, (updates + 1) / args.warmup)
    out = net(src)
    loss = F.cross_entropy(out.reshape(-1, V), tgt.reshape(-1))
    #: loss
    opt.zero_grad()
    loss.backward()
    gnorm = nn.utils.clip_grad_norm_(net.parameters(), 1.0).item()
    #: grads
    opt.step()
    updates += 1
    run_loss += loss.item()
    run_n += 1
    if updates % args.log_interval == 0:
        acc = (out.argmax(-1) == tgt).float().mean().item()
        emit("train_inner", num_updates=updates, loss=round(run_loss / run_n, 4), ppl=round(math.exp(min(20, run_loss / run_n)), 2) if run_loss == run_loss else float("nan"), acc=round(acc, 3), gnorm=round(gnorm, 4), lr=group["lr"], ups=round(run_n / (time.time() - tick), 1))
        run_loss, run_n, tick = 0.0, 0, time.time()
    #: after
    if args.save_interval and updates % args.save_interval == 0:
        os.makedirs(args.save_dir, exist_ok=True)
        path = f"{args.save_dir}/checkpoint_{updates}.pt"
        #: save
        torch.save({"model": net.state_dict(), "optimizer": opt.state_dict(), "updates": updates}, path)
        emit("saved", path=path)
#: late
emit("done", num_updates=updates)
'''

PAPERS = '''import os.path as osp
import os
import time
import argparse

import torch
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--hidden_channels", type=int, default=16)
parser.add_argument("--lr", type=float, default=0.01)
parser.add_argument("--epochs", type=int, default=120)
parser.add_argument("--every", type=int, default=5)
parser.add_argument("--dataset", type=str, default="synthetic")
parser.add_argument("--load", type=str, default="")
parser.add_argument("--nodes", type=int, default=240)
parser.add_argument("--sleep", type=float, default=0.01)
args = parser.parse_args()
torch.manual_seed(12345)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(f"Using device: {device}")
#: early
n, classes, feats = args.nodes, 4, 40
y = torch.randint(0, classes, (n,))
x = torch.randn(n, feats) * 1.5
x[torch.arange(n), y] += 2.0
A = (torch.rand(n, n) < torch.where(y[:, None] == y[None], 0.05, 0.008)).float()
#: data
A = ((A + A.T + torch.eye(n)) > 0).float()
deg = A.sum(1).rsqrt()
A = deg[:, None] * A * deg[None]
perm = torch.randperm(n)
train_mask, val_mask, test_mask = perm[: n // 2], perm[n // 2 : 3 * n // 4], perm[3 * n // 4 :]


class GCN(torch.nn.Module):
    def __init__(self, in_channels, hidden_channels, out_channels):
        super().__init__()
        self.lin1 = torch.nn.Linear(in_channels, hidden_channels)
        self.lin2 = torch.nn.Linear(hidden_channels, out_channels)

    def forward(self, x, adj):
        x = F.dropout(F.relu(adj @ self.lin1(x)), p=0.5, training=self.training)
        #: hidden
        return adj @ self.lin2(x)


model = GCN(feats, args.hidden_channels, classes).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=5e-4)
print(model)
first = 1
if args.load:
    #: restore
    saved = torch.load(args.load, map_location=device)
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    first = saved["epoch"] + 1
    print(f"Loaded {args.load} (epoch {saved['epoch']})")
#: ready


@torch.no_grad()
def test():
    model.eval()
    pred = model(x, A).argmax(-1)
    return [float((pred[m] == y[m]).float().mean()) for m in (train_mask, val_mask, test_mask)]


best_val_acc = test_acc = 0
times = []
for epoch in range(first, args.epochs + 1):
    start = time.time()
    model.train()
    optimizer.zero_grad()
    #: mid
    out = model(x, A)
    loss = F.cross_entropy(out[train_mask], y[train_mask])
    #: loss
    loss.backward()
    optimizer.step()
    #: after
    train_acc, val_acc, tmp_test_acc = test()
    if val_acc > best_val_acc:
        best_val_acc, test_acc = val_acc, tmp_test_acc
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, "gcn.pt")
    if epoch % args.every == 0:
        print(f"Epoch: {epoch:03d}, Loss: {loss:.4f}, Train: {train_acc:.4f}, Val: {val_acc:.4f}, Test: {test_acc:.4f}", flush=True)
    times.append(time.time() - start)
    #: epoch
    time.sleep(args.sleep)
#: late
if times:
    print(f"Median time per epoch: {torch.tensor(times).median():.4f}s")
'''

RINGS = '''"""Toy diffusion: learns to take noise off points on two rings.

usage: rings.py [iters] [lr] [ckpt]
"""
import math
import os
import sys
import time

import torch
from torch import nn

iters = int(sys.argv[1]) if len(sys.argv) > 1 else 400
lr = float(sys.argv[2]) if len(sys.argv) > 2 else 2e-3
ckpt = sys.argv[3] if len(sys.argv) > 3 else None
T, HID, EVERY, SNAP = 50, int(os.getenv("HID", "48")), int(os.getenv("EVERY", "25")), int(os.getenv("SNAP", "0"))
torch.manual_seed(4)
#: early
betas = torch.linspace(1e-4, 0.12, T)
abar = torch.cumprod(1 - betas, 0)


def rings(k):
    r = torch.where(torch.rand(k) < 0.5, 1.0, 2.0) + 0.03 * torch.randn(k)
    a = 2 * math.pi * torch.rand(k)
    return torch.stack([r * a.cos(), r * a.sin()], 1)


class Eps(nn.Module):
    def __init__(self):
        super().__init__()
        self.time = nn.Embedding(T, 8)
        self.body = nn.Sequential(nn.Linear(10, HID), nn.SiLU(), nn.Linear(HID, HID), nn.SiLU(), nn.Linear(HID, 2))

    def forward(self, x, t):
        return self.body(torch.cat([x, self.time(t)], 1))


net, ema = Eps(), Eps()
ema.load_state_dict(net.state_dict())
optim = torch.optim.Adam(net.parameters(), lr)
it0 = 0
if ckpt:
    #: restore
    blob = torch.load(ckpt, weights_only=False)
    missing = net.load_state_dict(blob["net"])
    ema.load_state_dict(blob["ema"])
    optim.load_state_dict(blob["optim"])
    it0 = blob["it"]
    print(f">> {ckpt}: {missing}, at it {it0}")
print(f">> {iters} its, lr {lr:g}, {sum(p.numel() for p in net.parameters())} weights")
#: ready
avg = None
for it in range(it0 + 1, iters + 1):
    x0 = rings(128)
    t = torch.randint(0, T, (128,))
    e = torch.randn_like(x0)
    xt = abar[t, None].sqrt() * x0 + (1 - abar[t, None]).sqrt() * e
    #: mid
    mse = ((net(xt, t) - e) ** 2).mean()
    #: loss
    optim.zero_grad(set_to_none=True)
    mse.backward()
    optim.step()
    with torch.no_grad():
        for p, q in zip(net.parameters(), ema.parameters()):
            q.lerp_(p, 0.02)
    avg = mse.item() if avg is None else 0.95 * avg + 0.05 * mse.item()
    if it % EVERY == 0:
        print(f"[{it:5d}/{iters}] mse={mse.item():.4f} avg={avg:.4f} lr={optim.param_groups[0]['lr']:.1e}", flush=True)
    #: after
    if SNAP and it % SNAP == 0:
        #: save
        torch.save({"net": net.state_dict(), "ema": ema.state_dict(), "optim": optim.state_dict(), "it": it}, f"rings-{it:05d}.pth")
        print(f"     snapshot rings-{it:05d}.pth", flush=True)
#: late
print(">> sampled", rings(4).tolist()[0], "- all its done")
'''

CLOUDS = '''import logging
import os
import sys
import time
from dataclasses import dataclass, fields

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logger = logging.getLogger("clouds")
handler = logging.StreamHandler(sys.stderr)
handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s [%(filename)s:%(lineno)d] %(message)s"))
logger.addHandler(handler)
logger.setLevel(logging.INFO)


@dataclass
class Settings:
    epochs: int = 10
    lr: float = 0.01
    tiles: int = 160
    batch: int = 16
    channels: int = 8
    work_dir: str = "work/clouds"
    resume_from: str = ""
    load_weights: str = ""
    patience: int = 0
    pause: float = 0.01


cfg = Settings()
for arg in sys.argv[1:]:
    name, value = arg.split("=", 1)
    kind = {f.name: f.type for f in fields(Settings)}[name]
    setattr(cfg, name, kind(value))
logger.info("Config: %s", cfg)
torch.manual_seed(66)
#: early
xs = torch.randn(cfg.tiles, 3, 16, 16)
blobs = torch.nn.functional.avg_pool2d(torch.randn(cfg.tiles, 1, 16, 16), 5, 1, 2)
masks = (blobs > 0.05).float()
xs[:, :1] += 2.0 * masks
#: data
cut = max(1, cfg.tiles * 3 // 4)
train_dl = DataLoader(TensorDataset(xs[:cut], masks[:cut]), cfg.batch, shuffle=True)
val_dl = DataLoader(TensorDataset(xs[cut:], masks[cut:]), cfg.batch)
net = nn.Sequential(nn.Conv2d(3, cfg.channels, 3, padding=1), nn.ReLU(), nn.Conv2d(cfg.channels, cfg.channels, 3, padding=1), nn.ReLU(), nn.Conv2d(cfg.channels, 1, 1))
opt = torch.optim.Adam(net.parameters(), cfg.lr)
bce = nn.BCEWithLogitsLoss()
start_epoch, best, stale = 0, 0.0, 0
if cfg.load_weights:
    state = torch.load(cfg.load_weights)["state_dict"]
    state = {k: v for k, v in state.items() if not k.startswith("4.")}
    res = net.load_state_dict(state, strict=False)
    logger.warning("Initialised from %s for fine-tuning; not taken: %s", cfg.load_weights, res.missing_keys)
if cfg.resume_from:
    #: restore
    checkpoint = torch.load(cfg.resume_from)
    net.load_state_dict(checkpoint["state_dict"])
    opt.load_state_dict(checkpoint["optimizer"])
    start_epoch, best = checkpoint["epoch"], checkpoint["best"]
    logger.info("Resumed from %s, epoch %d, best IoU %.3f", cfg.resume_from, start_epoch, best)
logger.info("Start running, work_dir: %s, max: %d epochs", cfg.work_dir, cfg.epochs)
os.makedirs(cfg.work_dir, exist_ok=True)
#: ready
for epoch in range(start_epoch, cfg.epochs):
    net.train()
    total = 0.0
    for it, (x, m) in enumerate(train_dl, 1):
        #: mid
        out = net(x)
        loss = bce(out, m)
        #: loss
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
        if it % 3 == 0:
            logger.info("Epoch [%d][%d/%d] loss: %.4f", epoch + 1, it, len(train_dl), loss.item())
        #: after
        time.sleep(cfg.pause)
    net.eval()
    inter = union = 0.0
    with torch.no_grad():
        for x, m in val_dl:
            pred = (net(x) > 0).float()
            inter += (pred * m).sum().item()
            union += ((pred + m) > 0).sum().item()
    iou = inter / max(union, 1)
    #: valid
    logger.info("Epoch(val) [%d] mIoU: %.4f  train loss: %.4f", epoch + 1, iou, total / len(train_dl))
    stale = 0 if iou > best else stale + 1
    best = max(best, iou)
    torch.save({"state_dict": net.state_dict(), "optimizer": opt.state_dict(), "epoch": epoch + 1, "best": best}, os.path.join(cfg.work_dir, f"epoch_{epoch + 1}.pth"))
    logger.info("Saving checkpoint at %d epochs", epoch + 1)
    #: epoch
    if cfg.patience and stale >= cfg.patience:
        logger.warning("No better mIoU for %d epochs. Stopping early.", stale)
        break
#: late
logger.info("Best mIoU %.4f", best)
'''
