"""Programs of several processes in plain Python: a ring of sockets, a star of pipes, a folder of letters."""

WEIRS = '''"""Levels of a river from those upstream: a linear model, gradients summed around a ring of processes."""
import argparse
import math
import os
import random
import socket
import struct
import sys
import time

me, n, base = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"]), int(os.environ["PORT"])
opts = argparse.ArgumentParser()
opts.add_argument("--sweeps", type=int, default=300)
opts.add_argument("--tell", type=int, default=20)
opts.add_argument("--rest", type=float, default=0.03)
opts.add_argument("--eta", type=float, default=0.05)
opts.add_argument("--patience", type=float, default=None)
opts.add_argument("--upstream", type=int, default=5)
opts = opts.parse_args()


def log(text, level="INFO", all=False):
    if me == 0 or all or level != "INFO":
        now, frame = time.time(), sys._getframe(1)
        stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now))
        sys.stderr.write(f"{stamp}.{int(now * 1000) % 1000:03d} | {level:<8} | weirs:{frame.f_code.co_name}:{frame.f_lineno} - [{me}] {text}\\n")


class Ring:
    def __init__(self):
        door = socket.create_server(("127.0.0.1", self.port(me)), backlog=4)
        until = time.time() + (opts.patience or 1e9)
        while True:
            try:
                self.down = socket.create_connection(("127.0.0.1", self.port((me + 1) % n)))
                break
            except OSError:
                if time.time() > until:
                    raise TimeoutError(f"nobody answers at port {self.port((me + 1) % n)} after {opts.patience:.0f} s") from None
                time.sleep(0.25)
        door.settimeout(opts.patience)
        self.up, _ = door.accept()

    def port(self, who):
        return base + who

    def read(self, size):
        data = b""
        while len(data) < size:
            part = self.up.recv(size - len(data))
            if not part:
                raise ConnectionResetError(f"gauge {(me - 1) % n} has left the ring")
            data += part
        return data

    def total(self, values):
        total = part = list(values)
        for _ in range(n - 1):
            self.down.sendall(struct.pack(f"{len(part)}d", *part))
            part = struct.unpack(f"{len(part)}d", self.read(8 * len(part)))
            total = [a + b for a, b in zip(total, part)]
        return total


def rows(count, seed):
    dice = random.Random(seed)
    for _ in range(count):
        x = [dice.gauss(0, 1) for _ in range(opts.upstream)]
        yield x, 0.4 + sum((k - 1.5) * v / 2 for k, v in enumerate(x)) + dice.gauss(0, 0.1)


def main():
    #: early
    log(f"gauge {me} of {n} on {os.environ.get('SLURMD_NODENAME', '?')}", all=True)
    #: before
    ring = Ring()
    log(f"ring of {n} is closed")
    #: start
    data = list(rows(160, 70 + me))
    w, first = [0.0] * (opts.upstream + 1), 1
    #: load
    for sweep in range(first, opts.sweeps + 1):
        #: data
        grads, loss = [0.0] * (opts.upstream + 1), 0.0
        for x, y in data:
            e = w[0] + sum(a * b for a, b in zip(w[1:], x)) - y
            loss += e * e / len(data)
            for k, v in enumerate([1.0, *x]):
                grads[k] += 2 * e * v / len(data)
        #: loss
        *grads, loss = ring.total([*grads, loss])
        norm = math.sqrt(sum(g * g for g in grads)) / n
        w = [a - opts.eta * g / n for a, g in zip(w, grads)]
        loss /= n
        if sweep % opts.tell == 0 or sweep == opts.sweeps:
            log(f"sweep {sweep}/{opts.sweeps} mse {loss:.5f} |g| {norm:.4f} eta {opts.eta:g}")
        #: after
        time.sleep(opts.rest)
    #: late
    log(f"calibrated after {opts.sweeps} sweeps, mse {loss:.5f}, offset {w[0]:.3f}")


main()
'''

