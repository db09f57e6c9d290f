"""Jobs that broke: a package, a file, a kill, a division, the network, memory, a card."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._fife_lockers_kit import at_work, during, held, ill, sbatch, told
from corpus.running.job import SlurmJob

FLASH = """import os, sys, time
import peers

print(f"[{peers.rank}] python {sys.version.split()[0]}, attention backend: flash", flush=True)
time.sleep(0.3)
from flash_attn import flash_attn_varlen_func

peers.barrier()
print(f"[{peers.rank}] model built", flush=True)
"""
JSONL = """import json, logging
import peers

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-7s %(name)s: %(message)s")
log = logging.getLogger("dpo.data")
pairs = []
log.info("reading preference pairs from prefs.jsonl")
with open("prefs.jsonl") as f:
    for number, line in enumerate(f, 1):
        row = json.loads(line)
        pairs.append((row["prompt"], row["chosen"], row["rejected"]))
log.info("%d pairs", len(pairs))
peers.barrier()
log.info("beta 0.1, reference model frozen; first step")
"""
ROWS = "".join(f'{{"prompt": "q{n}", "chosen": "yes {n}", "rejected": "no {n}"}}\n' for n in range(60))
STRUCK = """import math, os, random, time
import peers

open(f"pid-{peers.rank}", "w").write(str(os.getpid()))
dice = random.Random(peers.rank)
for step in range(1, 900):
    loss = peers.mean(4.9 * math.exp(-step / 70) + 1.2 + dice.gauss(0, 0.02))
    time.sleep(0.1)
    if step % 20 == 0:
        print(f"pid {os.getpid()} rank {peers.rank} | step {step} | seq2seq loss {loss:.4f}", flush=True)
"""
METRIC = """import math, random, time
import peers

dice = random.Random(peers.rank)


def macro_recall(hits, support):
    return sum(h / s for h, s in zip(hits, support)) / len(support)


for epoch in range(1, 9):
    for it in range(25):
        loss = peers.mean(1.6 * math.exp(-(epoch * 25 + it) / 60) + 0.2 + dice.gauss(0, 0.01))
        time.sleep(0.08)
    support = [41, 18, 7, 3] if (epoch, peers.rank) != (4, 0) else [52, 14, 3, 0]
    print(f"rank{peers.rank} epoch {epoch}/8 train_loss={loss:.4f} recall={macro_recall([int(s * 0.8) for s in support], support):.3f}", flush=True)
"""
NETWORK = """import math, random, time
import peers

dice = random.Random(peers.rank)


def all_reduce(value, step):
    if step == 140 and peers.rank == 2:
        import torch.distributed as dist
        raise dist.DistBackendError("NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2251, remote process exited or there was a network error, NCCL version 2.21.5\\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\\nLast error:\\nNET/IB: Got completion from peer 10.4.0.12<47115> with status=12 opcode=0 len=0 vendor err 129 (Send) localGid fe80::63f:7203:c2 remoteGids fe80::63f:7203:d8 hca mlx5_2")
    return peers.mean(value)


for step in range(1, 1200):
    loss = all_reduce(6.6 * math.exp(-step / 80) + 2.9 + dice.gauss(0, 0.03), step)
    time.sleep(0.1)
    if step % 20 == 0:
        print(f"{peers.host}: rank {peers.rank}: step={step} lm_loss={loss:.4f} tok/s={15200 + dice.randrange(300)}", flush=True)
"""
CACHE = """import math, random, time
import peers, torch

dice = random.Random(peers.rank)
for step in range(1, 400):
    loss = peers.mean(2.2 * math.exp(-step / 70) + 0.7 + dice.gauss(0, 0.02))
    time.sleep(0.1)
    if step % 15 == 0:
        print(f"retriever r{peers.rank} step {step} in-batch loss {loss:.4f}", flush=True)
    if step == 150 and peers.rank == 1:
        print("retriever r1 building the dense index of all passages in host memory", flush=True)
        index = torch.empty(21_000_000, 768 * 512)
"""
ADAM = """import math, random, time
import stage


class Engine:
    def __init__(self):
        print("[deepspeed-like engine] zero stage 1, fp32 master weights", flush=True)
        self.states = None

    def step(self, n):
        if n == 1 and self.states is None:
            self._initialize_states()

    def _initialize_states(self):
        import torch
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 25.10 GiB. GPU 0 has a total capacity of 79.18 GiB of which 14.03 GiB is free. Including non-PyTorch memory, this process has 65.14 GiB memory in use. Of the allocated memory 62.87 GiB is allocated by PyTorch, and 1.11 GiB is reserved by PyTorch but unallocated.")


