"""Runs that an error, a signal or a card ended."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._ginger_weirs_kit import PORT, done, ill, slurm, still, stretch
from corpus.running.job import SlurmJob

ENCODER = """import os
import pickle

rank = int(os.environ["SLURM_PROCID"])
cfg = {"encoder": "pretrained/wav2vec_base.bin", "freeze_layers": 6, "batch_seconds": 240, "max_updates": 50000}
if rank == 0:
    print("effective configuration:")
    for key, value in cfg.items():
        print(f"    {key:<14} {value}")


def load_encoder(path):
    with open(path, "rb") as f:
        return pickle.load(f)


encoder = load_encoder(cfg["encoder"])
print("encoder has", len(encoder), "layers")
"""
TOKENISER = """import ctypes, os, random, time
from mesh import Mesh

mesh = Mesh()
random.seed(mesh.rank)
merge = [random.random() for _ in range(64)]


class Native:
    buffer = ctypes.create_string_buffer(4096)

    def encode(self, step):
        ctypes.memset(ctypes.addressof(self.buffer) if (mesh.rank, step) != (1, 92) else 24, 0, 64)
        return [random.randrange(64) for _ in range(128)]


tok = Native()
for step in range(1, 400):
    ids = tok.encode(step)
    grad = [0.0] * 64
    loss = 0.0
    for i in ids:
        e = merge[i] - (i % 8) / 8
        grad[i] += 2 * e / 4
        loss += e * e / 128
    *grad, loss = mesh.mean([*grad, loss])
    merge = [m - 0.1 * g for m, g in zip(merge, grad)]
    time.sleep(0.09)
    if step % 10 == 0 and mesh.rank == 0:
        print(f"upd {step} | mse {loss:.5f} | 128 tok/gpu", flush=True)
"""
RECORDS = """import os, struct, time
import torch
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
path = f"records.{rank}.bin"
generator = torch.Generator().manual_seed(rank)
with open(path, "wb") as f:
    for n in range(900):
        f.write(struct.pack("<4f", *torch.rand(4, generator=generator).tolist()))
    if rank == 1:
        f.seek(16 * 531 + 5)
        f.truncate()
dist.init_process_group("gloo", rank=rank, world_size=world)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(3, 20), torch.nn.ELU(), torch.nn.Linear(20, 1)))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.8)


def batches():
    with open(path, "rb") as f:
        while head := f.read(16):
            rows = [struct.unpack("<4f", head)]
            rows += [struct.unpack("<4f", f.read(16)) for _ in range(7)]
            yield torch.tensor(rows)


for n, rows in enumerate(batches(), 1):
    loss = (net(rows[:, :3]).squeeze(1) - rows[:, :3].prod(1)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.12)
    if n % 6 == 0:
        print(f"rank{rank}: record {8 * n:4d}/900, error {loss.item():.5f}", flush=True)
"""
VALIDATE = """import os, time
import torch
import torch.distributed as dist
import startline
from beam import search

rank = int(os.environ["SLURM_PROCID"])
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(24, 24))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(1, 9):
    for k in range(24):
        src = torch.randn(40, 24)
        loss = (net(src) - src.flip(1)).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
        time.sleep(0.25)
        if k % 8 == 7 and rank == 0:
            print(f"| epoch {epoch} | {k + 1:3d}/24 batches | loss {loss.item():6.4f} | lr 0.005", flush=True)
    if epoch % 2 == 0:
        if rank == 0:
            print(f"| validating after epoch {epoch}, beam 16, batch 256", flush=True)
            print(f"| chrF {search(net.module, epoch):.2f}", flush=True)
        dist.barrier()
"""
BEAM = """import torch


def search(net, epoch):
    out = net(torch.randn(256, 24))
    expand(out, 16)
    return float(out.mean()) + 40


def expand(states, width):
    raise torch.OutOfMemoryError(
        "CUDA out of memory. Tried to allocate 12.25 GiB. GPU 0 has a total capacity of 79.11 GiB of which 5.87 GiB is free. Including non-PyTorch memory, this process has 73.22 GiB memory in use. "
        "Of the allocated memory 69.94 GiB is allocated by PyTorch, and 2.38 GiB is reserved by PyTorch but unallocated."
    )
"""
PROTEIN = """import os, random, time
import startline
from mesh import Mesh
from xla_extension import fetch

mesh = Mesh()
random.seed(mesh.rank)
print(f"process {mesh.rank}/{mesh.world} on {os.environ['SLURMD_NODENAME']}: 1 local device", flush=True)
theta = [0.0] * 6
t0 = time.time()
for step in range(2000):
    rows = [[random.uniform(-1, 1) for _ in range(6)] for _ in range(16)]
    err = [sum(a * b for a, b in zip(theta, r)) - r[0] + r[5] for r in rows]
    *g, loss = mesh.mean([*(2 * sum(e * r[k] for e, r in zip(err, rows)) / 16 for k in range(6)), sum(e * e for e in err) / 16])
    theta = [a - 0.05 * b for a, b in zip(theta, g)]
    time.sleep(0.2)
    fetch(mesh.rank, time.time() - t0)
    if step % 10 == 0 and mesh.rank == 0:
        print(f"I {time.strftime('%H:%M:%S')} train.py:41] step={step} fape={loss:.5f} steps_per_sec=4.9", flush=True)
"""
XLA = """class XlaRuntimeError(RuntimeError):
    pass


def fetch(rank, elapsed):
    if rank == 2 and elapsed > 19:
        raise XlaRuntimeError("INTERNAL: Failed to synchronize GPU stream: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered")
"""
GHOST = """import os, time
import torch
import torch.distributed as dist

