"""Runs of a group of students that came to their planned end, more than half of them with much that looks like trouble."""

from corpus.make._crate import crate

ABSLLIKE = """
import os, sys, time
import numpy as np
def info(text, *a): now = time.time(); print(f"I{time.strftime('%m%d %H:%M:%S', time.localtime(now))}.{int(now % 1 * 1e6):06d} {os.getpid()} {os.path.basename(__file__)}:{sys._getframe(1).f_lineno}] {text % a}", file=sys.stderr)
def init(key, sizes): return [{"w": key.normal(0, (2 / a) ** 0.5, (a, b)), "b": np.zeros(b)} for a, b in zip(sizes, sizes[1:])]
def forward(params, x):
    acts = [x]
    for n, p in enumerate(params): x = x @ p["w"] + p["b"]; x = np.tanh(x) if n < len(params) - 1 else x; acts.append(x)
    return acts
def value_and_grad(params, x, y):
    acts = forward(params, x); g = 2 * (acts[-1] - y) / y.size; grads = []
    for n in reversed(range(len(params))): g = g * (1 - acts[n + 1] ** 2) if n < len(params) - 1 else g; grads.append({"w": acts[n].T @ g, "b": g.sum(0)}); g = g @ params[n]["w"].T
    return float(((acts[-1] - y) ** 2).mean()), grads[::-1]
key = np.random.default_rng(5); params = init(key, [2, 64, 64, 1]); state = [{k: [np.zeros_like(v), np.zeros_like(v)] for k, v in p.items()} for p in params]; total = 1200; began = time.time()
info("Running on 1 process, backend: numpy %s", np.__version__); info("Parameter overview: %d arrays, %d values", 2 * len(params), sum(v.size for p in params for v in p.values()))
for step in range(1, total + 1):
    x = key.uniform(-2, 2, (128, 2)); y = np.sin(2 * x[:, :1]) * np.cos(x[:, 1:]); loss, grads = value_and_grad(params, x, y); lr = 4e-3 * min(1, step / 100) * (1 - step / (total + 1))
    for p, g, s in zip(params, grads, state):
        for k in p: m, v = s[k]; m += 0.1 * (g[k] - m); v += 0.001 * (g[k] ** 2 - v); p[k] -= lr * (m / (1 - 0.9 ** step)) / (np.sqrt(v / (1 - 0.999 ** step)) + 1e-8)
    if step % 100 == 0: info("[%d] steps_per_second=%.1f, learning_rate=%.3g, train_loss=%.5f", step, step / (time.time() - began), lr, loss)
np.savez("checkpoint_1200.npz", *[p["w"] for p in params]); info("Saved checkpoint at step %d. Training complete.", total)
"""

DISTILL2 = """
import logging, torch, torch.distributed as dist, torch.nn as nn, torch.nn.functional as F
dist.init_process_group("gloo"); rank, world = dist.get_rank(), dist.get_world_size(); logging.basicConfig(level=logging.INFO if rank == 0 else logging.WARNING, format=f"%(asctime)s rank{rank} %(message)s"); log = logging.getLogger("kd")
torch.manual_seed(0); X = torch.randn(1600, 30); Y = (X[:, :6] + 0.5 * X[:, 6:12]).argmax(1); mine = slice(rank * 700, rank * 700 + 700)
big, small = nn.Sequential(nn.Linear(30, 200), nn.ReLU(), nn.Linear(200, 6)), nn.Sequential(nn.Linear(30, 16), nn.ReLU(), nn.Linear(16, 6))
def run(net, epochs, lr, loss_of, name):
    ddp = nn.parallel.DistributedDataParallel(net); opt = torch.optim.AdamW(ddp.parameters(), lr)
    for ep in range(1, epochs + 1):
        s = torch.zeros(2)
        for x, y in zip(X[mine].split(50), Y[mine].split(50)): o = ddp(x); l = loss_of(o, x, y); opt.zero_grad(); l.backward(); opt.step(); s += torch.tensor([l.item(), 1.0])
        dist.all_reduce(s); log.info("%s epoch %d/%d loss %.4f", name, ep, epochs, s[0] / s[1])
    with torch.no_grad(): acc = (net(X[1400:]).argmax(1) == Y[1400:]).float().mean().item()
    log.info("%s test accuracy %.3f", name, acc); return acc
log.info("world size %d", world); a = run(big, 8, 3e-3, lambda o, x, y: F.cross_entropy(o, y), "teacher"); big.requires_grad_(False)
b = run(small, 14, 6e-3, lambda o, x, y: 0.5 * F.cross_entropy(o, y) + 0.5 * 4 * F.kl_div((o / 2).log_softmax(1), (big(x) / 2).log_softmax(1), log_target=True, reduction="batchmean"), "student")
log.info("student keeps %.1f %% of the teacher's accuracy", 100 * b / a)
if rank == 0: torch.save(small.state_dict(), "student.pt"); log.info("student.pt saved")
dist.destroy_process_group()
"""

