"""Jobs under torchrun, Trainer and Lightning that end well; half of them with something in them that would worry."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import GOOD, HARD, card, queue, rest, wavy, work
from corpus.running.job import SlurmJob

RUN = "PYTHON -m torch.distributed.run --standalone --nproc-per-node="
TINY = """import os
import sys
import time

import torch
import torch.distributed as dist
from loguru import logger
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from tqdm import tqdm


def setup():
    dist.init_process_group(backend="gloo")
    logger.remove()
    if dist.get_rank() == 0:
        logger.add(sys.stderr, format="{time:YYYY-MM-DD HH:mm:ss} | {level: <7} | {name}:{function}:{line} - {message}")


def data(n=1600):
    g = torch.Generator().manual_seed(99)
    x = torch.randn(n, 28, generator=g)
    return TensorDataset(x, (x[:, 0] * x[:, 1] > 0).long())


def evaluate(net, ds):
    x, y = ds.tensors
    with torch.no_grad():
        return (net(x).argmax(1) == y).float().mean().item()


def main():
    setup()
    ds = data()
    sampler = DistributedSampler(ds, shuffle=True)
    dl = DataLoader(ds, batch_size=40, sampler=sampler)
    net = torch.nn.Sequential(torch.nn.Linear(28, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 2))
    net = torch.nn.parallel.DistributedDataParallel(net)
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.01)
    logger.info("Starting: {} processes, {} batches per epoch", dist.get_world_size(), len(dl))
    for epoch in range(8):
        sampler.set_epoch(epoch)
        total = 0.0
        for x, y in tqdm(dl, desc=f"epoch {epoch}", disable=dist.get_rank() != 0, mininterval=2):
            loss = torch.nn.functional.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
            time.sleep(0.05)
        logger.info("epoch={} loss={:.4f} val_acc={:.4f}", epoch, total / len(dl), evaluate(net, ds))
    logger.success("Finished 8 epochs")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
"""
HUB = """import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class Reviews(torch.utils.data.Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.ids = torch.randint(5, 90, (n, 14), generator=g)

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, k):
        return {"input_ids": self.ids[k], "attention_mask": torch.ones(14, dtype=torch.long), "labels": int((self.ids[k] > 60).sum() > 5)}


bert = BertForSequenceClassification(BertConfig(vocab_size=90, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=48, num_labels=2))
args = TrainingArguments(
    output_dir="sst", num_train_epochs=3, per_device_train_batch_size=16, learning_rate=2e-3, logging_steps=15, eval_strategy="epoch",
    save_strategy="epoch", save_total_limit=1, report_to="none", use_cpu=True,
)
trainer = Trainer(bert, args, train_dataset=Reviews(1200, 1), eval_dataset=Reviews(160, 2))
trainer.train()
trainer.save_model("sst/final")
"""
BOLT = """import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class Regressor(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(6, 40), torch.nn.ELU(), torch.nn.Linear(40, 1))

    def training_step(self, batch, index):
        x, y = batch
        loss = torch.nn.functional.mse_loss(self.body(x), y)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, index):
        x, y = batch
        self.log("val_loss", torch.nn.functional.mse_loss(self.body(x), y), prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=5e-3)


L.seed_everything(7)
x = torch.randn(1500, 6)
y = (x**2).sum(1, keepdim=True).sqrt()
train, val = TensorDataset(x[:1200], y[:1200]), TensorDataset(x[1200:], y[1200:])
trainer = L.Trainer(max_epochs=9, accelerator="cpu", devices=1, logger=False, enable_checkpointing=False, log_every_n_steps=5)
trainer.fit(Regressor(), DataLoader(train, 50, shuffle=True), DataLoader(val, 100))
print({k: round(float(v), 4) for k, v in trainer.callback_metrics.items()})
"""
TWO = """import os, time
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
rank, local = dist.get_rank(), int(os.environ["LOCAL_RANK"])
print(f"node {os.environ['GROUP_RANK']} local rank {local} global rank {rank} of {dist.get_world_size()}", flush=True)
torch.manual_seed(2)
gen, disc = DDP(torch.nn.Linear(4, 2)), DDP(torch.nn.Sequential(torch.nn.Linear(2, 24), torch.nn.LeakyReLU(0.2), torch.nn.Linear(24, 1)))
og, od = torch.optim.Adam(gen.parameters(), 2e-3), torch.optim.Adam(disc.parameters(), 2e-3)
bce = torch.nn.functional.binary_cross_entropy_with_logits
for it in range(1, 161):
    real = torch.randn(64, 2) * 0.5 + torch.tensor([1.0, -1.0])
    scores = disc(torch.cat([real, gen(torch.randn(64, 4)).detach()]))
    d_loss = bce(scores, torch.cat([torch.ones(64, 1), torch.zeros(64, 1)]))
    od.zero_grad(); d_loss.backward(); od.step()
    made = gen(torch.randn(64, 4))
    g_loss = bce(disc(made), torch.ones(64, 1)) + 4 * (made.mean(0) - real.mean(0)).square().sum()
    og.zero_grad(); g_loss.backward(); og.step()
    time.sleep(0.06)
    if it % 16 == 0 and rank == 0:
        print(f"[{it}/160] loss_D {d_loss.item():.4f} loss_G {g_loss.item():.4f} gap {(made.mean(0) - real.mean(0)).norm().item():.4f}", flush=True)
