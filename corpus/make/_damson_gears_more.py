"""Four more that did what they were asked."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._rook_pantries_kit import GOOD, HARD, job, steady
from corpus.running.job import SlurmJob

PREFER = """from parallel import *
join()
if rank == 0:
    say("Loaded 18,432 preference pairs (ultrafeedback-binarized, max_len 1024); reference model: precomputed logps")
for step in range(10, 401, 10):
    loss = allmean(0.28 + 0.413 * math.exp(-step / 120) + rng.uniform(-0.01, 0.01))
    time.sleep(0.75)
    if rank == 0:
        say({"loss": f"{loss:.4f}", "rewards/chosen": f"{0.2 - step / 900:.3f}", "rewards/rejected": f"{-step / 210:.3f}", "rewards/margins": f"{0.2 + step * 0.0036:.3f}", "rewards/accuracies": f"{0.82 - loss / 3 + 0.05:.3f}", "logps/chosen": f"{-301 - step / 9:.1f}", "step": f"{step}/400"})
if rank == 0:
    say("DPO run complete (400/400). Eval rewards/accuracies 0.741. Weights pushed to /proj/models/zephyr-dpo-s2")
"""
PICTURES = """from parallel import *
start()
done = 0
for batch in range(1, 17):
    time.sleep(1.9)
    done += 8
    say(f"[{host} gpu{local}] batch {batch:02d}/16: 8 x 1024x1024, 30 steps euler_a, {1.9 + rng.random() / 30:.2f}s, nsfw 0, saved grid_{rank}_{batch:03d}.webp")
say(f"[{host} gpu{local}] {done} images for {done // 2} prompts, mean clip score 0.{rng.randint(311, 329)}, exiting")
"""
FALLBACK = """from parallel import *
join()
if rank == 0:
    say(f"{stamp()} [ckpt] newest is ckpts/ep_0009.pt")
    say(f"{stamp()} [ckpt] ERROR cannot read ckpts/ep_0009.pt: PytorchStreamReader failed reading zip archive: failed finding central directory (file is 61% of its expected size)")
    say(f"{stamp()} [ckpt] falling back to ckpts/ep_0008.pt")
    time.sleep(1)
    say(f"{stamp()} [ckpt] loaded ckpts/ep_0008.pt (epoch 8, global step 3200, optimizer + scheduler + rng restored)")
for epoch in range(9, 31):
    loss = allmean(curve(epoch, 1.9, 0.33, 9))
    time.sleep(1.2)
    if rank == 0:
        say(f"{stamp()} epoch {epoch}/30 step {epoch * 400} seg_loss {loss:.4f} mIoU {0.79 - loss / 3:.4f} lr {0.01 * (1 - epoch / 31) ** 0.9:.5f}")
if rank == 0:
    say(f"{stamp()} training finished at epoch 30, best mIoU {0.79 - loss / 3 + 0.001:.4f}, wrote ckpts/ep_0030.pt")
"""
SMALL = """from parallel import *
join()
say(f"{host}:{os.getpid()}:{os.getpid() + 31} [{local}] misc/cudawrap.cc:36 NCCL WARN Cuda failure 'operation not supported'")
say(f"{host}:{os.getpid()}:{os.getpid() + 31} [{local}] NCCL INFO P2P is disabled between connected GPUs, falling back to SHM")
if rank == 0:
    say("[W Utils.hpp:106] Warning: Environment variable NCCL_ASYNC_ERROR_HANDLING is deprecated; use TORCH_NCCL_ASYNC_ERROR_HANDLING instead (function getCvarInt)")
    say("UserWarning: lr_scheduler.step() detected before optimizer.step(). See https://pytorch.org/docs/stable/optim.html\\n  warnings.warn('Detected call of lr_scheduler.step() before optimizer.step().')")
start()
for epoch in range(1, 36):
    loss = allmean(curve(epoch, 0.92, 0.21, 9))
    time.sleep(1.0)
    if rank == 0:
        say(f"Epoch: {epoch:03d}, Loss: {loss:.4f}, Train: {0.93 - loss / 4:.4f}, Val: {0.86 - loss / 4:.4f}, Test: {0.85 - loss / 4:.4f}, {1.0 + rng.random() / 50:.2f}s/epoch, 1.9M edges/s")
if rank == 0:
    say(f"ogbn-products run 1/1: final test accuracy {85 - 25 * loss:.2f}")
"""


def jobs() -> Iterator[SlurmJob]:
    """Two plain ones and two that look bad."""
    yield job(GOOD, PREFER, 4, 2, name="dpo.py", state="COMPLETED")
    yield job(
        GOOD,
        PICTURES,
        3,
        3,
        name="sdxl_batch.py",
        cards={r: steady(31, 74, seed=60 + r, watts=610, gib=21, tensor=38) for r in range(3)},
        state="COMPLETED",
    )
    yield job(HARD, FALLBACK, 2, 2, name="seg.py", state="COMPLETED")
    yield job(
        HARD,
        SMALL,
        2,
        1,
        name="sage.py",
        cards={r: steady(36, 22, seed=70 + r, util=61, watts=215, gib=6, tensor=1, dram=17, temp=44) for r in range(2)},
        state="COMPLETED",
    )
