"""Programs in nothing but Python: place names letter by letter, letters sorted into two trays, films rated, lengths in three heaps; with places for what a case does."""

NAMES = '''#!/usr/bin/env python3
"""Next-letter model for village names. Everything it has to say it says as key=value."""
import argparse, json, math, os, random, sys, time

cli = argparse.ArgumentParser()
cli.add_argument("--rounds", type=int, default=18)
cli.add_argument("--eta", type=float, default=0.02)
cli.add_argument("--names", default="")
cli.add_argument("--out", default="model")
cli.add_argument("--continue-from", dest="cont", default=None)
cli.add_argument("--keep-each", type=int, default=6)
cli.add_argument("--context", type=int, default=1)
cli.add_argument("--pause", type=float, default=0.08)
a = cli.parse_args()


def kv(msg, **more):
    print(" ".join([f'ts={time.strftime("%H:%M:%S")}', f'msg="{msg}"'] + [f"{k}={v}" for k, v in more.items()]), flush=True)


#: early
rng = random.Random(5)
heads = ["ober", "unter", "neu", "alt", "klein", "gross", "hohen", "nieder"]
tails = ["bach", "dorf", "hausen", "feld", "au", "stein", "kirchen", "berg"]
places = [rng.choice(heads) + rng.choice(tails) for _ in range(160)]
if a.names:
    kv("reading names", file=a.names)
    places = open(a.names, encoding="utf-8").read().split()
#: data
letters = sorted(set("".join(places)) | {"."})
at = {c: i for i, c in enumerate(letters)}
V = len(letters)
W = [[rng.uniform(-0.05, 0.05) for _ in range(V)] for _ in range(V)]
begin = 0
kv("start", names=len(places), letters=V, rounds=a.rounds, eta=a.eta, pid=os.getpid())
#: restore
if a.cont:
    with open(a.cont) as f:
        kept = json.load(f)
    W, begin = kept["W"], kept["round"]
    kv("took up earlier model", file=a.cont, round=begin)
#: ready


def forward(i):
    top = max(W[i])
    e = [math.exp(w - top) for w in W[i]]
    s = sum(e)
    return [x / s for x in e]


for r in range(begin + 1, a.rounds + 1):
    rng.shuffle(places)
    bits = n = 0
    for k, name in enumerate(places):
        #: mid
        for x, y in zip("." + name, name + "."):
            i, j = at[x], at[y]
            p = forward(i)
            bits -= math.log2(max(p[j], 1e-300))
            n += 1
            for c in range(V):
                W[i][c] -= a.eta * (p[c] - (c == j))
        #: after
    time.sleep(a.pause)
    per = bits / n
    #: loss
    kv("round", n=r, bits_per_letter=f"{per:.4f}", letters_seen=n)
    #: round
    if a.keep_each and r % a.keep_each == 0:
        os.makedirs(a.out, exist_ok=True)
        #: save
        with open(f"{a.out}/round{r:03d}.json", "w") as f:
            json.dump({"W": W, "round": r, "letters": letters}, f)
        kv("kept", file=f"{a.out}/round{r:03d}.json")
#: late
kv("end", rounds=a.rounds)
'''

