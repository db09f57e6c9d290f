"""Training programs of one process over plain PyTorch, as students and small teams write them, with places for what a case does."""

SEG = '''import csv, dataclasses, os, sys, time
import torch
from torch import nn


@dataclasses.dataclass
class Config:
    epochs: int = 8
    batch: int = 16
    lr: float = 4e-3
    width: int = 12
    side: int = 24
    images: int = 192
    weights: str = ""
    out: str = "runs/seg"


def parse(words):
    cfg = Config()
    for word in words:
        key, _, value = word.partition("=")
        old = getattr(cfg, key)
        setattr(cfg, key, type(old)(value))
    return cfg


def scenes(n, side, gen):
    yy, xx = torch.meshgrid(torch.arange(side), torch.arange(side), indexing="ij")
    c = torch.randint(5, side - 5, (n, 2), generator=gen)
    r = torch.randint(3, 6, (n,), generator=gen)
    mask = ((yy - c[:, 0, None, None]) ** 2 + (xx - c[:, 1, None, None]) ** 2 < r[:, None, None] ** 2).float()
    image = mask * 0.8 + 0.6 * torch.randn(n, side, side, generator=gen)
    return image[:, None], mask[:, None]


class Net(nn.Module):
    def __init__(self, w):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(1, w, 3, 2, 1), nn.BatchNorm2d(w), nn.GELU())
        self.mid = nn.Sequential(nn.Conv2d(w, w, 3, 1, 1), nn.BatchNorm2d(w), nn.GELU())
        self.up = nn.ConvTranspose2d(w, 1, 4, 2, 1)

    def forward(self, x):
        h = self.down(x)
        return self.up(h + self.mid(h))


def iou(logits, mask):
    hit = (logits > 0).float()
    return ((hit * mask).sum() / (hit + mask - hit * mask).sum().clamp(min=1)).item()


cfg = parse(sys.argv[1:])
print(">>>", cfg, flush=True)
torch.manual_seed(3)
gen = torch.Generator().manual_seed(1)
#: early
train_x, train_y = scenes(cfg.images, cfg.side, gen)
val_x, val_y = scenes(48, cfg.side, gen)
#: data
net = Net(cfg.width)
bce = nn.BCEWithLogitsLoss()
opt = torch.optim.AdamW(net.parameters(), lr=cfg.lr)
start = 1
if cfg.weights:
    print("loading weights from", cfg.weights, flush=True)
    saved = torch.load(cfg.weights, map_location="cpu")
    net.load_state_dict(saved["net"])
    start = saved["epoch"] + 1
    print(f"weights of epoch {saved['epoch']} loaded, going on with epoch {start}", flush=True)
os.makedirs(cfg.out, exist_ok=True)
table = csv.writer(open(f"{cfg.out}/history.csv", "w"))
#: ready
for epoch in range(start, cfg.epochs + 1):
    began = time.time()
    net.train()
    total = 0.0
    order = torch.randperm(len(train_x))
    for at in range(0, len(order), cfg.batch):
        rows = order[at : at + cfg.batch]
        x, y = train_x[rows], train_y[rows]
        #: mid
        loss = bce(net(x), y)
        #: loss
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(rows)
        #: after
    net.eval()
    with torch.no_grad():
        logits = net(val_x)
        val = bce(logits, val_y).item()
    score = iou(logits, val_y)
    table.writerow([epoch, total / len(train_x), val, score])
    print(f"ep {epoch:03d}/{cfg.epochs:03d} | tr_loss {total / len(train_x):.4f} | va_loss {val:.4f} | IoU {score:.3f} | lr {opt.param_groups[0]['lr']:.1e} | {time.time() - began:.1f}s", flush=True)
    #: epoch
torch.save({"net": net.state_dict(), "epoch": epoch}, f"{cfg.out}/final.pt")
#: late
print(f"all {cfg.epochs} epochs done, weights in {cfg.out}/final.pt", flush=True)
'''
NAMES = '''"""Character model of town names."""
import argparse
import math
import os
import random
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--max-steps", type=int, default=300)
parser.add_argument("--eval-every", type=int, default=50)
parser.add_argument("--block", type=int, default=12)
parser.add_argument("--n-embd", type=int, default=32)
parser.add_argument("--lr", type=float, default=6e-3)
parser.add_argument("--init-from", choices=["scratch", "resume"], default="scratch")
parser.add_argument("--out-dir", default="out-names")
parser.add_argument("--sleep", type=float, default=0.0)
args = parser.parse_args()

starts = "al bern cal dor est fal grun hal ing jor kal lim mor nord ost pel quer ros sand tal ulm vel wes zell".split()
ends = "ach berg dorf feld haus ingen kirch lau mark nau ow rode stadt tal um wald".split()
random.seed(5)
text = "\\n".join(random.choice(starts) + random.choice(ends) for _ in range(4000))
#: early
vocab = sorted(set(text))
ids = torch.tensor([vocab.index(c) for c in text])
cut = int(0.9 * len(ids))
print(f"data has {len(ids)} characters, {len(vocab)} unique", flush=True)
torch.manual_seed(1337)
#: data


def batch(split, size=32):
    part = ids[:cut] if split == "train" else ids[cut:]
    at = torch.randint(len(part) - args.block - 1, (size,))
    return torch.stack([part[i : i + args.block] for i in at]), torch.stack([part[i + 1 : i + 1 + args.block] for i in at])


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        n = args.n_embd
        self.wte, self.wpe = nn.Embedding(len(vocab), n), nn.Embedding(args.block, n)
        self.attn, self.ln1, self.ln2 = nn.MultiheadAttention(n, 4, batch_first=True), nn.LayerNorm(n), nn.LayerNorm(n)
        self.mlp = nn.Sequential(nn.Linear(n, 4 * n), nn.GELU(), nn.Linear(4 * n, n))
        self.lm_head = nn.Linear(n, len(vocab))
        self.register_buffer("mask", torch.triu(torch.ones(args.block, args.block, dtype=torch.bool), 1))

    def forward(self, x):
        h = self.wte(x) + self.wpe(torch.arange(x.shape[1]))
        a = self.ln1(h)
        h = h + self.attn(a, a, a, attn_mask=self.mask, need_weights=False)[0]
        return self.lm_head(h + self.mlp(self.ln2(h)))


@torch.no_grad()
def estimate():
    out = {}
    for split in ("train", "val"):
        x, y = batch(split, 128)
        out[split] = F.cross_entropy(model(x).flatten(0, 1), y.flatten()).item()
    return out


model = Mixer()
print(f"number of parameters: {sum(p.numel() for p in model.parameters()) / 1e3:.1f}K", flush=True)
optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
step0, best = 0, 1e9
if args.init_from == "resume":
    print(f"Resuming training from {args.out_dir}", flush=True)
    ck = torch.load(os.path.join(args.out_dir, "ckpt.pt"), map_location="cpu")
    model.load_state_dict(ck["model"])
    optimizer.load_state_dict(ck["optimizer"])
    step0, best = ck["step"], ck["best"]
#: ready
os.makedirs(args.out_dir, exist_ok=True)
t0 = time.time()
for step in range(step0, args.max_steps + 1):
    if step % args.eval_every == 0:
        losses = estimate()
        print(f"step {step}: train loss {losses['train']:.4f}, val loss {losses['val']:.4f}", flush=True)
        #: evaluated
        if losses["val"] < best and step > step0:
            best = losses["val"]
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step, "best": best}, os.path.join(args.out_dir, "ckpt.pt"))
            print(f"saving checkpoint to {args.out_dir}", flush=True)
    x, y = batch("train")
    #: mid
    logits = model(x)
    loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
    #: loss
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if step % 10 == 0:
        t1 = time.time()
        print(f"iter {step}: loss {loss.item():.4f}, |g| {norm:.3f}, time {(t1 - t0) * 100:.1f}ms", flush=True)
        t0 = t1
    #: after
    time.sleep(args.sleep)
#: late
print("done, best val loss", round(best, 4), flush=True)
'''
HOUSE = '''import os
import sys
import math
import time
import torch
import numpy as np
from tqdm import tqdm
from torch.utils.data import DataLoader, TensorDataset, random_split

EPOCHS = int(os.environ.get("EPOCHS", 6))
LR = float(os.environ.get("LR", 0.01))
BATCH = 20
torch.manual_seed(0)
#: early
X = torch.randn(2000, 9)
price = 3 + X[:, 0] * 1.5 - X[:, 1] + 0.5 * X[:, 2] * X[:, 3] + 0.1 * torch.randn(2000)
#: data
train, valid = random_split(TensorDataset(X, price), [1600, 400])
train_loader = DataLoader(train, BATCH, shuffle=True)
valid_loader = DataLoader(valid, 100)
model = torch.nn.Sequential(torch.nn.Linear(9, 32), torch.nn.ReLU(), torch.nn.Linear(32, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
optim = torch.optim.Adam(model.parameters(), LR)
#: ready
print("Start training for", EPOCHS, "epochs on", len(train), "houses")
best_rmse = math.inf
for epoch in range(EPOCHS):
    model.train()
    bar = tqdm(train_loader, desc=f"Epoch {epoch + 1}/{EPOCHS}", ncols=88, mininterval=0.3)
    for i, (xb, yb) in enumerate(bar):
        #: mid
        pred = model(xb).squeeze(1)
        loss = (pred - yb).pow(2).mean()
        #: loss
        optim.zero_grad()
        loss.backward()
        optim.step()
        bar.set_postfix(mse=f"{loss.item():.3f}")
        #: after
    model.eval()
    with torch.no_grad():
        se = sum(((model(a).squeeze(1) - b) ** 2).sum().item() for a, b in valid_loader)
    rmse = math.sqrt(se / len(valid))
    tqdm.write(f"Epoch {epoch + 1}: validation RMSE = {rmse:.4f}")
    #: epoch
    if rmse < best_rmse:
        best_rmse = rmse
        torch.save(model.state_dict(), "best_house.pt")
        tqdm.write("New best model saved.")
#: late
print(f"Finished. Best RMSE: {best_rmse:.4f}")
'''
METERS = '''import argparse
import os
import random
import shutil
import sys
import time

import numpy as np
import torch
import torch.nn as nn
import torchvision.models as models
import torchvision.transforms.v2 as transforms
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser(description="Tiny leaves")
parser.add_argument("data", metavar="DIR", nargs="?", default="synthetic")
parser.add_argument("-a", "--arch", default="squeezenet1_1")
parser.add_argument("--epochs", default=3, type=int)
parser.add_argument("-j", "--workers", default=0, type=int)
parser.add_argument("-b", "--batch-size", default=16, type=int)
parser.add_argument("--lr", default=2e-3, type=float)
parser.add_argument("-p", "--print-freq", default=5, type=int)
parser.add_argument("--resume", default="", type=str)
parser.add_argument("-n", "--per-epoch", default=240, type=int)


class Leaves(Dataset):
    def __init__(self, n, seed, transform=None):
        g = torch.Generator().manual_seed(seed)
        self.target = torch.randint(0, 4, (n,), generator=g)
        self.colour = torch.tensor([[0.9, 0.1, 0.1], [0.1, 0.9, 0.1], [0.1, 0.1, 0.9], [0.8, 0.8, 0.1]])
        self.transform = transform
        #: dataset

    def __len__(self):
        return len(self.target)

    def __getitem__(self, index):
        #: item
        image = self.colour[self.target[index]][:, None, None].repeat(1, 32, 32) * 0.5 + 0.5 * torch.rand(3, 32, 32)
        return (self.transform(image) if self.transform else image), int(self.target[index])


class AverageMeter:
    def __init__(self, name, fmt=":f"):
        self.name, self.fmt, self.val, self.sum, self.count = name, fmt, 0, 0, 0

    def update(self, val, n=1):
        self.val, self.sum, self.count = val, self.sum + val * n, self.count + n

    @property
    def avg(self):
        return self.sum / self.count

    def __str__(self):
        return ("{name} {val" + self.fmt + "} ({avg" + self.fmt + "})").format(name=self.name, val=self.val, avg=self.avg)


def train(loader, model, criterion, optimizer, epoch, args):
    batch_time, losses, top1 = AverageMeter("Time", ":6.3f"), AverageMeter("Loss", ":.4e"), AverageMeter("Acc@1", ":6.2f")
    model.train()
    end = time.time()
    for i, (images, target) in enumerate(loader):
        #: mid
        output = model(images)
        loss = criterion(output, target)
        #: loss
        losses.update(loss.item(), len(images))
        top1.update(100 * (output.argmax(1) == target).float().mean().item(), len(images))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        batch_time.update(time.time() - end)
        end = time.time()
        if i % args.print_freq == 0:
            print(f"Epoch: [{epoch}][{i:>3}/{len(loader)}]\\t" + "\\t".join(str(m) for m in (batch_time, losses, top1)), flush=True)
        #: after


def validate(loader, model):
    model.eval()
    good = n = 0
    with torch.no_grad():
        for images, target in loader:
            good += (model(images).argmax(1) == target).sum().item()
            n += len(target)
    print(f" * Acc@1 {100 * good / n:.3f}", flush=True)
    return 100 * good / n


def main():
    args = parser.parse_args()
    torch.manual_seed(8)
    #: early
    print(f"=> creating model '{args.arch}'", flush=True)
    model = models.__dict__[args.arch](num_classes=4)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), args.lr)
    best, first = 0, 0
    if args.resume:
        if os.path.isfile(args.resume):
            print(f"=> loading checkpoint '{args.resume}'", flush=True)
            checkpoint = torch.load(args.resume)
            first = checkpoint["epoch"]
            model.load_state_dict(checkpoint["state_dict"])
            print(f"=> loaded checkpoint '{args.resume}' (epoch {checkpoint['epoch']})", flush=True)
        else:
            print(f"=> no checkpoint found at '{args.resume}'", flush=True)
            #: missing
    train_set = Leaves(args.per_epoch, 0, transforms.RandomHorizontalFlip())
    loader = DataLoader(train_set, args.batch_size, shuffle=True, num_workers=args.workers)
    val_loader = DataLoader(Leaves(64, 1), 32)
    #: ready
    for epoch in range(first, args.epochs):
        train(loader, model, criterion, optimizer, epoch, args)
        acc = validate(val_loader, model)
        #: epoch
        torch.save({"epoch": epoch + 1, "state_dict": model.state_dict()}, "checkpoint.pth.tar")
        if acc > best:
            best = acc
            shutil.copyfile("checkpoint.pth.tar", "model_best.pth.tar")
    #: late


if __name__ == "__main__":
    main()
'''
