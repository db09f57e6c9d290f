"""Programs without libraries: a board over HTTP, water levels in Dutch over sockets, trees in Turkish, an ensemble in C, a queue of cells in the shell."""

FILES = {"BOARD": "default_risk.py", "WATER": "waterstand.py", "TUR": "artirma.py", "MLP": "mlp.c", "CELLS": "fit_cells.sh"}

BOARD = '''"""Risk of default: logistic regression, the ranks meet on a board that rank 0 keeps."""
import json
import math
import os
import random
import sys
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

RANK, WORLD = int(os.environ["SLURM_PROCID"]), int(os.environ.get("BOARD_RANKS") or os.environ["SLURM_NTASKS"])
PLACE = f"http://{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}"
TURNS = int(os.environ.get("TURNS", 200))
REST = float(os.environ.get("REST", 0.06))
STEP = float(os.environ.get("STEP", 0.2))
EVERY = int(os.environ.get("EVERY", 10))


def log(priority, text):
    print(f"<{priority}>{time.strftime('%b %e %H:%M:%S')} {os.environ['SLURMD_NODENAME']} default-risk[{os.getpid()}]: rank={RANK} {text}", flush=True)


class Board(BaseHTTPRequestHandler):
    notes, change = {}, threading.Condition()

    def do_POST(self):
        note = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        topic, author = self.path.strip("/").split("/")
        with Board.change:
            Board.notes.setdefault(topic, {})[int(author)] = note
            Board.change.notify_all()
            Board.change.wait_for(lambda: len(Board.notes[topic]) == WORLD)
            said = json.dumps([Board.notes[topic][r] for r in range(WORLD)]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_):
        pass


def meet(topic, note):
    """Leave a note under the topic and come back with everybody's."""
    while True:
        try:
            with urllib.request.urlopen(urllib.request.Request(f"{PLACE}/{topic}/{RANK}", json.dumps(note).encode())) as answer:
                #: wire
                return json.load(answer)
        except urllib.error.URLError as trouble:
            if topic != "hello":
                raise
            log(5, f"board at {PLACE} does not answer ({trouble.reason}), again in 3 s")
            time.sleep(3)


#: early
if RANK == 0:
    threading.Thread(target=ThreadingHTTPServer(("127.0.0.1", int(os.environ["MASTER_PORT"])), Board).serve_forever, daemon=True).start()
log(6, f"signing in on the board at {PLACE}, {WORLD} ranks are to come")
log(6, f"met: {' '.join(meet('hello', os.environ['SLURMD_NODENAME']))}")
dice = random.Random(50 + RANK)
truth, weights = [1.1, -0.6, 0.3, 0.0, 0.9], [0.0] * 5
start = 1
#: load
for turn in range(start, TURNS + 1):
    tick = time.time()
    time.sleep(REST)
    loans = [[dice.gauss(0, 1) for _ in truth] for _ in range(60)]
    late = [dice.random() < 1 / (1 + math.exp(-2 * sum(t * x for t, x in zip(truth, loan)))) for loan in loans]
    #: data
    cost, slope = 0.0, [0.0] * len(truth)
    for loan, bad in zip(loans, late):
        p = 1 / (1 + math.exp(-sum(w * x for w, x in zip(weights, loan))))
        cost -= math.log(max(1e-9, p if bad else 1 - p)) / len(loans)
        slope = [s + (p - bad) * x / len(loans) for s, x in zip(slope, loan)]
    #: grad
    own = time.time() - tick
    slopes = meet(f"t{turn}", slope)
    away = time.time() - tick - own
    weights = [w - STEP * sum(s[i] for s in slopes) / WORLD for i, w in enumerate(weights)]
    #: after
    if turn % EVERY == 0:
        log(6, f"turn={turn} of={TURNS} deviance={cost:.4f} w={','.join(f'{w:.2f}' for w in weights)}")
    #: save
#: end
log(6, f"scorecard ready after {TURNS} turns, deviance={cost:.4f}")
meet("bye", None)
time.sleep(0.5)
'''

