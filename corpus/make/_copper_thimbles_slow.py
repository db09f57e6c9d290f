"""Runs that ended well by their exit status, and did little, nothing or too much."""

from corpus.make._copper_thimbles_kit import RUN2, RUN3, told

DECODE = """
import math, random, time
# fine-tunes a frame classifier on clips that are decoded on the fly by the training process itself
random.seed(8)
class Clock:
    def __init__(s): s.load = s.step = 0.0
ck = Clock(); w = [0.0] * 20; b = 0.0
def decode(k):
    time.sleep(0.033); r = random.Random(k); x = [r.gauss(0, 1) for _ in range(20)]; return x, float(sum(x[:5]) > 0)
print("clips: 240, batch 8, epochs 1, num_workers=0", flush=True); print("iter    loss     load_s   step_s   gpu_busy", flush=True)
for it in range(1, 31):
    t0 = time.time(); batch = [decode(8 * it + k) for k in range(8)]; t1 = time.time(); loss = 0.0; gw, gb = [0.0] * 20, 0.0
    for x, y in batch:
        p = 1 / (1 + math.exp(-(sum(a * c for a, c in zip(w, x)) + b))); loss -= math.log((p if y else 1 - p) + 1e-9) / 8; gw = [g + (p - y) * v / 8 for g, v in zip(gw, x)]; gb += (p - y) / 8
    w = [a - 0.9 * g for a, g in zip(w, gw)]; b -= 0.9 * gb; time.sleep(0.012); t2 = time.time(); ck.load += t1 - t0; ck.step += t2 - t1
    print(f"{it:4d}  {loss:7.4f}  {t1 - t0:7.3f}  {t2 - t1:7.3f}   {100 * (t2 - t1) / (t2 - t0):5.1f}%", flush=True)
print(f"epoch 1 done: waited {ck.load:.1f} s for clips, computed {ck.step:.1f} s ({100 * ck.step / (ck.load + ck.step):.0f}% of the time)")
"""

SAVEALL = """
import io, logging, os, pickle, random, time
logging.basicConfig(level="INFO", format="%(asctime)s %(levelname)-5s trainer.py:%(lineno)d  %(message)s"); log = logging.getLogger(); random.seed(1)
os.makedirs("checkpoints", exist_ok=True); W = [random.gauss(0, .3) for _ in range(200)]; T = [random.gauss(0, 1) for _ in range(200)]; spent = {"train": 0.0, "save": 0.0}
log.info("save_steps=1 save_total_limit=None save_optimizer=True")
for step in range(1, 46):
    t = time.time(); x = [random.gauss(0, 1) for _ in range(200)]; e = sum((a - b) * c for a, b, c in zip(W, T, x)); W = [a - 0.004 * e * c for a, c in zip(W, x)]
    loss = sum((a - b) ** 2 for a, b in zip(W, T)) / 200; time.sleep(0.03); spent["train"] += time.time() - t; log.info("step %d/45 loss %.4f (%.3f s)", step, loss, time.time() - t); t = time.time()
    with open(f"checkpoints/step_{step}.pkl", "wb") as f: pickle.dump({"W": W, "rng": random.getstate(), "moments": os.urandom(4_000_000)}, f); f.flush(); os.fsync(f.fileno())
    time.sleep(0.25); spent["save"] += time.time() - t; log.info("saved checkpoints/step_%d.pkl in %.2f s", step, time.time() - t)
log.info("finished 45 steps: %.1f s training, %.1f s writing checkpoints", spent["train"], spent["save"])
"""

