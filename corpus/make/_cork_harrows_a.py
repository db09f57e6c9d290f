"""Work with PyTorch on the CPU that was done to its end: speech, pictures, shards, scores, resumed and interrupted ones."""

from corpus.make._crate import crate

CTC = r'''
import argparse
import logging
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

parser = argparse.ArgumentParser()
parser.add_argument("--num-epochs", type=int, default=6)
parser.add_argument("--max-duration", type=float, default=60.0)
params = parser.parse_args()
dist.init_process_group("gloo")
rank = dist.get_rank()
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s %(levelname)s [asr_train.py:%(lineno)d] ({rank}/{dist.get_world_size()}) %(message)s")
logging.info("Training started")
logging.info(vars(params))
torch.manual_seed(42)
TOKENS, FEATS = 6, 12
codes = torch.randn(TOKENS + 1, FEATS)


def cut(g):
    """Words of four tokens, each held for five frames."""
    w = torch.randint(1, TOKENS + 1, (16, 4), generator=g)
    x = codes[w].repeat_interleave(5, 1)
    return x + 0.3 * torch.randn(x.shape, generator=g), w


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.out = torch.nn.Conv1d(FEATS, 32, 3, padding=1), torch.nn.Linear(32, TOKENS + 1)

    def forward(self, x):
        return self.out(torch.relu(self.conv(x.transpose(1, 2))).transpose(1, 2)).log_softmax(-1)


model = DistributedDataParallel(Encoder())
logging.info("Number of model parameters: %d", sum(p.numel() for p in model.parameters()))
opt = torch.optim.Adam(model.parameters(), 8e-3)
g = torch.Generator().manual_seed(rank)
lens = torch.full((16,), 20), torch.full((16,), 4)
for epoch in range(1, params.num_epochs + 1):
    tot, n = 0.0, 0
    for batch in range(30):
        x, w = cut(g)
        loss = torch.nn.functional.ctc_loss(model(x).transpose(0, 1), w, *lens)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot, n = tot + loss.item(), n + 1
        if batch % 10 == 0:
            logging.info("Epoch %d, batch %d, loss[ctc_loss=%.4f], tot_loss[ctc_loss=%.4f, over %d cuts.]", epoch, batch, loss.item(), tot / n, 16 * n)
    with torch.no_grad():
        x, w = cut(g)
        logging.info("Epoch %d, validation: ctc_loss=%.4f", epoch, torch.nn.functional.ctc_loss(model(x).transpose(0, 1), w, *lens).item())
if rank == 0:
    torch.save(model.module.state_dict(), f"epoch-{epoch}.pt")
    logging.info("Saving checkpoint to epoch-%d.pt", epoch)
logging.info("Done!")
dist.destroy_process_group()
'''

SHARDER = r'''
#!/usr/bin/env python3
"""Tokenises the dump and writes shards of packed ids for pre-training (no GPU, no torch)."""
import array
import collections
import json
import multiprocessing as mp
import os
import re
import sys
import time

WORDS = "river stone winter copper letter morning engine garden signal harbour table winter window circle paper".split()


def one(args):
    part, seed = args
    began, ids, seen = time.time(), array.array("H"), collections.Counter()
    for doc in range(400):
        text = " ".join(WORDS[(seed * 31 + doc * k) % len(WORDS)] for k in range(1, 60))
        toks = re.findall(r"\w+", text)
        seen.update(toks)
        ids.extend(WORDS.index(t) for t in toks)
        ids.append(65535)
    path = f"shards/part-{part:05d}.bin"
    with open(path, "wb") as f:
        ids.tofile(f)
    time.sleep(0.4)
    return part, path, 400, len(ids), len(seen), time.time() - began


if __name__ == "__main__":
    os.makedirs("shards", exist_ok=True)
    total = 0
    with mp.Pool(2) as pool:
        for done, (part, path, docs, n, kinds, dt) in enumerate(pool.imap_unordered(one, [(k, k + 5) for k in range(24)]), 1):
            total += n
            print(f"[{done:2d}/24] {path}  docs={docs}  tokens={n}  vocab={kinds}  {n / dt / 1e3:.0f} ktok/s", flush=True)
    with open("shards/index.json", "w") as f:
        json.dump({"shards": 24, "tokens": total}, f)
    print(f"wrote 24 shards, {total} tokens, index in shards/index.json")
'''

