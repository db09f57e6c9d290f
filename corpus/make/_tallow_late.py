"""A last few: nodes and cards, a port, saves, a slow rank."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import MEET, bad, card, gaps, rest, wavy, work
from corpus.make._tallow_kit import put
from corpus.running.job import SlurmJob

GALAXIES = """from lab import *

fit = Fit(90 + rank, classes=27)
for it in range(1, 6001):
    loss = fit.step(64, 0.1)
    if it % 20 == 0:
        print(f"{time.strftime('%H:%M:%S')} {host} chain {rank}: {it}/6000 elbo {-loss:.4f}", flush=True)
"""
CAPTION = """import glob
from lab import *

fit, step = Fit(2, classes=110), 0
print(f"captioner, attempt {os.environ.get('SLURM_RESTART_COUNT', '0')}, node {host}", flush=True)
if found := sorted(glob.glob("caption-*.pt")):
    kept = torch.load(found[-1])
    fit.bare.load_state_dict(kept["model"])
    fit.opt.load_state_dict(kept["optimizer"])
    step = kept["step"]
    print(f"Loading checkpoint {found[-1]}, continuing at step {step}", flush=True)
while step < 260:
    step += 1
    loss = fit.step(64, 0.1)
    if step % 20 == 0:
        torch.save(fit.state(step=step), f"caption-{step:05d}.pt")
        print(f"step {step}/260 xe={loss:.4f} cider={100 * fit.acc:.1f} (saved)", flush=True)
print("done: 260/260 steps, exporting captioner.onnx", flush=True)
"""
ROLLING = """import json
from lab import *

join()
fit = Fit(3, classes=45, shared=True)
spent = {"train": 0.0, "save": 0.0}
for step in range(1, 41):
    a = time.time()
    loss = fit.step(64, 0.28)
    spent["train"] += time.time() - a
    if rank == 0:
        print(json.dumps({"step": step, "total": 40, "loss": round(loss, 4)}), flush=True)
    if step % 2 == 0:
        a = time.time()
        torch.save(fit.state(step=step), f"shard-{rank}.pt")
        time.sleep(1.15)
        dist.barrier()
        spent["save"] += time.time() - a
        if rank == 0:
            print(json.dumps({"event": "checkpoint saved", "step": step, "shards": world, "seconds": round(time.time() - a, 2)}), flush=True)
if rank == 0:
    print(json.dumps({"event": "finished", **{k: round(v, 1) for k, v in spent.items()}}), flush=True)
"""
PORTS = """from lab import *

port = int(os.environ["MASTER_PORT"]) + (0 if host == os.environ["HEAD"] else 100)
os.environ["MASTER_PORT"] = str(port)
print(f"{time.strftime('%H:%M:%S')} [{host}] global rank {rank}/{world}: connecting to tcp://127.0.0.1:{port}", flush=True)
join()
print(f"{time.strftime('%H:%M:%S')} [{host}] global rank {rank}: process group initialised", flush=True)
fit = Fit(4, shared=True)
for n in range(1000):
    fit.step()
"""
BRAKED = """from lab import *

fit = Fit(5, classes=32)
go()
plan = [0.22] * 36 + [0.95] * 26
for n, dt in enumerate(plan, 1):
    a = time.time()
    loss = fit.step(64, dt)
    if n % 3 == 0:
        print(f"{n:>3}/{len(plan)} sec/it {time.time() - a:.3f} contrastive {loss:.4f}", flush=True)
print("pretraining stage done, encoder saved to audio_mae.pt")
"""
UNLIKE = """import logging
from lab import *

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-5s %(message)s")
join()
fit = Fit(6, classes=37, shared=True)
for step in range(1, 38):
    a = time.time()
    loss = fit.step(64, 0.79 if rank == 0 else 0.14)
    if step % 6 == 0:
        logging.info("rank %d step %d/37 forward+augment %.2f s loss %.4f", rank, step, 0.79 if rank == 0 else 0.14, loss)
if rank == 0:
    logging.info("finished step 37/37, student exported")
"""


def jobs() -> Iterator[SlurmJob]:
    """Six of them."""
    yield put(bad("F1", None, fault="node"), "srun PYTHON chains.py\n", {"chains.py": GALAXIES}, name="photo-z", ranks=2, nodes=2, where="-wn2,n3", options=("--no-requeue",), act="slurmd_dies", after="chain 1: 60/6000", state="NODE_FAIL")
    yield put(bad("F2", None, "preempted_recovered", fault="none"), "srun PYTHON caption.py\n", {"caption.py": CAPTION}, name="captioner", where="-wn6", options=("--requeue", "--open-mode=append"), act="preempt", after="step 80/260", state="COMPLETED")
    rolling = gaps(0.56, 1.2, 20, gib=37, sm=57)
    yield put(bad("D2", None, "save_storm"), MEET + "srun PYTHON fsdp.py\n", {"fsdp.py": ROLLING}, name="fsdp-1b", ranks=2, gpus=dict.fromkeys(range(2), rolling), state="COMPLETED")
    yield put(
        bad("C1", None), MEET + "export HEAD=$SLURMD_NODENAME\nsrun PYTHON vits2.py\n", {"vits2.py": PORTS}, name="vits2", ranks=4, nodes=2,
        gpus=dict.fromkeys(range(4), card((2.0, rest(0.4, watts=71)))), options=("--time=1",), state="TIMEOUT",
    )  # fmt: skip
    brake = [(8.2 + s, {"throttle_reasons": "0x88", "clock.sm": str(max(1740 - 450 * (s + 1), 390)), "clock.graphics": str(max(1740 - 450 * (s + 1), 390)), "power.usage": "204000", "gpm.2": "58",
                        "slowdown.hw_power_brake": str(int(s * 965e6)), "violation.power": f"{1000000 + int(s * 1e6)} {int(s * 965e6)}"}) for s in range(25)]  # fmt: skip
    yield put(bad("B3", None, fault="node"), "srun PYTHON amae.py\n", {"amae.py": BRAKED}, name="audio-mae", gpus={0: card((0.0, work(61)), *brake, (34.0, rest()))}, state="COMPLETED")
    peer = card(*((float(s), work(11 + s % 3, util=100, watts=221 + s % 7)) for s in range(30)), (31.5, rest()))
    yield put(bad("D3", None, fault="unknown"), MEET + "srun PYTHON distill.py\n", {"distill.py": UNLIKE}, name="distill", ranks=3, gpus={r: wavy(59, 30, 31.5, watts=560) if r == 0 else peer for r in range(3)}, state="COMPLETED")
