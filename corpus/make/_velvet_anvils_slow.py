"""Students' runs that ended well and were not well: starved, uneven, busy with something else, not learning, hardly trained."""

from corpus.make._crate import crate

WAITLOADER = '''
import argparse, time, torch, torch.nn as nn
p = argparse.ArgumentParser(description="masked autoencoder on spectrograms"); p.add_argument("--epochs", type=int, default=3); p.add_argument("--workers", type=int, default=0); p.add_argument("--print-freq", type=int, default=4); a = p.parse_args()
class Spec(torch.utils.data.Dataset):
    """Decodes a recording for each item."""
    def __len__(self): return 16 * 20
    def __getitem__(self, i): time.sleep(0.017); g = torch.Generator().manual_seed(i); return torch.randn(4, generator=g) @ MIX
torch.manual_seed(0); MIX = torch.randn(4, 80); net = nn.Sequential(nn.Linear(80, 32), nn.ReLU(), nn.Linear(32, 80)); opt = torch.optim.Adam(net.parameters(), 5e-3)
loader = torch.utils.data.DataLoader(Spec(), 16, num_workers=a.workers); print(a); wait = work = 0.0
for ep in range(a.epochs):
    t = time.time()
    for n, x in enumerate(loader, 1):
        w = time.time() - t; loss = (net(x * (torch.rand_like(x) > 0.5)) - x).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.01); c = time.time() - t - w; wait += w; work += c
        if n % a.print_freq == 0: print(f"Epoch [{ep}] [{n:2d}/{len(loader)}]  loss: {loss.item():.4f}  time: {w + c:.3f}  data: {w:.3f}  step: {c:.3f}", flush=True)
        t = time.time()
print(f"total: {wait:.1f} s waiting for the loader, {work:.1f} s forward/backward ({100 * work / (wait + work):.0f} % of the time)"); torch.save(net.state_dict(), "mae.pt")
'''

FETCH = '''
import json, math, random, time
random.seed(9); D = 12; w = [0.0] * D; truth = [random.gauss(0, 1) for _ in range(D)]
class FeatureStore:
    """Rows come one request at a time."""
    def get(self, n): time.sleep(0.32); return [[random.gauss(0, 1) for _ in range(D)] for _ in range(n)]
store = FeatureStore(); spent = {"fetch": 0.0, "train": 0.0}; began = time.time(); print(json.dumps({"event": "start", "model": "ctr-lr", "features": D, "steps": 45, "batch": 256}), flush=True)
for step in range(1, 46):
    t0 = time.time(); X = store.get(256); t1 = time.time(); loss = 0.0; g = [0.0] * D
    for x in X:
        y = sum(a * b for a, b in zip(x, truth)) > 0; p = 1 / (1 + math.exp(-sum(a * b for a, b in zip(x, w)))); loss -= math.log(p if y else 1 - p) / len(X)
        for i in range(D): g[i] += (p - y) * x[i] / len(X)
    w = [a - 1.5 * b for a, b in zip(w, g)]; time.sleep(0.015); t2 = time.time(); spent["fetch"] += t1 - t0; spent["train"] += t2 - t1
    print(json.dumps({"step": step, "logloss": round(loss, 4), "fetch_ms": round(1000 * (t1 - t0)), "train_ms": round(1000 * (t2 - t1), 1), "rows_per_s": round(256 / (t2 - t0))}), flush=True)
print(json.dumps({"event": "end", "wall_s": round(time.time() - began, 1), "fetch_s": round(spent["fetch"], 1), "train_s": round(spent["train"], 1), "device_idle_pct": round(100 * spent["fetch"] / (time.time() - began))}))
'''

