"""Single-process runs that did what they were to do."""

from corpus.make._crate import crate

JSONL = """
import json
import math
import random
import sys
import time

rng = random.Random(11)
true = [0.8, -1.1, 0.3, 2.0]
w = [0.0] * 4
began = time.time()


def log(kind, **fields):
    json.dump({"kind": kind, "time": round(time.time() - began, 2), **fields}, sys.stdout)
    sys.stdout.write("\\n")
    sys.stdout.flush()


log("hparams", lr=0.05, epochs=25, batch=16, seed=11)
for epoch in range(1, 26):
    nll = 0.0
    for _ in range(30):
        for _ in range(16):
            x = [rng.gauss(0, 1) for _ in w]
            y = 1.0 if sum(a * b for a, b in zip(true, x)) + rng.gauss(0, 0.5) > 0 else 0.0
            p = 1 / (1 + math.exp(-sum(a * b for a, b in zip(w, x))))
            nll -= math.log(max(1e-9, p if y else 1 - p))
            w = [a - 0.05 / 4 * (p - y) * v for a, v in zip(w, x)]
        time.sleep(0.02)
    log("epoch", epoch=epoch, train_nll=round(nll / 480, 5))
log("finished", epochs=25, weights=[round(a, 3) for a in w])
"""

BARS = """
import sys
import time
import torch

torch.manual_seed(2)
net = torch.nn.Sequential(torch.nn.Conv1d(1, 8, 5, padding=2), torch.nn.ReLU(), torch.nn.Conv1d(8, 1, 5, padding=2))
opt = torch.optim.Adam(net.parameters(), 3e-3)
for epoch in range(1, 7):
    t0, total = time.time(), 0.0
    print(f"Epoch {epoch}/6", file=sys.stderr)
    for i in range(1, 31):
        clean = torch.sin(torch.linspace(0, 12, 80)[None, None] + 6 * torch.rand(8, 1, 1))
        loss = (net(clean + 0.3 * torch.randn_like(clean)) - clean).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
        time.sleep(0.05)
        sys.stderr.write(f"\\r{i}/30 [{'=' * i}{'.' * (30 - i)}] - ETA: {(time.time() - t0) / i * (30 - i):.0f}s - loss: {total / i:.4f}")
    sys.stderr.write(f"\\r30/30 [{'=' * 30}] - {time.time() - t0:.0f}s - loss: {total / 30:.4f}\\n")
print("model saved to ecg_denoise.pt")
torch.save(net.state_dict(), "ecg_denoise.pt")
"""

INIRUN = """
import configparser
import logging
import time
import torch

ini = configparser.ConfigParser()
ini.read("run.ini")
logging.basicConfig(level=logging.INFO, format="%(asctime)s :: %(name)-9s :: %(message)s")
log = logging.getLogger("graphreg")
torch.manual_seed(ini.getint("run", "seed"))
n, epochs = 60, ini.getint("run", "epochs")
adj = (torch.rand(n, n) < 0.1).float()
adj = ((adj + adj.T) > 0).float() + torch.eye(n)
adj = adj / adj.sum(1, keepdim=True)
feat = torch.randn(n, 10)
target = (adj @ adj @ feat)[:, :2]
w1 = torch.nn.Linear(10, 24)
w2 = torch.nn.Linear(24, 2)
opt = torch.optim.Adam([*w1.parameters(), *w2.parameters()], ini.getfloat("run", "lr"))
for epoch in range(1, epochs + 1):
    out = adj @ w2(torch.relu(adj @ w1(feat)))
    loss = (out[:45] - target[:45]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.07)
    if epoch % 10 == 0:
        log.info("epoch %d/%d  train %.5f  test %.5f", epoch, epochs, loss.item(), (out[45:] - target[45:]).pow(2).mean().item())
log.info("finished all %d epochs", epochs)
"""

EARLYSTOP = """
import logging
import time
import torch

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
torch.manual_seed(0)
x, xv = torch.randn(60, 30), torch.randn(200, 30)
beta = torch.zeros(30)
beta[:3] = 1.0
y, yv = x @ beta + 0.8 * torch.randn(60), xv @ beta + 0.8 * torch.randn(200)
net = torch.nn.Sequential(torch.nn.Linear(30, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1))
opt = torch.optim.Adam(net.parameters(), 3e-3)
best, since, patience = float("inf"), 0, 8
for epoch in range(1, 501):
    for i in range(0, 60, 20):
        loss = (net(x[i : i + 20]).squeeze(1) - y[i : i + 20]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.06)
    with torch.no_grad():
        val = (net(xv).squeeze(1) - yv).pow(2).mean().item()
    if val < best:
        best, since = val, 0
        torch.save(net.state_dict(), "best.pt")
        logging.info("epoch %d train %.4f val %.4f *", epoch, loss.item(), val)
    else:
        since += 1
        logging.warning("epoch %d train %.4f val %.4f: no improvement (%d/%d)", epoch, loss.item(), val, since, patience)
    if since == patience:
        logging.info("early stopping at epoch %d; restoring best.pt with val %.4f", epoch, best)
        break
net.load_state_dict(torch.load("best.pt"))
logging.info("done")
"""

