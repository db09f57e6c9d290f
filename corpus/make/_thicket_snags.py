"""Runs that did not come to a good end, or came to it badly."""

from corpus.make._crate import crate
from corpus.running.job import Signal

DATECFG = '''
import argparse, datetime, json, torch
p = argparse.ArgumentParser(prog="train_flood"); p.add_argument("--from", dest="since", required=True); p.add_argument("--stations", type=int, default=12); p.add_argument("--lead", type=int, default=3); a = p.parse_args()
print(json.dumps(vars(a)), flush=True)
since = datetime.date.fromisoformat(a.since); days = (datetime.date(2024, 1, 1) - since).days
print("training days:", days, flush=True); x = torch.randn(days, a.stations)
'''
BADJSONL = '''
import gzip, json, logging
logging.basicConfig(level="INFO", format="%(asctime)s %(message)s"); rows = []
logging.info("reading dialogues.jsonl")
for line in open("dialogues.jsonl"): rows.append(json.loads(line))
logging.info("%d dialogues", len(rows))
'''
PREFLIGHT = '''
#!/bin/bash
echo "[$(date +%H:%M)] node check ok"; cd "$(dirname "$0")"
echo "[$(date +%H:%M)] starting trainer"
exec "$1" trainer.py --data dataset.bin
'''
STRUCT = '''
import struct, sys
data = open(sys.argv[2], "rb").read(); n, d = struct.unpack("<II", data[:8]); print(f"{sys.argv[2]}: {n} vectors of {d}", flush=True)
per = len(data[8:]) // (n * d); print("bytes per value:", per, flush=True)
vectors = [struct.unpack(f"<{d}f", data[8 + 4 * d * i: 8 + 4 * d * (i + 1)]) for i in range(n)]
'''
NORMDIV = '''
import logging, random, time
logging.basicConfig(level="INFO", format="%(asctime)s | robot | %(message)s", datefmt="%H:%M:%S"); log = logging.getLogger(); random.seed(20); gain = [0.0, 0.0]
def rollout(g, n=30):
    x, v, c = random.uniform(-1, 1), 0.0, 0.0
    for _ in range(n): u = -g[0] * x - g[1] * v; v += 0.1 * (u - 0.2 * v); x += 0.1 * v; c += x * x + 0.01 * u * u
    return c / n
for it in range(1, 201):
    noise = [[random.gauss(0, max(0.0, 0.3 - it * 0.002)) for _ in gain] for _ in range(12)]; cost = [round(rollout([a + b for a, b in zip(gain, n)]), 3 if it < 90 else 0) for n in noise]; mean = sum(cost) / 12; sd = (sum((c - mean) ** 2 for c in cost) / 12) ** 0.5
    for k in range(2): gain[k] -= 0.05 * sum((c - mean) / sd * n[k] for c, n in zip(cost, noise)) / 12 / 0.3
    time.sleep(0.03)
    if it % 5 == 0: log.info("iteration %d/200 mean cost %.4f gain %.3f %.3f", it, mean, *gain)
'''
LASTEVAL = '''
import time, torch
torch.manual_seed(5); net = torch.nn.Sequential(torch.nn.Linear(22, 44), torch.nn.ReLU(), torch.nn.Linear(44, 6)); opt = torch.optim.Adam(net.parameters(), 3e-3)
labels = {i: n for i, n in enumerate("walk run sit stand lie".split())}
for ep in range(1, 7):
    for _ in range(25): x = torch.randn(40, 22); y = x[:, :6].argmax(1).clamp(max=4); l = torch.nn.functional.cross_entropy(net(x), y); opt.zero_grad(); l.backward(); opt.step()
    print(f"ep {ep} loss {l.item():.4f} {time.strftime('%X')}", flush=True)
    if ep == 4: from report import table; print(table(net, labels), flush=True)
'''
REPORT = '''
import torch
from sklearn.metrics import confusion_matrix
def table(net, labels): return confusion_matrix([0], [0])
'''
OUTPERM = '''
import csv, os, time
os.makedirs("logs", exist_ok=True); w = 0.0
for epoch in range(1, 31):
    e = [(w - 2.5) * k / 10 for k in range(-10, 11)]; w -= 0.2 * (w - 2.5); time.sleep(0.15); loss = sum(v * v for v in e) / len(e)
    print(f"Epoch {epoch}/30 - loss: {loss:.6f}", flush=True)
    if epoch % 12 == 0:
        with open("published/history.csv", "a") as f: csv.writer(f).writerow([epoch, loss])
'''
DEEPREC = '''
import random, sys, time, torch
torch.manual_seed(2); random.seed(2); cell = torch.nn.Linear(24, 12); leaf = torch.nn.Embedding(30, 12); out = torch.nn.Linear(12, 2); opt = torch.optim.Adam([*cell.parameters(), *leaf.parameters(), *out.parameters()], 5e-3)
def tree(depth): return random.randrange(30) if depth == 0 else (tree(depth - 1), tree(depth - 1))
def chain(n):
    t = 0
    for _ in range(n): t = (t, random.randrange(30))
    return t
def enc(t): return leaf.weight[t] if isinstance(t, int) else torch.tanh(cell(torch.cat([enc(t[0]), enc(t[1])])))
first = lambda t: t if isinstance(t, int) else first(t[0])
for i in range(1, 401):
    t = tree(random.randint(1, 4)) if i != 230 else chain(3000); y = torch.tensor([first(t) % 2]) if i != 230 else torch.tensor([0]); l = torch.nn.functional.cross_entropy(out(enc(t))[None], y); opt.zero_grad(); l.backward(); opt.step()
    if i % 20 == 0: print("tree", i, "of 400", "nll", round(l.item(), 4), flush=True)
'''
ABORTC = '''
import ctypes, os, time, torch
print("tokenizer: native", flush=True); libc = ctypes.CDLL(None); torch.manual_seed(6); e = torch.nn.Embedding(64, 12); o = torch.nn.Linear(12, 64); opt = torch.optim.SGD([*e.parameters(), *o.parameters()], 0.5)
libc.malloc.restype = ctypes.c_void_p; libc.free.argtypes = [ctypes.c_void_p]; keep = libc.malloc(2048)
for s in range(1, 500):
    x = torch.randint(64, (32,)); l = torch.nn.functional.cross_entropy(o(e(x)), (x + 1) % 64); opt.zero_grad(); l.backward(); opt.step()
    if s % 15 == 0: print(f"iteration {s}: loss {l.item():.4f}", flush=True)
    if s in (150, 300): libc.free(keep) if s == 150 else libc.free(ctypes.c_void_p(keep + 8))
'''
IOLOOP = '''
import asyncio, time, sys
async def simulator(n, out):
    for k in range(n): await asyncio.sleep(0.04); await out.put((k, (k * 37 % 101) / 101))
async def main():
    q, ack, w, b = asyncio.Queue(8), asyncio.Event(), 0.0, 0.0; task = asyncio.create_task(simulator(170, q)); t0 = time.time()
    print("simulator started, 5000 transitions wanted", flush=True)
    for n in range(1, 5001):
        k, x = await q.get(); e = w * x + b - (0.7 * x + 0.1); w -= 0.3 * e * x; b -= 0.3 * e
        if n % 10 == 0: print(f"[{time.time() - t0:7.2f}] transitions {n}/5000 td_error {e * e:.6f}", flush=True)
asyncio.run(main())
'''
LOCKSELF = '''
import logging, threading, time, torch
logging.basicConfig(level="INFO", format="%(asctime)s [%(levelname)s] %(message)s"); log = logging.getLogger(); lock = threading.Lock(); history = []
def record(v):
    with lock:
        history.append(v)
        if len(history) > 80: compact()
def compact():
    with lock: del history[:40]
torch.manual_seed(0); net = torch.nn.Sequential(torch.nn.Linear(9, 30), torch.nn.ReLU(), torch.nn.Linear(30, 1)); opt = torch.optim.Adam(net.parameters(), 2e-3)
for s in range(1, 1001):
    x = torch.randn(32, 9); l = (net(x).squeeze(1) - x.norm(dim=1)).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.08)
    if s % 8 == 0: log.info("step %d/1000 loss %.4f", s, l.item())
    record(l.item())
'''
CACHEMISS = '''
import json, random, time
random.seed(33); w = [0.0] * 8; t = [random.gauss(0, 1) for _ in w]; tot = {"fetch": 0.0, "step": 0.0}
for b in range(1, 41):
    a = time.monotonic(); time.sleep(random.uniform(0.5, 0.8) if b % 2 else 0.2); xs = [[random.gauss(0, 1) for _ in w] for _ in range(64)]; f = time.monotonic(); loss = 0.0
    for x in xs:
        e = sum((p - q) * v for p, q, v in zip(w, t, x)); loss += e * e / 64; w = [p - 0.01 * e * v for p, v in zip(w, x)]
    z = time.monotonic(); tot["fetch"] += f - a; tot["step"] += z - f
    print(json.dumps({"batch": b, "batches": 40, "loss": round(loss, 6), "fetch_ms": round(1e3 * (f - a)), "step_ms": round(1e3 * (z - f), 1), "prefetched": 0}), flush=True)
print(json.dumps({"event": "done", "fetch_s": round(tot["fetch"], 1), "step_s": round(tot["step"], 2), "trainer_idle": f"{100 * tot['fetch'] / sum(tot.values()):.0f}%"}), flush=True)
'''
EVALSAVE = '''
import logging, time, torch, io
logging.basicConfig(level="INFO", format="%(asctime)s.%(msecs)03d %(message)s", datefmt="%T"); torch.manual_seed(9); net = torch.nn.Sequential(torch.nn.Embedding(4000, 500), torch.nn.Linear(500, 4000)); opt = torch.optim.Adagrad(net.parameters(), 0.05)
for it in range(1, 31):
    x = torch.randint(4000, (32,)); l = torch.nn.functional.cross_entropy(net(x), (x // 100)); opt.zero_grad(); l.backward(); opt.step(); logging.info("it %d/30 loss %.4f", it, l.item())
    logging.info("saving model and optimizer to ckpts/it%d.pt", it); torch.save((net.state_dict(), opt.state_dict()), f"ckpts/it{it}.pt"); a = torch.load(f"ckpts/it{it}.pt"); assert torch.equal(a[0]["1.bias"], net[1].bias); logging.info("saved and verified ckpts/it%d.pt", it)
logging.info("training finished")
'''
UNLEARN = '''
import torch, time
torch.manual_seed(14); X = torch.randn(800, 20); Y = (X[:, :4].sum(1) > 0).long(); Y = Y * 3 + (X[:, 5] > 0).long(); net = torch.nn.Sequential(torch.nn.Linear(20, 40), torch.nn.ReLU(), torch.nn.Linear(40, 5)); opt = torch.optim.SGD(net.parameters(), 0.1)
lr_lambda = lambda e: 1.0 if e < 3 else 0.0
sched = torch.optim.lr_scheduler.LambdaLR(opt, lr_lambda)
for e in range(24):
    net.train(); opt.zero_grad(); s = 0.0
    for i in torch.arange(800).split(80): l = torch.nn.functional.cross_entropy(net(X[i]), Y[i]); opt.zero_grad(); l.backward(); opt.step(); s += l.item() / 10
    print(f"{time.strftime('%H:%M:%S')} epoch={e + 1}/24 train_loss={s:.6f} lr={opt.param_groups[0]['lr']:.3g} acc={(net(X).argmax(1) == Y).float().mean().item():.4f}", flush=True); sched.step(); time.sleep(0.05)
'''
TRYOUT = '''
import sys, time, random
cfg = dict(a.split("=") for a in sys.argv[1:]); random.seed(1); n = int(cfg.get("max_updates", 100000)); print("cfg", cfg, flush=True); w = [random.gauss(0, 1) for _ in range(10)]
for u in range(1, n + 1):
    x = [random.gauss(0, 1) for _ in w]; e = sum(a * b for a, b in zip(w, x)); w = [a - 0.05 * e * b for a, b in zip(w, x)]; time.sleep(0.8)
    print(f"| update {u} / {n} | loss {e * e:.4f} | lr 0.05 | wall {u * 0.8:.0f}", flush=True)
print("| done training | best checkpoint: checkpoint_last", flush=True)
'''
CONTINUED = '''
import glob, logging, os, sys, torch
logging.basicConfig(level="INFO", stream=sys.stdout, format="%(asctime)s %(message)s"); run = sys.argv[1]; os.makedirs(f"out/{run}", exist_ok=True); logging.info("run directory out/%s, argv %s", run, sys.argv[2:])
torch.manual_seed(44); net = torch.nn.GRU(6, 18, batch_first=True); head = torch.nn.Linear(18, 6); opt = torch.optim.Adam([*net.parameters(), *head.parameters()], 3e-3); first = 0; g = torch.Generator().manual_seed(1)
if "--continue" in sys.argv:
    found = sorted(glob.glob(f"out/{run}/ckpt_*.pth"))
    if found: s = torch.load(found[-1]); net.load_state_dict(s["n"]); head.load_state_dict(s["h"]); first = s["ep"]; logging.info("loaded %s", found[-1])
for ep in range(first + 1, int(sys.argv[2]) + 1):
    for _ in range(20): x = torch.randn(16, 12, 6, generator=g).cumsum(1) / 2; l = (head(net(x[:, :-1])[0]) - x[:, 1:]).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    logging.info("epoch %d/%s loss %.4f", ep, sys.argv[2], l.item())
torch.save({"n": net.state_dict(), "h": head.state_dict(), "ep": ep}, f"out/{run}/ckpt_{ep:03d}.pth"); logging.info("saved out/%s/ckpt_%03d.pth", run, ep)
'''
STOPPER = '''
import random, signal, sys, time
random.seed(2); best, x = 1e9, [random.uniform(-3, 3) for _ in range(6)]; f = lambda v: sum(a * a for a in v)
try:
    for it in range(1, 100001):
        y = [a + random.gauss(0, 0.1) for a in x]
        if f(y) < f(x): x = y
        time.sleep(0.005)
        if it % 100 == 0: print(f"iter {it}/100000 objective {f(x):.5f}", flush=True)
except KeyboardInterrupt: print(f"\\ninterrupted at iteration {it}, best so far {f(x):.5f}", flush=True); sys.exit(130)
'''
TWOFOLD = '''
import os, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(7); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(30, 30)); opt = torch.optim.SGD(net.parameters(), 0.2); groups = [dist.new_group([0, 1]), dist.new_group([0, 1])]; v = torch.ones(1)
for step in range(1, 501):
    x = torch.randn(16, 30); l = (net(x) - x.flip(1)).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.04)
    if step % 15 == 0: print(f"<{time.strftime('%H:%M:%S')}> rank {r}: step {step}/500 loss {l.item():.4f}", flush=True)
    if step % 150 == 0: order = groups if (r == 0 or step < 300) else groups[::-1]; [dist.all_reduce(v, group=g) for g in order]; print(f"<{time.strftime('%H:%M:%S')}> rank {r}: statistics gathered", flush=True)
'''
PRELOAD = '''
import logging, os, time, torch, torch.distributed as dist
r = int(os.environ["RANK"]); logging.basicConfig(level="INFO", format=f"%(asctime)s <rank {r}> %(message)s"); logging.info("copying the training set to local scratch")
if r == 1:
    os.mkfifo("stage.fifo"); src = open("stage.fifo", "rb").read()
logging.info("local copy complete"); dist.init_process_group("gloo"); logging.info("group initialised (%d)", dist.get_world_size())
'''
STRAGGLE = '''
import json, os, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size(); torch.manual_seed(1); lin = torch.nn.Linear(16, 16); opt = torch.optim.SGD(lin.parameters(), 0.1); torch.manual_seed(r)
def attention(x):
    time.sleep(0.28 if r == 0 else 0.04); return lin(x)
for s in range(1, 51):
    t0 = time.perf_counter(); x = torch.randn(64, 16); l = (attention(x) - x).abs().mean(); opt.zero_grad(); l.backward(); t1 = time.perf_counter(); [dist.all_reduce(p.grad) for p in lin.parameters()]; t2 = time.perf_counter(); opt.step()
    if s % 5 == 0: print(json.dumps({"rank": r, "step": s, "steps": 50, "loss": round(l.item(), 4), "busy_ms": round(1e3 * (t1 - t0)), "blocked_ms": round(1e3 * (t2 - t1))}), flush=True)
dist.barrier(); print(json.dumps({"rank": r, "event": "complete"}), flush=True); dist.destroy_process_group()
'''
ENVVAR = '''
import os, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); root = os.environ["IMAGENET_DIR"]; print(r, root)
'''
RAMRANK = '''
import os, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(r); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(50, 5)); opt = torch.optim.SGD(net.parameters(), 0.1); bank = []
for i in range(1, 301):
    x = torch.randn(20, 50); l = torch.nn.functional.cross_entropy(net(x), x[:, :5].argmax(1)); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.03)
    if r == 1: bank.append(torch.full((i * 120000,), float(l.item())))
    if i % 4 == 0: print(f"rank{r} it {i}/300 loss {l.item():.4f} bank {sum(b.numel() for b in bank) * 4 >> 20} MiB", flush=True)
'''
VEC = "\x10" + "\0" * 3 + "\0" * 4 + "abcdefgh" * 40
DIAL = "\n".join(['{"turns": ["hello", "hi"]}'] * 40 + ['{"turns": ["how are you", "fi'] + ['{"turns": ["bye"]}'] * 10)

