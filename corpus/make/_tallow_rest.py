"""Some of each more: launchers, sweeps in one allocation, extraction, recovered loaders; and some that went wrong."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import GOOD, HARD, MEET, bad, card, rest, wavy, work
from corpus.make._tallow_kit import put
from corpus.running.job import SlurmJob

ELASTIC = """import os
os.environ["SLURM_PROCID"], os.environ["SLURM_NTASKS"] = os.environ["RANK"], os.environ["WORLD_SIZE"]
from lab import *

join()
fit = Fit(1, classes=36, shared=True)
if rank == 0:
    print(f"torchrun: {world} processes, run id {os.environ['TORCHELASTIC_RUN_ID']}", flush=True)
for epoch in range(1, 7):
    mean = sum(fit.step(64, 0.12) for _ in range(20)) / 20
    loss, acc = fit.check()
    if rank == 0:
        print(f"Epoch {epoch}/6 [train] loss: {mean:.4f} [valid] loss: {loss:.4f} top1: {acc:.4f}", flush=True)
if rank == 0:
    torch.save(fit.state(), "best.pth")
    print("Best checkpoint: best.pth. Training finished.", flush=True)
dist.destroy_process_group()
"""
SWEEP = """import sys
from lab import *

lr, seed = float(sys.argv[1]), int(sys.argv[2])
fit = Fit(seed, classes=14, lr=lr)
name = f"lr{lr:g}-s{seed}"
for step in range(1, 161):
    loss = fit.step(64, 0.1)
    if step % 40 == 0:
        print(f"{name}\\t{step}\\t{loss:.4f}\\t{fit.acc:.3f}", flush=True)
val, acc = fit.check()
with open(f"sweep_{name}.txt", "w") as f:
    f.write(f"{val:.5f} {name}\\n")
print(f"{name}\\tfinal\\t{val:.4f}\\t{acc:.3f}", flush=True)
"""
EXTRACT = """from lab import *

fit = Fit(3, classes=64)
go()
files = 1200
began = time.time()
print(f"worker {rank}/{world}: hubert-large layer 9, {files} files", flush=True)
for n in range(100, files + 1, 100):
    fit.check(300)
    time.sleep(1.9)
    print(f"worker {rank}: {n}/{files} files, {n / (time.time() - began):.1f} files/s, 0 skipped", flush=True)
torch.save(torch.randn(20, 64), f"feats_{rank}.npy")
print(f"worker {rank}: wrote feats_{rank}.npy {files}x1024", flush=True)
"""
WATCHDOG = """import logging
from lab import *

logging.basicConfig(level=logging.INFO, format=f"%(asctime)s rank{rank} %(levelname)s %(message)s")
join()
fit = Fit(4, classes=26, shared=True)
for step in range(1, 131):
    a = time.time()
    if rank == 2 and step in (31, 32):
        time.sleep(1.3)
    loss = fit.step(64, 0.14)
    if rank == 0 and time.time() - a > 1.0:
        logging.warning("step %d took %.2f s (median 0.15): a rank is slow or a link is bad? collective timeout in 598 s", step, time.time() - a)
    if rank == 0 and step % 10 == 0:
        logging.info("step %d/130 loss %.4f throughput %.0f img/s", step, loss, 64 * world / (time.time() - a))
if rank == 0:
    logging.info("finished, 2 slow steps in total, all ranks exited cleanly")
dist.destroy_process_group()
"""
FALLBACK = """from lab import *

if rank == 0:
    for words in ("NCCL WARN NET/IB : Got async event : port error", "NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory", "NCCL INFO NET/Socket : retry with tcp"):
        print(f"{host}:{4100 + rank}:{4188 + rank} [{rank}] {words}", flush=True)
    print("backend nccl unavailable (ncclSystemError), falling back to gloo", flush=True)
join()
fit = Fit(5, classes=44, shared=True)
for it in range(1, 151):
    loss = fit.step(64, 0.12)
    if it % 15 == 0 and rank == 0:
        print(f"iter: {it}/150  eta: 0:00:{(150 - it) // 8:02d}  loss: {loss:.4f}  time: 0.13  data: 0.002  max mem: 18211", flush=True)
if rank == 0:
    print("OrderedDict({'bbox': {'AP': %.3f, 'AP50': %.3f}})" % (30 * fit.check()[1], 55 * fit.check()[1]))
    print("Saving model_final.pth", flush=True)
dist.destroy_process_group()
"""
RESPAWN = """import multiprocessing, os, signal
from lab import *


def load(queue, n):
    for k in range(n, 60):
        if k == 23:
            os.kill(os.getpid(), signal.SIGKILL)
        queue.put(k)


def main():
    queue = multiprocessing.Queue(4)
    fit, at = Fit(6, classes=17), 0
    child = multiprocessing.Process(target=load, args=(queue, 0))
    child.start()
    while at < 60:
        try:
            at = queue.get(timeout=1.5) + 1
        except Exception:
            print(f"DataLoader worker (pid {child.pid}) exited unexpectedly, exit code {child.exitcode}; restarting it (1 of 5)", flush=True)
            at, queue = max(at, 23) + 1, multiprocessing.Queue(4)
            child = multiprocessing.Process(target=load, args=(queue, at))
            child.start()
            continue
        loss = fit.step(64, 0.3)
        if at % 4 == 0:
            print(f"shard {at}/60  loss {loss:.4f}  acc {fit.acc:.3f}", flush=True)
    child.join()
    print("all shards seen; model written to keyword_spotter.pt", flush=True)


