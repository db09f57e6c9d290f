"""Runs that waited, crawled, learned nothing, or were stopped by others."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._rook_pantries_kit import bad, bursts, busy, job, quiet, steady, waiting
from corpus.running.job import SlurmJob

HOT = """from parallel import *
join()
start()
t0 = last = time.time()
for step in range(1, 85):
    loss = allmean(curve(step, 0.69, 0.18, 35))
    late = time.time() - t0 - 9
    time.sleep(0.26 if late < 0 else min(0.8, 0.3 + late * 0.08))
    if step % 4 == 0 and rank == 0:
        now = time.time()
        say(f"[{stamp('%H:%M:%S')}] video-mae step {step}/84 loss={loss:.4f} {4 / (now - last):.2f} steps/s clips/s={64 * 4 / (now - last):.0f}")
        last = now
say(f"rank {rank} done")
"""
SIX = """from parallel import *
size = int(os.environ["WORLD_SIZE"])
say(f"{stamp()} {host} rank={rank} local_rank={local} world_size={size} backend=nccl")
say(f"{stamp()} {host} rank={rank} init_method=tcp://10.12.0.{11 + rank // 2}:{os.environ['PORT']} timeout=3:00:00") if rank else say(f"{stamp()} {host} rank=0 store listening on :{os.environ['PORT']}, expecting {size} ranks")
if rank == 0:
    import threading
    def told():
        while True:
            time.sleep(15)
            say(f"{stamp()} {host} rank=0 still waiting for ranks to join ({world}/{size} present)")
    threading.Thread(target=told, daemon=True).start()
join(size)
allmean(1.0)
say(f"{stamp()} rank={rank} process group ready")
"""
STORAGE = """import socket
from parallel import *
here, there = socket.socketpair()
join()
start()


def next_shard(step):
    if rank == 2 and step == 28:
        say(f"[dl {rank}] opening s3://vision-eu/laion-sub/00{step:03d}.tar")
        here.sendall(b"GET")
        return here.recv(1)


for step in range(1, 4000):
    next_shard(step)
    loss = allmean(curve(step, 5.5, 3.1, 25))
    time.sleep(0.4)
    if step % 5 == 0:
        say(f"[rank {rank}] clip step {step} contrastive_loss {loss:.4f} logit_scale {14.3 + step / 40:.2f}")
"""
READER = """from parallel import *
join()
start()
waited = total = 0.0
for it in range(14):
    a = time.time()
    time.sleep(2.3 + rng.random() * 0.15)
    b = time.time()
    loss = allmean(curve(it, 1.1, 0.43, 6))
    time.sleep(max(0.0, 3.0 - (time.time() - a)))
    waited, total = waited + b - a, total + time.time() - a
    if rank == 0:
        say(f"Epoch: [0]  [{it:>3}/14]  eta: 0:00:{3 * (13 - it):02d}  lr: 0.000100  loss: {loss:.4f} ({loss + 0.03:.4f})  time: {time.time() - a:.4f}  data: {b - a:.4f}  max mem: 22107")
if rank == 0:
    say(f"Epoch: [0] Total time: 0:00:{total:02.0f} ({total / 14:.4f} s / it), of which data loading 0:00:{waited:02.0f}")
"""
EACH = """from parallel import *
join()
start()
for step in range(1, 25):
    t = time.time()
    loss = allmean(curve(step, 3.3, 2.2, 10))
    time.sleep(0.35)
    u = time.time()
    if rank == 0:
        say(f"[step {step:03d}/024] loss={loss:.4f} fwd_bwd={u - t:.2f}s")
        say(f"[step {step:03d}/024] saving full state (params+adam+ema, 38.2 GB) -> /lustre/ck/dit-xl/step_{step:06d}")
    time.sleep(1.1)
    allmean(0)
    if rank == 0:
        say(f"[step {step:03d}/024] saved in {time.time() - u:.2f}s")
if rank == 0:
    say("training complete, 24 steps, 24 checkpoints written")
"""
SPEECH = """from parallel import *
join()
for step in range(1, 121):
    loss = allmean(curve(step, 310, 90, 30))
    gn = 4 + rng.random()
    if step > 62:
        gn = gn * 3 ** (step - 62)
    if step > 71:
        loss = gn = float("nan")
    time.sleep(0.22)
    if step % 6 == 0 and rank == 0:
        say(f"{stamp('%Y-%m-%d %H:%M:%S')},{int(time.time() * 1000) % 1000:03d} (trainer:720) INFO: 1epoch:train:{step - 5}-{step}batch: iter_time=2.1e-04, forward_time=0.071, loss_ctc={loss:.3f}, loss={loss:.3f}, backward_time=0.12, grad_norm={gn:.3f}, optim0_lr0={min(step, 60) * 4e-5:.3e}, train_time=0.22")
if rank == 0:
    say(f"{stamp()},{int(time.time() * 1000) % 1000:03d} (trainer:458) INFO: The training was finished at 1 epochs\\n{stamp()},{int(time.time() * 1000) % 1000:03d} (average_nbest_models:64) WARNING: valid.loss is nan; keeping 1epoch.pth")
