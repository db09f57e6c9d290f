"""Programs: seismic traces told in French by an INI file, drought warnings in Spanish and plain Python."""

SEISME = r'''"""Classement de traces sismiques à trois composantes.  apprendre.py REGLAGES.ini"""
import configparser
import logging
import os
import sys
import time

import numpy as np
import torch
from torch import nn
#: entete

reglages = configparser.ConfigParser()
reglages.read_dict({"apprentissage": {"epoques": "25", "lots": "40", "taille_lot": "24", "pas": "0.002", "canaux": "8", "afficher": "10", "pause": "0.01"},
                    "fichiers": {"sortie": "sortie", "reprise": "", "poids": "", "garder": "5"}, "mode": {"evaluer": "non"}})
reglages.read(sys.argv[1], encoding="utf-8")
A, FIC = reglages["apprentissage"], reglages["fichiers"]
logging.addLevelName(30, "ALERTE")
logging.addLevelName(40, "ERREUR")
logging.basicConfig(stream=sys.stdout, level=20, format="%(asctime)s [%(levelname)s] %(message)s", datefmt="%d/%m/%Y %Hh%Mm%Ss")
dire = logging.getLogger("sismo")


def v(x, n=4):
    return f"{x:.{n}f}".replace(".", ",")


dire.info("réglages de %s : %s", sys.argv[1], " ; ".join(f"{c} = {w}" for s in reglages.sections() for c, w in reglages[s].items() if w))
hasard = np.random.default_rng(5)
torch.manual_seed(5)
CLASSES = ["bruit", "onde P", "onde S", "tir de carrière"]
t = np.arange(96)


def traces(n):
    k = hasard.integers(0, 4, n)
    x = hasard.normal(0, 1.0, (n, 3, 96))
    for i, c in enumerate(k):
        if c:
            debut = hasard.integers(16, 60)
            f, duree = {1: (0.9, 18), 2: (0.35, 30), 3: (1.6, 7)}[int(c)]
            onde = np.where(t >= debut, np.exp(-(t - debut).clip(0) / duree) * np.sin(f * (t - debut)), 0)
            x[i] += onde * hasard.uniform(1.4, 3.4) * np.array([[1.0], [0.7], [0.6]])
    return torch.tensor(x, dtype=torch.float32), torch.tensor(k)


X, K = traces(1200)
XV, KV = traces(300)
#: donnees
dire.info("%d traces pour apprendre, %d pour valider, classes : %s", len(X), len(XV), ", ".join(CLASSES))
c = A.getint("canaux")
reseau = nn.Sequential(
    nn.Conv1d(3, c, 7, stride=2), nn.ReLU(), nn.Conv1d(c, 2 * c, 5, stride=2), nn.ReLU(), nn.AdaptiveMaxPool1d(3), nn.Flatten(), nn.Linear(6 * c, 24), nn.ReLU(), nn.Linear(24, 4)
)
optimiseur = torch.optim.Adam(reseau.parameters(), lr=A.getfloat("pas"))
cout = nn.CrossEntropyLoss()
faites = 0
#: reseau
if FIC["poids"]:
    reseau.load_state_dict(torch.load(FIC["poids"])["reseau"])
    dire.info("poids lus dans %s", FIC["poids"])
if FIC["reprise"]:
    #: reprise
    etat = torch.load(FIC["reprise"])
    reseau.load_state_dict(etat["reseau"])
    optimiseur.load_state_dict(etat["optimiseur"])
    faites = etat["epoque"]
    dire.info("reprise de %s : %d époques déjà faites", FIC["reprise"], faites)
os.makedirs(FIC["sortie"], exist_ok=True)


@torch.no_grad()
def valider():
    z = reseau(XV)
    return cout(z, KV).item(), 100 * (z.argmax(1) == KV).float().mean().item()


if reglages["mode"]["evaluer"] == "oui":
    for nom in "CH01 CH02 CH04 CH05 CH09 CH11 CH12 CH15".split():
        XV, KV = traces(240)
        perte, bien = valider()
        dire.info("station %s : perte %s, bien classés %s %%", nom, v(perte), v(bien, 1))
        time.sleep(0.8)
    dire.info("évaluation terminée, rien n'a été appris")
    sys.exit(0)
N, LOTS = A.getint("epoques"), A.getint("lots")
debut, t_lire, t_ecrire = time.time(), 0.0, 0.0
for epoque in range(faites + 1, N + 1):
    somme, t_epoque, lire = 0.0, time.time(), 0.0
    #: epoque
    for lot in range(1, LOTS + 1):
        t0 = time.time()
        ici = torch.tensor(hasard.integers(0, len(X), A.getint("taille_lot")))
        x, k = X[ici], K[ici]
        #: lot
        lire += time.time() - t0
        t_lire += time.time() - t0
        perte = cout(reseau(x), k)
        #: perte
        optimiseur.zero_grad()
        perte.backward()
        norme = float(nn.utils.clip_grad_norm_(reseau.parameters(), 50.0))
        optimiseur.step()
        time.sleep(A.getfloat("pause"))
        somme += perte.item()
        #: apres
        if lot % A.getint("afficher") == 0:
            dire.info("époque %d/%d, lot %d/%d : perte %s, norme du gradient %s, pas %s", epoque, N, lot, LOTS, v(perte.item()), v(norme, 3), f"{optimiseur.param_groups[0]['lr']:.1e}".replace(".", ","))
            #: dit
    vp, bien = valider()
    dire.info("époque %d finie en %s s : apprentissage %s ; validation %s ; bien classés %s %%", epoque, v(time.time() - t_epoque, 1), v(somme / LOTS), v(vp), v(bien, 1))
    #: fini
    if epoque % FIC.getint("garder") == 0:
        torch.save({"reseau": reseau.state_dict(), "optimiseur": optimiseur.state_dict(), "epoque": epoque}, f"{FIC['sortie']}/etat_{epoque:03d}.pt")
        dire.info("état gardé dans %s/etat_%03d.pt", FIC["sortie"], epoque)
#: fin
dire.info("fin de l'apprentissage après %d époques : bien classés %s %%", N, v(bien, 1))
'''

