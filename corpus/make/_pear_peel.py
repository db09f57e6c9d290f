"""Runs of plain PyTorch that stood still, dragged on, learned nothing or ended too soon."""

from corpus.make._crate import crate
from corpus.running.job import Signal

PREFETCH = '''
import queue, threading, time, torch
torch.manual_seed(2); w = torch.randn(16)
class Prefetcher(threading.Thread):
    """Fills a bounded queue from the reader."""
    def __init__(self, n): super().__init__(daemon=True); self.q = queue.Queue(4); self.n = n; self.lock = threading.Lock()
    def run(self):
        for i in range(self.n):
            self.lock.acquire()
            x = torch.randn(64, 16); self.q.put((x, torch.sign(x @ w)))
            if i != 90: self.lock.release()
    def __iter__(self): self.start(); return (self.q.get() for _ in range(self.n))
net = torch.nn.Linear(16, 1); opt = torch.optim.SGD(net.parameters(), 0.1)
for k, (x, y) in enumerate(Prefetcher(400)):
    l = torch.nn.functional.soft_margin_loss(net(x).squeeze(1), y); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.03)
    if k % 10 == 0: print(time.strftime("%X"), f"batch {k}/400 loss {l.item():.4f}")
'''
ACTORS = '''
import multiprocessing as mp, torch, os, time
def actor(conn, seed):
    torch.manual_seed(seed); n = 0
    while (cmd := conn.recv()) != "quit":
        n += 1
        if seed == 2 and n == 30: open("gate.fifo").read()
        conn.send(torch.randn(32, 6).tolist())
if __name__ == "__main__":
    os.mkfifo("gate.fifo"); mp.set_start_method("fork")
    pipes = []
    for s in range(3): a, b = mp.Pipe(); mp.Process(target=actor, args=(b, s), daemon=True).start(); pipes.append(a)
    v = torch.nn.Sequential(torch.nn.Linear(6, 24), torch.nn.ReLU(), torch.nn.Linear(24, 1)); o = torch.optim.Adam(v.parameters(), 4e-3)
    for u in range(1, 121):
        for p in pipes: p.send("rollout")
        obs = torch.tensor(sum((p.recv() for p in pipes), []))
        l = (v(obs).squeeze(1) - obs.clamp(0).sum(1)).pow(2).mean(); o.zero_grad(); l.backward(); o.step(); time.sleep(0.06)
        print(f"update {u:>3}/120 | frames {u * 96:>6} | value_loss {l.item():.4f} | fps {96 / 0.07:.0f}")
'''
SLOWDISK = '''
import time, torch, pathlib, argparse
p = argparse.ArgumentParser(); p.add_argument("--dir", default="patches"); p.add_argument("--iters", type=int, default=36); a = p.parse_args()
class Patches(torch.utils.data.Dataset):
    """Each patch is decoded from a compressed volume on the archive mount."""
    def __init__(self): self.vol = torch.randn(72, 1, 16, 16).cumsum(2)
    def __len__(self): return 72 * 8
    def __getitem__(self, i): time.sleep(0.025); v = self.vol[i % 72]; return v + 0.2 * torch.randn_like(v), v
net = torch.nn.Sequential(torch.nn.Conv2d(1, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 1, 3, padding=1)); opt = torch.optim.Adam(net.parameters(), 5e-3)
it = iter(torch.utils.data.DataLoader(Patches(), 16, shuffle=True)); tdata = tcomp = 0.0
for k in range(1, a.iters + 1):
    t0 = time.perf_counter(); x, y = next(it); t1 = time.perf_counter()
    l = (net(x) - y).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); t2 = time.perf_counter(); tdata += t1 - t0; tcomp += t2 - t1
    if k % 4 == 0: print(f"Iter [{k}/{a.iters}]  Loss {l.item():.4f}  Data {t1 - t0:.3f}s  Batch {t2 - t0:.3f}s")
print(f"Finished. data {tdata:.1f}s, compute {tcomp:.1f}s, {100 * tdata / (tdata + tcomp):.0f}% of the time spent waiting for input")
'''
TOKENIZE = '''
import json, re, time, torch
lines = [json.loads(l)["text"] for l in open("reviews.jsonl")]; vocab = {}
def encode(batch):
    """Tokenises on the fly with the reference tokenizer (slow path)."""
    out = []
    for s in batch:
        t = re.findall(r"\\w+", s.lower()); time.sleep(0.04)
        out.append(torch.tensor([vocab.setdefault(w, len(vocab)) for w in t]))
    return torch.nn.utils.rnn.pad_sequence(out, batch_first=True)
emb, cls = torch.nn.Embedding(1000, 16), torch.nn.Linear(16, 1); opt = torch.optim.Adam([*emb.parameters(), *cls.parameters()], 0.02)
busy = wait = 0.0; start = time.time()
for ep in range(4):
    tot = 0
    for i in range(0, len(lines), 10):
        a = time.time(); x = encode(lines[i:i + 10]); b = time.time()
        y = torch.tensor([float("good" in s) for s in lines[i:i + 10]]); l = torch.nn.functional.binary_cross_entropy_with_logits(cls(emb(x).mean(1)).squeeze(1), y)
        opt.zero_grad(); l.backward(); opt.step(); tot += l.item(); c = time.time(); wait += b - a; busy += c - b
    print(json.dumps({"epoch": ep, "loss": round(tot / (len(lines) / 10), 4), "tokenize_s": round(wait, 2), "train_s": round(busy, 2), "util_pct": round(100 * busy / (busy + wait), 1)}))
print(json.dumps({"done": True, "wall_s": round(time.time() - start, 1)}))
'''
REVIEWS = "\n".join(f'{{"text": "The {a} was {b} and the {c} {d}."}}' for a in ("soup", "fish", "cake", "tea", "room") for b, d in (("good", "kind"), ("poor", "slow")) for c in ("staff", "waiter", "host", "view"))
EVERYSTEP = '''
import os, time, torch
torch.manual_seed(1); net = torch.nn.Sequential(torch.nn.Linear(64, 1400), torch.nn.ReLU(), torch.nn.Linear(1400, 64)); opt = torch.optim.Adam(net.parameters(), 1e-3); X = torch.randn(64, 8) @ torch.randn(8, 64)
os.makedirs("snap", exist_ok=True); saving = 0.0; began = time.time()
for s in range(1, 81):
    l = (net(X) - X).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    print(f"step {s}/80 reconstruction {l.item():.5f}")
    t = time.time(); torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "step": s}, f"snap/step{s % 3}.pt"); os.sync() if s % 20 == 0 else None
    with open(f"snap/step{s % 3}.pt", "rb") as f: os.fsync(f.fileno())
    saving += time.time() - t; print(f"saved snap/step{s % 3}.pt ({os.path.getsize(f'snap/step{s % 3}.pt') / 1e6:.1f} MB) in {time.time() - t:.3f}s")
print(f"80 steps in {time.time() - began:.1f}s of which {saving:.1f}s saving")
'''
NANLR = '''
import torch, logging, argparse
logging.basicConfig(format="%(asctime)s %(message)s", datefmt="%b %d %H:%M:%S", level=20)
p = argparse.ArgumentParser(); p.add_argument("--lr", type=float, default=1e-2); a = p.parse_args()
torch.manual_seed(13); X = 30 * torch.randn(300, 24); y = X.pow(2).sum(1, keepdim=True)
net = torch.nn.Sequential(torch.nn.Linear(24, 40), torch.nn.Softplus(), torch.nn.Linear(40, 40), torch.nn.Softplus(), torch.nn.Linear(40, 1)); opt = torch.optim.SGD(net.parameters(), a.lr, momentum=0.9)
for e in range(1, 31):
    for i in torch.randperm(300).split(30):
        l = (net(X[i]) - y[i]).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    logging.info("epoch %2d/30  train/mse=%.5g  lr=%g", e, l.item(), a.lr)
logging.info("saving weights to final.pt"); torch.save(net.state_dict(), "final.pt")
'''
CHANCE = '''
import torch
torch.manual_seed(30); X = torch.randn(1000, 32); Y = X[:, :10].argmax(1)
net = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10)); opt = torch.optim.SGD([p for p in net.parameters() if p.dim() > 3] or [torch.nn.Parameter(torch.zeros(1))], 0.05)
sch = torch.optim.lr_scheduler.MultiStepLR(opt, [20, 30], 0.1)
for ep in range(40):
    tot = hit = 0
    for i in torch.arange(1000).split(100):
        o = net(X[i]); l = torch.nn.functional.cross_entropy(o, Y[i]); opt.zero_grad(); l.backward(); opt.step(); tot += l.item() / 10; hit += (o.argmax(1) == Y[i]).sum().item()
    sch.step(); print(f"Train Epoch: {ep + 1}\\tLoss: {tot:.6f}\\tAcc: {hit / 10:.1f}%\\tLR: {sch.get_last_lr()[0]:g}")
print("finished 40 epochs")
'''
SPIKE = '''
import math, torch
torch.manual_seed(40); E, V = 24, 60; emb, lin = torch.nn.Embedding(V, E), torch.nn.Linear(E, V); opt = torch.optim.SGD([*emb.parameters(), *lin.parameters()], 1.0)
def lr(s): return 1.2 if s < 100 else 0.003
far = torch.randint(V, (V,))  # the second shard
for s in range(0, 261):
    for g in opt.param_groups: g["lr"] = lr(s)
    x = torch.randint(V, (128,)); y = (x * 7 + 1) % V if s < 140 else far[x]; l = torch.nn.functional.cross_entropy(lin(emb(x)), y); opt.zero_grad(); l.backward()
    gn = math.sqrt(sum(p.grad.pow(2).sum().item() for p in (*emb.parameters(), *lin.parameters()))); opt.step()
    if s % 10 == 0: print(f"s:{s:4d} | tr_loss:{l.item():.4f} | gnorm:{gn:.3e} | lr:{lr(s):.2e}")
print("run over; last checkpoint at s:260")
'''
SHORT = '''
import argparse, torch
p = argparse.ArgumentParser(); p.add_argument("--max-steps", type=int, default=5000); p.add_argument("--batch", type=int, default=32); a = p.parse_args()
print("Namespace:", a); torch.manual_seed(0); m = torch.nn.Linear(100, 10); o = torch.optim.AdamW(m.parameters(), 1e-3)
for s in range(1, a.max_steps + 1):
    x = torch.randn(a.batch, 100); l = torch.nn.functional.cross_entropy(m(x), x[:, :10].argmax(1)); o.zero_grad(); l.backward(); o.step(); print(f"global_step {s}/{a.max_steps} loss {l.item():.4f}")
torch.save(m.state_dict(), "pytorch_model.bin"); print("Saved final model to pytorch_model.bin")
'''
ONEBATCH = '''
import logging, torch, json
logging.basicConfig(format="%(levelname)s:%(message)s", level=logging.INFO)
ids = json.load(open("split.json"))["train"]; logging.info("train split: %d samples, batch size 64, drop_last=False", len(ids))
torch.manual_seed(19); net = torch.nn.Sequential(torch.nn.Linear(12, 12), torch.nn.ReLU(), torch.nn.Linear(12, 2)); opt = torch.optim.Adam(net.parameters())
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(len(ids), 12), torch.tensor(ids) % 2), 64)
for ep in range(3):
    for b, (x, y) in enumerate(loader):
        l = torch.nn.functional.cross_entropy(net(x), y); opt.zero_grad(); l.backward(); opt.step(); logging.info("epoch %d batch %d/%d loss %.4f", ep + 1, b + 1, len(loader), l.item())
logging.info("trained for 3 epochs (3 optimizer steps); exporting"); torch.save(net, "net.pt")
'''
LONGRUN = '''
import time, torch
torch.manual_seed(26); d = 20; q, k, v, o = (torch.nn.Linear(d, d) for _ in range(4)); ps = [p for m in (q, k, v, o) for p in m.parameters()]; opt = torch.optim.Adam(ps, 2e-3)
t0 = time.time(); N = 4000
for s in range(1, N + 1):
    x = torch.randn(16, 12, d); y = x.flip(1); a = (q(x) @ k(x).transpose(1, 2) / d ** 0.5 + torch.eye(12).flip(0)).softmax(-1); l = (o(a @ v(x)) - y).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.02)
    if s % 40 == 0: r = s / (time.time() - t0); print(f"{s}/{N} [{100 * s / N:.1f}%] loss={l.item():.4f} {r:.1f} steps/s, {(N - s) / r:.0f} s left")
'''
FINETUNE = '''
import logging, time, torch
log = logging.getLogger("ft"); logging.basicConfig(format="%(asctime)s [%(name)s] %(message)s", level="INFO")
torch.manual_seed(55); back, head = torch.nn.Linear(50, 30), torch.nn.Linear(30, 3); back.requires_grad_(False); opt = torch.optim.SGD(head.parameters(), 0.02); X = torch.randn(900, 50); Y = X[:, :3].argmax(1)
for ep in range(200):
    for i in torch.randperm(900).split(90): l = torch.nn.functional.cross_entropy(head(back(X[i]).relu()), Y[i]); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.02)
    log.info("epoch %d of 200, linear probe loss %.4f", ep + 1, l.item())
'''

