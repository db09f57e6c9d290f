"""Three more: one that stands still, one with a lame rank, one that is over before it has begun."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._rook_pantries_kit import bad, job, quiet, steady
from corpus.running.job import SlurmJob

PIPE = """import multiprocessing as mp
from parallel import *


def render(pipe):
    for frame in range(10 ** 6):
        got = pipe.recv()
        if frame == 31:
            mp.get_context("fork").Event().wait()
        pipe.send(got + 1)


here, there = mp.Pipe()
mp.get_context("fork").Process(target=render, args=(there,), daemon=True).start()
start()
say(f"{stamp()} dreamer-v3 crafter seed 4 device cuda:0 (1 env process)")
for update in range(1, 10 ** 6):
    here.send(update)
    here.recv()
    time.sleep(0.4)
    if update % 4 == 0:
        say(f"{stamp()} [{update * 1024} / 1000000] model_loss {curve(update, 9.1, 5.5, 20):.2f} actor_ent {2.8 - update / 60:.2f} train_return {0.9 + update / 40:.2f} fps 41")
"""
LAME = """from parallel import *
join()
start()
for b in range(1, 61):
    t = time.time()
    time.sleep(0.52 if rank == 1 else 0.2)
    spent = time.time() - t
    loss = allmean(curve(b, 0.83, 0.29, 25))
    if b % 10 == 0:
        say(f"{stamp('%H:%M:%S')} {host}.{local} batch {b}/60 bce {loss:.4f} my_fwd_bwd {spent:.3f}s whole {time.time() - t:.3f}s rows 4096")
say(f"{stamp('%H:%M:%S')} {host}.{local} end of epoch, 60 batches of 4096 rows each")
"""
BRIEF = """from parallel import *
join()
if rank == 0:
    say("GPU available: True (cuda), used: True\\nTPU available: False, using: 0 TPU cores")
    say("  | Name    | Type        | Params\\n----------------------------------\\n0 | encoder | ConformerXL | 604 M\\n1 | joint   | RNNTJoint   | 4.1 M")
for k in range(1, 5):
    loss = allmean(curve(k, 412, 300, 30))
    time.sleep(2)
    if rank == 0:
        say(f"Epoch 0:   0%|          | {k}/11840 [00:{2 * k:02d}<{(11840 - k) * 2 // 3600}:{(11840 - k) * 2 // 60 % 60:02d}:12,  0.50it/s, v_num=3, train_loss={loss:.1f}]")
if rank == 0:
    say("`Trainer.fit` stopped: `max_steps=4` reached.\\nsaved nemo_experiments/conformer/checkpoints/last.nemo")
"""


def jobs() -> Iterator[SlurmJob]:
    """With cards but for the last."""
    yield job(
        bad("C3", None, fault="unknown"), PIPE, 1, 1, name="dreamer.py", act="scancel_late", after="28672 / 1000000",
        cards={0: steady(12, 38, gib=13, watts=300, then=((12.8, quiet(13, watts=113, mhz=1980, temp=41)),))}, state="CANCELLED",
    )  # fmt: skip
    yield job(
        bad("D3", None, fault="unknown"), LAME, 3, 3, name="ctr.py",
        cards={r: steady(32, 66, seed=3, watts=410, mhz=1110) if r == 1 else steady(32, 21, seed=80 + r, util=99, watts=262, tensor=5, dram=9, temp=51) for r in range(3)}, state="COMPLETED",
    )  # fmt: skip
    yield job(bad("E3", None), BRIEF, 2, 2, name="conformer.py", state="COMPLETED")
