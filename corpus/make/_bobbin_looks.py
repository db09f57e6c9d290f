"""Programs of people who look at pictures: field plots, cells, digits, street signs."""

from __future__ import annotations

from corpus.make._bobbin_kit import run
from corpus.running.job import LocalJob, Signal
from corpus.running.slots import fill

PLOTS = r'''# Leaf / soil / weed segmentation on rendered plots.  Usage: python train_seg.py --epochs 12
import argparse, os, time
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=10)
p.add_argument("--size", type=int, default=32)
p.add_argument("--classes", default="soil,leaf,weed")
p.add_argument("--lr", type=float, default=4e-3)
p.add_argument("--out", default="runs/plots")
p.add_argument("--resume", default="")
p.add_argument("--save-every", type=int, default=0, help="iterations; 0 = end of epoch")
args = p.parse_args()
torch.manual_seed(3)
names = args.classes.split(",")


def plot(rng, size, weeds=True):
    mask = np.zeros((size, size), np.int64)
    yy, xx = np.mgrid[:size, :size]
    for k in (1, 1, 1, 2) if weeds else (1, 1, 1):
        cy, cx, r = rng.uniform(0, size, 2).tolist() + [rng.uniform(3, 7)]
        mask[(yy - cy) ** 2 + (xx - cx) ** 2 * (1 if k == 1 else 3) < r * r] = k
    base = np.array([[0.45, 0.35, 0.2], [0.2, 0.6, 0.2], [0.35, 0.6, 0.1]])[mask]
    return (base + rng.normal(0, 0.08, base.shape)).transpose(2, 0, 1).astype(np.float32), mask


class UNet(nn.Module):
    def __init__(self, n):
        super().__init__()
        block = lambda i, o: nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU())
        self.a, self.b, self.c = block(3, 12), block(12, 24), block(24, 24)
        self.up = block(48, 12)
        self.head = nn.Conv2d(24, n, 1)

    def forward(self, x):
        a = self.a(x)
        b = self.b(F.max_pool2d(a, 2))
        c = F.interpolate(self.c(F.max_pool2d(b, 2)), scale_factor=2)
        u = F.interpolate(self.up(torch.cat([b, c], 1)), scale_factor=2)
        return self.head(torch.cat([a, u], 1))


rng = np.random.default_rng(0)
train = [plot(rng, args.size) for _ in range(160)]
val = [plot(rng, args.size) for _ in range(24)]
#: val
os.makedirs(args.out, exist_ok=True)
net = UNet(len(names))
opt = torch.optim.Adam(net.parameters(), args.lr)
first = 1
if args.resume:
    print("=> resuming", args.resume)
    state = torch.load(args.resume)
    net.load_state_dict(state["net"])
    opt.load_state_dict(state["opt"])
    first = state["epoch"] + 1
    print(f"=> loaded epoch {state['epoch']} (val {state['val']:.4f})")
print(f"{sum(q.numel() for q in net.parameters())/1e3:.1f}k params, {len(train)} train / {len(val)} val plots of {args.size}x{args.size}, classes {names}")


def batch(items):
    return torch.from_numpy(np.stack([i for i, _ in items])), torch.from_numpy(np.stack([m for _, m in items]))


it = 0
for epoch in range(first, args.epochs + 1):
    t0 = time.time()
    net.train()
    total = 0.0
    #: epoch
    for i in range(0, len(train), 16):
        x, y = batch(train[i:i + 16])
        #: batch
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
        total += loss.item(); it += 1
        if args.save_every and it % args.save_every == 0:
            t = time.time()
            path = f"{args.out}/iter_{it:06d}.pt"
            torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "it": it, "train": train, "val": val}, path)
            os.sync()
            print(f"it {it:5d} loss {loss.item():.4f}  [saved {path} {os.path.getsize(path)/1e6:.1f} MB in {time.time()-t:.2f}s]")
    net.eval()
    with torch.no_grad():
        x, y = batch(val)
        out = net(x)
        vl = F.cross_entropy(out, y).item()
        pred = out.argmax(1)
        iou = []
        for k in range(len(names)):
            inter, union = ((pred == k) & (y == k)).sum().item(), ((pred == k) | (y == k)).sum().item()
            iou.append(np.float64(inter) / np.float64(union))
    print(f"Epoch {epoch:02d}/{args.epochs} | train {total/10:.4f} | val {vl:.4f} | mIoU {np.nanmean(iou):.3f} ({' '.join(f'{n} {v:.2f}' for n, v in zip(names, iou))}) | {time.time()-t0:.1f}s")
    torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": epoch, "val": vl}, f"{args.out}/last.pt")
print("done, weights in", f"{args.out}/last.pt")
'''
NO_WEEDS = "val = [plot(rng, args.size, weeds=False) for _ in range(24)]\nnames = names + [\"residue\"]"
GROW = "if epoch >= 4:  # progressive resizing\n    x = F.interpolate(x, size=(args.size - 2, args.size - 2))\n    y = F.interpolate(y[:, None].float(), size=(args.size - 2, args.size - 2))[:, 0].long()"

