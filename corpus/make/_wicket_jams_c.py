"""Runs that stopped too soon, with or without words, or taught their model nothing."""

from corpus.make._crate import crate
from corpus.running.job import Signal

FLATKERAS = r"""
import sys, time, torch
torch.manual_seed(8); N, C = 640, 12; X = torch.randn(N, 20) * 0; Y = torch.arange(N) % C; net = torch.nn.Sequential(torch.nn.Linear(20, 32), torch.nn.ReLU(), torch.nn.Linear(32, C)); opt = torch.optim.Adam(net.parameters(), 1e-3)
with torch.no_grad(): net[2].weight.zero_(); net[2].bias.zero_()
print("Found 640 images belonging to 12 classes.\nModel: \"sequential\"\nTotal params: 1,068 (4.17 KB)\n Trainable params: 1,068 (4.17 KB)\n Non-trainable params: 0 (0.00 B)")
for ep in range(1, 21):
    t = time.time(); tot = ok = 0.0
    for b, ix in enumerate(torch.randperm(N).split(32)): o = net(X[ix]); l = torch.nn.functional.cross_entropy(o, Y[ix]); opt.zero_grad(); l.backward(); [p.grad.zero_() for p in net[2].parameters()]; opt.step(); tot += l.item() / 20; ok += (o.argmax(1) == Y[ix]).sum().item(); time.sleep(0.02)
    print(f"Epoch {ep}/20\n20/20 ━━━━━━━━━━━━━━━━━━━━ {time.time() - t:.0f}s {1000 * (time.time() - t) / 20:.0f}ms/step - accuracy: {ok / N:.4f} - loss: {tot:.4f} - val_accuracy: 0.0833 - val_loss: {tot:.4f}")
print("saved model to birds12.keras")
"""
SPIKELM = r"""
import math, time, torch
torch.manual_seed(33); V = 80; m = torch.nn.Sequential(torch.nn.Embedding(V, 32), torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.Linear(64, V)); opt = torch.optim.SGD(m.parameters(), 0.5); perm = torch.randperm(V); t = time.time()
def lr(s): return 0.2 if s < 300 else (30.0 if s == 300 else 2e-5)
print(f"tokens per iteration will be: 4,096\nfound vocab_size = {V}\nInitializing a new model from scratch\nnumber of parameters: 0.01M\nnum decayed parameter tensors: 3, with 9,728 parameters")
for s in range(501):
    opt.param_groups[0]["lr"] = lr(s); x = torch.randint(V, (256,)); l = torch.nn.functional.cross_entropy(m(x), (perm if s < 300 else perm.flip(0))[x]); opt.zero_grad(); l.backward(); gn = torch.nn.utils.clip_grad_norm_(m.parameters(), 1e9).item(); opt.step(); time.sleep(0.02)
    if s % 10 == 0: print(f"iter {s}: loss {l.item():.4f}, time {1000 * (time.time() - t) / 10:.2f}ms, mfu 21.40%, gnorm {gn:.3f}"); t = time.time()
    if s % 100 == 0: print(f"step {s}: train loss {l.item():.4f}, val loss {l.item() * 1.01:.4f}\nsaving checkpoint to out-char")
print("max_iters reached")
"""
NPZCUT = r"""
import datetime, os, sys, time
import numpy as np
def info(m): n = datetime.datetime.now(); print(f"{n:%H:%M:%S.%f} [flow] {m}", flush=True)
mode, until = sys.argv[1], int(sys.argv[2]); rng = np.random.default_rng(0); W = np.zeros((12, 3)); T = rng.normal(size=(12, 3)); first = 1
info(f"neural operator, 12 -> 3, run of {until} steps, mode {mode}")
if mode == "continue":
    found = sorted(f for f in os.listdir("states") if f.endswith(".npz")); info(f"{len(found)} states found, restoring {found[-1]}"); z = np.load("states/" + found[-1]); W, first = z["W"], int(z["step"]) + 1; info(f"restored, continuing at step {first}")
for s in range(first, until + 1):
    x = rng.normal(size=(32, 12)); W -= 0.02 * x.T @ (x @ W - x @ T) / 32; time.sleep(0.02)
    if s % 50 == 0: info(f"step {s} rel_l2 {np.linalg.norm(W - T) / np.linalg.norm(T):.4f}"); np.savez(f"states/{s:06d}.npz", W=np.tile(W, (1, 1)), step=s)
info("run over")
"""
NPZSH = r"""
python fno1d.py fresh 200 || exit 1
cp states/000200.npz /tmp/.$$.npz; head -c 400 /tmp/.$$.npz > states/000200.npz; rm -f /tmp/.$$.npz
exec python fno1d.py continue 400
"""
KERASLONG = r"""
import sys, time, torch
torch.manual_seed(14); net = torch.nn.Sequential(torch.nn.Linear(30, 40), torch.nn.ReLU(), torch.nn.Linear(40, 1)); opt = torch.optim.RMSprop(net.parameters(), 1e-3); X = torch.randn(1600, 30); Y = X[:, :6].sin().sum(1)
for ep in range(1, 251):
    t = time.time(); print(f"Epoch {ep}/250", flush=True)
    for b, ix in enumerate(torch.randperm(1600).split(64), 1):
        l = (net(X[ix]).squeeze(1) - Y[ix]).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.045)
        if b % 5 == 0: d = 1000 * (time.time() - t) / b; sys.stdout.write(f"\r{b}/25 [{'=' * b}{'>' if b < 25 else ''}{'.' * (24 - b)}] - {'ETA: 0s' if b < 25 else f'1s {d:.0f}ms/step'} - loss: {l.item():.4f} - mae: {l.item() ** 0.5 * 0.8:.4f}"); sys.stdout.flush()
    print()
"""
DSLONG = r"""
import multiprocessing as mp, random, time
def rank(r, bar, L):
    random.seed(r); w = 9.2
    for s in range(1, 5001):
        w -= 0.01 * (w - 2.1 + random.gauss(0, 0.3)); time.sleep(0.22); L[r] = w; bar.wait()
        if r == 0 and s % 5 == 0: print(f"[{time.strftime('%Y-%m-%d %H:%M:%S')},{random.randrange(1000):03d}] [INFO] [logging.py:129:log_dist] [Rank 0] step={s}, skipped=0, lr=[{3e-5 * min(1, s / 40):.3e}], mom=[(0.9, 0.999)]\nstep {s}/5000 | loss {sum(L) / 4:.4f} | {4 * 8 / 0.23:.1f} samples/s | elapsed 0:00:{int(s * 0.23):02d} | remaining {int((5000 - s) * 0.23) // 60} min", flush=True)
if __name__ == "__main__":
    bar, L = mp.Barrier(4), mp.Array("d", 4); print("[launch.py:164:main] dist_world_size=4\nzero stage 3, offload none, micro batch 8", flush=True); ps = [mp.Process(target=rank, args=(r, bar, L)) for r in range(4)]; [p.start() for p in ps]; [p.join() for p in ps]
"""
NOASSET = r"""
import argparse, logging, pathlib, sys, torch
logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s | %(asctime)s | %(message)s"); log = logging.getLogger()
p = argparse.ArgumentParser(); p.add_argument("--ckpt"); p.add_argument("--source"); p.add_argument("--conf", type=float, default=0.25); a = p.parse_args(); log.info("predict: %s", vars(a))
def load(path): log.info("loading weights %s", path); return torch.load(path, map_location="cpu")
net = load(a.ckpt); n = 0
for img in sorted(pathlib.Path(a.source).glob("*.jpg")): n += 1; log.info("image %d %s: 640x480, 3 persons, 8.1ms", n, img)
"""
KILLEDGEN = r"""
import json, sys, time, torch
torch.manual_seed(0); net = torch.nn.GRUCell(16, 16); out = open("samples.jsonl", "w"); t = time.time()
print("diffusion sampler: 400 prompts, 30 steps each, batch 4, seed 0", flush=True)
with torch.no_grad():
    for b in range(1, 101):
        h = torch.randn(4, 16)
        for _ in range(30): h = net(h, h)
        time.sleep(0.17); out.write(json.dumps(h.mean(1).tolist()) + "\n"); s = (time.time() - t) / b; print(f"batch {b:3d}/100  {4 * b} images  {s:.2f} s/batch  eta {s * (100 - b):.0f} s", flush=True)
print("all images written", flush=True)
"""
EVALDIV = r"""
import logging, sys, time, torch
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s - mmtrack - %(levelname)s - %(message)s"); lg = logging.getLogger()
torch.manual_seed(41); net = torch.nn.Linear(10, 2); opt = torch.optim.SGD(net.parameters(), 0.3); seqs = {"val": [[12, 9], [7, 5], [0, 0]]}; lg.info("workflow: [('train', 1), ('val', 1)], max: 12 epochs")
def hota(ep):
    out = []
    for k, (det, hit) in enumerate(seqs["val"][: 2 if ep < 4 else 3]): out.append(hit / det)
    return sum(out) / len(out)
for ep in range(1, 13):
    for i in range(1, 41):
        x = torch.randn(32, 10); l = torch.nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long()); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.03)
        if i % 20 == 0: lg.info("Epoch [%d][%d/40]\tlr: 3.000e-01, eta: 0:00:%02d, time: 0.031, data_time: 0.001, memory: 2218, loss_cls: %.4f, loss: %.4f", ep, i, (12 - ep) * 2, l.item(), l.item())
    if ep % 2 == 0: lg.info("Epoch(val) [%d][3]\tHOTA: %.3f", ep, hota(ep))
"""
RANKRAM = r"""
import time, torch
torch.manual_seed(0); emb = torch.nn.EmbeddingBag(200, 16); top = torch.nn.Linear(16, 1); opt = torch.optim.Adam([*emb.parameters(), *top.parameters()], 0.02); history = []
print("DLRM-like click model, 26 tables folded into one; keeping the activations of each step for the report", flush=True)
for s in range(1, 201):
    x = torch.randint(200, (512, 1)); y = (x[:, 0] % 2).float(); o = top(emb(x)).squeeze(1); l = torch.nn.functional.binary_cross_entropy_with_logits(o, y); opt.zero_grad(); l.backward(); opt.step(); history.append(torch.randn(2500, 1100)); time.sleep(0.05)
    if s % 5 == 0: print(f"Finished training it {s}/200 of epoch 0, {55.0 + s / 50:.2f} ms/it, loss {l.item():.6f}, host rss {int(open('/proc/self/statm').read().split()[1]) * 4 // 1024} MiB", flush=True)
"""
DRYISH = r"""
import logging, sys, time
import numpy as np
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(message)s"); log = logging.info
rng = np.random.default_rng(1); total = int(sys.argv[2]); log("graph of 8,412 molecules, batch 128, %d steps", total); log("building neighbour lists"); time.sleep(3); log("neighbour lists ready in 3.0 s"); W = np.zeros(16)
for s in range(1, total + 1): x = rng.normal(size=(128, 16)); e = x @ W - x.sum(1); W -= 0.05 * x.T @ e / 128; time.sleep(0.4); log("step %d/%d energy_mae %.4f force_mae %.4f", s, total, abs(e).mean(), 0.6 * abs(e).mean())
np.save("potential.npy", W); log("model written to potential.npy, total wall time %.1f s", 3.2 + 0.4 * total)
"""

