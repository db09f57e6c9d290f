"""Jobs that their own process, its memory or its card ended, and such as ended well without having learnt."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._amber_sluices_frame import busy, humming, ill, sbatch, still, told
from corpus.running.job import SlurmJob

BATCHING = """import json
import os
import sys

import torch
import torch.distributed as dist

RANK, WORLD = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])


def plan(run):
    batch, micro = run["global_batch_size"], run["micro_batch_size"]
    per_step = micro * WORLD
    if batch % per_step:
        raise ValueError(f"global_batch_size {batch} must be a multiple of micro_batch_size {micro} x data parallel size {WORLD} = {per_step}")
    return batch // per_step


def main():
    with open(sys.argv[1]) as file:
        run = json.load(file)
    if RANK == 0:
        width = max(map(len, run))
        for key, value in run.items():
            print(f"  {key:.<{width + 4}} {value}", flush=True)
    accumulate = plan(run)
    dist.init_process_group("gloo", rank=RANK, world_size=WORLD)
    net = torch.nn.Linear(run["hidden"], run["hidden"])
    for step in range(run["steps"]):
        for _ in range(accumulate):
            net(torch.randn(run["micro_batch_size"], run["hidden"])).sum().backward()


main()
"""
PLAN = '{"hidden": 1024, "layers": 24, "global_batch_size": 250, "micro_batch_size": 16, "steps": 40000, "lr": 0.00025, "schedule": "wsd"}\n'
MASKED = """import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
me, n = dist.get_rank(), dist.get_world_size()
with open(f"pid-{me}", "w") as f:
    f.write(str(os.getpid()))
torch.manual_seed(0)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(40, 60), torch.nn.ReLU(), torch.nn.Linear(60, 40)))
adam = torch.optim.Adam(net.parameters(), lr=2e-3)
if me == 0:
    print(f"MAE pretraining, {n} processes, mask ratio 0.75, 3000 updates", flush=True)
for update in range(1, 3001):
    patches = torch.randn(32, 5) @ torch.randn(5, 40, generator=torch.Generator().manual_seed(1))
    mask = torch.rand_like(patches) < 0.75
    loss = ((net(patches * ~mask) - patches)[mask]).square().mean()
    adam.zero_grad()
    loss.backward()
    adam.step()
    time.sleep(0.08)
    if update % 15 == 0 and me == 0:
        print(f"update {update:>5} of 3000   rec {loss.item():.4f}   lr 2.0e-03", flush=True)
"""
POINTS = '''import random
import time

random.seed(1)


class Scans:
    """Keeps what it has read, so that the second epoch is fast."""

    def __init__(self, n):
        self.n, self.cache = n, {}

    def __getitem__(self, i):
        if i not in self.cache:
            self.cache[i] = bytearray(random.randbytes(6_000_000))
        return self.cache[i]


scans, w = Scans(4000), 0.0
print("lidar: 4000 scans, cache_in_memory=True", flush=True)
for step in range(1, 4001):
    scan = scans[step - 1]
    x = scan[step] / 255 - 0.5
    loss = (w * x - 0.8 * x) ** 2
    w -= 0.3 * 2 * x * (w * x - 0.8 * x)
    time.sleep(0.07)
    if step % 10 == 0:
        print(f"lidar step {step}/4000 iou_loss {loss + 0.2 / (1 + step / 50):.4f} cached {len(scans.cache)} scans", flush=True)
'''
PARQUET = """import json
import os
import time
from pathlib import Path

import torch
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
spool = Path("jsonl")
if rank == 0:
    spool.mkdir()
    for part in range(16):
        lines = [json.dumps({"q": [((i + part) * k) % 13 / 13 for k in range(8)], "reward": int((i + part) % 13 > 6)}) for i in range(60)]
        if part == 10:
            lines[41] = lines[41][:57]
        (spool / f"pref_{part:03d}.jsonl").write_text("\\n".join(lines) + "\\n")
dist.barrier()


def pairs(part):
    for line in (spool / f"pref_{part:03d}.jsonl").read_text().splitlines():
        row = json.loads(line)
        yield row["q"], float(row["reward"])


torch.manual_seed(3)
critic = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)))
opt = torch.optim.RMSprop(critic.parameters(), lr=2e-3)
for turn in range(4):
    q, reward = zip(*pairs(turn * 4 + rank))
    q, reward = torch.tensor(q), torch.tensor(reward)[:, None]
    for inner in range(25):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(critic(q), reward)
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.06)
    print(f"r{rank} file pref_{turn * 4 + rank:03d} done after {25 * (turn + 1)} updates, bce={loss.item():.4f}", flush=True)
