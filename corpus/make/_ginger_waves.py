"""Own loops of one process: words under noise by CTC (structlog's JSON lines), a bar that cools down learned by a network in plain NumPy (columns as Fortran prints them)."""

RADIO_WORDS = '''"""Air traffic read-backs, characters from filter banks: small GRU with CTC."""
import os
import pathlib
import sys
import time

import structlog
import torch
from torch import nn

structlog.configure(processors=[structlog.processors.add_log_level, structlog.processors.TimeStamper(fmt="iso", utc=True), structlog.processors.format_exc_info, structlog.processors.JSONRenderer()])
log = structlog.get_logger()
E = os.environ
EPOCHS, UTTS, CELL, LR, BATCH = int(E.get("EPOCHS", 12)), int(E.get("UTTS", 320)), int(E.get("CELL", 40)), float(E.get("LR", 0.008)), int(E.get("BATCH", 16))
EXP, RESUME, INIT, STEPS, SEED = pathlib.Path(E.get("EXP", "exp/readback")), E.get("RESUME", ""), E.get("INIT", ""), int(E.get("MAX_STEPS", 0)), int(E.get("SEED", 13))
torch.manual_seed(SEED)
EXP.mkdir(parents=True, exist_ok=True)
log.info("setup", epochs=EPOCHS, utterances=UTTS, cell=CELL, lr=LR, exp=str(EXP), resume=RESUME, init=INIT, torch=torch.__version__)
#: early
CHARS = "-climbdesntrouwhvxyaf "
WORDS = ["climb", "descend", "hold", "turn", "roger", "wilco"]
WORDS = ["".join(c for c in w if c in CHARS) for w in WORDS]
SOUND = torch.randn(len(CHARS), 2, 12, generator=torch.Generator().manual_seed(2))


def utterances(n, seed):
    g = torch.Generator().manual_seed(seed)
    out = []
    for _ in range(n):
        text = " ".join(WORDS[int(i)] for i in torch.randint(0, len(WORDS), (2,), generator=g))
        codes = [CHARS.index(c) for c in text]
        frames = SOUND[codes].flatten(0, 1)
        out.append((frames + 1.1 * torch.randn(frames.shape, generator=g), torch.tensor(codes)))
    return out


train, dev = utterances(UTTS, 1), utterances(64, 2)
#: data


def pack(rows):
    frames = nn.utils.rnn.pad_sequence([r[0] for r in rows], batch_first=True)
    return frames, torch.cat([r[1] for r in rows]), torch.tensor([len(r[0]) for r in rows]), torch.tensor([len(r[1]) for r in rows])


class Listener(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.gru = nn.GRU(12, cell, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * cell, len(CHARS))

    def forward(self, frames):
        return self.out(self.gru(frames)[0]).log_softmax(-1)


net, ctc, epoch0, step = Listener(CELL), nn.CTCLoss(zero_infinity=True), 0, 0
adam = torch.optim.Adam(net.parameters(), lr=LR)
if INIT:
    net.load_state_dict(torch.load(INIT)["net"])
    log.info("initialised", file=INIT)
#: resume
if RESUME:
    state = torch.load(RESUME)
    net.load_state_dict(state["net"])
    adam.load_state_dict(state["adam"])
    epoch0, step = state["epoch"], state["step"]
    log.info("resumed", file=RESUME, epoch=epoch0, step=step)
start = time.time()
#: ready
for epoch in range(epoch0 + 1, EPOCHS + 1):
    order, losses = torch.randperm(len(train)).split(BATCH), []
    for rows in order:
        frames, codes, long, short = pack([train[int(i)] for i in rows])
        #: batch
        logp = net(frames)
        loss = ctc(logp.transpose(0, 1), codes, long, short)
        #: loss
        adam.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        adam.step()
        step += 1
        losses.append(loss.item())
        #: step
        if step % 10 == 0 or STEPS:
            log.info("train", epoch=epoch, step=step, loss=round(sum(losses[-10:]) / len(losses[-10:]), 4), grad_norm=round(float(norm), 4), lr=adam.param_groups[0]["lr"])
        if step == STEPS:
            break
    with torch.no_grad():
        frames, codes, long, short = pack(dev)
        logp = net(frames)
        value = ctc(logp.transpose(0, 1), codes, long, short).item()
        best = logp.argmax(-1)
    wrong = 0
    for row, n, (_, want) in zip(best, long, dev):
        said = [int(a) for a, b in zip(row[: int(n)], [-1, *row.tolist()]) if a != b and a != 0]
        wrong += sum(a != b for a, b in zip(said, want.tolist())) + abs(len(said) - len(want))
    cer = wrong / sum(len(w) for _, w in dev)
    log.info("epoch", epoch=epoch, step=step, dev_loss=round(value, 4), dev_cer=round(100 * min(cer, 1), 2), seconds=round(time.time() - start, 1))
    #: epoch
    if not STEPS:
        torch.save({"net": net.state_dict(), "adam": adam.state_dict(), "epoch": epoch, "step": step}, EXP / f"e{epoch:02d}.pt")
    if step == STEPS:
        break
#: after
log.info("finished", epochs=epoch, steps=step, dev_cer=round(100 * min(cer, 1), 2), seconds=round(time.time() - start, 1))
'''

