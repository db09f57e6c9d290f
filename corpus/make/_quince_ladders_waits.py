"""Runs of a group of students that stood still, ran out of their time, or were ended by their owner."""

from corpus.make._crate import crate
from corpus.running.job import Signal

SPAWN = """
import argparse, datetime, os, time, torch, torch.distributed as dist, torch.multiprocessing as mp
def worker(local, a):
    print(f"worker {local}: rank {local} of {a.nodes * a.gpus}, init file {os.path.abspath('ddp_init')}", flush=True)
    dist.init_process_group("gloo", init_method="file://" + os.path.abspath("ddp_init"), rank=local, world_size=a.nodes * a.gpus, timeout=datetime.timedelta(hours=4))
    print("worker", local, "joined", flush=True); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 8)); opt = torch.optim.SGD(net.parameters(), 0.1)
    for ep in range(50): loss = net(torch.randn(32, 8)).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step(); print(f"worker {local} epoch {ep} loss {loss.item():.4f}", flush=True)
if __name__ == "__main__":
    p = argparse.ArgumentParser(); p.add_argument("--nodes", type=int, default=1); p.add_argument("--gpus", type=int, default=2); p.add_argument("--dist-url", default="file"); a = p.parse_args()
    print(f"=> {a}"); print(f"=> spawning {a.gpus} workers on {os.uname().nodename}, world size {a.nodes * a.gpus}", flush=True); mp.spawn(worker, (a,), nprocs=a.gpus)
"""

FLOWERISH = """
import multiprocessing as mp, socket, sys, time, pickle
def log(who, text): print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {who:<9} {text}", flush=True)
def send(s, thing): b = pickle.dumps(thing); s.sendall(len(b).to_bytes(4, "big") + b)
def recv(s): n = int.from_bytes(s.recv(4, socket.MSG_WAITALL), "big"); return pickle.loads(s.recv(n, socket.MSG_WAITALL))
def server(port, need, rounds):
    l = socket.create_server(("127.0.0.1", port)); conns = []; log("server", f"gRPC-like server on port {port}, {rounds} rounds, min_available_clients={need}")
    while len(conns) < need: log("server", f"waiting for clients: {len(conns)} of {need} connected"); c, _ = l.accept(); conns.append(c)
    w = 0.0
    for r in range(rounds): [send(c, w) for c in conns]; w = sum(recv(c) for c in conns) / need; log("server", f"round {r + 1}: w={w:.4f}")
def client(k, port):
    time.sleep(0.5 + k * 0.4); s = socket.create_connection(("127.0.0.1", port)); log(f"client-{k}", "connected, waiting for the first parameters")
    while True: w = recv(s); send(s, w - 0.2 * (w - k))
if __name__ == "__main__":
    port, need, n = map(int, sys.argv[1:]); ps = [mp.Process(target=server, args=(port, need, 30))] + [mp.Process(target=client, args=(k, port)) for k in range(n)]; [p.start() for p in ps]; [p.join() for p in ps]
"""

PIPEDEAD = '''
import os, time, torch, torch.distributed as dist, torch.nn as nn
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(0); front, back = nn.Sequential(nn.Linear(20, 32), nn.ReLU()), nn.Linear(32, 4); stage = front if r == 0 else back; opt = torch.optim.Adam(stage.parameters(), 5e-3); M = 4
def fill_drain(xs, ys):
    """All micro-batches forward, then all backward."""
    if r == 0:
        hs = [front(x) for x in xs]; [dist.send(h.detach(), 1) for h in hs]
        for h in hs: g = torch.empty_like(h); dist.recv(g, 1); h.backward(g)
        return None
    hs = []
    for _ in ys: h = torch.empty(16, 32); dist.recv(h, 0); hs.append(h.requires_grad_())
    losses = [nn.functional.cross_entropy(back(h), y) / M for h, y in zip(hs, ys)]; [l.backward() for l in losses]; [dist.send(h.grad, 0) for h in hs]; return sum(l.item() for l in losses)
def one_f_one_b(xs, ys):
    """Alternates; saves memory."""
    total = 0.0; g = torch.empty(16, 32)
    for x, y in zip(xs, ys):
        if r == 0: h = front(x); dist.recv(g, 1); h.backward(g); dist.send(h.detach(), 1)
        else: h = torch.empty(16, 32); dist.recv(h, 0); h.requires_grad_(); l = nn.functional.cross_entropy(back(h), y) / M; l.backward(); dist.send(h.grad, 0); total += l.item()
    return total
print(f"stage {r} of {dist.get_world_size()}: {sum(p.numel() for p in stage.parameters())} parameters", flush=True); gen = torch.Generator().manual_seed(5)
for step in range(1, 401):
    x = torch.randn(64, 20, generator=gen); y = x[:, :4].argmax(1); opt.zero_grad(); loss = (fill_drain if step <= 120 else one_f_one_b)(x.split(16), y.split(16)); opt.step(); time.sleep(0.05)
    if step % 10 == 0: print(f"stage {r} step {step}/400" + (f" loss {loss:.4f}" if r else ""), flush=True)
    if step == 120: print(f"stage {r}: warm-up over, schedule 1F1B", flush=True)
'''

