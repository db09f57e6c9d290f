"""Runs that Slurm or a person ended, or took away and gave back; the ones that went on rightly."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import GOOD, HARD, MEET, bad, card, rest, wavy, work
from corpus.make._tallow_kit import put
from corpus.running.job import SlurmJob

SOLAR = """from lab import *

join()
fit = Fit(1, classes=11, shared=True)
for batch in range(1, 4001):
    loss = fit.step(64, 0.12)
    if batch % 10 == 0:
        print(f"{host}/{rank}: batch {batch:>4} of 4000, flare xent {loss:.5f}", flush=True)
"""
SEGMENT = """import signal, sys
from lab import *


def leave(number, frame):
    torch.save(fit.state(it=it), "interrupted.pth")
    print(f"signal {number} at iter {it}: state written to interrupted.pth, leaving", flush=True)
    sys.exit(0)


fit, it = Fit(2, classes=19), 0
signal.signal(signal.SIGTERM, leave)
for it in range(1, 6001):
    loss = fit.step(64, 0.1)
    if it % 20 == 0:
        print(f"Iter(train) [{it:>5}/6000]  lr: 1.0e-02  decode.loss_ce: {loss:.4f}  decode.acc_seg: {100 * fit.acc:.2f}", flush=True)
"""
AGAIN = """import pathlib
from lab import *

keep = pathlib.Path("state.pt")
fit, epoch = Fit(3, classes=28, lr=3e-3), 0
print(f"tts acoustic model on {host}, restart count {os.environ.get('SLURM_RESTART_COUNT', '0')}", flush=True)
if keep.exists():
    kept = torch.load(keep)
    fit.bare.load_state_dict(kept["model"])
    fit.opt.load_state_dict(kept["optimizer"])
    epoch = kept["epoch"]
    print(f"resuming from {keep} (epoch {epoch})", flush=True)
while epoch < 24:
    mean = sum(fit.step(64, 0.1) for _ in range(12)) / 12
    epoch += 1
    torch.save(fit.state(epoch=epoch), keep)
    print(f"epoch {epoch:2d}/24: mel loss {mean:.4f}, saved", flush=True)
print("acoustic model finished", flush=True)
"""
REMAIN = """from lab import *