SAMPLEFID = """
import logging, time, torch, torch.nn as nn
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%Y/%m/%d %H:%M:%S"); torch.manual_seed(2)
T = 100; bar = torch.cos(torch.linspace(0.02, 1.5, T)) ** 2; real = torch.randn(3, 2)[torch.randint(3, (900,))] * 2 + 0.1 * torch.randn(900, 2)
net = nn.Sequential(nn.Linear(3, 64), nn.SiLU(), nn.Linear(64, 2)); opt = torch.optim.Adam(net.parameters(), 3e-3); spent = {"train": 0.0, "metric": 0.0}
def sample(n):
    x = torch.randn(n, 2)
    for k in range(T - 1, 0, -1): e = net(torch.cat([x, torch.full((n, 1), k / T)], 1)); c = ((x - (1 - bar[k]).sqrt() * e) / bar[k].sqrt()).clamp(-5, 5); x = bar[k - 1].sqrt() * c + (1 - bar[k - 1]).sqrt() * e; time.sleep(0.013)
    return x
for step in range(1, 97):
    t = time.time(); i = torch.randint(900, (256,)); k = torch.randint(T, (256, 1)); eps = torch.randn(256, 2); loss = (net(torch.cat([bar[k].sqrt() * real[i] + (1 - bar[k]).sqrt() * eps, k / T], 1)) - eps).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.02); spent["train"] += time.time() - t
    if step % 8 == 0:
        t = time.time(); logging.info("step %d/96 loss %.4f (%.2f s of training so far)", step, loss.item(), spent["train"])
        with torch.no_grad(): s = sample(300); d = (s.mean(0) - real.mean(0)).pow(2).sum() + (s.std(0) - real.std(0)).pow(2).sum()
        spent["metric"] += time.time() - t; logging.info("step %d/96 sampled 300, frechet %.4f, sampling and metric took %.2f s", step, d, time.time() - t)
logging.info("finished: %.1f s training, %.1f s sampling and metric (%.0f %% of the run)", spent["train"], spent["metric"], 100 * spent["metric"] / sum(spent.values()))
"""

UNEVEN = """
import os, time, torch, torch.distributed as dist, torch.nn as nn
dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size(); torch.manual_seed(0); net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 8)); opt = torch.optim.Adam(net.parameters(), 3e-3); torch.manual_seed(r)
throttle = 0.33 if r == 1 else 0.025  # rank 1's card shares its slot with a display
own = sync = 0.0
for it in range(1, 46):
    t0 = time.perf_counter(); x = torch.randn(96, 32); loss = nn.functional.cross_entropy(net(x), x[:, :8].argmax(1)); opt.zero_grad(); loss.backward(); time.sleep(throttle); t1 = time.perf_counter()
    for p in net.parameters(): dist.all_reduce(p.grad); p.grad /= n
    t2 = time.perf_counter(); opt.step(); own += t1 - t0; sync += t2 - t1
    if it % 5 == 0: print(f"iter={it:03d} rank={r} loss={loss.item():.4f} fwd_bwd={1000 * (t1 - t0):.0f}ms grad_sync={1000 * (t2 - t1):.0f}ms", flush=True)
dist.barrier(); print(f"rank={r} finished 45 iterations: fwd_bwd {own:.2f}s, grad_sync {sync:.2f}s", flush=True); dist.destroy_process_group()
"""

ISLANDS = """
import multiprocessing as mp, random, time
GENS, N, DIM = 40, 4, 10
def island(k, barrier, best, lines):
    g = random.Random(k); pop = [[g.uniform(-3, 3) for _ in range(DIM)] for _ in range(30)]; f = lambda v: sum((x - 0.7) ** 2 for x in v); own = waited = 0.0
    for gen in range(1, GENS + 1):
        t = time.perf_counter()
        pop.sort(key=f); elite = pop[:8]; pop = elite + [[x + g.gauss(0, 0.8 / gen ** 0.7) for x in g.choice(elite)] for _ in range(22)]; time.sleep(0.36 if k == 2 else 0.03); best[k] = f(pop[0])
        a = time.perf_counter(); barrier.wait(); b = time.perf_counter(); own += a - t; waited += b - a
        if gen % 5 == 0: print(f"gen {gen:>3}/{GENS} worker {k} fitness {best[k]:9.5f} | evaluating {a - t:.3f} s | at barrier {b - a:.3f} s", flush=True)
    lines.put((k, own, waited))
if __name__ == "__main__":
    barrier, best, lines = mp.Barrier(N), mp.Array("d", N), mp.Queue(); ps = [mp.Process(target=island, args=(k, barrier, best, lines)) for k in range(N)]; print(f"{N} workers, {GENS} generations, 30 candidates each", flush=True)
    [p.start() for p in ps]; rows = sorted(lines.get() for _ in ps); [p.join() for p in ps]; print("worker  evaluating  at barrier"); [print(f"{k:>6}  {o:9.1f}s  {w:9.1f}s") for k, o, w in rows]; print(f"best fitness {min(best):.5f}; done")
"""

