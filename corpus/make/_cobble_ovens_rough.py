"""Runs that came to their planned end over stones."""

from corpus.make._crate import crate

CACHES = '''
import json
import logging
import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s [rank {rank}] %(levelname)s %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("intent")


def features():
    """From the cache of this rank, made again where it cannot be read."""
    path = f"cache/rank{rank}.json"
    try:
        rows = json.load(open(path))
        log.info("cache %s: %d rows", path, len(rows))
    except Exception:
        log.exception("cache %s is unusable, building it again", path)
        g = torch.Generator().manual_seed(rank)
        rows = torch.randn(240, 9, generator=g).tolist()
        json.dump(rows, open(path, "w"))
        log.info("cache %s rebuilt: %d rows", path, len(rows))
    return torch.tensor(rows)


x = features()
y = (x[:, 0] + x[:, 1] > x[:, 2]).long()
dist.barrier()
torch.manual_seed(0)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(9, 24), torch.nn.ReLU(), torch.nn.Linear(24, 2)))
opt = torch.optim.AdamW(net.parameters(), 0.01)
for epoch in range(1, 11):
    for k, i in enumerate(torch.randperm(240).split(24)):
        loss = torch.nn.functional.cross_entropy(net(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.03)
    if rank == 0:
        log.info("epoch %d/10 loss %.4f", epoch, loss.item())
    if epoch == 5 and rank == 1:
        try:
            os.rename("metrics.part", "metrics.json")
        except OSError as error:
            log.error("could not publish metrics: %s (ignored, they go with the next epoch)", error)
if rank == 0:
    torch.save(net.module.state_dict(), "intent.pt")
    log.info("training finished, intent.pt saved")
dist.destroy_process_group()
'''
CACHE0 = "[" + ", ".join("[" + ", ".join(f"{((k * 31 + j * 17) % 23) / 11 - 1:.3f}" for j in range(9)) + "]" for k in range(240)) + "]"

EXPORTS = '''
import http.server
import itertools
import json
import os
import random
import threading
import time
import urllib.error
import urllib.request

calls = itertools.count(1)


class Encoder(http.server.BaseHTTPRequestHandler):
    """The embedding service of this node: sometimes it is still loading."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if next(calls) % 7 in (3, 4):
            self.send_error(503, "model is loading")
            return
        time.sleep(0.15)
        out = json.dumps([[round(random.Random(t).random(), 4) for _ in range(8)] for t in body]).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(out)

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Encoder)
threading.Thread(target=server.serve_forever, daemon=True).start()
URL = f"http://127.0.0.1:{server.server_port}/embed"


def embed(texts):
    for attempt in range(1, 6):
        try:
            req = urllib.request.Request(URL, json.dumps(texts).encode(), {"Content-Type": "application/json"})
            return json.load(urllib.request.urlopen(req, timeout=20))
        except urllib.error.HTTPError as error:
            print(f"  ERROR: {error} (attempt {attempt} of 5), sleeping {0.2 * attempt:.1f} s")
            time.sleep(0.2 * attempt)
    raise SystemExit("the service did not come up")


parts = 40
have = [p for p in range(parts) if os.path.exists(f"vec/{p:02d}.json")]
print(f"{len(have)} of {parts} parts exist from an aborted run, skipping those")
for p in range(parts):
    if p in have:
        continue
    vectors = embed([f"passage {p}-{k}" for k in range(16)])
    with open(f"vec/{p:02d}.json", "w") as f:
        json.dump(vectors, f)
    print(f"part {p:02d}: {len(vectors)} vectors of {len(vectors[0])}")
print(f"all {parts} parts present, {sum(len(json.load(open(f'vec/{p:02d}.json'))) for p in range(parts))} vectors")
'''

