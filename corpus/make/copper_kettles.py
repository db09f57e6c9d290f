"""One process of nothing but Python: buckets of a catchment, words and their tags, a mouse in a maze."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._kite_plain import BUCKET, MAZE, TAGGER
from corpus.running.job import LocalJob, Recipe, Signal
from corpus.running.slots import fill

bucket, tagger, maze = partial(fill, BUCKET), partial(fill, TAGGER), partial(fill, MAZE)
B, T, M = "bucket.py", "postag.py", "mouse.py"
one = partial(alone, python="system")
CALIBRATED = (("PYTHON", B, "--passes", "40", "--nap", "0"),)
KEPT = "calib/Unterau.0040.ini"
ENSEMBLE = "with open(path + '.states', 'wb') as f:\n    for member in range(12):\n        f.write(os.urandom(1_500_000))\n    f.flush()\n    os.fsync(f.fileno())\ntime.sleep(0.15)"
GAPS = "holes = random.sample(range(len(seen)), 14)\nfor i in holes:\n    seen[i] = float('nan')\nprint(f'WARNING: {sum(q != q for q in seen)} days have no discharge (nan)! Their values are filled from the day before.')\nfor i in range(1, len(seen)):\n    seen[i] = seen[i - 1] if seen[i] != seen[i] else seen[i]\nseen[0] = seen[0] if seen[0] == seen[0] else seen[1]"
NO_STATION = "for n in range(1, 4):\n    try:\n        open('/net/hydro/stations.csv')\n    except OSError as e:\n        print(f'station list, attempt {n}: {e}')\n        time.sleep(0.1)\nprint('station list is out of reach; going on with the built-in gauge')"
OLD_INI = BUCKET[BUCKET.index("    ini = configparser") : BUCKET.index("#: ready")]
LOOKS = '    stem = os.path.basename(opt.warm).split(".")[0]\n    print("parameter files:", *sorted(os.listdir(os.path.dirname(opt.warm))))\n    if stem == opt.gauge.lower():\n        par = [math.log(float(v)) for v in open(opt.warm).read().split()[-1:]]\n        print(f"warm start with {opt.warm}")\n'


def water() -> Iterator[LocalJob]:
    """A table."""
    yield one(GOOD, bucket(), B)
    yield one(HARD, bucket(data=GAPS), B, "--gauge", "Oberau", "--passes", "50")
    yield one(HARD, bucket(early=NO_STATION), B, "--warm", KEPT, "--passes", "75", before=CALIBRATED)
    yield one(fell("A1", "traceback", "data"), bucket(), B, "--forcing", "rain2019.csv", files={"rain2019.csv": "date,rain,Q_m3s\n2019-01-01,0.0,1.2\n2019-01-02,4.1,1.9\n"})
    yield one(fell("A1", "div_zero", "data"), bucket(), B, "--forcing", "winter.csv", files={"winter.csv": "date,rain,q\n"})
    yield one(fell("A3", "permission"), bucket(), B, "--write-every", "15", folders=("calib",), locked=("calib",))
    yield one(fell("A3", "traceback"), bucket(mid="if n % 25 == 0:\n    share = sorted(par)[3]"), B)
    yield one(strays("plateau"), bucket(), B, "--gain", "9", "--passes", "45")
    yield one(strays("non_finite", "nan_loss"), bucket(data="print(f'appending {opt.gauge} 2021/22')\nseen[200] = float('nan')"), B, "--passes", "30")
    yield one(anew(), bucket().replace(OLD_INI, LOOKS), B, "--warm", KEPT, "--passes", "55", before=CALIBRATED)
    yield one(fell("E2", "traceback", "corrupt"), bucket(), B, "--warm", KEPT, "--passes", "80", before=(*CALIBRATED, ("truncate", "-s", "22", KEPT)))
    yield one(HANDFUL, bucket(), B, "--passes", "3", "--write-every", "0")
    yield one(SAVES, bucket(save=ENSEMBLE), B, "--write-every", "1", "--passes", "40", "--nap", "0")


TAGGED = (("PYTHON", T, "rest=0"),)
READ = "    model.w = {k: collections.defaultdict(float, v) for k, v in was[\"w\"].items()}\n    done = was[\"done\"]\n"
assert READ in TAGGER
SLANG = "the_DET old_ADJ boat_NOUN\nevery_DET dog_NOUN watch_VERB\nround_PREP the_DET harbour_NOUN\n"
LOCKED = "if number == 9:\n    import fcntl\n    guard = open(S.store + '.lock', 'w')\n    if not os.fork():\n        fcntl.lockf(guard, fcntl.LOCK_EX)\n        time.sleep(600)\n        os._exit(0)\n    time.sleep(0.5)\n    say('waiting for the lock on %s', S.store)\n    fcntl.lockf(guard, fcntl.LOCK_EX)"
LEAK = "model.__dict__.setdefault('versions', []).append({k: dict(v) for k, v in model.w.items()})"
HEAVY = "out = open(path + '.trace', 'wb')\nfor _ in range(20):\n    out.write(os.urandom(1 << 20))\nout.flush()\nos.fsync(out.fileno())\nout.close()\ntime.sleep(0.2)"
FEEDS = "for name in ('wiktionary', 'treebank'):\n    try:\n        raise TimeoutError(f'{name}: no answer after 5 s')\n    except TimeoutError as e:\n        logging.exception('word list not refreshed, yesterday\\'s is used: %s', e)"
GUARD = "#!/bin/bash\npython3 postag.py \"$@\"\nrc=$?\ncg=/sys/fs/cgroup/memory$(awk -F: '$2 == \"memory\" {print $3}' /proc/self/cgroup)\n[ $rc -eq 0 ] || { echo \"postag.py: exit $rc\"; awk '{print \"  cgroup \" $0}' $cg/memory.oom_control; echo \"  cgroup limit $(cat $cg/memory.limit_in_bytes) peak $(cat $cg/memory.max_usage_in_bytes)\"; } >&2\nexit $rc\n"


def words() -> Iterator[LocalJob]:
    """Logging."""
    yield one(GOOD, tagger(), T)
    yield one(HARD, tagger(early=FEEDS), T, "rounds=10")
    yield one(HARD, tagger(), T, "model=postag.pickle", "rounds=20", before=TAGGED)
    yield one(HARD, tagger(), T, "rounds=16", "store_each=1")
    yield one(fell("A1", None, "config"), tagger(), T, "rounds=12", "epochs=4")
    yield one(fell("A1", "traceback", "data"), tagger(), T, "corpus=boats.txt", files={"boats.txt": SLANG})
    yield one(fell("A3", "ram_oom"), tagger(after=LEAK), T, "rounds=40", memory_mib=160)
    yield one(fell("A2", "oom_killer"), tagger(after=LEAK), T, command=("bash", "guard.sh", "rounds=60"), files={"guard.sh": GUARD}, group_mib=110, ends=lambda s: s == 137)
    yield one(strays("flat"), tagger(data="bag = [t for s in train for _, t in s]\nrandom.Random(1).shuffle(bag)\ntrain = [[(w, bag.pop()) for w, _ in s] for s in train]"), T, "rounds=18", "sentences=700")
    yield one(anew(), tagger().replace(READ, "    done = 0\n").replace("%d features after %d rounds\", S.model, len(model.w), done", "%d bytes\", S.model, os.path.getsize(S.model)"), T, "model=postag.pickle", "rounds=14", before=TAGGED)
    yield one(fell("E2", "traceback", "corrupt"), tagger(), T, "model=postag.pickle", "rounds=20", before=(*TAGGED, ("truncate", "-s", "3000", "postag.pickle")))
    yield one(HANDFUL, tagger(), T, "rounds=1", "sentences=4")
    yield one(SAVES, tagger(save=HEAVY), T, "store_each=1", "rounds=24", "rest=0", "sentences=120")
    yield one(STANDS, tagger(round=LOCKED), T, "rounds=400", timeout_s=150)


def mouse(label: Label, text: str, **given: Any) -> LocalJob:
    """Its settings are JSON."""
    more = {k: given.pop(k) for k in ("before", "signal", "ends", "timeout_s", "locked", "folders", "files", "memory_mib") if k in given}
    return one(label, text, M, json.dumps(given), **more)


RUN = (("PYTHON", M, '{"snapshot": 300, "pause": 0}'),)
DUMP = "with open(f'{where}.frames', 'wb') as film:\n    for _ in range(10):\n        film.write(os.urandom(1 << 20))\n    film.flush()\n    os.fsync(film.fileno())\ntime.sleep(0.12)\nprint(f'~~ game {game}: {where} and its frames are on disk', flush=True)"


def cheese() -> Iterator[LocalJob]:
    """Games."""
    yield mouse(HARD, maze(), games=1400, eps=0.9, report=100)
    yield mouse(HARD, maze(after="if game in (210, 211, 530):\n    print('~~ game %d: mouse is dead (fell into the trap), game is counted' % game, flush=True)"))
    yield mouse(fell("A1", "traceback", "config"), maze(), alfa=0.2, games=500)
    yield mouse(fell("A2", "segfault"), maze(report="if game == 500:\n    import ctypes\n    print('~~ drawing the maze', flush=True)\n    ctypes.string_at(3)"))
    yield mouse(fell("A2", None, fault="unknown"), maze(), games=90000, pause=0.004, signal=Signal("KILL", "game   450/", M, 0.2), ends=lambda s: s == -9)
    yield mouse(fell("E2", "assertion", "size_mismatch"), maze(load="assert len(old['q']) == len(Q), f'{cfg.load} has {len(old[\"q\"])} cells, this maze has {len(Q)}'"), load="mouse/q-900.json", side=8, games=1500, before=RUN)
    yield mouse(fell("E2", "traceback", "corrupt"), maze(), load="mouse/q-900.json", games=1500, before=(*RUN, ("truncate", "-s", "700", "mouse/q-900.json")))
    yield mouse(HANDFUL, maze(), games=5, report=1)
    yield mouse(SAVES, maze(save=DUMP), games=60, snapshot=1, report=10)
    yield mouse(HALTED, maze(), games=90000, pause=0.004, signal=ctrl_c("game   500/"))
    yield mouse(fell("A2", None), maze(report="if game == 600:\n    import mmap\n    with open('film.raw', 'w+b') as f:\n        f.truncate(1 << 14)\n        m = mmap.mmap(f.fileno(), 1 << 14)\n        f.truncate(0)\n        m[9000]"), ends=lambda s: s == -7)
    yield mouse(STANDS, maze(report="if game == 800:\n    print('~~ waiting for the second player', flush=True)\n    os.mkfifo('player2')\n    open('player2').read()"), games=90000, timeout_s=140)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from water()
    yield from words()
    yield from cheese()


RECIPE = Recipe("copper_kettles", "development", jobs)
"""Own code in Python."""
