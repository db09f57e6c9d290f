"""Jobs under torchrun, arrays and single tasks that their own processes ended."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import MEET, bad, card, queue, rest, work
from corpus.make._nutmeg_good import RUN
from corpus.running.job import SlurmJob

SCHEMA = """import json
import sys

import torch
import torch.distributed as dist


def load(path):
    with open(path) as f:
        cfg = json.load(f)
    return cfg


def build_optimizer(cfg, params):
    spec = cfg["train"]["optimizer"]
    return getattr(torch.optim, spec["type"])(params, **spec["args"])


def main():
    cfg = load(sys.argv[1])
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        print("config:", json.dumps(cfg, indent=1))
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(cfg["model"]["in"], cfg["model"]["out"]))
    optimizer = build_optimizer(cfg, model.parameters())
    for step in range(cfg["train"]["steps"]):
        optimizer.step()


main()
"""
TOKENS = """import logging
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainingArguments

logging.basicConfig(level=logging.INFO)
logger = logging.getLogger("sft")
BASE = "/models/qwen2.5-0.5b-instruct"
logger.info("Loading tokenizer and model from %s", BASE)
tokenizer = AutoTokenizer.from_pretrained(BASE)
model = AutoModelForCausalLM.from_pretrained(BASE)
logger.info("%d parameters", model.num_parameters())
"""
ARCHIVE = """import numpy as np
import torch

print("loading embeddings.npz")
bundle = np.load("embeddings.npz")
x, y = torch.from_numpy(bundle["x"]), torch.from_numpy(bundle["y"])
print("loaded", x.shape)
clf = torch.nn.Linear(x.shape[1], int(y.max()) + 1)
for epoch in range(20):
    print("epoch", epoch)
"""
RUNNER = "#!/bin/bash\nexport OMP_NUM_THREADS=2\nexec PYTHON -u train.py --amp --compile\n"
REAPED = """import os, time, torch
import torch.distributed as dist
dist.init_process_group("gloo")
rank = dist.get_rank()
open("pid-%d" % rank, "w").write(str(os.getpid()))
student, teacher = torch.nn.Linear(15, 5), torch.nn.Linear(15, 5)
student = torch.nn.parallel.DistributedDataParallel(student)
opt = torch.optim.SGD(student.parameters(), lr=0.5)
for step in range(1, 800):
    x = torch.randn(64, 15)
    with torch.no_grad():
        soft = torch.softmax(teacher(x), 1)
    kl = torch.nn.functional.kl_div(torch.log_softmax(student(x), 1), soft, reduction="batchmean")
    opt.zero_grad(); kl.backward(); opt.step()
    time.sleep(0.08)
    if step % 12 == 0 and rank == 0:
        print(f"distill step {step} kl {kl.item():.5f}", flush=True)
"""
HOARD = """import torch, time
import torch.distributed as dist
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(rank)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Conv1d(2, 2, 3, padding=1))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
cache = {}
for step in range(1, 1500):
    key = step if rank else step % 8
    if key not in cache:
        cache[key] = torch.randn(4, 2, 120_000)
    x = cache[key][..., :2000]
    loss = (net(x) - x.cumsum(-1).tanh()).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.08)
    if step % 10 == 0:
        print(f"(rank {rank}) {step:5d} loss={loss.item():.4f} cached={len(cache)}", flush=True)
"""
DOUBLE = """import ctypes
import torch

libc = ctypes.CDLL("libc.so.6")
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Softplus(), torch.nn.Linear(8, 1))
opt = torch.optim.Rprop(net.parameters())
x = torch.randn(256, 8)
y = x.norm(dim=1, keepdim=True)
scratch = libc.malloc(4096)
for step in range(300):
    loss = (net(x) - y).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 25 == 0:
        print("step", step, "l1", round(loss.item(), 5))
    if step == 210:
        libc.free(scratch + 24)
"""
RATIO = """import os, time
import torch
import torch.distributed as dist
from torch.optim.lr_scheduler import LambdaLR


