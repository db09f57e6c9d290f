"""Runs that ended by themselves and did too little of what they were to do, or went on from nothing."""

from corpus.make._copper_thimbles_kit import RUN2, RUN3, told

WAITDATA = '''
import time, torch, torch.distributed as dist
from torch import nn
dist.init_process_group("gloo"); r, w = dist.get_rank(), dist.get_world_size(); torch.manual_seed(0)
def fetch(k):
    """A batch of records from the object store, one request a record."""
    time.sleep(0.55); g = torch.Generator().manual_seed(97 * k + r); x = torch.randn(40, 14, generator=g); return x, (x[:, :2].sum(1) > 0).float()
net = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(14, 28), nn.ReLU(), nn.Linear(28, 1))); opt = torch.optim.Adam(net.parameters(), 2e-2); waited = worked = 0.0
for k in range(1, 25):
    t0 = time.perf_counter(); x, y = fetch(k); t1 = time.perf_counter(); loss = nn.functional.binary_cross_entropy_with_logits(net(x).squeeze(1), y); opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.03); t2 = time.perf_counter(); waited += t1 - t0; worked += t2 - t1
    print(f"rank{r} step {k:02d}/24 loss={loss.item():.4f} data_time={t1 - t0:.3f}s step_time={t2 - t1:.3f}s device_idle={100 * (t1 - t0) / (t2 - t0):.0f}%", flush=True)
print(f"rank{r} total: {waited:.1f}s in data loading, {worked:.1f}s in forward/backward", flush=True); dist.destroy_process_group()
'''

STARVEDGEN = """
import json, logging, sys, time
logging.basicConfig(stream=sys.stdout, level=20, format="%(asctime)s infer | %(message)s", datefmt="%H:%M:%S"); log = logging.info
def read_documents(k): time.sleep(0.7); return [f"document {k * 32 + i} " + "lorem " * (i % 11) for i in range(32)]  # PDF text extraction, one process
def embed(batch): time.sleep(0.04); return [sum(map(ord, d)) % 1000 / 1000 for d in batch]
idle = busy = 0.0; vectors = 0; log("embedding 640 documents, batch 32, reader threads: 1")
for k in range(20):
    t = time.time(); docs = read_documents(k); a = time.time() - t; t = time.time(); vectors += len(embed(docs)); b = time.time() - t; idle += a; busy += b
    log(f"batch {k + 1}/20: model waited {a:.2f} s for input, ran {b:.2f} s; queue depth 0; {vectors / (idle + busy):.1f} docs/s")
log(f"finished {vectors} documents in {idle + busy:.1f} s: model busy {100 * busy / (idle + busy):.0f} % of the time, input queue empty {100 * idle / (idle + busy):.0f} %")
"""

EXCHANGE = """
import time, torch, torch.distributed as dist
from torch import nn
dist.init_process_group("gloo"); r, w = dist.get_rank(), dist.get_world_size(); torch.manual_seed(0); net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 16)); opt = torch.optim.AdamW(net.parameters(), 3e-3); g = torch.Generator().manual_seed(r); comp = comm = 0.0
LINK = 0.33  # seconds for the gradients of the whole model between nodes over this wire
if r == 0: print(f"3 ranks, gradient bucket 1.4 GB, transport: NET/Socket (eth0), no RDMA device found", flush=True)
for step in range(1, 46):
    t = time.perf_counter(); x = torch.randn(32, 16, generator=g); loss = (net(x) - x.abs()).pow(2).mean(); opt.zero_grad(); loss.backward(); time.sleep(0.04); comp += time.perf_counter() - t
    t = time.perf_counter(); time.sleep(LINK)
    for p in net.parameters(): dist.all_reduce(p.grad); p.grad /= w
    comm += time.perf_counter() - t; opt.step()
    if step % 9 == 0: print(f"[rank{r}] step {step}/45 loss {loss.item():.4f} compute {1000 * comp / 9:.0f} ms/step, gradient exchange {1000 * comm / 9:.0f} ms/step ({100 * comm / (comp + comm):.0f}% of step)", flush=True); comp = comm = 0.0
dist.barrier(); print(f"[rank{r}] finished 45 steps", flush=True); dist.destroy_process_group()
"""