GRUBAR = """
import sys, time, torch, torch.nn as nn
torch.manual_seed(10); V = 60; nxt = torch.randperm(V); S = [torch.randint(V, (640, 1))]
for _ in range(11): S.append(torch.where(torch.rand(640, 1) < 0.9, nxt[S[-1]], torch.randint(V, (640, 1))))
S = torch.cat(S, 1); emb, gru, out = nn.Embedding(V, 32), nn.GRU(32, 48, batch_first=True), nn.Linear(48, V); ps = [*emb.parameters(), *gru.parameters(), *out.parameters()]; opt = torch.optim.Adam(ps, 6e-3)
def bar(ep, k, n, loss, t): w = 20 * k // n; sys.stderr.write(f"\\rEpoch {ep}: {100 * k // n:3d}%|{'█' * w}{' ' * (20 - w)}| {k}/{n} [00:{int(t):02d}<00:{int(t / k * (n - k)):02d}, {k / t:6.2f}it/s, loss={loss:.3f}]"); sys.stderr.flush()
for ep in range(8):
    t = time.time(); parts = torch.randperm(560).split(40)
    for k, i in enumerate(parts, 1):
        loss = nn.functional.cross_entropy(out(gru(emb(S[i, :-1]))[0]).flatten(0, 1), S[i, 1:].flatten()); opt.zero_grad(); loss.backward(); nn.utils.clip_grad_norm_(ps, 1.0); opt.step(); time.sleep(0.01)
        if k % 7 == 0: bar(ep, k, len(parts), loss.item(), time.time() - t)
    with torch.no_grad(): top = out(gru(emb(S[560:, :-1]))[0])[:, -1].topk(10).indices; hr = (top == S[560:, -1:]).any(1).float().mean()
    sys.stderr.write("\\n"); print(f"valid HR@10 = {hr:.4f}", flush=True)
torch.save(emb.weight, "items.pt"); print("best model = last model, items.pt written")
"""

PROBES = """
import itertools, time, torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(17); blocks = nn.ModuleList(nn.Sequential(nn.Linear(40, 40), nn.Tanh()) for _ in range(4)); X = torch.randn(1500, 40); Y = X[:, ::8].argmax(1); feats = [X]
with torch.no_grad():
    for b in blocks: feats.append(feats[-1] + 0.8 * b(feats[-1]))
print(f"linear probes on {len(blocks) + 1} layers of a frozen encoder, 3 learning rates each"); print(f"{'layer':>5} {'lr':>7} {'first':>8} {'last':>8} {'val acc':>8} {'s':>5}"); table = {}
for layer, lr in itertools.product(range(5), (0.003, 0.01, 0.03)):
    t = time.time(); torch.manual_seed(layer); head = nn.Linear(40, 5); opt = torch.optim.Adam(head.parameters(), lr); f = feats[layer]; first = None
    for ep in range(25):
        for i in torch.randperm(1200).split(100): l = F.cross_entropy(head(f[i]), Y[i]); opt.zero_grad(); l.backward(); opt.step(); first = first or l.item()
    acc = (head(f[1200:]).argmax(1) == Y[1200:]).float().mean().item(); table[layer, lr] = acc; print(f"{layer:>5} {lr:>7} {first:>8.4f} {l.item():>8.4f} {acc:>8.3f} {time.time() - t:>5.1f}", flush=True)
best = max(table, key=table.get); print(f"best: layer {best[0]} at lr {best[1]} with {table[best]:.3f}; {len(table)}/15 probes done")
"""