def ramp(step, warmup=40, hold=40, total=80):
    if step < warmup:
        return (step + 1) / warmup
    if step <= hold:
        return 1.0
    return (total - step) // (total - warmup - hold)


dist.init_process_group("gloo")
torch.manual_seed(0)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(22, 22, bias=False))
opt = torch.optim.SGD(model.parameters(), lr=0.3)
sched = LambdaLR(opt, ramp)
for step in range(80):
    x = torch.randn(30, 22)
    loss = torch.nn.functional.l1_loss(model(x), x)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    sched.step()
    time.sleep(0.1)
    if dist.get_rank() == 0:
        print(f"{step:3d} l1={loss.item():.4f} lr={sched.get_last_lr()[0]:.4f}", flush=True)
"""
TAIL = """import torch
from tqdm import tqdm

torch.manual_seed(77)
frames = torch.randn(1290, 64)
net = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 64))
temporal = torch.nn.Linear(20 * 64, 64)
opt = torch.optim.AdamW([*net.parameters(), *temporal.parameters()], lr=1e-3)
bar = tqdm(range(0, len(frames), 20), desc="pass 1")
for at in bar:
    clip = net(frames[at:at + 20])
    loss = (temporal(clip.reshape(1, -1)) - frames[at + 1]).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    bar.set_postfix(loss=f"{loss.item():.3f}")
    if at % 200 == 0:
        tqdm.write(f"frame {at}: loss {loss.item():.4f}")
print("pass 1 finished")
"""
MISSING = """import os, time
import torch
import torch.distributed as dist

rank = int(os.environ["RANK"])
os.makedirs("spool", exist_ok=True)
for n in range(12):
    if n % 2 == rank and n != 9:
        torch.save(torch.randn(200, 16) + n / 10, f"spool/chunk_{n:03d}.pt")
dist.init_process_group("gloo")
dist.barrier()
flow = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(16, 16))
opt = torch.optim.Adam(flow.parameters(), 2e-3)
for n in range(rank, 12, 2):
    chunk = torch.load(f"spool/chunk_{n:03d}.pt")
    for k in range(20):
        nll = 0.5 * flow(chunk).square().sum(1).mean() - torch.linalg.slogdet(flow.module.weight)[1]
        opt.zero_grad(); nll.backward(); opt.step()
        time.sleep(0.05)
    print(f"rank={rank} chunk={n} nll={nll.item():.4f}", flush=True)
print(f"rank={rank} all chunks consumed")
"""
GREEDY = """import torch
torch.manual_seed(1)
emb, out = torch.nn.Embedding(1000, 16), torch.nn.Linear(16, 1000)
opt = torch.optim.SGD([*emb.parameters(), *out.parameters()], lr=1.0)
print("skip-gram, vocab 1000")
for step in range(1, 151):
    w = torch.randint(0, 999, (128,))
    loss = torch.nn.functional.cross_entropy(out(emb(w)), w + 1)
    opt.zero_grad(); loss.backward(); opt.step()
    if step % 10 == 0:
        print(f"  step {step:>3}  loss {loss.item():.4f}")
    if step == 100:
        print("computing nearest neighbours for all pairs")
        vectors = emb.weight.detach().repeat(4000, 1)
        near = (vectors @ vectors.T).topk(5)
"""
SCORING = """import os, time, torch, torch.distributed as dist


def bleu(hyp, ref):
    import sacrebleu
    return sacrebleu.corpus_bleu(hyp, [ref]).score


dist.init_process_group("gloo", rank=int(os.environ["SLURM_PROCID"]), world_size=int(os.environ["SLURM_NTASKS"]))
enc = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(20, 20), torch.nn.Tanh(), torch.nn.Linear(20, 20)))
opt = torch.optim.Adam(enc.parameters(), 1e-2)
for epoch in range(1, 4):
    for b in range(40):
        x = torch.rand(16, 20)
        loss = (enc(x) - x.sort(1).values).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
        time.sleep(0.06)
        if b % 10 == 9 and dist.get_rank() == 0:
            print(f"| epoch {epoch:3d} | {b + 1:3d}/40 batches | lr 0.01 | loss {loss.item():6.4f} |", flush=True)
    if dist.get_rank() == 0:
        print(f"| end of epoch {epoch} | bleu {bleu(['a b c'], ['a b d']):.2f} |", flush=True)
    dist.barrier()
