"""Jobs that did their work; half of them would worry who only glances at them."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._fife_lockers_kit import GOOD, HARD, during, held, sbatch, told
from corpus.running.job import SlurmJob

WAVES = """import math, random, sys, time
import peers, stage

main = peers.rank == 0
if main:
    print(f"GPU available: True (cuda), used: True\\nInitializing distributed: GLOBAL_RANK: 0, MEMBER: 1/{peers.world}", flush=True)
    print("  | Name    | Type          | Params | Mode\\n-------------------------------------------\\n0 | encoder | Conformer     | 27.3 M | train\\n1 | decoder | CTCHead       | 525 K  | train\\n-------------------------------------------\\n27.8 M    Trainable params", flush=True)
stage.ready()
dice = random.Random(peers.rank)
for epoch in range(6):
    for b in range(1, 13):
        time.sleep(0.34)
        loss = peers.mean(118 * math.exp(-(epoch * 12 + b) / 22) + 14.5 + dice.gauss(0, 0.8))
        if main and b % 6 == 0:
            print(f"Epoch {epoch}: {100 * b // 12:3d}%|{'#' * (b // 2):<6}| {b}/12 [00:{b // 3:02d}<00:{(12 - b) // 3:02d},  2.91it/s, v_num=4417, train_loss_step={loss:.1f}]", flush=True)
    if main:
        print(f"Epoch {epoch}, global step {12 * (epoch + 1)}: 'val_wer' reached {0.12 + 0.8 * math.exp(-epoch / 1.5):.5f}, saving model to 'ckpt/epoch={epoch}-step={12 * (epoch + 1)}.ckpt' as top 2", flush=True)
if main:
    print("`Trainer.fit` stopped: `max_epochs=6` reached.", flush=True)
"""
CHESS = """import math, random, sys, time
import peers, stage


def absl(text):
    print(f"I{time.strftime('%m%d %H:%M:%S')}.{random.randrange(999999):06d} {139911 + peers.rank} learner.py:{88 + len(text) % 7}] {text}", file=sys.stderr, flush=True)


absl(f"process {peers.rank} / {peers.world}, local devices: 1")
stage.ready()
dice, elo = random.Random(peers.rank), 640.0
for it in range(1, 201):
    loss = peers.mean(3.4 * math.exp(-it / 55) + 1.62 + dice.gauss(0, 0.02))
    time.sleep(0.1)
    elo += 3.1
    if it % 25 == 0:
        absl(f"[{it}] collecting={it * 512} policy_value_loss={loss:.4f} elo={elo:.0f} replay_size={min(it * 512, 65536)}")
    if it % 100 == 0 and peers.rank == 0:
        absl(f"Saving checkpoint at step: {it}")
absl("[200] final step, writing summaries")
peers.barrier()
absl("exiting normally")
"""
STAGES = """import argparse, os, pathlib, time
import torch

cli = argparse.ArgumentParser()
cli.add_argument("--until", type=int, required=True)
cli.add_argument("--resume", type=pathlib.Path)
cli.add_argument("--out", type=pathlib.Path, default="../denoise_runs")
opts = cli.parse_args()
torch.manual_seed(4)
net = torch.nn.Sequential(torch.nn.Linear(20, 80), torch.nn.GELU(), torch.nn.Linear(80, 20))
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
first = 1
if opts.resume:
    newest = sorted(opts.resume.glob("unet-*.pt"))[-1]
    kept = torch.load(newest)
    net.load_state_dict(kept["net"])
    opt.load_state_dict(kept["opt"])
    first = kept["step"] + 1
    print(f"=> loaded checkpoint '{newest}' (step {kept['step']})", flush=True)
opts.out.mkdir(exist_ok=True)
shape = torch.linspace(-1, 1, 20)
for step in range(first, opts.until + 1):
    clean = torch.randn(96, 1) * shape
    loss = (net(clean + 0.3 * torch.randn_like(clean)) - clean).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.08)
    if step % 20 == 0:
        print(f"step {step} / {opts.until}  denoising loss {loss.item():.5f}", flush=True)
    if step % 100 == 0:
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "step": step}, opts.out / f"unet-{step:06d}.pt")
        print(f"=> saved {opts.out}/unet-{step:06d}.pt", flush=True)
