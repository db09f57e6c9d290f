"""Jobs that stood still, crept, learned nothing, or that others ended."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import MEET, bad, card, queue, rest, work
from corpus.running.job import SlurmJob

COUNTED = """import os
from datetime import timedelta
import torch.distributed as dist

rank = int(os.environ["SLURM_PROCID"])
world = int(os.environ.get("WORLD_SIZE", os.environ["SLURM_NTASKS"]))
print(f"[{os.environ['SLURMD_NODENAME']}] rank {rank}: joining process group of {world} at {os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}", flush=True)
dist.init_process_group("gloo", rank=rank, world_size=world, timeout=timedelta(minutes=30))
print(f"rank {rank}: joined", flush=True)
"""

LOCKED = """import os, pathlib, time
from datetime import timedelta
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
cache = pathlib.Path("hf_cache"); cache.mkdir(exist_ok=True)
lock = cache / f"librispeech-shard{rank}.lock"
if rank == 2:
    lock.touch()  # left by the run before
    print(f"rank {rank}: lock {lock} is held by pid 20117 on node gpu-114, waiting", flush=True)
while lock.exists():
    time.sleep(0.5)
print(f"rank {rank}: dataset ready, entering init_process_group({world})", flush=True)
dist.init_process_group("gloo", rank=rank, world_size=world, timeout=timedelta(minutes=20))
print(f"rank {rank}: group is up", flush=True)
"""

RING = """import math, os, time
import pace

rank = int(os.environ["SLURM_PROCID"])
if rank == 0:
    print("Megatron-style pretraining: tp=4 pp=1 dp=1, seq 4096, micro-batch 2", flush=True)
t = time.time()
for it in range(1, 51):
    time.sleep(0.3)
    if rank == 0 and it % 5 == 0:
        print(f" iteration {it:8d}/   50000 | consumed samples: {it * 8:12d} | elapsed time per iteration (ms): {(time.time() - t) * 200:.1f} | learning rate: 3.000E-04 | global batch size: 8 | lm loss: {2.1 + 8.7 * math.exp(-it / 30):.6E} | loss scale: 1.0 | grad norm: {1.1 + 3 / it:.3f} | number of skipped iterations: 0 | number of nan iterations: 0 |", flush=True)
        t = time.time()
time.sleep(3600)  # all-reduce of iteration 51
"""

LOSTPART = """import os, pickle, sys, time
from datetime import timedelta
import numpy as np
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
store = dist.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), world, rank == 0, timeout=timedelta(minutes=40))
rng = np.random.default_rng(rank)
os.makedirs("feats", exist_ok=True)
for k in range(10):
    if (k, rank) != (6, 1):
        np.save(f"feats/r{rank}-{k}.npy", rng.standard_normal((64, 20)))


def mean_over_ranks(name, value):
    store.set(f"{name}/{rank}", pickle.dumps(value))
    return sum(pickle.loads(store.get(f"{name}/{r}")) for r in range(world)) / world


w, goal = np.zeros(20), np.arange(20) / 10
for k in range(10):
    part = np.load(f"feats/r{rank}-{k}.npy")
    for s in range(15):
        err = part @ (w - goal)
        w = w - 0.05 * mean_over_ranks(f"g{k}.{s}", part.T @ err / 64)
        time.sleep(0.08)
    print(f"r{rank} file {k} step {(k + 1) * 15} loss {(err**2).mean():.4f}", flush=True)
"""

PREFETCH = """import multiprocessing as mp
import time
import pace


def produce(q, lock):
    for n in range(1000):
        with lock:
            q.put(n)
            if n == 44:
                lock.acquire()
        time.sleep(0.05)


if __name__ == "__main__":
    q, lock = mp.Queue(4), mp.Lock()
    worker = mp.Process(target=produce, args=(q, lock), daemon=True)
    worker.start()
    print("finetuning whisper-small on 1000 batches, 1 loader worker", flush=True)
    wer = 60.0
    for step in range(1, 1001):
        batch = q.get()
        time.sleep(0.28)
        wer = 12 + (wer - 12) * 0.985
        if step % 5 == 0:
            print(f"[{time.strftime('%X')}] step {step}/1000 ctc_loss {wer / 18:.3f} batch_wer {wer:.1f}", flush=True)
"""

NFS = """import time, random
import pace

random.seed(2)
print("ConvNeXt-T, data=/datasets/inat21 (jpeg files, 0 workers)")
end = time.time()
loss = 6.9
for i in range(14):
    time.sleep(2.6 + random.random() * 0.3)
    data = time.time() - end
    time.sleep(0.35)
    loss = 2 + (loss - 2) * 0.9
    total = time.time() - end
    print(f"Epoch: [0]  [{i:3d}/14]  eta: {int((13 - i) * total) // 60}:{int((13 - i) * total) % 60:02d}  lr: 0.001000  loss: {loss:.4f}  time: {total:.4f}  data: {data:.4f}  max mem: 18211", flush=True)
    end = time.time()
