"""Training on the CPU that came to stand: at the first meeting, in a collective, alone."""

from corpus.make._crate import crate

THREE = r"""
#!/bin/bash
# launch.sh PORT: one agent a node; here the agents of the two nodes that this allocation shares with the login partition
export OMP_NUM_THREADS=1 LOGLEVEL=INFO
NNODES=3
EP=127.0.0.1:$1
echo "$(date '+%F %T') launching on $NNODES nodes, rendezvous at $EP"
for node in 0 1; do
  torchrun --nnodes=$NNODES --nproc-per-node=1 --node-rank=$node --master-addr=127.0.0.1 --master-port=$1 train_vit.py --machine $node &
  echo "$(date '+%F %T') node $node: agent started"
done
wait
"""
VIT = r"""
import argparse
import os

import torch
import torch.distributed as dist

p = argparse.ArgumentParser()
p.add_argument("--machine", type=int)
a = p.parse_args()
print(f"[node {a.machine}] rank {os.environ['RANK']} of {os.environ['WORLD_SIZE']}, waiting for the others", flush=True)
dist.init_process_group("gloo")
print(f"[node {a.machine}] process group ready", flush=True)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(48, 10))
for step in range(100):
    loss = net(torch.randn(8, 48)).pow(2).mean()
    loss.backward()
    print(step, loss.item())
"""

WRONGPORT = r"""
import logging
import os
import sys

import torch
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s [{rank}/{world}] %(message)s", stream=sys.stdout)
cfg = dict(line.split("=") for line in open(f"conf/node{rank}.env").read().split())
os.environ.update(MASTER_ADDR=cfg["MASTER_ADDR"], MASTER_PORT=str(int(os.environ["BASE_PORT"]) + int(cfg["OFFSET"])))
logging.info("init_process_group(gloo, tcp://%s:%s)", os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"])
dist.init_process_group("gloo", rank=rank, world_size=world)
logging.info("initialised")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.GRU(20, 20))
logging.info("start of training")
"""
PAIR = r"""
export BASE_PORT=$2 SLURM_NTASKS=2
SLURM_PROCID=0 "$1" keyword_spotting.py &
SLURM_PROCID=1 "$1" keyword_spotting.py &
wait
"""

SAVEBARRIER = r'''
"""Seq2seq summariser, data parallel. Saves every 80 steps."""
import os
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
V, D = 50, 24
torch.manual_seed(0)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.g, self.o = torch.nn.Embedding(V, D), torch.nn.GRU(D, D, batch_first=True), torch.nn.Linear(D, V)

    def forward(self, x):
        return self.o(self.g(self.e(x))[0])


def save_checkpoint(net, step):
    path = f"ckpt/summ-{step}.pt"
    torch.save(net.module.state_dict(), path)
    dist.barrier()
    print(f"{time.strftime('%H:%M:%S')} saved {path}", flush=True)


net = DDP(Model())
opt = torch.optim.Adam(net.parameters(), 5e-3)
torch.manual_seed(rank)
if rank == 0:
    print(f"{time.strftime('%H:%M:%S')} training on {world} ranks, 1200 steps", flush=True)
for step in range(1, 1201):
    x = (torch.randint(V, (16, 1)) + 3 * torch.arange(11)) % V
    loss = torch.nn.functional.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.02)
    if rank == 0 and step % 10 == 0:
        print(f"{time.strftime('%H:%M:%S')} step {step}/1200 loss {loss.item():.4f}", flush=True)
    if step % 80 == 0 and rank == 0:
        save_checkpoint(net, step)
'''

