"""Jobs that stand still, or whose cards do less than they could."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._mallow_kit import beats, ill, left, level, off, on, post
from corpus.running.job import SlurmJob

JOINING = r"""import os
import socket
import struct
import time

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["WORLD_SIZE"])
where = ("127.0.0.1", int(os.environ["MASTER_PORT"]))


def say(text):
    print(f"{time.strftime('%H:%M:%S')} [{os.environ['SLURMD_NODENAME']} rank {rank}/{world}] {text}", flush=True)


say("init_process_group(backend=nccl, init_method=env://)")
if rank == 0:
    here = {0}
    door = socket.create_server(where)
    door.settimeout(10)
    say(f"store listens on {os.environ['MASTER_ADDR']}:{where[1]}, waiting for {world - 1} workers")
    while len(here) < world:
        try:
            link, _ = door.accept()
            here.add(struct.unpack("i", link.recv(4))[0])
        except TimeoutError:
            say(f"still waiting for workers: joined {len(here)}/{world}, missing {sorted(set(range(world)) - here)}")
    say("all workers joined")
else:
    while True:
        try:
            link = socket.create_connection(where)
            break
        except OSError:
            time.sleep(0.3)
    link.sendall(struct.pack("i", rank))
    say("connected to the store, barrier")
    while not link.recv(1):
        time.sleep(60)
"""
DEAD = r"""import math
import random
import threading
import time

import comms

comms.patient = True
comms.connect()
comms.start()
gate = threading.Semaphore(0)
for step in range(1, 100000):
    time.sleep(0.4)
    if step == 38 and comms.RANK == 5:
        gate.acquire()
    loss = comms.all_reduce(1.6 + 5 * math.exp(-step / 19) + random.gauss(0, 0.02)) / comms.WORLD
    if step % 4 == 0 and comms.RANK == 0:
        print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} | INFO | train_inner | epoch 001: {step} / 100000 loss={loss:.3f}, ppl={2 ** loss:.2f}, wps={31000 + random.randrange(900)}, ups=2.5, num_updates={step}, lr={step * 1e-6:g}, gnorm={0.9 + random.random() / 4:.3f}", flush=True)
"""
TURNED = r"""import math
import os
import random
import sys
import time

time.sleep(max(0.0, float(os.environ["T0"]) - time.time()))
random.seed(2)
began = time.time()
step = 0
for epoch in range(2):
    for batch in range(9):
        t = time.time()
        time.sleep(1.9 + random.random() / 3)
        waited = time.time() - t
        time.sleep(0.3)
        step += 1
        print(f"Epoch {epoch}: {batch + 1}/9 [{time.time() - began:05.1f}s] v_num=4 train_loss={0.41 + 0.9 * math.exp(-step / 6) + random.gauss(0, 0.02):.3f} data_time={waited:.2f}s batch_time={time.time() - t:.2f}s", flush=True)
print(f"Profile: get_train_batch {84.6:.1f} %, run_training_batch {13.1:.1f} %, other {2.3:.1f} %")
print("`Trainer.fit` stopped: `max_epochs=2` reached.")
"""
WIRES = r"""import math
import random
import time

import comms

comms.connect()
if comms.RANK == 0:
    print("n1:4411:4502 [0] NCCL INFO NET/IB : No device found.\nn1:4411:4502 [0] NCCL INFO NET/Socket : Using [0]eno1:10.0.40.11<0>\nn1:4411:4502 [0] NCCL INFO Using network Socket", flush=True)
comms.start()
for step in range(1, 19):
    a = time.perf_counter()
    time.sleep(0.22)
    b = time.perf_counter()
    loss = comms.all_reduce(2.5 + 4 * math.exp(-step / 7)) / comms.WORLD
    time.sleep(1.45)
    c = time.perf_counter()
    if comms.RANK == 0 and step % 2 == 0:
        print(f"[deepspeed] step={step}/18 loss={loss:.4f} | fwd_bwd_microstep: {1e3 * (b - a):.1f} ms | reduce_scatter+all_gather: {1e3 * (c - b):.1f} ms ({100 * (c - b) / (c - a):.0f} %) | SamplesPerSec={64 / (c - a):.1f}", flush=True)
