"""Good runs in stages: staged data, training, evaluation, export; half of them with words that frighten."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import GOOD, HARD, MEET, card, rest, wavy, work
from corpus.make._tallow_kit import put
from corpus.running.job import SlurmJob

STAGE = """import time
for part in range(0, 4):
    time.sleep(0.4)
    print(f"stage-in: plankton-{part:02d}.tar -> /tmp/plankton ({part + 1}/4)")
print("stage-in: 4 archives, 11.2 GB, 61042 images, 0 checksum mismatches")
"""
VISION = """import logging
from lab import *

logging.basicConfig(level=logging.INFO if rank == 0 else logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
log = logging.getLogger("plankton.train")
join()
log.info("world size %d, backbone convnext_tiny, 28.6 M parameters, amp bf16, global batch %d", world, 64 * world)
fit = Fit(3, classes=12, shared=True)
for epoch in range(1, 5):
    total = 0.0
    for it in range(1, 26):
        total += fit.step(96, 0.22)
        if it % 5 == 0:
            log.info("epoch %d iter %d/25 loss %.4f lr %.2e grad %.3f", epoch, it, total / it, 4e-3, fit.grad)
    loss, top1 = fit.check()
    log.info("epoch %d done: val_loss %.4f val_top1 %.2f%%", epoch, loss, 100 * top1)
if rank == 0:
    torch.save(fit.state(epoch=4), "plankton_final.pt")
    log.info("saved plankton_final.pt")
dist.destroy_process_group()
"""
VISION_EVAL = """import logging
from lab import *

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
log = logging.getLogger("plankton.eval")
fit = Fit(3, classes=12)
fit.bare.load_state_dict(torch.load("plankton_final.pt")["model"])
loss, top1 = fit.check(4000)
log.info("test set: 4000 images, loss %.4f, top1 %.2f%%", loss, 100 * top1)
torch.jit.trace(fit.bare, torch.randn(1, 24)).save("plankton.ts")
log.info("exported plankton.ts (TorchScript)")
"""
SPEECH = """import json, sys
from lab import *

stage = sys.argv[1]


def emit(**row):
    print(json.dumps({"ts": round(time.time(), 2), "stage": stage, **row}), flush=True)


fit = Fit(8, classes=29, lr=6e-3)
if stage == "train":
    emit(event="config", model="conformer-ctc-s", hours=96.4, sample_rate=16000, updates=240)
    for update in range(1, 241):
        loss = fit.step(64, 0.09)
        if update % 20 == 0:
            emit(event="train", update=update, ctc_loss=round(loss, 4), frame_acc=round(fit.acc, 3), grad_norm=round(fit.grad, 3))
        if update % 120 == 0:
            torch.save(fit.state(update=update), "conformer.pt")
            emit(event="checkpoint", update=update, path="conformer.pt")
    emit(event="done", updates=240)
else:
    fit.bare.load_state_dict(torch.load("conformer.pt")["model"])
    for name in ("dev-clean", "dev-other", "test-clean"):
        loss, acc = fit.check(900)
        emit(event="decode", set=name, utterances=900, ctc_loss=round(loss, 4), ter=round(1 - acc, 4))
    emit(event="done", sets=3)
"""
LANGUAGE = """from lab import *

join()
fit = Fit(21, width=48, hidden=96, classes=200, lr=5e-3, shared=True)
steps = 160
if rank == 0:
    print("***** Running training *****\\n  Num examples = 20,480\\n  Num Epochs = 2\\n  Instantaneous batch size per device = 64")
    print(f"  Total train batch size (w. parallel, distributed & accumulation) = 128\\n  Total optimization steps = {steps}", flush=True)
began = time.time()
total = 0.0
for step in range(1, steps + 1):
    loss = fit.step(64, 0.14)
    total += loss
    for g in fit.opt.param_groups:
        g["lr"] = 5e-3 * (1 - step / steps)
    if step % 10 == 0 and rank == 0:
        print({"loss": round(loss, 4), "grad_norm": round(fit.grad, 4), "learning_rate": fit.opt.param_groups[0]["lr"], "epoch": round(2 * step / steps, 2)}, flush=True)
    if step % 80 == 0:
        ev, acc = fit.check()
        if rank == 0:
            print({"eval_loss": round(ev, 4), "eval_accuracy": round(acc, 4), "epoch": round(2 * step / steps, 2)})
            torch.save(fit.state(step=step), f"checkpoint-{step}.pt")
            print(f"Saving model checkpoint to checkpoint-{step}.pt", flush=True)
if rank == 0:
    print({"train_runtime": round(time.time() - began, 2), "train_steps_per_second": round(steps / (time.time() - began), 2), "train_loss": round(total / steps, 4), "epoch": 2.0})
    print("Training completed.")
"""
ENSEMBLE = """import sys
from lab import *

member = rank
fit = Fit(40 + member, classes=6, lr=7e-3)
tag = f"[member {member} @ {host}]"
print(tag, "surrogate for the two-layer shallow water code, 6 outputs", flush=True)
for epoch in range(1, 13):
    losses = [fit.step(48, 0.07) for _ in range(12 + member)]
    if epoch % 3 == 0:
        print(f"{tag} epoch {epoch:>2}/12  mean NLL {sum(losses) / len(losses):.4f}  min {min(losses):.4f}", flush=True)
loss, acc = fit.check()
torch.save(fit.state(), f"member_{member}.pt")
print(f"{tag} finished: held-out NLL {loss:.4f}, weights in member_{member}.pt", flush=True)
"""
GATHER = """import glob
import torch
files = sorted(glob.glob("member_*.pt"))
print(f"combining {len(files)} members")
norms = [sum(float(v.norm()) for v in torch.load(f)["model"].values()) for f in files]
for f, n in zip(files, norms):
    print(f"  {f}: weight norm {n:.3f}")
print(f"spread {max(norms) - min(norms):.3f}; wrote ensemble.json")
"""
BENCH = """from lab import *

fit = Fit(5, width=32, classes=4, lr=1e-2)
for _ in range(150):
    fit.step(128, 0.0)
go()
print("model: mistral-7b-sft-v3 (bf16), 5-shot, 4 tasks", flush=True)
rows = []
for task, n in (("arc_easy", 40), ("hellaswag", 60), ("piqa", 30), ("boolq", 50)):
    seen = right = 0
    for b in range(1, n + 1):
        _, acc = fit.check(16)
        seen, right = seen + 16, right + round(16 * acc)
        time.sleep(0.12)
        if b % 10 == 0:
            print(f"{task}: batch {b}/{n}, running acc {right / seen:.4f}", flush=True)
    rows.append((task, seen, right / seen))
print("| task       |    n | acc    |\\n|------------|------|--------|")
for task, n, acc in rows:
    print(f"| {task:<10} | {n:>4} | {acc:.4f} |")
print("evaluation finished, results written to results/mistral-7b-sft-v3.json")
"""
FINALS = """import threading, urllib.request
from lab import *


class Prefetch:
    def __init__(self):
        self.jobs = {}

    def __del__(self):
        self.pool.shutdown()


def report(path):
    urllib.request.urlopen("http://127.0.0.1:9/api/runs/finish", timeout=2)


pre = Prefetch()
fit = Fit(11, classes=15)
go()
for epoch in range(1, 7):
    mean = sum(fit.step(64, 0.1) for _ in range(25)) / 25
    loss, acc = fit.check()
    print(f"[{epoch}/6] train {mean:.4f}  val {loss:.4f}  mAP@50 {acc:.4f}", flush=True)
torch.save(fit.bare.state_dict(), "detector_best.pt")
print("best weights: detector_best.pt\\ntraining complete in 6 epochs", flush=True)
t = threading.Thread(target=report, args=("final",), name="tracker-sync")
t.start()
t.join()
"""
HALVING = """import logging, sys
from lab import *

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s | %(levelname)-7s | %(message)s")
fit = Fit(13, classes=20)
go()


def forward(batch):
    if batch > 32:
        raise torch.OutOfMemoryError(
            "CUDA out of memory. Tried to allocate 9.38 GiB. GPU 0 has a total capacity of 79.19 GiB of which 4.02 GiB is free. Process 81120 has 75.16 GiB memory in use. "
            "Of the allocated memory 71.90 GiB is allocated by PyTorch, and 2.44 GiB is reserved by PyTorch but unallocated.")
    return fit.step(batch, 0.2)


batch = 128
logging.info("probing the largest batch that fits, starting at %d", batch)
while True:
    try:
        forward(batch)
        break
    except torch.OutOfMemoryError:
        logging.exception("batch %d does not fit", batch)
        batch //= 2
        time.sleep(1)
logging.info("using batch %d x accumulation %d", batch, 128 // batch)
for step in range(1, 91):
    loss = forward(batch)
    if step % 9 == 0:
        logging.info("step %d/90 | loss %.4f | acc %.3f | mem 61.3 GiB", step, loss, fit.acc)
logging.info("done, final loss %.4f", loss)
"""
STOPPING = """from lab import *

torch.manual_seed(0)
x, y = torch.randn(60, 16), torch.randint(0, 5, (60,))
vx = torch.cat([x[:30] + 0.4 * torch.randn(30, 16), torch.randn(30, 16)])
vy = torch.cat([y[:30], torch.randint(0, 5, (30,))])
net = torch.nn.Sequential(torch.nn.Linear(16, 256), torch.nn.ReLU(), torch.nn.Linear(256, 5))
opt = torch.optim.Adam(net.parameters(), 3e-3)
best, worse, patience = 1e9, 0, 6
print("config: {'epochs': 200, 'patience': 6, 'on_error': 'raise', 'kill_on_nan': True, 'oom_retries': 3, 'timeout_s': 1800}")
for epoch in range(1, 201):
    for part in range(0, 60, 20):
        loss = F.cross_entropy(net(x[part:part + 20]), y[part:part + 20])
        opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.35)
    with torch.no_grad():
        val = F.cross_entropy(net(vx), vy).item()
    mark = ""
    if val < best:
        best, worse, mark = val, 0, " *"
    else:
        worse += 1
    print(f"epoch {epoch:03d} train_loss={loss.item():.4f} val_loss={val:.4f}{mark}", flush=True)
    if worse >= patience:
        print(f"EarlyStopping: val_loss did not improve for {patience} epochs (best {best:.4f} at epoch {epoch - patience}). Stopping.")
        break
print("restored best weights, exported speaker_id.pt")
"""
SCALER = """import warnings
from lab import *

join()
fit = Fit(17, classes=30, shared=True)
scale, skipped = 65536.0, 0
if rank == 0:
    print("dataset NaN-Lab/nanobody-3k: 3120 rows, n_nan=0, n_inf=0, dropped=0")
for step in range(1, 141):
    if step in (1, 2, 4, 7):
        scale, skipped = scale / 2, skipped + 1
        if rank == 0:
            print(f"step {step:>3}: grad overflow (inf), skipping update, loss scale -> {scale:.0f}", flush=True)
        time.sleep(0.15)
        dist.barrier()
        continue
    loss = fit.step(64, 0.15)
    if step % 10 == 0 and rank == 0:
        print(f"step {step:>3}/140  xent {loss:.4f}  gnorm {fit.grad:.3f}  scale {scale:.0f}", flush=True)
warnings.warn("number of nan gradients seen after warmup: 0")
if rank == 0:
    print(f"finished 140 steps, {skipped} skipped by the scaler, nan losses: 0")
dist.destroy_process_group()
"""
EXPORT = """import argparse
from lab import *

p = argparse.ArgumentParser()
p.add_argument("--what", default="fit")
p.add_argument("--opset", type=int, default=19)
a = p.parse_args()
fit = Fit(23, classes=18)
if a.what == "fit":
    for n in range(1, 181):
        loss = fit.step(64, 0.1)
        if n % 15 == 0:
            print(f"iter {n:4d} | total_loss {loss:.3f} | cls {loss * 0.7:.3f} | box {loss * 0.3:.3f} | acc {fit.acc:.3f}", flush=True)
    torch.save(fit.bare.state_dict(), "seg.pt")
    print("Saved seg.pt after 180 iterations")
else:
    fit.bare.load_state_dict(torch.load("seg.pt"))
    print(f"export seg.pt with opset {a.opset}")
    if a.opset > 17:
        raise RuntimeError(f"Unsupported: ONNX export of operator aten::grid_sampler_3d with opset {a.opset}: no symbolic registered")
    print(f"export finished: seg_opset{a.opset}.onnx, max abs difference 3.1e-06")
"""
PAUSED = """from lab import *

join()
fit = Fit(29, classes=9, shared=True)
for it in range(1, 201):
    loss = fit.step(64, 0.14)
    if it % 10 == 0 and rank == 0:
        print(f"{time.strftime('%H:%M:%S')} [climate-emulator] it={it}/200 crps={loss:.4f} lr=4e-3", flush=True)
if rank == 0:
    print(f"{time.strftime('%H:%M:%S')} [climate-emulator] training finished, writing emulator.pt")
    torch.save(fit.state(), "emulator.pt")
"""
WARM = """import sys
from lab import *

base, new = Fit(31, classes=10), Fit(31, classes=4, lr=8e-3)
for _ in range(60):
    base.step(64, 0.0)
torch.save({"model": base.bare.state_dict(), "epoch": 90}, "vit_s16_in1k.pt")
kept = torch.load("vit_s16_in1k.pt")["model"]
body = {k: v for k, v in kept.items() if not k.startswith("2.")}
print("=> loading pretrained weights vit_s16_in1k.pt (epoch 90 of the pre-training run)")
print("   size of the head differs (10 -> 4 classes): head.weight, head.bias not loaded, newly initialised")
print("   ", new.bare.load_state_dict(body, strict=False))
print("=> fine-tuning on leaf-disease-4, starting at epoch 0", flush=True)
go()
for epoch in range(8):
    mean = sum(new.step(64, 0.12) for _ in range(18)) / 18
    loss, acc = new.check()
    print(f"Epoch: [{epoch}]  Loss {mean:.4e}  Acc@1 {100 * acc:.2f}  (best so far)", flush=True)
print("=> fine-tuning finished, model_best.pth.tar written")
"""


def jobs() -> Iterator[SlurmJob]:
    """Plain ones, then those that look worse than they are."""
    run = 'echo "== $(date +%T) stage 1: data"\nsrun -N1 -n1 PYTHON stage.py\necho "== $(date +%T) stage 2: training"\nsrun PYTHON train.py\necho "== $(date +%T) stage 3: test and export"\nsrun -N1 -n1 PYTHON final.py\n'
    yield put(GOOD, MEET + "set -e\n" + run, {"train.py": VISION, "stage.py": STAGE, "final.py": VISION_EVAL}, name="plankton-cnx", ranks=4, nodes=2, gpus={r: wavy(52 + r, 23, 25.0, gib=33) for r in range(4)}, state="COMPLETED")
    yield put(GOOD, "set -euo pipefail\nfor stage in train decode; do srun PYTHON asr.py $stage; done\necho all stages ok\n", {"asr.py": SPEECH}, name="conformer-ctc", state="COMPLETED")
    yield put(GOOD, MEET + "srun PYTHON clm.py\n", {"clm.py": LANGUAGE}, name="gpt-de-small", ranks=2, gpus={r: wavy(66 - r, 24, 26.0, watts=612, gib=57) for r in range(2)}, state="COMPLETED")
    yield put(GOOD, "srun PYTHON member.py && PYTHON gather.py\n", {"member.py": ENSEMBLE, "gather.py": GATHER}, name="swe-ensemble", ranks=4, nodes=2, state="COMPLETED")
    yield put(GOOD, "srun PYTHON bench.py\n", {"bench.py": BENCH}, name="lm-eval", gpus={0: wavy(35, 21, 23.5, watts=390, gib=17)}, state="COMPLETED")
    yield put(HARD, "srun PYTHON detect.py\n", {"detect.py": FINALS}, name="detr-r50", gpus={0: wavy(47, 17, 19.0, watts=455, gib=29)}, state="COMPLETED")
    full = [(float(s), work(30, gib=75.2)) for s in range(3)]
    yield put(HARD, "srun PYTHON vits.py\n", {"vits.py": HALVING}, name="vits-multi", gpus={0: card(*full, *((3.0 + s, work(58 + s % 4, gib=61.3, watts=520 + s * 11 % 17)) for s in range(17)), (22.5, rest()))}, state="COMPLETED")
    yield put(HARD, "PYTHON spk.py\n", {"spk.py": STOPPING}, name="speaker-id", state="COMPLETED")
    yield put(HARD, MEET + "srun PYTHON nano.py\n", {"nano.py": SCALER}, name="nanobody-mlm", ranks=2, gpus={r: wavy(49 + 3 * r, 22, 25.0) for r in range(2)}, state="COMPLETED")
    again = "set -e\nsrun PYTHON seg.py\nsrun PYTHON seg.py --what export || { echo 'opset 19 refused, falling back to 17'; srun PYTHON seg.py --what export --opset 17; }\n"
    yield put(HARD, again, {"seg.py": EXPORT}, name="vol-seg", state="COMPLETED")
    yield put(HARD, MEET + "srun PYTHON emulator.py\n", {"emulator.py": PAUSED}, name="climate-emu", ranks=2, act="suspend", after="it=60/", state="COMPLETED")
    yield put(HARD, "srun PYTHON finetune.py\n", {"finetune.py": WARM}, name="leaf-ft", gpus={0: wavy(55, 19, 21.0)}, state="COMPLETED")
