"""Programs of plain PyTorch: spelt words heard by CTC, pairs of views drawn together, the demand of a town; with places for what a case does."""

SPELT = '''#!/usr/bin/env python3
"""Spelling recogniser: a GRU over made-up filter banks, trained with CTC."""
import argparse
import os
import random
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--exp", default="exp/gru40")
parser.add_argument("--max-ep", type=int, default=8)
parser.add_argument("--utts", type=int, default=160)
parser.add_argument("--bs", type=int, default=16)
parser.add_argument("--units", type=int, default=40)
parser.add_argument("--lr", type=float, default=8e-3)
parser.add_argument("--manifest")
parser.add_argument("--init", help="model to go on from")
parser.add_argument("--mels", type=int, default=12)
parser.add_argument("--nice", type=float, default=0.0)
hp = parser.parse_args()
torch.manual_seed(11)
random.seed(11)
torch.set_num_threads(1)
LETTERS = "_abcdefgh"
print(f"# {' '.join(sys.argv)}")
print(f"# host pid {os.getpid()}, torch {torch.__version__}, cuda {torch.cuda.is_available()}", flush=True)
#: early
sound = torch.randn(len(LETTERS), hp.mels)


def speak(word):
    return torch.cat([sound[c].repeat(3, 1) + 0.25 * torch.randn(3, hp.mels) for c in word])


if hp.manifest:
    with open(hp.manifest) as f:
        words = [[LETTERS.index(c) for c in line.split("\\t")[1].strip()] for line in f]
else:
    words = [[random.randint(1, len(LETTERS) - 1) for _ in range(random.randint(2, 5))] for _ in range(hp.utts)]
#: data


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(hp.mels, hp.units, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hp.units, len(LETTERS))

    def forward(self, x):
        return self.out(self.rnn(x)[0]).log_softmax(-1)


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=hp.lr)
ep0 = 0
if hp.init:
    #: before_init
    chk = torch.load(hp.init, map_location="cpu")
    #: init
    net.load_state_dict(chk["net"])
    opt.load_state_dict(chk["opt"])
    ep0 = chk["ep"]
    print(f"# init from {hp.init} after ep {ep0}", flush=True)
print(f"# {len(words)} utterances, {sum(p.numel() for p in net.parameters())} parameters", flush=True)
#: ready
os.makedirs(hp.exp, exist_ok=True)
upd = 0
for ep in range(ep0 + 1, hp.max_ep + 1):
    random.shuffle(words)
    tot = seen = 0
    t0 = time.time()
    for s in range(0, len(words), hp.bs):
        part = words[s:s + hp.bs]
        feats = [speak(w) for w in part]
        xl, yl = torch.tensor([len(f) for f in feats]), torch.tensor([len(w) for w in part])
        x, y = nn.utils.rnn.pad_sequence(feats, batch_first=True), torch.tensor([c for w in part for c in w])
        #: mid
        lp = net(x)
        loss = F.ctc_loss(lp.transpose(0, 1), y, xl, yl, zero_infinity=True)
        #: loss
        opt.zero_grad()
        loss.backward()
        gn = nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        opt.step()
        upd += 1
        tot, seen = tot + loss.item() * len(part), seen + len(part)
        #: after
        time.sleep(hp.nice)
    #: epoch
    with torch.no_grad():
        hit = 0
        for w in words[:40]:
            path = net(speak(w)[None])[0].argmax(-1).tolist()
            hit += [c for c, d in zip(path, [0, *path]) if c != d and c] == w
    print(f"ep {ep:>3}  upd {upd:>5}  ctc {tot / seen:.3f}  gnorm {gn:.2f}  words {hit}/40  {seen / (time.time() - t0):.0f} utt/s", flush=True)
    #: save
    torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "ep": ep}, f"{hp.exp}/ep{ep}.pt")
#: late
print("# training over, last model:", f"{hp.exp}/ep{hp.max_ep}.pt")
'''

PAIRS = '''import os, sys, time, math, shutil
import torch, torch.nn as nn, torch.nn.functional as F

# contrastive pre-training on two noisy views of the same pattern; options as NAME=VALUE in the environment
env = os.environ.get
ITERS, TEMP, LR = int(env("ITERS", 300)), float(env("TEMP", 0.2)), float(env("LR", 3e-3))
BATCH, WIDTH, RESUME = int(env("BATCH", 64)), int(env("WIDTH", 48)), env("RESUME", "")
CKPT, CKPT_EVERY, SLEEP = env("CKPT", "pairs.ckpt"), int(env("CKPT_EVERY", 100)), float(env("NAP", 0.004))
torch.manual_seed(2)
torch.set_num_threads(1)
#: early
proto = torch.randn(400, 20)
#: data
net = nn.Sequential(nn.Linear(20, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 16))
opt = torch.optim.AdamW(net.parameters(), lr=LR)
i0 = 0
if RESUME:
    #: before_resume
    state = torch.load(RESUME)
    #: resume
    net.load_state_dict(state["net"])
    opt.load_state_dict(state["opt"])
    i0 = state["i"]
    print(f"resuming at iteration {i0} ({RESUME})", flush=True)
#: ready


def show(i, **kv):
    frac = i / ITERS
    full = int(24 * frac)
    tail = ", ".join(f"{k}={v:.4g}" for k, v in kv.items())
    sys.stderr.write(f"\\rpretrain: {100 * frac:3.0f}%|{'#' * full}{' ' * (24 - full)}| {i}/{ITERS} [{time.time() - t0:.1f}s, {tail}]")
    sys.stderr.flush()


t0, avg = time.time(), None
for i in range(i0 + 1, ITERS + 1):
    idx = torch.randperm(len(proto))[:BATCH]
    a, b = proto[idx] + 0.3 * torch.randn(len(idx), 20), proto[idx] + 0.3 * torch.randn(len(idx), 20)
    #: mid
    za, zb = F.normalize(net(a), dim=1), F.normalize(net(b), dim=1)
    logits = za @ zb.T / TEMP
    loss = F.cross_entropy(logits, torch.arange(len(idx)))
    #: loss
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    avg = loss.item() if avg is None else 0.9 * avg + 0.1 * loss.item()
    #: after
    if i % 10 == 0 or i == ITERS:
        top1 = (logits.argmax(1) == torch.arange(len(idx))).float().mean().item()
        #: show
        show(i, nce=avg, top1=top1)
    if i % CKPT_EVERY == 0:
        #: save
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "i": i}, CKPT)
    time.sleep(SLEEP)
sys.stderr.write("\\n")
#: late
print(f"pretrain: {ITERS - i0} iterations in {time.time() - t0:.1f} s, encoder saved" if os.path.exists(CKPT) else "pretrain: finished, nothing saved", flush=True)
'''

