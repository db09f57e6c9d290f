"""Programs without a library: ratings of chess players in Perl, bicycles counted in awk and German, a squeezer of text with bars, weather's hidden states; with places for what a case does."""

CHESS = r'''#!/usr/bin/perl
# ladder.pl - strengths of club players out of their games (Bradley-Terry, plain gradient)
use strict; use warnings; use Time::HiRes qw(time sleep);
$| = 1;
my %o = (passes => 60, players => 24, games => 700, gain => 2.0, tell => 4, pause => 0.02, keep => 0, from => '', book => 'ladder.txt');
for (@ARGV) { /^(\w+)=(.*)$/ && exists $o{$1} or die "ladder.pl: what is '$_'? known: @{[sort keys %o]}\n"; $o{$1} = $2 }
srand(1886);
#: early
my @true = map { 3 * rand() - 1.5 } 1 .. $o{players};
my @games;
for (1 .. $o{games}) {
    my ($a, $b) = (int rand $o{players}, int rand $o{players});
    next if $a == $b;
    push @games, rand() < 1 / (1 + exp($true[$b] - $true[$a])) ? [$a, $b] : [$b, $a];
}
#: data
my @s = map { 0 } 1 .. $o{players};
my ($first, $best) = (1, 9e9);
if ($o{from}) {
    #: restore
    open my $in, '<', $o{from} or die "ladder.pl: cannot open the old ladder $o{from}: $!\n";
    my ($pass, @old) = split ' ', do { local $/; <$in> };
    die "ladder.pl: old ladder is of " . @old . " players, this club has $o{players}\n" if @old != @s;
    @s = @old; $first = $pass + 1;
    print "We take up the ladder $o{from} after pass $pass.\n";
}
printf "The club has %d players and %d decided games. We go over them %d times.\n", $o{players}, scalar @games, $o{passes};
#: ready
my $mean;
for my $pass ($first .. $o{passes}) {
    #: mid
    my @g = map { 0 } @s; my $sum = 0;
    for (@games) {
        my ($w, $l) = @$_;
        my $p = 1 / (1 + exp($s[$l] - $s[$w]));
        $sum -= log $p;
        $g[$w] += 1 - $p; $g[$l] -= 1 - $p;
    }
    $mean = $sum / @games;
    #: loss
    $s[$_] += $o{gain} * $g[$_] / (2 * @games / @s) for 0 .. $#s;
    $best = $mean if $mean < $best;
    if ($pass % $o{tell} == 0 || $pass == $first) { printf "After pass %d of %d a result surprises us by %.4f nats on average (at best so far %.4f).\n", $pass, $o{passes}, $mean, $best }
    #: after
    if ($o{keep} && $pass % $o{keep} == 0) {
        #: save
        open my $out, '>', $o{book} or die "ladder.pl: cannot write $o{book}: $!\n";
        print $out join(' ', $pass, @s), "\n"; close $out;
        print "Pass $pass is written down in $o{book}.\n";
    }
    sleep $o{pause} if $o{pause};
}
#: late
my @order = sort { $s[$b] <=> $s[$a] } 0 .. $#s;
printf "Strongest: player %d, then %d and %d. That is all.\n", @order[0 .. 2];
'''

RAEDER = r'''#!/bin/bash
# raeder.sh - Fahrraeder je Stunde an der Bruecke: Poisson-Regression, nur awk
set -u
: "${SCHRITTE:=300}" "${RATE:=0.05}" "${ALLE:=20}" "${ZAEHLUNG:=}" "${STAND:=}" "${SICHERN:=0}" "${RUHE:=0}" "${STUNDEN:=240}" "${SPALTEN:=4}"
sage() { printf '# %s\n' "$*"; }
#: early
if [ -z "$ZAEHLUNG" ]; then
    ZAEHLUNG=zaehlung.txt
    awk -v n="$STUNDEN" 'BEGIN { srand(5); for (i = 0; i < n; i++) { r = rand(); w = rand(); t = rand(); m = exp(1.2 + 0.9 * r - 1.4 * w + 0.7 * t); k = 0; p = rand(); q = exp(-m); while (p > q && k < 60) { k++; p *= rand() } print r, w, t, k } }' > zaehlung.txt
fi
#: data
[ -s "$ZAEHLUNG" ] || { echo "raeder.sh: Zählung $ZAEHLUNG fehlt oder ist leer" >&2; exit 66; }
ab=0 gewichte="0 0 0 0"
if [ -n "$STAND" ]; then
    #: restore
    read -r ab gewichte < "$STAND" || exit 1
    sage "Stand $STAND gelesen, Schritt $ab"
fi
sage "$(wc -l < "$ZAEHLUNG") Stunden, $SCHRITTE Schritte"
echo "Schritt;Devianz;Gradient;Rate"
#: ready
gawk -v rate="$RATE" -v schritte="$SCHRITTE" -v alle="$ALLE" -v ab="$ab" -v gewichte="$gewichte" -v sichern="$SICHERN" -v ruhe="$RUHE" '
function komma(z, f,   t) { t = sprintf(f, z); sub(/[.]/, ",", t); return t }
{ n++; x[n, 0] = 1; for (j = 1; j <= 3; j++) x[n, j] = $j; y[n] = $4 }
END {
    split(gewichte, g, " "); for (j = 0; j < 4; j++) w[j] = g[j + 1]
    for (s = ab + 1; s <= schritte; s++) {
        dev = 0; for (j = 0; j < 4; j++) d[j] = 0
        #: mid
        for (i = 1; i <= n; i++) {
            e = 0; for (j = 0; j < 4; j++) e += w[j] * x[i, j]
            m = exp(e); dev += 2 * ((y[i] > 0 ? y[i] * log(y[i] / m) : 0) - y[i] + m) / n
            for (j = 0; j < 4; j++) d[j] += (m - y[i]) * x[i, j] / n
        }
        norm = 0; for (j = 0; j < 4; j++) { w[j] -= rate * d[j]; norm += d[j] * d[j] }
        #: loss
        if (s % alle == 0 || s == ab + 1) { print s ";" komma(dev, "%.5f") ";" komma(sqrt(norm), "%.5f") ";" komma(rate, "%.4f"); fflush() }
        #: after
        if (sichern && s % sichern == 0) { print s, w[0], w[1], w[2], w[3] > "stand.txt"; close("stand.txt") }
        if (ruhe > 0) system("sleep " ruhe)
    }
    print schritte, w[0], w[1], w[2], w[3] > "stand.txt"
}' "$ZAEHLUNG"
aus=$?
#: nach
[ $aus = 0 ] || { sage "abgebrochen mit $aus"; exit $aus; }
#: late
sage "fertig, Gewichte in stand.txt"
'''

