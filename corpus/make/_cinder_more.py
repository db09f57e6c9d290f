"""A few more jobs of the same groups: sweeps, restarts of servers, a stage that waits."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import GOOD, HARD, MEET, bad, card, queue, rest, wavy, work
from corpus.running.job import SlurmJob

KFOLD = """import csv, sys, time
import torch

torch.manual_seed(12)
x = torch.randn(300, 9)
y = (x[:, :3].sum(1) > 0).long()
out = csv.writer(sys.stdout)
out.writerow(["fold", "epoch", "train_loss", "val_loss", "val_auc_error"])
for fold in range(3):
    val = torch.arange(300) % 3 == fold
    net = torch.nn.Linear(9, 2)
    opt = torch.optim.Adam(net.parameters(), 3e-2)
    for epoch in range(1, 9):
        for k in range(5):
            loss = torch.nn.functional.cross_entropy(net(x[~val]), y[~val])
            opt.zero_grad(); loss.backward(); opt.step()
            time.sleep(0.15)
        v = torch.nn.functional.cross_entropy(net(x[val]), y[val])
        out.writerow([fold, epoch, f"{loss.item():.4f}", f"{v.item():.4f}", f"{(net(x[val]).argmax(1) != y[val]).float().mean():.3f}"])
        sys.stdout.flush()
print("# 3 folds complete")
"""
PORTS = """import os, socket, time, traceback
import torch
import torch.distributed as dist
r, n = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
if r == 0:
    taken = socket.create_server(("127.0.0.1", 0))
    try:
        socket.create_server(("127.0.0.1", taken.getsockname()[1]))
    except OSError:
        traceback.print_exc()
        print("metrics port is in use, metrics server is off", flush=True)
dist.init_process_group("gloo", rank=r, world_size=n)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Bilinear(5, 5, 2))
opt = torch.optim.RMSprop(net.parameters(), 1e-2)
for b in range(1, 73):
    p, q = torch.randn(50, 5), torch.randn(50, 5)
    y = ((p * q).sum(1) > 0).long()
    loss = torch.nn.functional.cross_entropy(net(p, q), y)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.25)
    if b % 9 == 0 and r == 0:
        print(f"Train batch {b} of 72 ({100 * b / 72:.0f}%)\\tpair loss: {loss.item():.6f}", flush=True)
dist.barrier()
if r == 0:
    print("Training took 19 s, workers said goodbye")
