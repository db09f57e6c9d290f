"""Single programs that a fault of their own, or a hand from outside, ended."""

from corpus.make._crate import crate
from corpus.running.job import Signal

POINTS = """
import argparse
import logging

import torch

logging.basicConfig(level=logging.INFO, format="%(asctime)s | %(levelname)s | %(message)s")
log = logging.getLogger("pointcloud")
ap = argparse.ArgumentParser(description="PointNet-like classifier for scanned parts")
ap.add_argument("--points", type=int, default=512)
ap.add_argument("--width", type=int, default=64)
args = ap.parse_args()
log.info("torch %s, %d threads", torch.__version__, torch.get_num_threads())
log.info("options: %s", vars(args))

from layers.graph import neighbours

net = torch.nn.Sequential(torch.nn.Linear(3, args.width), torch.nn.ReLU(), torch.nn.Linear(args.width, 10))
cloud = torch.rand(args.points, 3)
log.info("mean degree %.1f", len(neighbours(cloud)[0]) / args.points)
"""
GRAPHLAYER = """
from torch_cluster import radius_graph


def neighbours(x):
    return radius_graph(x, r=0.2, loop=False)
"""
SCHED = """
import json, sys, torch
cfg = json.load(open(sys.argv[1]))
print("== run", cfg["name"], "=="); print(json.dumps(cfg, indent=2))
torch.manual_seed(cfg["seed"])
net = torch.nn.Transformer(d_model=cfg["model"]["dim"], nhead=4, num_encoder_layers=1, num_decoder_layers=1, batch_first=True)
print("parameters:", sum(p.numel() for p in net.parameters()))
opt = getattr(torch.optim, cfg["optim"]["type"])(net.parameters(), lr=cfg["optim"]["lr"])
sched = getattr(torch.optim.lr_scheduler, cfg["sched"]["type"])(opt, **cfg["sched"]["args"])
for step in range(cfg["steps"]):
    x = torch.randn(8, 6, cfg["model"]["dim"]); loss = (net(x, x) - x).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step(); sched.step()
    if step % 10 == 0: print("step", step, "loss", round(loss.item(), 4))
"""
SCHEDCFG = """{
 "name": "nmt-small-04", "seed": 12, "steps": 4000,
 "model": {"dim": 64},
 "optim": {"type": "AdamW", "lr": 0.0006},
 "sched": {"type": "CosineAnealingLR", "args": {"T_max": 4000, "eta_min": 1e-06}}
}"""
NATIVEAUG = '''
import ctypes, time, torch
class Warp:
    """Elastic warp of spectrograms in place, by the C library of the recording boxes."""
    libc = ctypes.CDLL("libc.so.6")
    def __init__(self): self.table = ctypes.create_string_buffer(4096)
    def __call__(self, x, shift):
        n = x.numel() * 4; at = x.data_ptr() + (shift if shift < 40 else shift << 32)
        self.libc.memmove(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(at), ctypes.c_size_t(n // 2)); return x
torch.manual_seed(0); warp = Warp(); net = torch.nn.GRU(20, 32, batch_first=True); head = torch.nn.Linear(32, 6); opt = torch.optim.Adam([*net.parameters(), *head.parameters()], 3e-3); means = torch.randn(6, 20)
print("keyword spotting, 6 words, 900 updates planned")
t0 = time.time()
for k in range(1, 901):
    y = torch.randint(6, (32,)); x = means[y][:, None] + torch.randn(32, 15, 20); x = warp(x, k % 53 if k > 150 else 4)
    l = torch.nn.functional.cross_entropy(head(net(x)[0][:, -1]), y); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.03)
    if k % 12 == 0: print(f"update {k}/900 | loss {l.item():.4f} | {k * 32 / (time.time() - t0):.0f} clips/s", flush=True)
'''
HOPS = '''
import resource, time, torch
torch.manual_seed(6); N, D = 4000, 16
src, dst = torch.randint(N, (2, 24000)); feat = torch.randn(N, D); label = (feat[:, 0] + feat[dst[:1]][0, 0] > 0).long()
net = torch.nn.Sequential(torch.nn.Linear(2 * D, 32), torch.nn.ReLU(), torch.nn.Linear(32, 2)); opt = torch.optim.Adam(net.parameters(), 0.01); cache = {}
def ego(v, hops):
    """Dense neighbourhood of a seed, kept for the next epoch."""
    if v not in cache: cache[v] = torch.zeros(hops, N, 2 * D).normal_()
    return cache[v]
print("seeds/batch 4, 2 hops, neighbourhood cache on")
for it in range(1, 2001):
    seeds = torch.randint(N, (4,)); [ego(int(v), 6) for v in seeds]
    b = torch.randint(N, (64,)); agg = torch.stack([feat[dst[src == i]].mean(0) if (src == i).any() else feat[i] for i in b])
    l = torch.nn.functional.cross_entropy(net(torch.cat([feat[b], agg], 1)), label[b]); opt.zero_grad(); l.backward(); opt.step()
    if it % 5 == 0: print(f"iter {it:5d}  loss {l.item():.4f}  cached neighbourhoods {len(cache):5d}  max rss {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB", flush=True)
'''
LINKS = """
import csv, sys, time, torch
# knowledge-graph completion, TransE with sampled negatives
torch.manual_seed(2); ENT, REL, D = 400, 12, 24
trip = torch.stack([torch.randint(ENT, (6000,)), torch.randint(REL, (6000,)), torch.zeros(6000, dtype=torch.long)], 1); trip[:, 2] = (trip[:, 0] + 7 * trip[:, 1]) % ENT
valid = trip[5600:].clone(); valid[311, 2] = ENT
E, R = torch.nn.Embedding(ENT, D), torch.nn.Embedding(REL, D); opt = torch.optim.Adagrad([*E.parameters(), *R.parameters()], 0.2); out = csv.writer(sys.stdout)
def score(t): return (E(t[:, 0]) + R(t[:, 1]) - E(t[:, 2])).norm(dim=1)
out.writerow(["epoch", "margin_loss", "hits10", "seconds"])
for ep in range(1, 41):
    t0, tot = time.time(), 0.0
    for b in torch.randperm(5600).split(280):
        pos = trip[b]; neg = pos.clone(); neg[:, 2] = torch.randint(ENT, (len(b),)); l = torch.relu(1 + score(pos) - score(neg)).mean(); opt.zero_grad(); l.backward(); opt.step(); tot += l.item() / 20; time.sleep(0.012)
    hits = ""
    if ep % 8 == 0 or ep == 20:
        v = valid[: 200 if ep < 20 else 400]
        with torch.no_grad(): d = (E(v[:, :1]) + R(v[:, 1:2]) - E.weight).norm(dim=2); rank = (d < score(v)[:, None]).sum(1); hits = f"{(rank < 10).float().mean().item():.4f}"
    out.writerow([ep, f"{tot:.5f}", hits, f"{time.time() - t0:.2f}"]); sys.stdout.flush()
"""
KMERS = '''
"""Assembly by k-mer counting: rounds over read files, then unitigs."""
import random, sys, time
random.seed(9)
K, ROUNDS = 27, 60
counts = {}
genome = "".join(random.choices("ACGT", k=400000))
def reads(n):
    for _ in range(n):
        i = random.randrange(len(genome) - 100); r = list(genome[i : i + 100])
        for j in range(100):
            if random.random() < 0.02: r[j] = random.choice("ACGT")
        yield "".join(r)
print(f"counting {K}-mers, {ROUNDS} read files", flush=True)
for rnd in range(1, ROUNDS + 1):
    t = time.time()
    for r in reads(4000):
        for i in range(len(r) - K + 1): k = r[i : i + K]; counts.setdefault(k, []).append(rnd)
    one = sum(len(v) == 1 for v in counts.values())
    print(f"reads_{rnd:03d}.fq  distinct={len(counts):>9}  singletons={one / len(counts):6.1%}  {time.time() - t:5.1f} s", flush=True)
print("writing unitigs")
'''
VOCAB = """
import argparse, os, time, torch
p = argparse.ArgumentParser(); p.add_argument("--vocab", type=int); p.add_argument("--iters", type=int); p.add_argument("--init-from", default=""); a = p.parse_args()
class LM(torch.nn.Module):
    def __init__(s, v): super().__init__(); s.tok = torch.nn.Embedding(v, 48); s.rnn = torch.nn.LSTM(48, 48, batch_first=True); s.out = torch.nn.Linear(48, v)
    def forward(s, x): return s.out(s.rnn(s.tok(x))[0])
torch.manual_seed(0); net = LM(a.vocab); opt = torch.optim.Adam(net.parameters(), 4e-3); start = 0
print(f"[lm] vocabulary {a.vocab}, {a.iters} iterations, init_from={a.init_from or None}")
if a.init_from:
    print(f"[lm] reading {a.init_from} ({os.path.getsize(a.init_from) / 1024:.0f} KiB)", flush=True); st = torch.load(a.init_from); net.load_state_dict(st["net"]); opt.load_state_dict(st["opt"]); start = st["it"]; print("[lm] continuing after iteration", start)
for it in range(start + 1, start + a.iters + 1):
    x = (torch.randint(40, (16, 1)) + 3 * torch.arange(14)) % 40; l = torch.nn.functional.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten()); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.03)
    if it % 12 == 0: print(f"[lm] {it:4d}  nll {l.item():.4f}  ppl {l.exp().item():.2f}")
torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "it": it}, "lm.ckpt"); print("[lm] wrote lm.ckpt at iteration", it)
"""
RUNPY = """
import argparse, os, time, torch
ap = argparse.ArgumentParser()
ap.add_argument("--dir", required=True); ap.add_argument("--epochs", type=int, required=True); ap.add_argument("--resume", action="store_true")
o = ap.parse_args()
torch.manual_seed(21)
X = torch.randn(600, 30); Y = (X[:, :10].sum(1) > 0).long() + (X[:, 10:20].sum(1) > 0).long() * 2
net = torch.nn.Sequential(torch.nn.Linear(30, 40), torch.nn.Tanh(), torch.nn.Linear(40, 4)); opt = torch.optim.SGD(net.parameters(), 0.3); first = 1
print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} dir={o.dir} epochs={o.epochs} resume={o.resume}")
if o.resume:
    last = os.path.join(o.dir, "last.pth")
    if os.path.exists(last): ck = torch.load(last); net.load_state_dict(ck["model"]); first = ck["epoch"] + 1; print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} restored {last}, going on with epoch {first}")
os.makedirs(o.dir, exist_ok=True)
for ep in range(first, o.epochs + 1):
    tot = 0.0
    for b in torch.randperm(600).split(60): l = torch.nn.functional.cross_entropy(net(X[b]), Y[b]); opt.zero_grad(); l.backward(); opt.step(); tot += l.item() / 10; time.sleep(0.02)
    acc = (net(X).argmax(1) == Y).float().mean().item()
    print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} epoch {ep:02d}/{o.epochs} loss={tot:.4f} acc={acc:.4f}")
    torch.save({"model": net.state_dict(), "epoch": ep}, os.path.join(o.dir, f"ckpt_{ep:02d}.pth"))
    for old in range(1, ep - 1):
        f = os.path.join(o.dir, f"ckpt_{old:02d}.pth")
        if os.path.exists(f): os.remove(f)
print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {o.dir} holds: {' '.join(sorted(os.listdir(o.dir)))}")
"""
POSES = """
import sys, time, torch
torch.manual_seed(14); net = torch.nn.Sequential(torch.nn.Linear(34, 64), torch.nn.ReLU(), torch.nn.Linear(64, 51)); lift = torch.randn(34, 51) / 6; opt = torch.optim.AdamW(net.parameters(), 1e-3); T = 6000; t0 = time.time()
for i in range(1, T + 1):
    x = torch.randn(64, 34); y = torch.tanh(x @ lift); e = (net(x) - y).abs().mean(); opt.zero_grad(); e.backward(); opt.step(); time.sleep(0.025)
    if i % 15 == 0:
        done = int(24 * i / T); eta = (time.time() - t0) / i * (T - i)
        sys.stderr.write(f"[{'#' * done}{'.' * (24 - done)}] {i}/{T} mpjpe {1000 * e.item():.1f} mm, eta {int(eta // 60)}m{int(eta % 60):02d}s\\n")
"""
MAPPO = """
import json, time, torch
torch.manual_seed(31); agents = [torch.nn.Linear(6, 3) for _ in range(4)]; opt = torch.optim.Adam([p for a in agents for p in a.parameters()], 0.03); print(json.dumps({"algo": "shared-reward bandit, 4 agents", "rounds": 3000}))
W = torch.randn(6, 3); run = 0.0
for n in range(1, 3001):
    s = torch.randn(48, 6); best = (s @ W).argmax(1); ds = [torch.distributions.Categorical(logits=a(s)) for a in agents]; acts = [d.sample() for d in ds]; r = sum((a == best).float() for a in acts) / 4; run = r.mean().item() if n == 1 else 0.95 * run + 0.05 * r.mean().item()
    loss = -(torch.stack([d.log_prob(a) for d, a in zip(ds, acts)]).sum(0) * (r - r.mean())).mean(); opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.02)
    if n % 20 == 0: print(json.dumps({"round": n, "team_reward": round(run, 4), "objective": round(loss.item(), 4)}), flush=True)
"""

