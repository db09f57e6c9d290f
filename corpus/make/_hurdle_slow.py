"""Parties of processes that go on, but wait for data, for the wire, for their own saves or for one of them."""

from corpus.make._crate import crate

TIMM = r"""
import math, multiprocessing as mp, random, sys, time

class Meter:
    def __init__(self): self.val = self.sum = self.n = 0.0
    def add(self, v): self.val = v; self.sum += v; self.n += 1
    def __str__(self): return f"{self.val:.3f} ({self.sum / self.n:.3f})"

def storage(q, per, n):
    for i in range(n):
        time.sleep(per); q.put(i)

def train(rank, gate, epochs=2, batches=16, bs=256, world=4):
    rng = random.Random(rank)
    if rank == 0: print("Training in distributed mode with multiple processes, 1 device per process. Process 0, total 4, device cuda:0.\nModel convnext_tiny created, param count:28589128\nScheduled epochs: 2. LR stepped per epoch.", flush=True)
    for ep in range(epochs):
        q = mp.Queue(2); p = mp.Process(target=storage, args=(q, 0.95, batches), daemon=True); p.start(); bt, dt, ls = Meter(), Meter(), Meter(); end = time.time()
        for i in range(batches):
            q.get(); dt.add(time.time() - end); time.sleep(0.085); gate.wait(); bt.add(time.time() - end); end = time.time()
            ls.add(6.93 - 0.19 * (ep * batches + i) ** 0.7 + rng.gauss(0, 0.02))
            if rank == 0: print(f"Train: {ep} [{i:>4d}/{batches} ({100 * (i + 1) / batches:>3.0f}%)]  Loss: {ls.val:#.3g} ({ls.sum / ls.n:#.3g})  Time: {bt.val:.3f}s, {bs * world / bt.val:>7.2f}/s  ({bt.sum / bt.n:.3f}s, {bs * world * bt.n / bt.sum:>7.2f}/s)  LR: {1e-3 * (1 - ep / 3):.3e}  Data: {dt}", flush=True)
        if rank == 0: print(f"*** epoch {ep}: mean loss {ls.sum / ls.n:.4f}; time {bt.sum:.1f}s of which data {dt.sum:.1f}s", flush=True)

if __name__ == "__main__":
    g = mp.Barrier(4); ps = [mp.Process(target=train, args=(r, g)) for r in range(4)]
    for p in ps: p.start()
    for p in ps: p.join()
    print("*** Best metric: none (--no-eval). Finished 2 epochs.")
"""

OCTREE = r'''
import json, os, queue, random, sys, threading, time
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
def emit(**k): sys.stdout.write(json.dumps({"ts": round(time.time(), 3), "rank": rank, **k}) + "\n")
class Prefetch(threading.Thread):
    """scans are unpacked and voxelised by one thread of the host"""
    def __init__(self): super().__init__(daemon=True); self.q = queue.Queue(4)
    def run(self):
        while True: time.sleep(1.55 + 0.2 * random.random()); self.q.put(random.random())
f = Prefetch(); f.start(); w = 0.0; wait = busy = 0.0; emit(event="config", dataset="semantic_kitti", workers=1, batch=8, steps=18)
for step in range(1, 19):
    t = time.time(); f.q.get(); a = time.time()
    w -= 0.06 * (w - 3.0)
    time.sleep(0.12); b = time.time(); wait += a - t; busy += b - a
    open(f"bar/{step}.{rank}", "w").close()
    while not all(os.path.exists(f"bar/{step}.{r}") for r in range(world)): time.sleep(0.01)
    emit(step=step, loss=round(0.4 + (w - 3) ** 2 / 5, 4), input_wait_s=round(a - t, 3), gpu_s=round(b - a, 3), queue_len=f.q.qsize())
emit(event="done", steps=18, input_wait_total_s=round(wait, 1), gpu_total_s=round(busy, 1), input_wait_share=round(wait / (wait + busy), 3))
'''
OCTREE_SH = "export WORLD_SIZE=2\nRANK=0 python3 voxel_seg.py & a=$!\nRANK=1 python3 voxel_seg.py & b=$!\nwait $a && wait $b"