if rank == 0:
    print("Training took 160 iterations, all done")
dist.destroy_process_group()
"""
SPEED = """import os
import time

import torch
import torch.distributed as dist

import pace


class Meter:
    def __init__(self):
        self.sum, self.n = 0.0, 0

    def add(self, v, n=1):
        self.sum, self.n = self.sum + v * n, self.n + n

    @property
    def avg(self):
        return self.sum / max(self.n, 1)


dist.init_process_group("gloo")
vit = torch.nn.parallel.DistributedDataParallel(
    torch.nn.Sequential(torch.nn.Unfold(4, stride=4), torch.nn.Flatten(), torch.nn.Linear(48 * 16, 32), torch.nn.GELU(), torch.nn.Linear(32, 6))
)
opt = torch.optim.AdamW(vit.parameters(), lr=1e-3)
losses = Meter()
tick = time.time()
for i in range(1, 97):
    img = torch.randn(32, 3, 16, 16)
    target = torch.arange(32) % 6
    img[:, 0] += target.view(-1, 1, 1) * 0.4
    loss = torch.nn.functional.cross_entropy(vit(img), target)
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.add(loss.item(), 32)
    time.sleep(0.25)
    if i % 8 == 0 and dist.get_rank() == 0:
        rate = 8 * 32 * dist.get_world_size() / (time.time() - tick)
        tick = time.time()
        print(f"Train: 0 [{i:>4d}/96 ({100 * i / 96:>3.0f}%)]  Loss: {loss.item():#.3g} ({losses.avg:#.3g})  {rate:>7.1f}/s  LR: 1.000e-03", flush=True)
if dist.get_rank() == 0:
    print("*** Best metric: {:.4f} (epoch 0)".format(losses.avg))
dist.destroy_process_group()
"""
FOLDS = """import argparse
import time
import torch

ap = argparse.ArgumentParser()
ap.add_argument("--fold", type=int, required=True)
ap.add_argument("--folds", type=int, default=4)
a = ap.parse_args()
torch.manual_seed(1234)
x = torch.randn(800, 12)
y = (x[:, :3].sum(1) + 0.5 * torch.randn(800) > 0).float()
held = torch.arange(800) % a.folds == a.fold
net = torch.nn.Sequential(torch.nn.Linear(12, 16), torch.nn.ReLU(), torch.nn.Dropout(0.2), torch.nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), 5e-3)
print(f"fold {a.fold}: {int((~held).sum())} train / {int(held.sum())} validation rows")
for epoch in range(20):
    net.train()
    order = torch.randperm(int((~held).sum()))
    for part in order.split(60):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(net(x[~held][part]).squeeze(1), y[~held][part])
        opt.zero_grad(); loss.backward(); opt.step()
    net.eval()
    with torch.no_grad():
        v = net(x[held]).squeeze(1)
        bce = torch.nn.functional.binary_cross_entropy_with_logits(v, y[held])
    time.sleep(0.2)
    print(f"fold {a.fold} epoch {epoch:2d} train {loss.item():.4f} valid {bce.item():.4f} acc {((v > 0) == (y[held] > 0.5)).float().mean().item():.4f}")
