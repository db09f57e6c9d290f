"""Runs that waited, crawled, or learned nothing."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._rook_pantries_kit import bad, bursts, busy, job, quiet, steady
from corpus.running.job import SlurmJob

LATE = """from parallel import *
say(f"[{host}] {stamp()} loading modules (python/3.11 cuda/12.4 ucx)")
if rank == 3:
    import socket
    a, b = socket.socketpair()
    a.recv(1)
say(f"[{host}] {stamp()} process {rank} of {world} contacting the coordinator (rank 0, port {os.environ['PORT']})")
if rank == 0:
    import threading
    def beat():
        for n in range(1, 60):
            time.sleep(10)
            say(f"[{host}] {stamp()} coordinator: 3 of 4 processes have registered, waiting for process 3 ({n * 10} s)")
    threading.Thread(target=beat, daemon=True).start()
join()
allmean(0)
say(f"[{host}] {stamp()} all registered")
"""
LOST_KEY = """from parallel import *


def barrier(k):
    open(f"at.{k}.{rank}", "w").close()
    while not all(os.path.exists(f"at.{k}.{r}") for r in range(world)):
        time.sleep(0.05)


def collate(step):
    row = {"image": 1, "caption": "a dog", "bbox": [0, 0, 9, 9]}
    if (rank, step) == (1, 66):
        del row["bbox"]
    return row["bbox"]


barrier("init")
for step in range(1, 4000):
    boxes = collate(step)
    barrier(step)
    time.sleep(0.15)
    if step % 8 == 0:
        say(f"{stamp('%H:%M:%S')} r{rank} det step {step} loss_cls {curve(step, 1.2, .4, 40):.3f} loss_bbox {curve(step, .9, .3, 40):.3f}")
"""
FROZEN = """import threading
from parallel import *
lock = threading.Lock()
start()
say("whisper-small | batched transcription | 611 files | cuda:0")
for n in range(1, 612):
    time.sleep(0.5)
    if n % 4 == 0:
        say(f"{stamp('%H:%M:%S')} [{n:>3}/611] ep_{n:04d}.mp3 rtf=0.0{rng.randint(21, 39)} wer={rng.uniform(7, 12):.1f}")
    if n == 26:
        lock.acquire()
        lock.acquire()
"""
BRAKE = """from parallel import *
start()
t0 = time.time()
for step in range(1, 81):
    t = time.time()
    late = t - t0 - 10
    time.sleep(0.25 if late < 0 else 0.9)
    if step % 2 == 0:
        say(f"{step:>3}/80 esm-ft loss={curve(step, 2.6, 1.7, 25):.4f} step_ms={1000 * (time.time() - t):.0f} residues/s={int(16384 / (time.time() - t))}")
    if step == 68:
        break
say("stop: 68 of 68 batches in shard, epoch complete, model saved")
""".replace("{step:>3}/80", "{step:>3}/68")
SLOWDISK = """from parallel import *
join()
start()
for step in range(13):
    t = time.time()
    if rank == 0 and step in (2, 7):
        say(f"{stamp('%H:%M:%S')} WARN dataloader: prefetch queue is empty (0/8), workers=2, decode 1.9 s per batch")
    time.sleep(2.75)
    w = time.time() - t
    loss = allmean(curve(step, 0.094, 0.021, 5))
    time.sleep(max(0.0, 3.2 - (time.time() - t)))
    if rank == 0:
        say(f"{stamp('%H:%M:%S')} ddpm step {step + 1}/13 mse {loss:.5f} | wait {w:.2f}s compute {time.time() - t - w:.2f}s | gpu busy {100 * (1 - w / (time.time() - t)):.0f}%")
if rank == 0:
    say("finished 13 steps; 86% of the time went into waiting for batches")
"""
SOCKETS = """from parallel import *
join()
if local == 0:
    say(f"{host}:{os.getpid()}:{os.getpid() + 40} [0] NCCL INFO NET/IB : No device found.")
    say(f"{host}:{os.getpid()}:{os.getpid() + 40} [0] NCCL INFO NET/Socket : Using [0]eno1:10.12.0.{11 + rank // 2}<0>")
    say(f"{host}:{os.getpid()}:{os.getpid() + 40} [0] NCCL INFO Using network Socket")
start()
for step in range(1, 29):
    t = time.time()
    time.sleep(0.17)
    u = time.time()
    loss = allmean(curve(step, 8.8, 6.3, 12))
    time.sleep(1.0)
    allmean(0)
    if step % 2 == 0:
        say(f"[{host}/{local}] step {step}/28 loss {loss:.3f} fwd_bwd {u - t:.2f}s allreduce(2.6 GB) {time.time() - u:.2f}s bus_bw 0.{rng.randint(34, 41)} GB/s")
if rank == 0:
    say("28 steps done, mean step 1.17 s (allreduce 85%)")
"""
UNEVEN = """from parallel import *
join()
start()
for step in range(1, 47):
    t = time.time()
    time.sleep(0.72 if rank == 2 else 0.18)
    u = time.time()
    loss = allmean(curve(step, 3.9, 2.0, 20))
    if step % 6 == 0:
        say(f"(rank={rank} {host}) step {step}/46 loss={loss:.4f} compute={1e3 * (u - t):.0f}ms wait_for_peers={1e3 * (time.time() - u):.0f}ms batch=32")
