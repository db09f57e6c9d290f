"""Runs of several ranks under torchrun that came to their planned end."""

from corpus.make._crate import crate

DDP = '''
import argparse, os, time
import torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset, DistributedSampler

def setup():
    dist.init_process_group("gloo"); return dist.get_rank(), dist.get_world_size()

def main(args):
    rank, world = setup(); torch.manual_seed(42)
    X = torch.randn(1024, 3, 8, 8); Y = (X.mean((1, 2, 3)) > 0).long()
    sampler = DistributedSampler(TensorDataset(X, Y)); loader = DataLoader(TensorDataset(X, Y), args.batch_size, sampler=sampler)
    model = DDP(torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(288, 2))); opt = torch.optim.Adam(model.parameters(), args.lr)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch); running, t = 0.0, time.time()
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(model(x), y); opt.zero_grad(); loss.backward(); opt.step(); running += loss.item()
        total = torch.tensor([running, len(loader)]); dist.all_reduce(total)
        if rank == 0: print(f"[GPU0] Epoch {epoch} | Batchsize: {args.batch_size} | Steps: {len(loader)} | Loss: {(total[0] / total[1]).item():.4f} | {time.time() - t:.2f}s")
    if rank == 0: torch.save(model.module.state_dict(), "snapshot.pt"); print("Training snapshot saved at snapshot.pt")
    dist.destroy_process_group()

p = argparse.ArgumentParser(); p.add_argument("--epochs", type=int, default=6); p.add_argument("--batch_size", type=int, default=32); p.add_argument("--lr", type=float, default=2e-3)
main(p.parse_args())
'''
PIPE = '''
"""Two-stage pipeline with send/recv: stage 0 has the trunk, stage 1 the head."""
import os, torch, torch.distributed as d
d.init_process_group("gloo"); r = d.get_rank(); torch.manual_seed(r)
part = torch.nn.Sequential(torch.nn.Linear(20, 32), torch.nn.Tanh()) if r == 0 else torch.nn.Sequential(torch.nn.Linear(32, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
o = torch.optim.SGD(part.parameters(), 0.05); g = torch.Generator().manual_seed(9); w = torch.randn(20, 1, generator=g)
for it in range(1, 251):
    x = torch.randn(64, 20, generator=g); y = torch.tanh(x @ w)
    if r == 0:
        h = part(x); d.send(h.detach(), 1); gr = torch.empty_like(h); d.recv(gr, 1); o.zero_grad(); h.backward(gr); o.step()
    else:
        h = torch.empty(64, 32); d.recv(h, 0); h.requires_grad_(); l = (part(h) - y).pow(2).mean(); o.zero_grad(); l.backward(); d.send(h.grad, 0); o.step()
        if it % 25 == 0: print(f"<stage1> microbatch {it}/250 mse={l.item():.5f}")
d.barrier(); print(f"<stage{r}> finished"); d.destroy_process_group()
'''
LOCALSGD = '''
import json, os, torch, torch.distributed as dist
dist.init_process_group("gloo"); me, n = dist.get_rank(), dist.get_world_size(); torch.manual_seed(0)
m = torch.nn.GRU(4, 16, batch_first=True); f = torch.nn.Linear(16, 4); ps = [*m.parameters(), *f.parameters()]; opt = torch.optim.Adam(ps, 4e-3); torch.manual_seed(100 + me)
log = open(f"metrics.{me}.jsonl", "w")
for rnd in range(1, 21):
    for k in range(8):
        x = torch.randn(24, 10, 4).cumsum(1) / 4; l = (f(m(x[:, :-1])[0]) - x[:, 1:]).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    with torch.no_grad():
        for p in ps: dist.all_reduce(p); p /= n
    rec = {"round": rnd, "worker": me, "local_steps": 8 * rnd, "loss": round(l.item(), 5)}; log.write(json.dumps(rec) + "\\n"); print(json.dumps(rec))
dist.barrier(); dist.destroy_process_group()
if me == 0: print(json.dumps({"summary": "completed", "rounds": 20, "workers": n}))
'''
ZERO = '''
import logging, os, torch, torch.distributed as dist
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel
dist.init_process_group("gloo"); rank = dist.get_rank()
logging.basicConfig(level=logging.INFO if rank == 0 else logging.WARNING, format=f"%(asctime)s [rank {rank}] %(levelname)s %(message)s"); log = logging.getLogger("zero1")
torch.manual_seed(5); V = 48
class M(torch.nn.Module):
    def __init__(s): super().__init__(); s.e = torch.nn.Embedding(V, 32); s.t = torch.nn.TransformerEncoderLayer(32, 2, 64, 0.0, batch_first=True); s.o = torch.nn.Linear(32, V)
    def forward(s, x): return s.o(s.t(s.e(x), src_mask=torch.nn.Transformer.generate_square_subsequent_mask(x.size(1)), is_causal=True))
net = DistributedDataParallel(M()); opt = ZeroRedundancyOptimizer(net.parameters(), torch.optim.AdamW, lr=3e-3)
torch.manual_seed(50 + rank); log.info("world size %d, %d parameters", dist.get_world_size(), sum(p.numel() for p in net.parameters()))
for step in range(1, 121):
    s = torch.randint(V, (16, 1)); x = (s + 5 * torch.arange(13)) % V; l = torch.nn.functional.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
    opt.zero_grad(); l.backward(); gn = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0); opt.step()
    if step % 15 == 0: log.info("iteration %5d/     120 | lm loss: %.6E | grad norm: %.3f | learning rate: 3.000E-03", step, l.item(), gn)
log.info("exiting after 120 iterations"); dist.destroy_process_group()
'''
PPO = '''
# synchronous A2C with gradient averaging: each worker has its own bandit world
import torch, torch.distributed as dist
dist.init_process_group("gloo"); k = dist.get_rank(); torch.manual_seed(1); pol = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Tanh(), torch.nn.Linear(16, 4)); opt = torch.optim.Adam(pol.parameters(), 0.01); torch.manual_seed(k)
hist = []
for upd in range(1, 161):
    ctx = torch.eye(4)[torch.randint(4, (32,))]; pi = torch.distributions.Categorical(logits=pol(ctx)); a = pi.sample(); r = (a == ctx.argmax(1)).float() + 0.1 * torch.randn(32)
    loss = -(pi.log_prob(a) * (r - r.mean())).mean() - 0.01 * pi.entropy().mean(); opt.zero_grad(); loss.backward()
    for p in pol.parameters(): dist.all_reduce(p.grad); p.grad /= dist.get_world_size()
    opt.step(); rr = r.mean(); dist.all_reduce(rr); hist.append(rr.item() / dist.get_world_size())
    if k == 0 and upd % 16 == 0: print(f"updates={upd} env_steps={upd * 32 * dist.get_world_size()} reward={sum(hist[-16:]) / 16:.3f} entropy={pi.entropy().mean().item():.3f} pg_loss={loss.item():+.4f}")
if k == 0: print("learning finished: 160 updates, last reward %.3f" % (sum(hist[-16:]) / 16))
dist.destroy_process_group()
'''

