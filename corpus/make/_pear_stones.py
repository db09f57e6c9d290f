"""Runs of plain PyTorch that broke down: at the start, in the middle, at a checkpoint."""

from corpus.make._crate import crate
from corpus.running.job import Signal

# --- before the first step

DETECT = '''
"""Anchor-free detector, COCO-style annotations."""
import argparse, json, logging, pathlib, torch
log = logging.getLogger("det"); logging.basicConfig(level="INFO", format="%(levelname).1s %(asctime)s %(filename)s:%(lineno)d] %(message)s")

class BoxSet(torch.utils.data.Dataset):
    def __init__(self, ann):
        blob = json.loads(pathlib.Path(ann).read_text())
        self.items = [(im["file_name"], [b["bbox"] for b in blob["annotations"] if b["image_id"] == im["id"]]) for im in blob["images"]]
    def __len__(self): return len(self.items)
    def __getitem__(self, i): return torch.rand(3, 64, 64), torch.tensor(self.items[i][1])

def main():
    ap = argparse.ArgumentParser(); ap.add_argument("--train-ann"); ap.add_argument("--val-ann"); ap.add_argument("--lr", type=float, default=1e-3)
    args = ap.parse_args(); log.info("args: %s", vars(args))
    train = BoxSet(args.train_ann); log.info("train set: %d images", len(train))
    val = BoxSet(args.val_ann); log.info("val set: %d images", len(val))

main()
'''
COCO = '{"images": [{"id": 1, "file_name": "000001.jpg"}, {"id": 2, "file_name": "000002.jpg"}], "annotations": [{"image_id": 1, "bbox": [3, 4, 20, 20]}]}'
SPEECH = '''
import argparse, sys, torch
from pathlib import Path
sys.path.insert(0, str(Path(__file__).parent))
from frontend import LogMel
print("torch", torch.__version__, "| threads", torch.get_num_threads())
model = torch.nn.Sequential(LogMel(40), torch.nn.Linear(40, 29))
print(model)
'''
FRONT = '''
import torch
import torchaudio.transforms as T

class LogMel(torch.nn.Module):
    def __init__(self, n): super().__init__(); self.m = T.MelSpectrogram(n_mels=n)
    def forward(self, x): return self.m(x).clamp_min(1e-6).log()
'''
CUDAONLY = '''
import os, torch
seed = int(os.environ.get("SEED", 17)); torch.manual_seed(seed)
print(f"Using seed {seed}")
dev = torch.device("cuda:0")
print("building encoder (6 layers, d_model 128)")
enc = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(128, 4, batch_first=True), 6, enable_nested_tensor=False)
print("moving to", dev)
enc.to(dev)
print("epoch 0")
'''
BADCFG = '''
import json, sys, torch
C = json.load(open(sys.argv[1])); print("config:", json.dumps(C, sort_keys=True))
kinds = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD, "adamw": torch.optim.AdamW}
net = torch.nn.Linear(C["features"], C["classes"])
opt = kinds[C["optimizer"]["name"]](net.parameters(), **C["optimizer"]["args"])
for step in range(C["steps"]):
    x = torch.randn(32, C["features"]); loss = net(x).logsumexp(1).mean(); opt.zero_grad(); loss.backward(); opt.step()
    print(step, loss.item())
'''
HEADS = '''
import torch, torch.nn as nn
class Block(nn.Module):
    def __init__(self, d, h, p): super().__init__(); assert d % h == 0, f"d_model {d} must be a multiple of n_head {h}"; self.a = nn.MultiheadAttention(d, h, p, batch_first=True); self.f = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))
    def forward(self, x): x = x + self.a(x, x, x, need_weights=False)[0]; return x + self.f(x)
if __name__ == "__main__":
    import argparse
    p = argparse.ArgumentParser()
    for k, v in dict(d_model=96, n_head=4, n_layer=3, steps=50).items(): p.add_argument(f"--{k}", type=int, default=v)
    o = p.parse_args(); print("Options:", " ".join(f"{k}={v}" for k, v in vars(o).items()))
    net = nn.Sequential(*(Block(o.d_model, o.n_head, 0.1) for _ in range(o.n_layer)))
    print(f"model has {sum(q.numel() for q in net.parameters()):,} weights")
'''
LABELS = '''
import csv, torch
rows = list(csv.DictReader(open("data/iris_like.csv")))
print(len(rows), "rows; columns", list(rows[0]))
x = torch.tensor([[float(r[k]) for k in ("sl", "sw", "pl", "pw")] for r in rows])
y = torch.tensor([int(r["species"]) for r in rows])
net = torch.nn.Linear(4, 3); opt = torch.optim.SGD(net.parameters(), 0.05)
for e in range(50):
    l = torch.nn.functional.cross_entropy(net(x), y); opt.zero_grad(); l.backward(); opt.step()
    print("epoch", e, "loss", round(l.item(), 4))
'''
IRIS = "sl,sw,pl,pw,species\n" + "\n".join(f"{4 + i % 7 / 3:.1f},{2 + i % 5 / 4:.1f},{1 + i % 9 / 2:.1f},{'n/a' if i == 41 else f'{i % 4 / 5:.1f}'},{i % 3}" for i in range(60))
OUTDIR = '''
import argparse, os, time, torch
p = argparse.ArgumentParser(); p.add_argument("--out", required=True); p.add_argument("--name", default="exp01"); a = p.parse_args()
run = os.path.join(a.out, a.name); print(f"{time.strftime('%c')}  run directory: {run}")
os.makedirs(os.path.join(run, "checkpoints"))
open(os.path.join(run, "args.txt"), "w").write(repr(vars(a)))
print("start training")
'''

