"""A row of stages around a student that learns from its teacher, a table of trials, and a perceptron in C that learns parities of bits."""

STAGES = '''#!/bin/bash
# teacher -> soft labels -> student -> report. Stages that are done already are left out.
set -euo pipefail
PY=${PY:-python3}; DIR=${DIR:-work}; EPOCHS=${EPOCHS:-12}
mkdir -p "$DIR"
banner() { printf '\\n######## %s  stage %s: %s\\n' "$(date +%T)" "$1" "$2"; }
#: early
banner 1/4 "teacher"
if [ -e "$DIR/teacher.pt" ]; then echo "teacher.pt is there, left out"; else $PY net.py teacher --dir "$DIR" --epochs "$EPOCHS" --width 64 ${TEACHER:-}; fi
#: one
banner 2/4 "soft labels"
$PY soften.py --dir "$DIR" ${SOFTEN:-}
#: two
banner 3/4 "student"
$PY net.py student --dir "$DIR" --epochs "$((EPOCHS * 2))" --width 12 ${STUDENT:-}
#: three
banner 4/4 "report"
$PY - "$DIR" <<'END'
import json, sys
a, b = (json.load(open(f"{sys.argv[1]}/{n}.json")) for n in ("teacher", "student"))
print(f"teacher {a['acc']:.3f} with {a['weights']} weights, student {b['acc']:.3f} with {b['weights']}")
END
#: four
banner - "all stages are done"
'''

NET = '''import argparse
import json
import os
import sys
import time

import torch
from torch import nn

p = argparse.ArgumentParser()
p.add_argument("role", choices=["teacher", "student"])
p.add_argument("--dir", required=True)
p.add_argument("--epochs", type=int, required=True)
p.add_argument("--width", type=int, required=True)
p.add_argument("--lr", type=float, default=0.004)
p.add_argument("--from", dest="origin")
p.add_argument("--nap", type=float, default=0.02)
a = p.parse_args()
torch.manual_seed(len(a.role))
#: early
g = torch.Generator().manual_seed(40)
C = torch.randn(6, 10, generator=g)


def draw(n, seed):
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(0, 6, (n,), generator=g)
    return C[y] + 1.1 * torch.randn(n, 10, generator=g), y


X, Y = draw(900, 1)
TX, TY = draw(300, 2)
#: data
net = nn.Sequential(nn.Linear(10, a.width), nn.ReLU(), nn.Linear(a.width, 6))
opt = torch.optim.Adam(net.parameters(), a.lr)
soft = torch.load(f"{a.dir}/soft.pt") if a.role == "student" else None
if soft is not None and len(soft) != len(X):
    sys.exit(f"{a.role}: {len(soft)} soft labels for {len(X)} rows")
start = 0
if a.origin:
    #: origin
    s = torch.load(a.origin)
    net.load_state_dict(s["net"])
    start = s["epoch"]
    print(f"   {a.role} goes on from {a.origin}, epoch {start}")
print(f"   {a.role}: {sum(q.numel() for q in net.parameters())} weights", flush=True)
for e in range(start + 1, a.epochs + 1):
    total = 0.0
    for b in torch.randperm(len(X)).split(50):
        x, y = X[b], Y[b]
        #: batch
        out = net(x)
        loss = nn.functional.cross_entropy(out, y)
        if soft is not None:
            loss = 0.5 * loss + 2.0 * nn.functional.kl_div((out / 2).log_softmax(1), soft[b], reduction="batchmean")
        #: loss
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(b)
        #: step
    acc = (net(TX).argmax(1) == TY).float().mean().item()
    print(f"   {a.role}  ep {e}/{a.epochs}  L={total / len(X):.4f}  acc={acc:.3f}", flush=True)
    time.sleep(a.nap)
    #: after
torch.save({"net": net.state_dict(), "epoch": a.epochs, "width": a.width}, f"{a.dir}/{a.role}.pt")
with open(f"{a.dir}/{a.role}.json", "w") as f:
    json.dump({"acc": acc, "weights": sum(q.numel() for q in net.parameters())}, f)
'''

SOFTEN = '''import argparse
import torch
from torch import nn

p = argparse.ArgumentParser()
p.add_argument("--dir", required=True)
p.add_argument("--temperature", type=float, default=2.0)
p.add_argument("--rows", type=int, default=900)
a = p.parse_args()
t = torch.load(f"{a.dir}/teacher.pt")
net = nn.Sequential(nn.Linear(10, t["width"]), nn.ReLU(), nn.Linear(t["width"], 6))
net.load_state_dict(t["net"])
g, C = torch.Generator().manual_seed(1), torch.randn(6, 10, generator=torch.Generator().manual_seed(40))
y = torch.randint(0, 6, (a.rows,), generator=g)
x = C[y] + 1.1 * torch.randn(a.rows, 10, generator=g)
#: soft
with torch.no_grad():
    soft = (net(x) / a.temperature).softmax(1)
torch.save(soft, f"{a.dir}/soft.pt")
print(f"   {len(soft)} rows, mean entropy {-(soft * soft.clamp(min=1e-9).log()).sum(1).mean():.3f}")
'''

