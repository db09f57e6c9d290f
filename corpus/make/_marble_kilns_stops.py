"""Several ranks of which one breaks down, or all; and what a person stops."""

from corpus.make._crate import crate
from corpus.running.job import Signal

MANIFEST = """
import json, pathlib, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank()
def say(*a): print(f"[proc {r}]", *a, flush=True)
say("world of", dist.get_world_size())
clips = []
for line in pathlib.Path("lists/train_manifest.json").read_text().splitlines(): clips.append(json.loads(line))
hours = sum(c["duration"] for c in clips) / 3600; say(f"{len(clips)} clips, {hours:.2f} h")
net = torch.nn.parallel.DistributedDataParallel(torch.nn.LSTM(80, 256)); say("ready to train")
"""
CLIPS = "\n".join(f'{{"audio": "wav/{i:04d}.wav", "duration": {2 + i % 7}.5, "text": "clip {i}"{"}" if i != 143 else ""}' for i in range(200))
LOCKED = """
import logging, os, sys, torch, torch.distributed as dist
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s:%(process)d:%(levelname)s:%(message)s"); log = logging.getLogger("video")
dist.init_process_group("gloo"); log.info("rank %d/%d initialised", dist.get_rank(), dist.get_world_size())
root = sys.argv[1]; classes = sorted(os.listdir(root)); log.info("%d classes under %s", len(classes), root)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Conv3d(3, 8, 3)); log.info("model wrapped")
"""
BADFREE = '''
import ctypes, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(0); libc = ctypes.CDLL("libc.so.6"); libc.malloc.restype = ctypes.c_void_p; libc.free.argtypes = [ctypes.c_void_p]
class Pool:
    """Scratch buffers of the point sampler, outside of Python's memory."""
    def __init__(self): self.bufs = [libc.malloc(1 << 12) for _ in range(40)]
    def give_back(self, k): libc.free(self.bufs[k])
pool = Pool(); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(3, 48), torch.nn.ReLU(), torch.nn.Linear(48, 1))); opt = torch.optim.Adam(net.parameters(), 3e-3); torch.manual_seed(r)
for i in range(1, 601):
    p = torch.rand(128, 3) * 2 - 1; sdf = p.norm(dim=1) - 0.6; l = (net(p).squeeze(1) - sdf).abs().mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.03)
    if i % 10 == 0 and r == 0: print(f"iter {i:03d}/600  |sdf error| {l.item():.5f}", flush=True)
    if i >= 150 and r == 2: libc.free(ctypes.c_void_p(pool.bufs[0] + 24))
'''
SHARDS = """
import time, torch, torch.distributed as dist
from pathlib import Path
dist.init_process_group("gloo"); R, W = dist.get_rank(), dist.get_world_size(); torch.manual_seed(0)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(22, 44), torch.nn.SiLU(), torch.nn.Linear(44, 1))); opt = torch.optim.Adam(net.parameters(), 4e-3); g = torch.Generator().manual_seed(R); w = torch.linspace(-1, 1, 22)
for k in range(12):
    f = Path("events") / f"run{1000 + k * W + R}.pt"; x = torch.load(f); y = (x @ w).tanh()
    for b in torch.randperm(len(x), generator=g).split(40): l = (net(x[b]).squeeze(1) - y[b]).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.05)
    print(f"rank {R}: {f} done ({k + 1}/12), mse {l.item():.5f}", flush=True)
print(f"rank {R}: all runs seen"); dist.destroy_process_group()
"""
MKSHARDS = (
    "import torch\ntorch.manual_seed(1)\nfor k in range(1000, 1036):\n    if k != 1022: torch.save(torch.randn(400, 22), f'events/run{k}.pt')\n"
)
CURRICULUM = """
import time, torch, torch.distributed as dist
dist.init_process_group("gloo"); rk = dist.get_rank(); torch.manual_seed(7)
STAGES = [(16, 90), (32, 90), (48, 120)]; D = 24
class Enc(torch.nn.Module):
    def __init__(s): super().__init__(); s.e = torch.nn.Embedding(64, D); s.pos = torch.nn.Parameter(torch.zeros(32, D)); s.b = torch.nn.TransformerEncoderLayer(D, 2, 48, 0.0, batch_first=True); s.o = torch.nn.Linear(D, 64)
    def forward(s, x): return s.o(s.b(s.e(x) + s.pos[: x.size(1)]))
net = torch.nn.parallel.DistributedDataParallel(Enc()); opt = torch.optim.AdamW(net.parameters(), 5e-3); done = 0
for length, n in STAGES:
    if rk == 0: print(f"--> sequences of {length} tokens for {n} updates", flush=True)
    for u in range(1, n + 1):
        x = torch.randint(64, (8, length)); l = torch.nn.functional.cross_entropy(net(x).flatten(0, 1), x.flatten()); opt.zero_grad(); l.backward(); opt.step(); done += 1; time.sleep(0.03)
        if rk == 0 and done % 15 == 0: print(f"update {done}/300 loss {l.item():.4f}", flush=True)
"""
BRANCHES = """
import os, sys, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(3); net = torch.nn.Sequential(torch.nn.Linear(32, 96), torch.nn.ReLU(), torch.nn.Linear(96, 32)); part = f"store/optim_{r}.pt"; opt = torch.optim.Adam(net.parameters(), 1e-3); first = 1; last = int(sys.argv[1])
if os.path.exists(part):
    print(f"rank {r}: loading {part}, {os.path.getsize(part)} bytes", flush=True); s = torch.load(part); net.load_state_dict(s["net"]); opt.load_state_dict(s["opt"]); first = s["at"] + 1; print(f"rank {r}: continuing at {first}", flush=True)
for it in range(first, last + 1):
    x = torch.randn(32, 32); l = (net(x) - x).pow(2).mean(); opt.zero_grad(); l.backward(); [dist.all_reduce(p.grad, op=dist.ReduceOp.SUM) for p in net.parameters()]; opt.step(); time.sleep(0.03)
    if r == 0 and it % 10 == 0: print(f"it {it}/{last} mse {l.item():.4f}", flush=True)
torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "at": last}, part); dist.barrier()
if r == 0: print(f"stored {dist.get_world_size()} parts at it {last}", flush=True)
dist.destroy_process_group()
"""
TRANSLATE = """
import time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, w = dist.get_rank(), dist.get_world_size(); torch.manual_seed(1); dec = torch.nn.GRUCell(16, 16); head = torch.nn.Linear(16, 50); emb = torch.nn.Embedding(50, 16); mine = range(r, 9000, w); out = open(f"hyp.{r}.txt", "w"); t = time.time()
with torch.no_grad():
    for n, i in enumerate(range(0, len(mine), 20), 1):
        h = torch.randn(20, 16); tok = torch.zeros(20, dtype=torch.long); hyp = []
        for _ in range(12): h = dec(emb(tok), h); tok = head(h).argmax(1); hyp.append(tok)
        out.writelines(" ".join(map(str, row)) + "\\n" for row in torch.stack(hyp, 1).tolist()); time.sleep(0.1)
        if n % 5 == 0: print(f"gpu{r} | sentences {n * 20}/{len(mine)} | {n * 20 / (time.time() - t):.1f} sent/s", flush=True)
"""

