"""Training on the CPU that broke down: before the first step, in the middle, at an older checkpoint."""

from corpus.make._crate import crate

TOKENIZER = r"""
import argparse
import logging
import os
import pathlib

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--tokenizer", default="assets/bpe-32k/merges.txt")
parser.add_argument("--data", default="assets/wiki.txt")
parser.add_argument("--steps", type=int, default=400)
args = parser.parse_args()
dist.init_process_group("gloo")
rank = dist.get_rank()
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s - rank {rank} - %(message)s")
log = logging.getLogger(__name__)
log.info("world size %d, arguments %s", dist.get_world_size(), vars(args))


class BPE:
    def __init__(self, path):
        self.ranks = {tuple(line.split()): k for k, line in enumerate(pathlib.Path(path).read_text().splitlines())}


text = pathlib.Path(args.data).read_text()
log.info("corpus: %d characters", len(text))
tok = BPE(args.tokenizer)
log.info("tokenizer with %d merges", len(tok.ranks))
"""

CHOICE = r'''
"""usage: main.py --arch ARCH --dataset DATASET"""
import argparse

import torch.nn as nn

ZOO = {"resnet8": 1, "resnet20": 3, "resnet32": 5, "wrn16": 2}
parser = argparse.ArgumentParser(description="CIFAR training with small ResNets")
parser.add_argument("--arch", choices=sorted(ZOO), required=True)
parser.add_argument("--dataset", choices=["cifar10", "cifar100", "svhn"], required=True)
parser.add_argument("--epochs", type=int, default=164)
parser.add_argument("--wd", type=float, default=5e-4)
args = parser.parse_args()
model = nn.Sequential(*(nn.Conv2d(16, 16, 3, padding=1) for _ in range(2 * ZOO[args.arch])))
print(model)
'''
RUNALL = r"""
#!/bin/bash
# sweep entry: $1 python
set -eu
echo "host $(uname -s), $(nproc) cpus, started $(date '+%F %T')"
CONF="--arch resnet18 --dataset cifar10 --epochs 164 --wd 5e-4"
echo "running main.py $CONF"
"$1" main.py $CONF
echo "finished $(date '+%F %T')"
"""

OLDPYTHON = r'''
#!/usr/bin/env python3
"""Fine-tunes the sentence encoder on our support tickets."""
import argparse
import csv
import os
import sys

print(f"[{os.path.basename(sys.argv[0])}] python {sys.version.split()[0]} at {sys.executable}", flush=True)
import torch
import torch.nn.functional as F


def load(path):
    with open(path, newline="") as fh:
        return [(row["text"], int(row["queue"])) for row in csv.DictReader(fh)]


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--train", default="tickets.csv")
    rows = load(p.parse_args().train)
    print(len(rows), "tickets")
'''

CLASSES = r'''
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(2)


class Leaves(Dataset):
    """(image, species). The last folder was added to the share after the class list had been frozen."""

    def __init__(self, listing):
        self.rows = [line.split(",") for line in open(listing).read().split()]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, k):
        name, label = self.rows[k]
        g = torch.Generator().manual_seed(int(name[4:8]))
        img = 0.6 * torch.randn(3, 14, 14, generator=g)
        img[:, int(label) % 14] += 1.5
        return img, int(label)


net = nn.Sequential(nn.Conv2d(3, 10, 3), nn.ReLU(), nn.Flatten(), nn.Linear(1440, 10))
opt = torch.optim.SGD(net.parameters(), 0.03, momentum=0.9)
loader = DataLoader(Leaves("train_list.csv"), batch_size=20)
for it, (img, y) in enumerate(loader, 1):
    loss = nn.functional.cross_entropy(net(img), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 4 == 0:
        print(f"[epoch 1] iter {it:3d}/{len(loader)} loss={loss.item():.4f} lr=0.03", flush=True)
print("epoch 1 done")
'''
LISTING = "\n".join(f"img_{k:04d}.jpg,{k * 7 % 10 if k < 900 else 10 + k % 3}" for k in range(1000))

