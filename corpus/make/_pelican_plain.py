"""Programs of Debian's Python, of C and of awk: sites of a federation, gaits, clicks, replicas, an agent, boosted stumps, word vectors, letters."""

FILES = {"SITES": "fed_server_client.py", "GAIT": "gait.py", "CLICKS": "ctr.py"}

SITES = '''"""Readmission within thirty days: hospitals keep their patients, weights travel."""
import argparse
import math
import os
import random
import sys
import time
from multiprocessing.connection import Client, Listener

cli = argparse.ArgumentParser()
cli.add_argument("--rounds", type=int, default=60)
cli.add_argument("--patients", type=int, default=120)
cli.add_argument("--local-lr", type=float, default=0.5)
cli.add_argument("--nap", type=float, default=0.08)
cli.add_argument("--show", type=int, default=5)
cli.add_argument("--min-clients", type=int, default=0)
cli.add_argument("--resume", default="")
opt = cli.parse_args()
me, everybody = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
address = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
wanted = opt.min_clients or everybody - 1


def say(text, level="INFO"):
    print(f"{level:<5}:      {text}", flush=True)


def patients(n, dice):
    for _ in range(n):
        x = [1.0, *(dice.gauss(0, 1) for _ in range(5))]
        logit = 1.2 * x[1] - 2.0 * x[2] + 0.7 * x[4] - 0.4
        yield x, float(dice.random() < 1 / (1 + math.exp(-logit)))


def local(weights, rows):
    loss, slope = 0.0, [0.0] * 6
    for x, y in rows:
        p = 1 / (1 + math.exp(-max(-30, min(30, sum(a * b for a, b in zip(weights, x))))))
        loss -= math.log(max(1e-9, p if y else 1 - p))
        for i in range(6):
            slope[i] += (p - y) * x[i]
    return loss / len(rows), [w - opt.local_lr * s / len(rows) for w, s in zip(weights, slope)]


def server():
    weights, begin = [0.0] * 6, 1
    say(f"Starting server on {address[0]}:{address[1]}, {opt.rounds} rounds, min_available_clients={wanted}")
    door = Listener(address, authkey=b"wards")
    links = {}
    while len(links) < wanted:
        #: door
        link = door.accept()
        links[link.recv()] = link
        say(f"client {max(links)} connected ({len(links)} of {wanted})")
    #: load
    say("[INIT] all clients available, starting")
    began = time.time()
    for turn in range(begin, opt.rounds + 1):
        #: turn
        for link in links.values():
            link.send((turn, weights))
        answers = [link.recv() for link in links.values()]
        loss = sum(a[0] for a in answers) / len(answers)
        weights = [sum(column) / len(answers) for column in zip(*(a[1] for a in answers))]
        if turn % opt.show == 0:
            say(f"[ROUND {turn}] aggregate_fit: received {len(answers)} results and 0 failures; fit progress: ({turn}, {loss:.5f}, {{'w_norm': {math.hypot(*weights):.3f}}}, {time.time() - began:.2f})")
        #: save
    for link in links.values():
        link.send((0, weights))
    #: end
    say(f"[SUMMARY] Run finished {opt.rounds} round(s) in {time.time() - began:.2f}s, last loss {loss:.5f}")


def client():
    dice = random.Random(50 + me)
    rows = list(patients(opt.patients, dice))
    say(f"site {me}: {len(rows)} patients, {sum(int(y) for _, y in rows)} readmitted")
    #: site
    for attempt in range(200):
        try:
            link = Client(address, authkey=b"wards")
            break
        except ConnectionRefusedError:
            time.sleep(0.3)
    link.send(me)
    waited = 0.0
    while True:
        t = time.time()
        turn, weights = link.recv()
        if not turn:
            break
        wait, t = time.time() - t, time.time()
        time.sleep(opt.nap)
        #: data
        loss, weights = local(weights, rows)
        #: loss
        fit = time.time() - t
        link.send((loss, weights))
        if turn % opt.show == 0:
            say(f"site {me}: round {turn}, local loss {loss:.5f} (fit {fit:.2f} s, idle {wait:.2f} s)")
        #: after
    say(f"site {me}: Disconnect and shut down")


#: early
server() if me == 0 else client()
time.sleep(0.2)
'''