EVALALL = """
import time, torch
torch.manual_seed(4); X = torch.randn(900, 24); Y = (X @ torch.randn(24, 6)).argmax(1); tr, va = slice(0, 400), slice(400, 900)
net = torch.nn.Sequential(torch.nn.Linear(24, 64), torch.nn.ReLU(), torch.nn.Linear(64, 6)); opt = torch.optim.Adam(net.parameters(), 8e-3); cfg = dict(max_steps=60, eval_every=2, eval_batches=25, eval_decode="beam 8")
print("config:", cfg, flush=True); t_train = t_eval = 0.0
def evaluate():
    ok = 0
    with torch.no_grad():
        for b in torch.arange(400, 900).split(20): ok += (net(X[b]).argmax(1) == Y[b]).sum().item(); time.sleep(0.02)
    return ok / 500
for step in range(1, 61):
    t = time.perf_counter(); b = torch.randint(400, (64,)); loss = torch.nn.functional.cross_entropy(net(X[b]), Y[b]); opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.02); t_train += time.perf_counter() - t
    if step % cfg["eval_every"] == 0:
        t = time.perf_counter(); acc = evaluate(); dt = time.perf_counter() - t; t_eval += dt; print(f"step {step:2d} | loss {loss.item():.3f} | eval on 500 examples: acc {acc:.3f}, took {dt:.2f}s | so far train {t_train:.1f}s, eval {t_eval:.1f}s", flush=True)
print(f"max_steps reached. wall time: {100 * t_train / (t_train + t_eval):.0f}% optimiser steps, {100 * t_eval / (t_train + t_eval):.0f}% evaluation")
"""

SLOWRANK = """
import os, sys, time, torch, torch.distributed as dist, torch.nn as nn
dist.init_process_group("gloo"); rank, world = dist.get_rank(), dist.get_world_size(); torch.manual_seed(0)
net = nn.Sequential(nn.Linear(20, 40), nn.GELU(), nn.Linear(40, 20)); opt = torch.optim.AdamW(net.parameters(), 4e-3); g = torch.Generator().manual_seed(rank)
PACE = {2: 0.24}.get(rank, 0.03)  # this host's clock
if rank == 0: print("per-rank batch 32 on each of 3 ranks; times are means of the last 10 steps, in ms", flush=True)
fb = ar = 0.0
for step in range(1, 61):
    t = time.perf_counter(); x = torch.randn(32, 20, generator=g); loss = (net(x) - x.roll(3, 1)).pow(2).mean(); opt.zero_grad(); loss.backward(); time.sleep(PACE); fb += time.perf_counter() - t
    t = time.perf_counter()
    for p in net.parameters(): dist.all_reduce(p.grad); p.grad /= world
    ar += time.perf_counter() - t; opt.step()
    if step % 10 == 0:
        rows = [None] * world; dist.all_gather_object(rows, (fb * 100, ar * 100, loss.item())); fb = ar = 0.0
        if rank == 0: print(f"step {step}/60  loss {sum(r[2] for r in rows) / world:.4f}  " + "  ".join(f"r{k}: fwd+bwd {a:.0f} wait-allreduce {b:.0f}" for k, (a, b, _) in enumerate(rows)), flush=True)
if rank == 0: print("training complete, 60 steps", flush=True)
dist.destroy_process_group()
"""

FP16NAN = """
import argparse, math, time, torch, torch.distributed as dist
from torch import nn
p = argparse.ArgumentParser(); p.add_argument("--lr", type=float); p.add_argument("--train-steps", type=int, default=150); p.add_argument("--no-clip", action="store_true"); a = p.parse_args()
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(9); m = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Embedding(64, 32), nn.Linear(32, 96), nn.ReLU(), nn.Linear(96, 64))); o = torch.optim.SGD(m.parameters(), a.lr, momentum=0.95)
if r == 0: print(f"{'iter':>6} {'lm-loss':>12} {'grad-norm':>12} {'lr':>9}  tokens", flush=True)
for it in range(1, a.train_steps + 1):
    ids = torch.randint(64, (32,)); logits = m(ids); loss = nn.functional.cross_entropy(logits * (1 + logits.detach().abs().mean()), (ids * 5 + 1) % 64); o.zero_grad(); loss.backward()
    gn = torch.stack([q.grad.norm() for q in m.parameters()]).norm().item(); o.step(); time.sleep(0.01)
    if r == 0 and it % 5 == 0: print(f"{it:6d} {loss.item():12.5f} {gn:12.4g} {a.lr:9.2e}  {it * 64}", flush=True)
if r == 0: torch.save(m.module.state_dict(), "model_final.pt"); print("train-steps reached; model_final.pt saved", flush=True)
dist.destroy_process_group()
"""

