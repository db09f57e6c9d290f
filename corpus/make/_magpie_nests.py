"""What goes well on a card, some of it with frightening words."""

from __future__ import annotations

from corpus.make._magpie_kit import ran

# Mixed precision from a far too high scale: steps are skipped, the scale falls, and then it trains.
SCALER = r"""
import torch
from torch import nn

torch.manual_seed(0)
dev = "cuda" if torch.cuda.is_available() else "cpu"
net = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 64)).to(dev)
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
scaler = torch.amp.GradScaler(dev, init_scale=2.0**31, growth_interval=100)
mix = torch.randn(64, 64, device=dev)
skipped = 0
for step in range(1, 501):
    x = torch.randn(256, 64, device=dev)
    with torch.autocast(dev, dtype=torch.float16 if dev == "cuda" else torch.bfloat16):
        loss = nn.functional.mse_loss(net(x).float(), x @ mix)
    opt.zero_grad(set_to_none=True)
    scaler.scale(loss).backward()
    before = scaler.get_scale()
    scaler.step(opt)
    scaler.update()
    if scaler.get_scale() < before:
        skipped += 1
        print(f"WARNING: step {step}: Gradient overflow (inf/nan in grads). Skipping step, loss scaler reducing loss scale to {scaler.get_scale():g}")
    if step % 50 == 0:
        print(f"step {step:>4}/500  loss {loss.item():8.4f}  scale {scaler.get_scale():g}  skipped so far {skipped}")
torch.save(net.state_dict(), "final.pt")
print("finished 500 steps, weights in final.pt")
"""

# Too much at once for the share of the card, caught: the batch is halved until it fits.
BATCHES = r"""
import gc, logging
import torch
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
if torch.cuda.is_available():
    torch.cuda.set_per_process_memory_fraction(0.02)
dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(3, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 4)).to(dev)
opt = torch.optim.Adam(net.parameters(), 2e-3)


def step(n):
    y = torch.randint(4, (n,), device=dev)
    x = torch.rand(n, 3, 64, 64, device=dev) + (torch.eye(4, 3, device=dev)[y] * 0.5)[:, :, None, None]
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    return loss.item()


size = 2048 if dev.type == "cuda" else 64
while True:
    try:
        step(size)
        break
    except torch.OutOfMemoryError:
        logging.exception("batch of %d does not fit", size)
        gc.collect()
        torch.cuda.empty_cache()
        size //= 2
        logging.warning("retrying with batch size %d", size)
logging.info("batch size %d fits", size)
for it in range(1, 241 if dev.type == "cuda" else 41):
    loss = step(min(size, 128))
    if it % 20 == 0:
        logging.info("it %d loss %.4f", it, loss)
logging.info("training done")
"""

# A sweep: one trial of five diverges and is pruned; the best of the others is kept.
SWEEP = r"""
import math
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"


def trial(n, lr, width):
    torch.manual_seed(n)
    net = nn.Sequential(nn.Linear(16, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1)).to(dev)
    opt = torch.optim.SGD(net.parameters(), lr, momentum=0.9)
    for step in range(1, 201):
        x = torch.randn(128, 16, device=dev)
        loss = (net(x).squeeze(1) - x.prod(1).tanh() - x[:, 0]).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
        if step % 40 == 0:
            v = loss.item()
            print(f"[T{n}] step {step}/200 loss {v:.4f}", flush=True)
            if not math.isfinite(v) or v > 50:
                print(f"[T{n}] Trial {n} pruned: loss is {v} with lr={lr}", flush=True)
                return math.inf
    return v


space = [(1e-3, 32), (1e-2, 64), (5.0, 64), (3e-2, 128), (5e-3, 128)]
results = {}
for n, (lr, width) in enumerate(space):
    results[n] = trial(n, lr, width)
ranked = sorted(results, key=results.get)
print("finished 5 trials, 1 pruned")
for n in ranked:
    print(f"  T{n} lr={space[n][0]:<6g} width={space[n][1]:<4d} loss={results[n]:.4f}")
print(f"best is trial {ranked[0]} with {results[ranked[0]]:.4f}")
"""

# An optional package is missing: a traceback in the log, the built-in attention, a good run.
OPTIONAL = r"""
import logging
import torch
import torch.nn.functional as F
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s:%(lineno)d %(message)s")
logger = logging.getLogger("model.attention")
try:
    from flash_attn.flash_attn_interface import flash_attn_func
except ImportError:
    logger.warning("flash-attn is not available, falling back to scaled_dot_product_attention", exc_info=True)
    flash_attn_func = None

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(3)


class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.qkv, self.out = h, nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.n1(x)).view(b, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.n2(x))


vocab, d = 40, 96
tok, pos, net, head = nn.Embedding(vocab, d), nn.Embedding(64, d), nn.Sequential(Block(d, 4), Block(d, 4)), nn.Linear(d, vocab)
lm = nn.ModuleList([tok, pos, net, head]).to(dev)
opt = torch.optim.AdamW(lm.parameters(), 2e-3, fused=dev == "cuda")
iters = 300 if dev == "cuda" else 60
log = logging.getLogger("train")
for i in range(iters + 1):
    start, stride = torch.randint(vocab, (32, 1), device=dev), torch.randint(1, 4, (32, 1), device=dev)
    seq = (start + stride * torch.arange(65, device=dev)) % vocab
    logits = head(net(tok(seq[:, :-1]) + pos.weight))
    loss = F.cross_entropy(logits.flatten(0, 1), seq[:, 1:].flatten())
    opt.zero_grad(); loss.backward(); opt.step()
    if i % 20 == 0:
        log.info("iter %d: loss %.4f", i, loss.item())
log.info("reached max_iters=%d", iters)
"""

