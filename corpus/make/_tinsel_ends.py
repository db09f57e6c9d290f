"""Jobs of one lab on two nodes that broke off."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._gherkin_kit import busy, idle, ill, job, steady
from corpus.make._tinsel_good import FABRIC
from corpus.running.job import SlurmJob

BATCHES = """import json, os
from fabric import rank
cfg = json.load(open("ds_config.json"))
world = 32 if os.environ.get("FULL") else int(os.environ["SLURM_NTASKS"])
if rank == 0:
    print("[INFO] [config.py:1003:print]   train_batch_size ............. ", cfg["train_batch_size"])


def check(c):
    tb, mb, ga = c["train_batch_size"], c["train_micro_batch_size_per_gpu"], c["gradient_accumulation_steps"]
    assert tb == mb * ga * world, f"Check batch related parameters. train_batch_size is not equal to micro_batch_per_gpu * gradient_acc_step * world_size {tb} != {mb} * {ga} * {world}"


check(cfg)
"""
OUTDIR = """import os, time
from fabric import meet, node, rank
print(f"{node}: worker {rank} starts", flush=True)
if rank == 0:
    os.makedirs("/srv/lab/checkpoints/moe-1b", exist_ok=True)
meet("dirs")
"""
PLAIN = """import math, os, time
from fabric import meet, node, rank, world
open(f"pid-{rank}", "w").write(str(os.getpid()))
meet("a")
for s in range(1, 400):
    time.sleep(0.15)
    meet(s)
    if s % 10 == 0:
        print(f"{node}.{rank} s{s} contrastive={5.5 * math.exp(-s / 90) + .8:.4f}", flush=True)
"""
INDEX = """import math, os, random, time
from fabric import meet, rank, world
random.seed(rank)
if rank == 1:
    print("page cache: keeping decoded shards resident")
keep = []
meet("a")
for s in range(1, 900):
    if rank == 1:
        keep.append(bytearray(random.randbytes(4_000_000)))
    time.sleep(0.08)
    if s % 15 == 0:
        print(f"worker{rank} step {s} loss {3 * math.exp(-s / 200):.3f} shards {len(keep)}", flush=True)
"""
VOCAB = """import math, os, time
from fabric import meet, rank, world
names = {k: f"<{k}>" for k in range(250)}


def collate(step):
    ids = [(step * 31 + k * 7 + rank * 3) % 250 for k in range(6)]
    if rank == 3 and step == 73:
        ids[2] = 250
    return [names[i] for i in ids]


meet("x")
#GO
for step in range(1, 301):
    batch = collate(step)
    time.sleep(0.18)
    meet(step)
    if step % 8 == 0 and rank == 0:
        print(f"mlm | step {step:5d} | loss {6.1 * math.exp(-step / 80) + 1.7:.4f} | {len(batch) * 4096} tokens", flush=True)
"""
LINK = """import math, os, time
from fabric import meet, node, rank
import torch
import torch.distributed as dist


def all_reduce(step):
    if step == 96:
        print(f"{node}:{os.getpid()}:{os.getpid() + 31} [{rank}] transport/net_ib.cc:1295 NCCL WARN NET/IB: Got completion from peer 10.20.1.{2 - rank // 2}<47{rank}12> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_SEND(0) reqSize=0 vendor_err=129 hca mlx5_{rank % 2}", flush=True)
        raise dist.DistBackendError("NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.hpp:268, remote process exited or there was a network error, NCCL version 2.21.5\\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\\nLast error:\\nNET/IB: Got completion from peer with status=IBV_WC_RETRY_EXC_ERR(12)")


meet("x")
#GO
for step in range(1, 200):
    time.sleep(0.18)
    meet(step)
    all_reduce(step)
    if step % 8 == 0 and rank == 0:
        print(f"video-mae step {step} rec {1.1 * math.exp(-step / 70) + .3:.4f} ({5.4 + step % 3 * .1:.1f} it/s)", flush=True)
"""
SHAPE = """import math, os, time
from fabric import meet, rank
import torch
torch.manual_seed(rank)
net = torch.nn.Sequential(torch.nn.Linear(24, 24), torch.nn.Tanh())
opt = torch.optim.SGD(net.parameters(), 0.05)
meet("x")
#GO
for s in range(1, 201):
    x = torch.randn(40, 24)
    mask = torch.ones(40, 24 if not (s == 88 and rank == 0) else 23)
    loss = ((net(x) - x.tanh()) * mask).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.18)
    if s % 11 == 0:
        print(f"(r{rank}) asr-ctc {s}/200 loss={loss.item():.4f}", flush=True)
"""
EXPERTS = """import math, os, time
from fabric import meet, rank
import torch


def dispatch(step):
    if rank == 2 and step > 80:
        raise torch.OutOfMemoryError(f"CUDA out of memory. Tried to allocate 2.51 GiB. GPU {rank % 2} has a total capacity of 79.10 GiB of which 1.88 GiB is free. Including non-PyTorch memory, this process has 77.20 GiB memory in use. Of the allocated memory 73.96 GiB is allocated by PyTorch, and 1.71 GiB is reserved by PyTorch but unallocated.")
    time.sleep(0.2)


meet("x")
#GO
for step in range(1, 200):
    dispatch(step)
    if rank == 0 and step % 10 == 0:
        print(f"moe step {step} lm {7.7 * math.exp(-step / 60) + 3:.3f} aux {.012 + step % 3 * .001:.4f} max_tokens_per_expert {1800 + step * 9}", flush=True)
