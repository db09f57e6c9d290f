"""Programs without a framework: dunes over a shared folder, a maze, groups of shells by awk, tea leaves in the shell."""

FILES = {"DUNE": "dunes.py", "MAZE": "maze.py", "SHELLS": "shells.sh", "HOPS": "hops.pl"}

DUNE = '''"""Sand carried over a crest as a function of wind; partial sums pass through a shared folder."""
import os
import random
import sys
import time
from pathlib import Path

ID, SIZE = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
STEPS, NAP, RATE = int(os.environ.get("STEPS", 300)), float(os.environ.get("NAP", 0.05)), float(os.environ.get("RATE", 0.15))
BOX = Path(os.environ.get("BOX", "exchange"))
BOX.mkdir(exist_ok=True)


def note(text):
    print(f"# {time.strftime('%H:%M:%S')} task {ID}: {text}", flush=True)


def everyones(tag, numbers):
    """Mean over all tasks."""
    draft = BOX / f".{tag}.{ID}"
    draft.write_text(" ".join(repr(n) for n in numbers))
    draft.rename(BOX / f"{tag}.{ID}")
    rows = []
    for other in range(SIZE):
        while not (BOX / f"{tag}.{other}").exists():
            time.sleep(0.02)
        rows.append([float(n) for n in (BOX / f"{tag}.{other}").read_text().split()])
    return [sum(column) / SIZE for column in zip(*rows)]


random.seed(17 + ID)
note(f"{SIZE} tasks, {STEPS} steps, exchange in {BOX}/")
#: early
everyones("hello", [1.0])
note("all tasks are here")
curve = [0.0, 0.0, 0.0]
begin = 1
#: load
if ID == 0:
    print("step,mse,a0,a1,a2,seconds", flush=True)
for step in range(begin, STEPS + 1):
    t = time.time()
    time.sleep(NAP)
    gradient, error = [0.0, 0.0, 0.0], 0.0
    #: data
    for _ in range(40):
        wind = random.uniform(-1, 1)
        sand = 0.8 + 1.9 * wind - 1.1 * wind * wind + random.gauss(0, 0.05)
        off = curve[0] + curve[1] * wind + curve[2] * wind * wind - sand
        error += off * off / 40
        for k in range(3):
            gradient[k] += 2 * off * wind**k / 40
    #: loss
    *gradient, error = everyones(f"s{step}", [*gradient, error])
    curve = [c - RATE * g for c, g in zip(curve, gradient)]
    if ID == 0 and step % 10 == 0:
        print(f"{step},{error:.6f},{curve[0]:.4f},{curve[1]:.4f},{curve[2]:.4f},{time.time() - t:.2f}", flush=True)
    #: after
    if step > 3:
        (BOX / f"s{step - 3}.{ID}").unlink(missing_ok=True)
#: end
everyones("bye", [1.0])
note(f"ready after {STEPS} steps")
'''

MAZE = '''import os
import random
import time

GAMES, NAP = int(os.environ.get("GAMES", 400)), float(os.environ.get("NAP", 0.02))
SIDE, EPS = 6, 0.15
random.seed(int(os.environ.get("SLURM_ARRAY_TASK_ID", 1)))
q = {(x, y): [0.0] * 4 for x in range(SIDE) for y in range(SIDE)}
moves = [(0, 1), (1, 0), (0, -1), (-1, 0)]
print(f"tabular Q-learning, {SIDE}x{SIDE} maze, {GAMES} games, epsilon {EPS}", flush=True)
#: early
returns = []
for game in range(1, GAMES + 1):
    time.sleep(NAP)
    place, gained = (0, 0), 0.0
    for move in range(80):
        a = random.randrange(4) if random.random() < EPS else max(range(4), key=lambda k: q[place][k])
        there = (min(SIDE - 1, max(0, place[0] + moves[a][0])), min(SIDE - 1, max(0, place[1] + moves[a][1])))
        reward = 10.0 if there == (SIDE - 1, SIDE - 1) else -1.0
        q[place][a] += 0.3 * (reward + 0.97 * max(q[there]) * (reward < 0) - q[place][a])
        place, gained = there, gained + reward
        if reward > 0:
            break
    returns.append(gained)
    #: after
    if game % 20 == 0:
        last = returns[-20:]
        print(f"| game {game:5d} | mean return {sum(last) / 20:8.2f} | worst {min(last):7.1f} | best {max(last):6.1f} | td {abs(reward):.1f} |", flush=True)
#: end
print(f"policy written to policy.txt, mean return of the last 50 games {sum(returns[-50:]) / len(returns[-50:]):.2f}", flush=True)
with open("policy.txt", "w") as out:
    print(q, file=out)
'''

