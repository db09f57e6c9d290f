"""Programs in nothing but Python: a catchment's buckets, words and their tags, and a mouse in a maze; with places for what a case does."""

BUCKET = '''#!/usr/bin/python3
# Calibrates a three-parameter bucket model of a catchment against daily discharge.
import argparse
import configparser
import csv
import math
import os
import random
import sys
import time

ap = argparse.ArgumentParser(prog="bucket")
ap.add_argument("--gauge", default="Unterau")
ap.add_argument("--passes", type=int, default=60)
ap.add_argument("--gain", type=float, default=0.06)
ap.add_argument("--forcing", help="CSV with the columns rain and q; made up if absent")
ap.add_argument("--warm", help="parameter file of an earlier calibration")
ap.add_argument("--write-every", type=int, default=20)
ap.add_argument("--days", type=int, default=240)
ap.add_argument("--nap", type=float, default=0.03)
ap.add_argument("--out", default="calib")
opt = ap.parse_args()
NAMES = ("k_fast", "k_slow", "share")


def run(par, rain):
    k_fast, k_slow, share = (math.exp(p) for p in par)
    fast = slow = 0.0
    flow = []
    for r in rain:
        fast += r * share
        slow += r * (1.0 - share)
        a, b = k_fast * fast, k_slow * slow
        fast -= a
        slow -= b
        flow.append(a + b)
    return flow


def rmse(par, rain, seen):
    flow = run(par, rain)
    return math.sqrt(sum((f - q) ** 2 for f, q in zip(flow, seen)) / len(seen))


random.seed(17)
#: early
if opt.forcing:
    with open(opt.forcing, newline="") as f:
        days = list(csv.DictReader(f))
    rain, seen = [float(d["rain"]) for d in days], [float(d["q"]) for d in days]
else:
    rain = [max(0.0, random.gauss(-1.0, 5.0)) for _ in range(opt.days)]
    seen = [q + random.gauss(0, 0.05) for q in run([math.log(v) for v in (0.45, 0.03, 0.6)], rain)]
#: data
mean = sum(seen) / len(seen)
spread = math.sqrt(sum((q - mean) ** 2 for q in seen) / len(seen))
par, vel, first = [math.log(v) for v in (0.12, 0.2, 0.15)], [0.0] * 3, 1
print(f"gauge {opt.gauge}: {len(seen)} days, mean flow {mean:.2f} m3/s")
if opt.warm:
    #: before_warm
    ini = configparser.ConfigParser()
    with open(opt.warm) as f:
        ini.read_file(f)
    old = ini["parameters"]
    par = [math.log(float(old[n])) for n in NAMES]
    first = int(ini["run"]["pass"]) + 1
    print(f"warm start with {opt.warm} (pass {first - 1})")
#: ready
print(" pass |    rmse |     nse |  k_fast  k_slow   share", flush=True)
print("------+---------+---------+------------------------", flush=True)
for n in range(first, opt.passes + 1):
    here = rmse(par, rain, seen)
    #: mid
    slope = [(rmse([p + (1e-4 if j == i else 0.0) for j, p in enumerate(par)], rain, seen) - here) / 1e-4 for i in range(3)]
    for i in range(3):
        vel[i] = 0.8 * vel[i] - opt.gain * slope[i]
        par[i] = min(-0.01, par[i] + vel[i])
    #: after
    print(f"{n:5d} | {here:7.4f} | {1 - (here / spread) ** 2:7.4f} | " + " ".join(f"{math.exp(p):7.4f}" for p in par), flush=True)
    if opt.write_every and n % opt.write_every == 0:
        os.makedirs(opt.out, exist_ok=True)
        path = os.path.join(opt.out, f"{opt.gauge}.{n:04d}.ini")
        #: save
        with open(path, "w") as f:
            f.write("[run]\\npass = %d\\n[parameters]\\n" % n + "".join(f"{k} = {math.exp(p)}\\n" for k, p in zip(NAMES, par)))
        print(f"      > {path}", flush=True)
    #: end_of_pass
    time.sleep(opt.nap)
#: late
print(f"calibration of {opt.gauge} finished, efficiency {1 - (rmse(par, rain, seen) / spread) ** 2:.3f}")
'''