SIMCLR = r"""
import time

import torch
import torch.distributed as dist
import torch.distributed.nn.functional as dfn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
net = DistributedDataParallel(torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 96), torch.nn.ReLU(), torch.nn.Linear(96, 16)))
opt = torch.optim.AdamW(net.parameters(), 4e-3, weight_decay=1e-5)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 8e-3, total_steps=160)
g = torch.Generator().manual_seed(1000 + rank)
base = torch.rand(200, 1, 8, 8, generator=torch.Generator().manual_seed(1)) - 0.5


def views(n):
    img = base[torch.randint(200, (n,), generator=g)]
    return [img * (0.8 + 0.4 * torch.rand(n, 1, 1, 1, generator=g)) + 0.1 * torch.randn(img.shape, generator=g) for _ in range(2)]


t = time.time()
for it in range(1, 161):
    a, b = views(24)
    z = torch.nn.functional.normalize(net(torch.cat([a, b])), dim=1)
    za, zb = z[:24], z[24:]
    keys = torch.cat(dfn.all_gather(zb.contiguous()))
    logits = za @ keys.T / 0.2
    loss = torch.nn.functional.cross_entropy(logits, torch.arange(24) + 24 * rank)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if rank == 0 and it % 16 == 0:
        acc = (logits.argmax(1) == torch.arange(24)).float().mean().item()
        print(f"[{it}/160] nt_xent {loss.item():.3f}  contrastive_acc {100 * acc:.1f}  lr {sched.get_last_lr()[0]:.4f}  {16 * 24 * world / (time.time() - t):.0f} img/s", flush=True)
        t = time.time()
if rank == 0:
    torch.save(net.module.state_dict(), "simclr_encoder.pth")
    print("encoder stored as simclr_encoder.pth, 160 iterations")
dist.destroy_process_group()
"""

# --- that look worse than they were

RESTOFIT = r"""
import argparse
import glob
import logging
import os
import signal
import sys

import torch

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-8s %(message)s", stream=sys.stdout)
ap = argparse.ArgumentParser()
ap.add_argument("--steps", type=int, default=600)
ap.add_argument("--until", type=int)
a = ap.parse_args()
torch.manual_seed(17)
net = torch.nn.Sequential(torch.nn.Linear(10, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
opt = torch.optim.Adam(net.parameters(), 1.6e-4)
first = 0
for path in sorted(glob.glob("pinn/*.ckpt"), reverse=True):
    try:
        state = torch.load(path)
    except Exception as e:
        logging.error("cannot load %s: %s: %s", path, type(e).__name__, str(e).splitlines()[0])
        logging.warning("falling back to the checkpoint before it")
        continue
    net.load_state_dict(state["net"])
    opt.load_state_dict(state["opt"])
    first = state["step"]
    logging.info("resumed from %s at step %d", path, first)
    break
g = torch.Generator().manual_seed(first)
for step in range(first + 1, (a.until or a.steps) + 1):
    x = 2 * torch.rand(128, 10, generator=g) - 1
    loss = (net(x).squeeze(1) - torch.sin(2 * x[:, 0] - x[:, 1]) + 0.5 * x[:, 2]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 25 == 0:
        logging.info("step %d/%d residual %.6f", step, a.steps, loss.item())
    if step % 100 == 0:
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "step": step}, f"pinn/{step:06d}.ckpt")
logging.info("reached step %d of %d, exiting", step, a.steps)
"""
CUTLAST = r"""
import os, subprocess, sys
subprocess.run([sys.executable, "pinn.py", "--until", "400"], check=True)
with open("pinn/000400.ckpt", "r+b") as f: f.truncate(700)
"""

