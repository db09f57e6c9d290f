"""Programs over plain PyTorch that read text: a model of proverbs with settings on the line, a tagger of recipes that prints tables, a keyword spotter in Spanish."""

PROVERBS = '''"""Character model of proverbs.  python lm.py model.width=48 train.steps=600 io.out=runs/a"""
import math
import os
import random
import sys
import time

import torch
import torch.nn as nn
from torch.nn import functional as F

DEFAULTS = """
model.width=32
model.layers=1
model.heads=2
model.context=24
train.steps=400
train.batch=24
train.lr=0.003
train.warmup=40
train.clip=1.0
train.decay=cosine
eval.every=50
eval.batches=4
io.out=runs/proverbs
io.save_every=200
io.resume=none
io.init=none
seed=1
"""


class Settings(dict):
    def __getattr__(self, name):
        return self[name]


def parse(lines):
    tree = Settings()
    for line in lines:
        key, value = line.split("=", 1)
        *groups, last = key.split(".")
        at = tree
        for g in groups:
            at = at.setdefault(g, Settings())
        try:
            at[last] = float(value) if "." in value or "e-" in value else int(value)
        except ValueError:
            at[last] = value
    return tree


known = dict(line.split("=", 1) for line in DEFAULTS.split())
for word in sys.argv[1:]:
    key, _, value = word.partition("=")
    if key not in known:
        raise KeyError(f"setting {key!r} is not one of {', '.join(sorted(known))}")
    known[key] = value
cfg = parse(f"{k}={v}" for k, v in known.items())
print("\\n".join(f"  {k:<16} {v}" for k, v in known.items()))
torch.manual_seed(cfg.seed)
random.seed(cfg.seed)
#: early
WORDS = "early bird worm stitch time saves nine rolling stone gathers moss cooks spoil broth birds feather flock together haste waste".split()
#: words
text = ". ".join(" ".join(random.choice(WORDS) for _ in range(random.randint(3, 6))) for _ in range(700))
chars = sorted(set(text))
ids = torch.tensor([chars.index(c) for c in text])
#: ids
cut = int(0.9 * len(ids))


class Block(nn.Module):
    def __init__(self, w, h):
        super().__init__()
        self.a, self.b = nn.LayerNorm(w), nn.LayerNorm(w)
        self.att = nn.MultiheadAttention(w, h, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(w, 4 * w), nn.GELU(), nn.Linear(4 * w, w))

    def forward(self, x, mask):
        n = self.a(x)
        x = x + self.att(n, n, n, attn_mask=mask, need_weights=False)[0]
        return x + self.mlp(self.b(x))


class Model(nn.Module):
    def __init__(self, vocab, m):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, m.width), nn.Embedding(m.context, m.width)
        self.blocks = nn.ModuleList(Block(m.width, m.heads) for _ in range(m.layers))
        self.head = nn.Linear(m.width, vocab)
        self.register_buffer("mask", torch.triu(torch.full((m.context, m.context), float("-inf")), 1))

    def forward(self, i):
        x = self.tok(i) + self.pos.weight[: i.shape[1]]
        for block in self.blocks:
            x = block(x, self.mask[: i.shape[1], : i.shape[1]])
        return self.head(x)


def batch(data):
    at = torch.randint(0, len(data) - cfg.model.context - 1, (cfg.train.batch,))
    x = torch.stack([data[a : a + cfg.model.context + 1] for a in at])
    return x[:, :-1], x[:, 1:]


def lr_at(step):
    if step < cfg.train.warmup:
        return cfg.train.lr * (step + 1) / cfg.train.warmup
    if cfg.train.decay == "cosine":
        return cfg.train.lr * (0.1 + 0.45 * (1 + math.cos(math.pi * step / cfg.train.steps)))
    return cfg.train.lr


model = Model(len(chars), cfg.model)
opt = torch.optim.AdamW(model.parameters(), lr=cfg.train.lr, weight_decay=0.01)
os.makedirs(cfg.io.out, exist_ok=True)
begin = 0
if cfg.io.init != "none":
    theirs = torch.load(cfg.io.init)["weights"]
    ours = model.state_dict()
    fits = {k: v for k, v in theirs.items() if k in ours and v.shape == ours[k].shape}
    model.load_state_dict(fits, strict=False)
    print(f"initialised {len(fits)} of {len(ours)} tensors from {cfg.io.init}; random: {', '.join(sorted(set(ours) - set(fits)))}")
if cfg.io.resume != "none":
    #: resume
    kept = torch.load(cfg.io.resume)
    model.load_state_dict(kept["weights"])
    opt.load_state_dict(kept["adam"])
    begin = kept["step"] + 1
    print(f"continuing {cfg.io.resume} at step {begin}")
print(f"{len(chars)} characters, {len(ids)} tokens, {sum(p.numel() for p in model.parameters()):,} weights", flush=True)
#: ready
clock = time.perf_counter()
for step in range(begin, cfg.train.steps):
    for group in opt.param_groups:
        group["lr"] = lr_at(step)
    x, y = batch(ids[:cut])
    #: batch
    loss = F.cross_entropy(model(x).transpose(1, 2), y)
    #: loss
    opt.zero_grad(set_to_none=True)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), cfg.train.clip)
    #: grads
    opt.step()
    if step % 10 == 0:
        took, clock = time.perf_counter() - clock, time.perf_counter()
        print(f"step {step:>5}: nll {loss.item():.4f}  gnorm {norm:.3f}  lr {lr_at(step):.2e}  {took * 100:.1f} ms/step", flush=True)
    if step and step % cfg.eval.every == 0:
        with torch.no_grad():
            v = sum(F.cross_entropy(model(a).transpose(1, 2), b).item() for a, b in (batch(ids[cut:]) for _ in range(cfg.eval.batches))) / cfg.eval.batches
        print(f"  >> eval at {step}: nll {v:.4f}, perplexity {math.exp(min(v, 60)):.2f}", flush=True)
        #: eval
    if step % cfg.io.save_every == 0 and step or step == cfg.train.steps - 1:
        torch.save({"weights": model.state_dict(), "adam": opt.state_dict(), "step": step}, f"{cfg.io.out}/last.pt")
        print(f"  >> {cfg.io.out}/last.pt written", flush=True)
    #: after
#: finish
print("sample:", text[:40].split(".")[0], "...")
print(f"all {cfg.train.steps} steps done")
'''

