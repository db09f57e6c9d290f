"""Several ranks under torchrun, and a few single programs, that came to their planned end."""

from corpus.make._crate import crate

TERRAIN = """
import os
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Unet(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.down, self.mid, self.up = nn.Conv2d(2, c, 3, 2, 1), nn.Conv2d(c, c, 3, 1, 1), nn.ConvTranspose2d(c, c, 2, 2)
        self.out = nn.Conv2d(c + 2, 3, 1)

    def forward(self, x):
        h = F.relu(self.up(F.relu(self.mid(F.relu(self.down(x))))))
        return self.out(torch.cat([h, x], 1))


def tiles(n, gen):
    h = torch.rand(n, 1, 16, 16, generator=gen)
    w = torch.rand(n, 1, 1, 1, generator=gen).expand_as(h)
    return torch.cat([h, w], 1), ((h > w).long() + (h > 0.8).long()).squeeze(1)


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    gen = torch.Generator().manual_seed(100 + rank)
    torch.manual_seed(0)
    net = DDP(Unet())
    opt = torch.optim.Adam(net.parameters(), 6e-3)
    if rank == 0:
        print(f"landcover segmentation on {world} processes, host {os.uname().sysname}, torch {torch.__version__}")
    for epoch in range(8):
        start, seen, total = time.time(), 0, 0.0
        for _ in range(16):
            x, y = tiles(12, gen)
            loss = F.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
            seen += len(x)
            time.sleep(0.03)
        x, y = tiles(40, gen)
        hit = (net.module(x).argmax(1) == y).float().mean()
        both = torch.stack([torch.tensor(total / 16), hit])
        dist.all_reduce(both)
        if rank == 0:
            print(f"Epoch {epoch + 1:2d}/8 -- loss {both[0].item() / world:.4f} -- pixel accuracy {both[1].item() / world:.4f} -- {seen * world / (time.time() - start):.0f} tiles/s")
    if rank == 0:
        torch.save(net.module.state_dict(), "landcover.pt")
        print("Finished training, model stored as landcover.pt")
    dist.destroy_process_group()


main()
"""
HALO = """
import logging, sys, time, torch, torch.distributed as dist
# a graph in parts: each rank owns some nodes and asks all others for their hidden states once a layer
dist.init_process_group("gloo"); me, parts = dist.get_rank(), dist.get_world_size()
logging.basicConfig(stream=sys.stdout, level=20, format=f"%(asctime)s [part {me}] %(message)s", datefmt="%H:%M:%S"); log = logging.getLogger()
g = torch.Generator().manual_seed(5); N = 240; own = slice(me * N // parts, (me + 1) * N // parts)
y = torch.randint(3, (N,), generator=g); A = ((torch.rand(N, N, generator=g) < torch.where(y[:, None] == y, 0.1, 0.01)).float()); A = ((A + A.T + torch.eye(N)) > 0).float(); A = A / A.sum(1, keepdim=True); x = torch.randn(N, 12, generator=g); x[torch.arange(N), y] += 0.5
torch.manual_seed(1); l1, l2 = torch.nn.Linear(12, 16), torch.nn.Linear(16, 3); ps = [*l1.parameters(), *l2.parameters()]; opt = torch.optim.Adam(ps, 0.02)
def everyone(h): out = [torch.empty_like(h) for _ in range(parts)]; dist.all_gather(out, h.detach().contiguous()); out[me] = h; return torch.cat(out)
log.info("%d of %d nodes, %d cut edges", N // parts, N, int((A[own] > 0).sum() - (A[own, own] > 0).sum()))
for it in range(1, 101):
    h = torch.relu(A[own] @ l1(x)); o = A[own] @ l2(everyone(h)); loss = torch.nn.functional.cross_entropy(o, y[own]); opt.zero_grad(); loss.backward()
    for p in ps: dist.all_reduce(p.grad); p.grad /= parts
    opt.step(); time.sleep(0.05)
    if it % 20 == 0: log.info("iteration %d/100 loss %.4f accuracy on own part %.3f", it, loss.item(), (o.argmax(1) == y[own]).float().mean().item())
dist.barrier(); log.info("all iterations done"); dist.destroy_process_group()
"""
STRATEGY = '''
import time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, w = dist.get_rank(), dist.get_world_size(); g = torch.Generator().manual_seed(r)
def walk(th):
    """A pole on a cart, linear control, 120 moments at most."""
    x = v = 0.0; a, b = 0.05, 0.0
    for t in range(120):
        f = max(-10.0, min(10.0, th[0] * x + th[1] * v + th[2] * a + th[3] * b)); acc = f + 9.8 * a; v += 0.02 * f; x += 0.02 * v; b += 0.04 * acc; a += 0.02 * b
        if abs(a) > 0.6 or abs(x) > 2.4: return t
    return 120
th = torch.zeros(4); best = 0.0
for gen in range(1, 26):
    eps = torch.randn(10, 4, generator=g); mine = torch.tensor([float(walk((th + 0.8 * e).tolist())) for e in eps]); fits = [torch.empty(10) for _ in range(w)]; alle = [torch.empty(10, 4) for _ in range(w)]; dist.all_gather(fits, mine); dist.all_gather(alle, eps); F, E = torch.cat(fits), torch.cat(alle); adv = (F - F.mean()) / (F.std() + 1e-6); th = th + 1.2 * (adv[:, None] * E).mean(0); best = max(best, F.max().item()); time.sleep(0.2)
    if r == 0: print(f"gen {gen:02d} | pop {len(F)} | mean {F.mean():6.1f} | max {F.max():5.0f} | best ever {best:5.0f} | theta {' '.join(f'{t:+.2f}' for t in th.tolist())}")
if r == 0: print(f"evolution over after 25 generations; centre of the population balances for {walk(th.tolist())} of 120 moments")
dist.destroy_process_group()
'''
EMBED = """
import json, os, pathlib, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, w = dist.get_rank(), dist.get_world_size(); torch.manual_seed(77)
enc = torch.nn.EmbeddingBag(300, 32).eval(); docs = pathlib.Path("corpus.txt").read_text().splitlines()[r::w]; out = pathlib.Path("emb"); out.mkdir(exist_ok=True); vecs = []; t = time.time()
with torch.inference_mode():
    for i in range(0, len(docs), 32):
        ids = torch.tensor([[ord(c) % 300 for c in d[:20].ljust(20)] for d in docs[i : i + 32]]); vecs.append(enc(ids)); time.sleep(0.12)
        if (i // 32) % 4 == 3: print(f"rank{r}: {i + 32}/{len(docs)} documents embedded ({(i + 32) / (time.time() - t):.0f} docs/s)", flush=True)
torch.save(torch.cat(vecs), out / f"part-{r:05d}-of-{w:05d}.pt"); dist.barrier()
if r == 0: n = [len(torch.load(p)) for p in sorted(out.glob("part-*.pt"))]; print(json.dumps({"documents": sum(n), "parts": n, "dim": 32, "missing": 0}))
dist.destroy_process_group()
"""
CORPUSTXT = "\n".join(f"{w} {i} {w[::-1]}" for i, w in enumerate(("kettle", "harbour", "maple", "engine", "violet") * 240))
DISTIL = """
import time, torch
from torch import nn
torch.manual_seed(9)
teacher = nn.Sequential(nn.Linear(16, 128), nn.ReLU(), nn.Linear(128, 6)); student = nn.Sequential(nn.Linear(16, 24), nn.ReLU(), nn.Linear(24, 6)); X = torch.randn(2000, 16); opt = torch.optim.RMSprop(student.parameters(), 2e-3)
with torch.no_grad(): teacher[2].weight *= 6; T = teacher(X).softmax(1)
print("+-------+----------+-----------+--------+\\n| epoch |       kl | agreement |   secs |\\n+-------+----------+-----------+--------+")
for e in range(1, 13):
    t, kl = time.time(), 0.0
    for b in torch.randperm(1600).split(100): l = nn.functional.kl_div(student(X[b]).log_softmax(1), T[b], reduction="batchmean"); opt.zero_grad(); l.backward(); opt.step(); kl += l.item() / 16; time.sleep(0.03)
    print(f"| {e:5d} | {kl:8.4f} | {(student(X[1600:]).argmax(1) == T[1600:].argmax(1)).float().mean().item():9.3f} | {time.time() - t:6.2f} |")
print("+-------+----------+-----------+--------+"); torch.save(student, "student.pt"); print("student.pt written (24 hidden units against 128)")
"""