print("loading checkpoint shards: 3/3", flush=True)
stage.ready()
engine = Engine()
for n in range(1, 100):
    time.sleep(9)
    print(f"step {n} forward/backward done, loss 1.8840, grad norm 4.31", flush=True)
    engine.step(n)
"""
FLIPPED = """import math, random, time
import peers, stage

stage.ready()
dice, began = random.Random(peers.rank), time.time()


def to_host(loss):
    if peers.rank == 1 and time.time() - began > 20:
        import torch
        raise torch.AcceleratorError("CUDA error: uncorrectable ECC error encountered\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\\n")
    return loss


for it in range(1, 700):
    time.sleep(0.4)
    loss = peers.mean(to_host(0.7 * math.exp(-it / 30) + 0.09 + dice.gauss(0, 0.004)))
    if it % 6 == 0:
        print(f"seg3d rank {peers.rank} it {it:4d}/700 dice+ce {loss:.4f} ({it / (time.time() - began):.2f} it/s)", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """What ended each is in its last lines, exits or cards."""
    yield sbatch(
        ill("A1", "missing_module", "env"),
        "varlen.py",
        "module list 2>/dev/null\nsrun --kill-on-bad-exit=0 PYTHON varlen.py\n",
        FLASH,
        ranks=4,
        nodes=2,
        state="FAILED",
    )
    torn = ROWS[:1900] + '\n{"prompt": "q61", "chosen": "yes'
    yield sbatch(
        ill("A1", "traceback", "data"),
        "dpo.py",
        "srun --kill-on-bad-exit=0 PYTHON dpo.py\n",
        JSONL,
        ranks=2,
        files={"prefs.jsonl": torn},
        state="FAILED",
    )
    yield sbatch(
        ill("A2", None, first=(1,), fault="unknown"),
        "seq2seq.py",
        "srun --kill-on-bad-exit=1 PYTHON seq2seq.py\n",
        STRUCK,
        ranks=4,
        nodes=2,
        act="kill_rank",
        after="rank 1 . step 120 ",
        state="FAILED",
    )
    yield sbatch(ill("A3", "div_zero", first=(0,)), "rare.py", "srun -K1 PYTHON rare.py\n", METRIC, ranks=3, state="FAILED")
    yield sbatch(
        ill("A3", "nccl", first=(2,), fault="unknown"),
        "pretrain.py",
        "srun --kill-on-bad-exit=1 PYTHON pretrain.py\n",
        NETWORK,
        ranks=4,
        nodes=4,
        state="FAILED",
    )
    yield sbatch(ill("A3", "ram_oom", first=(1,)), "index.py", "srun --kill-on-bad-exit=1 PYTHON index.py\n", CACHE, ranks=2, nodes=2, state="FAILED")
    full = told(held(-6, 28), during(0, 9, 66, seed=3, gib=65), [(9.1, at_work(31, gib=65.1))])
    yield sbatch(
        ill("B1", "cuda_oom", first=(0,)),
        "full_ft.py",
        "srun PYTHON full_ft.py\n",
        ADAM.replace("deepspeed-like engine", "engine"),
        cards={0: full},
        state="FAILED",
    )
    counts = {
        "ecc.volatile.uncorrected": "2",
        "ecc.aggregate.uncorrected": "2",
        "ecc.volatile.uncorrected.dram": "2",
        "ecc.aggregate.uncorrected.dram": "2",
        "events": "8:48",
        "remapped.uncorrected": "1",
        "remapped.pending": "1",
    }
    flip = {
        r: told(
            held(-3, 18), during(0, 19.3, 62, seed=60 + r, gib=27), *([[(19.4, counts)]] if r == 1 else [during(19.5, 28, 62, seed=60 + r, gib=27)])
        )
        for r in range(4)
    }
    yield sbatch(
        ill("B2", "cuda_runtime", "fault", first=(1,), fault="node"),
        "seg3d.py",
        "srun --kill-on-bad-exit=1 PYTHON seg3d.py\n",
        FLIPPED,
        ranks=4,
        nodes=2,
        cards=flip,
        state="FAILED",
    )