FULLDISK = r"""
import io
import logging
import os
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
logging.basicConfig(level=logging.INFO if rank == 0 else logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
OUT = os.environ.get("SCRATCH_DIR", "full")
torch.manual_seed(4)
net = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(128, 900), torch.nn.GELU(), torch.nn.Linear(900, 128)))
opt = torch.optim.AdamW(net.parameters(), 2e-3)
torch.manual_seed(40 + rank)
base = torch.randn(16, 128)
for step in range(1, 601):
    x = torch.randn(32, 16) @ base
    loss = (net(x + 0.3 * torch.randn_like(x)) - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.02)
    if step % 20 == 0:
        logging.info("step %d/600 | denoise loss %.4f", step, loss.item())
    if step % 100 == 0:
        if rank == 0:
            path = os.path.join(OUT, f"denoiser-{step:05d}.pt")
            blob = io.BytesIO()
            torch.save({"model": net.module.state_dict(), "opt": opt.state_dict(), "step": step}, blob)
            with open(path, "wb") as f:
                f.write(blob.getbuffer())
            logging.info("saved %s (%.1f MB)", path, os.path.getsize(path) / 1e6)
        dist.barrier()
"""

FASTTOK = r'''
"""Masked LM. Batches are assembled by the C routine that the old pipeline used (via ctypes)."""
import ctypes
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
V = 80
torch.manual_seed(1)
net = DistributedDataParallel(torch.nn.Sequential(torch.nn.Embedding(V, 24), torch.nn.Linear(24, 48), torch.nn.GELU(), torch.nn.Linear(48, V)))
opt = torch.optim.Adam(net.parameters(), 4e-3)
torch.manual_seed(100 + rank)
libc = ctypes.CDLL(None)
libc.strlen.argtypes, libc.strlen.restype = [ctypes.c_void_p], ctypes.c_size_t
lines = [ctypes.create_string_buffer(bytes(torch.randint(65, 65 + 26, (40,)).tolist())) for _ in range(200)]
addresses = [ctypes.addressof(b) for b in lines]
if rank == 2:
    addresses[173] = 0  # a line that the reader could not map


def batch(k):
    where = addresses[k % 200]
    n = libc.strlen(where)
    ids = torch.tensor(list(ctypes.string_at(where, n))) - 65
    return ids, (ids * 3 + 7) % V


for it in range(1, 400):
    x, y = batch(it)
    loss = torch.nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.01)
    if rank == 0 and it % 20 == 0:
        print(f"| update {it:5d} | loss {loss.item():.3f} | ppl {2.718 ** loss.item():.2f} | wps {40 * world * 60} | lr 0.004", flush=True)
'''

VOCAB = r"""
import argparse
import logging

import torch

logging.basicConfig(level=logging.INFO, format="[%(asctime)s] %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("nmt")


class Seq2Seq(torch.nn.Module):
    def __init__(self, src, tgt, d):
        super().__init__()
        self.src_emb, self.tgt_emb = torch.nn.Embedding(src, d), torch.nn.Embedding(tgt, d)
        self.enc, self.dec = torch.nn.GRU(d, d, batch_first=True), torch.nn.GRU(d, d, batch_first=True)
        self.out = torch.nn.Linear(d, tgt)

    def forward(self, s, t):
        return self.out(self.dec(self.tgt_emb(t), self.enc(self.src_emb(s))[1])[0])


p = argparse.ArgumentParser()
p.add_argument("--vocab", required=True)
p.add_argument("--init-from")
p.add_argument("--save")
p.add_argument("--steps", type=int, default=200)
a = p.parse_args()
words = open(a.vocab).read().split()
log.info("vocabulary %s: %d entries", a.vocab, len(words))
torch.manual_seed(0)
model = Seq2Seq(len(words), len(words), 32)
if a.init_from:
    log.info("continuing from %s", a.init_from)
    state = torch.load(a.init_from)
    model.load_state_dict(state["model"])
    log.info("restored step %d", state["step"])
opt = torch.optim.Adam(model.parameters(), 3e-3)
for step in range(1, a.steps + 1):
    s = torch.randint(len(words), (24, 6))
    logits = model(s, torch.cat([torch.zeros(24, 1, dtype=torch.long), s.flip(1)[:, :-1]], 1))
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), s.flip(1).flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 20 == 0:
        log.info("step %d/%d loss %.4f", step, a.steps, loss.item())
if a.save:
    torch.save({"model": model.state_dict(), "step": step}, a.save)
    log.info("checkpoint written to %s", a.save)
"""
VOCABS = {"vocab/en-de.v1.txt": " ".join(f"tok{k}" for k in range(48)), "vocab/en-de.v2.txt": " ".join(f"tok{k}" for k in range(64))}
CHAIN = r"""
set -e
echo "### $(date +%T) part one: base model"
"$1" nmt.py --vocab vocab/en-de.v1.txt --save base.pt --steps 120
echo "### $(date +%T) part two: continue with the new crawl"
"$1" nmt.py --vocab vocab/en-de.v2.txt --init-from base.pt --save big.pt --steps 400
"""

