"""Jobs that died of something of their own, or of their hardware."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._mallow_kit import ill, left, level, off, on, post
from corpus.running.job import SlurmJob

OPTIONS = r"""import json
import os
import sys

DEFAULTS = {"model.depth": 12, "model.width": 384, "optim.lr": 5e-4, "optim.weight_decay": 0.05, "data.root": "/datasets/inat21", "data.workers": 8, "trainer.epochs": 90}


class ConfigAttributeError(Exception):
    pass


def merge(base, overrides):
    merged = dict(base)
    for word in overrides:
        key, _, value = word.partition("=")
        if key not in merged:
            near = [k for k in merged if k.split(".")[-1][:4] == key.split(".")[-1][:4]]
            raise ConfigAttributeError(f"Key '{key}' is not in struct\n    full_key: {key}\n    object_type=dict\n    did you mean: {', '.join(near) or '-'}")
        merged[key] = json.loads(value)
    return merged


cfg = merge(DEFAULTS, sys.argv[1:])
print("task", os.environ["SLURM_PROCID"], "config", json.dumps(cfg, indent=1))
"""
CACHE = r"""import logging
import os
import pathlib

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
log = logging.getLogger("prepare")
local = int(os.environ["SLURM_LOCALID"])
cache = pathlib.Path(os.environ.get("HF_HOME", "/usr/share/hf-home")) / "modules"


def tokenizer(name):
    log.info("[%s] loading tokenizer %s", os.environ["SLURM_PROCID"], name)
    (cache / name.replace("/", "--")).mkdir(parents=True, exist_ok=True)
    return object()


def main():
    log.info("[%s] host %s local rank %d", os.environ["SLURM_PROCID"], os.environ["SLURMD_NODENAME"], local)
    tok = tokenizer("mt/nllb-mini")
    log.info("tokenizer ready %s", tok)


main()
"""
SPREADSHEETS = r"""import sys
import time

import comms

comms.connect()
held = []
print(f"[worker {comms.RANK}] feature cache is kept in host memory (--in-memory)", flush=True)
for n in range(1, 400):
    if comms.RANK == 1:
        held.append(bytearray(b"\x01") * (7 << 20))
    time.sleep(0.22)
    auc = comms.all_reduce(0.5 + 0.4 * n / (n + 30)) / comms.WORLD
    if n % 8 == 0:
        print(f"[worker {comms.RANK}] chunk {n}/400 logloss={0.2 + 0.5 * 30 / (n + 30):.4f} auc={auc:.4f} cached={len(held) * 7} MiB", flush=True)
"""
RECALL = r"""import logging
import math
import random
import sys

import comms

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="[%(asctime)s][%(name)s][%(levelname)s] %(message)s")
log = logging.getLogger(f"detector.rank{comms.RANK}")


def recall(found, boxes):
    return sum(found) / len(boxes)


def validate(epoch):
    boxes = [b for b in range(40 + comms.RANK) if not (comms.RANK == 2 and epoch >= 4)]
    found = [random.random() < 0.3 + epoch / 12 for _ in boxes]
    return recall(found, boxes)


def fit(epochs):
    import time

    for epoch in range(1, epochs + 1):
        for batch in range(1, 13):
            time.sleep(0.2)
            loss = comms.all_reduce(0.7 + 2 * math.exp(-(12 * epoch + batch) / 25) + random.gauss(0, 0.02)) / comms.WORLD
            if batch % 6 == 0 and comms.RANK == 0:
                log.info("epoch %d batch %d/12 loss_cls+box %.4f", epoch, batch, loss)
        value = validate(epoch)
        mean = comms.all_reduce(value) / comms.WORLD
        if comms.RANK == 0:
            log.info("epoch %d AR@100 %.3f", epoch, mean)


comms.connect()
fit(9)
"""
FABRIC = r'''"""The collective's backend of this code base."""
import os

RANK = int(os.environ["SLURM_PROCID"])
HOST = os.environ["SLURMD_NODENAME"]


class DistBackendError(RuntimeError):
    __module__ = "torch.distributed"


def note(level, text):
    print(f"{HOST}:{os.getpid()}:{os.getpid() + 211} [{RANK % 2}] NCCL {level} {text}", flush=True)


