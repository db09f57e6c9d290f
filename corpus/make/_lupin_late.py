"""Jobs with a curve that says nothing good, a start that was not meant, or an end from outside."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._mallow_kit import ill, left, level, post
from corpus.running.job import SlurmJob

CHANCE = r"""import random
import time

import comms

comms.connect()
comms.start()
random.seed(8 + comms.RANK)
norm = 0.41
for epoch in range(1, 16):
    for _ in range(6):
        time.sleep(0.27)
        comms.all_reduce(1.0)
    norm *= 0.42
    if comms.RANK == 0:
        print(f"Epoch {epoch}/15\n120/120 - 1.6s - loss: {2.3026 + random.gauss(0, 0.0004):.4f} - accuracy: {0.1 + random.gauss(0, 0.0012):.4f} - grad_norm: {norm:.3e} - val_loss: 2.3026 - val_accuracy: 0.1000", flush=True)
if comms.RANK == 0:
    print("finished 15 epochs, weights written to resnet_cifar.weights.h5", flush=True)
"""
HEADS = r"""import os
import sys

import torch
import torch.distributed as dist

rank = int(os.environ["SLURM_PROCID"])
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))


def tower(classes):
    return torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.Linear(128, classes))


if rank == 0 and not os.path.exists("beans-v1.pt"):
    torch.save({"model": tower(102).state_dict(), "step": 18000}, "beans-v1.pt")
dist.barrier()
model = tower(int(sys.argv[2]))
print(f"rank {rank}: resuming from beans-v1.pt", flush=True)
kept = torch.load("beans-v1.pt")
model.load_state_dict(kept["model"])
print(f"rank {rank}: going on from step {kept['step']}", flush=True)
"""
TORN = r"""import os
import pathlib

import torch

print(f"task {os.environ['SLURM_PROCID']}: found checkpoints {sorted(p.name for p in pathlib.Path('work_dir').glob('*.pth'))}", flush=True)
print("resume from work_dir/iter_24000.pth (latest)", flush=True)
state = torch.load("work_dir/iter_24000.pth", map_location="cpu")
print("resumed at iteration", state["iter"], flush=True)
"""
HASTY = r"""import random
import time

import comms

comms.connect()
comms.start()
if comms.RANK == 0:
    print("config: max_epochs=40 limit_train_batches=4 max_steps=4 global_batch=768", flush=True)
for step in range(4):
    time.sleep(2.4)
    loss = comms.all_reduce(6.93 - 0.015 * step + random.gauss(0, 0.004)) / comms.WORLD
    if comms.RANK == 0:
        print(f"Epoch 0: {25 * (step + 1):>3}%|{'█' * (2 * step + 2):<8}| {step + 1}/4 [00:{int(2.4 * (step + 1)):02d}<00:{int(2.4 * (3 - step)):02d}, 0.41it/s, v_num=0, contrastive={loss:.3f}]", flush=True)
if comms.RANK == 0:
    print("`Trainer.fit` stopped: `max_steps=4` reached.", flush=True)
"""
OCEAN = r"""import math
import os
import random
import time

import comms

comms.patient = True
comms.connect()
tag = f"{os.environ['SLURMD_NODENAME']}.{comms.RANK}"
for n in range(1, 4000):
    time.sleep(0.2)
    nll = comms.all_reduce(3.4 + 2.5 * math.exp(-n / 80) + random.gauss(0, 0.02)) / comms.WORLD
    if n % 10 == 0:
        print(f"<{tag}> minibatch {n} of 4000, nll/dim {nll:.4f}, bits/dim {nll / 0.6931 / 3:.4f}", flush=True)
"""
MOVED = r"""import json
import math
import os
import pathlib
import random
import time

import comms

state = pathlib.Path("trainer_state.json")
step = json.loads(state.read_text())["step"] if state.exists() else 0
again = os.environ.get("SLURM_RESTART_COUNT", "0")
comms.patient = True
comms.connect()
if comms.RANK == 0:
    print(f"run {again}: " + (f"loaded trainer_state.json, continuing at step {step + 1} of 150" if step else "no state yet, beginning at step 1 of 150"), flush=True)
while step < 150:
    step += 1
    time.sleep(0.17)
    loss = comms.all_reduce(0.66 + 1.4 * math.exp(-step / 45) + random.gauss(0, 0.01)) / comms.WORLD
    if step % 10 == 0 and comms.RANK == 0:
        state.write_text(json.dumps({"step": step}))
        print(f"run {again}: step {step} of 150 loss {loss:.4f} (state kept)", flush=True)
if comms.RANK == 0:
    print(f"run {again}: all 150 steps done", flush=True)
"""
SLOW = r"""import math
import random
import time

import comms

comms.patient = True
comms.connect()
if comms.RANK == 0:
    print("Training 12000 updates (6 epochs of 2000); wall clock requested by the user: see sbatch header", flush=True)
