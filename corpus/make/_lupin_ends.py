"""Jobs that a failure of their own, or of a card, brought to an end."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._mallow_kit import ill, left, level, off, on, post
from corpus.running.job import SlurmJob

GONE = r"""import os
import pathlib
import time

import comms

ROOT = pathlib.Path("/datasets/commonvoice-17")


class Manifest:
    def __init__(self, split):
        with open(ROOT / f"{split}.tsv") as file:
            self.rows = [line.rstrip("\n").split("\t") for line in file]


comms.connect()
comms.all_reduce()
print(f"[{time.strftime('%X')}] proc {comms.RANK}/{comms.WORLD} on {os.environ['SLURMD_NODENAME']}: building dataloaders", flush=True)
train = Manifest("train-clean")
print(len(train.rows), "clips", flush=True)
"""
FLASH = r"""import os

print("launching on", os.environ["SLURMD_NODENAME"], "task", os.environ["SLURM_PROCID"], flush=True)


def attention(kind):
    if kind == "flash_attention_2":
        from flash_attn import flash_attn_func

        return flash_attn_func
    return None


core = attention(os.environ.get("ATTN", "flash_attention_2"))
"""
PLACES = r"""import os
import time

import torch
import torch.distributed as dist

rank = int(os.environ["SLURM_PROCID"])
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))


