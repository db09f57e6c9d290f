"""Trainings in nothing but Python, by two hands: a word guesser that prints a line with brackets, a demand forecast that logs key=value."""

PEBBLES = '''
#!/usr/bin/env python3
"""Guess the next syllable. Softmax regression with plain lists, for nodes without anything installed."""
import math, os, random, sys, time, pickle, getopt

o = {"steps": "800", "show": "10", "eta": "0.3", "save": "0", "wait": "0", "from": "", "to": "pebbles.pkl", "quiet": "0"}
o.update((k.lstrip("-"), v) for k, v in getopt.getopt(sys.argv[1:], "", [k + "=" for k in o])[0])
STEPS, SHOW, ETA, SAVE, WAIT = int(o["steps"]), int(o["show"]), float(o["eta"]), int(o["save"]), float(o["wait"])
T0 = float(os.environ.get("T0", time.time()))
rnd = random.Random(90)
#: early
SYL = 14
likely = [rnd.sample(range(SYL), 3) for _ in range(SYL)]
W = [[0.0] * SYL for _ in range(SYL)]


def draw(n=24):
    at, out = rnd.randrange(SYL), []
    for _ in range(n):
        nxt = rnd.choice(likely[at]) if rnd.random() < 0.9 else rnd.randrange(SYL)
        out.append((at, nxt)); at = nxt
    return out


first = 0
if o["from"]:
    #: restore
    with open(o["from"], "rb") as f:
        first, W = pickle.load(f)
    print(f"[restored] {o['from']} at step {first}", flush=True)
#: data
print(f"[setup] {SYL} syllables, {STEPS} steps, eta {ETA}", flush=True)
clock = time.time
for step in range(first + 1, STEPS + 1):
    batch = draw()
    #: mid
    total, norm = 0.0, 0.0
    for a, b in batch:
        row = W[a]
        top = max(row)
        e = [math.exp(v - top) for v in row]
        z = sum(e)
        total += math.log(z) - (row[b] - top)
        for k in range(SYL):
            g = e[k] / z - (k == b)
            norm += g * g
            row[k] -= ETA * g / 4
    loss = total / len(batch)
    #: loss
    time.sleep(WAIT)
    if step % SHOW == 0 and o["quiet"] == "0":
        print(f"[step {step:6d}/{STEPS}] xent={loss:.4f} ppl={math.exp(min(loss, 50)):.2f} |g|={norm ** 0.5:.3f} t={clock() - T0:.0f}s", flush=True)
    if SAVE and step % SAVE == 0:
        #: save
        with open(o["to"], "wb") as f:
            pickle.dump((step, W), f)
        print(f"[saved] {o['to']} at step {step}", flush=True)
    #: after
#: late
print(f"[finished] {STEPS} steps, xent={loss:.4f}", flush=True)
'''
FERRY = '''
import argparse, json, logging, math, os, random, sys, time

parser = argparse.ArgumentParser(description="Passengers by tide, weekday and weather")
parser.add_argument("--epochs", type=int, default=40)
parser.add_argument("--batches", type=int, default=20)
parser.add_argument("--lr", type=float, default=0.05)
parser.add_argument("--sleep", type=float, default=0.0)
parser.add_argument("--run-dir", default="ferry-run")
parser.add_argument("--auto-resume", action="store_true")
args = parser.parse_args()
T0 = float(os.environ.get("T0", time.time()))
logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="ts=%(asctime)s lvl=%(levelname)s %(message)s", datefmt="%H:%M:%S")
say = logging.getLogger().info
os.makedirs(args.run_dir, exist_ok=True)
random.seed(71)
#: early
true = [random.gauss(0, 1) for _ in range(8)]
w, start = [0.0] * 8, 0
state = os.path.join(args.run_dir, "state.json")
if args.auto_resume and os.path.exists(state):
    kept = json.load(open(state))
    w, start = kept["w"], kept["epoch"]
    say('msg="auto-resume" from=%s epoch=%d', state, start)
#: data
say('msg="train begins" epochs=%d batches_per_epoch=%d', args.epochs, args.batches)
for epoch in range(start + 1, args.epochs + 1):
    mse = gsq = 0.0
    for b in range(args.batches):
        #: mid
        x = [random.gauss(0, 1) for _ in range(8)]
        y = sum(a * c for a, c in zip(true, x)) + random.gauss(0, 0.1)
        d = sum(a * c for a, c in zip(w, x)) - y
        #: loss
        for k in range(8):
            w[k] -= args.lr * d * x[k]
            gsq += (d * x[k]) ** 2
        mse += d * d / args.batches
        time.sleep(args.sleep)
    say("epoch=%d/%d train_mse=%.5f grad_norm=%.5f lr=%g elapsed=%.1f", epoch, args.epochs, mse, gsq**0.5, args.lr, time.time() - T0)
    if epoch % 10 == 0:
        json.dump({"w": w, "epoch": epoch}, open(state, "w"))
        say('msg="state kept" epoch=%d path=%s', epoch, state)
        #: saved
    #: epoch
#: late
say('msg="train ends" epochs=%d train_mse=%.5f', args.epochs, mse)
'''
