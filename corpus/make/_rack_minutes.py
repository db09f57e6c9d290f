"""Trainings without a library, of two hands: train delays by a small net, and a table of transitions that is fitted by counting."""

DELAYS = '''
"""Minutes late at the summit station from five numbers known in the valley: two layers, by hand."""
import json, math, os, random, sys, time

conf = dict(w.split("=", 1) for w in sys.argv[1:])
ROUNDS, NAP, SHOW, RATE, KEEP = int(conf.get("rounds", 400)), float(conf.get("nap", 0)), int(conf.get("show", 20)), float(conf.get("rate", 0.03)), int(conf.get("keep", 100))
FROM, DIR = conf.get("from", ""), conf.get("dir", "delays")
rnd = random.Random(8)
os.makedirs(DIR, exist_ok=True)


def tell(text):
    print(time.strftime("[%d.%m. %H:%M:%S] ") + text, flush=True)


#: early
rows = [[rnd.uniform(-1, 1) for _ in range(5)] for _ in range(400)]
late = [2 * math.tanh(r[0] - r[1]) + r[2] * r[3] + 0.05 * rnd.gauss(0, 1) for r in rows]
#: data
W = [[rnd.gauss(0, 0.5) for _ in range(6)] for _ in range(8)]
V = [rnd.gauss(0, 0.5) for _ in range(9)]
begin = 0
if FROM:
    #: restore
    held = json.load(open(FROM))
    W, V, begin = held["W"], held["V"], held["round"]
    tell(f"weights of round {begin} read from {FROM}")
tell(f"{len(rows)} trains, {ROUNDS} rounds, rate {RATE}")
#: ready
mean = None
for k in range(begin + 1, ROUNDS + 1):
    error = 0.0
    #: mid
    for j in rnd.sample(range(len(rows)), 32):
        x = rows[j] + [1.0]
        h = [math.tanh(sum(a * b for a, b in zip(w, x))) for w in W] + [1.0]
        off = sum(a * b for a, b in zip(V, h)) - late[j]
        #: off
        error += off * off / 32
        for n in range(8):
            g = off * V[n] * (1 - h[n] ** 2)
            W[n] = [a - RATE * g * b for a, b in zip(W[n], x)]
        V = [a - RATE * off * b for a, b in zip(V, h)]
    #: after
    mean = error if mean is None else 0.9 * mean + 0.1 * error
    time.sleep(NAP)
    if k % SHOW == 0:
        tell(f"round {k}/{ROUNDS}  mse {error:.4f}  avg {mean:.4f}")
        #: shown
    if k % KEEP == 0:
        json.dump({"W": W, "V": V, "round": k}, open(f"{DIR}/w.json", "w"))
        tell(f"weights -> {DIR}/w.json")
        #: saved
#: late
tell(f"finished, avg mse {mean:.4f}")
#: last
'''
BARD = '''
import argparse, collections, csv, math, os, pathlib, random, sys, time

parser = argparse.ArgumentParser()
parser.add_argument("--n-epochs", type=int, default=12)
parser.add_argument("--order", type=int, default=2)
parser.add_argument("--pause", type=float, default=0.0)
parser.add_argument("--lr", type=float, default=0.5)
parser.add_argument("--log-csv", type=pathlib.Path, default=pathlib.Path("log.csv"))
opts = parser.parse_args()
random.seed(31)
#: early
songs = ["".join(random.choice("lai ho dri du ".split(" ")) for _ in range(30)) for _ in range(120)]
alphabet = sorted(set("".join(songs)))
weights = collections.defaultdict(lambda: [0.0] * len(alphabet))
#: data
table = csv.writer(opts.log_csv.open("w", newline=""))
out = csv.writer(sys.stdout)
table.writerow(["epoch", "batch", "nll", "seconds"]); out.writerow(["epoch", "batch", "nll", "seconds"])
t0 = time.perf_counter()
#: ready
for epoch in range(1, opts.n_epochs + 1):
    random.shuffle(songs)
    for batch in range(0, 120, 12):
        total = count = 0
        #: mid
        for song in songs[batch : batch + 12]:
            for i in range(opts.order, len(song)):
                row = weights[song[i - opts.order : i]]
                top = max(row); ex = [math.exp(v - top) for v in row]; z = sum(ex)
                right = alphabet.index(song[i])
                total -= math.log(ex[right] / z); count += 1
                for c in range(len(row)):
                    row[c] += opts.lr * ((c == right) - ex[c] / z)
        nll = total / count
        #: after
        time.sleep(opts.pause)
        out.writerow([epoch, batch // 12, f"{nll:.4f}", f"{time.perf_counter() - t0:.2f}"]); table.writerow([epoch, batch // 12, nll, time.perf_counter() - t0])
        sys.stdout.flush()
    #: epoch
#: late
'''
POLES = '''
"""A pole on a cart is kept up by a linear rule, found by the cross-entropy method. The return is minus what is missing of 200 steps."""
import math, os, random, statistics, sys, time

GENERATIONS, ROLLOUTS, ELITE, REST = int(os.getenv("GENERATIONS", "25")), int(os.getenv("ROLLOUTS", "24")), 6, float(os.getenv("REST", "0"))
random.seed(int(os.getenv("SEED", "12")))
#: early


def episode(rule):
    x = v = a = w = 0.0
    a = random.uniform(-0.05, 0.05)
    for t in range(200):
        push = 10.0 if rule[0] * x + rule[1] * v + rule[2] * a + rule[3] * w > 0 else -10.0
        acc = (9.8 * math.sin(a) - math.cos(a) * (push + 0.05 * w * w * math.sin(a)) / 1.1) / (0.5 * (4 / 3 - 0.1 * math.cos(a) ** 2 / 1.1))
        v, w = v + 0.02 * (push + 0.05 * (w * w * math.sin(a) - acc * math.cos(a))) / 1.1, w + 0.02 * acc
        x, a = x + 0.02 * v, a + 0.02 * w
        if abs(x) > 2.4 or abs(a) > 0.21:
            return float(t - 199)
    return 0.0


mean, dev = [0.0] * 4, [2.0] * 4
print(f"gen  {'return':>9} {'best':>9} {'loss':>9}  sigma", flush=True)
#: ready
for gen in range(1, GENERATIONS + 1):
    tried = []
    for _ in range(ROLLOUTS):
        rule = [random.gauss(m, d) for m, d in zip(mean, dev)]
        #: rollout
        tried.append((sum(episode(rule) for _ in range(3)) / 3, rule))
    tried.sort(key=lambda p: -p[0])
    best = [r for _, r in tried[:ELITE]]
    mean = [statistics.fmean(c) for c in zip(*best)]; dev = [statistics.pstdev(c) + 0.3 * 0.9 ** gen for c in zip(*best)]
    #: after
    average = statistics.fmean(p for p, _ in tried)
    print(f"{gen:3d}  {average:9.2f} {tried[0][0]:9.2f} {-average / 200:9.4f}  {statistics.fmean(dev):.3f}", flush=True)
    time.sleep(REST)
#: late
print("rule:", " ".join(f"{m:+.3f}" for m in mean), flush=True)
'''
