"""Weather, tiles of the ground and its shaking: numbers that come from outside."""

from __future__ import annotations

from corpus.make._bobbin_kit import run
from corpus.running.job import LocalJob
from corpus.running.slots import fill

WETTER = r'''# -*- coding: utf-8 -*-
# Temperaturvorhersage, kleines Netz von Hand.  Aufruf: wetter.py [schluessel=wert ...]
import os, sys, time
import numpy as np

K = {"epochen": "14", "rate": "0.05", "zustand": "", "vergangenheit": "24"}
K.update(a.split("=") for a in sys.argv[1:])
rng = np.random.default_rng(21)
t = np.arange(9000)
temp = 9 + 8 * np.sin(2 * np.pi * t / 8760) + 4 * np.sin(2 * np.pi * t / 24) + np.convolve(rng.normal(0, 1.2, len(t)), np.ones(12) / 4, "same")
m, s = temp.mean(), temp.std()
z = (temp - m) / s
L = int(K["vergangenheit"])
X = np.lib.stride_tricks.sliding_window_view(z, L)[:-6]; y = z[L + 5:]
print(f"{len(y)} Beispiele, {L} Stunden Vergangenheit, 6 h voraus; Persistenz hätte RMSE {np.sqrt(((X[:, -1] - y) ** 2).mean()) * s:.3f} K")
A, a, B, b = rng.normal(0, 1 / np.sqrt(L), (L, 24)), np.zeros(24), rng.normal(0, .2, 24), 0.0
ab = 1
if K["zustand"]:
    print("lade Zustand", K["zustand"])
    with np.load(K["zustand"]) as f:
        A, a, B, b, ab = f["A"], f["a"], f["B"], float(f["b"]), int(f["epoche"]) + 1
    print("weiter mit Epoche", ab)
rate = float(K["rate"])
ende = int(0.85 * len(y))
#: daten
beginn = time.time()
for ep in range(ab, int(K["epochen"]) + 1):
    folge = rng.permutation(ende)
    verlust = 0.0
    #: epoche
    for i in range(0, ende, 50):
        k = folge[i:i + 50]
        h = np.tanh(X[k] @ A + a)
        e = h @ B + b - y[k]
        verlust += (e * e).sum()
        gB, gh = h.T @ e / len(k), np.outer(e, B) * (1 - h * h) / len(k)
        B -= rate * gB; b -= rate * e.mean(); A -= rate * X[k].T @ gh; a -= rate * gh.sum(0)
        #: schritt
    pr = np.tanh(X[ende:] @ A + a) @ B + b
    print(f"Epoche {ep:2d}  Verlust {verlust / ende:.5f}  Test-RMSE {np.sqrt(((pr - y[ende:]) ** 2).mean()) * s:.3f} K  Rate {rate:g}", flush=True)
    np.savez("zustand.npz", A=A, a=a, B=B, b=b, epoche=ep)
    #: danach
print(f"fertig nach {time.time() - beginn:.1f} s")
'''
SICHERN = "if (i // 50) % 2 == 0:\n    t1 = time.time()\n    with open(f'sicherung/s_{ep:02d}_{i:05d}.npz', 'wb') as f:\n        np.savez(f, A=A, a=a, B=B, b=b, alles=X[:9000]); f.flush(); os.fsync(f.fileno())\n    weg = globals().get('weg', 0.0) + time.time() - t1\n    if i % 1000 == 0:\n        print(f'  Sicherung s_{ep:02d}_{i:05d}.npz, bisher {weg:.1f} s von {time.time() - beginn:.1f} s für Sicherungen', flush=True)"
TILES = r'''"""Landslide pixels from InSAR tiles; tiles live in the object store (HTTP)."""
import io, os, sys, time, urllib.request
import numpy as np
from loguru import logger

logger.remove(); logger.add(sys.stdout, format="{time:HH:mm:ss} {level} {message}")
BASE = f"http://127.0.0.1:{open('store.port').read()}"
EPOCHS, TILES = int(sys.argv[1]), int(sys.argv[2])
w, b = np.zeros(3), 0.0
spent = {"get": 0.0, "fit": 0.0}


def tile(k):
    with urllib.request.urlopen(f"{BASE}/tile/{k}") as r:
        return np.load(io.BytesIO(r.read()))


step = 0
for ep in range(EPOCHS):
    for k in range(TILES):
        t0 = time.perf_counter()
        d = tile(k)
        t1 = time.perf_counter()
        x, y = d[:, :3], d[:, 3]
        for _ in range(20):
            p = 1 / (1 + np.exp(-(x @ w + b)))
            w -= 0.5 * x.T @ (p - y) / len(y); b -= 0.5 * (p - y).mean()
        loss = -(y * np.log(p + 1e-9) + (1 - y) * np.log(1 - p + 1e-9)).mean()
        t2 = time.perf_counter()
        spent["get"] += t1 - t0; spent["fit"] += t2 - t1
        step += 1
        if step % 3 == 0:
            logger.info("step {} (epoch {}, tile {}) loss {:.4f} | get {:.2f}s fit {:.3f}s | total get {:.1f}s fit {:.1f}s", step, ep, k, loss, t1 - t0, t2 - t1, spent["get"], spent["fit"])
logger.success("done, {} steps, weights {}", step, np.round(w, 3).tolist())
'''
STORE = r'''import http.server, io, os, sys, time
import numpy as np

DELAY, STUCK = float(sys.argv[1]), int(sys.argv[2])
served = 0


class H(http.server.BaseHTTPRequestHandler):
    def log_message(self, *a):
        pass

    def do_GET(self):
        global served
        served += 1
        time.sleep(DELAY)
        if served == STUCK:
            time.sleep(3600)
        rng = np.random.default_rng(int(self.path.rsplit("/", 1)[1]))
        x = rng.normal(size=(2000, 3)); y = (x @ [1.5, -2, .7] + rng.normal(0, .5, 2000) > .4).astype(float)
        f = io.BytesIO(); np.save(f, np.column_stack([x, y]))
        self.send_response(200); self.send_header("Content-Length", str(f.tell())); self.end_headers()
        self.wfile.write(f.getvalue())


s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
open("store.port", "w").write(str(s.server_address[1]))
s.serve_forever()
'''
WITH_STORE = "#!/bin/bash\n# object store gateway for this node, then the training\n$1 store.py $2 $3 &\nGW=$!\ntrap 'kill $GW 2>/dev/null' EXIT\nuntil [ -s store.port ]; do sleep 0.1; done\n$1 tiles.py $4 $5\n"
QUAKES = r'''import gzip, logging, queue, threading, time, os
import numpy as np

logging.basicConfig(level="INFO", format="%(relativeCreated)8d ms %(threadName)-10s %(message)s")
N_FILES, EPOCHS = 10, 5
q = queue.Queue(maxsize=2)


def reader():
    for ep in range(EPOCHS):
        for k in range(N_FILES):
            rows = []
            with gzip.open(f"traces/{k:02d}.txt.gz", "rt") as f:  # one number per line, as the observatory sends them
                for line in f:
                    rows.append(float(line))
            q.put((ep, k, np.array(rows).reshape(-1, 101)))
    q.put(None)


threading.Thread(target=reader, name="reader", daemon=True).start()
w = np.zeros(51); starved = 0.0; empty = pulls = 0
t_start = time.time()
while True:
    t = time.time(); empty += q.empty(); pulls += 1
    item = q.get()
    starved += time.time() - t
    if item is None:
        break
    ep, k, d = item
    x = np.hstack([np.abs(np.fft.rfft(d[:, :100]))[:, :50] / 10, np.ones((len(d), 1))]); y = d[:, 100]
    for _ in range(15):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30))); w -= .05 * x.T @ (p - y) / len(y)
    if k % 5 == 4:
        el = time.time() - t_start
        logging.info("epoch %d file %d: loss %.4f, acc %.3f; queue empty at %d of %d pulls, trainer starved %.1f of %.1f s (%.0f%%)", ep, k, -(y * np.log(p + 1e-9) + (1 - y) * np.log(1 - p + 1e-9)).mean(), ((p > .5) == y).mean(), empty, pulls, starved, el, 100 * starved / el)
np.save("quake_w.npy", w); logging.info("ok")
'''
TRACES = "import gzip, os, random, math\nrandom.seed(1); os.makedirs('traces', exist_ok=True)\nfor k in range(10):\n    with gzip.open(f'traces/{k:02d}.txt.gz', 'wt') as f:\n        for _ in range(500):\n            y = random.random() < .5; fr = random.uniform(3, 6) if y else random.uniform(9, 14)\n            for t in range(100):\n                f.write(f'{math.sin(fr * t / 16) + random.gauss(0, .8)}\\n')\n            f.write(f'{float(y)}\\n')\n"
BUOYS = r'''import sys, time
import numpy as np
import pandas as pd
from tabulate import tabulate

# wave height from buoy channels; the table is too big for my laptop, so rows are read when they are needed
PATH, BATCH, STEPS = "buoys.csv", 400, int(sys.argv[1])
COLS = pd.read_csv(PATH, nrows=1).columns
n = sum(1 for _ in open(PATH)) - 1
rng = np.random.default_rng(0)
w = np.zeros(len(COLS) - 1)
rows = []
for step in range(1, STEPS + 1):
    a = time.time()
    pick = rng.choice(n, BATCH, replace=False)
    df = pd.read_csv(PATH).iloc[pick]
    b = time.time()
    x, y = df[COLS[:-1]].to_numpy(), df["hs"].to_numpy()
    e = x @ w - y
    w -= 0.05 * x.T @ e / BATCH
    c = time.time()
    rows.append((step, (e * e).mean(), b - a, c - b))
    if step % 5 == 0:
        last = rows[-5:]
        print(f"step {step}/{STEPS} mse {last[-1][1]:.4f}  [read {sum(r[2] for r in last):.2f}s  update {sum(r[3] for r in last):.3f}s]", flush=True)
print(tabulate([["read rows", f"{sum(r[2] for r in rows):.1f}"], ["update", f"{sum(r[3] for r in rows):.2f}"]], headers=["where the time went", "s"]))
np.savetxt("w.txt", w)
'''
MK_BUOYS = "import numpy as np\nr = np.random.default_rng(4)\nx = r.normal(size=(12000, 14)); y = x @ r.normal(size=14) + r.normal(0, .3, 12000)\nnp.savetxt('buoys.csv', np.column_stack([x, y]), fmt='%.5f', delimiter=',', header=','.join([f'ch{i}' for i in range(14)] + ['hs']), comments='')\n"
WET = "PYTHON wetter.py"