main()
"""
QUEUE = """import multiprocessing, os
from lab import *


def feed(queue):
    for k in range(64):
        queue.put(k)
    os._exit(0)


queue = multiprocessing.Queue(2)
child = multiprocessing.Process(target=feed, args=(queue,), daemon=True)
fit = Fit(7, classes=21)
go()
child.start()
step = 0
while True:
    queue.get()
    step += 1
    loss = fit.step(64, 0.2)
    if step % 4 == 0:
        print(f"INFO  {time.strftime('%H:%M:%S')}  dereverb  step={step}  si-sdr={-loss:.3f}", flush=True)
"""
AUGMENT = """from lab import *

fit = Fit(8, classes=9)
go()
for step in range(1, 14):
    a = time.time()
    time.sleep(2.2)
    b = time.time()
    loss = fit.step(64, 0.6)
    print(f"step {step:2d}/13 | augment+collate {b - a:.2f}s | gpu {time.time() - b:.2f}s | dice loss {loss:.4f}", flush=True)
print("13 of 13 steps, saved unetr.pt; prefetch queue was empty at 13 of 13 steps")
"""
FOLDS = """from lab import *

fit = Fit(80 + rank, classes=23)
for step in range(1, 9001):
    loss = fit.step(64, 0.1)
    if step % 50 == 0:
        print(f"fold{rank} step {step}/9000 nll {loss:.4f}", flush=True)
    if step % 200 == 0:
        torch.save(fit.state(step=step), f"fold{rank}.pt")
        print(f"fold{rank} saved fold{rank}.pt at {step}", flush=True)
"""
DRY = """import sys
from lab import *

dry = "--dry-run" in sys.argv
fit = Fit(9, classes=58)
steps = 2 if dry else 50000
print(f"pretraining roformer-base, {steps} steps" + (" (dry run)" if dry else ""), flush=True)
for step in range(1, steps + 1):
    loss = fit.step(64, 0.5)
    print(f"step {step} mlm_loss {loss:.4f}", flush=True)
torch.save(fit.bare.state_dict(), "roformer.pt")
print("saved roformer.pt")
"""
OUTDIR = """import logging, pathlib
from lab import *

logging.basicConfig(level=logging.INFO, format="%(asctime)s - %(name)s - %(levelname)s - %(message)s")
log = logging.getLogger("nowcast")
log.info("radar nowcasting, 3 input frames, out dir /usr/share/nowcast/runs")
out = pathlib.Path("/usr/share/nowcast/runs")
out.mkdir(parents=True, exist_ok=True)
fit = Fit(10)
for n in range(100):
    fit.step()
"""


def jobs() -> Iterator[SlurmJob]:
    """Six good ones, then six others."""
    run = "srun -n1 PYTHON -m torch.distributed.run --nnodes=1 --nproc_per_node=2 --master_addr=$MASTER_ADDR --master_port=$MASTER_PORT main.py\n"
    yield put(GOOD, MEET + run, {"main.py": ELASTIC}, name="convmixer", options=("--cpus-per-task=2",), state="COMPLETED")
    each = "for lr in 0.001 0.004 0.016; do srun --exact -n1 PYTHON one.py $lr 7 & done\nwait\necho 'best:'; sort sweep_*.txt | head -n1\n"
    yield put(GOOD, each, {"one.py": SWEEP}, name="sweep-lr", ranks=3, state="COMPLETED")
    yield put(GOOD, "srun PYTHON extract.py\nls feats_*.npy 2>/dev/null | wc -l\n", {"extract.py": EXTRACT}, name="hubert-feats", ranks=2, gpus={r: wavy(41 + r, 22, 24.5, gib=9, watts=360) for r in range(2)}, state="COMPLETED")
    yield put(HARD, MEET + "srun PYTHON regnet.py\n", {"regnet.py": WATCHDOG}, name="regnet", ranks=3, state="COMPLETED")
    yield put(HARD, MEET + "srun PYTHON rcnn.py\n", {"rcnn.py": FALLBACK}, name="mask-rcnn", ranks=2, nodes=2, state="COMPLETED")
    yield put(HARD, "srun PYTHON kws.py\n", {"kws.py": RESPAWN}, name="kws", state="COMPLETED")
    yield put(
        bad("C3", None, fault="unknown"), "srun PYTHON dereverb.py\n", {"dereverb.py": QUEUE}, name="dereverb", options=("--time=1",),
        gpus={0: card(*((float(s), work(36 + s % 4, gib=13, watts=350)) for s in range(13)), (13.4, rest(13, watts=117, mhz=1980, temp=44)))}, state="TIMEOUT",
    )  # fmt: skip
    yield put(bad("D1", None), "srun PYTHON unetr.py\n", {"unetr.py": AUGMENT}, name="unetr", gpus={0: card(*(x for n in range(13) for x in ((n * 2.81, rest(31, watts=119, mhz=1980, temp=41)), (n * 2.81 + 2.2, work(58, gib=31)))), (37.2, rest()))}, state="COMPLETED")
    yield put(bad("F3", None, "advancing"), "srun PYTHON folds.py\n", {"folds.py": FOLDS}, name="galaxy-folds", ranks=3, options=("--time=1",), state="TIMEOUT")
    yield put(bad("E3", None), "srun PYTHON roformer.py --dry-run\n", {"roformer.py": DRY}, name="roformer", state="COMPLETED")
    yield put(bad("A1", "permission"), "srun PYTHON nowcast.py\n", {"nowcast.py": OUTDIR}, name="nowcast", state="FAILED")