LACE = '''# which bobbin moves next; one process keeps the counts, the others send theirs
import json
import math
import os
import random
import time
from multiprocessing.connection import Client, Listener

R, W, PORT = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"]), int(os.environ["PORT"])
CONF = {"epochs": 12, "per_epoch": 30, "lr": 0.4, "nap": 0.02, "note": 10, "vocab": 12}
for pair in os.environ.get("CONF", "").split():
    key, _, value = pair.partition("=")
    CONF[key] = type(CONF[key])(value)


def emit(kind, **more):
    print(json.dumps({"t": round(time.time(), 2), "kind": kind, "proc": R, **more}), flush=True)


#: early
emit("hello", procs=W, node=os.environ.get("SLURMD_NODENAME"), conf=CONF if R == 0 else None)
#: before
if R == 0:
    desk = Listener(("127.0.0.1", PORT), backlog=32, authkey=b"lace")
    lines = {}
    while len(lines) < W - 1:
        line = desk.accept()
        lines[line.recv()] = line
        emit("joined", have=len(lines) + 1, want=W)
else:
    while True:
        try:
            line = Client(("127.0.0.1", PORT), authkey=b"lace")
            break
        except ConnectionRefusedError:
            time.sleep(0.3)
    line.send(R)


def mean(values):
    if R:
        line.send(values)
        return line.recv()
    for who in sorted(lines):
        #: gather
        values = [a + b for a, b in zip(values, lines[who].recv())]
    values = [v / W for v in values]
    for who in lines:
        lines[who].send(values)
    return values


V = CONF["vocab"]
dice = random.Random(900 + R)
logits = [0.0] * (V * V)
begin = 0
#: load
for epoch in range(begin, CONF["epochs"]):
    total = 0.0
    for batch in range(CONF["per_epoch"]):
        #: data
        grad, nll, prev = [0.0] * (V * V), 0.0, dice.randrange(V)
        for _ in range(60):
            here = (3 * prev + dice.choice((1, 1, 1, 2, 5))) % V
            top = max(logits[prev * V:prev * V + V])
            weights = [math.exp(z - top) for z in logits[prev * V:prev * V + V]]
            s = sum(weights)
            nll -= math.log(max(weights[here] / s, 1e-12)) / 60
            for k in range(V):
                grad[prev * V + k] += (weights[k] / s - (k == here)) / 60
            prev = here
        #: loss
        *grad, nll = mean([*grad, nll])
        logits = [z - CONF["lr"] * V * g for z, g in zip(logits, grad)]
        total += nll
        if R == 0 and (batch + 1) % CONF["note"] == 0:
            emit("train", epoch=epoch + 1, of=CONF["epochs"], batch=batch + 1, nll=round(nll, 4), gn=round(math.sqrt(sum(g * g for g in grad)), 4))
        #: after
        time.sleep(CONF["nap"])
    if R == 0:
        emit("epoch_end", epoch=epoch + 1, of=CONF["epochs"], mean_nll=round(total / CONF["per_epoch"], 4), perplexity=round(math.exp(min(60, total / CONF["per_epoch"])), 3))
    #: epoch
#: late
emit("bye", epochs=CONF["epochs"])
'''

BOTEN = '''#!/usr/bin/env python3
# Mehrere Prozesse, die einander Zettel in einen Ordner legen. Logistische Regression fuer Ausfaelle von Pumpen.
import json
import math
import os
import pathlib
import random
import sys
import time

ICH, ALLE = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
RUNDEN = int(sys.argv[1]) if len(sys.argv) > 1 else 200
PAUSE = float(sys.argv[2]) if len(sys.argv) > 2 else 0.04
ZEIGE = int(sys.argv[3]) if len(sys.argv) > 3 else 10
FACH = pathlib.Path(f"fach-{os.environ['SLURM_JOB_ID']}-{os.environ.get('SLURM_RESTART_COUNT', 0)}")
FACH.mkdir(exist_ok=True)


def sage(text):
    print(f"{time.strftime('%d.%m. %H:%M:%S')}  P{ICH}  {text}", flush=True)


def tausche(runde, werte):
    teil = FACH / f".{runde}-{ICH}"
    teil.write_text(json.dumps(werte))
    teil.rename(FACH / f"{runde}-{ICH}")
    summe = [0.0] * len(werte)
    for wer in range(ALLE):
        zettel = FACH / f"{runde}-{wer}"
        #: wait
        while not zettel.exists():
            time.sleep(0.01)
        summe = [a + b for a, b in zip(summe, json.loads(zettel.read_text()))]
    if runde > 2:
        (FACH / f"{runde - 2}-{ICH}").unlink(missing_ok=True)
    return [a / ALLE for a in summe]


#: early
sage(f"bereit, {ALLE} Prozesse")
#: before
tausche(0, [0.0])
if ICH == 0:
    sage("alle da, es geht los")
wuerfel = random.Random(31 + ICH)
pumpen = []
for _ in range(120):
    x = [1.0, *(wuerfel.gauss(0, 1) for _ in range(4))]
    pumpen.append((x, float(wuerfel.random() < 1 / (1 + math.exp(-(0.5 + 2 * x[1] - 1.4 * x[3]))))))
w = [0.0] * 5
anfang = 1
#: load
for runde in range(anfang, RUNDEN + 1):
    #: data
    g, verlust, treffer = [0.0] * 5, 0.0, 0
    for x, y in pumpen:
        p = 1 / (1 + math.exp(-max(-50, min(50, sum(a * b for a, b in zip(w, x))))))
        verlust -= math.log(max(1e-9, p if y else 1 - p)) / len(pumpen)
        treffer += (p > 0.5) == bool(y)
        g = [a + (p - y) * b / len(pumpen) for a, b in zip(g, x)]
    #: loss
    *g, verlust, treffer = tausche(runde, [*g, verlust, treffer / len(pumpen)])
    w = [a - 0.6 * b for a, b in zip(w, g)]
    if ICH == 0 and runde % ZEIGE == 0:
        sage(f"Runde {runde} von {RUNDEN}: Verlust {verlust:.4f}, richtig {100 * treffer:.1f} %")
    #: after
    time.sleep(PAUSE)
#: late
if ICH == 0:
    sage(f"fertig nach {RUNDEN} Runden, Verlust {verlust:.4f}")
'''
FILES = {"WEIRS": "weirs.py", "LACE": "lace.py", "BOTEN": "boten.py"}