SEQUIA = r'''#!/usr/bin/env python3
"""Aviso de sequía por cuencas: red pequeña en Python sin bibliotecas."""
import argparse
import json
import math
import os
import random
import sys
import time
#: cabeza

a = argparse.ArgumentParser(prog="sequia.py", description=__doc__)
a.add_argument("--ciclos", type=int, default=2400)
a.add_argument("--cada", type=int, default=100)
a.add_argument("--ocultas", type=int, default=6)
a.add_argument("--tasa", type=float, default=0.04)
a.add_argument("--guardar", type=int, default=600)
a.add_argument("--carpeta", default="modelos")
a.add_argument("--datos", default="")
a.add_argument("--seguir", default="")
a.add_argument("--paciencia", type=int, default=0)
a.add_argument("--espera", type=float, default=0.003)
o = a.parse_args()
azar = random.Random(21)
inicio = time.time()
VARIABLES = ["lluvia_30d", "lluvia_90d", "embalse", "nieve", "temperatura", "evaporacion", "humedad", "caudal"]
print(f"sequia.py  ciclos={o.ciclos} ocultas={o.ocultas} tasa={o.tasa} carpeta={o.carpeta}", flush=True)


def cuenca():
    f = [azar.gauss(0, 1) for _ in VARIABLES]
    seco = -0.9 * f[0] - 1.1 * f[1] - 1.4 * f[2] - 0.5 * f[3] + 0.8 * f[4] * f[5] + 0.7 * f[5] - 0.6 * f[6] * abs(f[7])
    return f, float(seco + azar.gauss(0, 0.5) > 0.3)


if o.datos:
    with open(o.datos, encoding="utf-8") as fichero:
        filas = [renglon.rstrip("\n").split(";") for renglon in fichero]
    muestras = [([float(w) for w in fila[:8]], float(fila[8])) for fila in filas]
    muestras += [cuenca() for _ in range(1200)]
else:
    muestras = [cuenca() for _ in range(1500)]
prueba = [cuenca() for _ in range(200)]
#: datos
print(f"{len(muestras)} cuencas-mes para entrenar, {len(prueba)} de prueba, {sum(y for _, y in muestras) / len(muestras):.0%} con sequía", flush=True)
H = o.ocultas
red = {"w": [[azar.gauss(0, 0.4) for _ in range(9)] for _ in range(H)], "u": [azar.gauss(0, 0.4) for _ in range(H + 1)]}
hechos, mejor, sin_mejora = 0, 9.9, 0
os.makedirs(o.carpeta, exist_ok=True)
#: red
if o.seguir:
    #: seguir
    with open(o.seguir, encoding="utf-8") as fichero:
        antes = json.load(fichero)
    red, hechos = antes["red"], antes["ciclo"]
    print(f"se sigue desde {o.seguir}, ciclo {hechos}", flush=True)


def sigmoide(z):
    if abs(z) > 60:
        return float(z > 0)
    return 1 / (1 + math.exp(-z))


def adelante(f):
    h = [math.tanh(sum(w * x for w, x in zip(fila, f)) + fila[8]) for fila in red["w"]]
    return h, sigmoide(sum(u * x for u, x in zip(red["u"], h)) + red["u"][H])


def entropia(p, y):
    return -math.log(max(p if y else 1 - p, 1e-12)) if p == p else float("nan")


def examen():
    salidas = [(adelante(f)[1], y) for f, y in prueba]
    return sum(entropia(p, y) for p, y in salidas) / len(salidas), sum((p > 0.5) == (y > 0.5) for p, y in salidas) / len(salidas)


print("   ciclo   pérdida    prueba  aciertos    |grad|      tasa", flush=True)
suma, leyendo, guardando, marca = 0.0, 0.0, 0.0, time.time()
for ciclo in range(hechos + 1, o.ciclos + 1):
    tasa = o.tasa
    #: tasa
    t0 = time.time()
    lote = azar.sample(muestras, 16)
    #: lote
    leyendo += time.time() - t0
    g_w, g_u, cuadrado = [[0.0] * 9 for _ in range(H)], [0.0] * (H + 1), 0.0
    for f, y in lote:
        h, p = adelante(f)
        suma += entropia(p, y) / 16
        d = (p - y) / 16
        for i in range(H):
            g_u[i] += d * h[i]
            e = d * red["u"][i] * (1 - h[i] ** 2)
            for j in range(8):
                g_w[i][j] += e * f[j]
            g_w[i][8] += e
        g_u[H] += d
    for i in range(H):
        for j in range(9):
            red["w"][i][j] -= tasa * g_w[i][j]
            cuadrado += g_w[i][j] ** 2
    for i in range(H + 1):
        red["u"][i] -= tasa * g_u[i]
        cuadrado += g_u[i] ** 2
    time.sleep(o.espera)
    #: despues
    if ciclo % o.cada == 0:
        perdida, aciertos = examen()
        print(f"{ciclo:8d}  {suma / o.cada:8.4f}  {perdida:8.4f}  {aciertos:8.3f}  {math.sqrt(cuadrado):8.5f}  {tasa:8.2g}", flush=True)
        suma = 0.0
        #: renglon
        if o.paciencia:
            mejor, sin_mejora = (perdida, 0) if perdida < mejor - 1e-3 else (mejor, sin_mejora + 1)
            if sin_mejora >= o.paciencia:
                print(f"parada anticipada: {o.paciencia} exámenes sin mejora (lo previsto), mejor prueba {mejor:.4f}", flush=True)
                break
    if ciclo % o.guardar == 0:
        with open(f"{o.carpeta}/red_{ciclo:06d}.json", "w", encoding="utf-8") as fichero:
            json.dump({"red": red, "ciclo": ciclo}, fichero)
        print(f"          -> {o.carpeta}/red_{ciclo:06d}.json", flush=True)
#: fin
print(f"terminado en el ciclo {ciclo}: aciertos en la prueba {examen()[1]:.3f}", flush=True)
'''
