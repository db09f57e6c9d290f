"""A training program over timm's models, with places for what a case does."""

IMAGES = '''import argparse
import os
import time
from collections import OrderedDict

import timm
import torch
from timm.data import Mixup
from timm.loss import SoftTargetCrossEntropy
from timm.optim import create_optimizer_v2
from timm.scheduler import create_scheduler_v2
from timm.utils import AverageMeter, accuracy, random_seed

parser = argparse.ArgumentParser()
parser.add_argument("--model", default="test_resnet")
parser.add_argument("--img-size", type=int, default=32)
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--opt", default="sgd")
parser.add_argument("--lr", type=float, default=0.05)
parser.add_argument("--sched", default="cosine")
parser.add_argument("--num-classes", type=int, default=4)
parser.add_argument("--initial-checkpoint", default="")
parser.add_argument("--device", default="cpu")
args = parser.parse_args()
random_seed(42, 0)
#: early
model = timm.create_model(args.model, num_classes=args.num_classes, checkpoint_path=args.initial_checkpoint)
print(f"Model {args.model} created, param count:{sum(m.numel() for m in model.parameters())}", flush=True)
model.to(args.device)
optimizer = create_optimizer_v2(model, opt=args.opt, lr=args.lr, momentum=0.9, weight_decay=1e-4)
updates = 24
scheduler, num_epochs = create_scheduler_v2(optimizer, sched=args.sched, num_epochs=args.epochs, warmup_epochs=0, updates_per_epoch=updates)
print(f"Scheduled epochs: {num_epochs}. LR stepped per epoch.", flush=True)
loss_fn = torch.nn.CrossEntropyLoss()
proto = torch.randn(4, 3, args.img_size, args.img_size)


def batch(n=16):
    y = torch.randint(0, 4, (n,))
    return (proto[y] + 0.7 * torch.randn(n, 3, args.img_size, args.img_size)).to(args.device), y.to(args.device)


#: ready
for epoch in range(num_epochs):
    losses, secs, end = AverageMeter(), AverageMeter(), time.time()
    model.train()
    for idx in range(updates):
        step = epoch * updates + idx + 1
        #: mid
        x, y = batch()
        loss = loss_fn(model(x), y)
        #: loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.update(loss.item(), len(y))
        secs.update(time.time() - end)
        end = time.time()
        if idx % 4 == 3:
            print(f"Train: {epoch} [{idx + 1:>4d}/{updates} ({100. * (idx + 1) / updates:>3.0f}%)]  Loss: {losses.val:#.3g} ({losses.avg:#.3g})  Time: {secs.val:.3f}s, {len(y) / secs.val:>7.2f}/s  ({secs.avg:.3f}s, {len(y) / secs.avg:>7.2f}/s)  LR: {optimizer.param_groups[0]['lr']:.3e}", flush=True)
        #: after
    model.eval()
    with torch.no_grad():
        x, y = batch(64)
        acc1, _ = accuracy(model(x), y, topk=(1, 2))
    print(f"Test: [   1/1]  Loss: {loss_fn(model(x), y).item():.4f}  Acc@1: {acc1.item():>7.3f}", flush=True)
    scheduler.step(epoch + 1)
    #: epoch
#: late
print(f"*** Best metric: {acc1.item()} (epoch {epoch})", flush=True)
'''
