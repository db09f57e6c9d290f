"""Single programs that did what they were started for."""

import json

from corpus.make._crate import crate

MMDET = '''
"""Anchor-free detector on synthetic scenes, logs as our old toolbox wrote them."""
import logging
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s - det - %(levelname)s - %(message)s")
log = logging.getLogger()
torch.manual_seed(0)


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(1, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU())
        self.cls, self.box = nn.Conv2d(16, 1, 1), nn.Conv2d(16, 2, 1)

    def forward(self, x):
        f = self.backbone(x)
        return self.cls(f)[:, 0], self.box(f)


def scene(n):
    img = torch.randn(n, 1, 32, 32) * 0.2
    at = torch.randint(0, 8, (n, 2))
    size = torch.randint(3, 7, (n, 2))
    for k in range(n):
        (r, c), (h, w) = at[k] * 4, size[k]
        img[k, 0, r : r + h, c : c + w] += 1
    return img, at, size.float()


net = Detector()
opt = torch.optim.AdamW(net.parameters(), 4e-3)
log.info("Set random seed to 0, deterministic: False")
log.info("workflow: [('train', 1)], max: 4 epochs")
for epoch in range(1, 5):
    for it in range(1, 61):
        t = time.time()
        img, at, size = scene(16)
        heat, box = net(img)
        idx = torch.arange(16)
        goal = at[:, 0] * 8 + at[:, 1]
        lc = F.cross_entropy(heat.flatten(1), goal)
        lb = F.l1_loss(box[idx, :, at[:, 0], at[:, 1]], size) * 0.5
        opt.zero_grad()
        (lc + lb).backward()
        g = nn.utils.clip_grad_norm_(net.parameters(), 35)
        opt.step()
        if it % 20 == 0:
            log.info(f"Epoch [{epoch}][{it}/60]\\tlr: 4.000e-03, time: {time.time() - t:.3f}, data_time: 0.002, memory: 0, loss_cls: {lc.item():.4f}, loss_bbox: {lb.item():.4f}, loss: {(lc + lb).item():.4f}, grad_norm: {g:.4f}")
    img, at, size = scene(200)
    with torch.no_grad():
        heat, _ = net(img)
    log.info(f"Epoch(val) [{epoch}][200]\\tcenter_hit: {(heat.flatten(1).argmax(1) == at[:, 0] * 8 + at[:, 1]).float().mean():.4f}")
torch.save(net.state_dict(), "epoch_4.pth")
log.info("Saving checkpoint at 4 epochs")
'''
CTC = """
import argparse, csv, sys, torch, torch.nn as nn
p = argparse.ArgumentParser(); p.add_argument("--max-epoch", type=int, default=8); p.add_argument("--width", type=int, default=48); a = p.parse_args()
torch.manual_seed(2); LETTERS = "_abcdefg"; sound = torch.randn(8, 10)
def utter(n):
    xs, ys = [], []
    for _ in range(n):
        y = torch.randint(1, 8, (5,)); y[1:][y[1:] == y[:-1]] = 1 + (y[1:][y[1:] == y[:-1]] % 7)
        xs.append(torch.repeat_interleave(sound[y], 4, 0) + 0.25 * torch.randn(20, 10)); ys.append(y)
    return torch.stack(xs), torch.stack(ys)
enc = nn.LSTM(10, a.width, bidirectional=True, batch_first=True); head = nn.Linear(2 * a.width, 8); ctc = nn.CTCLoss(); opt = torch.optim.Adam([*enc.parameters(), *head.parameters()], 8e-3)
def greedy(logp):
    out = []
    for row in logp.argmax(-1).tolist(): out.append("".join(LETTERS[k] for i, k in enumerate(row) if k and (i == 0 or row[i - 1] != k)))
    return out
w = csv.writer(sys.stdout, delimiter=";"); w.writerow(["epoch", "train_ctc", "dev_ctc", "dev_exact_%", "sample"])
for ep in range(a.max_epoch):
    tot = 0.0
    for _ in range(25):
        x, y = utter(24); lp = head(enc(x)[0]).log_softmax(-1); l = ctc(lp.transpose(0, 1), y, torch.full((24,), 20), torch.full((24,), 5)); opt.zero_grad(); l.backward(); nn.utils.clip_grad_norm_(enc.parameters(), 2.0); opt.step(); tot += l.item() / 25
    x, y = utter(100); lp = head(enc(x)[0]).log_softmax(-1); d = ctc(lp.transpose(0, 1), y, torch.full((100,), 20), torch.full((100,), 5)); said = greedy(lp); true = ["".join(LETTERS[k] for k in r) for r in y.tolist()]
    w.writerow([ep, f"{tot:.3f}", f"{d.item():.3f}", f"{sum(s == t for s, t in zip(said, true)):.0f}", f"{true[0]} -> {said[0] or '(empty)'}"]); sys.stdout.flush()
print("# best model kept: asr_final.pt"); torch.save([enc.state_dict(), head.state_dict()], "asr_final.pt")
"""
DIFFUSE = """
import torch, math, time
torch.manual_seed(0); T = 50; beta = torch.linspace(1e-3, 0.15, T); abar = (1 - beta).cumprod(0)
class Eps(torch.nn.Module):
    def __init__(s): super().__init__(); s.net = torch.nn.Sequential(torch.nn.Linear(2 + 16, 96), torch.nn.SiLU(), torch.nn.Linear(96, 96), torch.nn.SiLU(), torch.nn.Linear(96, 2))
    def forward(s, x, t): f = t[:, None] / T * torch.arange(1, 9) * math.pi; return s.net(torch.cat([x, f.sin(), f.cos()], 1))
net = Eps(); ema = Eps(); ema.load_state_dict(net.state_dict()); opt = torch.optim.Adam(net.parameters(), 3e-3)
def rings(n): a = torch.rand(n) * 6.283; r = torch.where(torch.rand(n) < 0.5, 1.0, 2.0) + 0.05 * torch.randn(n); return torch.stack([r * a.cos(), r * a.sin()], 1)
avg = None
for k in range(1, 1201):
    x = rings(128); t = torch.randint(T, (128,)); e = torch.randn_like(x); l = (net(abar[t, None].sqrt() * x + (1 - abar[t, None]).sqrt() * e, t) - e).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    with torch.no_grad(): [p.lerp_(q, 0.01) for p, q in zip(ema.parameters(), net.parameters())]
    avg = l.item() if avg is None else 0.98 * avg + 0.02 * l.item()
    if k % 100 == 0: print(f"[{100 * k // 1200:3d}%] kimg {k * 128 / 1000:6.1f}  eps-mse {avg:.4f}", flush=True)
with torch.no_grad():
    x = torch.randn(400, 2)
    for s in reversed(range(T)):
        t = torch.full((400,), s); e = ema(x, t); x = (x - beta[s] / (1 - abar[s]).sqrt() * e) / (1 - beta[s]).sqrt() + (beta[s].sqrt() * torch.randn_like(x) if s else 0)
d = torch.minimum((x.norm(dim=1) - 1).abs(), (x.norm(dim=1) - 2).abs()); print(f"sampled 400 points; mean distance to the rings {d.mean():.3f}, within 0.2: {(d < 0.2).float().mean():.1%}")
"""
TOKENIZE = '''
#!/usr/bin/env python3
"""Clean, split and pack a text dump into shards of token ids (no torch here)."""
import array, collections, hashlib, json, os, sys, time
from concurrent.futures import ProcessPoolExecutor

SRC, DST = sys.argv[1], sys.argv[2]

def work(args):
    name, rows = args; seen, ids, dropped = set(), array.array("H"), collections.Counter()
    for row in rows:
        text = " ".join(row["text"].split())
        if len(text) < 20: dropped["short"] += 1; continue
        h = hashlib.md5(text.lower().encode()).digest()
        if h in seen: dropped["duplicate"] += 1; continue
        if text.count("?") > 8: dropped["garbled"] += 1; continue
        seen.add(h); ids.extend(b for b in text.encode("utf-8", "replace")); ids.append(256)
    time.sleep(0.4)
    with open(os.path.join(DST, name + ".bin"), "wb") as f: ids.tofile(f)
    return name, len(rows), len(ids), dict(dropped)

if __name__ == "__main__":
    os.makedirs(DST, exist_ok=True); began = time.time(); rows = [json.loads(l) for l in open(SRC)]
    shards = [(f"shard-{i:03d}", rows[i::24]) for i in range(24)]; total = 0
    print(f"{len(rows)} documents, 24 shards, 3 processes", flush=True)
    with ProcessPoolExecutor(3) as pool:
        for n, (name, docs, tokens, dropped) in enumerate(pool.map(work, shards), 1):
            total += tokens; print(f"({n}/24) {name}: {docs} docs, {tokens} tokens" + (f", dropped {dropped}" if dropped else ""), flush=True)
    json.dump({"tokens": total, "shards": 24, "vocab": 257}, open(os.path.join(DST, "meta.json"), "w")); print(f"packed {total} tokens in {time.time() - began:.1f} s -> {DST}/meta.json")
'''
DUMP = "\n".join(
    json.dumps({"text": t})
    for i in range(600)
    for t in [
        f"Page {i}. The river station {i % 37} measured {i * 7 % 91} cm at noon" + (" ??" * 10 if i % 41 == 0 else "") + "." if i % 13 else "n/a"
    ]
)
CURL = '''
"""Soft actor-critic flavoured bandit-like reacher; returns are negative costs."""
import torch
torch.manual_seed(12)
actor = torch.nn.Sequential(torch.nn.Linear(4, 48), torch.nn.Tanh(), torch.nn.Linear(48, 4)); critic = torch.nn.Sequential(torch.nn.Linear(6, 48), torch.nn.Tanh(), torch.nn.Linear(48, 1))
pa, pc = torch.optim.Adam(actor.parameters(), 2e-3), torch.optim.Adam(critic.parameters(), 4e-3); alpha, buf = 0.02, []
def env(n): s = torch.rand(n, 4) * 2 - 1; return s
def cost(s, a): return (s[:, :2] + a - s[:, 2:]).pow(2).sum(1) * 20
def sample(s): m, ls = actor(s).chunk(2, 1); ls = ls.clamp(-3, 0); e = torch.randn_like(m); a = torch.tanh(m + ls.exp() * e); return 1.5 * a, (-0.5 * e.pow(2) - ls - torch.log(1 - a.pow(2) + 1e-4)).sum(1)
for upd in range(1, 801):
    s = env(64)
    with torch.no_grad(): a, _ = sample(s); r = -cost(s, a)
    buf.append((s, a, r)); buf = buf[-60:]; S, A, R = (torch.cat(z) for z in zip(*buf)); i = torch.randint(len(S), (256,))
    lc = (critic(torch.cat([S[i], A[i]], 1))[:, 0] - R[i] / 20).pow(2).mean(); pc.zero_grad(); lc.backward(); pc.step()
    a, lp = sample(S[i]); la = (alpha * lp - critic(torch.cat([S[i], a], 1))[:, 0]).mean(); pa.zero_grad(); la.backward(); pa.step()
    if upd % 40 == 0: print(f"| updates {upd:4d} | ep_rew_mean {r.mean():9.2f} | actor_loss {la.item():7.3f} | critic_loss {lc.item():7.3f} | ent_coef {alpha} |", flush=True)
s = env(1000); r = -cost(s, 1.5 * actor(s)[:, :2].tanh()); print(f"evaluation over 1000 episodes: mean reward {r.mean():.2f} +/- {r.std():.2f} (solved above -25.0)")
'''
SWEEPER = '''
import itertools, random, sys, traceback, torch
"""Hyper-parameter search; a trial that cannot be built is noted and left out."""
torch.manual_seed(0); random.seed(4)
X = torch.randn(400, 14); Y = ((X[:, 0] * X[:, 1] > 0).long() + (X[:, 2] > 0.5).long()); trX, trY, vaX, vaY = X[:300], Y[:300], X[300:], Y[300:]
def build(width, depth, groups, drop):
    mods, d = [], 14
    for _ in range(depth): mods += [torch.nn.Linear(d, width), torch.nn.GroupNorm(groups, width), torch.nn.ReLU(), torch.nn.Dropout(drop)]; d = width
    return torch.nn.Sequential(*mods, torch.nn.Linear(d, 3))
def trial(c):
    torch.manual_seed(1); net = build(**{k: c[k] for k in ("width", "depth", "groups", "drop")}); opt = torch.optim.AdamW(net.parameters(), c["lr"])
    for ep in range(60):
        net.train(); l = torch.nn.functional.cross_entropy(net(trX), trY); opt.zero_grad(); l.backward(); opt.step()
        if ep == 20 and l.item() > 1.02: return None
    net.eval(); return (net(vaX).argmax(1) == vaY).float().mean().item()
space = list(itertools.product((24, 30, 64), (1, 2), (4, 8), (0.0, 0.2), (3e-2, 1e-4))); random.shuffle(space); best = (-1, None); failed = pruned = 0
for n, (w, d, g, p, lr) in enumerate(space[:20]):
    c = dict(width=w, depth=d, groups=g, drop=p, lr=lr)
    try: score = trial(c)
    except Exception: print(f"[W] Trial {n} failed with parameters: {c} because of the following error:", file=sys.stderr); traceback.print_exc(); failed += 1; continue
    if score is None: pruned += 1; print(f"[I] Trial {n} pruned at epoch 20", flush=True); continue
    best = max(best, (score, n)); print(f"[I] Trial {n} finished with value: {score:.3f} and parameters: {c}. Best is trial {best[1]} with value: {best[0]:.3f}.", flush=True)
print(f"Study statistics: 20 trials, {20 - failed - pruned} complete, {pruned} pruned, {failed} failed. Best value {best[0]:.3f} (trial {best[1]})")
'''
RESPAWN = """
import logging, os, signal, time, warnings, torch, torch.multiprocessing as mp
logging.basicConfig(level="INFO", format="{levelname:.1}{asctime} {process} {message}", style="{", datefmt="%m%d %H:%M:%S"); log = logging.getLogger()
warnings.warn("'has_cuda' is deprecated, please use 'torch.backends.cuda.is_built()'"); log.warning("CUDA is not available, falling back to CPU. This will be slow.")
def feeder(q, seed, first, last, dies):
    g = torch.Generator().manual_seed(seed)
    for i in range(first, last):
        if i == dies: os.kill(os.getpid(), signal.SIGKILL)
        y = torch.randint(6, (32,), generator=g); q.put((i, (torch.eye(6)[y] @ torch.randn(6, 20, generator=torch.Generator().manual_seed(0)) + 0.9 * torch.randn(32, 20, generator=g)).tolist(), y.tolist()))
if __name__ == "__main__":
    torch.manual_seed(0); N = 120; ctx = mp.get_context("fork"); net = torch.nn.Linear(20, 6); opt = torch.optim.SGD(net.parameters(), 0.3); done = 0; starts = 0; dies = 47; proc = None
    while done < N:
        q = ctx.SimpleQueue(); proc = ctx.Process(target=feeder, args=(q, 7 + starts, done, N, dies), daemon=True); proc.start(); starts += 1; log.info("feeder %d started at batch %d", proc.pid, done)
        while done < N:
            t = time.time()
            while q.empty() and proc.is_alive() and time.time() - t < 5: time.sleep(0.01)
            if q.empty():
                proc.join(); log.error("feeder %d died (exit code %s) before batch %d; it is started again", proc.pid, proc.exitcode, done); dies = -1; break
            i, x, y = q.get(); l = torch.nn.functional.cross_entropy(net(torch.tensor(x)), torch.tensor(y)); opt.zero_grad(); l.backward(); opt.step(); done = i + 1
            if done % 10 == 0: log.info("batch %d/%d loss=%.4f", done, N, l.item()); time.sleep(0.1)
    log.info("trained on %d batches with %d feeder starts; model in head.pt", done, starts); torch.save(net.state_dict(), "head.pt")
"""
SERVED = '''
"""Summarise articles with a model behind an HTTP endpoint; answers go to a file."""
import http.server, json, logging, random, sys, threading, time, urllib.error, urllib.request

logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="[%(levelname)s] %(asctime)s %(message)s", datefmt="%d.%m. %H:%M:%S")
random.seed(6)


class Model(http.server.BaseHTTPRequestHandler):
    calls = 0

    def do_POST(self):
        Model.calls += 1
        text = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["text"]
        if 40 < Model.calls < 46 or Model.calls % 37 == 0:
            self.send_error(503, "CUDA out of memory while batching, request dropped")
            return
        time.sleep(0.05)
        body = json.dumps({"summary": " ".join(text.split()[:6])}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *a):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
articles = [f"On day {i} the council of town {i % 17} met about the {random.choice(['bridge', 'school', 'harbour'])} and voted." for i in range(160)]
retries = 0
with open("summaries.jsonl", "w") as out:
    for i, text in enumerate(articles):
        for attempt in range(6):
            try:
                r = urllib.request.Request(f"http://127.0.0.1:{server.server_port}/generate", json.dumps({"text": text}).encode(), {"Content-Type": "application/json"})
                out.write(urllib.request.urlopen(r, timeout=20).read().decode() + chr(10))
                break
            except urllib.error.HTTPError as e:
                retries += 1
                logging.error("article %d: HTTP Error %d: %s (attempt %d), waiting %.1f s", i, e.code, e.reason, attempt + 1, 0.2 * 2**attempt)
                time.sleep(0.2 * 2**attempt)
        else:
            sys.exit(f"article {i} could not be summarised")
        if i % 20 == 19:
            logging.info("%d/160 articles", i + 1)
logging.info("160 of 160 articles summarised, %d requests had to be repeated -> summaries.jsonl", retries)
'''
LORA = '''
import math, sys, time, torch
from torch import nn
"""Low-rank adapters on a frozen toy decoder; bar as in tqdm."""
torch.manual_seed(3); V, D, R, STEPS = 60, 64, 4, 240
class LoRA(nn.Module):
    def __init__(s, base): super().__init__(); s.base = base.requires_grad_(False); s.a = nn.Parameter(torch.randn(R, base.in_features) / 8); s.b = nn.Parameter(torch.zeros(base.out_features, R))
    def forward(s, x): return s.base(x) + 2.0 * x @ s.a.T @ s.b.T
emb = nn.Embedding(V, D).requires_grad_(False); up, down = LoRA(nn.Linear(D, 2 * D)), LoRA(nn.Linear(2 * D, D)); head = LoRA(nn.Linear(D, V)); mods = nn.ModuleList([emb, up, down, head])
t = sum(p.numel() for p in mods.parameters() if p.requires_grad); n = sum(p.numel() for p in mods.parameters()); print(f"trainable params: {t:,} || all params: {n:,} || trainable%: {100 * t / n:.4f}", flush=True)
opt = torch.optim.AdamW([p for p in mods.parameters() if p.requires_grad], 1e-2); t0 = time.time()
for k in range(1, STEPS + 1):
    for g in opt.param_groups: g["lr"] = 1e-2 * min(1, k / 20) * 0.5 * (1 + math.cos(math.pi * k / STEPS))
    x = torch.randint(V, (64,)); y = (x * 7 + 3) % V; h = emb(x); l = nn.functional.cross_entropy(head(h + down(nn.functional.gelu(up(h)))), y); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.02)
    if k % 8 == 0: e = time.time() - t0; sys.stderr.write(f"\\r{100 * k // STEPS:3d}%|{'#' * (20 * k // STEPS):20}| {k}/{STEPS} [{e:.0f}s<{e / k * (STEPS - k):.0f}s, {k / e:.2f}it/s, loss={l.item():.3f}]"); sys.stderr.flush()
sys.stderr.write("\\n"); h = emb(torch.arange(V)); acc = (head(h + down(nn.functional.gelu(up(h)))).argmax(1) == (torch.arange(V) * 7 + 3) % V).float().mean(); print(f"adapter saved to lora-out (exact match {acc:.1%}, last loss {l.item():.4f})")
'''
ADVERS = """
import torch, torch.nn as nn, logging
logging.basicConfig(level=logging.INFO, format="%(message)s"); torch.manual_seed(0); G = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2)); D = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1)); og, od = torch.optim.Adam(G.parameters(), 1e-3, betas=(0.5, 0.9)), torch.optim.Adam(D.parameters(), 1e-3, betas=(0.5, 0.9)); bce = nn.functional.binary_cross_entropy_with_logits
def real(n): return torch.randn(n, 2) @ torch.tensor([[0.3, 0.2], [0.0, 0.1]]) + torch.tensor([2.0, -1.0])
def frechet(a, b):
    m = (a.mean(0) - b.mean(0)).pow(2).sum(); ca, cb = a.T.cov(), b.T.cov(); w = torch.linalg.eigvals(ca @ cb).real.clamp(0).sqrt().sum(); return (m + ca.trace() + cb.trace() - 2 * w).item()
best = 9e9
for it in range(0, 1801):
    x = real(128); z = torch.randn(128, 8); f = G(z); one, zero = torch.ones(128, 1), torch.zeros(128, 1); ld = bce(D(x), one * 0.9) + bce(D(f.detach()), zero); od.zero_grad(); ld.backward(); od.step(); lg = bce(D(G(z)), one); og.zero_grad(); lg.backward(); og.step()
    if it % 100 == 0:
        with torch.no_grad(): fd = frechet(G(torch.randn(2000, 8)), real(2000))
        note = " *" if fd < best else ""; best = min(best, fd); logging.info("it %5d  D %.3f  G %.3f  frechet %.4f%s", it, ld.item(), lg.item(), fd, note)
    if it % 600 == 300 and lg.item() > 0.7: logging.warning("WARNING: generator loss %.2f is above the 0.7 of balance, watch for collapse", lg.item())
logging.info("trained 1800 iterations, best frechet %.4f, sampler in gan.pt", best); torch.save(G.state_dict(), "gan.pt")
"""
JOBS = (
    crate("G1", "tools/train.py", MMDET),
    crate("G1", "ctc_letters.py --max-epoch 9", CTC),
    crate("G1", "diffuse2d.py", DIFFUSE),
    crate("G1", "pack_corpus.py dump.jsonl packed", TOKENIZE, python="system", files={"dump.jsonl": DUMP}),
    crate("G1", "reach_sac.py", CURL, hard=True),
    crate("G1", "search.py", SWEEPER, hard=True),
    crate("G1", "feeders.py", RESPAWN, hard=True),
    crate("G1", "summarise.py", SERVED, hard=True, python="system"),
    crate("G1", "lora_toy.py", LORA),
    crate("G1", "gan_blob.py", ADVERS, hard=True),
)
