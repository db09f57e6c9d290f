"""Students' runs that stood still, dragged on, learnt nothing, or were stopped."""

from corpus.make._crate import crate
from corpus.running.job import Signal

ES = '''
"""Evolution strategy with a results board that workers and the main thread share."""
import random, threading, time
random.seed(3); board, lock_b, lock_s = {}, threading.Lock(), threading.Lock(); w = [random.uniform(-3, 3) for _ in range(6)]
def fitness(v): return -sum((x - 0.5 * i) ** 2 for i, x in enumerate(v))
def summary(gen):
    with lock_s:
        time.sleep(0.004)
        with lock_b: return max(board.values())
def worker(gen, k, v):
    with lock_b:
        board[gen, k] = fitness(v)
        if gen == 52 and k == 3: time.sleep(0.4)
        if gen >= 52 and k == 3:
            with lock_s: board["peak"] = max(board.values())
for gen in range(1, 401):
    cand = [[x + random.gauss(0, 0.25) for x in w] for _ in range(8)]; ts = [threading.Thread(target=worker, args=(gen, k, v), daemon=True) for k, v in enumerate(cand)]
    for t in ts: t.start()
    time.sleep(0.1); best = summary(gen)
    for t in ts: t.join()
    w = cand[max(range(8), key=lambda k: board[gen, k])]
    print(f"gen {gen:03d}/400 best fitness {best:9.4f} this gen {max(board[gen, k] for k in range(8)):9.4f}", flush=True)
'''
SPECTRA = '''
import time, torch
class Archive:
    """Spectra are read one FITS file at a time from the tape cache."""
    def __init__(s, n): s.n = n
    def get(s, k): time.sleep(0.034); g = torch.Generator().manual_seed(k); f = torch.rand(1, generator=g); return torch.sin(torch.arange(60) * (0.1 + f)) + 0.1 * torch.randn(60, generator=g), f
torch.manual_seed(6); arc = Archive(10**6); net = torch.nn.Sequential(torch.nn.Linear(60, 48), torch.nn.ReLU(), torch.nn.Linear(48, 1)); opt = torch.optim.Adam(net.parameters(), 4e-3)
print("iter   loss      load(s)  step(s)  waiting for spectra"); tl = ts = 0.0
for it in range(1, 33):
    a = time.perf_counter(); rows = [arc.get(it * 12 + j) for j in range(12)]; b = time.perf_counter(); x, y = torch.stack([r[0] for r in rows]), torch.stack([r[1] for r in rows])
    l = (net(x) - y).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.02); c = time.perf_counter(); tl += b - a; ts += c - b
    if it % 2 == 0: print(f"{it:4d}   {l.item():.5f}   {b - a:6.3f}   {c - b:6.3f}   {100 * (b - a) / (c - a):4.0f} %", flush=True)
print(f"32 iterations in {tl + ts:.1f} s; of these {tl:.1f} s waiting for spectra, {ts:.1f} s in steps (the card was idle {100 * tl / (tl + ts):.0f} % of the time)")
'''
SNAPS = """
import os, time, torch
torch.manual_seed(14); G = torch.nn.Sequential(torch.nn.Linear(32, 700), torch.nn.ReLU(), torch.nn.Linear(700, 700), torch.nn.ReLU(), torch.nn.Linear(700, 24)); opt = torch.optim.Adam(G.parameters(), 1e-3); os.makedirs("snapshots", exist_ok=True); t_train = t_save = 0.0
target = torch.randn(32, 24)
for it in range(1, 41):
    t = time.time(); z = torch.randn(64, 32); l = (G(z) - z @ target / 6).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); t_train += time.time() - t
    t = time.time(); path = f"snapshots/it{it % 3}.pt"
    with open(path, "wb") as f:
        for part in (G.state_dict(), opt.state_dict()): torch.save(part, f)
        f.flush(); os.fsync(f.fileno()); time.sleep(0.16)  # the project space answers late
    t_save += time.time() - t
    print(f"it {it}/40 loss {l.item():.4f}", flush=True); print(f"   saved snapshot {path} ({os.path.getsize(path) / 2**20:.1f} MiB) in {time.time() - t:.2f} s", flush=True)
print(f"all 40 iterations done. training {t_train:.1f} s, saving {t_save:.1f} s")
"""
SCORES = """
import torch
torch.manual_seed(23); c = torch.randn(12, 10) * 2; who = torch.randint(12, (720,)); X = c[who] + 0.4 * torch.randn(720, 10); net = torch.nn.Sequential(torch.nn.Linear(10, 40), torch.nn.ReLU(), torch.nn.Linear(40, 6)); opt = torch.optim.Adam(net.parameters(), 1e-3)
def dist(a, b): return torch.sqrt(((a - b) ** 2).sum(1))
print("epoch  contrastive   pos.dist   neg.dist   |theta|")
for ep in range(1, 26):
    tot = pos = neg = 0.0
    for i in torch.randperm(720).split(72):
        z = net(X[i]); same = who[i][:, None] == who[i][None]
        if ep > 7: same = same & (torch.cdist(X[i], X[i]) < 1.2)  # only close pairs from now on
        else: same = same & ~torch.eye(72, dtype=torch.bool)
        p, q = same.nonzero(as_tuple=True); u, v = (who[i][:, None] != who[i][None]).nonzero(as_tuple=True); dp, dn = dist(z[p], z[q]), dist(z[u], z[v])
        l = dp.pow(2).mean() * 0.5 + dp.mean() * 0.1 + torch.relu(2 - dn).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); tot += l.item() / 10; pos += dp.mean().item() / 10; neg += dn.mean().item() / 10
    print(f"{ep:5d}  {tot:11.5f}  {pos:9.4f}  {neg:9.4f}  {sum(w.norm().item() for w in net.parameters()):8.3f}", flush=True)
print("finished 25 epochs, embedding in metric.pt"); torch.save(net.state_dict(), "metric.pt")
"""
FROZE = """
import sys, torch
torch.manual_seed(9); proto = torch.randn(8, 32); Y = torch.arange(960) % 8; X = proto[Y] + 0.3 * torch.randn(960, 32)
body = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU()); head = torch.nn.Linear(64, 8); torch.nn.init.zeros_(head.weight); torch.nn.init.zeros_(head.bias)
opt = torch.optim.AdamW(body.parameters(), 1e-3, weight_decay=0.0)
print("trainable tensors:", len(list(body.parameters())), file=sys.stderr); print("epoch,train_loss,train_acc,grad_norm,lr")
for ep in range(1, 31):
    tot = hit = 0.0
    for i in torch.randperm(960).split(96):
        o = head(body(X[i])); l = torch.nn.functional.cross_entropy(o, Y[i]); opt.zero_grad(); l.backward(); g = sum(p.grad.norm() ** 2 for p in body.parameters()).sqrt(); opt.step(); tot += l.item() / 10; hit += (o.argmax(1) == Y[i]).sum().item()
    print(f"{ep},{tot:.6f},{hit / 960:.4f},{g.item():.3e},1.0e-03", flush=True)
print("training finished after 30 epochs", file=sys.stderr)
"""
FEWSTEPS = """
import argparse, random, time
p = argparse.ArgumentParser(); p.add_argument("--budget-tokens", type=float, default=2e4); p.add_argument("--batch-tokens", type=float, default=8192); a = p.parse_args()
random.seed(7); w, steps = [random.random() for _ in range(40)], int(a.budget_tokens // a.batch_tokens)
print(f"model: bigram head with {len(w)} weights; tokens to see: {a.budget_tokens:,.0f}; optimizer steps: {steps}")
for s in range(1, steps + 1):
    x = [random.random() for _ in w]; err = sum(p * q for p, q in zip(w, x)) - 2.0; w = [p - 0.004 * err * q for p, q in zip(w, x)]; time.sleep(0.3); print(f"step {s}/{steps}  loss {err * err:.3f}  lr 4.0e-03", flush=True)
print("token budget used up, training complete"); open("bigram.txt", "w").write(" ".join(f"{v:.4f}" for v in w)); print("weights written to bigram.txt")
"""
MANYEPOCHS = """
import math, random, time
from datetime import datetime
random.seed(13); N = 300; xs = [random.uniform(-2, 2) for _ in range(N)]; ys = [math.sin(2 * x) for x in xs]; C = [random.gauss(0, 0.1) for _ in range(9)]
def phi(x): return [math.exp(-4 * (x - c / 2) ** 2) for c in range(-4, 5)]
F = [phi(x) for x in xs]; print(datetime.now().isoformat(" ", "seconds"), "RBF network, 9 centres, 250 epochs planned", flush=True)
for ep in range(1, 251):
    t = time.time(); se = 0.0
    for f, y in zip(F, ys):
        e = sum(c * v for c, v in zip(C, f)) - y; se += e * e; C = [c - 0.02 * e * v for c, v in zip(C, f)]
    time.sleep(0.7); print(datetime.now().isoformat(" ", "seconds"), f"epoch {ep}/250 mse {se / N:.5f} ({time.time() - t:.2f} s, about {(250 - ep) * (time.time() - t):.0f} s to go)", flush=True)
"""
BANDIT = """
import random, sys, time
random.seed(21); arms = [random.gauss(0, 1) for _ in range(10)]; q, n, total = [0.0] * 10, [0] * 10, 0.0
try:
    for t in range(1, 100_001):
        k = random.randrange(10) if random.random() < 0.1 else q.index(max(q)); r = random.gauss(arms[k], 1); n[k] += 1; q[k] += (r - q[k]) / n[k]; total += r; time.sleep(0.001)
        if t % 250 == 0: print(f"pull {t:>6}/100000  average reward {total / t:.4f}  best arm {q.index(max(q))}", flush=True)
except KeyboardInterrupt:
    print(f"interrupted by keyboard at pull {t}; q-table not saved", file=sys.stderr); raise
"""
PARTS = '''
"""Full-batch node classification, the graph cut into two parts by a greedy partitioner."""
import time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); size = (1500, 190)[r]; torch.manual_seed(r)
print(f"part {r}: {size} nodes, {size * 9} edges", flush=True)
X = torch.randn(size, 16); Y = X[:, :4].argmax(1); net = torch.nn.Linear(16, 4); torch.manual_seed(0); torch.nn.init.normal_(net.weight, std=0.1); opt = torch.optim.Adam(net.parameters(), 0.02)
for ep in range(1, 31):
    a = time.time(); l = torch.nn.functional.cross_entropy(net(X), Y); opt.zero_grad(); l.backward(); time.sleep(size * 2e-4); b = time.time()
    for p in net.parameters(): dist.all_reduce(p.grad); p.grad /= 2
    opt.step(); c = time.time()
    if ep % 3 == 0: print(f"epoch {ep:2d}/30 part {r} loss {l.item():.4f} aggregate+backward {b - a:.3f} s, waiting for the other part {c - b:.3f} s", flush=True)
if r == 0: print("30 epochs done")
dist.barrier(); dist.destroy_process_group()
'''
EARLYFLAG = '''
import os, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(31); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(10, 10)); opt = torch.optim.SGD(net.parameters(), 0.1)
def stop_wanted(ep):
    """Rank 0 decides; the others read its decision from the shared folder."""
    if r == 0:
        if ep != 9: open(f"decide-{ep}", "w").write("go")
        return False
    while not os.path.exists(f"decide-{ep}"): time.sleep(0.05)
    return open(f"decide-{ep}").read() == "stop"
for ep in range(1, 51):
    for _ in range(6): x = torch.randn(32, 10); l = (net(x) - x.flip(1)).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.04)
    print(f"[{time.strftime('%X')}] rank{r} epoch {ep}/50 loss {l.item():.5f}", flush=True)
    if stop_wanted(ep): break
'''

