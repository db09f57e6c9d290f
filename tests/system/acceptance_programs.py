"""The small training programs that the acceptance jobs run, as a user would write them: each comes to one end of its own."""

from __future__ import annotations

STEPS = """
import sys, time
count, each = int(sys.argv[1]), float(sys.argv[2])
for step in range(1, count + 1):
    print(f"step {step}/{count} loss {3 / (1 + step / 10):.4f} lr 0.0001", flush=True)
    time.sleep(each)
"""
UNTIL = """
import os, sys, time
step = 0
while not os.path.exists(sys.argv[1]):
    step += 1
    print(f"step {step}/5000 loss {3 / (1 + step / 10):.4f} lr 0.0001", flush=True)
    time.sleep(0.5)
raise RuntimeError("CUDA error: uncorrectable ECC error encountered")
"""
HANG = """
import datetime as dt, multiprocessing, os, signal, time
import torch
import torch.distributed as dist
rank = int(os.environ["SLURM_PROCID"])

def load(rows):
    time.sleep(1)
    os.kill(os.getpid(), signal.SIGKILL)

def main():
    torch.set_num_threads(1)
    os.environ.update(RANK=str(rank), WORLD_SIZE="3", LOCAL_RANK=str(rank), MASTER_ADDR="127.0.0.1", GLOO_SOCKET_IFNAME="lo")
    dist.init_process_group("gloo", timeout=dt.timedelta(seconds=150))
    ranks = dist.new_group(timeout=dt.timedelta(seconds=20))
    total = torch.ones(8)
    for step in range(1, 9):
        dist.all_reduce(total, group=ranks)
        if rank == 0:
            print(f"step {step}/5000 loss {3 / (1 + step / 10):.4f}", flush=True)
        time.sleep(0.3)
    if rank == 2:
        rows = multiprocessing.Queue()
        multiprocessing.Process(target=load, args=(rows,), daemon=True).start()
        rows.get()
    dist.all_reduce(total, group=ranks)

main()
"""
KILLED = """
import os, signal, time
if os.environ["SLURM_PROCID"] in "14":
    time.sleep(3)
    os.kill(os.getpid(), signal.SIGKILL)
time.sleep(5)
"""
ADAPTER = """
import time
time.sleep(1)
raise ValueError("Target modules {'query_key_value'} not found in the base model. Please check the target modules and try again.")
"""
TRAIN = """
import os, sys, time
import torch
what, folder = sys.argv[1], sys.argv[2]
torch.manual_seed(0)
torch.set_num_threads(1)

def plateau():
    '''The fifteenth step is far too large and kills every ReLU: the logits are equal for good, the loss is ln(150000).'''
    inner, outer = torch.nn.Linear(8, 16), torch.nn.Linear(16, 150_000, bias=False)
    optimizer = torch.optim.SGD([*inner.parameters(), *outer.parameters()], lr=1e-3)
    for step in range(1, 61):
        if step == 15:
            with torch.no_grad():
                inner.bias -= 1e6
        loss = torch.nn.functional.cross_entropy(outer(torch.relu(inner(torch.randn(2, 8)))), torch.randint(150_000, (2,)))
        optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(inner.parameters(), 1.0)
        optimizer.step()
        print(f"step {step}/60 loss {loss.item():.4f} grad_norm {norm.item():.6f} lr 0.001", flush=True)

def train(first, last, each=0.0, load=None, save=None):
    torch.manual_seed(0)
    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    if load is not None and os.path.exists(load):
        model.load_state_dict(torch.load(load))
    wanted, rows = torch.arange(8.0), torch.randn(256, 8)
    for step in range(first, last + 1):
        loss = ((model(rows).squeeze(1) - rows @ wanted) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}/{last} loss {loss.item():.4f} lr 0.02", flush=True)
        time.sleep(each)
    if save is not None:
        torch.save(model.state_dict(), save)
        print(f"saved checkpoint to {save}", flush=True)

if what == "plateau":
    plateau()
elif what == "slow":
    train(1, 60, each=0.3)
elif what == "parent":
    train(1, 80, each=0.05, save=f"{folder}/step-80.pt")
else:
    train(1, 80, each=0.05, load=sys.argv[4])
"""

PROGRAMS = {"steps": STEPS, "until": UNTIL, "hang": HANG, "killed": KILLED, "adapter": ADAPTER, "train": TRAIN}
"""By file name."""

WENT_ON = """
import os, sys, time
step = 0
while not os.path.exists(sys.argv[1]):
    step += 1
    print(f"step {step}/50000 loss {3 / (1 + step / 10):.4f} lr 0.0001", flush=True)
    time.sleep(0.3)
open("shards/train-0040.bin")
"""
SILENT = """
import threading, time
for step in range(1, 41):
    print(f"step {step}/5000 loss {3 / (1 + step / 10):.4f} lr 0.0001", flush=True)
    time.sleep(0.3)
lock = threading.Lock()
lock.acquire()
lock.acquire()
"""
COLLECTIVE = """
import os, time
import torch
import torch.distributed as dist
rank = int(os.environ["SLURM_PROCID"])
torch.set_num_threads(1)
os.environ.update(RANK=str(rank), WORLD_SIZE="2", LOCAL_RANK=str(rank), GLOO_SOCKET_IFNAME="lo")
dist.init_process_group("gloo")
total = torch.ones(8)
for step in range(1, 16):
    dist.all_reduce(total)
    if rank == 0:
        print(f"step {step}/5000 loss {3 / (1 + step / 10):.4f}", flush=True)
    time.sleep(0.2)
if rank == 1:
    time.sleep(3600)
dist.all_reduce(total)
"""
RENDEZVOUS = """
import os, socket, time
print("Initializing process group", flush=True)
where = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
if os.environ["SLURM_PROCID"] == "0":
    where = where[0], where[1] + 1
    others = socket.create_server(where)
    [others.accept() for _ in range(2)]
while True:
    try:
        socket.create_connection(where)
    except OSError:
        time.sleep(1)
"""
LARGER = """
import sys, time, traceback
import torch
SAID = "CUDA out of memory. Tried to allocate 91.60 GiB. GPU 0 has a total capacity of 79.20 GiB of which 70.00 GiB is free."

def forward(rows):
    if rows > 32:
        time.sleep(4)
        raise torch.OutOfMemoryError(SAID)

if len(sys.argv) == 1:
    forward(64)
try:
    forward(64)
except torch.OutOfMemoryError:
    traceback.print_exc()
    print("Batch size 64 failed, trying batch size 32", flush=True)
torch.manual_seed(0)
model, wanted = torch.nn.Linear(8, 1), torch.arange(8.0)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for step in range(1, 101):
    forward(32)
    rows = torch.randn(32, 8)
    loss = ((model(rows).squeeze(1) - rows @ wanted) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}/100 loss {loss.item():.4f} lr 0.02", flush=True)
    time.sleep(0.05)
print("Training complete.", flush=True)
"""
TWINS = {"advancing": STEPS, "went_on": WENT_ON, "silent": SILENT, "collective": COLLECTIVE, "rendezvous": RENDEZVOUS, "larger": LARGER}
"""Those of test_acceptance_twins, by file name."""