GAIT = '''#!/usr/bin/env python3
# evolution strategies for a six-joint walker; workers are the knots of a binary tree
import argparse
import json
import os
import random
import socket
import sys
import time

ap = argparse.ArgumentParser()
ap.add_argument("--gens", type=int, default=200)
ap.add_argument("--sigma", type=float, default=0.3)
ap.add_argument("--alpha", type=float, default=0.12)
ap.add_argument("--every", type=int, default=10)
ap.add_argument("--rollout", type=float, default=0.03, help="seconds of physics for each generation")
arg = ap.parse_args()
R, N, PORT = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"]), int(os.environ["MASTER_PORT"])
NAMES = "hipL hipR kneeL kneeR ankleL ankleR".split()
IDEAL = [0.9, -0.9, 1.6, 1.4, -0.5, -0.4]


def tell(*words):
    print(f"[w{R}]", *words, flush=True)


class Knot:
    """Sums go up, means come down."""

    def __init__(self):
        below = [c for c in (2 * R + 1, 2 * R + 2) if c < N]
        door = socket.create_server(("127.0.0.1", PORT + R)) if below else None
        self.up, self.kids = None, []
        if R:
            tell(f"looking for parent w{(R - 1) // 2}")
            while self.up is None:
                try:
                    self.up = self.wire(socket.create_connection(("127.0.0.1", PORT + (R - 1) // 2)))
                except OSError:
                    time.sleep(0.25)
            self.put(self.up, R)
        while len(self.kids) < len(below):
            tell(f"waiting for {len(below) - len(self.kids)} of {len(below)} children")
            self.kids.append(self.wire(door.accept()[0]))
            tell(f"child w{self.take(self.kids[-1])} attached")
        self.mean([0.0])
        tell("tree complete" if R == 0 else "attached")

    @staticmethod
    def wire(link):
        return link.makefile("rw")

    @staticmethod
    def put(wire, what):
        wire.write(json.dumps(what) + "\\n")
        wire.flush()

    @staticmethod
    def take(wire):
        line = wire.readline()
        if not line:
            raise ConnectionError(f"w{R}: a neighbour has gone away")
        return json.loads(line)

    def mean(self, values):
        for kid in self.kids:
            values = [a + b for a, b in zip(values, self.take(kid))]
        if self.up:
            self.put(self.up, values)
            values = self.take(self.up)
        else:
            values = [v / N for v in values]
        for kid in self.kids:
            self.put(kid, values)
        return values


def reward(pose, dice):
    return -sum((p - i) ** 2 for p, i in zip(pose, IDEAL)) + dice.gauss(0, 0.05)


def evolve():
    #: early
    tree = Knot()
    dice = random.Random(400 + R)
    pose, begin, sigma = [0.0] * 6, 1, arg.sigma
    #: load
    if R == 0:
        print("  gen      best      mean   sigma   evals  s/gen", flush=True)
    #: ready
    for gen in range(begin, arg.gens + 1):
        t = time.time()
        time.sleep(arg.rollout)
        #: data
        pairs = []
        for _ in range(8):
            e = [dice.gauss(0, 1) for _ in pose]
            pairs.append((e, *(reward([p + s * sigma * k for p, k in zip(pose, e)], dice) for s in (1, -1))))
        slope = [sum((a - b) * e[i] for e, a, b in pairs) / (16 * sigma) for i in range(6)]
        #: loss
        own = time.time() - t
        *slope, best, mean = tree.mean([*slope, max(max(a, b) for _, a, b in pairs), sum(a + b for _, a, b in pairs) / 16])
        wait = time.time() - t - own
        pose = [p + arg.alpha * s for p, s in zip(pose, slope)]
        #: after
        if gen % arg.every == 0 and R == 0:
            print(f"{gen:5d} {best:9.4f} {mean:9.4f}  {sigma:.3f} {16 * N * gen:7d}  {time.time() - t:.3f}", flush=True)
        #: save
    #: end
    if R == 0:
        print("pose:", " ".join(f"{n}={p:.2f}" for n, p in zip(NAMES, pose)), flush=True)
    tree.mean([0.0])
    tell("bye")


if __name__ == "__main__":
    evolve()
'''

