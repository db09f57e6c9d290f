"""Runs that wait for data or saves, run beside a slow rank, are braked, learn nothing, or begin anew."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import MEET, bad, card, gaps, rest, wavy, work
from corpus.make._tallow_kit import put
from corpus.running.job import SlurmJob

DECODE = """from lab import *

fit = Fit(1, classes=101)
go()
print("kinetics-101, 2 loader workers, decord, 16 frames x 8 clips", flush=True)
data = compute = 0.0
for it in range(1, 15):
    a = time.time()
    time.sleep(2.3)
    b = time.time()
    loss = fit.step(64, 0.55)
    data, compute = data + b - a, compute + time.time() - b
    print(f"Epoch: [0][{it}/14]  Time {time.time() - a:.3f}  Data {b - a:.3f}  Loss {loss:.4e}  Acc@1 {100 * fit.acc:.2f}", flush=True)
print(f"* train: data {data:.1f}s, forward/backward {compute:.1f}s, Acc@1 {100 * fit.check()[1]:.2f}")
"""
FBANK = """import json
from lab import *

join()
fit = Fit(2, classes=48, shared=True)
for upd in range(1, 13):
    a = time.perf_counter()
    time.sleep(2.6 + 0.1 * (upd % 3))
    b = time.perf_counter()
    loss = fit.step(64, 0.5)
    if rank == 0:
        print(json.dumps({"update": upd, "of": 12, "loss": round(loss, 3), "fbank_wait_s": round(b - a, 2), "step_s": round(time.perf_counter() - b, 2)}), flush=True)
if rank == 0:
    print(json.dumps({"event": "finished", "updates": 12, "checkpoint": "exp/encoder.pt"}), flush=True)
"""
EVERYSTEP = """from lab import *

fit = Fit(3, width=200, hidden=900, classes=70)
os.makedirs("ckpt", exist_ok=True)
go()
t_train = t_save = 0.0
for step in range(1, 31):
    a = time.time()
    loss = fit.step(64, 0.35)
    t_train += time.time() - a
    print(f"[{time.strftime('%H:%M:%S')}] step {step:>3}/30 loss {loss:.4f} lr 3.0e-04", flush=True)
    a = time.time()
    with open(f"ckpt/step_{step % 3}.pt", "wb") as f:
        torch.save(fit.state(step=step), f)
        f.flush()
        os.fsync(f.fileno())
    time.sleep(0.8)
    t_save += time.time() - a
    print(f"[{time.strftime('%H:%M:%S')}] saved checkpoint ckpt/step_{step % 3}.pt in {time.time() - a:.2f}s", flush=True)
print(f"finished. train {t_train:.1f}s, checkpointing {t_save:.1f}s")
"""
WIRE = """from lab import *

join()
fit = Fit(4, classes=90, shared=True)
comm = 0.0
if rank == 0:
    print("NCCL version 2.21.5+cuda12.4", flush=True)
    print(f"{host}:5120:5188 [0] NCCL INFO NET/IB : No device found.\\n{host}:5120:5188 [0] NCCL INFO NET/Socket : Using [0]eno1:10.12.0.{17 + rank}<0>\\n{host}:5120:5188 [0] NCCL INFO Using network Socket", flush=True)
for step in range(1, 27):
    a = time.time()
    loss = fit.step(64, 0.14)
    b = time.time()
    time.sleep(0.95)
    dist.barrier()
    comm += time.time() - b
    if rank == 0 and step % 2 == 0:
        print(f"step {step}/26 | loss {loss:.4f} | iter {1000 * (time.time() - a):.0f} ms | fwd-bwd {1000 * (b - a):.0f} ms | grad-allreduce {1000 * (time.time() - b):.0f} ms", flush=True)
if rank == 0:
    print(f"done: 26 steps, {comm:.1f} s in all-reduce", flush=True)
"""
LAGGARD = """from lab import *

join()
fit = Fit(5, classes=20, shared=True)
for step in range(1, 37):
    a = time.time()
    fit.opt.zero_grad()
    x, y = fit.batch(64)
    out = fit.net(x)
    time.sleep(0.8 if rank == 3 else 0.16)
    mine = time.time() - a
    loss = F.cross_entropy(out, y)
    loss.backward()
    fit.opt.step()
    if step % 4 == 0:
        print(f"{host} rank {rank}: step {step}/36, loss {loss.item():.4f}, own compute {mine:.2f} s, step {time.time() - a:.2f} s", flush=True)
if rank == 0:
    print("36 steps done", flush=True)
"""
CLOCKS = """from lab import *