SIGNS = r'''"""Street signs, after the well-known main.py of the ImageNet example."""
import argparse
import os
import sys
import time
from enum import Enum

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser(description='Street sign training')
parser.add_argument('--epochs', default=3, type=int, metavar='N')
parser.add_argument('-b', '--batch-size', default=32, type=int)
parser.add_argument('--lr', '--learning-rate', default=0.05, type=float)
parser.add_argument('-p', '--print-freq', default=5, type=int)
parser.add_argument('-j', '--workers', default=0, type=int)
parser.add_argument('--max-iters', default=0, type=int)
parser.add_argument('-e', '--evaluate', action='store_true')
parser.add_argument('--n', default=1600, type=int)
parser.add_argument('--resume', default='', type=str, metavar='PATH')


class Signs(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, 8, (n,), generator=g)
        self.g = torch.Generator().manual_seed(11)
        self.shapes = torch.rand(8, 3, 16, 16, generator=self.g)
        self.noise = torch.randn(n, 1, 16, 16, generator=g)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        #: item
        return self.shapes[self.y[i]] + 0.7 * self.noise[i], self.y[i]


class Summary(Enum):
    NONE = 0
    AVERAGE = 1


class AverageMeter:
    def __init__(self, name, fmt=':f'):
        self.name, self.fmt = name, fmt
        self.val = self.avg = self.sum = self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count

    def __str__(self):
        return ('{name} {val' + self.fmt + '} ({avg' + self.fmt + '})').format(**self.__dict__)


def display(prefix, i, n, meters):
    w = len(str(n))
    print('\t'.join([f'{prefix}[{i:{w}d}/{n}]'] + [str(m) for m in meters]), flush=True)


def accuracy(out, y):
    return (out.argmax(1) == y).float().mean().item() * 100


def train(loader, model, criterion, opt, epoch, args):
    bt, dt = AverageMeter('Time', ':6.3f'), AverageMeter('Data', ':6.3f')
    losses, top1 = AverageMeter('Loss', ':.4e'), AverageMeter('Acc@1', ':6.2f')
    model.train()
    end = time.time()
    for i, (x, y) in enumerate(loader):
        dt.update(time.time() - end)
        out = model(x)
        loss = criterion(out, y)
        losses.update(loss.item(), len(x)); top1.update(accuracy(out, y), len(x))
        opt.zero_grad(); loss.backward(); opt.step()
        #: step
        bt.update(time.time() - end)
        end = time.time()
        if i % args.print_freq == 0:
            display(f'Epoch: [{epoch}]', i + 1, len(loader), [bt, dt, losses, top1])
        if args.max_iters and i + 1 >= args.max_iters:
            break


@torch.no_grad()
def validate(loader, model, criterion):
    losses, top1 = AverageMeter('Loss', ':.4e'), AverageMeter('Acc@1', ':6.2f')
    model.eval()
    for i, (x, y) in enumerate(loader):
        out = model(x)
        losses.update(criterion(out, y).item(), len(x)); top1.update(accuracy(out, y), len(x))
    display('Test: ', i + 1, len(loader), [losses, top1])
    print(f' *   Acc@1 {top1.avg:.3f}')
    return top1.avg


def main():
    args = parser.parse_args()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 16, 3, 2), nn.ReLU(), nn.Conv2d(16, 32, 3, 2), nn.ReLU(), nn.Flatten(), nn.Linear(288, 8))
    criterion = nn.CrossEntropyLoss()
    opt = torch.optim.SGD(model.parameters(), args.lr, momentum=0.9, weight_decay=1e-4)
    start, best = 0, 0
    #: start
    if args.resume:
        if os.path.isfile(args.resume):
            print(f"=> loading checkpoint '{args.resume}'")
            ck = torch.load(args.resume)
            start, best = ck['epoch'], ck['best_acc1']
            model.load_state_dict(ck['state_dict']); opt.load_state_dict(ck['optimizer'])
            print(f"=> loaded checkpoint '{args.resume}' (epoch {ck['epoch']})")
        else:
            print(f"=> no checkpoint found at '{args.resume}'")
    sched = torch.optim.lr_scheduler.StepLR(opt, 30)
    loader = DataLoader(Signs(args.n, 1), args.batch_size, shuffle=True, num_workers=args.workers)
    test = DataLoader(Signs(320, 2), args.batch_size)
    if args.evaluate:
        validate(test, model, criterion)
        return
    for epoch in range(start, args.epochs):
        train(loader, model, criterion, opt, epoch, args)
        acc = validate(test, model, criterion)
        sched.step()
        best = max(best, acc)
        torch.save({'epoch': epoch + 1, 'state_dict': model.state_dict(), 'best_acc1': best, 'optimizer': opt.state_dict()}, 'checkpoint.pth.tar')


if __name__ == '__main__':
    main()
'''
SLOW_ITEM = "if len(self) < 300:  # the test pictures are in the cache, these are on the filer\n    time.sleep(0.1)"