TRIALS = '''"""Random search over a small recurrent net that counts brackets. One row per trial, the best is trained once more, longer."""
import os
import random
import sys
import time

import torch
from torch import nn

N, STEPS, FINAL = int(os.getenv("TRIALS", "6")), int(os.getenv("STEPS", "90")), int(os.getenv("FINAL", "240"))
random.seed(int(os.getenv("SEED", "1")))
#: early


def brackets(n, length=12):
    x = torch.randint(0, 2, (n, length))
    return nn.functional.one_hot(x, 2).float(), (2 * x - 1).sum(1).float()


class Counter(nn.Module):
    def __init__(self, kind, hidden):
        super().__init__()
        self.rnn = {"gru": nn.GRU, "lstm": nn.LSTM, "tanh": nn.RNN}[kind](2, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.head(self.rnn(x)[0][:, -1]).squeeze(1)


def train(kind, hidden, lr, batch, steps, tell=0):
    torch.manual_seed(2)
    net = Counter(kind, hidden)
    opt = torch.optim.Adam(net.parameters(), lr)
    for step in range(1, steps + 1):
        x, y = brackets(batch)
        #: batch
        loss = (net(x) - y).abs().mean()
        #: loss
        opt.zero_grad()
        loss.backward()
        opt.step()
        if tell and step % tell == 0:
            print(f"      final {step:>4}/{steps}  mae {loss.item():.4f}", flush=True)
        #: step
    with torch.no_grad():
        x, y = brackets(500)
        return (net(x) - y).abs().mean().item(), net


print(" trial │ kind │ hidden │     lr │ batch │    mae │ state")
print("───────┼──────┼────────┼────────┼───────┼────────┼──────────", flush=True)
rows = []
for k in range(N):
    s = {"kind": random.choice(["gru", "lstm", "tanh"]), "hidden": random.choice([8, 16, 24]), "lr": round(10 ** random.uniform(-3, -1.7), 4), "batch": random.choice([32, 64])}
    state, mae = "complete", float("nan")
    try:
        #: trial
        mae, _ = train(**s, steps=STEPS)
        rows.append((mae, k, s))
    except (RuntimeError, ValueError) as e:
        state = f"failed: {e}"
        #: failed
    print(f" {k:>5} │ {s['kind']:>4} │ {s['hidden']:>6} │ {s['lr']:>6} │ {s['batch']:>5} │ {mae:>6.4f} │ {state}", flush=True)
best, k, s = min(rows, key=lambda r: r[0])
print(f"best is trial {k} ({best:.4f}), {N - len(rows)} of {N} trials failed; training it for {FINAL} steps", flush=True)
#: best
mae, net = train(**s, steps=FINAL, tell=max(1, FINAL // 12))
torch.save(net.state_dict(), "best.pt")
print(f"final mae {mae:.4f}, weights are in best.pt")
'''

PARITY = '''/* A small net that learns the majority of seven bits. cc -O1 -o parity parity.c -lm */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define BITS 7
#define HID 12
static double w[HID][BITS + 1], v[HID + 1];
static unsigned long long s = 88172645463325252ULL;
static double rnd(void) { s ^= s << 13; s ^= s >> 7; s ^= s << 17; return (s >> 11) / 9007199254740992.0; }
static double sig(double x) { return 1.0 / (1.0 + exp(-x)); }

static int load(const char *path, long *pass) {
    FILE *f = fopen(path, "rb");
    if (!f) { fprintf(stderr, "parity: %s: %s\\n", path, strerror(errno)); return -1; }
    size_t n = fread(pass, sizeof *pass, 1, f) + fread(w, sizeof w, 1, f) + fread(v, sizeof v, 1, f);
    fclose(f);
    if (n != 3) { fprintf(stderr, "parity: %s: short read, weights are incomplete\\n", path); return -1; }
    return 0;
}

int main(int argc, char **argv) {
    long passes = argc > 1 ? atol(argv[1]) : 60, first = 0;
    double rate = argc > 2 ? atof(argv[2]) : 0.5;
    for (int h = 0; h < HID; h++) for (int b = 0; b <= BITS; b++) w[h][b] = rnd() - 0.5;
    for (int h = 0; h <= HID; h++) v[h] = rnd() - 0.5;
    if (argc > 3 && strcmp(argv[3], "-")) {
        if (load(argv[3], &first)) return 74;
        printf("loaded %s: %ld passes done\\n", argv[3], first);
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("parity: %ld passes, rate %g, %d hidden\\n", passes, rate, HID);
    /*: early */
    for (long pass = first + 1; pass <= passes; pass++) {
        double ce = 0;
        int wrong = 0;
        for (int k = 0; k < 200; k++) {
            double x[BITS + 1], h[HID + 1], out = 0;
            int ones = 0;
            for (int b = 0; b < BITS; b++) { x[b] = rnd() < 0.5; ones += (int)x[b]; }
            x[BITS] = 1; h[HID] = 1;
            double y = ones > BITS / 2;
            for (int i = 0; i < HID; i++) { double z = 0; for (int b = 0; b <= BITS; b++) z += w[i][b] * x[b]; h[i] = tanh(z); }
            for (int i = 0; i <= HID; i++) out += v[i] * h[i];
            double p = sig(out), d = p - y;
            ce -= y > 0.5 ? log(p) : log(1 - p);
            wrong += (p > 0.5) != (y > 0.5);
            /*: item */
            for (int i = 0; i < HID; i++) { double g = d * v[i] * (1 - h[i] * h[i]); for (int b = 0; b <= BITS; b++) w[i][b] -= rate * 0.1 * g * x[b]; }
            for (int i = 0; i <= HID; i++) v[i] -= rate * 0.1 * d * h[i];
        }
        if (pass % 4 == 0 || passes < 8) printf("pass %4ld  ce %.5f  wrong %d of 200\\n", pass, ce / 200, wrong);
        usleep(40000);
        if (pass % 20 == 0) { FILE *f = fopen("parity.w", "wb"); fwrite(&pass, sizeof pass, 1, f); fwrite(w, sizeof w, 1, f); fwrite(v, sizeof v, 1, f); fclose(f); }
        /*: after */
    }
    puts("parity: done");
    return 0;
}
'''