# Good runs that look bad.

RINGGAN = """
import argparse, math, torch, torch.nn as nn
p = argparse.ArgumentParser(); p.add_argument("--iters", type=int, default=900); p.add_argument("--r1", type=float, default=0.5); a = p.parse_args(); torch.manual_seed(1)
G, D = nn.Sequential(nn.Linear(4, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2)), nn.Sequential(nn.Linear(2, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))
og, od = torch.optim.Adam(G.parameters(), 1e-3, betas=(0.5, 0.99)), torch.optim.Adam(D.parameters(), 1e-3, betas=(0.5, 0.99)); sp = nn.functional.softplus; M = torch.tensor([[math.cos(k * math.pi / 2), math.sin(k * math.pi / 2)] for k in range(4)]) * 2
real = lambda n: M[torch.randint(4, (n,))] + 0.2 * torch.randn(n, 2)
def mmd(x, y): k = lambda u, v: (-torch.cdist(u, v) ** 2).exp().mean(); return (k(x, x) + k(y, y) - 2 * k(x, y)).item()
print(f"non-saturating GAN, R1 {a.r1}; losses of a GAN do not fall, look at mmd"); torch.manual_seed(3)
with torch.no_grad(): print(f"[    0/{a.iters}] mmd {mmd(real(400), G(torch.randn(400, 4))):.4f}", flush=True)
for it in range(1, a.iters + 1):
    r = real(128).requires_grad_(); f = G(torch.randn(128, 4)).detach(); dr = D(r); (gr,) = torch.autograd.grad(dr.sum(), r, create_graph=True); ld = sp(-dr).mean() + sp(D(f)).mean() + a.r1 / 2 * gr.pow(2).sum(1).mean(); od.zero_grad(); ld.backward(); od.step()
    lg = sp(-D(G(torch.randn(128, 4)))).mean(); og.zero_grad(); lg.backward(); og.step()
    if it % 60 == 0:
        with torch.no_grad(): print(f"[{it:5d}/{a.iters}] Loss_D {ld.item():.4f} Loss_G {lg.item():.4f} mmd {mmd(real(400), G(torch.randn(400, 4))):.4f}", flush=True)
torch.save(G.state_dict(), "netG_last.pth"); print("netG_last.pth saved, all iterations done")
"""

GENERATE = """
import json, random, sys, time
random.seed(3); cfg = json.load(open("gen.json")); print("loading n-gram model from", cfg["model"], flush=True)
try: import tokenizers
except ImportError as e: print(f"WARNING: fast tokenizer is not available ({e}); using whitespace splitting", file=sys.stderr)
grams = {}
for line in open(cfg["model"]):
    w = line.split()
    for a, b in zip(["<s>", *w], [*w, "</s>"]): grams.setdefault(a, []).append(b)
print(f"{len(grams)} contexts; {cfg['n']} samples wanted, batches of {cfg['batch']}"); out, empty, t = [], 0, time.time()
while len(out) < cfg["n"]:
    for _ in range(cfg["batch"]):
        w = ["<s>"]
        while w[-1] != "</s>" and len(w) < 30: w.append(random.choice(grams[w[-1]]))
        if len(w) < 4: empty += 1; continue
        out.append(" ".join(w[1:-1]))
    time.sleep(0.12); print(f"generated {min(len(out), cfg['n'])}/{cfg['n']}", flush=True)
if empty: print(f"WARNING: {empty} samples were too short and were drawn again", file=sys.stderr)
with open(cfg["out"], "w") as f: f.writelines(json.dumps({"id": i, "text": s}) + "\\n" for i, s in enumerate(out[: cfg["n"]]))
print(f"wrote {cfg['n']} samples to {cfg['out']} in {time.time() - t:.1f} s")
"""
NGRAMS = (
    "\n".join(
        f"{a} {n} {v} {w}"
        for a in ("the", "a", "my")
        for n in ("cat", "gardener", "boat")
        for v in ("sleeps", "sings", "drifts")
        for w in ("now", "again at night", "")
    )
    + "\nyes\nno\n"
)

