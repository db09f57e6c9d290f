"""Jobs that ended themselves, or whose own faults, kernel or card ended them."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

from corpus.make._fern_turbines_wire import WIRE
from corpus.make._sorrel_docks_kit import SLOW_S, busy, hand_in, ill, span, still
from corpus.running.job import SlurmJob

CAPTIONS = """import argparse
import struct

ap = argparse.ArgumentParser()
ap.add_argument("--encoder", default="/datasets/hub/siglip-base-224/encoder.bin")
ap.add_argument("--beams", type=int, default=4)
args = ap.parse_args()
print(f"captioning 5000 images, beams={args.beams}")
print(f"loading vision encoder {args.encoder}")
with open(args.encoder, "rb") as f:
    (layers,) = struct.unpack("<i", f.read(4))
print(f"{layers} layers")
"""
VOXELS = """import ctypes
import os
import random

import wire
from beat import until

wire.join()
libc = ctypes.CDLL("libc.so.6")
dice = random.Random(wire.me)
level = 0.0
print(f"part {wire.me}/{wire.count} on {os.environ['SLURMD_NODENAME']}: voxel grid 64^3, native gather", flush=True)


def gather(address, n):
    buffer = ctypes.create_string_buffer(n)
    libc.memcpy(buffer, ctypes.c_void_p(address), n)
    return sum(buffer.raw) / n


plane = ctypes.create_string_buffer(bytes(range(200)) * 4)
base = ctypes.addressof(plane)
for it in range(1, 400):
    shift = 0 if it < 88 or wire.me != 1 else -base + 16
    seen = gather(base + shift, 256) / 255 + dice.gauss(0, 0.05)
    miss = sum(wire.everyone(level - seen)) / wire.count
    level -= 0.05 * miss
    until(it * 0.12)
    if it % 10 == 0 and wire.me == 0:
        print(f"iter {it} | occupancy loss {miss * miss:.6f} | level {level:.4f}", flush=True)
"""
REGIONS = """import os
import random

import wire
from beat import until

REGIONS = {0: ["coast", "delta"], 1: ["hills"], 2: ["desert"], 3: ["forest", "steppe"]}
wire.join()
dice = random.Random(wire.me)
validation = [(r, dice.gauss(0, 1)) for r in REGIONS[wire.me] if r != "desert" for _ in range(12)]
host, w = os.environ["SLURMD_NODENAME"], 0.0


def validate():
    return sum((w * x - 0.8 * x) ** 2 for _, x in validation) / len(validation)


print(f"{host} rank {wire.me}: regions {'+'.join(REGIONS[wire.me])}, {len(validation)} validation stations", flush=True)
for epoch in range(1, 9):
    for k in range(40):
        x = [dice.gauss(0, 1) for _ in range(16)]
        grad = sum((w * v - 0.8 * v + dice.gauss(0, 0.1)) * v for v in x) / 8
        w -= 0.01 * sum(wire.everyone(grad)) / wire.count
        until(((epoch - 1) * 40 + k + 1) * 0.1)
        if (k + 1) % 10 == 0 and wire.me == 0:
            print(f"{host} rank 0: epoch {epoch} batch {k + 1}/40 mse {(w - 0.8) ** 2:.5f}", flush=True)
    if epoch % 3 == 0:
        scores = wire.everyone(validate())
        if wire.me == 0:
            print(f"{host} rank 0: epoch {epoch} validation {scores}", flush=True)
"""
CROPS = """import random
import sys

from beat import until
from engine import compile_step

dice = random.Random(19)
kernel = 3.0
stages = [(2048, 50), (8192, 50), (32768, 50)]
done = 0
for length, updates in stages:
    step = compile_step(length)
    print(f"I {done:5d} sequence length {length}, {updates} updates")
    for k in range(updates):
        xs = [dice.gauss(0, 1) for _ in range(32)]
        loss = sum((kernel * x - 1.2 * x) ** 2 for x in xs) / 32
        kernel -= 0.03 * sum((kernel - 1.2) * x * x for x in xs) / 32
        done += 1
        until(done * 0.2)
        if done % 10 == 0:
            print(f"I {done:5d} loss={loss:.5f} tokens={done * length}")
"""
ENGINE = """class XlaRuntimeError(RuntimeError):
    pass


def compile_step(length):
    if length > 10000:
        raise XlaRuntimeError("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 51539607552 bytes.\\nBufferAssignment OOM Debugging.\\nBufferAssignment stats:\\n             parameter allocation:   11.62GiB\\n             preallocated temp allocation:   48.00GiB\\n              total allocation:   71.24GiB\\nPeak buffers:\\n\\tBuffer 1:\\n\\t\\tSize: 48.00GiB\\n\\t\\tOperator: op_name=\\"jit(step)/attention/dot_general\\"\\n\\t\\tShape: f32[12,32768,32768]")
    return length
