"""Trainers of several processes that end in an error, the first sheet."""

from corpus.make._crate import crate

TOKENS = '''
"""Masked language modelling on protein sequences, one process per device."""
import argparse
import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def load_vocab(path):
    with open(path, encoding="utf-8") as handle:
        return {token.strip(): i for i, token in enumerate(handle)}


def worker(rank, args):
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{args.port}", rank=rank, world_size=args.gpus)
    if rank == 0:
        print(f"ProtMLM | {args.gpus} workers | vocab from {args.vocab}")
    vocab = load_vocab(args.vocab)
    net = torch.nn.parallel.DistributedDataParallel(torch.nn.Embedding(len(vocab), 64))
    for epoch in range(args.epochs):
        print(epoch, net)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpus", type=int, default=2)
    parser.add_argument("--port", type=int, default=29500)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--vocab", default="assets/aa_vocab.txt")
    args = parser.parse_args()
    mp.spawn(worker, args=(args,), nprocs=args.gpus)
'''


FUSED = """
import os
import logging
import torch
import torch.distributed as dist

logging.basicConfig(level=logging.INFO, format=f"[%(asctime)s][rank {os.environ['RANK']}] %(message)s")
logging.info("world size %s, torch %s", os.environ["WORLD_SIZE"], torch.__version__)
dist.init_process_group("gloo")
logging.info("building ResNet stem")

from apex.optimizers import FusedLAMB
from apex.parallel import convert_syncbn_model

model = convert_syncbn_model(torch.nn.Sequential(torch.nn.Conv2d(3, 16, 7), torch.nn.BatchNorm2d(16)))
optimizer = FusedLAMB(model.parameters(), lr=2e-3)
"""


RUNDIR = """
import json
import pathlib
import torch
import torch.distributed as dist

cfg = {"exp": "kws_dscnn_r3", "epochs": 60, "lr": 1e-3, "out": "shared_runs"}
dist.init_process_group("gloo")
rank = dist.get_rank()
if rank == 0:
    print(json.dumps(cfg, indent=2))
run = pathlib.Path(cfg["out"]) / cfg["exp"]
if rank == 0:
    print("writing run directory", run, flush=True)
    run.mkdir(parents=True, exist_ok=True)
    (run / "config.json").write_text(json.dumps(cfg))
dist.barrier()
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(40, 12))
for epoch in range(cfg["epochs"]):
    print(epoch)
"""


PIPESHAPE = '''
import time
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP

EPOCHS, BATCH, N = 12, 32, 410


def windows(rank):
    g = torch.Generator().manual_seed(rank)
    series = torch.randn(N, 48, generator=g).cumsum(1) / 7
    return series[:, :36], series[:, 36:]


class Forecaster(torch.nn.Module):
    """Remembers the residual of the last batch and feeds it to the next."""

    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(36, 12)
        self.memory = None

    def forward(self, x):
        y = self.inner(x)
        if self.memory is not None and self.use_memory:
            y = y + 0.1 * self.memory
        self.memory = y.detach()
        return y


def main(rank, world, port):
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
    torch.manual_seed(0)
    core = Forecaster()
    net, opt = DDP(core), torch.optim.Adam(core.parameters(), 3e-3)
    x, y = windows(rank)
    for epoch in range(1, EPOCHS + 1):
        core.use_memory, core.memory = epoch > 5, None
        total = 0.0
        for i in range(0, N, BATCH):
            loss = (net(x[i : i + BATCH]) - y[i : i + BATCH]).abs().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
            time.sleep(0.02)
        if rank == 0:
            print(f"Epoch {epoch:2d}/{EPOCHS}  MAE {total / 13:.4f}", flush=True)


if __name__ == "__main__":
    import sys

    mp.spawn(main, args=(2, int(sys.argv[1])), nprocs=2)
'''


TARGETS = """
import logging
import os
import time
import torch
import torch.distributed as dist

RANK = int(os.environ["RANK"])
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s r{RANK} %(levelname)s %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("pointcloud")


def sample(step, gen):
    pts = torch.randn(24, 3, generator=gen)
    cls = (pts.sum(1) > 0).long()
    if RANK == 1 and step == 83:
        cls[5] = 40
    return pts, cls


def check(pts, cls, step):
    assert int(cls.max()) < 2, f"class id {int(cls.max())} outside of the 2 declared classes (batch {step} of scene_{RANK:03d})"


dist.init_process_group("gloo")
torch.manual_seed(1)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(3, 32), torch.nn.GELU(), torch.nn.Linear(32, 2)))
opt = torch.optim.AdamW(net.parameters(), 2e-3)
gen = torch.Generator().manual_seed(RANK)
for step in range(1, 601):
    pts, cls = sample(step, gen)
    check(pts, cls, step)
    loss = torch.nn.functional.cross_entropy(net(pts), cls)
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.03)
    if step % 10 == 0:
        log.info("step %d/600 loss %.4f", step, loss.item())
"""


SHARDFILES = """
import json
import os
import time
import torch
import torch.distributed as dist

rank = int(os.environ["RANK"])
dist.init_process_group("gloo")


def say(**kw):
    if rank == 0:
        print(json.dumps(kw), flush=True)


def shards(epoch):
    return [f"shards/e{epoch}_{i:02d}.pt" for i in range(4)]


if rank == 0:
    os.makedirs("shards", exist_ok=True)
    for epoch in range(3):
        for path in shards(epoch)[: 4 if epoch < 2 else 1]:
            torch.save(torch.randn(64, 10), path)
dist.barrier()
torch.manual_seed(0)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(10, 10))
opt = torch.optim.SGD(net.parameters(), 0.05)
step = 0
for epoch in range(3):
    for path in shards(epoch):
        data = torch.load(path)
        for chunk in data.split(8):
            step += 1
            loss = (net(chunk) - chunk.flip(1)).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            time.sleep(0.04)
        say(epoch=epoch, step=step, shard=os.path.basename(path), loss=round(loss.item(), 5))
"""