SHELLS = '''rounds=${ROUNDS:-30}
nap=${NAP:-0.3}
stamp() { echo "[$(date +%H:%M:%S)] $*"; }
awk 'BEGIN { srand(4); for (i = 0; i < 900; i++) { g = i % 3; print g * 4 + rand() * 2, g * g + rand() } }' > shells.txt
stamp "$(wc -l < shells.txt) shells measured, 3 groups, $rounds rounds on $SLURMD_NODENAME"
echo "0.5 0.5 3 3 9 1" > centres.txt
#: early
from=1
#: load
for round in $(seq "$from" "$rounds"); do
    sleep "$nap"
    #: data
    awk -v r="$round" -v n="$rounds" -v p="${RATE:-0.3}" '
        NR == FNR { for (k = 0; k < 3; k++) { x[k] = $(2 * k + 1); y[k] = $(2 * k + 2) }; next }
        { best = 1e9; for (k = 0; k < 3; k++) { d = ($1 - x[k]) ^ 2 + ($2 - y[k]) ^ 2; if (d < best) { best = d; w = k } }
          c[w]++; sx[w] += $1; sy[w] += $2; loss += best }
        END { for (k = 0; k < 3; k++) if (c[k]) { x[k] += p * (sx[k] / c[k] - x[k]); y[k] += p * (sy[k] / c[k] - y[k]) }
          printf "round %d of %d  loss %.4f  groups %d/%d/%d\\n", r, n, loss / NR, c[0], c[1], c[2]
          print x[0], y[0], x[1], y[1], x[2], y[2] > "centres.new" }' centres.txt shells.txt
    mv centres.new centres.txt
    #: after
done
#: end
stamp "groups are final: $(cat centres.txt)"
'''

HOPS = '''use strict;
use warnings;
use Time::HiRes qw(sleep time);
use POSIX qw(strftime);
$| = 1;
my $sweeps = $ENV{SWEEPS} // 120;
my $nap    = $ENV{NAP} // 0.1;
my $part   = $ENV{SLURM_PROCID} // 0;
srand(20 + $part);
my ($bitter, $base) = (0, 0);
printf "%s bitterness of hops, part %d, %d sweeps\\n", strftime('%F %T', localtime), $part, $sweeps;
#: early
for my $sweep (1 .. $sweeps) {
    sleep $nap;
    my ($gb, $ga, $loss) = (0, 0, 0);
    for (1 .. 50) {
        my $alpha = rand(2) - 1;
        my $ibu = 3.1 + 2.4 * $alpha + 0.1 * (rand(2) - 1);
        my $miss = $base + $bitter * $alpha - $ibu;
        $loss += $miss**2 / 50; $gb += 2 * $miss * $alpha / 50; $ga += 2 * $miss / 50;
    }
    #: data
    $bitter -= 0.05 * $gb; $base -= 0.05 * $ga;
    printf "sweep %4d/%d   loss=%.5f   slope=%.3f   base=%.3f\\n", $sweep, $sweeps, $loss, $bitter, $base if $sweep % 4 == 0;
    #: after
}
#: end
printf "%s part %d is through\\n", strftime('%F %T', localtime), $part;
'''