JOBS = (
    crate(
        "A1",
        "train_points.py --points 2048 --width 128",
        POINTS,
        cause="missing_module",
        variant="env",
        files={"layers/graph.py": GRAPHLAYER},
        note="ModuleNotFoundError: torch_cluster before the model is built",
    ),
    crate(
        "A1",
        "nmt.py nmt-small.json",
        SCHED,
        cause="traceback",
        variant="config",
        files={"nmt-small.json": SCHEDCFG},
        note="AttributeError: no CosineAnealingLR in lr_scheduler, before step 0",
    ),
    crate("A2", "kws_gru.py", NATIVEAUG, cause="segfault", status=-11, note="signal 11 after 190 updates or so, no traceback"),
    crate(
        "A2",
        "ego_sage.py",
        HOPS,
        cause="oom_killer",
        status=-9,
        group_mib=900,
        note="oom_kill event at the group's limit, signal 9; rss grows line by line",
    ),
    crate("A3", "transe.py", LINKS, cause="traceback", note="IndexError in the embedding at epoch 20's validation"),
    crate("A3", "kcount.py", KMERS, cause="ram_oom", python="system", memory_mib=420, note="MemoryError after some files were counted"),
    crate(
        "E2",
        "sh extend.sh PYTHON",
        '"$1" lm_vocab.py --vocab 40 --iters 120 && echo "vocabulary was extended by 8 control tokens" && exec "$1" lm_vocab.py --vocab 48 --iters 120 --init-from lm.ckpt',
        cause="runtime_error",
        variant="size_mismatch",
        files={"lm_vocab.py": VOCAB},
        note="size mismatch for tok.weight on reading lm.ckpt, which was written just before",
    ),
    crate(
        "E2",
        "sh night.sh PYTHON",
        'echo "--- first night"\n"$1" four_way.py --dir exp/q3 --epochs 20 || exit 1\necho "--- second night"\nexec "$1" four_way.py --dir exp/q3 --epochs 40 --resume',
        variant="from_scratch",
        status=0,
        files={"four_way.py": RUNPY},
        note="--resume with ckpt_19 and ckpt_20 there, nothing restored, epoch 1 again with the first night's first loss",
    ),
    crate("F4", "lift_pose.py", POSES, signal=Signal("INT", r"\] 360/"), note="Ctrl-C while the bar advances"),
    crate("F4", "team_bandit.py", MAPPO, signal=Signal("INT", '"round": 420,', wait_s=0.3), note="Ctrl-C while rounds go by"),
)
