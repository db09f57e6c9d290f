"""Further programs of several processes: a manager with a gate, Perl with sockets, scikit-learn around pipes."""

PANIER = '''# -*- coding: utf-8 -*-
"""Recommandation de paniers : factorisation, un gestionnaire central et des ouvriers qui passent une barriere a chaque tour."""
import os
import random
import threading
import time
from multiprocessing.managers import BaseManager

RANG, NOMBRE = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
TOURS, SIESTE, VOIR = int(os.environ.get("TOURS", "150")), float(os.environ.get("SIESTE", "0.05")), int(os.environ.get("VOIR", "10"))
DUREE = float(os.environ["DUREE"]) if "DUREE" in os.environ else None


def dire(*mots):
    print(f"[ouvrier {RANG}]", *mots, flush=True)


class Comptoir:
    def __init__(self):
        self.porte, self.verrou, self.somme = threading.Barrier(NOMBRE), threading.Lock(), {}

    def ajouter(self, tour, valeurs):
        with self.verrou:
            vieux = self.somme.get(tour, [0.0] * len(valeurs))
            self.somme[tour] = [a + b for a, b in zip(vieux, valeurs)]
        self.porte.wait(DUREE)
        with self.verrou:
            self.somme.pop(tour - 2, None)
            return [a / NOMBRE for a in self.somme[tour]]


class Gestion(BaseManager):
    pass


#: early
ici = ("127.0.0.1", int(os.environ["PORT"]))
comptoir = Comptoir()
Gestion.register("comptoir", callable=lambda: comptoir, exposed=("ajouter",))
#: before
if RANG == 0:
    serveur = Gestion(address=ici, authkey=b"panier").get_server()
    threading.Thread(target=serveur.serve_forever, daemon=True).start()
gestion = Gestion(address=ici, authkey=b"panier")
while True:
    try:
        gestion.connect()
        break
    except ConnectionRefusedError:
        time.sleep(0.3)
guichet = gestion.comptoir()
dire("comptoir trouve")
guichet.ajouter(-1, [0.0])
hasard = random.Random(5 + RANG)
gouts = [[hasard.gauss(0, 0.3) for _ in range(3)] for _ in range(24)]
articles = [[random.Random(k).gauss(0, 0.3) for _ in range(3)] for k in range(15)]
vrai = [[random.Random(100 + k).gauss(0, 1) for _ in range(2)] for k in range(15)]
clients = [[hasard.gauss(0, 1) for _ in range(2)] for _ in range(24)]
debut = 1
#: load
if RANG == 0:
    print("tour\\terreur\\tpas\\tpaniers/s", flush=True)
for tour in range(debut, TOURS + 1):
    #: data
    grad, erreur, horloge = [0.0] * 45, 0.0, time.time()
    for _ in range(200):
        u, i = hasard.randrange(24), hasard.randrange(15)
        e = sum(a * b for a, b in zip(gouts[u], articles[i])) - sum(a * b for a, b in zip(clients[u], vrai[i]))
        erreur += e * e / 200
        for k in range(3):
            grad[3 * i + k] += e * gouts[u][k] / 20
            gouts[u][k] -= 0.04 * e * articles[i][k]
    #: loss
    *grad, erreur = guichet.ajouter(tour, [*grad, erreur])
    for i in range(15):
        for k in range(3):
            articles[i][k] -= 0.25 * grad[3 * i + k]
    if RANG == 0 and tour % VOIR == 0:
        print(f"{tour}/{TOURS}\\t{erreur:.5f}\\t0.25\\t{200 * NOMBRE / (time.time() - horloge + SIESTE):.0f}", flush=True)
    #: after
    time.sleep(SIESTE)
#: late
dire("termine,", TOURS, "tours")
guichet.ajouter(TOURS + 5, [0.0])
time.sleep(0.4 * (RANG == 0))
'''

