"""Trainings, inference and preparation that came to their planned end."""

from corpus.make._crate import crate

CELLS = '''
"""Cell masks on small fields of view."""
import argparse
import time

import torch
import torch.nn as nn

ap = argparse.ArgumentParser()
ap.add_argument("--epochs", type=int, default=14)
ap.add_argument("--bs", type=int, default=16)
args = ap.parse_args()


def fields(n, seed):
    g = torch.Generator().manual_seed(seed)
    yy, xx = torch.meshgrid(torch.arange(24.0), torch.arange(24.0), indexing="ij")
    c = torch.randint(5, 19, (n, 2, 1, 1), generator=g)
    r = torch.rand(n, 1, 1, generator=g) * 3 + 2
    m = ((yy - c[:, 0]) ** 2 + (xx - c[:, 1]) ** 2 < r**2).float()
    return (m + 0.6 * torch.randn(m.shape, generator=g))[:, None], m[:, None]


def dice(p, m):
    p = (p > 0).float()
    return (2 * (p * m).sum() / (p.sum() + m.sum() + 1e-6)).item()


torch.manual_seed(11)
net = nn.Sequential(nn.Conv2d(1, 10, 5, padding=2), nn.GELU(), nn.Conv2d(10, 10, 5, padding=2), nn.GELU(), nn.Conv2d(10, 1, 1))
opt = torch.optim.AdamW(net.parameters(), 3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs)
(x, y), (vx, vy) = fields(160, 1), fields(48, 2)
print(f"train fields: {len(x)}   val fields: {len(vx)}   params: {sum(p.numel() for p in net.parameters())}")
print(" epoch |   bce   | dice(val) |    lr    |  sec")
print("-------+---------+-----------+----------+------")
best = 0.0
for ep in range(1, args.epochs + 1):
    t = time.time()
    tot = 0.0
    for i in torch.randperm(len(x)).split(args.bs):
        loss = nn.functional.binary_cross_entropy_with_logits(net(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.03)
        tot += loss.item() * len(i)
    with torch.no_grad():
        d = dice(net(vx), vy)
    star = " *" if d > best else ""
    best = max(best, d)
    print(f"  {ep:4d} | {tot / len(x):.5f} |  {d:.4f}   | {sched.get_last_lr()[0]:.2e} | {time.time() - t:.2f}{star}")
    sched.step()
torch.save(net.state_dict(), "cells.pt")
print(f"best dice {best:.4f}; weights in cells.pt")
'''

PHONES = """
import logging
import time

import torch

logging.basicConfig(format="[%(asctime)s] %(name)s %(levelname)s - %(message)s", level=logging.INFO)
log = logging.getLogger("asr.ctc")
EPOCHS, T, P = 12, 24, 9
gen = torch.Generator().manual_seed(5)
proto = torch.randn(P, 20, generator=gen)


def batch(n):
    tgt = torch.randint(1, P, (n, 6), generator=gen)
    frames = torch.zeros(n, T, 20)
    for k in range(6):
        frames[:, 4 * k : 4 * k + 3] = proto[tgt[:, k]][:, None]
    return frames + 0.4 * torch.randn(frames.shape, generator=gen), tgt


def decode(logits):
    best = logits.argmax(-1)
    return [[int(p) for j, p in enumerate(row) if p and (j == 0 or p != row[j - 1])] for row in best]


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = torch.nn.GRU(20, 40, batch_first=True, bidirectional=True)
        self.out = torch.nn.Linear(80, P)

    def forward(self, x):
        return self.out(self.rnn(x)[0])


torch.manual_seed(2)
net = Net()
opt = torch.optim.Adam(net.parameters(), 6e-3)
ctc = torch.nn.CTCLoss()
log.info("acoustic model: BiGRU 2x40, %d output units incl. blank", P)
for ep in range(1, EPOCHS + 1):
    start = time.time()
    total = 0.0
    for _ in range(12):
        x, y = batch(16)
        lp = net(x).log_softmax(-1).transpose(0, 1)
        loss = ctc(lp, y, torch.full((16,), T), torch.full((16,), 6))
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        opt.step()
        total += loss.item()
        time.sleep(0.02)
    x, y = batch(32)
    hyp = decode(net(x))
    wrong = sum(sum(a != b for a, b in zip(h, r.tolist())) + abs(len(h) - 6) for h, r in zip(hyp, y))
    log.info("ep %02d/%d ctc %.3f PER %.1f%% (%.1f utt/s)", ep, EPOCHS, total / 12, 100 * wrong / 192, 192 / (time.time() - start))
torch.jit.script(net).save("am.ts")
log.info("exported am.ts, training complete")
"""