JOBS = (
    crate(
        "A1",
        "asr_train.py",
        MANIFEST,
        cause="traceback",
        variant="data",
        ranks=2,
        first=(),
        files={"lists/train_manifest.json": CLIPS},
        note="JSONDecodeError on a line of the manifest in both ranks, before training",
    ),
    crate(
        "A1",
        "video_train.py clips/kin",
        LOCKED,
        cause="permission",
        ranks=2,
        first=(),
        folders=("clips/kin",),
        locked=("clips/kin",),
        note="PermissionError of both ranks on listing the data, before the model",
    ),
    crate(
        "A2",
        "sdf_fit.py",
        BADFREE,
        ranks=3,
        first=(2,),
        note="free(): invalid ..., torchrun: Signal 6 (SIGABRT) of rank 2 after 150 iterations, no traceback of it",
    ),
    crate(
        "A3",
        "events.py",
        SHARDS,
        cause="file_not_found",
        ranks=3,
        first=(1,),
        folders=("events",),
        files={"mkevents.py": MKSHARDS},
        before=(("PYTHON", "mkevents.py"),),
        note="rank 1's FileNotFoundError of run1022.pt after seven files",
    ),
    crate(
        "A3",
        "lengths.py",
        CURRICULUM,
        cause="runtime_error",
        ranks=2,
        first=(),
        note="RuntimeError of 48 against 32 in both ranks at once, after 180 updates",
    ),
    crate(
        "E2",
        "sh parts.sh PORT",
        'mkdir -p store\ntorchrun --nproc-per-node=2 --master-port=$1 parts.py 80 || exit 1\necho "moving the parts to the other file system"\nhead -c 70000 store/optim_1.pt > store/tmp && mv store/tmp store/optim_1.pt\nexec torchrun --nproc-per-node=2 --master-port=$1 parts.py 160',
        cause="runtime_error",
        variant="corrupt",
        first=(1,),
        files={"parts.py": BRANCHES},
        note="rank 1's PytorchStreamReader error on its part, which is shorter than rank 0's",
    ),
    crate("F4", "translate.py", TRANSLATE, ranks=2, signal=Signal("INT", r"gpu0 \| sentences 900/"), note="Ctrl-C while both ranks go on"),
)
