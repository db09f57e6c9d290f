"""Several ranks that wait for each other, drag on, learn nothing, or were too short or too long."""

from corpus.make._crate import crate

JOIN4 = """
import datetime, os, time, torch, torch.distributed as dist
r, n = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]); t = time.time()
print(f"[{datetime.datetime.now():%H:%M:%S}] process {r}/{n} joining tcp://{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}", flush=True)
dist.init_process_group("gloo", init_method="env://"); print(f"process {r}: group complete after {time.time() - t:.1f} s", flush=True)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(10, 10)); opt = torch.optim.SGD(net.parameters(), 0.1)
for i in range(200): l = net(torch.randn(8, 10)).pow(2).mean(); l.backward(); opt.step(); print(i, l.item(), flush=True)
"""
FILEINIT = """
import argparse, logging, torch, torch.distributed as dist
p = argparse.ArgumentParser(); p.add_argument("--id", type=int); p.add_argument("--of", type=int); p.add_argument("--meet"); a = p.parse_args()
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s worker-{a.id} %(message)s"); log = logging.getLogger()
log.info("hyperparameters: dim=256 heads=4 layers=6 lr=3e-4"); log.info("waiting for %d workers at %s", a.of, a.meet)
dist.init_process_group("gloo", init_method=f"file://{a.meet}", rank=a.id, world_size=a.of); log.info("all workers met")
m = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 2))
for s in range(100): m(torch.randn(4, 8)).sum().backward(); log.info("step %d", s)
"""
COMMID = """
import datetime, os, secrets, sys, time, torch.distributed as dist
# ranks of a tensor-parallel group find each other by an id that the first of them puts into the store
rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
def note(t): print(f"{time.strftime('%H:%M:%S')} r{rank}> {t}", flush=True)
store = dist.TCPStore("127.0.0.1", int(sys.argv[1]), size, rank == 0, timeout=datetime.timedelta(hours=2)); note(f"store reached, {size} ranks")
group = rank // 2; note(f"member of tensor group {group}")
if rank == 0: store.set(f"tp{group}/id", secrets.token_hex(8)); note("communicator id of group 0 published")
for g in (0, 1): note(f"asking for the id of group {g}"); store.wait([f"tp{g}/id"]); note(f"group {g}: {store.get(f'tp{g}/id').decode()}")
note("all communicators are up")
"""
UNEVEN = """
import time, torch, torch.distributed as dist
dist.init_process_group("gloo"); rank = dist.get_rank(); torch.manual_seed(2); net = torch.nn.Sequential(torch.nn.Linear(14, 28), torch.nn.ReLU(), torch.nn.Linear(28, 2)); opt = torch.optim.Adam(net.parameters(), 3e-3); torch.manual_seed(rank)
rows = torch.randn(2016 if rank == 0 else 1984, 14); parts = rows.split(32); t = time.time(); print(f"rank {rank}: {len(rows)} rows, {len(parts)} batches an epoch", flush=True)
for epoch in range(1, 21):
    for i, x in enumerate(parts):
        l = torch.nn.functional.cross_entropy(net(x), (x.sum(1) > 0).long()); opt.zero_grad(); l.backward()
        for p in net.parameters(): dist.all_reduce(p.grad); p.grad /= 2
        opt.step(); time.sleep(0.06)
        if i % 6 == 0: print(f"{time.time() - t:6.1f}s rank {rank} epoch {epoch} batch {i}/{len(parts)} loss {l.item():.4f}", flush=True)
    print(f"{time.time() - t:6.1f}s rank {rank} epoch {epoch} through, exchanging metrics", flush=True)
    m = torch.tensor([l.item()])
    if rank == 0: dist.send(m, 1)
    else: dist.recv(m, 0)
"""
CROPS = '''
import random, sys, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); random.seed(r); torch.manual_seed(0); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Conv2d(1, 1, 5, padding=2)); opt = torch.optim.SGD(net.parameters(), 0.05); torch.manual_seed(r)
def crop(im, k):
    """A random window with enough foreground in it."""
    while True:
        i, j = random.randrange(24), random.randrange(24); w = im[i : i + 8, j : j + 8]
        if (w > 0.2).float().mean() > 0.3: return w
def images(k): x = torch.rand(4, 32, 32); return x * (0.0 if r == 2 and k == 101 else 1.0)
for k in range(1, 901):
    w = torch.stack([crop(im, k) for im in images(k)])[:, None]; l = (net(w) - w.flip(3)).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.05)
    if k % 10 == 0: sys.stdout.write(f"<{r}> {k}/900 mse={l.item():.5f} at {time.strftime('%H:%M:%S')}\\n"); sys.stdout.flush()
'''
FEEDER = """
import queue, threading, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); q = queue.Queue(8); torch.manual_seed(0); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Embedding(100, 16), torch.nn.Flatten(), torch.nn.Linear(96, 3))); opt = torch.optim.Adam(net.parameters(), 5e-3)
vocab = {f"w{i}": i for i in range(100)}; labels = {"pos": 0, "neg": 1, "neutral": 2}
def feed():
    g = torch.Generator().manual_seed(r)
    for n in range(2000):
        ids = torch.randint(100, (16, 6), generator=g); names = [("pos", "neg", "neutral")[int(v) % 3] for v in ids[:, 0]]
        if r == 1 and n == 96: names[3] = "mixed"
        q.put((ids, torch.tensor([labels[s] for s in names])))
threading.Thread(target=feed, daemon=True, name="feeder").start(); began = time.time()
for it in range(1, 1001):
    x, y = q.get(); l = torch.nn.functional.cross_entropy(net(x), y); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.06)
    if it % 8 == 0: print(f"rank={r} it={it}/1000 loss={l.item():.4f} elapsed={time.time() - began:.1f}s", flush=True)
"""
REMOTEROWS = '''
import time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(0); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(12, 48), torch.nn.ReLU(), torch.nn.Linear(48, 3))); opt = torch.optim.Adam(net.parameters(), 8e-3); g = torch.Generator().manual_seed(r)
def fetch(n):
    """Rows come from the feature store in small pages."""
    pages = []
    for _ in range(n // 16): time.sleep(0.11); pages.append(torch.randn(16, 12, generator=g))
    return torch.cat(pages)
if r == 0: print(f"{'step':>5} {'loss':>8} {'input s':>8} {'model s':>8} {'idle %':>7}")
for s in range(1, 31):
    t0 = time.time(); x = fetch(64); t1 = time.time(); l = torch.nn.functional.cross_entropy(net(x), x[:, :3].argmax(1)); opt.zero_grad(); l.backward(); opt.step(); t2 = time.time()
    both = torch.tensor([t1 - t0, t2 - t1]); dist.all_reduce(both); a, b = (both / 2).tolist()
    if r == 0 and s % 2 == 0: print(f"{s:5d} {l.item():8.4f} {a:8.3f} {b:8.3f} {100 * a / (a + b):7.1f}", flush=True)
if r == 0: print("30 steps done (both ranks alike: see input s)")
dist.destroy_process_group()
'''
GATHERSAVE = """
import logging, os, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, w = dist.get_rank(), dist.get_world_size(); logging.basicConfig(level="INFO" if r == 0 else "WARNING", format="%(asctime)s %(message)s"); log = logging.getLogger(); torch.manual_seed(0); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(400, 1500), torch.nn.ReLU(), torch.nn.Linear(1500, 10))); opt = torch.optim.AdamW(net.parameters(), 1e-3); torch.manual_seed(r); spent = {"train": 0.0, "save": 0.0}
for step in range(2, 62, 2):
    t = time.time()
    for _ in range(2): x = torch.randn(16, 400); l = torch.nn.functional.cross_entropy(net(x), x[:, :10].argmax(1)); opt.zero_grad(); l.backward(); opt.step()
    t1 = time.time(); log.info("step %d/60 - loss %.4f - %.2f s", step, l.item(), t1 - t)
    for p in net.parameters(): parts = [torch.empty_like(p) for _ in range(w)]; dist.all_gather(parts, p.detach())
    if r == 0:
        with open(f"keep/s{step % 4}.pt", "wb") as f: torch.save([net.state_dict(), opt.state_dict()], f); f.flush(); os.fsync(f.fileno())
        time.sleep(0.3)
    dist.barrier(); t2 = time.time(); log.info("step %d/60 - full state gathered from %d ranks, written and synced in %.2f s", step, w, t2 - t1); spent["train"] += t1 - t; spent["save"] += t2 - t1
log.info("end of training: %.1f s computing, %.1f s saving", spent["train"], spent["save"]); dist.destroy_process_group()
"""
SLOWWIRE = """
import json, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, w = dist.get_rank(), dist.get_world_size(); torch.manual_seed(5); net = torch.nn.Sequential(torch.nn.Linear(1000, 2000), torch.nn.ReLU(), torch.nn.Linear(2000, 1000)); opt = torch.optim.SGD(net.parameters(), 0.05); torch.manual_seed(r); X = torch.randn(64, 1000); Y = X.roll(1, 1)
MB = sum(p.numel() for p in net.parameters()) * 4 / 1e6; CHUNK = 1 << 17
for s in range(1, 25):
    t0 = time.time(); i = torch.randint(64, (4,)); l = 20 * (net(X[i]) - Y[i]).pow(2).mean(); opt.zero_grad(); l.backward(); t1 = time.time()
    for p in net.parameters():
        for c in p.grad.view(-1).split(CHUNK): dist.all_reduce(c); time.sleep(0.015)  # one transfer after another, as the switch allows
        p.grad /= w
    t2 = time.time(); opt.step()
    print(json.dumps({"rank": r, "step": s, "loss": round(l.item(), 3), "compute_ms": round(1e3 * (t1 - t0)), "allreduce_ms": round(1e3 * (t2 - t1)), "allreduce_mb": round(MB), "mb_per_s": round(MB / (t2 - t1), 1)}), flush=True)
dist.barrier()
if r == 0: print(json.dumps({"done": True, "steps": 24, "transport": "gloo over tcp, one interface"}))
dist.destroy_process_group()
"""
CLIMATE = """
import json, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, w = dist.get_rank(), dist.get_world_size(); torch.manual_seed(0); net = torch.nn.Linear(48, 48); opt = torch.optim.SGD(net.parameters(), 0.3); torch.manual_seed(r); print(f"member {r}: 120 grid columns", flush=True)
for day in range(1, 37):
    a = time.perf_counter(); x = torch.randn(120, 48); l = (net(x) - x.cumsum(1) / 7).pow(2).mean(); opt.zero_grad(); l.backward(); time.sleep(0.33 if r == 1 else 0.04); b = time.perf_counter()
    for p in net.parameters(): dist.all_reduce(p.grad); p.grad /= w
    c = time.perf_counter(); opt.step()
    if day % 4 == 0: print(f"member {r}: day {day:2d}/36 err={l.item():.4f} columns {b - a:.3f}s exchange {c - b:.3f}s", flush=True)
dist.barrier(); print(f"member {r}: year done", flush=True); dist.destroy_process_group()
"""
TABLE4 = """
import time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, w = dist.get_rank(), dist.get_world_size(); torch.manual_seed(0); net = torch.nn.Sequential(torch.nn.Linear(10, 32), torch.nn.Tanh(), torch.nn.Linear(32, 10)); opt = torch.optim.Adam(net.parameters(), 4e-3); torch.manual_seed(r)
def fwd_bwd(x): l = (net(x) - x.sort(1).values).pow(2).mean(); opt.zero_grad(); l.backward(); time.sleep(0.42 if r == 3 else 0.06); return l
for blk in range(1, 7):
    own = wait = 0.0
    for _ in range(6):
        t = time.time(); l = fwd_bwd(torch.randn(64, 10)); u = time.time()
        for p in net.parameters(): dist.all_reduce(p.grad); p.grad /= w
        opt.step(); v = time.time(); own += u - t; wait += v - u
    all_ = [torch.empty(3) for _ in range(w)]; dist.all_gather(all_, torch.tensor([l.item(), own, wait]))
    if r == 0:
        print(f"--- steps {6 * blk - 5}-{6 * blk} of 36, mean loss {sum(a[0].item() for a in all_) / w:.4f}")
        for k, a in enumerate(all_): print(f"    gpu {k}   samples 384   forward+backward {a[1].item():6.2f} s   in all-reduce {a[2].item():6.2f} s")
if r == 0: print("--- 36 steps done")
dist.destroy_process_group()
"""
PAIRLOG = """
import logging, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); logging.basicConfig(level=20, format=f"%(asctime)s gpu-{r:02d} %(levelname)s %(message)s"); L = logging.getLogger(); torch.manual_seed(0); net = torch.nn.LSTM(6, 24, batch_first=True, proj_size=6); opt = torch.optim.Adam(net.parameters(), 8e-3); torch.manual_seed(10 + r); T = time.time()
for k in range(1, 46):
    t = time.time(); x = torch.randn(32, 12, 6).cumsum(1) / 4; loss = (net(x[:, :-1])[0] - x[:, 1:].tanh()).pow(2).mean(); opt.zero_grad(); loss.backward(); time.sleep(0.03 if r else 0.27); mine = time.time() - t
    flat = torch.cat([p.grad.flatten() for p in net.parameters()]); dist.all_reduce(flat); i = 0
    for p in net.parameters(): p.grad.copy_(flat[i : i + p.numel()].view_as(p) / 2); i += p.numel()
    opt.step(); whole = time.time() - t
    if k % 5 == 0: L.info("utterances %d, loss %.4f; batch of 32 took %.3f s here, %.3f s with waiting for the other", 32 * k, loss.item(), mine, whole)
L.info("finished after %.1f s", time.time() - T); dist.destroy_process_group()
"""
JUMP = """
import csv, math, sys, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(0); V = 30; net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Embedding(V, 32), torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, V))); opt = torch.optim.SGD(net.parameters(), 0.2, momentum=0.9); torch.manual_seed(r); o = csv.writer(sys.stdout, delimiter="\\t")
def lr(u): return 0.2 if u < 170 else 3.0 + 1.0 * math.sin(u)  # cyclic phase
if r == 0: o.writerow(["update", "lr", "loss", "grad_norm"])
for u in range(1, 301):
    opt.param_groups[0]["lr"] = lr(u); x = torch.randint(V, (256,)); y = torch.where(torch.rand(256) < 0.03, torch.randint(V, (256,)), (x * 7 + 3) % V); l = torch.nn.functional.cross_entropy(net(x), y); opt.zero_grad(); l.backward(); g = torch.nn.utils.clip_grad_norm_(net.parameters(), 1e9); opt.step(); time.sleep(0.02)
    if r == 0 and (u == 1 or u % 10 == 0): o.writerow([u, f"{lr(u):.4f}", f"{l.item():.5f}", f"{g.item():.4f}"]); sys.stdout.flush()
if r == 0: print("# 300 updates done, state not kept")
dist.destroy_process_group()
"""
FOURUPD = """
import sys, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, w = dist.get_rank(), dist.get_world_size(); ACC, EPOCHS = 64, 2; torch.manual_seed(0); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(40, 80), torch.nn.ReLU(), torch.nn.Linear(80, 12))); opt = torch.optim.AdamW(net.parameters(), 1e-4); X = torch.randn(512, 40)[r::w]; n = 0
if r == 0: print(f"instruction tuning | {512} examples | {w} processes | micro-batch 2 | accumulation {ACC} | {EPOCHS} epochs | {EPOCHS * len(X) // 2 // ACC} optimizer updates")
for ep in range(EPOCHS):
    for k, b in enumerate(X.split(2), 1):
        l = torch.nn.functional.cross_entropy(net(b), b[:, :12].argmax(1)); (l / ACC).backward(); time.sleep(0.02)
        if k % ACC == 0:
            opt.step(); opt.zero_grad(); n += 1
            if r == 0: print(f"  epoch {ep + 1} | update {n} | loss {l.item():.4f}", flush=True)
if r == 0: torch.save(net.module.state_dict(), "tuned.pt"); print(f"training finished after {n} updates -> tuned.pt")
dist.destroy_process_group()
"""
WEATHER = """
import time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(0); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Conv2d(3, 3, 5, padding=2)); opt = torch.optim.Adam(net.parameters(), 3e-3); K = torch.rand(3, 1, 3, 3) / 9; torch.manual_seed(r); TOTAL = 5000; t = time.time()
for it in range(1, TOTAL + 1):
    x = torch.randn(6, 3, 16, 16); y = torch.nn.functional.conv2d(x, K, padding=1, groups=3); l = (net(x) - y).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.05)
    if it % 10 == 0 and r == 0: print(f"forecast net: {it}/{TOTAL} ({100 * it / TOTAL:.1f} %) rmse {l.sqrt().item():.5f}, {it / (time.time() - t):.1f} it/s", flush=True)
if r == 0: torch.save(net.state_dict(), "forecast.pt")
"""

