"""Programs over PyTorch: polyps outlined (German, a table), commands heard (JSON lines), olives counted from the air (Spanish, key=value)."""

POLYPS = '''# -*- coding: utf-8 -*-
"""Polypensegmentierung (kleines U-Netz). Aufruf: python polypen.py einstellungen.ini"""
import configparser
import os
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

ini = configparser.ConfigParser()
ini.read_string("[training]\\nepochen=16\\nlernrate=0.004\\nstapel=16\\nkanaele=8\\nbilder=320\\nfortsetzen=\\nvortrainiert=\\n[ablage]\\nordner=ergebnisse\\nalle=4\\n")
ini.read(sys.argv[1], encoding="utf-8")
tr, ab = ini["training"], ini["ablage"]
torch.manual_seed(21)
os.makedirs(ab["ordner"], exist_ok=True)
print("Einstellungen:", dict(tr), dict(ab), flush=True)
#: early


def bilder(n, keim):
    g = torch.Generator().manual_seed(keim)
    yy, xx = torch.meshgrid(torch.arange(24.0), torch.arange(24.0), indexing="ij")
    m = torch.rand(n, 2, 1, 1, generator=g) * 14 + 5
    r = torch.rand(n, 1, 1, generator=g) * 3 + 2.5
    maske = (((yy - m[:, 0]) ** 2 + (xx - m[:, 1]) ** 2).sqrt() < r).float()
    return (0.8 * maske + 0.35 * torch.randn(n, 24, 24, generator=g))[:, None], maske[:, None]


class UNetz(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.a, self.b = nn.Conv2d(1, k, 3, padding=1), nn.Conv2d(k, 2 * k, 3, padding=1)
        self.c, self.d = nn.Conv2d(3 * k, k, 3, padding=1), nn.Conv2d(k, 1, 1)

    def forward(self, x):
        a = F.relu(self.a(x))
        b = F.relu(self.b(F.max_pool2d(a, 2)))
        return self.d(F.relu(self.c(torch.cat([a, F.interpolate(b, scale_factor=2)], 1))))


def dice(z, y):
    p = torch.sigmoid(z)
    return ((2 * (p * y).sum((1, 2, 3)) + 1) / (p.sum((1, 2, 3)) + y.sum((1, 2, 3)) + 1)).mean()


x, y = bilder(tr.getint("bilder"), 1)
xv, yv = bilder(64, 2)
#: daten
netz = UNetz(tr.getint("kanaele"))
opt = torch.optim.Adam(netz.parameters(), tr.getfloat("lernrate"))
beginn = 1
if tr["vortrainiert"]:
    netz.load_state_dict(torch.load(tr["vortrainiert"])["netz"])
    print(f"Gewichte aus {tr['vortrainiert']} übernommen (Feinabstimmung, neue Zählung der Epochen)", flush=True)
if tr["fortsetzen"]:
    #: fortsetzen
    stand = torch.load(tr["fortsetzen"])
    netz.load_state_dict(stand["netz"])
    opt.load_state_dict(stand["opt"])
    beginn = stand["epoche"] + 1
    print(f"Fortsetzung von {tr['fortsetzen']} nach Epoche {stand['epoche']}", flush=True)
#: bereit
print("Epoche |  Verlust | Dice (Training) | Dice (Prüfung) | Sekunden", flush=True)
print("-------+----------+-----------------+----------------+---------", flush=True)
for epoche in range(beginn, tr.getint("epochen") + 1):
    t0, summe, d = time.time(), 0.0, 0.0
    stapel = torch.randperm(len(x)).split(tr.getint("stapel"))
    for i, idx in enumerate(stapel):
        bild, soll = x[idx], y[idx]
        #: stapel
        z = netz(bild)
        verlust = F.binary_cross_entropy_with_logits(z, soll) + 1 - dice(z, soll)
        #: verlust
        opt.zero_grad()
        verlust.backward()
        #: grad
        opt.step()
        summe, d = summe + verlust.item(), d + dice(z, soll).item()
        #: schritt
    with torch.no_grad():
        dv = dice(netz(xv), yv).item()
    print(f"{epoche:6d} | {summe / len(stapel):8.5f} | {d / len(stapel):15.4f} | {dv:14.4f} | {time.time() - t0:8.2f}", flush=True)
    #: epoche
    if epoche % ab.getint("alle") == 0:
        torch.save({"netz": netz.state_dict(), "opt": opt.state_dict(), "epoche": epoche}, f"{ab['ordner']}/stand_{epoche}.pt")
        print(f"Stand gespeichert: {ab['ordner']}/stand_{epoche}.pt", flush=True)
#: ende
print("Training beendet.", flush=True)
'''

