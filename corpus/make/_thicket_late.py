"""A few more runs that came to their planned end."""

from corpus.make._crate import crate

WARM = '''
import logging, torch
logging.basicConfig(level="INFO", format="%(asctime)s %(name)s[%(levelname)s] %(message)s"); log = logging.getLogger("finetune"); torch.manual_seed(13)
base = torch.nn.Sequential(torch.nn.Linear(20, 40), torch.nn.ReLU(), torch.nn.Linear(40, 100)); torch.save({k: v for k, v in base.state_dict().items()} | {"head.bias": torch.zeros(3)}, "backbone.pt")
net = torch.nn.Sequential(torch.nn.Linear(20, 40), torch.nn.ReLU(), torch.nn.Linear(40, 6)); sd = torch.load("backbone.pt"); drop = [k for k, v in sd.items() if k in net.state_dict() and net.state_dict()[k].shape != v.shape]
for k in drop: log.warning("%s: shape %s in the backbone, %s here; not taken over", k, tuple(sd.pop(k).shape), tuple(net.state_dict()[k].shape))
got = net.load_state_dict(sd, strict=False); log.warning("missing keys %s, unexpected keys %s (expected for a new head)", got.missing_keys, got.unexpected_keys); opt = torch.optim.AdamW(net.parameters(), 3e-3)
for ep in range(1, 11):
    for _ in range(30): x = torch.randn(32, 20); y = x[:, :6].argmax(1); l = torch.nn.functional.cross_entropy(net(x), y); opt.zero_grad(); l.backward(); opt.step()
    log.info("epoch %d/10 train loss %.4f", ep, l.item())
log.info("fine-tuning done, best weights in model_best.pt"); torch.save(net.state_dict(), "model_best.pt")
'''
ORBIT = '''
import math, time
G = 0.4; steps = 60
def fly(g):
    x, y, u, v, out = 1.0, 0.0, 0.0, 1.0, []
    for k in range(400):
        r = (x * x + y * y) ** 1.5; u -= 0.01 * g * x / r; v -= 0.01 * g * y / r; x += 0.01 * u; y += 0.01 * v
        if k % 20 == 0: out.append((x, y))
    return out
seen = fly(1.3); loss = lambda g: sum((a - c) ** 2 + (b - d) ** 2 for (a, b), (c, d) in zip(fly(g), seen)) / len(seen)
print("Fitting the gravitational parameter", flush=True)
for i in range(1, steps + 1):
    grad = (loss(G + 1e-4) - loss(G - 1e-4)) / 2e-4; G -= 0.02 * max(-1.0, min(1.0, grad)); time.sleep(0.06)
    if i % 4 == 0: print("Iteration %3d of %d: mu=%.4f loss=%.3e" % (i, steps, G, loss(G)), flush=True)
print("Fit finished: mu=%.4f" % G, flush=True)
'''
MNISTISH = '''
import json, os, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size(); torch.manual_seed(0); P = torch.rand(8, 36).round(); enc, dec = torch.nn.Linear(36, 12), torch.nn.Linear(6, 36); both = torch.nn.ModuleList([enc, dec]); opt = torch.optim.Adam(both.parameters(), 1e-2); torch.manual_seed(r)
def note(**k):
    if r == 0: print(json.dumps({"t": time.strftime("%H:%M:%S"), "world": n, **k}), flush=True)
note(event="begin", epochs=10)
for ep in range(1, 11):
    tot = torch.zeros(1)
    for _ in range(20):
        x = P[torch.randint(8, (24,))]; mu, lv = enc(x).chunk(2, 1); z = mu + torch.randn_like(mu) * (lv / 2).exp(); l = torch.nn.functional.binary_cross_entropy_with_logits(dec(z), x, reduction="none").sum(1).mean() + 0.1 * (mu ** 2 + lv.exp() - 1 - lv).sum(1).mean() / 2; opt.zero_grad(); l.backward()
        for p in both.parameters(): dist.all_reduce(p.grad); p.grad /= n
        opt.step(); tot += l.item() / 20
    dist.all_reduce(tot); note(epoch=ep, elbo_loss=round(tot.item() / n, 4))
if r == 0: torch.save(both.state_dict(), "vae.pt")
note(event="end", file="vae.pt"); dist.destroy_process_group()
'''
TABLE = '''
import random, sys, time
random.seed(30); users, items, K = 40, 30, 4; P = [[random.gauss(0, 0.3) for _ in range(K)] for _ in range(users)]; Q = [[random.gauss(0, 0.3) for _ in range(K)] for _ in range(items)]
tp = [[random.gauss(0, 1) for _ in range(2)] for _ in range(users)]; tq = [[random.gauss(0, 1) for _ in range(2)] for _ in range(items)]; data = [(u, i, sum(a * b for a, b in zip(tp[u], tq[i])) + random.gauss(0, 0.1)) for u in range(users) for i in range(items) if random.random() < 0.6]
random.shuffle(data); cut = int(0.85 * len(data)); tr, te = data[:cut], data[cut:]; dot = lambda a, b: sum(x * y for x, y in zip(a, b)); rmse = lambda d: (sum((dot(P[u], Q[i]) - r) ** 2 for u, i, r in d) / len(d)) ** 0.5
print(f"+-------+------------+------------+\\n| epoch | train rmse |  test rmse |\\n+-------+------------+------------+", flush=True); best, bad = 9.0, 0
for ep in range(1, 101):
    for u, i, r in tr:
        e = dot(P[u], Q[i]) - r
        for k in range(K): P[u][k], Q[i][k] = P[u][k] - 0.03 * (e * Q[i][k] + 0.02 * P[u][k]), Q[i][k] - 0.03 * (e * P[u][k] + 0.02 * Q[i][k])
    t = rmse(te); time.sleep(0.1); print(f"| {ep:5d} | {rmse(tr):10.5f} | {t:10.5f} |", flush=True); bad = 0 if t < best - 1e-4 else bad + 1; best = min(best, t)
    if bad == 5: print("+-------+------------+------------+\\nEarlyStopping: test rmse has not improved for 5 epochs; terminating. FATAL=0 ERROR=0 KILLED=0", flush=True); break
print(f"best test rmse {best:.5f}", flush=True)
'''

JOBS = (
    crate("G1", "finetune_head.py", WARM, hard=True),
    crate("G1", "orbit_fit.py", ORBIT, python="system"),
    crate("G1", "vae_sync.py", MNISTISH, ranks=2),
    crate("G1", "mf_table.py", TABLE, python="system"),
)