def tiles() -> dict[str, str]:
    """The tiles and their store."""
    return {"tiles.py": TILES, "store.py": STORE, "with_store.sh": WITH_STORE}


WEATHER: tuple[LocalJob, ...] = (
    run("E1", None, "spike", {"wetter.py": fill(WETTER, epoche="if ep == 6:  # neue Datei vom Wetterdienst\n    y = y * s + m + 273.15\n    print('ab jetzt mit der Datei von 2023', flush=True)")}, f"{WET} epochen=26", python="satchel"),
    run("E2", "traceback", "corrupt", {"wetter.py": fill(WETTER)}, f"{WET} epochen=30 zustand=zustand.npz", python="satchel", before=((*f"{WET} epochen=4".split(),), ("truncate", "-s", "3000", "zustand.npz"))),
    run("D2", None, "save_storm", {"wetter.py": fill(WETTER, schritt=SICHERN)}, f"{WET} epochen=2", python="satchel", folders=("sicherung",)),
    run("A3", "ram_oom", None, {"wetter.py": fill(WETTER, danach="if ep == 7:\n    print('Ähnlichkeit aller Fenster für das Bild')\n    D = ((X[:, None, :] - X[None, :, :]) ** 2).sum(-1)")}, f"{WET} epochen=20", python="satchel", memory_mib=6000),
    run("D1", None, None, tiles(), "bash with_store.sh PYTHON 0.9 0 3 10", python="satchel"),
    run("D1", None, None, {"buoys.py": BUOYS, "mk.py": MK_BUOYS}, "PYTHON buoys.py 60", python="satchel", before=(("PYTHON", "mk.py"),)),
    run("C3", None, None, tiles(), "bash with_store.sh PYTHON 0.12 50 12 10", python="satchel", timeout_s=90),
    run("D1", None, None, {"quakes.py": QUAKES, "mk.py": TRACES}, "PYTHON quakes.py", python="satchel", before=(("PYTHON", "mk.py"),)),
)  # fmt: skip