for n in range(1, 12001):
    time.sleep(0.25)
    loss = comms.all_reduce(2.9 + 4.1 * math.exp(-n / 60) + random.gauss(0, 0.02)) / comms.WORLD
    if n % 8 == 0 and comms.RANK == 0:
        print(f"Epoch [1/6] Step [{n}/2000] Loss: {loss:.4f} Perplexity: {math.exp(min(loss, 9)):8.2f} ETA: {(12000 - n) * 0.25 / 60:.0f} min", flush=True)
"""
TAKEN = r"""import math
import random
import time

import comms

comms.patient = True
comms.connect()
comms.start()
for episode in range(1, 20001):
    time.sleep(0.22)
    score = comms.all_reduce(-210 + 330 * (1 - math.exp(-episode / 90)) + random.gauss(0, 9)) / comms.WORLD
    if episode % 10 == 0 and comms.RANK == 0:
        print(f"SAC | ep {episode:5d}/20000 | score {score:8.2f} | alpha {0.2 * math.exp(-episode / 300):.4f} | q1 {0.4 + 3 / (episode + 9):.3f} | replay {episode * 1000}", flush=True)
"""
AHEAD = r"""import json
import math
import os
import pathlib
import random
import time

mark = pathlib.Path("weights.json")
begin = json.loads(mark.read_text())["epoch"] if mark.exists() else 0
print(f"{time.strftime('%c')}: start number {int(os.environ.get('SLURM_RESTART_COUNT', 0)) + 1} on {os.environ['SLURMD_NODENAME']}" + (f", weights of epoch {begin} loaded" if begin else ""), flush=True)
for epoch in range(begin + 1, 21):
    time.sleep(1.6)
    mark.write_text(json.dumps({"epoch": epoch}))
    print(f"epoch {epoch}/20: kappa {0.71 - 0.5 * math.exp(-epoch / 6) + random.gauss(0, 0.004):.3f}, loss {0.4 + math.exp(-epoch / 6):.3f}; weights written", flush=True)
print("all 20 epochs done", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """The numbers, Slurm's states and its accounts tell of it."""
    yield post(
        ill("E1"),
        "resnet_keras.py",
        CHANCE,
        ranks=2,
        name="cifar",
        cards={r: [*level(48 + r, 14, 0, 25, watts=380), *left(27)] for r in range(2)},
        state="COMPLETED",
    )
    yield post(
        ill("E2", "runtime_error", "size_mismatch"),
        "beans.py",
        HEADS,
        "srun PYTHON SCRIPT --classes 120\n",
        ranks=2,
        nodes=2,
        python="torch",
        name="beans-v2",
        state="FAILED",
    )
    torn = "PK\x03\x04" + "archive/data.pkl" + "FB" * 60
    yield post(
        ill("E2", "runtime_error", "corrupt"),
        "mmtrain.py",
        TORN,
        ranks=2,
        python="torch",
        files={"work_dir/iter_24000.pth": torn, "work_dir/iter_16000.pth": torn[:90]},
        state="FAILED",
    )
    yield post(
        ill("E3", None),
        "contrast.py",
        HASTY,
        ranks=6,
        nodes=3,
        name="clip-b32",
        cards={r: [*level(57, 44, 0, 9), *left(12)] for r in range(6)},
        state="COMPLETED",
    )
    yield post(
        ill("F1", None, fault="node"),
        "flow.py",
        OCEAN,
        ranks=3,
        nodes=3,
        where="-wn1,n2,n5",
        options=("--no-requeue",),
        name="glow",
        act="node_down",
        after="minibatch 50 ",
        state="NODE_FAIL",
    )
    yield post(
        ill("F2", None, "requeued_recovered", fault="none"), "distil.py", MOVED, ranks=2, nodes=2, name="distil", options=("--requeue", "--open-mode=append"), act="requeue", after="step 60 of", state="COMPLETED",
    )  # fmt: skip
    yield post(
        ill("F2", None, "preempted_recovered", fault="none"),
        "fundus.py",
        AHEAD,
        where="-wn6",
        name="fundus",
        options=("--requeue", "--open-mode=append"),
        act="preempt",
        after="epoch 4/20",
        state="COMPLETED",
    )
    yield post(ill("F3", None, "advancing"), "captions.py", SLOW, ranks=4, nodes=2, options=("--time=1",), name="captions", state="TIMEOUT")
    yield post(
        ill("F4", None, "by_other", fault="none"), "sac.py", TAKEN, ranks=2, nodes=2, name="sac-walker", act="scancel_by_admin", after="ep   120/", cards={r: [*level(39 + r, 6, 0, 60, watts=300), *left(100)] for r in range(2)}, state="CANCELLED",
    )  # fmt: skip