DEMANDA = '''# Prediccion de la demanda electrica de un pueblo con una LSTM.
import csv
import math
import os
import sys
import time

import numpy as np
import torch
from torch import nn

P = {"epocas": 14, "tasa": 0.01, "ventana": 24, "horas": 900, "lote": 48, "oculta": 24, "datos": "", "reanudar": "", "guardar": "modelos", "cada": 5, "paciencia": 0, "espera": 0.0}
for trozo in sys.argv[1:]:
    clave, valor = trozo.split(":", 1)
    P[clave] = type(P[clave])(valor)
torch.manual_seed(8)
torch.set_num_threads(1)


def decir(texto):
    print(time.strftime("[%H:%M:%S] ") + texto, flush=True)


#: inicio
if P["datos"]:
    with open(P["datos"], encoding="utf-8") as f:
        serie = np.array([float(fila["mw"]) for fila in csv.DictReader(f)], dtype=np.float32)
else:
    h = np.arange(P["horas"], dtype=np.float32)
    serie = 40 + 9 * np.sin(2 * np.pi * h / 24) + 4 * np.sin(2 * np.pi * h / 168) + np.random.RandomState(1).randn(len(h)).astype(np.float32)
media, sigma = serie.mean(), serie.std()
z = torch.from_numpy((serie - media) / sigma)
V = P["ventana"]
X, y = torch.stack([z[i:i + V] for i in range(len(z) - V)])[..., None], z[V:]
#: datos
corte = int(0.85 * len(X))


class Red(nn.Module):
    def __init__(self, oculta):
        super().__init__()
        self.lstm = nn.LSTM(1, oculta, batch_first=True)
        self.salida = nn.Linear(oculta, 1)

    def forward(self, x):
        return self.salida(self.lstm(x)[0][:, -1])[:, 0]


red = Red(P["oculta"])
optim = torch.optim.RMSprop(red.parameters(), lr=P["tasa"])
primera, mejor, sin_mejora = 1, math.inf, 0
if P["reanudar"]:
    #: antes
    punto = torch.load(P["reanudar"])
    #: reanudar
    red.load_state_dict(punto["red"])
    optim.load_state_dict(punto["optim"])
    primera = punto["epoca"] + 1
    decir(f"Reanudado desde {P['reanudar']}: se continua en la epoca {primera}")
decir(f"{len(serie)} horas, {corte} ventanas para entrenar y {len(X) - corte} para validar")
#: listo
os.makedirs(P["guardar"], exist_ok=True)
for epoca in range(primera, P["epocas"] + 1):
    orden, suma = torch.randperm(corte), 0.0
    for k in range(0, corte, P["lote"]):
        i = orden[k:k + P["lote"]]
        xb, yb = X[i], y[i]
        #: medio
        error = ((red(xb) - yb) ** 2).mean()
        #: perdida
        optim.zero_grad()
        error.backward()
        optim.step()
        suma += error.item() * len(i)
        #: paso
        time.sleep(P["espera"])
    with torch.no_grad():
        mape = float(((red(X[corte:]) - y[corte:]).abs() * sigma / (y[corte:] * sigma + media)).mean()) * 100
    #: validado
    decir(f"Epoca {epoca:2d} de {P['epocas']}: perdida {suma / corte:.4f}, MAPE de validacion {mape:.2f} %")
    if epoca % P["cada"] == 0:
        #: guardar
        torch.save({"red": red.state_dict(), "optim": optim.state_dict(), "epoca": epoca}, f"{P['guardar']}/epoca_{epoca}.pt")
        decir(f"Modelo guardado en {P['guardar']}/epoca_{epoca}.pt")
    sin_mejora, mejor = (0, mape) if mape < mejor else (sin_mejora + 1, mejor)
    if P["paciencia"] and sin_mejora >= P["paciencia"]:
        decir(f"Sin mejora en {sin_mejora} epocas; se detiene el entrenamiento")
        break
#: fin
decir(f"Entrenamiento terminado, mejor MAPE {mejor:.2f} %")
'''