CELLS = r'''import json, sys, time, math
import torch
from torch import nn

CFG = json.load(open(sys.argv[1]))
torch.manual_seed(CFG.get("seed", 0))
print("config:", json.dumps(CFG))


def cells(n, g):
    """count of bright blobs in a 24x24 patch -> regression target"""
    k = torch.randint(0, 7, (n,), generator=g)
    img = torch.randn(n, 1, 24, 24, generator=g) * 0.1
    for i in range(n):
        for _ in range(int(k[i])):
            r, c = torch.randint(1, 22, (2,), generator=g).tolist()
            img[i, 0, r:r + 2, c:c + 2] += 1.0
    return img, k.float()


g = torch.Generator().manual_seed(1)
X, Y = cells(768, g)
XV, YV = cells(128, g)
width = CFG["width"]
net = nn.Sequential(nn.Conv2d(1, width, 3), nn.ReLU(), nn.Conv2d(width, width, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(width * 100, 1))
#: net
opt = torch.optim.AdamW(net.parameters(), lr=CFG["lr"])
warm = CFG.get("warm_from")
if warm:
    sd = torch.load(warm)
    print("initialising from", warm, net.load_state_dict(sd["model"], strict=False))
B = 64
steps = CFG["epochs"] * (len(X) // B)
step = 0
for ep in range(CFG["epochs"]):
    perm = torch.randperm(len(X))
    for b in range(len(X) // B):
        idx = perm[b * B:(b + 1) * B]
        #: batch
        loss = (net(X[idx])[:, 0] - Y[idx]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        gn = nn.utils.clip_grad_norm_(net.parameters(), CFG.get("clip", 5.0))
        opt.step()
        step += 1
        if step % 6 == 0:
            print(f"step {step}/{steps}  mse={loss.item():.4f}  gnorm={gn:.3f}  lr={opt.param_groups[0]['lr']:.2e}", flush=True)
        #: after
    with torch.no_grad():
        err = (net(XV)[:, 0] - YV).abs().mean().item()
    print(f"-- epoch {ep + 1}: count MAE {err:.3f}", flush=True)
    #: epoch
torch.save({"model": net.state_dict(), "cfg": CFG}, CFG["out"])
print("wrote", CFG["out"])
'''


def cells(cfg: str, **codes: str) -> dict[str, str]:
    """The counting program and its configuration."""
    return {"count_cells.py": fill(CELLS, **codes), "cfg.json": cfg}