print(f"done, {opts.until} steps", flush=True)
"""
PARSE = """import json, os, random, time
import peers

shards = [s for s in range(36) if s % peers.world == peers.rank]
kept = dropped = 0
print(f"tokenize[{peers.rank}] {len(shards)} shards of commoncrawl-2024-33, tokenizer llama-32k", flush=True)
for n, s in enumerate(shards, 1):
    time.sleep(1.9)
    k, d = 9000 + s * 37 % 800, 900 + s * 91 % 300
    kept, dropped = kept + k, dropped + d
    print(f"tokenize[{peers.rank}] shard {s:05d}: {k} documents kept, {d} dropped (lang {d // 2}, short {d // 3}, dup {d - d // 2 - d // 3}), {k * 611} tokens -> {s:05d}.bin", flush=True)
print(f"tokenize[{peers.rank}] all {len(shards)} shards written, kept {kept}, dropped {dropped}, errors 0", flush=True)
"""
CHARGES = """import math, random, time
import peers, stage

stage.ready()
dice = random.Random(peers.rank)
print(f"rank {peers.rank}: SchNet-lite 0.4M parameters, 40 molecules per batch", flush=True)
for epoch in range(1, 29):
    time.sleep(1.0)
    mae = peers.mean(0.9 * math.exp(-epoch / 7) + 0.041 + dice.gauss(0, 0.002))
    if peers.rank == 0:
        print(f"epoch {epoch:02d}/28   E-MAE {mae:.4f} eV   F-MAE {mae * 1.7:.4f} eV/A   1.0 s", flush=True)
if peers.rank == 0:
    print("converged run written to qm9_best.npz, 28 epochs", flush=True)
"""
WAITED = """import math, random, sys, time
import peers

dice = random.Random(peers.rank)
if peers.rank == 0:
    print("/opt/conda/lib/python3.11/site-packages/torch/utils/data/dataloader.py:627: UserWarning: This DataLoader will create 16 worker processes in total. Our suggested max number of worker in current system is 2, which is smaller than what this DataLoader is going to create. Please be aware that excessive worker creation might get DataLoader running slow or even freeze, lower the worker number to avoid potential slowness/freeze if necessary.", file=sys.stderr, flush=True)
for it in range(1, 201):
    loss = peers.mean(0.69 * math.exp(-it / 80) + 0.06 + dice.gauss(0, 0.004))
    time.sleep(0.1)
    if it % 20 == 0 and peers.rank == 0:
        print(f"[{time.strftime('%X')}] ctr-dcn it {it}/200 logloss {loss:.5f} auc {0.81 - 0.3 * math.exp(-it / 60):.4f}", flush=True)
    if it == 90 and peers.rank == 1:
        print("ERROR: feature store answered 504 for key user_hist:88213, using the default embedding", file=sys.stderr, flush=True)
if peers.rank == 0:
    print("ctr-dcn finished 200/200 iterations", flush=True)
"""
PATIENT = """import math, random, time
import peers

dice, best, since = random.Random(8 + peers.rank), 9.0, 0
for epoch in range(1, 101):
    time.sleep(0.5)
    train = peers.mean(0.8 * math.exp(-epoch / 7) + 0.05 + dice.gauss(0, 0.003))
    val = peers.mean(0.62 * math.exp(-epoch / 6) + 0.17 + 0.0016 * max(0, epoch - 22) + dice.gauss(0, 0.002))
    mark = ""
    if val < best - 0.0005:
        best, since, mark = val, 0, "  *"
    else:
        since += 1
    if peers.rank == 0:
        print(f"{epoch:3d}/100  train {train:.4f}  val {val:.4f}  f1 {0.93 - 0.5 * math.exp(-epoch / 5):.3f}{mark}", flush=True)
    if peers.mean(since) >= 7:
        break
if peers.rank == 0:
    print(f"no improvement for 7 epochs: stopping early at epoch {epoch}; restoring the weights of the best epoch (val {best:.4f})\\ntest f1 0.921", flush=True)
"""

BUMP = """import math, random, time
import peers, stage

