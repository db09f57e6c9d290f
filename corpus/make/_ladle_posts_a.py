"""Training on the CPU that came to its planned end: a language model, pictures, speech, films, play."""

from corpus.make._crate import crate

BARD = r'''
"""
Minimal character-level GPT trainer. One file, no dependencies beyond torch.
"""
import math
import time

import torch
import torch.nn as nn
from torch.nn import functional as F

batch_size, block_size, max_iters, eval_interval, learning_rate, eval_iters, n_embd, n_head, n_layer = 16, 24, 240, 60, 3e-3, 8, 32, 4, 2
torch.manual_seed(1337)

with open("input.txt", encoding="utf-8") as f:
    text = f.read()
chars = sorted(set(text))
vocab_size = len(chars)
stoi = {ch: i for i, ch in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])
n = int(0.9 * len(data))
train_data, val_data = data[:n], data[n:]
print(f"data has {len(text):,} characters, {vocab_size} unique")


def get_batch(split):
    d = train_data if split == "train" else val_data
    ix = torch.randint(len(d) - block_size - 1, (batch_size,))
    return torch.stack([d[i : i + block_size] for i in ix]), torch.stack([d[i + 1 : i + block_size + 1] for i in ix])


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocab_size, n_embd), nn.Embedding(block_size, n_embd)
        self.h = nn.TransformerEncoder(nn.TransformerEncoderLayer(n_embd, n_head, 4 * n_embd, 0.0, batch_first=True, norm_first=True), n_layer, enable_nested_tensor=False)
        self.head = nn.Linear(n_embd, vocab_size, bias=False)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(block_size))

    def forward(self, idx, targets):
        x = self.wte(idx) + self.wpe(torch.arange(idx.size(1)))
        return F.cross_entropy(self.head(self.h(x, mask=self.mask)).flatten(0, 1), targets.flatten())


@torch.no_grad()
def estimate_loss():
    model.eval()
    out = {s: sum(model(*get_batch(s)).item() for _ in range(eval_iters)) / eval_iters for s in ("train", "val")}
    model.train()
    return out


model = GPT()
print(f"number of parameters: {sum(p.numel() for p in model.parameters()) / 1e6:.2f}M")
opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
t0 = time.time()
for it in range(max_iters + 1):
    if it % eval_interval == 0:
        l = estimate_loss()
        print(f"step {it}: train loss {l['train']:.4f}, val loss {l['val']:.4f}")
    loss = model(*get_batch("train"))
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    dt, t0 = time.time() - t0, time.time()
    if it % 20 == 0:
        print(f"iter {it}: loss {loss.item():.4f}, time {dt * 1000:.2f}ms, mfu -100.00%")
torch.save({"model": model.state_dict(), "iter_num": it}, "ckpt.pt")
print("saving checkpoint to .")
'''
VERSE = "\n".join(
    f"The {a} that {b} upon the {c} at {d}\nis older than the {c} it {b}."
    for a in ("wind", "rook", "boat", "moon")
    for b in ("falls", "waits", "sings")
    for c in ("hill", "water", "wall")
    for d in ("dawn", "noon", "night")
)

CIFARISH = r'''
import argparse
import os
import time

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class AverageMeter:
    def __init__(self, name, fmt=":f"):
        self.name, self.fmt, self.sum, self.count, self.val = name, fmt, 0.0, 0, 0.0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n

    def __str__(self):
        return ("{} {%s} ({%s})" % (self.fmt, self.fmt)).format(self.name, self.val, self.sum / max(self.count, 1))


class Textures(Dataset):
    """Stripes of four orientations with noise, 3x16x16."""

    def __len__(self):
        return 1024

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        y, x = torch.meshgrid(torch.arange(16.0), torch.arange(16.0), indexing="ij")
        label = i % 4
        wave = torch.sin([x, y, x + y, x - y][label] * 1.1 + torch.rand(1, generator=g) * 6.28)
        return wave.expand(3, 16, 16) + 0.5 * torch.randn(3, 16, 16, generator=g), label


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", default=4, type=int)
    ap.add_argument("-b", "--batch-size", default=32, type=int)
    ap.add_argument("--lr", default=0.05, type=float)
    args = ap.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(3, 12, 3), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 24, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(24, 4))
    model = DDP(net)
    optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    sampler = DistributedSampler(Textures())
    loader = DataLoader(Textures(), args.batch_size, sampler=sampler, num_workers=1, persistent_workers=True)
    if rank == 0:
        print("=> creating model 'tinyconv'")
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        bt, losses, top1 = AverageMeter("Time", ":6.3f"), AverageMeter("Loss", ":.4e"), AverageMeter("Acc@1", ":6.2f")
        end = time.time()
        for i, (x, y) in enumerate(loader):
            out = model(x)
            loss = nn.functional.cross_entropy(out, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.update(loss.item(), len(x))
            top1.update((out.argmax(1) == y).float().mean().item() * 100, len(x))
            bt.update(time.time() - end)
            end = time.time()
            if rank == 0 and i % 5 == 0:
                print("\t".join([f"Epoch: [{epoch}][{i:2d}/{len(loader)}]", str(bt), str(losses), str(top1)]))
        scheduler.step()
        if rank == 0:
            print(f" * Acc@1 {top1.sum / top1.count:.3f}")
            torch.save({"epoch": epoch + 1, "state_dict": net.state_dict()}, "checkpoint.pth.tar")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
'''