CORRUPTREC = '''
"""Trains a small caption ranker. Records are length-prefixed, decoded in loader workers."""
import struct
import time
import torch
from torch.utils.data import DataLoader, Dataset


class Records(Dataset):
    def __init__(self, n=2400):
        self.n = n

    def __len__(self):
        return self.n

    def raw(self, i):
        values = [((i * 37 + k * 11) % 101) / 101 for k in range(8)]
        body = struct.pack("<8f", *values)
        return body[:19] if i == 1530 else body

    def __getitem__(self, i):
        x = torch.tensor(struct.unpack("<8f", self.raw(i)))
        return x, x[:2].sum()


if __name__ == "__main__":
    torch.manual_seed(5)
    net = torch.nn.Sequential(torch.nn.Linear(8, 48), torch.nn.ReLU(), torch.nn.Linear(48, 1))
    opt = torch.optim.Adam(net.parameters(), 1e-3)
    for epoch in range(4):
        start = time.time()
        for it, (x, y) in enumerate(DataLoader(Records(), batch_size=20, num_workers=2)):
            loss = (net(x).squeeze(1) - y).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            time.sleep(0.05)
            if it % 10 == 0:
                print(f"[{epoch}][{it:4d}/120] loss={loss.item():.5f} elapsed={time.time() - start:.1f}s", flush=True)
'''


NATIVE = '''
import ctypes
import os
import time
import torch
import torch.multiprocessing as mp


def voxelise(points, buffer):
    """The lab's C kernel writes occupancy into a preallocated buffer."""
    ctypes.memset(buffer, 1, points.shape[0])


def actor(index, rounds, shared):
    torch.manual_seed(index)
    room = ctypes.create_string_buffer(4096)
    for r in range(1, rounds + 1):
        points = torch.rand(128, 3)
        address = ctypes.addressof(room) if not (index == 1 and r == 70) else 64
        voxelise(points, address)
        target = points.mean(1, keepdim=True)
        w = shared.clone().requires_grad_()
        loss = (points @ w - target).pow(2).mean()
        loss.backward()
        with torch.no_grad():
            shared -= 0.05 * w.grad
        time.sleep(0.06)
        if r % 5 == 0:
            print(f"actor {index} pid {os.getpid()} round {r}/{rounds} loss {loss.item():.6f}", flush=True)


if __name__ == "__main__":
    weights = torch.zeros(3, 1).share_memory_()
    print("hogwild with 2 actors, 300 rounds each", flush=True)
    mp.spawn(actor, args=(300, weights), nprocs=2)
'''


FEATURES = """
import os
import time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(rank)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 64))
opt = torch.optim.Adam(net.parameters(), 1e-3)
history = []


def rss():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096 / 2**20


for it in range(1, 2001):
    x = torch.randn(256, 64)
    loss = (net(x) - x.roll(1, 1)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if rank == 0:
        history.append(torch.ones(1024, 1024, 4))  # activations for the tSNE figure
    time.sleep(0.05)
    if it % 8 == 0:
        print(f"rank{rank} iter {it}/2000 loss={loss.item():.4f} rss={rss():.0f}MB", flush=True)
"""

JOBS = (
    crate(
        "A1",
        "protmlm.py --gpus 2 --port PORT",
        TOKENS,
        cause="file_not_found",
        variant="asset",
        first=(),
        note="both workers: FileNotFoundError of the vocabulary before any step",
    ),
    crate("A1", "stem.py", FUSED, cause="missing_module", variant="env", ranks=2, note="ModuleNotFoundError: apex on both ranks before any step"),
    crate(
        "A1",
        "kws.py",
        RUNDIR,
        cause="permission",
        ranks=2,
        first=(0,),
        locked=("shared_runs",),
        folders=("shared_runs",),
        note="rank 0's PermissionError on the run directory's files; rank 1 at the barrier was taken down",
    ),
    crate(
        "A3",
        "forecast.py PORT",
        PIPESHAPE,
        cause="runtime_error",
        first=(),
        note="RuntimeError of sizes in the last batch of epoch 6, after five told epochs",
    ),
    crate("A3", "pointcloud.py", TARGETS, cause="assertion", ranks=2, first=(1,), note="rank 1's AssertionError at step 83 of 600"),
    crate("A3", "shardfit.py", SHARDFILES, cause="file_not_found", ranks=2, note="FileNotFoundError of a shard in the third epoch, after told steps"),
    crate("A3", "caption_rank.py", CORRUPTREC, cause="traceback", note="struct.error in a loader's worker at batch 76"),
    crate("A2", "hogwild.py", NATIVE, cause="segfault", first=(), note="mp.spawn: process 1 terminated with signal SIGSEGV after 65 told rounds"),
    crate(
        "A2",
        "tsne_feats.py",
        FEATURES,
        cause="oom_killer",
        ranks=2,
        first=(0,),
        group_mib=1300,
        note="rank 0 by signal 9 with an oom_kill of the group, its rss growing",
    ),
)
