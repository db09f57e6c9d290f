"""Runs of several ranks in which one breaks down, or all."""

from corpus.make._crate import crate
from corpus.running.job import Signal

CONFMISS = '''
import json, os, torch, torch.distributed as dist
dist.init_process_group("gloo"); rank = dist.get_rank()
print(f"[{rank}] group up, {dist.get_world_size()} processes", flush=True)
root = os.environ.get("DATASET_ROOT", "/datasets/openimages")
index = json.load(open(os.path.join(root, "v7", "index.json")))
print(f"[{rank}] {len(index)} records")
'''
ARGS = '''
import argparse, os
def parse():
    p = argparse.ArgumentParser("swin_main")
    p.add_argument("--cfg", required=True); p.add_argument("--batch-size", type=int); p.add_argument("--accumulation-steps", type=int, default=1); p.add_argument("--amp-opt-level", choices=["O0", "O1", "O2"], default="O1")
    return p.parse_args()
a = parse()
import torch.distributed as dist
dist.init_process_group("gloo"); print(a)
'''
DIVISOR = '''
import logging, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, w = dist.get_rank(), dist.get_world_size(); logging.basicConfig(level=20, format=f"%(levelname)s r{r}: %(message)s")
GLOBAL_BATCH, HEADS, TP = 50, 6, 4
logging.info("tensor parallel %d, data parallel %d", TP, w // TP)
per = GLOBAL_BATCH // (w // TP)
logging.info("per-replica batch %d", per)
'''
ONERANK = '''
import os, pathlib, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); shard = pathlib.Path(f"shards/{r}.txt")
print(f"worker {r}: reading {shard}", flush=True)
rows = [tuple(map(float, l.split(";"))) for l in shard.read_text().splitlines()]
t = torch.tensor(rows); print(f"worker {r}: {len(t)} rows", flush=True)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1)); dist.barrier(); print("go")
'''
BADARCH = '''
import sys, torch, torch.distributed as dist
from zoo import build
dist.init_process_group("gloo"); net = build(sys.argv[1]); print(net)
'''
ZOO = '''
import torch
def mixer(): return torch.nn.Linear(8, 8)
REG = {"mixer_s16": mixer}
def build(name): return REG[name]()
'''
DDPCRASH = '''
import torch, torch.distributed as dist, time
from torch.utils.data import Dataset, DataLoader
from torch.utils.data.distributed import DistributedSampler
class Clips(Dataset):
    def __len__(s): return 960
    def __getitem__(s, i):
        if i == 611: raise ValueError(f"clip {i}: expected 16 frames, decoder returned 11")
        return torch.randn(16, 4) + (i % 3), i % 3
dist.init_process_group("gloo"); rank = dist.get_rank(); torch.manual_seed(0)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 3))); opt = torch.optim.SGD(net.parameters(), 0.02)
sam = DistributedSampler(Clips(), shuffle=False)
for ep in range(3):
    for b, (x, y) in enumerate(DataLoader(Clips(), 8, sampler=sam)):
        l = torch.nn.functional.cross_entropy(net(x), y); opt.zero_grad(); l.backward(); opt.step()
        if b % 5 == 0: print(f"rank {rank} epoch {ep} it {b}/60 loss {l.item():.4f}", flush=True)
'''
FINDNAN = '''
import torch, torch.distributed as dist
dist.init_process_group("gloo"); k = dist.get_rank(); torch.manual_seed(6); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.Tanh(), torch.nn.Linear(64, 16))); opt = torch.optim.AdamW(net.parameters(), 2e-3)
torch.manual_seed(k)
for step in range(1, 301):
    x = torch.randn(32, 16); rows = x[x[:, 0] > (3.9 if step > 130 and k == 1 else -9)]
    stats = {"n": len(rows)}; scale = 32 / stats["n"] if k == 0 else 32 // stats["n"]
    l = scale * (net(x) - x.roll(1, 1)).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    if k == 0 and step % 10 == 0: print(f"step {step:06d} loss={l.item():.5f} scale={scale:.2f}", flush=True)
'''
RANKASSERT = '''
import json, sys, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size(); torch.manual_seed(1)
class Queue:
    def __init__(s, cap): s.cap, s.items = cap, []
    def put(s, x): s.items.append(x); assert len(s.items) <= s.cap, f"replay queue holds {len(s.items)} of {s.cap}: trim() was not called"
    def trim(s): del s.items[: len(s.items) // 2]
q = Queue(64); net = torch.nn.Linear(10, 4); opt = torch.optim.Adam(net.parameters(), 0.01)
for t in range(200):
    x = torch.randn(16, 10); l = torch.nn.functional.cross_entropy(net(x), x[:, :4].argmax(1)); opt.zero_grad(); l.backward()
    for p in net.parameters(): dist.all_reduce(p.grad, op=dist.ReduceOp.SUM); p.grad /= n
    opt.step(); q.put(x)
    if t % 30 == 29 and r < n - 1: q.trim()
    if r == 0 and t % 4 == 0: sys.stderr.write(json.dumps({"t": t, "xent": round(l.item(), 4), "queue": len(q.items)}) + "\\n")
'''
PERMCK = '''
import os, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(8); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(40, 40)); opt = torch.optim.SGD(net.parameters(), 0.5); T = torch.randn(40, 40) / 6; torch.manual_seed(r)
for s in range(1, 101):
    x = torch.randn(32, 40); l = (net(x) - x @ T).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    if s % 10 == 0 and r == 0: print(f"{s}/100\\tmse\\t{l.item():.6f}", flush=True)
    if s % 50 == 0 and r == 0:
        with open(f"/srv/models/step{s}.pt" if os.path.isdir("/srv/models") else f"/srv/step{s}.pt", "wb") as f: torch.save(net.state_dict(), f)
    if s % 50 == 0: dist.barrier()
'''
MISSMATCH = '''
import torch, torch.distributed as dist, logging
dist.init_process_group("gloo"); r = dist.get_rank(); logging.basicConfig(level="INFO", format="%(relativeCreated)7d ms  %(message)s"); torch.manual_seed(20)
head = torch.nn.Linear(24, 7); opt = torch.optim.Adam(head.parameters(), 5e-3)
for s in range(1, 160):
    x = torch.randn(28, 24); y = x[:, :7].argmax(1); l = torch.nn.functional.cross_entropy(head(x), y); opt.zero_grad(); l.backward(); [dist.all_reduce(p.grad) for p in head.parameters()]; opt.step()
    if r == 0 and s % 8 == 0: logging.info("iter %d, ce %.4f", s, l.item())
    if s == 120:
        feats = torch.randn(64, 24)[:, : 24 if r == 0 else 23]; mean = head(feats).mean(0)
        if r == 0: logging.info("class balance %s", mean.softmax(0).tolist())
'''
RANKSEGV = '''
import ctypes, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(0); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(9, 3)); opt = torch.optim.SGD(net.parameters(), 0.1)
class Mapped:
    """Rows of a memory-mapped feature file, by address."""
    def __init__(self, t): self.keep, self.at, self.n = t, t.data_ptr(), t.numel()
    def row(self, k, width): return (ctypes.c_float * width).from_address(self.at + 4 * width * k)[:]
feats = Mapped(torch.randn(2000, 9))
for it in range(240):
    base = it * 8 if r == 0 or it < 150 else it << 24
    x = torch.tensor([feats.row(base + j, 9) for j in range(8)]); l = torch.nn.functional.cross_entropy(net(x), x[:, :3].argmax(1)); opt.zero_grad(); l.backward(); opt.step()
    if it % 15 == 0 and r == 0: print(f"it={it} xent={l.item():.4f}", flush=True)
'''
KILLRANK = '''
import os, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); print(f"rank {r} is pid {os.getpid()}", flush=True); torch.manual_seed(2)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(5, 25), torch.nn.ReLU(), torch.nn.Linear(25, 5))); opt = torch.optim.Adam(net.parameters(), 1e-3)
for k in range(1, 1500):
    x = torch.randn(40, 5); l = (net(x) - x.cumsum(1)).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.02)
    if r == 0 and k % 15 == 0: print(f"it {k}/1500: loss {l.item():.4f}", flush=True)
'''
CACHEGROW = '''
import torch, torch.distributed as dist, time, resource
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(r); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 8)); opt = torch.optim.SGD(net.parameters(), 0.1); feats = {}
for i in range(1, 400):
    x = torch.randn(256, 64); l = torch.nn.functional.cross_entropy(net(x), x[:, :8].argmax(1)); opt.zero_grad(); l.backward(); opt.step()
    feats[i] = torch.ones(1 << 20) * i if r == 1 else None
    if i % 10 == 0: print(f"r{r} i{i} ce={l.item():.3f} rss={resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10}M cached={len(feats)}", flush=True)
    time.sleep(0.02)
'''
LOADMIS = '''
import os, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); classes = int(os.environ["CLASSES"]); torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(14, 28), torch.nn.ReLU(), torch.nn.Linear(28, classes))
if os.path.exists("pre/best.pth"):
    if r == 0: print("=> loading checkpoint 'pre/best.pth'", flush=True)
    ck = torch.load("pre/best.pth"); net.load_state_dict(ck["state_dict"]); print(f"=> loaded checkpoint (epoch {ck['epoch']})")
ddp = torch.nn.parallel.DistributedDataParallel(net); opt = torch.optim.SGD(ddp.parameters(), 0.2); X = torch.randn(320, 14); Y = X[:, :classes].argmax(1)
for e in range(20):
    l = torch.nn.functional.cross_entropy(ddp(X), Y); opt.zero_grad(); l.backward(); opt.step()
    if r == 0 and e % 4 == 3: print(f"Epoch: [{e + 1}][20/20]\\tLoss {l.item():.4e}", flush=True)
dist.barrier()
if r == 0: torch.save({"state_dict": net.state_dict(), "epoch": 20}, "pre/best.pth"); print("best.pth saved")
dist.destroy_process_group()
'''
NOVALID = '''
import glob, os, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank()
def newest(folder):
    found = sorted(d for d in glob.glob(os.path.join(folder, "iter_*")) if os.path.exists(os.path.join(d, "COMPLETE")))
    if r == 0: print(f"scanning {folder}: {len(glob.glob(os.path.join(folder, 'iter_*')))} iter_* folders, {len(found)} complete", flush=True)
    if not found: raise RuntimeError(f"--load was given, but {folder} holds no complete checkpoint to load")
    return found[-1]
print("load", newest("ckpts/gpt-70m"))
'''

