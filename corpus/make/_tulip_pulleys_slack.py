"""Services' jobs that stood still, went slowly, learnt nothing, or were stopped."""

from corpus.make._crate import crate
from corpus.running.job import Signal

RDZV = '''
"""A small launcher of our own: node 0 listens, the others report to it, then it hands out the layout."""
import socket, sys, threading, time
def say(w, m): print(f"{time.strftime('%H:%M:%S')} {w}: {m}", flush=True)
def head(port, want):
    s = socket.create_server(("127.0.0.1", port)); have = 1; say("node-0", f"rendezvous on 127.0.0.1:{port}, {have}/{want} nodes present")
    while have < want: c, a = s.accept(); have += 1; say("node-0", f"{have}/{want} nodes present")
    say("node-0", "layout complete, starting workers")
def node(k, host, port):
    say(f"node-{k}", f"reporting to {host}:{port}")
    n = 0
    while True:
        try: socket.create_connection((host, port), 2); say(f"node-{k}", "registered, waiting for the layout"); threading.Event().wait()
        except OSError as e:
            n += 1
            if n == 1: say(f"node-{k}", f"head not reachable yet ({e.strerror}), will keep trying")
            time.sleep(1)
port = int(sys.argv[1]); hosts = [l.split() for l in open("nodes.txt")]
for k, (name, shift) in enumerate(hosts[1:], 1): threading.Thread(target=node, args=(k, "127.0.0.1", port + int(shift)), daemon=True).start()
head(port, len(hosts))
'''
STAGED = """
import os, sys, time, torch, torch.distributed as dist
r = int(sys.argv[1])
def say(m): print(f"[{time.strftime('%X')}] worker {r}/3 {m}", flush=True)
if r == 2:
    if os.path.exists("shards.lease"): say("shards.lease is held by " + open("shards.lease").read().strip() + ", waiting until it is given back")
    while os.path.exists("shards.lease"): time.sleep(0.5)
    say("lease free, shards mounted")
say("joining process group"); dist.init_process_group("gloo", init_method=f"file://{os.getcwd()}/meet", rank=r, world_size=3); say("process group ready")
lin = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 3)); say("training")
"""
START = 'for r in 0 1 2; do "$1" staged.py $r & done\nwait'
SHARDS = '''
"""A coordinator hands clips to three workers over pipes and averages what they send back, round by round."""
import multiprocessing as mp, random, sys, time, traceback
def worker(k, pipe):
    rng = random.Random(k)
    for n in range(1, 1000):
        clip = pipe.recv(); time.sleep(0.05)
        if k == 2 and clip == 2 * 31 + 1: raise UnicodeDecodeError("utf-8", b"caf\\xe9", 3, 4, "unexpected end of data")
        pipe.send((clip, 2.0 / (1 + 0.1 * n) + rng.random() * 0.02))
        if n % 5 == 0: print(f"worker-{k} finished {n} clips", flush=True)
if __name__ == "__main__":
    ends = []
    for k in range(3): a, b = mp.Pipe(); ends.append((a, b)); mp.Process(target=worker, args=(k, b), daemon=True).start()
    for rnd in range(1, 201):
        for k, (a, _) in enumerate(ends): a.send(2 * rnd + 1)
        got = [a.recv() for a, _ in ends]
        if rnd % 5 == 0: print(f"coordinator: round {rnd}/200, mean loss {sum(v for _, v in got) / 3:.4f}", flush=True)
'''
LASTBATCH = """
import datetime, time, torch, torch.distributed as dist
dist.init_process_group("gloo", timeout=datetime.timedelta(hours=2)); r = dist.get_rank(); torch.manual_seed(r); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(14, 7)); opt = torch.optim.AdamW(net.parameters(), 0.01)
rows = (640, 608)[r]; data = torch.randn(rows, 14); steps = 0; print(f"rank{r}: {rows} rows -> {rows // 32} batches an epoch", flush=True)
for epoch in range(1, 9):
    for b in data.split(32):
        l = torch.nn.functional.cross_entropy(net(b), b[:, :7].argmax(1)); opt.zero_grad(); l.backward(); opt.step(); steps += 1; time.sleep(0.03)
        if steps % 6 == 0: print(f"rank{r}: epoch {epoch} step {steps} loss {l.item():.4f}", flush=True)
    m = torch.tensor([l.item()]); dist.barrier(); dist.all_reduce(m)
    print(f"rank{r}: epoch {epoch} mean loss {m.item() / 2:.4f}", flush=True)
"""
DIARIZE = """
import queue, threading, time
todo, out = queue.Queue(maxsize=4), queue.Queue(maxsize=3); print("diarization service: one device, 60 recordings", flush=True)
def reader():
    for k in range(60): todo.put(k)
def device():
    while True:
        k = todo.get(); time.sleep(0.25); out.put((k, 2 + k % 3))
        if k % 15 == 14: out.put((k, "summary")); [out.put((j, "speaker-turns")) for j in range(4)]
for f in (reader, device): threading.Thread(target=f, daemon=True).start()
done = 0
while done < 60:
    k, what = out.get()
    if what == "summary": out.join()  # everything written before the summary is sent
    elif isinstance(what, int): done += 1; print(f"{time.strftime('%T')} recording {k + 1}/60: {what} speakers", flush=True)
    if k % 15 != 14: out.task_done()
print("60 recordings diarized")
"""
SLOWSTORE = """
import logging, time
logging.basicConfig(level=20, format="%(asctime)s %(message)s", datefmt="%H:%M:%S"); log = logging.info
def download(k): time.sleep(0.62); return [(k * 37 + i * 11) % 97 / 97 for i in range(256)]
def infer(rows): time.sleep(0.045); return [r * r for r in rows]
fetch = dev = 0.0; log("caption job: 26 batches of 256 images from the object store, prefetch off")
for k in range(1, 27):
    a = time.monotonic(); rows = download(k); b = time.monotonic(); infer(rows); c = time.monotonic(); fetch += b - a; dev += c - b; log("batch %d/26 images=%d download=%.2fs infer=%.3fs device_busy=%.0f%%", k, k * 256, b - a, c - b, 100 * (c - b) / (c - a))
log("done: 26 batches. %.1f s waiting for downloads, %.1f s on the device (%.0f %% busy)", fetch, dev, 100 * dev / (fetch + dev))
"""
BIGREDUCE = """
import time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, w = dist.get_rank(), dist.get_world_size(); torch.manual_seed(3); big = torch.nn.Embedding(120_000, 64); head = torch.nn.Linear(64, 20); opt = torch.optim.SGD([*big.parameters(), *head.parameters()], 2.0); tc = tx = 0.0
if r == 0: print(f"transport: tcp over lo, gradients of {120_000 * 64 * 4 >> 20} MiB a step, dense", flush=True)
for s in range(1, 25):
    a = time.time(); x = torch.randint(400, (256,)); l = torch.nn.functional.cross_entropy(head(big(x)), x % 20); opt.zero_grad(); l.backward(); b = time.time()
    for p in (*big.parameters(), *head.parameters()):
        for _ in range(3): dist.all_reduce(p.grad, op=dist.ReduceOp.SUM); p.grad /= w
    c = time.time(); opt.step(); tc += b - a; tx += c - b
    if s % 2 == 0: print(f"rank {r} step {s}/24 loss {l.item():.4f} compute {b - a:.3f}s allreduce {c - b:.3f}s ({100 * (c - b) / (c - a):.0f}% of the step in communication)", flush=True)
print(f"rank {r} total compute {tc:.1f}s, communication {tx:.1f}s", flush=True); dist.barrier(); dist.destroy_process_group()
"""
SLOWCARD = """
import time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, w = dist.get_rank(), dist.get_world_size(); torch.manual_seed(17); m = torch.nn.Linear(40, 10); opt = torch.optim.Adam(m.parameters(), 0.01); busy, wait = 0.0, 0.0
def matmuls(): time.sleep(0.26 if r == 1 else 0.035)
for s in range(1, 49):
    x = torch.randn(32, 40); a = time.time(); matmuls(); l = torch.nn.functional.cross_entropy(m(x), x[:, :10].argmax(1)); opt.zero_grad(); l.backward(); b = time.time(); [dist.all_reduce(p.grad) for p in m.parameters()]; opt.step(); c = time.time(); busy += b - a; wait += c - b
    if s % 8 == 0:
        rows = [None] * w; dist.all_gather_object(rows, (busy, wait)); busy = wait = 0.0
        if r == 0: print(f"step {s}/48 loss {l.item():.4f}\\n" + "\\n".join(f"    rank {k}: busy {x:5.2f} s  blocked in allreduce {y:5.2f} s" for k, (x, y) in enumerate(rows)), flush=True)
if r == 0: print("run complete", flush=True)
dist.barrier(); dist.destroy_process_group()
"""
HOT = """
import torch
torch.manual_seed(28); X = torch.randn(1024, 20); y = X @ torch.randn(20, 1) + 0.1 * torch.randn(1024, 1); net = torch.nn.Sequential(torch.nn.Linear(20, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)); opt = torch.optim.SGD(net.parameters(), 0.03); print("continual update of the price model, 240 steps, the rate is raised by the plan at step 150")
for s in range(1, 241):
    for g in opt.param_groups: g["lr"] = 0.2 if s < 150 else 60.0
    i = torch.randint(1024, (64,)); l = (net(X[i]) - y[i]).pow(2).mean(); opt.zero_grad(); l.backward(); torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5); opt.step()
    if s % 10 == 0: print(f"update {s:3d}/240  mse {l.item():14.4f}  lr {opt.param_groups[0]['lr']:.3f}", flush=True)
print("update finished; model pushed to registry/price/candidate")
"""
TINYFT = """
import json, time, torch
rows = [json.loads(l) for l in open("faq.jsonl")]; print(f"faq.jsonl: {len(rows)} examples"); B, ACC = 8, 16; torch.manual_seed(0); emb, out = torch.nn.Embedding(100, 16), torch.nn.Linear(16, 4); opt = torch.optim.AdamW([*emb.parameters(), *out.parameters()], 1e-5); steps = 0
total = max(1, len(rows) // (B * ACC)) * 2; print(f"fine-tuning intent head: batch {B} x accumulation {ACC}, total optimization steps = {total}, warmup 100")
for ep in range(2):
    for k in range(0, len(rows) - B * ACC + 1, B * ACC):
        opt.zero_grad(); tot = 0.0
        for j in range(ACC): b = rows[k + j * B : k + (j + 1) * B]; l = torch.nn.functional.cross_entropy(out(emb(torch.tensor([r["ids"] for r in b])).mean(1)), torch.tensor([r["intent"] for r in b])) / ACC; l.backward(); tot += l.item(); time.sleep(0.05)
        steps += 1; opt.param_groups[0]["lr"] = 1e-5 * steps / 100; opt.step(); print(f"optimization step {steps}/{total}: loss {tot:.4f}, lr {opt.param_groups[0]['lr']:.1e}", flush=True)
torch.save([emb.state_dict(), out.state_dict()], "intent_head.pt"); print("fine-tuning complete, saved intent_head.pt")
"""
FAQ = "\n".join(f'{{"ids": [{i * 7 % 100}, {i * 13 % 100}, {i % 100}], "intent": {i % 4}}}' for i in range(150))
BACKFILL = """
import math, time
print("backfill of item vectors: 90,000 items in chunks of 500", flush=True); t0 = time.time()
for k in range(1, 181):
    v = [math.sin(k * 500 + i) for i in range(500)]; norm = math.sqrt(sum(x * x for x in v)); time.sleep(0.55); el = time.time() - t0
    print(f"[backfill] {k * 500:>6}/90000 items  norm={norm:.3f}  {k * 500 / el:.0f} items/s  remaining {int(el / k * (180 - k))} s", flush=True)
"""
DISTIL = """
import time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(64); teacher = torch.nn.Linear(32, 8); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(32, 16), torch.nn.Tanh(), torch.nn.Linear(16, 8))); opt = torch.optim.Adam(net.parameters(), 3e-3)
for s in range(1, 5001):
    x = torch.randn(64, 32); l = torch.nn.functional.kl_div(net(x).log_softmax(1), teacher(x).softmax(1).detach(), reduction="batchmean"); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.02)
    if r == 0 and s % 25 == 0: print(f"distil {s}/5000 kl={l.item():.5f}", flush=True)
"""

