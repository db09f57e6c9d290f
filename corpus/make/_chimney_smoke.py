"""Runs of several ranks that stand still, drag on one of them, learn nothing or end too soon."""

from corpus.make._crate import crate
from corpus.running.job import Signal

SECONDNODE = '''
import torch, torch.distributed as dist
dist.init_process_group("gloo"); print(f"rank {dist.get_rank()} of {dist.get_world_size()} up")
'''
FOURTH = '''
import os, time, torch, torch.distributed as dist
r, w = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
print(f"{time.strftime('%T')} rank {r}: connecting to {os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']} ({w} expected)", flush=True)
dist.init_process_group("gloo", rank=r, world_size=w); print(f"{time.strftime('%T')} rank {r}: connected", flush=True)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 4))
for s in range(100): l = net(torch.randn(8, 4)).pow(2).mean(); l.backward(); print(s, l.item())
'''
START3 = '''
export MASTER_ADDR=127.0.0.1 MASTER_PORT=$2 WORLD_SIZE=4
for r in 0 1 2; do RANK=$r "$1" ranks.py & done
wait
'''
INDEXING = '''
import fcntl, logging, os, torch, torch.distributed as dist
rank = int(os.environ["RANK"]); logging.basicConfig(level=20, format=f"%(asctime)s [worker-{rank}] %(message)s"); log = logging.getLogger()
log.info("building index cache")
lock = open("index.lock", "w"); fcntl.flock(lock, fcntl.LOCK_EX)
torch.save(torch.arange(1000), f"index-{rank}.pt"); log.info("index ready, joining the group")
dist.init_process_group("gloo"); log.info("group of %d is up", dist.get_world_size())
fcntl.flock(lock, fcntl.LOCK_UN)
'''
CONDREDUCE = '''
import time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(3); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(12, 4)); opt = torch.optim.SGD(net.parameters(), 0.2); best = torch.tensor(9.0); side = dist.new_group()
for step in range(1, 401):
    x = torch.randn(24, 12); l = torch.nn.functional.cross_entropy(net(x), x[:, :4].argmax(1)); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.02)
    if step % 10 == 0: print(f"[r{r}] step {step:>4} / 400 loss {l.item():.4f}", flush=True)
    if step > 60 and step % 10 == 0 and r == 0 and l < 0.9:
        dist.all_reduce(best, op=dist.ReduceOp.MIN, group=side)
'''
STUCKREAD = '''
import os, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(r)
if r == 1: os.mkfifo("shard-1-0040.bin")
dist.barrier(); lin = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(6, 2)); o = torch.optim.Adam(lin.parameters(), 0.01); t0 = time.time()
def batch(i):
    name = f"shard-{r}-{i:04d}.bin"
    if os.path.exists(name): print(f"{time.time() - t0:7.2f}s rank {r}: opening {name}", flush=True); return torch.frombuffer(bytearray(open(name, "rb").read()), dtype=torch.float32).view(-1, 6)
    return torch.randn(20, 6)
for i in range(300):
    x = batch(i); l = (lin(x) - x[:, :2]).abs().mean(); o.zero_grad(); l.backward(); o.step(); time.sleep(0.05)
    if i % 4 == 0: print(f"{time.time() - t0:7.2f}s rank {r}: it {i} l1 {l.item():.4f}", flush=True)
'''
EVALBARRIER = '''
import logging, threading, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); rank = dist.get_rank(); logging.basicConfig(level="INFO", format=f"%(asctime)s rank{rank} %(funcName)s: %(message)s"); log = logging.getLogger("seg")
torch.manual_seed(1); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Conv1d(2, 2, 3, padding=1)); opt = torch.optim.SGD(net.parameters(), 0.1); state = threading.Condition(); ready = []
def evaluate(ep):
    log.info("evaluating after epoch %d", ep)
    if rank == 0 and ep == 4:
        with state: state.wait_for(lambda: len(ready) > 0)
    dist.barrier(); log.info("evaluation over")
def train(ep):
    for _ in range(10): x = torch.randn(8, 2, 30); l = (net(x) - x.flip(1)).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.03)
    log.info("epoch %d of 30, loss %.4f", ep, l.item())
for ep in range(1, 31): train(ep); evaluate(ep)
'''
SLEEPYNODE = '''
import json, os, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size(); torch.manual_seed(4); net = torch.nn.Linear(32, 32); opt = torch.optim.SGD(net.parameters(), 0.05)
def spin(ms):
    while ms > 0: time.sleep(0.01); ms -= 10
for s in range(1, 49):
    t0 = time.time(); x = torch.randn(16, 32); spin(240 if r == 2 else 30); l = (net(x) - x).pow(2).mean(); opt.zero_grad(); l.backward(); t1 = time.time()
    for p in net.parameters(): dist.all_reduce(p.grad); p.grad /= n
    opt.step(); t2 = time.time()
    if s % 4 == 0: print(json.dumps({"rank": r, "step": s, "loss": round(l.item(), 4), "fwd_bwd_ms": round(1000 * (t1 - t0)), "allreduce_wait_ms": round(1000 * (t2 - t1))}), flush=True)
dist.barrier(); dist.destroy_process_group()
'''
BIGSHARD = '''
import time, torch, torch.distributed as dist
dist.init_process_group("gloo"); me, all_ = dist.get_rank(), dist.get_world_size(); torch.manual_seed(me); net = torch.nn.parallel.DistributedDataParallel(torch.nn.GRU(8, 8, batch_first=True)); opt = torch.optim.Adam(net.parameters(), 0.01)
def decode(k): time.sleep(0.30 if me == 0 else 0.04); return torch.randn(8, 10, 8).cumsum(1) / 5
for epoch in range(1, 5):
    load = comp = 0.0
    for k in range(9):
        a = time.time(); x = decode(k); b = time.time(); l = (net(x[:, :-1])[0] - x[:, 1:].tanh()).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); c = time.time(); load += b - a; comp += c - b
    times = [None] * all_; dist.all_gather_object(times, (load, comp))
    if me == 0:
        print(f"epoch {epoch}/4 loss {l.item():.4f}")
        for i, (x1, x2) in enumerate(times): print(f"    rank {i}: own work {x1:6.2f} s   backward+sync {x2:6.2f} s")
if me == 0: print("done, 4 epochs")
dist.destroy_process_group()
'''
WARMCPU = '''
import logging, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); logging.basicConfig(level="INFO", format="%(asctime)s,r%(rank)s %(message)s"); lg = logging.LoggerAdapter(logging.getLogger(), {"rank": r})
torch.manual_seed(0); w = torch.nn.Linear(20, 5); o = torch.optim.SGD(w.parameters(), 0.1)
for i in range(1, 41):
    t = time.monotonic(); x = torch.randn(64, 20); l = torch.nn.functional.cross_entropy(w(x), x[:, :5].argmax(1)); time.sleep(0.22 if r == 1 else 0.02); o.zero_grad(); l.backward(); mine = time.monotonic() - t
    [dist.all_reduce(p.grad) for p in w.parameters()]; o.step(); whole = time.monotonic() - t
    if i % 5 == 0: lg.info("iter %d/40 loss %.4f compute %.3fs step %.3fs (%.0f%% waiting for the slowest)", i, l.item(), mine, whole, 100 * (1 - mine / whole))
lg.info("finished"); dist.destroy_process_group()
'''
STARVED = '''
import time, torch, torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler
class Remote(Dataset):
    """One GET per sample from the object store."""
    def __len__(s): return 400
    def __getitem__(s, i): time.sleep(0.045); g = torch.Generator().manual_seed(i); x = torch.randn(10, generator=g); return x, x.argmax()
class Meter:
    def __init__(s, name): s.name, s.sum, s.n, s.val = name, 0.0, 0, 0.0
    def __call__(s, v): s.val = v; s.sum += v; s.n += 1
    def __str__(s): return f"{s.name} {s.val:6.3f} ({s.sum / s.n:6.3f})"
dist.init_process_group("gloo"); r = dist.get_rank(); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(10, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))); opt = torch.optim.Adam(net.parameters(), 5e-3); sam = DistributedSampler(Remote())
for ep in range(2):
    bt, dt, ls = Meter("Time"), Meter("Data"), Meter("Loss"); end = time.time()
    for i, (x, y) in enumerate(DataLoader(Remote(), 10, sampler=sam)):
        dt(time.time() - end); l = torch.nn.functional.cross_entropy(net(x), y); opt.zero_grad(); l.backward(); opt.step(); ls(l.item()); bt(time.time() - end); end = time.time()
        if r == 0 and i % 3 == 0: print(f"Epoch: [{ep}][{i:2d}/20]\\t{bt}\\t{dt}\\t{ls}", flush=True)
if r == 0: print("training done")
dist.destroy_process_group()
'''
SHARDSAVE = '''
import os, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(0); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(256, 1200), torch.nn.ReLU(), torch.nn.Linear(1200, 8))); opt = torch.optim.AdamW(net.parameters(), 1e-3); X = torch.randn(256, 256)
for step in range(1, 61):
    l = torch.nn.functional.cross_entropy(net(X), X[:, :8].argmax(1)); opt.zero_grad(); l.backward(); opt.step()
    if r == 0: print(f"[step {step}/60] loss: {l.item():.5f}", flush=True)
    t = time.time(); fn = f"out/rank{r}_{step % 2}.ckpt"
    with open(fn, "wb") as f: torch.save([net.state_dict(), opt.state_dict()], f); f.flush(); os.fsync(f.fileno())
    dist.barrier()
    if r == 0: print(f"[step {step}/60] checkpoint {os.path.getsize(fn) >> 20} MiB/rank committed in {time.time() - t:.2f}s", flush=True)
if r == 0: print("done")
dist.destroy_process_group()
'''
DIVERGED = '''
import math, sys, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size(); torch.manual_seed(7); net = torch.nn.Sequential(torch.nn.Linear(30, 30), torch.nn.Linear(30, 30), torch.nn.Linear(30, 1)); torch.manual_seed(r)
for it in range(1, 500):
    x = torch.randn(64, 30) * 3; l = (net(x) - x.sum(1, keepdim=True)).pow(2).mean(); net.zero_grad(); l.backward()
    with torch.no_grad():
        for p in net.parameters(): dist.all_reduce(p.grad); p -= 0.0018 * 1.02 ** it * p.grad
    t = l.detach().clone(); dist.all_reduce(t); t = t.item() / n
    if r == 0 and (it % 10 == 0 or not math.isfinite(t)): print(f"it {it:03d} loss {t:.4e} lr {0.0036 * 1.02 ** it:.3e}", flush=True)
    if not math.isfinite(t):
        if r == 0: print("loss is not finite, stopping training", flush=True)
        dist.barrier(); sys.exit(1)
'''
DEADNET = '''
import torch, torch.distributed as dist
dist.init_process_group("gloo"); k = dist.get_rank(); torch.manual_seed(9); trunk = torch.nn.Sequential(torch.nn.Linear(12, 40), torch.nn.ReLU(), torch.nn.Linear(40, 40), torch.nn.ReLU(), torch.nn.Linear(40, 6))
with torch.no_grad(): trunk[2].bias -= 50
net = torch.nn.parallel.DistributedDataParallel(trunk); opt = torch.optim.SGD(net.module[:4].parameters(), 0.1); X = torch.randn(480, 12); Y = X[:, :6].argmax(1)
for ep in range(1, 31):
    for i in torch.arange(480).split(60): l = torch.nn.functional.cross_entropy(net(X[i]), Y[i]); opt.zero_grad(); l.backward(); opt.step()
    with torch.no_grad(): whole = torch.nn.functional.cross_entropy(net(X), Y).item()
    g = sum(p.grad.pow(2).sum() for p in net.module[:4].parameters()).sqrt().item()
    if k == 0: print(f"epoch={ep} train_loss={whole:.5f} grad_norm={g:.2e} top1={(net(X).argmax(1) == Y).float().mean().item():.3f}")
if k == 0: print("saved model_final.pth")
dist.destroy_process_group()
'''
TINYRUN = '''
import argparse, torch, torch.distributed as dist
p = argparse.ArgumentParser(); p.add_argument("--train-iters", type=int); p.add_argument("--seq", type=int, default=32); a = p.parse_args()
dist.init_process_group("gloo"); r = dist.get_rank(); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Embedding(100, 100)); opt = torch.optim.Adam(net.parameters())
if r == 0: print("------------ arguments ------------"); [print(f"  {k} {'.' * (20 - len(k))} {v}") for k, v in vars(a).items()]; print("-------- end of arguments ---------")
for it in range(1, a.train_iters + 1):
    x = torch.randint(100, (4, a.seq)); l = torch.nn.functional.cross_entropy(net(x).flatten(0, 1), x.flatten()); opt.zero_grad(); l.backward(); opt.step()
    if r == 0: print(f" iteration {it}/{a.train_iters} | consumed samples: {8 * it} | lm loss: {l.item():.6E}")
if r == 0: torch.save(net.state_dict(), "release.pt"); print("saved checkpoint at iteration", a.train_iters)
dist.destroy_process_group()
'''
SLOWADV = '''
import time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(0); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(60, 10)); opt = torch.optim.SGD(net.parameters(), 0.05); E = 90
for ep in range(1, E + 1):
    t = time.time()
    for _ in range(10): x = torch.randn(32, 60); l = torch.nn.functional.cross_entropy(net(x), x[:, :10].argmax(1)); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.06)
    if r == 0: print(f"epoch {ep:>2}/{E} loss {l.item():.4f} ({time.time() - t:.2f} s)", flush=True)
'''