MOVIES = r"""
# Matrix factorisation for the course on recommender systems, with biases.
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(7)
N_USERS, N_ITEMS, K = 300, 200, 8
pu, qi = torch.randn(N_USERS, 3), torch.randn(N_ITEMS, 3)
u, i = torch.randint(N_USERS, (12000,)), torch.randint(N_ITEMS, (12000,))
r = (3.4 + 0.7 * (pu[u] * qi[i]).sum(1) + 0.3 * torch.randn(12000)).clamp(1, 5)
train, test = TensorDataset(u[:10000], i[:10000], r[:10000]), (u[10000:], i[10000:], r[10000:])


class MF(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.p, self.q = torch.nn.Embedding(N_USERS, K), torch.nn.Embedding(N_ITEMS, K)
        self.bu, self.bi = torch.nn.Embedding(N_USERS, 1), torch.nn.Embedding(N_ITEMS, 1)
        self.mu = torch.nn.Parameter(torch.tensor(3.0))
        for e in (self.p, self.q):
            torch.nn.init.normal_(e.weight, std=0.2)
        for e in (self.bu, self.bi):
            torch.nn.init.zeros_(e.weight)

    def forward(self, u, i):
        return self.mu + self.bu(u)[:, 0] + self.bi(i)[:, 0] + (self.p(u) * self.q(i)).sum(1)


m = MF()
opt = torch.optim.Adam(m.parameters(), lr=0.02, weight_decay=1e-5)
print("epoch   train_rmse   test_rmse   test_mae")
for ep in range(15):
    se = 0.0
    for uu, ii, rr in DataLoader(train, 500, shuffle=True):
        e = m(uu, ii) - rr
        loss = e.pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        se += e.pow(2).sum().item()
    with torch.no_grad():
        d = m(test[0], test[1]) - test[2]
    print(f"{ep + 1:5d}   {(se / 10000) ** 0.5:10.4f}   {d.pow(2).mean().sqrt():9.4f}   {d.abs().mean():8.4f}")
print("model written to mf.pt")
torch.save(m.state_dict(), "mf.pt")
"""

# --- that look worse than they were

SPOILT = r'''
import io
import logging
import random

import torch
from torch.utils.data import DataLoader, Dataset

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-7s %(name)s | %(message)s")
log = logging.getLogger("plankton")


class Scans(Dataset):
    """Images as they came off the microscope; some files were cut short when the disk of the boat filled up."""

    def __init__(self, n):
        self.blobs = []
        for k in range(n):
            b = io.BytesIO()
            y = k % 3
            torch.save((torch.randn(1, 12, 12) * 0.4 + torch.eye(12).roll(y * 4, 0), y), b)
            self.blobs.append(b.getvalue()[: 300 if k % 97 == 41 else None])

    def __len__(self):
        return len(self.blobs)

    def __getitem__(self, k):
        try:
            return torch.load(io.BytesIO(self.blobs[k]))
        except Exception:
            log.exception("cannot read scan %04d, taking a neighbour instead", k)
            return self[(k + random.randint(1, 5)) % len(self)]


torch.manual_seed(3)
ds = Scans(600)
net = torch.nn.Sequential(torch.nn.Conv2d(1, 8, 5), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(512, 3))
opt = torch.optim.Adam(net.parameters(), 2e-3)
for epoch in range(1, 6):
    hits = total = 0.0
    for x, y in DataLoader(ds, 40, shuffle=True):
        out = net(x)
        loss = torch.nn.functional.cross_entropy(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        hits += (out.argmax(1) == y).sum().item()
        total += loss.item() * len(x)
    log.info("epoch %d/5  loss %.4f  accuracy %.3f", epoch, total / len(ds), hits / len(ds))
log.info("training finished; model saved as plankton.pt (6 unreadable scans, see above)")
torch.save(net.state_dict(), "plankton.pt")
'''

