"""More work with PyTorch on the CPU that was done to its end."""

from corpus.make._crate import crate

EMBED = r'''
"""Embeds the archive in two processes, each its half; no training."""
import logging
import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s embed[{rank}] %(levelname)s: %(message)s")
log = logging.getLogger()
torch.manual_seed(0)
enc = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(48, 4, 96, batch_first=True), 2, enable_nested_tensor=False).eval()
tok = torch.nn.Embedding(500, 48)
log.info("model loaded, %d parameters", sum(p.numel() for p in enc.parameters()))
docs = range(rank, 6000, world)
out, t0 = [], time.time()
with torch.inference_mode():
    for b in range(0, len(docs), 100):
        ids = torch.stack([(torch.arange(24) * (d + 3) + d) % 500 for d in docs[b : b + 100]])
        out.append(torch.nn.functional.normalize(enc(tok(ids)).mean(1), dim=1))
        n = b + len(ids)
        if n % 500 == 0:
            log.info("%d/%d documents (%.0f docs/s)", n, len(docs), n / (time.time() - t0))
torch.save(torch.cat(out), f"emb.{rank}.pt")
log.info("wrote emb.%d.pt, %d x 48, %.1f MB", rank, len(docs), os.path.getsize(f"emb.{rank}.pt") / 1e6)
dist.barrier()
if rank == 0:
    log.info("both halves are there, job complete")
dist.destroy_process_group()
'''

LONGEVAL = r'''
import threading
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
last, over = time.time(), False


def alarm():
    """Our own watchdog: complains where no step was reported for some seconds."""
    told = 0.0
    while not over:
        time.sleep(0.5)
        idle = time.time() - last
        if idle > 4 and last != told:
            told = last
            print(f"[watchdog] WARNING rank {rank}: no step for {idle:.1f} s, is a peer stuck?", flush=True)


threading.Thread(target=alarm, daemon=True).start()
torch.manual_seed(0)
net = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(24, 64), torch.nn.SiLU(), torch.nn.Linear(64, 24)))
opt = torch.optim.AdamW(net.parameters(), 3e-3)
g = torch.Generator().manual_seed(rank)


def sample(n):
    x = torch.rand(n, 24, generator=g)
    return x, x.cumsum(1) / 6


def validate(step):
    """Full roll-outs, done on rank 0 while the others wait."""
    if rank == 0:
        err = 0.0
        for _ in range(30):
            x, y = sample(64)
            with torch.no_grad():
                err += (net.module(x) - y).pow(2).mean().item() / 30
            time.sleep(0.2)
        print(f"[val] step {step}: rollout mse {err:.5f} (30 trajectories)", flush=True)
    dist.barrier()


for step in range(1, 301):
    x, y = sample(64)
    loss = (net(x) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    last = time.time()
    if step % 20 == 0 and rank == 0:
        print(f"[train] step {step}/300 mse {loss.item():.5f}", flush=True)
    if step % 100 == 0:
        validate(step)
over = True
if rank == 0:
    torch.save(net.module.state_dict(), "dynamics.pt")
    print("[train] all 300 steps done, dynamics.pt saved", flush=True)
dist.destroy_process_group()
'''

PROBE = r"""
import logging
import warnings

import torch

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
logging.captureWarnings(True)
log = logging.getLogger("probe")
warnings.warn("CUDA is not available, running on the CPU; this may be slow")
torch.manual_seed(13)
TARGET, CLASSES, EPOCHS = 0.60, 20, 12
w = torch.randn(CLASSES, 64)


def split(n):
    x = torch.randn(n, 64)
    return x, (x @ w.T + 9 * torch.randn(n, CLASSES)).argmax(1)


(xt, yt), (xv, yv) = split(8000), split(2000)
head = torch.nn.Linear(64, CLASSES)
opt = torch.optim.SGD(head.parameters(), 0.02, momentum=0.9)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)
log.info("linear probe on frozen features, %d classes, %d epochs of %d steps", CLASSES, EPOCHS, 8000 // 100)
skipped = 0
for epoch in range(1, EPOCHS + 1):
    tot = 0.0
    for n, k in enumerate(torch.randperm(8000).split(100)):
        loss = torch.nn.functional.cross_entropy(head(xt[k]), yt[k])
        opt.zero_grad()
        loss.backward()
        if n == 37 and epoch % 5 == 2:
            head.weight.grad[0, 0] = float("inf")  # what the mixed-precision path does now and then
        gn = torch.nn.utils.clip_grad_norm_(head.parameters(), 2.0)
        if torch.isfinite(gn):
            opt.step()
        else:
            skipped += 1
            log.warning("non-finite gradient norm (%s) at epoch %d step %d, update skipped", gn.item(), epoch, n)
        tot += loss.item() / 80
    sched.step()
    with torch.no_grad():
        acc = (head(xv).argmax(1) == yv).float().mean().item()
    log.info("epoch %d/%d train loss %.4f val acc %.4f", epoch, EPOCHS, tot, acc)
if acc < TARGET:
    log.warning("val acc %.4f is below the target of %.2f (still %.1f times chance)", acc, TARGET, acc * CLASSES)
torch.save(head.state_dict(), "probe.pt")
log.info("probe.pt written; %d of %d updates skipped", skipped, EPOCHS * 80)
"""

JOBS = (
    crate("G1", "embed_archive.py", EMBED, ranks=2),
    crate("G1", "dynamics.py", LONGEVAL, hard=True, ranks=2),
    crate("G1", "linear_probe.py", PROBE, hard=True),
)