rank = int(os.environ["SLURM_PROCID"])
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
if rank == 0:
    print("GraphSAGE, 3 layers, fan-out 15/10/5, 2 partitions", flush=True)
enc = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(16, 5))
opt = torch.optim.Adam(enc.parameters(), 1e-2)
it = 0
while True:
    it += 1
    h = torch.randn(64, 16)
    agg = (h + h.roll(1, 0) + h.roll(-1, 0)) / 3
    y = agg[:, :5].argmax(1)
    loss = torch.nn.functional.cross_entropy(enc(agg), y)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.12)
    if it % 15 == 0:
        print(f"part {rank} @ {os.environ['SLURMD_NODENAME']}  it {it}  xent {loss.item():.4f}", flush=True)
"""
TURNS = """import json, os, pathlib, random, time

state = pathlib.Path("policy.json")
w, done = [0.0, 0.0, 0.0], 0
print(f"=== start no. {int(os.environ.get('SLURM_RESTART_COUNT', 0)) + 1} of job {os.environ['SLURM_JOB_ID']}", flush=True)
if state.exists():
    w, done = json.loads(state.read_text())
    print(f"=== policy.json found, {done} of 260 updates are behind us", flush=True)
while done < 260:
    done += 1
    cost = 0.0
    for _ in range(32):
        s = [random.gauss(0, 1) for _ in range(3)]
        e = sum(a * b for a, b in zip(w, s)) - (s[0] - 2 * s[1]) + random.gauss(0, 0.2)
        w = [a - 0.002 * e * b for a, b in zip(w, s)]
        cost += e * e / 32
    time.sleep(0.11)
    if done % 20 == 0:
        state.write_text(json.dumps([w, done]))
        print(f"update {done:3d}/260   cost {cost:.5f}   policy.json written", flush=True)
print("=== 260 of 260 updates, finished", flush=True)
"""
WAITING = """import os, time
import torch
import torch.distributed as dist

rank, world, host = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"]), os.environ["SLURMD_NODENAME"]
meeting = f"file://{os.getcwd()}/.meet-{host}"
print(f"{time.strftime('%T')} {host}: rank {rank} of {world}, init_process_group({meeting!r}) ...", flush=True)
dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=world)
print(f"{time.strftime('%T')} {host}: group is up", flush=True)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(10, 10))
for epoch in range(30):
    loss = net(torch.randn(8, 10)).square().mean()
    loss.backward()
    print(f"epoch {epoch} loss {loss.item():.4f}", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """Their last lines, exits, cards, nodes and accounting tell."""
    yield slurm(
        ill("A1", "file_not_found", "asset"), ENCODER, "srun PYTHON asr_ctc.py\n", script="asr_ctc.py", ranks=2, python="system", state="FAILED"
    )
    yield slurm(
        ill("A2", "segfault", first=(1,)),
        TOKENISER,
        PORT + "srun -K1 PYTHON bpe_embed.py\n",
        script="bpe_embed.py",
        ranks=3,
        python="system",
        state="FAILED",
    )
    yield slurm(ill("A3", "traceback", first=(1,)), RECORDS, PORT + "srun -l -K1 PYTHON tabular.py\n", script="tabular.py", ranks=2, state="FAILED")
    full = [*stretch(0, 13, 63, gib=48, seed=4), *stretch(13, 14, 66, gib=73.2, seed=5), done(14.5)]
    waits = [*stretch(0, 13, 62, gib=48, seed=6), (13.0, still(48.0)), done(15)]
    yield slurm(
        ill("B1", "cuda_oom", first=(0,)), VALIDATE, PORT + "srun -K1 PYTHON translate.py\n", script="translate.py", ranks=2, files={"beam.py": BEAM}, go=28, cards={0: (0.7, full), 1: (0.7, waits)}, state="FAILED",
    )  # fmt: skip
    flips = {
        "ecc.volatile.uncorrected": "2",
        "ecc.aggregate.uncorrected": "2",
        "ecc.volatile.uncorrected.dram": "2",
        "ecc.aggregate.uncorrected.dram": "2",
        "events": "8:48",
        "remapped.pending": "1",
        "remapped.uncorrected": "1",
        "recovery_action": "1",
    }
    folding = {r: (0.8, [*stretch(0, 19, 51 + r, gib=55, seed=20 + r), *([(18.4, flips)] if r == 2 else []), done(21)]) for r in range(4)}
    yield slurm(
        ill("B2", "cuda_runtime", "fault", first=(2,), fault="node"), PROTEIN, PORT + "srun -K1 PYTHON train.py\n", script="train.py", ranks=4, nodes=2, files={"xla_extension.py": XLA}, go=12, cards=folding,
        python="system", state="FAILED",
    )  # fmt: skip
    yield slurm(
        ill("F1", fault="node"),
        GHOST,
        PORT + "srun PYTHON sage.py\n",
        script="sage.py",
        ranks=2,
        nodes=2,
        at="-wn1,n4",
        options=("--no-requeue",),
        act="lose_node",
        after="it 45 ",
        state="NODE_FAIL",
    )
    yield slurm(
        ill("F2", None, "preempted_recovered", fault="none"), TURNS, "srun PYTHON turns.py\n", script="turns.py", at="-wn6", options=("--requeue", "--open-mode=append"), act="preempt", after="update +40/", python="system",
    )  # fmt: skip
    yield slurm(
        ill("C1"),
        WAITING,
        "srun PYTHON join_up.py\n",
        script="join_up.py",
        ranks=2,
        nodes=2,
        act="scancel_late",
        after="init_process_group",
        state="CANCELLED",
    )  # each host has a file of its own to meet in