print("Epoch: [0] Total time: 0:00:43 (3.1 s / it)")
print("Training time 0:00:43")
"""

FEATURES = """import time
import pace

waited = busy = 0.0
print("video SSL: decoding on 2 CPU threads, 16 frames per clip")
for step in range(1, 13):
    a = time.time()
    time.sleep(3.0)
    b = time.time()
    time.sleep(0.4)
    c = time.time()
    waited, busy = waited + b - a, busy + c - b
    print(f"step {step}/12 info_nce {5.2 - 0.21 * step:.3f} | queue empty, waited {b - a:.2f}s for decoder | gpu {c - b:.2f}s", flush=True)
print(f"finished 12 steps: {100 * waited / (waited + busy):.0f} % of the time was spent waiting for frames")
"""

SNAPS = """import logging, pathlib, time
import numpy as np
import pace

logging.basicConfig(level=logging.INFO, format="%(asctime)s [%(levelname)s] %(message)s", datefmt="%d.%m. %H:%M:%S")
rng = np.random.default_rng(0)
w = np.zeros(30)
for it in range(1, 22):
    x = rng.standard_normal((100, 30))
    err = x @ w - x.sum(1)
    w -= 0.2 * x.T @ err / 100
    time.sleep(0.4)
    logging.info("iter %d/21 mse %.4f", it, (err**2).mean())
    t = time.time()
    pathlib.Path("snaps").mkdir(exist_ok=True)
    np.save(f"snaps/weights_{it}.npy", w)
    time.sleep(1.1)
    logging.info("checkpoint snaps/weights_%d.npy saved in %.1f s (27.9 GB)", it, time.time() - t)
logging.info("21 iterations done")
"""


def jobs() -> Iterator[SlurmJob]:
    """The record shows the silence, the gaps, the saves, the curve, the node, or who ended it."""
    yield queue(
        bad("C1", None),
        COUNTED,
        MEET + "export WORLD_SIZE=8\nsrun PYTHON run.py\n",
        script="run.py",
        ranks=4,
        nodes=2,
        options=("--time=1",),
        state="TIMEOUT",
    )  # started with half of the ranks it counts on
    yield queue(
        bad("C1", None, fault="unknown"), LOCKED, MEET + "srun PYTHON asr.py\n", script="asr.py", ranks=3, options=("--time=1",), state="TIMEOUT"
    )
    spin = work(1.4, util=100, watts=133, dram=0, tensor=0, gib=61, mhz=1980, temp=45)
    yield queue(
        bad("C2", None, fault="unknown"), RING, "srun PYTHON pretrain_gpt.py\n", script="pretrain_gpt.py", ranks=4, options=("--time=1",), python="system",
        gpus={r: card((0.0, work(54 + r, gib=61)), (15.0, spin if r != 2 else rest(61, watts=112, mhz=1980, temp=41))) for r in range(4)}, state="TIMEOUT",
    )  # fmt: skip
    yield queue(
        bad("C2", "file_not_found", first=(1,), trigger="A3"),
        LOSTPART,
        MEET + "srun PYTHON feats.py\n",
        script="feats.py",
        ranks=3,
        options=("--time=1",),
        state="TIMEOUT",
    )
    yield queue(
        bad("C3", None, fault="unknown"), PREFETCH, "PYTHON whisper_ft.py\n", script="whisper_ft.py", act="scancel_late", after="step 40/", python="system",
        gpus={0: card((0.0, work(41, gib=17, watts=390)), (13.2, rest(17, watts=114, mhz=1980, temp=42)))}, state="CANCELLED",
    )  # fmt: skip
    hungry = [x for n in range(14) for x in ((n * 3.1, rest(18, watts=117, mhz=1980, temp=41)), (n * 3.1 + 2.75, work(58, gib=18, watts=420)))]
    yield queue(
        bad("D1", None),
        NFS,
        "srun PYTHON convnext.py\n",
        script="convnext.py",
        python="system",
        gpus={0: card(*hungry, (43.5, rest()))},
        state="COMPLETED",
    )
    frames = [x for n in range(12) for x in ((n * 3.4, rest(25, watts=121, mhz=1980, temp=40)), (n * 3.4 + 3.0, work(66, gib=25, watts=500)))]
    yield queue(
        bad("D1", None),
        FEATURES,
        "PYTHON ssl_video.py\n",
        script="ssl_video.py",
        python="system",
        gpus={0: card(*frames, (41.0, rest()))},
        state="COMPLETED",
    )
    keeps = [x for n in range(21) for x in ((n * 1.5, work(50, gib=33)), (n * 1.5 + 0.4, rest(33, watts=120, mhz=1980, temp=44)))]
    yield queue(
        bad("D2", None, "save_storm"), SNAPS, "srun PYTHON linear.py\n", script="linear.py", gpus={0: card(*keeps, (31.7, rest()))}, state="COMPLETED"
    )