# Good runs that look bad.

ELASTIC = '''
import os, sys, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); rank = dist.get_rank(); again = int(os.environ["TORCHELASTIC_RESTART_COUNT"]); SNAP = "snap/last.pt"
torch.manual_seed(3); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(12, 30), torch.nn.ReLU(), torch.nn.Linear(30, 1))); opt = torch.optim.Adam(net.parameters(), 5e-3); first = 1
if os.path.exists(SNAP):
    st = torch.load(SNAP); net.module.load_state_dict(st["w"]); opt.load_state_dict(st["o"]); first = st["step"] + 1
    if rank == 0: print(f"Loaded snapshot {SNAP}, resuming at step {first} (restart {again})")
g = torch.Generator().manual_seed(rank)
for step in range(first, 181):
    x = torch.randn(64, 12, generator=g); l = (net(x).squeeze(1) - x.abs().sum(1) / 6).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    if step % 20 == 0:
        if rank == 0: torch.save({"w": net.module.state_dict(), "o": opt.state_dict(), "step": step}, SNAP); print(f"step {step}/180 loss {l.item():.5f} [snapshot]")
        dist.barrier()
    if step == 87 and rank == 1 and again == 0:
        raise ConnectionResetError(104, "Connection reset by peer", "feature-store:9042")
dist.barrier()
if rank == 0: print(f"All 180 steps done, loss {l.item():.5f}")
dist.destroy_process_group()
'''
TIMEWARN = '''
import os, time, torch, torch.distributed as dist, warnings
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(0)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(30, 5), find_unused_parameters=True); opt = torch.optim.SGD(net.parameters(), 0.3); torch.manual_seed(r); W = torch.eye(30)[:, :5]
slow = 0
for e in range(1, 11):
    for b in range(12):
        t = time.time(); x = torch.randn(40, 30); l = torch.nn.functional.cross_entropy(net(x), (x @ W).argmax(1)); opt.zero_grad(); l.backward(); opt.step()
        if e == 4 and b == 6 and r == 1: time.sleep(2.5)
        if time.time() - t > 1: slow += 1; print(f"WARNING rank {r}: step {e}.{b} took {time.time() - t:.2f}s, waiting on a peer?")
    if r == 0: print(f"epoch {e}/10: ce {l.item():.4f}")
    dist.barrier()
print(f"rank {r} finished, {slow} slow steps"); dist.destroy_process_group()
'''
LASTFAIL = '''
import logging, os, torch, torch.distributed as dist
logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s"); log = logging.getLogger(); log.setLevel("INFO")
dist.init_process_group("gloo"); rank = dist.get_rank(); torch.manual_seed(11)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(10, 10), torch.nn.ELU(), torch.nn.Linear(10, 2))); opt = torch.optim.NAdam(net.parameters(), 4e-3)
X = torch.randn(640, 10)[rank::dist.get_world_size()]; Y = (X.prod(1).abs() > 0.01).long()
for ep in range(1, 16):
    for i in torch.arange(len(X)).split(32): l = torch.nn.functional.cross_entropy(net(X[i]), Y[i]); opt.zero_grad(); l.backward(); opt.step()
    if rank == 0: log.info("epoch %d/15 loss %.4f", ep, l.item())
if rank == 0:
    torch.save(net.module.state_dict(), "weights.pt"); log.info("weights.pt written")
    try: open(os.path.expanduser("~/.netrc")).read(); log.info("uploading curves")
    except FileNotFoundError: log.exception("could not upload the curves to the dashboard; training itself is complete")
dist.barrier(); dist.destroy_process_group()
if rank == 0: log.info("bye")
'''
UNEVEN = '''
import torch, torch.distributed as dist
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel as D
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(2); net = D(torch.nn.Linear(8, 1)); opt = torch.optim.SGD(net.parameters(), 0.02); torch.manual_seed(r)
data = [torch.randn(16, 8) for _ in range(90 if r == 0 else 70)]
print(f"WARNING: rank {r} holds {len(data)} batches; ranks are uneven, using Join")
for ep in range(3):
    with Join([net]):
        for n, x in enumerate(data):
            l = (net(x).squeeze(1) - x.sum(1)).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
            if n % 30 == 29: print(f"(rank {r}) epoch {ep + 1} batch {n + 1}/{len(data)} mse {l.item():.6f}")
        if r == 1: print("(rank 1) ERROR-free: out of data, joining early and shadowing collectives")
dist.barrier(); dist.destroy_process_group(); print(f"(rank {r}) joined and done")
'''
PORTRETRY = '''
import os, socket, sys, time, torch, torch.distributed as dist
rank, port = int(os.environ["RANK"]), int(os.environ["MASTER_PORT"]) + 1
busy = socket.create_server(("127.0.0.1", port)) if rank == 0 else None
for attempt in range(3):
    try:
        if rank == 0 and attempt == 0: socket.create_server(("127.0.0.1", port))
        break
    except OSError as e: print(f"rank 0: data server on :{port}: {e}; trying the next port"); port += 1
dist.init_process_group("gloo"); torch.manual_seed(4); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(6, 32), torch.nn.GELU(), torch.nn.Linear(32, 6))); opt = torch.optim.Adam(net.parameters(), 3e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0 ** 40, growth_interval=1000); torch.manual_seed(40 + rank)
for s in range(1, 151):
    x = torch.randn(48, 6); opt.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16): o = net(x)
    l = (o.float() - x.sort(1)[0]).pow(2).mean(); scaler.scale(l * 1e30).backward(); scaler.unscale_(opt)
    bad = not all(torch.isfinite(p.grad).all() for p in net.parameters())
    for p in net.parameters(): p.grad.mul_(1e-30)
    scaler.step(opt); scaler.update()
    if rank == 0 and (bad or s % 15 == 0): print(f"{s:4d} loss {l.item():.4f} scale {scaler.get_scale():.3g}" + ("  inf in gradients, step skipped" if bad else ""))
if rank == 0: print("150 of 150 done")
dist.destroy_process_group()
'''

