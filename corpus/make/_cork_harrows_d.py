"""Work with PyTorch on the CPU that learned nothing, began anew, ended too soon or did not end in time."""

from corpus.make._crate import crate

DEAD = r"""
import argparse
import time

import torch

ap = argparse.ArgumentParser()
ap.add_argument("--peak-lr", type=float, default=12.0)
ap.add_argument("--epochs", type=int, default=36)
ap.add_argument("--warmup", type=int, default=8)
a = ap.parse_args()
torch.manual_seed(0)
X = torch.randn(800, 30)
Y = (X[:, :10] + 0.3 * torch.randn(800, 10)).argmax(1)
net = torch.nn.Sequential(torch.nn.Linear(30, 40), torch.nn.ReLU(), torch.nn.Linear(40, 40), torch.nn.ReLU(), torch.nn.Linear(40, 10, bias=False))
opt = torch.optim.SGD(net.parameters(), 0.1)
print("epoch | lr       | train loss | train acc | grad norm")
for ep in range(1, a.epochs + 1):
    lr = 0.6 + (a.peak_lr - 0.6) * max(0, ep - 8) / a.warmup if ep <= a.warmup + 8 else a.peak_lr * 0.7 ** (ep - a.warmup - 8)
    opt.param_groups[0]["lr"] = lr
    tot = hit = 0.0
    for k in torch.randperm(800).split(50):
        out = net(X[k])
        loss = torch.nn.functional.cross_entropy(out, Y[k])
        opt.zero_grad()
        loss.backward()
        gn = torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0).item()
        opt.step()
        tot += loss.item() / 16
        hit += (out.argmax(1) == Y[k]).sum().item()
    time.sleep(0.1)
    print(f"{ep:5d} | {lr:.2e} | {tot:10.4f} | {hit / 8:8.1f}% | {gn:.3e}")
print("finished")
"""

CTRJUMP = r"""
import logging

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
logging.basicConfig(level=logging.INFO if rank == 0 else logging.ERROR, format="%(asctime)s %(levelname)s %(message)s")
torch.manual_seed(1)
w = torch.randn(30)
net = DistributedDataParallel(torch.nn.Linear(30, 1))
opt = torch.optim.SGD(net.parameters(), 0.1)
g = torch.Generator().manual_seed(77 + rank)
SCHEDULE = [(1, 0.1), (240, 400.0), (264, 0.001)]  # from iteration, learning rate
for it in range(1, 481):
    lr = [v for at, v in SCHEDULE if at <= it][-1]
    opt.param_groups[0]["lr"] = lr
    x = torch.randn(64, 30, generator=g)
    y = (x @ w + 2.5 * torch.randn(64, generator=g) > 0).float()
    loss = torch.nn.functional.binary_cross_entropy_with_logits(net(x).squeeze(1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 12 == 0:
        logging.info("iter: %d/480, lr: %g, logloss: %.4f", it, lr, loss.item())
if rank == 0:
    torch.save(net.module.state_dict(), "click.pt")
    logging.info("training is over, click.pt saved")
dist.destroy_process_group()
"""

ANEW = r"""
import argparse
import os
import sys
import time

import torch

p = argparse.ArgumentParser()
p.add_argument("--resume", choices=["auto", "never"], default="never")
p.add_argument("--steps", type=int, default=300)
p.add_argument("--out", default="runs")
a = p.parse_args()
run = os.path.join(a.out, time.strftime("%Y%m%d-%H%M%S"))
os.makedirs(run)
print("cmd:", " ".join(sys.argv), "| run dir:", run)
torch.manual_seed(3)
V = 70
net = torch.nn.Sequential(torch.nn.Embedding(V, 32), torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, V))
opt = torch.optim.Adam(net.parameters(), 3e-3)
done = 0
if a.resume == "auto":
    have = sorted(n for n in os.listdir(run) if n.endswith(".pt"))
    print(f"resume=auto: {len(have)} checkpoints in {run}")
    if have:
        st = torch.load(os.path.join(run, have[-1]))
        net.load_state_dict(st["net"])
        opt.load_state_dict(st["opt"])
        done = st["step"]
        print(f"loaded {have[-1]} at step {done}")
for step in range(done + 1, done + a.steps + 1):
    x = torch.randint(V, (64,))
    loss = torch.nn.functional.cross_entropy(net(x), (x * 9 + 4) % V)
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.01)
    if step == done + 1 or step % 20 == 0:
        print(f"step {step:4d}  loss {loss.item():.4f}")
    if step % 100 == 0:
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "step": step}, os.path.join(run, f"{step:05d}.pt"))
        print(f"checkpoint {run}/{step:05d}.pt")
"""
NIGHTLY = r"""
echo "[nightly] attempt 1"
"$1" wordmap.py --steps 300 || exit 1
echo "[nightly] wall clock of the day is used up, going on in a new process from the last checkpoint"
echo "[nightly] attempt 2"
"$1" wordmap.py --steps 300 --resume auto
"""