"""
GALAXY = """import torch
from beat import since, until
from rt import barrier

torch.manual_seed(23)
net = torch.nn.Sequential(torch.nn.Conv2d(1, 6, 3), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(2), torch.nn.Flatten(), torch.nn.Linear(24, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.08, momentum=0.9)
print("galaxy zoo, 3 shapes, device 0, 400 iterations")
for i in range(1, 401):
    shape = torch.arange(30) % 3
    sky = 0.4 * torch.randn(30, 1, 16, 16)
    for k in range(30):
        sky[k, 0, 4:12, 4 + int(shape[k]):12] += 0.5 * float(shape[k])
    loss = torch.nn.functional.cross_entropy(net(sky), shape)
    opt.zero_grad()
    loss.backward()
    opt.step()
    until(i * 0.2)
    barrier(since())
    if i % 10 == 0:
        print(f"iteration {i}: loss {loss.item():.4f}, {i / since():.2f} it/s")
"""
RT = """import torch


def barrier(seconds):
    if seconds > 20.6:
        raise torch.AcceleratorError("CUDA error: uncorrectable ECC error encountered\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\\n")
"""
CONTINUE = """import pathlib
import pickle
import random
import sys
import time

source = pathlib.Path(sys.argv[sys.argv.index("--resume") + 1])
print(f"resuming from {source} ({source.stat().st_size} bytes)")
with source.open("rb") as f:
    saved = pickle.load(f)
w, step = saved["weights"], saved["step"]
print(f"resumed at step {step}")
dice = random.Random(step)
while step < 3000:
    step += 1
    w = [a - 0.01 * dice.gauss(0, 1) for a in w]
    time.sleep(0.05)
    if step % 50 == 0:
        print(f"step {step}/3000")
"""
TORN = pickle.dumps({"step": 1800, "lr": 0.0004, "weights": [((i * 37) % 101) / 101 for i in range(300)], "moments": [0.5] * 300}, protocol=0).decode(
    "ascii"
)


def jobs() -> Iterator[SlurmJob]:
    """Their last lines, exits and cards tell."""
    yield hand_in(
        ill("A1", "file_not_found", "asset", first=(0,)), "FAILED", "srun PYTHON caption.py --beams 3\n", {"caption.py": CAPTIONS}, name="caption"
    )
    yield hand_in(
        ill("A2", "segfault", first=(1,)), "FAILED", "srun --kill-on-bad-exit=1 PYTHON voxels.py\n", {"voxels.py": VOXELS, "wire.py": WIRE}, tasks=3, name="voxels",
    )  # one of them follows a pointer to nothing  # fmt: skip
    yield hand_in(
        ill("A3", "div_zero", first=(2,)), "FAILED", "srun PYTHON regions.py\n", {"regions.py": REGIONS, "wire.py": WIRE}, tasks=4, nodes=2, name="regions",
    )  # fmt: skip
    yield hand_in(
        ill("B1", "cuda_oom", first=(0,)), "FAILED", "srun PYTHON crops.py\n", {"crops.py": CROPS, "engine.py": ENGINE},
        cards={0: [*span(57, 0, 10, gib=28), *span(66, 10, 20, gib=52), (20.4, still())]}, name="long-ctx",
    )  # fmt: skip
    ecc = {k: "2" for place in ("", ".dram") for k in (f"ecc.volatile.uncorrected{place}", f"ecc.aggregate.uncorrected{place}")}
    spoilt = {"events": "8:48 8:63", "remapped.uncorrected": "1", "remapped.pending": "1", "recovery_action": "1", **ecc}
    yield hand_in(
        ill("B2", "cuda_runtime", "fault", first=(0,), fault="node"), "FAILED", "srun PYTHON galaxy.py\n", {"galaxy.py": GALAXY, "rt.py": RT}, python="torch", begin_s=SLOW_S,
        cards={0: [*span(52, 0, 19, gib=24), (18.8, {**busy(52, gib=24), **spoilt}), (21.5, still())]}, name="galaxy",
    )  # fmt: skip
    yield hand_in(
        ill("E2", "traceback", "corrupt", first=(0,)), "FAILED", "srun PYTHON cont.py --resume ckpt/last.pkl\n", {"cont.py": CONTINUE, "ckpt/last.pkl": TORN[: len(TORN) * 3 // 5]}, name="cont",
    )  # fmt: skip