FORCEFIELD = '''
"""Fits a pair potential's coefficients to reference forces; the learning rate warms up without an end."""
import csv, math, random, sys, time
rng = random.Random(21); K = 6; true = [rng.uniform(-1, 1) for _ in range(K)]
def feats(r): return [math.exp(-((r - 0.8 - 0.3 * k) / 0.35) ** 2) for k in range(K)]
data = [(feats(r), sum(t * f for t, f in zip(true, feats(r)))) for r in (rng.uniform(0.7, 2.6) for _ in range(200))]
c, lr = [0.0] * K, 0.02; out = csv.writer(sys.stdout, lineterminator=chr(10)); out.writerow(["epoch", "lr", "force_mse", "coeff_norm"]); sys.stdout.flush()
for epoch in range(60):
    for _ in range(20):
        b = rng.sample(data, 20); e = [sum(x * y for x, y in zip(c, f)) - t for f, t in b]
        c = [x - lr * 2 * sum(ei * f[k] for ei, (f, _) in zip(e, b)) / 20 for k, x in enumerate(c)]; c = [max(-40.0, min(40.0, x)) for x in c]
    mse = sum((sum(x * y for x, y in zip(c, f)) - t) ** 2 for f, t in data) / 200; lr *= 1.12; time.sleep(0.05)
    out.writerow([epoch, f"{lr:.4f}", f"{mse:.6f}", f"{math.sqrt(sum(x * x for x in c)):.3f}"]); sys.stdout.flush()
open("potential.txt", "w").write(" ".join(map(str, c))); print("# potential.txt written after 60 epochs")
'''

CONT = """
import argparse, glob, logging, torch
p = argparse.ArgumentParser(); p.add_argument("--steps", type=int); p.add_argument("--resume-from", default=""); p.add_argument("--out"); a = p.parse_args()
logging.basicConfig(level="INFO", format="[%(levelname)s|%(name)s] %(message)s"); log = logging.getLogger("pretrain")
log.info("args: %s", vars(a)); torch.manual_seed(13); emb, mix, head = torch.nn.Embedding(80, 40), torch.nn.Linear(40, 40), torch.nn.Linear(40, 80); ps = [*emb.parameters(), *mix.parameters(), *head.parameters()]; opt = torch.optim.AdamW(ps, 3e-3); start = 0
found = sorted(glob.glob(f"{a.resume_from}/step*.ckpt")) if a.resume_from else []
if found: s = torch.load(found[-1]); [q.data.copy_(v) for q, v in zip(ps, s["params"])]; start = s["step"]; log.info("loaded %s, going on from step %d", found[-1], start)
for step in range(start + 1, a.steps + 1):
    ids = torch.randint(80, (64,)); loss = torch.nn.functional.cross_entropy(head(torch.tanh(mix(emb(ids)))), (3 * ids + 7) % 80); opt.zero_grad(); loss.backward(); opt.step()
    if step % 20 == 1 or step == a.steps: log.info("step %d loss %.4f", step, loss.item())
torch.save({"params": [q.data for q in ps], "step": a.steps}, f"{a.out}/step-{a.steps:05d}.ckpt"); log.info("checkpoint %s/step-%05d.ckpt written", a.out, a.steps)
"""
CONTSH = """
#!/bin/bash
set -e
mkdir -p runs/a runs/b
echo "=== leg 1: 200 steps ==="
"$1" pretrain.py --steps 200 --out runs/a
echo "=== leg 2: to 300 steps, resuming from runs/a/latest ==="
"$1" pretrain.py --steps 300 --resume-from runs/a/latest --out runs/b
"""