TAGGER = '''"""Tags words of cooking recipes: quantity, unit, food, verb, other."""
import argparse, json, os, random, shutil, sys, time
from collections import Counter
import torch
from torch import nn

TAGS = ["QTY", "UNIT", "FOOD", "VERB", "O"]
parser = argparse.ArgumentParser()
parser.add_argument("-c", "--config", required=True)
parser.add_argument("-r", "--restore", help="folder of an earlier run")
args = parser.parse_args()
with open(args.config) as f:
    conf = json.load(f)
#: early
random.seed(conf["seed"])
torch.manual_seed(conf["seed"])
LEX = {"QTY": ["one", "two", "half", "3", "250"], "UNIT": ["g", "cups", "spoons", "pinch"], "FOOD": ["flour", "leeks", "butter", "salt", "eggs"], "VERB": ["whisk", "fold", "simmer"], "O": ["the", "of", "and", "gently", "until"]}
vocab = {w: i for i, w in enumerate(w for ws in LEX.values() for w in ws)}


def sentence():
    tags = [random.choice(TAGS) for _ in range(9)]
    words = [random.choice(LEX[t if random.random() > conf.get("noise", 0.08) else random.choice(TAGS)]) for t in tags]
    return [vocab[w] for w in words], [TAGS.index(t) for t in tags]


def rows(n):
    x, y = zip(*[sentence() for _ in range(n)])
    return torch.tensor(x), torch.tensor(y)


train, dev = rows(conf["sentences"]), rows(200)
#: data


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(len(vocab), conf["emb"])
        self.rnn = nn.GRU(conf["emb"], conf["hidden"], batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(conf.get("dropout", 0.2))
        self.out = nn.Linear(2 * conf["hidden"], len(TAGS))

    def forward(self, x):
        return self.out(self.drop(self.rnn(self.emb(x))[0]))


net = Tagger()
opt = getattr(torch.optim, conf["optimizer"])(net.parameters(), lr=conf["lr"])
first, best, waited = 1, 0.0, 0
if args.restore:
    #: restore
    with open(os.path.join(args.restore, "progress.json")) as f:
        first = json.load(f)["epoch"] + 1
    net.load_state_dict(torch.load(os.path.join(args.restore, "tagger.bin")))
    print(f"Restored {args.restore}, next epoch is {first}")
os.makedirs(conf["folder"], exist_ok=True)
print("Sentences per set")
print("+-------+-------+")
print(f"| train | {len(train[0]):5d} |\\n| dev   | {len(dev[0]):5d} |")
print("+-------+-------+", flush=True)
#: ready
LINE = "+-------+----------+---------+---------+--------+"
print(LINE + "\\n| epoch |     loss |  dev F1 |    best |   secs |\\n" + LINE)
for epoch in range(first, conf["epochs"] + 1):
    begun, losses = time.time(), []
    for part in torch.randperm(len(train[0])).split(conf["batch"]):
        x, y = train[0][part], train[1][part]
        #: batch
        loss = nn.functional.cross_entropy(net(x).flatten(0, 1), y.flatten())
        #: loss
        opt.zero_grad()
        loss.backward()
        #: grads
        opt.step()
        losses.append(loss.item())
        #: step
    net.eval()
    with torch.no_grad():
        guess = net(dev[0]).argmax(2)
    net.train()
    #: valid
    f1s = []
    for t in range(len(TAGS)):
        tp = ((guess == t) & (dev[1] == t)).sum().item()
        n = ((guess == t).sum() + (dev[1] == t).sum()).item()
        f1s.append(2 * tp / n if n else 0.0)
    f1 = sum(f1s) / len(f1s)
    waited = 0 if f1 > best else waited + 1
    best = max(best, f1)
    print(f"| {epoch:5d} | {sum(losses) / len(losses):8.4f} | {100 * f1:6.2f}% | {100 * best:6.2f}% | {time.time() - begun:6.2f} |", flush=True)
    #: after
    if epoch % conf.get("save_each", 5) == 0:
        torch.save(net.state_dict(), os.path.join(conf["folder"], "tagger.bin"))
        with open(os.path.join(conf["folder"], "progress.json"), "w") as f:
            json.dump({"epoch": epoch, "f1": f1}, f)
        #: saved
    if conf.get("patience") and waited >= conf["patience"]:
        print(LINE)
        print(f"No better F1 for {waited} epochs, so we stop here.")
        break
else:
    print(LINE)
#: finish
print(f"Best F1 {100 * best:.2f}%; tags in the dev set: {dict(Counter(TAGS[t] for t in dev[1].flatten().tolist()))}")
'''

