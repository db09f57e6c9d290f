"""Programs without libraries, of several hands and languages, alone or in groups that meet by files, datagrams or a hub of sockets."""

from __future__ import annotations

NOTES = '''"""Exchange over the shared file system: slow, but works everywhere (no MPI on the small partition)."""
import json
import os
import pathlib
import time


class Notes:
    def __init__(self, place, me, n, poll=0.05):
        self.place, self.me, self.n, self.poll = pathlib.Path(place), me, n, poll
        self.place.mkdir(parents=True, exist_ok=True)

    def gather(self, tag, value):
        mine = self.place / f"{tag}.{self.me}"
        tmp = mine.with_suffix(f".{self.me}.tmp")
        tmp.write_text(json.dumps(value))
        tmp.rename(mine)
        out = []
        for other in range(self.n):
            path = self.place / f"{tag}.{other}"
            while not path.exists():
                time.sleep(self.poll)
            out.append(json.loads(path.read_text()))
        return out

    def mean(self, tag, value):
        got = self.gather(tag, value)
        return sum(got) / len(got)
'''

GOSSIP = '''import os, select, socket, struct, time
PORT = int(os.environ["PORT"])

class Gossip:
    """averages a float over all peers with UDP, resends until everyone has answered"""
    def __init__(self, rank, size):
        self.rank, self.size, self.round, self.box, self.sent = rank, size, 0, {}, {}
        self.s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.s.bind(("127.0.0.1", PORT + rank))

    def _send(self, to, rnd, again=0):
        self.s.sendto(struct.pack("iidi", rnd, self.rank, self.sent[rnd], again), ("127.0.0.1", PORT + to))

    def average(self, value):
        self.round += 1
        self.sent[self.round] = value
        peers = [p for p in range(self.size) if p != self.rank]
        while True:
            for p in peers:
                self._send(p, self.round)
            end = time.time() + 0.4
            while time.time() < end:
                ready, _, _ = select.select([self.s], [], [], 0.1)
                while ready:
                    rnd, who, v, again = struct.unpack("iidi", self.s.recv(64))
                    self.box[rnd, who] = v
                    if rnd < self.round and not again:
                        self._send(who, rnd, 1)
                    ready, _, _ = select.select([self.s], [], [], 0)
                if all((self.round, p) in self.box for p in peers):
                    return (value + sum(self.box[self.round, p] for p in peers)) / self.size
'''

HUB = '''import os, socket, time

class Hub:
    """worker 0 collects one line from everybody and sends the mean back"""
    def __init__(self, wid, total, port, verbose=True):
        self.wid, self.total, self.files = wid, total, {}
        if wid == 0:
            srv = socket.create_server(("127.0.0.1", port), backlog=total)
            srv.settimeout(15)
            while len(self.files) < total - 1:
                try:
                    conn, _ = srv.accept()
                except TimeoutError:
                    if verbose:
                        print(f"[hub] {len(self.files) + 1}/{total} workers connected, waiting for the rest", flush=True)
                    continue
                conn.settimeout(None)
                f = conn.makefile("rw")
                self.files[int(f.readline())] = f
            if verbose:
                print(f"[hub] {total}/{total} workers connected", flush=True)
        else:
            while True:
                try:
                    conn = socket.create_connection(("127.0.0.1", port))
                    break
                except OSError:
                    time.sleep(0.3)
            conn.settimeout(None)
            self.files[0] = conn.makefile("rw")
            self.files[0].write(f"{wid}\\n")
            self.files[0].flush()

    def read(self, k):
        line = self.files[k].readline()
        if not line:
            raise ConnectionResetError(f"worker {self.wid}: connection to worker {k} closed")
        return float(line)

    def mean(self, x):
        if self.wid == 0:
            x = (x + sum(self.read(k) for k in sorted(self.files))) / self.total
        for f in self.files.values():
            f.write(f"{x}\\n")
            f.flush()
        return x if self.wid == 0 else self.read(0)
'''

