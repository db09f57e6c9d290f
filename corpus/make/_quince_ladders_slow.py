"""Runs of a group of students that ended well and were not well: starved, saving, exchanging, uneven, not learning, hardly trained."""

from corpus.make._crate import crate

SHARDWAIT = '''
import logging, queue, threading, time, torch, torch.nn as nn
logging.basicConfig(level=logging.INFO, format="%(relativeCreated)7d ms  %(message)s"); torch.manual_seed(0); ready = queue.Queue(maxsize=1)
def download():
    """Pulls the shards from the archive host, one after another."""
    for k in range(8): time.sleep(2.1); g = torch.Generator().manual_seed(k); x = torch.randn(400, 30, generator=g); ready.put((k, x, x[:, :4].argmax(1)))
    ready.put(None)
threading.Thread(target=download, daemon=True).start(); net = nn.Sequential(nn.Linear(30, 48), nn.ReLU(), nn.Linear(48, 4)); opt = torch.optim.Adam(net.parameters(), 6e-3); busy = idle = 0.0; step = 0
while True:
    t = time.time(); got = ready.get(); w = time.time() - t; idle += w
    if got is None: break
    k, x, y = got; logging.info("shard %d arrived, waited %.2f s for it", k, w); t = time.time()
    for i in torch.arange(400).split(40): loss = nn.functional.cross_entropy(net(x[i]), y[i]); opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.012); step += 1
    busy += time.time() - t; logging.info("step %d loss %.4f (10 steps in %.2f s)", step, loss.item(), time.time() - t)
logging.info("epoch over: %d steps, %.1f s computing, %.1f s without data", step, busy, idle)
'''

SAVEALL = """
import argparse, os, time, numpy as np
p = argparse.ArgumentParser(); p.add_argument("--save-every", type=int, default=1); p.add_argument("--steps", type=int, default=60); p.add_argument("--emb", type=int, default=900); a = p.parse_args(); rng = np.random.default_rng(0)
E = rng.normal(0, 0.05, (a.emb, a.emb)); m, v = np.zeros_like(E), np.zeros_like(E); A = rng.normal(size=(a.emb, 8)) / 8; os.makedirs("ckpt", exist_ok=True); in_step = in_save = 0.0
for s in range(1, a.steps + 1):
    t0 = time.time(); i = rng.integers(a.emb, size=64); D = E[i] - A[i] @ A.T; loss = float((D ** 2).mean()); E[i] -= 0.4 * D; t1 = time.time(); in_step += t1 - t0; print(f"step {s:3d}/{a.steps} loss {loss:.6f} step_time {t1 - t0:.3f}s", flush=True)
    if s % a.save_every == 0:
        path = f"ckpt/step_{s % 4}.npz"
        with open(path, "wb") as f: np.savez_compressed(f, emb=E, m=m, v=v, step=s); f.flush(); os.fsync(f.fileno())
        t2 = time.time(); in_save += t2 - t1; print(f"checkpoint {path} written, {os.path.getsize(path) / 1e6:.1f} MB, save_time {t2 - t1:.3f}s", flush=True)
print(f"finished {a.steps} steps; time in steps {in_step:.1f}s, time in checkpoints {in_save:.1f}s")
"""

