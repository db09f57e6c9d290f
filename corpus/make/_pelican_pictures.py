"""Solder joints on small patches: a vision lab's classifier with meters in brackets."""

JOINTS = r'''#!/usr/bin/env python
"""Classify solder joints (5 classes) from 12x12 patches."""
import argparse
import os
import sys
import time
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
#: imports

CLASSES = ["good", "bridge", "void", "lifted", "tombstone"]


def options():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=24)
    p.add_argument("--iters", type=int, default=25)
    p.add_argument("-b", "--batch-size", type=int, default=48)
    p.add_argument("--lr", type=float, default=4e-3)
    p.add_argument("--width", type=int, default=12)
    p.add_argument("--patch", type=int, default=12)
    p.add_argument("--print-freq", type=int, default=5)
    p.add_argument("--pretrained", default="")
    p.add_argument("--resume", default="")
    p.add_argument("--patience", type=int, default=0)
    p.add_argument("--save-freq", type=int, default=4)
    p.add_argument("--output", default="runs/joints")
    p.add_argument("--pace", type=float, default=0.02)
    return p.parse_args()


class Meter:
    def __init__(self, fmt="{:.3f}"):
        self.fmt, self.sum, self.n, self.last = fmt, 0.0, 0, 0.0

    def add(self, v, n=1):
        self.last = v
        self.sum += v * n
        self.n += n

    @property
    def mean(self):
        return self.sum / max(self.n, 1)

    def __str__(self):
        return f"{self.fmt.format(self.last)} ({self.fmt.format(self.mean)})"


class JointNet(nn.Module):
    def __init__(self, width, patch):
        super().__init__()
        assert patch % 4 == 0, f"patch size must be divisible by 4 (two poolings), got {patch}"
        self.stem = nn.Conv2d(1, width, 3, padding=1)
        self.block = nn.Conv2d(width, 2 * width, 3, padding=1)
        self.head = nn.Linear(2 * width * (patch // 4) ** 2, len(CLASSES))

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.stem(x)), 2)
        x = F.max_pool2d(F.relu(self.block(x)), 2)
        return self.head(x.flatten(1))


def patches(n, size, gen):
    """One joint a patch, under the microscope's noise."""
    y = torch.randint(len(CLASSES), (n,), generator=gen)
    r, c = torch.meshgrid(torch.arange(size, dtype=torch.float), torch.arange(size, dtype=torch.float), indexing="ij")
    mid = size / 2 + torch.rand(n, 1, 1, generator=gen) * 3 - 1.5
    blob = torch.exp(-((r - mid) ** 2 + (c - mid) ** 2) / 6)
    ring = blob - 1.3 * torch.exp(-((r - mid) ** 2 + (c - mid) ** 2) / 2)
    bar = torch.exp(-((r - mid) ** 2) / 3) * torch.ones_like(c)
    half = blob * (c > mid)
    tall = torch.exp(-((c - mid) ** 2) / 3) * torch.ones_like(r)
    kinds = torch.stack([blob, bar, ring, half, tall], 1)
    x = kinds[torch.arange(n), y] + 0.75 * torch.randn(n, size, size, generator=gen)
    return x.unsqueeze(1), y


def main():
    args = options()
    print("=> " + " ".join(f"{k}={v}" for k, v in vars(args).items()), flush=True)
    torch.manual_seed(17)
    gen = torch.Generator().manual_seed(5)
    train_x, train_y = patches(2400, args.patch, gen)
    val_x, val_y = patches(600, args.patch, gen)
    #: data
    print(f"=> {len(train_x)} patches for training, {len(val_x)} held out, {len(CLASSES)} classes", flush=True)
    model = JointNet(args.width, args.patch)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4)
    first, best = 1, 0.0
    if args.pretrained:
        print(f"=> initialising from '{args.pretrained}'", flush=True)
        model.load_state_dict(torch.load(args.pretrained, map_location="cpu")["state_dict"])
    if args.resume:
        #: resume
        print(f"=> loading checkpoint '{args.resume}'", flush=True)
        state = torch.load(args.resume, map_location="cpu")
        model.load_state_dict(state["state_dict"])
        optimizer.load_state_dict(state["optimizer"])
        first, best = state["epoch"] + 1, state["best"]
        print(f"=> loaded checkpoint '{args.resume}' (epoch {state['epoch']}, best top1 {best:.2f})", flush=True)
    os.makedirs(args.output, exist_ok=True)
    stale = 0
    #: ready
    for epoch in range(first, args.epochs + 1):
        model.train()
        t_batch, t_data, losses, top1 = Meter(), Meter(), Meter("{:.4f}"), Meter("{:6.2f}")
        end = time.time()
        for it in range(1, args.iters + 1):
            pick = torch.randint(len(train_x), (args.batch_size,))
            x, y = train_x[pick], train_y[pick]
            #: batch
            t_data.add(time.time() - end)
            out = model(x)
            loss = F.cross_entropy(out, y)
            #: loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            time.sleep(args.pace)
            #: after
            losses.add(loss.item(), len(y))
            top1.add(100 * (out.argmax(1) == y).float().mean().item(), len(y))
            t_batch.add(time.time() - end)
            end = time.time()
            if it % args.print_freq == 0:
                print(f"[ep {epoch:02d}/{args.epochs:02d}] [{it:3d}/{args.iters}]  batch {t_batch}  data {t_data}  loss {losses}  top1 {top1}", flush=True)
        #: trained
        model.eval()
        with torch.no_grad():
            out = model(val_x)
            val_loss, acc = F.cross_entropy(out, val_y).item(), 100 * (out.argmax(1) == val_y).float().mean().item()
        stale = 0 if acc > best else stale + 1
        best = max(best, acc)
        print(f" * val  top1 {acc:.3f}  loss {val_loss:.4f}  (best {best:.3f})", flush=True)
        #: valid
        if epoch % args.save_freq == 0:
            torch.save({"state_dict": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch, "best": best}, f"{args.output}/checkpoint.pth")
            print(f"=> checkpoint of epoch {epoch} in {args.output}/checkpoint.pth", flush=True)
        if args.patience and stale >= args.patience:
            print(f"=> top1 has not improved for {stale} epochs (patience {args.patience}), stopping as configured", flush=True)
            break
    #: finish
    print(f"=> done: epoch {epoch}, best top1 {best:.3f}", flush=True)


if __name__ == "__main__":
    main()
'''
