"""Runs that an error, a signal, a card or a node ended."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._ginger_weirs_kit import PORT, done, ill, slurm, stretch
from corpus.running.job import SlurmJob

HELLO = """import os
print("rank", os.environ["SLURM_PROCID"], "of", os.environ["SLURM_NTASKS"], "ready")
"""
FLASH = """import os, sys
import torch

print(f"node rank {os.environ['SLURM_NODEID']}, torch {torch.__version__}, python {sys.version.split()[0]}", flush=True)
from flash_attn import flash_attn_func


def block(q, k, v):
    return flash_attn_func(q, k, v, causal=True)


print(block(*torch.randn(3, 1, 8, 2, 16)).shape)
"""
REPLAY = """import random, time

random.seed(3)
replay, value, step = [], 0.0, 0
print("DQN, replay capacity 4000000 transitions", flush=True)
while True:
    step += 1
    replay.append(bytearray(random.getrandbits(8) for _ in range(64)) * 40000)
    frame = random.choice(replay)
    target = frame[0] / 255
    value += 0.1 * (target - value)
    time.sleep(0.12)
    if step % 10 == 0:
        print(f"frame {step * 4:6d}  td_error {abs(target - value):.4f}  replay {len(replay)} chunks", flush=True)
"""
ERRORS = """import os, random, time
from mesh import Mesh

mesh = Mesh()
random.seed(mesh.rank)
say = lambda text: print(f"<{mesh.rank}> {text}", flush=True)
w = [0.0] * 4


def word_error_rate(references, hypotheses):
    wrong = sum(r != h for r, h in zip(references, hypotheses))
    return wrong / len(references)


for epoch in range(1, 13):
    for _ in range(10):
        rows = [[random.gauss(0, 1) for _ in range(4)] for _ in range(16)]
        err = [sum(a * b for a, b in zip(w, r)) - (r[0] + r[1] - r[3]) for r in rows]
        *g, loss = mesh.mean([*(2 * sum(e * r[k] for e, r in zip(err, rows)) / 16 for k in range(4)), sum(e * e for e in err) / 16])
        w = [a - 0.03 * b for a, b in zip(w, g)]
        time.sleep(0.1)
    speaker = ["ada", "bea", "cyd", "dot"][epoch % 4]
    spoken = [] if (mesh.rank, epoch) == (0, 6) else [random.random() < 0.5 for _ in range(20)]
    rate = word_error_rate(spoken, [True] * 20)
    say(f"epoch {epoch} train {loss:.5f} WER[{speaker}] {rate:.3f}")
"""
LAST = """import os
import time

import torch

torch.manual_seed(int(os.environ["SLURM_ARRAY_TASK_ID"]))
data = torch.randn(1300, 16)
state = torch.zeros(32, 8)
enc, dec = torch.nn.Linear(16, 8), torch.nn.Linear(8, 16)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], 5e-3)
print("stateful autoencoder, 1300 windows, batches of 32, 10 epochs")
for n, window in enumerate(data.split(32), 1):
    for _ in range(12):
        code = torch.tanh(enc(window) + 0.1 * state)
        loss = (dec(code) - window).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
    state = code.detach()
    time.sleep(0.1)
    if n % 4 == 0:
        print(f"epoch 1 batch {n}/41 mse {loss.item():.4f}", flush=True)
"""
BUCKETS = """import math, random, time
import startline
from xla_extension import allocate

random.seed(1)
w = [0.0] * 3
plan = [512] * 26 + [2048] * 26 + [8192] * 60
print("flax seq2seq, buckets 512/2048/8192 by length, preallocated 0.75 of the device", flush=True)
for step, length in enumerate(plan):
    allocate(step, length)
    rows = [[random.gauss(0, 1) for _ in range(3)] for _ in range(24)]
    err = [sum(a * b for a, b in zip(w, r)) - r[0] * 2 for r in rows]
    w = [a - 0.05 * sum(e * r[k] for e, r in zip(err, rows)) / 24 for k, a in enumerate(w)]
    time.sleep(0.27)
    if step % 6 == 0:
        print(f"step {step} bucket {length} loss {sum(e * e for e in err) / 24:.5f} ppl {math.exp(sum(e * e for e in err) / 24):.3f}", flush=True)
