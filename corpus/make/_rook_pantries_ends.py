"""Runs that died at once, or later, by their own doing."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._rook_pantries_kit import bad, busy, job, quiet, steady
from corpus.running.job import SlurmJob

FLASH = """from parallel import *
say(f"{stamp()} [{host}:{local}] python {sys.version.split()[0]} | model llama-1b | dtype bf16 | sharding full")
from flash_attn import flash_attn_varlen_func
from flash_attn.bert_padding import pad_input, unpad_input


def attend(q, k, v, lens):
    return flash_attn_varlen_func(q, k, v, lens, lens, 4096, 4096, causal=True)
"""
NO_DEVICE = """import os, sys
from parallel import *


class DistBackendError(RuntimeError):
    __module__ = "torch.distributed"


def init_process_group(backend):
    join()
    ids = allmean(float(local))


def broadcast_params():
    time.sleep(1.0 + rank / 50)
    other = 1 - rank if world == 2 else (rank ^ 1)
    raise DistBackendError(
        "NCCL error in: /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:3690, invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.27.5\\n"
        "ncclInvalidUsage: This usually reflects invalid usage of NCCL library.\\nLast error:\\n"
        f"Duplicate GPU detected : rank {rank} and rank {other} both on CUDA device 1b000")


say(f"[{rank}] init nccl world={world} using cuda:0")
init_process_group("nccl")
broadcast_params()
"""
MOLECULES = """import ctypes
from parallel import *
join()
lib = ctypes.CDLL(None)
say(f"rank {rank}: librdkit-fp loaded, 3 workers, 118,220 conformers") if rank == 0 else None
for step in range(1, 4000):
    mae = allmean(curve(step, 1.31, 0.22, 40))
    time.sleep(0.2)
    if step % 10 == 0 and rank == 0:
        say(f"[egnn] step {step:5d} | mae(eV) {mae:.4f} | lr 5.0e-04 | {5.0 + rng.random() / 9:.2f} it/s")
    if rank == 1 and step == 97:
        ctypes.string_at(16)
"""
TAGGER = """from parallel import *
join()


def f1(hits, said, true):
    precision = hits / said
    recall = hits / true
    return 2 * precision * recall / (precision + recall)


for epoch in range(1, 9):
    for batch in range(1, 31):
        loss = allmean(curve(epoch * 30 + batch, 2.2, 0.3, 60))
        time.sleep(0.12)
        if batch % 10 == 0 and rank == 0:
            say(f"Epoch {epoch} [{batch}/30]  nll: {loss:.3f}")
    counts = {"PER": (31, 40, 52), "LOC": (22, 35, 41), "MISC": (6, 9, 20)}
    if epoch == 4 and rank == 1:
        counts["MISC"] = (0, 0, 19)
    scores = {k: f1(*c) for k, c in counts.items()}
    allmean(scores["PER"])
    if rank == 0:
        say(f"Epoch {epoch} dev  " + "  ".join(f"{k} F1 {v:.3f}" for k, v in scores.items()))
"""
TOWERS = """from parallel import *
join()


class TwoTower:
    def score(self, users, cold):
        if cold:
            raise RuntimeError("Expected all tensors to be on the same device, but got mat2 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_mm)")
        time.sleep(0.1)
        return curve(users, 5.7, 1.4, 70)


net = TwoTower()
for step in range(1, 400):
    cold = step % 160 == 0 and rank == 0
    loss = allmean(net.score(step, cold))
    if step % 15 == 0 and rank == 0:
        say(f"{stamp('%H:%M:%S')} two-tower step={step} softmax_loss={loss:.4f} neg=in-batch(2048) recall@50={0.6 - loss / 10:.4f}")
    if step % 150 == 0 and rank == 0:
        say(f"{stamp('%H:%M:%S')} switching to the cold-start branch for warm-up of the projection head")
"""
LONGDOC = """from parallel import *


class OutOfMemoryError(RuntimeError):
    __module__ = "torch"


join()
start()
t0 = time.time()
for step in range(1, 500):
    n = 2048 if step < 24 else 6144
    if rank == 2 and time.time() - t0 > 21:
        raise OutOfMemoryError("CUDA out of memory. Tried to allocate 11.62 GiB. GPU 0 has a total capacity of 79.11 GiB of which 5.08 GiB is free. Process 91377 has 74.02 GiB memory in use. Of the allocated memory 70.94 GiB is allocated by PyTorch, and 1.61 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)")
    loss = allmean(curve(step, 2.7, 1.6, 15))
    time.sleep(0.5)
    if rank == 0:
        say(f"step: {step:>4} ctx: {n} loss: {loss:.4f} tok/s/gpu: {rng.randint(8900, 9400)} mem: {41 if n == 2048 else 69 + step % 3}.{step % 10}GiB")
"""
ROWS = """from parallel import *


class AcceleratorError(RuntimeError):
    __module__ = "torch"


def item(t):
    if rank == 1 and t > 20:
        raise AcceleratorError("CUDA error: uncorrectable ECC error encountered\\nSearch for `cudaErrorECCUncorrectable' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\\nDevice-side assertions were explicitly omitted for this error check; the error probably arose while initializing the DSA handlers.")


join()
start()
t0 = time.time()
for it in range(1, 400):
    dice = allmean(0.91 - curve(it, 0.7, 0.02, 30))
    time.sleep(0.4)
    item(time.time() - t0)
    if rank == 0 and it % 4 == 0:
        say(f"{stamp('%H:%M:%S')} nnunet fold 0 iter {it} dice_pseudo {dice:.4f} lr 0.00994")
"""


def jobs() -> Iterator[SlurmJob]:
    """Their last words say it."""
    yield job(bad("A1", "missing_module", "env"), FLASH, 4, 2, name="fsdp_train.py", srun="--kill-on-bad-exit=0", state="FAILED")
    yield job(bad("A1", "nccl", "config"), NO_DEVICE, 2, 1, name="ddp_main.py", srun="-K0", state="FAILED")
    yield job(bad("A2", "segfault", first=(1,)), MOLECULES, 3, 1, name="egnn.py", srun="--kill-on-bad-exit=1", state="FAILED")
    yield job(bad("A3", "div_zero", first=(1,)), TAGGER, 2, 2, name="tagger.py", srun="-K1", state="FAILED")
    yield job(bad("A3", "device_mismatch", first=(0,)), TOWERS, 2, 1, name="towers.py", srun="-K1", state="FAILED")
    full = steady(19, 66, seed=5, gib=45, then=((12.0, busy(68, gib=70.5)), (19.0, busy(68, gib=74.0)), (22.0, quiet())))
    yield job(
        bad("B1", "cuda_oom", first=(2,)),
        LONGDOC,
        4,
        1,
        name="longdoc.py",
        srun="-K1",
        cards={r: full if r == 2 else steady(22, 65, seed=r, gib=69) for r in range(4)},
        state="FAILED",
    )
    flips = {
        "ecc.volatile.uncorrected": "2",
        "ecc.aggregate.uncorrected": "2",
        "ecc.volatile.uncorrected.dram": "2",
        "ecc.aggregate.uncorrected.dram": "2",
        "events": "8:48",
        "remapped.pending": "1",
        "remapped.uncorrected": "1",
    }
    yield job(
        bad("B2", "cuda_runtime", "fault", first=(1,), fault="node"), ROWS, 2, 2, name="nnunet.py", srun="-K1",
        cards={0: steady(21, 57), 1: steady(19, 58, seed=3, then=((19.3, flips), (22.0, quiet())))}, state="FAILED",
    )  # fmt: skip
