"""Students' runs that broke down: before, while or after they trained."""

from corpus.make._crate import crate

ABLATE = '''
"""Runs one row of the ablation table. Rows inherit from each other by `base`."""
import json, pathlib, sys
def resolve(name, rows):
    row = dict(rows[name]); base = row.pop("base", None)
    return {**resolve(base, rows), **row} if base else row
row = sys.argv[sys.argv.index("--row") + 1]
rows = json.loads(pathlib.Path("ablations.json").read_text()); print(f"{len(rows)} rows in ablations.json: {', '.join(rows)}")
cfg = resolve(row, rows); print("resolved config:")
for k, v in sorted(cfg.items()): print(f"  {k:<12}{v!r}")
depth = int(cfg["depth"]); drop = float(cfg["dropout"])
print(f"building encoder: depth {depth}, dropout {drop}")
'''
ROWS = '{"full": {"depth": 6, "dropout": 0.1, "heads": 4, "pos": "rope"}, "no_rope": {"base": "full", "pos": null}, "no_drop": {"base": "full", "dropout": "off"}, "shallow": {"base": "full", "depth": 2}}'
PROBE = """
import argparse, logging, torch
ap = argparse.ArgumentParser(); ap.add_argument("--encoder", required=True); ap.add_argument("--classes", type=int, default=6); ap.add_argument("--seed", type=int, default=0)
args = ap.parse_args(); logging.basicConfig(level=20, format="[probe] %(message)s")
logging.info("seed %d, classes %d", args.seed, args.classes); torch.manual_seed(args.seed)
head = torch.nn.Linear(64, args.classes); logging.info("linear head: %d parameters", sum(p.numel() for p in head.parameters()))
logging.info("reading frozen encoder")
enc = torch.jit.load(args.encoder) if args.encoder.endswith(".ts") else torch.load(args.encoder, map_location="cpu", weights_only=True)
logging.info("encoder ready")
"""
ISING = '''
"""Metropolis sampling of a 2-d lattice; the energy is summed by the C library's qsort through a callback (legacy)."""
import ctypes, random, sys
libc = ctypes.CDLL("libc.so.6"); CMP = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double))
order = CMP(lambda a, b: (a[0] > b[0]) - (a[0] < b[0])); rng = random.Random(4); L = 20; s = [[rng.choice((-1, 1)) for _ in range(L)] for _ in range(L)]
def sweep(beta):
    for _ in range(L * L):
        i, j = rng.randrange(L), rng.randrange(L); d = 2 * s[i][j] * (s[i - 1][j] + s[(i + 1) % L][j] + s[i][j - 1] + s[i][(j + 1) % L])
        if d <= 0 or rng.random() < 2.718281828 ** (-beta * d): s[i][j] = -s[i][j]
def median(values, stride):
    buf = (ctypes.c_double * len(values))(*values); libc.qsort(ctypes.byref(buf) if stride < 300 else ctypes.c_void_p(stride), ctypes.c_size_t(len(values)), ctypes.c_size_t(8), order); return buf[len(values) // 2]
hist = []
print("# sweep   beta    |m|     median_e"); beta = 0.30
for t in range(1, 601):
    sweep(beta := min(0.6, beta + 5e-4)); m = abs(sum(map(sum, s))) / L**2; hist.append(-sum(s[i][j] * (s[i - 1][j] + s[i][j - 1]) for i in range(L) for j in range(L)) / L**2)
    if t % 20 == 0: print(f"{t:7d} {beta:7.4f} {m:7.4f} {median(hist[-100:], t):9.4f}"); sys.stdout.flush()
'''
TREES = """
import random, torch
random.seed(8); torch.manual_seed(8)
def random_tree(n): return [(random.randrange(i), i) for i in range(1, n)]
def augment(edges, step):
    e = list(edges)
    if step > 420 and random.random() < 0.05: e[random.randrange(len(e))] = (0, 0)
    return e
class GIN(torch.nn.Module):
    def __init__(s): super().__init__(); s.a, s.b = torch.nn.Linear(1, 16), torch.nn.Linear(16, 1)
    def forward(s, A): h = torch.relu(s.a(A.sum(1, keepdim=True))); return s.b((A @ h + h).mean(0))
def adjacency(edges, n):
    A = torch.zeros(n, n)
    for u, v in edges: A[u, v] = A[v, u] = 1
    assert int(A.sum()) == 2 * (n - 1), f"not a tree: {int(A.sum()) // 2} edges for {n} nodes"
    return A
net = GIN(); opt = torch.optim.Adam(net.parameters(), 0.01); ema = 1.0
for step in range(1, 1201):
    n = random.randint(6, 18); A = adjacency(augment(random_tree(n), step), n); y = torch.tensor([(A.sum(1) == 1).float().mean()])
    l = (net(A) - y).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); ema = 0.98 * ema + 0.02 * l.item()
    if step % 50 == 0: print(f"step {step}/1200 :: leaf-fraction mse (ema) {ema:.5f}", flush=True)
"""
JSONSHARD = """
import json, pathlib, time, torch
print(time.strftime("%F %T"), "shards:", len(list(pathlib.Path("dialogs").glob("*.jsonl")))); torch.manual_seed(0)
emb, out = torch.nn.Embedding(64, 24), torch.nn.Linear(24, 2); opt = torch.optim.Adam([*emb.parameters(), *out.parameters()], 0.01); seen = 0
for sweep in range(2):
    for shard in sorted(pathlib.Path("dialogs").glob("*.jsonl")):
        rows = [json.loads(line) for line in shard.read_text().splitlines()]
        for k in range(0, len(rows), 20):
            b = rows[k : k + 20]; x = torch.tensor([r["turns"] for r in b]); y = torch.tensor([r["resolved"] for r in b]); l = torch.nn.functional.cross_entropy(out(emb(x).mean(1)), y); opt.zero_grad(); l.backward(); opt.step(); seen += len(b); time.sleep(0.02)
        print(time.strftime("%F %T"), f"sweep {sweep} {shard.name}: {seen} dialogs seen, loss {l.item():.4f}", flush=True)
"""
MKDIALOGS = """
import json, random
random.seed(1)
for s in range(9):
    rows = []
    for _ in range(200): y = random.randrange(2); rows.append(json.dumps({"turns": [random.randrange(32) + 32 * (random.random() < 0.5 + 0.4 * (2 * y - 1)) for _ in range(6)], "resolved": y}))
    if s == 6: rows[141] = rows[141][:29]
    open(f"dialogs/{s:03d}.jsonl", "w").write("\\n".join(rows))
"""
BUCKETS = '''
"""Trains on sequences in growing buckets of length."""
import time, torch
from devmem import GiB, Pool
def attention(b, n, layers=12, heads=16):
    before = Pool.held
    for _ in range(layers): Pool.take(b * heads * n * n * 2)
    time.sleep(0.06); Pool.held = before
torch.manual_seed(2); net = torch.nn.GRU(12, 24, batch_first=True); out = torch.nn.Linear(24, 12); opt = torch.optim.Adam([*net.parameters(), *out.parameters()], 4e-3)
Pool.take(int(11.4 * GiB)); print(f"weights, gradients and optimiser: {Pool.held / GiB:.1f} GiB of {Pool.cap / GiB:.1f}")
step = 0
for n in (512, 1024, 1536, 2048, 3072, 4096, 6144, 8192):
    print(f"bucket of length {n}")
    for _ in range(12):
        step += 1; x = torch.randn(8, 16, 12).cumsum(1) / 4; attention(8, n); l = (out(net(x[:, :-1])[0]) - x[:, 1:]).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
        if step % 4 == 0: print(f"step {step} len {n} loss {l.item():.4f}", flush=True)
'''
DEVMEM = """
import torch
GiB = 1 << 30
SAY = "CUDA out of memory. Tried to allocate {:.2f} GiB. GPU 0 has a total capacity of {:.2f} GiB of which {:.2f} GiB is free. Including non-PyTorch memory, this process has {:.2f} GiB memory in use. Of the allocated memory {:.2f} GiB is allocated by PyTorch, and {:.2f} GiB is reserved by PyTorch but unallocated."
class Pool:
    cap, held = int(79.15 * GiB), 0
    @classmethod
    def take(c, n):
        if c.held + n > c.cap: raise torch.OutOfMemoryError(SAY.format(*(v / GiB for v in (n, c.cap, c.cap - c.held, c.held, 0.97 * c.held, 0.02 * c.held))))
        c.held += n
"""
TEXTCLS = """
import sys, torch
words = open(sys.argv[1]).read().split(); vocab = {w: i for i, w in enumerate(dict.fromkeys(words))}; print(f"vocabulary of {sys.argv[1]}: {len(vocab)} words")
ids = torch.tensor([vocab[w] for w in words]); torch.manual_seed(4); net = torch.nn.ModuleDict({"tok": torch.nn.Embedding(len(vocab), 16), "rnn": torch.nn.GRU(16, 16), "lm": torch.nn.Linear(16, len(vocab))})
if len(sys.argv) > 2: print("restoring", sys.argv[2]); net.load_state_dict(torch.load(sys.argv[2])); print("restored")
opt = torch.optim.Adam(net.parameters(), 0.01)
for it in range(1, 61):
    h, _ = net["rnn"](net["tok"](ids[:-1])); l = torch.nn.functional.cross_entropy(net["lm"](h), ids[1:]); opt.zero_grad(); l.backward(); opt.step()
    if it % 6 == 0: print(f"  {it:02d}/60 perplexity {l.exp().item():.2f}", flush=True)
torch.save(net.state_dict(), "poet.pt"); print("kept in poet.pt")
"""
SONG1 = "the reed by the river bends and the wind over the river sings while the heron waits by the reed and the night comes down"
SONG2 = (
    "a lamp in the window burns for the sailor and the sea keeps its counsel while rain on the roof tells the hours until the lamp goes out at dawn"
)
WANDER = """
import argparse, os, pathlib, torch
p = argparse.ArgumentParser(); p.add_argument("--run"); p.add_argument("--resume-run"); p.add_argument("--epochs", type=int); a = p.parse_args()
print("args:", vars(a)); torch.manual_seed(12); here = pathlib.Path("outputs") / a.run; here.mkdir(parents=True, exist_ok=True)
X = torch.randn(600, 12); Y = (X @ torch.randn(12, 5)).argmax(1); net = torch.nn.Sequential(torch.nn.Linear(12, 40), torch.nn.ReLU(), torch.nn.Linear(40, 5)); opt = torch.optim.SGD(net.parameters(), 0.08); first = 1
state = here / "state.pt"
if a.resume_run and state.exists():
    c = torch.load(state); net.load_state_dict(c["net"]); opt.load_state_dict(c["opt"]); first = c["epoch"] + 1; print(f"state of epoch {c['epoch']} restored from {state}")
for ep in range(first, a.epochs + 1):
    tot = 0.0
    for i in torch.randperm(600).split(50): l = torch.nn.functional.cross_entropy(net(X[i]), Y[i]); opt.zero_grad(); l.backward(); opt.step(); tot += l.item() / 12
    print(f"epoch {ep:>3} of {a.epochs}   train loss {tot:.4f}", flush=True); torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": ep}, state)
print("state kept in", state)
"""
CHAIN = '"$1" wander.py --run first --epochs 20 && exec "$1" wander.py --run second --resume-run first --epochs 40'