WATER = '''"""Waterstanden van morgen uit die van vandaag; knoop 0 verzamelt, de andere sturen."""
import json
import os
import random
import socket
import sys
import time

KNOOP, KNOPEN = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
RONDES = int(os.environ.get("RONDES", 240))
RUST = float(os.environ.get("RUST", 0.05))
STAP = float(os.environ.get("STAP", 0.012))
ELKE = int(os.environ.get("ELKE", 10))


def meld(tekst):
    print(f"{time.strftime('%d-%m-%Y %H:%M:%S')} [knoop {KNOOP}] {tekst}", flush=True)


class Ster:
    """Alles gaat langs knoop 0."""

    def __init__(self):
        adres = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
        self.lijnen = {}
        if KNOOP == 0:
            deur = socket.create_server(("127.0.0.1", adres[1]), backlog=16)
            meld(f"wacht op {KNOPEN - 1} andere knopen op poort {adres[1]}")
            while len(self.lijnen) < KNOPEN - 1:
                lijn = deur.accept()[0].makefile("rw")
                wie = json.loads(lijn.readline())
                self.lijnen[wie] = lijn
                meld(f"knoop {wie} is er, {KNOPEN - 1 - len(self.lijnen)} te gaan")
            return
        poging = 0
        while True:
            poging += 1
            try:
                lijn = socket.create_connection(adres, timeout=5)
                break
            except OSError as fout:
                if poging % 4 == 1:
                    meld(f"poging {poging}: {adres[0]}:{adres[1]} niet bereikbaar ({fout})")
                time.sleep(1)
        lijn.settimeout(None)
        self.lijnen[0] = lijn.makefile("rw")
        self.stuur(0, KNOOP)

    def stuur(self, wie, wat):
        self.lijnen[wie].write(json.dumps(wat) + "\\n")
        self.lijnen[wie].flush()

    def lees(self, wie):
        regel = self.lijnen[wie].readline()
        if not regel:
            raise ConnectionError(f"verbinding met knoop {wie} is weg")
        return json.loads(regel)

    def gemiddelde(self, getallen):
        if KNOOP:
            self.stuur(0, getallen)
            return self.lees(0)
        alle = [getallen, *(self.lees(wie) for wie in sorted(self.lijnen))]
        samen = [sum(kolom) / KNOPEN for kolom in zip(*alle)]
        for wie in self.lijnen:
            self.stuur(wie, samen)
        return samen


#: early
ster = Ster()
meld("verbonden met knoop 0" if KNOOP else "iedereen is verbonden")
toeval = random.Random(300 + KNOOP)
waar, gewicht = [0.8, -0.3, 0.5, 0.1], [0.0] * 4
eerste = 1
#: load
for ronde in range(eerste, RONDES + 1):
    tik = time.time()
    time.sleep(RUST)
    dagen = [[toeval.gauss(0, 1) for _ in waar] for _ in range(50)]
    standen = [sum(w * x for w, x in zip(waar, dag)) + toeval.gauss(0, 0.2) for dag in dagen]
    #: data
    fouten = [sum(g * x for g, x in zip(gewicht, dag)) - stand for dag, stand in zip(dagen, standen)]
    verlies = sum(f * f for f in fouten) / len(fouten)
    #: loss
    helling = [2 * sum(f * dag[i] for f, dag in zip(fouten, dagen)) / len(fouten) for i in range(4)]
    zelf = time.time() - tik
    helling = ster.gemiddelde(helling)
    wachten = time.time() - tik - zelf
    gewicht = [g - STAP * h for g, h in zip(gewicht, helling)]
    #: after
    if ronde % ELKE == 0:
        meld(f"ronde {ronde}/{RONDES}  kwadratische fout {verlies:.4f}")
    #: save
#: end
meld(f"klaar: {RONDES} rondes, kwadratische fout {verlies:.4f}")
time.sleep(0.4)
'''

TUR = '''"""Gradyan artırma: kısa ağaçlarla elektrik tüketimi tahmini."""
import argparse
import json
import os
import random
import sys
import time
from pathlib import Path

secenek = argparse.ArgumentParser(prog="artirma")
secenek.add_argument("--tur", type=int, default=300)
secenek.add_argument("--hiz", type=float, default=0.15)
secenek.add_argument("--bekle", type=float, default=0.05)
secenek.add_argument("--satir", type=int, default=10)
secenek.add_argument("--kayit", default="model.json")
secenek.add_argument("--kaydet-her", type=int, default=0)
s = secenek.parse_args()


def yaz(metin):
    print(f"({time.strftime('%H:%M:%S')}) {metin}", flush=True)


#: early
zar = random.Random(4)
saatler = [[zar.uniform(0, 1) for _ in range(3)] for _ in range(400)]
tuketim = [3 * (a > 0.6) + 2 * b + (c < 0.3) + zar.gauss(0, 0.2) for a, b, c in saatler]
agaclar, bas = [], 1
#: load
tahmin = [0.0] * len(saatler)
for i, esik, sol, sag in agaclar:
    tahmin = [t + (sol if x[i] < esik else sag) for t, x in zip(tahmin, saatler)]
yaz(f"{len(saatler)} saat okundu, tur {bas} ile {s.tur} arası eğitim başlıyor")
basladi = time.time()
for tur in range(bas, s.tur + 1):
    time.sleep(s.bekle)
    #: data
    artik = [y - t for y, t in zip(tuketim, tahmin)]
    en_iyi = None
    for i in range(3):
        esik = zar.uniform(0.05, 0.95)
        sol = [r for r, x in zip(artik, saatler) if x[i] < esik] or [0.0]
        sag = [r for r, x in zip(artik, saatler) if x[i] >= esik] or [0.0]
        kazanc = sum(sol) ** 2 / len(sol) + sum(sag) ** 2 / len(sag)
        if en_iyi is None or kazanc > en_iyi[0]:
            en_iyi = (kazanc, i, esik, s.hiz * sum(sol) / len(sol), s.hiz * sum(sag) / len(sag))
    #: fit
    agaclar.append(en_iyi[1:])
    tahmin = [t + (en_iyi[3] if x[en_iyi[1]] < en_iyi[2] else en_iyi[4]) for t, x in zip(tahmin, saatler)]
    hata = sum((y - t) ** 2 for y, t in zip(tuketim, tahmin)) / len(tuketim)
    #: after
    if tur % s.satir == 0:
        yaz(f"tur {tur}/{s.tur}  ortalama kare hata {hata:.4f}  geçen {time.time() - basladi:.1f} sn")
    if s.kaydet_her and tur % s.kaydet_her == 0:
        gecici = Path(s.kayit + ".yeni")
        gecici.write_text(json.dumps({"tur": tur, "agaclar": agaclar}))
        gecici.replace(s.kayit)
        yaz(f"model {s.kayit} dosyasına kaydedildi (tur {tur})")
    #: save
#: end
yaz(f"eğitim bitti: {tur} tur, ortalama kare hata {hata:.4f}")
'''