SQUEEZE = '''#!/usr/bin/env python3
"""A mixing compressor: learns, letter by letter, what comes next in a made-up chronicle."""
import json, math, os, pathlib, random, signal, sys, time

CONF = {"laps": 14, "letters": 2600, "rate": 0.02, "orders": 3, "state": "", "keep_dir": "states", "keep": 0, "nap": 0.0, "seed": 8, "patience": 0}
for word in sys.argv[1:]:
    key, _, value = word.partition(":")
    CONF[key] = type(CONF[key])(value)
R = random.Random(CONF["seed"])
#: early
WORDS = "king bell river harvest winter monk bridge levy plague market feast tower the and of in at was".split()
text = " ".join(R.choice(WORDS) for _ in range(CONF["letters"]))[: CONF["letters"]]
#: data


def bar(part, width=24):
    full = int(part * width)
    return "▕" + "█" * full + "·" * (width - full) + "▏"


def squash(v):
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, v))))


class Mixer:
    def __init__(self, orders):
        self.counts = [{} for _ in range(orders)]
        self.weights = [0.3] * orders

    def learn(self, history, letter, rate):
        """Bits that the letter cost."""
        bits = 0.0
        code = ord(letter)
        node = 1
        for shift in range(6, -1, -1):
            bit = code >> shift & 1
            keys = [(history[-o:] if o else "", node) for o in range(len(self.weights))]
            states = [c.setdefault(k, [0.0]) for c, k in zip(self.counts, keys)]
            mixed = sum(w * s[0] for w, s in zip(self.weights, states))
            p = squash(mixed)
            bits -= math.log2(max(1e-9, p if bit else 1 - p))
            err = bit - p
            #: inside
            for k, s in enumerate(states):
                self.weights[k] += rate * 0.1 * err * s[0]
                s[0] += rate * 20 * (bit - squash(s[0]))
            node = node * 2 + bit
        return bits


mixer, lap0 = Mixer(CONF["orders"]), 0
if CONF["state"]:
    #: restore
    kept = json.loads(pathlib.Path(CONF["state"]).read_text())
    assert len(kept["weights"]) == CONF["orders"], f"state mixes {len(kept['weights'])} orders, we mix {CONF['orders']}"
    mixer.weights, lap0 = kept["weights"], kept["lap"]
    mixer.counts = [{tuple(k): v for k, v in part} for part in kept["counts"]]
    print(f"~ picked up {CONF['state']}, lap {lap0} is behind us", flush=True)
print(f"~ chronicle of {len(text)} letters, {CONF['laps']} laps", flush=True)
#: ready
low, stale = 99.0, 0
for lap in range(lap0 + 1, CONF["laps"] + 1):
    cost, begun = 0.0, time.monotonic()
    for i, letter in enumerate(text):
        #: mid
        cost += mixer.learn(text[max(0, i - 5) : i], letter, CONF["rate"])
    bpc = cost / max(1, len(text))
    #: loss
    print(f"{bar(lap / CONF['laps'])} lap {lap:>3}  {bpc:.4f} bits/letter  {time.monotonic() - begun:.2f}s", flush=True)
    #: after
    stale = stale + 1 if bpc > low - 5e-3 else 0
    low = min(low, bpc)
    if CONF["keep"] and lap % CONF["keep"] == 0:
        os.makedirs(CONF["keep_dir"], exist_ok=True)
        path = f"{CONF['keep_dir']}/lap{lap}.json"
        #: save
        pathlib.Path(path).write_text(json.dumps({"lap": lap, "weights": mixer.weights, "counts": [list(c.items()) for c in mixer.counts]}))
        print(f"~ state -> {path}", flush=True)
    if CONF["patience"] and stale >= CONF["patience"]:
        print(f"~ nothing gained for {stale} laps, we leave it at that", flush=True)
        break
    time.sleep(CONF["nap"])
#: late
print(f"~ squeezed to {100 * low / 8:.1f} % of its size", flush=True)
'''