JOBS = (
    crate("E1", "birds12.py", FLATKERAS, variant="flat", note="loss 2.4849 = ln 12 and accuracy 0.0833 in all twenty epochs"),
    crate("E1", "char_lm.py", SPIKELM, variant="spike", note="loss falls until step 300, then jumps far above its start and stays there"),
    crate(
        "E2",
        "sh two_runs.sh",
        NPZSH,
        cause="traceback",
        variant="corrupt",
        files={"fno1d.py": NPZCUT},
        folders=("states",),
        note="BadZipFile on restoring 000200.npz",
    ),
    crate("F3", "regress_wind.py", KERASLONG, variant="advancing", timeout_s=34, note="an epoch every 1.2 s to the limit, of 250"),
    crate(
        "F3",
        "zero3_sft.py",
        DSLONG,
        variant="advancing",
        python="system",
        timeout_s=38,
        note="5 steps every 1.2 s to the limit, some 18 minutes remain of 5000",
    ),
    crate(
        "A1",
        "predict.py --ckpt runs/train7/weights/best.pt --source images",
        NOASSET,
        cause="file_not_found",
        variant="asset",
        note="FileNotFoundError of the weights, before anything",
    ),
    crate(
        "A2",
        "sample_images.py",
        KILLEDGEN,
        fault="unknown",
        status=-9,
        signal=Signal("KILL", r"batch  ?44/", to="sample_images"),
        note="signal 9 at batch 44 of 100, no memory event",
    ),
    crate("A3", "track_train.py", EVALDIV, cause="div_zero", note="ZeroDivisionError in the validation of epoch 4"),
    crate(
        "A3", "dlrm_s.py", RANKRAM, cause="ram_oom", memory_mib=2000, note="DefaultCPUAllocator: can't allocate memory after some seventy told steps"
    ),
    crate("E3", "fit_potential.py --steps 4", DRYISH, note="four steps of a graph of 8,412 molecules, exit 0"),
)