HEAT = '''"""Surrogate of a cooling bar: temperature as a function of place, time and conductivity. Plain NumPy, gradients by hand."""
import datetime
import os
import sys
import time

import numpy as np

KEYS = {"ITER": 3000, "PRINT": 100, "DUMP": 500, "HIDDEN": 24, "RATE": 0.01, "POINTS": 1200, "SEED": 3, "RESTART": "", "START": "", "DIR": "bar", "CHECK": 0}
for line in open(sys.argv[1]) if len(sys.argv) > 1 else []:
    key, _, value = line.split("!")[0].partition("=")
    if key.strip():
        KEYS[key.strip()] = type(KEYS[key.strip()])(value.strip())


def now():
    return datetime.datetime.now().strftime("%d-%b-%Y %H:%M:%S")


print(" " + "*" * 62 + f"\\n *  BARNET   surrogate of the heat equation      {now()} *\\n " + "*" * 62)
for key, value in KEYS.items():
    print(f"   {key:<10s} = {value!s:>14s}")
os.makedirs(KEYS["DIR"], exist_ok=True)
rng = np.random.default_rng(KEYS["SEED"])
#: early


def exact(p):
    x, t, k = p.T
    return sum(np.sin(n * np.pi * x) * np.exp(-k * (n * np.pi) ** 2 * t) / n for n in (1, 3))


points = rng.random((KEYS["POINTS"], 3)) * [1, 1, 0.2]
target = exact(points)
#: data
test = rng.random((400, 3)) * [1, 1, 0.2]
H = KEYS["HIDDEN"]
W = [rng.normal(0, 1, (3, H)), np.zeros(H), rng.normal(0, H**-0.5, (H, H)), np.zeros(H), rng.normal(0, H**-0.5, (H, 1)), np.zeros(1)]
M, V, first = [np.zeros_like(w) for w in W], [np.zeros_like(w) for w in W], 0


def read(path):
    with np.load(path) as f:
        for n in range(6):
            if f[f"w{n}"].shape != W[n].shape:
                raise ValueError(f"{path}: array w{n} has shape {f[f'w{n}'].shape}, the network wants {W[n].shape}")
            W[n][...], M[n][...], V[n][...] = f[f"w{n}"], f[f"m{n}"], f[f"v{n}"]
        return int(f["it"])


def forward(p):
    a = np.tanh(p @ W[0] + W[1])
    b = np.tanh(a @ W[2] + W[3])
    return a, b, (b @ W[4] + W[5])[:, 0]


if KEYS["START"]:
    read(KEYS["START"])
    print(f"   weights read from {KEYS['START']}, iteration counter set to 0")
#: resume
if KEYS["RESTART"]:
    first = read(KEYS["RESTART"])
    print(f"   restart file {KEYS['RESTART']} read, iteration {first}")
if KEYS["CHECK"]:
    print(f"   check of stored weights only: RMS error {np.sqrt(np.mean((forward(test)[2] - exact(test)) ** 2)):.5E}\\n   NORMAL END")
    sys.exit(0)
print("\\n     ITER        MSE FIT     RMS TEST       |GRAD|         RATE      CPU(s)\\n   " + "-" * 72)
rate, t0 = KEYS["RATE"], time.time()
#: ready
for it in range(first + 1, KEYS["ITER"] + 1):
    rows = rng.integers(0, len(points), 64)
    p, want = points[rows], target[rows]
    #: batch
    a, b, out = forward(p)
    d = 2 * (out - want)[:, None] / len(p)
    db = d @ W[4].T * (1 - b**2)
    da = db @ W[2].T * (1 - a**2)
    G = [p.T @ da, da.sum(0), a.T @ db, db.sum(0), b.T @ d, d.sum(0)]
    #: grad
    size = np.sqrt(sum((g**2).sum() for g in G))
    for w, g, m, v in zip(W, G, M, V):
        m += 0.1 * (g - m)
        v += 0.001 * (g**2 - v)
        w -= rate * (m / (1 - 0.9 ** min(it, 500))) / (np.sqrt(v / (1 - 0.999**it)) + 1e-8)
    #: step
    if it % KEYS["PRINT"] == 0:
        fit, rms = np.mean((forward(points)[2] - target) ** 2), np.sqrt(np.mean((forward(test)[2] - exact(test)) ** 2))
        print(f" {it:8d}   {fit:12.5E} {rms:12.5E} {size:12.5E} {rate:12.5E} {time.time() - t0:11.2f}")
        #: told
    if it % KEYS["DUMP"] == 0:
        np.savez(f"{KEYS['DIR']}/restart_{it:07d}.npz", it=it, **{f"{n}{i}": x for n, xs in (("w", W), ("m", M), ("v", V)) for i, x in enumerate(xs)})
        #: dumped
#: after
print("   " + "-" * 72 + f"\\n   {it} iterations, RMS error on test points {np.sqrt(np.mean((forward(test)[2] - exact(test)) ** 2)):.5E}\\n   NORMAL END  {now()}")
'''
