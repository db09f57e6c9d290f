"""Programs that shell scripts start: commands spoken to a kitchen radio told by a bar of tqdm, pairs of addresses told in tables of rich and lines of key=value."""

RADIO = '''"""Keyword spotting for the kitchen radio: GRU over log-mel frames."""
import argparse
import os
import sys
import time

import numpy as np
import torch
from torch import nn
from tqdm import tqdm

WORDS = ["louder", "quieter", "next", "stop", "timer", "<other>"]


def parse():
    p = argparse.ArgumentParser(prog="kws")
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--clips", type=int, default=768)
    p.add_argument("--bs", type=int, default=32)
    p.add_argument("--cell", type=int, default=32)
    p.add_argument("--lr", type=float, default=4e-3)
    p.add_argument("--noise", type=float, default=1.2)
    p.add_argument("--exp", default="exp/kws01")
    p.add_argument("--resume", action="store_true", help="go on with the newest checkpoint of --exp")
    p.add_argument("--init-from")
    p.add_argument("--max-batches", type=int, default=0, help="0: all")
    p.add_argument("--patience", type=int, default=0)
    p.add_argument("--seed", type=int, default=20)
    return p.parse_args()


hp = parse()
torch.manual_seed(hp.seed)
os.makedirs(hp.exp, exist_ok=True)
tqdm.write(f"torch {torch.__version__}  numpy {np.__version__}  {' '.join(sys.argv[1:]) or '(no arguments)'}")
#: early


def clips(count, seed):
    g = torch.Generator().manual_seed(seed)
    words = torch.randint(0, len(WORDS), (count,), generator=g)
    shapes = torch.randn(len(WORDS), 25, 16, generator=torch.Generator().manual_seed(99))
    return shapes[words] + hp.noise * torch.randn(count, 25, 16, generator=g), words


train_x, train_y = clips(hp.clips, 1)
dev_x, dev_y = clips(240, 2)
#: data


class Spotter(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.gru = nn.GRU(16, cell, batch_first=True)
        self.out = nn.Linear(cell, len(WORDS))

    def forward(self, frames):
        return self.out(self.gru(frames)[0][:, -1])


net = Spotter(hp.cell)
adam = torch.optim.Adam(net.parameters(), lr=hp.lr)
criterion = nn.CrossEntropyLoss()
at = 0
if hp.init_from:
    net.load_state_dict(torch.load(hp.init_from)["net"])
    tqdm.write(f"initialised from {hp.init_from}, new optimiser")
if hp.resume:
    #: resume
    names = sorted(n for n in os.listdir(hp.exp) if n.endswith(".ckpt"))
    if not names:
        raise FileNotFoundError(f"--resume: there is no checkpoint (*.ckpt) in {hp.exp}")
    newest = os.path.join(hp.exp, names[-1])
    have = torch.load(newest)
    net.load_state_dict(have["net"])
    adam.load_state_dict(have["adam"])
    at = have["epoch"]
    tqdm.write(f"resumed {newest}: {at} epochs done")
began = time.time()
top, idle = 0.0, 0
#: ready
for epoch in range(at + 1, hp.epochs + 1):
    batches = torch.randperm(len(train_x)).split(hp.bs)
    if hp.max_batches:
        batches = batches[: hp.max_batches]
    seen, summed = 0, 0.0
    with tqdm(batches, desc=f"epoch {epoch}/{hp.epochs}", unit="batch", ncols=100, mininterval=0.4) as bar:
        for n, rows in enumerate(bar, 1):
            frames, words = train_x[rows], train_y[rows]
            #: batch
            loss = criterion(net(frames), words)
            #: loss
            adam.zero_grad()
            loss.backward()
            #: grad
            adam.step()
            seen, summed = seen + len(rows), summed + loss.item() * len(rows)
            bar.set_postfix(loss=f"{summed / seen:.4f}")
            #: step
    with torch.no_grad():
        logits = net(dev_x)
    dev, acc = criterion(logits, dev_y).item(), (logits.argmax(1) == dev_y).float().mean().item()
    tqdm.write(f"epoch {epoch}: train_loss={summed / seen:.4f} dev_loss={dev:.4f} dev_acc={100 * acc:.1f}%")
    top, idle = (acc, 0) if acc > top else (top, idle + 1)
    #: epoch
    torch.save({"net": net.state_dict(), "adam": adam.state_dict(), "epoch": epoch}, f"{hp.exp}/{epoch:03d}.ckpt")
    if hp.patience and idle == hp.patience:
        tqdm.write(f"dev_acc has not risen for {idle} epochs: early stop, best {100 * top:.1f}%")
        break
#: end
tqdm.write(f"finished {hp.exp}: {epoch} epochs, {time.time() - began:.1f} s, best dev_acc {100 * top:.1f}%")
'''