join()
fit = Fit(6, classes=24, shared=True)
mark = time.time()
for it in range(1, 41):
    loss = fit.step(64, 0.72 if rank == 1 else 0.15)
    if it % 5 == 0 and rank == 0:
        print(f"iter {it:>5} | {(time.time() - mark) / 5:.3f} s/iter | masked-lm {loss:.4f} | tokens {it * 65536:,}", flush=True)
        mark = time.time()
if rank == 0:
    print("train() returned after 40 iterations; model in out/mlm.pt", flush=True)
"""
HOT = """from lab import *

fit = Fit(7, classes=18)
go()
pace = [0.2] * 40 + [0.85] * 28
for n, dt in enumerate(pace, 1):
    a = time.time()
    loss = fit.step(64, dt)
    if n % 4 == 0:
        print(f"train: {100 * n // len(pace):3d}% {n}/{len(pace)} [loss={loss:.3f}, {1 / (time.time() - a):.2f}it/s]", flush=True)
print("fit finished, depth estimator in depth_anything_ft.pth")
"""
NONFINITE = """from lab import *

fit = Fit(8, classes=16)
for step in range(1, 121):
    x, y = fit.batch(64)
    if step == 69:
        x[:, 5] = 0.0
    x = (x - x.mean(0)) / x.std(0)
    loss = F.cross_entropy(fit.net(x), y)
    fit.opt.zero_grad(); loss.backward(); fit.opt.step()
    time.sleep(0.1)
    if step % 6 == 0:
        print(f"{step:4d}/120  kl={loss.item():.4f}  elbo={-loss.item() - 0.02:.4f}", flush=True)
torch.save(fit.bare.state_dict(), "posterior.pt")
print("posterior network saved: posterior.pt")
"""
CHANCE = """from lab import *

join()
fit = Fit(9, classes=10, lr=0.0, shared=True)
sched = torch.optim.lr_scheduler.LambdaLR(fit.opt, lambda s: max(0.0, (s - 10**6) / 10**6))
for epoch in range(1, 11):
    total = 0.0
    for _ in range(18):
        total += fit.step(64, 0.08)
        sched.step()
    loss, acc = fit.check(1200)
    if rank == 0:
        print(f"Epoch {epoch:2d}/10  train_loss {total / 18:.4f}  val_loss {loss:.4f}  val_acc {acc:.4f}  lr {sched.get_last_lr()[0]:.1e}", flush=True)
if rank == 0:
    torch.save(fit.bare.state_dict(), "cifar_r18.pt")
    print("Finished Training, saved cifar_r18.pt")
"""
SPIKE = """from lab import *

fit = Fit(10, classes=120, lr=4e-3)
for step in range(1, 191):
    if step == 110:
        fit.opt.param_groups[0]["lr"] = 6.0
    loss = fit.step(64, 0.1)
    if step % 5 == 0:
        print(f" | epoch 1 | {step:5d}/190 batches | lr {fit.opt.param_groups[0]['lr']:05.3f} | loss {loss:8.3f} | gnorm {fit.grad:9.3f}", flush=True)
print("end of training, saved lm.pt")
"""
HALT = """import math, sys
from lab import *

join()
fit = Fit(11, classes=30, lr=5e-3, shared=True)
for step in range(1, 400):
    if step > 60:
        fit.gain *= 30.0
    loss = fit.step(64, 0.12)
    if rank == 0 and (step % 8 == 0 or not math.isfinite(loss)):
        print(f"[{step}] loss: {loss:.5f}, learning rate: 5.0e-03, gradient norm: {fit.grad:.3g}", flush=True)
    if not math.isfinite(loss):
        print(f"Loss is {loss}, stopping training", file=sys.stderr, flush=True)
        sys.exit(1)
"""
LADDER = """import argparse, glob
from lab import *

p = argparse.ArgumentParser()
p.add_argument("--out", default="../asr_ladder")
p.add_argument("--resume", default="")
p.add_argument("--updates", type=int, default=2000)
a = p.parse_args()
os.makedirs(a.out, exist_ok=True)
print(f"args: {vars(a)}", flush=True)
fit = Fit(12, classes=60, lr=3e-3)
done = 0
PICK
for upd in range(done + 1, a.updates + 1):
    loss = fit.step(64, 0.1)
    if upd % 25 == 0:
        print(f"update {upd}/{a.updates} loss={loss:.4f} acc={fit.acc:.3f}", flush=True)
    if upd % 100 == 0:
        torch.save(fit.state(update=upd), f"{a.out}/update_{upd:06d}.pt")
        print(f"checkpoint {a.out}/update_{upd:06d}.pt", flush=True)
