"""Staged jobs of speech, vision, language and science groups that go well, some of them untidily."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import GOOD, HARD, MEET, queue, wavy
from corpus.running.job import SlurmJob

ASR = """import argparse, json, logging, os, pathlib, time
import torch
import torch.distributed as dist

ap = argparse.ArgumentParser()
ap.add_argument("stage", choices=["prepare", "train", "decode", "export"])
a = ap.parse_args()
logging.basicConfig(level=logging.INFO, format="%(asctime)s (%(module)s:%(lineno)d) %(levelname)s: %(message)s")
exp = pathlib.Path("exp/asr_ctc")
exp.mkdir(parents=True, exist_ok=True)
torch.manual_seed(4)
net = torch.nn.Sequential(torch.nn.Linear(20, 48), torch.nn.ReLU(), torch.nn.Linear(48, 9))


def batch(n=40):
    y = torch.randint(0, 9, (n,))
    return torch.randn(n, 20) + 3 * torch.nn.functional.one_hot(y, 20), y


if a.stage == "prepare":
    logging.info("fbank extraction: 412 utterances, 0.71 hours")
    (exp / "cmvn.json").write_text(json.dumps({"frames": 255600}))
elif a.stage == "train":
    dist.init_process_group("gloo", rank=int(os.environ["SLURM_PROCID"]), world_size=int(os.environ["SLURM_NTASKS"]))
    ddp = torch.nn.parallel.DistributedDataParallel(net)
    opt = torch.optim.Adam(ddp.parameters(), 4e-3)
    for epoch in range(1, 5):
        for n in range(1, 16):
            x, y = batch()
            loss = torch.nn.functional.cross_entropy(ddp(x), y)
            opt.zero_grad(); loss.backward(); opt.step()
            time.sleep(0.25)
            if n % 5 == 0 and dist.get_rank() == 0:
                logging.info("epoch %d batch %d/15 loss_ctc=%.4f lr=4.0e-03", epoch, n, loss.item())
        if dist.get_rank() == 0:
            torch.save(net.state_dict(), exp / f"ep{epoch}.pth")
            logging.info("epoch %d results saved to %s", epoch, exp / f"ep{epoch}.pth")
else:
    net.load_state_dict(torch.load(exp / "ep4.pth"))
    if a.stage == "decode":
        x, y = batch(500)
        logging.info("dev token error rate %.2f%% (500 tokens)", 100 * (net(x).argmax(1) != y).float().mean())
    else:
        torch.jit.script(net).save(str(exp / "asr.ts"))
        logging.info("exported %s", exp / "asr.ts")
"""
ASR_RUN = MEET + """set -e
echo "[$(date +%T)] stage 0: features"
PYTHON asr.py prepare
echo "[$(date +%T)] stage 1: acoustic model on $SLURM_NTASKS ranks"
srun PYTHON asr.py train
echo "[$(date +%T)] stage 2: decode dev"
PYTHON asr.py decode
echo "[$(date +%T)] stage 3: export"
PYTHON asr.py export
echo "[$(date +%T)] all stages done"
"""
SEG = """import time
import torch
import pace

torch.manual_seed(1)
unet = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 1, 3, padding=1))
opt = torch.optim.AdamW(unet.parameters(), 1e-2)
print("| iter | bce    | iou   | im/s |")
print("|------|--------|-------|------|")
for it in range(1, 61):
    t = time.time()
    x = torch.rand(8, 3, 16, 16)
    m = (x.mean(1, keepdim=True) > 0.5).float()
    out = unet(x)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(out, m)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.4)
    if it % 6 == 0:
        p = out > 0
        iou = (p & (m > 0)).sum() / (p | (m > 0)).sum().clamp(min=1)
        print(f"| {it:4d} | {loss.item():.4f} | {iou:.3f} | {8 / (time.time() - t):4.1f} |", flush=True)
torch.save(unet.state_dict(), "unet_last.pt")
print("wrote unet_last.pt, 60 iterations in total")
"""
FETCH = """import random, time, traceback, urllib.error
import torch

random.seed(1)


def fetch(name):
    for attempt in range(1, 5):
        try:
            if attempt < 3 and name == "shard-2":
                raise urllib.error.HTTPError(f"http://mirror.lab/{name}.tar", 503, "Service Unavailable", None, None)
            time.sleep(0.3)
            return torch.randn(200, 7)
        except urllib.error.HTTPError:
            traceback.print_exc()
            print(f"{name}: attempt {attempt} failed, retrying in {attempt} s", flush=True)
            time.sleep(attempt)


data = torch.cat([fetch(f"shard-{k}") for k in range(4)])
w = torch.tensor([1.0, -2, 0.5, 3, 0, 0, 1])
net, best, patience = torch.nn.Linear(7, 1), 1e9, 0
opt = torch.optim.SGD(net.parameters(), 0.08)
for epoch in range(1, 101):
    for x in data[:600].split(50):
        loss = (net(x).squeeze(1) - x @ w).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
    val = (net(data[600:]).squeeze(1) - data[600:] @ w).square().mean().item()
    time.sleep(0.6)
    patience = 0 if val < best - 1e-4 else patience + 1
    best = min(best, val)
    print(f"epoch {epoch}/100 train {loss.item():.5f} val {val:.5f} best {best:.5f} patience {patience}/5", flush=True)
    if patience == 5:
        print(f"early stopping at epoch {epoch}: val has not improved for 5 epochs")
        break