# --- in the middle

GAN = '''
import torch, time
from torch import nn
torch.manual_seed(21)
G, D = nn.Sequential(nn.Linear(6, 32), nn.LeakyReLU(0.2), nn.Linear(32, 2)), nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
og, od = (torch.optim.Adam(m.parameters(), 1e-3, betas=(0.5, 0.99)) for m in (G, D)); bce = nn.functional.binary_cross_entropy_with_logits
def real(n): t = torch.rand(n) * 6.283; return torch.stack([t.cos(), t.sin()], 1) + 0.02 * torch.randn(n, 2)
def grid(samples, every):
    cells = {}
    for p in samples.tolist(): cells.setdefault((round(p[0], 1), round(p[1], 1)), []).append(p)
    return sum(len(v) for k, v in cells.items() if abs(k[0]) > 1.4) / len([k for k in cells if k[0] > 9])
for it in range(1, 1001):
    r, f = real(64), G(torch.randn(64, 6)); ld = bce(D(r), torch.ones(64, 1)) + bce(D(f.detach()), torch.zeros(64, 1)); od.zero_grad(); ld.backward(); od.step()
    lg = bce(D(G(torch.randn(64, 6))), torch.ones(64, 1)); og.zero_grad(); lg.backward(); og.step()
    if it % 50 == 0: print(f"[{it}/1000] Loss_D: {ld.item():.4f} Loss_G: {lg.item():.4f}"); time.sleep(0.1)
    if it == 600: print("coverage off the ring:", grid(G(torch.randn(256, 6)).detach(), 50))
'''
EVALFILE = '''
import logging, pickle, torch
logging.basicConfig(level=logging.DEBUG, format="%(asctime)s %(process)d %(levelname)s %(message)s")
torch.manual_seed(1); users, items = torch.nn.Embedding(90, 12), torch.nn.Embedding(140, 12)
opt = torch.optim.Adagrad([*users.parameters(), *items.parameters()], 0.1)
u, i = torch.randint(90, (4000,)), torch.randint(140, (4000,)); r = ((u * 7 + i * 3) % 5).float() / 4
for epoch in range(1, 9):
    se = 0.0
    for k in torch.randperm(4000).split(250):
        e = ((users(u[k]) * items(i[k])).sum(1) - r[k]) ** 2; opt.zero_grad(); e.mean().backward(); opt.step(); se += e.sum().item()
    logging.info("epoch %d rmse %.4f", epoch, (se / 4000) ** 0.5)
    if epoch % 4 == 0:
        logging.info("ranking evaluation")
        with open("data/test_negatives.pkl", "rb") as f: negatives = pickle.load(f)
        logging.info("HR@10 %.3f", sum(n in negatives for n in range(9)) / 9)
'''
SHAPE = '''
import torch, itertools
class Lines(torch.utils.data.Dataset):
    def __init__(s): s.rows = [l.strip().split() for l in open("train.tsv")]
    def __len__(s): return len(s.rows)
    def __getitem__(s, k): return torch.tensor([float(v) for v in s.rows[k][1:]]), float(s.rows[k][0])
dl = torch.utils.data.DataLoader(Lines(), batch_size=10, num_workers=1)
net = torch.nn.Sequential(torch.nn.Linear(5, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1)); opt = torch.optim.Adam(net.parameters(), 5e-3)
for n, (x, y) in enumerate(dl):
    loss = torch.nn.functional.smooth_l1_loss(net(x).squeeze(1), y.float()); opt.zero_grad(); loss.backward(); opt.step()
    if n % 5 == 0: print(f"batch={n:04d} smooth_l1={loss.item():.5f}")
print("one pass over the data done")
'''
TSV = "\n".join(f"{i % 13 / 6:.3f} " + " ".join(f"{(i * k) % 17 / 8:.3f}" for k in range(1, 5 if i == 437 else 6)) for i in range(600))
META = '''
import torch
torch.manual_seed(3)
class EMA:
    """Shadow weights, made lazily without memory and filled at the first update."""
    def __init__(self, m, decay): self.decay = decay; self.shadow = [torch.empty_like(p, device="meta") for p in m.parameters()]
    @torch.no_grad()
    def update(self, m):
        for s, p in zip(self.shadow, m.parameters()): torch.add(s * self.decay, p * (1 - self.decay), out=s) if s.device == p.device else p.lerp_(s, self.decay)
net = torch.nn.Sequential(torch.nn.Linear(10, 20), torch.nn.SiLU(), torch.nn.Linear(20, 10)); ema = EMA(net, 0.995); opt = torch.optim.AdamW(net.parameters(), 1e-3)
bars = torch.cos(torch.linspace(0, 3, 100)) ** 2; x0 = torch.randn(512, 10).sign()
for k in range(1, 301):
    t = torch.randint(100, (512, 1)); a = bars[t]; z = torch.randn_like(x0); l = ((net(a.sqrt() * x0 + (1 - a).sqrt() * z) - z) ** 2).mean()
    opt.zero_grad(); l.backward(); opt.step()
    if k % 20 == 0: print(f"diffusion step {k}: eps-loss {l.item():.4f}")
    if k == 200: print("warm-up over, starting EMA"); ema.update(net)
'''
RAMOOM = '''
import resource, torch
bank, keys = [], torch.nn.Linear(32, 64); opt = torch.optim.SGD(keys.parameters(), 0.05); torch.manual_seed(8)
rss = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
for step in range(1, 400):
    a = torch.randn(64, 32); q, k = keys(a + 0.1 * torch.randn_like(a)), keys(a)
    loss = torch.nn.functional.cross_entropy(q @ k.T / 8, torch.arange(64)); opt.zero_grad(); loss.backward(); opt.step()
    bank.append(k.detach().repeat(64, 8).contiguous())
    if step % 10 == 0: print(f"step {step:>4} | infonce {loss.item():.4f} | queue {len(bank)} | max rss {rss()} MB")
'''
CUSTOMOP = '''
import ctypes, torch, faulthandler, sys
if "--trace" in sys.argv: faulthandler.enable()
lib = ctypes.CDLL(None); lib.memcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
torch.manual_seed(0); emb = torch.nn.EmbeddingBag(500, 16, mode="mean"); out = torch.nn.Linear(16, 2); opt = torch.optim.SGD([*emb.parameters(), *out.parameters()], 0.2)
ring = torch.zeros(64, 16)
def push(slot, row): lib.memcpy(ring.data_ptr() + slot * (1 << 33), row.data_ptr(), 64)
for s in range(200):
    ids = torch.randint(500, (32, 6)); y = (ids.sum(1) % 2); l = torch.nn.functional.cross_entropy(out(emb(ids)), y); opt.zero_grad(); l.backward(); opt.step()
    if s % 12 == 0: print("it", s, "nll", f"{l.item():.5f}", flush=True)
    if s >= 96: push(s - 96, emb.weight.data[0])
'''
KILLEDOUT = '''
import time, torch
torch.manual_seed(14); m = torch.nn.GRUCell(8, 16); h2y = torch.nn.Linear(16, 8); o = torch.optim.Adam([*m.parameters(), *h2y.parameters()], 2e-3)
seq = torch.randn(40, 16, 8).cumsum(0) / 6
for it in range(1, 2000):
    h = torch.zeros(16, 16); loss = 0
    for a, b in zip(seq, seq[1:]): h = m(a, h); loss = loss + (h2y(h) - b).pow(2).mean() / 39
    o.zero_grad(); loss.backward(); o.step()
    if it % 4 == 0: print(f"{time.time():.2f} iter {it} of 2000 mse {loss.item():.6f}"); time.sleep(0.12)
'''