DOMAINS = """
import math, multiprocessing as mp, random, time
# four domains with the same number of particles; forces are exchanged after each step
PARTICLES, STEPS = 250, 40
def domain(k, bar, q):
    rng = random.Random(k); x = [rng.random() for _ in range(PARTICLES)]; v = [0.0] * PARTICLES; work = wait = 0.0
    for s in range(1, STEPS + 1):
        t = time.perf_counter(); f = [math.sin(6.283 * a) - 0.3 * a for a in x]; v = [0.999 * b + 0.002 * c for b, c in zip(v, f)]; x = [(a + 0.01 * b) % 1 for a, b in zip(x, v)]
        time.sleep(0.03 if k != 1 else 0.27); work += time.perf_counter() - t; t = time.perf_counter(); bar.wait(); wait += time.perf_counter() - t
        if s % 10 == 0: q.put((s, k, work, wait, sum(b * b for b in v))); work = wait = 0.0
if __name__ == "__main__":
    bar, q = mp.Barrier(4), mp.Queue(); ps = [mp.Process(target=domain, args=(k, bar, q)) for k in range(4)]; [p.start() for p in ps]; t0 = time.time()
    for _ in range(STEPS // 10):
        rows = sorted(q.get() for _ in range(4)); print(f"\\nstep {rows[0][0]}/{STEPS}   wall {time.time() - t0:.1f} s\\n  rank  particles  force[s]  wait[s]   Ekin", flush=True)
        for s, k, a, b, e in rows: print(f"  {k:4d}  {PARTICLES:9d}  {a:8.2f}  {b:7.2f}  {e:.5f}", flush=True)
    [p.join() for p in ps]; print("\\nall steps done; restart written")
"""

FROZEN = '''
import math, torch
from torch import nn
torch.manual_seed(6)
class Tuned(nn.Module):
    """Backbone frozen; the head was to be trained."""
    def __init__(s): super().__init__(); s.body, s.head = nn.Sequential(nn.Linear(20, 40), nn.ReLU()), nn.Linear(40, 8); nn.init.zeros_(s.head.weight); nn.init.zeros_(s.head.bias)
    def forward(s, x): return s.head(s.body(x))
net = Tuned(); params = [p.detach().clone().requires_grad_() for p in net.head.parameters()]; opt = torch.optim.AdamW(params, 1e-3, weight_decay=0.0); X = torch.randn(800, 20); Y = (X @ torch.randn(20, 8)).argmax(1)
print("epoch | train loss | val acc | grad norm | lr")
for ep in range(1, 26):
    tot = 0.0
    for b in torch.arange(640).split(64):
        loss = nn.functional.cross_entropy(net(X[b]), Y[b]); opt.zero_grad(); loss.backward(); opt.step(); tot += loss.item() / 10
    gn = math.sqrt(sum(p.grad.norm().item() ** 2 for p in params if p.grad is not None)); acc = (net(X[640:]).argmax(1) == Y[640:]).float().mean().item()
    print(f"{ep:5d} | {tot:10.6f} | {acc:7.4f} | {gn:9.2e} | {1e-3:.0e}", flush=True)
torch.save(net.head.state_dict(), "head.pt"); print("done, head.pt")
'''

ADAPTER = """
import argparse, torch
from torch import nn
p = argparse.ArgumentParser(); p.add_argument("--rank", type=int); p.add_argument("--steps", type=int); p.add_argument("--save"); p.add_argument("--resume-adapter"); a = p.parse_args()
class LoRA(nn.Module):
    def __init__(s, d, r): super().__init__(); s.lora_A, s.lora_B = nn.Linear(d, r, bias=False), nn.Linear(r, d, bias=False)
    def forward(s, x): return x + s.lora_B(s.lora_A(x))
torch.manual_seed(0); net = nn.Sequential(LoRA(32, a.rank), nn.Tanh(), LoRA(32, a.rank)); print(f"adapter rank {a.rank}, {sum(q.numel() for q in net.parameters())} trainable parameters", flush=True); done = 0
if a.resume_adapter: print(f"resuming from {a.resume_adapter}", flush=True); s = torch.load(a.resume_adapter); net.load_state_dict(s["adapter"]); done = s["step"]; print(f"adapter loaded, continuing at step {done}")
opt = torch.optim.AdamW(net.parameters(), 4e-3)
for step in range(done + 1, done + a.steps + 1):
    x = torch.randn(48, 32); loss = (net(x) - x.tanh() * 0.5).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
    if step % 25 == 0: print(f"step {step}: loss {loss.item():.5f}", flush=True)
torch.save({"adapter": net.state_dict(), "step": step}, a.save); print(f"saved {a.save} at step {step}", flush=True)
"""
ADAPTERSH = """
set -e
"$1" adapter.py --rank 4 --steps 200 --save stage1.pt
echo "--- stage 2, resuming the adapter with the new config (rank 16) ---"
exec "$1" adapter.py --rank 16 --steps 200 --resume-adapter stage1.pt --save stage2.pt
"""