print(f"best val {best:.5f}; model kept")
"""
NOISY = """import atexit, os, sys, time
import torch
import torch.distributed as dist

r, n = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])


class Writer:
    def close(self):
        self.queue.join()


atexit.register(Writer().close)
print(f"{os.uname().nodename}:{os.getpid()}:{os.getpid()} [{r}] NCCL WARN NET/Plugin: Could not find: libnccl-net.so", file=sys.stderr)
print("config: {'on_error': 'abort', 'skip_nan_batches': True, 'max_failures': 3, 'detect_anomaly': False}")
dist.init_process_group("gloo", rank=r, world_size=n)
emb = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(12, 12))
opt = torch.optim.Adam(emb.parameters(), 2e-2)
for step in range(1, 81):
    x = torch.randn(30, 12)
    loss = (emb(x) - x.flip(1)).abs().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.2)
    if step % 10 == 0 and r == 0:
        print(f"step {step}/80: l1={loss.item():.4f} nan_batches=0 failures=0", flush=True)
if r == 0:
    torch.save(emb.module.state_dict(), "nan_robust_encoder.pt")
    print("finished 80/80 steps, saved nan_robust_encoder.pt", flush=True)
dist.destroy_process_group()
"""
HALVES = """import logging, time
import torch
import pace

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-8s %(message)s")
size, limit = 64, 20
net = torch.nn.Sequential(torch.nn.Linear(17, 40), torch.nn.SiLU(), torch.nn.Linear(40, 16))
opt = torch.optim.Adam(net.parameters(), 4e-3)
step = 0
while step < 90:
    try:
        if size > limit:
            raise torch.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {size // 16}.50 GiB. GPU 0 has a total capacity of 79.19 GiB of which 1.93 GiB is free.")
        x0, t = torch.randn(size, 1) * torch.ones(16), torch.rand(size, 1)
        noise = torch.randn(size, 16)
        loss = (net(torch.cat([(1 - t) * x0 + t * noise, t], 1)) - noise).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
    except torch.OutOfMemoryError as e:
        size //= 2
        logging.warning("%s Halving micro batch to %d and retrying.", e, size)
        continue
    step += 1
    time.sleep(0.25)
    if step % 10 == 0:
        logging.info("denoiser step %d/90 loss %.4f micro_batch %d", step, loss.item(), size)
torch.save(net.state_dict(), "denoiser.pt")
logging.info("training complete, 90 steps")
"""
SWEEP = """import json, os, time
import torch
k = int(os.environ["SLURM_PROCID"])
lr = [0.3, 0.1, 0.03][k]
torch.manual_seed(k)
m = torch.nn.Linear(10, 3)
opt = torch.optim.SGD(m.parameters(), lr)
for i in range(1, 61):
    y = torch.arange(60) % 3
    x = torch.randn(60, 10); x[torch.arange(60), y] += 2
    loss = torch.nn.functional.cross_entropy(m(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.2 + 0.05 * k)
    if i % 12 == 0:
        print(json.dumps({"trial": k, "lr": lr, "iter": i, "of": 60, "loss": round(loss.item(), 4)}), flush=True)
print(json.dumps({"trial": k, "status": "done", "final_loss": round(loss.item(), 4)}), flush=True)
"""
BANDIT = """import random, time
random.seed(8)
q, n = [0.0] * 6, [0] * 6
mean = 0.0
for ep in range(1, 61):
    total = 0.0
    for _ in range(200):
        a = random.randrange(6) if random.random() < 0.5 / ep ** 0.5 else q.index(max(q))
        r = random.gauss(a / 5, 1.0)
        n[a] += 1; q[a] += (r - q[a]) / n[a]; total += r
    mean = 0.9 * mean + 0.1 * total
    time.sleep(0.35)
    if ep % 5 == 0:
        print(f"[ep {ep:03d}/060] return={total:8.2f} ema={mean:8.2f} eps={0.5 / ep ** 0.5:.3f}", flush=True)
print("policy saved; greedy arm", q.index(max(q)))
"""


def jobs() -> Iterator[SlurmJob]:
    """Planned ends, all reached."""
    yield queue(GOOD, ASR, ASR_RUN, script="asr.py", ranks=2, state="COMPLETED")
    yield queue(GOOD, SEG, "srun PYTHON seg.py\n", script="seg.py", gpus={0: wavy(57, 26, 27.0)}, state="COMPLETED")
    yield queue(HARD, FETCH, "srun PYTHON regress.py\necho exit $?\n", script="regress.py", state="COMPLETED")
    yield queue(HARD, NOISY, MEET + "srun PYTHON encoder.py\n", script="encoder.py", ranks=2, state="COMPLETED")
    yield queue(HARD, HALVES, "srun PYTHON denoise.py\n", script="denoise.py", gpus={0: wavy(63, 25, 26.5, gib=66)}, state="COMPLETED")
    yield queue(GOOD, SWEEP, "echo three trials on $SLURM_JOB_NODELIST\nsrun PYTHON trial.py\nPYTHON -c 'print(\"best picked\")'\n", script="trial.py", ranks=3, state="COMPLETED")
    yield queue(GOOD, BANDIT, "srun PYTHON bandit.py\n", script="bandit.py", python="system", state="COMPLETED")