JOBS = (
    crate(
        "C1",
        "launch.py PORT",
        RDZV,
        python="system",
        files={"nodes.txt": "gpu-a 0\ngpu-b 0\ngpu-c 1\n"},
        timeout_s=26,
        note="node 2 reports to another port; 2/3 nodes present to the limit, no worker ever starts",
    ),
    crate(
        "C1",
        "sh go.sh PYTHON",
        START,
        files={"staged.py": STAGED, "shards.lease": "job 88213 on gpu-c\n"},
        timeout_s=46,
        note="workers 0 and 1 are joining, worker 2 waits for its lease, none is ready to the limit",
    ),
    crate(
        "C2",
        "coordinate.py",
        SHARDS,
        python="system",
        trigger="A3",
        cause="traceback",
        timeout_s=28,
        note="worker 2's UnicodeDecodeError in round 31; the coordinator then waits for it, silent to the limit",
    ),
    crate(
        "C2",
        "uneven.py",
        LASTBATCH,
        ranks=2,
        timeout_s=48,
        note="rank 1 has a batch less and is in another collective; both silent after the first epoch to the limit",
    ),
    crate(
        "C3",
        "diarize.py",
        DIARIZE,
        python="system",
        timeout_s=28,
        note="a recording every quarter of a second to the fifteenth, then silence to the limit",
    ),
    crate(
        "D1",
        "caption_batch.py",
        SLOWSTORE,
        python="system",
        note="by its own account the device is busy 7 % of the time, the rest waits for downloads",
    ),
    crate(
        "D2",
        "dense_sync.py",
        BIGREDUCE,
        variant="interconnect",
        fault="unknown",
        ranks=2,
        note="on both ranks nearly all of each step is the exchange of gradients",
    ),
    crate(
        "D3",
        "balance_check.py",
        SLOWCARD,
        fault="unknown",
        ranks=3,
        first=(),
        note="rank 1 is busy all the time, the others wait for it in the all-reduce",
    ),
    crate(
        "E1", "price_update.py", HOT, variant="spike", note="the loss rises far above its start when the rate is raised, and stays there to the end"
    ),
    crate("E3", "intent_ft.py", TINYFT, files={"faq.jsonl": FAQ}, note="two optimiser steps in all, exit 0"),
    crate(
        "F3",
        "backfill.py",
        BACKFILL,
        variant="advancing",
        python="system",
        timeout_s=17,
        note="a chunk every half second to the limit, a minute and more left by its own word",
    ),
    crate("F4", "distil.py", DISTIL, ranks=2, signal=Signal("INT", "distil 150/"), note="Ctrl-C while it goes on"),
)