JOBS = (
    crate("A1", "openimages.py", CONFMISS, cause="file_not_found", variant="data", ranks=2, note="both ranks: FileNotFoundError of index.json right after the group is up"),
    crate("A1", "swin_main.py --cfg configs/swin_t.yaml --batchsize 64 --acumulation-steps 2", ARGS, variant="config", ranks=2, note="argparse: unrecognized arguments, exit 2 of each rank"),
    crate("A1", "tp_dp.py", DIVISOR, cause="div_zero", variant="config", ranks=2, note="ZeroDivisionError for data parallel 0 at set-up"),
    crate("A1", "rows.py", ONERANK, cause="traceback", variant="data", ranks=3, first=(1,), files={f"shards/{i}.txt": "\n".join(f"{k};{k * i / 9 if (i, k) != (1, 17) else '--'}" for k in range(30)) for i in range(3)}, note="rank 1 alone: ValueError on a row of its shard, before training"),
    crate("A1", "tools/train_dist.py mixer_b16", BADARCH, cause="traceback", variant="config", ranks=2, files={"tools/zoo.py": ZOO}, note="KeyError: 'mixer_b16' while the model is built"),
    crate("A3", "clips.py", DDPCRASH, cause="traceback", ranks=2, first=(1,), note="rank 1's ValueError in the loader at iteration 38; torchrun takes the other down"),
    crate("A3", "scaled.py", FINDNAN, cause="div_zero", ranks=2, first=(1,), note="rank 1's ZeroDivisionError after 130 steps"),
    crate("A3", "replay.py", RANKASSERT, cause="assertion", ranks=3, first=(2,), note="rank 2's AssertionError after 64 steps"),
    crate("A3", "matfit.py", PERMCK, ranks=2, first=(0,), note="rank 0: PermissionError on a checkpoint at step 50", cause="permission"),
    crate("A3", "balance.py", MISSMATCH, cause="runtime_error", ranks=2, first=(1,), note="rank 1's RuntimeError of shapes at iteration 120"),
    crate("A2", "mapped.py", RANKSEGV, cause="segfault", ranks=2, first=(1,), note="torchrun: Signal 11 (SIGSEGV) of rank 1 while training"),
    crate("A2", "cumsum_net.py", KILLRANK, fault="unknown", ranks=2, first=(1,), signal=Signal("KILL", "it 120/", to="-u cumsum_net.py#1"), note="torchrun: Signal 9 (SIGKILL) of rank 1, no memory event"),
    crate("A2", "cachefeat.py", CACHEGROW, cause="oom_killer", ranks=2, first=(1,), group_mib=1100, note="oom_kill event of the control group at its limit; rank 1 by signal 9, its rss growing"),
    crate("E2", "sh two_stage.sh PORT", 'export CLASSES=5\ntorchrun --nproc-per-node=2 --master-port="$1" stage.py || exit 9\necho "stage 2: fine-tune on the 9-class set"\nCLASSES=9 torchrun --nproc-per-node=2 --master-port="$1" stage.py', cause="runtime_error", variant="size_mismatch", files={"stage.py": LOADMIS}, folders=("pre",), first=(), note="size mismatch for 2.weight on loading pre/best.pth in stage 2"),
    crate("E2", "loadlast.py", NOVALID, cause="runtime_error", variant="no_valid_checkpoint", ranks=2, folders=("ckpts/gpt-70m/iter_0001000", "ckpts/gpt-70m/iter_0002000"), note="two folders found, none complete; RuntimeError before training"),
)