# --- at a checkpoint

RESIZED = '''
import sys, torch
width = int(sys.argv[sys.argv.index("--width") + 1]); resume = sys.argv[sys.argv.index("--resume") + 1] if "--resume" in sys.argv else None
net = torch.nn.Sequential(); net.add_module("backbone", torch.nn.Linear(30, width)); net.add_module("act", torch.nn.ReLU()); net.add_module("head", torch.nn.Linear(width, 4))
if resume:
    print("loading", resume); net.load_state_dict(torch.load(resume)["weights"]); print("loaded")
o = torch.optim.SGD(net.parameters(), 0.1); X = torch.randn(256, 30); Y = X[:, :4].argmax(1)
for e in range(1, 41):
    l = torch.nn.functional.cross_entropy(net(X), Y); o.zero_grad(); l.backward(); o.step()
    if e % 8 == 0: print(f"width {width} epoch {e}/40 loss {l.item():.4f}")
torch.save({"weights": net.state_dict(), "epoch": e}, "last.pt"); print("saved last.pt")
'''
TRUNC = '''
import os, torch, logging
logging.basicConfig(format="%(name)s: %(message)s", level="INFO"); lg = logging.getLogger("trainer")
files = sorted(os.listdir("ckpt")); lg.info("found checkpoints: %s", files); last = os.path.join("ckpt", files[-1])
lg.info("restoring from %s (%d bytes)", last, os.path.getsize(last))
state = torch.load(last, map_location="cpu")
lg.info("restored at step %d", state["step"])
'''
PREP = '''
import torch
for s in (500, 1000, 1500): torch.save({"step": s, "w": torch.randn(30, 20)}, f"ckpt/step_{s:06d}.pt")
raw = open("ckpt/step_001500.pt", "rb").read(); open("ckpt/step_001500.pt", "wb").write(raw[: len(raw) // 3])
'''
SCRATCH = '''
import argparse, os, torch
p = argparse.ArgumentParser(); p.add_argument("--resume-from"); p.add_argument("--iters", type=int); a = p.parse_args()
torch.manual_seed(5); net = torch.nn.Sequential(torch.nn.Linear(16, 48), torch.nn.Tanh(), torch.nn.Linear(48, 6)); o = torch.optim.Adam(net.parameters(), 3e-3); it0 = 0
where = os.path.join(a.resume_from or "", "model_latest.pth")
if a.resume_from and os.path.isfile(where):
    st = torch.load(where); net.load_state_dict(st["m"]); it0 = st["it"]; print(f"continuing at iteration {it0}")
X = torch.randn(700, 16); Y = (X @ torch.randn(16, 6)).argmax(1)
os.makedirs("exp", exist_ok=True)
for it in range(it0, it0 + a.iters):
    l = torch.nn.functional.cross_entropy(net(X), Y); o.zero_grad(); l.backward(); o.step()
    if it % 30 == 0: print(f"iteration {it} loss {l.item():.4f}")
torch.save({"m": net.state_dict(), "it": it + 1}, "exp/model_last.pth"); print(f"iteration {it} loss {l.item():.4f}; wrote exp/model_last.pth")
'''
TWOLEGS = '''
echo "== leg 1"; "$1" cont.py --iters 241 || exit 1
echo "== leg 2"; exec "$1" cont.py --iters 241 --resume-from exp
'''

