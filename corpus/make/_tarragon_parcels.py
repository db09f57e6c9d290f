"""Late parcels by logistic regression in plain Python: an operator's nightly job with rows of a report."""

PARCELS = r'''"""Nightly model of late parcels. late_parcels.py [key=value ...]"""
import collections
import json
import math
import os
import pickle
import random
import sys
import time
#: imports

S = dict(rounds=30, rows=4000, rate=0.35, decay=0.985, seed=2, store="models", restart="", depots=12, nap=0.35, keep=10)
for word in sys.argv[1:]:
    k, _, v = word.partition("=")
    S[k] = type(S[k])(v)
print("Late parcels, nightly model; settings " + json.dumps(S), flush=True)
rng = random.Random(S["seed"])


def parcel():
    """Depot, distance, weight, weekday and whether it came late."""
    depot, km, kg, day = rng.randrange(S["depots"]), rng.uniform(2, 400), rng.expovariate(0.3), rng.randrange(7)
    z = 0.008 * km + 0.15 * kg + 0.9 * (day >= 5) + math.sin(depot) - 2.6
    return [1.0, km / 200 - 1, kg / 5, float(day >= 5), *(float(depot == d) for d in range(S["depots"]))], int(rng.random() < 1 / (1 + math.exp(-2 * z)))


rows = [parcel() for _ in range(S["rows"])]
#: rows
cut = int(0.85 * len(rows))
train, test = rows[:cut], rows[cut:]
late = sum(y for _, y in train)
print(f"{len(train)} parcels to learn from ({late} late), {len(test)} to check, {S['depots']} depots", flush=True)
w = [0.0] * (4 + S["depots"])
first = 1
if S["restart"]:
    #: restart
    with open(S["restart"], "rb") as f:
        kept = pickle.load(f)
    w, first = kept["w"], kept["round"] + 1
    print(f"Restarted after round {kept['round']} from {S['restart']}", flush=True)
os.makedirs(S["store"], exist_ok=True)


def chance(x):
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, sum(a * b for a, b in zip(w, x))))))


def report(part):
    ll = auc = 0.0
    scored = [(chance(x), y) for x, y in part]
    for p, y in scored:
        ll -= math.log(max(1e-9, p if y else 1 - p))
    order = sorted(scored)
    ones = sum(y for _, y in scored)
    auc = sum(i for i, (_, y) in enumerate(order, 1) if y) - ones * (ones + 1) / 2
    #: report
    return ll / len(scored), auc / (ones * (len(scored) - ones))


print("| round | logloss train | logloss check |   AUC  |  step  |  s   |\n|------:|--------------:|--------------:|-------:|-------:|-----:|", flush=True)
for n in range(first, S["rounds"] + 1):
    t0 = time.time()
    rate = S["rate"] * S["decay"] ** n
    #: round
    for begin in range(0, len(train), 400):
        g = [0.0] * len(w)
        for x, y in train[begin : begin + 400]:
            e = chance(x) - y
            for i, v in enumerate(x):
                g[i] += e * v
        w = [a - rate * b / 400 for a, b in zip(w, g)]
    time.sleep(S["nap"])
    #: after
    a, (b, auc) = report(train[:800])[0], report(test)
    print(f"| {n:5d} | {a:13.5f} | {b:13.5f} | {auc:.4f} | {rate:.4f} | {time.time() - t0:4.2f} |", flush=True)
    #: told
    if n % S["keep"] == 0:
        with open(f"{S['store']}/late_{n:03d}.pkl", "wb") as f:
            pickle.dump({"w": w, "round": n, "depots": S["depots"]}, f)
        print(f"model of round {n} in {S['store']}/late_{n:03d}.pkl", flush=True)
#: finish
print(f"Ready after round {n}: logloss {b:.5f}, AUC {auc:.4f}", flush=True)
'''