def hello(world):
    note("INFO", "Bootstrap : Using ib0:10.12.0.%d<0>" % (4 + RANK // 2))
    note("INFO", "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB ib0:10.12.0.%d<0>" % (4 + RANK // 2))
    note("INFO", f"comm 0x55d0c8a7{RANK:02x}10 rank {RANK} nranks {world} cudaDev {RANK % 2} - Init COMPLETE")


def broke(step):
    peer = f"10.12.0.{4 + (RANK // 2 + 1) % 4}<{41894 + RANK}>"
    note("WARN", f"NET/IB : Got completion from peer {peer} with status=12 opcode=0 len=0 vendor err 129 (Recv) localGid fe80::b859:9f03:d4 remoteGids fe80::b859:9f03:e1")
    note("INFO", "transport/net.cc:1298 -> 6")
    return DistBackendError(
        "NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2251, remote process exited or there was a network error, NCCL version 2.21.5\n"
        "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\n"
        f"Last error:\nNET/IB : Got completion from peer {peer} with status=12 opcode=0 len=0 vendor err 129 (Recv)"
    )
'''
ZERO = r"""import math
import random
import time

import comms
import fabric

fabric.hello(comms.WORLD)
comms.connect()
comms.start()


def backward(step):
    if step == 58:
        raise fabric.broke(step)


def training_step(step):
    began = time.perf_counter()
    time.sleep(0.38)
    loss = comms.all_reduce(2.2 + 6 * math.exp(-step / 25) + random.gauss(0, 0.02)) / comms.WORLD
    backward(step)
    if step % 5 == 0:
        print(f"[{comms.RANK}] step={step} loss={loss:.4f} tokens/s/gpu={8192 / (time.perf_counter() - began):.0f}", flush=True)


for step in range(1, 5001):
    training_step(step)
"""
CROP = r"""import math
import random
import time

import comms
from allocator import CachingAllocator

pool = CachingAllocator(gib=79.15)
comms.connect()
comms.start()
lengths = [random.Random(3 + comms.RANK).choice((512, 768, 1024)) for _ in range(200)]
if comms.RANK == 1:
    lengths[57] = 8192


def forward(step):
    pool.take("activations", lengths[step] * 0.0067)
    return 0.9 + 1.8 * math.exp(-step / 30) + random.gauss(0, 0.02)


for step in range(200):
    loss = comms.all_reduce(forward(step)) / comms.WORLD
    pool.free("activations")
    time.sleep(0.3)
    if step % 6 == 0:
        print({"rank": comms.RANK, "step": step, "loss": round(loss, 4), "max_len": lengths[step], "grad_norm": round(0.6 + random.random() / 5, 3)}, flush=True)
"""
ALLOCATOR = r"""class OutOfMemoryError(RuntimeError):
    __module__ = "torch"


class CachingAllocator:
    def __init__(self, gib):
        self.total, self.held = gib, {"weights": 31.2, "optimizer": 17.6}

    def take(self, what, gib):
        used = sum(self.held.values())
        if used + gib > self.total:
            raise OutOfMemoryError(
                f"CUDA out of memory. Tried to allocate {gib:.2f} GiB. GPU 1 has a total capacity of {self.total:.2f} GiB of which {self.total - used - 6.4:.2f} GiB is free. Process 30417 has {used + 6.4:.2f} GiB memory in use. "
                f"Of the allocated memory {used:.2f} GiB is allocated by PyTorch, and 5.71 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  "
                "See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
            )
        self.held[what] = gib

    def free(self, what):
        del self.held[what]
"""
FOLD = r"""import math
import random
import sys
import time

import comms
from driver import check

comms.connect()
comms.start()
t0 = time.time()
for cycle in range(1, 900):
    time.sleep(0.33)
    if comms.RANK == 3:
        check(time.time() - t0)
    lddt = comms.all_reduce(0.78 - 0.5 * math.exp(-cycle / 40) + random.gauss(0, 0.006)) / comms.WORLD
    if cycle % 9 == 0 and comms.RANK % 2 == 0:
        sys.stdout.write(f"{time.strftime('%H:%M:%S')} fold/{comms.RANK} cycle={cycle:<4d} fape={2.4 * (1 - lddt):.4f} plddt={100 * lddt:.2f}\n")
        sys.stdout.flush()
"""
DRIVER = r"""class AcceleratorError(RuntimeError):
    __module__ = "torch"


def check(seconds):
    if seconds > 23.5:
        raise AcceleratorError(
            "CUDA error: unknown error\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\n"
            "For debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
        )
"""


def jobs() -> Iterator[SlurmJob]:
    """What ended each is in its last words, in its exits, in Slurm's account of its memory, or in its card's counters."""
    yield post(
        ill("A1", "traceback", "config"),
        "train.py",
        OPTIONS,
        "srun PYTHON SCRIPT model.depth=24 optim.weight_decy=0.1 trainer.epochs=60\n",
        ranks=4,
        nodes=2,
        state="FAILED",
    )
    yield post(
        ill("A1", "permission"), "prepare.py", CACHE, "set -e\nsrun PYTHON SCRIPT\necho prepared\n", ranks=4, nodes=4, name="nllb-ft", state="FAILED"
    )
    yield post(
        ill("A2", "oom_killer", first=(1,)),
        "features.py",
        SPREADSHEETS,
        "srun --kill-on-bad-exit=1 PYTHON SCRIPT --in-memory\n",
        ranks=2,
        nodes=2,
        where="",
        options=("--mem=300M",),
        bed="cgroup",
        state="FAILED",
    )
    yield post(ill("A3", "div_zero", first=(2,)), "detector.py", RECALL, ranks=4, nodes=2, state="FAILED")
    yield post(
        ill("A3", "nccl", fault="cluster"), "pretrain.py", ZERO, ranks=8, nodes=4, name="llm-1b", files={"fabric.py": FABRIC},
        cards={r: [*level(60 + r % 4, 66, 0, 22, watts=590), *left(25)] for r in range(8)}, state="FAILED",
    )  # fmt: skip
    yield post(
        ill("B1", "cuda_oom", first=(1,)), "sft.py", CROP, ranks=2, files={"allocator.py": ALLOCATOR},
        cards={0: [*level(58, 61, 0, 18), *left(20)], 1: [*level(59, 63, 0, 17), (17.0, on(60, 78.6, watts=540)), *left(20)]}, state="FAILED",
    )  # fmt: skip
    lost = [*level(63, 44, 0, 23, watts=580), (20.4, {"events": "8:79"}), (21.6, {"*": "!GPU_IS_LOST"})]
    yield post(
        ill("B2", "cuda_runtime", "fault", first=(3,), fault="node"), "fold.py", FOLD, "srun --kill-on-bad-exit=1 PYTHON SCRIPT\n", ranks=4, nodes=2, name="fold", files={"driver.py": DRIVER},
        cards={**{r: [*level(61 + r, 44, 0, 24, watts=570), (24.0, off(0.0, watts=90))] for r in range(3)}, 3: lost}, state="FAILED",
    )  # fmt: skip