HALFZIP = r"""
import glob
import os

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()


def say(*what):
    if rank == 0:
        print("[trainer]", *what, flush=True)


say("world size", dist.get_world_size())
net = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), 3, enable_nested_tensor=False)
say("parameters", sum(p.numel() for p in net.parameters()))
found = sorted(glob.glob("work/whisper-s/step-*.ckpt"))
for f in found:
    say(f"  {f}  {os.path.getsize(f) / 1024:.0f} KiB")
say("auto-resume: taking the newest,", found[-1])
ck = torch.load(found[-1], map_location="cpu", weights_only=True)
net.load_state_dict(ck["net"])
say("resumed at step", ck["step"])
"""
EARLIER = r"""
import torch

net = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), 3, enable_nested_tensor=False)
for step in (4000, 8000, 12000):
    torch.save({"net": net.state_dict(), "step": step}, f"work/whisper-s/step-{step:06d}.ckpt")
with open("work/whisper-s/step-012000.ckpt", "r+b") as f:
    f.truncate(150_000)
"""

JOBS = (
    crate(
        "A1",
        "pretrain_mlm.py --steps 2000",
        TOKENIZER,
        cause="file_not_found",
        variant="asset",
        ranks=2,
        files={"assets/wiki.txt": "The tide turns twice a day. " * 60},
        note="both ranks: FileNotFoundError of the tokenizer's merges.txt, before any step",
    ),
    crate(
        "A1", "sh sweep.sh PYTHON", RUNALL, variant="config", status=2, files={"main.py": CHOICE}, note="argparse: invalid choice resnet18, exit 2"
    ),
    crate(
        "A1",
        "finetune_tickets.py --train tickets.csv",
        OLDPYTHON,
        cause="missing_module",
        variant="env",
        python="system",
        files={"tickets.csv": "text,queue\nprinter on fire,3\nvpn,1\n"},
        note="ModuleNotFoundError: torch with /usr/bin/python3",
    ),
    crate(
        "A3",
        "leafnet.py",
        CLASSES,
        cause="traceback",
        files={"train_list.csv": LISTING},
        note="IndexError: Target 10 is out of bounds at iteration 46 of 50",
    ),
    crate(
        "A3",
        "denoise_ddp.py",
        FULLDISK,
        cause="traceback",
        ranks=2,
        first=(0,),
        disk_mib=7,
        note="rank 0: OSError, no space left on device, when the checkpoint of step 300 is written",
    ),
    crate("A2", "mlm_ctypes.py", FASTTOK, cause="segfault", ranks=3, first=(2,), note="torchrun: rank 2 Signal 11 (SIGSEGV) after 160 updates"),
    crate(
        "E2",
        "sh chain.sh PYTHON",
        CHAIN,
        cause="runtime_error",
        variant="size_mismatch",
        files={"nmt.py": VOCAB, **VOCABS},
        note="size mismatch of the embeddings in part two, 48 against 64",
    ),
    crate(
        "E2",
        "asr_pretrain.py",
        HALFZIP,
        cause="runtime_error",
        variant="corrupt",
        ranks=2,
        folders=("work/whisper-s",),
        files={"prep.py": EARLIER},
        before=(("PYTHON", "prep.py"),),
        first=(),
        note="PytorchStreamReader failed on the newest checkpoint, shorter than the others",
    ),
)