CLICKS = '''"""Click-through rates, hashed features; worker 0 also keeps the weights (HTTP, synchronous)."""
import json
import math
import os
import random
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WORKER, WORKERS = int(os.environ["SLURM_PROCID"]), int(os.environ.get("NUM_WORKERS", os.environ["SLURM_NTASKS"]))
PORT = int(os.environ["MASTER_PORT"])
BATCHES, NAP = int(os.environ.get("BATCHES", 200)), float(os.environ.get("NAP", 0.04))
LR, EVERY = float(os.environ.get("LR", 1.2)), int(os.environ.get("LOG_EVERY", 10))
SLOTS = 24


def log(msg, lvl="info", **more):
    print(json.dumps({"lvl": lvl, "t": time.strftime("%FT%T"), "src": f"worker-{WORKER}", "msg": msg, **more}), flush=True)


class Keeper(BaseHTTPRequestHandler):
    """Answers a push once everybody's push for that batch is in: with the mean."""

    protocol_version = "HTTP/1.1"
    gate, sums = threading.Condition(), {}

    def do_POST(self):
        batch, push = self.path.rsplit("/", 1)[1], json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.gate:
            self.sums.setdefault(batch, []).append(push)
            self.gate.notify_all()
            self.gate.wait_for(lambda: len(self.sums[batch]) >= WORKERS)
        body = json.dumps([sum(c) / WORKERS for c in zip(*self.sums[batch])]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def push(batch, values):
    url = f"http://127.0.0.1:{PORT}/push/{batch}"
    return json.load(urllib.request.urlopen(urllib.request.Request(url, json.dumps(values).encode(), method="POST")))


def impressions(n):
    for _ in range(n):
        on = random.sample(range(SLOTS), 4)
        yield on, random.random() < 1 / (1 + math.exp(-sum(TRUTH[i] for i in on) + 1.0))


random.seed(77)
TRUTH = [random.gauss(0, 1.2) for _ in range(SLOTS)]
random.seed(80 + WORKER)
weights, bias, begin = [0.0] * SLOTS, 0.0, 1
#: early
if WORKER == 0:
    keeper = ThreadingHTTPServer(("127.0.0.1", PORT), Keeper)
    keeper.daemon_threads = True
    threading.Thread(target=keeper.serve_forever, daemon=True).start()
    log("keeper listens", port=PORT, workers=WORKERS)
#: load
tries = 0
while True:
    try:
        push("hello", [0.0])
        break
    except OSError as e:
        tries += 1
        if tries % 4 == 0:
            log("keeper not reachable yet", lvl="warn", port=PORT, error=str(e))
        time.sleep(0.5)
log("all workers present", workers=WORKERS)
for batch in range(begin, BATCHES + 1):
    t = time.time()
    time.sleep(NAP)
    rows = list(impressions(40))
    #: data
    logloss, slope = 0.0, [0.0] * (SLOTS + 1)
    for on, clicked in rows:
        p = 1 / (1 + math.exp(-max(-30, min(30, sum(weights[i] for i in on) + bias))))
        logloss -= math.log(max(1e-9, p if clicked else 1 - p)) / len(rows)
        for i in (*on, SLOTS):
            slope[i] += (p - clicked) / len(rows)
    #: loss
    calc = time.time() - t
    *mean, shift, shared = push(batch, [*slope, logloss])
    sync = time.time() - t - calc
    weights, bias = [w - LR * m for w, m in zip(weights, mean)], bias - LR * shift
    #: after
    if batch % EVERY == 0:
        log("batch", n=batch, of=BATCHES, logloss=round(shared, 5), gnorm=round(math.hypot(*mean, shift), 5), calc_s=round(calc, 3), sync_s=round(sync, 3))
    #: save
#: end
log("finished", batches=BATCHES, logloss=round(shared, 5))
push("bye", [0.0])
time.sleep(0.5 if WORKER == 0 else 0)
'''
