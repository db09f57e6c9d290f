"""Jobs that broke off by their own doing."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import MEET, bad, card, queue, rest, work
from corpus.running.job import SlurmJob

OPTIONS = """import configparser, os
rank = int(os.environ["SLURM_PROCID"])
cfg = configparser.ConfigParser()
cfg.read("asr.ini")
PRECISIONS = {"fp32", "fp16", "bf16"}


class Settings:
    def __init__(self, section):
        self.layers = int(section["layers"])
        self.lr = float(section["lr"])
        self.precision = section["precision"]
        if self.precision not in PRECISIONS:
            raise ValueError(f"asr.ini: precision must be one of {sorted(PRECISIONS)}, got {self.precision!r}")


print(f"[{rank}] reading asr.ini", flush=True)
s = Settings(cfg["conformer"])
print(f"[{rank}] building a conformer of {s.layers} layers", flush=True)
"""
ENGINE = """import argparse
import os
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--deepspeed_config", default="zero3.json")
parser.add_argument("--model", default="llama-3.2-1b")
args = parser.parse_args()
print(f"host {os.uname().nodename} python ok torch {torch.__version__}", flush=True)
print(f"fine-tuning {args.model} with {args.deepspeed_config}", flush=True)
import deepspeed

engine, *_ = deepspeed.initialize(config=args.deepspeed_config)
"""
CAPTIONS = """import json, sys, time
from pathlib import Path


def read(path):
    out = []
    with path.open() as f:
        for no, line in enumerate(f, 1):
            out.append(json.loads(line))
    print(f"{path}: {len(out)} captions")
    return out


pairs = [p for path in sorted(Path("coco").glob("*.jsonl")) for p in read(path)]
print(f"{len(pairs)} image-text pairs, starting CLIP training")
for step in range(1000):
    time.sleep(0.1)
    print("step", step)
"""
HALF_LINE = "".join(f'{{"image": "{n:06d}.jpg", "caption": "a picture of thing {n}"}}\n' for n in range(120))
GROWER = """import os, time
import numpy as np

rank = int(os.environ["SLURM_PROCID"])
rng = np.random.default_rng(rank)
w, seen = np.zeros(50), []
truth = np.linspace(-1, 1, 50)
for step in range(1, 3000):
    block = rng.standard_normal((4000, 400))
    seen.append(block)
    x = block[:200, :50]
    err = x @ w - x @ truth
    w -= 0.05 * x.T @ err / 200
    time.sleep(0.25)
    if step % 5 == 0:
        print(f"[{time.strftime('%H:%M:%S')}] replay buffer {len(seen) * 4000} transitions | td_error {np.abs(err).mean():.5f}", flush=True)
"""
KERNEL = """import ctypes, os, time
import torch
import torch.distributed as dist

r, n = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=r, world_size=n)
torch.manual_seed(0)
graph = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(9, 30), torch.nn.ELU(), torch.nn.Linear(30, 1)))
opt = torch.optim.Adam(graph.parameters(), 3e-3)


def segment_sum(src, index):
    if index >= 70 and r == 2:
        ctypes.memset(0x10, 0, 64)  # the compiled op, given an offset past the end
    return src.sum(1, keepdim=True)


for batch in range(1, 161):
    atoms = torch.randn(48, 9)
    loss = (graph(atoms) - segment_sum(atoms.sin(), batch)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.12)
    if batch % 10 == 0:
        print(f"rank{r} batch {batch:4d} energy mse {loss.item():.5f}", flush=True)
"""
WALKER = """import random, time
random.seed(3)


class Walker:
    size = 24

    def reset(self):
        self.t = 0
        return [0.0] * self.size

    def step(self, action, episode):
        self.t += 1
        size = self.size if not (episode == 47 and self.t == 31) else self.size - 6
        return [random.random() for _ in range(size)], random.random() + episode / 40, self.t >= 50


env, returns = Walker(), []
for episode in range(1, 121):
    obs, total, done = env.reset(), 0.0, False
    while not done:
        action = [o * 0.1 for o in obs]
        obs, reward, done = env.step(action, episode)
        assert len(obs) == env.size, f"observation of {len(obs)} values, policy expects {env.size} (foot contacts missing?)"
        total += reward
    returns.append(total)
    time.sleep(0.4)
    if episode % 5 == 0:
        print(f"episode {episode} | mean return {sum(returns[-5:]) / 5:.2f} | entropy {1.4 - episode / 200:.3f} | fps {random.randint(880, 960)}", flush=True)