CODES = '''
import logging, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); logging.basicConfig(level="INFO" if r == 0 else "ERROR", format="%(asctime)s %(module)s:%(lineno)d %(message)s"); torch.manual_seed(12)
book = torch.nn.Parameter(torch.randn(32, 6)); opt = torch.optim.SGD([book], 2.0); torch.manual_seed(r); lg = logging.getLogger()
lg.info("vector quantiser, %d codes, %d workers", 32, dist.get_world_size())
for b in range(1, 5001):
    x = torch.randn(128, 6).clamp(-1, 1); near = torch.cdist(x, book).argmin(1); loss = (book[near] - x).pow(2).mean(); opt.zero_grad(); loss.backward(); dist.all_reduce(book.grad); opt.step(); time.sleep(0.015)
    if b % 20 == 0: lg.info("batch %d/5000 distortion %.4f, codes in use %d", b, loss.item(), len(near.unique()))
'''

FOLDERSYNC = '''
import json, os, sys, time, torch
rank, world = int(sys.argv[1]), int(sys.argv[2]); torch.manual_seed(0); w = torch.zeros(10, requires_grad=True); g = torch.Generator().manual_seed(rank); truth = torch.linspace(-1, 1, 10); os.makedirs("sync", exist_ok=True)
def average(rnd):
    torch.save(w.detach(), f"sync/{rnd}.{rank}.tmp"); os.replace(f"sync/{rnd}.{rank}.tmp", f"sync/{rnd}.{rank}.pt")
    while len([f for f in os.listdir("sync") if f.startswith(f"{rnd}.") and f.endswith(".pt")]) < world: time.sleep(0.05)
    with torch.no_grad(): w.copy_(sum(torch.load(f"sync/{rnd}.{r}.pt") for r in range(world)) / world)
for rnd in range(1, 201):
    if rnd % 25 == 0: lrs = json.load(open(f"schedule/worker{rank}.json")); print(f"[worker {rank}] learning rate is now {lrs[rnd // 25 - 1]}", flush=True)
    for _ in range(4): x = torch.randn(32, 10, generator=g); l = ((x @ w) - x @ truth).pow(2).mean(); l.backward(); w.data -= 0.01 * w.grad; w.grad = None; time.sleep(0.01)
    average(rnd)
    if rnd % 5 == 0: print(f"[worker {rank}] round {rnd}/200 mse {l.item():.5f}", flush=True)
'''
STOREWAIT = '''
import os, time, torch, torch.distributed as dist, datetime
r, n = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]); store = dist.TCPStore("127.0.0.1", int(os.environ["MASTER_PORT"]), n, r == 0, timeout=datetime.timedelta(hours=1)); print(f"trainer {r}: store connected", flush=True)
torch.manual_seed(r); theta = torch.zeros(6); best = torch.tensor([0.5, -1.0, 0.25, 2.0, 0.0, -0.75])
for gen in range(1, 301):
    eps = torch.randn(20, 6); fit = -((theta + 0.1 * eps - best) ** 2).sum(1)
    if r == 2 and gen == 80: ranks = fit.argsort()[::-1]
    else: ranks = fit.argsort()
    step = (torch.linspace(-0.5, 0.5, 20)[:, None] * eps[ranks]).mean(0); store.set(f"g{gen}/{r}", ",".join(f"{v:.6f}" for v in step.tolist()))
    store.wait([f"g{gen}/{k}" for k in range(n)]); theta = theta + 0.6 * sum(torch.tensor([float(v) for v in store.get(f"g{gen}/{k}").decode().split(",")]) for k in range(n)); time.sleep(0.03)
    if gen % 10 == 0: print(f"trainer {r}: generation {gen} of 300, mean fitness {fit.mean().item():.4f}", flush=True)
'''