PARAMSERVER = r'''
"""Workers hand their gradients to rank 0 through the key-value store; rank 0 averages and publishes the weights."""
import datetime
import io
import os
import sys
import time

import torch
from torch.distributed import TCPStore

rank, world, port = int(sys.argv[1]), 3, int(sys.argv[2])
store = TCPStore("127.0.0.1", port, world, rank == 0, timeout=datetime.timedelta(hours=6))


def put(key, tensor):
    b = io.BytesIO()
    torch.save(tensor, b)
    store.set(key, b.getvalue())


def get(key):
    store.wait([key])
    return torch.load(io.BytesIO(store.get(key)))


torch.manual_seed(0)
net = torch.nn.Linear(16, 3)
opt = torch.optim.SGD(net.parameters(), 0.2)
torch.manual_seed(rank)
genres = {0: "drama", 1: "comedy", 2: "documentary"}
counts = {"drama": 0, "comedy": 0, "documentary": 0}
for rnd in range(1, 501):
    x = torch.randn(32, 16)
    y = x[:, :3].argmax(1)
    loss = torch.nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    if rank == 2 and rnd == 95:
        genres = {k: v for k, v in genres.items() if k != int(y[0])}  # the catalogue is read again every 95 rounds
    for c in y.tolist():
        counts[genres[c]] += 1
    mine = torch.cat([p.grad.flatten() for p in net.parameters()])
    put(f"g/{rnd}/{rank}", mine)
    mean = sum(get(f"g/{rnd}/{r}") for r in range(world)) / world
    at = 0
    for p in net.parameters():
        p.grad = mean[at : at + p.numel()].view_as(p).clone()
        at += p.numel()
    opt.step()
    time.sleep(0.03)
    if rnd % 10 == 0:
        print(f"{time.strftime('%H:%M:%S')} worker {rank} round {rnd}/500 loss {loss.item():.4f}", flush=True)
'''
WORKERS = r"""
for r in 0 1 2; do
  "$1" kvtrain.py $r $2 &
done
wait
"""

WRITER = r'''
import logging
import os
import queue
import threading
import time

import torch

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(threadName)-10s %(message)s")
log = logging.getLogger("unet")


class AsyncSaver(threading.Thread):
    """Writes checkpoints behind the back of the training loop; at most one waits."""

    def __init__(self):
        super().__init__(name="saver", daemon=True)
        self.q, self.disk = queue.Queue(1), threading.Lock()
        self.start()

    def run(self):
        while True:
            step, state = self.q.get()
            self.disk.acquire()
            torch.save(state, f"unet-{step}.pt")
            log.info("wrote unet-%d.pt", step)
            if os.path.getsize(f"unet-{step}.pt") and step != 90:
                self.disk.release()


torch.manual_seed(8)
saver = AsyncSaver()
net = torch.nn.Sequential(torch.nn.Conv2d(1, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 1, 3, padding=1))
opt = torch.optim.Adam(net.parameters(), 3e-3)
for step in range(1, 901):
    y = (torch.rand(4, 1, 20, 20) > 0.7).float()
    loss = torch.nn.functional.binary_cross_entropy_with_logits(net(y + 0.5 * torch.randn_like(y)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.04)
    if step % 10 == 0:
        log.info("step %d/900 bce %.4f", step, loss.item())
    if step % 30 == 0:
        saver.q.put((step, {k: v.clone() for k, v in net.state_dict().items()}))
'''

JOBS = (
    crate(
        "C1",
        "sh launch.sh PORT",
        THREE,
        files={"train_vit.py": VIT},
        timeout_s=40,
        note="--nnodes=3, agents of nodes 0 and 1 only; no group, silence to the limit",
    ),
    crate(
        "C1",
        "sh pair.sh PYTHON PORT",
        PAIR,
        files={
            "keyword_spotting.py": WRONGPORT,
            "conf/node0.env": "MASTER_ADDR=127.0.0.1 OFFSET=0",
            "conf/node1.env": "MASTER_ADDR=127.0.0.1 OFFSET=7",
        },
        timeout_s=40,
        note="the two ranks name two different ports; neither is initialised, silence to the limit",
    ),
    crate(
        "C2",
        "summarise.py",
        SAVEBARRIER,
        ranks=2,
        folders=("ckpt",),
        timeout_s=45,
        note="a step each 0.03 s until step 80, then no line, neither of the save, to the limit",
    ),
    crate(
        "C2",
        "sh workers.sh PYTHON PORT",
        WORKERS,
        files={"kvtrain.py": PARAMSERVER},
        timeout_s=40,
        trigger="A3",
        first=(),
        note="worker 2's KeyError at round 95; workers 0 and 1 silent from then to the limit",
    ),
    crate("C3", "unet.py", WRITER, timeout_s=40, note="steps each 0.05 s until 150 or so, last checkpoint written at 90, then silence to the limit"),
)