TRAYS = '''import csv
import math
import os
import pickle
import random
import sys
import time
import configparser

ini = configparser.ConfigParser()
ini.read_string("""
[sorter]
passes = 14
step = 0.015
mails = 700
seed = 3
width = 512
pause = 0.1
memory = trays.pkl
remember_every = 0
take_memory = no
""")
ini.read(sys.argv[1:])
S = ini["sorter"]
#: early

WORDS = {0: "meeting minutes agenda budget thanks regards monday report invoice room".split(), 1: "winner prize free click casino pills loan crypto bonus hurry".split()}
BOTH = "the a to you we for on please today new mail list of and".split()


def mails(n, seed):
    r = random.Random(seed)
    for _ in range(n):
        y = r.random() < 0.4
        yield [r.choice(WORDS[y]) if r.random() < 0.22 else r.choice(BOTH) for _ in range(14)], int(y)


def slots(words, width):
    return [sum(map(ord, w)) * 31 % width for w in words]


class Sorter:
    def __init__(self, width):
        self.w = [0.0] * width
        self.b = 0.0

    def p(self, idx):
        z = self.b + sum(self.w[i] for i in idx)
        #: score
        return 1 / (1 + math.exp(-z))

    def learn(self, idx, y, step):
        g = self.p(idx) - y
        for i in idx:
            self.w[i] -= step * g
        self.b -= step * g


train = list(mails(S.getint("mails"), S.getint("seed")))
probe = list(mails(200, 77))
#: data
sorter = Sorter(S.getint("width"))
done = 0
if S.getboolean("take_memory"):
    #: restore
    with open(S["memory"], "rb") as f:
        state = pickle.load(f)
    sorter.w, sorter.b, done = state["w"], state["b"], state["passes"]
    print(f"(memory of {done} passes taken from {S['memory']})")
print(f"{len(train)} mails to learn from, {len(probe)} to be tested with")
#: ready
print("+------+----------+----------+--------+")
print("| pass | logloss  | probe ll | wrong  |")
print("+------+----------+----------+--------+")
for n in range(done + 1, S.getint("passes") + 1):
    ll = 0.0
    for k, (words, y) in enumerate(train):
        idx = slots(words, len(sorter.w))
        #: mid
        p = sorter.p(idx)
        ll -= math.log(max(1e-12, p if y else 1 - p))
        sorter.learn(idx, y, S.getfloat("step"))
        #: after
    pl = wrong = 0
    for words, y in probe:
        p = sorter.p(slots(words, len(sorter.w)))
        pl -= math.log(max(1e-12, p if y else 1 - p))
        wrong += (p > 0.5) != y
    #: tested
    print(f"| {n:4d} | {ll / max(1, len(train)):8.4f} | {pl / len(probe):8.4f} | {wrong:3d}/{len(probe)} |", flush=True)
    #: round
    if S.getint("remember_every") and n % S.getint("remember_every") == 0:
        with open(S["memory"], "wb") as f:
            pickle.dump({"w": sorter.w, "b": sorter.b, "passes": n}, f)
    time.sleep(S.getfloat("pause"))
print("+------+----------+----------+--------+")
#: late
print("sorter is ready, strongest words:", *sorted({w for ws, _ in train for w in ws}, key=lambda w: -abs(sorter.w[slots([w], len(sorter.w))[0]]))[:5])
'''

FILMS = '''"""matrix factorisation of film ratings; settings are TOML, what happens goes through logging"""
import json
import logging
import logging.handlers
import math
import os
import pathlib
import random
import sys
import time
import tomllib

cfg = {"sweeps": 22, "rank": 5, "rate": 0.02, "decay": 0.02, "people": 90, "films": 60, "seen": 0.35, "store": "mf", "store_each": 8, "resume": False, "wait": 0.05, "patience": 0}
for name in sys.argv[1:]:
    with open(name, "rb") as f:
        cfg |= tomllib.load(f)
logging.basicConfig(stream=sys.stdout, level=logging.DEBUG, format="[%(asctime)s.%(msecs)03d] %(levelname).1s %(name)s: %(message)s", datefmt="%d.%m. %H:%M:%S")
log = logging.getLogger("mf.fit")
io = logging.getLogger("mf.store")
#: early
dice = random.Random(21)
taste = [[dice.gauss(0, 0.8) for _ in range(3)] for _ in range(cfg["people"])]
kind = [[dice.gauss(0, 0.8) for _ in range(3)] for _ in range(cfg["films"])]
stars = [(u, f, max(1.0, min(5.0, 3.2 + sum(x * y for x, y in zip(taste[u], kind[f])) + dice.gauss(0, 0.2)))) for u in range(cfg["people"]) for f in range(cfg["films"]) if dice.random() < cfg["seen"]]
dice.shuffle(stars)
cut = int(len(stars) * 0.9)
fit, held = stars[:cut], stars[cut:]
#: data
mean = sum(s for _, _, s in fit) / len(fit)
log.info("%d ratings (%d held back), mean %.3f", len(fit), len(held), mean)


class Factors:
    def __init__(self, rank):
        self.P = [[dice.gauss(0, 0.3) for _ in range(rank)] for _ in range(cfg["people"])]
        self.Q = [[dice.gauss(0, 0.3) for _ in range(rank)] for _ in range(cfg["films"])]

    def guess(self, u, f):
        return mean + sum(x * y for x, y in zip(self.P[u], self.Q[f]))

    def nudge(self, u, f, e):
        p, q, h, d = self.P[u], self.Q[f], cfg["rate"], cfg["decay"]
        for k in range(len(p)):
            p[k], q[k] = p[k] + h * (e * q[k] - d * p[k]), q[k] + h * (e * p[k] - d * q[k])


def store(m, sweep):
    folder = pathlib.Path(cfg["store"])
    folder.mkdir(exist_ok=True)
    #: save
    path = folder / f"sweep-{sweep}.json"
    path.write_text(json.dumps({"P": m.P, "Q": m.Q, "sweep": sweep}))
    io.info("factors of sweep %d are in %s", sweep, path)


model, first, best, idle = Factors(cfg["rank"]), 1, math.inf, 0
if cfg["resume"]:
    #: restore
    newest = max(pathlib.Path(cfg["store"]).glob("sweep-*.json"), key=lambda p: int(p.stem.split("-")[1]))
    had = json.loads(newest.read_text())
    assert len(had["P"][0]) == cfg["rank"], f"stored factors have rank {len(had['P'][0])}, wanted {cfg['rank']}"
    model.P, model.Q, first = had["P"], had["Q"], had["sweep"] + 1
    io.info("factors read back from %s, going on with sweep %d", newest, first)
#: ready
for sweep in range(first, cfg["sweeps"] + 1):
    t, se = time.perf_counter(), 0.0
    for i, (u, f, s) in enumerate(fit):
        #: mid
        e = s - model.guess(u, f)
        se += e * e
        model.nudge(u, f, e)
        #: after
    rmse = math.sqrt(se / len(fit))
    probe = math.sqrt(sum((s - model.guess(u, f)) ** 2 for u, f, s in held) / len(held))
    #: tested
    log.info("sweep %d/%d rmse %.4f probe %.4f (%.2f s)", sweep, cfg["sweeps"], rmse, probe, time.perf_counter() - t)
    if cfg["store_each"] and sweep % cfg["store_each"] == 0:
        store(model, sweep)
    idle = 0 if probe < best - 1e-4 else idle + 1
    best = min(best, probe)
    if cfg["patience"] and idle >= cfg["patience"]:
        log.info("probe has not moved for %d sweeps, that will do", idle)
        break
    #: round
    time.sleep(cfg["wait"])
#: late
log.info("bye, best probe rmse %.4f", best)
'''

