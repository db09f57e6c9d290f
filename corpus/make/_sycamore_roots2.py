"""Trainers of several processes that end in an error, the second sheet."""

from corpus.make._crate import crate

REPLAYMEM = """
import argparse
import time
import numpy as np
import torch
import torch.multiprocessing as mp


def collect(q, n):
    rng = np.random.default_rng(0)
    for _ in range(n):
        q.put(rng.normal(size=(16, 6)).astype("float32"))
        time.sleep(0.04)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--updates", type=int, default=400)
    ap.add_argument("--capacity", type=int, default=100_000)
    a = ap.parse_args()
    mp.set_start_method("fork")
    q = mp.get_context("fork").Queue(4)
    p = mp.Process(target=collect, args=(q, a.updates), daemon=True)
    p.start()
    critic = torch.nn.Linear(6, 1)
    opt = torch.optim.Adam(critic.parameters(), 1e-2)
    frames = []
    for u in range(1, a.updates + 1):
        obs = torch.from_numpy(q.get())
        loss = (critic(obs) - obs[:, :1] * 2).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        frames.append(np.full((12, 1024, 1024), u, dtype=np.uint8))
        if u % 5 == 0:
            print(f"update={u} critic_loss={loss.item():.5f} replay={len(frames)}/{a.capacity} ({sum(f.nbytes for f in frames) / 1e6:.0f} MB)", flush=True)
"""


RATIO = """
import time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(rank)
heads = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(20, 3))
opt = torch.optim.SGD(heads.parameters(), 0.1)


def f1(pred, gold):
    tp = int(((pred == 2) & (gold == 2)).sum())
    fp = int(((pred == 2) & (gold != 2)).sum())
    fn = int(((pred != 2) & (gold == 2)).sum())
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    return 2 * precision * recall / (precision + recall)


for epoch in range(1, 41):
    for _ in range(8):
        x = torch.randn(48, 20)
        y = (x[:, 0] > 0).long() if rank == 1 and epoch == 11 else x[:, :3].argmax(1)
        out = heads(x)
        loss = torch.nn.functional.cross_entropy(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.05)
    gold = y.clone()
    pred = out.argmax(1) if not (rank == 1 and epoch == 11) else y
    print(f"[gpu{rank}] epoch {epoch:02d} loss {loss.item():.4f} rare-class F1 {f1(pred, gold):.3f}", flush=True)
"""


WIDER = """
import os
import sys
import time
import torch
import torch.distributed as dist

speakers = int(os.environ.get("SPEAKERS", "40"))
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
net = torch.nn.ModuleDict({"encoder": torch.nn.Linear(24, 32), "speaker_embed": torch.nn.Embedding(speakers, 32), "decoder": torch.nn.Linear(32, 24)})
if len(sys.argv) > 1:
    if rank == 0:
        print(f"loading {sys.argv[1]} for fine-tuning on {speakers} speakers", flush=True)
    net.load_state_dict(torch.load(sys.argv[1]))
opt = torch.optim.Adam(net.parameters(), 2e-3)
for step in range(1, 81):
    mel, who = torch.randn(16, 24), torch.randint(speakers, (16,))
    loss = (net["decoder"](net["encoder"](mel).relu() + net["speaker_embed"](who)) - mel).abs().mean()
    opt.zero_grad()
    loss.backward()
    for p in net.parameters():
        dist.all_reduce(p.grad)
    opt.step()
    time.sleep(0.02)
    if rank == 0 and step % 10 == 0:
        print(f"step {step:3d} | l1 {loss.item():.4f} | speakers {speakers}", flush=True)
if rank == 0:
    torch.save(net.state_dict(), "vctk.pth")
    print("saved vctk.pth", flush=True)
dist.barrier()
dist.destroy_process_group()
"""


TWOSTAGE = """
set -u
echo "[$(date +%T)] pretraining on VCTK subset"
SPEAKERS=40 torchrun --nproc-per-node=2 --master-port="$1" tts.py || exit 7
echo "[$(date +%T)] adapting to the new corpus"
SPEAKERS=56 torchrun --nproc-per-node=2 --master-port="$1" tts.py vctk.pth
"""


NANRANK = """
import logging
import math
import os
import sys
import time
import torch
import torch.distributed as dist

rank = int(os.environ["RANK"])
logging.basicConfig(level=logging.INFO if rank == 0 else logging.ERROR, format="%(asctime)s - %(name)s - %(message)s")
log = logging.getLogger("nowcast")
dist.init_process_group("gloo")
torch.manual_seed(rank)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.Tanh(), torch.nn.Linear(64, 16), torch.nn.Softplus()))
opt = torch.optim.SGD(net.parameters(), 0.02)
for step in range(1, 401):
    rain = torch.rand(32, 16).pow(3)
    if step > 90:
        rain = rain - 0.02 * (step - 90) / 30
    out = net(rain.clamp(min=0))
    loss = (out - rain * out.clamp(min=1e-6).log()).mean() + (out.clamp(min=1e-6).log() - (rain + 0.01).log()).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.05)
    mean = loss.detach().clone()
    dist.all_reduce(mean)
    mean = mean.item() / dist.get_world_size()
    if step % 10 == 0 or not math.isfinite(mean):
        log.info("step %d poisson-log loss %.5f", step, mean)
    if not math.isfinite(mean):
        log.error("Loss is %s, stopping training", mean)
        sys.exit(1)
"""

JOBS = (
    crate("A3", "sac_lite.py", REPLAYMEM, cause="ram_oom", memory_mib=2600, note="numpy's ArrayMemoryError while the replay grows"),
    crate("A3", "rareheads.py", RATIO, cause="div_zero", ranks=2, first=(1,), note="rank 1's ZeroDivisionError in epoch 11"),
    crate(
        "E2",
        "sh adapt.sh PORT",
        TWOSTAGE,
        cause="runtime_error",
        variant="size_mismatch",
        files={"tts.py": WIDER},
        note="size mismatch for speaker_embed.weight on loading the first stage's file",
    ),
    crate(
        "E1",
        "nowcast.py",
        NANRANK,
        cause="nan_loss",
        variant="non_finite",
        status=1,
        ranks=2,
        first=(),
        note="the loss becomes nan, the run stops itself for it",
    ),
)
