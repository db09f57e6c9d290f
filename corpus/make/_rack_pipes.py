"""Shell scripts as people submit them for one card: several stages, sweeps and folds in one job; and small trainings that they call."""

FOLD = '''
"""One fold of a logistic regression on avalanche bulletins. Prints as its author likes it."""
import argparse, json, math, os, random, sys, time

p = argparse.ArgumentParser()
p.add_argument("--fold", type=int, default=0)
p.add_argument("--lr", type=float, default=0.1)
p.add_argument("--l2", type=float, default=1e-4)
p.add_argument("--epochs", type=int, default=15)
p.add_argument("--data", default="bulletins.jsonl")
p.add_argument("--init")
p.add_argument("--save", default="fold.json")
p.add_argument("--eval-only", action="store_true")
p.add_argument("--sleep", type=float, default=0.0)
p.add_argument("--tag", default="")
o = p.parse_args()
rows = [json.loads(line) for line in open(o.data)]
train = [r for n, r in enumerate(rows) if n % 5 != o.fold]; test = [r for n, r in enumerate(rows) if n % 5 == o.fold]
#: early
D = len(rows[0]["x"])
w, b = [0.0] * D, 0.0
if o.init:
    #: init
    held = json.load(open(o.init))
    w, b = held["w"], held["b"]
    print(f"init <- {o.init}", flush=True)


def prob(x):
    return 1 / (1 + math.exp(-max(-700.0, min(700.0, b + sum(a * c for a, c in zip(w, x))))))


def auc():
    s = sorted(((prob(r["x"]), r["y"]) for r in test), key=lambda t: t[0])
    pos = sum(y for _, y in s); neg = len(s) - pos
    return (sum(i + 1 for i, (_, y) in enumerate(s) if y) - pos * (pos + 1) / 2) / (pos * neg)


random.seed(o.fold)
if not o.eval_only:
    for e in range(1, o.epochs + 1):
        random.shuffle(train)
        total = 0.0
        #: epoch
        for n, r in enumerate(train):
            q = prob(r["x"])
            total -= math.log(max(1e-300, q if r["y"] else 1 - q))
            g = q - r["y"]
            #: step
            w = [a - o.lr * (g * c + o.l2 * a) for a, c in zip(w, r["x"])]; b -= o.lr * g
        print(f"{o.tag}ep {e:2d}/{o.epochs}  logloss {total / len(train):.4f}  auc {auc():.4f}", flush=True)
        #: after
        time.sleep(o.sleep)
    json.dump({"w": w, "b": b, "lr": o.lr}, open(o.save, "w"))
    print(f"{o.tag}saved {o.save}", flush=True)
print(f"{o.tag}test auc {auc():.4f} ({len(test)} bulletins)", flush=True)
#: late
'''
ROWS = '''
import json, random, sys
random.seed(2)
true = [random.gauss(0, 1) for _ in range(9)]
with open(sys.argv[1], "w") as f:
    for _ in range(int(sys.argv[2])):
        x = [round(random.gauss(0, 1), 4) for _ in true]
        f.write(json.dumps({"x": x, "y": int(sum(a * b for a, b in zip(true, x)) + random.gauss(0, 0.5) > 0)}) + "\\n")
print(sys.argv[2], "bulletins ->", sys.argv[1])
'''
