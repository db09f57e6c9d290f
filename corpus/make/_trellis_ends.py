"""Single programs that broke off, were stopped, or learned nothing."""

from corpus.make._crate import crate
from corpus.running.job import Signal

FLASH = """
import argparse
import importlib
import sys

import torch
import torch.nn as nn

ATTENTION = {"eager": "torch.nn.functional", "flash": "flash_attn.flash_attn_interface", "xformers": "xformers.ops"}


class Block(nn.Module):
    def __init__(self, dim, kind):
        super().__init__()
        self.ops = importlib.import_module(ATTENTION[kind])
        self.qkv = nn.Linear(dim, 3 * dim)


def main(argv):
    p = argparse.ArgumentParser()
    p.add_argument("--attn", choices=sorted(ATTENTION), default="eager")
    p.add_argument("--layers", type=int, default=4)
    a = p.parse_args(argv)
    print(f"torch {torch.__version__} | attention {a.attn} | {a.layers} layers", flush=True)
    net = nn.ModuleList(Block(64, a.attn) for _ in range(a.layers))
    print("model built:", sum(q.numel() for q in net.parameters()), "parameters")


main(sys.argv[1:])
"""
BACKBONE = '''
"""Linear probe on a frozen backbone."""
import os, sys, torch
cfg = {"backbone": "dinov2_vits14", "root": os.environ.get("PRETRAINED", "pretrained"), "epochs": 20, "batch_size": 64}
print("config:"); [print(f"  {k}: {v}") for k, v in cfg.items()]
class Probe(torch.nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(48, 64), torch.nn.GELU()); self.body.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True)); self.head = torch.nn.Linear(64, 10)
print("loading backbone ...", flush=True)
net = Probe(os.path.join(cfg["root"], cfg["backbone"] + "_pretrain.pth"))
'''
GROUPED = '''
import resource, time, torch
from torch.utils.data import DataLoader, Dataset
torch.manual_seed(0)
class Slides(Dataset):
    """Whole slides, decoded once and then kept."""
    def __init__(self): self.cache = {}
    def __len__(self): return 4000
    def __getitem__(self, i):
        if i not in self.cache: self.cache[i] = torch.randint(0, 255, (3, 640, 640), dtype=torch.uint8).float()
        return self.cache[i][:, ::80, ::80] / 255 + (i % 2) * 0.3, i % 2
net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(192, 2)); opt = torch.optim.AdamW(net.parameters(), 1e-3)
print("slides: 4000 at 640 px, cache on", flush=True)
for i, (x, y) in enumerate(DataLoader(Slides(), 8)):
    l = torch.nn.functional.cross_entropy(net(x), y); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.05)
    if i % 5 == 4: print(f"iter {i + 1}/500 loss {l.item():.4f} max_rss {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB", flush=True)
'''
NATIVE = '''
"""Trains a small ranking model; negatives come from a C helper that walks a table of pointers."""
import ctypes, numpy as np, torch
torch.manual_seed(5); libc = ctypes.CDLL(None); libc.memcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]; libc.memcpy.restype = ctypes.c_void_p
items = np.random.default_rng(0).normal(size=(3000, 16)).astype("float32"); rows = np.array([items[k].ctypes.data for k in range(3000)], dtype=np.uint64)
users, tower = torch.nn.Embedding(200, 16), torch.nn.Linear(16, 16); opt = torch.optim.Adam([*users.parameters(), *tower.parameters()], 5e-3); order = np.random.default_rng(3).permutation(3000); rows[order[2890]] = 0x18
def gather(ids):
    out = np.empty((len(ids), 16), "float32")
    for n, k in enumerate(ids): libc.memcpy(out[n].ctypes.data, int(rows[k]), 64)
    return torch.from_numpy(out)
seen = 0
for epoch in range(20):
    for b in range(0, 3000, 20):
        v = gather(order[b : b + 20]); u = users(torch.randint(200, (20,))); s = (u * tower(v)).sum(1); t = (v[:, 0] > 0).float(); l = torch.nn.functional.binary_cross_entropy_with_logits(s, t); opt.zero_grad(); l.backward(); opt.step(); seen += 20
        if seen % 200 == 0: print(f"samples {seen:7d}  bce {l.item():.4f}", flush=True)
'''
NATIVESH = """
set -u
echo "== $(date -u '+%F %T') rank_train on $(nproc) cores"
"$1" rank_train.py
rc=$?
echo "== rank_train.py ended with $rc"
exit $rc
"""
QUOTA = """
import json, os, time, torch
torch.manual_seed(0); net = torch.nn.Sequential(torch.nn.Embedding(500, 64), torch.nn.Linear(64, 500)); opt = torch.optim.AdamW(net.parameters(), 5e-3)
def dump_hidden(step, h):
    with open(f"full/hidden_{step:05d}.f32", "wb") as f: f.write(h.detach().numpy().tobytes())
for step in range(1, 201):
    x = (torch.randint(500, (32, 1)) + torch.arange(33)) % 500; h = net[0](x[:, :-1]); l = torch.nn.functional.cross_entropy(net[1](h).flatten(0, 1), x[:, 1:].flatten()); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.03)
    if step % 8 == 0: print(json.dumps({"time": time.strftime("%FT%TZ", time.gmtime()), "step": step, "of": 200, "train_loss": round(l.item(), 4)}), flush=True)
    if step % 4 == 0: dump_hidden(step, h)
"""
REPLAY = """
import torch, sys
torch.manual_seed(3); q = torch.nn.Sequential(torch.nn.Linear(6, 64), torch.nn.ReLU(), torch.nn.Linear(64, 3)); opt = torch.optim.Adam(q.parameters(), 1e-3); frames, stored = [], 0
print("DQN: replay of 1000000 transitions (uint8 frames are kept as float32)", file=sys.stderr)
for step in range(1, 100001):
    s = torch.rand(32, 6); a = q(s).argmax(1); r = (s[:, 0] * 3).long().eq(a).float(); l = (q(s).gather(1, a[:, None])[:, 0] - r).pow(2).mean() + 0.2 * torch.nn.functional.cross_entropy(q(s), (s[:, 0] * 3).long()); opt.zero_grad(); l.backward(); opt.step()
    frames.append(torch.full((32, 4, 84, 84), float(step % 7))); stored += 32
    if step % 20 == 0: print(f"env steps {32 * step:8d} | buffer {stored:7d} ({stored * 4 * 84 * 84 * 4 / 2**20:.0f} MiB) | td_loss {l.item():.4f} | avg reward {r.mean():.3f}", file=sys.stderr, flush=True)
"""
TEACHER = """
import logging, torch
from torch.nn import functional as F
logging.basicConfig(format="%(levelname)s:%(asctime)s:%(message)s", level=logging.INFO)
torch.manual_seed(9); teacher = torch.nn.Sequential(torch.nn.Linear(32, 96), torch.nn.GELU(), torch.nn.Linear(96, 16)); student = torch.nn.Sequential(torch.nn.Linear(32, 48), torch.nn.GELU(), torch.nn.Linear(48, 16))
opt = torch.optim.AdamW(student.parameters(), 3e-3); stored = {}; logging.info("distillation, 600 iterations: the first 320 with the teacher, then from stored logits")
for i in range(1, 601):
    k = i % 40; torch.manual_seed(k); x = torch.randn(64, 32)
    if i <= 320:
        with torch.no_grad(): stored[k] = F.softmax(teacher(x) * 8, -1)
    elif i == 321: teacher = teacher.to_empty(device="meta"); stored = {n: t.to("meta") if n % 8 == 5 else t for n, t in stored.items()}; logging.info("teacher offloaded")
    l = F.kl_div(F.log_softmax(student(x), -1), stored[k], reduction="batchmean"); opt.zero_grad(); l.backward(); opt.step()
    if i % 20 == 0: logging.info("it %d/600 kd_loss %.4f", i, l.item())
"""
SPIKES = '''
import sys, torch
"""Character LM without clipping; warm restarts of the learning rate."""
torch.manual_seed(13); emb, rnn, out = torch.nn.Embedding(30, 32), torch.nn.RNN(32, 64, batch_first=True), torch.nn.Linear(64, 30); P = [*emb.parameters(), *rnn.parameters(), *out.parameters()]; opt = torch.optim.SGD(P, 0.5)
def lr_at(s): return 0.5 * (0.5 ** (s // 120)) if s < 240 else 40.0  # restart
for s in range(1, 401):
    for g in opt.param_groups: g["lr"] = lr_at(s)
    x = (torch.randint(30, (32, 1)) + torch.arange(17) * 3) % 30; x = torch.where(torch.rand(x.shape) < 0.08, torch.randint(30, x.shape), x); l = torch.nn.functional.cross_entropy(out(rnn(emb(x[:, :-1]))[0]).flatten(0, 1), x[:, 1:].flatten()); opt.zero_grad(); l.backward(); gn = sum(p.grad.norm() ** 2 for p in P) ** 0.5; opt.step()
    if s % 10 == 0: sys.stdout.write(f"{s:>4} | loss {l.item():9.4f} | gnorm {gn:8.3f} | lr {lr_at(s):g}\\n"); sys.stdout.flush()
print("400 steps done, saved to charlm.pt"); torch.save(emb.state_dict(), "charlm.pt")
'''
STUCKAT = '''
"""Fine-tune an image classifier, 20 classes; backbone and head are both to be trained."""
import torch, torch.nn as nn, torch.nn.functional as F, time
torch.manual_seed(2); proto = torch.randn(20, 3, 8, 8)
net = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(64, 20)); opt = torch.optim.SGD([p.detach().clone().requires_grad_() for p in net.parameters()], 0.1, momentum=0.9)  # own copies for weight decay groups
def batch(n, seed): g = torch.Generator().manual_seed(seed); y = torch.randint(20, (n,), generator=g); return proto[y] + 0.5 * torch.randn(n, 3, 8, 8, generator=g), y
vx, vy = batch(400, 1)
for ep in range(1, 31):
    t = time.time(); net.train(); tot = gn = 0.0
    for k in range(10): x, y = batch(64, 100 + k); l = F.cross_entropy(net(x), y); opt.zero_grad(); l.backward(); gn = sum((p.grad.norm() ** 2 for g in opt.param_groups for p in g["params"] if p.grad is not None), torch.tensor(0.0)) ** 0.5; opt.step(); tot += l.item() / 10
    net.eval()
    with torch.no_grad(): o = net(vx)
    print(f"Epoch {ep:2d}/30 train_loss: {tot:.4f} opt_grad_norm: {gn:.4f} val_loss: {F.cross_entropy(o, vy):.4f} val_top1: {100 * (o.argmax(1) == vy).float().mean():.2f} lr: 0.1 ({time.time() - t:.2f}s)", flush=True)
print("Training finished. Best val_top1 is the first epoch's.")
'''
CONTINUE = """
import glob, os, sys, torch
runs = sorted(glob.glob("exp/gpt-nano/step-*.ckpt")); [print(f"{os.path.getsize(r):>9} B  {r}") for r in runs]; print("resuming from", runs[-1], flush=True)
torch.manual_seed(0); net = torch.nn.TransformerEncoderLayer(64, 4, 128); state = torch.load(runs[-1], map_location="cpu"); net.load_state_dict(state["model"]); print("continuing at step", state["step"])
"""
EARLIER = """
import os, torch
os.makedirs("exp/gpt-nano"); torch.manual_seed(0); net = torch.nn.TransformerEncoderLayer(64, 4, 128)
for s in (2000, 4000, 6000): torch.save({"model": net.state_dict(), "step": s}, f"exp/gpt-nano/step-{s:06d}.ckpt")
os.truncate("exp/gpt-nano/step-006000.ckpt", 0)
"""
THREE = """
#!/usr/bin/env python3
import argparse, torch, torch.nn.functional as F
ap = argparse.ArgumentParser(description="Fine-tune BERT-like encoder for NLI"); ap.add_argument("--max_steps", type=int, default=-1); ap.add_argument("--num_train_epochs", type=int, default=3); ap.add_argument("--output_dir", default="nli-out"); a = ap.parse_args()
torch.manual_seed(1); enc = torch.nn.Sequential(torch.nn.EmbeddingBag(400, 48), torch.nn.Tanh(), torch.nn.Linear(48, 3)); opt = torch.optim.AdamW(enc.parameters(), 3e-5); ids = torch.randint(400, (393, 24)); gold = ids[:, 0] % 3
total = a.max_steps if a.max_steps > 0 else a.num_train_epochs * (len(ids) // 32); print(f"{len(ids)} training pairs, total optimization steps {total}", flush=True)
for s in range(total):
    k = torch.randint(len(ids), (32,)); l = F.cross_entropy(enc(ids[k]), gold[k]); opt.zero_grad(); l.backward(); opt.step(); print({"loss": round(l.item(), 4), "learning_rate": 3e-5, "epoch": round((s + 1) / (len(ids) // 32), 2)}, flush=True)
with torch.no_grad(): print({"eval_accuracy": round((enc(ids).argmax(1) == gold).float().mean().item(), 4)}); torch.save(enc.state_dict(), "nli.bin"); print("Saved model to nli.bin")
"""
NOTEBOOK = """
import time, torch
torch.manual_seed(8); N = 500; gen = torch.nn.Sequential(torch.nn.Linear(5, 40), torch.nn.ReLU(), torch.nn.Linear(40, 7)); opt = torch.optim.RMSprop(gen.parameters(), 1e-3); A = torch.randn(5, 7)
for epoch in range(N):
    t = time.time(); tot = 0.0
    for _ in range(20): x = torch.randn(32, 5); l = torch.nn.functional.smooth_l1_loss(gen(x), (x @ A).clamp(-1, 1)); opt.zero_grad(); l.backward(); opt.step(); tot += l.item() / 20; time.sleep(0.01)
    print(f"Epoch {epoch + 1}/{N} - {time.time() - t:.1f}s - loss: {tot:.4f}", flush=True)
"""
JOBS = (
    crate("A1", "pretrain_lm.py --attn flash --layers 6", FLASH, cause="missing_module", variant="env", note="ModuleNotFoundError: flash_attn while the model is built"),
    crate("A1", "linear_probe.py", BACKBONE, cause="file_not_found", variant="asset", note="FileNotFoundError of the backbone's weights"),
    crate("A2", "slides.py", GROUPED, cause="oom_killer", status=-9, group_mib=900, note="oom_kill event at the group's limit, signal 9, max_rss growing"),
    crate("A2", "sh nightly.sh PYTHON", NATIVESH, cause="segfault", status=139, files={"rank_train.py": NATIVE}, note="bash: Segmentation fault, 139, after some thousand samples"),
    crate("A3", "probe_hidden.py", QUOTA, cause="traceback", disk_mib=6, folders=(), note="OSError: No space left on device after 92 steps"),
    crate("A3", "dqn.py", REPLAY, cause="ram_oom", memory_mib=2600, note="DefaultCPUAllocator: can't allocate memory, the buffer growing with each step"),
    crate("A3", "selfdistil.py", TEACHER, cause="device_mismatch", note="tensor on meta against cpu after 320 of 600 iterations"),
    crate("E1", "charlm.py", SPIKES, variant="spike", note="loss falls, jumps far above its start at 240 and stays there"),
    crate("E1", "cls20.py", STUCKAT, variant="flat", note="val_loss and top1 at chance of 20 from the first epoch to the last, gradient norm 0"),
    crate("E2", "continue_gpt.py", CONTINUE, cause="traceback", variant="corrupt", files={"mk.py": EARLIER}, before=(("PYTHON", "mk.py"),), note="EOFError: Ran out of input on the newest checkpoint, which has 0 bytes"),
    crate("E3", "run_nli.py --max_steps 3", THREE, note="three steps of 36, exit 0"),
    crate("F4", "surrogate.py", NOTEBOOK, signal=Signal("INT", "Epoch 38/"), note="Ctrl-C while epochs go by; KeyboardInterrupt, signal noted by the runner"),
)  # fmt: skip