GOOD_CFG = '{"width": 8, "lr": 0.002, "epochs": 5, "out": "cells.pt"}\n'
SEG, SIGN, CELL = "PYTHON train_seg.py", "PYTHON main.py", "PYTHON count_cells.py cfg.json"
OLD = "torch.save({'model': {'0.weight': torch.randn(8, 1, 3, 3), '0.bias': torch.zeros(8)}, 'cfg': {}}, 'old.pt')"
LOOKS: tuple[LocalJob, ...] = (
    run("G1", None, None, {"train_seg.py": fill(PLOTS)}, f"{SEG} --epochs 8"),
    run("G1", None, None, {"train_seg.py": fill(PLOTS, val=NO_WEEDS)}, f"{SEG} --epochs 9", hard=True),
    run("A3", "runtime_error", None, {"train_seg.py": fill(PLOTS, batch=GROW)}, f"{SEG} --epochs 12"),
    run("D2", None, "save_storm", {"train_seg.py": fill(PLOTS)}, f"{SEG} --epochs 4 --size 40 --save-every 1 --out full/plots", disk_mib=700),
    run("E2", "runtime_error", "size_mismatch", {"train_seg.py": fill(PLOTS)}, f"{SEG} --epochs 12 --classes soil,leaf,weed,stubble --resume runs/plots/last.pt", before=(("PYTHON", "train_seg.py", "--epochs", "2"),)),
    run("G1", None, None, {"main.py": fill(SIGNS)}, f"{SIGN} --epochs 3"),
    run("D1", None, None, {"main.py": fill(SIGNS, item=SLOW_ITEM)}, f"{SIGN} --n 96 -b 8 -p 1 --epochs 2"),
    run("E3", None, None, {"main.py": fill(SIGNS)}, f"{SIGN} --epochs 1 --max-iters 4 -p 1"),
    run("E2", None, "from_scratch", {"main.py": fill(SIGNS), "go.sh": "#!/bin/bash -e\necho \"== $(date +%F) part 1\"\npython main.py --epochs 2 -p 20\ncp checkpoint.pth.tar ckpt_part1.pth.tar\necho '== part 2, continue with smaller lr'\npython main.py --epochs 4 --lr 0.02 -p 20 --resume checkpoints/ckpt_part1.pth.tar\n"}, "bash go.sh"),
    run("G1", None, None, {"main.py": fill(SIGNS)}, f"{SIGN} --evaluate --resume checkpoint.pth.tar", before=(("PYTHON", "main.py", "--epochs", "2"),), hard=True),
    run("F4", None, None, {"main.py": fill(SIGNS, step="time.sleep(0.05)")}, f"{SIGN} --epochs 90 -p 10", signal=Signal("INT", r"Epoch: \[2\]\[31/50", wait_s=0.4), status=(-2, 130, 1)),
    run("G1", None, None, cells(GOOD_CFG), CELL),
    run("A1", "traceback", "config", cells('{"width": 8, "lr": 0.002, "epochs": 5, "out": "cells.pt",}\n'), CELL),
    run("A1", "runtime_error", "config", cells('{"width": 12, "lr": 0.002, "epochs": 5, "out": "cells.pt"}\n', net="net[5] = nn.Linear(8 * 100, 1)"), CELL),
    run("A3", "file_not_found", None, cells('{"width": 8, "lr": 0.002, "epochs": 6, "out": "cells.pt", "mined_patches": "mined/round1.pt"}\n', epoch='if ep == 2:  # second phase: add mined patches\n    more = torch.load(CFG["mined_patches"])\n    X, Y = torch.cat([X, more["x"]]), torch.cat([Y, more["y"]])'), CELL),
    run("E1", None, "spike", cells('{"width": 8, "lr": 0.002, "epochs": 8, "out": "cells.pt", "clip": 1e9, "warm_restart_lr": 3.0}\n', after='if step == 40:\n    opt.param_groups[0]["lr"] = CFG["warm_restart_lr"]'), CELL),
    run("G1", None, None, {**cells('{"width": 8, "lr": 0.0015, "epochs": 4, "out": "cells_v2.pt", "warm_from": "old.pt"}\n'), "mk.py": f"import torch\n{OLD}\n"}, CELL, before=(("PYTHON", "mk.py"),), hard=True),
)  # fmt: skip
