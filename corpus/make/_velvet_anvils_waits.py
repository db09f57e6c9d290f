"""Students' runs that stood still, ran out of their time, or were ended by their owner."""

from corpus.make._crate import crate
from corpus.running.job import Signal

TWOPORTS = """
import datetime, os, sys, time
import torch, torch.distributed as dist
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
print(f"[rank {rank}] pid {os.getpid()} MASTER_ADDR={os.environ['MASTER_ADDR']} MASTER_PORT={os.environ['MASTER_PORT']} WORLD_SIZE={world}", flush=True)
dist.init_process_group("gloo", timeout=datetime.timedelta(hours=3))
print(f"[rank {rank}] process group ready", flush=True)
w = torch.zeros(20, requires_grad=True)
for step in range(100): x = torch.randn(64, 20); loss = ((x @ w) - x.sum(1)).pow(2).mean(); loss.backward(); dist.all_reduce(w.grad); w.data -= 0.02 * w.grad; w.grad = None; print(rank, step, loss.item(), flush=True)
"""
TWOPORTS_SH = """
#!/bin/bash
# two gpus by hand; torchrun is broken in this environment
export WORLD_SIZE=2 MASTER_ADDR=127.0.0.1
PY=$1
base_port=$2
for r in 0 1; do
  RANK=$r MASTER_PORT=$((base_port + r)) "$PY" contrastive_ddp.py &
done
wait
"""

FLAGWAIT = '''
import os, time, torch, torch.distributed as dist, torch.nn as nn
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(5)
net = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(40, 64), nn.ReLU(), nn.Linear(64, 16))); opt = torch.optim.AdamW(net.parameters(), 3e-3); torch.manual_seed(r)
basis = torch.randn(5, 40, generator=torch.Generator().manual_seed(1)); done = "cache/val_%d.done"
def validate(epoch):
    """Once, on the main process; the other reads its number from the cache."""
    if r == 0: time.sleep(0.2); v = torch.tensor(1.0 / epoch); dist.all_reduce(v) if epoch >= 4 else None; open(done % epoch, "w").write(f"{v.item():.4f}")
    while not os.path.exists(done % epoch): time.sleep(0.02)
    return float(open(done % epoch).read() or 0)
os.makedirs("cache", exist_ok=True)
for epoch in range(1, 13):
    for it in range(1, 21):
        x = torch.randn(64, 5) @ basis; z = net(x); loss = (z[:, :5] - x[:, :5]).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.03)
        if it % 5 == 0: print(f"r{r} ep{epoch:02d} it{it:02d} loss {loss.item():.4f}", flush=True)
    print(f"r{r} ep{epoch:02d} validating", flush=True); v = validate(epoch); print(f"r{r} ep{epoch:02d} val {v}", flush=True)
'''

FEDQUEUE = """
import multiprocessing as mp, random, sys, time

def client(k, inbox, outbox):
    rnd_gen = random.Random(k); xs = [[rnd_gen.gauss(0, 1) for _ in range(6)] for _ in range(200)]; truth = [0.5, -1, 0.25, 0, 2, -0.5]; ys = [sum(a * b for a, b in zip(x, truth)) for x in xs]
    lr_by_round = {n: 0.1 / (1 + n // 10) for n in range(0, 25 if k == 3 else 60)}
    while True:
        rnd, w = inbox.get()
        for _ in range(3):
            err = [sum(a * b for a, b in zip(x, w)) - y for x, y in zip(xs, ys)]
            w = [wi - lr_by_round[rnd] * 2 * sum(e * x[i] for e, x in zip(err, xs)) / len(xs) for i, wi in enumerate(w)]
        time.sleep(0.05); outbox.put((k, w, sum(e * e for e in err) / len(err)))

def main(n=5, rounds=60):
    inboxes = [mp.Queue() for _ in range(n)]; answers = mp.Queue()
    for k in range(n): mp.Process(target=client, args=(k, inboxes[k], answers), daemon=True, name=f"client-{k}").start()
    w = [0.0] * 6; print(f"server up, {n} client processes, {rounds} rounds", flush=True)
    for rnd in range(rounds):
        for q in inboxes: q.put((rnd, w))
        got = [answers.get() for _ in range(n)]
        w = [sum(g[1][i] for g in got) / n for i in range(6)]; print(f"round {rnd:>2}: answers from {sorted(g[0] for g in got)}, mean mse {sum(g[2] for g in got) / n:.6f}", flush=True)

if __name__ == "__main__": main()
"""