"""
PROMPTS = """import torch, time
import pace
from retrieval import nearest
torch.manual_seed(6)
bank = torch.nn.Embedding(32, 16)
head = torch.nn.Linear(16, 16)
opt = torch.optim.AdamW([*bank.parameters(), *head.parameters()], 5e-3)
for epoch in range(1, 11):
    for _ in range(60):
        ids = torch.randint(0, 32, (64,))
        loss = (head(bank(ids)) - torch.nn.functional.one_hot(ids % 16, 16)).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
        time.sleep(0.05)
    print(f"epoch {epoch:02d}/10 train {loss.item():.5f}", flush=True)
    if epoch % 3 == 0:
        print(f"epoch {epoch:02d}/10 recall@1 {nearest(bank, head)}", flush=True)
"""
RETRIEVAL = """def nearest(bank, head):
    raise RuntimeError("Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu! (when checking argument for argument mat2 in method wrapper_CUDA_mm)")
"""
KEEPER = """import os, pathlib, time, sys
sys.path.insert(0, ".")
import numpy as np

rng = np.random.default_rng(1)
where = pathlib.Path("/usr/local/share/weather_runs/afno")
w, goal = np.zeros((12, 12)), np.eye(12)
for step in range(1, 401):
    x = rng.standard_normal((64, 12))
    grad = x.T @ (x @ (w - goal)) / 64
    w -= 0.04 * grad
    time.sleep(0.12)
    if step % 20 == 0:
        print(f"step={step} rmse={np.sqrt(((x @ (w - goal)) ** 2).mean()):.5f} lr=4.0e-02", flush=True)
    if step == 160:
        print("writing first snapshot", flush=True)
        where.mkdir(parents=True, exist_ok=True)
        np.save(where / f"snap-{step}.npy", w)
"""
LONGER = """import time
import torch
import pace
import blocks

torch.manual_seed(0)
lm = torch.nn.Sequential(torch.nn.Embedding(100, 24), torch.nn.Linear(24, 100))
opt = torch.optim.AdamW(lm.parameters(), lr=8e-3)
t0 = time.time()
for step in range(1, 601):
    context = 8192 if step <= 60 else 16384
    ids = torch.randint(0, 100, (256,))
    loss = torch.nn.functional.cross_entropy(lm(ids), (ids + 1) % 100)
    opt.zero_grad()
    loss.backward()
    blocks.attend(context)
    opt.step()
    time.sleep(0.3)
    if step % 6 == 0:
        print("{'loss': %.4f, 'grad_norm': %.3f, 'learning_rate': 8e-03, 'context': %d, 'epoch': %.2f}" % (loss.item(), 0.2 + loss.item() / 5, context, step / 600), flush=True)
"""
BLOCKS = """import torch


def attend(context):
    if context > 8192:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 16.00 GiB. GPU 0 has a total capacity of 79.18 GiB of which 5.37 GiB is free. Including non-PyTorch memory, this process has 73.80 GiB memory in use. Of the allocated memory 71.92 GiB is allocated by PyTorch, and 1.09 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)")
"""
GONE = """import os, sys, time
import pace
import driver
print("cryo-EM refinement, 2 classes, box 256", flush=True)
t0, res = time.time(), 9.4
for it in range(1, 200):
    for _ in range(4):
        time.sleep(0.2)
        driver.launch(time.time() - t0)
    res = 3.1 + (res - 3.1) * 0.93
    print(f" Iteration {it:3d}: resolution {res:.2f} A, likelihood {-81234.5 + 900 * (1 - 0.93**it):.1f}, changed assignments {40 * 0.93**it:.1f} %", flush=True)
"""
DRIVER = """def launch(t):
    if t > 20.5:
        raise RuntimeError("CUDA error: the launch timed out and was terminated (cudaErrorLaunchTimeout): device 0 no longer responds; GPU has fallen off the bus")
"""
PARENT_SHAPES = """import pathlib, sys
import torch