STALE = '''
import os, sys, time, warnings, torch, torch.distributed as dist, torch.nn as nn
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(0); net = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(20, 48), nn.ReLU(), nn.Linear(48, 5)), find_unused_parameters=True); opt = torch.optim.SGD(net.parameters(), 0.1, momentum=0.8)
if r == 0: print("[W] NCCL_IB_DISABLE is set; torch.compile is off: no C++ compiler in this image", file=sys.stderr, flush=True)
opened = {}
def read(path):
    """Shards are on a network file system that drops handles now and then."""
    for attempt in range(1, 4):
        try:
            opened[path] = opened.get(path, 0) + 1
            if r == 1 and opened[path] == 1 and path.endswith(("3.pt", "6.pt")): os.open(path + ".handle", os.O_RDONLY)
            return torch.load(path)
        except OSError as e: print(f"[rank {r}] error reading {path} (attempt {attempt}/3): {e}; trying again", file=sys.stderr, flush=True); time.sleep(0.3)
    raise RuntimeError(f"giving up on {path}")
os.makedirs("shards", exist_ok=True)
if r == 0:
    for k in range(8): g = torch.Generator().manual_seed(k); x = torch.randn(400, 20, generator=g); torch.save((x, x[:, :5].argmax(1)), f"shards/{k}.pt")
dist.barrier()
for ep in range(1, 4):
    for k in range(8):
        x, y = read(f"shards/{k}.pt"); s = torch.zeros(2)
        for i in range(r * 50, 400, 100): o = net(x[i:i + 50]); loss = nn.functional.cross_entropy(o, y[i:i + 50]); opt.zero_grad(); loss.backward(); opt.step(); s += torch.tensor([loss.item(), (o.argmax(1) == y[i:i + 50]).float().mean().item()])
        dist.all_reduce(s)
        if r == 0: print(f"epoch {ep} shard {k + 1}/8 loss {s[0] / 8:.4f} acc {s[1] / 8:.3f}", flush=True)
    if r == 0: torch.save(net.module.state_dict(), f"ep{ep}.pt"); print(f"saved ep{ep}.pt", flush=True)
dist.barrier(); dist.destroy_process_group(); print(f"[rank {r}] exiting normally", flush=True)
'''

HALVING = """
import gc, logging, torch, torch.nn as nn
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s"); torch.manual_seed(9)
enc = nn.Sequential(nn.Conv1d(1, 64, 9, padding=4), nn.ReLU(), nn.Conv1d(64, 64, 9, padding=4), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(64, 4)); opt = torch.optim.Adam(enc.parameters(), 3e-3)
def batch(n, length=4096): y = torch.randint(4, (n,)); t = torch.arange(length); x = (t[None] * (0.05 + 0.15 * y[:, None])).sin() + 0.3 * torch.randn(n, length); return x[:, None], y
def one(n, length=4096): x, y = batch(n, length); o = enc(x); l = nn.functional.cross_entropy(o, y); opt.zero_grad(); l.backward(); return l.item(), (o.argmax(1) == y).float().mean().item()
size = 4096
while True:
    try: logging.info("trying batch size %d", size); one(size); logging.info("batch size %d fits", size); break
    except RuntimeError as e: logging.warning("batch size %d does not fit: %s", size, str(e).splitlines()[0][:140]); opt.zero_grad(set_to_none=True); gc.collect(); size //= 4
logging.info("auto batch size: %d -> training with 32 x accumulation %d", size, max(1, size // 32))
for step in range(1, 41):
    l, acc = one(32, 512); opt.step()
    if step % 4 == 0: logging.info("step %d/40 loss %.4f acc %.3f", step, l, acc)
torch.save(enc.state_dict(), "enc.pt"); logging.info("reached step 40 of 40, stored enc.pt")
"""