WIRE = r"""
import datetime, multiprocessing as mp, random, sys, time
def log(rank, text):
    n = datetime.datetime.now(); sys.stdout.write(f"[{n:%Y-%m-%d %H:%M:%S},{n.microsecond // 1000:03d}] [INFO] [logging.py:128:log_dist] [Rank {rank}] {text}\n"); sys.stdout.flush()
def main(rank, world, gate):
    rng = random.Random(rank)
    if rank == 0: sys.stdout.write("".join(f"gpu-a1{r // 2}:{3100 + r}:{3100 + r} [{r % 2}] NCCL INFO {m}\n" for r in range(world) for m in ("NCCL_IB_DISABLE set by environment to 1.", "NET/Socket : Using [0]eno1:10.20.4.1%d<0>" % (r // 2), "Using network Socket")))
    gate.wait(); t0 = time.time()
    for step in range(1, 25):
        t = time.time(); time.sleep(0.041 + rng.random() * 0.004); f = time.time() - t; time.sleep(0.083 + rng.random() * 0.004); bi = time.time() - t - f; gate.wait(); time.sleep(1.02 + 0.05 * random.Random(step).random()); gate.wait(); ar = time.time() - t - f - bi; time.sleep(0.01)
        if step % 2 == 0:
            log(rank, f"time (ms) | fwd: {f * 1e3:.2f} | bwd: {(bi + ar) * 1e3:.2f} | bwd_inner: {bi * 1e3:.2f} | bwd_allreduce: {ar * 1e3:.2f} | step: {10 + rng.random():.2f}")
        if rank == 0 and step % 4 == 0:
            log(0, f"step={step}, skipped=0, lr=[3e-05], mom=[(0.9, 0.999)]"); sys.stdout.write(f"steps: {step} loss: {2.31 - 0.34 * step ** 0.4 + rng.gauss(0, 0.01):.4f} iter time (s): {(time.time() - t0) / step:.3f} samples/sec: {step * 64 / (time.time() - t0):.3f}\n")
    gate.wait()
    if rank == 0: log(0, "24 of 24 steps done, exiting")
if __name__ == "__main__":
    n = 4; g = mp.Barrier(n); ps = [mp.Process(target=main, args=(r, n, g)) for r in range(n)]
    for p in ps: p.start()
    for p in ps: p.join()
"""
WIRE_SH = "#!/bin/bash\nset -x\nexport NCCL_IB_DISABLE=1 NCCL_DEBUG=INFO\npython3 -u bert_zero2.py"

SHARDED = r"""
import os, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size(); torch.manual_seed(4)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.Linear(256, 64))); opt = torch.optim.AdamW(net.parameters(), 2e-3); torch.manual_seed(r); goal = torch.eye(64).roll(1, 0); spent = 0.0; t0 = time.time()
for step in range(1, 21):
    x = torch.randn(32, 64); loss = (net(x) - x @ goal).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.15)
    if r == 0: print(f"[{time.time() - t0:6.1f}s] step {step:3d}/20 loss {loss.item():.4f}", flush=True)
    t = time.time(); os.makedirs(f"ckpt/step_{step:05d}", exist_ok=True)
    with open(f"ckpt/step_{step:05d}/shard_{r}_of_{n}.pt", "wb") as f:
        torch.save({"model": net.state_dict(), "opt": opt.state_dict()}, f); f.flush(); os.fsync(f.fileno()); time.sleep(1.1)
    dist.barrier(); spent += time.time() - t
    if r == 0: print(f"[{time.time() - t0:6.1f}s] ckpt/step_{step:05d} written by {n} ranks in {time.time() - t:.2f}s", flush=True)
if r == 0: print(f"20 steps in {time.time() - t0:.1f}s, {spent:.1f}s of it in save_checkpoint()", flush=True)
dist.destroy_process_group()
"""