dist.destroy_process_group()
"""
VITS = """import logging, time
import torch
import pace
log = logging.getLogger("vits")
logging.basicConfig(level=logging.INFO, format="%(asctime)s\\t%(name)s\\t%(levelname)s\\t%(message)s")
g, d = torch.nn.Sequential(torch.nn.Linear(6, 24), torch.nn.ReLU(), torch.nn.Linear(24, 3)), torch.nn.Sequential(torch.nn.Linear(3, 24), torch.nn.ReLU(), torch.nn.Linear(24, 1))
og, od = torch.optim.Adam(g.parameters(), 2e-3), torch.optim.Adam(d.parameters(), 2e-3)
bce = torch.nn.functional.binary_cross_entropy_with_logits
for step in range(1, 61):
    real, fake = torch.randn(64, 3) + 1, g(torch.randn(64, 6))
    ld = bce(d(real), torch.ones(64, 1)) + bce(d(fake.detach()), torch.zeros(64, 1))
    od.zero_grad(); ld.backward(); od.step()
    mel = (fake.mean(0) - 1).abs().sum()
    lg = bce(d(fake), torch.ones(64, 1)) + mel
    og.zero_grad(); lg.backward(); og.step()
    time.sleep(0.4)
    if step % 6 == 0:
        log.info("Train Epoch: 1 [%d%%] step %d loss_disc=%.3f loss_gen=%.3f loss_mel=%.3f", 100 * step // 60, step, ld.item(), lg.item(), mel.item())
log.info("Saving model and optimizer state at iteration 60 to G_60.pth")
torch.save(g.state_dict(), "G_60.pth")
log.info("====> Epoch: 1 finished, last epoch reached")
"""
TARGET = """import time, torch
print("target CER 5.0 %, at most 40 epochs; run is stopped as soon as the target is met")
torch.manual_seed(6)
net = torch.nn.Linear(15, 5)
opt = torch.optim.Adam(net.parameters(), 1e-2)
for epoch in range(1, 41):
    for _ in range(6):
        y = torch.arange(100) % 5
        x = torch.randn(100, 15); x[torch.arange(100), y] += 3.5
        loss = torch.nn.functional.cross_entropy(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
        time.sleep(0.12)
    cer = 100 * (net(x).argmax(1) != y).float().mean().item()
    print(f"ep {epoch:02d} | ctc {loss.item():.4f} | CER {cer:5.2f} %", flush=True)
    if cer <= 5.0:
        print(f"target met in epoch {epoch}, ending training early; killed 0 loader workers")
        break
torch.save(net.state_dict(), "asr_target.pt")
"""
CHAIN = """import json, pathlib, sys, time, os
import torch
stage = sys.argv[1]
state = pathlib.Path("pipeline.json")
done = json.loads(state.read_text()) if state.exists() else {}
print(json.dumps({"stage": stage, "event": "start", "done_before": sorted(done)}), flush=True)
torch.manual_seed(len(done))
if stage == "fit":
    net = torch.nn.Linear(7, 7)
    opt = torch.optim.SGD(net.parameters(), 0.2)
    for k in range(1, 81):
        x = torch.randn(60, 7)
        loss = (net(x) - x.roll(1, 1)).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
        time.sleep(0.15)
        if k % 10 == 0:
            print(json.dumps({"stage": stage, "step": k, "total": 80, "train_loss": round(loss.item(), 5)}), flush=True)
    torch.save(net.state_dict(), "net.pt")
else:
    time.sleep(2)
    print(json.dumps({"stage": stage, "files": 4, "errors": 0, "skipped": 1, "reason": "empty file sim_0003.h5"}), flush=True)
done[stage] = time.time()
state.write_text(json.dumps(done))
print(json.dumps({"stage": stage, "event": "end"}), flush=True)
"""
IDLE = """import fcntl, time
import torch
import pace
net = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 8))
opt = torch.optim.Adam(net.parameters(), 5e-3)
log = open("metrics.db", "a")
fcntl.flock(log, fcntl.LOCK_EX)
for it in range(1, 4000):
    x = torch.randn(50, 8)
    loss = (net(x) - x.abs()).mean().abs() + (net(x) - x.abs()).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.3)
    if it % 5 == 0:
        print(f"it={it:5d}/4000 loss={loss.item():.4f}", flush=True)
    if it == 45:
        mirror = open("metrics.db", "a")
        fcntl.flock(mirror, fcntl.LOCK_EX)
"""


def jobs() -> Iterator[SlurmJob]:
    """Good ones, and one that waits for itself."""
    yield queue(GOOD, KFOLD, "srun PYTHON kfold.py\n", script="kfold.py", state="COMPLETED")
    yield queue(HARD, PORTS, MEET + "srun PYTHON pairs.py\n", script="pairs.py", ranks=2, state="COMPLETED")
    yield queue(GOOD, VITS, "srun PYTHON vits.py\n", script="vits.py", gpus={0: wavy(52, 25, 26.0, gib=36)}, state="COMPLETED")
    yield queue(HARD, TARGET, "srun PYTHON target.py\n", script="target.py", state="COMPLETED")
    yield queue(GOOD, CHAIN, "set -e\nfor s in collect fit publish; do PYTHON chain.py $s; done\n", script="chain.py", state="COMPLETED")
    yield queue(
        bad("C3", None, fault="unknown"), IDLE, "srun PYTHON absnet.py\n", script="absnet.py", act="scancel_late", after="it= +45/",
        gpus={0: card((0.0, work(41, gib=14, watts=390)), (13.9, rest(14, watts=118, mhz=1980, temp=45)))}, state="CANCELLED",
    )  # fmt: skip