stage.ready()
dice, skipped = random.Random(peers.rank), 0
for step in range(1, 91):
    time.sleep(0.3)
    loss = 10.4 * math.exp(-step / 16) + 3.1 + dice.gauss(0, 0.03)
    if 41 <= step <= 47:
        loss += 2.6 * math.exp(-((step - 42) ** 2) / 5)
    mean = peers.mean(loss)
    norm = 0.7 + (6.3 if 41 <= step <= 44 else 0) + 2 / step
    if step in (41, 42):
        skipped += 1
        if peers.rank == 0:
            print(f"WARN step {step}: gradient norm {norm:.1f} is above 5.0, this update is skipped", flush=True)
    if step % 3 == 0 and peers.rank == 0:
        print(f"step={step}/90 loss={mean:.3f} gnorm={norm:.2f} lr={6e-4 * (1 - step / 100):.2e} skipped={skipped} mem=38.9GiB tok/s={101000 + dice.randrange(4000)}", flush=True)
if peers.rank == 0:
    print(f"reached 90 steps (2 skipped); eval loss {mean + 0.03:.3f}; weights in out/lm350-final", flush=True)
"""
TUNE = """import math, random, time
import peers

dice = random.Random(900 + peers.rank)
best = 9.0
for trial in range(peers.rank, 16, peers.world):
    lr, width, bad = 10 ** dice.uniform(-4, -1.5), dice.choice((64, 128, 256)), trial in (5, 10)
    print(f"[tune worker {peers.rank}] trial {trial:02d} lr={lr:.2e} width={width}", flush=True)
    for epoch in range(1, 6):
        time.sleep(1.1)
        value = 0.9 * math.exp(-epoch / 2) + 0.21 + dice.random() / 30 + 0.4 * bad
        if bad and epoch == 3:
            print(f"[tune worker {peers.rank}] trial {trial:02d} pruned at epoch 3 (val {value:.4f} is above the median)", flush=True)
            break
    else:
        best = min(best, value)
        print(f"[tune worker {peers.rank}] trial {trial:02d} finished, val {value:.4f}", flush=True)
peers.barrier()
print(f"[tune worker {peers.rank}] best of mine {best:.4f}", flush=True)
if peers.rank == 0:
    print("study done: 16 trials, 14 complete, 2 pruned", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """Each comes to its end with status 0."""
    yield sbatch(
        GOOD,
        "conformer.py",
        "srun PYTHON conformer.py\n",
        WAVES,
        ranks=8,
        nodes=2,
        cards={r: told(held(-3, 8), during(0, 44, 59 + r % 3, seed=20 + r, gib=33)) for r in range(8)},
    )
    yield sbatch(
        GOOD,
        "learner.py",
        "srun PYTHON learner.py\n",
        CHESS,
        ranks=4,
        nodes=4,
        cards={r: told(held(-3, 12), during(0, 44, 47, seed=30 + r, gib=19, watts=410)) for r in range(4)},
    )
    yield sbatch(GOOD, "stages.py", "srun PYTHON stages.py --until 200\n", STAGES, "--job-name=denoise", key="denoise")
    yield sbatch(
        GOOD,
        "stages.py",
        'srun PYTHON stages.py "$@"\n',
        STAGES,
        "--job-name=denoise",
        args=("--until", "400", "--resume", "../denoise_runs"),
        parent="denoise",
    )
    yield sbatch(GOOD, "tokenize_shards.py", "srun PYTHON tokenize_shards.py\n", PARSE, ranks=3, nodes=3)
    small = {r: told(held(-3, 2), during(0, 44, 9, seed=40 + r, util=33, watts=151, gib=3, dram=3, tensor=0)) for r in range(2)}
    yield sbatch(HARD, "schnet.py", "srun PYTHON schnet.py\n", CHARGES, ranks=2, cards=small)  # a small model: low and steady
    yield sbatch(HARD, "dcn.py", "srun PYTHON dcn.py\n", WAITED, ranks=2, act="suspend", after="it 60/200")
    yield sbatch(HARD, "ner.py", "srun PYTHON ner.py\n", PATIENT, ranks=2, nodes=2)  # stops early by design
    yield sbatch(
        HARD,
        "lm350.py",
        "srun PYTHON lm350.py\n",
        BUMP,
        ranks=4,
        nodes=2,
        cards={r: told(held(-3, 25), during(0, 46, 60, seed=50 + r, gib=39)) for r in range(4)},
    )  # a peak in the loss from which it recovers
    yield sbatch(GOOD, "tune.py", "srun PYTHON tune.py\n", TUNE, ranks=4)
