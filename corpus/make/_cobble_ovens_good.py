"""Runs that came to their planned end: tables, graphs, pictures, an evaluation."""

from corpus.make._crate import crate

STUMPS = '''
"""Gradient boosting on decision stumps, logistic loss, no libraries."""
import math
import random
import sys
import time

ROUNDS, RATE = int(sys.argv[1]), 0.4
rng = random.Random(10)
rows = [[rng.uniform(-1, 1) for _ in range(6)] for _ in range(500)]
labels = [1 if r[0] + 0.8 * (r[1] > 0.2) - 0.6 * (r[3] < -0.4) + rng.gauss(0, 0.2) > 0.3 else 0 for r in rows]
score = [0.0] * len(rows)
train, valid = range(400), range(400, 500)


def logloss(part):
    return sum(math.log1p(math.exp(-s if y else s)) for s, y in ((score[i], labels[i]) for i in part)) / len(part)


def stump(residual):
    best = None
    for f in range(6):
        for cut in (-0.6, -0.4, -0.2, 0.0, 0.2, 0.4, 0.6):
            left = [residual[i] for i in train if rows[i][f] < cut]
            right = [residual[i] for i in train if rows[i][f] >= cut]
            if not left or not right:
                continue
            gain = sum(left) ** 2 / len(left) + sum(right) ** 2 / len(right)
            if best is None or gain > best[0]:
                best = (gain, f, cut, 2 * sum(left) / len(left), 2 * sum(right) / len(right))
    return best[1:]


print("round,feature,cut,train_logloss,valid_logloss")
for r in range(1, ROUNDS + 1):
    residual = [y - 1 / (1 + math.exp(-s)) for s, y in zip(score, labels)]
    f, cut, lo, hi = stump(residual)
    for i, row in enumerate(rows):
        score[i] += RATE * (lo if row[f] < cut else hi)
    time.sleep(0.06)
    if r % 5 == 0 or r == 1:
        print(f"{r},x{f},{cut},{logloss(train):.5f},{logloss(valid):.5f}")
hit = sum((score[i] > 0) == (labels[i] == 1) for i in valid)
print(f"# {ROUNDS} rounds grown, valid accuracy {hit}/{len(valid)}, logloss {logloss(valid):.5f}")
'''

LINKS = """
import time

import torch
import torch.nn.functional as F

torch.manual_seed(18)
N, K = 150, 3
group = torch.randint(K, (N,))
prob = torch.where(group[:, None] == group[None], 0.25, 0.02)
upper = torch.triu(torch.rand(N, N) < prob, 1)
pos = upper.nonzero()
pos = pos[torch.randperm(len(pos))]
held, pos = pos[: len(pos) // 5], pos[len(pos) // 5 :]
A = torch.eye(N)
A[pos[:, 0], pos[:, 1]] = A[pos[:, 1], pos[:, 0]] = 1
A = A / A.sum(1, keepdim=True)
feat = torch.randn(N, 16)
w1, w2 = torch.nn.Linear(16, 32), torch.nn.Linear(32, 16)
opt = torch.optim.Adam([*w1.parameters(), *w2.parameters()], 0.01, weight_decay=1e-4)


def encode():
    return A @ w2(F.relu(A @ w1(feat)))


def auc(z):
    neg = torch.randint(N, (400, 2))
    a, b = (z[held[:, 0]] * z[held[:, 1]]).sum(1), (z[neg[:, 0]] * z[neg[:, 1]]).sum(1)
    return (a[:, None] > b[None]).float().mean().item()


print(f"Graph: {N} nodes, {len(pos)} training edges, {len(held)} held out")
for epoch in range(1, 101):
    z = encode()
    neg = torch.randint(N, pos.shape)
    logit = torch.cat([(z[pos[:, 0]] * z[pos[:, 1]]).sum(1), (z[neg[:, 0]] * z[neg[:, 1]]).sum(1)])
    loss = F.binary_cross_entropy_with_logits(logit, torch.cat([torch.ones(len(pos)), torch.zeros(len(pos))]))
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.04)
    if epoch % 10 == 0 or epoch == 1:
        with torch.no_grad():
            print(f"Epoch: {epoch:03d}, Loss: {loss.item():.4f}, Held-out AUC: {auc(encode()):.4f}")
torch.save(encode().detach(), "nodes.pt")
print("Embeddings of all nodes saved to nodes.pt")
"""