BIGGRAD = """
import time, torch, torch.distributed as dist, torch.nn.functional as F
dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size(); torch.manual_seed(0); V, D, ROWS = 60_000, 40, 60; emb = torch.randn(V, D) * 0.3; dense = torch.zeros(V, D); torch.manual_seed(r); tot = {"compute": 0.0, "allreduce": 0.0}
if r == 0: print(f"item tower: {V} x {D}, gradients made dense, {V // ROWS} buckets of {ROWS * D * 4 / 1e3:.1f} kB a step, {n} ranks, socket transport", flush=True)
for it in range(1, 25):
    t0 = time.time(); a = torch.randint(300, (512,)); b = a ^ 1; x, y = emb[a].requires_grad_(), emb[b].requires_grad_(); loss = (1 - F.cosine_similarity(x, y)).mean(); loss.backward(); dense[:300].zero_().index_add_(0, torch.cat([a, b]), torch.cat([x.grad, y.grad])); t1 = time.time()
    for part in dense.split(ROWS): dist.all_reduce(part)
    t2 = time.time(); emb[:300] -= 15 * dense[:300] / n; tot["compute"] += t1 - t0; tot["allreduce"] += t2 - t1
    if it % 3 == 0: print(f"[rank {r}] it {it}/24 loss {loss.item():.4f} compute {t1 - t0:.3f} s allreduce {t2 - t1:.3f} s", flush=True)
dist.barrier(); print(f"[rank {r}] totals: " + ", ".join(f"{k} {v:.1f} s" for k, v in tot.items()), flush=True); dist.destroy_process_group()
"""

LONGTAIL = """
import os, time, torch, torch.distributed as dist, torch.nn as nn
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(0); net = nn.GRU(12, 24, batch_first=True); head = nn.Linear(24, 3); ps = [*net.parameters(), *head.parameters()]; opt = torch.optim.Adam(ps, 5e-3); torch.manual_seed(10 + r)
length = 300 if r == 0 else 20; rows = []
for ep in range(1, 8):
    busy = wait = 0.0
    for _ in range(5):
        t = time.perf_counter(); x = torch.randn(16, length, 12); y = x[:, -1, :3].argmax(1); loss = nn.functional.cross_entropy(head(net(x)[0][:, -1]), y); opt.zero_grad(); loss.backward(); time.sleep(length * 0.0012); u = time.perf_counter()
        flat = torch.cat([p.grad.flatten() for p in ps]); dist.all_reduce(flat); k = 0
        for p in ps: p.grad.copy_(flat[k:k + p.numel()].view_as(p) / 2); k += p.numel()
        wait += time.perf_counter() - u; busy += u - t; opt.step()
    print(f"epoch {ep}/7 | rank {r} | sequences of {length} | loss {loss.item():.4f} | compute {busy:.2f} s | waiting for the other rank {wait:.2f} s", flush=True)
dist.destroy_process_group()
"""

RESTARTLR = """
import sys, torch, torch.nn as nn
torch.manual_seed(23); t = torch.arange(3000.0); s = (t / 9).sin() + 0.5 * (t / 31).sin(); W = s.unfold(0, 33, 1); X, Y = W[:, :32], W[:, 32:]; net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1)); opt = torch.optim.SGD(net.parameters(), 0.02, momentum=0.9)
base, restart_at, mult = 0.02, 30, 14.0; print("sgdr: base lr 0.02, restart after epoch 30 with multiplier", mult); best = 9e9
for ep in range(1, 61):
    lr = base * (1 - (ep - 1) / 40) if ep <= restart_at else base * mult; opt.param_groups[0]["lr"] = lr; tot = 0.0
    for n, i in enumerate(torch.randperm(len(X)).split(100)): l = ((net(X[i]) - Y[i]) * (1 if ep != 31 or n > 6 else 60)).pow(2).mean(); opt.zero_grad(); l.backward(); gn = nn.utils.clip_grad_norm_(net.parameters(), 40.0 if ep > restart_at else 1.0); opt.step(); tot += (net(X[i]) - Y[i]).pow(2).mean().item() * len(i) / len(X)
    best = min(best, tot); print(f"epoch {ep:2d}  lr {lr:.4f}  train_mse {tot:.6f}  best {best:.6f}  grad_norm {gn:.3f}", flush=True)
torch.save(net.state_dict(), "sgdr_last.pt"); print("sgdr_last.pt saved")
"""

