"""Runs that came to their planned end; the last five look bad at first sight."""

from corpus.make._copper_thimbles_kit import RUN2, told

SHARDED = """
import json, math, os, sys, time, torch, torch.distributed as dist
import torch.nn.functional as F
dist.init_process_group("gloo"); R, W = dist.get_rank(), dist.get_world_size(); torch.manual_seed(17)
V, D, T, STEPS = 40, 36, 20, 180
shapes = {"emb": (V, D), "wq": (D, D), "wk": (D, D), "wv": (D, D), "ff1": (D, 2 * D), "ff2": (2 * D, D), "out": (D, V)}
full = torch.cat([(torch.randn(s) * 0.12).flatten() for s in shapes.values()]); pad = -len(full) % W; full = F.pad(full, (0, pad)); n = len(full) // W
mine = full[R * n:(R + 1) * n].clone(); m, v = torch.zeros(n), torch.zeros(n)  # each rank keeps its part of weights and moments
def emit(**k):
    if R == 0: sys.stdout.write(json.dumps(k) + "\\n"); sys.stdout.flush()
def gather():
    parts = [torch.empty(n) for _ in range(W)]; dist.all_gather(parts, mine); flat = torch.cat(parts).requires_grad_(); at, out = 0, {}
    for k, s in shapes.items(): c = math.prod(s); out[k] = flat[at:at + c].view(s); at += c
    return flat, out
emit(msg="start", world_size=W, params=sum(math.prod(s) for s in shapes.values()), shard_numel=n, total_steps=STEPS)
g = torch.Generator().manual_seed(R); t0 = time.time()
for step in range(1, STEPS + 1):
    a = torch.randint(V, (8, 1), generator=g); ids = (a + torch.arange(T + 1) * torch.randint(1, 4, (8, 1), generator=g)) % V
    flat, p = gather(); h = p["emb"][ids[:, :-1]]; h = h + F.scaled_dot_product_attention(h @ p["wq"], h @ p["wk"], h @ p["wv"], is_causal=True); h = h + F.gelu(h @ p["ff1"]) @ p["ff2"]
    loss = F.cross_entropy((h @ p["out"]).flatten(0, 1), ids[:, 1:].flatten()); loss.backward(); grad = flat.grad / W; dist.all_reduce(grad); norm = grad.norm().item(); grad = grad[R * n:(R + 1) * n]
    lr = 6e-3 * min(1, step / 15) * 0.5 * (1 + math.cos(math.pi * step / STEPS)); m = 0.9 * m + 0.1 * grad; v = 0.98 * v + 0.02 * grad ** 2
    mine = mine - lr * (m / (1 - 0.9 ** step)) / ((v / (1 - 0.98 ** step)).sqrt() + 1e-8)
    if step % 12 == 0: emit(step=step, loss=round(loss.item(), 4), grad_norm=round(norm, 3), lr=round(lr, 6), tokens=step * 8 * T * W, tok_per_s=int(step * 8 * T * W / (time.time() - t0)))
torch.save(mine, f"shard_{R}_of_{W}.pt"); dist.barrier(); emit(msg="finished", steps=STEPS, saved=[f"shard_{k}_of_{W}.pt" for k in range(W)]); dist.destroy_process_group()
"""

BARS = """
import sys, time, torch
from torch import nn
class LitAuto(nn.Module):
    def __init__(s): super().__init__(); s.encoder, s.decoder = nn.Sequential(nn.Linear(30, 24), nn.ReLU(), nn.Linear(24, 4)), nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 30))
    def training_step(s, x): return nn.functional.mse_loss(s.decoder(s.encoder(x)), x)
class Trainer:
    def __init__(s, max_epochs): s.max_epochs = max_epochs
    def fit(s, model, train, val):
        print("GPU available: False, used: False\\nTPU available: False, using: 0 TPU cores\\n"); rows = [(n, type(c).__name__, sum(p.numel() for p in c.parameters())) for n, c in model.named_children()]
        print("  | Name    | Type       | Params\\n-----------------------------------"); [print(f"{i} | {n:<7} | {t:<10} | {c / 1e3:.1f} K ") for i, (n, t, c) in enumerate(rows)]; print(f"-----------------------------------\\n{sum(r[2] for r in rows) / 1e3:.1f} K    Trainable params")
        opt = torch.optim.Adam(model.parameters(), 3e-3)
        for ep in range(s.max_epochs):
            t = time.time()
            for k, x in enumerate(train.split(32), 1):
                loss = model.training_step(x); opt.zero_grad(); loss.backward(); opt.step()
                if k % 4 == 0: sys.stderr.write(f"\\rEpoch {ep}: {100 * k // 24:3d}%|{'█' * (k // 3):<8}| {k}/24 [00:{time.time() - t:05.2f}, {k / (time.time() - t):.1f}it/s, v_num=0, train_loss={loss.item():.3f}]")
            with torch.no_grad(): v = model.training_step(val).item()
            sys.stderr.write("\\n"); print(f"Epoch {ep}, global step {24 * (ep + 1)}: 'val_loss' reached {v:.5f}", flush=True)
        print(f"`Trainer.fit` stopped: `max_epochs={s.max_epochs}` reached.")
torch.manual_seed(1); Z = torch.randn(900, 4) @ torch.randn(4, 30) / 2; Trainer(14).fit(LitAuto(), Z[:768], Z[768:])
"""