TWOLOCKS = '''
import logging, threading, time, torch, torch.nn as nn
logging.basicConfig(level=logging.INFO, format="%(asctime)s | %(threadName)-10s | %(message)s", datefmt="%H:%M:%S"); log = logging.getLogger()
torch.manual_seed(8); online = nn.Sequential(nn.Linear(30, 60), nn.ReLU(), nn.Linear(60, 12)); target = nn.Sequential(nn.Linear(30, 60), nn.ReLU(), nn.Linear(60, 12)); target.load_state_dict(online.state_dict())
pred = nn.Linear(12, 12); opt = torch.optim.Adam([*online.parameters(), *pred.parameters()], 2e-3); weights, stats = threading.Lock(), threading.Lock(); info = {"n": 0}
def follow():
    """Moves the target after the online network, at its own pace."""
    while True:
        time.sleep(0.5)
        with weights:
            for a, b in zip(target.parameters(), online.parameters()): a.data.lerp_(b.data, 0.1)
            if info["n"] < 60: continue
            time.sleep(0.3)  # after the warm-up the drift is measured, too
            with stats: info["drift"] = sum((a - b).pow(2).sum().item() for a, b in zip(target.parameters(), online.parameters()))
threading.Thread(target=follow, daemon=True, name="ema").start(); base = torch.randn(512, 30); log.info("BYOL on %d vectors, target moved by a thread of its own", len(base))
for step in range(1, 1001):
    i = torch.randint(512, (64,)); a, b = base[i] + 0.1 * torch.randn(64, 30), base[i] + 0.1 * torch.randn(64, 30)
    with stats:
        time.sleep(0.09)
        with weights:
            with torch.no_grad(): t = nn.functional.normalize(target(b), dim=1)
            loss = 2 - 2 * (nn.functional.normalize(pred(online(a)), dim=1) * t).sum(1).mean(); opt.zero_grad(); loss.backward(); opt.step()
        info["n"] = step
    time.sleep(0.02)
    if step % 5 == 0: log.info("step %d/1000 byol %.4f", step, loss.item())
'''

SEARCH = """
import argparse, json, random, time
p = argparse.ArgumentParser(); p.add_argument("--trials", type=int, default=100); p.add_argument("--seed", type=int, default=4); a = p.parse_args(); rng = random.Random(a.seed)
series = [10 + 0.05 * t + 3 * ((t % 12) / 6 - 1) ** 2 + rng.gauss(0, 0.3) for t in range(480)]
def holt_winters(alpha, beta, gamma, m=12):
    level, trend, season = series[0], 0.0, [0.0] * m; err = 0.0
    for t, y in enumerate(series):
        f = level + trend + season[t % m]; err += abs(y - f) if t >= 240 else 0; last = level
        level = alpha * (y - season[t % m]) + (1 - alpha) * (level + trend); trend = beta * (level - last) + (1 - beta) * trend; season[t % m] = gamma * (y - level) + (1 - gamma) * season[t % m]
    return err / 240
best = (9e9, None); began = time.time()
for n in range(1, a.trials + 1):
    c = dict(alpha=round(rng.random(), 3), beta=round(rng.random() / 4, 3), gamma=round(rng.random(), 3)); s = 0.0
    for fold in range(4): s += holt_winters(**c) / 4; time.sleep(0.2)
    if s < best[0]: best = (s, c)
    left = (time.time() - began) / n * (a.trials - n); print(json.dumps({"trial": n, "of": a.trials, "params": c, "mae": round(s, 4), "best_mae": round(best[0], 4), "eta_s": round(left)}), flush=True)
json.dump(best, open("best.json", "w")); print("search over")
"""

DISENT = """
import time, torch, torch.nn as nn
torch.manual_seed(12); X = (torch.rand(800, 5) > 0.5).float() @ torch.randn(5, 64); enc, dec = nn.Linear(64, 16), nn.Linear(8, 64); opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], 3e-3); E = 150
print("beta-VAE, beta=4, z=8,", E, "epochs")
for ep in range(1, E + 1):
    rec = kl = 0.0
    for i in torch.randperm(800).split(100):
        mu, lv = enc(X[i]).chunk(2, 1); z = mu + torch.randn_like(mu) * (lv / 2).exp(); r = (dec(z) - X[i]).pow(2).sum(1).mean(); k = 0.5 * (mu ** 2 + lv.exp() - lv - 1).sum(1).mean(); (r + 4 * k).backward(); opt.step(); opt.zero_grad(); rec += r.item() / 8; kl += k.item() / 8; time.sleep(0.02)
    print(f"====> Epoch: {ep} Average loss: {rec + 4 * kl:.4f} (rec {rec:.4f} kl {kl:.4f})", flush=True)
torch.save(dec.state_dict(), "dec.pt")
"""

JOBS = (
    crate(
        "C1",
        "sh launch.sh PYTHON PORT",
        TWOPORTS_SH,
        files={"contrastive_ddp.py": TWOPORTS},
        timeout_s=60,
        note="each rank has a MASTER_PORT of its own; none says that its group is ready; silent to the limit",
    ),
    crate("C2", "ssl_val.py", FLAGWAIT, ranks=2, timeout_s=75, note="after epoch 4's validation began both ranks are silent; before it took 0.2 s"),
    crate(
        "C2",
        "fed_mp.py",
        FEDQUEUE,
        python="system",
        trigger="A3",
        cause="traceback",
        timeout_s=38,
        note="client-3's KeyError in round 25; the server waits for its answer to the limit",
    ),
    crate("C3", "byol.py", TWOLOCKS, timeout_s=42, note="a step every 0.12 s up to the sixties, then silence to the limit, one process"),
    crate(
        "F3",
        "hw_search.py --trials 120",
        SEARCH,
        python="system",
        variant="advancing",
        timeout_s=26,
        note="a trial every 0.8 s to the limit, with the seconds left by its own count",
    ),
    crate("F4", "beta_vae.py", DISENT, signal=Signal("INT", "Epoch: 37 "), note="Ctrl-C while epochs went by; KeyboardInterrupt"),
)