ORTE = '''# Bodenfeuchte aus Radardaten - Regression je Rasterzelle
import math, os, random, sys, time
from austausch import @meet@
#: top
RANG = int(os.environ["SLURM_PROCID"])
ANZAHL = int(os.environ["SLURM_NTASKS"])

def melde(text):
    print(time.strftime("%d.%m.%Y %H:%M:%S"), f"[Prozess {RANG}]", text, flush=True)

#: early
melde(f"gestartet, {ANZAHL} Prozesse insgesamt, warte auf die anderen")
netz = @join@
mittel = @mean@
netz.gather("start", RANG)
melde("alle da")
zufall = random.Random(17 * RANG + 1)
a, b = 0.0, 0.0
beginn = 1
#: setup
for durchlauf in range(beginn, @total@ + 1):
    punkte = [(x, 0.42 * x + 0.13 + zufall.gauss(0, 0.05)) for x in (zufall.random() for _ in range(40))]
    da = sum((a * x + b - y) * x for x, y in punkte) / 20
    db = sum((a * x + b - y) for x, y in punkte) / 20
    fehler = math.sqrt(sum((a * x + b - y) ** 2 for x, y in punkte) / 40)
    #: step
    a -= 0.15 * mittel("a%d" % durchlauf, da)
    b -= 0.15 * mittel("b%d" % durchlauf, db)
    time.sleep(@pause@)
    if durchlauf % @every@ == 0:
        melde(f"Durchlauf {durchlauf} von @total@: Fehler (RMSE) {fehler:.4f}, Steigung {a:.3f}, Achsenabschnitt {b:.3f}".replace(".", ","))
    #: after
#: late
melde("Training beendet")
'''
ORTE_DEFAULTS = {"meet": "Notes", "join": "Notes('tausch', RANG, ANZAHL)", "mean": "netz.mean", "total": 200, "every": 20, "pause": 0.03}

PPO = '''import math, os, random, sys, time
#: top
random.seed(@seed@)
theta, v, ent = 0.0, 0.0, 1.2
steps, began = 0, time.time()
print("Using cpu device"); print("Wrapping the env with a `Monitor` wrapper")
#: setup
for it in range(@first@, @total@ + 1):
    rets = []
    for ep in range(8):
        #: episode
        good = 1 / (1 + math.exp(-theta))
        rets.append(sum(1 for _ in range(200) if random.random() < 0.3 + 0.68 * good) * @scale@ - @shift@)
        steps += 200
    adv = sum(rets) / 8 - v
    v += 0.3 * adv
    #: step
    theta += @lr@ * (1 + random.gauss(0, 0.8))
    ent *= 0.985
    time.sleep(@pause@)
    if it % @every@ == 0:
        print("-" * 42)
        for k, val in (("rollout/", ""), ("   ep_len_mean", 200), ("   ep_rew_mean", f"{sum(rets) / 8:.1f}"), ("time/", ""), ("   fps", int(steps / (time.time() - began))), ("   iterations", it), ("   total_timesteps", steps), ("train/", ""), ("   approx_kl", f"{abs(random.gauss(0.008, 0.003)):.6f}"), ("   clip_fraction", f"{random.uniform(0.02, 0.2):.3f}"), ("   entropy_loss", f"{-ent:.3f}"), ("   explained_variance", f"{random.uniform(-0.3, 0.9):.3f}"), ("   policy_gradient_loss", f"{random.gauss(-0.006, 0.006):.5f}"), ("   value_loss", f"{adv * adv * 0.5 + random.uniform(0, 9):.2f}")):
            print(f"| {k:<24}| {val!s:<13}|")
        print("-" * 42, flush=True)
    #: after
#: late
print(f"Saved policy to ppo_{steps}.zip")
'''
PPO_DEFAULTS = {"seed": 4, "total": 60, "every": 6, "lr": 0.07, "pause": 0.2, "scale": 1, "shift": 0, "first": 1}

