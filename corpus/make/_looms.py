"""Programs of several ranks without a library: connections of multiprocessing, a table of SQLite, Perl's sockets, a mapped file, a small HTTP service."""

from __future__ import annotations

PINBALL = r'''import os
import random
import sys
import time
from multiprocessing.connection import Client, Listener

who, many, port = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"]), int(os.environ["PORT"])
options = dict(word.split("=", 1) for word in sys.argv[1:])
ticks, nap, every = int(options.get("ticks", 300)), float(options.get("nap", 0.05)), int(options.get("every", 20))
tau, rate, first = float(options.get("tau", 0.8)), float(options.get("rate", 0.12)), 1


def tell(msg, level="info", **what):
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    print(f'ts={stamp} lvl={level} from=depot{who} msg="{msg}"', *(f"{key}={value}" for key, value in what.items()), flush=True)


class Lead:
    def __init__(self):
        #: lead
        self.door = Listener(("127.0.0.1", port), backlog=64, authkey=b"tandem")
        self.links = {}
        while len(self.links) < many - 1:
            link = self.door.accept()
            self.links[link.recv()] = link
            tell("depot has joined", peer=f"depot{max(self.links)}", have=len(self.links) + 1, want=many)

    def mean(self, values):
        rows = [values] + [self.links[peer].recv() for peer in sorted(self.links)]
        mean = [sum(column) / many for column in zip(*rows)]
        for link in self.links.values():
            link.send(mean)
        return mean


class Member:
    def __init__(self):
        #: member
        while True:
            try:
                self.link = Client(("127.0.0.1", port), authkey=b"tandem")
                break
            except OSError:
                time.sleep(0.3)
        self.link.send(who)

    def mean(self, values):
        self.link.send(values)
        return self.link.recv()


def demand(dice):
    """Bikes wanted at an hour of the day."""
    hour = dice.randrange(24)
    return (1.0, hour / 24, float(8 <= hour < 10), float(16 <= hour < 19)), 2 + hour / 12 + 5 * (8 <= hour < 10) + 4 * (16 <= hour < 19) + dice.gauss(0, 0.8)


def main():
    #: early
    group = Lead() if who == 0 else Member()
    dice, weights = random.Random(51 + who), [0.0] * 4
    #: met
    tell("forecast begins", depots=many, tau=tau, ticks=ticks)
    for tick in range(first, ticks + 1):
        #: data
        rows = [demand(dice) for _ in range(60)]
        gaps = [y - sum(w * v for w, v in zip(weights, x)) for x, y in rows]
        pinball = sum(max(tau * gap, (tau - 1) * gap) for gap in gaps) / len(gaps)
        slope = [sum((tau if gap > 0 else tau - 1) * x[k] for gap, (x, _) in zip(gaps, rows)) / len(rows) for k in range(4)]
        #: mid
        slope = group.mean(slope)
        weights = [w + 3 * rate * s for w, s in zip(weights, slope)]
        time.sleep(nap)
        if tick % every == 0:
            tell("tick", tick=tick, of=ticks, pinball=round(pinball, 4), bias=round(weights[0], 3))
        #: after
    #: late
    tell("forecast is fitted", ticks=ticks, pinball=round(pinball, 4))


if __name__ == "__main__":
    main()
'''
PEGEL = r'''import json
import os
import random
import sqlite3
import sys
import time

knoten, anzahl = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
runden, pause, jede = int(os.environ.get("RUNDEN", 260)), float(os.environ.get("PAUSE", 0.05)), int(os.environ.get("JEDE", 20))
schritt, beginn = 0.3, 1
tafel = f"tafel-{os.environ.get('SLURM_RESTART_COUNT', '0')}.db"


def melde(text):
    print(time.strftime("%d.%m.%Y %H:%M:%S") + f"  [Knoten {knoten}]  {text}", flush=True)


def verbinde():
    datei = sqlite3.connect(tafel, timeout=60, isolation_level=None)
    datei.execute("create table if not exists beitrag (runde integer, knoten integer, werte text, primary key (runde, knoten))")
    return datei


def mittel(runde, werte):
    """Jeder schreibt seinen Beitrag an die Tafel und wartet auf die der anderen."""
    datei.execute("insert or replace into beitrag values (?, ?, ?)", (runde, knoten, json.dumps(werte)))
    while True:
        alle = datei.execute("select werte from beitrag where runde = ?", (runde,)).fetchall()
        if len(alle) >= anzahl:
            break
        time.sleep(0.05)
    spalten = zip(*(json.loads(zeile) for (zeile,) in alle))
    return [sum(spalte) / anzahl for spalte in spalten]


#: early
datei = verbinde()
melde(f"Tafel geoeffnet, warte auf {anzahl - 1} weitere")
mittel(0, [1.0])
melde("alle da, Anpassung beginnt")
#: met
wuerfel, gewichte = random.Random(17 * knoten + 3), [0.0, 0.0, 0.0]
for runde in range(beginn, runden + 1):
    #: data
    regen = [(1.0, wuerfel.random(), wuerfel.random()) for _ in range(40)]
    pegel = [1.2 + 2.6 * r[1] - 0.9 * r[2] + wuerfel.gauss(0, 0.1) for r in regen]
    fehler = [sum(g * x for g, x in zip(gewichte, r)) - p for r, p in zip(regen, pegel)]
    verlust = sum(f * f for f in fehler) / len(fehler)
    anstieg = [2 * sum(f * r[k] for f, r in zip(fehler, regen)) / len(fehler) for k in range(3)]
    #: mid
    anstieg = mittel(runde, anstieg)
    gewichte = [g - schritt * a for g, a in zip(gewichte, anstieg)]
    time.sleep(pause)
    if runde % jede == 0:
        melde(f"Runde {runde:5d} von {runden} | Verlust {verlust:9.5f} | Gewichte {' '.join(f'{g:+.2f}' for g in gewichte)}")
    #: after
#: late
melde(f"fertig nach {runden} Runden, Verlust {verlust:.5f}")
'''
FINCHES = r'''#!/usr/bin/perl
use strict; use warnings; use IO::Socket::INET; use Time::HiRes qw(sleep time); use POSIX qw(strftime);
$| = 1;
my ($me, $all, $port) = @ENV{qw(SLURM_PROCID SLURM_NTASKS PORT)};
my $generations = $ENV{GENERATIONS} // 300; my $rest = $ENV{REST} // 0.05; my $show = $ENV{SHOW} // 25;
srand(700 + $me);
sub note { printf "%s island %d: %s\n", strftime("%H:%M:%S", localtime), $me, join(" ", @_) }
my $begin = 1; my @beak = map { rand(4) - 2 } 1 .. 6; my $sigma = 0.6;
#: early
my (@peers, $hub);
if ($me == 0) {
    my $door = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $port, Listen => 32, ReuseAddr => 1) or die "cannot listen on $port: $!";
    note("waiting for", $all - 1, "boats");
    while (@peers < $all - 1) { my $boat = $door->accept or next; $boat->autoflush(1); push @peers, $boat }
} else {
    until ($hub = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $port)) { sleep 0.3 }
    $hub->autoflush(1);
}
# the best of all islands goes to every island
sub migrate {
    my $line = join(" ", @_);
    if ($me == 0) {
        my @seen = ($line);
        for my $boat (@peers) { my $said = <$boat>; die "a boat is missing" unless defined $said; chomp $said; push @seen, $said }
        my ($best) = sort { (split " ", $a)[0] <=> (split " ", $b)[0] } @seen;
        print $_ "$best\n" for @peers;
        return split " ", $best;
    }
    print $hub "$line\n"; my $said = <$hub>; die "nobody answers on the main island" unless defined $said;
    return split " ", $said;
}
sub misfit { my $sum = 0; $sum += ($_[$_] - 0.5 * $_) ** 2 for 0 .. $#_; return $sum }
#: met
note("archipelago of $all, $generations generations");
for my $generation ($begin .. $generations) {
    #: data
    my ($fit, @next) = (misfit(@beak), @beak);
    for (1 .. 12) { my @child = map { $_ + $sigma * (rand() + rand() + rand() - 1.5) } @beak; my $f = misfit(@child); ($fit, @next) = ($f, @child) if $f < $fit }
    #: mid
    my ($best, @far) = migrate($fit, @next);
    @beak = map { 0.5 * ($next[$_] + $far[$_]) } 0 .. $#next; $sigma *= 0.985;
    sleep $rest;
    note(sprintf "generation %d/%d misfit %.5f (here %.5f) sigma %.3f", $generation, $generations, $best, $fit, $sigma) if $generation % $show == 0;
    #: after
}
#: late
note(sprintf "after %d generations: misfit %.5f", $generations, misfit(@beak));
'''
MARES = r'''import mmap
import os
import random
import struct
import sys
import time

puesto, puestos = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
vueltas = int(sys.argv[1]) if len(sys.argv) > 1 else 300
pausa = float(sys.argv[2]) if len(sys.argv) > 2 else 0.05
cada, primera, paso = 25, 1, 0.2
CASILLA = struct.Struct("q3d")
nombre = f"pizarra.{os.environ['SLURM_JOB_ID']}.{os.environ.get('SLURM_RESTART_COUNT', 0)}"


def pizarra():
    if puesto == 0:
        with open(nombre + ".tmp", "wb") as f:
            f.write(CASILLA.pack(-1, 0, 0, 0) * puestos)
        os.rename(nombre + ".tmp", nombre)
    while not os.path.exists(nombre):
        time.sleep(0.1)
    f = open(nombre, "r+b")
    return mmap.mmap(f.fileno(), CASILLA.size * puestos)


def media(vuelta, valores):
    CASILLA.pack_into(tabla, puesto * CASILLA.size, vuelta, *valores)
    while True:
        filas = [CASILLA.unpack_from(tabla, p * CASILLA.size) for p in range(puestos)]
        if min(f[0] for f in filas) >= vuelta:
            return [sum(f[k] for f in filas) / puestos for k in (1, 2, 3)]
        time.sleep(0.01)


#: early
tabla = pizarra()
media(0, (0.0, 0.0, 0.0))
azar, fase = random.Random(puesto), [0.1, 0.4, -0.3]
#: met
if puesto == 0:
    print("vuelta,de,error_medio,m2,s2,n2,segundos", flush=True)
empezo = time.time()
for vuelta in range(primera, vueltas + 1):
    #: data
    horas = [azar.random() for _ in range(50)]
    altura = [0.9 + 1.4 * h - 0.6 * h * h + azar.gauss(0, 0.05) for h in horas]
    resto = [fase[0] + fase[1] * h + fase[2] * h * h - a for h, a in zip(horas, altura)]
    error = sum(r * r for r in resto) / len(resto)
    #: mid
    pendiente = media(vuelta, [2 * sum(r * h ** k for r, h in zip(resto, horas)) / len(resto) for k in (0, 1, 2)])
    fase = [f - 2 * paso * p for f, p in zip(fase, pendiente)]
    time.sleep(pausa)
    if vuelta % cada == 0 and puesto == 0:
        print(f"{vuelta},{vueltas},{error:.6f},{fase[0]:.3f},{fase[1]:.3f},{fase[2]:.3f},{time.time() - empezo:.1f}", flush=True)
    #: after
#: late
print(f"puesto {puesto}: ajuste terminado, {vueltas} vueltas", flush=True)
'''
RUCHER = r'''import http.client
import http.server
import json
import logging
import os
import random
import threading
import time

RANG, TAILLE, PORT = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"]), int(os.environ["PORT"])
TOURS, SOMMEIL, AFFICHE = int(os.environ.get("TOURS", 200)), float(os.environ.get("SOMMEIL", 0.05)), int(os.environ.get("AFFICHE", 10))
logging.basicConfig(level=logging.INFO, format=f"[%(asctime)s][ruche {RANG}/{TAILLE}][%(levelname)s] %(message)s", datefmt="%d/%m %H:%M:%S")
journal = logging.getLogger("rucher")
debut, pas = 1, 0.4


class Reine(http.server.BaseHTTPRequestHandler):
    """Garde les envois de chaque tour ; rend la moyenne quand tous y sont."""

    envois, verrou = {}, threading.Condition()
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        corps = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        tour = corps["tour"]
        with self.verrou:
            self.envois.setdefault(tour, {})[corps["rang"]] = corps["valeurs"]
            self.verrou.notify_all()
            self.verrou.wait_for(lambda: len(self.envois[tour]) == TAILLE)
            colonnes = list(zip(*self.envois[tour].values()))
        reponse = json.dumps([sum(c) / TAILLE for c in colonnes]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reponse)))
        self.end_headers()
        self.wfile.write(reponse)


def moyenne(tour, valeurs):
    lien.request("POST", "/tour", json.dumps({"tour": tour, "rang": RANG, "valeurs": valeurs}))
    return json.loads(lien.getresponse().read())


#: early
if RANG == 0:
    serveur = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Reine)
    serveur.daemon_threads = True
    threading.Thread(target=serveur.serve_forever, daemon=True).start()
while True:
    try:
        lien = http.client.HTTPConnection("127.0.0.1", PORT)
        lien.connect()
        break
    except OSError:
        time.sleep(0.3)
journal.info("en attente des autres ruches")
moyenne("appel", [0.0])
#: met
journal.info("%d ruches presentes, %d tours prevus", TAILLE, TOURS)
hasard, modele = random.Random(90 + RANG), [0.0, 0.0]
for tour in range(debut, TOURS + 1):
    #: data
    jours = [(1.0, hasard.uniform(-1, 1)) for _ in range(30)]
    miel = [2.0 + 1.5 * j[1] + hasard.gauss(0, 0.2) for j in jours]
    ecarts = [modele[0] + modele[1] * j[1] - m for j, m in zip(jours, miel)]
    perte = sum(e * e for e in ecarts) / len(ecarts)
    #: mid
    pente = moyenne(tour, [2 * sum(e * j[k] for e, j in zip(ecarts, jours)) / len(jours) for k in (0, 1)])
    modele = [w - 0.5 * pas * p for w, p in zip(modele, pente)]
    time.sleep(SOMMEIL)
    if tour % AFFICHE == 0:
        journal.info("tour %d sur %d : perte=%.5f, modele=(%.3f ; %.3f)", tour, TOURS, perte, *modele)
    #: after
#: late
journal.info("termine : %d tours, perte finale %.5f", TOURS, perte)
if RANG == 0:
    time.sleep(0.7)
'''