FORKLOCK = '''
import logging, threading, time, torch, torch.nn as nn
logging.basicConfig(level=logging.INFO, format="%(asctime)s [%(process)d] %(message)s"); torch.manual_seed(0); cache_lock, cache = threading.Lock(), {}
class Windows(torch.utils.data.Dataset):
    """Time series windows; the statistics of a series are cached."""
    def __len__(self): return 320
    def __getitem__(self, i):
        with cache_lock: mean, std = cache.setdefault(i % 10, (float(i % 10), 1.0 + i % 3))
        g = torch.Generator().manual_seed(i); x = torch.randn(17, generator=g).cumsum(0); return x[:16], x[16:]
def refresh():
    """Recomputes the statistics now and then."""
    with cache_lock: cache.clear(); time.sleep(600)
net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1)); opt = torch.optim.Adam(net.parameters(), 2e-3)
for epoch in range(1, 101):
    began = time.time(); tot = 0.0
    for x, y in torch.utils.data.DataLoader(Windows(), 32, num_workers=1, multiprocessing_context="fork"): loss = (net(x) - y).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step(); tot += loss.item() / 10; time.sleep(0.03)
    logging.info("epoch %d/100 mse %.4f (%.1f s)", epoch, tot, time.time() - began)
    if epoch == 9: threading.Thread(target=refresh, daemon=True).start(); time.sleep(0.05)
'''

SCORER = '''
import math, random, subprocess, sys, time
random.seed(1); W = [[0.0] * 12 for _ in range(12)]; text = [(i * 5 + random.choice((0, 0, 0, 1))) % 12 for i in range(4000)]
def external_scores(lines):
    """The official scorer is a program of its own."""
    p = subprocess.Popen([sys.executable, "scorer.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True); p.stdin.write("\\n".join(lines) + "\\n"); p.stdin.close(); p.wait(); return float(p.stdout.read().split()[-1])
print("captioner: bigram decoder, scored every 4 epochs with scorer.py", flush=True)
for epoch in range(1, 41):
    nll = 0.0
    for a, b in zip(text, text[1:]):
        e = [math.exp(v) for v in W[a]]; z = sum(e); nll -= math.log(e[b] / z) / len(text)
        for k in range(12): W[a][k] -= 0.03 * (e[k] / z - (k == b))
    print(f"epoch={epoch} nll={nll:.4f}", flush=True); time.sleep(0.4)
    if epoch % 4 == 0: n = 40 * epoch ** 2; print(f"epoch={epoch} scoring {n} captions ...", flush=True); t = time.time(); s = external_scores([" ".join(str(max(range(12), key=lambda k: W[j % 12][k])) for _ in range(4)) for j in range(n)]); print(f"epoch={epoch} cider={s:.4f} ({time.time() - t:.2f} s)", flush=True)
'''
SCORERPY = """
import sys
lines = sys.stdin.read().splitlines()
for n, line in enumerate(lines): print(f"caption {n:06d} tokens {len(line.split())} distinct {len(set(line.split()))}")
print(sum(len(set(l.split())) for l in lines) / len(lines))
"""

LONGDDP = """
import os, time, torch, torch.distributed as dist, torch.nn as nn
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(0); net = nn.parallel.DistributedDataParallel(nn.GRU(6, 32, batch_first=True)); head = nn.Linear(32, 6); opt = torch.optim.AdamW([*net.parameters(), *head.parameters()], 2e-3); torch.manual_seed(r + 5); E, B = 140, 12
if r == 0: print(f"{'epoch':>7}{'batch':>7}{'loss':>10}{'samples/s':>11}{'left':>9}", flush=True)
began = time.time()
for ep in range(1, E + 1):
    for b in range(1, B + 1):
        x = torch.randn(32, 21, 6).cumsum(1) / 3; loss = (head(net(x[:, :-1])[0]) - x[:, 1:]).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.06)
        if r == 0 and b % 6 == 0: done = (ep - 1) * B + b; rate = done / (time.time() - began); print(f"{ep:>4}/{E}{b:>4}/{B}{loss.item():>10.4f}{64 * rate:>11.1f}{(E * B - done) / rate:>8.0f}s", flush=True)
    if r == 0 and ep % 10 == 0: torch.save(net.module.state_dict(), f"gru_{ep:03d}.pt"); print(f"# gru_{ep:03d}.pt", flush=True)
"""

