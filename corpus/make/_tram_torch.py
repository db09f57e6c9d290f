"""A program of several ranks with PyTorch and gloo. Places for code: ``#: name``."""

from __future__ import annotations

TIMBRE = '''import argparse
import csv
import datetime
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

flags = argparse.ArgumentParser(description="which instrument is it?")
flags.add_argument("--rounds", type=int, default=8)
flags.add_argument("--per-round", type=int, default=12)
flags.add_argument("--lr", type=float, default=0.05)
flags.add_argument("--rest", type=float, default=0.05)
flags.add_argument("--init-from", default="")
flags = flags.parse_args()
rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ.get("WORLD", os.environ["SLURM_NTASKS"]))


def remark(text, all_ranks=False):
    if rank == 0 or all_ranks:
        print(f"# {time.strftime('%X')} r{rank}: {text}", flush=True)


torch.set_num_threads(1)
torch.manual_seed(rank)
#: early
remark(f"torch {torch.__version__}, {world} ranks expected", all_ranks=True)
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{os.environ['PORT']}", rank=rank, world_size=world, timeout=datetime.timedelta(seconds=int(os.environ.get("GIVE_UP", "1800"))))
sheet = csv.writer(sys.stdout, lineterminator="\\n")
if rank == 0:
    sheet.writerow(["round", "batch", "xent", "top1", "sec"])
body = nn.Sequential(nn.Linear(20, 40), nn.Tanh(), nn.Linear(40, 5))
#: net
for p in body.parameters():
    dist.broadcast(p.data, 0)
descent = torch.optim.SGD(body.parameters(), lr=flags.lr, momentum=0.9)
centres, start, t0 = torch.randn(5, 20, generator=torch.Generator().manual_seed(9)), 1, time.time()
#: load
for turn in range(start, flags.rounds + 1):
    for batch in range(1, flags.per_round + 1):
        kind = torch.randint(0, 5, (32,))
        clip = centres[kind] + 1.4 * torch.randn(32, 20)
        #: data
        guess = body(clip)
        loss = F.cross_entropy(guess, kind)
        #: loss
        descent.zero_grad()
        loss.backward()
        for p in body.parameters():
            dist.all_reduce(p.grad)
            p.grad /= world
        #: grad
        descent.step()
        time.sleep(flags.rest)
        if rank == 0 and batch % 4 == 0:
            sheet.writerow([turn, batch, f"{loss.item():.4f}", f"{(guess.argmax(1) == kind).float().mean().item():.3f}", f"{time.time() - t0:.1f}"])
            sys.stdout.flush()
        #: after
    #: epoch
#: end
remark(f"{turn} rounds of {flags.per_round} are done")
dist.destroy_process_group()
'''
FILES = {"TIMBRE": "timbre.py"}