"""
ALLOCATE = """class XlaRuntimeError(RuntimeError):
    pass


def allocate(step, length):
    if length > 4096:
        raise XlaRuntimeError(
            "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 34426847232 bytes.\\nBufferAssignment OOM Debugging.\\nBufferAssignment stats:\\n"
            "             parameter allocation:    2.11GiB\\n              constant allocation:      128B\\n         preallocated temp allocation:   32.06GiB\\n                 total allocation:   34.19GiB"
        )
"""
OFFBUS = """import os, random, time
import startline
from mesh import Mesh
from backend import matmul

mesh = Mesh()
random.seed(9 * mesh.rank)
w, t0 = [0.0] * 4, time.time()
for it in range(1, 3000):
    rows = [[random.gauss(0, 1) for _ in range(4)] for _ in range(16)]
    err = [sum(matmul(mesh.rank, time.time() - t0, w, r)) - r[2] for r in rows]
    *g, loss = mesh.mean([*(2 * sum(e * r[k] for e, r in zip(err, rows)) / 16 for k in range(4)), sum(e * e for e in err) / 16])
    w = [a - 0.04 * b for a, b in zip(w, g)]
    time.sleep(0.2)
    if it % 12 == 0:
        print(f"{time.strftime('%H:%M:%S')} gpu{mesh.rank} iter={it} ctc={loss:.5f}", flush=True)
"""
BACKEND = """class AcceleratorError(RuntimeError):
    pass


def matmul(rank, elapsed, a, b):
    if rank == 1 and elapsed > 18:
        raise AcceleratorError("CUDA error: unknown error\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.")
    return [x * y for x, y in zip(a, b)]
"""
BROKEN = """import pathlib, sys
import torch

path = pathlib.Path(sys.argv[sys.argv.index("--resume-from") + 1])
net = torch.nn.Sequential(torch.nn.Linear(50, 900), torch.nn.ReLU(), torch.nn.Linear(900, 50))
opt = torch.optim.AdamW(net.parameters(), 1e-3)
print(f"resume: reading {path} ({path.stat().st_size} bytes)", flush=True)
state = torch.load(path, map_location="cpu")
net.load_state_dict(state["net"]); opt.load_state_dict(state["opt"])
for step in range(state["step"], 20000):
    x = torch.randn(64, 50)
    loss = (net(x) - x).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    print("step", step, "loss", loss.item())