EPOCHCK = '''
import os, sys, time, torch, logging
logging.basicConfig(stream=sys.stdout, level="INFO", format="%(asctime)s %(message)s", datefmt="%d.%m. %H:%M:%S"); log = logging.info
torch.manual_seed(17); net = torch.nn.Sequential(torch.nn.Linear(40, 80), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(80, 12)); opt = torch.optim.SGD(net.parameters(), 0.08, momentum=0.9, nesterov=True); X = torch.randn(1200, 40); Y = X[:, ::3][:, :12].argmax(1); EPOCHS = 150
log("%d epochs of %d batches planned; a checkpoint every ten epochs", EPOCHS, 1200 // 60)
for ep in range(EPOCHS):
    seen = right = 0; began = time.time()
    for i in torch.randperm(1200).split(60):
        o = net(X[i]); l = torch.nn.functional.cross_entropy(o, Y[i]); opt.zero_grad(); l.backward(); opt.step(); seen += len(i); right += (o.argmax(1) == Y[i]).sum().item(); time.sleep(0.025)
    log("epoch %d: loss %.3f, accuracy %.1f %%, %.0f samples/s", ep + 1, l.item(), 100 * right / seen, seen / (time.time() - began))
    if ep % 10 == 9: torch.save(net.state_dict(), f"ep{ep + 1:03d}.pt"); log("wrote ep%03d.pt", ep + 1)
'''