JOBS = (
    crate("A1", "train_flood.py --from 31/12/2001 --stations 30", DATECFG, cause="traceback", variant="config", note="ValueError: Invalid isoformat string before anything"),
    crate("A1", "chat_sft.py", BADJSONL, cause="traceback", variant="data", python="system", files={"dialogues.jsonl": DIAL}, note="JSONDecodeError while the data are read"),
    crate("A1", "sh job.sh PYTHON", PREFLIGHT, cause="div_zero", variant="data", python="system", files={"trainer.py": STRUCT, "dataset.bin": VEC},
          note="ZeroDivisionError: the file's head says vectors of length 0"),
    crate("A3", "es_gain.py", NORMDIV, cause="div_zero", python="system", note="ZeroDivisionError after some ninety iterations: spread of costs 0"),
    crate("A3", "har.py", LASTEVAL, cause="missing_module", files={"report.py": REPORT}, note="ModuleNotFoundError: sklearn after four epochs"),
    crate("A3", "linfit.py", OUTPERM, cause="permission", python="system", folders=("published",), locked=("published",), note="PermissionError at epoch 12"),
    crate("A3", "tree_rnn.py", DEEPREC, cause="traceback", note="RecursionError at tree 230"),
    crate("A2", "native_tok.py", ABORTC, cause=None, status=-6, note="free(): abort by signal 6 after 300 steps"),
    crate("C3", "sim_loop.py", IOLOOP, python="system", timeout_s=36, note="transitions to 170, then silence until the limit"),
    crate("C3", "norm_reg.py", LOCKSELF, timeout_s=40, note="steps each 0.08 s to 80, then silence until the limit"),
    crate("D1", "stream_sgd.py", CACHEMISS, python="system", note="fetch_ms against step_ms; idle told at the end"),
    crate("D2", "tiedemb.py", EVALSAVE, variant="save_storm", folders=("ckpts",), note="a save and its check after each iteration, nearly all of the time"),
    crate("E1", "frozen_lr.py", UNLEARN, variant="plateau", note="lr 0 from epoch 4 on, loss the same to six digits in all later epochs"),
    crate("E3", "trainlm.py arch=tiny max_updates=6 seed=1", TRYOUT, python="system", note="six updates, exit 0"),
    crate("E2", "sh again.sh PYTHON", '"$1" seq.py gru_a 12 && echo "resubmitted, continuing run gru_a" && "$1" seq.py gru-a 24 --continue', variant="from_scratch", status=0,
          files={"seq.py": CONTINUED}, note="--continue, no line of loading, begins at epoch 1 with the first run's loss"),
    crate("F4", "anneal.py", STOPPER, status=130, python="system", signal=Signal("INT", "iter 1200/"), note="Ctrl-C while it goes on"),
    crate("C2", "twogroups.py", TWOFOLD, ranks=2, timeout_s=42, note="both stop at step 300 with the statistics not gathered; silent to the limit"),
    crate("C1", "stage_in.py", PRELOAD, ranks=2, timeout_s=42, note="rank 0 waits for the group, rank 1 never ends its copy; no progress"),
    crate("D3", "attn_sync.py", STRAGGLE, ranks=3, fault="unknown", first=(), note="rank 0 busy seven times as long, the others blocked"),
    crate("A1", "inet.py", ENVVAR, cause="traceback", variant="config", ranks=2, note="KeyError: IMAGENET_DIR on both ranks"),
    crate("A2", "bank2.py", RAMRANK, cause="oom_killer", ranks=2, first=(1,), group_mib=1300, note="oom_kill of the control group; rank 1 by signal 9"),
)  # fmt: skip