HEAPS = '''# Gaussian mixture by expectation-maximisation over lengths of trout. Ausgaben deutsch.
import math, os, random, shelve, sys, time

DURCHGAENGE = int(os.environ.get("DURCHGAENGE", "30"))
HAUFEN = int(os.environ.get("HAUFEN", "3"))
RUHE = float(os.environ.get("RUHE", "0.06"))
MERKEN = os.environ.get("MERKEN", "")
FORTSETZEN = os.environ.get("FORTSETZEN", "")
FISCHE = int(os.environ.get("FISCHE", "900"))


def sage(text, *werte):
    sys.stdout.write(time.strftime("%H:%M:%S ") + text.format(*werte) + "\\n")
    sys.stdout.flush()


zufall = random.Random(8)
laengen = [zufall.gauss(*zufall.choice([(14, 1.5), (24, 2.5), (37, 3.0)])) for _ in range(FISCHE)]
#: daten
mitte = [12.0 + 9.0 * k for k in range(HAUFEN)]
breite = [5.0] * HAUFEN
anteil = [1 / HAUFEN] * HAUFEN
anfang = 1
sage("{} Fische, {} Haufen, {} Durchgänge geplant", len(laengen), HAUFEN, DURCHGAENGE)
#: laden
if FORTSETZEN:
    with shelve.open(FORTSETZEN, "r") as regal:
        mitte, breite, anteil, anfang = regal["mitte"], regal["breite"], regal["anteil"], regal["durchgang"] + 1
    sage("Stand aus {} übernommen, weiter mit Durchgang {}", FORTSETZEN, anfang)
#: bereit


def dichte(x, m, b):
    return math.exp(-0.5 * ((x - m) / b) ** 2) / (b * math.sqrt(2 * math.pi))


for d in range(anfang, DURCHGAENGE + 1):
    ll, zu = 0.0, []
    for x in laengen:
        p = [a * dichte(x, m, b) + 1e-300 for a, m, b in zip(anteil, mitte, breite)]
        s = sum(p)
        ll += math.log(s)
        zu.append([v / s for v in p])
    #: mitten
    for k in range(HAUFEN):
        n = sum(z[k] for z in zu)
        anteil[k] = n / len(laengen)
        mitte[k] = sum(z[k] * x for z, x in zip(zu, laengen)) / n
        breite[k] = math.sqrt(sum(z[k] * (x - mitte[k]) ** 2 for z, x in zip(zu, laengen)) / n)
    wert = -ll / len(laengen)
    #: verlust
    sage("Durchgang {:2d}/{}: Verlust {:.5f}  Mitten {}", d, DURCHGAENGE, wert, " ".join(f"{m:.1f}" for m in mitte))
    #: runde
    if MERKEN and d % 5 == 0:
        with shelve.open(MERKEN) as regal:
            regal.update(mitte=mitte, breite=breite, anteil=anteil, durchgang=d)
        sage("  gemerkt in {}", MERKEN)
    time.sleep(RUHE)
#: ende
sage("Fertig nach {} Durchgängen.", DURCHGAENGE)
'''