KITES = r'''#!/usr/bin/perl
# wind at the next hour from the last three; the zeroth process adds up what the others send
use strict; use warnings; use IO::Socket::INET; use Time::HiRes qw(sleep time);
$| = 1;
my ($me, $all, $port) = @ENV{qw(SLURM_PROCID SLURM_NTASKS PORT)};
my %o = (iters => 200, rest => 0.04, every => 10, step => 0.03, map { split /=/, $_, 2 } @ARGV);
sub note { printf "ts=%.1f proc=%d %s\n", time, $me, join ' ', @_ }
#: early
note("state=up", "node=$ENV{SLURMD_NODENAME}", "procs=$all");
#: before
my (%peer, $hub);
if ($me == 0) {
    my $door = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 16, ReuseAddr => 1) or die "cannot listen on $port: $!\n";
    while (keys %peer < $all - 1) { my $s = $door->accept; chomp(my $who = <$s>); $peer{$who} = $s; note("state=meeting", "have=" . (1 + keys %peer), "want=$all") }
} else {
    sleep 0.3 until $hub = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port);
    print $hub "$me\n";
}
sub average {
    my @v = @_;
    if ($me == 0) {
        for my $who (sort keys %peer) {
            defined(my $row = readline $peer{$who}) or die "proc $who went away\n";
            my @his = split ' ', $row; $v[$_] += $his[$_] for 0 .. $#v;
        }
        $_ /= $all for @v;
        $peer{$_}->print("@v\n") for keys %peer;
        return @v;
    }
    print $hub "@v\n";
    defined(my $row = <$hub>) or die "the hub went away\n";
    return split ' ', $row;
}
srand(40 + $me);
my @wind = (6) x 3; push @wind, 1.5 + 0.9 * $wind[-1] - 0.3 * $wind[-2] + 0.1 * $wind[-3] + rand(0.6) - 0.3 for 1 .. 300;
my $m = 0; $m += $_ / @wind for @wind; $_ -= $m for @wind;
my @w = (0, 0, 0); my $begin = 1; my $err;
#: load
for my $it ($begin .. $o{iters}) {
    #: data
    my @g = (0, 0, 0); my $sum = 0;
    for my $t (3 .. $#wind) {
        my $e = -$wind[$t]; $e += $w[$_] * $wind[$t - 1 - $_] for 0 .. 2;
        $g[$_] += 2 * $e * $wind[$t - 1 - $_] / 300 for 0 .. 2; $sum += $e * $e / 300;
    }
    #: loss
    ($err, @g) = average($sum, @g);
    $w[$_] -= $o{step} * $g[$_] for 0 .. 2;
    note("iter=$it/$o{iters}", sprintf("err=%.5f w=%.3f,%.3f,%.3f", $err, @w)) if $me == 0 && $it % $o{every} == 0;
    #: after
    sleep $o{rest};
}
#: late
note("state=end", sprintf("err=%.5f", $err)) if $me == 0;
'''

GRAIN = '''import logging
import os
import time
from multiprocessing.connection import Client, Listener

import numpy as np
from sklearn.linear_model import SGDClassifier

rank, size = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
logging.basicConfig(level=logging.INFO if rank == 0 else logging.WARNING, format=f"%(levelname).1s%(asctime)s {rank:02d} %(module)s] %(message)s", datefmt="%m%d %H:%M:%S")
passes, pause = int(os.environ.get("PASSES", "60")), float(os.environ.get("PAUSE", "0.05"))
rng = np.random.default_rng(17 + rank)
#: early
where = ("127.0.0.1", int(os.environ["PORT"]))
if rank == 0:
    listener, pipes = Listener(where, backlog=16), []
    while len(pipes) < size - 1:
        pipes.append(listener.accept())
        logging.info("shard owner %d of %d is here", len(pipes) + 1, size)
else:
    while True:
        try:
            pipes = [Client(where)]
            break
        except ConnectionRefusedError:
            time.sleep(0.3)
X = rng.normal(size=(400, 16))
y = (X[:, 0] - 0.6 * X[:, 5] + 0.3 * X[:, 9] * X[:, 2] + 0.2 * rng.normal(size=400) > 0).astype(int)
model = SGDClassifier(loss="log_loss", learning_rate="invscaling", eta0=0.02, random_state=3)
model.partial_fit(X[:8], y[:8], classes=[0, 1])


def merge(value):
    if rank:
        pipes[0].send(value)
        return pipes[0].recv()
    total = sum([p.recv() for p in pipes], start=value) / size
    for p in pipes:
        p.send(total)
    return total


first = 0
#: load
if rank == 0:
    print(f"{'pass':>5} {'logloss':>9} {'acc':>6} {'|coef|':>8}", flush=True)
for k in range(first, passes):
    #: data
    order = rng.permutation(len(X))[:80]
    model.partial_fit(X[order], y[order])
    #: loss
    both = merge(np.concatenate([model.coef_[0], model.intercept_]))
    model.coef_[0], model.intercept_[:] = both[:-1], both[-1]
    p = np.clip(model.predict_proba(X)[:, 1], 1e-9, 1 - 1e-9)
    score = merge(np.array([-(y * np.log(p) + (1 - y) * np.log(1 - p)).mean(), ((p > 0.5) == y).mean()]))
    if rank == 0 and (k + 1) % 5 == 0:
        print(f"{k + 1:>5} {score[0]:>9.5f} {score[1]:>6.3f} {np.abs(both).sum():>8.3f}", flush=True)
    #: after
    time.sleep(pause)
#: late
logging.info("%d of %d passes done, model is kept by rank 0", passes, passes)
'''
FILES = {"PANIER": "panier.py", "KITES": "kites.pl", "GRAIN": "grain.py"}
