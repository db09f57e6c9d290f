"""Runs of several ranks that went on, but badly, or too briefly, or too long."""

from corpus.make._crate import crate

TABLE = '''
"""Graph network on molecules; a table of the ranks' times every ten steps."""
import os, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); rank, world = dist.get_rank(), dist.get_world_size(); torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(12, 48), torch.nn.SiLU(), torch.nn.Linear(48, 1)); opt = torch.optim.Adam(net.parameters(), 4e-3)
torch.manual_seed(rank); w = torch.linspace(-1, 1, 12)
PER_LAYER = 0.011 if rank != 2 else 0.083  # message passing
acc = torch.zeros(3)
for step in range(1, 81):
    t0 = time.perf_counter()
    x = torch.randn(64, 12); y = (x @ w).tanh()[:, None]
    for _ in range(3): time.sleep(PER_LAYER)
    loss = (net(x) - y).pow(2).mean(); opt.zero_grad(); loss.backward()
    t1 = time.perf_counter()
    for p in net.parameters(): dist.all_reduce(p.grad); p.grad /= world
    t2 = time.perf_counter(); opt.step()
    acc += torch.tensor([t1 - t0, t2 - t1, time.perf_counter() - t0]) * 100
    if step % 10 == 0:
        rows = [torch.zeros(3) for _ in range(world)]; dist.all_gather(rows, acc); acc = torch.zeros(3)
        if rank == 0:
            print(f"step {step}/80  loss {loss.item():.5f}")
            print("  rank   host     compute_ms   allreduce_ms   step_ms")
            for r, (c, a, s) in enumerate(rows): print(f"  {r:4d}   gnode{31 + r}  {c:9.1f}    {a:9.1f}    {s:8.1f}", flush=True)
if rank == 0: print("training complete")
dist.barrier()
dist.destroy_process_group()
'''
TIMERS = """
import sys, time, torch, torch.distributed as dist
# a small Megatron-like loop: log line per interval and min/max of timers over ranks
dist.init_process_group("gloo"); r, W = dist.get_rank(), dist.get_world_size(); torch.manual_seed(21)
emb = torch.nn.Embedding(64, 32); ff = torch.nn.Linear(32, 64); ps = [*emb.parameters(), *ff.parameters()]; opt = torch.optim.AdamW(ps, 6e-3)
ITERS, INTERVAL = 72, 8; fb = sync = 0.0
for it in range(1, ITERS + 1):
    t = time.time(); start = torch.randint(64, (16, 1)); seq = (start + 5 * torch.arange(17)) % 64
    l = torch.nn.functional.cross_entropy(ff(emb(seq[:, :-1])).flatten(0, 1), seq[:, 1:].flatten()); opt.zero_grad(); l.backward()
    time.sleep(0.29 if r == 0 else 0.052); u = time.time(); fb += u - t
    for p in ps: dist.all_reduce(p.grad); p.grad.div_(W)
    opt.step(); sync += time.time() - u
    if it % INTERVAL == 0:
        all_ = [torch.zeros(2) for _ in range(W)]; dist.all_gather(all_, torch.tensor([fb, sync]) * 1000 / INTERVAL); m = torch.stack(all_)
        if r == W - 1:
            print(f" iteration {it:8d}/{ITERS:8d} | consumed samples: {it * 16 * W:12d} | elapsed time per iteration (ms): {1000 * (fb + sync) / INTERVAL:.1f} | learning rate: 6.000E-03 | global batch size: {16 * W:5d} | lm loss: {l.item():.6E} | number of skipped iterations:   0 | number of nan iterations:   0 |")
            print("(min, max) time across ranks (ms):"); print(f"    forward-backward ...............................: ({m[:, 0].min():.2f}, {m[:, 0].max():.2f})"); print(f"    grads-all-reduce ...............................: ({m[:, 1].min():.2f}, {m[:, 1].max():.2f})")
            print(f"    by rank: forward-backward {[round(v, 1) for v in m[:, 0].tolist()]}, grads-all-reduce {[round(v, 1) for v in m[:, 1].tolist()]}", flush=True)
        fb = sync = 0.0
dist.barrier(); dist.destroy_process_group()
"""
OWNLOG = """
import time, torch, torch.distributed as dist, torch.nn.functional as F
class Meter:
    def __init__(self): self.own = self.wait = 0.0
    def line(self, n): return f"own work {1e3 * self.own / n:6.1f} ms/it, waiting for peers {1e3 * self.wait / n:6.1f} ms/it"
def main():
    dist.init_process_group("gloo"); k, n = dist.get_rank(), dist.get_world_size(); torch.manual_seed(3)
    det = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, 2), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(8, 4)); opt = torch.optim.SGD(det.parameters(), 0.1, momentum=0.9)
    torch.manual_seed(100 + k)
    for ep in range(6):
        m = Meter()
        for it in range(12):
            t = time.monotonic(); y = torch.randint(4, (16,)); x = torch.randn(16, 3, 16, 16) * 0.4; x[:, 0] += y[:, None, None] * 0.5; x[:, 1] -= (y == 2)[:, None, None] * 1.0
            l = F.cross_entropy(det(x), y); opt.zero_grad(); l.backward()
            for _ in range(8): time.sleep(0.028 if k == 1 else 0.004)
            m.own += time.monotonic() - t; t = time.monotonic(); flat = torch.cat([p.grad.flatten() for p in det.parameters()]); dist.all_reduce(flat); i = 0; m.wait += time.monotonic() - t
            for p in det.parameters(): p.grad.copy_(flat[i : i + p.numel()].view_as(p) / n); i += p.numel()
            opt.step()
        print(f"gpu{k} | epoch {ep + 1}/6 | loss {l.item():.3f} | {m.line(12)}", flush=True)
    dist.barrier(); dist.destroy_process_group()
main()
"""
WAITDATA = '''
import collections, json, time, torch, torch.distributed as dist
"""Instruction tuning; prompts are rendered and tokenised when they are asked for."""
dist.init_process_group("gloo"); rank = dist.get_rank(); torch.manual_seed(0)
class Prompts(torch.utils.data.Dataset):
    def __len__(self): return 512
    def __getitem__(self, i):
        time.sleep(0.045)  # template, tokenizer
        return torch.arange(i % 50, i % 50 + 24) % 64
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Embedding(64, 32), torch.nn.Linear(32, 64))); opt = torch.optim.AdamW(net.parameters(), 1e-2)
it = iter(torch.utils.data.DataLoader(Prompts(), 8, sampler=torch.utils.data.DistributedSampler(Prompts(), shuffle=False), num_workers=0)); total = collections.Counter()
for step in range(1, 31):
    a = time.perf_counter(); x = next(it); b = time.perf_counter()
    l = torch.nn.functional.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten()); opt.zero_grad(); l.backward(); opt.step(); c = time.perf_counter()
    total["dataloader_s"] += b - a; total["train_step_s"] += c - b
    if step % 3 == 0 and rank == 0: print(json.dumps({"step": step, "loss": round(l.item(), 4), "dataloader_s": round(b - a, 3), "train_step_s": round(c - b, 4), "tokens_per_s": round(2 * x.numel() / (c - a))}), flush=True)
if rank == 0: s = sum(total.values()); print("time budget:", {k: f"{v:.1f} s ({100 * v / s:.0f} %)" for k, v in total.items()})
dist.barrier(); dist.destroy_process_group()
'''
RINGTCP = """
import time, torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
dist.init_process_group("gloo"); rank, W = dist.get_rank(), dist.get_world_size(); torch.manual_seed(1)
net = torch.nn.Sequential(torch.nn.Linear(32, 700), torch.nn.ReLU(), torch.nn.Linear(700, 32)); opt = torch.optim.SGD(net.parameters(), 0.05); BYTES = sum(p.numel() * 4 for p in net.parameters()); LINK = 2.4e5  # bytes/s that get through
if rank == 0: print(f"gloo over eth0 (1 GbE), {W} ranks, {BYTES / 1e3:.0f} kB of gradients a step", flush=True)
torch.manual_seed(70 + rank); M = torch.eye(32).roll(3, 0)
for step in range(1, 46):
    t0 = time.time(); x = torch.randn(16, 32); l = (net(x) - x @ M).pow(2).mean(); time.sleep(0.02); t1 = time.time(); opt.zero_grad(); l.backward(); time.sleep(0.035); t2 = time.time()
    flat = torch.cat([p.grad.view(-1) for p in net.parameters()]); dist.all_reduce(flat); time.sleep(BYTES / LINK); t3 = time.time(); i = 0
    for p in net.parameters(): p.grad.copy_(flat[i : i + p.numel()].view_as(p) / W); i += p.numel()
    opt.step()
    if step % 5 == 0: print(f"rank{rank} step {step:3d} loss {l.item():.4f} fwd {t1 - t0:.3f}s bwd {t2 - t1:.3f}s all_reduce {t3 - t2:.3f}s ({BYTES * 8 / (t3 - t2) / 1e6:.2f} Mbit/s)", flush=True)
    dist.barrier()
dist.destroy_process_group()
"""
FULLSTATE = '''
import os, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); rank = dist.get_rank(); torch.manual_seed(0); log = lambda s: rank == 0 and print(time.strftime("%Y-%m-%d %H:%M:%S"), s, flush=True)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Embedding(2000, 64), torch.nn.Linear(64, 2000))); opt = torch.optim.Adam(net.parameters(), 3e-3)
def slow_write(path, blob, rate=9e5):
    """Onto the archive: in pieces, synced."""
    with open(path, "wb") as f:
        for i in range(0, len(blob), 1 << 19): f.write(blob[i : i + (1 << 19)]); f.flush(); os.fsync(f.fileno()); time.sleep((1 << 19) / rate)
log("started, save_interval=4"); spent = 0.0; began = time.time()
for step in range(1, 33):
    x = torch.randint(0, 500, (16, 1)) + torch.arange(13); l = torch.nn.functional.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten()); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.1)
    log(f"step {step}/32 loss {l.item():.4f}")
    if step % 4 == 0:
        t = time.time()
        if rank == 0:
            import io
            b = io.BytesIO(); torch.save(net.state_dict(), b); log(f"saving model ({len(b.getvalue()) / 1e6:.1f} MB) to archive/step{step}"); slow_write(f"archive/step{step}.pt", b.getvalue())
        dist.barrier(); spent += time.time() - t; log(f"save took {time.time() - t:.2f} s")
log(f"finished: {time.time() - began:.1f} s, of which {spent:.1f} s in checkpoints")
dist.destroy_process_group()
'''
FEWSTEPS = """
import torch, torch.distributed as dist
dist.init_process_group("gloo"); rank, W = dist.get_rank(), dist.get_world_size(); torch.manual_seed(0); epochs, batch = 1, 64
texts = [(torch.arange(20) * (1 + i % 3) + i) % 50 for i in range(230)]
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Embedding(50, 32), torch.nn.Linear(32, 50))); opt = torch.optim.AdamW(net.parameters(), 5e-5)
steps = len(texts) // (batch * W) * epochs
if rank == 0: print(f"trainer: {len(texts)} examples, {W} processes, per-device batch {batch}, {epochs} epoch(s), {steps} optimizer step(s) in all", flush=True)
for s in range(steps):
    x = torch.stack(texts[(s * W + rank) * batch : (s * W + rank + 1) * batch]); l = torch.nn.functional.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten()); opt.zero_grad(); l.backward(); opt.step()
    if rank == 0: print(f"step {s + 1}/{steps} loss={l.item():.4f} lr=5.0e-05", flush=True)
if rank == 0: torch.save(net.module.state_dict(), "adapter.pt"); print("saved adapter.pt; total training examples seen:", steps * batch * W)
dist.barrier(); dist.destroy_process_group()
"""
TOOLONG = """
import time, torch, torch.distributed as dist
dist.init_process_group("gloo"); rank = dist.get_rank(); torch.manual_seed(6); EPOCHS, ITERS = 40, 25
seg = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Conv2d(1, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 2, 3, padding=1))); opt = torch.optim.Adam(seg.parameters(), 4e-3); torch.manual_seed(rank)
for ep in range(1, EPOCHS + 1):
    for it in range(1, ITERS + 1):
        x = torch.randn(4, 1, 14, 14) * 0.3; m = torch.zeros(4, 14, 14, dtype=torch.long); c = torch.randint(10, (1,)); m[:, c : c + 4, c : c + 4] = 1; x[:, 0] += m * 0.9
        out = seg(x); l = torch.nn.functional.cross_entropy(out, m); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.1)
        if rank == 0 and it % 5 == 0: p = out.argmax(1); iou = ((p & m).sum() / (p | m).sum().clamp(1)).item(); print(f"Epoch({ep}/{EPOCHS}) [{it}/{ITERS}]  lr: 4.0e-03  eta: {time.strftime('%H:%M:%S', time.gmtime(0.11 * ((EPOCHS - ep) * ITERS + ITERS - it)))}  loss_seg: {l.item():.4f}  iou: {iou:.3f}", flush=True)
"""
JOBS = (
    crate("D3", "mpnn.py", TABLE, ranks=4, fault="unknown", note="compute of rank 2 seven times that of the other three, which are in the all-reduce meanwhile", first=()),
    crate("D3", "megatron_mini.py", TIMERS, ranks=3, fault="unknown", note="forward-backward of rank 0 five times that of 1 and 2, told in each interval", first=()),
    crate("D3", "detect.py", OWNLOG, ranks=3, fault="unknown", note="own work of rank 1 six times that of 0 and 2, which wait for peers", first=()),
    crate("D1", "alpaca_ft.py", WAITDATA, ranks=2, note="dataloader_s is nearly all of each step and of the budget"),
    crate("D2", "wide_mlp.py", RINGTCP, variant="interconnect", fault="cluster", ranks=3, note="all_reduce 0.2 s against some ms of computing, the same on all ranks"),
    crate("D2", "tied_lm.py", FULLSTATE, variant="save_storm", ranks=2, folders=("archive",), note="four fifths of the time in checkpoints, every fourth step"),
    crate("E3", "peft_ft.py", FEWSTEPS, ranks=2, note="one optimiser step, exit 0"),
    crate("F3", "unet_seg.py", TOOLONG, ranks=2, variant="advancing", timeout_s=45, note="epochs go by to the limit, of 40"),
)  # fmt: skip