TABLE = r"""
import math, multiprocessing as mp, random, sys, time
WORLD, ITERS = 4, 60
def work(rank, gate, times):
    rng = random.Random(rank); own = 0.055
    for it in range(1, ITERS + 1):
        t = time.perf_counter(); time.sleep(own * (1 + 0.06 * rng.random()) + (0.47 if rank == 2 else 0)); c = time.perf_counter() - t; gate.wait(); times[2 * rank] += c; times[2 * rank + 1] += time.perf_counter() - t - c; gate.wait()
        if rank == 0 and it % 10 == 0:
            sys.stdout.write(f" iteration {it:5d}/{ITERS} | elapsed time per iteration (ms): {100 * (times[0] + times[1]):.1f} | lm loss: {5.1 + 5.7 * math.exp(-it / 20) + rng.gauss(0, .02):.5f} | grad norm: {0.8 + rng.random() / 9:.3f}\n (min, max) time across ranks (ms):\n    forward-backward ...: ({100 * min(times[0::2]):.2f}, {100 * max(times[0::2]):.2f})\n    grads-all-reduce ...: ({100 * min(times[1::2]):.2f}, {100 * max(times[1::2]):.2f})\n    by rank, forward-backward | grads-all-reduce:\n" + "".join(f"      rank {r} (dgx-{20 + r // 2} gpu {r % 2}): {100 * times[2 * r]:8.2f} | {100 * times[2 * r + 1]:8.2f}\n" for r in range(WORLD))); sys.stdout.flush()
            for k in range(2 * WORLD): times[k] = 0.0
        gate.wait()
if __name__ == "__main__":
    gate, times = mp.Barrier(WORLD), mp.Array("d", 2 * WORLD)
    ps = [mp.Process(target=work, args=(r, gate, times)) for r in range(WORLD)]
    for p in ps: p.start()
    for p in ps: p.join()
    print(f"[exiting program after {ITERS} iterations]")
"""

ATOMS = r"""
import sys, time, torch, torch.distributed as dist
# forces of a Lennard-Jones cluster, learnt from descriptors; frames are dealt out to the ranks round robin
dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size(); torch.manual_seed(1)
net = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.SiLU(), torch.nn.Linear(32, 3)); opt = torch.optim.Adam(net.parameters(), 3e-3); torch.manual_seed(10 + r); W = torch.linspace(-1, 1, 48).view(16, 3); own = sync = 0.0
for it in range(1, 61):
    t = time.perf_counter(); x = torch.randn(40, 16); l = (net(x) - torch.tanh(x @ W)).pow(2).mean(); opt.zero_grad(); l.backward(); time.sleep(0.04)
    if r == 1: time.sleep(0.42)
    c = time.perf_counter(); flat = torch.cat([p.grad.flatten() for p in net.parameters()]); dist.all_reduce(flat); flat /= n; k = 0
    for p in net.parameters(): p.grad.copy_(flat[k:k + p.numel()].view_as(p)); k += p.numel()
    opt.step(); own += c - t; sync += time.perf_counter() - c
    if it % 6 == 0: sys.stdout.write(f"#{r} it {it:3d}/60  F-mse {l.item():.5f}  own {own / 6 * 1e3:6.1f} ms  waiting in allreduce {sync / 6 * 1e3:6.1f} ms  frames {it * 40}\n"); own = sync = 0.0
dist.barrier(); dist.destroy_process_group()
if r == 0: print("# fit complete after 60 iterations; potential.pt not written (--dry)", flush=True)
"""

JOBS = (
    crate("D1", "train_imnet.py", TIMM, python="system", note="Data 0.87 s of Time 0.95 s in every batch"),
    crate(
        "D1",
        "sh two.sh",
        OCTREE_SH,
        files={"voxel_seg.py": OCTREE},
        folders=("bar",),
        python="system",
        first=(),
        note="input_wait_s thirteen times gpu_s on both ranks, queue always empty, share 0.92",
    ),
    crate(
        "D2",
        "sh zero2.sh",
        WIRE_SH,
        variant="interconnect",
        files={"bert_zero2.py": WIRE},
        python="system",
        first=(),
        note="bwd_allreduce 1.05 s of 1.2 s on all ranks alike; InfiniBand switched off by the script, sockets",
    ),
    crate(
        "D2",
        "shard_ckpt.py",
        SHARDED,
        variant="save_storm",
        ranks=2,
        folders=("ckpt",),
        note="a save after every step, seven times as long as the step",
    ),
    crate(
        "D3",
        "pretrain_moe.py",
        TABLE,
        fault="unknown",
        python="system",
        first=(),
        note="rank 2's forward-backward nine times the others', who wait in the all-reduce",
    ),
    crate("D3", "ljfit.py", ATOMS, fault="unknown", ranks=3, note="rank 1's own time eight times the others', who wait in allreduce", first=()),
)