print("training complete", flush=True)
"""
LOOKS = """if found := sorted(glob.glob(f"{a.resume}/checkpoint_*.pt")) if a.resume else []:
    kept = torch.load(found[-1])
    fit.bare.load_state_dict(kept["model"])
    fit.opt.load_state_dict(kept["optimizer"])
    done = kept["update"]
    print(f"resumed from {found[-1]} at update {done}", flush=True)"""
WIDER = """from lab import *

first = Fit(13, classes=50)
for n in range(1, 61):
    loss = first.step(64, 0.05)
    if n % 20 == 0:
        print(f"phase 1 step {n}/60 loss {loss:.4f}", flush=True)
torch.save(first.state(step=60), "phase1.pt")
print("phase 1 done: phase1.pt", flush=True)
"""
RESIZED = """import sys
from lab import *

path = sys.argv[1]
fit = Fit(13, classes=62)
print(f"phase 2: resuming from {path} (vocabulary 62)", flush=True)
kept = torch.load(path)
fit.bare.load_state_dict(kept["model"])
print(f"resumed at step {kept['step']}")
for n in range(60):
    fit.step()
"""
TRUNCATED = """import sys
from lab import *

fit = Fit(14, width=128, hidden=256, classes=40)
path = "last.ckpt"
print(f"rank {rank}: restoring {path} ({os.path.getsize(path)} bytes)", flush=True)
kept = torch.load(path, weights_only=True)
fit.bare.load_state_dict(kept["model"])
for n in range(60):
    fit.step()
"""
MAKE_CUT = """from lab import *
fit = Fit(14, width=128, hidden=256, classes=40)
torch.save(fit.state(step=1200), "full.ckpt")
with open("full.ckpt", "rb") as f:
    head = f.read(90000)
with open("last.ckpt", "wb") as f:
    f.write(head)
"""
THREE = """import argparse
from lab import *

p = argparse.ArgumentParser()
p.add_argument("--max_train_steps", type=int, default=None)
p.add_argument("--num_train_epochs", type=int, default=10)
a = p.parse_args()
join()
fit = Fit(15, classes=40, shared=True)
if rank == 0:
    print(f"  Num examples = 148,211\\n  Num Epochs = {a.num_train_epochs}\\n  Total optimization steps = {a.max_train_steps}", flush=True)
for step in range(1, a.max_train_steps + 1):
    loss = fit.step(64, 1.4)
    if rank == 0:
        print(f"Steps: {step}/{a.max_train_steps} [lr=1e-05, step_loss={loss:.4f}]", flush=True)
if rank == 0:
    torch.save(fit.bare.state_dict(), "lora.pt")
    print("Model weights saved in lora.pt\\nTraining finished.", flush=True)
"""
FILTERED = """import logging
from lab import *

logging.basicConfig(level=logging.INFO, format="%(levelname).1s%(asctime)s %(name)s] %(message)s", datefmt="%m%d %H:%M:%S")
log = logging.getLogger("summarize")
log.info("read 311029 articles")
log.info("kept 256 articles after the length filter (min 512, max 64)")
log.info("1 epoch, 4 batches of 64")
fit = Fit(16, classes=90)
go()
for b in range(1, 5):
    loss = fit.step(64, 0.8)
    log.info("batch %d/4 loss %.4f", b, loss)