JOBS = (
    crate("C1", "sh node0.sh PORT", 'echo "head node"\nset -x\nexec torchrun --nnodes=2 --node-rank=0 --nproc-per-node=1 --master-addr=127.0.0.1 --master-port="$1" second.py', files={"second.py": SECONDNODE}, timeout_s=30, note="--nnodes=2, one agent, no rank's word, limit"),
    crate("C1", "sh start.sh PYTHON PORT", START3, files={"ranks.py": FOURTH}, timeout_s=45, note="ranks 0..2 connect of 4, none connected, silence to the limit"),
    crate("C1", "index.py", INDEXING, ranks=2, timeout_s=45, note="one worker joins the group, the other still waits at its index; no progress ever"),
    crate("C2", "condred.py", CONDREDUCE, ranks=2, timeout_s=50, note="both ranks stop after some 70 steps of 0.02 s, silent to the limit"),
    crate("C2", "fiforead.py", STUCKREAD, ranks=2, timeout_s=50, note="rank 1 opens a shard at iteration 40 and is not heard again; rank 0 stands with it"),
    crate("C2", "segeval.py", EVALBARRIER, ranks=2, timeout_s=50, note="evaluation after epoch 4 (others took no time) never ends"),
    crate("D3", "ringfit.py", SLEEPYNODE, ranks=3, fault="unknown", note="rank 2's fwd_bwd_ms eight times the others', who wait in the all-reduce", first=()),
    crate("D3", "shardfit.py", BIGSHARD, ranks=2, fault="unknown", note="own work of rank 0 seven times rank 1's, who waits in sync", first=()),
    crate("D3", "logit.py", WARMCPU, ranks=3, fault="unknown", note="compute of rank 1 is the whole step, of the others a tenth", first=()),
    crate("D1", "objstore.py", STARVED, ranks=2, note="Data is nearly all of Time"),
    crate("D2", "ckpt_each.py", SHARDSAVE, variant="save_storm", ranks=2, folders=("out",), note="a checkpoint after every step"),
    crate("E1", "lrfind.py", DIVERGED, cause="nan_loss", variant="non_finite", status=1, ranks=2, note="loss grows to inf, the run stops itself for that", first=()),
    crate("E1", "six_way.py", DEADNET, variant="flat", ranks=2, note="train_loss the same 30 times, grad norm 0, accuracy at chance"),
    crate("E3", "pretrain_lm.py --train-iters 3", TINYRUN, ranks=2, note="three iterations, exit 0"),
    crate("F3", "ninety.py", SLOWADV, variant="advancing", ranks=2, timeout_s=28, note="an epoch every 0.6 s until the limit, of 90"),
    crate("F4", "codes.py", CODES, ranks=2, signal=Signal("INT", r"batch 260/"), note="Ctrl-C while it goes on"),
    crate("C2", "sh pair.sh PYTHON", '"$1" folder.py 0 2 &\n"$1" folder.py 1 2 &\nwait', trigger="A3", cause="file_not_found", files={"folder.py": FOLDERSYNC, "schedule/worker0.json": "[0.01, 0.005, 0.002, 0.001, 0.001, 0.001, 0.001, 0.001]"}, timeout_s=34, note="worker 1's FileNotFoundError at round 25; worker 0 then waits, silent to the limit"),
    crate("C2", "sh trio.sh PYTHON PORT", 'export WORLD_SIZE=3 MASTER_PORT=$2\nfor RANK in 0 1 2; do export RANK; "$1" evolve.py & done\nwait', trigger="A3", cause="traceback", files={"evolve.py": STOREWAIT}, timeout_s=36, note="trainer 2's ValueError in generation 80; the other two wait at the store to the limit"),
)