COMMANDS = '''import json, os, sys, time, math
import torch, torch.nn as nn

cfg = {"updates": 400, "lr": 2e-3, "dim": 32, "batch": 24, "log_interval": 10, "save_interval": 100, "exp": "exp/commands", "restore": None, "words": 8, "frames": 30, "pause": 0.0}
for arg in sys.argv[1:]:
    k, _, v = arg.lstrip("-").partition("=")
    assert k in cfg, f"{k} is not an option of this recipe, options are {sorted(cfg)}"
    cfg[k] = type(cfg[k])(v) if cfg[k] is not None else v
T0 = time.time()

def emit(kind, **kw):
    print(json.dumps({"t": round(time.time() - T0, 3), "kind": kind, **kw}), flush=True)

emit("config", **cfg)
torch.manual_seed(4)
os.makedirs(cfg["exp"], exist_ok=True)
#: early
templates = torch.randn(cfg["words"], cfg["frames"], 12)

def batch(n):
    y = torch.randint(0, cfg["words"], (n,))
    shift = torch.randint(-3, 4, (n,)).tolist()
    x = torch.stack([templates[k].roll(s, 0) for k, s in zip(y.tolist(), shift)]) + 1.1 * torch.randn(n, cfg["frames"], 12)
    return x, y

class Listener(nn.Module):
    def __init__(self, d, words):
        super().__init__()
        self.conv, self.gru, self.out = nn.Conv1d(12, d, 3, padding=1), nn.GRU(d, d, batch_first=True), nn.Linear(d, words)

    def forward(self, x):
        h = torch.relu(self.conv(x.transpose(1, 2))).transpose(1, 2)
        return self.out(self.gru(h)[0].mean(1))

model = Listener(cfg["dim"], cfg["words"])
opt = torch.optim.Adam(model.parameters(), cfg["lr"])
update = 0
if cfg["restore"]:
    #: restore
    ck = torch.load(cfg["restore"])
    model.load_state_dict(ck["model"]); opt.load_state_dict(ck["optimizer"]); update = ck["update"]
    emit("restored", path=cfg["restore"], update=update)
emit("model", parameters=sum(p.numel() for p in model.parameters()))
#: ready
loss_sum = hit = n = 0
while update < cfg["updates"]:
    update += 1
    x, y = batch(cfg["batch"])
    #: batch
    z = model(x)
    loss = nn.functional.cross_entropy(z, y)
    #: loss
    opt.zero_grad(); loss.backward()
    gnorm = nn.utils.clip_grad_norm_(model.parameters(), 5.0).item()
    #: grad
    opt.step()
    loss_sum, hit, n = loss_sum + loss.item(), hit + (z.argmax(-1) == y).sum().item(), n + 1
    if update % cfg["log_interval"] == 0:
        emit("train", update=update, of=cfg["updates"], loss=round(loss_sum / n, 4), wer=round(1 - hit / (n * cfg["batch"]), 4), gnorm=round(gnorm, 4), lr=opt.param_groups[0]["lr"])
        loss_sum = hit = n = 0
    #: step
    if update % cfg["save_interval"] == 0:
        torch.save({"model": model.state_dict(), "optimizer": opt.state_dict(), "update": update}, f"{cfg['exp']}/{update}.ckpt")
        emit("saved", path=f"{cfg['exp']}/{update}.ckpt")
    time.sleep(cfg["pause"])
#: end
emit("finished", updates=update)
'''