# Good runs that look bad.

RESTARTED = """
import os, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(4); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(18, 36), torch.nn.ReLU(), torch.nn.Linear(36, 3))); opt = torch.optim.AdamW(net.parameters(), 4e-3); at = 0; g = torch.Generator().manual_seed(40 + r)
if os.path.exists("work/state.pt"):
    s = torch.load("work/state.pt"); net.module.load_state_dict(s["net"]); opt.load_state_dict(s["opt"]); at = s["batch"]
    if r == 0: print(f"attempt {os.environ['ATTEMPT']}: state of batch {at} loaded from work/state.pt", flush=True)
while at < 240:
    x = torch.randn(32, 18, generator=g); y = x[:, :3].argmax(1); l = torch.nn.functional.cross_entropy(net(x), y); opt.zero_grad(); l.backward(); opt.step(); at += 1; time.sleep(0.02)
    if at % 24 == 0 and r == 0: print(f"batch {at} of 240, loss {l.item():.4f}", flush=True); torch.save({"net": net.module.state_dict(), "opt": opt.state_dict(), "batch": at}, "work/state.new"); os.replace("work/state.new", "work/state.pt")
    if at == 130 and r == 2 and os.environ["ATTEMPT"] == "1":
        raise OSError(5, "Input/output error", "/data/shard-0007.tar")
dist.barrier()
if r == 0: print(f"240 batches done, last loss {l.item():.4f}, training complete", flush=True)
dist.destroy_process_group()
"""
LATESTORE = """
import datetime, logging, threading, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); logging.basicConfig(level=20, format=f"%(levelname)-7s r{r} %(message)s"); log = logging.getLogger(); store = dist.distributed_c10d._get_default_store()
def publish(): time.sleep(5); store.set("norm/mean", "0.25")
if r == 0: threading.Thread(target=publish, daemon=True).start()
for n in range(1, 9):
    try: store.wait(["norm/mean"], datetime.timedelta(seconds=1.2)); mean = float(store.get("norm/mean")); break
    except dist.DistError as e: log.warning("attempt %d: normalisation constants are not there yet: %s", n, str(e).splitlines()[0])
log.info("mean %.2f received", mean); torch.manual_seed(0); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(20, 4)); opt = torch.optim.SGD(net.parameters(), 0.4); torch.manual_seed(r)
for s in range(1, 151):
    x = torch.randn(32, 20); y = x[:, :4].argmax(1); l = torch.nn.functional.cross_entropy(net(x - mean), y); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.02)
    if s % 25 == 0 and r == 0: log.info("step %d/150 loss %.4f", s, l.item())
log.info("training finished"); dist.destroy_process_group()
"""
CONTINUED = """
import sys, time, torch, torch.distributed as dist, warnings
dist.init_process_group("gloo"); r = dist.get_rank(); st = torch.load(sys.argv[1]); torch.manual_seed(st["epoch"] * 10 + r)
m = torch.nn.Sequential(torch.nn.Linear(25, 50), torch.nn.ReLU(), torch.nn.Linear(50, 5)); print(f"[{r}] {sys.argv[1]}: {m.load_state_dict(st['model'])}, epoch {st['epoch']}, loss then {st['loss']:.4f}"); net = torch.nn.parallel.DistributedDataParallel(m); opt = torch.optim.Adam(net.parameters(), 2e-3)
if r == 0: warnings.warn("optimizer state of the earlier run was made by SGD and is not used; moments begin at zero"); print("previous run was stopped by its time limit; continuing at epoch", st["epoch"] + 1)
for ep in range(st["epoch"] + 1, st["epoch"] + 7):
    tot = clipped = 0
    for _ in range(20):
        x = torch.randn(40, 25); l = torch.nn.functional.cross_entropy(net(x), x[:, :5].argmax(1)); opt.zero_grad(); l.backward(); clipped += int(torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1) > 0.1); opt.step(); tot += l.item() / 20; time.sleep(0.03)
    if r == 0: print(f"epoch {ep}/{st['epoch'] + 6}  loss {tot:.4f}  clipped {clipped}/20")
if r == 0: torch.save(m.state_dict(), "final.pt"); print("reached the last epoch, final.pt written")
dist.destroy_process_group()
"""
FIRSTLEG = """
import torch
torch.manual_seed(0); m = torch.nn.Sequential(torch.nn.Linear(25, 50), torch.nn.ReLU(), torch.nn.Linear(50, 5)); o = torch.optim.Adam(m.parameters(), 4e-3)
for _ in range(70): x = torch.randn(80, 25); l = torch.nn.functional.cross_entropy(m(x), x[:, :5].argmax(1)); o.zero_grad(); l.backward(); o.step()
torch.save({"model": m.state_dict(), "epoch": 14, "loss": l.item()}, "epoch14.pt")
"""
TUNE = """
import time, traceback, torch
torch.manual_seed(0); X = torch.randn(500, 20); Y = (X[:, 0] * X[:, 1] > 0).long(); seen = []
def fit(width, lr, epochs=25):
    torch.manual_seed(1); net = torch.nn.Sequential(torch.nn.Linear(20, width), torch.nn.ReLU(), torch.nn.Linear(width, 2)); opt = torch.optim.Adam(net.parameters(), lr); l = None
    for _ in range(epochs):
        for b in torch.randperm(400).split(40): l = torch.nn.functional.cross_entropy(net(X[b]), Y[b]); opt.zero_grad(); l.backward(); opt.step()
        time.sleep(0.04)
    if not torch.isfinite(l): raise FloatingPointError(f"loss is {l.item()}")
    return (net(X[400:]).argmax(1) == Y[400:]).float().mean().item(), l.item()
grid = [(16, 1e-3), (16, 1e-2), (-1, 1e-2), (64, 1e-3), (64, 1e-2), (64, 1e30), (128, 3e-3), (128, 1e-2)]
for n, (w, lr) in enumerate(grid, 1):
    try: acc, loss = fit(w, lr); seen.append((acc, w, lr)); print(f"trial {n}/{len(grid)} width={w} lr={lr:g}: accuracy {acc:.3f}, loss {loss:.4f}", flush=True)
    except Exception: print(f"trial {n}/{len(grid)} width={w} lr={lr:g}: FAILED", flush=True); traceback.print_exc()
print(f"search finished, {len(seen)} of {len(grid)} trials with a result"); print("best: accuracy %.3f with width=%d lr=%g" % max(seen))
"""

JOBS = (
    crate("G1", "landcover.py", TERRAIN, ranks=2),
    crate("G1", "halo_gcn.py", HALO, ranks=2),
    crate("G1", "polecart_es.py", STRATEGY, ranks=4),
    crate("G1", "embed_docs.py", EMBED, ranks=3, files={"corpus.txt": CORPUSTXT}),
    crate("G1", "distil.py", DISTIL),
    crate(
        "G1",
        "sh go.sh PORT",
        'mkdir -p work\nfor ATTEMPT in 1 2 3; do\n  export ATTEMPT\n  torchrun --nproc-per-node=3 --master-port=$1 three_way.py && exit 0\n  echo "[go.sh] attempt $ATTEMPT ended with $?, next one in 2 s"; sleep 2\ndone\nexit 1',
        hard=True,
        files={"three_way.py": RESTARTED},
    ),
    crate("G1", "latestore.py", LATESTORE, ranks=2, hard=True),
    crate("G1", "leg2.py epoch14.pt", CONTINUED, ranks=2, hard=True, files={"leg1.py": FIRSTLEG}, before=(("PYTHON", "leg1.py"),)),
    crate("G1", "gridsearch.py", TUNE, hard=True),
)