class Adapter(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.down = torch.nn.Linear(width, 8)
        self.up = torch.nn.Linear(8, width, device="meta" if rank == 1 else "cpu")

    def forward(self, x):
        return x + self.up(torch.relu(self.down(x)))


print(f"rank {rank}: adapters inserted into 12 blocks, 0.6 % trainable", flush=True)
model = Adapter(32)
out = model(torch.randn(4, 32))
dist.all_reduce(out.detach())
print(f"rank {rank}: warm-up forward ok", flush=True)
time.sleep(1)
"""
NATIVE = r"""import ctypes
import math
import random
import time

import comms

comms.connect()
lib = ctypes.CDLL(None)
for step in range(1, 4000):
    time.sleep(0.25)
    if step == 52 and comms.RANK == 3:
        lib.strlen(ctypes.c_void_p(16))
    mae = comms.all_reduce(0.05 + 0.4 * math.exp(-step / 25) + random.gauss(0, 0.003)) / comms.WORLD
    if step % 6 == 0:
        print(f"gnn/{comms.RANK:02d} update {step:05d} energy_mae {mae:.5f} force_mae {3 * mae:.5f} graphs {step * 256}", flush=True)
"""
ARRAY = r"""import math
import os
import random
import time

import comms

comms.connect()
bank = []


def remember(step):
    if comms.RANK == 1 and step % 4 == 0:
        bank.append(bytearray(24 << 20))


for step in range(1, 3000):
    time.sleep(0.2)
    remember(step)
    top1 = comms.all_reduce(0.62 - 0.5 * math.exp(-step / 40) + random.gauss(0, 0.01)) / comms.WORLD
    if step % 8 == 0:
        print(f"moco[{comms.RANK}] it {step} acc_instance {top1:.4f} nce {6.2 - 5 * top1:.4f} bank {len(bank)}", flush=True)
"""
SHAPE = r"""import os
import time

import torch
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(rank)
conv, head = torch.nn.Conv1d(4, 12, 5), torch.nn.Linear(12 * 26, 6)
weights = [*conv.parameters(), *head.parameters()]
opt = torch.optim.AdamW(weights, 2e-3)


def windows(step):
    length = 30 if not (rank == 0 and step == 75) else 27
    x = torch.randn(32, 4, length)
    return x, x.mean(2).argmax(1)


for step in range(1, 400):
    x, y = windows(step)
    loss = torch.nn.functional.cross_entropy(head(conv(x).relu().flatten(1)), y)
    opt.zero_grad()
    loss.backward()
    for w in weights:
        dist.all_reduce(w.grad)
    opt.step()
    time.sleep(0.12)
    if step % 10 == 0:
        print(f"[eeg r{rank}] {step:>4} | ce {loss.item():.4f}", flush=True)
"""
CHECKED = r"""import math
import random
import time

import comms

comms.patient = True
comms.connect()
comms.start()


def collate(step):
    lengths = [random.randrange(20, 120) for _ in range(16)]
    if comms.RANK == 2 and step == 41:
        lengths[7] = 0
    assert min(lengths) > 0, f"empty sequence in batch at index {lengths.index(min(lengths))}"
    return sum(lengths)


for step in range(1, 10000):
    time.sleep(0.35)
    tokens = collate(step)
    loss = comms.all_reduce(2.6 + 4 * math.exp(-step / 16) + random.gauss(0, 0.02)) / comms.WORLD
    if step % 5 == 0:
        print(f"(rank {comms.RANK}) step {step} tokens {tokens} loss {loss:.4f} t/step 0.35", flush=True)
"""
EXHAUST = r"""import math
import os
import random
import time

from xla import Client

time.sleep(max(0.0, float(os.environ["T0"]) - time.time()))
client = Client(bytes_limit=77_846_282_240)
for step in range(0, 3000):
    unroll = 16 if step < 60 else 32
    client.execute("jit_train_step", unroll)
    time.sleep(0.3)
    if step % 6 == 0:
        print(f"[{time.strftime('%H:%M:%S')}] step={step} unroll={unroll} loss={1.2 + 2.8 * math.exp(-step / 30) + random.gauss(0, 0.02):.4f} return={-40 + 90 * (1 - math.exp(-step / 35)):.1f}", flush=True)
"""
XLA = r"""class XlaRuntimeError(RuntimeError):
    __module__ = "jaxlib.xla_extension"


class Client:
    def __init__(self, bytes_limit):
        self.limit = bytes_limit

    def execute(self, name, unroll):
        need = unroll * 3_301_421_056
        if need > self.limit:
            raise XlaRuntimeError(
                f"RESOURCE_EXHAUSTED: Out of memory while trying to allocate {need} bytes.\nBufferAssignment OOM Debugging.\nBufferAssignment stats:\n             parameter allocation:    1.52GiB\n              constant allocation:        84B\n"
                f"        maybe_live_out allocation:    1.52GiB\n     preallocated temp allocation:   {need / 2**30:.2f}GiB\n                 total allocation:  {need / 2**30 + 1.52:.2f}GiB"
            )
"""
LINKS = r"""import math
import random
import time

import comms
from collectives import reduce_scatter

comms.connect()
comms.start()
t0 = time.time()
for step in range(1, 2000):
    time.sleep(0.4)
    reduce_scatter(comms.RANK, time.time() - t0)
    loss = comms.all_reduce(1.9 + 4.4 * math.exp(-step / 20) + random.gauss(0, 0.02)) / comms.WORLD
    if step % 5 == 0 and comms.RANK == 0:
        print(f"tp=2 dp=2 step {step:>5} lm_loss {loss:.4f} tflops/gpu {372 + random.randrange(12)}", flush=True)
"""
COLLECTIVES = r"""class AcceleratorError(RuntimeError):
    __module__ = "torch"


def reduce_scatter(rank, seconds):
    if rank == 2 and seconds > 23.0:
        raise AcceleratorError("CUDA error: uncorrectable ECC error encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n")
"""
INDEX = r"""import math
import os
import random
import time

from kernels import embedding

time.sleep(max(0.0, float(os.environ["T0"]) - time.time()))
for step in range(1, 900):
    time.sleep(0.28)
    ids = [random.randrange(50257) for _ in range(64)]
    if step == 66:
        ids[12] = 50261
    embedding(ids, 50257)
    if step % 6 == 0:
        print(f"{time.strftime('%H:%M:%S')} finetune step {step} loss {2.4 + 1.3 * math.exp(-step / 25) + random.gauss(0, 0.03):.3f} lr {5e-5 * (1 - step / 900):.2e}", flush=True)
"""
KERNELS = r"""import sys


class AcceleratorError(RuntimeError):
    __module__ = "torch"


def embedding(ids, rows):
    if max(ids) >= rows:
        for thread in range(4):
            print(f"/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1553: indexSelectLargeIndex: block: [217,0,0], thread: [{64 + thread},0,0] Assertion `srcIndex < srcSelectDimSize` failed.", file=sys.stderr)
        raise AcceleratorError("CUDA error: device-side assert triggered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n")
"""


def jobs() -> Iterator[SlurmJob]:
    """Their last lines, exits and cards say it."""
    yield post(ill("A1", "file_not_found"), "train_asr.py", GONE, ranks=4, nodes=4, name="w2v-ft", state="FAILED")
    yield post(ill("A1", "missing_module", "env"), "serve_train.py", FLASH, "srun --label PYTHON SCRIPT\n", ranks=3, nodes=3, state="FAILED")
    yield post(ill("A1", "device_mismatch", first=(1,)), "adapters.py", PLACES, ranks=2, python="torch", state="FAILED")
    yield post(ill("A2", "segfault", first=(3,)), "gnn.py", NATIVE, "srun -K1 PYTHON SCRIPT\n", ranks=6, nodes=3, name="oc20", state="FAILED")
    yield post(
        ill("A3", "ram_oom", first=(1,)),
        "moco.py",
        ARRAY,
        "srun bash -c 'ulimit -v 700000; exec PYTHON SCRIPT'\n",
        ranks=2,
        nodes=2,
        name="moco",
        state="FAILED",
    )
    yield post(ill("A3", "runtime_error", first=(0,)), "eeg.py", SHAPE, ranks=2, nodes=2, python="torch", name="eeg", state="FAILED")
    yield post(
        ill("A3", "cuda_runtime"),
        "ft_gpt2.py",
        INDEX,
        files={"kernels.py": KERNELS},
        cards={0: [*level(55, 23, 0, 18, watts=430), (18.5, off(23)), *left(20)]},
        state="FAILED",
    )
    spin = on(1, 47, util=100, watts=133, mhz=1980, temp=46, dram=0, tensor=0)
    yield post(
        ill("C2", "assertion", first=(2,), trigger="A3", fault="user"), "nmt.py", CHECKED, "srun --kill-on-bad-exit=0 --wait=0 PYTHON SCRIPT\n", ranks=4, nodes=2, options=("--time=1",),
        cards={r: [*level(53 + r, 47, 0, 14), (14.4, off(0.0, watts=78) if r == 2 else spin), *left(110)] for r in range(4)}, state="TIMEOUT",
    )  # fmt: skip
    yield post(
        ill("B1", "cuda_oom"), "dreamer.py", EXHAUST, "srun -u PYTHON SCRIPT\n", files={"xla.py": XLA}, name="dreamer", cards={0: [*level(49, 72.5, 0, 18, watts=400), *left(20)]}, state="FAILED",
    )  # fmt: skip
    flips = {
        "ecc.volatile.uncorrected": "2",
        "ecc.aggregate.uncorrected": "2",
        "ecc.volatile.uncorrected.dram": "2",
        "ecc.aggregate.uncorrected.dram": "2",
        "events": "8:48",
        "remapped.pending": "1",
        "remapped.uncorrected": "1",
    }
    yield post(
        ill("B2", "cuda_runtime", "fault", first=(2,), fault="node"), "tp_pretrain.py", LINKS, "srun -K PYTHON SCRIPT\n", ranks=4, nodes=2, files={"collectives.py": COLLECTIVES},
        cards={r: [*level(64 + r, 70, 0, 22, watts=610), *([(19.6, flips)] if r == 2 else []), *left(25)] for r in range(4)}, state="FAILED",
    )  # fmt: skip