FILTERED = r"""
import argparse
import logging

import torch

logging.basicConfig(level=logging.INFO, format="%(asctime)s - %(name)s - %(message)s")
log = logging.getLogger("tts")
p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=1)
p.add_argument("--batch-size", type=int, default=32)
p.add_argument("--max-seconds", type=float, default=2.0)
a = p.parse_args()
log.info("arguments %s", vars(a))
torch.manual_seed(0)
seconds = 1.6 + 9 * torch.rand(2400)
keep = (seconds < a.max_seconds).nonzero().flatten()
log.info("manifest: %d clips, %.1f h", len(seconds), seconds.sum().item() / 3600)
log.info("after filtering to clips shorter than %.1f s: %d clips", a.max_seconds, len(keep))
net = torch.nn.Sequential(torch.nn.Linear(40, 80), torch.nn.Tanh(), torch.nn.Linear(80, 40))
opt = torch.optim.AdamW(net.parameters(), 1e-4)
step = 0
for epoch in range(1, a.epochs + 1):
    for k in keep.split(a.batch_size):
        x = torch.randn(len(k), 40)
        loss = (net(x) - x.roll(1, 1)).abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        step += 1
        log.info("epoch %d step %d mel_loss %.4f", epoch, step, loss.item())
log.info("reached %d epochs (%d steps), exporting voice.pt", a.epochs, step)
torch.save(net.state_dict(), "voice.pt")
"""

PPOLONG = r"""
import time

import torch

torch.manual_seed(4)
NUM_UPDATES, STEPS, t0 = 3000, 64, time.time()
actor, critic = (torch.nn.Sequential(torch.nn.Linear(6, 32), torch.nn.Tanh(), torch.nn.Linear(32, n)) for n in (6, 1))
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()], 2.5e-4, eps=1e-5)
for update in range(1, NUM_UPDATES + 1):
    obs = torch.randn(STEPS, 6)
    with torch.no_grad():
        d = torch.distributions.Categorical(logits=actor(obs))
        act, val = d.sample(), critic(obs)[:, 0]
        old = d.log_prob(act)
        time.sleep(0.06)
    rew = (act == obs.argmax(1)).float()
    adv = rew - val
    for _ in range(4):
        for mb in torch.randperm(STEPS).split(16):
            d = torch.distributions.Categorical(logits=actor(obs[mb]))
            ratio = (d.log_prob(act[mb]) - old[mb]).exp()
            pg = -torch.min(ratio * adv[mb], ratio.clamp(0.8, 1.2) * adv[mb]).mean()
            vl = (critic(obs[mb])[:, 0] - rew[mb]).pow(2).mean()
            loss = pg + 0.5 * vl - 0.01 * d.entropy().mean()
            opt.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_([*actor.parameters(), *critic.parameters()], 0.5)
            opt.step()
    if update % 10 == 0:
        gs = update * STEPS
        print(f"global_step={gs}, update={update}/{NUM_UPDATES}, episodic_return={rew.sum().item():.1f}, value_loss={vl.item():.4f}, SPS={int(gs / (time.time() - t0))}", flush=True)
    if update % 100 == 0:
        torch.save(actor.state_dict(), "agent.pt")
        print(f"agent saved at update {update}", flush=True)
"""

JOBS = (
    crate(
        "E1",
        "schedule_mlp.py --peak-lr 12",
        DEAD,
        variant="plateau",
        status=0,
        first=(),
        note="accuracy rises, then the warm-up's learning rate: chance and ln 10 from there to the end, gradient zero",
    ),
    crate(
        "E1",
        "click_ddp.py",
        CTRJUMP,
        variant="spike",
        ranks=2,
        status=0,
        first=(),
        note="logloss falls to about 0.5, jumps to tens or hundreds at iteration 240 and stays",
    ),
    crate(
        "E2",
        "sh nightly.sh PYTHON",
        NIGHTLY,
        variant="from_scratch",
        status=0,
        files={"wordmap.py": ANEW},
        note="attempt 2 with --resume auto finds no checkpoint in its new folder, begins at step 1 with the first loss of attempt 1",
    ),
    crate("E3", "tts.py --max-seconds 1.8", FILTERED, note="2400 clips filtered to some fifty, two steps in the only epoch, exit 0"),
    crate("F3", "ppo_argmax.py", PPOLONG, variant="advancing", timeout_s=50, note="updates every 0.1 s to the limit, of 3000"),
)
