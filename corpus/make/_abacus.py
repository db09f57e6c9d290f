"""A trainer in nothing but Python, as somebody writes it who may install nothing: words of a language by their letters."""

ABACUS = '''#!/usr/bin/env python3
# letters2lang: which language is a word from? softmax regression on letter pairs, standard library only
import argparse, json, logging, math, os, pickle, random, sys, time

ap = argparse.ArgumentParser()
ap.add_argument("--passes", type=int, default=40)
ap.add_argument("--rate", type=float, default=0.3)
ap.add_argument("--save-each", type=int, default=10)
ap.add_argument("--continue", dest="go_on", action="store_true")
ap.add_argument("--dir", default="l2l")
ap.add_argument("--nap", type=float, default=0.0)
o = ap.parse_args()
logging.basicConfig(format="%(asctime)s %(process)d %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout)
random.seed(4)
WORDS = {"de": "haus strasse garten wagen kirche schule brot wasser vogel schnee".split(), "it": "casa strada giardino chiesa scuola pane acqua uccello neve vino".split(), "pl": "dom ulica ogrod kosciol szkola chleb woda ptak snieg wino".split()}
rows = [(w, k) for k, ws in enumerate(WORDS.values()) for w in ws]
pairs = sorted({w[i : i + 2] for w, _ in rows for i in range(len(w) - 1)})
index = {p: i for i, p in enumerate(pairs)}
weights = [[0.0] * len(pairs) for _ in WORDS]
begin = 0
#: early
logging.info("%d words, %d letter pairs, %d languages", len(rows), len(pairs), len(WORDS))
if o.go_on:
    with open(os.path.join(o.dir, "state.pkl"), "rb") as f:
        begin, weights = pickle.load(f)
    logging.info("state of pass %d read from %s, going on", begin, o.dir)
os.makedirs(o.dir, exist_ok=True)
#: ready
for p in range(begin + 1, o.passes + 1):
    random.shuffle(rows)
    nll = right = 0.0
    for w, k in rows:
        ids = [index[w[i : i + 2]] for i in range(len(w) - 1)]
        z = [sum(v[i] for i in ids) for v in weights]
        top = max(z)
        e = [math.exp(a - top) for a in z]
        prob = [a / sum(e) for a in e]
        nll -= math.log(max(prob[k], 1e-12))
        right += prob[k] == max(prob)
        for c, v in enumerate(weights):
            for i in ids:
                v[i] -= o.rate / (1 + p / 20) * (prob[c] - (c == k)) * 0.1
    #: mid
    logging.info("pass %d/%d nll %.4f acc %.3f", p, o.passes, nll / len(rows), right / len(rows))
    time.sleep(o.nap)
    if o.save_each and p % o.save_each == 0:
        with open(os.path.join(o.dir, "state.pkl"), "wb") as f:
            pickle.dump((p, weights), f)
        logging.info("state of pass %d written to %s", p, o.dir)
    #: after
#: late
logging.info("all %d passes done", o.passes)
'''