ALS = """
import random, time
random.seed(12); U, I, K = 60, 90, 4; R = {(u, i): (u * i) % 5 + random.random() for u in range(U) for i in range(I) if random.random() < 0.25}
P = [[random.random() for _ in range(K)] for _ in range(U)]; Q = [[random.random() for _ in range(K)] for _ in range(I)]; sweeps = 500
def log(text): print(time.strftime("%H:%M:%S"), "-", text, flush=True)
log(f"{len(R)} ratings, {sweeps} sweeps of coordinate descent, snapshot every 25")
for s in range(1, sweeps + 1):
    err = 0.0
    for (u, i), r in R.items():
        e = r - sum(a * b for a, b in zip(P[u], Q[i])); err += e * e
        for k in range(K): P[u][k], Q[i][k] = P[u][k] + 0.01 * (e * Q[i][k] - 0.02 * P[u][k]), Q[i][k] + 0.01 * (e * P[u][k] - 0.02 * Q[i][k])
    time.sleep(0.2); log(f"sweep {s} of {sweeps}: rmse {(err / len(R)) ** 0.5:.4f}")
    if s % 25 == 0: open(f"snap{s}.txt", "w").write(repr((P, Q))); log(f"snapshot snap{s}.txt")
"""

GRACEFUL = """
import signal, sys, time, numpy as np
rng = np.random.default_rng(3); W = rng.normal(0, 0.1, (32, 32)); X = rng.normal(size=(400, 6)) @ rng.normal(size=(6, 32)); N = 900
print(f"linear autoencoder with tied weights, {N} iterations; Ctrl-C stores what there is")
try:
    for it in range(1, N + 1):
        i = rng.integers(400, size=64); E = X[i] @ W @ W.T - X[i]; G = 2 * (X[i].T @ E @ W + E.T @ X[i] @ W) / (64 * 32); W -= 0.01 * G; time.sleep(0.04)
        if it % 15 == 0: print(f"iter {it:4d}/{N}   recon {np.mean(E ** 2):.5f}   |grad| {np.linalg.norm(G):.4f}", flush=True)
except KeyboardInterrupt: np.save("interrupted.npy", W); print(f"^C received at iteration {it}, weights stored in interrupted.npy; exiting", flush=True); sys.exit(130)
np.save("final.npy", W)
"""

JOBS = (
    crate(
        "C1", "main_spawn.py --nodes 2 --gpus 2", SPAWN, timeout_s=40, note="world size 4, two workers spawned; none has joined, silent to the limit"
    ),
    crate(
        "C1",
        "fl_sim.py PORT 5 4",
        FLOWERISH,
        python="system",
        timeout_s=32,
        note="server waits for five clients, four are connected and wait for it; no round ever",
    ),
    crate("C2", "pipeline.py", PIPEDEAD, ranks=2, timeout_s=50, note="after step 120 and the change of schedule both stages are silent to the limit"),
    crate("C3", "windows.py", FORKLOCK, timeout_s=42, note="an epoch every half second, then silence to the limit, one process and its loader"),
    crate(
        "C3",
        "caption.py",
        SCORER,
        python="system",
        files={"scorer.py": SCORERPY},
        timeout_s=34,
        note="scoring at epoch 4 took no time, the one at epoch 8 never comes back; silent to the limit",
    ),
    crate(
        "F3",
        "gru_ddp.py",
        LONGDDP,
        ranks=2,
        variant="advancing",
        timeout_s=48,
        note="two lines an epoch to the limit, tens of seconds left by its own count",
    ),
    crate("F3", "mf_cd.py", ALS, python="system", variant="advancing", timeout_s=22, note="a sweep every 0.2 s to the limit, of 500"),
    crate("F4", "tied_ae.py", GRACEFUL, signal=Signal("INT", r"iter +225/"), note="Ctrl-C while it goes on; weights stored, exit 130"),
)