join()
fit = Fit(4, classes=150, shared=True)
total = 7200
began = time.time()
for it in range(1, total + 1):
    loss = fit.step(64, 0.11)
    if it % 20 == 0 and rank == 0:
        eta = (total - it) * (time.time() - began) / it
        print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} | INFO | step {it}/{total} | loss {loss:.3f} | eta {int(eta // 60)} min {int(eta % 60)} s", flush=True)
"""
WRONGSET = """from lab import *

print("dataset emilia-zh, 46,000 h", flush=True)
fit = Fit(5, classes=77)
n = 0
while n < 20000:
    n += 1
    loss = fit.step(64, 0.1)
    if n % 25 == 0:
        print(f"step={n} dur_loss={loss * 0.2:.4f} mel_loss={loss:.4f}", flush=True)
"""
TELESCOPE = """from lab import *

fit = Fit(60 + rank, classes=9)
for epoch in range(1, 500):
    mean = sum(fit.step(64, 0.05) for _ in range(12)) / 12
    print(f"<{rank}> lens-finder fold {rank} epoch {epoch} bce {mean:.4f}", flush=True)
"""
SECOND = """import argparse, glob
from lab import *

p = argparse.ArgumentParser()
p.add_argument("--init")
p.add_argument("--updates", type=int)
a = p.parse_args()
found = sorted(glob.glob(f"{a.init}/update_*.pt"))
kept = torch.load(found[-1])
fit = Fit(12, classes=60, lr=3e-3)
fit.bare.load_state_dict(kept["model"])
fit.opt.load_state_dict(kept["optimizer"])
print(f"resumed from {found[-1]} at update {kept['update']}", flush=True)
for upd in range(kept["update"] + 1, kept["update"] + a.updates + 1):
    loss = fit.step(64, 0.1)
    if upd % 20 == 0:
        print(f"update {upd}/{kept['update'] + a.updates} loss={loss:.4f} acc={fit.acc:.3f}", flush=True)
torch.save(fit.state(update=upd), "asr_ladder_final.pt")
print("training complete, averaged the last checkpoints into asr_ladder_final.pt", flush=True)
"""
MIRRORS = """import hashlib, urllib.request
from lab import *

for host_name, port in (("hub-mirror-1", 9), ("hub-mirror-2", 9)):
    for attempt in range(1, 4):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/models/wavlm-base/config.json", timeout=2)
        except OSError as error:
            print(f"WARNING {host_name}: attempt {attempt}/3 failed ({error}), retrying in {attempt * 0.5:.1f} s", flush=True)
            time.sleep(attempt * 0.5)
print("ERROR no mirror answered, using the copy in ~/.cache (wavlm-base, complete)", flush=True)
fit = Fit(6, classes=34)
for e in range(1, 9):
    mean = sum(fit.step(64, 0.09) for _ in range(18)) / 18
    loss, acc = fit.check()
    print(f"epoch {e}/8\\ttrain {mean:.4f}\\tvalid {loss:.4f}\\tUAR {acc:.4f}", flush=True)
print("emotion classifier written to emo.pt; total retries: 6, failures: 0")
"""
COMPILE = """from lab import *

join()
fit = Fit(7, classes=52, shared=True)
if rank == 0:
    print("torch.compile(mode=max-autotune): first step compiles, this may take minutes", flush=True)
time.sleep(14)
if rank == 0:
    print("compiled 38 graphs, 2 graph breaks, 0 recompiles", flush=True)
for step in range(1, 121):
    loss = fit.step(64, 0.14)
    if rank == 0 and step % 10 == 0:
        print(f"step {step:>4}/120 | train loss {loss:.4f} | mfu {41 + step % 3}.{step % 7}%", flush=True)
if rank == 0:
    print("saved final_model/ (safetensors), done", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """Nodes first, then limits and cancels, then good ones."""
    yield put(bad("F1", None, fault="node"), MEET + "srun PYTHON flares.py\n", {"flares.py": SOLAR}, name="solar-flares", ranks=2, nodes=2, where="-wn1,n3", options=("--no-requeue",), act="lose_node", after="batch   60 of", state="NODE_FAIL")
    yield put(bad("F2", None, "preempted", fault="cluster"), "srun PYTHON segformer.py\n", {"segformer.py": SEGMENT}, name="segformer", where="-wn5", options=("--no-requeue",), act="preempt_for_good", after=r"\[   80/6000\]", state="PREEMPTED")
    yield put(bad("F2", None, "requeued_recovered", fault="none"), "srun PYTHON tts.py\n", {"tts.py": AGAIN}, name="tts-acoustic", where="-wn4", options=("--requeue", "--open-mode=append"), act="requeue", after="epoch  8/24", state="COMPLETED")
    yield put(bad("F3", None, "advancing"), MEET + "srun PYTHON moe.py\n", {"moe.py": REMAIN}, name="moe-8x", ranks=2, options=("--time=1",), gpus={r: wavy(58 + r, 75) for r in range(2)}, state="TIMEOUT")
    yield put(bad("F4", None, "by_owner"), "srun PYTHON f5.py\n", {"f5.py": WRONGSET}, name="f5-tts", act="scancel", after="step=225", state="CANCELLED")
    yield put(bad("F4", None, "by_other", fault="none"), "srun PYTHON lens.py\n", {"lens.py": TELESCOPE}, name="lens-finder", ranks=3, act="scancel_by_admin", after="<1> lens-finder fold 1 epoch 22 ", state="CANCELLED")
    yield put(GOOD, "srun PYTHON cont.py --init ../asr_ladder --updates 220\n", {"cont.py": SECOND}, name="asr-ladder2", parent="ladder", state="COMPLETED")
    yield put(HARD, "srun PYTHON emo.py\n", {"emo.py": MIRRORS}, name="wavlm-emo", state="COMPLETED")
    compiled = card((0.0, rest(5, watts=124, mhz=1980, util=3)), *((14.0 + s, work(61 + s % 4)) for s in range(17)), (32.5, rest()))
    yield put(HARD, MEET + "srun PYTHON gpt2.py\n", {"gpt2.py": COMPILE}, name="gpt2-compile", ranks=2, gpus=dict.fromkeys(range(2), compiled), state="COMPLETED")