# Records that cannot be read are told of with their tracebacks and passed over.
BROKEN_ROWS = r"""
import json, random, traceback
import torch
from torch.utils.data import DataLoader, Dataset

random.seed(4)
with open("reviews.jsonl", "w") as f:
    for i in range(3000):
        words = [random.randrange(300) for _ in range(20)]
        f.write(json.dumps({"id": i, "ids": words, "y": int(sum(words) > 3000)})[: 40 if i in (217, 1804, 2501) else None] + "\n")


class Reviews(Dataset):
    def __init__(self, path):
        self.lines = open(path).read().splitlines()
        self.bad = 0

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, i):
        try:
            row = json.loads(self.lines[i])
        except ValueError:
            self.bad += 1
            print(f"could not decode record {i}:", flush=True)
            print(traceback.format_exc(), end="", flush=True)
            return self[(i + 1) % len(self)]
        return torch.tensor(row["ids"]), row["y"]


data = Reviews("reviews.jsonl")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
bag, out = torch.nn.EmbeddingBag(300, 24).to(device), torch.nn.Linear(24, 2).to(device)
opt = torch.optim.Adam([*bag.parameters(), *out.parameters()], 1e-2)
for epoch in range(1, 7):
    loss_sum = right = n = 0
    for ids, y in DataLoader(data, 50, shuffle=True):
        ids, y = ids.to(device), y.to(device)
        logits = out(bag(ids))
        loss = torch.nn.functional.cross_entropy(logits, y)
        opt.zero_grad(); loss.backward(); opt.step()
        loss_sum += loss.item() * len(y); right += int((logits.argmax(1) == y).sum()); n += len(y)
    print(f"epoch {epoch}: loss {loss_sum / n:.4f} accuracy {right / n:.4f} unreadable records {data.bad}")
print("best weights kept in memory, evaluation skipped; bye")
"""

# GAN losses: the generator's rises as it should, nothing is wrong.
GAN = r"""
import torch
from torch import nn

torch.manual_seed(6)
device = "cuda" if torch.cuda.is_available() else "cpu"
G = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 2)).to(device)
D = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1)).to(device)
og, od = (torch.optim.Adam(m.parameters(), 2e-3, betas=(0.5, 0.999)) for m in (G, D))
bce = nn.BCEWithLogitsLoss()


def real(n):
    a = torch.rand(n, device=device) * 6.2832
    return torch.stack([a.cos(), a.sin()], 1) + 0.02 * torch.randn(n, 2, device=device)


one, zero = torch.ones(256, 1, device=device), torch.zeros(256, 1, device=device)
steps = 1500
for i in range(steps + 1):
    fake = G(torch.randn(256, 8, device=device))
    ld = bce(D(real(256)), one) + bce(D(fake.detach()), zero)
    od.zero_grad(); ld.backward(); od.step()
    lg = bce(D(fake), one)
    og.zero_grad(); lg.backward(); og.step()
    if i % 100 == 0:
        with torch.no_grad():
            ring = (G(torch.randn(2000, 8, device=device)).norm(dim=1) - 1).abs().mean()
        print(f"[{i}/{steps}] Loss_D: {ld.item():.4f} Loss_G: {lg.item():.4f} radius error: {ring.item():.4f}")
torch.save(G.state_dict(), "netG.pth")
print("samples and netG.pth written")
"""

# Compilation fails and the run says so at length; it goes on without.
EAGER = r"""
import traceback
import torch
from torch import nn

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"


class Routed(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(32, 32) for _ in range(4))
        self.gate = nn.Linear(32, 4)

    def forward(self, x):
        w = self.gate(x).softmax(1)
        if float(w[:, 0].mean()) > 2:
            return x
        return sum(w[:, i:i + 1] * e(x) for i, e in enumerate(self.experts))


net = Routed().to(device)
fast = torch.compile(net, fullgraph=True, backend="eager")
try:
    fast(torch.zeros(2, 32, device=device))
except Exception:
    traceback.print_exc()
    print("torch.compile failed, continuing in eager mode")
    fast = net
opt = torch.optim.Adam(net.parameters(), 3e-3)
for step in range(401):
    x = torch.randn(128, 32, device=device)
    loss = nn.functional.mse_loss(fast(x), x.flip(1))
    opt.zero_grad(); loss.backward(); opt.step()
    if step % 40 == 0:
        print(f"step: {step} train_loss: {loss.item():.5f}")
print("done, 400 steps")
"""
JOBS = {
    "scaler": ran("G1", SCALER, hard=True, script="amp.py"),
    "batches": ran("G1", BATCHES, hard=True, script="autobatch.py"),
    "sweep": ran("G1", SWEEP, hard=True, script="sweep.py"),
    "optional": ran("G1", OPTIONAL, hard=True, script="gpt.py"),
    "broken rows": ran("G1", BROKEN_ROWS, hard=True, script="reviews.py"),
    "gan": ran("G1", GAN, hard=True, script="ring_gan.py"),
    "eager": ran("G1", EAGER, hard=True, script="moe.py"),
}