ZEROLR = """
import math, random
random.seed(30); users, items, total_steps, warm = 50, 80, 1500, 0; P = [[random.gauss(0, 0.01) for _ in range(5)] for _ in range(users)]; Q = [[random.gauss(0, 0.01) for _ in range(5)] for _ in range(items)]
def schedule(step, peak=0.05): return peak * min(step, warm) / max(1, warm)
data = [(u, i, int((u % 5) == (i % 5))) for u in range(users) for i in range(items)]; print(f"neural-free CTR: {len(data)} pairs, peak lr 0.05, linear warm-up over {warm} steps"); step = 0
def auc(rows): s = sorted((sum(a * b for a, b in zip(P[u], Q[i])), y) for u, i, y in rows); n1 = sum(y for _, y in s); r = sum(k for k, (_, y) in enumerate(s, 1) if y); return (r - n1 * (n1 + 1) / 2) / (n1 * (len(s) - n1))
for ep in range(1, 16):
    random.shuffle(data); loss = 0.0; lr = 0.0
    for k in range(0, len(data), 40):
        step += 1; lr = schedule(step)
        for u, i, y in data[k:k + 40]:
            p = 1 / (1 + math.exp(-sum(a * b for a, b in zip(P[u], Q[i])))); loss -= math.log(p if y else 1 - p) / len(data)
            for d in range(5): a, b = P[u][d], Q[i][d]; P[u][d] -= lr * (p - y) * b; Q[i][d] -= lr * (p - y) * a
    print(f"Epoch {ep:02d}/15 | step {step} | lr {lr:.1e} | logloss {loss:.5f} | AUC {auc(data):.4f}", flush=True)
open("factors.txt", "w").write(repr((P, Q))); print("factors.txt stored, all epochs done")
"""

KERASTINY = """
import numpy as np, time
rng = np.random.default_rng(1); gen = iter([(rng.normal(size=(32, 16)), rng.normal(size=(32, 1))) for _ in range(500)]); w = np.zeros((16, 1)); opts = dict(epochs=2, steps_per_epoch=1, validation_steps=1)
print("model.fit(", ", ".join(f"{k}={v}" for k, v in opts.items()), ")")
for e in range(opts["epochs"]):
    print(f"Epoch {e + 1}/{opts['epochs']}")
    for s in range(opts["steps_per_epoch"]): t = time.time(); x, y = next(gen); y = y * 0.1 + x.sum(1, keepdims=True) / 2; d = x @ w - y; w -= 0.1 * 2 * x.T @ d / 32; vx, vy = next(gen); print(f"{s + 1}/{opts['steps_per_epoch']} ━━━━━━━━━━━━━━━━━━━━ {time.time() - t:.0f}s {1000 * (time.time() - t):.0f}ms/step - loss: {(d ** 2).mean():.4f} - val_loss: {((vx @ w - vx.sum(1, keepdims=True) / 2 - 0.1 * vy) ** 2).mean():.4f}", flush=True)
np.save("model.npy", w); print("model.npy saved")
"""

JOBS = (
    crate("D1", "shards.py", SHARDWAIT, note="two seconds without data between bursts of ten steps; its own sum says so"),
    crate(
        "D2", "emb.py --save-every 1 --steps 40", SAVEALL, variant="save_storm", note="a checkpoint after each step, save_time far above step_time"
    ),
    crate("D2", "tower.py", BIGGRAD, ranks=2, note="allreduce on both ranks alike is nearly all of the time; loss falls"),
    crate("D3", "longtail.py", LONGTAIL, ranks=2, fault="unknown", first=(), note="rank 0 has sequences fifteen times as long, rank 1 waits for it"),
    crate("E1", "sgdr.py", RESTARTLR, variant="spike", note="loss falls for 30 epochs, then jumps far above its start and stays there"),
    crate("E1", "ctr_mf.py", ZEROLR, python="system", variant="flat", note="lr 0, logloss and AUC the same to the last digit in all epochs"),
    crate("E3", "fit_gen.py", KERASTINY, note="two steps in all, exit 0"),
)