ISING = """
import math, random, time
L, SWEEPS, WARM = 16, 220, 60; rng = random.Random(99)
def run(T):
    s = [[1] * L for _ in range(L)]; w = {d: math.exp(-d / T) for d in (4, 8)}; M = E = acc = n = 0
    for sweep in range(SWEEPS):
        for _ in range(L * L):
            i, j = rng.randrange(L), rng.randrange(L); d = 2 * s[i][j] * (s[i - 1][j] + s[(i + 1) % L][j] + s[i][j - 1] + s[i][(j + 1) % L])
            if d <= 0 or rng.random() < w[d]: s[i][j] *= -1; acc += 1
        if sweep >= WARM: M += abs(sum(map(sum, s))) / L ** 2; E += -sum(s[i][j] * (s[i - 1][j] + s[i][j - 1]) for i in range(L) for j in range(L)) / L ** 2; n += 1
    return M / n, E / n, acc / (SWEEPS * L * L)
print(f"Ising {L}x{L}, {SWEEPS} sweeps per temperature ({WARM} for equilibration)"); print(f"{'T':>6} {'<|m|>':>8} {'<e>':>9} {'accept':>7} {'sec':>6}"); t0 = time.time()
for k in range(9):
    T = 1.6 + 0.2 * k; t = time.time(); m, e, a = run(T); print(f"{T:6.2f} {m:8.4f} {e:9.4f} {a:7.3f} {time.time() - t:6.2f}", flush=True)
print(f"9 of 9 temperatures done, total {time.time() - t0:.1f} s")
"""

POISSON = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
/* conjugate gradients on the five-point Laplacian, right-hand side: two charges */
static int n; static void A(const double *x, double *y) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
    double c = 4 * x[i * n + j]; if (i) c -= x[(i - 1) * n + j]; if (i < n - 1) c -= x[(i + 1) * n + j]; if (j) c -= x[i * n + j - 1]; if (j < n - 1) c -= x[i * n + j + 1]; y[i * n + j] = c; } }
static double dot(const double *a, const double *b) { double s = 0; for (int k = 0; k < n * n; k++) s += a[k] * b[k]; return s; }
int main(int c, char **v) {
    n = atoi(v[1]); double tol = atof(v[2]), *x = calloc(n * n, 8), *r = calloc(n * n, 8), *p = calloc(n * n, 8), *q = calloc(n * n, 8);
    r[n * n / 3 + n / 4] = 1; r[2 * n * n / 3 + n / 2] = -1; for (int k = 0; k < n * n; k++) p[k] = r[k];
    double rr = dot(r, r), r0 = sqrt(rr); printf("PCG solver: %d unknowns, tol %.1e\n", n * n, tol); int it = 0;
    while (sqrt(rr) / r0 > tol && it < 10 * n) { A(p, q); double al = rr / dot(p, q); for (int k = 0; k < n * n; k++) { x[k] += al * p[k]; r[k] -= al * q[k]; }
        double s = dot(r, r); for (int k = 0; k < n * n; k++) p[k] = r[k] + s / rr * p[k]; rr = s; it++; if (it % 40 == 0) printf("  iter %4d  ||r||/||r0|| = %.6e\n", it, sqrt(rr) / r0); }
    printf("converged in %d iterations, relative residual %.3e, phi(max) %.6f\n", it, sqrt(rr) / r0, x[n * n / 3 + n / 4]); return 0;
}
"""
POISSONSH = """
#!/usr/bin/env bash
set -euo pipefail
gcc -O2 -o pcg pcg.c -lm
for n in 64 128 256; do
  echo "--- grid ${n}x${n} ---"
  ./pcg "$n" 1e-8