"""
STAGE = """import os, torch
net = torch.nn.Sequential(torch.nn.Linear(50, 900), torch.nn.ReLU(), torch.nn.Linear(900, 50))
opt = torch.optim.AdamW(net.parameters(), 1e-3)
torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "step": 8000}, "step8000.pt")
os.truncate("step8000.pt", os.path.getsize("step8000.pt") * 2 // 3)
print("stage-in: step8000.pt is here")
"""
SHALLOW = """import os, random, time
from mesh import Mesh

mesh = Mesh()
random.seed(4 + mesh.rank)
h = [random.random() for _ in range(5)]
k = 0
while True:
    k += 1
    obs = [0.5 + random.gauss(0, 0.05) for _ in range(5)]
    *h, misfit = mesh.mean([*(a - 0.05 * (a - o) for a, o in zip(h, obs)), sum((a - o) ** 2 for a, o in zip(h, obs))])
    time.sleep(0.1)
    if k % 20 == 0:
        print(f"({os.environ['SLURMD_NODENAME']}, task {mesh.rank}) assimilation cycle {k}: misfit {misfit:.6f}", flush=True)
"""
EVICTED = """import random, time

random.seed(8)
m, sigma, n = [random.uniform(-4, 4) for _ in range(24)], 0.5, 0
cost = lambda v: sum(a * a for a in v)
while n < 4000:
    n += 1
    tries = sorted(([a + random.gauss(0, sigma) for a in m] for _ in range(8)), key=cost)
    if cost(tries[0]) < cost(m):
        m, sigma = tries[0], sigma * 1.1
    else:
        sigma = max(sigma * 0.8, 1e-6)
    time.sleep(0.1)
    if n % 20 == 0:
        print(f"generation {n}/4000 best {cost(m):.3e} sigma {sigma:.2e}", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """Their last lines, exits, cards, nodes and accounting tell."""
    yield slurm(
        ill("A1", None, "config"),
        HELLO,
        'echo "starting 96 ranks"\nsrun -n96 PYTHON hello.py\n',
        script="hello.py",
        ranks=2,
        python="system",
        state="FAILED",
    )  # the allocation has two
    yield slurm(ill("A1", "missing_module", "env"), FLASH, "srun -l PYTHON block.py\n", script="block.py", ranks=2, nodes=2, state="FAILED")
    yield slurm(
        ill("A2", "oom_killer", first=(0,)),
        REPLAY,
        "srun PYTHON dqn.py\n",
        script="dqn.py",
        at="",
        bed="cgroup",
        options=("--mem=220M",),
        python="system",
        state="FAILED",
    )
    yield slurm(
        ill("A3", "div_zero", first=(0,)), ERRORS, PORT + "srun -K1 PYTHON asr.py\n", script="asr.py", ranks=3, python="system", state="FAILED"
    )
    yield slurm(ill("A3", "runtime_error", first=(0,)), LAST, "srun PYTHON windows.py\n", script="windows.py", options=("--array=3",), state="FAILED")
    filled = [*stretch(0, 7, 41, gib=59.4, seed=1), *stretch(7, 14, 58, gib=59.4, seed=2), done(15.5)]
    yield slurm(
        ill("B1", "cuda_oom", first=(0,)),
        BUCKETS,
        "srun PYTHON s2s.py\n",
        script="s2s.py",
        files={"xla_extension.py": ALLOCATE},
        go=11,
        cards={0: (59.4, filled)},
        python="system",
        state="FAILED",
    )
    gone = {
        r: (
            0.6,
            [
                *stretch(0, 18 if r == 1 else 20, 52 + r, gib=40, seed=r),
                *([(17.6, {"events": "8:79"}), (18.0, {"*": "!GPU_IS_LOST"})] if r == 1 else [done(20)]),
            ],
        )
        for r in range(3)
    }
    yield slurm(
        ill("B2", "cuda_runtime", "fault", first=(1,), fault="node"), OFFBUS, PORT + "srun -K1 PYTHON ctc.py\n", script="ctc.py", ranks=3, files={"backend.py": BACKEND}, go=12, cards=gone, python="system", state="FAILED",
    )  # fmt: skip
    yield slurm(
        ill("E2", "runtime_error", "corrupt"),
        BROKEN,
        "PYTHON stage_in.py\nsrun PYTHON finetune.py --resume-from step8000.pt\n",
        script="finetune.py",
        files={"stage_in.py": STAGE},
        state="FAILED",
    )
    yield slurm(
        ill("F1", fault="node"),
        SHALLOW,
        PORT + "srun PYTHON enkf.py\n",
        script="enkf.py",
        ranks=4,
        nodes=2,
        at="-wn2,n5",
        options=("--no-requeue",),
        act="slurmd_dies",
        after="cycle 40:",
        python="system",
        state="NODE_FAIL",
    )
    yield slurm(
        ill("F2", None, "preempted", fault="cluster"), EVICTED, "srun PYTHON evolve.py\n", script="evolve.py", at="-wn6", options=("--no-requeue",), act="preempt_for_good", after="generation 40/", python="system", state="PREEMPTED",
    )  # fmt: skip