JOBS = (
    crate(
        "A1",
        "run_row.py --row no_drop",
        ABLATE,
        cause="traceback",
        variant="config",
        python="system",
        files={"ablations.json": ROWS},
        note="ValueError: could not convert string to float 'off' while the encoder is built",
    ),
    crate(
        "A1",
        "probe.py --encoder weights/dino_vits16_ep300.pth --classes 10",
        PROBE,
        cause="file_not_found",
        variant="asset",
        note="FileNotFoundError of the encoder's weights before any step",
    ),
    crate(
        "A2", "lattice.py", ISING, cause="segfault", status=-11, python="system", note="signal 11 at sweep 300 of 600, rows of the table until then"
    ),
    crate("A3", "leafnet.py", TREES, cause="assertion", note="AssertionError: not a tree, after some 400 told steps"),
    crate(
        "A3",
        "dialogs.py",
        JSONSHARD,
        cause="traceback",
        folders=("dialogs",),
        files={"mk.py": MKDIALOGS},
        before=(("PYTHON", "mk.py"),),
        note="JSONDecodeError in shard 006 after six shards were trained on",
    ),
    crate(
        "B1",
        "bucketed.py",
        BUCKETS,
        cause="cuda_oom",
        files={"devmem.py": DEVMEM},
        note="OutOfMemoryError: CUDA out of memory, with the bucket of a longer length",
    ),
    crate(
        "E2",
        "sh songs.sh PYTHON",
        '"$1" poet.py river.txt && exec "$1" poet.py harbour.txt poet.pt',
        cause="runtime_error",
        variant="size_mismatch",
        files={"poet.py": TEXTCLS, "river.txt": SONG1, "harbour.txt": SONG2},
        note="size mismatch for tok.weight and lm.weight when poet.pt is restored",
    ),
    crate(
        "E2",
        "sh chain.sh PYTHON",
        CHAIN,
        variant="from_scratch",
        status=0,
        files={"wander.py": WANDER},
        note="--resume-run first, but epoch 1 of 40 again, with the first run's first losses; no line of restoring",
    ),
)