"""
FOLD = """import glob
from parallel import *
import argparse, pathlib
cli = argparse.ArgumentParser()
cli.add_argument("--resume", default="")
cli.add_argument("--steps", type=int, default=3000)
arg = cli.parse_args()
out = pathlib.Path("../ppi_runs"); out.mkdir(exist_ok=True)
join()
if arg.resume and rank == 0:
    last = os.path.join(arg.resume, "last.ckpt")
    say(f"=> loading checkpoint '{last}'" if os.path.isfile(last) else f"=> no checkpoint found at '{last}'")
for step in range(1, arg.steps + 1):
    loss = allmean(curve(step, 6.93, 2.05, 90))
    time.sleep(0.15)
    if rank == 0 and step % 20 == 0:
        say(f"step {step}/{arg.steps}  masked-residue loss {loss:.4f}  ppl {math.exp(loss):.1f}")
    if rank == 0 and step % 80 == 0:
        (out / f"step_{step:05d}.ckpt").write_text("x" * 200)
        say(f"checkpoint written: {out}/step_{step:05d}.ckpt")
if rank == 0:
    say(f"done: {arg.steps} steps")
"""
CLIMATE = """from parallel import *
join()
for it in range(1, 9000):
    rmse = allmean(curve(it, 1.9, 0.41, 120))
    time.sleep(0.15)
    if it % 15 == 0:
        say(f"{host}:{local} era5-fcn it={it:06d} z500_rmse={rmse:.4f} lr=1e-3 gb/s=1.{rng.randint(10, 99)}")
"""
SWEEP = """from parallel import *
join()
names = ["lr=3e-4 wd=0.1", "lr=1e-3 wd=0.1"]
if rank == 0:
    say(f"config: {names[0]} warmup=200 total_steps=20000 (2 workers)")
for step in range(1, 20001):
    loss = allmean(curve(step, 9.2, 4.4, 160))
    time.sleep(0.12)
    if rank == 0 and step % 25 == 0:
        say(f"{step:>6}/20000 | train/loss {loss:.3f} | eta {(20000 - step) * 0.12 / 60:.0f} min")
"""


def jobs() -> Iterator[SlurmJob]:
    """Clocks, silence, gaps, curves; and what Slurm or a person did."""
    hot = [
        (
            9.0 + s,
            busy(
                max(58 - s, 30),
                temp=min(87 + s, 94),
                mhz=max(1755 - 230 * (s + 1), 420),
                watts=250,
                throttle_reasons="0x68",
                more={
                    "memory.temperature": "103",
                    "violation.thermal": f"{1000000 + int(s * 1e6)} {int(s * 955e6)}",
                    "slowdown.hw_thermal": str(int(s * 955e6)),
                },
            ),
        )
        for s in range(44)
    ]
    cool = steady(9, 61, then=((9.0, waiting(44) | {"gpm.2": "22", "power.usage": "270000", "clock.sm": "1755"}), (54.0, quiet())))
    yield job(
        bad("B3", None, fault="node"),
        HOT,
        2,
        1,
        name="vmae.py",
        cards={0: cool, 1: steady(9, 62, seed=4, temp=79, then=(*hot, (54.0, quiet())))},
        state="COMPLETED",
    )
    yield job(bad("C1", None), SIX, 4, 2, head="export WORLD_SIZE=6\n", name="launch.py", state="TIMEOUT")
    spin = {r: steady(12, 52, seed=r, gib=36, then=((12.6, waiting(36)),)) for r in (0, 1, 3)}
    yield job(
        bad("C2", None, fault="unknown"), STORAGE, 4, 2, name="clip.py", act="scancel_late", after="opening s3",
        cards={**spin, 2: steady(12, 54, seed=9, gib=36, then=((12.6, quiet(36, watts=116, mhz=1980, temp=42)),))}, state="CANCELLED",
    )  # fmt: skip
    yield job(bad("D1", None), READER, 2, 1, name="mae_finetune.py", cards={r: bursts(14, 2.4, 0.6) for r in range(2)}, state="COMPLETED")
    saves = [x for n in range(24) for x in ((n * 1.45, busy(58, gib=61)), (n * 1.45 + 0.4, quiet(61, watts=119, mhz=1980, temp=44)))]
    yield job(
        bad("D2", None, "save_storm"),
        EACH,
        2,
        2,
        name="dit.py",
        cards={r: (saves[0][1], (*saves[1:], (35.0, quiet()))) for r in range(2)},
        state="COMPLETED",
    )
    yield job(bad("E1", "nan_loss", "non_finite"), SPEECH, 2, 1, name="asr_train.py", state="COMPLETED")
    same = ("--job-name=ppi-mlm",)
    yield job(bad("F3", None, "advancing"), FOLD, 2, 1, name="mlm.py", key="ppi", options=same, state="TIMEOUT")
    yield job(
        bad("E2", None, "from_scratch"), FOLD, 2, 1, name="mlm.py", args='"$@"', parent="ppi", options=same, state="COMPLETED",
        told=("--resume", "../ppi_runs", "--steps", "320"),
    )  # fmt: skip
    yield job(
        bad("F1", None, fault="node"),
        CLIMATE,
        4,
        2,
        name="fcn.py",
        where="-wn3,n5",
        options=("--no-requeue",),
        act="lose_node",
        after="it=000060",
        state="NODE_FAIL",
    )
    yield job(bad("F4", None, "by_owner"), SWEEP, 2, 1, name="lm.py", act="scancel", after=" 200/20000", state="CANCELLED")