"""
MOMENTS = """import os, time
import torch
import torch.distributed as dist
import pace
from states import allocate

dist.init_process_group("gloo")
rank = dist.get_rank()
blocks = [torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(24, 24)) for _ in range(3)]
print(f"[rank{rank}] wrapped {len(blocks)} blocks", flush=True)
for step in range(1, 60):
    x = torch.randn(8, 24)
    h = x
    for b in blocks:
        h = torch.relu(b(h)) + h
    loss = (h - 2 * x).square().mean()
    loss.backward()
    with torch.no_grad():
        for b in blocks:
            for p in b.parameters():
                p -= 0.01 * p.grad
                p.grad = None
    time.sleep(0.4)
    if rank == 0:
        print(f"step {step}/60 loss {loss.item():.4f} tokens 8192", flush=True)
    if step == 40:
        allocate(rank, "exp_avg_sq for unfrozen embeddings")
"""
STATES = """import torch


def allocate(rank, what):
    if rank == 1:
        raise torch.OutOfMemoryError(f"CUDA out of memory. Tried to allocate 3.91 GiB. GPU {rank} has a total capacity of 79.18 GiB of which 1.02 GiB is free. Process 2718281 has 78.15 GiB memory in use. Of the allocated memory 74.33 GiB is allocated by PyTorch, with 512.00 MiB allocated in private pools, and 2.44 GiB is reserved by PyTorch but unallocated.")
"""
CONTAINED = """import time
import torch
import pace
from kernels import gather

torch.manual_seed(13)
gnn = torch.nn.ModuleList([torch.nn.Linear(10, 24), torch.nn.Linear(24, 3)])
opt = torch.optim.Adam(gnn.parameters(), 8e-3)
edges = torch.randint(0, 150, (2, 900))
feats = torch.randn(150, 10)
label = feats[:, :3].argmax(1)
t0 = time.time()
for epoch in range(200):
    h = torch.relu(gnn[0](gather(feats, edges, time.time() - t0)))
    logits = gnn[1](h)
    loss = torch.nn.functional.cross_entropy(logits, label)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.35)
    if epoch % 5 == 0:
        acc = (logits.argmax(1) == label).float().mean()
        print(f"Epoch: {epoch:03d}, Loss: {loss:.4f}, Train: {acc:.4f}, Time: {time.time() - t0:.1f}")
"""
KERNELS = """import torch


def gather(x, edges, t):
    if t > 23:
        raise torch.AcceleratorError("CUDA error: an illegal memory access was encountered\\nSearch for `cudaErrorIllegalAddress' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\n")
    return x + torch.zeros_like(x).index_add_(0, edges[1], x[edges[0]]) / 6
"""
SHAPES = """import os, pathlib, time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
old = pathlib.Path("runs/exp3/last.ckpt")
if rank == 0:
    old.parent.mkdir(parents=True, exist_ok=True)
    torch.save({"state_dict": torch.nn.Sequential(torch.nn.Linear(32, 96), torch.nn.Linear(96, 10)).state_dict(), "epoch": 14}, old)
dist.barrier()
net = torch.nn.Sequential(torch.nn.Linear(32, 128), torch.nn.Linear(128, 10))
if rank == 0:
    print(f"resuming from {old}", flush=True)