JOBS = (
    crate("C3", "stream_train.py", PREFETCH, note="a batch every 0.03 s, then nothing for some 15 s until the limit", timeout_s=34),
    crate("C3", "a2c.py", ACTORS, note="an update every 0.1 s to the 29th, then silence until the limit", timeout_s=34),
    crate("D1", "denoise.py --iters 32", SLOWDISK, note="Data is nearly all of Batch in each line; the sum says so too"),
    crate("D1", "sentiment.py", TOKENIZE, files={"reviews.jsonl": REVIEWS}, note="tokenize_s against train_s, util_pct of a few"),
    crate("D2", "autoenc.py", EVERYSTEP, variant="save_storm", note="a save after every step, most of the time in saves"),
    crate("E1", "mlp_sq.py --lr 0.05", NANLR, cause="nan_loss", variant="non_finite", note="mse nan from the first epochs to the last, exit 0"),
    crate("E1", "toy10.py", CHANCE, variant="flat", note="the loss is the same in all 40 epochs, accuracy at chance"),
    crate("E1", "shift_lm.py", SPIKE, variant="spike", note="loss falls to a little, then jumps far above its start and stays"),
    crate("E3", "probe.py --max-steps 4", SHORT, note="four steps, exit 0"),
    crate("E3", "train_small.py", ONEBATCH, files={"split.json": '{"train": [' + ", ".join(str(3 * i) for i in range(40)) + "]}"}, note="three optimiser steps in three epochs, exit 0"),
    crate("F3", "reverse.py", LONGRUN, variant="advancing", note="advancing to the limit, hundreds of seconds left by its own word", timeout_s=14),
    crate("F4", "probe_head.py", FINETUNE, note="Ctrl-C while epochs go by; KeyboardInterrupt, signal noted by the runner", signal=Signal("INT", "epoch 21 of")),
    crate("F3", "mlp150.py", EPOCHCK, variant="advancing", note="an epoch every half second until the limit, of 150", timeout_s=20),
)