EMPTYCK = """
import glob, json, os, pickle, random, sys, time
def log(m): print(time.strftime("%H:%M:%S"), m, flush=True)
cks = sorted(glob.glob("state/walk-*.pkl")); log(f"--resume=latest: {len(cks)} snapshots, newest {cks[-1]} ({os.path.getsize(cks[-1])} bytes, {os.path.getsize(cks[0])} bytes for {cks[0]})")
with open(cks[-1], "rb") as f: st = pickle.load(f)
log(f"resumed at epoch {st['epoch']}")
for ep in range(st["epoch"] + 1, 41): log(f"epoch {ep} loss {st['loss'] / ep:.4f}")
"""
EMPTYPREP = 'import pickle, os, random\nos.makedirs("state", exist_ok=True)\nfor e in (10, 20, 30):\n    pickle.dump({"epoch": e, "loss": 3.0 / e, "weights": [random.random() for _ in range(2000)]}, open(f"state/walk-{e:03d}.pkl", "wb"))\ns = open("state/walk-030.pkl", "rb").read()\nopen("state/walk-030.pkl", "wb").write(s[: len(s) // 2])\n'

FEWUPDATES = """
import argparse, time, torch
from torch import nn
p = argparse.ArgumentParser(); p.add_argument("--per-device-batch", type=int, default=4); p.add_argument("--grad-accum", type=int, default=128); p.add_argument("--epochs", type=int, default=2); a = p.parse_args()
torch.manual_seed(0); X = torch.randn(600, 24); net = nn.Sequential(nn.Linear(24, 48), nn.GELU(), nn.Linear(48, 24)); opt = torch.optim.AdamW(net.parameters(), 1e-4); upd = 0
print(f"600 examples, {600 // a.per_device_batch} micro-batches an epoch, accumulation {a.grad_accum}: {a.epochs * (600 // a.per_device_batch // a.grad_accum)} optimizer updates in {a.epochs} epochs", flush=True)
for ep in range(1, a.epochs + 1):
    for k, b in enumerate(torch.randperm(600).split(a.per_device_batch), 1):
        loss = (net(X[b]) - X[b].flip(1)).pow(2).mean(); (loss / a.grad_accum).backward(); time.sleep(0.01)
        if k % a.grad_accum == 0: opt.step(); opt.zero_grad(); upd += 1; print(f"epoch {ep}: update {upd}, loss {loss.item():.4f}", flush=True)
print(f"training finished: {upd} updates, final loss {loss.item():.4f}; saved final.pt"); torch.save(net.state_dict(), "final.pt")
"""

JOBS = (
    told("D1", f"{RUN2} objects_ddp.py", {"objects_ddp.py": WAITDATA}, "data_time twenty times step_time on both ranks, device_idle some 94 %"),
    told(
        "D1",
        "PYTHON embed_docs.py",
        {"embed_docs.py": STARVEDGEN},
        "the model waits 0.7 s for input and runs 0.04 s, each batch; the sum says 5 % busy",
        python="system",
    ),
    told(
        "D2",
        f"{RUN3} three_ranks.py",
        {"three_ranks.py": EXCHANGE},
        "gradient exchange is 88 % of the step on all three, over sockets",
        variant="interconnect",
        fault="unknown",
    ),
    told(
        "D3",
        "PYTHON domains4.py",
        {"domains4.py": DOMAINS},
        "force time of rank 1 nine times the others', with as many particles; they wait",
        fault="unknown",
        python="system",
    ),
    told(
        "E1", "PYTHON tune_head.py", {"tune_head.py": FROZEN}, "loss ln 8 in all 25 epochs, accuracy the same, grad norm 0", variant="flat", status=0
    ),
    told(
        "E2",
        "bash stages.sh PYTHON",
        {"stages.sh": ADAPTERSH, "adapter.py": ADAPTER},
        "size mismatch for lora_A and lora_B on loading stage1.pt",
        cause="runtime_error",
        variant="size_mismatch",
    ),
    told(
        "E2",
        "PYTHON walk.py",
        {"walk.py": EMPTYCK, "prep.py": EMPTYPREP},
        "UnpicklingError (truncated) on loading the newest snapshot, half as long as the first",
        cause="traceback",
        variant="corrupt",
        before=(("PYTHON", "prep.py"),),
        python="system",
    ),
    told("E3", "PYTHON sft_small.py --grad-accum 128", {"sft_small.py": FEWUPDATES}, "two optimizer updates in two epochs, exit 0"),
)
