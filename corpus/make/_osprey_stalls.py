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
LAGGARD = """import os, time
import torch
import torch.distributed as dist
import pace

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(1)
net = torch.nn.Linear(24, 8)
opt = torch.optim.SGD(net.parameters(), 0.1)
for step in range(1, 46):
    t0 = time.time()
    x = torch.randn(40, 24)
    loss = (net(x) - x[:, ::3]).square().mean()
    opt.zero_grad(); loss.backward()
    time.sleep(0.62 if rank == 3 else 0.13)
    t1 = time.time()
    for p in net.parameters():
        dist.all_reduce(p.grad); p.grad /= world
    opt.step()
    if step % 9 == 0:
        print(f"{os.environ['SLURMD_NODENAME']}:{rank} step {step}/45 loss {loss.item():.4f} fwd_bwd {t1 - t0:.3f}s sync {time.time() - t1:.3f}s", flush=True)
print(f"rank {rank} done", flush=True)
"""
RISING = """import math
import numpy as np
import time

rng = np.random.default_rng(4)
w1, w2 = rng.standard_normal((20, 40)) * 0.2, rng.standard_normal((40, 1)) * 0.2
np.seterr(all="ignore")
for epoch in range(1, 31):
    lr = 0.004 if epoch < 9 else 0.9
    for _ in range(20):
        x = rng.standard_normal((64, 20))
        y = x[:, :1] * x[:, 1:2] + x[:, 2:3]
        h = np.maximum(x @ w1, 0)
        err = h @ w2 - y
        g2, g1 = h.T @ err / 64, x.T @ ((err @ w2.T) * (h > 0)) / 64
        w1, w2 = w1 - lr * g1, w2 - lr * g2
    time.sleep(0.8)
    print(f"Epoch {epoch}/30 - loss: {(err**2).mean():.4f} - lr: {lr}", flush=True)
    if not math.isfinite((err**2).mean()):
        raise FloatingPointError(f"loss is {(err**2).mean()} in epoch {epoch}; aborting")
"""
STUCKACC = """import torch, time
torch.manual_seed(5)
net = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
opt = torch.optim.SGD(net.parameters(), lr=1e-9)
x = torch.randn(1000, 32)
y = x[:, :10].argmax(1)
print("CIFAR-style classifier, 10 classes, 1000 samples")
for epoch in range(1, 31):
    loss = torch.nn.functional.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0).item()
    opt.step()
    time.sleep(0.7)
    acc = (net(x).argmax(1) == y).float().mean().item()
    print(f"epoch {epoch:3d} | loss {loss.item():.4f} | acc {100 * acc:.1f}% | grad {norm:.4f} | lr {opt.param_groups[0]['lr']:.1e}", flush=True)
print("training complete, final accuracy {:.1f}%".format(100 * acc))
"""
FEW = """import torch, time
steps = 3
print(f"***** Running training *****\\n  Num examples = 52,002\\n  Num Epochs = 1\\n  Instantaneous batch size per device = 8\\n  Total optimization steps = {steps}")
net = torch.nn.Linear(12, 12)
opt = torch.optim.AdamW(net.parameters(), lr=2e-5)
t = time.time()
for s in range(1, steps + 1):
    x = torch.randn(8, 12)
    loss = (net(x) - x).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(2)
    print({"loss": round(loss.item(), 4), "learning_rate": 2e-5 * (1 - s / steps), "epoch": 0.0}, flush=True)
print({"train_runtime": round(time.time() - t, 4), "train_samples_per_second": 3.9, "train_loss": round(loss.item(), 4), "epoch": 0.0})
print("Saving model checkpoint to alpaca-lora/")
"""
PAIR = """import os, time
import torch
import torch.distributed as dist
rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(3)
enc = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(18, 18))
opt = torch.optim.RMSprop(enc.parameters(), 2e-3)
for k in range(1, 4001):
    x = torch.randn(30, 18)
    loss = (enc(x) - x.cummax(1).values).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.11)
    if k % 20 == 0:
        print(f"{os.environ['SLURMD_NODENAME']} | {k:>4}/4000 | {loss.item():.4f}", flush=True)
"""
COMEBACK = """import json, os, pathlib, random, time
state = pathlib.Path("diffusion_state.json")
start, ema = 1, 1.0
if state.exists():
    kept = json.loads(state.read_text())
    start, ema = kept["step"] + 1, kept["ema"]
    print(f"Resuming from checkpoint diffusion_state.json (step {kept['step']}, restart {os.environ.get('SLURM_RESTART_COUNT')})", flush=True)
else:
    print("no checkpoint found, starting fresh", flush=True)
random.seed(start)
for step in range(start, 281):
    ema = 0.98 * ema + 0.02 * (0.05 + random.random() * 0.02)
    time.sleep(0.12)
    if step % 20 == 0:
        state.write_text(json.dumps({"step": step, "ema": ema}))
        print(f"ddpm step {step}/280 eps_mse {ema:.4f} checkpoint written", flush=True)
print("ddpm: 280 steps finished")
"""
GENOME = """import os, pathlib, time
import numpy as np
keep = pathlib.Path("../dna_runs"); keep.mkdir(exist_ok=True)
rng = np.random.default_rng(3)
w, goal = np.zeros((4, 16)), rng.standard_normal((4, 16))
for step in range(1, 6001):
    x = rng.standard_normal((50, 4))
    diff = x @ (w - goal)
    w -= 0.003 * x.T @ diff / 50
    time.sleep(0.1)
    if step % 25 == 0:
        print(f"[dna-lm] step {step} / 6000 loss {(diff**2).mean():.4f} {10:.1f} step/s", flush=True)
    if step % 100 == 0:
        np.savez(keep / f"ckpt-{step}.npz", w=w, step=step)
        print(f"[dna-lm] saved {keep}/ckpt-{step}.npz", flush=True)
"""
GENOME_AGAIN = """import pathlib, sys, time
import numpy as np
where = pathlib.Path(sys.argv[2])
rng = np.random.default_rng(3)
w, goal = np.zeros((4, 16)), rng.standard_normal((4, 16))
first = 1
for f in sorted(where.glob("checkpoint-*/state.npz"))[-1:]:
    kept = np.load(f)
    w, first = kept["w"], int(kept["step"]) + 1
    print(f"[dna-lm] restored {f} at step {first - 1}")
for step in range(first, 351):
    x = rng.standard_normal((50, 4))
    diff = x @ (w - goal)
    w -= 0.003 * x.T @ diff / 50
    time.sleep(0.08)
    if step % 25 == 0:
        print(f"[dna-lm] step {step} / 350 loss {(diff**2).mean():.4f}", flush=True)
print("[dna-lm] end of run")
"""
SLOWPOKE = """import os, time, random
random.seed(0)
n_eval = 900
ok = 0
for i in range(1, n_eval + 1):
    time.sleep(0.2)
    ok += random.random() < 0.63
    if i % 15 == 0:
        print(f"gsm8k: {i}/{n_eval} problems, exact match {ok / i:.3f}, {5.0:.1f} problems/s", flush=True)
print(f"gsm8k exact match {ok / n_eval:.4f}")
"""
SWEEP = """import random, time
random.seed(8)
best = 9.0
for trial in range(1, 61):
    lr, width = 10 ** random.uniform(-4, -2), random.choice([64, 128, 256])
    loss = 1.0
    for e in range(6):
        loss *= random.uniform(0.75, 0.95)
        time.sleep(0.15)
    best = min(best, loss)
    print(f"[I {time.strftime('%Y-%m-%d %H:%M:%S')}] Trial {trial} finished with value: {loss:.5f} and parameters: {{'lr': {lr:.5f}, 'width': {width}}}. Best value: {best:.5f}.", flush=True)
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
    yield queue(
        bad("D3", None, fault="unknown"), LAGGARD, MEET + "srun PYTHON reg.py\n", script="reg.py", ranks=4, nodes=2,
        gpus={r: card((0.0, work(60, watts=470, mhz=1755)), (10.0, work(62, watts=476, mhz=1755)), (20.0, work(59, watts=472, mhz=1755)), (28.5, rest()))
              if r == 3 else card(*((float(s), work(13 + (s + r) % 3, util=100, watts=228 + s % 7, mhz=1755, temp=51)) for s in range(28)), (28.5, rest())) for r in range(4)},
        state="COMPLETED",
    )  # fmt: skip
    yield queue(bad("E1", "nan_loss", "non_finite"), RISING, "PYTHON product.py\n", script="product.py", state="FAILED")
    yield queue(bad("E1"), STUCKACC, "srun PYTHON cifar.py\n", script="cifar.py", state="COMPLETED")
    yield queue(bad("E3"), FEW, "srun PYTHON alpaca.py\n", script="alpaca.py", state="COMPLETED")
    yield queue(
        bad("F1", None, fault="node"),
        PAIR,
        MEET + "srun PYTHON cummax.py\n",
        script="cummax.py",
        ranks=2,
        nodes=2,
        where="-wn2,n4",
        options=("--no-requeue",),
        act="lose_node",
        after="60/4000",
        state="NODE_FAIL",
    )
    yield queue(
        bad("F2", None, "preempted_recovered", fault="none"),
        COMEBACK,
        "srun PYTHON ddpm.py\n",
        script="ddpm.py",
        where="-wn6",
        act="preempt",
        after="step 60/",
        options=("--requeue", "--open-mode=append"),
        python="system",
        state="COMPLETED",
    )
    yield queue(
        bad("F3", None, "advancing"),
        GENOME,
        "srun PYTHON dna.py\n",
        script="dna.py",
        key="dna",
        options=("--time=1", "--job-name=dna-lm"),
        state="TIMEOUT",
    )
    yield queue(
        bad("E2", None, "from_scratch"),
        GENOME_AGAIN,
        'srun PYTHON dna.py "$@"\n',
        script="dna.py",
        args=("--resume", "../dna_runs"),
        parent="dna",
        options=("--job-name=dna-lm",),
        state="COMPLETED",
    )
    yield queue(
        bad("F3", None, "advancing"), SLOWPOKE, "PYTHON gsm8k.py\n", script="gsm8k.py", python="system", options=("--time=1",), state="TIMEOUT"
    )
    yield queue(
        bad("F4", None, "by_owner"),
        SWEEP,
        "srun PYTHON sweep.py\n",
        script="sweep.py",
        python="system",
        act="scancel",
        after="Trial 18 ",
        state="CANCELLED",
    )