TAGGER = '''"""postag -- greedy averaged perceptron for part-of-speech tags."""
import collections
import glob
import json
import logging
import os
import pickle
import random
import sys
import time

logging.basicConfig(stream=sys.stderr, level="INFO", format="%(asctime)s,%(msecs)03d postag(%(process)d) %(message)s", datefmt="%H:%M:%S")
say = logging.info
SETTINGS = {"rounds": 12, "sentences": 260, "seed": 4, "rest": 0.05, "model": "", "store": "postag.pickle", "store_each": 4, "corpus": ""}
for word in sys.argv[1:]:
    key, _, value = word.lstrip("-").partition("=")
    if key not in SETTINGS:
        sys.exit(f"postag: no setting called {key}; there are {', '.join(SETTINGS)}")
    SETTINGS[key] = type(SETTINGS[key])(value)
S = collections.namedtuple("Settings", SETTINGS)(**SETTINGS)
#: early
LEXICON = {
    "DET": "the a this every".split(), "ADJ": "old light round early green".split(), "NOUN": "boat light harbour watch green round fish dog".split(),
    "VERB": "watch boat fish dog leaves carries round lights".split(), "PREP": "of in near behind round".split(),
}
SHAPES = ["DET ADJ NOUN VERB DET NOUN", "DET NOUN VERB PREP DET NOUN", "DET NOUN PREP DET ADJ NOUN VERB", "NOUN VERB DET ADJ ADJ NOUN PREP NOUN"]


def sentences(count, seed):
    r = random.Random(seed)
    for _ in range(count):
        yield [(r.choice(LEXICON[t]), t) for t in r.choice(SHAPES).split()]


def features(words, i, before, before2):
    w = words[i]
    yield from ("w=" + w, "t-1=" + before, "t-2,t-1=" + before2 + before, "w,t-1=" + w + before)
    yield "next=" + (words[i + 1] if i + 1 < len(words) else "</s>")


class Perceptron:
    def __init__(self, tags):
        self.tags, self.w, self.seen = tags, {}, 0

    def guess(self, feats):
        score = dict.fromkeys(self.tags, 0.0)
        for f in feats:
            for t, v in self.w.get(f, {}).items():
                score[t] += v
        return max(self.tags, key=lambda t: (score[t], t))

    def learn(self, right, wrong, feats):
        self.seen += 1
        for f in feats:
            cell = self.w.setdefault(f, collections.defaultdict(float))
            cell[right] += 1.0
            cell[wrong] -= 1.0


def keep(model, done, path):
    #: save
    with open(path, "wb") as out:
        pickle.dump({"done": done, "w": {k: dict(v) for k, v in model.w.items()}, "tags": model.tags}, out)


train, test = list(sentences(S.sentences, S.seed)), list(sentences(80, S.seed + 1))
if S.corpus:
    train = [[tuple(p.rsplit("/", 1)) for p in line.split()] for line in open(S.corpus)]
#: data
model, done = Perceptron(sorted(LEXICON)), 0
if S.model:
    #: before_load
    with open(S.model, "rb") as old:
        was = pickle.load(old)
    model.w = {k: collections.defaultdict(float, v) for k, v in was["w"].items()}
    done = was["done"]
    say("model %s read: %d features after %d rounds", S.model, len(model.w), done)
say("%d sentences for training, %d for testing, tags %s", len(train), len(test), " ".join(model.tags))
#: ready
dice = random.Random(S.seed)
for number in range(done + 1, S.rounds + 1):
    dice.shuffle(train)
    wrong = tokens = 0
    for s, sentence in enumerate(train):
        words = [w for w, _ in sentence]
        a = b = "<s>"
        #: mid
        for i, (_, tag) in enumerate(sentence):
            feats = list(features(words, i, a, b))
            said = model.guess(feats)
            tokens += 1
            if said != tag:
                wrong += 1
                model.learn(tag, said, feats)
            a, b = said, a
        #: after
    #: round
    say("round %d of %d: %d of %d tokens wrong (%.2f %%), %d features", number, S.rounds, wrong, tokens, 100 * wrong / tokens, len(model.w))
    if S.store_each and number % S.store_each == 0:
        keep(model, number, S.store)
        say("stored as %s", S.store)
    time.sleep(S.rest)
bad = total = 0
for sentence in test:
    a = b = "<s>"
    for i, (_, tag) in enumerate(sentence):
        said = model.guess(list(features([w for w, _ in sentence], i, a, b)))
        bad, total, a, b = bad + (said != tag), total + 1, said, a
#: late
say("held-out accuracy %.4f", 1 - bad / total)
'''

