"""Single programs that stood still, crept, or had too little time."""

from corpus.make._crate import crate

FORKLOCK = '''
import logging, multiprocessing as mp, sys, threading, time, torch
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s|%(message)s", datefmt="%H:%M:%S")
from torch.utils.data import DataLoader, Dataset
guard = mp.Lock()
class Tiles(Dataset):
    def __len__(self): return 320
    def __getitem__(self, i):
        with guard: return torch.randn(9) + (i % 4), i % 4
def refresh():
    """Updates the index of tiles between epochs."""
    guard.acquire(); logging.info("index: refreshing in the background"); time.sleep(3600)
torch.manual_seed(0); net = torch.nn.Linear(9, 4); opt = torch.optim.Adam(net.parameters(), 0.01)
for ep in range(1, 13):
    if ep == 5: threading.Thread(target=refresh, daemon=True).start(); time.sleep(0.5)
    for i, (x, y) in enumerate(DataLoader(Tiles(), 8, shuffle=True, num_workers=2)):
        l = torch.nn.functional.cross_entropy(net(x), y); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.02)
        if i % 10 == 9: logging.info("epoch %d/12 batch %d/40 loss %.4f", ep, i + 1, l.item())
'''
BUCKET = '''
"""Streams shards from the object store while it trains (WebDataset-like)."""
import http.client, http.server, json, threading, time, torch
class Store(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        k = int(self.path.rsplit("/", 1)[1].split(".")[0])
        if k == 9: time.sleep(9999)
        torch.manual_seed(k); body = json.dumps(torch.randn(64, 6).tolist()).encode(); self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers(); self.wfile.write(body)
    def log_message(self, *a): pass
srv = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Store); threading.Thread(target=srv.serve_forever, daemon=True).start()
net = torch.nn.Sequential(torch.nn.Linear(6, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1)); opt = torch.optim.Adam(net.parameters(), 5e-3); n = 0
for shard in range(40):
    c = http.client.HTTPConnection("127.0.0.1", srv.server_port); print(f"GET s3://lab-audio/train/{shard:05d}.tar", flush=True); c.request("GET", f"/train/{shard:05d}.tar"); rows = torch.tensor(json.loads(c.getresponse().read()))
    for b in rows.split(8): l = (net(b) - b.norm(dim=1, keepdim=True)).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); n += 1; time.sleep(0.05)
    print(f"shard {shard + 1}/40, {n} steps, mse {l.item():.4f}", flush=True)
'''
DECODE = '''
import time, torch, torch.nn as nn
"""Action recognition on clips; decoding in the main process (num_workers=0)."""
torch.manual_seed(0); EPOCHS, ITERS = 2, 20
class Avg:
    def __init__(s): s.v = s.s = s.n = 0
    def __call__(s, v): s.v = v; s.s += v; s.n += 1
    def __str__(s): return f"{s.v:.3f} ({s.s / s.n:.3f})"
def decode_clip(k): time.sleep(0.11); y = k % 5; return torch.randn(4, 20) * 0.5 + torch.eye(20)[y * 4], y
net = nn.Sequential(nn.Flatten(), nn.Linear(80, 32), nn.ReLU(), nn.Linear(32, 5)); opt = torch.optim.SGD(net.parameters(), 0.05, 0.9); n = 0
for ep in range(EPOCHS):
    data, fwd, total, loss = Avg(), Avg(), Avg(), Avg()
    for it in range(ITERS):
        t = time.time(); clips = [decode_clip(n + j) for j in range(4)]; n += 4; x, y = torch.stack([c for c, _ in clips]), torch.tensor([y for _, y in clips]); data(time.time() - t)
        u = time.time(); l = nn.functional.cross_entropy(net(x), y); opt.zero_grad(); l.backward(); opt.step(); fwd(time.time() - u); total(time.time() - t); loss(l.item())
        if it % 4 == 3: print(f"[{ep}][{it + 1:2d}/{ITERS}] data_time {data} compute_time {fwd} iter_time {total} loss {loss}", flush=True)
    print(f" * epoch {ep}: {100 * data.s / total.s:.1f}% of the iteration time was data_time", flush=True)
'''
SHARDGAP = """
import logging, time, torch
logging.basicConfig(level=20, format="%(asctime)s.%(msecs)03d %(name)-7s %(message)s", datefmt="%H:%M:%S"); tr, io = logging.getLogger("trainer"), logging.getLogger("shards")
torch.manual_seed(4); lm = torch.nn.Sequential(torch.nn.Embedding(80, 32), torch.nn.Linear(32, 80)); opt = torch.optim.AdamW(lm.parameters(), 1e-2); step = 0; waited = 0.0; t0 = time.time()
def fetch(k): io.info("fetching part-%05d.parquet from the NFS export", k); t = time.time(); time.sleep(4.0); d = (torch.arange(6 * 16)[:, None] * 7 + torch.arange(17) * (3 + k % 2)) % 80; io.info("part-%05d.parquet read in %.1f s (212 MB)", k, time.time() - t); return d, time.time() - t
for part in range(8):
    d, w = fetch(part); waited += w
    for x in d.split(16): l = torch.nn.functional.cross_entropy(lm(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten()); opt.zero_grad(); l.backward(); opt.step(); step += 1; time.sleep(0.03); tr.info("step %d/48 loss %.4f", step, l.item())
tr.info("48 steps in %.1f s; the trainer stood %.1f s waiting for shards", time.time() - t0, waited)
"""
EACHSTEP = '''
import copy, os, shutil, time, torch
"""DreamBooth-like: a folder per checkpoint with model, EMA and optimizer; checkpointing_steps=1."""
torch.manual_seed(0); net = torch.nn.Sequential(torch.nn.Linear(64, 900), torch.nn.SiLU(), torch.nn.Linear(900, 64)); ema = copy.deepcopy(net); opt = torch.optim.AdamW(net.parameters(), 1e-3); A = torch.randn(64, 64) / 8
print("Num examples = 12, instantaneous batch size = 1, total optimization steps = 70, checkpointing_steps = 1", flush=True); kept = []
for s in range(1, 71):
    a = time.perf_counter(); x = torch.randn(4, 64); l = (net(x) - (x @ A).tanh()).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); b = time.perf_counter()
    d = f"dreambooth/checkpoint-{s}"; os.makedirs(d)
    for name, obj in (("unet.bin", net.state_dict()), ("ema.bin", ema.state_dict()), ("optimizer.bin", opt.state_dict())):
        torch.save(obj, f"{d}/{name}"); h = os.open(f"{d}/{name}", os.O_RDONLY); os.fsync(h); os.close(h); time.sleep(0.08)
    kept.append(d)
    if len(kept) > 2: shutil.rmtree(kept.pop(0))
    print(f"Steps: {s}/70 loss={l.item():.4f} step_time={b - a:.4f}s | Saved state to {d} ({time.perf_counter() - b:.3f}s)", flush=True)
'''
LONGLM = """
import math, time, torch
torch.manual_seed(1); V, CTX, MAX = 64, 24, 20000; emb = torch.nn.Embedding(V, 40); layer = torch.nn.TransformerEncoderLayer(40, 4, 80, 0.0, batch_first=True); out = torch.nn.Linear(40, V); P = [*emb.parameters(), *layer.parameters(), *out.parameters()]; opt = torch.optim.AdamW(P, 3e-3, betas=(0.9, 0.95)); mask = torch.full((CTX, CTX), -math.inf).triu(1)
print(f"number of parameters: {sum(p.numel() for p in P) / 1e6:.3f}M, max_iters = {MAX}"); t0 = time.time()
for k in range(MAX):
    x = (torch.randint(V, (8, 1)) + torch.randint(1, 4, (8, 1)) * torch.arange(CTX + 1)) % V; l = torch.nn.functional.cross_entropy(out(layer(emb(x[:, :-1]), src_mask=mask)).flatten(0, 1), x[:, 1:].flatten()); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.02)
    if k % 50 == 0: dt = (time.time() - t0) / (50 if k else 1); t0 = time.time(); print(f"iter {k}: loss {l.item():.4f}, time {dt * 1000:.2f}ms, about {dt * (MAX - k) / 60:.0f} min to go", flush=True)
"""
FOLDS = '''
import sys, time, torch
"""5-fold cross-validation of a survival model."""
torch.manual_seed(0); X = torch.randn(500, 11); risk = X[:, 0] - 0.7 * X[:, 3]; T = -torch.log(torch.rand(500)) * torch.exp(-risk); ev = torch.rand(500) < 0.7; fold = torch.arange(500) % 5
def cox(h, t, e): o = t.argsort(descending=True); h, e = h[o], e[o]; return -(h - h.logcumsumexp(0))[e].mean()
def cindex(h, t): i, j = torch.randint(len(h), (2, 2000)); m = t[i] < t[j]; return (h[i] > h[j])[m].float().mean().item()
for f in range(5):
    net = torch.nn.Sequential(torch.nn.Linear(11, 32), torch.nn.SELU(), torch.nn.Linear(32, 1)); opt = torch.optim.Adam(net.parameters(), 3e-3); tr, te = fold != f, fold == f
    for ep in range(1, 61):
        l = cox(net(X[tr])[:, 0], T[tr], ev[tr]); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.25)
        if ep % 6 == 0: print(f"fold {f + 1} of 5, epoch {ep} of 60: partial likelihood loss {l.item():.4f}, held-out C {cindex(net(X[te])[:, 0].detach(), T[te]):.3f}", file=sys.stderr, flush=True)
'''
GAMES = '''
import json, subprocess, sys, time, torch
"""Plays against an engine over a pipe and learns from the games."""
ENGINE = "import sys\\nn = 0\\nfor line in sys.stdin:\\n    n += 1\\n    if n > 900: continue\\n    print((7 * int(line) + n) % 9, flush=True)\\n"
eng = subprocess.Popen([sys.executable, "-c", ENGINE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1); torch.manual_seed(0); pol = torch.nn.Linear(9, 9); opt = torch.optim.SGD(pol.parameters(), 0.5); base = 0.0
for game in range(1, 301):
    s = 4; logp = 0.0; R = 0
    for ply in range(30):
        d = torch.distributions.Categorical(logits=pol(torch.eye(9)[s])); a = d.sample(); logp = logp + d.log_prob(a); R += int(a) == (s + 2) % 9; eng.stdin.write(f"{a.item()}\\n"); eng.stdin.flush(); s = int(eng.stdout.readline()); time.sleep(0.006)
    l = -(R - base) / 30 * logp; base = 0.9 * base + 0.1 * R; opt.zero_grad(); l.backward(); opt.step()
    if game % 2 == 0: print(json.dumps({"game": game, "of": 300, "score": R, "baseline": round(base, 2), "loss": round(l.item(), 4)}), flush=True)
'''
JOBS = (
    crate("C3", "tiles.py", FORKLOCK, timeout_s=50, note="four epochs at a second each, then nothing for half a minute to the limit"),
    crate("C3", "stream_wds.py", BUCKET, timeout_s=45, note="a shard every half second to the ninth, then a GET without an answer to the limit"),
    crate("C3", "selfplay.py", GAMES, timeout_s=50, note="two games in half a second to game 30, then silent to the limit"),
    crate("D1", "clips.py", DECODE, note="data_time is nearly all of iter_time, said so at the end of each epoch"),
    crate("D1", "lm_parts.py", SHARDGAP, note="4 s of fetching before each 0.2 s of steps; the sum says so"),
    crate("D2", "dreambooth.py", EACHSTEP, variant="save_storm", note="three files saved after every step, nearly all of the time"),
    crate("F3", "nano.py", LONGLM, variant="advancing", timeout_s=40, note="advancing to the limit, minutes to go by its own word"),
    crate("F3", "survival_cv.py", FOLDS, variant="advancing", timeout_s=45, note="in the third fold of five or so at the limit, advancing"),
)  # fmt: skip