DIARY = '''import argparse, csv, logging, math, os, pickle, random, sys, time

ap = argparse.ArgumentParser(description="hidden weather behind a farmer's diary (Baum-Welch)")
ap.add_argument("-n", "--iterations", type=int, default=40)
ap.add_argument("-k", "--states", type=int, default=3)
ap.add_argument("--days", type=int, default=420)
ap.add_argument("--diary")
ap.add_argument("--model", default="diary.model")
ap.add_argument("--continue-from", metavar="MODEL")
ap.add_argument("--dump-each", type=int, default=0)
ap.add_argument("--tol", type=float, default=0.0)
ap.add_argument("--sleep", type=float, default=0.02)
a = ap.parse_args()
log = logging.getLogger("hmm")
logging.basicConfig(level=logging.DEBUG, stream=sys.stdout, format="%(relativeCreated)8d ms  %(levelname)-7s %(message)s")
rnd = random.Random(1709)
SIGNS = ("dew", "frost", "swallows", "thunder", "haze")
#: early
seq, at = [], 0
for _ in range(a.days):
    at = at if rnd.random() < 0.9 else rnd.randrange(3)
    seq.append(at if rnd.random() < 0.7 else rnd.randrange(5))
if a.diary:
    with open(a.diary, newline="") as f:
        seq = [SIGNS.index(row["sign"]) for row in csv.DictReader(f)]
#: data
K = a.states


def row(n):
    v = [0.6 + 0.4 * rnd.random() for _ in range(n)]
    return [x / sum(v) for x in v]


start, move, emit, done = row(K), [row(K) for _ in range(K)], [row(5) for _ in range(K)], 0
if a.continue_from:
    #: restore
    with open(a.continue_from, "rb") as f:
        kept = pickle.load(f)
    if len(kept["start"]) != K:
        raise ValueError(f"{a.continue_from} has {len(kept['start'])} states, asked for {K}")
    start, move, emit, done = kept["start"], kept["move"], kept["emit"], kept["done"]
    log.info("continuing %s: %d iterations were done", a.continue_from, done)
log.info("%d days, %d states", len(seq), K)
#: ready
last = None
for it in range(done + 1, a.iterations + 1):
    #: mid
    alpha, scale = [], []
    for t, o in enumerate(seq):
        v = [(start[j] if t == 0 else sum(alpha[-1][i] * move[i][j] for i in range(K))) * emit[j][o] for j in range(K)]
        c = sum(v)
        scale.append(c)
        alpha.append([x / c for x in v])
    ll = sum(math.log(c) for c in scale)
    #: loss
    beta = [1.0] * K
    S, E, O = [[1e-9] * K for _ in range(K)], [[1e-9] * 5 for _ in range(K)], None
    for t in range(len(seq) - 1, -1, -1):
        gamma = [alpha[t][j] * beta[j] for j in range(K)]
        z = sum(gamma)
        for j in range(K):
            E[j][seq[t]] += gamma[j] / z
        if t == 0:
            O = [g / z for g in gamma]
            break
        o, c = seq[t], scale[t]
        for i in range(K):
            for j in range(K):
                S[i][j] += alpha[t - 1][i] * move[i][j] * emit[j][o] * beta[j] / c
        beta = [sum(move[i][j] * emit[j][o] * beta[j] for j in range(K)) / c for i in range(K)]
    start, move, emit = O, [[x / sum(r) for x in r] for r in S], [[x / sum(r) for x in r] for r in E]
    #: step
    log.info("it %3d/%d  log-likelihood %.3f  per day %.5f%s", it, a.iterations, ll, ll / len(seq), "" if last is None else f"  gain {ll - last:+.4f}")
    #: after
    if a.dump_each and it % a.dump_each == 0:
        #: save
        with open(a.model, "wb") as f:
            pickle.dump({"start": start, "move": move, "emit": emit, "done": it}, f)
        log.debug("model dumped to %s", a.model)
    if a.tol and last is not None and ll - last < a.tol:
        log.info("gain is below %g: converged at iteration %d", a.tol, it)
        break
    last = ll
    time.sleep(a.sleep)
#: late
log.info("states emit mostly: %s", ", ".join(SIGNS[max(range(5), key=r.__getitem__)] for r in emit))
'''