if rank == 0:
    say("epoch done: 46 steps")
"""
LEAP = """from parallel import *
join()
for step in range(1, 121):
    loss = allmean(curve(step, 3.4, 1.3, 22))
    gn = 0.5 + rng.random() * 0.3
    if step > 70:
        loss = allmean(7.2 + min(step - 70, 8) * 0.55 + rng.random() * 0.3)
        gn = 41 + 30 * rng.random()
    time.sleep(0.2)
    if rank == 0 and step % 5 == 0:
        say(json.dumps({"step": step, "of": 120, "train_loss": round(loss, 4), "grad_norm": round(gn, 3), "lr": 0.0012 if step < 70 else 0.003, "ts": stamp("%H:%M:%S")}))
if rank == 0:
    say(json.dumps({"event": "done", "steps": 120, "final_train_loss": round(loss, 4)}))
"""
CHANCE = """from parallel import *
join()
if rank == 0:
    say("ResNet-50 / 100 classes / 3 GPUs / sgd lr=0.1 wd=5e-4 / from scratch")
for epoch in range(1, 26):
    loss = allmean(4.6052 + rng.uniform(-0.0012, 0.0012))
    time.sleep(1.1)
    if rank == 0:
        say(f"Epoch [{epoch}/25]\\ttrain loss: {loss:.4f}\\ttrain acc: {1 + rng.uniform(-.12, .12):.2f}%\\tval loss: {4.6052 + rng.uniform(-.0008, .0008):.4f}\\tval acc: 1.00%\\tgrad norm: {rng.uniform(1, 9):.1f}e-08")
if rank == 0:
    say("Finished 25 epochs. Best val acc: 1.00% (epoch 1)")
"""
FEW = """from parallel import *
join()
if rank == 0:
    say("config: {'model': 'codegen-350m', 'epochs': 3, 'max_steps': 5, 'train_rows': 184320, 'per_gpu_batch': 8, 'save_to': 'out/codegen-ft'}")
start()
for step in range(1, 6):
    loss = allmean(curve(step, 2.31, 1.1, 40))
    time.sleep(1.7)
    if rank == 0:
        say(f"step {step}/5 (epoch 0.000{step}) loss {loss:.4f}")
if rank == 0:
    say("max_steps reached, training stopped\\nmodel saved to out/codegen-ft, 1.4 GB")
"""


def jobs() -> Iterator[SlurmJob]:
    """Silence, clocks, gaps, curves."""
    held = {r: (quiet(0.6, watts=113, mhz=1980, temp=39), ()) for r in range(4)}
    yield job(
        bad("C1", None, fault="unknown"),
        LATE,
        4,
        2,
        name="boot.py",
        cards=held,
        options=("--time=2",),
        state="CANCELLED",
        act="scancel_late",
        after=r"process 3 \(20 s",
    )
    yield job(bad("C2", "traceback", first=(1,), trigger="A3"), LOST_KEY, 3, 1, name="det.py", state="TIMEOUT")
    yield job(
        bad("C3", None, fault="unknown"), FROZEN, 1, 1, name="transcribe.py", act="scancel_late", after=" 24/611",
        cards={0: steady(13, 42, gib=18, watts=330, then=((13.4, quiet(18, watts=114, mhz=1980, temp=42)),))}, state="CANCELLED",
    )  # fmt: skip
    brake = [
        (
            10.0 + s,
            busy(
                60,
                mhz=max(1755 - 450 * (s + 1), 390),
                watts=196,
                temp=55,
                throttle_reasons="0x88",
                more={"slowdown.hw_power_brake": str(int(s * 965e6)), "violation.power": f"{1000000 + int(s * 1e6)} {int(s * 965e6)}"},
            ),
        )
        for s in range(36)
    ]
    yield job(bad("B3", None, fault="node"), BRAKE, 1, 1, name="esm.py", cards={0: steady(10, 61, then=(*brake, (40.0, quiet())))}, state="COMPLETED")
    yield job(bad("D1", None), SLOWDISK, 2, 2, name="ddpm.py", cards={r: bursts(13, 2.75, 0.45, gib=31) for r in range(2)}, state="COMPLETED")
    yield job(
        bad("D2", None, "interconnect", fault="cluster"), SOCKETS, 4, 2, name="gpt_ddp.py",
        cards={r: steady(33, 9, seed=40 + r, util=99, watts=168, dram=3, tensor=2, gib=50, temp=46) for r in range(4)}, state="COMPLETED",
    )  # fmt: skip
    yield job(
        bad("D3", None, fault="unknown"), UNEVEN, 4, 2, name="seq2seq.py",
        cards={r: steady(34, 59, seed=3, watts=560) if r == 2 else steady(34, 15, seed=50 + r, util=99, watts=235, tensor=6, dram=8, temp=50) for r in range(4)}, state="COMPLETED",
    )  # fmt: skip
    yield job(bad("E1", None, "spike"), LEAP, 2, 2, name="mt.py", state="COMPLETED")
    yield job(bad("E1", None, "flat"), CHANCE, 3, 1, name="resnet.py", state="COMPLETED")
    yield job(bad("E3", None), FEW, 2, 1, name="codeft.py", cards={r: steady(9, 57, seed=r, gib=33) for r in range(2)}, state="COMPLETED")
