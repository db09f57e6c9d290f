"""Services' jobs that did what they were to do, some of them with alarming words on the way."""

from corpus.make._crate import crate

EMBED = """
import json, sys, time, torch
def log(**kw): print(json.dumps({"ts": round(time.time(), 3), "svc": "embedder", **kw}), flush=True)
docs = [f"ticket {i}: the {('printer', 'laptop', 'badge', 'vpn')[i % 4]} on floor {i % 9} does not {('start', 'connect', 'open')[i % 3]}" for i in range(3200)]
log(level="info", msg="model loaded", dim=96, params=64 * 96); torch.manual_seed(0); table = torch.randn(4096, 96)
def encode(batch): ids = [[hash(w) % 4096 for w in d.split()] for d in batch]; time.sleep(0.05); return torch.stack([table[i].mean(0) for i in ids])
out, t0 = [], time.time()
for k in range(0, len(docs), 64):
    v = torch.nn.functional.normalize(encode(docs[k : k + 64]), dim=1); out.append(v)
    if (k // 64) % 5 == 4: log(level="info", msg="progress", done=k + 64, total=len(docs), docs_per_s=round((k + 64) / (time.time() - t0), 1), mean_norm=round(v.norm(dim=1).mean().item(), 4))
torch.save(torch.cat(out), "tickets.f32.pt"); log(level="info", msg="written", file="tickets.f32.pt", rows=len(docs), failed=0); log(level="info", msg="job complete", seconds=round(time.time() - t0, 1))
"""
RERANK = """
import os, time, torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
def main():
    dist.init_process_group("gloo"); r, w = dist.get_rank(), dist.get_world_size(); torch.manual_seed(40)
    q, d = torch.randn(512, 24), torch.randn(512, 24); y = ((q * d).sum(1) > 0).float(); net = DDP(torch.nn.Sequential(torch.nn.Linear(72, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))); opt = torch.optim.AdamW(net.parameters(), 4e-3)
    mine = torch.arange(r, 512, w); f = lambda i: net(torch.cat([q[i], d[i], q[i] * d[i]], 1)).squeeze(1)
    if r == 0: print(f"reranker: {w} workers, {len(mine)} pairs each", flush=True)
    for epoch in range(1, 16):
        t, s = time.time(), torch.zeros(2)
        for i in mine[torch.randperm(len(mine))].split(32): o = f(i); l = torch.nn.functional.binary_cross_entropy_with_logits(o, y[i]); opt.zero_grad(); l.backward(); opt.step(); s += torch.tensor([l.item() * len(i), ((o > 0) == (y[i] > 0)).sum().item()])
        dist.all_reduce(s); s /= 512
        if r == 0: print(f"[reranker] epoch={epoch}/15 bce={s[0]:.4f} pair_acc={s[1]:.3f} took={time.time() - t:.2f}s", flush=True)
    if r == 0: torch.save(net.module.state_dict(), "reranker.pt"); print("[reranker] exported to reranker.pt, all epochs done", flush=True)
    dist.destroy_process_group()
main()
"""
ADAPTER = """
import torch
torch.manual_seed(6); V, D, R = 50, 32, 4; base = torch.nn.Linear(D, V); base.requires_grad_(False); emb = torch.nn.Embedding(V, D).requires_grad_(False); A, B = torch.nn.Parameter(torch.randn(R, D) / 8), torch.nn.Parameter(torch.zeros(V, R))
print(f"trainable params: {A.numel() + B.numel():,} || all params: {sum(p.numel() for m in (base, emb) for p in m.parameters()) + A.numel() + B.numel():,} || trainable%: {100 * (A.numel() + B.numel()) / (V * D * 2 + V + A.numel() + B.numel()):.4f}")
opt = torch.optim.AdamW([A, B], 2e-2); N = 200; sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1, (s + 1) / 20) * (1 - s / N))
run = 0.0
for s in range(1, N + 1):
    x = torch.randint(V, (64,)); y = (x * 7 + 3) % V; h = emb(x); l = torch.nn.functional.cross_entropy(base(h) + 4 * h @ A.T @ B.T, y); opt.zero_grad(); l.backward(); g = torch.nn.utils.clip_grad_norm_([A, B], 1.0); opt.step(); sched.step(); run += l.item()
    if s % 10 == 0: print({"loss": round(run / 10, 4), "grad_norm": round(g.item(), 4), "learning_rate": sched.get_last_lr()[0], "epoch": round(s / N * 2, 2)}, flush=True); run = 0.0
torch.save({"A": A, "B": B}, "adapter.bin"); print({"train_steps": N, "final": round(l.item(), 4)}); print("Adapter saved to adapter.bin")
"""
SPEECH = '''
"""Transcribes the clips of a call centre's day; the decoder is a stand-in that takes a tenth of the clip's length."""
import random, time
random.seed(19); WORDS = "please hold the line while i look for your order number and thank you for waiting".split(); clips = [(f"call_{k:04d}.wav", random.uniform(2.0, 7.0)) for k in range(24)]
total = sum(s for _, s in clips); print(f"24 clips, {total / 60:.1f} minutes of audio, beam 5, language en"); t0 = time.time(); wrong = words = 0
for k, (name, sec) in enumerate(clips, 1):
    t = time.time(); ref = [random.choice(WORDS) for _ in range(int(sec * 2))]; hyp = [w if random.random() > 0.06 else random.choice(WORDS) for w in ref]; time.sleep(sec * 0.08); e = sum(a != b for a, b in zip(ref, hyp)); wrong += e; words += len(ref)
    print(f"{k:2d}/24  {name}  {sec:4.1f}s audio  rtf {(time.time() - t) / sec:.3f}  wer {100 * e / len(ref):4.1f} %  \\"{' '.join(hyp[:5])}...\\"", flush=True)
print(f"transcribed all 24 clips in {time.time() - t0:.1f} s (rtf {(time.time() - t0) / total:.3f}), wer {100 * wrong / words:.2f} %")
'''
RETRIES = """
import http.server, json, logging, math, threading, time, urllib.error, urllib.request
logging.basicConfig(level="INFO", format="%(asctime)s %(levelname)-8s %(threadName)s %(message)s"); log = logging.getLogger()
class Store(http.server.BaseHTTPRequestHandler):
    hits = 0
    def log_message(self, *a): pass
    def do_GET(self):
        Store.hits += 1
        if Store.hits % 7 in (3, 4): self.send_error(503, "Slow Down"); return
        body = json.dumps([math.sin(int(self.path[1:]) * 50 + i) for i in range(50)]).encode(); self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers(); self.wfile.write(body)
srv = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Store); threading.Thread(target=srv.serve_forever, daemon=True).start()
def fetch(k):
    for attempt in range(1, 6):
        try: return json.load(urllib.request.urlopen(f"http://127.0.0.1:{srv.server_port}/{k}", timeout=5))
        except urllib.error.HTTPError: log.error("GET part %d failed (attempt %d/5), backing off %.2f s", k, attempt, 0.1 * attempt, exc_info=True); time.sleep(0.1 * attempt)
    raise SystemExit(f"part {k} not readable")
done, retried = 0, 0
for k in range(1, 21):
    rows = fetch(k); time.sleep(0.12); scores = [1 / (1 + math.exp(-3 * v)) for v in rows]; done += len(scores); log.info("scored part %d of 20: %d rows so far, mean score %.4f", k, done, sum(scores) / len(scores))
log.info("bulk scoring finished: 20 parts, %d rows, 0 parts lost", done)
"""
ELASTIC = """
import os, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); tries = int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")); torch.manual_seed(15); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(18, 6)); opt = torch.optim.SGD(net.parameters(), 0.3); first = 1
if os.path.exists("snap.pt"): c = torch.load("snap.pt"); net.load_state_dict(c["net"]); first = c["epoch"] + 1; print(f"rank {r}: restart {tries}, picked up snapshot of epoch {c['epoch']}", flush=True)
for ep in range(first, 25):
    for _ in range(10): x = torch.randn(48, 18); l = torch.nn.functional.cross_entropy(net(x), x[:, :6].argmax(1)); opt.zero_grad(); l.backward(); opt.step()
    if r == 0: torch.save({"net": net.state_dict(), "epoch": ep}, "snap.tmp"); os.replace("snap.tmp", "snap.pt"); print(f"epoch {ep}/24 done, loss {l.item():.4f}", flush=True)
    dist.barrier()
    if ep == 10 and tries == 0 and r == 1: raise ConnectionResetError("metadata service closed the connection")
if r == 0: print(f"all 24 epochs complete after {tries} restart(s)", flush=True)
dist.destroy_process_group()
"""
QUANT = """
import sys, warnings, torch
torch.manual_seed(2); net = torch.nn.Sequential(torch.nn.Linear(128, 256), torch.nn.GELU(), torch.nn.Linear(256, 256), torch.nn.GELU(), torch.nn.Linear(256, 10)); x = torch.randn(256, 128); ref = net(x).detach()
print("exporting ranker-v7 to int8"); q = torch.nn.Sequential(*net)
for name, m in list(net.named_modules()):
    if isinstance(m, torch.nn.Linear):
        s = m.weight.abs().amax(1, keepdim=True) / 127; w = (m.weight / s).round().clamp(-127, 127); print(f"  {name}.weight {tuple(m.weight.shape)}: nan_count=0 inf_count=0 saturated={(w.abs() == 127).float().mean().item():.4%} max_err={((w * s) - m.weight).abs().max().item():.2e}"); m.weight.data = w * s
    elif name and not isinstance(m, torch.nn.Sequential): print(f"WARNING: no int8 kernel for {type(m).__name__} ({name}), falling back to float", file=sys.stderr)
warnings.warn("calibration set has only 256 rows; ranges may be off", RuntimeWarning)
try: torch._C._nonesuch_backend
except AttributeError as e: print(f"ERROR while probing backend 'qnnpack-next': {e} (ignored, using default)", file=sys.stderr)
d = (net(x) - ref).abs(); print(f"check: max abs diff {d.max().item():.4f}, top-1 agreement {(net(x).argmax(1) == ref.argmax(1)).float().mean().item():.4f}, errors: 0, failed rows: 0"); torch.save(net.state_dict(), "ranker-v7.int8.pt"); print("export finished: ranker-v7.int8.pt")
"""
SERVER = """
import http.server, json, signal, sys, threading, time
class H(http.server.BaseHTTPRequestHandler):
    def log_message(self, *a): pass
    def do_POST(self):
        n = json.loads(self.rfile.read(int(self.headers["Content-Length"]))); time.sleep(0.03); S.served += 1
        out = json.dumps({"label": max(n, key=n.get)}).encode(); self.send_response(200); self.send_header("Content-Length", str(len(out))); self.end_headers(); self.wfile.write(out)
        if S.served % 50 == 0: print(f"[server] {S.served} requests served, p50 31 ms, queue 0", flush=True)
class S(http.server.ThreadingHTTPServer): served = 0
s = S(("127.0.0.1", int(sys.argv[1])), H)
def stop(n, f): print(f"[server] received signal {n} (SIGTERM), draining; pending 0, served {S.served}", flush=True); threading.Thread(target=s.shutdown).start()
signal.signal(signal.SIGTERM, stop); print("[server] model warm, listening on", s.server_address, flush=True); s.serve_forever(); print("[server] shut down in an orderly way", flush=True)
"""
CLIENT = """
import json, random, sys, time, urllib.request
random.seed(1); url = f"http://127.0.0.1:{sys.argv[1]}/classify"; hit = 0
for a in range(50):
    try: urllib.request.urlopen(urllib.request.Request(url, b'{"up": 1}'), timeout=2).read(); break
    except OSError as e: print(f"[client] waiting for server: {e}", flush=True); time.sleep(0.3)
for k in range(1, 201):
    truth = random.choice("abc"); p = {c: random.random() + (0.8 if c == truth else 0) for c in "abc"}; hit += json.load(urllib.request.urlopen(urllib.request.Request(url, json.dumps(p).encode()), timeout=5))["label"] == truth
    if k % 40 == 0: print(f"[client] {k}/200 requests answered, accuracy {hit / k:.3f}", flush=True)
print("[client] replay over: 200 of 200 answered, 0 timeouts", flush=True)
"""
REPLAY = '"$1" server.py "$2" &\nS=$!\n"$1" client.py "$2" || exit 1\necho "replay done, stopping server $S"\nkill -TERM $S\nwait $S\necho "server exit code $?"'

JOBS = (
    crate("G1", "embed_tickets.py", EMBED),
    crate("G1", "train_reranker.py", RERANK, ranks=2),
    crate("G1", "adapter_ft.py", ADAPTER),
    crate("G1", "transcribe.py", SPEECH, python="system"),
    crate("G1", "bulk_score.py", RETRIES, python="system", hard=True, note="503s with tracebacks, each retried; 20 of 20 parts scored"),
    crate(
        "G1",
        "sh elastic.sh PORT",
        'exec torchrun --nproc-per-node=2 --max-restarts=2 --master-port="$1" snap_train.py',
        files={"snap_train.py": ELASTIC},
        hard=True,
        status=0,
        note="rank 1 fails after epoch 10, torchrun restarts the group, it goes on from the snapshot to the planned end, exit 0",
    ),
    crate("G1", "export_int8.py", QUANT, hard=True, note="warnings, an ignored error, counts of zero; the export is finished"),
    crate(
        "G1",
        "sh replay.sh PYTHON PORT",
        REPLAY,
        python="system",
        files={"server.py": SERVER, "client.py": CLIENT},
        hard=True,
        note="the server is stopped by SIGTERM on purpose once all 200 requests were answered, exit 0",
    ),
)