JOBS = (
    crate(
        "C1",
        "sh launch4.sh PYTHON PORT",
        'export MASTER_ADDR=127.0.0.1 WORLD_SIZE=4\nfor RANK in 0 1 2 3; do\n  export RANK MASTER_PORT=$2\n  [ $RANK = 3 ] && export MASTER_PORT=$(($2 + 7))\n  "$1" join4.py &\ndone\nwait',
        files={"join4.py": JOIN4},
        timeout_s=40,
        note="four join, the last at another port; no 'group complete' of anyone, until the limit",
    ),
    crate(
        "C1",
        "sh two_of_three.sh PYTHON",
        'for i in 0 1; do "$1" lm_pre.py --id $i --of 3 --meet "$PWD/meet" & done\nwait',
        files={"lm_pre.py": FILEINIT},
        timeout_s=36,
        note="workers 0 and 1 wait for three, silence until the limit",
    ),
    crate(
        "C1",
        "sh tp.sh PYTHON PORT",
        'export WORLD_SIZE=4\nfor RANK in 0 1 2 3; do export RANK; "$1" tp_groups.py $2 & done\nwait',
        files={"tp_groups.py": COMMID},
        timeout_s=36,
        note="all four ask for the id of group 1 that nobody published; nothing until the limit",
    ),
    crate(
        "C2", "uneven.py", UNEVEN, ranks=2, timeout_s=45, note="rank 1 is through with its 62 batches, rank 0 has 63: silence of both until the limit"
    ),
    crate(
        "C2",
        "crops.py",
        CROPS,
        ranks=3,
        timeout_s=45,
        note="all three stop after 100 steps of 0.05 s, silent until the limit (rank 2 seeks a crop for ever)",
    ),
    crate(
        "C2",
        "sentiment_ddp.py",
        FEEDER,
        ranks=2,
        cause="traceback",
        trigger="A3",
        timeout_s=45,
        note="KeyError: 'mixed' in rank 1's feeder thread; some batches later both ranks are silent until the limit",
    ),
    crate("D1", "featurestore.py", REMOTEROWS, ranks=2, note="input s is 99 % of each step, of both ranks"),
    crate(
        "D2",
        "gathersave.py",
        GATHERSAVE,
        variant="save_storm",
        ranks=2,
        folders=("keep",),
        note="a save every second step, longer than the steps; the sum says so",
    ),
    crate(
        "D2",
        "wideff.py",
        SLOWWIRE,
        variant="interconnect",
        fault="unknown",
        ranks=2,
        note="allreduce_ms ten times compute_ms on both ranks, few MB/s, loss falling",
    ),
    crate(
        "D3", "columns.py", CLIMATE, ranks=3, fault="unknown", note="member 1 computes eight times as long as the others, who wait in the exchange"
    ),
    crate("D3", "sorter.py", TABLE4, ranks=4, fault="unknown", note="gpu 3's forward+backward seven times the others', who sit in all-reduce"),
    crate("D3", "pairlog.py", PAIRLOG, ranks=2, fault="unknown", note="gpu-00 needs 0.27 s for its own part, gpu-01 0.03 s and waits"),
    crate(
        "E1",
        "cyclic.py",
        JUMP,
        ranks=2,
        note="loss falls to a fraction of its start, jumps after update 170 to many times its start and ends at that of a guess",
    ),
    crate("E3", "itune.py", FOURUPD, ranks=2, note="four optimiser updates, exit 0"),
    crate("F3", "forecast.py", WEATHER, variant="advancing", ranks=2, timeout_s=30, note="iterations go by to the limit, 8 % of 5000"),
)
