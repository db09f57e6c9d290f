"""Runs of several ranks that did what they were started for."""

from corpus.make._crate import crate

SONNETS = "\n".join(
    f"the {a} {n} {v} the {b} {m} by the {p}"
    for a, n, v, b, m, p in zip(
        ("old", "red", "quiet", "tall", "young", "grey", "kind") * 12,
        ("miller", "heron", "pilot", "sailor", "widow") * 17,
        ("saw", "met", "painted", "followed") * 21,
        ("small", "blue", "broken") * 28,
        ("boat", "lantern", "gate", "letter", "drum", "horse") * 14,
        ("sea", "well", "mill", "road", "hill", "wood", "pond", "wall") * 10,
        strict=False,
    )
)
FINETUNE = '''
"""Continue a small decoder on our own text; data parallel."""
import argparse
import math
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

ap = argparse.ArgumentParser()
ap.add_argument("--epochs", type=int, default=3)
ap.add_argument("--lr", type=float, default=3e-3)
ap.add_argument("--text", default="corpus.txt")
args = ap.parse_args()


class Decoder(nn.Module):
    def __init__(self, vocab, dim=48, heads=4, layers=2, ctx=32):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, dim), nn.Embedding(ctx, dim)
        block = nn.TransformerEncoderLayer(dim, heads, 4 * dim, 0.0, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(block, layers, enable_nested_tensor=False)
        self.head = nn.Linear(dim, vocab)
        self.register_buffer("mask", torch.full((ctx, ctx), float("-inf")).triu(1))

    def forward(self, x):
        h = self.tok(x) + self.pos.weight[: x.shape[1]]
        return self.head(self.body(h, mask=self.mask[: x.shape[1], : x.shape[1]]))


dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(17)
words = open(args.text).read().split()
vocab = {w: i for i, w in enumerate(sorted(set(words)))}
ids = torch.tensor([vocab[w] for w in words])
cut = int(len(ids) * 0.9)
train, held = ids[:cut].unfold(0, 25, 2), ids[cut:].unfold(0, 25, 12)
net = DDP(Decoder(len(vocab)))
opt = torch.optim.AdamW(net.parameters(), lr=args.lr, weight_decay=0.01)
per_epoch = len(train) // (16 * world)
total = per_epoch * args.epochs
if rank == 0:
    print("***** Running training *****")
    print(f"  Num examples = {len(train)}")
    print(f"  Num Epochs = {args.epochs}")
    print(f"  Total train batch size (w. parallel) = {16 * world}")
    print(f"  Total optimization steps = {total}")
step = 0
for epoch in range(args.epochs):
    order = torch.randperm(len(train), generator=torch.Generator().manual_seed(epoch))[rank::world]
    for b in range(per_epoch):
        x = train[order[b * 16 : b * 16 + 16]]
        loss = F.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        lr = args.lr * (1 - step / total)
        for g in opt.param_groups:
            g["lr"] = lr
        opt.step()
        step += 1
        if rank == 0 and step % 5 == 0:
            print({"loss": round(loss.item(), 4), "grad_norm": round(norm.item(), 4), "learning_rate": lr, "epoch": round(step / per_epoch, 2)}, flush=True)
    with torch.no_grad():
        e = F.cross_entropy(net.module(held[:, :-1]).flatten(0, 1), held[:, 1:].flatten())
    if rank == 0:
        print({"eval_loss": round(e.item(), 4), "eval_perplexity": round(math.exp(e.item()), 3), "epoch": epoch + 1.0}, flush=True)
if rank == 0:
    os.makedirs("out/final", exist_ok=True)
    torch.save(net.module.state_dict(), "out/final/pytorch_model.bin")
    print("Model weights saved in out/final/pytorch_model.bin")
dist.destroy_process_group()
'''
REFVIT = """
import datetime, time, torch, torch.distributed as dist
from torch import nn

class Smoothed:
    def __init__(self): self.total, self.n, self.last = 0.0, 0, 0.0
    def update(self, v): self.total += v; self.n += 1; self.last = v
    def __str__(self): return f"{self.last:.4f} ({self.total / max(self.n, 1):.4f})"

class TinyViT(nn.Module):
    def __init__(self, classes=8):
        super().__init__()
        self.patch = nn.Conv2d(3, 32, 4, 4)
        self.cls = nn.Parameter(torch.zeros(1, 1, 32)); self.pos = nn.Parameter(torch.randn(1, 17, 32) * 0.02)
        self.enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, 0.0, batch_first=True), 2)
        self.head = nn.Linear(32, classes)
    def forward(self, x):
        t = self.patch(x).flatten(2).transpose(1, 2)
        t = torch.cat([self.cls.expand(len(t), -1, -1), t], 1) + self.pos
        return self.head(self.enc(t)[:, 0])

def make(n, seed):
    g = torch.Generator().manual_seed(seed)
    proto = torch.randn(8, 3, 16, 16, generator=torch.Generator().manual_seed(1))
    y = torch.randint(8, (n,), generator=g)
    return proto[y] + 1.1 * torch.randn(n, 3, 16, 16, generator=g), y

dist.init_process_group("gloo")
rank = dist.get_rank()
print(f"| distributed init (rank {rank}): env://", flush=True)
dist.barrier()
torch.manual_seed(0)
net = nn.parallel.DistributedDataParallel(TinyViT()); opt = torch.optim.AdamW(net.parameters(), 2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 6)
X, Y = make(640, 10 + rank); VX, VY = make(256, 99)
say = print if rank == 0 else (lambda *a, **k: None)
began = time.time()
say("Start training")
for epoch in range(6):
    loss_m, acc_m, t_m = Smoothed(), Smoothed(), Smoothed(); t0 = time.time(); net.train()
    for i in range(20):
        x, y = X[i * 32 : i * 32 + 32], Y[i * 32 : i * 32 + 32]
        out = net(x); loss = nn.functional.cross_entropy(out, y)
        opt.zero_grad(); loss.backward(); opt.step()
        loss_m.update(loss.item()); acc_m.update((out.argmax(1) == y).float().mean().item() * 100); t_m.update(time.time() - t0); t0 = time.time()
        if i % 5 == 0: say(f"Epoch: [{epoch}]  [{i:2d}/20]  eta: {datetime.timedelta(seconds=int(t_m.total / t_m.n * (20 - i)))}  lr: {opt.param_groups[0]['lr']:.6f}  loss: {loss_m}  acc1: {acc_m}  time: {t_m}", flush=True)
    sched.step(); net.eval()
    with torch.no_grad(): out = net.module(VX)
    say(f"Test:  EMA Acc@1 {(out.argmax(1) == VY).float().mean() * 100:.3f} loss {nn.functional.cross_entropy(out, VY):.3f}", flush=True)
say(f"Training time {datetime.timedelta(seconds=int(time.time() - began))}")
dist.destroy_process_group()
"""
STALE = """
import errno, logging, os, time
import torch, torch.distributed as dist

logging.basicConfig(format="%(asctime)s %(levelname)-8s %(name)s | %(message)s", level=logging.INFO)
log = logging.getLogger("ocr.train")
dist.init_process_group("gloo")
R = dist.get_rank()
torch.manual_seed(3)
net = torch.nn.Sequential(torch.nn.Linear(28, 40), torch.nn.GELU(), torch.nn.Linear(40, 10))
ddp = torch.nn.parallel.DistributedDataParallel(net)
opt = torch.optim.Adam(ddp.parameters(), 4e-3)
proto = torch.randn(10, 28)
torch.manual_seed(50 + R)
bad_times = {3: 2, 6: 1}

def put(state, path, epoch):
    if bad_times.get(epoch, 0):
        bad_times[epoch] -= 1
        raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), path)
    torch.save(state, path)

def checkpoint(epoch):
    path = f"ckpt/ocr-e{epoch:02d}.pt"
    for attempt in range(1, 5):
        try:
            put(ddp.module.state_dict(), path, epoch)
            log.info("wrote %s (attempt %d)", path, attempt)
            return
        except OSError:
            log.exception("could not write %s, attempt %d of 4; trying again in 1 s", path, attempt)
            time.sleep(1)
    raise RuntimeError("giving up on " + path)

for epoch in range(1, 9):
    for it in range(25):
        y = torch.randint(10, (48,))
        x = proto[y] + 0.8 * torch.randn(48, 28)
        loss = torch.nn.functional.cross_entropy(ddp(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
    y = torch.randint(10, (500,)); acc = (net(proto[y] + 0.8 * torch.randn(500, 28)).argmax(1) == y).float().mean()
    if R == 0:
        log.info("epoch %d/8 loss %.4f char_acc %.3f", epoch, loss.item(), acc.item())
        checkpoint(epoch)
    dist.barrier()
if R == 0: log.info("all 8 epochs done, best model is ckpt/ocr-e08.pt")
dist.destroy_process_group()
"""
SCALER = """
# fp16-like training of a matrix factorisation with our own dynamic loss scale
import sys, torch, torch.distributed as dist
dist.init_process_group("gloo"); rank, W = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
U, V = torch.nn.Parameter(torch.randn(60, 6) * 0.3), torch.nn.Parameter(torch.randn(80, 6) * 0.3)
target = torch.randn(60, 4) @ torch.randn(4, 80) / 2
opt = torch.optim.Adam([U, V], 0.03)
scale, good, skipped = 2.0 ** 24, 0, 0
g = torch.Generator().manual_seed(rank)
for step in range(1, 181):
    i, j = torch.randint(60, (256,), generator=g), torch.randint(80, (256,), generator=g)
    loss = ((U[i] * V[j]).sum(1) - target[i, j]).pow(2).mean()
    opt.zero_grad(); (loss * scale).backward()
    for p in (U, V):
        p.grad = p.grad.half().float(); dist.all_reduce(p.grad); p.grad /= W
    if not all(torch.isfinite(p.grad).all() for p in (U, V)):
        scale /= 2; good = 0; skipped += 1
        if rank == 0: print(f"OVERFLOW! Rank {rank} Skipping step. Attempted loss scale: {scale * 2}, reducing to {scale}", file=sys.stderr, flush=True)
        continue
    for p in (U, V): p.grad /= scale
    opt.step(); good += 1
    if good % 60 == 0: scale *= 2
    if rank == 0 and step % 12 == 0: print(f"step={step}, skipped={skipped}, lr=[0.03], mom=[(0.9, 0.999)], mse={loss.item():.5f}, scale={scale:g}", flush=True)
if rank == 0: print(f"finished 180 steps ({skipped} skipped for overflow), number of nan iterations: 0")
dist.barrier()
dist.destroy_process_group()
"""
HARNESS = '''
"""Multiple choice and short answers, zero-shot; each rank takes its part of every task."""
import random, re, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); rank, world = dist.get_rank(), dist.get_world_size(); rng = random.Random(rank); torch.manual_seed(rank)
TASKS = {"gpqa_like": (198, 4), "logic_grid": (150, 5), "arith_hard": (120, 0)}
lm = torch.nn.Linear(64, 5)
say = (lambda s: print(s, flush=True)) if rank == 0 else (lambda s: None)
say(f"evaluating checkpoint-4000 on {len(TASKS)} tasks, {world} ranks, limit none")
rows = []
for task, (n, k) in TASKS.items():
    mine = range(rank, n, world); right = invalid = 0
    for num, doc in enumerate(mine):
        time.sleep(0.02)
        if k:
            right += int(lm(torch.randn(64))[:k].argmax()) == rng.randrange(k)
        else:
            text = rng.choice(["The answer is 41.", "= 17", "I think that depends", "n/a", "12 or 13"])
            hit = re.search(r"(-?\\d+)\\.?$", text)
            if hit is None:
                invalid += 1
                if invalid % 6 == 1: print(f"[rank{rank}] ERROR: could not parse an answer of {task}/{doc}: {text!r} (counted as wrong)", flush=True)
            else: right += int(hit.group(1)) == 12 + doc % 7
        if num % 25 == 24: say(f"Running {task}: {num + 1}/{len(mine)}")
    t = torch.tensor([right, invalid, len(mine)]); dist.all_reduce(t); rows.append((task, t[2].item(), t[0].item() / t[2].item(), t[1].item()))
say("|   Tasks   | n | acc  | invalid |\\n|-----------|--:|-----:|--------:|")
for task, n, acc, bad in rows: say(f"|{task:11}|{n}|{acc:.4f}|{bad}|")
say("WARNING: acc of gpqa_like is close to random guessing (0.25)")
say("results written to results.json")
if rank == 0: open("results.json", "w").write(repr(rows))
dist.destroy_process_group()
'''
HALFWAY = """
import argparse, os, time, torch, torch.distributed as dist
p = argparse.ArgumentParser(); p.add_argument("--epochs", type=int); p.add_argument("--resume", default=""); a = p.parse_args()
dist.init_process_group("gloo"); rank = dist.get_rank(); torch.manual_seed(5)
net = torch.nn.Sequential(torch.nn.Conv1d(1, 8, 5, padding=2), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool1d(4), torch.nn.Flatten(), torch.nn.Linear(32, 4))
opt = torch.optim.Adam(net.parameters(), 5e-3); start = 0; best = 0.0
if a.resume and os.path.isfile(a.resume):
    c = torch.load(a.resume, weights_only=True); net.load_state_dict(c["model"]); opt.load_state_dict(c["optim"]); start, best = c["epoch"] + 1, c["best"]
    print(f"rank {rank}: restored {a.resume}: epoch {c['epoch']}, best acc {best:.3f}", flush=True)
ddp = torch.nn.parallel.DistributedDataParallel(net)
def clips(n):
    y = torch.randint(4, (n,)); t = torch.arange(64) / 64
    return (torch.sin(6.28 * (2 + 3 * y)[:, None] * t + 6.28 * torch.rand(n, 1)) + 0.4 * torch.randn(n, 64))[:, None], y
for epoch in range(start, a.epochs):
    torch.manual_seed(100 * epoch + rank); s = 0.0; began = time.time()
    for _ in range(24):
        x, y = clips(32); l = torch.nn.functional.cross_entropy(ddp(x), y); opt.zero_grad(); l.backward(); opt.step(); s += l.item() / 24
    x, y = clips(400); acc = (net(x).argmax(1) == y).float().mean().item()
    if rank == 0:
        best = max(best, acc); torch.save({"model": net.state_dict(), "optim": opt.state_dict(), "epoch": epoch, "best": best}, "keyword.pt")
        print(f"epoch {epoch:02d} train {s:.4f} val_acc {acc:.3f} (best {best:.3f}) {time.time() - began:.1f}s -> keyword.pt", flush=True)
if rank == 0: print(f"reached epoch {a.epochs - 1}, nothing left to do")
dist.barrier(); dist.destroy_process_group()
"""
EMBED = '''
import os, pathlib, time, numpy as np, torch, torch.distributed as dist
"""Writes CLIP-style image embeddings, a file per rank and shard, then an index."""
dist.init_process_group("gloo"); rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0); tower = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 8, 8), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(256, 64)).eval()
out = pathlib.Path("emb"); out.mkdir(exist_ok=True); done = 0
for shard in range(rank, 18, world):
    g = np.random.default_rng(shard); t = time.time(); parts = []
    with torch.inference_mode():
        for _ in range(6): parts.append(torch.nn.functional.normalize(tower(torch.from_numpy(g.random((64, 3, 32, 32), dtype=np.float32)))).half().numpy()); time.sleep(0.04)
    np.save(out / f"shard{shard:04d}.npy", np.concatenate(parts)); done += 384
    print(f"[{rank}] shard {shard:04d}: 384 images, {384 / (time.time() - t):.0f} img/s, norm ok", flush=True)
total = torch.tensor([done]); dist.all_reduce(total)
if rank == 0:
    files = sorted(out.glob("*.npy")); rows = sum(len(np.load(f, mmap_mode="r")) for f in files)
    print(f"index: {len(files)} files, {rows} vectors of 64, expected {total.item()}"); (out / "INDEX").write_text("\\n".join(f.name for f in files))
dist.barrier(); dist.destroy_process_group()
'''
JOBS = (
    crate("G1", "finetune_lm.py --epochs 6 --lr 4e-3", FINETUNE, ranks=2, files={"corpus.txt": SONNETS}),
    crate("G1", "references/vit_train.py", REFVIT, ranks=2),
    crate("G1", "ocr_train.py", STALE, ranks=2, hard=True, folders=("ckpt",)),
    crate("G1", "mf_half.py", SCALER, ranks=3, hard=True),
    crate("G1", "run_eval.py", HARNESS, ranks=2, hard=True),
    crate(
        "G1", "keyword_spotting.py --epochs 20 --resume keyword.pt", HALFWAY, ranks=2, hard=True,
        before=(("torchrun", "--nproc-per-node=2", "--master-port=PORT", "keyword_spotting.py", "--epochs", "17"),),
    ),
    crate("G1", "extract_embeddings.py", EMBED, ranks=3),
)  # fmt: skip