JOBS = (
    crate("A1", "det.py --train-ann ann/train.json --val-ann ann/val2017.json", DETECT, cause="file_not_found", variant="data", files={"ann/train.json": COCO}, note="FileNotFoundError of the val annotations before any step"),
    crate("A1", "speech/train.py", SPEECH, cause="missing_module", variant="env", files={"speech/frontend.py": FRONT}, note="ModuleNotFoundError: torchaudio at import"),
    crate("A1", "pretrain.py", CUDAONLY, cause="assertion", variant="env", note="AssertionError: Torch not compiled with CUDA enabled"),
    crate("A1", "run_exp.py exp/baseline.json", BADCFG, cause="traceback", variant="config", files={"exp/baseline.json": '{"features": 20, "classes": 4, "steps": 100, "optimizer": {"name": "adamw", "args": {"lr": 0.001, "momentum": 0.9}}}'}, note="TypeError of an unknown optimiser argument, before any step"),
    crate("A1", "tiny_gpt.py --d_model 100 --n_head 8", HEADS, cause="assertion", variant="config", note="AssertionError about d_model and n_head while the model is built"),
    crate("A1", "softmax.py", LABELS, cause="traceback", variant="data", files={"data/iris_like.csv": IRIS}, note="ValueError: could not convert string to float 'n/a' while reading the table"),
    crate("A1", "main.py --out /opt/results", OUTDIR, cause="permission", note="PermissionError on making the run directory"),
    crate("A3", "ring_gan.py", GAN, cause="div_zero", note="ZeroDivisionError after 600 told iterations"),
    crate("A3", "recsys.py", EVALFILE, cause="file_not_found", note="FileNotFoundError of the negatives after four epochs"),
    crate("A3", "regress.py", SHAPE, cause="runtime_error", files={"train.tsv": TSV}, note="RuntimeError of stack sizes in a loader's process, after some forty batches"),
    crate("A3", "ddpm.py", META, cause="device_mismatch", note="tensor on meta against cpu after 200 steps"),
    crate("A3", "moco.py", RAMOOM, cause="ram_oom", memory_mib=1500, note="DefaultCPUAllocator: can't allocate memory, rss growing with each step"),
    crate("A2", "bags.py --trace", CUSTOMOP, cause="segfault", status=-11, note="signal 11 and faulthandler's words after 96 steps"),
    crate("A2", "gru_walk.py", KILLEDOUT, fault="unknown", status=-9, signal=Signal("KILL", "iter 64", to="gru_walk"), note="signal 9 while advancing, no memory event"),
    crate("E2", "sh two.sh PYTHON", '"$1" width.py --width 64 && exec "$1" width.py --width 96 --resume last.pt', cause="runtime_error", variant="size_mismatch", files={"width.py": RESIZED}, note="size mismatch for backbone.weight on loading last.pt"),
    crate("E2", "restore.py", TRUNC, cause="runtime_error", variant="corrupt", folders=("ckpt",), files={"prep.py": PREP}, before=(("PYTHON", "prep.py"),), note="PytorchStreamReader failed on a checkpoint a third as long as it was"),
    crate("E2", "sh legs.sh PYTHON", TWOLEGS, variant="from_scratch", status=0, files={"cont.py": SCRATCH}, note="leg 2 has --resume-from, begins at iteration 0 with leg 1's first loss, no line of continuing"),
)
