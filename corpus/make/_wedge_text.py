"""Programs over plain PyTorch that read and write: a letter model with a clock in front, Spanish numbers read aloud."""

LETTERS = '''"""Next-letter model over recipes for jam. Small transformer, nothing fancy."""
import argparse
import math
import os
import time
from contextlib import nullcontext

import torch
import torch.nn as nn
from torch.nn import functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--max-iters", type=int, default=400)
parser.add_argument("--block", type=int, default=32)
parser.add_argument("--batch", type=int, default=16)
parser.add_argument("--dim", type=int, default=32)
parser.add_argument("--heads", type=int, default=2)
parser.add_argument("--depth", type=int, default=2)
parser.add_argument("--lr", type=float, default=3e-3)
parser.add_argument("--beta2", type=float, default=0.99)
parser.add_argument("--warm", type=int, default=40)
parser.add_argument("--tell", type=int, default=20)
parser.add_argument("--hold-out", type=int, default=100, dest="val_every")
parser.add_argument("--snap", type=int, default=200, help="snapshot every so many iterations, 0: none")
parser.add_argument("--dir", default="jam")
parser.add_argument("--from-snap", default="")
parser.add_argument("--text", default="")
parser.add_argument("--nap", type=float, default=0.0)
args = parser.parse_args()
BORN = time.time()


def tell(*words):
    s = int(time.time() - BORN)
    print(f"[{s // 3600:02d}:{s // 60 % 60:02d}:{s % 60:02d}]", *words, flush=True)


def jam(n, seed):
    fruit = ["apricot", "quince", "damson", "gooseberry", "plum", "rhubarb"]
    verb = ["boil", "stir", "skim", "strain", "rest"]
    g = torch.Generator().manual_seed(seed)
    pick = lambda words: words[int(torch.randint(len(words), (1,), generator=g))]
    return "".join(f"{pick(verb)} {1 + int(torch.randint(9, (1,), generator=g))} cups of {pick(fruit)} and {pick(verb)}.\\n" for _ in range(n))


text = open(args.text).read() if args.text else jam(900, 1)
#: text
letters = sorted(set(text))
stoi = {c: i for i, c in enumerate(letters)}
ids = torch.tensor([stoi[c] for c in text])
cut = int(0.9 * len(ids))
halves = {"train": ids[:cut], "val": ids[cut:]}


def get(split):
    d = halves[split]
    at = torch.randint(len(d) - args.block - 1, (args.batch,))
    return torch.stack([d[i : i + args.block] for i in at]), torch.stack([d[i + 1 : i + 1 + args.block] for i in at])


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(args.dim), nn.LayerNorm(args.dim)
        self.qkv, self.out = nn.Linear(args.dim, 3 * args.dim), nn.Linear(args.dim, args.dim)
        self.mlp = nn.Sequential(nn.Linear(args.dim, 4 * args.dim), nn.GELU(), nn.Linear(4 * args.dim, args.dim))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (z.view(b, t, args.heads, c // args.heads).transpose(1, 2) for z in self.qkv(self.ln1(x)).split(c, 2))
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, c))
        return x + self.mlp(self.ln2(x))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(len(letters), args.dim), nn.Embedding(args.block, args.dim)
        self.layers = nn.Sequential(*(Layer() for _ in range(args.depth)))
        self.norm, self.head = nn.LayerNorm(args.dim), nn.Linear(args.dim, len(letters), bias=False)

    def forward(self, x, y):
        #: forward
        h = self.layers(self.tok(x) + self.pos(torch.arange(x.shape[1])))
        return F.cross_entropy(self.head(self.norm(h)).flatten(0, 1), y.flatten())


def rate(it):
    if it < args.warm:
        return args.lr * (it + 1) / args.warm
    return args.lr * (0.1 + 0.45 * (1 + math.cos(math.pi * min(1.0, (it - args.warm) / max(1, args.max_iters - args.warm)))))


def main():
    torch.manual_seed(4)
    os.makedirs(args.dir, exist_ok=True)
    #: early
    model = Model()
    optim = torch.optim.AdamW(model.parameters(), lr=args.lr, betas=(0.9, args.beta2), weight_decay=0.1)
    it, best, seen = 0, float("inf"), 0
    if args.from_snap:
        #: resume
        snap = torch.load(args.from_snap)
        model.load_state_dict(snap["model"])
        optim.load_state_dict(snap["optim"])
        it, best = snap["it"], snap["best"]
        tell("snapshot", args.from_snap, "taken up after iteration", it, f"(best {best:.3f})")
    tell(f"{len(text):,} letters, {len(letters)} different; {sum(p.numel() for p in model.parameters()):,} parameters")
    #: ready
    t = time.time()
    while it < args.max_iters:
        for group in optim.param_groups:
            group["lr"] = rate(it)
        x, y = get("train")
        #: batch
        loss = model(x, y)
        #: loss
        optim.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        #: grads
        optim.step()
        it, seen = it + 1, seen + x.numel()
        if args.nap:
            time.sleep(args.nap)
        #: step
        if it % args.tell == 0:
            tell(f"{it:06d}/{args.max_iters:06d} bpc={loss.item() / math.log(2):.3f} norm={norm:.2f} lr={group['lr']:.2e} {seen / (time.time() - t) / 1e3:.1f}k letters/s")
            t, seen = time.time(), 0
        if it % args.val_every == 0:
            with torch.no_grad():
                val = sum(model(*get("val")).item() for _ in range(5)) / 5 / math.log(2)
            best = min(best, val)
            tell(f"held out: bpc={val:.3f} best={best:.3f}")
            #: valid
        if args.snap and it % args.snap == 0:
            torch.save({"model": model.state_dict(), "optim": optim.state_dict(), "it": it, "best": best}, f"{args.dir}/{it:06d}.snap")
            tell(f"snapshot {args.dir}/{it:06d}.snap")
            #: saved
    tell(f"that was all: {it} iterations, held out best bpc={best:.3f}")


main()
'''