MLP = """/* An ensemble: every task trains a perceptron of its own from its own seed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HIDDEN 8

struct net {
    double in[HIDDEN][3], out[HIDDEN + 1];
};

static double uniform(void)
{
    return 2.0 * rand() / RAND_MAX - 1.0;
}

static double forward(const struct net *n, double x, double y, double *h)
{
    double sum = n->out[HIDDEN];
    for (int i = 0; i < HIDDEN; i++) {
        h[i] = tanh(n->in[i][0] * x + n->in[i][1] * y + n->in[i][2]);
        sum += n->out[i] * h[i];
    }
    return sum;
}

int main(int argc, char **argv)
{
    int member = atoi(getenv("SLURM_PROCID")), epochs = argc > 1 ? atoi(argv[1]) : 200;
    double rate = 0.05, h[HIDDEN];
    struct net *n = calloc(1, sizeof *n);
    setvbuf(stdout, NULL, _IOLBF, 0);
    srand(17 + member);
    for (int i = 0; i < HIDDEN; i++) {
        for (int k = 0; k < 3; k++)
            n->in[i][k] = uniform();
        n->out[i] = uniform();
    }
    printf("member %d: %d hidden units, %d epochs, rate %.3f\\n", member, HIDDEN, epochs, rate);
    //: early
    for (int epoch = 1; epoch <= epochs; epoch++) {
        double error = 0;
        for (int row = 0; row < 400; row++) {
            double x = uniform(), y = uniform(), want = x * y > 0 ? 1 : -1;
            double e = forward(n, x, y, h) - want;
            error += e * e / 400;
            for (int i = 0; i < HIDDEN; i++) {
                double back = e * n->out[i] * (1 - h[i] * h[i]);
                n->out[i] -= rate * e * h[i];
                n->in[i][0] -= rate * back * x;
                n->in[i][1] -= rate * back * y;
                n->in[i][2] -= rate * back;
            }
            n->out[HIDDEN] -= rate * e;
        }
        usleep(120000);
        //: after
        if (epoch % 5 == 0)
            printf("member %d: epoch %4d  mean squared error %.5f\\n", member, epoch, error);
    }
    //: end
    printf("member %d: finished\\n", member);
    return 0;
}
"""

CELLS = """#!/bin/bash
# Exponential decay of every cell's signal, fitted by gradient steps in awk.
fits=${FITS:-60}
say() { printf '%(%T)T  fit_cells  %s\\n' -1 "$*"; }
rate=1.0
first=1
#: load
say "fits $first to $fits"
for ((fit = first; fit <= fits; fit++)); do
    #: data
    rate=$(awk -v r="$rate" -v seed="$fit" 'BEGIN { srand(seed); for (k = 0; k < 40; k++) { t = rand() * 3; y = exp(-0.35 * t) + 0.02 * (rand() - 0.5); e = exp(-r * t) - y; r += 0.12 * e * t * exp(-r * t) } printf "%.5f", r }')
    sleep "${NAP:-0.4}"
    #: after
    ((fit % 3)) || say "fit $fit of $fits: decay rate $rate, off by $(awk -v r="$rate" 'BEGIN { d = r - 0.35; printf "%.5f", d < 0 ? -d : d }')"
done
#: end
say "all cells fitted, decay rate $rate"
"""