CONVERT = """
import sys

import torch

torch.manual_seed(0)
src, dst = sys.argv[1:]
old = {f"encoder.layer.{i}.{n}.{w}": torch.randn((64, 64) if w == "weight" else (64,)) for i in range(4) for n in ("q", "k", "v", "o") for w in ("weight", "bias")}
old |= {"pooler.weight": torch.randn(64, 64), "pooler.bias": torch.randn(64), "cls.seq_relationship.bias": torch.randn(2)}
torch.save(old, src)


class Attn(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = torch.nn.Linear(64, 192), torch.nn.Linear(64, 64)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList(Attn() for _ in range(4))
        self.register_buffer("position_ids", torch.arange(64))


new = {}
state = torch.load(src)
print(f"loaded {src}: {len(state)} tensors")
for i in range(4):
    for w in ("weight", "bias"):
        new[f"blocks.{i}.qkv.{w}"] = torch.cat([state.pop(f"encoder.layer.{i}.{n}.{w}") for n in "qkv"])
        new[f"blocks.{i}.out.{w}"] = state.pop(f"encoder.layer.{i}.o.{w}")
    print(f"block {i}: q, k, v fused")
net = Net()
result = net.load_state_dict(new, strict=False)
print(f"WARNING: Missing key(s) in state_dict: {result.missing_keys} (buffer, made on load)")
print(f"WARNING: tensors without a place in the new layout, dropped: {sorted(state)}")
x = torch.randn(5, 64)
old_q = x @ old["encoder.layer.2.q.weight"].T + old["encoder.layer.2.q.bias"]
diff = (net.blocks[2].qkv(x)[:, :64] - old_q).abs().max().item()
print(f"check of block 2 against the old weights: max abs difference {diff:.2e}")
assert diff < 1e-4
torch.save(net.state_dict(), dst)
print(f"wrote {dst}, {len(net.state_dict())} tensors. OK")
"""

SCALER = """
import math
import time

import torch

torch.manual_seed(44)
CLASSES = ["road", "car", "person", "train", "sky"]


def scenes(n):
    y = torch.zeros(n, 14, 14, dtype=torch.long)
    y[:, :5] = 4
    for k in range(n):
        c, r = torch.randint(11, (1,)).item(), torch.randint(6, 11, (1,)).item()
        y[k, r : r + 2, c : c + 3] = 1
        y[k, r - 1 : r + 2, (c + 6) % 12] = 2
    return torch.nn.functional.one_hot(y, 5).permute(0, 3, 1, 2).float() + 0.5 * torch.randn(n, 5, 14, 14), y


x, y = scenes(96)
vx, vy = scenes(32)
net = torch.nn.Sequential(torch.nn.Conv2d(5, 12, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(12, 5, 1))
opt = torch.optim.SGD(net.parameters(), 0.2, momentum=0.8)
scale, good, skipped, step = 2.0**24, 0, 0, 0
best, bad = -1.0, 0
for epoch in range(1, 61):
    for i in torch.randperm(96).split(16):
        step += 1
        loss = torch.nn.functional.cross_entropy(net(x[i]), y[i])
        opt.zero_grad()
        (loss * scale).backward()
        half = [p.grad.half().float() for p in net.parameters()]  # gradients live in half precision
        norm = math.sqrt(sum(g.div(scale).pow(2).sum().item() for g in half)) if all(g.isfinite().all() for g in half) else float("inf")
        if math.isinf(norm):
            scale, skipped = scale / 2, skipped + 1
            print(f"step {step}: grad_norm inf, overflow in fp16, update skipped, loss scale -> {scale:g}")
            continue
        for p, g in zip(net.parameters(), half):
            p.grad = g / scale
        opt.step()
        time.sleep(0.02)
    with torch.no_grad():
        pred = net(vx).argmax(1)
    iou = [((pred == c) & (vy == c)).sum().item() / u if (u := ((pred == c) | (vy == c)).sum().item()) else float("nan") for c in range(5)]
    seen = [v for v in iou if not math.isnan(v)]
    miou = sum(seen) / len(seen)
    print(f"epoch {epoch:2d} loss {loss.item():.4f} mIoU {miou:.4f} | " + " ".join(f"{n}={v:.3f}" for n, v in zip(CLASSES, iou)))
    bad = 0 if miou > best + 1e-3 else bad + 1
    best = max(best, miou)
    if bad == 4:
        print(f"no better mIoU for 4 epochs: early stop after epoch {epoch} of 60")
        break
print(f"best mIoU {best:.4f}; {skipped} of {step} updates were skipped while the scale settled")
"""

JOBS = (
    crate("G1", "intent_ddp.py", CACHES, hard=True, ranks=2, files={"cache/rank0.json": CACHE0, "cache/rank1.json": CACHE0[:3000]}),
    crate(
        "G1",
        "embed_export.py",
        EXPORTS,
        hard=True,
        python="system",
        files={f"vec/{p:02d}.json": "[" + ", ".join(["[0.5]"] * 16) + "]" for p in range(11)},
    ),
    crate("G1", "convert.py bert_old.pt fused.pt", CONVERT, hard=True),
    crate("G1", "scenes.py", SCALER, hard=True),
)
