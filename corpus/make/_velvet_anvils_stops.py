"""Students' runs that broke down: at their configuration, an import, a native kernel, memory, a checkpoint."""

from corpus.make._crate import crate

OVERRIDE = '''
import copy, sys, torch
class ConfigAttributeError(Exception):
    """A key that the schema has not."""
DEFAULTS = {"model": {"name": "vit_tiny", "depth": 4, "dim": 64}, "data": {"root": "/data/cifar", "batch_size": 128}, "optim": {"name": "adamw", "lr": 1e-3, "warmup": 100}, "trainer": {"max_epochs": 50, "devices": 1}}
def compose(overrides):
    cfg = copy.deepcopy(DEFAULTS)
    for word in overrides:
        key, _, value = word.partition("="); node = cfg; *groups, leaf = key.split(".")
        for g in groups: node = node[g]
        if leaf not in node: raise ConfigAttributeError(f"Could not override '{key}'.\\nTo append to your config use +{key}={value}\\nKey '{leaf}' is not in struct\\n    full_key: {key}\\n    object_type=dict")
        node[leaf] = type(node[leaf])(value)
    return cfg
def main(cfg):
    print("torch", torch.__version__); net = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(cfg["model"]["dim"], 4), cfg["model"]["depth"])
    for ep in range(cfg["trainer"]["max_epochs"]): print("epoch", ep, net(torch.randn(10, 2, cfg["model"]["dim"])).mean().item())
if __name__ == "__main__": main(compose(sys.argv[1:]))
'''

NOMODULE = """
import argparse, os, sys
import numpy as np
import torch
from models import build
args = argparse.ArgumentParser()
args.add_argument("--arch", default="moco_s"); args.add_argument("--queue", type=int, default=4096)
cfg = args.parse_args()
net = build(cfg.arch)
print(net)
"""
MODELS = """
from .moco import MoCo


def build(name):
    return MoCo(dim={"moco_s": 64, "moco_b": 128}[name])
"""
MOCO = """
import torch.nn as nn
from einops import rearrange, repeat


class MoCo(nn.Module):
    def __init__(self, dim): super().__init__(); self.q, self.k = nn.Linear(3 * 32 * 32, dim), nn.Linear(3 * 32 * 32, dim)
    def forward(self, x): return self.q(rearrange(x, "b c h w -> b (c h w)"))
"""

NATIVE = """
import ctypes, logging, torch, torch.nn.functional as F
logging.basicConfig(level=logging.INFO, format="%(asctime)s - %(message)s"); lib = ctypes.CDLL("./libneigh.so"); lib.scatter_mean.restype = None
lib.scatter_mean.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long, ctypes.c_long]
torch.manual_seed(15); N, D = 400, 16; X = torch.randn(N, D); Y = (X[:, 0] > 0).long(); src = torch.randint(N, (2400,)); dst = torch.randint(N, (2400,))
lin = torch.nn.Linear(2 * D, 2); opt = torch.optim.Adam(lin.parameters(), 0.01); logging.info("graph: %d nodes %d edges; using compiled kernel libneigh.so", N, len(src))
for it in range(1, 501):
    if it % 40 == 0:
        src, dst = torch.randint(N, (2400,)), torch.randint(N * (1 if it < 160 else 1 << 22), (2400,))
        logging.info("iter %d: edges resampled", it)
    agg = torch.zeros(N, D); pairs = torch.stack([src, dst], 1).contiguous(); lib.scatter_mean(agg.data_ptr(), X.data_ptr(), pairs.data_ptr(), len(src), D)
    loss = F.cross_entropy(lin(torch.cat([X, agg / 6], 1)), Y); opt.zero_grad(); loss.backward(); opt.step()
    if it % 20 == 0: logging.info("iter %d/500 loss %.4f", it, loss.item())
"""
KERNEL = """
void scatter_mean(float *out, const float *x, const long *pairs, long edges, long d) {
    for (long e = 0; e < edges; e++)
        for (long k = 0; k < d; k++)
            out[pairs[2 * e + 1] * d + k] += x[pairs[2 * e] * d + k];
}
"""

DENSE = """
import array, resource, sys, time
users, items = 6000, 16000
print(f"[itemknn] {users} users x {items} items; computing item-item similarities (dense, float64)", flush=True)
sim = []; block = 250; began = time.time()
for first in range(0, items, block):
    for i in range(first, first + block):
        row = array.array("d", bytes(8 * items)); row[i] = 1.0
        for j in range(i % 7, items, 97): row[j] = 1 / (1 + abs(i - j))
        sim.append(row)
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"[itemknn] rows {first + block:>6}/{items}  {time.time() - began:6.1f} s  rss {rss:7.0f} MiB", flush=True); time.sleep(0.15)
print("[itemknn] writing neighbours")
"""

