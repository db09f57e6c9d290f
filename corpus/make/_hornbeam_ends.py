"""Runs of several ranks that broke off, or learned nothing, or began anew."""

import json

from corpus.make._crate import crate
from corpus.running.job import Signal

BADLINE = '''
"""Supervised fine-tuning on chat records."""
import json
import sys
from dataclasses import dataclass

import torch
import torch.distributed as dist


@dataclass
class Record:
    prompt: str
    answer: str


def read(path):
    out = []
    with open(path) as f:
        for line in f:
            turns = json.loads(line)["messages"]
            out.append(Record(turns[0]["content"], turns[-1]["content"]))
    return out


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    print(f"[sft] rank {rank}/{dist.get_world_size()} ready", flush=True)
    files = sys.argv[1:]
    train = []
    for path in files:
        part = read(path)
        print(f"[sft] rank {rank}: {path}: {len(part)} conversations", flush=True)
        train += part
    net = torch.nn.Embedding(1000, 32)
    dist.barrier()
    print("[sft] begin", len(train), net)


main()
'''
CHAT = [
    json.dumps({"messages": [{"role": "user", "content": f"what is {i} plus {i + 3}?"}, {"role": "assistant", "content": f"{2 * i + 3}"}]})
    for i in range(40)
]
TPSIZE = """
import argparse, os, torch.distributed as dist
p = argparse.ArgumentParser()
p.add_argument("--tensor-model-parallel-size", type=int, default=1)
p.add_argument("--num-layers", type=int, default=12)
p.add_argument("--hidden-size", type=int, default=768)
a = p.parse_args()
world = int(os.environ["WORLD_SIZE"])
if os.environ["RANK"] == "0":
    print("------------------------ arguments ------------------------")
    for k, v in sorted(vars(a).items()): print(f"  {k} {'.' * (40 - len(k))} {v}")
    print("-------------------- end of arguments ---------------------", flush=True)
assert world % a.tensor_model_parallel_size == 0, f"world size ({world}) is not divisible by tensor model parallel size ({a.tensor_model_parallel_size})"
dist.init_process_group("gloo")
"""
THREERANK = """
import logging, os, sys, time, torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
dist.init_process_group("gloo"); rank = dist.get_rank()
logging.basicConfig(stream=sys.stdout, level="INFO", format=f"[%(asctime)s] [{rank}] %(message)s", datefmt="%m/%d %H:%M:%S")
logging.info("pid %d on %s", os.getpid(), os.uname().machine)
torch.manual_seed(0)
net = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(20, 64), torch.nn.ReLU(), torch.nn.Linear(64, 5)))
opt = torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.9)
W = torch.randn(20, 5); torch.manual_seed(rank)
for it in range(1, 4001):
    x = torch.randn(64, 20); y = (x @ W).argmax(1)
    loss = torch.nn.functional.cross_entropy(net(x), y)
    opt.zero_grad(set_to_none=True); loss.backward(); opt.step()
    if it % 20 == 0: logging.info("iter %d/4000 loss %.4f", it, loss.item())
    time.sleep(0.03)
"""
TOKCOUNT = '''
"""Masked LM on packed protein sequences; the loss is a mean over the masked tokens of the rank."""
import torch, torch.distributed as dist, torch.nn.functional as F
dist.init_process_group("gloo")
r, w = dist.get_rank(), dist.get_world_size()
torch.manual_seed(7)
emb, mix, out = torch.nn.Embedding(25, 32), torch.nn.GRU(32, 32, batch_first=True, bidirectional=True), torch.nn.Linear(64, 25)
params = [*emb.parameters(), *mix.parameters(), *out.parameters()]
opt = torch.optim.AdamW(params, 3e-3)
g = torch.Generator().manual_seed(11 + r)

def batch(step):
    """Sequences of one family; padded with 0."""
    lengths = torch.randint(4, 30, (12,), generator=g)
    if r == 2 and step == 97: lengths.zero_()
    start = torch.randint(1, 23, (12, 1), generator=g)
    seq = (start + torch.arange(30)) % 22 + 2
    return torch.where(torch.arange(30) < lengths[:, None], seq, 0)

for step in range(1, 301):
    seq = batch(step)
    pick = (torch.rand(seq.shape, generator=g) < 0.3) & (seq > 0)
    h, _ = mix(emb(seq.masked_fill(pick, 1)))
    total = F.cross_entropy(out(h)[pick], seq[pick], reduction="sum")
    n = int(pick.sum())
    scale = 1 / n
    loss = total * scale
    opt.zero_grad(); loss.backward()
    for p in params:
        dist.all_reduce(p.grad); p.grad /= w
    opt.step()
    if step % 10 == 0 and r == 0: print(f"step: {step:4d} | mlm_loss: {loss.item():.4f} | masked: {n}", flush=True)
'''
MISSINGPIC = """
import os, torch, torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler
CLASSES = ["cassava", "maize", "rice"]
class Leaves(Dataset):
    def __init__(self, split):
        self.rows = [l.split() for l in open(f"plantset/{split}.lst")]
    def __len__(self): return len(self.rows)
    def __getitem__(self, i):
        name, label = self.rows[i]
        with open(os.path.join("plantset/images", name), "rb") as f: raw = f.read()
        return torch.frombuffer(bytearray(raw), dtype=torch.uint8).float() / 255, int(label)
def main():
    dist.init_process_group("gloo"); rank = dist.get_rank(); torch.manual_seed(1)
    net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(48, 32), torch.nn.ReLU(), torch.nn.Linear(32, 3)))
    opt = torch.optim.AdamW(net.parameters(), 2e-3)
    for epoch in range(10):
        for split in ("train",) if epoch < 3 else ("train", "extra"):
            data = Leaves(split); sampler = DistributedSampler(data, shuffle=False); tot = 0.0
            loader = DataLoader(data, 16, sampler=sampler, num_workers=1)
            for x, y in loader:
                l = torch.nn.functional.cross_entropy(net(x), y); opt.zero_grad(); l.backward(); opt.step(); tot += l.item() / len(loader)
            print(f"rank{rank} epoch {epoch + 1}/10 [{split}] avg_loss={tot:.4f}", flush=True)
main()
"""
LEAVES = """
import os, random
random.seed(0); os.makedirs("plantset/images")
for split, n, gap in (("train", 240, -1), ("extra", 96, 57)):
    rows = []
    for i in range(n):
        k = random.randrange(3); name = f"{split}_{i:05d}.raw"; rows.append(f"{name} {k}")
        if i != gap: open(f"plantset/images/{name}", "wb").write(bytes(min(255, max(0, int(random.gauss(60 + 60 * k, 50)))) for _ in range(48)))
    open(f"plantset/{split}.lst", "w").write("\\n".join(rows))
"""
ADDTOKENS = '''
"""Stage 1: base LM. Stage 2: instruction tuning, with four chat tokens more."""
import argparse, torch, torch.distributed as dist, torch.nn as nn
ap = argparse.ArgumentParser(); ap.add_argument("--stage", choices=["base", "instruct"]); ap.add_argument("--init-from"); ap.add_argument("--steps", type=int, default=60); a = ap.parse_args()
dist.init_process_group("gloo"); rank = dist.get_rank(); torch.manual_seed(1)
VOCAB = 96 + (4 if a.stage == "instruct" else 0)
class LM(nn.Module):
    def __init__(self):
        super().__init__(); self.wte = nn.Embedding(VOCAB, 32); self.rnn = nn.GRU(32, 32, batch_first=True); self.lm_head = nn.Linear(32, VOCAB, bias=False)
    def forward(self, x): return self.lm_head(self.rnn(self.wte(x))[0])
net = LM()
if rank == 0: print(f"=== stage {a.stage}: {sum(p.numel() for p in net.parameters()) / 1e3:.1f}k parameters, vocabulary {VOCAB}", flush=True)
if a.init_from:
    if rank == 0: print(f"=== initialising from {a.init_from}", flush=True)
    net.load_state_dict(torch.load(a.init_from, weights_only=True))
ddp = nn.parallel.DistributedDataParallel(net); opt = torch.optim.AdamW(ddp.parameters(), 1e-2)
for s in range(1, a.steps + 1):
    x = (torch.randint(90, (16, 1)) + 3 * torch.arange(21)) % 96; l = nn.functional.cross_entropy(ddp(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten()); opt.zero_grad(); l.backward(); opt.step()
    if rank == 0 and s % 10 == 0: print(f"{a.stage} step {s}/{a.steps} lm loss {l.item():.3f}", flush=True)
if rank == 0: torch.save(net.state_dict(), f"{a.stage}.pt"); print(f"=== {a.stage}.pt written", flush=True)
dist.destroy_process_group()
'''
RESTARTED = """
import argparse, os, time, torch, torch.distributed as dist
p = argparse.ArgumentParser(); p.add_argument("--run-dir"); p.add_argument("--resume", action="store_true"); p.add_argument("--max-iters", type=int); a = p.parse_args()
dist.init_process_group("gloo"); rank = dist.get_rank(); torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(16, 96), torch.nn.Tanh(), torch.nn.Linear(96, 16)); opt = torch.optim.Adam(net.parameters(), 2e-3); first = 0; A = torch.randn(16, 16) / 4
log = (lambda *x: print(time.strftime("%H:%M:%S"), *x, flush=True)) if rank == 0 else (lambda *x: None)
log("config:", vars(a))
if a.resume:
    last = os.path.join(a.run_dir, "checkpoints", "last.pt")
    if os.path.exists(last):
        c = torch.load(last, weights_only=True); net.load_state_dict(c["net"]); opt.load_state_dict(c["opt"]); first = c["iter"]; log(f"loaded {last} at iteration {first}")
    else: log(f"no {last}, training from the beginning")
ddp = torch.nn.parallel.DistributedDataParallel(net)
for it in range(first, a.max_iters):
    torch.manual_seed(it * 2 + rank); x = torch.randn(32, 16); l = (ddp(x) - torch.sin(x @ A)).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    if it % 25 == 0 or it == a.max_iters - 1: log(f"iteration {it} train/loss {l.item():.4f}")
    if it % 100 == 99 and rank == 0: os.makedirs(f"{a.run_dir}/ckpt", exist_ok=True); torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "iter": it + 1}, f"{a.run_dir}/ckpt/last.pt"); log(f"saved {a.run_dir}/ckpt/last.pt")
log("done at", a.max_iters); dist.destroy_process_group()
"""
TWICE = """
set -e
echo "### part 1 of the chain"
torchrun --nproc-per-node=2 --master-port="$1" flow.py --run-dir runs/flow-a --max-iters 300
echo "### part 2 of the chain"
torchrun --nproc-per-node=2 --master-port="$1" flow.py --run-dir runs/flow-a --max-iters 600 --resume
"""
NANGUARD = '''
"""Speech enhancement; SI-SNR in dB as the loss."""
import math, torch, torch.distributed as dist
dist.init_process_group("gloo"); rank = dist.get_rank(); torch.manual_seed(2)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64)))
opt = torch.optim.Adam(net.parameters(), 1e-3)
def si_snr(est, ref):
    s = (est * ref).sum(1, keepdim=True) * ref / ref.pow(2).sum(1, keepdim=True)
    return 10 * torch.log10(s.pow(2).sum(1) / (est - s).pow(2).sum(1))
for step in range(1, 401):
    t = torch.arange(64) / 16.0; clean = torch.sin(t * (1 + torch.rand(24, 1)) * 3)
    if step >= 142 and rank == 1: clean[3] = 0
    noisy = clean + 0.3 * torch.randn(24, 64); loss = -si_snr(net(noisy), clean).mean()
    value = loss.detach().clone(); dist.all_reduce(value); value = value.item() / dist.get_world_size()
    if not math.isfinite(value):
        dist.barrier()
        dist.destroy_process_group()
        raise FloatingPointError(f"Loss is {value} at step {step}, stopping training")
    opt.zero_grad(); loss.backward(); opt.step()
    if rank == 0 and step % 12 == 0: print(f"step {step} | neg si-snr {value:+.3f} dB", flush=True)
'''
JOBS = (
    crate(
        "A1", "sft.py data/part0.jsonl data/part1.jsonl", BADLINE, ranks=2, cause="traceback", variant="data",
        files={"data/part0.jsonl": "\n".join(CHAT), "data/part1.jsonl": "\n".join([*CHAT[:23], CHAT[23][:71], *CHAT[24:]])},
        note="both ranks: JSONDecodeError on a cut line of part1.jsonl, before any step",
    ),
    crate("A1", "pretrain_gpt.py --tensor-model-parallel-size 2 --num-layers 24 --hidden-size 1024", TPSIZE, ranks=3, cause="assertion", variant="config", note="AssertionError: world size 3 not divisible by 2, all ranks, at start"),
    crate("A2", "mlp_ddp.py", THREERANK, ranks=3, fault="unknown", first=(2,), signal=Signal("KILL", r"\[0\] iter 200/", to="-u mlp_ddp.py#2"), note="torchrun: Signal 9 (SIGKILL) of rank 2 while training, no memory event"),
    crate("A3", "esm_tiny.py", TOKCOUNT, ranks=3, cause="div_zero", first=(2,), note="rank 2: ZeroDivisionError in step 97 of 300"),
    crate("A3", "leaf_classifier.py", MISSINGPIC, ranks=2, cause="file_not_found", first=(1,), files={"prep.py": LEAVES}, before=(("PYTHON", "prep.py"),), note="rank 1: FileNotFoundError of an image in epoch 4, from a loader's process"),
    crate(
        "E2", "sh stages.sh PORT", 'torchrun --nproc-per-node=2 --master-port="$1" lm.py --stage base && exec torchrun --nproc-per-node=2 --master-port="$1" lm.py --stage instruct --init-from base.pt',
        cause="runtime_error", variant="size_mismatch", files={"lm.py": ADDTOKENS}, first=(), note="size mismatch for wte.weight and lm_head.weight on loading base.pt into a vocabulary of 100",
    ),
    crate("E2", "sh chain.sh PORT", TWICE, variant="from_scratch", status=0, files={"flow.py": RESTARTED}, note="--resume, nothing at the place looked at, iteration 0 with part 1's first loss again"),
    crate("E1", "enhance.py", NANGUARD, ranks=2, cause="nan_loss", variant="non_finite", status=1, first=(), note="FloatingPointError of the run itself: Loss is nan at step 142"),
)  # fmt: skip