PALABRAS = '''# Detector de palabras clave ("sube", "baja", "alto", "sigue") sobre tonos sintéticos. Laboratorio de voz.
import os
import sys
import time
import datetime

import torch
import torch.nn as nn

E = os.environ.get
PASOS, LOTE, TASA = int(E("PASOS", "360")), int(E("LOTE", "32")), float(E("TASA", "0.0015"))
CADA, GUARDA, DESDE, SALIDA = int(E("CADA", "30")), int(E("GUARDA", "120")), E("DESDE", ""), E("SALIDA", "modelos")
CANALES, SIESTA = int(E("CANALES", "12")), float(E("SIESTA", "0"))
PALABRAS = ("sube", "baja", "alto", "sigue")


def diario(*partes):
    print(datetime.datetime.now().strftime("[%d/%m %H:%M:%S]"), *partes, flush=True)


torch.manual_seed(33)
#: inicio
t = torch.linspace(0, 1, 160)


def sonido(n):
    clase = torch.randint(0, 4, (n,))
    f0 = 6 + 3 * torch.rand(n, 1)
    barrido = torch.tensor([8.0, -5.0, 0.0, 0.0])[clase].unsqueeze(1)
    onda = torch.sin(6.2832 * (f0 + barrido * t) * t) * torch.where((clase == 3).unsqueeze(1), (1 + torch.sin(20 * t)) / 2, torch.ones(160))
    return (onda + 0.7 * torch.randn(n, 160)).unsqueeze(1), clase


PRUEBA = sonido(256)
#: datos
red = nn.Sequential(nn.Conv1d(1, CANALES, 9, stride=2), nn.ReLU(), nn.Conv1d(CANALES, 2 * CANALES, 9, stride=3), nn.ReLU(), nn.AdaptiveAvgPool1d(6), nn.Flatten(), nn.Linear(12 * CANALES, 4))
opt = torch.optim.Adam(red.parameters(), TASA)
paso0 = 0
os.makedirs(SALIDA, exist_ok=True)
if DESDE:
    #: carga
    guardado = torch.load(DESDE)
    red.load_state_dict(guardado["red"])
    opt.load_state_dict(guardado["opt"])
    paso0 = guardado["paso"]
    diario("se continúa desde", DESDE, "paso", paso0)
diario(f"{sum(p.numel() for p in red.parameters())} parámetros, lote {LOTE}, tasa {TASA}, {PASOS} pasos")
for paso in range(paso0 + 1, PASOS + 1):
    x, y = sonido(LOTE)
    #: lote
    salida = red(x)
    perdida = nn.functional.cross_entropy(salida, y)
    #: perdida
    opt.zero_grad()
    perdida.backward()
    #: grad
    opt.step()
    time.sleep(SIESTA)
    if paso % CADA == 0:
        with torch.no_grad():
            acierto = (red(PRUEBA[0]).argmax(1) == PRUEBA[1]).float().mean().item()
        diario(f"paso {paso}/{PASOS} pérdida {perdida.item():.4f} acierto {100 * acierto:.1f} %")
        #: prueba
    if paso % GUARDA == 0:
        torch.save({"red": red.state_dict(), "opt": opt.state_dict(), "paso": paso}, f"{SALIDA}/voz.pt")
        #: guardado
    #: despues
#: final
diario("terminado;", "acierto por palabra:", ", ".join(f"{p} {100 * (red(PRUEBA[0]).argmax(1) == PRUEBA[1])[PRUEBA[1] == i].float().mean():.0f} %" for i, p in enumerate(PALABRAS)))
'''