FEDAVG = '''
import argparse, torch, torch.distributed as dist
p = argparse.ArgumentParser(); p.add_argument("--rounds", type=int, default=25); a = p.parse_args(); dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size()
g = torch.Generator().manual_seed(r); centre = torch.randn(4, generator=torch.Generator().manual_seed(1)); X = torch.randn(200, 4, generator=g) + r; y = (X @ centre > 0).float(); w = torch.zeros(4); b = torch.zeros(1)
for k in range(1, a.rounds + 1):
    for _ in range(5):
        z = X @ w + b; d = torch.sigmoid(z) - y; w -= 0.1 * (X * d[:, None]).mean(0); b -= 0.1 * d.mean()
    both = torch.cat([w, b]); dist.all_reduce(both); w, b = both[:4] / n, both[4:] / n; L = torch.nn.functional.binary_cross_entropy_with_logits(X @ w + b, y); m = [torch.zeros(()) for _ in range(n)]; dist.all_gather(m, L)
    if r == 0: print(f"round {k:2d}/{a.rounds}  client losses " + "  ".join(f"{v.item():.4f}" for v in m) + f"  mean {sum(m).item() / n:.4f}")
if r == 0: print("federated averaging finished")
dist.destroy_process_group()
'''
MIXTURE = '''
import os, sys, time, torch, torch.distributed as dist
for wait in (0.3, 0.6, 1.2):
    try:
        import apex; break
    except ImportError as e: print(f"apex not usable ({e}); retry in {wait}s" if wait < 1 else "apex not usable, using the plain optimiser", file=sys.stderr); time.sleep(wait)
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(0)
class MoE(torch.nn.Module):
    def __init__(s): super().__init__(); s.gate = torch.nn.Linear(8, 3); s.ex = torch.nn.ModuleList(torch.nn.Linear(8, 8) for _ in range(3))
    def forward(s, x): w = s.gate(x).softmax(-1); return sum(w[:, i:i + 1] * e(x) for i, e in enumerate(s.ex)), w
net = torch.nn.parallel.DistributedDataParallel(MoE()); opt = torch.optim.Adam(net.parameters(), 0.01); T = [torch.randn(8, 8) / 3 for _ in range(3)]; torch.manual_seed(r + 9); t0 = time.time(); worst = 0.0
for s in range(1, 221):
    x = torch.randn(48, 8); k = x[:, :3].argmax(1); y = torch.stack([v @ T[int(c)] for v, c in zip(x, k)]); o, w = net(x); l = (o - y).pow(2).mean(); opt.zero_grad(); l.backward(); gn = torch.nn.utils.clip_grad_norm_(net.parameters(), 0.05); opt.step(); worst = max(worst, float(gn))
    if r == 0 and s % 20 == 0: print(f"step {s} loss {l.item():.4f} load {[round(v, 2) for v in w.mean(0).tolist()]}" + (f"  WARNING: gradient norm {gn:.2f} clipped to 0.05" if gn > 0.05 else ""))
dist.barrier()
if r == 0: print(f"finished 220 steps in {time.time() - t0:.1f}s (largest gradient norm {worst:.2f})")
dist.destroy_process_group()
'''

JOBS = (
    crate("G1", "fedavg.py --rounds 25", FEDAVG, ranks=2),
    crate("G1", "moe.py", MIXTURE, hard=True, ranks=2),
    crate("G1", "multigpu.py --epochs 6", DDP, ranks=2),
    crate("G1", "pipe2.py", PIPE, ranks=2),
    crate("G1", "localsgd.py", LOCALSGD, ranks=3),
    crate("G1", "zero1.py", ZERO, ranks=2),
    crate("G1", "a2c_sync.py", PPO, ranks=2),
    crate("G1", "sh run.sh PORT", 'exec torchrun --nproc-per-node=2 --max-restarts=2 --master-port="$1" elastic.py', hard=True, files={"elastic.py": ELASTIC}, folders=("snap",)),
    crate("G1", "softmax30.py", TIMEWARN, hard=True, ranks=2),
    crate("G1", "clf.py", LASTFAIL, hard=True, ranks=2),
    crate("G1", "uneven.py", UNEVEN, hard=True, ranks=2),
    crate("G1", "sorter.py", PORTRETRY, hard=True, ranks=2),
)