OLIVES = '''#!/usr/bin/env python3
# Conteo de olivos en ortofotos. Uso: olivos.py --vueltas N [...]
import argparse
import datetime
import os
import time

import torch
from torch import nn

p = argparse.ArgumentParser(description="conteo de olivos")
p.add_argument("--vueltas", type=int, default=30)
p.add_argument("--tasa", type=float, default=3e-3)
p.add_argument("--teselas", type=int, default=360)
p.add_argument("--ancho", type=int, default=10)
p.add_argument("--lote", type=int, default=30)
p.add_argument("--reanudar")
p.add_argument("--salida", default="modelos")
p.add_argument("--guardar-cada", type=int, default=10)
p.add_argument("--solo-evaluar", action="store_true")
a = p.parse_args()
torch.manual_seed(33)
os.makedirs(a.salida, exist_ok=True)


def diga(**campos):
    print(datetime.datetime.now().isoformat(timespec="milliseconds"), " ".join(f"{k}={v}" for k, v in campos.items()), flush=True)


diga(suceso="inicio", **vars(a))
#: early


def teselas(n, semilla):
    g = torch.Generator().manual_seed(semilla)
    x, y = 0.2 * torch.randn(n, 1, 20, 20, generator=g), torch.zeros(n)
    for k in range(n):
        m = int(torch.randint(0, 9, (1,), generator=g))
        for _ in range(m):
            f, c = torch.randint(1, 18, (2,), generator=g).tolist()
            x[k, 0, f:f + 2, c:c + 2] += 1.0
        y[k] = m
    return x, y


x, y = teselas(a.teselas, 1)
xv, yv = teselas(90, 2)
#: datos
red = nn.Sequential(nn.Conv2d(1, a.ancho, 3), nn.ReLU(), nn.Conv2d(a.ancho, a.ancho, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(16 * a.ancho, 1))
opt = torch.optim.AdamW(red.parameters(), a.tasa)
vuelta = 0
if a.reanudar:
    #: reanudar
    punto = torch.load(a.reanudar)
    red.load_state_dict(punto["red"])
    opt.load_state_dict(punto["opt"])
    vuelta = punto["vuelta"]
    diga(suceso="reanudado", fichero=a.reanudar, vuelta=vuelta)
if a.solo_evaluar:
    with torch.no_grad():
        e = (red(xv).squeeze(1) - yv).abs()
    for k in range(0, 90, 15):
        diga(suceso="evaluacion", teselas=f"{k}-{k + 14}", error_medio=f"{e[k:k + 15].mean().item():.3f}")
    diga(suceso="fin", error_medio=f"{e.mean().item():.3f}", aciertos=f"{(e < 0.5).float().mean().item():.3f}")
    raise SystemExit(0)
#: listo
while vuelta < a.vueltas:
    vuelta, t0, s = vuelta + 1, time.perf_counter(), 0.0
    for n, idx in enumerate(torch.randperm(len(x)).split(a.lote)):
        foto, cuenta = x[idx], y[idx]
        #: lote
        perdida = nn.functional.mse_loss(red(foto).squeeze(1), cuenta)
        #: perdida
        opt.zero_grad()
        perdida.backward()
        #: grad
        opt.step()
        s += perdida.item() * len(idx)
        #: paso
    with torch.no_grad():
        mae = (red(xv).squeeze(1) - yv).abs().mean().item()
    diga(suceso="vuelta", n=f"{vuelta}/{a.vueltas}", perdida=f"{s / len(x):.5f}", mae_validacion=f"{mae:.4f}", tasa=f"{opt.param_groups[0]['lr']:.2e}", s=f"{time.perf_counter() - t0:.2f}")
    #: vuelta
    if vuelta % a.guardar_cada == 0 or vuelta == a.vueltas:
        torch.save({"red": red.state_dict(), "opt": opt.state_dict(), "vuelta": vuelta}, f"{a.salida}/olivos-{vuelta:03d}.pt")
        diga(suceso="guardado", fichero=f"{a.salida}/olivos-{vuelta:03d}.pt")
#: fin
diga(suceso="fin", vueltas=vuelta)
'''