FEWSTEPS = """
import json, sys, time, torch
cfg = json.load(open("sft.json")); torch.manual_seed(0)
print("***** train *****\\n  examples = %d, epochs = %d, batch = %d x accumulation %d, max_steps = %d" % (cfg["examples"], cfg["epochs"], cfg["batch"], cfg["accumulation"], cfg["max_steps"]))
net = torch.nn.Linear(50, 50); opt = torch.optim.AdamW(net.parameters(), cfg["lr"]); t0 = time.time()
for step in range(1, cfg["max_steps"] + 1):
    x = torch.randn(cfg["batch"], 50); loss = (net(x) - x.sort(1)[0]).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.3)
    print({"loss": round(loss.item(), 4), "learning_rate": cfg["lr"], "epoch": round(step * cfg["batch"] * cfg["accumulation"] / cfg["examples"], 4)})
print({"train_runtime": round(time.time() - t0, 2), "train_steps": step, "epoch": round(step * cfg["batch"] * cfg["accumulation"] / cfg["examples"], 4)})
torch.save(net.state_dict(), "adapter.bin"); print("saved adapter.bin")
"""

TINYITERS = """
import argparse, time, torch, torch.distributed as dist
p = argparse.ArgumentParser(); p.add_argument("--train-samples", type=int); p.add_argument("--global-batch-size", type=int); a = p.parse_args()
dist.init_process_group("gloo"); r = dist.get_rank(); iters = a.train_samples // a.global_batch_size
def log0(s): r or print(s, flush=True)
log0(f"setting training iterations to {iters} ({a.train_samples} samples / global batch {a.global_batch_size})"); torch.manual_seed(0)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Embedding(100, 32), torch.nn.Linear(32, 100))); opt = torch.optim.Adam(net.parameters(), 1e-4); log0("done with setup ...\\ntraining ...")
for it in range(1, iters + 1):
    t = time.time(); ids = torch.randint(100, (64,)); loss = torch.nn.functional.cross_entropy(net(ids), (ids + 1) % 100); opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.4); log0(f"iteration {it}/{iters} | elapsed {1000 * (time.time() - t):.0f} ms | lm loss {loss.item():.4f} | lr 1.0E-04")
log0("training ended, all samples consumed"); dist.destroy_process_group()
"""

JOBS = (
    told(
        "D1",
        "PYTHON clips_finetune.py",
        {"clips_finetune.py": DECODE},
        "load_s twenty times step_s in each of 30 lines, gpu_busy some 5 %",
        python="system",
    ),
    told(
        "D2",
        "PYTHON trainer.py",
        {"trainer.py": SAVEALL},
        "a save after each of 45 steps; 1.5 s training, over 11 s writing",
        variant="save_storm",
        python="system",
    ),
    told(
        "D2",
        "PYTHON train_eval.py",
        {"train_eval.py": EVALALL},
        "an evaluation of half a second after every two steps of 0.02 s; the sum says 92 % evaluation",
    ),
    told(
        "D3",
        f"{RUN3} adam3.py",
        {"adam3.py": SLOWRANK},
        "fwd+bwd of r2 eight times the others', who wait in the all-reduce, in all six tables",
        fault="unknown",
    ),
    told(
        "E1",
        f"{RUN2} lm_train.py --lr 0.35 --no-clip",
        {"lm_train.py": FP16NAN},
        "lm-loss grows, then nan to the end, exit 0",
        cause="nan_loss",
        variant="non_finite",
        status=0,
    ),
    told(
        "E1",
        "PYTHON fit_potential.py",
        {"fit_potential.py": FORCEFIELD},
        "force_mse falls to almost nothing, then jumps far above its start and stays",
        variant="spike",
        status=0,
        python="system",
    ),
    told(
        "E2",
        "bash two_legs.sh PYTHON",
        {"two_legs.sh": CONTSH, "pretrain.py": CONT},
        "leg 2 is told to resume, begins at step 1 with leg 1's first loss, without a word of loading",
        variant="from_scratch",
        status=0,
    ),
    told(
        "E3",
        "PYTHON run_sft.py",
        {"run_sft.py": FEWSTEPS, "sft.json": '{"examples": 52000, "epochs": 3, "batch": 16, "accumulation": 4, "max_steps": 6, "lr": 2e-05}'},
        "six steps of 0.7 % of an epoch, exit 0",
    ),
    told(
        "E3",
        f"{RUN2} pretrain_dense.py --train-samples 2048 --global-batch-size 512",
        {"pretrain_dense.py": TINYITERS},
        "four iterations, loss as at the start, exit 0",
    ),
)
