"""Jobs that fell over."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._mallow_spokes_kit import Span, batch, card, ill
from corpus.running.job import SlurmJob

NOFLASH = """import time

from crew import NODE, RANK, WORLD

print(f"[{NODE}:{RANK}] python 3.11, world {WORLD}", flush=True)
time.sleep(0.5)
if RANK == 0:
    print("building model olmo-1b (attention: flash)", flush=True)
from flash_attn import flash_attn_func
"""
DENIED = """import glob
import time

from crew import NODE, RANK, WORLD, Crew

crew = Crew()
if RANK == 0:
    print(f"indexing {len(glob.glob('records/*.rec'))} record files over {WORLD} ranks", flush=True)
index = []
for path in sorted(glob.glob("records/*.rec"))[RANK::WORLD]:
    with open(path, "rb") as f:
        index.append(len(f.read()))
    time.sleep(0.2)
print(f"rank {RANK}: {sum(index)} records", flush=True)
crew.barrier()
"""
TRUNCATED = """import faulthandler
import math
import mmap
import os
import time

from crew import RANK, Crew

faulthandler.enable()
crew = Crew()
name = f"events-{RANK}.bin"
with open(name, "wb") as f:
    f.write(b"\\x07" * (4 << 20))
with open(name, "r+b") as f:
    events = mmap.mmap(f.fileno(), 0)
for step in range(1, 500):
    if step == 100 and RANK == 1:
        os.truncate(name, 1 << 20)
    first = events[(step * 32768) % (4 << 20) - 1]
    loss = crew.mean(0.02 * first + 0.2 + 0.7 * math.exp(-step / 40))
    time.sleep(0.14)
    if step % 10 == 0 and RANK == 0:
        print(f"jet-tagging step {step} bce {loss:.4f}", flush=True)
"""
EMA = """import math
import time

from crew import RANK, Crew
from ema import Averaged

crew = Crew()
shadow = Averaged("cpu")
for step in range(1, 1001):
    loss = crew.mean(0.05 + 0.8 * math.exp(-step / 50))
    time.sleep(0.12)
    if RANK == 0 and step % 12 == 0:
        print(f"[{time.strftime('%H:%M:%S')}] {step:06d} l1={loss:.4f} psnr={20 - 12 * math.log10(loss):.2f}", flush=True)
    if step == 150 and RANK == 0:
        print("evaluating with averaged weights", flush=True)
        shadow.evaluate("cuda:0")
    if step % 150 == 0:
        crew.barrier()
"""
EMALIB = """class Averaged:
    def __init__(self, device):
        self.device = device

    def evaluate(self, device):
        return linear(self.device, device)


def linear(weight, inputs):
    if weight != inputs:
        raise RuntimeError(f"Expected all tensors to be on the same device, but found at least two devices, {inputs} and {weight}! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)")
"""
NEAREST = """import time

import numpy as np

rng = np.random.default_rng(3)
weights = rng.normal(size=(32, 32)) * 0.1
target = np.eye(32)
for epoch in range(1, 31):
    for _ in range(20):
        x = rng.normal(size=(64, 32))
        error = x @ weights - x @ target + rng.normal(size=(64, 32)) * 0.4
        weights -= 0.08 * x.T @ error / 64
    time.sleep(0.5)
    print(f"contrastive epoch {epoch:02d}: objective {float((error ** 2).mean()):.5f}", flush=True)
    if epoch == 25:
        print("building the full similarity matrix for retrieval metrics (1.1 M captions)", flush=True)
        captions = np.broadcast_to(weights[0], (1_100_000, 32))
        similarity = np.empty((len(captions), len(captions)), dtype=np.float64)
        similarity[:] = captions @ captions.T
"""
PREALLOC = """import time

import opening
from device import step_fn

print("devices: [CudaDevice(id=0)]  XLA_PYTHON_CLIENT_MEM_FRACTION=.90", flush=True)
print("model: gemma-9b, sequence 8192, per-device batch 8, remat: none", flush=True)
time.sleep(6)
print("params loaded in 6.0 s, compiling train_step", flush=True)
time.sleep(5)
print("compiled", flush=True)
for step in range(1, 1000):
    metrics = step_fn(step)
    print(step, metrics, flush=True)
"""
DEVICE = """XlaRuntimeError = type("XlaRuntimeError", (RuntimeError,), {"__module__": "jaxlib.xla_extension"})


def step_fn(step):
    return _execute_compiled(step)


def _execute_compiled(step):
    raise XlaRuntimeError("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 41875931136 bytes.")
"""
FLIPPED = """import math
import time

import opening
from crew import NODE, RANK, WORLD, Crew
from solver import forces

crew = Crew()
began = time.time()
for step in range(1, 500):
    mae = crew.mean(forces(RANK, time.time() - began) * (0.03 + 0.25 * math.exp(-step / 40)))
    time.sleep(0.3)
    if RANK == 0 and step % 8 == 0:
        print(f"step={step} nodes={WORLD // 2} force_mae={mae:.5f} lr=1.0e-03 t={time.time() - began:.1f}s", flush=True)
"""
SOLVER = """AcceleratorError = type("AcceleratorError", (RuntimeError,), {"__module__": "torch"})


def forces(rank, seconds):
    if rank == 2 and seconds > 24.5:
        raise AcceleratorError("CUDA error: uncorrectable ECC error encountered\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\\n")
    return 1.0
"""
TORN = """import sys
import torch