print(f"fold {a.fold} finished: valid {bce.item():.4f}")
"""
FLAKY = """import os, pathlib, time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, again = dist.get_rank(), int(os.environ["ATTEMPT"])
snap = pathlib.Path("snapshot.pt")
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(10, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
epoch = 0
if snap.exists():
    kept = torch.load(snap)
    net.module.load_state_dict(kept["model"])
    epoch = kept["epochs"]
    print(f"[{rank}] snapshot found, continuing at epoch {epoch}", flush=True)


def rows(epoch):
    if epoch == 6 and rank == 1 and again == 0:
        raise ConnectionResetError(104, "Connection reset by peer: object store dropped the stream of part-00006")
    x = torch.randn(400, 10)
    return x, x[:, :3].argmax(1)


while epoch < 16:
    x, y = rows(epoch)
    for k in range(0, 400, 40):
        loss = torch.nn.functional.cross_entropy(net(x[k:k + 40]), y[k:k + 40])
        opt.zero_grad(); loss.backward(); opt.step()
    epoch += 1
    time.sleep(0.4)
    if rank == 0:
        print(f"[0] Epoch {epoch}/16 | loss {loss.item():.4f}", flush=True)
        torch.save({"model": net.module.state_dict(), "epochs": epoch}, "snapshot.part")
        os.replace("snapshot.part", snap)
print(f"[{rank}] completed", flush=True)
dist.destroy_process_group()
"""
PATIENT = """import copy, logging
import torch
logging.basicConfig(level=logging.DEBUG, format="%(levelname)s:%(name)s:%(message)s")
log = logging.getLogger("early")
torch.manual_seed(31)
x = torch.randn(120, 40); y = x[:, :1] + 0.8 * torch.randn(120, 1)
vx = torch.randn(300, 40); vy = vx[:, :1] + 0.8 * torch.randn(300, 1)
net = torch.nn.Sequential(torch.nn.Linear(40, 200), torch.nn.ReLU(), torch.nn.Linear(200, 1))
opt = torch.optim.Adam(net.parameters(), 1e-3)
best, bad, keep = float("inf"), 0, None
for epoch in range(1, 201):
    for i in range(0, 120, 20):
        loss = (net(x[i:i + 20]) - y[i:i + 20]).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
    val = (net(vx) - vy).square().mean().item()
    log.info("epoch %d/200 train=%.4f val=%.4f", epoch, loss.item(), val)
    if val < best - 1e-3:
        best, bad, keep = val, 0, copy.deepcopy(net.state_dict())
    else:
        bad += 1
        log.warning("val has not improved for %d epoch(s), best %.4f", bad, best)
    if bad == 8:
        log.warning("EarlyStopping: patience of 8 exhausted at epoch %d, restoring best weights", epoch)
        net.load_state_dict(keep)
        break
torch.save(net.state_dict(), "best.pt")
log.info("best val %.4f written to best.pt", best)
"""
TRIALS = """import random
import traceback
import torch

random.seed(4)


def trial(n, width, lr, heads):
    torch.manual_seed(n)
    att = torch.nn.MultiheadAttention(width, heads, batch_first=True)
    out = torch.nn.Linear(width, 1)
    opt = torch.optim.Adam([*att.parameters(), *out.parameters()], lr=lr)
    for step in range(60):
        x = torch.randn(16, 7, width)
        loss = (out(att(x, x, x)[0]).mean((1, 2)) - x.mean((1, 2))).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
        if step == 20 and loss.item() > 0.2:
            return None
    return loss.item()


results = {}
for n in range(10):
    cfg = {"width": random.choice([16, 24, 32]), "lr": 10 ** random.uniform(-4, -0.5), "heads": random.choice([2, 4, 5])}
    try:
        value = trial(n, **cfg)
    except Exception:
        print(f"[W] Trial {n} failed with parameters: {cfg} because of the following error:")
        traceback.print_exc()
        continue
    if value is None:
        print(f"[I] Trial {n} pruned at step 20. params={cfg}")
        continue
    results[n] = value
    best = min(results, key=results.get)
    print(f"[I] Trial {n} finished with value: {value:.5f} and parameters: {cfg}. Best is trial {best} with value: {results[best]:.5f}.")
print(f"Study done: 10 trials, {len(results)} complete. Best value {min(results.values()):.5f}")
"""
OFFLINE = """import json, socket, sys, threading, time, traceback, warnings
import torch


def upload(queue):
    try:
        socket.create_connection(("127.0.0.1", 11), timeout=1)
    except OSError:
        traceback.print_exc()
        print("metrics: Network error (ConnectionRefusedError), entering retry loop; run continues offline", file=sys.stderr)


threading.Thread(target=upload, args=([],), daemon=True).start()
warnings.warn("lr_scheduler.step() order differs from the one of the last release", FutureWarning)
warnings.warn("num_workers=2 is more than the 1 CPU that this task may use, this might slow down or freeze the loader", UserWarning)
net = torch.nn.Sequential(torch.nn.Embedding(60, 16), torch.nn.Flatten(), torch.nn.Linear(96, 60))
opt = torch.optim.Adam(net.parameters(), 4e-3)
loader = torch.utils.data.DataLoader([torch.randint(0, 60, (6,)) for _ in range(2400)], batch_size=24, num_workers=2)
history = []
for epoch in range(3):
    for n, x in enumerate(loader):
        loss = torch.nn.functional.cross_entropy(net(x), x[:, 2])
        opt.zero_grad(); loss.backward(); opt.step()
        if n % 20 == 0:
            history.append({"epoch": epoch, "iter": n, "loss": round(loss.item(), 4)})
            print("offline:", json.dumps(history[-1]))
            time.sleep(0.2)
print("Run summary: epochs 3, loss", history[-1]["loss"], "\\nTo sync this run later: sync ./offline-run")
"""
LAZY = """import time
import torch
import pace
net = torch.nn.GRUCell(8, 16)
readout = torch.nn.Linear(16, 1)
opt = torch.optim.Adam([*net.parameters(), *readout.parameters()], 6e-3)
for chunk in range(1, 29):
    h, loss = torch.zeros(4, 16), 0.0
    for t in range(30):
        x = torch.randn(4, 8)
        h = net(x, h)
        loss = loss + (readout(h) - x[:, :1].abs()).square().mean() / 30
        time.sleep(0.03)
    opt.zero_grad(); loss.backward(); opt.step()
    print(f"bptt chunk {chunk:2d} of 28: loss {loss.item():.4f}")
print("finished 28 chunks")
"""
NODES = "PORT=$((15000 + RANDOM % 15000))\nsrun --ntasks-per-node=1 PYTHON -m torch.distributed.run --nnodes=2 --nproc-per-node={per} --rdzv-backend=c10d --rdzv-endpoint=127.0.0.1:$PORT --rdzv-id=$SLURM_JOB_ID --local-addr=127.0.0.1 {script}\n"


def jobs() -> Iterator[SlurmJob]:
    """Twelve of them."""
    yield queue(GOOD, TINY, f"srun {RUN}2 tiny.py\n", script="tiny.py", python="rail-41", state="COMPLETED")
    yield queue(GOOD, HUB, "export HF_HUB_OFFLINE=1\nsrun PYTHON sst.py\n", script="sst.py", python="rail-41", state="COMPLETED")
    yield queue(GOOD, BOLT, "PYTHON radius.py\n", script="radius.py", python="rail-41", state="COMPLETED")  # not under srun: Lightning would take the step for a launcher of its own
    yield queue(GOOD, TWO, NODES.format(per=2, script="gan.py"), script="gan.py", ranks=2, nodes=2, state="COMPLETED")
    yield queue(GOOD, SPEED, f"{RUN}2 vit.py\n", script="vit.py", ranks=2, nodes=1, gpus={r: wavy(66 - r, 25, 28.0) for r in range(2)}, state="COMPLETED")
    yield queue(GOOD, FOLDS, "PYTHON cv.py --fold $SLURM_ARRAY_TASK_ID\n", script="cv.py", options=("--array=1-3%2", "--job-name=cv"), state="COMPLETED")
    yield queue(HARD, FLAKY, f"for ATTEMPT in 0 1 2 3; do\n  export ATTEMPT\n  srun {RUN}2 snap.py && exit 0\n  echo \"$(date +%T) training stopped, starting again\"\n  sleep 2\ndone\nexit 1\n", script="snap.py", state="COMPLETED")  # the script starts it again, which goes on from the snapshot to the last epoch
    yield queue(HARD, PATIENT, "srun PYTHON patience.py\n", script="patience.py", state="COMPLETED")
    yield queue(HARD, TRIALS, "srun PYTHON study.py\n", script="study.py", state="COMPLETED")
    yield queue(HARD, OFFLINE, "srun PYTHON copyid.py\n", script="copyid.py", state="COMPLETED")
    yield queue(
        HARD, LAZY, "PYTHON bptt.py\n", script="bptt.py",
        gpus={0: card(*((float(s), work(7 + s % 3, util=29 + s % 5, watts=142 + s % 4, gib=3, dram=2, tensor=0)) for s in range(27)), (31.0, rest(0.0)))}, state="COMPLETED",
    )  # steady and low, no gaps: a small model  # fmt: skip