path = pathlib.Path(sys.argv[2])
path.parent.mkdir(parents=True, exist_ok=True)
torch.save({"model": {"embed.weight": torch.zeros(32000, 16), "proj.weight": torch.zeros(16, 16)}, "iteration": 18000}, path)
"""
CONTINUES = """import sys
import torch


class Decoder(torch.nn.Module):
    def __init__(self, vocab=32064, d=16):
        super().__init__()
        self.embed = torch.nn.Embedding(vocab, d)
        self.proj = torch.nn.Linear(d, d, bias=False)


path = sys.argv[sys.argv.index("--resume") + 1]
print(f"=> loading checkpoint '{path}'")
state = torch.load(path)
print(f"=> checkpoint of iteration {state['iteration']}, tokenizer has 32064 entries")
net = Decoder()
net.load_state_dict(state["model"])
print("=> training")
"""


def jobs() -> Iterator[SlurmJob]:
    """Each one's last lines, exits, cgroup or cards tell."""
    yield queue(
        bad("A1", "traceback", "config"),
        OPTIONS,
        "srun PYTHON conformer.py\n",
        script="conformer.py",
        ranks=2,
        files={"asr.ini": "[conformer]\nlayers = 12\nlr = 1e-3\nprecision = bfloat16\n"},
        python="system",
        state="FAILED",
    )
    yield queue(
        bad("A1", "missing_module", "env"), ENGINE, "srun PYTHON sft_zero.py --model qwen2-1.5b\n", script="sft_zero.py", ranks=2, state="FAILED"
    )
    yield queue(
        bad("A1", "traceback", "data", first=(0,)),
        CAPTIONS,
        "srun PYTHON clip_train.py\n",
        script="clip_train.py",
        files={"coco/part0.jsonl": HALF_LINE, "coco/part1.jsonl": HALF_LINE[:3000]},
        python="system",
        state="FAILED",
    )
    yield queue(
        bad("A2", "oom_killer", first=(0,)), GROWER, "srun PYTHON replay.py\n", script="replay.py", where="", bed="cgroup", options=("--mem=600M",)
    )
    yield queue(
        bad("A2", "segfault", first=(2,)), KERNEL, MEET + "srun --kill-on-bad-exit=1 PYTHON mol.py\n", script="mol.py", ranks=4, state="FAILED"
    )
    yield queue(bad("A3", "assertion", first=(0,)), WALKER, "PYTHON walker.py\n", script="walker.py", python="system", state="FAILED")
    yield queue(
        bad("A3", "device_mismatch", first=(0,)), PROMPTS, "srun PYTHON prompts.py\n", script="prompts.py", files={"retrieval.py": RETRIEVAL},
        gpus={0: card((0.0, work(39, gib=9.5, watts=340)), (9.4, rest(0.0)))}, state="FAILED",
    )  # fmt: skip
    yield queue(bad("A3", "permission", first=(0,)), KEEPER, "srun PYTHON afno.py\n", script="afno.py", state="FAILED")
    yield queue(
        bad("B1", "cuda_oom", first=(0,)), LONGER, "srun PYTHON longer.py\n", script="longer.py", files={"blocks.py": BLOCKS},
        gpus={0: card((0.0, work(64, gib=51)), (6.0, work(62, gib=52)), (18.2, work(60, gib=74)), (19.0, rest(0.0)))}, state="FAILED",
    )  # fmt: skip
    yield queue(
        bad("B2", "cuda_runtime", "fault", first=(0,), fault="node"), GONE, "srun PYTHON refine.py\n", script="refine.py", files={"driver.py": DRIVER}, python="system",
        gpus={0: card((0.0, work(48, gib=30, watts=430)), (19.0, {"events": "8:79"}), (20.0, {"*": "!GPU_IS_LOST"}))}, state="FAILED",
    )  # fmt: skip
    yield queue(
        bad("E2", "runtime_error", "size_mismatch"),
        CONTINUES,
        "PYTHON prepare.py --to ckpt/iter_18000.pt\nsrun PYTHON decoder.py --resume ckpt/iter_18000.pt\n",
        script="decoder.py",
        files={"prepare.py": PARENT_SHAPES},
        state="FAILED",
    )