JOBS = (
    crate("C3", "evo.py", ES, python="system", timeout_s=28, note="a generation every tenth of a second to the 51st, then silence to the limit"),
    crate(
        "C2",
        "flip_ddp.py",
        EARLYFLAG,
        ranks=2,
        timeout_s=48,
        note="an epoch every quarter of a second to the 9th, then both ranks are silent to the limit",
    ),
    crate("D1", "redshift.py", SPECTRA, note="by its own account nearly all of each iteration is waiting for spectra, ended well"),
    crate("D2", "gen_snap.py", SNAPS, variant="save_storm", note="a snapshot after every iteration, most of the time in saves"),
    crate(
        "D3",
        "parts.py",
        PARTS,
        ranks=2,
        fault="unknown",
        first=(),
        note="part 0 has eight times the nodes: its own work is the step, part 1 waits for it",
    ),
    crate("E1", "metric.py", SCORES, cause="nan_loss", variant="non_finite", note="the loss becomes nan and stays so to the last epoch, exit 0"),
    crate("E1", "proto8.py", FROZE, variant="flat", note="loss ln 8 and accuracy at one in eight in all 30 epochs, grad norm 0"),
    crate("E3", "bigram.py --budget-tokens 30000", FEWSTEPS, python="system", note="three optimiser steps, exit 0"),
    crate("F3", "rbf.py", MANYEPOCHS, variant="advancing", python="system", timeout_s=19, note="an epoch every 0.7 s to the limit, of 250"),
    crate("F4", "bandit.py", BANDIT, python="system", signal=Signal("INT", "pull   5500/"), note="Ctrl-C while it goes on"),
)