if comms.RANK == 0:
    print("[deepspeed] finished 18 steps, comm volume 41.2 GB/rank", flush=True)
"""
LIMP = r"""import math
import random
import time

import comms

comms.connect()
comms.start()
for step in range(1, 35):
    mine = time.perf_counter()
    time.sleep(0.84 if comms.RANK == 4 else 0.19)
    mine = time.perf_counter() - mine
    loss = comms.all_reduce(0.3 + 1.1 * math.exp(-step / 12) + random.gauss(0, 0.01)) / comms.WORLD
    if step % 4 == 0:
        print(f"step {step:3d}/34 rank {comms.RANK} loss {loss:.4f} fwd+bwd {mine:.3f}s wall {0.84:.2f}s", flush=True)
if comms.RANK == 0:
    print("training done after 34 steps", flush=True)
"""
ALONE = r"""import math
import os
import random
import threading
import time

time.sleep(max(0.0, float(os.environ["T0"]) - time.time()))
results = threading.Condition()


def upload(step):
    with results:
        results.wait()


for step in range(1, 10**6):
    time.sleep(0.3)
    if step % 5 == 0:
        print(f"nerf | it={step:06d} psnr={27 - 14 * math.exp(-step / 30) + random.gauss(0, 0.1):.2f} rays/s=1.{random.randrange(80, 99)}M", flush=True)
    if step == 45:
        print("nerf | rendering preview 000045.png", flush=True)
        upload(step)
"""


def jobs() -> Iterator[SlurmJob]:
    """Silence, gaps, and one that all wait for."""
    empty = [(0.0, off(0.6, watts=72, mhz=345, temp=34))]
    yield post(
        ill("C1", None), "join.py", JOINING, "export WORLD_SIZE=8\nsrun PYTHON SCRIPT\n", ranks=6, nodes=3, options=("--time=1",), name="moe-8",
        cards=dict.fromkeys(range(6), empty), lead_s=2, state="TIMEOUT",
    )  # six tasks for a world of eight  # fmt: skip
    spin = on(1, 52, util=100, watts=131, mhz=1980, temp=45, dram=0, tensor=0)
    yield post(
        ill("C2", None, fault="unknown"), "fairtrain.py", DEAD, ranks=8, nodes=4, name="mt-big", act="scancel_late", after=r" 36 / 100000",
        cards={r: [*level(55 + r % 5, 52, 0, 15, watts=510), (15.0, off(52) if r == 5 else spin), *left(110)] for r in range(8)}, state="CANCELLED",
    )  # fmt: skip
    yield post(
        ill("D1", None),
        "lit_video.py",
        TURNED,
        cards={0: [*beats(on(47, 18, watts=390), off(18), 0.4, 1.95, 18), *left(43)]},
        name="video-clf",
        state="COMPLETED",
    )
    wire = [(float(s), on(7 + s % 3, 58, util=100, watts=172 + s % 7, mhz=1980, temp=47, dram=4, tensor=3)) for s in range(31)]
    yield post(
        ill("D2", None, "interconnect", fault="cluster"),
        "ds_zero3.py",
        WIRES,
        ranks=4,
        nodes=4,
        name="zero3",
        cards={r: [*wire, *left(33)] for r in range(4)},
        state="COMPLETED",
    )
    wait = [(float(s), on(12 + s % 3, 33, util=100, watts=228 + s % 9, temp=49, dram=8, tensor=5)) for s in range(29)]
    yield post(
        ill("D3", None, fault="unknown"), "depth.py", LIMP, ranks=6, nodes=3, name="depth", cards={r: [*(level(60, 33, 0, 29, watts=560) if r == 4 else wait), *left(31)] for r in range(6)}, state="COMPLETED",
    )  # fmt: skip
    yield post(
        ill("C3", None, fault="unknown"), "nerf.py", ALONE, name="nerf", act="scancel_late", after="rendering preview",
        cards={0: [*level(66, 21, 0, 14, watts=480), (14.0, off(21, watts=109)), *left(110)]}, state="CANCELLED",
    )  # fmt: skip
