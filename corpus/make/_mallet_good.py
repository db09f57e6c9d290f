"""Laboratory programs that did what they were started for."""

from corpus.make._crate import crate

POTENTIAL = '''
"""Fits a neural pair potential to a Morse reference. Energies in eV, forces in eV/A."""
import logging
import time

import torch

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", datefmt="%Y/%m/%d %H:%M:%S")


def reference(pos):
    i, j = torch.triu_indices(pos.shape[1], pos.shape[1], 1)
    r = (pos[:, i] - pos[:, j]).norm(dim=-1)
    return ((1 - torch.exp(-1.1 * (r - 1.6))) ** 2 - 1).sum(1)


class PairNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mu", torch.linspace(0.5, 5.0, 12))
        self.body = torch.nn.Sequential(torch.nn.Linear(12, 32), torch.nn.SiLU(), torch.nn.Linear(32, 1))

    def forward(self, pos):
        i, j = torch.triu_indices(pos.shape[1], pos.shape[1], 1)
        r = (pos[:, i] - pos[:, j]).norm(dim=-1)
        return self.body(torch.exp(-4 * (r[..., None] - self.mu) ** 2)).sum((1, 2))


def forces(energy, pos, create=False):
    return -torch.autograd.grad(energy.sum(), pos, create_graph=create)[0]


torch.manual_seed(11)
grid = torch.cartesian_prod(*[torch.arange(2.0)] * 3) * 1.7
geometries = grid + 0.18 * torch.randn(400, 8, 3)
train, test = geometries[:320], geometries[320:].clone().requires_grad_()
net = PairNet()
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
logging.info("dataset 'cluster8': %d training and %d test geometries; %d parameters", len(train), len(test), sum(p.numel() for p in net.parameters()))
for epoch in range(1, 16):
    began = time.time()
    for idx in torch.randperm(320).split(20):
        pos = train[idx].clone().requires_grad_()
        e_ref = reference(pos)
        f_ref = forces(e_ref, pos).detach()
        e = net(pos)
        loss = (e - e_ref.detach()).pow(2).mean() / 64 + (forces(e, pos, True) - f_ref).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    e = net(test)
    mae_e = (e - reference(test)).abs().mean().item() / 8
    mae_f = (forces(net(test), test) - forces(reference(test), test)).abs().mean().item()
    logging.info("Epoch %2d of 15 | loss %.5f | test MAE E %.1f meV/atom, F %.1f meV/A | %.1f s", epoch, loss.item(), 1000 * mae_e, 1000 * mae_f, time.time() - began)
torch.save(net.state_dict(), "pairnet.pth")
logging.info("Potential deployed to pairnet.pth")
'''

WER = r"""
import argparse, random, sys, time

WORDS = "the old mill at the river was closed in winter and nobody came to ask why its wheel turned at night".split()

def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]

ap = argparse.ArgumentParser()
ap.add_argument("--model", default="exp/conformer_ctc_m/avg10.ckpt")
ap.add_argument("--split", default="test-other")
ap.add_argument("--beam", type=int, default=8)
args = ap.parse_args()
rng = random.Random(5)
print(f"Scoring split {args.split} with {args.model}, beam {args.beam}")
errors = total = 0
begun = time.time()
N = 260
with open(f"hyp.{args.split}.txt", "w") as out:
    for n in range(1, N + 1):
        ref = rng.choices(WORDS, k=rng.randint(5, 24))
        hyp = [w for w in ref if rng.random() > 0.03]
        hyp = [rng.choice(WORDS) if rng.random() < 0.06 else w for w in hyp]
        time.sleep(0.03)
        errors += distance(ref, hyp)
        total += len(ref)
        out.write(f"utt{n:05d} {' '.join(hyp)}\n")
        if n % 20 == 0:
            filled = "#" * (n * 30 // N)
            sys.stderr.write(f"\r[{filled:<30}] {n}/{N} utts, {n / (time.time() - begun):.1f}/s, running WER {100 * errors / total:.2f}%")
sys.stderr.write("\n")
print(f"%WER {100 * errors / total:.2f} [ {errors} / {total} ] on {args.split}")
print(f"hypotheses in hyp.{args.split}.txt")
"""

ALS = """
# Alternating least squares on an implicit-feedback matrix.
import sys, time, torch
torch.manual_seed(3)
U, I, K, REG, SWEEPS = 600, 400, 16, 0.8, 12
scores = torch.randn(U, 6) @ torch.randn(6, I) / 2.5 + 0.4 * torch.randn(U, I)
seen = torch.rand(U, I) < 0.12
held = seen & (torch.rand(U, I) < 0.15)
train = seen & ~held
P, Q = 0.1 * torch.randn(U, K), 0.1 * torch.randn(I, K)

def solve(M, R, F):
    A = torch.einsum("ui,ik,il->ukl", M.float(), F, F) + REG * torch.eye(K)
    return torch.linalg.solve(A, torch.einsum("ui,ik->uk", M.float() * R, F))

print(f"interactions: {int(train.sum())} train / {int(held.sum())} held out; factors {K}, lambda {REG}")
print("sweep   rmse-train   rmse-heldout   seconds")
for s in range(1, SWEEPS + 1):
    t = time.perf_counter()
    P = solve(train, scores, Q)
    Q = solve(train.T, scores.T, P)
    err = (P @ Q.T - scores) ** 2
    print(f"{s:3d}/{SWEEPS}   {err[train].mean().sqrt():9.4f}   {err[held].mean().sqrt():11.4f}   {time.perf_counter() - t:9.2f}", flush=True)
top = (P @ Q.T).masked_fill(train, -1e9).topk(10).indices
hit = sum(held[u, top[u]].any().item() for u in range(U)) / U
print(f"HitRate@10 {hit:.3f}; factors written to factors.pt")
torch.save((P, Q), "factors.pt")
"""

PREP = r"""
#!/bin/bash
# usage: prep.sh PYTHON   -- raw text to id shards
set -euo pipefail
say() { printf '%s  %s\n' "$(date '+%F %T')" "$*"; }
mkdir -p parts ids
say "cutting $(wc -l < raw.txt) lines into parts"
split -l 40 -d raw.txt parts/p.
for p in parts/p.*; do
    "$1" encode.py "$p" "ids/$(basename "$p").bin"
    say "encoded $(basename "$p")"
done
cat ids/*.bin > corpus.bin
say "corpus.bin: $(stat -c %s corpus.bin) bytes, $(ls ids | wc -l) parts, md5 $(md5sum < corpus.bin | cut -c1-12)"
say "all done"
"""
ENCODE = """
import array, sys, time, zlib
ids = array.array("H")
for line in open(sys.argv[1]):
    ids.extend(zlib.crc32(w.encode()) % 32000 for w in line.split())
    ids.append(2)
    time.sleep(0.01)
with open(sys.argv[2], "wb") as f:
    ids.tofile(f)
print(f"    {sys.argv[1]}: {len(ids)} ids")
"""
RAW = (
    "\n".join(f"line {i} of the {('north', 'east', 'south')[i % 3]} archive tells of {i * 7 % 31} boats and {i * 3 % 17} bridges" for i in range(520))
    + "\n"
)

JOBS = (
    crate("G1", "fit_potential.py", POTENTIAL),
    crate("G1", "score_asr.py --split test-other --beam 8", WER, python="system"),
    crate("G1", "als.py", ALS),
    crate("G1", "sh prep.sh PYTHON", PREP, python="system", files={"encode.py": ENCODE, "raw.txt": RAW}),
)