FLAKY = r'''
import logging
import os
import random
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s [w{rank}] %(levelname)s %(message)s")
log = logging.getLogger("ctr")
rng = random.Random(rank)


def fetch(day):
    """Features of a day out of the online store."""
    for attempt in range(1, 6):
        if rng.random() < 0.22:
            err = rng.choice([ConnectionResetError(104, "Connection reset by peer"), TimeoutError("read timed out after 3.0 s"), OSError(113, "No route to host")])
            log.warning("features-%02d: %s: %s (attempt %d of 5), retrying in 0.2 s", day, type(err).__name__, err, attempt)
            time.sleep(0.2)
            continue
        g = torch.Generator().manual_seed(100 * rank + day)
        ids = torch.randint(500, (256, 5), generator=g)
        return ids, ((ids[:, 0] % 3 == 0) | (ids[:, 1] % 7 == 0)).float()
    raise RuntimeError(f"features-{day:02d}: gave up")


torch.manual_seed(0)


class CTR(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.mlp = torch.nn.Embedding(500, 8), torch.nn.Sequential(torch.nn.Linear(40, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))

    def forward(self, ids):
        return self.mlp(self.emb(ids).flatten(1)).squeeze(1)


net = DistributedDataParallel(CTR())
opt = torch.optim.Adam(net.parameters(), 0.01)
DAYS = 28
for day in range(1, DAYS + 1):
    ids, y = fetch(day)
    for _ in range(3):
        for k in torch.arange(256).split(64):
            loss = torch.nn.functional.binary_cross_entropy_with_logits(net(ids[k]), y[k])
            opt.zero_grad()
            loss.backward()
            opt.step()
    if rank == 0 and day % 2 == 0:
        log.info("day %d/%d logloss %.4f", day, DAYS, loss.item())
dist.barrier()
if rank == 0:
    torch.save(net.module.state_dict(), "ctr.pt")
    log.info("all %d days seen, model exported", DAYS)
dist.destroy_process_group()
'''

ZEROSHOT = r'''
"""Scores a small checkpoint on the benchmark; nothing is trained here."""
import warnings

import torch

torch.manual_seed(23)
print("loading checkpoint weights/clip-nano.pt")
text, image = torch.nn.Linear(32, 16), torch.nn.Linear(48, 16)
state = {"text.weight": text.weight, "text.bias": text.bias, "visual.proj": torch.randn(48, 16), "logit_scale": torch.tensor(4.6)}
model = torch.nn.ModuleDict({"text": text, "image": image})
missing = model.load_state_dict({k: v for k, v in state.items() if k.startswith("text")}, strict=False)
warnings.warn(f"Some weights were not in the checkpoint and are newly initialised: {missing.missing_keys}")
warnings.warn("checkpoint was saved on CUDA device 3; mapped to cpu")
print("dataset: 40 classes, 6000 images, 5-crop; chance is 2.50 %")
protos = torch.randn(40, 32)
hit1 = hit5 = seen = errors = 0
for b in range(60):
    y = torch.randint(40, (100,))
    img = torch.randn(100, 48)
    img[:, :32] += 0.35 * protos[y]
    sim = img[:, :32] @ protos.T + 12 * torch.randn(100, 40)
    top = sim.topk(5, 1).indices
    hit1 += (top[:, 0] == y).sum().item()
    hit5 += (top == y[:, None]).any(1).sum().item()
    seen += 100
    if b % 17 == 5:
        errors += 1
        print(f"[warn] batch {b}: libpng error: Read Error; image replaced by its thumbnail")
    if b % 6 == 5:
        print(f"evaluated {seen:5d}/6000  top-1 {100 * hit1 / seen:5.2f}  top-5 {100 * hit5 / seen:5.2f}")
print(f"RESULT zero-shot top-1 {100 * hit1 / seen:.2f} top-5 {100 * hit5 / seen:.2f} ({errors} images by thumbnail)")
print("results/clip-nano.json written")
'''

JOBS = (
    crate("G1", "asr_train.py --num-epochs 6", CTC, ranks=2),
    crate("G1", "make_shards.py", SHARDER, python="system"),
    crate("G1", "simclr.py", SIMCLR, ranks=3),
    crate("G1", "pinn.py --steps 600", RESTOFIT, hard=True, folders=("pinn",), files={"early.py": CUTLAST}, before=(("PYTHON", "early.py"),)),
    crate("G1", "ctr_days.py", FLAKY, hard=True, ranks=2),
    crate("G1", "zeroshot.py", ZEROSHOT, hard=True),
)