NUMEROS = '''# Lee números escritos en palabras y los escribe en cifras (codificador-decodificador con GRU).
import configparser
import csv
import os
import random
import sys
import time

import torch
from torch import nn

UNI = "cero uno dos tres cuatro cinco seis siete ocho nueve".split()
DEC = "x diez veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa".split()
CEN = "x ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos".split()
PAL = ["<fin>"] + sorted({*UNI, *DEC[1:], *CEN[1:], "y"})
POR_DEFECTO = {"epocas": "12", "lote": "32", "tasa": "0.004", "oculto": "40", "ejemplos": "1200", "carpeta": "salida", "guardar_cada": "4", "reanudar": "", "pesos": "", "siesta": "0"}


def en_palabras(n):
    c, d, u = n // 100, n // 10 % 10, n % 10
    return [w for w in ([CEN[c]] if c else []) + ([DEC[d]] if d else []) + (["y"] if d and u else []) + ([UNI[u]] if u or n == 0 else [])]


def pares(cuantos, semilla):
    azar = random.Random(semilla)
    x, y = torch.zeros(cuantos, 5, dtype=torch.long), torch.zeros(cuantos, 3, dtype=torch.long)
    for i in range(cuantos):
        n = azar.randrange(1000)
        for j, w in enumerate(en_palabras(n)):
            x[i, j] = PAL.index(w)
        y[i] = torch.tensor([int(c) for c in f"{n:03d}"])
    return x, y


class Lector(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.emb, self.cod = nn.Embedding(len(PAL), 24), nn.GRU(24, h, batch_first=True)
        self.dec, self.sal = nn.GRUCell(10, h), nn.Linear(h, 10)

    def forward(self, x, y=None):
        _, h = self.cod(self.emb(x))
        h, antes, todo = h[0], torch.zeros(len(x), 10), []
        for j in range(3):
            h = self.dec(antes, h)
            todo.append(self.sal(h))
            antes = nn.functional.one_hot(y[:, j] if y is not None else todo[-1].argmax(1), 10).float()
        return torch.stack(todo, 1)


def principal():
    conf = configparser.ConfigParser(defaults=POR_DEFECTO)
    if len(sys.argv) > 1 and not conf.read(sys.argv[1]):
        sys.exit(f"no se puede leer la configuración {sys.argv[1]}")
    c = conf[sys.argv[2] if len(sys.argv) > 2 else "DEFAULT"]
    torch.manual_seed(7)
    os.makedirs(c["carpeta"], exist_ok=True)
    print(f"configuración: {dict(c)}")
    #: early
    x, y = pares(c.getint("ejemplos"), 1)
    vx, vy = pares(200, 2)
    #: data
    red = Lector(c.getint("oculto"))
    opt = torch.optim.Adam(red.parameters(), lr=c.getfloat("tasa"))
    desde = 1
    if c["pesos"]:
        red.load_state_dict(torch.load(c["pesos"])["red"])
        print(f"pesos iniciales de {c['pesos']}, ajuste desde la época 1")
    if c["reanudar"]:
        #: resume
        punto = torch.load(c["reanudar"])
        red.load_state_dict(punto["red"])
        opt.load_state_dict(punto["opt"])
        desde = punto["epoca"] + 1
        print(f"punto de control {c['reanudar']} leído, se sigue en la época {desde}")
    tabla = csv.writer(open(os.path.join(c["carpeta"], "curva.csv"), "a", newline=""))
    epocas = c.getint("epocas")
    #: ready
    for epoca in range(desde, epocas + 1):
        t0, suma, bien, n = time.time(), 0.0, 0, 0
        for k in torch.randperm(len(x)).split(c.getint("lote")):
            bx, by = x[k], y[k]
            #: batch
            salida = red(bx, by)
            perdida = nn.functional.cross_entropy(salida.flatten(0, 1), by.flatten())
            #: loss
            opt.zero_grad()
            perdida.backward()
            nn.utils.clip_grad_norm_(red.parameters(), 2.0)
            #: grads
            opt.step()
            suma += perdida.item() * len(k)
            bien += (salida.argmax(2) == by).all(1).sum().item()
            n += len(k)
            #: step
        with torch.no_grad():
            acierto = (red(vx).argmax(2) == vy).all(1).float().mean().item()
        if c.getfloat("siesta"):
            time.sleep(c.getfloat("siesta"))
        #: valid
        print(f"época {epoca:>3} de {epocas} · pérdida {suma / n:.4f} · aciertos {100 * bien / n:5.1f} % · validación {100 * acierto:5.1f} % · {time.time() - t0:.1f} s", flush=True)
        tabla.writerow([epoca, suma / n, acierto])
        if epoca % c.getint("guardar_cada") == 0:
            donde = os.path.join(c["carpeta"], f"epoca{epoca:03d}.pt")
            torch.save({"red": red.state_dict(), "opt": opt.state_dict(), "epoca": epoca}, donde)
            print(f"  guardado: {donde}", flush=True)
            #: saved
        #: epoch
    print(f"terminado. validación final {100 * acierto:.1f} %")


if __name__ == "__main__":
    principal()
'''