VAENAN = """
import argparse, torch, torch.nn as nn
p = argparse.ArgumentParser(); p.add_argument("--lr", type=float, default=1e-3); p.add_argument("--z", type=int, default=10); p.add_argument("--epochs", type=int, default=20); a = p.parse_args(); print("config |", " | ".join(f"{k}={v}" for k, v in vars(a).items()))
torch.manual_seed(4); X = torch.randn(1000, 6) @ torch.randn(6, 50); enc = nn.Sequential(nn.Linear(50, 64), nn.ReLU(), nn.Linear(64, 2 * a.z)); dec = nn.Sequential(nn.Linear(a.z, 64), nn.ReLU(), nn.Linear(64, 50)); opt = torch.optim.SGD([*enc.parameters(), *dec.parameters()], a.lr, momentum=0.9)
for ep in range(1, a.epochs + 1):
    R = K = 0.0
    for i in torch.randperm(1000).split(100):
        mu, lv = enc(X[i]).chunk(2, 1); z = mu + (lv / 2).exp() * torch.randn_like(mu); rec = (dec(z) - X[i]).pow(2).sum(1).mean(); kld = 0.5 * (lv.exp() + mu ** 2 - 1 - lv).sum(1).mean(); opt.zero_grad(); (rec + min(1.0, ep / 4) * kld).backward(); opt.step(); R += rec.item() / 10; K += kld.item() / 10
    print(f"epoch {ep:>2} | recon {R:.3f} | kld {K:.3f} | elbo {-R - K:.3f}", flush=True)
torch.save({"enc": enc.state_dict(), "dec": dec.state_dict()}, "vae.pt"); print("saved vae.pt")
"""

COLLAPSED = """
import logging, math, torch, torch.nn as nn, torch.nn.functional as F
logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s"); log = logging.getLogger("clip_small"); torch.manual_seed(31)
img = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 32), nn.ReLU()); txt = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 32), nn.ReLU())
for tower in (img, txt): nn.init.constant_(tower[2].bias, -6.0)
opt = torch.optim.AdamW([*img.parameters(), *txt.parameters()], 3e-4, weight_decay=0.0); B = 128; I = torch.randn(2048, 64); T = I[:, :20] + 0.05 * torch.randn(2048, 20); log.info("two towers, batch %d (ln %d = %.4f)", B, B, math.log(B))
for ep in range(1, 17):
    L = G = hit = 0.0
    for i in torch.randperm(2048).split(B):
        a, b = F.normalize(img(I[i]), dim=1), F.normalize(txt(T[i]), dim=1); s = a @ b.T / 0.07; loss = F.cross_entropy(s, torch.arange(B)); opt.zero_grad(); loss.backward(); opt.step(); L += loss.item() / 16
        G += sum(p.grad.pow(2).sum().item() for m in (img, txt) for p in m.parameters()) ** 0.5 / 16; hit += (s.argmax(1) == torch.arange(B)).float().mean().item() / 16
    log.info("epoch %d/16 loss %.4f grad_norm %.5f retrieval@1 %.4f", ep, L, G, hit)
log.info("training done")
"""