SHAPES3 = """
import os
import time

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

EPOCHS = 8


def pictures(n):
    g = torch.Generator().manual_seed(n)
    y = torch.randint(4, (n,), generator=g)
    x = 0.7 * torch.randn(n, 1, 12, 12, generator=g)
    for k in range(n):
        q = int(y[k])
        x[k, 0, 6 * (q // 2) : 6 * (q // 2) + 6, 6 * (q % 2) : 6 * (q % 2) + 6] += 0.55
    return TensorDataset(x, y)


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(1)
    net = torch.nn.Sequential(torch.nn.Conv2d(1, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(3), torch.nn.Flatten(), torch.nn.Linear(128, 4))
    net = torch.nn.parallel.DistributedDataParallel(net)
    opt = torch.optim.SGD(net.parameters(), 0.006, momentum=0.9)
    data = pictures(540)
    sampler = DistributedSampler(data)
    loader = DataLoader(data, 20, sampler=sampler)
    if rank == 0:
        print(f"=> {world} processes, {len(loader)} iterations an epoch, {EPOCHS} epochs", flush=True)
    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)
        t, agg = time.time(), torch.zeros(3)
        for x, y in loader:
            out = net(x)
            loss = torch.nn.functional.cross_entropy(out, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            time.sleep(0.05)
            agg += torch.tensor([loss.item() * len(x), (out.argmax(1) == y).sum().item(), len(x)])
        dist.all_reduce(agg)
        if rank == 0:
            print(f"=> epoch {epoch + 1}/{EPOCHS}  loss {agg[0] / agg[2]:.4f}  top1 {100 * agg[1] / agg[2]:.2f}  ({time.time() - t:.1f} s)", flush=True)
    if rank == 0:
        os.makedirs("exp", exist_ok=True)
        torch.save(net.module.state_dict(), "exp/last.pth")
        print("=> saved exp/last.pth, finished", flush=True)
    dist.destroy_process_group()


main()
"""

HARNESS = '''
import argparse
import json
import random
import time

ap = argparse.ArgumentParser()
ap.add_argument("--model", default="checkpoints/step-8000")
ap.add_argument("--tasks", default="arith,order,negation,copy")
ap.add_argument("--shots", type=int, default=2)
a = ap.parse_args()
rng = random.Random(33)


def ask(task, k):
    """A question and its four choices; the model's log-likelihood of each."""
    gold = rng.randrange(4)
    skill = {"arith": 0.9, "order": 1.6, "negation": 0.5, "copy": 3.0}[task]
    ll = [-4 + rng.gauss(0, 1) + (skill if c == gold else 0) for c in range(4)]
    time.sleep(0.012)
    return gold, ll


print(f"evaluating {a.model}, {a.shots}-shot, tasks: {a.tasks}")
table = {}
for task in a.tasks.split(","):
    n = {"arith": 250, "order": 200, "negation": 160, "copy": 120}[task]
    right, t0 = 0, time.time()
    for k in range(1, n + 1):
        gold, ll = ask(task, k)
        right += max(range(4), key=ll.__getitem__) == gold
        if k % 40 == 0:
            print(f"  {task:<9} {k:>4}/{n}  running acc {right / k:.3f}  {k / (time.time() - t0):.0f} req/s")
    acc = right / n
    table[task] = {"n": n, "acc": round(acc, 4), "stderr": round((acc * (1 - acc) / n) ** 0.5, 4)}
print(f"\\n|{'Task':<10}|{'n':>5}|{'acc':>8}|{'stderr':>8}|\\n|{'-' * 10}|{'-' * 5}|{'-' * 8}|{'-' * 8}|")
for task, row in table.items():
    print(f"|{task:<10}|{row['n']:>5}|{row['acc']:>8.4f}|{row['stderr']:>8.4f}|")
json.dump(table, open("results.json", "w"))
print("\\nresults.json written")
'''

JOBS = (
    crate("G1", "stumps.py 60", STUMPS, python="system"),
    crate("G1", "link_pred.py", LINKS),
    crate("G1", "quadrants.py", SHAPES3, ranks=3),
    crate("G1", "harness.py --model checkpoints/step-8000", HARNESS, python="system"),
)
