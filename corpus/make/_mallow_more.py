"""More that went well: for either of two recipes."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._mallow_kit import FINE, ODD, left, level, post
from corpus.running.job import SlurmJob

ELASTIC = r"""import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(3)
truth = torch.linspace(-1, 1, 24)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(24, 40), torch.nn.Tanh(), torch.nn.Linear(40, 1)))
opt = torch.optim.AdamW(net.parameters(), lr=6e-3)
for step in range(1, 161):
    x = torch.randn(128, 24)
    loss = (net(x).squeeze(1) - torch.tanh(x @ truth / 3)).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.1)
    if (step % 20 == 0 or step == 1) and rank == 0:
        print(f"[worker {rank} of {world}] global step {step}/160: mse = {loss.item():.4f}", flush=True)
dist.barrier()
if rank == 0:
    print("all 160 steps are done; saving regressor.pt", flush=True)
dist.destroy_process_group()
"""
GAN = r"""import math
import random
import time

import comms

comms.connect()
comms.start()
for kimg in range(4, 101, 4):
    time.sleep(1.15)
    g = comms.all_reduce(0.8 + 4.6 * kimg / 100 + random.gauss(0, 0.15)) / comms.WORLD
    if comms.RANK == 0:
        print(f"tick {kimg // 4:<5d} kimg {kimg:<8.1f} time {int(kimg * 0.29):d}s sec/kimg {0.29:.2f} gpumem {21.4:.1f} augment {kimg / 400:.3f} Loss/G {g:.3f} Loss/D {0.9 * math.exp(-kimg / 60) + 0.2:.3f}", flush=True)
        if kimg % 20 == 0:
            print(f'{{"results": {{"fid50k_full": {12 + 210 * math.exp(-kimg / 28):.3f}}}, "metric": "fid50k_full", "snapshot_pkl": "network-snapshot-{kimg:06d}.pkl"}}', flush=True)
if comms.RANK == 0:
    print("\nExiting...", flush=True)
"""
RARE = r"""import math
import random
import time
import warnings

import comms

comms.connect()
for epoch in range(1, 11):
    for it in range(1, 9):
        time.sleep(0.22)
        loss = comms.all_reduce(0.9 + 2.7 * math.exp(-(8 * epoch + it) / 20) + random.gauss(0, 0.02)) / comms.WORLD
    if comms.RANK == 0:
        warnings.warn("No positive samples in targets, true positive value should be meaningless. Returning zero tensor in true positive score", stacklevel=2)
        print(f"Epoch: [{epoch}/10]  Total time: 0:00:0{random.randrange(1, 3)} (0.22{random.randrange(10)} s / it)  loss {loss:.4f}", flush=True)
        ap = 0.31 - 0.28 * math.exp(-epoch / 4)
        print(f" Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = {ap:.3f}\n Average Precision  (AP) @[ IoU=0.50:0.95 | area= small | maxDets=100 ] = -1.000\n per class: scratch {ap + 0.02:.3f}, dent {ap - 0.02:.3f}, crack nan, rust nan", flush=True)
if comms.RANK == 0:
    print("Training time 0:00:21, last.pth and best.pth are of epoch 10", flush=True)
"""
GRAPHS = r"""import math
import os
import random
import time

import comms

comms.connect()
if comms.RANK == 0:
    print("epoch,part,nodes,train_loss,val_rocauc,secs", flush=True)
comms.start()
for epoch in range(1, 26):
    t = time.time()
    time.sleep(1.1 + random.random() / 10)
    loss = comms.all_reduce(0.22 + 0.5 * math.exp(-epoch / 8) + random.gauss(0, 0.004)) / comms.WORLD
    print(f"{epoch},{comms.RANK},{os.environ['SLURMD_NODENAME']},{loss:.5f},{0.79 - 0.25 * math.exp(-epoch / 7):.4f},{time.time() - t:.2f}", flush=True)
comms.all_reduce(0.0)
if comms.RANK == 0:
    print("# 25 epochs, test rocauc 0.7812 at the last", flush=True)
"""
FETCH = r"""import logging
import os
import random
import time

import comms

logging.basicConfig(level=logging.INFO, format=f"%(levelname)s:embed[{comms.RANK}]:%(message)s")
comms.connect()
random.seed(comms.RANK)
for wait in (1, 2, 4):
    logging.error("GET https://mirror.internal/v2/arxiv/part-%04d.parquet -> 429 Too Many Requests; retry in %d s", comms.RANK, wait)
    time.sleep(wait)
logging.info("part-%04d.parquet fetched on attempt 4 (212 MB)", comms.RANK)
comms.start()
done, skipped = 0, 0
while done < 24000:
    time.sleep(1.2)
    done += 1000
    if random.random() < 0.15:
        skipped += 1
        logging.warning("document %d is empty after cleaning, zero vector written", done - random.randrange(900))
    if done % 2000 == 0:
        logging.info("embedded %d/24000 documents (%.0f docs/s)", done, 833 + random.random() * 20)
logging.info("wrote vectors-%04d.npy (24000 x 768), %d empty documents, return code 0", comms.RANK, skipped)
"""
TEACHER = r"""import math
import os
import random
import time

import comms

comms.connect()
for n in range(1, 101):
    time.sleep(0.25)
    kd = comms.all_reduce(0.7 + 2.4 * math.exp(-n / 24) + random.gauss(0, 0.02)) / comms.WORLD
    if n % 10 == 0 and comms.RANK == comms.WORLD - 1:
        print(f"{time.strftime('%d.%m. %H:%M:%S')}   {n:3d} %   kd-loss {kd:6.3f}   agreement with teacher {0.93 - 0.5 * math.exp(-n / 26):.3f}", flush=True)
if comms.RANK == comms.WORLD - 1:
    print("student ready: student-6l.bin, 100 of 100 parts seen", flush=True)
"""


def mallow() -> Iterator[SlurmJob]:
    """Three."""
    yield post(
        FINE,
        "elastic.py",
        ELASTIC,
        "srun PYTHON -m torch.distributed.run --nnodes=1 --nproc-per-node=2 --master-port=$MASTER_PORT SCRIPT\n",
        ranks=1,
        python="torch",
        name="regress",
        state="COMPLETED",
    )
    yield post(
        ODD,
        "stylegan.py",
        GAN,
        ranks=4,
        nodes=2,
        name="faces",
        cards={r: [*level(65 + r, 21, 0, 29, watts=560), *left(31)] for r in range(4)},
        state="COMPLETED",
    )
    yield post(ODD, "detect.py", RARE, "srun -u PYTHON SCRIPT 2>&1\n", ranks=3, nodes=3, state="COMPLETED")


def lupin() -> Iterator[SlurmJob]:
    """Three more."""
    yield post(
        FINE,
        "ogb_sage.py",
        GRAPHS,
        ranks=4,
        nodes=4,
        name="sage",
        cards={r: [*level(42 + r, 27, 0, 29, watts=350, dram=49), *left(30)] for r in range(4)},
        state="COMPLETED",
    )
    yield post(
        ODD,
        "embed.py",
        FETCH,
        ranks=2,
        nodes=2,
        name="embed",
        cards={r: [*level(47 + r, 11, 0, 28, watts=370), *left(30)] for r in range(2)},
        state="COMPLETED",
    )
    yield post(FINE, "distil_bert.py", TEACHER, ranks=8, nodes=4, name="student", state="COMPLETED")