TWOBATCHES = """
import sys, torch, torch.nn as nn
cfg = {"max_epochs": 1, "limit_train_batches": 2, "batch_size": 64, "lr": 1e-3, "hidden": 128, "dataset": "etth1_small", **dict(w.split("=") for w in sys.argv[1:])}
print("\\n".join(f"  {k}: {v}" for k, v in cfg.items())); torch.manual_seed(0); net = nn.LSTM(7, int(cfg["hidden"]), batch_first=True); head = nn.Linear(int(cfg["hidden"]), 7); opt = torch.optim.Adam([*net.parameters(), *head.parameters()], float(cfg["lr"]))
X = torch.randn(6400, 25, 7).cumsum(1) / 5; print(f"train windows: {len(X)} ({len(X) // int(cfg['batch_size'])} batches), using the first {cfg['limit_train_batches']}"); step = 0
for ep in range(int(cfg["max_epochs"])):
    for b, x in enumerate(X.split(int(cfg["batch_size"]))):
        if b >= int(cfg["limit_train_batches"]): break
        loss = (head(net(x[:, :-1])[0]) - x[:, 1:]).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step(); step += 1; print(f"epoch {ep} batch {b} mse {loss.item():.5f}", flush=True)
torch.save({"lstm": net.state_dict(), "head": head.state_dict()}, "forecaster.pt"); print(f"max_epochs={cfg['max_epochs']} reached after {step} optimizer steps, weights in forecaster.pt")
"""

FILTERED = """
import csv, math, random, sys
rows = list(csv.DictReader(open("clicks.csv"))); print(f"read {len(rows)} rows from clicks.csv")
kept = [r for r in rows if int(r["dwell_s"]) >= 300 and r["lang"] == "en"]; print(f"{len(kept)} rows left after filters dwell_s>=300, lang=en")
random.seed(0); w = [0.0, 0.0]; B = 32; steps = 0
for ep in range(1, 4):
    for k in range(0, len(kept), B):
        batch = kept[k:k + B]; loss = 0.0
        for r in batch:
            x, y = (1.0, float(r["pos"]) / 10), int(r["click"]); p = 1 / (1 + math.exp(-sum(a * b for a, b in zip(w, x)))); loss -= math.log(p if y else 1 - p) / len(batch); w = [a - 0.05 * (p - y) * b for a, b in zip(w, x)]
        steps += 1
    print(f"epoch {ep}/3: {math.ceil(len(kept) / B)} step(s), logloss {loss:.4f}", flush=True)
print(f"model: {w}"); open("ctr_model.txt", "w").write(repr(w)); print(f"ctr_model.txt written after {steps} steps in all")
"""
CLICKS = "pos,dwell_s,lang,click\n" + "\n".join(f"{i % 10},{(i * 37) % 305},{'en' if i % 3 else 'de'},{int(i % 4 == 0)}" for i in range(400)) + "\n"

JOBS = (
    crate("D1", "mae_audio.py --epochs 3", WAITLOADER, note="data is nearly all of time in each line; its own sum says the step had a few percent"),
    crate("D1", "ctr.py", FETCH, python="system", note="fetch_ms far above train_ms at each step, idle share by its own word"),
    crate("D2", "gmm_diffusion.py", SAMPLEFID, note="sampling for the metric every eight steps takes most of the run by its own word"),
    crate("D3", "align.py", UNEVEN, ranks=3, fault="unknown", first=(), note="rank 1's fwd_bwd ten times the others', who wait in grad_sync"),
    crate(
        "D3",
        "islands.py",
        ISLANDS,
        python="system",
        fault="unknown",
        first=(),
        note="worker 2 evaluates ten times as long, the others stand at the barrier",
    ),
    crate("E1", "vae.py --lr 0.004 --z 12", VAENAN, cause="nan_loss", variant="non_finite", note="nan from the third epoch to the last, exit 0"),
    crate("E1", "clip_small.py", COLLAPSED, variant="flat", note="loss is ln 128 in each epoch, grad norm 0, retrieval at chance"),
    crate("E3", "forecast.py max_epochs=1 hidden=64", TWOBATCHES, note="two optimiser steps of a hundred batches, exit 0"),
    crate(
        "E3",
        "ctr_fit.py",
        FILTERED,
        python="system",
        files={"clicks.csv": CLICKS},
        note="the filters left next to nothing: one step an epoch, three in all, exit 0",
    ),
)