path = sys.argv[sys.argv.index("--init-from") + 1]
print("loading", path, flush=True)
state = torch.load(path, map_location="cpu")
print("resumed at iteration", state["iteration"], flush=True)
"""
TEAR = (
    "mkdir -p exp/tts\nPYTHON -c \"import torch; torch.save({'iteration': 42000, 'weights': torch.randn(400, 300)}, 'exp/tts/iter_42000.pt')\"\n"
    "truncate -s 190000 exp/tts/iter_42000.pt\nls -l exp/tts\n"
)
NOCLIP = """import math
import random
import time

from crew import RANK, Crew

crew = Crew()
dice = random.Random(RANK)
level = 0.0
for step in range(1, 241):
    if step >= 140:
        level = min(6.1, level + dice.uniform(0.2, 1.1))
    loss = crew.mean(2.6 + 6 * math.exp(-step / 30) + level + dice.gauss(0, 0.03 + level / 12))
    time.sleep(0.12)
    if RANK == 0 and step % 10 == 0:
        print(f"it {step:>3}/240 | loss {loss:7.4f} | gnorm {0.7 + 25 * level * dice.random() + 3 * math.exp(-step / 20):8.3f} | lr 6.0e-03 | wd 0.1 | tokens {step * 0.524:.1f}M", flush=True)
if RANK == 0:
    print("run complete at it 240", flush=True)
"""
CHANCE = """import random
import time

dice = random.Random(6)
print("ViT-S/16 on CIFAR-10, lr=0.5, warmup=0, 30 epochs", flush=True)
for epoch in range(1, 31):
    time.sleep(0.7)
    print(f"epoch {epoch:3d}/30  train_loss {2.3026 + dice.gauss(0, 0.0008):.4f}  train_acc {0.1 + dice.gauss(0, 0.0012):.4f}  val_loss {2.3026 + abs(dice.gauss(0, 0.0003)):.4f}  val_acc 0.1000", flush=True)
print("finished 30 epochs, best val_acc 0.1000", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """A package, a file's mode, a map cut short, memory of two kinds, a bit in a card; and curves."""
    yield batch(
        ill("A1", "missing_module", "env", failed_ranks=tuple(range(8))),
        NOFLASH,
        "srun --label PYTHON olmo.py\n",
        name="olmo.py",
        ranks=8,
        nodes=2,
        state="FAILED",
    )
    records = "mkdir records\nfor i in $(seq -w 0 15); do head -c 3000 /dev/zero > records/part-$i.rec; done\nchmod 000 records/part-07.rec\n"
    yield batch(
        ill("A1", "permission", "data", first_ranks=(3,)),
        DENIED,
        records + "srun -K1 PYTHON ingest.py\n",
        name="ingest.py",
        ranks=4,
        nodes=2,
        state="FAILED",
    )
    yield batch(ill("A2", None, first_ranks=(1,)), TRUNCATED, "srun -K1 PYTHON jets.py\n", name="jets.py", ranks=2, state="FAILED")
    yield batch(
        ill("A3", "device_mismatch", first_ranks=(0,)),
        EMA,
        "srun -K1 PYTHON superres.py\n",
        name="superres.py",
        ranks=2,
        nodes=2,
        files={"ema.py": EMALIB},
        state="FAILED",
    )
    yield batch(ill("A3", "ram_oom", failed_ranks=(0,), first_ranks=(0,)), NEAREST, "srun PYTHON clip_np.py\n", name="clip_np.py", state="FAILED")
    fills = (Span(6, gib=71.4, tick=2), Span(5, gib=72.1, util=3, tick=1), Span(0.8, sm=18, gib=78.9, tick=0.4))
    yield batch(
        ill("B1", "cuda_oom", failed_ranks=(0,), first_ranks=(0,)), PREALLOC, "srun PYTHON gemma.py\n", name="gemma.py", files={"device.py": DEVICE}, cards={0: card(*fills, seed=300)}, state="FAILED",
    )  # fmt: skip
    flip = {
        "ecc.volatile.uncorrected": "1",
        "ecc.aggregate.uncorrected": "1",
        "ecc.volatile.uncorrected.dram": "1",
        "ecc.aggregate.uncorrected.dram": "1",
        "events": "8:48 8:63",
        "remapped.uncorrected": "1",
        "remapped.pending": "1",
    }
    yield batch(
        ill("B2", "cuda_runtime", "fault", fault="node", first_ranks=(2,)), FLIPPED, "srun -K1 PYTHON nequip.py\n", name="nequip.py", ranks=4, nodes=2, files={"solver.py": SOLVER},
        cards={r: card(Span(25.2, sm=58, gib=30), seed=310 + r, extra=((23.6, flip),) if r == 2 else ()) for r in range(4)}, state="FAILED",
    )  # fmt: skip
    yield batch(
        ill("E2", "runtime_error", "corrupt", failed_ranks=(0,), first_ranks=(0,)),
        TORN,
        TEAR + "srun PYTHON vits.py --init-from exp/tts/iter_42000.pt\n",
        name="vits.py",
        state="FAILED",
    )
    yield batch(ill("E1", None, "spike"), NOCLIP, "srun PYTHON nano.py\n", name="nano.py", ranks=2, nodes=2, state="COMPLETED")
    yield batch(ill("E1", None, "flat"), CHANCE, "srun PYTHON vit_cifar.py\n", name="vit_cifar.py", state="COMPLETED")