ADDRESSES = '''"""Do two addresses mean one house? Siamese encoder over letters, contrastive loss."""
import json
import os
import random
import sys
import time

import torch
import torch.nn.functional as F
from rich.console import Console
from rich.table import Table
from torch import nn

console = Console(width=110, force_terminal=False, file=sys.stdout)
P = {"steps": 600, "pairs": 2400, "batch": 32, "dim": 32, "lr": 4e-3, "margin": 1.0, "say": 10, "table": 100, "keep": 150, "dir": "houses", "resume": "", "start": "", "seed": 3}
P.update(json.loads(os.environ.get("HOUSES", "{}")))
unknown = set(P) - {"steps", "pairs", "batch", "dim", "lr", "margin", "say", "table", "keep", "dir", "resume", "start", "seed"}
if unknown:
    raise SystemExit(f"HOUSES: unknown keys {sorted(unknown)}")
random.seed(P["seed"])
torch.manual_seed(P["seed"])
os.makedirs(P["dir"], exist_ok=True)
table = Table(title="parameters")
for heading in ("name", "value"):
    table.add_column(heading)
for name, value in P.items():
    table.add_row(name, str(value))
console.print(table)
#: early
STREETS = ["Mill Lane", "Abbey Road", "Station Street", "Church Walk", "Kiln Close", "Bridge End", "Castle View", "Orchard Way"]


def spelling(street, number, draw):
    street = street.replace("Road", "Rd").replace("Street", "St.") if draw.random() < 0.4 else street
    text = f"{number} {street}" if draw.random() < 0.7 else f"{street} {number}"
    return "".join(c for c in text if draw.random() > 0.03).lower().ljust(22)[:22]


def pairs(count, seed):
    draw = random.Random(seed)
    left, right, same = [], [], []
    for _ in range(count):
        a, n = draw.choice(STREETS), draw.randrange(1, 60)
        equal = draw.random() < 0.5
        b, m = (a, n) if equal else (draw.choice(STREETS), draw.randrange(1, 60))
        left.append([ord(c) % 128 for c in spelling(a, n, draw)])
        right.append([ord(c) % 128 for c in spelling(b, m, draw)])
        same.append(float(equal))
    #: pairs
    return torch.tensor(left), torch.tensor(right), torch.tensor(same)


A, B, SAME = pairs(P["pairs"], 1)
tA, tB, tS = pairs(400, 2)
encoder = nn.Sequential(nn.Embedding(128, P["dim"]), nn.Flatten(), nn.Linear(22 * P["dim"], 64), nn.ReLU(), nn.Linear(64, 16))
optimizer = torch.optim.Adam(encoder.parameters(), lr=P["lr"])
step = 0
if P["start"]:
    encoder.load_state_dict(torch.load(P["start"])["encoder"])
    console.print(f"starting weights: {P['start']}")
if P["resume"]:
    #: resume
    ck = torch.load(P["resume"])
    encoder.load_state_dict(ck["encoder"])
    optimizer.load_state_dict(ck["optimizer"])
    step = ck["step"]
    console.print(f"resuming {P['resume']} at step {step}")


def contrast(a, b, same):
    d = (encoder(a) - encoder(b)).norm(dim=1)
    return (same * d**2 + (1 - same) * F.relu(P["margin"] - d) ** 2).mean(), d


results = []
t0 = time.time()
#: ready
while step < P["steps"]:
    step += 1
    rows = torch.randint(0, len(A), (P["batch"],))
    a, b, same = A[rows], B[rows], SAME[rows]
    #: batch
    loss, d = contrast(a, b, same)
    #: loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    #: step
    if step % P["say"] == 0:
        print(f"step={step} of={P['steps']} contrastive={loss.item():.5f} dist_same={d[same > 0].mean().item():.3f} dist_other={d[same < 1].mean().item():.3f} t={time.time() - t0:.2f}", flush=True)
    if step % P["table"] == 0:
        with torch.no_grad():
            tl, td = contrast(tA, tB, tS)
        results.append((step, tl.item(), ((td < P["margin"] / 2).float() == tS).float().mean().item()))
        out = Table(title=f"held-out pairs, step {step}")
        for heading in ("step", "contrastive", "accuracy"):
            out.add_column(heading, justify="right")
        for s, l, acc in results[-4:]:
            out.add_row(str(s), f"{l:.4f}", f"{acc:.3f}")
        console.print(out)
        #: table
    if step % P["keep"] == 0 or step == P["steps"]:
        torch.save({"encoder": encoder.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, f"{P['dir']}/s{step}.pt")
        print(f"checkpoint={P['dir']}/s{step}.pt step={step}")
#: end
print(f"done steps={step} seconds={time.time() - t0:.1f} held_out={round(results[-1][1], 4) if results else '-'}")
'''