DCGAN = '''import random, time, math, os
#: top
random.seed(@seed@)
print("Random Seed: ", @seed@)
print("Starting Training Loop...")
d, g = 0.0, -2.0
#: setup
for epoch in range(@epochs@):
    for i in range(@iters@):
        dx = 1 / (1 + math.exp(-(1.5 + d + random.gauss(0, .6))))
        dgz1 = 1 / (1 + math.exp(-(g - d + random.gauss(0, .8))))
        dgz2 = dgz1 * random.uniform(.5, .98)
        lossd = -math.log(dx) - math.log(1 - dgz1)
        lossg = -math.log(dgz2)
        #: step
        d += .02 * (1 - dx) ; g += .02 * (1 - dgz2) - .012 * random.random() * g
        time.sleep(@pause@)
        if i % @every@ == 0:
            print('[%d/%d][%d/%d]\\tLoss_D: %.4f\\tLoss_G: %.4f\\tD(x): %.4f\\tD(G(z)): %.4f / %.4f' % (epoch, @epochs@, i, @iters@, lossd, lossg, dx, dgz1, dgz2), flush=True)
    #: valid
#: late
print("done, samples in fakes_epoch_%03d.png" % (@epochs@ - 1))
'''
DCGAN_DEFAULTS = {"seed": 999, "epochs": 5, "iters": 80, "every": 20, "pause": 0.04}

THEMES = '''# -*- coding: utf-8 -*-
# Modèle de thèmes sur les procès-verbaux (1871-1914)
import json, math, os, random, sys, time
#: top
LOT = int(os.environ.get("SLURM_ARRAY_TASK_ID", "0"))
def dire(*mots):
    sys.stderr.write("%s lot %d : %s\\n" % (time.strftime("%Hh%M:%S"), LOT, " ".join(str(m) for m in mots)))
hasard = random.Random(LOT)
dire("lecture du corpus…", "2 418 séances,", "vocabulaire de 31 077 formes")
#: early
perplexite, themes = 2900.0 + 40 * LOT, 20 + 5 * LOT
passe = @first@
#: setup
while passe < @total@:
    passe += 1
    #: step
    perplexite -= (perplexite - 1180 - 3 * themes) * 0.07 * hasard.uniform(0.7, 1.2)
    time.sleep(@pause@)
    if passe % @every@ == 0:
        dire(f"passe {passe}/@total@, perplexité {perplexite:.1f}, variation {hasard.uniform(0.1, 2):.2e}")
    #: after
#: late
dire("terminé ;", themes, "thèmes écrits dans themes.json")
'''
THEMES_DEFAULTS = {"total": 60, "every": 5, "pause": 0.25, "first": 0}

FED = '''import json, os, random, sys, time, uuid
from @module@ import @cls@
#: top
SITE = int(os.environ["SLURM_PROCID"]); SITES = int(os.environ["SLURM_NTASKS"])
def out(kind, **kw):
    print(json.dumps(dict(t=round(time.time(), 3), site=SITE, kind=kind, **kw)), flush=True)
#: early
out("boot", pid=os.getpid(), sites=SITES, secagg=False)
link = @join@
out("ready")
rnd0, w = 1, [0.0, 0.0, 0.0]
rng = random.Random(SITE * 31 + 5)
truth = [1.1, -0.7, 0.2]
#: setup
for rnd in range(rnd0, @total@ + 1):
    n = 60 + 20 * SITE
    rows = [[rng.gauss(0, 1) for _ in w] for _ in range(n)]
    err = [sum((a - b) * x for a, b, x in zip(w, truth, r)) + rng.gauss(0, 0.1) for r in rows]
    loss = sum(e * e for e in err) / n
    #: step
    for k in range(3):
        w[k] -= 0.12 * @mean@(sum(e * r[k] for e, r in zip(err, rows)) / n)
    time.sleep(@pause@)
    if rnd % @every@ == 0:
        out("round", n=rnd, of=@total@, examples=n, train_loss=round(loss, 6), drift=round(abs(w[0] - truth[0]), 4))
    #: after
#: late
out("end", rounds=@total@)
'''
FED_DEFAULTS = {"module": "hub", "cls": "Hub", "join": "Hub(SITE, SITES, int(os.environ['PORT']), verbose=False)", "mean": "link.mean", "total": 150, "every": 10, "pause": 0.05}
