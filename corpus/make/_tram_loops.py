"""Programs of several ranks in plain Python and Bash: sums up a tree of sockets, a board behind HTTP, a hub of connections, files that all wait for. Places for code: ``#: name``."""

from __future__ import annotations

MELT = '''"""Fits how castings cool; each worker has a piece of the mould, sums go up a tree and means come down."""
import argparse
import json
import math
import os
import pickle
import socket
import struct
import sys
import time
from datetime import datetime
from random import Random

ME, ALL = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
BASE = int(os.environ["PORT"])
REJOIN = os.environ.get("REJOIN") == "1"


def out(level, text, everyone=False):
    if ME and not everyone:
        return
    caller = sys._getframe(1)
    stamp = datetime.now().strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    who = f"[{ME}] " if everyone else ""
    sys.stderr.write(f"{stamp} | {level:<8} | __main__:{caller.f_code.co_name}:{caller.f_lineno} - {who}{text}\\n")


class Tree:
    def __init__(self):
        mine = [c for c in (2 * ME + 1, 2 * ME + 2) if c < ALL]
        self.up, self.down = None, []
        self.door = socket.create_server(("127.0.0.1", BASE + ME)) if mine else None
        if ME:
            self.climb()
        self.down = [self.door.accept()[0] for _ in mine]

    def climb(self):
        while True:
            try:
                self.up = socket.create_connection(("127.0.0.1", BASE + (ME - 1) // 2))
                return
            except ConnectionRefusedError:
                time.sleep(0.3)

    def get(self, link):
        data = b""
        while len(data) < 4 or len(data) < 4 + struct.unpack("!I", data[:4])[0]:
            part = link.recv(65536)
            if not part:
                raise ConnectionResetError(f"worker {ME}: peer closed its link")
            data += part
        return pickle.loads(data[4:])

    def put(self, link, thing):
        data = pickle.dumps(thing)
        link.sendall(struct.pack("!I", len(data)) + data)

    def mean(self, values):
        total = list(values)
        for i, link in enumerate(self.down):
            while True:
                try:
                    theirs = self.get(link)
                    break
                except ConnectionResetError as why:
                    if not REJOIN:
                        raise
                    out("WARNING", f"{why}; door stays open for it", everyone=True)
                    link = self.down[i] = self.door.accept()[0]
                    out("INFO", "it is back", everyone=True)
            total = [a + b for a, b in zip(total, theirs)]
        if self.up:
            self.put(self.up, total)
            total = self.get(self.up)
        else:
            total = [t / ALL for t in total]
        for link in self.down:
            self.put(link, total)
        return total


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--iters", type=int, default=200)
    words.add_argument("--nap", type=float, default=0.04)
    words.add_argument("--each", type=int, default=10)
    words.add_argument("--eta", type=float, default=0.015)
    opt = words.parse_args()
    base = BASE
    #: early
    tree = Tree()
    out("INFO", f"tree of {ALL} workers is up")
    dice, theta, first = Random(100 + ME), [1.5, -0.5, 0.0], 1
    #: load
    for it in range(first, opt.iters + 1):
        #: data
        rows = [(dice.gauss(0, 1), dice.gauss(0, 1)) for _ in range(24)]
        errors = [theta[0] * a + theta[1] * b + theta[2] - (0.4 * a + 0.9 * b - 0.3 + dice.gauss(0, 0.25)) for a, b in rows]
        loss = sum(e * e for e in errors) / 24
        #: loss
        slope = [2 * sum(e * x for e, x in zip(errors, column)) / 24 for column in ([a for a, _ in rows], [b for _, b in rows], [1.0] * 24)]
        *slope, loss = tree.mean([*slope, loss])
        theta = [t - opt.eta * s for t, s in zip(theta, slope)]
        time.sleep(opt.nap)
        if it % opt.each == 0:
            out("INFO", f"iteration {it} of {opt.iters}: misfit {loss:.5f} K2, gradient {math.hypot(*slope):.4f}")
        #: after
    #: end
    out("SUCCESS", f"fitted in {opt.iters} iterations, theta = {[round(t, 3) for t in theta]}")


if __name__ == "__main__":
    main()
'''
POLLEN = '''import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random

rank = int(os.environ["SLURM_PROCID"])
world = int(os.environ.get("WORLD", os.environ["SLURM_NTASKS"]))
port = int(os.environ["PORT"])
days = int(os.environ.get("DAYS", "200"))
pause = float(os.environ.get("PAUSE", "0.04"))
step_log = int(os.environ.get("STEP_LOG", "10"))


def note(msg, lvl="info", **more):
    words = " ".join(f"{k}={v}" for k, v in more.items())
    print(f'ts={time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())} lvl={lvl} rank={rank} msg="{msg}"' + (f" {words}" if words else ""), flush=True)


board, refuse = {}, set()


class Board(BaseHTTPRequestHandler):
    def do_POST(self):
        turn, who = self.path.strip("/").split("/")
        value = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if (turn, who) in refuse:
            refuse.discard((turn, who))
            self.send_error(503)
            return
        board.setdefault(turn, {})[who] = value
        self.answer(len(board[turn]))

    def do_GET(self):
        said = board.get(self.path.strip("/"), {})
        self.answer(sum(said.values()) / world if len(said) == world else None)

    def answer(self, thing):
        body = json.dumps(thing).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def ask(path, data=None):
    for attempt in range(200):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", None if data is None else json.dumps(data).encode(), timeout=20) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            note(f"board said {error.code} {error.reason}, asking again", "error", attempt=attempt + 1)
            time.sleep(0.5)
        except (urllib.error.URLError, ConnectionError):
            if attempt == 199:
                raise
            time.sleep(0.25)


def mean(turn, value):
    ask(f"{turn}/{rank}", value)
    while (answer := ask(turn)) is None:
        time.sleep(0.15)
    return answer


#: early
if rank == 0:
    server = ThreadingHTTPServer(("127.0.0.1", port), Board)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    note("board is open", port=port, ranks=world)
mean("hello", 1.0)
note("all ranks have said hello") if rank == 0 else None
dice, bloom, first = Random(rank * 7 + 1), 2.5, 1
#: load
for day in range(first, days + 1):
    #: data
    counts = [0.6 + dice.gauss(0, 0.2) for _ in range(32)]
    loss = sum((bloom - c) ** 2 for c in counts) / 32
    #: loss
    pull = mean(f"d{day}", sum(bloom - c for c in counts) / 32)
    bloom -= 0.05 * pull
    time.sleep(pause)
    if day % step_log == 0:
        note("trained", step=day, of=days, mse=f"{loss:.5f}", bloom=f"{bloom:.4f}") if rank == 0 else None
    #: after
#: end
mean("bye", 0.0)
note("season is fitted", steps=days)
time.sleep(0.8 if rank == 0 else 0)
'''
MOTIF = '''import os
import sys
import time
from multiprocessing.connection import Client, Listener
from random import Random

RANG, TOUS = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
adresse = ("127.0.0.1", int(os.environ["PORT"]))
epoques = int(os.environ.get("EPOQUES", "10"))
pas_par_epoque = int(os.environ.get("PAS", "20"))
sieste = float(os.environ.get("SIESTE", "0.04"))


def barre(e, i, perte):
    plein = 20 * i // pas_par_epoque
    fin = "\\n" if i == pas_par_epoque else ""
    sys.stderr.write(f"\\rÉpoque {e}/{epoques}: {100 * i // pas_par_epoque:3d}%|{'#' * plein}{'.' * (20 - plein)}| {i}/{pas_par_epoque} perte={perte:.4f}{fin}")
    sys.stderr.flush()


def dire(*mots):
    sys.stderr.write(f"[{time.strftime('%H:%M:%S')}] ({RANG}) {' '.join(str(m) for m in mots)}\\n")


class Centre:
    """Le premier processus reçoit de tous, et répond à tous."""

    def __init__(self):
        self.liens = []
        if RANG == 0:
            with Listener(adresse, authkey=b"motif", backlog=64) as porte:
                attendus = set(range(1, TOUS))
                while attendus:
                    lien = porte.accept()
                    attendus.discard(lien.recv())
                    self.liens.append(lien)
        else:
            while True:
                try:
                    lien = Client(adresse, authkey=b"motif")
                    break
                except ConnectionRefusedError:
                    time.sleep(0.3)
            lien.send(RANG)
            self.liens.append(lien)

    def moyenne(self, valeur):
        if RANG:
            self.liens[0].send(valeur)
            return self.liens[0].recv()
        somme = (valeur + sum(lien.recv() for lien in self.liens)) / TOUS
        for lien in self.liens:
            lien.send(somme)
        return somme


#: early
centre = Centre()
if RANG == 0:
    dire("tous les", TOUS, "processus sont présents")
hasard, poids, depart = Random(11 * RANG + 2), 1.8, 1
#: load
for epoque in range(depart, epoques + 1):
    for pas in range(1, pas_par_epoque + 1):
        #: data
        ecarts = [poids - 0.35 - hasard.gauss(0, 0.12) for _ in range(16)]
        ecart, perte = sum(ecarts) / 16, sum(e * e for e in ecarts) / 16
        #: loss
        poids -= 0.04 * centre.moyenne(ecart)
        time.sleep(sieste)
        if RANG == 0 and pas % 5 == 0:
            barre(epoque, pas, perte)
        #: after
    #: epoch
#: end
if RANG == 0:
    dire("terminé : poids", round(poids, 4))
time.sleep(0.3)
'''
STOLLEN = '''#!/bin/bash
# Waermeleitung im Stollen: jeder Abschnitt rechnet fuer sich, nach jedem Takt warten alle aufeinander.
ich=$SLURM_PROCID alle=${ALLE:-$SLURM_NTASKS} takte=${TAKTE:-60} ruhe=${RUHE:-0.25}
treffen() {
    local da
    : > "treff/$1.$ich"
    while da=(treff/"$1".*); [ ${#da[@]} -lt "$alle" ]; do sleep 0.25; done
}
mkdir -p treff
#: early
treffen anfang
#: meet
[ "$ich" -ne 0 ] || printf '%8s %12s %12s %8s\\n' Takt Restfehler Temperatur Sekunden
fehler=80000 beginn=$SECONDS erster=1
#: load
for ((takt = erster; takt <= takte; takt++)); do
    #: data
    fehler=$((fehler - fehler / 18 + RANDOM % 9))
    treffen "t$takt"
    sleep "$ruhe"
    if ((ich == 0 && takt % 3 == 0)); then
        printf '%8d %5d.%06d %12s %8d\\n' "$takt" $((fehler / 10000)) $((fehler % 10000 * 100)) "$((11 + takt % 3)).4" $((SECONDS - beginn))
    fi
    #: after
done
#: end
[ "$ich" -ne 0 ] || echo "# Rechnung nach $takte Takten fertig"
'''
FILES = {"MELT": "cooling.py", "POLLEN": "season.py", "MOTIF": "motif.py", "STOLLEN": "stollen.sh"}