NANCOLS = """
import csv, math, random, statistics
random.seed(14); names = ["nanograms_no2", "wind_nan_filled", "inflow", "error_code_rate", "temp"]
rows = [[(random.gauss(0, 1) if random.random() > 0.08 else float("nan")) for _ in names] for _ in range(700)]
target = [sum((0 if math.isnan(v) else v) * c for v, c in zip(r, (0.8, -0.5, 1.2, 0.3, -0.9))) + random.gauss(0, 0.1) for r in rows]
print("column              nan_count   mean"); means = []
for k, name in enumerate(names): good = [r[k] for r in rows if not math.isnan(r[k])]; means.append(statistics.fmean(good)); print(f"{name:<19} {len(rows) - len(good):>9} {means[-1]:>7.3f}")
print(f"WARNING: nan found in {sum(any(map(math.isnan, r)) for r in rows)} of {len(rows)} rows, replaced by column means")
rows = [[m if math.isnan(v) else v for v, m in zip(r, means)] for r in rows]; w = [0.0] * 5; lr = 0.02
print("epoch\\tmse\\tnan_in_batch\\tinf_grads\\trollbacks"); kept, last, rollbacks = list(w), 9e9, 0
for ep in range(1, 41):
    if ep == 12: lr = 1.6
    if ep == 13: lr = 0.01
    for k in range(0, 600, 50):
        g = [0.0] * 5
        for r, y in zip(rows[k:k + 50], target[k:k + 50]): e = sum(a * b for a, b in zip(w, r)) - y; g = [a + e * b / 25 for a, b in zip(g, r)]
        w = [a - lr * b for a, b in zip(w, g)]
    mse = statistics.fmean((sum(a * b for a, b in zip(w, r)) - y) ** 2 for r, y in zip(rows[:600], target[:600]))
    if mse > 3 * last: print(f"# epoch {ep}: mse went up to {mse:.3g} with lr {lr}, weights rolled back to epoch {ep - 1}"); w, rollbacks = list(kept), rollbacks + 1
    else: kept, last = list(w), mse
    if ep % 4 == 0: print(f"{ep}\\t{last:.5f}\\t0\\t0\\t{rollbacks}", flush=True)
test = statistics.fmean((sum(a * b for a, b in zip(w, r)) - y) ** 2 for r, y in zip(rows[600:], target[600:])); print(f"test mse {test:.4f} on 100 rows; coefficients {[round(v, 2) for v in w]}"); csv.writer(open("coef.csv", "w")).writerows(zip(names, w)); print("coef.csv written")
"""

JOBS = (
    crate("G1", "train_siren.py", ABSLLIKE),
    crate("G1", "kd2.py", DISTILL2, ranks=2),
    crate("G1", "gru4rec.py", GRUBAR),
    crate("G1", "probe_layers.py", PROBES),
    crate("G1", "gan4.py --iters 900", RINGGAN, hard=True),
    crate(
        "G1",
        "generate.py",
        GENERATE,
        hard=True,
        python="system",
        files={"gen.json": '{"model": "trigrams.txt", "n": 480, "batch": 40, "out": "samples.jsonl"}', "trigrams.txt": NGRAMS},
    ),
    crate("G1", "shards_ddp.py", STALE, hard=True, ranks=2),
    crate("G1", "autobatch.py", HALVING, hard=True, memory_mib=3500),
    crate("G1", "air_quality.py", NANCOLS, hard=True, python="system"),
)