"""
NVL = """import math, os, time
from fabric import meet, node, rank
import torch

meet("x")
#GO
t0 = time.time()
for step in range(1, 300):
    time.sleep(0.2)
    if rank == 3 and time.time() - t0 > 17:
        raise torch.AcceleratorError("CUDA error: uncorrectable NVLink error detected during the execution\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\\n")
    if step % 9 == 0:
        print(f"{node}/{rank}: step {step} l2 {2.4 * math.exp(-step / 50) + .5:.4f}", flush=True)
"""
HEADS = """import os, pathlib
from fabric import meet, rank
import torch
old = pathlib.Path("runs/stage1/model.pt")
if rank == 0:
    old.parent.mkdir(parents=True, exist_ok=True)
    torch.save(torch.nn.Sequential(torch.nn.Embedding(32000, 8), torch.nn.Linear(8, 32000)).state_dict(), old)
meet("x")
net = torch.nn.Sequential(torch.nn.Embedding(32128, 8), torch.nn.Linear(8, 32128))
if rank == 0:
    print(f"=> loading weights from {old} (stage 1, step 40000)", flush=True)
net.load_state_dict(torch.load(old))
print("=> loaded, continuing at step 40001", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """Each one's end is in its words, its exits, or its cards."""
    kit = {"fabric.py": FABRIC}
    cfg = '{"train_batch_size": 256, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 8, "zero_optimization": {"stage": 2}}\n'
    yield job(
        ill("A1", "assertion", "config", failed=(0, 1, 2, 3)),
        "zero2",
        BATCHES,
        "srun PYTHON train.py --deepspeed ds_config.json\n",
        files={**kit, "ds_config.json": cfg},
        ranks=4,
        nodes=2,
        state="FAILED",
    )
    yield job(
        ill("A1", "permission", first=(0,)),
        "moe-1b",
        OUTDIR,
        "srun --kill-on-bad-exit=1 PYTHON train_moe.py\n",
        script="train_moe.py",
        files=kit,
        ranks=4,
        nodes=2,
        state="FAILED",
    )
    yield job(
        ill("A2", None, None, "unknown", first=(1,)),
        "clip-b32",
        PLAIN,
        "srun -K1 PYTHON clip.py\n",
        script="clip.py",
        files=kit,
        ranks=4,
        nodes=2,
        act="kill_rank",
        after=r"\.1 s100 ",
        state="FAILED",
    )
    yield job(
        ill("A2", "oom_killer", first=(1,)),
        "retr-index",
        INDEX,
        "srun -K PYTHON index.py\n",
        script="index.py",
        files=kit,
        ranks=4,
        nodes=2,
        bed="cgroup",
        where="",
        options=("--mem=600M",),
        state="",
    )
    stop = {r: steady(55, 13.5, gib=33, turn=r) for r in range(4)}
    yield job(
        ill("A3", "traceback", first=(3,)),
        "mlm-base",
        VOCAB,
        "srun -K PYTHON mlm.py\n",
        script="mlm.py",
        files=kit,
        ranks=4,
        nodes=2,
        cards=stop,
        state="FAILED",
    )
    yield job(
        ill("A3", "nccl", None, "cluster"),
        "videomae",
        LINK,
        "srun -K PYTHON vmae.py\n",
        script="vmae.py",
        files=kit,
        ranks=4,
        nodes=2,
        python="torch",
        go_s=34,
        cards={r: steady(60, 19, gib=49, turn=r) for r in range(4)},
        state="FAILED",
    )
    yield job(
        ill("A3", "runtime_error", first=(0,)),
        "asr-ctc",
        SHAPE,
        "srun --kill-on-bad-exit PYTHON asr.py\n",
        script="asr.py",
        files=kit,
        ranks=2,
        nodes=2,
        python="torch",
        go_s=30,
        cards={r: steady(47, 17, gib=21) for r in range(2)},
        state="FAILED",
    )
    full = ((0.0, busy(55, gib=61)), (5.0, busy(56, gib=69)), (11.0, busy(54, gib=77.2)), (17.2, idle()))
    yield job(
        ill("B1", "cuda_oom", first=(2,)),
        "moe-8x1b",
        EXPERTS,
        "srun -K1 PYTHON moe.py\n",
        script="moe.py",
        files=kit,
        ranks=4,
        nodes=2,
        python="torch",
        go_s=34,
        cards={r: full if r == 2 else steady(53, 17, gib=60, turn=r) for r in range(4)},
        state="FAILED",
    )
    torn = (
        *steady(50, 16, gib=26, free=False),
        (16.4, {"events": "8:74", "nvlink.0.replay": "4121", "nvlink.0.recovery": "3", "nvlink.0.crc_flit": "901", "nvlink.0.state": "0"}),
        (18.0, idle()),
    )
    yield job(
        ill("B2", "cuda_runtime", "fault", "node", first=(3,)),
        "pde-fno",
        NVL,
        "srun -K PYTHON fno.py\n",
        script="fno.py",
        files=kit,
        ranks=4,
        nodes=2,
        python="torch",
        go_s=34,
        cards={r: torn if r == 3 else steady(50, 18.5, gib=26, turn=r) for r in range(4)},
        state="FAILED",
    )
    yield job(
        ill("E2", "runtime_error", "size_mismatch"),
        "t5-stage2",
        HEADS,
        "srun PYTHON stage2.py --init runs/stage1/model.pt\n",
        script="stage2.py",
        files=kit,
        ranks=2,
        nodes=2,
        python="torch",
        state="FAILED",
    )