"""
GROWING = """import time

import torch
import torch.distributed as dist

import clock
from activations import keep

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(rank)
enc = torch.nn.parallel.DistributedDataParallel(torch.nn.GRU(20, 20, batch_first=True))
sgd = torch.optim.SGD(enc.parameters(), lr=0.3)
lengths = [512, 640, 768, 1024, 1280, 1536, 2048, 2560]
clock.wait()
for step in range(1, 400):
    longest = lengths[min((step - 1) // 5, 7)]
    x = torch.randn(4, 12, 20)
    out = keep(enc(x)[0], longest, rank)
    loss = (out - x.cumsum(1).tanh()).square().mean()
    sgd.zero_grad()
    loss.backward()
    sgd.step()
    time.sleep(0.55)
    if rank == 0:
        print(f"step={step} bucket={longest} frames ctc={loss.item():.4f}", flush=True)
"""
ACTIVATIONS = """import torch


def keep(hidden, frames, rank):
    if frames >= 2560 and rank == 1:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 12.50 GiB. GPU 1 has a total capacity of 79.11 GiB of which 6.83 GiB is free. Including non-PyTorch memory, this process has 72.27 GiB memory in use. Of the allocated memory 70.40 GiB is allocated by PyTorch, and 1.31 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation.")
    return hidden
"""
FALLEN = """import math
import random
import time

import clock
import links
from cupy_backends.cuda.api import runtime
from links import RANK, SIZE

links.join()
random.seed(RANK + 5)
w = [0.0] * 6
print(f"[{RANK}/{SIZE}] device cuda:{RANK % 2} ready", flush=True)
clock.wait()
for it in range(1, 1000):
    x = [random.gauss(0, 1) for _ in range(6)]
    runtime.launchKernel(RANK, clock.now())
    err = sum(a * b for a, b in zip(w, x)) - sum(x[:3])
    grads = links.mean([err * v for v in x] + [err * err])
    w = [a - 0.05 * g for a, g in zip(w, grads)]
    time.sleep(0.3)
    if it % 5 == 0 and RANK == 0:
        print(f"[0/{SIZE}] it {it} chi2 {grads[-1]:.4f} |w| {math.hypot(*w):.3f}", flush=True)
"""
CUPY = """class CUDARuntimeError(RuntimeError):
    pass


def launchKernel(device, now):
    if device == 3 and now > 21.4:
        raise CUDARuntimeError("cudaErrorLaunchFailure: unspecified launch failure")
"""
GOES_NAN = """import csv
import sys
import time

import torch

torch.manual_seed(6)
gan = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
opt = torch.optim.SGD(gan.parameters(), lr=0.02)
table = csv.writer(sys.stdout)
table.writerow(["kimg", "loss", "lr", "sec"])
t0 = time.time()
for kimg in range(1, 61):
    if kimg == 26:
        opt.param_groups[0]["lr"] = 40.0
    for _ in range(8):
        z = torch.randn(64, 16)
        loss = (gan(z) - z[:, :8].abs()).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    table.writerow([kimg, f"{loss.item():.5f}", opt.param_groups[0]["lr"], f"{time.time() - t0:.1f}"])
    sys.stdout.flush()
    time.sleep(0.12)
torch.save(gan.state_dict(), "net_final.pt")
print("# exported net_final.pt")
"""
WIDER = """import os
from pathlib import Path

import torch
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
base = Path("stage1/model_step_018000.pt")
old = torch.nn.ModuleDict({"embed": torch.nn.Embedding(32000, 16), "lm_head": torch.nn.Linear(16, 32000, bias=False)})
if rank == 0:
    base.parent.mkdir()
    torch.save(old.state_dict(), base)
dist.barrier()
model = torch.nn.ModuleDict({"embed": torch.nn.Embedding(32064, 16), "lm_head": torch.nn.Linear(16, 32064, bias=False)})
print(f"rank {rank}: resuming from {base} (global step 18000)", flush=True)
model.load_state_dict(torch.load(base))
print(f"rank {rank}: weights restored", flush=True)
"""
FOUR_STEPS = """import os
import time

import torch
import torch.distributed as dist

import clock

dist.init_process_group("gloo")
head = dist.get_rank() == 0
total = int(os.environ.get("TOTAL_STEPS", "20000"))
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 64))
opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
if head:
    print(f"base model 1.3B (64 shown), warmup 2000 steps, training for {total} steps, eval every 1000", flush=True)