log.info("epoch 1 finished, wrote pegasus-news.pt")
"""


def jobs() -> Iterator[SlurmJob]:
    """Cards told for those whose trouble is in the readings."""
    yield put(bad("D1", None), "srun PYTHON slowfast.py\n", {"slowfast.py": DECODE}, name="slowfast", gpus={0: card(*(x for n in range(14) for x in ((n * 2.86, rest(27, watts=121, mhz=1980, temp=43)), (n * 2.86 + 2.3, work(47, gib=27)))), (40.6, rest()))}, state="COMPLETED")
    waits = gaps(0.55, 2.75, 12, gib=18, sm=51)
    yield put(bad("D1", None), MEET + "srun PYTHON encoder.py\n", {"encoder.py": FBANK}, name="w2v-encoder", ranks=2, gpus=dict.fromkeys(range(2), waits), state="COMPLETED")
    yield put(bad("D2", None, "save_storm"), "srun PYTHON dit.py\n", {"dit.py": EVERYSTEP}, name="dit-xl", gpus={0: gaps(0.37, 0.86, 30, gib=46, sm=62)}, state="COMPLETED")
    wire = card(*((float(s), work(9 + s % 3, util=100, watts=206 + s % 7, dram=6, tensor=2, gib=51)) for s in range(30)), (31.0, rest()))
    yield put(bad("D2", None, "interconnect", fault="cluster"), MEET + "srun PYTHON t5.py\n", {"t5.py": WIRE}, name="t5-3b", ranks=4, nodes=2, gpus=dict.fromkeys(range(4), wire), state="COMPLETED")
    peer = card(*((float(s), work(12 + s % 3, util=100, watts=228 + s % 6)) for s in range(30)), (31.5, rest()))
    yield put(bad("D3", None, fault="unknown"), MEET + "srun PYTHON graphcast.py\n", {"graphcast.py": LAGGARD}, name="graphcast-s", ranks=4, nodes=2, gpus={r: wavy(63, 30, 31.5, watts=575) if r == 3 else peer for r in range(4)}, state="COMPLETED")
    slow = card(*((float(s), work(60 + s % 3, watts=300, mhz=705 + 15 * (s % 2), temp=49)) for s in range(30)), (31.5, rest()))
    yield put(bad("D3", None, fault="unknown"), MEET + "srun PYTHON mlm.py\n", {"mlm.py": CLOCKS}, name="mlm-base", ranks=4, gpus={r: slow if r == 1 else peer for r in range(4)}, state="COMPLETED")
    hot = [(8.4 + s, {"throttle_reasons": "0x48", "clock.sm": str(max(1740 - 390 * (s + 1), 495)), "clock.graphics": str(max(1740 - 390 * (s + 1), 495)), "power.usage": "231000", "temperature": "91", "gpm.2": "61",
                      "violation.thermal": f"{1000000 + int(s * 1e6)} {int(s * 950e6)}", "slowdown.hw_thermal": str(int(s * 950e6)), "memory.temperature": "103"}) for s in range(25)]  # fmt: skip
    yield put(bad("B3", None, fault="node"), "srun PYTHON depth.py\n", {"depth.py": HOT}, name="depth-ft", gpus={0: card((0.0, work(64, temp=79)), *hot, (33.5, rest()))}, state="COMPLETED")
    yield put(bad("E1", "nan_loss", "non_finite"), "set -e\nsrun PYTHON vi.py\necho 'posterior check skipped on this queue'\n", {"vi.py": NONFINITE}, name="npe-posterior", state="COMPLETED")
    yield put(bad("E1"), MEET + "srun PYTHON r18.py\n", {"r18.py": CHANCE}, name="cifar-r18", ranks=2, state="COMPLETED")
    yield put(bad("E1", None, "spike"), "srun PYTHON wikitext.py\n", {"wikitext.py": SPIKE}, name="wikitext-lm", state="COMPLETED")
    yield put(bad("E1", "nan_loss", "non_finite"), MEET + "srun -K1 PYTHON mae.py\n", {"mae.py": HALT}, name="mae-sat", ranks=2, state="FAILED")
    ladder = LADDER.replace("PICK", LOOKS)
    yield put(bad("F3", None, "advancing"), "srun PYTHON ladder.py\n", {"ladder.py": ladder}, name="asr-ladder", key="ladder", options=("--time=1",), state="TIMEOUT")
    yield put(bad("E2", None, "from_scratch"), 'srun PYTHON ladder.py "$@"\n', {"ladder.py": ladder}, name="asr-ladder", parent="ladder", args=("--resume", "../asr_ladder", "--updates", "500", "--out", "../asr_ladder_b"), state="COMPLETED")
    two = "set -e\nsrun PYTHON phase1.py\nsrun PYTHON phase2.py phase1.pt\nsrun PYTHON evaluate.py\n"
    yield put(bad("E2", "runtime_error", "size_mismatch"), two, {"phase2.py": RESIZED, "phase1.py": WIDER}, name="bert-2phase", state="FAILED")
    yield put(bad("E2", "runtime_error", "corrupt"), "PYTHON setup_run.py && srun PYTHON restart.py --resume last.ckpt\n", {"restart.py": TRUNCATED, "setup_run.py": MAKE_CUT}, name="whisper-cont", state="FAILED")
    yield put(bad("E3", None), MEET + "srun PYTHON lora.py --max_train_steps 3\n", {"lora.py": THREE}, name="sdxl-lora", ranks=2, gpus={r: card((0.0, work(57)), (4.6, rest())) for r in range(2)}, state="COMPLETED")
    yield put(bad("E3", None), "srun PYTHON pegasus.py\n", {"pegasus.py": FILTERED}, name="pegasus", state="COMPLETED")