MAZE = '''import dataclasses
import json
import os
import random
import signal
import sys
import time


@dataclasses.dataclass
class Config:
    games: int = 900
    alpha: float = 0.3
    gamma: float = 0.95
    eps: float = 0.4
    side: int = 6
    report: int = 50
    snapshot: int = 0
    dir: str = "mouse"
    load: str = ""
    pause: float = 0.0006


def configure(argv):
    cfg = Config()
    for name, value in json.loads(argv[0] if argv else "{}").items():
        kind = type(getattr(cfg, name))
        setattr(cfg, name, kind(value))
    return cfg


cfg = configure(sys.argv[1:])
rnd = random.Random(23)
#: early
walls = {(1, 1), (1, 2), (3, 4), (4, 1), (2, 4)}
if cfg.side < 4:
    raise SystemExit("maze: side must be 4 at least")
MOVES = ((0, 1), (1, 0), (0, -1), (-1, 0))
Q = {(x, y): [0.0] * 4 for x in range(cfg.side) for y in range(cfg.side)}
start = 0
if cfg.load:
    #: before_load
    with open(cfg.load) as f:
        old = json.load(f)
    #: load
    Q.update({tuple(map(int, k.split(","))): v for k, v in old["q"].items()})
    start = old["game"]
    print(f"~~ {cfg.load}: continuing after game {start}", flush=True)
print(f"~~ maze {cfg.side}x{cfg.side}, {cfg.games} games, alpha={cfg.alpha} gamma={cfg.gamma}", flush=True)
#: ready
returns, lengths, began = [], [], time.time()
for game in range(start + 1, cfg.games + 1):
    at, got, eps = (0, 0), 0.0, max(0.02, cfg.eps * (1 - game / (0.7 * cfg.games)))
    for move in range(60):
        q = Q[at]
        a = rnd.randrange(4) if rnd.random() < eps else max(range(4), key=lambda k: (q[k], rnd.random()))
        to = (at[0] + MOVES[a][0], at[1] + MOVES[a][1])
        #: mid
        if to not in Q or to in walls:
            to, reward = at, -0.5
        else:
            reward = 10.0 if to == (cfg.side - 1, cfg.side - 1) else -0.1
        q[a] += cfg.alpha * (reward + cfg.gamma * max(Q[to]) * (reward < 5) - q[a])
        got, at = got + reward, to
        if reward > 5:
            break
    returns.append(got)
    lengths.append(move + 1)
    #: after
    if game % cfg.report == 0:
        last = returns[-cfg.report:]
        #: report
        print(f"~~ game {game:>5}/{cfg.games}  return {sum(last) / len(last):+7.2f}  moves {sum(lengths[-cfg.report:]) / len(last):5.1f}  eps {eps:.2f}", flush=True)
    if cfg.snapshot and game % cfg.snapshot == 0:
        os.makedirs(cfg.dir, exist_ok=True)
        where = f"{cfg.dir}/q-{game}.json"
        #: save
        with open(where, "w") as f:
            json.dump({"game": game, "q": {f"{x},{y}": v for (x, y), v in Q.items()}}, f)
        #: saved
    time.sleep(cfg.pause)
#: late
print(f"~~ done after {time.time() - began:.1f} s; the mouse needs {lengths[-1]} moves", flush=True)
'''