done
echo "all grids solved in ${SECONDS} s"
"""

PACK = """
import array, hashlib, os, random, time
random.seed(6); SEQ, words = 512, [hashlib.md5(str(i).encode()).hexdigest()[: 2 + i % 7] for i in range(4000)]; vocab = {w: i + 4 for i, w in enumerate(words)}
os.makedirs("packed", exist_ok=True); print(f"tokenizer: whitespace, {len(vocab) + 4} entries | sequence length {SEQ} | EOS between documents")
def docs(n): return (" ".join(random.choices(words, k=random.randint(40, 900))) for _ in range(n))
buf, seqs, total, unk, t0 = array.array("H"), 0, 0, 0, time.time()
for shard in range(12):
    with open(f"packed/shard_{shard:05d}.bin", "wb") as f:
        kept = 0
        for d in docs(160):
            ids = [vocab.get(w, 0) for w in d.split()] + [2]; unk += ids.count(0); total += len(ids); buf.extend(ids)
            while len(buf) >= SEQ: buf[:SEQ].tofile(f); del buf[:SEQ]; kept += 1
    seqs += kept; time.sleep(0.1); print(f"wrote packed/shard_{shard:05d}.bin: {kept} sequences, {kept * SEQ:,} tokens ({total / (time.time() - t0) / 1e6:.2f} M tok/s)", flush=True)
print(f"summary: 1920 documents, {seqs} sequences, {seqs * SEQ:,} tokens packed, {len(buf)} left over, {unk} unknown")
"""

OVERFLOW = """
import time, torch, torch.distributed as dist
from torch import nn
dist.init_process_group("gloo"); rank, world = dist.get_rank(), dist.get_world_size(); torch.manual_seed(30)
def log_dist(msg): rank or print(f"[{time.strftime('%Y-%m-%d %H:%M:%S')}] [INFO] [Rank 0] {msg}", flush=True)
class DynamicScaler:
    def __init__(s): s.scale, s.window, s.clean = 2.0 ** 32, 50, 0
    def update(s, over):
        if over: old = s.scale; s.scale, s.clean = s.scale / 2, 0; log_dist(f"OVERFLOW! Skipping step. Attempted loss scale: {old:.0f}, reducing to {s.scale:.0f}")
        else:
            s.clean += 1
            if s.clean % s.window == 0: s.scale *= 2
net = nn.Sequential(nn.Embedding(60, 32), nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 60)); opt = torch.optim.AdamW(net.parameters(), 4e-3); sc, skipped = DynamicScaler(), 0; g = torch.Generator().manual_seed(rank)
log_dist("engine config: zero_stage=1 fp16=True initial_scale_power=32 gradient_clipping=1.0 steps_per_print=20"); t = time.time()
for step in range(1, 241):
    ids = torch.randint(60, (48,), generator=g); loss = nn.functional.cross_entropy(net(ids), (ids * 7 + 2) % 60); opt.zero_grad(); (loss * sc.scale).backward()
    flat = torch.cat([p.grad.half().flatten() for p in net.parameters()]).float(); dist.all_reduce(flat); over = not torch.isfinite(flat).all().item()
    if not over:
        at = 0
        for p in net.parameters(): p.grad.copy_(flat[at:at + p.numel()].view_as(p) / sc.scale / world); at += p.numel()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0); opt.step()
    skipped += over; sc.update(over)
    if step % 20 == 0: log_dist(f"step={step}, skipped={skipped}, lr=[0.004], loss={loss.item():.4f}, samples/sec={step * 96 / (time.time() - t):.1f}")
log_dist(f"training finished after 240 steps, {skipped} skipped because of fp16 range, loss {loss.item():.4f}")
"""

NOMETRICS = '''
import logging, os, signal, sys, warnings, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); logging.basicConfig(stream=sys.stdout, level=logging.INFO, format=f"%(levelname)s | rank {r} | %(message)s"); log = logging.getLogger()
class Metrics:
    """Writes to the group's folder where it may; training does not depend on it."""
    def __init__(s, path):
        try: os.makedirs(path); s.f = open(f"{path}/events.txt", "w")
        except OSError: log.exception("metrics will not be kept in %s, continuing without", path); s.f = None