TWOLM = """
import json
import math
import os
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

STEPS = 160


class Block(torch.nn.Module):
    def __init__(self, v=64, d=32):
        super().__init__()
        self.emb, self.pos = torch.nn.Embedding(v, d), torch.nn.Embedding(24, d)
        self.layer = torch.nn.TransformerEncoderLayer(d, 4, 64, dropout=0.0, batch_first=True)
        self.head = torch.nn.Linear(d, v)

    def forward(self, x):
        mask = torch.nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        return self.head(self.layer(self.emb(x) + self.pos.weight[: x.shape[1]], src_mask=mask, is_causal=True))


def tell(**row):
    if dist.get_rank() == 0:
        print(json.dumps(row), flush=True)


dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
net = DDP(Block())
opt = torch.optim.AdamW(net.parameters(), 4e-3, weight_decay=0.01)
g = torch.Generator().manual_seed(100 + rank)
tell(event="start", world=world, params=sum(p.numel() for p in net.parameters()), max_steps=STEPS)
t0 = time.time()
for step in range(1, STEPS + 1):
    for group in opt.param_groups:
        group["lr"] = 4e-3 * min(1.0, step / 20) * 0.5 * (1 + math.cos(math.pi * step / STEPS))
    a = torch.randint(64, (12, 1), generator=g)
    x = (a + 3 * torch.arange(20)) % 64
    loss = torch.nn.functional.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    time.sleep(0.03)
    if step % 16 == 0:
        tell(event="train", step=step, loss=round(loss.item(), 4), grad_norm=round(norm.item(), 3), lr=group["lr"], tok_s=int(step * 240 * world / (time.time() - t0)))
if rank == 0:
    torch.save(net.module.state_dict(), "lm_final.pt")
tell(event="end", step=STEPS, checkpoint="lm_final.pt", wall_s=round(time.time() - t0, 1))
dist.destroy_process_group()
"""

TOKENIZE = """
import array
import hashlib
import json
import multiprocessing
import os
import random
import re
import time

N_DOCS, PER_SHARD = 2400, 300
WORDS = "river stone lamp cloud paper engine winter bottle garden signal copper window market harbor ribbon ladder".split()


def document(i):
    r = random.Random(i + (i % 40 == 0))  # some pages were crawled twice
    return " ".join(r.choice(WORDS) + r.choice(["", "", ",", "."]) for _ in range(r.randint(20, 90)))


def shard(k):
    seen, ids, lengths = set(), array.array("H"), []
    vocab = {w: j for j, w in enumerate([*WORDS, ",", "."])}
    for i in range(k * PER_SHARD, (k + 1) * PER_SHARD):
        text = document(i)
        digest = hashlib.sha1(text.encode()).digest()
        if digest in seen:
            continue
        seen.add(digest)
        toks = [vocab[t] for t in re.findall(r"[a-z]+|[,.]", text)]
        ids.extend(toks)
        lengths.append(len(toks))
        time.sleep(0.004)
    path = f"tok/part-{k:03d}.bin"
    with open(path, "wb") as f:
        ids.tofile(f)
    return {"path": path, "docs": len(lengths), "tokens": len(ids), "sha1": hashlib.sha1(ids.tobytes()).hexdigest()[:10]}


if __name__ == "__main__":
    os.makedirs("tok", exist_ok=True)
    total = N_DOCS // PER_SHARD
    t0 = time.time()
    done = []
    with multiprocessing.Pool(2) as pool:
        for row in pool.imap(shard, range(total)):
            done.append(row)
            print(f"[{len(done)}/{total}] {row['path']}: {row['docs']} docs, {row['tokens']} tokens, sha1 {row['sha1']}")
    json.dump(done, open("tok/manifest.json", "w"))
    sizes = [os.path.getsize(d["path"]) for d in done]
    assert all(s == 2 * d["tokens"] for s, d in zip(sizes, done))
    print(f"total: {sum(d['docs'] for d in done)} docs, {sum(d['tokens'] for d in done)} tokens, {sum(sizes) / 1024:.0f} KiB in {time.time() - t0:.1f} s")
    print("manifest written to tok/manifest.json, sizes verified")
"""

JOBS = (
    crate("G1", "cells.py --epochs 14", CELLS),
    crate("G1", "ctc_phones.py", PHONES),
    crate("G1", "train_lm.py", TWOLM, ranks=2),
    crate("G1", "tokenize_crawl.py", TOKENIZE, python="system"),
)