kept = torch.load(old)
net.load_state_dict(kept["state_dict"])
print(f"rank {rank} resumed at epoch {kept['epoch']}")
"""


def jobs() -> Iterator[SlurmJob]:
    """Each one's last lines, exits and cards tell."""
    cfg = '{"model": {"in": 32, "out": 8}, "train": {"steps": 2000, "optim": {"type": "AdamW", "args": {"lr": 0.0003}}}}\n'
    yield queue(bad("A1", "traceback", "config"), SCHEMA, f"srun {RUN}2 main.py base.json\n", script="main.py", files={"base.json": cfg}, state="FAILED")
    yield queue(bad("A1", "traceback"), SCHEMA, f"{RUN}gpu main.py base.json\n", script="main.py", files={"base.json": cfg}, state="FAILED")  # one worker a GPU, and the job has none
    yield queue(bad("A1", "traceback", "asset"), TOKENS, "export HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=false\nsrun PYTHON sft.py\n", script="sft.py", python="rail-41", state="FAILED")
    yield queue(bad("A1", "traceback", "data"), ARCHIVE, "srun PYTHON embed.py\n", script="embed.py", files={"embeddings.npz": "PK\x03\x04" + "0" * 900}, options=("--array=4",), state="FAILED")
    yield queue(bad("A1", "permission"), TAIL, "srun -N1 ./run.sh\n", files={"run.sh": RUNNER}, ranks=2, state="FAILED")  # the wrapper has no x bit
    yield queue(bad("A2", None, first=(1,), fault="unknown"), REAPED, f"srun {RUN}2 distill.py\n", script="distill.py", act="kill_rank", after="distill step 72 ", state="FAILED")
    yield queue(bad("A2", "oom_killer", first=(1,)), HOARD, MEET + f"srun {RUN}2 conv.py\n", script="conv.py", where="", bed="cgroup", options=("--mem=900M",), state="FAILED")
    yield queue(bad("A2", None, first=(0,)), DOUBLE, "srun PYTHON rprop.py\n", script="rprop.py", state="FAILED")
    yield queue(bad("A3", "div_zero", first=(0, 1)), RATIO, f"srun {RUN}2 ramp.py\n", script="ramp.py", state="FAILED")
    yield queue(bad("A3", "runtime_error", first=(0,)), TAIL, "srun PYTHON clips.py\n", script="clips.py", python="rail-41", state="FAILED")
    yield queue(bad("A3", "file_not_found", first=(1,)), MISSING, f"srun {RUN}2 flow.py\n", script="flow.py", state="FAILED")
    yield queue(bad("A3", "ram_oom", first=(0,)), GREEDY, "PYTHON skipgram.py\n", script="skipgram.py", state="FAILED")
    yield queue(bad("A3", "missing_module", first=(0,)), SCORING, MEET + "srun -l PYTHON nmt.py\n", script="nmt.py", ranks=2, state="FAILED")
    grows = [(0.0, work(63, gib=58)), (8.4, work(62, gib=66)), (14.0, work(64, gib=77.9)), (22.0, rest(0.0))]
    yield queue(
        bad("B1", "cuda_oom", first=(1,)), MOMENTS, f"srun -n1 --gres=gpu:2 {RUN}2 unfreeze.py\n", script="unfreeze.py", ranks=2, files={"states.py": STATES},
        gpus={0: card((0.0, work(60, gib=54)), (22.0, rest(0.0))), 1: card(*grows)}, state="FAILED",
    )  # fmt: skip
    torn = {"events": "8:94", "ecc.volatile.uncorrected": "1", "ecc.aggregate.uncorrected": "1", "ecc.volatile.uncorrected.sram": "1", "ecc.aggregate.uncorrected.sram": "1"}
    yield queue(
        bad("B2", "cuda_runtime", "fault", first=(0,), fault="node"), CONTAINED, "srun PYTHON gnn.py\n", script="gnn.py", files={"kernels.py": KERNELS},
        gpus={0: card((0.0, work(44, watts=390)), (22.3, torn), (25.0, rest(0.0)))}, state="FAILED",
    )  # fmt: skip
    yield queue(bad("E2", "runtime_error", "size_mismatch"), SHAPES, f"srun {RUN}2 cont.py --resume runs/exp3/last.ckpt\n", script="cont.py", state="FAILED")