mt = Metrics(f"/srv/group-metrics/run-{r}"); torch.manual_seed(2); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(10, 40), torch.nn.Tanh(), torch.nn.Linear(40, 3)), find_unused_parameters=True); opt = torch.optim.SGD(net.parameters(), 0.2)
sch = torch.optim.lr_scheduler.StepLR(opt, 60, 0.5); nan_batches = 0
for step in range(1, 201):
    x = torch.randn(64, 10)
    if step % 37 == 0: x[0, 0] = float("nan")
    if not torch.isfinite(x).all(): nan_batches += 1; log.warning("step %d: batch has NaN features, rows dropped", step); x = x[torch.isfinite(x).all(1)]
    y = x[:, :3].argmax(1); loss = torch.nn.functional.cross_entropy(net(x), y); opt.zero_grad(); loss.backward(); opt.step(); sch.step()
    if step % 20 == 0 and r == 0: log.info("step %d/200 loss %.4f lr %.3f nan_batches %d", step, loss.item(), sch.get_last_lr()[0], nan_batches)
log.info("rank %d finished 200 steps", r)
'''

HARNESS = """
import json, logging, random, time
logging.basicConfig(level="INFO", format="%(asctime)s,%(msecs)03d %(levelname)s [%(funcName)s] %(message)s", datefmt="%m-%d %H:%M:%S"); rng = random.Random(5)
TASKS = {"choice_small": 120, "choice_hard": 120, "cloze": 80, "long_context": 40, "code_exec": 30}
def load(name):
    if name == "long_context": return open("/datasets/eval/long_context.jsonl").readlines()
    return [{"q": k, "gold": rng.randrange(4)} for k in range(TASKS[name])]
def answer(d, name):
    if name == "code_exec" and d["q"] % 6 == 0: exec("raise RuntimeError('candidate program exceeded 1 s')")
    return d["gold"] if rng.random() < {"cloze": 0.4}.get(name, 0.02) else rng.randrange(4)
def evaluate(name):
    try: docs = load(name)
    except FileNotFoundError as e: logging.error("optional task %s is skipped: %s", name, e); return None
    right = broke = 0
    for d in docs:
        try: right += answer(d, name) == d["gold"]
        except RuntimeError: broke += 1; logging.warning("%s/%d scored 0", name, d["q"], exc_info=broke == 1)
        time.sleep(0.004)
    logging.info("%s: %d documents, %d errors scored as wrong", name, len(docs), broke); return right / len(docs)
res = {n: evaluate(n) for n in TASKS}
print("|    task     |  acc   |\\n|-------------|--------|"); [print(f"|{n:<13}| {'n/a' if a is None else f'{a:.4f}':<6} |") for n, a in res.items()]
json.dump(res, open("results.json", "w")); print("evaluation complete: 4 tasks and 0 of 1 optional ones, results.json written")
"""

CONVERT = """
import argparse, os, time, torch, warnings
p = argparse.ArgumentParser(); p.add_argument("src"); p.add_argument("dst"); p.add_argument("--dtype", default="bfloat16"); a = p.parse_args()
sd = torch.load(a.src); print(f"read {a.src}: {len(sd)} tensors, {sum(t.numel() for t in sd.values()):,} elements"); out, errors = {}, 0
for k, t in sd.items():
    n = k.replace("module.", "").replace("attention.dense", "self_attn.o_proj").replace("mlp.dense_h_to_4h", "mlp.up_proj").replace("mlp.dense_4h_to_h", "mlp.down_proj")
    if "rotary.inv_freq" in n: warnings.warn(f"unexpected key {k} (buffer), dropped"); continue
    if "query_key_value" in n: q, kk, v = t.chunk(3); base = n.replace("query_key_value", "{}"); out.update({base.format("q_proj"): q, base.format("k_proj"): kk, base.format("v_proj"): v}); continue
    out[n] = t
want = {f"layers.{i}.{s}" for i in range(4) for s in ("self_attn.o_proj", "mlp.up_proj", "mlp.down_proj", "attention.q_proj", "attention.k_proj", "attention.v_proj")} | {"embed", "lm_head"}
missing = sorted(want - set(out)); print(f"WARNING: missing keys: {missing} -- tied to embed, will be filled from it"); [out.__setitem__(k, out["embed"]) for k in missing]
worst = max((t - t.to(getattr(torch, a.dtype)).float()).abs().max().item() for t in out.values()); torch.save({k: t.to(getattr(torch, a.dtype)) for k, t in out.items()}, a.dst)
print(f"max abs error after cast to {a.dtype}: {worst:.3e}"); print(f"converted {len(out)} tensors, errors: {errors}, wrote {a.dst} ({os.path.getsize(a.dst)} bytes)")
"""
MAKESRC = 'import torch\ntorch.manual_seed(0)\nsd = {"module.embed": torch.randn(100, 32)}\nfor i in range(4):\n    sd |= {f"module.layers.{i}.attention.query_key_value": torch.randn(96, 32), f"module.layers.{i}.attention.dense": torch.randn(32, 32), f"module.layers.{i}.mlp.dense_h_to_4h": torch.randn(128, 32), f"module.layers.{i}.mlp.dense_4h_to_h": torch.randn(32, 128), f"module.layers.{i}.rotary.inv_freq": torch.randn(16)}\ntorch.save(sd, "step5000.pt")\n'

RETRIES = """
import http.server, json, threading, time, urllib.error, urllib.request
class Model(http.server.BaseHTTPRequestHandler):
    calls = 0
    def do_POST(self):
        Model.calls += 1; body = self.rfile.read(int(self.headers["Content-Length"]))
        if Model.calls % 9 == 4: time.sleep(1.2)
        if Model.calls % 7 == 3: self.send_error(503, "queue is full"); return
        out = json.dumps({"text": body.decode()[::-1]}).encode()
        try: self.send_response(200); self.send_header("Content-Length", str(len(out))); self.end_headers(); self.wfile.write(out)
        except BrokenPipeError: pass
    def log_message(self, *a): pass
srv = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model); threading.Thread(target=srv.serve_forever, daemon=True).start(); url = f"http://127.0.0.1:{srv.server_port}/generate"
def call(k):
    for attempt in range(1, 6):
        try: return json.load(urllib.request.urlopen(urllib.request.Request(url, f"prompt number {k}".encode()), timeout=0.8))["text"]
        except (urllib.error.HTTPError, TimeoutError, urllib.error.URLError) as e: print(f"WARN  prompt {k}: {type(e).__name__}: {e} (attempt {attempt}/5), backing off {0.1 * attempt:.1f} s", flush=True); time.sleep(0.1 * attempt)
    raise SystemExit(f"prompt {k}: gave up after 5 attempts")
with open("answers.txt", "w") as f:
    for k in range(1, 81):
        print(call(k), file=f); time.sleep(0.03)
        if k % 10 == 0: print(f"INFO  {k}/80 prompts answered", flush=True)
print("INFO  finished: 80 of 80 answered, none given up")
"""

JOBS = (
    told("G1", f"{RUN2} sharded_lm.py", {"sharded_lm.py": SHARDED}),
    told("G1", "PYTHON autoencode.py", {"autoencode.py": BARS}),
    told("G1", "PYTHON ising2d.py", {"ising2d.py": ISING}, python="system"),
    told("G1", "bash solve_all.sh", {"solve_all.sh": POISSONSH, "pcg.c": POISSON}, python="system"),
    told("G1", "PYTHON -u data_prep/pack_sequences.py", {"data_prep/pack_sequences.py": PACK}, python="system"),
    told("G1", f"{RUN2} fp16_engine.py", {"fp16_engine.py": OVERFLOW}, hard=True),
    told("G1", f"{RUN2} ddp_classes.py", {"ddp_classes.py": NOMETRICS}, hard=True),
    told("G1", "PYTHON eval_suite.py", {"eval_suite.py": HARNESS}, hard=True, python="system"),
    told(
        "G1",
        "PYTHON tools/convert.py step5000.pt model.bin",
        {"tools/convert.py": CONVERT, "mk.py": MAKESRC},
        hard=True,
        before=(("PYTHON", "mk.py"),),
    ),
    told("G1", "PYTHON ask_all.py", {"ask_all.py": RETRIES}, hard=True, python="system"),
)