DISTKD = """
import os, time, torch, torch.distributed as dist, torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
dist.init_process_group("gloo"); rank, world = dist.get_rank(), dist.get_world_size(); torch.manual_seed(0); main = rank == 0
def say(*w): print(*w, flush=True) if main else None
teacher = nn.Sequential(nn.Linear(24, 64), nn.ReLU(), nn.Linear(64, 6)); student = DDP(nn.Sequential(nn.Linear(24, 10), nn.ReLU(), nn.Linear(10, 6))); opt = torch.optim.SGD(student.parameters(), 0.3, momentum=0.9)
history = {"kd": [], "acc": []}; say(f"KD on {world} processes, T=3.0"); torch.manual_seed(rank + 1); X = torch.randn(800, 24)
with torch.no_grad(): soft = (3 * teacher(X)).softmax(1)
for epoch in range(1, 21):
    for i in torch.randperm(800).split(80): loss = nn.functional.cross_entropy(student(X[i]), soft[i]); opt.zero_grad(); loss.backward(); opt.step()
    agree = (student(X).argmax(1) == soft.argmax(1)).float().mean(); dist.all_reduce(agree); history["kd"].append(loss.item())
    say(f"epoch {epoch:>2}  kd {loss.item():.4f}  agreement {agree.item() / world:.3f}"); time.sleep(0.1)
    if epoch == 12 and main: say("plotting curves"); print("best so far", max(history["accuracy"]))
dist.destroy_process_group()
"""

EXPORTS = """
import os, pathlib, time
import numpy as np
OUT = pathlib.Path("exports/run_07"); rng = np.random.default_rng(11); U, V = rng.normal(0, 0.1, (80, 6)), rng.normal(0, 0.1, (120, 6)); R = rng.normal(0, 1, (80, 3)) @ rng.normal(0, 1, (3, 120)); M = rng.random((80, 120)) < 0.3
print(f"matrix completion: {M.sum()} observed entries of {M.size}, rank 6, lr 0.01, {60} epochs")
for epoch in range(1, 61):
    E = M * (U @ V.T - R); U, V = U - 0.01 * (E @ V + 0.05 * U), V - 0.01 * (E.T @ U + 0.05 * V)
    if epoch % 2 == 0: print(f"epoch {epoch:3d}   train rmse {np.sqrt((E ** 2).sum() / M.sum()):.4f}", flush=True)
    time.sleep(0.06)
    if epoch % 30 == 0: print("exporting factors to", OUT, flush=True); OUT.mkdir(parents=True, exist_ok=True); np.save(OUT / f"U_{epoch}.npy", U); np.save(OUT / f"V_{epoch}.npy", V)
"""

SEQREC = """
import argparse, logging, sys, torch, torch.nn as nn
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(asctime)s [%(levelname)s] seqrec: %(message)s")
p = argparse.ArgumentParser(); p.add_argument("--catalog", type=int, required=True); p.add_argument("--init"); p.add_argument("--epochs", type=int, default=6); p.add_argument("--save", default="seqrec.pt"); a = p.parse_args()
class SeqRec(nn.Module):
    def __init__(self, n): super().__init__(); self.item_emb = nn.Embedding(n, 24); self.gru = nn.GRU(24, 32, batch_first=True); self.out = nn.Linear(32, n)
    def forward(self, x): return self.out(self.gru(self.item_emb(x))[0])
torch.manual_seed(1); net = SeqRec(a.catalog); logging.info("catalogue of %d items", a.catalog)
if a.init: logging.info("continuing from %s", a.init); net.load_state_dict(torch.load(a.init)); logging.info("weights restored")
opt = torch.optim.Adam(net.parameters(), 5e-3); start = torch.randint(a.catalog, (300, 1)); S = (start + torch.arange(13) * 3) % a.catalog
for ep in range(1, a.epochs + 1):
    for i in torch.randperm(300).split(50): loss = nn.functional.cross_entropy(net(S[i, :-1]).flatten(0, 1), S[i, 1:].flatten()); opt.zero_grad(); loss.backward(); opt.step()
    logging.info("epoch %d/%d next-item loss %.3f", ep, a.epochs, loss.item())
torch.save(net.state_dict(), a.save); logging.info("saved %s", a.save)
"""

JOBS = (
    crate(
        "A1",
        "train.py model.depth=6 optim.learning_rate=3e-4 trainer.max_epochs=20",
        OVERRIDE,
        cause="traceback",
        variant="config",
        note="an override names a key that the config has not; before anything is built",
    ),
    crate(
        "A1",
        "moco_main.py --arch moco_b",
        NOMODULE,
        cause="missing_module",
        variant="env",
        files={"models/__init__.py": MODELS, "models/moco.py": MOCO},
        note="ModuleNotFoundError: No module named 'einops' at import",
    ),
    crate(
        "A2",
        "gnn_sample.py",
        NATIVE,
        cause="segfault",
        status=-11,
        files={"neigh.c": KERNEL},
        before=(("cc", "-O2", "-shared", "-fPIC", "-o", "libneigh.so", "neigh.c"),),
        note="signal 11 right after the edges were resampled at iteration 160, no traceback",
    ),
    crate(
        "A2",
        "itemknn.py",
        DENSE,
        cause="oom_killer",
        status=-9,
        python="system",
        group_mib=600,
        note="rss up to the group's limit of 600 MiB, oom_kill event, signal 9",
    ),
    crate(
        "A3",
        "kd_ddp.py",
        DISTKD,
        cause="traceback",
        ranks=2,
        first=(0,),
        note="rank 0's KeyError: 'accuracy' after twelve epochs; torchrun takes the other down",
    ),
    crate(
        "A3",
        "mc.py",
        EXPORTS,
        cause="permission",
        folders=("exports",),
        locked=("exports",),
        note="PermissionError on exports/run_07 after thirty epochs",
    ),
    crate(
        "E2",
        "seqrec.py --catalog 540 --init seqrec.pt",
        SEQREC,
        cause="runtime_error",
        variant="size_mismatch",
        before=(("PYTHON", "seqrec.py", "--catalog", "500"),),
        note="size mismatch for item_emb.weight while loading seqrec.pt",
    ),
)