PATIENCE = r"""
import json

import torch

cfg = {"max_epochs": 200, "patience": 6, "lr": 0.001, "hidden": 32}
print(json.dumps(cfg))
torch.manual_seed(11)
t = torch.linspace(0, 60, 900)
series = torch.sin(t) + 0.5 * torch.sin(2.7 * t) + 0.25 * torch.randn(900)
X = series.unfold(0, 25, 1)
xtr, ytr, xva, yva = X[:600, :-1], X[:600, -1:], X[650:, :-1], X[650:, -1:]
net = torch.nn.Sequential(torch.nn.Linear(24, cfg["hidden"]), torch.nn.ReLU(), torch.nn.Linear(cfg["hidden"], 1))
opt = torch.optim.Adam(net.parameters(), cfg["lr"])
best, bad, keep = float("inf"), 0, None
for epoch in range(1, cfg["max_epochs"] + 1):
    for idx in torch.randperm(600).split(30):
        loss = (net(xtr[idx]) - ytr[idx]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        val = (net(xva) - yva).pow(2).mean().item()
    if val < best - 1e-4:
        best, bad, keep = val, 0, {k: v.clone() for k, v in net.state_dict().items()}
        print(f"Epoch {epoch:03d}: train_mse={loss.item():.4f} val_mse={val:.4f}  (new best)")
    else:
        bad += 1
        print(f"Epoch {epoch:03d}: train_mse={loss.item():.4f} val_mse={val:.4f}  no improvement for {bad} epoch(s)")
        if bad == cfg["patience"]:
            print(f"EarlyStopping: val_mse did not improve in the last {bad} epochs. Stopping at epoch {epoch} of {cfg['max_epochs']}.")
            break
net.load_state_dict(keep)
torch.save(keep, "forecaster.pt")
print(f"Restored the best weights, val_mse {best:.4f}. Done.")
"""

CORRIDOR = r'''
"""Double DQN in a windy corridor. The loss of Q-learning is not expected to fall, the return is expected to rise."""
import collections
import random

import torch

random.seed(5)
torch.manual_seed(5)
N = 12


class Corridor:
    def reset(self):
        self.x, self.t = 2, 0
        return self.obs()

    def obs(self):
        o = torch.zeros(N)
        o[self.x] = 1
        return o

    def step(self, a):
        self.t += 1
        self.x = max(0, min(N - 1, self.x + (1 if a == 1 else -1) - (random.random() < 0.15)))
        win = self.x == N - 1
        return self.obs(), (10.0 if win else -0.1), win or self.t >= 60


def mlp():
    return torch.nn.Sequential(torch.nn.Linear(N, 48), torch.nn.ReLU(), torch.nn.Linear(48, 2))


q, target = mlp(), mlp()
target.load_state_dict(q.state_dict())
opt = torch.optim.Adam(q.parameters(), 1e-3)
memory, returns, env = collections.deque(maxlen=4000), collections.deque(maxlen=20), Corridor()
EPISODES = 140
for ep in range(1, EPISODES + 1):
    o, done, ret, eps = env.reset(), False, 0.0, max(0.05, 1 - ep / 80)
    while not done:
        a = random.randrange(2) if random.random() < eps else int(q(o).argmax())
        o2, r, done = env.step(a)
        memory.append((o, a, r, o2, float(done)))
        o, ret = o2, ret + r
        if len(memory) > 200:
            b = random.sample(memory, 32)
            s, s2 = torch.stack([t[0] for t in b]), torch.stack([t[3] for t in b])
            act, rew, end = (torch.tensor([t[k] for t in b]) for k in (1, 2, 4))
            with torch.no_grad():
                goal = rew + 0.98 * (1 - end) * target(s2).gather(1, q(s2).argmax(1, keepdim=True))[:, 0]
            loss = torch.nn.functional.smooth_l1_loss(q(s).gather(1, act[:, None])[:, 0], goal)
            opt.zero_grad()
            loss.backward()
            opt.step()
    returns.append(ret)
    if ep % 4 == 0:
        target.load_state_dict(q.state_dict())
    if ep % 10 == 0:
        td = f"{loss.item():.4f}" if len(memory) > 200 else "n/a"
        print(f"episode {ep}/{EPISODES} eps={eps:.2f} return(20)={sum(returns) / len(returns):+.2f} td_loss={td} q_max={q(o).max().item():.2f} nan_grads=0 buffer={len(memory)}")
print(f"finished {EPISODES} episodes; mean return of the last 20: {sum(returns) / 20:.2f} (solved above 7)")
'''

JOBS = (
    crate("G1", "train.py", BARD, files={"input.txt": VERSE}),
    crate("G1", "imagenet_ddp.py --epochs 4 -b 32", CIFARISH, ranks=2),
    crate("G1", "movielens_mf.py", MOVIES),
    crate("G1", "plankton.py", SPOILT, hard=True),
    crate("G1", "forecast_tide.py", PATIENCE, hard=True),
    crate("G1", "ddqn_corridor.py", CORRIDOR, hard=True),
)