clock.wait()
began = time.time()
for step in range(1, total + 1):
    x = torch.randn(32, 64)
    loss = (model(x) - x).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(1.4)
    if head:
        print(f"step {step}/{total}  loss {loss.item():.4f}  lr {1e-4 * step / 2000:.2e}  {1 / 1.4:.2f} it/s", flush=True)
if head:
    torch.save(model.module.state_dict(), "final.pt")
    print(f"training finished after {total} steps ({time.time() - began:.1f} s); saved final.pt", flush=True)
dist.destroy_process_group()
"""


def jobs() -> Iterator[SlurmJob]:
    """Ten; the last lines, the exits and the cards show which."""
    four = "srun PYTHON pretrain.py run.json\n"
    yield sbatch(ill("A1", "traceback", "config"), {"pretrain.py": BATCHING, "run.json": PLAN}, four, shape=(2, 4), state="FAILED")
    # someone's SIGKILL, on one worker of torchrun's two; nothing says whose
    mae = "srun PYTHON -m torch.distributed.run --nnodes=1 --nproc-per-node=2 --master-port=$MASTER_PORT mae.py\n"
    yield sbatch(
        ill("A2", first=(1,), fault="unknown"), {"mae.py": MASKED}, mae, "--job-name=mae-base", act="kill_rank", after="update +90 of", state="FAILED"
    )
    lidar = "srun PYTHON -u lidar.py\n"
    yield sbatch(
        ill("A2", "oom_killer", first=(0,)), {"lidar.py": POINTS}, lidar, "--mem=400M", where="", bed="cgroup", python="system", state="FAILED"
    )
    critic = "srun --kill-on-bad-exit=1 PYTHON critic.py\n"
    yield sbatch(ill("A3", "traceback", first=(2,)), {"critic.py": PARQUET}, critic, "--job-name=reward", shape=(2, 4), state="FAILED")
    asr = "srun -n1 --gres=gpu:2 PYTHON -m torch.distributed.run --nnodes=1 --nproc-per-node=2 --master-port=$MASTER_PORT asr.py\n"
    fuller = [(2.75 * n, busy(57 + n % 3, gib=g)) for n, g in enumerate((21, 25, 30, 39, 48, 57, 72.3))]
    full = told(*fuller, (20.4, still(0)))
    yield sbatch(
        ill("B1", "cuda_oom", first=(1,)),
        {"asr.py": GROWING, "activations.py": ACTIVATIONS},
        asr,
        shape=(1, 2),
        cards=(full, full),
        begin_s=75,
        state="FAILED",
    )
    fine = humming(46, 21.6, seed=4)
    lost = told((0.0, busy(47)), (6.0, busy(44)), (13.0, busy(48)), (20.6, {"events": "8:79"}), (21.2, {"*": "!GPU_IS_LOST"}))
    chi = "srun -K1 PYTHON -u chi.py\n"
    yield sbatch(
        ill("B2", "cuda_runtime", "fault", first=(3,), fault="node"), {"chi.py": FALLEN, "cupy_backends/cuda/api/runtime.py": CUPY}, chi, shape=(2, 4), cards=(fine, fine, fine, lost),
        python="system", state="FAILED",
    )  # fmt: skip
    yield sbatch(ill("E1", "nan_loss", "non_finite"), {"gan.py": GOES_NAN}, "srun PYTHON gan.py\n", "--job-name=gan-64", state="COMPLETED")
    yield sbatch(
        ill("E2", "runtime_error", "size_mismatch"),
        {"cpt.py": WIDER},
        "srun -K1 PYTHON cpt.py --resume stage1/model_step_018000.pt\n",
        shape=(1, 2),
        state="FAILED",
    )
    lm = (
        "export TOTAL_STEPS=4\nsrun -n1 --gres=gpu:2 PYTHON -m torch.distributed.run --nnodes=1 --nproc-per-node=2 --master-port=$MASTER_PORT lm.py\n"
    )
    brief = told((0.0, busy(45)), (5.7, still()))
    yield sbatch(ill("E3"), {"lm.py": FOUR_STEPS}, lm, shape=(1, 2), cards=(brief, brief), begin_s=75, state="COMPLETED")