FALLBACKS = """
import os
import sys
import time
import traceback
import torch

print("CUDA available:", torch.cuda.is_available())
try:
    torch.zeros(1, device="cuda")
except Exception:
    traceback.print_exc()
    print("WARNING: no usable accelerator, continuing on the CPU (this will be slow)", file=sys.stderr)
try:
    import flash_attn
except ImportError as error:
    print(f"flash-attn not usable ({error}); falling back to the math kernel", file=sys.stderr)
try:
    os.listdir("/data/nvme/cache")
except FileNotFoundError as error:
    print(f"cache directory: {error}; using ./cache", file=sys.stderr)
torch.manual_seed(0)
layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.0)
head = torch.nn.Linear(16, 16)
opt = torch.optim.AdamW([*layer.parameters(), *head.parameters()], 3e-3)
for step in range(1, 121):
    x = torch.randn(8, 10, 16)
    loss = (head(layer(x)) - x.roll(1, 1)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.05)
    if step % 10 == 0:
        print(f"step {step}/120 loss {loss.item():.4f}", flush=True)
print("finished 120 steps on cpu")
"""

RLNOISE = """
import math
import random
import time

random.seed(3)
Q = {}
print("episode | return | epsilon | td-error")


def play(eps):
    pos, total, err = 0, 0.0, 0.0
    for _ in range(40):
        a = random.choice((-1, 1)) if random.random() < eps else max((-1, 1), key=lambda k: Q.get((pos, k), 0.0))
        new = max(-4, min(6, pos + a))
        r = 10.0 if new == 6 else -100.0 if new == -4 else -1.0
        target = r + (0.0 if new in (6, -4) else 0.97 * max(Q.get((new, -1), 0.0), Q.get((new, 1), 0.0)))
        delta = target - Q.get((pos, a), 0.0)
        Q[(pos, a)] = Q.get((pos, a), 0.0) + 0.15 * delta
        total, err, pos = total + r, max(err, abs(delta)), new
        if new in (6, -4):
            break
    return total, err


for episode in range(1, 401):
    total, err = play(max(0.02, 1 - episode / 200))
    time.sleep(0.03)
    if episode % 10 == 0:
        print(f"{episode:7d} | {total:+7.1f} | {max(0.02, 1 - episode / 200):.3f} | {err:.3f}", flush=True)
    if episode in (120, 260):
        print(f"evaluation crashed into the wall in {random.randint(2, 5)} of 20 games, worst return {-100 - random.random() * 9:.1f}", flush=True)
print(f"400 episodes played, final policy: {''.join('<>'[Q.get((p, 1), 0) > Q.get((p, -1), 0)] for p in range(-3, 6))}, value of start {max(Q.get((0, 1), 0), Q.get((0, -1), 0)):.2f}")
"""

TOKENISE = """
import collections
import json
import time

text = ("low lower lowest newer newest wider widest new wide low " * 40).split()
words = collections.Counter(" ".join(w) + " </w>" for w in text)
merges = []
while len(merges) < 24:
    pairs = collections.Counter()
    for word, count in words.items():
        parts = word.split()
        for pair in zip(parts, parts[1:]):
            pairs[pair] += count
    if not pairs:
        print(f"nothing left to merge after {len(merges)} merges")
        break
    (a, b), freq = pairs.most_common(1)[0]
    merges.append((a, b))
    words = collections.Counter({w.replace(f"{a} {b}", a + b): c for w, c in words.items()})
    print(f"merge {len(merges):2d}/24: {a!r} + {b!r} (seen {freq} times)", flush=True)
    time.sleep(0.3)
with open("bpe.json", "w") as handle:
    json.dump(merges, handle)
print(f"tokenizer written to bpe.json: {len(merges)} merges, {sum(len(w.split()) * c for w, c in words.items())} tokens in the sample")
"""

RECOVERNAN = """
import logging
import math
import time
import torch

logging.basicConfig(level=logging.INFO, format="%(levelname)-8s %(asctime)s %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("flow")
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(2, 48), torch.nn.Tanh(), torch.nn.Linear(48, 2))
opt = torch.optim.Adam(net.parameters(), 4e-3)
keep = {k: v.clone() for k, v in net.state_dict().items()}
bad = 0
for step in range(1, 201):
    z = torch.randn(64, 2)
    if step in (47, 48, 131):
        z[3] = float("inf")
    x = torch.stack([z[:, 0], z[:, 1] + z[:, 0] ** 2], 1).nan_to_num(nan=float("nan"))
    loss = (net(z) - x).pow(2).mean()
    if not math.isfinite(loss.item()):
        bad += 1
        log.warning("step %d: loss is %s, batch dropped and weights of step %d put back", step, loss.item(), step - 1)
        net.load_state_dict(keep)
        continue
    opt.zero_grad()
    loss.backward()
    opt.step()
    keep = {k: v.clone() for k, v in net.state_dict().items()}
    time.sleep(0.04)
    if step % 20 == 0:
        log.info("step %d/200 loss %.4f", step, loss.item())
log.info("training finished: 200 steps, %d batches dropped", bad)
"""

JOBS = (
    crate("G1", "logit_jsonl.py", JSONL, python="system"),
    crate("G1", "ecg.py", BARS),
    crate("G1", "graphreg.py", INIRUN, files={"run.ini": "[run]\nseed = 5\nepochs = 150\nlr = 0.01\n"}),
    crate("G1", "sparse_mlp.py", EARLYSTOP, hard=True),
    crate("G1", "seqshift.py", FALLBACKS, hard=True),
    crate("G1", "cliff.py", RLNOISE, python="system", hard=True),
    crate("G1", "bpe.py", TOKENISE, python="system"),
    crate("G1", "flow.py", RECOVERNAN, hard=True),
)
